create or replace function internal.webhook_host(p_tenant integer, p_webhook uuid) returns text
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  -- Show only the host: the path and the query may hold a secret that authorizes the calls.
  return (
    select regexp_replace(webhook.url, '^https://([^/?#]*@)?([^/?#]*).*', 'https://\2/…')
    from kith.webhooks as webhook where webhook.tenant_id = p_tenant and webhook.id = p_webhook
  );
end
$$;
comment on function internal.webhook_host(integer, uuid) is
  'The host of a webhook''s endpoint, for the view admin.webhooks. Security definer, because operators may not read '
  'the address.';
grant execute on function internal.webhook_host(integer, uuid) to kith_reader;

drop view if exists admin.webhooks;
create view admin.webhooks with (security_barrier, security_invoker) as
select
  tenant.slug as tenant,
  webhook.id,
  internal.webhook_host(webhook.tenant_id, webhook.id) as url,
  webhook.types,
  case
    when webhook.disabled_at is not null then 'disabled'
    when webhook.attempts > 0 then 'failing'
    when webhook.has_news then 'busy'
    else 'idle'
  end as state,
  case when webhook.has_news then now() - webhook.taken_at end as lag,
  webhook.attempts,
  webhook.next_attempt_at,
  webhook.last_success_at,
  webhook.last_error,
  webhook.disabled_at,
  webhook.disabled_reason,
  case
    when webhook.disabled_at is not null
      then format('select admin.enable_webhook(%L, %L, ''why'')', tenant.slug, webhook.id)
    when webhook.attempts > 0 then format('select admin.retry_webhook(%L, %L, ''why'')', tenant.slug, webhook.id)
  end as remedy
from kith.webhooks as webhook
join kith.tenants as tenant on tenant.tenant_id = webhook.tenant_id
where not exists (select from internal.hidden_endpoint(webhook.tenant_id, webhook.id));
comment on view admin.webhooks is 'The tenants'' webhook endpoints. Events older than 7 days are skipped.';
comment on column admin.webhooks.tenant is 'The tenant''s slug.';
comment on column admin.webhooks.id is 'The id that the procedures for webhooks take.';
comment on column admin.webhooks.url is 'The endpoint''s host. The rest of the address may hold a secret.';
comment on column admin.webhooks.types is 'The types of events that the endpoint receives; empty for all.';
comment on column admin.webhooks.state is 'idle, busy, failing or disabled.';
comment on column admin.webhooks.lag
  is 'The age of the newest event that the endpoint has accepted; null if there is no newer one.';
comment on column admin.webhooks.attempts is 'How often the current batch has failed.';
comment on column admin.webhooks.next_attempt_at is 'When the endpoint may be called again.';
comment on column admin.webhooks.last_success_at is 'When it last accepted a batch.';
comment on column admin.webhooks.last_error is 'Why the last failed request failed.';
comment on column admin.webhooks.disabled_at is 'When it was disabled; null if it is enabled.';
comment on column admin.webhooks.disabled_reason is 'Why it was disabled.';
comment on column admin.webhooks.remedy
  is 'Once the tenant''s server is mended: the statement that enables it, or tries it now. Null if it works.';
grant select on admin.webhooks to kith_reader;

create or replace function admin.disable_webhook(
  p_tenant text, p_webhook uuid, p_reason text, p_now timestamptz default now()
)
  returns text
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_webhook kith.webhooks := internal.own_webhook(p_webhook);
begin
  perform internal.require_present(p_now);
  if v_webhook.disabled_at is not null then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This webhook is disabled already.';
  end if;
  update kith.webhooks
  set disabled_at = p_now, disabled_reason = p_reason, leased_by = null, updated_at = p_now
  where tenant_id = v_tenant and id = p_webhook;
  perform internal.record_act(
    v_tenant, internal.operator(), 'webhook.disable', p_webhook::text, jsonb_build_object('reason', p_reason)
  );
  perform internal.leave_tenant();
  return format(
    'it is sent nothing more; its events wait for 7 days: select admin.enable_webhook(%L, %L, ''why'')', p_tenant,
    p_webhook
  );
end
$$;
comment on function admin.disable_webhook(text, uuid, text, timestamptz) is
  'Stops sending to an endpoint until it is enabled. Its tenant sees that it is disabled. Returns what follows.';
grant execute on function admin.disable_webhook(text, uuid, text, timestamptz) to kith_admin;

