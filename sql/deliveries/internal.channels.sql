create or replace function internal.failing_channels(p_since uuid)
  returns table (tenant_id integer, channel text, messages bigint, error text, oldest_at timestamptz)
  language sql
  stable
as $$
  select failing.* from (
    select failed.tenant_id, failed.channel, count(*) as messages, max(failed.error) as error,
      min(failed.created_at) as oldest_at
    from kith.deliveries as failed
    where failed.status = 'failed' and failed.id >= p_since
      -- Leave out the messages of canaries, as internal.hidden_message would, which operators may not call.
      and not exists (
        select from kith.notifications as notification
        join kith.canary_people as hidden
          on hidden.tenant_id = notification.tenant_id and hidden.user_id = notification.user_id
        where notification.tenant_id = failed.tenant_id and notification.id = failed.notification_id
      )
    group by failed.tenant_id, failed.channel
    having count(*) >= 5
  ) as failing
  where not exists (
    select from kith.deliveries as sent
    where sent.tenant_id = failing.tenant_id and sent.channel = failing.channel and sent.status = 'sent'
      and sent.id >= p_since
      and not exists (
        select from kith.notifications as notification
        join kith.canary_people as hidden
          on hidden.tenant_id = notification.tenant_id and hidden.user_id = notification.user_id
        where notification.tenant_id = sent.tenant_id and notification.id = sent.notification_id
      )
  )
$$;
comment on function internal.failing_channels(uuid) is
  'The channels of tenants of which at least five messages since an id failed for good and none was taken, with one of '
  'the errors. The messages of canaries are not counted. A provider that answers each message as if it alone were '
  'wrong refuses no credentials, so admin.channels shows no error.';
grant execute on function internal.failing_channels(uuid) to kith_reader;

create or replace function internal.record_recovery(p_tenant_id integer, p_channel text, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_refusal record;
begin
  select known.error, known.refused_since into v_refusal from kith.channel_credentials as known
  where known.tenant_id = p_tenant_id and known.channel = p_channel
    and known.refused_since <= p_now - interval '1 minute'
  for update skip locked;
  if found then
    perform internal.record_act(p_tenant_id, 'kith', 'channel.recover', p_channel, jsonb_build_object(
      'since', internal.instant(v_refusal.refused_since), 'until', internal.instant(p_now), 'error', v_refusal.error
    ));
  end if;
end
$$;
comment on function internal.record_recovery(integer, text, timestamptz) is
  'Records in the audit that a provider which had refused everything for a minute or longer accepts messages again or '
  'has new credentials, with the time and its last error (channel.recover). Call it before the error is cleared. For '
  'definer procedures.';

create or replace function internal.note_channel(
  p_tenant_id integer, p_channel text, p_error text, p_next_try_at timestamptz, p_now timestamptz
)
  returns void
  language plpgsql
as $$
begin
  if p_error is null then
    perform internal.record_recovery(p_tenant_id, p_channel, p_now);
  end if;
  -- At most once a minute unless the error changes, so that the row is not written for each message.
  update kith.channel_credentials
  set checked_at = p_now, error = p_error,
    refused_since = case when p_error is not null then coalesce(refused_since, p_now) end,
    next_try_at = case when p_error is not null then coalesce(p_next_try_at, next_try_at) end
  where tenant_id = p_tenant_id and channel = p_channel
    and (
      error is distinct from p_error or checked_at is null or checked_at < p_now - interval '1 minute'
      -- A provider that fails is tried once in each pause.
      or p_next_try_at > coalesce(next_try_at, '1900-01-01Z') + interval '1 second'
    );
end
$$;
comment on function internal.note_channel(integer, text, text, timestamptz, timestamptz) is
  'Records that a tenant''s provider accepts messages (p_error null), or why a try failed and when it is tried again, '
  'if not at once. For definer procedures.';

create or replace function internal.channel_json(p_credentials kith.channel_credentials, p_public_url text) returns json
  language sql
  stable
as $$
  select json_build_object(
    'channel', (p_credentials).channel,
    'settings', case
      when not (p_credentials).summary ? 'inbound' then (p_credentials).summary
      else jsonb_set(
        (p_credentials).summary, '{inbound,url}',
        to_jsonb(concat(p_public_url, '/v1/inbound/', (p_credentials).channel, '/', (p_credentials).inbound_token))
      )
    end,
    'created_at', internal.instant((p_credentials).created_at),
    'updated_at', internal.instant((p_credentials).updated_at),
    'checked_at', internal.instant((p_credentials).checked_at),
    'error', (p_credentials).error
  )
$$;
comment on function internal.channel_json(kith.channel_credentials, text) is
  'A tenant''s provider for a channel, without secrets, and with the address to which it forwards answers.';

create or replace function internal.set_channel(
  p_tenant_id integer, p_channel text, p_summary jsonb, p_sealed bytea, p_actor text, p_now timestamptz
) returns kith.channel_credentials
  language plpgsql
as $$
declare
  v_before jsonb := (
    select summary from kith.channel_credentials where tenant_id = p_tenant_id and channel = p_channel
  );
  v_credentials kith.channel_credentials;
begin
  perform internal.record_recovery(p_tenant_id, p_channel, p_now);
  insert into kith.channel_credentials as known (
    tenant_id, channel, summary, sealed, created_at, updated_at, inbound_token
  )
  values (
    p_tenant_id, p_channel, p_summary, p_sealed, p_now, p_now,
    case when p_summary ? 'inbound' then p_tenant_id || '-' || translate(gen_random_uuid()::text, '-', '') end
  )
  on conflict (tenant_id, channel) do update
  set summary = excluded.summary, sealed = excluded.sealed, updated_at = excluded.updated_at, checked_at = null,
    error = null, refused_since = null, next_try_at = null,
    -- A provider is told the address once.
    inbound_token = case
      when excluded.inbound_token is not null then coalesce(known.inbound_token, excluded.inbound_token)
    end
  returning * into v_credentials;
  -- A new secret shows in no setting, so the act says that it was replaced.
  perform internal.record_act(
    p_tenant_id, p_actor, 'channel.set', p_channel,
    p_summary || '{"secret": "set anew"}' || jsonb_strip_nulls(jsonb_build_object('before', v_before))
  );
  return v_credentials;
end
$$;
comment on function internal.set_channel(integer, text, jsonb, bytea, text, timestamptz) is
  'Stores a tenant''s credentials for a channel, which must already be checked and sealed, and audits it. An address '
  'for answers stays the same while inbound is set. Shared by the tenant''s server and operators.';

create or replace function internal.delete_channel(p_tenant_id integer, p_channel text, p_actor text, p_now timestamptz)
  returns void
  language plpgsql
as $$
begin
  delete from kith.channel_credentials where tenant_id = p_tenant_id and channel = p_channel;
  if not found then
    perform internal.refuse_not_found();
  end if;
  perform internal.record_act(p_tenant_id, p_actor, 'channel.delete', p_channel, null);
end
$$;
comment on function internal.delete_channel(integer, text, text, timestamptz) is
  'Deletes a tenant''s credentials for a channel and audits it. Raises not_found if there are none.';
