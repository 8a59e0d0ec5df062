alter table kith.nominee_invitations enable row level security;
alter table kith.nominee_invitations force row level security;

create policy "the owner may do everything" on kith.nominee_invitations
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.nominee_invitations is
  'Lets definer procedures and migrations, which run as kith_owner, reach the rows. Without a permissive policy they would change 0 rows and raise no error.';

create policy "the owner stays within the tenant that is set" on kith.nominee_invitations
  as restrictive
  to kith_owner
  using (tenant_id = coalesce(kith.tenant_id(), tenant_id))
  with check (tenant_id = coalesce(kith.tenant_id(), tenant_id));
comment on policy "the owner stays within the tenant that is set" on kith.nominee_invitations is
  'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

create policy "a request sees only its own tenant" on kith.nominee_invitations
  as restrictive
  to kith_api
  using (tenant_id = kith.tenant_id())
  with check (tenant_id = kith.tenant_id());
comment on policy "a request sees only its own tenant" on kith.nominee_invitations is
  'A01: a request with no tenant set sees no rows. The condition is a plain comparison, so that an index can serve it.';

create policy "owners see only the invitations to their own vaults" on kith.nominee_invitations
  for select
  to kith_api
  using (owner_id = kith.user_id());
comment on policy "owners see only the invitations to their own vaults" on kith.nominee_invitations is
  'The column with the token''s hash is not granted.';

create policy "operators read every tenant" on kith.nominee_invitations
  for select
  to kith_admin
  using (true);
comment on policy "operators read every tenant" on kith.nominee_invitations is
  'G01: operators change data only through the procedures of schema admin.';

revoke all on kith.nominee_invitations from kith_api, kith_worker, kith_admin;
grant select (tenant_id, id, vault_id, nominee_id, owner_id, channel, created_at, expires_at, ended_at, end_reason, outcome, outcome_at)
  on kith.nominee_invitations to kith_api, kith_admin;
