create policy "owners see the sessions of their own vaults" on kith.vault_sessions
  for select
  to kith_api
  using (owner_id = kith.user_id());
comment on policy "owners see the sessions of their own vaults" on kith.vault_sessions is
  'Only definer procedures write sessions.';

-- This policy reads another table, which a distributed database refuses. There it is left out, and the tenant policy
-- and the procedures' own checks remain.
create policy "nominees see the sessions of their vaults" on kith.vault_sessions
  for select
  to kith_api
  using (
    (
      select true from kith.nominees as nominee
      where nominee.tenant_id = vault_sessions.tenant_id and nominee.vault_id = vault_sessions.vault_id
        and nominee.user_id = kith.user_id() and nominee.status = 'accepted'
        and (vault_sessions.kind = 'shared' or vault_sessions.nominee_id = nominee.id)
    )
  );
comment on policy "nominees see the sessions of their vaults" on kith.vault_sessions is
  'Of the emergency sessions, each nominee sees only their own. The policies of nominees read no other table, so the '
  'policies do not refer to each other in a circle.';

grant select on kith.vault_sessions to kith_api;
grant select on kith.vault_sessions to kith_reader;
