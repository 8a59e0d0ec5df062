-- What every table of the schema kith needs. A table's own file holds only its further policies and its grants.
-- The name puts this file first: it takes away every privilege before the other files grant theirs.
do $$
declare
  v_table record;
  v_operator text;
begin
  for v_table in
    select class.oid::regclass as name, class.relname,
      exists (
        select from pg_attribute as attribute
        where attribute.attrelid = class.oid and attribute.attname = 'tenant_id' and not attribute.attisdropped
      ) as has_tenant
    from pg_class as class
    where class.relnamespace = 'kith'::regnamespace and class.relkind in ('r', 'p') and not class.relispartition
    order by class.relname
  loop
    execute format('alter table %s enable row level security', v_table.name);
    execute format('alter table %s force row level security', v_table.name);
    execute format('revoke all on %s from kith_api, kith_worker, kith_admin', v_table.name);

    execute format('create policy "the owner may do everything" on %s to kith_owner using (true) with check (true)', v_table.name);
    execute format(
      'comment on policy "the owner may do everything" on %s is %L', v_table.name,
      'Lets definer procedures and migrations, which run as kith_owner, reach the rows. Without a permissive policy they would change 0 rows and raise no error.'
    );

    if v_table.has_tenant then
      execute format(
        'create policy "the owner stays within the tenant that is set" on %s as restrictive to kith_owner
          using (tenant_id = coalesce(kith.tenant_id(), tenant_id)) with check (tenant_id = coalesce(kith.tenant_id(), tenant_id))',
        v_table.name
      );
      execute format(
        'comment on policy "the owner stays within the tenant that is set" on %s is %L', v_table.name,
        'A definer procedure called within a tenant cannot leave it, whatever its statements say.'
      );
      execute format(
        'create policy "a request sees only its own tenant" on %s as restrictive to kith_api
          using (tenant_id = kith.tenant_id()) with check (tenant_id = kith.tenant_id())',
        v_table.name
      );
      execute format(
        'comment on policy "a request sees only its own tenant" on %s is %L', v_table.name,
        'A01: a request with no tenant set sees no rows. The condition is a plain comparison, so that an index can serve it.'
      );
    end if;

    -- The answers kept for repeated requests are sealed, and no operator's business.
    continue when v_table.relname in ('idempotency_keys', 'idempotency_key_subjects');
    v_operator := case when v_table.has_tenant then 'operators read every tenant' else 'operators read every row' end;
    execute format('create policy %I on %s for select to kith_admin using (true)', v_operator, v_table.name);
    execute format(
      'comment on policy %I on %s is %L', v_operator, v_table.name, 'G01: operators change data only through the procedures of schema admin.'
    );
  end loop;
end
$$;
