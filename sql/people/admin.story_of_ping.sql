-- The story of one ping, for an operator who is asked: "why was she not told?"

create or replace function internal.day_story(p_connection kith.connections, p_on date)
  returns table (at timestamptz, what text, detail text)
  language sql
  stable
as $$
  select told.at, told.what, told.detail
  from kith.sender_profiles as profile
  join kith.ping_runs as run
    on run.tenant_id = profile.tenant_id and run.time_zone = profile.time_zone and run.ping_on = p_on
  cross join lateral (values
    (run.starts_at, 'day begins', format('the run of %s for %s', run.time_zone, run.ping_on)),
    (
      run.finished_at, 'run finished',
      format('%s pings made, %s skipped because their deadline had passed', run.created, run.skipped)
    )
  ) as told (at, what, detail)
  where profile.tenant_id = p_connection.tenant_id and profile.user_id = p_connection.sender_id and told.at is not null
  union all
  select told.at, told.what, told.detail
  from (values
    (case when p_connection.created_at < p_connection.activated_at then p_connection.created_at end, 'connected', null),
    (p_connection.activated_at, 'pings begin', 'by connecting, resuming, or a renewed subscription'),
    (p_connection.pings_stopped_at, 'pings stopped', 'the receiver''s subscription lapsed'),
    (p_connection.deleted_at, 'connection removed', format('by %s', p_connection.deleted_by)),
    (
      case when p_connection.status = 'paused' then p_connection.updated_at end, 'connection changed',
        'it is paused now'
    )
  ) as told (at, what, detail)
  where told.at is not null
  union all
  select act.at, case act.action when 'connection.remove' then 'connection removed' else 'connection reactivated' end,
    format('by %s: %s', act.actor, act.detail ->> 'reason')
  from kith.audit as act
  where act.tenant_id = p_connection.tenant_id and act.subject = p_connection.id::text
    and act.action in ('connection.remove', 'connection.reactivate')
    -- The connection itself says that it is removed now.
    and not (act.action = 'connection.remove' and p_connection.deleted_by is not distinct from act.actor
      and not exists (
      select from kith.audit as later
      where later.tenant_id = act.tenant_id and later.subject = act.subject
        and later.action in ('connection.remove', 'connection.reactivate')
        and later.id > act.id
    ))
  union all
  select told.at, told.what, told.detail
  from kith.breaks as pause
  cross join lateral (values
    (pause.created_at, 'break planned', format('%s to %s, both without pings', pause.from_on, pause.until_on)),
    (pause.ended_at, 'break ended', null)
  ) as told (at, what, detail)
  where pause.tenant_id = p_connection.tenant_id and pause.user_id = p_connection.sender_id and told.at is not null
    and pause.from_on between p_on - 90 and p_on and pause.until_on >= p_on
  union all
  select gap.found_at, 'gap found',
    case when gap.mended then 'the ping was made then' else 'it was too late to make the ping' end
  from kith.ping_gaps as gap
  where gap.tenant_id = p_connection.tenant_id and gap.ping_on = p_on and gap.connection_id = p_connection.id
$$;
comment on function internal.day_story(kith.connections, date) is
  'What decided whether a connection has a ping on a date: the run of its sender''s zone as it is today, the '
  'connection''s own state, its removals and reactivations by operators, the sender''s breaks, and a gap that was '
  'found.';

create or replace function internal.ping_story(p_ping kith.pings) returns table (at timestamptz, what text, detail text)
  language sql
  stable
