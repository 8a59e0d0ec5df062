-- Dates without pings, and the notifications about them. Carol receives Alice's pings too.
begin;
\ir people.sql
select plan(85);

insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
values (tests.tenant('acme'), '0c000000-0000-7000-8000-000000000002', tests.id('alice'), tests.id('carol'), 'active', tests.id('carol'),
  '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z');
delete from kith.connections where tenant_id = tests.tenant('globex');

-- A person's answer: the body, or the problem with its detail.
create function tests.ask(p_person text, p_call text) returns text
  language plpgsql
as $$
declare
  v_answer text;
  v_detail text;
begin
  perform tests.as_user('acme', p_person);
  begin
    execute 'select ' || p_call into v_answer;
  exception when others then
    get stacked diagnostics v_detail = pg_exception_detail;
    v_answer := concat_ws(' ', sqlerrm, nullif(v_detail, ''));
  end;
  perform tests.as_superuser();
  return v_answer;
end
$$;

create function tests.put_break(p_from date, p_until date, p_now timestamptz) returns text
  language sql
as $$
  select tests.ask('alice', format($call$ api.put_break('{"from": "%s", "until": "%s"}', %L) $call$, p_from, p_until, p_now))
$$;

create function tests.work(p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_turned integer;
begin
  perform tests.as_role('kith_worker');
  v_turned := worker.turn_breaks(p_now, 100);
  while worker.generate_daily_pings(p_now, 100) > 0 loop end loop;
  perform tests.as_superuser();
  return v_turned;
end
$$;

create function tests.pings(p_on date) returns text
  language sql
as $$
  select string_agg(status, ' ' order by connection_id) from kith.pings where ping_on = p_on and tenant_id = tests.tenant('acme')
$$;

-- The notifications since the last call.
create function tests.told() returns text
  language sql
as $$
  with gone as (delete from kith.notifications), told as (select * from tests.notifications)
  select string_agg(external_id || ': ' || body, ' | ' order by external_id)
  from told
  join kith.users on users.tenant_id = told.tenant_id and users.id = told.user_id
$$;

create function tests.breaks() returns text
  language sql
as $$
  select string_agg(format('%s..%s%s', from_on, until_on, case when ended_at is null then ' open' end), ', ' order by from_on, id) from kith.breaks
$$;

create function tests.afresh() returns void
  language sql
as $$
  delete from kith.breaks;
  delete from kith.pings;
  delete from kith.ping_runs;
  delete from kith.notifications;
  update kith.sender_profiles
  set break_from_on = null, break_until_on = null, time_zone = 'UTC', ping_time = '09:00', timed_at = '2026-01-05T08:00:00Z';
  update kith.connections set status = 'active', deleted_at = null;
  insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at)
  values (tests.tenant('acme'), 'UTC', '2026-03-02', '2026-03-02T00:00:00Z')
$$;

-- Refusals.
select tests.afresh();
select is(tests.ask('alice', $$ api.get_break('2026-03-02T08:00:00Z') $$), 'not_found', 'reading a break requires one');
select is(tests.ask('alice', $$ api.delete_break('2026-03-02T08:00:00Z') $$), 'not_found', 'ending a break requires one');
select is(tests.ask('bob', $$ api.put_break('{"from": "2026-03-02", "until": "2026-03-03"}', '2026-03-02T08:00:00Z') $$),
  'profile_required Set up your sender profile first.', 'only a sender can take a break');
select is(tests.ask('bob', $$ api.delete_break('2026-03-02T08:00:00Z') $$), 'not_found', 'somebody who is not a sender has no break to end');
select is(tests.put_break('2026-03-04', '2026-03-03', '2026-03-02T08:00:00Z'),
  'validation_failed [{"field": "until", "message": "must not be before the first day"}]', 'a break must not end before it begins');
select is(tests.put_break('2026-02-20', '2026-03-01', '2026-03-02T08:00:00Z'),
  'validation_failed [{"field": "until", "message": "must not be in the past"}]', 'a break must not end in the past');
select is(tests.put_break('2026-03-02', '2026-05-31', '2026-03-02T08:00:00Z'),
  'validation_failed [{"field": "until", "message": "must be at most 89 days after the first day: a break has at most 90 days"}]', '91 days are too many');
select is(tests.put_break('2027-03-03', '2027-03-03', '2026-03-02T08:00:00Z'),
  'validation_failed [{"field": "from", "message": "must be at most a year ahead"}]', 'a break must not begin more than a year ahead');
