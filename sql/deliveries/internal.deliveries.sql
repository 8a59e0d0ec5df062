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
  'A text of a message that carries a code, by its key in the catalogue and in a language of internal.languages, with {code} in place of the '
  'secret. Null for an unknown key.';

create or replace function internal.queue_delivery(
  p_id uuid, p_channel text, p_purpose text, p_address text, p_subject text, p_body text, p_sealed_secret bytea, p_dropped_for text,
  p_expires_at timestamptz, p_now timestamptz
) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  insert into kith.deliveries (
    tenant_id, id, channel, purpose, address, subject, body, sealed_secret, status, error, next_attempt_at, expires_at, created_at
  )
  values (
    v_tenant, p_id, p_channel, p_purpose, p_address, p_subject, p_body, case when p_dropped_for is null then p_sealed_secret end,
    case when p_dropped_for is null then 'queued' else 'dropped' end, p_dropped_for, p_now, p_expires_at, p_now
  );
end
$$;
comment on function internal.queue_delivery(uuid, text, text, text, text, text, bytea, text, timestamptz, timestamptz) is
  'Writes a message to the outbox, in the transaction of its cause. p_dropped_for gives the reason not to send it; null sends it. For '
  'definer procedures: nobody else may insert there.';

create or replace function internal.retry_delay(p_id uuid, p_attempts integer) returns interval
  language sql
  immutable
  parallel safe
as $$
  -- 5, 10, 20 … seconds up to an hour, times 0.75 to 1.25 by the random bits of the id, so that deliveries that failed together retry
  -- apart.
  select least(5 * 2 ^ (p_attempts - 1), 3600) * (0.75 + ('x' || right(p_id::text, 6))::bit(24)::integer / 33554432.0) * interval '1 second'
$$;
comment on function internal.retry_delay(uuid, integer) is
  'How long a delivery waits after p_attempts failed attempts: exponential back-off, with a jitter that depends only on the delivery''s '
  'id.';

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

create or replace function internal.is_alarm(p_type text) returns boolean
  language sql
  immutable
  parallel safe
as $$
  select p_type in ('ping_missed', 'help_requested', 'alarm_repeat', 'alarm_reopened', 'ask_unanswered') or p_type like 'emergency\_%'
$$;
comment on function internal.is_alarm(text) is
  'Whether a type of notification must reach its person on some channel. If none accepts it, the tenant''s server and the operator are '
  'told (F07).';

create or replace function internal.is_own_miss(p_type text, p_data jsonb) returns boolean
  language sql
  immutable
  parallel safe
as $$
  select p_type = 'ping_missed' and not p_data ? 'user_id' or p_type = 'alarm_reopened' and p_data ? 'again'
$$;
comment on function internal.is_own_miss(text, jsonb) is
  'Whether a notification tells a sender of their own missed ping, or that nobody looks after it. It goes out as an alarm, but the people who '
  'act are the receivers, who are told too. If it reaches nobody, it is therefore no alarm that reached nobody.';

create or replace function internal.over_in_alarm(p_tenant_id integer, p_user_id uuid, p_type text, p_data jsonb) returns text
  language plpgsql
  stable
as $$
declare
  v_alarm kith.alarms;
  -- A false word of one receiver must not keep from the others that somebody calls for help, or that the word is contradicted.
  v_outlives_word boolean := p_type in ('help_requested', 'ask_unanswered') or p_type = 'alarm_reopened' and p_data ? 'was';
