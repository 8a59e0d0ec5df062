create policy "owners see only their own offers" on kith.transfers
  for select
  to kith_api
  using (owner_id = kith.user_id());
comment on policy "owners see only their own offers" on kith.transfers is
  'The owner is the one at the time of the offer, who keeps seeing it after the vault is transferred. The recipient '
  'sees an offer only by its token, or by a verified contact that it names.';

grant select (
  tenant_id, id, vault_id, owner_id, name, phone, email, nominee_id, keep_access, status, created_at, expires_at,
  ended_at, accepted_by
)
  on kith.transfers to kith_api, kith_reader;
