create or replace function internal.first_uuid7(p_at timestamptz) returns uuid
  language sql
  immutable
  parallel safe
as $$
  -- Such an id has 48 bits of milliseconds since 1970. Earlier and later instants get the first and the last of them.
  select case
    when p_at < '1970-01-01 00:00:00+00' then '00000000-0000-0000-0000-000000000000'
    when p_at >= '10889-08-02 05:31:50+00' then 'ffffffff-ffff-0000-0000-000000000000'
    else (lpad(to_hex((date_part('epoch', p_at) * 1000000)::bigint / 1000), 12, '0') || '00000000000000000000')::uuid
  end
$$;
comment on function internal.first_uuid7(timestamptz) is
  'The lower bound of all UUIDs version 7 made at this instant or later. Marks where a month begins among ids.';
revoke all on function internal.first_uuid7(timestamptz) from public;
grant execute on function internal.first_uuid7(timestamptz) to kith_api, kith_worker, kith_admin;

create or replace function internal.make_partition(p_table text, p_suffix text, p_from text, p_until text) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- Attaching waits for readers of the default partition, and all other sessions queue behind it. It is better to fail and try again.
  set lock_timeout = '500ms'
as $$
declare
  v_name text := p_table || '_' || p_suffix;
  v_key text := case p_table when 'pings' then 'ping_on' else 'id' end;
begin
  if to_regclass(format('kith.%I', v_name)) is not null then
    return 0;
  end if;
  begin
    -- Wait for all locks first, while this transaction holds nothing that readers or writers need.
    execute format('lock table only kith.%I in share update exclusive mode', p_table);
    if p_from is not null then
      execute format('lock table only kith.%I in access exclusive mode', p_table || '_default');
    end if;
    -- Create, then attach: `create … partition of` would wait behind a single reader.
    execute format('create table kith.%I (like kith.%I including defaults including constraints)', v_name, p_table);
    execute format('alter table kith.%I enable row level security', v_name);
    if p_from is null then
      execute format('alter table kith.%I attach partition kith.%I default', p_table, v_name);
    else
      -- Move the rows that fell into the default partition. Insert through the parent, because only the parent has the policies that
      -- let the owner see rows.
      execute format(
        'with caught as (delete from kith.%I where %I >= %L and %I < %L returning *) insert into kith.%I select * from caught',
        p_table, v_key, p_from, v_key, p_until, v_name
      );
      execute format(
        'alter table kith.%I attach partition kith.%I for values from (%L) to (%L)', p_table, v_name, p_from, p_until
      );
    end if;
    -- Do this last, because it applies to the owner too. A partition has no policies, so its rows are reached only through the parent.
    execute format('alter table kith.%I force row level security', v_name);
    return 1;
  exception when lock_not_available then
    -- Somebody is reading the default partition or has just inserted into it.
    return 0;
  end;
end
$$;
comment on function internal.make_partition(text, text, text, text) is
  'Creates one partition of a table of schema kith, with row-level security on (partitions do not inherit it). Without bounds, creates the default partition. Returns 1 if it is new, 0 if it exists or the lock was not available. It locks the default partition until the transaction ends, so create one partition in a transaction. Definer: only the owner may attach.';
revoke all on function internal.make_partition(text, text, text, text) from public;

