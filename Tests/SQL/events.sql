-- The event feed: where readers are, what an event contains, and how a client resumes.
begin;
\ir people.sql
\ir event_feed.sql
select plan(33);

-- The horizon.
select tests.as_role('kith_api');
select results_eq(
  $$ select horizon::xid8 <= pg_current_xact_id(), id is null from api.tail_events(null, null, 100) $$, $$ values (true, true) $$,
  'without a position only the horizon is returned'
);
select tests.as_user('acme', 'alice');
select throws_ok($$ select api.tail_events(null, null, 100) $$, 'KT403', 'forbidden', 'a request in a tenant cannot tail the feed');
select throws_ok($$ select internal.notification_events('[]') $$, 'KT403', 'forbidden', 'a request in a tenant cannot render other users'' notifications');
select throws_ok($$ select api.ended_streams('[]') $$, 'KT403', 'forbidden', 'a request in a tenant cannot ask about other users'' streams');
select tests.as_superuser();

-- An event contains what the corresponding call returns.
insert into kith.notifications (tenant_id, id, user_id, type, body, created_at, xid)
select tests.tenant('acme'), internal.uuid7('2026-03-30T09:00Z'), tests.id('carol'), 'vault_opened', e'a\n"line"\r', '2026-03-30T09:00Z', '9';
insert into kept select 'news', (select id from kith.notifications where user_id = tests.id('carol') and type = 'vault_opened' limit 1);
select tests.as_user('acme', 'alice');
select is(
  internal.event_json('connection', tests.id('alice-bob'), null, null, '2026-03-30T09:00Z'),
  api.get_connection(tests.id('alice-bob'), '2026-03-30T09:00Z')::text, 'the event contains the connection as the call returns it'
);
select tests.as_user('acme', 'carol');
select is(
  internal.event_json('notification', tests.kept('news'), null, null, '2026-03-30T09:00Z')::jsonb,
  (select value from json_array_elements(api.list_notifications(false, null, 50, null) -> 'items') where value ->> 'id' = tests.kept('news')::text)::jsonb,
  'the event contains the notification as the call returns it'
);
select unalike(
  internal.event_json('notification', tests.kept('news'), null, null, '2026-03-30T09:00Z'), e'%\n%', 'the event''s data is on one line'
);
select is(
  internal.event_json('connection', tests.id('alice-bob'), null, null, '2026-03-30T09:00Z')::jsonb,
  jsonb_build_object('id', tests.id('alice-bob'), 'status', 'deleted'), 'a stranger''s connection renders as deleted'
);
select is(
  internal.event_json('ping', tests.kept('news'), tests.id('alice-bob'), '2026-03-02', '2026-03-30T09:00Z')::jsonb,
  jsonb_build_object('id', tests.kept('news'), 'connection_id', tests.id('alice-bob'), 'status', 'deleted'), 'a stranger''s ping renders as deleted'
);
select tests.as_user('globex', 'globex-alice');
select is(
  internal.event_json('connection', tests.id('alice-bob'), null, null, '2026-03-30T09:00Z')::jsonb ->> 'status', 'deleted', 'another tenant''s connection renders as deleted'
);
select tests.as_superuser();

-- Resuming from a position.
create function tests.after(p_place text, p_limit integer default 100) returns json
  language sql
as $$
  select api.events_after(p_place, p_limit, '2026-03-30T13:05Z')
