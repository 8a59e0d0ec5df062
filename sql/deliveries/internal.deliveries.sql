-- The outbox, and the texts of the messages that carry a code.

create or replace function internal.code_text(p_key text, p_locale text, p_brand text) returns text
  language plpgsql
  stable
as $$
begin
  return (
    select format(pattern, null, null, '{code}', internal.isolated_name(p_brand, is_right_to_left))
    from internal.texts
    where locale = p_locale and key = p_key
  );
end
$$;
comment on function internal.code_text(text, text, text) is
  'A text of a message that carries a code, by its key in the catalogue and in a language of internal.languages, with '
  '{code} in place of the secret. Null for an unknown key.';

create or replace function internal.queue_delivery(
  p_id uuid, p_channel text, p_purpose text, p_address text, p_subject text, p_body text, p_sealed_secret bytea,
  p_dropped_for text, p_expires_at timestamptz, p_now timestamptz
) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  insert into kith.deliveries (
    tenant_id, id, channel, purpose, address, subject, body, sealed_secret, status, error, next_attempt_at, expires_at,
    created_at
  )
  values (
    v_tenant, p_id, p_channel, p_purpose, p_address, p_subject, p_body,
    case when p_dropped_for is null then p_sealed_secret end,
    case when p_dropped_for is null then 'queued' else 'dropped' end, p_dropped_for, p_now, p_expires_at, p_now
  );
end
$$;
comment on function internal.queue_delivery(
  uuid, text, text, text, text, text, bytea, text, timestamptz, timestamptz
) is
  'Writes a message to the outbox, in the transaction of its cause. p_dropped_for gives the reason not to send it; '
  'null sends it. For definer procedures: nobody else may insert there.';

create or replace function internal.retry_delay(p_id uuid, p_attempts integer) returns interval
  language sql
  immutable
  parallel safe
as $$
  -- 5, 10, 20 … seconds up to an hour, times 0.75 to 1.25 by the random bits of the id, so that deliveries that failed
  -- together retry apart.
  select least(5 * 2 ^ (p_attempts - 1), 3600) * (
    0.75 + ('x' || right(p_id::text, 6))::bit(24)::integer / 33554432.0
  ) * interval '1 second'
$$;
comment on function internal.retry_delay(uuid, integer) is
  'How long a delivery waits after p_attempts failed attempts: exponential back-off, with a jitter that depends only '
  'on the delivery''s id.';

create or replace function internal.attempts_allowed(p_purpose text) returns integer
  language sql
  immutable
  parallel safe
as $$
  -- A code is void after ten minutes. A notification is still worth sending when the provider is back the next day.
  select case p_purpose when 'notification' then 30 else 10 end
$$;
comment on function internal.attempts_allowed(text) is
  'The number of attempts after which a delivery fails for good. For a notification, they span about a day.';

create or replace function internal.is_own_miss(p_type text, p_data jsonb) returns boolean
  language sql
  immutable
  parallel safe
as $$
  select p_type = 'ping_missed' and not p_data ? 'user_id' or p_type = 'alarm_reopened' and p_data ? 'again'
$$;
comment on function internal.is_own_miss(text, jsonb) is
  'Whether a notification tells a sender of their own missed ping, or that nobody looks after it. It goes out as an '
  'alarm, but the people who act are the receivers, who are told too. If it reaches nobody, it is therefore no alarm '
  'that reached nobody.';

create or replace function internal.count_deliveries(p_instance text, p_counts jsonb) returns void
  language plpgsql
as $$
begin
  insert into kith.delivery_totals as totals (channel, slot, sent, failed, dropped, retried)
  select counts.channel, abs(hashtext(p_instance) % 16), sum(coalesce(counts.sent, 0)), sum(coalesce(counts.failed, 0)),
    sum(coalesce(counts.dropped, 0)), sum(coalesce(counts.retried, 0))
  from jsonb_to_recordset(p_counts) as counts (channel text, sent bigint, failed bigint, dropped bigint, retried bigint)
  group by counts.channel
  -- In a fixed order, because two workers may update the same rows.
  order by counts.channel
  on conflict (channel, slot) do update
  set sent = totals.sent + excluded.sent, failed = totals.failed + excluded.failed,
    dropped = totals.dropped + excluded.dropped, retried = totals.retried + excluded.retried;
