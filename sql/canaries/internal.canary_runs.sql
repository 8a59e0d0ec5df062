-- The runs of canaries: each begins at the time of its ping, whether the ping is there or not, reads its legs from what
-- the chain writes, and ends its alarm.

create or replace function internal.canaries_to_ask(p_now timestamptz, p_batch integer) returns kith.canaries[]
  language plpgsql
  stable
as $$
declare
  v_deleted integer[] := internal.deleted_tenants();
begin
  return array(
    select canary
    from kith.canaries as canary
    cross join lateral (
      select internal.canary_slot(canary.minute, canary.every_hours, p_now) as asks_at offset 0
    ) as slot
    where canary.tenant_id <> all (v_deleted)
      -- Another cell serves them, and writes are refused here.
      and not exists (
        select from kith.moving_tenants as moved
        where moved.tenant_id = canary.tenant_id and moved.state in ('gone', 'arriving')
      )
      and not exists (select from internal.shut_out('walk_canaries', canary.tenant_id, canary.id::text, p_now))
      and exists (
        select from kith.canary_channels as watched
        where watched.tenant_id = canary.tenant_id and watched.canary_id = canary.id
          and watched.watched_from <= slot.asks_at
      ) and not exists (
        select from kith.canary_runs as run
        where run.tenant_id = canary.tenant_id and run.canary_id = canary.id and run.asks_at = slot.asks_at
      )
    order by canary.tenant_id, canary.id
    limit p_batch
  );
end
$$;
comment on function internal.canaries_to_ask(timestamptz, integer) is
  'The canaries whose newest run has no row yet. Runs that passed while no worker was there get none: how long the '
  'canary is overdue tells of them (internal.canary_states).';

