-- The order in which deliveries are claimed, what is dropped instead, and the effect of the provider's answer.
begin;
\ir people.sql
select plan(62);
\set now '''2026-03-10T12:00:00Z'''
update kith.users set email = 'bob@example.org', phone = '+4915100000002' where id = tests.id('bob');
update kith.users set email = 'bob@example.com' where id = tests.id('globex-bob');
update kith.users set email = 'alice@example.org' where id = tests.id('alice');

create function tests.told(p_n integer) returns uuid
  language sql immutable
  return ('019cd79e-4600-7000-8000-' || lpad(p_n::text, 12, '0'))::uuid;
create function tests.tell(p_n integer, p_person text, p_type text, p_tenant text default 'acme') returns void
  language sql
as $$
  insert into kith.notifications (tenant_id, id, user_id, type, body, data, created_at, planned_at)
  values (
    tests.tenant(p_tenant), tests.told(p_n), tests.id(p_person), p_type, 'Body',
    jsonb_build_object('connection_id', tests.id('alice-bob'), 'ping_id', tests.id('alice-bob'), 'date', '2026-03-10')
      || case when p_type = 'ping_missed' then jsonb_build_object('user_id', tests.id('alice')) else '{}' end,
    '2026-03-10T12:00:00Z', '2026-03-10T12:00:00Z'
  )
$$;
-- Queues one delivery of the notification, with the same number.
create function tests.queue(
  p_n integer, p_channel text, p_address text, p_is_urgent boolean default false, p_tenant text default 'acme',
  p_at timestamptz default '2026-03-10T12:00:00Z'
) returns void
  language sql
as $$
  insert into kith.deliveries (
    tenant_id, id, channel, purpose, address, notification_id, is_urgent, next_attempt_at, expires_at, created_at
  )
  values (
    tests.tenant(p_tenant), tests.told(p_n), p_channel, 'notification', p_address, tests.told(p_n), p_is_urgent, p_at,
    '2026-03-11T12:00:00Z', '2026-03-10T12:00:00Z'
  )
$$;
-- The deliveries that a worker gets: tenant (a for acme) and number.
create function tests.claim(
  p_channel text, p_batch integer default 10, p_share integer default 10, p_after text default null, p_known text default null,
  p_room integer default 0, p_at timestamptz default '2026-03-10T12:00:00Z'
) returns text
  language plpgsql
as $$
declare
  v_claimed text;
begin
  perform tests.as_role('kith_worker');
  select string_agg(
    case tenant_id when tests.tenant('acme') then 'a' else 'g' end || right(id::text, 2)::integer, ' ' order by tenant_id, id
  )
  into v_claimed
  from worker.claim_deliveries(
    p_at, p_channel, p_batch, p_share, coalesce(tests.tenant(p_after), 0), array_remove(array[tests.tenant(p_known)], null), array[p_room],
    'w1'
  );
  perform tests.as_superuser();
  return v_claimed;
end
$$;
create function tests.finish(p_n integer, p_result jsonb, p_at timestamptz default '2026-03-10T12:00:10Z') returns integer
  language plpgsql
as $$
declare
  v_finished integer;
begin
  perform tests.as_role('kith_worker');
  v_finished := worker.finish_deliveries(
    p_at, 'w1', jsonb_build_array(jsonb_build_object('tenant_id', tests.tenant('acme'), 'id', tests.told(p_n)) || p_result)
  );
  perform tests.as_superuser();
  return v_finished;
end
$$;
create function tests.status(p_n integer) returns text
  language sql
as $$
  select concat_ws(' ', status, error) from kith.deliveries where id = tests.told(p_n)
$$;
create function tests.again() returns void
  language sql
as $$
  update kith.deliveries
  set status = 'queued', attempts = 0, unanswered = 0, leased_until = null, leased_by = null, error = null,
    -- acme's are due later than globex'.
    next_attempt_at = created_at
      + (right(id::text, 2)::integer - case tenant_id when tests.tenant('acme') then 0 else 10 end) * interval '1 ms'
$$;

insert into kith.devices (tenant_id, token, user_id, platform, environment, public_key, auth_secret, created_at, last_seen_at)
select tests.tenant('acme'), token, tests.id(person), platform, 'sandbox', key, auth, '2026-03-01Z', '2026-03-01Z'
from (values
  ('bobs-phone', 'bob', 'ios', null, null), ('https://push.example/bob', 'bob', 'web', 'p256dh', 'auth'), ('carols-phone', 'carol', 'ios', null, null)
) as devices (token, person, platform, key, auth);

