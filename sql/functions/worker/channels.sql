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
  'By which provider a tenant''s messages leave on a channel, sealed, and since when; no row without. Definer: credentials are nobody''s to read at large.';
revoke all on function worker.channel_credentials(integer, text) from public;
grant execute on function worker.channel_credentials(integer, text) to kith_worker;

create or replace function worker.note_channel(p_tenant_id integer, p_channel text, p_error text, p_now timestamptz) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  -- Once a minute, unless it changes: a row is not written for each message.
  update kith.channel_credentials
  set checked_at = p_now, error = p_error
  where tenant_id = p_tenant_id and channel = p_channel
    and (error is distinct from p_error or checked_at is null or checked_at < p_now - interval '1 minute');
end
$$;
comment on function worker.note_channel(integer, text, text, timestamptz) is
  'Puts down that a tenant''s provider works (p_error null), or why it refuses the credentials: for the tenant and the operator to see. Definer: credentials are nobody''s to write.';
revoke all on function worker.note_channel(integer, text, text, timestamptz) from public;
grant execute on function worker.note_channel(integer, text, text, timestamptz) to kith_worker;
