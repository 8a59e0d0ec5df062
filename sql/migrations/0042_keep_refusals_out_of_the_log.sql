-- What a procedure refuses is an error to PostgreSQL, which would write each into its log: a line for every wrong code, and in the detail
-- what people typed. The server that gets the error tells its client, and logs what is a fault of ours; so of kith_api's sessions
-- PostgreSQL's log keeps what is graver (log, fatal, panic). Of no session of Kith's does it quote rows (terse) or parameters.
-- Only a superuser may say so; `kith doctor` reports it where none runs the migration.
reset role;
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
set local role kith_owner;
