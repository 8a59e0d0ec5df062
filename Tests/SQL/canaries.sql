-- A tenant's canary (G10): asked every few hours, never answering, and told to its receiver by the ordinary loops. Acme's ask at 21 minutes past.
begin;
\ir people.sql
\ir canary_house.sql
select plan(80);
delete from kith.connections;

create function tests.run_of(p_channel text) returns text
  language sql
as $$
  select format(
    'made %s, asked %s, missed %s, alarm %s, planned %s, sent %s, taken %s, heard %s: %s', made_at is not null, to_char(asked_at, 'HH24:MI:SS'),
    to_char(missed_at, 'HH24:MI:SS'), to_char(alarm_at, 'HH24:MI:SS'), to_char(planned_at, 'HH24:MI:SS'), to_char(sent_at, 'HH24:MI:SS'),
    to_char(taken_at, 'HH24:MI:SS'), to_char(heard_at, 'HH24:MI:SS'), outcome
  )
  from admin.canary_runs where channel = p_channel order by asks_at desc limit 1
$$;
create function tests.metric(p_channel text, p_now timestamptz) returns jsonb
  language plpgsql
as $$
declare
  v_metrics json;
begin
  perform tests.as_role('kith_api');
  v_metrics := api.canary_metrics(p_now);
  perform tests.as_superuser();
  return (select value - 'tenant' - 'channel' from jsonb_array_elements((v_metrics ->> 'channels')::jsonb) where value ->> 'channel' = p_channel);
end
$$;
create function tests.open_alarms() returns bigint
  language sql
as $$ select count(*) from kith.alarms where resolved_at is null $$;

-- What is refused.
select throws_ok($$ select tests.set_canary(5, '{"sms": {"address": "+4915112345679"}}', '2026-03-10T08:00Z') $$, 'KT422', 'validation_failed', 'an interval divides the day');
select throws_ok($$ select tests.set_canary(24, '{"fax": {"address": "1"}}', '2026-03-10T08:00Z') $$, 'KT422', 'validation_failed', 'a channel is one of five');
select throws_ok($$ select tests.set_canary(24, '{}', '2026-03-10T08:00Z') $$, 'KT422', 'validation_failed', 'at least one is named');
select throws_ok(
  $$ select tests.set_canary(24, '{"sms": {"address": "+4915112345679"}, "call": {"address": "+4915112345678"}}', '2026-03-10T08:00Z') $$, 'KT422', 'validation_failed',
  'texts and calls have one number'
);
update kith.users set phone = '+4915112345679', phone_verified_at = '2026-03-01Z' where id = tests.id('bob');
select throws_ok($$ select tests.set_canary(24, '{"sms": {"address": "+4915112345679"}}', '2026-03-10T08:00Z') $$, 'KT409', 'conflict', 'nobody else''s number is taken');
update kith.users set phone = null, phone_verified_at = null where id = tests.id('bob');
select tests.as_role('kith_reader');
select throws_ok($$ select admin.set_canary('acme', 24, '{"sms": {"address": "+1"}}') $$, '42501', null, 'a login that only reads sets no canary');
select tests.as_role('kith_api');
select throws_ok($$ select admin.set_canary('acme', 24, '{"sms": {"address": "+1"}}') $$, '42501', null, 'nor does a server');
select tests.as_superuser();

create function tests.set_beyond() returns text
  language plpgsql
as $$
begin
  create or replace function internal.most_canaries() returns integer language sql immutable parallel safe as 'select 1';
  perform tests.as_role('kith_admin');
  perform admin.set_canary('globex', 24, '{"email": {"address": "canary@example.com"}}', 20, '2026-03-10T08:00Z');
  return admin.set_canary('acme', 24, '{"email": {"address": "canary@example.com"}}', 20, '2026-03-10T08:00Z');
end
$$;
select throws_ok('select tests.set_beyond()', 'KT507', 'quota_exceeded', 'the tenants with canaries are bounded, because their metrics have series for each');

