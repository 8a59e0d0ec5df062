create or replace function worker.sweep_alarms(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- One plan is kept; access by key is always right here.
  set enable_seqscan = off
as $$
declare
  v_shortest integer;
begin
  p_now := internal.present(p_now);
  if not pg_try_advisory_xact_lock(hashtext('worker.sweep_alarms')) then
    return 0;
  end if;
  select min(kept.days) into v_shortest from internal.retentions(p_now) as kept
  where kept.kind = 'feedback_and_requests';
  return internal.work_off('sweep_alarms.delete', array(
    select place
    from kith.places as place
    where place.received_at <= p_now - internal.place_life()
      and not exists (select from internal.shut_out('sweep_alarms', place.tenant_id, place.user_id::text, p_now))
    order by place.received_at
    limit p_batch
  ), null, p_now) + internal.work_off('sweep_alarms.delete', array(
    select alarm
    from kith.alarms as alarm
    join internal.retentions(p_now) as kept on kept.tenant_id = alarm.tenant_id and kept.kind = 'feedback_and_requests'
    -- By the shortest retention first, which an index knows. Usually none is as old.
    where alarm.resolved_at <= p_now - make_interval(days => v_shortest)
      and alarm.resolved_at <= p_now - make_interval(days => kept.days)
      and not exists (select from internal.shut_out('sweep_alarms', alarm.tenant_id, alarm.id::text, p_now))
    order by alarm.resolved_at
    limit p_batch
  ), null, p_now) + internal.work_off('sweep_alarms.delete', array(
    select seen
    from kith.card_views as seen
    where seen.at <= p_now - interval '90 days'
      and not exists (select from internal.shut_out('sweep_alarms', seen.tenant_id, seen.id::text, p_now))
    order by seen.at
    limit p_batch
  ), null, p_now) + internal.work_off('sweep_alarms.delete', array(
    select ask
    from kith.asks as ask
    where ask.ended_at <= p_now - interval '30 days'
      and not exists (select from internal.shut_out('sweep_alarms', ask.tenant_id, ask.id::text, p_now))
    order by ask.ended_at
    limit p_batch
  ), null, p_now);
end
$$;
comment on function worker.sweep_alarms(timestamptz, integer) is
  'Deletes at most p_batch each of places that are 7 days old (K08), of alarms that were resolved longer ago than the '
  'tenant keeps them (retention_days), of views of care cards after 90 days, and of questions that ended 30 days ago. '
  'Returns how many. Security definer, because the worker may not delete them directly.';
grant execute on function worker.sweep_alarms(timestamptz, integer) to kith_worker;
