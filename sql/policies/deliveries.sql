alter table kith.deliveries enable row level security;
alter table kith.deliveries force row level security;

create policy "the owner may do everything" on kith.deliveries
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.deliveries is
  'Lets definer procedures and migrations, which run as kith_owner, reach the rows. Without a permissive policy they would change 0 rows and raise no error.';

create policy "the owner stays within the tenant that is set" on kith.deliveries
  as restrictive
  to kith_owner
  using (tenant_id = coalesce(kith.tenant_id(), tenant_id))
  with check (tenant_id = coalesce(kith.tenant_id(), tenant_id));
comment on policy "the owner stays within the tenant that is set" on kith.deliveries is
  'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

create policy "a request sees only its own tenant" on kith.deliveries
  as restrictive
  to kith_api
  using (tenant_id = kith.tenant_id())
  with check (tenant_id = kith.tenant_id());
comment on policy "a request sees only its own tenant" on kith.deliveries is
  'A01: a request with no tenant set sees no rows. The condition is a plain comparison, so that an index can serve it.';

create policy "operators read every tenant" on kith.deliveries
  for select
  to kith_admin
  using (true);
comment on policy "operators read every tenant" on kith.deliveries is
  'G01: operators change data only through the procedures of schema admin.';

revoke all on kith.deliveries from kith_api, kith_worker, kith_admin;
grant select (
  tenant_id, id, channel, purpose, address, subject, notification_id, is_urgent, status, attempts, next_attempt_at, leased_until,
  leased_by, expires_at, sent_at, provider_id, error, created_at
) on kith.deliveries to kith_admin;
