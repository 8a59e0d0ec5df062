-- "Did it reach you?" (I07): test messages of a sender.
begin;
\ir people.sql
\ir alarm_house.sql
select plan(28);
create function tests.tries(p_person text, p_call text) returns text
  language plpgsql
as $$
declare
  v_answer json;
begin
  perform tests.as_user('acme', p_person);
  execute 'select ' || p_call into v_answer;
  perform tests.as_superuser();
  return v_answer ->> 'test';
exception when others then
  perform tests.as_superuser();
  return sqlstate || ' ' || sqlerrm;
end
$$;
create function tests.test(p_at text) returns text
  language sql
as $$
  select tests.tries('alice', format('api.test_connection(tests.id(''alice-bob''), %L)', p_at))
$$;
create function tests.answer(p_reached boolean, p_at text) returns text
  language sql
as $$
  select tests.tries('bob', format('api.answer_connection_test(tests.id(''alice-bob''), %L, ''2026-03-02T07:00Z'', %L)', p_reached, p_at))
$$;
create function tests.said_of(p_person text) returns text
  language plpgsql
as $$
declare
  v_answer text;
begin
  perform tests.as_user('acme', p_person);
  v_answer := api.get_connection(tests.id('alice-bob'), '2026-03-02T09:00Z') ->> 'test';
  perform tests.as_superuser();
  return v_answer;
end
$$;

select is(tests.said_of('alice'), null, 'without a test message there is nothing to say');
select is(tests.answer(true, '2026-03-02T07:00Z'), 'KT409 invalid_transition', 'and nothing to answer');
select is(
  tests.test('2026-03-02T07:00Z')::jsonb, '{"sent_at": "2026-03-02T07:00:00.000000Z", "answered_at": null, "reached": null}', 'the sender sends one'
);
select is(
  (select array_agg(user_id) from kith.notifications where type = 'test_message'), array[tests.id('bob')], 'it goes to the receiver alone'
);
select is(tests.said_of('bob')::jsonb ->> 'sent_at', '2026-03-02T07:00:00.000000Z', 'who sees that it was sent');
select is(tests.test('2026-03-02T07:59:59Z'), 'KT429 too_many_requests', 'the next one waits for an hour,');
select is(tests.tries('bob', 'api.test_connection(tests.id(''alice-bob''), ''2026-03-02T07:05Z'')'), 'KT403 forbidden', 'a receiver sends none');
select is(
  tests.tries('alice', 'api.answer_connection_test(tests.id(''alice-bob''), true, ''2026-03-02T07:00Z'', ''2026-03-02T07:05Z'')'), 'KT403 forbidden', 'a sender answers none,'
);
select is(
  tests.tries('carol', 'api.answer_connection_test(tests.id(''alice-bob''), true, ''2026-03-02T07:00Z'', ''2026-03-02T07:05Z'')'), 'KT404 not_found', 'and nobody else'
);
savepoint sent;

-- A test message takes the channels of a missed check-in.
create function tests.ways(p_chosen text[]) returns text[]
  language sql
as $$
  select internal.wanted_channels('test_message', '{}', account, p_chosen, '{push}', false)
  from kith.users as account where tenant_id = tests.tenant('acme') and id = tests.id('bob')
$$;
insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
values (tests.tenant('acme'), tests.id('bob'), 'ping_missed', '{sms,voice}', '2026-01-05T08:00Z');
select is(tests.ways(null), '{sms}', 'it takes the way of a missed check-in, but calls nobody,');
select is(tests.ways('{}'), '{sms}', 'and nobody chooses channels for it');
update kith.notification_preferences set channels = '{voice}' where type = 'ping_missed';
select is(tests.ways(null), '{push,email}', 'whoever wants calls alone is told on the usual channels');
rollback to sent;

-- Answers.
select is(
  tests.answer(false, '2026-03-02T07:10Z')::jsonb,
  '{"sent_at": "2026-03-02T07:00:00.000000Z", "answered_at": "2026-03-02T07:10:00.000000Z", "reached": false}', 'the receiver says that it did not reach them'
);
select is(tests.said_of('alice')::jsonb -> 'reached', 'false', 'and the sender reads it');
select is(
  internal.over_in_connection(tests.tenant('acme'), 'test_message', jsonb_build_object('connection_id', tests.id('alice-bob'))), null,
  'the message may still arrive,'
);
select is(tests.answer(true, '2026-03-02T07:12Z')::jsonb -> 'reached', 'true', 'an answer can be corrected,');
select is(
  tests.answer(true, '2026-03-02T08:00Z')::jsonb ->> 'answered_at', '2026-03-02T07:12:00.000000Z', 'and a repeated one changes nothing'
);
select isnt(
  internal.over_in_connection(tests.tenant('acme'), 'test_message', jsonb_build_object('connection_id', tests.id('alice-bob'))), null,
  'and once it has, none on another way is needed'
);
select set_has(
  $$ select user_id, type, subject_id from kith.events $$,
  $$ values (tests.id('alice'), 'connection', tests.id('alice-bob')), (tests.id('bob'), 'connection', tests.id('alice-bob')) $$,
  'both read of it at once'
);
rollback to sent;

-- An answer is about one message.
select tests.test('2026-03-02T08:00Z') \g /dev/null
select is(tests.answer(true, '2026-03-02T08:01Z'), 'KT409 invalid_transition', 'an answer to the message before is none to this one');
select is(tests.test('2026-03-02T09:00Z')::jsonb ->> 'sent_at', '2026-03-02T09:00:00.000000Z', 'three in 24 hours are sent');
select is(tests.test('2026-03-02T10:00Z'), 'KT429 too_many_requests', 'and no fourth');
rollback to sent;
select is(tests.answer(true, '2026-03-04T07:00:01Z'), 'KT409 invalid_transition', 'after two days nobody is asked any more');
update kith.connections set activated_at = '2026-03-02T07:30Z' where id = tests.id('alice-bob');
select is(tests.said_of('alice'), null, 'what was before the connection was removed says nothing of it now');
select is(tests.test('2026-03-02T07:40Z'), 'KT429 too_many_requests', 'though its hour goes on');
rollback to sent;
update kith.connections set pings_stopped_at = '2026-03-02T07:30Z' where id = tests.id('alice-bob');
select is(tests.test('2026-03-02T12:00Z'), 'KT409 invalid_transition', 'who is not told of a miss gets no test');
rollback to sent;

select tests.miss('2026-03-02') \g /dev/null
select is(tests.test('2026-03-02T12:00Z'), 'KT409 invalid_transition', 'nobody is tested during an alarm');
rollback to sent;
select tests.tries('alice', 'api.pause_connection(tests.id(''alice-bob''), ''2026-03-02T08:00Z'')') \g /dev/null
select is(tests.test('2026-03-02T12:00Z'), 'KT409 invalid_transition', 'nor on a paused connection');

select * from finish();
rollback;
