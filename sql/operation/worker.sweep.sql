create or replace function worker.sweep(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_swept integer;
begin
  p_now := internal.present(p_now);
  if not pg_try_advisory_xact_lock(hashtext('worker.sweep')) then
    return 0;
  end if;
  delete from kith.idempotency_keys as swept
  using (
    select tenant_id, caller, key
    from kith.idempotency_keys
    where expires_at <= p_now
    order by expires_at
    limit p_batch
  ) as expired
  where swept.tenant_id = expired.tenant_id and swept.caller = expired.caller and swept.key = expired.key
    and swept.expires_at <= p_now;
  get diagnostics v_swept = row_count;
  return v_swept;
end
$$;
comment on function worker.sweep(timestamptz, integer) is
  'Deletes at most p_batch expired answers that were kept for repeated requests. Returns how many. Security definer, because the worker may not read them.';
revoke all on function worker.sweep(timestamptz, integer) from public;
grant execute on function worker.sweep(timestamptz, integer) to kith_worker;
