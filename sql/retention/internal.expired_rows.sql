-- Deletes old rows a batch at a time. A batch is a range of the primary key, which begins with the tenant and continues
-- with the date or the time-ordered id. It begins where the last one ended, because the index has the rows that earlier
-- batches have deleted for as long as any transaction can see them. Rows that somebody has locked are left to the next
-- day's pass, so that nobody waits and nothing deadlocks.

create or replace function internal.expire_pings(
  p_pass kith.retention_passes, p_limit integer, out deleted integer, out last_on date, out last_id uuid
)
  language plpgsql
as $$
declare
  v_tenant integer := p_pass.tenant_id;
  v_from date := coalesce(p_pass.after_on, '-infinity');
  v_after uuid := coalesce(p_pass.after_id, '00000000-0000-0000-0000-000000000000');
  -- No zone is more than 12 hours behind UTC.
  v_before date := ((p_pass.until_at - interval '12 hours') at time zone 'UTC')::date;
  v_counts_from date := ((p_pass.began_at - interval '400 days 12 hours') at time zone 'UTC')::date;
begin
  with old as materialized (
    select one.ping_on, one.connection_id, one.sender_id
    from kith.pings as one
    where one.tenant_id = v_tenant and one.ping_on >= v_from and one.ping_on < v_before
      and (one.ping_on, one.connection_id) > (v_from, v_after)
      and one.status in ('completed', 'completed_late', 'missed', 'cancelled')
      -- One look-up for each ping. With `not exists`, the planner would read all of the tenant's rights.
      and (
        one.ping_on < v_counts_from
        or (
          select true from kith.emergency_settings as given
          where given.tenant_id = v_tenant and given.owner_id = one.sender_id and given.after_missed_days is not null
            and given.ended_at is null
          limit 1
        ) is null
      )
    order by one.ping_on, one.connection_id
    limit p_limit
    for update of one skip locked
  ), gone as (
    delete from kith.pings as one
    using old
    where one.tenant_id = v_tenant and one.ping_on = old.ping_on and one.connection_id = old.connection_id
      and one.sender_id = old.sender_id and one.ping_on >= v_from and one.ping_on < v_before
  )
  select count(*), max(old.ping_on), (array_agg(old.connection_id order by old.ping_on desc, old.connection_id desc))[1]
  into deleted, last_on, last_id
  from old;
end
$$;
comment on function internal.expire_pings(kith.retention_passes, integer) is
  'Deletes a batch of a tenant''s old pings. Keeps open ones, and for 400 days those of senders who have given '
  'somebody a right that begins by their silence: it is counted from them (internal.missed_row). Returns how many, and '
  'the last one. For internal.advance_pass.';

create or replace function internal.expire_ping_runs(p_pass kith.retention_passes, p_limit integer) returns integer
  language plpgsql
as $$
declare
  v_tenant integer := p_pass.tenant_id;
  v_before date := ((p_pass.until_at - interval '12 hours') at time zone 'UTC')::date;
  v_runs integer;
  v_gaps integer;
begin
  with old as materialized (
    select one.time_zone, one.ping_on
    from kith.ping_runs as one
    where one.tenant_id = v_tenant and one.ping_on < v_before and one.finished_at is not null
    limit p_limit
    for update of one skip locked
  )
  delete from kith.ping_runs as one
  using old
  where one.tenant_id = v_tenant and one.time_zone = old.time_zone and one.ping_on = old.ping_on;
  get diagnostics v_runs = row_count;
  with old as materialized (
    select one.ping_on, one.connection_id
    from kith.ping_gaps as one
    where one.tenant_id = v_tenant and one.ping_on < v_before
    limit p_limit - v_runs
    for update of one skip locked
  )
  delete from kith.ping_gaps as one
  using old
  where one.tenant_id = v_tenant and one.ping_on = old.ping_on and one.connection_id = old.connection_id;
  get diagnostics v_gaps = row_count;
  return v_runs + v_gaps;
end
$$;
comment on function internal.expire_ping_runs(kith.retention_passes, integer) is
  'Deletes a batch of what says how a tenant''s old pings were made: finished runs, and gaps that the hourly check '
  'found. They are kept as long as the pings. Returns how many. For internal.advance_pass, after the pings.';

