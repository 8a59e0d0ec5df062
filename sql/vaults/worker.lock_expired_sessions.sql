create or replace function worker.lock_expired_sessions(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_deleted integer[] := internal.deleted_tenants();
begin
  p_now := internal.present(p_now);
  return internal.work_off('lock_expired_sessions', array(
    -- Lock the vault too, as everything that ends a session does. If it is locked, for example because an account is
    -- ending, skip the session, so that the account is not notified.
    select session
    from kith.vault_sessions as session
    join kith.vaults as vault on vault.tenant_id = session.tenant_id and vault.id = session.vault_id
    where session.locked_at is null and session.expires_at <= p_now and session.tenant_id <> all (v_deleted)
      and not exists (
        select from internal.shut_out('lock_expired_sessions', session.tenant_id, session.id::text, p_now)
      )
    order by session.expires_at
    limit p_batch
    for no key update of session, vault skip locked
  ), null, p_now, 'internal.expire_sessions($1, $3)');
end
$$;
comment on function worker.lock_expired_sessions(timestamptz, integer) is
  'Records that vault sessions have expired, and tells their nominees. Access ended at expires_at, whether or not this '
  'runs. Handles at most p_batch; returns how many. Security definer, because no role may write notifications and '
  'history directly.';
grant execute on function worker.lock_expired_sessions(timestamptz, integer) to kith_worker;

create or replace function internal.expire_sessions(p_sessions kith.vault_sessions[], p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_session kith.vault_sessions;
begin
  foreach v_session in array p_sessions loop
    perform internal.end_session(v_session, 'expired', null, p_now);
  end loop;
  return cardinality(p_sessions);
end
$$;
comment on function internal.expire_sessions(kith.vault_sessions[], timestamptz) is
  'Ends the given sessions, which have expired. Returns how many. For worker.lock_expired_sessions, which has locked '
  'them and their vaults.';
