-- Dates without pings, and who is told of them. Carol receives Alice's pings too.
begin;
\ir people.sql
select plan(82);

insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
values (tests.tenant('acme'), '0c000000-0000-7000-8000-000000000002', tests.id('alice'), tests.id('carol'), 'active', tests.id('carol'),
  '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z');
delete from kith.connections where tenant_id = tests.tenant('globex');

-- What a person is answered: the body, or the problem with its detail.
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

-- What was told since it was last asked.
create function tests.told() returns text
  language sql
as $$
  with told as (delete from kith.notifications returning *)
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

-- What is refused.
select tests.afresh();
select is(tests.ask('alice', $$ api.get_break('2026-03-02T08:00:00Z') $$), 'not_found', 'who has no break has none to see');
select is(tests.ask('alice', $$ api.delete_break('2026-03-02T08:00:00Z') $$), 'not_found', 'nor to end');
select is(tests.ask('bob', $$ api.put_break('{"from": "2026-03-02", "until": "2026-03-03"}', '2026-03-02T08:00:00Z') $$),
  'profile_required Set up your sender profile first.', 'who is no sender takes none');
select is(tests.ask('bob', $$ api.delete_break('2026-03-02T08:00:00Z') $$), 'not_found', 'and has none to end');
select is(tests.put_break('2026-03-04', '2026-03-03', '2026-03-02T08:00:00Z'),
  'validation_failed [{"field": "until", "message": "must not be before from"}]', 'a break does not end before it begins');
select is(tests.put_break('2026-02-20', '2026-03-01', '2026-03-02T08:00:00Z'),
  'validation_failed [{"field": "until", "message": "must not be in the past"}]', 'nor is it over');
select is(tests.put_break('2026-03-02', '2026-05-31', '2026-03-02T08:00:00Z'),
  'validation_failed [{"field": "until", "message": "must be at most 89 days after from: a break has at most 90 days"}]', '91 days are too many');
select is(tests.put_break('2027-03-03', '2027-03-03', '2026-03-02T08:00:00Z'),
  'validation_failed [{"field": "from", "message": "must be at most a year ahead"}]', 'more than a year ahead is too far');
select is(tests.put_break('2027-04-03', '2027-04-01', '2026-03-02T08:00:00Z'),
  'validation_failed [{"field": "from", "message": "must be at most a year ahead"}, {"field": "until", "message": "must not be before from"}]', 'each field is named');
select is(tests.breaks(), null, 'and nothing was written');
select is(tests.put_break('2027-03-02', '2027-05-30', '2026-03-02T08:00:00Z'), '{"from" : "2027-03-02", "until" : "2027-05-30"}', '90 days, a year ahead, are taken');

-- A break to come.
select tests.afresh();
select tests.work('2026-03-02T00:00:00Z') \g /dev/null
select is(tests.put_break('2026-03-03', '2026-03-04', '2026-03-02T08:00:00Z'), '{"from" : "2026-03-03", "until" : "2026-03-04"}', 'it is taken');
select is(tests.ask('alice', $$ api.get_break('2026-03-02T08:00:00Z') $$), '{"from" : "2026-03-03", "until" : "2026-03-04"}', 'and seen');
select is(tests.pings('2026-03-02'), 'scheduled scheduled', 'today''s pings stay');
select is(tests.work('2026-03-02T23:59:59Z'), 0, 'until midnight there is nothing to tell');
select is(tests.told(), null, 'so nobody was told yet');
select is(tests.ask('bob', $$ api.get_connection(tests.id('alice-bob'), '2026-03-02T08:00:00Z') ->> 'break' $$), '{"from" : "2026-03-03", "until" : "2026-03-04"}',
  'a receiver sees it coming');
