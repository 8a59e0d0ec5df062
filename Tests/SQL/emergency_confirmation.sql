-- A right to emergency access binds by the owner's word, and never by a link alone. Whoever holds an invitation's token can accept it: a
-- nominee with level full who made it, sent it again or was shown it.
begin;
\ir people.sql
select plan(65);

create function tests.vault() returns uuid language sql immutable return '0a000000-0000-7000-8000-000000000001'::uuid;
create temporary table tokens (name text primary key, id uuid, token uuid);
grant all on tokens to public;
create function tests.nominee(p_name text) returns uuid language sql stable return (select id from tokens where name = p_name);
create function tests.token(p_name text) returns uuid language sql stable return (select token from tokens where name = p_name);
create function tests.outcome(p_person text, p_statement text) returns text
  language plpgsql
as $$
declare
  v_detail text;
  v_answer text;
begin
  perform tests.as_user('acme', p_person);
  execute p_statement into v_answer;
  perform tests.as_superuser();
  return 'ok';
exception when others then
  get stacked diagnostics v_detail = pg_exception_detail;
  perform tests.as_superuser();
  return concat_ws(' ', regexp_replace(sqlstate, '^KT', ''), nullif(v_detail, ''));
end
$$;
-- Invites somebody, as Alice or as Carol, who has level full.
create function tests.invite(p_by text, p_nominee jsonb, p_at timestamptz) returns void
  language plpgsql
as $$
declare
  v_answer jsonb;
