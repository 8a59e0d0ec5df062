create or replace function internal.first_uuid7(p_at timestamptz) returns uuid
  language sql
  immutable
  parallel safe
as $$
  select (lpad(to_hex((date_part('epoch', p_at) * 1000000)::bigint / 1000), 12, '0') || '00000000000000000000')::uuid
$$;
comment on function internal.first_uuid7(timestamptz) is
  'Not above any UUID version 7 made at this instant or later: where a month begins among ids.';
revoke all on function internal.first_uuid7(timestamptz) from public;
grant execute on function internal.first_uuid7(timestamptz) to kith_api, kith_worker, kith_admin;

create or replace function internal.make_partition(p_table text, p_suffix text, p_from text, p_until text) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- Attaching waits for whoever reads the default partition, and all others wait behind it: rather fail and come again.
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
    -- All that is to be waited for, and first: it waits with nothing in hand that somebody who reads or writes could wait for.
    execute format('lock table only kith.%I in share update exclusive mode', p_table);
    if p_from is not null then
      execute format('lock table only kith.%I in access exclusive mode', p_table || '_default');
    end if;
    -- Create, then attach: `create … partition of` waits behind a single reader.
    execute format('create table kith.%I (like kith.%I including defaults including constraints)', v_name, p_table);
    execute format('alter table kith.%I enable row level security', v_name);
    if p_from is null then
      execute format('alter table kith.%I attach partition kith.%I default', p_table, v_name);
    else
      -- What fell into the net belongs here now. Through the parent: the policies that let the owner see rows are there.
      execute format(
        'with caught as (delete from kith.%I where %I >= %L and %I < %L returning *) insert into kith.%I select * from caught',
        p_table, v_key, p_from, v_key, p_until, v_name
      );
      execute format(
        'alter table kith.%I attach partition kith.%I for values from (%L) to (%L)', p_table, v_name, p_from, p_until
      );
    end if;
    -- Last, because it binds the owner too, and a partition has no policies: it is reached through its parent only.
    execute format('alter table kith.%I force row level security', v_name);
    return 1;
  exception when lock_not_available then
    -- Somebody reads the net, or has just dropped a row into it.
    return 0;
  end;
end
$$;
comment on function internal.make_partition(text, text, text, text) is
  'Makes one partition of a table of schema kith, with row-level security on (partitions do not inherit it); without bounds the default one. Returns 1 if it is new, 0 if it is there or the lock was not to be had. It holds the default partition until the end of the transaction: one a transaction. Definer: only the owner may attach.';
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
  -- Two at once would make the same tables.
  if not pg_try_advisory_xact_lock(hashtext('internal.make_partitions')) then
    return 0;
  end if;
  for v_wanted in
    select wanted.*
    from (
      -- The net: no insert is ever refused for want of a partition, only put where it costs more.
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
  'Makes at most p_batch of the partitions that are missing: the default ones, the monthly ones from the month before this instant to two months after it, and the daily ones of events from the day before to three days after. Returns how many; 0 when all are there, or somebody uses the others'' default ones just now. Where anybody reads or writes, one a transaction: several at once would hold one table while they wait for the next, and stop whoever takes these in another order. Definer: the worker may not create tables.';
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
  -- Dropping waits for whoever reads events, and all others wait behind it: rather fail and come again.
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
  'Drops at most p_batch daily partitions of events that are more than 8 days old; where there is none, it deletes what such days have left in the default one. Returns how many partitions are gone; what a reader holds is gone another time. Nobody writes events until the end of the transaction: one a transaction. Definer: the worker may not drop tables.';
revoke all on function internal.drop_events(timestamptz, integer) from public;
grant execute on function internal.drop_events(timestamptz, integer) to kith_worker;
