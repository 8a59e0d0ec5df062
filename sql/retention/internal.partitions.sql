create or replace function internal.make_partition(p_table text, p_suffix text, p_from text, p_until text)
  returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- Attaching waits for readers of the default partition, and all other sessions queue behind it. It is better to fail
  -- and try again.
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
      -- Move the rows that fell into the default partition. Insert through the parent, because only the parent has the
      -- policies that let the owner see rows.
      execute format(
        'with caught as (delete from kith.%I where %I >= %L and %I < %L returning *) insert into kith.%I select * from '
        'caught', p_table, v_key, p_from, v_key, p_until, v_name
      );
      execute format(
        'alter table kith.%I attach partition kith.%I for values from (%L) to (%L)', p_table, v_name, p_from, p_until
      );
    end if;
    -- Do this last, because it applies to the owner too. A partition has no policies, so its rows are reached only
    -- through the parent.
    execute format('alter table kith.%I force row level security', v_name);
    return 1;
  exception when lock_not_available then
    -- Somebody is reading the default partition or has just inserted into it.
    return 0;
  end;
end
$$;
comment on function internal.make_partition(text, text, text, text) is
  'Creates one partition of a table of schema kith, with row-level security on (partitions do not inherit it). Without '
  'bounds, creates the default partition. Returns 1 if it is new, 0 if it exists or the lock was not available. It '
  'locks the default partition until the transaction ends, so create one partition in a transaction. Definer: only the '
  'owner may attach.';

create or replace function internal.wanted_partition(p_table text, p_suffix text, p_from text, p_until text)
  returns jsonb
  language sql
  stable
as $$
  select jsonb_build_object(
    'unit', p_table || '_' || p_suffix, 'table', p_table, 'suffix', p_suffix, 'from', p_from, 'until', p_until
  )
$$;
comment on function internal.wanted_partition(text, text, text, text)
  is 'A partition to be made, for internal.work_off.';

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
        date_trunc('day', p_now at time zone 'UTC') - interval '1 day',
        date_trunc('day', p_now at time zone 'UTC') + interval '3 days', interval '1 day'
      ) as day
    ) as wanted
    where to_regclass(format('kith.%I', wanted.name || '_' || wanted.suffix)) is null
      and not exists (
        select from internal.shut_out('make_partitions', 0, concat_ws('_', wanted.name, wanted.suffix), p_now)
      )
    order by wanted.since nulls first, wanted.name
  loop
    exit when v_made = p_batch;
    v_made := v_made + internal.work_off('make_partitions', array[
      case v_wanted.name
        when 'pings'
          then internal.wanted_partition(
            'pings', v_wanted.suffix, v_wanted.since::date::text, v_wanted.until::date::text
          )
        else internal.wanted_partition(
          v_wanted.name, v_wanted.suffix, internal.first_uuid7(v_wanted.since at time zone 'UTC')::text,
          internal.first_uuid7(v_wanted.until at time zone 'UTC')::text
        )
      end
    ], null, p_now,
      'internal.make_partition($1[1] ->> ''table'', $1[1] ->> ''suffix'', $1[1] ->> ''from'', $1[1] ->> ''until'')');
  end loop;
  return v_made;
end
$$;
comment on function internal.make_partitions(timestamptz, integer) is
  'Creates at most p_batch missing partitions: the default ones, the monthly ones from the month before p_now to two '
  'months after it, and the daily ones of events from the day before to three days after. Returns how many it created; '
  '0 if all exist, or if other sessions are using the default partitions. On a live system use a batch of one in each '
  'transaction: several would hold the lock of one table while waiting for the next, and block transactions that take '
  'the tables in another order. Definer: the worker may not create tables.';
grant execute on function internal.make_partitions(timestamptz, integer) to kith_worker;

create or replace function internal.partitions_ahead(p_now timestamptz) returns integer
  language plpgsql
  stable
as $$
declare
  v_today date := (p_now at time zone 'UTC')::date;
begin
  return (
    with partition as (
      select kind, (since at time zone 'UTC')::date as since,
        case kind when 'pings' then (until - interval '12 hours') else until end as until
      from internal.partitions()
    ), span as (
      select kind, since, (until at time zone 'UTC')::date as until from partition
    ), gap as (
      select kinds.kind, min(candidate.on_date) - v_today as days
      from unnest(array['pings', 'notifications', 'deliveries', 'audit', 'history', 'events']) as kinds (kind)
      cross join lateral (
        select v_today union select until from span where span.kind = kinds.kind and until > v_today
      ) as candidate (on_date)
      where not exists (
        select from span
        where span.kind = kinds.kind and span.since <= candidate.on_date and span.until > candidate.on_date
      )
      group by kinds.kind
    )
    -- Those of events are made three days ahead, so they count once they are behind that.
    select min(days) from gap where kind <> 'events' or days < 2
  );