create or replace function admin.enable_webhook(
  p_tenant text, p_webhook uuid, p_reason text, p_now timestamptz default now()
)
  returns text
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_webhook kith.webhooks := internal.own_webhook(p_webhook);
begin
  perform internal.require_present(p_now);
  if v_webhook.disabled_at is null then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This webhook is enabled already.';
  end if;
  update kith.webhooks
  set disabled_at = null, disabled_reason = null, has_news = true, attempts = 0, next_attempt_at = p_now,
    updated_at = p_now
  where tenant_id = v_tenant and id = p_webhook;
  perform internal.record_act(
    v_tenant, internal.operator(), 'webhook.enable', p_webhook::text, jsonb_build_object('reason', p_reason)
  );
  perform internal.leave_tenant();
  return format(
    'the worker sends what has waited within seconds: select * from admin.webhooks where id = %L', p_webhook
  );
end
$$;
comment on function admin.enable_webhook(text, uuid, text, timestamptz) is
  'Resumes sending to an endpoint where it stopped. Events older than 7 days are skipped, and the endpoint is told so. '
  'Returns what follows.';
grant execute on function admin.enable_webhook(text, uuid, text, timestamptz) to kith_admin;

create or replace function admin.retry_webhook(
  p_tenant text, p_webhook uuid, p_reason text, p_now timestamptz default now()
)
  returns text
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_webhook kith.webhooks := internal.own_webhook(p_webhook);
begin
  perform internal.require_present(p_now);
  perform internal.require_reason(p_reason);
  if v_webhook.disabled_at is not null then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This webhook is disabled.',
      hint = format('select admin.enable_webhook(%L, %L, ''why'');', p_tenant, p_webhook);
  elsif v_webhook.attempts = 0 then
    raise exception 'invalid_transition'
      using errcode = 'KT409', detail = 'This webhook does not fail, so nothing waits for a next try.';
  elsif v_webhook.leased_by is not null and v_webhook.next_attempt_at > p_now then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'A worker is calling this webhook now.';
  end if;
  update kith.webhooks set next_attempt_at = p_now, updated_at = p_now where tenant_id = v_tenant and id = p_webhook;
  perform internal.record_act(
    v_tenant, internal.operator(), 'webhook.retry', p_webhook::text, jsonb_build_object('reason', p_reason)
  );
  perform internal.leave_tenant();
  return format('the worker calls it within seconds: select * from admin.webhooks where id = %L', p_webhook);
end
$$;
comment on function admin.retry_webhook(text, uuid, text, timestamptz) is
  'Calls a failing endpoint now, and not only at its next attempt. One more failure delays it as long as the last one.';
grant execute on function admin.retry_webhook(text, uuid, text, timestamptz) to kith_admin;

create or replace function admin.replay_webhook(
  p_tenant text, p_webhook uuid, p_since timestamptz, p_reason text, p_now timestamptz default now()
) returns text
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_webhook kith.webhooks := internal.own_webhook(p_webhook);
  v_first uuid := internal.first_uuid7(p_since);
  v_xid xid8;
begin
  perform internal.require_present(p_now);
  if p_since < p_now - interval '7 days' then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'Events are kept for 7 days.';
  end if;
  select first.xid into v_xid
  from (
    (select xid from kith.events where tenant_id = v_tenant and id >= v_first order by xid limit 1)
    union all
    (
      select xid from kith.notifications where tenant_id = v_tenant and id >= v_first and xid is not null order by xid
      limit 1
    )
  ) as first
  order by first.xid
  limit 1;
  if v_xid is null or v_xid > v_webhook.taken_xid then
    raise exception 'invalid_transition'
      using errcode = 'KT409', detail = 'The webhook has not accepted any event since then.';
  end if;
  -- A worker that is calling the endpoint loses its lease, so its result is ignored.
  update kith.webhooks
  set taken_xid = v_xid, taken_id = '00000000-0000-0000-0000-000000000000', taken_at = p_since, has_news = true,
    batch_id = null,
    batch_xid = null, batch_until_id = null, batch_is_reset = false, attempts = 0, next_attempt_at = p_now,
    leased_by = null, updated_at = p_now
  where tenant_id = v_tenant and id = p_webhook;
  perform internal.record_act(
    v_tenant, internal.operator(), 'webhook.replay', p_webhook::text,
    jsonb_build_object('since', p_since, 'reason', p_reason)
  );
  perform internal.leave_tenant();
  if v_webhook.disabled_at is not null then
    return format(
      'the events since %s are sent again once it is enabled: select admin.enable_webhook(%L, %L, ''why'')',
      internal.shown_instant(p_since), p_tenant, p_webhook
    );
  end if;
  return format(
    'the worker sends the events since %s again: select * from admin.webhooks where id = %L',
    internal.shown_instant(p_since), p_webhook
  );
end
$$;
comment on function admin.replay_webhook(text, uuid, timestamptz, text, timestamptz) is
  'Sends an endpoint all events since an instant of the last 7 days again, with their original ids. Returns what '
  'follows.';
grant execute on function admin.replay_webhook(text, uuid, timestamptz, text, timestamptz) to kith_admin;
