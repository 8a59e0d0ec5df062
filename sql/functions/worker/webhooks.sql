create or replace function worker.claim_webhooks(
  p_now timestamptz, p_batch integer, p_share integer, p_tenants integer[], p_room integer[], p_instance text
)
  returns table (tenant_id integer, id uuid, url text, sealed bytea, message_id uuid, body text, events integer)
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- The end of the order is what is read, however much lies before it and whatever the planner knows of that.
  set plan_cache_mode = 'force_generic_plan'
  set jit = off
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_sort = off
as $$
declare
  v_looked_up_to xid8;
  v_horizon xid8;
  v_due record;
  v_webhook kith.webhooks;
  v_batch record;
  v_taken integer[] := '{}';
  v_looked integer := 0;
begin
  if kith.tenant_id() is not null then
    raise exception 'forbidden' using errcode = 'KT403';
  end if;
  v_looked_up_to := internal.wake_webhooks(p_now);
  v_horizon := coalesce(v_looked_up_to, internal.feed_horizon());
  for v_due in
    select webhook.tenant_id, webhook.id
    from kith.webhooks as webhook
    join kith.tenants as tenant on tenant.tenant_id = webhook.tenant_id and tenant.deleted_at is null
    where webhook.has_news and webhook.disabled_at is null and webhook.next_attempt_at <= p_now
    order by webhook.next_attempt_at
  loop
    -- Many may have nothing left to say, and be put to rest; no transaction that writes may be long.
    exit when cardinality(v_taken) >= p_batch or v_looked >= 1000;
    continue when cardinality(array_positions(v_taken, v_due.tenant_id))
      >= coalesce(p_room[array_position(p_tenants, v_due.tenant_id)], p_share);
    select webhook.* into v_webhook
    from kith.webhooks as webhook
    where webhook.tenant_id = v_due.tenant_id and webhook.id = v_due.id
      and webhook.has_news and webhook.disabled_at is null and webhook.next_attempt_at <= p_now
    for no key update skip locked;
    continue when not found;
    v_looked := v_looked + 1;
    v_batch := internal.webhook_batch(v_webhook, v_horizon, p_now);
    if cardinality(v_batch.items) > 0 then
      v_webhook := v_batch.webhook;
      update kith.webhooks as webhook
      set taken_xid = v_webhook.taken_xid, taken_id = v_webhook.taken_id, batch_id = v_webhook.batch_id,
        batch_xid = v_webhook.batch_xid, batch_until_id = v_webhook.batch_until_id, batch_is_reset = v_webhook.batch_is_reset,
        -- A lease that ended without a word counts as a failure: a batch that ends its worker does so ever more seldom.
        attempts = attempts + (leased_by is not null)::integer,
        last_error = case when leased_by is null then last_error else 'the worker that called it stopped before it could say what became of it' end,
        next_attempt_at = p_now + greatest(
          interval '1 minute', case when leased_by is not null then internal.webhook_delay(attempts + 1) end
        ),
        leased_by = p_instance
      where webhook.tenant_id = v_webhook.tenant_id and webhook.id = v_webhook.id;
      tenant_id := v_webhook.tenant_id;
      id := v_webhook.id;
      url := v_webhook.url;
      sealed := v_webhook.sealed_secrets;
      message_id := v_webhook.batch_id;
      body := json_build_object(
        'type', 'events', 'timestamp', internal.instant(p_now), 'data', json_build_object('events', array_to_json(v_batch.items))
      );
      events := cardinality(v_batch.items);
      v_taken := v_taken || tenant_id;
      return next;
    elsif v_webhook.batch_id is not null then
      -- All that it held was deleted meanwhile.
      perform internal.end_webhook_batch(v_webhook, p_now);
    else
      update kith.webhooks as webhook
      set taken_xid = v_horizon, taken_id = '00000000-0000-0000-0000-000000000000', taken_at = p_now, has_news = v_looked_up_to is null,
        next_attempt_at = p_now, leased_by = null, updated_at = p_now
      where webhook.tenant_id = v_webhook.tenant_id and webhook.id = v_webhook.id;
    end if;
  end loop;
end
$$;
comment on function worker.claim_webhooks(timestamptz, integer, integer, integer[], integer[], text) is
  'At most p_batch endpoints that have something to be sent, those that wait longest first, and leases each to an instance for a minute: {tenant_id, id, url, sealed secrets, message_id (Standard Webhooks calls it webhook-id: the same until the batch is taken), body, how many events}. Of a tenant in p_tenants at most what p_room, the array beside it, has for it, which may be 0, and of any other p_share. Of one endpoint nothing further is claimed until finish_webhook says what became of it; a lease that ends without that counts as a failure, and makes the next one longer. Definer, and without a tenant: it renders what users of all tenants may see, each in their own; with a tenant it raises forbidden.';
revoke all on function worker.claim_webhooks(timestamptz, integer, integer, integer[], integer[], text) from public;
grant execute on function worker.claim_webhooks(timestamptz, integer, integer, integer[], integer[], text) to kith_worker;

create or replace function worker.finish_webhook(
  p_now timestamptz, p_instance text, p_tenant_id integer, p_id uuid, p_outcome text, p_retry_after integer, p_error text
) returns boolean
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- As in claim_webhooks.
  set plan_cache_mode = 'force_generic_plan'
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_sort = off
as $$
declare
  v_webhook kith.webhooks;
begin
  select * into v_webhook
  from kith.webhooks
  where tenant_id = p_tenant_id and id = p_id and leased_by = p_instance and batch_id is not null
  for no key update;
  if not found then
    return false;
  end if;
  case p_outcome
    when 'sent' then
      perform internal.told_by_webhook(v_webhook, p_now);
      perform internal.end_webhook_batch(v_webhook, p_now);
      update kith.webhooks set last_success_at = p_now, last_error = null where tenant_id = p_tenant_id and id = p_id;
    when 'retry' then
      update kith.webhooks
      set attempts = attempts + 1, last_error = left(p_error, 500), leased_by = null, updated_at = p_now,
        -- Longer where the other side says so, up to a day.
        next_attempt_at = p_now + greatest(
          internal.webhook_delay(attempts),
          make_interval(secs => least(coalesce(p_retry_after, 0), 86400))
        )
      where tenant_id = p_tenant_id and id = p_id;
    when 'later' then
      -- It was not called, which is no failure.
      update kith.webhooks
      set leased_by = null, next_attempt_at = p_now + make_interval(secs => p_retry_after)
      where tenant_id = p_tenant_id and id = p_id;
    when 'gone' then
      update kith.webhooks
      set disabled_at = p_now, disabled_reason = 'it answered 410 Gone', last_error = left(p_error, 500), leased_by = null,
        updated_at = p_now
      where tenant_id = p_tenant_id and id = p_id;
  end case;
  return true;
end
$$;
comment on function worker.finish_webhook(timestamptz, text, integer, uuid, text, integer, text) is
  'What became of a request that claim_webhooks leased to the instance: sent, and the endpoint has taken it; retry, after a time that doubles from 5 seconds to an hour, and not before p_retry_after seconds; later, because it was not called for want of room, and is in p_retry_after seconds; gone, and it is disabled. False, and nothing changes, where the lease was lost. Definer: endpoints are nobody''s to write.';
revoke all on function worker.finish_webhook(timestamptz, text, integer, uuid, text, integer, text) from public;
grant execute on function worker.finish_webhook(timestamptz, text, integer, uuid, text, integer, text) to kith_worker;
