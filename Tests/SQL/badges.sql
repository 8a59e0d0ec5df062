-- Every count of unread things is the sum over the lists that the person can open, after every act (D02).
begin;
\ir people.sql

create temporary table kept (name text primary key, id uuid);
grant all on kept to public;
create function tests.kept(p_name text) returns uuid language sql stable return (select id from kept where name = p_name);

-- The counts of the current user that no list explains.
create function tests.unexplained(p_at timestamptz) returns text
  language plpgsql
as $$
declare
  v_home json := api.home(p_at);
  v_chats json := api.list_conversations(50, null);
  v_listed bigint := (select coalesce(sum((item ->> 'unread_count')::integer), 0) from json_array_elements(v_chats -> 'items') as item);
  v_opened bigint := 0;
  v_vaults bigint := (select coalesce(sum((item #>> '{counts,unread}')::integer), 0) from json_array_elements(api.list_vaults(null, false, 50, null, p_at) -> 'items') as item);
  v_deleted bigint := (select coalesce(sum((item #>> '{counts,unread}')::integer), 0) from json_array_elements(api.list_vaults(null, true, 50, null, p_at) -> 'items') as item);
  v_chat json;
begin
  for v_chat in select item from json_array_elements(v_chats -> 'items') as item loop
    v_opened := v_opened + (api.list_messages((v_chat #>> '{vault,id}')::uuid, (v_chat ->> 'nominee_id')::uuid, 50, null, p_at) ->> 'unread_count')::integer;
  end loop;
  return concat_ws(
    ', ',
    case when (v_home ->> 'unread_messages')::integer <> v_listed then format('%s messages at home, %s in the list', v_home ->> 'unread_messages', v_listed) end,
    case when (v_chats ->> 'unread_count')::integer <> v_listed then format('%s messages above the list, %s in it', v_chats ->> 'unread_count', v_listed) end,
    case when v_opened <> v_listed then format('%s messages in the opened conversations, %s in the list', v_opened, v_listed) end,
    case when v_vaults <> v_listed then format('%s messages of the vaults, %s in the list', v_vaults, v_listed) end,
    case when v_deleted <> 0 then format('%s messages of deleted vaults', v_deleted) end,
    case
      when (v_home ->> 'unread_count')::integer <> json_array_length(api.list_notifications(true, null, 100, null) -> 'items')
        then 'notifications'
    end
  );
end
$$;

create function tests.nominee(p_vault text, p_person text) returns uuid
  language sql security definer
  return (select id from kith.nominees where vault_id = tests.kept(p_vault) and user_id = tests.id(p_person) and status <> 'revoked');
create function tests.row_of(p_vault text, p_person text) returns uuid
  language sql security definer
  return (select id from kith.nominees where vault_id = tests.kept(p_vault) and user_id = tests.id(p_person) order by id desc limit 1);
create function tests.join_vault(p_vault text, p_person text, p_level text, p_at timestamptz) returns void
  language plpgsql
as $$
declare
  v_owner text := (select person from unnest(array['alice', 'bob', 'carol', 'mallory']) as person where tests.id(person) = kith.user_id());
  v_token uuid := (
    api.invite_nominees(
      tests.kept(p_vault), jsonb_build_array(jsonb_build_object('name', p_person, 'access_level', p_level)), 'https://kith.example', p_at
    ) #>> '{0,nominee,invitation,token}'
  )::uuid;
begin
  perform tests.as_user('acme', p_person);
  perform api.accept_invitation(v_token, p_at);
  perform tests.as_user('acme', v_owner);
end
$$;
-- The offer of a vault to a nominee or by token, kept, and its acceptance by the person.
create function tests.hand_over(p_vault text, p_person text, p_keep boolean, p_at timestamptz) returns void
  language plpgsql
as $$
declare
  v_token uuid := (
    api.create_transfer(
      tests.kept(p_vault), jsonb_build_object('name', p_person, 'keep_access', p_keep), 'https://kith.example', p_at
    ) #>> '{invitation,token}'
  )::uuid;
begin
  perform tests.as_user('acme', p_person);
  perform api.accept_invitation(v_token, p_at);
end
$$;

create temporary table acts (n integer generated always as identity, person text, act text, statement text);
insert into acts (person, act, statement) values
  ('alice', 'create', $$ insert into kept values ('papers', (api.create_vault('{"name": "Papers"}', $1) ->> 'id')::uuid) $$),
  ('alice', 'create another', $$ insert into kept values ('photos', (api.create_vault('{"name": "Photos"}', $1) ->> 'id')::uuid) $$),
  ('alice', 'invite Bob', $$ select tests.join_vault('papers', 'bob', 'view', $1) $$),
  ('alice', 'invite Carol', $$ select tests.join_vault('papers', 'carol', 'full', $1) $$),
  ('alice', 'invite Bob to another', $$ select tests.join_vault('photos', 'bob', 'view', $1) $$),
  ('alice', 'write to Bob', $$ select api.send_message(tests.kept('papers'), tests.nominee('papers', 'bob'), 'Hello', $1) $$),
  ('alice', 'write to Bob in another', $$ select api.send_message(tests.kept('photos'), tests.nominee('photos', 'bob'), 'Hello', $1) $$),
  ('bob', 'answer', $$ select api.send_message(tests.kept('papers'), tests.nominee('papers', 'bob'), 'Hello you', $1) $$),
  ('carol', 'write', $$ select api.send_message(tests.kept('papers'), tests.nominee('papers', 'carol'), 'Hi', $1) $$),
  ('alice', 'write to Carol', $$ select api.send_message(tests.kept('papers'), tests.nominee('papers', 'carol'), 'Hi', $1) $$),
  ('alice', 'pause Bob', $$ select api.update_nominee(tests.kept('papers'), tests.nominee('papers', 'bob'), '{"status": "inactive"}', $1) $$),
  ('alice', 'resume Bob', $$ select api.update_nominee(tests.kept('papers'), tests.nominee('papers', 'bob'), '{"status": "accepted"}', $1) $$),
  ('alice', 'delete another', $$ select api.delete_vault(tests.kept('photos'), $1) $$),
  ('alice', 'restore another', $$ select api.restore_vault(tests.kept('photos'), $1) $$),
  ('bob', 'block', $$ select api.put_block(tests.id('alice'), $1) $$),
  ('bob', 'unblock', $$ select api.delete_block(tests.id('alice'), '2026-03-10T12:00Z') $$),
  ('alice', 'transfer and keep access', $$ select tests.hand_over('papers', 'mallory', true, $1) $$),
  ('mallory', 'write to Bob', $$ select api.send_message(tests.kept('papers'), tests.nominee('papers', 'bob'), 'I am new', $1) $$),
  ('mallory', 'write to Alice', $$ select api.send_message(tests.kept('papers'), tests.nominee('papers', 'alice'), 'Thank you', $1) $$),
  ('carol', 'write to the new owner', $$ select api.send_message(tests.kept('papers'), tests.nominee('papers', 'carol'), 'Hi', $1) $$),
  ('bob', 'read', $$ select api.read_messages(tests.kept('papers'), tests.nominee('papers', 'bob'), $1) $$),
  ('mallory', 'transfer to a nominee', $$ select tests.hand_over('papers', 'carol', true, $1) $$),
  ('carol', 'write to Mallory', $$ select api.send_message(tests.kept('papers'), tests.nominee('papers', 'mallory'), 'Hi', $1) $$),
  ('carol', 'transfer back', $$ select tests.hand_over('papers', 'alice', false, $1) $$),
  ('alice', 'revoke Bob', $$ select api.revoke_nominee(tests.kept('papers'), tests.nominee('papers', 'bob'), $1) $$),
  ('alice', 'read the revoked Bob''s', $$ select api.read_messages(tests.kept('papers'), tests.row_of('papers', 'bob'), $1) $$),
  ('alice', 'invite Bob again', $$ select tests.join_vault('papers', 'bob', 'view', $1) $$),
  ('bob', 'write again', $$ select api.send_message(tests.kept('papers'), tests.nominee('papers', 'bob'), 'Hello', $1) $$),
  ('bob', 'leave', $$ select api.revoke_nominee(tests.kept('papers'), tests.nominee('papers', 'bob'), $1) $$),
  ('alice', 'read all', $$ select api.read_notifications(null, null, 1000, $1) $$),
  ('mallory', 'delete the account', $$ select api.delete_me('delete', $1) $$),
  ('alice', 'delete', $$ select api.delete_vault(tests.kept('papers'), $1) $$);
grant select on acts to public;

select plan(1 + (select count(*)::integer from acts));

create function tests.after(p_person text, p_statement text, p_at timestamptz) returns text
  language plpgsql
as $$
declare
  v_person text;
  v_unexplained text;
  v_all text[] := '{}';
begin
  perform tests.as_user('acme', p_person);
  execute p_statement using p_at;
  foreach v_person in array array['alice', 'bob', 'carol', 'mallory'] loop
    perform tests.as_superuser();
    continue when exists (select from kith.users where id = tests.id(v_person) and deleted_at is not null);
    perform tests.as_user('acme', v_person);
    v_unexplained := tests.unexplained(p_at);
    if v_unexplained <> '' then
      v_all := v_all || (v_person || ': ' || v_unexplained);
    end if;
  end loop;
  perform tests.as_superuser();
  return array_to_string(v_all, '; ');
end
$$;
select is(
  tests.after(person, statement, timestamptz '2026-03-10T08:00Z' + n * interval '1 minute'), '',
  format('%s: %s: every count is explained by a list', person, act)
)
from acts
order by n;
select ok(
  (select count(*) from kith.conversations where owner_unread > 0 or nominee_unread > 0) > 0, 'there are unread messages in conversations that nobody can open'
);

select * from finish();
rollback;
