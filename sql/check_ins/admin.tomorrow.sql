create or replace function internal.senders_of_run(p_run kith.ping_runs)
  returns table (pings bigint, senders bigint, ping_time time, senders_at_once bigint)
  language sql
  stable
as $$
  with sender as materialized (
    select profile.ping_time, connected.connections
    from kith.sender_profiles as profile
    cross join lateral (
      select count(*) as connections from kith.connections as one
      where one.tenant_id = p_run.tenant_id and one.sender_id = profile.user_id and one.status in ('active', 'pending')
        and one.pings_stopped_at is null
      offset 0
    ) as connected
    where profile.tenant_id = p_run.tenant_id and profile.time_zone = p_run.time_zone and profile.ended_at is null
      and connected.connections > 0
      and (p_run.ping_on between profile.break_from_on and profile.break_until_on) is not true
      and not exists (select from internal.hidden_person(p_run.tenant_id, profile.user_id))
    limit 100000
  )
  select (select sum(sender.connections)::bigint from sender), (select count(*) from sender), busiest.ping_time,
    busiest.senders
  from (select 1) as one
  left join (
    select sender.ping_time::time as ping_time, count(*) as senders from sender group by sender.ping_time
    order by count(*) desc, sender.ping_time limit 1
  ) as busiest on true
$$;
comment on function internal.senders_of_run(kith.ping_runs) is
  'What a run will make as things are now: its pings, their senders, and the time at which most of these are asked. Of '
  'at most 100,000 senders. For internal.forecast.';

create or replace function internal.questions_sent(p_tenant integer, p_at timestamptz) returns text
  language plpgsql
  stable
as $$
begin
  return (
    select string_agg(format('%s by %s', sent.messages, sent.channel), ', ' order by sent.messages desc, sent.channel)
      || format('; the last left after %s', date_trunc('second', max(sent.last_at) - p_at))
    from (
      select delivery.channel, count(*) as messages, max(delivery.sent_at) as last_at
      from kith.notifications as question
      join kith.deliveries as delivery
        on delivery.tenant_id = p_tenant and delivery.notification_id = question.id and delivery.status = 'sent'
      where question.tenant_id = p_tenant and question.type = 'ping_due'
        and question.id >= internal.first_uuid7(p_at)
        and question.id < internal.first_uuid7(p_at + interval '2 minutes')
      group by delivery.channel
    ) as sent
  );
end
$$;
comment on function internal.questions_sent(integer, timestamptz) is
  'The questions of a tenant that were made within two minutes of an instant: how many messages each channel took, and '
  'when the last one left. Null if none. For internal.forecast.';

create or replace function internal.forecast(p_run kith.ping_runs, p_last_on date)
  returns table (pings bigint, senders bigint, busiest_at timestamptz, busiest_senders bigint, busiest_last text)
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  select known.pings, known.senders, internal.local_instant(p_run.ping_on, known.ping_time, p_run.time_zone),
    known.senders_at_once,
    internal.questions_sent(p_run.tenant_id, internal.local_instant(p_last_on, known.ping_time, p_run.time_zone))
  from internal.senders_of_run(p_run) as known;
end
$$;
comment on function internal.forecast(kith.ping_runs, date) is
  'What a run will make (internal.senders_of_run), when most of its senders are asked, and what the same time took on '
  'p_last_on. Security definer, because operators may not call the rules of the schema internal.';
grant execute on function internal.forecast(kith.ping_runs, date) to kith_reader;

drop view if exists admin.tomorrow;
create view admin.tomorrow with (security_barrier, security_invoker) as
select tenant.slug as tenant, run.time_zone, run.ping_on, run.starts_at, run.starts_at - now() as starts_in,
  case
    when known.senders < 100000 then coalesce(known.pings, 0)
    else greatest(known.pings, last.created + last.skipped)
  end as expected,
  last.ping_on as as_on, last.finished_at - last.starts_at as last_took,
  known.busiest_at, known.busiest_senders, known.busiest_last
from kith.ping_runs as run
join kith.tenants as tenant on tenant.tenant_id = run.tenant_id
left join lateral (
  select done.ping_on, done.created, done.skipped, done.starts_at, done.finished_at
  from kith.ping_runs as done
  where done.tenant_id = run.tenant_id and done.time_zone = run.time_zone and done.ping_on < run.ping_on
    and done.finished_at is not null
  order by done.ping_on desc
  limit 1
) as last on true
cross join lateral internal.forecast(run, last.ping_on) as known
where run.finished_at is null and tenant.deleted_at is null
  -- The zone has senders other than a canary's.
  and not (
    exists (select from kith.canary_people as hidden where hidden.tenant_id = run.tenant_id and run.time_zone = 'UTC')
    and not exists (
      select from kith.sender_profiles as profile
      where profile.tenant_id = run.tenant_id and profile.time_zone = run.time_zone
        and not exists (select from internal.hidden_person(profile.tenant_id, profile.user_id))
    )
  );
