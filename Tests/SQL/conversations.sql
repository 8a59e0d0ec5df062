-- All conversations of a person in one list, with what is unread, and their events (V12, F09).
begin;
\ir people.sql
\ir event_feed.sql
select plan(37);

create function tests.send(p_person text, p_vault text, p_nominee text, p_body text, p_at timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.as_user('acme', p_person);
  insert into kept values (p_body, (api.send_message(tests.kept(p_vault), tests.kept(p_nominee), p_body, p_at) ->> 'id')::uuid);
  perform tests.as_superuser();
end
$$;
create function tests.read(p_person text, p_vault text, p_nominee text, p_at timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.as_user('acme', p_person);
  perform api.read_messages(tests.kept(p_vault), tests.kept(p_nominee), p_at);
  perform tests.as_superuser();
end
$$;
-- The list of a person: vault, counterpart, unread, last message, and what the other side has read.
create function tests.conversations(p_person text, p_limit integer default 50, p_cursor uuid default null) returns text
  language plpgsql
as $$
declare
  v_list json;
begin
  perform tests.as_user(case when p_person like 'globex%' then 'globex' else 'acme' end, p_person);
  v_list := api.list_conversations(p_limit, p_cursor);
  perform tests.as_superuser();
  return (v_list ->> 'unread_count') || ': ' || coalesce((
    select string_agg(concat_ws(
        ' ', item ->> 'role', item #>> '{vault,name}', item #>> '{counterpart,display_name}', item ->> 'unread_count',
        item #>> '{last_message,body}', (select name from kept where id::text = item ->> 'read_until')
      ), ', ' order by n)
    from json_array_elements(v_list -> 'items') with ordinality as items (item, n)
  ), '');
end
$$;

-- Alice's papers with Bob and Carol; Bob's photos with Alice.
select tests.as_user('acme', 'alice');
insert into kept select 'papers', (api.create_vault('{"name": "Papers"}', '2026-03-30T10:00Z') ->> 'id')::uuid;
select tests.as_user('acme', 'bob');
insert into kept select 'photos', (api.create_vault('{"name": "Photos"}', '2026-03-30T10:00Z') ->> 'id')::uuid;
select tests.as_superuser();
insert into kept values ('bob', gen_random_uuid()), ('carol', gen_random_uuid()), ('alice in photos', gen_random_uuid());
insert into kith.nominees (tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, updated_at)
select tests.tenant('acme'), tests.kept(name), tests.kept(vault), tests.id(owner), tests.id(person), person, 'accepted', 'view', '2026-03-30T10:00Z',
  tests.id(owner), '2026-03-30T10:00Z', '2026-03-30T10:00Z'
from (values ('bob', 'papers', 'alice', 'bob'), ('carol', 'papers', 'alice', 'carol'), ('alice in photos', 'photos', 'bob', 'alice')) as given (name, vault, owner, person);
select tests.feed('2026-03-30T10:00Z') \g /dev/null

select is(tests.conversations('alice'), '0: ', 'nobody has written yet');
select tests.send('bob', 'papers', 'bob', 'Hello', '2026-03-30T10:01Z');
select is(
  tests.feed('2026-03-30T10:01Z'), array['alice message', 'alice notification message_received', 'bob message'],
  'a message appears on both sides, on the writer''s other devices too'
);
select tests.send('bob', 'papers', 'bob', 'Are you there?', '2026-03-30T10:02Z');
select tests.send('carol', 'papers', 'carol', 'Hi', '2026-03-30T10:03Z');
select tests.send('bob', 'photos', 'alice in photos', 'Look', '2026-03-30T10:04Z');
select is(
  tests.conversations('alice'), '4: nominee Photos Bob 1 Look, owner Papers Carol 1 Hi, owner Papers Bob 2 Are you there?',
  'conversations in all vaults are one list, with what is unread, newest first'
);
select is(tests.conversations('bob'), '0: owner Photos Alice 0 Look, nominee Papers Alice 0 Are you there?', 'one''s own messages are not unread');
select is(tests.conversations('mallory'), '0: ', 'a stranger has none of them');
select is(tests.conversations('globex-bob'), '0: ', 'nor has another tenant''s Bob');
select is(
  tests.conversations('alice', 1), '4: nominee Photos Bob 1 Look', 'the list has pages'
);
select is(
  tests.conversations('alice', 1, tests.kept('Look')), '4: owner Papers Carol 1 Hi', 'the next continues after the last message of the page before'
);
select is(tests.conversations('alice', 5, tests.kept('Hi')), '4: owner Papers Bob 2 Are you there?', 'up to the last');
select tests.as_user('acme', 'alice');
select is(
  (api.list_conversations(1, null) -> 'items' -> 0)::jsonb,
  jsonb_build_object(
    'nominee_id', tests.kept('alice in photos'), 'role', 'nominee', 'vault', jsonb_build_object('id', tests.kept('photos'), 'name', 'Photos'),
    'counterpart', jsonb_build_object('id', tests.id('bob'), 'display_name', 'Bob'), 'unread_count', 1, 'read_until', null,
    'last_message', jsonb_build_object(
      'id', tests.kept('Look'), 'from', jsonb_build_object('id', tests.id('bob'), 'display_name', 'Bob'), 'body', 'Look',
      'created_at', '2026-03-30T10:04:00.000000Z', 'read_at', null
    )
  ),
  'each item says with whom and where, and what was written last'
);
select is(api.list_conversations(1, null) ->> 'next_cursor', tests.kept('Look')::text, 'the cursor is the last message');

-- Reading.
select tests.as_superuser();
select tests.feed('2026-03-30T10:05Z') \g /dev/null
select tests.read('alice', 'papers', 'bob', '2026-03-30T10:05Z');
select is(
  tests.feed('2026-03-30T10:05Z'), array['alice conversation', 'bob conversation'], 'reading is shown to the writer, and on the reader''s other devices'
);
select is(tests.conversations('alice'), '2: nominee Photos Bob 1 Look, owner Papers Carol 1 Hi, owner Papers Bob 0 Are you there?', 'what was read is not unread');
select is(
  tests.conversations('bob'), '0: owner Photos Alice 0 Look, nominee Papers Alice 0 Are you there? Are you there?', 'the writer sees up to where it was read'
);
select tests.read('alice', 'papers', 'bob', '2026-03-30T10:06Z');
select is(tests.feed('2026-03-30T10:06Z'), null, 'reading again shows nothing');
select tests.read('bob', 'papers', 'bob', '2026-03-30T10:06Z');
select is(tests.feed('2026-03-30T10:06Z'), null, 'nor does reading one''s own');
select tests.send('alice', 'papers', 'bob', 'Yes', '2026-03-30T10:07Z');
select is(
  tests.conversations('bob'), '1: nominee Papers Alice 1 Yes Are you there?, owner Photos Alice 0 Look', 'an answer moves the conversation to the top'
);
select is(
  (
    select string_agg(concat_ws(' ', owner_unread, nominee_unread), ', ' order by last_message_id) from kith.conversations
  ),
  (
    select string_agg(concat_ws(' ', of_owner, of_nominee), ', ' order by last_id)
    from (
      select nominee_id, count(*) filter (where read_at is null and from_id <> owner_id) as of_owner,
        count(*) filter (where read_at is null and from_id = owner_id) as of_nominee, (array_agg(id order by id desc))[1] as last_id
      from kith.messages group by nominee_id
    ) as counted
  ),
  'the counts are those of the messages'
);

-- What an event says, and to whom.
select tests.as_user('acme', 'bob');
select is(
  internal.event_json('message', tests.kept('Yes'), tests.kept('bob'), null, '2026-03-30T10:08Z')::jsonb,
  (api.list_messages(tests.kept('papers'), tests.kept('bob'), 1, null, '2026-03-30T10:08Z') -> 'items' -> 0)::jsonb
    || jsonb_build_object('vault_id', tests.kept('papers'), 'nominee_id', tests.kept('bob')),
  'a message''s event has the message'
);
select is(
  internal.event_json('conversation', tests.kept('bob'), tests.kept('papers'), null, '2026-03-30T10:08Z')::jsonb - 'id',
  (api.list_conversations(1, null) -> 'items' -> 0)::jsonb, 'a conversation''s event has the item of the list'
);
select is(
  internal.event_json('message', tests.kept('Yes'), tests.kept('bob'), null, '2026-03-30T10:08Z')::jsonb,
  jsonb_build_object('id', tests.kept('Yes'), 'nominee_id', tests.kept('bob'), 'status', 'deleted'), format('%s learns nothing of it', person)
)
from (values ('acme', 'carol'), ('acme', 'mallory'), ('globex', 'globex-bob')) as people (tenant, person)
cross join lateral tests.as_user(tenant, person);
select is(
  internal.event_json('conversation', tests.kept('bob'), tests.kept('papers'), null, '2026-03-30T10:08Z')::jsonb,
  jsonb_build_object('id', tests.kept('bob'), 'vault_id', tests.kept('papers'), 'status', 'deleted'), format('nor does %s of the conversation', person)
)
from (values ('acme', 'carol'), ('globex', 'globex-alice')) as people (tenant, person)
cross join lateral tests.as_user(tenant, person);
select tests.as_user('acme', 'carol');
select is((select count(*) from kith.conversations), 1::bigint, 'everybody sees the state of their own conversations only');
select throws_ok($$ update kith.conversations set owner_unread = 0 $$, '42501', null, 'and nobody changes it directly');

-- Access that ends.
select tests.as_user('acme', 'alice');
select api.update_nominee(tests.kept('papers'), tests.kept('carol'), '{"status": "inactive"}', '2026-03-30T10:09Z') \g /dev/null
select is(tests.conversations('carol'), '0: ', 'a nominee whose access is paused does not see the conversation');
select is(
  tests.conversations('alice'), '2: owner Papers Bob 0 Yes, nominee Photos Bob 1 Look, owner Papers Carol 1 Hi', 'but the owner does'
);
select tests.as_user('acme', 'bob');
select api.delete_vault(tests.kept('photos'), '2026-03-30T10:10Z') \g /dev/null
select is(tests.conversations('bob'), '1: nominee Papers Alice 1 Yes Are you there?', 'the conversations of a deleted vault are not in the list');
select tests.as_user('acme', 'alice');
insert into kept
select 'token', (api.create_transfer(tests.kept('papers'), '{"name": "M", "keep_access": false}', 'https://kith.example', '2026-03-30T10:11Z') #>> '{invitation,token}')::uuid;
select tests.as_user('acme', 'mallory');
select api.accept_invitation(tests.kept('token'), '2026-03-30T10:12Z') \g /dev/null
select is(tests.conversations('mallory'), '0: ', 'a new owner does not see the former owner''s conversations');
select is(tests.conversations('alice'), '0: ', 'and the former owner, who left, sees them no longer');
select tests.send('mallory', 'papers', 'bob', 'I am new here', '2026-03-30T10:13Z');
select is(
  tests.conversations('bob'), '1: nominee Papers Mallory 1 I am new here', 'with the new owner the nominee has another conversation, and the unread end of the old one no longer counts'
);
select tests.read('bob', 'papers', 'bob', '2026-03-30T10:14Z');
select is(tests.conversations('bob'), '0: nominee Papers Mallory 0 I am new here', 'one reading reads both');
select is(tests.conversations('mallory'), '0: owner Papers Bob 0 I am new here I am new here', 'and each owner sees what of theirs was read');
select is(
  (select string_agg(concat_ws(' ', (select name from kept where id = nominee_read_id)), ', ' order by nominee_read_id) from kith.conversations where nominee_id = tests.kept('bob')),
  'Yes, I am new here', 'up to the message of their own'
);
select tests.as_user('acme', 'bob');
select api.delete_me('delete', '2026-03-30T10:15Z') \g /dev/null
select tests.as_superuser();
select is((select count(*) from kith.conversations), 1::bigint, 'conversations go with the account of either side');

select * from finish();
rollback;
