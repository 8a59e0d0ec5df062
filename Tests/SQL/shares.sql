-- A vault's link to an external sharing service, and the synchronisation of its participants (C01-C06).
begin;
\ir people.sql
select plan(81);

create temporary table house (name text primary key, id uuid);
grant select, insert on house to public;
create function tests.vault(p_name text default 'papers') returns uuid language sql stable return (select id from house where name = p_name);
-- A participant: id, acceptance, permission, and further fields.
create function tests.participant(p_id text, p_acceptance text, p_permission text default 'readOnly', p_more jsonb default '{}') returns jsonb
  language sql immutable
  return jsonb_build_object('id', p_id, 'acceptance_status', p_acceptance, 'permission', p_permission, 'role', 'privateUser') || p_more;
create function tests.many(p_acceptance text) returns jsonb
  language sql immutable
  return (
    select jsonb_build_object('participants', jsonb_agg(tests.participant('q' || n, p_acceptance))) from generate_series(1, 980) as n
  );
create function tests.synchronise(p_at timestamptz, variadic p_participants jsonb[]) returns text
  language sql
as $$
  select concat_ws(' ', counts ->> 'created', counts ->> 'updated', counts ->> 'revoked', counts ->> 'unchanged')
  from api.synchronise_share(tests.vault(), jsonb_build_object('participants', to_jsonb(p_participants)), p_at) as counts
$$;
create function tests.nominees() returns text
  language sql stable
as $$
  select coalesce(string_agg(concat_ws(' ', share_participant_id, status, access_level, revoke_reason), ', ' order by share_participant_id, id), '')
  from kith.nominees where vault_id = tests.vault()
$$;
create function tests.told(p_person text) returns text
  language sql stable
as $$
  select coalesce(string_agg(title || ': ' || body, '; ' order by id), '') from tests.notifications where user_id = tests.id(p_person)
$$;

select tests.as_user('acme', 'alice');
with made as (select api.create_vault('{"name": "Papers"}', '2026-03-10T08:00Z') as vault)
insert into house select 'papers', (vault ->> 'id')::uuid from made;

-- The share itself.
select throws_ok($$ select api.get_share(tests.vault(), '2026-03-10T08:00Z') $$, 'KT404', 'not_found', 'a vault has no share at first');
select throws_ok(
  $$ select tests.synchronise('2026-03-10T08:00Z', tests.participant('p1', 'pending')) $$, 'KT404', 'not_found', 'synchronising requires a share'
);
create temporary table first as select api.put_share(tests.vault(), '{}', '2026-03-10T08:01Z')::jsonb as share;
grant select on first to public;
select is(
  share - 'id',
  jsonb_build_object(
    'vault', jsonb_build_object('id', tests.vault(), 'name', 'Papers'), 'record_name', 'CD_Vault_' || upper(tests.vault()::text),
    'url', null, 'permission', 'readWrite', 'participant_count', 0, 'created_at', '2026-03-10T08:01:00.000000Z',
    'updated_at', '2026-03-10T08:01:00.000000Z'
  ),
  'a new share has a record name that contains only the vault''s id'
) from first;
select is(api.put_share(tests.vault(), '{}', '2026-03-10T08:02Z')::jsonb, share, 'getting or creating it again returns it unchanged') from first;
select is(
  api.put_share(tests.vault(), '{"url": "https://share.example/1"}', '2026-03-10T08:03Z') ->> 'record_name', share ->> 'record_name',
  'a new url is stored, and other fields stay'
) from first;
select is(
  api.put_share(tests.vault(), '{"record_name": "other"}', '2026-03-10T08:04Z') ->> 'url', 'https://share.example/1', 'a new record name is stored'
);
select throws_ok(
  $$ select api.put_share(tests.vault(), '{"url": "http://share.example/1"}', '2026-03-10T08:04Z') $$, 'KT422', 'validation_failed',
  'a url that is not https is refused'
);
select is(api.get_share(tests.vault(), '2026-03-10T08:05Z') ->> 'id', share ->> 'id', 'the owner sees the share') from first;
select is(api.list_shares(50, null) -> 'items' -> 0 ->> 'id', share ->> 'id', 'the owner''s list has the share') from first;

