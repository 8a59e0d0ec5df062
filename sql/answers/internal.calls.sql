-- Phone calls that ask or tell somebody something (J03).

create or replace function internal.hears_keys(p_tenant_id integer) returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (
    select from kith.channel_credentials as credentials
    where credentials.tenant_id = p_tenant_id and credentials.channel = 'voice' and credentials.summary ?& '{inbound,callback_field}'
  );
end
$$;
comment on function internal.hears_keys(integer) is
  'Whether a key that is pressed in a call of the tenant can come back: its provider is given an address (callback_field), which takes signed '
  'reports (inbound). A call offers keys only then (J03).';

drop function if exists internal.spoken_text(text, text, text, text, text);
create or replace function internal.spoken_text(
  p_tenant_id integer, p_type text, p_data jsonb, p_body text, p_locale text, p_brand text
) returns text
  language plpgsql
  stable
as $$
declare
  v_way text := case when internal.hears_keys(p_tenant_id) then '' else '.no_key' end;
begin
  if p_type in ('ping_due', 'ping_reminder') then
    return internal.said_text('voice.question' || v_way, p_locale, p_fourth => p_brand);
  end if;
  -- The brand comes first: whoever is called must know who calls.
  return internal.said_text(
    case when internal.asks_for_check_in(p_type, p_data) then 'voice.ask' || v_way else 'voice.told' end, p_locale, p_link => p_body,
    p_fourth => p_brand
  ) || case
    when internal.answers_alarm(p_type, p_data) then ' ' || internal.said_text('voice.alarm' || v_way, p_locale, p_fourth => p_brand) else ''
  end;
end
$$;
comment on function internal.spoken_text(integer, text, jsonb, text, text, text) is
  'What a call says for a notification, after who calls: the question and its two keys to a sender who is asked, and to others the '
  'notification''s own words, with two keys if they can look after somebody; another way to answer where no key can come back.';

create or replace function internal.spoken(p_tenant_id integer, p_notification_id uuid, p_locale text, p_zone text, p_brand text) returns jsonb
  language plpgsql
  stable
as $$
begin
  return (
    select jsonb_build_object(
      'text', internal.spoken_text(notification.tenant_id, notification.type, notification.data, words.body, p_locale, p_brand),
      'takes_key',
        (internal.asks_for_check_in(notification.type, notification.data) or internal.answers_alarm(notification.type, notification.data))
          and internal.hears_keys(notification.tenant_id)
    )
    from kith.notifications as notification
    cross join lateral internal.told(
      notification.tenant_id, notification.user_id, notification.type, notification.data, notification.created_at, notification.title,
      notification.body, notification.person_name, p_locale, p_zone
    ) as words
    where notification.tenant_id = p_tenant_id and notification.id = p_notification_id
  );
end
$$;
comment on function internal.spoken(integer, uuid, text, text, text) is
  'What a call says for a notification, and whether it takes a key: {text, takes_key}. For api.receive_call.';

create or replace function internal.bind_call(p_call_hash bytea, p_bound_hash bytea, p_now timestamptz) returns boolean
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  -- Of two reports at once, the second waits here for the first.
  insert into kith.inbound_messages (tenant_id, channel, message_hash, received_at)
  values (v_tenant, 'voice', p_call_hash, p_now)
  on conflict do nothing;
  if not found and not exists (
    select from kith.inbound_messages where tenant_id = v_tenant and channel = 'voice' and message_hash = p_bound_hash
  ) then
    return false;
  end if;
  insert into kith.inbound_messages (tenant_id, channel, message_hash, received_at)
  values (v_tenant, 'voice', p_bound_hash, p_now)
  on conflict do nothing;
  return true;
end
$$;
comment on function internal.bind_call(bytea, bytea, timestamptz) is
  'Binds a call of the provider (p_call_hash) to the delivery for which a key was pressed in it first (p_bound_hash). Not every signature covers '
  'the address, which says for which delivery a report is: a recorded one must not answer for somebody else. Returns false for another '
  'delivery.';

create or replace function internal.plan_next_calls(p_tenants integer[], p_ids uuid[], p_now timestamptz) returns void
  language plpgsql
as $$
begin
  insert into kith.deliveries (
    tenant_id, id, channel, purpose, address, notification_id, is_urgent, status, next_attempt_at, expires_at, created_at
  )
  select made.tenant_id, internal.uuid7(p_now), 'voice', 'notification', made.address, made.notification_id, made.is_urgent, 'queued',
    p_now + interval '10 minutes', made.expires_at, p_now
  from unnest(p_tenants, p_ids) as given (tenant_id, id)
  join kith.deliveries as made on made.tenant_id = given.tenant_id and made.id = given.id and made.channel = 'voice'
  where made.expires_at > p_now + interval '10 minutes'
    and (
      select count(*) < 3 and bool_and(call.status not in ('queued', 'sending'))
      from kith.deliveries as call
      where call.tenant_id = made.tenant_id and call.notification_id = made.notification_id and call.channel = 'voice'
    );
end
$$;
comment on function internal.plan_next_calls(integer[], uuid[], timestamptz) is
  'After calls that a provider has taken: plans the next try in 10 minutes, the third at most, and none after the deadline (J03). A key ends '
  'it, and so does anything else that makes the notification pointless; otherwise nobody, or a machine, has answered. So nothing depends on '
  'whether a provider reports how a call ended. For worker.finish_deliveries.';

create or replace function internal.end_calls(p_tenant_id integer, p_notification_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  -- One that a worker is sending just now, or settling, is dropped or answered later.
  update kith.deliveries as call
  set status = 'dropped', error = 'it was answered'
  from (
    select waiting.id
    from kith.deliveries as waiting
    where waiting.tenant_id = p_tenant_id and waiting.notification_id = p_notification_id and waiting.channel = 'voice'
      and waiting.status = 'queued'
    order by waiting.id
    for no key update skip locked
  ) as waiting
  where call.tenant_id = p_tenant_id and call.id = waiting.id;
end
$$;
comment on function internal.end_calls(integer, uuid, timestamptz) is
  'Drops the next try of a call after somebody has pressed a key. For api.receive_call.';
