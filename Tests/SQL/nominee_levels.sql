-- Every change of a level goes through one procedure (N24): it is told, on the screens and in the history, whichever door it came by. And a
-- session does not outlast the access of the nominee who opened it (V01).
begin;
\ir people.sql
select plan(22);

create function tests.vault() returns uuid language sql immutable return '0a000000-0000-7000-8000-000000000001'::uuid;
create function tests.nominee(p_name text) returns uuid language sql immutable return md5(p_name)::uuid;
insert into kith.vaults (tenant_id, id, owner_id, name, full_may_open, created_at, updated_at)
values (tests.tenant('acme'), tests.vault(), tests.id('alice'), 'Papers', true, '2026-03-10T08:00Z', '2026-03-10T08:00Z');
select tests.as_user('acme', 'alice') \g /dev/null
select api.put_share(tests.vault(), '{}', '2026-03-10T08:00Z') ->> 'id' as share \gset
select tests.as_superuser() \g /dev/null
create function tests.share() returns uuid language sql stable return (select id from kith.shares);
-- Bob and Mallory are participants of the share who have accepted an invitation, and Carol has level full.
insert into kith.nominees (
  tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, share_participant_id, updated_at
)
select tests.tenant('acme'), tests.nominee(name), tests.vault(), tests.id('alice'), tests.id(name), initcap(name), 'accepted', level,
  '2026-03-10T08:00Z', tests.id('alice'), '2026-03-10T08:00Z', participant, '2026-03-10T08:00Z'
from (values ('bob', 'edit', 'p1'), ('mallory', 'edit', 'p2'), ('carol', 'full', null)) as people (name, level, participant);
insert into kith.nominees (
  tenant_id, id, vault_id, owner_id, name, status, access_level, invited_at, invited_by_user_id, share_participant_id, updated_at
)
values (
  tests.tenant('acme'), tests.nominee('dave'), tests.vault(), tests.id('alice'), 'Dave', 'pending', 'edit', '2026-03-10T08:00Z', tests.id('alice'), 'p3',
  '2026-03-10T08:00Z'
);
insert into kith.share_participants (tenant_id, share_id, participant_id, nominee_id, acceptance_status, permission, role, updated_at)
select tests.tenant('acme'), tests.share(), participant, tests.nominee(name), 'accepted', 'readWrite', 'privateUser', '2026-03-10T08:00Z'
from (values ('bob', 'p1'), ('mallory', 'p2'), ('dave', 'p3')) as people (name, participant);
insert into kith.blocks (tenant_id, user_id, blocked_id, created_at) values (tests.tenant('acme'), tests.id('mallory'), tests.id('alice'), '2026-03-10T08:00Z');

create function tests.as_owner(p_statement text) returns void
  language plpgsql
as $$
begin
  perform tests.as_user('acme', 'alice');
  execute p_statement;
  perform tests.as_superuser();
end
$$;
create function tests.told(p_name text) returns text
  language sql stable
  return (
    select string_agg(concat_ws(' ', type, data ->> 'access_level', data ->> 'status'), ', ' order by id) from kith.notifications where user_id = tests.id(p_name)
  );
create function tests.levels() returns text
  language sql stable
  return (select string_agg(lower(name) || ' ' || access_level, ', ' order by name) from kith.nominees);
create function tests.history(p_at timestamptz) returns text
  language sql stable
  return (
    select string_agg(concat_ws(' ', lower(nominee.name), history.detail ->> 'access_level', history.detail ->> 'by'), ', ' order by nominee.name)
    from kith.history as history
    join kith.nominees as nominee on nominee.id = history.subject_id
    where history.action = 'nominee.changed' and history.at = p_at and history.actor_id = tests.id('alice')
  );
create function tests.events(p_name text) returns bigint
  language sql stable
  return (select count(*) from kith.events where user_id = tests.id('alice') and type = 'nominee' and subject_id = tests.nominee(p_name));
delete from kith.events;
savepoint shared;

select tests.as_owner($$ select api.update_nominee(tests.vault(), tests.nominee('bob'), '{"access_level": "view"}', '2026-03-10T09:00Z') $$) \g /dev/null
select is(tests.told('bob') || '; ' || tests.history('2026-03-10T09:00Z') || '; ' || tests.events('bob'), 'nominee_changed view accepted; bob view; 1', 'a PATCH of a nominee');
select tests.as_owner($$ select api.update_nominee(tests.vault(), tests.nominee('bob'), '{"access_level": "view"}', '2026-03-10T09:01Z') $$) \g /dev/null
select is(tests.told('bob'), 'nominee_changed view accepted', 'the same level again tells nothing');
select tests.as_owner($$ select api.update_nominee(tests.vault(), tests.nominee('bob'), '{"access_level": "edit", "status": "inactive"}', '2026-03-10T09:02Z') $$) \g /dev/null
select is(tests.told('bob'), 'nominee_changed view accepted, nominee_changed edit inactive', 'a level and a status in one call are told once');
rollback to shared;

select tests.as_owner(format('select api.change_share(%L, ''readOnly'', ''2026-03-10T09:00Z'')', tests.share())) \g /dev/null
select is(tests.levels(), 'bob view, carol full, dave view, mallory view', 'a share that becomes read-only lowers its participants');
select is(tests.told('bob'), 'nominee_changed view accepted', 'who are told');
select is(tests.told('mallory'), null, 'unless they have blocked the owner');
select is(tests.history('2026-03-10T09:00Z'), 'bob view share, dave view share, mallory view share', 'the history has each');
select is(tests.events('bob') || ' ' || tests.events('dave') || ' ' || tests.events('carol'), '1 1 0', 'and so have the screens');
rollback to shared;

