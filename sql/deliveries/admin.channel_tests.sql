create or replace function admin.note_channel_test(
  p_tenant text, p_channel text, p_error text, p_now timestamptz default now()
)
  returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer;
  v_moved integer := 0;
begin
  perform internal.require_present(p_now);
  perform internal.require_channel(p_channel);
  v_tenant := internal.enter_tenant(p_tenant);
  perform internal.record_act(
    v_tenant, internal.operator(), 'channel.test', p_channel, jsonb_build_object('error', p_error)
  );
  if p_error is not null then
    perform internal.note_channel(v_tenant, p_channel, p_error, null, p_now);
  else
    perform internal.record_recovery(v_tenant, p_channel, p_now);
    update kith.channel_credentials set checked_at = p_now, tested_at = p_now, error = null, refused_since = null,
      next_try_at = null
    where tenant_id = v_tenant and channel = p_channel;
    update kith.deliveries as delivery set next_attempt_at = p_now
    from (
      select one.id from kith.deliveries as one
      where one.tenant_id = v_tenant and one.channel = p_channel and one.status = 'queued' and one.error is not null
        and one.next_attempt_at > p_now
      order by one.next_attempt_at
      limit 10000
      for update skip locked
    ) as waiting
    where delivery.tenant_id = v_tenant and delivery.id = waiting.id;
    get diagnostics v_moved = row_count;
  end if;
  perform internal.leave_tenant();
  return v_moved;
end
$$;
comment on function admin.note_channel_test(text, text, text, timestamptz) is
  'Records the result of kith tenant channel test. If the provider has accepted the message (p_error null), its error '
  'ends, workers that had paused try it again at once (worker.tested_channels), and so do at most 10,000 messages that '
  'it had refused. Returns how many. Otherwise p_error says why it refuses the credentials. Security definer, because '
  'no role may write credentials and deliveries directly.';
grant execute on function admin.note_channel_test(text, text, text, timestamptz) to kith_admin;
