alter table kith.connections enable row level security;
alter table kith.connections force row level security;

create policy "the owner may do everything" on kith.connections
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.connections is
  'Lets definer procedures and migrations, which run as kith_owner, reach the rows. Without a permissive policy they would change 0 rows and raise no error.';

create policy "the owner stays within the tenant that is set" on kith.connections
  as restrictive
  to kith_owner
  using (tenant_id = coalesce(kith.tenant_id(), tenant_id))
  with check (tenant_id = coalesce(kith.tenant_id(), tenant_id));
comment on policy "the owner stays within the tenant that is set" on kith.connections is
  'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

create policy "a request sees only its own tenant" on kith.connections
  as restrictive
  to kith_api
  using (tenant_id = kith.tenant_id())
  with check (tenant_id = kith.tenant_id());
comment on policy "a request sees only its own tenant" on kith.connections is
  'A01: a request with no tenant set sees no rows. The condition is a plain comparison, so that an index can serve it.';

create policy "both sides see their connection" on kith.connections
  for select
  to kith_api
  using (kith.user_id() in (sender_id, receiver_id));
comment on policy "both sides see their connection" on kith.connections is
  'Includes deleted connections. Only definer procedures write connections, so nobody connects without a code.';

create policy "the worker sees every tenant" on kith.connections
  to kith_worker
  using (true);
comment on policy "the worker sees every tenant" on kith.connections is
  'The worker generates pings for connections.';

create policy "operators read every tenant" on kith.connections
  for select
  to kith_admin
  using (true);
comment on policy "operators read every tenant" on kith.connections is
  'G01: operators change data only through the procedures of schema admin.';

revoke all on kith.connections from kith_api, kith_worker, kith_admin;
grant select on kith.connections to kith_api;
grant select (tenant_id, id, sender_id, receiver_id, status, pings_stopped_at, activated_at) on kith.connections to kith_worker;
grant select on kith.connections to kith_admin;
