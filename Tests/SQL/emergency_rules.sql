-- The pure rules of emergency access: which days count, when a silence begins a wait, when the owner is told of it.
begin;
\ir people.sql
select plan(24);

select is(internal.counts_as_missed(statuses, had_outage, was_asked), counts, sentence)
from (values
  (array['missed'], false, true, true, 'a day on which the only ping was missed counts'),
  (array['missed', 'missed'], false, true, true, 'a day on which all pings were missed counts'),
  (array['missed', 'cancelled'], false, true, true, 'a cancelled ping beside a missed one does not keep the day from counting'),
  (array['cancelled'], false, true, null, 'a day with cancelled pings alone neither counts nor breaks the row'),
  (array[]::text[], false, true, null, 'a day without pings neither counts nor breaks the row'),
  (array['missed'], true, true, null, 'a day with an outage neither counts nor breaks the row'),
  (array['completed', 'missed'], false, true, false, 'a day with an answered ping breaks the row'),
  (array['completed'], true, true, false, 'an answered ping breaks the row in spite of an outage'),
  (array['completed_late', 'missed'], false, true, false, 'a late answer breaks the row'),
  (array['missed', 'due'], false, true, null, 'a day with a due ping is undecided'),
  (array['scheduled'], false, true, null, 'a day with a scheduled ping is undecided'),
  (array['missed'], false, false, null, 'a day on which the sender was not asked neither counts nor breaks the row (E03)'),
  (array['completed', 'missed'], false, false, false, 'an answered ping breaks the row even if nobody asked')
) as days (statuses, had_outage, was_asked, counts, sentence);

select ok(internal.begins_wait(3, 3, '2026-03-04T10:30Z', null), 'the third missed day begins a wait after three days');
select ok(not internal.begins_wait(2, 3, '2026-03-04T10:30Z', null), 'the second missed day does not');
select ok(not internal.begins_wait(30, null, '2026-03-04T10:30Z', null), 'a right without a number of days is never begun by silence');
select ok(not internal.begins_wait(4, 3, '2026-03-04T10:30Z', '2026-03-04T10:30Z'), 'the same silence does not begin another wait');
select ok(internal.begins_wait(4, 3, '2026-03-05T10:30Z', '2026-03-04T10:31Z'), 'a day missed after the end of a request does');

create function tests.notices(p_waits_from timestamptz, p_hours integer) returns text
  language sql
as $$
  select string_agg(round(extract(epoch from at - p_waits_from) / 3600)::text, ' ' order by n)
  from internal.emergency_notice_instants(p_waits_from, (internal.wait_instants(p_waits_from, p_hours, 1)).grants_at)
    with ordinality as notice (at, n)
$$;
select is(tests.notices('2026-03-02T09:00Z', 1), '0', 'of a wait of an hour the owner is told at once');
select is(tests.notices('2026-03-02T09:00Z', 48), '0 24 47', 'of a wait of two days the owner is told at once, a day and an hour before');
select is(tests.notices('2026-03-02T09:00Z', 500), '0 168 336 452 476 499', 'of a long wait the owner is also told weekly');
select is(tests.notices('2026-03-02T09:00Z', 168 + 48 + 11), '0 179 203 226', 'a weekly notice less than 12 hours before another is left out');
select is(tests.notices('2026-03-02T09:00Z', 168 + 48 + 12), '0 168 180 204 227', 'a weekly notice 12 hours before another is sent');
set local time zone 'Europe/Berlin';
select is(
  extract(epoch from (internal.wait_instants('2026-03-28T09:00Z', 48, 72)).ends_at - '2026-03-28T09:00Z'::timestamptz), 120 * 3600::numeric,
  'a wait and a grant have their hours also over a change of the clocks'
);

select * from finish();
rollback;
