create or replace function internal.notification_types()
  returns table (
    n integer, type text, traits text[], relation text, breaks_through boolean, channels text[], deadline_key text,
    if_held_past text, replaced_by text[]
  )
  language sql
  immutable
  parallel safe
as $$
  select row_number() over ()::integer, known.type, known.traits, known.relation, 'breaks_through' = any (known.traits),
    case when known.traits && '{urgent,as_miss}' then array['push', 'email'] else array['push'] end, known.deadline_key,
      known.if_held_past,
    coalesce(known.replaced_by, '{}')
  from (values
    ('connection_request', '{reaches}'::text[], 'connection', null, null, '{connection_removed}'::text[]),
    ('connection_requested', '{reaches}', 'person', null, null, null),
    ('connection_accepted', '{}', 'connection', null, null, '{connection_removed}'),
    ('connection_paused', '{reaches}', 'connection', null, null, '{connection_resumed,connection_removed}'),
    ('connection_resumed', '{reaches}', 'connection', null, null, '{connection_paused,connection_removed}'),
    (
      'connection_removed', '{reaches}', null, null, null,
      '{connection_request,connection_requested,connection_accepted}'
    ),
    ('ping_due', '{breaks_through,asks}', null, null, null, null),
    ('ping_reminder', '{breaks_through,asks}', null, null, null, null),
    ('ping_completed', '{stale}', 'connection', null, null,
      '{ping_completed,ping_all_clear,ping_missed,help_requested,alarm_repeat,alarm_reopened,ask_unanswered,ask_answere'
      'd}'),
    ('ping_missed', '{breaks_through,urgent,must_reach,first,answers}', 'connection', null, null,
      '{ping_missed,help_requested,alarm_repeat,alarm_reopened,ask_unanswered,alarm_resolved,ping_all_clear}'),
    ('ping_all_clear', '{breaks_through,follows,first,owed}', 'connection', null, null,
      '{ping_all_clear,ping_missed,help_requested,alarm_repeat,alarm_reopened,ask_unanswered}'),
    ('subscription_lapsing', '{urgent,reaches}', 'connection', 'pings_stop_at', 'sent', '{subscription_lapsing}'),
    ('break_started', '{reaches}', 'connection', 'ends_at', 'dropped', '{break_started,break_ended}'),
    ('break_ended', '{reaches}', 'connection', null, null, '{break_started,break_ended}'),
    ('vault_opened', '{}', 'vault', 'expires_at', 'sent', null),
    ('vault_locked', '{}', 'vault', null, null, null),
    ('nominee_invited', '{reaches}', 'person', 'expires_at', 'sent', null),
    ('nominee_revoked', '{reaches}', null, null, null, null),
    ('nominee_changed', '{}', 'vault', null, null, null),
    ('nominee_accepted', '{}', 'vault', null, null, null),
    ('nominee_declined', '{}', null, null, null, null),
    ('transfer_requested', '{reaches}', 'person', 'expires_at', 'sent', null),
    ('transfer_accepted', '{}', null, null, null, null),
    ('transfer_declined', '{}', null, null, null, null),
    ('message_received', '{}', 'vault', null, null, null),
    ('help_requested', '{breaks_through,urgent,must_reach,first,answers}', 'connection', null, null,
      '{alarm_repeat,alarm_reopened,alarm_resolved,ping_all_clear}'),
    ('alarm_repeat', '{breaks_through,urgent,must_reach,first,answers}', 'connection', null, null,
      '{ping_missed,help_requested,alarm_repeat,alarm_reopened,ask_unanswered,alarm_resolved,ping_all_clear}'),
    ('alarm_reopened', '{breaks_through,urgent,must_reach,first,answers}', 'connection', null, null,
      '{ping_missed,help_requested,alarm_repeat,alarm_reopened,ask_unanswered,alarm_resolved,ping_all_clear}'),
    (
      'alarm_taken', '{follows,first}', 'connection', null, null,
      '{alarm_repeat,alarm_reopened,alarm_taken,alarm_resolved,ping_all_clear}'
    ),
    ('alarm_check', '{breaks_through,urgent,follows,first,answers}', 'connection', null, null, null),
    ('alarm_resolved', '{follows,first,owed}', 'connection', null, null,
      '{ping_missed,help_requested,alarm_repeat,alarm_reopened,alarm_taken,alarm_resolved,ask_unanswered,ping_all_clear'
      '}'),
    ('ask', '{breaks_through,urgent,asks,first}', 'connection', 'answer_by_at', null, null),
    ('ask_unanswered', '{breaks_through,urgent,must_reach,first,answers}', 'connection', null, null,
      '{ping_missed,help_requested,alarm_repeat,alarm_reopened,alarm_resolved,ping_all_clear}'),
    ('ask_answered', '{breaks_through,urgent,follows}', 'connection', null, null,
      '{ping_missed,help_requested,alarm_repeat,alarm_reopened,ask_unanswered,ask_answered,ping_all_clear}'),
    ('sender_unreachable', '{urgent,reaches}', 'connection', null, null, null),
    ('receiver_unreachable', '{urgent,reaches}', 'connection', null, null, null),
    ('test_message', '{reaches,as_miss}', 'connection', 'ends_at', 'dropped', '{test_message}'),
    ('emergency_requested', '{breaks_through,urgent,must_reach}', null, null, null, null),
    ('emergency_reminder', '{breaks_through,urgent,must_reach}', null, null, null, null),
    ('emergency_approved', '{breaks_through,urgent,must_reach}', null, 'ends_at', null, null),
    ('emergency_rejected', '{breaks_through,urgent,must_reach}', null, null, null, null),
    ('emergency_opened', '{breaks_through,urgent,must_reach}', null, 'ends_at', null, null)
  ) as known (type, traits, relation, deadline_key, if_held_past, replaced_by)
