-- A tenant is deleted, comes back, and is purged (G08).
begin;
\ir people.sql
select plan(24);
\set now '''2026-03-10T12:00:00Z'''

create function tests.purge() returns integer
  language plpgsql
as $$
declare
  v_step json;
begin
  for calls in 1..1000 loop
    v_step := admin.purge_tenant(tests.tenant('acme'), 10, '2026-03-10T12:10Z');
    if (v_step ->> 'deleted')::integer > 10 then
      return -1;
    elsif (v_step ->> 'is_done')::boolean then
      return calls;
    end if;
  end loop;
end
$$;
select is_empty(
  $$
    select child.name from internal.tenant_tables() as child
    join pg_constraint as reference on reference.contype = 'f' and reference.conrelid = format('kith.%I', child.name)::regclass
    join internal.tenant_tables() as parent on format('kith.%I', parent.name)::regclass = reference.confrelid
    where parent.level >= child.level and parent.name <> child.name
  $$,
  'a table refers only to tables of lower levels'
);
select is(
  (select count(*) from internal.tenant_tables() where name in ('users', 'pings', 'document_chunks', 'audit', 'emergency_requests')), 5::bigint,
  'tables of every area are found'
);

-- Rows in tables that refer to each other, and a place in the worker's order of deadlines.
insert into kith.check_ins (tenant_id, id, user_id, received_at, created_at)
select tests.tenant('acme'), internal.uuid7(:now), tests.id('alice'), :now, :now from generate_series(1, 25);
insert into kith.audit (tenant_id, id, at, actor, action) select tests.tenant('acme'), internal.uuid7(:now), :now, 'x', 'x' from generate_series(1, 25);
update kith.gap_checks set checked_tenant_id = tests.tenant('acme'), checked_time_zone = 'UTC';
insert into kith.outages (component, began_at, ended_at, told_deadline_at, told_tenant_id, told_sender_id)
values ('worker', :now, '2026-03-10T12:05Z', :now, tests.tenant('acme'), tests.id('alice'));
select internal.refresh_tenant_texts(tests.tenant('acme'), 'de') \g /dev/null
create temporary table others as select name, rows from internal.rows_of_tenant(tests.tenant('globex'));

select tests.as_role('kith_admin') \g /dev/null
select throws_ok($$ select admin.delete_tenant('nobody', 'x') $$, 'KT404', 'not_found', 'a tenant that does not exist is not deleted');
select throws_ok($$ select admin.delete_tenant('acme', ' ') $$, 'KT422', null, 'a deletion needs a reason');
select throws_ok(format($$ select admin.begin_purge('acme', 'acme', %L) $$, :now), 'KT409', 'invalid_transition', 'a tenant that is not deleted is not purged');
select throws_ok($$ select admin.restore_tenant('acme', 'x') $$, 'KT409', 'invalid_transition', 'nor restored');
select lives_ok(format($$ select admin.delete_tenant('acme', 'left', %L) $$, :now), 'an operator deletes a tenant');
select is((select status from admin.tenants where slug = 'acme'), 'deleted', 'and it is deleted');
select throws_ok($$ select admin.restore_tenant('acme', '') $$, 'KT422', null, 'a return needs a reason');
select lives_ok(format($$ select admin.restore_tenant('acme', 'came back', %L) $$, :now), 'an operator restores it');
select is((select status from admin.tenants where slug = 'acme'), 'suspended', 'and it stays suspended');
select admin.delete_tenant('acme', 'left for good', :now) \g /dev/null
select throws_ok(
  $$ select admin.begin_purge('acme', 'acme', '2026-03-10T12:04:59Z') $$, 'KT409', 'invalid_transition',
  'a tenant is not purged while a server may still write for it'
);
select throws_ok($$ select admin.begin_purge('acme', 'globex', '2026-03-10T12:10Z') $$, 'KT400', 'invalid_request', 'a purge needs the slug again');
select throws_ok(
  format($$ select admin.purge_tenant(%s, 10, '2026-03-10T12:10Z') $$, tests.tenant('acme')), 'KT409', 'invalid_transition', 'a purge begins with begin_purge'
);
select admin.begin_purge('acme', 'acme', '2026-03-10T12:10Z') \g /dev/null
select throws_ok($$ select admin.restore_tenant('acme', 'mistake') $$, 'KT409', 'invalid_transition', 'a tenant that is being purged does not come back');

select ok(calls between 10 and 999, 'it goes batch by batch, none larger than asked for') from (select tests.purge() as calls offset 0) as purge;
select tests.as_superuser() \g /dev/null
select is_empty(format($$ select * from internal.rows_of_tenant(%s) where rows > 0 $$, tests.tenant('acme')), 'nothing names the tenant any more');
select is_empty(
  format($$ select from internal.languages where locale like '%%@%s' $$, tests.tenant('acme')), 'nor are its own words compiled any more'
);
select results_eq(
  format($$ select name, rows from internal.rows_of_tenant(%s) $$, tests.tenant('globex')), 'select * from others', 'the other tenant has what it had'
);
select is(
  (select string_agg(action, ' ' order by id) from kith.audit where tenant_id = 0 and detail ->> 'tenant_id' = tests.tenant('acme')::text),
  'tenant.purge_begin tenant.purge', 'the audit of the installation keeps that it was purged'
);
select tests.as_role('kith_worker') \g /dev/null
select throws_ok($$ select admin.delete_tenant('globex', 'x') $$, '42501', null, 'only operators delete tenants');

-- A copy that a restore of the directory has left: the map places the tenant in another cell, where it lives on.
select tests.as_superuser();
select admin.add_cell('east', 'postgresql://east.example/kith', '17', 5, 'main') \g /dev/null
update kith.tenant_cells set cell = 'east' where tenant_id = tests.tenant('globex');
insert into kith.operators (login, only_tenant_id, is_read_only, created_at, created_by) values ('gina', tests.tenant('globex'), true, now(), 'operator:boss');
create temporary table copy as select tests.tenant('globex') as tenant;
select admin.delete_tenant('globex', 'copy from a restore', '2026-03-11T12:00Z') \g /dev/null
select admin.begin_purge('globex', 'globex', '2026-03-11T12:10Z') \g /dev/null
do $$
begin
  while (select admin.purge_tenant(tenant, 1000, '2026-03-11T12:10Z') ->> 'is_done' from copy) <> 'true' loop
  end loop;
end
$$;
select is((select count(*) from kith.tenants where slug = 'globex'), 0::bigint, 'the copy is purged');
select is((select cell from admin.tenant_cells where tenant = 'globex'), 'east', 'and the map still leads to the tenant');
select is((select only_tenant_id from kith.operators where login = 'gina'), (select tenant from copy), 'whose operators stay');

select * from finish();
rollback;
