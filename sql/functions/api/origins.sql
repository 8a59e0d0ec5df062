create or replace function api.origin_is_allowed(p_origin text, p_tenant_id integer) returns json
  language plpgsql
  stable
  security definer
  set search_path = ''
as $$
begin
  return to_json(exists (
    select from kith.tenants
    where allowed_origins @> array[p_origin] and deleted_at is null and (p_tenant_id is null or tenant_id = p_tenant_id)
  ));
end
$$;
comment on function api.origin_is_allowed(text, integer) is
  'Whether scripts of a web origin may call the API for a tenant or, before it is known whose request it is (null), for any: a browser asks first, without a credential. Definer: no tenant is set then; it tells yes or no.';
revoke all on function api.origin_is_allowed(text, integer) from public;
grant execute on function api.origin_is_allowed(text, integer) to kith_api;
