-- The tenant's desk (K09), and what operators see and do; who is told through quiet hours and how loud (K00); the end of accounts.
begin;
\ir people.sql
\ir alarm_house.sql
select plan(90);
create function tests.desk(p_tenant text, p_act text, p_now timestamptz, p_body jsonb default '{"by": "Dana"}') returns jsonb
  language plpgsql
as $$
declare
  v_id uuid := tests.alarm_id();
  v_answer json;
begin
  perform tests.as_server(p_tenant);
  case p_act
    when 'list' then v_answer := api.list_tenant_alarms(p_body ->> 'status', 50, null, p_now);
    when 'get' then v_answer := api.get_tenant_alarm(v_id, p_now);
    when 'take' then v_answer := api.take_tenant_alarm(v_id, p_body ->> 'by', p_body, p_now);
    when 'resolve' then v_answer := api.resolve_tenant_alarm(v_id, p_body ->> 'by', p_body ->> 'outcome', p_body ->> 'note', p_body ->> 'seen_at', p_now);
    when 'reopen' then v_answer := api.reopen_tenant_alarm(v_id, p_body ->> 'by', null, p_body ->> 'from', p_now);
    when 'notes' then v_answer := api.note_tenant_alarm(v_id, p_body ->> 'by', p_body ->> 'body', p_now);
  end case;
  perform tests.as_superuser();
  return v_answer;
exception when others then
  perform tests.as_superuser();
  return to_jsonb(sqlerrm);
end
$$;

-- A desk that does not exist takes nothing over: the tenant has neither a key for alarms nor an endpoint that takes them.
create function tests.unknown_at(p_now timestamptz) returns bigint
  language sql
as $$
  select count(*) from internal.untold_alarms(p_now)
$$;
create function tests.endpoint(p_types text[], p_disabled_at timestamptz default null) returns void
  language sql
as $$
  insert into kith.webhooks (
    tenant_id, id, url, types, sealed_secrets, taken_xid, taken_at, next_attempt_at, created_at, updated_at, disabled_at, disabled_reason
  )
  values (
    tests.tenant('acme'), gen_random_uuid(), 'https://acme.example', p_types, '\x00', pg_current_xact_id(), '2026-03-01Z', '2026-03-01Z', '2026-03-01Z',
    '2026-03-01Z', p_disabled_at, case when p_disabled_at is not null then 'gone' end
  )
