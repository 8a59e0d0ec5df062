-- A button that reports by itself (J04) says nothing of its owner any more.
begin;
\ir people.sql
\ir pairs_house.sql
select plan(15);

insert into kith.signs (tenant_id, id, user_id, name, kind, token_hash, created_at)
select tests.tenant('acme'), gen_random_uuid(), tests.id('alice'), kind, kind, sha256(kind::bytea), '2026-02-01T08:00Z'
from unnest(array['check_in', 'activity']) as kind;
create function tests.press(p_now timestamptz, p_kind text default 'check_in') returns void
  language plpgsql
as $$
begin
  perform tests.as_role('kith_api');
  perform api.report_sign(tests.tenant('acme'), sha256(p_kind::bytea), false, p_now);
  perform tests.as_superuser();
end
$$;
create function tests.presses(p_from timestamptz, p_to timestamptz, p_every interval, p_kind text default 'check_in') returns void
  language plpgsql
as $$
begin
  perform tests.press(at, p_kind) from generate_series(p_from, p_to, p_every) as at;
end
$$;
create function tests.pings() returns text
  language sql
as $$
  select string_agg(to_char(ping_on, 'DD ') || status, ', ' order by ping_on) from tests.alice
$$;

-- It jams in the evening, and reports every minute from then on.
create function tests.jam(p_every interval default '1 minute') returns void
  language sql
as $$
  select tests.presses('2026-03-01T22:00Z', '2026-03-01T23:59Z', p_every);
  select tests.begin_day('2026-03-02');
  select tests.presses('2026-03-02T00:00Z', '2026-03-02T11:00Z', p_every);
  select tests.work('2026-03-02T09:00:01Z'), tests.work('2026-03-02T10:30:10Z')
$$;
select is(
  tests.after('select tests.jam()', $$ select tests.pings() || ', ' || kind from kith.alarms $$), '02 missed, missed', 'a button that jams completes no ping of the next day'
);
select is(
  tests.after($$ select tests.jam(), tests.presses('2026-03-02T11:01Z', '2026-03-02T20:00Z', '1 minute') $$, 'select coalesce(outcome, ''open'') from kith.alarms'), 'open',
  'nor ends the alarm'
);
select is(
  tests.after(
    $$ select tests.jam(), tests.presses('2026-03-02T11:01Z', '2026-03-02T23:59Z', '1 minute'), tests.begin_day('2026-03-03'),
      tests.presses('2026-03-03T00:00Z', '2026-03-03T09:00Z', '1 minute'), tests.work('2026-03-03T09:00:01Z'), tests.work('2026-03-03T10:30:10Z') $$,
    'select tests.pings()'
  ), '02 missed, 03 missed', 'nor, a day later, the ping after that'
);
select is(
  tests.after('select tests.jam()', $$ select count(*) || ', ' || max(received_at) from kith.check_ins $$), '20, 2026-03-01 22:19:00+00', 'twenty reports count, and no further one'
);
select is(
  tests.after('select tests.jam()', $$ select last_used_at from kith.signs where kind = 'check_in' $$), '2026-03-02 11:00:00+00', 'its owner sees that it goes on to report'
);
select is(
  tests.after($$ select tests.jam(), tests.presses('2026-03-02T11:00:01Z', '2026-03-02T11:00:59Z', '1 second') $$, $$ select last_used_at from kith.signs where kind = 'check_in' $$),
  '2026-03-02 11:00:00+00', 'writing once a minute, although an alarm waits'
);
select is(
  tests.after(
    $$
      select tests.presses('2026-03-02T01:00Z', '2026-03-02T14:00Z', '1 minute'), tests.act('bob', $a$ api.ask_sender(tests.id('alice-bob'), '2026-03-02T15:00Z') $a$);
      select tests.presses('2026-03-02T14:01Z', '2026-03-02T15:10Z', '1 minute')
    $$, 'select coalesce(is_answered::text, ''waits'') from kith.asks'
  ), 'waits', 'a question is not answered by it'
);
select is(
  tests.after($$ select tests.jam('30 minutes') $$, $$ select count(*) || ', ' || max(received_at) from kith.check_ins $$), '20, 2026-03-02 07:30:00+00',
  'one that reports every half hour counts as long, until it is as many'
);
create function tests.stuck() returns text
  language plpgsql
as $$
declare
  v_items json;
begin
  perform tests.as_user('acme', 'alice');
  v_items := api.list_signs() -> 'items';
  perform tests.as_superuser();
  return (select string_agg(concat_ws(' ', item ->> 'kind', item ->> 'stuck'), ', ' order by item ->> 'kind') from json_array_elements(v_items) as item);
end
$$;
select is(tests.after('select tests.jam()', 'select tests.stuck()'), 'activity false, check_in true', 'its owner sees that it is stuck');
-- Somebody else's word, and their own by another door.
select is(
  tests.after($$ select tests.jam(), tests.act('alice', $a$ api.check_in(null, false, null, 'app', '2026-03-02T11:30Z') $a$) $$, 'select outcome from kith.alarms'), 'checked_in',
  'its owner checks in by any other door'
);

-- It is mended.
select is(
  tests.after($$ select tests.jam(), tests.press('2026-03-02T16:59Z') $$, 'select coalesce(outcome, ''open'') from kith.alarms'), 'open', 'less than six hours of silence are none'
);
select is(
  tests.after($$ select tests.jam(), tests.press('2026-03-02T17:00Z') $$, 'select outcome from kith.alarms'), 'checked_in', 'after six hours of silence a press counts again'
);

-- An ordinary button.
select is(
  tests.after(
    $$ select tests.begin_day('2026-03-02'), tests.work('2026-03-02T09:00:01Z'), tests.presses('2026-03-02T09:05Z', '2026-03-02T09:16Z', '1 minute') $$,
    $$ select status || ', ' || completed_at || ', ' || (select count(*) from kith.check_ins) from kith.pings where sender_id = tests.id('alice') $$
  ), 'completed, 2026-03-02 09:05:00+00, 12', 'somebody who presses a dozen times has checked in by the first'
);
select is(
  tests.after(
    $$
      select tests.presses('2026-03-01T08:00Z', '2026-03-01T08:59Z', '1 minute'), tests.begin_day('2026-03-02'), tests.work('2026-03-02T09:00:01Z');
      select tests.press('2026-03-02T09:05Z')
    $$, 'select tests.pings()'
  ), '02 completed', 'who has played with it checks in by it the next day'
);
select is(
  tests.after($$ select tests.presses('2026-03-02T00:00Z', '2026-03-02T12:00Z', '10 minutes', 'activity') $$, $$ select last_used_at from kith.signs where kind = 'activity' $$),
  '2026-03-02 12:00:00+00', 'an activity may be reported all day'
);
select * from finish();
rollback;
