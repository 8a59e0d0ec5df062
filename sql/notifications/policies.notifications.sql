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

grant select on kith.notifications to kith_api;
grant update (read_at) on kith.notifications to kith_api;
grant select (
  tenant_id, id, user_id, type, data, created_at, read_at, delivery_status, sent_at, deliver_at, planned_at,
  escalates_at, escalated_at, xid
) on kith.notifications to kith_reader;
