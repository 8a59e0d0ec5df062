-- Moments, lists and sentences of what is said of a person now, in the words of its reader.

create or replace function internal.day_words(p_on date, p_language internal.languages, p_worded_on date) returns text
  language plpgsql
  stable
as $$
begin
  return format(
    internal.phrase('moment.day', p_language.locale), p_language.weekdays[extract(isodow from p_on)::integer], null,
    null, internal.date_words(
      case
        when extract(year from p_on) = extract(year from p_worded_on) then p_language.date_of_this_year_pattern
        else p_language.date_pattern
      end,
      p_on, p_language.months, p_language.weekdays
    )
  );
end
$$;
comment on function internal.day_words(date, internal.languages, date) is
  'A date with its weekday: Friday, 27 November 2026. A language may leave out the year of p_worded_on.';

create or replace function internal.sight_of(p_tenant integer, p_user uuid, p_now timestamptz) returns jsonb
  language plpgsql
  stable
as $$
declare
  v_reader record;
  v_language record;
begin
  -- Two look-ups, because a join costs twice as much. Of variables: internal.reader_of is inlined with no expression in
  -- its place.
  select reader.locale, reader.time_zone into v_reader from internal.reader_of(p_tenant, p_user) as reader;
  select time_pattern, moments into v_language from internal.languages where locale = v_reader.locale;
  return jsonb_build_object(
    'locale', v_reader.locale, 'zone', v_reader.time_zone,
    'midnight', internal.next_midnight(v_reader.time_zone, p_now),
    'time', v_language.time_pattern, 'moments', v_language.moments
  );
end
$$;
comment on function internal.sight_of(integer, uuid, timestamptz) is
  'What the words to a reader depend on, read once for all of them: the language and the time zone, when their day '
  'ends, and the patterns of its moments (internal.moment_text). For definer procedures.';

create or replace function internal.moment_text(p_form text, p_at timestamptz, p_sight jsonb, p_now timestamptz)
  returns text
  language plpgsql
  stable
as $$
declare
  v_zone text := p_sight ->> 'zone';
  v_at timestamp := p_at at time zone v_zone;
  v_today date := (p_now at time zone v_zone)::date;
  v_days integer := v_at::date - v_today;
begin
  if p_at is null then
    return null;
  end if;
  return format(
    p_sight -> 'moments' ->> (
      p_form || case v_days when 0 then '.today' when 1 then '.tomorrow' when -1 then '.yesterday' else '.other' end
    ),
    case when v_days not between -1 and 1 then internal.date_in_sentence(v_at::date, p_sight, p_now) end, null, null,
    format(
      p_sight ->> 'time', null, null, null, null, null, null, null, to_char(v_at, 'FMHH24'), to_char(v_at, 'HH24'),
      to_char(v_at, 'FMMI'), to_char(v_at, 'MI')
    )
  );
end
$$;
comment on function internal.moment_text(text, timestamptz, jsonb, timestamptz) is
  'An instant within a sentence: "at 09:02", "yesterday at 09:02", "on Friday, 27 November 2026 at 09:02" (p_form '
  '"at"), or "until 09:02" (p_form "until"). p_sight is internal.sight_of. Null for null.';

create or replace function internal.date_in_sentence(p_on date, p_sight jsonb, p_now timestamptz) returns text
  language plpgsql
  stable
as $$
begin
  return (
    select internal.day_words(p_on, language, (p_now at time zone (p_sight ->> 'zone'))::date)
    from internal.languages as language where language.locale = p_sight ->> 'locale'
  );
end
$$;
comment on function internal.date_in_sentence(date, jsonb, timestamptz)
  is 'A date within a sentence: Friday, 27 November 2026.';

create or replace function internal.state_text(
  p_key text, p_locale text, p_values text[] default null, p_count integer default null
)
  returns text
  language plpgsql
  stable
as $$
declare
  v_text internal.texts;
