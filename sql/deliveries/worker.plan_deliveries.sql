create or replace function worker.plan_deliveries(p_now timestamptz, p_batch integer, p_takes_all boolean)
  returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- A batch is small compared with the tables, which the planner cannot know. Access by key is always right here, and
  -- one plan is kept.
  set plan_cache_mode = 'force_generic_plan'
  set jit = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_material = off
  set enable_seqscan = off
as $$
declare
  v_urgent kith.notifications[];
begin
  p_now := internal.present(p_now);
  if internal.awaits_confirmation() then
    return 0;
  end if;
  v_urgent := internal.claim_urgent(p_now, p_batch);
  return internal.work_off(
    'plan_deliveries',
    -- Leave room for the rest, however much is urgent.
    v_urgent || internal.claim_unplanned(p_now, greatest(p_batch - cardinality(v_urgent), p_batch / 2))
      || internal.claim_unsent_alarms(p_now, p_batch),
    p_takes_all::text, p_now, 'internal.plan_notifications($1, $2::boolean, $3)'
  );
end
$$;
comment on function worker.plan_deliveries(timestamptz, integer, boolean) is
  'Decides on which channels each new notification goes out, and writes one delivery for each address. The channels '
  'are those that the user chose for the type, or the type''s defaults (F04); what the owner of a vault must know '
  'about emergency access goes out on all (E02). Each needs an address, and credentials of the tenant unless '
  'p_takes_all says that the worker can send on every channel. Quiet hours delay a delivery unless the type breaks '
  'through them, and never past the deadline that it serves. If no channel is left, the notification is dropped, but '
  'an alarm, or what asks a sender for a check-in, uses any other channel, even if the chosen ones are only paused. '
  'Only a sender who has turned off all channels is asked in the app alone. The text messages that a user gets of '
  'types that respect quiet hours are limited (kith.tenants.sms_notifications_per_user_per_day), except what follows '
  'an alarm; the rest are dropped. An alarm, or what follows one, that was not sent within 2 minutes also goes out on '
  'the other channels, by a call 2 minutes after a text. An alarm counts as undelivered 8 minutes later, or at once '
  'where there are none (F07). What asks a sender for a check-in goes out on the others when the chosen ones have '
  'failed. What is about an alarm comes first, by tenants in turn (internal.claim_urgent), and whatever there is of '
  'it, half of p_batch is left for the rest. Handles at most that many new notifications and p_batch overdue alarms; '
  'returns how many it handled. Security definer, because the worker may not read contacts and devices, and no role '
  'may write deliveries directly.';
grant execute on function worker.plan_deliveries(timestamptz, integer, boolean) to kith_worker;

create or replace function worker.plan_alarms(p_now timestamptz, p_batch integer, p_takes_all boolean) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- For the same reason as in plan_deliveries.
  set plan_cache_mode = 'force_generic_plan'
  set jit = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_material = off
  set enable_seqscan = off
as $$
begin
  p_now := internal.present(p_now);
  if internal.awaits_confirmation() then
    return 0;
  end if;
  return internal.work_off(
    'plan_deliveries', internal.claim_urgent(p_now, p_batch) || internal.claim_unsent_alarms(p_now, p_batch),
    p_takes_all::text, p_now, 'internal.plan_notifications($1, $2::boolean, $3)'
  );
end
$$;
comment on function worker.plan_alarms(timestamptz, integer, boolean) is
  'worker.plan_deliveries for what is about an alarm alone, for a loop that never rests while there is any. Security '
  'definer for the same reason.';
grant execute on function worker.plan_alarms(timestamptz, integer, boolean) to kith_worker;

create or replace function internal.plan_notifications(
  p_notifications kith.notifications[], p_takes_all boolean, p_now timestamptz
)
  returns integer
  language plpgsql
as $$
declare
  v_written record;
begin
  select * into v_written from internal.write_deliveries(p_notifications, p_takes_all, p_now);
  perform internal.mark_planned(
    p_notifications, v_written.alarm_tenants, v_written.alarms, v_written.reached_tenants, v_written.reached,
    v_written.reached_at, p_now
  );
  perform internal.note_questions(p_notifications, v_written.reached_tenants, v_written.reached, p_now);
  if v_written.dropped is not null then
    perform internal.count_deliveries('', v_written.dropped);
  end if;
  return cardinality(p_notifications);
