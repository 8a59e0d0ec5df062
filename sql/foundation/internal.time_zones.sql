create or replace function internal.kept_time_zone(p_name text) returns text
  language plpgsql
  stable
  set timezone = 'UTC'
as $$
declare
  v_zone text;
begin
  select known.zone into v_zone from internal.time_zone_names as known where known.name = p_name;
  -- The server's own tzdata may be older than Kith. Setting an unknown zone raises an error. This takes microseconds,
  -- and pg_timezone_names reads every file.
  if v_zone is not null then
    perform set_config('timezone', v_zone, true);
  end if;
  return v_zone;
exception when invalid_parameter_value then
  return null;
end
$$;
comment on function internal.kept_time_zone(text) is
  'The zone under which Kith keeps a name: a name of zone1970.tab or UTC is kept as it is, an older name (US/Pacific) '
  'as the zone that it means. Null for any other name, such as an abbreviation or Etc/GMT+5. The SET clause restores '
  'the caller''s zone.';

create or replace function internal.nearest_time_zones(p_name text) returns text
  language plpgsql
  stable
as $$
declare
  v_name text := lower(regexp_replace(left(p_name, 64), '^(posix|right)/', '', 'i'));
  -- A prefix is enough, and bounds the time that a wrong name costs.
  v_city text := left(regexp_replace(v_name, '^.*/|[^a-z]', '', 'g'), 12);
begin
  return coalesce(
    (select known.nearest from internal.time_zone_names as known where known.name = p_name),
    (select known.nearest from internal.time_zone_names as known where lower(known.name) = v_name),
    (
      select string_agg(near.name, ', ' order by near.likeness desc, near.name)
      from (
        -- How many pairs of letters of the city the two have in common, in proportion to the length of both.
        select known.name,
          2.0 * count(*) filter (
            where strpos(known.city, substr(v_city, n, 2)) > 0
          ) / (char_length(known.city) + char_length(v_city) + 1)
            as likeness
        from (
          select place.name, regexp_replace(lower(place.name), '^.*/|[^a-z]', '', 'g') as city
          from internal.time_zone_names as place
          where place.name = place.zone
        ) as known
        cross join generate_series(1, greatest(char_length(v_city) - 1, 1)) as n
        group by known.name, known.city
        order by likeness desc, known.name
        limit 3
      ) as near
    )
  );
end
$$;
comment on function internal.nearest_time_zones(text) is
  'Up to three zones that somebody may have meant by a refused name: those of the same offset, or those whose city has '
  'the most pairs of letters in common with it. About 10 ms.';

create or replace function internal.time_zone_error(p_field text, p_name text) returns jsonb
  language sql
  stable
as $$
  select internal.field_error(
    p_field, 'must be an IANA time zone like Europe/Berlin; the nearest are ' || internal.nearest_time_zones(p_name)
  )
$$;
comment on function internal.time_zone_error(text, text) is
  'Why internal.kept_time_zone does not keep a name, with the nearest names, for internal.refuse_fields.';
