-- Vaults and their one shared session (D01, V01-V09).
begin;
\ir people.sql
select plan(60);

create temporary table house (name text primary key, id uuid);
grant select, insert on house to public;
create function tests.vault(p_name text default 'papers') returns uuid language sql stable return (select id from house where name = p_name);
-- Bob is an accepted nominee; Carol's access is paused; Mallory was revoked.
create function tests.nominate(p_person text, p_status text, p_level text) returns void
  language plpgsql
as $$
begin
  insert into kith.nominees (
    tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, revoked_at,
    revoke_reason, updated_at
  )
  values (
    tests.tenant('acme'), gen_random_uuid(), tests.vault(), tests.id('alice'), tests.id(p_person), initcap(p_person), p_status, p_level,
    '2026-03-10T08:00Z', tests.id('alice'), '2026-03-10T08:00Z', case when p_status = 'revoked' then '2026-03-10T08:00Z'::timestamptz end,
    case when p_status = 'revoked' then 'removed' end, '2026-03-10T08:00Z'
  );
end
$$;
create function tests.told(p_person text) returns text
  language sql stable
as $$
  select coalesce(string_agg(title || ': ' || body, '; ' order by id), '') from tests.notifications
  where user_id = tests.id(p_person) and type like 'vault%'
$$;

select tests.as_user('acme', 'alice');
with made as (select api.create_vault('{"name": "Papers"}', '2026-03-10T08:00Z') as vault)
insert into house select 'papers', (vault ->> 'id')::uuid from made;
select is(
  api.get_vault(tests.vault(), '2026-03-10T08:00Z')::jsonb - 'id',
  jsonb_build_object(
    'name', 'Papers', 'role', 'owner', 'access_level', 'full', 'status', null,
    'owner', jsonb_build_object('id', tests.id('alice'), 'display_name', 'Alice'), 'require_confirmation', false, 'full_may_open', false,
    'nominee_id', null, 'session', null, 'pending_transfer', null,
    'counts', '{"nominees": {"pending": 0, "accepted": 0, "active": 0, "inactive": 0}, "documents": 0, "unread": 0}'::jsonb,
    'created_at', '2026-03-10T08:00:00.000000Z', 'updated_at', '2026-03-10T08:00:00.000000Z', 'deleted_at', null
  ),
  'a vault begins locked'
);
select tests.as_superuser();
select tests.nominate('bob', 'accepted', 'view');
select tests.nominate('carol', 'inactive', 'edit');
select tests.nominate('mallory', 'revoked', 'full');

-- Visibility.
select tests.as_user('acme', 'bob');
select is(api.get_vault(tests.vault(), '2026-03-10T08:01Z') ->> 'status', 'accepted', 'a nominee sees the vault, with their own status');
select is(
  api.list_vaults(null, false, 50, null, '2026-03-10T08:01Z') -> 'items' -> 0 ->> 'access_level', 'view', 'a nominee finds the vault in the list, with their own level'
);
select tests.as_user('acme', 'carol');
select is(api.get_vault(tests.vault(), '2026-03-10T08:01Z') ->> 'status', 'inactive', 'a paused nominee sees their status');
select throws_ok(
  $$ select api.open_vault(tests.vault(), '2026-03-10T08:01Z') $$, 'KT403', 'nominee_inactive', 'a paused nominee cannot enter, and is told why'
);
select tests.as_user('acme', 'mallory');
select throws_ok($$ select api.get_vault(tests.vault(), '2026-03-10T08:01Z') $$, 'KT403', 'nominee_revoked', 'a revoked nominee is told so');
select is(api.list_vaults(null, false, 50, null, '2026-03-10T08:01Z') ->> 'items', '[]', 'a revoked nominee''s list is empty');
select is_empty($$ select from kith.vaults $$, 'a revoked nominee cannot read the table');
select tests.as_user('globex', 'globex-alice');
select throws_ok($$ select api.get_vault(tests.vault(), '2026-03-10T08:01Z') $$, 'KT404', 'not_found', 'a user of another tenant does not find the vault');
select tests.as_role('kith_api');
select is_empty($$ select from kith.vaults $$, 'without a tenant no vault is visible');

