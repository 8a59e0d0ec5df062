create or replace function worker.sweep_deliveries(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_before uuid := internal.first_uuid7(p_now - interval '30 days');
  v_tenant integer := 0;
  v_swept integer := 0;
  v_here integer;
begin
  if not pg_try_advisory_xact_lock(hashtext('worker.sweep_deliveries')) then
    return 0;
  end if;
  -- Go tenant by tenant, because the index that gives the age begins with the tenant.
  loop
    select delivery.tenant_id into v_tenant
    from kith.deliveries as delivery
    where delivery.notification_id is not null and delivery.tenant_id > v_tenant
    order by delivery.tenant_id
    limit 1;
    exit when v_tenant is null or v_swept >= p_batch;
    with old as materialized (
      select delivery.id
      from kith.deliveries as delivery
      where delivery.tenant_id = v_tenant and delivery.notification_id < v_before and delivery.status in ('sent', 'failed', 'dropped')
      order by delivery.notification_id
      limit p_batch - v_swept
      for update skip locked
    )
    delete from kith.deliveries as delivery
    using old
    where delivery.tenant_id = v_tenant and delivery.id = old.id;
    get diagnostics v_here = row_count;
    v_swept := v_swept + v_here;
  end loop;
  delete from kith.undelivered_alarms
  where resolved_at is not null and at < p_now - interval '90 days';
  return v_swept;
end
$$;
comment on function worker.sweep_deliveries(timestamptz, integer) is
  'Deletes finished deliveries of notifications, and the addresses in them, after 30 days, and resolved alarms 90 days after they were raised. Handles at most p_batch deliveries; returns how many. Security definer, because the worker may not read them.';
revoke all on function worker.sweep_deliveries(timestamptz, integer) from public;
grant execute on function worker.sweep_deliveries(timestamptz, integer) to kith_worker;