select is(tests.put_break('2027-04-03', '2027-04-01', '2026-03-02T08:00:00Z'),
  'validation_failed [{"field": "from", "message": "must be at most a year ahead"}, {"field": "until", "message": "must not be before the first day"}]', 'each invalid field is named');
select is(tests.breaks(), null, 'refused breaks write nothing');
select is(tests.put_break('2027-03-02', '2027-05-30', '2026-03-02T08:00:00Z'), '{"from" : "2027-03-02", "until" : "2027-05-30"}', 'a break of 90 days, a year ahead, is accepted');

-- A future break.
select tests.afresh();
select tests.work('2026-03-02T00:00:00Z') \g /dev/null
select is(tests.put_break('2026-03-03', '2026-03-04', '2026-03-02T08:00:00Z'), '{"from" : "2026-03-03", "until" : "2026-03-04"}', 'a future break is accepted');
select is(tests.ask('alice', $$ api.get_break('2026-03-02T08:00:00Z') $$), '{"from" : "2026-03-03", "until" : "2026-03-04"}', 'the sender can read the future break');
select is(tests.pings('2026-03-02'), 'scheduled scheduled', 'a future break leaves today''s pings');
select is(tests.work('2026-03-02T23:59:59Z'), 0, 'the worker has nothing to do until midnight');
select is(tests.told(), null, 'receivers are not told before the break begins');
select is(tests.ask('bob', $$ api.get_connection(tests.id('alice-bob'), '2026-03-02T08:00:00Z') ->> 'break' $$), '{"from" : "2026-03-03", "until" : "2026-03-04"}',
  'a receiver can see a future break');
select is(tests.work('2026-03-03T00:00:00Z'), 1, 'the break begins at the sender''s midnight');
select is(tests.told(), 'ext-bob: Alice is taking a break until 4 March 2026. | ext-carol: Alice is taking a break until 4 March 2026.', 'every receiver is told when it begins');
select is(tests.work('2026-03-03T00:00:10Z'), 0, 'the beginning is announced once');
select is(tests.pings('2026-03-03'), null, 'the first date of a break has no pings');
select tests.work('2026-03-04T00:00:00Z') \g /dev/null
select is(tests.pings('2026-03-04'), null, 'the last date of a break has no pings');
select is(tests.told(), null, 'nothing is announced within the break');
select is((select array_agg(created order by ping_on) from kith.ping_runs where ping_on in ('2026-03-03', '2026-03-04')), array[0, 0]::bigint[], 'the generation runs on its dates made no pings');
select is(tests.work('2026-03-05T00:00:00Z'), 1, 'the break ends after its last date');
select is(tests.told(), 'ext-bob: Alice''s daily pings are on again. | ext-carol: Alice''s daily pings are on again.', 'every receiver is told when it ends');
select is(tests.pings('2026-03-05'), 'scheduled scheduled', 'the day after it has pings');
select is(tests.ask('alice', $$ api.get_break('2026-03-05T00:00:01Z') $$), 'not_found', 'a break that is over is not returned');
select is(tests.ask('bob', $$ api.get_connection(tests.id('alice-bob'), '2026-03-05T00:00:01Z') ->> 'break' $$), null, 'a receiver no longer sees a break that is over');
select is(tests.breaks(), '2026-03-03..2026-03-04', 'the row of a past break stays as history');

