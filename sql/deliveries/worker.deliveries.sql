-- The worker's side of the outbox: claim a batch, send it outside any transaction, record the results. These functions are security
-- definers because a message is assembled from notifications, devices and pings, and the worker may not read texts or push tokens itself.

create or replace function worker.claim_deliveries(
  p_now timestamptz, p_channel text, p_batch integer, p_share integer, p_after_tenant integer, p_tenants integer[], p_room integer[],
  p_instance text
)
  returns table (
    tenant_id integer, id uuid, channel text, purpose text, address text, subject text, body text, sealed_secret bytea, data text,
    collapse_id text, is_urgent boolean, attempts integer, expires_at timestamptz, public_key text, auth_secret text, environment text
  )
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- A batch is small compared with the tables, which the planner cannot know. Access by key is always right here, and one plan is kept.
  set plan_cache_mode = 'force_generic_plan'
  set jit = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_seqscan = off
  -- Only one index has the order requested below.
  set enable_sort = off
  set enable_incremental_sort = off
as $$
declare
  v_skipped integer[] := internal.deleted_tenants()
    || array(select pause.tenant_id from kith.channel_pauses as pause where pause.channel = p_channel);
  v_tenants integer[];
  v_ids uuid[];
  v_leased integer;
begin
  if 0 = any (v_skipped) then
    return;
  end if;
  select found.tenants, found.ids into v_tenants, v_ids
  from internal.find_due_deliveries(p_channel, p_batch, p_share, p_after_tenant, p_tenants, p_room, v_skipped, p_now) as found;
  if v_ids = '{}' then
    return;
  end if;
  return query select leased.* from internal.lease_deliveries(v_tenants, v_ids, p_instance, p_now) as leased;
  get diagnostics v_leased = row_count;
  if v_leased < cardinality(v_ids) then
    perform internal.settle_dropped(v_tenants, v_ids, p_channel, p_instance, p_now);
  end if;
end
$$;
comment on function worker.claim_deliveries(timestamptz, text, integer, integer, integer, integer[], integer[], text) is
  'Leases the due deliveries of a channel for one minute and counts the attempt. Concurrent workers get different deliveries. After the minute, a delivery can be claimed again. A worker that crashed may have sent some already, so the channel may see a delivery twice, with the same id. A delivery that was claimed 5 times in a row without a result is left to worker.give_up_deliveries. Tenants are visited in turn, starting after p_after_tenant and wrapping around, with at most p_batch deliveries in all. A tenant in p_tenants gets as many as the same position of p_room says, which may be 0, and any other tenant p_share. Urgent deliveries come first. A paused channel gets none. A delivery that has become pointless (F04, internal.pointless), or whose notification or device is gone, is dropped instead. Security definer, because the worker may not read texts and push tokens.';
revoke all on function worker.claim_deliveries(timestamptz, text, integer, integer, integer, integer[], integer[], text) from public;
grant execute on function worker.claim_deliveries(timestamptz, text, integer, integer, integer, integer[], integer[], text) to kith_worker;

create or replace function internal.find_due_deliveries(
  p_channel text, p_batch integer, p_share integer, p_after_tenant integer, p_tenants integer[], p_room integer[], p_skipped integer[],
  p_now timestamptz, out tenants integer[], out ids uuid[]
)
  language plpgsql
as $$
declare
  v_due integer;
  v_near integer[];
  v_next refcursor;
  v_tenant integer;
  v_from integer;
  v_to integer;
  v_share integer;
  v_found uuid[];
