-- What people read and hear of alarms, on each channel.
begin;
\ir people.sql
\ir alarm_house.sql
select plan(30);
create function tests.messages(p_person text, p_channel text, p_now timestamptz) returns text
  language plpgsql
as $$
declare
  v_messages text;
begin
  perform tests.as_role('kith_worker');
  while worker.plan_deliveries(p_now, 100, true) > 0 loop
  end loop;
  select string_agg(concat_ws(' | ', replace(claimed.body, e'\n', '/'), claimed.link_on), '; ' order by claimed.id) into v_messages
  from worker.claim_deliveries(p_now + interval '1 second', p_channel, 100, 100, 0, '{}', '{}', 'w1') as claimed
  join (values ('alice', '+4915100000001'), ('bob', '+4915100000002'), ('carol', '+4915100000003')) as known (person, phone)
    on known.person = p_person
  where claimed.address = known.phone or claimed.address = p_person || '@example.org';
  perform tests.as_superuser();
  return v_messages;
end
$$;
create function tests.wants(p_person text, p_type text, p_channels text) returns void
  language sql
as $$
  insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
  values (tests.tenant('acme'), tests.id(p_person), p_type, p_channels::text[], '2026-01-05T08:00Z')
$$;
update kith.users set phone = '+491510000000' || right(id::text, 1), phone_verified_at = '2026-01-05T08:00Z'
where tenant_id = tests.tenant('acme') and display_name in ('Bob', 'Carol', 'Alice');
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at, inbound_token)
values (tests.tenant('acme'), 'sms', '{"inbound": {}}', '\x00', '2026-01-05T08:00Z', '2026-01-05T08:00Z', '2000000001-x');

insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
values (tests.tenant('acme'), 'voice', '{"inbound": {}, "callback_field": "Url"}', '\x00', '2026-01-05T08:00Z', '2026-01-05T08:00Z');