-- A day: asked at 09:00 of nobody but by the canary's own clock.
select is(
  tests.set_canary(12, '{"sms": {"address": "+4915112345679"}}', '2026-03-10T08:00Z'),
  'the first run asks at 2026-03-10 12:21:00Z: select * from admin.canaries where tenant = ''acme''', 'a canary of two runs a day'
);
select is((select array_agg(asked_at order by asked_at) from kith.canary_people where asked_at is not null)::text, '{00:21:00,12:21:00}', 'has two senders, each with an hour of its own');
select is((select string_agg(to_char(scheduled_at, 'DD HH24:MI') || status, ' ') from kith.pings), '10 12:21scheduled', 'today''s ping is there if it is ahead');
select is((select count(*) from kith.notifications), 0::bigint, 'nobody is told of the connection');
select tests.pass('2026-03-10T12:20:59Z');
select is((select count(*) from kith.canary_runs), 0::bigint, 'a run begins with its ping');
select tests.pass('2026-03-10T12:21:01Z');
select is(tests.run_of('sms'), 'made t, asked 12:21:01, missed , alarm , planned , sent , taken , heard : under way', 'the sender is asked');
select is((select string_agg(status, ' ') from kith.deliveries), null, 'in the app alone');
select is((select count(*) from kith.notifications where type = 'sender_unreachable'), 0::bigint, 'and nobody reads that it cannot be asked (X37)');
select tests.pass('2026-03-10T12:26:09Z');
select is(tests.open_alarms(), 0::bigint, 'before 10 seconds after its deadline nothing is missed');
select tests.pass('2026-03-10T12:26:10Z');
select is(tests.run_of('sms'), 'made t, asked 12:21:01, missed 12:26:10, alarm 12:26:10, planned 12:26:10, sent , taken , heard : under way', 'then the alarm opens, and its text is planned');
select is(tests.take('sms', '2026-03-10T12:26:11Z'), 1, 'one text goes out');
select is((select address from kith.deliveries), '+4915112345679', 'to the operator''s number');
select tests.pass('2026-03-10T12:26:14Z');
select is(tests.run_of('sms'), 'made t, asked 12:21:01, missed 12:26:10, alarm 12:26:10, planned 12:26:10, sent 12:26:12, taken 12:26:12, heard : under way', 'the provider takes it');
select is(tests.open_alarms(), 1::bigint, 'the alarm stays open until somebody answers');
select is(tests.text('one', 'm1', '2026-03-10T12:27:00Z'), 'take', '"1" is an answer, as to any alarm');
select is((select taken_at is null and resolved_at is null from kith.alarms), true, 'which neither takes nor ends it, so that other channels are heard too');
select tests.pass('2026-03-10T12:27:02Z');
select is(tests.run_of('sms'), 'made t, asked 12:21:01, missed 12:26:10, alarm 12:26:10, planned 12:26:10, sent 12:26:12, taken 12:26:12, heard 12:27:00: arrived', 'it is heard');
select is((select outcome || ' ' || resolved_at from kith.alarms), 'safe 2026-03-10 12:27:02+00', 'the canary ends its alarm');
select is(
  (select string_agg(channel || purpose || status, ' ' order by created_at, channel) from kith.deliveries), 'smsnotificationsent smsanswerqueued',
  'nobody is sent that it is over, beyond the reply to "1"'
);
select is(
  tests.metric('sms', '2026-03-10T12:28Z'),
  '{"every_seconds": 43200, "overdue_seconds": 0, "arrived_at": 1773145260, "legs": {"made": 0, "asked": 1, "missed": 10, "alarm": 0, "planned": 0, "sent": 2, "taken": 0, "heard": 48}}',
  'each leg has its time'
);

-- The next run, of a provider that accepts and swallows: nobody answers.
select tests.pass('2026-03-11T00:21:00Z');
select tests.pass('2026-03-11T00:26:10Z');
select is(tests.take('sms', '2026-03-11T00:26:11Z'), 1, 'the provider accepts the text of the next run, and swallows it');
select tests.pass('2026-03-11T00:45:59Z');
select is(tests.open_alarms(), 1::bigint, 'the canary waits until its time limit');
select is((tests.metric('sms', '2026-03-11T00:46:00Z') ->> 'overdue_seconds')::integer, 0, 'and is not overdue');
select tests.pass('2026-03-11T00:46:00Z');
select is(tests.run_of('sms'), 'made t, asked 00:21:00, missed 00:26:10, alarm 00:26:10, planned 00:26:10, sent 00:26:12, taken 00:26:12, heard : died', 'then it dies of the leg that is missing');
select is(tests.open_alarms(), 0::bigint, 'and ends its alarm itself');
select is((tests.metric('sms', '2026-03-11T00:46:30Z') ->> 'overdue_seconds')::integer, 30, 'it is overdue from then on');
select is((tests.metric('sms', '2026-03-12T00:46:00Z') ->> 'overdue_seconds')::integer, 86400, 'also while no worker runs');
select is((select count(*) from kith.notifications where type = 'alarm_repeat'), 0::bigint, 'nothing is repeated');

