create or replace function worker.beat(
  p_component text, p_instance text, p_started_at timestamptz, p_version text, p_now timestamptz
) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_ahead integer := internal.clock_ahead(p_now);
begin
  perform internal.record_beat(p_component, p_instance, p_started_at, p_version, v_ahead, internal.beat_instant(p_now));
  perform internal.end_orphaned_quiet();
end
$$;
comment on function worker.beat(text, text, timestamptz, text, timestamptz) is
  'Records a heartbeat. To be called about every 5 seconds, and before the first loop after a start. A minute without '
  'any is an outage. Serves tenants again whose move was killed. Security definer, because only heartbeats may write '
  'outages.';
grant execute on function worker.beat(text, text, timestamptz, text, timestamptz) to kith_worker;

create or replace function worker.note_loops(p_instance text, p_loops jsonb) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  update kith.heartbeats set loops = p_loops where component = 'worker' and instance = p_instance;
end
$$;
comment on function worker.note_loops(text, jsonb) is
  'Records the pace of a worker''s loops (kith.heartbeats.loops), for operators to read. To be called after the first '
  'heartbeat. Security definer, as worker.beat.';
grant execute on function worker.note_loops(text, jsonb) to kith_worker;

create or replace function worker.end_beat(p_component text, p_instance text, p_now timestamptz) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  p_now := internal.present(p_now);
  perform internal.record_stop(p_component, p_instance, p_now);
end
$$;
comment on function worker.end_beat(text, text, timestamptz) is
  'Records that this worker has stopped, so that operators do not look for it. Security definer, because only '
  'heartbeats may write there.';
grant execute on function worker.end_beat(text, text, timestamptz) to kith_worker;

create or replace function worker.watch_server(p_now timestamptz) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  p_now := internal.present(p_now);
  insert into kith.outages (component, began_at)
  select 'server', max(beat_at)
  from kith.heartbeats
  where component = 'server'
  having max(beat_at) < p_now - interval '60 seconds'
  on conflict do nothing;
end
$$;
comment on function worker.watch_server(timestamptz) is
  'Opens an outage when no server has sent a heartbeat for a minute; the next heartbeat ends it. To be called with '
  'every heartbeat of the worker, and before the first loop after a start. Security definer, because only heartbeats '
  'may write outages.';
grant execute on function worker.watch_server(timestamptz) to kith_worker;
