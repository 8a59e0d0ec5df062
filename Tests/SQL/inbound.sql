-- What people answer to a text message or a call (J02, J03).
begin;
\ir people.sql
select plan(112);

create function tests.text(
  p_words text, p_now timestamptz, p_id text default null, p_phone text default '+4915112345678', p_tenant text default 'acme'
) returns text
  language plpgsql
as $$
declare
  v_answer json;
begin
  perform tests.as_role('kith_api');
  v_answer := api.receive_text(
    tests.tenant(p_tenant), array(select sha256(convert_to(id, 'UTF8')) from string_to_table(p_id, ' ') as id), p_phone,
    case p_words
      when '1' then '{"en": "one", "de": "one"}'
      when 'OK' then '{"en": "check_in", "de": "check_in"}'
      when 'JA' then '{"de": "check_in"}'
      when 'SAFE' then '{"en": "i_am_safe"}'
      when 'ENTWARNUNG' then '{"de": "i_am_safe"}'
      when 'SOS' then '{"en": "help"}'
      when 'STOP' then '{"en": "stop"}'
      when 'START' then '{"en": "start"}'
      when 'HELP' then '{"en": "info"}'
      when 'HEEELP' then '{"*": "near_help"}'
      when '2' then '{"en": "two"}'
      when 'HILFE' then '{"de": "help"}'
      else '{}'
    end::jsonb, p_now
  );
  perform tests.as_superuser();
  return v_answer ->> 'outcome';
exception when others then
  perform tests.as_superuser();
  return sqlerrm;
end
$$;
create function tests.answers(p_phone text default '+4915112345678') returns text
  language sql
as $$
  select string_agg(body, '; ' order by created_at, id) from kith.deliveries where purpose = 'answer' and address = p_phone
$$;
create function tests.check_ins(p_person text default 'alice') returns text
  language sql
as $$
  select string_agg(to_char(received_at, 'HH24:MI') || ' ' || source, '; ' order by received_at)
  from kith.check_ins where user_id = tests.id(p_person)
$$;
create function tests.counted() returns text
  language sql
as $$
  select string_agg(outcome || ' ' || count, ' ' order by outcome)
  from (select outcome, sum(count) as count from kith.inbound_counts group by outcome) as counts
$$;
create function tests.loop(p_name text, p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_done integer;
begin
  perform tests.as_role('kith_worker');
  execute format('select worker.%I($1, 1000)', p_name) into v_done using p_now;
  perform tests.as_superuser();
  return v_done;
end
$$;
update kith.users set phone = '+4915112345678', phone_verified_at = '2026-01-05T08:00Z', time_zone = 'Europe/Berlin'
where tenant_id = tests.tenant('acme') and id = tests.id('alice');
update kith.users set phone = '+4915112345679' where tenant_id = tests.tenant('acme') and id = tests.id('carol');
insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at) values (tests.tenant('acme'), 'UTC', '2026-03-11', '2026-03-11T00:00Z');
select tests.loop('generate_daily_pings', '2026-03-11T00:00Z') \g /dev/null
select tests.loop('announce_due_pings', '2026-03-11T09:00Z') \g /dev/null
savepoint fresh;

-- A check-in.
select is(tests.text('OK', '2026-03-11T09:05Z', 'SM1'), 'check_in', '"OK" is a check-in');
select is(tests.check_ins(), '09:05 sms', 'with the source sms');
select is(
  (select status from kith.pings where tenant_id = tests.tenant('acme') and connection_id = tests.id('alice-bob') and ping_on = '2026-03-11'),
  'completed', 'it completes the ping'
);
select is(tests.answers(), 'Thank you. You checked in at 10:05.', 'the answer says when, in the person''s zone');
select is(
  (select concat_ws(' ', channel, purpose, status, expires_at - created_at, is_urgent) from kith.deliveries where purpose = 'answer'),
  'sms answer queued 01:00:00 t', 'it goes out by text, and is worth nothing after an hour'
);
select is(tests.text('OK', '2026-03-11T09:06Z', 'SM1'), 'repeated', 'a provider''s repeat does nothing');
select is(tests.check_ins(), '09:05 sms', 'it is no second check-in');
select is(tests.answers(), 'Thank you. You checked in at 10:05.', 'and gets no second answer');
select is(tests.text('OK', '2026-03-11T09:07Z', 'SM1', '+4915112345678', 'globex'), 'unknown_number', 'an id is one tenant''s, and so is a number');
select is(tests.text('OK', '2026-03-11T09:08Z', null), 'check_in', 'a provider that gives no id is believed');
select is(tests.counted(), 'check_in 2 repeated 1 unknown_number 1', 'all are counted');
rollback to fresh;