end
$$;
comment on function internal.plan_notifications(kith.notifications[], boolean, timestamptz) is
  'Plans the deliveries of the given notifications. Returns how many. For worker.plan_deliveries, which has locked '
  'them.';

create or replace function internal.write_deliveries(
  p_notifications kith.notifications[], p_takes_all boolean, p_now timestamptz, out alarm_tenants integer[],
  out alarms uuid[], out reached_tenants integer[], out reached uuid[], out reached_at timestamptz[], out dropped jsonb
)
  language plpgsql
as $$
declare
  v_deleted integer[] := internal.deleted_tenants();
begin
  with told as materialized (
    select recipient.* from internal.recipients(p_notifications, v_deleted, p_now) as recipient
  ), ways as (
    select told.*, way.channel, way.address, way.is_wanted, way.is_paused,
      told.texts_from is not null and internal.goes_by_phone(way.channel) as is_rationed,
      bool_or(not internal.goes_by_phone(way.channel)) over (partition by told.tenant_id, told.id) as has_free_way,
      bool_or(
        way.channel <> 'voice' and not way.is_paused
      ) over (partition by told.tenant_id, told.id) as has_quieter_way
    from told cross join lateral internal.ways_to_reach(
      told.tenant_id, told.id, told.user_id, told.email, told.phone, told.stops_texts, told.channels, told.is_alarm,
      told.must_reach, told.is_overdue, p_takes_all
    ) as way
  ), chosen as (
    select ways.*,
      case when ways.is_rationed then greatest(ways.not_before, ways.texts_from) else ways.not_before end as leaves_at,
      -- A channel that is left out, or that waits for its turn, reaches nobody now.
      bool_or(
        ways.is_wanted and not ways.is_paused
        and not (ways.is_rationed and ways.has_free_way and (ways.is_further or ways.texts_from > p_now))
      )
        over (partition by ways.tenant_id, ways.id) as is_any_wanted
    from ways
  ), written as (
    insert into kith.deliveries (
      tenant_id, id, channel, purpose, address, notification_id, is_urgent, status, error, next_attempt_at, expires_at,
      created_at
    )
    select written.tenant_id, internal.uuid7(p_now), written.channel, 'notification', written.address, written.id,
      written.breaks_through,
      case
        when written.is_too_many or written.is_too_late or written.expires_at <= p_now then 'dropped'
        else 'queued'
      end,
      case when written.expires_at <= p_now then 'expired'
        when written.is_too_late then 'it would be over at the end of the quiet hours'
        when written.is_too_many
          then format(
            'over the limit of %s text messages in 24 hours (sms_notifications_per_user_per_day)', written.texts_allowed
          )
      end,
      written.leaves_at, written.expires_at, p_now
    from (
      select chosen.*, texts.allowed as texts_allowed, chosen.expires_at <= chosen.leaves_at as is_too_late,
        texts.had + row_number() over (
          partition by chosen.tenant_id, chosen.address, texts.allowed is null order by chosen.leaves_at, chosen.id
        ) > texts.allowed as is_too_many
      from chosen
      left join lateral internal.texts_of_day(chosen.tenant_id, chosen.address, p_now) as texts
        on chosen.channel = 'sms' and not chosen.breaks_through and not chosen.must_reach
      -- One message at a time: a phone is called once the text has failed (internal.is_call_left).
      where case when chosen.channel = 'voice' and chosen.has_quieter_way then chosen.is_wanted
          else chosen.is_wanted or chosen.is_overdue or not chosen.is_any_wanted end
        -- A receiver who has only a phone is told by it. The first message about a call is never left out (K05).
        and not (chosen.is_rationed and chosen.has_free_way and (chosen.is_further or not chosen.is_wanted))
    ) as written
    order by written.leaves_at
    returning tenant_id, notification_id, status, channel, next_attempt_at
  )
  select array_agg(written.tenant_id) filter (where written.status = 'queued'),
    array_agg(written.notification_id) filter (where written.status = 'queued'),
    array_agg(written.next_attempt_at) filter (where written.status = 'queued'),
    (
      select jsonb_agg(jsonb_build_object('channel', lost.channel, 'dropped', lost.deliveries))
      from (
        select written.channel, count(*) as deliveries from written where written.status = 'dropped'
        group by written.channel
      ) as lost
    ),
    (select array_agg(told.tenant_id) from told where told.is_alarm),
    (select array_agg(told.id) from told where told.is_alarm)
  into reached_tenants, reached, reached_at, dropped, alarm_tenants, alarms from written;
