create or replace function worker.plan_deliveries(p_now timestamptz, p_batch integer, p_takes_all boolean) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  -- A batch is small compared with the tables, which the planner cannot know. Access by key is always right here, and one plan is kept.
  set plan_cache_mode = 'force_generic_plan'
  set jit = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_seqscan = off
as $$
declare
  v_deleted integer[] := internal.deleted_tenants();
  v_planned integer;
  v_tenants integer[];
  v_undelivered uuid[];
  v_dropped integer;
begin
  with fresh as materialized (
    select notification.tenant_id, notification.id, notification.user_id, notification.type, notification.data,
      -- The time in its id orders the notifications of one event: the sender hears of a miss before the receivers do.
      greatest(coalesce(notification.deliver_at, notification.created_at), to_timestamp(internal.uuid7_ms(notification.id) / 1000.0)) as at
    from kith.notifications as notification
    -- Written exactly as in the index's expression, so that the index is used.
    where notification.planned_at is null
      and case when notification.deliver_at is null then notification.created_at else notification.deliver_at end <= p_now
    order by case when notification.deliver_at is null then notification.created_at else notification.deliver_at end, notification.id
    limit p_batch
    for update skip locked
  ), overdue as materialized (
    select notification.tenant_id, notification.id, notification.user_id, notification.type, notification.data, notification.created_at,
      notification.read_at, notification.escalated_at
    from kith.notifications as notification
    where notification.escalates_at <= p_now
    order by notification.escalates_at
    limit p_batch
    for update skip locked
  ), claimed as materialized (
    select fresh.tenant_id, fresh.id, fresh.user_id, fresh.type, fresh.at, false as is_overdue, false as was_escalated,
      false as is_pointless,
      -- The ping that the notification asks for. The delivery expires at the ping's deadline.
      case when fresh.type in ('ping_due', 'ping_reminder') then (fresh.data ->> 'date')::date end as ping_on,
      case when fresh.type in ('ping_due', 'ping_reminder') then (fresh.data ->> 'connection_id')::uuid end as connection_id
    from fresh
    union all
    select overdue.tenant_id, overdue.id, overdue.user_id, overdue.type, overdue.created_at, true, overdue.escalated_at is not null,
      pointless.reason is not null, null, null
    from overdue
    cross join lateral internal.pointless(overdue.tenant_id, overdue.user_id, overdue.type, overdue.data, overdue.read_at) as pointless
  ), known as materialized (
    select type, breaks_through, channels, internal.is_alarm(type) as is_alarm from internal.notification_types()
  ), told as materialized (
    select claimed.*, known.breaks_through, known.is_alarm, coalesce(preference.channels, known.channels) as channels,
      case when account.email_verified_at is not null then account.email end as email,
      case when account.phone_verified_at is not null then account.phone end as phone,
      case
        when known.breaks_through or quiet.user_id is null then claimed.at
        else internal.quiet_until(greatest(claimed.at, p_now), quiet.starts_at, quiet.ends_at, account.time_zone)
      end as not_before,
      case
        -- After an outage of Kith, people are reminded of pings whose deadline has passed. Those have another 15 minutes.
        when claimed.ping_on is not null then greatest(ping.deadline_at, claimed.at + interval '15 minutes')
      end as deadline_at
    from claimed
    join kith.users as account
      on account.tenant_id = claimed.tenant_id and account.id = claimed.user_id and account.deleted_at is null
    join known on known.type = claimed.type
    left join kith.notification_preferences as preference
      on preference.tenant_id = claimed.tenant_id and preference.user_id = claimed.user_id and preference.type = claimed.type
    left join kith.quiet_hours as quiet on quiet.tenant_id = claimed.tenant_id and quiet.user_id = claimed.user_id
    left join kith.pings as ping
      on ping.tenant_id = claimed.tenant_id and ping.ping_on = claimed.ping_on and ping.connection_id = claimed.connection_id
    where claimed.tenant_id <> all (v_deleted) and not claimed.is_pointless and not claimed.was_escalated
  ), way as (
    -- For an alarm, consider every channel, because it may have to use one that the user did not choose.
    select told.*, way.channel, way.address, way.preference = any (told.channels) as is_wanted,
      told.is_alarm and exists (
        select from kith.channel_pauses as pause
        where pause.tenant_id in (0, told.tenant_id) and pause.channel = way.channel
      ) as is_paused
    from told
    cross join lateral (
      select 'push' as preference, case device.platform when 'ios' then 'apns' else 'web_push' end as channel, device.token as address
      from kith.devices as device
      where device.tenant_id = told.tenant_id and device.user_id = told.user_id
        -- A browser's push must be encrypted with keys that the browser has supplied.
        and (device.platform = 'ios' or device.public_key is not null)
      union all
      select 'email', 'email', told.email where told.email is not null
      union all
      select 'sms', 'sms', told.phone where told.phone is not null
    ) as way
    where (told.is_alarm or way.preference = any (told.channels))
      and (
        p_takes_all or exists (
          select from kith.channel_credentials as credentials
          where credentials.tenant_id = told.tenant_id and credentials.channel = way.channel
        )
      )
      and not (
        told.is_overdue and exists (
          select from kith.deliveries as delivery
          where delivery.tenant_id = told.tenant_id and delivery.notification_id = told.id and delivery.channel = way.channel
        )
      )
  ), chosen as (
    select way.*,
      bool_or(way.is_wanted and not way.is_paused) over (partition by way.tenant_id, way.id) as is_any_wanted
    from way
  ), written as (
    insert into kith.deliveries (
      tenant_id, id, channel, purpose, address, notification_id, is_urgent, status, error, next_attempt_at, expires_at, created_at
    )
    select written.tenant_id, internal.uuid7(p_now), written.channel, 'notification', written.address, written.id,
      written.breaks_through, case when written.is_too_many then 'dropped' else 'queued' end,
      case when written.is_too_many then
        format('over the limit of %s text messages in 24 hours (sms_notifications_per_user_per_day)', written.texts_allowed)
      end,
      written.not_before, written.expires_at, p_now
    from (
      select chosen.*, texts.texts_allowed,
        texts.had + row_number() over (
          partition by chosen.tenant_id, chosen.address, texts.texts_allowed is null order by chosen.not_before, chosen.id
        ) > texts.texts_allowed as is_too_many,
        case
          when chosen.deadline_at is not null then chosen.deadline_at
          when chosen.breaks_through then chosen.at + interval '3 days'
          -- A delivery held back by quiet hours expires a day after their end.
          else chosen.not_before + interval '1 day'
        end as expires_at
      from chosen
      -- Text messages cost the tenant, and a chat causes many, so they are limited. Urgent messages are rare and do not count, so
      -- that a chat cannot use up their share.
      left join lateral (
        select tenant.sms_notifications_per_user_per_day as texts_allowed, (
            select count(*) from kith.deliveries as delivery
            where delivery.tenant_id = chosen.tenant_id and delivery.address = chosen.address and delivery.channel = 'sms'
              and delivery.purpose = 'notification' and not delivery.is_urgent and delivery.status <> 'dropped'
              and delivery.status <> 'failed'
              and delivery.id >= internal.first_uuid7(p_now - interval '1 day')
          ) as had
        from kith.tenants as tenant
        where tenant.tenant_id = chosen.tenant_id
      ) as texts on chosen.channel = 'sms' and not chosen.breaks_through and not chosen.is_alarm
      where chosen.is_wanted or chosen.is_overdue or not chosen.is_any_wanted
    ) as written
    where written.expires_at > p_now
    order by written.not_before
    returning tenant_id, notification_id, status
  ), judged as materialized (
    -- Union and group in one pass. A join would scan the whole batch once for each of its rows.
    select part.tenant_id, part.id, bool_or(part.is_overdue) as is_overdue, bool_or(part.is_reached) as is_reached,
      bool_or(part.is_alarm) as is_alarm
    from (
      select claimed.tenant_id, claimed.id, claimed.is_overdue, false as is_reached,
        claimed.was_escalated and not claimed.is_pointless as is_alarm
      from claimed
      union all
      select told.tenant_id, told.id, false, false, told.is_alarm from told
      union all
      select written.tenant_id, written.notification_id, false, written.status = 'queued', false from written
    ) as part
    group by part.tenant_id, part.id
  ), planned as (
    update kith.notifications as notification
    set planned_at = coalesce(notification.planned_at, p_now),
      delivery_status = case
        when judged.is_reached or judged.is_alarm or judged.is_overdue then notification.delivery_status else 'dropped'
      end,
      escalates_at = case
        when judged.is_alarm and judged.is_reached
          then p_now + case when judged.is_overdue then interval '8 minutes' else interval '2 minutes' end
      end,
      escalated_at = case when judged.is_overdue then coalesce(notification.escalated_at, p_now) end
    from judged
    where notification.tenant_id = judged.tenant_id and notification.id = judged.id
    returning notification.tenant_id, notification.id, judged.is_alarm and not judged.is_reached as is_undelivered
  )
  select count(*), array_agg(planned.tenant_id) filter (where planned.is_undelivered),
    array_agg(planned.id) filter (where planned.is_undelivered), (select count(*) from written where written.status = 'dropped')
  into v_planned, v_tenants, v_undelivered, v_dropped
  from planned;
  if v_undelivered is not null then
    perform internal.report_undelivered(v_tenants, v_undelivered, p_now);
  end if;
  if v_dropped > 0 then
    perform internal.count_deliveries('', jsonb_build_array(jsonb_build_object('channel', 'sms', 'dropped', v_dropped)));
  end if;
  return v_planned;
end
$$;
comment on function worker.plan_deliveries(timestamptz, integer, boolean) is
  'Decides on which channels each new notification goes out, and writes one delivery for each address. The channels are those that the user chose for the type, or the type''s defaults (F04). Each needs an address, and credentials of the tenant unless p_takes_all says that the worker can send on every channel. Quiet hours delay a delivery unless the type breaks through them. If no channel is left, the notification is dropped, but an alarm uses any other channel, even if the chosen ones are only paused. The text messages that a user gets of types that respect quiet hours are limited (kith.tenants.sms_notifications_per_user_per_day); the rest are dropped. An alarm that was not sent within 2 minutes also goes out on the other channels. It counts as undelivered 8 minutes later, or at once where there are none (F07). Handles at most p_batch new notifications and p_batch overdue alarms; returns how many it handled. Security definer, because the worker may not read contacts and devices, and no role may write deliveries directly.';
revoke all on function worker.plan_deliveries(timestamptz, integer, boolean) from public;
grant execute on function worker.plan_deliveries(timestamptz, integer, boolean) to kith_worker;
