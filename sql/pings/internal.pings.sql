-- What is common to all that is done with pings. internal.ping_decisions.sql decides what becomes of one.

create or replace function internal.telling(p_status text, p_is_read boolean, p_has_channel boolean) returns text
  language sql
  immutable
  parallel safe
as $$
  select case
    when p_status = 'sent' or p_is_read or not p_has_channel then 'told' when p_status = 'queued'
      then 'being_told' when p_status = 'failed' then 'not_reached'
  end
$$;
comment on function internal.telling(text, boolean, boolean) is
  'How the reader of a notification was told, by its delivery_status: told, if a channel has taken it, they have read '
  'it, or the tenant has no channel; being_told while no channel has taken it; not_reached if none will; null if it '
  'was not sent, because it was no longer so.';

create or replace function internal.telling_of_miss(
  p_tenant integer, p_receiver uuid, p_ping uuid, p_written_at timestamptz
)
  returns text
  language plpgsql
  stable
  parallel safe
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_telling text;
begin
  if p_tenant = kith.tenant_id() then
    select internal.telling(
      note.delivery_status, note.read_at is not null,
      exists (select from kith.channel_credentials where tenant_id = p_tenant)
    ) into v_telling
    from kith.notifications as note
    where note.tenant_id = p_tenant and note.user_id = p_receiver
      and note.id >= internal.first_uuid7(p_written_at - interval '1 minute')
      and note.id < internal.first_uuid7(p_written_at + interval '1 minute')
      and note.type = 'ping_missed' and note.data ->> 'ping_id' = p_ping::text
    order by note.id desc
    limit 1;
  end if;
  return coalesce(v_telling, 'told');
end
$$;
comment on function internal.telling_of_miss(integer, uuid, uuid, timestamptz) is
  'How a receiver was told (internal.telling) of a missed ping, of which a message was written at p_written_at; told '
  'if the message is kept no longer. Security definer, because a sender may not read the receiver''s notifications.';
grant execute on function internal.telling_of_miss(integer, uuid, uuid, timestamptz) to kith_api;

create or replace function internal.waits_until(p_deadline_at timestamptz, p_judge_at timestamptz) returns timestamptz
  language plpgsql
  stable
  parallel safe
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return greatest(
    p_judge_at,
    (
      select max(ended_at) + interval '15 minutes'
      from kith.outages
      where began_at < p_deadline_at and ended_at > p_deadline_at - interval '15 minutes'
    )
  );
end
$$;
comment on function internal.waits_until(timestamptz, timestamptz) is
  'Until when the judgement of a due ping waits beyond its deadline because Kith could not be reached or asked late '
  '(X35): judge_at, and the 15 minutes after an outage, as internal.judged_until counts them. Null if the deadline '
  'decides. Security definer, because kith_api may not read outages, which belong to the installation.';
grant execute on function internal.waits_until(timestamptz, timestamptz) to kith_api;

create or replace function internal.ping_json(p_ping kith.pings) returns json
  language sql
  stable
  parallel safe
as $$
  select json_build_object(
    'id', (p_ping).id,
    'connection_id', (p_ping).connection_id,
    'date', (p_ping).ping_on,
    'status', (p_ping).status,
    'scheduled_at', internal.instant((p_ping).scheduled_at),
    'deadline_at', internal.instant((p_ping).deadline_at),
    'judge_at', case
      when (p_ping).status = 'due' then internal.instant(internal.waits_until((p_ping).deadline_at, (p_ping).judge_at))
    end,
    'completed_at', internal.instant((p_ping).completed_at),
    'told_at', internal.instant((p_ping).alarmed_at),
    'telling', case
      when (p_ping).alarmed_at is not null and (p_ping).status = 'missed'
        then internal.telling_of_miss((p_ping).tenant_id, (p_ping).receiver_id, (p_ping).id, (p_ping).alarmed_at)
    end,
    'note', (p_ping).note
  )
