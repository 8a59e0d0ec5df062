alter table kith.vault_sessions enable row level security;
alter table kith.vault_sessions force row level security;

create policy "the owner may do everything" on kith.vault_sessions
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.vault_sessions is
  'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

create policy "the owner stays within the tenant that is set" on kith.vault_sessions
  as restrictive
  to kith_owner
  using (tenant_id = coalesce(kith.tenant_id(), tenant_id))
  with check (tenant_id = coalesce(kith.tenant_id(), tenant_id));
comment on policy "the owner stays within the tenant that is set" on kith.vault_sessions is
  'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

create policy "a request sees its own tenant only" on kith.vault_sessions
  as restrictive
  to kith_api
  using (tenant_id = kith.tenant_id())
  with check (tenant_id = kith.tenant_id());
comment on policy "a request sees its own tenant only" on kith.vault_sessions is
  'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

create policy "an owner sees the sessions of the own vaults" on kith.vault_sessions
  for select
  to kith_api
  using (owner_id = kith.user_id());
comment on policy "an owner sees the sessions of the own vaults" on kith.vault_sessions is
  'They are written by definer procedures only.';

create policy "an operator reads every tenant" on kith.vault_sessions
  for select
  to kith_admin
  using (true);
comment on policy "an operator reads every tenant" on kith.vault_sessions is
  'G01: operators change through the procedures of schema admin only.';

revoke all on kith.vault_sessions from kith_api, kith_worker, kith_admin;
grant select on kith.vault_sessions to kith_api;
grant select on kith.vault_sessions to kith_admin;
