-- How a tenant's canaries are made, changed and removed (G10, docs/decisions/0056).

create or replace function internal.most_canaries() returns integer
  language sql
  immutable
  parallel safe
as $$
  select 100
$$;
comment on function internal.most_canaries() is
  'How many tenants of a database can have canaries: the metrics have series for each of them, which nothing else has '
  'for a tenant (G03).';

create or replace function internal.canary_grace() returns interval
  language sql
  immutable
  parallel safe
as $$
  select interval '5 minutes'
$$;
comment on function internal.canary_grace() is 'The grace of a canary''s senders: the shortest that a sender can have.';

create or replace function internal.canary_slot(p_minute integer, p_every_hours integer, p_now timestamptz)
  returns timestamptz
  language sql
  stable
as $$
  select date_bin(
    make_interval(hours => p_every_hours), p_now, timestamptz '2000-01-01 00:00Z' + make_interval(mins => p_minute)
  )
$$;
comment on function internal.canary_slot(integer, integer, timestamptz) is
  'The newest instant, not after p_now, at which a canary with this minute and interval asks.';

create or replace function internal.add_hidden_user(p_canary uuid, p_asked_at time, p_now timestamptz) returns uuid
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_id uuid := internal.uuid7(p_now);
begin
  insert into kith.users (
    tenant_id, id, display_name, time_zone, has_chosen_zone, locale, tokens_valid_from, created_at, updated_at
  )
  select v_tenant, v_id, 'Canary', 'UTC', true, coalesce(tenant.default_locale, 'en'), p_now, p_now, p_now
  from kith.tenants as tenant where tenant.tenant_id = v_tenant;
  insert into kith.canary_people (tenant_id, user_id, canary_id, asked_at)
  values (v_tenant, v_id, p_canary, p_asked_at);
  return v_id;
end
$$;
comment on function internal.add_hidden_user(uuid, time, timestamptz) is
  'Makes an account of a canary, which counts towards nothing (internal.hidden_person). For definer procedures.';

create or replace function internal.add_canary_sender(p_canary kith.canaries, p_asked_at time, p_now timestamptz)
  returns void
  language plpgsql
as $$
declare
  v_tenant integer := p_canary.tenant_id;
  v_sender uuid := internal.add_hidden_user(p_canary.id, p_asked_at, p_now);
  v_connection uuid := internal.uuid7(p_now);
begin
  insert into kith.sender_profiles (
    tenant_id, user_id, time_zone, ping_time, grace_minutes, reminder_minutes, timed_at, created_at, updated_at,
    has_own_time_zone
  )
  values (
    v_tenant, v_sender, 'UTC', p_asked_at, extract(epoch from internal.canary_grace())::integer / 60, 1, p_now, p_now,
    p_now, true
  );
  -- It is asked in the app alone. Otherwise its receiver would read that nobody can ask it (X37).
  insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
  values (v_tenant, v_sender, 'ping_due', '{}', p_now);
  -- Nobody is told, and nobody consents: both sides are the canary.
  insert into kith.connections (
    tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at
  )
  values (v_tenant, v_connection, v_sender, p_canary.receiver_id, 'active', p_canary.receiver_id, p_now, p_now, p_now);
  perform internal.bring_ping(v_connection, p_now);
end
$$;
comment on function internal.add_canary_sender(kith.canaries, time, timestamptz) is
  'Makes the sender of one run of each day, with its connection and, if that is still ahead, its ping of today (P13). '
  'For definer procedures.';

create or replace function internal.require_whole_canary(p_canary kith.canaries) returns void
  language plpgsql
as $$
begin
  if exists (
    select from kith.canary_people as hidden
    join kith.users as account
      on account.tenant_id = hidden.tenant_id and account.id = hidden.user_id and account.deleted_at is not null
    where hidden.tenant_id = p_canary.tenant_id and hidden.canary_id = p_canary.id
  ) then
    raise exception 'conflict' using errcode = 'KT409',
      detail = format(
        'An account of the canary that asks every %sh was deleted, so its alarms reach nobody.', p_canary.every_hours
      ),
      hint = (
        select 'Remove it, and set it again: '
          || string_agg(
            format('kith canary remove %s --channel %s', tenant.slug, watched.channel), '; ' order by watched.channel
          )
        from kith.canary_channels as watched
        join kith.tenants as tenant on tenant.tenant_id = watched.tenant_id
        where watched.tenant_id = p_canary.tenant_id and watched.canary_id = p_canary.id
      );
  end if;
end
$$;
comment on function internal.require_whole_canary(kith.canaries) is
  'Raises conflict if a sender or the receiver of a canary was deleted (admin.delete_user): a contact would be written '
  'where nobody is told. For definer procedures.';

create or replace function internal.canary_every(p_every_hours integer, p_within_minutes integer, p_now timestamptz)
  returns kith.canaries
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_canary kith.canaries;
  v_receiver uuid;