begin
  tenants := '{}';
  ids := '{}';
  select count(*), array_agg(distinct due.tenant_id) into v_due, v_near
  from (
    select delivery.tenant_id
    from kith.deliveries as delivery
    where delivery.channel = p_channel and delivery.status in ('queued', 'sending') and delivery.attempts >= 0
      and delivery.next_attempt_at <= p_now
    order by delivery.next_attempt_at
    limit 500
  ) as due;
  if v_due = 0 then
    return;
  end if;
  -- Visit one tenant after another, starting after p_after_tenant and wrapping around once.
  for v_round in 0..1 loop
    v_from := case v_round when 0 then coalesce(p_after_tenant, 0) else 0 end;
    v_to := case v_round when 0 then 2147483647 else coalesce(p_after_tenant, 0) end;
    -- If fewer than 500 are due, only their tenants are visited, however many deliveries wait for a later time.
    v_next := internal.due_tenants(p_channel, v_from, v_to, case when v_due < 500 then v_near end, p_now);
    loop
      fetch v_next into v_tenant;
      exit when not found;
      continue when v_tenant <= v_from or v_tenant = any (p_skipped);
      v_share := least(coalesce(p_room[array_position(p_tenants, v_tenant)], p_share), p_batch - cardinality(ids));
      continue when v_share <= 0;
      v_found := internal.lock_due_deliveries(p_channel, v_tenant, v_share, p_now);
      ids := ids || v_found;
      tenants := tenants || array_fill(v_tenant, array[cardinality(v_found)]);
      exit when cardinality(ids) >= p_batch;
    end loop;
    close v_next;
    exit when cardinality(ids) >= p_batch;
  end loop;
end
$$;
comment on function internal.find_due_deliveries(text, integer, integer, integer, integer[], integer[], integer[], timestamptz) is
  'Locks the due deliveries that worker.claim_deliveries leases, with the share of each tenant. p_skipped names the tenants that get nothing.';
revoke all on function internal.find_due_deliveries(text, integer, integer, integer, integer[], integer[], integer[], timestamptz) from public;

create or replace function internal.due_tenants(p_channel text, p_from integer, p_to integer, p_near integer[], p_now timestamptz)
  returns refcursor
  language plpgsql
as $$
declare
  v_next refcursor;
begin
  if p_near is not null then
    open v_next for
      select near.tenant_id
      from unnest(p_near) as near (tenant_id)
      where near.tenant_id > p_from and near.tenant_id <= p_to
      order by near.tenant_id;
    return v_next;
  end if;
  -- Skip from tenant to tenant in the index and test whether each has something due. This takes one step per tenant with open
  -- deliveries, however many deliveries each of them has.
  open v_next for
    with recursive waiting (tenant_id) as (
      select p_from
      union all
      select (
        select delivery.tenant_id
        from kith.deliveries as delivery
        where delivery.channel = p_channel and delivery.status in ('queued', 'sending')
          and delivery.tenant_id > waiting.tenant_id and delivery.tenant_id <= p_to
        order by delivery.tenant_id, delivery.is_urgent, delivery.next_attempt_at
        limit 1
      )
      from waiting
      where waiting.tenant_id is not null
    )
    select waiting.tenant_id
    from waiting
    -- Not EXISTS, which may be planned as a scan of everything that is due for all tenants.
    where coalesce(
      (
        select true from kith.deliveries as delivery
        where delivery.channel = p_channel and delivery.tenant_id = waiting.tenant_id and delivery.status in ('queued', 'sending')
          and delivery.is_urgent and delivery.next_attempt_at <= p_now
        limit 1
      ), (
        select true from kith.deliveries as delivery
        where delivery.channel = p_channel and delivery.tenant_id = waiting.tenant_id and delivery.status in ('queued', 'sending')
          and not delivery.is_urgent and delivery.next_attempt_at <= p_now
        limit 1
      ), false
    );
  return v_next;
end
$$;
comment on function internal.due_tenants(text, integer, integer, integer[], timestamptz) is
  'A cursor over the tenants after p_from up to p_to that have deliveries of the channel due, in the order of their ids, and possibly p_from itself. If p_near is given, only those tenants are considered. A cursor, because a batch is usually full before all tenants were visited.';
revoke all on function internal.due_tenants(text, integer, integer, integer[], timestamptz) from public;

create or replace function internal.lock_due_deliveries(
  p_channel text, p_tenant_id integer, p_share integer, p_now timestamptz
) returns uuid[]
  language plpgsql
as $$
declare
  v_ids uuid[] := '{}';
