create or replace function internal.notification_types()
  returns table (n integer, type text, breaks_through boolean, channels text[], deadline_key text, if_held_past text)
  language sql
  immutable
  parallel safe
as $$
  select row_number() over ()::integer, known.type, known.breaks_through,
    case when known.is_urgent then array['push', 'email'] else array['push'] end, known.deadline_key, known.if_held_past
  from (values
    ('connection_request', false, false, null, null),
    ('connection_requested', false, false, null, null),
    ('connection_accepted', false, false, null, null),
    ('connection_paused', false, false, null, null),
    ('connection_resumed', false, false, null, null),
    ('connection_removed', false, false, null, null),
    ('ping_due', true, false, null, null),
    ('ping_reminder', true, false, null, null),
    ('ping_completed', false, false, null, null),
    ('ping_missed', true, true, null, null),
    ('ping_all_clear', true, false, null, null),
    ('subscription_lapsing', false, true, 'pings_stop_at', 'sent'),
    ('break_started', false, false, 'ends_at', 'dropped'),
    ('break_ended', false, false, null, null),
    ('vault_opened', false, false, 'expires_at', 'sent'),
    ('vault_locked', false, false, null, null),
    ('nominee_invited', false, false, 'expires_at', 'sent'),
    ('nominee_revoked', false, false, null, null),
    ('nominee_changed', false, false, null, null),
    ('nominee_accepted', false, false, null, null),
    ('nominee_declined', false, false, null, null),
    ('transfer_requested', false, false, 'expires_at', 'sent'),
    ('transfer_accepted', false, false, null, null),
    ('transfer_declined', false, false, null, null),
    ('message_received', false, false, null, null),
    ('help_requested', true, true, null, null),
    ('alarm_repeat', true, true, null, null),
    ('alarm_reopened', true, true, null, null),
    ('alarm_taken', false, false, null, null),
    ('alarm_check', true, true, null, null),
    ('alarm_resolved', false, false, null, null),
    ('ask', true, true, 'answer_by_at', null),
    ('ask_unanswered', true, true, null, null),
    ('ask_answered', true, true, null, null),
    ('sender_unreachable', false, true, null, null),
    ('receiver_unreachable', false, true, null, null),
    ('emergency_requested', true, true, null, null),
    ('emergency_reminder', true, true, null, null),
    ('emergency_approved', true, true, 'ends_at', null),
    ('emergency_rejected', true, true, null, null),
    ('emergency_opened', true, true, 'ends_at', null)
  ) as known (type, breaks_through, is_urgent, deadline_key, if_held_past)
$$;
comment on function internal.notification_types() is
  'Every type of notification, in the order of the documentation: whether it breaks through quiet hours (and therefore cannot be switched '
  'off entirely), its default channels, and the deadline that it serves (F04). SMS is never a default, because a text message costs the '
  'tenant money. deadline_key is the member of data with the instant after which the notification is pointless: its deliveries expire '
  'then. An owner is told what has happened in their vault, which stays true, so internal.serves_until gives theirs none. The deadline of '
  'ping_due and ping_reminder is that of the ping, which can move, and a request for emergency access has ended or was granted when '
  'internal.pointless says so. if_held_past says what becomes of a delivery that quiet hours would hold past its deadline. sent: at once, '
  'because the reader can still act, and nobody tells them again. dropped: a break that is over in the morning was no reason to wake '
  'anybody. Every type with a deadline that respects quiet hours has it.';
grant execute on function internal.notification_types() to kith_api, kith_worker;

create or replace function internal.is_spoken(p_type text) returns boolean
  language sql
  immutable
  parallel safe
as $$
  select p_type in ('ping_due', 'ping_reminder', 'ask') or internal.is_alarm(p_type)
$$;
comment on function internal.is_spoken(text) is
  'Whether a type of notification can be told by a phone call (J03): what asks somebody, and alarms. Nobody is called about anything else.';

create or replace function internal.serves_until(p_deadline_key text, p_data jsonb) returns timestamptz
  language sql
  stable
  parallel safe
as $$
  select case when p_data ->> 'to' is distinct from 'owner' then (p_data ->> p_deadline_key)::timestamptz end
