drop view if exists admin.tomorrow;
create view admin.tomorrow with (security_barrier, security_invoker) as
select tenant.slug as tenant, run.time_zone, run.ping_on, run.starts_at, run.starts_at - now() as starts_in,
  coalesce(last.created + last.skipped, (
    -- The first run of a zone.
    select count(*)
    from kith.sender_profiles as profile
    join kith.connections as connection
      on connection.tenant_id = profile.tenant_id and connection.sender_id = profile.user_id and connection.status = 'active'
    where profile.tenant_id = run.tenant_id and profile.time_zone = run.time_zone and profile.ended_at is null
  )) as expected, last.ping_on as as_on, last.finished_at - last.starts_at as last_took
from kith.ping_runs as run
join kith.tenants as tenant on tenant.tenant_id = run.tenant_id
left join lateral (
  select done.ping_on, done.created, done.skipped, done.starts_at, done.finished_at
  from kith.ping_runs as done
  where done.tenant_id = run.tenant_id and done.time_zone = run.time_zone and done.ping_on < run.ping_on and done.finished_at is not null
  order by done.ping_on desc
  limit 1
) as last on true
where run.finished_at is null and tenant.deleted_at is null;
comment on view admin.tomorrow is
  'The runs that come next, one for each tenant and time zone: when each begins and how many pings it will make if it is like the last one. '
  'select * from admin.tomorrow order by starts_at, expected desc; when it is busiest: select starts_at, sum(expected) from admin.tomorrow '
  'group by 1 order by 1. A run that begins in the past is late. What else comes is in admin.coming.';
comment on column admin.tomorrow.tenant is 'The tenant''s slug.';
comment on column admin.tomorrow.time_zone is 'The time zone of the senders.';
comment on column admin.tomorrow.ping_on is 'The local date of the pings.';
comment on column admin.tomorrow.starts_at is 'When the run begins: the local midnight.';
comment on column admin.tomorrow.starts_in is 'How long that is from now; negative if the run is late.';
comment on column admin.tomorrow.expected is
  'How many pings the zone''s last finished run made or, because it came too late, skipped; if it has had none, its active connections. It is an '
  'estimate: new connections, breaks and ended ones since are not in it.';
comment on column admin.tomorrow.as_on is 'The date of that run; null if the zone has had none.';
comment on column admin.tomorrow.last_took is 'How long after the local midnight that run was finished: with the wait for its turn, and not only its own work.';
grant select on admin.tomorrow to kith_reader;

drop view if exists admin.coming;
create view admin.coming with (security_barrier, security_invoker) as
select tenant.slug as tenant, step.at, step.at - now() as comes_in, step.what, step.id, shown.next
from (
  select alarm.tenant_id, alarm.next_at as at, 'an alarm (' || alarm.kind || ') goes on' as what, alarm.id,
    'select * from admin.story_of_alarm(%L, %L)' as next
  from kith.alarms as alarm where alarm.next_at < now() + interval '2 days'
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
  select request.tenant_id, state.grants_at, 'a wait for emergency access ends', request.id, 'select * from admin.story_of_emergency(%L, %L)'
  from kith.emergency_requests as request
  cross join lateral internal.emergency_state(request.tenant_id, request.id, now()) as state
  where request.ended_at is null and request.stopped_at is null and not (state.is_held and request.held_until is null)
    and state.grants_at between now() and now() + interval '2 days'
) as step
join kith.tenants as tenant on tenant.tenant_id = step.tenant_id and tenant.deleted_at is null
cross join lateral (select format(step.next, tenant.slug, step.id) as next) as shown;
comment on view admin.coming is
  'What comes within two days besides pings: the next step of each alarm, ends of questions, breaks and secret keys, and of waits for emergency '
  'access. select * from admin.coming order by at. What lies in the past, the worker is late with.';
comment on column admin.coming.tenant is 'The tenant''s slug.';
comment on column admin.coming.at is 'When it comes.';
comment on column admin.coming.comes_in is 'How long that is from now; negative if the worker is late.';
comment on column admin.coming.what is 'What comes.';
comment on column admin.coming.id is 'The alarm, question, break, key or request.';
comment on column admin.coming.next is 'The statement that tells more; null if there is none.';
grant select on admin.coming to kith_reader;
