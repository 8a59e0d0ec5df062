alter table kith.breaks enable row level security;
alter table kith.breaks force row level security;

create policy "the owner may do everything" on kith.breaks
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.breaks is
  'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

create policy "the owner stays within the tenant that is set" on kith.breaks
  as restrictive
  to kith_owner
  using (tenant_id = coalesce(kith.tenant_id(), tenant_id))
  with check (tenant_id = coalesce(kith.tenant_id(), tenant_id));
comment on policy "the owner stays within the tenant that is set" on kith.breaks is
  'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

create policy "a request sees its own tenant only" on kith.breaks
  as restrictive
  to kith_api
  using (tenant_id = kith.tenant_id())
  with check (tenant_id = kith.tenant_id());
comment on policy "a request sees its own tenant only" on kith.breaks is
  'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

create policy "a sender sees the own breaks" on kith.breaks
  for select
  to kith_api
  using (user_id = kith.user_id());
comment on policy "a sender sees the own breaks" on kith.breaks is
  'Receivers see the current one through internal.own_connections. They are written by internal.replace_break only.';

create policy "an operator reads every tenant" on kith.breaks
  for select
  to kith_admin
  using (true);
comment on policy "an operator reads every tenant" on kith.breaks is
  'G01: operators change through the procedures of schema admin only.';

revoke all on kith.breaks from kith_api, kith_worker, kith_admin;
grant select on kith.breaks to kith_api;
grant select on kith.breaks to kith_admin;