begin
  if p_type = 'ask' then
    return (
      select 'it was answered' from kith.asks as ask
      where ask.tenant_id = p_tenant_id and ask.id = (p_data ->> 'ask_id')::uuid and ask.ended_at is not null
    );
  elsif p_type = 'ping_missed' and not p_data ? 'drill' then
    return case
      when internal.is_moot_miss(p_tenant_id, p_user_id, p_data) then 'the alarm is over, or somebody looks after it'
      when p_data ? 'user_id' and exists (
        select from kith.connections as connection
        where connection.tenant_id = p_tenant_id and connection.id = (p_data ->> 'connection_id')::uuid and not internal.reaches_each_other(connection)
      ) then 'they no longer reach each other'
    end;
  elsif p_type = 'ping_all_clear' then
    return null;
  end if;
  if p_data ->> 'outcome' = 'deleted' then
    -- That it ended stays true after it is gone.
    return null;
  end if;
  select * into v_alarm from kith.alarms where tenant_id = p_tenant_id and id = (p_data ->> 'alarm_id')::uuid;
  return case
    when v_alarm.id is null then 'the alarm is gone'
    when p_type = 'alarm_resolved' then null
    when v_alarm.resolved_at is not null and not (v_outlives_word and v_alarm.outcome in ('safe', 'help_called')) then 'the alarm is over'
    when p_type in ('alarm_repeat', 'alarm_reopened') and v_alarm.taken_at is not null and not v_outlives_word then 'somebody looks after it'
    when p_type = 'alarm_taken' and v_alarm.taken_at is null then 'nobody looks after it any more'
    when p_type = 'alarm_check' and v_alarm.checked_at is null then 'it was answered'
    when not exists (
      select from kith.alarm_receivers as receiver
      where receiver.tenant_id = p_tenant_id and receiver.alarm_id = v_alarm.id and receiver.receiver_id = p_user_id and receiver.left_at is null
    ) and v_alarm.sender_id <> p_user_id then 'they have left the alarm'
  end;
end
$$;
comment on function internal.over_in_alarm(integer, uuid, text, jsonb) is
  'Why a notification about an alarm or a question no longer needs sending: the question is answered, the alarm is over, its reader has no '
  'part in it any more, or what it says is no longer so. A call for help, a question without an answer, and that somebody contradicts the '
  'word of another receiver (was) are sent whatever a receiver says: only the sender''s own word and time make them pointless. For '
  'internal.pointless.';

drop function if exists internal.is_moot_miss(integer, jsonb);
create or replace function internal.is_moot_miss(p_tenant_id integer, p_user_id uuid, p_data jsonb) returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (
    select from kith.alarms as alarm
    where alarm.tenant_id = p_tenant_id and alarm.id = (p_data ->> 'alarm_id')::uuid
      and (
        alarm.resolved_at is not null and not exists (
          -- Whoever is removed after the deadline has left the alarm, which may have ended by that. The miss stands (X34).
          select from kith.alarm_receivers as receiver
          where receiver.tenant_id = p_tenant_id and receiver.alarm_id = alarm.id and receiver.receiver_id = p_user_id
            and receiver.left_at is not null and receiver.left_at <= alarm.resolved_at and alarm.outcome = 'expired'
        )
        -- Of a new day's miss they are told all the same.
        or alarm.taken_at >= (
          select ping.alarmed_at from kith.pings as ping
          where ping.tenant_id = p_tenant_id and ping.ping_on = (p_data ->> 'date')::date
            and ping.connection_id = (p_data ->> 'connection_id')::uuid
        )
      )
  );
end
$$;
comment on function internal.is_moot_miss(integer, uuid, jsonb) is
  'Whether the alarm of a missed ping of which a receiver is told is over, or somebody has taken it since (K00): they are told that instead. '
  'For internal.over_in_alarm.';

create or replace function internal.over_in_connection(p_tenant_id integer, p_type text, p_data jsonb) returns text
  language plpgsql
  stable
as $$
declare
  v_status text := (
    select status from kith.connections as connection where connection.tenant_id = p_tenant_id and connection.id = (p_data ->> 'connection_id')::uuid
  );
  v_break kith.breaks;
begin
  if p_type in ('break_started', 'break_ended') then
    select * into v_break from kith.breaks as pause
    where pause.tenant_id = p_tenant_id and pause.user_id = (p_data ->> 'user_id')::uuid and pause.ended_at is null;
  end if;
  return case p_type
    when 'connection_paused' then case when v_status <> 'paused' then 'it is no longer paused' end
    when 'connection_resumed' then case when v_status <> 'active' then 'it no longer goes on' end
    when 'break_started' then case when v_break.until_on is distinct from (p_data ->> 'until')::date then 'the break has ended, or its last day has moved' end
    when 'break_ended' then case when v_break.told_until_on is not null then 'another break has begun' end
    when 'sender_unreachable' then (
      select 'they can be asked again'
      from kith.users as person
      where person.tenant_id = p_tenant_id and person.id = (p_data ->> 'user_id')::uuid and person.phone is not null
        and not internal.has_stopped_texts(p_tenant_id, person.phone)
    )
  end;
