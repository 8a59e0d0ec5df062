-- The operators' views. They run as their owner, who sees every tenant while none is set, and contain no secrets. They are dropped and
-- created again each time, because a view's columns cannot be changed in place.

drop view if exists admin.tenants;
create view admin.tenants with (security_barrier) as
select
  tenant.tenant_id,
  tenant.slug,
  tenant.name,
  case when tenant.deleted_at is null then tenant.status else 'deleted' end as status,
  (select usage.users from kith.tenant_usage as usage where usage.tenant_id = tenant.tenant_id) as users,
  tenant.user_quota,
  (
    select count(*) from kith.connections as connection
    where connection.tenant_id = tenant.tenant_id and connection.status in ('active', 'pending')
  ) as live_connections,
  (
    select coalesce(sum(run.created), 0) from kith.ping_runs as run
    where run.tenant_id = tenant.tenant_id and run.starts_at > now() - interval '1 day'
  ) as pings_generated_today,
  (select max(key.last_used_at) from kith.api_keys as key where key.tenant_id = tenant.tenant_id) as key_last_used_at,
  tenant.created_at
from kith.tenants as tenant;
comment on view admin.tenants is
  'Every tenant with its size. Only the columns that are selected are computed: live_connections costs an index scan, the others almost nothing.';
comment on column admin.tenants.tenant_id is 'The number that every row of the tenant carries.';
comment on column admin.tenants.slug is 'The slug, which the operators'' procedures take as p_tenant.';
comment on column admin.tenants.name is 'The tenant''s name.';
comment on column admin.tenants.status is 'active, suspended or deleted.';
comment on column admin.tenants.users is 'The number of accounts that have not ended.';
comment on column admin.tenants.user_quota is 'The highest number of accounts allowed.';
comment on column admin.tenants.live_connections is 'The number of active and pending connections.';
comment on column admin.tenants.pings_generated_today is 'The number of pings made by runs that began in the last 24 hours.';
comment on column admin.tenants.key_last_used_at is 'When the tenant''s server last called; null if never.';
comment on column admin.tenants.created_at is 'When the tenant was created.';
grant select on admin.tenants to kith_admin;

drop view if exists admin.ping_runs;
create view admin.ping_runs with (security_barrier) as
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
grant select on admin.ping_runs to kith_admin;

drop view if exists admin.notification_backlog;
create view admin.notification_backlog with (security_barrier) as
select tenant.slug as tenant, notification.type, count(*) as unplanned, min(notification.created_at) as oldest_at,
  now() - min(notification.created_at) as oldest_age
from kith.notifications as notification
join kith.tenants as tenant on tenant.tenant_id = notification.tenant_id
where notification.planned_at is null
group by tenant.slug, notification.type;
comment on view admin.notification_backlog is
  'Notifications whose delivery the worker has not planned yet, by tenant and type. Planned ones are in admin.delivery_backlog.';
comment on column admin.notification_backlog.tenant is 'The tenant''s slug.';
comment on column admin.notification_backlog.type is 'The type of the notifications.';
comment on column admin.notification_backlog.unplanned is 'The number of notifications.';
comment on column admin.notification_backlog.oldest_at is 'When the oldest was created.';
comment on column admin.notification_backlog.oldest_age is 'The age of the oldest.';
grant select on admin.notification_backlog to kith_admin;

drop view if exists admin.ping_gaps;
create view admin.ping_gaps with (security_barrier) as
select tenant.slug as tenant, gap.ping_on, gap.connection_id, gap.found_at, gap.mended
from kith.ping_gaps as gap
join kith.tenants as tenant on tenant.tenant_id = gap.tenant_id;
comment on view admin.ping_gaps is 'Live connections that had no ping for their local date without a valid reason. There should be none.';
comment on column admin.ping_gaps.tenant is 'The tenant''s slug.';
comment on column admin.ping_gaps.ping_on is 'The local date without a ping.';
comment on column admin.ping_gaps.connection_id is 'The connection without a ping.';
comment on column admin.ping_gaps.found_at is 'When the gap was found.';
comment on column admin.ping_gaps.mended is 'Whether the ping was made in time.';
grant select on admin.ping_gaps to kith_admin;

drop view if exists admin.outages;
create view admin.outages with (security_barrier) as
select outage.component, outage.began_at, outage.ended_at, coalesce(outage.ended_at, now()) - outage.began_at as lasted
from kith.outages as outage;
comment on view admin.outages is 'Periods in which Kith itself was unavailable. Deadlines that fell into them waited.';
comment on column admin.outages.component is 'server or worker.';
comment on column admin.outages.began_at is 'The last heartbeat before the outage.';
comment on column admin.outages.ended_at is 'The first heartbeat after it; null while it lasts.';
comment on column admin.outages.lasted is 'Its length, up to now while it lasts.';
grant select on admin.outages to kith_admin;

drop view if exists admin.code_space;
create view admin.code_space with (security_barrier) as
select tenant.slug as tenant, count(*) as codes, round(count(*) / 10000.0, 2) as percent_used, count(*) > 500000 as warning
from kith.unique_codes as code
join kith.tenants as tenant on tenant.tenant_id = code.tenant_id
group by tenant.slug;
comment on view admin.code_space is
  'How much of its million six-digit codes each tenant has given out, including codes that ended in the last 90 days. warning is true above half of them, because guesses then succeed too often and free codes are hard to find.';
