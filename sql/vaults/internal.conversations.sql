-- A user's conversations: as the owner of a vault with its nominees, whatever became of them, and as an accepted
-- nominee with the owner.

create or replace function internal.own_conversations(p_limit integer, p_cursor uuid) returns setof kith.conversations
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_before uuid := coalesce(p_cursor, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
begin
  -- Each side reads its own index in order, and stops at the limit.
  return query
  select own.*
  from (
    (
      select conversation.*
      from kith.conversations as conversation
      join kith.vaults as vault
        on vault.tenant_id = v_tenant and vault.id = conversation.vault_id and vault.owner_id = v_user
          and vault.deleted_at is null
      where conversation.tenant_id = v_tenant and conversation.owner_id = v_user
        and conversation.last_message_id < v_before
      order by conversation.last_message_id desc
      limit p_limit
    )
    union all
    (
      select conversation.*
      from kith.conversations as conversation
      join kith.nominees as nominee
        on nominee.tenant_id = v_tenant and nominee.id = conversation.nominee_id and nominee.user_id = v_user
          and nominee.status = 'accepted'
      join kith.vaults as vault
        on vault.tenant_id = v_tenant and vault.id = conversation.vault_id and vault.owner_id = conversation.owner_id
          and vault.deleted_at is null
      where conversation.tenant_id = v_tenant and conversation.nominee_user_id = v_user
        and conversation.last_message_id < v_before
      order by conversation.last_message_id desc
      limit p_limit
    )
  ) as own
  order by own.last_message_id desc
  limit p_limit;
end
$$;
comment on function internal.own_conversations(integer, uuid) is
  'The conversations that the current user can read, those with the newest messages first. The cursor is the '
  'last_message_id of the last one. For definer procedures.';

create or replace function internal.own_conversation(p_nominee_id uuid) returns kith.conversations
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_conversation kith.conversations;
begin
  select conversation.* into v_conversation
  from kith.conversations as conversation
  join kith.nominees as nominee on nominee.tenant_id = v_tenant and nominee.id = conversation.nominee_id
  join kith.vaults as vault
    on vault.tenant_id = v_tenant and vault.id = conversation.vault_id and vault.owner_id = conversation.owner_id
      and vault.deleted_at is null
  where conversation.tenant_id = v_tenant and conversation.nominee_id = p_nominee_id
    and (conversation.owner_id = v_user or nominee.user_id = v_user and nominee.status = 'accepted');
  return v_conversation;
end
$$;
comment on function internal.own_conversation(uuid) is
  'The conversation of one nominee, if the current user can read it, otherwise null. For definer procedures.';

create or replace function internal.conversation_json(p_conversation kith.conversations) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_is_owner boolean := p_conversation.owner_id = kith.user_id();
  v_nominee uuid := p_conversation.nominee_id;
  v_vault uuid := p_conversation.vault_id;
  v_last uuid := p_conversation.last_message_id;
  v_other uuid := case when v_is_owner then p_conversation.nominee_user_id else p_conversation.owner_id end;
begin
  return json_build_object(
    'nominee_id', v_nominee,
    'role', case when v_is_owner then 'owner' else 'nominee' end,
    'vault', (
      select json_build_object('id', vault.id, 'name', vault.name)
      from kith.vaults as vault
      where vault.tenant_id = v_tenant and vault.id = v_vault
    ),
    'counterpart', internal.person_json(v_other),
    'unread_count', internal.unread_of_nominee(v_nominee),
    'read_until', case when v_is_owner then p_conversation.nominee_read_id else p_conversation.owner_read_id end,
    'last_message', (
      select internal.message_json(message, author.display_name)
      from kith.messages as message
      join kith.users as author on author.tenant_id = v_tenant and author.id = message.from_id
      where message.tenant_id = v_tenant and message.id = v_last
    )
  );
end
$$;
comment on function internal.conversation_json(kith.conversations) is
  'A conversation as the current user sees it. read_until is the newest of the user''s own messages that the other '
  'side has read. For definer procedures that have found it among the user''s own.';

create or replace function internal.unread_of_nominee(p_nominee_id uuid) returns integer
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select coalesce(
      sum(
        case v_user when conversation.owner_id then conversation.owner_unread
          when conversation.nominee_user_id then conversation.nominee_unread end
      ),
      0
    )
    from kith.conversations as conversation
    join kith.vaults as vault
      on vault.tenant_id = v_tenant and vault.id = conversation.vault_id and vault.owner_id = conversation.owner_id
        and vault.deleted_at is null
    join kith.nominees as nominee on nominee.tenant_id = v_tenant and nominee.id = conversation.nominee_id
    where conversation.tenant_id = v_tenant and conversation.nominee_id = p_nominee_id
      and (conversation.owner_id = v_user or nominee.user_id = v_user and nominee.status = 'accepted')
  );
