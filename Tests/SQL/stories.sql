-- An operator reads the story of one ping and of one notification.
begin;
\ir people.sql
select plan(23);

create function tests.loop(p_name text, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.as_role('kith_worker');
  execute format('select worker.%I($1, 100)', p_name) using p_now;
  perform tests.as_superuser();
end
$$;
create function tests.attempt(p_now timestamptz, p_outcome text, p_error text default null) returns void
  language plpgsql
as $$
begin
  perform tests.as_role('kith_worker');
  perform worker.finish_deliveries(
    p_now, 'w1',
    (
      select jsonb_agg(jsonb_build_object('tenant_id', tenant_id, 'id', id, 'outcome', p_outcome, 'error', p_error, 'provider_id', 'X7'))
      from worker.claim_deliveries(p_now, 'email', 10, 10, 0, '{}', '{}', 'w1')
    )
  );
  perform tests.as_superuser();
end
$$;
create function tests.story_of_ping(p_connection text default 'alice-bob', p_on date default '2026-03-02') returns text[]
  language plpgsql
as $$
declare
  v_lines text[];
begin
  perform tests.as_role('kith_admin');
  select array_agg(concat_ws(' ', to_char(at, 'HH24:MI:SS'), what) order by n) into v_lines
  from admin.story_of_ping('acme', tests.id(p_connection), p_on) with ordinality as story (at, what, detail, n);
  perform tests.as_superuser();
  return v_lines;
end
$$;

-- Alice is asked and reminded, misses, and checks in late. Bob is told by e-mail, at the second attempt.
update kith.users set email = 'bob@example.org', email_verified_at = '2026-01-05' where tenant_id = tests.tenant('acme') and id = tests.id('bob');
delete from kith.ping_runs;
insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at, created, finished_at)
values (tests.tenant('acme'), 'UTC', '2026-03-02', '2026-03-02T00:00Z', 1, '2026-03-02T00:00:05Z');
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, remind_at, deadline_at)
values (
  tests.tenant('acme'), '2026-03-02', tests.id('alice-bob'), internal.uuid7('2026-03-02T00:00:01Z'), tests.id('alice'), tests.id('bob'),
  'scheduled', '2026-03-02T09:00Z', '2026-03-02T10:15Z', '2026-03-02T10:30Z'
);
insert into kith.outages (component, began_at, ended_at) values
  ('server', '2026-03-02T09:30Z', '2026-03-02T09:32Z'), ('worker', '2026-02-20T09:30Z', '2026-02-20T09:32Z');
