-- What waits for a person on the first screen (D02), and who is told when an invitation or an access ends by itself (V09).
begin;
\ir people.sql
select plan(22);

create temporary table kept (name text primary key, id uuid);
grant all on kept to public;
create function tests.kept(p_name text) returns uuid language sql stable return (select id from kept where name = p_name);
create function tests.invite(p_vault text, p_given jsonb, p_at timestamptz) returns uuid
  language sql
  return (api.invite_nominees(tests.kept(p_vault), jsonb_build_array('{"name": "X"}'::jsonb || p_given), 'https://kith.example', p_at) #>> '{0,nominee,invitation,token}')::uuid;
create function tests.nominee(p_vault text, p_person text) returns uuid
  language sql security definer
  return (select id from kith.nominees where vault_id = tests.kept(p_vault) and user_id = tests.id(p_person) order by id desc limit 1);
create function tests.joins(p_person text, p_token uuid, p_at timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.as_user('acme', p_person);
  perform api.accept_invitation(p_token, p_at);
  perform tests.as_user('acme', 'alice');
end
$$;
-- The requests that wait: the nominee and the status of each, in order.
create function tests.requests(p_at timestamptz) returns text
  language sql
  return (
    select string_agg((item #>> '{nominee,display_name}') || ' ' || (item ->> 'status'), ', ' order by n)
    from json_array_elements(api.home(p_at) #> '{waiting,emergency_requests}') with ordinality as items (item, n)
  );
create function tests.told(p_person text) returns text
  language sql security definer
  return (select string_agg(body, ' ' order by body) from tests.notifications where user_id = tests.id(p_person) and type = 'nominee_revoked');

update kith.users set email = person || '@example.com', email_verified_at = '2026-03-01T00:00Z'
from unnest(array['carol', 'mallory']) as person where users.id = tests.id(person);

select tests.as_user('acme', 'alice');
insert into kept
select name, (api.create_vault(jsonb_build_object('name', name), '2026-03-10T08:00Z') ->> 'id')::uuid from unnest(array['papers', 'house', 'shed']) as name;
select tests.joins('bob', tests.invite('papers', '{"name": "Bob"}', '2026-03-10T08:00Z'), '2026-03-10T08:00Z');
select tests.joins('carol', tests.invite('papers', '{"name": "Carol"}', '2026-03-10T08:00Z'), '2026-03-10T08:00Z');
select tests.joins('bob', tests.invite('house', '{"name": "Bob"}', '2026-03-10T08:00Z'), '2026-03-10T08:00Z');
select tests.joins('carol', tests.invite('house', '{"name": "Carol"}', '2026-03-10T08:00Z'), '2026-03-10T08:00Z');
select api.set_emergency_settings(tests.kept(vault), tests.nominee(vault, person), jsonb_build_object('wait_hours', hours, 'access_level', 'view', 'on_request', true), '2026-03-10T08:00Z')
from (values ('papers', 'bob', 48), ('papers', 'carol', 24), ('house', 'bob', 1), ('house', 'carol', 1)) as rights (vault, person, hours) \g /dev/null
select api.set_emergency_quorum(tests.kept('house'), jsonb_build_object('required', 2, 'nominees', jsonb_build_array(tests.nominee('house', 'bob'), tests.nominee('house', 'carol'))), '2026-03-10T08:00Z') \g /dev/null

-- Requests for emergency access.
select is(tests.requests('2026-03-10T09:00Z'), null, 'nothing waits at first');
select tests.as_user('acme', 'bob');
select api.request_emergency_access(tests.kept('house'), null, '2026-03-10T09:00Z') \g /dev/null
select api.request_emergency_access(tests.kept('papers'), null, '2026-03-10T09:00Z') \g /dev/null
select is(tests.requests('2026-03-10T09:01Z'), null, 'one''s own requests wait for somebody else');
select tests.as_user('acme', 'carol');
select api.request_emergency_access(tests.kept('papers'), null, '2026-03-10T09:10Z') \g /dev/null
select tests.as_user('acme', 'alice');
select is(tests.requests('2026-03-10T10:00Z'), 'Carol waiting, Bob waiting, Bob gathering', 'the request that grants first is at the head, and one that gathers last');
select is(
  (api.home('2026-03-10T10:00Z') #> '{waiting,emergency_requests,0}')::jsonb, (api.list_emergency_requests(tests.kept('papers'), null, 50, null, '2026-03-10T10:00Z') #> '{items,0}')::jsonb,
  'a request is as its own list has it'
);
select is(tests.requests('2026-03-11T09:10Z'), 'Carol granted, Bob waiting, Bob gathering', 'a grant can still be ended');
select is(tests.requests('2026-03-14T09:11Z'), 'Bob granted, Bob gathering', 'but not once it is over');
select api.reject_emergency_request(
  tests.kept('papers'), (select id from kith.emergency_requests where nominee_id = tests.nominee('papers', 'bob')), '2026-03-10T10:01Z'
) \g /dev/null
select is(tests.requests('2026-03-10T10:02Z'), 'Carol waiting, Bob gathering', 'a rejected request does not wait');
select api.delete_vault(tests.kept('house'), '2026-03-10T10:03Z') \g /dev/null
select is(tests.requests('2026-03-10T10:04Z'), 'Carol waiting', 'nor one of a deleted vault');

-- People to confirm.
select api.update_vault(tests.kept('shed'), '{"require_confirmation": true}', '2026-03-10T11:00Z') \g /dev/null
select tests.joins('mallory', tests.invite('shed', '{"name": "Mal", "access_level": "edit"}', '2026-03-10T11:00Z'), '2026-03-10T11:01Z');
select is(
  (api.home('2026-03-10T11:02Z') #> '{waiting,confirmations}')::jsonb,
  jsonb_build_array(jsonb_build_object(
    'nominee_id', tests.nominee('shed', 'mallory'), 'name', 'Mal', 'user', jsonb_build_object('id', tests.id('mallory'), 'display_name', 'Mallory'), 'access_level', 'edit',
    'vault', jsonb_build_object('id', tests.kept('shed'), 'name', 'shed'), 'updated_at', '2026-03-10T11:01:00.000000Z'
  )),
  'a person who has accepted waits for the confirmation, by name'
);
select tests.as_user('acme', 'mallory');
select is((api.home('2026-03-10T11:02Z') #> '{waiting,confirmations}')::jsonb, '[]', 'not on the person''s own first screen');
select tests.as_user('acme', 'alice');
select api.confirm_nominee(tests.kept('shed'), tests.nominee('shed', 'mallory'), '2026-03-10T11:03Z') \g /dev/null
select is((api.home('2026-03-10T11:04Z') #> '{waiting,confirmations}')::jsonb, '[]', 'a confirmed person does not wait');

-- Leaving.
select tests.as_user('acme', 'bob');
select api.revoke_nominee(tests.kept('papers'), tests.nominee('papers', 'bob'), '2026-03-10T12:00Z') \g /dev/null
select is(tests.told('alice'), 'Bob no longer has access to papers.', 'the owner is told that a nominee has left');
select throws_ok($$ select api.revoke_nominee(tests.kept('papers'), tests.nominee('papers', 'bob'), '2026-03-10T12:01Z') $$, 'KT403', 'nominee_revoked', 'nobody leaves twice');
select is(tests.told('alice'), 'Bob no longer has access to papers.', 'once');
select is(tests.told('bob'), null, 'who leaves is not told');

-- The vault is deleted: whom the invitation waits for is told, and nobody else.
select tests.as_user('acme', 'alice');
select tests.invite('papers', '{"email": "mallory@example.com"}', '2026-03-10T13:00Z') \g /dev/null
select tests.invite('papers', '{"email": "mallory@example.com"}', '2026-03-10T13:01Z') \g /dev/null
-- She is a nominee already.
select tests.invite('papers', '{"email": "carol@example.com"}', '2026-03-10T13:01Z') \g /dev/null
select api.delete_vault(tests.kept('papers'), '2026-03-10T13:02Z') \g /dev/null
select is(tests.told('mallory'), 'Your invitation to “papers” has ended.', 'somebody whose invitation waits is told once that it has ended');
select is(tests.told('carol'), null, 'a nominee comes back with the vault, and is told nothing');
select api.restore_vault(tests.kept('papers'), '2026-03-10T13:03Z') \g /dev/null
select tests.invite('papers', '{"email": "mallory@example.com"}', '2026-03-10T13:04Z') \g /dev/null
select api.delete_vault(tests.kept('papers'), '2026-03-20T13:05Z') \g /dev/null
select is(tests.told('mallory'), 'Your invitation to “papers” has ended.', 'an invitation that has expired ends nothing');
select api.restore_vault(tests.kept('papers'), '2026-03-20T13:06Z') \g /dev/null
select tests.invite('papers', '{"email": "mallory@example.com"}', '2026-03-20T13:07Z') \g /dev/null
select tests.as_user('acme', 'mallory');
select api.put_block(tests.id('alice'), '2026-03-20T13:08Z') \g /dev/null
select tests.as_user('acme', 'alice');
select api.delete_vault(tests.kept('papers'), '2026-03-20T13:09Z') \g /dev/null
select is(tests.told('mallory'), 'Your invitation to “papers” has ended.', 'nor does one from somebody whom the person has blocked');
select tests.as_user('acme', 'mallory');
select api.delete_block(tests.id('alice'), '2026-03-20T13:10Z') \g /dev/null

-- The owner's account ends.
select tests.as_superuser();
delete from kith.notifications where type = 'nominee_revoked';
select tests.as_user('acme', 'alice');
insert into kept values ('last', (api.create_vault('{"name": "last", "require_confirmation": true}', '2026-03-20T14:00Z') ->> 'id')::uuid);
select tests.invite('last', '{"email": "mallory@example.com"}', '2026-03-20T14:01Z') \g /dev/null
select tests.joins('carol', tests.invite('last', '{"name": "Carol"}', '2026-03-20T14:01Z'), '2026-03-20T14:02Z');
select api.delete_me('delete', '2026-03-20T14:03Z') \g /dev/null
select tests.as_superuser();
select is(tests.told('mallory'), 'Your access to a vault has ended. Your invitation to a vault has ended.', 'somebody whose invitation waits is told of it, without the vault''s name');
select is(tests.told('carol'), 'Your access to a vault has ended.', 'and so is somebody who waits for the confirmation');
select is((select count(*) from kith.notifications where type = 'nominee_revoked' and data ? 'user_id'), 0::bigint, 'none of them names the owner');

select * from finish();
rollback;
