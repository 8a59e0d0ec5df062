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
      and not exists (select from internal.shut_out('drop_expired_deliveries', delivery.tenant_id, delivery.id::text, p_now))
    order by delivery.expires_at
    limit p_batch
    for update of delivery skip locked
  ), null, p_now);
end
$$;
comment on function worker.drop_expired_deliveries(timestamptz, integer) is
  'Drops at most p_batch deliveries that have expired, such as a sign-in code that is no longer valid, unless a worker holds a lease on '
  'them. Returns how many. Security definer, because the worker may not read or write notifications, deliveries and devices.';
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
  ), null, p_now);
end
$$;
comment on function worker.give_up_deliveries(timestamptz, integer) is
  'Fails at most p_batch deliveries that were claimed 5 times in a row without a result, once the last lease is over. Otherwise a message '
  'that crashes each worker that sends it would be retried for ever. An alarm falls back to the person''s other channels (F07). Returns '
  'how many. Security definer, because the worker may not read or write notifications, deliveries and devices.';
grant execute on function worker.give_up_deliveries(timestamptz, integer) to kith_worker;

create or replace function internal.end_all(p_deliveries kith.deliveries[], p_status text, p_reason text, p_now timestamptz) returns integer
  language plpgsql
as $$
begin
  return internal.end_deliveries(
    array(select delivery.tenant_id from unnest(p_deliveries) as delivery), array(select delivery.id from unnest(p_deliveries) as delivery),
    p_status, p_reason, p_now
  );
end
$$;
comment on function internal.end_all(kith.deliveries[], text, text, timestamptz) is
  'internal.end_deliveries for rows.';
