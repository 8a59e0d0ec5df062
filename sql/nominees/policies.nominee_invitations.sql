create policy "owners see only the invitations to their own vaults" on kith.nominee_invitations
  for select
  to kith_api
  using (owner_id = kith.user_id());
comment on policy "owners see only the invitations to their own vaults" on kith.nominee_invitations is
  'The column with the token''s hash is not granted.';

grant select (
  tenant_id, id, vault_id, nominee_id, owner_id, channel, created_at, expires_at, ended_at, end_reason, outcome,
  outcome_at
)
  on kith.nominee_invitations to kith_api, kith_reader;