-- A call for help (K05).
select is(tests.text('SOS', '2026-03-11T09:05Z', 'SM1'), 'help', '"SOS" is a call for help');
select is(tests.answers(), '1 person is being told that you need help. If you are in danger, call your local emergency number.', 'the answer says how many have been told');
select is(
  (select concat_ws(' ', kind, resolved_at) from kith.alarms where sender_id = tests.id('alice')), 'help', 'an alarm is open'
);
select is(tests.text('SOS', '2026-03-11T09:06Z', 'SM2'), 'help', 'a second one');
select is((select count(*) from kith.alarms where sender_id = tests.id('alice')), 1::bigint, 'adds nothing');
select is(tests.text('OK', '2026-03-11T09:07Z', 'SM3'), 'several', '"OK" can be thanks for the reply,');
select is(tests.text('1', '2026-03-11T09:07:10Z', 'SM4'), 'several', 'and "1" nothing else,');
select is(
  (select concat_ws(' ', outcome, tests.check_ins()) from kith.alarms where sender_id = tests.id('alice')), '', 'so they end nothing and are no check-in'
);
select is(
  (select body from kith.deliveries where purpose = 'answer' order by created_at desc, id desc limit 1),
  'Your call for help goes on. If you no longer need help, reply SAFE.', 'the reply says how to end it'
);
savepoint calling;
select is(tests.text('SAFE', '2026-03-11T09:08Z', 'SM5'), 'check_in', 'a word that says so');
select is((select outcome from kith.alarms where sender_id = tests.id('alice')), 'checked_in', 'ends it');
select is(
  (select body from kith.deliveries where purpose = 'answer' order by created_at desc, id desc limit 1),
  'Thank you. Your call for help is over. Everybody who was told is now told that you are safe.', 'and the reply says that'
);
select is(tests.text('OK', '2026-03-11T09:09Z', 'SM6'), 'check_in', 'after it, "OK" is a check-in again');
rollback to calling;
update kith.users set locale = 'de-informal' where id = tests.id('alice');
select is(tests.text('OK', '2026-03-11T09:08Z', 'SM5'), 'several', 'in German');
select is(
  (select body from kith.deliveries where purpose = 'answer' order by created_at desc, id desc limit 1),
  'Dein Hilferuf läuft weiter. Wenn du keine Hilfe mehr brauchst, antworte mit ENTWARNUNG.', 'it names a German word'
);
select is(tests.text('SAFE', '2026-03-11T09:09Z', 'SM6'), 'check_in', 'and the English one counts too');
rollback to calling;
update kith.alarms set expires_at = '2026-03-11T09:08Z', next_at = least(next_at, '2026-03-11T09:08Z') where sender_id = tests.id('alice');
select is(tests.text('OK', '2026-03-11T09:08Z', 'SM5'), 'check_in', 'once the call has expired, "OK" is a check-in');
rollback to fresh;
select is(concat(tests.text('SAFE', '2026-03-11T09:05Z', 'SM1'), tests.check_ins()), 'check_in09:05 sms', 'the word is a check-in at any time');
select is(tests.answers(), 'Thank you. You checked in at 10:05.', 'and answered as any');
rollback to fresh;
update kith.connections set status = 'deleted', deleted_at = '2026-03-11T08:00Z' where id = tests.id('alice-bob');
select is(
  concat_ws(' ', tests.text('SOS', '2026-03-11T09:05Z', 'SM1'), tests.answers()),
  'help Nobody could be told. Call your local emergency number.', 'where nobody can be told, the answer says so'
);
rollback to fresh;

