alter table kith.api_keys enable row level security;
alter table kith.api_keys force row level security;

create policy "the owner may do everything" on kith.api_keys
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.api_keys is
  'Lets definer procedures and migrations, which run as kith_owner, reach the rows. Without a permissive policy they would change 0 rows and raise no error.';

create policy "the owner stays within the tenant that is set" on kith.api_keys
  as restrictive
  to kith_owner
  using (tenant_id = coalesce(kith.tenant_id(), tenant_id))
  with check (tenant_id = coalesce(kith.tenant_id(), tenant_id));
comment on policy "the owner stays within the tenant that is set" on kith.api_keys is
  'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

create policy "a request sees only its own tenant" on kith.api_keys
  as restrictive
  to kith_api
  using (tenant_id = kith.tenant_id())
  with check (tenant_id = kith.tenant_id());
comment on policy "a request sees only its own tenant" on kith.api_keys is
  'A01: a request with no tenant set sees no rows. The condition is a plain comparison, so that an index can serve it.';

create policy "operators read every tenant" on kith.api_keys
  for select
  to kith_admin
  using (true);
comment on policy "operators read every tenant" on kith.api_keys is
  'G01: operators change data only through the procedures of schema admin.';

revoke all on kith.api_keys from kith_api, kith_worker, kith_admin;
grant select (tenant_id, id, name, scopes, expires_at, last_used_at, revoked_at, created_at) on kith.api_keys to kith_admin;
