-- Dates, times and durations in the words of notifications, by the patterns of the reader's language.

create or replace function internal.date_words(p_pattern text, p_at timestamp, p_months text[], p_weekdays text[])
  returns text
  language sql
  stable
  parallel safe
as $$
  select format(
    p_pattern, to_char(p_at, 'FMDD'), to_char(p_at, 'DD'), to_char(p_at, 'FMMM'), to_char(p_at, 'MM'),
    p_months[extract(month from p_at)::integer], to_char(p_at, 'FMYYYY'),
    p_weekdays[extract(isodow from p_at)::integer], to_char(p_at, 'FMHH24'), to_char(p_at, 'HH24'),
    to_char(p_at, 'FMMI'), to_char(p_at, 'MI')
  )
$$;
comment on function internal.date_words(text, timestamp, text[], text[]) is
  'A local time by a pattern of internal.languages, with the names of the months and weekdays.';

create or replace function internal.local_text(
  p_at timestamptz, p_zone text, p_locale text default 'en', p_worded_at timestamptz default null
)
  returns text
  language plpgsql
  stable
as $$
declare
  v_at timestamp := p_at at time zone p_zone;
begin
  return (
    select format(
      date_time_pattern,
      internal.date_words(
        case
          when extract(year from v_at) = extract(year from p_worded_at at time zone p_zone)
            then date_of_this_year_pattern
          else date_pattern
        end,
        v_at, months, weekdays
      ),
      internal.date_words(time_pattern, v_at, months, weekdays)
    )
    from internal.languages
    where locale = p_locale and v_at is not null
  );
end
$$;
comment on function internal.local_text(timestamptz, text, text, timestamptz) is
  'An instant as a person in a time zone reads it: 14 March 2027, 08:30. A language may leave out the year of '
  'p_worded_at. Null for null.';
grant execute on function internal.local_text(timestamptz, text, text, timestamptz) to kith_api, kith_worker;

create or replace function internal.clock_text(p_at timestamptz, p_zone text, p_locale text, p_worded_at timestamptz)
  returns text
  language plpgsql
  stable
as $$
begin
  if (p_at at time zone p_zone)::date is distinct from (p_worded_at at time zone p_zone)::date then
    return internal.local_text(p_at, p_zone, p_locale, p_worded_at);
  end if;
  return (
    select internal.date_words(time_pattern, p_at at time zone p_zone, months, weekdays) from internal.languages
    where locale = p_locale
  );
end
$$;
comment on function internal.clock_text(timestamptz, text, text, timestamptz) is
  'An instant as a person in a time zone reads it: 08:30 if it is of the date of p_worded_at there, otherwise 14 March '
  '2027, 08:30. Null for null.';

create or replace function internal.date_text(p_on date, p_locale text, p_worded_on date) returns text
  language plpgsql
  stable
as $$
begin
  return (
    select internal.date_words(
      case
        when extract(year from p_on) = extract(year from p_worded_on) then date_of_this_year_pattern
        else date_pattern
      end,
      p_on, months, weekdays
    )
    from internal.languages
    where locale = p_locale and p_on is not null
  );
end
$$;
comment on function internal.date_text(date, text, date) is
  'A date as a notification writes it: 14 March 2027. A language may leave out the year of p_worded_on.';

create or replace function internal.time_left_text(p_left interval, p_locale text default 'en') returns text
  language plpgsql
  stable
as $$
declare
  v_minutes numeric := ceil(extract(epoch from p_left) / 60);
  v_is_days boolean := v_minutes >= 2850 or v_minutes between 1410 and 1470;
  v_count integer := case
    when v_is_days then round(v_minutes / 1440)
    when v_minutes >= 55 then round(v_minutes / 60)
    else greatest(v_minutes, 1)
  end;
  v_text internal.texts;
begin
  select * into v_text
  from internal.texts
  where locale = p_locale
    and key = case
      when v_is_days then 'duration.left.days'
      when v_minutes >= 55 then 'duration.left.hours'
      else 'duration.left.minutes'
    end;
  return format(internal.plural_form(v_text.forms, v_text.source, v_count::text), null, null, v_count);
end
$$;
comment on function internal.time_left_text(interval, text) is
  'A time to come, as a notification writes it: 12 days, 2 days, 30 hours, 1 day, 1 hour, 10 minutes.';