-- A recorded message whose fields are cut anew has another id, under the same signature.
select is(tests.text('OK', '2026-03-11T09:05Z', 'SM1 signed'), 'check_in', 'a message is known by its id');
select is(tests.text('OK', '2026-03-11T09:06Z', 'SM1Num signed'), 'repeated', 'and by what was signed');
rollback to fresh;

-- The language.
select is(tests.text('JA', '2026-03-11T09:05Z', 'SM1'), 'not_understood', 'a German word means nothing from somebody who reads English');
update kith.users set locale = 'de-informal' where id = tests.id('alice');
select is(tests.text('JA', '2026-03-11T09:06Z', 'SM2'), 'not_understood', 'a variant has its own meanings');
rollback to fresh;
update kith.users set locale = 'de-AT' where id = tests.id('alice');
select is(tests.text('JA', '2026-03-11T09:06Z', 'SM3'), 'check_in', 'but from somebody who reads German');
select is(tests.answers(), 'Danke. Sie haben sich um 10:06 Uhr gemeldet.', 'who is answered in German');
select is(tests.text('OK', '2026-03-11T09:07Z', 'SM4'), 'check_in', 'English words count in every language');
rollback to fresh;

-- Anything else.
select is(tests.text('not ok', '2026-03-11T09:05Z', 'SM1'), 'not_understood', 'anything else is nothing');
select is(tests.check_ins(), null, 'and no check-in');
select is(tests.answers(), 'Reply OK if you are safe, or SOS if you need help.', 'it is answered by what can be answered');
select is(tests.text('what?', '2026-03-11T10:04Z', 'SM2'), 'not_understood', 'within an hour');
select is(tests.answers(), 'Reply OK if you are safe, or SOS if you need help.', 'not again');
select is(tests.text('what?', '2026-03-11T10:05Z', 'SM3'), 'not_understood', 'after an hour');
select is((select count(*) from kith.deliveries where purpose = 'answer'), 2::bigint, 'again');
rollback to fresh;
do $$ begin for v_n in 1..40 loop perform tests.text('OK', '2026-03-11T09:05Z'::timestamptz + v_n * interval '1 second', 'SM' || v_n); end loop; end $$;
select is((select count(*) from kith.deliveries where purpose = 'answer'), 30::bigint, 'a number gets 30 answers in 24 hours');
select is((select count(*) from kith.check_ins where user_id = tests.id('alice')), 40::bigint, 'but whatever it says counts');
select is(tests.text('OK', '2026-03-12T09:06Z', 'SM41'), 'check_in', 'a day later');
select is((select count(*) from kith.deliveries where purpose = 'answer'), 31::bigint, 'it is answered again');
rollback to fresh;

-- Who is known.
select is(tests.text('OK', '2026-03-11T09:05Z', 'SM1', '+4915112345679'), 'unknown_number', 'a number that nobody has confirmed is unknown');
select is(tests.text('OK', '2026-03-11T09:05Z', 'SM2', null), 'unknown_number', 'and so is what is no number');
select is(tests.text('STOP', '2026-03-11T09:05Z', 'SM3', null), 'unknown_number', 'also with STOP');
select is(tests.text('STOP', '2026-03-11T09:05Z', 'SM4', '+4915199999999'), 'unknown_number', 'somebody unknown can say STOP');
select is((select count(*) from kith.text_numbers where stopped_at is not null), 1::bigint, 'and it is kept');
select is((select count(*) from kith.deliveries where purpose = 'answer'), 0::bigint, 'but nobody unknown gets an answer');
rollback to fresh;
update kith.users set deleted_at = '2026-03-11T09:00Z' where id = tests.id('alice');
select is(tests.text('OK', '2026-03-11T09:05Z', 'SM1'), 'unknown_number', 'an ended account is unknown');
rollback to fresh;
select tests.as_role('kith_admin'), admin.suspend_tenant('acme', 'unpaid', '2026-03-11T09:00Z'), tests.as_superuser() \g /dev/null
select is(tests.text('OK', '2026-03-11T09:05Z', 'SM1'), 'check_in', 'a suspension refuses no answer');
update kith.tenants set deleted_at = '2026-03-11T09:00Z' where tenant_id = tests.tenant('acme');
select is(tests.text('OK', '2026-03-11T09:06Z', 'SM2'), 'not_found', 'a deleted tenant takes none');
rollback to fresh;