as $$
  select told.at, told.what, told.detail
  from (values
    (
      to_timestamp(internal.uuid7_ms(p_ping.id) / 1000.0), 'made',
      format('ping %s of sender %s for receiver %s', p_ping.id, p_ping.sender_id, p_ping.receiver_id)
    ),
    (p_ping.scheduled_at, 'time of the ping', null),
    (p_ping.remind_at, 'reminder', 'not sent yet'),
    (p_ping.deadline_at, 'deadline', null)
  ) as told (at, what, detail)
  where told.at is not null
  union all
  select check_in.received_at, 'check-in',
    format(
      '%s, by %s, %s%s', check_in.id, check_in.source,
      case when check_in.note is null then 'without a note' else 'with a note' end,
      ', tapped at ' || internal.instant(check_in.tapped_at)
    )
  from kith.check_ins as check_in
  where check_in.tenant_id = p_ping.tenant_id and check_in.id = p_ping.check_in_id
  union all
  select p_ping.completed_at, p_ping.status, null where p_ping.completed_at is not null
  union all
  select told.at, told.what, told.detail
  from kith.outages as outage
  cross join lateral (values
    (outage.began_at, 'outage begins', format('no %s of ours ran', outage.component)),
    (outage.ended_at, 'outage ends', 'a miss in its last 15 minutes waits until 15 minutes later')
  ) as told (at, what, detail)
  where told.at is not null and outage.began_at <= p_ping.deadline_at + interval '1 day'
    and (outage.ended_at is null or outage.ended_at >= p_ping.scheduled_at - interval '1 hour')
  union all
  select story.at, story.what,
    format(
      '%s: %s', case (told.notification).user_id when p_ping.sender_id then 'sender' else 'receiver' end, story.detail
    )
  from (
    select notification
    from kith.notifications as notification
    where notification.tenant_id = p_ping.tenant_id and notification.user_id in (p_ping.sender_id, p_ping.receiver_id)
      and notification.id >= internal.first_uuid7(to_timestamp(internal.uuid7_ms(p_ping.id) / 1000.0))
      and notification.id < internal.first_uuid7(greatest(p_ping.deadline_at, p_ping.completed_at) + interval '2 days')
      and (
        notification.data ->> 'ping_id' = p_ping.id::text
        -- A sender is asked once for all pings of a date.
        or notification.user_id = p_ping.sender_id and notification.type in ('ping_due', 'ping_reminder', 'ping_missed')
          and notification.data ->> 'date' = p_ping.ping_on::text
      )
    order by notification.id
    limit 50
  ) as told
  cross join lateral internal.notification_story(told.notification) as story
  union all
  select null, 'now', format('the ping is %s', p_ping.status)
$$;
comment on function internal.ping_story(kith.pings) is
  'The story of a ping that exists: its times, the check-in, outages of Kith about its deadline, and whom Kith told, '
  'with each attempt (internal.notification_story).';

create or replace function admin.story_of_ping(p_tenant text, p_connection_id uuid, p_on date)
  returns table (at timestamptz, what text, detail text)
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_connection kith.connections;
  v_ping kith.pings;
begin
  select * into v_connection from kith.connections where tenant_id = v_tenant and id = p_connection_id;
  if not found then
    select * into v_ping from kith.pings where tenant_id = v_tenant and ping_on = p_on and id = p_connection_id;
    raise exception 'not_found' using errcode = 'KT404',
      detail = format('The tenant %s has no connection %s.', p_tenant, p_connection_id),
      hint = case
        when v_ping.id is not null
          then format(
            'That is the id of a ping: select * from admin.story_of_ping(%L, %L, %L);', p_tenant, v_ping.connection_id,
            p_on
          )
        else format(
          'Find the person: select * from admin.find_user(%L, ''phone, e-mail or name''); p_on is the date in the '
          'sender''s time zone.',
          p_tenant
        )
      end;
  end if;
  select * into v_ping
  from kith.pings
  where tenant_id = v_tenant and ping_on = p_on and connection_id = p_connection_id
    and sender_id = v_connection.sender_id;
  return query
  select story.at, story.what, story.detail
  from (
    select day.*, 0 as part from internal.day_story(v_connection, p_on) with ordinality as day (at, what, detail, n)
    union all
    select ping.*, 1 from internal.ping_story(v_ping) with ordinality as ping (at, what, detail, n)
    where v_ping.id is not null
    union all
    select null, 'now',
      concat_ws(
        '; ', 'there is no ping on this date',
        (
          select format('its run came too late for %s pings, of which this may be one', run.skipped)
          from kith.sender_profiles as profile
          join kith.ping_runs as run
            on run.tenant_id = profile.tenant_id and run.time_zone = profile.time_zone and run.ping_on = p_on
          where profile.tenant_id = v_tenant and profile.user_id = v_connection.sender_id and run.skipped > 0
        )
      ), 0, 2
    where v_ping.id is null
  ) as story
  order by story.at nulls last, story.part, story.n;
  perform internal.leave_tenant();
  perform internal.note_read_of(
    'story_of_ping', p_tenant, array[p_connection_id, v_connection.sender_id, v_connection.receiver_id]
  );
end
$$;
comment on function admin.story_of_ping(text, uuid, date) is
  'What happened to the ping of a connection on a date of its sender, or why there is none: the run that made it, '
  'breaks, outages, the check-in, and whom Kith told on which channel and when. select * from '
  'admin.story_of_ping(''acme'', ''019aa5c2-…'', ''2027-03-10'');';
grant execute on function admin.story_of_ping(text, uuid, date) to kith_reader;
