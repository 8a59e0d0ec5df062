-- Who hears of a call for help (K05): every further call, whoever comes later, and only those who can be reached.
begin;
\ir people.sql
\ir alarm_house.sql
select plan(79);
create function tests.heard(p_type text, p_since timestamptz) returns text
  language sql
as $$
  select string_agg(person.display_name, ', ' order by person.display_name)
  from kith.notifications as note
  join kith.users as person on person.tenant_id = note.tenant_id and person.id = note.user_id
  where note.type = p_type and note.created_at >= p_since
$$;
create function tests.channels(p_person text) returns text
  language sql
as $$
  select string_agg(delivery.channel, ' ' order by delivery.channel)
  from kith.deliveries as delivery
  join kith.notifications as note on note.tenant_id = delivery.tenant_id and note.id = delivery.notification_id
  where note.user_id = tests.id(p_person)
$$;

create function tests.wakes(p_type text) returns text
  language sql
as $$
  select string_agg(concat(data ->> 'kind', case when data ? 'breaks' then ' wakes' end), ', ' order by id) from kith.notifications
  where user_id = tests.id('alice') and type = p_type
$$;

-- A second call is a call.
savepoint calls;
select tests.help('alice', '2026-03-02T08:00Z') \g /dev/null
select tests.help('alice', '2026-03-02T08:01:59Z') \g /dev/null
select is((select count(*) from kith.notifications), 2::bigint, 'a second tap within two minutes adds nothing');
select is((select count(*) from kith.alarm_entries), 0::bigint, 'not even a line');
select tests.tell('2026-03-02T08:30Z'), tests.tell('2026-03-02T10:00Z') \g /dev/null
select is(tests.help('alice', '2026-03-02T17:00Z', 'I fell again') ->> 'told', '2', 'a call of the evening is told');
select is(tests.heard('help_requested', '2026-03-02T17:00Z'), 'Bob, Carol', 'to everybody');
select is(tests.act('bob', 'get', '2026-03-02T17:01Z') #>> '{timeline,-1,note}', 'I fell again', 'with its note');
select is(tests.alarm('2026-03-02T17:01Z') ->> 'next_at', '2026-03-02T17:30:00.000000Z', 'and the repeats begin anew');
select is(tests.act('carol', 'get', '2026-03-02T17:01Z') #>> '{timeline,0,person,display_name}', 'Alice', 'it still says who opened it');
select tests.help('alice', '2026-03-02T17:00:30Z', 'I fell again') \g /dev/null
select is(tests.heard('help_requested', '2026-03-02T17:00:30Z'), null, 'the same note sent again is a second tap');
select tests.help('alice', '2026-03-02T17:00:40Z', 'The door is locked') \g /dev/null
select is(tests.heard('help_requested', '2026-03-02T17:00:40Z'), 'Bob, Carol', 'another note is another call');
select is(internal.calls_for_help(tests.tenant('acme'), tests.id('alice'), '2026-03-02T17:01Z'), 3, 'three calls of a day are counted');
rollback to calls;
select tests.help('alice', '2026-03-02T08:00Z') \g /dev/null
select tests.act('bob', 'take', '2026-03-02T08:01Z', '{"minutes": 120}') \g /dev/null
select tests.help('alice', '2026-03-02T09:30Z', 'It is worse') \g /dev/null
select is(tests.heard('help_requested', '2026-03-02T09:30Z'), 'Bob, Carol', 'who has taken it hears of the second call too');
select is(tests.alarm('2026-03-02T09:31Z') ->> 'status', 'taken', 'and still has it');
select tests.act('bob', 'resolve', '2026-03-02T09:30:20Z', '{"outcome": "safe"}') \g /dev/null
select tests.act('carol', 'reopen', '2026-03-02T09:30:40Z') \g /dev/null
select tests.help('alice', '2026-03-02T09:31Z') \g /dev/null
select is(tests.heard('help_requested', '2026-03-02T09:31Z'), 'Bob, Carol', 'a call after somebody''s word is no second tap');
rollback to calls;

-- The sender hears that somebody comes, through their own quiet hours.
select tests.help('alice', '2026-03-02T02:00Z') \g /dev/null
select tests.act('bob', 'take', '2026-03-02T02:01Z') \g /dev/null
select is(tests.wakes('alarm_taken'), 'help wakes', 'whoever calls for help hears at once that somebody comes');
select tests.act('bob', 'resolve', '2026-03-02T02:05Z', '{"outcome": "help_called"}') \g /dev/null
select is(tests.wakes('alarm_resolved'), 'help wakes', 'and that the emergency services do');
rollback to calls;
select tests.miss('2026-03-02') \g /dev/null
select tests.act('bob', 'take', '2026-03-02T10:31Z') \g /dev/null
select tests.act('bob', 'resolve', '2026-03-02T10:35Z', '{"outcome": "help_called"}') \g /dev/null
select is(
  concat_ws(', ', tests.wakes('alarm_taken'), tests.wakes('alarm_resolved')), 'missed, missed wakes',
  'after a miss only that they are on their way wakes the sender'
);
rollback to calls;

-- Whoever comes later.
update kith.connections set status = 'deleted', deleted_at = '2026-03-01Z' where sender_id = tests.id('alice');
select is(tests.help('alice', '2026-03-02T08:00Z') ->> 'told', '0', 'there is nobody');
select tests.does('alice', $$api.create_connection('222222', '2026-03-02T08:05Z')$$) \g /dev/null
select is(tests.heard('help_requested', '2026-03-02T08:05Z'), 'Bob', 'a new receiver hears of the open call');
select is(tests.act('bob', 'get', '2026-03-02T08:06Z') ->> 'status', 'open', 'and has a part in it');
select is(tests.help('alice', '2026-03-02T08:06Z') ->> 'told', '1', 'the next call reaches them');
rollback to calls;
update kith.connections set status = 'paused' where receiver_id = tests.id('carol');
select tests.help('alice', '2026-03-02T08:00Z') \g /dev/null
select is(tests.told('help_requested'), 'Bob', 'a paused receiver is not told where somebody else is');
select tests.does('alice', $$api.resume_connection('0c000000-0000-7000-8000-000000000002', '2026-03-02T08:05Z')$$) \g /dev/null
select is(tests.heard('help_requested', '2026-03-02T08:05Z'), 'Carol', 'but when the connection goes on');
rollback to calls;
update kith.connections set status = 'pending', code_owner_id = tests.id('carol') where receiver_id = tests.id('carol');
select tests.help('alice', '2026-03-02T08:00Z') \g /dev/null
select tests.does('carol', $$api.consent_connection('0c000000-0000-7000-8000-000000000002', '2026-03-02T08:05Z')$$) \g /dev/null
select is(tests.heard('help_requested', '2026-03-02T08:05Z'), 'Carol', 'and when the receiver consents');
rollback to calls;
select tests.help('alice', '2026-03-02T08:00Z') \g /dev/null
select tests.does('alice', $$api.delete_sender_profile('2026-03-02T08:05Z')$$) \g /dev/null
select is(tests.body('alice', 'alarm_reopened'), 'Nobody who was told is left to look after you. Call your local emergency number.', 'who ends their profile reads that nobody is left');
select tests.does('alice', $$api.put_sender_profile('{"ping_time": "09:00", "time_zone": "UTC"}', '2026-03-02T08:06Z')$$) \g /dev/null
select is(tests.heard('help_requested', '2026-03-02T08:06Z'), 'Bob, Carol', 'and when the profile is back, all are told again');
rollback to calls;
-- A connection without a call for help tells nobody.
select tests.miss('2026-03-02') \g /dev/null
update kith.connections set status = 'paused' where receiver_id = tests.id('carol');
select tests.does('alice', $$api.resume_connection('0c000000-0000-7000-8000-000000000002', '2026-03-02T10:45Z')$$) \g /dev/null
select is(tests.told('help_requested'), null, 'no other alarm is told to whoever comes later');
rollback to calls;

-- The last one leaves.
update kith.connections set status = 'paused' where receiver_id = tests.id('carol');
select tests.help('alice', '2026-03-02T08:00Z') \g /dev/null
select tests.act('bob', 'take', '2026-03-02T08:01Z') \g /dev/null
select tests.does('bob', $$api.delete_me(null, '2026-03-02T08:10Z')$$) \g /dev/null
select is(tests.heard('help_requested', '2026-03-02T08:10Z'), 'Carol', 'when the last receiver leaves, those of paused connections are told');
select is(tests.told('alarm_reopened'), null, 'and the sender need not do anything');
rollback to calls;
update kith.connections set status = 'deleted', deleted_at = '2026-03-01Z' where receiver_id = tests.id('carol');
select tests.help('alice', '2026-03-02T08:00Z') \g /dev/null
select tests.does('bob', format($$api.remove_connection(%L, '2026-03-02T08:10Z')$$, tests.id('alice-bob'))) \g /dev/null
select is(tests.told('alarm_reopened'), 'Alice', 'where there are none either, the sender hears that nobody is left');
select is(tests.alarm('2026-03-02T08:11Z') ->> 'status', 'open', 'and the call stays open');
select is((select reason from kith.notifications as note, internal.pointless(note.tenant_id, note.user_id, note.type, note.data, null) where type = 'alarm_reopened'),
  null, 'which is sent');
rollback to calls;

-- Only those who can be reached count.
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
select tests.tenant('acme'), channel, '{}', '\x01', '2026-03-01T00:00Z', '2026-03-01T00:00Z' from unnest(array['apns', 'sms', 'voice']) as channel;
update kith.users set email = null, email_verified_at = null, phone = null, phone_verified_at = null where id in (tests.id('bob'), tests.id('carol'));
delete from kith.devices where user_id in (tests.id('bob'), tests.id('carol'));
savepoint reached;
select is(tests.help('alice', '2026-03-02T08:00Z') ->> 'told', '0', 'whoever has no channel has not been told');
select is(tests.alarm('2026-03-02T08:01Z') ->> 'told', '0', 'and stays so, though they see the alarm in the app');
select is(tests.act('alice', 'get', '2026-03-02T08:01Z') ->> 'advice', 'Nobody could be told. Call your local emergency number.', 'with the advice');
select is(tests.act('bob', 'get', '2026-03-02T08:01Z') ->> 'advice', null, 'for the sender');
select tests.plan_all('2026-03-02T08:02Z') \g /dev/null
select is(tests.act('alice', 'get', '2026-03-02T08:03Z') ->> 'told', '0', 'also once the messages have failed');
select is(tests.help('alice', '2026-03-02T08:05Z') ->> 'advice', 'Nobody could be told. Call your local emergency number.', 'the sender reads what to do');
rollback to reached;
update kith.users set phone = '+491510000003', phone_verified_at = '2026-01-05Z' where id = tests.id('carol');
update kith.connections set status = 'paused' where receiver_id = tests.id('carol');
select is(tests.help('alice', '2026-03-02T08:00Z') ->> 'told', '1', 'where nobody active can be reached, paused ones are told');
select is(tests.told('help_requested'), 'Bob, Carol', 'besides');
rollback to reached;
update kith.users set phone = '+491510000003', phone_verified_at = '2026-01-05Z' where id = tests.id('carol');
insert into kith.text_numbers (tenant_id, phone, stopped_at, answers_since, updated_at)
values (tests.tenant('acme'), '+491510000003', '2026-03-01Z', '2026-03-01Z', '2026-03-01Z');
select is(tests.help('alice', '2026-03-02T08:00Z') ->> 'told', '1', 'a number that said STOP can be called');
delete from kith.channel_credentials where channel = 'voice';
select is(tests.help('alice', '2026-03-02T08:05Z') ->> 'told', '0', 'if the tenant has calls');
rollback to reached;
insert into kith.devices (tenant_id, user_id, token, platform, environment, created_at, last_seen_at)
values (tests.tenant('acme'), tests.id('bob'), 'bobs-phone', 'ios', 'production', '2026-01-05Z', '2026-01-05Z');
update kith.users set phone = '+49151000000' || case id when tests.id('bob') then 2 else 3 end, phone_verified_at = '2026-01-05Z'
where id in (tests.id('bob'), tests.id('carol'));

-- A burst of false calls silences nothing (E1): what was never sent uses up nothing.
savepoint bursts;
create function tests.sends(p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.plan_all(p_now);
  perform tests.as_role('kith_worker');
  perform worker.finish_deliveries(p_now, 'w1', (
    select coalesce(jsonb_agg(jsonb_build_object('tenant_id', claimed.tenant_id, 'id', claimed.id, 'outcome', 'sent')), '[]')
    from unnest(array['apns', 'sms', 'voice', 'email']) as channel
    cross join lateral worker.claim_deliveries(p_now, channel, 100, 100, 0, '{}', '{}', 'w1') as claimed
  ));
  perform tests.as_superuser();
end
$$;
create function tests.texts(p_person text, p_since timestamptz) returns bigint
  language sql
as $$
  select count(*) from kith.deliveries as delivery
  join kith.notifications as note on note.tenant_id = delivery.tenant_id and note.id = delivery.notification_id
  where note.user_id = tests.id(p_person) and note.type = 'help_requested' and delivery.channel = 'sms' and delivery.sent_at >= p_since
$$;
-- Who is sent a notification of a type, and does not only read it in the list.
create function tests.sent(p_type text) returns text
  language sql
as $$
  select string_agg(person.display_name, ', ' order by person.display_name)
  from kith.notifications as note
  join kith.users as person on person.tenant_id = note.tenant_id and person.id = note.user_id
  where note.type = p_type and note.delivery_status <> 'dropped'
$$;
savepoint sending;
select tests.help('alice', '2026-03-02T08:00Z'::timestamptz + n * interval '1 second'), tests.check_in('alice', '2026-03-02T08:00:00.5Z'::timestamptz + n * interval '1 second')
from generate_series(1, 31) as n \g /dev/null
select tests.sends('2026-03-02T08:00:33Z') \g /dev/null
select is(tests.sent('ping_all_clear'), null, 'nobody who has heard of no call hears that all is clear');
select is((select count(*) from kith.deliveries), 0::bigint, 'and nothing is sent of what was ended at once');
select is((select count(*) from kith.alarms), 10::bigint, 'beyond ten, calls and their ends are one alarm');
select is((select count(*) from kith.notifications where type in ('help_requested', 'ping_all_clear')), 20::bigint, 'with one message each, which says the end');
select is(tests.help('alice', '2026-03-02T08:01Z', 'I fell') ->> 'told', '2', 'the call that is real is told');
select is(tests.alarm('2026-03-02T08:01Z') ->> 'status', 'open', 'and open');
select is(
  (select count(*) from kith.notifications where type = 'help_requested' and id >= internal.first_uuid7('2026-03-02T08:01Z')), 2::bigint,
  'by new messages, which live streams, webhooks and lists bring like any other'
);
select tests.sends('2026-03-02T08:01Z') \g /dev/null
select is(tests.texts('carol', '2026-03-02T08:01Z'), 1::bigint, 'at once, by text to whoever has only a phone');
select is(tests.act('carol', 'get', '2026-03-02T08:01Z') #>> '{timeline,-1,note}', 'I fell', 'with its note');
select tests.check_in('alice', '2026-03-02T08:02Z') \g /dev/null
select is(tests.sent('ping_all_clear'), 'Bob, Carol', 'whoever has heard of it hears of its end');
rollback to sending;
select tests.help('alice', '2026-03-02T08:00Z') \g /dev/null
select tests.act('alice', 'resolve', '2026-03-02T08:00:01Z', '{"outcome": "false_alarm"}') \g /dev/null
select is(tests.sent('alarm_resolved'), null, 'nor is anybody sent the end of a call of which they have not heard');
select tests.help('alice', '2026-03-02T08:05Z') \g /dev/null
select tests.sends('2026-03-02T08:05:01Z') \g /dev/null
select tests.act('alice', 'resolve', '2026-03-02T08:06Z', '{"outcome": "false_alarm"}') \g /dev/null
select is(tests.sent('alarm_resolved'), 'Bob, Carol', 'otherwise they do');
rollback to sending;
select tests.help('alice', '2026-03-02T08:00Z') \g /dev/null
select tests.plan_all('2026-03-02T08:00Z') \g /dev/null
select tests.as_role('kith_worker') \g /dev/null
select count(*) from worker.claim_deliveries('2026-03-02T08:00:01Z', 'sms', 100, 100, 0, '{}', '{}', 'w1') \g /dev/null
select tests.as_superuser() \g /dev/null
select tests.check_in('alice', '2026-03-02T08:00:02Z') \g /dev/null
select is(tests.sent('ping_all_clear'), 'Carol', 'a message that may be on its way counts as heard');
rollback to sending;

-- Beyond ten words that were sent: the first one of each call goes to everybody, at most one text in 10 minutes.
select tests.help('alice', '2026-03-02T08:00Z'::timestamptz + n * interval '2 minutes'), tests.sends('2026-03-02T08:00:01Z'::timestamptz + n * interval '2 minutes')
from generate_series(1, 10) as n \g /dev/null
select is(tests.texts('carol', '2026-03-02Z'), 10::bigint, 'ten calls are told by text');
savepoint many;
select is(tests.help('alice', '2026-03-02T09:00Z', 'Still here') ->> 'told', '2', 'the eleventh call in an open alarm is told');
select tests.sends('2026-03-02T09:00Z') \g /dev/null
select is((select string_agg(channel, ' ' order by channel) from kith.deliveries as delivery join kith.notifications as note on note.id = delivery.notification_id
  where note.user_id = tests.id('bob') and note.created_at = '2026-03-02T09:00Z'), 'apns', 'without a text to whoever has something else');
select is(tests.texts('carol', '2026-03-02T09:00Z'), 1::bigint, 'whoever has only a phone is told by it');
select tests.help('alice', '2026-03-02T09:00Z'::timestamptz + n * interval '1 second', 'Words ' || n) from generate_series(1, 160) as n \g /dev/null
select is((select count(*) from kith.notifications where created_at > '2026-03-02T09:00Z'), 0::bigint, 'a hundred and sixty calls with different notes write no message within 10 minutes');
select is((select count(*) from kith.alarm_entries where kind = 'help'), 12::bigint, 'and one line a minute');
select is(tests.act('carol', 'get', '2026-03-02T09:03Z') #>> '{timeline,-1,note}', 'Words 160', 'which has the newest note');
select is((select repeats_at[1] from kith.alarms), '2026-03-02T08:50Z', 'nor do they push off the repeats');
select tests.help('alice', '2026-03-02T09:10Z') \g /dev/null
select is(tests.heard('help_requested', '2026-03-02T09:10Z'), 'Bob, Carol', 'after 10 minutes all are told once more');
rollback to many;
select tests.check_in('alice', '2026-03-02T08:21Z'), tests.help('alice', '2026-03-02T08:22Z') \g /dev/null
select is(tests.heard('help_requested', '2026-03-02T08:22Z'), 'Bob, Carol', 'a call that follows an ended one is told');
select tests.sends('2026-03-02T08:22Z') \g /dev/null
select is((select count(*) from kith.deliveries as delivery join kith.notifications as note on note.id = delivery.notification_id
  where note.type = 'help_requested' and delivery.channel = 'apns' and delivery.sent_at >= '2026-03-02T08:22Z'), 1::bigint, 'by pushes at once');
select is(tests.texts('carol', '2026-03-02T08:22Z'), 0::bigint, 'by text when 10 minutes have passed since the last one');
select is((select min(next_attempt_at) from kith.deliveries where status = 'queued' and channel = 'sms'), '2026-03-02T08:30:01Z', 'at that time');
select tests.sends('2026-03-02T08:30:01Z') \g /dev/null
select is(tests.texts('carol', '2026-03-02T08:22Z'), 1::bigint, 'if it is open then');
rollback to many;
-- Words that wait for the 10 minutes hold up nothing once their call has ended.
select tests.check_in('alice', '2026-03-02T08:20:02Z'), tests.help('alice', '2026-03-02T08:20:03Z'), tests.plan_all('2026-03-02T08:20:04Z') \g /dev/null
select tests.check_in('alice', '2026-03-02T08:20:05Z'), tests.help('alice', '2026-03-02T08:20:06Z'), tests.plan_all('2026-03-02T08:20:07Z') \g /dev/null
select tests.check_in('alice', '2026-03-02T08:20:08Z') \g /dev/null
update kith.alarms set resolved_at = resolved_at - interval '11 minutes' where resolved_at is not null;
select is(tests.help('alice', '2026-03-02T08:25Z', 'Chest pain') ->> 'told', '1', 'whoever gets a text only later has not been told');
select tests.plan_all('2026-03-02T08:25Z') \g /dev/null
select is(tests.alarm('2026-03-02T08:25Z') ->> 'told', '1', 'and is not while it waits');
select is(
  (select max(delivery.next_attempt_at) from kith.deliveries as delivery join kith.notifications as note on note.id = delivery.notification_id
    where note.data ->> 'alarm_id' = tests.alarm_id()::text and delivery.channel = 'sms' and delivery.status = 'queued'),
  '2026-03-02T08:30:01Z', 'which is 10 minutes after the last one that was sent, whatever was called and ended meanwhile'
);
select tests.sends('2026-03-02T08:30:01Z') \g /dev/null
select is(tests.alarm('2026-03-02T08:30:02Z') ->> 'told', '2', 'then they have been told');
rollback to sending;
insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
values (tests.tenant('acme'), tests.id('bob'), 'help_requested', '{sms}', '2026-03-01Z');
select tests.help('alice', '2026-03-02T08:00Z'::timestamptz + n * interval '2 minutes'), tests.sends('2026-03-02T08:00:01Z'::timestamptz + n * interval '2 minutes')
from generate_series(1, 10) as n \g /dev/null
select tests.help('alice', '2026-03-02T09:00Z'), tests.sends('2026-03-02T09:00Z') \g /dev/null
select is((select string_agg(distinct delivery.channel, ' ') from kith.deliveries as delivery join kith.notifications as note on note.id = delivery.notification_id
  where note.user_id = tests.id('bob') and note.created_at = '2026-03-02T09:00Z'), 'apns', 'whoever chose texts alone is told by what else there is');
rollback to calls;

-- What is real ends a drill.
select tests.does('alice', $$api.drill_alarm('2026-03-02T10:00Z')$$) \g /dev/null
select tests.miss('2026-03-02') \g /dev/null
select is(tests.told('alarm_resolved'), 'Bob, Carol', 'a miss ends the drill');
select is(tests.body('bob', 'alarm_resolved'), 'The drill is over. If you are told of an alarm now, it is real.', 'in words that no drill begins');
select is(
  (select array_agg(type order by id) from kith.notifications where user_id = tests.id('bob') and created_at > '2026-03-02T10:01Z'),
  array['alarm_resolved', 'ping_missed'], 'before the alarm itself'
);
select tests.tell('2026-03-02T12:30Z') \g /dev/null
select is((select count(*) from kith.notifications where data ? 'drill' and created_at > '2026-03-02T10:01Z'), 0::bigint, 'and nothing says any more that it is a drill');
rollback to calls;
select tests.does('alice', $$api.drill_alarm('2026-03-02T10:00Z')$$) \g /dev/null
select tests.help('alice', '2026-03-02T10:10Z') \g /dev/null
select is(tests.told('alarm_resolved'), 'Bob, Carol', 'so does a call for help');
rollback to calls;
select tests.does('bob', format($$api.ask_sender(%L, '2026-03-02T07:00Z')$$, tests.id('alice-bob'))) \g /dev/null
select tests.does('alice', $$api.drill_alarm('2026-03-02T07:10Z')$$) \g /dev/null
select tests.tell('2026-03-02T07:30:10Z') \g /dev/null
select is(tests.told('alarm_resolved'), 'Bob, Carol', 'and a question without an answer');
select * from finish();
rollback;
