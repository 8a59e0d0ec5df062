-- What waits for the current user: invitations to vaults and offers of vaults that name a contact which the user has
-- verified. A contact that is not verified finds nothing, so nobody learns who is invited under somebody else's number.

create or replace function internal.nominations_of(
  p_phone text, p_email text, p_before uuid, p_limit integer, p_now timestamptz
) returns table (id uuid, expires_at timestamptz)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_most constant integer := internal.most_waiting_rows();
  v_named record;
  v_found integer := 0;
  v_seen integer := 0;
begin
  -- Two branches, so that each reads its own index, and no more than v_most rows of it. A row with both contacts is in
  -- both.
  for v_named in
    select distinct named.id, named.vault_id, named.owner_id, named.invited_by_user_id
    from (
      (
        select * from kith.nominees as by_phone
        where by_phone.tenant_id = v_tenant and by_phone.phone = p_phone and by_phone.user_id is null
          and by_phone.status <> 'revoked' and by_phone.id < p_before
        order by by_phone.id desc
        limit v_most
      )
      union all
      (
        select * from kith.nominees as by_email
        where by_email.tenant_id = v_tenant and by_email.email_normalized = p_email and by_email.user_id is null
          and by_email.status <> 'revoked' and by_email.id < p_before
        order by by_email.id desc
        limit v_most
      )
    ) as named
    order by named.id desc
    limit v_most
  loop
    v_seen := v_seen + 1;
    select invitation.expires_at into expires_at
    from kith.nominee_invitations as invitation
    where invitation.tenant_id = v_tenant and invitation.nominee_id = v_named.id and invitation.ended_at is null
      and invitation.expires_at > p_now;
    if found and internal.may_wait(v_named.vault_id, v_named.owner_id, v_named.invited_by_user_id) then
      id := v_named.id;
      return next;
      v_found := v_found + 1;
      exit when v_found = p_limit;
    end if;
  end loop;
  if v_seen = v_most and v_found < p_limit then
    id := v_named.id;
    expires_at := null;
    return next;
  end if;
end
$$;
comment on function internal.nominations_of(text, text, uuid, integer, timestamptz) is
  'The nominees, newest first, whom somebody invited under a phone number or an e-mail address that the current user '
  'has verified (null if not), and who can still accept. It looks at 1,000 rows at most (internal.most_waiting_rows): '
  'anybody can flood a contact with invitations that then expire. If it stops there, the last row is where it stopped, '
  'without expires_at. For definer procedures.';

create or replace function internal.most_waiting_rows() returns integer
  language sql
  immutable
  parallel safe
as $$
  select 1000
$$;
comment on function internal.most_waiting_rows() is
  'How many rows that name a contact a page of waiting invitations looks at, of nominees and of transfers each.';

create or replace function internal.may_wait(p_vault_id uuid, p_owner_id uuid, p_inviter_id uuid) returns boolean
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return p_owner_id <> v_user
    and exists (
      select from kith.vaults as vault
      where vault.tenant_id = v_tenant and vault.id = p_vault_id and vault.deleted_at is null
    )
    and not exists (
      select from kith.nominees as own
      where own.tenant_id = v_tenant and own.vault_id = p_vault_id and own.user_id = v_user and own.status <> 'revoked'
    )
    and not internal.is_blocked(p_owner_id, v_user) and not internal.is_blocked(p_inviter_id, v_user);
end
$$;
comment on function internal.may_wait(uuid, uuid, uuid) is
  'Whether an invitation to a vault waits for the current user: the vault exists, the user has no part in it, and no '
  'block stands between the user and the owner or the inviter. For internal.nominations_of.';

create or replace function internal.offers_to(
  p_phone text, p_email text, p_before uuid, p_limit integer, p_now timestamptz
) returns table (id uuid, expires_at timestamptz)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_most constant integer := internal.most_waiting_rows();
  v_offer record;
  v_found integer := 0;
  v_seen integer := 0;