$$;
comment on function internal.ping_json(kith.pings) is 'A ping in the API''s representation.';
grant execute on function internal.ping_json(kith.pings) to kith_api;

create or replace function internal.plan_run(p_time_zone text, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_today date := internal.local_date(p_now, p_time_zone);
begin
  if v_tenant is null then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
  insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at)
  values (v_tenant, p_time_zone, v_today, internal.midnight(v_today, p_time_zone))
  on conflict do nothing;
end
$$;
comment on function internal.plan_run(text, timestamptz) is
  'Starts the chain of daily runs for a time zone that a tenant uses for the first time. Each run plans the next when '
  'it finishes. For definer procedures.';

create or replace function internal.late_zones(p_now timestamptz) returns text[]
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return array(
    select distinct time_zone from kith.ping_runs
    where tenant_id = v_tenant and finished_at is null and starts_at <= p_now - interval '15 minutes'
    order by time_zone
  );
end
$$;
comment on function internal.late_zones(timestamptz) is
  'The time zones in which the pings of a day that began 15 minutes ago or earlier have not been made, because no '
  'worker runs, or it is late: a sender there without a ping is not one of whom nothing is expected (X39). One read of '
  'an index. Security definer, because kith_api may not read runs.';
grant execute on function internal.late_zones(timestamptz) to kith_api;

create or replace function internal.wait_for_generation(p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  -- Includes the runs of the coming minute, which may have begun by the time this transaction commits.
  perform from kith.ping_runs
  where finished_at is null and starts_at <= p_now + interval '1 minute' and tenant_id = v_tenant
  order by starts_at, tenant_id, time_zone, ping_on
  for share;
end
$$;
comment on function internal.wait_for_generation(timestamptz) is
  'Waits for the batch of the tenant''s pings that is being generated, and holds back the next batch until this '
  'transaction ends. A running batch uses the old connections and times. Wait until its pings exist, then change them.';

create or replace function internal.planned_pings(
  p_dates date[], p_time_zone text, p_ping_time time, p_grace_minutes integer, p_reminders jsonb, p_now timestamptz
) returns table (ping_on date, status text, scheduled_at timestamptz, remind_at timestamptz, deadline_at timestamptz)
  language plpgsql
  stable
as $$
begin
  foreach ping_on in array p_dates loop
    scheduled_at := internal.local_instant(ping_on, p_ping_time, p_time_zone);
    deadline_at := scheduled_at + make_interval(mins => p_grace_minutes);
    remind_at := internal.next_reminder_at(deadline_at, p_reminders, p_now);
    status := case when scheduled_at <= p_now then 'due' else 'scheduled' end;
    if deadline_at > p_now then
      return next;
    end if;
  end loop;
end
$$;
comment on function internal.planned_pings(date[], text, time, integer, jsonb, timestamptz) is
  'The times of a sender''s pings on the given dates, each with its initial status. p_reminders are '
  'internal.reminders. Leaves out dates whose deadline has passed.';
grant execute on function internal.planned_pings(date[], text, time, integer, jsonb, timestamptz) to kith_worker;

create or replace function internal.show_pings(p_connection_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_day date := (p_now at time zone 'UTC')::date;
begin
  perform internal.emit_pings(
    array(
      select ping from kith.pings as ping
      where ping.tenant_id = v_tenant and ping.ping_on in (v_day - 1, v_day, v_day + 1)
        and ping.connection_id = p_connection_id
        -- The sender too (sql/README.md).
        and ping.sender_id = (
          select sender_id from kith.connections where tenant_id = v_tenant and id = p_connection_id
        )
        and ping.status <> 'cancelled'
    ),
    p_now
  );
end
$$;
comment on function internal.show_pings(uuid, timestamptz) is
  'Emits an event for each ping of a connection near today, because the receiver has seen none while the connection '
  'was pending (P29). For api.consent_connection.';
