create or replace function worker.remind_senders(p_now timestamptz, p_batch integer) returns integer
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
  if not pg_try_advisory_xact_lock(hashtext('worker.remind_senders')) then
    return 0;
  end if;

  select ping.remind_at, ping.tenant_id, ping.sender_id into v_until_at, v_until_tenant, v_until_sender
  from kith.pings as ping
  where ping.status = 'due' and ping.remind_at is not null and ping.remind_at <= p_now
  order by ping.remind_at, ping.tenant_id, ping.sender_id
  offset p_batch - 1 limit 1;
  if not found then
    v_until_at := p_now;
    v_until_tenant := 2147483647;
    v_until_sender := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  end if;

  with claimed as materialized (
    select ping.tenant_id, ping.ping_on, ping.connection_id, ping.id, ping.sender_id, ping.remind_at, ping.deadline_at
    from kith.pings as ping
    where ping.status = 'due' and ping.remind_at is not null
      and (ping.remind_at, ping.tenant_id, ping.sender_id) <= (v_until_at, v_until_tenant, v_until_sender)
    for update skip locked
  ), changed as (
    update kith.pings as ping
    set remind_at = null
    from claimed
    where ping.tenant_id = claimed.tenant_id and ping.ping_on = claimed.ping_on and ping.connection_id = claimed.connection_id
    returning 1
  ), told as (
    insert into kith.notifications (tenant_id, id, user_id, type, title, body, data, created_at)
    select news.tenant_id, internal.uuid7(p_now), news.sender_id, 'ping_reminder', internal.notification_title('ping_reminder'),
      internal.notification_body(
        'ping_reminder', 'sender', null, ceil(extract(epoch from news.deadline_at - p_now) / 60)::integer::text
      ),
      jsonb_build_object('connection_id', news.connection_id, 'ping_id', news.id, 'date', news.ping_on), p_now
    from (
      select distinct on (claimed.tenant_id, claimed.sender_id, claimed.ping_on) claimed.*
      from claimed
      join kith.connections as connection
        on connection.tenant_id = claimed.tenant_id and connection.id = claimed.connection_id
        and connection.status = 'active'
      where claimed.deadline_at > p_now and claimed.tenant_id <> all (v_deleted)
      order by claimed.tenant_id, claimed.sender_id, claimed.ping_on, claimed.connection_id
    ) as news
    where not (
      exists (
        select from kith.pings as sibling
        where sibling.tenant_id = news.tenant_id and sibling.ping_on = news.ping_on and sibling.sender_id = news.sender_id
          and sibling.status = 'due' and sibling.remind_at is null
      )
      and internal.was_told(news.tenant_id, news.sender_id, 'ping_reminder', news.ping_on, news.remind_at)
    )
  )
  select count(*) into v_changed from changed;
  return v_changed;
end
$$;
comment on function worker.remind_senders(timestamptz, integer) is
  'Reminds the senders of due pings whose deadline is near, once for a date, with the minutes that are left. Pending connections remind nobody (P29). Handles all pings of a sender together, in one worker at a time. Returns how many pings it changed. Security definer, because no role may write notifications except together with their cause.';
revoke all on function worker.remind_senders(timestamptz, integer) from public;
grant execute on function worker.remind_senders(timestamptz, integer) to kith_worker;
