-- One person gets one message at a time, and no message of an alarm waits for a channel that sends nothing.
begin;
\ir people.sql
\ir alarm_house.sql
select plan(36);
create function tests.sends(p_channel text, p_now timestamptz, p_outcome text default 'sent') returns void
  language plpgsql
as $$
begin
  perform tests.as_role('kith_worker');
  perform worker.finish_deliveries(p_now, 'w1', (
    select coalesce(jsonb_agg(jsonb_build_object('tenant_id', tenant_id, 'id', id, 'outcome', p_outcome, 'error', 'refused')), '[]')
    from worker.claim_deliveries(p_now, p_channel, 100, 100, 0, '{}', '{}', 'w1')
  ));
  perform tests.as_superuser();
end
$$;
create function tests.ways(p_person text, p_type text) returns text
  language sql
as $$
  select string_agg(concat_ws(' ', delivery.channel, nullif(delivery.status, 'queued')), ', ' order by note.id, delivery.created_at, delivery.channel)
  from kith.notifications as note
  join kith.deliveries as delivery on delivery.tenant_id = note.tenant_id and delivery.notification_id = note.id
  where note.user_id = tests.id(p_person) and note.type = p_type
$$;
create function tests.status(p_person text, p_type text) returns text
  language sql
as $$
  select note.delivery_status from kith.notifications as note where note.user_id = tests.id(p_person) and note.type = p_type