-- A break from today on.
select tests.afresh();
select tests.work('2026-03-02T00:00:00Z') \g /dev/null
update kith.pings set status = 'due' where connection_id = tests.id('alice-bob');
select is(tests.put_break('2026-03-02', '2026-03-05', '2026-03-02T09:10:00Z'), '{"from" : "2026-03-02", "until" : "2026-03-05"}', 'a break that begins today is accepted');
select is(tests.pings('2026-03-02'), 'cancelled cancelled', 'today''s open pings are cancelled (X23)');
select is(tests.told(), 'ext-bob: Alice is taking a break until 5 March 2026. | ext-carol: Alice is taking a break until 5 March 2026.', 'receivers are told at once');
select is(tests.work('2026-03-02T09:10:01Z'), 0, 'the worker has nothing to announce');
select tests.put_break('2026-03-02', '2026-03-05', '2026-03-02T09:11:00Z') \g /dev/null
select is(tests.told(), null, 'setting the same break again tells nobody');
select tests.put_break('2026-03-02', '2026-03-06', '2026-03-02T09:12:00Z') \g /dev/null
select is(tests.told(), 'ext-bob: Alice is taking a break until 6 March 2026. | ext-carol: Alice is taking a break until 6 March 2026.', 'changing the end is announced');
select is(tests.breaks(), '2026-03-02..2026-03-06 open', 'changing the end keeps the same row');
select tests.as_definer('acme', 'alice');
select internal.bring_ping(tests.id('alice-bob'), '2026-03-02T09:13:00Z') \g /dev/null
select tests.as_superuser();
select is(tests.pings('2026-03-02'), 'cancelled cancelled', 'reconnecting during a break makes no ping (P13)');
select tests.ask('alice', $$ api.pause_connection(tests.id('alice-bob'), '2026-03-02T09:14:00Z') $$) \g /dev/null
select is(tests.ask('alice', $$ api.resume_connection(tests.id('alice-bob'), '2026-03-02T09:15:00Z') -> 'today_ping' ->> 'status' $$), 'cancelled', 'resuming during a break leaves today''s ping cancelled');
select is(tests.ask('alice', $$ api.put_sender_profile('{"ping_time": "10:00", "time_zone": "UTC"}', '2026-03-02T09:16:00Z') ->> 'ping_time' $$), '10:00', 'the ping time can be changed during a break');
select is(tests.pings('2026-03-02'), 'cancelled cancelled', 'changing the ping time during a break makes no ping');
delete from kith.notifications;

-- Ending a break early.
select is(tests.ask('alice', $$ api.delete_break('2026-03-02T09:20:00Z') $$), null, 'a break can be ended early');
select is(tests.pings('2026-03-02'), 'scheduled scheduled', 'ending a break restores today''s pings at their current time (P13)');
select is(tests.told(), 'ext-bob: Alice has resumed their connection with you | ext-carol: Alice''s daily pings are on again.',
  'receivers are told at once that it ended, and one whose connection was resumed meanwhile, of that (X35)');
select is(tests.breaks(), null, 'a break that ends on its first day leaves no row');
select is(tests.ask('alice', $$ api.delete_break('2026-03-02T09:20:01Z') $$), 'not_found', 'a break cannot be ended twice');
select tests.put_break('2026-03-02', '2026-03-05', '2026-03-02T09:21:00Z') \g /dev/null
select tests.work('2026-03-04T00:00:00Z') \g /dev/null
delete from kith.notifications;
select tests.ask('alice', $$ api.delete_break('2026-03-04T12:00:00Z') $$) \g /dev/null
select is(tests.breaks(), '2026-03-02..2026-03-03', 'a break that ends early keeps its past days');
select is(tests.pings('2026-03-04'), null, 'today has no ping if its deadline has passed');
select is(tests.find_gaps('2026-03-04T13:00:00Z'), 0::bigint, 'the hourly check accepts the break as the reason');
select tests.work('2026-03-05T00:00:00Z') \g /dev/null
select is(tests.pings('2026-03-05'), 'scheduled scheduled', 'the next day has pings');

-- Deleting a break that never began tells nobody.
select tests.afresh();
select tests.put_break('2026-03-05', '2026-03-06', '2026-03-02T09:00:00Z') \g /dev/null
select tests.ask('alice', $$ api.delete_break('2026-03-02T09:01:00Z') $$) \g /dev/null
select is(tests.told(), null, 'deleting a break that never began tells nobody');
select tests.work('2026-03-05T00:00:00Z') \g /dev/null
select is(tests.pings('2026-03-05'), 'scheduled scheduled', 'deleting a break that never began leaves the pings');

-- Changing a break that has begun.
select tests.afresh();
select tests.work('2026-03-02T00:00:00Z') \g /dev/null
select tests.put_break('2026-03-02', '2026-03-08', '2026-03-02T08:00:00Z') \g /dev/null
delete from kith.notifications;
select tests.put_break('2026-03-04', '2026-03-08', '2026-03-04T08:00:00Z') \g /dev/null
select is(tests.told() || tests.breaks(), null, 'moving the first day to today continues the break and tells nobody');
select is(tests.breaks(), '2026-03-02..2026-03-03, 2026-03-04..2026-03-08 open', 'the days before stay in the history');
select tests.work('2026-03-05T00:00:00Z') \g /dev/null
select tests.put_break('2026-03-10', '2026-03-12', '2026-03-05T08:00:00Z') \g /dev/null
select is(tests.told(), 'ext-bob: Alice''s daily pings are on again. | ext-carol: Alice''s daily pings are on again.', 'postponing the break tells receivers that it ended');
select is(tests.pings('2026-03-05'), 'scheduled scheduled', 'the sender has today''s pings again');
select is(tests.breaks(), '2026-03-02..2026-03-03, 2026-03-04..2026-03-04, 2026-03-10..2026-03-12 open', 'the postponed break is still to come');

