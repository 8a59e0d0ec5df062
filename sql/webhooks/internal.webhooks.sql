-- A tenant's endpoints for events. Each receives the feed of the tenant's users in order: a batch is sent until it is
-- accepted, and only then the next. idle ─an event of the tenant→ has news ─claimed→ leased ─accepted→ has news
-- ─nothing left→ idle.

create or replace function internal.webhook_json(p_webhook kith.webhooks) returns json
  language sql
  stable
as $$
  select json_build_object(
    'id', (p_webhook).id,
    'url', (p_webhook).url,
    'types', (p_webhook).types,
    'status', case when (p_webhook).disabled_at is null then 'enabled' else 'disabled' end,
    'created_at', internal.instant((p_webhook).created_at),
    'last_success_at', internal.instant((p_webhook).last_success_at),
    'failed_attempts', (p_webhook).attempts,
    'last_error', (p_webhook).last_error
  )
$$;
comment on function internal.webhook_json(kith.webhooks) is 'An endpoint as its tenant sees it, without its secrets.';

create or replace function internal.own_webhook(p_id uuid) returns kith.webhooks
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_webhook kith.webhooks;
begin
  select * into v_webhook from kith.webhooks
  where tenant_id = v_tenant and id = p_id and not exists (select from internal.hidden_endpoint(v_tenant, p_id))
  for no key update;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return v_webhook;
end
$$;
comment on function internal.own_webhook(uuid)
  is 'An endpoint of the current tenant, locked. Raises not_found. For definer procedures.';

create or replace function internal.wake_webhooks(p_now timestamptz) returns xid8
  language plpgsql
as $$
declare
  v_horizon xid8;
  v_from xid8;
begin
  select next_xid into v_from from kith.event_readers where name = 'webhooks' for update skip locked;
  if not found then
    return null;
  end if;
  v_horizon := internal.feed_horizon();
  if v_from = v_horizon then
    return v_horizon;
  end if;
  if exists (select from kith.webhooks where not has_news and disabled_at is null) then
    -- An idle endpoint has taken everything up to v_from, so its untaken events begin there.
    update kith.webhooks as webhook
    set has_news = true, next_attempt_at = p_now, taken_at = greatest(webhook.taken_at, p_now),
      taken_id = case
        when webhook.taken_xid < v_from then '00000000-0000-0000-0000-000000000000'
        else webhook.taken_id
      end,
      taken_xid = case when webhook.taken_xid < v_from then v_from else webhook.taken_xid end
    from (
      select tenant_id from kith.events where xid >= v_from and xid < v_horizon
      union
      select tenant_id from kith.notifications where xid >= v_from and xid < v_horizon
    ) as busy
    where webhook.tenant_id = busy.tenant_id and not webhook.has_news and webhook.disabled_at is null
      and webhook.tenant_id <> all (internal.importing_tenants());
  end if;
  update kith.event_readers set next_xid = v_horizon where name = 'webhooks';
  return v_horizon;
end
$$;
comment on function internal.wake_webhooks(timestamptz) is
  'Finds, for all tenants at once, those with new events since the last call, and marks their idle endpoints, so that '
  'no endpoint is polled. Returns the horizon up to which it has looked. The reader stays locked until the transaction '
  'ends. Only under this lock may an endpoint become idle, and only if it has taken everything up to the horizon. Null '
  'if another transaction holds the lock; it does not wait. For definer procedures without a tenant.';

create or replace function internal.webhook_events(
  p_webhook kith.webhooks, p_until_xid xid8, p_until_id uuid, p_limit integer, p_now timestamptz
) returns table (xid xid8, id uuid, user_id uuid, type text, subject_id uuid, parent_id uuid, ping_on date)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := p_webhook.tenant_id;
  v_taken_xid xid8 := p_webhook.taken_xid;
  v_taken_id uuid := p_webhook.taken_id;
  v_types text[] := p_webhook.types;
  v_first uuid := internal.first_uuid7(p_now - interval '7 days');
  -- A canary's endpoint gets what its receiver is told, and no other endpoint gets anything of a canary.
  v_hears uuid := (
    select canary.receiver_id from kith.canary_channels as watched
    join kith.canaries as canary on canary.tenant_id = watched.tenant_id and canary.id = watched.canary_id
    where watched.tenant_id = p_webhook.tenant_id and watched.webhook_id = p_webhook.id
  );
  v_hidden uuid[] := internal.hidden_people(p_webhook.tenant_id);
