drop view if exists admin.tenant_texts;
create view admin.tenant_texts with (security_barrier, security_invoker) as
select tenant.slug as tenant, own.locale, own.key, coalesce(own.forms -> 'text', own.forms) as text, own.updated_at
from kith.tenant_texts as own
join kith.tenants as tenant on tenant.tenant_id = own.tenant_id;
comment on view admin.tenant_texts
  is 'The texts that tenants have replaced by their own words. admin.set_tenant_texts changes them.';
comment on column admin.tenant_texts.tenant is 'The tenant''s slug.';
comment on column admin.tenant_texts.locale is 'The language.';
comment on column admin.tenant_texts.key is 'The key of the text.';
comment on column admin.tenant_texts.text is 'The text, or an object with a text for each plural category.';
comment on column admin.tenant_texts.updated_at is 'When it was last set.';
grant select on admin.tenant_texts to kith_reader;

create or replace function admin.set_tenant_texts(
  p_tenant text, p_locale text, p_texts jsonb, p_now timestamptz default now()
)
  returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
begin
  perform internal.require_present(p_now);
  perform internal.change_tenant_texts(v_tenant, p_locale, p_texts, internal.operator(), p_now);
  perform internal.leave_tenant();
  return (select count(*) from jsonb_object_keys(p_texts));
end
$$;
comment on function admin.set_tenant_texts(text, text, jsonb, timestamptz) is
  'Replaces a tenant''s own words in a language, all or nothing, and returns how many there are: select '
  'admin.set_tenant_texts(''acme'', ''de'', ''{"check_in.button": "Alles gut"}''). Texts that are left out are the '
  'catalogue''s again; with ''{}'' all of them are.';
grant execute on function admin.set_tenant_texts(text, text, jsonb, timestamptz) to kith_admin;