$$;
comment on function internal.notification_types() is
  'All that is known of each type of notification, in the order of the documentation. Whatever depends on a type asks '
  'this list. traits: breaks_through quiet hours, and therefore cannot be switched off entirely; urgent, so its '
  'default channels are push and email rather than push alone; must_reach its person on some channel, or the tenant''s '
  'server and the operator are told (F07); asks its reader for a check-in; answers: it asks a receiver to look after '
  'somebody; follows: it says to those who were told of an alarm, or who have asked, what has become of it; first: it '
  'is about an alarm or may become one, so it is planned before all others; owed: no choice of channels keeps it from '
  'a receiver who was told of the alarm, or was to be told; stale: worth nothing a day later, because it says that '
  'somebody is safe; reaches its reader on the cheapest channel that they have if they have none of the wanted ones; '
  'as_miss: it goes the way of a missed check-in, so nobody chooses channels for it. SMS is never a default, because a '
  'text message costs the tenant money. relation is what must still stand when it is sent (internal.ended_relation): '
  'the connection that it is about, the reader''s part in the vault, or that its reader has not blocked the person. '
  'deadline_key is the member of data with the instant after which the notification is pointless (F04): its deliveries '
  'expire then. An owner is told what has happened in their vault, which stays true, so internal.serves_until gives '
  'theirs none. The deadline of ping_due and ping_reminder is that of the ping, which can move, and a request for '
  'emergency access has ended or was granted when internal.pointless says so. if_held_past says what becomes of a '
  'delivery that quiet hours would hold past its deadline. sent: at once, because the reader can still act, and nobody '
  'tells them again. dropped: a break that is over in the morning was no reason to wake anybody. Every type with a '
  'deadline that respects quiet hours has it. replaced_by are the types of which a newer notification to the same '
  'reader about the same alarm or connection replaces a waiting one: nothing older is sent after what is so now '
  '(internal.newer_stands).';
grant execute on function internal.notification_types() to kith_api, kith_worker;

-- A condition on the type alone is a list in the statement that has it, made from the types: a call of the function
-- costs as much as a look-up, and an index needs the list.
do $$
declare
  v_made record;