-- Participants.
select is(
  tests.synchronise(
    '2026-03-10T09:00Z', tests.participant('p1', 'pending', 'readOnly', '{"name": "Bob", "phone": "+4915100000002", "email": "bob@example.com"}'),
    tests.participant('p2', 'accepted', 'readWrite'), tests.participant('me', 'accepted', 'readWrite', '{"role": "owner"}'),
    tests.participant('p3', 'removed')
  ),
  '2 0 0 1', 'new participants are created; the owner and an unknown removed participant are ignored'
);
select tests.as_superuser();
select is(tests.nominees(), 'p1 pending view, p2 accepted edit', 'the permission sets the level');
select is(
  (select concat_ws(' ', name, phone, email, user_id, share_record_id) from kith.nominees where share_participant_id = 'p1'),
  'Bob +4915100000002 bob@example.com other', 'a new nominee has a name and contacts, but no user'
);
update kith.users set phone = '+4915100000002', phone_verified_at = '2026-03-01T00:00Z' where id = tests.id('bob');
select tests.as_user('acme', 'bob');
select throws_ok(
  $$ select api.get_vault(tests.vault(), '2026-03-10T09:00Z') $$, 'KT404', 'not_found',
  'a user with the same verified number gets no access'
);
select tests.as_user('acme', 'alice');
select is(
  tests.synchronise('2026-03-10T09:01Z', tests.participant('p2', 'accepted', 'readWrite'), tests.participant('p1', 'pending')), '0 0 0 2',
  'synchronising the same list again changes nothing'
);
select is(
  tests.synchronise('2026-03-10T09:02Z', tests.participant('p1', 'accepted', 'readWrite')), '0 1 0 0', 'an acceptance updates the nominee'
);
select tests.as_superuser();
select is(tests.nominees(), 'p1 accepted view, p2 accepted edit', 'a permission never raises a level, and absent participants stay');
select tests.as_user('acme', 'alice');
select is(
  tests.synchronise('2026-03-10T09:03Z', tests.participant('p1', 'pending', 'readWrite'), tests.participant('p2', 'accepted', 'readOnly')),
  '0 2 0 0', 'a status of pending and a lower permission count as updates'
);
select tests.as_superuser();
select is(tests.nominees(), 'p1 accepted view, p2 accepted view', 'an accepted nominee stays accepted, and a lower permission lowers the level');
update kith.nominees set access_level = 'full' where share_participant_id = 'p2';
select tests.as_user('acme', 'alice');
select tests.synchronise('2026-03-10T09:04Z', tests.participant('p2', 'accepted', 'readWrite')) \g /dev/null
select tests.synchronise('2026-03-10T09:05Z', tests.participant('p2', 'accepted', 'readOnly')) \g /dev/null
select tests.as_superuser();
select is(tests.nominees(), 'p1 accepted view, p2 accepted full', 'a level that the owner set stays');
select tests.as_user('acme', 'alice');
select is(
  tests.synchronise('2026-03-10T09:06Z', tests.participant('p1', 'removed'), tests.participant('p9', 'removed')), '0 0 1 1',
  'a removed participant is revoked'
);
select is(tests.synchronise('2026-03-10T09:07Z', tests.participant('p1', 'removed')), '0 0 0 1', 'a participant is revoked once');
select tests.as_superuser();
select is(
  (select removed_at from kith.share_participants where participant_id = 'p1'), '2026-03-10T09:06Z', 'the share says since when a participant is gone'
);
select tests.as_user('acme', 'alice');
select is(tests.synchronise('2026-03-10T09:08Z', tests.participant('p1', 'pending')), '1 0 0 0', 'a participant who returns is created again');
select tests.as_superuser();
select is(tests.nominees(), 'p1 revoked view share, p1 pending view, p2 accepted full', 'the returning participant has a new row');
select is((select removed_at from kith.share_participants where participant_id = 'p1'), null, 'and is not gone any more');
update kith.nominees set status = 'inactive' where share_participant_id = 'p2';
select tests.as_user('acme', 'alice');
select tests.synchronise('2026-03-10T09:08:30Z', tests.participant('p2', 'accepted', 'readOnly', '{"name": "Carla"}')) \g /dev/null
select tests.as_superuser();
select is(
  (select concat_ws(' ', status, name, accepted_at = '2026-03-10T09:00Z') from kith.nominees where share_participant_id = 'p2'), 'inactive Carla t',
  'a nominee whom the owner has paused stays paused, and has accepted when they did'
);
update kith.nominees set status = 'accepted' where share_participant_id = 'p2';
select tests.as_user('acme', 'alice');
select is(api.get_share(tests.vault(), '2026-03-10T09:09Z') ->> 'participant_count', '2', 'the returning participant is counted once');
select throws_ok(
  $$ select tests.synchronise('2026-03-10T09:09Z', tests.participant('p1', 'pending'), tests.participant('p2', 'pending'), tests.participant('p1', 'removed')) $$,
  'KT422', 'validation_failed', 'a list must not name a participant twice'
);

