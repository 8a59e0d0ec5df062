-- The pings of a sender who falls silent: those that exist, and those that generation would make.

create or replace function internal.next_date_to_generate(p_user_id uuid, p_time_zone text, p_now timestamptz)
  returns date
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_today date := internal.local_date(p_now, p_time_zone);
begin
  return coalesce(
    (
      select max(ping_on) + 1
      from kith.ping_runs
      where tenant_id = v_tenant and time_zone = p_time_zone and ping_on >= v_today - 1
        and (finished_at is not null or cursor_sender_id >= p_user_id)
    ),
    v_today
  );
end
$$;
comment on function internal.next_date_to_generate(uuid, text, timestamptz) is
  'The first date whose run has not passed this sender: generation will make its pings and those of the later dates. '
  'For definer procedures.';

create or replace function internal.coming_connections(p_user_id uuid, p_now timestamptz)
  returns table (connection_id uuid, receiver_id uuid, receiver_name text, is_told boolean, pings_until timestamptz)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return query
  select connection.id, connection.receiver_id,
    coalesce(connection.alias_by_sender, internal.counterpart_name(person.display_name, 'receiver')),
    connection.status = 'active', stop.at
  from kith.connections as connection
  -- A look-up for each row, whatever the planner knows.
  cross join lateral (
    select display_name from kith.users where tenant_id = v_tenant and id = connection.receiver_id offset 0
  ) as person
  cross join lateral (
    select good_until, pings_stop_at from kith.receiver_profiles
    where tenant_id = v_tenant and user_id = connection.receiver_id offset 0
  ) as receiver
  join kith.tenants as tenant on tenant.tenant_id = v_tenant
  cross join lateral (
    -- X28: the pings of dates that begin later are not made.
    select case
      when connection.pings_stopped_at is not null then '-infinity'
      when not tenant.requires_subscription or receiver.good_until is null and receiver.pings_stop_at is null
        then 'infinity'
      else coalesce(
        receiver.pings_stop_at, internal.pings_stop_at(receiver.good_until, tenant.subscription_grace_days, p_now)
      )
    end as at
  ) as stop
  where connection.tenant_id = v_tenant and connection.sender_id = p_user_id
    and connection.status in ('active', 'pending')
  order by connection.status = 'active' desc, stop.at desc, connection.id
  limit 100;
end
$$;
comment on function internal.coming_connections(uuid, timestamptz) is
  'The connections of a sender that have pings, with the instant until which they have them: at most 100, the ones '
  'with the longest future first. Only those with is_told tell anybody (P29). For internal.silent_pings.';

create or replace function internal.silent_pings(
  p_user_id uuid, p_from timestamptz, p_until timestamptz, p_now timestamptz
)
  returns table (
    ping_on date, scheduled_at timestamptz, remind_at timestamptz, deadline_at timestamptz, is_announced boolean,
    connection_id uuid, receiver_id uuid, receiver_name text, is_told boolean, is_late boolean
  )
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_profile kith.sender_profiles;
  v_today date;
  v_first date;
