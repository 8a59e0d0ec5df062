-- A tenant's own words. The catalogue of the server has the texts; what may replace them is decided here, for the API
-- and for operators.

create or replace function internal.load_text_rules(p_rules jsonb) returns void
  language plpgsql
as $$
begin
  insert into internal.text_rules (rules) values (p_rules)
  on conflict (only_row) do update set rules = excluded.rules where text_rules.rules <> excluded.rules;
end
$$;
comment on function internal.load_text_rules(jsonb) is
  'Replaces the rules of internal.text_rules by those of a program''s catalogue. `kith migrate` calls it.';

create or replace function internal.wording(p_tenant kith.tenants) returns json
  language sql
  stable
  parallel safe
as $$
  select case
    when (p_tenant).default_locale is not null or (p_tenant).texts_changed_at is not null then json_build_object(
      'tenant_id', (p_tenant).tenant_id,
      'default_locale', (p_tenant).default_locale,
      'texts_changed_at', (extract(epoch from (p_tenant).texts_changed_at) * 1000000)::bigint
    )
  end
$$;
comment on function internal.wording(kith.tenants) is
  'What a server needs to word an answer as a tenant wants it: {tenant_id, default_locale, texts_changed_at}, the last '
  'in microseconds since 1970. Null for a tenant without a default language and without own words. The caller may '
  'cache it.';

create or replace function internal.form_error(p_form text, p_wanted text[]) returns text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_given text[] := array(select name[1] from regexp_matches(p_form, '\{([a-z_]+)\}', 'g') as name);
  v_name text;
begin
  if char_length(p_form) not between 1 and 1000 then
    return 'must have 1 to 1000 characters';
  elsif p_form ~ '[\u0001-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]' then
    return 'must not hold control characters or line breaks';
  elsif p_form ~ '[<>]' then
    return 'must be plain text, without < and >';
  elsif not internal.is_name(regexp_replace(p_form, '\{[a-z_]+\}', 'x', 'g')) then
    return 'must have a visible character, and none that is invisible or changes the direction of text';
  elsif regexp_replace(p_form, '\{[a-z_]+\}', '', 'g') ~ '[{}]' then
    return 'must have braces only around a placeholder, like {name}';
  end if;
  select name into v_name from unnest(v_given) as name where name <> all (p_wanted) limit 1;
  if found then
    return format('has no placeholder {%s}', v_name);
  end if;
  select name into v_name from unnest(p_wanted) as name where name <> all (v_given) limit 1;
  if found then
    return format('must have the placeholder {%s}', v_name);
  end if;
  return null;
end
$$;
comment on function internal.form_error(text, text[]) is
  'Why a text with placeholders cannot be used where the placeholders in p_wanted must stand; null if it can.';

create or replace function internal.text_error(p_text jsonb, p_rule jsonb, p_language jsonb) returns text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_wanted text[] := array(select jsonb_array_elements_text(p_rule -> 'placeholders'));
  v_form record;
  v_error text;
