-- Roles belong to the cluster, not to the database. The migration of another database may have created them already, or may be creating
-- them at the same moment.
do $$
declare
  v_role text;
begin
  foreach v_role in array array['kith_owner', 'kith_api', 'kith_worker', 'kith_admin', 'kith_reader', 'kith_bound'] loop
    begin
      execute format('create role %I nosuperuser nocreatedb nocreaterole nobypassrls', v_role);
    exception when duplicate_object or unique_violation then
      null;
    end;
  end loop;
end
$$;

-- The owner may log in, because the workers of a distributed engine connect as the owner of a definer function.
alter role kith_owner login;
alter role kith_api login;
alter role kith_worker login;
alter role kith_admin nologin;
alter role kith_reader nologin;
alter role kith_bound nologin;
-- Whoever may act may also read.
grant kith_reader to kith_admin;

-- A forgotten transaction would hold back vacuum and every reader of the event feed. A statement that waits for a lock blocks its lane.
alter role kith_api set statement_timeout = '5s';
-- A statement that waits for a row holds a connection of the server, and the next statement on it waits as well. Both time out before
-- the server considers the connection dead (three seconds). A deadlock is still found first (deadlock_timeout, one second).
alter role kith_api set lock_timeout = '1200ms';
alter role kith_api set idle_in_transaction_session_timeout = '10s';
-- A plan for one execution knows which partition it needs, so it looks cheaper the more partitions there are. PostgreSQL would therefore
-- plan every request anew, which makes a read seven times as expensive with two years of history. A kept plan prunes when it starts.
alter role kith_api set plan_cache_mode = 'force_generic_plan';
-- A plan may be made while a table, or a month's partition, is still empty, and is kept while it grows. A request reads few rows, by key.
alter role kith_api set enable_seqscan = off;
-- Without statistics (after pg_upgrade or a restore, in a new month's partition, in a tenant's first days), PostgreSQL believes that a
-- tenant has one row in 200. So it takes any index that begins with the tenant, and reads all of it, to save a few look-ups by key. With
-- these costs a plan is as good as the rows and entries of indexes that it reads are few, so the index with most of the condition wins.
do $$
declare
  v_role text;
begin
  foreach v_role in array array['kith_api', 'kith_worker'] loop
    execute format('alter role %I set random_page_cost = 1.1', v_role);
    execute format('alter role %I set cpu_index_tuple_cost = 1', v_role);
    execute format('alter role %I set cpu_tuple_cost = 10', v_role);
    -- Each row costs more than a process of its own seems to.
    execute format('alter role %I set max_parallel_workers_per_gather = 0', v_role);
  end loop;
end
$$;
alter role kith_worker set statement_timeout = '60s';
alter role kith_worker set lock_timeout = '5s';
alter role kith_worker set idle_in_transaction_session_timeout = '60s';

-- Kith's statements are short. To compile one costs a hundred times as much as to run it.
alter role kith_api set jit = off;
alter role kith_worker set jit = off;

-- PostgreSQL treats a refusal by a procedure as an error and would log each one: a line for every wrong code, with what people typed in
-- the detail. The server that receives the error answers its client and logs the faults that are Kith's own. So for kith_api's sessions,
-- PostgreSQL logs only more serious messages (log, fatal, panic). For no session of Kith does it log rows (terse) or parameters.
-- Only a superuser may set this. `kith doctor` reports it if somebody else ran the migration.
do $$
declare
  v_role text;
begin
  foreach v_role in array array['kith_api', 'kith_worker', 'kith_owner'] loop
    execute format('alter role %I set log_error_verbosity = terse', v_role);
    execute format('alter role %I set log_parameter_max_length = 0', v_role);
    execute format('alter role %I set log_parameter_max_length_on_error = 0', v_role);
  end loop;
  alter role kith_api set log_min_messages = log;
exception when insufficient_privilege then
  raise notice 'a superuser must run this: alter role kith_api set log_min_messages = log (deploy/README.md, Logs)';
end
$$;