create or replace function internal.make_partitions(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_made integer := 0;
  v_wanted record;
begin
  -- Two concurrent calls would create the same tables.
  if not pg_try_advisory_xact_lock(hashtext('internal.make_partitions')) then
    return 0;
  end if;
  for v_wanted in
    select wanted.*
    from (
      -- Default partitions, so that no insert fails for lack of a partition. Rows there only cost more.
      select name, 'default' as suffix, null::timestamp as since, null::timestamp as until
      from unnest(array['pings', 'notifications', 'deliveries', 'audit', 'history', 'events']) as name
      union all
      select name, to_char(month, 'YYYY_MM'), month, month + interval '1 month'
      from unnest(array['pings', 'notifications', 'deliveries', 'audit', 'history']) as name
      cross join generate_series(
        date_trunc('month', p_now at time zone 'UTC') - interval '1 month',
        date_trunc('month', p_now at time zone 'UTC') + interval '2 months', interval '1 month'
      ) as month
      union all
      select 'events', to_char(day, 'YYYY_MM_DD'), day, day + interval '1 day'
      from generate_series(
        date_trunc('day', p_now at time zone 'UTC') - interval '1 day', date_trunc('day', p_now at time zone 'UTC') + interval '3 days',
        interval '1 day'
      ) as day
    ) as wanted
    where to_regclass(format('kith.%I', wanted.name || '_' || wanted.suffix)) is null
    order by wanted.since nulls first, wanted.name
  loop
    exit when v_made = p_batch;
    v_made := v_made + case v_wanted.name
      when 'pings' then internal.make_partition('pings', v_wanted.suffix, v_wanted.since::date::text, v_wanted.until::date::text)
      else internal.make_partition(
        v_wanted.name, v_wanted.suffix, internal.first_uuid7(v_wanted.since at time zone 'UTC')::text,
        internal.first_uuid7(v_wanted.until at time zone 'UTC')::text
      )
    end;
  end loop;
  return v_made;
end
$$;
comment on function internal.make_partitions(timestamptz, integer) is
  'Creates at most p_batch missing partitions: the default ones, the monthly ones from the month before p_now to two months after it, and the daily ones of events from the day before to three days after. Returns how many it created; 0 if all exist, or if other sessions are using the default partitions. On a live system use a batch of one in each transaction: several would hold the lock of one table while waiting for the next, and block transactions that take the tables in another order. Definer: the worker may not create tables.';
revoke all on function internal.make_partitions(timestamptz, integer) from public;
grant execute on function internal.make_partitions(timestamptz, integer) to kith_worker;

create or replace function internal.partitions_until() returns date
  language sql
  stable
as $$
  select (max(to_date(right(child.relname, 7), 'YYYY_MM')) + interval '1 month')::date
  from pg_catalog.pg_inherits
  join pg_catalog.pg_class as child on child.oid = inhrelid
  where inhparent = 'kith.pings'::regclass and child.relname ~ '_\d{4}_\d\d$'
$$;
comment on function internal.partitions_until() is 'The first date that would fall into the default partition of pings.';
revoke all on function internal.partitions_until() from public;

create or replace function internal.drop_events(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- Dropping waits for readers of events, and all other sessions queue behind it. It is better to fail and try again.
  set lock_timeout = '500ms'
as $$
declare
  v_before date := (p_now at time zone 'UTC')::date - 8;
  v_name text;
  v_dropped integer := 0;
begin
  for v_name in
    select child.relname
    from pg_catalog.pg_inherits
    join pg_catalog.pg_class as child on child.oid = inhrelid
    where inhparent = 'kith.events'::regclass and child.relname ~ '_\d{4}_\d\d_\d\d$'
      and to_date(right(child.relname, 10), 'YYYY_MM_DD') < v_before
    order by child.relname
    limit p_batch
  loop
    begin
      execute format('drop table kith.%I', v_name);
      v_dropped := v_dropped + 1;
    exception when lock_not_available then
      return v_dropped;
    end;
  end loop;
  if v_dropped = 0 then
    delete from kith.events where id < internal.first_uuid7(v_before at time zone 'UTC');
  end if;
  return v_dropped;
end
$$;
comment on function internal.drop_events(timestamptz, integer) is
  'Drops at most p_batch daily partitions of events that are more than 8 days old. If there are none, deletes the events of such days from the default partition. Returns how many partitions it dropped; one that a reader holds is dropped on a later call. Nobody can write events until the transaction ends, so use a batch of one in each transaction. Definer: the worker may not drop tables.';
revoke all on function internal.drop_events(timestamptz, integer) from public;
grant execute on function internal.drop_events(timestamptz, integer) to kith_worker;