end
$$;
comment on function internal.count_deliveries(text, jsonb) is
  'Adds to the totals: [{channel, sent?, failed?, dropped?, retried?}]. Call it last in a transaction: another worker '
  'that counts in the same row waits for the transaction to end.';

create or replace function internal.report_undelivered(p_tenants integer[], p_notifications uuid[], p_now timestamptz)
  returns void
  language plpgsql
as $$
begin
  with reported as (
    insert into kith.undelivered_alarms (tenant_id, notification_id, user_id, type, at)
    select notification.tenant_id, notification.id, notification.user_id, notification.type, p_now
    from unnest(p_tenants, p_notifications) as alarm (tenant_id, id)
    join kith.notifications as notification on notification.tenant_id = alarm.tenant_id and notification.id = alarm.id
    where not internal.is_own_miss(notification.type, notification.data)
      and not exists (select from internal.hidden_person(notification.tenant_id, notification.user_id))
    on conflict do nothing
    returning tenant_id, notification_id, user_id
  )
  insert into kith.events (tenant_id, id, user_id, type, subject_id)
  select reported.tenant_id, internal.uuid7(p_now), reported.user_id, 'alarm_undelivered', reported.notification_id
  from reported;
  -- Leave notifications queued while deliveries are still being tried.
  update kith.notifications as notification
  set delivery_status = 'failed'
  from unnest(p_tenants, p_notifications) as alarm (tenant_id, id)
  where notification.tenant_id = alarm.tenant_id and notification.id = alarm.id
    and notification.delivery_status = 'queued' and not exists (
      select from kith.deliveries as delivery
      where delivery.tenant_id = notification.tenant_id and delivery.notification_id = notification.id
        and delivery.status in ('queued', 'sending')
    );
end
$$;
comment on function internal.report_undelivered(integer[], uuid[], timestamptz) is
  'Records alarms that no channel has accepted, once each, for the tenant''s server and the operator (F07). A '
  'sender''s notice of their own miss is none (internal.is_own_miss), and a canary has an alert of its own.';

create or replace function internal.is_later_call(p_delivery kith.deliveries, p_now timestamptz) returns boolean
  language sql
  stable
  parallel safe
as $$
  select p_delivery.channel = 'voice' and p_delivery.status = 'queued'
    and p_delivery.next_attempt_at > p_now + interval '2 minutes'
$$;
comment on function internal.is_later_call(kith.deliveries, timestamptz) is
  'Whether a delivery is a call that is made again only in some minutes (J03): until then nobody is being told.';

create or replace function internal.settle_notifications(p_tenants integer[], p_notifications uuid[], p_now timestamptz)
  returns void
  language plpgsql
as $$
declare
  v_tenants integer[];
  v_undelivered uuid[];
