-- Records when Kith itself was unavailable. A component is down when the newest heartbeat of all its instances is older
-- than a minute. If there has never been a heartbeat (in a test, or with `--once`), no outage is assumed.

create or replace function internal.outages_of(p_tenant_id integer)
  returns table (component text, began_at timestamptz, ended_at timestamptz)
  language sql
  stable
as $$
  select outage.component, greatest(outage.began_at, came.at), outage.ended_at
  from kith.outages as outage
  left join (select moved.came_at as at from kith.moving_tenants as moved where moved.tenant_id = p_tenant_id) as came
    on true
  where outage.ended_at is null or coalesce(outage.ended_at > came.at, true)
$$;
comment on function internal.outages_of(integer) is
  'The outages of Kith that concerned a tenant: those of this database since the tenant came (decision 51). Those of '
  'the cell from which it came are among its suspensions. Returns a table, which the planner can inline.';

create or replace function internal.clock_ahead(p_now timestamptz) returns integer
  language sql
  volatile
  parallel safe
as $$
  select greatest(least(extract(epoch from p_now - clock_timestamp()) * 1000, 1000000000), -1000000000)::integer
$$;
comment on function internal.clock_ahead(timestamptz) is
  'By how many milliseconds a server''s or worker''s clock is ahead of the database''s, less the time that the call '
  'took.';

create or replace function internal.beat_instant(p_now timestamptz) returns timestamptz
  language sql
  volatile
  parallel safe
as $$
  select case when to_regclass('internal.development') is null then clock_timestamp() else p_now end
$$;
comment on function internal.beat_instant(timestamptz) is
  'When a heartbeat with the instant p_now arrived: by the database''s clock, because one machine whose clock is '
  'behind would be an outage that never ends. In a development database it is p_now.';

