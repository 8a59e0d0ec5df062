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

create or replace function internal.rehearsed_repeats(p_from timestamptz, p_minutes integer[], p_told timestamptz[]) returns timestamptz[]
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
  'When everybody who was told would be told again: by the plan, and again after a tier that is told when no repeat is left, as '
  'internal.add_repeats does. For internal.rehearsed_alarm_steps.';

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
    select day.receiver_id, day.receiver_name, day.counts_from, day.counts_from + internal.wait_of_tier(v_plan, day.tier, day.first_tier) as tell_at
    from day
  ), steps (at, n, kind, person_id, person_name, channel, type, is_own) as (
    select min(day.scheduled_at), 0, 'ping_due', null::uuid, null::text, null::text, 'ping_due', true from day having min(day.scheduled_at) > p_now
    union all
    select min(day.counts_from), 1, 'ping_missed', null, null, null, 'ping_missed', true from day having count(*) > 0
    union all
    select told.tell_at, 2, 'told', told.receiver_id, told.receiver_name, internal.rehearsed_channel(p_tenant, told.receiver_id, 0), 'ping_missed', false
    from told
    union all
    select min(day.counts_from) + internal.wait_of_tier(v_plan, v_plan.desk_tier, min(day.first_tier)), 3, 'desk_told', null, null, null, 'ping_missed', false
    from day
    having count(*) > 0 and v_plan.desk_tier is not null
    union all
    select repeat.at, 4, 'repeated', told.receiver_id, told.receiver_name,
      internal.rehearsed_channel(p_tenant, told.receiver_id, repeat.n::integer), 'alarm_repeat', false
    from told
    cross join lateral unnest(
      internal.rehearsed_repeats(told.counts_from, v_plan.repeat_minutes, array(select each.tell_at from told as each))
    ) with ordinality as repeat (at, n)
    where told.tell_at < repeat.at
  )
  select steps.at, steps.n, steps.kind, steps.person_id, steps.person_name, steps.channel,
    internal.rehearsed_words(p_tenant, p_user, steps.type, steps.is_own, steps.at)
  from steps;
end
$$;
comment on function internal.rehearsed_alarm_steps(integer, uuid, timestamptz) is
  'What follows if a sender does not check in for the next date that has pings, and nobody acts (K04), by the functions that decide: who is '
  'told when, on which channel, and with which text. For api.rehearse_alarm_plan.';

create or replace function api.rehearse_alarm_plan(p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_user();
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
    from internal.rehearsed_alarm_steps(kith.tenant_id(), kith.user_id(), p_now) as step
  );
end
$$;
comment on function api.rehearse_alarm_plan(timestamptz) is
  'Returns what happens if the caller does not check in next (K04): {steps: [{at, kind, person?, channel?, text}]}. Nothing is written, and '
  'nobody is told. Without coming pings, steps is empty. Of 100 receivers at most. Security definer, because it reads receivers'' channels.';
grant execute on function api.rehearse_alarm_plan(timestamptz) to kith_api;
