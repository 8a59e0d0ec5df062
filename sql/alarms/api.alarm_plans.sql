create or replace function internal.plan_json(p_tenant integer, p_user uuid) returns json
  language plpgsql
  stable
as $$
declare
  v_plan kith.alarm_plans := internal.plan_of(p_tenant, p_user);
begin
  return json_build_object(
    'tiers', (
      select json_agg(
        json_build_object(
          'after_minutes', tier.minutes,
          'receivers', (
            select coalesce(json_agg(connection.id order by connection.id), '[]')
            from kith.connections as connection
            left join kith.alarm_plan_receivers as member
              on member.tenant_id = p_tenant and member.user_id = p_user and member.connection_id = connection.id
            where connection.tenant_id = p_tenant and connection.sender_id = p_user
              and connection.status in ('active', 'paused')
              and coalesce(member.tier, internal.last_tier(v_plan)) = tier.n
          ),
          'desk', tier.n is not distinct from v_plan.desk_tier
        )
        order by tier.n
      )
      from unnest(v_plan.after_minutes) with ordinality as tier (minutes, n)
    ),
    'repeat_minutes', v_plan.repeat_minutes, 'take_minutes', v_plan.take_minutes,
    'answer_minutes', v_plan.answer_minutes, 'receivers_know_each_other', v_plan.receivers_know_each_other
  );
end
$$;
comment on function internal.plan_json(integer, uuid) is
  'A sender''s plan in the API''s representation. A receiver who was put in no tier stands in the last one '
  '(internal.last_tier). For definer procedures.';

create or replace function api.get_alarm_plan() returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_user();
  return internal.plan_json(kith.tenant_id(), kith.user_id());
end
$$;
comment on function api.get_alarm_plan() is
  'Returns the caller''s plan (K04), or the default. Security definer, because kith_api may not read plans.';
grant execute on function api.get_alarm_plan() to kith_api;

create or replace function internal.plan_errors(p_body jsonb) returns jsonb
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_minutes integer[] := array(
    select (tier ->> 'after_minutes')::integer
    from jsonb_array_elements(p_body -> 'tiers') with ordinality as tiers (tier, n) order by n
  );
  v_repeats integer[] := array(select jsonb_array_elements_text(p_body -> 'repeat_minutes')::integer);
  v_receivers text[] := array(
    select jsonb_array_elements_text(tier -> 'receivers') from jsonb_array_elements(p_body -> 'tiers') as tiers (tier)
  );
  v_errors jsonb := '[]';
begin
  if exists (select from generate_subscripts(v_minutes, 1) as n where v_minutes[n] <= v_minutes[n - 1]) then
    v_errors := v_errors || internal.field_error('tiers', 'must be in ascending order of after_minutes');
  end if;
  if exists (
    select from jsonb_array_elements(p_body -> 'tiers') with ordinality as tiers (tier, n)
    where tier ->> 'desk' = 'true' and n < jsonb_array_length(p_body -> 'tiers')
  ) then
    v_errors := v_errors || internal.field_error('tiers', 'may have the desk only in the last tier');
  end if;
  if (select count(*) <> count(distinct lower(receiver)) from unnest(v_receivers) as receiver) then
    v_errors := v_errors || internal.field_error('tiers', 'must name each receiver once');
  elsif exists (
    select from unnest(v_receivers) as receiver
    where not exists (
      select from kith.connections as connection
      where connection.tenant_id = v_tenant and connection.id::text = lower(receiver) and connection.sender_id = v_user
        and connection.status <> 'deleted'
    )
  ) then
    v_errors := v_errors || internal.field_error('tiers', 'must name connections of which you are the sender');
  end if;
  if (select count(*) <> count(distinct repeat) from unnest(v_repeats) as repeat) then
    v_errors := v_errors || internal.field_error('repeat_minutes', 'must be distinct');
  end if;
  return v_errors;
end
$$;
comment on function internal.plan_errors(jsonb) is
  'What is wrong with a plan, besides the bounds that the server checks, for internal.refuse_fields.';

create or replace function api.put_alarm_plan(p_body jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_tiers jsonb := coalesce(p_body -> 'tiers', '[{"after_minutes": 0}]');
begin
  perform internal.begin_act('change', p_now);
  perform internal.lock_account();
  perform internal.refuse_fields(internal.plan_errors(p_body));
  delete from kith.alarm_plans where tenant_id = v_tenant and user_id = v_user;
  insert into kith.alarm_plans (
    tenant_id, user_id, after_minutes, desk_tier, repeat_minutes, take_minutes, answer_minutes,
    receivers_know_each_other, updated_at
  )
  values (
    v_tenant, v_user,
    array(
      select (tier ->> 'after_minutes')::integer from jsonb_array_elements(v_tiers) with ordinality as tiers (tier, n)
      order by n
    ),
    case when v_tiers -> -1 ->> 'desk' = 'true' then jsonb_array_length(v_tiers) end,
    case
      when p_body ? 'repeat_minutes' then
        array(
          select repeat::integer from jsonb_array_elements_text(p_body -> 'repeat_minutes') as repeat
          order by repeat::integer
        )
      else internal.default_repeats()
    end,
    coalesce((p_body ->> 'take_minutes')::integer, 30), coalesce((p_body ->> 'answer_minutes')::integer, 30),
    coalesce((p_body ->> 'receivers_know_each_other')::boolean, false), p_now
  );
  insert into kith.alarm_plan_receivers (tenant_id, user_id, connection_id, tier)
  select v_tenant, v_user, receiver::uuid, n
  from jsonb_array_elements(v_tiers) with ordinality as tiers (tier, n)
  cross join lateral jsonb_array_elements_text(tier -> 'receivers') as receiver;
  perform internal.emit_account(v_tenant, v_user, p_now);
  return internal.plan_json(v_tenant, v_user);
end
$$;
comment on function api.put_alarm_plan(jsonb, timestamptz) is
  'Replaces the caller''s plan (K04). Members left out take their default. An alarm that has sounded keeps the plan '
  'with which it opened, except for what the receivers may know of each other. Security definer, because kith_api may '
  'not write plans.';
grant execute on function api.put_alarm_plan(jsonb, timestamptz) to kith_api;
