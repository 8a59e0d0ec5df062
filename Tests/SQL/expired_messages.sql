-- What waits for long: it follows its reader, is sent while it is so, and operators read why it was not.
begin;
\ir people.sql
\ir planned_notifications.sql
select plan(25);
create function tests.expires(p_at timestamptz) returns integer
  language plpgsql
as $$
declare
  v_done integer;
begin
  perform tests.as_role('kith_worker');
  v_done := worker.drop_expired_deliveries(p_at, 100);
  perform tests.as_superuser();
  return v_done;
end
$$;
create function tests.fate(p_n integer) returns text
  language sql
as $$
  select string_agg(distinct concat_ws(' ', delivery.status, delivery.error), ', ') from kith.deliveries as delivery where notification_id = tests.told(p_n)
$$;
create function tests.story(p_n integer, p_what text) returns text
  language plpgsql
as $$
declare
  v_detail text;
begin
  perform tests.as_role('kith_reader');
  select string_agg(detail, ' | ') into v_detail from admin.story_of_notification('acme', tests.told(p_n)) where what = p_what;
  perform tests.as_superuser();
  return v_detail;
end
$$;
delete from kith.devices where platform = 'web';
savepoint house;

-- A worker that was away after it had planned.
select tests.tell(1, 'bob', 'connection_accepted'), tests.plan_all() \g /dev/null
savepoint planned;
select tests.expires('2026-03-11T12:00:01Z') \g /dev/null
select is(tests.fate(1), 'dropped expired', 'a message that its channel did not take in a day is dropped');
rollback to planned;
select is(tests.expires('2026-03-14T12:00:00Z'), 1, 'one for which no worker came in time');
select is(tests.ways(1), 'apns bobs-phone queued', 'is not');
select tests.attempt('apns', 'sent', '2026-03-14T12:00:01Z') \g /dev/null
select is(tests.ways(1), 'apns bobs-phone sent', 'but sent when one comes');
rollback to planned;
update kith.connections set status = 'deleted', deleted_at = '2026-03-12Z' where id = tests.id('alice-bob');
update kith.notifications set data = data || jsonb_build_object('user_id', tests.id('alice')) where id = tests.told(1);
select tests.expires('2026-03-14T12:00:00Z'), tests.attempt('apns', 'sent', '2026-03-14T12:00:01Z') \g /dev/null
select is(tests.fate(1), 'dropped the connection has ended', 'if it is still so');
rollback to planned;
select tests.expires('2026-03-18T12:00:01Z') \g /dev/null
select is(tests.fate(1), 'dropped expired', 'for eight days');
rollback to house;
select tests.tell(1, 'bob', 'ping_completed'), tests.plan_all(), tests.expires('2026-03-12T12:00:00Z') \g /dev/null
select is(tests.fate(1), 'dropped expired', 'that somebody checked in is worth nothing then');
rollback to house;
select tests.tell(1, 'bob', 'nominee_invited') \g /dev/null
update kith.notifications set data = data || '{"expires_at": "2026-03-13T12:00:00Z"}' where id = tests.told(1);
select tests.plan_all(), tests.expires('2026-03-14T12:00:00Z') \g /dev/null
select is(tests.fate(1), 'dropped expired', 'nor is an invitation that has ended');
rollback to house;

-- A deadline that has moved.
select tests.tell(1, 'alice', 'ping_due'), tests.plan_all() \g /dev/null
select is((select expires_at::timestamptz from kith.deliveries), '2026-03-10T12:30Z', 'a question expires at the deadline');
savepoint asked;
update kith.pings set deadline_at = '2026-03-10T13:30Z' where id = tests.told(0);
select tests.expires('2026-03-10T12:30:01Z') \g /dev/null
select is((select status || ' ' || internal.instant(expires_at) from kith.deliveries), 'queued 2026-03-10T13:30:00.000000Z', 'which may have moved');
rollback to asked;
select tests.expires('2026-03-10T12:30:01Z') \g /dev/null
select is(tests.fate(1), 'dropped expired', 'but not otherwise');
rollback to asked;
select tests.expires('2026-03-10T13:00:01Z') \g /dev/null
select is(tests.fate(1), 'dropped expired', 'however late the worker is');
rollback to house;