-- Time zones.
select tests.afresh();
update kith.connections set status = 'paused' where id = tests.id('alice-bob');
update kith.connections set status = 'pending' where receiver_id = tests.id('carol');
select tests.put_break('2026-03-03', '2026-03-03', '2026-03-02T08:00:00Z') \g /dev/null
select is(tests.ask('carol', $$ api.get_connection('0c000000-0000-7000-8000-000000000002', '2026-03-02T08:00:00Z') ->> 'break' $$), null,
  'the receiver of a pending connection sees no break');
select tests.work('2026-03-03T00:00:00Z') \g /dev/null
select is(tests.told(), null, 'only receivers of active connections are told');
select tests.afresh();
select tests.put_break('2026-03-03', '2026-03-03', '2026-03-02T08:00:00Z') \g /dev/null
select tests.ask('alice', $$ api.put_sender_profile('{"ping_time": "09:00", "time_zone": "Pacific/Auckland"}', '2026-03-02T12:00:00Z') $$) \g /dev/null
select is((select (starts_at, ends_at)::text from kith.breaks), '("2026-03-02 11:00:00+00","2026-03-03 11:00:00+00")', 'a change of zone moves the break''s instants');
select is(tests.work('2026-03-02T12:00:01Z'), 1, 'the break begins when its first date begins in the new zone');
select is(tests.pings('2026-03-03'), null, 'the date of the break has no ping');
delete from kith.notifications;
select tests.ask('alice', $$ api.put_sender_profile('{"ping_time": "09:00", "time_zone": "America/Los_Angeles"}', '2026-03-02T13:00:00Z') $$) \g /dev/null
select tests.ask('alice', $$ api.delete_break('2026-03-02T13:00:01Z') $$) \g /dev/null
select is(tests.told(), 'ext-bob: Alice''s daily pings are on again. | ext-carol: Alice''s daily pings are on again.',
  'deleting it after flying back before its first date tells the receivers, who had been told that it began');
-- Pings made ahead: in Auckland the date had already begun.
select tests.afresh();
update kith.sender_profiles set time_zone = 'Pacific/Auckland' where user_id = tests.id('alice');
select tests.ask('alice', $$ api.put_sender_profile('{"ping_time": "08:00", "time_zone": "Pacific/Auckland"}', '2026-03-02T11:00:00Z') $$) \g /dev/null
select is(tests.pings('2026-03-03'), 'scheduled scheduled', 'the 3rd has begun in Auckland and has pings');
select tests.ask('alice', $$ api.put_sender_profile('{"ping_time": "08:00", "time_zone": "America/Los_Angeles"}', '2026-03-02T13:00:00Z') $$) \g /dev/null
select tests.put_break('2026-03-03', '2026-03-03', '2026-03-02T13:01:00Z') \g /dev/null
select is(tests.pings('2026-03-03'), 'cancelled cancelled', 'a break on the 3rd, taken in Los Angeles on the 2nd, cancels the pings made ahead');
select is(tests.told(), null, 'a break that has not begun in the sender''s zone is not announced');
select tests.ask('alice', $$ api.delete_break('2026-03-02T13:02:00Z') $$) \g /dev/null
select is(tests.pings('2026-03-03'), 'scheduled scheduled', 'deleting that break restores the pings');
-- A ping of the evening belongs to the date for which it was made.
select tests.afresh();
update kith.sender_profiles set ping_time = '23:58' where user_id = tests.id('alice');
select tests.work('2026-03-02T00:00:00Z') \g /dev/null
update kith.pings set status = 'due';
select tests.put_break('2026-03-03', '2026-03-04', '2026-03-03T00:10:00Z') \g /dev/null
select is(tests.pings('2026-03-02'), 'due due', 'yesterday''s open ping is not affected by a break from today');
select is(tests.told() is not null, true, 'the break itself begins at once');
select tests.afresh();
update kith.sender_profiles set ping_time = '23:58' where user_id = tests.id('alice');
select tests.work('2026-03-02T00:00:00Z') \g /dev/null
update kith.pings set status = 'due';
select tests.put_break('2026-03-02', '2026-03-04', '2026-03-03T00:10:00Z') \g /dev/null
select is(tests.pings('2026-03-02'), 'cancelled cancelled', 'a break that includes yesterday cancels yesterday''s open ping (X23)');
select tests.afresh();
update kith.sender_profiles set ping_time = '23:58' where user_id = tests.id('alice');
select tests.work('2026-03-02T00:00:00Z') \g /dev/null
update kith.pings set status = 'due';
select tests.put_break('2026-03-02', '2026-03-04', '2026-03-03T01:28:00Z') \g /dev/null
select is(tests.pings('2026-03-02'), 'due due', 'but not from its deadline on (X34)');

