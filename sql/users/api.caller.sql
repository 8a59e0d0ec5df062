create or replace function api.require_caller() returns boolean
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  if v_tenant is not null and not exists (
    select from kith.tenants where tenant_id = v_tenant and status = 'active' and deleted_at is null
  ) then
    raise exception 'tenant_suspended' using errcode = 'KT403';
  end if;
  if v_user is not null and not exists (
    select from kith.users where tenant_id = v_tenant and id = v_user and deleted_at is null
  ) then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
  return true;
end
$$;
comment on function api.require_caller() is
  'Runs before each procedure that writes, in the same statement. The server trusts a token for up to a minute, during '
  'which the account may have ended or the tenant may have been suspended. Raises unauthenticated or tenant_suspended. '
  'Takes no lock, because it would be out of order for procedures that lock accounts; a procedure for which an ending '
  'account must wait locks the account itself. Security definer, because users may not read the tenant''s status.';
grant execute on function api.require_caller() to kith_api;

create or replace function api.require_caller_while_suspended() returns boolean
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  if v_tenant is not null
    and not exists (select from kith.tenants where tenant_id = v_tenant and deleted_at is null)
  then
    raise exception 'tenant_suspended' using errcode = 'KT403';
  end if;
  if v_user is not null and not exists (
    select from kith.users where tenant_id = v_tenant and id = v_user and deleted_at is null
  ) then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
  return true;
end
$$;
comment on function api.require_caller_while_suspended() is
  'api.require_caller for the calls that a suspension does not refuse, because a person needs them to be safe: signing '
  'in and out (A02). Raises unauthenticated, or tenant_suspended for a deleted tenant. Security definer, as '
  'require_caller.';
grant execute on function api.require_caller_while_suspended() to kith_api;
