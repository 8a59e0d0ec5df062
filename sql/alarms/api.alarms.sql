create or replace function api.list_alarms(
  p_role text, p_status text, p_limit integer, p_cursor uuid, p_now timestamptz
)
  returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  return (
    with page as (
      select alarm.found as row, known.id, row_number() over (order by known.id desc) as n
      from (
        select own.id from kith.alarms as own
        where own.tenant_id = v_tenant and own.sender_id = v_user and p_role is distinct from 'receiver'
        union all
        select receiver.alarm_id from kith.alarm_receivers as receiver
        where receiver.tenant_id = v_tenant and receiver.receiver_id = v_user and receiver.told_at is not null
          and receiver.left_at is null and p_role is distinct from 'sender'
      ) as known
      -- A look-up for each: a join would read all alarms of the tenant where the planner believes in few.
      cross join lateral (
        select one as found from kith.alarms as one where one.tenant_id = v_tenant and one.id = known.id offset 0
      ) as alarm
      where known.id < coalesce(p_cursor, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        and (p_status is null or internal.alarm_status(alarm.found, p_now) = p_status)
      order by known.id desc
      limit p_limit + 1
    )
    select json_build_object(
      'items', coalesce(
        json_agg(internal.alarm_json(page.row, v_user, p_now) order by page.n) filter (where page.n <= p_limit), '[]'
      ),
      'next_cursor', case when count(*) > p_limit then (array_agg(page.id order by page.n))[p_limit] end
    )
    from page
  );
end
$$;
comment on function api.list_alarms(text, text, integer, uuid, timestamptz) is
  'Returns the alarms in which the caller has a part, newest first: their own as sender, and those of which they were '
  'told. p_role and p_status select some; null selects all. Security definer, because kith_api may not read alarms.';
grant execute on function api.list_alarms(text, text, integer, uuid, timestamptz) to kith_api;

create or replace function api.get_alarm(p_id uuid, p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_alarm kith.alarms;
begin
  perform internal.require_user();
  select * into v_alarm from kith.alarms where tenant_id = v_tenant and id = p_id;
  if internal.part_in_alarm(v_alarm, v_user) is null then
    perform internal.refuse_not_found();
  end if;
  return internal.alarm_json(v_alarm, v_user, p_now);
end
$$;
comment on function api.get_alarm(uuid, timestamptz) is
  'Returns an alarm in which the caller has a part. Raises not_found for every other one. Security definer, as '
  'list_alarms.';
grant execute on function api.get_alarm(uuid, timestamptz) to kith_api;

create or replace function api.call_for_help(p_note text, p_location jsonb, p_source text, p_now timestamptz)
  returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_called record;
  v_body json;
begin
  perform internal.require_user();
  perform api.require_caller_while_suspended();
  select * into v_called from internal.call_for_help(v_tenant, v_user, p_note, p_location, p_source, p_now);
  v_body := api.get_alarm(v_called.alarm_id, p_now);
  if not v_called.created then
    return json_build_object('answer', 200, 'body', v_body);
  end if;
  return v_body;
end
$$;
comment on function api.call_for_help(text, jsonb, text, timestamptz) is
  '"I need help" (K05): opens an alarm of kind help and tells all of the caller''s receivers, or calls again in the '
  'one that is open (200). told is how many were told and can be reached; where that is nobody, advice says so. Nobody '
  'needs a profile for it, no limit refuses it, nor does a suspension of the tenant (A02). Security definer, because '
  'only the procedures of sql/alarms write alarms.';
grant execute on function api.call_for_help(text, jsonb, text, timestamptz) to kith_api;

create or replace function api.take_alarm(p_id uuid, p_body jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_take record;
begin
  perform api.require_caller_while_suspended();
  perform internal.require_user();
  select * into v_take from internal.take_alarm(v_tenant, p_id, v_user, null, (p_body ->> 'minutes')::integer, p_now);
  return internal.take_answer(v_take.outcome, v_take.alarm, v_user, p_now);
end
$$;
comment on function api.take_alarm(uuid, jsonb, timestamptz) is
  '"I''m looking after it" (K02): the first who says so has it, for {minutes?} or as long as the sender''s plan says. '
  'Others get alarm_taken with the name and the time. No limit refuses it. Security definer, as call_for_help.';
grant execute on function api.take_alarm(uuid, jsonb, timestamptz) to kith_api;

create or replace function internal.taken_problem(p_alarm kith.alarms, p_reader uuid) returns json
  language plpgsql
  stable
as $$
begin
  return json_build_object(
    'problem', 'alarm_taken', 'taken_by',
    internal.alarm_person(p_alarm, p_reader, p_alarm.taken_by, p_alarm.taken_by_desk),
    'taken_at', internal.instant(p_alarm.taken_at)
  );
end
$$;
comment on function internal.taken_problem(kith.alarms, uuid)
  is 'The refusal to take an alarm that somebody else has taken.';

create or replace function internal.take_answer(p_outcome text, p_alarm kith.alarms, p_reader uuid, p_now timestamptz)
  returns json
  language plpgsql
  stable
as $$
begin
  if p_outcome = 'over' then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This alarm is over.';
  elsif p_outcome = 'taken' then
    return internal.taken_problem(p_alarm, p_reader);
  end if;
  return internal.alarm_json(p_alarm, p_reader, p_now);
end
$$;
comment on function internal.take_answer(text, kith.alarms, uuid, timestamptz) is
  'What internal.take_alarm has made of an alarm, as its reader is answered: the alarm, or that somebody else has it. '
  'Raises invalid_transition if it is over. The reader is null for the desk.';

create or replace function api.release_alarm(p_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_alarm kith.alarms;
begin
  perform internal.require_user();
  perform api.require_caller_while_suspended();
  v_alarm := internal.release_alarm(v_tenant, p_id, v_user, p_now);
  return internal.alarm_json(v_alarm, v_user, p_now);
end
$$;
comment on function api.release_alarm(uuid, timestamptz) is
  'Gives an alarm back that the caller has taken. Everybody who was told is told. It counts for itself '
  '(internal.require_few_turns): an alarm must not stay taken because of what else its taker did. Security definer, as '
  'call_for_help.';
grant execute on function api.release_alarm(uuid, timestamptz) to kith_api;

create or replace function api.resolve_alarm(p_id uuid, p_outcome text, p_note text, p_seen_at text, p_now timestamptz)
  returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_alarm kith.alarms;
begin
  perform internal.require_user();
  perform api.require_caller_while_suspended();
  v_alarm := internal.resolve_alarm(v_tenant, p_id, v_user, null, p_outcome, p_note, p_seen_at::timestamptz, p_now);
  return internal.alarm_json(v_alarm, v_user, p_now);
end
$$;
comment on function api.resolve_alarm(uuid, text, text, text, timestamptz) is
  'Ends an alarm (K03): safe or help_called by somebody who was told, false_alarm by its sender. It ends something, so '
  'no limit refuses it. Security definer, as call_for_help.';
grant execute on function api.resolve_alarm(uuid, text, text, text, timestamptz) to kith_api;

create or replace function api.reopen_alarm(p_id uuid, p_note text, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_alarm kith.alarms;
begin
  perform internal.require_user();
  perform api.require_caller_while_suspended();
  v_alarm := internal.reopen_alarm(v_tenant, p_id, v_user, null, p_note, p_now);
  return internal.alarm_json(v_alarm, v_user, p_now);
end
$$;
comment on function api.reopen_alarm(uuid, text, timestamptz) is
  'Opens an alarm again that somebody resolved as safe or help_called (K03), or has taken. It counts as giving it back '
  'does. Security definer, as call_for_help.';
grant execute on function api.reopen_alarm(uuid, text, timestamptz) to kith_api;

create or replace function api.note_alarm(p_id uuid, p_body text, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_alarm kith.alarms;
begin
  perform api.require_caller_while_suspended();
  perform internal.begin_act('alarm', p_now);
  v_alarm := internal.note_alarm(v_tenant, p_id, v_user, null, p_body, p_now);
  return internal.alarm_json(v_alarm, v_user, p_now);
end
$$;
comment on function api.note_alarm(uuid, text, timestamptz) is
  'Adds a note to an alarm''s timeline, which everybody who was told sees, and its sender. Security definer, as '
  'call_for_help.';
grant execute on function api.note_alarm(uuid, text, timestamptz) to kith_api;