end
$$;
comment on function internal.write_deliveries(kith.notifications[], boolean, timestamptz) is
  'Writes a delivery for each address at which a notification is to reach its user. Returns the alarms that somebody '
  'must get, the notifications that have a new delivery and when it leaves, and how many deliveries of each channel '
  'were dropped: text messages over the limit, and what would be over at the end of the quiet hours. For '
  'worker.plan_deliveries, which has locked the notifications.';

create or replace function internal.notifications_to_plan(p_notifications kith.notifications[], p_deleted integer[])
  returns table (
    tenant_id integer, id uuid, user_id uuid, type text, data jsonb, is_overdue boolean, at timestamptz, ping_on date,
    connection_id uuid, goes_everywhere boolean, breaks boolean, is_drill boolean
  )
  language sql
  stable
as $$
  select notification.tenant_id, notification.id, notification.user_id, notification.type, notification.data,
    notification.planned_at is not null as is_overdue,
    case
      when notification.planned_at is not null then notification.created_at
      -- The time in its id orders the notifications of one event: the sender hears of a miss before the receivers do.
      else greatest(
        coalesce(notification.deliver_at, notification.created_at),
        to_timestamp(internal.uuid7_ms(notification.id) / 1000.0)
      )
    end as at,
    -- The ping that the notification asks for. The delivery expires at the ping's deadline.
    case
      when notification.type in ('ping_due', 'ping_reminder') then (notification.data ->> 'date')::date
    end as ping_on,
    case
      when notification.type in ('ping_due', 'ping_reminder') then (notification.data ->> 'connection_id')::uuid
    end as connection_id,
    -- Somebody gets into the owner's vault unless the owner hears of it (E02).
    notification.type like 'emergency\_%' and notification.data ->> 'to' = 'owner' as goes_everywhere,
    -- What happens in an alarm also wakes those whom the alarm has woken; a drill wakes nobody (K00, K10).
    notification.data ? 'breaks' as breaks, notification.data ? 'drill' as is_drill
  from unnest(p_notifications) as notification
  where notification.tenant_id <> all (p_deleted)
    and (notification.escalated_at is null or internal.is_call_left(notification))
    and not (notification.planned_at is not null and internal.is_over(notification) is not null)
$$;
comment on function internal.notifications_to_plan(kith.notifications[], integer[]) is
  'The notifications that are to reach somebody, without those of deleted tenants (p_deleted), and alarms that have '
  'escalated to every channel or become pointless. Returns a table, which the planner can inline. For '
  'internal.recipients.';

create or replace function internal.is_call_left(p_notification kith.notifications) returns boolean
  language plpgsql
  stable
as $$
begin
  return internal.escalates(p_notification.type) and not p_notification.data ? 'drill' and exists (
    select from kith.users as reader
    join kith.channel_credentials as credentials
      on credentials.tenant_id = reader.tenant_id and credentials.channel = 'voice'
    where reader.tenant_id = p_notification.tenant_id and reader.id = p_notification.user_id
      and reader.phone_verified_at is not null and reader.deleted_at is null
      and (
        internal.must_reach(p_notification.type, p_notification.data)
        or not internal.has_stopped_texts(reader.tenant_id, reader.phone)
      )
  ) and not exists (
    select from kith.deliveries as delivery
    where delivery.tenant_id = p_notification.tenant_id and delivery.notification_id = p_notification.id
      and delivery.channel = 'voice'
  );
end
$$;
comment on function internal.is_call_left(kith.notifications) is
  'Whether the reader of a notification that has escalated to their other channels can still be called about it: a '
  'phone gets the text first, and the call when that has failed, or was not sent within two minutes.';

create or replace function internal.worth_until(
  p_type text, p_at timestamptz, p_from timestamptz, p_for interval, p_now timestamptz
)
  returns timestamptz
  language sql
  stable
  parallel safe
as $$
  select case
    when p_from + p_for > p_now or internal.is_stale(p_type) then p_from + p_for
    -- No worker has looked at it in its time. Whatever is no longer so is not sent (internal.pointless).
    else least(p_now + p_for, p_at + interval '8 days')
  end
$$;
comment on function internal.worth_until(text, timestamptz, timestamptz, interval, timestamptz) is
  'Until when a notification of p_at, which may leave from p_from on, is worth sending: for p_for from then, or from '
  'p_now if no worker has planned it in that time, for eight days at most. For internal.recipients.';