create or replace function internal.begin_canary_runs(p_canaries kith.canaries[], p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_begun integer;
begin
  with begun as (
    insert into kith.canary_runs (tenant_id, canary_id, asks_at, sender_id, deadline_at, dies_at)
    select canary.tenant_id, canary.id, slot.asks_at, sender.user_id, slot.asks_at + internal.canary_grace(),
      slot.asks_at + internal.canary_grace() + make_interval(mins => canary.within_minutes)
    from unnest(p_canaries) as canary
    cross join lateral (
      select internal.canary_slot(canary.minute, canary.every_hours, p_now) as asks_at offset 0
    ) as slot
    join kith.canary_people as sender
      on sender.tenant_id = canary.tenant_id and sender.canary_id = canary.id
        and sender.asked_at = (slot.asks_at at time zone 'UTC')::time
    on conflict do nothing
    returning tenant_id, canary_id, asks_at
  )
  insert into kith.canary_arrivals (tenant_id, canary_id, asks_at, channel, needs_heard)
  select begun.tenant_id, begun.canary_id, begun.asks_at, watched.channel, watched.needs_heard
  from begun
  join kith.canary_channels as watched
    on watched.tenant_id = begun.tenant_id and watched.canary_id = begun.canary_id
      and watched.watched_from <= begun.asks_at;
  get diagnostics v_begun = row_count;
  return v_begun;
end
$$;
comment on function internal.begin_canary_runs(kith.canaries[], timestamptz) is
  'Begins the newest run of each of the given canaries, on the channels that were watched by then. Returns how many '
  'arrivals are awaited.';

create or replace function internal.read_canary_chain(p_run kith.canary_runs, p_receiver uuid) returns kith.canary_runs
  language plpgsql
  stable
as $$
declare
  v_on date := (p_run.asks_at at time zone 'UTC')::date;
  v_ping kith.pings;
  v_alarm kith.alarms;
begin
  select ping.* into v_ping
  from kith.connections as connection
  join kith.pings as ping
    on ping.tenant_id = p_run.tenant_id and ping.ping_on = v_on and ping.connection_id = connection.id
      and ping.sender_id = p_run.sender_id
  where connection.tenant_id = p_run.tenant_id and connection.sender_id = p_run.sender_id
    and connection.receiver_id = p_receiver;
  if found then
    p_run.made_at := to_timestamp(internal.uuid7_ms(v_ping.id) / 1000.0);
    -- After an outage it is asked again.
    p_run.asked_at := coalesce(p_run.asked_at, v_ping.asked_at);
    p_run.missed_at := case when v_ping.status = 'missed' then v_ping.alarmed_at end;
  end if;
  select alarm.* into v_alarm
  from kith.alarms as alarm
  where alarm.tenant_id = p_run.tenant_id and alarm.sender_id = p_run.sender_id
    and alarm.id >= internal.first_uuid7(p_run.asks_at) and alarm.kind = 'missed'
  order by alarm.id
  limit 1;
  p_run.alarm_id := v_alarm.id;
  p_run.alarm_at := v_alarm.opened_at;
  return p_run;
end
$$;
comment on function internal.read_canary_chain(kith.canary_runs, uuid) is
  'The run with the instants of its ping and its alarm, as far as they have come. Writes nothing.';

create or replace function internal.seen_deliveries(p_run kith.canary_runs, p_receiver uuid)
  returns table (
    channel text, planned_at timestamptz, sent_at timestamptz, taken_at timestamptz, heard_at timestamptz, error text
  )
  language sql
  stable
as $$
  select way.channel, min(delivery.created_at),
    min(least(
      (delivery.failures -> 0 ->> 'at')::timestamptz, delivery.sent_at,
      case
        when delivery.status = 'sending' and delivery.attempts <= 1 then delivery.leased_until - interval '1 minute'
      end
    )),
    min(delivery.sent_at) filter (where delivery.status = 'sent'),
    (
      select answer.at from kith.canary_answers as answer
      where answer.tenant_id = (p_run).tenant_id and answer.alarm_id = (p_run).alarm_id and answer.channel = way.channel
    ),
    left(max(delivery.error), 500)
  from kith.notifications as notification
  join kith.deliveries as delivery
    on delivery.tenant_id = (p_run).tenant_id and delivery.notification_id = notification.id
  cross join lateral (
    select case delivery.channel when 'apns' then 'push' when 'web_push' then 'push' when 'voice' then 'call'
      else delivery.channel end as channel
  ) as way
  where notification.tenant_id = (p_run).tenant_id and notification.user_id = p_receiver
    and notification.data ? 'alarm_id'
    and notification.data ->> 'alarm_id' = (p_run).alarm_id::text and notification.type = 'ping_missed'
    and notification.id >= internal.first_uuid7((p_run).asks_at)
  group by way.channel
$$;
comment on function internal.seen_deliveries(kith.canary_runs, uuid) is
  'How far the message of a run''s alarm has come on each channel that leads through deliveries. Returns a table, '
  'which the planner can inline.';

create or replace function internal.seen_endpoint(p_run kith.canary_runs, p_receiver uuid)
  returns table (
    channel text, planned_at timestamptz, sent_at timestamptz, taken_at timestamptz, heard_at timestamptz, error text
  )
  language sql
  stable
as $$
  select 'webhook', notification.created_at::timestamptz,
    case
      when is_taken.by_it then endpoint.last_success_at
      when endpoint.leased_by is not null then endpoint.next_attempt_at - interval '1 minute'
      when endpoint.attempts > 0 then endpoint.updated_at
    end,
    case when is_taken.by_it then endpoint.last_success_at::timestamptz end,
      case when is_taken.by_it then endpoint.last_success_at::timestamptz end,
    left(endpoint.last_error, 500)
  from kith.notifications as notification
  join kith.canary_channels as watched
    on watched.tenant_id = (p_run).tenant_id and watched.canary_id = (p_run).canary_id and watched.channel = 'webhook'
  join kith.webhooks as endpoint on endpoint.tenant_id = watched.tenant_id and endpoint.id = watched.webhook_id
  cross join lateral (
    -- The position moves when a batch was accepted, or where there was none; the endpoint takes nothing else.
    select endpoint.last_success_at >= notification.created_at
      and (endpoint.taken_xid, endpoint.taken_id) >= (notification.xid, notification.id) as by_it
  ) as is_taken
  where notification.tenant_id = (p_run).tenant_id and notification.user_id = p_receiver
    and notification.data ? 'alarm_id'
    and notification.data ->> 'alarm_id' = (p_run).alarm_id::text and notification.type = 'ping_missed'
    and notification.id >= internal.first_uuid7((p_run).asks_at)
$$;
comment on function internal.seen_endpoint(kith.canary_runs, uuid) is
  'How far the notification of a run''s alarm has come to the canary''s endpoint, which has heard what it has '
  'accepted. As internal.seen_deliveries.';

create or replace function internal.read_canary_arrivals(p_run kith.canary_runs, p_receiver uuid, p_now timestamptz)
  returns integer
  language plpgsql
as $$
declare
  v_changed integer;
begin
  with seen as materialized (
    select * from internal.seen_deliveries(p_run, p_receiver) union all select *
    from internal.seen_endpoint(p_run, p_receiver)
  ), known as (
    select arrival.channel, arrival.needs_heard, coalesce(arrival.planned_at, seen.planned_at) as planned_at,
      coalesce(arrival.sent_at, seen.sent_at, seen.taken_at) as sent_at,
      coalesce(arrival.taken_at, seen.taken_at) as taken_at,
      coalesce(arrival.heard_at, seen.heard_at) as heard_at, coalesce(seen.error, arrival.error) as error
    from kith.canary_arrivals as arrival
    left join seen on seen.channel = arrival.channel
    where arrival.tenant_id = p_run.tenant_id and arrival.canary_id = p_run.canary_id
      and arrival.asks_at = p_run.asks_at and arrival.outcome is null
  ), judged as (
    select known.*, case
        when case when known.needs_heard then known.heard_at else known.taken_at end is not null then 'arrived'
        when p_now >= p_run.dies_at then 'died'
      end as outcome
    from known
  )
  update kith.canary_arrivals as arrival
  set planned_at = judged.planned_at, sent_at = judged.sent_at, taken_at = judged.taken_at, heard_at = judged.heard_at,
    error = judged.error, outcome = judged.outcome
  from judged
  where arrival.tenant_id = p_run.tenant_id and arrival.canary_id = p_run.canary_id and arrival.asks_at = p_run.asks_at
    and arrival.channel = judged.channel
    and (arrival.planned_at, arrival.sent_at, arrival.taken_at, arrival.heard_at, arrival.error, arrival.outcome)
      is distinct from (
        judged.planned_at, judged.sent_at, judged.taken_at, judged.heard_at, judged.error, judged.outcome
      );
  get diagnostics v_changed = row_count;
  return v_changed;
end
$$;
comment on function internal.read_canary_arrivals(kith.canary_runs, uuid, timestamptz) is
  'Notes how far a run has come on each channel: arrived, once it was heard, or taken where that is enough; died, at '
  'its time limit. Returns how many arrivals it changed.';

create or replace function internal.walk_canary_runs(p_runs kith.canary_runs[], p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_old kith.canary_runs;
  v_run kith.canary_runs;
  v_receiver uuid;
  v_changed integer := 0;
begin
  foreach v_old in array p_runs loop
    select receiver_id into v_receiver from kith.canaries where tenant_id = v_old.tenant_id and id = v_old.canary_id;
    v_run := internal.read_canary_chain(v_old, v_receiver);
    v_changed := v_changed + internal.read_canary_arrivals(v_run, v_receiver, p_now);
    if not exists (
      select from kith.canary_arrivals as arrival
      where arrival.tenant_id = v_run.tenant_id and arrival.canary_id = v_run.canary_id
        and arrival.asks_at = v_run.asks_at and arrival.outcome is null
    ) then
      v_run.ended_at := p_now;
    end if;
    if v_run is distinct from v_old then
      update kith.canary_runs as run
      set made_at = v_run.made_at, asked_at = v_run.asked_at, missed_at = v_run.missed_at, alarm_id = v_run.alarm_id,
        alarm_at = v_run.alarm_at, ended_at = v_run.ended_at
      where run.tenant_id = v_run.tenant_id and run.canary_id = v_run.canary_id and run.asks_at = v_run.asks_at;
      v_changed := v_changed + 1;
    end if;
  end loop;
  return v_changed;
end
$$;
comment on function internal.walk_canary_runs(kith.canary_runs[], timestamptz) is
  'Notes how far the given runs have come, and ends those that have arrived or died on every channel. Returns how many '
  'rows it changed.';

create or replace function internal.alarms_left_by_canaries(p_now timestamptz, p_batch integer) returns kith.alarms[]
  language plpgsql
  stable
as $$
begin
  return array(
    select alarm
    from kith.canary_people as hidden
    join kith.alarms as alarm
      on alarm.tenant_id = hidden.tenant_id and alarm.sender_id = hidden.user_id and alarm.resolved_at is null
        and alarm.kind <> 'drill'
    where hidden.asked_at is not null
      and not exists (
        select from kith.moving_tenants as moved
        where moved.tenant_id = hidden.tenant_id and moved.state in ('gone', 'arriving')
      )
      and not exists (select from internal.shut_out('walk_canaries', alarm.tenant_id, alarm.id::text, p_now))
      and not exists (
        select from kith.canary_runs as run
        where run.tenant_id = hidden.tenant_id and run.sender_id = hidden.user_id and run.ended_at is null
      )
    order by alarm.tenant_id, alarm.id
    limit p_batch
  );
end
$$;
comment on function internal.alarms_left_by_canaries(timestamptz, integer) is
  'The alarms of hidden senders that no run waits for: its own is over, or an outage has delayed the alarm beyond its '
  'run.';

create or replace function internal.end_canary_alarms(p_alarms kith.alarms[], p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_alarm kith.alarms;
  v_ended integer := 0;
begin
  foreach v_alarm in array p_alarms loop
    v_ended := v_ended + internal.end_canary_alarm(v_alarm.tenant_id, v_alarm.id, p_now);
  end loop;
  perform internal.leave_tenant();
  return v_ended;
end
$$;
comment on function internal.end_canary_alarms(
  kith.alarms[], timestamptz
) is 'Ends the given alarms of canaries (internal.end_canary_alarm). Returns how many.';

create or replace function internal.sweep_canaries(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
as $$
declare
  v_runs integer;
  v_answers integer;
begin
  delete from kith.canary_runs
  where (tenant_id, canary_id, asks_at) in (
    select old.tenant_id, old.canary_id, old.asks_at from kith.canary_runs as old
    where old.asks_at < p_now - interval '30 days'
      and not exists (
        select from kith.moving_tenants as moved
        where moved.tenant_id = old.tenant_id and moved.state in ('gone', 'arriving')
      )
    order by old.asks_at limit p_batch
  );
  get diagnostics v_runs = row_count;
  delete from kith.canary_answers
  where (tenant_id, alarm_id, channel) in (
    select old.tenant_id, old.alarm_id, old.channel from kith.canary_answers as old
    where old.at < p_now - interval '1 day'
      and not exists (
        select from kith.moving_tenants as moved
        where moved.tenant_id = old.tenant_id and moved.state in ('gone', 'arriving')
      )
    order by old.at limit p_batch
  );
  get diagnostics v_answers = row_count;
  return v_runs + v_answers;
end
$$;
comment on function internal.sweep_canaries(timestamptz, integer)
  is 'Deletes runs older than 30 days, with their arrivals, and answers older than a day. Returns how many.';