begin
  select * into v_text from internal.texts where locale = p_locale and key = 'state.' || p_key;
  return format(
    case
      when v_text.forms is null then v_text.pattern
      else internal.plural_form(v_text.forms, v_text.source, p_count::text)
    end,
    p_values[1], p_values[2], p_values[3], p_values[4], p_values[5]
  );
end
$$;
comment on function internal.state_text(text, text, text[], integer) is
  'A sentence of a state (internal.state_json) with its values by their positions (internal.text_position). p_count '
  'decides the plural form.';

create or replace function internal.state_text_at(
  p_key text, p_sight jsonb, p_moment timestamptz, p_until timestamptz, p_now timestamptz
)
  returns text
  language plpgsql
  stable
as $$
declare
  v_text record;
begin
  select pattern, parameters into v_text from internal.texts
  where locale = p_sight ->> 'locale' and key = 'state.' || p_key;
  -- Mostly a sentence has one of the two, and no plural.
  return format(
    v_text.pattern, null, null, null,
    case when v_text.parameters & 16 <> 0 then internal.moment_text('until', p_until, p_sight, p_now) end,
    case when v_text.parameters & 32 <> 0 then internal.moment_text('at', p_moment, p_sight, p_now) end
  );
end
$$;
comment on function internal.state_text_at(text, jsonb, timestamptz, timestamptz, timestamptz) is
  'internal.state_text of a sentence whose values are a moment and an end ({moment}, {until}). p_sight has the '
  'language and the time zone of the reader (internal.sight_of).';

create or replace function internal.list_text(p_names text[], p_locale text) returns text
  language plpgsql
  stable
as $$
declare
  v_count integer := coalesce(cardinality(p_names), 0);
  v_shown text[] := p_names;
begin
  if v_count > 3 then
    v_shown := p_names[:3]
      || internal.state_text('more', p_locale, array[null, null, (v_count - 3)::text], v_count - 3);
  end if;
  return case
    when cardinality(v_shown) < 2 then v_shown[1]
    else internal.state_text(
      'list', p_locale,
      array[array_to_string(v_shown[:cardinality(v_shown) - 1], ', '), null, null, null, v_shown[cardinality(v_shown)]]
    )
  end;
end
$$;
comment on function internal.list_text(text[], text)
  is 'Names in one phrase: "Bob", "Bob and Carol", "Bob, Carol, Dave and 2 more".';

create or replace function internal.name_in_sentence(p_name text, p_locale text) returns text
  language plpgsql
  stable
as $$
declare
  v_is_right_to_left boolean := (select is_right_to_left from internal.languages where locale = p_locale);
begin
  -- Of a variable, so that the call is inlined.
  return internal.isolated_name(p_name, v_is_right_to_left);
end
$$;
comment on function internal.name_in_sentence(text, text) is 'internal.isolated_name for the direction of a language.';

create or replace function internal.state_json(
  p_kind text, p_tone text, p_sentences text[], p_until timestamptz, p_now timestamptz
)
  returns json
  language plpgsql
  stable
as $$
begin
  return json_build_object(
    'kind', p_kind, 'text', p_sentences[1], 'detail', nullif(array_to_string(p_sentences[2:], ' '), ''), 'tone', p_tone,
    'at', internal.instant(p_now), 'until', internal.instant(p_until)
  );
end
$$;
comment on function internal.state_json(text, text, text[], timestamptz, timestamptz) is
  'What is said of a person now (I06): its kind, the first of the sentences, what follows it, its tone (calm, waiting, '
  'alarm or unknown), the instant for which it holds, and the next one at which it can change by itself, or null.';

create or replace function internal.next_midnight(p_zone text, p_now timestamptz) returns timestamptz
  language plpgsql
  stable
as $$
begin
  return internal.midnight((p_now at time zone p_zone)::date + 1, p_zone);
end
$$;
comment on function internal.next_midnight(text, timestamptz)
  is 'The beginning of the next date in a time zone, from which on "today" means another day.';
