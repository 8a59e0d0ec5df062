-- How many nominees must ask together (E05).

create or replace function internal.emergency_quorum_json(p_quorum kith.emergency_quorums) returns json
  language sql
  stable
as $$
  select json_build_object(
    'required', (p_quorum).required, 'nominees', (p_quorum).nominee_ids,
    'updated_at', internal.instant((p_quorum).updated_at)
  )
$$;
comment on function internal.emergency_quorum_json(kith.emergency_quorums) is 'A quorum in the API''s representation.';
grant execute on function internal.emergency_quorum_json(kith.emergency_quorums) to kith_api;

create or replace function api.get_emergency_quorum(p_vault_id uuid, p_now timestamptz) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_quorum kith.emergency_quorums;
begin
  perform internal.require_owner(p_vault_id, p_now);
  select * into v_quorum from kith.emergency_quorums where tenant_id = v_tenant and vault_id = p_vault_id;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return internal.emergency_quorum_json(v_quorum);
end
$$;
comment on function api.get_emergency_quorum(uuid, timestamptz) is
  'Returns the quorum of a vault, for its owner. Raises not_found if each nominee asks alone.';
grant execute on function api.get_emergency_quorum(uuid, timestamptz) to kith_api;

create or replace function internal.refuse_quorum(p_vault_id uuid, p_required integer, p_nominees uuid[]) returns void
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_errors jsonb := '[]';
begin
  if cardinality(p_nominees) > 20
    or cardinality(array(select distinct unnest(p_nominees))) <> cardinality(p_nominees)
  then
    v_errors := v_errors || internal.field_error('nominees', 'must be at most 20, each of them once');
  elsif (
    select count(*) from kith.nominees
    where tenant_id = v_tenant and vault_id = p_vault_id and id = any (p_nominees) and status <> 'revoked'
  ) <> cardinality(p_nominees) then
    v_errors := v_errors || internal.field_error('nominees', 'must be nominees of this vault who are not revoked');
  end if;
  if p_required is null or p_required < 2 or p_required > cardinality(p_nominees) then
    v_errors := v_errors || internal.field_error('required', 'must be at least 2, and at most the number of nominees');
  end if;
  perform internal.refuse_fields(v_errors);
end
$$;
comment on function internal.refuse_quorum(uuid, integer, uuid[]) is
  'Raises validation_failed for a quorum that cannot be reached, or that names somebody who is no nominee of the '
  'vault. For api.set_emergency_quorum.';

