-- A tenant moves from one cell to another while it is served (decision 51). kith tenant move calls these as a
-- superuser, each in the database that its comment names: the directory, the source or the target.

create or replace function internal.move_lock() returns integer
  language sql
  immutable
  parallel safe
as $$ select 511043 $$;
comment on function internal.move_lock() is
  'The first key of the advisory locks of moves; the second is the tenant. Every write for a moving tenant shares the '
  'lock, and whoever holds writes back has it alone.';

create or replace function internal.claim_move(p_tenant_id integer) returns boolean
  language plpgsql
as $$
begin
  return pg_try_advisory_lock(internal.move_lock() + 1, p_tenant_id);
end
$$;
comment on function internal.claim_move(integer) is
  'In the directory: whether this session may move the tenant. False while another session of kith tenant move does. '
  'It ends with the session.';

create or replace function internal.guard_moving_tenant() returns trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- Longer than a hold lasts, shorter than the time that a statement of kith_api may take.
  set lock_timeout = '4500ms'
as $$
declare
  v_state text;
begin
  perform pg_advisory_xact_lock_shared(internal.move_lock(), tg_argv[0]::integer);
  -- Reads what was committed while it waited, which a transaction with one snapshot for all of its statements would
  -- not.
  if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
    raise exception 'unavailable' using errcode = 'KT503', detail = 'The tenant is being moved to another database.',
      hint = 'Use the isolation level read committed.';
  end if;
  select state into v_state from kith.moving_tenants where tenant_id = tg_argv[0]::integer;
  if v_state in ('gone', 'arriving') then
    raise exception 'unavailable' using errcode = 'KT503', detail = 'The tenant is being moved to another database.';
  end if;
  return coalesce(new, old);
end
$$;
comment on function internal.guard_moving_tenant() is
  'The rule by which one cell alone takes the writes of a moving tenant, whose number is the argument: a write waits '
  'while writes are held, and is refused where the tenant is not served. kith tenant move puts it on every table of '
  'the tenant in both cells, and takes it off at the end. Replication does not fire it. Security definer, because no '
  'role that writes may read the state.';

create or replace function internal.strip_position() returns trigger
  language plpgsql
as $$
begin
  new.xid := null;
  return new;
end
$$;
comment on function internal.strip_position() is
  'Takes a notification that arrives with its tenant out of the feed: its position would be that of the copy. Clients '
  'load everything again.';

create or replace function internal.replicated_tables() returns table (name text, columns text[], is_guarded boolean)
  language sql
  stable
as $$
  select tables.name,
    case tables.name when 'notifications' then array(
      select attribute.attname::text
      from pg_catalog.pg_attribute as attribute
      where attribute.attrelid = 'kith.notifications'::regclass and attribute.attnum > 0 and not attribute.attisdropped
        and attribute.attname <> 'xid'
      order by attribute.attnum
    ) end,
    tables.name not in ('move_marks', 'usage_hours')
  from internal.tenant_tables() as tables
  where tables.name not in (
    'events', 'moving_tenants', 'set_aside', 'tenant_cells', 'tenant_imports', 'tenant_moves', 'tenant_purges',
    'tenant_sizes'
  )
$$;
comment on function internal.replicated_tables() is
  'The tables whose rows follow a tenant to another cell. columns: those that follow, null for all. is_guarded: '
  'whether the table gets internal.guard_moving_tenant; counts of requests are written for all tenants at once, and '
  'must not be refused for one. Events stay, because their positions are numbers of transactions; what could not be '
  'processed is tried again; sizes are those of a database.';

create or replace function internal.publish_tenant(p_tenant_id integer) returns text
  language plpgsql
as $$
declare
  v_name text := 'kith_move_' || p_tenant_id;
begin
  if not exists (select from pg_catalog.pg_publication where pubname = v_name) then
    execute format(
      'create publication %I for table %s with (publish_via_partition_root = true)', v_name,
      (
        select string_agg(
          format(
            'kith.%I%s where (tenant_id = %s)', name,
            (
              select ' (' || string_agg(quote_ident(one), ', ' order by position) || ')'
              from unnest(columns) with ordinality as list (one, position)
            ),
            p_tenant_id
          ), ', ' order by name
        )
        from internal.replicated_tables()
      )
    );
  end if;
  return v_name;
end
$$;
comment on function internal.publish_tenant(integer) is
  'In the source: makes the publication of a tenant''s rows, unless there is one, and returns its name, which the slot '
  'and the subscription have too. For a superuser.';

create or replace function internal.unguarded_tables(p_tenant_id integer) returns setof text
  language sql
  stable
as $$
  select tables.name
  from internal.replicated_tables() as tables
  where tables.is_guarded and not exists (
    select from pg_catalog.pg_trigger
    where tgrelid = format('kith.%I', tables.name)::regclass and tgname = 'moving_' || p_tenant_id || '_delete'
  )
  order by tables.name
