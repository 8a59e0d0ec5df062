create or replace function worker.expire_rows(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- Planning over three years of partitions would take longer than a batch. The executor leaves out those without such
  -- rows.
  set plan_cache_mode = 'force_generic_plan'
  set jit = off
  -- Whatever the statistics say, a batch is a range of the primary key, in its order.
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_material = off
  set enable_sort = off
  set enable_incremental_sort = off
as $$
declare
  v_pass kith.retention_passes;
  v_kind text;
  v_done integer := 0;
begin
  p_now := internal.present(p_now);
  -- One worker at a time is enough, and two would put twice the load on the disk.
  if not pg_try_advisory_xact_lock(hashtext('worker.expire_rows')) then
    return 0;
  end if;
  loop
    -- One kind in each transaction, so that it locks the partitions of one table only.
    select pass.* into v_pass
    from kith.retention_passes as pass
    where pass.finished_at is null and pass.kind = coalesce(v_kind, pass.kind)
      and not exists (select from internal.shut_out('expire_rows', pass.tenant_id, pass.kind, p_now))
    order by pass.kind, pass.tenant_id
    limit 1;
    exit when not found or v_done >= p_batch;
    v_kind := v_pass.kind;
    -- A pass that finds nothing counts as one row.
    v_done := v_done + greatest(internal.work_off(
      'expire_rows.pass', array[v_pass], (p_batch - v_done)::text, p_now,
      'internal.advance_pass($1[1], $2::integer, $3)'
    ), 1);
  end loop;
  if v_kind is not null then
    return v_done;
  end if;
  delete from kith.retention_cuts where ends_at <= p_now;
  return internal.begin_passes(p_now, p_batch) + internal.sweep_alarms(p_now, p_batch)
    + internal.sweep_feedback(p_now, p_batch)
    + internal.sweep_emergencies(p_now, p_batch);
end
$$;
comment on function worker.expire_rows(timestamptz, integer) is
  'Deletes rows that are past their tenant''s retention, at most p_batch of each kind, unless they go with their '
  'partition or are still owed (internal.expired_rows.sql). Each tenant and kind has its turn once a day. Also deletes '
  'feedback, ended requests for emergency access and alarms that are old. To be called until it returns 0, and only '
  'with the real time, never a simulated one. Returns how much it did. Security definer, because the worker may not '
  'read these rows.';
grant execute on function worker.expire_rows(timestamptz, integer) to kith_worker;
