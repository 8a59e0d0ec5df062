-- Nominees of a vault. These functions are security definers because a nominee with level full manages the rows of
-- others, which a policy could allow only by querying the table that it protects. internal.manage_vault decides what
-- each level may do, first without locks and then again under them.

create or replace function api.list_nominees(
  p_vault_id uuid, p_statuses text[], p_include text[], p_limit integer, p_cursor uuid, p_now timestamptz
) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_access record;
  v_session uuid;
  v_owner uuid;
  v_is_managed boolean;
begin
  perform internal.require_user();
  v_access := internal.vault_access(p_vault_id, p_now);
  v_session := (v_access.session).id;
  v_owner := (v_access.vault).owner_id;
  v_is_managed := v_access.role = 'owner' or v_access.access_level = 'full' and v_session is not null;
  return (
    select json_build_object(
      'owner', (
        select json_build_object('id', owner.id, 'display_name', internal.name_of_anybody(owner.display_name))
        from kith.users as owner
        where owner.tenant_id = v_tenant and owner.id = v_owner
      ),
      'items', coalesce(json_agg(page.item order by page.n) filter (where page.n <= p_limit), '[]'),
      'next_cursor', case when count(*) > p_limit then (array_agg(page.id order by page.n))[p_limit] end,
      'history', case
        when 'history' = any (p_include) and v_access.role = 'owner' and p_cursor is null
          then (
            select coalesce(json_agg(event.item order by event.id desc), '[]')
            from internal.history_items(p_vault_id, null, null, null, 50, null) as event
          )
      end
    )
    from internal.page_of_nominees(
      p_vault_id, v_session, v_is_managed, case when not v_is_managed then (v_access.nominee).id end, p_statuses,
      p_limit + 1, p_cursor, p_now
    ) with ordinality as page (id, item, n)
  );
end
$$;
comment on function api.list_nominees(uuid, text[], text[], integer, uuid, timestamptz) is
  'Returns who is in a vault, in one answer (N12): its owner, its nominees with their present status (revoked ones '
  'only if p_statuses asks for them), and, if p_include has history, for the owner on the first page, the last 50 '
  'events. Nominees who do not manage others see only themselves. Security definer, because it reads the rows of other '
  'nominees.';
grant execute on function api.list_nominees(uuid, text[], text[], integer, uuid, timestamptz) to kith_api;

