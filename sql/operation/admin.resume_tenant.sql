create or replace function admin.resume_tenant(p_tenant text, p_now timestamptz default now()) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_since timestamptz;
begin
  perform internal.require_present(p_now);
  select suspended_at into v_since from kith.tenants
  where tenant_id = v_tenant and status = 'suspended' for no key update;
  if not found then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This tenant is not suspended.';
  end if;
  perform internal.end_suspension(v_tenant, v_since, p_now);
  perform internal.record_act(v_tenant, internal.operator(), 'tenant.resume', p_tenant, null);
  perform internal.leave_tenant();
end
$$;
comment on function admin.resume_tenant(text, timestamptz) is
  'Ends the suspension of a tenant. The waits for emergency access, which have stood still, go on, and their people '
  'are told the new instants (E06).';
grant execute on function admin.resume_tenant(text, timestamptz) to kith_admin;