begin
  -- Urgent deliveries come first.
  for v_urgency in reverse 1..0 loop
    v_ids := v_ids || array(
      select delivery.id
      from kith.deliveries as delivery
      where delivery.channel = p_channel and delivery.tenant_id = p_tenant_id and delivery.status in ('queued', 'sending')
        and delivery.is_urgent = (v_urgency = 1) and delivery.next_attempt_at <= p_now
        and delivery.expires_at > p_now and delivery.unanswered < 5
      order by delivery.next_attempt_at
      limit p_share - cardinality(v_ids)
      for update skip locked
    );
    exit when cardinality(v_ids) >= p_share;
  end loop;
  return v_ids;
end
$$;
comment on function internal.lock_due_deliveries(text, integer, integer, timestamptz) is
  'Locks at most p_share due deliveries of a tenant on a channel, unless they have expired or are left to worker.give_up_deliveries.';
revoke all on function internal.lock_due_deliveries(text, integer, integer, timestamptz) from public;

create or replace function internal.messages_of_deliveries(p_tenants integer[], p_ids uuid[])
  returns table (
    tenant_id integer, id uuid, notification_id uuid, subject text, body text, data text, collapse_id text, public_key text,
    auth_secret text, environment text, is_notification boolean, dropped_for text
  )
  language sql
  stable
as $$
  select delivery.tenant_id, delivery.id, delivery.notification_id,
    case when notification.type is null then delivery.subject else notification.title end,
    case
      when notification.type is null then delivery.body
      -- A text message has no subject, so the title goes into the body.
      when delivery.channel = 'sms' then notification.title || ': ' || notification.body
      else notification.body
    end,
    (jsonb_build_object('notification_id', delivery.notification_id, 'type', notification.type) || notification.data)::text,
    -- A newer message about the same ping or vault replaces an older one.
    replace(
      coalesce(notification.data ->> 'ping_id', notification.data ->> 'vault_id', delivery.notification_id::text), '-', ''
    ),
    device.public_key, device.auth_secret, device.environment, notification.id is not null,
    case
      when delivery.notification_id is null then null
      when notification.id is null then 'the notification is gone'
      when delivery.channel in ('apns', 'web_push') and device.token is null then 'the device is gone'
      else pointless.reason
    end
  from unnest(p_tenants, p_ids) as found (tenant_id, id)
  join kith.deliveries as delivery on delivery.tenant_id = found.tenant_id and delivery.id = found.id
  left join kith.notifications as notification
    on notification.tenant_id = delivery.tenant_id and notification.id = delivery.notification_id
  -- A device token may have moved to another user. It counts only if it still belongs to the notification's recipient.
  left join kith.devices as device
    on delivery.channel in ('apns', 'web_push') and device.tenant_id = delivery.tenant_id and device.token = delivery.address
      and device.user_id = notification.user_id
  cross join lateral internal.pointless(
    notification.tenant_id, notification.user_id, notification.type, notification.data, notification.read_at
  ) as pointless
$$;
comment on function internal.messages_of_deliveries(integer[], uuid[]) is
  'What each of the deliveries says, to which device, or why it is dropped. Returns a table, which the planner can inline.';
revoke all on function internal.messages_of_deliveries(integer[], uuid[]) from public;

create or replace function internal.lease_deliveries(p_tenants integer[], p_ids uuid[], p_instance text, p_now timestamptz)
  returns table (
    tenant_id integer, id uuid, channel text, purpose text, address text, subject text, body text, sealed_secret bytea, data text,
    collapse_id text, is_urgent boolean, attempts integer, expires_at timestamptz, public_key text, auth_secret text, environment text
  )
  language plpgsql
