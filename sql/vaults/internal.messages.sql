-- The conversation between a vault's owner and one of its nominees (V12).

create or replace function internal.conversation(
  p_vault_id uuid, p_nominee_id uuid, p_now timestamptz,
  out vault kith.vaults, out nominee kith.nominees, out other_id uuid
) returns record
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_access record := internal.vault_access(p_vault_id, p_now);
begin
  vault := v_access.vault;
  if v_access.role = 'owner' then
    select * into nominee
    from kith.nominees
    where tenant_id = v_tenant and vault_id = p_vault_id and id = p_nominee_id;
    other_id := nominee.user_id;
  else
    nominee := v_access.nominee;
    other_id := vault.owner_id;
  end if;
  if nominee.id is distinct from p_nominee_id then
    perform internal.refuse_not_found();
  end if;
end
$$;
comment on function internal.conversation(uuid, uuid, timestamptz) is
  'The conversation in which the current user takes part as the vault''s owner or as that nominee, and the other '
  'side''s user id (null if nobody is bound yet). Raises what vault_access raises, and not_found for another '
  'nominee''s conversation. For definer procedures.';

create or replace function internal.message_json(p_message kith.messages, p_from_name text) returns json
  language sql
  stable
as $$
  select json_build_object(
    'id', (p_message).id,
    'from', json_build_object('id', (p_message).from_id, 'display_name', internal.name_of_anybody(p_from_name)),
    'body', (p_message).body,
    'created_at', internal.instant((p_message).created_at),
    'read_at', internal.instant((p_message).read_at)
  )
$$;
comment on function internal.message_json(kith.messages, text) is 'A message as both sides see it.';

create or replace function internal.message_wait(p_now timestamptz) returns integer
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_first uuid := internal.first_uuid7(p_now - interval '1 minute');
  v_ends_at timestamptz;
begin
  select created_at + interval '1 minute' into v_ends_at
  from kith.messages
  where tenant_id = v_tenant and from_id = v_user and id >= v_first and created_at > p_now - interval '1 minute'
  order by id desc
  offset 29
  limit 1;
  return case when v_ends_at is not null then greatest(1, ceil(extract(epoch from v_ends_at - p_now)))::integer end;
end
$$;
comment on function internal.message_wait(timestamptz) is
  'Null if the current user may write a message now, otherwise the seconds to wait. The limit is 30 a minute. For '
  'definer procedures that have locked the account.';

create or replace function internal.tell_of_message(
  p_user_id uuid, p_vault kith.vaults, p_message kith.messages, p_from_name text, p_now timestamptz
) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.notify(
    'message_received', array[v_tenant], array[account.id],
    array[
      internal.vault_notification_data(p_vault, p_message.from_id)
        || jsonb_build_object('nominee_id', p_message.nominee_id, 'message_id', p_message.id)
    ],
    p_now, p_people => array[p_message.from_id], p_names => array[p_from_name],
    -- Short enough for a push message.
    p_excerpts => array[left(p_message.body, 120)]
  )
  from kith.users as account
  where account.tenant_id = v_tenant and account.id = p_user_id and account.deleted_at is null;
end
$$;
comment on function internal.tell_of_message(uuid, kith.vaults, kith.messages, text, timestamptz) is
  'Notifies the other side of a message. The title is the writer''s name, the body the message''s first 120 '
  'characters. For definer procedures.';

create or replace function internal.add_message(
  p_vault kith.vaults, p_nominee kith.nominees, p_body text, p_now timestamptz
)
  returns kith.messages
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_is_owner boolean := p_vault.owner_id = v_user;
  v_message kith.messages;
begin
  insert into kith.messages (tenant_id, id, vault_id, nominee_id, owner_id, nominee_user_id, from_id, body, created_at)
  values (
    v_tenant, internal.uuid7(p_now), p_vault.id, p_nominee.id, p_vault.owner_id, p_nominee.user_id, v_user, p_body,
    p_now
  )
  returning * into v_message;
  insert into kith.conversations as known (
    tenant_id, nominee_id, owner_id, vault_id, nominee_user_id, last_message_id, owner_unread, nominee_unread
  )
  values (
    v_tenant, p_nominee.id, p_vault.owner_id, p_vault.id, p_nominee.user_id, v_message.id, (not v_is_owner)::integer,
    v_is_owner::integer
  )
  on conflict (tenant_id, nominee_id, owner_id) do update
  set last_message_id = greatest(known.last_message_id, excluded.last_message_id),
    owner_unread = known.owner_unread + excluded.owner_unread,
    nominee_unread = known.nominee_unread + excluded.nominee_unread;
  perform internal.emit_event(v_tenant, side.user_id, 'message', v_message.id, p_nominee.id, null, p_now)
  from unnest(array[p_vault.owner_id, p_nominee.user_id]) as side (user_id);
  return v_message;
end
$$;
comment on function internal.add_message(kith.vaults, kith.nominees, text, timestamptz) is
  'Writes a message of the current user to the other side of a conversation, and shows it on the screens of both, the '
  'user''s other devices included. For definer procedures that have checked both sides.';

create or replace function internal.mark_read(p_nominee_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  -- Lock in key order, because another device of the same user may be reading them too.
  v_unread uuid[] := array(
    select id from kith.messages
    where tenant_id = v_tenant and nominee_id = p_nominee_id and v_user in (owner_id, nominee_user_id)
      and from_id <> v_user and read_at is null
    order by id
    for update
  );
begin
  with read as (
    -- They are locked, so they are still unread. With that condition, messages_unread would be read for the whole
    -- tenant where the planner believes in few rows.
    update kith.messages set read_at = p_now where tenant_id = v_tenant and id = any (v_unread)
    returning id, owner_id
  ), counted as (
    select owner_id, count(*)::integer as messages, (array_agg(id order by id desc))[1] as last_id from read
    group by owner_id
  ), changed as (
    -- Subtract and do not set 0: a message that is being sent now is not among those that were read.
    update kith.conversations as conversation
    set owner_unread = conversation.owner_unread - case
        when conversation.owner_id = v_user then counted.messages
        else 0
      end,
      nominee_unread = conversation.nominee_unread - case
        when conversation.owner_id = v_user then 0
        else counted.messages
      end,
      owner_read_id = case when conversation.owner_id = v_user then counted.last_id else conversation.owner_read_id end,
      nominee_read_id = case
        when conversation.owner_id = v_user then conversation.nominee_read_id
        else counted.last_id
      end
    from counted
    where conversation.tenant_id = v_tenant and conversation.nominee_id = p_nominee_id
      and conversation.owner_id = counted.owner_id
    returning conversation.vault_id, conversation.owner_id, conversation.nominee_user_id
  )
  insert into kith.events (tenant_id, id, user_id, type, subject_id, parent_id)
  select distinct on (side.user_id) v_tenant, internal.uuid7(p_now), side.user_id, 'conversation', p_nominee_id,
    changed.vault_id
  from changed
  cross join lateral (values (changed.owner_id), (changed.nominee_user_id)) as side (user_id);
end
$$;
comment on function internal.mark_read(uuid, timestamptz) is
  'Marks what the other side of a conversation has written to the current user as read, and shows it on the screens of '
  'both: the read receipt. If nothing was unread, nothing changes. For definer procedures that have checked the '
  'user''s part in it.';
