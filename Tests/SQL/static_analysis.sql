-- plpgsql_check reads every function without running it, so it also finds mistakes on branches that no test takes.
begin;
\ir people.sql
create extension if not exists plpgsql_check;
select plan(2);

create temporary table findings as
select proc.oid::regprocedure::text as function, finding.lineno, finding.level, finding.message
from pg_proc as proc
join pg_language as language on language.oid = proc.prolang and language.lanname = 'plpgsql'
cross join lateral plpgsql_check_function_tb(proc.oid, fatal_errors => false) as finding
where proc.pronamespace = any (array['kith', 'internal', 'api', 'worker', 'admin']::regnamespace[]) and proc.prorettype <> 'trigger'::regtype;
select is_empty(
  $$ select function, lineno, message from findings where level = 'error' $$,
  'no function uses a table, a column, a function or a type that does not exist'
);
select is_empty(
  $$ select function, lineno, message from findings where message ~ '^(unused|never read) variable' $$,
  'no function declares a variable that it does not read'
);

select * from finish();
rollback;
