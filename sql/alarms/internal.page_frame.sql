-- What every page of the web client says of alarms and questions. Read with each page, so both functions read by an index, and no timeline.

create or replace function internal.present_alarms(p_now timestamptz) returns json
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
    with known as (
      select own.id from kith.alarms as own
      where own.tenant_id = v_tenant and own.sender_id = v_user and own.resolved_at is null
      union all
      select receiver.alarm_id from kith.alarm_receivers as receiver
      where receiver.tenant_id = v_tenant and receiver.receiver_id = v_user and receiver.told_at is not null and receiver.left_at is null
        -- An alarm lasts for 7 days, and for 7 more from a call for help.
        and receiver.alarm_id >= internal.first_uuid7(p_now - interval '15 days')
    ), present as materialized (
      select alarm as row, internal.alarm_status(alarm, p_now) as status
      from known
      join kith.alarms as alarm on alarm.tenant_id = v_tenant and alarm.id = known.id
      where alarm.resolved_at is null and alarm.expires_at > p_now
      order by alarm.kind = 'drill', internal.alarm_status(alarm, p_now), alarm.id desc
      limit 20
    )
    select coalesce(json_agg(json_build_object(
      'id', (present.row).id, 'kind', (present.row).kind, 'status', present.status,
      'role', case when (present.row).sender_id = v_user then 'sender' else 'receiver' end,
      'sender', internal.alarm_person(present.row, v_user, (present.row).sender_id, null),
      'opened_at', internal.instant((present.row).opened_at),
      'taken_by', case when present.status = 'taken' then
        internal.alarm_person(present.row, v_user, (present.row).taken_by, (present.row).taken_by_desk) end,
      'taken_by_me', present.status = 'taken' and (present.row).taken_by is not distinct from v_user
    ) order by (present.row).kind = 'drill', present.status, (present.row).id desc), '[]')
    from present
  );
end
$$;
comment on function internal.present_alarms(timestamptz) is
  'The alarms in which the caller has a part and that are not resolved, at most 20: real ones before drills, those that nobody has taken '
  'first. Members of api.get_alarm, without the timeline. Security definer, because kith_api may not read alarms.';
grant execute on function internal.present_alarms(timestamptz) to kith_api;

create or replace function internal.open_asks(p_now timestamptz) returns json
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
    select coalesce(json_agg(json_build_object(
      'id', open.id, 'asked_at', internal.instant(open.asked_at), 'answer_by', internal.instant(open.answer_by),
      'receiver', json_build_object('id', open.receiver_id, 'display_name', open.name)
    ) order by open.answer_by, open.id), '[]')
    from (
      select ask.id, ask.asked_at, ask.answer_by, ask.receiver_id,
        coalesce(connection.alias_by_sender, internal.counterpart_name(person.display_name, 'receiver')) as name
      from kith.asks as ask
      join kith.users as person on person.tenant_id = v_tenant and person.id = ask.receiver_id
      join kith.connections as connection on connection.tenant_id = v_tenant and connection.id = ask.connection_id
      where ask.tenant_id = v_tenant and ask.sender_id = v_user and ask.ended_at is null and ask.answer_by > p_now
      order by ask.answer_by, ask.id
      limit 20
    ) as open
  );
end
$$;
comment on function internal.open_asks(timestamptz) is
  'The questions "Are you OK?" that wait for the caller''s answer, which is a check-in (K06), at most 20, the most urgent first: {id, '
  'asked_at, answer_by, receiver}. Security definer, because kith_api may not read questions.';
grant execute on function internal.open_asks(timestamptz) to kith_api;
