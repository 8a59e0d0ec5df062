-- The texts of the catalogue in the database: loaded by `kith migrate`, compiled for format().

create or replace function internal.text_position(p_placeholder text) returns integer
  language sql
  immutable
  parallel safe
as $$
  select case p_placeholder
    when 'name' then 1 when 'title' then 1 when 'names' then 1 when 'first' then 1 when 'day' then 1 when 'weekday'
      then 1
    when 'vault' then 2 when 'sender' then 2 when 'body' then 2 when 'link' then 2 when 'who' then 2 when 'taker'
      then 2 when 'source' then 2
    when 'count' then 3 when 'code' then 3 when 'from' then 3 when 'since' then 3 when 'left' then 3
    when 'date' then 4 when 'time' then 4 when 'until' then 4 when 'brand' then 4 when 'able' then 4
    when 'last' then 5 when 'person' then 5 when 'moment' then 5
  end
$$;
comment on function internal.text_position(text) is
  'The position of a parameter of a notification''s or a message''s text, by the name of its placeholder, for '
  'format(). No text has two parameters with one position. Null for an unknown placeholder.';

create or replace function internal.text_pattern(p_text text) returns text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_name text;
begin
  p_text := replace(p_text, '%', '%%');
  for v_name in select distinct part[1] from regexp_matches(p_text, '\{([a-z_]+)\}', 'g') as part loop
    p_text := replace(p_text, format('{%s}', v_name), format('%%%s$s', internal.text_position(v_name)));
  end loop;
  return p_text;
end
$$;
comment on function internal.text_pattern(text) is
  'A text with placeholders such as {name} as a pattern of format(), whose arguments cannot add placeholders. Null for '
  'one with an unknown placeholder.';

