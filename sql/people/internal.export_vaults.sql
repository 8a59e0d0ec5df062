-- The part of an export that covers vaults; see export.sql. It lists the names and sizes of documents but not their
-- contents: a locked vault stays locked, and a user with an open vault can download them.

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
  with page as materialized (
    select own, own.id
    from internal.own_vaults as own
    where own.tenant_id = v_tenant and own.id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
    order by own.id
    limit p_limit
  )
  select coalesce(json_agg(internal.vault_json(page.own, detail.details) order by page.id), '[]'),
    case when count(*) = p_limit then (array_agg(page.id order by page.id desc))[1] end
  into items, next_cursor
  from page
  left join internal.vault_details(array(select id from page), p_now) as detail on detail.vault_id = page.id;
end
$$;
comment on function internal.exported_vaults(uuid, integer, timestamptz) is
  'A page of the vaults that the current user owns, including deleted ones, or is a nominee of.';
grant execute on function internal.exported_vaults(uuid, integer, timestamptz) to kith_api;

create or replace function internal.exported_nominees(
  p_cursor uuid, p_limit integer, out items json, out next_cursor text
)
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
  'A page of the nominees of the current user''s vaults, and of the user''s own nominee rows in other vaults. Contact '
  'details are shown only to the owner who entered them.';
grant execute on function internal.exported_nominees(uuid, integer) to kith_api;

create or replace function internal.exported_messages(
  p_cursor uuid, p_limit integer, out items json, out next_cursor text
)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  -- The second part finds conversations in vaults that now belong to somebody else.
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
  'A page of the messages between the current user and the owners and nominees of vaults, oldest first.';
grant execute on function internal.exported_messages(uuid, integer) to kith_api;

create or replace function internal.exported_history(
  p_cursor uuid, p_limit integer, out items json, out next_cursor text
)
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
comment on function internal.exported_history(uuid, integer)
  is 'A page of the history of the current user''s vaults, oldest first.';
grant execute on function internal.exported_history(uuid, integer) to kith_api;

create or replace function internal.exported_documents(
  p_cursor text, p_limit integer, out items json, out next_cursor text
)
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_none constant uuid := '00000000-0000-0000-0000-000000000000';
  -- A vault, and the document in it to continue after.
  v_from uuid := coalesce(split_part(p_cursor, '/', 1)::uuid, v_none);
  v_after uuid := coalesce(split_part(p_cursor, '/', 2)::uuid, v_none);
  v_vault uuid;
  v_document kith.documents;
  v_items json[] := '{}';
begin
  perform internal.require_user();
  -- One vault after another, so that the index of a vault's documents serves each page.
  for v_vault in
    select id from kith.vaults where tenant_id = v_tenant and owner_id = v_user and id >= v_from order by id
  loop
    for v_document in
      select * from kith.documents
      where tenant_id = v_tenant and vault_id = v_vault and id > case v_vault when v_from then v_after else v_none end
      order by id
      limit p_limit - cardinality(v_items)
    loop
      v_items := v_items || internal.document_json(v_document, internal.people_of_document(v_document));
    end loop;
    if cardinality(v_items) = p_limit then
      next_cursor := v_vault || '/' || v_document.id;
      exit;
    end if;
  end loop;
  items := to_json(v_items);
end
$$;
comment on function internal.exported_documents(text, integer) is
  'A page of the documents in the current user''s vaults, including deleted ones, without their contents. Definer: the '
  'policies show documents only while a vault is open, but owners may always export their list.';
grant execute on function internal.exported_documents(text, integer) to kith_api;

create or replace function internal.exported_shares(
  p_cursor uuid, p_limit integer, out items json, out next_cursor text
)
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
        'record_name', page.record_name,
        'url', page.url,
        'permission', page.permission,
        'created_at', internal.instant(page.created_at),
        'updated_at', internal.instant(page.updated_at),
        'ended_at', internal.instant(page.ended_at),
        'missing_at', internal.instant(page.missing_at)
      )
      order by page.id
    ),
    '[]'
  ),
  case when count(*) = p_limit then (array_agg(page.id order by page.id desc))[1] end
  into items, next_cursor
  from (
    select * from kith.shares
    where tenant_id = v_tenant and owner_id = v_user and id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
    order by id
    limit p_limit
  ) as page;
end
$$;
comment on function internal.exported_shares(uuid, integer) is
  'A page of the shares of the current user''s vaults, including ended ones. Their participants appear among the '
  'nominees.';
grant execute on function internal.exported_shares(uuid, integer) to kith_api;

