-- Chat between a vault's owner and a nominee (V12).
begin;
\ir people.sql
select plan(38);

create temporary table house (name text primary key, id uuid);
grant select, insert on house to public;
create function tests.vault() returns uuid language sql stable return (select id from house where name = 'papers');
create function tests.nominee(p_person text) returns uuid language sql stable return (select id from house where name = p_person);
create function tests.told(p_person text) returns text
  language sql stable
as $$
  select coalesce(string_agg(title || ': ' || body, '; ' order by id), '') from tests.notifications
  where user_id = tests.id(p_person) and type = 'message_received'
$$;
create function tests.conversation(p_person text, p_at timestamptz) returns text
  language sql
as $$
  select coalesce(string_agg(item -> 'from' ->> 'display_name' || ': ' || (item ->> 'body'), '; ' order by n), '')
  from json_array_elements(api.list_messages(tests.vault(), tests.nominee(p_person), 50, null, p_at) -> 'items') with ordinality as items (item, n)
$$;

select tests.as_user('acme', 'alice');
with made as (select api.create_vault('{"name": "Papers"}', '2026-03-10T08:00Z') as vault)
insert into house select 'papers', (vault ->> 'id')::uuid from made;
select tests.as_superuser();
with made as (
  insert into kith.nominees (
    tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, accepted_at, revoked_at, updated_at
  )
  select tests.tenant('acme'), internal.uuid7('2026-03-10T08:00Z'), tests.vault(), tests.id('alice'),
    case when person <> 'dave' then tests.id(person) end, person, status, 'view', now(), now(), case status when 'revoked' then now() end, now()
  from (values ('bob', 'accepted'), ('carol', 'inactive'), ('mallory', 'revoked'), ('dave', 'accepted')) as nominees (person, status)
  returning name, id
)
insert into house select name, id from made;

select tests.as_user('acme', 'alice');
select is(
  api.send_message(tests.vault(), tests.nominee('bob'), 'Hello Bob', '2026-03-10T09:00Z')::jsonb - 'id',
  jsonb_build_object(
    'from', jsonb_build_object('id', tests.id('alice'), 'display_name', 'Alice'), 'body', 'Hello Bob',
    'created_at', '2026-03-10T09:00:00.000000Z', 'read_at', null
  ),
  'an owner can write to a nominee while the vault is locked'
);
select tests.as_superuser();
select is(tests.told('bob'), 'Alice: Hello Bob', 'the nominee is told who wrote, and what');
select is(
  (select data - 'message_id' from kith.notifications where type = 'message_received'),
  jsonb_build_object('vault_id', tests.vault(), 'vault_name', 'Papers', 'user_id', tests.id('alice'), 'nominee_id', tests.nominee('bob')),
  'the notification references the conversation'
);
select tests.as_user('acme', 'bob');
select is(
  (api.list_messages(tests.vault(), tests.nominee('bob'), 50, null, '2026-03-10T09:01Z') ->> 'unread_count')::integer, 1, 'the message counts as unread'
);
select is(
  api.send_message(tests.vault(), tests.nominee('bob'), repeat('💌', 130), '2026-03-10T09:02Z') -> 'from' ->> 'display_name', 'Bob',
  'the nominee answers'
);
select tests.as_superuser();
select is(tests.told('alice'), 'Bob: ' || repeat('💌', 120), 'a notification has the first 120 whole characters of a message');
select tests.as_user('acme', 'bob');
select is(tests.conversation('bob', '2026-03-10T09:03Z'), 'Bob: ' || repeat('💌', 130) || '; Alice: Hello Bob', 'the newest message comes first');
select is(api.read_messages(tests.vault(), tests.nominee('bob'), '2026-03-10T09:04Z')::text, null, 'messages can be marked as read');
select is(
  api.list_messages(tests.vault(), tests.nominee('bob'), 50, null, '2026-03-10T09:05Z') ->> 'unread_count', '0', 'read messages are not counted as unread'
);
select api.read_messages(tests.vault(), tests.nominee('bob'), '2026-03-10T09:06Z') \g /dev/null
select tests.as_user('acme', 'alice');
select is(
  (
    select string_agg(coalesce(item ->> 'read_at', 'unread'), ' ' order by n)
    from json_array_elements(api.list_messages(tests.vault(), tests.nominee('bob'), 50, null, '2026-03-10T09:07Z') -> 'items')
      with ordinality as items (item, n)
  ),
  'unread 2026-03-10T09:04:00.000000Z', 'both sides see when a message was first read, and only received messages are marked'
);

