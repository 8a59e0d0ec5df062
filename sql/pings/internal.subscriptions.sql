-- A receiver's subscription (X28): good ─lapse→ receiver and senders are told ─the tenant's grace period→ pings
-- stopped. When it is renewed or no longer required, it is good again and pings return.

create or replace function internal.restore_pings(p_receiver_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_connection_id uuid;
  v_status text;
begin
  update kith.receiver_profiles
  set pings_stop_at = null, pings_stopped_at = null
  where tenant_id = v_tenant and user_id = p_receiver_id and pings_stop_at is not null;
  if not found then
    return;
  end if;
  perform from kith.connections
  where tenant_id = v_tenant and receiver_id = p_receiver_id and pings_stopped_at is not null
  order by id
  for no key update;
  for v_connection_id, v_status in
    update kith.connections
    set pings_stopped_at = null, activated_at = case when status = 'deleted' then activated_at else p_now end,
      updated_at = p_now
    where tenant_id = v_tenant and receiver_id = p_receiver_id and pings_stopped_at is not null
    returning id, status
  loop
    -- It rests with its receiver's role, and may come back with it.
    continue when v_status = 'deleted';
    perform internal.bring_ping(v_connection_id, p_now);
    perform internal.emit_connection(v_connection_id, p_now);
    perform internal.tell_of_late_resuming(v_tenant, array[v_connection_id], p_now);
  end loop;
end
$$;
comment on function internal.restore_pings(uuid, timestamptz) is
  'Reverts a lapse of a receiver''s subscription. If pings had stopped, today''s return if their deadline is ahead '
  '(P13). Does nothing without a lapse. For definer procedures, because it changes other users'' connections.';

create or replace function internal.pings_stop_at(p_good_until timestamptz, p_grace_days integer, p_now timestamptz)
  returns timestamptz
  language sql
  stable
  parallel safe
as $$
  select greatest(p_good_until, p_now - interval '1 day') + make_interval(days => p_grace_days)
$$;
comment on function internal.pings_stop_at(timestamptz, integer, timestamptz) is
  'When the pings to a receiver stop whose subscription was good until p_good_until, if that is found at p_now. The '
  'tenant''s grace period begins at the lapse, but at most a day ago: a worker that was down, or a tenant that begins '
  'to require subscriptions, must not shorten it.';