end
$$;
comment on function internal.over_in_connection(integer, text, jsonb) is
  'Why a notification of a pause, a break, or a number that wants no texts no longer needs sending: the opposite is so now. Otherwise the last '
  'word that its reader gets could be the older one, if that one had to be sent again. For internal.pointless.';

create or replace function internal.why_not_due(p_tenant_id integer, p_sender_id uuid, p_on date) returns text
  language plpgsql
  stable
as $$
declare
  v_statuses text[] := array(
    select distinct ping.status from kith.pings as ping
    where ping.tenant_id = p_tenant_id and ping.ping_on = p_on and ping.sender_id = p_sender_id
  );
begin
  return case
    when v_statuses && '{completed,completed_late}' then 'it was answered'
    when 'missed' = any (v_statuses) then 'the deadline had passed'
    else 'nobody waits for an answer any more'
  end;
end
$$;
comment on function internal.why_not_due(integer, uuid, date) is
  'Why a sender need not be told of the pings of a date, none of which is due: operators read it, and must not take a miss for an answer.';

create or replace function internal.is_still_missed(p_tenant_id integer, p_user_id uuid, p_data jsonb) returns boolean
  language plpgsql
  stable
as $$
declare
  v_ping kith.pings;
begin
  select * into v_ping from kith.pings as ping
  where ping.tenant_id = p_tenant_id and ping.ping_on = (p_data ->> 'date')::date and ping.connection_id = (p_data ->> 'connection_id')::uuid;
  if v_ping.sender_id is distinct from p_user_id then
    return coalesce(v_ping.status = 'missed', false);
  end if;
  return exists (
    select from kith.pings as ping
    where ping.tenant_id = p_tenant_id and ping.ping_on = v_ping.ping_on and ping.sender_id = p_user_id and ping.status = 'missed'
  ) and not exists (
    select from kith.sender_profiles as profile
    where profile.tenant_id = p_tenant_id and profile.user_id = p_user_id and profile.last_check_in_at > v_ping.deadline_at
  );
end
$$;
comment on function internal.is_still_missed(integer, uuid, jsonb) is
  'Whether the ping of which a notification says that it was missed still is; for its sender, of any connection and without a check-in since. '
  'For internal.pointless.';

create or replace function internal.pointless(p_tenant_id integer, p_user_id uuid, p_type text, p_data jsonb, p_read_at timestamptz)
  returns table (reason text)
  language sql
  stable
