create or replace function worker.channel_credentials(p_tenant_id integer, p_channel text)
  returns table (sealed bytea, updated_at kith.instant)
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
  'Returns the sealed credentials of the provider that sends a tenant''s messages on a channel, and when they were '
  'last changed; no row if there are none. Security definer, because the worker may read only one tenant''s '
  'credentials at a time.';
grant execute on function worker.channel_credentials(integer, text) to kith_worker;

create or replace function worker.note_channel(
  p_tenant_id integer, p_channel text, p_error text, p_pause interval, p_now timestamptz
)
  returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  p_now := internal.present(p_now);
  perform internal.note_channel(
    p_tenant_id, p_channel, p_error, case when p_pause is not null then p_now + least(p_pause, interval '1 hour') end,
    p_now
  );
end
$$;
comment on function worker.note_channel(integer, text, text, interval, timestamptz) is
  'Records that a tenant''s provider accepts messages (p_error null), or why a try failed and for how long the worker '
  'sends it nothing (p_pause; null if it goes on), for the tenant and the operator to see. Security definer, because '
  'no role may write credentials directly.';
grant execute on function worker.note_channel(integer, text, text, interval, timestamptz) to kith_worker;

create or replace function worker.tested_channels(p_channel text, p_tenants integer[], p_since timestamptz)
  returns integer[]
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return array(
    select credentials.tenant_id from kith.channel_credentials as credentials
    where credentials.tenant_id = any (p_tenants) and credentials.channel = p_channel
      and credentials.tested_at >= p_since
  );
end
$$;
comment on function worker.tested_channels(text, integer[], timestamptz) is
  'Returns which of the tenants'' providers have passed an operator''s test since an instant. A worker asks for those '
  'to which it sends nothing. Security definer, because the worker may not read credentials.';
grant execute on function worker.tested_channels(text, integer[], timestamptz) to kith_worker;
