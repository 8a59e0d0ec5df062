-- The events about a ping, on the screens of both sides.
begin;
\ir people.sql
\ir event_feed.sql
select plan(7);

insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at)
values (tests.tenant('acme'), 'UTC', '2026-03-02', '2026-03-02T00:00Z');
select tests.as_role('kith_worker');
select worker.generate_daily_pings('2026-03-02T00:00:01Z', 100) \g /dev/null

select tests.as_role('kith_worker');
select worker.announce_due_pings('2026-03-02T09:00Z', 100) \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-02T09:00Z'), array['alice notification ping_due', 'alice ping due', 'bob ping due'], 'a due ping emits events');
select tests.as_user('acme', 'alice');
select api.check_in(null, false, null, 'app', '2026-03-02T09:05Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.feed('2026-03-02T09:05Z'), array['alice ping completed', 'bob notification ping_completed', 'bob ping completed'], 'a completed ping emits events'
);
select tests.as_user('acme', 'alice');
select api.check_in(null, false, null, 'app', '2026-03-02T09:06Z') \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-02T09:06Z'), array['alice connection active', 'bob connection active'], 'a check-in that completes nothing changes what dashboards show (P11)');
insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at)
values (tests.tenant('globex'), 'UTC', '2026-03-03', '2026-03-03T00:00Z');
select tests.as_role('kith_worker');
select worker.generate_daily_pings('2026-03-03T00:00:01Z', 100), worker.generate_daily_pings('2026-03-03T00:00:01Z', 100) \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-03T00:00Z'), null, 'generated pings emit no events; clients see them when they look');
select tests.as_role('kith_worker');
select worker.announce_due_pings('2026-03-03T09:00Z', 100), worker.miss_pings('2026-03-03T10:30:10Z', 100) \g /dev/null
select tests.as_superuser();
select ok(
  tests.feed('2026-03-03T10:31Z') @> array[
    'alice alarm open', 'alice notification ping_missed', 'alice ping missed', 'bob alarm open', 'bob notification ping_missed', 'bob ping missed', 'globex-alice ping missed',
    'globex-bob ping missed'
  ],
  'a missed ping emits events in every tenant'
);
select tests.as_user('acme', 'alice');
select api.check_in(null, false, null, 'app', '2026-03-03T11:00Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.feed('2026-03-03T11:00Z'), array['alice alarm resolved', 'alice ping completed_late', 'bob alarm resolved', 'bob notification ping_all_clear', 'bob ping completed_late'],
  'a ping that is completed late emits events'
);
select tests.as_role('kith_worker');
select worker.generate_daily_pings('2026-03-04T00:00:01Z', 100), worker.generate_daily_pings('2026-03-04T00:00:01Z', 100) \g /dev/null
select tests.as_user('acme', 'alice');
select api.put_sender_profile('{"ping_time": "10:00", "time_zone": "UTC"}', '2026-03-04T08:00Z') \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-04T08:00Z'), array['alice ping scheduled', 'bob ping scheduled'], 'a ping whose time changes emits events');

select * from finish();
rollback;
