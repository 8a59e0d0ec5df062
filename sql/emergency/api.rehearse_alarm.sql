create or replace function internal.rehearsed_words(
  p_tenant integer, p_user uuid, p_type text, p_is_own boolean, p_minutes integer, p_ping_on date, p_at timestamptz
) returns text
  language plpgsql
  stable
as $$
declare
  v_data jsonb := case
    when p_is_own then jsonb_build_object('minutes', p_minutes)
    else jsonb_build_object('user_id', p_user)
  end;
begin
  if p_type = 'ping_missed' then
    v_data := v_data || jsonb_build_object('date', p_ping_on) || (
      select internal.missed_on(p_ping_on, time_zone, p_at) from kith.sender_profiles
      where tenant_id = p_tenant and user_id = p_user
    );
  end if;
  return (
    select words.body
    from internal.reader_of(p_tenant, p_user) as reader
    join kith.users as person on person.tenant_id = p_tenant and person.id = p_user
    cross join lateral internal.words(
      p_tenant, internal.text_key(p_type, v_data, false), p_type, v_data, p_at, null, null, person.display_name,
      false, false, reader.locale, reader.time_zone
    ) as words
  );
end
$$;
comment on function internal.rehearsed_words(integer, uuid, text, boolean, integer, date, timestamptz) is
  'The text of a notification about a sender, as a receiver without an alias for them would read it, in the sender''s '
  'language; or the one to the sender (p_is_own), with the minutes of a reminder, for the ping of a date. For '
  'internal.rehearsed_alarm_steps.';

create or replace function internal.rehearsed_channel(
  p_tenant integer, p_user uuid, p_type text, p_channels text[], p_repeat integer
)
  returns text
  language plpgsql
  stable
as $$
declare
  v_person kith.users;
  v_chosen text[] := (
    select channels from kith.notification_preferences where tenant_id = p_tenant and user_id = p_user and type = p_type
  );
  v_wanted text[] := coalesce(
    p_channels, v_chosen, (select known.channels from internal.notification_types() as known where known.type = p_type)
  );
  v_has_channel boolean := exists (select from kith.channel_credentials where tenant_id = p_tenant);
  v_has text[];
begin
  select * into v_person from kith.users where tenant_id = p_tenant and id = p_user;
  if p_repeat > 0 then
    v_wanted := internal.louder_channels(v_person, v_chosen, p_repeat);
  end if;
  v_has := array(
    select way.channel
    from (values
      ('push', 1, exists (select from kith.devices where tenant_id = p_tenant and user_id = p_user)),
      ('email', 2, v_person.email_verified_at is not null),
      ('sms', 3, v_person.phone_verified_at is not null and not internal.has_stopped_texts(p_tenant, v_person.phone)),
      -- Nobody is called about anything but an alarm unless they want it.
      (
        'voice', 4,
        v_person.phone_verified_at is not null
        and ('voice' = any (v_wanted) or v_has_channel and internal.is_alarm(p_type))
      )
    ) as way (channel, n, has)
    where way.has and (
      not v_has_channel or exists (
        select from internal.ways_to_tell as own
        where own.tenant_id = p_tenant and own.user_id = p_user and own.channel = way.channel and own.has
      )
    )
    order by way.n
  );
  return coalesce(
    (
      select has.channel from unnest(v_has) with ordinality as has (channel, n) where has.channel = any (v_wanted)
      order by has.n desc limit 1
    ),
    -- What must reach its reader takes a channel that they did not choose, unless they have turned off all.
    case when v_chosen is distinct from '{}' then
      -- A call comes last.
      coalesce(
        (
          select has.channel from unnest(v_has) with ordinality as has (channel, n) where has.channel <> 'voice'
          order by has.n desc limit 1
        ),
        v_has[1]
      )
    end
  );
end
$$;
comment on function internal.rehearsed_channel(integer, uuid, text, text[], integer) is
  'On which channel somebody would be told with a type of notification, the loudest of them, or of an alarm''s '
  'p_repeat-th repeat. p_channels are those of a reminder, otherwise null. Null if they have none.';

