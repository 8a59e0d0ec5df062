create or replace function api.list_blocks(p_limit integer, p_cursor uuid) returns json
  language plpgsql
  stable
as $$
declare
  v_items json := coalesce(internal.blocks_json(null, p_limit + 1, p_cursor), '[]');
begin
  return (
    select json_build_object(
      'items', coalesce(json_agg(item order by n) filter (where n <= p_limit), '[]'),
      'next_cursor', case when count(*) > p_limit then v_items -> (p_limit - 1) -> 'user' ->> 'id' end
    )
    from json_array_elements(v_items) with ordinality as items (item, n)
  );
end
$$;
comment on function api.list_blocks(integer, uuid) is 'Returns the users whom the caller has blocked.';
grant execute on function api.list_blocks(integer, uuid) to kith_api;

create or replace function api.get_block(p_user_id uuid) returns json
  language plpgsql
  stable
as $$
declare
  v_block json := internal.blocks_json(p_user_id, 1, null) -> 0;
begin
  if v_block is null then
    perform internal.refuse_not_found();
  end if;
  return v_block;
end
$$;
comment on function api.get_block(uuid)
  is 'Returns the caller''s block of another user. Raises not_found if there is none.';
grant execute on function api.get_block(uuid) to kith_api;

create or replace function api.put_block(p_user_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_connections uuid[];
begin
  perform internal.begin_act('change', p_now);
  -- The strongest lock waits for a code of either user that is being redeemed right now, and makes later ones wait.
  -- Lock both users at once and in key order, because the other may be blocking this one.
  perform from kith.users where tenant_id = v_tenant and id in (v_user, p_user_id) order by id for update;
  perform internal.lock_account();
  if not internal.has_reached(p_user_id) then
    perform internal.refuse_not_found();
  end if;
  insert into kith.blocks (tenant_id, user_id, blocked_id, created_at)
  select v_tenant, v_user, p_user_id, p_now
  from kith.users
  where tenant_id = v_tenant and id = p_user_id and deleted_at is null
  on conflict do nothing;
  v_connections := array(
    select id from kith.connections
    where tenant_id = v_tenant and status <> 'deleted'
      and (sender_id = v_user and receiver_id = p_user_id or sender_id = p_user_id and receiver_id = v_user)
    order by id
    for no key update
  );
  -- Ending a wait can begin or stop others, and a check-in locks the profile before the requests that it ends.
  perform from kith.sender_profiles where tenant_id = v_tenant and user_id = v_user for no key update;
  perform internal.close_connections(v_connections, 'user:' || v_user, false, p_now);
  -- A connection that rests must not come back when the block has ended.
  update kith.connections
  set resting_status = null
  where tenant_id = v_tenant and resting_status is not null
    and (sender_id = v_user and receiver_id = p_user_id or sender_id = p_user_id and receiver_id = v_user);
  perform internal.end_rights_of_blocked(p_user_id, p_now);
  perform internal.emit_account(v_tenant, v_user, p_now);
  return api.get_block(p_user_id);
end
$$;
comment on function api.put_block(uuid, timestamptz) is
  'Blocks a user who has had to do with the caller (internal.has_reached), also one who has only sent an invitation. '
  'Anyone else is not_found, so that ids cannot be probed. Connections between the two end without notice (X22), those '
  'that rest with an ended profile do not come back, and neither can write to the other. Ordinary access to vaults '
  'stays until their owner ends it, but emergency access to the caller''s vaults ends at this instant, with its waits '
  'and sessions, and the end of the block does not bring it back (E07). The answer names the caller''s vaults to which '
  'the blocked user has access. Repeating the call changes nothing. Security definer, because blocks end connections '
  'and are written only here.';
grant execute on function api.put_block(uuid, timestamptz) to kith_api;

-- It had no clock, and so emitted no event.
create or replace function api.delete_block(p_user_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  delete from kith.blocks where tenant_id = v_tenant and user_id = v_user and blocked_id = p_user_id;
  if not found then
    perform internal.refuse_not_found();
  end if;
  perform internal.emit_account(v_tenant, v_user, p_now);
  return null;
end
$$;
comment on function api.delete_block(uuid, timestamptz) is
  'Ends a block that the caller has set. The connections and rights to emergency access that it ended stay ended. '
  'Security definer, because kith_api may not delete rows.';
grant execute on function api.delete_block(uuid, timestamptz) to kith_api;
