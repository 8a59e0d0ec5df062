-- The tenant's ceiling counts misses alone: what was refused already must not keep others from trying. And attempts are swept by age.
drop index kith.code_attempts_missed;
create index code_attempts_missed on kith.code_attempts (tenant_id, attempted_at) where outcome = 'missed';
create index code_attempts_by_age on kith.code_attempts (attempted_at);
comment on column kith.code_attempts.outcome is 'blocked: refused by the limit, which counts as a miss of the user''s, and not for the tenant''s ceiling.';

-- The worker's loops step aside for an advisory lock, which every login could take and hold: then nobody would be told of a miss. Only the
-- roles that work may take one, and the server only for a transaction. Large objects are nobody's here. Only a superuser may revoke this.
reset role;
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
    -- Nobody logs in as the owner but migrations and `kith keys rotate`.
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
set local role kith_owner;
