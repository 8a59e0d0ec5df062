-- The story of one notification, from its cause to its outcome, for an operator.

create or replace function internal.attempts_of(p_delivery kith.deliveries)
  returns table (at timestamptz, what text, detail text)
  language sql
  stable
as $$
  select p_delivery.created_at, 'queued',
    format('delivery %s, %s by %s', p_delivery.id, p_delivery.purpose, p_delivery.channel)
      || case when p_delivery.is_urgent then ', breaks through quiet hours' else '' end
      || format(', pointless after %s', internal.shown_instant(p_delivery.expires_at))
  union all
  select (attempt ->> 'at')::timestamptz,
    case when attempt ? 'replayed_by' then 'sent again' else 'refused' end,
    case
      when attempt ? 'replayed_by'
        then format('%s: by %s: %s', p_delivery.channel, attempt ->> 'replayed_by', attempt ->> 'reason')
      else format('%s: %s', p_delivery.channel, attempt ->> 'error')
    end
  from jsonb_array_elements(p_delivery.failures) as attempt
  union all
  select case p_delivery.status when 'sent' then p_delivery.sent_at when 'queued' then p_delivery.next_attempt_at end,
    case p_delivery.status
      when 'queued' then 'waits'
      when 'sending' then 'is being sent'
      else p_delivery.status
    end,
    case p_delivery.status
      when 'sent'
        then format(
          '%s, attempt %s%s', p_delivery.channel, p_delivery.attempts, ', the provider''s id ' || p_delivery.provider_id
        )
      when 'queued'
        then format('%s, for attempt %s%s', p_delivery.channel, p_delivery.attempts + 1, ': ' || p_delivery.error)
      when 'sending' then
        format('%s, attempt %s, by %s until %s', p_delivery.channel, p_delivery.attempts, p_delivery.leased_by,
          internal.shown_instant(p_delivery.leased_until))
      else format('%s, after %s attempts: %s', p_delivery.channel, p_delivery.attempts, p_delivery.error)
    end
$$;
comment on function internal.attempts_of(kith.deliveries) is
  'The story of one delivery: when it was queued, each refused attempt, each time that an operator sent it again, and '
  'its outcome. at is null where the instant is not kept: for deliveries that were dropped, given up, or are being '
  'sent.';

create or replace function internal.pauses_of_channels(
  p_tenant integer, p_channels text[], p_made_at timestamptz, p_until timestamptz
)
  returns table (at timestamptz, what text, detail text)
  language sql
  stable
as $$
  select act.at, case act.action when 'channel.pause' then 'channel paused' else 'channel resumed' end,
    format(
      '%s%s, by %s%s', act.subject, case act.tenant_id when 0 then ' for all tenants' end, act.actor,
      ': ' || (act.detail ->> 'reason')
    )
  from kith.audit as act
  where act.tenant_id = p_tenant and act.action in ('channel.pause', 'channel.resume')
    and act.subject = any (p_channels)
    and act.at between p_made_at - interval '1 day' and p_until
    -- A pause that ended before the message was made did not delay it.
    and not exists (
      select from kith.audit as ended
      where ended.tenant_id = p_tenant and ended.action = 'channel.resume' and ended.subject = act.subject
        and ended.id >= act.id and ended.at < p_made_at
    )
  order by act.id desc
  limit 20
$$;
comment on function internal.pauses_of_channels(integer, text[], timestamptz, timestamptz) is
  'When operators paused and resumed channels of a tenant, or of all (0), from a day before a message was made until '
  'an instant, without pauses that had ended when it was made; the newest 20. For admin.story_of_notification.';

create or replace function internal.notification_story(p_notification kith.notifications)
  returns table (at timestamptz, what text, detail text)
  language sql
  stable
as $$
  select p_notification.created_at, 'notification',
    format('%s to user %s, %s: %s', p_notification.type, p_notification.user_id, p_notification.id, p_notification.data)
  union all
  select p_notification.deliver_at, 'held back',
    format('%s: to spread what is due in the same minute', p_notification.type)
  where p_notification.deliver_at is not null
  union all
  select p_notification.planned_at,
    'planned', format(
      '%s: %s', p_notification.type, coalesce(string_agg(delivery.channel, ', ' order by delivery.id), 'on no channel')
    )
  from kith.deliveries as delivery
  where p_notification.planned_at is not null
    and delivery.tenant_id = p_notification.tenant_id and delivery.notification_id = p_notification.id
  having p_notification.planned_at is not null
  union all
  select p_notification.planned_at, 'not tried', format('%s, as of now: %s', p_notification.type, untried.reasons)
  from (select internal.untried_channels(p_notification) as reasons) as untried
  where p_notification.planned_at is not null and untried.reasons is not null
  union all
  (
    select attempt.*
    from (
      select delivery
      from kith.deliveries as delivery
      where delivery.tenant_id = p_notification.tenant_id and delivery.notification_id = p_notification.id
      order by delivery.id
      limit 50
    ) as sent
    cross join lateral internal.attempts_of(sent.delivery) as attempt
  )
  union all
  select escalation.at, escalation.what, format('%s: %s', p_notification.type, escalation.detail)
  from (values
    (p_notification.escalates_at, 'escalates', 'unless it is sent before'),
    (p_notification.escalated_at, 'escalated', 'it was sent on no channel'),
    (p_notification.read_at, 'read', 'in the app')
  ) as escalation (at, what, detail)
  where escalation.at is not null
  union all
  select told.at, told.what, format('%s: %s', p_notification.type, told.detail)
  from kith.undelivered_alarms as alarm
  cross join lateral (values
    (alarm.at, 'undelivered', 'the alarm reached its person on no channel'),
    (alarm.webhook_told_at, 'webhook told', 'the tenant''s server was told instead'),
    (alarm.operators_at, 'handed to the operator', 'no webhook accepted it'),
    (alarm.operator_told_at, 'operator told', 'KITH_BEAT_URL accepted it'),
    (alarm.resolved_at, 'resolved', coalesce(
      (
        select format('by %s: %s', act.actor, act.detail ->> 'reason') from kith.audit as act
        where act.tenant_id = alarm.tenant_id and act.subject = alarm.notification_id::text
          and act.action = 'alarm.resolve'
        order by act.id desc limit 1
      ),
      case
        when p_notification.sent_at is not null or p_notification.read_at is not null then 'it arrived, or was read'
        else 'it no longer mattered'
      end
    ))
  ) as told (at, what, detail)
  where alarm.tenant_id = p_notification.tenant_id and alarm.notification_id = p_notification.id and told.at is not null
