create or replace function internal.local_date(p_at timestamptz, p_zone text) returns date
  language sql
  immutable
  parallel safe
as $$
  select (p_at at time zone p_zone)::date
$$;
comment on function internal.local_date(timestamptz, text) is 'The date on a calendar in the zone at this instant.';
revoke all on function internal.local_date(timestamptz, text) from public;
grant execute on function internal.local_date(timestamptz, text) to kith_api, kith_worker;

create or replace function internal.local_instant(p_date date, p_time time, p_zone text) returns timestamptz
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_wanted timestamp := p_date + p_time;
  -- In a gap PostgreSQL answers as if the clocks had not moved yet, in an overlap with the second of the two.
  v_at timestamptz := v_wanted at time zone p_zone;
  v_earlier timestamptz;
  v_before timestamptz;
  v_middle timestamptz;
  v_offset_before interval;
begin
  -- The offset of a day earlier: the largest jump there has been (over the date line) is a day.
  v_before := v_at - interval '24 hours';
  v_offset_before := (v_before at time zone p_zone) - (v_before at time zone 'UTC');

  if (v_at at time zone p_zone) = v_wanted then
    v_earlier := (v_wanted - v_offset_before) at time zone 'UTC';
    if v_earlier < v_at and (v_earlier at time zone p_zone) = v_wanted then
      return v_earlier;
    end if;
    return v_at;
  end if;

  -- A gap: the instant of the jump is what remains when the offset before it and the one after it close in. Jumps happen on
  -- whole seconds.
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

  -- The last local second before the jump is of an earlier date, and the first one after it of a later: nobody in the zone lived this date.
  if (v_before at time zone p_zone)::date < p_date and (v_at at time zone p_zone)::date > p_date then
    return null;
  end if;
  return v_at;
end
$$;
comment on function internal.local_instant(date, time, text) is
  'When a clock in the zone shows this date and time: in a gap of summer time the gap''s end, in an overlap the first of the two instants, null for a date that the zone skipped (X25).';
revoke all on function internal.local_instant(date, time, text) from public;
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
revoke all on function internal.midnight(date, text) from public;
grant execute on function internal.midnight(date, text) to kith_api, kith_worker;
