create or replace function worker.announce_due_pings(p_now timestamptz, p_batch integer) returns integer
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
  v_until_at timestamptz;
  v_until_tenant integer;
  v_until_sender uuid;
  v_changed integer;
begin
  if not pg_try_advisory_xact_lock(hashtext('worker.announce_due_pings')) then
    return 0;
  end if;

  -- Handle all pings of a sender together: the batch ends after the last ping that its last sender has at that instant.
  select ping.scheduled_at, ping.tenant_id, ping.sender_id into v_until_at, v_until_tenant, v_until_sender
  from kith.pings as ping
  where ping.status = 'scheduled' and ping.scheduled_at <= p_now
  order by ping.scheduled_at, ping.tenant_id, ping.sender_id
  offset p_batch - 1 limit 1;
  if not found then
    v_until_at := p_now;
    v_until_tenant := 2147483647;
    v_until_sender := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  end if;

  with claimed as materialized (
    -- A locked ping is being answered, cancelled or moved. The next call handles it if it is still scheduled.
    select ping.tenant_id, ping.ping_on, ping.connection_id, ping.id, ping.sender_id, ping.receiver_id, ping.scheduled_at,
      ping.deadline_at
    from kith.pings as ping
    where ping.status = 'scheduled'
      and (ping.scheduled_at, ping.tenant_id, ping.sender_id) <= (v_until_at, v_until_tenant, v_until_sender)
    for update skip locked
  ), judged as materialized (
    -- A pause or removal that races with generation leaves behind a ping that nobody waits for. It is cancelled.
    select claimed.*, connection.status = 'active' as is_told, connection.status <> 'pending' as is_shared,
      connection.status in ('active', 'pending') and claimed.tenant_id <> all (v_deleted) as is_live,
      -- A check-in after the scheduled time that found no ping to answer, because the worker was late or the connection is newer.
      case
        when sender.last_check_in_at >= claimed.scheduled_at and sender.last_check_in_at < claimed.deadline_at
          and connection.status in ('active', 'pending') and claimed.tenant_id <> all (v_deleted)
          then sender.last_check_in_at
      end as answered_at
    from claimed
    join kith.connections as connection on connection.tenant_id = claimed.tenant_id and connection.id = claimed.connection_id
    join kith.sender_profiles as sender on sender.tenant_id = claimed.tenant_id and sender.user_id = claimed.sender_id
  ), changed as (
    -- The ping becomes due even if its deadline has passed, so that miss_pings can judge it, but then there is no reminder.
    update kith.pings as ping
    set status = case when judged.answered_at is not null then 'completed' when judged.is_live then 'due' else 'cancelled' end,
      remind_at = case when judged.is_live and judged.answered_at is null and judged.deadline_at > p_now then ping.remind_at end,
      completed_at = judged.answered_at,
      check_in_id = case
        when judged.answered_at is not null then (
          select check_in.id
          from kith.check_ins as check_in
          where check_in.tenant_id = judged.tenant_id and check_in.user_id = judged.sender_id
            and check_in.received_at = judged.answered_at
          order by check_in.id
          limit 1
        )
      end
    from judged
    where ping.tenant_id = judged.tenant_id and ping.ping_on = judged.ping_on and ping.connection_id = judged.connection_id
    returning 1
  ), told as (
    insert into kith.notifications (tenant_id, id, user_id, type, title, body, data, created_at, deliver_at)
    select news.tenant_id, internal.uuid7(p_now), news.sender_id, 'ping_due', internal.notification_title('ping_due'),
      internal.notification_body('ping_due', 'sender', null),
      jsonb_build_object('connection_id', news.connection_id, 'ping_id', news.id, 'date', news.ping_on), p_now,
      news.scheduled_at + internal.place_in_minute(news.sender_id)
    from (
      select distinct on (judged.tenant_id, judged.sender_id, judged.ping_on) judged.*
      from judged
      where judged.is_live and judged.is_told and judged.answered_at is null and judged.deadline_at > p_now
      order by judged.tenant_id, judged.sender_id, judged.ping_on, judged.connection_id
    ) as news
    -- A ping that was locked in the last call now comes alone, and its sender has been told. A due sibling does not prove that by
    -- itself, because one that P13 made due told nobody. Hence both conditions.
    where not (
      exists (
        select from kith.pings as sibling
        where sibling.tenant_id = news.tenant_id and sibling.ping_on = news.ping_on and sibling.sender_id = news.sender_id
          and sibling.status = 'due'
      )
      and internal.was_told(news.tenant_id, news.sender_id, 'ping_due', news.ping_on, news.scheduled_at)
    )
    union all
    select judged.tenant_id, internal.uuid7(p_now), judged.receiver_id, 'ping_completed',
      internal.notification_title('ping_completed'),
      internal.notification_body('ping_completed', 'receiver', sender.display_name),
      jsonb_build_object('connection_id', judged.connection_id, 'ping_id', judged.id, 'date', judged.ping_on), p_now, null
    from judged
    join kith.users as sender on sender.tenant_id = judged.tenant_id and sender.id = judged.sender_id
    where judged.answered_at is not null and judged.is_told
  ), shown as (
    insert into kith.events (tenant_id, id, user_id, type, subject_id, parent_id, ping_on)
    select judged.tenant_id, internal.uuid7(p_now), side.user_id, 'ping', judged.id, judged.connection_id, judged.ping_on
    from judged
    cross join lateral (
      values (judged.sender_id), (case when judged.is_shared then judged.receiver_id end)
    ) as side (user_id)
    where side.user_id is not null
  )
  select count(*) into v_changed from changed;
  return v_changed;
end
$$;
comment on function worker.announce_due_pings(timestamptz, integer) is
  'Makes pings due when their scheduled time has come, and tells each sender once for a date, with delivery spread over the following minute. A ping that a check-in has already answered is completed instead. Pending connections tell nobody (P29). Handles all pings of a sender together, at least p_batch pings if there are so many, in one worker at a time. Returns how many pings it changed. Security definer, because no role may write notifications except together with their cause.';
revoke all on function worker.announce_due_pings(timestamptz, integer) from public;
grant execute on function worker.announce_due_pings(timestamptz, integer) to kith_worker;
