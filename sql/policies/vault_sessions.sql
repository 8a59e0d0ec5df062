create policy "owners see the sessions of their own vaults" on kith.vault_sessions
  for select
  to kith_api
  using (owner_id = kith.user_id());
comment on policy "owners see the sessions of their own vaults" on kith.vault_sessions is
  'Only definer procedures write sessions.';

grant select on kith.vault_sessions to kith_api;
grant select on kith.vault_sessions to kith_admin;
