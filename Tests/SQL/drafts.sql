-- What an app hands to its extension (N23).
begin;
\ir people.sql
select plan(15);

create temporary table house (name text primary key, id uuid);
grant select, insert on house to public;
create function tests.draft(p_vault text, p_at timestamptz) returns json
  language sql
as $$ select api.put_invitation_draft(jsonb_build_object('vault_id', (select id from house where name = p_vault)), p_at) $$;

select tests.as_user('acme', 'alice');
select throws_ok($$ select api.take_invitation_draft('2026-03-10T08:00Z') $$, 'KT404', 'not_found', 'who owns no vault has nothing to invite to');
insert into house select 'first', (api.create_vault('{"name": "First"}', '2026-03-10T08:00Z') ->> 'id')::uuid;
insert into house select 'second', (api.create_vault('{"name": "Second"}', '2026-03-10T08:01Z') ->> 'id')::uuid;
select is(
  tests.draft('second', '2026-03-10T08:02Z')::jsonb,
  jsonb_build_object('vault', jsonb_build_object('id', id, 'name', 'Second'), 'expires_at', '2026-03-10T08:12:00.000000Z'),
  'a draft is kept for ten minutes'
)
from house where name = 'second';
select is(
  api.take_invitation_draft('2026-03-10T08:11:59Z')::jsonb,
  jsonb_build_object('vault', jsonb_build_object('id', id, 'name', 'Second'), 'fallback', false), 'and read'
)
from house where name = 'second';
select is(
  api.take_invitation_draft('2026-03-10T08:11:59Z')::jsonb,
  jsonb_build_object('vault', jsonb_build_object('id', id, 'name', 'First'), 'fallback', true), 'once: then it is the oldest vault'
)
from house where name = 'first';
select tests.draft('second', '2026-03-10T08:20Z') \g /dev/null
select is(api.take_invitation_draft('2026-03-10T08:30Z') ->> 'fallback', 'true', 'an old draft is none');
select tests.draft('first', '2026-03-10T08:31Z') \g /dev/null
select tests.draft('second', '2026-03-10T08:31Z') \g /dev/null
select is(api.take_invitation_draft('2026-03-10T08:31Z') -> 'vault' ->> 'name', 'Second', 'the last one counts');
select tests.draft('second', '2026-03-10T08:32Z') \g /dev/null
select is(api.delete_invitation_draft()::text, null, 'a draft can be forgotten');
select is(api.delete_invitation_draft()::text, null, 'also when there is none');
select is(api.take_invitation_draft('2026-03-10T08:32Z') ->> 'fallback', 'true', 'and is gone');
select tests.draft('second', '2026-03-10T08:33Z') \g /dev/null
select api.delete_vault(id, '2026-03-10T08:33Z') from house where name = 'second' \g /dev/null
select is(api.take_invitation_draft('2026-03-10T08:34Z') -> 'vault' ->> 'name', 'First', 'of a deleted vault nothing is left');

-- Whose.
select tests.draft('first', '2026-03-10T08:35Z') \g /dev/null
select tests.as_user('acme', 'bob');
select throws_ok($$ select tests.draft('first', '2026-03-10T08:35Z') $$, 'KT404', 'not_found', 'a stranger drafts nothing');
select throws_ok($$ select api.take_invitation_draft('2026-03-10T08:35Z') $$, 'KT404', 'not_found', 'and takes nobody''s draft');
select tests.as_user('globex', 'globex-alice');
select throws_ok($$ select tests.draft('first', '2026-03-10T08:35Z') $$, 'KT404', 'not_found', 'nor does another tenant''s');
select tests.as_role('kith_api');
select throws_ok($$ select api.take_invitation_draft('2026-03-10T08:35Z') $$, 'KT401', 'unauthenticated', 'nor nobody');
select tests.as_superuser();
insert into kith.nominees (
  tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, accepted_at, updated_at
)
select tests.tenant('acme'), gen_random_uuid(), id, tests.id('alice'), tests.id('bob'), 'Bob', 'accepted', 'full', now(), now(), now()
from house where name = 'first';
select tests.as_user('acme', 'bob');
select throws_ok(
  $$ select tests.draft('first', '2026-03-10T08:36Z') $$, 'KT423', 'vault_locked', 'a nominee with level full invites while the vault is open'
);

select * from finish();
rollback;
