-- A nominee sees the vault, and when it is open. These policies look into another table, which a distributed database refuses; there
-- they are left out, and the tenant policy and the procedures' own checks remain.

create policy "a nominee sees the vault" on kith.vaults
  for select
  to kith_api
  using (
    deleted_at is null and (
      select true from kith.nominees as nominee
      where nominee.tenant_id = vaults.tenant_id and nominee.vault_id = vaults.id and nominee.user_id = kith.user_id()
        and nominee.status <> 'revoked'
    )
  );
comment on policy "a nominee sees the vault" on kith.vaults is
  'Whoever waits for the owner''s word, or whose access is paused, sees its name too, and nothing that is in it.';

create policy "a nominee sees when the vault is open" on kith.vault_sessions
  for select
  to kith_api
  using (
    kind = 'shared' and (
      select true from kith.nominees as nominee
      where nominee.tenant_id = vault_sessions.tenant_id and nominee.vault_id = vault_sessions.vault_id
        and nominee.user_id = kith.user_id() and nominee.status = 'accepted'
    )
  );
comment on policy "a nominee sees when the vault is open" on kith.vault_sessions is
  'Policies of nominees look into no other table, so nothing goes round.';
