create or replace function worker.lock_expired_sessions(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_session kith.vault_sessions;
  v_locked integer := 0;
begin
  p_now := internal.present(p_now);
  for v_session in
    -- Lock the vault too, as everything that ends a session does. If it is locked, for example because an account is ending, skip the
    -- session, so that the account is not notified.
    select session.*
    from kith.vault_sessions as session
    join kith.vaults as vault on vault.tenant_id = session.tenant_id and vault.id = session.vault_id
    where session.locked_at is null and session.expires_at <= p_now
    order by session.expires_at
    limit p_batch
    for no key update skip locked
  loop
    perform internal.end_session(v_session, 'expired', null, p_now);
    v_locked := v_locked + 1;
  end loop;
  return v_locked;
end
$$;
comment on function worker.lock_expired_sessions(timestamptz, integer) is
  'Records that vault sessions have expired, and tells their nominees. Access ended at expires_at, whether or not this runs. Handles at most p_batch; returns how many. Security definer, because no role may write notifications and history directly.';
revoke all on function worker.lock_expired_sessions(timestamptz, integer) from public;
grant execute on function worker.lock_expired_sessions(timestamptz, integer) to kith_worker;