create or replace function internal.rehearsed_reminders(p_tenant integer, p_user uuid, p_deadline_at timestamptz)
  returns table (at timestamptz, minutes integer, channels text[])
  language sql
  stable
as $$
  select p_deadline_at - make_interval(mins => (reminder ->> 'before_minutes')::integer),
    (reminder ->> 'before_minutes')::integer,
    case when reminder ? 'channels' then array(select jsonb_array_elements_text(reminder -> 'channels')) end
  from kith.sender_profiles as profile
  cross join lateral jsonb_array_elements(internal.reminders(profile.reminders, profile.reminder_minutes)) as reminder
  where profile.tenant_id = p_tenant and profile.user_id = p_user
$$;
comment on function internal.rehearsed_reminders(integer, uuid, timestamptz) is
  'The reminders of a sender before a deadline (J06). For internal.rehearsed_alarm_steps.';

create or replace function internal.rehearsed_repeats(p_from timestamptz, p_minutes integer[], p_told timestamptz[])
  returns timestamptz[]
  language plpgsql
  stable
as $$
declare
  v_all timestamptz[] := internal.instants_after(p_from, p_minutes);
  v_told_at timestamptz;
begin
  for v_told_at in select distinct told.at from unnest(p_told) as told (at) order by 1 loop
    if p_minutes <> '{}' and v_told_at >= all (v_all) then
      v_all := v_all || internal.instants_after(v_told_at, p_minutes[1:2]);
    end if;
  end loop;
  return v_all;
end
$$;
comment on function internal.rehearsed_repeats(timestamptz, integer[], timestamptz[]) is
  'When everybody who was told would be told again: by the plan, and again after a tier that is told when no repeat is '
  'left, as internal.add_repeats does. For internal.rehearsed_alarm_steps.';

create or replace function internal.rehearsed_alarm_steps(p_tenant integer, p_user uuid, p_now timestamptz)
  returns table (at timestamptz, n integer, kind text, person_id uuid, person_name text, channel text, text text)
  language plpgsql
  stable
as $$
declare
  v_plan kith.alarm_plans := internal.plan_of(p_tenant, p_user);
begin
  return query
  with silent as materialized (
    select ping.*, internal.tier_of(p_tenant, p_user, ping.connection_id) as tier
    from internal.silent_pings(p_user, p_now, p_now + interval '3 days', p_now) as ping
    where ping.is_told and ping.deadline_at > p_now
  ), day as materialized (
    select silent.*, min(silent.deadline_at) over () as counts_from, min(silent.tier) over () as first_tier
    from silent
    where silent.ping_on = (select min(first.ping_on) from silent as first)
  ), told as materialized (
    select day.receiver_id, day.receiver_name, day.counts_from,
      day.counts_from + internal.wait_of_tier(v_plan, day.tier, day.first_tier) as tell_at
    from day
  ), steps (at, n, kind, person_id, person_name, channel, type, is_own, minutes) as (
    select min(day.scheduled_at), 0, 'ping_due', null::uuid, null::text,
      internal.rehearsed_channel(p_tenant, p_user, 'ping_due', null, 0), 'ping_due', true, null::integer
    from day
    having min(day.scheduled_at) > p_now
    union all
    select reminder.at, 0, 'ping_reminder', null, null,
      internal.rehearsed_channel(p_tenant, p_user, 'ping_reminder', reminder.channels, 0),
      'ping_reminder', true, reminder.minutes
    from internal.rehearsed_reminders(p_tenant, p_user, (select min(day.counts_from) from day)) as reminder
    where reminder.at > p_now
    union all
    select min(day.counts_from), 1, 'ping_missed', null, null,
      internal.rehearsed_channel(p_tenant, p_user, 'ping_missed', null, 0), 'ping_missed', true, null
    from day
    having count(*) > 0
    union all
    select told.tell_at, 2, 'told', told.receiver_id, told.receiver_name,
      internal.rehearsed_channel(p_tenant, told.receiver_id, 'ping_missed', null, 0), 'ping_missed', false, null
    from told
    union all
    select min(day.counts_from) + internal.wait_of_tier(v_plan, v_plan.desk_tier, min(day.first_tier)), 3,
      'desk_told', null, null, null, 'ping_missed', false, null
    from day
    having count(*) > 0 and v_plan.desk_tier is not null and internal.has_desk(p_tenant, p_now)
    union all
    select repeat.at, 4, 'repeated', told.receiver_id, told.receiver_name,
      internal.rehearsed_channel(p_tenant, told.receiver_id, 'alarm_repeat', null, repeat.n::integer),
      'alarm_repeat', false, null
    from told
    cross join lateral unnest(
      internal.rehearsed_repeats(told.counts_from, v_plan.repeat_minutes, array(select each.tell_at from told as each))
    ) with ordinality as repeat (at, n)
    where told.tell_at < repeat.at
  )
  select steps.at, steps.n, steps.kind, steps.person_id, steps.person_name, steps.channel,
    internal.rehearsed_words(
      p_tenant, p_user, steps.type, steps.is_own, steps.minutes, (select min(day.ping_on) from day), steps.at
    )
  from steps;
