create or replace function admin.generate_daily_pings(p_now timestamptz default now())
  returns table (batches integer, done bigint)
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_done integer;
begin
  perform internal.require_present(p_now);
  perform internal.require_whole_installation();
  perform internal.leave_tenant();
  batches := 0;
  done := 0;
  loop
    v_done := worker.generate_daily_pings(p_now, 10000);
    exit when v_done = 0;
    batches := batches + 1;
    done := done + v_done;
  end loop;
  perform internal.record_act(
    0, internal.operator(), 'pings.generate', null, jsonb_build_object('batches', batches, 'done', done)
  );
  return next;
end
$$;
comment on function admin.generate_daily_pings(timestamptz) is
  'Generates the pings that are due now, as the worker does, but in one transaction, for use when the worker is down. '
  'done counts the pings made and the runs advanced.';
grant execute on function admin.generate_daily_pings(timestamptz) to kith_admin;
