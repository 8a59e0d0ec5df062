-- Whether a tenant that moves has room in its new cell (decision 51). For a superuser, as the steps of a move.

create or replace function internal.bytes_of_tenant(p_tenant_id integer) returns bigint
  language plpgsql
  stable
as $$
declare
  v_table record;
  v_rows bigint;
  v_bytes numeric := 0;
begin
  for v_table in
    select tables.name, sum(pg_total_relation_size(class.oid)) as bytes, sum(greatest(class.reltuples, 0)) as rows
    from internal.replicated_tables() as tables
    join pg_catalog.pg_class as class on class.relkind = 'r' and (
      class.oid = format('kith.%I', tables.name)::regclass
      or class.oid in (select tree.relid from pg_partition_tree(format('kith.%I', tables.name)::regclass) as tree)
    )
    group by tables.name
  loop
    execute format('select count(*) from kith.%I where tenant_id = $1', v_table.name) into v_rows using p_tenant_id;
    -- PostgreSQL's estimate of a table's rows may be older than the tenant's last ones.
    v_bytes := v_bytes + v_table.bytes * v_rows / greatest(v_table.rows::numeric, v_rows, 1);
  end loop;
  return v_bytes;
end
$$;
comment on function internal.bytes_of_tenant(integer) is
  'In the source: about how many bytes a tenant''s rows take, with their indexes: of each table as large a share as '
  'the tenant has of its rows. Of a table that was never analyzed it is the whole. Counts the tenant''s rows, which '
  'takes as long as a move takes to count them.';

create or replace function internal.free_disk() returns bigint
  language plpgsql
as $$
declare
  v_place text := coalesce(
    nullif(
      (select pg_tablespace_location(dattablespace) from pg_catalog.pg_database where datname = current_database()), ''
    ),
    current_setting('data_directory')
  );
  v_kibibytes text;
begin
  create temporary table disk_of_move (line text);
  -- In the form that POSIX gives it: the fourth word of the last line is what is available, in KiB.
  execute format(
    'copy pg_temp.disk_of_move from program %L', format('df -P -k ''%s''', replace(v_place, '''', '''\'''''))
  );
  execute format('select substring(line from %L) from pg_temp.disk_of_move where line ~ %1$L', '\s(\d+)\s+\d+%\s')
    into v_kibibytes;
  drop table pg_temp.disk_of_move;
  return v_kibibytes::bigint * 1024;
exception when others then
  return null;
end
$$;
comment on function internal.free_disk() is
  'In the target: how many bytes are free on the disk of this database. PostgreSQL has no function for that, so it '
  'runs df on its server, which a superuser may. Null if that cannot be done, as where the provider runs PostgreSQL.';

create or replace function internal.is_disk_full() returns boolean
  language plpgsql
  set temp_tablespaces = ''
as $$
begin
  create temporary table disk_of_move (filler text);
  execute format(
    'insert into pg_temp.%I select repeat(md5(number::text), 30) from generate_series(1, 8000) as number',
    'disk_of_move'
  );
  raise exception 'enough' using errcode = 'KT000';
exception
  when disk_full then
    return true;
  when sqlstate 'KT000' then
    return false;
end
$$;
comment on function internal.is_disk_full() is
  'In the target: whether 8 MB cannot be written to the disk of this database. It writes them to a temporary table, '
  'which goes at once. The statistics of a subscription say that a copy fails, but not why.';

create or replace function internal.disk_objection(p_bytes bigint, out free bigint, out objection text) returns record
  language plpgsql
as $$
declare
  -- While rows are copied, the WAL of the copy has a place there too.
  v_needed bigint := p_bytes + least(p_bytes, pg_size_bytes(current_setting('max_wal_size')));
begin
  free := internal.free_disk();
  if free < v_needed then
    objection := format(
      'its disk has %s free, and the tenant needs about %s there while its rows are copied, of which %s are for WAL',
      pg_size_pretty(free), pg_size_pretty(v_needed), pg_size_pretty(v_needed - p_bytes)
    );
  end if;
end
$$;
comment on function internal.disk_objection(bigint) is
  'In the target: how many bytes are free on its disk, and the objection to a tenant whose rows take p_bytes; each '
  'null if that is not known, and the second if there is room.';