begin
  update kith.canaries set within_minutes = p_within_minutes, updated_at = p_now
  where tenant_id = v_tenant and every_hours = p_every_hours
  returning * into v_canary;
  if found then
    perform internal.require_whole_canary(v_canary);
    return v_canary;
  end if;
  v_receiver := internal.add_hidden_user(null, null, p_now);
  insert into kith.canaries (tenant_id, id, every_hours, minute, within_minutes, receiver_id, created_at, updated_at)
  values (v_tenant, internal.uuid7(p_now), p_every_hours, v_tenant % 60, p_within_minutes, v_receiver, p_now, p_now)
  returning * into v_canary;
  update kith.canary_people set canary_id = v_canary.id where tenant_id = v_tenant and user_id = v_receiver;
  insert into kith.receiver_profiles (tenant_id, user_id, created_at, updated_at)
  values (v_tenant, v_receiver, p_now, p_now);
  perform internal.plan_run('UTC', p_now);
  perform internal.add_canary_sender(
    v_canary, (time '00:00' + make_interval(hours => n * p_every_hours, mins => v_canary.minute))::time, p_now
  )
  from generate_series(0, 24 / p_every_hours - 1) as n;
  return v_canary;
end
$$;
comment on function internal.canary_every(integer, integer, timestamptz) is
  'The current tenant''s canary of an interval with this time limit, made if there is none: a receiver without '
  'contacts, and a sender for each run of a day. For definer procedures.';

create or replace function internal.require_free_contact(p_column text, p_value text, p_receiver uuid) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  if exists (
    select from kith.users as other
    where other.tenant_id = v_tenant and other.id <> p_receiver and other.deleted_at is null and case p_column
      when 'phone' then other.phone = p_value and other.phone_verified_at is not null
      else other.email_normalized = internal.normalized_email(p_value) and other.email_verified_at is not null
    end
  ) then
    raise exception 'conflict' using errcode = 'KT409',
      detail = format(
        'Somebody of this tenant has confirmed %s, or its canary of another interval has it.',
        case p_column when 'phone' then 'this number' else 'this address' end
      ),
      hint =
        'A canary needs a contact that no person of the tenant has. Texts and calls to one number have the same '
        'interval.';
  end if;
end
$$;
comment on function internal.require_free_contact(text, text, uuid) is
  'Raises conflict if a canary''s contact is the confirmed one of another account: an answer from it would be theirs. '
  'For definer procedures.';