-- Changes by the owner.
select tests.as_superuser();
select internal.enter_tenant('acme') \g /dev/null
select internal.end_nominee(id, 'removed', '2026-03-10T10:00Z') from kith.nominees where share_participant_id = 'p2' \g /dev/null
select is(
  (select removed_at from kith.share_participants where participant_id = 'p2'), '2026-03-10T10:00Z', 'whom the owner removes is gone from the share at that instant'
);
select tests.as_user('acme', 'alice');
select is(
  tests.synchronise('2026-03-10T10:01Z', tests.participant('p2', 'accepted', 'readWrite', '{"name": "Carol"}')), '0 0 0 1',
  'a nominee removed by the owner does not return because the service still lists them'
);
select is(tests.synchronise('2026-03-10T10:02Z', tests.participant('p2', 'removed')), '0 0 0 1', 'when the service reports the removal, nothing is left to do');
select tests.as_superuser();
select is(
  (select removed_at from kith.share_participants where participant_id = 'p2'), '2026-03-10T10:00Z', 'the share keeps since when that participant is gone'
);
select tests.as_user('acme', 'alice');
select is(tests.synchronise('2026-03-10T10:03Z', tests.participant('p2', 'accepted', 'readWrite')), '1 0 0 0', 'after a reported removal the participant can return');
-- Bob accepts the invitation to p1 and waits for the owner's confirmation; Carol has accepted.
select tests.as_superuser();
update kith.nominees set user_id = tests.id('bob'), needs_confirmation = true where share_participant_id = 'p1' and status = 'pending';
update kith.nominees set user_id = tests.id('carol') where share_participant_id = 'p2' and status = 'accepted';
select tests.as_user('acme', 'alice');
select is(tests.synchronise('2026-03-10T10:04Z', tests.participant('p1', 'accepted')), '0 1 0 0', 'accepting the share updates the nominee');
select tests.as_superuser();
select is(
  (select status from kith.nominees where user_id = tests.id('bob')), 'pending', 'accepting the share does not replace the owner''s confirmation'
);
update kith.nominees set status = 'inactive' where user_id = tests.id('carol');
select tests.as_user('acme', 'alice');
select tests.synchronise('2026-03-10T10:05Z', tests.participant('p2', 'accepted', 'readWrite', '{"name": "Carol C."}')) \g /dev/null
select tests.as_superuser();
select is(
  (select status || ' ' || name from kith.nominees where user_id = tests.id('carol')), 'inactive Carol C.', 'accepting the share does not resume a paused nominee'
);
update kith.nominees set status = 'accepted', needs_confirmation = false, accepted_at = '2026-03-10T10:05Z'
where user_id in (tests.id('bob'), tests.id('carol'));
select tests.as_user('acme', 'alice');
select api.open_vault(tests.vault(), '2026-03-10T10:06Z') \g /dev/null
select tests.as_user('acme', 'bob');
select is(api.get_vault(tests.vault(), '2026-03-10T10:06Z') ->> 'status', 'active', 'an accepted nominee is active in an open vault');
select tests.as_user('acme', 'alice');
select tests.synchronise('2026-03-10T10:07Z', tests.participant('p1', 'accepted', 'readOnly', '{"name": "Robert"}')) \g /dev/null
select tests.as_user('acme', 'bob');
select is(api.get_vault(tests.vault(), '2026-03-10T10:07Z') ->> 'status', 'active', 'synchronising keeps an active nominee active');
select tests.as_user('acme', 'alice');
select is(tests.synchronise('2026-03-10T10:08Z', tests.participant('p1', 'removed')), '0 0 1 0', 'a removal by the service revokes an active nominee');
select tests.as_user('acme', 'bob');
select throws_ok(
  $$ select api.get_vault(tests.vault(), '2026-03-10T10:08Z') $$, 'KT403', 'nominee_revoked', 'the revoked nominee loses access at once'
);
select tests.as_superuser();
select is(
  tests.told('bob'), 'Vault Open: Alice opened Papers. You can enter now.; Access Ended: Your access to Papers has ended.', 'the revoked nominee is told'
);

