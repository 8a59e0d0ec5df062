-- The alarms that concern a user now.

create or replace function internal.oldest_open_alarm(p_now timestamptz) returns uuid
  language sql
  stable
as $$
  -- An alarm ends 7 days after it opened, or after the sender called for help in it.
  select internal.first_uuid7(p_now - interval '15 days')
$$;
comment on function internal.oldest_open_alarm(timestamptz) is 'The smallest id that an alarm without an end can have.';

create or replace function internal.alarms_told(p_tenant integer, p_user uuid, p_now timestamptz, p_limit integer)
  returns setof kith.alarms
  language plpgsql
  stable
as $$
begin
  return query
  select alarm.*
  from kith.alarm_receivers as receiver
  join kith.alarms as alarm on alarm.tenant_id = p_tenant and alarm.id = receiver.alarm_id
  where receiver.tenant_id = p_tenant and receiver.receiver_id = p_user
    and receiver.alarm_id >= internal.oldest_open_alarm(p_now)
    and receiver.told_at is not null and receiver.left_at is null
    and alarm.resolved_at is null and alarm.expires_at > p_now
  order by receiver.alarm_id desc
  limit p_limit;
end
$$;
comment on function internal.alarms_told(integer, uuid, timestamptz, integer) is
  'The alarms that are open or taken and of which a user was told and has not left, newest first. It reads the alarms '
  'of the last two weeks of which they were told. For definer procedures.';

create or replace function internal.sight_of_alarm(p_alarm kith.alarms) returns jsonb
  language plpgsql
  stable
as $$
begin
  return jsonb_build_object(
    'kind', p_alarm.kind,
    'at', case p_alarm.kind when 'help' then coalesce(p_alarm.called_at, p_alarm.opened_at) else p_alarm.opened_at end
  );
end
$$;
comment on function internal.sight_of_alarm(kith.alarms)
  is 'What the state of a connection says of an alarm: which, and since when.';

create or replace function internal.alarms_in_sight(p_tenant integer, p_user uuid, p_now timestamptz) returns jsonb
  language plpgsql
  stable
as $$
begin
  -- Without a limit: about one sender one real alarm stands, and a sender who is left out would read as safe.
  return (
    select jsonb_build_object(
      'alarms', jsonb_object_agg(
        (seen.alarm).sender_id, internal.sight_of_alarm(seen.alarm)
      ) filter (where seen.told_at is not null),
      'doubted', jsonb_agg((seen.alarm).sender_id) filter (where seen.told_at is null)
    )
    from (
      select alarm, receiver.told_at
      from kith.alarm_receivers as receiver
      join kith.alarms as alarm on alarm.tenant_id = p_tenant and alarm.id = receiver.alarm_id
      where receiver.tenant_id = p_tenant and receiver.receiver_id = p_user
        and receiver.alarm_id >= internal.oldest_open_alarm(p_now)
        and receiver.left_at is null and alarm.resolved_at is null and alarm.expires_at > p_now
        and alarm.kind <> 'drill'
      offset 0
    ) as seen
  );
end
$$;
comment on function internal.alarms_in_sight(integer, uuid, timestamptz) is
  'The real alarms that stand about senders of a user: {alarms, doubted}. alarms are those of which the user was told, '
  '{kind, at} by the id of the sender; doubted are the senders of those of which they are told later, or never: nobody '
  'calls them safe (X39), and nothing says why. Either is null without one. For definer procedures.';

create or replace function internal.alarm_in_sight(p_tenant integer, p_user uuid, p_sender uuid, p_now timestamptz)
  returns jsonb
  language plpgsql
  stable
as $$
declare
  v_alarm kith.alarms;
  v_told_at timestamptz;
begin
  -- Two look-ups, of which most people pay for the first.
  select * into v_alarm from kith.alarms
  where tenant_id = p_tenant and sender_id = p_sender and resolved_at is null and kind <> 'drill'
    and expires_at > p_now;
  if not found then
    return '{}';
  end if;
  select told_at into v_told_at from kith.alarm_receivers
  where tenant_id = p_tenant and alarm_id = v_alarm.id and receiver_id = p_user and left_at is null;
  return case
    when not found then '{}'
    when v_told_at is null then jsonb_build_object('doubted', jsonb_build_array(p_sender))
    else jsonb_build_object('alarms', jsonb_build_object(p_sender, internal.sight_of_alarm(v_alarm)))
  end;
