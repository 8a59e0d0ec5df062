-- The hourly check that no connection lacks a ping without a reason (X25).
begin;
\ir people.sql
select plan(44);

create function tests.afresh() returns void
  language sql
as $$
  delete from kith.ping_gaps;
  delete from kith.pings;
  delete from kith.ping_runs;
  insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at, finished_at)
  select tenant_id, 'UTC', date '2026-03-02', timestamptz '2026-03-02T00:00:00Z', timestamptz '2026-03-02T00:00:01Z' from kith.tenants
  union all
  select tenant_id, 'UTC', '2026-03-03', '2026-03-03T00:00:00Z', null from kith.tenants
$$;
-- Mallory has no connection; Alice of globex is not part of these tests.
delete from kith.connections where tenant_id = tests.tenant('globex');

select tests.afresh();
select is(tests.find_gaps('2026-03-02T08:00:00Z'), 1::bigint, 'a connection without a ping is a gap');
select is((select (status, scheduled_at, remind_at, deadline_at)::text from kith.pings),
  '(scheduled,"2026-03-02 09:00:00+00","2026-03-02 10:15:00+00","2026-03-02 10:30:00+00")', 'a gap is repaired while its deadline is ahead');
select is((select (ping_on, connection_id, mended)::text from kith.ping_gaps), format('(2026-03-02,%s,t)', tests.id('alice-bob')), 'the gap is recorded as repaired');
select is(tests.find_gaps('2026-03-02T08:00:01Z'), 0::bigint, 'a gap is repaired once');

select tests.afresh();
select is(tests.find_gaps('2026-03-02T09:30:00Z'), 1::bigint, 'a gap is found between the scheduled time and the deadline');
select is((select status from kith.pings), 'scheduled', 'the repaired ping is scheduled, so that the sender is told');
select tests.afresh();
select is(tests.find_gaps('2026-03-02T12:00:00Z'), 1::bigint, 'a gap is found past the deadline');
select is((select count(*) from kith.pings), 0::bigint, 'a gap past the deadline is not repaired');
select is((select mended from kith.ping_gaps), false, 'the gap is recorded as not repaired');
select is(tests.find_gaps('2026-03-02T13:00:00Z'), 0::bigint, 'a gap is recorded once');
create function tests.not_made(p_on date) returns text
  language sql
as $$
  select string_agg(concat_ws(' ', sender, receiver, to_char(deadline_at at time zone 'UTC', 'HH24:MI'), why), '; ')
  from admin.pings_not_made('acme', p_on, null, '2026-03-02T13:00Z')
$$;
select is(tests.not_made('2026-03-02'), 'Alice Bob 10:30 the hourly check found it too late, at 2026-03-02 12:00:00Z', 'an operator sees whose ping it was');
select throws_ok($$ select tests.not_made('2020-03-02') $$, 'KT422', 'validation_failed', 'of a date whose pings are gone nobody can tell');

-- Reasons.
select tests.afresh();
update kith.connections set activated_at = '2026-03-02T10:30:00Z';
select is(tests.find_gaps('2026-03-02T12:00:00Z'), 0::bigint, 'connecting after the deadline is a reason');
update kith.connections set activated_at = '2026-01-05T08:00:00Z';
update kith.sender_profiles set timed_at = '2026-03-02T10:30:00Z' where user_id = tests.id('alice');
select is(tests.find_gaps('2026-03-02T12:00:00Z'), 0::bigint, 'changing the times after the deadline is a reason');
update kith.sender_profiles set timed_at = '2026-01-05T08:00:00Z';
update kith.ping_runs set skipped = 1, finished_at = '2026-03-02T10:45:00Z' where ping_on = '2026-03-02';
select is(tests.find_gaps('2026-03-02T12:00:00Z'), 0::bigint, 'a ping skipped by a late run is already recorded there');
select is(tests.not_made('2026-03-02'), 'Alice Bob 10:30 its run came too late, and was finished at 2026-03-02 10:45:00Z', 'and an operator sees whose it was');
update kith.connections set activated_at = '2026-03-02T10:30:00Z';
select is(tests.not_made('2026-03-02'), null, 'but not that of somebody who connected later');
update kith.connections set activated_at = '2026-01-05T08:00:00Z';
select is(tests.not_made('2026-03-01'), null, 'nor any of another date');
select tests.afresh();
update kith.connections set status = 'paused';
select is(tests.find_gaps('2026-03-02T08:00:00Z'), 0::bigint, 'a paused connection needs no ping');
update kith.connections set status = 'active';
update kith.connections set pings_stopped_at = '2026-03-01T00:00:00Z';
select is(tests.find_gaps('2026-03-02T08:00:00Z'), 0::bigint, 'a lapsed subscription is a reason');
update kith.connections set pings_stopped_at = null;
update kith.sender_profiles set break_from_on = '2026-03-01', break_until_on = '2026-03-02' where user_id = tests.id('alice');
select is(tests.find_gaps('2026-03-02T08:00:00Z'), 0::bigint, 'a break is a reason on its last date');
update kith.sender_profiles set break_from_on = '2026-03-02', break_until_on = '2026-03-03' where user_id = tests.id('alice');
select is(tests.find_gaps('2026-03-02T08:00:00Z'), 0::bigint, 'a break is a reason on its first date');
update kith.sender_profiles set break_from_on = '2026-03-03', break_until_on = '2026-03-03' where user_id = tests.id('alice');
select is(tests.find_gaps('2026-03-02T08:00:00Z'), 1::bigint, 'a break is no reason on the day before');
select tests.afresh();
update kith.sender_profiles set break_from_on = '2026-02-20', break_until_on = '2026-03-01' where user_id = tests.id('alice');
select is(tests.find_gaps('2026-03-02T08:00:00Z'), 1::bigint, 'a break is no reason on the day after');
select tests.afresh();
update kith.sender_profiles set break_from_on = null, break_until_on = null;
update kith.tenants set deleted_at = '2026-03-01T00:00:00Z';
select is(tests.find_gaps('2026-03-02T08:00:00Z'), 0::bigint, 'a deleted tenant''s connection needs no ping');
update kith.tenants set deleted_at = null;
update kith.ping_runs set finished_at = null where ping_on = '2026-03-02';
select is(tests.find_gaps('2026-03-02T08:00:00Z'), 0::bigint, 'a run that has not reached the sender yet is late, not a gap');
update kith.ping_runs set cursor_sender_id = 'ffffffff-ffff-ffff-ffff-ffffffffffff' where ping_on = '2026-03-02';
select is(tests.find_gaps('2026-03-02T08:00:00Z'), 1::bigint, 'a sender that the run has passed is a gap');
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
select tenant_id, '2026-03-02', id, internal.uuid7('2026-03-02Z'), sender_id, receiver_id, 'cancelled', '2026-03-02T09:00Z', '2026-03-02T10:30Z' from kith.connections
on conflict (tenant_id, ping_on, connection_id) do update set status = 'cancelled';
delete from kith.ping_gaps;
select is(tests.find_gaps('2026-03-02T08:00:00Z'), 0::bigint, 'a cancelled ping is no gap');

