-- Who is shown what has changed: the events that each change writes, in its own transaction, for those whose screens
-- show it.

create or replace function internal.emit_account(p_tenant_id integer, p_user_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform internal.emit_event(p_tenant_id, p_user_id, 'account', p_user_id, null, null, p_now);
end
$$;
comment on function internal.emit_account(integer, uuid, timestamptz) is
  'Emits an event to a user''s screens when something has changed that only they see: the account, a profile, a code, '
  'the subscription, the break, a device, a block, quiet hours, preferences, or an invitation to connect. For definer '
  'procedures.';

create or replace function internal.most_told() returns integer
  language sql
  immutable
  parallel safe
as $$
  select 10000
$$;
comment on function internal.most_told() is
  'How many events of one kind a change of a name emits. Screens beyond that show the new name when they are loaded '
  'again. Only somebody with thousands of nominees is seen by so many.';

create or replace function internal.emit_connections(p_tenant_id integer, p_connections uuid[], p_now timestamptz)
  returns void
  language plpgsql
as $$
begin
  insert into kith.events (tenant_id, id, user_id, type, subject_id)
  select p_tenant_id, internal.uuid7(p_now), side.user_id, 'connection', own.id
  from unnest(p_connections) as own (id)
  -- A look-up for each, whatever the planner knows.
  cross join lateral (
    select sender_id, receiver_id from kith.connections
    where tenant_id = p_tenant_id and connections.id = own.id offset 0
  ) as connection
  cross join lateral (values (connection.sender_id), (connection.receiver_id)) as side (user_id);
end
$$;
comment on function internal.emit_connections(integer, uuid[], timestamptz) is
  'Emits an event to both sides of each changed connection. For definer procedures.';

create or replace function internal.emit_connection(p_connection_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  if v_tenant is null then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
  perform internal.emit_connections(v_tenant, array[p_connection_id], p_now);
end
$$;
comment on function internal.emit_connection(uuid, timestamptz) is
  'Emits an event to both sides of a changed connection. For definer procedures.';

create or replace function internal.emit_connections_of_sender(p_tenant_id integer, p_sender_id uuid, p_now timestamptz)
  returns void
  language plpgsql
as $$
begin
  perform internal.emit_connections(
    p_tenant_id,
    array(
      select id from kith.connections where tenant_id = p_tenant_id and sender_id = p_sender_id and status <> 'deleted'
    ),
    p_now
  );
end
$$;
comment on function internal.emit_connections_of_sender(integer, uuid, timestamptz) is
  'Emits an event to both sides of all connections of a sender, for example because a break shows on each. For definer '
  'procedures.';

create or replace function internal.emit_pings(p_pings kith.pings[], p_now timestamptz) returns void
  language plpgsql
as $$
begin
  -- A receiver sees no pings while the connection is pending (P29).
  insert into kith.events (tenant_id, id, user_id, type, subject_id, parent_id, ping_on)
  select ping.tenant_id, internal.uuid7(p_now), side.user_id, 'ping', ping.id, ping.connection_id, ping.ping_on
  from unnest(p_pings) as ping
  join kith.connections as connection on connection.tenant_id = ping.tenant_id and connection.id = ping.connection_id
  cross join lateral (
    values (ping.sender_id), (case when connection.status <> 'pending' then ping.receiver_id end)
  ) as side (user_id)
  where side.user_id is not null;
end
$$;
comment on function internal.emit_pings(kith.pings[], timestamptz) is
  'Emits an event to both sides of each ping that is new or changed. For definer procedures.';

create or replace function internal.emit_session(p_session kith.vault_sessions, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := p_session.tenant_id;
  v_vault uuid := p_session.vault_id;
begin
  insert into kith.events (tenant_id, id, user_id, type, subject_id, parent_id)
  select v_tenant, internal.uuid7(p_now), person.user_id, 'session', p_session.id, v_vault
  from (
    select p_session.owner_id as user_id
    union
    select nominee.user_id
    from kith.nominees as nominee
    where nominee.tenant_id = v_tenant and nominee.vault_id = v_vault and nominee.status = 'accepted'
      and nominee.user_id is not null and (p_session.kind = 'shared' or nominee.id = p_session.nominee_id)
  ) as person;
end
$$;
comment on function internal.emit_session(kith.vault_sessions, timestamptz) is
  'Emits an event to a vault''s owner and its accepted nominees when a session opens or locks. For an emergency '
  'session, only its own nominee and the owner receive it. For definer procedures.';

create or replace function internal.emit_own_nominees(p_vault_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  insert into kith.events (tenant_id, id, user_id, type, subject_id, parent_id)
  select v_tenant, internal.uuid7(p_now), nominee.user_id, 'nominee', nominee.id, p_vault_id
  from kith.nominees as nominee
  where nominee.tenant_id = v_tenant and nominee.vault_id = p_vault_id and nominee.status <> 'revoked'
    and nominee.user_id is not null;
  perform internal.emit_waiting(p_vault_id, p_now);
end
$$;
comment on function internal.emit_own_nominees(uuid, timestamptz) is
  'Emits an event to a vault''s nominees, and to those for whom an invitation waits, when their own relation to it has '
  'changed, because it was deleted, restored or transferred. For definer procedures.';

create or replace function internal.emit_document(p_vault_id uuid, p_document_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  insert into kith.events (tenant_id, id, user_id, type, subject_id, parent_id)
  select v_tenant, internal.uuid7(p_now), person.user_id, 'document', p_document_id, p_vault_id
  from (
    select owner_id as user_id from kith.vaults where tenant_id = v_tenant and id = p_vault_id
    union
    select nominee.user_id
    from kith.vault_sessions as session
    join kith.nominees as nominee
      on nominee.tenant_id = v_tenant and nominee.vault_id = p_vault_id and nominee.user_id = any (session.inside)
        and nominee.status = 'accepted'
    where session.tenant_id = v_tenant and session.vault_id = p_vault_id and session.kind = 'shared'
      and session.locked_at is null and session.expires_at > p_now
    union
    select nominee.user_id
    from kith.vault_sessions as session
    join kith.nominees as nominee
      on nominee.tenant_id = v_tenant and nominee.id = session.nominee_id and nominee.status = 'accepted'
    where session.tenant_id = v_tenant and session.vault_id = p_vault_id and session.kind = 'emergency'
      and session.locked_at is null and session.expires_at > p_now
  ) as person;
end
$$;
comment on function internal.emit_document(uuid, uuid, timestamptz) is
  'Emits an event to a vault''s owner and to the nominees inside when a document was added, changed, deleted or '
  'restored. Nobody else''s screen shows documents. For definer procedures.';

create or replace function internal.emit_vault(p_vault_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_user();
  insert into kith.events (tenant_id, id, user_id, type, subject_id)
  select v_tenant, internal.uuid7(p_now), person.user_id, 'vault', p_vault_id
  from (
    select owner_id as user_id from kith.vaults where tenant_id = v_tenant and id = p_vault_id
    union
    select user_id
    from kith.nominees
    where tenant_id = v_tenant and vault_id = p_vault_id and status <> 'revoked' and user_id is not null
  ) as person;
  perform internal.emit_waiting(p_vault_id, p_now);
end
$$;
comment on function internal.emit_vault(uuid, timestamptz) is
  'Emits an event to a vault''s owner, its nominees and those for whom an invitation waits, when its name or settings '
  'have changed. For definer procedures.';

create or replace function internal.emit_read(p_notification_id uuid, p_now timestamptz) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  perform internal.emit_event(
    v_tenant, v_user, case when p_notification_id is null then 'notifications_read' else 'notification' end,
    p_notification_id, null, null, p_now
  );
end
$$;
comment on function internal.emit_read(uuid, timestamptz) is
  'Emits an event to the current user''s other screens when they have read a notification, or, with null, all of them. '
  'Definer: only definer procedures write events.';
grant execute on function internal.emit_read(uuid, timestamptz) to kith_api;

create or replace function internal.emit_name(p_user_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  if v_tenant is null then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
  insert into kith.events (tenant_id, id, user_id, type, subject_id)
  select v_tenant, internal.uuid7(p_now), seen.by_id, seen.type, seen.id
  from (
    (
      select 'connection' as type, id, case sender_id when p_user_id then receiver_id else sender_id end as by_id
      from kith.connections
      where tenant_id = v_tenant and (sender_id = p_user_id or receiver_id = p_user_id) and status <> 'deleted'
      limit internal.most_told()
    )
    union all
    (
      select 'vault', vault.id, nominee.user_id
      from kith.vaults as vault
      join kith.nominees as nominee
        on nominee.tenant_id = v_tenant and nominee.vault_id = vault.id and nominee.status <> 'revoked'
          and nominee.user_id is not null
      where vault.tenant_id = v_tenant and vault.owner_id = p_user_id and vault.deleted_at is null
      limit internal.most_told()
    )
    union all
    -- The blocked are named in the list of blocks, and do not learn of it.
    (
      select 'account', user_id, user_id from kith.blocks where tenant_id = v_tenant and blocked_id = p_user_id
      limit internal.most_told()
    )
  ) as seen;
  -- The owners of vaults of which the user is a nominee, and the nominees who see the others.
  perform internal.emit_nominees(
    array(
      select nominee.id
      from kith.nominees as nominee
      join kith.vaults as vault
        on vault.tenant_id = v_tenant and vault.id = nominee.vault_id and vault.deleted_at is null
      where nominee.tenant_id = v_tenant and nominee.user_id = p_user_id and nominee.status <> 'revoked'
      limit internal.most_told()
    ),
    p_now
  );
  -- Those for whom an invitation of the user waits.
  perform internal.emit_invitations(
    array(
      select nominee.id
      from kith.nominees as nominee
      join kith.vaults as vault
        on vault.tenant_id = v_tenant and vault.id = nominee.vault_id and vault.deleted_at is null
      where nominee.tenant_id = v_tenant and nominee.owner_id = p_user_id and nominee.status = 'pending'
        and nominee.user_id is null and coalesce(nominee.phone, nominee.email) is not null
      limit internal.most_told()
    ),
    p_now
  );
  perform internal.emit_offers(
    array(
      select id from kith.transfers where tenant_id = v_tenant and owner_id = p_user_id and status = 'pending'
      limit internal.most_told()
    ),
    p_now
  );
end
$$;
comment on function internal.emit_name(uuid, timestamptz) is
  'Emits events to everybody who sees a user''s changed name: the other sides of their connections, the nominees of '
  'their vaults, the owners of vaults of which they are a nominee, those for whom an invitation of theirs waits, and '
  'those who have blocked them. At most internal.most_told of each kind. For definer procedures.';

create or replace function internal.emit_waiting(p_vault_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.emit_invitations(
    array(
      select id from kith.nominees
      where tenant_id = v_tenant and vault_id = p_vault_id and status = 'pending' and user_id is null
        and coalesce(phone, email) is not null
    ),
    p_now
  );
  perform internal.emit_offers(
    array(select id from kith.transfers where tenant_id = v_tenant and vault_id = p_vault_id and status = 'pending'),
    p_now
  );
end
$$;
comment on function internal.emit_waiting(uuid, timestamptz) is
  'Emits an event to everybody for whom an invitation to a vault or its offer waits, when the vault has changed or '
  'goes. For definer procedures.';

create or replace function internal.emit_invitations(p_nominees uuid[], p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  insert into kith.events (tenant_id, id, user_id, type, subject_id)
  select v_tenant, internal.uuid7(p_now), person.user_id, 'invitation', nominee.id
  from kith.nominees as nominee
  cross join lateral internal.users_of_contact(nominee.phone, nominee.email) as person
  where nominee.tenant_id = v_tenant and nominee.id = any (p_nominees)
    and coalesce(nominee.phone, nominee.email) is not null and person.user_id <> nominee.owner_id
    -- An event without a visible change would tell somebody that a person whom they have blocked goes on.
    and not internal.is_blocked(nominee.owner_id, person.user_id)
    and not internal.is_blocked(nominee.invited_by_user_id, person.user_id);
end
$$;
comment on function internal.emit_invitations(uuid[], timestamptz) is
  'Emits an event to everybody who has verified the contact of one of these nominees, on whose screen the invitation '
  'waits or has waited. For definer procedures.';

create or replace function internal.emit_offers(p_transfers uuid[], p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  insert into kith.events (tenant_id, id, user_id, type, subject_id)
  select v_tenant, internal.uuid7(p_now), person.user_id, 'invitation', offer.id
  from kith.transfers as offer
  cross join lateral (
    select contact.user_id from internal.users_of_contact(offer.phone, offer.email) as contact
    union
    select nominee.user_id
    from kith.nominees as nominee
    where nominee.tenant_id = v_tenant and nominee.id = offer.nominee_id and nominee.user_id is not null
  ) as person
  where offer.tenant_id = v_tenant and offer.id = any (p_transfers) and person.user_id <> offer.owner_id
    and not internal.is_blocked(offer.owner_id, person.user_id);
end
$$;
comment on function internal.emit_offers(uuid[], timestamptz) is
  'Emits an event to everybody on whose screen one of these transfers waits or has waited. For definer procedures.';

create or replace function internal.emit_nominees(p_nominees uuid[], p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  insert into kith.events (tenant_id, id, user_id, type, subject_id, parent_id)
  select v_tenant, internal.uuid7(p_now), person.user_id, 'nominee', nominee.id, nominee.vault_id
  from kith.nominees as nominee
  cross join lateral (
    select nominee.owner_id as user_id
    union
    select nominee.user_id where nominee.user_id is not null
    union
    -- Nominees with level full see the other nominees while the vault is open.
    select manager.user_id
    from kith.nominees as manager
    where manager.tenant_id = v_tenant and manager.vault_id = nominee.vault_id and manager.status = 'accepted'
      and manager.access_level = 'full' and manager.user_id is not null
      and exists (
        select from kith.vault_sessions as session
        where session.tenant_id = v_tenant and session.vault_id = nominee.vault_id and session.kind = 'shared'
          and session.locked_at is null and session.expires_at > p_now
      )
  ) as person
  where nominee.tenant_id = v_tenant and nominee.id = any (p_nominees);
  perform internal.emit_invitations(
    array(select id from kith.nominees where tenant_id = v_tenant and id = any (p_nominees) and user_id is null), p_now
  );
end
$$;
comment on function internal.emit_nominees(uuid[], timestamptz) is
  'Emits an event for each changed nominee to everybody who sees it: the vault''s owner, the nominee, and, while the '
  'vault is open, the nominees with level full; and to everybody for whom the invitation waits. For definer '
  'procedures.';

create or replace function internal.emit_call_number(p_user_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  if exists (
    select from kith.sender_profiles
    where tenant_id = v_tenant and user_id = p_user_id and share_phone and ended_at is null
  ) then
    perform internal.emit_connections_of_sender(v_tenant, p_user_id, p_now);
  end if;
end
$$;
comment on function internal.emit_call_number(uuid, timestamptz) is
  'P11: a sender''s phone number, which their receivers may call, has changed on the dashboards. Emits nothing unless '
  'the sender shares it. For definer procedures.';
