-- Connecting, pausing, resuming, consenting, removing and reconnecting.
begin;
\ir people.sql
select plan(85);
\set now '''2026-03-10T08:00:00Z'''

create function tests.told(p_person text) returns text
  language sql
as $$
  select string_agg(type || ': ' || title || ': ' || body, '; ' order by id) from tests.notifications where user_id = tests.id(p_person)
$$;

-- Alice redeems Carol's code.
select tests.as_user('acme', 'alice');
create temporary table made as select api.create_connection('333333', :now) as body;
grant select on made to public;
select is(
  (select body::jsonb - '{id,state,today_ping,state}'::text[] from made),
  jsonb_build_object(
    'role', 'sender', 'status', 'active', 'consent_by', null, 'alias', null, 'counterpart', jsonb_build_object('id', tests.id('carol'), 'display_name', 'Carol'),
    'sender_id', tests.id('alice'), 'receiver_id', tests.id('carol'), 'created_at', '2026-03-10T08:00:00.000000Z',
    'updated_at', '2026-03-10T08:00:00.000000Z', 'last_check_in_at', null, 'last_check_in_note', null,
    'last_check_in_source', null, 'share_activity', false, 'may_ask', true, 'asked_until', null, 'reachable_by', null, 'test', null, 'always_care_card', false, 'last_sign', null, 'missed_ping', null, 'missed_ping_resolution', null, 'ping_time', '09:00', 'time_zone', 'UTC', 'call', null, 'break', null, 'suspended_reason', null
  ),
  'a sender connects with a receiver by code'
);
select is(
  (select (body -> 'today_ping')::jsonb - '{id,connection_id}'::text[] from made),
  '{"date": "2026-03-10", "status": "scheduled", "scheduled_at": "2026-03-10T09:00:00.000000Z",
    "deadline_at": "2026-03-10T10:30:00.000000Z", "judge_at": null, "completed_at": null, "told_at": null, "telling": null, "note": null}'::jsonb,
  'the answer contains today''s ping'
);
select is(
  (select body -> 'today_ping' ->> 'connection_id' from made), (select body ->> 'id' from made), 'today''s ping belongs to the connection'
);
select is(
  api.get_connection((select (body ->> 'id')::uuid from made), :now)::text, (select body::text from made),
  'reading the connection returns the same text'
);
select is(
  api.create_connection('333333', :now)::jsonb, '{"problem": "connection_exists"}'::jsonb, 'connected users cannot connect again'
);
select is(api.create_connection('000000', :now)::jsonb, '{"problem": "invalid_code"}'::jsonb, 'an unknown code connects nobody');
select is(api.create_connection('111111', :now)::jsonb, '{"problem": "self_connection"}'::jsonb, 'a user''s own code connects nobody');
select is(
  api.create_connection('444444', :now)::jsonb,
  '{"problem": "profile_required", "detail": "Set up your receiver profile first."}'::jsonb,
  'redeeming a sender''s code requires a receiver profile'
);
select tests.as_user('acme', 'carol');
select is(
  api.get_connection((select (body ->> 'id')::uuid from made), :now)::jsonb - '{id,state,today_ping,created_at,updated_at}'::text[],
  jsonb_build_object(
    'role', 'receiver', 'status', 'active', 'counterpart', jsonb_build_object('id', tests.id('alice'), 'display_name', 'Alice'),
    'sender_id', tests.id('alice'), 'receiver_id', tests.id('carol'), 'consent_by', null, 'alias', null, 'last_check_in_at', null, 'last_check_in_note', null,
    'last_check_in_source', null, 'share_activity', null, 'may_ask', true, 'asked_until', null, 'reachable_by', null, 'test', null, 'always_care_card', false, 'last_sign', null, 'missed_ping', null, 'missed_ping_resolution', null, 'ping_time', '09:00', 'time_zone', 'UTC', 'call', null, 'break', null, 'suspended_reason', null
  ),
  'the other side sees the connection at once, from its side'
);
select is(
  api.create_connection('222222', :now) ->> 'problem', 'profile_required', 'two receivers cannot connect'
);
select tests.as_superuser();
select is(
  tests.told('carol'), 'connection_request: New Connection: Alice is now sending you pings',
  'the receiver whose code was redeemed is told once'
);
select is(tests.told('alice'), null, 'the user who redeems a code is not told');
select is(
  (select data from tests.notifications where user_id = tests.id('carol'))::jsonb, (select jsonb_build_object('connection_id', body -> 'id', 'user_id', tests.id('alice')) from made),
  'the notification references the connection and the other side'
);

