create or replace function api.canary_metrics(p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select json_build_object('channels', coalesce(json_agg(
      json_build_object(
        'tenant', tenant.slug, 'channel', canary.channel, 'every_seconds', canary.every_hours * 3600,
        'overdue_seconds', greatest(0, floor(date_part('epoch', p_now - canary.due_by)))::bigint,
        'arrived_at', date_part('epoch', canary.arrived_at)::bigint,
        'legs', coalesce(internal.canary_legs(canary.tenant_id, canary.channel), '{}')
      ) order by tenant.slug, canary.channel
    ), '[]'))
    from internal.canary_states(p_now) as canary
    join kith.tenants as tenant on tenant.tenant_id = canary.tenant_id
  );
end
$$;
comment on function api.canary_metrics(timestamptz) is
  'Returns, for each channel that a canary watches: {tenant, channel, every_seconds, overdue_seconds, arrived_at in '
  'seconds since 1970, legs in seconds}, at most five for each of internal.most_canaries tenants. overdue_seconds is 0 '
  'while the newest run that must have arrived has. Security definer, because it belongs to no tenant; the slugs are '
  'in the metrics, which are the operator''s.';
grant execute on function api.canary_metrics(timestamptz) to kith_api;
