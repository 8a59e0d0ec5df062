-- The history of a vault (V13): what happened, by whom, and when. It stores ids; names are looked up when it is read.

create or replace function internal.history_place(p_tenant_id integer, p_vault_id uuid, p_at timestamptz)
  returns timestamptz
  language plpgsql
  stable
as $$
declare
  v_last text;
begin
  -- Use the last id and do not count the events, which would get slower the more there are: the end of a share of a
  -- thousand people is one instant.
  select encode(uuid_send(id), 'hex') into v_last
  from kith.history
  where tenant_id = p_tenant_id and vault_id = p_vault_id and id >= internal.first_uuid7(p_at) and at = p_at
  order by id desc
  limit 1;
  if v_last is null then
    return p_at;
  end if;
  -- Decode what internal.uuid7 encodes: milliseconds, the version, and 4096ths of a millisecond, rounded down.
  return timestamptz '1970-01-01T00:00Z' + interval '1 microsecond' * (
    ('x' || lpad(left(v_last, 12), 16, '0'))::bit(64)::bigint * 1000
    + ceil(('x' || substr(v_last, 14, 3))::bit(12)::integer * 1000 / 4096.0)::bigint + 1
  );
end
$$;
comment on function internal.history_place(integer, uuid, timestamptz) is
  'The instant to encode in the id of a vault''s next event, which happens at p_at. Several acts can share one instant '
  '(a deletion also locks the vault). The later act then gets the later id, which is the order of reading. For definer '
  'procedures.';

create or replace function internal.record_history_of(
  p_tenant_id integer, p_vault_id uuid, p_actor_id uuid, p_action text, p_subject_type text, p_subject_id uuid,
  p_detail jsonb, p_at timestamptz
) returns void
  language plpgsql
as $$
begin
  insert into kith.history (tenant_id, id, vault_id, at, actor_id, action, subject_type, subject_id, detail)
  values (
    p_tenant_id, internal.uuid7(internal.history_place(p_tenant_id, p_vault_id, p_at)), p_vault_id, p_at, p_actor_id,
    p_action, p_subject_type, p_subject_id, coalesce(p_detail, '{}')
  );
end
$$;
comment on function internal.record_history_of(integer, uuid, uuid, text, text, uuid, jsonb, timestamptz) is
  'Writes one row of a vault''s history, for any tenant: the worker has no tenant set. p_detail must not name anybody. '
  'For definer procedures.';

create or replace function internal.record_history(
  p_vault_id uuid, p_actor_id uuid, p_action text, p_subject_type text, p_subject_id uuid, p_detail jsonb,
  p_now timestamptz
) returns void
  language plpgsql
as $$
declare
  v_request text := nullif(current_setting('kith.emergency_request', true), '');
  v_detail jsonb := p_detail;
begin
  -- internal.vault_access has set it if the current user is in an emergency session.
  if v_request is not null and p_actor_id = kith.user_id() then
    v_detail := coalesce(v_detail, '{}') || jsonb_build_object('request_id', v_request);
  end if;
  perform internal.record_history_of(
    kith.tenant_id(), p_vault_id, p_actor_id, p_action, p_subject_type, p_subject_id, v_detail, p_now
  );
end
$$;
comment on function internal.record_history(uuid, uuid, text, text, uuid, jsonb, timestamptz) is
  'Like record_history_of, in the current tenant. What a nominee does in an emergency session gets the request_id in '
  'its detail (E04). For definer procedures.';

create or replace function internal.record_histories(
  p_vault_id uuid, p_actor_id uuid, p_action text, p_subject_type text, p_subject_ids uuid[], p_detail jsonb,
  p_now timestamptz
) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_place timestamptz := internal.history_place(v_tenant, p_vault_id, p_now);
begin
  insert into kith.history (tenant_id, id, vault_id, at, actor_id, action, subject_type, subject_id, detail)
  select v_tenant, internal.uuid7(v_place + (n - 1) * interval '1 microsecond'), p_vault_id, p_now, p_actor_id,
    p_action, p_subject_type, subject_id, coalesce(p_detail, '{}')
  from unnest(p_subject_ids) with ordinality as subjects (subject_id, n);
end
$$;
comment on function internal.record_histories(uuid, uuid, text, text, uuid[], jsonb, timestamptz) is
  'Like record_history, for many subjects of one act in one statement: single calls would each look up the previous '
  'id.';

