create or replace function internal.minutes_left(p_ping kith.pings, p_now timestamptz, p_late_until timestamptz)
  returns integer
  language sql
  stable
  parallel safe
as $$
  select ceil(
    extract(
      epoch from case
        when coalesce((p_ping).judge_at, (p_ping).deadline_at) > p_now
          then coalesce((p_ping).judge_at, (p_ping).deadline_at)
        else p_late_until
      end - p_now
    ) / 60
  )::integer
$$;
comment on function internal.minutes_left(kith.pings, timestamptz, timestamptz) is
  'The minutes that a sender has left to check in: until the deadline, or the judgement that waits for them, or, if '
  'that has passed, until p_late_until.';

create or replace function internal.tell_of_pings(
  p_type text, p_to text, p_pings kith.pings[], p_now timestamptz, p_late_until timestamptz default null
) returns void
  language plpgsql
as $$
begin
  perform internal.notify(
    p_type,
    array_agg(ping.tenant_id),
    array_agg(case p_to when 'sender' then ping.sender_id else ping.receiver_id end),
    array_agg(
      jsonb_build_object('connection_id', ping.connection_id, 'ping_id', ping.id, 'date', ping.ping_on)
        || case when p_to = 'receiver' then jsonb_build_object('user_id', ping.sender_id) else '{}' end
        || case when told.alarm_id is not null then jsonb_build_object('alarm_id', told.alarm_id) else '{}' end
        || case p_type
          when 'ping_reminder' then jsonb_strip_nulls(jsonb_build_object(
            'minutes', internal.minutes_left(ping, p_now, p_late_until), 'channels', told.channels
          ))
          when 'ping_missed' then told.missed_data
          else '{}'
        end
    ),
    p_now,
    -- Each sender has a place of their own in the minute in which pings are due.
    p_deliver_at => array_agg(
      case p_type when 'ping_due' then ping.scheduled_at + internal.place_in_minute(ping.sender_id) end
    ),
    p_notes => array_agg(case p_type when 'ping_completed' then ping.note end),
    -- The sender hears of a missed ping before the receivers do.
    p_rank => case when p_type = 'ping_missed' and p_to = 'receiver' then 1 else 0 end
  )
  from (
    select one as ping,
      case when p_type = 'ping_reminder' then internal.reminder_channels(one, profile.reminders, p_now) end as channels,
      case
        when p_type = 'ping_missed'
          then internal.missed_data(one, p_to, profile.time_zone, profile.last_check_in_at, p_now)
      end as missed_data,
      alarm.id as alarm_id
    from unnest(p_pings) as one
    left join kith.sender_profiles as profile
      on p_type in ('ping_missed', 'ping_reminder') and profile.tenant_id = one.tenant_id
        and profile.user_id = one.sender_id
    left join kith.alarms as alarm
      on p_type = 'ping_missed' and p_to = 'receiver' and alarm.tenant_id = one.tenant_id
        and alarm.sender_id = one.sender_id and alarm.resolved_at is null and alarm.kind <> 'drill'
    -- Keeps the planner from computing it twice.
    offset 0
  ) as told
  cross join lateral (select (told.ping).*) as ping;
end
$$;
comment on function internal.tell_of_pings(text, text, kith.pings[], timestamptz, timestamptz) is
  'Notifies the sender or the receiver (p_to) of each ping. A reminder states the minutes until the deadline or, if '
  'the deadline has passed, until p_late_until. For definer procedures, which decide whom to tell.';

create or replace function internal.unasked_data(p_ping kith.pings, p_last_check_in_at timestamptz, p_now timestamptz)
  returns jsonb
  language plpgsql
  stable
as $$
declare
  v_from timestamptz;
  v_until timestamptz;
begin
  select min(began_at), max(ended_at) into v_from, v_until
  from kith.outages
  where component = 'worker' and began_at < p_ping.deadline_at and ended_at > p_ping.scheduled_at;
  return jsonb_strip_nulls(jsonb_build_object(
    'not_asked_from_at', internal.instant(coalesce(v_from, p_ping.scheduled_at)),
    'not_asked_until_at', internal.instant(coalesce(v_until, p_ping.asked_at, p_now)),
    'last_check_in_at', internal.instant(p_last_check_in_at)
  ));
end
$$;
comment on function internal.unasked_data(kith.pings, timestamptz, timestamptz) is
  'From when to when Kith could not ask the sender of a missed ping, and when they last checked in. For '
  'internal.missed_data.';

create or replace function internal.missed_on(p_ping_on date, p_sender_zone text, p_now timestamptz) returns jsonb
  language sql
  stable
  parallel safe
as $$
  select case
      when p_ping_on is distinct from internal.local_date(p_now, p_sender_zone) then jsonb_build_object('on', p_ping_on)
      else '{}'
    end
$$;
comment on function internal.missed_on(date, text, timestamptz) is
  'The date that the text of a missed ping says: none while it is the sender''s local date. For internal.missed_data '
  'and rehearsals.';

create or replace function internal.missed_data(
  p_ping kith.pings, p_to text, p_sender_zone text, p_last_check_in_at timestamptz, p_now timestamptz
)
  returns jsonb
  language sql
  stable
  parallel safe
as $$
  -- One expression, which the planner puts into the calling query.
  select case
    when p_to = 'receiver' and (p_ping).judge_at is not null
      then internal.unasked_data(p_ping, p_last_check_in_at, p_now)
    when p_to = 'receiver' and (p_ping).is_unreached
      then internal.missed_on((p_ping).ping_on, p_sender_zone, p_now) || jsonb_build_object('unreached', true)
    else internal.missed_on((p_ping).ping_on, p_sender_zone, p_now)
  end
$$;
comment on function internal.missed_data(kith.pings, text, text, timestamptz, timestamptz) is
  'What the text of a missed ping says besides the name: nothing while it is of the sender''s local date, otherwise '
  'that date; and to a receiver, from when to when Kith could not ask the sender, if the judgement had to wait for '
  'that (X35), or that the question has not reached them (X37). For internal.tell_of_pings.';
