-- The events about a break, on the screens of both sides.
begin;
\ir people.sql
\ir event_feed.sql
select plan(5);

insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at)
values (tests.tenant('acme'), 'UTC', '2026-03-04', '2026-03-04T00:00Z');
select tests.as_role('kith_worker');
select worker.generate_daily_pings('2026-03-04T00:00:01Z', 100) \g /dev/null

select tests.as_user('acme', 'alice');
select api.put_break('{"from": "2026-03-04", "until": "2026-03-05"}', '2026-03-04T08:10Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.feed('2026-03-04T08:10Z'),
  array['alice connection active', 'alice ping cancelled', 'bob connection active', 'bob notification break_started', 'bob ping cancelled'],
  'a break changes the connection and cancels its ping'
);
select tests.as_user('acme', 'alice');
select api.delete_break('2026-03-04T08:11Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.feed('2026-03-04T08:11Z'),
  array['alice connection active', 'alice ping scheduled', 'bob connection active', 'bob notification break_ended', 'bob ping scheduled'],
  'deleting the break restores the ping'
);
select tests.as_user('acme', 'alice');
select api.put_break('{"from": "2026-03-06", "until": "2026-03-06"}', '2026-03-04T08:12Z') \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-04T08:12Z'), array['alice connection active', 'bob connection active'], 'a future break appears too');
select tests.as_role('kith_worker');
select worker.turn_breaks('2026-03-06T00:00Z', 100) \g /dev/null
select tests.as_superuser();
select is(
  tests.feed('2026-03-06T00:00Z'), array['alice connection active', 'bob connection active', 'bob notification break_started'], 'a break''s beginning emits events'
);
select tests.as_role('kith_worker');
select worker.turn_breaks('2026-03-07T00:00Z', 100) \g /dev/null
select tests.as_superuser();
select is(
  tests.feed('2026-03-07T00:00Z'), array['alice connection active', 'bob connection active', 'bob notification break_ended'], 'a break''s end emits events'
);

select * from finish();
rollback;
