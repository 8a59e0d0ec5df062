-- The tenant's desk (K09): an organisation's staff work alarms through the tenant's server, with the name of the person
-- who acts.

create or replace function internal.desk_person(p_id uuid, p_by text) returns text
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_person text := btrim(coalesce(p_by, ''));
begin
  perform internal.require_server();
  perform api.require_caller_while_suspended();
  if v_person = '' then
    perform internal.refuse_fields(internal.field_error('by', 'must be the name of the person who acts'));
  end if;
  perform internal.require_name('by', v_person);
  -- The alarms of canaries end by themselves, and nobody works them.
  if exists (
    select from kith.alarms as alarm
    cross join lateral internal.hidden_person(v_tenant, alarm.sender_id) as hidden
    where alarm.tenant_id = v_tenant and alarm.id = p_id
  ) then
    perform internal.refuse_not_found();
  end if;
  if exists (
    select from kith.alarms as alarm
    join kith.connections as connection on connection.tenant_id = v_tenant and connection.sender_id = alarm.sender_id
    join kith.users as known
      on known.tenant_id = v_tenant and known.id in (connection.sender_id, connection.receiver_id)
    where alarm.tenant_id = v_tenant and alarm.id = p_id
      and lower(v_person) in (
        lower(btrim(known.display_name)), lower(connection.alias_by_sender), lower(connection.alias_by_receiver)
      )
  ) then
    return coalesce((
      select left(internal.said_text('name.of_desk', reader.locale, v_person), 100)
      from kith.alarms as alarm
      cross join lateral internal.reader_of(v_tenant, alarm.sender_id) as reader
      where alarm.tenant_id = v_tenant and alarm.id = p_id
    ), v_person);
  end if;
  return v_person;
end
$$;
comment on function internal.desk_person(uuid, text) is
  'The name of the person for whom the tenant''s server acts in an alarm, without spaces around it. One that somebody '
  'around its sender has too is marked as the staff''s, so that nobody takes the word of the desk for theirs. Raises '
  'forbidden unless the tenant''s server calls, and validation_failed without a name.';

create or replace function api.list_tenant_alarms(p_status text, p_limit integer, p_cursor uuid, p_now timestamptz)
  returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_hidden uuid[] := internal.hidden_people(v_tenant);
