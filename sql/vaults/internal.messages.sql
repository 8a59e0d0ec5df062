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
  'The conversation in which the current user takes part as the vault''s owner or as that nominee, and the other side''s user id (null if nobody is bound yet). Raises what vault_access raises, and not_found for another nominee''s conversation. For definer procedures.';
revoke all on function internal.conversation(uuid, uuid, timestamptz) from public;

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
revoke all on function internal.message_json(kith.messages, text) from public;

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
  'Null if the current user may write a message now, otherwise the seconds to wait. The limit is 30 a minute. For definer procedures that have locked the account.';
revoke all on function internal.message_wait(timestamptz) from public;

create or replace function internal.tell_of_message(
  p_user_id uuid, p_vault kith.vaults, p_message kith.messages, p_from_name text, p_now timestamptz
) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.notify(
    'message_received', null, array[v_tenant], array[account.id], array[p_from_name], array[p_message.body],
    array[
      internal.vault_notification_data(p_vault, p_message.from_id)
        || jsonb_build_object('nominee_id', p_message.nominee_id, 'message_id', p_message.id)
    ],
    p_now
  )
  from kith.users as account
  where account.tenant_id = v_tenant and account.id = p_user_id and account.deleted_at is null;
end
$$;
comment on function internal.tell_of_message(uuid, kith.vaults, kith.messages, text, timestamptz) is
  'Notifies the other side of a message. The title is the writer''s name, the body the message''s first 120 characters. For definer procedures.';
revoke all on function internal.tell_of_message(uuid, kith.vaults, kith.messages, text, timestamptz) from public;