-- Carol redeems Mallory's code; Mallory is the sender.
select tests.as_user('acme', 'carol');
select is(
  (api.create_connection('444444', '2026-03-10T10:30:00Z')::jsonb - '{id,state,created_at,updated_at,counterpart}'::text[]),
  jsonb_build_object(
    'role', 'receiver', 'status', 'active', 'sender_id', tests.id('mallory'), 'receiver_id', tests.id('carol'), 'today_ping', null,
    'consent_by', null, 'alias', null, 'last_check_in_at', null, 'last_check_in_note', null,
    'last_check_in_source', null, 'share_activity', null, 'may_ask', true, 'asked_until', null, 'reachable_by', null, 'test', null, 'always_care_card', false, 'last_sign', null, 'missed_ping', null, 'missed_ping_resolution', null, 'ping_time', '09:00', 'time_zone', 'UTC', 'call', null, 'break', null, 'suspended_reason', null
  ),
  'a receiver connects with a sender by code; after today''s deadline there is no ping today'
);
select tests.as_superuser();
select is(
  tests.told('mallory'), 'connection_request: New Connection: Carol is now receiving your pings',
  'a sender is told who receives their pings'
);

-- Subscriptions: the receiver's counts, whichever side redeems.
update kith.receiver_profiles set subscription_status = 'expired' where user_id in (tests.id('carol'), tests.id('bob'));
update kith.connections set status = 'deleted', deleted_at = updated_at where id = tests.id('alice-bob');
select tests.as_user('acme', 'alice');
select is(
  api.create_connection('222222', :now)::jsonb, '{"problem": "subscription_inactive"}'::jsonb,
  'a sender cannot connect with a receiver whose subscription has ended'
);
select tests.as_user('acme', 'bob');
select is(
  api.create_connection('111111', :now)::jsonb, '{"problem": "subscription_inactive"}'::jsonb,
  'a receiver whose subscription has ended cannot connect'
);
select tests.as_superuser();
update kith.tenants set requires_subscription = false where slug = 'acme';
select tests.as_user('acme', 'bob');
create temporary table again as select api.create_connection('111111', :now) as body;
grant select on again to public;
select is((select body ->> 'answer' from again), '200', 'a tenant can turn that check off, and connecting again answers 200');
select is((select body -> 'body' ->> 'reactivated' from again), 'true', 'the answer says that the connection was reactivated');
select is((select body -> 'body' ->> 'id' from again), tests.id('alice-bob')::text, 'a reactivation uses the same row');
select is(
  (select body -> 'body' ->> 'created_at' from again), '2026-01-05T08:00:00.000000Z', 'a reactivation keeps created_at'
);
select is((select body -> 'body' -> 'today_ping' ->> 'status' from again), 'scheduled', 'a reactivation makes today''s ping');
select tests.as_superuser();
select is(
  tests.told('alice'), 'connection_request: New Connection: Bob is now receiving your pings', 'a reactivation sends the same notification as connecting'
);
select is(
  (select deleted_at is null and deleted_by is null and code_owner_id = tests.id('alice') from kith.connections where id = tests.id('alice-bob')),
  true, 'a reactivated row has no deleted_by, and records whose code was redeemed'
);
delete from kith.notifications;

