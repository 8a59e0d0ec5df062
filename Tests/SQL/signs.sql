-- Signs: secret addresses of a person's things (J04), and how a check-in came (J05).
begin;
\ir people.sql
\ir emergency_house.sql
select plan(86);

create function tests.sign(p_person text, p_body jsonb, p_now timestamptz default '2026-03-10T07:00Z') returns jsonb
  language plpgsql
as $$
declare
  v_answer jsonb;
begin
  perform tests.as_user('acme', p_person);
  v_answer := api.create_sign(p_body, 'https://kith.example', p_now);
  perform tests.as_superuser();
  return v_answer;
end
$$;
-- What the server does with a request for the address of a sign.
create function tests.report(p_url text, p_now timestamptz, p_is_get boolean default false) returns text
  language plpgsql
as $$
declare
  v_token text := substr(p_url, length('https://kith.example/s/') + 1);
  v_answer json;
begin
  perform tests.as_role('kith_api');
  v_answer := api.report_sign(split_part(v_token, '-', 1)::integer, sha256(convert_to(v_token, 'UTF8')), p_is_get, p_now);
  perform tests.as_superuser();
  return case when v_answer is null then 'not by get' else 'ok' end;
exception when others then
  perform tests.as_superuser();
  return sqlerrm;
end
$$;
create function tests.connection(p_person text, p_now timestamptz default '2026-03-10T09:30Z') returns json
  language plpgsql
as $$
declare
  v_answer json;
begin
  perform tests.as_user('acme', p_person);
  v_answer := api.get_connection(tests.id('alice-bob'), p_now);
  perform tests.as_superuser();
  return v_answer;
end
$$;
create function tests.share(p_person text, p_is_shared boolean, p_now timestamptz default '2026-03-10T09:15Z') returns json
  language plpgsql
as $$
declare
  v_answer json;
begin
  perform tests.as_user('acme', p_person);
  v_answer := api.update_connection(tests.id('alice-bob'), jsonb_build_object('share_activity', p_is_shared), p_now);
  perform tests.as_superuser();
  return v_answer;
end
$$;

-- Making and ending.
select tests.sign('alice', '{"name": " Kitchen button ", "kind": "check_in"}') as button \gset
select tests.sign('alice', '{"name": "Front door", "kind": "activity", "allow_get": true}') as door \gset
select :'button'::jsonb ->> 'url' as button_url, :'door'::jsonb ->> 'url' as door_url \gset
select is(:'button'::jsonb - array['id', 'url'], '{"name": "Kitchen button", "kind": "check_in", "allow_get": false, "last_used_at": null, "stuck": false}'::jsonb,
  'a new sign has a name without spaces around it, and no GET');
select matches(:'button_url'::text, '^https://kith\.example/s/2000000001-[0-9a-f]{32}$', 'its address names the tenant, and has 122 random bits');
select is((select count(*) from kith.signs where token_hash = sha256(convert_to(substr(:'button_url', 24), 'UTF8'))), 1::bigint, 'only the hash of the token is kept');
select tests.as_user('acme', 'alice');
select is(json_array_length(api.list_signs() -> 'items'), 2, 'the owner sees their signs');
select is(api.list_signs()::text like '%"url"%', false, 'the address is shown once');
select throws_ok('select token_hash from kith.signs', '42501', null, 'the API''s role cannot read a hash');
select is(json_array_length(api.export_me(null, '2026-03-10T08:00Z') -> 'value' -> 'signs'), 2, 'the export has them');
select throws_ok($$ select api.create_sign('{"name": "‮", "kind": "activity"}', '', '2026-03-10T07:00Z') $$, 'KT422', null, 'a name must be visible');
select tests.as_user('acme', 'bob');
select is(json_array_length(api.list_signs() -> 'items'), 0, 'nobody else sees them');
select throws_ok(format('select api.delete_sign(%L, %L)', :'door'::jsonb ->> 'id', '2026-03-10T07:00Z'), 'KT404', null, 'nor ends them');
select tests.as_superuser();
select is(
  (select count(*) from generate_series(1, 8) as n, lateral tests.sign('alice', jsonb_build_object('name', 'Thing ' || n, 'kind', 'activity'))), 8::bigint,
  'a person can have ten'
);
select throws_ok($$ select tests.sign('alice', '{"name": "One more", "kind": "activity"}') $$, 'KT507', null, 'and no more');
select tests.as_superuser();

