-- How a tenant's canaries are: for the metrics, kith doctor, operators and the tenant's page.

create or replace function internal.canary_states(p_now timestamptz) returns table (
  tenant_id integer, channel text, every_hours integer, within_minutes integer, needs_heard boolean,
  watched_from timestamptz, arrived_at timestamptz,
  due_by timestamptz, asks_at timestamptz, dies_at timestamptz, outcome text, leg text, error text
)
  language sql
  stable
as $$
  select watched.tenant_id, watched.channel, canary.every_hours, canary.within_minutes, watched.needs_heard,
    watched.watched_from, arrived.at,
    -- Five minutes are internal.canary_grace, which operators may not call.
    coalesce(arrived.at, watched.watched_from) + make_interval(
      hours => canary.every_hours, mins => 5 + canary.within_minutes
    ),
    newest.asks_at, newest.dies_at, newest.outcome, newest.leg, newest.error
  from kith.canary_channels as watched
  join kith.canaries as canary on canary.tenant_id = watched.tenant_id and canary.id = watched.canary_id
  join kith.tenants as tenant on tenant.tenant_id = watched.tenant_id and tenant.deleted_at is null
  left join lateral (
    select max(one.asks_at) as at
    from kith.canary_arrivals as one
    where one.tenant_id = watched.tenant_id and one.channel = watched.channel and one.outcome = 'arrived'
      and one.asks_at >= watched.watched_from
  ) as arrived on true
  left join lateral (
    select run.asks_at, run.dies_at, one.outcome, one.error,
      case
        when run.made_at is null then 'made' when run.asked_at is null then 'asked' when run.missed_at is null
          then 'missed'
        when run.alarm_at is null then 'alarm' when one.planned_at is null then 'planned' when one.sent_at is null
          then 'sent'
        when one.taken_at is null then 'taken' when one.heard_at is null then 'heard'
      end as leg
    from kith.canary_arrivals as one
    join kith.canary_runs as run
      on run.tenant_id = one.tenant_id and run.canary_id = one.canary_id and run.asks_at = one.asks_at
    where one.tenant_id = watched.tenant_id and one.channel = watched.channel and one.asks_at >= watched.watched_from
    order by one.asks_at desc
    limit 1
  ) as newest on true
  -- In two cells at once, one watches.
  where not exists (
    select from kith.moving_tenants as moved
    where moved.tenant_id = watched.tenant_id and moved.state in ('gone', 'arriving')
  )
$$;
comment on function internal.canary_states(timestamptz) is
  'Each channel that a canary watches: the newest run that arrived on it, by when the next one must have (due_by), and '
  'the newest run with its first missing leg. due_by depends on no worker: if nothing runs, it passes. Returns a '
  'table, which the planner can inline.';
grant execute on function internal.canary_states(timestamptz) to kith_reader;

create or replace function internal.canary_legs(p_tenant integer, p_channel text) returns jsonb
  language plpgsql
  stable
as $$
begin
  return (
    select jsonb_strip_nulls(jsonb_build_object(
      'made', date_part(
        'epoch', greatest(
          interval '0', run.made_at - greatest(date_trunc('day', run.asks_at, 'UTC'), canary.created_at)
        )
      ),
      'asked', date_part('epoch', run.asked_at - run.asks_at),
      'missed', date_part('epoch', run.missed_at - run.deadline_at),
      'alarm', date_part('epoch', run.alarm_at - run.missed_at),
      'planned', date_part('epoch', one.planned_at - run.alarm_at),
      'sent', date_part('epoch', one.sent_at - one.planned_at),
      'taken', date_part('epoch', one.taken_at - one.sent_at),
      'heard', date_part('epoch', one.heard_at - one.taken_at)
    ))
    from kith.canary_arrivals as one
    join kith.canary_runs as run
      on run.tenant_id = one.tenant_id and run.canary_id = one.canary_id and run.asks_at = one.asks_at
    join kith.canaries as canary on canary.tenant_id = one.tenant_id and canary.id = one.canary_id
    where one.tenant_id = p_tenant and one.channel = p_channel and one.outcome is not null
    order by one.asks_at desc
    limit 1
  );
end
$$;
comment on function internal.canary_legs(integer, text) is
  'How many seconds each leg took of the newest run that has ended on a channel, from the end of the one before it: '
  'made from the midnight of its date, asked from the ping''s time, missed from its deadline. A leg that did not come '
  'is missing. Null without a run.';
grant execute on function internal.canary_legs(integer, text) to kith_reader;