create or replace function api.get_nominee(p_vault_id uuid, p_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_access record;
  v_session uuid;
  v_is_managed boolean;
  v_item json;
begin
  perform internal.require_user();
  v_access := internal.vault_access(p_vault_id, p_now);
  v_session := (v_access.session).id;
  v_is_managed := v_access.role = 'owner' or v_access.access_level = 'full' and v_session is not null;
  if v_is_managed or p_id = (v_access.nominee).id then
    select page.item into v_item
    from internal.page_of_nominees(p_vault_id, v_session, v_is_managed, p_id, null, 1, null, p_now) as page;
  end if;
  if v_item is null then
    perform internal.refuse_not_found();
  end if;
  return v_item;
end
$$;
comment on function api.get_nominee(uuid, uuid, timestamptz) is
  'Returns a nominee of a vault, to users who manage nominees and to the nominee. Security definer, because it reads '
  'the rows of other nominees.';
grant execute on function api.get_nominee(uuid, uuid, timestamptz) to kith_api;

create or replace function api.begin_nominees(p_vault_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  perform internal.manage_vault(p_vault_id, p_now);
  return (
    select json_build_object('phone', inviter.phone, 'locale', inviter.locale, 'default_region', tenant.default_region)
    from kith.users as inviter
    join kith.tenants as tenant on tenant.tenant_id = inviter.tenant_id
    where inviter.tenant_id = v_tenant and inviter.id = v_user
  );
end
$$;
comment on function api.begin_nominees(uuid, timestamptz) is
  'Checks whether the caller may invite nominees, before the server parses phone numbers, which is expensive. Returns '
  'what determines the national format of the numbers: {phone, locale, default_region}. Security definer, as '
  'invite_nominees.';
grant execute on function api.begin_nominees(uuid, timestamptz) to kith_api;

create or replace function api.invite_nominees(p_vault_id uuid, p_nominees jsonb, p_public_url text, p_now timestamptz)
  returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_held record;
  v_given record;
  v_nominee json;
  v_wait integer;
  v_message text;
  v_detail text;
  v_constraint text;
  v_hint text;
  v_results json[] := '{}';
begin
  perform internal.require_user();
  -- Counts are locked before all else, also those that internal.add_nominee increases.
  perform internal.count_acts('right', 0, p_now);
  v_held := internal.hold_vault(
    p_vault_id,
    array(
      select internal.user_of_verified_contact(value ->> 'phone', value ->> 'email')
      from jsonb_array_elements(p_nominees) as given (value)
    ),
    p_now
  );
  for v_given in
    select value, n from jsonb_array_elements(p_nominees) with ordinality as given (value, n) order by n
  loop
    begin
      v_wait := internal.invitations_wait(p_now);
      if v_wait is not null then
        raise exception 'too_many_requests'
          using errcode = 'KT429', detail = 'You can invite 200 people a day. Please try again later.';
      end if;
      v_nominee := internal.add_nominee(v_held.vault, v_held.role, v_given.n, v_given.value, p_public_url, p_now);
      v_results := v_results || json_build_object('nominee', v_nominee);
    exception when others then
      -- An error about one person becomes that person's result. Any other error fails the whole call.
      if left(sqlstate, 2) not in ('KT', '22', '23') then
        raise;
      end if;
      get stacked diagnostics v_message = message_text, v_detail = pg_exception_detail, v_constraint = constraint_name,
        v_hint = pg_exception_hint;
      v_results := v_results || json_build_object(
        'sqlstate', sqlstate, 'message', v_message, 'detail', nullif(v_detail, ''),
        'constraint', nullif(v_constraint, ''),
        'retry_after', case when sqlstate = 'KT429' then coalesce(v_wait, nullif(v_hint, '')::integer) end
      );
    end;
  end loop;
  return to_json(v_results);
end
$$;
comment on function api.invite_nominees(uuid, jsonb, text, timestamptz) is
  'Invites people into a vault (N01-N03), with a result for each in the order given: {nominee}, or {sqlstate, message, '
  'detail, constraint, retry_after} as if they had been invited alone. A refusal does not stop the others. A user can '
  'invite 200 people in 24 hours, and give emergency access 100 times a day. A nominee with level full can invite with '
  'levels view and edit, while the vault is open. Security definer, because only these procedures write nominees.';
grant execute on function api.invite_nominees(uuid, jsonb, text, timestamptz) to kith_api;

create or replace function api.update_nominee(p_vault_id uuid, p_id uuid, p_body jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_users uuid[];
  v_held record;
  v_nominee kith.nominees;
  v_level text := p_body ->> 'access_level';
  v_status text := p_body ->> 'status';
begin
  perform internal.begin_act('change', p_now);
  if coalesce(p_body -> 'emergency', 'null') <> 'null' then
    perform internal.count_acts('right', 1, p_now);
  end if;
  perform internal.require_owner(p_vault_id, p_now);
  v_users := internal.users_of_nominee(p_vault_id, p_id);
  v_held := internal.hold_vault(p_vault_id, v_users, p_now);
  perform internal.require_owner(p_vault_id, p_now);
  v_nominee := internal.hold_nominee(p_vault_id, p_id, 'owner');
  if v_nominee.status = 'revoked' then
    raise exception 'invalid_transition'
      using errcode = 'KT409', detail = 'This nominee is revoked. Invite the person again.';
  end if;
  if v_status <> v_nominee.status then
    if v_nominee.status = 'pending' then
      raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This nominee has not accepted yet.';
    end if;
    update kith.nominees set status = v_status, updated_at = p_now where tenant_id = v_tenant and id = p_id
    returning * into v_nominee;
    perform internal.record_history(
      p_vault_id, v_user, case v_status when 'inactive' then 'nominee.paused' else 'nominee.resumed' end,
      'nominee', p_id, null, p_now
    );
    if v_status = 'inactive' then
      perform internal.end_offers(v_held.vault, array[p_id], p_now);
      perform internal.end_emergencies_of_nominee(v_tenant, p_id, 'inactive', v_user, p_now);
      perform internal.lock_session_of_nominees(p_vault_id, array[p_id], 'owner_revoked', v_user, p_now);
    end if;
    perform internal.emit_nominees(array[p_id], p_now);
    -- A new level in the same call is told with the new status.
    if coalesce(v_level = v_nominee.access_level, true) then
      perform internal.tell_of_change(v_nominee, v_users, v_held.vault, p_now);
    end if;
  end if;
  perform internal.set_level(v_held.vault, array[p_id], v_level, null, v_users, p_now);
  if p_body -> 'emergency' = 'null' then
    perform internal.take_emergency(v_nominee, p_now);
  elsif p_body ? 'emergency' then
    perform internal.give_emergency(v_nominee, p_body -> 'emergency', 'emergency.', p_now);
  end if;
  return internal.managed_nominee_json(v_nominee, (v_held.session).id, p_now);
end
$$;
comment on function api.update_nominee(uuid, uuid, jsonb, timestamptz) is
  'Changes a nominee''s level, pauses or resumes their access, or gives or takes (null) emergency access: '
  '{access_level?, status?, emergency?} with status inactive or accepted; for the owner only. Giving emergency access '
  'counts as in set_emergency_settings. The nominee is told. Security definer, because only these procedures write '
  'nominees.';
grant execute on function api.update_nominee(uuid, uuid, jsonb, timestamptz) to kith_api;

create or replace function api.confirm_nominee(p_vault_id uuid, p_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_users uuid[];
  v_held record;
  v_nominee kith.nominees;
begin
  perform internal.require_user();
  perform internal.require_owner(p_vault_id, p_now);
  v_users := internal.users_of_nominee(p_vault_id, p_id);
  v_held := internal.hold_vault(p_vault_id, v_users, p_now);
  perform internal.require_owner(p_vault_id, p_now);
  v_nominee := internal.hold_nominee(p_vault_id, p_id, 'owner');
  -- The owner cannot mean somebody who accepted only after this request had come in.
  if v_nominee.needs_confirmation and coalesce(v_nominee.bound_at <= p_now, true) then
    update kith.nominees
    set status = 'accepted', needs_confirmation = false, bound_by_link = false, accepted_at = p_now, updated_at = p_now
    where tenant_id = v_tenant and id = p_id
    returning * into v_nominee;
    perform internal.return_to_quorum(v_nominee, p_now);
    perform internal.emit_nominees(array[p_id], p_now);
    perform internal.tell_of_change(v_nominee, v_users, v_held.vault, p_now);
    perform internal.record_history(p_vault_id, kith.user_id(), 'nominee.confirmed', 'nominee', p_id, null, p_now);
  elsif internal.confirm_person(v_nominee, p_now) then
    perform internal.return_to_quorum(v_nominee, p_now);
    perform internal.record_history(p_vault_id, kith.user_id(), 'nominee.confirmed', 'nominee', p_id, null, p_now);
    -- Their access stays as it is, so they are told nothing, and the screen of a nominee who sees the right shows it
    -- now.
    perform internal.emit_emergency_right(v_nominee, internal.visible_emergency(v_tenant, p_id) is not null, p_now);
  elsif v_nominee.status not in ('accepted', 'inactive') or v_nominee.user_id is null then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'There is nobody to confirm.';
  end if;
  return internal.managed_nominee_json(v_nominee, (v_held.session).id, p_now);
end
$$;
comment on function api.confirm_nominee(uuid, uuid, timestamptz) is
  'Confirms a person who has accepted and waits for the owner (X30), and tells them; or says that somebody whom only a '
  'link names is the right person, so that their right to emergency access counts. Repeating the call changes nothing. '
  'Security definer, because only these procedures write nominees.';
grant execute on function api.confirm_nominee(uuid, uuid, timestamptz) to kith_api;

create or replace function internal.leave_vault(p_vault_id uuid, p_nominee_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_owner uuid;
  v_vault kith.vaults;
begin
  perform internal.require_user();
  select owner_id into v_owner from kith.vaults where tenant_id = v_tenant and id = p_vault_id;
  -- Accounts before the vault: the owner is told.
  perform from kith.users where tenant_id = v_tenant and id in (v_user, v_owner) order by id for key share;
  perform internal.lock_account();
  v_vault := internal.lock_vault_row(p_vault_id);
  if v_vault.owner_id <> v_owner then
    raise exception 'vault has just got another owner' using errcode = 'serialization_failure';
  end if;
  if not exists (
    select from kith.nominees
    where tenant_id = v_tenant and id = p_nominee_id and user_id = v_user and status <> 'revoked'
  ) then
    return;
  end if;
  perform internal.end_nominee(p_nominee_id, 'left', p_now);
  perform internal.tell_of_vault(
    v_owner, 'nominee_revoked', v_vault, v_user,
    (select display_name from kith.users where tenant_id = v_tenant and id = v_user),
    jsonb_build_object('nominee_id', p_nominee_id, 'to', 'owner'), p_now
  );
end
$$;
comment on function internal.leave_vault(uuid, uuid, timestamptz) is
  'Ends the current user''s own access to a vault, and tells its owner (V09). For definer procedures that know that '
  'the nominee is the user.';

create or replace function api.revoke_nominee(p_vault_id uuid, p_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_of_user uuid;
  v_is_live boolean;
  v_held record;
begin
  perform internal.require_user();
  select user_id, status <> 'revoked' into v_of_user, v_is_live
  from kith.nominees
  where tenant_id = v_tenant and vault_id = p_vault_id and id = p_id;
  if v_of_user = v_user and v_is_live then
    -- Every nominee can leave, even while waiting for confirmation or paused.
    perform internal.leave_vault(p_vault_id, p_id, p_now);
    return null;
  end if;
  v_held := internal.hold_vault(p_vault_id, array_remove(array[v_of_user], null), p_now);
  perform internal.require_owner_for_emergency(v_held.role, internal.hold_nominee(p_vault_id, p_id, v_held.role));
  perform internal.end_nominee(p_id, 'removed', p_now);
  return null;
end
$$;
comment on function api.revoke_nominee(uuid, uuid, timestamptz) is
  'Ends a nominee''s access at this instant (N15), or lets the caller leave the vault. The owner can revoke anyone; a '
  'nominee with level full can revoke lower levels on which no emergency access hangs, while the vault is open. '
  'Repeating the call changes nothing. Security definer, because only these procedures write nominees.';
grant execute on function api.revoke_nominee(uuid, uuid, timestamptz) to kith_api;

create or replace function api.resend_nominee_invitation(
  p_vault_id uuid, p_id uuid, p_channel text, p_public_url text, p_now timestamptz
) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_since timestamptz := p_now - interval '24 hours';
  v_held record;
  v_nominee kith.nominees;
  v_last text;
  v_fifth timestamptz;
  v_issued record;
begin
  perform internal.begin_act('invitation', p_now);
  v_held := internal.hold_vault(p_vault_id, '{}', p_now);
  v_nominee := internal.hold_nominee(p_vault_id, p_id, v_held.role);
  perform internal.require_owner_for_emergency(v_held.role, v_nominee);
  if v_nominee.needs_confirmation then
    raise exception 'invalid_transition'
      using errcode = 'KT409', detail = 'This nominee has accepted and waits for the owner''s confirmation.';
  elsif v_nominee.user_id is not null or v_nominee.status = 'revoked' then
    raise exception 'invalid_transition'
      using errcode = 'KT409', detail = 'Only an invitation that has not been answered can be sent again.';
  end if;
  select channel into v_last
  from kith.nominee_invitations
  where tenant_id = v_tenant and nominee_id = p_id
  order by id desc
  limit 1;
  -- The first invitation does not count, because it was not resent.
  select created_at into v_fifth
  from kith.nominee_invitations
  where tenant_id = v_tenant and nominee_id = p_id and created_at > greatest(v_since, v_nominee.invited_at)
  order by id desc
  offset 4 limit 1;
  if v_fifth is not null then
    return json_build_object(
      'problem', 'too_many_requests', 'detail',
      'An invitation can be sent again five times a day. Please try again later.',
      'retry_after', greatest(1, ceil(extract(epoch from v_fifth - v_since)))::integer
    );
  end if;
  update kith.nominee_invitations set ended_at = p_now, end_reason = 'resent'
  where tenant_id = v_tenant and nominee_id = p_id and ended_at is null;
  -- The caller is the inviter from now on.
  update kith.nominees set invited_by_user_id = kith.user_id(), updated_at = p_now
  where tenant_id = v_tenant and id = p_id
  returning * into v_nominee;
  v_issued := internal.issue_invitation(v_nominee, coalesce(p_channel, v_last, 'link'), p_now);
  perform internal.emit_nominees(array[p_id], p_now);
  perform internal.record_history(p_vault_id, kith.user_id(), 'nominee.resent', 'nominee', p_id, null, p_now);
  return internal.invited_nominee_json(v_nominee, v_held.vault, v_issued.token, p_public_url);
end
$$;
comment on function api.resend_nominee_invitation(uuid, uuid, text, text, timestamptz) is
  'Issues a new token for an invitation that nobody has accepted yet, and invalidates the old one (N14). Only the '
  'owner resends one on which emergency access hangs. An invitation can be resent five times in 24 hours. Security '
  'definer, because only these procedures write invitations.';
grant execute on function api.resend_nominee_invitation(uuid, uuid, text, text, timestamptz) to kith_api;

create or replace function api.report_nominee_invitation(p_vault_id uuid, p_id uuid, p_outcome text, p_now timestamptz)
  returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_held record;
  v_nominee kith.nominees;
  v_invitation kith.nominee_invitations;
begin
  perform internal.begin_act('change', p_now);
  v_held := internal.hold_vault(p_vault_id, '{}', p_now);
  v_nominee := internal.hold_nominee(p_vault_id, p_id, v_held.role);
  select * into v_invitation
  from kith.nominee_invitations
  where tenant_id = v_tenant and nominee_id = p_id
  order by id desc
  limit 1
  for update;
  if not found then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This nominee has no invitation.';
  elsif v_invitation.outcome = 'sent' and p_outcome <> 'sent' then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This invitation has been sent.';
  end if;
  update kith.nominee_invitations set outcome = p_outcome, outcome_at = p_now
  where tenant_id = v_tenant and id = v_invitation.id and outcome is distinct from p_outcome;
  if found then
    perform internal.emit_nominees(array[p_id], p_now);
  end if;
  return internal.managed_nominee_json(v_nominee, (v_held.session).id, p_now);
end
$$;
comment on function api.report_nominee_invitation(uuid, uuid, text, timestamptz) is
  'Records what became of a nominee''s newest invitation in the message composer: sent, cancelled, failed or '
  'unavailable (N17). Repeating an outcome changes nothing, and sent is final. Security definer, because only these '
  'procedures write invitations.';
grant execute on function api.report_nominee_invitation(uuid, uuid, text, timestamptz) to kith_api;