begin
  with unsent as materialized (
    select notification.tenant_id, notification.id,
      over.reason is null and internal.must_reach(notification.type, notification.data) as is_alarm,
      over.reason is not null as is_pointless, notification.escalated_at is not null as was_escalated,
      over.reason is null and internal.escalates(notification.type)
        and case
          when notification.escalated_at is null then not made.waits_for_device
          else not made.waits_for_text and internal.is_call_left(notification)
        end as may_escalate,
      over.reason is null and internal.escalates(notification.type) and notification.escalated_at is null as may_wait,
      made.*
    from (select distinct tenant_id, id from unnest(p_tenants, p_notifications) as given (tenant_id, id)) as given
    join kith.notifications as notification
      on notification.tenant_id = given.tenant_id and notification.id = given.id
        and notification.delivery_status = 'queued'
    cross join lateral (select internal.is_over(notification) as reason offset 0) as over
    cross join lateral (
      select coalesce(bool_or(delivery.status in ('queued', 'sending')), false) as is_left,
        coalesce(
          bool_or(delivery.status in ('queued', 'sending') and not internal.is_later_call(delivery, p_now)), false
        ) as is_tried,
        coalesce(bool_or(delivery.status = 'failed'), false) as has_failed,
        -- Another device of theirs may take it in this moment.
        coalesce(bool_or(trial.goes_on and internal.goes_to_device(delivery.channel)), false) as waits_for_device,
        coalesce(bool_or(trial.goes_on and delivery.channel <> 'voice'), false) as waits_for_text
      from kith.deliveries as delivery
      cross join lateral (
        select delivery.status in ('queued', 'sending') and delivery.attempts < 3
          and delivery.next_attempt_at <= p_now + interval '1 minute' as goes_on
      ) as trial
      where delivery.tenant_id = notification.tenant_id and delivery.notification_id = notification.id
    ) as made
  ), settled as (
    update kith.notifications as notification
    set delivery_status = case
        when unsent.is_left or unsent.is_alarm or unsent.may_escalate then 'queued'
        when unsent.has_failed and not unsent.is_pointless then 'failed'
        else 'dropped'
      end,
      -- Escalate to the person's other channels at once.
      escalates_at = case
        when unsent.may_escalate then p_now
        when unsent.is_left
          then coalesce(notification.escalates_at, case when unsent.may_wait then p_now + interval '2 minutes' end)
      end
    from unsent
    where notification.tenant_id = unsent.tenant_id and notification.id = unsent.id
    returning notification.tenant_id, notification.id,
      unsent.is_alarm and unsent.was_escalated and not unsent.is_tried and not unsent.may_escalate as is_undelivered
  )
  select array_agg(settled.tenant_id), array_agg(settled.id)
  into v_tenants, v_undelivered
  from settled
  where settled.is_undelivered;
  if v_undelivered is not null then
    perform internal.report_undelivered(v_tenants, v_undelivered, p_now);
  end if;
end
$$;
comment on function internal.settle_notifications(integer[], uuid[], timestamptz) is
  'Settles notifications after one of their deliveries failed, or keeps failing. If no delivery is left, the '
  'notification becomes failed, or dropped if it was pointless or no delivery failed. An alarm first escalates to the '
  'person''s other channels, a call last, unless another device may still take it, and counts as undelivered after '
  'those. The caller must have locked the rows.';

create or replace function internal.has_expired(p_error text) returns boolean
  language sql
  immutable
  parallel safe
as $$
  select coalesce(p_error ~ '(^|; )(expired|the deadline had passed)$', false)
$$;
comment on function internal.has_expired(text) is
  'Whether a delivery was dropped, by its error, because its time had passed while it waited: an operator may want to '
  'know whom that concerns.';
grant execute on function internal.has_expired(text) to kith_reader;

create or replace function internal.why_unheard(p_unheard text) returns text
  language sql
  immutable
  parallel safe
as $$
  select case p_unheard
    when 'machine' then 'a machine answered' when 'no_answer' then 'nobody answered' when 'busy'
      then 'the line was busy' when 'failed' then 'the call failed'
  end
$$;
comment on function internal.why_unheard(text) is
  'The error of a call that a provider took and nobody heard, by its word for that: machine, no_answer, busy or '
  'failed.';

create or replace function internal.leave_unheard(
  p_tenant_id integer, p_delivery_id uuid, p_notification_id uuid, p_unheard text, p_now timestamptz
) returns void
  language plpgsql
as $$
declare
  v_status text;
begin
  perform from kith.notifications where tenant_id = p_tenant_id and id = p_notification_id for no key update;
  -- A provider may report it twice, and a call that a machine answered as completed.
  update kith.deliveries set error = internal.why_unheard(p_unheard)
  where tenant_id = p_tenant_id and id = p_delivery_id and status in ('sending', 'sent')
    and not internal.is_unheard('sent', error)
  returning status into v_status;
  -- A report that overtakes the provider's answer waits for it (internal.settle_finished).
  if v_status = 'sent' then
    perform internal.go_on_unheard(p_tenant_id, p_notification_id, p_now);
  end if;
end
$$;
comment on function internal.leave_unheard(integer, uuid, uuid, text, timestamptz) is
  'Records that nobody has heard a call: a machine answered, or nobody, or it was busy or failed. For '
  'api.receive_call.';

create or replace function internal.go_on_unheard(p_tenant_id integer, p_notification_id uuid, p_now timestamptz)
  returns void
  language plpgsql
as $$
declare
  v_notification kith.notifications;
  v_is_alarm boolean;
  v_is_last boolean;
  v_rests boolean;
