drop view if exists admin.tomorrow;
create view admin.tomorrow with (security_barrier, security_invoker) as
select tenant.slug as tenant, run.time_zone, run.ping_on, run.starts_at, run.starts_at - now() as starts_in,
  coalesce(last.created, 0) as expected, last.ping_on as as_on, last.finished_at - last.starts_at as last_took
from kith.ping_runs as run
join kith.tenants as tenant on tenant.tenant_id = run.tenant_id
left join lateral (
  select done.ping_on, done.created, done.starts_at, done.finished_at
  from kith.ping_runs as done
  where done.tenant_id = run.tenant_id and done.time_zone = run.time_zone and done.ping_on < run.ping_on and done.finished_at is not null
  order by done.ping_on desc
  limit 1
) as last on true
where run.finished_at is null and tenant.deleted_at is null;
comment on view admin.tomorrow is
  'The runs that come next, one for each tenant and time zone: when each begins and how many pings it will make if it is like the last one. '
  'select * from admin.tomorrow order by starts_at, expected desc; when it is busiest: select starts_at, sum(expected) from admin.tomorrow '
  'group by 1 order by 1. A run that begins in the past is late.';
comment on column admin.tomorrow.tenant is 'The tenant''s slug.';
comment on column admin.tomorrow.time_zone is 'The time zone of the senders.';
comment on column admin.tomorrow.ping_on is 'The local date of the pings.';
comment on column admin.tomorrow.starts_at is 'When the run begins: the local midnight.';
comment on column admin.tomorrow.starts_in is 'How long that is from now; negative if the run is late.';
comment on column admin.tomorrow.expected is
  'How many pings the zone''s last finished run made. It is an estimate: new connections, breaks and ended ones since are not in it.';
comment on column admin.tomorrow.as_on is 'The date of that run; null if the zone has had none.';
comment on column admin.tomorrow.last_took is 'How long after midnight the last run was finished.';
grant select on admin.tomorrow to kith_reader;