-- A button counts as a check-in.
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
select tests.tenant('acme'), '2026-03-10', id, internal.uuid7('2026-03-10T09:00Z'), sender_id, receiver_id, 'due', '2026-03-10T09:00Z', '2026-03-10T10:30Z'
from kith.connections where id = tests.id('alice-bob');
select is(tests.report(:'button_url', '2026-03-10T09:05Z', true), 'not by get', 'a GET of a link that was not meant for it does nothing');
select is((select status from kith.pings), 'due', 'whoever follows a link checks nobody in');
select is(tests.report(:'button_url', '2026-03-10T09:05Z'), 'ok', 'a press is answered');
select is((select status from kith.pings), 'completed', 'it completes the ping');
select is((select array_agg((user_id, received_at, source)::text) from kith.check_ins), array[format('(%s,"2026-03-10 09:05:00+00",sign)', tests.id('alice'))],
  'it is kept as a check-in by a thing');
select is((select count(*) from kith.notifications where user_id = tests.id('bob') and type = 'ping_completed'), 1::bigint, 'the receiver is told');
select is(tests.connection('bob') ->> 'last_check_in_source', 'sign', 'and sees how it came');
select is(tests.connection('alice') ->> 'last_check_in_source', 'sign', 'as the sender does');
select is(tests.report(:'button_url', '2026-03-10T09:05:59Z'), 'ok', 'a second press within a minute is answered too');
select is((select count(*) from kith.check_ins), 1::bigint, 'and is merged with the first');
select is(tests.report(:'button_url', '2026-03-10T09:06Z'), 'ok', 'after a minute');
select is((select count(*) from kith.check_ins), 2::bigint, 'it counts again');
select is((select last_used_at from kith.signs where name = 'Kitchen button'), '2026-03-10T09:06Z', 'its last use is kept');

select is(tests.report(:'button_url', '2026-03-10T09:06:59Z'), 'ok', 'a bounce');
select is((select count(*) from kith.check_ins), 2::bigint, 'changes nothing');

-- A press is never merged where it would change something.
savepoint pressed;
delete from kith.check_ins;
update kith.sender_profiles set last_check_in_at = null;
update kith.pings set status = 'scheduled', scheduled_at = '2026-03-10T09:10Z', completed_at = null, check_in_id = null;
update kith.connections set status = 'paused' where id = tests.id('alice-bob');
update kith.pings set status = 'cancelled';
select is(tests.report(:'button_url', '2026-03-10T09:09:38Z'), 'ok', 'a press shortly before the window opens, on a day without a ping');
update kith.pings set status = 'due';
select is(tests.report(:'button_url', '2026-03-10T09:10:10Z'), 'ok', 'and one 32 seconds later, in the window');
select is((select status || ' ' || completed_at from kith.pings), 'completed 2026-03-10 09:10:10+00', 'which counts');
select is((select array_agg(received_at order by received_at) from kith.check_ins)::timestamptz[], array['2026-03-10T09:09:38Z', '2026-03-10T09:10:10Z']::timestamptz[], 'both are kept');
update kith.pings set status = 'scheduled', scheduled_at = '2026-03-10T09:20Z', completed_at = null, check_in_id = null;
select is(tests.report(:'button_url', '2026-03-10T09:10:20Z'), 'ok', 'a ping that comes back within the same minute');
select is((select status || ' ' || completed_at from kith.pings), 'completed 2026-03-10 09:10:20+00', 'is completed early');
update kith.pings set status = 'due', scheduled_at = '2026-03-10T09:10Z', completed_at = null, check_in_id = null;
select is(tests.report(:'button_url', '2026-03-10T09:10:30Z'), 'ok', 'one that is open');
select is((select status || ' ' || completed_at from kith.pings), 'completed 2026-03-10 09:10:30+00', 'is completed');
update kith.pings set status = 'missed', deadline_at = '2026-03-10T09:10:35Z', completed_at = null, check_in_id = null;
select is(tests.report(:'button_url', '2026-03-10T09:10:50Z'), 'ok', 'one that was missed');
select is((select status || ' ' || completed_at from kith.pings), 'completed_late 2026-03-10 09:10:50+00', 'is completed late');
select is((select count(*) from kith.check_ins), 5::bigint, 'each such press is kept');
select is(tests.report(:'button_url', '2026-03-10T09:10:51Z'), 'ok', 'one more');
select is((select count(*) from kith.check_ins), 5::bigint, 'is merged');
select tests.ask(1, '2026-03-10T09:10:52Z') \g /dev/null
update kith.emergency_requests set sources = '{sign}';
update kith.sender_profiles set emergency_since = '2026-03-10T09:10:52Z' where user_id = tests.id('alice');
select is(tests.report(:'button_url', '2026-03-10T09:10:53Z'), 'ok', 'a press a second after Bob asked');
select is((select end_reason from kith.emergency_requests), 'owner_returned', 'rejects him');
-- The first ones of a sender who has no profile.
update kith.sender_profiles set ended_at = '2026-03-10T09:10:54Z' where user_id = tests.id('alice');
select tests.ask(1, '2026-03-10T09:10:55Z') \g /dev/null
update kith.emergency_requests set sources = '{sign}';
select is(tests.report(:'button_url', '2026-03-10T09:10:56Z'), 'ok', 'a press of somebody who is no sender any more');
select is((select end_reason from kith.emergency_requests), 'owner_returned', 'counts too');
rollback to pressed;
insert into kith.asks (tenant_id, id, connection_id, sender_id, receiver_id, asked_at, answer_by)
values (tests.tenant('acme'), '0a500000-0000-7000-8000-000000000001', tests.id('alice-bob'), tests.id('alice'), tests.id('bob'),
  '2026-03-10T09:06:20Z', '2026-03-10T09:36:20Z');
