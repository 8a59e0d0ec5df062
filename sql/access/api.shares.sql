create or replace function api.synchronise_share(p_vault_id uuid, p_body jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_participants jsonb := p_body -> 'participants';
  v_held record;
  v_share kith.shares;
  v_participant jsonb;
  v_outcome record;
  v_new jsonb[] := '{}';
  v_ended uuid[] := '{}';
  v_accepted uuid[] := '{}';
  v_lowered uuid[] := '{}';
  v_counts jsonb := '{"created": 0, "updated": 0, "revoked": 0, "unchanged": 0}';
begin
  perform internal.begin_act('change', p_now);
  perform internal.refuse_repeated_participants(v_participants);
  -- The lock on the vault serializes concurrent calls, so that the second sees what the first has written.
  v_held := internal.hold_shared_vault(p_vault_id, p_now);
  v_share := internal.own_share(p_vault_id);
  perform from kith.nominees
  where tenant_id = v_tenant and id = any (
    array(select nominee_id from kith.share_participants where tenant_id = v_tenant and share_id = v_share.id)
  )
  order by id
  for no key update;
  for v_participant in
    select internal.readable_participant(value) from jsonb_array_elements(v_participants) as given (value)
    where value ->> 'role' is distinct from 'owner'
    order by value ->> 'id' collate "C"
  loop
    v_outcome := internal.store_participant(v_share, v_participant, p_now);
    v_counts := v_counts || jsonb_build_object(v_outcome.outcome, (v_counts ->> v_outcome.outcome)::integer + 1);
    if v_outcome.outcome = 'created' then
      v_new := v_new || v_participant;
    end if;
    v_ended := v_ended || v_outcome.ended_id;
    v_accepted := v_accepted || v_outcome.accepted_id;
    v_lowered := v_lowered || v_outcome.lowered_id;
  end loop;
  perform internal.end_nominees(array_remove(v_ended, null), 'share', p_now);
  perform internal.record_histories(
    p_vault_id, v_share.owner_id, 'nominee.accepted', 'nominee', array_remove(v_accepted, null), '{"by": "share"}',
    p_now
  );
  perform internal.set_level(v_held.vault, v_lowered, 'view', 'share', v_held.people, p_now);
  if v_counts - 'unchanged' - 'revoked' <> '{"created": 0, "updated": 0}' then
    -- begin_act has already serialized the calls of this user. Revocations do not count.
    perform internal.count_acts(
      'participant', (v_counts ->> 'created')::integer + (v_counts ->> 'updated')::integer, p_now
    );
  end if;
  if cardinality(v_new) > 0 then
    perform internal.refuse_full_vault(p_vault_id, cardinality(v_new));
    perform internal.add_participants(v_share, to_jsonb(v_new), p_now);
  end if;
  if v_counts - 'unchanged' <> '{"created": 0, "updated": 0, "revoked": 0}' then
    perform internal.record_history(
      p_vault_id, v_share.owner_id, 'share.synchronised', 'share', v_share.id, v_counts, p_now
    );
  end if;
  return v_counts::json;
end
$$;
comment on function api.synchronise_share(uuid, jsonb, timestamptz) is
  'Records the participants of a vault''s share: {participants: [{id, acceptance_status, permission, role, name?, '
  'phone?, email?}]}. Returns how many were {created, updated, revoked, unchanged}. Absent people stay as they are, '
  'because most are invited by token, and the owner is ignored. Repeating the call changes nothing.';
grant execute on function api.synchronise_share(uuid, jsonb, timestamptz) to kith_api;

create or replace function api.delete_share(p_vault_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_user();
  perform internal.own_vault(p_vault_id, p_now);
  perform internal.end_share(internal.own_share(p_vault_id), p_now);
  return null;
end
$$;
comment on function api.delete_share(uuid, timestamptz) is
  'Ends the share of a vault. Its nominees are revoked, except those who have also accepted an invitation (C04).';
grant execute on function api.delete_share(uuid, timestamptz) to kith_api;

create or replace function api.end_share(p_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_user();
  return api.delete_share(internal.vault_of_share(p_id), p_now);
end
$$;
comment on function api.end_share(uuid, timestamptz)
  is 'Ends one of the caller''s shares, as delete_share does for its vault.';
grant execute on function api.end_share(uuid, timestamptz) to kith_api;