-- Opening.
select tests.as_user('acme', 'bob');
select throws_ok($$ select api.open_vault(tests.vault(), '2026-03-10T09:00Z') $$, 'KT423', 'vault_locked', 'a nominee alone cannot open a locked vault');
select tests.as_user('acme', 'alice');
create temporary table first as select api.open_vault(tests.vault(), '2026-03-10T09:00Z') as session;
grant select on first to public;
select is(session ->> 'expires_at', '2026-03-10T09:30:00.000000Z', 'the owner opens the vault for 30 minutes') from first;
select is(
  api.open_vault(tests.vault(), '2026-03-10T09:05Z')::jsonb,
  jsonb_build_object('answer', 200, 'body', session::jsonb), 'opening an open vault returns the same session'
) from first;
select tests.as_user('acme', 'bob');
select is(api.open_vault(tests.vault(), '2026-03-10T09:06Z') ->> 'answer', '200', 'a nominee joins the session');
select api.open_vault(tests.vault(), '2026-03-10T09:06Z') \g /dev/null
select is(api.get_vault(tests.vault(), '2026-03-10T09:06Z') ->> 'status', 'active', 'a nominee in the session is active');
select is(api.get_vault(tests.vault(), '2026-03-10T09:06Z') -> 'session' ->> 'id', session ->> 'id', 'the nominee is in the same session') from first;
select tests.as_superuser();
select is(tests.told('bob'), 'Vault Open: Alice opened Papers. You can enter now.', 'a nominee with access is told');
select is(tests.told('carol') || tests.told('mallory') || tests.told('alice'), '', 'nobody else is told');
select throws_ok(
  format(
    $$
      insert into kith.vault_sessions (tenant_id, id, vault_id, owner_id, kind, unlocked_by, opened_at, expires_at, maximum_at, last_activity_at)
      values (%s, gen_random_uuid(), %L, %L, 'shared', %L, '2026-03-10T09:01Z', '2026-03-10T09:31Z', '2026-03-10T21:00Z', '2026-03-10T09:01Z')
    $$, tests.tenant('acme'), tests.vault(), tests.id('alice'), tests.id('alice')
  ),
  '23505', null, 'a vault cannot have a second open session'
);

-- Activity.
select tests.as_user('acme', 'bob');
select is(
  api.note_vault_activity(tests.vault(), '2026-03-10T09:00:30Z') ->> 'expires_at', '2026-03-10T09:30:00.000000Z',
  'activity within a minute of the last writes nothing'
);
select is(
  api.note_vault_activity(tests.vault(), '2026-03-10T09:20Z') ->> 'expires_at', '2026-03-10T09:50:00.000000Z',
  'any participant''s activity extends the session'
);
select tests.as_superuser();
select is(
  (select last_active_at from kith.nominees where user_id = tests.id('bob')), '2026-03-10T09:20Z', 'the nominee''s last activity is stored'
);
select tests.as_user('acme', 'bob');
select lives_ok($$ select api.note_vault_activity(tests.vault(), '2026-03-10T09:49:59.999Z') $$, 'activity is accepted until the last moment');
select is(
  api.get_vault(tests.vault(), '2026-03-10T10:19:59.998Z') ->> 'status', 'active', 'the session is open until its end'
);
select is(
  api.get_vault(tests.vault(), '2026-03-10T10:19:59.999Z') ->> 'status', 'accepted', 'the session ends on the instant, even if that is not recorded yet'
);
select throws_ok(
  $$ select api.note_vault_activity(tests.vault(), '2026-03-10T10:19:59.999Z') $$, 'KT423', 'vault_locked', 'activity cannot revive an expired session'
);
select tests.as_superuser();
select is((select count(*)::integer from kith.vault_sessions where locked_at is null), 1, 'the row has no end yet');
select is(worker.lock_expired_sessions('2026-03-10T10:19:59Z', 10), 0, 'the worker does not come early') from (select tests.as_role('kith_worker')) as worker;
select is(worker.lock_expired_sessions('2026-03-10T10:25Z', 10), 1, 'the worker records the end');
select is(worker.lock_expired_sessions('2026-03-10T10:25Z', 10), 0, 'the end is recorded once');
select tests.as_superuser();
select results_eq(
  $$ select locked_at::timestamptz, lock_reason, locked_by from kith.vault_sessions $$,
  $$ values ('2026-03-10T10:19:59.999Z'::timestamptz, 'expired', null::uuid) $$, 'the recorded end is the instant of expiry, with no user'
);
select is(
  tests.told('bob'), 'Vault Open: Alice opened Papers. You can enter now.; Vault Locked: Papers is locked.', 'nominees are told of the automatic lock'
);