-- Pausing and resuming.
select tests.as_user('acme', 'bob');
select throws_ok(
  $$ select api.pause_connection(tests.id('alice-bob'), '2026-03-10T08:10:00Z') $$, 'KT403', 'forbidden', 'a receiver cannot pause'
);
select throws_ok(
  $$ select api.resume_connection(tests.id('alice-bob'), '2026-03-10T08:10:00Z') $$, 'KT403', 'forbidden', 'a receiver cannot resume'
);
select tests.as_user('acme', 'alice');
select throws_ok(
  $$ select api.resume_connection(tests.id('alice-bob'), '2026-03-10T08:10:00Z') $$, 'KT409', 'invalid_transition',
  'an active connection cannot be resumed'
);
create temporary table paused as select api.pause_connection(tests.id('alice-bob'), '2026-03-10T08:11:00Z') as body;
select is((select body ->> 'status' from paused), 'paused', 'a sender can pause');
select is((select body ->> 'updated_at' from paused), '2026-03-10T08:11:00.000000Z', 'pausing changes updated_at');
select is((select body -> 'today_ping' ->> 'status' from paused), 'cancelled', 'pausing cancels today''s ping');
select throws_ok(
  $$ select api.pause_connection(tests.id('alice-bob'), '2026-03-10T08:12:00Z') $$, 'KT409', 'invalid_transition',
  'a paused connection cannot be paused'
);
select is(
  (select api.create_connection('222222', '2026-03-10T08:12:00Z') ->> 'problem'), 'connection_exists', 'a paused connection answers connection_exists'
);
create temporary table resumed as select api.resume_connection(tests.id('alice-bob'), '2026-03-10T08:13:00Z') as body;
select is((select body ->> 'status' from resumed), 'active', 'a sender can resume');
select is((select body -> 'today_ping' ->> 'status' from resumed), 'scheduled', 'resuming restores today''s ping');
select is(
  (select body -> 'today_ping' ->> 'id' from resumed), (select body -> 'today_ping' ->> 'id' from paused), 'resuming restores the same ping'
);
select tests.as_superuser();
select is(
  tests.told('bob'),
  'connection_paused: Connection Paused: Alice has paused their connection with you; connection_resumed: Connection Resumed: Alice has resumed their connection with you',
  'the receiver is told of pausing and resuming'
);
select is(tests.told('alice'), null, 'the sender is not told of pausing and resuming');
delete from kith.notifications;

-- A connection's last check-in.
update kith.sender_profiles set last_check_in_at = '2026-03-09T09:05:00Z' where user_id = tests.id('alice');
select tests.as_user('acme', 'bob');
select is(
  api.get_connection(tests.id('alice-bob'), :now) ->> 'last_check_in_at', '2026-03-09T09:05:00.000000Z',
  'a receiver sees the sender''s last check-in'
);
select tests.as_superuser();
update kith.connections set status = 'paused' where id = tests.id('alice-bob');
select tests.as_user('acme', 'bob');
select is(
  api.get_connection(tests.id('alice-bob'), :now) ->> 'last_check_in_at', null,
  'a receiver does not see it while the connection is paused'
);
select tests.as_user('acme', 'alice');
select is(
  api.get_connection(tests.id('alice-bob'), :now) ->> 'last_check_in_at', '2026-03-09T09:05:00.000000Z', 'the sender always sees it'
);

-- Strangers.
select tests.as_user('acme', 'mallory');
select throws_ok($$ select api.get_connection(tests.id('alice-bob'), now()) $$, 'KT404', 'not_found', 'a stranger does not find the connection');
select throws_ok($$ select api.pause_connection(tests.id('alice-bob'), now()) $$, 'KT404', 'not_found', 'a stranger cannot pause the connection');
select throws_ok($$ select api.resume_connection(tests.id('alice-bob'), now()) $$, 'KT404', 'not_found', 'a stranger cannot resume the connection');
select throws_ok($$ select api.consent_connection(tests.id('alice-bob'), now()) $$, 'KT404', 'not_found', 'a stranger cannot consent to the connection');
select throws_ok($$ select api.remove_connection(tests.id('alice-bob'), now()) $$, 'KT404', 'not_found', 'a stranger cannot remove the connection');
select tests.as_user('globex', 'globex-alice');
select throws_ok($$ select api.get_connection(tests.id('alice-bob'), now()) $$, 'KT404', 'not_found', 'a user of another tenant does not find the connection');

