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
comment on view admin.ping_runs
  is 'The generation of daily pings. The backlog is where state is ''waiting'' or ''running''.';
comment on column admin.ping_runs.tenant is 'The tenant''s slug.';
comment on column admin.ping_runs.time_zone is 'The time zone of the senders.';
comment on column admin.ping_runs.ping_on is 'The local date of the pings.';
comment on column admin.ping_runs.starts_at is 'When the run may begin: the local midnight.';
comment on column admin.ping_runs.state is 'ahead, waiting, running or finished.';
comment on column admin.ping_runs.created is 'The number of pings made.';
comment on column admin.ping_runs.skipped
  is 'The number of pings not made because their deadline had passed while the worker was down.';
comment on column admin.ping_runs.finished_at is 'When all pings were made; null if not yet.';
comment on column admin.ping_runs.late is 'The time from midnight to the end, or until now; null for a future run.';
grant select on admin.ping_runs to kith_reader;

drop view if exists admin.ping_gaps;
create view admin.ping_gaps with (security_barrier, security_invoker) as
select tenant.slug as tenant, gap.ping_on, gap.connection_id, gap.found_at, gap.mended
from kith.ping_gaps as gap
join kith.tenants as tenant on tenant.tenant_id = gap.tenant_id;
comment on view admin.ping_gaps
  is 'Live connections that had no ping for their local date without a valid reason. There should be none.';
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

drop view if exists admin.check_ins;
create view admin.check_ins with (security_barrier, security_invoker) as
select
  tenant.slug as tenant, check_in.user_id, check_in.id, check_in.received_at, check_in.source, check_in.tapped_at,
  check_in.shares_note
from kith.check_ins as check_in
join kith.tenants as tenant on tenant.tenant_id = check_in.tenant_id;
comment on view admin.check_ins is
  'Each check-in that is kept, and how it came (J05). Ask for one person: where tenant = … and user_id = …. Their '
  'words are not shown.';
comment on column admin.check_ins.tenant is 'The tenant''s slug.';
comment on column admin.check_ins.user_id is 'Who checked in.';
comment on column admin.check_ins.id is 'The check-in, as in admin.story_of_ping.';
comment on column admin.check_ins.received_at is 'When the server received it.';
comment on column admin.check_ins.source is 'How it came: app, web, link, sms, voice or sign.';
comment on column admin.check_ins.tapped_at
  is 'The moment of the tap, if it was kept on a device until it arrived (J07).';
comment on column admin.check_ins.shares_note is 'Whether the receivers see its note, if it has one.';
grant select on admin.check_ins to kith_reader;
