-- Chat (V12). These functions are security definers because they read other people's names and notify the other side.
-- Chat does not need an open session, but counts as activity in one.

create or replace function api.list_messages(
  p_vault_id uuid, p_nominee_id uuid, p_limit integer, p_cursor uuid, p_now timestamptz
)
  returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  perform internal.conversation(p_vault_id, p_nominee_id, p_now);
  perform internal.note_activity(p_vault_id, p_now);
  return (
    select json_build_object(
      'items', coalesce(
        json_agg(
          internal.message_json(page.message, page.display_name) order by page.id desc
        ) filter (where page.n <= p_limit),
        '[]'
      ),
      'next_cursor', case when count(*) > p_limit then (array_agg(page.id order by page.id desc))[p_limit] end,
      'unread_count', internal.unread_of_nominee(p_nominee_id)
    )
    from (
      select message, message.id, author.display_name, row_number() over (order by message.id desc) as n
      from kith.messages as message
      join kith.users as author on author.tenant_id = message.tenant_id and author.id = message.from_id
      where message.tenant_id = v_tenant and message.nominee_id = p_nominee_id
        and v_user in (message.owner_id, message.nominee_user_id)
        and message.id < coalesce(p_cursor, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      order by message.id desc
      limit p_limit + 1
    ) as page
  );
end
$$;
comment on function api.list_messages(uuid, uuid, integer, uuid, timestamptz) is
  'Returns the conversation with a nominee, newest first, with the number of the caller''s unread messages. The owner '
  'can read it whatever became of the nominee. Conversations with a former owner stay private to them.';
grant execute on function api.list_messages(uuid, uuid, integer, uuid, timestamptz) to kith_api;

create or replace function api.send_message(p_vault_id uuid, p_nominee_id uuid, p_body text, p_now timestamptz)
  returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_conversation record;
  v_message kith.messages;
  v_name text;
  v_wait integer;
begin
  perform internal.begin_act('message', p_now);
  v_conversation := internal.conversation(p_vault_id, p_nominee_id, p_now);
  -- Locking the account serializes a user's messages, so that the count per minute holds. Locking both accounts waits
  -- for a block or the end of an account, which the second look at the conversation finds.
  perform from kith.users where tenant_id = v_tenant and id in (v_user, v_conversation.other_id)
  order by id for key share;
  perform internal.lock_account();
  v_conversation := internal.conversation(p_vault_id, p_nominee_id, p_now);
  if (v_conversation.nominee).status <> 'accepted' or v_conversation.other_id is null then
    raise exception 'invalid_transition'
      using errcode = 'KT409',
      detail = 'You can write to people who have accepted your invitation and still have access.';
  end if;
  if internal.is_blocked(v_user, v_conversation.other_id) then
    raise exception 'forbidden' using errcode = 'KT403', detail = 'You cannot write to this person.';
  end if;
  v_wait := internal.message_wait(p_now);
  if v_wait is not null then
    return json_build_object(
      'problem', 'too_many_requests', 'detail', 'You can write 30 messages a minute. Please wait a moment.',
      'retry_after', v_wait
    );
  end if;
  if exists (
    select from kith.messages where tenant_id = v_tenant and nominee_id = p_nominee_id offset 49999 limit 1
  )
  then
    raise exception 'quota_exceeded' using errcode = 'KT507', detail = 'A conversation has at most 50,000 messages.';
  end if;
  perform internal.note_activity(p_vault_id, p_now);
  v_message := internal.add_message(v_conversation.vault, v_conversation.nominee, p_body, p_now);
  select display_name into v_name from kith.users where tenant_id = v_tenant and id = v_user;
  perform internal.tell_of_message(v_conversation.other_id, v_conversation.vault, v_message, v_name, p_now);
  return internal.message_json(v_message, v_name);
end
$$;
comment on function api.send_message(uuid, uuid, text, timestamptz) is
  'Sends a message to the other side of the conversation with a nominee who has accepted, and notifies them. Raises '
  'forbidden if one of the two has blocked the other (X22).';
grant execute on function api.send_message(uuid, uuid, text, timestamptz) to kith_api;

create or replace function api.read_messages(p_vault_id uuid, p_nominee_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_user();
  perform internal.conversation(p_vault_id, p_nominee_id, p_now);
  perform internal.note_activity(p_vault_id, p_now);
  perform internal.mark_read(p_nominee_id, p_now);
  return null;
end
$$;
comment on function api.read_messages(uuid, uuid, timestamptz) is
  'Marks the messages from the other side as read, and tells both sides'' screens. Repeating the call changes nothing.';
grant execute on function api.read_messages(uuid, uuid, timestamptz) to kith_api;