-- acme has six messages, globex two.
select tests.tell(n, 'bob', 'message_received'), tests.queue(n, 'email', 'bob@example.org', n in (5, 6), 'acme', :now::timestamptz + n * interval '1 ms')
from generate_series(1, 6) as n \g /dev/null
select tests.tell(n, 'globex-bob', 'message_received', 'globex'), tests.queue(n, 'email', 'bob@example.com', false, 'globex', :now::timestamptz - (10 - n) * interval '1 ms')
from generate_series(7, 8) as n \g /dev/null
select is(tests.claim('sms'), null, 'a claim returns only its channel''s deliveries');
select is(tests.claim('email'), 'g7 g8', 'a claim returns due deliveries and leaves later ones');
select tests.again() \g /dev/null
select is(tests.claim('email', p_at => '2026-03-10T12:00:01Z'), 'a1 a2 a3 a4 a5 a6 g7 g8', 'a claim returns deliveries of every tenant');
select tests.again() \g /dev/null
select is(tests.claim('email', p_share => 2, p_at => '2026-03-10T12:00:01Z'), 'a5 a6 g7 g8', 'each tenant gets its share, urgent deliveries first');
select is(tests.claim('email', p_share => 3, p_at => '2026-03-10T12:00:01Z'), 'a1 a2 a3', 'within a tenant the oldest deliveries come next');
select tests.again() \g /dev/null
select is(tests.claim('email', 3, 2, p_at => '2026-03-10T12:00:01Z'), 'a5 a6 g7', 'a batch ends when it is full');
select tests.again() \g /dev/null
select is(
  tests.claim('email', 1, 1, p_after => 'acme', p_at => '2026-03-10T12:00:01Z'), 'g7', 'the next claim starts after the last tenant'
);
select is(tests.claim('email', 3, 2, p_after => 'globex', p_at => '2026-03-10T12:00:01Z'), 'a5 a6 g8', 'the rotation continues with the first tenant');
select tests.again() \g /dev/null
select is(tests.claim('email', p_known => 'acme', p_at => '2026-03-10T12:00:01Z'), 'g7 g8', 'a tenant without room is left out');
select tests.again() \g /dev/null
select is(
  tests.claim('email', p_known => 'acme', p_room => 1, p_at => '2026-03-10T12:00:01Z'), 'a5 g7 g8', 'a tenant gets as many as it has room for'
);
select tests.again() \g /dev/null
select tests.as_role('kith_admin');
select lives_ok($$ select admin.pause_channel('email', 'acme', 'sends twice', '2026-03-10T12:00:01Z') $$, 'an operator pauses a tenant''s channel');
select throws_ok($$ select admin.pause_channel('email', 'acme', 'again') $$, 'KT409', 'invalid_transition', 'a channel cannot be paused twice');
select throws_ok($$ select admin.pause_channel('fax', 'acme', 'x') $$, 'KT404', 'not_found', 'only an existing channel can be paused');
select throws_ok($$ select admin.pause_channel('sms', 'acme', ' ') $$, 'KT422', 'validation_failed', 'pausing requires a reason');
select throws_ok($$ select admin.pause_channel('email', 'nobody', 'x') $$, 'KT404', 'not_found', 'pausing requires an existing tenant');
select is(
  (select concat_ws(' ', tenant, channel, paused_for, paused_by = 'operator:' || session_user) from admin.channels), 'acme email sends twice t',
  'the pause is visible to operators'
);
select tests.as_superuser();
select is(tests.claim('email', p_at => '2026-03-10T12:00:01Z'), 'g7 g8', 'a paused channel''s messages wait');
select tests.again() \g /dev/null
select tests.as_role('kith_admin');
select admin.pause_channel('email', null, 'all of it', '2026-03-10T12:00:02Z') \g /dev/null
select tests.as_superuser();
select is(tests.claim('email', p_at => '2026-03-10T12:00:01Z'), null, 'a channel can be paused for every tenant');
select is((api.readiness('2026-03-10T12:05:00Z') ->> 'oldest_delivery_seconds')::integer, 0, 'paused deliveries do not count as late');
select tests.as_role('kith_admin');
select matches(
  admin.resume_channel('email', null, '2026-03-10T12:00:03Z'),
  '^resumed; \d+ messages wait, \d+ of them urgent\. Whom the pause delayed: select \* from admin\.delayed\(''email'', ''2026-03-10 12:00:02', 'the end of a pause says what follows'
);
select tests.as_superuser();
select is((api.readiness('2026-03-10T12:05:00Z') ->> 'oldest_delivery_seconds')::integer, 300, 'resuming one channel makes globex'' deliveries count again');
select tests.as_role('kith_admin');
select admin.resume_channel('email', 'acme', '2026-03-10T12:00:04Z') \g /dev/null
select throws_ok($$ select admin.resume_channel('email', 'acme') $$, 'KT409', 'invalid_transition', 'a channel that is not paused cannot be resumed');
select tests.as_superuser();
select is(
  (select string_agg(concat_ws(' ', tenant_id, action, detail ->> 'reason'), ', ' order by id) from kith.audit where action like 'channel.%'),
  concat_ws(' ', tests.tenant('acme'), 'channel.pause sends twice, 0 channel.pause all of it, 0 channel.resume,', tests.tenant('acme'), 'channel.resume'),
  'pausing and resuming are audited'
);
update kith.tenants set deleted_at = :now where slug = 'globex';
select is(tests.claim('email', p_at => '2026-03-10T12:00:01Z'), 'a1 a2 a3 a4 a5 a6', 'a deleted tenant sends nothing');
delete from kith.deliveries; delete from kith.notifications;

