-- The links by which a receiver acts in an alarm without a sign-in (K11).

create or replace function internal.alarm_link_json(p_link kith.alarm_links, p_now timestamptz) returns jsonb
  language plpgsql
  stable
as $$
declare
  v_tenant kith.tenants;
  v_reader kith.users;
  v_alarm kith.alarms;
  v_is_open boolean;
begin
  select * into v_tenant from kith.tenants where tenant_id = p_link.tenant_id and deleted_at is null;
  select * into v_reader from kith.users
  where tenant_id = p_link.tenant_id and id = p_link.receiver_id and deleted_at is null;
  select * into v_alarm from kith.alarms where tenant_id = p_link.tenant_id and id = p_link.alarm_id;
  if v_tenant.tenant_id is null or v_reader.id is null then
    perform internal.refuse_not_found();
  end if;
  v_is_open := v_alarm.id is not null and internal.alarm_status(v_alarm, p_now) <> 'resolved'
    and internal.part_in_alarm(v_alarm, p_link.receiver_id) is not distinct from 'receiver';
  return jsonb_build_object(
    'tenant_id', v_tenant.tenant_id, 'slug', v_tenant.slug, 'brand_name', v_tenant.brand_name,
    'brand_color', v_tenant.brand_color, 'brand_mark', internal.brand_mark_path(v_tenant.slug, v_tenant.brand_mark),
    'wording', internal.wording(v_tenant), 'locale', v_reader.locale, 'time_zone', v_reader.time_zone,
    'phone', v_reader.phone, 'is_open', v_is_open
  ) || case
    when v_is_open then internal.alarm_of_link(v_alarm, v_reader.id, p_now)
    -- A second press, or a later visit, shows what the first press did.
    when v_alarm.resolved_by = v_reader.id and internal.part_in_alarm(v_alarm, v_reader.id) = 'receiver'
      then jsonb_build_object('done', v_alarm.outcome)
    else '{}'
  end;
end
$$;
comment on function internal.alarm_link_json(kith.alarm_links, timestamptz) is
  'What the page of a link in a message about an alarm shows: {tenant_id, slug, brand_name, brand_color, brand_mark, '
  'wording, locale, time_zone, phone, is_open}, where the zone and the phone number of the reader only word its times '
  'and choose an emergency number, and while the link is good internal.alarm_of_link. Once the reader has ended the '
  'alarm themselves it has done, the outcome. Raises not_found for an ended account or a deleted tenant.';

create or replace function internal.alarm_of_link(p_alarm kith.alarms, p_reader uuid, p_now timestamptz) returns jsonb
  language plpgsql
  stable
as $$
declare
  v_status text := internal.alarm_status(p_alarm, p_now);
  v_name text := coalesce(
    internal.first_name(internal.alarm_person(p_alarm, p_reader, p_alarm.sender_id, null) ->> 'display_name'),
    internal.phrase_for(p_alarm.tenant_id, p_reader, 'name.anybody')
  );
  v_taker jsonb;
  v_check_in record;
begin
  if v_status = 'taken' then
    v_taker := internal.alarm_person(p_alarm, p_reader, p_alarm.taken_by, p_alarm.taken_by_desk);
    -- Whom the reader does not know has no id, and no name that could be shortened.
    if v_taker ->> 'id' is not null then
      v_taker := v_taker
        || jsonb_build_object(
          'display_name', coalesce(internal.first_name(v_taker ->> 'display_name'), v_taker ->> 'display_name')
        );
    end if;
  end if;
  v_check_in := internal.alarm_check_in(p_alarm, p_reader);
  return jsonb_build_object(
    'id', p_alarm.id,
    'kind', p_alarm.kind,
    'first_name', v_name,
    'state', internal.alarm_state(
      p_alarm, p_reader, v_status, json_build_object('id', p_alarm.sender_id, 'display_name', v_name), v_taker::json,
      null, p_now
    ),
    'opened_at', internal.instant(p_alarm.opened_at),
    'is_taken', v_status = 'taken',
    'taken_by_me', v_status = 'taken' and p_alarm.taken_by is not distinct from p_reader,
    'declined_by_me', v_status = 'open' and internal.has_declined(p_alarm, p_reader),
    'words', case when p_alarm.kind = 'help'
    and not internal.has_blocked(p_alarm.tenant_id, p_reader, p_alarm.sender_id) then
      internal.words_of_call(p_alarm) end,
    'call', case when p_alarm.kind <> 'drill' then internal.alarm_call(p_alarm, p_reader) end,
    'last_check_in_at', internal.instant(v_check_in.at),
    'last_check_in_source', v_check_in.source,
    'last_sign', internal.alarm_sign(p_alarm, p_reader)
  );
end
$$;
comment on function internal.alarm_of_link(kith.alarms, uuid, timestamptz) is
  'What a link about an alarm shows of it (K11), as internal.alarm_json names it, and no more, because a message can '
  'be forwarded or read on a locked screen: people by their first names, since when, who looks after it, whether its '
  'reader has said that they can''t (declined_by_me), what the sender wrote in a call for help (words), their number '
  'where the reader may have it, and the last signs of life that the reader may see. No card, no place, no timeline: '
  'they are behind a sign-in.';
