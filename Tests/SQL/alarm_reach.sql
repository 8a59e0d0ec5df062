-- Whom what follows an alarm reaches, and on which channel.
begin;
\ir people.sql
\ir alarm_house.sql
select plan(62);
create function tests.sends(p_channel text, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.as_role('kith_worker');
  perform worker.finish_deliveries(p_now, 'w1', (
    select coalesce(jsonb_agg(jsonb_build_object('tenant_id', tenant_id, 'id', id, 'outcome', 'sent')), '[]')
    from worker.claim_deliveries(p_now, p_channel, 100, 100, 0, '{}', '{}', 'w1')
  ));
  perform tests.as_superuser();
end
$$;
create function tests.ways(p_person text, p_type text) returns text
  language sql
as $$
  select string_agg(concat_ws(' ', delivery.channel, case when delivery.status = 'dropped' then 'dropped' end), ', ' order by note.id, delivery.channel)
  from kith.notifications as note
  join kith.deliveries as delivery on delivery.tenant_id = note.tenant_id and delivery.notification_id = note.id
  where note.user_id = tests.id(p_person) and note.type = p_type
$$;
create function tests.tellings(p_person text) returns text
  language sql
as $$
  select string_agg(concat_ws(' by ', line ->> 'kind', line ->> 'channel'), ', ' order by n)
  from jsonb_array_elements(tests.alarm('2026-03-03T08:30Z') -> 'timeline') with ordinality as timeline (line, n)
  where line #>> '{person,id}' = tests.id(p_person)::text
$$;
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
select tests.tenant('acme'), channel, '{}', '\x00', '2026-01-05T08:00Z', '2026-01-05T08:00Z' from unnest(array['sms', 'email', 'apns', 'voice']) as channel;
update kith.users set phone = '+491510000000' || right(id::text, 1), phone_verified_at = '2026-01-05T08:00Z'
where tenant_id = tests.tenant('acme') and display_name in ('Bob', 'Carol', 'Alice');

-- People who have a phone number and nothing else.
savepoint fresh;
select tests.miss('2026-03-02') \g /dev/null
select tests.act('bob', 'take', '2026-03-02T10:32Z') \g /dev/null
select tests.tell('2026-03-02T11:02Z') \g /dev/null
select tests.act('bob', 'resolve', '2026-03-02T11:03Z', '{"outcome": "safe"}') \g /dev/null
select tests.plan_all('2026-03-02T11:04Z') \g /dev/null
select is(tests.ways('carol', 'alarm_resolved'), 'sms', 'who has only a phone learns by text that the alarm is over');
select is(tests.ways('alice', 'alarm_resolved'), 'sms', 'and so does the sender');
rollback to fresh;
select tests.miss('2026-03-02') \g /dev/null
select tests.plan_all('2026-03-02T10:31Z'), tests.sends('sms', '2026-03-02T10:31Z') \g /dev/null
select tests.act('bob', 'take', '2026-03-02T10:32Z') \g /dev/null
select tests.plan_all('2026-03-02T10:33Z') \g /dev/null
select is(tests.ways('carol', 'alarm_taken'), 'sms', 'they learn that somebody looks after it');
select is(tests.ways('alice', 'alarm_taken'), 'sms', 'and so does the sender');
select tests.sends('sms', '2026-03-02T10:33Z') \g /dev/null
select tests.tell('2026-03-02T11:02Z') \g /dev/null
select tests.plan_all('2026-03-02T11:02Z') \g /dev/null
select is(tests.ways('bob', 'alarm_check'), 'sms', 'the taker is asked whether they still do');
select tests.check_in('alice', '2026-03-02T11:05Z') \g /dev/null
select tests.plan_all('2026-03-02T11:05Z') \g /dev/null
select is(tests.ways('carol', 'ping_all_clear'), 'sms', 'and the all-clear reaches them');
rollback to fresh;
insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
values (tests.tenant('acme'), tests.id('carol'), 'alarm_taken', '{}', '2026-01-05T08:00Z');
select tests.miss('2026-03-02') \g /dev/null
select tests.plan_all('2026-03-02T10:31Z'), tests.sends('sms', '2026-03-02T10:31Z') \g /dev/null
select tests.act('bob', 'take', '2026-03-02T10:32Z') \g /dev/null
select tests.plan_all('2026-03-02T10:33Z') \g /dev/null
select is(tests.ways('carol', 'alarm_taken'), null, 'who has turned it off hears nothing');
rollback to fresh;
select tests.as_user('acme', 'alice') \g /dev/null
select api.drill_alarm('2026-03-02T08:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select tests.act('bob', 'take', '2026-03-02T08:01Z') \g /dev/null
select tests.plan_all('2026-03-02T08:02Z') \g /dev/null
select is(tests.ways('carol', 'alarm_taken'), null, 'a drill is no louder than its reader wants');
rollback to fresh;

-- Whoever read of the alarm in a text message learns of its end there too.
insert into kith.devices (tenant_id, token, user_id, platform, environment, created_at, last_seen_at)
select tests.tenant('acme'), person || 's-phone', tests.id(person), 'ios', 'production', '2026-01-05T08:00Z', '2026-01-05T08:00Z'
from unnest(array['bob', 'carol']) as person;
savepoint devices;
select tests.help('alice', '2026-03-02T08:00Z') \g /dev/null
select tests.plan_all('2026-03-02T08:00Z') \g /dev/null
select tests.tell('2026-03-02T08:30Z') \g /dev/null
select tests.plan_all('2026-03-02T08:30Z') \g /dev/null
select tests.sends('sms', '2026-03-02T08:30:01Z') \g /dev/null
select tests.act('bob', 'resolve', '2026-03-02T08:40Z', '{"outcome": "safe"}') \g /dev/null
select tests.plan_all('2026-03-02T08:41Z') \g /dev/null
select is(tests.ways('carol', 'alarm_resolved'), 'apns, sms', 'the end goes out on the channels of the alarm as well');
rollback to devices;

-- "Has not checked in" stops when the alarm is over or taken.
insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
values (tests.tenant('acme'), tests.id('carol'), 'ping_missed', '{push}', '2026-01-05T08:00Z');
savepoint pushes;
select tests.miss('2026-03-02') \g /dev/null
select tests.plan_all('2026-03-02T10:30:11Z') \g /dev/null
select tests.act('bob', 'resolve', '2026-03-02T10:31Z', '{"outcome": "safe"}') \g /dev/null
select tests.plan_all('2026-03-02T10:33Z') \g /dev/null
select is(tests.ways('carol', 'ping_missed'), 'apns dropped', 'a miss takes no louder channel once somebody said that the sender is safe');
rollback to pushes;
select tests.miss('2026-03-02') \g /dev/null
select tests.plan_all('2026-03-02T10:30:11Z') \g /dev/null
select tests.act('bob', 'take', '2026-03-02T10:31Z') \g /dev/null
select tests.plan_all('2026-03-02T10:33Z') \g /dev/null
select is(tests.ways('carol', 'ping_missed'), 'apns', 'nor while somebody looks after it');
select tests.miss('2026-03-03') \g /dev/null
select tests.plan_all('2026-03-03T10:30:11Z') \g /dev/null
select tests.plan_all('2026-03-03T10:33Z') \g /dev/null
select is(tests.ways('carol', 'ping_missed'), 'apns, apns, sms', 'a new day''s miss is told all the same');
rollback to pushes;
select tests.miss('2026-03-02') \g /dev/null
select tests.plan_all('2026-03-02T10:30:11Z') \g /dev/null
select tests.plan_all('2026-03-02T10:33Z') \g /dev/null
select is(tests.ways('carol', 'ping_missed'), 'apns, sms', 'while nobody does, it takes a louder channel');
select tests.plan_all('2026-03-02T10:35Z') \g /dev/null
select is(tests.ways('carol', 'ping_missed'), 'apns, sms, voice', 'and then every one');
rollback to devices;

-- Quiet hours: told by day, woken at night.
insert into kith.quiet_hours (tenant_id, user_id, starts_at, ends_at, updated_at)
select tests.tenant('acme'), tests.id(person), '22:00', '07:00', '2026-03-01T00:00Z' from unnest(array['bob', 'carol']) as person;
select tests.miss('2026-03-02'), tests.plan_all('2026-03-02T10:31Z'), tests.sends('apns', '2026-03-02T10:31Z') \g /dev/null
select tests.act('carol', 'take', '2026-03-02T22:30Z') \g /dev/null
select is(
  (select count(*) from kith.notifications where type = 'alarm_taken' and user_id = tests.id('bob') and data ? 'breaks'), 0::bigint,
  'who was told by day is not woken because somebody takes it at night'
);
select tests.act('carol', 'release', '2026-03-02T22:31Z') \g /dev/null
delete from kith.notifications where type = 'alarm_taken';
select tests.help('alice', '2026-03-02T23:00Z') \g /dev/null
select tests.act('carol', 'take', '2026-03-02T23:02Z') \g /dev/null
select is(
  (select count(*) from kith.notifications where type = 'alarm_taken' and user_id = tests.id('bob') and data ? 'breaks'), 1::bigint,
  'who was woken by the call for help learns at once who looks after it'
);
select tests.act('carol', 'resolve', '2026-03-02T23:30Z', '{"outcome": "safe"}') \g /dev/null
select is(
  (select count(*) from kith.notifications where type = 'alarm_resolved' and user_id = tests.id('bob') and data ? 'breaks'), 1::bigint,
  'and that it is over'
);
rollback to fresh;

-- Told just before quiet hours.
insert into kith.quiet_hours (tenant_id, user_id, starts_at, ends_at, updated_at)
select tests.tenant('acme'), tests.id('bob'), '10:35', '17:00', '2026-03-01T00:00Z';
select tests.miss('2026-03-02') \g /dev/null
select tests.plan_all('2026-03-02T10:31Z'), tests.sends('sms', '2026-03-02T10:31Z') \g /dev/null
select tests.act('carol', 'take', '2026-03-02T10:36Z') \g /dev/null
select tests.act('carol', 'resolve', '2026-03-02T10:40Z', '{"outcome": "safe"}') \g /dev/null
select is(
  (select string_agg(type, ' ' order by id) from kith.notifications where user_id = tests.id('bob') and data ? 'breaks'), 'alarm_taken alarm_resolved',
  'whoever was told just before their quiet hours, and is looking, learns at once that somebody does, and that it is over'
);
select tests.act('carol', 'reopen', '2026-03-02T10:41Z') \g /dev/null
delete from kith.notifications where type = 'alarm_reopened';
select tests.act('carol', 'take', '2026-03-02T13:30:09Z') \g /dev/null
select is(
  (select count(*) from kith.notifications where user_id = tests.id('bob') and type = 'alarm_taken' and data ? 'breaks'), 2::bigint, 'for three hours'
);
select tests.act('carol', 'resolve', '2026-03-02T13:30:11Z', '{"outcome": "safe"}') \g /dev/null
select is(
  (select count(*) from kith.notifications where user_id = tests.id('bob') and type = 'alarm_resolved' and data ? 'breaks'), 1::bigint, 'and no longer'
);
rollback to fresh;

-- Nobody has been told before a channel has taken a message.
create function tests.fail_all(p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_channel text;
begin
  perform tests.as_role('kith_worker');
  for v_channel in select unnest(array['sms', 'voice']) loop
    perform worker.finish_deliveries(p_now, 'w1', (
      select coalesce(jsonb_agg(jsonb_build_object('tenant_id', tenant_id, 'id', id, 'outcome', 'failed', 'error', 'no such number')), '[]')
      from worker.claim_deliveries(p_now, v_channel, 100, 100, 0, '{}', '{}', 'w1')
    ));
  end loop;
  perform tests.as_superuser();
end
$$;
create function tests.story_of(p_what text) returns text
  language sql
as $$
  select string_agg(detail, '; ' order by at, detail) from internal.alarm_story((select alarm from kith.alarms as alarm), '2026-03-02T08:30Z') where what = p_what
$$;
select tests.help('alice', '2026-03-02T08:00Z') \g /dev/null
select tests.plan_all('2026-03-02T08:00:01Z') \g /dev/null
select is(tests.tellings('carol'), 'being_told', 'whose message waits for its channel is being told');
select matches(tests.story_of('being told'), 'Carol \(.*\), by no channel yet: queued by (sms|voice)', 'which an operator reads with the channel');
savepoint waiting;
select tests.sends('sms', '2026-03-02T08:00:02Z') \g /dev/null
select is(tests.tellings('carol'), 'told by sms', 'and is told once it has taken it');
rollback to waiting;
update kith.notifications set read_at = '2026-03-02T08:00:30Z' where user_id = tests.id('carol');
select is(tests.tellings('carol'), 'told, seen', 'or once they have read it in the app');
rollback to waiting;
update kith.deliveries set attempts = 20;
select tests.fail_all('2026-03-02T08:00:02Z') \g /dev/null
select tests.plan_all('2026-03-02T08:00:03Z') \g /dev/null
update kith.deliveries set attempts = 20;
select tests.fail_all('2026-03-02T08:00:04Z') \g /dev/null
select tests.plan_all('2026-03-02T08:00:05Z') \g /dev/null
select is(tests.tellings('carol'), 'not_reached', 'whom no channel reaches is not told');
select is(tests.story_of('being told'), null, 'and not being told');
select is((select format('%s of %s', reached, told) from admin.alarms), '0 of 2', 'and does not count as reached');
select matches(tests.story_of('not reached'), 'Carol \(.*\), on no channel: .*no such number', 'which an operator reads with the reasons');
delete from kith.channel_credentials;
select is(tests.tellings('carol'), 'told', 'where the tenant''s own server tells people, everybody counts as told');
rollback to fresh;

-- A mailbox is no person, and neither is a call that nobody answers.
create function tests.unheard(p_n integer, p_now timestamptz, p_unheard text default 'machine') returns text
  language plpgsql
as $$
declare
  v_call uuid := (
    select delivery.id from kith.deliveries as delivery
    join kith.notifications as note on note.tenant_id = delivery.tenant_id and note.id = delivery.notification_id
    where delivery.channel = 'voice' and note.user_id = tests.id('bob') order by coalesce(delivery.sent_at, delivery.next_attempt_at) offset p_n - 1 limit 1
  );
  v_answer json;
begin
  perform tests.as_role('kith_api');
  v_answer := api.receive_call(tests.tenant('acme'), v_call, array(select sha256(v_call::text::bytea) from generate_series(1, 3)), null, p_unheard, true, p_now);
  perform tests.as_superuser();
  return v_answer ->> 'outcome';
end
$$;
create function tests.calls() returns setof uuid
  language sql
  security definer
as $$
  select delivery.id from kith.deliveries as delivery where delivery.channel = 'voice'
$$;
create function tests.works(p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.plan_all(p_now);
  perform tests.sends('voice', p_now);
end
$$;
create function tests.delivery_status() returns text
  language sql
as $$
  select delivery_status from kith.notifications where user_id = tests.id('bob') and type = 'ping_missed'
$$;
insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
values (tests.tenant('acme'), tests.id('bob'), 'ping_missed', '{voice}', '2026-01-05T08:00Z');
savepoint calls;
select tests.miss('2026-03-02'), tests.works('2026-03-02T10:30:11Z') \g /dev/null
select is(tests.tellings('bob'), 'told by voice', 'who is called is told');
savepoint called;
select is(tests.unheard(1, '2026-03-02T10:30:40Z'), 'machine', 'unless a machine answers');
select is(tests.tellings('bob'), 'being_told by voice', 'then they are being told');
select tests.works('2026-03-02T10:30:41Z') \g /dev/null
select is(tests.ways('bob', 'ping_missed'), 'sms, voice, voice', 'a text message goes out at once, and the calls go on');
select tests.sends('sms', '2026-03-02T10:30:42Z') \g /dev/null
select is(tests.tellings('bob'), 'not_reached by voice, told by sms', 'which tells them');
select tests.works('2026-03-02T10:40:12Z') \g /dev/null
select tests.unheard(2, '2026-03-02T10:40:40Z') \g /dev/null
select is(tests.delivery_status(), 'sent', 'whatever the second call meets');
rollback to called;
select is(
  array(
    select format('%s: %s, then %s', unheard, tests.unheard(1, '2026-03-02T10:30:40Z', unheard), tests.tellings('bob'))
    from unnest('{no_answer,busy,failed}'::text[]) as unheard limit 1
  ),
  '{"no_answer: no_key, then being_told by voice"}', 'or nobody'
);
select tests.works('2026-03-02T10:30:41Z'), tests.sends('sms', '2026-03-02T10:30:42Z') \g /dev/null
select is(tests.tellings('bob'), 'not_reached by voice, told by sms', 'then too a text message tells them within a minute');
rollback to called;
update kith.deliveries set status = 'sending', leased_by = 'w1', leased_until = '2026-03-02T10:32Z', sent_at = null where channel = 'voice' and status = 'sent';
update kith.notifications set delivery_status = 'queued', sent_at = null where type = 'ping_missed' and user_id = tests.id('bob');
delete from kith.deliveries where channel = 'voice' and status = 'queued';
select tests.unheard(1, '2026-03-02T10:30:11Z', 'busy') \g /dev/null
select tests.as_role('kith_worker');
select worker.finish_deliveries('2026-03-02T10:30:12Z', 'w1', (
  select jsonb_agg(jsonb_build_object('tenant_id', tests.tenant('acme'), 'id', id, 'outcome', 'sent')) from tests.calls() as id
)) \g /dev/null
select tests.as_superuser();
select tests.works('2026-03-02T10:30:13Z') \g /dev/null
select is(tests.ways('bob', 'ping_missed'), 'sms, voice, voice', 'also when the report overtakes the provider''s answer');
rollback to called;
select tests.unheard(1, '2026-03-02T10:30:40Z', 'busy'), tests.unheard(1, '2026-03-02T10:30:41Z', 'failed') \g /dev/null
select is(
  (select string_agg(error, ', ') from kith.deliveries where channel = 'voice' and status = 'sent'), 'the line was busy', 'whose reason is kept, however often it is reported'
);
rollback to called;
select tests.act('carol', 'take', '2026-03-02T10:30:30Z') \g /dev/null
select tests.unheard(1, '2026-03-02T10:30:40Z') \g /dev/null
select tests.works('2026-03-02T10:30:41Z') \g /dev/null
select is(tests.ways('bob', 'ping_missed'), 'voice, voice', 'while somebody looks after it, no other channel is tried');
rollback to calls;
-- Receivers whom no other channel reaches.
delete from kith.channel_credentials where channel = 'sms';
delete from kith.connections where receiver_id = tests.id('carol') and sender_id = tests.id('alice');
select tests.miss('2026-03-02'), tests.works('2026-03-02T10:30:11Z') \g /dev/null
select tests.unheard(1, '2026-03-02T10:30:40Z'), tests.works('2026-03-02T10:30:41Z') \g /dev/null
select is((select count(*) from kith.undelivered_alarms where resolved_at is null), 1::bigint, 'an alarm that only a machine has heard is undelivered');
select is(tests.tellings('bob'), 'being_told by voice', 'though there are more calls');
select is((select count(*) from internal.untold_alarms('2026-03-02T10:36Z')), 1::bigint, 'and nobody knows of it');
select tests.works('2026-03-02T10:40:12Z'), tests.unheard(2, '2026-03-02T10:40:40Z'), tests.works('2026-03-02T10:40:41Z') \g /dev/null
select tests.works('2026-03-02T10:50:13Z') \g /dev/null
select is((select count(*) from kith.undelivered_alarms where resolved_at is null), 0::bigint, 'until a call is taken');
select tests.unheard(3, '2026-03-02T10:50:40Z'), tests.unheard(3, '2026-03-02T10:50:41Z'), tests.works('2026-03-02T10:50:42Z') \g /dev/null
select is(tests.tellings('bob'), 'not_reached, not_reached, not_reached', 'by a machine again: they were not reached');
select is(
  (select string_agg(to_char(at, 'HH24:MI'), ' ') from kith.undelivered_alarms where resolved_at is null), '10:50', 'which counts anew'
);
select is(tests.delivery_status(), 'failed', 'and no channel is left');
rollback to fresh;

-- STOP by a sender who has only text messages.
create function tests.stop(p_now timestamptz) returns text
  language plpgsql
as $$
begin
  perform tests.as_role('kith_api');
  perform api.receive_text(
    tests.tenant('acme'), array[sha256(p_now::text::bytea)], '+4915100000001', '{"en": "stop"}', p_now
  );
  perform tests.as_superuser();
  return (select body from kith.deliveries where purpose = 'answer' order by created_at desc limit 1);
end
$$;
create function tests.stop_with(p_device text, p_keys boolean, p_voice boolean default false) returns text
  language plpgsql
as $$
begin
  if p_device is not null then
    insert into kith.devices (tenant_id, token, user_id, platform, environment, public_key, auth_secret, created_at, last_seen_at)
    values (
      tests.tenant('acme'), 'token', tests.id('alice'), p_device, 'production', case when p_keys then 'k' end, case when p_keys then 'a' end,
      '2026-02-01T08:00Z', '2026-02-01T08:00Z'
    );
  end if;
  if p_voice then
    insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
    values (tests.tenant('acme'), tests.id('alice'), 'ping_due', '{sms,voice}', '2026-02-01T08:00Z');
  end if;
  perform tests.stop('2026-03-02T08:00Z');
  return tests.told('sender_unreachable');
end
$$;
savepoint before_stop;
select is(
  tests.stop('2026-03-02T08:00Z'),
  'No texts from PRUUF: we can no longer ask if you are well. Your receivers are told. OK and SOS still count. Texts again: START.',
  'whoever can be asked by text alone reads what STOP does'
);
select is(tests.told('sender_unreachable'), 'Bob, Carol', 'their receivers are told');
select is(
  tests.body('bob', 'sender_unreachable'), 'We can''t remind Alice to check in. No message reaches them.', 'in these words'
);
select tests.stop('2026-03-02T08:01Z') \g /dev/null
select is((select count(*) from kith.notifications where type = 'sender_unreachable'), 2::bigint, 'once');
update kith.text_numbers set stopped_at = null;
select tests.stop('2026-03-02T08:02Z') \g /dev/null
select is((select count(*) from kith.notifications where type = 'sender_unreachable'), 2::bigint, 'and once a day, however often the number says START and STOP');
update kith.text_numbers set stopped_at = null;
select tests.stop('2026-03-03T08:02Z') \g /dev/null
select is((select count(*) from kith.notifications where type = 'sender_unreachable'), 4::bigint, 'the next day it is news');
rollback to before_stop;
update kith.users set email = 'alice@example.org', email_verified_at = '2026-01-05T08:00Z' where id = tests.id('alice');
select is(
  tests.stop('2026-03-02T08:00Z'),
  'No more texts from PRUUF, not even sign-in codes or alarms. OK and SOS still count. Reply START to get texts again.', 'who has another channel is told what stops'
);
select is(tests.told('sender_unreachable'), null, 'and nobody else hears of it');
rollback to before_stop;
-- A way that the tenant does not have is none.
update kith.users set email = 'alice@example.org', email_verified_at = '2026-01-05T08:00Z' where id = tests.id('alice');
delete from kith.channel_credentials where channel = 'email';
select is(
  tests.stop('2026-03-02T08:00Z'),
  'No texts from PRUUF: we can no longer ask if you are well. Your receivers are told. OK and SOS still count. Texts again: START.',
  'where the tenant sends no e-mail, an address is no other channel'
);
select is(tests.told('sender_unreachable'), 'Bob, Carol', 'and the receivers are told');
rollback to before_stop;
select is(tests.stop_with('ios', false), null, 'a phone with the app is another channel');
rollback to before_stop;
delete from kith.channel_credentials where channel = 'apns';
select is(tests.stop_with('ios', false), 'Bob, Carol', 'not where the tenant sends no pushes');
rollback to before_stop;
select is(tests.stop_with('web', true), 'Bob, Carol', 'nor is a browser, where it sends none to browsers');
rollback to before_stop;
select is(tests.stop_with(null, false, true), null, 'who has chosen to be called is asked by a call');
rollback to before_stop;
delete from kith.channel_credentials where channel = 'voice';
select is(tests.stop_with(null, false, true), 'Bob, Carol', 'not where the tenant calls nobody');
select * from finish();
rollback;