comment on column admin.code_space.tenant is 'The tenant''s slug.';
comment on column admin.code_space.codes is 'The number of codes given out.';
comment on column admin.code_space.percent_used is 'The percentage of a million.';
comment on column admin.code_space.warning is 'Whether more than half are given out.';
grant select on admin.code_space to kith_admin;

drop view if exists admin.sign_in_codes;
create view admin.sign_in_codes with (security_barrier) as
select tenant.slug as tenant, counts.counted_on, counts.scope, counts.codes
from kith.otp_counts as counts
join kith.tenants as tenant on tenant.tenant_id = counts.tenant_id
-- One row for each number that was invited, by its hash.
where counts.scope not like 'sms invitation to %';
comment on view admin.sign_in_codes is
  'One-time codes by tenant and UTC day: by email, by SMS, by SMS and country, the same for known devices, those refused by a cap and which, those dropped because sign-up is closed and no user has the address, and beside them the invitations by SMS.';
comment on column admin.sign_in_codes.tenant is 'The tenant''s slug.';
comment on column admin.sign_in_codes.counted_on is 'The UTC day.';
comment on column admin.sign_in_codes.scope is
  'What is counted: email, sms, sms by country, codes refused by a cap and which, dropped codes, or sms invitations.';
comment on column admin.sign_in_codes.codes is 'The number of messages.';
grant select on admin.sign_in_codes to kith_admin;

drop view if exists admin.vaults;
create view admin.vaults with (security_barrier) as
select
  tenant.slug as tenant,
  vault.id,
  vault.name,
  vault.owner_id,
  (
    select count(*) from kith.documents as document
    where document.tenant_id = vault.tenant_id and document.vault_id = vault.id and document.deleted_at is null
  ) as documents,
  (
    select coalesce(sum(version.size), 0) from kith.document_versions as version
    where version.tenant_id = vault.tenant_id and version.vault_id = vault.id
  ) as bytes,
  (
    select count(*) from kith.nominees as nominee
    where nominee.tenant_id = vault.tenant_id and nominee.vault_id = vault.id and nominee.status <> 'revoked'
  ) as nominees,
  (
    select max(session.expires_at) from kith.vault_sessions as session
    where session.tenant_id = vault.tenant_id and session.vault_id = vault.id and session.locked_at is null and session.expires_at > now()
  ) as open_until,
  vault.created_at,
  vault.deleted_at,
  vault.deleted_by
from kith.vaults as vault
join kith.tenants as tenant on tenant.tenant_id = vault.tenant_id;
comment on view admin.vaults is
  'Every vault with its size. Only the columns that are selected are computed. Erased vaults belonged to ended accounts, and stay until they are swept.';
comment on column admin.vaults.tenant is 'The tenant''s slug.';
comment on column admin.vaults.id is 'The id that admin.soft_delete_vault and admin.restore_vault take.';
comment on column admin.vaults.name is 'The name that the owner gave it; ''Erased'' if the vault was erased.';
comment on column admin.vaults.owner_id is 'The user who owns it.';
comment on column admin.vaults.documents is 'The number of documents that are not deleted.';
comment on column admin.vaults.bytes is 'The stored size, including deleted and replaced documents.';
comment on column admin.vaults.nominees is 'The number of nominees who are not revoked.';
comment on column admin.vaults.open_until is 'When the open session ends by itself; null while the vault is locked.';
comment on column admin.vaults.created_at is 'When the vault was created.';
comment on column admin.vaults.deleted_at is 'When it was deleted; null if it is not.';
comment on column admin.vaults.deleted_by is 'Who deleted it.';
grant select on admin.vaults to kith_admin;

drop view if exists admin.vault_sessions;
create view admin.vault_sessions with (security_barrier) as
select
  tenant.slug as tenant,
  session.id,
  session.vault_id,
  session.kind,
  case when session.locked_at is not null then 'locked' when session.expires_at <= now() then 'expired' else 'open' end as state,
  session.unlocked_by,
  session.opened_at,
  session.last_activity_at,
  session.expires_at,
  session.locked_at,
  session.locked_by,
  session.lock_reason
from kith.vault_sessions as session
join kith.tenants as tenant on tenant.tenant_id = session.tenant_id;
comment on view admin.vault_sessions is 'Openings of vaults. Where state is ''open'', people may be in the vault now.';
comment on column admin.vault_sessions.tenant is 'The tenant''s slug.';
comment on column admin.vault_sessions.id is 'The session''s id.';
comment on column admin.vault_sessions.vault_id is 'The vault that was opened.';
comment on column admin.vault_sessions.kind is 'shared, or emergency: for one nominee only.';
comment on column admin.vault_sessions.state is 'open, locked, or expired: over, but not yet recorded as locked.';
comment on column admin.vault_sessions.unlocked_by is 'The user who opened it.';
comment on column admin.vault_sessions.opened_at is 'When it was opened.';
comment on column admin.vault_sessions.last_activity_at is 'When somebody was last active in it, to the minute.';
comment on column admin.vault_sessions.expires_at is 'When it ends by itself.';
comment on column admin.vault_sessions.locked_at is 'When it ended; null if that is not recorded.';
comment on column admin.vault_sessions.locked_by is 'The user who locked it; null if it ended by itself.';
comment on column admin.vault_sessions.lock_reason is 'manual, expired, owner_revoked, transferred, vault_deleted or emergency_ended.';
grant select on admin.vault_sessions to kith_admin;
