drop view if exists admin.canaries;
create view admin.canaries with (security_barrier, security_invoker) as
select tenant.slug as tenant, canary.channel, canary.every_hours, canary.within_minutes, canary.needs_heard,
  case
    when now() > canary.due_by then 'overdue' when canary.outcome is null and canary.asks_at is not null
      then 'under way'
    when canary.outcome = 'died' then 'died' when canary.outcome = 'arrived' then 'arrived' else 'new'
  end as state,
  case when now() > canary.due_by then now() - canary.due_by end as overdue, canary.asks_at, canary.leg as missing_leg,
    canary.arrived_at, canary.due_by,
  canary.error, internal.canary_legs(canary.tenant_id, canary.channel) as seconds,
  format(
    'select * from admin.canary_runs where tenant = %L and channel = %L order by asks_at desc limit 10', tenant.slug,
    canary.channel
  ) as next
from internal.canary_states(now()) as canary
join kith.tenants as tenant on tenant.tenant_id = canary.tenant_id;
comment on view admin.canaries is
  'Each channel that a canary watches (G10), and how its newest run is: select * from admin.canaries where state in '
  '(''overdue'', ''died''). kith canary shows it.';
comment on column admin.canaries.tenant is 'The tenant''s slug.';
comment on column admin.canaries.channel is 'webhook, push, email, sms or call.';
comment on column admin.canaries.every_hours is 'How many hours lie between two runs.';
comment on column admin.canaries.within_minutes is 'How long after its deadline a run must have arrived.';
comment on column admin.canaries.needs_heard is 'Whether a run must be answered, and not only taken by the provider.';
comment on column admin.canaries.state is
  'new: no run yet; under way; arrived; died: the newest run did not arrive in time; overdue: none has since due_by, '
  'or no worker runs at all.';
comment on column admin.canaries.overdue is 'For how long a run should have arrived; null if none should.';
comment on column admin.canaries.asks_at is 'When the newest run was to ask.';
comment on column admin.canaries.missing_leg is
  'The first leg that the newest run has not made: made, asked, missed, alarm, planned, sent, taken or heard. Null if '
  'it has made all.';
comment on column admin.canaries.arrived_at is 'When the newest run that arrived was to ask.';
comment on column admin.canaries.due_by is 'By when the next one must have arrived.';
comment on column admin.canaries.error is 'The last objection of the provider or the endpoint.';
comment on column admin.canaries.seconds is 'How long each leg of the newest run that has ended took.';
comment on column admin.canaries.next is 'The statement that shows its runs.';
grant select on admin.canaries to kith_reader;

drop view if exists admin.canary_runs;
create view admin.canary_runs with (security_barrier, security_invoker) as
select tenant.slug as tenant, arrival.channel, run.asks_at, run.made_at, run.asked_at, run.missed_at, run.alarm_at,
  arrival.planned_at, arrival.sent_at,
  arrival.taken_at, arrival.heard_at, coalesce(arrival.outcome, 'under way') as outcome, arrival.error, run.alarm_id,
  case
    when run.alarm_id is not null then format('select * from admin.story_of_alarm(%L, %L)', tenant.slug, run.alarm_id)
  end as next
from kith.canary_runs as run
join kith.canary_arrivals as arrival
  on arrival.tenant_id = run.tenant_id and arrival.canary_id = run.canary_id and arrival.asks_at = run.asks_at
join kith.tenants as tenant on tenant.tenant_id = run.tenant_id;
comment on view admin.canary_runs is
  'The runs of canaries in the last 30 days, with the instant of each leg, one row for each channel: where tenant = … '
  'order by asks_at desc.';
comment on column admin.canary_runs.tenant is 'The tenant''s slug.';
comment on column admin.canary_runs.channel is 'webhook, push, email, sms or call.';
comment on column admin.canary_runs.asks_at is 'The time of the ping.';
comment on column admin.canary_runs.made_at is 'When the ping was made.';
comment on column admin.canary_runs.asked_at is 'When the sender was asked.';
comment on column admin.canary_runs.missed_at is 'When the ping was judged as missed.';
comment on column admin.canary_runs.alarm_at is 'When the alarm opened.';
comment on column admin.canary_runs.planned_at is 'When the message was planned.';
comment on column admin.canary_runs.sent_at is 'When it was first tried.';
comment on column admin.canary_runs.taken_at is 'When the provider or the endpoint accepted it.';
comment on column admin.canary_runs.heard_at is 'When it was answered.';
comment on column admin.canary_runs.outcome is 'arrived, died or under way.';
comment on column admin.canary_runs.error is 'The last objection of the provider or the endpoint.';
comment on column admin.canary_runs.alarm_id is 'The alarm.';
comment on column admin.canary_runs.next is 'The statement that tells the alarm''s story.';
grant select on admin.canary_runs to kith_reader;
