-- After an outage of a provider or a pause: whom it delayed, and what was never sent.

create or replace function internal.messages_of_outage(
  p_channel text, p_from timestamptz, p_until timestamptz, p_tenant integer
)
  returns table (
    delivery kith.deliveries, notification kith.notifications, due_at timestamptz, reached_at timestamptz,
    was_held_back boolean
  )
  language sql
  stable
as $$
  select made, notification, due.at, reached.at,
    -- Of what was dropped, next_attempt_at is when. These two were decided when it was planned.
    made.status = 'dropped' and made.next_attempt_at - due.at >= interval '1 minute'
      and made.error !~ '^(over the limit of |it would be over at the end of the quiet hours|sent before the restore)'
      -- Whoever was reached in time on another channel has missed nothing.
      and coalesce(reached.at - due.at >= interval '1 minute', true)
  from kith.deliveries as made
  left join kith.notifications as notification
    on notification.tenant_id = made.tenant_id and notification.id = made.notification_id
  left join lateral (
    select least(
      min(other.sent_at) filter (where not internal.is_unheard(other.status, other.error)), notification.read_at
    ) as at
    from kith.deliveries as other
    where other.tenant_id = made.tenant_id and other.notification_id = made.notification_id
  ) as reached on true
  -- Quiet hours delay on purpose.
  left join kith.quiet_hours as quiet
    on quiet.tenant_id = notification.tenant_id and quiet.user_id = notification.user_id and not made.is_urgent
  left join kith.users as reader on reader.tenant_id = quiet.tenant_id and reader.id = quiet.user_id
  cross join lateral (
    select case
      when quiet.user_id is null then made.created_at
      else internal.leaves_at(made.created_at, made.created_at, quiet, reader.time_zone, null, null)
    end as at
    offset 0
  ) as due
  where made.tenant_id = p_tenant and made.channel = p_channel and made.id >= internal.first_uuid7(p_from)
    and made.id < internal.first_uuid7(p_until)
    and not exists (select from internal.hidden_person(made.tenant_id, notification.user_id))
$$;
comment on function internal.messages_of_outage(text, timestamptz, timestamptz, integer) is
  'The messages of a tenant on a channel that were made in a time: when each was due (the end of quiet hours that held '
  'it), when the first channel took its notification, other than a call that nobody heard, or its reader read it, and '
  'whether it waited for a minute or longer, reached nobody meanwhile, and was then dropped. For admin.delayed and '
  'admin.replay_outage.';

create or replace function internal.delayed_messages(
  p_channel text, p_from timestamptz, p_until timestamptz, p_tenant integer, p_now timestamptz
)
  returns table (
    user_id uuid, id uuid, what text, is_alarm boolean, due_at timestamptz, reached_at timestamptz, became text
  )
  language sql
  stable
as $$
  select (late.notification).user_id, (late.delivery).id, coalesce((late.notification).type, (late.delivery).purpose),
    coalesce(internal.must_reach((late.notification).type, (late.notification).data), false), late.due_at,
    late.reached_at,
    case (late.delivery).status
      when 'sent' then 'sent late'
      when 'failed' then concat_ws(': ', 'failed', (late.delivery).error)
      when 'dropped' then format('never sent: %s', case
        when (late.delivery).error ~ '(^|; )expired$' then 'it expired while it waited'
        else (late.delivery).error
      end)
      else concat_ws(': ', 'waits', (late.delivery).error)
    end
  from internal.messages_of_outage(p_channel, p_from, p_until, p_tenant) as late
  where case (late.delivery).status
    when 'failed' then true
    when 'dropped' then late.was_held_back or internal.has_expired((late.delivery).error)
    else coalesce((late.delivery).sent_at, p_now) - late.due_at >= interval '1 minute'
  end
$$;
comment on function internal.delayed_messages(text, timestamptz, timestamptz, integer, timestamptz) is
  'The messages of a tenant on a channel that were made in a time and left a minute late or more, or never: also those '
  'that were dropped after they had waited, because what they said was over by then; not those that were dropped at '
  'once, or held by quiet hours until due_at. For admin.delayed.';

create or replace function admin.delayed(
  p_channel text, p_from timestamptz, p_until timestamptz, p_tenant text default null, p_now timestamptz default now()
)
  returns table (
    tenant text, user_id uuid, person text, what text, due_at timestamptz, reached_at timestamptz, late interval,
    became text, next text
  )
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_slug text;
  v_seen text[] := '{}';
  v_tenant integer;
  v_left integer := 1000;
  v_found integer;
begin
  perform internal.require_present(p_now);
  perform internal.require_channel(p_channel);
  if coalesce(p_until <= p_from or p_from < p_now - interval '30 days', true) then
    perform internal.refuse_fields(
      internal.field_error('p_from', 'must be before p_until, and within the last 30 days')
    );
  elsif p_tenant is null then
    perform internal.require_whole_installation();
  end if;
  for v_slug in
    select known.slug from kith.tenants as known
    where known.deleted_at is null and known.slug = coalesce(p_tenant, known.slug) order by known.slug
  loop
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
    v_seen := v_seen || case when v_found > 0 then array[v_slug] else '{}' end;
    perform internal.leave_tenant();
    if v_left <= 0 then
      return query select null::text, null::uuid, null::text, 'there may be more: these are the first 1,000',
        null::timestamptz, null::timestamptz, null::interval, null::text,
        format('select * from admin.delayed(%L, %L, %L, %L)', p_channel, p_from, p_until, v_slug)
        || ', and a shorter time';
      exit;
    end if;
  end loop;
  if p_tenant is not null and v_slug is null then
    perform internal.enter_tenant(p_tenant);
  end if;
  perform internal.note_read('delayed', v_seen, array_fill(null::text, array[cardinality(v_seen)]));
end
$$;
comment on function admin.delayed(text, timestamptz, timestamptz, text, timestamptz) is
  'Whom an outage of a provider or a pause delayed: the messages of a channel that were made in a time and left a '
  'minute late or more, or never, by tenant, alarms first; at most 1,000, and then a line that says so. A question '
  'that was dropped because its deadline had passed while it waited is among them: its sender was not asked (became). '
  'reached_at is when the first channel took the notification or its reader read it; null if they do not know yet: '
  'select * from admin.delayed(''sms'', ''2027-03-10 02:00Z'', ''2027-03-10 05:00Z''). The times of refusals and '
  'pauses are in the audit: select * from admin.audit where action like ''channel.%''. admin.replay_outage sends again '
  'what is lost.';
grant execute on function admin.delayed(text, timestamptz, timestamptz, text, timestamptz) to kith_reader;
