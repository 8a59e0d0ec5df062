create or replace function worker.miss_pings(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- A batch is small compared with the table, which the planner cannot know. Access by key is always right here, and one plan is kept.
  set plan_cache_mode = 'force_generic_plan'
  set jit = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_seqscan = off
as $$
declare
  v_deleted integer[] := array(select tenant_id from kith.tenants where deleted_at is not null);
  v_judged_until timestamptz;
  v_until_at timestamptz;
  v_until_tenant integer;
  v_until_sender uuid;
  v_changed integer;
begin
  if not pg_try_advisory_xact_lock(hashtext('worker.miss_pings')) then
    return 0;
  end if;

  -- Nobody can check in during an outage, so judge nothing. After an outage, senders are told before their receivers. watch_server
  -- detects outages; it is not called here, because a worker with a simulated clock must not mistake that for an outage.
  if exists (select from kith.outages where ended_at is null) then
    return 0;
  end if;
  v_changed := internal.tell_senders_after_outage(p_now, p_batch);
  if v_changed is distinct from 0 then
    return coalesce(v_changed, 0);
  end if;

  -- An outage is recorded only after a minute of silence. Until then, judge no deadline later than the last heartbeat of a server.
  -- Where no server sends heartbeats (in tests or with a simulated clock) there is no such limit.
  select least(p_now - interval '10 seconds', max(beat_at)) into v_judged_until
  from kith.heartbeats
  where component = 'server' and beat_at > p_now - interval '2 minutes' and beat_at < p_now + interval '2 minutes';
  -- Deadlines after the beginning of an outage wait until 15 minutes after its end.
  select least(v_judged_until, min(began_at)) into v_judged_until
  from kith.outages
  where ended_at > p_now - interval '15 minutes';

  select ping.deadline_at, ping.tenant_id, ping.sender_id into v_until_at, v_until_tenant, v_until_sender
  from kith.pings as ping
  where ping.status = 'due' and ping.deadline_at <= v_judged_until
  order by ping.deadline_at, ping.tenant_id, ping.sender_id
  offset p_batch - 1 limit 1;
  if not found then
    v_until_at := v_judged_until;
    v_until_tenant := 2147483647;
    v_until_sender := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  end if;

  with claimed as materialized (
    select ping.tenant_id, ping.ping_on, ping.connection_id, ping.id, ping.sender_id, ping.receiver_id, ping.deadline_at
    from kith.pings as ping
    where ping.status = 'due'
      and (ping.deadline_at, ping.tenant_id, ping.sender_id) <= (v_until_at, v_until_tenant, v_until_sender)
    for update skip locked
  ), judged as materialized (
    -- A pause or removal that races with generation leaves behind a ping that nobody waits for. It is cancelled.
    select claimed.*, connection.status,
      connection.status in ('active', 'pending') and claimed.tenant_id <> all (v_deleted) as is_live
    from claimed
    join kith.connections as connection on connection.tenant_id = claimed.tenant_id and connection.id = claimed.connection_id
  ), changed as (
    update kith.pings as ping
    set status = case when judged.is_live then 'missed' else 'cancelled' end, remind_at = null
    from judged
    where ping.tenant_id = judged.tenant_id and ping.ping_on = judged.ping_on and ping.connection_id = judged.connection_id
    returning 1
  ), news as (
    select distinct on (judged.tenant_id, judged.sender_id, judged.ping_on) 'sender' as to_role, judged.sender_id as user_id,
      judged.*
    from judged
    where judged.is_live and judged.status = 'active'
      and not (
        exists (
          select from kith.pings as sibling
          where sibling.tenant_id = judged.tenant_id and sibling.ping_on = judged.ping_on and sibling.sender_id = judged.sender_id
            and sibling.status = 'missed'
        )
        and internal.was_told(judged.tenant_id, judged.sender_id, 'ping_missed', judged.ping_on, judged.deadline_at)
      )
    order by judged.tenant_id, judged.sender_id, judged.ping_on, judged.connection_id
  ), told as (
    insert into kith.notifications (tenant_id, id, user_id, type, title, body, data, created_at)
    -- The id of the sender's notification is a millisecond older than those of the receivers, so it is delivered first.
    select news.tenant_id, internal.uuid7(p_now), news.sender_id, 'ping_missed', internal.notification_title('ping_missed'),
      internal.notification_body('ping_missed', 'sender', null),
      jsonb_build_object('connection_id', news.connection_id, 'ping_id', news.id, 'date', news.ping_on), p_now
    from news
    union all
    select judged.tenant_id, internal.uuid7(p_now + interval '1 millisecond'), judged.receiver_id, 'ping_missed',
      internal.notification_title('ping_missed'),
      internal.notification_body('ping_missed', 'receiver', sender.display_name),
      jsonb_build_object('connection_id', judged.connection_id, 'ping_id', judged.id, 'date', judged.ping_on), p_now
    from judged
    join kith.users as sender on sender.tenant_id = judged.tenant_id and sender.id = judged.sender_id
    where judged.is_live and judged.status = 'active'
  ), shown as (
    insert into kith.events (tenant_id, id, user_id, type, subject_id, parent_id, ping_on)
    select judged.tenant_id, internal.uuid7(p_now), side.user_id, 'ping', judged.id, judged.connection_id, judged.ping_on
    from judged
    cross join lateral (
      values (judged.sender_id), (case when judged.status <> 'pending' then judged.receiver_id end)
    ) as side (user_id)
    where side.user_id is not null
  )
  select count(*) into v_changed from changed;
  return v_changed;
end
$$;
comment on function worker.miss_pings(timestamptz, integer) is
  'Marks due pings as missed once their deadline is 10 seconds past, and tells the sender once for a date, then the receivers. Waits while Kith has an outage or its servers are silent. Deadlines that fall into an outage, or within 15 minutes after it, wait until those 15 minutes are over. Handles all pings of a sender together, in one worker at a time. Returns how many pings it changed. Security definer, because no role may write notifications except together with their cause.';
revoke all on function worker.miss_pings(timestamptz, integer) from public;
grant execute on function worker.miss_pings(timestamptz, integer) to kith_worker;
