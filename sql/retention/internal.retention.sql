-- How long the rows of each kind are kept. A partition is dropped whole when its newest row is past the longest
-- retention of any tenant (internal.partitions.sql). The rows of tenants with a shorter one are deleted in batches
-- (internal.expired_rows.sql).

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
  'How many days old the newest row of a partition is when the whole partition is dropped: the longest retention of '
  'any tenant, or longer if something else needs the rows. Null if there is no tenant. Security definer, because the '
  'views of schema admin call it for operators, who may not use the schema internal.';
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
      -- The tenant's rows go with their partitions. Only rows that are older than every partition are deleted one by
      -- one.
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
  set began_at = excluded.began_at, until_at = excluded.until_at, after_on = null, after_id = null, deleted = 0,
    finished_at = null;
  get diagnostics v_begun = row_count;
  return v_begun;
end
$$;
comment on function internal.begin_passes(timestamptz, integer) is
  'Begins at most p_batch passes through the old rows of a tenant and kind, each once a day. Returns how many. For '
  'worker.expire_rows.';