create or replace function internal.page_of_history(
  p_vault_id uuid, p_actions text[], p_from timestamptz, p_until timestamptz, p_limit integer, p_cursor uuid
) returns setof kith.history
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  -- The ids are made from the instants, so that the index gives a time's rows too.
  v_first uuid := coalesce(internal.first_uuid7(p_from), '00000000-0000-0000-0000-000000000000');
  v_before uuid := least(coalesce(p_cursor, 'ffffffff-ffff-ffff-ffff-ffffffffffff'), internal.first_uuid7(p_until));
begin
  if p_actions is null then
    return query
    select * from kith.history
    where tenant_id = v_tenant and vault_id = p_vault_id and id >= v_first and id < v_before
    order by id desc
    limit p_limit;
    return;
  end if;
  -- Each action has its place in the index. At most 50 are read, which is more than there are.
  return query
  select event.*
  from (select distinct action from unnest(p_actions[1:50]) as given (action)) as chosen
  cross join lateral (
    select * from kith.history as one
    where one.tenant_id = v_tenant and one.vault_id = p_vault_id and one.action = chosen.action and one.id >= v_first
      and one.id < v_before
    order by one.id desc
    limit p_limit
  ) as event
  order by event.id desc
  limit p_limit;
end
$$;
comment on function internal.page_of_history(uuid, text[], timestamptz, timestamptz, integer, uuid) is
  'A page of a vault''s history, newest first: all actions or only some, from p_from and before p_until; null is no '
  'bound. The caller must have checked who may see it. For definer procedures.';

create or replace function internal.history_items(
  p_vault_id uuid, p_actions text[], p_from timestamptz, p_until timestamptz, p_limit integer, p_cursor uuid
)
  returns table (id uuid, item json)
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
  if not exists (
    select from kith.vaults where tenant_id = v_tenant and vaults.id = p_vault_id and owner_id = v_user
  )
  then
    perform internal.refuse_not_found();
  end if;
  -- Look up names one by one, by key: a cached plan of a join would reflect the tables at planning time, and scan a
  -- table that was empty then.
  return query
  select page.id,
    json_build_object(
      'id', page.id,
      'at', internal.instant(page.at),
      'actor', internal.person_json(page.actor_id),
      'action', page.action,
      'subject', json_build_object(
        'type', page.subject_type,
        'id', page.subject_id,
        'name', case page.subject_type
          when 'vault' then
            (
              select vault.name from kith.vaults as vault
              where vault.tenant_id = v_tenant and vault.id = page.subject_id
            )
          when 'document' then
            (
              select document.name from kith.documents as document
              where document.tenant_id = v_tenant and document.id = page.subject_id
            )
          when 'nominee' then internal.name_of_anybody((
            select nominee.name from kith.nominees as nominee
            where nominee.tenant_id = v_tenant and nominee.id = page.subject_id
          ))
          when 'transfer' then internal.name_of_anybody((
            select internal.transfer_name(transfer) from kith.transfers as transfer
            where transfer.tenant_id = v_tenant and transfer.id = page.subject_id
          ))
        end
      ),
      'detail', page.detail
    )
  from internal.page_of_history(p_vault_id, p_actions, p_from, p_until, p_limit, p_cursor) as page
  order by page.id desc;
end
$$;
comment on function internal.history_items(uuid, text[], timestamptz, timestamptz, integer, uuid) is
  'A page of a vault''s history for its owner, as in page_of_history. Raises not_found for anybody else. Names are the '
  'present ones; a deleted user is "Someone". Definer: it reads other users'' names.';
grant execute on function internal.history_items(uuid, text[], timestamptz, timestamptz, integer, uuid) to kith_api;

create or replace function internal.transfer_name(p_transfer kith.transfers) returns text
  language plpgsql
  stable
as $$
declare
  v_tenant integer := p_transfer.tenant_id;
  v_nominee uuid := p_transfer.nominee_id;
begin
  return case
    when v_nominee is not null then (select name from kith.nominees where tenant_id = v_tenant and id = v_nominee)
    else p_transfer.name
  end;
end
$$;
comment on function internal.transfer_name(kith.transfers) is
  'The name of the person to whom a vault is offered, as its owner gave it: in the offer, or to the nominee. Null '
  'after the person''s account ended.';
