-- The accepted time zone names.
begin;
\ir people.sql
select plan(36);

select is(internal.kept_time_zone(name), name, name || ' is kept')
from unnest(array[
  'UTC', 'Europe/Berlin', 'America/New_York', 'America/Argentina/Buenos_Aires', 'America/Port-au-Prince', 'Australia/Lord_Howe'
]) as name;

select is(internal.kept_time_zone(name), zone, format('%s is kept as %s', name, zone))
from (values
  ('US/Pacific', 'America/Los_Angeles'), ('Asia/Calcutta', 'Asia/Kolkata'), ('Europe/Kiev', 'Europe/Kyiv'), ('GB', 'Europe/London'),
  ('Europe/Amsterdam', 'Europe/Brussels')
) as older (name, zone);

select is(internal.kept_time_zone(name), null, format('%L is refused', name))
from unnest(array[
  'EST', 'EST5EDT', 'GMT', 'Etc/GMT+5', 'Etc/UTC', 'Foo+5', 'Foo/Bar5', 'FOO/BAR5', 'europe/berlin', 'Europe/berlin', 'posix/Europe/Berlin',
  'Europe/Berlin ', 'Factory', ''
]) as name;

select is(internal.nearest_time_zones(name), nearest, format('the names nearest to %L are suggested', name))
from (values
  ('Etc/GMT+5', 'America/Panama, America/Bogota, America/Cancun'), ('posix/EST', 'America/Panama, America/Bogota, America/Cancun'),
  ('Etc/Zulu', 'UTC')
) as refused (name, nearest);
select matches(internal.nearest_time_zones(name), '^' || nearest || ',', format('%s is the nearest to %L', nearest, name))
from (values
  ('posix/Europe/Berlin', 'Europe/Berlin'), ('europe/berlin', 'Europe/Berlin'), ('Europe/Berln', 'Europe/Berlin'), ('America/NewYork', 'America/New_York')
) as refused (name, nearest);
select isnt(internal.nearest_time_zones(''), null, 'there is a suggestion for any text');

-- The machine's own tzdata, from which Tests/time-zones writes the list.
create temporary table places as
select split_part(line, e'\t', 3) as name
from regexp_split_to_table(pg_read_file('/usr/share/zoneinfo/zone1970.tab'), e'\n') as line
where line <> '' and line !~ '^#';
select results_eq(
  'select zone from internal.time_zone_names where name = zone and name <> ''UTC'' order by zone collate "C"',
  'select name from places order by name collate "C"',
  'the zones are those of zone1970.tab and UTC; after an update of tzdata, run Tests/time-zones'
);
select is_empty(
  $$
    select link[2], link[1]
    from regexp_matches(pg_read_file('/usr/share/zoneinfo/tzdata.zi'), '^L (\S+) (\S+)$', 'gn') as link
    left join internal.time_zone_names as target on target.name = link[1]
    left join internal.time_zone_names as known on known.name = link[2]
    where link[2] <> 'UTC' and (known.name is null or known.nearest is null and known.zone is distinct from target.zone)
  $$,
  'every link of tzdata is known, and kept as its target unless it is refused'
);

set local time zone 'Asia/Tokyo';
select internal.kept_time_zone('Europe/Berlin') \g /dev/null
select is(current_setting('timezone'), 'Asia/Tokyo', 'checking a name does not change the session''s zone');

select * from finish();
rollback;