-- Removing.
select tests.as_user('acme', 'bob');
select is(api.remove_connection(tests.id('alice-bob'), '2026-03-10T08:20:00Z')::text, null, 'a receiver can remove the connection, with an empty answer');
select throws_ok(
  $$ select api.get_connection(tests.id('alice-bob'), '2026-03-10T08:20:00Z') $$, 'KT404', 'not_found', 'a removed connection is not found'
);
select throws_ok(
  $$ select api.remove_connection(tests.id('alice-bob'), '2026-03-10T08:21:00Z') $$, 'KT404', 'not_found', 'a removed connection cannot be removed again'
);
select is(api.list_connections('receiver', null, 50, null, :now) ->> 'items', '[]', 'lists leave out a removed connection');
select tests.as_definer('acme', 'alice');
select throws_ok(
  $$ select internal.notify_connection(tests.id('alice-bob'), 'connection_removed', '2026-03-10T08:21:00Z') $$, 'P0001', null,
  'nobody is told again of an earlier change'
);
select tests.as_superuser();
select is(
  (
    select row(status, deleted_at, updated_at, deleted_by)::text from kith.connections where id = tests.id('alice-bob')
  ),
  row('deleted', '2026-03-10T08:20:00Z'::timestamptz, '2026-03-10T08:20:00Z'::timestamptz, 'user:' || tests.id('bob'))::text,
  'the row stays, with the time and the actor of the removal'
);
select is(
  (select status from kith.pings where connection_id = tests.id('alice-bob')), 'cancelled', 'removing cancels today''s ping'
);
select is(
  tests.told('alice'), 'connection_removed: Connection Removed: Bob has removed your connection', 'the sender is told that the receiver removed the connection'
);
select is(tests.told('bob'), null, 'the user who removes is not told');
select tests.as_user('acme', 'alice');
select is((api.create_connection('222222', '2026-03-10T08:25:00Z') ->> 'answer'), '200', 'a sender can reconnect as well');
select api.remove_connection(tests.id('alice-bob'), '2026-03-10T08:30:00Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.told('bob'),
  'connection_request: New Connection: Alice is now sending you pings; connection_removed: Connection Removed: Alice has removed you as a receiver',
  'the receiver is told that the sender removed the connection'
);
select is((select count(*) from kith.connections where id = tests.id('alice-bob')), 1::bigint, 'there is never a second row');
delete from kith.notifications;

-- Consent.
update kith.tenants set requires_consent = true where slug = 'acme';
select tests.as_user('acme', 'alice');
create temporary table pending as select api.create_connection('222222', '2026-03-10T08:40:00Z') -> 'body' as body;
select is((select body ->> 'status' from pending), 'pending', 'if consent is required, a connection begins as pending');
select is((select body ->> 'consent_by' from pending), 'counterpart', 'it waits for the consent of the owner of the code');
select is((select body -> 'today_ping' ->> 'status' from pending), 'scheduled', 'the sender sees the ping of a pending connection');
select throws_ok(
  $$ select api.consent_connection(tests.id('alice-bob'), '2026-03-10T08:41:00Z') $$, 'KT403', 'forbidden',
  'the user who redeemed the code cannot consent'
);
select tests.as_user('acme', 'bob');
select is(
  api.get_connection(tests.id('alice-bob'), '2026-03-10T08:41:00Z') ->> 'today_ping', null,
  'the receiver does not see the ping of a pending connection'
);
select is(
  api.get_connection(tests.id('alice-bob'), '2026-03-10T08:41:00Z') ->> 'last_check_in_at', null, 'the receiver of a pending connection does not see the sender''s last check-in'
);
select throws_ok(
  $$ select api.pause_connection(tests.id('alice-bob'), '2026-03-10T08:41:00Z') $$, 'KT403', 'forbidden', 'the receiver cannot pause a pending connection'
);
select is(
  api.get_connection(tests.id('alice-bob'), '2026-03-10T08:41:00Z') ->> 'consent_by', 'me', 'the owner of the code sees that it waits for them'
);
select tests.as_superuser();
select is(
  tests.told('bob'), 'connection_requested: Connection Request: Alice wants to send you pings', 'the owner of the code is asked, and not told that pings flow'
);
select is(tests.told('alice'), null, 'the user who redeemed the code is told nothing yet');
select tests.as_user('acme', 'bob');
create temporary table consented as select api.consent_connection(tests.id('alice-bob'), '2026-03-10T08:42:00Z') as body;
select is((select body ->> 'status' from consented), 'active', 'the owner of the code consents');
select is((select body ->> 'consent_by' from consented), null, 'nobody''s consent is awaited any more');
select is((select body -> 'today_ping' ->> 'status' from consented), 'scheduled', 'after consent the receiver sees the ping');
select throws_ok(
  $$ select api.consent_connection(tests.id('alice-bob'), '2026-03-10T08:43:00Z') $$, 'KT409', 'invalid_transition', 'consent cannot be given twice'
);
select tests.as_superuser();
select is(
  tests.told('bob'), 'connection_requested: Connection Request: Alice wants to send you pings', 'the owner of the code is told nothing else'
);
select is(tests.told('alice'), 'connection_accepted: Connection Accepted: Bob accepted your connection', 'the other side is told of the consent');

