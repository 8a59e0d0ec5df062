-- Whom a right to emergency access means. An invitation's link proves only that somebody has the link. So a right
-- sleeps until the owner has said who the person is: by a contact that they named and the person has verified, by a
-- confirmation, or by giving the right to somebody whom they could see (decision 36).

create or replace function internal.may_use_right(p_nominee kith.nominees) returns boolean
  language sql
  immutable
  parallel safe
as $$
  select (p_nominee).status = 'accepted' and (p_nominee).user_id is not null and not (p_nominee).bound_by_link
$$;
comment on function internal.may_use_right(kith.nominees) is
  'Whether a right that this nominee has counts: they have access, and the owner has said who they are. Otherwise it '
  'sleeps: the nominee cannot ask, silence begins nothing, and they have no voice in a quorum.';

create or replace function internal.carries_emergency(p_nominee kith.nominees) returns boolean
  language plpgsql
  stable
as $$
declare
  v_tenant integer := p_nominee.tenant_id;
  v_vault uuid := p_nominee.vault_id;
  v_nominee uuid := p_nominee.id;
begin
  return exists (select from kith.emergency_settings where tenant_id = v_tenant and nominee_id = v_nominee)
    or exists (
      select from kith.emergency_quorums
      where tenant_id = v_tenant and vault_id = v_vault and v_nominee = any (nominee_ids)
    )
    or exists (
      select from kith.emergency_requests where tenant_id = v_tenant and nominee_id = v_nominee and ended_at is null
    );
end
$$;
comment on function internal.carries_emergency(kith.nominees) is
  'Whether emergency access hangs on a nominee: a right, awake or not, a place in the quorum, or an open request. For '
  'definer procedures that have locked the vault.';

create or replace function internal.require_owner_for_emergency(p_role text, p_nominee kith.nominees) returns void
  language plpgsql
  stable
as $$
begin
  if p_role <> 'owner' and internal.carries_emergency(p_nominee) then
    raise exception 'forbidden' using errcode = 'KT403', detail = 'Only the vault''s owner decides about this nominee.';
  end if;
end
$$;
comment on function internal.require_owner_for_emergency(text, kith.nominees) is
  'Raises forbidden for everybody except the owner if emergency access hangs on the nominee: nobody else resends their '
  'invitation, which would take over the link, or revokes them, which would end a wait (V11).';

create or replace function internal.confirm_person(p_nominee kith.nominees, p_now timestamptz) returns boolean
  language plpgsql
as $$
begin
  update kith.nominees set bound_by_link = false, updated_at = p_now
  where tenant_id = p_nominee.tenant_id and id = p_nominee.id and bound_by_link and status in ('accepted', 'inactive')
    -- The owner cannot mean somebody who accepted only after this request had come in.
    and coalesce(bound_at <= p_now, true);
  return found;
end
$$;
comment on function internal.confirm_person(kith.nominees, timestamptz) is
  'Records that the owner, who can see who has accepted, means that person. False if there is nothing to confirm, or '
  'if the person accepted after the owner''s request arrived at p_now. For definer procedures of the owner that have '
  'locked the vault and the nominee.';
