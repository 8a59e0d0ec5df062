create or replace function api.get_me() returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_answer json;
begin
  select internal.user_json(users) into v_answer
  from kith.users
  where tenant_id = v_tenant and id = v_user and deleted_at is null;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return v_answer;
end
$$;
comment on function api.get_me() is 'Returns the caller''s account.';
grant execute on function api.get_me() to kith_api;

create or replace function api.update_me(p_body jsonb, p_codes jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_user kith.users;
begin
  perform internal.begin_act(
    case when p_body ? 'display_name' or p_body ? 'time_zone' then 'broadcast' else 'change' end, p_now
  );
  -- Contacts first: their codes are locked before the pings, which may follow a new time zone.
  if p_body ? 'phone' or p_body ? 'email' then
    perform internal.propose_contacts(p_body, p_codes, p_now);
  end if;
  v_user := internal.change_user(kith.user_id(), p_body, p_now);
  return internal.user_json(v_user);
end
$$;
comment on function api.update_me(jsonb, jsonb, timestamptz) is
  'Updates the given fields of the caller''s account. A new phone or email stays pending until a code sent to it comes '
  'back; the server supplies a code for each. Security definer, because only these procedures write accounts.';
grant execute on function api.update_me(jsonb, jsonb, timestamptz) to kith_api;

create or replace function api.delete_me(p_vaults text, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_user();
  perform internal.delete_user(kith.user_id(), internal.actor(), null, p_vaults is not distinct from 'delete', p_now);
  return null;
end
$$;
comment on function api.delete_me(text, timestamptz) is
  'Deletes the caller''s account (A04). This cannot be undone. Raises conflict if the caller owns vaults to which '
  'others have access, unless p_vaults is ''delete''. Security definer, because it writes other users'' rows.';
grant execute on function api.delete_me(text, timestamptz) to kith_api;