create or replace function internal.reader_to_reach(p_tenant_id integer, p_user_id uuid, p_type text)
  returns table (account kith.users, chosen text[], stops_texts boolean, quiet kith.quiet_hours)
  language sql
  stable
as $$
  select account, preference.channels, number.phone is not null, quiet.hours
  from kith.users as account
  left join lateral (
    select one.channels
    from kith.notification_preferences as one
    where one.tenant_id = p_tenant_id and one.user_id = p_user_id and one.type = p_type
    offset 0
  ) as preference on true
  left join lateral (
    select one.phone
    from kith.text_numbers as one
    where one.tenant_id = p_tenant_id and one.phone = account.phone and one.stopped_at is not null
    offset 0
  ) as number on true
  left join lateral (
    select one as hours from kith.quiet_hours as one
    where one.tenant_id = p_tenant_id and one.user_id = p_user_id offset 0
  ) as quiet on true
  where account.tenant_id = p_tenant_id and account.id = p_user_id and account.deleted_at is null
  offset 0
$$;
comment on function internal.reader_to_reach(integer, uuid, text) is
  'The account that a notification is for, with what its user chose: the channels for this type, whether their number '
  'has answered STOP, and their quiet hours. No row for an ended account. Returns a table, which the planner can '
  'inline. For internal.recipients.';

create or replace function internal.recipients(
  p_notifications kith.notifications[], p_deleted integer[], p_now timestamptz
)
  returns table (
    tenant_id integer, id uuid, user_id uuid, breaks_through boolean, is_alarm boolean, must_reach boolean,
    is_overdue boolean, channels text[], email text, phone text, stops_texts boolean, not_before timestamptz,
    expires_at timestamptz, is_further boolean, texts_from timestamptz
  )
  language sql
  stable
as $$
  with claimed as materialized (
    select * from internal.notifications_to_plan(p_notifications, p_deleted)
  ), known as materialized (
    select type, breaks_through, channels, deadline_key, if_held_past from internal.notification_types()
  )
  select claimed.tenant_id, claimed.id, claimed.user_id, serves.breaks_through,
    internal.must_reach(claimed.type, claimed.data),
    -- Whoever is not asked is reported missing. Only somebody who has turned off all channels has chosen that.
    internal.must_reach(claimed.type, claimed.data)
      or (claimed.ping_on is not null or internal.follows_alarm(claimed.type, claimed.data))
        and (
          reader.chosen is distinct from '{}'
          or claimed.ping_on is null and internal.cannot_be_off(claimed.type, claimed.data)
        ),
    claimed.is_overdue,
    internal.wanted_channels(
      claimed.type, claimed.data, reader.account, reader.chosen, known.channels, reader.stops_texts
    ),
    case when (reader.account).email_verified_at is not null then (reader.account).email end,
    case when (reader.account).phone_verified_at is not null then (reader.account).phone end, reader.stops_texts,
      time.not_before,
    least(serves.until, case
      -- After an outage of Kith, people are asked about pings whose deadline has passed. Those have at least another 15
      -- minutes.
      when claimed.ping_on is not null
        then greatest(ping.judge_at, ping.deadline_at, claimed.at + interval '15 minutes')
      when claimed.goes_everywhere then greatest(claimed.at, p_now) + interval '3 days'
      when serves.breaks_through
        then internal.worth_until(claimed.type, claimed.at, claimed.at, interval '3 days', p_now)
      else internal.worth_until(claimed.type, claimed.at, time.not_before, interval '1 day', p_now)
    end), claimed.data ? 'further',
    case
      when claimed.type = 'help_requested'
        then internal.texts_of_help_from(claimed.tenant_id, claimed.id, claimed.user_id, claimed.data, p_now)
    end
  from claimed
  join known on known.type = claimed.type
  cross join lateral internal.reader_to_reach(claimed.tenant_id, claimed.user_id, claimed.type) as reader
  left join lateral (
    select one.judge_at, one.deadline_at
    from kith.pings as one
    where one.tenant_id = claimed.tenant_id and one.ping_on = claimed.ping_on
      and one.connection_id = claimed.connection_id and one.sender_id = claimed.user_id
    offset 0
  ) as ping on true
  cross join lateral (
    select internal.serves_until(known.deadline_key, claimed.data) as until,
      (known.breaks_through or claimed.breaks) and not claimed.is_drill as breaks_through offset 0
  ) as serves
  cross join lateral (
    select case
        when serves.breaks_through or (reader.quiet).user_id is null then claimed.at
        else internal.leaves_at(
          claimed.at, p_now, reader.quiet, (reader.account).time_zone, known.if_held_past, serves.until
        )
      end as not_before
    offset 0
  ) as time
