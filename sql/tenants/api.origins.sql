create or replace function api.allowed_origins() returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select coalesce(json_object_agg(allowed.origin, allowed.tenant_ids), '{}')
    from (
      select origin, array_agg(tenant_id order by tenant_id) as tenant_ids
      from kith.tenants
      cross join unnest(allowed_origins) as origin
      where deleted_at is null
      group by origin
    ) as allowed
  );
end
$$;
comment on function api.allowed_origins() is
  'Returns the web origins whose scripts may call the API, with their tenants: {origin: [tenant_id]}. A browser asks '
  'before it sends a credential, so a server must know all of them; it reads them once a minute, and for an origin '
  'that it does not know at most once a second. Security definer, because no tenant is set then.';
grant execute on function api.allowed_origins() to kith_api;
