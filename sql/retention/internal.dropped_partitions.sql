create or replace function internal.holds_owed(p_kind text, p_since timestamptz, p_until timestamptz) returns boolean
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
  -- The second call, which holds the table's lock (internal.drop_partition), then needs no planning.
  set plan_cache_mode = 'force_generic_plan'
  set jit = off
  -- The partial indexes of what is left have few rows, whatever the statistics say.
  set enable_seqscan = off
as $$
declare
  v_first uuid := internal.first_uuid7(p_since);
  v_end uuid := internal.first_uuid7(p_until);
  v_first_on date := (p_since at time zone 'UTC')::date;
  v_end_on date := (p_until at time zone 'UTC')::date;
  -- The worker does nothing for them, so what is open there stays open for ever.
  v_deleted integer[] := internal.deleted_tenants();
begin
  -- A statement for each kind, because the executor opens the partitions of everything that a statement names.
  case p_kind
    when 'pings' then
      return exists (
        select from kith.pings
        where ping_on >= v_first_on and ping_on < v_end_on and status = 'scheduled' and tenant_id <> all (v_deleted)
      ) or exists (
        select from kith.pings
        where ping_on >= v_first_on and ping_on < v_end_on and status = 'due' and tenant_id <> all (v_deleted)
      );
    when 'notifications' then
      return exists (
        select from kith.notifications
        where id >= v_first and id < v_end and planned_at is null and tenant_id <> all (v_deleted)
      ) or exists (
        select from kith.notifications
        where id >= v_first and id < v_end and escalates_at is not null and tenant_id <> all (v_deleted)
      ) or exists (
        select from kith.undelivered_alarms
        where notification_id >= v_first and notification_id < v_end and resolved_at is null
          and tenant_id <> all (v_deleted)
      ) or exists (
        select from kith.deliveries
        where notification_id >= v_first and notification_id < v_end and status in ('queued', 'sending')
          and tenant_id <> all (v_deleted)
      ) or exists (
        select from kith.emergency_requests
        where ended_at is null and requested_at < p_until and tenant_id <> all (v_deleted)
      );
    when 'deliveries' then
      return exists (
        select from kith.deliveries
        where id >= v_first and id < v_end and status in ('queued', 'sending') and tenant_id <> all (v_deleted)
      );
    when 'history' then
      return exists (
        select from kith.emergency_requests
        where ended_at is null and requested_at - interval '30 days' < p_until and tenant_id <> all (v_deleted)
      );
    else
      return false;
  end case;
end
$$;
comment on function internal.holds_owed(text, timestamptz, timestamptz) is
  'Whether a partition has rows that must stay however old they are: open pings; notifications that are still to be '
  'delivered or to escalate; alarms that reached nobody; deliveries in progress; and what has happened since the '
  'oldest open request for emergency access. Rows of deleted tenants are not owed. Security definer, because operators '
  'see by it (admin.partitions) why a partition stays.';
grant execute on function internal.holds_owed(text, timestamptz, timestamptz) to kith_reader;