select is(tests.work('2026-03-03T00:00:00Z'), 1, 'at the sender''s midnight it begins');
select is(tests.told(), 'ext-bob: Alice is taking a break until 2026-03-04. | ext-carol: Alice is taking a break until 2026-03-04.', 'and every receiver is told');
select is(tests.work('2026-03-03T00:00:10Z'), 0, 'once');
select is(tests.pings('2026-03-03'), null, 'its dates have no pings');
select tests.work('2026-03-04T00:00:00Z') \g /dev/null
select is(tests.pings('2026-03-04'), null, 'the last one neither');
select is(tests.told(), null, 'and there is nothing to tell on it');
select is((select array_agg(created order by ping_on) from kith.ping_runs where ping_on in ('2026-03-03', '2026-03-04')), array[0, 0]::bigint[], 'the runs say so');
select is(tests.work('2026-03-05T00:00:00Z'), 1, 'after it, it ends');
select is(tests.told(), 'ext-bob: Alice''s daily pings are on again. | ext-carol: Alice''s daily pings are on again.', 'which every receiver is told');
select is(tests.pings('2026-03-05'), 'scheduled scheduled', 'and pings are on again');
select is(tests.ask('alice', $$ api.get_break('2026-03-05T00:00:01Z') $$), 'not_found', 'a break that is over is none any more');
select is(tests.ask('bob', $$ api.get_connection(tests.id('alice-bob'), '2026-03-05T00:00:01Z') ->> 'break' $$), null, 'nor for a receiver');
select is(tests.breaks(), '2026-03-03..2026-03-04', 'but stays as history');

-- A break from today on.
select tests.afresh();
select tests.work('2026-03-02T00:00:00Z') \g /dev/null
update kith.pings set status = 'due' where connection_id = tests.id('alice-bob');
select is(tests.put_break('2026-03-02', '2026-03-05', '2026-03-02T09:10:00Z'), '{"from" : "2026-03-02", "until" : "2026-03-05"}', 'from today on');
select is(tests.pings('2026-03-02'), 'cancelled cancelled', 'today''s open pings are cancelled (X23)');
select is(tests.told(), 'ext-bob: Alice is taking a break until 2026-03-05. | ext-carol: Alice is taking a break until 2026-03-05.', 'and receivers are told at once');
select is(tests.work('2026-03-02T09:10:01Z'), 0, 'so that the worker has nothing to tell');
select tests.put_break('2026-03-02', '2026-03-05', '2026-03-02T09:11:00Z') \g /dev/null
select is(tests.told(), null, 'the same again tells nobody');
select tests.put_break('2026-03-02', '2026-03-06', '2026-03-02T09:12:00Z') \g /dev/null
select is(tests.told(), 'ext-bob: Alice is taking a break until 2026-03-06. | ext-carol: Alice is taking a break until 2026-03-06.', 'another end is told');
select is(tests.breaks(), '2026-03-02..2026-03-06 open', 'it is the same break');
select tests.as_definer('acme', 'alice');
select internal.bring_ping(tests.id('alice-bob'), '2026-03-02T09:13:00Z') \g /dev/null
select tests.as_superuser();
select is(tests.pings('2026-03-02'), 'cancelled cancelled', 'P13 brings no ping on a break');
select tests.ask('alice', $$ api.pause_connection(tests.id('alice-bob'), '2026-03-02T09:14:00Z') $$) \g /dev/null
select is(tests.ask('alice', $$ api.resume_connection(tests.id('alice-bob'), '2026-03-02T09:15:00Z') -> 'today_ping' ->> 'status' $$), 'cancelled', 'nor does resuming');
select is(tests.ask('alice', $$ api.put_sender_profile('{"ping_time": "10:00", "time_zone": "UTC"}', '2026-03-02T09:16:00Z') ->> 'ping_time' $$), '10:00', 'the time may change');
select is(tests.pings('2026-03-02'), 'cancelled cancelled', 'which brings none either');
delete from kith.notifications;

-- Coming back early.
select is(tests.ask('alice', $$ api.delete_break('2026-03-02T09:20:00Z') $$), null, 'who comes back says so');
select is(tests.pings('2026-03-02'), 'scheduled scheduled', 'and has today''s pings again (P13), at the time that is theirs by now');
select is(tests.told(), 'ext-bob: Alice''s daily pings are on again. | ext-carol: Alice''s daily pings are on again.', 'receivers are told at once');
select is(tests.breaks(), null, 'no day of it is left, and no row');
select is(tests.ask('alice', $$ api.delete_break('2026-03-02T09:20:01Z') $$), 'not_found', 'it cannot be ended twice');
select tests.put_break('2026-03-02', '2026-03-05', '2026-03-02T09:21:00Z') \g /dev/null
select tests.work('2026-03-04T00:00:00Z') \g /dev/null
delete from kith.notifications;
select tests.ask('alice', $$ api.delete_break('2026-03-04T12:00:00Z') $$) \g /dev/null
select is(tests.breaks(), '2026-03-02..2026-03-03', 'the days that were a break stay one');
select is(tests.pings('2026-03-04'), null, 'past the deadline today has no ping');
select tests.as_role('kith_worker');
select is(worker.find_gaps('2026-03-04T13:00:00Z', 100), 0, 'which the hourly check knows the reason of');
select tests.as_superuser();
select tests.work('2026-03-05T00:00:00Z') \g /dev/null
select is(tests.pings('2026-03-05'), 'scheduled scheduled', 'tomorrow has');

