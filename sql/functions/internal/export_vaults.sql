-- The part of an export that is about vaults; see export.sql. Documents are not in it: what is locked stays locked, and who has it open
-- downloads them.

create or replace function internal.exported_vaults(
  p_cursor uuid, p_limit integer, p_now timestamptz, out items json, out next_cursor text
)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform set_config('kith.now', p_now::text, true);
  select coalesce(json_agg(internal.vault_json(page.own) order by page.id), '[]'),
    case when count(*) = p_limit then (array_agg(page.id order by page.id desc))[1] end
  into items, next_cursor
  from (
    select own, own.id
    from internal.own_vaults as own
    where own.tenant_id = v_tenant and own.id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
    order by own.id
    limit p_limit
  ) as page;
end
$$;
comment on function internal.exported_vaults(uuid, integer, timestamptz) is
  'A page of the vaults that the user who asks owns, deleted ones too, or is a nominee of.';
revoke all on function internal.exported_vaults(uuid, integer, timestamptz) from public;
grant execute on function internal.exported_vaults(uuid, integer, timestamptz) to kith_api;

create or replace function internal.exported_nominees(p_cursor uuid, p_limit integer, out items json, out next_cursor text)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  select coalesce(
    json_agg(
      json_build_object(
        'id', page.id,
        'vault_id', page.vault_id,
        'user_id', page.user_id,
        'name', page.name,
        'phone', case when page.owner_id = v_user then page.phone end,
        'email', case when page.owner_id = v_user then page.email end,
        'status', page.status,
        'access_level', page.access_level,
        'invited_at', internal.instant(page.invited_at),
        'accepted_at', internal.instant(page.accepted_at),
        'last_active_at', internal.instant(page.last_active_at),
        'revoked_at', internal.instant(page.revoked_at),
        'revoke_reason', page.revoke_reason
      )
      order by page.id
    ),
    '[]'
  ),
  case when count(*) = p_limit then (array_agg(page.id order by page.id desc))[1] end
  into items, next_cursor
  from (
    select * from kith.nominees
    where tenant_id = v_tenant and (owner_id = v_user or user_id = v_user)
      and id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
    order by id
    limit p_limit
  ) as page;
end
$$;
comment on function internal.exported_nominees(uuid, integer) is
  'A page of the nominees of the vaults of the user who asks, and of what they are and were in vaults of others; contacts are shown to the owner who wrote them.';
revoke all on function internal.exported_nominees(uuid, integer) from public;
grant execute on function internal.exported_nominees(uuid, integer) to kith_api;

create or replace function internal.exported_messages(p_cursor uuid, p_limit integer, out items json, out next_cursor text)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  -- The second are conversations of a vault that is another's now.
  v_conversations uuid[] := array(
    select id from kith.nominees where tenant_id = v_tenant and (owner_id = v_user or user_id = v_user)
    union
    select nominee_id from kith.messages where tenant_id = v_tenant and from_id = v_user
  );
begin
  select coalesce(
    json_agg(
      json_build_object(
        'id', page.id,
        'vault_id', page.vault_id,
        'nominee_id', page.nominee_id,
        'from_id', page.from_id,
        'body', page.body,
        'created_at', internal.instant(page.created_at),
        'read_at', internal.instant(page.read_at)
      )
      order by page.id
    ),
    '[]'
  ),
  case when count(*) = p_limit then (array_agg(page.id order by page.id desc))[1] end
  into items, next_cursor
  from (
    select * from kith.messages
    where tenant_id = v_tenant and nominee_id = any (v_conversations) and v_user in (owner_id, nominee_user_id)
      and id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
    order by id
    limit p_limit
  ) as page;
end
$$;
comment on function internal.exported_messages(uuid, integer) is
  'A page of what the user who asks has written to owners and nominees of vaults, and they to them, oldest first.';
revoke all on function internal.exported_messages(uuid, integer) from public;
grant execute on function internal.exported_messages(uuid, integer) to kith_api;

create or replace function internal.exported_history(p_cursor uuid, p_limit integer, out items json, out next_cursor text)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_vaults uuid[] := array(select id from kith.vaults where tenant_id = v_tenant and owner_id = v_user);
begin
  select coalesce(
    json_agg(
      json_build_object(
        'id', page.id,
        'vault_id', page.vault_id,
        'at', internal.instant(page.at),
        'actor_id', page.actor_id,
        'action', page.action,
        'subject', json_build_object('type', page.subject_type, 'id', page.subject_id),
        'detail', page.detail
      )
      order by page.id
    ),
    '[]'
  ),
  case when count(*) = p_limit then (array_agg(page.id order by page.id desc))[1] end
  into items, next_cursor
  from (
    select * from kith.history
    where tenant_id = v_tenant and vault_id = any (v_vaults)
      and id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
    order by id
    limit p_limit
  ) as page;
end
$$;
comment on function internal.exported_history(uuid, integer) is
  'A page of what happened with the vaults of the user who asks, oldest first.';
revoke all on function internal.exported_history(uuid, integer) from public;
grant execute on function internal.exported_history(uuid, integer) to kith_api;
