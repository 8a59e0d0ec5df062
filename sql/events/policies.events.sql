create policy "users see only their own events" on kith.events
  for select
  to kith_api
  using (user_id = kith.user_id());
comment on policy "users see only their own events" on kith.events is
  'Only definer procedures write events, in the transaction of the change.';

grant select on kith.events to kith_api;
grant select on kith.events to kith_reader;
