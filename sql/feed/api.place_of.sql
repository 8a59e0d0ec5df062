create or replace function internal.alarm_of_ping(p_ping uuid) returns uuid
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select alarm.id
    from kith.notifications as note
    join kith.alarms as alarm on alarm.tenant_id = v_tenant and alarm.id = (note.data ->> 'alarm_id')::uuid
    where note.tenant_id = v_tenant and note.user_id = v_user and note.type = 'ping_missed'
      and note.data ->> 'ping_id' = p_ping::text
      -- It is newer than its ping.
      and note.id > p_ping
      and internal.part_in_alarm(alarm, v_user) = 'receiver'
    order by note.id desc
    limit 1
  );
end
$$;
comment on function internal.alarm_of_ping(uuid) is
  'The alarm of which the current user was told when this ping was missed, as long as it is there and they have a part '
  'in it. Otherwise null, for the sender too, whose answer is a check-in. Security definer, because kith_api may not '
  'read alarms.';
grant execute on function internal.alarm_of_ping(uuid) to kith_api;

create or replace function api.place_of(p_type text, p_id uuid) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_vault uuid;
  v_nominee uuid;
  v_is_owner boolean;
  v_alarm uuid;
begin
  if v_user is null then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
  -- The policies show the caller what concerns them, and nothing else.
  case p_type
    when 'nominee', 'conversation' then
      select vault_id, id into v_vault, v_nominee
      from kith.nominees
      where tenant_id = v_tenant and id = p_id and status <> 'revoked';
    when 'transfer' then
      select vault_id into v_vault from kith.transfers where tenant_id = v_tenant and id = p_id;
    when 'emergency_request' then
      select vault_id into v_vault from kith.emergency_requests where tenant_id = v_tenant and id = p_id;
    when 'ping' then
      v_alarm := internal.alarm_of_ping(p_id);
    else
  end case;
  select owner_id = v_user into v_is_owner from kith.vaults
  where tenant_id = v_tenant and id = v_vault and deleted_at is null;
  return json_build_object(
    'vault_id', case when v_is_owner is not null then v_vault end,
    'nominee_id', case when v_is_owner is not null then v_nominee end,
    'is_owner', v_is_owner,
    'alarm_id', v_alarm
  );
end
$$;
comment on function api.place_of(text, uuid) is
  'Where something is that a notification names (internal.leads_to): {vault_id, nominee_id, is_owner} of a nominee, a '
  'conversation, a transfer or an emergency_request, and alarm_id of a ping (internal.alarm_of_ping). The members are '
  'null if it is gone, or does not concern the caller. For links of the web client.';
grant execute on function api.place_of(text, uuid) to kith_api;