comment on role kith_owner is 'Owns every object of Kith. Only migrations and security-definer functions use it.';
comment on role kith_api is 'The role of `kith serve`. It sees one tenant and one user at a time.';
comment on role kith_worker is 'The role of `kith worker`. It claims work of every tenant and reads no secrets.';
comment on role kith_admin is 'Granted to operators who act. It reads what kith_reader reads, and changes data only through the procedures of schema admin.';
comment on role kith_reader is 'Granted to operators who only read. It reads everything except secrets and what people write to each other.';
comment on role kith_bound is 'Granted to operators who see one tenant. kith.operators says which; a login of it that is not there sees none.';

do $$
begin
  if not pg_has_role(current_user, 'kith_owner', 'member') then
    execute format('grant kith_owner to %I', current_user);
  end if;
  execute format('grant create, connect on database %I to kith_owner', current_database());
end
$$;

-- Definer functions show operators what holds the feed back and what fills the disk, and end a session that does (admin.long_transactions,
-- admin.disk, admin.end_session). PostgreSQL shows other roles' sessions and the size of its log only to these roles. `kith doctor` reports it
-- if somebody else than a superuser ran the migration.
do $$
begin
  grant pg_monitor, pg_signal_backend to kith_owner;
exception when insufficient_privilege then
  raise notice 'a superuser must run this: grant pg_monitor, pg_signal_backend to kith_owner (deploy/README.md, What to watch)';
end
$$;

-- PostgreSQL lets every role create temporary objects, and searches them first for the names of tables and types unless the search_path
-- says otherwise. A role that cannot create any cannot replace a type that a definer names with its own. Only the owner of the database
-- or a superuser may revoke this. `kith doctor` reports it if somebody else ran the migration.
do $$
begin
  execute format('revoke temporary on database %I from public', current_database());
end
$$;

-- A loop of the worker skips its pass while another session holds the loop's advisory lock. If every login could take and hold that lock,
-- one could keep everybody from being told of a miss. So only the roles that work may take advisory locks, and the server only for the
-- length of a transaction. Kith uses no large objects. Only a superuser may revoke this.
do $$
declare
  v_function regprocedure;
begin
  for v_function in
    select oid from pg_catalog.pg_proc
    where pronamespace = 'pg_catalog'::regnamespace
      and (proname ~ '^pg_(try_)?advisory_(xact_)?lock(_shared)?$' or proname in ('lo_creat', 'lo_create', 'lo_from_bytea'))
  loop
    execute format('revoke execute on function %s from public', v_function);
    -- Only migrations and `kith keys rotate` log in as the owner.
    execute format('grant execute on function %s to kith_owner', v_function);
  end loop;
  for v_function in
    select oid from pg_catalog.pg_proc
    where pronamespace = 'pg_catalog'::regnamespace and proname ~ '^pg_(try_)?advisory_xact_lock$'
  loop
    execute format('grant execute on function %s to kith_worker, kith_api', v_function);
  end loop;
end
$$;

create schema if not exists internal authorization kith_owner;
alter schema internal owner to kith_owner;
create schema kith authorization kith_owner;
create schema api authorization kith_owner;
create schema worker authorization kith_owner;
create schema admin authorization kith_owner;

comment on schema kith is 'The tables of Kith, all with row-level security.';
comment on schema api is 'One procedure for each call of the HTTP API. They run as kith_api, within one tenant.';
comment on schema worker is 'One procedure for each loop of the worker. Each does one batch and returns how much it did.';
comment on schema admin is 'Views and procedures for operators. The procedures follow the same rules as the API and are audited.';
comment on schema internal is 'Functions that only the other schemas call, and the ledger of migrations.';

-- PostgreSQL lets everyone execute a new function. In Kith nobody may until it is granted.
alter default privileges for role kith_owner revoke execute on functions from public;

grant usage on schema kith to kith_api, kith_worker, kith_reader;
grant usage on schema api to kith_api;
grant usage on schema worker to kith_worker;
grant usage on schema admin to kith_reader;
grant usage on schema internal to kith_api, kith_worker;
