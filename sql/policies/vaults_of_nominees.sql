-- Nominees see the vault and its open session. These policies read another table, which a distributed database refuses. There they are
-- left out, and the tenant policy and the procedures' own checks remain.

create policy "nominees see their vaults" on kith.vaults
  for select
  to kith_api
  using (
    deleted_at is null and (
      select true from kith.nominees as nominee
      where nominee.tenant_id = vaults.tenant_id and nominee.vault_id = vaults.id and nominee.user_id = kith.user_id()
        and nominee.status <> 'revoked'
    )
  );
comment on policy "nominees see their vaults" on kith.vaults is
  'A nominee who awaits the owner''s confirmation, or whose access is paused, also sees the vault''s row, but none of its contents.';

create policy "nominees see the sessions of their vaults" on kith.vault_sessions
  for select
  to kith_api
  using (
    kind = 'shared' and (
      select true from kith.nominees as nominee
      where nominee.tenant_id = vault_sessions.tenant_id and nominee.vault_id = vault_sessions.vault_id
        and nominee.user_id = kith.user_id() and nominee.status = 'accepted'
    )
  );
comment on policy "nominees see the sessions of their vaults" on kith.vault_sessions is
  'The policies of nominees read no other table, so the policies do not refer to each other in a circle.';