$$;
comment on function internal.notification_story(kith.notifications) is
  'The story of a notification: its cause, its plan, each attempt of at most 50 deliveries, and what became of it. '
  'Contacts and texts are left out.';

create or replace function internal.end_of_notification(p_notification kith.notifications)
  returns table (at timestamptz, what text, detail text)
  language sql
  stable
as $$
  select null::timestamptz, p_notification.delivery_status, format('%s: %s', p_notification.type, coalesce(
    internal.is_over(p_notification),
    (
      select string_agg(distinct delivery.error, '; ')
      from kith.deliveries as delivery
      where delivery.tenant_id = p_notification.tenant_id and delivery.notification_id = p_notification.id
        and delivery.status in ('dropped', 'failed')
    ),
    'no channel was left'
  ))
  where p_notification.delivery_status in ('dropped', 'failed')
$$;
comment on function internal.end_of_notification(kith.notifications) is
  'Why a notification was dropped or failed: what is so instead, or what replaced it, as of now; otherwise what became '
  'of its deliveries. For admin.story_of_notification.';

create or replace function admin.story_of_notification(p_tenant text, p_id uuid)
  returns table (at timestamptz, what text, detail text)
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_notification kith.notifications;
  v_delivery kith.deliveries;
  v_channels text[];
  v_made_at timestamptz;
  v_until timestamptz;
  v_pauses_for_all jsonb;
begin
  select * into v_delivery from kith.deliveries where tenant_id = v_tenant and id = p_id;
  select * into v_notification from kith.notifications
  where tenant_id = v_tenant and id = coalesce(v_delivery.notification_id, p_id);
  if v_notification.id is null and v_delivery.id is null then
    raise exception 'not_found'
      using errcode = 'KT404', detail = format('The tenant %s has no notification and no delivery %s.', p_tenant, p_id),
      hint =
        'The id is in GET /v1/notifications, in admin.dead_letters and admin.undelivered_alarms. Old notifications are '
        'deleted.';
  end if;
  v_channels := array(
    select delivery.channel from kith.deliveries as delivery
    where delivery.tenant_id = v_tenant and delivery.notification_id = v_notification.id
  ) || v_delivery.channel;
  v_made_at := coalesce(v_notification.created_at, v_delivery.created_at);
  v_until := coalesce(v_notification.sent_at, v_delivery.sent_at, v_made_at + interval '3 days');
  -- A pause for all tenants is an act outside of each.
  perform internal.leave_tenant();
  select jsonb_agg(pause) into v_pauses_for_all
  from internal.pauses_of_channels(0, v_channels, v_made_at, v_until) as pause;
  v_tenant := internal.enter_tenant(p_tenant);
  return query
  select story.at, story.what, story.detail
  from (
    select pause.at, pause.what, pause.detail, 0 as n
    from jsonb_to_recordset(v_pauses_for_all) as pause (at timestamptz, what text, detail text)
    union all
    select pause.at, pause.what, pause.detail, 0
    from internal.pauses_of_channels(v_tenant, v_channels, v_made_at, v_until) as pause
    union all
    select told.* from internal.notification_story(v_notification) with ordinality as told (at, what, detail, n)
    where v_notification.id is not null
    union all
    select ended.at, ended.what, ended.detail, 1000 from internal.end_of_notification(v_notification) as ended
    where v_notification.id is not null
    union all
    -- A code or an invitation has no notification.
    select sent.* from internal.attempts_of(v_delivery) with ordinality as sent (at, what, detail, n)
    where v_notification.id is null
  ) as story
  order by story.at nulls last, story.n;
  perform internal.leave_tenant();
  perform internal.note_read_of(
    'story_of_notification', p_tenant, array[p_id, v_notification.user_id, v_notification.person_id]
  );
end
$$;
comment on function admin.story_of_notification(text, uuid) is
  'What happened to a notification: why it was made, for whom, its plan, why the other channels were not tried, each '
  'attempt with the provider''s answer, the outcome, and why it was dropped or replaced. p_id is the notification or '
  'one of its deliveries, as admin.dead_letters has both, or the delivery of a code or an invitation. select * from '
  'admin.story_of_notification(''acme'', ''019aa5c2-…'');';
grant execute on function admin.story_of_notification(text, uuid) to kith_reader;
