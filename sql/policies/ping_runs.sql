alter table kith.ping_runs enable row level security;
alter table kith.ping_runs force row level security;

create policy "the owner may do everything" on kith.ping_runs
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.ping_runs is
  'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

create policy "the owner stays within the tenant that is set" on kith.ping_runs
  as restrictive
  to kith_owner
  using (tenant_id = coalesce(kith.tenant_id(), tenant_id))
  with check (tenant_id = coalesce(kith.tenant_id(), tenant_id));
comment on policy "the owner stays within the tenant that is set" on kith.ping_runs is
  'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

create policy "a request sees its own tenant only" on kith.ping_runs
  as restrictive
  to kith_api
  using (tenant_id = kith.tenant_id())
  with check (tenant_id = kith.tenant_id());
comment on policy "a request sees its own tenant only" on kith.ping_runs is
  'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

create policy "the worker sees every tenant" on kith.ping_runs
  to kith_worker
  using (true);
comment on policy "the worker sees every tenant" on kith.ping_runs is
  'It claims runs and moves their cursors.';

create policy "an operator reads every tenant" on kith.ping_runs
  for select
  to kith_admin
  using (true);
comment on policy "an operator reads every tenant" on kith.ping_runs is
  'G01: operators change through the procedures of schema admin only.';

revoke all on kith.ping_runs from kith_api, kith_worker, kith_admin;
grant select, insert, update on kith.ping_runs to kith_worker;
grant select on kith.ping_runs to kith_admin;