-- The hard maximum, and opening a vault whose session has expired.
select tests.as_superuser();
update kith.tenants set session_maximum_minutes = 45 where slug = 'acme';
select tests.as_user('acme', 'alice');
select is(api.open_vault(tests.vault(), '2026-03-11T09:00Z') ->> 'expires_at', '2026-03-11T09:30:00.000000Z', 'the next day the vault can be opened again');
select is(
  api.note_vault_activity(tests.vault(), '2026-03-11T09:20Z') ->> 'expires_at', '2026-03-11T09:45:00.000000Z', 'activity does not extend the session beyond the maximum'
);
select is(
  api.open_vault(tests.vault(), '2026-03-11T09:45Z') ->> 'opened_at', '2026-03-11T09:45:00.000000Z', 'opening closes an expired session'
);
select tests.as_superuser();
select is(
  (select lock_reason from kith.vault_sessions where opened_at = '2026-03-11T09:00Z'), 'expired', 'the expired session is closed in the same transaction'
);

-- Locking.
select tests.as_user('acme', 'bob');
select throws_ok($$ select api.lock_vault(tests.vault(), '2026-03-11T09:50Z') $$, 'KT403', 'forbidden', 'a nominee with level view cannot lock');
select tests.as_user('acme', 'alice');
select is(api.lock_vault(tests.vault(), '2026-03-11T09:50Z') ->> 'lock_reason', 'manual', 'the owner locks the vault');
select is(api.lock_vault(tests.vault(), '2026-03-11T09:55Z') ->> 'locked_at', '2026-03-11T09:50:00.000000Z', 'locking again changes nothing');
select tests.as_superuser();
update kith.nominees set access_level = 'full' where user_id = tests.id('bob');
select tests.as_user('acme', 'bob');
select throws_ok($$ select api.open_vault(tests.vault(), '2026-03-11T10:00Z') $$, 'KT423', 'vault_locked', 'a nominee with level full cannot open alone');
select tests.as_user('acme', 'alice');
select api.update_vault(tests.vault(), '{"full_may_open": true, "name": "Our papers"}', '2026-03-11T10:01Z') \g /dev/null
select is(
  api.update_vault(tests.vault(), '{"full_may_open": true}', '2026-03-11T10:01:30Z') ->> 'updated_at', '2026-03-11T10:01:00.000000Z',
  'setting the current values is not a change'
);
select tests.as_user('acme', 'bob');
select is(api.open_vault(tests.vault(), '2026-03-11T10:02Z') ->> 'unlocked_by', tests.id('bob')::text, 'a nominee with level full can open if the owner allows it');
select is(api.lock_vault(tests.vault(), '2026-03-11T10:03Z') ->> 'locked_by', tests.id('bob')::text, 'a nominee with level full can lock');

select api.open_vault(tests.vault(), '2026-03-11T10:03:30Z') \g /dev/null
select is(
  api.lock_vault(tests.vault(), '2026-03-11T10:03:29.999Z') ->> 'locked_at', '2026-03-11T10:03:30.000000Z', 'a delayed request does not lock a vault at an instant before it was opened'
);

-- Deleting.
select throws_ok($$ select api.delete_vault(tests.vault(), '2026-03-11T10:04Z') $$, 'KT403', 'forbidden', 'a nominee cannot delete a vault');
select tests.as_user('acme', 'alice');
select api.open_vault(tests.vault(), '2026-03-11T11:00Z') \g /dev/null
select api.delete_vault(tests.vault(), '2026-03-11T11:01Z') \g /dev/null
select throws_ok($$ select api.get_vault(tests.vault(), '2026-03-11T11:01Z') $$, 'KT404', 'not_found', 'a deleted vault is not found');
select tests.as_user('acme', 'bob');
select throws_ok($$ select api.get_vault(tests.vault(), '2026-03-11T11:01Z') $$, 'KT404', 'not_found', 'nominees do not find a deleted vault either');
select tests.as_user('acme', 'alice');
select is(
  api.list_vaults(null, true, 50, null, '2026-03-11T11:02Z') -> 'items' -> 0 ->> 'id', tests.vault()::text, 'the owner finds it among deleted vaults'
);
select throws_ok($$ select api.restore_vault(tests.vault(), '2026-04-10T11:01Z') $$, 'KT404', 'not_found', 'a deleted vault cannot be restored after 30 days');
select is(api.restore_vault(tests.vault(), '2026-04-10T11:00Z') ->> 'session', null, 'within 30 days it can be restored, and is locked');
select tests.as_user('acme', 'bob');
select is(api.get_vault(tests.vault(), '2026-04-10T11:01Z') ->> 'status', 'accepted', 'a restored vault has its nominees');

