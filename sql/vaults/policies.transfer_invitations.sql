create policy "owners see only the invitations to their own offers" on kith.transfer_invitations
  for select
  to kith_api
  using (owner_id = kith.user_id());
comment on policy "owners see only the invitations to their own offers" on kith.transfer_invitations is
  'The column with the token''s hash is not granted.';

grant select (tenant_id, id, transfer_id, owner_id, channel, created_at, replaced_at, outcome, outcome_at)
  on kith.transfer_invitations to kith_api, kith_reader;
