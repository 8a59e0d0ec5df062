create or replace function internal.blocks_json(p_only uuid, p_limit integer, p_cursor uuid) returns json
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
    select json_agg(
      json_build_object(
        'user', json_build_object('id', block.blocked_id, 'display_name', internal.name_of_anybody(blocked.display_name)),
        'created_at', internal.instant(block.created_at)
      )
      order by block.blocked_id
    )
    from (
      select blocked_id, created_at
      from kith.blocks
      where tenant_id = v_tenant and user_id = v_user
        and (p_only is null or blocked_id = p_only)
        and blocked_id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
      order by blocked_id
      limit p_limit
    ) as block
    join kith.users as blocked on blocked.tenant_id = v_tenant and blocked.id = block.blocked_id
  );
end
$$;
comment on function internal.blocks_json(uuid, integer, uuid) is
  'The users whom the current user has blocked, only p_only or (null) all, after the cursor. Null if there are none. Definer: it reads the names of users who are no longer connected.';
revoke all on function internal.blocks_json(uuid, integer, uuid) from public;
grant execute on function internal.blocks_json(uuid, integer, uuid) to kith_api;

create or replace function internal.is_blocked(p_user_id uuid, p_other_id uuid) returns boolean
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return exists (
    select from kith.blocks
    where tenant_id = v_tenant
      and (user_id = p_user_id and blocked_id = p_other_id or user_id = p_other_id and blocked_id = p_user_id)
  );
end
$$;
comment on function internal.is_blocked(uuid, uuid) is
  'Whether one of two users has blocked the other (X22), without saying which. For definer procedures.';
revoke all on function internal.is_blocked(uuid, uuid) from public;