comment on view admin.tomorrow is
  'The runs that come next, one for each tenant and time zone: when each begins, how many pings it will make as things '
  'are now, and when most people are asked, with what that took on the last date. select * from admin.tomorrow order '
  'by starts_at, expected desc; when it is busiest: select busiest_at, sum(busiest_senders) from admin.tomorrow group '
  'by 1 order by 2 desc nulls last. It counts the senders, so with millions of them name a tenant. A run that begins '
  'in the past is late. What else comes is in admin.coming.';
comment on column admin.tomorrow.tenant is 'The tenant''s slug.';
comment on column admin.tomorrow.time_zone is 'The time zone of the senders.';
comment on column admin.tomorrow.ping_on is 'The local date of the pings.';
comment on column admin.tomorrow.starts_at is 'When the run begins: the local midnight.';
comment on column admin.tomorrow.starts_in is 'How long that is from now; negative if the run is late.';
comment on column admin.tomorrow.expected is
  'How many pings the run will make: one for each connection that is active or pending now, without senders on a '
  'break. With 100,000 senders or more it is what the last finished run made or, because it came too late, skipped, if '
  'that was more.';
comment on column admin.tomorrow.as_on
  is 'The date of the last finished run of the zone; null if the zone has had none.';
comment on column admin.tomorrow.last_took
  is 'How long after the local midnight that run was finished: with the wait for its turn, and not only its own work.';
comment on column admin.tomorrow.busiest_at
  is 'When most senders of the zone are asked on that date, such as 09:00; null without senders.';
comment on column admin.tomorrow.busiest_senders is
  'How many are asked then: as many check-ins may come within minutes, and about as many messages leave within a '
  'minute.';
comment on column admin.tomorrow.busiest_last is
  'What the same time cost the tenant on as_on: how many questions each channel took, and how long after it the last '
  'one left. Null if none was sent.';
grant select on admin.tomorrow to kith_reader;

drop view if exists admin.coming;
create view admin.coming with (security_barrier, security_invoker) as
select tenant.slug as tenant, step.at, step.at - now() as comes_in, step.what, step.id, shown.next
from (
  select alarm.tenant_id, alarm.next_at as at, 'an alarm (' || alarm.kind || ') goes on' as what, alarm.id,
    'select * from admin.story_of_alarm(%L, %L)' as next
  from kith.alarms as alarm
  where alarm.next_at < now() + interval '2 days'
    and not exists (select from internal.hidden_person(alarm.tenant_id, alarm.sender_id))
  union all
  select question.tenant_id, question.answer_by, 'a question must be answered', question.id, null
  from kith.asks as question where question.ended_at is null and question.answer_by < now() + interval '2 days'
  union all
  select pause.tenant_id, pause.ends_at, 'a break ends', pause.id, null
  from kith.breaks as pause where pause.ended_at is null and pause.ends_at < now() + interval '2 days'
  union all
  select key.tenant_id, key.expires_at, 'a secret key expires: ' || key.name, key.id, null
  from kith.api_keys as key where key.revoked_at is null and key.expires_at between now() and now() + interval '2 days'
  union all
  select request.tenant_id, state.grants_at, 'a wait for emergency access ends', request.id,
    'select * from admin.story_of_emergency(%L, %L)'
  from kith.emergency_requests as request
  cross join lateral internal.emergency_state(request.tenant_id, request.id, now()) as state
  where request.ended_at is null and request.stopped_at is null and not (state.is_held and request.held_until is null)
    and state.grants_at between now() and now() + interval '2 days'
) as step
join kith.tenants as tenant on tenant.tenant_id = step.tenant_id and tenant.deleted_at is null
cross join lateral (select format(step.next, tenant.slug, step.id) as next) as shown;
comment on view admin.coming is
  'What comes within two days besides pings: the next step of each alarm, ends of questions, breaks and secret keys, '
  'and of waits for emergency access. select * from admin.coming order by at. What lies in the past, the worker is '
  'late with.';
comment on column admin.coming.tenant is 'The tenant''s slug.';
comment on column admin.coming.at is 'When it comes.';
comment on column admin.coming.comes_in is 'How long that is from now; negative if the worker is late.';
comment on column admin.coming.what is 'What comes.';
comment on column admin.coming.id is 'The alarm, question, break, key or request.';
comment on column admin.coming.next is 'The statement that tells more; null if there is none.';
grant select on admin.coming to kith_reader;
