create or replace function internal.is_time_zone(p_name text) returns boolean
  language plpgsql
  stable
  set timezone = 'UTC'
as $$
begin
  -- PostgreSQL also accepts abbreviations ('EST'), POSIX rules ('Foo+5') and any case ('europe/berlin'). Setting the zone and reading
  -- it back returns the file's own spelling, or a POSIX rule in capitals. A name with a slash and a small letter that comes back
  -- unchanged is therefore a file of the zone database. This takes microseconds; pg_timezone_names reads every file.
  if p_name = 'UTC' then
    return true;
  elsif p_name !~ '^[A-Z][A-Za-z]*(/[A-Z][A-Za-z0-9_+-]*){1,2}$' or p_name !~ '[a-z]' then
    return false;
  end if;
  perform set_config('timezone', p_name, true);
  return current_setting('timezone') = p_name;
exception when invalid_parameter_value then
  return false;
end
$$;
comment on function internal.is_time_zone(text) is
  'Whether this is an IANA Area/City name in its exact spelling, or UTC. The SET clause restores the caller''s zone.';
revoke all on function internal.is_time_zone(text) from public;
grant execute on function internal.is_time_zone(text) to kith_api, kith_worker;