-- Taking back one that never began tells nobody.
select tests.afresh();
select tests.put_break('2026-03-05', '2026-03-06', '2026-03-02T09:00:00Z') \g /dev/null
select tests.ask('alice', $$ api.delete_break('2026-03-02T09:01:00Z') $$) \g /dev/null
select is(tests.told(), null, 'a break that never began tells nobody');
select tests.work('2026-03-05T00:00:00Z') \g /dev/null
select is(tests.pings('2026-03-05'), 'scheduled scheduled', 'and takes no ping');

-- Changing one that is under way.
select tests.afresh();
select tests.work('2026-03-02T00:00:00Z') \g /dev/null
select tests.put_break('2026-03-02', '2026-03-08', '2026-03-02T08:00:00Z') \g /dev/null
delete from kith.notifications;
select tests.put_break('2026-03-04', '2026-03-08', '2026-03-04T08:00:00Z') \g /dev/null
select is(tests.told() || tests.breaks(), null, 'who changes the first day to today is still away, and nobody is told');
select is(tests.breaks(), '2026-03-02..2026-03-03, 2026-03-04..2026-03-08 open', 'and the days before stay in the history');
select tests.work('2026-03-05T00:00:00Z') \g /dev/null
select tests.put_break('2026-03-10', '2026-03-12', '2026-03-05T08:00:00Z') \g /dev/null
select is(tests.told(), 'ext-bob: Alice''s daily pings are on again. | ext-carol: Alice''s daily pings are on again.', 'who puts it off is back');
select is(tests.pings('2026-03-05'), 'scheduled scheduled', 'with today''s pings');
select is(tests.breaks(), '2026-03-02..2026-03-03, 2026-03-04..2026-03-04, 2026-03-10..2026-03-12 open', 'and has a break to come');

-- Zones.
select tests.afresh();
update kith.connections set status = 'paused' where id = tests.id('alice-bob');
update kith.connections set status = 'pending' where receiver_id = tests.id('carol');
select tests.put_break('2026-03-03', '2026-03-03', '2026-03-02T08:00:00Z') \g /dev/null
select is(tests.ask('carol', $$ api.get_connection('0c000000-0000-7000-8000-000000000002', '2026-03-02T08:00:00Z') ->> 'break' $$), null,
  'who is only to consent sees no break');
select tests.work('2026-03-03T00:00:00Z') \g /dev/null
select is(tests.told(), null, 'and only receivers of active connections are told');
select tests.afresh();
select tests.put_break('2026-03-03', '2026-03-03', '2026-03-02T08:00:00Z') \g /dev/null
select tests.ask('alice', $$ api.put_sender_profile('{"ping_time": "09:00", "time_zone": "Pacific/Auckland"}', '2026-03-02T12:00:00Z') $$) \g /dev/null
select is((select (starts_at, ends_at)::text from kith.breaks), '("2026-03-02 11:00:00+00","2026-03-03 11:00:00+00")', 'a change of zone moves its instants');
select is(tests.work('2026-03-02T12:00:01Z'), 1, 'it begins when the date begins there');
select is(tests.pings('2026-03-03'), null, 'and that date has no ping');
delete from kith.notifications;
select tests.ask('alice', $$ api.put_sender_profile('{"ping_time": "09:00", "time_zone": "America/Los_Angeles"}', '2026-03-02T13:00:00Z') $$) \g /dev/null
select tests.ask('alice', $$ api.delete_break('2026-03-02T13:00:01Z') $$) \g /dev/null
select is(tests.told(), 'ext-bob: Alice''s daily pings are on again. | ext-carol: Alice''s daily pings are on again.',
  'who flies back before its first date and takes it back: the receivers had been told');
