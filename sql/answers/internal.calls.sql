-- Phone calls that ask or tell somebody something (J03).

create or replace function internal.spoken(
  p_tenant_id integer, p_notification_id uuid, p_locale text, p_zone text, p_brand text
)
  returns jsonb
  language plpgsql
  stable
as $$
begin
  return (
    select jsonb_build_object(
      'text', internal.spoken_text(
        notification.tenant_id, notification.type, notification.data, words.body, p_locale, p_brand
      ),
      'takes_key',
        (
          internal.asks_for_check_in(notification.type, notification.data)
          or internal.answers_alarm(notification.type, notification.data)
        )
          and internal.hears_keys(notification.tenant_id)
    )
    from kith.notifications as notification
    cross join lateral internal.told(
      notification.tenant_id, notification.user_id, notification.type, notification.data, notification.created_at,
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
  'Binds a call of the provider (p_call_hash) to the delivery for which a key was pressed in it first (p_bound_hash). '
  'Not every signature covers the address, which says for which delivery a report is: a recorded one must not answer '
  'for somebody else. Returns false for another delivery.';

create or replace function internal.end_calls(p_tenant_id integer, p_notification_id uuid, p_now timestamptz)
  returns void
  language plpgsql
as $$
begin
  -- One that a worker is sending just now, or settling, is dropped or answered later.
  update kith.deliveries as call
  set status = 'dropped', error = 'it was answered', next_attempt_at = p_now
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
