alter table kith.notifications enable row level security;
alter table kith.notifications force row level security;

create policy "the owner may do everything" on kith.notifications
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.notifications is
  'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

create policy "the owner stays within the tenant that is set" on kith.notifications
  as restrictive
  to kith_owner
  using (tenant_id = coalesce(kith.tenant_id(), tenant_id))
  with check (tenant_id = coalesce(kith.tenant_id(), tenant_id));
comment on policy "the owner stays within the tenant that is set" on kith.notifications is
  'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

create policy "a request sees its own tenant only" on kith.notifications
  as restrictive
  to kith_api
  using (tenant_id = kith.tenant_id())
  with check (tenant_id = kith.tenant_id());
comment on policy "a request sees its own tenant only" on kith.notifications is
  'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

create policy "a user sees the own notifications" on kith.notifications
  for select
  to kith_api
  using (user_id = kith.user_id());
comment on policy "a user sees the own notifications" on kith.notifications is
  'They are written by definer procedures only: nobody can forge an alarm.';

create policy "a user marks the own notifications read" on kith.notifications
  for update
  to kith_api
  using (user_id = kith.user_id())
  with check (user_id = kith.user_id());
comment on policy "a user marks the own notifications read" on kith.notifications is
  'Only read_at is granted.';

create policy "an operator reads every tenant" on kith.notifications
  for select
  to kith_admin
  using (true);
comment on policy "an operator reads every tenant" on kith.notifications is
  'G01: operators change through the procedures of schema admin only.';

revoke all on kith.notifications from kith_api, kith_worker, kith_admin;
grant select on kith.notifications to kith_api;
grant update (read_at) on kith.notifications to kith_api;
grant select (
  tenant_id, id, user_id, type, title, data, created_at, read_at, delivery_status, sent_at, deliver_at, planned_at, escalates_at, escalated_at, xid
) on kith.notifications to kith_admin;