select tests.loop('announce_due_pings', '2026-03-02T09:00:00Z');
select tests.loop('remind_senders', '2026-03-02T10:15:00Z');
select tests.loop('miss_pings', '2026-03-02T10:30:10Z');
select tests.as_role('kith_worker');
select worker.plan_deliveries('2026-03-02T10:30:12Z', 100, true) \g /dev/null
select tests.attempt('2026-03-02T10:30:13Z', 'retry', '451 try later');
select is(
  -- The instants of these two are chosen at random, or by the sender's place in the minute.
  array(select line from unnest(tests.story_of_ping()) as line where line !~ 'held back|waits'),
  array[
    '08:00:00 pings begin', '00:00:00 day begins', '00:00:01 made', '00:00:05 run finished', '09:00:00 time of the ping',
    '09:00:00 notification', '09:30:00 outage begins', '09:32:00 outage ends', '10:15:00 notification', '10:30:00 deadline',
    '10:30:10 notification', '10:30:10 notification', '10:30:12 planned', '10:30:12 not tried', '10:30:12 planned', '10:30:12 not tried',
    '10:30:12 planned', '10:30:12 not tried', '10:30:12 planned', '10:30:12 not tried', '10:30:12 queued', '10:30:13 refused', '10:32:12 escalates', 'now'
  ],
  'the story of a ping has its times, an outage, and whom Kith told, but no other day''s outage'
);
select tests.attempt('2026-03-02T10:31:00Z', 'sent');
select tests.as_user('acme', 'alice');
select api.check_in('I overslept', false, null, 'app', '2026-03-02T10:40:00Z') \g /dev/null
select tests.as_superuser();
select is(
  array(select line from unnest(tests.story_of_ping()) as line where line >= '10:30:13' and line !~ 'held back|planned|not tried'),
  array['10:30:13 refused', '10:31:00 sent', '10:40:00 check-in', '10:40:00 completed_late', '10:40:00 notification', 'now'],
  'it goes on with the next attempt and the late check-in'
);
select tests.as_role('kith_admin');
select matches(
  (select detail from admin.story_of_ping('acme', tests.id('alice-bob'), '2026-03-02') where what = 'check-in'), '^[0-9a-f-]{36}, by app, with a note$',
  'an operator reads how a check-in came, and not what it says'
);
select is(
  (select (user_id, received_at, source, tapped_at, shares_note)::text from admin.check_ins where tenant = 'acme' and received_at = '2026-03-02T10:40Z'),
  (select (tests.id('alice'), '2026-03-02T10:40Z'::timestamptz, 'app', null::timestamptz, false)::text), 'and so says the list of check-ins'
);
select is(
  (select array_agg(detail order by n) from admin.story_of_ping('acme', tests.id('alice-bob'), '2026-03-02') with ordinality as story (at, what, detail, n)
   where what in ('refused', 'sent', 'now', 'outage begins')),
  array['no server of ours ran', 'receiver: email: 451 try later', 'receiver: email, attempt 2, the provider''s id X7', 'the ping is completed_late'],
  'an attempt has the provider''s answer'
);
select is(
  (select count(*) from admin.story_of_ping('acme', tests.id('alice-bob'), '2026-03-02') where detail ~ 'overslept|example.org'), 0::bigint,
  'a story tells neither notes nor contacts'
);
select tests.as_superuser();
create temporary table told as
select id from kith.notifications where user_id = tests.id('bob') and type = 'ping_missed' and tenant_id = tests.tenant('acme');
grant select on told to kith_admin;
select tests.as_role('kith_admin');
select is(
  (
    select array_agg(concat_ws(' ', to_char(at, 'HH24:MI:SS'), what) order by n)
    from admin.story_of_notification('acme', (select id from told)) with ordinality as story (at, what, detail, n)
  ),
  array['10:30:10 notification', '10:30:12 planned', '10:30:12 not tried', '10:30:12 queued', '10:30:13 refused', '10:31:00 sent'],
  'the story of a notification'
);
select throws_ok(
  format($$ select admin.story_of_notification('globex', %L) $$, (select id from told)), 'KT404', 'not_found', 'a notification belongs to one tenant'
);
select throws_ok($$ select admin.story_of_notification('nobody', '019aa5c2-6a40-7d3b-9c11-3f0e8b7a52d4') $$, 'KT404', 'not_found', 'there is no such tenant');
select throws_ok(
  format($$ select admin.story_of_ping('globex', %L, '2026-03-02') $$, tests.id('alice-bob')), 'KT404', 'not_found', 'a connection belongs to one tenant'
);
select is(current_setting('kith.tenant_id', true), '', 'afterwards the operator is in no tenant');

-- A day without a ping.
select tests.as_superuser();
insert into kith.breaks (tenant_id, id, user_id, from_on, until_on, starts_at, ends_at, created_at, updated_at)
values (
  tests.tenant('acme'), internal.uuid7('2026-03-03T08:00Z'), tests.id('alice'), '2026-03-04', '2026-03-06', '2026-03-04T00:00Z',
  '2026-03-07T00:00Z', '2026-03-03T08:00Z', '2026-03-03T08:00Z'
);
update kith.connections set pings_stopped_at = '2026-03-03T10:00Z' where id = tests.id('alice-bob');
select is(
  tests.story_of_ping(p_on => '2026-03-05'), array['08:00:00 pings begin', '08:00:00 break planned', '10:00:00 pings stopped', 'now'],
  'a day without a ping has its reasons'
);
select tests.as_role('kith_admin');
select is(
  (select detail from admin.story_of_ping('acme', tests.id('alice-bob'), '2026-03-05') where what = 'now'), 'there is no ping on this date',
  'and says that there is none'
);
select is(
  (select count(*) from admin.story_of_ping('acme', tests.id('alice-bob'), '2026-03-07') where what = 'break planned'), 0::bigint,
  'a break that ended is no reason'
);

