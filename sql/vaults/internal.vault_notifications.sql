create or replace function internal.vault_notification_data(p_vault kith.vaults, p_about_user_id uuid) returns jsonb
  language sql
  stable
  parallel safe
as $$
  select jsonb_strip_nulls(
    jsonb_build_object('vault_id', (p_vault).id, 'vault_name', (p_vault).name, 'user_id', p_about_user_id)
  )
$$;
comment on function internal.vault_notification_data(kith.vaults, uuid) is
  'The data of a notification about a vault: the vault''s name, and the user it is about.';

create or replace function internal.tell_of_vault(
  p_user_id uuid, p_type text, p_vault kith.vaults, p_about_user_id uuid, p_name text, p_data jsonb, p_now timestamptz,
  p_named_user_id uuid default null
) returns void
  language plpgsql
as $$
begin
  perform internal.notify(
    p_type, array[p_vault.tenant_id], array[account.id], array[about.data], p_now,
    p_people => array[coalesce(p_about_user_id, p_named_user_id)], p_names => array[p_name]
  )
  from kith.users as account
  cross join (
    select internal.vault_notification_data(p_vault, p_about_user_id) || coalesce(p_data, '{}') as data
  ) as about
  where account.tenant_id = p_vault.tenant_id and account.id = p_user_id and account.deleted_at is null;
end
$$;
comment on function internal.tell_of_vault(uuid, text, kith.vaults, uuid, text, jsonb, timestamptz, uuid) is
  'Notifies one user about a vault and a person, who is in data. p_name is what that person is called where no account '
  'says it. p_named_user_id is a person whom the text names but who must not be in data, such as one who declined. '
  '{to: owner} in p_data selects the owner''s text if it differs from a nominee''s. For definer procedures: the '
  'recipients follow from the rows that they have changed.';

