-- The story of one notification, from its cause to its outcome, for an operator.

create or replace function internal.attempts_of(p_delivery kith.deliveries) returns table (at timestamptz, what text, detail text)
  language sql
  stable
as $$
  select p_delivery.created_at, 'queued',
    format('delivery %s, %s by %s', p_delivery.id, p_delivery.purpose, p_delivery.channel)
      || case when p_delivery.is_urgent then ', breaks through quiet hours' else '' end
      || format(', pointless after %s', internal.shown_instant(p_delivery.expires_at))
  union all
  select (attempt ->> 'at')::timestamptz, 'refused', format('%s: %s', p_delivery.channel, attempt ->> 'error')
  from jsonb_array_elements(p_delivery.failures) as attempt
  union all
  select case p_delivery.status when 'sent' then p_delivery.sent_at when 'queued' then p_delivery.next_attempt_at end,
    case p_delivery.status
      when 'queued' then 'waits'
      when 'sending' then 'is being sent'
      else p_delivery.status
    end,
    case p_delivery.status
      when 'sent' then format('%s, attempt %s%s', p_delivery.channel, p_delivery.attempts, ', the provider''s id ' || p_delivery.provider_id)
      when 'queued' then format('%s, for attempt %s%s', p_delivery.channel, p_delivery.attempts + 1, ': ' || p_delivery.error)
      when 'sending' then
        format('%s, attempt %s, by %s until %s', p_delivery.channel, p_delivery.attempts, p_delivery.leased_by,
          internal.shown_instant(p_delivery.leased_until))
      else format('%s, after %s attempts: %s', p_delivery.channel, p_delivery.attempts, p_delivery.error)
    end
$$;
comment on function internal.attempts_of(kith.deliveries) is
  'The story of one delivery: when it was queued, each refused attempt, and its outcome. at is null where the instant is not kept: for '
  'deliveries that were dropped, given up, or are being sent.';

create or replace function internal.shown_instant(p_at timestamptz) returns text
  language sql
  stable
as $$
  select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS"Z"')
$$;
comment on function internal.shown_instant(timestamptz) is 'An instant within a sentence for operators, in UTC to the second.';

create or replace function internal.notification_story(p_notification kith.notifications)
  returns table (at timestamptz, what text, detail text)
  language sql
  stable
as $$
  select p_notification.created_at, 'notification',
    format('%s to user %s, %s: %s', p_notification.type, p_notification.user_id, p_notification.id, p_notification.data)
  union all
  select p_notification.deliver_at, 'held back', format('%s: to spread what is due in the same minute', p_notification.type)
  where p_notification.deliver_at is not null
  union all
  select p_notification.planned_at, 'planned', format('%s: %s', p_notification.type, coalesce(string_agg(delivery.channel, ', ' order by delivery.id), 'on no channel'))
  from kith.deliveries as delivery
  where p_notification.planned_at is not null
    and delivery.tenant_id = p_notification.tenant_id and delivery.notification_id = p_notification.id
  having p_notification.planned_at is not null
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
    (alarm.resolved_at, 'resolved', 'it arrived, was read, or somebody acted')
  ) as told (at, what, detail)
  where alarm.tenant_id = p_notification.tenant_id and alarm.notification_id = p_notification.id and told.at is not null
$$;
comment on function internal.notification_story(kith.notifications) is
  'The story of a notification: its cause, its plan, each attempt of at most 50 deliveries, and what became of it. Contacts and texts are '
  'left out.';

create or replace function admin.story_of_notification(p_tenant text, p_id uuid)
  returns table (at timestamptz, what text, detail text)
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_notification kith.notifications;
begin
  select * into v_notification from kith.notifications where tenant_id = v_tenant and id = p_id;
  if not found then
    raise exception 'not_found' using errcode = 'KT404', detail = format('The tenant %s has no notification %s.', p_tenant, p_id),
      hint = 'The id is in GET /v1/notifications, in admin.dead_letters and admin.undelivered_alarms. Old notifications are deleted.';
  end if;
  return query
  select story.at, story.what, story.detail
  from internal.notification_story(v_notification) with ordinality as story (at, what, detail, n)
  order by story.at nulls last, story.n;
  perform internal.leave_tenant();
end
$$;
comment on function admin.story_of_notification(text, uuid) is
  'What happened to a notification: why it was made, for whom, its plan, each attempt with the provider''s answer, and the outcome. select '
  '* from admin.story_of_notification(''acme'', ''019aa5c2-…'');';
grant execute on function admin.story_of_notification(text, uuid) to kith_admin;
