-- internal.end_rights_of_blocked, which api.put_block calls, as it was before commit 6faede16: a plan that knew few rows searched all nominees
-- for each vault of the tenant. A test loads it, and expects to see that.
do $$
begin
  execute replace(
    pg_get_functiondef('internal.end_rights_of_blocked(uuid, timestamptz)'::regprocedure),
    'id = any (array(select vault_id from kith.nominees where tenant_id = v_tenant and id = any (v_nominees)))',
    'id in (select vault_id from kith.nominees where tenant_id = v_tenant and id = any (v_nominees))'
  );
end
$$;