-- A tenant with many waiting deliveries.
update kith.tenants set deleted_at = null where slug = 'globex';
select tests.tell(n, 'globex-bob', 'message_received', 'globex'), tests.queue(n, 'email', 'bob@example.com', false, 'globex')
from generate_series(1001, 1600) as n \g /dev/null
select tests.tell(n, 'bob', 'message_received'), tests.queue(n, 'email', 'bob@example.org', n = 2, 'acme', :now::timestamptz + (n - 1) * interval '1 ms')
from generate_series(1, 3) as n \g /dev/null
select is(tests.claim('email', p_known => 'globex'), 'a1', 'a tenant without room does not block others, and later deliveries are not claimed');
update kith.deliveries set status = 'queued', leased_until = null, unanswered = 0, next_attempt_at = :now where status = 'sending';
select is(tests.claim('email', p_share => 1, p_at => '2026-03-10T12:00:01Z'), 'a2 g1', 'each tenant gets its share, urgent deliveries first');
select is(tests.claim('email', 1, 1, p_after => 'acme', p_at => '2026-03-10T12:00:01Z'), 'g2', 'the next claim starts after the last tenant');
select is(tests.claim('email', 2, 1, p_after => 'globex', p_at => '2026-03-10T12:00:01Z'), 'a1 g3', 'the rotation continues with the first tenant');
select is(tests.claim('email', 500, 500, p_after => 'acme', p_at => '2026-03-10T12:00:01Z') ~ '^g', true, 'one tenant may fill the whole batch');
delete from kith.deliveries; delete from kith.notifications;
update kith.tenants set deleted_at = :now where slug = 'globex';

-- The contents of a delivery on each channel.
select tests.tell(n, 'bob', 'ping_all_clear') from generate_series(10, 12) as n \g /dev/null
-- It is about nobody else, so none of the others replaces it.
update kith.notifications set data = data - 'connection_id' where id = tests.told(11);
select tests.queue(10, 'apns', 'bobs-phone', true), tests.queue(11, 'web_push', 'https://push.example/bob'), tests.queue(12, 'sms', '+4915100000002') \g /dev/null
select tests.as_role('kith_worker');
select is(
  (
    select concat_ws(' | ', channel, purpose, address, subject, body, data::jsonb ->> 'type', data::jsonb ->> 'ping_id',
      data::jsonb ->> 'notification_id', collapse_id, is_urgent, attempts, public_key, auth_secret, environment)
    from worker.claim_deliveries(:now, 'apns', 1, 1, 0, '{}', '{}', 'w1')
  ),
  'apns | notification | bobs-phone | All Clear | Body | ping_all_clear | 0c000000-0000-7000-8000-000000000001 | '
    || '019cd79e-4600-7000-8000-000000000010 | 0c000000000070008000000000000001 | t | 1 | sandbox',
  'a push has a title, text, data, and a collapse id for its ping'
);
select is(
  (select concat_ws(' ', public_key, auth_secret, environment) from worker.claim_deliveries(:now, 'web_push', 1, 1, 0, '{}', '{}', 'w1')),
  'p256dh auth sandbox', 'a push to a browser has its keys'
);
select is(
  (select concat_ws(' | ', subject, body) from worker.claim_deliveries(:now, 'sms', 1, 1, 0, '{}', '{}', 'w1')), 'All Clear | PRUUF: Body',
  'a text message about an alarm begins with the brand'
);
select throws_ok($$ select * from kith.deliveries $$, '42501', null, 'the worker cannot read the table directly');
select tests.as_superuser();

