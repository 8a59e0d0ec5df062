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
declare
  v_tenants integer[];
  v_ids uuid[];
begin
  p_now := internal.present(p_now);
  select array_agg(expired.tenant_id), array_agg(expired.id) into v_tenants, v_ids
  from (
    select delivery.tenant_id, delivery.id
    from kith.deliveries as delivery
    where delivery.status in ('queued', 'sending') and delivery.expires_at <= p_now
      and coalesce(delivery.leased_until, p_now) <= p_now
    order by delivery.expires_at
    limit p_batch
    for update skip locked
  ) as expired;
  return internal.end_deliveries(v_tenants, v_ids, 'dropped', 'expired', p_now);
end
$$;
comment on function worker.drop_expired_deliveries(timestamptz, integer) is
  'Drops at most p_batch deliveries that have expired, such as a sign-in code that is no longer valid, unless a worker holds a lease on them. Returns how many. Security definer, because the worker may not read or write notifications, deliveries and devices.';
revoke all on function worker.drop_expired_deliveries(timestamptz, integer) from public;
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
declare
  v_tenants integer[];
  v_ids uuid[];
begin
  p_now := internal.present(p_now);
  select array_agg(unanswered.tenant_id), array_agg(unanswered.id) into v_tenants, v_ids
  from (
    select delivery.tenant_id, delivery.id
    from kith.deliveries as delivery
    where delivery.status = 'sending' and delivery.unanswered >= 5 and delivery.leased_until <= p_now
    order by delivery.leased_until
    limit p_batch
    for update skip locked
  ) as unanswered;
  return internal.end_deliveries(
    v_tenants, v_ids, 'failed', 'given up: the worker stopped 5 times in a row before it reported a result', p_now
  );
end
$$;
comment on function worker.give_up_deliveries(timestamptz, integer) is
  'Fails at most p_batch deliveries that were claimed 5 times in a row without a result, once the last lease is over. Otherwise a message that crashes each worker that sends it would be retried for ever. An alarm falls back to the person''s other channels (F07). Returns how many. Security definer, because the worker may not read or write notifications, deliveries and devices.';
revoke all on function worker.give_up_deliveries(timestamptz, integer) from public;
grant execute on function worker.give_up_deliveries(timestamptz, integer) to kith_worker;