$$;
comment on function internal.recipients(kith.notifications[], integer[], timestamptz) is
  'The users whom the notifications are to reach, with what decides how and when: their preferences and quiet hours '
  '(F04), the channels of the reminder (J06), whether their number has answered STOP, confirmed contacts, and the time '
  'after which the notification is worth nothing. must_reach: an alarm and what follows it, or what asks a sender for '
  'a check-in. is_further: it is not the first word of a call for help. texts_from: before when no text or call tells '
  'of it (internal.texts_of_help_from). One that quiet hours would hold past that time goes out at once, or has a '
  'not_before after it and is dropped (internal.notification_types). Leaves out deleted tenants (p_deleted), ended '
  'accounts, and alarms that have escalated or become pointless. Returns a table, which the planner can inline.';

create or replace function internal.ways_to_reach(
  p_tenant_id integer, p_notification_id uuid, p_user_id uuid, p_email text, p_phone text, p_stops_texts boolean,
  p_channels text[], p_is_alarm boolean, p_must_reach boolean, p_is_overdue boolean, p_takes_all boolean
)
  returns table (channel text, address text, is_wanted boolean, is_paused boolean)
  language sql
  stable
as $$
  select way.channel, way.address, way.preference = any (p_channels),
    p_must_reach and exists (
      select from kith.channel_pauses as pause
      where pause.tenant_id in (0, p_tenant_id) and pause.channel = way.channel
    )
  from (
    select 'push' as preference, case device.platform when 'ios' then 'apns' else 'web_push' end as channel,
      device.token as address
    from kith.devices as device
    where device.tenant_id = p_tenant_id and device.user_id = p_user_id
      -- A browser's push must be encrypted with keys that the browser has supplied.
      and (device.platform = 'ios' or device.public_key is not null)
    union all
    select 'email', 'email', p_email where p_email is not null
    union all
    select 'sms', 'sms', p_phone where p_phone is not null and not p_stops_texts
    union all
    select 'voice', 'voice', p_phone
    where p_phone is not null and ('voice' = any (p_channels) or p_is_alarm or p_must_reach and not p_stops_texts)
  ) as way
  -- What must reach its user may have to use a channel that the user did not choose.
  where (p_must_reach or way.preference = any (p_channels))
    and (
      p_takes_all or exists (
        select from kith.channel_credentials as credentials
        where credentials.tenant_id = p_tenant_id and credentials.channel = way.channel
      )
    )
    and not (
      p_is_overdue and exists (
        select from kith.deliveries as delivery
        where delivery.tenant_id = p_tenant_id and delivery.notification_id = p_notification_id
          and delivery.channel = way.channel and delivery.address = way.address
      )
    )
$$;
comment on function internal.ways_to_reach(
  integer, uuid, uuid, text, text, boolean, text[], boolean, boolean, boolean, boolean
) is
  'The addresses at which a notification can reach its user: on the channels that the user wants and, for one that '
  'must reach its user, on all others; by a call to a number that has answered STOP only for an alarm. p_is_overdue '
  'leaves out addresses that were tried before. No text message goes to a number that has answered STOP '
  '(p_stops_texts); calls do. Each needs credentials of the tenant unless p_takes_all. Returns a table, which the '
  'planner can inline.';

create or replace function internal.texts_of_day(p_tenant_id integer, p_address text, p_now timestamptz)
  returns table (allowed integer, had bigint)
  language sql
  stable
as $$
  -- Text messages cost the tenant, and a chat causes many, so they are limited. Urgent messages are rare and do not
  -- count, so that a chat cannot use up their share.
  select tenant.sms_notifications_per_user_per_day, (
      select count(*) from kith.deliveries as delivery
      where delivery.tenant_id = p_tenant_id and delivery.address = p_address and delivery.channel = 'sms'
        and delivery.purpose = 'notification' and not delivery.is_urgent and delivery.status <> 'dropped'
        and delivery.status <> 'failed'
        and delivery.id >= internal.first_uuid7(p_now - interval '1 day')
    )
  from kith.tenants as tenant
  where tenant.tenant_id = p_tenant_id
