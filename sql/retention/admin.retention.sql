drop view if exists admin.retention;
create view admin.retention with (security_barrier, security_invoker) as
select
  tenant.slug as tenant,
  kept.kind,
  kept.days,
  cut.ends_at as until_cut_at,
  kept.days >= whole.days as goes_with_partitions,
  pass.finished_at as last_pass_at,
  pass.deleted as last_pass_deleted,
  case
    when kept.kind = 'feedback_and_requests' then null
    when kept.days >= whole.days then interval '0'
    else greatest(
      now() - make_interval(days => kept.days) - coalesce(pass.done_until_at, tenant.created_at), interval '0'
    )
  end as behind
from kith.tenants as tenant
join internal.retentions(now()) as kept on kept.tenant_id = tenant.tenant_id
left join (
  select kinds.kind, internal.whole_days(kinds.kind, now()) as days
  from unnest(array['pings', 'notifications', 'deliveries', 'history', 'audit']) as kinds (kind)
) as whole on whole.kind = kept.kind
left join kith.retention_cuts as cut on cut.tenant_id = kept.tenant_id and cut.kind = kept.kind and cut.ends_at > now()
left join kith.retention_passes as pass on pass.tenant_id = kept.tenant_id and pass.kind = kept.kind;
comment on view admin.retention is
  'For how long each tenant''s rows of each kind are kept, and how far behind the worker is with deleting them: select '
  '* from admin.retention where behind > ''2 days''.';
comment on column admin.retention.tenant is 'The tenant''s slug.';
comment on column admin.retention.kind is
  'pings, check_ins (with the setting of pings), notifications, deliveries (of notifications), history (the access '
  'history of vaults), audit, or feedback_and_requests (feedback, and ended requests for emergency access: '
  'retention_days).';
comment on column admin.retention.days
  is 'For how many days they are kept now. After a cut, the former setting counts until until_cut_at.';
comment on column admin.retention.until_cut_at
  is 'When the setting, which was made shorter, takes effect; null if it has.';
comment on column admin.retention.goes_with_partitions is
  'Whether the rows are not deleted one by one: they are dropped with their month, up to 31 days later than the '
  'setting says. Null for kinds without partitions.';
comment on column admin.retention.last_pass_at is
  'When the worker last finished going through the old rows, which it does once a day. Null during a pass.';
comment on column admin.retention.last_pass_deleted is 'How many rows the last or present pass has deleted one by one.';
comment on column admin.retention.behind is
  'How much older than the setting says the oldest row may be; up to a day or so is usual. Null for kinds that the '
  'worker deletes as soon as it looks.';
grant select on admin.retention to kith_reader;

drop view if exists admin.partitions;
create view admin.partitions with (security_barrier, security_invoker) as
select
  partition.kind,
  partition.name as partition,
  partition.since,
  partition.until,
  stored.relation_bytes + stored.index_bytes as bytes,
  stored.rows,
  whole.days as kept_days,
  (partition.until + make_interval(days => whole.days))::date as drops_on,
  internal.holds_owed(partition.kind, partition.since, partition.until) as owed
from internal.partitions() as partition
join (
  select kinds.kind, internal.whole_days(kinds.kind, now()) as days
  from unnest(array['pings', 'notifications', 'deliveries', 'history', 'audit', 'events']) as kinds (kind)
) as whole on whole.kind = partition.kind
cross join lateral (
  select pg_table_size(class.oid) as relation_bytes, pg_indexes_size(class.oid) as index_bytes,
    greatest(class.reltuples, 0)::bigint as rows
  from pg_catalog.pg_class as class
  where class.relnamespace = 'kith'::regnamespace and class.relname = partition.name
) as stored;
comment on view admin.partitions is
  'The partitions by month and day, with their size, and when each is dropped: select * from admin.partitions order by '
  'drops_on. Only the columns that are selected are computed.';
comment on column admin.partitions.kind is 'The table: pings, notifications, deliveries, history, audit or events.';
comment on column admin.partitions.partition is 'The partition.';
comment on column admin.partitions.since is 'From when its rows are.';
comment on column admin.partitions.until is 'Until when its rows are; for pings, in the last time zone.';
comment on column admin.partitions.bytes is 'Its size on disk, with indexes.';
comment on column admin.partitions.rows is 'How many rows it has, as of the last ANALYZE.';
comment on column admin.partitions.kept_days is
  'How old its newest row is when it is dropped: the longest retention of any tenant, or longer if something else '
  'needs the rows.';
comment on column admin.partitions.drops_on is 'From when the worker may drop it.';
comment on column admin.partitions.owed
  is 'Whether it has rows that must stay whatever their age, so that it is not dropped.';
grant select on admin.partitions to kith_reader;
