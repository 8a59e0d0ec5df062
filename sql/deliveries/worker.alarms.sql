-- Alarms that reached nobody go to the tenant's webhooks first, then to the operator (F07).

create or replace function worker.alarm_operator(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_resolved integer;
  v_moved integer;
begin
  p_now := internal.present(p_now);
  with over as materialized (
    select alarm.tenant_id, alarm.notification_id
    from kith.undelivered_alarms as alarm
    left join kith.notifications as notification
      on notification.tenant_id = alarm.tenant_id and notification.id = alarm.notification_id
    cross join lateral internal.pointless(
      notification.tenant_id, notification.user_id, notification.type, notification.data, notification.read_at
    ) as pointless
    where alarm.resolved_at is null and (notification.id is null or pointless.reason is not null)
    order by alarm.at
    limit p_batch
    for update of alarm skip locked
  )
  update kith.undelivered_alarms as alarm
  set resolved_at = p_now
  from over
  where alarm.tenant_id = over.tenant_id and alarm.notification_id = over.notification_id;
  get diagnostics v_resolved = row_count;

  with waiting as materialized (
    select alarm.tenant_id, alarm.notification_id
    from kith.undelivered_alarms as alarm
    where alarm.resolved_at is null and alarm.webhook_told_at is null and alarm.operators_at is null
      and (
        alarm.at <= p_now - interval '5 minutes' or not exists (
          select from kith.webhooks as webhook
          where webhook.tenant_id = alarm.tenant_id and webhook.disabled_at is null
            and (webhook.types = '{}' or 'alarm_undelivered' = any (webhook.types))
        )
      )
    order by alarm.at
    limit p_batch
    for update skip locked
  )
  update kith.undelivered_alarms as alarm
  set operators_at = p_now
  from waiting
  where alarm.tenant_id = waiting.tenant_id and alarm.notification_id = waiting.notification_id;
  get diagnostics v_moved = row_count;
  return v_resolved + v_moved;
end
$$;
comment on function worker.alarm_operator(timestamptz, integer) is
  'Hands an undelivered alarm to the operator if no webhook of the tenant has accepted it within 5 minutes, or at once if no webhook takes such alarms. Resolves alarms that no longer matter, because they were read in the app or answered meanwhile. Handles at most p_batch of each; returns how many. Security definer, because no role may write alarms directly.';
revoke all on function worker.alarm_operator(timestamptz, integer) from public;
grant execute on function worker.alarm_operator(timestamptz, integer) to kith_worker;

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
  'Returns what the heartbeat to the external address reports: how many alarms reached nobody and are unresolved, and the first 100 of them, new ones first, with ids and no names; null if there are none. Each alarm is repeated until it is resolved, because a heartbeat without it would read as its end. Security definer, because the worker may not read alarms.';
revoke all on function worker.tell_operator(timestamptz) from public;
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
  'Records that the external address has accepted these alarms of worker.tell_operator for the first time. Returns how many. Security definer, because no role may write alarms directly.';
revoke all on function worker.operator_told(timestamptz, jsonb) from public;
grant execute on function worker.operator_told(timestamptz, jsonb) to kith_worker;

create or replace function worker.health(p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return api.readiness(p_now);
end
$$;
comment on function worker.health(timestamptz) is
  'Returns the same ages as /readyz, for the heartbeat to the external address. Security definer, because it counts over all tenants and reveals none.';
revoke all on function worker.health(timestamptz) from public;
grant execute on function worker.health(timestamptz) to kith_worker;

create or replace function internal.sweep_alarms(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
as $$
declare
  v_swept integer;
begin
  delete from kith.undelivered_alarms as alarm
  using (
    select tenant_id, notification_id
    from kith.undelivered_alarms
    where resolved_at is not null and at < p_now - interval '90 days'
    order by at
    limit p_batch
    for update skip locked
  ) as old
  where alarm.tenant_id = old.tenant_id and alarm.notification_id = old.notification_id;
  get diagnostics v_swept = row_count;
  return v_swept;
end
$$;
comment on function internal.sweep_alarms(timestamptz, integer) is
  'Deletes at most p_batch resolved alarms that were raised more than 90 days ago. Returns how many. For worker.expire_rows.';
revoke all on function internal.sweep_alarms(timestamptz, integer) from public;
