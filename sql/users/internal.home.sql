create or replace function internal.awaited_consents(p_now timestamptz) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_id uuid;
  v_connections json[] := '{}';
begin
  -- A loop, because a distributed database would otherwise refuse a function that reads tables, called for each row (as in
  -- page_of_connections). Usually no connection waits.
  for v_id in
    select id from kith.connections
    where tenant_id = v_tenant and code_owner_id = v_user and status = 'pending'
    order by id
    limit 50
  loop
    v_connections := v_connections || api.get_connection(v_id, p_now);
  end loop;
  return to_json(v_connections);
end
$$;
comment on function internal.awaited_consents(timestamptz) is
  'The connections that wait for the current user''s consent (P29), oldest first, at most 50.';
revoke all on function internal.awaited_consents(timestamptz) from public;
grant execute on function internal.awaited_consents(timestamptz) to kith_api;

create or replace function internal.own_unread_messages() returns integer
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_user();
  return internal.unread_messages();
end
$$;
comment on function internal.own_unread_messages() is
  'How many messages the current user has not read. Security definer, because internal.unread_messages is for definer procedures.';
revoke all on function internal.own_unread_messages() from public;
grant execute on function internal.own_unread_messages() to kith_api;
