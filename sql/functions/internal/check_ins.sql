create or replace function internal.complete_pings(
  p_check_in_id uuid, p_time_zone text, p_previous_at timestamptz, p_now timestamptz
) returns json
  language plpgsql
  security definer
  set search_path = ''
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_today date := internal.local_date(p_now, p_time_zone);
  -- No zone is further than 14 hours from UTC and no grace longer than 12: what may be open is of one of four dates.
  v_day date := (p_now at time zone 'UTC')::date;
  v_previous_at timestamptz := coalesce(p_previous_at, '-infinity');
  v_pings kith.pings[];
  v_cleared uuid[];
  v_older kith.pings[];
  v_answer json;
begin
  if v_tenant is null or v_user is null then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;

  with mine as materialized (
    select ping.ping_on, ping.connection_id, ping.status, ping.scheduled_at, ping.deadline_at
    from kith.pings as ping
    where ping.tenant_id = v_tenant and ping.ping_on in (v_day - 2, v_day - 1, v_day, v_day + 1) and ping.sender_id = v_user
      and case ping.status
        when 'due' then true
        when 'scheduled' then ping.scheduled_at <= p_now or ping.ping_on = v_today
        when 'missed' then ping.deadline_at > least(v_previous_at, p_now)
        else false
      end
    order by ping.ping_on, ping.connection_id
    for update
  ), judged as (
    select mine.ping_on, mine.connection_id, mine.status = 'missed' as was_missed,
      case
        when mine.scheduled_at > p_now then
          -- Today's, early: only where no ping had come up, not even one that is answered already. A second tap at 00:05
          -- is about the ping of 23:58, and must not silence the one of the night to come.
          case when not bool_or(mine.scheduled_at <= p_now and (mine.status <> 'missed' or mine.deadline_at > p_now)) over ()
            and not exists (
              select from kith.pings as answered
              where answered.tenant_id = v_tenant and answered.ping_on in (v_day - 2, v_day - 1, v_day, v_day + 1)
                and answered.sender_id = v_user and answered.status in ('completed', 'completed_late')
                and answered.scheduled_at <= p_now and answered.deadline_at > p_now
            )
            then 'completed' end
        when mine.deadline_at > p_now then 'completed'
        when mine.status <> 'missed' then 'completed_late'
        when mine.ping_on = max(mine.ping_on) filter (where mine.status = 'missed' and mine.deadline_at <= p_now)
          over (partition by mine.connection_id) then 'completed_late'
      end as outcome
    from mine
  ), changed as (
    update kith.pings as ping
    set status = judged.outcome, completed_at = p_now, check_in_id = p_check_in_id, remind_at = null
    from judged
    where judged.outcome is not null
      and ping.tenant_id = v_tenant and ping.ping_on in (v_day - 2, v_day - 1, v_day, v_day + 1)
      and ping.ping_on = judged.ping_on and ping.connection_id = judged.connection_id
    returning ping, judged.was_missed or judged.outcome = 'completed_late' as is_cleared
  )
  select array_agg(changed.ping), array_agg((changed.ping).id) filter (where changed.is_cleared)
  into v_pings, v_cleared
  from changed;

  -- Away for longer: the newest missed ping of each connection may be older than the four dates.
  if v_previous_at < v_day - 2 then
    with late as (
      select distinct on (ping.connection_id) ping.ping_on, ping.connection_id
      from kith.pings as ping
      where ping.tenant_id = v_tenant and ping.sender_id = v_user and ping.status = 'missed'
        and ping.deadline_at > v_previous_at and ping.ping_on < v_day - 2
        and ping.ping_on >= (v_previous_at at time zone 'UTC')::date - 2
        and ping.connection_id not in (
          select (newer).connection_id from unnest(v_pings) as newer where (newer).id = any (v_cleared)
        )
      order by ping.connection_id, ping.ping_on desc
    ), changed as (
      update kith.pings as ping
      set status = 'completed_late', completed_at = p_now, check_in_id = p_check_in_id
      from late
      where ping.tenant_id = v_tenant and ping.ping_on = late.ping_on and ping.connection_id = late.connection_id
        and ping.status = 'missed'
      returning ping
    )
    select array_agg(changed.ping), v_cleared || array_agg((changed.ping).id)
    into v_older, v_cleared
    from changed;
    v_pings := v_older || v_pings;
  end if;

  with done as (
    select (ping).*, ping as whole from unnest(v_pings) as ping
  ), told as (
    -- Each receiver hears each word once, however many dates. A pending connection tells nobody (P29).
    insert into kith.notifications (tenant_id, id, user_id, type, title, body, data, created_at)
    select v_tenant, internal.uuid7(p_now), news.receiver_id, news.type, internal.notification_title(news.type),
      internal.notification_body(news.type, 'receiver', news.display_name),
      jsonb_build_object('connection_id', news.connection_id, 'ping_id', news.id, 'date', news.ping_on), p_now
    from (
      select distinct on (done.connection_id, kind.type) done.connection_id, done.id, done.ping_on, connection.receiver_id,
        sender.display_name, kind.type
      from done
      cross join lateral (
        select case when done.id = any (v_cleared) then 'ping_all_clear' else 'ping_completed' end as type
      ) as kind
      join kith.connections as connection
        on connection.tenant_id = v_tenant and connection.id = done.connection_id and connection.status = 'active'
      join kith.users as sender on sender.tenant_id = v_tenant and sender.id = v_user
      order by done.connection_id, kind.type, done.ping_on desc
    ) as news
  )
  select json_build_object(
    'completed', count(*) filter (where done.status = 'completed'),
    'late', count(*) filter (where done.status = 'completed_late'),
    'pings', coalesce(json_agg(internal.ping_json(done.whole) order by done.ping_on, done.connection_id), '[]')
  )
  into v_answer
  from done;
  return v_answer;
end
$$;
comment on function internal.complete_pings(uuid, text, timestamptz, timestamptz) is
  'What a check-in does to the sender''s pings, and the word to their receivers; p_previous_at is the check-in before it. The sender''s profile must be locked by the caller, so that two check-ins come one after the other. Definer: only a cause may write a notification, and its recipients follow from the pings.';
revoke all on function internal.complete_pings(uuid, text, timestamptz, timestamptz) from public;
grant execute on function internal.complete_pings(uuid, text, timestamptz, timestamptz) to kith_api;
