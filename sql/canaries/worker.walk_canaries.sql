create or replace function worker.walk_canaries(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- Access by key, as in the worker's other loops.
  set plan_cache_mode = 'force_generic_plan'
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_material = off
  set enable_seqscan = off
as $$
begin
  p_now := internal.present(p_now);
  if not exists (select from kith.canary_people) or internal.awaits_confirmation()
    or not pg_try_advisory_xact_lock(hashtext('worker.walk_canaries'))
  then
    return 0;
  end if;
  return internal.work_off(
    'walk_canaries.begin', internal.canaries_to_ask(p_now, p_batch), null, p_now, 'internal.begin_canary_runs($1, $3)'
  )
    + internal.work_off('walk_canaries.read', array(
      select run
      from kith.canary_runs as run
      where run.ended_at is null
        and not exists (
          select from kith.moving_tenants as moved
          where moved.tenant_id = run.tenant_id and moved.state in ('gone', 'arriving')
        )
        and not exists (
          select
          from internal.shut_out(
            'walk_canaries', run.tenant_id, concat_ws(' ', run.canary_id, to_jsonb(run.asks_at) #>> '{}'), p_now
          )
        )
      order by run.tenant_id, run.canary_id, run.asks_at
      -- All that can be under way at once (internal.most_canaries): one that waits must not keep another from being
      -- read.
      limit greatest(p_batch, 1000)
    ), null, p_now, 'internal.walk_canary_runs($1, $3)')
    + internal.work_off(
      'walk_canaries.end', internal.alarms_left_by_canaries(p_now, p_batch), null, p_now,
      'internal.end_canary_alarms($1, $3)'
    )
    + internal.sweep_canaries(p_now, p_batch);
end
$$;
comment on function worker.walk_canaries(timestamptz, integer) is
  'Begins the runs of canaries whose time has come, notes how far those under way have come, ends their alarms once '
  'they have arrived or died, and deletes old runs. It sends nothing and changes no ping: the other loops do, as for '
  'everybody. Returns how many rows it changed. Security definer, because no role may write runs or end alarms '
  'directly.';
grant execute on function worker.walk_canaries(timestamptz, integer) to kith_worker;