create or replace function internal.compiled_text(
  p_text jsonb, out pattern text, out forms text[], out parameters integer
)
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_text text := coalesce(p_text ->> 'other', p_text #>> '{}');
begin
  pattern := internal.text_pattern(v_text);
  if jsonb_typeof(p_text) = 'object' then
    forms := array(
      select internal.text_pattern(coalesce(p_text ->> category, v_text))
      from unnest(array['zero', 'one', 'two', 'few', 'many', 'other']) with ordinality as categories (category, n)
      order by n
    );
  end if;
  parameters := (
    select coalesce(sum(distinct 1 << internal.text_position(part[1])), 0)
    from regexp_matches(v_text, '\{([a-z_]+)\}', 'g') as part
  );
end
$$;
comment on function internal.compiled_text(jsonb) is
  'A text of the catalogue or of a tenant, a string or an object of strings by plural category, as the columns of '
  'internal.texts have it.';

create or replace function internal.title_key(p_key text) returns text
  language sql
  immutable
  parallel safe
as $$
  select case
    -- "Still No Sign" is so of a missed check-in alone.
    when p_key = 'notification.alarm_repeat.help' then 'notification.help_requested.title'
    when p_key = 'notification.alarm_repeat.unanswered' then 'notification.ask_unanswered.title'
    when p_key = 'notification.alarm_repeat.acted' then 'notification.ping_missed.title'
    -- "Safe" is not so while an alarm or a question stands open (X39).
    when right(p_key, 5) = '_then' then 'notification.ping_completed.then.title'
    when p_key = 'notification.sender_unreachable.mended' then 'notification.sender_unreachable.mended.title'
    when left(p_key, 13) = 'notification.' then 'notification.' || split_part(p_key, '.', 2) || '.title'
  end
$$;
comment on function internal.title_key(text)
  is 'The key of the title that belongs to a text of a notification. Null for other texts.';

create or replace function internal.date_pattern(p_pattern text) returns text
  language plpgsql
  immutable
  strict
  parallel safe
as $$
declare
  v_part text;
  v_result text := '';
begin
  for v_part in select part[1] from regexp_matches(p_pattern, '(''[^'']*''|d+|M+|y+|E+|H+|m+|.)', 'g') as part loop
    v_result := v_result || case
      when v_part = '''''' then ''''
      when left(v_part, 1) = '''' then replace(btrim(v_part, ''''), '%', '%%')
      when v_part ~ '^[dMyEHm]' then
        format('%%%s$s', array_position(array['d', 'dd', 'M', 'MM', 'MMMM', 'y', 'EEEE', 'H', 'HH', 'm', 'mm'], v_part))
      else replace(v_part, '%', '%%')
    end;
  end loop;
  return v_result;
end
$$;
comment on function internal.date_pattern(text) is
  'A date pattern of CLDR as a pattern of format(), as the columns of internal.languages have it. Null for null.';

create or replace function internal.own_texts(p_tenant_id integer) returns table (locale text, key text, value jsonb)
  language sql
  stable
as $$
  select locale, key, internal.own_text(forms) from kith.tenant_texts where tenant_id = p_tenant_id
$$;
comment on function internal.own_texts(integer) is 'The texts that a tenant has replaced by its own words.';

create or replace function internal.default_locale(p_tenant kith.tenants) returns text
  language sql
  stable
as $$
  select lower((p_tenant).default_locale)
$$;
comment on function internal.default_locale(kith.tenants)
  is 'The language of a tenant''s setting, in lower case. Null if it has none.';

create or replace function internal.text_layers(p_locale text, p_default text) returns table (locale text, n bigint)
  language sql
  stable
as $$
  with recursive layers as (
    select language.locale, language.base, 1 as n from internal.languages as language where language.locale = p_locale
    union all
    select language.locale, language.base, 2 * layer.n
    from layers as layer
    join internal.languages as language on language.locale = layer.base
  ), defaults as (
    select language.locale, language.base, 1000 as n from internal.languages as language
    where language.locale = p_default
    union all
    select language.locale, language.base, 2 * layer.n
    from defaults as layer
    join internal.languages as language on language.locale = layer.base
  )
  select layer.locale, min(layer.n)::bigint
  from (
    select layers.locale, layers.n from layers union all select defaults.locale, defaults.n from defaults union all
    values ('en', 1000000)
  ) as layer (locale, n)
  group by layer.locale
$$;
comment on function internal.text_layers(text, text) is
  'The languages in which a text is looked for, in order: p_locale and its bases, p_default and its bases, English.';

create or replace function internal.layer_texts(p_tenant_id integer, p_locale text, p_default text) returns void
  language plpgsql
as $$
declare
  v_read_in text := p_locale || coalesce('@' || p_tenant_id, '');
begin
  insert into internal.texts (locale, key, source, is_right_to_left, title, pattern, forms, parameters)
  with texts as materialized (
    select distinct on (given.key) given.key, given.source, language.is_right_to_left, given.pattern, given.forms,
      given.parameters
    from (
      select text.key, text.source, text.pattern, text.forms, text.parameters, layer.n + 0.5 as n
      from internal.text_layers(p_locale, p_default) as layer
      join internal.texts as text on text.locale = layer.locale and text.source = layer.locale
      union all
      select own.key, own.locale, compiled.pattern, compiled.forms, compiled.parameters, layer.n
      from internal.text_layers(p_locale, p_default) as layer
      join internal.own_texts(p_tenant_id) as own on own.locale = layer.locale
      cross join lateral internal.compiled_text(own.value) as compiled
      where compiled.pattern is not null
    ) as given
    join internal.languages as language on language.locale = given.source
    order by given.key, given.n
  )
  select v_read_in, texts.key, texts.source, texts.is_right_to_left, format(title.pattern), texts.pattern, texts.forms,
    texts.parameters
  from texts
  left join texts as title on title.key = internal.title_key(texts.key)
  on conflict (locale, key) do update set title = excluded.title;
  update internal.languages
  set moments = coalesce((
    select jsonb_object_agg(substr(text.key, 8), text.pattern) from internal.texts as text
    where text.locale = v_read_in and left(text.key, 7) = 'moment.'
  ), '{}')
  where locale = v_read_in;
end
$$;
comment on function internal.layer_texts(integer, text, text) is
  'Writes all texts of a language for a tenant, or for all others if p_tenant_id is null: those of '
  'internal.text_layers, in each language the tenant''s own words first.';

create or replace function internal.refresh_tenant_texts(p_tenant_id integer, p_default text) returns void
  language plpgsql
as $$
declare
  v_default text := case when p_default is not null then internal.nearest_language(p_default, null) end;
begin
  delete from internal.languages where locale like '%@' || p_tenant_id;
  if p_default is null and not exists (select from internal.own_texts(p_tenant_id)) then
    return;
  end if;
  insert into internal.languages (
    locale, base, is_right_to_left, plurals, months, weekdays, date_pattern, date_of_this_year_pattern, time_pattern,
    date_time_pattern, catalogue
  )
  select locale || '@' || p_tenant_id, locale, is_right_to_left, plurals, months, weekdays, date_pattern,
    date_of_this_year_pattern, time_pattern, date_time_pattern, catalogue
  from internal.languages
  where strpos(locale, '@') = 0;
  perform internal.layer_texts(p_tenant_id, language.locale, v_default) from internal.languages as language
  where strpos(language.locale, '@') = 0;
end
$$;
comment on function internal.refresh_tenant_texts(integer, text) is
  'Writes the texts of a tenant with words of its own or a default language (p_default) anew, in all languages, so '
  'that reading them costs no more than reading those of everybody. For procedures that change them.';

create or replace function internal.load_texts(p_languages jsonb, p_checksum text) returns boolean
  language plpgsql
as $$
begin
  if exists (select from internal.languages where catalogue = p_checksum) then
    return false;
  end if;
  delete from internal.languages;
  insert into internal.languages (
    locale, base, is_right_to_left, plurals, months, weekdays, date_pattern, date_of_this_year_pattern, time_pattern,
    date_time_pattern, catalogue
  )
  select lower(language ->> 'tag'), lower(language ->> 'base'), language ->> 'direction' = 'rtl',
    language ->> 'plurals', array(select jsonb_array_elements_text(language -> 'dates' -> 'months')),
    array(select jsonb_array_elements_text(language -> 'dates' -> 'weekdays')),
    internal.date_pattern(language -> 'dates' ->> 'date'),
    internal.date_pattern(language -> 'dates' ->> 'date_of_this_year'),
    internal.date_pattern(language -> 'dates' ->> 'time'),
    replace(replace(replace(language -> 'dates' ->> 'date_time', '%', '%%'), '{1}', '%1$s'), '{0}', '%2$s'),
    p_checksum
  from jsonb_array_elements(p_languages) as language;
  -- The words of pages and refusals are made by the server.
  insert into internal.texts (locale, key, source, is_right_to_left, pattern, forms, parameters)
  select language.locale, entry.key, language.locale, language.is_right_to_left, compiled.pattern, compiled.forms,
    compiled.parameters
  from jsonb_array_elements(p_languages) as given
  join internal.languages as language on language.locale = lower(given ->> 'tag')
  cross join lateral jsonb_each(given -> 'texts') as entry (key, value)
  cross join lateral internal.compiled_text(entry.value) as compiled
  where entry.key ~ '^(notification|name|alarm|state|moment|duration\.left|mail|sms|voice|rehearsal)\.'
    and compiled.pattern is not null;
  perform internal.layer_texts(null, language.locale, null) from internal.languages as language;
  perform internal.refresh_tenant_texts(tenant.tenant_id, internal.default_locale(tenant)) from kith.tenants as tenant;
  return true;
end
$$;
comment on function internal.load_texts(jsonb, text) is
  'Replaces the texts by those of a catalogue, unless the one with this checksum is loaded. p_languages has the '
  'languages, each as {tag, base?, direction, plurals, dates, texts: {key: text}}, with the heads of variants '
  'completed from their bases. For `kith migrate`.';

create or replace function internal.nearest_language(p_locale text, p_tenant_id integer) returns text
  language plpgsql
  stable
as $$
declare
  v_locale text;
  v_found text;
begin
  for v_locale in
    select lower(replace(tag, '_', '-'))
    from unnest(array[
      p_locale, (
        select internal.default_locale(tenant) from kith.tenants as tenant where tenant.tenant_id = p_tenant_id
      ), 'en'
    ]) as tag
    where tag is not null
  loop
    while v_locale <> '' loop
      select locale into v_found
      from internal.languages
      where locale in (v_locale, v_locale || '@' || p_tenant_id)
      order by locale desc
      limit 1;
      if found then
        return v_found;
      end if;
      -- RFC 4647, section 3.4: cut the last subtag.
      v_locale := substring(v_locale from '^(.*)-[^-]*$');
    end loop;
  end loop;
  return null;
end
$$;
comment on function internal.nearest_language(text, integer) is
  'The language of internal.languages for a tag (BCP 47): de for de-AT (RFC 4647, section 3.4, Lookup), otherwise the '
  'tenant''s default language, otherwise English. With the tenant''s own words, if it has any. Null only before the '
  'first catalogue was loaded.';

create or replace function internal.language_of_tenant(p_tenant_id integer) returns text
  language plpgsql
  stable
as $$
begin
  return internal.nearest_language(null, p_tenant_id);
end
$$;
comment on function internal.language_of_tenant(integer) is
  'The language of internal.languages in which a tenant''s server is told of notifications: that of '
  'kith.tenants.default_locale.';

create or replace function internal.plural_form(p_forms text[], p_locale text, p_count text) returns text
  language plpgsql
  stable
as $$
declare
  v_count integer := case when p_count ~ '^[0-9]{1,9}$' then p_count::integer end;
begin
  return p_forms[
    coalesce(
      nullif(strpos('zotfm', (
        select substr(plurals, case when v_count < 100 then v_count else 100 + v_count % 100 end + 1, 1)
        from internal.languages where locale = p_locale
      )), 0),
      6
    )
  ];
end
$$;
comment on function internal.plural_form(text[], text, text) is
  'That of the patterns in p_forms (internal.texts.forms) which the number p_count takes in a language.';

create or replace function internal.said_text(
  p_key text, p_locale text, p_name text default null, p_link text default null, p_count integer default null,
  p_fourth text default null
) returns text
  language plpgsql
  stable
as $$
declare
  v_text internal.texts;
begin
  select * into v_text from internal.texts where locale = p_locale and key = p_key;
  return format(
    case
      when v_text.forms is null then v_text.pattern
      else internal.plural_form(v_text.forms, v_text.source, p_count::text)
    end,
    p_name, p_link, p_count, p_fourth
  );
end
$$;
comment on function internal.said_text(text, text, text, text, integer, text) is
  'A text of the catalogue that is sent or said as it is. p_fourth is the brand or the time (internal.text_position).';

create or replace function internal.own_text(p_forms jsonb) returns jsonb
  language sql
  immutable
  parallel safe
as $$
  select coalesce(p_forms -> 'text', p_forms)
$$;
comment on function internal.own_text(jsonb) is
  'A text of kith.tenant_texts as the API has it: a string, or an object with a string for each plural category.';
