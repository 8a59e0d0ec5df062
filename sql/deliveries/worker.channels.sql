create or replace function worker.channel_credentials(p_tenant_id integer, p_channel text)
  returns table (sealed bytea, updated_at timestamptz)
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  select credentials.sealed, credentials.updated_at
  from kith.channel_credentials as credentials
  where credentials.tenant_id = p_tenant_id and credentials.channel = p_channel;
end
$$;
comment on function worker.channel_credentials(integer, text) is
  'Returns the sealed credentials of the provider that sends a tenant''s messages on a channel, and when they were last changed; no row if '
  'there are none. Security definer, because the worker may read only one tenant''s credentials at a time.';
grant execute on function worker.channel_credentials(integer, text) to kith_worker;

create or replace function worker.note_channel(p_tenant_id integer, p_channel text, p_error text, p_now timestamptz) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  p_now := internal.present(p_now);
  if p_error is null then
    perform internal.record_recovery(p_tenant_id, p_channel, p_now);
  end if;
  -- At most once a minute unless the error changes, so that the row is not written for each message.
  update kith.channel_credentials
  set checked_at = p_now, error = p_error, refused_since = case when p_error is not null then coalesce(refused_since, p_now) end
  where tenant_id = p_tenant_id and channel = p_channel
    and (error is distinct from p_error or checked_at is null or checked_at < p_now - interval '1 minute');
end
$$;
comment on function worker.note_channel(integer, text, text, timestamptz) is
  'Records that a tenant''s provider accepts messages (p_error null), or why a try failed, for the tenant and the operator to see. '
  'Security definer, because no role may write credentials directly.';
grant execute on function worker.note_channel(integer, text, text, timestamptz) to kith_worker;

create or replace function worker.note_test(p_tenant_id integer, p_channel text, p_now timestamptz) returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_moved integer;
begin
  p_now := internal.present(p_now);
  perform internal.record_recovery(p_tenant_id, p_channel, p_now);
  update kith.channel_credentials set checked_at = p_now, tested_at = p_now, error = null, refused_since = null
  where tenant_id = p_tenant_id and channel = p_channel;
  update kith.deliveries as delivery set next_attempt_at = p_now
  from (
    select one.id from kith.deliveries as one
    where one.tenant_id = p_tenant_id and one.channel = p_channel and one.status = 'queued' and one.error is not null
      and one.next_attempt_at > p_now
    order by one.next_attempt_at
    limit 10000
    for update skip locked
  ) as waiting
  where delivery.tenant_id = p_tenant_id and delivery.id = waiting.id;
  get diagnostics v_moved = row_count;
  return v_moved;
end
$$;
comment on function worker.note_test(integer, text, timestamptz) is
  'Records that a tenant''s provider has accepted an operator''s test: its error ends, workers that had paused try it again at once '
  '(worker.tested_channels), and so do at most 10,000 messages that it had refused. Returns how many. Security definer, because no role may '
  'write credentials and deliveries directly.';
grant execute on function worker.note_test(integer, text, timestamptz) to kith_worker;

create or replace function worker.tested_channels(p_channel text, p_tenants integer[], p_since timestamptz) returns integer[]
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return array(
    select credentials.tenant_id from kith.channel_credentials as credentials
    where credentials.tenant_id = any (p_tenants) and credentials.channel = p_channel and credentials.tested_at >= p_since
  );
end
$$;
comment on function worker.tested_channels(text, integer[], timestamptz) is
  'Returns which of the tenants'' providers have passed an operator''s test since an instant. A worker asks for those to which it sends '
  'nothing. Security definer, because the worker may not read credentials.';
grant execute on function worker.tested_channels(text, integer[], timestamptz) to kith_worker;
