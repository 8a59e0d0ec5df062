create or replace function api.page_tenant(p_host text, p_slug text, p_code text, p_public_url text) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer;
begin
  select tenant_id into v_tenant from kith.tenants where universal_link_host = p_host;
  if not found then
    select tenant_id into v_tenant from kith.tenants where slug = p_slug;
  end if;
  return (
    select json_build_object(
      'tenant_id', tenant_id,
      'slug', slug,
      'default_region', default_region,
      'status', status,
      'brand_name', brand_name,
      'brand_color', brand_color,
      'brand_mark', internal.brand_mark_path(slug, brand_mark),
      'join_url', case when p_code is null then link.address else internal.join_url(link.address, p_code) end,
      'app_link', app_link,
      'sign_in_url', sign_in_url,
      -- A link to this server's own pages would lead in a circle.
      'redirect_url', case
        when join_redirects and status = 'active' and internal.host_of(app_link) is distinct from lower(p_host)
          and internal.host_of(app_link) is distinct from universal_link_host
          and internal.host_of(app_link) <> internal.host_of(p_public_url)
          then app_link
      end,
      'app_ids', app_ids,
      'wording', internal.wording(tenant)
    )
    from kith.tenants as tenant
    cross join lateral internal.join_link(tenant, p_public_url) as link (address)
    where tenant.tenant_id = v_tenant and tenant.deleted_at is null
  );
end
$$;
comment on function api.page_tenant(text, text, text, text) is
  'Returns what a page without sign-in shows about a tenant: {tenant_id, slug, default_region, status, brand_name, '
  'brand_color, brand_mark, join_url, app_link, sign_in_url, redirect_url, app_ids, wording}, all of it public. '
  'redirect_url is where the join page leads at once; null if it shows itself (P38). The answer is null if there is no '
  'such tenant. The tenant is found by the host of the page, or else by its slug. The code goes into the link and is '
  'not looked up. Security definer, because a visitor has no tenant yet.';
grant execute on function api.page_tenant(text, text, text, text) to kith_api;

create or replace function api.brand_mark(p_host text, p_slug text) returns table (path text, picture bytea)
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return query
    select internal.brand_mark_path(tenant.slug, tenant.brand_mark), mark.picture
    from kith.tenants as tenant
    join kith.brand_marks as mark on mark.tenant_id = tenant.tenant_id
    where tenant.slug = p_slug and tenant.deleted_at is null
      -- A picture on somebody's host looks like theirs.
      and not exists (
        select from kith.tenants as owner
        where owner.universal_link_host = p_host and owner.tenant_id <> tenant.tenant_id
      );
end
$$;
comment on function api.brand_mark(text, text) is
  'Returns the picture of a tenant''s app, and the path that it has now; no row without one, or on the host of another '
  'tenant. Security definer, because a visitor has no tenant yet.';
grant execute on function api.brand_mark(text, text) to kith_api;
