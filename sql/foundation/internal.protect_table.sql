create or replace function internal.protect_table(p_table regclass) returns void
  language plpgsql
as $$
declare
  v_name text := (select relname from pg_class where oid = p_table);
  v_has_tenant boolean := exists (
    select from pg_attribute where attrelid = p_table and attname = 'tenant_id' and not attisdropped
  );
  v_policy name;
begin
  for v_policy in select polname from pg_policy where polrelid = p_table loop
    execute format('drop policy %I on %s', v_policy, p_table);
  end loop;
  execute format('alter table %s enable row level security', p_table);
  execute format('alter table %s force row level security', p_table);
  execute format('revoke all on %s from kith_api, kith_worker, kith_admin, kith_reader', p_table);

  execute format(
    'create policy "the owner may do everything" on %s to kith_owner using (true) with check (true)', p_table
  );
  execute format(
    'comment on policy "the owner may do everything" on %s is %L', p_table,
    'Lets definer procedures and migrations, which run as kith_owner, reach the rows. Without a permissive policy they '
    'would change 0 rows and raise no error.'
  );

  if v_has_tenant then
    if not (select attnotnull from pg_attribute where attrelid = p_table and attname = 'tenant_id') then
      raise exception
        'the column tenant_id of % must be not null: a row without a tenant would be visible to every tenant',
        p_table;
    end if;
    -- The planner expects half of the rows to pass this condition. Of `tenant_id = coalesce(kith.tenant_id(),
    -- tenant_id)` it expects one tenant's rows, and so little made it read a whole table where the worker needs the
    -- rows of a batch.
    execute format(
      'create policy "the owner stays within the tenant that is set" on %s as restrictive to kith_owner
        using (coalesce(tenant_id = kith.tenant_id(), true)) with check (coalesce(tenant_id = kith.tenant_id(), true))',
      p_table
    );
    execute format(
      'comment on policy "the owner stays within the tenant that is set" on %s is %L', p_table,
      'A definer procedure called within a tenant cannot leave it, whatever its statements say.'
    );
    execute format(
      'create policy "a request sees only its own tenant" on %s as restrictive to kith_api
        using (tenant_id = kith.tenant_id()) with check (tenant_id = kith.tenant_id())',
      p_table
    );
    execute format(
      'comment on policy "a request sees only its own tenant" on %s is %L', p_table,
      'A01: a request with no tenant set sees no rows. The condition is a plain comparison, so that an index can serve '
      'it.'
    );
  end if;

  -- The answers kept for repeated requests are sealed, and no operator's business.
  if v_name not in ('idempotency_keys', 'idempotency_key_subjects') then
    perform internal.let_operators_read(p_table, v_has_tenant);
  end if;
end
$$;
comment on function internal.protect_table(regclass) is
  'Gives a table what every table of the schema kith needs: forced row-level security and the standard policies, and '
  'no privilege for anybody. kith migrate calls it before it applies the table''s own file of policies and grants.';

create or replace function internal.let_operators_read(p_table regclass, p_has_tenant boolean) returns void
  language plpgsql
as $$
declare
  v_operator text;
begin
  v_operator := case
    when p_has_tenant then 'operators read the tenants that they see'
    else 'operators who see every tenant read every row'
  end;
  execute format(
    'create policy %I on %s for select to kith_reader using (%s)', v_operator, p_table,
    -- In a subselect, the planner calls the function once for a statement, and not for each row.
    case
      when p_has_tenant then 'coalesce(tenant_id = (select internal.bound_tenant()), true)'
      else '(select internal.bound_tenant()) is null'
    end
  );
  execute format(
    'comment on policy %I on %s is %L', v_operator, p_table,
    'G01: every tenant, or the one to which the login is bound (kith.operators). Operators change data only through '
    'the procedures of schema admin.'
  );
  if p_has_tenant then
    perform internal.confine_bound_operators(p_table);
  end if;
  execute format(
    'create policy "who reads all data without being an operator is told so" on %s for select to pg_read_all_data '
    'using ((select internal.refuse_outsider()))', p_table
  );
  execute format(
    'comment on policy "who reads all data without being an operator is told so" on %s is %L', p_table,
    'Without this policy, a login with pg_read_all_data alone would read no rows, and no error would say why.'
  );
end
$$;
comment on function internal.let_operators_read(regclass, boolean) is
  'The policies of a table for operators: those who see every tenant, those who see one, and those who are none but '
  'may read all data. For internal.protect_table.';

create or replace function internal.confine_bound_operators(p_table regclass) returns void
  language plpgsql
as $$
begin
  execute format(
    'create policy "a login of one tenant reads no row of another" on %s as restrictive for select to kith_bound
      using (tenant_id = (select internal.bound_tenant()))',
    p_table
  );
  execute format(
    'comment on policy "a login of one tenant reads no row of another" on %s is %L', p_table,
    'A plain comparison, which an index serves together with the conditions of the statement. Otherwise explain '
    'analyze would count the rows of other tenants that an index finds by a value, and so tell the value.'
  );
  execute format(
    'create policy "a login of one tenant reads under its own name" on %s as restrictive for select to kith_reader
      using (tenant_id >= (
        select coalesce(max(case bound when -1 then 2147483647 else bound end), -2147483648)
        from internal.bound_tenant() as bound
      ))',
    p_table
  );
  execute format(
    'comment on policy "a login of one tenant reads under its own name" on %s is %L', p_table,
    'After set role, the policy for kith_bound does not concern the login. Of a single inequality the planner expects '
    'a third of the rows to pass, so that it reads tables for all other operators as before.'
  );
end
$$;
comment on function internal.confine_bound_operators(regclass) is
  'The policies that keep the statements of operators who see one tenant from reading rows of another, and not only '
  'from showing them. For internal.let_operators_read.';
