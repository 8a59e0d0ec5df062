-- What ends an alarm, and who hears that all is clear (K03, J07, X35): the pairs of promises that a check-in must keep together.
begin;
\ir people.sql
\ir alarm_house.sql
select plan(81);
create function tests.ask(p_now timestamptz) returns text
  language sql
as $$
  select tests.does('bob', format('api.ask_sender(%L, %L)', tests.id('alice-bob'), p_now))
$$;

-- A tap kept offline.
savepoint ends;
select tests.help('alice', '2026-03-02T20:00Z') \g /dev/null
select tests.miss('2026-03-03') \g /dev/null
select tests.check_in('alice', '2026-03-03T11:00Z', '2026-03-02T20:30Z') \g /dev/null
select is(tests.alarm('2026-03-03T11:00Z') ->> 'status', 'open', 'a tap from before a miss does not end the call for help that the miss joined');
select is(tests.told('ping_all_clear'), null, 'and clears nothing');
select tests.check_in('alice', '2026-03-03T11:05Z') \g /dev/null
select is(tests.alarm('2026-03-03T11:05Z') ->> 'outcome', 'checked_in', 'a check-in does');
rollback to ends;
select tests.ask('2026-03-02T20:00Z') \g /dev/null
select tests.tell('2026-03-02T20:30:10Z') \g /dev/null
select tests.miss('2026-03-03') \g /dev/null
select tests.check_in('alice', '2026-03-03T11:00Z', '2026-03-02T20:40Z') \g /dev/null
select is(tests.alarm('2026-03-03T11:00Z') ->> 'status', 'open', 'nor the alarm of a question that it joined');
rollback to ends;
select tests.help('alice', '2026-03-02T08:00:20Z') \g /dev/null
select tests.check_in('alice', '2026-03-02T08:00:50Z', '2026-03-02T08:00:00Z') \g /dev/null
select is(tests.alarm('2026-03-02T08:01Z') ->> 'status', 'open', 'a tap from before the call does not end it, however soon it arrives');
select tests.help('alice', '2026-03-02T09:00Z') \g /dev/null
select tests.check_in('alice', '2026-03-02T09:00:10Z', '2026-03-02T08:59:30Z') \g /dev/null
select is(tests.alarm('2026-03-02T09:01Z') ->> 'status', 'open', 'nor one from before the second call');
select tests.check_in('alice', '2026-03-02T09:00:20Z', '2026-03-02T09:00:10Z') \g /dev/null
select is(tests.alarm('2026-03-02T09:01Z') ->> 'outcome', 'checked_in', 'one after it does');
rollback to ends;
select tests.ask('2026-03-02T06:00Z') \g /dev/null
select tests.tell('2026-03-02T06:30:10Z') \g /dev/null
select tests.check_in('alice', '2026-03-02T06:40Z', '2026-03-02T05:59Z') \g /dev/null
select is(tests.alarm('2026-03-02T06:41Z') ->> 'status', 'open', 'a tap from before the question is no answer');
select tests.check_in('alice', '2026-03-02T06:41Z', '2026-03-02T06:05Z') \g /dev/null
select is(tests.alarm('2026-03-02T06:42Z') ->> 'outcome', 'checked_in', 'one in time is, also if it arrives after the alarm');
rollback to ends;

-- Nothing is clear while something is open.
select tests.miss('2026-03-02') \g /dev/null
select tests.help('alice', '2026-03-02T10:40Z') \g /dev/null
select tests.check_in('alice', '2026-03-02T11:00Z', '2026-03-02T09:30Z') \g /dev/null
select is(tests.told('ping_all_clear'), null, 'a tap from before the call clears no miss');
select is(tests.told('ping_completed'), 'Bob, Carol', 'they read that she checked in then');
select tests.check_in('alice', '2026-03-02T11:05Z') \g /dev/null
select is(tests.told('ping_all_clear'), 'Bob, Carol', 'and of the check-in that ends it');
rollback to ends;
select tests.miss('2026-03-02') \g /dev/null
select tests.act('bob', 'resolve', '2026-03-02T10:40Z', '{"outcome": "safe"}') \g /dev/null
select tests.ask('2026-03-02T12:00Z') \g /dev/null
select tests.tell('2026-03-02T12:30:10Z') \g /dev/null
select tests.check_in('alice', '2026-03-02T13:00Z', '2026-03-02T10:20Z') \g /dev/null
select is(tests.told('ping_all_clear'), null, 'neither while a question has no answer');
rollback to ends;

