create or replace function internal.end_nominee(p_nominee_id uuid, p_reason text, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform internal.end_nominees(array[p_nominee_id], p_reason, p_now);
end
$$;
comment on function internal.end_nominee(uuid, text, timestamptz) is 'Like end_nominees, for a single nominee.';

create or replace function internal.end_nominees(p_nominee_ids uuid[], p_reason text, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_ended uuid[];
  v_vaults uuid[];
  v_vault kith.vaults;
  v_nominee kith.nominees;
begin
  with ended as (
    update kith.nominees
    set status = 'revoked', needs_confirmation = false, revoked_at = p_now, revoke_reason = p_reason, updated_at = p_now
    where tenant_id = v_tenant and id = any (p_nominee_ids) and status <> 'revoked'
    returning id, vault_id
  )
  select array_agg(id order by id), array_agg(vault_id) into v_ended, v_vaults from ended;
  if v_ended is null then
    return;
  end if;
  select * into v_vault from kith.vaults where tenant_id = v_tenant and id = v_vaults[1];
  perform internal.end_rights_of_nominees(v_ended, p_reason, v_user, p_now);
  perform internal.lock_session_of_nominees(
    v_vault.id, v_ended, case p_reason when 'left' then 'manual' else 'owner_revoked' end, v_user, p_now
  );
  perform internal.end_offers(v_vault, case when p_reason <> 'transferred' then v_ended end, p_now);
  update kith.nominee_invitations set ended_at = p_now,
    end_reason = case p_reason when 'declined' then 'declined' else 'revoked' end
  where tenant_id = v_tenant and nominee_id = any (v_ended) and ended_at is null;
  update kith.share_participants set removed_at = p_now, updated_at = p_now
  where tenant_id = v_tenant and nominee_id = any (v_ended) and removed_at is null;
  perform internal.emit_nominees(v_ended, p_now);
  -- The history does not name a user who declines: the owner never learns who it was.
  perform internal.record_histories(
    v_vault.id, case when p_reason <> 'declined' then v_user end,
    case when p_reason in ('declined', 'left') then 'nominee.' || p_reason else 'nominee.revoked' end,
      'nominee', v_ended,
    jsonb_build_object('reason', p_reason), p_now
  );
  for v_nominee in
    select * from kith.nominees
    where tenant_id = v_tenant and id = any (v_ended) and user_id is not null and user_id is distinct from v_user
    order by id
  loop
    perform internal.tell_of_vault(
      v_nominee.user_id, 'nominee_revoked', v_vault, null, null, jsonb_build_object('nominee_id', v_nominee.id), p_now
    );
  end loop;
end
$$;
comment on function internal.end_nominees(uuid[], text, timestamptz) is
  'Revokes nominees of one vault for good (N15). They are removed from the share, their tokens are void, their '
  'emergency access ends, and a session that one of them has opened locks (V01). An operation of theirs that is in '
  'progress ends at its next step, because each step checks access. They are notified unless they did it themselves. '
  'Nominees who are already revoked do not change. Works on many at once, because a share can have 1,000. For definer '
  'procedures that have locked the vault.';

create or replace function internal.add_nominee(
  p_vault kith.vaults, p_role text, p_n bigint, p_given jsonb, p_public_url text, p_now timestamptz
) returns json
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_vault uuid := p_vault.id;
  v_phone text := p_given ->> 'phone';
  v_email text := p_given ->> 'email';
  v_level text := coalesce(p_given ->> 'access_level', 'view');
  v_channel text := coalesce(p_given ->> 'channel', 'link');
  v_nominee kith.nominees;
  v_issued record;
begin
  if p_given ? 'phone_problem' then
    perform internal.refuse_fields(
      internal.field_error('phone', internal.phone_problem_text(p_given ->> 'phone_problem'))
    );
  end if;
  perform internal.require_name('name', p_given ->> 'name');
  perform internal.require_owner_for_full(p_role, v_level);
  perform internal.refuse_full_vault(v_vault, 1);
  insert into kith.nominees (
    tenant_id, id, vault_id, owner_id, name, phone, email, contact_named_by, status, access_level, invited_at,
    invited_by_user_id, updated_at
  )
  values (
    -- Add the position, so that the ids keep the order of the list: ids of one instant have none.
    v_tenant, internal.uuid7(p_now + p_n * interval '1 microsecond'), v_vault, p_vault.owner_id, p_given ->> 'name',
    v_phone, v_email,
    case when coalesce(v_phone, v_email) is not null then v_user end, 'pending', v_level, p_now, v_user, p_now
  )
  returning * into v_nominee;
  v_issued := internal.issue_invitation(v_nominee, v_channel, p_now);
  perform internal.emit_nominees(array[v_nominee.id], p_now);
  perform internal.record_history(
    v_vault, v_user, 'nominee.invited', 'nominee', v_nominee.id,
    jsonb_build_object('access_level', v_level, 'channel', v_channel), p_now
  );
  perform internal.tell_of_invitation(v_nominee, p_vault, p_now);
  if coalesce(p_given -> 'emergency', 'null') <> 'null' then
    if p_role <> 'owner' then
      raise exception 'forbidden'
        using errcode = 'KT403', detail = 'Only the vault''s owner decides about emergency access.';
    end if;
    perform internal.count_acts('right', 1, p_now);
    perform internal.give_emergency(v_nominee, p_given -> 'emergency', 'emergency.', p_now);
  end if;
  return internal.invited_nominee_json(v_nominee, p_vault, v_issued.token, p_public_url);
end
$$;
comment on function internal.add_nominee(kith.vaults, text, bigint, jsonb, text, timestamptz) is
  'Invites one person, the p_n-th of a call, into a vault that is locked: {name, phone?, email?, access_level?, '
  'channel?, emergency?}; phone_problem says why the server could not read the number. Returns the nominee with the '
  'invitation. Notifies the user who has the named contact verified, if there is one. For definer procedures.';
