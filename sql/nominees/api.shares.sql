-- Shares, which only a vault's owner manages. The functions that write are security definers because they create and
-- revoke nominees and notify others.

create or replace function api.put_share(p_vault_id uuid, p_body jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_vault kith.vaults;
  v_share kith.shares;
  v_was kith.shares;
begin
  perform internal.begin_act('change', p_now);
  if p_body ->> 'url' !~ '^https://[^[:space:]]+$' then
    perform internal.refuse_fields(internal.field_error('url', 'must be an https:// address'));
  end if;
  v_vault := internal.own_vault(p_vault_id, p_now);
  select * into v_was from kith.shares where tenant_id = v_tenant and vault_id = p_vault_id and ended_at is null;
  v_share := v_was;
  v_share.record_name := coalesce(p_body ->> 'record_name', v_was.record_name, 'CD_Vault_' || upper(p_vault_id::text));
  v_share.url := case when p_body ? 'url' then p_body ->> 'url' else v_was.url end;
  if v_was.id is null then
    if exists (select from kith.shares where tenant_id = v_tenant and vault_id = p_vault_id offset 999 limit 1) then
      raise exception 'quota_exceeded'
        using errcode = 'KT507', detail = 'A vault can have at most 1,000 shares, ended ones included.';
    end if;
    insert into kith.shares (tenant_id, id, vault_id, owner_id, record_name, url, permission, created_at, updated_at)
    values (
      v_tenant, internal.uuid7(p_now), p_vault_id, v_vault.owner_id, v_share.record_name, v_share.url, 'readWrite',
      p_now, p_now
    )
    returning * into v_share;
    perform internal.record_history(p_vault_id, v_vault.owner_id, 'share.created', 'share', v_share.id, null, p_now);
    perform internal.replace_missing_share(v_share, p_now);
    perform internal.emit_event(v_tenant, v_vault.owner_id, 'vault', p_vault_id, null, null, p_now);
  elsif v_share is distinct from v_was then
    update kith.shares
    set record_name = v_share.record_name, url = v_share.url, updated_at = p_now
    where tenant_id = v_tenant and id = v_was.id
    returning * into v_share;
    perform internal.record_history(p_vault_id, v_vault.owner_id, 'share.changed', 'share', v_share.id, null, p_now);
    perform internal.emit_event(v_tenant, v_vault.owner_id, 'vault', p_vault_id, null, null, p_now);
  end if;
  return internal.share_json(v_share);
end
$$;
comment on function api.put_share(uuid, jsonb, timestamptz) is
  'Creates the share of a vault, or updates it with {record_name?, url?}. Repeating the call changes nothing. A share '
  'whose record is missing is replaced by a new one, with its participants (C08). The default record name reveals '
  'nothing about the vault but its id (C02).';
grant execute on function api.put_share(uuid, jsonb, timestamptz) to kith_api;

create or replace function api.get_share(p_vault_id uuid, p_now timestamptz) returns json
  language plpgsql
as $$
begin
  perform internal.require_owner(p_vault_id, p_now);
  return internal.share_json(internal.own_share(p_vault_id));
end
$$;
comment on function api.get_share(uuid, timestamptz) is 'Returns the share of one of the caller''s vaults.';
grant execute on function api.get_share(uuid, timestamptz) to kith_api;

create or replace function api.list_shares(p_limit integer, p_cursor uuid) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_share kith.shares;
  v_items json[] := '{}';
  v_last uuid;
begin
  for v_share in
    select share.*
    from kith.shares as share
    join kith.vaults as vault on vault.tenant_id = share.tenant_id and vault.id = share.vault_id
    where share.tenant_id = v_tenant and share.owner_id = v_user and share.ended_at is null and vault.deleted_at is null
      and share.id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
    order by share.id
    limit p_limit + 1
  loop
    if cardinality(v_items) = p_limit then
      return json_build_object('items', to_json(v_items), 'next_cursor', v_last);
    end if;
    v_items := v_items || internal.share_json(v_share);
    v_last := v_share.id;
  end loop;
  return json_build_object('items', to_json(v_items), 'next_cursor', null);
end
$$;
comment on function api.list_shares(integer, uuid) is 'Returns the shares of the caller''s vaults, oldest first.';
grant execute on function api.list_shares(integer, uuid) to kith_api;

create or replace function api.change_share(p_id uuid, p_permission text, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_vault uuid;
  v_held record;
  v_share kith.shares;
begin
  perform internal.begin_act('change', p_now);
  v_vault := internal.vault_of_share(p_id);
  v_held := internal.hold_shared_vault(v_vault, p_now);
  v_share := internal.own_share(v_vault);
  if p_permission is not null and p_permission <> v_share.permission then
    if p_permission = 'readOnly' then
      perform internal.set_level(
        v_held.vault,
        array(
          select nominee.id
          from kith.share_participants as participant
          join kith.nominees as nominee
            on nominee.tenant_id = v_tenant and nominee.id = participant.nominee_id and nominee.access_level = 'edit'
          where participant.tenant_id = v_tenant and participant.share_id = p_id
          order by nominee.id
          for no key update of nominee
        ),
        'view', 'share', v_held.people, p_now
      );
    end if;
    update kith.shares
    set permission = p_permission, updated_at = p_now
    where tenant_id = v_tenant and id = p_id
    returning * into v_share;
    perform internal.record_history(
      v_vault, v_share.owner_id, 'share.changed', 'share', p_id, jsonb_build_object('permission', p_permission), p_now
    );
    perform internal.emit_event(v_tenant, v_share.owner_id, 'vault', v_vault, null, null, p_now);
  end if;
  return internal.share_json(v_share);
end
$$;
comment on function api.change_share(uuid, text, timestamptz) is
  'Sets the highest permission of one of the caller''s shares. With readOnly, its nominees who could edit can only '
  'view, and are told. It never raises a level.';
grant execute on function api.change_share(uuid, text, timestamptz) to kith_api;

create or replace function api.share_usage() returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select json_build_object(
      'items', coalesce(
        json_agg(
          json_build_object('channel', channel, 'outcome', outcome, 'count', invitations)
          order by channel, outcome
        ),
        '[]'
      ),
      'total', coalesce(sum(invitations), 0)
    )
    from (
      select sent.channel, sent.outcome, count(*) as invitations
      from (
        select channel, outcome from kith.nominee_invitations where tenant_id = v_tenant and owner_id = v_user
        union all
        select channel, outcome from kith.transfer_invitations where tenant_id = v_tenant and owner_id = v_user
      ) as sent
      group by sent.channel, sent.outcome
    ) as counted
  );
end
$$;
comment on function api.share_usage() is
  'Returns how many invitations to the caller''s vaults and to transfers went out, by channel and outcome (C06); the '
  'outcome is null if none was reported. Invitations are kept for 90 days after they end.';
grant execute on function api.share_usage() to kith_api;

create or replace function api.report_missing_share(p_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_share kith.shares;
begin
  perform internal.begin_act('change', p_now);
  select * into v_share from kith.shares where tenant_id = v_tenant and id = p_id and owner_id = v_user;
  if not found then
    perform internal.refuse_not_found();
  end if;
  perform internal.own_vault(v_share.vault_id, p_now);
  -- A share that has ended stays as it is: the report may be late, and the share may have been replaced.
  update kith.shares set ended_at = p_now, missing_at = p_now, updated_at = p_now
  where tenant_id = v_tenant and id = p_id and ended_at is null;
  if found then
    perform internal.record_history(v_share.vault_id, v_user, 'share.missing', 'share', p_id, null, p_now);
    perform internal.emit_event(v_tenant, v_user, 'vault', v_share.vault_id, null, null, p_now);
  end if;
  return null;
end
$$;
comment on function api.report_missing_share(uuid, timestamptz) is
  'Records that the sharing service no longer has the record of one of the caller''s shares (C08). The share is gone '
  'until put_share makes a new one; nobody loses access by it. Repeating the call changes nothing, even after that. '
  'Security definer, because only these procedures write shares.';
grant execute on function api.report_missing_share(uuid, timestamptz) to kith_api;
