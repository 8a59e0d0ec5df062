create or replace function api.emergency_metrics(p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  -- Once, and not for each request: it reads all tenants.
  v_deleted integer[] := internal.deleted_tenants();
begin
  return json_build_object(
    'waiting', (
      select count(*) from kith.emergency_requests
      where ended_at is null and counted_to is not null and grants_at > p_now
    ),
    'granted', (
      select count(*) from kith.emergency_requests
      where ended_at is null and counted_to is not null and grants_at <= p_now and ends_at > p_now
    ),
    'held', (
      select count(*) from kith.emergency_requests as request
      where request.ended_at is null and internal.is_held(request, p_now)
    ),
    'undelivered', (
      select count(*) from kith.emergency_requests
      where ended_at is null and undelivered_since is not null and tenant_id <> all (v_deleted)
    ),
    -- Sessions that can be open now. Whatever opened earlier has been reported.
    'early', (
      select count(*)
      from kith.vault_sessions as session
      join kith.emergency_requests as request
        on request.tenant_id = session.tenant_id and request.id = session.request_id
      where session.locked_at is null and session.expires_at > p_now and session.kind = 'emergency'
        and (
          session.opened_at < request.grants_at
          or session.expires_at > (internal.emergency_instants(request, session.opened_at)).ends_at
        )
    ),
    'oldest_notice_seconds', (
      select coalesce(floor(date_part('epoch', p_now - min(request.notice_at)))::integer, 0)
      from kith.emergency_requests as request
      where request.ended_at is null and request.notice_at <= p_now and request.tenant_id <> all (v_deleted)
    ),
    'oldest_recount_seconds', (
      select coalesce(floor(date_part('epoch', p_now - min(life.recount_at)))::integer, 0)
      from kith.signs_of_life as life
      where life.recount_at <= p_now and life.tenant_id <> all (v_deleted)
    )
  );
end
$$;
comment on function api.emergency_metrics(timestamptz) is
  'Returns how many requests for emergency access wait, are granted, are held by an operator, or stand still because '
  'no notice reaches the owner; how many sessions are open before their grant or past its end (early, which must be '
  '0); and the ages in seconds of the oldest notice and of the oldest count of missed days that the worker has not '
  'done, those of deleted tenants apart, for whom it does nothing. It concerns the installation, not a tenant. '
  'Security definer, because it counts over all tenants and reveals none.';
grant execute on function api.emergency_metrics(timestamptz) to kith_api;
