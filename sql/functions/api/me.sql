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
comment on function api.get_me() is 'The user who asks.';
revoke all on function api.get_me() from public;
grant execute on function api.get_me() to kith_api;

create or replace function api.update_me(p_body jsonb, p_codes jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_user kith.users;
begin
  perform internal.begin_act(case when p_body ? 'display_name' then 'broadcast' else 'change' end, p_now);
  v_user := internal.change_user(kith.user_id(), p_body, p_now);
  if p_body ? 'phone' or p_body ? 'email' then
    v_user := internal.propose_contacts(p_body, p_codes, p_now);
  end if;
  return internal.user_json(v_user);
end
$$;
comment on function api.update_me(jsonb, jsonb, timestamptz) is
  'Changes the fields given of the user who asks. A phone or email stays pending until a code sent to it came back; the server gives a code for each. Definer: nobody writes accounts but these procedures.';
revoke all on function api.update_me(jsonb, jsonb, timestamptz) from public;
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
  'Ends the account of the user who asks (A04). There is no way back. Own vaults to which others have access must be let go by ''delete'' as p_vaults, else it is a conflict. Definer: it writes in rows of others.';
revoke all on function api.delete_me(text, timestamptz) from public;
grant execute on function api.delete_me(text, timestamptz) to kith_api;
