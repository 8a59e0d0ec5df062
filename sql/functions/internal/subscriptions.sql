-- A receiver's subscription (X28): good ─lapse→ receiver and senders are told ─the tenant's grace→ pings stopped; renewed, or
-- required no longer: good again, and pings come back.

create or replace function internal.restore_pings(p_receiver_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_connection_id uuid;
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
  for v_connection_id in
    update kith.connections
    set pings_stopped_at = null, activated_at = p_now, updated_at = p_now
    where tenant_id = v_tenant and receiver_id = p_receiver_id and pings_stopped_at is not null
    returning id
  loop
    perform internal.bring_ping(v_connection_id, p_now);
    perform internal.emit_connection(v_connection_id, p_now);
  end loop;
end
$$;
comment on function internal.restore_pings(uuid, timestamptz) is
  'Takes back a lapse of a receiver''s subscription: where pings had stopped, today''s come back if their deadline is ahead (P13). Nothing where there was no lapse. For definers: it runs over other people''s connections.';
revoke all on function internal.restore_pings(uuid, timestamptz) from public;