-- Permissions of the share itself.
select tests.as_user('acme', 'alice');
select is(
  api.change_share((share ->> 'id')::uuid, 'readOnly', '2026-03-10T11:00Z') ->> 'permission', 'readOnly', 'a share''s permission can be lowered'
) from first;
select tests.as_superuser();
select is((select access_level from kith.nominees where user_id = tests.id('carol')), 'view', 'lowering the permission lowers the level of its nominees');
select tests.as_user('acme', 'alice');
select tests.synchronise('2026-03-10T11:01Z', tests.participant('p4', 'accepted', 'readWrite')) \g /dev/null
select api.change_share((share ->> 'id')::uuid, 'readWrite', '2026-03-10T11:02Z') from first \g /dev/null
select tests.as_superuser();
select is(
  (select string_agg(access_level, ' ') from kith.nominees where share_participant_id in ('p2', 'p4') and status <> 'revoked'), 'view view',
  'a lowered permission also limits later participants, and raising it again raises no level'
);

-- Permissions of other users.
select tests.as_user('acme', 'carol');
select throws_ok(statement, 'KT403', 'forbidden', 'a nominee cannot: ' || statement)
from (values
  ($$ select api.put_share(tests.vault(), '{}', '2026-03-10T11:10Z') $$),
  ($$ select api.get_share(tests.vault(), '2026-03-10T11:10Z') $$),
  ($$ select api.delete_share(tests.vault(), '2026-03-10T11:10Z') $$),
  ($$ select tests.synchronise('2026-03-10T11:10Z', tests.participant('p1', 'pending')) $$)
) as statements (statement);
select throws_ok(
  format($$ select api.change_share(%L, 'readOnly', '2026-03-10T11:10Z') $$, share ->> 'id'), 'KT404', 'not_found', 'a nominee cannot change the share by its id'
) from first;
select is(api.list_shares(50, null)::jsonb, '{"items": [], "next_cursor": null}', 'a nominee''s list of shares is empty');
select is_empty($$ select from kith.shares $$, 'a nominee cannot read the table');
select tests.as_user('acme', 'mallory');
select throws_ok(statement, 'KT404', 'not_found', 'a stranger finds no share: ' || statement)
from (values
  ($$ select api.put_share(tests.vault(), '{}', '2026-03-10T11:10Z') $$),
  ($$ select api.get_share(tests.vault(), '2026-03-10T11:10Z') $$),
  ($$ select api.delete_share(tests.vault(), '2026-03-10T11:10Z') $$),
  ($$ select tests.synchronise('2026-03-10T11:10Z', tests.participant('p1', 'pending')) $$)
) as statements (statement);
select throws_ok(
  format($$ select api.end_share(%L, '2026-03-10T11:10Z') $$, share ->> 'id'), 'KT404', 'not_found', 'a stranger cannot end a share by its id'
) from first;
select tests.as_user('globex', 'globex-alice');
select throws_ok(
  $$ select api.put_share(tests.vault(), '{}', '2026-03-10T11:10Z') $$, 'KT404', 'not_found', 'a user of another tenant does not find the vault'
);

