create or replace function internal.plan_next_calls(p_tenants integer[], p_ids uuid[], p_now timestamptz) returns void
  language plpgsql
as $$
begin
  insert into kith.deliveries (
    tenant_id, id, channel, purpose, address, notification_id, is_urgent, status, next_attempt_at, expires_at,
    created_at
  )
  select made.tenant_id, internal.uuid7(p_now), 'voice', 'notification', made.address, made.notification_id,
    made.is_urgent, 'queued', p_now + interval '10 minutes', made.expires_at, p_now
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
  'After calls that a provider has taken: plans the next try in 10 minutes, the third at most, and none after the '
  'deadline (J03). A key ends it, and so does anything else that makes the notification pointless; otherwise nobody, '
  'or a machine, has answered. So nothing depends on whether a provider reports how a call ended. For '
  'worker.finish_deliveries.';