$$;
comment on function internal.texts_of_day(integer, text, timestamptz) is
  'How many text messages a number may get in 24 hours of types that respect quiet hours, and how many it has had. '
  'Returns a table, which the planner can inline.';

create or replace function internal.status_without_others(p_notification kith.notifications) returns text
  language plpgsql
  stable
as $$
begin
  return case
    when exists (
      select from kith.deliveries as delivery
      where delivery.tenant_id = p_notification.tenant_id and delivery.notification_id = p_notification.id
        and delivery.status in ('queued', 'sending')
    ) then p_notification.delivery_status
    when internal.is_over(p_notification) is null then 'failed'
    else 'dropped'
  end;
end
$$;
comment on function internal.status_without_others(kith.notifications) is
  'What becomes of a notification that was to escalate and has no other channel: it is still tried on the chosen ones, '
  'has failed, or is no longer needed. For internal.mark_planned.';

create or replace function internal.mark_planned(
  p_notifications kith.notifications[], p_alarm_tenants integer[], p_alarms uuid[], p_reached_tenants integer[],
  p_reached uuid[], p_reached_at timestamptz[], p_now timestamptz
) returns void
  language plpgsql
as $$
declare
  v_tenants integer[];
  v_undelivered uuid[];
begin
  with judged as materialized (
    -- Union and group in one pass. A join would scan the whole batch once for each of its rows.
    select part.tenant_id, part.id, bool_or(part.is_overdue) as is_overdue, bool_or(part.is_reached) as is_reached,
      bool_or(part.is_alarm) as is_alarm, bool_or(part.follows) as follows, max(part.leaves_at) as leaves_at
    from (
      select claimed.tenant_id, claimed.id, claimed.planned_at is not null as is_overdue, false as is_reached,
        null::timestamptz as leaves_at, internal.follows_alarm(claimed.type, claimed.data) as follows,
        claimed.escalated_at is not null and internal.must_reach(claimed.type, claimed.data)
        and internal.is_over(claimed) is null as is_alarm
      from unnest(p_notifications) as claimed
      union all
      select alarm.tenant_id, alarm.id, false, false, null, false, true
      from unnest(p_alarm_tenants, p_alarms) as alarm (tenant_id, id)
      union all
      select reached.tenant_id, reached.id, false, true, reached.at, false, false
      from unnest(p_reached_tenants, p_reached, p_reached_at) as reached (tenant_id, id, at)
    ) as part
    group by part.tenant_id, part.id
  ), planned as (
    update kith.notifications as notification
    set planned_at = coalesce(notification.planned_at, p_now),
      delivery_status = case
        when judged.is_overdue and not judged.is_reached and not judged.is_alarm
          then internal.status_without_others(notification)
        when judged.is_reached or judged.is_alarm or judged.is_overdue then notification.delivery_status else 'dropped'
      end,
      escalates_at = case
        when not judged.is_reached or not (judged.is_alarm or judged.follows) then null
        when not judged.is_overdue then greatest(judged.leaves_at, p_now) + interval '2 minutes'
        when internal.is_call_left(notification) then p_now + interval '2 minutes'
        when judged.is_alarm
          then p_now + case
            when notification.escalated_at is null then interval '8 minutes'
            else interval '6 minutes'
          end
      end,
      escalated_at = case when judged.is_overdue then coalesce(notification.escalated_at, p_now) end
    from judged
    where notification.tenant_id = judged.tenant_id and notification.id = judged.id
    returning notification.tenant_id, notification.id, judged.is_alarm and not judged.is_reached as is_undelivered
  )
  select array_agg(planned.tenant_id), array_agg(planned.id) into v_tenants, v_undelivered
  from planned
  where planned.is_undelivered;
  if v_undelivered is not null then
    perform internal.report_undelivered(v_tenants, v_undelivered, p_now);
  end if;
end
$$;
comment on function internal.mark_planned(
  kith.notifications[], integer[], uuid[], integer[], uuid[], timestamptz[], timestamptz
) is
  'Records that the notifications are planned: those without a delivery are dropped, and an alarm, or what follows '
  'one, waits until it escalates. An alarm for which nothing is left to try is reported as undelivered (F07). For '
  'worker.plan_deliveries, which has locked the notifications.';