select is(tests.report(:'button_url', '2026-03-10T09:06:59Z'), 'ok', 'a press within the same minute, after a receiver asked');
select is((select is_answered from kith.asks), true, 'answers');
rollback to pressed;

-- An activity never counts.
delete from kith.check_ins;
delete from kith.notifications;
delete from kith.events;
update kith.pings set status = 'due', completed_at = null, check_in_id = null;
select is(tests.report(:'door_url', '2026-03-10T09:10Z', true), 'ok', 'a GET counts where the owner allows it');
select is((select status from kith.pings), 'due', 'an activity completes no ping');
select is((select count(*) from kith.check_ins), 0::bigint, 'and is no sign of life');
select is((select count(*) from kith.notifications), 0::bigint, 'it tells nobody');
select is((select count(*) from kith.events), 0::bigint, 'and shows nothing while it is not shared');
select is(tests.connection('bob') ->> 'last_sign', null::text, 'a receiver sees no activity');
select is(tests.connection('bob') ->> 'share_activity', null::text, 'nor whether it is shared');
select is(tests.connection('alice') ->> 'share_activity', 'false', 'the sender sees that it is not');
select throws_ok($$ select tests.share('bob', true) $$, 'KT403', null, 'a receiver cannot share it with themselves');
select tests.as_superuser();
select is(tests.share('alice', true) ->> 'share_activity', 'true', 'the sender shares it');
select is(tests.connection('bob') ->> 'last_sign', null::text, 'but not what happened before');
select tests.as_user('acme', 'alice') \g /dev/null
select is(
  (select connection ->> 'share_activity' from json_array_elements((internal.exported_connections(null, 10)).items) as connection
   where connection ->> 'id' = tests.id('alice-bob')::text), 'true', 'the sender''s export says that it is shared'
);
select tests.as_user('acme', 'bob') \g /dev/null
select is(
  (select connection ->> 'share_activity' from json_array_elements((internal.exported_connections(null, 10)).items) as connection
   where connection ->> 'id' = tests.id('alice-bob')::text), null, 'the receiver''s does not'
);
select tests.as_superuser() \g /dev/null
delete from kith.events;
select is(tests.report(:'door_url', '2026-03-10T09:20Z'), 'ok', 'the door opens again');
select is((tests.connection('bob') -> 'last_sign')::jsonb, jsonb_build_object('at', internal.instant('2026-03-10T09:20Z'), 'kind', 'activity', 'name', 'Front door'),
  'the receiver sees that');