-- After somebody's word, and after time, everybody who was told hears of the next check-in.
select tests.help('alice', '2026-03-02T08:00Z') \g /dev/null
select tests.act('bob', 'resolve', '2026-03-02T08:30Z', '{"outcome": "help_called"}') \g /dev/null
select tests.check_in('alice', '2026-03-02T08:35Z', '2026-03-02T08:10Z') \g /dev/null
select is(tests.told('ping_all_clear'), null, 'not of a tap from before the word');
select tests.check_in('alice', '2026-03-02T15:00Z') \g /dev/null
select is(tests.told('ping_all_clear'), 'Bob, Carol', 'after "I called for help" a check-in is told to all');
select is(tests.body('bob', 'ping_all_clear'), 'Alice checked in. They''re safe.', 'in words that do not say late');
select is(tests.kinds('bob') like '% resolved checked_in', true, 'the timeline has it');
select is(tests.alarm('2026-03-02T15:01Z') ->> 'outcome', 'help_called', 'which does not change how it ended');
select tests.check_in('alice', '2026-03-02T16:00Z') \g /dev/null
select is((select count(*) from kith.notifications where type = 'ping_all_clear'), 2::bigint, 'the one after it is told to nobody');
select is((select count(*) from kith.alarms where awaits_check_in), 0::bigint, 'and nothing waits for one');
rollback to ends;
select tests.help('alice', '2026-03-02T08:00Z') \g /dev/null
select tests.tell('2026-03-09T08:00Z') \g /dev/null
select tests.check_in('alice', '2026-03-09T08:30Z') \g /dev/null
select is(tests.told('ping_all_clear'), 'Bob, Carol', 'so it is after seven days');
rollback to ends;
select tests.help('alice', '2026-03-02T08:00Z') \g /dev/null
select tests.act('alice', 'resolve', '2026-03-02T08:30Z', '{"outcome": "false_alarm"}') \g /dev/null
select tests.check_in('alice', '2026-03-02T08:35Z') \g /dev/null
select is(tests.told('ping_all_clear'), null, 'a false alarm is the sender''s own word, and needs no other');
rollback to ends;
-- Tier 2 was told on the first day only.
select tests.does('alice', format($$api.put_alarm_plan('{"tiers": [{"after_minutes": 0, "receivers": ["%s"]}, {"after_minutes": 60, "receivers": ["%s"]}]}'::jsonb, '2026-03-01T08:00Z')$$,
  tests.id('alice-bob'), '0c000000-0000-7000-8000-000000000002')) \g /dev/null
select tests.miss('2026-03-02') \g /dev/null
select tests.tell('2026-03-02T11:30Z') \g /dev/null
select tests.act('bob', 'resolve', '2026-03-02T12:00Z', '{"outcome": "help_called"}') \g /dev/null
select tests.miss('2026-03-03') \g /dev/null
select tests.check_in('alice', '2026-03-03T10:45Z') \g /dev/null
select is(tests.told('ping_all_clear'), 'Bob, Carol', 'whoever was alarmed on the first day hears of the check-in of the second, once');
rollback to ends;
-- A drill is none of it.
select tests.does('alice', $$api.drill_alarm('2026-03-02T08:00Z')$$) \g /dev/null
select tests.act('bob', 'resolve', '2026-03-02T08:30Z', '{"outcome": "safe"}') \g /dev/null
select tests.check_in('alice', '2026-03-02T08:35Z') \g /dev/null
select is(tests.told('ping_all_clear'), null, 'a check-in after a drill clears nothing');
rollback to ends;