create or replace function internal.lock_quorum(p_vault_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_owner(p_vault_id, p_now);
  perform from kith.users
  where tenant_id = v_tenant and id = any (array(
    select user_id from kith.emergency_requests
    where tenant_id = v_tenant and vault_id = p_vault_id and ended_at is null
    union
    select v_user
  ))
  order by id
  for key share;
  perform internal.lock_account();
  -- A check-in locks the profile before the requests that it ends.
  perform from kith.sender_profiles where tenant_id = v_tenant and user_id = v_user for no key update;
  perform internal.lock_vault_row(p_vault_id);
  -- Check again: a transfer may have been ahead of this call.
  perform internal.require_owner(p_vault_id, p_now);
  perform from kith.emergency_requests where tenant_id = v_tenant and vault_id = p_vault_id and ended_at is null
  order by id for update;
end
$$;
comment on function internal.lock_quorum(uuid, timestamptz) is
  'Locks all that a change of a quorum changes, in the order of internal.lock_emergencies: the accounts of the owner '
  'and of those who ask, the owner''s sender profile, the vault, and its open requests. Raises what require_owner '
  'raises. For definer procedures.';

create or replace function internal.ease_quorum(
  p_vault_id uuid, p_required integer, p_nominees uuid[], p_now timestamptz
)
  returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_eased uuid[];
  v_id uuid;
  v_request kith.emergency_requests;
begin
  with eased as (
    update kith.emergency_requests
    set required = case when nominee_id = any (p_nominees) then least(required, p_required) else 1 end
    where tenant_id = v_tenant and vault_id = p_vault_id and ended_at is null and cause = 'request' and required > 1
    returning id
  )
  select array_agg(id order by id) into v_eased from eased;
  foreach v_id in array coalesce(v_eased, '{}') loop
    select * into v_request from kith.emergency_requests where tenant_id = v_tenant and id = v_id;
    if internal.emergency_status(v_request, p_now) = 'gathering' and v_request.required = 1 then
      perform internal.begin_wait(v_id, p_now);
    end if;
  end loop;
  if v_eased is not null then
    perform internal.settle_quorum(v_request, p_now);
  end if;
end
$$;
comment on function internal.ease_quorum(uuid, integer, uuid[], timestamptz) is
  'Applies a lower number to the open requests of a vault, never a higher one, and begins the waits of those who are '
  'now enough. Nominees who are not in the list need nobody else. For definer procedures that have called '
  'internal.lock_quorum.';

create or replace function internal.return_to_quorum(p_nominee kith.nominees, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := p_nominee.tenant_id;
  v_quorum kith.emergency_quorums;
begin
  update kith.emergency_quorums as quorum
  set nominee_ids = array_replace(quorum.nominee_ids, former.id, p_nominee.id), updated_at = p_now
  from kith.nominees as former
  where quorum.tenant_id = v_tenant and quorum.vault_id = p_nominee.vault_id
    and p_nominee.id <> all (quorum.nominee_ids)
    and former.tenant_id = v_tenant and former.vault_id = p_nominee.vault_id and former.id = any (quorum.nominee_ids)
    and former.status = 'revoked'
    and (
      former.user_id = p_nominee.user_id
      -- Revoked before they accepted: the owner has invited the same contact again.
      or former.user_id is null
        and (former.phone = p_nominee.phone or former.email_normalized = p_nominee.email_normalized)
    )
    and p_nominee.status in ('accepted', 'inactive')
  returning quorum.* into v_quorum;
  if found then
    perform internal.record_history_of(
      v_tenant, p_nominee.vault_id, null, 'emergency.quorum_set', 'vault', p_nominee.vault_id,
      jsonb_build_object('required', v_quorum.required, 'nominees', v_quorum.nominee_ids), p_now
    );
    perform internal.emit_event(v_tenant, p_nominee.owner_id, 'vault', p_nominee.vault_id, null, null, p_now);
  end if;
end
$$;
comment on function internal.return_to_quorum(kith.nominees, timestamptz) is
  'Gives a person who was revoked, and whom the owner lets in again, their place in the quorum back. Otherwise they '
  'would be outside the list, and could ask alone. For definer procedures that have locked the vault, and act for its '
  'owner or for somebody whom the owner has invited.';

create or replace function api.set_emergency_quorum(p_vault_id uuid, p_body jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_required integer := (p_body ->> 'required')::integer;
  v_nominees uuid[] := array(
    select value::uuid from jsonb_array_elements_text(p_body -> 'nominees') with ordinality as given (value, n)
    order by n
  );
  v_quorum kith.emergency_quorums;
begin
  perform internal.begin_act('right', p_now);
  perform internal.lock_quorum(p_vault_id, p_now);
  perform internal.refuse_quorum(p_vault_id, v_required, v_nominees);
  insert into kith.emergency_quorums (tenant_id, vault_id, required, nominee_ids, updated_at)
  values (v_tenant, p_vault_id, v_required, v_nominees, p_now)
  on conflict (tenant_id, vault_id) do update
  set required = excluded.required, nominee_ids = excluded.nominee_ids, updated_at = excluded.updated_at
  returning * into v_quorum;
  perform internal.record_history(
    p_vault_id, kith.user_id(), 'emergency.quorum_set', 'vault', p_vault_id,
    jsonb_build_object('required', v_required, 'nominees', v_nominees), p_now
  );
  perform internal.emit_event(v_tenant, kith.user_id(), 'vault', p_vault_id, null, null, p_now);
  perform internal.ease_quorum(p_vault_id, v_required, v_nominees, p_now);
  return internal.emergency_quorum_json(v_quorum);
end
$$;
comment on function api.set_emergency_quorum(uuid, jsonb, timestamptz) is
  'Sets how many of which nominees must ask before the wait of any of them begins: {required, nominees}, for the owner '
  'only. Requests that are open keep the number that they began with, or get the new one if that is lower; the wait '
  'begins if enough have asked. Nominees who are not in the list ask alone. Security definer, because only these '
  'procedures write quorums.';
grant execute on function api.set_emergency_quorum(uuid, jsonb, timestamptz) to kith_api;

create or replace function api.remove_emergency_quorum(p_vault_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_user();
  perform internal.lock_quorum(p_vault_id, p_now);
  delete from kith.emergency_quorums where tenant_id = v_tenant and vault_id = p_vault_id;
  if found then
    perform internal.record_history(
      p_vault_id, kith.user_id(), 'emergency.quorum_removed', 'vault', p_vault_id, null, p_now
    );
    perform internal.emit_event(v_tenant, kith.user_id(), 'vault', p_vault_id, null, null, p_now);
    perform internal.ease_quorum(p_vault_id, 1, '{}', p_now);
  end if;
  return null;
end
$$;
comment on function api.remove_emergency_quorum(uuid, timestamptz) is
  'Removes the quorum of a vault, for its owner: from now on each nominee asks alone. The waits of those who have '
  'asked begin. Repeating the call changes nothing. Security definer, as set_emergency_quorum.';
grant execute on function api.remove_emergency_quorum(uuid, timestamptz) to kith_api;