as $$
#variable_conflict use_column
begin
  return query
    with picked as materialized (
      select message.* from internal.messages_of_deliveries(p_tenants, p_ids) as message
    ), locked as materialized (
      -- Dropping a delivery also updates its notification. If that row is locked by another transaction, a later call drops the
      -- delivery.
      select picked.tenant_id, picked.id
      from picked
      join kith.notifications as notification
        on notification.tenant_id = picked.tenant_id and notification.id = picked.notification_id
      where picked.dropped_for is not null
      for no key update of notification skip locked
    ), changed as (
      update kith.deliveries as delivery
      set status = case when picked.dropped_for is null then 'sending' else 'dropped' end,
        attempts = delivery.attempts + case when picked.dropped_for is null then 1 else 0 end,
        unanswered = delivery.unanswered + case when picked.dropped_for is null then 1 else 0 end,
        error = coalesce(picked.dropped_for, delivery.error),
        -- Add jitter to the next attempt, so that deliveries batched with one that crashes the worker are separated on retry.
        next_attempt_at = p_now + interval '1 minute' + case
            when delivery.unanswered = 0 then interval '0'
            else abs(hashtext(delivery.id::text || delivery.unanswered)::bigint) % 60 * interval '1 second'
          end,
        leased_until = case when picked.dropped_for is null then p_now + interval '1 minute' end,
        leased_by = case when picked.dropped_for is null then p_instance end
      from picked
      left join locked on locked.tenant_id = picked.tenant_id and locked.id = picked.id
      where delivery.tenant_id = picked.tenant_id and delivery.id = picked.id
        and (picked.dropped_for is null or not picked.is_notification or locked.id is not null)
      returning delivery.tenant_id, delivery.id, delivery.channel, delivery.purpose, delivery.address, picked.subject, picked.body,
        delivery.sealed_secret, picked.data, picked.collapse_id, delivery.is_urgent, delivery.attempts, delivery.expires_at,
        picked.public_key, picked.auth_secret, picked.environment, picked.dropped_for
    )
    select changed.tenant_id, changed.id, changed.channel, changed.purpose, changed.address, changed.subject, changed.body,
      changed.sealed_secret, changed.data, changed.collapse_id, changed.is_urgent, changed.attempts, changed.expires_at,
      changed.public_key, changed.auth_secret, changed.environment
    from changed
    where changed.dropped_for is null;
end
$$;
comment on function internal.lease_deliveries(integer[], uuid[], text, timestamptz) is
  'Leases the given deliveries to the instance for one minute, and returns them with their messages. Drops those that are pointless, or whose notification or device is gone. For worker.claim_deliveries, which has locked the deliveries.';
revoke all on function internal.lease_deliveries(integer[], uuid[], text, timestamptz) from public;

create or replace function internal.settle_dropped(
  p_tenants integer[], p_ids uuid[], p_channel text, p_instance text, p_now timestamptz
) returns void
  language plpgsql
as $$
declare
  v_tenants integer[];
  v_notifications uuid[];
begin
  select array_agg(delivery.tenant_id), array_agg(delivery.notification_id) into v_tenants, v_notifications
  from unnest(p_tenants, p_ids) as found (tenant_id, id)
  join kith.deliveries as delivery
    on delivery.tenant_id = found.tenant_id and delivery.id = found.id and delivery.status = 'dropped';
  if v_notifications is not null then
    perform internal.settle_notifications(v_tenants, v_notifications, p_now);
    perform internal.count_deliveries(
      p_instance, jsonb_build_array(jsonb_build_object('channel', p_channel, 'dropped', cardinality(v_notifications)))
    );
  end if;
end
$$;
comment on function internal.settle_dropped(integer[], uuid[], text, text, timestamptz) is
  'Settles the notifications of those among the given deliveries that have just been dropped, and counts them. For worker.claim_deliveries.';
revoke all on function internal.settle_dropped(integer[], uuid[], text, text, timestamptz) from public;

create or replace function worker.finish_deliveries(p_now timestamptz, p_instance text, p_results jsonb) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- For the same reason as in claim_deliveries.
  set plan_cache_mode = 'force_generic_plan'
  set jit = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_seqscan = off
as $$
declare
  v_finished kith.deliveries[];
  v_postponed integer;