-- The sender's account ends.
select tests.miss('2026-03-02') \g /dev/null
select tests.act('bob', 'take', '2026-03-02T10:32Z') \g /dev/null
select is(tests.does('alice', $$api.delete_me(null, '2026-03-02T10:35Z')$$), null, 'a sender can end their account during an alarm');
select is(tests.told('alarm_resolved'), 'Bob, Carol', 'everybody who was told hears of it');
select is(tests.body('carol', 'alarm_resolved'), 'Someone has deleted their account while an alarm was open. Nobody here can tell you any more how they are.', 'in words that say what nobody knows');
select is((select array_agg(distinct data ->> 'breaks') from kith.notifications where type = 'alarm_resolved'), array['true'], 'also in quiet hours');
select is((select array_agg(reason) from kith.notifications as note, internal.pointless(note.tenant_id, note.user_id, note.type, note.data, null) where type = 'alarm_resolved'),
  array[null, null]::text[], 'and it is sent');
select is((select count(*) from kith.alarms), 0::bigint, 'the alarm itself goes with the account');
rollback to ends;
select is(tests.does('alice', $$api.delete_me(null, '2026-03-02T10:35Z')$$), null, 'without an alarm');
select is(tests.told('alarm_resolved'), null, 'nobody hears of any');
rollback to ends;

-- Reopening.
select tests.miss('2026-03-02') \g /dev/null
select tests.act('bob', 'resolve', '2026-03-02T10:40Z', '{"outcome": "safe"}') \g /dev/null
select tests.alarm_id() as first \gset
select tests.help('alice', '2026-03-02T12:00Z') \g /dev/null
select tests.act('alice', 'resolve', '2026-03-02T12:05Z', '{"outcome": "false_alarm"}') \g /dev/null
select is(tests.does('carol', format($$api.reopen_alarm(%L, null, '2026-03-02T12:10Z')$$, :'first')), 'invalid_transition', 'an older alarm is not opened again after the sender''s "false alarm"');
rollback to ends;
select tests.miss('2026-03-02') \g /dev/null
select tests.act('bob', 'resolve', '2026-03-02T10:40Z', '{"outcome": "safe"}') \g /dev/null
select tests.alarm_id() as first \gset
select tests.help('alice', '2026-03-02T12:00Z') \g /dev/null
select tests.act('bob', 'resolve', '2026-03-02T12:05Z', '{"outcome": "safe"}') \g /dev/null
select is(tests.does('carol', format($$api.reopen_alarm(%L, null, '2026-03-02T12:10Z')$$, :'first')), 'invalid_transition', 'nor if there is a newer one');
select is(tests.act('carol', 'reopen', '2026-03-02T12:10Z') ->> 'status', 'open', 'which is');
select tests.check_in('alice', '2026-03-02T12:20Z') \g /dev/null
select is((select count(*) from kith.notifications where type = 'ping_all_clear'), 2::bigint, 'and a check-in clears both with one all-clear to each');
rollback to ends;