-- Statistics.
select tests.as_superuser();
insert into kith.nominee_invitations (
  tenant_id, id, vault_id, nominee_id, owner_id, token_hash, channel, created_at, expires_at, ended_at, end_reason, outcome
)
select tests.tenant('acme'), gen_random_uuid(), tests.vault(), id, tests.id('alice'), sha256(n::text::bytea), channel, now(), now(), now(), 'resent', outcome
from (select id from kith.nominees where user_id = tests.id('carol')) as carol,
  (values (1, 'messages', 'sent'), (2, 'messages', 'sent'), (3, 'mail', 'failed'), (4, 'link', null)) as sent (n, channel, outcome);
select tests.as_user('acme', 'alice');
select is(
  api.share_usage()::jsonb,
  '{"total": 4, "items": [
    {"channel": "link", "outcome": null, "count": 1}, {"channel": "mail", "outcome": "failed", "count": 1},
    {"channel": "messages", "outcome": "sent", "count": 2}
  ]}',
  'an owner sees the channels and outcomes of invitations'
);
select tests.as_user('acme', 'mallory');
select is(api.share_usage()::jsonb, '{"items": [], "total": 0}', 'other users'' statistics are empty');

-- Whoever has deleted their account is not brought back by the service's next list (A04).
savepoint erased;
select tests.as_user('acme', 'alice');
select is(
  tests.synchronise(
    '2026-03-10T11:20Z', tests.participant('x1', 'accepted', p_more => '{"name": "Zoe Zander", "phone": "+491590000077"}'),
    tests.participant('x2', 'pending', p_more => '{"name": "Zoe Zander", "phone": "+491590000077"}')
  ), '2 0 0 0', 'two participants are one person'
);
select tests.as_superuser();
update kith.nominees set user_id = tests.id('mallory') where share_participant_id = 'x1';
update kith.users set phone = '+491590000077', phone_verified_at = '2026-03-01Z' where id = tests.id('mallory');
select tests.as_server('acme');
select api.delete_user(tests.id('mallory'), null, '2026-03-10T11:21Z') \g /dev/null
select tests.as_user('acme', 'alice');
select is(
  tests.synchronise(
    '2026-03-10T11:22Z', tests.participant('x1', 'accepted', p_more => '{"name": "Zoe Zander", "phone": "+491590000077"}'),
    tests.participant('x2', 'accepted', p_more => '{"name": "Zoe Zander", "phone": "+491590000077"}')
  ), '0 0 0 2', 'after their account was deleted, the same list changes nothing'
);
select tests.as_superuser();
select is_empty($$ select from kith.nominees where name ~ 'Zander' or phone = '+491590000077' $$, 'no name and no number is back');
select is_empty($$ select from kith.share_participants where participant_id in ('x1', 'x2') $$, 'nor is the service''s id of them kept');
select tests.as_user('acme', 'alice');
select is(tests.synchronise('2026-03-10T11:23Z', tests.participant('x1', 'removed')), '0 0 0 1', 'once the service has removed them');
select is(tests.synchronise('2026-03-10T11:24Z', tests.participant('x1', 'pending')), '1 0 0 0', 'a new share with them is a new invitation');
select is(tests.synchronise('2026-03-10T11:25Z', tests.participant('x1', 'pending')), '0 0 0 1', 'which is known from then on');
rollback to erased;