-- A worker that was down.
select tests.afresh();
select tests.put_break('2026-03-03', '2026-03-05', '2026-03-02T08:00:00Z') \g /dev/null
select is(tests.work('2026-03-05T12:00:00Z'), 1, 'a worker that was down announces the break late');
select is(tests.told(), 'ext-bob: Alice is taking a break until 5 March 2026. | ext-carol: Alice is taking a break until 5 March 2026.', 'a break that is still on is announced');
select tests.afresh();
update kith.sender_profiles set ping_time = '23:58' where user_id = tests.id('alice');
select tests.put_break('2026-03-03', '2026-03-05', '2026-03-02T08:00:00Z') \g /dev/null
select is(tests.work('2026-03-06T00:10:00Z'), 1, 'a worker that was down processes a break that is over');
select is(tests.told(), null, 'a break that is over is not announced');
select is(tests.pings('2026-03-05'), null, 'the last date of a missed break has no ping, although the deadline would be ahead');
select is(tests.pings('2026-03-06'), 'scheduled scheduled', 'today has pings');

select tests.afresh();
select tests.put_break('2026-03-03', '2026-03-05', '2026-03-02T08:00:00Z') \g /dev/null
select tests.ask('mallory', $$ api.put_break('{"from": "2026-03-03", "until": "2026-03-04"}', '2026-03-02T08:00:00Z') $$) \g /dev/null
select tests.as_role('kith_worker');
select is(worker.turn_breaks('2026-03-06T00:00:00Z', 1), 1, 'a small batch leaves breaks for the next one');
select tests.as_superuser();
select is(tests.told(), null, 'a break that is over is not announced between two batches');

-- The number of announcements is limited.
select tests.afresh();
select tests.put_break('2026-03-02', '2026-03-05', '2026-03-02T08:00:00Z') \g /dev/null
do $$
begin
  for v_n in 1 .. 9 loop
    perform tests.put_break('2026-03-02', date '2026-03-05' + (v_n % 2), '2026-03-02T08:00:00Z'::timestamptz + v_n * interval '1 minute');
  end loop;
end
$$;
select is(
  tests.put_break('2026-03-02', '2026-03-05', '2026-03-02T08:30:00Z'),
  'too_many_requests Your break has begun or changed too often. Please wait an hour.', 'receivers are told of at most 10 beginnings an hour'
);
create function tests.wait_for_break(p_now timestamptz) returns text
  language plpgsql
as $$
declare
  v_hint text;
begin
  perform api.put_break('{"from": "2026-03-02", "until": "2026-03-05"}', p_now);
  return null;
exception when sqlstate 'KT429' then
  get stacked diagnostics v_hint = pg_exception_hint;
  return v_hint;
end
$$;
select tests.as_user('acme', 'alice');
select is(tests.wait_for_break('2026-03-02T08:30:00Z'), '1800', 'and the refusal says how many seconds to wait');
select tests.as_superuser();
select is(
  tests.ask('alice', $$ api.delete_break('2026-03-02T08:31:00Z') $$), null,
  'ending a break is never refused, because check-ins would not be asked for'
);
select is(
  tests.put_break('2026-03-02', '2026-03-05', '2026-03-02T09:10:01Z'), '{"from" : "2026-03-02", "until" : "2026-03-05"}', 'beginnings are announced again an hour later'
);

-- A deleted tenant's users are told nothing.
select tests.afresh();
select tests.put_break('2026-03-03', '2026-03-05', '2026-03-02T08:00:00Z') \g /dev/null
update kith.tenants set deleted_at = '2026-03-02T12:00:00Z' where slug = 'acme';
select is(tests.work('2026-03-03T00:00:00Z'), 1, 'a deleted tenant''s break is processed');
select is(tests.told(), null, 'the users of a deleted tenant are told nothing');

select * from finish();
rollback;
