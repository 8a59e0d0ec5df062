-- The tenant's desk (K09): an organisation's staff work alarms through the tenant's server, with the name of the person who acts.

create or replace function internal.require_desk(p_by text) returns void
  language plpgsql
as $$
begin
  perform internal.require_server();
  perform api.require_caller_while_suspended();
  if btrim(coalesce(p_by, '')) = '' then
    perform internal.refuse_fields(internal.field_error('by', 'must be the name of the person who acts'));
  end if;
  perform internal.require_name('by', btrim(p_by));
end
$$;
comment on function internal.require_desk(text) is
  'Raises forbidden unless the tenant''s server calls, and validation_failed without the name of the person for whom it does.';

create or replace function api.list_tenant_alarms(p_status text, p_limit integer, p_cursor uuid, p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
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
      order by alarm.id desc
      limit p_limit + 1
    )
    select json_build_object(
      'items', coalesce(json_agg(internal.alarm_json(page.row, null, p_now) order by page.n) filter (where page.n <= p_limit), '[]'),
      'next_cursor', case when count(*) > p_limit then (array_agg(page.id order by page.n))[p_limit] end
    )
    from page
  );
end
$$;
comment on function api.list_tenant_alarms(text, integer, uuid, timestamptz) is
  'Returns all alarms of the tenant, newest first, with all names, for its desk. Security definer, because kith_api may not read alarms.';
grant execute on function api.list_tenant_alarms(text, integer, uuid, timestamptz) to kith_api;

create or replace function api.take_tenant_alarm(p_id uuid, p_by text, p_body jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_take record;
begin
  perform internal.require_desk(p_by);
  select * into v_take from internal.take_alarm(v_tenant, p_id, null, btrim(p_by), (p_body ->> 'minutes')::integer, p_now);
  if v_take.outcome = 'over' then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This alarm is over.';
  elsif v_take.outcome = 'taken' then
    return internal.taken_problem(v_take.alarm, null);
  end if;
  perform internal.audit_desk('alarm.take', p_id, p_by);
  return internal.alarm_json(v_take.alarm, null, p_now);
end
$$;
comment on function api.take_tenant_alarm(uuid, text, jsonb, timestamptz) is
  'A person of the desk takes an alarm, as api.take_alarm. Everybody who was told reads the name. Security definer, because kith_api may '
  'not write alarms.';
grant execute on function api.take_tenant_alarm(uuid, text, jsonb, timestamptz) to kith_api;

create or replace function api.resolve_tenant_alarm(p_id uuid, p_by text, p_outcome text, p_note text, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_alarm kith.alarms;
begin
  perform internal.require_desk(p_by);
  v_alarm := internal.resolve_alarm(v_tenant, p_id, null, btrim(p_by), p_outcome, p_note, p_now);
  perform internal.audit_desk('alarm.resolve', p_id, p_by);
  return internal.alarm_json(v_alarm, null, p_now);
end
$$;
comment on function api.resolve_tenant_alarm(uuid, text, text, text, timestamptz) is
  'A person of the desk ends an alarm, as api.resolve_alarm: safe or help_called. Security definer, because kith_api may not write alarms.';
grant execute on function api.resolve_tenant_alarm(uuid, text, text, text, timestamptz) to kith_api;

create or replace function api.reopen_tenant_alarm(p_id uuid, p_by text, p_note text, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_alarm kith.alarms;
begin
  perform internal.require_desk(p_by);
  v_alarm := internal.reopen_alarm(v_tenant, p_id, null, btrim(p_by), p_note, p_now);
  perform internal.audit_desk('alarm.reopen', p_id, p_by);
  return internal.alarm_json(v_alarm, null, p_now);
end
$$;
comment on function api.reopen_tenant_alarm(uuid, text, text, timestamptz) is
  'A person of the desk opens an alarm again that somebody has ended or taken, as api.reopen_alarm. Security definer, because kith_api may '
  'not write alarms.';
grant execute on function api.reopen_tenant_alarm(uuid, text, text, timestamptz) to kith_api;

create or replace function api.note_tenant_alarm(p_id uuid, p_by text, p_body text, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_alarm kith.alarms;
begin
  perform internal.require_desk(p_by);
  v_alarm := internal.note_alarm(v_tenant, p_id, null, btrim(p_by), p_body, p_now);
  return internal.alarm_json(v_alarm, null, p_now);
end
$$;
comment on function api.note_tenant_alarm(uuid, text, text, timestamptz) is
  'A person of the desk adds a note to an alarm''s timeline. Security definer, because kith_api may not write alarms.';
grant execute on function api.note_tenant_alarm(uuid, text, text, timestamptz) to kith_api;

create or replace function internal.audit_desk(p_act text, p_id uuid, p_by text) returns void
  language plpgsql
as $$
begin
  perform internal.record_act(
    kith.tenant_id(), coalesce(nullif(current_setting('kith.actor', true), ''), 'server'), p_act, p_id::text, '{}'
  );
end
$$;
comment on function internal.audit_desk(text, uuid, text) is
  'Records in the audit that the tenant''s server acted in an alarm. The name of the person stands in the alarm''s timeline only.';
