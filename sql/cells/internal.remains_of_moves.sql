-- What kith doctor looks at: moves of tenants between cells that stand still, and what is left of them (decision 51).

create or replace function internal.moves_under_way() returns table (
  tenant_id integer, slug text, source text, target text, step text, began_at timestamptz, is_running boolean
)
  language sql
  stable
as $$
  select move.tenant_id, move.slug, move.source, move.target, move.step, move.began_at, exists (
    select from pg_catalog.pg_locks as held
    where held.locktype = 'advisory'
      and held.database = (select oid from pg_catalog.pg_database where datname = current_database())
      and held.classid::bigint = internal.move_lock() + 1 and held.objid::bigint = move.tenant_id and held.objsubid = 2
      and held.granted
  )
  from kith.tenant_moves as move
$$;
comment on function internal.moves_under_way() is
  'In the directory: the moves that have begun and are not over. is_running: a kith tenant move works on it '
  '(internal.claim_move). Otherwise it stands still until one does.';

create or replace function internal.remains_of_moves()
  returns table (kind text, name text, tenant_id integer, is_active boolean, held bigint)
  language sql
  stable
as $$
  select 'subscription', subname::text, substring(subname from '[0-9]+$')::integer, subenabled, null::bigint
  from pg_catalog.pg_subscription
  where subname ~ '^kith_move_[0-9]+$'
    and subdbid = (select oid from pg_catalog.pg_database where datname = current_database())
  union all
  -- The second form is that of a slot for the copy of one table.
  select 'slot', slot_name::text, substring(slot_name from '^kith_move_([0-9]+)$')::integer, active,
    case when not pg_is_in_recovery() then pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint end
  from pg_catalog.pg_replication_slots
  where slot_name ~ '^(kith_move_[0-9]+|pg_[0-9]+_sync_[0-9]+_[0-9]+)$' and database = current_database()
  union all
  select 'publication', pubname::text, substring(pubname from '[0-9]+$')::integer, true, null
  from pg_catalog.pg_publication
  where pubname ~ '^kith_move_[0-9]+$'
$$;
comment on function internal.remains_of_moves() is
  'In a cell: the subscriptions, slots and publications of moves, with the tenant; null for the slot of a copy. held: '
  'how many bytes of WAL a slot keeps, which fills the disk while nobody reads it.';
