-- Local dates and times as instants (X25), where the clocks change.
begin;
\ir people.sql
select plan(34);

create function tests.shown(p_date date, p_time time, p_zone text) returns text
  language sql
as $$
  select to_char(internal.local_instant(p_date, p_time, p_zone) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
$$;

select is(tests.shown('2026-01-15', '09:00', 'UTC'), '2026-01-15T09:00:00Z', 'UTC is unchanged');
select is(tests.shown('2026-01-15', '09:00', 'Europe/Berlin'), '2026-01-15T08:00:00Z', 'Berlin in winter');
select is(tests.shown('2026-07-15', '09:00', 'Europe/Berlin'), '2026-07-15T07:00:00Z', 'Berlin in summer');

-- Spring: times in the gap move to its end.
select is(tests.shown('2026-03-29', '01:59', 'Europe/Berlin'), '2026-03-29T00:59:00Z', 'Berlin, the minute before the gap');
select is(tests.shown('2026-03-29', '02:00', 'Europe/Berlin'), '2026-03-29T01:00:00Z', 'Berlin, the gap''s beginning moves to its end');
select is(tests.shown('2026-03-29', '02:30', 'Europe/Berlin'), '2026-03-29T01:00:00Z', 'Berlin, 02:30 moves to 03:00');
select is(tests.shown('2026-03-29', '02:59:59', 'Europe/Berlin'), '2026-03-29T01:00:00Z', 'Berlin, the gap''s last second moves to 03:00');
select is(tests.shown('2026-03-29', '03:00', 'Europe/Berlin'), '2026-03-29T01:00:00Z', 'Berlin, the gap''s end is unchanged');
select is(tests.shown('2026-03-08', '02:30', 'America/New_York'), '2026-03-08T07:00:00Z', 'New York, 02:30 moves to 03:00');
select is(tests.shown('2026-10-04', '02:15', 'Australia/Lord_Howe'), '2026-10-03T15:30:00Z', 'Lord Howe, where the gap is half an hour');
select is(tests.shown('2026-10-04', '02:30', 'Australia/Lord_Howe'), '2026-10-03T15:30:00Z', 'Lord Howe, 02:30 is the end of the gap');
select is(tests.shown('2026-09-06', '00:30', 'America/Santiago'), '2026-09-06T04:00:00Z', 'Santiago, where the gap begins at midnight');
select is(tests.shown('1919-03-30', '23:45', 'America/Toronto'), '1919-03-31T04:30:00Z', 'Toronto 1919, where the gap spans midnight');

-- Autumn: the first of the two instants.
select is(tests.shown('2026-10-25', '01:59', 'Europe/Berlin'), '2026-10-24T23:59:00Z', 'Berlin, the minute before the overlap');
select is(tests.shown('2026-10-25', '02:00', 'Europe/Berlin'), '2026-10-25T00:00:00Z', 'Berlin, the first 02:00');
select is(tests.shown('2026-10-25', '02:30', 'Europe/Berlin'), '2026-10-25T00:30:00Z', 'Berlin, the first 02:30');
select is(tests.shown('2026-10-25', '03:00', 'Europe/Berlin'), '2026-10-25T02:00:00Z', 'Berlin, 03:00 exists once');
select is(tests.shown('2026-11-01', '01:30', 'America/New_York'), '2026-11-01T05:30:00Z', 'New York, the first 01:30');
select is(tests.shown('2026-04-05', '01:45', 'Australia/Lord_Howe'), '2026-04-04T14:45:00Z', 'Lord Howe, the first 01:45');
select is(tests.shown('2026-04-05', '02:00', 'Australia/Lord_Howe'), '2026-04-04T15:30:00Z', 'Lord Howe, 02:00 exists once');

-- The date line.
select is(tests.shown('2011-12-30', '09:00', 'Pacific/Apia'), null, 'Apia skipped 2011-12-30');
select is(tests.shown('2011-12-29', '23:59', 'Pacific/Apia'), '2011-12-30T09:59:00Z', 'Apia, the last minute before');
select is(tests.shown('2011-12-31', '00:00', 'Pacific/Apia'), '2011-12-30T10:00:00Z', 'Apia, the first minute after');
select is(tests.shown('1993-08-21', '12:00', 'Pacific/Kwajalein'), null, 'Kwajalein skipped 1993-08-21');
select is(tests.shown('1844-12-31', '12:00', 'Asia/Manila'), null, 'Manila skipped 1844-12-31');
select is(tests.shown('1867-10-18', '12:00', 'America/Sitka'), '1867-10-17T21:01:13Z', 'Sitka had 1867-10-18 twice; the first counts');
select is(internal.midnight('2011-12-30', 'Pacific/Apia'), null, 'a skipped date has no midnight');
select is(internal.midnight('2026-09-06', 'America/Santiago'), '2026-09-06T04:00:00Z', 'a date whose midnight is in a gap begins at the gap''s end');
select is(internal.midnight('2026-11-01', 'America/Havana'), '2026-11-01T04:00:00Z', 'a date whose midnight comes twice begins at the first');

select is(internal.local_date('2026-03-02T10:30:00Z', 'Pacific/Kiritimati'), '2026-03-03', 'east of the date line it is already tomorrow');
select is(internal.local_date('2026-03-02T10:30:00Z', 'Pacific/Pago_Pago'), '2026-03-01', 'west of the date line it is still yesterday');
select is(tests.shown('2028-02-29', '09:00', 'Pacific/Auckland'), '2028-02-28T20:00:00Z', 'a leap day exists');

-- The round trip, for every quarter of an hour of the days with a clock change, in every zone: the instant shows the local time again,
-- or that time does not exist on that day.
create temporary table shown as
select name, on_date, on_time, internal.local_instant(on_date, on_time, name) as at
from internal.time_zone_names
cross join (values (date '2026-03-08'), ('2026-03-29'), ('2026-04-05'), ('2026-10-04'), ('2026-10-25'), ('2026-11-01')) as days (on_date)
cross join lateral (select (time '00:00' + n * interval '15 minutes') as on_time from generate_series(0, 95) as n) as times
where name = zone;
select is(
  (
    select count(*) from shown
    where at at time zone name <> on_date + on_time
      -- In a gap: just before the instant the clock shows an earlier time, and at the instant a later one.
      and not ((at - interval '1 microsecond') at time zone name < on_date + on_time and at at time zone name > on_date + on_time)
  ),
  0::bigint,
  'in every zone the instant shows the requested time, or the clock skips it'
);
select is(
  (
    select count(*) from shown
    where (at - interval '1 hour') at time zone name = on_date + on_time or (at - interval '30 minutes') at time zone name = on_date + on_time
  ),
  0::bigint,
  'in every zone the instant is the first at which the clock shows the time'
);

select * from finish();
rollback;