end
$$;
comment on function internal.rehearsed_alarm_steps(integer, uuid, timestamptz) is
  'What follows if a sender does not check in for the next date that has pings, and nobody acts (K04), by the '
  'functions that decide: who is told when, on which channel, and with which text. For api.rehearse_alarm_plan.';

create or replace function internal.rehearsed_silence_steps(p_tenant integer, p_user uuid, p_now timestamptz)
  returns table (at timestamptz, n integer, kind text, person_id uuid, person_name text, channel text, text text)
  language plpgsql
  stable
as $$
begin
  if not exists (
    select from kith.emergency_settings
    where tenant_id = p_tenant and owner_id = p_user and ended_at is null and after_missed_days is not null
  ) then
    return;
  end if;
  return query
  select step.at, 5, case step.kind when 'grant' then 'emergency_grant' else 'emergency_wait' end, step.person_id,
    internal.name_of_anybody(step.person_name), null::text, step.text
  from internal.rehearsed_wait_steps(p_user, p_now, p_now + interval '2880 hours', p_now) as step
  where step.kind in ('wait_begins', 'grant') and step.n < 2
  order by step.at
  limit 100;
end
$$;
comment on function internal.rehearsed_silence_steps(integer, uuid, timestamptz) is
  'When the silence of a sender would begin the first wait of each nominee for emergency access, and when it would '
  'grant (K04), by the rules of api.rehearse_emergency, which has all steps. For api.rehearse_alarm_plan.';

create or replace function api.rehearse_alarm_plan(p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- As api.rehearse_emergency.
  set plan_cache_mode = 'force_generic_plan'
  set jit = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_material = off
  set enable_seqscan = off
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.begin_act('rehearsal', p_now);
  return (
    select json_build_object('steps', coalesce(
      json_agg(
        json_strip_nulls(json_build_object(
          'at', internal.instant(step.at), 'kind', step.kind,
          'person', case
            when step.person_id is not null
              then json_build_object('id', step.person_id, 'display_name', step.person_name)
          end,
          'channel', step.channel, 'text', step.text
        ))
        order by step.at, step.n, step.person_id
      ),
      '[]'
    ))
    from (
      select * from internal.rehearsed_alarm_steps(v_tenant, v_user, p_now)
      union all
      select * from internal.rehearsed_silence_steps(v_tenant, v_user, p_now)
    ) as step
  );
end
$$;
comment on function api.rehearse_alarm_plan(timestamptz) is
  'Returns what happens if the caller does not check in next (K04), from the ping over the tiers and the desk to '
  'emergency access that depends on silence: {steps: [{at, kind, person?, channel?, text}]}. Nobody is told, and '
  'nothing is written but the count of such calls, which are costly. Without coming pings and such rights, steps is '
  'empty. Of 100 receivers at most. Security definer, because it reads receivers'' channels.';
grant execute on function api.rehearse_alarm_plan(timestamptz) to kith_api;