$$;
comment on function internal.serves_until(text, jsonb) is
  'The instant after which a notification is pointless, from its data and the deadline_key of its type (internal.notification_types). Null '
  'if it stays true.';

create or replace function internal.quiet_until(p_at timestamptz, p_starts_at time, p_ends_at time, p_time_zone text) returns timestamptz
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_date date := internal.local_date(p_at, p_time_zone);
  v_time time := (p_at at time zone p_time_zone)::time;
  v_until timestamptz;
begin
  if p_starts_at < p_ends_at and (v_time < p_starts_at or v_time >= p_ends_at)
    or p_starts_at > p_ends_at and v_time < p_starts_at and v_time >= p_ends_at
  then
    return p_at;
  end if;
  if v_time >= p_ends_at then
    v_date := v_date + 1;
  end if;
  -- A date that the zone skipped has no such time; the next date has.
  v_until := coalesce(
    internal.local_instant(v_date, p_ends_at, p_time_zone), internal.local_instant(v_date + 1, p_ends_at, p_time_zone)
  );
  -- In the hour that clocks show twice, the end is the first of the two instants and may be past.
  return greatest(v_until, p_at);
end
$$;
comment on function internal.quiet_until(timestamptz, time, time, text) is
  'When the quiet hours in effect at p_at end, or p_at itself if none are. Hours that end before they start run past midnight.';

create or replace function internal.leaves_at(
  p_at timestamptz, p_now timestamptz, p_quiet kith.quiet_hours, p_time_zone text, p_if_held_past text, p_serves_until timestamptz
) returns timestamptz
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_held_until timestamptz := internal.quiet_until(greatest(p_at, p_now), p_quiet.starts_at, p_quiet.ends_at, p_time_zone);
begin
  return case when p_if_held_past = 'sent' and p_serves_until <= v_held_until then p_at else v_held_until end;
end
$$;
comment on function internal.leaves_at(timestamptz, timestamptz, kith.quiet_hours, text, text, timestamptz) is
  'When a delivery that quiet hours may hold leaves: at their end, or at once if it serves a deadline before that and is then to be sent '
  '(if_held_past in internal.notification_types).';

create or replace function internal.release_held(p_until timestamptz, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  -- Nothing is held longer than a day.
  v_first uuid := internal.first_uuid7(p_now - interval '2 days');
begin
  perform internal.require_user();
  update kith.deliveries as delivery
  set next_attempt_at = p_until, expires_at = least(delivery.expires_at, p_until + interval '1 day')
  from (
    select waiting.id
    from kith.notifications as notification
    join kith.deliveries as waiting on waiting.tenant_id = v_tenant and waiting.notification_id = notification.id and waiting.id >= v_first
    where notification.tenant_id = v_tenant and notification.user_id = v_user and notification.id >= v_first
      and waiting.status = 'queued' and waiting.attempts = 0 and not waiting.is_urgent and waiting.next_attempt_at > p_until
    order by waiting.id
    for no key update of waiting skip locked
  ) as held
  where delivery.tenant_id = v_tenant and delivery.id = held.id;
end
$$;
comment on function internal.release_held(timestamptz, timestamptz) is
  'Makes the deliveries that the current user''s quiet hours hold back due at p_until, unless they are due earlier. They expire a day '
  'later, as if they had been written then, or at the deadline that they serve. For definer procedures.';

create or replace function internal.preferences_json() returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select json_agg(
      json_build_object('type', known.type, 'channels', coalesce(preference.channels, known.channels)) order by known.n
    )
    from internal.notification_types() as known
    left join kith.notification_preferences as preference
      on preference.tenant_id = v_tenant and preference.user_id = v_user and preference.type = known.type
  );
end
$$;
comment on function internal.preferences_json() is
  'The current user''s channels for each type of notification: their choice, or the default.';
grant execute on function internal.preferences_json() to kith_api;

create or replace function internal.quiet_hours_json() returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select json_build_object('from', to_char(starts_at, 'HH24:MI'), 'until', to_char(ends_at, 'HH24:MI'))
    from kith.quiet_hours
    where tenant_id = v_tenant and user_id = v_user
  );
end
$$;
comment on function internal.quiet_hours_json() is 'The current user''s quiet hours, or null.';
grant execute on function internal.quiet_hours_json() to kith_api;