select tests.as_owner($$
  select api.synchronise_share(
    tests.vault(), '{"participants": [{"id": "p1", "acceptance_status": "accepted", "permission": "readOnly", "role": "privateUser"}]}', '2026-03-10T09:00Z'
  )
$$) \g /dev/null
select is(tests.levels(), 'bob view, carol full, dave edit, mallory edit', 'a participant who loses the permission is lowered');
select is(tests.told('bob') || '; ' || tests.history('2026-03-10T09:00Z'), 'nominee_changed view accepted; bob view share', 'told, and in the history');
rollback to shared;

-- The session of the nominee who opened the vault.
create function tests.open_as_carol() returns void
  language plpgsql
as $$
begin
  perform tests.as_user('acme', 'carol');
  perform api.open_vault(tests.vault(), '2026-03-10T09:00Z');
  perform tests.as_superuser();
end
$$;
create function tests.session() returns text
  language sql stable
  return (select concat_ws(' ', coalesce(lock_reason, 'open'), (select display_name from kith.users where id = locked_by)) from kith.vault_sessions order by id desc limit 1);
select tests.open_as_carol() \g /dev/null
select is(tests.session(), 'open', 'Carol opens the vault');
savepoint opened;
select tests.as_owner($$ select api.revoke_nominee(tests.vault(), tests.nominee('carol'), '2026-03-10T09:05Z') $$) \g /dev/null
select is(tests.session(), 'owner_revoked Alice', 'revoking her locks it');
select is(tests.told('bob'), 'vault_opened, vault_locked', 'the others are told');
rollback to opened;
select tests.as_owner($$ select api.update_nominee(tests.vault(), tests.nominee('carol'), '{"status": "inactive"}', '2026-03-10T09:05Z') $$) \g /dev/null
select is(tests.session(), 'owner_revoked Alice', 'and so does pausing her');
rollback to opened;
select tests.as_owner($$ select api.revoke_nominee(tests.vault(), tests.nominee('bob'), '2026-03-10T09:05Z') $$) \g /dev/null
select is(tests.session(), 'open', 'revoking somebody else does not');
rollback to opened;
select tests.as_user('acme', 'carol') \g /dev/null
select api.revoke_nominee(tests.vault(), tests.nominee('carol'), '2026-03-10T09:05Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.session(), 'manual Carol', 'whoever leaves locks what they have opened');
rollback to opened;
select tests.as_role('kith_admin') \g /dev/null
select admin.revoke_nominee('acme', tests.nominee('carol'), 'asked by mail', '2026-03-10T09:05Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.session(), 'owner_revoked', 'an operator''s revocation locks it, too');
rollback to opened;
update kith.nominees set share_participant_id = 'p4' where id = tests.nominee('carol');
insert into kith.share_participants (tenant_id, share_id, participant_id, nominee_id, acceptance_status, permission, role, updated_at)
values (tests.tenant('acme'), tests.share(), 'p4', tests.nominee('carol'), 'accepted', 'readWrite', 'privateUser', '2026-03-10T08:00Z');
select tests.as_owner($$
  select api.synchronise_share(
    tests.vault(), '{"participants": [{"id": "p4", "acceptance_status": "removed", "permission": "readWrite", "role": "privateUser"}]}', '2026-03-10T09:05Z'
  )
$$) \g /dev/null
select is(tests.session(), 'owner_revoked Alice', 'and the removal from the share');
rollback to opened;
select tests.as_owner($$ select api.lock_vault(tests.vault(), '2026-03-10T09:04Z') $$) \g /dev/null
select tests.as_owner($$ select api.open_vault(tests.vault(), '2026-03-10T09:04Z') $$) \g /dev/null
select tests.as_owner($$ select api.revoke_nominee(tests.vault(), tests.nominee('carol'), '2026-03-10T09:05Z') $$) \g /dev/null
select is(tests.session(), 'open', 'a session that somebody else has opened since stays');
rollback to opened;
select tests.as_user('acme', 'carol') \g /dev/null
select throws_ok(
  format('select api.change_share(%L, ''readOnly'', ''2026-03-10T09:05Z'')', :'share'), 'KT404', null, 'a nominee with level full cannot change the share'
);
select throws_ok($$ select api.synchronise_share(tests.vault(), '{"participants": []}', '2026-03-10T09:05Z') $$, 'KT403', null, 'nor its participants');
select tests.as_superuser() \g /dev/null

-- An owner who has blocked a nominee with the level full (N24, P26).
select api.lock_vault(tests.vault(), '2026-03-10T09:06Z') from (select tests.as_user('acme', 'carol')) as caller \g /dev/null
select tests.as_superuser() \g /dev/null
insert into kith.blocks (tenant_id, user_id, blocked_id, created_at) values (tests.tenant('acme'), tests.id('alice'), tests.id('carol'), '2026-03-12T08:00Z');
delete from kith.notifications where user_id = tests.id('alice');
select tests.as_user('acme', 'carol') \g /dev/null
select api.open_vault(tests.vault(), '2026-03-12T09:00Z') \g /dev/null
select api.lock_vault(tests.vault(), '2026-03-12T09:05Z') \g /dev/null
select api.open_vault(tests.vault(), '2026-03-12T09:10Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(
  (select string_agg(type, ' ' order by id) from kith.notifications where user_id = tests.id('alice')), 'vault_opened',
  'an owner learns once a day that a nominee whom they have blocked opens the vault'
);

select * from finish();
rollback;