begin
  for v_made in
    select condition.name, condition.meaning,
      (select string_agg(quote_literal(known.type), ', ' order by known.n) from internal.notification_types() as known
        where known.traits || known.relation && condition.traits) as types
    from (values
      (
        'is_alarm', array['must_reach'],
        'Whether a type of notification must reach its person on some channel. If none accepts it, the tenant''s '
        'server and the operator are told (F07).'
      ), (
        'is_of_alarm', array['first'],
        'Whether a type of notification is about an alarm or may become one, so that its minutes count and it is '
          'planned before all others (internal.claim_urgent). The predicates of two indexes of kith.notifications have '
          'the same list.'
      ), (
        'is_spoken', array['must_reach', 'asks'],
        'Whether a type of notification can be told by a phone call (J03): what asks somebody, and alarms. Nobody is '
        'called about anything else.'
      ), (
        'is_word_on_alarm', array['follows'],
        'Whether a type of notification says to those who were told of an alarm, or asked a question, what has become '
        'of it.'
      ), (
        'escalates', array['must_reach', 'asks', 'follows'],
        'Whether a type of notification goes out on its reader''s other channels when the chosen ones fail: an '
          'alarm, what asks a sender, whom silence would report missing, and what has become of an alarm, for which '
          'people would go on looking.'
      ), (
        'asks_receiver', array['answers'],
        'Whether a type of notification asks a receiver to look after somebody.'
      ), (
        'reaches', array['reaches'],
        'Whether a type of notification goes out on the cheapest channel that its reader has if they have none of '
          'the wanted ones: it is rare, and nobody would tell them again, such as that nobody watches over them any '
          'more.'
      ), (
        'is_owed', array['owed'],
        'Whether a type of notification says how an alarm ended, which no choice of channels keeps from a receiver who '
        'was told of it.'
      ), (
        'is_stale', array['stale'],
        'Whether a type of notification is worth nothing a day later: it says that somebody is safe.'
      ), (
        'is_of_connection', array['connection'],
        'Whether a type of notification is for the other side of a connection, for as long as it stands '
        '(internal.ended_relation).'
      ), (
        'is_of_vault', array['vault'],
        'Whether a type of notification is for somebody with a part in a vault, for as long as they have it '
        '(internal.ended_relation).'
      ), (
        'is_of_person', array['person'],
        'Whether a type of notification is something that a person asks of another, who may have blocked them since '
        '(internal.ended_relation).'
      )
    ) as condition (name, traits, meaning)
  loop
    execute format(
      'create or replace function internal.%I(p_type text) returns boolean language sql immutable parallel safe as %L',
      v_made.name, format('select p_type in (%s)', v_made.types)
    );
    execute format('comment on function internal.%I(text) is %L', v_made.name, v_made.meaning);
  end loop;
end
$$;
grant execute on function internal.is_of_alarm(text), internal.is_spoken(text) to kith_api;

do $$
declare
  v_cases text := (
    select string_agg(format('when %L then %L::text[]', known.type, known.replaced_by), ' ' order by known.n)
    from internal.notification_types() as known where known.replaced_by <> '{}'
  );
begin
  execute format(
    'create or replace function internal.replaced_by(p_type text) returns text[] language sql immutable parallel safe '
    'as %L',
    format('select case p_type %s end', v_cases)
  );
end
$$;
comment on function internal.replaced_by(text) is
  'The types of which a newer notification replaces a waiting one of a type (internal.notification_types), or null.';

create or replace function internal.must_reach(p_type text, p_data jsonb) returns boolean
  language sql
  immutable
  parallel safe
as $$
  select (internal.is_alarm(p_type) or p_data ? 'late') and not p_data ? 'drill'
$$;
comment on function internal.must_reach(text, jsonb) is
  'Whether a notification must reach its reader on some channel, or the tenant''s server and the operator are told '
  '(F07): an alarm, and the word of a receiver that somebody reads in the place of a miss (late). Nobody need hear of '
  'a drill.';

create or replace function internal.serves_until(p_deadline_key text, p_data jsonb) returns timestamptz
  language sql
  stable
  parallel safe