-- Ending a share.
select tests.as_user('acme', 'alice');
select is(api.end_share((share ->> 'id')::uuid, '2026-03-10T12:00Z')::text, null, 'a share ends') from first;
select tests.as_superuser();
select is(
  (select string_agg(concat_ws(' ', status, revoke_reason), ', ' order by id) from kith.nominees where revoked_at = '2026-03-10T12:00Z'),
  'revoked share', 'nominees who have not accepted by token are revoked'
);
select is(
  (select concat_ws(' ', status, share_participant_id) from kith.nominees where user_id = tests.id('carol')), 'accepted',
  'nominees who have accepted by token keep their access, without the share'
);
select is((select count(*) from kith.share_participants), 0::bigint, 'no participants are kept');
select tests.as_user('acme', 'alice');
select throws_ok($$ select api.get_share(tests.vault(), '2026-03-10T12:01Z') $$, 'KT404', 'not_found', 'an ended share is not found');
select isnt(api.put_share(tests.vault(), '{}', '2026-03-10T12:02Z') ->> 'id', share ->> 'id', 'a new share has a new id') from first;
select is(
  tests.synchronise('2026-03-10T12:03Z', tests.participant('p2', 'accepted')), '1 0 0 0', 'in a new share every participant is new'
);
select is(
  (
    select string_agg(distinct item ->> 'action', ', ')
    from json_array_elements(api.list_vault_history(tests.vault(), null, null, null, 200, null, '2026-03-10T12:04Z') -> 'items') as item
    where item ->> 'action' ~ '^(share|nominee)'
  ),
  'nominee.accepted, nominee.changed, nominee.invited, nominee.revoked, share.changed, share.created, share.ended, share.synchronised', 'every act is in the history'
);

-- Values from the sharing service.
select tests.synchronise(
  '2026-03-10T12:10Z', tests.participant('s1', 'pending', 'readOnly', '{"name": " ", "phone": "+4915112345678", "email": "nobody"}'),
  tests.participant('s2', 'pending', 'none', '{"name": "Dave\nDavidson ", "phone": "", "email": "dave@example.com"}')
) \g /dev/null
select tests.as_superuser();
select is(
  (
    select string_agg(concat_ws(' ', name, phone, email, access_level), ', ' order by share_participant_id)
    from kith.nominees where share_participant_id in ('s1', 's2')
  ),
  '+4915112345678 +4915112345678 view, Dave Davidson dave@example.com view', 'valid values of a participant are kept, and invalid ones are ignored'
);
select tests.as_user('acme', 'alice');

-- 1,000 nominees, and no more.
select is(
  api.synchronise_share(tests.vault(), tests.many('accepted'), '2026-03-10T13:00Z') ->> 'created', '980', 'many participants are accepted at once'
);
select throws_ok(
  $$
    select api.synchronise_share(
      tests.vault(), jsonb_build_object('participants', jsonb_agg(tests.participant('r' || n, 'accepted'))), '2026-03-10T13:01Z'
    )
    from generate_series(1, 20) as n
  $$,
  'KT507', 'quota_exceeded', 'a vault has at most 1,000 nominees'
);
select is(
  api.synchronise_share(tests.vault(), tests.many('removed'), '2026-03-10T13:02Z') ->> 'revoked', '980', 'all participants can be removed at once'
);
select is(
  api.synchronise_share(tests.vault(), tests.many('pending'), '2026-03-10T13:03Z') ->> 'created', '980', 'all participants can return at once'
);
select is(
  api.synchronise_share(tests.vault(), tests.many('accepted'), '2026-03-10T13:04Z') ->> 'updated', '980', 'all participants can accept at once'
);
select api.delete_share(tests.vault(), '2026-03-10T13:05Z') \g /dev/null
select tests.as_superuser();
select is(
  (select count(*)::integer from kith.history where at = '2026-03-10T13:05Z' and action = 'nominee.revoked'), 983,
  'deleting the share revokes all of them, each with a history entry'
);

select * from finish();
rollback;
