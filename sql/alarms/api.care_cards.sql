-- The care card (K07) and the place (K08). The server seals and opens them; PostgreSQL never sees what is in them.
-- Binary values are hexadecimal in JSON.

create or replace function internal.sealed_care(p_tenant integer, p_user uuid, p_now timestamptz) returns json
  language plpgsql
  stable
as $$
begin
  return json_build_object(
    'user_id', p_user,
    'card', (
      select json_build_object('sealed_key', encode(card.sealed_key, 'hex'), 'sealed', encode(card.sealed_card, 'hex'))
      from kith.care_cards as card
      where card.tenant_id = p_tenant and card.user_id = p_user
    ),
    'place', (
      select json_build_object(
        'sealed_key', encode(place.sealed_key, 'hex'), 'sealed', encode(place.sealed_place, 'hex')
      )
      from kith.places as place
      where place.tenant_id = p_tenant and place.user_id = p_user
        and internal.is_place_shown(place, p_now)
    )
  );
end
$$;
comment on function internal.sealed_care(integer, uuid, timestamptz) is
  'A user''s care card and place as they are stored, sealed. For definer procedures that have checked who may see '
  'them.';

create or replace function internal.own_care(p_tenant integer, p_user uuid, p_now timestamptz) returns json
  language plpgsql
  stable
as $$
begin
  return internal.sealed_care(p_tenant, p_user, p_now)::jsonb || jsonb_build_object('views', (
    select coalesce(
      jsonb_agg(
        jsonb_build_object('at', internal.instant(seen.at), 'person', internal.person_json(seen.viewer_id))
        order by seen.id desc
      ),
      '[]'
    )
    from (
      select id, at, viewer_id from kith.card_views where tenant_id = p_tenant and user_id = p_user order by id desc
      limit 100
    ) as seen
  ));
end
$$;
comment on function internal.own_care(integer, uuid, timestamptz) is
  'A user''s own care card and place, sealed, with the newest 100 views without an alarm. For definer procedures.';

