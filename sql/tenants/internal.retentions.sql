create or replace function internal.retentions(p_now timestamptz)
  returns table (tenant_id integer, kind text, days integer)
  language sql
  stable
as $$
  select tenant.tenant_id, setting.kind, greatest(setting.days, cut.days)
  from kith.tenants as tenant
  cross join lateral (
    values
      ('pings', tenant.ping_retention_days), ('check_ins', tenant.ping_retention_days),
      ('notifications', tenant.notification_retention_days),
      -- Only its notification says whose address a delivery went to, so that it goes with their account.
      ('deliveries', least(tenant.delivery_retention_days, tenant.notification_retention_days)),
      ('history', tenant.history_retention_days), ('audit', tenant.audit_retention_days),
      ('feedback_and_requests', tenant.retention_days)
  ) as setting (kind, days)
  left join kith.retention_cuts as cut
    on cut.tenant_id = tenant.tenant_id and cut.kind = setting.kind and cut.ends_at > p_now
$$;
comment on function internal.retentions(timestamptz) is
  'For how many days each tenant''s rows of each kind are kept: its setting, or the former one for 7 days after it was '
  'made shorter. Deliveries are kept no longer than notifications. feedback_and_requests: feedback, and ended requests '
  'for emergency access. Returns a table, which the planner can inline.';
grant execute on function internal.retentions(timestamptz) to kith_reader;

create or replace function internal.delay_retention_cuts(p_tenant_id integer, p_former jsonb, p_now timestamptz)
  returns void
  language plpgsql
as $$
begin
  insert into kith.retention_cuts as cut (tenant_id, kind, days, ends_at)
  select p_tenant_id, kept.kind, (p_former ->> kept.kind)::integer, p_now + interval '7 days'
  from internal.retentions('infinity') as kept
  where kept.tenant_id = p_tenant_id and kept.days < (p_former ->> kept.kind)::integer
  on conflict (tenant_id, kind) do update
  -- A second cut does not end the first one early.
  set days = greatest(case when cut.ends_at > p_now then cut.days end, excluded.days), ends_at = excluded.ends_at;
end
$$;
comment on function internal.delay_retention_cuts(integer, jsonb, timestamptz) is
  'Makes the retentions of a tenant that have become shorter take effect in 7 days. p_former has the settings as they '
  'were: {kind: days}. For internal.change_tenant.';
