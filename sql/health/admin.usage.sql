-- Who uses the installation, and how much.

create or replace function api.record_usage(p_usage jsonb, p_now timestamptz) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_hour timestamptz := date_trunc('hour', internal.present(p_now), 'UTC');
  v_recorded integer;
begin
  insert into kith.usage_hours as usage (tenant_id, hour, caller, requests, refused, faults, slow)
  select given.tenant, v_hour, given.caller, given.requests, given.refused, given.faults, given.slow
  from jsonb_to_recordset(p_usage) as given (
    tenant integer, caller text, requests bigint, refused bigint, faults bigint, slow bigint
  )
  -- A purged tenant's last requests are counted nowhere.
  join kith.tenants as tenant on tenant.tenant_id = given.tenant
  -- Nor are those of a tenant that is served elsewhere. Where it arrives, the count would be in the way of its own
  -- rows, and stop the move.
  where not exists (
    select from kith.moving_tenants as moved
    where moved.tenant_id = given.tenant and moved.state in ('gone', 'arriving')
  )
  -- In a fixed order, because two servers may update the same rows.
  order by given.tenant, given.caller
  on conflict (tenant_id, hour, caller) do update
  set requests = usage.requests + excluded.requests, refused = usage.refused + excluded.refused,
    faults = usage.faults + excluded.faults, slow = usage.slow + excluded.slow;
  get diagnostics v_recorded = row_count;
  return v_recorded;
end
$$;
comment on function api.record_usage(jsonb, timestamptz) is
  'Adds what a server has answered to the hour of p_now: [{tenant, caller, requests, refused, faults, slow}], each '
  'tenant and caller once. Servers call it once a minute and when they stop. Returns how many rows it wrote. Security '
  'definer, because it belongs to no tenant.';
grant execute on function api.record_usage(jsonb, timestamptz) to kith_api;

create or replace function internal.caller_name(p_tenant integer, p_caller text) returns text
  language plpgsql
  stable
as $$
begin
  return case
    when p_caller like 'key:%' then coalesce(
      (
        select format('key %s', key.name) from kith.api_keys as key
        where key.tenant_id = p_tenant and key.id::text = substr(p_caller, 5)
      ),
      'a key that is gone: ' || substr(p_caller, 5)
    )
    else p_caller
  end;
end
$$;
comment on function internal.caller_name(integer, text)
  is 'A caller of kith.usage_hours as operators read it: users, strangers, or a key''s name.';
grant execute on function internal.caller_name(integer, text) to kith_reader;

drop view if exists admin.usage;
create view admin.usage with (security_barrier, security_invoker) as
select tenant.slug as tenant, usage.hour, internal.caller_name(usage.tenant_id, usage.caller) as caller, usage.requests,
  usage.refused, usage.faults, usage.slow
from kith.usage_hours as usage
join kith.tenants as tenant on tenant.tenant_id = usage.tenant_id;
comment on view admin.usage is
  'The requests of each tenant by hour, and by key or users: select hour, sum(requests) from admin.usage where tenant '
  '= ''acme'' and hour > now() - interval ''2 days'' group by 1 order by 1. The last minute is missing. admin.busiest '
  'has the busiest callers.';
comment on column admin.usage.tenant is 'The tenant''s slug.';
comment on column admin.usage.hour is 'The beginning of the hour.';
comment on column admin.usage.caller is
  'The name of the secret key; users for all users together; strangers for those who are not signed in yet.';
comment on column admin.usage.requests is 'The answered requests.';
comment on column admin.usage.refused is 'Those answered with a status from 400 to 499.';
comment on column admin.usage.faults is 'Those answered with a status of 500 or higher.';
comment on column admin.usage.slow is 'Those that took a second or longer.';
grant select on admin.usage to kith_reader;

create or replace function admin.busiest(p_since timestamptz default now() - interval '1 hour')
  returns table (
    tenant text, caller text, requests bigint, refused bigint, faults bigint, slow bigint, times_before numeric,
    next text, remedy text
  )
  language plpgsql
  stable
