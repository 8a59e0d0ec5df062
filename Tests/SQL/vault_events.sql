-- The events about a vault, on the screens of its owner and its nominees.
begin;
\ir people.sql
\ir event_feed.sql
select plan(19);

select tests.as_user('acme', 'alice');
insert into kept select 'papers', (api.create_vault('{"name": "Papers"}', '2026-03-30T10:00Z') ->> 'id')::uuid;
select tests.as_superuser();
select is(tests.feed('2026-03-30T10:00Z'), array['alice vault'], 'a new vault appears on its owner''s other screens, and on nobody else''s');
select tests.as_user('acme', 'alice');
create temporary table invited as
select given ->> 'name' as name, (given -> 'id')::text::json #>> '{}' as id, given #>> '{invitation,token}' as token
from (
  select value -> 'nominee' as given
  from json_array_elements(api.invite_nominees(
    tests.kept('papers'), '[{"name": "Bob", "access_level": "view"}, {"name": "Mallory", "access_level": "full"}]', 'https://kith.example/',
    '2026-03-30T10:01Z'
  ))
) as answers;
grant select on invited to public;
select tests.as_superuser();
select is(tests.feed('2026-03-30T10:01Z'), array['alice nominee pending', 'alice nominee pending'], 'an invitation appears on the owner''s screen');
select tests.as_user('acme', 'bob');
select api.accept_invitation((select token::uuid from invited where name = 'Bob'), '2026-03-30T10:02Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.feed('2026-03-30T10:02Z'), array['alice nominee accepted', 'alice notification nominee_accepted', 'bob nominee accepted'],
  'an acceptance appears on both screens'
);
select tests.as_user('acme', 'alice');
select api.update_vault(tests.kept('papers'), '{"name": "Family papers"}', '2026-03-30T10:02Z') \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-30T10:02Z'), array['alice vault', 'bob vault accepted'], 'a vault''s new name reaches its owner and its nominees');
select tests.as_user('acme', 'bob');
select is(
  internal.event_json('vault', tests.kept('papers'), null, null, '2026-03-30T10:02Z'), api.get_vault(tests.kept('papers'), '2026-03-30T10:02Z')::text,
  'the event contains what the vault''s own call returns'
);
select tests.as_user('acme', 'mallory');
select is(
  internal.event_json('vault', tests.kept('papers'), null, null, '2026-03-30T10:02Z')::jsonb,
  jsonb_build_object('id', tests.kept('papers'), 'status', 'deleted'), 'a nominee who has not accepted learns nothing of the vault'
);
select tests.as_user('acme', 'alice');
select api.update_vault(tests.kept('papers'), '{"name": "Family papers"}', '2026-03-30T10:02Z') \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-30T10:02Z'), null, 'setting the same vault name again emits no event');
select tests.as_user('acme', 'alice');
select api.update_me('{"display_name": "Alicia"}', '{}', '2026-03-30T10:02Z') \g /dev/null
select tests.as_superuser();
select ok(tests.feed('2026-03-30T10:02Z') @> array['bob vault accepted'], 'the owner''s new name reaches the nominees');
select tests.as_user('acme', 'mallory');
select api.accept_invitation((select token::uuid from invited where name = 'Mallory'), '2026-03-30T10:03Z') \g /dev/null
select tests.as_user('acme', 'alice');
select api.open_vault(tests.kept('papers'), '2026-03-30T10:04Z') \g /dev/null
select tests.as_superuser();
select ok(
  tests.feed('2026-03-30T10:04Z') @> array['alice session', 'bob notification vault_opened', 'bob session', 'mallory session'],
  'an opening reaches everybody with access'
);
select tests.as_user('acme', 'alice');
select api.update_nominee(tests.kept('papers'), (select id::uuid from invited where name = 'Bob'), '{"access_level": "edit"}', '2026-03-30T10:05Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.feed('2026-03-30T10:05Z'), array['alice nominee active', 'bob nominee active', 'bob notification nominee_changed', 'mallory nominee active'],
  'nominees with level full see others change while the vault is open'
);
select tests.as_user('acme', 'alice');
select api.lock_vault(tests.kept('papers'), '2026-03-30T10:06Z') \g /dev/null
select tests.as_superuser();
select ok(
  tests.feed('2026-03-30T10:06Z') @> array['alice session manual', 'bob session manual', 'mallory session manual'], 'a locking reaches everybody with access'
);
select tests.as_user('acme', 'alice');
select api.open_vault(tests.kept('papers'), '2026-03-30T11:00Z') \g /dev/null
select tests.as_superuser();
select tests.feed('2026-03-30T11:00Z') \g /dev/null
select tests.as_role('kith_worker');
select worker.lock_expired_sessions('2026-03-30T12:00Z', 100) \g /dev/null
select tests.as_superuser();
select ok(tests.feed('2026-03-30T12:00Z') @> array['alice session expired', 'bob session expired'], 'an expired session reaches everybody with access');
select tests.as_user('acme', 'alice');
select api.update_nominee(tests.kept('papers'), (select id::uuid from invited where name = 'Bob'), '{"status": "inactive"}', '2026-03-30T12:01Z') \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-30T12:01Z'), array['alice nominee inactive', 'bob nominee inactive', 'bob notification nominee_changed'], 'a pause of access reaches both sides');
select tests.as_user('acme', 'alice');
select api.revoke_nominee(tests.kept('papers'), (select id::uuid from invited where name = 'Bob'), '2026-03-30T12:02Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.feed('2026-03-30T12:02Z'), array['alice nominee revoked', 'bob nominee revoked', 'bob notification nominee_revoked'], 'a revocation reaches both sides'
);
select tests.as_user('acme', 'bob');
select is(
  internal.event_json('nominee', (select id::uuid from invited where name = 'Bob'), tests.kept('papers'), null, '2026-03-30T12:02Z')::jsonb,
  jsonb_build_object('id', (select id from invited where name = 'Bob'), 'vault_id', tests.kept('papers'), 'status', 'revoked'),
  'the revoked nominee learns nothing more of the vault'
);
select is(
  internal.event_json('nominee', (select id::uuid from invited where name = 'Mallory'), tests.kept('papers'), null, '2026-03-30T12:02Z')::jsonb ->> 'status',
  'deleted', 'the revoked nominee learns nothing more of the other nominees'
);
select tests.as_user('acme', 'alice');
select api.delete_vault(tests.kept('papers'), '2026-03-30T12:03Z') \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-30T12:03Z'), array['alice vault deleted', 'mallory nominee deleted'], 'a deleted vault disappears from its owner''s and its nominees'' screens');
select tests.as_user('acme', 'alice');
select is(
  internal.event_json('vault', tests.kept('papers'), null, null, '2026-03-30T12:03Z')::jsonb,
  jsonb_build_object('id', tests.kept('papers'), 'status', 'deleted'), 'a deleted vault''s earlier name is not shown, not even to its owner'
);
select tests.as_user('acme', 'alice');
select api.restore_vault(tests.kept('papers'), '2026-03-30T12:04Z') \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-30T12:04Z'), array['alice vault', 'mallory nominee accepted'], 'a restored vault appears again on its owner''s and its nominees'' screens');

select * from finish();
rollback;
