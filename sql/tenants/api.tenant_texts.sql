create or replace function api.tenant_texts(p_locale text) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_locale text := internal.require_text_locale(p_locale);
begin
  perform internal.require_server();
  return (
    select json_build_object('texts', coalesce(json_object_agg(key, internal.own_text(forms)), '{}'))
    from kith.tenant_texts
    where tenant_id = v_tenant and locale = v_locale
  );
end
$$;
comment on function api.tenant_texts(text) is
  'Returns the tenant''s own words in a language: {texts: {key: text}}. The server adds the texts of its catalogue. '
  'Security definer, because users may not read settings.';
grant execute on function api.tenant_texts(text) to kith_api;

create or replace function api.set_tenant_texts(p_locale text, p_body jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_server();
  perform internal.count_acts('administration', 1, p_now);
  perform internal.change_tenant_texts(v_tenant, p_locale, p_body, internal.actor(), p_now);
  return api.tenant_texts(p_locale);
end
$$;
comment on function api.set_tenant_texts(text, jsonb, timestamptz) is
  'Replaces the tenant''s own words in a language by those given, all or nothing, and returns them as api.tenant_texts '
  'does. Security definer, because users may not write settings.';
grant execute on function api.set_tenant_texts(text, jsonb, timestamptz) to kith_api;

create or replace function api.reset_tenant_texts(p_locale text, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_server();
  perform internal.count_acts('administration', 1, p_now);
  perform internal.change_tenant_texts(v_tenant, p_locale, '{}', internal.actor(), p_now);
  return null;
end
$$;
comment on function api.reset_tenant_texts(text, timestamptz) is
  'Ends the tenant''s own words in a language: all texts are the catalogue''s again. Security definer, because users '
  'may not write settings.';
grant execute on function api.reset_tenant_texts(text, timestamptz) to kith_api;

create or replace function api.own_texts(p_tenant_id integer) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select json_object_agg(words.locale, words.texts)
    from (
      select locale, json_object_agg(key, internal.own_text(forms)) as texts from kith.tenant_texts
      where tenant_id = p_tenant_id group by locale
    ) as words
  );
end
$$;
comment on function api.own_texts(integer) is
  'Returns a tenant''s own words in all languages, for pages and refusals: {locale: {key: text}}, or null if there are '
  'none. All of it is public. Security definer, because a visitor has no tenant yet.';
grant execute on function api.own_texts(integer) to kith_api;