begin
  perform internal.delete_gone_devices(p_results, p_instance);
  perform internal.lock_results(p_results);
  select recorded.finished, recorded.postponed into v_finished, v_postponed
  from internal.record_results(p_results, p_instance, p_now) as recorded;
  perform internal.settle_finished(v_finished, p_instance, p_now);
  return coalesce(cardinality(v_finished), 0) + v_postponed;
end
$$;
comment on function worker.finish_deliveries(timestamptz, text, jsonb) is
  'Records the results of deliveries that the instance claimed: an array of {tenant_id, id, outcome: sent, retry, failed, gone or later, error?, retry_after? in seconds, provider_id?}. gone: the push service no longer knows the device, so the device is deleted (A05). later: the delivery was not tried, because its destination has no capacity before retry_after; this does not count as an attempt. Retries use growing delays and never come before retry_after. A delivery fails for good after internal.attempts_allowed attempts. The notification is sent when its first delivery is sent, and failed when none is left. An alarm first falls back to other channels (F07). Returns how many results it recorded. Security definer, because the worker may not read or write notifications, deliveries and devices.';
revoke all on function worker.finish_deliveries(timestamptz, text, jsonb) from public;
grant execute on function worker.finish_deliveries(timestamptz, text, jsonb) to kith_worker;

create or replace function internal.delete_gone_devices(p_results jsonb, p_instance text) returns void
  language plpgsql
as $$
begin
  if jsonb_path_exists(p_results, '$[*] ? (@.outcome == "gone")') then
    -- Keep a device that its app has registered again since the claim. Users are locked before deliveries (sql/README.md), so skip
    -- locked devices instead of waiting for them.
    delete from kith.devices as device
    using (
      select device.tenant_id, device.token
      from jsonb_to_recordset(p_results) as result (tenant_id integer, id uuid, outcome text)
      join kith.deliveries as delivery
        on delivery.tenant_id = result.tenant_id and delivery.id = result.id and delivery.leased_by = p_instance
          and delivery.channel in ('apns', 'web_push')
      join kith.devices as device
        on device.tenant_id = delivery.tenant_id and device.token = delivery.address
          and device.last_seen_at < delivery.leased_until - interval '1 minute'
      where result.outcome = 'gone'
      for update of device skip locked
    ) as gone
    where device.tenant_id = gone.tenant_id and device.token = gone.token;
  end if;
end
$$;
comment on function internal.delete_gone_devices(jsonb, text) is
  'Deletes the devices that the push service no longer knows (A05): those of the results with the outcome gone. For worker.finish_deliveries.';
revoke all on function internal.delete_gone_devices(jsonb, text) from public;

create or replace function internal.lock_results(p_results jsonb) returns void
  language plpgsql
as $$
begin
  -- Take locks in the order of sql/README.md: deliveries with a text of their own, notifications, then the deliveries of notifications.
  -- Lock each kind in key order, because deleting an account updates several of them.
  perform from jsonb_to_recordset(p_results) as result (tenant_id integer, id uuid)
  join kith.deliveries as delivery
    on delivery.tenant_id = result.tenant_id and delivery.id = result.id and delivery.notification_id is null
  order by delivery.tenant_id, delivery.id
  for no key update of delivery;
  perform from jsonb_to_recordset(p_results) as result (tenant_id integer, id uuid)
  join kith.deliveries as delivery
    on delivery.tenant_id = result.tenant_id and delivery.id = result.id and delivery.notification_id is not null
  join kith.notifications as notification
    on notification.tenant_id = delivery.tenant_id and notification.id = delivery.notification_id
  order by notification.tenant_id, notification.id
  for no key update of notification;
  perform from jsonb_to_recordset(p_results) as result (tenant_id integer, id uuid)
  join kith.deliveries as delivery
    on delivery.tenant_id = result.tenant_id and delivery.id = result.id and delivery.notification_id is not null
  order by delivery.tenant_id, delivery.id
  for no key update of delivery;
end
$$;
comment on function internal.lock_results(jsonb) is
  'Locks the deliveries of the results, and their notifications. For worker.finish_deliveries.';
