create policy "users see only whom they have blocked" on kith.blocks
  for select
  to kith_api
  using (user_id = kith.user_id());
comment on policy "users see only whom they have blocked" on kith.blocks is
  'Nobody sees who has blocked them.';

grant select on kith.blocks to kith_api;
grant select on kith.blocks to kith_reader;
