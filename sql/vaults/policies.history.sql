-- A vault's history belongs to its current owner, including acts from before a transfer. The history rows therefore
-- cannot carry the owner: nobody may change them. This policy reads another table, which a distributed database
-- refuses; there, the procedures' own checks remain.
create policy "owners see only the history of their own vaults" on kith.history
  for select
  to kith_api
  using (
    (
      select true from kith.vaults as vault
      where vault.tenant_id = history.tenant_id and vault.id = history.vault_id and vault.owner_id = kith.user_id()
    )
  );
comment on policy "owners see only the history of their own vaults" on kith.history is
  'No role is granted insert, update or delete.';

grant select on kith.history to kith_api;
grant select on kith.history to kith_reader;
