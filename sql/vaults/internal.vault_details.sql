-- What a list of vaults shows of each besides its row: counts, the pending transfer, and the open session.

create or replace function internal.nominee_counts(p_vault_id uuid, p_is_open boolean, p_now timestamptz) returns jsonb
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_inside uuid[] := array(
    select nominee_id from kith.vault_sessions
    where tenant_id = v_tenant and vault_id = p_vault_id and kind = 'emergency' and locked_at is null
      and expires_at > p_now
  );
begin
  return (
    select jsonb_build_object(
      'pending', count(*) filter (where status = 'pending'),
      'accepted', count(*) filter (where status = 'accepted' and not p_is_open and id <> all (v_inside)),
      'active', count(*) filter (where status = 'accepted' and (p_is_open or id = any (v_inside))),
      'inactive', count(*) filter (where status = 'inactive')
    )
    from kith.nominees
    where tenant_id = v_tenant and vault_id = p_vault_id and status <> 'revoked'
  );
end
$$;
comment on function internal.nominee_counts(uuid, boolean, timestamptz) is
  'The number of a vault''s nominees in each status, revoked ones left out: at most 1,000, read from an index. Active '
  'are all accepted ones while the vault is open, and those with emergency access. For definer procedures.';

create or replace function internal.document_count(p_vault_id uuid) returns bigint
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return (
    select count(*) from kith.documents where tenant_id = v_tenant and vault_id = p_vault_id and deleted_at is null
  );
end
$$;
comment on function internal.document_count(uuid) is
  'The number of a vault''s documents that are not deleted: at most 10,000, read from an index. For definer '
  'procedures.';

create or replace function internal.offer_of_vault(p_vault_id uuid, p_now timestamptz) returns jsonb
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return (
    select jsonb_build_object(
      'id', offer.id, 'name', internal.transfer_name(offer), 'nominee_id', offer.nominee_id,
      'created_at', internal.instant(offer.created_at), 'expires_at', internal.instant(offer.expires_at)
    )
    from kith.transfers as offer
    where offer.tenant_id = v_tenant and offer.vault_id = p_vault_id and offer.status = 'pending'
      and offer.expires_at > p_now
  );
end
$$;
comment on function internal.offer_of_vault(uuid, timestamptz) is
  'The pending transfer of a vault as its owner sees it in a list, or null. For definer procedures.';

create or replace function internal.vault_details(p_vaults uuid[], p_now timestamptz)
  returns table (vault_id uuid, details jsonb)
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
  return query
  select vault.id, jsonb_build_object(
    'nominee_id', own.id,
    'session', case
      when session.id is not null then internal.session_json(session::kith.vault_sessions, part.is_managed)
      when emergency.access_level is not null then internal.session_json(emergency.opened, false)
    end,
    'counts', jsonb_build_object(
      'nominees', case when part.is_managed then internal.nominee_counts(vault.id, session.id is not null, p_now) end,
      -- A locked vault shows its nominees nothing.
      'documents', case
        when part.is_owner or session.id is not null or emergency.access_level is not null
          then internal.document_count(vault.id)
      end,
      'unread', internal.unread_of_vault(vault.id)
    ),
    'pending_transfer', case when part.is_owner then internal.offer_of_vault(vault.id, p_now) end
  )
  from unnest(p_vaults) as asked (id)
  cross join lateral (
    select one.id, one.owner_id, one.deleted_at from kith.vaults as one
    where one.tenant_id = v_tenant and one.id = asked.id offset 0
  ) as vault
  left join lateral (
    select nominee.id, nominee.status, nominee.access_level
    from kith.nominees as nominee
    where nominee.tenant_id = v_tenant and nominee.vault_id = vault.id and nominee.user_id = v_user
      and nominee.status <> 'revoked' and vault.deleted_at is null
    limit 1
  ) as own on true
  left join lateral (
    select * from kith.vault_sessions as open
    where open.tenant_id = v_tenant and open.vault_id = vault.id and open.kind = 'shared' and open.locked_at is null
      and open.expires_at > p_now and (vault.owner_id = v_user or own.status = 'accepted')
    limit 1
  ) as session on true
  left join lateral internal.emergency_session(v_tenant, own.id, p_now) as emergency on own.status = 'accepted'
  cross join lateral (
    select vault.owner_id = v_user as is_owner,
      vault.owner_id = v_user or own.access_level = 'full' and session.id is not null as is_managed
  ) as part
  where vault.owner_id = v_user or own.id is not null;
end
$$;
comment on function internal.vault_details(uuid[], timestamptz) is
  'Of these vaults, those that the current user owns or is a nominee of, each with {nominee_id, session, counts: '
  '{nominees, documents, unread}, pending_transfer}. A nominee gets what their level shows them: the counts of '
  'nominees need level full and an open vault. One statement for a whole page. Definer: it reads names and the rows of '
  'other nominees.';
grant execute on function internal.vault_details(uuid[], timestamptz) to kith_api;