revoke all on function internal.lock_results(jsonb) from public;

create or replace function internal.status_after(p_outcome text, p_purpose text, p_attempts integer) returns text
  language sql
  immutable
  parallel safe
as $$
  select case
    when p_outcome = 'sent' then 'sent'
    when p_outcome = 'later' then 'queued'
    when p_outcome = 'retry' and p_attempts < internal.attempts_allowed(p_purpose) then 'queued'
    else 'failed'
  end
$$;
comment on function internal.status_after(text, text, integer) is
  'The status of a delivery after an attempt with the given outcome, its p_attempts-th.';
revoke all on function internal.status_after(text, text, integer) from public;

create or replace function internal.record_results(
  p_results jsonb, p_instance text, p_now timestamptz, out finished kith.deliveries[], out postponed integer
)
  language plpgsql
as $$
begin
  with result as materialized (
    select result.*, result.outcome = 'later' as is_later
    from jsonb_to_recordset(p_results) as result (
      tenant_id integer, id uuid, outcome text, error text, retry_after double precision, provider_id text
    )
  ), changed as (
    update kith.deliveries as delivery
    set status = internal.status_after(result.outcome, delivery.purpose, delivery.attempts),
      sent_at = case when result.outcome = 'sent' then p_now end,
      error = case when result.is_later then coalesce(delivery.error, result.error) else result.error end,
      attempts = delivery.attempts - case when result.is_later then 1 else 0 end,
      -- A postponed delivery was not sent, so this claim says nothing about whether it crashes workers. Undo only the count of this
      -- claim.
      unanswered = case when result.is_later then greatest(delivery.unanswered - 1, 0) else 0 end,
      provider_id = coalesce(result.provider_id, delivery.provider_id),
      -- Never later than expires_at, so that the delivery is considered once more and dropped.
      next_attempt_at = least(
        p_now + greatest(
          case when not result.is_later then internal.retry_delay(delivery.id, delivery.attempts) end,
          make_interval(secs => least(coalesce(result.retry_after, 0), 1000000))
        ),
        delivery.expires_at
      ),
      sealed_secret = case
        when internal.status_after(result.outcome, delivery.purpose, delivery.attempts) = 'queued' then delivery.sealed_secret
      end,
      leased_until = null, leased_by = null
    from result
    where delivery.tenant_id = result.tenant_id and delivery.id = result.id
      -- A success counts even if the lease has ended meanwhile. Any other result is up to the instance that holds the lease now.
      and (delivery.leased_by = p_instance or result.outcome = 'sent' and delivery.status <> 'sent')
    returning delivery, result.is_later
  )
  select array_agg(changed.delivery) filter (where not changed.is_later), count(*) filter (where changed.is_later)
  into finished, postponed
  from changed;
end
$$;
comment on function internal.record_results(jsonb, text, timestamptz) is
  'Writes the results to their deliveries. Returns the deliveries that were tried, as they are now, and how many were postponed. For worker.finish_deliveries, which has locked the rows.';
revoke all on function internal.record_results(jsonb, text, timestamptz) from public;