-- STOP, START and HELP.
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
values (tests.tenant('acme'), 'sms', '{"inbound": {}}', '\x00', '2026-03-01T00:00Z', '2026-03-01T00:00Z');
select is(tests.text('HELP', '2026-03-11T09:01Z', 'SM0'), 'info', 'HELP is no call for help');
select is(tests.answers(), 'PRUUF: Need help now? Reply SOS. OK says that you are safe. STOP ends all texts.', 'it is answered by what can be answered');
select is(tests.text('STOP', '2026-03-11T09:05Z', 'SM1'), 'stop', 'STOP');
select is(
  (select body from kith.deliveries where purpose = 'answer' order by created_at desc limit 1),
  'No texts from PRUUF: we can no longer ask if you are well. Your receivers are told. OK and SOS still count. Texts again: START.',
  'is confirmed once'
);
select is(tests.text('STOP', '2026-03-11T09:06Z', 'SM2'), 'stop', 'STOP again');
select is(tests.text('OK', '2026-03-11T09:07Z', 'SM3'), 'check_in', 'and "OK" after it, which still counts,');
select is(tests.text('what', '2026-03-11T09:07Z', 'SM4'), 'not_understood', 'and anything else');
select is((select count(*) from kith.deliveries where purpose = 'answer'), 2::bigint, 'get no answer');
select tests.as_user('acme', 'alice');
select is(api.get_notification_preferences() ->> 'texts_stopped_at', '2026-03-11T09:05:00.000000Z', 'the person sees it');
select tests.as_role('kith_admin');
select is((select concat_ws(' ', tenant, phone, user_id = tests.id('alice')) from admin.stopped_numbers), 'acme +4915112345678 t', 'operators see it');
select tests.as_superuser();
insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at) values
  (tests.tenant('acme'), tests.id('alice'), 'ping_reminder', '{sms}', '2026-03-01T00:00Z'),
  (tests.tenant('acme'), tests.id('alice'), 'ping_all_clear', '{sms,email}', '2026-03-01T00:00Z');
update kith.users set email = 'alice@example.com', email_verified_at = '2026-01-05T08:00Z' where id = tests.id('alice');
insert into kith.deliveries (tenant_id, id, channel, purpose, address, body, next_attempt_at, expires_at, created_at)
values (tests.tenant('acme'), internal.uuid7('2026-03-11T09:10Z'), 'sms', 'sign_in_code', '+4915112345678', '{code}', '2026-03-11T09:10Z', '2026-03-11T09:20Z', '2026-03-11T09:10Z');
select tests.as_role('kith_worker');
select is(
  (select string_agg(purpose, ' ' order by purpose) from worker.claim_deliveries('2026-03-11T09:10:01Z', 'sms', 10, 10, 0, '{}', '{}', 'w1')),
  'answer answer', 'after STOP only its confirmation, and what was said before, leaves'
);
select tests.as_superuser();
select is(
  (select concat_ws(' ', status, error) from kith.deliveries where purpose = 'sign_in_code'), 'dropped the number has answered STOP',
  'no sign-in code does'
);
select set_config('kith.tenant_id', tests.tenant('acme')::text, true) \g /dev/null
select internal.notify('ping_reminder', array[tests.tenant('acme')], array[tests.id('alice')],
  array[jsonb_build_object('connection_id', tests.id('alice-bob'), 'ping_id', (select id from kith.pings where connection_id = tests.id('alice-bob') and ping_on = '2026-03-11'), 'date', '2026-03-11', 'minutes', 15)],
  '2026-03-11T09:11Z') \g /dev/null
