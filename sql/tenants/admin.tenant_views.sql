drop view if exists admin.tenants;
create view admin.tenants with (security_barrier) as
select
  tenant.tenant_id,
  tenant.slug,
  tenant.name,
  case when tenant.deleted_at is null then tenant.status else 'deleted' end as status,
  (select usage.users from kith.tenant_usage as usage where usage.tenant_id = tenant.tenant_id) as users,
  tenant.user_quota,
  (
    select count(*) from kith.connections as connection
    where connection.tenant_id = tenant.tenant_id and connection.status in ('active', 'pending')
  ) as live_connections,
  (
    select coalesce(sum(run.created), 0) from kith.ping_runs as run
    where run.tenant_id = tenant.tenant_id and run.starts_at > now() - interval '1 day'
  ) as pings_generated_today,
  (select max(key.last_used_at) from kith.api_keys as key where key.tenant_id = tenant.tenant_id) as key_last_used_at,
  tenant.created_at
from kith.tenants as tenant;
comment on view admin.tenants is
  'Every tenant with its size. Only the columns that are selected are computed: live_connections costs an index scan, the others almost nothing.';
comment on column admin.tenants.tenant_id is 'The number that every row of the tenant carries.';
comment on column admin.tenants.slug is 'The slug, which the operators'' procedures take as p_tenant.';
comment on column admin.tenants.name is 'The tenant''s name.';
comment on column admin.tenants.status is 'active, suspended or deleted.';
comment on column admin.tenants.users is 'The number of accounts that have not ended.';
comment on column admin.tenants.user_quota is 'The highest number of accounts allowed.';
comment on column admin.tenants.live_connections is 'The number of active and pending connections.';
comment on column admin.tenants.pings_generated_today is 'The number of pings made by runs that began in the last 24 hours.';
comment on column admin.tenants.key_last_used_at is 'When the tenant''s server last called; null if never.';
comment on column admin.tenants.created_at is 'When the tenant was created.';
grant select on admin.tenants to kith_admin;