-- A receiver who redeems the sender's code waits for the sender.
delete from kith.notifications;
select tests.as_user('acme', 'mallory');
select api.create_connection('111111', '2026-03-10T08:44:00Z') ->> 'id' as asked \gset
select tests.as_superuser();
select is(
  tests.told('alice'), 'connection_requested: Connection Request: Mallory wants to receive your pings', 'a sender is asked in a sender''s words'
);
select tests.as_user('acme', 'alice');
select api.remove_connection(:'asked', '2026-03-10T08:45:00Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.told('mallory'), 'connection_removed: Connection Removed: Alice has removed you as a receiver', 'the owner of the code refuses by removing the connection'
);
delete from kith.connections where id = :'asked';

-- What the policies allow when the procedures are bypassed.
select tests.as_user('acme', 'mallory');
select is((select count(*) from kith.connections where sender_id = tests.id('alice')), 0::bigint, 'a stranger cannot read the connection');
select throws_ok(
  format(
    $$
      insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
      values (%s, gen_random_uuid(), %L, %L, 'active', %L, now(), now(), now())
    $$,
    tests.tenant('acme'), tests.id('carol'), tests.id('bob'), tests.id('bob')
  ),
  '42501', null, 'a user cannot insert a connection'
);
select tests.as_definer('acme', 'mallory');
select throws_ok(
  format($$ select internal.notify_connection(%L, 'connection_removed', now()) $$, tests.id('alice-bob')), 'P0001', null,
  'nobody can cause a notification without its event'
);
select tests.as_user('acme', 'mallory');
select throws_ok(
  format(
    $$ insert into kith.notifications (tenant_id, id, user_id, type, body, created_at) values (%s, gen_random_uuid(), %L, 'x', 'x', now()) $$,
    tests.tenant('acme'), tests.id('bob')
  ),
  '42501', null, 'a user cannot insert a notification'
);
select is((select count(*) from kith.users where id <> tests.id('mallory')), 0::bigint, 'users cannot read other accounts');
select is(
  (select string_agg(counterpart_name, ' ') from internal.own_connections), 'Carol', 'users can read the names of their connections'
);

-- Repeated pausing and resuming.
select tests.as_superuser();
update kith.connections set status = 'active', deleted_at = null, deleted_by = null where id = tests.id('alice-bob');
select tests.as_user('acme', 'alice');
select api.pause_connection(tests.id('alice-bob'), timestamptz '2026-03-20T08:00:00Z' + n * interval '2 minutes'),
  api.resume_connection(tests.id('alice-bob'), timestamptz '2026-03-20T08:01:00Z' + n * interval '2 minutes')
from generate_series(0, 9) as n \g /dev/null
select throws_ok(
  $$ select api.pause_connection(tests.id('alice-bob'), '2026-03-20T08:30:00Z') $$, 'KT429', 'too_many_requests',
  'more than twenty changes an hour are refused, because they would hide what the receiver must not miss'
);
do $$
declare
  v_hint text;
begin
  perform api.pause_connection(tests.id('alice-bob'), '2026-03-20T08:30:00Z');
exception when sqlstate 'KT429' then
  get stacked diagnostics v_hint = pg_exception_hint;
  perform set_config('tests.wait', v_hint, true);
end
$$;
select is(current_setting('tests.wait'), '1800', 'the refusal says when the first of the twenty is an hour old');
select lives_ok($$ select api.pause_connection(tests.id('alice-bob'), '2026-03-20T09:00:00.001Z') $$, 'then changes are accepted again');

select * from finish();
rollback;
