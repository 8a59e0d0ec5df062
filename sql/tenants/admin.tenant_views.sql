drop view if exists admin.tenants;
create view admin.tenants with (security_barrier, security_invoker) as
select
  tenant.tenant_id,
  tenant.slug,
  tenant.name,
  case when tenant.deleted_at is null then tenant.status else 'deleted' end as status,
  (select usage.users from kith.tenant_usage as usage where usage.tenant_id = tenant.tenant_id) as users,
  tenant.user_quota,
  coalesce(
    (
      select size.connections from kith.tenant_sizes as size where size.tenant_id = tenant.tenant_id
      order by size.sampled_on desc limit 1
    ),
    (
      select count(*) from kith.connections as connection
      where connection.tenant_id = tenant.tenant_id and connection.status in ('active', 'pending')
        and not exists (select from internal.hidden_person(connection.tenant_id, connection.sender_id))
    )
  ) as live_connections,
  (
    -- Not in the condition: the index of instants would bring the runs of all tenants for each of them.
    select coalesce(
      sum(
        greatest(0, run.created - internal.hidden_pings(run.tenant_id, run.time_zone, run.ping_on, run.finished_at))
      ) filter (where run.starts_at > now() - interval '1 day'),
      0
    )
    from kith.ping_runs as run
    where run.tenant_id = tenant.tenant_id
  ) as pings_generated_today,
  (select max(key.last_used_at) from kith.api_keys as key where key.tenant_id = tenant.tenant_id) as key_last_used_at,
  tenant.created_at,
  tenant.suspended_at,
  case when tenant.suspended_at is not null then (
    select act.detail ->> 'reason' from kith.audit as act
    where act.tenant_id = tenant.tenant_id and act.subject = tenant.slug
      and act.action = case when tenant.deleted_at is null then 'tenant.suspend' else 'tenant.delete' end
    order by act.id desc limit 1
  ) end as suspended_for
from kith.tenants as tenant;
comment on view admin.tenants is
  'Every tenant with its size. live_connections is sampled: the worker counts them once a day.';
comment on column admin.tenants.tenant_id is 'The number that every row of the tenant carries.';
comment on column admin.tenants.slug is 'The slug, which the operators'' procedures take as p_tenant.';
comment on column admin.tenants.name is 'The tenant''s name.';
comment on column admin.tenants.status is 'active, suspended or deleted.';
comment on column admin.tenants.users is 'The number of accounts that have not ended.';
comment on column admin.tenants.user_quota is 'The highest number of accounts allowed.';
comment on column admin.tenants.live_connections is
  'The number of active and pending connections in the last daily sample (admin.tenant_sizes); of a tenant without a '
  'sample, now.';
comment on column admin.tenants.pings_generated_today
  is 'The number of pings made by runs that began in the last 24 hours.';
comment on column admin.tenants.key_last_used_at is 'When the tenant''s server last called; null if never.';
comment on column admin.tenants.created_at is 'When the tenant was created.';
comment on column admin.tenants.suspended_at is 'Since when it is suspended or deleted; null if it is active.';
comment on column admin.tenants.suspended_for is 'The reason that the operator gave, as long as the audit is kept.';
grant select on admin.tenants to kith_reader;

drop view if exists admin.api_keys;
create view admin.api_keys with (security_barrier, security_invoker) as
select
  tenant.slug as tenant,
  key.id,
  key.name,
  key.scopes,
  case
    when key.revoked_at is not null then 'ended'
    when key.expires_at <= now() then 'expired'
    else 'live'
  end as state,
  key.expires_at,
  key.last_used_at,
  key.created_at,
  key.revoked_at as ended_at
from kith.api_keys as key
join kith.tenants as tenant on tenant.tenant_id = key.tenant_id;
comment on view admin.api_keys is
  'The keys of tenants'' servers, without their secrets. Of the ended ones, the last 50 of each tenant are kept.';
comment on column admin.api_keys.tenant is 'The tenant''s slug.';
comment on column admin.api_keys.id is 'The key''s id, which admin.end_api_key takes.';
comment on column admin.api_keys.name is 'The name that the tenant gave the key.';
comment on column admin.api_keys.scopes is 'What the key may do; all stands for everything.';
comment on column admin.api_keys.state is 'live, expired or ended.';
comment on column admin.api_keys.expires_at is 'When the key stops working; null if it has no end.';
comment on column admin.api_keys.last_used_at is 'When the key was last used, to the minute; null if never.';
comment on column admin.api_keys.created_at is 'When the key was made.';
comment on column admin.api_keys.ended_at is 'When the key was ended; null if it was not.';
grant select on admin.api_keys to kith_reader;
