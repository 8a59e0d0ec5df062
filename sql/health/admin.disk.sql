-- What fills the disk, what grows, and what may go.

create or replace function internal.disk_of_tables() returns table (what text, bytes bigint, advice text)
  language sql
  stable
as $$
  select 'table ' || stored.name, stored.bytes,
    case
      when stored.dead > 100000 and stored.dead > stored.live / 5
        then format(
          '%s of its rows are dead: as the owner, vacuum (analyze) kith.%I; what holds vacuum back is in '
          'admin.long_transactions',
          stored.dead, stored.name
        )
      when stored.name in ('pings', 'notifications', 'deliveries', 'history', 'audit', 'events')
        then format('goes by partition: select * from admin.partitions where kind = %L order by drops_on', stored.name)
      when stored.name = 'document_chunks' then 'documents: select * from admin.tenant_sizes order by bytes desc'
    end
  from (
    select parent.relname::text as name, sum(pg_total_relation_size(part.oid))::bigint as bytes,
      sum(pg_stat_get_dead_tuples(part.oid))::bigint as dead, sum(pg_stat_get_live_tuples(part.oid))::bigint as live
    from pg_catalog.pg_class as parent
    cross join lateral (
      select parent.oid union all select inhrelid from pg_catalog.pg_inherits where inhparent = parent.oid
    ) as part
    where parent.relnamespace = 'kith'::regnamespace and parent.relkind in ('r', 'p') and not parent.relispartition
    group by parent.relname
  ) as stored
$$;
comment on function internal.disk_of_tables()
  is 'The size of each table of Kith with its partitions and indexes, and how rows of it go. For internal.disk_use.';

create or replace function internal.disk_of_server() returns table (what text, bytes bigint, advice text)
  language plpgsql
  stable
as $$
begin
  -- A migration that no superuser ran could not grant pg_monitor, which kith doctor reports.
  if has_function_privilege('pg_catalog.pg_ls_waldir()', 'execute')
    and has_function_privilege('pg_catalog.pg_ls_tmpdir()', 'execute')
  then
    return query
    select 'WAL', sum(file.size)::bigint,
      'grows while the archive fails or a slot holds it: select * from pg_stat_archiver; never delete files in pg_wal'
    from pg_ls_waldir() as file
    union all
    select 'temporary files', coalesce(sum(file.size), 0)::bigint,
      'they go when their statements end: admin.long_transactions'
    from pg_ls_tmpdir() as file;
  end if;
end
$$;
comment on function internal.disk_of_server() is
  'The size of the WAL and of temporary files; no rows if kith_owner is no member of pg_monitor. For '
  'internal.disk_use.';

create or replace function internal.disk_use() returns table (what text, bytes bigint, advice text)
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_whole_installation();
  return query
  select stored.what, stored.bytes, stored.advice from internal.disk_of_tables() as stored
  union all
  select seen.what, seen.bytes, seen.advice from internal.disk_of_server() as seen
  union all
  select 'slot ' || slot.slot_name,
    pg_wal_lsn_diff(
      case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end, slot.restart_lsn
    )::bigint,
    format(
      'WAL that a %s keeps%s', case when slot.slot_type = 'logical' then 'subscriber' else 'standby' end,
      case
        when not slot.active
          then format(
            ' and nobody reads: if it is gone for good, as a superuser, select pg_drop_replication_slot(%L)',
            slot.slot_name
          )
      end
    )
  from pg_replication_slots as slot
  where slot.restart_lsn is not null
  union all
  select case when known.datname = current_database() then 'this database' else 'database ' || known.datname end,
    pg_database_size(known.oid),
    case when known.datname <> current_database() then 'not Kith''s' end
  from pg_database as known
  where known.datallowconn;
end
$$;
comment on function internal.disk_use() is
  'What takes how much of PostgreSQL''s disk, and what may go. Security definer, because only pg_monitor sees the size '
  'of the WAL and of other databases.';
grant execute on function internal.disk_use() to kith_reader;

drop view if exists admin.disk;
create view admin.disk with (security_barrier, security_invoker) as
select found.what, found.bytes, pg_size_pretty(found.bytes) as size, found.bytes - week.bytes as grown_in_7_days,
  found.advice as may_go
from internal.disk_use() as found
left join lateral (
  select sample.bytes from kith.disk_samples as sample
  where sample.what = found.what and sample.sampled_on between current_date - 8 and current_date - 7
  order by sample.sampled_on desc
  limit 1
) as week on true;
comment on view admin.disk is
  'What fills the disk: select * from admin.disk order by bytes desc limit 20; what grows: order by grown_in_7_days '
  'desc nulls last. By tenant: admin.tenant_sizes.';
comment on column admin.disk.what is
  'table NAME with its partitions and indexes, WAL, slot NAME (the part of the WAL that it keeps), temporary files, '
  'this database (all tables together) or database NAME.';
comment on column admin.disk.bytes is 'Its size now.';
comment on column admin.disk.size is 'The same, to be read.';
comment on column admin.disk.grown_in_7_days
  is 'The bytes more than a week ago; null without a sample of that day, which the worker takes daily.';
comment on column admin.disk.may_go is 'What becomes smaller by itself, or can be made to; null for what people need.';
grant select on admin.disk to kith_reader;