as $$
  select case
    when p_read_at is not null then 'it was read'
    when p_type in ('ping_due', 'ping_reminder') and not exists (
      select from kith.pings as open
      where open.tenant_id = p_tenant_id and open.ping_on = (p_data ->> 'date')::date and open.sender_id = p_user_id
        and open.status = 'due' -- of any connection: the sender is told once for all of them
    ) then internal.why_not_due(p_tenant_id, p_user_id, (p_data ->> 'date')::date)
    when p_type = 'ping_missed' and not p_data ? 'drill' and not internal.is_still_missed(p_tenant_id, p_user_id, p_data) then 'it was answered'
    when p_type in ('help_requested', 'ask', 'ask_unanswered') or left(p_type, 6) = 'alarm_' or p_data ?| '{drill,alarm_id}'
      then internal.over_in_alarm(p_tenant_id, p_user_id, p_type, p_data)
    when p_type in ('connection_paused', 'connection_resumed', 'break_started', 'break_ended', 'sender_unreachable')
      then internal.over_in_connection(p_tenant_id, p_type, p_data)
    when p_type = 'connection_requested' and exists (
      select from kith.connections as connection
      where connection.tenant_id = p_tenant_id and connection.id = (p_data ->> 'connection_id')::uuid and connection.status <> 'pending'
    ) then 'it was answered'
    when p_type = 'subscription_lapsing' and exists (
      select from kith.receiver_profiles as profile
      where profile.tenant_id = p_tenant_id and profile.user_id = (p_data ->> 'user_id')::uuid and profile.pings_stop_at is null
    ) then 'the subscription was renewed'
    when p_type = 'vault_locked' and p_data ->> 'to' is distinct from 'owner' and exists (
      select from kith.vault_sessions as session
      where session.tenant_id = p_tenant_id and session.vault_id = (p_data ->> 'vault_id')::uuid and session.kind = 'shared'
        and session.locked_at is null
    ) then 'the vault is open again'
    when p_type = 'vault_opened' and p_data ? 'session_id' and not exists (
      select from kith.vault_sessions as session
      where session.tenant_id = p_tenant_id and session.id = (p_data ->> 'session_id')::uuid and session.locked_at is null
    ) then 'the vault was locked'
    when p_type = 'nominee_invited' and p_data ? 'nominee_id' and not exists (
      select from kith.nominee_invitations as invitation
      where invitation.tenant_id = p_tenant_id and invitation.nominee_id = (p_data ->> 'nominee_id')::uuid and invitation.ended_at is null
    ) then 'it was answered'
    when p_type = 'transfer_requested' and p_data ? 'transfer_id' and not exists (
      select from kith.transfers as transfer
      where transfer.tenant_id = p_tenant_id and transfer.id = (p_data ->> 'transfer_id')::uuid and transfer.status = 'pending'
    ) then 'it was answered'
    when p_type in ('emergency_requested', 'emergency_reminder') then (
      select case when request.ended_at is not null then 'it was answered' when request.grant_told_at is not null then 'access was granted' end
      from kith.emergency_requests as request
      where request.tenant_id = p_tenant_id and request.id = (p_data ->> 'request_id')::uuid
    )
    -- "You can enter now." The owner still learns that somebody could.
    when p_type in ('emergency_approved', 'emergency_opened') and p_data ->> 'to' = 'nominee' and exists (
      select from kith.emergency_requests as request
      where request.tenant_id = p_tenant_id and request.id = (p_data ->> 'request_id')::uuid and request.ended_at is not null
    ) then 'access has ended'
  end
$$;
comment on function internal.pointless(integer, uuid, text, jsonb, timestamptz) is
  'Why a notification no longer needs sending, or null if it does: the user has read it, the sender has checked in, the ping is no longer '
  '`missed`, its alarm is over or taken, the vault that could be entered was locked, or the one that was locked is open again, the request to connect, invitation or '
  'offer was answered or taken back, the subscription was renewed, the request for emergency access has ended or was granted, which '
  'another notification tells, or the access that a nominee could use has ended. Returns a table of one row, which the planner can inline: '
  'it runs thousands of times a second.';

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
  set sent = totals.sent + excluded.sent, failed = totals.failed + excluded.failed, dropped = totals.dropped + excluded.dropped,
    retried = totals.retried + excluded.retried;
end
$$;
comment on function internal.count_deliveries(text, jsonb) is
  'Adds to the totals: [{channel, sent?, failed?, dropped?, retried?}]. Call it last in a transaction: another worker that counts in the '
  'same row waits for the transaction to end.';

create or replace function internal.report_undelivered(p_tenants integer[], p_notifications uuid[], p_now timestamptz) returns void
  language plpgsql
