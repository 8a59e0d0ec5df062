-- What the status page says to anybody (G11): whether check-ins are taken, missed ones noticed and messages sent, and the interruptions of
-- 90 days. It has no number of people, and nothing from which the life of one could be told.

create or replace function internal.channel_statuses(p_tenant_id integer, p_now timestamptz)
  returns table (channel text, state text, since timestamptz)
  language sql
  stable
as $$
  select known.channel,
    case
      when paused.at is not null then 'paused'
      when known.refused_since <= p_now - interval '1 minute' then 'refused'
      when waiting.at <= p_now - interval '5 minutes' then 'late'
      else 'ok'
    end,
    coalesce(
      paused.at,
      case when known.refused_since <= p_now - interval '1 minute' then known.refused_since end,
      case when waiting.at <= p_now - interval '5 minutes' then waiting.at end
    )
  from kith.channel_credentials as known
  cross join lateral (
    select min(pause.paused_at) as at from kith.channel_pauses as pause where pause.tenant_id in (0, p_tenant_id) and pause.channel = known.channel
  ) as paused
  cross join lateral (
    select min(oldest.at) as at
    from unnest(array[false, true]) as urgent (is_urgent)
    cross join lateral (
      select delivery.next_attempt_at as at
      from kith.deliveries as delivery
      where delivery.channel = known.channel and delivery.tenant_id = p_tenant_id and delivery.is_urgent = urgent.is_urgent
        and delivery.status in ('queued', 'sending') and delivery.attempts >= 0
      order by delivery.next_attempt_at
      limit 1
    ) as oldest
  ) as waiting
  where known.tenant_id = p_tenant_id
$$;
comment on function internal.channel_statuses(integer, timestamptz) is
  'Whether each channel of a tenant sends: ok; paused by an operator; refused by its provider for a minute or longer; late, if a message has been due '
  'for 5 minutes. since is when that began; null for ok.';

create or replace function internal.common_channel_statuses(p_now timestamptz) returns table (channel text, state text, since timestamptz)
  language sql
  stable
as $$
  select used.channel,
    case
      when pause.paused_at is not null then 'paused'
      when waiting.oldest_at <= p_now - interval '5 minutes' then 'late'
      when used.is_refused then 'partly'
      else 'ok'
    end,
    coalesce(pause.paused_at, case when waiting.oldest_at <= p_now - interval '5 minutes' then waiting.oldest_at end)
  from (
    select known.channel, coalesce(bool_or(known.refused_since <= p_now - interval '1 minute'), false) as is_refused
    from kith.channel_credentials as known
    group by known.channel
  ) as used
  left join kith.channel_pauses as pause on pause.tenant_id = 0 and pause.channel = used.channel
  left join internal.waiting_deliveries(p_now) as waiting on waiting.channel = used.channel
$$;
comment on function internal.common_channel_statuses(timestamptz) is
  'The same of all tenants together: partly, if the provider of some tenant refuses everything.';

create or replace function api.status(p_tenant_id integer, p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_watched_from timestamptz := (select min(noticed_at) from kith.incarnations);
begin
  return json_build_object(
    'server_down_since', (select internal.instant(began_at) from internal.outages_of(p_tenant_id) where component = 'server' and ended_at is null),
    'worker_down_since', (select internal.instant(began_at) from internal.outages_of(p_tenant_id) where component = 'worker' and ended_at is null),
    'check_ins_since', internal.instant((
      select greatest(max(ended_at), v_watched_from) from internal.outages_of(p_tenant_id) where component = 'server'
    )),
    'alarms_since', internal.instant((select greatest(max(ended_at), v_watched_from) from internal.outages_of(p_tenant_id))),
    'rests_until', internal.instant((
      select max(ended_at) + interval '15 minutes' from internal.outages_of(p_tenant_id) where ended_at > p_now - interval '15 minutes'
    )),
    'is_held', internal.awaits_confirmation(),
    'channels', coalesce((
      select json_agg(json_build_object('channel', known.channel, 'state', known.state, 'since', internal.instant(known.since)) order by known.channel)
      from (
        select * from internal.channel_statuses(p_tenant_id, p_now) where p_tenant_id is not null
        union all
        select * from internal.common_channel_statuses(p_now) where p_tenant_id is null
      ) as known
    ), '[]'),
    'outages', coalesce((
      select json_agg(
        json_build_object(
          'component', past.component, 'began_at', internal.instant(past.began_at), 'ended_at', internal.instant(past.ended_at),
          'told_at', internal.instant(past.sender_told_at)
        ) order by past.began_at desc, past.component
      )
      from (
        select outage.component, outage.began_at, outage.ended_at, recorded.sender_told_at
        from internal.outages_of(p_tenant_id) as outage
        join kith.outages as recorded
          on recorded.component = outage.component and recorded.began_at <= outage.began_at and recorded.ended_at is not distinct from outage.ended_at
        where outage.ended_at is null or outage.ended_at > p_now - interval '90 days'
        order by outage.began_at desc
        limit 100
      ) as past
    ), '[]')
  );
end
$$;
comment on function api.status(integer, timestamptz) is
  'What the status page says of a tenant, or with null of all: since when no server and no worker runs, if so; since when check-ins are taken and missed ones '
  'noticed without an interruption (null if nothing has run yet); until when nobody is judged after an interruption, and whether nobody is before an '
  'operator has confirmed a restore; each channel; and at most 100 interruptions of the last 90 days, newest first, with when all were told whose check-in '
  'waited. api.readiness has how late the worker is. Security definer, because a visitor has no tenant.';
grant execute on function api.status(integer, timestamptz) to kith_api;
