-- Feedback for the tenant and the operator (A10).
begin;
\ir people.sql
select plan(23);

create function tests.rate(p_topic text, p_rating integer, p_text text, p_at timestamptz) returns text
  language sql
  return api.give_feedback(jsonb_strip_nulls(jsonb_build_object('topic', p_topic, 'rating', p_rating, 'text', p_text)), p_at)::text;

select tests.as_user('acme', 'alice');
select is(tests.rate('invitation', 5, ' Easy ', '2026-03-10T08:00Z'), null, 'a user says what they think');
select is(tests.rate('app', 1, null, '2026-03-10T08:01Z'), null, 'with or without words');
select tests.as_user('acme', 'bob');
select is(tests.rate('share', 3, 'Hm', '2026-03-10T08:02Z'), null, 'and so does another');
select tests.as_user('globex', 'globex-alice');
select is(tests.rate('share', 4, 'Ours', '2026-03-10T08:03Z'), null, 'and one of another tenant');
select tests.as_user('acme', 'alice');
select throws_ok($$ select tests.rate('app', 6, null, '2026-03-10T08:04Z') $$, '23514', null, 'the rating has bounds');
select throws_ok($$ select tests.rate('app', 0, null, '2026-03-10T08:04Z') $$, '23514', null, 'at both ends');
select throws_ok($$ select tests.rate('weather', 1, null, '2026-03-10T08:04Z') $$, '23514', null, 'a topic is one of the known ones');
select throws_ok($$ select tests.rate('app', 1, repeat('x', 2001), '2026-03-10T08:04Z') $$, '23514', null, 'the text has a bound');

-- Who reads it.
select is((select string_agg(topic, ' ' order by id) from kith.feedback), 'invitation app', 'a user sees only their own');
select throws_ok($$ select api.list_feedback(50, null) $$, 'KT403', 'forbidden', 'the list is not for users');
select throws_ok($$ insert into kith.feedback select * from kith.feedback $$, '42501', null, 'nobody writes it directly');
select tests.as_server('acme');
select is(
  (
    select string_agg(concat_ws(' ', item #>> '{user,display_name}', item ->> 'topic', item ->> 'rating', item ->> 'text'), ', ')
    from json_array_elements(api.list_feedback(50, null) -> 'items') as items (item)
  ),
  'Bob share 3 Hm, Alice app 1, Alice invitation 5 Easy', 'the tenant''s server reads all of its tenant, newest first'
);
select is(
  (
    select string_agg(item ->> 'topic', ' ')
    from json_array_elements(api.list_feedback(2, (api.list_feedback(1, null) ->> 'next_cursor')::uuid) -> 'items') as items (item)
  ),
  'app invitation', 'in pages'
);
select is(api.list_feedback(3, null) ->> 'next_cursor', null, 'the last of which has no cursor');
select throws_ok($$ select api.give_feedback('{"topic": "app", "rating": 1}', '2026-03-10T08:04Z') $$, 'KT401', null, 'it gives none itself');
select tests.as_role('kith_admin');
select is(
  (select string_agg(concat_ws(' ', tenant, topic, text), ', ' order by id) from admin.feedback),
  'acme invitation Easy, acme app, acme share Hm, globex share Ours', 'an operator reads every tenant''s'
);
select tests.as_role('kith_worker');
select throws_ok($$ select * from kith.feedback $$, '42501', null, 'the worker reads none');

-- Its bounds.
select tests.as_user('acme', 'alice');
select tests.rate('app', 1, null, '2026-03-10T09:00Z') from generate_series(3, 19) \g /dev/null
select is(tests.rate('app', 1, null, '2026-03-10T09:00Z'), null, 'a user gives it 20 times a day');
select throws_ok($$ select tests.rate('app', 1, null, '2026-03-10T09:00Z') $$, 'KT429', 'too_many_requests', 'and not more often');
select tests.as_superuser();
insert into kith.retention_passes (tenant_id, kind, began_at, until_at, finished_at)
select tenant_id, kind, '9999-12-31Z', '1970-01-01Z', '1970-01-01Z' from internal.retentions('2026-03-10T08:00Z')
where kind <> 'feedback_and_requests';
select tests.as_role('kith_worker');
select is(worker.expire_rows('2028-03-09T07:00Z', 100), 0, 'it is kept for the tenant''s retention');
select tests.as_superuser();
update kith.tenants set retention_days = 30 where slug = 'acme';
select tests.as_role('kith_worker');
select is(worker.expire_rows('2026-04-09T10:00Z', 2), 2, 'and then swept in batches');
select worker.expire_rows('2026-04-09T10:00Z', 100) \g /dev/null
select tests.as_superuser();
select is((select string_agg(text, ' ') from kith.feedback), 'Ours', 'each tenant''s by its own');
select tests.as_server('globex');
select api.delete_user(tests.id('globex-alice'), 'delete', '2026-03-11T08:00Z') \g /dev/null
select tests.as_superuser();
select is((select count(*) from kith.feedback), 0::bigint, 'it goes with the account');

select * from finish();
rollback;
