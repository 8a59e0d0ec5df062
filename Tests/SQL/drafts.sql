-- Invitation drafts, which an app hands to its extension (N23).
begin;
\ir people.sql
select plan(15);

create temporary table house (name text primary key, id uuid);
grant select, insert on house to public;
create function tests.draft(p_vault text, p_at timestamptz) returns json
  language sql
as $$ select api.put_invitation_draft(jsonb_build_object('vault_id', (select id from house where name = p_vault)), p_at) $$;

select tests.as_user('acme', 'alice');
select throws_ok($$ select api.take_invitation_draft('2026-03-10T08:00Z') $$, 'KT404', 'not_found', 'a user without a vault has nothing to draft');
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
  jsonb_build_object('vault', jsonb_build_object('id', id, 'name', 'Second'), 'fallback', false), 'a draft can be read'
)
from house where name = 'second';
select is(
  api.take_invitation_draft('2026-03-10T08:11:59Z')::jsonb,
  jsonb_build_object('vault', jsonb_build_object('id', id, 'name', 'First'), 'fallback', true), 'a draft is read once; afterwards the oldest vault is the fallback'
)
from house where name = 'first';
select tests.draft('second', '2026-03-10T08:20Z') \g /dev/null
select is(api.take_invitation_draft('2026-03-10T08:30Z') ->> 'fallback', 'true', 'an expired draft is ignored');
select tests.draft('first', '2026-03-10T08:31Z') \g /dev/null
select tests.draft('second', '2026-03-10T08:31Z') \g /dev/null
select is(api.take_invitation_draft('2026-03-10T08:31Z') -> 'vault' ->> 'name', 'Second', 'a new draft replaces the old one');
select tests.draft('second', '2026-03-10T08:32Z') \g /dev/null
select is(api.delete_invitation_draft()::text, null, 'a draft can be deleted');
select is(api.delete_invitation_draft()::text, null, 'deleting a draft that does not exist succeeds');
select is(api.take_invitation_draft('2026-03-10T08:32Z') ->> 'fallback', 'true', 'a deleted draft is gone');
select tests.draft('second', '2026-03-10T08:33Z') \g /dev/null
select api.delete_vault(id, '2026-03-10T08:33Z') from house where name = 'second' \g /dev/null
select is(api.take_invitation_draft('2026-03-10T08:34Z') -> 'vault' ->> 'name', 'First', 'a draft for a deleted vault is ignored');

-- Permissions.
select tests.draft('first', '2026-03-10T08:35Z') \g /dev/null
select tests.as_user('acme', 'bob');
select throws_ok($$ select tests.draft('first', '2026-03-10T08:35Z') $$, 'KT404', 'not_found', 'a stranger cannot draft an invitation');
select throws_ok($$ select api.take_invitation_draft('2026-03-10T08:35Z') $$, 'KT404', 'not_found', 'a stranger cannot take another user''s draft');
select tests.as_user('globex', 'globex-alice');
select throws_ok($$ select tests.draft('first', '2026-03-10T08:35Z') $$, 'KT404', 'not_found', 'a user of another tenant cannot draft an invitation');
select tests.as_role('kith_api');
select throws_ok($$ select api.take_invitation_draft('2026-03-10T08:35Z') $$, 'KT401', 'unauthenticated', 'a caller without a user cannot take a draft');
select tests.as_superuser();
insert into kith.nominees (
  tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, accepted_at, updated_at
)
select tests.tenant('acme'), gen_random_uuid(), id, tests.id('alice'), tests.id('bob'), 'Bob', 'accepted', 'full', now(), now(), now()
from house where name = 'first';
select tests.as_user('acme', 'bob');
select throws_ok(
  $$ select tests.draft('first', '2026-03-10T08:36Z') $$, 'KT423', 'vault_locked', 'a nominee with level full can draft only while the vault is open'
);

select * from finish();
rollback;