begin
  if jsonb_typeof(p_text) = 'string' then
    return internal.form_error(p_text #>> '{}', v_wanted);
  elsif jsonb_typeof(p_text) <> 'object' then
    return 'must be a text, or an object with a text for each plural category';
  elsif not (p_rule ->> 'plural')::boolean then
    return 'must be a text: no number decides its form';
  elsif not p_text ? 'other' then
    return 'must have a text for the plural category other';
  end if;
  for v_form in select key as category, value from jsonb_each(p_text) order by key loop
    if not p_language -> 'categories' ? v_form.category then
      return format(
        'has no plural category %s in this language, only %s', left(v_form.category, 20),
        (select string_agg(category, ', ') from jsonb_array_elements_text(p_language -> 'categories') as category)
      );
    elsif jsonb_typeof(v_form.value) <> 'string' then
      return format('must have a text for the plural category %s', v_form.category);
    end if;
    -- "one minute left" can do without its number.
    v_error := internal.form_error(
      v_form.value #>> '{}',
      case
        when p_language -> 'single' ? v_form.category and v_form.value #>> '{}' !~ '\{count\}'
          then array_remove(v_wanted, 'count')
        else v_wanted
      end
    );
    if v_error is not null then
      return v_error || format(' (%s)', v_form.category);
    end if;
  end loop;
  return null;
end
$$;
comment on function internal.text_error(jsonb, jsonb, jsonb) is
  'Why a text, or an object of texts by plural category, cannot stand for one with this rule in this language '
  '(internal.text_rules); null if it can.';

create or replace function internal.text_errors(p_locale text, p_texts jsonb) returns jsonb
  language plpgsql
  stable
as $$
begin
  return (
    select coalesce(
      jsonb_agg(jsonb_build_object('field', left(checked.key, 200), 'message', checked.error) order by checked.key),
      '[]'
    )
    from internal.text_rules
    cross join lateral (
      select given.key,
        case
          when not rules -> 'keys' ? given.key then 'is not the key of a text'
          else internal.text_error(given.value, rules -> 'keys' -> given.key, rules -> 'locales' -> p_locale)
        end as error
      from jsonb_each(p_texts) as given
    ) as checked
    where checked.error is not null
  );
end
$$;
comment on function internal.text_errors(text, jsonb) is
  'Why texts by key cannot be a tenant''s own words in a language, for internal.refuse_fields: an unknown key, a '
  'placeholder that does not exist or is left out, a control character, markup, or a wrong length or plural category.';

create or replace function internal.require_text_locale(p_locale text) returns text
  language plpgsql
  stable
as $$
declare
  v_locale text := lower(p_locale);
begin
  if not exists (select from internal.text_rules where rules -> 'locales' ? v_locale) then
    raise exception 'not_found' using errcode = 'KT404', detail = format(
      'There is no language %s. There are: %s.', left(p_locale, 35),
      (
        select string_agg(locale, ', ' order by locale) from internal.text_rules
        cross join lateral jsonb_object_keys(rules -> 'locales') as locale
      )
    );
  end if;
  return v_locale;
end
$$;
comment on function internal.require_text_locale(text) is
  'The tag of a language in lower case. Raises not_found, with those that there are, if the catalogue does not have '
  'it.';

create or replace function internal.change_tenant_texts(
  p_tenant_id integer, p_locale text, p_texts jsonb, p_actor text, p_now timestamptz
) returns void
  language plpgsql
as $$
declare
  v_locale text := internal.require_text_locale(p_locale);
begin
  if jsonb_typeof(p_texts) <> 'object' then
    perform internal.refuse_fields(internal.field_error('', 'must be an object of texts by their keys'));
  end if;
  perform internal.refuse_fields(internal.text_errors(v_locale, p_texts));
  -- Two changes at once take turns.
  perform from kith.tenants where tenant_id = p_tenant_id for no key update;
  delete from kith.tenant_texts where tenant_id = p_tenant_id and locale = v_locale;
  insert into kith.tenant_texts (tenant_id, locale, key, forms, updated_at)
  select p_tenant_id, v_locale, key,
    case jsonb_typeof(value) when 'object' then value else jsonb_build_object('text', value) end, p_now
  from jsonb_each(p_texts);
  update kith.tenants
  set texts_changed_at = case
      when exists (select from kith.tenant_texts as text where text.tenant_id = p_tenant_id) then p_now
    end
  where tenant_id = p_tenant_id;
  perform internal.refresh_tenant_texts(
    p_tenant_id,
    (select internal.default_locale(tenant) from kith.tenants as tenant where tenant.tenant_id = p_tenant_id)
  );
  perform internal.record_act(
    p_tenant_id, p_actor, 'texts.update', v_locale,
    jsonb_build_object(
      'keys', (select coalesce(jsonb_agg(key order by key), '[]') from jsonb_object_keys(p_texts) as key)
    )
  );
end
$$;
comment on function internal.change_tenant_texts(integer, text, jsonb, text, timestamptz) is
  'Replaces a tenant''s own words in one language by p_texts, all or nothing, and audits it. A text that is left out '
  'is the catalogue''s again. Shared by the tenant''s server and operators.';
