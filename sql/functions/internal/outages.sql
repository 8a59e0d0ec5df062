-- When Kith itself was away. A component is away when its newest sign of life, of whatever instance, is older than a minute.
-- With no sign of life at all (a test, `--once`) nothing is known and nothing is assumed.

create or replace function internal.record_beat(p_component text, p_instance text, p_started_at timestamptz, p_now timestamptz)
  returns void
  language plpgsql
as $$
declare
  v_last timestamptz;
begin
  select max(beat_at) into v_last from kith.heartbeats where component = p_component;

  insert into kith.heartbeats as heartbeat (component, instance, started_at, beat_at)
  values (p_component, p_instance, p_started_at, p_now)
  on conflict (component, instance) do update
  set started_at = excluded.started_at, beat_at = greatest(heartbeat.beat_at, excluded.beat_at);

  update kith.outages set ended_at = p_now where component = p_component and ended_at is null and began_at < p_now;
  if not found and v_last < p_now - interval '60 seconds' then
    insert into kith.outages (component, began_at, ended_at)
    values (p_component, v_last, p_now)
    on conflict do nothing;
  end if;

  delete from kith.heartbeats
  where component = p_component and instance <> p_instance and beat_at < p_now - interval '1 day';
end
$$;
comment on function internal.record_beat(text, text, timestamptz, timestamptz) is
  'A sign of life of one process; the first one after a minute without any records the outage, or ends the one that was seen.';
revoke all on function internal.record_beat(text, text, timestamptz, timestamptz) from public;
grant execute on function internal.record_beat(text, text, timestamptz, timestamptz) to kith_worker;

create or replace function internal.tell_senders_after_outage(p_now timestamptz) returns void
  language plpgsql
  security definer
  set search_path = ''
  -- As in the worker's loops: by key is always right here.
  set plan_cache_mode = 'force_generic_plan'
  set jit = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_seqscan = off
as $$
declare
  v_deleted integer[] := array(select tenant_id from kith.tenants where deleted_at is not null);
  v_outage record;
begin
  for v_outage in
    update kith.outages
    set sender_told_at = p_now
    where ended_at is not null and sender_told_at is null
    returning component, began_at, ended_at
  loop
    continue when v_outage.ended_at <= p_now - interval '15 minutes';
    with waiting as materialized (
      select ping.tenant_id, ping.ping_on, ping.connection_id, ping.id, ping.sender_id, ping.remind_at,
        case when ping.deadline_at > p_now then ping.deadline_at else v_outage.ended_at + interval '15 minutes' end as until_at
      from kith.pings as ping
      join kith.connections as connection
        on connection.tenant_id = ping.tenant_id and connection.id = ping.connection_id
        and connection.status in ('active', 'pending')
      where ping.status = 'due' and ping.tenant_id <> all (v_deleted) and ping.deadline_at > v_outage.began_at
        and ping.deadline_at < v_outage.ended_at + interval '15 minutes'
      for update of ping skip locked
    ), reminded as (
      -- The reminder that would follow at once is this one.
      update kith.pings as ping
      set remind_at = null
      from waiting
      where ping.tenant_id = waiting.tenant_id and ping.ping_on = waiting.ping_on and ping.connection_id = waiting.connection_id
        and waiting.remind_at <= p_now
    )
    insert into kith.notifications (tenant_id, id, user_id, type, title, body, data, created_at)
    select news.tenant_id, internal.uuid7(p_now), news.sender_id, 'ping_reminder', internal.notification_title('ping_reminder'),
      internal.notification_body(
        'ping_reminder', 'sender', null, ceil(extract(epoch from news.until_at - p_now) / 60)::integer::text
      ),
      jsonb_build_object('connection_id', news.connection_id, 'ping_id', news.id, 'date', news.ping_on), p_now
    from (
      select distinct on (waiting.tenant_id, waiting.sender_id, waiting.ping_on) waiting.*
      from waiting
      order by waiting.tenant_id, waiting.sender_id, waiting.ping_on, waiting.connection_id
    ) as news
    where not internal.was_told(news.tenant_id, news.sender_id, 'ping_reminder', news.ping_on, v_outage.ended_at);
  end loop;
end
$$;
comment on function internal.tell_senders_after_outage(timestamptz) is
  'Once for each outage that ended: reminds the senders whose pings wait because of it, with the minutes that are left until the deadline or, where that passed, until their receivers are told. Definer: notifications are written with their cause and by nobody else.';
revoke all on function internal.tell_senders_after_outage(timestamptz) from public;
