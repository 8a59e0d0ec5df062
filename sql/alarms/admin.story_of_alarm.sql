-- The story of one alarm for an operator: who was told, who took it, and how it ended, without what people wrote.

create or replace function internal.telling_in_story(p_alarm kith.alarms, p_receiver uuid) returns text
  language plpgsql
  stable
as $$
begin
  return (
    select case
      when bool_or(telling.kind in ('told', 'seen')) then 'they were told'
      when bool_or(telling.kind = 'being_told') then 'they are being told'
      when bool_or(telling.kind = 'not_reached') then 'they were to be told, and no message reached them'
      else 'they were to be told'
    end
    from internal.alarm_tellings(p_alarm, kith.now()) as telling
    where telling.user_id = p_receiver
  );
end
$$;
comment on function internal.telling_in_story(kith.alarms, uuid) is
  'Whether somebody was told of an alarm (internal.alarm_tellings), in the words of a story. For '
  'internal.day_of_alarms.';

create or replace function internal.day_of_alarms(
  p_user kith.users, p_slug text, p_from timestamptz, p_until timestamptz
)
  returns table (at timestamptz, what text, detail text, next text)
  language sql
  stable
as $$
  select alarm.opened_at, 'alarm',
    format(
      '%s, %s%s',
      case when alarm.sender_id = p_user.id then 'their own' else internal.telling_in_story(alarm, p_user.id) end,
      alarm.kind,
      case
        when alarm.resolved_at is not null
          then format('; ended at %s: %s', internal.shown_instant(alarm.resolved_at), alarm.outcome)
      end
    ),
    format('select * from admin.story_of_alarm(%L, %L)', p_slug, alarm.id)
  from (
    (
      select own.id from kith.alarms as own where own.tenant_id = p_user.tenant_id and own.sender_id = p_user.id
      order by own.id desc limit 100
    )
    union
    (
      select receiver.alarm_id from kith.alarm_receivers as receiver
      where receiver.tenant_id = p_user.tenant_id and receiver.receiver_id = p_user.id and receiver.told_at is not null
      order by receiver.alarm_id desc limit 100
    )
  ) as known (id)
  join kith.alarms as alarm on alarm.tenant_id = p_user.tenant_id and alarm.id = known.id
  where alarm.opened_at < p_until and coalesce(alarm.resolved_at, alarm.expires_at) >= p_from
$$;
comment on function internal.day_of_alarms(kith.users, text, timestamptz, timestamptz) is
  'The alarms of a user that were not over before a time, their own and those of which they were told; of the newest '
  '100 of each. For admin.story_of_user.';

create or replace function internal.person_in_story(p_tenant integer, p_user uuid) returns text
  language plpgsql
  stable
as $$
begin
  return (
    select format('%s (%s)', coalesce(account.display_name, 'somebody whose account has ended'), p_user)
    from kith.users as account where account.tenant_id = p_tenant and account.id = p_user
  );
end
$$;
comment on function internal.person_in_story(integer, uuid)
  is 'A person as an operator reads them in a story: the name and the id. Null for null.';

create or replace function internal.unreached_receivers(p_alarm kith.alarms)
  returns table (notification_id uuid, user_id uuid, at kith.instant, webhook_told_at kith.instant)
  language plpgsql
  stable
as $$
begin
  return query
  select missed.notification_id, missed.user_id, missed.at, missed.webhook_told_at
  from kith.alarm_receivers as receiver
  join kith.undelivered_alarms as missed
    on missed.tenant_id = receiver.tenant_id and missed.user_id = receiver.receiver_id
  join kith.notifications as notification
    on notification.tenant_id = missed.tenant_id and notification.id = missed.notification_id
  where receiver.tenant_id = p_alarm.tenant_id and receiver.alarm_id = p_alarm.id
    and notification.data ->> 'alarm_id' = p_alarm.id::text;
end
$$;
comment on function internal.unreached_receivers(kith.alarms) is
  'The receivers of an alarm whom a message of it reached on no channel, also those of whom an operator has taken care '
  'since.';

create or replace function internal.tries_for(p_alarm kith.alarms, p_user uuid) returns text
  language plpgsql
  stable
as $$
begin
  return coalesce(
    (
      select string_agg(internal.what_became_of(told), '; ' order by told.id)
      from (
        select notification.* from kith.notifications as notification
        where notification.tenant_id = p_alarm.tenant_id and notification.user_id = p_user
          and notification.id >= internal.first_uuid7(p_alarm.opened_at - interval '1 minute')
          and notification.data ->> 'alarm_id' = p_alarm.id::text and notification.delivery_status = 'queued'
        order by notification.id
        limit 3
      ) as told
    ), ''
  );