-- The provider's answer.
select is(tests.finish(10, '{"outcome": "sent", "provider_id": "apns-1"}'), 1, 'a sent delivery is recorded');
select is(
  (select concat_ws(' ', status, provider_id, internal.instant(sent_at)) from kith.deliveries where id = tests.told(10)),
  'sent apns-1 2026-03-10T12:00:10.000000Z', 'a sent delivery keeps the provider''s id'
);
select is((select delivery_status from kith.notifications where id = tests.told(10)), 'sent', 'the notification is marked as sent');
select is(tests.finish(11, '{"outcome": "retry", "error": "busy", "retry_after": 120}'), 1, 'a retry with Retry-After is recorded');
select is(
  (select next_attempt_at from kith.deliveries where id = tests.told(11)), '2026-03-10T12:02:10Z', 'the next attempt waits as long as the provider asked'
);
savepoint busy;
select tests.claim('web_push', p_at => '2026-03-10T12:02:10Z'), tests.finish(11, '{"outcome": "retry", "retry_after": 1e9}', '2026-03-10T12:02:11Z') \g /dev/null
select is(
  (select next_attempt_at from kith.deliveries where id = tests.told(11)), '2026-03-10T12:06:11Z', 'but for four minutes at most where somebody waits for it'
);
rollback to busy;
update kith.notifications set type = 'message_received' where id = (select notification_id from kith.deliveries where id = tests.told(11));
select tests.claim('web_push', p_at => '2026-03-10T12:02:10Z'), tests.finish(11, '{"outcome": "retry", "retry_after": 1e9}', '2026-03-10T12:02:11Z') \g /dev/null
select is(
  (select next_attempt_at from kith.deliveries where id = tests.told(11)), '2026-03-11T12:00Z', 'the next attempt is never later than the delivery''s expiry'
);
savepoint urgent;
delete from kith.deliveries where status = 'queued';
select tests.tell(13, 'bob', 'ping_all_clear'), tests.queue(13, 'sms', '+4915100000002', true), tests.claim('sms') \g /dev/null
select tests.finish(13, '{"outcome": "retry", "error": "429", "retry_after": 60}') \g /dev/null
select is((select escalates_at from kith.notifications where id = tests.told(13)), null, 'the end of an alarm waits a minute for a provider that asks for it');
select tests.claim('sms', p_at => '2026-03-10T12:01:10Z'), tests.finish(13, '{"outcome": "retry", "retry_after": 7200}', '2026-03-10T12:01:10Z') \g /dev/null
select is(
  (
    select concat_ws(' ', to_char(note.escalates_at, 'HH24:MI:SS'), to_char(delivery.next_attempt_at, 'HH24:MI:SS'))
    from kith.notifications as note join kith.deliveries as delivery on delivery.id = note.id where note.id = tests.told(13)
  ),
  '12:01:10 12:05:10', 'but not for hours: it goes out on the other channels at once, and here again within four minutes'
);
rollback to urgent;
select is(tests.finish(12, '{"outcome": "failed", "error": "no such number"}'), 1, 'a refused delivery is recorded');
select is(
  (select concat_ws(' ', delivery_status, internal.instant(escalates_at)) from kith.notifications where id = tests.told(12)),
  'queued 2026-03-10T12:00:10.000000Z', 'the end of an alarm goes on to the other channels'
);
select is(
  (select string_agg(concat_ws(' ', channel, sent, failed, dropped, retried), ', ' order by channel) from kith.delivery_totals),
  'apns 1 0 0 0, sms 0 1 0 0, web_push 0 0 0 2', 'every result is counted'
);
select is(
  (select api.delivery_metrics(:now)::jsonb -> 4), '{"channel": "web_push", "sent": 0, "failed": 0, "dropped": 0, "attempts": 2, "oldest_seconds": 0, "waiting": 1}'::jsonb,
  'the counts appear in the metrics'
);