create or replace function api.get_care_card(p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_user();
  return internal.own_care(kith.tenant_id(), kith.user_id(), p_now);
end
$$;
comment on function api.get_care_card(timestamptz) is
  'Returns the caller''s own care card and place, sealed. Security definer, because kith_api may not read them.';
grant execute on function api.get_care_card(timestamptz) to kith_api;

create or replace function api.put_care_card(p_sealed_key bytea, p_sealed_card bytea, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.begin_act('change', p_now);
  perform internal.lock_account();
  insert into kith.care_cards (tenant_id, user_id, sealed_key, sealed_card, updated_at)
  values (v_tenant, v_user, p_sealed_key, p_sealed_card, p_now)
  on conflict (tenant_id, user_id) do update
  set sealed_key = excluded.sealed_key, sealed_card = excluded.sealed_card, updated_at = excluded.updated_at;
  perform internal.emit_account(v_tenant, v_user, p_now);
  return internal.own_care(v_tenant, v_user, p_now);
end
$$;
comment on function api.put_care_card(bytea, bytea, timestamptz) is
  'Replaces the caller''s care card, which the server has sealed under a new key. Security definer, because kith_api '
  'may not write it.';
grant execute on function api.put_care_card(bytea, bytea, timestamptz) to kith_api;

create or replace function api.delete_care_card(p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  delete from kith.care_cards where tenant_id = v_tenant and user_id = v_user;
  if not found then
    perform internal.refuse_not_found();
  end if;
  delete from kith.places where tenant_id = v_tenant and user_id = v_user;
  perform internal.emit_account(v_tenant, v_user, p_now);
  return null;
end
$$;
comment on function api.delete_care_card(timestamptz) is
  'Deletes the caller''s care card and place. Security definer, because kith_api may not write them.';
grant execute on function api.delete_care_card(timestamptz) to kith_api;

create or replace function internal.is_only_asker(p_alarm kith.alarms, p_user uuid) returns boolean
  language plpgsql
  stable
as $$
begin
  return p_alarm.kind = 'unanswered' and not exists (
    select from kith.alarm_receivers as receiver
    where receiver.tenant_id = p_alarm.tenant_id and receiver.alarm_id = p_alarm.id and receiver.receiver_id <> p_user
      and receiver.told_at is not null
  ) and not exists (
    select from kith.connections as connection
    where connection.tenant_id = p_alarm.tenant_id and connection.sender_id = p_alarm.sender_id
      and connection.receiver_id = p_user and connection.status = 'active' and connection.always_care_card
  );
end
$$;
comment on function internal.is_only_asker(kith.alarms, uuid) is
  'Whether an alarm is only a question of this receiver that the sender did not answer, and nobody else was told. '
  'Otherwise somebody who asks while the sender sleeps could see where they live (K07). Not if the sender always '
  'allows this receiver the care card.';

create or replace function api.open_alarm_card(p_alarm uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_alarm kith.alarms;
  v_is_noted boolean := exists (
    select from kith.alarm_entries as entry
    where entry.tenant_id = v_tenant and entry.alarm_id = p_alarm and entry.user_id = v_user
      and entry.kind = 'card_viewed' and entry.at > p_now - interval '15 minutes'
  );
begin
  perform api.require_caller_while_suspended();
  if v_is_noted then
    -- Nobody can use up the views of whoever goes to look.
    perform internal.require_user();
  else
    perform internal.begin_act('card', p_now);
  end if;
  v_alarm := internal.lock_alarm(v_tenant, p_alarm, p_now);
  if internal.part_in_alarm(v_alarm, v_user) is distinct from 'receiver' then
    perform internal.refuse_not_found();
  elsif v_alarm.resolved_at is not null or v_alarm.kind = 'drill' then
    raise exception 'forbidden'
      using errcode = 'KT403', detail = 'You can see the care card only while there is an alarm for this person.';
  elsif internal.is_only_asker(v_alarm, v_user) then
    raise exception 'forbidden'
      using errcode = 'KT403',
      detail = 'You can see the care card only once somebody else has been told of this alarm.';
  end if;
  if not v_is_noted then
    perform internal.emit_alarm(
      v_alarm, internal.add_entry(v_alarm, 'card_viewed', v_user, null, null, null, p_now), p_now
    );
  end if;
  return internal.sealed_care(v_tenant, v_alarm.sender_id, p_now);
end
$$;
comment on function api.open_alarm_card(uuid, timestamptz) is
  'Returns the sealed care card and place of the sender of an alarm, to a receiver who was told, while it is open or '
  'taken; not in a drill, nor to somebody who has only asked (internal.is_only_asker). Each view stands in the '
  'timeline (K07), those within 15 minutes as one. Security definer, because kith_api may not read them.';
grant execute on function api.open_alarm_card(uuid, timestamptz) to kith_api;

create or replace function api.open_connection_card(p_connection_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_connection kith.connections;
begin
  perform api.require_caller_while_suspended();
  perform internal.begin_act('card', p_now);
  v_connection := internal.own_connection(p_connection_id);
  if v_connection.receiver_id <> v_user or v_connection.status <> 'active' or not v_connection.always_care_card then
    raise exception 'forbidden'
      using errcode = 'KT403', detail = 'You can see the care card only while there is an alarm for this person.';
  end if;
  insert into kith.card_views (tenant_id, id, user_id, viewer_id, at)
  values (v_tenant, internal.uuid7(p_now), v_connection.sender_id, v_user, p_now);
  return internal.sealed_care(v_tenant, v_connection.sender_id, p_now);
end
$$;
comment on function api.open_connection_card(uuid, timestamptz) is
  'Returns the sealed care card and place of the sender of an active connection, to a receiver whom the sender always '
  'allows it (K07). The sender sees each view. Security definer, because kith_api may not read them.';
grant execute on function api.open_connection_card(uuid, timestamptz) to kith_api;
