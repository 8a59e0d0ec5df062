create or replace function internal.rehearsed_words(p_tenant integer, p_user uuid, p_type text, p_is_own boolean, p_at timestamptz) returns text
  language plpgsql
  stable
as $$
declare
  v_data jsonb := case when p_is_own then '{}' else jsonb_build_object('user_id', p_user) end;
begin
  return (
    select words.body
    from internal.reader_of(p_tenant, p_user) as reader
    join kith.users as person on person.tenant_id = p_tenant and person.id = p_user
    cross join lateral internal.words(
      p_tenant, internal.text_key(p_type, v_data), p_type, v_data, p_at, null, null, null, person.display_name, false, false, reader.locale,
      reader.time_zone
    ) as words
  );
end
$$;
comment on function internal.rehearsed_words(integer, uuid, text, boolean, timestamptz) is
  'The text of a notification about a sender, as a receiver without an alias for them would read it, in the sender''s language; or the one '
  'to the sender (p_is_own). For internal.rehearsed_alarm_steps.';

create or replace function internal.rehearsed_channel(p_tenant integer, p_user uuid, p_repeat integer) returns text
  language plpgsql
  stable
as $$
begin
  return (
    select case when cardinality(channels) = 1 or p_repeat = 0 then channels[cardinality(channels)] end
    from (
      select case
          when p_repeat > 0 then internal.louder_channels(
            p_tenant, person,
            (
              select preference.channels from kith.notification_preferences as preference
              where preference.tenant_id = p_tenant and preference.user_id = p_user and preference.type = 'alarm_repeat'
            ),
            p_repeat
          )
          else array(
            select way.preference
            from (values
              ('push', 1, exists (select from kith.devices where tenant_id = p_tenant and user_id = p_user)),
              ('email', 2, person.email_verified_at is not null), ('sms', 3, person.phone_verified_at is not null)
            ) as way (preference, n, has)
            where way.has and way.preference = any (coalesce(
              (
                select preference.channels from kith.notification_preferences as preference
                where preference.tenant_id = p_tenant and preference.user_id = p_user and preference.type = 'ping_missed'
              ),
              array['push', 'email']
            ))
            order by way.n
          )
        end as channels
      from kith.users as person
      where person.tenant_id = p_tenant and person.id = p_user
    ) as told
  );
end
$$;
comment on function internal.rehearsed_channel(integer, uuid, integer) is
  'On which channel somebody would be told of an alarm, the loudest of them, or of its p_repeat-th repeat. Null if they have none.';

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
    select silent.*, min(silent.deadline_at) over () as counts_from
    from silent
    where silent.ping_on = (select min(first.ping_on) from silent as first)
  ), told as materialized (
    select day.receiver_id, day.receiver_name, day.counts_from, day.counts_from + make_interval(mins => v_plan.after_minutes[day.tier]) as tell_at
    from day
  ), steps (at, n, kind, person_id, person_name, channel, type, is_own) as (
    select min(day.scheduled_at), 0, 'ping_due', null::uuid, null::text, null::text, 'ping_due', true from day having min(day.scheduled_at) > p_now
    union all
    select min(day.counts_from), 1, 'ping_missed', null, null, null, 'ping_missed', true from day having count(*) > 0
    union all
    select told.tell_at, 2, 'told', told.receiver_id, told.receiver_name, internal.rehearsed_channel(p_tenant, told.receiver_id, 0), 'ping_missed', false
    from told
    union all
    select min(day.counts_from) + make_interval(mins => v_plan.after_minutes[v_plan.desk_tier]), 3, 'desk_told', null, null, null, 'ping_missed', false
    from day
    having count(*) > 0 and v_plan.desk_tier is not null
    union all
    select told.counts_from + make_interval(mins => repeat.minutes), 4, 'repeated', told.receiver_id, told.receiver_name,
      internal.rehearsed_channel(p_tenant, told.receiver_id, repeat.n::integer), 'alarm_repeat', false
    from told
    cross join unnest(v_plan.repeat_minutes) with ordinality as repeat (minutes, n)
    where told.tell_at < told.counts_from + make_interval(mins => repeat.minutes)
  )
  select steps.at, steps.n, steps.kind, steps.person_id, steps.person_name, steps.channel,
    internal.rehearsed_words(p_tenant, p_user, steps.type, steps.is_own, steps.at)
  from steps;
end
$$;
comment on function internal.rehearsed_alarm_steps(integer, uuid, timestamptz) is
  'What follows if a sender does not check in for the next date that has pings, and nobody acts (K04), by the functions that decide: who is '
  'told when, on which channel, and with which text. For api.rehearse_alarm_plan.';

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
  'When the silence of a sender would begin the first wait of each nominee for emergency access, and when it would grant (K04), by the rules of '
  'api.rehearse_emergency, which has all steps. For api.rehearse_alarm_plan.';

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
          'person', case when step.person_id is not null then json_build_object('id', step.person_id, 'display_name', step.person_name) end,
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
  'Returns what happens if the caller does not check in next (K04), from the ping over the tiers and the desk to emergency access that depends '
  'on silence: {steps: [{at, kind, person?, channel?, text}]}. Nobody is told, and nothing is written but the count of such calls, which are '
  'costly. Without coming pings and such rights, steps is empty. Of 100 receivers at most. Security definer, because it reads receivers'' '
  'channels.';
grant execute on function api.rehearse_alarm_plan(timestamptz) to kith_api;