as $$
  select case when p_data ->> 'to' is distinct from 'owner' then (p_data ->> p_deadline_key)::timestamptz end
$$;
comment on function internal.serves_until(text, jsonb) is
  'The instant after which a notification is pointless, from its data and the deadline_key of its type '
  '(internal.notification_types). Null if it stays true.';

create or replace function internal.quiet_until(p_at timestamptz, p_starts_at time, p_ends_at time, p_time_zone text)
  returns timestamptz
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
  'When the quiet hours in effect at p_at end, or p_at itself if none are. Hours that end before they start run past '
  'midnight.';

create or replace function internal.leaves_at(
  p_at timestamptz, p_now timestamptz, p_quiet kith.quiet_hours, p_time_zone text, p_if_held_past text,
  p_serves_until timestamptz
) returns timestamptz
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_held_until timestamptz := internal.quiet_until(
    greatest(p_at, p_now), p_quiet.starts_at, p_quiet.ends_at, p_time_zone
  );
begin
  return case when p_if_held_past = 'sent' and p_serves_until <= v_held_until then p_at else v_held_until end;
end
$$;
comment on function internal.leaves_at(timestamptz, timestamptz, kith.quiet_hours, text, text, timestamptz) is
  'When a delivery that quiet hours may hold leaves: at their end, or at once if it serves a deadline before that and '
  'is then to be sent (if_held_past in internal.notification_types).';

create or replace function internal.release_held(p_user kith.users, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_until timestamptz := coalesce((
    select internal.quiet_until(p_now, quiet.starts_at, quiet.ends_at, p_user.time_zone)
    from kith.quiet_hours as quiet
    where quiet.tenant_id = p_user.tenant_id and quiet.user_id = p_user.id
  ), p_now);
  -- Nothing is held longer than a day.
  v_first uuid := internal.first_uuid7(p_now - interval '2 days');
begin
  update kith.deliveries as delivery
  set next_attempt_at = v_until, expires_at = least(delivery.expires_at, v_until + interval '1 day')
  from (
    select waiting.id
    from kith.notifications as notification
    join kith.deliveries as waiting
      on waiting.tenant_id = p_user.tenant_id and waiting.notification_id = notification.id and waiting.id >= v_first
    where notification.tenant_id = p_user.tenant_id and notification.user_id = p_user.id and notification.id >= v_first
      and waiting.status = 'queued' and not waiting.is_urgent and waiting.next_attempt_at > v_until
    order by waiting.id
    for no key update of waiting skip locked
  ) as held
  where delivery.tenant_id = p_user.tenant_id and delivery.id = held.id;
end
$$;
comment on function internal.release_held(kith.users, timestamptz) is
  'Makes the deliveries that somebody''s former quiet hours, or those of their former time zone, hold back due when '
  'the present ones end, or now if none are in effect, unless they are due earlier; also those that were tried before '
  'the hours began. They expire a day later, as if they had been written then, or at the deadline that they serve. '
  '(What is due earlier than the present ones end is held when it is claimed.) For definer procedures.';

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
    where not 'as_miss' = any (known.traits)
  );
end
$$;
comment on function internal.preferences_json() is
  'The current user''s channels for each type of notification: their choice, or the default.';
grant execute on function internal.preferences_json() to kith_api;

create or replace function internal.types_json() returns json
  language plpgsql
  stable
as $$
begin
  return (
    select json_agg(
      json_build_object(
        'type', known.type,
        'channels',
        case
          when internal.is_spoken(known.type) then internal.ways()
          else array_remove(internal.ways(), 'voice')
        end,
        'default_channels', known.channels,
        'can_be_off', not known.breaks_through,
        'is_alarm', 'must_reach' = any (known.traits)
      )
      order by known.n
    )
    from internal.notification_types() as known
    where not 'as_miss' = any (known.traits)
  );
end
$$;
comment on function internal.types_json() is
  'For each type of notification the channels that people can choose for it, those without a choice, whether they can '
  'choose none (api.put_notification_preferences), and whether it is about somebody who may need help.';
grant execute on function internal.types_json() to kith_api;

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
