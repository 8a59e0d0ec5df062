create or replace function worker.claim_webhooks(
  p_now timestamptz, p_batch integer, p_share integer, p_tenants integer[], p_room integer[], p_instance text
)
  returns table (tenant_id integer, id uuid, url text, sealed bytea, message_id uuid, body text, events integer)
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- Always read from a position in the index, however many rows precede it and whatever the planner's statistics say.
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
  v_far integer := 0;
begin
  p_now := internal.present(p_now);
  if kith.tenant_id() is not null then
    raise exception 'forbidden' using errcode = 'KT403';
  end if;
  if internal.awaits_confirmation() then
    return;
  end if;
  v_looked_up_to := internal.wake_webhooks(p_now);
  v_horizon := coalesce(v_looked_up_to, internal.feed_horizon());
  for v_due in
    select webhook.tenant_id, webhook.id
    from kith.webhooks as webhook
    join kith.tenants as tenant on tenant.tenant_id = webhook.tenant_id and tenant.deleted_at is null
    where webhook.has_news and webhook.disabled_at is null and webhook.next_attempt_at <= p_now
      and not exists (select from internal.shut_out('claim_webhooks', webhook.tenant_id, webhook.id::text, p_now))
    order by webhook.next_attempt_at
  loop
    -- Stop after 1000 endpoints, or 10 that are far behind. Many may have nothing to send and only be put to sleep, and
    -- a transaction that writes must stay short.
    exit when cardinality(v_taken) >= p_batch or v_looked >= 1000 or v_far >= 10;
    continue when cardinality(array_positions(v_taken, v_due.tenant_id))
      >= coalesce(p_room[array_position(p_tenants, v_due.tenant_id)], p_share);
    v_webhook := internal.lock_webhook(v_due.tenant_id, v_due.id, p_now);
    continue when v_webhook.id is null;
    v_looked := v_looked + 1;
    v_batch := internal.webhook_batch_or_none(v_webhook, v_horizon, p_now);
    continue when v_batch.items is null;
    if cardinality(v_batch.items) > 0 then
      v_webhook := v_batch.webhook;
      perform internal.lease_webhook(v_webhook, p_instance, p_now);
      return query select v_webhook.tenant_id, v_webhook.id, v_webhook.url, v_webhook.sealed_secrets,
        v_webhook.batch_id, internal.webhook_body(v_batch.items, p_now), cardinality(v_batch.items);
      v_taken := v_taken || v_webhook.tenant_id;
    elsif v_webhook.batch_id is not null then
      -- Everything in the batch has been deleted since.
      perform internal.end_webhook_batch(v_webhook, p_now);
    elsif (v_batch.webhook).taken_xid < v_horizon then
      v_far := v_far + 1;
      perform internal.advance_webhook(v_batch.webhook, p_now);
    else
      perform internal.put_webhook_to_sleep(v_webhook, v_horizon, v_looked_up_to is null, p_now);
    end if;
  end loop;
end
$$;
comment on function worker.claim_webhooks(timestamptz, integer, integer, integer[], integer[], text) is
  'Leases at most p_batch endpoints that have events to send to the instance for one minute, those that have waited '
  'longest first. Returns {tenant_id, id, url, sealed secrets, message_id, body, number of events} for each. The '
  'message_id is the webhook-id of Standard Webhooks and stays the same until the batch is accepted. A tenant in '
  'p_tenants gets at most as many as the same position of p_room says, which may be 0, and any other tenant p_share. '
  'An endpoint is not claimed again before finish_webhook records the result. A lease that ends without a result '
  'counts as a failure and makes the next lease longer. Security definer without a tenant, because it renders what '
  'users of all tenants may see, each in their own tenant. Raises forbidden when a tenant is set.';
grant execute
  on function worker.claim_webhooks(timestamptz, integer, integer, integer[], integer[], text) to kith_worker;

create or replace function internal.webhook_batch_or_none(
  p_webhook kith.webhooks, p_horizon xid8, p_now timestamptz, out webhook kith.webhooks, out items json[]
)
  returns record
  language plpgsql
as $$
declare
  v_batch record;
  v_table text;
  v_constraint text;
  v_context text;
begin
  -- It writes nothing, so the subtransaction costs no transaction id.
  v_batch := internal.webhook_batch(p_webhook, p_horizon, p_now);
  webhook := v_batch.webhook;
  items := v_batch.items;
exception when others then
  if not internal.is_of_data(sqlstate) then
    raise;
  end if;
  get stacked diagnostics v_table = table_name, v_constraint = constraint_name, v_context = pg_exception_context;
  perform internal.put_aside(
    'claim_webhooks', p_webhook.tenant_id, p_webhook.id::text, sqlstate,
    internal.error_place(v_table, v_constraint, v_context), p_now
  );
  items := null;
end
$$;
comment on function internal.webhook_batch_or_none(kith.webhooks, xid8, timestamptz) is
  'internal.webhook_batch. If no batch can be made, sets the endpoint aside and returns null. For '
  'worker.claim_webhooks.';

create or replace function internal.webhook_body(p_items json[], p_now timestamptz) returns text
  language sql
  stable
as $$
  select json_build_object(
    'type', 'events', 'timestamp', internal.instant(p_now), 'data', json_build_object('events', array_to_json(p_items))
  )::text
$$;
comment on function internal.webhook_body(json[], timestamptz) is
  'The body of a request to a webhook: its events in the envelope of Standard Webhooks.';

create or replace function internal.lock_webhook(p_tenant_id integer, p_id uuid, p_now timestamptz)
  returns kith.webhooks
  language plpgsql