$$;
grant execute on function tests.after to public;
create temporary table places (n integer, place text);
grant select, insert on places to public;
select tests.as_user('acme', 'carol');
insert into places select 0, api.events_after(null, 10, '2026-03-30T13:00Z') ->> 'horizon';
select tests.as_superuser();
select matches((select place from places), '^1774875600000-[0-9]+$', 'a client begins at the horizon');
update places set place = '1774875600000-100';
alter sequence tests.transactions restart with 100;
insert into kith.notifications (tenant_id, id, user_id, type, body, created_at)
select tests.tenant('acme'), internal.uuid7('2026-03-30T13:01Z'), tests.id('carol'), 'vault_opened', n::text, '2026-03-30T13:01Z'
from generate_series(1, 3) as n;
select internal.emit_event(tests.tenant('acme'), tests.id('carol'), 'connection', tests.id('mallory'), null, null, '2026-03-30T13:01Z') \g /dev/null
select internal.emit_event(tests.tenant('acme'), tests.id('carol'), 'alarm_undelivered', tests.kept('news'), null, null, '2026-03-30T13:01Z') \g /dev/null
select internal.emit_event(tests.tenant('acme'), tests.id('bob'), 'connection', tests.id('alice-bob'), null, null, '2026-03-30T13:01Z') \g /dev/null
select tests.commit() \g /dev/null
insert into kith.notifications (tenant_id, id, user_id, type, body, created_at)
select tests.tenant('acme'), internal.uuid7('2026-03-30T13:00Z'), tests.id('carol'), 'vault_locked', 'later', '2026-03-30T13:00Z';
select tests.commit() \g /dev/null
insert into kith.notifications (tenant_id, id, user_id, type, body, created_at)
select tests.tenant('acme'), internal.uuid7('2026-03-30T13:02Z'), tests.id('carol'), 'vault_locked', 'not committed yet', '2026-03-30T13:02Z';
select tests.as_user('acme', 'carol');
create temporary table answer as select tests.after((select place from places)) as answer;
select is(
  (select array_agg(item ->> 'type' order by n) from answer, json_array_elements(answer -> 'items') with ordinality as items (item, n) where n > 4),
  array['notification'], 'the events come in the order of their transactions'
);
select is(
  (select array_agg(coalesce(item ->> 'type') || ' ' || ((item ->> 'data')::json ->> case item ->> 'type' when 'connection' then 'status' else 'type' end) order by item ->> 'type', n) from answer, json_array_elements(answer -> 'items') with ordinality as items (item, n)),
  array['connection deleted', 'notification vault_opened', 'notification vault_opened', 'notification vault_opened', 'notification vault_locked'],
  'the answer has all of the user''s events of finished transactions, and none meant only for webhooks'
);
select is((select answer ->> 'more' from answer), 'false', 'there are no more events');
select is((tests.after((select place from places), 3) ->> 'more'), 'true', 'a page has at most as many events as requested');
select is(
  (
    with recursive read as (
      select tests.after((select place from places), 2) as answer
      union all
      select tests.after(answer #>> '{items,1,position}', 2) from read where (answer ->> 'more')::boolean
    )
    select array_agg(item ->> 'position' order by item ->> 'position') from read, json_array_elements(answer -> 'items') as item
  ),
  (select array_agg(item ->> 'position' order by item ->> 'position') from answer, json_array_elements(answer -> 'items') as item),
  'the pages together have each event once'
);
select is(
  json_array_length(tests.after('1774875600000-101') -> 'items'), 1, 'from a position between two transactions, the later one''s events follow'
);
select is(
  tests.after((select answer #>> '{items,4,position}' from answer))::jsonb - 'horizon', '{"reset": null, "items": [], "more": false}',
  'after the last event there are none'
);
select is(
  tests.after('1774000000000-100')::jsonb - 'horizon', '{"reset": "too_old", "items": [], "more": false}', 'a position older than 7 days leads to a reset'
);
select is(
  tests.after('1774875600000-9000000000000000000')::jsonb - 'horizon', '{"reset": "unknown", "items": [], "more": false}',
  'a position after an unknown transaction leads to a reset'
);
select throws_ok($$ select tests.after('') $$, 'KT422', 'validation_failed', 'an empty position is refused');
select throws_ok($$ select tests.after('1774875600000') $$, 'KT422', 'validation_failed', 'a position without a transaction is refused');
select throws_ok($$ select tests.after('1774875600000-100-x') $$, 'KT422', 'validation_failed', 'a position without a valid id is refused');
select throws_ok($$ select tests.after('1774875600000-99999999999999999999') $$, 'KT422', 'validation_failed', 'a position whose transaction is out of range is refused');
select tests.as_user('acme', 'bob');
select is(json_array_length(tests.after((select place from places)) -> 'items'), 1, 'another user has different events');
select tests.as_user('globex', 'globex-bob');
select is(json_array_length(tests.after((select place from places)) -> 'items'), 0, 'another tenant has none of these events');
select is((select count(*) from kith.events), (select count(*) from kith.events where user_id = tests.id('globex-bob')), 'users cannot read other users'' events directly');

-- A server renders the events of all its streams, each for its own user. One that cannot be rendered keeps no other back.
select tests.as_superuser();
create function tests.rendered() returns setof text
  language sql
as $$
  select concat_ws(' ', rendered.n, rendered.data is not null, rendered.data::json ->> 'title', rendered.data::json ->> 'status')
  from api.render_events('2026-03-30T09:00Z', (
    select jsonb_agg(
      jsonb_build_object('tenant_id', tests.tenant(given.tenant), 'user_id', tests.id(given.reader), 'type', given.type, 'subject_id', given.id)
      order by given.n
    )
    from (
      values
        (1, 'acme', 'carol', 'notification', tests.kept('news')), (2, 'acme', 'bob', 'notification', tests.kept('news')),
        (3, 'globex', 'carol', 'notification', tests.kept('news')), (4, 'acme', 'alice', 'connection', tests.id('alice-bob'))
    ) as given (n, tenant, reader, type, id)
  )) as rendered
  order by rendered.n
$$;
select tests.as_role('kith_api');
select results_eq(
  'select tests.rendered()', array['1 t Vault Open', '2 t deleted', '3 t deleted', '4 t active'],
  'a notification is rendered for its own user, and for nobody else of any tenant'
);
select tests.as_superuser();
create function tests.broken(p_title text) returns text
  language sql immutable
  return case when p_title = 'Vault Open' then (1 / (length(p_title) - 10))::text end;
select replace(pg_get_functiondef('internal.json_words(text, text, text, text)'::regprocedure), 'to_json(p_title)', 'to_json(tests.broken(p_title))')
  as definition \gset
:definition;
select tests.as_role('kith_api');
set local client_min_messages = error;
select results_eq(
  'select tests.rendered()', array['1 f', '2 t deleted', '3 t deleted', '4 t active'], 'one that cannot be rendered is left out, and the others are not'
);
reset client_min_messages;
select tests.as_superuser();

-- A position must survive a crash of PostgreSQL, which gives the numbers of transactions that left nothing durable to others.
select tests.as_superuser();
delete from kith.heartbeats;
select is(internal.feed_end('150'), '102', 'a reader of everything is after the newest event, not at the horizon');
select is(internal.feed_end('101'), '101', 'events of transactions that still run are not behind a reader');
insert into kith.heartbeats (component, instance, started_at, beat_at, xid) values ('server', 'a', '2026-03-30T13:00Z', '2026-03-30T13:00Z', '120');
select is(internal.feed_end('150'), '121', 'a heartbeat brings readers forward while nothing happens');
select tests.as_role('kith_api');
select is((select horizon from api.tail_events('140', null, 100)), '140', 'a server''s position does not go back when what was newest has gone');
select tests.as_superuser();

select * from finish();
rollback;
