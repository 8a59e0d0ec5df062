-- How long the rows of each kind are kept. A partition is dropped whole when its newest row is past the longest retention of any tenant
-- (internal.partitions.sql). The rows of tenants with a shorter one are deleted in batches (internal.expired_rows.sql).

create or replace function internal.retentions(p_now timestamptz) returns table (tenant_id integer, kind text, days integer)
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
  'For how many days each tenant''s rows of each kind are kept: its setting, or the former one for 7 days after it was made shorter. '
  'Deliveries are kept no longer than notifications. feedback_and_requests: feedback, and ended requests for emergency access. Returns a '
  'table, which the planner can inline.';
grant execute on function internal.retentions(timestamptz) to kith_reader;

create or replace function internal.delay_retention_cuts(p_tenant_id integer, p_former jsonb, p_now timestamptz) returns void
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
  'Makes the retentions of a tenant that have become shorter take effect in 7 days. p_former has the settings as they were: {kind: days}. '
  'For internal.change_tenant.';

create or replace function internal.whole_days(p_kind text, p_now timestamptz) returns integer
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  -- Null without a tenant.
  v_longest integer := (select max(kept.days) from internal.retentions(p_now) as kept where kept.kind = p_kind);
begin
  return case p_kind
    -- The webhooks' servers have 7 days for an event (internal.claimed_webhooks).
    when 'events' then 8
    -- Silence is counted back to the last sign of life, at most 400 days (internal.since_sign_of_life).
    when 'pings' then
      case
        when exists (select from kith.emergency_settings where after_missed_days is not null and ended_at is null)
          then greatest(v_longest, 400)
        else v_longest
      end
    -- Codes are kept for 30 days and invitations for 90, with their deliveries.
    when 'deliveries' then greatest(v_longest, 100)
    else v_longest
  end;
end
$$;
comment on function internal.whole_days(text, timestamptz) is
  'How many days old the newest row of a partition is when the whole partition is dropped: the longest retention of any tenant, or longer '
  'if something else needs the rows. Null if there is no tenant. Security definer, because the views of schema admin call it for '
  'operators, who may not use the schema internal.';
grant execute on function internal.whole_days(text, timestamptz) to kith_reader;

create or replace function internal.begin_passes(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
as $$
declare
  v_begun integer;
begin
  insert into kith.retention_passes as pass (tenant_id, kind, began_at, until_at)
  select kept.tenant_id, kept.kind, p_now,
    case
      -- The tenant's rows go with their partitions. Only rows that are older than every partition are deleted one by one.
      when kept.days >= whole.days then least(p_now - make_interval(days => kept.days), whole.first_at)
      else p_now - make_interval(days => kept.days)
    end
  from (
    select kinds.kind, internal.whole_days(kinds.kind, p_now) as days, min(partition.since) as first_at
    from unnest(array['pings', 'notifications', 'deliveries', 'history', 'audit']) as kinds (kind)
    left join internal.partitions() as partition on partition.kind = kinds.kind
    group by kinds.kind
    union all
    select 'check_ins', null, null
  ) as whole
  join internal.retentions(p_now) as kept on kept.kind = whole.kind
  left join kith.retention_passes as former on former.tenant_id = kept.tenant_id and former.kind = kept.kind
  where not exists (select from kith.tenant_imports as moved where moved.tenant_id = kept.tenant_id)
    and (former.tenant_id is null or former.finished_at is not null and former.began_at <= p_now - interval '1 day')
  order by kept.kind, kept.tenant_id
  limit p_batch
  on conflict (tenant_id, kind) do update
  set began_at = excluded.began_at, until_at = excluded.until_at, after_on = null, after_id = null, deleted = 0, finished_at = null;
  get diagnostics v_begun = row_count;
  return v_begun;
end
$$;
comment on function internal.begin_passes(timestamptz, integer) is
  'Begins at most p_batch passes through the old rows of a tenant and kind, each once a day. Returns how many. For worker.expire_rows.';