as $$
declare
  v_webhook kith.webhooks;
begin
  select webhook.* into v_webhook
  from kith.webhooks as webhook
  where webhook.tenant_id = p_tenant_id and webhook.id = p_id
    and webhook.has_news and webhook.disabled_at is null and webhook.next_attempt_at <= p_now
  for no key update skip locked;
  return v_webhook;
end
$$;
comment on function internal.lock_webhook(integer, uuid, timestamptz) is
  'Locks an endpoint that has news and whose time has come. Null if it has none, or if another transaction has locked '
  'it. For worker.claim_webhooks.';

create or replace function internal.lease_webhook(p_webhook kith.webhooks, p_instance text, p_now timestamptz)
  returns void
  language plpgsql
as $$
begin
  update kith.webhooks as webhook
  set taken_xid = p_webhook.taken_xid, taken_id = p_webhook.taken_id, batch_id = p_webhook.batch_id,
    batch_xid = p_webhook.batch_xid, batch_until_id = p_webhook.batch_until_id,
    batch_is_reset = p_webhook.batch_is_reset,
    -- A lease that ended without a result counts as a failure, so that a batch that crashes its worker is retried ever
    -- less often.
    attempts = least(attempts, 1000000) + (leased_by is not null)::integer,
    last_error = case
      when leased_by is null then last_error
      else 'the worker that called it stopped before it reported a result'
    end,
    next_attempt_at = p_now + greatest(
      interval '1 minute', case when leased_by is not null then internal.webhook_delay(attempts + 1) end
    ),
    leased_by = p_instance
  where webhook.tenant_id = p_webhook.tenant_id and webhook.id = p_webhook.id;
end
$$;
comment on function internal.lease_webhook(kith.webhooks, text, timestamptz) is
  'Leases an endpoint to the instance for one minute, or for longer if leases have ended without a result, and stores '
  'its batch. For worker.claim_webhooks.';

create or replace function internal.advance_webhook(p_webhook kith.webhooks, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  update kith.webhooks as webhook
  set taken_xid = p_webhook.taken_xid, taken_id = p_webhook.taken_id, next_attempt_at = p_now, leased_by = null
  where webhook.tenant_id = p_webhook.tenant_id and webhook.id = p_webhook.id;
end
$$;
comment on function internal.advance_webhook(kith.webhooks, timestamptz) is
  'Records how far the feed has been looked through for an endpoint that is far behind and has nothing to send so far. '
  'It comes after the others that are due. For worker.claim_webhooks.';

create or replace function internal.put_webhook_to_sleep(
  p_webhook kith.webhooks, p_horizon xid8, p_has_news boolean, p_now timestamptz
) returns void
  language plpgsql
as $$
begin
  update kith.webhooks as webhook
  set taken_xid = p_horizon, taken_id = '00000000-0000-0000-0000-000000000000', taken_at = p_now, has_news = p_has_news,
    next_attempt_at = p_now, leased_by = null, updated_at = p_now
  where webhook.tenant_id = p_webhook.tenant_id and webhook.id = p_webhook.id;
end
$$;
comment on function internal.put_webhook_to_sleep(kith.webhooks, xid8, boolean, timestamptz) is
  'Records that an endpoint has nothing to send before p_horizon. For worker.claim_webhooks.';

create or replace function worker.finish_webhook(
  p_now timestamptz, p_instance text, p_tenant_id integer, p_id uuid, p_outcome text, p_retry_after integer,
  p_error text
) returns boolean
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- For the same reason as in claim_webhooks.
  set plan_cache_mode = 'force_generic_plan'
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_sort = off
as $$
declare
  v_webhook kith.webhooks;
begin
  p_now := internal.present(p_now);
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
      if exists (select from kith.set_aside as aside where aside.loop = 'claim_webhooks') then
        perform internal.take_back('claim_webhooks', array[v_webhook], p_now);
      end if;
      update kith.webhooks set last_success_at = p_now, last_error = null where tenant_id = p_tenant_id and id = p_id;
    when 'retry' then
      update kith.webhooks
      set attempts = least(attempts, 1000000) + 1, last_error = left(p_error, 500), leased_by = null,
        updated_at = p_now,
        -- The endpoint may ask for a longer delay, up to a day.
        next_attempt_at = p_now + greatest(
          internal.webhook_delay(attempts),
          make_interval(secs => least(coalesce(p_retry_after, 0), 86400))
        )
      where tenant_id = p_tenant_id and id = p_id;
    when 'later' then
      -- The endpoint was not called, so this is no failure.
      update kith.webhooks
      set leased_by = null, next_attempt_at = p_now + make_interval(secs => p_retry_after)
      where tenant_id = p_tenant_id and id = p_id;
    when 'gone' then
      update kith.webhooks
      set disabled_at = p_now, disabled_reason = 'it answered 410 Gone', last_error = left(p_error, 500),
        leased_by = null, updated_at = p_now
      where tenant_id = p_tenant_id and id = p_id;
  end case;
  return true;
end
$$;
comment on function worker.finish_webhook(timestamptz, text, integer, uuid, text, integer, text) is
  'Records the result of a request that claim_webhooks leased to the instance. sent: the endpoint accepted the batch. '
  'retry: try again after a delay that doubles from 5 seconds to an hour, but not before p_retry_after seconds. later: '
  'the endpoint was not called for lack of capacity; try again in p_retry_after seconds. gone: the endpoint is '
  'disabled. Returns false and changes nothing if the lease was lost. Security definer, because no role may write '
  'endpoints directly.';
grant execute on function worker.finish_webhook(timestamptz, text, integer, uuid, text, integer, text) to kith_worker;