end
$$;
comment on function internal.alarm_in_sight(integer, uuid, uuid, timestamptz) is
  'internal.alarms_in_sight of a single sender, of whom one real alarm can stand. For definer procedures.';

create or replace function internal.has_recent_alarms(p_tenant integer, p_user uuid, p_now timestamptz) returns boolean
  language plpgsql
  stable
as $$
declare
  v_oldest uuid := internal.oldest_open_alarm(p_now);
begin
  return coalesce(
    (
      select true from kith.alarm_receivers where tenant_id = p_tenant and receiver_id = p_user and alarm_id >= v_oldest
      limit 1
    ),
    (select true from kith.alarms where tenant_id = p_tenant and sender_id = p_user and id >= v_oldest limit 1),
    false
  );
end
$$;
comment on function internal.has_recent_alarms(integer, uuid, timestamptz) is
  'Whether an alarm may concern somebody now: one of the last two weeks did. It costs most people two looks into an '
  'index.';

create or replace function internal.own_open_alarms(p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select coalesce(
      json_agg(
        json_build_object(
          'id', alarm.id,
          'kind', alarm.kind,
          'status', state.status,
          'role', case alarm.sender_id when v_user then 'sender' else 'receiver' end,
          'state', internal.alarm_state(alarm, v_user, state.status, people.sender, people.taker, null, p_now),
          'sender', people.sender,
          'opened_at', internal.instant(alarm.opened_at),
          'taken_by', people.taker,
          'taken_by_me', state.status = 'taken' and alarm.taken_by is not distinct from v_user,
          'taken_until', case when state.status = 'taken' then internal.instant(alarm.taken_until) end
        )
        order by alarm.kind = 'drill', alarm.id desc
      ), '[]'
    )
    from (
      select own.* from kith.alarms as own
      where own.tenant_id = v_tenant and own.sender_id = v_user and own.id >= internal.oldest_open_alarm(p_now)
        and own.resolved_at is null and own.expires_at > p_now
      union all
      select told.* from internal.alarms_told(v_tenant, v_user, p_now, 20) as told
    ) as alarm
    cross join lateral (select internal.alarm_status(alarm, p_now) as status) as state
    cross join lateral (
      select internal.alarm_person(alarm, v_user, alarm.sender_id, null) as sender,
        case
          when state.status = 'taken' then internal.alarm_person(alarm, v_user, alarm.taken_by, alarm.taken_by_desk)
        end as taker
      offset 0
    ) as people
  );
end
$$;
comment on function internal.own_open_alarms(timestamptz) is
  'The alarms that concern the current user now, as their sender or because they were told, newest first and drills '
  'last: at most 22. Without timelines: api.get_alarm has them. Security definer, because kith_api may not read '
  'alarms.';
grant execute on function internal.own_open_alarms(timestamptz) to kith_api;

create or replace function internal.may_know_alarm(p_alarm kith.alarms, p_receiver uuid) returns boolean
  language plpgsql
  stable
as $$
begin
  return not exists (
    select from kith.undelivered_alarms as missed
    join kith.notifications as notification
      on notification.tenant_id = missed.tenant_id and notification.id = missed.notification_id
    where missed.tenant_id = p_alarm.tenant_id and missed.user_id = p_receiver and missed.resolved_at is null
      and missed.webhook_told_at is null and notification.data ->> 'alarm_id' = p_alarm.id::text
  ) or exists (
    select from kith.notifications as other
    where other.tenant_id = p_alarm.tenant_id and other.user_id = p_receiver
      and other.id >= internal.first_uuid7(p_alarm.opened_at - interval '1 minute')
      and other.data ? 'alarm_id' and other.data ->> 'alarm_id' = p_alarm.id::text
      and (other.read_at is not null or other.delivery_status = 'sent')
  );
end
$$;
comment on function internal.may_know_alarm(kith.alarms, uuid) is
  'Whether a receiver who was told of an alarm may know of it: no message of it has failed on every channel, or '
  'another one has arrived, or the tenant''s server or an operator has taken care of it.';

