alter table kith.check_ins enable row level security;
alter table kith.check_ins force row level security;

create policy "the owner may do everything" on kith.check_ins
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.check_ins is
  'Lets definer procedures and migrations, which run as kith_owner, reach the rows. Without a permissive policy they would change 0 rows and raise no error.';

create policy "the owner stays within the tenant that is set" on kith.check_ins
  as restrictive
  to kith_owner
  using (tenant_id = coalesce(kith.tenant_id(), tenant_id))
  with check (tenant_id = coalesce(kith.tenant_id(), tenant_id));
comment on policy "the owner stays within the tenant that is set" on kith.check_ins is
  'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

create policy "a request sees only its own tenant" on kith.check_ins
  as restrictive
  to kith_api
  using (tenant_id = kith.tenant_id())
  with check (tenant_id = kith.tenant_id());
comment on policy "a request sees only its own tenant" on kith.check_ins is
  'A01: a request with no tenant set sees no rows. The condition is a plain comparison, so that an index can serve it.';

create policy "senders see only their own check-ins" on kith.check_ins
  for select
  to kith_api
  using (user_id = kith.user_id());
comment on policy "senders see only their own check-ins" on kith.check_ins is
  'A note belongs to the sender. Receivers see the time of the last check-in through internal.own_connections. Only api.check_in writes check-ins.';

create policy "operators read every tenant" on kith.check_ins
  for select
  to kith_admin
  using (true);
comment on policy "operators read every tenant" on kith.check_ins is
  'G01: operators change data only through the procedures of schema admin.';

revoke all on kith.check_ins from kith_api, kith_worker, kith_admin;
grant select on kith.check_ins to kith_api;
grant select (tenant_id, id, user_id, received_at, created_at) on kith.check_ins to kith_admin;