create or replace function internal.expire_check_ins(
  p_pass kith.retention_passes, p_limit integer, out deleted integer, out last_id uuid
)
  language plpgsql
as $$
declare
  v_tenant integer := p_pass.tenant_id;
  v_after uuid := coalesce(p_pass.after_id, '00000000-0000-0000-0000-000000000000');
  v_before uuid := internal.first_uuid7(p_pass.until_at);
begin
  with old as materialized (
    select one.id
    from kith.check_ins as one
    where one.tenant_id = v_tenant and one.id > v_after and one.id < v_before
    order by one.id
    limit p_limit
    for update of one skip locked
  ), gone as (
    delete from kith.check_ins as one
    using old
    where one.tenant_id = v_tenant and one.id = old.id and one.id > v_after and one.id < v_before
  )
  select count(*), (array_agg(old.id order by old.id desc))[1] into deleted, last_id from old;
end
$$;
comment on function internal.expire_check_ins(kith.retention_passes, integer) is
  'Deletes a batch of a tenant''s old check-ins. The last one of each sender stands in the sender''s profile. Returns '
  'how many, and the last one. For internal.advance_pass.';

create or replace function internal.expire_notifications(
  p_pass kith.retention_passes, p_limit integer, out deleted integer, out last_id uuid
)
  language plpgsql
as $$
declare
  v_tenant integer := p_pass.tenant_id;
  v_after uuid := coalesce(p_pass.after_id, '00000000-0000-0000-0000-000000000000');
  v_before uuid := internal.first_uuid7(p_pass.until_at);
begin
  with old as materialized (
    select one.id
    from kith.notifications as one
    where one.tenant_id = v_tenant and one.id > v_after and one.id < v_before
      and one.planned_at is not null and one.escalates_at is null
      and not exists (
        select from kith.undelivered_alarms as alarm
        where alarm.tenant_id = v_tenant and alarm.notification_id = one.id and alarm.resolved_at is null
      )
      and not exists (
        select from kith.deliveries as delivery
        where delivery.tenant_id = v_tenant and delivery.notification_id = one.id
          and delivery.status in ('queued', 'sending')
          -- Not a further condition, but partitions are pruned by it.
          and delivery.id >= internal.first_uuid7(one.created_at)
      )
      and not exists (
        select from kith.emergency_requests as request
        -- As text: the data may say anything.
        where request.tenant_id = v_tenant and request.id::text = one.data ->> 'request_id' and request.ended_at is null
      )
    order by one.id
    limit p_limit
    for update of one skip locked
  ), gone as (
    delete from kith.notifications as one
    using old
    where one.tenant_id = v_tenant and one.id = old.id and one.id > v_after and one.id < v_before
  )
  select count(*), (array_agg(old.id order by old.id desc))[1] into deleted, last_id from old;
end
$$;
comment on function internal.expire_notifications(kith.retention_passes, integer) is
  'Deletes a batch of a tenant''s old notifications. Keeps those that are still to be delivered or to escalate, alarms '
  'that reached nobody and are not resolved, and those about open requests for emergency access, whose waits depend on '
  'them. Returns how many, and the last one. For internal.advance_pass.';

create or replace function internal.expire_deliveries(
  p_pass kith.retention_passes, p_limit integer, out deleted integer, out last_id uuid
)
  language plpgsql
as $$
declare
  v_tenant integer := p_pass.tenant_id;
  v_after uuid := coalesce(p_pass.after_id, '00000000-0000-0000-0000-000000000000');
  v_before uuid := internal.first_uuid7(p_pass.until_at);
begin
  with old as materialized (
    select one.id
    from kith.deliveries as one
    where one.tenant_id = v_tenant and one.id > v_after and one.id < v_before
      and one.purpose in ('notification', 'answer')
      and one.status in ('sent', 'failed', 'dropped')
    order by one.id
    limit p_limit
    for update of one skip locked
  ), gone as (
    delete from kith.deliveries as one
    using old
    where one.tenant_id = v_tenant and one.id = old.id and one.id > v_after and one.id < v_before
  )
  select count(*), (array_agg(old.id order by old.id desc))[1] into deleted, last_id from old;
end
$$;
comment on function internal.expire_deliveries(kith.retention_passes, integer) is
  'Deletes a batch of a tenant''s old deliveries of notifications that were sent or given up, with the addresses in '
  'them. Codes and invitations are deleted with what they belong to. Returns how many, and the last one. For '
  'internal.advance_pass.';