select is(
  (select expected || ' of ' || (select created from kith.ping_runs where tenant_id = tests.tenant('acme') and ping_on = as_on) from admin.tomorrow where tenant = 'acme'),
  '0 of 2', 'and of the pings that the last run made none counts'
);

-- An outage delays the alarm beyond its run.
select tests.pass('2026-03-11T12:21:00Z');
insert into kith.outages (component, began_at, ended_at) values ('server', '2026-03-11T12:22Z', '2026-03-11T12:40Z');
select tests.pass('2026-03-11T12:46:00Z');
select is(tests.run_of('sms'), 'made t, asked 12:21:00, missed , alarm , planned , sent , taken , heard : died', 'in an outage nothing is missed, so the canary dies');
select tests.pass('2026-03-11T12:56:00Z');
select is(tests.open_alarms(), 0::bigint, 'the alarm that comes late is ended at once');
delete from kith.outages;

-- Channels of one interval share a canary; one moves to another.
select tests.set_canary(12, '{"call": {"address": "+4915112345679"}, "email": {"address": "canary@example.com", "needs_heard": false}}', '2026-03-11T20:00Z') \g /dev/null
select is(
  (select string_agg(channel || ' ' || every_hours || ' ' || needs_heard || ' ' || state, ', ' order by channel) from admin.canaries where tenant = 'acme'),
  'call 12 true overdue, email 12 false overdue, sms 12 true overdue', 'three channels of one canary, whose clock this test is far from'
);
select is((select count(*) from kith.canaries), 1::bigint, 'it is one');
select tests.pass('2026-03-12T00:21:00Z');
select tests.pass('2026-03-12T00:26:10Z');
select is(tests.take('sms', '2026-03-12T00:26:11Z'), 1, 'the text is the first');
select alarm_id as told, receiver_id as reader
from kith.canary_runs as run join kith.canaries as canary on canary.id = run.canary_id
where asks_at = '2026-03-12T00:21Z' \gset
select tests.as_role('kith_worker');
select worker.keep_alarm_links(array[tests.tenant('acme')], array[:'told'::uuid], array[:'reader'::uuid], array[sha256('text')], 'sms', '2026-03-12T00:26:11Z');
select tests.as_role('kith_api');
select is((api.use_alarm_link(tests.tenant('acme'), sha256('text'), 'safe', null, '2026-03-12T00:26:12Z') ->> 'done'), 'safe', 'and is answered by its link');
select tests.as_superuser();
select is(tests.take('voice', '2026-03-12T00:26:20Z') + tests.take('email', '2026-03-12T00:26:20Z'), 2, 'the slower channels still have their messages');
select tests.pass('2026-03-12T00:26:23Z');
select is((select string_agg(channel || ' ' || coalesce(outcome, 'waits'), ', ' order by channel) from kith.canary_arrivals where asks_at = '2026-03-12T00:21Z'), 'call waits, email arrived, sms arrived', 'what is taken has arrived where that is enough');
select is(
  (select api.receive_call(tests.tenant('acme'), id, array[sha256('a'), sha256('b'), sha256('c')], '1', null, false, '2026-03-12T00:27Z') ->> 'outcome' from kith.deliveries where channel = 'voice' and status = 'sent'),
  'take', 'the key 1 answers the call'
);
select tests.as_superuser();
select is((select taken_at is null and resolved_at is null from kith.alarms where id = :'told'), true, 'and takes nothing either');
select tests.pass('2026-03-12T00:27:02Z');
select is((select string_agg(channel || ' ' || outcome || ' ' || coalesce(to_char(heard_at, 'MI:SS'), '-'), ', ' order by channel) from kith.canary_arrivals where asks_at = '2026-03-12T00:21Z'), 'call arrived 27:00, email arrived -, sms arrived 26:12', 'each channel is heard for itself, and the link of a text is not the mail''s');
select tests.set_canary(24, '{"email": {"address": "canary@example.com"}}', '2026-03-12T08:00Z') \g /dev/null
select is((select string_agg(every_hours || ' ' || (select string_agg(channel, '+' order by channel) from kith.canary_channels where canary_id = canaries.id), ', ' order by every_hours) from kith.canaries), '12 call+sms, 24 email', 'a channel moves to another interval with its contact');

