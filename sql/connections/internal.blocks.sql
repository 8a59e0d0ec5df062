create or replace function internal.own_vaults_of(p_user_id uuid) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select coalesce(
      json_agg(
        json_build_object(
          'id', vault.id, 'name', vault.name, 'nominee_id', nominee.id, 'status', nominee.status,
          'access_level', nominee.access_level
        )
        order by vault.id
      ),
      '[]'
    )
    from kith.nominees as nominee
    join kith.vaults as vault
      on vault.tenant_id = v_tenant and vault.id = nominee.vault_id and vault.owner_id = v_user
        and vault.deleted_at is null
    where nominee.tenant_id = v_tenant and nominee.user_id = p_user_id and nominee.owner_id = v_user
      and nominee.status <> 'revoked'
  );
end
$$;
comment on function internal.own_vaults_of(uuid) is
  'The vaults of the current user of which another user is a nominee: [{id, name, nominee_id, status, access_level}]. '
  'At most 200, because nobody has more vaults. For definer procedures.';

create or replace function internal.has_reached(p_user_id uuid) returns boolean
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_phone text;
  v_email text;
begin
  select case when phone_verified_at is not null then phone end,
    case when email_verified_at is not null then email_normalized end
  into v_phone, v_email
  from kith.users
  where tenant_id = v_tenant and id = v_user;
  return exists (
    select from kith.connections
    where tenant_id = v_tenant
      and (sender_id = v_user and receiver_id = p_user_id or sender_id = p_user_id and receiver_id = v_user)
  ) or exists (
    select from kith.nominees
    where tenant_id = v_tenant and user_id = p_user_id and (owner_id = v_user or invited_by_user_id = v_user)
  ) or exists (
    select from kith.nominees
    where tenant_id = v_tenant and user_id = v_user and p_user_id in (owner_id, invited_by_user_id)
  ) or exists (
    select from kith.nominees
    where tenant_id = v_tenant and phone = v_phone and p_user_id in (owner_id, invited_by_user_id)
  ) or exists (
    select from kith.nominees
    where tenant_id = v_tenant and email_normalized = v_email and p_user_id in (owner_id, invited_by_user_id)
  ) or exists (
    select from kith.transfers
    where tenant_id = v_tenant and owner_id = p_user_id
      and (
        accepted_by = v_user or phone = v_phone or email_normalized = v_email
        or exists (
          select from kith.nominees where tenant_id = v_tenant and id = transfers.nominee_id and user_id = v_user
        )
      )
  ) or exists (
    select from kith.transfers where tenant_id = v_tenant and owner_id = v_user and accepted_by = p_user_id
  ) or exists (
    select from kith.conversations
    where tenant_id = v_tenant
      and (owner_id = p_user_id and nominee_user_id = v_user or owner_id = v_user and nominee_user_id = p_user_id)
  ) or exists (
    select from kith.connection_invitation_recipients
    where tenant_id = v_tenant and phone = v_phone and user_id = p_user_id
  ) or exists (
    -- A row that named them may have been swept since, and a nominee with level full is known to the others by what
    -- they did.
    select from kith.notifications
    where tenant_id = v_tenant and user_id = v_user and data ->> 'user_id' = p_user_id::text
  );
end
$$;
comment on function internal.has_reached(uuid) is
  'Whether another user has had to do with the current user, who may therefore know them and block them (X22): a '
  'connection, a vault of one and a nominee of the other, an invitation or offer to a contact that the current user '
  'has verified, whatever became of it, a conversation, or a notification that names them. For api.put_block.';

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
        'user', json_build_object(
          'id', block.blocked_id, 'display_name', internal.name_of_anybody(blocked.display_name)
        ),
        'created_at', internal.instant(block.created_at),
        'vaults', internal.own_vaults_of(block.blocked_id)
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
  'The users whom the current user has blocked, only p_only or (null) all, after the cursor, each with the current '
  'user''s vaults to which they still have access. Null if there are none. Definer: it reads the names of users who '
  'are no longer connected.';
grant execute on function internal.blocks_json(uuid, integer, uuid) to kith_api;
