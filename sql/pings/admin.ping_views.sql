drop view if exists admin.ping_runs;
create view admin.ping_runs with (security_barrier, security_invoker) as
select
  tenant.slug as tenant,
  run.time_zone,
  run.ping_on,
  run.starts_at,
  case
    when run.finished_at is not null then 'finished'
    when run.starts_at > now() then 'ahead'
    when run.cursor_sender_id is null then 'waiting'
    else 'running'
  end as state,
  run.created,
  run.skipped,
  run.finished_at,
  case when run.starts_at <= now() then coalesce(run.finished_at, now()) - run.starts_at end as late
from kith.ping_runs as run
join kith.tenants as tenant on tenant.tenant_id = run.tenant_id;
comment on view admin.ping_runs is 'The generation of daily pings. The backlog is where state is ''waiting'' or ''running''.';
comment on column admin.ping_runs.tenant is 'The tenant''s slug.';
comment on column admin.ping_runs.time_zone is 'The time zone of the senders.';
comment on column admin.ping_runs.ping_on is 'The local date of the pings.';
comment on column admin.ping_runs.starts_at is 'When the run may begin: the local midnight.';
comment on column admin.ping_runs.state is 'ahead, waiting, running or finished.';
comment on column admin.ping_runs.created is 'The number of pings made.';
comment on column admin.ping_runs.skipped is 'The number of pings not made because their deadline had passed while the worker was down.';
comment on column admin.ping_runs.finished_at is 'When all pings were made; null if not yet.';
comment on column admin.ping_runs.late is 'The time from midnight to the end, or until now; null for a future run.';
grant select on admin.ping_runs to kith_reader;

drop view if exists admin.ping_gaps;
create view admin.ping_gaps with (security_barrier, security_invoker) as
select tenant.slug as tenant, gap.ping_on, gap.connection_id, gap.found_at, gap.mended
from kith.ping_gaps as gap
join kith.tenants as tenant on tenant.tenant_id = gap.tenant_id;
comment on view admin.ping_gaps is 'Live connections that had no ping for their local date without a valid reason. There should be none.';
comment on column admin.ping_gaps.tenant is 'The tenant''s slug.';
comment on column admin.ping_gaps.ping_on is 'The local date without a ping.';
comment on column admin.ping_gaps.connection_id is 'The connection without a ping.';
comment on column admin.ping_gaps.found_at is 'When the gap was found.';
comment on column admin.ping_gaps.mended is 'Whether the ping was made in time.';
grant select on admin.ping_gaps to kith_reader;

drop view if exists admin.outages;
create view admin.outages with (security_barrier, security_invoker) as
select outage.component, outage.began_at, outage.ended_at, coalesce(outage.ended_at, now()) - outage.began_at as lasted
from kith.outages as outage;
comment on view admin.outages is 'Periods in which Kith itself was unavailable. Deadlines that fell into them waited.';
comment on column admin.outages.component is 'server or worker.';
comment on column admin.outages.began_at is 'The last heartbeat before the outage.';
comment on column admin.outages.ended_at is 'The first heartbeat after it; null while it lasts.';
comment on column admin.outages.lasted is 'Its length, up to now while it lasts.';
grant select on admin.outages to kith_reader;
