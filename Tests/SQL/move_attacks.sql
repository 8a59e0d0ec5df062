-- What a move to another cell must not lose or do to the people of a tenant: events of its endpoints, outages, rows, and the operator's word after a
-- restore. This database is in turn the source and the target. Alice of acme sends to Bob.
begin;
\ir people.sql
select plan(29);
\set acme '(select tests.tenant(''acme''))'

-- Endpoints. A worker looks for news of all tenants while the loops leave this one alone, and the move is taken back, or was killed.
insert into kith.webhooks (tenant_id, id, url, sealed_secrets, taken_xid, taken_at, has_news, next_attempt_at, created_at, updated_at)
values (:acme, gen_random_uuid(), 'https://acme.example/hook', 'x', '3', now(), false, now(), now(), now());
create function tests.has_news() returns boolean language sql as $$ select has_news from kith.webhooks $$;
select internal.begin_leaving(:acme, now()) \g /dev/null
select internal.quiet_leaving(:acme, true, now()) \g /dev/null
select is(tests.has_news(), false, 'an endpoint without news');
select internal.quiet_leaving(:acme, false, now()) \g /dev/null
select is(tests.has_news(), true, 'is looked at anew when the loops go on, because nobody has looked meanwhile');
update kith.webhooks set has_news = false;
select internal.quiet_leaving(:acme, true, now()) \g /dev/null
select pg_advisory_unlock_all() \g /dev/null
select internal.end_orphaned_quiet() \g /dev/null
select is_empty($$ select from kith.tenant_imports $$, 'the loops go on after the command was killed');
select is(tests.has_news(), true, 'also with the endpoint');
update kith.webhooks set disabled_at = now(), disabled_reason = 'paused';

-- Outages in the source.
create function tests.why_not(p_now timestamptz) returns text language sql as $$ select internal.unsettled_outage(tests.tenant('acme'), p_now) $$;
select is(tests.why_not('2026-03-10T12:00Z'), null, 'without an outage, a tenant may leave');
insert into kith.heartbeats (component, instance, started_at, beat_at) values ('worker', 'w', '2026-03-10T08:00Z', '2026-03-10T11:59Z');
select is(tests.why_not('2026-03-10T12:00Z'), null, 'nor does a minute without a worker keep it');
select is(tests.why_not('2026-03-10T12:00:01Z'), 'no worker has run there for a minute', 'a longer time does, of which nobody has been told');
delete from kith.heartbeats;
insert into kith.outages (component, began_at) values ('server', '2026-03-10T10:00Z');
select is(tests.why_not('2026-03-10T12:00Z'), 'no server has run there for a minute', 'so does an outage that lasts');
update kith.outages set ended_at = '2026-03-10T11:50Z';
select matches(tests.why_not('2026-03-10T12:00Z'), '^no missed check-in is judged', 'and for 15 minutes one that has ended');
select is(tests.why_not('2026-03-10T12:05Z'), null, 'then it leaves');
select tests.as_user('acme', 'alice') \g /dev/null
select api.create_vault('{"name": "Papers"}', '2026-03-01T08:00Z') ->> 'id' as vault \gset
select tests.as_superuser() \g /dev/null
insert into kith.nominees (tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, updated_at)
values (:acme, '0e000000-0000-7000-8000-000000000001', :'vault', tests.id('alice'), tests.id('bob'), 'Bob', 'accepted', 'view', '2026-03-01T08:00Z',
  tests.id('alice'), '2026-03-01T08:00Z', '2026-03-01T08:00Z');
insert into kith.emergency_settings (tenant_id, nominee_id, vault_id, owner_id, wait_hours, access_level, grant_hours, on_request, after_missed_days,
  reject_on_check_in, sign_of_life, visible, created_at, updated_at)
values (:acme, '0e000000-0000-7000-8000-000000000001', :'vault', tests.id('alice'), 48, 'view', 72, true, 3, true, 'check_in', false,
  '2026-03-01T08:00Z', '2026-03-01T08:00Z');
select tests.as_user('acme', 'bob') \g /dev/null
select api.request_emergency_access(:'vault', 'She does not answer', '2026-03-10T09:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
create function tests.grants_at(p_now timestamptz) returns timestamptz
  language sql
as $$
  select instants.grants_at from kith.emergency_requests as request cross join lateral internal.emergency_instants(request, p_now) as instants
$$;
select is(tests.grants_at('2026-03-11T00:00Z'), '2026-03-12T10:50Z', 'the time of an outage does not count towards a wait');
select matches(tests.why_not('2026-03-11T00:00Z'), 'wait for emergency access', 'which stays until the worker has added it');
select tests.as_role('kith_worker') \g /dev/null
select worker.tell_emergencies('2026-03-11T00:00Z', 100) \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.why_not('2026-03-11T00:00Z'), null, 'then it leaves');
select is(tests.grants_at('2026-03-11T00:00Z'), '2026-03-12T10:50Z', 'with the longer wait');
-- A day that Alice missed because Kith was away.
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, asked_at)
select :acme, ping_on, tests.id('alice-bob'), internal.uuid7(ping_on), tests.id('alice'), tests.id('bob'), 'missed', ping_on + interval '9 hours',
  ping_on + interval '10 hours 30 minutes', ping_on + interval '9 hours'