-- Safe, help, safe on the page of one link.
insert into kith.check_in_links (tenant_id, user_id, ping_on, token_hash, created_at)
values (tests.tenant('acme'), tests.id('alice'), '2026-03-02', sha256('link'), '2026-03-02T09:00Z');
select api.use_check_in_link(tests.tenant('acme'), sha256('link'), 'safe', null, '2026-03-02T09:02:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select api.use_check_in_link(tests.tenant('acme'), sha256('link'), 'help', null, '2026-03-02T09:02:20Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.alarm('2026-03-02T09:02:30Z') ->> 'status', 'open', 'a call for help by a link that was just used');
select is(
  api.use_check_in_link(tests.tenant('acme'), sha256('link'), 'safe', null, '2026-03-02T09:02:40Z') ->> 'asks', 'true', 'is not ended at once by "I''m safe"'
);
select tests.as_superuser() \g /dev/null
select is(
  api.use_check_in_link(tests.tenant('acme'), sha256('link'), 'safe', '2026-03-02T09:02:10Z', '2026-03-02T09:02:45Z') ->> 'asks', 'true',
  'nor by the answer to a question from before it'
);
select tests.as_superuser() \g /dev/null
select is(tests.alarm('2026-03-02T09:02:46Z') ->> 'status', 'open', 'but stays open');
select api.use_check_in_link(tests.tenant('acme'), sha256('link'), 'safe', '2026-03-02T09:02:40Z', '2026-03-02T09:02:50Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.alarm('2026-03-02T09:02:55Z') ->> 'outcome', 'checked_in', 'until its sender has been asked once more');
select is((select count(*) from kith.check_ins), 2::bigint, 'which is another check-in');
select api.use_check_in_link(tests.tenant('acme'), sha256('link'), 'safe', null, '2026-03-02T09:02:58Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is((select count(*) from kith.check_ins), 2::bigint, 'a form that is sent twice is still one');
-- "Safe" is said while nothing newer stands open (X39).
rollback to ends;
select tests.miss('2026-03-02', '10:30') \g /dev/null
update kith.pings set status = 'due', alarmed_at = null;
delete from kith.notifications;
savepoint due;
select tests.help('alice', '2026-03-02T09:05Z') \g /dev/null
select tests.does('alice', $$ api.check_in(null, false, null, 'sign', '2026-03-02T09:20Z') $$) \g /dev/null
select is(tests.alarm('2026-03-02T09:21Z') ->> 'status', 'open', 'a thing that is pressed during a call for help');
select is((select count(*) from kith.pings where status = 'completed'), 2::bigint, 'completes the pings');
select is(tests.told('ping_completed'), null, 'and tells nobody "Safe"');
select tests.check_in('alice', '2026-03-02T09:30Z') \g /dev/null
select is(tests.told('ping_all_clear'), 'Bob, Carol', 'the check-in that ends the call tells everybody');
rollback to due;
select tests.help('alice', '2026-03-02T09:05Z') \g /dev/null
select tests.check_in('alice', '2026-03-02T09:20Z', '2026-03-02T09:02Z') \g /dev/null
select is(
  (select string_agg(distinct title || ': ' || body, ', ') from tests.notifications where type = 'ping_completed'),
  'Checked In: Alice checked in at 09:02; it arrived later.', 'of a tap that arrives during a call for help they read the moment, and not "Safe"'
);
rollback to due;
select tests.ask('2026-03-02T09:15Z') \g /dev/null
select tests.check_in('alice', '2026-03-02T09:20Z', '2026-03-02T09:02Z') \g /dev/null
select is(
  (select string_agg(distinct title || ': ' || body, ', ') from tests.notifications where type = 'ping_completed'),
  'Checked In: Alice checked in at 09:02; it arrived later.', 'nor do they read "Safe" of a tap from before a question'
);
rollback to due;
update kith.pings set status = 'scheduled', asked_at = null;
update kith.sender_profiles set last_check_in_at = '2026-03-02T09:00:03Z' where user_id = tests.id('alice');
insert into kith.check_ins (tenant_id, id, user_id, received_at, created_at)
values (tests.tenant('acme'), internal.uuid7('2026-03-02T09:00:03Z'), tests.id('alice'), '2026-03-02T09:00:03Z', '2026-03-02T09:00:03Z');
select tests.help('alice', '2026-03-02T09:00:04Z'), tests.run('announce_due_pings', '2026-03-02T09:00:05Z') \g /dev/null
select is(
  (select string_agg(distinct status, ', ') from kith.pings) || coalesce(tests.told('ping_completed'), ''), 'completed',
  'nor does a worker that comes late say "Safe" once they call for help'
);
rollback to due;
select tests.check_in('alice', '2026-03-02T09:00:20Z') \g /dev/null
select tests.plan_all('2026-03-02T09:00:30Z') \g /dev/null
select set_config('kith.tenant_id', tests.tenant('acme')::text, true) \g /dev/null
create function tests.pointless(p_type text) returns text
  language sql
as $$
  select string_agg(distinct coalesce(pointless.reason, 'sent'), ', ')
  from kith.notifications as note
  cross join lateral internal.pointless(note.tenant_id, note.user_id, note.type, note.data, note.read_at) as pointless
  where note.type = p_type
$$;
select is(tests.pointless('ping_completed'), 'sent', 'a "Safe" that waits for its provider is sent');
select tests.ask('2026-03-02T09:01Z') \g /dev/null
select is(tests.pointless('ping_completed'), 'an alarm or a question stands open since then', 'but not once the sender has been asked');
select tests.check_in('alice', '2026-03-02T09:02Z') \g /dev/null
select is(tests.pointless('ask_answered'), 'sent', 'an answer too');
select tests.help('alice', '2026-03-02T09:03Z') \g /dev/null
select is(tests.pointless('ask_answered'), 'an alarm or a question stands open since then', 'is not sent once they have called for help');
rollback to ends;
select tests.ask('2026-03-02T12:00Z') \g /dev/null
select tests.help('alice', '2026-03-02T12:05Z') \g /dev/null
select tests.does('alice', $$ api.check_in(null, false, null, 'sign', '2026-03-02T12:06Z') $$) \g /dev/null
select tests.check_in('alice', '2026-03-02T12:10Z') \g /dev/null
select is(
  (select string_agg(concat_ws(' ', to_char(ended_at, 'HH24:MI'), is_answered), ', ') from kith.asks), '12:10 t',
  'a thing answers no question during a call for help: the check-in that ends the call does'
);
-- Whoever has acted in an alarm has heard of it, though no channel has taken its message. The centre says to the others how it ended.
rollback to ends;
update kith.users set phone = '+49151123456' || case display_name when 'Bob' then '72' else '73' end, phone_verified_at = '2026-01-05T08:00Z'
where tenant_id = tests.tenant('acme') and id in (tests.id('bob'), tests.id('carol'));
insert into kith.channel_credentials (tenant_id, channel, sealed, summary, created_at, updated_at)
values (tests.tenant('acme'), 'sms', '\x00', '{}', '2026-03-01Z', '2026-03-01Z');
create function tests.newest(p_person text) returns text
  language sql
as $$
  select concat_ws(' | ', note.type, note.delivery_status, case when note.read_at is null then 'unread' end, words.body)
  from kith.notifications as note
  join tests.notifications as words on words.id = note.id
  where note.user_id = tests.id(p_person)
  order by note.id desc
  limit 1
$$;
savepoint sms;
select tests.help('alice', '2026-03-02T11:00Z') \g /dev/null
select tests.plan_all('2026-03-02T11:00:05Z') \g /dev/null
savepoint called;
select tests.act('alice', 'resolve', '2026-03-02T11:00:30Z', '{"outcome": "false_alarm"}') \g /dev/null
select is(
  tests.newest('bob'), 'alarm_resolved | dropped | unread | ' || tests.body('carol', 'alarm_resolved'),
  'the newest word of a call that was withdrawn is that it was a false alarm'
);
select is((select count(*) from kith.deliveries where status <> 'dropped'), 0::bigint, 'which is sent to nobody');
select is(
  (
    select string_agg(distinct person.display_name, ', ')
    from kith.events as event
    join kith.notifications as note on note.id = event.subject_id and note.user_id = event.user_id and note.type = 'alarm_resolved'
    join kith.users as person on person.id = event.user_id
    where event.type = 'notification'
  ), 'Bob, Carol', 'and comes with the live events'
);
rollback to called;
select tests.check_in('alice', '2026-03-02T11:00:30Z') \g /dev/null
select is(tests.newest('bob'), 'ping_all_clear | dropped | unread | Alice checked in. They''re safe.', 'or that the sender has checked in');
rollback to called;
select tests.act('bob', 'take', '2026-03-02T11:01Z') \g /dev/null
select tests.act('alice', 'resolve', '2026-03-02T11:02Z', '{"outcome": "false_alarm"}') \g /dev/null
select is(tests.newest('bob') like 'alarm\_resolved | queued | %', true, 'whoever has taken the call before its message left is told of its end');
select is(tests.newest('carol') like 'alarm\_resolved | dropped | %', true, 'and whoever has not reads it in the app');
select is((select count(*) from kith.events where type = 'notification' and user_id = tests.id('bob')), 0::bigint, 'a new one brings itself');
rollback to called;
select tests.act('bob', 'notes', '2026-03-02T11:01Z', '{"body": "On my way"}') \g /dev/null
select tests.check_in('alice', '2026-03-02T11:02Z') \g /dev/null
select is(tests.newest('bob'), 'ping_all_clear | queued | unread | Alice checked in. They''re safe.', 'so is whoever has written a note');
rollback to called;
-- Whoever has asked waits for an answer, though the alarm of the question, or one that ended it, was not sent to them.
rollback to sms;
select tests.ask('2026-03-02T12:00Z'), tests.tell('2026-03-02T12:30:10Z') \g /dev/null
select tests.check_in('alice', '2026-03-02T12:30:12Z') \g /dev/null
select is(tests.newest('bob'), 'ping_all_clear | queued | unread | Alice checked in. They''re safe.', 'an answer that comes as the alarm opens is told to the asker');
select is(tests.newest('carol') like 'ping\_all\_clear | dropped | %', true, 'and sent to nobody else');
rollback to sms;
select tests.ask('2026-03-02T12:00Z'), tests.help('alice', '2026-03-02T12:02Z') \g /dev/null
savepoint asked;
select tests.act('alice', 'resolve', '2026-03-02T12:02:05Z', '{"outcome": "false_alarm"}') \g /dev/null
select is(tests.newest('bob') like 'alarm\_resolved | queued | %', true, 'whose question a false alarm has ended hears of it');
rollback to asked;
-- The call was another transaction.
update kith.notifications set xid = '3';
select tests.check_in('alice', '2026-03-02T12:02:05Z') \g /dev/null
select is(tests.newest('bob') like 'ask\_answered | %', true, 'whose question was answered reads the answer');
select is((select count(*) from kith.notifications where user_id = tests.id('bob') and planned_at is null), 1::bigint, 'alone');
-- The end of an alarm, and an answer, are sent though something newer stands open, unless their reader will hear the end of that.
rollback to sms;
create function tests.says(p_person text, p_type text, p_now timestamptz) returns text
  language sql
as $$
  select string_agg(coalesce('dropped: ' || message.dropped_for, message.subject || ' | ' || message.body), ', ')
  from kith.notifications as note
  join kith.deliveries as delivery on delivery.tenant_id = note.tenant_id and delivery.notification_id = note.id
  cross join lateral internal.messages_of_deliveries(array[note.tenant_id], array[delivery.id], p_now) as message
  where note.user_id = tests.id(p_person) and note.type = p_type
$$;
savepoint open;
select tests.help('alice', '2026-03-02T11:00Z'), tests.plan_all('2026-03-02T11:00:05Z') \g /dev/null
update kith.deliveries set status = 'sent', sent_at = created_at, attempts = 1;
update kith.notifications set delivery_status = 'sent', xid = '3';
select tests.check_in('alice', '2026-03-02T11:05Z'), tests.plan_all('2026-03-02T11:05:01Z') \g /dev/null
select is(tests.says('carol', 'ping_all_clear', '2026-03-02T11:05:05Z'), 'All Clear | PRUUF: Alice checked in. They''re safe.', 'an all-clear is sent');
select tests.ask('2026-03-02T11:05:02Z') \g /dev/null
select is(
  tests.says('carol', 'ping_all_clear', '2026-03-02T11:05:05Z'), 'Checked In | PRUUF: Alice checked in at 11:05.',
  'whoever hears nothing of a newer question hears the end of the call, and its moment'
);
select is(
  tests.says('carol', 'ping_all_clear', '2026-03-02T11:25Z'), 'Checked In | PRUUF: Alice checked in at 11:05.', 'however late it is sent'
);
select is(
  tests.says('bob', 'ping_all_clear', '2026-03-02T11:05:05Z'), 'dropped: an alarm or a question stands open since then', 'whoever asks hears the answer'
);
select tests.help('alice', '2026-03-02T11:06Z') \g /dev/null
select is(
  tests.says('carol', 'ping_all_clear', '2026-03-02T11:06:05Z'), 'dropped: an alarm or a question stands open since then',
  'and whoever is told of a newer call hears its end'
);
rollback to open;
select tests.ask('2026-03-02T11:00Z'), tests.check_in('alice', '2026-03-02T11:05Z'), tests.plan_all('2026-03-02T11:05:01Z') \g /dev/null
select is(tests.says('bob', 'ask_answered', '2026-03-02T11:05:02Z'), 'Answered | PRUUF: Alice answered: they''re safe.', 'an answer is sent');
select tests.does('carol', $$api.ask_sender('0c000000-0000-7000-8000-000000000002', '2026-03-02T11:05:02Z')$$) \g /dev/null
select is(tests.says('bob', 'ask_answered', '2026-03-02T11:05:05Z'), 'Checked In | PRUUF: Alice answered at 11:05.', 'also while somebody else''s newer question stands open');
select tests.ask('2026-03-02T11:05:04Z') \g /dev/null
select is(
  tests.says('bob', 'ask_answered', '2026-03-02T11:05:05Z'), 'dropped: an alarm or a question stands open since then', 'but not while one''s own does'
);
rollback to open;
-- No "Safe" beside a newer miss whose alarm somebody else's word has ended.
select tests.miss('2026-03-02'), tests.miss('2026-03-03') \g /dev/null
select tests.act('bob', 'resolve', '2026-03-03T10:40Z', '{"outcome": "safe"}') \g /dev/null
select tests.check_in('alice', '2026-03-03T11:00Z', '2026-03-02T09:30Z') \g /dev/null
select is(
  (select string_agg(distinct title || ': ' || body, ', ') from tests.notifications where type = 'ping_completed'),
  'Checked In: Alice checked in at 2 March 2026, 09:30; it arrived later.', 'a tap from before a miss that stands says its moment, and not "Safe"'
);
-- A "Safe" with its moment that has not been sent when the sender calls for help.
rollback to open;
update kith.connections set missed_on = null;
insert into kith.devices (tenant_id, user_id, token, platform, environment, created_at, last_seen_at)
values (tests.tenant('acme'), tests.id('bob'), 'bobs-phone', 'ios', 'production', '2026-01-05Z', '2026-01-05Z');
insert into kith.channel_credentials (tenant_id, channel, sealed, summary, created_at, updated_at)
values (tests.tenant('acme'), 'apns', '\x00', '{}', '2026-03-01Z', '2026-03-01Z');
select tests.miss('2026-03-02', '10:30') \g /dev/null
update kith.pings set status = 'due', alarmed_at = null;
delete from kith.notifications;
select tests.check_in('alice', '2026-03-02T10:20Z', '2026-03-02T09:30Z'), tests.plan_all('2026-03-02T10:20:01Z') \g /dev/null
select tests.help('alice', '2026-03-02T10:20:02Z') \g /dev/null
select is(
  tests.says('bob', 'ping_completed', '2026-03-02T10:20:05Z'), 'Checked In | Alice checked in at 09:30; it arrived later.',
  'a tap that arrived late says no "Safe" once the sender has called for help'
);
-- Beyond ten calls in 24 hours, calling and ending in turn is one alarm, and one message.
rollback to sms;
select tests.help('alice', '2026-03-02T11:00Z') \g /dev/null
select tests.act('alice', 'resolve', '2026-03-02T11:00:30Z', '{"outcome": "false_alarm"}') \g /dev/null
update kith.alarms set resolved_at = null, resolved_by = null, outcome = null, next_at = '2026-03-02T11:00:40Z';
select internal.delete_withdrawn(alarm) from kith.alarms as alarm \g /dev/null
select is(
  (select count(*) from kith.notifications where user_id = tests.id('bob')), 0::bigint,
  'the words of the next call replace what said the end, so that calling and ending in turn fills no table'
);
rollback to sms;
select tests.miss('2026-03-02') \g /dev/null
select tests.plan_all('2026-03-02T10:31Z'), tests.act('bob', 'take', '2026-03-02T10:32Z') \g /dev/null
select tests.check_in('alice', '2026-03-02T10:40Z') \g /dev/null
select is(tests.newest('bob') like 'ping\_all\_clear | queued | %', true, 'whoever has taken a miss before its message left reads the all-clear');
select is(tests.newest('carol') like 'ping\_completed | queued | %', true, 'and whoever has heard of nothing, the check-in');
select * from finish();
rollback;