-- The question of a receiver, and the sender's own miss, can be answered where they are read.
savepoint fresh;
select tests.as_user('acme', 'bob') \g /dev/null
select api.ask_sender(tests.id('alice-bob'), '2026-03-02T07:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.body('alice', 'ask'), 'Bob is asking if you''re OK. Check in by 07:30, or an alarm is raised.', 'a question says what follows');
savepoint asked;
select is(
  tests.messages('alice', 'sms', '2026-03-02T07:00:01Z'),
  'PRUUF: Bob is asking if you''re OK. Check in by 07:30, or an alarm is raised. Reply OK if you are safe, or tap {link} | 2026-03-02',
  'by text it has a link, and says that it can be answered'
);
rollback to asked;
update kith.channel_credentials set summary = '{}' where channel = 'sms';
select is(
  tests.messages('alice', 'sms', '2026-03-02T07:00:01Z'),
  'PRUUF: Bob is asking if you''re OK. Check in by 07:30, or an alarm is raised. Tap {link} | 2026-03-02', 'unless nobody reads answers'
);
rollback to asked;
update kith.users set email = 'alice@example.org', email_verified_at = '2026-01-05T08:00Z' where id = tests.id('alice');
select is(
  tests.messages('alice', 'email', '2026-03-02T07:00:01Z'),
  'Bob is asking if you''re OK. Check in by 07:30, or an alarm is raised.//Say that you''re safe, without signing in: {link} | 2026-03-02',
  'by e-mail it has a link'
);
rollback to asked;
select is(
  tests.messages('alice', 'voice', '2026-03-02T07:00:01Z'),
  'This is PRUUF. Bob is asking if you''re OK. Check in by 07:30, or an alarm is raised. Press 1 if you are safe. Press 2 if you need help.',
  'a call says first who calls'
);
rollback to fresh;
update kith.sender_profiles set time_zone = 'Pacific/Kiritimati' where user_id = tests.id('alice');
select tests.as_user('acme', 'bob') \g /dev/null
select api.ask_sender(tests.id('alice-bob'), '2026-03-02T11:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select matches(tests.messages('alice', 'sms', '2026-03-02T11:00:01Z'), '2026-03-03$', 'the link is of the sender''s local date');
rollback to fresh;
select tests.miss('2026-03-02') \g /dev/null
savepoint missed;
select is(
  tests.messages('alice', 'sms', '2026-03-02T10:30:11Z'),
  'PRUUF: You missed your check-in, Alice. Reply OK if you are safe, or tap {link} | 2026-03-02', 'the sender''s own miss has a link, too'
);
rollback to missed;
update kith.users set locale = 'de' where id = tests.id('alice');
select is(
  tests.messages('alice', 'sms', '2026-03-02T10:30:11Z'),
  'PRUUF: Alice, Sie haben sich nicht gemeldet. Antworten Sie mit OK, wenn es Ihnen gut geht, oder tippen Sie auf {link} | 2026-03-02', 'in German'
);
rollback to missed;
select tests.wants('alice', 'ping_missed', '{voice}') \g /dev/null
select is(
  tests.messages('alice', 'voice', '2026-03-02T10:30:11Z'),
  'This is PRUUF. You missed today''s check-in. Check in now to let your receivers know you''re safe. Press 1 if you are safe. Press 2 if you need help.',
  'a call after the deadline takes a key'
);
select id as call from kith.deliveries where channel = 'voice' and address = '+4915100000001' \gset
select is(
  api.receive_call(tests.tenant('acme'), :'call', null, null, null, false, '2026-03-02T10:30:20Z') ->> 'takes_key', 'true',
  'the provider is told to wait for one'
);
select is(
  api.receive_call(tests.tenant('acme'), :'call', array[sha256('call'), sha256('bound'), sha256('1')], '1', null, false, '2026-03-02T10:30:30Z') ->> 'outcome', 'check_in', 'and it is a check-in'
);
select tests.as_superuser() \g /dev/null
select is(tests.alarm('2026-03-02T10:31Z') ->> 'outcome', 'checked_in', 'that ends the alarm');
rollback to missed;

-- A receiver reads who writes, what has happened, and a number that helps.
select alike(
  tests.messages('bob', 'sms', '2026-03-02T10:30:11Z'), 'PRUUF: Alice has not checked in today. Reply 1 = I''m looking after it, 2 = reached, all well, or tap {link:%',
  'a text message begins with the brand'
);
rollback to missed;
update kith.sender_profiles set share_phone = true where user_id = tests.id('alice');
select alike(
  tests.messages('bob', 'sms', '2026-03-02T10:30:11Z'), 'PRUUF: Alice has not checked in today. +4915100000001 Reply 1 %',
  'and has the number, where the sender lets it be called'
);
rollback to missed;
update kith.sender_profiles set share_phone = true where user_id = tests.id('alice');
update kith.users set email = 'bob@example.org', email_verified_at = '2026-01-05T08:00Z' where id = tests.id('bob');
select alike(
  tests.messages('bob', 'email', '2026-03-02T10:30:11Z'),
  'Alice has not checked in today. +4915100000001//Say that you’re looking after it, or that you reached them and all is well, without signing in: {link:%', 'as has an e-mail'
);
rollback to missed;
select tests.wants('bob', 'ping_missed', '{voice}') \g /dev/null
select is(
  tests.messages('bob', 'voice', '2026-03-02T10:30:11Z'),
  'This is PRUUF. Alice has not checked in today. Press 1 if you are looking after it. Press 2 if you have reached them and they are safe.', 'a call says who calls'
);
rollback to fresh;
update kith.sender_profiles set share_phone = true where user_id = tests.id('alice');
select tests.help('alice', '2026-03-02T08:00Z') \g /dev/null
select alike(
  tests.messages('bob', 'sms', '2026-03-02T08:00:01Z'), 'PRUUF: Alice needs help. Call them now. +4915100000001 Reply 1 %',
  'a call for help says what to do'
);
delete from kith.deliveries;
update kith.notifications set delivery_status = 'sent' where type = 'help_requested';
select tests.act('carol', 'take', '2026-03-02T08:01Z') \g /dev/null
select is(
  tests.messages('bob', 'sms', '2026-03-02T08:01:01Z'), 'PRUUF: Another receiver is looking after it.', 'who looks after it is told without a number'
);
rollback to fresh;

-- A repeat says what is so.
select tests.help('alice', '2026-03-02T08:00Z') \g /dev/null
select tests.tell('2026-03-02T08:30Z') \g /dev/null
select is(tests.body('bob', 'alarm_repeat'), 'Alice called for help at 08:00, and nobody is looking after it.', 'a call for help is no missing sign');
select is((select distinct title from tests.notifications where type = 'alarm_repeat'), 'Help Needed', 'nor in its title');
rollback to fresh;
select tests.as_user('acme', 'bob') \g /dev/null
select api.ask_sender(tests.id('alice-bob'), '2026-03-02T07:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select tests.tell('2026-03-02T07:30:10Z') \g /dev/null
select tests.tell('2026-03-02T08:00:10Z') \g /dev/null
select is(tests.body('bob', 'alarm_repeat'), 'Alice has still not answered.', 'nor is a question without an answer');
rollback to fresh;
select tests.miss('2026-03-02') \g /dev/null
savepoint missed;
select tests.as_user('acme', 'alice') \g /dev/null
select api.pause_connection(tests.id('alice-bob'), '2026-03-02T10:45Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select tests.tell('2026-03-02T11:00Z') \g /dev/null
select is(
  tests.body('carol', 'alarm_repeat'), 'Alice has not checked in, but used the app at 10:45.', 'a pause after the deadline is no check-in, but a sign'
);
select is((select distinct title from tests.notifications where type = 'alarm_repeat'), 'Missed Check-In', 'also in the title');
rollback to missed;
select tests.as_user('acme', 'alice') \g /dev/null
select api.put_break('{"from": "2026-03-03", "until": "2026-03-08"}', '2026-03-02T10:50Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select tests.tell('2026-03-02T11:00Z') \g /dev/null
select is(tests.body('carol', 'alarm_repeat'), 'Alice has not checked in, but used the app at 10:50.', 'so is a break');
rollback to missed;
select tests.tell('2026-03-02T11:00Z') \g /dev/null
select is(tests.body('carol', 'alarm_repeat'), 'There is still no sign of Alice.', 'otherwise there is no sign');

-- The sender, who waits for the taker, learns that nobody comes.
select tests.act('bob', 'take', '2026-03-02T11:01Z') \g /dev/null
select tests.act('bob', 'release', '2026-03-02T11:05Z') \g /dev/null
select is(
  tests.body('alice', 'alarm_reopened'), 'Nobody is looking after it at the moment. Your receivers are told again.', 'when the taker gives it back'
);
select is(tests.body('carol', 'alarm_reopened'), 'Nobody is looking after Alice at the moment.', 'as the others do');
select tests.act('carol', 'resolve', '2026-03-02T11:06Z', '{"outcome": "safe"}') \g /dev/null
select tests.act('bob', 'reopen', '2026-03-02T11:07Z') \g /dev/null
select is((select count(*) from kith.notifications where type = 'alarm_reopened' and user_id = tests.id('alice')), 2::bigint, 'and when somebody opens it again');
-- A title that asks needs no second mark.
select is(internal.text_message('Are You OK?', 'Bob asks.', 'en'), 'Are You OK? Bob asks.', 'a question keeps its mark');
select is(internal.text_message('Alarm Over', 'Bob reached Alice.', 'en'), 'Alarm Over: Bob reached Alice.', 'another title gets a colon');
select * from finish();
rollback;