from (values (date '2026-03-10'), ('2026-03-11')) as missed (ping_on);
create function tests.missed() returns integer
  language sql
as $$ select days::integer from internal.missed_row(tests.tenant('acme'), tests.id('alice'), '2026-03-01T00:00Z', '2026-03-12T00:00Z') $$;
select is(tests.missed(), 1, 'a day on which Kith was away is no silence');
select internal.quiet_leaving(:acme, true, '2026-03-12T00:00Z') \g /dev/null
select results_eq(
  $$ select began_at::timestamptz, ended_at::timestamptz from kith.suspensions $$, $$ values (timestamptz '2026-03-10T10:00Z', timestamptz '2026-03-10T11:50Z') $$,
  'the outage goes along as a suspension'
);
select internal.quiet_leaving(:acme, true, '2026-03-12T00:00Z') \g /dev/null
select is((select count(*) from kith.suspensions), 1::bigint, 'once');
select internal.forget_move(:acme) \g /dev/null

-- The target had other outages, when the tenant was not there.
delete from kith.outages;
insert into kith.outages (component, began_at, ended_at) values
  ('server', '2026-03-11T08:00Z', '2026-03-11T12:00Z'), ('server', '2026-03-11T23:00Z', '2026-03-12T00:30Z');
update kith.tenants set deleted_at = '2026-03-11T22:00Z' where slug = 'acme';
insert into kith.moving_tenants (tenant_id, state, changed_at) values (:acme, 'arriving', '2026-03-11T20:00Z');
select internal.begin_arriving(:acme, '2026-03-11T20:00Z') \g /dev/null
set local session_replication_role = origin;
select lives_ok(format($$ select internal.settle_arrival(%s, '2026-03-12T00:00Z') $$, :acme), 'a tenant that was deleted meanwhile arrives');
update kith.tenants set deleted_at = null where slug = 'acme';
select is(tests.missed(), 1, 'the day on which the other cell was away is still none, and that on which this one was away counts');
select is(tests.grants_at('2026-03-12T01:00Z'), '2026-03-12T11:20Z', 'a wait gets only the outage since the tenant came');
select is(internal.was_unreachable(:acme, '2026-03-11T09:00Z', '2026-03-11T10:00Z'), false, 'nobody was kept from checking in by the one before');
select is(internal.was_unreachable(:acme, '2026-03-10T10:30Z', '2026-03-10T10:31Z'), true, 'but by that of the former cell');
select results_eq(
  $$ select taken_xid > '3'::xid8, batch_is_reset from kith.webhooks $$, $$ values (true, true) $$,
  'a disabled endpoint does not keep a position of the other database, and is told so when it is enabled'
);

-- A tenant that arrives, beside the loops that do not ask whose rows they are.
select ok(internal.make_partition('pings', '2020_01', '2020-01-01', '2020-02-01') = 1, 'an old partition');
update kith.moving_tenants set state = 'arriving';
select is(internal.drop_partitions('2026-03-12T00:00Z', 10), 0, 'is not dropped while a tenant arrives, whose settings may come after its rows');
insert into kith.tenant_imports (tenant_id, began_at, manifest) values (:acme, now(), '{"move": true}') on conflict do nothing;
select bool_and(internal.guard_table(name, :acme)) from internal.unguarded_tables(:acme) as name \g /dev/null
set local session_replication_role = replica;
insert into kith.inbound_messages (tenant_id, channel, message_hash, received_at)
select tests.tenant(slug), 'sms', '\x0000000000000000000000000000000000000000000000000000000000000000', '2026-01-01T00:00Z'
from unnest(array['acme', 'globex']) as slug;
set local session_replication_role = origin;
select tests.as_role('kith_worker') \g /dev/null
select is(worker.sweep_answers('2026-03-12T00:00Z', 100), 1, 'others'' old rows are swept');
select tests.as_superuser() \g /dev/null
select is((select count(*) from kith.inbound_messages), 1::bigint, 'and those of the tenant stay');
update kith.moving_tenants set state = 'here';
select cmp_ok(internal.drop_partitions('2026-03-12T00:00Z', 10), '>', 0, 'then the partition is dropped');

-- After a restore.
insert into kith.incarnations (system_identifier, timeline, noticed_at, restored_to)
select system_identifier, timeline, now(), now() - interval '1 day' from internal.incarnation();
select matches(
  array_to_string(array(select internal.move_objections(false, true)), '; '), 'until an operator confirms it', 'nothing moves before an operator has confirmed a restore'
);
select * from finish();
rollback;