begin
  select * into v_profile from kith.sender_profiles
  where tenant_id = v_tenant and user_id = p_user_id and ended_at is null;
  if not found then
    return;
  end if;
  v_today := internal.local_date(p_now, v_profile.time_zone);
  v_first := internal.next_date_to_generate(p_user_id, v_profile.time_zone, p_now);
  return query
  with coming as materialized (
    select * from internal.coming_connections(p_user_id, p_now)
  ), made as materialized (
    -- Around today, pings exist. Each date opens one partition.
    select ping.ping_on, ping.scheduled_at, ping.remind_at, coalesce(ping.judge_at, ping.deadline_at) as deadline_at,
      ping.status, coming.connection_id, coming.receiver_id, coming.receiver_name, coming.is_told,
      ping.judge_at is not null or ping.status = 'due' and ping.asked_at is null as is_late
    from generate_series(-2, 2) as day
    cross join coming
    cross join lateral (
      select * from kith.pings
      where pings.tenant_id = v_tenant and pings.ping_on = v_today + day and pings.connection_id = coming.connection_id
        -- The sender too (sql/README.md).
        and pings.sender_id = p_user_id
      offset 0
    ) as ping
  ), pings as materialized (
    select made.ping_on, made.scheduled_at, made.remind_at, made.deadline_at, made.status = 'due' as is_announced,
      made.connection_id, made.receiver_id, made.receiver_name, made.is_told, made.is_late
    from made
    where made.status in ('scheduled', 'due')
    union all
    select planned.ping_on, planned.scheduled_at, planned.remind_at, planned.deadline_at, false, coming.connection_id,
      coming.receiver_id, coming.receiver_name, coming.is_told, false
    from internal.planned_pings(
      array(
        select v_first + n from generate_series(0, internal.local_date(p_until, v_profile.time_zone) - v_first) as n
      ),
      v_profile.time_zone, v_profile.ping_time, v_profile.grace_minutes,
      internal.reminders(v_profile.reminders, v_profile.reminder_minutes), p_now
    ) as planned
    cross join coming
    where (planned.ping_on between v_profile.break_from_on and v_profile.break_until_on) is not true
      and (
        coming.pings_until = 'infinity' or coming.pings_until > internal.midnight(planned.ping_on, v_profile.time_zone)
      )
      and not exists (
        select from made where made.ping_on = planned.ping_on and made.connection_id = coming.connection_id
      )
  )
  select ping.ping_on, ping.scheduled_at, ping.remind_at, ping.deadline_at, ping.is_announced, ping.connection_id,
    ping.receiver_id, ping.receiver_name, ping.is_told, ping.is_late
  from pings as ping
  where p_from <= p_now or internal.is_left_by_check_in(ping.ping_on, ping.scheduled_at, p_from, v_profile);
end
$$;
comment on function internal.silent_pings(uuid, timestamptz, timestamptz, timestamptz) is
  'The pings of a sender that nobody answers from p_from on, until about p_until: the open ones, and those that '
  'generation makes of the profile and the connections as they are now. If p_from is ahead, the sender checks in then '
  'for the last time. For definer procedures.';

create or replace function internal.is_left_by_check_in(
  p_ping_on date, p_scheduled_at timestamptz, p_at timestamptz, p_profile kith.sender_profiles
) returns boolean
  language sql
  stable
as $$
  -- A check-in answers what is due, or else the ping of today. Yesterday's ping can be due still.
  select p_scheduled_at > p_at and (
    p_ping_on > internal.local_date(p_at, (p_profile).time_zone)
    or internal.local_instant(
      internal.local_date(p_at, (p_profile).time_zone) - 1, (p_profile).ping_time, (p_profile).time_zone
    )
      > p_at - make_interval(mins => (p_profile).grace_minutes)
  )
$$;
comment on function internal.is_left_by_check_in(date, timestamptz, timestamptz, kith.sender_profiles) is
  'Whether a coming check-in at p_at leaves the ping of a date open.';

create or replace function internal.rehearsed_ping_steps(
  p_user_id uuid, p_from timestamptz, p_until timestamptz, p_now timestamptz
)
  returns table (at timestamptz, kind text, person_id uuid, person_name text, text text)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_name text;
  v_zone text;
  v_reminders jsonb;
  v_reader record;