begin
  for v_offer in
    select distinct named.id, named.owner_id, named.expires_at
    from (
      (
        select * from kith.transfers as by_phone
        where by_phone.tenant_id = v_tenant and by_phone.phone = p_phone and by_phone.status = 'pending'
          and by_phone.id < p_before
        order by by_phone.id desc
        limit v_most
      )
      union all
      (
        select * from kith.transfers as by_email
        where by_email.tenant_id = v_tenant and by_email.email_normalized = p_email and by_email.status = 'pending'
          and by_email.id < p_before
        order by by_email.id desc
        limit v_most
      )
    ) as named
    order by named.id desc
    limit v_most
  loop
    v_seen := v_seen + 1;
    if v_offer.expires_at > p_now and v_offer.owner_id <> v_user
      and not internal.is_blocked(v_offer.owner_id, v_user)
    then
      id := v_offer.id;
      expires_at := v_offer.expires_at;
      return next;
      v_found := v_found + 1;
      exit when v_found = p_limit;
    end if;
  end loop;
  if v_seen = v_most and v_found < p_limit then
    id := v_offer.id;
    expires_at := null;
    return next;
  end if;
end
$$;
comment on function internal.offers_to(text, text, uuid, integer, timestamptz) is
  'The pending transfers, newest first, to a phone number or an e-mail address that the current user has verified '
  '(null if not). Bounded as internal.nominations_of. For definer procedures.';

create or replace function internal.offers_to_nominees(p_before uuid, p_limit integer, p_now timestamptz)
  returns table (id uuid, expires_at kith.instant)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return query
  select offer.id, offer.expires_at
  from kith.nominees as own
  cross join lateral (
    select pending.id, pending.expires_at, pending.owner_id
    from kith.transfers as pending
    where pending.tenant_id = v_tenant and pending.vault_id = own.vault_id and pending.nominee_id = own.id
      and pending.status = 'pending'
    offset 0
  ) as offer
  where own.tenant_id = v_tenant and own.user_id = v_user and own.status <> 'revoked' and offer.expires_at > p_now
    and offer.id < p_before and not internal.is_blocked(offer.owner_id, v_user)
  order by offer.id desc
  limit p_limit;
end
$$;
comment on function internal.offers_to_nominees(uuid, integer, timestamptz) is
  'The pending transfers, newest first, to a nominee who is the current user. For definer procedures.';

