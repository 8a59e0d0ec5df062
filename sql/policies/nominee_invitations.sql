alter table kith.nominee_invitations enable row level security;
alter table kith.nominee_invitations force row level security;

create policy "the owner may do everything" on kith.nominee_invitations
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.nominee_invitations is
  'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

create policy "the owner stays within the tenant that is set" on kith.nominee_invitations
  as restrictive
  to kith_owner
  using (tenant_id = coalesce(kith.tenant_id(), tenant_id))
  with check (tenant_id = coalesce(kith.tenant_id(), tenant_id));
comment on policy "the owner stays within the tenant that is set" on kith.nominee_invitations is
  'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

create policy "a request sees its own tenant only" on kith.nominee_invitations
  as restrictive
  to kith_api
  using (tenant_id = kith.tenant_id())
  with check (tenant_id = kith.tenant_id());
comment on policy "a request sees its own tenant only" on kith.nominee_invitations is
  'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

create policy "an owner sees the invitations to the own vaults" on kith.nominee_invitations
  for select
  to kith_api
  using (owner_id = kith.user_id());
comment on policy "an owner sees the invitations to the own vaults" on kith.nominee_invitations is
  'But for the hash of the token, which is not granted.';

create policy "an operator reads every tenant" on kith.nominee_invitations
  for select
  to kith_admin
  using (true);
comment on policy "an operator reads every tenant" on kith.nominee_invitations is
  'G01: operators change through the procedures of schema admin only.';

revoke all on kith.nominee_invitations from kith_api, kith_worker, kith_admin;
grant select (tenant_id, id, vault_id, nominee_id, owner_id, channel, created_at, expires_at, ended_at, end_reason, outcome, outcome_at)
  on kith.nominee_invitations to kith_api, kith_admin;
