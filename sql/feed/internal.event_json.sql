-- Renders events for the current tenant and user. Each statement checks visibility itself, because a worker renders
-- events for webhooks as the owner, to whom the policies of users do not apply.

create or replace function internal.seen_nominee(p_vault_id uuid, p_id uuid, p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_nominee kith.nominees;
  v_owner uuid;
  v_session uuid;
  v_is_managed boolean;
begin
  perform internal.require_user();
  select owner_id into v_owner from kith.vaults where tenant_id = v_tenant and id = p_vault_id and deleted_at is null;
  select * into v_nominee from kith.nominees where tenant_id = v_tenant and vault_id = p_vault_id and id = p_id;
  if v_owner is null or v_nominee.id is null then
    return null;
  end if;
  select id into v_session
  from kith.vault_sessions
  where tenant_id = v_tenant and vault_id = p_vault_id and kind = 'shared' and locked_at is null and expires_at > p_now;
  v_is_managed := v_owner = v_user or v_session is not null and exists (
    select from kith.nominees
    where tenant_id = v_tenant and vault_id = p_vault_id and user_id = v_user and status = 'accepted'
      and access_level = 'full'
  );
  if not v_is_managed and v_nominee.user_id is distinct from v_user then
    return null;
  elsif not v_is_managed and v_nominee.status = 'revoked' then
    return json_build_object('id', p_id, 'vault_id', p_vault_id, 'status', 'revoked');
  end if;
  return (
    select page.item::jsonb || jsonb_build_object('vault_id', p_vault_id)
    from internal.page_of_nominees(p_vault_id, v_session, v_is_managed, p_id, null, 1, null, p_now) as page
  );
end
$$;
comment on function internal.seen_nominee(uuid, uuid, timestamptz) is
  'A nominee of a vault, with the vault''s id, for users who manage its nominees and for the nominee, whatever the '
  'status. A revoked nominee sees only that they are revoked. Null for everybody else. Definer: it reads other '
  'nominees'' rows.';
grant execute on function internal.seen_nominee(uuid, uuid, timestamptz) to kith_api;

create or replace function internal.seen_document(p_vault_id uuid, p_id uuid, p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_document kith.documents;
begin
  perform internal.require_user();
  select document.* into v_document
  from kith.documents as document
  join kith.vaults as vault on vault.tenant_id = v_tenant and vault.id = document.vault_id and vault.deleted_at is null
  where document.tenant_id = v_tenant and document.vault_id = p_vault_id and document.id = p_id
    and document.deleted_at is null and (
      vault.owner_id = v_user
      or exists (
        select from kith.nominees
        where tenant_id = v_tenant and vault_id = p_vault_id and user_id = v_user and status = 'accepted'
      )
    );
  if not found then
    return null;
  elsif not exists (
    select from kith.vault_sessions
    where tenant_id = v_tenant and vault_id = p_vault_id and kind = 'shared' and locked_at is null
      and expires_at > p_now
  ) and not exists (
    select from kith.nominees as nominee
    cross join lateral internal.emergency_session(v_tenant, nominee.id, p_now) as emergency
    where nominee.tenant_id = v_tenant and nominee.vault_id = p_vault_id and nominee.user_id = v_user
      and nominee.status = 'accepted'
  ) then
    return json_build_object('id', p_id, 'vault_id', p_vault_id, 'status', 'locked');
  end if;
  return internal.document_json(v_document, internal.people_of_document(v_document));
end
$$;
comment on function internal.seen_document(uuid, uuid, timestamptz) is
  'A document of an open vault, for the vault''s owner and its accepted nominees. If the vault has been locked since, '
  'only that it is: {id, vault_id, status: locked}. Null for everybody else, and for a deleted document. Definer: it '
  'reads the names of those who have changed it.';
grant execute on function internal.seen_document(uuid, uuid, timestamptz) to kith_api;

create or replace function internal.seen_conversation(p_nominee_id uuid) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_conversation kith.conversations;
begin
  perform internal.require_user();
  v_conversation := internal.own_conversation(p_nominee_id);
  return case
    when v_conversation.nominee_id is not null then
      internal.conversation_json(v_conversation)::jsonb || jsonb_build_object('id', p_nominee_id)
  end;
end
$$;
comment on function internal.seen_conversation(uuid) is
  'A conversation that the current user can read, as in their list, with the nominee''s id as its own. Null for other '
  'conversations. Definer: it reads the other side''s name.';
grant execute on function internal.seen_conversation(uuid) to kith_api;

create or replace function internal.seen_message(p_id uuid) returns json
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
  return (
    select internal.message_json(message, author.display_name)::jsonb
      || jsonb_build_object('vault_id', message.vault_id, 'nominee_id', message.nominee_id)
    from kith.messages as message
    join kith.vaults as vault on vault.tenant_id = v_tenant and vault.id = message.vault_id and vault.deleted_at is null
    join kith.nominees as nominee on nominee.tenant_id = v_tenant and nominee.id = message.nominee_id
    join kith.users as author on author.tenant_id = v_tenant and author.id = message.from_id
    where message.tenant_id = v_tenant and message.id = p_id
      and (
        message.owner_id = v_user and vault.owner_id = v_user
        or message.nominee_user_id = v_user and nominee.user_id = v_user and nominee.status = 'accepted'
      )
  );
end
$$;
comment on function internal.seen_message(uuid) is
  'A message of a conversation that the current user can read, with its vault and nominee. Null for other messages. '
  'Definer: it reads the writer''s name.';
grant execute on function internal.seen_message(uuid) to kith_api;

create or replace function internal.seen_vault(p_id uuid, p_now timestamptz) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_vault internal.own_vaults;
begin
  perform set_config('kith.now', p_now::text, true);
  select * into v_vault from internal.own_vaults where tenant_id = v_tenant and id = p_id and deleted_at is null;
  if not found then
    return null;
  end if;
  return internal.detailed_vault(v_vault, p_now);
end
$$;
comment on function internal.seen_vault(uuid, timestamptz) is
  'A vault that the current user owns or is a nominee of. Null for other vaults and for a deleted one.';
grant execute on function internal.seen_vault(uuid, timestamptz) to kith_api;

create or replace function internal.seen_ping(p_connection_id uuid, p_ping_on date, p_id uuid) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_sender uuid;
  v_ping kith.pings;
begin
  select own.sender_id into v_sender
  from internal.own_connections as own
  where own.tenant_id = v_tenant and own.id = p_connection_id and own.shows_pings;
  if not found then
    return null;
  end if;
  -- The sender too (sql/README.md).
  select * into v_ping
  from kith.pings
  where tenant_id = v_tenant and ping_on = p_ping_on and connection_id = p_connection_id and sender_id = v_sender;
  if v_ping.id is distinct from p_id then
    return null;
  end if;
  return internal.ping_json(v_ping);
end
$$;
comment on function internal.seen_ping(uuid, date, uuid) is
  'A ping of one of the current user''s connections. Null if the connection does not show its pings to the user.';
grant execute on function internal.seen_ping(uuid, date, uuid) to kith_api;

create or replace function internal.seen_notification(p_id uuid) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_user();
  return internal.notification_in(p_id, null);
end
$$;
comment on function internal.seen_notification(uuid) is
  'A notification of the current user in their language. Null for another user''s. Definer: its words name others.';
grant execute on function internal.seen_notification(uuid) to kith_api;

create or replace function internal.seen_account(p_id uuid) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_account kith.users;
begin
  select * into v_account from kith.users
  where tenant_id = v_tenant and id = v_user and id = p_id and deleted_at is null;
  if not found then
    return null;
  end if;
  return internal.user_json(v_account);
end
$$;
comment on function internal.seen_account(uuid) is 'The current user''s own account. Null for another user''s.';
grant execute on function internal.seen_account(uuid) to kith_api;

create or replace function internal.seen_invitation(p_id uuid, p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_found record;
begin
  perform internal.require_user();
  v_found := internal.waiting_invitation(p_id, p_now);
  if v_found.kind is null then
    return null;
  end if;
  return internal.waiting_invitation_json(v_found.kind, p_id, v_found.expires_at);
end
$$;
comment on function internal.seen_invitation(uuid, timestamptz) is
  'An invitation or offer that waits for the current user, as GET /v1/me/invitations lists it. Null for every other. '
  'Definer: the rows belong to the owner until somebody accepts.';
grant execute on function internal.seen_invitation(uuid, timestamptz) to kith_api;

create or replace function internal.event_line(p_data json) returns text
  language sql
  immutable
  parallel safe
as $$
  -- White space between members may contain line breaks, which would end a field of text/event-stream. Within a string
  -- they are always escaped.
  select translate(p_data::text, e'\r\n', '  ')
$$;
comment on function internal.event_line(json) is 'The JSON of an event on one line.';
grant execute on function internal.event_line(json) to kith_api;

create or replace function internal.event_json(
  p_type text, p_subject_id uuid, p_parent_id uuid, p_ping_on date, p_now timestamptz
) returns text
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_data json;
begin
  case p_type
    when 'account' then v_data := internal.seen_account(p_subject_id);
    when 'connection' then v_data := internal.connection_for_reader(p_subject_id, p_now);
    when 'ping' then v_data := internal.seen_ping(p_parent_id, p_ping_on, p_subject_id);
    when 'nominee' then v_data := internal.seen_nominee(p_parent_id, p_subject_id, p_now);
    when 'session' then v_data := internal.seen_session(p_parent_id, p_subject_id);
    when 'vault' then v_data := internal.seen_vault(p_subject_id, p_now);
    when 'document' then v_data := internal.seen_document(p_parent_id, p_subject_id, p_now);
    when 'emergency_request' then v_data := internal.seen_emergency_request(p_parent_id, p_subject_id, p_now);
    when 'message' then v_data := internal.seen_message(p_subject_id);
    when 'conversation' then v_data := internal.seen_conversation(p_subject_id);
    when 'invitation' then v_data := internal.seen_invitation(p_subject_id, p_now);
    when 'notification' then v_data := internal.seen_notification(p_subject_id);
    when 'notifications_read' then
      v_data := json_build_object(
        'unread_count',
        (select count(*) from kith.notifications where tenant_id = v_tenant and user_id = v_user and read_at is null)
      );
    when 'alarm' then v_data := internal.seen_alarm(p_subject_id, p_parent_id, p_now);
    when 'api_key' then v_data := internal.seen_api_key(p_subject_id, p_now);
    when 'alarm_undelivered' then
      v_data := json_build_object('id', p_subject_id, 'notification', internal.seen_notification(p_subject_id));
  end case;
  return internal.event_line(coalesce(v_data, internal.gone_json(p_type, p_subject_id, p_parent_id)));
end
$$;
comment on function internal.event_json(text, uuid, uuid, date, timestamptz) is
  'What an event says to the current user now, on one line: the object as its own endpoint returns it, or '
  'internal.gone_json.';
grant execute on function internal.event_json(text, uuid, uuid, date, timestamptz) to kith_api;

create or replace function internal.told_event(
  p_type text, p_subject_id uuid, p_parent_id uuid, p_ping_on date, p_now timestamptz
) returns text
  language plpgsql
  stable
as $$
begin
  return internal.event_json(p_type, p_subject_id, p_parent_id, p_ping_on, p_now);
exception when others then
  -- Re-raise errors of the database itself: they are transient.
  if not internal.is_of_data(sqlstate) then
    raise;
  end if;
  raise warning 'an event of type % cannot be rendered: %', p_type, sqlstate;
  return null;
end
$$;
comment on function internal.told_event(text, uuid, uuid, date, timestamptz) is
  'Like event_json, but returns null and logs a warning for an event that cannot be rendered: it must not block all '
  'other events, which belong to all tenants.';
grant execute on function internal.told_event(text, uuid, uuid, date, timestamptz) to kith_api;

create or replace function internal.notification_events(p_events jsonb) returns table (n bigint, data text)
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
  -- One lookup by key for each event, with a plan that may be older than the rows.
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_material = off
  set enable_seqscan = off
as $$
begin
  if kith.tenant_id() is not null then
    raise exception 'forbidden' using errcode = 'KT403';
  end if;
  return query
  select given.n, case
    when told.id is null then internal.event_line(internal.gone_json('notification', given.subject_id, null))
    else internal.notification_line(
      told.id, told.words, told.type, told.data, told.note, told.created_at, told.sent_at, told.delivery_status,
      told.read_at
    )
  end
  from rows from (
    jsonb_to_recordset(p_events) as (tenant_id integer, user_id uuid, type text, subject_id uuid)
  ) with ordinality as given (tenant_id, user_id, type, subject_id, n)
  left join lateral (
    select notification.*, internal.json_words(notification.type, words.title, words.body, words.name) as words
    from kith.notifications as notification
    cross join lateral internal.reader_of(given.tenant_id, given.user_id) as reader
    cross join lateral internal.told(
      given.tenant_id, given.user_id, notification.type, notification.data, notification.created_at, notification.body,
      notification.person_name, reader.locale, reader.time_zone
    ) as words
    where notification.tenant_id = given.tenant_id and notification.id = given.subject_id
      and notification.user_id = given.user_id
    -- Keeps the planner from making the words at each use.
    offset 0
  ) as told on true
  where given.type = 'notification';
end
$$;
comment on function internal.notification_events(jsonb) is
  'Renders those of the events that are about notifications, all with one statement and each for its user, as '
  'event_json does. Most events are, and a statement for each takes three times as long. Security definer without a '
  'tenant: it compares each event''s tenant and user itself. Raises forbidden when a tenant is set, as it is in every '
  'request.';
grant execute on function internal.notification_events(jsonb) to kith_api;

create or replace function internal.own_events(
  p_xid xid8, p_id uuid, p_horizon xid8, p_limit integer, p_now timestamptz
)
  returns table (xid xid8, id uuid, type text, subject_id uuid, parent_id uuid, ping_on date)
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
  -- A cached plan outlives the time when a day's new partition was still empty.
  set enable_seqscan = off
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  -- Notifications are found by their ids. None of the feed's last 7 days has an id below this one.
  v_first uuid := internal.first_uuid7(p_now - interval '8 days');
begin
  perform internal.require_user();
  return query
  select event.xid, event.id, event.type, event.subject_id, event.parent_id, event.ping_on
  from kith.events as event
  where event.tenant_id = v_tenant and event.user_id = v_user and (event.xid, event.id) > (p_xid, p_id)
    and event.xid < p_horizon and event.type not in ('alarm_undelivered', 'api_key')
  union all
  select notification.xid, notification.id, 'notification', notification.id, null, null
  from kith.notifications as notification
  where notification.tenant_id = v_tenant and notification.user_id = v_user and notification.id >= v_first
    and (notification.xid, notification.id) > (p_xid, p_id) and notification.xid < p_horizon
  order by 1, 2
  limit p_limit;
end
$$;
comment on function internal.own_events(xid8, uuid, xid8, integer, timestamptz) is
  'The events of the current user after a position and below the horizon, oldest first. Definer, because a function '
  'that runs as its caller must not have a SET clause.';
grant execute on function internal.own_events(xid8, uuid, xid8, integer, timestamptz) to kith_api;
