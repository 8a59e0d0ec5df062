create or replace function internal.complete_pings(
  p_check_in_id uuid, p_note text, p_time_zone text, p_previous_at timestamptz, p_now timestamptz
) returns json
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  -- No zone is further than 14 hours from UTC and no grace is longer than 12 hours, so an open ping has one of four dates.
  v_day date := (p_now at time zone 'UTC')::date;
  v_since timestamptz := least(coalesce(p_previous_at, '-infinity'), p_now);
  -- No zone is further than 12 hours behind UTC. So if the previous check-in came yesterday or today, the deadlines of older dates had
  -- passed by then.
  v_has_missed boolean := v_since < (v_day - 1)::timestamp at time zone 'UTC' and internal.has_older_missed_pings(v_since, v_day);
  v_is_completed boolean;
  v_pings kith.pings[];
  v_missed kith.pings[];
begin
  -- Complete the pings whose time has come and that have not been judged, whatever their date: a ping at 23:58 with 90 minutes of
  -- grace ends tomorrow. A missed ping is returned unchanged, because a second statement that looks for one would cost every check-in.
  with changed as (
    update kith.pings as ping
    set status = case when ping.status = 'missed' then 'missed' when ping.deadline_at > p_now then 'completed' else 'completed_late' end,
      completed_at = case when ping.status <> 'missed' then p_now end,
      check_in_id = case when ping.status <> 'missed' then p_check_in_id end,
      note = case when ping.status <> 'missed' then p_note end,
      remind_at = null
    where ping.tenant_id = v_tenant and ping.ping_on in (v_day - 2, v_day - 1, v_day, v_day + 1) and ping.sender_id = v_user
      and ping.ping_on >= internal.current_pings_since()
      -- A due ping is due whatever this server's clock says.
      and (
        ping.status = 'due' or ping.status = 'scheduled' and ping.scheduled_at <= p_now
        or ping.status = 'missed' and ping.deadline_at > v_since
      )
    returning ping
  )
  select array_agg(changed.ping) filter (where (changed.ping).status <> 'missed'),
    v_has_missed or coalesce(bool_or((changed.ping).status = 'missed'), false),
    coalesce(bool_or((changed.ping).status = 'completed'), false)
  into v_pings, v_has_missed, v_is_completed
  from changed;
  if v_has_missed then
    v_missed := internal.complete_missed_pings(p_check_in_id, p_note, v_since, p_now);
    v_is_completed := v_is_completed or exists (select from unnest(v_missed) as done where done.status = 'completed');
  end if;

  -- Complete today's ping early, but only if no ping was open.
  if not v_is_completed then
    v_pings := v_pings || internal.complete_coming_pings(p_check_in_id, p_note, internal.local_date(p_now, p_time_zone), p_now);
  end if;
  if v_pings is null and v_missed is null then
    return json_build_object('completed', 0, 'late', 0, 'pings', json_build_array());
  end if;
  return internal.answer_check_in(v_pings, v_missed, p_now);
end
$$;
comment on function internal.complete_pings(uuid, text, text, timestamptz, timestamptz) is
  'Applies a check-in to the sender''s pings and notifies their receivers. p_note is the note if the sender shares it, p_previous_at the time of the previous check-in. The caller must have locked the sender''s profile, so that two check-ins run one after the other. For api.check_in.';
revoke all on function internal.complete_pings(uuid, text, text, timestamptz, timestamptz) from public;

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
    where ping.tenant_id = v_tenant and ping.sender_id = v_user and ping.status = 'missed' and ping.deadline_at > p_since
      and ping.ping_on >= (p_since at time zone 'UTC')::date - 2 and ping.ping_on < p_day - 2
  );
end
$$;
comment on function internal.has_older_missed_pings(timestamptz, date) is
  'Whether the current user has a missed ping whose deadline is after p_since, and whose date is more than two days before p_day. For internal.complete_pings, which looks at later dates anyway.';
revoke all on function internal.has_older_missed_pings(timestamptz, date) from public;

create or replace function internal.complete_missed_pings(p_check_in_id uuid, p_note text, p_since timestamptz, p_now timestamptz)
  returns kith.pings[]
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_since_on date := (p_since at time zone 'UTC')::date - 2;
  v_day date := (p_now at time zone 'UTC')::date;
  v_pings kith.pings[];
begin
  with missed as (
    select ping.ping_on, ping.connection_id, ping.deadline_at,
      max(ping.ping_on) filter (where ping.deadline_at <= p_now) over (partition by ping.connection_id) as newest_on
    from kith.pings as ping
    where ping.tenant_id = v_tenant and ping.sender_id = v_user and ping.status = 'missed' and ping.deadline_at > p_since
      and ping.ping_on >= v_since_on and ping.ping_on <= v_day + 1
  ), changed as (
    update kith.pings as ping
    set status = case when ping.deadline_at > p_now then 'completed' else 'completed_late' end, completed_at = p_now,
      check_in_id = p_check_in_id,
      -- A paused connection shows the receiver nothing of its check-ins.
      note = case when connection.status = 'active' then p_note end
    from missed
    join kith.connections as connection
      on connection.tenant_id = v_tenant and connection.id = missed.connection_id and connection.status <> 'deleted'
    where ping.tenant_id = v_tenant and ping.ping_on = missed.ping_on and ping.connection_id = missed.connection_id
      and ping.status = 'missed' and (missed.deadline_at > p_now or missed.ping_on = missed.newest_on)
    returning ping
  )
  select array_agg(changed.ping) into v_pings
  from changed;
  return v_pings;
