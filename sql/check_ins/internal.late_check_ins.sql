-- What a check-in does after a missed ping, or long after the tap.

create or replace function internal.has_older_missed_pings(p_since timestamptz, p_day date) returns boolean
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return exists (
    select from kith.pings as ping
    where ping.tenant_id = v_tenant and ping.sender_id = v_user and ping.status = 'missed'
      and ping.deadline_at > p_since
      and ping.ping_on >= (p_since at time zone 'UTC')::date - 2 and ping.ping_on < p_day - 2
  );
end
$$;
comment on function internal.has_older_missed_pings(timestamptz, date) is
  'Whether the current user has a missed ping whose deadline is after p_since, and whose date is more than two days '
  'before p_day. For internal.complete_pings, which looks at later dates anyway.';

create or replace function internal.complete_missed_pings(
  p_check_in_id uuid, p_note text, p_since timestamptz, p_at timestamptz, p_before timestamptz, p_now timestamptz
) returns kith.pings[]
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_since_on date := (p_since at time zone 'UTC')::date - 2;
  v_day date := (p_at at time zone 'UTC')::date;
  v_pings kith.pings[];
begin
  with missed as (
    select ping.ping_on, ping.connection_id, ping.deadline_at,
      max(ping.ping_on) filter (where ping.deadline_at <= p_at) over (partition by ping.connection_id) as newest_on
    from kith.pings as ping
    where ping.tenant_id = v_tenant and ping.sender_id = v_user and ping.status = 'missed'
      and ping.deadline_at > p_since
      and ping.scheduled_at <= p_before and ping.ping_on >= v_since_on and ping.ping_on <= v_day + 1
  ), changed as (
    update kith.pings as ping
    -- Received in time, it has been missed only because the database was slow. A tap that arrives after the judgement
    -- is late (J07).
    set status = internal.answered_status(p_now, ping.deadline_at), completed_at = p_at, check_in_id = p_check_in_id,
      -- A paused connection shows the receiver nothing of its check-ins.
      note = case when connection.status = 'active' then p_note end
    from missed
    join kith.connections as connection on connection.tenant_id = v_tenant and connection.id = missed.connection_id
    where ping.tenant_id = v_tenant and ping.ping_on = missed.ping_on and ping.connection_id = missed.connection_id
      -- The sender too (sql/README.md).
      and ping.sender_id = v_user
      and ping.status = 'missed' and (missed.deadline_at > p_at or missed.ping_on = missed.newest_on)
    returning ping
  )
  select array_agg(changed.ping) into v_pings
  from changed;
  return v_pings;
end
$$;
comment on function internal.complete_missed_pings(uuid, text, timestamptz, timestamptz, timestamptz, timestamptz) is
  'Applies a check-in to the sender''s pings judged missed since the previous check-in, if their time came before '
  'p_before, and returns those that it changed, also of ended connections (X38). If the check-in was received before '
  'the deadline, the ping is completed after all. If it was tapped before it, and for the newest of each connection '
  'otherwise, it becomes completed_late. For internal.complete_pings and internal.check_in_without_profile.';

create or replace function internal.answer_late_check_in(
  p_pings kith.pings[], p_missed kith.pings[], p_has_late boolean, p_source text, p_tapped_at timestamptz,
  p_is_newest boolean, p_now timestamptz
) returns json
  language plpgsql
as $$
declare
  v_pings kith.pings[] := internal.pings_between_connected(p_pings);
  v_missed kith.pings[] := internal.pings_between_connected(p_missed);
  v_answer json;
begin
  if v_pings is null and v_missed is null then
    return internal.show_last_check_in(p_is_newest, p_now);
  end if;
  v_answer := internal.answer_check_in(
    v_pings, v_missed, p_has_late or v_missed is not null, p_source, p_tapped_at, p_is_newest, p_now
  );
  perform internal.tell_of_late_day(v_missed, p_tapped_at, p_now);
  return v_answer;
end
$$;
comment on function internal.answer_late_check_in(
  kith.pings[], kith.pings[], boolean, text, timestamptz, boolean, timestamptz
) is
  'Calls internal.answer_check_in for pings between people who are connected. Also tells the receivers of later tiers, '
  'who had not been alarmed. For internal.complete_pings.';

create or replace function internal.tell_of_late_day(p_missed kith.pings[], p_tapped_at timestamptz, p_now timestamptz)
  returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_first uuid := internal.first_uuid7(p_now - interval '1 minute');
begin
  if p_missed is null then
    return;
  end if;
  perform internal.notify(
    'ping_completed', array_agg(v_tenant), array_agg(untold.receiver_id),
    array_agg(
      jsonb_build_object(
        'connection_id', untold.connection_id, 'ping_id', untold.id, 'date', untold.ping_on, 'user_id', untold.sender_id
      )
        || case
          when p_tapped_at is null then '{}'
          else jsonb_build_object('tapped_at', internal.instant(p_tapped_at))
        end
    ),
    p_now, p_notes => array_agg(untold.note)
  )
  from (
    select distinct on (ping.connection_id) ping.*
    from unnest(p_missed) as ping
    join kith.connections as connection
      on connection.tenant_id = v_tenant and connection.id = ping.connection_id and connection.status = 'active'
    order by ping.connection_id, ping.ping_on desc
  ) as untold
  where untold.alarmed_at is null and exists (
    select from kith.alarms as alarm
    join kith.alarm_receivers as receiver
      on receiver.tenant_id = v_tenant and receiver.alarm_id = alarm.id and receiver.receiver_id = untold.receiver_id
        and receiver.told_at is null and receiver.left_at is null
    where alarm.tenant_id = v_tenant and alarm.sender_id = untold.sender_id and alarm.kind <> 'drill'
      and alarm.opened_at > untold.deadline_at - interval '7 days'
  ) and not exists (
    select from kith.notifications as told
    where told.tenant_id = v_tenant and told.user_id = untold.receiver_id and told.id >= v_first
      and told.xid = pg_current_xact_id()
      and told.type in ('ping_completed', 'ping_all_clear')
      and told.data ->> 'connection_id' = untold.connection_id::text
  );
end
$$;
comment on function internal.tell_of_late_day(kith.pings[], timestamptz, timestamptz) is
  'Tells receivers of a later tier, whose minutes had not passed, that a missed ping is completed, as of any other '
  '(X35). Whom the check-in has told something already hears nothing more. For internal.answer_late_check_in.';

create or replace function internal.still_missing(p_missed kith.pings[], p_tapped_at timestamptz) returns uuid[]
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return array(
    select missed.connection_id
    from unnest(p_missed) as missed
    where exists (
      select from kith.pings as later
      where later.tenant_id = v_tenant and later.sender_id = missed.sender_id and later.status = 'missed'
        and later.deadline_at > p_tapped_at and later.connection_id = missed.connection_id
    )
  );
end
$$;
comment on function internal.still_missing(kith.pings[], timestamptz) is
  'The connections of missed pings on which another one has been missed since a tap that arrived late: it clears no '
  'alarm there. For internal.answer_check_in.';