create or replace function internal.settle_finished(p_deliveries kith.deliveries[], p_instance text, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_invitations jsonb;
  v_totals jsonb;
  v_sent_tenants integer[];
  v_sent uuid[];
  v_lost_tenants integer[];
  v_lost uuid[];
  v_takers jsonb;
begin
  select
    jsonb_agg(jsonb_build_object('tenant_id', tenant_id, 'id', id, 'status', status))
      filter (where purpose = 'invitation' and status in ('sent', 'failed')),
    (
      select jsonb_agg(jsonb_build_object('channel', channel, case status when 'queued' then 'retried' else status end, ended))
      from (select channel, status, count(*) as ended from unnest(p_deliveries) group by channel, status) as counted
    ),
    array_agg(tenant_id) filter (where notification_id is not null and status = 'sent'),
    array_agg(notification_id) filter (where notification_id is not null and status = 'sent'),
    array_agg(tenant_id) filter (where notification_id is not null and is_lost),
    array_agg(notification_id) filter (where notification_id is not null and is_lost),
    jsonb_agg(distinct jsonb_build_object('tenant_id', tenant_id, 'channel', channel)) filter (where status = 'sent')
  into v_invitations, v_totals, v_sent_tenants, v_sent, v_lost_tenants, v_lost, v_takers
  from (
    -- The third failure of an urgent delivery counts too, although it is retried: another channel may be quicker.
    select *, status = 'failed' or status = 'queued' and is_urgent and attempts = 3 as is_lost from unnest(p_deliveries)
  ) as delivery;
  if v_invitations is not null then
    perform internal.settle_invitations(v_invitations, p_now);
  end if;
  if v_sent is not null then
    perform internal.settle_sent(v_sent_tenants, v_sent, p_now);
  end if;
  if v_lost is not null then
    perform internal.settle_notifications(v_lost_tenants, v_lost, p_now);
  end if;
  if v_totals is not null then
    perform internal.count_deliveries(p_instance, v_totals);
  end if;
  if v_takers is not null then
    perform internal.clear_channel_errors(v_takers, p_now);
  end if;
end
$$;
comment on function internal.settle_finished(kith.deliveries[], text, timestamptz) is
  'Updates what depends on deliveries that have just been tried: invitations, notifications, alarms, totals, and the state of the channels. For worker.finish_deliveries.';
revoke all on function internal.settle_finished(kith.deliveries[], text, timestamptz) from public;

create or replace function internal.settle_sent(p_tenants integer[], p_notifications uuid[], p_now timestamptz) returns void
  language plpgsql
as $$
begin
  update kith.notifications as notification
  set delivery_status = 'sent', sent_at = p_now, escalates_at = null
  from unnest(p_tenants, p_notifications) as sent (tenant_id, id)
  where notification.tenant_id = sent.tenant_id and notification.id = sent.id and notification.delivery_status <> 'sent';
  if exists (select from kith.undelivered_alarms where resolved_at is null) then
    update kith.undelivered_alarms as alarm
    set resolved_at = p_now
    from unnest(p_tenants, p_notifications) as sent (tenant_id, id)
    where alarm.tenant_id = sent.tenant_id and alarm.notification_id = sent.id and alarm.resolved_at is null;
  end if;
end
$$;
comment on function internal.settle_sent(integer[], uuid[], timestamptz) is
  'Marks notifications as sent, and resolves them if they were undelivered alarms. The caller must have locked the rows.';
revoke all on function internal.settle_sent(integer[], uuid[], timestamptz) from public;

create or replace function internal.clear_channel_errors(p_takers jsonb, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  -- Wait until the last check is a minute old: messages in flight when the provider began to refuse must not hide the error, and the
  -- row is not written for each message.
  update kith.channel_credentials as credentials
  set checked_at = p_now, error = null
  from (
    select credentials.tenant_id, credentials.channel
    from jsonb_to_recordset(p_takers) as taker (tenant_id integer, channel text)
    join kith.channel_credentials as credentials
      on credentials.tenant_id = taker.tenant_id and credentials.channel = taker.channel
        and (credentials.checked_at is null or credentials.checked_at < p_now - interval '1 minute')
    for update of credentials skip locked
  ) as taker
  where credentials.tenant_id = taker.tenant_id and credentials.channel = taker.channel;
end
$$;
comment on function internal.clear_channel_errors(jsonb, timestamptz) is
  'Clears the recorded errors of channels, [{tenant_id, channel}], whose provider has just taken a message: that proves that it accepts the credentials.';
revoke all on function internal.clear_channel_errors(jsonb, timestamptz) from public;

create or replace function worker.drop_expired_deliveries(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- For the same reason as in claim_deliveries.
  set plan_cache_mode = 'force_generic_plan'
  set jit = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_seqscan = off
as $$
declare
  v_tenants integer[];
  v_ids uuid[];
begin
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
  set enable_seqscan = off
as $$
declare
  v_tenants integer[];
  v_ids uuid[];
begin
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