begin
  perform internal.require_server();
  return (
    with page as (
      select alarm as row, alarm.id, row_number() over (order by alarm.id desc) as n
      from kith.alarms as alarm
      where alarm.tenant_id = v_tenant and alarm.id < coalesce(p_cursor, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        and (p_status is null or internal.alarm_status(alarm, p_now) = p_status)
        -- The index of those that are not resolved.
        and (coalesce(p_status, 'resolved') = 'resolved' or alarm.resolved_at is null)
        and alarm.sender_id <> all (v_hidden)
      order by alarm.id desc
      limit p_limit + 1
    )
    select json_build_object(
      'items', coalesce(
        json_agg(internal.alarm_json(page.row, null, p_now) order by page.n) filter (where page.n <= p_limit), '[]'
      ),
      'next_cursor', case when count(*) > p_limit then (array_agg(page.id order by page.n))[p_limit] end
    )
    from page
  );
end
$$;
comment on function api.list_tenant_alarms(text, integer, uuid, timestamptz) is
  'Returns all alarms of the tenant, newest first, with all names, for its desk. Security definer, because kith_api '
  'may not read alarms.';
grant execute on function api.list_tenant_alarms(text, integer, uuid, timestamptz) to kith_api;

create or replace function api.get_tenant_alarm(p_id uuid, p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_alarm kith.alarms;
  v_phone text;
begin
  perform internal.require_server();
  select * into v_alarm from kith.alarms where tenant_id = v_tenant and id = p_id;
  if not found or exists (select from internal.hidden_person(v_tenant, v_alarm.sender_id)) then
    perform internal.refuse_not_found();
  end if;
  select phone into v_phone from kith.users
  where tenant_id = v_tenant and id = v_alarm.sender_id and phone_verified_at is not null;
  return internal.alarm_json(v_alarm, null, p_now)::jsonb
    || case when v_phone is not null and internal.alarm_status(v_alarm, p_now) <> 'resolved' and v_alarm.kind <> 'drill'
      then jsonb_build_object('call', jsonb_build_object('phone', v_phone)) else '{}' end;
end
$$;
comment on function api.get_tenant_alarm(uuid, timestamptz) is
  'Returns an alarm of the tenant with all names, for its desk, and while it is open the number that its sender has '
  'confirmed, whether or not their receivers see it: the desk works the alarms of its own people. Security definer, '
  'because kith_api may not read alarms.';
grant execute on function api.get_tenant_alarm(uuid, timestamptz) to kith_api;

create or replace function internal.hand_over_desk(p_id uuid, p_from text, p_person text, p_now timestamptz)
  returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_alarm kith.alarms := internal.lock_alarm(v_tenant, p_id, p_now);
begin
  -- Nobody who was told reads of it: the desk looks after it as before.
  if v_alarm.taken_by_desk = p_from and v_alarm.resolved_at is null then
    update kith.alarms set taken_by_desk = p_person where tenant_id = v_tenant and id = p_id;
  end if;
end
$$;
comment on function internal.hand_over_desk(uuid, text, text, timestamptz) is
  'A person of the desk takes an alarm over from the one who has it, if that is p_from. internal.take_alarm then '
  'begins the time anew, or says who has it.';

create or replace function api.take_tenant_alarm(p_id uuid, p_by text, p_body jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_person text := internal.desk_person(p_id, p_by);
  v_take record;
begin
  if p_body ->> 'from' is not null then
    perform internal.hand_over_desk(p_id, p_body ->> 'from', v_person, p_now);
  end if;
  select * into v_take
  from internal.take_alarm(kith.tenant_id(), p_id, null, v_person, (p_body ->> 'minutes')::integer, p_now);
  if v_take.outcome in ('took', 'again') then
    perform internal.audit_desk('alarm.take', p_id, v_person);
  end if;
  return internal.take_answer(v_take.outcome, v_take.alarm, null, p_now);
end
$$;
comment on function api.take_tenant_alarm(uuid, text, jsonb, timestamptz) is
  'A person of the desk takes an alarm, as api.take_alarm, or takes it over from the one of the desk who has it '
  '(from). Everybody who was told reads the name. Security definer, because kith_api may not write alarms.';
grant execute on function api.take_tenant_alarm(uuid, text, jsonb, timestamptz) to kith_api;

create or replace function api.resolve_tenant_alarm(
  p_id uuid, p_by text, p_outcome text, p_note text, p_seen_at text, p_now timestamptz
) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_person text := internal.desk_person(p_id, p_by);
  v_alarm kith.alarms;
begin
  v_alarm := internal.resolve_alarm(
    kith.tenant_id(), p_id, null, v_person, p_outcome, p_note, p_seen_at::timestamptz, p_now
  );
  perform internal.audit_desk('alarm.resolve', p_id, v_person);
  return internal.alarm_json(v_alarm, null, p_now);
end
$$;
comment on function api.resolve_tenant_alarm(uuid, text, text, text, text, timestamptz) is
  'A person of the desk ends an alarm, as api.resolve_alarm: safe or help_called. Security definer, because kith_api '
  'may not write alarms.';
grant execute on function api.resolve_tenant_alarm(uuid, text, text, text, text, timestamptz) to kith_api;

create or replace function api.reopen_tenant_alarm(p_id uuid, p_by text, p_note text, p_from text, p_now timestamptz)
  returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_person text := internal.desk_person(p_id, p_by);
  v_alarm kith.alarms;
begin
  if p_from is not null
    and (internal.lock_alarm(kith.tenant_id(), p_id, p_now)).taken_by_desk is distinct from p_from
  then
    raise exception 'invalid_transition'
      using errcode = 'KT409', detail = 'Somebody else is looking after this alarm, or it is over.';
  end if;
  v_alarm := internal.reopen_alarm(kith.tenant_id(), p_id, null, v_person, p_note, p_now);
  perform internal.audit_desk('alarm.reopen', p_id, v_person);
  return internal.alarm_json(v_alarm, null, p_now);
end
$$;
comment on function api.reopen_tenant_alarm(uuid, text, text, text, timestamptz) is
  'A person of the desk opens an alarm again that somebody has ended or taken, as api.reopen_alarm; with p_from only '
  'while that person of the desk has it, who gives it back. Security definer, because kith_api may not write alarms.';
grant execute on function api.reopen_tenant_alarm(uuid, text, text, text, timestamptz) to kith_api;

create or replace function api.note_tenant_alarm(p_id uuid, p_by text, p_body text, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_person text := internal.desk_person(p_id, p_by);
  v_alarm kith.alarms;
begin
  v_alarm := internal.note_alarm(kith.tenant_id(), p_id, null, v_person, p_body, p_now);
  perform internal.audit_desk('alarm.note', p_id, v_person);
  return internal.alarm_json(v_alarm, null, p_now);
end
$$;
comment on function api.note_tenant_alarm(uuid, text, text, timestamptz) is
  'A person of the desk adds a note to an alarm''s timeline. Security definer, because kith_api may not write alarms.';
grant execute on function api.note_tenant_alarm(uuid, text, text, timestamptz) to kith_api;

create or replace function internal.audit_desk(p_act text, p_id uuid, p_person text) returns void
  language plpgsql
as $$
begin
  perform internal.record_act(
    kith.tenant_id(), coalesce(nullif(current_setting('kith.actor', true), ''), 'server'), p_act, p_id::text,
    jsonb_build_object('by', p_person)
  );
end
$$;
comment on function internal.audit_desk(text, uuid, text) is
  'Records in the audit that the tenant''s server acted in an alarm, and for which person of the desk (K12).';
