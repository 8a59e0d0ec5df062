-- The history of a vault is its owner's, whoever that was when something happened: it cannot be carried in a row that nobody may
-- change. This policy looks into another table, which a distributed database refuses; there the procedures' own checks remain.

create policy "an owner sees the history of the own vaults" on kith.history
  for select
  to kith_api
  using (
    (
      select true from kith.vaults as vault
      where vault.tenant_id = history.tenant_id and vault.id = history.vault_id and vault.owner_id = kith.user_id()
    )
  );
comment on policy "an owner sees the history of the own vaults" on kith.history is
  'Nobody changes it: neither insert, update nor delete is granted to anybody.';
