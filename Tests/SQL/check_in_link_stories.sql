-- The page of a check-in link (J01) in what else happens to its reader: until when it is good, and what it says.
begin;
\ir people.sql
\ir pairs_house.sql
select plan(27);

-- Alice's link of the date, as the worker keeps it before the message leaves.
create function tests.link(p_on date, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.as_role('kith_worker');
  perform worker.keep_check_in_links(array[tests.tenant('acme')], array[tests.id('alice')], array[p_on], array[sha256(p_on::text::bytea)], p_now);
  perform tests.as_superuser();
end
$$;
-- The text of that link's page, or the effect of its button once the page has asked its question.
create function tests.page(p_on date, p_now timestamptz, p_action text default null) returns text
  language plpgsql
as $$
declare
  v_page jsonb;
begin
  perform tests.as_role('kith_api');
  if p_action is null then
    v_page := api.check_in_page(tests.tenant('acme'), sha256(p_on::text::bytea), p_now);
  else
    v_page := api.use_check_in_link(tests.tenant('acme'), sha256(p_on::text::bytea), p_action, p_now, p_now);
  end if;
  perform tests.as_superuser();
  return case
    when (v_page ->> 'is_open')::boolean then
      concat_ws(' ', 'open', right(v_page ->> 'checked_in_at', 5), (v_page ->> 'told') || ' told')
    else 'ended'
  end;
end
$$;
create function tests.day(p_on date, p_times variadic time[]) returns void
  language plpgsql
as $$
declare
  v_time time;
begin
  perform tests.begin_day(p_on);
  foreach v_time in array p_times loop
    perform tests.work((p_on + v_time) at time zone 'UTC');
  end loop;
end
$$;
create function tests.alarms() returns text
  language sql
as $$
  select string_agg(kind || ' ' || coalesce(outcome, 'open'), ', ' order by opened_at) from kith.alarms
$$;

-- Alice, who has e-mail alone, misses the day before her break.
create function tests.break() returns void
  language sql
as $$
  select tests.act('alice', $a$ api.put_break('{"from": "2026-03-03", "until": "2026-03-20"}', '2026-03-01T12:00Z') $a$);
  select tests.day('2026-03-02', '09:00:01');
  select tests.link('2026-03-02', '2026-03-02T09:00:02Z');
  select tests.work('2026-03-02T10:30:10Z');
  select tests.day('2026-03-03', '09:00:01')
$$;
select is(tests.after('select tests.break()', 'select tests.alarms()'), 'missed open', 'a miss before a break opens an alarm');
select is(
  tests.after('select tests.break()', $$ select tests.page('2026-03-02', '2026-03-03T09:30Z') $$), 'open',
  'on a break no ping brings another link: the newest one stays good'
);
select is(
  tests.after($$ select tests.break(), tests.page('2026-03-02', '2026-03-03T09:30Z', 'safe') $$, 'select tests.alarms()'), 'missed checked_in',
  'its button ends the alarm'
);
select is(
  tests.after('select tests.break()', $$ select tests.page('2026-03-02', '2026-03-03T09:30Z', 'help') $$), 'open 1 told', 'and the other one calls for help'
);
select is(
  tests.after($$ select tests.break(), tests.act('bob', format('api.resolve_alarm(%L, ''safe'', null, null, ''2026-03-02T12:00Z'')', tests.alarm())) $$,
    $$ select tests.page('2026-03-02', '2026-03-03T09:30Z') || ', ' || tests.alarms() $$), 'open, missed safe',
  'without an alarm too, as no newer message has a link'
);
select is(
  tests.after('select tests.break()', $$ select tests.page('2026-03-02', '2026-03-09T09:00:01Z') $$), 'open', 'but not for more than seven days'
);
select is(
  tests.after('select tests.break()', $$ select tests.page('2026-03-02', '2026-03-09T09:00:02Z') $$), 'ended', 'whether it has been swept or not'
);
select is(
  tests.after(
    $$
      select tests.break(), tests.act('bob', format('api.resolve_alarm(%L, ''safe'', null, null, ''2026-03-02T12:00Z'')', tests.alarm())),
        tests.act('alice', $a$ api.delete_break('2026-03-03T12:00Z') $a$), tests.day('2026-03-04', '09:00:01')
    $$,
    $$ select tests.page('2026-03-02', '2026-03-04T09:00:02Z') $$
  ), 'ended', 'the next ping for which she is asked ends it'
);

-- The worker is late: the message with the next link has not been written.
select is(
  tests.after(
    $$ select tests.day('2026-03-02', '09:00:01'), tests.link('2026-03-02', '2026-03-02T09:00:02Z'), tests.page('2026-03-02', '2026-03-02T09:10Z', 'safe'),
      tests.begin_day('2026-03-03') $$,
    $$ select tests.page('2026-03-02', '2026-03-03T09:00:30Z') $$
  ), 'open', 'a ping for which nobody has been asked yet ends no link'
);

-- A miss, and the next day's ping.
create function tests.two_days() returns void
  language sql
as $$
  select tests.day('2026-03-02', '09:00:01');
  select tests.link('2026-03-02', '2026-03-02T09:00:02Z');
  select tests.work('2026-03-02T10:30:10Z');
  select tests.day('2026-03-03', '09:00:01')
$$;
select is(
  tests.after('select tests.two_days()', $$ select tests.page('2026-03-02', '2026-03-03T09:05Z') $$), 'open',
  'while the alarm of its day is open, a link goes on, although there is a newer one'
);
select is(
  tests.after('select tests.two_days()', $$ select tests.page('2026-03-02', '2026-03-03T09:05Z', 'safe') $$), 'open 09:05',
  'who ends the alarm by it is thanked, not told that the link is old'
);
select is(
  tests.after($$ select tests.two_days(), tests.page('2026-03-02', '2026-03-03T09:05Z', 'safe') $$,
    $$ select tests.alarms() || ', ' || tests.page('2026-03-02', '2026-03-03T09:06Z') $$), 'missed checked_in, ended', 'and then it has ended'
);
select is(
  tests.after(
    $$ select tests.day('2026-03-02', '09:00:01'), tests.link('2026-03-02', '2026-03-02T09:00:02Z'), tests.page('2026-03-02', '2026-03-02T09:10Z', 'safe'),
      tests.day('2026-03-03', '09:00:01', '10:30:10') $$,
    $$ select tests.alarms() || ', ' || tests.page('2026-03-02', '2026-03-03T10:31Z') $$
  ), 'missed open, ended', 'an alarm of a later day does not bring it back'
);
select is(
  tests.after(
    $$ select tests.two_days(), tests.page('2026-03-02', '2026-03-03T09:05Z', 'help') $$, $$ select tests.page('2026-03-02', '2026-03-03T09:06Z', 'safe') $$
  ), 'open 09:06', 'an alarm that has become a call for help since keeps it too'
);

-- A question shortly before the time of a ping that does not come.
create function tests.asked_at_night() returns void
  language sql
as $$
  update kith.sender_profiles set ping_time = '00:10' where user_id = tests.id('alice');
  select tests.act('alice', $a$ api.put_break('{"from": "2026-03-02", "until": "2026-03-20"}', '2026-03-01T12:00Z') $a$);
  select tests.day('2026-03-02', '00:10:01');
  select tests.act('bob', $a$ api.ask_sender(tests.id('alice-bob'), '2026-03-02T23:50Z') $a$);
  select tests.link('2026-03-02', '2026-03-02T23:50:02Z');
  select tests.day('2026-03-03', '00:10:01')
$$;
select is(
  tests.after($$ select tests.asked_at_night(), tests.page('2026-03-02', '2026-03-03T00:15Z', 'safe') $$,
    $$ select is_answered || ', ' || tests.page('2026-03-02', '2026-03-03T00:16Z') from kith.asks $$),
  'true, open 00:15', 'a question on a break is answered by its link beyond midnight'
);

-- The page shows the time of a check-in, and none while something waits.
create function tests.checked_in() returns void
  language sql
as $$
  select tests.day('2026-03-02', '09:00:01');
  select tests.link('2026-03-02', '2026-03-02T09:00:02Z');
  select tests.page('2026-03-02', '2026-03-02T09:02Z', 'safe')
$$;
select is(
  tests.after('select tests.checked_in()', $$ select tests.page('2026-03-02', '2026-03-02T15:00Z') $$), 'open 09:02', 'the page says when its reader checked in'
);
select is(
  tests.after($$ select tests.checked_in(), tests.act('alice', $a$ api.check_in(null, false, null, 'app', '2026-03-02T12:00Z') $a$) $$,
    $$ select tests.page('2026-03-02', '2026-03-02T15:00Z') $$), 'open 09:02', 'also after another check-in'
);
select is(
  tests.after(
    $$ select tests.day('2026-03-02', '09:00:01'), tests.link('2026-03-02', '2026-03-02T09:00:02Z'),
      tests.act('alice', $a$ api.check_in(null, false, null, 'app', '2026-03-02T12:00Z') $a$) $$,
    $$ select tests.page('2026-03-02', '2026-03-02T15:00Z') $$
  ), 'open 12:00', 'or when they did in another way'
);
select is(
  tests.after($$ select tests.checked_in(), tests.act('bob', $a$ api.ask_sender(tests.id('alice-bob'), '2026-03-02T15:00Z') $a$) $$,
    $$ select tests.page('2026-03-02', '2026-03-02T15:05Z') $$), 'open', 'not while a question waits for an answer'
);
select is(
  tests.after(
    $$ select tests.checked_in(), tests.act('bob', $a$ api.ask_sender(tests.id('alice-bob'), '2026-03-02T15:00Z') $a$), tests.page('2026-03-02', '2026-03-02T15:05Z', 'safe') $$,
    $$ select tests.page('2026-03-02', '2026-03-02T15:06Z') $$
  ), 'open 15:05', 'the answer is shown again'
);
select is(
  tests.after($$ select tests.checked_in(), tests.act('bob', $a$ api.ask_sender(tests.id('alice-bob'), '2026-03-02T15:00Z') $a$), tests.work('2026-03-02T15:30:20Z') $$,
    $$ select tests.alarms() || ', ' || tests.page('2026-03-02', '2026-03-02T15:31Z') $$), 'unanswered open, open', 'nor while an alarm is open'
);
select is(
  tests.after($$ select tests.checked_in(), tests.page('2026-03-02', '2026-03-02T15:00Z', 'help') $$,
    $$ select tests.page('2026-03-02', '2026-03-02T15:05Z') $$), 'open', 'nor while their own call for help goes on'
);
select is(
  tests.after(
    $$ select tests.checked_in(), tests.page('2026-03-02', '2026-03-02T20:00Z', 'safe') $$,
    $$ select tests.page('2026-03-02', '2026-03-02T20:00:30Z', 'safe') || ' ' || (select count(*) from kith.check_ins) $$
  ), 'open 09:02 2', 'a press for which nothing waits counts, and is told when the first one was'
);
select is(
  tests.after('select tests.checked_in()', $$ select tests.page('2026-03-02', '2026-03-02T09:02:40Z', 'safe') || ' ' || (select count(*) from kith.check_ins) $$),
  'open 09:02 1', 'the same form sent twice, with the time of the one check-in'
);
select is(
  tests.after('select tests.checked_in(), tests.begin_day(''2026-03-03'')', $$ select tests.page('2026-03-02', '2026-03-03T08:00Z') $$), 'open',
  'a check-in of yesterday is not shown as one of today'
);
-- A sender late in the evening, who answers after midnight.
create function tests.late_evening() returns void
  language sql
as $$
  update kith.sender_profiles set ping_time = '23:00' where user_id = tests.id('alice');
  select tests.day('2026-03-02', '23:00:01');
  select tests.link('2026-03-02', '2026-03-02T23:00:02Z');
  select tests.begin_day('2026-03-03');
  select tests.page('2026-03-02', '2026-03-03T00:10Z', 'safe');
  select tests.work('2026-03-03T23:00:01Z');
  select tests.link('2026-03-03', '2026-03-03T23:00:02Z')
$$;
select is(
  tests.after('select tests.late_evening()', $$ select status || ', ' || tests.page('2026-03-03', '2026-03-03T23:01Z') from tests.alice where ping_on = '2026-03-03' $$),
  'due, open', 'nor is one of after midnight, while the evening''s ping waits'
);
select is(
  tests.after($$ select tests.late_evening(), tests.page('2026-03-03', '2026-03-03T23:02Z', 'safe') $$,
    $$ select status || ', ' || tests.page('2026-03-03', '2026-03-03T23:03Z') from tests.alice where ping_on = '2026-03-03' $$),
  'completed, open 23:02', 'which its button completes'
);
select * from finish();
rollback;
