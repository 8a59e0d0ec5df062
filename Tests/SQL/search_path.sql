-- A role that could create temporary objects could replace a type that a definer function names. Its check constraint would then run as
-- the function's owner, who has every privilege. people.sql grants TEMP for the test; in production no role has it.
begin;
\ir people.sql
select plan(5);

create function pg_temp.evil() returns boolean
  language plpgsql
as $$
begin
  if current_user = 'kith_owner' then
    perform set_config('tests.ran_as', current_user, true);
  end if;
  return true;
end
$$;
grant execute on function pg_temp.evil() to public;

-- Domains with the names of the types that definer functions use. Their check records whether the owner runs it.
create function tests.plant_types() returns void
  language plpgsql
as $$
declare
  v_type text;
begin
  foreach v_type in array array['uuid', 'text', 'integer', 'int4', 'jsonb', 'json', 'boolean', 'bool', 'bytea', 'timestamptz', 'interval'] loop
    execute format('create domain pg_temp.%I as pg_catalog.%I check (pg_temp.evil())', v_type,
      case v_type when 'integer' then 'int4' when 'boolean' then 'bool' else v_type end);
  end loop;
end
$$;

-- Types in pg_temp are found by every role of the session, so one role can plant them for all.
select tests.plant_types();

select tests.as_role('kith_admin');
select lives_ok($$ select * from admin.rotate_api_key('acme', p_now => '2026-03-10T09:00:00Z') $$, 'an operator rotates a key');
select is(coalesce(current_setting('tests.ran_as', true), ''), '', 'no type in pg_temp runs as the owner during the rotation');
select tests.as_role('kith_api');
select lives_ok($$ select api.authenticate_key('\x00'::pg_catalog.bytea, '2026-03-10T09:00:00Z', true) $$, 'the server authenticates a key');
select is(coalesce(current_setting('tests.ran_as', true), ''), '', 'no type in pg_temp runs as the owner during the authentication');
select tests.as_superuser();

select is_empty(
  $$
    select class.oid::regclass from pg_class as class where class.relnamespace = 'kith'::regnamespace and class.relowner <> 'kith_owner'::regrole
  $$,
  'only the owner has tables in schema kith'
);
select * from finish();
rollback;