select tests.as_role('kith_worker');
select worker.plan_deliveries('2026-03-11T09:11:01Z', 100, true) \g /dev/null
select tests.as_superuser();
select is(
  (
    select string_agg(delivery.channel, ' ') from kith.deliveries as delivery
    join kith.notifications as told on told.id = delivery.notification_id where told.type = 'ping_reminder'
  ), 'email', 'whoever wanted text messages alone is told on the other channels'
);
select is(tests.text('START', '2026-03-11T09:12Z', 'SM5'), 'start', 'START');
select is(
  (select body from kith.deliveries where purpose = 'answer' order by created_at desc, id desc limit 1),
  'PRUUF: You get texts again. Need help now? Reply SOS. STOP ends all texts.', 'says that texts come again'
);
select tests.as_user('acme', 'alice');
select is(api.get_notification_preferences() ->> 'texts_stopped_at', null, 'and text messages go out again');
select tests.as_superuser();
select is(tests.text('STOP', '2026-03-11T09:13Z', 'SM6'), 'stop', 'STOP after START');
select is((select count(*) from kith.deliveries where purpose = 'answer'), 4::bigint, 'is confirmed again');
select tests.as_user('acme', 'alice');
select api.delete_me('delete', '2026-03-11T10:00Z') \g /dev/null
select tests.as_superuser();
select is((select count(*) from kith.deliveries where purpose = 'answer'), 0::bigint, 'what a number was answered goes with the account');
select is((select count(*) from kith.text_numbers where stopped_at is not null), 1::bigint, 'but STOP holds for the number');
rollback to fresh;

-- Calls.
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
values (tests.tenant('acme'), 'voice', '{"inbound": {}, "callback_field": "Url"}', '\x00', '2026-03-01T00:00Z', '2026-03-01T00:00Z');
insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
values (tests.tenant('acme'), tests.id('alice'), 'ping_due', '{voice}', '2026-03-01T00:00Z');
create function tests.work(p_now timestamptz) returns text
  language plpgsql
as $$
declare
  v_call record;
  v_said text;
begin
  perform tests.as_role('kith_worker');
  perform worker.plan_deliveries(p_now, 100, true);
  for v_call in select * from worker.claim_deliveries(p_now, 'voice', 10, 10, 0, '{}', '{}', 'w1') loop
    v_said := concat_ws(' | ', v_said, v_call.address, v_call.body, v_call.locale);
    perform worker.finish_deliveries(
      p_now, 'w1', jsonb_build_array(jsonb_build_object('tenant_id', v_call.tenant_id, 'id', v_call.id, 'outcome', 'sent'))
    );
  end loop;
  perform tests.as_superuser();
  return v_said;
end
$$;
create function tests.call_id(p_n integer) returns uuid
  language sql
as $$ select id from kith.deliveries where channel = 'voice' order by coalesce(sent_at, next_attempt_at) offset p_n - 1 limit 1 $$;
create function tests.key(p_n integer, p_key text, p_now timestamptz, p_unheard text default null, p_is_over boolean default false,
  p_call text default 'CA1') returns text
  language plpgsql
as $$
declare
  v_answer json;
  v_call uuid := tests.call_id(p_n);
begin
  perform tests.as_role('kith_api');
  v_answer := api.receive_call(
    tests.tenant('acme'), v_call,
    array(select sha256(convert_to(id, 'UTF8')) from unnest(array[p_call, concat(p_call, p_n), concat(p_call, p_n, p_key)]) as id), p_key, p_unheard, p_is_over, p_now
  );
  perform tests.as_superuser();
  return concat_ws(' | ', v_answer ->> 'outcome', v_answer ->> 'text', v_answer ->> 'takes_key');
exception when others then
  perform tests.as_superuser();
  return sqlerrm;