create or replace function internal.clear_canary_contact(p_channel kith.canary_channels, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := p_channel.tenant_id;
  v_receiver uuid := (
    select receiver_id from kith.canaries where tenant_id = p_channel.tenant_id and id = p_channel.canary_id
  );
  v_sent_by text[] :=
  case p_channel.channel when 'push' then '{apns,web_push}' when 'call' then '{voice}'
    else array[p_channel.channel] end;
begin
  delete from kith.canary_channels where tenant_id = v_tenant and channel = p_channel.channel;
  delete from kith.deliveries as sent
  using kith.notifications as notification
  where notification.tenant_id = v_tenant and notification.user_id = v_receiver and sent.tenant_id = v_tenant
    and sent.notification_id = notification.id and sent.channel = any (v_sent_by);
  if p_channel.channel = 'webhook' then
    delete from kith.webhooks where tenant_id = v_tenant and id = p_channel.webhook_id;
  elsif p_channel.channel = 'push' then
    delete from kith.devices where tenant_id = v_tenant and user_id = v_receiver;
  elsif p_channel.channel = 'email' then
    update kith.users set email = null, email_verified_at = null, updated_at = p_now
    where tenant_id = v_tenant and id = v_receiver;
  elsif not exists (
    select from kith.canary_channels as other
    where other.tenant_id = v_tenant and other.canary_id = p_channel.canary_id and other.channel in ('sms', 'call')
  ) then
    perform internal.forget_messages(
      v_receiver, (select phone from kith.users where tenant_id = v_tenant and id = v_receiver)
    );
    update kith.users set phone = null, phone_verified_at = null, updated_at = p_now
    where tenant_id = v_tenant and id = v_receiver;
  end if;
end
$$;
comment on function internal.clear_canary_contact(kith.canary_channels, timestamptz) is
  'Ends a channel of a canary, and forgets its messages, and its contact unless another channel of the same canary '
  'uses it. For definer procedures.';

create or replace function internal.set_canary_contact(
  p_canary kith.canaries, p_channel text, p_how jsonb, p_now timestamptz
)
  returns uuid
  language plpgsql
as $$
declare
  v_tenant integer := p_canary.tenant_id;
  v_receiver uuid := p_canary.receiver_id;
  v_address text := p_how ->> 'address';
begin
  case p_channel
    when 'webhook' then
      insert into kith.webhooks (
        tenant_id, id, url, types, sealed_secrets, taken_xid, taken_at, next_attempt_at, created_at, updated_at
      )
      values (
        v_tenant, (p_how ->> 'id')::uuid, v_address, '{notification}', decode(p_how ->> 'sealed', 'hex'),
        internal.feed_horizon(), p_now, p_now, p_now, p_now
      );
      return (p_how ->> 'id')::uuid;
    when 'push' then
      if exists (
        select from kith.devices where tenant_id = v_tenant and token = v_address and user_id <> v_receiver
      )
      then
        raise exception 'conflict' using errcode = 'KT409', detail = 'Somebody of this tenant uses this device.';
      end if;
      insert into kith.devices (tenant_id, token, user_id, platform, environment, created_at, last_seen_at)
      values (v_tenant, v_address, v_receiver, 'ios', coalesce(p_how ->> 'environment', 'production'), p_now, p_now);
    when 'email' then
      perform internal.require_free_contact('email', v_address, v_receiver);
      update kith.users set email = v_address, email_verified_at = p_now, updated_at = p_now
      where tenant_id = v_tenant and id = v_receiver;
    else
      perform internal.require_free_contact('phone', v_address, v_receiver);
      if (select phone <> v_address from kith.users where tenant_id = v_tenant and id = v_receiver) then
        raise exception 'conflict' using errcode = 'KT409',
          detail = 'The texts and calls of one interval go to the same number, and this canary has another one.',
          hint = 'Name it with --sms and with --call, or take another --every for one of them.';
      end if;
      update kith.users set phone = v_address, phone_verified_at = p_now, updated_at = p_now
      where tenant_id = v_tenant and id = v_receiver;
  end case;
  return null;
end
$$;
comment on function internal.set_canary_contact(kith.canaries, text, jsonb, timestamptz) is
  'Gives a canary''s receiver the contact of a channel, as confirmed: the operator answers for it. Returns the '
  'endpoint''s id for webhook. For definer procedures.';

create or replace function internal.end_canary_alarm(p_tenant integer, p_alarm uuid, p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_alarm kith.alarms;
  v_receiver uuid;
begin
  perform set_config('kith.tenant_id', p_tenant::text, true);
  v_alarm := internal.lock_alarm(p_tenant, p_alarm, p_now);
  if v_alarm.resolved_at is not null then
    return 0;
  end if;
  select receiver.receiver_id into v_receiver
  from kith.alarm_receivers as receiver
  where receiver.tenant_id = p_tenant and receiver.alarm_id = p_alarm and receiver.told_at is not null
    and receiver.left_at is null
  limit 1;
  if found then
    perform internal.resolve_alarm(p_tenant, p_alarm, v_receiver, null, 'safe', null, null, p_now);
  else
    perform internal.expire_alarm(v_alarm, p_now);
  end if;
  return 1;
end
$$;
comment on function internal.end_canary_alarm(integer, uuid, timestamptz) is
  'Ends an alarm of a canary as its receiver would, by "safe", which tells nobody else; if nobody was told yet, as '
  'time would. Sets the tenant. Returns 1, or 0 if it was over. For definer procedures.';

create or replace function internal.retire_canary(p_canary kith.canaries, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := p_canary.tenant_id;
  v_people uuid[] := array(
    select user_id from kith.canary_people where tenant_id = p_canary.tenant_id and canary_id = p_canary.id
    order by user_id
  );
begin
  perform internal.close_connections(
    array(
      select id from kith.connections
      where tenant_id = v_tenant and receiver_id = p_canary.receiver_id and status <> 'deleted'
      order by id for no key update
    ), internal.operator(), false, p_now
  );
  perform internal.forget_alarms(person) from unnest(v_people) as person;
  perform internal.forget_settings(person) from unnest(v_people) as person;
  perform internal.forget_notifications(person) from unnest(v_people) as person;
  delete from kith.sender_profiles where tenant_id = v_tenant and user_id = any (v_people);
  delete from kith.receiver_profiles where tenant_id = v_tenant and user_id = any (v_people);
  delete from kith.canaries where tenant_id = v_tenant and id = p_canary.id;
  update kith.users
  set display_name = null, phone = null, phone_verified_at = null, email = null, email_verified_at = null,
    tokens_valid_from = p_now, updated_at = p_now, deleted_at = p_now
  where tenant_id = v_tenant and id = any (v_people);
end
$$;
comment on function internal.retire_canary(kith.canaries, timestamptz) is
  'Ends a canary without channels: its connections, alarms, messages and accounts. The rows of kith.canary_people '
  'stay, because its pings do. For definer procedures.';

create or replace function internal.settle_canaries(p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_canary kith.canaries;
begin
  for v_canary in select * from kith.canaries where tenant_id = v_tenant order by id loop
    if not exists (select from kith.canary_channels where tenant_id = v_tenant and canary_id = v_canary.id) then
      perform internal.retire_canary(v_canary, p_now);
    else
      insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
      select v_tenant, v_canary.receiver_id, 'ping_missed', array(
        select case named.channel when 'call' then 'voice' else named.channel end
        from kith.canary_channels as named
        where named.tenant_id = v_tenant and named.canary_id = v_canary.id and named.channel <> 'webhook'
        order by named.channel
      ), p_now
      on conflict (tenant_id, user_id, type) do update set channels = excluded.channels,
        updated_at = excluded.updated_at;
    end if;
  end loop;
end
$$;
comment on function internal.settle_canaries(timestamptz) is
  'Lets the receiver of each canary of the current tenant hear of a miss on its channels, and retires canaries that '
  'have none. For definer procedures.';
