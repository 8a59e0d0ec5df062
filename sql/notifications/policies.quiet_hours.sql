create policy "users see only their own quiet hours" on kith.quiet_hours
  for select
  to kith_api
  using (user_id = kith.user_id());
comment on policy "users see only their own quiet hours" on kith.quiet_hours is
  'Only definer procedures write quiet hours, and they lock the account.';

grant select on kith.quiet_hours to kith_api;
grant select on kith.quiet_hours to kith_reader;
