create policy "users see only their own feedback" on kith.feedback
  for select
  to kith_api
  using (user_id = kith.user_id());
comment on policy "users see only their own feedback" on kith.feedback is
  'The tenant''s server reads all of its tenant''s feedback through a definer procedure.';

grant select on kith.feedback to kith_api;
grant select on kith.feedback to kith_reader;