end
$$;
comment on function internal.partitions_ahead(timestamptz) is
  'For how many days from today there are partitions of every kind, until the first gap. Events, whose partitions are '
  'made for three days only, count when less than two are left. Rows of a day without a partition go into the default '
  'one, from which they move when the partition is made.';

create or replace function internal.partitions()
  returns table (kind text, name text, since timestamptz, until timestamptz)
  language sql
  stable
as $$
  select parent.relname::text, child.relname::text, span.since::timestamp at time zone 'UTC',
    (span.since + case length(stamp.text) when 7 then interval '1 month' else interval '1 day' end) at time zone 'UTC'
      -- The last local date of a partition of pings ends 12 hours after it does in UTC.
      + case parent.relname when 'pings' then interval '12 hours' else interval '0' end
  from pg_catalog.pg_inherits
  join pg_catalog.pg_class as parent on parent.oid = inhparent and parent.relnamespace = 'kith'::regnamespace
  join pg_catalog.pg_class as child on child.oid = inhrelid and child.relkind = 'r'
  cross join lateral (select substring(child.relname from '_(\d{4}_\d\d(_\d\d)?)$') as text) as stamp
  cross join lateral (
    select to_date(stamp.text, case length(stamp.text) when 7 then 'YYYY_MM' else 'YYYY_MM_DD' end) as since
  ) as span
  where stamp.text is not null
$$;
comment on function internal.partitions() is
  'The partitions by month and day: whose kind, and from when until when their rows are. Leaves out the default ones.';
grant execute on function internal.partitions() to kith_reader;

create or replace function internal.drop_partition(p_kind text, p_name text, p_since timestamptz, p_until timestamptz)
  returns boolean
  language plpgsql
  -- Everybody who uses the table queues behind this lock, so it is better to fail soon and try again later.
  set lock_timeout = '100ms'
as $$
begin
  if internal.holds_owed(p_kind, p_since, p_until) then
    return false;
  end if;
  -- Wait for the lock first, while this transaction holds nothing that readers or writers need.
  execute format('lock table only kith.%I in access exclusive mode', p_kind);
  -- An operator may have replayed a delivery meanwhile.
  if internal.holds_owed(p_kind, p_since, p_until) then
    return false;
  end if;
  execute format('drop table kith.%I', p_name);
  return true;
exception when lock_not_available then
  return false;
end
$$;
comment on function internal.drop_partition(text, text, timestamptz, timestamptz) is
  'Drops one partition, unless it has rows that are still owed, or somebody reads or writes the table for longer than '
  '100 ms. Returns whether it did. For internal.drop_partitions.';

create or replace function internal.drop_partitions(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_dropped integer := 0;
  v_old record;
begin
  p_now := internal.present(p_now);
  if not pg_try_advisory_xact_lock(hashtext('internal.drop_partitions')) then
    return 0;
  end if;
  -- Rows of a tenant that arrives may be here before the settings that say for how long it keeps them. And no loop
  -- counts what a tenant that moves is owed (internal.holds_owed).
  if exists (select from kith.moving_tenants as moved where moved.state in ('leaving', 'arriving')) then
    return 0;
  end if;
  for v_old in
    select partition.*
    from (select kinds.kind, internal.whole_days(kinds.kind, p_now) as days
          from unnest(
            array['pings', 'notifications', 'deliveries', 'audit', 'history', 'events']
          ) as kinds (kind)) as whole
    join internal.partitions() as partition on partition.kind = whole.kind
    where partition.until <= p_now - make_interval(days => whole.days)
      and not exists (select from internal.shut_out('drop_partitions', 0, partition.name, p_now))
    order by partition.until, partition.kind
  loop
    exit when v_dropped >= p_batch;
    v_dropped := v_dropped + internal.work_off(
      'drop_partitions', array[to_jsonb(v_old) || jsonb_build_object('unit', v_old.name)], null, p_now,
      'internal.drop_partition(
        $1[1] ->> ''kind'', $1[1] ->> ''name'', ($1[1] ->> ''since'')::timestamptz, ($1[1] ->> ''until'')::timestamptz
      )::integer'
    );
  end loop;
  if v_dropped = 0 then
    delete from kith.events where id < internal.first_uuid7(
      date_trunc('day', p_now, 'UTC') - make_interval(days => internal.whole_days('events', p_now))
    );
  end if;
  return v_dropped;
end
$$;
comment on function internal.drop_partitions(timestamptz, integer) is
  'Drops at most p_batch partitions of which every row is past the longest retention of any tenant '
  '(internal.whole_days), the oldest first. One that somebody uses, or that has rows that are still owed, is dropped '
  'on a later call. If it drops none, deletes what old days of events left in the default partition. Drops none while '
  'a tenant moves to another cell. Returns how many it dropped. Nobody can use the table of a dropped partition until '
  'the transaction ends, so use a batch of one in each transaction. Definer: the worker may not drop tables.';
grant execute on function internal.drop_partitions(timestamptz, integer) to kith_worker;