-- Other people.
select throws_ok(
  format($$ select api.send_message(tests.vault(), %L, 'x', '2026-03-10T10:00Z') $$, tests.nominee(person)), 'KT409', 'invalid_transition',
  'an owner cannot write to a nominee who ' || why
)
from (values ('carol', 'is paused'), ('mallory', 'was revoked'), ('dave', 'has not accepted by token')) as nominees (person, why);
select is(tests.conversation('mallory', '2026-03-10T10:00Z'), '', 'an owner can still read the conversation with a revoked nominee');
select throws_ok(
  $$ select api.send_message(tests.vault(), gen_random_uuid(), 'x', '2026-03-10T10:00Z') $$, 'KT404', 'not_found', 'a nominee that does not exist is not found'
);
select tests.as_user('acme', 'bob');
select throws_ok(
  $$ select api.list_messages(tests.vault(), tests.nominee('carol'), 50, null, '2026-03-10T10:00Z') $$, 'KT404', 'not_found',
  'a nominee cannot read another nominee''s conversation'
);
select throws_ok(
  $$ select api.send_message(tests.vault(), tests.nominee('carol'), 'x', '2026-03-10T10:00Z') $$, 'KT404', 'not_found', 'a nominee cannot write in another nominee''s conversation'
);
select tests.as_user('acme', 'carol');
select throws_ok(statement, 'KT403', 'nominee_inactive', 'a paused nominee is told so: ' || statement)
from (values
  ($$ select api.list_messages(tests.vault(), tests.nominee('carol'), 50, null, '2026-03-10T10:00Z') $$),
  ($$ select api.send_message(tests.vault(), tests.nominee('carol'), 'x', '2026-03-10T10:00Z') $$),
  ($$ select api.read_messages(tests.vault(), tests.nominee('carol'), '2026-03-10T10:00Z') $$)
) as statements (statement);
select tests.as_user('acme', 'mallory');
select throws_ok(
  $$ select api.send_message(tests.vault(), tests.nominee('mallory'), 'x', '2026-03-10T10:00Z') $$, 'KT403', 'nominee_revoked',
  'a revoked nominee is told so'
);
select tests.as_user('globex', 'globex-alice');
select throws_ok(
  $$ select api.list_messages(tests.vault(), tests.nominee('bob'), 50, null, '2026-03-10T10:00Z') $$, 'KT404', 'not_found',
  'a user of another tenant finds no conversation'
);
select is_empty($$ select from kith.messages $$, 'a user of another tenant reads no message');
select tests.as_user('acme', 'carol');
select is_empty($$ select from kith.messages $$, 'users cannot read other people''s messages');
select throws_ok($$ update kith.messages set body = 'x' $$, '42501', null, 'nobody can change a message');

-- Blocks (X22).
select tests.as_user('acme', 'bob');
select is(api.put_block(tests.id('alice'), '2026-03-10T11:00Z') -> 'user' ->> 'display_name', 'Alice', 'a nominee blocks the owner');
select throws_ok(
  $$ select api.send_message(tests.vault(), tests.nominee('bob'), 'x', '2026-03-10T11:01Z') $$, 'KT403', 'forbidden', 'the nominee cannot write to the blocked owner'
);
select tests.as_user('acme', 'alice');
select throws_ok(
  $$ select api.send_message(tests.vault(), tests.nominee('bob'), 'x', '2026-03-10T11:01Z') $$, 'KT403', 'forbidden', 'the blocked owner cannot write to the nominee'
);
select is(length(tests.conversation('bob', '2026-03-10T11:02Z')) > 0, true, 'earlier messages stay');
select tests.as_user('acme', 'bob');
select api.delete_block(tests.id('alice'), '2026-03-10T12:00Z') \g /dev/null