-- In parts, once an hour.
select tests.afresh();
update kith.gap_checks set began_at = '1970-01-01Z', finished_at = '1970-01-01Z';
create function tests.parts(p_now timestamptz) returns text
  language plpgsql
as $$
begin
  return format('%s checked, %s found', worker.find_gaps(p_now, 1), (select count(*) from kith.ping_gaps));
end
$$;
create function tests.obstacles(p_now timestamptz) returns text
  language sql
as $$ select string_agg(what, '; ') from internal.obstacles(p_now) $$;
select is(tests.obstacles('2026-03-02T08:00:00Z'), null, 'before the first check nothing is overdue');
select tests.as_role('kith_worker');
select is(tests.parts('2026-03-02T08:00:00Z'), '1 checked, 0 found', 'a call checks as many senders as it is told');
select is(tests.parts('2026-03-02T08:00:01Z'), '1 checked, 1 found', 'the next call checks the next sender');
select is(tests.parts('2026-03-02T08:00:02Z'), '1 checked, 1 found', 'and of the next tenant');
select is(tests.parts('2026-03-02T08:00:03Z'), '0 checked, 1 found', 'a check ends after the last sender');
select is(tests.parts('2026-03-02T08:59:59Z'), '0 checked, 1 found', 'there is no other check within the hour');
select tests.as_superuser();
select is(tests.obstacles('2026-03-02T11:00:00Z'), 'connections that the hourly check found without a ping: 1', 'an operator sees what the last check found');
select is(tests.obstacles('2026-03-02T11:00:04Z'), 'connections that the hourly check found without a ping: 1; the hourly check for missing pings was last done at 2026-03-02 08:00:03Z', 'and that a check is overdue');
select tests.as_role('kith_worker');
select is(tests.parts('2026-03-02T09:00:00Z'), '1 checked, 1 found', 'after an hour the next check begins');
select is(worker.find_gaps('2026-03-02T09:00:00Z', 100), 2, 'a call with room for more finishes the check');
select is(worker.find_gaps('2026-03-02T08:00:00Z', 100), 3, 'a clock that was set back starts a check');
select is(worker.find_gaps('2026-03-02T08:59:59Z', 100), 0, 'which is not repeated within the hour either');
select tests.as_superuser();
select is(tests.obstacles('2026-03-02T09:00:00Z'), null, 'a check that finds nothing ends the warning');

-- A broken chain of runs.
delete from kith.ping_runs; delete from kith.pings; delete from kith.ping_gaps;
select is(tests.find_gaps('2026-03-02T08:00:00Z'), 0::bigint, 'without any run the check makes no ping');
select is((select array_agg((tenant_id - 2000000000, time_zone, ping_on)::text order by tenant_id) from kith.ping_runs),
  array['(1,UTC,2026-03-02)', '(2,UTC,2026-03-02)'], 'the check restarts the chain of every zone in use');
select tests.as_role('kith_worker');
select worker.generate_daily_pings('2026-03-02T08:00:00Z', 100) \g /dev/null
select tests.as_superuser();
select is((select array_agg((ping_on, created)::text order by ping_on, tenant_id) from kith.ping_runs where ping_on >= '2026-03-02'),
  array['(2026-03-02,1)', '(2026-03-02,0)', '(2026-03-03,0)', '(2026-03-03,0)'], 'the restarted chain makes today''s pings and continues');

select * from finish();
rollback;