begin
  return query
  select page.*
  from (
    (
      select event.xid, event.id, event.user_id, event.type, event.subject_id, event.parent_id, event.ping_on
      from kith.events as event
      where (event.xid, event.id) > (v_taken_xid, v_taken_id) and (event.xid, event.id) <= (p_until_xid, p_until_id)
        and event.tenant_id = v_tenant and event.id >= v_first and (v_types = '{}' or event.type = any (v_types))
        and case when v_hears is null then event.user_id <> all (v_hidden) else event.user_id = v_hears end
      order by event.xid, event.id
      limit p_limit
    )
    union all
    (
      select notification.xid, notification.id, notification.user_id, 'notification', notification.id, null, null
      from kith.notifications as notification
      where (notification.xid, notification.id) > (v_taken_xid, v_taken_id)
        and (notification.xid, notification.id) <= (p_until_xid, p_until_id)
        and notification.tenant_id = v_tenant and notification.id >= v_first
        and (v_types = '{}' or 'notification' = any (v_types))
        and case
          when v_hears is null then notification.user_id <> all (v_hidden)
          else notification.user_id = v_hears
        end
      order by notification.xid, notification.id
      limit p_limit
    )
  ) as page
  order by page.xid, page.id
  limit p_limit;
end
$$;
comment on function internal.webhook_events(kith.webhooks, xid8, uuid, integer, timestamptz) is
  'The events of the last 7 days that an endpoint has not taken yet, up to a position in the feed; that of a canary '
  'gets those of its receiver, all others those of people. For definer procedures.';

create or replace function internal.rows_of_feed() returns integer
  language sql
  immutable
  parallel safe
as $$
  select 100000
$$;
comment on function internal.rows_of_feed()
  is 'How many rows of the feed, which are those of all tenants, a claim looks through for one endpoint.';

create or replace function internal.webhook_reach(p_webhook kith.webhooks, p_horizon xid8) returns xid8
  language plpgsql
  stable
as $$
declare
  v_rows integer := internal.rows_of_feed();
  v_taken_xid xid8 := p_webhook.taken_xid;
begin
  return coalesce(
    (
      select beyond.xid
      from (
        (
          select event.xid from kith.events as event
          where event.xid > v_taken_xid and event.xid < p_horizon order by event.xid, event.id offset v_rows limit 1
        )
        union all
        (
          select notification.xid from kith.notifications as notification
          where notification.xid > v_taken_xid and notification.xid < p_horizon
          order by notification.xid, notification.id offset v_rows limit 1
        )
      ) as beyond
      order by beyond.xid
      limit 1
    ),
    p_horizon
  );
end
$$;
comment on function internal.webhook_reach(kith.webhooks, xid8) is
  'How far a claim looks through the feed for an endpoint''s events: to the horizon, or internal.rows_of_feed rows '
  'past what it has taken. Otherwise the endpoint of a quiet tenant that is days behind would read the events of all '
  'tenants at once, and hold up every other endpoint. For definer procedures.';

create or replace function internal.told_to_tenant(p_type text, p_notification_id uuid, p_locale text) returns text
  language plpgsql
  stable
as $$
declare
  v_data text;
begin
  -- Not in the declaration: what it raises there is not caught below.
  v_data := internal.notification_in(p_notification_id, p_locale);
  return case p_type
    when 'alarm_undelivered' then json_build_object('id', p_notification_id, 'notification', v_data::json)::text
    else coalesce(v_data, internal.gone_json('notification', p_notification_id, null)::text)
  end;
exception when others then
  if not internal.is_of_data(sqlstate) then
    raise;
  end if;
  raise warning 'an event of type % cannot be rendered: %', p_type, sqlstate;
  return null;
end
$$;
comment on function internal.told_to_tenant(text, uuid, text) is
  'Like internal.told_event, for an event about a notification that goes to the tenant''s server: in the tenant''s '
  'language, since the people who read it there are the tenant''s. Null, with a warning, if it cannot be rendered.';

create or replace function internal.reset_webhook(p_webhook kith.webhooks, p_horizon xid8, p_now timestamptz)
  returns kith.webhooks
  language plpgsql
as $$
begin
  -- A position beyond the horizon means that the database has been restored to an earlier time since.
  if p_webhook.batch_is_reset
    or p_webhook.taken_xid <= p_horizon and p_webhook.taken_at >= p_now - interval '7 days'
  then
    return p_webhook;
  end if;
  p_webhook.batch_is_reset := true;
  p_webhook.batch_id := null;
  p_webhook.batch_xid := null;
  p_webhook.batch_until_id := null;
  if p_webhook.taken_xid > p_horizon then
    p_webhook.taken_xid := p_horizon;
    p_webhook.taken_id := '00000000-0000-0000-0000-000000000000';
  end if;
  return p_webhook;
end
$$;
comment on function internal.reset_webhook(kith.webhooks, xid8, timestamptz) is
  'The endpoint with a batch that begins with an event of type reset, if nobody can tell what it has missed; otherwise '
  'as it is. For internal.webhook_batch.';

create or replace function internal.webhook_batch(
  p_webhook kith.webhooks, p_horizon xid8, p_now timestamptz, out webhook kith.webhooks, out items json[]
)
  returns record
  language plpgsql
as $$
declare
  v_none constant uuid := '00000000-0000-0000-0000-000000000000';
  v_event record;
  v_locale text := internal.language_of_tenant(p_webhook.tenant_id);
  v_first_xid xid8;
  v_last_xid xid8;
  v_last_id uuid;
  v_reach xid8;