-- History.
select throws_ok(
  $$ select api.list_vault_history(tests.vault(), null, null, null, 50, null, '2026-04-10T11:02Z') $$, 'KT403', 'forbidden', 'only the owner can read the history'
);
select tests.as_user('acme', 'alice');
select is(
  (
    select string_agg(item ->> 'action' || coalesce(' ' || (item -> 'actor' ->> 'display_name'), ''), ', ' order by n desc)
    from json_array_elements(api.list_vault_history(tests.vault(), null, null, null, 50, null, '2026-04-10T11:02Z') -> 'items') with ordinality as items (item, n)
  ),
  'vault.created Alice, vault.opened Alice, vault.joined Bob, vault.locked, vault.opened Alice, vault.locked, vault.opened Alice, vault.locked Alice, '
    || 'vault.renamed Alice, vault.opened Bob, vault.locked Bob, vault.opened Bob, vault.locked Bob, vault.opened Alice, vault.locked Alice, vault.deleted Alice, vault.restored Alice',
  'the history has every act, in order'
);
select throws_ok($$ update kith.history set action = 'nothing' $$, '42501', null, 'nobody can change the history');
select throws_ok($$ delete from kith.history $$, '42501', null, 'nobody can delete the history');
-- Deleted vaults use space for 30 days, so their number is limited.
select tests.as_superuser();
insert into kith.vaults (tenant_id, id, owner_id, name, require_confirmation, full_may_open, created_at, updated_at, deleted_at, deleted_by)
select tests.tenant('acme'), gen_random_uuid(), tests.id('carol'), 'Old', false, false, '2026-04-01T08:00Z', '2026-04-01T08:00Z',
  '2026-04-01T08:00Z', 'user:' || tests.id('carol')
from generate_series(1, 400);
select tests.as_user('acme', 'carol');
select throws_ok(
  $$ select api.create_vault('{"name": "One more"}', '2026-04-10T11:04Z') $$, 'KT507', 'quota_exceeded', 'a user with hundreds of deleted vaults cannot create more'
);
select lives_ok($$ select api.create_vault('{"name": "One more"}', '2026-05-01T08:00Z') $$, 'a user can create vaults again once the deleted ones are swept');
select tests.as_superuser();
update kith.vaults set deleted_at = null, deleted_by = null where id = any (array(
  select id from kith.vaults where owner_id = tests.id('carol') order by id limit 200
));
select tests.as_user('acme', 'carol');
select throws_ok(
  $$ select api.create_vault('{"name": "One more"}', '2026-05-01T08:00Z') $$, 'KT507', 'quota_exceeded', 'a user with hundreds of vaults cannot create more'
);

-- Notifications are limited, and a block stops them.
select tests.as_superuser();
delete from kith.notifications;
select tests.as_user('acme', 'alice');
select api.open_vault(tests.vault(), '2026-04-12T08:00Z'::timestamptz + n * interval '1 minute'),
  api.lock_vault(tests.vault(), '2026-04-12T08:00:30Z'::timestamptz + n * interval '1 minute')
from generate_series(1, 25) as n \g /dev/null
select tests.as_superuser();
select is(
  (select count(*) from kith.notifications where user_id = tests.id('bob')), 40::bigint, 'nominees are told of at most 20 openings an hour'
);
insert into kith.blocks values (tests.tenant('acme'), tests.id('bob'), tests.id('alice'), '2026-04-12T11:00Z');
select tests.as_user('acme', 'alice');
select api.open_vault(tests.vault(), '2026-04-12T12:00Z') \g /dev/null
select tests.as_superuser();
select is(
  (select count(*) from kith.notifications where user_id = tests.id('bob')), 40::bigint, 'a nominee who has blocked the owner is not told (X22)'
);

select * from finish();
rollback;
