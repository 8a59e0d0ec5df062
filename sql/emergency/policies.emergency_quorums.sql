create policy "owners see the quorums of their vaults" on kith.emergency_quorums
  for select
  to kith_api
  using (
    (
      select true from kith.vaults as vault
      where vault.tenant_id = emergency_quorums.tenant_id and vault.id = emergency_quorums.vault_id
        and vault.owner_id = kith.user_id()
    )
  );
comment on policy "owners see the quorums of their vaults" on kith.emergency_quorums
  is 'Only definer procedures write quorums.';

grant select on kith.emergency_quorums to kith_api, kith_reader;
