create or replace function internal.complete_pings(
  p_check_in_id uuid, p_note text, p_source text, p_time_zone text, p_previous_at timestamptz, p_timed_at timestamptz,
  p_at timestamptz, p_now timestamptz
) returns json
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  -- No zone is further than 14 hours from UTC and no grace is longer than 12 hours, so an open ping has one of four
  -- dates.
  v_day date := (p_at at time zone 'UTC')::date;
  v_since timestamptz := least(coalesce(p_previous_at, '-infinity'), p_at);
  -- What arrives more than a minute after the tap speaks for that moment alone: no ping that came later, and nothing
  -- early (J07).
  v_is_old boolean := p_at < p_now - interval '60 seconds';
  v_before timestamptz := case when v_is_old then p_at else 'infinity' end;
  -- No zone is further than 12 hours behind UTC. So if the previous check-in came yesterday or today, the deadlines of
  -- older dates had passed by then.
  v_has_missed boolean := v_since < (v_day - 1)::timestamp at time zone 'UTC'
    and internal.has_older_missed_pings(v_since, v_day);
  v_is_newest boolean := coalesce(p_previous_at <= p_at, true);
  v_is_completed boolean;
  v_has_late boolean;
  v_pings kith.pings[];
  v_missed kith.pings[];
begin
  -- Complete the pings whose time has come and that have not been judged, whatever their date: a ping at 23:58 with 90
  -- minutes of grace ends tomorrow. A missed ping is returned unchanged, because a second statement that looks for one
  -- would cost every check-in.
  with changed as (
    update kith.pings as ping
    set status = case
        when ping.status = 'missed' then 'missed'
        else internal.answered_status(p_at, ping.deadline_at)
      end,
      completed_at = case when ping.status <> 'missed' then p_at end,
      check_in_id = case when ping.status <> 'missed' then p_check_in_id end,
      note = case when ping.status <> 'missed' then p_note end,
      remind_at = null
    where ping.tenant_id = v_tenant and ping.ping_on in (v_day - 2, v_day - 1, v_day, v_day + 1)
      and ping.sender_id = v_user and ping.ping_on >= internal.current_pings_since()
      -- A due ping is due whatever this server's clock says.
      and (
        ping.status = 'due' and ping.scheduled_at <= v_before
        or ping.status = 'scheduled' and ping.scheduled_at <= least(v_before, p_now)
        or ping.status = 'missed' and ping.deadline_at > v_since and ping.scheduled_at <= v_before
      )
    returning ping
  )
  select array_agg(changed.ping) filter (where (changed.ping).status <> 'missed'),
    v_has_missed or coalesce(bool_or((changed.ping).status = 'missed'), false),
    coalesce(bool_or((changed.ping).status = 'completed'), false),
    coalesce(bool_or((changed.ping).status = 'completed_late'), false)
  into v_pings, v_has_missed, v_is_completed, v_has_late from changed;
  if v_has_missed then
    v_missed := internal.complete_missed_pings(p_check_in_id, p_note, v_since, p_at, v_before, p_now);
    v_is_completed := v_is_completed or exists (select from unnest(v_missed) as done where done.status = 'completed');
  end if;
  -- Complete today's ping early, but only if no ping was open.
  if not v_is_completed and not v_is_old then
    v_pings := v_pings
      || internal.complete_coming_pings(p_check_in_id, p_note, p_time_zone, v_pings || v_missed, p_now);
  end if;
  if p_timed_at > p_now - interval '2 days' and v_pings is not null then
    perform internal.follow_completed_pings(v_pings, p_now);
  end if;
  if v_pings is null and v_missed is null then
    return internal.show_last_check_in(v_is_newest, p_now);
  elsif v_missed is null and not v_has_late and not v_is_old then
    return internal.answer_timely_check_in(v_pings, v_is_newest, p_now);
  end if;
  return internal.answer_late_check_in(
    v_pings, v_missed, v_has_late, p_source, case when v_is_old then p_at end, v_is_newest, p_now
  );
end
$$;
comment on function internal.complete_pings(
  uuid, text, text, text, timestamptz, timestamptz, timestamptz, timestamptz
) is
  'Applies a check-in to the sender''s pings and notifies their receivers. p_note is the note if the sender shares it, '
  'p_source how it came, p_previous_at the time of the previous check-in, p_timed_at the last change of the sender''s '
  'times, p_at the moment for which the check-in speaks. The caller must have locked the sender''s profile, so that '
  'two check-ins run one after the other. For api.check_in.';

