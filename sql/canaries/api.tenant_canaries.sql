create or replace function api.tenant_canaries(p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_server();
  return (
    select json_build_object('channels', coalesce(json_agg(
      json_build_object(
        'channel', canary.channel,
        'state', case
          when p_now > canary.due_by or canary.outcome = 'died'
            then case when canary.arrived_at is null then 'never' else 'late' end
          when canary.arrived_at is null then 'new' else 'alive'
        end,
        'arrived_at', internal.instant(canary.arrived_at)
      ) order by canary.channel
    ), '[]'))
    from internal.canary_states(p_now) as canary
    where canary.tenant_id = v_tenant
  );
end
$$;
comment on function api.tenant_canaries(timestamptz) is
  'Returns how the tenant''s canaries are, for the page of its desk: {channel, state: new, alive, late or never, '
  'arrived_at} of each channel. No contact is in it. Security definer, because kith_api may not read canaries.';
grant execute on function api.tenant_canaries(timestamptz) to kith_api;
