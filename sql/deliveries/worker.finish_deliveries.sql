create or replace function worker.finish_deliveries(p_now timestamptz, p_instance text, p_results jsonb) returns integer
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
  v_recorded integer := 0;
  v_result jsonb;
  v_table text;
  v_constraint text;
  v_context text;
begin
  p_now := internal.present(p_now);
  begin
    return internal.finish_results(p_results, p_instance, p_now);
  exception when others then
    if not internal.is_of_data(sqlstate) then
      raise;
    end if;
  end;
  -- One at a time. A delivery whose result cannot be recorded is not claimed again at once, because it may have been
  -- sent.
  for v_result in select * from jsonb_array_elements(p_results) loop
    begin
      v_recorded := v_recorded + internal.finish_results(jsonb_build_array(v_result), p_instance, p_now);
    exception when others then
      if not internal.is_of_data(sqlstate) then
        raise;
      end if;
      get stacked diagnostics v_table = table_name, v_constraint = constraint_name, v_context = pg_exception_context;
      perform internal.put_aside(
        'claim_deliveries', (v_result ->> 'tenant_id')::integer, v_result ->> 'id', sqlstate,
        internal.error_place(v_table, v_constraint, v_context), p_now
      );
    end;
  end loop;
  return v_recorded;
end
$$;
comment on function worker.finish_deliveries(timestamptz, text, jsonb) is
  'Records the results of deliveries that the instance claimed: an array of {tenant_id, id, outcome: sent, retry, '
  'failed, gone, opted_out or later, error?, retry_after? in seconds, provider_id?}. gone: the push service no longer '
  'knows the device, so the device is deleted (A05). opted_out: the provider sends this number nothing, because it has '
  'said STOP (internal.stop_refused). later: the delivery was not tried, because its destination has no capacity '
  'before retry_after; this does not count as an attempt. Retries use growing delays and never come before '
  'retry_after, but what is urgent waits for 4 minutes of it at most, and goes out on other channels meanwhile. A '
  'delivery fails for good after internal.attempts_allowed attempts. The notification is sent when its first delivery '
  'is sent, and failed when none is left. An alarm, or a question to a sender, first falls back to other channels '
  '(F07). Returns how many results it recorded. Security definer, because the worker may not read or write '
  'notifications, deliveries and devices.';
grant execute on function worker.finish_deliveries(timestamptz, text, jsonb) to kith_worker;