$$;
create function tests.claims_one(p_token text, p_outcome text, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  update kith.deliveries set next_attempt_at = p_now + interval '30 seconds' where channel = 'apns' and address <> p_token and status = 'queued';
  perform tests.sends('apns', p_now, p_outcome);
end
$$;
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
select tests.tenant('acme'), channel, '{}', '\x00', '2026-01-05T08:00Z', '2026-01-05T08:00Z' from unnest(array['sms', 'email', 'apns', 'voice']) as channel;
update kith.users set phone = '+491510000000' || right(id::text, 1), phone_verified_at = '2026-01-05T08:00Z', time_zone = 'UTC'
where tenant_id = tests.tenant('acme') and display_name in ('Bob', 'Carol', 'Alice');
savepoint house;

-- A phone that takes text and call.
select tests.miss('2026-03-02'), tests.plan_all('2026-03-02T10:31Z') \g /dev/null
select is(tests.ways('bob', 'ping_missed'), 'sms', 'whoever has a phone alone gets a text');
savepoint texted;
select tests.sends('sms', '2026-03-02T10:31Z'), tests.plan_all('2026-03-02T10:45Z') \g /dev/null
select is(tests.ways('bob', 'ping_missed'), 'sms sent', 'and no call about it, once it is sent');
select tests.tell('2026-03-02T11:00Z'), tests.plan_all('2026-03-02T11:00Z') \g /dev/null
select is(tests.ways('bob', 'alarm_repeat'), 'voice', 'but at the next repeat');
rollback to texted;
select tests.sends('sms', '2026-03-02T10:31Z', 'failed'), tests.plan_all('2026-03-02T10:31:01Z') \g /dev/null
select is(tests.ways('bob', 'ping_missed'), 'sms failed, voice', 'when the text fails, the call follows at once');
rollback to texted;
select tests.plan_all('2026-03-02T10:33:01Z') \g /dev/null
select is(tests.ways('bob', 'ping_missed'), 'sms, voice', 'or after two minutes in which it does not leave');
select tests.plan_all('2026-03-02T10:41:02Z') \g /dev/null
select is((select count(*) from kith.undelivered_alarms where user_id = tests.id('bob')), 1::bigint, 'eight minutes later it is undelivered');
rollback to house;

-- What fails goes from channel to channel, the call last.
insert into kith.devices (tenant_id, token, user_id, platform, environment, created_at, last_seen_at)
values (tests.tenant('acme'), 'bobs-phone', tests.id('bob'), 'ios', 'production', '2026-01-05T08:00Z', '2026-01-05T08:00Z');
savepoint device;
select tests.miss('2026-03-02'), tests.plan_all('2026-03-02T10:31Z'), tests.sends('apns', '2026-03-02T10:31Z', 'failed') \g /dev/null
select tests.plan_all('2026-03-02T10:31:01Z') \g /dev/null
select is(tests.ways('bob', 'ping_missed'), 'apns failed, sms', 'after a push the text');
select tests.sends('sms', '2026-03-02T10:31:02Z', 'failed') \g /dev/null
select is(tests.status('bob', 'ping_missed'), 'queued', 'which is not lost while a call is left');
select tests.plan_all('2026-03-02T10:31:03Z') \g /dev/null
select is(tests.ways('bob', 'ping_missed'), 'apns failed, sms failed, voice', 'after the text the call');
select tests.sends('voice', '2026-03-02T10:31:04Z', 'failed'), tests.plan_all('2026-03-02T10:31:05Z') \g /dev/null
select is(
  tests.status('bob', 'ping_missed') || (select count(*) from kith.undelivered_alarms where user_id = tests.id('bob')), 'failed1',
  'then the alarm is undelivered'
);
rollback to device;
select tests.miss('2026-03-02'), tests.plan_all('2026-03-02T10:31Z'), tests.plan_all('2026-03-02T10:33:01Z') \g /dev/null
select is(tests.ways('bob', 'ping_missed'), 'apns, sms', 'a push that does not leave is followed by a text after two minutes');
select tests.plan_all('2026-03-02T10:35:02Z') \g /dev/null
select is(tests.ways('bob', 'ping_missed'), 'apns, sms, voice', 'and by a call after two more');
select tests.plan_all('2026-03-02T10:41:01Z') \g /dev/null
select is((select count(*) from kith.undelivered_alarms where user_id = tests.id('bob')), 0::bigint, 'which has its time');
select tests.plan_all('2026-03-02T10:41:03Z') \g /dev/null
select is((select count(*) from kith.undelivered_alarms where user_id = tests.id('bob')), 1::bigint, 'it is undelivered ten minutes after it was planned');
rollback to device;

-- Two devices, one of which is dead.
insert into kith.devices (tenant_id, token, user_id, platform, environment, created_at, last_seen_at)
values (tests.tenant('acme'), 'bobs-old-phone', tests.id('bob'), 'ios', 'production', '2026-01-01T08:00Z', '2026-01-01T08:00Z');
select tests.miss('2026-03-02'), tests.plan_all('2026-03-02T10:31Z') \g /dev/null
savepoint two;
select tests.claims_one('bobs-old-phone', 'gone', '2026-03-02T10:31:01Z'), tests.plan_all('2026-03-02T10:31:02Z') \g /dev/null
select is(tests.ways('bob', 'ping_missed'), 'apns, apns failed', 'a dead device takes no text while the other one may take the push');
savepoint dead;
select tests.sends('apns', '2026-03-02T10:31:32Z'), tests.plan_all('2026-03-02T10:35Z') \g /dev/null
select is(tests.ways('bob', 'ping_missed'), 'apns failed, apns sent', 'which is enough');
rollback to dead;
select tests.sends('apns', '2026-03-02T10:31:32Z', 'failed'), tests.plan_all('2026-03-02T10:31:33Z') \g /dev/null
select is(tests.ways('bob', 'ping_missed'), 'apns failed, apns failed, sms', 'if it fails too, the text follows at once');
rollback to dead;
select tests.plan_all('2026-03-02T10:33:01Z') \g /dev/null
select is(tests.ways('bob', 'ping_missed'), 'apns, apns failed, sms', 'or after the two minutes');
rollback to device;

insert into kith.devices (tenant_id, token, user_id, platform, environment, created_at, last_seen_at)
select tests.tenant('acme'), token, tests.id('alice'), 'ios', 'production', '2026-01-05T08:00Z', '2026-01-05T08:00Z' from unnest('{alices-phone,alices-old-phone}'::text[]) as token;
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, asked_at)
select tenant_id, '2026-03-02', id, gen_random_uuid(), sender_id, receiver_id, 'due', '2026-03-02T09:00Z', '2026-03-02T10:30Z', '2026-03-02T09:00Z'
from kith.connections where id = tests.id('alice-bob') on conflict do nothing;
insert into kith.notifications (tenant_id, id, user_id, type, body, data, created_at)
values (
  tests.tenant('acme'), internal.uuid7('2026-03-02T09:00Z'), tests.id('alice'), 'ping_due', 'Body',
  jsonb_build_object('connection_id', tests.id('alice-bob'), 'date', '2026-03-02'), '2026-03-02T09:00Z'
);
select tests.plan_all('2026-03-02T09:00Z'), tests.claims_one('alices-old-phone', 'gone', '2026-03-02T09:00:01Z'), tests.plan_all('2026-03-02T09:01Z') \g /dev/null
select is(tests.ways('alice', 'ping_due'), 'apns, apns failed', 'a question to two devices waits for the living one too');
select tests.plan_all('2026-03-02T09:02:02Z') \g /dev/null
select is(tests.ways('alice', 'ping_due'), 'apns, apns failed, sms', 'for two minutes');
rollback to device;

