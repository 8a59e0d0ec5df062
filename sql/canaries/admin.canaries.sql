-- Canaries, as operators set, read and remove them. `kith canary` calls these.

create or replace function internal.require_canary(p_every_hours integer, p_within_minutes integer, p_channels jsonb)
  returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  if coalesce(p_every_hours not in (1, 2, 3, 4, 6, 8, 12, 24), true) then
    perform internal.refuse_fields(internal.field_error('p_every_hours', 'must be 1, 2, 3, 4, 6, 8, 12 or 24'));
  elsif coalesce(p_within_minutes not between 2 and 25, true) then
    perform internal.refuse_fields(internal.field_error('p_within_minutes', 'must be from 2 to 25'));
  elsif coalesce(
    jsonb_typeof(p_channels) <> 'object' or p_channels = '{}'
    or p_channels - '{webhook,push,email,sms,call}'::text[] <> '{}',
    true
  )
  then
    perform internal.refuse_fields(
      internal.field_error('p_channels', 'must name at least one of webhook, push, email, sms and call')
    );
  elsif p_channels -> 'sms' ->> 'address' <> p_channels -> 'call' ->> 'address' then
    perform internal.refuse_fields(
      internal.field_error('p_channels', 'must have one number for sms and call: it is confirmed by one account')
    );
  end if;
  -- Serialize the calls, so that the count holds.
  perform pg_advisory_xact_lock(hashtext('admin.set_canary'));
  if not exists (select from kith.canaries where tenant_id = v_tenant)
    and internal.tenants_with_canaries() >= internal.most_canaries()
  then
    raise exception 'quota_exceeded' using errcode = 'KT507',
      detail = format(
        '%s tenants of this database have canaries, as many as can: their metrics have series for each.',
        internal.most_canaries()
      ),
      hint = 'Remove one: kith canary list; kith canary remove TENANT';
  end if;
end
$$;
comment on function internal.require_canary(integer, integer, jsonb) is
  'Raises validation_failed for a canary that cannot be, and quota_exceeded beyond internal.most_canaries. For '
  'admin.set_canary.';

create or replace function internal.tenants_with_canaries() returns bigint
  language plpgsql
as $$
declare
  v_tenant text := current_setting('kith.tenant_id', true);
  v_count bigint;
begin
  -- Of all tenants, and so without one. It reads no row of theirs but counts.
  perform internal.leave_tenant();
  select count(distinct tenant_id) into v_count from kith.canaries;
  perform set_config('kith.tenant_id', v_tenant, true);
  return v_count;
end
$$;
comment on function internal.tenants_with_canaries()
  is 'How many tenants of this database have canaries. For definer procedures.';

create or replace function admin.set_canary(
  p_tenant text, p_every_hours integer, p_channels jsonb, p_within_minutes integer default 20,
  p_now timestamptz default now()
) returns text
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_canary kith.canaries;
  v_old kith.canary_channels;
  v_named record;
  v_webhook uuid;
begin
  perform internal.require_present(p_now);
  perform internal.require_canary(p_every_hours, p_within_minutes, p_channels);
  v_canary := internal.canary_every(p_every_hours, p_within_minutes, p_now);
  for v_old in
    select * from kith.canary_channels where tenant_id = v_tenant and p_channels ? channel order by channel
  loop
    perform internal.clear_canary_contact(v_old, p_now);
  end loop;
  for v_named in select key as channel, value as how from jsonb_each(p_channels) order by key loop
    v_webhook := internal.set_canary_contact(v_canary, v_named.channel, v_named.how, p_now);
    insert into kith.canary_channels (tenant_id, channel, canary_id, needs_heard, webhook_id, watched_from)
    values (
      v_tenant, v_named.channel, v_canary.id,
      v_named.channel <> 'push' and coalesce((v_named.how ->> 'needs_heard')::boolean, true), v_webhook, p_now
    );
  end loop;
  perform internal.settle_canaries(p_now);
  perform internal.record_act(v_tenant, internal.operator(), 'canary.set', p_tenant, jsonb_build_object(
    'every_hours', p_every_hours, 'channels', array(select jsonb_object_keys(p_channels) order by 1)
  ));
  perform internal.leave_tenant();
  return format(
    'the first run asks at %s: select * from admin.canaries where tenant = %L',
    internal.shown_instant(
      internal.canary_slot(v_canary.minute, p_every_hours, p_now) + make_interval(hours => p_every_hours)
    ),
    p_tenant
  );
end
$$;
comment on function admin.set_canary(text, integer, jsonb, integer, timestamptz) is
  'Watches channels of a tenant by a canary (G10) that is asked every so many hours and never answers: {channel: '
  '{address, needs_heard?}} of email, sms, call, push (the token of an iOS device, with environment?) and webhook '
  '(which needs sealed secrets, so use kith canary set). A channel that was watched already moves to the new contact '
  'and interval; others stay. needs_heard, true by default: a run must be answered ("1" by text or in the call, the '
  'button behind the mail''s link), and not only taken by the provider. Each contact must be one that no person of the '
  'tenant has confirmed.';
grant execute on function admin.set_canary(text, integer, jsonb, integer, timestamptz) to kith_admin;

create or replace function admin.remove_canary(
  p_tenant text, p_channel text default null, p_now timestamptz default now()
)
  returns text
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_old kith.canary_channels;
  v_removed text[] := '{}';
begin
  perform internal.require_present(p_now);
  -- The worker locks a run and then its alarm, and this the alarms first.
  perform pg_advisory_xact_lock(hashtext('worker.walk_canaries'));
  for v_old in
    select * from kith.canary_channels where tenant_id = v_tenant and channel = coalesce(p_channel, channel)
    order by channel
  loop
    perform internal.clear_canary_contact(v_old, p_now);
    v_removed := v_removed || v_old.channel;
  end loop;
  if v_removed = '{}' then
    perform internal.refuse_unknown(p_tenant, coalesce('canary on ' || p_channel, 'canary'), 'admin.canaries');
  end if;
  perform internal.settle_canaries(p_now);
  perform internal.record_act(
    v_tenant, internal.operator(), 'canary.remove', p_tenant, jsonb_build_object('channels', v_removed)
  );
  perform internal.leave_tenant();
  return format('removed: %s; its contacts and messages are forgotten', array_to_string(v_removed, ', '));
end
$$;
comment on function admin.remove_canary(text, text, timestamptz) is
  'Ends a tenant''s canary on a channel, or on all if p_channel is null, with its contact, its messages and, after the '
  'last channel, its accounts. Returns what was removed.';
grant execute on function admin.remove_canary(text, text, timestamptz) to kith_admin;