begin
  webhook := internal.reset_webhook(p_webhook, p_horizon, p_now);
  items := '{}';
  if webhook.batch_is_reset then
    webhook.batch_id := coalesce(webhook.batch_id, internal.uuid7(p_now));
    items := items || json_build_object(
      'id', 'reset-' || webhook.batch_id, 'type', 'reset', 'user_id', null, 'created_at', internal.instant(p_now),
      'data', json_build_object('since', internal.instant(webhook.taken_at))
    );
  end if;
  v_reach := coalesce(webhook.batch_xid, internal.webhook_reach(webhook, p_horizon));
  for v_event in
    select event.*
    from internal.webhook_events(webhook, v_reach, coalesce(webhook.batch_until_id, v_none), 100, p_now) as event
  loop
    perform set_config('kith.tenant_id', webhook.tenant_id::text, true),
      set_config('kith.user_id', v_event.user_id::text, true);
    items := items || json_build_object(
      'id', internal.event_position(v_event.xid, v_event.id),
      'type', v_event.type,
      'user_id', nullif(v_event.user_id, '00000000-0000-0000-0000-000000000000'),
      'created_at', internal.instant(to_timestamp(internal.uuid7_ms(v_event.id) / 1000.0)),
      'data', case
        when v_event.type in ('notification', 'alarm_undelivered')
          then internal.told_to_tenant(v_event.type, v_event.subject_id, v_locale)
        else internal.told_event(v_event.type, v_event.subject_id, v_event.parent_id, v_event.ping_on, p_now)
      end::json
    );
    v_first_xid := coalesce(v_first_xid, v_event.xid);
    v_last_xid := v_event.xid;
    v_last_id := v_event.id;
  end loop;
  perform internal.leave_tenant();
  -- A batch that is retried keeps its end, even if its last event has been deleted meanwhile.
  if webhook.batch_xid is null and cardinality(items) > 0 then
    webhook.batch_id := coalesce(webhook.batch_id, internal.uuid7(p_now));
    webhook.batch_xid := coalesce(v_last_xid, v_reach);
    webhook.batch_until_id := coalesce(v_last_id, v_none);
  end if;
  -- So that a retry does not look again through what precedes the first event, and an empty batch leads on.
  if webhook.taken_xid < coalesce(v_first_xid, v_reach) then
    webhook.taken_xid := coalesce(v_first_xid, v_reach);
    webhook.taken_id := v_none;
  end if;
end
$$;
comment on function internal.webhook_batch(kith.webhooks, xid8, timestamptz) is
  'What to send to an endpoint: the batch to retry, or the next events, at most 100, each rendered for its user as of '
  'now, and the endpoint''s updated row, whose taken_xid is where the next look begins (internal.webhook_reach). The '
  'words of notifications are in the tenant''s default language. If nobody can tell what the endpoint has missed, an '
  'event of type reset comes first. For definer procedures without a tenant.';

create or replace function internal.told_by_webhook(p_webhook kith.webhooks, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  update kith.undelivered_alarms as alarm
  set webhook_told_at = p_now
  from internal.webhook_events(p_webhook, p_webhook.batch_xid, p_webhook.batch_until_id, 100, p_now) as event
  where event.type = 'alarm_undelivered' and alarm.tenant_id = p_webhook.tenant_id
    and alarm.notification_id = event.subject_id and alarm.webhook_told_at is null;
end
$$;
comment on function internal.told_by_webhook(kith.webhooks, timestamptz) is
  'Records the undelivered alarms of which the tenant has learned from the batch that its endpoint has just accepted '
  '(F07). For definer procedures.';

create or replace function internal.end_webhook_batch(p_webhook kith.webhooks, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  update kith.webhooks
  set taken_xid = batch_xid, taken_id = batch_until_id,
    taken_at = case
      when batch_until_id = '00000000-0000-0000-0000-000000000000' then p_now
      else least(to_timestamp(internal.uuid7_ms(batch_until_id) / 1000.0), p_now)
    end,
    batch_id = null, batch_xid = null, batch_until_id = null, batch_is_reset = false, attempts = 0,
    next_attempt_at = p_now, leased_by = null, updated_at = p_now
  where tenant_id = p_webhook.tenant_id and id = p_webhook.id;
end
$$;
comment on function internal.end_webhook_batch(kith.webhooks, timestamptz) is
  'Records that an endpoint has accepted its batch and is ready for the next. For definer procedures.';

create or replace function internal.webhook_delay(p_attempts integer) returns interval
  language sql
  volatile
as $$
  select least(interval '5 seconds' * 2 ^ least(p_attempts, 12), interval '1 hour') * (0.8 + 0.4 * random())
$$;
comment on function internal.webhook_delay(integer) is
  'How long to wait after p_attempts earlier failures of an endpoint: 5 seconds, 10 … an hour, with a jitter of 20 %.';