-- A question leaves a channel whose provider fails: the worker claims nothing for it (room 0).
create function tests.silent(p_channel text, p_room integer, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.as_role('kith_worker');
  perform from worker.claim_deliveries(p_now, p_channel, 100, 0, 0, array[tests.tenant('acme')], array[p_room], 'w1');
  perform tests.as_superuser();
  perform tests.plan_all(p_now);
end
$$;
insert into kith.devices (tenant_id, token, user_id, platform, environment, created_at, last_seen_at)
values (tests.tenant('acme'), 'alices-phone', tests.id('alice'), 'ios', 'production', '2026-01-05T08:00Z', '2026-01-05T08:00Z');
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, asked_at)
select tenant_id, '2026-03-02', id, gen_random_uuid(), sender_id, receiver_id, 'due', '2026-03-02T09:00Z', '2026-03-02T10:30Z', '2026-03-02T09:00Z'
from kith.connections where id = tests.id('alice-bob');
insert into kith.notifications (tenant_id, id, user_id, type, body, data, created_at)
values (
  tests.tenant('acme'), internal.uuid7('2026-03-02T09:00Z'), tests.id('alice'), 'ping_due', 'Body',
  jsonb_build_object('connection_id', tests.id('alice-bob'), 'date', '2026-03-02'), '2026-03-02T09:00Z'
), (
  tests.tenant('acme'), internal.uuid7('2026-03-02T09:00Z'), tests.id('bob'), 'connection_accepted', 'Body',
  jsonb_build_object('connection_id', tests.id('alice-bob')), '2026-03-02T09:00Z'
);
select tests.plan_all('2026-03-02T09:00Z'), tests.silent('apns', 0, '2026-03-02T09:01:59Z') \g /dev/null
select is(tests.ways('alice', 'ping_due'), 'apns', 'a question waits two minutes for its channel');
savepoint silent;
select tests.silent('apns', 0, '2026-03-02T09:02:00Z') \g /dev/null
select is(tests.ways('alice', 'ping_due'), 'apns, sms', 'then it goes out on another one');
select is(tests.ways('bob', 'connection_accepted'), 'apns', 'what can wait does not');
select tests.silent('apns', 0, '2026-03-02T09:03:00Z') \g /dev/null
select is(tests.ways('alice', 'ping_due'), 'apns, sms', 'once');
rollback to silent;
select tests.sends('apns', '2026-03-02T09:01:00Z', 'later'), tests.plan_all('2026-03-02T09:01:01Z') \g /dev/null
select is(tests.ways('alice', 'ping_due'), 'apns', 'so does one that the worker puts off because its host fails');
select tests.sends('apns', '2026-03-02T09:02:05Z', 'later'), tests.plan_all('2026-03-02T09:02:06Z') \g /dev/null
select is(tests.ways('alice', 'ping_due'), 'apns, sms', 'and it goes out on another channel then');
rollback to silent;
select tests.silent('apns', 5, '2026-03-02T09:05:00Z') \g /dev/null
select is(tests.ways('alice', 'ping_due'), 'apns sending', 'a late worker whose channel sends takes no other one');
rollback to device;

-- A message that follows an alarm does not wait for a channel either.
select tests.miss('2026-03-02'), tests.plan_all('2026-03-02T10:31Z'), tests.sends('apns', '2026-03-02T10:31Z'), tests.sends('sms', '2026-03-02T10:31Z')
\g /dev/null
savepoint told;
select tests.act('carol', 'take', '2026-03-02T10:40Z'), tests.plan_all('2026-03-02T10:40Z') \g /dev/null
select is(tests.ways('bob', 'alarm_taken'), 'apns', 'that somebody has it is pushed');
savepoint taken;
select tests.plan_all('2026-03-02T10:41:59Z') \g /dev/null
select is(tests.ways('bob', 'alarm_taken'), 'apns', 'for two minutes');
select tests.plan_all('2026-03-02T10:42Z') \g /dev/null
select is(tests.ways('bob', 'alarm_taken'), 'apns, sms', 'then, if that channel sends nothing, it is texted');
select tests.plan_all('2026-03-02T10:44Z') \g /dev/null
select is(tests.ways('bob', 'alarm_taken'), 'apns, sms, voice', 'and called');
select tests.plan_all('2026-03-02T10:55Z') \g /dev/null
select is((select count(*) from kith.undelivered_alarms), 0::bigint, 'it is no alarm that reached nobody');
rollback to taken;
select tests.sends('apns', '2026-03-02T10:41Z'), tests.plan_all('2026-03-02T10:45Z') \g /dev/null
select is(tests.ways('bob', 'alarm_taken'), 'apns sent', 'one that is sent takes no other channel');
rollback to told;
insert into kith.quiet_hours (tenant_id, user_id, starts_at, ends_at, updated_at) values (tests.tenant('acme'), tests.id('bob'), '15:00', '20:00', '2026-03-01Z');
select tests.act('carol', 'take', '2026-03-02T16:00Z'), tests.plan_all('2026-03-02T16:00Z'), tests.plan_all('2026-03-02T17:00Z') \g /dev/null
select is(tests.ways('bob', 'alarm_taken'), 'apns', 'one that quiet hours hold');
select tests.plan_all('2026-03-02T20:02Z') \g /dev/null
select is(tests.ways('bob', 'alarm_taken'), 'apns, sms', 'waits for its channel only after them');
rollback to device;

-- Quiet hours that end in the hour that an autumn night has twice.
select is(
  array(
    select to_char(internal.quiet_until(at, '22:00', '02:30', 'Europe/Berlin') at time zone 'UTC', 'HH24:MI')
    from unnest('{2026-10-25T00:15Z,2026-10-25T00:30Z,2026-10-25T01:15Z,2026-10-25T01:45Z}'::timestamptz[]) as at
  ),
  '{00:30,00:30,01:15,01:45}', 'hold a message once, until the first of the two instants'
);
select * from finish();
rollback;
