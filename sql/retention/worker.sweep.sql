create or replace function worker.sweep(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  p_now := internal.present(p_now);
  if not pg_try_advisory_xact_lock(hashtext('worker.sweep')) then
    return 0;
  end if;
  return internal.work_off('sweep.delete', array(
    -- Without the answer, which may be long.
    select row (kept.tenant_id, kept.caller, kept.key, '', '', kept.created_at, kept.expires_at)::kith.idempotency_keys
    from kith.idempotency_keys as kept
    where kept.expires_at <= p_now
      and not exists (
        select from internal.shut_out('sweep', kept.tenant_id, concat_ws(' ', kept.caller, md5(kept.key)), p_now)
      )
    order by kept.expires_at
    limit p_batch
  ), null, p_now);
end
$$;
comment on function worker.sweep(timestamptz, integer) is
  'Deletes at most p_batch expired answers that were kept for repeated requests. Returns how many. Security definer, '
  'because the worker may not read them.';
grant execute on function worker.sweep(timestamptz, integer) to kith_worker;
