-- The links by which a receiver acts in an alarm without a sign-in (K11).

create or replace function internal.alarm_link_json(p_link kith.alarm_links, p_now timestamptz) returns jsonb
  language plpgsql
  stable
as $$
declare
  v_tenant kith.tenants;
  v_reader kith.users;
  v_alarm kith.alarms;
  v_taker json;
  v_is_taken boolean;
  v_is_open boolean;
begin
  select * into v_tenant from kith.tenants where tenant_id = p_link.tenant_id and deleted_at is null;
  select * into v_reader from kith.users where tenant_id = p_link.tenant_id and id = p_link.receiver_id and deleted_at is null;
  select * into v_alarm from kith.alarms where tenant_id = p_link.tenant_id and id = p_link.alarm_id;
  if v_tenant.tenant_id is null or v_reader.id is null then
    perform internal.refuse_not_found();
  end if;
  v_is_open := v_alarm.id is not null and internal.alarm_status(v_alarm, p_now) <> 'resolved'
    and internal.part_in_alarm(v_alarm, p_link.receiver_id) is not distinct from 'receiver';
  v_is_taken := v_is_open and internal.alarm_status(v_alarm, p_now) = 'taken';
  v_taker := case when v_is_taken then internal.alarm_person(v_alarm, v_reader.id, v_alarm.taken_by, v_alarm.taken_by_desk) end;
  return jsonb_build_object(
    'tenant_id', v_tenant.tenant_id, 'slug', v_tenant.slug, 'brand_name', v_tenant.brand_name,
    'wording', internal.wording(v_tenant), 'locale', v_reader.locale, 'is_open', v_is_open
  ) || case
    when v_is_open then jsonb_build_object(
      'kind', v_alarm.kind,
      'first_name', coalesce(
        internal.first_name(internal.alarm_person(v_alarm, v_reader.id, v_alarm.sender_id, null) ->> 'display_name'),
        internal.phrase_for(p_link.tenant_id, v_reader.id, 'name.anybody')
      ),
      'opened_at', internal.page_time(v_alarm.opened_at, v_reader.time_zone),
      'is_taken', v_is_taken,
      'taken_by_me', v_is_taken and v_alarm.taken_by is not distinct from v_reader.id,
      -- Whom the reader does not know has no id.
      'taken_by', case
        when v_alarm.taken_by_desk is not null then internal.shown_name(v_taker ->> 'display_name')
        when v_taker ->> 'id' is not null then internal.first_name(v_taker ->> 'display_name')
      end,
      'taken_until', case when v_is_taken then internal.page_time(v_alarm.taken_until, v_reader.time_zone) end
    )
    -- A second press, or a later visit, shows what the first press did.
    when v_alarm.resolved_by = v_reader.id and internal.part_in_alarm(v_alarm, v_reader.id) = 'receiver' then jsonb_build_object('done', 'safe')
    else '{}'
  end;
end
$$;
comment on function internal.alarm_link_json(kith.alarm_links, timestamptz) is
  'What the page of a link in a message about an alarm shows: {tenant_id, slug, brand_name, wording, locale, is_open}, and while the link is '
  'good {kind, first_name, opened_at, is_taken, taken_by_me, taken_by, taken_until}: who needs help, and who looks after it, by their first '
  'names; taken_by is null for somebody whom the reader does not know. Nothing else of anybody: no card, no place, no notes, because a '
  'message can be forwarded or read on a locked screen. Once the reader has ended the alarm themselves it has done, safe. Raises not_found for an ended account or a deleted tenant.';

create or replace function internal.page_time(p_at timestamptz, p_zone text) returns text
  language sql
  stable
as $$
  select to_char(p_at at time zone p_zone, 'YYYY-MM-DD"T"HH24:MI')
$$;
comment on function internal.page_time(timestamptz, text) is 'An instant as a page without a sign-in gets it: a local time without seconds.';
