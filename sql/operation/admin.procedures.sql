drop view if exists admin.procedures;
create view admin.procedures with (security_barrier, security_invoker) as
select procedure.proname::text as name, pg_catalog.pg_get_function_identity_arguments(procedure.oid) as arguments,
  pg_catalog.obj_description(procedure.oid, 'pg_proc') as comment,
  has_function_privilege(procedure.oid, 'execute') as may_call
from pg_catalog.pg_proc as procedure
where procedure.pronamespace = 'admin'::regnamespace and pg_has_role('kith_reader', 'usage');
comment on view admin.procedures
  is
    'What an operator can do with a statement, and what each does: select name, comment from admin.procedures order by '
    'name.';
comment on column admin.procedures.name is 'The name in schema admin.';
comment on column admin.procedures.arguments is 'The names and types of its arguments.';
comment on column admin.procedures.comment is 'What it does, with an example.';
comment on column admin.procedures.may_call is 'Whether this login may call it.';
grant select on admin.procedures to kith_reader;