-- Activity (V04).
select tests.as_user('acme', 'alice');
select api.open_vault(tests.vault(), '2026-03-10T12:00Z') \g /dev/null
select api.send_message(tests.vault(), tests.nominee('bob'), 'It is open', '2026-03-10T12:10Z') \g /dev/null
select is(
  api.get_vault(tests.vault(), '2026-03-10T12:10Z') -> 'session' ->> 'expires_at', '2026-03-10T12:40:00.000000Z', 'writing keeps a vault open'
);
select tests.as_user('acme', 'bob');
select tests.conversation('bob', '2026-03-10T12:20Z') \g /dev/null
select is(
  api.get_vault(tests.vault(), '2026-03-10T12:20Z') -> 'session' ->> 'expires_at', '2026-03-10T12:50:00.000000Z', 'reading keeps a vault open'
);
select tests.conversation('bob', '2026-03-10T12:55Z') \g /dev/null
select is(api.get_vault(tests.vault(), '2026-03-10T12:55Z') ->> 'session', null, 'neither writing nor reading reopens an expired session');

-- Limits.
select is(
  (
    select string_agg(distinct coalesce(api.send_message(tests.vault(), tests.nominee('bob'), n::text, '2026-03-10T13:00Z'::timestamptz + n * interval '1 second') ->> 'problem', 'sent'), ' ')
    from generate_series(1, 30) as n
  ),
  'sent', '30 messages a minute are accepted'
);
select is(
  api.send_message(tests.vault(), tests.nominee('bob'), 'x', '2026-03-10T13:00:50Z')::jsonb - 'detail',
  '{"problem": "too_many_requests", "retry_after": 11}', 'the next message is refused with a delay'
);
select is(
  api.send_message(tests.vault(), tests.nominee('bob'), 'x', '2026-03-10T13:01:01Z') ->> 'body', 'x', 'after that delay a message is accepted'
);
create temporary table pages as
select api.list_messages(tests.vault(), tests.nominee('bob'), 20, null, '2026-03-10T13:02Z') as page;
select is(json_array_length(page -> 'items'), 20, 'a long conversation has pages') from pages;
select is(
  json_array_length(api.list_messages(tests.vault(), tests.nominee('bob'), 20, (page ->> 'next_cursor')::uuid, '2026-03-10T13:02Z') -> 'items'),
  14, 'the last page is shorter'
) from pages;

-- Alice gives the vault away, and deletes her account without ever having answered Carol.
select tests.as_superuser();
update kith.nominees set status = 'accepted' where id = tests.nominee('carol');
select tests.as_user('acme', 'carol');
select api.send_message(tests.vault(), tests.nominee('carol'), 'Are you there?', '2026-03-10T14:00Z') \g /dev/null
select tests.as_user('acme', 'alice');
create temporary table offers as
select (api.create_transfer(tests.vault(), '{"name": "Mallory", "keep_access": false}', 'x', '2026-03-10T14:01Z') #>> '{invitation,token}')::uuid as token;
grant select on offers to public;
select tests.as_user('acme', 'mallory');
select api.accept_invitation(token, '2026-03-10T14:02Z') from offers \g /dev/null
select tests.as_user('acme', 'alice');
select api.delete_me(null, '2026-03-10T14:03Z') \g /dev/null
select tests.as_superuser();
select is(
  (select count(*) from kith.messages where owner_id = tests.id('alice')), 0::bigint, 'messages to a deleted user are deleted as well'
);

select * from finish();
rollback;
