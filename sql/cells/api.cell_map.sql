-- What a server must know of the map of cells (decision 51).

create or replace function api.cell_map(p_version bigint) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_no_tenant();
  return internal.cell_map(p_version);
end
$$;
comment on function api.cell_map(bigint) is
  'internal.cell_map for servers, which ask every few seconds. Security definer, because the map belongs to no tenant.';
grant execute on function api.cell_map(bigint) to kith_api;

create or replace function api.cell_identity() returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_no_tenant();
  return internal.cell_identity();
end
$$;
comment on function api.cell_identity() is
  'Which cell this database is: {cluster, database, name}. name is null in the directory. A server compares it with '
  'the map before it sends a request there. Security definer, because kith_api may not read the table.';
grant execute on function api.cell_identity() to kith_api;

create or replace function api.cell_routes(p_hash text) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_hash text := internal.hash_of_routes();
begin
  return case
    when v_hash is distinct from p_hash then json_build_object('hash', v_hash, 'routes', api.cell_routes())
  end;
end
$$;
comment on function api.cell_routes(text) is
  'By what requests name the tenants of this cell (api.cell_routes), unless they are still those of a hash: {hash, '
  'routes}, or null. Servers of an installation with several cells read it every few seconds. Security definer, '
  'because it is about all tenants.';
grant execute on function api.cell_routes(text) to kith_api;

create or replace function internal.hash_of_routes() returns text
  language plpgsql
  stable
as $$
begin
  return format(
    '%s %s',
    (
      select sum(hash_record_extended((tenant_id, universal_link_host, allowed_origins), 0))
      from kith.tenants
      where deleted_at is null
    ),
    (select sum(hash_record_extended((issuer, audience, tenant_id, claimed_at), 0)) from kith.jwt_issuers)
  );
end
$$;
comment on function internal.hash_of_routes() is
  'What changes whenever api.cell_routes() does: two sums of hashes. With 34,000 tenants it takes a tenth of the time '
  'of the routes themselves, which are 4 MB.';

create or replace function api.cell_routes() returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_no_tenant();
  return json_build_object(
    'hosts', (
      select coalesce(json_agg(json_build_array(universal_link_host, tenant_id) order by universal_link_host), '[]')
      from kith.tenants
      where universal_link_host is not null and deleted_at is null
    ),
    'origins', (
      select coalesce(json_agg(json_build_array(origin, tenant_id) order by origin, tenant_id), '[]')
      from kith.tenants
      cross join unnest(allowed_origins) as origin
      where deleted_at is null
    ),
    'issuers', (
      select coalesce(
        json_agg(
          json_build_array(issuer, audience, tenant_id, (extract(epoch from claimed_at) * 1000000)::bigint)
          order by issuer, audience, tenant_id
        ),
        '[]'
      )
      from kith.jwt_issuers
    )
  );
end
$$;
comment on function api.cell_routes() is
  'By what requests name the tenants of this cell, besides their slugs: {hosts: [[host, number]], origins: [[origin, '
  'number]], issuers: [[issuer, audience, number, claimed at]]}, always in the same order. The audience is empty if '
  'the tenant owns the issuer alone. Security definer, because it is about all tenants.';
grant execute on function api.cell_routes() to kith_api;

create or replace function api.find_secret(p_hash bytea) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_no_tenant();
  return (
    select to_json(found.tenant_id)
    from (
      select tenant_id from kith.api_keys where secret_hash = p_hash
      union all
      select tenant_id from kith.refresh_tokens where secret_hash = p_hash
      union all
      select tenant_id from kith.nominee_invitations where token_hash = p_hash
      union all
      select tenant_id from kith.transfer_invitations where token_hash = p_hash
      limit 1
    ) as found
  );
end
$$;
comment on function api.find_secret(bytea) is
  'The number of the tenant of a secret whose text does not name it, by its SHA-256: a key, a refresh token, or the '
  'token of an invitation, live or ended. Null if it is of no tenant of this cell. Security definer, because no tenant '
  'is known yet.';
grant execute on function api.find_secret(bytea) to kith_api;

create or replace function api.departed_tenants(p_tenant_id integer, p_version bigint) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_no_tenant();
  return (
    select coalesce(json_agg(tenant_id order by tenant_id), '[]')
    from (
      select tenant_id from kith.moving_tenants where left_version > p_version
      union
      -- Whatever the version: a directory that was restored from a back-up may have a larger one and name this cell
      -- again.
      select tenant_id from kith.moving_tenants where tenant_id = p_tenant_id and state = 'gone'
      union
      -- A cell that was restored to before the tenant came does not know it, and must not refuse its people either.
      select p_tenant_id
      where p_tenant_id is not null and not exists (select from kith.tenants where tenant_id = p_tenant_id)
    ) as departed
  );
end
$$;
comment on function api.departed_tenants(integer, bigint) is
  'The numbers of the tenants that have left this cell since a version of the map, and p_tenant_id if it has left or '
  'is not known here. A server that has not read the map for some seconds asks before it refuses somebody whose rows '
  'may be in another cell by now: apps sign out when they read 401. Security definer, because it is about all tenants.';
grant execute on function api.departed_tenants(integer, bigint) to kith_api;