-- No word of its number is a check-in, or a call for help.
select tests.pass('2026-03-12T12:21:00Z');
select tests.pass('2026-03-12T12:26:10Z');
select is(tests.take('sms', '2026-03-12T12:26:11Z'), 1, 'the next text is taken');
select is(tests.text('check_in', 'm3', '2026-03-12T12:27:00Z'), 'take', '"OK" is heard');
select is(tests.text('help', 'm4', '2026-03-12T12:27:10Z'), 'not_understood', '"HELP" calls nobody');
select is(tests.text('one', 'm6', '2026-03-12T12:27:11Z'), 'take', 'a second answer is one too');
select is(
  (select count(*) from kith.deliveries where purpose = 'answer' and created_at >= '2026-03-12T12:21Z'), 1::bigint, 'and gets no second reply'
);
select tests.pass('2026-03-12T12:27:12Z');
select is((select outcome || ' ' || to_char(heard_at, 'MI:SS') from kith.canary_arrivals where channel = 'sms' and asks_at = '2026-03-12T12:21Z'), 'arrived 27:00', 'once');
select tests.pass('2026-03-12T12:46:00Z');
select is(tests.text('i_am_safe', 'm5', '2026-03-12T12:47:00Z'), 'several', 'after the alarm, "SAFE" changes nothing');
select is((select count(*) from kith.check_ins) + (select count(*) from kith.alarms where kind = 'help'), 0::bigint, 'and so there is no check-in of a canary');
select is(internal.imported_canary_objection(tests.tenant('acme')), null, 'which an import would refuse');

-- A mail is heard by the button behind its link.
select tests.pass('2026-03-13T00:21:00Z');
select tests.pass('2026-03-13T00:26:10Z');
select is(tests.take('email', '2026-03-13T00:26:11Z'), 1, 'the mail of the canary of a day is taken');
select tests.pass('2026-03-13T00:26:14Z');
select alarm_id as mailed, receiver_id as reader
from kith.canary_runs as run join kith.canaries as canary on canary.id = run.canary_id
where canary.every_hours = 24 and asks_at = '2026-03-13T00:21Z' \gset
select tests.as_role('kith_worker');
select worker.keep_alarm_links(array[tests.tenant('acme')], array[:'mailed'::uuid], array[:'reader'::uuid], array[sha256('mail')], 'email', '2026-03-13T00:26:11Z');
select tests.as_role('kith_api');
select is((api.alarm_page(tests.tenant('acme'), sha256('mail'), '2026-03-13T00:26:50Z') ->> 'is_open'), 'true', 'its link shows the alarm, which is nothing yet');
select tests.as_superuser();
select tests.pass('2026-03-13T00:26:52Z');
select is((select count(*) from kith.canary_answers where alarm_id = :'mailed'), 0::bigint, 'as scanners follow links');
select tests.as_role('kith_api');
select is((api.use_alarm_link(tests.tenant('acme'), sha256('mail'), 'take', null, '2026-03-13T00:27:00Z') ->> 'done'), 'take', 'its button answers it');
select tests.as_superuser();
select tests.pass('2026-03-13T00:27:02Z');
select is(
  (select outcome || ' ' || to_char(heard_at, 'MI:SS') from kith.canary_arrivals where channel = 'email' and asks_at = '2026-03-13T00:21Z'), 'arrived 27:00',
  'then the mail is heard'
);
select is((select count(*) from kith.canary_answers as answer join kith.alarms as alarm on alarm.id = answer.alarm_id
  where not exists (select from internal.hidden_person(alarm.tenant_id, alarm.sender_id))), 0::bigint, 'of people nothing is noted');