select is((select array_agg(user_id::text || ' ' || type) from kith.events), array[tests.id('bob') || ' connection'], 'the receiver''s screen shows it at once');
select is(tests.report(:'door_url', '2026-03-10T09:20:30Z'), 'ok', 'and again within the minute');
select is((select count(*) from kith.events), 1::bigint, 'which shows nothing new');
update kith.connections set status = 'paused' where id = tests.id('alice-bob');
select is(tests.connection('bob') ->> 'last_sign', null::text, 'a paused connection shows none');
update kith.connections set status = 'active', activated_at = '2026-03-10T09:25Z' where id = tests.id('alice-bob');
select is(tests.connection('bob') ->> 'last_sign', null::text, 'nor does it show afterwards what happened before it was resumed');
update kith.connections set activated_at = '2026-03-10T09:20Z' where id = tests.id('alice-bob');
select is(tests.connection('bob') -> 'last_sign' ->> 'name', 'Front door', 'only what has happened since');
select tests.share('alice', true, '2026-03-10T09:26Z') \g /dev/null
select is(tests.connection('bob') -> 'last_sign' ->> 'name', 'Front door', 'sharing it twice changes nothing');
select tests.share('alice', false, '2026-03-10T09:27Z'), tests.share('alice', true, '2026-03-10T09:28Z') \g /dev/null
select is(tests.connection('bob') ->> 'last_sign', null::text, 'whoever stops and shares it again begins anew');
update kith.signs set last_used_at = '2026-03-10T09:27:50Z' where name = 'Front door';
select is(tests.report(:'door_url', '2026-03-10T09:28:10Z'), 'ok', 'and the first report after that');
select is(tests.connection('bob') -> 'last_sign' ->> 'at', internal.instant('2026-03-10T09:28:10Z'), 'is shown even within a minute of one before it');

-- Unknown, ended, suspended, deleted.
select is(tests.report('https://kith.example/s/2000000001-00000000000000000000000000000000', '2026-03-10T09:30Z'), 'not_found', 'an unknown token is unknown');
select is(tests.report(replace(:'button_url', '2000000001', '2000000002'), '2026-03-10T09:30Z'), 'not_found', 'a token is one tenant''s');
update kith.tenants set status = 'suspended', suspended_at = '2026-03-10T09:00Z' where slug = 'acme';
select is(tests.report(:'button_url', '2026-03-10T09:31Z'), 'ok', 'a suspension refuses no sign of life');
select is((select status from kith.pings), 'completed', 'which completes the ping');
update kith.tenants set status = 'active', suspended_at = null where slug = 'acme';

-- What counts for emergency access.
select tests.ask() \g /dev/null
update kith.sender_profiles set emergency_since = '2026-03-10T08:00Z' where user_id = tests.id('alice');
select is(tests.report(:'button_url', '2026-03-10T20:00Z'), 'ok', 'the owner''s button is pressed while Bob waits');
select is((select ended_at from kith.emergency_requests)::timestamptz, null::timestamptz, 'a thing rejects nothing unless the owner says that it counts');
select is(tests.told('alice', 'emergency_reminder'), array['Bob gets into Papers in 36 hours. Say no to stop it.'], 'but the owner is reminded, and reads what stops it');
select is(tests.report(:'button_url', '2026-03-10T20:05Z'), 'ok', 'pressed again five minutes later');
select is(cardinality(tests.told('alice', 'emergency_reminder')), 1, 'it reminds nobody anew');
select tests.ask(4, '2026-03-10T20:30Z') \g /dev/null
select is(tests.report(:'button_url', '2026-03-10T20:31Z'), 'ok', 'the button is pressed a minute after Bob asked');
select is(tests.told('alice', 'emergency_reminder'), array['Bob gets into Papers in 4 hours. Say no to stop it.'], 'whoever was told before the press is told after it that it goes on');
select tests.ask() \g /dev/null
update kith.emergency_requests set sources = '{sign}';
select tests.as_user('acme', 'alice') \g /dev/null
select api.check_in(null, false, null, 'app', '2026-03-10T20:30Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is((select ended_at from kith.emergency_requests)::timestamptz, null::timestamptz, 'nor does the app, where only things count');
select is(tests.report(:'button_url', '2026-03-10T21:00Z'), 'ok', 'the button is pressed again');
select is((select end_reason from kith.emergency_requests), 'owner_returned', 'where it counts, it rejects the request');

-- Deletion.
select tests.as_user('acme', 'alice') \g /dev/null
select api.delete_sign((:'button'::jsonb ->> 'id')::uuid, '2026-03-11T07:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.report(:'button_url', '2026-03-11T09:00Z'), 'not_found', 'an ended address is unknown');
select * from finish();
rollback;
