-- What the status page says to anybody (G11): whether check-ins are taken, missed ones noticed and messages sent, and
-- the interruptions of 90 days. It has no number of people. A family's tenant has few of them, so it has no time of a
-- single message either.

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
    paused.at
  from kith.channel_credentials as known
  cross join lateral (
    select min(pause.paused_at)::timestamptz as at from kith.channel_pauses as pause
    where pause.tenant_id in (0, p_tenant_id) and pause.channel = known.channel
  ) as paused
  cross join lateral (
    select min(oldest.at) as at
    from unnest(array[false, true]) as urgent (is_urgent)
    cross join lateral (
      select delivery.next_attempt_at as at
      from kith.deliveries as delivery
      where delivery.channel = known.channel and delivery.tenant_id = p_tenant_id
        and delivery.is_urgent = urgent.is_urgent
        and delivery.status in ('queued', 'sending') and delivery.attempts >= 0
      order by delivery.next_attempt_at
      limit 1
    ) as oldest
  ) as waiting
  where known.tenant_id = p_tenant_id
$$;
comment on function internal.channel_statuses(integer, timestamptz) is
  'Whether each channel of a tenant sends: ok; paused by an operator, since when; refused, if the provider has '
  'accepted nothing for a minute or longer; late, if a message has been due for 5 minutes. Only a pause has an '
  'instant: the others would say when somebody was written to.';

create or replace function internal.common_channel_statuses(p_now timestamptz)
  returns table (channel text, state text, since timestamptz)
  language sql
  stable
as $$
  select used.channel,
    case
      when pause.paused_at is not null then 'paused'
      when used.is_refused or waiting.oldest_at <= p_now - interval '5 minutes' then 'partly'
      else 'ok'
    end,
    pause.paused_at::timestamptz
  from (
    select known.channel, coalesce(bool_or(known.refused_since <= p_now - interval '1 minute'), false) as is_refused
    from kith.channel_credentials as known
    where known.tenant_id <> all (internal.deleted_tenants())
    group by known.channel
  ) as used
  left join kith.channel_pauses as pause on pause.tenant_id = 0 and pause.channel = used.channel
  left join internal.waiting_deliveries(p_now) as waiting on waiting.channel = used.channel
$$;
comment on function internal.common_channel_statuses(timestamptz) is
  'The same of all tenants together: partly, if some tenant''s messages are not sent on time.';

create or replace function internal.interruptions(p_tenant_id integer, p_now timestamptz)
  returns table (component text, began_at timestamptz, ended_at timestamptz, is_restore boolean)
  language sql
  stable
as $$
  select outage.component, outage.began_at, outage.ended_at, exists (
    select from kith.incarnations as restored
    where restored.restored_to >= outage.began_at and restored.restored_to < coalesce(outage.ended_at, 'infinity')
      and restored.confirmed_by is distinct from 'kith'
  )
  from internal.outages_of(p_tenant_id) as outage
  union all
  -- Nobody has recorded it yet: a worker records that no server runs, and the first worker after it that none did.
  select silent.component, greatest(silent.since, came.at), null, false
  from (
    select component.name, max(beat.beat_at)::timestamptz
    from unnest(array['server', 'worker']) as component (name)
    join kith.heartbeats as beat on beat.component = component.name
    group by component.name
  ) as silent (component, since)
  left join (select moved.came_at as at from kith.moving_tenants as moved where moved.tenant_id = p_tenant_id) as came
    on true
  where silent.since < p_now - interval '60 seconds'
    and not exists (
      select from kith.outages as known where known.component = silent.component and known.ended_at is null
    )
$$;
comment on function internal.interruptions(integer, timestamptz) is
  'The outages that concern a tenant, or with null all, with one that lasts and that nobody has recorded yet: the '
  'newest heartbeat of a component is older than a minute. is_restore: the database was restored, so the outage begins '
  'at the last heartbeat that the back-up had.';

create or replace function api.status(p_tenant_id integer, p_now timestamptz) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
  -- Shorter than the server waits for the answer, as api.readiness.
  set lock_timeout = '500ms'
as $$
declare
  v_came_at timestamptz := (select came_at from kith.moving_tenants where tenant_id = p_tenant_id);
  v_watched_from timestamptz := greatest((select min(noticed_at) from kith.incarnations), v_came_at);
begin
  return json_build_object(
    'server_down_since',
    (
      select internal.instant(min(began_at)) from internal.interruptions(p_tenant_id, p_now)
      where component = 'server' and ended_at is null
    ),
    'worker_down_since',
    (
      select internal.instant(min(began_at)) from internal.interruptions(p_tenant_id, p_now)
      where component = 'worker' and ended_at is null
    ),
    'check_ins_since', internal.instant((
      select greatest(max(ended_at), v_watched_from) from internal.outages_of(p_tenant_id) where component = 'server'
    )),
    'alarms_since', internal.instant(greatest(
      (select max(ended_at) from internal.outages_of(p_tenant_id)), (select max(confirmed_at) from kith.incarnations),
      v_watched_from
    )),
    'rests_until', internal.instant((
      select max(ended_at) + interval '15 minutes' from internal.outages_of(p_tenant_id)
      where ended_at > p_now - interval '15 minutes'
    )),
    'is_held', internal.awaits_confirmation(),
    'channels', coalesce((
      select json_agg(
        json_build_object('channel', known.channel, 'state', known.state, 'since', internal.instant(known.since))
        order by known.channel
      )
      from (
        select * from internal.channel_statuses(p_tenant_id, p_now) where p_tenant_id is not null
        union all
        select * from internal.common_channel_statuses(p_now) where p_tenant_id is null
      ) as known
    ), '[]'),
    'listed_from', internal.instant(case when v_came_at > p_now - interval '90 days' then v_came_at end),
    'outages', coalesce((
      select json_agg(
        json_build_object(
          'component', past.component, 'began_at', internal.instant(past.began_at),
          'ended_at', internal.instant(past.ended_at), 'is_restore', past.is_restore
        ) order by past.began_at desc, past.component
      )
      from (
        select * from internal.interruptions(p_tenant_id, p_now)
        where ended_at is null or ended_at > p_now - interval '90 days'
        order by began_at desc
        limit 100
      ) as past
    ), '[]')
  );
end
$$;
comment on function api.status(integer, timestamptz) is
  'What the status page says of a tenant, or with null of all: since when no server and no worker runs, if so; since '
  'when check-ins are taken and missed ones noticed without an interruption (null if nothing has run yet); until when '
  'nobody is judged after an interruption, and whether nobody is before an operator has confirmed a restore; each '
  'channel; and at most 100 interruptions of the last 90 days, newest first, or of the time since the tenant came from '
  'another cell. api.readiness has how late the worker is. Security definer, because a visitor has no tenant.';
grant execute on function api.status(integer, timestamptz) to kith_api;
