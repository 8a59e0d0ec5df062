alter table kith.notifications enable row level security;
alter table kith.notifications force row level security;

create policy "the owner may do everything" on kith.notifications
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.notifications is
  'Lets definer procedures and migrations, which run as kith_owner, reach the rows. Without a permissive policy they would change 0 rows and raise no error.';

create policy "the owner stays within the tenant that is set" on kith.notifications
  as restrictive
  to kith_owner
  using (tenant_id = coalesce(kith.tenant_id(), tenant_id))
  with check (tenant_id = coalesce(kith.tenant_id(), tenant_id));
comment on policy "the owner stays within the tenant that is set" on kith.notifications is
  'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

create policy "a request sees only its own tenant" on kith.notifications
  as restrictive
  to kith_api
  using (tenant_id = kith.tenant_id())
  with check (tenant_id = kith.tenant_id());
comment on policy "a request sees only its own tenant" on kith.notifications is
  'A01: a request with no tenant set sees no rows. The condition is a plain comparison, so that an index can serve it.';

create policy "users see only their own notifications" on kith.notifications
  for select
  to kith_api
  using (user_id = kith.user_id());
comment on policy "users see only their own notifications" on kith.notifications is
  'Only definer procedures write notifications, so nobody can forge an alarm.';

create policy "users mark only their own notifications read" on kith.notifications
  for update
  to kith_api
  using (user_id = kith.user_id())
  with check (user_id = kith.user_id());
comment on policy "users mark only their own notifications read" on kith.notifications is
  'Only the column read_at is granted for update.';

create policy "operators read every tenant" on kith.notifications
  for select
  to kith_admin
  using (true);
comment on policy "operators read every tenant" on kith.notifications is
  'G01: operators change data only through the procedures of schema admin.';

revoke all on kith.notifications from kith_api, kith_worker, kith_admin;
grant select on kith.notifications to kith_api;
grant update (read_at) on kith.notifications to kith_api;
grant select (
  tenant_id, id, user_id, type, title, data, created_at, read_at, delivery_status, sent_at, deliver_at, planned_at, escalates_at, escalated_at, xid
) on kith.notifications to kith_admin;