create or replace function internal.show_last_check_in(p_is_newest boolean, p_now timestamptz) returns json
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  insert into kith.events (tenant_id, id, user_id, type, subject_id)
  select v_tenant, internal.uuid7(p_now), side.user_id, 'connection', connection.id
  from kith.connections as connection
  cross join lateral (values (v_user), (connection.receiver_id)) as side (user_id)
  where p_is_newest and connection.tenant_id = v_tenant and connection.sender_id = v_user
    and connection.status = 'active';
  return json_build_object('completed', 0, 'late', 0, 'pings', json_build_array());
end
$$;
comment on function internal.show_last_check_in(boolean, timestamptz) is
  'P11: a check-in that changes no ping changes what the dashboards of the sender and the receivers show, the last '
  'check-in with its note. Returns the answer to it. p_is_newest: no other check-in speaks for a later moment. For '
  'internal.complete_pings.';

create or replace function internal.follow_completed_pings(p_pings kith.pings[], p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_left kith.pings[] := internal.left_pings(p_pings, p_now);
begin
  if v_left <> '{}' then
    perform internal.settle_pings(
      array(select distinct ping.connection_id from unnest(v_left) as ping), false, true, p_now
    );
  end if;
end
$$;
comment on function internal.follow_completed_pings(kith.pings[], timestamptz) is
  'X33: makes today''s pings of the connections whose left-over ping has just been completed. For '
  'internal.complete_pings.';

create or replace function internal.pings_between_connected(p_pings kith.pings[]) returns kith.pings[]
  language plpgsql
  stable
as $$
begin
  return (
    select array_agg(ping)
    from unnest(p_pings) as ping
    join kith.connections as connection on connection.tenant_id = ping.tenant_id and connection.id = ping.connection_id
    where connection.status <> 'deleted'
  );
end
$$;
comment on function internal.pings_between_connected(kith.pings[]) is
  'Those of some pings whose connection has not ended; null for none. A check-in answers the misses of ended '
  'connections too, silently: neither side sees the other''s (X38). A ping whose deadline is ahead ends with its '
  'connection, so only a late check-in has to look. For internal.answer_late_check_in.';

create or replace function internal.complete_coming_pings(
  p_check_in_id uuid, p_note text, p_time_zone text, p_completed kith.pings[], p_now timestamptz
) returns kith.pings[]
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_today date := internal.local_date(p_now, p_time_zone);
  -- Nearly every check-in has completed nothing else.
  v_late_at timestamptz := case when p_completed is not null then
    (select max(late.deadline_at) from unnest(p_completed) as late where late.deadline_at <= p_now)
  end;
  v_day date := (p_now at time zone 'UTC')::date;
  v_pings kith.pings[];
begin
  with changed as (
    update kith.pings as ping
    set status = 'completed', completed_at = p_now, check_in_id = p_check_in_id, note = p_note, remind_at = null
    where ping.tenant_id = v_tenant and ping.ping_on = v_today and ping.sender_id = v_user
      and ping.ping_on >= internal.current_pings_since()
      -- coalesce, though no status is null: a plan made while few pings are scheduled would read those of all senders
      -- by pings_to_announce.
      and coalesce(ping.status, '') = 'scheduled' and ping.scheduled_at > p_now
      -- Half an hour after midnight, somebody answers for the evening before, not for the next one.
      and coalesce(ping.scheduled_at - p_now <= p_now - v_late_at, true)
      and not exists (
        select from kith.pings as answered
        where answered.tenant_id = v_tenant and answered.ping_on in (v_day - 2, v_day - 1, v_day, v_day + 1)
          and answered.ping_on >= internal.current_pings_since()
          and answered.sender_id = v_user and answered.status in ('completed', 'completed_late')
          and answered.scheduled_at <= p_now and answered.deadline_at > p_now
      )
    returning ping
  )
  select array_agg(changed.ping) into v_pings
  from changed;
  return v_pings;
end
$$;
comment on function internal.complete_coming_pings(uuid, text, text, kith.pings[], timestamptz) is
  'Completes the sender''s pings of today in p_time_zone early and returns them, unless the deadline of an answered '
  'ping is still ahead: a second tap at 00:05 refers to the ping of 23:58, and must not complete the next evening''s '
  'ping. Nor does a check-in that came too late for the deadline of a ping that it has completed (p_completed), if '
  'that is nearer than the coming ping. For internal.complete_pings.';

create or replace function internal.louder_connections(p_pings kith.pings[], p_missed kith.pings[]) returns uuid[]
  language plpgsql
  stable
as $$
begin
  return array(
    select connection_id from unnest(p_pings) where status = 'completed'
    union
    select connection_id from unnest(p_missed) where alarmed_at is not null
  );
end
$$;
comment on function internal.louder_connections(kith.pings[], kith.pings[]) is
  'The connections whose receivers a check-in tells something else than that it completed a ping after its deadline, '
  'of which nobody had been told: one fact is told once. For internal.answer_check_in.';

create or replace function internal.leaves_alarm_open(p_source text, p_at timestamptz, p_now timestamptz)
  returns boolean
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return exists (
    select from kith.alarms as alarm
    where alarm.tenant_id = v_tenant and alarm.sender_id = v_user and alarm.resolved_at is null
      and alarm.kind <> 'drill'
      and alarm.expires_at > p_now and not internal.ends_by_check_in(alarm, p_source, p_at, p_now)
  );
end
$$;
comment on function internal.leaves_alarm_open(text, timestamptz, timestamptz) is
  'Whether the current user has an alarm that a check-in for the moment p_at does not end, such as a later call for '
  'help, or any if a thing reports (p_source sign): then nothing is clear. For internal.answer_check_in.';

create or replace function internal.answer_timely_check_in(p_pings kith.pings[], p_is_newest boolean, p_now timestamptz)
  returns json
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_answer json;
begin
  -- One statement, because a check-in is the most frequent write: internal.notify and internal.emit_pings would cost
  -- three more. It reads each connection once.
  with side as materialized (
    select connection.id as connection_id, connection.receiver_id, connection.status, ping.id as ping_id, ping.ping_on,
      ping.note
    from kith.connections as connection
    left join unnest(p_pings) as ping on ping.connection_id = connection.id
    where connection.tenant_id = v_tenant and connection.sender_id = v_user
  ), told as (
    insert into kith.notifications (tenant_id, id, user_id, type, data, created_at, note)
    select v_tenant, internal.uuid7(p_now), side.receiver_id, 'ping_completed',
      jsonb_build_object(
        'connection_id', side.connection_id, 'ping_id', side.ping_id, 'date', side.ping_on, 'user_id', v_user
      ),
      p_now, side.note
    from side
    where side.ping_id is not null and side.status = 'active'
  ), shown as (
    insert into kith.events (tenant_id, id, user_id, type, subject_id, parent_id, ping_on)
    -- Where no ping changes, the dashboards show the last check-in with its note (P11).
    select v_tenant, internal.uuid7(p_now), reader.user_id,
      case when side.ping_id is null then 'connection' else 'ping' end, coalesce(side.ping_id, side.connection_id),
        case when side.ping_id is not null then side.connection_id end, side.ping_on
    from side
    cross join lateral (
      values (v_user), (case when side.status <> 'pending' then side.receiver_id end)
    ) as reader (user_id)
    where reader.user_id is not null and (side.ping_id is not null or p_is_newest and side.status = 'active')
  )
  select json_build_object(
    'completed', count(*) filter (where (done).status = 'completed'),
    'late', count(*) filter (where (done).status = 'completed_late'),
    'pings', coalesce(json_agg(internal.ping_json(done) order by (done).ping_on, (done).connection_id), '[]')
  )
  into v_answer
  from unnest(p_pings) as done;
  return v_answer;
end
$$;
comment on function internal.answer_timely_check_in(kith.pings[], boolean, timestamptz) is
  'As internal.answer_check_in, for a check-in that completes pings in time, as nearly every one does: nobody had been '
  'alarmed, and it speaks for its own instant. Without what the other one weighs, such a check-in costs PostgreSQL a '
  'fifth less. For internal.complete_pings.';

create or replace function internal.tap_data(p_at timestamptz, p_is_safe boolean) returns jsonb
  language sql
  stable
  parallel safe
as $$
  select case
    when p_at is null then '{}'
    when p_is_safe then jsonb_build_object('tapped_at', internal.instant(p_at))
    else jsonb_build_object('tapped_at', internal.instant(p_at), 'then_at', internal.instant(p_at))
  end
$$;
comment on function internal.tap_data(timestamptz, boolean) is
  'What the data of a notification of a check-in says of a tap that arrived late, or nothing for null; with then_at if '
  'nothing is clear, because a newer miss or an alarm stands: its title says no "Safe" then (X39). For '
  'internal.answer_check_in.';

create or replace function internal.answer_check_in(
  p_pings kith.pings[], p_missed kith.pings[], p_has_late boolean, p_source text, p_tapped_at timestamptz,
  p_is_newest boolean, p_now timestamptz
) returns json
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_louder uuid[] := case when p_has_late then internal.louder_connections(p_pings, p_missed) end;
  v_missing uuid[] := case when p_tapped_at is not null then internal.still_missing(p_missed, p_tapped_at) end;
  v_is_open boolean := p_missed is not null and internal.leaves_alarm_open(p_source, p_missed[1].completed_at, p_now);
  v_answer json;
begin
  with done as materialized (
    select ping.id, ping.connection_id, ping.receiver_id, ping.ping_on, ping.note, ping.alarmed_at,
      connection.status as connection_status, ping.was_missed, ping.is_told, ping.spoken_at,
      ping.was_missed and not v_is_open and coalesce(ping.connection_id <> all (v_missing), true) as is_clear
    from (
      -- One all-clear for each receiver who was alarmed, of the newest ping (X35). They read the moment of a tap that
      -- arrived late, and of a check-in in time that came to the database after the judgement: "late" would be true of
      -- neither.
      select *, true as was_missed,
        coalesce(p_tapped_at, case when status = 'completed' then completed_at end) as spoken_at,
        alarmed_at is not null
        and ping_on = max(ping_on) filter (where alarmed_at is not null) over (partition by connection_id) as is_told
      from unnest(p_missed)
      union all
      select *, false, p_tapped_at, status = 'completed' or coalesce(connection_id <> all (v_louder), true)
      from unnest(p_pings)
    ) as ping
    join kith.connections as connection on connection.tenant_id = v_tenant and connection.id = ping.connection_id
  ), told as (
    -- A pending connection notifies nobody (P29). An all-clear goes to whoever was alarmed, also on a paused
    -- connection, and after the alarm.
    insert into kith.notifications (tenant_id, id, user_id, type, data, created_at, note)
    select v_tenant, internal.uuid7(greatest(p_now, done.alarmed_at + interval '2 ms')), done.receiver_id,
      case when done.is_clear then 'ping_all_clear' else 'ping_completed' end,
      jsonb_build_object(
        'connection_id', done.connection_id, 'ping_id', done.id, 'date', done.ping_on, 'user_id', v_user
      )
        || internal.tap_data(done.spoken_at, done.is_clear or not done.was_missed),
      p_now, done.note
    from done
    where done.is_told and (done.connection_status = 'active' or done.was_missed and done.connection_status = 'paused')
  ), shown as (
    insert into kith.events (tenant_id, id, user_id, type, subject_id, parent_id, ping_on)
    select v_tenant, internal.uuid7(p_now), side.user_id, 'ping', done.id, done.connection_id, done.ping_on
    from done
    cross join lateral (
      values (v_user), (case when done.connection_status <> 'pending' then done.receiver_id end)
    ) as side (user_id)
    where side.user_id is not null
    union all
    -- Where no ping changes, the dashboards show the last check-in with its note (P11).
    select v_tenant, internal.uuid7(p_now), side.user_id, 'connection', connection.id, null, null
    from kith.connections as connection
    cross join lateral (values (v_user), (connection.receiver_id)) as side (user_id)
    where p_is_newest and connection.tenant_id = v_tenant and connection.sender_id = v_user
      and connection.status = 'active' and not exists (select from done where done.connection_id = connection.id)
  )
  select json_build_object(
    'completed', count(*) filter (where (done).status = 'completed'),
    'late', count(*) filter (where (done).status = 'completed_late'),
    'pings', coalesce(json_agg(internal.ping_json(done) order by (done).ping_on, (done).connection_id), '[]')
  )
  into v_answer
  from unnest(p_missed || p_pings) as done;
  return v_answer;
end
$$;
comment on function internal.answer_check_in(
  kith.pings[], kith.pings[], boolean, text, timestamptz, boolean, timestamptz
) is
  'Tells the receivers of the pings that a check-in has just completed, and of those (p_missed) that were judged '
  'missed before, emits the events, and returns the answer to the check-in. p_has_late: some of them were completed '
  'after their deadline. p_source is how it came, p_tapped_at the moment of a tap that arrived late, otherwise null. '
  'p_is_newest: no other check-in speaks for a later moment. For internal.complete_pings.';