begin
  select display_name into v_name from kith.users where tenant_id = v_tenant and id = p_user_id;
  select time_zone, internal.reminders(reminders, reminder_minutes) into v_zone, v_reminders
  from kith.sender_profiles
  where tenant_id = v_tenant and user_id = p_user_id;
  select * into v_reader from internal.reader_of(v_tenant, p_user_id);
  return query
  with told as materialized (
    select ping.*, greatest(ping.scheduled_at, p_now) as due_at, greatest(ping.remind_at, p_now) as reminded_at,
      missed.at as missed_at,
      jsonb_build_object('date', ping.ping_on) || internal.missed_on(ping.ping_on, v_zone, missed.at) as missed_data
    from internal.silent_pings(p_user_id, p_from, p_until, p_now) as ping
    cross join lateral (select internal.missed_at(ping.deadline_at, p_now) as at offset 0) as missed
    where ping.is_told
  ), steps as (
    -- One call for a date, however many receivers there are.
    select distinct on (told.ping_on, told.due_at) told.due_at as at, 'ping_due' as kind, 'ping_due' as type,
      null::uuid as person_id, null as person_name, '{}'::jsonb as data
    from told
    where not told.is_announced and told.deadline_at > told.due_at
    union all
    select reminder.reminded_at, 'ping_reminder', 'ping_reminder', null, null,
      jsonb_build_object('minutes', ceil(extract(epoch from reminder.deadline_at - reminder.reminded_at) / 60)::integer)
    from (
      select distinct on (told.ping_on, reminded.at) reminded.at as reminded_at, told.deadline_at
      from told
      cross join lateral (
        -- The next one, and those after it. What quiet hours leave out (J06) is shown too: it would be sent without
        -- them.
        select told.reminded_at as at
        union
        select told.deadline_at - make_interval(mins => (one -> 'before_minutes')::integer)
        from jsonb_array_elements(v_reminders) as one
      ) as reminded
      where told.remind_at is not null and reminded.at >= told.reminded_at and told.deadline_at > reminded.at
      order by told.ping_on, reminded.at, told.connection_id
    ) as reminder
    union all
    select distinct on (told.ping_on, told.missed_at) told.missed_at, 'ping_missed', 'ping_missed', null, null,
      told.missed_data
    from told
    union all
    select told.missed_at, 'receiver_told', 'ping_missed', told.receiver_id, told.receiver_name,
      told.missed_data || jsonb_build_object('user_id', p_user_id)
    from told
  )
  select step.at, step.kind, step.person_id, step.person_name, words.body
  from steps as step
  cross join lateral internal.words(
    v_tenant, internal.text_key(step.type, step.data, false), step.type, step.data, step.at, null, null,
    nullif(btrim(v_name), ''), false, false, v_reader.locale, v_reader.time_zone
  ) as words;
end
$$;
comment on function internal.rehearsed_ping_steps(uuid, timestamptz, timestamptz, timestamptz) is
  'Whom the pings of a silent sender would call, and when: the sender when a ping is due, before its deadline and when '
  'it is missed, then each receiver. For internal.rehearsal_json.';

create or replace function internal.silent_days(
  p_user_id uuid, p_sign_at timestamptz, p_from timestamptz, p_until timestamptz, p_now timestamptz
) returns table (judged_at timestamptz, deadline_at timestamptz, counts boolean)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_day date := (p_now at time zone 'UTC')::date;
begin
  return query
  select internal.missed_at(day.deadline_at, p_now), day.deadline_at,
    internal.counts_as_missed(
      array['missed'] || case
        -- Generation has made the pings of these dates, and some of them may have their result.
        when day.ping_on <= v_day + 3 then array(
          select ping.status
          from kith.pings as ping
          where ping.tenant_id = v_tenant and ping.ping_on = day.ping_on and ping.sender_id = p_user_id
            and ping.deadline_at > p_sign_at and ping.status not in ('scheduled', 'due')
        )
      end,
      day.scheduled_at < p_now and internal.was_unreachable(v_tenant, day.scheduled_at, least(day.deadline_at, p_now)),
      day.is_asked
    )
  from (
    select silent.ping_on, min(silent.scheduled_at) as scheduled_at, max(silent.deadline_at) as deadline_at,
      bool_or(silent.is_told and not silent.is_late) as is_asked
    from internal.silent_pings(p_user_id, p_from, p_until, p_now) as silent
    where silent.deadline_at > p_sign_at
    group by silent.ping_on
  ) as day
  order by 1, day.ping_on;
end
$$;
comment on function internal.silent_days(uuid, timestamptz, timestamptz, timestamptz, timestamptz) is
  'The coming dates of a silent sender, in order: when the last ping of each is missed, its deadline, and what it does '
  'to the row of missed days (internal.counts_as_missed). Pings with a deadline before p_sign_at, the last sign of '
  'life, are ignored. For internal.rehearsed_waits.';
