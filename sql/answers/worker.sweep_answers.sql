create or replace function worker.sweep_answers(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  -- One that is being moved to another cell refuses writes.
  v_moving integer[] := internal.importing_tenants();
  v_deleted integer;
  v_links integer;
begin
  p_now := internal.present(p_now);
  v_links := internal.sweep_links(p_now, p_batch);
  delete from kith.inbound_messages as message
  using (
    select old.tenant_id, old.channel, old.message_hash
    from kith.inbound_messages as old
    where old.received_at < p_now - interval '7 days' and old.tenant_id <> all (v_moving)
    order by old.received_at
    limit p_batch
    for update of old skip locked
  ) as old
  where message.tenant_id = old.tenant_id and message.channel = old.channel and message.message_hash = old.message_hash;
  get diagnostics v_deleted = row_count;
  v_deleted := v_deleted + v_links;
  delete from kith.text_numbers as known
  using (
    select old.tenant_id, old.phone
    from kith.text_numbers as old
    where old.stopped_at is null and old.updated_at < p_now - interval '2 days' and old.tenant_id <> all (v_moving)
    order by old.updated_at
    limit p_batch
    for update of old skip locked
  ) as old
  where known.tenant_id = old.tenant_id and known.phone = old.phone;
  get diagnostics v_links = row_count;
  v_deleted := v_deleted + v_links;
  delete from kith.inbound_counts as counts
  using (
    select old.tenant_id, old.channel, old.counted_on, old.outcome, old.slot
    from kith.inbound_counts as old
    where old.counted_on < (p_now at time zone 'UTC')::date - 90 and old.tenant_id <> all (v_moving)
    order by old.counted_on
    limit p_batch
    for update of old skip locked
  ) as old
  where counts.tenant_id = old.tenant_id and counts.channel = old.channel and counts.counted_on = old.counted_on
    and counts.outcome = old.outcome and counts.slot = old.slot;
  get diagnostics v_links = row_count;
  return v_deleted + v_links;
end
$$;
comment on function worker.sweep_answers(timestamptz, integer) is
  'Deletes what answers leave behind: links to check in and the ids of forwarded messages after 7 days, links about '
  'alarms after 30, what a number was answered after 2 days without another answer, unless it has said STOP, and '
  'counts after 90 days. At most p_batch of each. Returns how many. Security definer, because the worker may not read '
  'them.';
grant execute on function worker.sweep_answers(timestamptz, integer) to kith_worker;

create or replace function internal.sweep_links(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
as $$
declare
  v_moving integer[] := internal.importing_tenants();
  v_deleted integer;
  v_alarms integer;
begin
  delete from kith.check_in_links as link
  using (
    select old.tenant_id, old.token_hash
    from kith.check_in_links as old
    where old.created_at < p_now - interval '7 days' and old.tenant_id <> all (v_moving)
    order by old.created_at
    limit p_batch
    for update of old skip locked
  ) as old
  where link.tenant_id = old.tenant_id and link.token_hash = old.token_hash;
  get diagnostics v_deleted = row_count;
  delete from kith.alarm_links as link
  using (
    select old.tenant_id, old.token_hash
    from kith.alarm_links as old
    where old.created_at < p_now - interval '30 days' and old.tenant_id <> all (v_moving)
    order by old.created_at
    limit p_batch
    for update of old skip locked
  ) as old
  where link.tenant_id = old.tenant_id and link.token_hash = old.token_hash;
  get diagnostics v_alarms = row_count;
  return v_deleted + v_alarms;
end
$$;
comment on function internal.sweep_links(timestamptz, integer) is
  'Deletes links to check in after 7 days, and links about alarms after 30, when no alarm lasts any more. At most '
  'p_batch of each. Returns how many. For worker.sweep_answers.';