end
$$;
select is(tests.work('2026-03-11T09:01:01Z'), '+4915112345678 | This is PRUUF. Press 1 if you are safe. Press 2 if you need help. | en', 'a sender who wants it is called');
savepoint called;
select is(tests.key(1, null, '2026-03-11T09:01:10Z'), 'asked | This is PRUUF. Press 1 if you are safe. Press 2 if you need help. | true', 'a provider that asks what to say is told');
select is(tests.key(1, '1', '2026-03-11T09:01:20Z'), 'check_in | Thank you. You checked in at 10:01. | false', '1 is a check-in');
select is(tests.check_ins(), '09:01 voice', 'with the source voice');
select is(tests.key(1, '1', '2026-03-11T09:01:21Z'), 'repeated', 'a repeat does nothing');
select is((select string_agg(status, ' ' order by coalesce(sent_at, next_attempt_at)) from kith.deliveries where channel = 'voice'), 'sent dropped', 'and nobody is called again');
rollback to called;
select is(tests.key(1, '1', '2026-03-11T09:01:20Z', 'machine'), 'machine', 'a machine that answered is no person');
select is(tests.key(1, null, '2026-03-11T09:01:20Z', 'busy', true), 'no_key', 'nor is a line that is busy');
select is(tests.work('2026-03-11T09:01:50Z'), null, 'nobody is called again at once');
select is(
  (select string_agg(format('%s at %s', channel, to_char(next_attempt_at, 'HH24:MI:SS')), ', ' order by next_attempt_at) from kith.deliveries where status = 'queued'),
  'sms at 09:00:00, voice at 09:11:01', 'but the question goes out on the other channels, and the calls go on'
);
rollback to called;
select is(tests.key(1, '7', '2026-03-11T09:01:30Z', null, true), 'no_key', 'another key is none');
select is(tests.check_ins(), null, 'neither is a sign of life');
select is(concat_ws(' ', tests.work('2026-03-11T09:11:00Z') is null, tests.work('2026-03-11T09:11:02Z') is null, tests.work('2026-03-11T09:21:03Z') is null,
  tests.work('2026-03-11T09:31:04Z') is null), 't f f t', 'there are two more tries, 10 minutes apart');
rollback to called;
select tests.key(1, '1', '2026-03-11T09:01:20Z') \g /dev/null
insert into kith.deliveries (
  tenant_id, id, channel, purpose, address, notification_id, is_urgent, status, next_attempt_at, expires_at, created_at, sent_at
)
select tenant_id, '0de00000-0000-7000-8000-000000000002', channel, purpose, address, notification_id, is_urgent, 'sent', next_attempt_at,
  expires_at, created_at, sent_at + interval '1 second'
from kith.deliveries where id = tests.call_id(1);
select is(tests.key(2, '1', '2026-03-11T09:01:30Z'), 'unknown_call', 'what the provider reported of one call is no answer in another');
select is(tests.key(2, '1', '2026-03-11T09:01:31Z', p_call => 'CA2') like 'check_in%', true, 'which has an id of its own');
rollback to called;
update kith.users set phone = '+4915112345670' where id = tests.id('alice');
select is(concat(tests.key(1, '1', '2026-03-11T09:01:20Z'), tests.check_ins()), 'unknown_call', 'a key on the former phone is no check-in');
rollback to called;
update kith.users set phone_verified_at = null where id = tests.id('alice');
select is(concat(tests.key(1, '1', '2026-03-11T09:01:20Z'), tests.check_ins()), 'unknown_call', 'nor one on a phone that is no longer confirmed');
rollback to called;
update kith.deliveries set expires_at = '2026-03-11T09:10Z' where channel = 'voice';
select is(tests.key(1, '1', '2026-03-11T10:01:02Z'), 'unknown_call', 'a report of a call an hour ago says nothing');
select is(tests.counted(), 'unknown_call 1', 'and is counted');
select is(tests.key(1, null, '2026-03-11T10:01:02Z'), 'not_found', 'one without a key is not');
rollback to called;

-- A call offers no keys if none can come back.
update kith.channel_credentials set summary = summary - 'callback_field' where channel = 'voice';
select is(
  tests.key(1, null, '2026-03-11T09:01:10Z'), 'asked | This is PRUUF. Are you safe? Please say so in PRUUF, or by the link in our message. | false',
  'without an address for reports the call names another way'
);
rollback to fresh;