as $$
begin
  with reported as (
    insert into kith.undelivered_alarms (tenant_id, notification_id, user_id, type, at)
    select notification.tenant_id, notification.id, notification.user_id, notification.type, p_now
    from unnest(p_tenants, p_notifications) as alarm (tenant_id, id)
    join kith.notifications as notification on notification.tenant_id = alarm.tenant_id and notification.id = alarm.id
    where not internal.is_own_miss(notification.type, notification.data)
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
  where notification.tenant_id = alarm.tenant_id and notification.id = alarm.id and notification.delivery_status = 'queued'
    and not exists (
      select from kith.deliveries as delivery
      where delivery.tenant_id = notification.tenant_id and delivery.notification_id = notification.id
        and delivery.status in ('queued', 'sending')
    );
end
$$;
comment on function internal.report_undelivered(integer[], uuid[], timestamptz) is
  'Records alarms that no channel has accepted, once each, for the tenant''s server and the operator (F07). A sender''s notice of their own '
  'miss is none (internal.is_own_miss).';

create or replace function internal.settle_notifications(p_tenants integer[], p_notifications uuid[], p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenants integer[];
  v_undelivered uuid[];
begin
  with unsent as materialized (
    select notification.tenant_id, notification.id, pointless.reason is null and internal.is_alarm(notification.type) as is_alarm,
      pointless.reason is not null as is_pointless, notification.escalated_at is not null as was_escalated,
      -- Whoever is not asked is reported missing.
      pointless.reason is null and notification.escalated_at is null
        and (internal.is_alarm(notification.type) or notification.type in ('ping_due', 'ping_reminder')) as may_escalate,
      made.*
    from (select distinct tenant_id, id from unnest(p_tenants, p_notifications) as given (tenant_id, id)) as given
    join kith.notifications as notification
      on notification.tenant_id = given.tenant_id and notification.id = given.id and notification.delivery_status = 'queued'
    cross join lateral internal.pointless(
      notification.tenant_id, notification.user_id, notification.type, notification.data, notification.read_at
    ) as pointless
    cross join lateral (
      select coalesce(bool_or(delivery.status in ('queued', 'sending')), false) as is_left,
        coalesce(bool_or(delivery.status = 'failed'), false) as has_failed
      from kith.deliveries as delivery
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
        when unsent.may_escalate then least(notification.escalates_at, p_now)
        when unsent.is_left then notification.escalates_at
      end
    from unsent
    where notification.tenant_id = unsent.tenant_id and notification.id = unsent.id
    returning notification.tenant_id, notification.id, unsent.is_alarm and unsent.was_escalated and not unsent.is_left as is_undelivered
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
  'Settles notifications after one of their deliveries failed, or keeps failing. If no delivery is left, the notification becomes failed, '
  'or dropped if it was pointless or no delivery failed. An alarm first escalates to the person''s other channels, and counts as '
  'undelivered after those. The caller must have locked the rows.';

create or replace function internal.waiting_deliveries(p_now timestamptz) returns table (channel text, oldest_at timestamptz)
  language plpgsql
  stable
as $$
#variable_conflict use_column
declare
  v_deleted integer[] := internal.deleted_tenants();
begin
  return query
  select known.channel, oldest.at
  from unnest(array['apns', 'web_push', 'email', 'sms', 'voice']) as known (channel)
  cross join lateral (
    select v_deleted || array(select pause.tenant_id from kith.channel_pauses as pause where pause.channel = known.channel) as tenants
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
  'The time since which the oldest deliverable delivery of each channel has been due. A channel has no row if none is due or the channel '
  'is paused.';

create or replace function internal.replay_deliveries(p_tenant_id integer, p_ids uuid[], p_reason text, p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_replayed integer;
begin
  perform from kith.notifications
  where tenant_id = p_tenant_id
    and id in (select notification_id from kith.deliveries where tenant_id = p_tenant_id and id = any (p_ids))
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
    where notification.tenant_id = p_tenant_id and notification.id = told.notification_id and notification.delivery_status = 'failed'
  ), reopened as (
    -- An alarm that somebody had resolved counts anew: if it is sent again and nobody accepts it, it is undelivered again.
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
  'Queues the dead letters among the given deliveries again, for a day, but not past the deadline that they serve, and notes in each who did '
  'so and why. Returns how many. For definer procedures that have checked their access.';

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
    join kith.notifications as notification on notification.tenant_id = given.tenant_id and notification.id = given.notification_id
    for no key update of notification skip locked
  ), ended as (
    update kith.deliveries as delivery
    set status = p_status, error = concat_ws('; ', delivery.error, p_reason), sealed_secret = null, leased_until = null, leased_by = null
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
    (select jsonb_agg(jsonb_build_object('tenant_id', tenant_id, 'id', id, 'status', p_status)) from ended where purpose = 'invitation'),
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
  'Ends deliveries that the caller has locked, as dropped or failed, for a reason, and updates the invitations, notifications and totals '
  'that depend on them. Returns how many it ended: a delivery whose notification another transaction has locked is not ended. For definer '
  'procedures; it keeps their planner settings.';