end
$$;
comment on function internal.unread_of_nominee(uuid) is
  'How many messages of a nominee''s conversation with the vault''s owner the current user has not read. Those of a '
  'former owner are in no conversation that anybody can open, and do not count. 0 for everybody else. For definer '
  'procedures.';

create or replace function internal.unread_of_vault(p_vault_id uuid) returns integer
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select coalesce(sum(conversation.owner_unread), 0)
    from kith.conversations as conversation
    -- A former owner cannot read, and so cannot clear, what was written to them.
    join kith.vaults as vault
      on vault.tenant_id = v_tenant and vault.id = p_vault_id and vault.owner_id = conversation.owner_id
        and vault.deleted_at is null
    where conversation.tenant_id = v_tenant and conversation.owner_id = v_user and conversation.vault_id = p_vault_id
      and conversation.owner_unread > 0
  ) + (
    select coalesce(sum(conversation.nominee_unread), 0)
    from kith.conversations as conversation
    join kith.nominees as nominee
      on nominee.tenant_id = v_tenant and nominee.id = conversation.nominee_id and nominee.user_id = v_user
        and nominee.status = 'accepted'
    -- What a former owner wrote is in no conversation of the list.
    join kith.vaults as vault
      on vault.tenant_id = v_tenant and vault.id = p_vault_id and vault.owner_id = conversation.owner_id
        and vault.deleted_at is null
    where conversation.tenant_id = v_tenant and conversation.nominee_user_id = v_user
      and conversation.vault_id = p_vault_id and conversation.nominee_unread > 0
  );
end
$$;
comment on function internal.unread_of_vault(uuid) is
  'How many messages in a vault''s conversations with its owner the current user has not read; 0 for a deleted vault. '
  'For definer procedures.';

create or replace function internal.unread_messages() returns integer
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select coalesce(sum(conversation.owner_unread), 0)
    from kith.conversations as conversation
    join kith.vaults as vault
      on vault.tenant_id = v_tenant and vault.id = conversation.vault_id and vault.owner_id = v_user
        and vault.deleted_at is null
    where conversation.tenant_id = v_tenant and conversation.owner_id = v_user and conversation.owner_unread > 0
  ) + (
    select coalesce(sum(conversation.nominee_unread), 0)
    from kith.conversations as conversation
    join kith.nominees as nominee
      on nominee.tenant_id = v_tenant and nominee.id = conversation.nominee_id and nominee.user_id = v_user
        and nominee.status = 'accepted'
    join kith.vaults as vault
      on vault.tenant_id = v_tenant and vault.id = conversation.vault_id and vault.owner_id = conversation.owner_id
        and vault.deleted_at is null
    where conversation.tenant_id = v_tenant and conversation.nominee_user_id = v_user
      and conversation.nominee_unread > 0
  );
end
$$;
comment on function internal.unread_messages() is
  'How many messages in all conversations the current user can read and has not read. For definer procedures.';
