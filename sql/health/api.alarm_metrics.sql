create or replace function api.alarm_metrics(p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  -- Once, and not for each alarm: it reads all tenants.
  v_deleted integer[] := internal.deleted_tenants();
begin
  return (
    select json_build_object(
      'open', count(*) filter (where alarm.status = 'open'),
      'taken', count(*) filter (where alarm.status = 'taken'),
      'oldest_open_seconds', coalesce(
        floor(
          date_part('epoch', p_now - min(alarm.opened_at) filter (where alarm.status = 'open' and alarm.is_new))
        )::integer,
        0
      ),
      'oldest_notice_seconds', internal.alarm_age(p_now)
    )
    from (
      select internal.alarm_status(one, p_now) as status, one.opened_at,
        one.opened_at > p_now - interval '1 day' as is_new
      from kith.alarms as one
      where one.next_at is not null and one.kind <> 'drill' and one.tenant_id <> all (v_deleted)
        and not exists (select from internal.hidden_person(one.tenant_id, one.sender_id))
    ) as alarm
  );
end
$$;
comment on function api.alarm_metrics(timestamptz) is
  'Returns how many alarms are open and taken, without drills and canaries; for how many seconds the oldest of the '
  'last day that nobody looks after has been open; and how late the worker is with telling people of alarms. It '
  'concerns the installation, not a tenant. Security definer, because it counts over all tenants and reveals none.';
grant execute on function api.alarm_metrics(timestamptz) to kith_api;
