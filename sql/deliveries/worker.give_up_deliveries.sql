create or replace function worker.drop_expired_deliveries(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- For the same reason as in claim_deliveries.
  set plan_cache_mode = 'force_generic_plan'
  set jit = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_material = off
  set enable_seqscan = off
as $$
begin
  p_now := internal.present(p_now);
  return internal.work_off('drop_expired_deliveries', array(
    select delivery
    from kith.deliveries as delivery
    where delivery.status in ('queued', 'sending') and delivery.expires_at <= p_now
      and coalesce(delivery.leased_until, p_now) <= p_now
      and not exists (
        select from internal.shut_out('drop_expired_deliveries', delivery.tenant_id, delivery.id::text, p_now)
      )
    order by delivery.expires_at
    limit p_batch
    for update of delivery skip locked
  ), null, p_now, 'internal.drop_expired($1, $3)');
end
$$;
comment on function worker.drop_expired_deliveries(timestamptz, integer) is
  'Drops at most p_batch deliveries that have expired, such as a sign-in code that is no longer valid, unless a worker '
  'holds a lease on them, or they are still worth sending (internal.worth_longer). Returns how many. Security definer, '
  'because the worker may not read or write notifications, deliveries and devices.';
grant execute on function worker.drop_expired_deliveries(timestamptz, integer) to kith_worker;

create or replace function worker.give_up_deliveries(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- For the same reason as in claim_deliveries.
  set plan_cache_mode = 'force_generic_plan'
  set jit = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_material = off
  set enable_seqscan = off
as $$
begin
  p_now := internal.present(p_now);
  return internal.work_off('give_up_deliveries', array(
    select delivery
    from kith.deliveries as delivery
    where delivery.status = 'sending' and delivery.unanswered >= 5 and delivery.leased_until <= p_now
      and not exists (select from internal.shut_out('give_up_deliveries', delivery.tenant_id, delivery.id::text, p_now))
    order by delivery.leased_until
    limit p_batch
    for update of delivery skip locked
  ), null, p_now,
    'internal.end_all($1, ''failed'', ''given up: the worker stopped 5 times in a row before it reported a result'', '
    '$3)');
end
$$;
comment on function worker.give_up_deliveries(timestamptz, integer) is
  'Fails at most p_batch deliveries that were claimed 5 times in a row without a result, once the last lease is over. '
  'Otherwise a message that crashes each worker that sends it would be retried for ever. An alarm falls back to the '
  'person''s other channels (F07). Returns how many. Security definer, because the worker may not read or write '
  'notifications, deliveries and devices.';
grant execute on function worker.give_up_deliveries(timestamptz, integer) to kith_worker;

create or replace function internal.worth_longer(p_deliveries kith.deliveries[], p_now timestamptz)
  returns table (tenant_id integer, id uuid, until timestamptz)
  language sql
  stable
as $$
  select expired.tenant_id, expired.id, worth.until
  from unnest(p_deliveries) as expired
  cross join lateral (
    select one.user_id, one.type, one.data, one.created_at
    from kith.notifications as one
    where one.tenant_id = expired.tenant_id and one.id = expired.notification_id
    offset 0
  ) as notification
  cross join lateral (
    select known.deadline_key from internal.notification_types() as known where known.type = notification.type offset 0
  ) as known
  cross join lateral (
    select case
      when notification.type in ('ping_due', 'ping_reminder') then (
        select greatest(ping.judge_at, ping.deadline_at)
        from kith.pings as ping
        where ping.tenant_id = expired.tenant_id and ping.ping_on = (notification.data ->> 'date')::date
          and ping.connection_id = (notification.data ->> 'connection_id')::uuid
          and ping.sender_id = notification.user_id
      )
      -- No worker has come for it in its time, or it would have been dropped then.
      when expired.expires_at < p_now - interval '5 minutes' and not internal.is_stale(notification.type)
        then least(
          internal.serves_until(known.deadline_key, notification.data), p_now + interval '1 day',
          notification.created_at + interval '8 days'
        )
    end as until
    offset 0
  ) as worth
  where worth.until > p_now
$$;
comment on function internal.worth_longer(kith.deliveries[], timestamptz) is
  'Those of some deliveries whose time has passed that are still worth sending, and until when: what asks for a '
  'check-in whose deadline has moved, and whatever a worker that was away has left, as internal.worth_until. Whatever '
  'is no longer so is not sent (internal.pointless). For internal.drop_expired.';

create or replace function internal.drop_expired(p_deliveries kith.deliveries[], p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_longer uuid[];
begin
  with longer as (
    update kith.deliveries as delivery
    set expires_at = worth.until
    from internal.worth_longer(p_deliveries, p_now) as worth
    where delivery.tenant_id = worth.tenant_id and delivery.id = worth.id
    returning delivery.id
  )
  select coalesce(array_agg(longer.id), '{}') into v_longer from longer;
  return cardinality(v_longer) + internal.end_all(
    array(select delivery from unnest(p_deliveries) as delivery where delivery.id <> all (v_longer)),
    'dropped', 'expired', p_now
  );
end
$$;
comment on function internal.drop_expired(kith.deliveries[], timestamptz) is
  'Drops expired deliveries, but for those that are still worth sending (internal.worth_longer). Returns how many it '
  'handled. For worker.drop_expired_deliveries, which has locked them.';

create or replace function internal.end_all(
  p_deliveries kith.deliveries[], p_status text, p_reason text, p_now timestamptz
)
  returns integer
  language plpgsql
as $$
begin
  return internal.end_deliveries(
    array(select delivery.tenant_id from unnest(p_deliveries) as delivery),
    array(select delivery.id from unnest(p_deliveries) as delivery), p_status, p_reason, p_now
  );
end
$$;
comment on function internal.end_all(kith.deliveries[], text, text, timestamptz) is
  'internal.end_deliveries for rows.';