as $$
#variable_conflict use_column
begin
  return query
  with recent as (
    select usage.tenant_id, usage.caller, sum(usage.requests)::bigint as requests,
      sum(usage.refused)::bigint as refused,
      sum(usage.faults)::bigint as faults, sum(usage.slow)::bigint as slow, count(distinct usage.hour) as hours
    from kith.usage_hours as usage
    where usage.hour >= date_trunc('hour', p_since, 'UTC')
    group by usage.tenant_id, usage.caller
    order by 3 desc
    limit 20
  )
  select tenant.slug, coalesce('key ' || key.name, recent.caller), recent.requests, recent.refused, recent.faults,
    recent.slow, round(recent.requests * before.hours::numeric / nullif(before.requests * recent.hours, 0), 1), format(
      'select * from admin.usage where tenant = %L%s order by hour desc limit 50', tenant.slug,
      case when key.id is not null then format(' and caller = %L', 'key ' || key.name) end
    ),
    case
      when key.id is not null and key.revoked_at is null
        then format('if it is in the wrong hands: select admin.end_api_key(%L, %L, ''why'')', tenant.slug, key.id)
    end
  from recent
  join kith.tenants as tenant on tenant.tenant_id = recent.tenant_id
  left join kith.api_keys as key on key.tenant_id = recent.tenant_id and key.id::text = substr(recent.caller, 5)
  cross join lateral (
    select sum(usage.requests) as requests, count(*) as hours
    from kith.usage_hours as usage
    where usage.tenant_id = recent.tenant_id and usage.caller = recent.caller
      and usage.hour < date_trunc('hour', p_since, 'UTC')
      and usage.hour >= date_trunc('hour', p_since, 'UTC') - interval '7 days'
  ) as before
  order by recent.requests desc, tenant.slug, recent.caller;
end
$$;
comment on function admin.busiest(timestamptz) is
  'The 20 callers with the most requests since the hour of an instant: select * from admin.busiest(now() - interval '
  '''3 hours''). times_before is how many times as many that is, by hour, as in the 7 days before; null if there was '
  'nothing. next shows its hours; remedy ends a key, even the tenant''s last one; null for other callers.';
grant execute on function admin.busiest(timestamptz) to kith_reader;

drop view if exists admin.tenant_sizes;
create view admin.tenant_sizes with (security_barrier, security_invoker) as
select tenant.slug as tenant, newest.bytes, newest.sampled_on, newest.bytes - week.bytes as grown_in_7_days, usage.users
from kith.tenants as tenant
left join lateral (
  select size.bytes, size.sampled_on from kith.tenant_sizes as size where size.tenant_id = tenant.tenant_id
  order by size.sampled_on desc limit 1
) as newest on true
left join kith.tenant_sizes as week on week.tenant_id = tenant.tenant_id and week.sampled_on = newest.sampled_on - 7
left join kith.tenant_usage as usage on usage.tenant_id = tenant.tenant_id;
comment on view admin.tenant_sizes is
  'How much of the disk each tenant takes, by the sample of last night, and who grows: select * from '
  'admin.tenant_sizes order by grown_in_7_days desc nulls last limit 10. The worker samples once a day, so a tenant '
  'that was made since has no size yet.';
comment on column admin.tenant_sizes.tenant is 'The tenant''s slug.';
comment on column admin.tenant_sizes.bytes is
  'The size of its rows with their share of the indexes: an estimate from a sample. Null before the first one.';
comment on column admin.tenant_sizes.sampled_on is 'The date of the sample, UTC; null before the first one.';
comment on column admin.tenant_sizes.grown_in_7_days
  is 'How much it grew in the 7 days before; null if there is no sample of that day.';
comment on column admin.tenant_sizes.users is 'The number of accounts that have not ended.';
grant select on admin.tenant_sizes to kith_reader;
