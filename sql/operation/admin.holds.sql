-- What an operator has stopped on purpose, and what somebody must start again.

drop view if exists admin.holds;
create view admin.holds with (security_barrier, security_invoker) as
select tenant.slug as tenant, case
    when tenant.deleted_at is null then 'the tenant is suspended' when going.is_imported
      then 'the tenant is being imported'
    when going.is_purged then 'the tenant is being purged' else 'the tenant is deleted'
  end as what,
  coalesce(tenant.deleted_at, tenant.suspended_at) as since, null::timestamptz as until, act.actor as by,
  act.detail ->> 'reason' as reason,
  case
    when tenant.deleted_at is null then format('kith tenant resume %s', tenant.slug)
    when going.is_imported then 'kith tenant import FOLDER, which goes on'
    when going.is_purged then format('kith tenant purge %s --confirm %1$s, which goes on', tenant.slug)
    else format('kith tenant restore %s --reason ''why'', or kith tenant purge %1$s --confirm %1$s', tenant.slug)
  end as remedy
from kith.tenants as tenant
cross join lateral (
  select exists (select from kith.tenant_imports as import where import.tenant_id = tenant.tenant_id) as is_imported,
    exists (select from kith.tenant_purges as purge where purge.tenant_id = tenant.tenant_id) as is_purged
) as going
left join lateral (
  select known.actor, known.detail from kith.audit as known
  where known.tenant_id = tenant.tenant_id and known.subject = tenant.slug
    and known.action = case when tenant.deleted_at is null then 'tenant.suspend' else 'tenant.delete' end
  order by known.id desc
  limit 1
) as act on true
where tenant.suspended_at is not null or tenant.deleted_at is not null
union all
select tenant.slug, format('%s sends nothing', pause.channel), pause.paused_at, null, pause.paused_by, pause.reason,
  format('select admin.resume_channel(%L, %L)', pause.channel, tenant.slug)
from kith.channel_pauses as pause
left join kith.tenants as tenant on tenant.tenant_id = pause.tenant_id
union all
select tenant.slug, format('the emergency request %s waits', request.id), request.held_at, request.held_until,
  request.held_by, request.hold_reason,
  format('select admin.release_emergency(%L, %L, ''why'')', tenant.slug, request.id)
from kith.emergency_requests as request
join kith.tenants as tenant on tenant.tenant_id = request.tenant_id
where request.held_at is not null and request.ended_at is null
  and (request.held_until is null or request.held_until > now())
union all
select tenant.slug, format('the webhook %s gets no events', webhook.id), webhook.disabled_at, null, null,
  webhook.disabled_reason, format('select admin.enable_webhook(%L, %L, ''why'')', tenant.slug, webhook.id)
from kith.webhooks as webhook
join kith.tenants as tenant on tenant.tenant_id = webhook.tenant_id
where webhook.disabled_at is not null
  and not exists (select from internal.hidden_endpoint(webhook.tenant_id, webhook.id))
union all
select null, 'nobody is told anything: the database was restored or copied', coalesce(
    (
      select known.noticed_at from kith.incarnations as known
      where known.system_identifier = here.system_identifier and known.timeline = here.timeline
    ),
    (select max(beat.beat_at) from kith.heartbeats as beat)
  ), null, null,
  'restored from a back-up, a copy, or a standby that was promoted late',
  'deploy/README.md, Back-up and restore: admin.confirm_restore, or admin.confirm_nothing_lost(''why'')'
from internal.incarnation() as here
where exists (select from kith.incarnations) and not exists (
  select from kith.incarnations as known
  where known.system_identifier = here.system_identifier and known.timeline = here.timeline
    and known.confirmed_at is not null
)
union all
select tenant.slug, format('the tenant''s move to another cell: it is %s', moving.state), moving.changed_at, null, null,
  'a move goes on while its command runs, and stands still otherwise',
  format('kith tenant move %s --to CELL goes on, and --abort undoes it; kith doctor names the cell', tenant.slug)
from kith.moving_tenants as moving
join kith.tenants as tenant on tenant.tenant_id = moving.tenant_id
where moving.state in ('leaving', 'arriving')
union all
select tenant.slug, format('%s does not process %s', aside.loop, aside.key), aside.first_at, aside.retry_at, null,
  format('%s in %s, tried %s times', aside.sqlstate, aside.place, aside.tries),
  format('select admin.retry_set_aside(%L, %L, ''mended'')', aside.loop, aside.key)
from kith.set_aside as aside
left join kith.tenants as tenant on tenant.tenant_id = aside.tenant_id
where tenant.deleted_at is null;
comment on view admin.holds is
  'Everything that stands still until somebody does something: suspended and deleted tenants, paused channels, held '
  'requests for emergency access, disabled webhooks, moves of tenants, what the worker has set aside, and a restored '
  'database that waits to be confirmed: select * from admin.holds order by since.';
comment on column admin.holds.tenant is 'The tenant''s slug; null if it is of all tenants.';
comment on column admin.holds.what is 'What stands still.';
comment on column admin.holds.since is 'Since when.';
comment on column admin.holds.until is 'When it ends by itself, or is tried again; null for never.';
comment on column admin.holds.by
  is 'Who stopped it; null if nobody did: a webhook that failed for days, a row that fails, a restore.';
comment on column admin.holds.reason is 'Why.';
comment on column admin.holds.remedy is 'The statement or the command that ends it.';
grant select on admin.holds to kith_reader;