create or replace function internal.tell_of_withdrawal(p_vault kith.vaults, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := p_vault.tenant_id;
  v_vault uuid := p_vault.id;
  v_user uuid;
begin
  for v_user in
    select distinct person.user_id
    from kith.nominees as nominee
    join kith.nominee_invitations as invitation
      on invitation.tenant_id = v_tenant and invitation.nominee_id = nominee.id and invitation.ended_at is null
        and invitation.expires_at > p_now
    cross join lateral internal.users_of_contact(nominee.phone, nominee.email) as person
    where nominee.tenant_id = v_tenant and nominee.vault_id = v_vault and nominee.status = 'pending'
      and nominee.user_id is null
      and person.user_id <> nominee.owner_id and not internal.is_blocked(nominee.owner_id, person.user_id)
      and not internal.is_blocked(nominee.invited_by_user_id, person.user_id)
      and not exists (
        select from kith.nominees as own
        where own.tenant_id = v_tenant and own.vault_id = v_vault and own.user_id = person.user_id
          and own.status <> 'revoked'
      )
    order by person.user_id
  loop
    perform internal.tell_of_vault(v_user, 'nominee_revoked', p_vault, null, null, '{"to": "invited"}', p_now);
  end loop;
end
$$;
comment on function internal.tell_of_withdrawal(kith.vaults, timestamptz) is
  'Tells everybody for whom an invitation to a vault waits that it has ended, because the vault is deleted or its '
  'owner''s account ends (V09). For definer procedures, before they end the invitations.';

create or replace function internal.has_opened_often(p_vault kith.vaults, p_now timestamptz) returns boolean
  language plpgsql
  stable
as $$
declare
  v_tenant integer := p_vault.tenant_id;
  v_vault uuid := p_vault.id;
begin
  return (
    select count(*) > 20
    from kith.vault_sessions
    where tenant_id = v_tenant and vault_id = v_vault and id >= internal.first_uuid7(p_now - interval '1 hour')
      and kind = 'shared'
  );
end
$$;
comment on function internal.has_opened_often(kith.vaults, timestamptz) is
  'Whether a vault was opened more than 20 times within an hour. Nobody is told of further openings and lockings, so '
  'that they cannot flood people.';

create or replace function internal.tell_owner(p_vault kith.vaults, p_type text, p_by uuid, p_now timestamptz)
  returns void
  language plpgsql
as $$
declare
  v_tenant integer := p_vault.tenant_id;
  v_owner uuid := p_vault.owner_id;
begin
  if p_by is null or p_by = v_owner or internal.has_opened_often(p_vault, p_now) then
    return;
  end if;
  -- A block leaves a nominee their access (P26), so the owner must know that it is used, but not be disturbed by it.
  if internal.has_blocked(v_tenant, v_owner, p_by) and (
    p_type <> 'vault_opened' or exists (
      select from kith.notifications
      where tenant_id = v_tenant and user_id = v_owner and id >= internal.first_uuid7(p_now - interval '1 day')
        and type = p_type and data ->> 'vault_id' = p_vault.id::text and data ->> 'user_id' = p_by::text
    )
  ) then
    return;
  end if;
  perform internal.tell_of_vault(
    v_owner, p_type, p_vault, p_by, (select display_name from kith.users where tenant_id = v_tenant and id = p_by),
    '{"to": "owner"}', p_now
  );
end
$$;
comment on function internal.tell_owner(kith.vaults, text, uuid, timestamptz) is
  'Tells the owner of a vault that a nominee opened or locked it (N24). At most 20 openings an hour are told, and of a '
  'nominee whom the owner has blocked, one a day. For definer procedures.';

create or replace function internal.tell_nominees(p_vault kith.vaults, p_type text, p_by uuid, p_now timestamptz)
  returns void
  language plpgsql
as $$
declare
  v_tenant integer := p_vault.tenant_id;
  v_vault uuid := p_vault.id;
  v_owner uuid := p_vault.owner_id;
  v_name text;
  v_data jsonb := internal.vault_notification_data(p_vault, p_by);
begin
  if internal.has_opened_often(p_vault, p_now) then
    return;
  end if;
  select display_name into v_name from kith.users where tenant_id = v_tenant and id = p_by;
  if p_type = 'vault_opened' then
    -- Until when they can enter. Nobody is told of it later (F04).
    select v_data || jsonb_build_object('session_id', id, 'expires_at', internal.instant(expires_at)) into v_data
    from kith.vault_sessions
    where tenant_id = v_tenant and vault_id = v_vault and kind = 'shared' and locked_at is null;
  end if;
  perform internal.notify(
    p_type, array_agg(v_tenant), array_agg(nominee.user_id), array_agg(v_data), p_now, p_people => array_agg(p_by),
    p_names => array_agg(v_name)
  )
  from kith.nominees as nominee
  where nominee.tenant_id = v_tenant and nominee.vault_id = v_vault and nominee.status = 'accepted'
    and nominee.user_id is not null and nominee.user_id is distinct from p_by
    -- Skip nominees who have blocked them: a vault's name can contain any text, and must not become a way to message
    -- somebody who has blocked the sender (X22).
    and not exists (
      select from kith.blocks as block
      where block.tenant_id = v_tenant and block.user_id = nominee.user_id and block.blocked_id in (v_owner, p_by)
    );
end
$$;
comment on function internal.tell_nominees(kith.vaults, text, uuid, timestamptz) is
  'Tells every accepted nominee of a vault that it was opened or locked (V09), except the user who did it and nominees '
  'who have blocked that user or the owner. At most 20 openings an hour are told. For definer procedures.';

create or replace function internal.tell_of_change(
  p_nominee kith.nominees, p_locked uuid[], p_vault kith.vaults, p_now timestamptz
) returns void
  language plpgsql
as $$
declare
  v_tenant integer := p_vault.tenant_id;
  v_owner uuid := p_vault.owner_id;
  v_nominee uuid := p_nominee.id;
  v_user uuid := p_nominee.user_id;
begin
  -- A vault's name can contain any text, and must not become a way to message somebody who has blocked the owner (X22).
  -- An endless series of changes would bury notifications that the person must not miss; the screens still follow by
  -- events.
  if (v_user = any (p_locked)) is not true or exists (
    select from kith.blocks where tenant_id = v_tenant and user_id = v_user and blocked_id = v_owner
  ) or 20 <= (
    select count(*) from kith.notifications
    where tenant_id = v_tenant and user_id = v_user and id >= internal.first_uuid7(p_now - interval '1 hour')
      and type = 'nominee_changed' and data ->> 'nominee_id' = v_nominee::text
  ) then
    return;
  end if;
  perform internal.tell_of_vault(
    v_user, 'nominee_changed', p_vault, v_owner,
    (select display_name from kith.users where tenant_id = v_tenant and id = v_owner),
    jsonb_build_object('nominee_id', v_nominee, 'status', p_nominee.status, 'access_level', p_nominee.access_level),
    p_now
  );
end
$$;
comment on function internal.tell_of_change(kith.nominees, uuid[], kith.vaults, timestamptz) is
  'Tells a nominee that the owner confirmed, paused or resumed their access, or changed its level (N24), unless they '
  'have blocked the owner. data has the new status and level. At most 20 changes an hour are told. Only a user in '
  'p_locked is told, whose account the caller has locked: one who accepted just before the vault was locked is not, '
  'and their account may be ending. For definer procedures that have locked the owner''s account too, and pass the '
  'nominee as it is now.';
