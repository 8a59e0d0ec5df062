create or replace function internal.local_date(p_at timestamptz, p_zone text) returns date
  language sql
  immutable
  parallel safe
as $$
  select (p_at at time zone p_zone)::date
$$;
comment on function internal.local_date(timestamptz, text) is 'The calendar date in the zone at this instant.';
grant execute on function internal.local_date(timestamptz, text) to kith_api, kith_worker;

create or replace function internal.local_instant(p_date date, p_time time, p_zone text) returns timestamptz
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_wanted timestamp := p_date + p_time;
  -- In a gap PostgreSQL applies the offset from before the change. In an overlap it returns the second instant.
  v_at timestamptz := v_wanted at time zone p_zone;
  v_earlier timestamptz;
  v_before timestamptz;
  v_middle timestamptz;
  v_offset_before interval;
begin
  -- The offset a day earlier. The largest change that ever occurred, over the date line, is a day.
  v_before := v_at - interval '24 hours';
  v_offset_before := (v_before at time zone p_zone) - (v_before at time zone 'UTC');

  if (v_at at time zone p_zone) = v_wanted then
    v_earlier := (v_wanted - v_offset_before) at time zone 'UTC';
    if v_earlier < v_at and (v_earlier at time zone p_zone) = v_wanted then
      return v_earlier;
    end if;
    return v_at;
  end if;

  -- A gap: find the instant of the change by bisection between the two offsets. Changes happen on whole seconds.
  v_before := date_trunc('second', v_before);
  v_at := date_trunc('second', v_at) + interval '1 second';
  while v_at - v_before > interval '1 second' loop
    v_middle := date_trunc('second', v_before + (v_at - v_before) / 2);
    if (v_middle at time zone p_zone) - (v_middle at time zone 'UTC') = v_offset_before then
      v_before := v_middle;
    else
      v_at := v_middle;
    end if;
  end loop;

  -- If the last local second before the change is on an earlier date and the first one after it on a later date, the
  -- zone skipped this date.
  if (v_before at time zone p_zone)::date < p_date and (v_at at time zone p_zone)::date > p_date then
    return null;
  end if;
  return v_at;
end
$$;
comment on function internal.local_instant(date, time, text) is
  'The instant at which a clock in the zone shows this date and time: in a gap its end, in an overlap the first of the '
  'two instants, and null for a date that the zone skipped (X25).';
grant execute on function internal.local_instant(date, time, text) to kith_api, kith_worker;

create or replace function internal.midnight(p_date date, p_zone text) returns timestamptz
  language sql
  immutable
  parallel safe
as $$
  select internal.local_instant(p_date, time '00:00', p_zone)
$$;
comment on function internal.midnight(date, text) is
  'The first instant of the date in the zone, which is not always 00:00; null for a date that the zone skipped.';
grant execute on function internal.midnight(date, text) to kith_api, kith_worker;