create or replace function internal.has_desk(p_tenant integer, p_now timestamptz) returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (
    select from kith.api_keys as key
    where key.tenant_id = p_tenant and key.scopes && array['alarms', 'all'] and key.revoked_at is null
      and coalesce(key.expires_at > p_now, true)
  ) or exists (
    select from kith.webhooks as webhook
    where webhook.tenant_id = p_tenant and webhook.disabled_at is null
      and (webhook.types = '{}' or 'alarm' = any (webhook.types))
  );
end
$$;
comment on function internal.has_desk(integer, timestamptz) is
  'Whether a tenant has a desk that can learn of an alarm (K09): a valid key with the scope alarms or all, with which '
  'it can list them, or an enabled endpoint that takes events of the type alarm. Whether the desk has learned of one: '
  'internal.desk_may_know.';

create or replace function internal.desk_may_know(p_alarm kith.alarms, p_now timestamptz) returns boolean
  language plpgsql
  stable
as $$
begin
  if p_alarm.desk_told_at is null then
    return false;
  end if;
  return p_alarm.desk_told_at >= p_now - interval '5 minutes'
    or exists (
      select from kith.alarm_entries as entry
      where entry.tenant_id = p_alarm.tenant_id and entry.alarm_id = p_alarm.id and entry.desk is not null
    )
    or exists (
      select from kith.api_keys as key
      where key.tenant_id = p_alarm.tenant_id and key.scopes && array['alarms', 'all'] and key.revoked_at is null
        and coalesce(key.expires_at > p_now, true) and key.last_used_at >= p_alarm.desk_told_at
    )
    or exists (
      select from kith.webhooks as webhook
      where webhook.tenant_id = p_alarm.tenant_id and webhook.disabled_at is null
        and (webhook.types = '{}' or 'alarm' = any (webhook.types))
        and webhook.created_at <= p_alarm.desk_told_at
        -- The position alone says nothing: an endpoint that has slept gets the instant at which there was news for it,
        -- accepted or not.
        and webhook.taken_at >= p_alarm.desk_told_at and webhook.last_success_at >= p_alarm.desk_told_at
    );
end
$$;
comment on function internal.desk_may_know(kith.alarms, timestamptz) is
  'Whether the desk may know of an alarm: it was told in the last 5 minutes, or somebody of it has done something in '
  'the alarm, or since it was told a valid key with the scope alarms or all was used, or an enabled endpoint that '
  'takes alarms has accepted what came.';

create or replace function internal.untold_alarms(p_now timestamptz)
  returns table (tenant text, id uuid, kind text, sender_id uuid, opened_at kith.instant)
  language plpgsql
  stable
as $$
begin
  return query
  select tenant.slug, alarm.id, alarm.kind, alarm.sender_id, alarm.opened_at
  from kith.alarms as alarm
  join kith.tenants as tenant on tenant.tenant_id = alarm.tenant_id and tenant.deleted_at is null
  where alarm.next_at is not null and alarm.kind <> 'drill' and alarm.expires_at > p_now and alarm.taken_at is null
    and not exists (select from internal.hidden_person(alarm.tenant_id, alarm.sender_id))
    and alarm.opened_at < p_now - interval '5 minutes'
    and not internal.desk_may_know(alarm, p_now)
    and not exists (
      select from kith.alarm_receivers as receiver
      where receiver.tenant_id = alarm.tenant_id and receiver.alarm_id = alarm.id and receiver.left_at is null
        and case
          -- Whose tier comes later is told then.
          when receiver.told_at is null then receiver.tell_at > p_now - interval '5 minutes'
          else internal.may_know_alarm(alarm, receiver.receiver_id)
        end
    )
  order by alarm.opened_at;
end
$$;
comment on function internal.untold_alarms(timestamptz) is
  'The alarms that have been open for 5 minutes and of which nobody knows, neither a receiver nor the desk '
  '(internal.desk_may_know): the sender has no receivers, all have left, the worker does not tell them, or the desk '
  'does not exist or takes nothing. For kith doctor and admin.overview.';