end
$$;
comment on function internal.tries_for(kith.alarms, uuid) is
  'What has been tried so far to tell somebody of an alarm whom no message has reached, in words for an operator. For '
  'internal.alarm_story.';

create or replace function internal.alarm_story(p_alarm kith.alarms, p_now timestamptz)
  returns table (at kith.instant, what text, detail text)
  language plpgsql
  stable
as $$
begin
  return query
  select p_alarm.opened_at, 'opened'::text,
    format('%s, about %s', p_alarm.kind, internal.person_in_story(p_alarm.tenant_id, p_alarm.sender_id))
  union all
  select telling.at, replace(telling.kind, '_', ' '),
    concat_ws(', by ', internal.person_in_story(p_alarm.tenant_id, telling.user_id), telling.channel)
    || case
      when telling.kind = 'being_told' then ', by no channel yet: ' || internal.tries_for(p_alarm, telling.user_id)
      else ''
    end
  from internal.alarm_tellings(p_alarm, p_now) as telling
  -- Below with the reasons.
  where telling.kind <> 'not_reached'
  union all
  (
    select coalesce(receiver.left_at, receiver.tell_at),
      case when receiver.left_at is not null then 'left before they were told' else 'not told yet' end,
      internal.person_in_story(p_alarm.tenant_id, receiver.receiver_id)
    from kith.alarm_receivers as receiver
    where receiver.tenant_id = p_alarm.tenant_id and receiver.alarm_id = p_alarm.id and receiver.told_at is null
    order by receiver.tell_at, receiver.receiver_id
    limit 100
  )
  union all
  (
    select entry.at, entry.kind,
      concat_ws(
        ', ', internal.person_in_story(p_alarm.tenant_id, entry.user_id), entry.desk || ' of the desk', entry.outcome,
        case when entry.note is not null then 'with a note' end
      )
    from kith.alarm_entries as entry
    where entry.tenant_id = p_alarm.tenant_id and entry.alarm_id = p_alarm.id
    order by entry.id desc
    limit 500
  )
  union all
  select missed.at, 'not reached', format(
    '%s, on no channel: %s%s', internal.person_in_story(p_alarm.tenant_id, missed.user_id),
    coalesce(tried.errors, 'none could be tried'),
    case when missed.webhook_told_at is not null then '; the tenant''s server was told instead' end
  )
  from internal.unreached_receivers(p_alarm) as missed
  cross join lateral (
    select string_agg(concat_ws(': ', delivery.channel, delivery.error), '; ' order by delivery.id) as errors
    from kith.deliveries as delivery
    where delivery.tenant_id = p_alarm.tenant_id and delivery.notification_id = missed.notification_id
  ) as tried
  union all
  select coalesce(p_alarm.resolved_at, p_alarm.next_at),
    case when p_alarm.resolved_at is null then 'the worker acts next' else 'ended' end, coalesce(
      (
        select format('by %s: %s', act.actor, act.detail ->> 'reason') from kith.audit as act
        where act.tenant_id = p_alarm.tenant_id and act.subject = p_alarm.id::text and act.action = 'alarm.end'
        order by act.id desc limit 1
      ), p_alarm.outcome
    );
end
$$;
comment on function internal.alarm_story(kith.alarms, timestamptz) is
  'Returns what happened in an alarm, for an operator: the lines of internal.alarm_timeline with names and ids and '
  'without notes, the receivers who were not told, and those whom no message reached. For admin.story_of_alarm.';

create or replace function admin.story_of_alarm(p_tenant text, p_alarm uuid)
  returns table (at timestamptz, what text, detail text)
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_alarm kith.alarms;
begin
  select * into v_alarm from kith.alarms where tenant_id = v_tenant and id = p_alarm;
  if not found then
    perform internal.refuse_unknown(p_tenant, format('alarm %s', p_alarm), 'admin.alarms');
  end if;
  return query select story.at::timestamptz, story.what, story.detail
    from internal.alarm_story(v_alarm, kith.now()) as story order by story.at, story.what;
  perform internal.leave_tenant();
  perform internal.note_read_of('story_of_alarm', p_tenant, array[p_alarm, v_alarm.sender_id] || array(
    select receiver.receiver_id from kith.alarm_receivers as receiver
    where receiver.tenant_id = v_tenant and receiver.alarm_id = p_alarm and receiver.told_at is not null limit 20
  ));
end
$$;
comment on function admin.story_of_alarm(text, uuid) is
  'What happened in an alarm: who was told on which channel and has read it, who took it and gave it back, and how it '
  'ended, without what people wrote: select * from admin.story_of_alarm(''acme'', ''019aa5c2-…''). admin.alarms has '
  'the ids, and so has admin.story_of_user.';
grant execute on function admin.story_of_alarm(text, uuid) to kith_reader;