begin
  perform tests.as_user('acme', p_by);
  v_answer := api.invite_nominees(tests.vault(), jsonb_build_array(p_nominee), 'https://kith.example', p_at);
  perform tests.as_superuser();
  insert into tokens
  select p_nominee ->> 'name', (v_answer #>> '{0,nominee,id}')::uuid, (v_answer #>> '{0,nominee,invitation,token}')::uuid;
end
$$;
create function tests.give(p_name text, p_at timestamptz, p_visible boolean default false, p_days integer default 3) returns text
  language sql
  return tests.outcome('alice', format(
    $q$ select api.set_emergency_settings(tests.vault(), %L, '{"wait_hours": 24, "access_level": "view", "on_request": true, "after_missed_days": %s, "visible": %s}', %L) $q$,
    tests.nominee(p_name), p_days, p_visible::text, p_at
  ));
create function tests.accept(p_person text, p_name text, p_at timestamptz) returns text
  language sql
  return tests.outcome(p_person, format('select api.accept_invitation(%L, %L)', tests.token(p_name), p_at));
create function tests.confirm(p_name text, p_at timestamptz) returns text
  language sql
  return tests.outcome('alice', format('select api.confirm_nominee(tests.vault(), %L, %L)', tests.nominee(p_name), p_at));
create function tests.ask(p_person text, p_at timestamptz) returns text
  language sql
  return tests.outcome(p_person, format('select api.request_emergency_access(tests.vault(), null, %L)', p_at));
create function tests.seen_by_owner(p_name text) returns text
  language plpgsql
as $$
declare
  v_answer jsonb;
begin
  perform tests.as_user('acme', 'alice');
  v_answer := api.get_nominee(tests.vault(), tests.nominee(p_name), '2026-03-10T12:00Z');
  perform tests.as_superuser();
  return concat_ws(' ', v_answer ->> 'status', v_answer #>> '{user,display_name}', 'to confirm: ' || (v_answer ->> 'needs_confirmation'));
end
$$;
create function tests.told(p_person text) returns text
  language sql stable
  return (select string_agg(body, ' ' order by created_at, id) from tests.notifications where user_id = tests.id(p_person));

-- Alice misses four days.
create function tests.fall_silent() returns bigint
  language plpgsql
as $$
begin
  insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, asked_at)
  select tests.tenant('acme'), at::date, tests.id('alice-bob'), gen_random_uuid(), tests.id('alice'), tests.id('bob'), 'missed', at,
    at + interval '90 minutes', at
  from generate_series('2026-03-11T09:00Z'::timestamptz, '2026-03-14T09:00Z', interval '1 day') as at;
  insert into kith.signs_of_life (tenant_id, user_id, recount_at) values (tests.tenant('acme'), tests.id('alice'), '2026-03-14T10:30Z')
  on conflict (tenant_id, user_id) do update set recount_at = excluded.recount_at;
  perform tests.as_role('kith_worker');
  perform worker.begin_emergency_waits('2026-03-14T10:31Z', 100);
  perform tests.as_superuser();
  return (select count(*) from kith.emergency_requests where cause = 'silence');
end
$$;

insert into kith.vaults (tenant_id, id, owner_id, name, created_at, updated_at)
values (tests.tenant('acme'), tests.vault(), tests.id('alice'), 'Papers', '2026-03-10T08:00Z', '2026-03-10T08:00Z');
insert into kith.nominees (tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, updated_at)
values (
  tests.tenant('acme'), md5('carol')::uuid, tests.vault(), tests.id('alice'), tests.id('carol'), 'Carol', 'accepted', 'full',
  '2026-03-10T08:00Z', tests.id('alice'), '2026-03-10T08:00Z', '2026-03-10T08:00Z'
);
update kith.users set email = 'bob@example.com', email_verified_at = '2026-01-05T08:00Z' where id = tests.id('bob');
update kith.users set email = 'mallory@example.com', email_verified_at = '2026-01-05T08:00Z' where id = tests.id('mallory');
select tests.outcome('alice', $$ select api.open_vault(tests.vault(), '2026-03-10T08:55Z') $$) \g /dev/null
savepoint fresh;

-- A link alone.
select tests.invite('alice', '{"name": "Bob", "emergency": {"wait_hours": 24, "access_level": "view", "on_request": true, "after_missed_days": 3, "visible": true}}', '2026-03-10T09:00Z') \g /dev/null
select is(tests.accept('mallory', 'Bob', '2026-03-10T09:01Z'), 'ok', 'whoever has the link can accept');
select is(tests.seen_by_owner('Bob'), 'accepted Mallory to confirm: true', 'and has ordinary access; the owner sees who it is, and that they must confirm');
select is(
  tests.told('alice'), 'Mallory accepted your invitation to Papers. They have no emergency access until you confirm that it is them.',
  'the owner is told that the right sleeps'
);
select is(
  tests.ask('mallory', '2026-03-10T09:02Z'), '403 You have no emergency access until the owner confirms that it is you.',
  'somebody whom only the link names cannot ask, and learns why, because the invitation has shown them the right'
);
savepoint shown;
update kith.emergency_settings set visible = false, visible_since = null;
select is(tests.ask('mallory', '2026-03-10T09:02Z'), '403 The owner has not given you emergency access.', 'a hidden right stays hidden');
rollback to shown;
insert into kith.blocks (tenant_id, user_id, blocked_id, created_at) values (tests.tenant('acme'), tests.id('alice'), tests.id('mallory'), '2026-03-10T09:01Z');
select is(tests.ask('mallory', '2026-03-10T09:02Z'), '403 The owner has not given you emergency access.', 'and nobody is to hope for the confirmation of an owner who has blocked them');
rollback to shown;
select is(
  tests.outcome('mallory', format('select api.get_emergency_settings(tests.vault(), %L, %L)', tests.nominee('Bob'), '2026-03-10T09:02Z'::timestamptz)),
  '404', 'does not see the right, though the owner shows it'
);
select tests.as_user('acme', 'mallory') \g /dev/null
select is(api.my_emergency('2026-03-10T09:02Z') #>> '{as_nominee,rights}', '[]', 'finds it in no list');
select is(
  api.get_nominee(tests.vault(), tests.nominee('Bob'), '2026-03-10T09:02Z') ->> 'needs_confirmation', 'false', 'and does not learn that the owner has to confirm a right'
);
select tests.as_user('acme', 'carol') \g /dev/null
select is(
  api.get_nominee(tests.vault(), tests.nominee('Bob'), '2026-03-10T09:02Z') ->> 'needs_confirmation', 'false', 'nor does a nominee with level full'
);
select tests.as_superuser() \g /dev/null
savepoint asleep;
select is(tests.fall_silent(), 0::bigint, 'the owner''s silence begins nothing for them');
rollback to asleep;
create function tests.rehearsed(p_at timestamptz) returns text
  language plpgsql
as $$
declare
  v_answer text;
begin
  perform tests.as_user('acme', 'alice');
  select string_agg(step ->> 'text', ' ') into v_answer
  from json_array_elements(api.rehearse_emergency(null, null, null, p_at) -> 'steps') as step
  where step ->> 'kind' in ('right_sleeps', 'wait_begins');
  perform tests.as_superuser();
  return v_answer;
end
$$;
savepoint asleep;
select is(
  tests.rehearsed('2026-03-10T09:30Z'), 'Bob''s emergency access to Papers does not count until you confirm that Mallory is the person you mean.', 'the rehearsal says so'
);
select tests.confirm('Bob', '2026-03-10T09:31Z') \g /dev/null
select matches(tests.rehearsed('2026-03-10T09:32Z'), '^You have not checked in for 3 days. Bob gets into Papers on .*$', 'and says what follows once the owner has confirmed them');
rollback to asleep;
select tests.as_user('acme', 'alice') \g /dev/null
select is(
  (select json_agg(item #>> '{user,display_name}')::text from json_array_elements(internal.awaited_confirmations()) as item), '["Mallory"]',
  'it waits for the owner on the first screen'
);
select tests.as_superuser() \g /dev/null
select is(tests.confirm('Bob', '2026-03-10T10:00Z'), 'ok', 'the owner confirms by name');
select tests.as_user('acme', 'alice') \g /dev/null
select is(internal.awaited_confirmations()::text, '[]', 'and nothing waits any more');
select tests.as_superuser() \g /dev/null
select is(tests.seen_by_owner('Bob'), 'accepted Mallory to confirm: false', 'and has nothing left to confirm');
select is(
  (select concat_ws(' ', action, actor_id = tests.id('alice')) from kith.history where subject_id = tests.nominee('Bob') and at = '2026-03-10T10:00Z'),
  'nominee.confirmed t', 'the history has it'
);
select is(tests.confirm('Bob', '2026-03-10T10:01Z'), 'ok', 'confirming again changes nothing');
select is((select count(*) from kith.history where action = 'nominee.confirmed'), 1::bigint, 'and leaves no trace');
savepoint confirmed;
select is(tests.ask('mallory', '2026-03-10T10:02Z'), 'ok', 'then the nominee can ask');
rollback to confirmed;
select is(tests.fall_silent(), 1::bigint, 'and silence begins their wait');
rollback to asleep;
select is(tests.give('Bob', '2026-03-10T10:00Z'), 'ok', 'giving the right to somebody who is bound and seen');
select is(tests.ask('mallory', '2026-03-10T10:01Z'), 'ok', 'confirms them, too');
rollback to asleep;
delete from kith.events;
create function tests.events() returns bigint
  language sql stable
  return (select count(*) from kith.events where user_id = tests.id('mallory') and type = 'nominee');
select tests.give('Bob', '2026-03-10T09:00:59Z', true) \g /dev/null
select is(tests.events(), 0::bigint, 'no event gives a sleeping right away');
select tests.confirm('Bob', '2026-03-10T10:00Z') \g /dev/null
select is(tests.events(), 1::bigint, 'once it is confirmed, the nominee''s screen shows it');
rollback to asleep;
select is(tests.give('Bob', '2026-03-10T09:00:59Z'), 'ok', 'but not if they accepted only after the owner''s request had come in');
select is(tests.ask('mallory', '2026-03-10T10:01Z'), '403 The owner has not given you emergency access.', 'because the owner meant whoever they saw');
select is(tests.confirm('Bob', '2026-03-10T09:00:59Z') || ' ' || tests.ask('mallory', '2026-03-10T10:02Z'), 'ok 403 The owner has not given you emergency access.', 'nor is such a confirmation one');
rollback to fresh;

-- A right after the acceptance.
select tests.invite('alice', '{"name": "Bob"}', '2026-03-10T09:00Z') \g /dev/null
select tests.accept('bob', 'Bob', '2026-03-10T09:01Z') \g /dev/null
select is(tests.seen_by_owner('Bob') || ' ' || tests.told('alice'), 'accepted Bob to confirm: false Bob accepted your invitation to Papers.', 'without a right there is nothing to confirm');
select is(tests.give('Bob', '2026-03-10T10:00Z') || ' ' || tests.ask('bob', '2026-03-10T10:01Z'), 'ok ok', 'a right that the owner gives to a nominee who has accepted counts at once');
rollback to fresh;

-- A contact that the owner named.
select tests.invite('alice', '{"name": "Bob", "email": "Bob@example.com", "emergency": {"wait_hours": 24, "access_level": "view", "on_request": true}}', '2026-03-10T09:00Z') \g /dev/null
savepoint named;
select tests.accept('bob', 'Bob', '2026-03-10T09:01Z') \g /dev/null
select is(tests.seen_by_owner('Bob'), 'accepted Bob to confirm: false', 'a verified contact that the owner named is a confirmation');
select is(tests.ask('bob', '2026-03-10T09:02Z'), 'ok', 'and the nominee can ask');
rollback to named;
select tests.accept('mallory', 'Bob', '2026-03-10T09:01Z') \g /dev/null
select is(tests.seen_by_owner('Bob'), 'pending Mallory to confirm: true', 'without that contact not even ordinary access begins');
select is(tests.ask('mallory', '2026-03-10T09:02Z'), '403', 'nor emergency access');
select is(tests.give('Bob', '2026-03-10T10:00Z') || ' ' || tests.ask('mallory', '2026-03-10T10:01Z'), 'ok 403', 'and giving the right anew does not replace the confirmation');
select is(tests.confirm('Bob', '2026-03-10T09:00:59Z'), '409 There is nobody to confirm.', 'nobody confirms somebody who came only later');
select is(tests.confirm('Bob', '2026-03-10T10:02Z') || ' ' || tests.ask('mallory', '2026-03-10T10:03Z'), 'ok ok', 'one confirmation by name serves both');
rollback to fresh;

-- The contact that the owner named is verified after the acceptance.
select tests.invite('alice', '{"name": "Bob", "email": "late@example.com", "emergency": {"wait_hours": 24, "access_level": "view", "on_request": true}}', '2026-03-10T09:00Z') \g /dev/null
select tests.accept('bob', 'Bob', '2026-03-10T09:01Z') \g /dev/null
update kith.users set email = 'late@example.com', email_verified_at = '2026-03-10T09:02Z' where id = tests.id('bob');
delete from kith.notifications;
savepoint verified;
select is(tests.accept('bob', 'Bob', '2026-03-10T09:03Z') || ' ' || tests.seen_by_owner('Bob'), 'ok accepted Bob to confirm: false', 'accepting again with the verified contact gives access');
select is(tests.told('alice'), 'Bob accepted your invitation to Papers.', 'the owner, who was told that they must confirm, is told that they need not');
select is(tests.ask('bob', '2026-03-10T09:04Z'), 'ok', 'and the right counts');
select is(
  tests.accept('bob', 'Bob', '2026-03-10T09:05Z') || ' ' || (select count(*) from kith.history where action = 'nominee.accepted'), 'ok 1', 'once: a further repeat changes nothing'
);
rollback to verified;
update kith.vaults set require_confirmation = true;
select is(tests.accept('bob', 'Bob', '2026-03-10T09:03Z') || ' ' || tests.seen_by_owner('Bob'), 'ok pending Bob to confirm: true', 'not in a vault that requires the confirmation of everybody');
rollback to verified;
insert into kith.blocks (tenant_id, user_id, blocked_id, created_at) values (tests.tenant('acme'), tests.id('alice'), tests.id('bob'), '2026-03-10T09:01Z');
select is(tests.accept('bob', 'Bob', '2026-03-10T09:03Z') || ' ' || tests.seen_by_owner('Bob'), 'ok pending Bob to confirm: true', 'nor for somebody whom the owner has blocked');
rollback to fresh;
select tests.invite('carol', '{"name": "Bob", "email": "late@example.com"}', '2026-03-10T09:00Z') \g /dev/null
select tests.give('Bob', '2026-03-10T09:00:30Z') \g /dev/null
select tests.accept('bob', 'Bob', '2026-03-10T09:01Z') \g /dev/null
update kith.users set email = 'late@example.com', email_verified_at = '2026-03-10T09:02Z' where id = tests.id('bob');
delete from kith.notifications;
select tests.accept('bob', 'Bob', '2026-03-10T09:03Z') \g /dev/null
select is(
  tests.seen_by_owner('Bob') || ': ' || tests.told('alice'),
  'accepted Bob to confirm: true: Bob accepted your invitation to Papers. They have no emergency access until you confirm that it is them.',
  'with a contact that another nominee wrote they have access, and the right sleeps on'
);
select is(tests.ask('bob', '2026-03-10T09:04Z'), '403 The owner has not given you emergency access.', 'so that they cannot ask');
update kith.nominees set bound_at = null where id = tests.nominee('Bob');
select is(tests.confirm('Bob', '2026-03-10T09:05Z') || ' ' || tests.ask('bob', '2026-03-10T09:06Z'), 'ok ok', 'the owner can confirm somebody of whom nothing says when they accepted');
rollback to fresh;

-- A nominee with level full invites somebody with their own second account's contact, keeps the token, and the owner gives the right.
select tests.invite('carol', '{"name": "Bob", "email": "mallory@example.com"}', '2026-03-10T09:00Z') \g /dev/null
select tests.give('Bob', '2026-03-10T09:30Z') \g /dev/null
select tests.outcome('alice', $$ select api.open_vault(tests.vault(), '2026-03-10T09:30Z') $$) \g /dev/null
savepoint given;
select is(tests.accept('mallory', 'Bob', '2026-03-10T09:31Z'), 'ok', 'a contact that another nominee wrote gives access');
select is(tests.seen_by_owner('Bob'), 'accepted Mallory to confirm: true', 'but says nothing about whom the owner means');
select is(tests.ask('mallory', '2026-03-10T09:32Z'), '403 The owner has not given you emergency access.', 'so the right sleeps');
rollback to given;

-- Only the owner moves a nominee on whom emergency access hangs.
select is(tests.outcome('carol', statement), expected, format('a nominee with level full: %s', what))
from (values
  ('sends the invitation again', 'select api.resend_nominee_invitation(tests.vault(), tests.nominee(''Bob''), null, ''https://kith.example'', ''2026-03-10T09:40Z'')', '403 Only the vault''s owner decides about this nominee.'),
  ('revokes them', 'select api.revoke_nominee(tests.vault(), tests.nominee(''Bob''), ''2026-03-10T09:40Z'')', '403 Only the vault''s owner decides about this nominee.'),
  ('pauses them', 'select api.update_nominee(tests.vault(), tests.nominee(''Bob''), ''{"status": "inactive"}'', ''2026-03-10T09:40Z'')', '403 Only the vault''s owner can do this.'),
  ('changes their level', 'select api.update_nominee(tests.vault(), tests.nominee(''Bob''), ''{"access_level": "edit"}'', ''2026-03-10T09:40Z'')', '403 Only the vault''s owner can do this.'),
  ('confirms them', 'select api.confirm_nominee(tests.vault(), tests.nominee(''Bob''), ''2026-03-10T09:40Z'')', '403 Only the vault''s owner can do this.'),
  ('reports what became of the message', 'select api.report_nominee_invitation(tests.vault(), tests.nominee(''Bob''), ''sent'', ''2026-03-10T09:40Z'')', 'ok')
) as acts (what, statement, expected);
select is(
  tests.outcome('alice', 'select api.resend_nominee_invitation(tests.vault(), tests.nominee(''Bob''), null, ''https://kith.example'', ''2026-03-10T09:41Z'')'), 'ok',
  'the owner sends it again'
);
select is(tests.accept('mallory', 'Bob', '2026-03-10T09:42Z'), '404', 'and the link of the other nominee is dead');
rollback to given;
select tests.as_user('acme', 'carol') \g /dev/null
select is(
  internal.may_repeat('manage', array[tests.vault(), tests.nominee('Bob')], '2026-03-10T09:43Z'), false,
  'the answer that had the link is not repeated to them, either'
);
select tests.as_superuser() \g /dev/null
delete from kith.emergency_settings;
select tests.as_user('acme', 'carol') \g /dev/null
select is(internal.may_repeat('manage', array[tests.vault(), tests.nominee('Bob')], '2026-03-10T09:43Z'), true, 'and is without the right');
select tests.as_superuser() \g /dev/null
insert into kith.emergency_quorums (tenant_id, vault_id, required, nominee_ids, updated_at)
values (tests.tenant('acme'), tests.vault(), 2, array[tests.nominee('Bob'), md5('carol')::uuid], '2026-03-10T09:45Z');
select is(
  tests.outcome('carol', 'select api.revoke_nominee(tests.vault(), tests.nominee(''Bob''), ''2026-03-10T09:46Z'')'),
  '403 Only the vault''s owner decides about this nominee.', 'the same holds for a member of the quorum'
);
delete from kith.emergency_quorums;
select is(tests.outcome('carol', 'select api.revoke_nominee(tests.vault(), tests.nominee(''Bob''), ''2026-03-10T09:46Z'')'), 'ok', 'and for nobody else');
rollback to fresh;

-- What a sharing service writes is not the owner''s word.
insert into kith.nominees (tenant_id, id, vault_id, owner_id, name, email, contact_named_by, status, access_level, invited_at, invited_by_user_id, share_participant_id, updated_at)
values (
  tests.tenant('acme'), md5('shared')::uuid, tests.vault(), tests.id('alice'), 'Bob', 'bob@example.com', tests.id('alice'), 'pending', 'view',
  '2026-03-10T08:00Z', tests.id('alice'), 'p1', '2026-03-10T08:00Z'
);
select internal.change_nominee_of_participant(md5('shared')::uuid, '{"acceptance_status": "pending", "email": "mallory@example.com"}', '2026-03-10T09:00Z')
from (select set_config('kith.tenant_id', tests.tenant('acme')::text, true)) as tenant \g /dev/null
select tests.as_superuser() \g /dev/null
select is(
  (select concat_ws(' ', email, contact_named_by) from kith.nominees where id = md5('shared')::uuid), 'mallory@example.com',
  'a contact that the sharing service has changed is no longer one that the owner named'
);

-- Somebody of whom nobody here says who wrote their contact: imported, or from the sharing service.
update kith.nominees set email = 'bob@example.com', contact_named_by = null where id = md5('shared')::uuid;
select tests.as_user('acme', 'alice') \g /dev/null
insert into tokens
select 'shared', md5('shared')::uuid, (api.resend_nominee_invitation(tests.vault(), md5('shared')::uuid, null, 'https://kith.example', '2026-03-10T09:10Z') #>> '{invitation,token}')::uuid;
select tests.as_superuser() \g /dev/null
select tests.give('shared', '2026-03-10T09:11Z') \g /dev/null
select is(tests.accept('bob', 'shared', '2026-03-10T09:12Z') || ' ' || tests.seen_by_owner('shared'), 'ok accepted Bob to confirm: true', 'they accept with the verified contact, and their right sleeps');
select is(tests.accept('bob', 'shared', '2026-03-10T09:13Z') || ' ' || tests.seen_by_owner('shared'), 'ok accepted Bob to confirm: true', 'also when they repeat it');

select * from finish();
rollback;
