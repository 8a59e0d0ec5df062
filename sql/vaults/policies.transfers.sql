create policy "owners see only their own offers" on kith.transfers
  for select
  to kith_api
  using (owner_id = kith.user_id());
comment on policy "owners see only their own offers" on kith.transfers is
  'The column with the token''s hash is not granted.';

grant select (tenant_id, id, vault_id, owner_id, name, phone, email, keep_access, status, created_at, expires_at, ended_at, accepted_by)
  on kith.transfers to kith_api, kith_admin;