-- A text that nearly calls for help.
do $$ begin for v_n in 1..35 loop perform tests.text('OK', '2026-03-11T09:05Z'::timestamptz + v_n * interval '1 second', 'SM' || v_n); end loop; end $$;
select is(tests.text('HEEELP', '2026-03-11T09:06Z', 'SM50'), 'not_understood', 'a text that nearly calls for help is no check-in');
select is(
  (select body from kith.deliveries where purpose = 'answer' order by created_at desc, id desc limit 1), 'Do you need help? Reply SOS',
  'it is asked back, though the answers of the day are used up'
);
do $$ begin for v_n in 51..65 loop perform tests.text('HEEELP', '2026-03-11T09:07Z'::timestamptz + v_n * interval '1 second', 'SM' || v_n); end loop; end $$;
select is((select count(*) from kith.deliveries where purpose = 'answer' and body like 'Do you need%'), 10::bigint, 'ten times an hour');
select is(tests.text('STOP', '2026-03-11T09:20Z', 'SM70'), 'stop', 'STOP, when the answers of the day are used up,');
select matches(
  (select body from kith.deliveries where purpose = 'answer' order by created_at desc, id desc limit 1), '^No more texts', 'is confirmed all the same'
);
select is(tests.text('SOS', '2026-03-11T09:21Z', 'SM71'), 'help', 'a call for help counts after it,');
select is((select count(*) from kith.deliveries where purpose = 'answer' and body like '%need help. If%'), 0::bigint, 'without an answer');
rollback to fresh;
select tests.text('SOS', '2026-03-11T09:05Z', 'SM1'), tests.text('2', '2026-03-11T09:06Z', 'SM2') \g /dev/null
select is(
  (select body from kith.deliveries where purpose = 'answer' order by created_at desc, id desc limit 1),
  'Your call for help goes on. If you no longer need help, reply SAFE.', '"2" during one''s own call for help is answered'
);
select tests.text('what?', '2026-03-11T09:07Z', 'SM3') \g /dev/null
select is(
  (select string_agg(distinct body, '; ') from kith.deliveries where purpose = 'answer' and created_at > '2026-03-11T09:06:30Z'),
  'Your call for help goes on. If you no longer need help, reply SAFE.', 'and nobody is advised to say OK, which is refused'
);
rollback to fresh;

-- A provider that refuses a number has heard STOP.
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
values (tests.tenant('acme'), 'sms', '{"inbound": {}}', '\x00', '2026-03-01T00:00Z', '2026-03-01T00:00Z');
insert into kith.deliveries (tenant_id, id, channel, purpose, address, body, next_attempt_at, expires_at, created_at)
values (tests.tenant('acme'), internal.uuid7('2026-03-11T09:10Z'), 'sms', 'sign_in_code', '+4915112345678', '{code}', '2026-03-11T09:10Z', '2026-03-11T09:20Z', '2026-03-11T09:10Z');
select tests.as_role('kith_worker');
select worker.finish_deliveries(
  '2026-03-11T09:10:02Z', 'w1',
  (
    select jsonb_agg(jsonb_build_object('tenant_id', tenant_id, 'id', id, 'outcome', 'opted_out', 'error', 'code 21610'))
    from worker.claim_deliveries('2026-03-11T09:10:01Z', 'sms', 10, 10, 0, '{}', '{}', 'w1')
  )
) \g /dev/null
select tests.as_superuser();
select is((select stopped_at from kith.text_numbers where phone = '+4915112345678')::timestamptz, '2026-03-11T09:10:02Z'::timestamptz, 'a refusal of the number is STOP');
select is(
  (select string_agg(type, ' ') from kith.notifications where user_id = tests.id('bob') and type = 'sender_unreachable'), 'sender_unreachable',
  'and the receivers hear that nobody can ask'
);
select is(tests.text('START', '2026-03-11T09:12Z', 'SM5'), 'start', 'START');
select is((select stopped_at from kith.text_numbers where phone = '+4915112345678')::timestamptz, null::timestamptz, 'ends that');
select * from finish();
rollback;
