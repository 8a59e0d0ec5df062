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
  -- At most once a minute unless the error changes, so that the row is not written for each message.
  update kith.channel_credentials
  set checked_at = p_now, error = p_error
  where tenant_id = p_tenant_id and channel = p_channel
    and (error is distinct from p_error or checked_at is null or checked_at < p_now - interval '1 minute');
end
$$;
comment on function worker.note_channel(integer, text, text, timestamptz) is
  'Records that a tenant''s provider accepts the credentials (p_error null), or why it refuses them, for the tenant and the operator to '
  'see. Security definer, because no role may write credentials directly.';
grant execute on function worker.note_channel(integer, text, text, timestamptz) to kith_worker;
