-- The accepted time zone names.
begin;
\ir people.sql
select plan(20);

select ok(internal.is_time_zone(name), name || ' is accepted')
from unnest(array[
  'UTC', 'Europe/Berlin', 'America/New_York', 'America/Argentina/Buenos_Aires', 'America/Port-au-Prince', 'Australia/Lord_Howe',
  'Etc/GMT+5', 'US/Eastern'
]) as name;

select ok(not internal.is_time_zone(name), format('%L is refused', name))
from unnest(array[
  'EST', 'Foo+5', 'Foo/Bar5', 'FOO/BAR5', 'Etc/GMT+25', 'europe/berlin', 'Europe/berlin', 'posix/Europe/Berlin', 'Europe/Berlin ', ''
]) as name;

select is(
  (select array_agg(name order by name) from pg_timezone_names where name ~ '^[A-Z][^/]*/' and not internal.is_time_zone(name)),
  null,
  'every Area/City name that PostgreSQL knows is accepted'
);

set local time zone 'Asia/Tokyo';
select internal.is_time_zone('Europe/Berlin') \g /dev/null
select is(current_setting('timezone'), 'Asia/Tokyo', 'checking a name does not change the session''s zone');

select * from finish();
rollback;