create or replace function internal.expire_history(
  p_pass kith.retention_passes, p_limit integer, out deleted integer, out last_id uuid
)
  language plpgsql
as $$
declare
  v_tenant integer := p_pass.tenant_id;
  v_after uuid := coalesce(p_pass.after_id, '00000000-0000-0000-0000-000000000000');
  v_before uuid := internal.first_uuid7(p_pass.until_at);
begin
  with old as materialized (
    select one.id
    from kith.history as one
    where one.tenant_id = v_tenant and one.id > v_after and one.id < v_before
      and not exists (
        select from kith.emergency_requests as request
        where request.tenant_id = v_tenant and request.vault_id = one.vault_id and request.ended_at is null
          and one.at >= request.requested_at - interval '30 days'
      )
    order by one.id
    limit p_limit
    for update of one skip locked
  ), gone as (
    delete from kith.history as one
    using old
    where one.tenant_id = v_tenant and one.id = old.id and one.id > v_after and one.id < v_before
  )
  select count(*), (array_agg(old.id order by old.id desc))[1] into deleted, last_id from old;
end
$$;
comment on function internal.expire_history(kith.retention_passes, integer) is
  'Deletes a batch of a tenant''s old access history. Keeps what happened in a vault from 30 days before an open '
  'request for emergency access on. Returns how many, and the last one. For internal.advance_pass.';

create or replace function internal.expire_audit(
  p_pass kith.retention_passes, p_limit integer, out deleted integer, out last_id uuid
)
  language plpgsql
as $$
declare
  v_tenant integer := p_pass.tenant_id;
  v_after uuid := coalesce(p_pass.after_id, '00000000-0000-0000-0000-000000000000');
  v_before uuid := internal.first_uuid7(p_pass.until_at);
begin
  with old as materialized (
    select one.id
    from kith.audit as one
    where one.tenant_id = v_tenant and one.id > v_after and one.id < v_before
    order by one.id
    limit p_limit
    for update of one skip locked
  ), gone as (
    delete from kith.audit as one
    using old
    where one.tenant_id = v_tenant and one.id = old.id and one.id > v_after and one.id < v_before
  )
  select count(*), (array_agg(old.id order by old.id desc))[1] into deleted, last_id from old;
end
$$;
comment on function internal.expire_audit(kith.retention_passes, integer) is
  'Deletes a batch of a tenant''s old audit. Returns how many, and the last one. For internal.advance_pass.';

create or replace function internal.advance_pass(p_pass kith.retention_passes, p_limit integer, p_now timestamptz)
  returns integer
  language plpgsql
as $$
declare
  v_deleted integer;
  v_on date;
  v_id uuid;
begin
  case p_pass.kind
    when 'pings' then select * into v_deleted, v_on, v_id from internal.expire_pings(p_pass, p_limit);
    when 'check_ins' then select * into v_deleted, v_id from internal.expire_check_ins(p_pass, p_limit);
    when 'notifications' then select * into v_deleted, v_id from internal.expire_notifications(p_pass, p_limit);
    when 'deliveries' then select * into v_deleted, v_id from internal.expire_deliveries(p_pass, p_limit);
    when 'history' then select * into v_deleted, v_id from internal.expire_history(p_pass, p_limit);
    when 'audit' then select * into v_deleted, v_id from internal.expire_audit(p_pass, p_limit);
  end case;
  if p_pass.kind = 'pings' and v_deleted < p_limit then
    v_deleted := v_deleted + internal.expire_ping_runs(p_pass, p_limit - v_deleted);
  end if;
  update kith.retention_passes
  set after_on = coalesce(v_on, after_on), after_id = coalesce(v_id, after_id), deleted = deleted + v_deleted,
    finished_at = case when v_deleted < p_limit then p_now end,
    done_until_at = case when v_deleted < p_limit then until_at else done_until_at end
  where tenant_id = p_pass.tenant_id and kind = p_pass.kind;
  return v_deleted;
end
$$;
comment on function internal.advance_pass(kith.retention_passes, integer, timestamptz) is
  'Deletes at most p_limit old rows of a pass and moves its cursor. If there were fewer, the pass is finished. Returns '
  'how many rows it deleted. For worker.expire_rows.';