-- What was tried once is held, and follows its reader too.
insert into kith.quiet_hours (tenant_id, user_id, starts_at, ends_at, updated_at) values (tests.tenant('acme'), tests.id('bob'), '12:01', '20:00', :now);
update kith.users set time_zone = 'UTC' where id = tests.id('bob');
select tests.tell(1, 'bob', 'connection_accepted'), tests.plan_all(), tests.attempt('apns', 'retry', :now), tests.attempt('apns', 'sent', '2026-03-10T12:01Z') \g /dev/null
select is((select attempts || ' ' || internal.instant(next_attempt_at) from kith.deliveries), '1 2026-03-10T20:00:00.000000Z', 'between two attempts, quiet hours begin');
savepoint held;
select tests.as_user('acme', 'bob');
select api.delete_quiet_hours('2026-03-10T12:05Z') \g /dev/null
select tests.as_superuser();
select is((select next_attempt_at::timestamptz from kith.deliveries), '2026-03-10T12:05Z', 'their end releases it');
rollback to held;
select tests.as_user('acme', 'bob');
select api.update_me('{"time_zone": "Asia/Kolkata"}', '{}', '2026-03-10T12:05Z') \g /dev/null
select tests.as_superuser();
select is((select next_attempt_at::timestamptz from kith.deliveries), '2026-03-10T14:30Z', 'and another zone moves it');
rollback to house;

-- A browser that can get nothing is no channel.
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at) values (tests.tenant('acme'), 'sms', '{}', '\x00', :now, :now);
create function tests.channels_of(p_person text) returns text
  language sql
as $$
  select array_to_string(internal.channels_of(account), ' ') from kith.users as account where account.id = tests.id(p_person)
$$;
select is(tests.channels_of('bob'), 'push email sms', 'a device, an address and a number are channels');
delete from kith.devices where user_id = tests.id('bob');
insert into kith.devices (tenant_id, token, user_id, platform, environment, created_at, last_seen_at)
values (tests.tenant('acme'), 'https://push.example/dead', tests.id('bob'), 'web', 'production', :now, :now);
select is(tests.channels_of('bob'), 'email sms', 'a browser without keys is none');
delete from kith.channel_credentials where channel = 'email';
select is(tests.channels_of('bob'), 'sms', 'nor is an address where the tenant sends no e-mail');
select tests.tell(1, 'bob', 'connection_removed'), tests.plan_all() \g /dev/null
select is(tests.ways(1), 'sms +4915100000002 queued', 'so what reaches its reader comes by text');
rollback to house;

-- Operators read why.
select tests.tell(1, 'bob', 'break_started'), tests.tell(2, 'bob', 'break_ended', '2026-03-10T12:00:01Z'), tests.plan_all('2026-03-10T12:00:01Z') \g /dev/null
select tests.attempt('apns', 'sent', '2026-03-10T12:01Z') \g /dev/null
select matches(tests.story(1, 'dropped'), 'break_started: (the break has ended|a newer message stands)', 'the story of a notification says what replaced it');
rollback to house;
update kith.pings set status = 'missed' where id = tests.told(0);
select tests.tell(1, 'alice', 'ping_due', '2026-03-10T12:00:00Z'), tests.plan_all() \g /dev/null
select tests.attempt('apns', 'sent', '2026-03-10T12:20Z') \g /dev/null
select is(tests.fate(1), 'dropped the deadline had passed', 'a question is dropped when its deadline has passed');
select matches(tests.story(1, 'dropped'), 'ping_due: the deadline had passed', 'which the story says');
select is(
  (select string_agg(concat_ws(' ', what, became), ', ') from internal.delayed_messages('apns', '2026-03-10T11:00Z', '2026-03-10T13:00Z', tests.tenant('acme'), '2026-03-10T14:00Z')),
  'ping_due never sent: the deadline had passed', 'the list of what was delayed has it'
);
select is(
  (select string_agg(concat_ws(' ', what, verdict), ', ') from internal.lost_messages('apns', '2026-03-10T11:00Z', '2026-03-10T13:00Z', tests.tenant('acme'), '2026-03-10T14:00Z')),
  'ping_due not sent: the deadline has passed', 'and the list of what an outage lost'
);
rollback to house;
select tests.tell(1, 'alice', 'ping_due', '2026-03-10T12:00:00Z'), tests.plan_all('2026-03-10T12:40Z') \g /dev/null
select is(tests.fate(1), 'dropped expired', 'also if no worker has planned it in its time');
select * from finish();
rollback;