$$;
savepoint no_desk;
-- The desk's word is told as a receiver's is, under a name that is nobody else's, of what it has read.
select tests.employ_desk('2026-03-01T08:00Z') \g /dev/null
select tests.does('alice', format($$api.put_alarm_plan('{"tiers": [{"after_minutes": 0, "receivers": ["%s"]}, {"after_minutes": 30}]}'::jsonb, '2026-03-01T08:00Z')$$, tests.id('alice-bob'))) \g /dev/null
select tests.miss('2026-03-02') \g /dev/null
select is(tests.desk('acme', 'resolve', '2026-03-02T10:31Z', '{"by": "Bob", "outcome": "safe"}') ->> 'outcome', 'safe', 'somebody of the desk who is called as a receiver ends an alarm');
select is(tests.act('alice', 'get', '2026-03-02T10:31Z') #>> '{resolved_by,display_name}', 'Bob (staff)', 'and is not taken for them');
select is(tests.body('carol', 'alarm_resolved'), 'Bob (staff) reached Alice: they''re safe. There was no check-in.', 'the later tier hears it');
select is((select data ? 'breaks' from kith.notifications where user_id = tests.id('carol') and type = 'alarm_resolved'), true, 'as urgently as it would have heard of the miss');
select is(tests.act('carol', 'reopen', '2026-03-02T10:32Z') ->> 'status', 'open', 'and can open the alarm again');
select tests.help('alice', '2026-03-02T10:40Z') \g /dev/null
select is(tests.desk('acme', 'resolve', '2026-03-02T10:41Z', '{"by": "Dana", "outcome": "safe"}'), '"invalid_transition"', 'the desk ends nothing that has grown since it opened without saying what it has read');
select is(tests.desk('acme', 'resolve', '2026-03-02T10:41Z', '{"by": "Dana", "outcome": "safe", "seen_at": "2026-03-02T10:40:30Z"}') ->> 'outcome', 'safe', 'and ends it with that');
rollback to no_desk;
select tests.does('alice', $$api.put_alarm_plan('{"tiers": [{"after_minutes": 0}, {"after_minutes": 15, "desk": true}]}'::jsonb, '2026-03-01T08:00Z')$$) \g /dev/null
select tests.miss('2026-03-02') \g /dev/null
savepoint missed;
select tests.does('bob', format($$api.remove_connection(%L, '2026-03-02T10:31Z')$$, tests.id('alice-bob'))) \g /dev/null
select tests.does('carol', $$api.remove_connection('0c000000-0000-7000-8000-000000000002', '2026-03-02T10:31Z')$$) \g /dev/null
select tests.tell('2026-03-02T10:45Z') \g /dev/null
select is((select desk_told_at from kith.alarms), null, 'a desk that does not exist is not told');
select is((select count(*) from kith.alarm_entries where kind = 'desk_told'), 0::bigint, 'and no timeline says so');
select is(tests.alarm('2026-03-02T10:46Z') ->> 'status', 'open', 'the alarm stays open');
select is(tests.unknown_at('2026-03-02T10:46Z'), 1::bigint, 'and the operator hears that nobody knows of it');
select tests.employ_desk('2026-03-02T10:50Z') \g /dev/null
select tests.tell('2026-03-02T11:00Z') \g /dev/null
select is((select desk_told_at from kith.alarms), '2026-03-02T11:00Z', 'a desk that comes later is told then');
select is(tests.unknown_at('2026-03-02T11:05Z'), 0::bigint, 'it has 5 minutes');
select is(tests.unknown_at('2026-03-02T11:05:01Z'), 1::bigint, 'after which it does not count as knowing, if its key was not used');
update kith.api_keys set last_used_at = '2026-03-02T11:10Z';
select is(tests.unknown_at('2026-03-02T11:11Z'), 0::bigint, 'as it does if it was');
update kith.api_keys set revoked_at = '2026-03-02T11:12Z';
select is(tests.unknown_at('2026-03-02T11:13Z'), 1::bigint, 'and is not revoked');
select tests.desk('acme', 'notes', '2026-03-02T11:14Z', '{"by": "Dana", "body": "We drive there"}') \g /dev/null
select is(tests.unknown_at('2026-03-02T11:15Z'), 0::bigint, 'whoever of the desk has done something knows of it');
rollback to missed;
-- Endpoints.
select tests.endpoint('{ping}'), tests.endpoint('{}', '2026-03-01Z') \g /dev/null
select tests.tell('2026-03-02T10:45:00Z') \g /dev/null
select is((select desk_told_at from kith.alarms), null, 'neither an endpoint that takes no alarms is a desk, nor one that is disabled');
select tests.act('bob', 'take', '2026-03-02T10:46Z') \g /dev/null
select tests.tell('2026-03-02T12:46Z') \g /dev/null
select is((select desk_told_at from kith.alarms), null, 'nor later');
rollback to missed;
select tests.endpoint('{alarm}') \g /dev/null
select tests.tell('2026-03-02T10:45Z') \g /dev/null
select is((select desk_told_at from kith.alarms), '2026-03-02T10:45Z', 'one that takes them is');
update kith.alarm_receivers set left_at = '2026-03-02T10:46Z';
-- As internal.wake_webhooks leaves an endpoint that has news and does not take it.
update kith.webhooks set taken_at = '2026-03-02T10:45:01Z', attempts = 9;
select is(tests.unknown_at('2026-03-02T10:51Z'), 1::bigint, 'one that does not answer knows of nothing');
update kith.webhooks set taken_at = '2026-03-02T10:44Z', last_success_at = '2026-03-02T10:45:01Z';
select is(tests.unknown_at('2026-03-02T10:51Z'), 1::bigint, 'nor one that has only taken what was before');
update kith.webhooks set taken_at = '2026-03-02T10:45Z';
select is(tests.unknown_at('2026-03-02T10:51Z'), 0::bigint, 'but one that has taken the event');
update kith.webhooks set disabled_at = '2026-03-02T10:50Z', disabled_reason = 'gone';
select is(tests.unknown_at('2026-03-02T10:51Z'), 1::bigint, 'and goes on taking what comes');
rollback to no_desk;
-- A call for help with the desk alone.
select tests.does('alice', $$api.put_alarm_plan('{"tiers": [{"after_minutes": 0, "desk": true}]}'::jsonb, '2026-03-01T08:00Z')$$) \g /dev/null
update kith.connections set status = 'deleted', deleted_at = '2026-03-01Z' where sender_id = tests.id('alice');
select tests.help('alice', '2026-03-02T08:00Z') \g /dev/null
select tests.tell('2026-03-02T08:00Z') \g /dev/null
select is((select desk_told_at from kith.alarms), null, 'a call for help tells no desk that does not exist');
select is(tests.unknown_at('2026-03-02T08:06Z'), 1::bigint, 'and is known to nobody');
select tests.employ_desk('2026-03-02T08:07Z') \g /dev/null
select tests.help('alice', '2026-03-02T08:08Z') \g /dev/null
select is((select desk_told_at from kith.alarms), '2026-03-02T08:08Z', 'the next one tells the desk that does');
select is(tests.unknown_at('2026-03-02T08:14Z'), 1::bigint, 'which has to show that it knows');
rollback to no_desk;

select tests.miss('2026-03-02') \g /dev/null
select is(tests.desk('acme', 'list', '2026-03-02T10:31Z') #>> '{items,0,status}', 'open', 'the desk sees every alarm, with or without a tier of its own');
select is(tests.desk('acme', 'list', '2026-03-02T10:31Z') #>> '{items,0,role}', 'desk', 'as the desk');
select is(tests.desk('acme', 'list', '2026-03-02T10:31Z') #>> '{items,0,timeline,1,person,display_name}', 'Bob', 'with all names');
select is(tests.desk('acme', 'list', '2026-03-02T10:31Z', '{"status": "taken"}') #>> '{items}', '[]', 'by status');
select is(tests.desk('globex', 'list', '2026-03-02T10:31Z') #>> '{items}', '[]', 'and no other tenant''s');
select is(tests.desk('globex', 'take', '2026-03-02T10:31Z'), '"not_found"', 'nor takes one');
select is(tests.answer('select 1', 'bob', format($$ api.take_tenant_alarm(%L, 'Bob', '{}', '2026-03-02T10:31Z') $$, tests.alarm_id())), 'forbidden', 'a user is no desk');
select is(tests.desk('acme', 'take', '2026-03-02T10:31Z', '{"by": " "}'), '"validation_failed"', 'the person has a name');
select is(tests.desk('acme', 'take', '2026-03-02T10:32Z') ->> 'status', 'taken', 'Dana takes it');
select tests.as_role('kith_admin') \g /dev/null
select is((select taken_by from admin.alarms), 'the desk: Dana', 'operators read who of the desk has it');
select tests.as_superuser() \g /dev/null
select is(tests.body('carol', 'alarm_taken'), 'Dana is looking after it.', 'everybody reads her name');
select is(tests.body('alice', 'alarm_taken'), 'Dana is looking after it.', 'the sender too');
select is((tests.act('bob', 'take', '2026-03-02T10:33Z') -> 'taken_by')::text, '{"id" : null, "display_name" : "Dana", "desk" : true}', 'a receiver who comes later as well');
select is(tests.desk('acme', 'take', '2026-03-02T10:33Z', '{"by": "Erik"}') ->> 'problem', 'alarm_taken', 'a colleague is the second');
select is(
  tests.desk('acme', 'take', '2026-03-02T10:33:30Z', '{"by": "Erik", "from": "Frida"}') ->> 'problem', 'alarm_taken', 'nobody takes over from somebody who has it not'
);
select is(tests.desk('acme', 'take', '2026-03-02T10:33:30Z', '{"by": "Erik", "from": "Dana"}') #>> '{taken_by,display_name}', 'Erik', 'a colleague takes it over from her');
select is(tests.desk('acme', 'get', '2026-03-02T10:33:31Z') ->> 'taken_until', '2026-03-02T11:03:30.000000Z', 'with the time anew');
select is(tests.body('carol', 'alarm_taken'), 'Dana is looking after it.', 'of which nobody else is told');
select is(tests.desk('acme', 'take', '2026-03-02T10:33:40Z', '{"by": "Dana", "from": "Erik"}') #>> '{taken_by,display_name}', 'Dana', 'and gives it back');
select is(tests.desk('globex', 'get', '2026-03-02T10:33:41Z'), '"not_found"', 'no other tenant''s desk reads it');
select is(tests.answer('select 1', 'bob', format($$ api.get_tenant_alarm(%L, '2026-03-02T10:31Z') $$, tests.alarm_id())), 'forbidden', 'nor does a user as the desk');
select is(tests.desk('acme', 'get', '2026-03-02T10:33:42Z') ->> 'time_zone', 'UTC', 'the desk reads where the sender is');
select is(tests.desk('acme', 'reopen', '2026-03-02T10:33:42Z', '{"by": "Erik", "from": "Erik"}'), '"invalid_transition"', 'nobody gives back what a colleague has');
select is(tests.desk('acme', 'get', '2026-03-02T10:33:42Z') -> 'call', 'null', 'a number that nobody has confirmed is none');
update kith.users set phone = '+4915112345671', phone_verified_at = '2026-01-05Z' where id = tests.id('alice');
select is(tests.desk('acme', 'get', '2026-03-02T10:33:42Z') #>> '{call,phone}', '+4915112345671', 'the desk can call the sender');
select is(tests.desk('acme', 'list', '2026-03-02T10:33:42Z') #> '{items,0,call}', 'null', 'by the alarm itself, not by a list');
update kith.users set phone = null, phone_verified_at = null where id = tests.id('alice');
select is(tests.desk('acme', 'notes', '2026-03-02T10:34Z', '{"by": "Dana", "body": "We drive there"}') #>> '{timeline,-1,note}', 'We drive there', 'a note');
select is(tests.act('bob', 'get', '2026-03-02T10:35Z') #>> '{timeline,-1,person,display_name}', 'Dana', 'is in the timeline of all');
select is(
  tests.act('bob', 'get', '2026-03-02T10:35Z')::jsonb #> '{timeline,-1}',
  '{"at": "2026-03-02T10:34:00.000000Z", "kind": "noted", "note": "We drive there", "person": {"id": null, "desk": true, "display_name": "Dana"}}',
  'with the id null, which she has not, and without members that say nothing'
);
select is(tests.desk('acme', 'resolve', '2026-03-02T10:36Z', '{"by": "Dana", "outcome": "safe"}') ->> 'outcome', 'safe', 'the desk ends it');
select is(tests.body('bob', 'alarm_resolved'), 'Dana reached Alice: they''re safe.', 'everybody learns who said so');
select is((select array_agg(action order by id) from kith.audit where action like 'alarm.%'), array['alarm.take', 'alarm.take', 'alarm.take', 'alarm.note', 'alarm.resolve'], 'the acts of a key are in the audit');
select is((select array_agg(detail ->> 'by' order by id) from kith.audit where action like 'alarm.%'), array['Dana', 'Erik', 'Dana', 'Dana', 'Dana'], 'with the name of the person (K12)');

-- Operators.
select tests.miss('2026-03-03') \g /dev/null
select tests.as_role('kith_admin') \g /dev/null
select is(
  (select string_agg(concat_ws(' ', kind, coalesce(outcome, '-'), resolved_by_desk), ', ' order by opened_at) from admin.alarms), 'missed safe Dana, missed -',
  'operators see alarms'
);
select throws_ok('select note from kith.alarm_entries', '42501', null, 'but not what people write');
select throws_ok('select sealed_card from kith.care_cards', '42501', null, 'nor care cards');
select throws_ok($$ update kith.alarms set outcome = 'safe' $$, '42501', null, 'and change none');
select is(
  admin.end_alarm('acme', tests.alarm_id(), 'a test', p_now => '2026-03-03T10:40Z'),
  format('the alarm is over; nobody is told, and no ping has changed: select * from admin.story_of_alarm(''acme'', %L)', tests.alarm_id()),
  'they end one that should not be there'
);
select throws_ok(format($$ select admin.end_alarm('acme', %L, 'a test', p_now => '2026-03-03T10:41Z') $$, tests.alarm_id()), 'KT409', null, 'once');
select throws_ok($$ select admin.end_alarm('acme', tests.id('bob'), 'a test', p_now => '2026-03-03T10:41Z') $$, 'KT404', null, 'one that exists');
select tests.as_superuser() \g /dev/null
select is(tests.alarm('2026-03-03T10:42Z') ->> 'outcome', 'expired', 'it has no better outcome than time');
select matches(
  tests.alarm('2026-03-03T10:42Z') ->> 'state', 'It was closed without an outcome. Since .* nobody is told of it any more.', 'and is not said to have lasted a week'
);
select tests.help('bob', '2026-03-03T11:00Z') \g /dev/null
select throws_ok(
  $$ select admin.end_alarm('acme', (select id from kith.alarms where kind = 'help'), 'a test', p_now => '2026-03-03T11:01Z') $$, 'KT422', 'validation_failed',
  'a call for help ends only with the name of its caller'
);
select lives_ok(
  $$ select admin.end_alarm('acme', (select id from kith.alarms where kind = 'help'), 'a test', 'Bob', '2026-03-03T11:01Z') $$,
  'which whoever ends it has read'
);

-- Quiet hours and loudness.
insert into kith.quiet_hours (tenant_id, user_id, starts_at, ends_at, updated_at)
values (tests.tenant('acme'), tests.id('bob'), '10:00', '12:00', '2026-03-01T00:00Z');
select tests.miss('2026-03-04') \g /dev/null
delete from kith.notifications where type <> 'alarm_taken';
select tests.act('carol', 'take', '2026-03-04T10:31Z') \g /dev/null
select is((select data ? 'breaks' from kith.notifications where user_id = tests.id('bob') and type = 'alarm_taken' order by id desc limit 1), true, 'whom the alarm woke hears that somebody looks');
delete from kith.quiet_hours;
delete from kith.notifications;
select tests.act('carol', 'resolve', '2026-03-04T10:32Z', '{"outcome": "safe"}') \g /dev/null
select is((select data ? 'breaks' from kith.notifications where user_id = tests.id('bob') and type = 'alarm_resolved'), false, 'others read it when their quiet hours end');
select is(internal.louder_channels(person, null, 1), array['push', 'email', 'sms', 'voice'], 'who has no channel is tried on all')
from kith.users as person where id = tests.id('bob');
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
select tests.tenant('acme'), channel, '{}', '\x00', '2026-01-05T08:00Z', '2026-01-05T08:00Z' from unnest(array['sms', 'email', 'apns']) as channel;
insert into kith.devices (tenant_id, token, user_id, platform, environment, created_at, last_seen_at)
values (tests.tenant('acme'), 'bobs-phone', tests.id('bob'), 'ios', 'production', '2026-01-05T08:00Z', '2026-01-05T08:00Z');
update kith.users set email = 'bob@example.com', email_verified_at = '2026-01-05T08:00Z', phone = '+4915100000001', phone_verified_at = '2026-01-05T08:00Z'
where tenant_id = tests.tenant('acme') and id = tests.id('bob');
select is(
  array(select internal.louder_channels(person, null, n) from generate_series(1, 3) as n),
  array[array['sms'], array['sms'], array['sms']], 'after push and e-mail comes a text'
)
from kith.users as person where tenant_id = tests.tenant('acme') and id = tests.id('bob');
select is(internal.louder_channels(person, array['push', 'email'], 1), array['email'], 'unless the person has turned it off')
from kith.users as person where tenant_id = tests.tenant('acme') and id = tests.id('bob');
insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
values (tests.tenant('acme'), tests.id('bob'), 'ping_missed', '{push}', '2026-03-01T00:00Z');
select is(
  array(select internal.louder_channels(person, null, n) from generate_series(1, 3) as n),
  array[array['email'], array['sms'], array['sms']], 'whoever chose pushes gets an e-mail first, whatever they prefer'
)
from kith.users as person where tenant_id = tests.tenant('acme') and id = tests.id('bob');

-- Metrics.
select is(api.alarm_metrics('2026-03-04T09:00Z')::jsonb, '{"open": 0, "taken": 0, "oldest_open_seconds": 0, "oldest_notice_seconds": 0}', 'without alarms there is nothing to count');
select tests.miss('2026-03-06') \g /dev/null
select is(api.alarm_metrics('2026-03-06T10:40:10Z')::jsonb, '{"open": 1, "taken": 0, "oldest_open_seconds": 600, "oldest_notice_seconds": 0}', 'an open alarm has an age');
select is(api.alarm_metrics('2026-03-06T11:10Z') ->> 'oldest_notice_seconds', '600', 'the worker may be late');
select tests.act('bob', 'take', '2026-03-06T10:41Z') \g /dev/null
select is(api.alarm_metrics('2026-03-06T10:42Z')::jsonb, '{"open": 0, "taken": 1, "oldest_open_seconds": 0, "oldest_notice_seconds": 0}', 'a taken one has none');
select tests.check_in('alice', '2026-03-06T10:43Z') \g /dev/null

-- Accounts end.
select tests.miss('2026-03-07') \g /dev/null
select tests.act('bob', 'take', '2026-03-07T10:31Z') \g /dev/null
select tests.act('bob', 'notes', '2026-03-07T10:32Z', '{"body": "Bob was here"}') \g /dev/null
delete from kith.notifications;
select tests.as_user('acme', 'bob') \g /dev/null
select api.delete_me('delete', '2026-03-07T10:33Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.alarm('2026-03-07T10:34Z') ->> 'status', 'open', 'when the taker''s account ends, the alarm is open again');
select is(tests.told('alarm_reopened'), 'Alice, Carol', 'and the others are told, and the sender');
select is((select count(*) from kith.alarm_entries where note ~ 'Bob'), 0::bigint, 'nothing is left of what they wrote');
select is(tests.act('carol', 'get', '2026-03-07T10:34Z')::text ~ '"Bob', false, 'nor of their name');
select is(tests.act('alice', 'get', '2026-03-07T10:34Z')::text ~ 'Someone', true, 'the sender reads "Someone"');
insert into kith.care_cards (tenant_id, user_id, sealed_key, sealed_card, updated_at) values (tests.tenant('acme'), tests.id('alice'), '\x00', '\x00', '2026-03-07T10:00Z');
select tests.as_user('acme', 'alice') \g /dev/null
select api.delete_me('delete', '2026-03-07T10:40Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is((select count(*) from kith.alarms where sender_id = tests.id('alice')), 0::bigint, 'the alarms of an account end with it');
select is((select count(*) from kith.alarm_receivers) + (select count(*) from kith.care_cards), 0::bigint, 'with all that belongs to them');
select is(tests.answer('select 1', 'carol', $$ api.list_alarms(null, null, 10, null, '2026-03-07T10:41Z') -> 'items' $$), '[]', 'for the receivers too');
select * from finish();
rollback;
