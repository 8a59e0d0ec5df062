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
  set search_path = ''
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
  exception when lock_not_available or check_violation then
    -- Somebody reads the net, or has just dropped a row into it.
    return 0;
  end;
end
$$;
comment on function internal.make_partition(text, text, text, text) is
  'Makes one partition of a table of schema kith, with row-level security on (partitions do not inherit it); without bounds the default one. Returns 1 if it is new, 0 if it is there or the lock was not to be had. Definer: only the owner may attach.';
revoke all on function internal.make_partition(text, text, text, text) from public;

create or replace function internal.make_partitions(p_now timestamptz) returns integer
  language plpgsql
  security definer
  set search_path = ''
as $$
declare
  v_made integer := 0;
  v_month timestamp;
  v_day timestamp;
  v_from_id text;
  v_until_id text;
  v_suffix text;
begin
  -- Two at once would make the same tables.
  if not pg_try_advisory_xact_lock(hashtext('internal.make_partitions')) then
    return 0;
  end if;

  -- The net: no insert is ever refused for want of a partition, only put where it costs more.
  v_made := v_made + internal.make_partition('pings', 'default', null, null)
    + internal.make_partition('notifications', 'default', null, null)
    + internal.make_partition('deliveries', 'default', null, null)
    + internal.make_partition('audit', 'default', null, null)
    + internal.make_partition('history', 'default', null, null)
    + internal.make_partition('events', 'default', null, null);

  for v_month in
    select generate_series(date_trunc('month', p_now at time zone 'UTC') - interval '1 month',
      date_trunc('month', p_now at time zone 'UTC') + interval '2 months', interval '1 month')
  loop
    v_from_id := internal.first_uuid7(v_month at time zone 'UTC')::text;
    v_until_id := internal.first_uuid7((v_month + interval '1 month') at time zone 'UTC')::text;
    v_suffix := to_char(v_month, 'YYYY_MM');
    v_made := v_made
      + internal.make_partition('pings', v_suffix, v_month::date::text, (v_month + interval '1 month')::date::text)
      + internal.make_partition('notifications', v_suffix, v_from_id, v_until_id)
      + internal.make_partition('deliveries', v_suffix, v_from_id, v_until_id)
      + internal.make_partition('audit', v_suffix, v_from_id, v_until_id)
      + internal.make_partition('history', v_suffix, v_from_id, v_until_id);
  end loop;

  for v_day in
    select generate_series(date_trunc('day', p_now at time zone 'UTC') - interval '1 day',
      date_trunc('day', p_now at time zone 'UTC') + interval '3 days', interval '1 day')
  loop
    v_made := v_made + internal.make_partition(
      'events', to_char(v_day, 'YYYY_MM_DD'), internal.first_uuid7(v_day at time zone 'UTC')::text,
      internal.first_uuid7((v_day + interval '1 day') at time zone 'UTC')::text
    );
  end loop;
  return v_made;
end
$$;
comment on function internal.make_partitions(timestamptz) is
  'Makes the monthly partitions from the month before this instant to two months after it, the daily ones of events from the day before to three days after, and the default ones. Run it again at any time; returns how many are new. Definer: the worker may not create tables.';
revoke all on function internal.make_partitions(timestamptz) from public;
grant execute on function internal.make_partitions(timestamptz) to kith_worker;

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

create or replace function internal.drop_events(p_now timestamptz) returns integer
  language plpgsql
  security definer
  set search_path = ''
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
  loop
    begin
      execute format('drop table kith.%I', v_name);
      v_dropped := v_dropped + 1;
    exception when lock_not_available then
      return v_dropped;
    end;
  end loop;
  delete from kith.events where id < internal.first_uuid7(v_before at time zone 'UTC');
  return v_dropped;
end
$$;
comment on function internal.drop_events(timestamptz) is
  'Drops the daily partitions of events that are more than 8 days old, and deletes what such days have left in the default one. Returns how many partitions are gone; what a reader holds is gone the next time. Definer: the worker may not drop tables.';
revoke all on function internal.drop_events(timestamptz) from public;
grant execute on function internal.drop_events(timestamptz) to kith_worker;