create or replace function internal.exported_transfers(
  p_cursor uuid, p_limit integer, out items json, out next_cursor text
)
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
        'name', page.name,
        'phone', page.phone,
        'email', page.email,
        'nominee_id', page.nominee_id,
        'keep_access', page.keep_access,
        'status', page.status,
        'created_at', internal.instant(page.created_at),
        'expires_at', internal.instant(page.expires_at),
        'ended_at', internal.instant(page.ended_at),
        'invitations', (
          select coalesce(
            json_agg(
              json_build_object(
                'channel', channel, 'created_at', internal.instant(created_at),
                'replaced_at', internal.instant(replaced_at),
                'outcome', outcome, 'outcome_at', internal.instant(outcome_at)
              )
              order by id
            ),
            '[]'
          )
          from kith.transfer_invitations
          where tenant_id = v_tenant and transfer_id = page.id
        )
      )
      order by page.id
    ),
    '[]'
  ),
  case when count(*) = p_limit then (array_agg(page.id order by page.id desc))[1] end
  into items, next_cursor
  from (
    select id, vault_id, name, phone, email, nominee_id, keep_access, status, created_at, expires_at, ended_at
    from kith.transfers
    where tenant_id = v_tenant and owner_id = v_user and id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
    order by id
    limit p_limit
  ) as page;
end
$$;
comment on function internal.exported_transfers(uuid, integer) is
  'A page of the transfers that the current user has offered, with the person whom they named, and the invitations '
  'without their tokens. Transfers are kept for 90 days after they end.';
grant execute on function internal.exported_transfers(uuid, integer) to kith_api;

create or replace function internal.exported_emergency_rights(
  p_cursor uuid, p_limit integer, out items json, out next_cursor text
)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_vaults uuid[] := array(select id from kith.vaults where tenant_id = v_tenant and owner_id = kith.user_id());
begin
  select coalesce(
    json_agg(
      internal.emergency_settings_json(page.settings)
        || jsonb_build_object('vault_id', (page.settings).vault_id, 'nominee_id', (page.settings).nominee_id)
      order by (page.settings).nominee_id
    ),
    '[]'
  ),
  case
    when count(*) = p_limit then (array_agg((page.settings).nominee_id order by (page.settings).nominee_id desc))[1]
  end
  into items, next_cursor
  from (
    select settings from kith.emergency_settings as settings
    where settings.tenant_id = v_tenant and settings.vault_id = any (v_vaults)
      and settings.nominee_id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
    order by settings.nominee_id
    limit p_limit
  ) as page;
end
$$;
comment on function internal.exported_emergency_rights(uuid, integer) is
  'A page of the rights to emergency access that the current user has given.';
grant execute on function internal.exported_emergency_rights(uuid, integer) to kith_api;

create or replace function internal.exported_emergency_quorums(out items json, out next_cursor text)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_vaults uuid[] := array(select id from kith.vaults where tenant_id = v_tenant and owner_id = kith.user_id());
begin
  -- One for each vault, of which a user has a few hundred.
  select coalesce(
    json_agg(
      internal.emergency_quorum_json(quorum)::jsonb || jsonb_build_object('vault_id', quorum.vault_id)
      order by quorum.vault_id
    ),
    '[]'
  )
  into items
  from kith.emergency_quorums as quorum
  where quorum.tenant_id = v_tenant and quorum.vault_id = any (v_vaults);
end
$$;
comment on function internal.exported_emergency_quorums() is 'The quorums of the current user''s vaults, in one page.';
grant execute on function internal.exported_emergency_quorums() to kith_api;

create or replace function internal.exported_emergency_requests(
  p_cursor uuid, p_limit integer, p_now timestamptz, out items json, out next_cursor text
)
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_after uuid := coalesce(p_cursor, '00000000-0000-0000-0000-000000000000');
  v_vaults uuid[] := array(
    select id from kith.vaults where tenant_id = v_tenant and owner_id = v_user
    union
    select vault_id from kith.transfers where tenant_id = v_tenant and owner_id = v_user
  );
  v_nominees uuid[] := array(select id from kith.nominees where tenant_id = v_tenant and user_id = v_user);
begin
  perform internal.require_user();
  select coalesce(
    json_agg(internal.emergency_json(page.request, p_now, (page.request).owner_id = v_user) order by (page.request).id),
    '[]'
  ),
  case when count(*) = p_limit then (array_agg((page.request).id order by (page.request).id desc))[1] end
  into items, next_cursor
  from (
    select mine.request
    from (
      select own.request
      from unnest(v_vaults) as vault (id)
      cross join lateral (
        select request from kith.emergency_requests as request
        where request.tenant_id = v_tenant and request.vault_id = vault.id and request.owner_id = v_user
          and request.id > v_after
        order by request.id
        limit p_limit
      ) as own
      union all
      select asked.request
      from unnest(v_nominees) as nominee (id)
      cross join lateral (
        select request from kith.emergency_requests as request
        where request.tenant_id = v_tenant and request.nominee_id = nominee.id and request.user_id = v_user
          and request.owner_id <> v_user
          -- Before the page is cut, or its length and cursor would give a hidden wait away.
          and request.id > v_after and internal.nominee_knows(request, p_now)
        order by request.id
        limit p_limit
      ) as asked
    ) as mine
    order by (mine.request).id
    limit p_limit
  ) as page;
end
$$;
comment on function internal.exported_emergency_requests(uuid, integer, timestamptz) is
  'A page of the requests for emergency access to the current user''s vaults, and of the user''s own that they may '
  'know of, each with its delays. Definer, because internal.emergency_json reads the outages.';
grant execute on function internal.exported_emergency_requests(uuid, integer, timestamptz) to kith_api;
