-- Roles belong to the cluster, not to the database: another database of the same cluster, or another runner at this very
-- moment, may have made them already.
do $$
declare
  v_role text;
begin
  foreach v_role in array array['kith_owner', 'kith_api', 'kith_worker', 'kith_admin'] loop
    begin
      execute format('create role %I nosuperuser nocreatedb nocreaterole nobypassrls', v_role);
    exception when duplicate_object or unique_violation then
      null;
    end;
  end loop;
end
$$;

-- The owner may log in because a distributed engine's workers connect as the owner of a definer function.
alter role kith_owner login;
alter role kith_api login;
alter role kith_worker login;
alter role kith_admin nologin;

-- A forgotten transaction would hold back vacuum and every reader of committed events; a stuck lock would hold up a lane.
alter role kith_api set statement_timeout = '5s';
alter role kith_api set lock_timeout = '2s';
alter role kith_api set idle_in_transaction_session_timeout = '10s';
-- A plan made for one execution looks cheaper the more partitions there are, because it knows which one it needs; so PostgreSQL
-- would plan every request anew: seven times the cost of a read with two years of history. A kept plan prunes when it starts.
alter role kith_api set plan_cache_mode = 'force_generic_plan';
alter role kith_worker set statement_timeout = '60s';
alter role kith_worker set lock_timeout = '5s';
alter role kith_worker set idle_in_transaction_session_timeout = '60s';

-- Every statement of ours is short; compiling one costs a hundred times what it does.
alter role kith_api set jit = off;
alter role kith_worker set jit = off;

comment on role kith_owner is 'Owns every object of Kith; used by migrations and by definer functions only.';
comment on role kith_api is 'What `kith serve` connects as: sees one tenant and one user at a time.';
comment on role kith_worker is 'What `kith worker` connects as: claims work of every tenant, and reads no secrets.';
comment on role kith_admin is 'Granted to operators: reads everything, changes through procedures of schema admin only.';

do $$
begin
  if not pg_has_role(current_user, 'kith_owner', 'member') then
    execute format('grant kith_owner to %I', current_user);
  end if;
  execute format('grant create, connect on database %I to kith_owner', current_database());
end
$$;

create schema if not exists internal authorization kith_owner;
alter schema internal owner to kith_owner;
create schema kith authorization kith_owner;
create schema api authorization kith_owner;
create schema worker authorization kith_owner;
create schema admin authorization kith_owner;

comment on schema kith is 'The tables of Kith, every one under row-level security.';
comment on schema api is 'One procedure per call of the HTTP API; they run as kith_api, within one tenant.';
comment on schema worker is 'One procedure per loop of the worker: each does one batch and says how much it did.';
comment on schema admin is 'The operator''s door: views, and procedures that follow the same rules as the API and are audited.';
comment on schema internal is 'Helpers that nobody calls from outside, and the ledger of migrations.';

-- PostgreSQL lets everyone execute a new function; here nobody may until it is granted.
alter default privileges for role kith_owner revoke execute on functions from public;

grant usage on schema kith to kith_api, kith_worker, kith_admin;
grant usage on schema api to kith_api;
grant usage on schema worker to kith_worker;
grant usage on schema admin to kith_admin;
grant usage on schema internal to kith_api, kith_worker;