-- A connection that an operator removed and gave back.
select tests.as_superuser();
update kith.connections set pings_stopped_at = null where id = tests.id('alice-bob');
select tests.as_role('kith_admin');
select admin.soft_delete_connection('acme', tests.id('alice-bob'), 'asked by mail', now()) \g /dev/null
select is(
  (select array_agg(what order by n) from admin.story_of_ping('acme', tests.id('alice-bob'), '2026-03-07') with ordinality as story (at, what, detail, n)
   where what like 'connection%'),
  array['connection removed'], 'a removal by an operator is told once'
);
select throws_ok(
  format($$ select admin.soft_delete_connection('acme', %L, 'again') $$, tests.id('alice-bob')), 'KT409', 'invalid_transition', 'a second removal says that it was removed'
);
select throws_ok(
  format($$ select admin.soft_delete_connection('acme', %L, 'who?') $$, tests.id('bob')), 'KT404', 'not_found', 'an id of something else is no connection'
);
select admin.reactivate_connection('acme', tests.id('alice-bob'), 'a mistake', now()) \g /dev/null
select is(
  (select array_agg(concat_ws(' ', what, detail) order by n)
   from admin.story_of_ping('acme', tests.id('alice-bob'), '2026-03-07') with ordinality as story (at, what, detail, n)
   where what in ('connected', 'connection removed', 'connection reactivated')),
  array['connected', format('connection removed by operator:%s: asked by mail', session_user), format('connection reactivated by operator:%s: a mistake', session_user)],
  'a connection that was given back keeps its story'
);

-- A message of an alarm that reached nobody, and no longer matters.
select tests.as_superuser();
insert into kith.notifications (tenant_id, id, user_id, type, data, created_at)
values (tests.tenant('acme'), internal.uuid7('2026-03-08T10:00Z'), tests.id('bob'), 'ping_missed', '{}', '2026-03-08T10:00Z');
insert into kith.undelivered_alarms (tenant_id, notification_id, user_id, type, at, resolved_at)
select tenant_id, id, user_id, type, created_at, '2026-03-08T11:00Z' from kith.notifications where created_at = '2026-03-08T10:00Z';
create function tests.resolved() returns text
  language plpgsql
as $$
declare
  v_detail text;
begin
  perform tests.as_role('kith_admin');
  select detail into v_detail
  from admin.story_of_notification('acme', (select id from kith.notifications where created_at = '2026-03-08T10:00Z' and type = 'ping_missed'))
  where what = 'resolved';
  perform tests.as_superuser();
  return v_detail;
end
$$;
select is(tests.resolved(), 'ping_missed: it no longer mattered', 'what reached nobody did not arrive');
update kith.notifications set read_at = '2026-03-08T10:59Z' where created_at = '2026-03-08T10:00Z';
select is(tests.resolved(), 'ping_missed: it arrived, or was read', 'what was read did');

-- Bounds.
select tests.as_superuser();
select is(
  jsonb_array_length(internal.with_failure((select jsonb_agg('{}'::jsonb) from generate_series(1, 50)), now(), 'x')), 50,
  'a delivery keeps 50 failures'
);
select is(
  length(internal.with_failure(null, now(), repeat('x', 1000)) #>> '{0,error}'), 300, 'and 300 characters of each'
);
select tests.as_role('kith_worker');
select throws_ok(
  format($$ select admin.story_of_ping('acme', %L, '2026-03-02') $$, tests.id('alice-bob')), '42501', null, 'only operators read stories'
);

select * from finish();
rollback;