$$;
comment on function internal.unguarded_tables(integer) is 'The tables that are yet to get internal.guard_table.';

create or replace function internal.guard_table(p_table text, p_tenant_id integer) returns boolean
  language plpgsql
  set lock_timeout = '200ms'
as $$
declare
  v_name text := 'moving_' || p_tenant_id;
begin
  execute format(
    'create trigger %I before insert or update on kith.%I for each row when (new.tenant_id = %s) execute function '
    'internal.guard_moving_tenant(%3$s)', v_name || '_write', p_table, p_tenant_id
  );
  if p_table = 'notifications' then
    execute format(
      'create trigger %I before insert on kith.notifications for each row when (new.tenant_id = %s) execute function '
      'internal.strip_position()', v_name || '_arrive', p_tenant_id
    );
    execute format('alter table kith.notifications enable replica trigger %I', v_name || '_arrive');
  end if;
  execute format(
    'create trigger %I before delete on kith.%I for each row when (old.tenant_id = %s) execute function '
    'internal.guard_moving_tenant(%3$s)', v_name || '_delete', p_table, p_tenant_id
  );
  return true;
exception when lock_not_available then
  return false;
end
$$;
comment on function internal.guard_table(text, integer) is
  'Puts the rule of a moving tenant on a table. Other tenants'' writes pay for a comparison. False if the table was '
  'not free within 200 ms: try again, because everything else queues behind a wait for it. For a superuser, one table '
  'in a transaction.';

create or replace function internal.guarded_tables(p_tenant_id integer) returns setof text
  language sql
  stable
as $$
  select distinct class.relname::text
  from pg_catalog.pg_trigger as guard
  join pg_catalog.pg_class as class
    on class.oid = guard.tgrelid and class.relnamespace = 'kith'::regnamespace and not class.relispartition
  where guard.tgname ~ ('^moving_' || p_tenant_id || '_(write|arrive|delete)$')
$$;
comment on function internal.guarded_tables(integer) is 'The tables that have internal.guard_table.';

create or replace function internal.unguard_table(p_table text, p_tenant_id integer) returns boolean
  language plpgsql
  set lock_timeout = '200ms'
as $$
declare
  v_guard name;
begin
  for v_guard in
    select tgname from pg_catalog.pg_trigger
    where tgrelid = format('kith.%I', p_table)::regclass
      and tgname ~ ('^moving_' || p_tenant_id || '_(write|arrive|delete)$')
  loop
    execute format('drop trigger %I on kith.%I', v_guard, p_table);
  end loop;
  return true;
exception when lock_not_available then
  return false;
end
$$;
comment on function internal.unguard_table(text, integer)
  is 'Takes off what internal.guard_table has put on. False if the table was not free within 200 ms.';

create or replace function internal.move_objections(p_is_source boolean, p_goes_on boolean) returns setof text
  language plpgsql
  stable
as $$
declare
  v_slots integer := current_setting('max_replication_slots')::integer - (
    select count(*) from pg_catalog.pg_replication_slots
  );
  v_senders integer := current_setting('max_wal_senders')::integer
    - (select count(*) from pg_catalog.pg_stat_activity where backend_type = 'walsender');
  v_workers integer := current_setting('max_logical_replication_workers')::integer
    - (select count(*) from pg_catalog.pg_stat_activity where backend_type = 'logical replication worker');
begin
  if pg_is_in_recovery() then
    return next 'it is a standby: name all of its hosts, with target_session_attrs=read-write';
  elsif internal.awaits_confirmation() then
    -- The other cell would tell people what this one must not yet.
    return next
      'it may have been restored or copied, and tells nobody anything until an operator confirms it: '
      'admin.confirm_restore';
  end if;
  if not exists (select from pg_catalog.pg_roles where rolname = session_user and rolsuper) then
    return next format('its login %s is no superuser, which a subscription and its copy need', session_user);
  end if;
  if p_is_source and current_setting('wal_level') <> 'logical' then
    return next format('its wal_level is %s: set it to logical, and restart PostgreSQL', current_setting('wal_level'));
  end if;
  if p_goes_on then
    return;
  end if;
  if v_slots < 3 then
    return next format('%s of its max_replication_slots are free, and a move needs 3', v_slots);
  end if;
  if p_is_source and v_senders < 3 then
    return next format('%s of its max_wal_senders are free, and a move needs 3', v_senders);
  end if;
  if not p_is_source and v_workers < 2 then
    return next format('%s of its max_logical_replication_workers are free, and a move needs 2', v_workers);
  end if;
end
$$;
comment on function internal.move_objections(boolean, boolean) is
  'What is missing in this database for a tenant to move from here, or to here. Empty if nothing is. A move that goes '
  'on has its slots and workers already.';