-- The destination has no room.
select tests.tell(13, 'bob', 'ping_all_clear'), tests.queue(13, 'web_push', 'https://push.example/bob', true) \g /dev/null
update kith.deliveries set attempts = 2, unanswered = 3 where id = tests.told(13);
select tests.claim('web_push'), tests.finish(13, '{"outcome": "later", "error": "others go first", "retry_after": 7}') \g /dev/null
select is(
  (select concat_ws(' ', status, attempts, unanswered, error, internal.instant(next_attempt_at)) from kith.deliveries where id = tests.told(13)),
  'queued 2 3 others go first 2026-03-10T12:00:17.000000Z',
  'a postponed delivery waits, counts as no attempt, and keeps its count of unanswered claims'
);
select is((select retried from kith.delivery_totals where channel = 'web_push'), 2::bigint, 'a postponement is not counted as a retry');
select is(tests.claim('web_push', p_at => '2026-03-10T12:00:17Z'), 'a13', 'a postponed delivery is claimed when its delay is over');
delete from kith.deliveries where id = tests.told(13); delete from kith.notifications where id = tests.told(13);

-- Devices that are gone or belong to another user.
select tests.tell(n, 'bob', 'message_received'), tests.queue(n, 'apns', 'bobs-phone') from generate_series(20, 22) as n \g /dev/null
select tests.claim('apns', 1) \g /dev/null
update kith.devices set last_seen_at = '2026-03-10T12:00:05Z' where token = 'bobs-phone';
select tests.finish(20, '{"outcome": "gone", "error": "Unregistered"}') \g /dev/null
select is((select count(*) from kith.devices where token = 'bobs-phone'), 1::bigint, 'a device seen again after the push was sent stays');
select tests.claim('apns', 1, p_at => '2026-03-10T12:01:00Z'), tests.finish(21, '{"outcome": "gone", "error": "Unregistered"}', '2026-03-10T12:01:01Z') \g /dev/null
select is((select count(*) from kith.devices where token = 'bobs-phone'), 0::bigint, 'a device that the push service does not know is deleted');
select is(tests.status(21), 'failed Unregistered', 'the push that found out has failed');
select is(tests.claim('apns', p_at => '2026-03-10T12:01:02Z'), null, 'pushes to a deleted device are not claimed');
select is(tests.status(22), 'dropped the device is gone', 'pushes to a deleted device are dropped with a reason');
select tests.tell(23, 'bob', 'message_received'), tests.queue(23, 'apns', 'carols-phone') \g /dev/null
select is(coalesce(tests.claim('apns'), tests.status(23)), 'dropped the device is gone', 'a push to a device that now belongs to another user is dropped');

-- Deliveries that are no longer needed.
update kith.users set email = 'alice@example.org', email_verified_at = :now where id = tests.id('alice');
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
values (
  tests.tenant('acme'), '2026-03-10', tests.id('alice-bob'), gen_random_uuid(), tests.id('alice'), tests.id('bob'), 'due', '2026-03-10T11:00Z',
  '2026-03-10T12:30Z'
);
select tests.tell(n, 'alice', type), tests.queue(n, 'email', 'alice@example.org')
from (values (30, 'ping_due'), (31, 'ping_reminder'), (32, 'message_received')) as told (n, type) \g /dev/null
select is(tests.claim('email', p_at => '2026-03-10T12:00:01Z'), 'a30 a31 a32', 'reminders go to a sender who has not checked in');
select tests.again(); update kith.pings set status = 'completed', completed_at = :now; update kith.notifications set read_at = :now where id = tests.told(32) \g /dev/null
select is(tests.claim('email', p_at => '2026-03-10T12:00:01Z'), null, 'answered reminders and read notifications are not claimed');
select is(
  (select string_agg(concat_ws(' ', status, error, attempts), ', ' order by id) from kith.deliveries where id between tests.told(30) and tests.told(32)),
  'dropped it was answered 0, dropped it was answered 0, dropped it was read 0', 'answered and read deliveries are dropped with a reason'
);
select tests.again(); update kith.pings set status = 'missed', completed_at = null \g /dev/null
select is(tests.claim('email', p_at => '2026-03-10T12:31Z'), null, 'nor are those of a ping that has been missed meanwhile');
select is(
  (select string_agg(distinct error, ', ') from kith.deliveries where id between tests.told(30) and tests.told(31)), 'the deadline had passed',
  'which nobody has answered'
);
select is(
  (select array_agg(distinct delivery_status) from kith.notifications where id between tests.told(30) and tests.told(32)), '{dropped}'::text[],
  'the notifications of dropped deliveries are marked as dropped'
);
select is((select dropped from kith.delivery_totals where channel = 'email'), 6::bigint, 'drops are counted');

select * from finish();
rollback;
