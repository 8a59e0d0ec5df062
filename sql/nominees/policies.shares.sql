create policy "owners see only the shares of their own vaults" on kith.shares
  for select
  to kith_api
  using (owner_id = kith.user_id());
comment on policy "owners see only the shares of their own vaults" on kith.shares is
  'Only definer procedures write shares.';

grant select on kith.shares to kith_api;
grant select (tenant_id, id, vault_id, owner_id, record_name, permission, created_at, updated_at, ended_at, missing_at)
  on kith.shares to kith_reader;