begin
  select * into v_notification from kith.notifications where tenant_id = p_tenant_id and id = p_notification_id;
  v_is_alarm := internal.must_reach(v_notification.type, v_notification.data);
  if v_notification.delivery_status <> 'sent' or v_notification.data ? 'drill'
    or not internal.escalates(v_notification.type) or exists (
    select from kith.deliveries as other
    where other.tenant_id = p_tenant_id and other.notification_id = p_notification_id and other.status = 'sent'
      and other.channel <> 'voice'
  ) or internal.is_over(v_notification) is not null then
    return;
  end if;
  select count(*) = 0, count(*) filter (where not internal.is_later_call(other, p_now)) = 0 into v_is_last, v_rests
  from kith.deliveries as other
  where other.tenant_id = p_tenant_id and other.notification_id = p_notification_id
    and other.status in ('queued', 'sending');
  update kith.notifications
  set delivery_status = case
      when v_is_last and escalated_at is not null and not v_is_alarm then 'failed'
      else 'queued'
    end,
    sent_at = null, escalates_at = case when escalated_at is null or v_rests and v_is_alarm then p_now end
  where tenant_id = p_tenant_id and id = p_notification_id;
  if v_rests and v_is_alarm then
    -- That the provider took the call had resolved it.
    delete from kith.undelivered_alarms
    where tenant_id = p_tenant_id and notification_id = p_notification_id and resolved_at is not null;
  end if;
end
$$;
comment on function internal.go_on_unheard(integer, uuid, timestamptz) is
  'After a call that nobody has heard: if no other channel has taken the alarm or the question, its reader is not told '
  '(F12). It escalates to their other channels at once, while the calls go on. An alarm is undelivered where there are '
  'none (F07), until the next call is taken. The caller has locked the notification.';

create or replace function internal.waiting_deliveries(p_now timestamptz)
  returns table (channel text, oldest_at kith.instant)
  language plpgsql
  stable
as $$
#variable_conflict use_column
declare
  v_deleted integer[] := internal.deleted_tenants();
begin
  return query
  select known.channel, oldest.at
  from internal.channels() as known
  cross join lateral (
    select v_deleted
      || array(select pause.tenant_id from kith.channel_pauses as pause where pause.channel = known.channel) as tenants
  ) as passed
  cross join lateral (
    select delivery.next_attempt_at as at
    from kith.deliveries as delivery
    where delivery.channel = known.channel and delivery.status in ('queued', 'sending') and delivery.attempts >= 0
      and delivery.next_attempt_at <= p_now
      and delivery.tenant_id <> all (passed.tenants)
    order by delivery.next_attempt_at
    limit 1
  ) as oldest
  where 0 <> all (passed.tenants);
end
$$;
comment on function internal.waiting_deliveries(timestamptz) is
  'The time since which the oldest deliverable delivery of each channel has been due. A channel has no row if none is '
  'due or the channel is paused.';

create or replace function internal.replay_deliveries(
  p_tenant_id integer, p_ids uuid[], p_reason text, p_now timestamptz
)
  returns integer
  language plpgsql
as $$
declare
  v_replayed integer;
begin
  perform from kith.notifications
  where tenant_id = p_tenant_id
    and id = any (array(select notification_id from kith.deliveries where tenant_id = p_tenant_id and id = any (p_ids)))
  order by id
  for no key update;
  perform from kith.deliveries where tenant_id = p_tenant_id and id = any (p_ids) order by id for no key update;
  with replayed as (
    update kith.deliveries as delivery
    set status = 'queued', attempts = 0, unanswered = 0, next_attempt_at = p_now,
      failures = case
        when jsonb_array_length(delivery.failures) >= 100 then delivery.failures
        else coalesce(delivery.failures, '[]') || jsonb_build_array(
          jsonb_build_object('at', p_now, 'replayed_by', internal.operator(), 'reason', left(p_reason, 300))
        )
      end,
      expires_at = least(p_now + interval '1 day', (
        select internal.serves_until(known.deadline_key, notification.data)
        from kith.notifications as notification
        join internal.notification_types() as known on known.type = notification.type
        where notification.tenant_id = p_tenant_id and notification.id = delivery.notification_id
      ))
    where tenant_id = p_tenant_id and id = any (p_ids) and status = 'failed'
    returning id, notification_id
  ), queued as (
    update kith.notifications as notification
    set delivery_status = 'queued'
    from (select distinct notification_id from replayed) as told
    where notification.tenant_id = p_tenant_id and notification.id = told.notification_id
      and notification.delivery_status = 'failed'
  ), reopened as (
    -- An alarm that somebody had resolved counts anew: if it is sent again and nobody accepts it, it is undelivered
    -- again.
    delete from kith.undelivered_alarms as alarm
    using (select distinct notification_id as id from replayed) as told
    where alarm.tenant_id = p_tenant_id and alarm.notification_id = told.id and alarm.resolved_at is not null
  ), texted as (
    update kith.connection_invitation_recipients as recipient
    set status = 'queued', updated_at = p_now
    from replayed
    where recipient.tenant_id = p_tenant_id and recipient.delivery_id = replayed.id and recipient.status = 'failed'
  )
  select count(*) into v_replayed from replayed;
  return v_replayed;
