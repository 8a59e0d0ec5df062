-- Alarms that reached nobody go to the tenant's webhooks first, then to the operator (F07).

create or replace function worker.alarm_operator(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- A batch is small compared with the tables, which the planner cannot know. Access by key is always right here, and
  -- one plan is kept.
  set plan_cache_mode = 'force_generic_plan'
  set jit = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_material = off
  set enable_seqscan = off
as $$
declare
  v_deleted integer[] := internal.deleted_tenants();
begin
  p_now := internal.present(p_now);
  return internal.work_off('alarm_operator.examine', array(
    select alarm
    from kith.undelivered_alarms as alarm
    where alarm.resolved_at is null and alarm.examine_at <= p_now and alarm.tenant_id <> all (v_deleted)
      and not exists (
        select from internal.shut_out('alarm_operator', alarm.tenant_id, alarm.notification_id::text, p_now)
      )
    order by alarm.examine_at
    limit p_batch
    for update of alarm skip locked
  ), null, p_now, 'internal.examine_undelivered($1, false, $3)') + internal.work_off('alarm_operator.hand_over', array(
    select alarm
    from kith.undelivered_alarms as alarm
    where alarm.resolved_at is null and alarm.webhook_told_at is null and alarm.operators_at is null
      and alarm.tenant_id <> all (v_deleted)
      and not exists (
        select from internal.shut_out('alarm_operator', alarm.tenant_id, alarm.notification_id::text, p_now)
      )
      and (
        alarm.at <= p_now - interval '5 minutes' or not exists (
          select from kith.webhooks as webhook
          where webhook.tenant_id = alarm.tenant_id and webhook.disabled_at is null
            and (webhook.types = '{}' or 'alarm_undelivered' = any (webhook.types))
        )
      )
    order by alarm.at
    limit p_batch
    for update of alarm skip locked
  ), null, p_now, 'internal.examine_undelivered($1, true, $3)');
end
$$;
comment on function worker.alarm_operator(timestamptz, integer) is
  'Resolves the alarms that no longer matter, because they were read in the app or answered meanwhile: it examines an '
  'unresolved alarm each minute, later each tenth of its age, and after 10 hours each hour. Hands an undelivered alarm '
  'to the operator if no webhook of the tenant has accepted it within 5 minutes, or at once if no webhook takes such '
  'alarms. Examines and hands over at most p_batch each; returns how many together. Security definer, because no role '
  'may write alarms directly.';
grant execute on function worker.alarm_operator(timestamptz, integer) to kith_worker;

create or replace function internal.examine_undelivered(
  p_alarms kith.undelivered_alarms[], p_is_handed_over boolean, p_now timestamptz
) returns integer
  language plpgsql
as $$
declare
  v_settled integer;
begin
  with examined as materialized (
    select given.tenant_id, given.user_id, given.notification_id as id,
      notification.id is null or pointless.reason is not null as is_over
    from unnest(p_alarms) as given
    left join lateral (
      select *
      from kith.notifications as one
      where one.tenant_id = given.tenant_id and one.id = given.notification_id and one.user_id = given.user_id
      offset 0
    ) as notification on true
    cross join lateral internal.pointless(
      notification.tenant_id, notification.user_id, notification.type, notification.data, notification.read_at
    ) as pointless
  )
  update kith.undelivered_alarms as alarm
  set resolved_at = case when examined.is_over then p_now end,
    operators_at = case when p_is_handed_over and not examined.is_over then p_now else alarm.operators_at end,
    -- An alarm that nobody resolves is examined less and less often, so that thousands of them cost little.
    examine_at = p_now + least(greatest((p_now - alarm.at) / 10, interval '1 minute'), interval '1 hour')
  from examined
  where alarm.tenant_id = examined.tenant_id and alarm.notification_id = examined.id
    -- The index of a user's alarms fits too.
    and alarm.user_id = examined.user_id;
  get diagnostics v_settled = row_count;
  return v_settled;
end
$$;
comment on function internal.examine_undelivered(kith.undelivered_alarms[], boolean, timestamptz) is
  'Resolves those of the given alarms that no longer matter, and hands the others to the operator if p_is_handed_over. '
  'Returns how many there were. For worker.alarm_operator, which has locked the rows.';

create or replace function worker.tell_operator(p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select json_build_object(
      'undelivered_alarms', count(*),
      'alarms', (
        select json_agg(json_build_object(
          'tenant_id', alarm.tenant_id, 'tenant', tenant.slug, 'id', alarm.notification_id, 'type', alarm.type,
          'at', internal.instant(alarm.at)
        ) order by alarm.at)
        from (
          select * from kith.undelivered_alarms
          where resolved_at is null and webhook_told_at is null and operators_at <= p_now
          order by operator_told_at is not null, at
          limit 100
        ) as alarm
        join kith.tenants as tenant on tenant.tenant_id = alarm.tenant_id
      )
    )
    from kith.undelivered_alarms
    where resolved_at is null and webhook_told_at is null and operators_at <= p_now
    having count(*) > 0
  );
end
$$;
comment on function worker.tell_operator(timestamptz) is
  'Returns what the heartbeat to the external address reports: how many alarms reached nobody and are unresolved, and '
  'the first 100 of them, new ones first, with ids and no names; null if there are none. Each alarm is repeated until '
  'it is resolved, because a heartbeat without it would read as its end. Security definer, because the worker may not '
  'read alarms.';
grant execute on function worker.tell_operator(timestamptz) to kith_worker;

create or replace function worker.operator_told(p_now timestamptz, p_alarms jsonb) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_told integer;
begin
  p_now := internal.present(p_now);
  update kith.undelivered_alarms as alarm
  set operator_told_at = p_now
  from jsonb_to_recordset(p_alarms) as told (tenant_id integer, id uuid)
  where alarm.tenant_id = told.tenant_id and alarm.notification_id = told.id and alarm.operator_told_at is null;
  get diagnostics v_told = row_count;
  return v_told;
end
$$;
comment on function worker.operator_told(timestamptz, jsonb) is
  'Records that the external address has accepted these alarms of worker.tell_operator for the first time. Returns how '
  'many. Security definer, because no role may write alarms directly.';
grant execute on function worker.operator_told(timestamptz, jsonb) to kith_worker;

create or replace function internal.sweep_alarms(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
as $$
begin
  return internal.work_off('expire_rows.delete', array(
    select alarm
    from kith.undelivered_alarms as alarm
    where alarm.resolved_at is not null and alarm.at < p_now - interval '90 days'
      and not exists (select from internal.shut_out('expire_rows', alarm.tenant_id, alarm.notification_id::text, p_now))
    order by alarm.at
    limit p_batch
    for update of alarm skip locked
  ), null, p_now);
end
$$;
comment on function internal.sweep_alarms(timestamptz, integer) is
  'Deletes at most p_batch rows of kith.undelivered_alarms that are resolved and were raised more than 90 days ago. '
  'Returns how many. For worker.expire_rows.';
