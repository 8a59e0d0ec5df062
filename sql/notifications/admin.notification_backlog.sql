drop view if exists admin.notification_backlog;
create view admin.notification_backlog with (security_barrier, security_invoker) as
select tenant.slug as tenant, notification.type, count(*) as unplanned, min(notification.created_at) as oldest_at,
  now() - min(notification.created_at) as oldest_age
from kith.notifications as notification
join kith.tenants as tenant on tenant.tenant_id = notification.tenant_id
where notification.planned_at is null
group by tenant.slug, notification.type;
comment on view admin.notification_backlog is
  'Notifications whose delivery the worker has not planned yet, by tenant and type. Planned ones are in admin.delivery_backlog.';
comment on column admin.notification_backlog.tenant is 'The tenant''s slug.';
comment on column admin.notification_backlog.type is 'The type of the notifications.';
comment on column admin.notification_backlog.unplanned is 'The number of notifications.';
comment on column admin.notification_backlog.oldest_at is 'When the oldest was created.';
comment on column admin.notification_backlog.oldest_age is 'The age of the oldest.';
grant select on admin.notification_backlog to kith_reader;
