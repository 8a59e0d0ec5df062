create or replace function worker.sample_disk(p_now timestamptz) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  set statement_timeout = '60s'
as $$
declare
  v_today date;
begin
  p_now := internal.present(p_now);
  v_today := (p_now at time zone 'UTC')::date;
  if exists (select from kith.disk_samples where sampled_on = v_today)
    or not pg_try_advisory_xact_lock(hashtext('worker.sample_disk'))
  then
    return 0;
  end if;
  insert into kith.disk_samples (what, sampled_on, bytes)
  select left(used.what, 100), v_today, max(used.bytes) from internal.disk_use() as used group by 1
  on conflict do nothing;
  insert into kith.tenant_sizes (tenant_id, sampled_on, bytes, connections, codes)
  select size.tenant_id, v_today, size.bytes, coalesce(connected.connections, 0) - coalesce(hidden.connections, 0),
    coalesce(given.codes, 0)
  from internal.sampled_sizes() as size
  join kith.tenants as tenant on tenant.tenant_id = size.tenant_id
  left join (
    select tenant_id, count(*) as connections from kith.connections where status in ('active', 'pending')
    group by tenant_id
  ) as connected on connected.tenant_id = size.tenant_id
  left join (
    -- Of canaries (internal.hidden_person), which are few: asking for each connection would cost as much as counting
    -- it.
    select person.tenant_id, count(*) as connections
    from kith.canary_people as person
    cross join lateral (
      select from kith.connections as one
      where one.tenant_id = person.tenant_id and one.sender_id = person.user_id and one.status in ('active', 'pending')
      offset 0
    ) as connection
    group by person.tenant_id
  ) as hidden on hidden.tenant_id = size.tenant_id
  left join (select tenant_id, count(*) as codes from kith.unique_codes group by tenant_id) as given
    on given.tenant_id = size.tenant_id
  on conflict do nothing;
  delete from kith.disk_samples where sampled_on < v_today - 400;
  delete from kith.tenant_sizes where sampled_on < v_today - 400;
  delete from kith.outages where ended_at < p_now - interval '400 days';
  delete from kith.operator_reads where hour < p_now - interval '400 days';
  -- At most this much in a day: an hour of 3,000 tenants is some thousand rows.
  delete from kith.usage_hours
  where (tenant_id, hour, caller) in (
    select old.tenant_id, old.hour, old.caller from kith.usage_hours as old where old.hour < p_now - interval '400 days'
    order by old.hour limit 500000
  );
  return 1;
end
$$;
comment on function worker.sample_disk(timestamptz) is
  'Once a day: notes what takes how much of the disk, estimates each tenant''s part, and counts its connections and '
  'codes, for admin.disk, admin.tenant_sizes, admin.tenants and admin.code_space. Deletes samples, outages, '
  'operators'' reads and counts of requests that are older than 400 days. Returns 1 if it was done, 0 if it had been '
  'done today. Security definer, because only pg_monitor sees the size of everything.';
grant execute on function worker.sample_disk(timestamptz) to kith_worker;

create or replace function internal.sampled_sizes() returns table (tenant_id integer, bytes bigint)
  language plpgsql
  stable
as $$
declare
  v_table record;
  v_sizes jsonb := '{}';
begin
  for v_table in
    select parent.relname as name, sum(pg_total_relation_size(part.oid))::bigint as bytes,
      -- About 2,000 pages of each table, and all of a small one.
      least(100, 100 * 2000 / greatest(sum(pg_relation_size(part.oid)) / 8192, 1))::real as percent
    from pg_catalog.pg_class as parent
    cross join lateral (
      select parent.oid union all select inhrelid from pg_catalog.pg_inherits where inhparent = parent.oid
    ) as part
    where parent.relnamespace = 'kith'::regnamespace and parent.relkind in ('r', 'p') and not parent.relispartition
      and exists (
        select from pg_catalog.pg_attribute where attrelid = parent.oid and attname = 'tenant_id' and not attisdropped
      )
    group by parent.relname
  loop
    -- A partition's rows are seen only through its parent.
    execute format(
      $sql$
        select $1 || coalesce(
          jsonb_object_agg(part.tenant_id, coalesce(($1 ->> part.tenant_id::text)::bigint, 0) + part.bytes), '{}'
        )
        from (
          select tenant_id, ($2 * sum(pg_column_size(one)) / sum(sum(pg_column_size(one))) over ())::bigint as bytes
          from kith.%I as one tablesample system ($3)
          group by tenant_id
        ) as part
      $sql$, v_table.name
    ) into v_sizes using v_sizes, v_table.bytes, v_table.percent;
  end loop;
  return query select sized.key::integer, sized.value::bigint from jsonb_each_text(v_sizes) as sized
    where sized.key::integer > 0;
end
$$;
comment on function internal.sampled_sizes() is
  'How many bytes of the disk each tenant takes: its share of the bytes in some pages of each table, times the '
  'table''s size. For worker.sample_disk.';
