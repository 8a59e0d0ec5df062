-- After an outage of a provider or a pause: whom it delayed.

create or replace function internal.delayed_messages(p_channel text, p_from timestamptz, p_until timestamptz, p_tenant integer, p_now timestamptz)
  returns table (user_id uuid, id uuid, what text, is_alarm boolean, due_at timestamptz, reached_at timestamptz, became text)
  language sql
  stable
as $$
  select notification.user_id, late.id, coalesce(notification.type, late.purpose), coalesce(internal.must_reach(notification.type, notification.data), false),
    due.at, reached.at,
    case late.status
      when 'sent' then 'sent late'
      when 'failed' then concat_ws(': ', 'failed', late.error)
      when 'dropped' then
        case late.error when 'the deadline had passed' then 'never sent: the deadline had passed' else 'never sent: it expired while it waited' end
      else concat_ws(': ', 'waits', late.error)
    end
  from kith.deliveries as late
  left join kith.notifications as notification on notification.tenant_id = late.tenant_id and notification.id = late.notification_id
  left join lateral (
    select least(min(other.sent_at), notification.read_at) as at
    from kith.deliveries as other
    where other.tenant_id = late.tenant_id and other.notification_id = late.notification_id
  ) as reached on true
  -- Quiet hours delay on purpose.
  left join kith.quiet_hours as quiet
    on quiet.tenant_id = notification.tenant_id and quiet.user_id = notification.user_id and not late.is_urgent
  left join kith.users as reader on reader.tenant_id = quiet.tenant_id and reader.id = quiet.user_id
  cross join lateral (
    select case
      when quiet.user_id is null then late.created_at
      else internal.leaves_at(late.created_at, late.created_at, quiet, reader.time_zone, null, null)
    end as at
    offset 0
  ) as due
  where late.tenant_id = p_tenant and late.channel = p_channel and late.id >= internal.first_uuid7(p_from) and late.id < internal.first_uuid7(p_until)
    and (late.status <> 'dropped' or internal.has_expired(late.error))
    and (late.status in ('failed', 'dropped') or coalesce(late.sent_at, p_now) - due.at >= interval '1 minute')
$$;
comment on function internal.delayed_messages(text, timestamptz, timestamptz, integer, timestamptz) is
  'The messages of a tenant on a channel that were made in a time and left a minute late or more, or never; not those that were dropped on '
  'purpose, or held by quiet hours until due_at. reached_at is when the first channel took the notification, or it was read. For admin.delayed.';

create or replace function admin.delayed(
  p_channel text, p_from timestamptz, p_until timestamptz, p_tenant text default null, p_now timestamptz default now()
)
  returns table (
    tenant text, user_id uuid, person text, what text, due_at timestamptz, reached_at timestamptz, late interval, became text, next text
  )
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_slug text;
  v_tenant integer;
  v_left integer := 1000;
  v_found integer;
begin
  perform internal.require_present(p_now);
  if p_channel is null or p_channel not in ('apns', 'web_push', 'email', 'sms', 'voice') then
    raise exception 'not_found' using errcode = 'KT404', detail = 'The channels are apns, web_push, email, sms and voice.';
  elsif coalesce(p_until <= p_from or p_from < p_now - interval '30 days', true) then
    perform internal.refuse_fields(internal.field_error('p_from', 'must be before p_until, and within the last 30 days'));
  elsif p_tenant is null then
    perform internal.require_whole_installation();
  end if;
  for v_slug in
    select known.slug from kith.tenants as known where known.deleted_at is null and known.slug = coalesce(p_tenant, known.slug) order by known.slug
  loop
    exit when v_left <= 0;
    v_tenant := internal.enter_tenant(v_slug);
    return query
    select v_slug, delayed.user_id, account.display_name, delayed.what, delayed.due_at, delayed.reached_at,
      coalesce(delayed.reached_at, p_now) - delayed.due_at, delayed.became,
      format('select * from admin.story_of_notification(%L, %L)', v_slug, delayed.id)
    from internal.delayed_messages(p_channel, p_from, p_until, v_tenant, p_now) as delayed
    left join kith.users as account on account.tenant_id = v_tenant and account.id = delayed.user_id
    -- Alarms first, of them those who do not know yet.
    order by delayed.is_alarm desc, delayed.reached_at is not null, delayed.due_at, delayed.id
    limit v_left;
    get diagnostics v_found = row_count;
    v_left := v_left - v_found;
    perform internal.leave_tenant();
  end loop;
  if p_tenant is not null and v_slug is null then
    perform internal.enter_tenant(p_tenant);
  end if;
end
$$;
comment on function admin.delayed(text, timestamptz, timestamptz, text, timestamptz) is
  'Whom an outage of a provider or a pause delayed: the messages of a channel that were made in a time and left a minute late or more, or never, '
  'by tenant, alarms first; at most 1,000. reached_at is when the first channel took the notification or its reader read it; null if they do '
  'not know yet: select * from admin.delayed(''sms'', ''2027-03-10 02:00Z'', ''2027-03-10 05:00Z''). The times of refusals and pauses are in the '
  'audit: select * from admin.audit where action like ''channel.%''. admin.replay_outage sends again what is lost.';
grant execute on function admin.delayed(text, timestamptz, timestamptz, text, timestamptz) to kith_reader;
