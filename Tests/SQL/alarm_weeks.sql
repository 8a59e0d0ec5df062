-- An alarm lives its seven days whatever its sender's plan says and whatever happens in it: no check of its row fails a step of it, or a call for help.
begin;
\ir people.sql
\ir alarm_house.sql
select plan(16);
insert into kith.channel_credentials (tenant_id, channel, sealed, summary, created_at, updated_at)
values (tests.tenant('acme'), 'sms', '\x00', '{}', '2026-03-01Z', '2026-03-01Z');

-- A miss of 2 March with a plan, then a week in which each act happens at its hour, and the worker comes every quarter of an hour.
create function tests.week(p_plan jsonb, p_acts jsonb) returns void
  language plpgsql
as $$
declare
  v_now timestamptz := '2026-03-02T10:45Z';
  v_act text;
begin
  perform tests.does('alice', format('api.put_alarm_plan(%L, %L)', p_plan, '2026-03-01Z'));
  perform tests.miss('2026-03-02');
  while v_now < '2026-03-09T11:00Z' loop
    perform tests.tell(v_now);
    v_act := p_acts ->> (extract(epoch from v_now - '2026-03-02T10:45Z') / 900)::integer::text;
    if v_act = 'help' then
      perform tests.help('alice', v_now, 'At ' || v_now);
    elsif v_act = 'desk' then
      perform tests.does('alice', format('api.put_alarm_plan(%L, %L)', '{"tiers": [{"after_minutes": 0}, {"after_minutes": 30, "desk": true}]}', v_now));
    elsif v_act is not null then
      perform tests.act('bob', v_act, v_now);
    end if;
    v_now := v_now + interval '15 minutes';
  end loop;
end
$$;

savepoint week;
select tests.week('{"tiers": [{"after_minutes": 0}, {"after_minutes": 60, "desk": true}], "repeat_minutes": [30, 120, 720]}', '{}') \g /dev/null
select is_empty('select * from kith.set_aside', 'where the plan has a desk and the tenant has none, no step of the alarm fails');
select is((select repeats_told from kith.alarms), 3, 'each repeat is told');
select is((select outcome from kith.alarms), 'expired', 'and after seven days it ends');
rollback to week;
select tests.week('{"tiers": [{"after_minutes": 0}, {"after_minutes": 60, "desk": true}], "repeat_minutes": [30, 120, 720]}', '{"100": "take"}') \g /dev/null
select is_empty('select * from kith.set_aside', 'somebody takes it on the second day');
select is((select string_agg(kind, ' ' order by id) from kith.alarm_entries where kind in ('taken', 'lapsed', 'expired')), 'taken lapsed expired', 'who does nothing more');
select is(tests.told('alarm_check'), 'Bob', 'and is asked');
rollback to week;
select tests.week('{"tiers": [{"after_minutes": 0}], "repeat_minutes": [720]}', '{"60": "help", "61": "desk", "62": "help", "200": "help", "300": "take", "301": "help", "302": "release", "600": "help"}') \g /dev/null
select is_empty('select * from kith.set_aside', 'the sender calls for help again and again, and has a desk only since');
select is((select count(*) from kith.alarm_entries where kind = 'help'), 5::bigint, 'each call is there');
select is((select expires_at from kith.alarms), '2026-03-15T16:45:00Z', 'and seven days count from the last one');
rollback to week;

-- A call in an alarm that is older than any plan may wait, beyond those that begin its repeats anew.
select tests.help('alice', '2026-03-02T07:00Z') \g /dev/null
select count(tests.help('alice', '2026-03-02T19:10Z'::timestamptz + n * interval '3 minutes')) from generate_series(1, 10) as n \g /dev/null
select tests.does('alice', $$api.put_alarm_plan('{"tiers": [{"after_minutes": 0}, {"after_minutes": 30, "desk": true}]}', '2026-03-02T20:00Z')$$) \g /dev/null
select is(tests.help('alice', '2026-03-03T07:41Z', 'Pain') ->> 'status', 'open', 'is never refused');
select is(tests.help('alice', '2026-03-03T19:15Z', 'Pain again') ->> 'status', 'open', 'also a day later');
-- The worker tries at once a row of that alarm that it had set aside.
insert into kith.set_aside (tenant_id, loop, key, sqlstate, place, first_at, tries, retry_at)
select tenant_id, 'tell_alarms', id::text, '23514', '', '2026-03-03T19:00Z', 9, '2026-03-04T10:00Z' from kith.alarms;
select tests.tell('2026-03-03T21:30Z') \g /dev/null
select is((select next_at < '2026-03-03T21:30Z' from kith.alarms), true, 'an alarm that is set aside waits');
select tests.help('alice', '2026-03-03T21:31Z', 'Worse') \g /dev/null
select tests.tell('2026-03-03T21:31Z') \g /dev/null
select is((select next_at > '2026-03-03T21:31Z' from kith.alarms), true, 'until its sender calls again');
select is_empty('select * from kith.set_aside', 'and goes on');
rollback to week;

-- Beyond ten calls, one that follows an end goes on with the alarm, also if its seven days have passed since then.
select count(tests.help('alice', '2026-03-02T19:10Z'::timestamptz + n * interval '3 minutes')) from generate_series(1, 10) as n \g /dev/null
select tests.check_in('alice', '2026-03-02T20:00Z') \g /dev/null
update kith.alarms set expires_at = '2026-03-02T20:01Z';
select is(tests.help('alice', '2026-03-02T20:05Z') ->> 'status', 'open', 'a call goes on with an alarm whose week ended since it was ended');
select is((select string_agg(expires_at::text, ', ') from kith.alarms), '2026-03-09 20:05:00+00', 'and gives it another one');
select * from finish();
rollback;