create or replace function internal.finish_results(p_results jsonb, p_instance text, p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_finished kith.deliveries[];
  v_postponed kith.deliveries[];
begin
  perform internal.delete_gone_devices(p_results, p_instance, p_now);
  perform internal.stop_refused(p_results, p_instance, p_now);
  perform internal.lock_results(p_results);
  select recorded.finished, recorded.postponed into v_finished, v_postponed
  from internal.record_results(p_results, p_instance, p_now) as recorded;
  perform internal.settle_finished(v_finished, p_instance, p_now);
  if v_postponed is not null then
    perform internal.leave_postponed(v_postponed, p_now);
  end if;
  if exists (select from kith.set_aside as aside where aside.loop = 'claim_deliveries') then
    perform internal.take_back('claim_deliveries', v_finished, p_now);
  end if;
  return coalesce(cardinality(v_finished), 0) + coalesce(cardinality(v_postponed), 0);
end
$$;
comment on function internal.finish_results(jsonb, text, timestamptz) is
  'Records results. Returns how many. For worker.finish_deliveries.';

create or replace function internal.delete_gone_devices(p_results jsonb, p_instance text, p_now timestamptz)
  returns void
  language plpgsql
as $$
declare
  v_gone record;
begin
  if jsonb_path_exists(p_results, '$[*] ? (@.outcome == "gone")') then
    -- Keep a device that its app has registered again since the claim. Users are locked before deliveries
    -- (sql/README.md), so skip locked devices instead of waiting for them.
    for v_gone in delete from kith.devices as device
    using (
      select device.tenant_id, device.token
      from jsonb_to_recordset(p_results) as result (tenant_id integer, id uuid, outcome text)
      join kith.deliveries as delivery
        on delivery.tenant_id = result.tenant_id and delivery.id = result.id and delivery.leased_by = p_instance
          and internal.goes_to_device(delivery.channel)
      join kith.devices as device
        on device.tenant_id = delivery.tenant_id and device.token = delivery.address
          and device.last_seen_at < delivery.leased_until - interval '1 minute'
      where result.outcome = 'gone'
      for update of device skip locked
    ) as gone
    where device.tenant_id = gone.tenant_id and device.token = gone.token
    returning device.tenant_id, device.user_id
    loop
      perform internal.emit_account(v_gone.tenant_id, v_gone.user_id, p_now);
    end loop;
  end if;
end
$$;
comment on function internal.delete_gone_devices(jsonb, text, timestamptz) is
  'Deletes the devices that the push service no longer knows (A05): those of the results with the outcome gone. For '
  'worker.finish_deliveries.';

create or replace function internal.lock_results(p_results jsonb) returns void
  language plpgsql
as $$
declare
  v_tenants integer[];
  v_notifications uuid[];
begin
  -- Take locks in the order of sql/README.md: deliveries with a text of their own, notifications, then the deliveries
  -- of notifications. Lock each kind in key order, because deleting an account updates several of them. Whether a
  -- delivery has a notification is no condition of an index here: by the index of notifications, each would be searched
  -- among all of its tenant.
  perform from jsonb_to_recordset(p_results) as result (tenant_id integer, id uuid)
  join kith.deliveries as delivery
    on delivery.tenant_id = result.tenant_id and delivery.id = result.id and (delivery.notification_id is null) is true
  order by delivery.tenant_id, delivery.id
  for no key update of delivery;
  select array_agg(delivery.tenant_id), array_agg(delivery.notification_id) into v_tenants, v_notifications
  from jsonb_to_recordset(p_results) as result (tenant_id integer, id uuid)
  cross join lateral (
    select one.tenant_id, one.notification_id from kith.deliveries as one
    where one.tenant_id = result.tenant_id and one.id = result.id
    offset 0
  ) as delivery
  where delivery.notification_id is not null;
  perform from unnest(v_tenants, v_notifications) as told (tenant_id, id)
  join kith.notifications as notification on notification.tenant_id = told.tenant_id and notification.id = told.id
  order by notification.tenant_id, notification.id
  for no key update of notification;
  perform from jsonb_to_recordset(p_results) as result (tenant_id integer, id uuid)
  join kith.deliveries as delivery
    on delivery.tenant_id = result.tenant_id and delivery.id = result.id and (delivery.notification_id is null) is false
  order by delivery.tenant_id, delivery.id
  for no key update of delivery;
end
$$;
comment on function internal.lock_results(jsonb) is
  'Locks the deliveries of the results, and their notifications. For worker.finish_deliveries.';

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

create or replace function internal.with_failure(p_failures jsonb, p_at timestamptz, p_error text) returns jsonb
  language sql
  stable
  parallel safe
as $$
  select case
    when jsonb_array_length(p_failures) >= 50 then p_failures
    else coalesce(p_failures, '[]') || jsonb_build_array(jsonb_build_object('at', p_at, 'error', left(p_error, 300)))
  end
$$;
comment on function internal.with_failure(jsonb, timestamptz, text) is
  'The failed attempts of a delivery with one more. Only an operator''s replays can make more than 50; those are not '
  'kept.';

create or replace function internal.is_awaited(p_delivery kith.deliveries) returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (
    select from kith.notifications as notification
    where notification.tenant_id = p_delivery.tenant_id and notification.id = p_delivery.notification_id
      and internal.escalates(notification.type)
  );
end
$$;
comment on function internal.is_awaited(kith.deliveries) is
  'Whether a delivery is of an alarm, a question or what has become of one: whoever reads it late goes on looking, or '
  'is missed. For internal.record_results.';

create or replace function internal.record_results(
  p_results jsonb, p_instance text, p_now timestamptz, out finished kith.deliveries[], out postponed kith.deliveries[]
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
      error = case
        when result.is_later then coalesce(delivery.error, result.error)
        -- Nobody has heard a call, which the provider has told before it answered that it takes it.
        when result.outcome = 'sent' and delivery.channel = 'voice' and internal.is_unheard('sent', delivery.error)
          then delivery.error
        else result.error
      end,
      attempts = delivery.attempts - case when result.is_later then 1 else 0 end,
      -- A postponed delivery was not sent, so this claim says nothing about whether it crashes workers. Undo only the
      -- count of this claim.
      unanswered = case when result.is_later then greatest(delivery.unanswered - 1, 0) else 0 end,
      failures = case
        when result.outcome not in ('sent', 'later') then internal.with_failure(delivery.failures, p_now, result.error)
        else delivery.failures
      end,
      provider_id = coalesce(result.provider_id, delivery.provider_id),
      -- Never later than expires_at, so that the delivery is considered once more and dropped.
      next_attempt_at = least(
        p_now + greatest(
          case when not result.is_later then internal.retry_delay(delivery.id, delivery.attempts) end,
          -- A provider that asks for hours holds no alarm, question or call for help, nor what has become of one.
          make_interval(secs => case
            when result.retry_after > 240 and (delivery.is_urgent or internal.is_awaited(delivery)) then 240
            else least(coalesce(result.retry_after, 0), 1000000)
          end)
        ),
        delivery.expires_at
      ),
      sealed_secret = case
        when internal.status_after(result.outcome, delivery.purpose, delivery.attempts) = 'queued'
          then delivery.sealed_secret
      end,
      leased_until = null, leased_by = null
    from result
    where delivery.tenant_id = result.tenant_id and delivery.id = result.id
      -- A success counts even if the lease has ended meanwhile. Any other result is up to the instance that holds the
      -- lease now.
      and (delivery.leased_by = p_instance or result.outcome = 'sent' and delivery.status <> 'sent')
    returning delivery, result.is_later
  )
  select array_agg(changed.delivery) filter (where not changed.is_later),
    array_agg(changed.delivery) filter (where changed.is_later)
  into finished, postponed
  from changed;
end
$$;
comment on function internal.record_results(jsonb, text, timestamptz) is
  'Writes the results to their deliveries. Returns the deliveries that were tried, as they are now, and those that '
  'were postponed. For worker.finish_deliveries, which has locked the rows.';

create or replace function internal.leave_postponed(p_deliveries kith.deliveries[], p_now timestamptz) returns void
  language plpgsql
as $$
begin
  update kith.notifications as notification
  set escalates_at = p_now
  from unnest(p_deliveries) as postponed
  where postponed.is_urgent and postponed.created_at <= p_now - interval '2 minutes'
    and notification.tenant_id = postponed.tenant_id and notification.id = postponed.notification_id
    and notification.delivery_status = 'queued' and notification.escalates_at is null
    and notification.escalated_at is null and internal.escalates(notification.type);
end
$$;
comment on function internal.leave_postponed(kith.deliveries[], timestamptz) is
  'Lets the questions among deliveries that were postponed go out on their readers'' other channels if they have '
  'waited for two minutes (X37), as internal.leave_silent_channel does for those that are not claimed. For '
  'internal.finish_results, which has locked the notifications.';

create or replace function internal.settle_finished(p_deliveries kith.deliveries[], p_instance text, p_now timestamptz)
  returns void
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
  v_called_tenants integer[];
  v_called uuid[];
begin
  select
    jsonb_agg(jsonb_build_object('tenant_id', tenant_id, 'id', id, 'status', status))
      filter (where purpose = 'invitation' and status in ('sent', 'failed')),
    (
      select jsonb_agg(
        jsonb_build_object('channel', channel, case status when 'queued' then 'retried' else status end, ended)
      )
      from (select channel, status, count(*) as ended from unnest(p_deliveries) group by channel, status) as counted
    ),
    array_agg(tenant_id) filter (where notification_id is not null and status = 'sent'),
    array_agg(notification_id) filter (where notification_id is not null and status = 'sent'),
    array_agg(tenant_id) filter (where notification_id is not null and is_lost),
    array_agg(notification_id) filter (where notification_id is not null and is_lost),
    jsonb_agg(distinct jsonb_build_object('tenant_id', tenant_id, 'channel', channel)) filter (where status = 'sent'),
    array_agg(tenant_id) filter (where channel = 'voice' and status = 'sent'),
    array_agg(id) filter (where channel = 'voice' and status = 'sent')
  into v_invitations, v_totals, v_sent_tenants, v_sent, v_lost_tenants, v_lost, v_takers, v_called_tenants, v_called
  from (
    -- The third failure of an urgent delivery counts too, and one whose provider asks for minutes, although it is
    -- retried: another channel may be quicker.
    select *, status = 'failed'
      or status = 'queued' and is_urgent
        and (attempts = 3 or attempts < 3 and next_attempt_at > p_now + interval '1 minute') as is_lost
    from unnest(p_deliveries)
  ) as delivery;
  if v_invitations is not null then
    perform internal.settle_invitations(v_invitations, p_now);
  end if;
  if v_sent is not null then
    perform internal.settle_sent(v_sent_tenants, v_sent, p_now);
  end if;
  if v_called is not null then
    perform internal.plan_next_calls(v_called_tenants, v_called, p_now);
    perform internal.go_on_unheard(call.tenant_id, call.notification_id, p_now)
    from unnest(p_deliveries) as call
    where call.channel = 'voice' and internal.is_unheard(call.status, call.error);
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
  'Updates what depends on deliveries that have just been tried: invitations, notifications, alarms, totals, and the '
  'state of the channels. For worker.finish_deliveries.';

create or replace function internal.settle_sent(p_tenants integer[], p_notifications uuid[], p_now timestamptz)
  returns void
  language plpgsql
as $$
begin
  update kith.notifications as notification
  set delivery_status = 'sent', sent_at = p_now, escalates_at = null
  from unnest(p_tenants, p_notifications) as sent (tenant_id, id)
  where notification.tenant_id = sent.tenant_id and notification.id = sent.id
    and notification.delivery_status <> 'sent';
  if exists (select from kith.undelivered_alarms where resolved_at is null) then
    update kith.undelivered_alarms as alarm
    set resolved_at = p_now
    from unnest(p_tenants, p_notifications) as sent (tenant_id, id)
    where alarm.tenant_id = sent.tenant_id and alarm.notification_id = sent.id and alarm.resolved_at is null;
  end if;
end
$$;
comment on function internal.settle_sent(integer[], uuid[], timestamptz) is
  'Marks notifications as sent, and resolves them if they were undelivered alarms. The caller must have locked the '
  'rows.';

create or replace function internal.clear_channel_errors(p_takers jsonb, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform internal.record_recovery(taker.tenant_id, taker.channel, p_now)
  from jsonb_to_recordset(p_takers) as taker (tenant_id integer, channel text)
  join kith.channel_credentials as credentials
    on credentials.tenant_id = taker.tenant_id and credentials.channel = taker.channel
  where credentials.refused_since is not null and credentials.checked_at < p_now - interval '1 minute'
  order by taker.tenant_id, taker.channel;
  -- Wait until the last check is a minute old: messages in flight when the provider began to refuse must not hide the
  -- error, and the row is not written for each message.
  update kith.channel_credentials as credentials
  set checked_at = p_now, error = null, refused_since = null
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
  'Clears the recorded errors of channels, [{tenant_id, channel}], whose provider has just taken a message: that '
  'proves that it accepts the credentials.';