-- A date that was made ahead: in Auckland it had begun.
select tests.afresh();
update kith.sender_profiles set time_zone = 'Pacific/Auckland' where user_id = tests.id('alice');
select tests.ask('alice', $$ api.put_sender_profile('{"ping_time": "08:00", "time_zone": "Pacific/Auckland"}', '2026-03-02T11:00:00Z') $$) \g /dev/null
select is(tests.pings('2026-03-03'), 'scheduled scheduled', 'in Auckland the 3rd has begun, and has pings');
select tests.ask('alice', $$ api.put_sender_profile('{"ping_time": "08:00", "time_zone": "America/Los_Angeles"}', '2026-03-02T13:00:00Z') $$) \g /dev/null
select tests.put_break('2026-03-03', '2026-03-03', '2026-03-02T13:01:00Z') \g /dev/null
select is(tests.pings('2026-03-03'), 'cancelled cancelled', 'who lands in Los Angeles on the 2nd and takes the 3rd off loses what was made ahead');
select is(tests.told(), null, 'before it has begun there');
select tests.ask('alice', $$ api.delete_break('2026-03-02T13:02:00Z') $$) \g /dev/null
select is(tests.pings('2026-03-03'), 'scheduled scheduled', 'and has it again who takes that back');
-- A night's ping belongs to the date on which it was asked.
select tests.afresh();
update kith.sender_profiles set ping_time = '23:58' where user_id = tests.id('alice');
select tests.work('2026-03-02T00:00:00Z') \g /dev/null
update kith.pings set status = 'due';
select tests.put_break('2026-03-03', '2026-03-04', '2026-03-03T00:10:00Z') \g /dev/null
select is(tests.pings('2026-03-02'), 'due due', 'yesterday''s open ping is no ping of the break');
select is(tests.told() is not null, true, 'which begins at once');

-- A worker that was down.
select tests.afresh();
select tests.put_break('2026-03-03', '2026-03-05', '2026-03-02T08:00:00Z') \g /dev/null
select is(tests.work('2026-03-05T12:00:00Z'), 1, 'it tells late');
select is(tests.told(), 'ext-bob: Alice is taking a break until 2026-03-05. | ext-carol: Alice is taking a break until 2026-03-05.', 'of a break that is still on');
select tests.afresh();
update kith.sender_profiles set ping_time = '23:58' where user_id = tests.id('alice');
select tests.put_break('2026-03-03', '2026-03-05', '2026-03-02T08:00:00Z') \g /dev/null
select is(tests.work('2026-03-06T00:10:00Z'), 1, 'of one that is over');
select is(tests.told(), null, 'it tells nothing');
select is(tests.pings('2026-03-05'), null, 'and its last date has no ping, though the deadline would be ahead');
select is(tests.pings('2026-03-06'), 'scheduled scheduled', 'today has');

select tests.afresh();
select tests.put_break('2026-03-03', '2026-03-05', '2026-03-02T08:00:00Z') \g /dev/null
select tests.ask('mallory', $$ api.put_break('{"from": "2026-03-03", "until": "2026-03-04"}', '2026-03-02T08:00:00Z') $$) \g /dev/null
select tests.as_role('kith_worker');
select is(worker.turn_breaks('2026-03-06T00:00:00Z', 1), 1, 'where there are more than a batch takes');
select tests.as_superuser();
select is(tests.told(), null, 'what is over is not told as begun meanwhile');

-- Nobody is told of a hundred breaks.
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
  'too_many_requests Your break has begun or changed too often. Please wait an hour.', 'nobody is told of more than 10 beginnings an hour'
);
select is(
  tests.ask('alice', $$ api.delete_break('2026-03-02T08:31:00Z') $$), null,
  'an end is never refused: nobody would be asked for a sign of life, and nobody missed'
);
select is(
  tests.put_break('2026-03-02', '2026-03-05', '2026-03-02T09:10:01Z'), '{"from" : "2026-03-02", "until" : "2026-03-05"}', 'later, they are again'
);

-- A deleted tenant's people are told nothing.
select tests.afresh();
select tests.put_break('2026-03-03', '2026-03-05', '2026-03-02T08:00:00Z') \g /dev/null
update kith.tenants set deleted_at = '2026-03-02T12:00:00Z' where slug = 'acme';
select is(tests.work('2026-03-03T00:00:00Z'), 1, 'a deleted tenant''s break is done with');
select is(tests.told(), null, 'in silence');

select * from finish();
rollback;