end
$$;
comment on function internal.replay_deliveries(integer, uuid[], text, timestamptz) is
  'Queues the dead letters among the given deliveries again, for a day, but not past the deadline that they serve, and '
  'notes in each who did so and why. Returns how many. For definer procedures that have checked their access.';

create or replace function internal.end_deliveries(
  p_tenants integer[], p_ids uuid[], p_status text, p_reason text, p_now timestamptz
) returns integer
  language plpgsql
as $$
declare
  v_ended integer;
  v_invitations jsonb;
  v_totals jsonb;
  v_tenants integer[];
  v_notifications uuid[];
begin
  with given as materialized (
    select delivery.tenant_id, delivery.id, delivery.notification_id
    from unnest(p_tenants, p_ids) as given (tenant_id, id)
    join kith.deliveries as delivery on delivery.tenant_id = given.tenant_id and delivery.id = given.id
  ), locked as materialized (
    -- If another transaction has locked the notification, its delivery is ended on a later call.
    select given.tenant_id, given.id
    from given
    join kith.notifications as notification
      on notification.tenant_id = given.tenant_id and notification.id = given.notification_id
    for no key update of notification skip locked
  ), ended as (
    update kith.deliveries as delivery
    set status = p_status, error = concat_ws('; ', delivery.error, p_reason), sealed_secret = null, leased_until = null,
      leased_by = null, next_attempt_at = p_now
    from given
    where delivery.tenant_id = given.tenant_id and delivery.id = given.id
      and (
        given.notification_id is null
        or exists (select from locked where locked.tenant_id = given.tenant_id and locked.id = given.id)
        or not exists (
          select from kith.notifications as notification
          where notification.tenant_id = given.tenant_id and notification.id = given.notification_id
        )
      )
    returning delivery.tenant_id, delivery.id, delivery.channel, delivery.purpose, delivery.notification_id
  )
  select
    (select count(*) from ended),
    (
      select jsonb_agg(jsonb_build_object('tenant_id', tenant_id, 'id', id, 'status', p_status)) from ended
      where purpose = 'invitation'
    ),
    (
      select jsonb_agg(jsonb_build_object('channel', channel, p_status, counted.deliveries))
      from (select channel, count(*) as deliveries from ended group by channel) as counted
    ),
    (select array_agg(tenant_id) from ended where notification_id is not null),
    (select array_agg(notification_id) from ended where notification_id is not null)
  into v_ended, v_invitations, v_totals, v_tenants, v_notifications;
  if v_invitations is not null then
    perform internal.settle_invitations(v_invitations, p_now);
  end if;
  if v_notifications is not null then
    perform internal.settle_notifications(v_tenants, v_notifications, p_now);
  end if;
  if v_totals is not null then
    perform internal.count_deliveries('', v_totals);
  end if;
  return v_ended;
end
$$;
comment on function internal.end_deliveries(integer[], uuid[], text, text, timestamptz) is
  'Ends deliveries that the caller has locked, as dropped or failed, for a reason, and updates the invitations, '
  'notifications and totals that depend on them. Returns how many it ended: a delivery whose notification another '
  'transaction has locked is not ended. For definer procedures; it keeps their planner settings.';