end
$$;
comment on function internal.complete_missed_pings(uuid, text, timestamptz, timestamptz) is
  'Applies a check-in to the sender''s pings judged missed since the previous check-in, and returns those that it changed. If the check-in was received before the deadline, the ping is completed after all. Otherwise the newest ping of each connection becomes completed_late. For internal.complete_pings.';
revoke all on function internal.complete_missed_pings(uuid, text, timestamptz, timestamptz) from public;

create or replace function internal.complete_coming_pings(p_check_in_id uuid, p_note text, p_today date, p_now timestamptz) returns kith.pings[]
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_day date := (p_now at time zone 'UTC')::date;
  v_pings kith.pings[];
begin
  with changed as (
    update kith.pings as ping
    set status = 'completed', completed_at = p_now, check_in_id = p_check_in_id, note = p_note, remind_at = null
    where ping.tenant_id = v_tenant and ping.ping_on = p_today and ping.sender_id = v_user
      and ping.ping_on >= internal.current_pings_since()
      -- coalesce, though no status is null: a plan made while few pings are scheduled would read those of all senders by pings_to_announce.
      and coalesce(ping.status, '') = 'scheduled' and ping.scheduled_at > p_now
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
comment on function internal.complete_coming_pings(uuid, text, date, timestamptz) is
  'Completes the sender''s pings of p_today early and returns them, unless the deadline of an answered ping is still ahead: a second tap at 00:05 refers to the ping of 23:58, and must not complete the next evening''s ping. For internal.complete_pings.';
revoke all on function internal.complete_coming_pings(uuid, text, date, timestamptz) from public;

create or replace function internal.answer_check_in(p_pings kith.pings[], p_missed kith.pings[], p_now timestamptz) returns json
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_answer json;
begin
  -- One statement, because a check-in is the most frequent write: internal.notify and internal.emit_pings would cost three more.
  with done as materialized (
    select ping.id, ping.connection_id, ping.receiver_id, ping.ping_on, ping.deadline_at, ping.note, connection.status as connection_status,
      connection.alias_by_receiver as sender_alias,
      ping.was_missed, ping.was_missed or ping.status = 'completed_late' as is_late
    from (
      select *, true as was_missed from unnest(p_missed)
      union all
      select *, false from unnest(p_pings)
    ) as ping
    join kith.connections as connection on connection.tenant_id = v_tenant and connection.id = ping.connection_id
  ), told as (
    -- A pending connection notifies nobody (P29). An all-clear goes to each receiver who was alarmed, even on a paused connection.
    insert into kith.notifications (tenant_id, id, user_id, type, title, body, data, created_at, note, person_name)
    -- Pass each type as a constant: the planner then keeps only that text, instead of preparing all of them at each check-in.
    select v_tenant, internal.uuid7(p_now), done.receiver_id,
      case when done.is_late then 'ping_all_clear' else 'ping_completed' end,
      case when done.is_late then internal.notification_title('ping_all_clear') else internal.notification_title('ping_completed') end,
      case
        when done.is_late then internal.notification_body('ping_all_clear', 'receiver', coalesce(done.sender_alias, sender.display_name))
        else internal.notification_body('ping_completed', 'receiver', coalesce(done.sender_alias, sender.display_name))
      end,
      jsonb_build_object('connection_id', done.connection_id, 'ping_id', done.id, 'date', done.ping_on, 'user_id', v_user), p_now, done.note,
      nullif(btrim(coalesce(done.sender_alias, sender.display_name)), '')
    from done
    join kith.users as sender on sender.tenant_id = v_tenant and sender.id = v_user
    where case
      when done.was_missed then
        done.connection_status <> 'deleted'
        and internal.was_told_of_ping(v_tenant, done.receiver_id, 'ping_missed', done.id, done.deadline_at)
      else done.connection_status = 'active'
    end
  ), shown as (
    insert into kith.events (tenant_id, id, user_id, type, subject_id, parent_id, ping_on)
    select v_tenant, internal.uuid7(p_now), side.user_id, 'ping', done.id, done.connection_id, done.ping_on
    from done
    cross join lateral (
      values (v_user), (case when done.connection_status <> 'pending' then done.receiver_id end)
    ) as side (user_id)
    where side.user_id is not null
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
comment on function internal.answer_check_in(kith.pings[], kith.pings[], timestamptz) is
  'Tells the receivers of the pings that a check-in has just completed, and of those (p_missed) that were judged missed before, emits the events, and returns the answer to the check-in. For internal.complete_pings.';
revoke all on function internal.answer_check_in(kith.pings[], kith.pings[], timestamptz) from public;
