create policy "both sides see their own conversation" on kith.messages
  for select
  to kith_api
  using (kith.user_id() in (owner_id, nominee_user_id));
comment on policy "both sides see their own conversation" on kith.messages is
  'After a transfer, the former owner keeps the conversation and the new owner does not see it.';

grant select on kith.messages to kith_api;
grant select (tenant_id, id, vault_id, nominee_id, owner_id, nominee_user_id, from_id, created_at, read_at)
  on kith.messages to kith_reader;