create or replace function internal.record_stop(p_component text, p_instance text, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  update kith.heartbeats set stopped_at = greatest(p_now, beat_at)
  where component = p_component and instance = p_instance;
end
$$;
comment on function internal.record_stop(text, text, timestamptz) is
  'Records that a process has ended by itself. Its last heartbeat stays: an outage begins then if no other process '
  'runs.';

create or replace function internal.tell_senders_after_outage(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- As in the worker's loops: access by key is always the right plan here.
  set plan_cache_mode = 'force_generic_plan'
  set jit = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_material = off
  set enable_seqscan = off
as $$
declare
  v_outage kith.outages;
  v_until kith.outages;
begin
  -- Outages that ended long ago: no ping waits for them any more.
  update kith.outages
  set sender_told_at = p_now
  where sender_told_at is null and ended_at <= p_now - interval '15 minutes';

  select * into v_outage
  from kith.outages
  where ended_at is not null and sender_told_at is null
  -- One of the workers first: it gives more time, of which the sender is told once.
  order by component desc, began_at
  limit 1
  for update;
  if not found then
    return 0;
  end if;
  -- Pings whose time came during the outage must be announced first, or this batch would miss them.
  if exists (
    select from kith.pings as ping
    where ping.status = 'scheduled' and ping.scheduled_at <= p_now
      and not exists (select from internal.shut_out('announce_due_pings', ping.tenant_id, ping.id::text, p_now))
  ) then
    return null;
  end if;

  v_until := internal.next_of_outage(v_outage, p_batch, p_now);
  perform internal.work_off(
    'miss_pings.ask', internal.waiting_pings(v_outage, v_until), v_outage.component || ' ' || v_outage.ended_at, p_now,
    'internal.ask_after_outage($1, $2, $3)'
  );
  update kith.outages
  set told_deadline_at = v_until.told_deadline_at, told_tenant_id = v_until.told_tenant_id,
    told_sender_id = v_until.told_sender_id, sender_told_at = v_until.sender_told_at
  where component = v_outage.component and began_at = v_outage.began_at;
  return case
    when exists (select from kith.outages where ended_at is not null and sender_told_at is null) then 1
    else 0
  end;
end
$$;
comment on function internal.tell_senders_after_outage(timestamptz, integer) is
  'Sends one batch of reminders after an outage, to the senders whose pings wait because of it. Each states the '
  'minutes until the deadline or, if that has passed, until the receivers are told. Returns 1 if there is more to do, '
  '0 if everybody has been told, and null if pings whose time has come must be announced first. Definer: only definer '
  'procedures write notifications.';

create or replace function internal.next_of_outage(p_outage kith.outages, p_batch integer, p_now timestamptz)
  returns kith.outages
  language plpgsql
  stable
as $$
declare
  v_until kith.outages := p_outage;
begin
  -- The last sender of the batch. A batch never splits a sender within one deadline.
  select case when ping.judge_at is null then ping.deadline_at else ping.judge_at end, ping.tenant_id, ping.sender_id
  into v_until.told_deadline_at, v_until.told_tenant_id, v_until.told_sender_id
  from kith.pings as ping
  where ping.status = 'due'
    and case
      when ping.judge_at is null then ping.deadline_at
      else ping.judge_at
    end < p_outage.ended_at + interval '15 minutes'
    and (
      case when ping.judge_at is null then ping.deadline_at else ping.judge_at end, ping.tenant_id, ping.sender_id
    ) > (
      coalesce(p_outage.told_deadline_at, p_outage.began_at), coalesce(p_outage.told_tenant_id, 2147483647),
      coalesce(p_outage.told_sender_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    )
  order by case when ping.judge_at is null then ping.deadline_at else ping.judge_at end, ping.tenant_id, ping.sender_id
  offset p_batch - 1 limit 1;
  if not found then
    -- Take all that is left before that instant: no tenant has an id below 0, so no ping with that very deadline is
    -- included.
    v_until.told_deadline_at := p_outage.ended_at + interval '15 minutes';
    v_until.told_tenant_id := -1;
    v_until.told_sender_id := '00000000-0000-0000-0000-000000000000';
    v_until.sender_told_at := p_now;
  end if;
  return v_until;
end
$$;
comment on function internal.next_of_outage(kith.outages, integer, timestamptz) is
  'The outage as it is after the next batch: with the last sender told, or with sender_told_at if the batch is the '
  'last one.';

create or replace function internal.waiting_pings(p_outage kith.outages, p_until kith.outages) returns kith.pings[]
  language plpgsql
  stable
as $$
declare
  v_deleted integer[] := internal.deleted_tenants();
begin
  return array(
    select ping
    from kith.pings as ping
    join kith.connections as connection
      on connection.tenant_id = ping.tenant_id and connection.id = ping.connection_id and connection.status = 'active'
    where ping.status = 'due' and ping.tenant_id <> all (v_deleted)
      -- Nobody is asked for a window that had ended when the connection began.
      and (ping.asked_at is not null or connection.activated_at < ping.deadline_at)
      and (
        case when ping.judge_at is null then ping.deadline_at else ping.judge_at end, ping.tenant_id, ping.sender_id
      ) > (
        coalesce(p_outage.told_deadline_at, p_outage.began_at), coalesce(p_outage.told_tenant_id, 2147483647),
        coalesce(p_outage.told_sender_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      )
      and (case when ping.judge_at is null then ping.deadline_at else ping.judge_at end, ping.tenant_id, ping.sender_id)
        <= (p_until.told_deadline_at, p_until.told_tenant_id, p_until.told_sender_id)
  );
end
$$;
comment on function internal.waiting_pings(kith.outages, kith.outages) is
  'The pings between p_outage and p_until that wait because of the outage. For internal.tell_senders_after_outage.';

create or replace function internal.ask_after_outage(p_pings kith.pings[], p_outage text, p_now timestamptz)
  returns integer
  language plpgsql
as $$
declare
  v_is_of_workers boolean := split_part(p_outage, ' ', 1) = 'worker';
  v_ended_at timestamptz := substr(p_outage, strpos(p_outage, ' ') + 1)::timestamptz;
  v_calls kith.pings[];
begin
  with asked as (
    -- This notification replaces the reminder that would follow at once. What has passed while the workers were away is
    -- asked anew, with the full grace.
    update kith.pings as ping
    set remind_at = case when waiting.remind_at > p_now then ping.remind_at end,
      asked_at = p_now,
      judge_at = case
        when v_is_of_workers and case when ping.judge_at is null then ping.deadline_at else ping.judge_at end <= p_now
          then greatest(p_now + (ping.deadline_at - ping.scheduled_at), v_ended_at + interval '15 minutes')
        else ping.judge_at
      end
    from unnest(p_pings) as waiting
    where ping.tenant_id = waiting.tenant_id and ping.ping_on = waiting.ping_on
      and ping.connection_id = waiting.connection_id
      -- The sender too (sql/README.md).
      and ping.sender_id = waiting.sender_id
      and ping.status = 'due'
    returning ping as held
  )
  select array_agg(call.held) into v_calls
  from (
    select distinct on ((asked.held).tenant_id, (asked.held).sender_id, (asked.held).ping_on) held
    from asked
    order by (asked.held).tenant_id, (asked.held).sender_id, (asked.held).ping_on, (asked.held).connection_id
  ) as call
  where not internal.was_told(
    (call.held).tenant_id, (call.held).sender_id, 'ping_reminder', (call.held).ping_on, v_ended_at
  );
  perform internal.tell_of_pings('ping_reminder', 'sender', v_calls, p_now, v_ended_at + interval '15 minutes');
  return coalesce(cardinality(v_calls), 0);
end
$$;
comment on function internal.ask_after_outage(kith.pings[], text, timestamptz) is
  'Asks the senders of pings that wait because of an outage, once for a date, unless they have been reminded since, '
  'and cancels the pings'' own reminders. What passed while the workers were away is judged after the full grace from '
  'now (X35). p_outage is the component and the end of the outage. Returns how many it told. For '
  'internal.tell_senders_after_outage.';

create or replace function internal.workers_away(p_now timestamptz) returns tstzrange
  language plpgsql
  stable
as $$
begin
  return coalesce(
    (
      select tstzrange(began_at, ended_at, '[]') from kith.outages
      where component = 'worker' and ended_at > p_now - interval '2 minutes' and ended_at <= p_now
      order by began_at desc
      limit 1
    ),
    'empty'
  );
end
$$;
comment on function internal.workers_away(timestamptz) is
  'When no worker ran, if that ended less than two minutes ago; otherwise empty. What waited then is just being sent.';