create or replace function internal.waiting_invitations(p_limit integer, p_cursor uuid, p_now timestamptz)
  returns table (id uuid, kind text, expires_at timestamptz)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_before uuid := coalesce(p_cursor, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_phone text;
  v_email text;
begin
  select case when account.phone_verified_at is not null then account.phone end,
    case when account.email_verified_at is not null then account.email_normalized end
  into v_phone, v_email
  from kith.users as account
  where account.tenant_id = v_tenant and account.id = v_user and account.deleted_at is null;
  return query
  with found as materialized (
    select nomination.id, 'nominee' as kind, nomination.expires_at
    from internal.nominations_of(v_phone, v_email, v_before, p_limit, p_now) as nomination
    union all
    select offer.id, 'transfer', offer.expires_at
    from internal.offers_to(v_phone, v_email, v_before, p_limit, p_now) as offer
    union all
    select offer.id, 'transfer', offer.expires_at from internal.offers_to_nominees(v_before, p_limit, p_now) as offer
  )
  select found.id, found.kind, found.expires_at
  from found
  -- Nothing beyond the place where one of them stopped: an older one of another kind would hide what comes between.
  where found.id >= coalesce(
    (select stop.id from found as stop where stop.expires_at is null order by stop.id desc limit 1),
    '00000000-0000-0000-0000-000000000000'
  )
  order by found.id desc, found.expires_at
  limit p_limit;
end
$$;
comment on function internal.waiting_invitations(integer, uuid, timestamptz) is
  'What waits for the current user, newest first: the ids of nominees and transfers that name one of the user''s '
  'verified contacts, or a nominee who is the user. A last row without expires_at is no invitation: the search stopped '
  'there, at the bound of internal.nominations_of. For definer procedures.';

create or replace function internal.waiting_invitation(
  p_id uuid, p_now timestamptz, out kind text, out expires_at timestamptz
)
  returns record
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  select 'nominee', invitation.expires_at into kind, expires_at
  from kith.nominees as nominee
  join kith.nominee_invitations as invitation
    on invitation.tenant_id = v_tenant and invitation.nominee_id = nominee.id and invitation.ended_at is null
      and invitation.expires_at > p_now
  where nominee.tenant_id = v_tenant and nominee.id = p_id and nominee.user_id is null and nominee.status <> 'revoked'
    and internal.same_contact(v_user, nominee.phone, nominee.email)
    and internal.may_wait(nominee.vault_id, nominee.owner_id, nominee.invited_by_user_id);
  if found then
    return;
  end if;
  select 'transfer', offer.expires_at into kind, expires_at
  from kith.transfers as offer
  where offer.tenant_id = v_tenant and offer.id = p_id and offer.status = 'pending' and offer.expires_at > p_now
    and offer.owner_id <> v_user and not internal.is_blocked(offer.owner_id, v_user)
    and (
      internal.same_contact(v_user, offer.phone, offer.email)
      or exists (
        select from kith.nominees as own
        where own.tenant_id = v_tenant and own.id = offer.nominee_id and own.user_id = v_user
          and own.status <> 'revoked'
      )
    );
end
$$;
comment on function internal.waiting_invitation(uuid, timestamptz) is
  'The kind and the end of one of internal.waiting_invitations, by its id. Null if it does not wait for the current '
  'user. For definer procedures.';

create or replace function internal.waiting_invitation_json(p_kind text, p_id uuid, p_expires_at timestamptz)
  returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return (
    select json_build_object(
      'id', p_id,
      'kind', p_kind,
      'state', 'pending',
      'vault', json_build_object('id', vault.id, 'name', vault.name),
      'inviter', json_build_object('id', inviter.id, 'display_name', internal.name_of_anybody(inviter.display_name)),
      'access_level', waiting.access_level,
      'created_at', internal.instant(waiting.created_at),
      'expires_at', internal.instant(p_expires_at),
      'card', internal.invitation_card(p_kind, 'pending', vault.name)
    )
    from (
      select vault_id, access_level, invited_at as created_at from kith.nominees
      where p_kind = 'nominee' and tenant_id = v_tenant and id = p_id
      union all
      select vault_id, 'full', created_at from kith.transfers
      where p_kind = 'transfer' and tenant_id = v_tenant and id = p_id
    ) as waiting
    join kith.vaults as vault on vault.tenant_id = v_tenant and vault.id = waiting.vault_id
    join kith.users as inviter on inviter.tenant_id = v_tenant and inviter.id = vault.owner_id
  );
end
$$;
comment on function internal.waiting_invitation_json(text, uuid, timestamptz) is
  'An invitation or transfer as the person sees it for whom it waits. As in a preview, the inviter is the vault''s '
  'owner. For definer procedures.';

create or replace function internal.find_own_invitation(p_id uuid, out kind text, out id uuid) returns record
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  select 'nominee', invitation.id into kind, id
  from kith.nominees as nominee
  join kith.nominee_invitations as invitation
    on invitation.tenant_id = v_tenant and invitation.nominee_id = nominee.id
      and coalesce(invitation.end_reason <> 'resent', true)
  where nominee.tenant_id = v_tenant and nominee.id = p_id
    and (
      nominee.user_id = v_user
      or nominee.user_id is null and internal.same_contact(v_user, nominee.phone, nominee.email)
    );
  if found then
    return;
  end if;
  select 'transfer', offer.id into kind, id
  from kith.transfers as offer
  where offer.tenant_id = v_tenant and offer.id = p_id
    and (
      offer.accepted_by = v_user
      or offer.accepted_by is null and internal.same_contact(v_user, offer.phone, offer.email)
      or offer.accepted_by is null and exists (
        select from kith.nominees as own
        where own.tenant_id = v_tenant and own.id = offer.nominee_id and own.user_id = v_user
          and own.status <> 'revoked'
      )
    );
  if not found then
    perform internal.refuse_not_found();
  end if;
end
$$;
comment on function internal.find_own_invitation(uuid) is
  'Finds what an id of GET /v1/me/invitations is for: the kind, and the id of the nominee invitation or transfer. '
  'Raises not_found for everything that does not name a verified contact of the current user, whether or not it '
  'exists. An answer can be repeated. For definer procedures.';

create or replace function internal.refuse_blocked_answer(p_kind text, p_id uuid) returns void
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  if exists (
    select from kith.nominees
    where p_kind = 'nominee' and tenant_id = v_tenant and id = p_id and status <> 'revoked'
      and internal.is_blocked(owner_id, v_user)
  ) or exists (
    select from kith.transfers
    where p_kind = 'transfer' and tenant_id = v_tenant and id = p_id and status = 'pending'
      and internal.is_blocked(owner_id, v_user)
  ) then
    raise exception 'invitation_invalid' using errcode = 'KT404';
  end if;
end
$$;
comment on function internal.refuse_blocked_answer(text, uuid) is
  'Raises invitation_invalid if the vault''s owner or the current user has blocked the other (X22), as accepting does: '
  'the answer would otherwise reach the other one. An invitation that has been answered already is not refused. For '
  'api.decline_own_invitation.';