-- Its accounts are nobody's.
select receiver_id as hidden from kith.canaries where tenant_id = tests.tenant('acme') limit 1 \gset
select tests.as_definer('acme', 'bob');
select throws_ok(
  format($$ select internal.begin_session(%L, gen_random_uuid(), '\x00', '2026-03-12T08:30Z') $$, :'hidden'), 'KT404', 'not_found', 'nobody signs in as one'
);
select lives_ok(
  format($$ select internal.begin_session(%L, gen_random_uuid(), sha256('bob'), '2026-03-12T08:30Z') $$, tests.id('bob')), 'as a person somebody does'
);
select tests.as_superuser();
select tests.as_server('acme');
select throws_ok(format($$ select api.get_user(%L) $$, :'hidden'), 'KT404', 'not_found', 'the tenant''s server does not see one');
select throws_ok(
  format($$ select api.update_user(%L, '{"external_id": "x"}', '2026-03-12T08:30Z') $$, :'hidden'), 'KT404', 'not_found', 'gives it no id of its own'
);
select throws_ok(format($$ select api.delete_user(%L, null, '2026-03-12T08:30Z') $$, :'hidden'), 'KT404', 'not_found', 'and deletes none');
select throws_ok(
  format($$ select api.set_subscription(%L, '{"status": "active"}', '2026-03-12T08:30Z') $$, :'hidden'), 'KT404', 'not_found', 'and sets no subscription of one'
);
select throws_ok(format($$ select api.token_subject(%L) $$, :'hidden'), 'KT404', 'not_found', 'and gets no token for one');
select tests.as_superuser();
select is(
  (select string_agg(coalesce(api.token_user(tests.tenant('acme'), id::text, true, null, '2026-03-12T08:30Z') ->> 'user_id', 'nobody'), ' ' order by n)
    from (values (1, :'hidden'::uuid), (2, tests.id('bob'))) as subject (n, id)), 'nobody ' || tests.id('bob'), 'a token that names one is refused'
);
select tests.as_superuser();

-- Its end.
select tests.as_role('kith_admin');
select is(admin.remove_canary('acme', 'sms', '2026-03-12T09:00Z'), 'removed: sms; its contacts and messages are forgotten', 'a channel is removed');
select throws_ok($$ select admin.remove_canary('acme', 'sms', '2026-03-12T09:00Z') $$, 'KT404', 'not_found', 'once');
select admin.remove_canary('acme', null, '2026-03-12T09:00Z') \g /dev/null
select tests.as_superuser();
select is(
  (
    select count(*) || ' ' || count(*) filter (where phone is null and email is null and display_name is null and deleted_at is not null)
    from kith.users where id in (select user_id from kith.canary_people)
  ), '5 5', 'its accounts end, and say nothing'
);
select is(
  (select count(*) from kith.deliveries where address in ('+4915112345679', 'canary@example.com')) + (select count(*) from kith.canaries) + (select count(*) from kith.canary_runs),
  0::bigint, 'nothing has its contacts any more'
);

-- An account that an operator has deleted.
select tests.set_canary(24, '{"email": {"address": "canary@example.com"}}', '2026-03-12T10:00Z') \g /dev/null
select tests.as_role('kith_admin');
select count(*) from kith.canaries, admin.delete_user('acme', receiver_id, 'by mistake', false, '2026-03-12T10:01Z') \g /dev/null
select tests.as_superuser();
select throws_ok(
  $$ select tests.set_canary(24, '{"sms": {"address": "+4915112345679"}}', '2026-03-12T10:02Z') $$, 'KT409', 'conflict', 'a canary whose receiver was deleted gets no contact'
);
select is(
  (select string_agg(channel, ' ') from kith.canary_channels), 'email', 'and stays as it is'
);
select tests.as_role('kith_admin');
select is(
  admin.remove_canary('acme', 'email', '2026-03-12T10:03Z'), 'removed: email; its contacts and messages are forgotten', 'it can be removed'
);
select tests.as_superuser();
select tests.set_canary(24, '{"sms": {"address": "+4915112345679"}}', '2026-03-12T10:04Z') \g /dev/null
select is(
  (select account.phone from kith.canaries as canary join kith.users as account on account.id = canary.receiver_id and account.deleted_at is null),
  '+4915112345679', 'and set again'
);
select * from finish();
rollback;
