create policy "owners see their own vaults" on kith.vaults
  for select
  to kith_api
  using (owner_id = kith.user_id());
comment on policy "owners see their own vaults" on kith.vaults is
  'Includes deleted vaults, which can be restored.';

-- This policy reads another table, which a distributed database refuses. There it is left out, and the tenant policy
-- and the procedures' own checks remain.
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
  'A nominee who awaits the owner''s confirmation, or whose access is paused, also sees the vault''s row, but none of '
  'its contents.';

grant select on kith.vaults to kith_api;
grant select on kith.vaults to kith_reader;
