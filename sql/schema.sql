CREATE SCHEMA admin;

ALTER SCHEMA admin OWNER TO kith_owner;

COMMENT ON SCHEMA admin IS 'The operator''s door: views, and procedures that follow the same rules as the API and are audited.';

CREATE SCHEMA api;

ALTER SCHEMA api OWNER TO kith_owner;

COMMENT ON SCHEMA api IS 'One procedure per call of the HTTP API; they run as kith_api, within one tenant.';

CREATE SCHEMA internal;

ALTER SCHEMA internal OWNER TO kith_owner;

COMMENT ON SCHEMA internal IS 'Helpers that nobody calls from outside, and the ledger of migrations.';

CREATE SCHEMA kith;

ALTER SCHEMA kith OWNER TO kith_owner;

COMMENT ON SCHEMA kith IS 'The tables of Kith, every one under row-level security.';

CREATE SCHEMA worker;

ALTER SCHEMA worker OWNER TO kith_owner;

COMMENT ON SCHEMA worker IS 'One procedure per loop of the worker: each does one batch and says how much it did.';

CREATE FUNCTION admin.create_tenant(p_slug text, p_name text, p_now timestamp with time zone DEFAULT now()) RETURNS TABLE(tenant_id integer, slug text, secret_key text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  perform internal.leave_tenant();
  insert into kith.tenants as tenant (slug, name, created_at, updated_at)
  values (p_slug, p_name, p_now, p_now)
  returning tenant.tenant_id, tenant.slug into tenant_id, slug;
  insert into kith.tenant_usage (tenant_id, users) values (create_tenant.tenant_id, 0);
  select secret into secret_key from internal.new_api_key(tenant_id, 'first', p_now);
  perform internal.record_act(tenant_id, internal.operator(), 'tenant.create', slug, null, p_now);
  return next;
exception when unique_violation then
  raise exception 'conflict' using errcode = 'KT409', detail = format('There is a tenant %L already.', p_slug);
end
$$;

ALTER FUNCTION admin.create_tenant(p_slug text, p_name text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION admin.create_tenant(p_slug text, p_name text, p_now timestamp with time zone) IS 'Makes a tenant and its first API key, which is shown here once: select * from admin.create_tenant(''acme'', ''Acme'').';

CREATE FUNCTION admin.delete_channel(p_slug text, p_channel text, p_now timestamp with time zone DEFAULT now()) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := internal.enter_tenant(p_slug);
begin
  perform internal.delete_channel(v_tenant, p_channel, internal.operator(), p_now);
  perform internal.leave_tenant();
end
$$;

ALTER FUNCTION admin.delete_channel(p_slug text, p_channel text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION admin.delete_channel(p_slug text, p_channel text, p_now timestamp with time zone) IS 'Forgets by which provider a tenant''s messages leave on a channel: from now on they do not.';

CREATE FUNCTION admin.delete_user(p_tenant text, p_user uuid, p_reason text, p_delete_vaults boolean DEFAULT false, p_now timestamp with time zone DEFAULT now()) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  perform internal.enter_tenant(p_tenant);
  perform internal.delete_user(p_user, internal.operator(), jsonb_build_object('reason', p_reason), p_delete_vaults, p_now);
  perform internal.leave_tenant();
end
$$;

ALTER FUNCTION admin.delete_user(p_tenant text, p_user uuid, p_reason text, p_delete_vaults boolean, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION admin.delete_user(p_tenant text, p_user uuid, p_reason text, p_delete_vaults boolean, p_now timestamp with time zone) IS 'Ends a user''s account as they would themselves; there is no way back. Where they own vaults that others have access to, it is refused unless these are to be deleted too. The reason is kept in the audit: no names in it.';

CREATE FUNCTION admin.generate_daily_pings(p_now timestamp with time zone DEFAULT now()) RETURNS TABLE(batches integer, done bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_done integer;
begin
  perform internal.leave_tenant();
  batches := 0;
  done := 0;
  loop
    v_done := worker.generate_daily_pings(p_now, 10000);
    exit when v_done = 0;
    batches := batches + 1;
    done := done + v_done;
  end loop;
  perform internal.record_act(0, internal.operator(), 'pings.generate', null, jsonb_build_object('batches', batches, 'done', done), p_now);
  return next;
end
$$;

ALTER FUNCTION admin.generate_daily_pings(p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION admin.generate_daily_pings(p_now timestamp with time zone) IS 'Generates what is due now, as the worker would, but in one transaction: for a worker that is down. done counts pings made and runs advanced.';

CREATE FUNCTION admin.pause_channel(p_channel text, p_slug text, p_reason text, p_now timestamp with time zone DEFAULT now()) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := 0;
begin
  if p_slug is null then
    perform internal.leave_tenant();
  else
    v_tenant := internal.enter_tenant(p_slug);
  end if;
  insert into kith.channel_pauses (tenant_id, channel, reason, paused_by, paused_at)
  values (v_tenant, p_channel, p_reason, internal.operator(), p_now)
  on conflict do nothing;
  if not found then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This channel is paused already.';
  end if;
  perform internal.leave_tenant();
  perform internal.record_act(
    v_tenant, internal.operator(), 'channel.pause', p_channel, jsonb_build_object('reason', p_reason), p_now
  );
exception when check_violation then
  raise exception 'not_found' using errcode = 'KT404', detail = 'The channels are apns, web_push, email and sms.';
end
$$;

ALTER FUNCTION admin.pause_channel(p_channel text, p_slug text, p_reason text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION admin.pause_channel(p_channel text, p_slug text, p_reason text, p_now timestamp with time zone) IS 'Has a tenant''s messages on a channel wait, or with null those of all tenants: select admin.pause_channel(''sms'', ''acme'', ''sends twice''). What expires meanwhile is dropped; alarms take other channels after 10 minutes.';

CREATE FUNCTION admin.reactivate_connection(p_tenant text, p_connection uuid, p_reason text, p_now timestamp with time zone DEFAULT now()) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
  v_connection kith.connections;
begin
  -- A block or a deletion that is under way is waited for, and then seen below.
  perform from kith.users
  where tenant_id = v_tenant and id in (
    select unnest(array[sender_id, receiver_id]) from kith.connections where tenant_id = v_tenant and id = p_connection
  )
  order by id
  for key share;
  select * into v_connection from kith.connections where tenant_id = v_tenant and id = p_connection for no key update;
  if not found then
    perform internal.refuse_not_found();
  end if;
  if v_connection.status <> 'deleted' then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'Only a removed connection can be reactivated.';
  end if;
  if exists (
    select from kith.users
    where tenant_id = v_tenant and id in (v_connection.sender_id, v_connection.receiver_id) and deleted_at is not null
  ) then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'One of the two has deleted their account.';
  end if;
  if exists (
    select from kith.blocks
    where tenant_id = v_tenant and user_id in (v_connection.sender_id, v_connection.receiver_id)
      and blocked_id in (v_connection.sender_id, v_connection.receiver_id)
  ) then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'One of the two has blocked the other.';
  end if;
  if not internal.accepts_connections(v_connection.receiver_id, p_now) then
    raise exception 'subscription_inactive' using errcode = 'KT402';
  end if;
  perform internal.begin_connection(v_connection.sender_id, v_connection.receiver_id, v_connection.code_owner_id, p_now);
  perform internal.record_act(
    v_tenant, internal.operator(), 'connection.reactivate', p_connection::text, jsonb_build_object('reason', p_reason), p_now
  );
  perform internal.leave_tenant();
end
$$;

ALTER FUNCTION admin.reactivate_connection(p_tenant text, p_connection uuid, p_reason text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION admin.reactivate_connection(p_tenant text, p_connection uuid, p_reason text, p_now timestamp with time zone) IS 'Revives a removed connection as its code would: the same row, today''s ping, and the owner of the code is told.';

CREATE FUNCTION admin.replay_deliveries(p_channel text, p_slug text, p_since timestamp with time zone, p_reason text, p_now timestamp with time zone DEFAULT now()) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := internal.enter_tenant(p_slug);
  v_replayed integer;
begin
  v_replayed := internal.replay_deliveries(
    v_tenant,
    array(
      select id from kith.deliveries
      where tenant_id = v_tenant and channel = p_channel and status = 'failed' and id >= internal.first_uuid7(p_since)
        and purpose in ('notification', 'invitation')
    ),
    p_now
  );
  perform internal.record_act(
    v_tenant, internal.operator(), 'deliveries.replay', p_channel,
    jsonb_build_object('reason', p_reason, 'since', internal.instant(p_since), 'deliveries', v_replayed), p_now
  );
  perform internal.leave_tenant();
  return v_replayed;
end
$$;

ALTER FUNCTION admin.replay_deliveries(p_channel text, p_slug text, p_since timestamp with time zone, p_reason text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION admin.replay_deliveries(p_channel text, p_slug text, p_since timestamp with time zone, p_reason text, p_now timestamp with time zone) IS 'Queues a tenant''s dead letters of a channel again that were made since an instant, as admin.replay_delivery does; codes are void and stay. How many.';

CREATE FUNCTION admin.replay_delivery(p_slug text, p_id uuid, p_reason text, p_now timestamp with time zone DEFAULT now()) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := internal.enter_tenant(p_slug);
  v_status text;
  v_purpose text;
begin
  select status, purpose into v_status, v_purpose from kith.deliveries where tenant_id = v_tenant and id = p_id;
  if not found then
    perform internal.refuse_not_found();
  end if;
  if v_purpose in ('sign_in_code', 'contact_code') then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'The code in this message is forgotten: a new one must be asked for.';
  end if;
  if internal.replay_deliveries(v_tenant, array[p_id], p_now) = 0 then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = format('This delivery is %s: only a dead letter is sent again.', v_status);
  end if;
  perform internal.record_act(
    v_tenant, internal.operator(), 'delivery.replay', p_id::text, jsonb_build_object('reason', p_reason), p_now
  );
  perform internal.leave_tenant();
end
$$;

ALTER FUNCTION admin.replay_delivery(p_slug text, p_id uuid, p_reason text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION admin.replay_delivery(p_slug text, p_id uuid, p_reason text, p_now timestamp with time zone) IS 'Queues a dead letter again, as if it had never been tried, for a day: select admin.replay_delivery(''acme'', ''…'', ''the provider is back''). What has become pointless is dropped when its turn comes.';

CREATE FUNCTION admin.resolve_alarm(p_slug text, p_notification_id uuid, p_reason text, p_now timestamp with time zone DEFAULT now()) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := internal.enter_tenant(p_slug);
begin
  update kith.undelivered_alarms set resolved_at = p_now
  where tenant_id = v_tenant and notification_id = p_notification_id and resolved_at is null;
  if not found then
    perform internal.refuse_not_found();
  end if;
  perform internal.record_act(
    v_tenant, internal.operator(), 'alarm.resolve', p_notification_id::text, jsonb_build_object('reason', p_reason), p_now
  );
  perform internal.leave_tenant();
end
$$;

ALTER FUNCTION admin.resolve_alarm(p_slug text, p_notification_id uuid, p_reason text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION admin.resolve_alarm(p_slug text, p_notification_id uuid, p_reason text, p_now timestamp with time zone) IS 'Puts down that somebody has seen to an alarm that reached nobody: select admin.resolve_alarm(''acme'', ''…'', ''called Bob'').';

CREATE FUNCTION admin.restore_vault(p_tenant text, p_vault uuid, p_reason text, p_now timestamp with time zone DEFAULT now()) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
begin
  perform internal.restore_vault(p_vault, p_now);
  perform internal.record_act(
    v_tenant, internal.operator(), 'vault.restore', p_vault::text, jsonb_build_object('reason', p_reason), p_now
  );
  perform internal.leave_tenant();
end
$$;

ALTER FUNCTION admin.restore_vault(p_tenant text, p_vault uuid, p_reason text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION admin.restore_vault(p_tenant text, p_vault uuid, p_reason text, p_now timestamp with time zone) IS 'Brings a vault back that was deleted in the last 30 days, with its nominees; tokens stay dead.';

CREATE FUNCTION admin.resume_channel(p_channel text, p_slug text, p_now timestamp with time zone DEFAULT now()) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := 0;
begin
  if p_slug is null then
    perform internal.leave_tenant();
  else
    v_tenant := internal.enter_tenant(p_slug);
  end if;
  delete from kith.channel_pauses where tenant_id = v_tenant and channel = p_channel;
  if not found then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This channel is not paused.';
  end if;
  perform internal.leave_tenant();
  perform internal.record_act(v_tenant, internal.operator(), 'channel.resume', p_channel, null, p_now);
end
$$;

ALTER FUNCTION admin.resume_channel(p_channel text, p_slug text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION admin.resume_channel(p_channel text, p_slug text, p_now timestamp with time zone) IS 'Ends the pause of a tenant''s channel, or with null the one for all tenants; each has to be ended by itself.';

CREATE FUNCTION admin.resume_tenant(p_slug text, p_now timestamp with time zone DEFAULT now()) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := internal.enter_tenant(p_slug);
begin
  update kith.tenants set status = 'active', updated_at = p_now where tenant_id = v_tenant and status = 'suspended';
  if not found then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This tenant is not suspended.';
  end if;
  perform internal.record_act(v_tenant, internal.operator(), 'tenant.resume', p_slug, null, p_now);
  perform internal.leave_tenant();
end
$$;

ALTER FUNCTION admin.resume_tenant(p_slug text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION admin.resume_tenant(p_slug text, p_now timestamp with time zone) IS 'Ends the suspension of a tenant.';

CREATE FUNCTION admin.revoke_jwt_keys(p_slug text, p_issuer text, p_audience text, p_reason text, p_now timestamp with time zone DEFAULT now()) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := internal.enter_tenant(p_slug);
  v_revoked integer;
begin
  perform from kith.tenants where tenant_id = v_tenant for no key update;
  update kith.jwt_keys set revoked_at = p_now
  where tenant_id = v_tenant and issuer = p_issuer and audience = p_audience and not own and revoked_at is null;
  get diagnostics v_revoked = row_count;
  if v_revoked = 0 then
    perform internal.refuse_not_found();
  end if;
  perform internal.release_issuers();
  perform internal.record_act(
    v_tenant, internal.operator(), 'jwt_keys.revoke', p_slug,
    jsonb_build_object('issuer', p_issuer, 'audience', p_audience, 'reason', p_reason), p_now
  );
  perform internal.leave_tenant();
  return v_revoked;
end
$$;

ALTER FUNCTION admin.revoke_jwt_keys(p_slug text, p_issuer text, p_audience text, p_reason text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION admin.revoke_jwt_keys(p_slug text, p_issuer text, p_audience text, p_reason text, p_now timestamp with time zone) IS 'Ends a tenant''s keys of an issuer for an audience, so that the tenant whose they really are can register its own. How many.';

CREATE FUNCTION admin.revoke_nominee(p_tenant text, p_nominee uuid, p_reason text, p_now timestamp with time zone DEFAULT now()) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
begin
  perform internal.lock_vault_row((select vault_id from kith.nominees where tenant_id = v_tenant and id = p_nominee));
  if (select status from kith.nominees where tenant_id = v_tenant and id = p_nominee) = 'revoked' then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This nominee has been revoked already.';
  end if;
  perform internal.end_nominee(p_nominee, 'support', p_now);
  perform internal.record_act(
    v_tenant, internal.operator(), 'nominee.revoke', p_nominee::text, jsonb_build_object('reason', p_reason), p_now
  );
  perform internal.leave_tenant();
end
$$;

ALTER FUNCTION admin.revoke_nominee(p_tenant text, p_nominee uuid, p_reason text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION admin.revoke_nominee(p_tenant text, p_nominee uuid, p_reason text, p_now timestamp with time zone) IS 'Revokes a nominee as the owner would; access ends at that instant, and they are told. The reason is kept in the audit: no names in it.';

CREATE FUNCTION admin.rotate_api_key(p_slug text, p_old_keys_end_after interval DEFAULT '24:00:00'::interval, p_now timestamp with time zone DEFAULT now()) RETURNS TABLE(tenant_id integer, slug text, secret_key text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_key uuid;
begin
  tenant_id := internal.enter_tenant(p_slug);
  slug := p_slug;
  update kith.api_keys as key set expires_at = p_now + p_old_keys_end_after
  where key.tenant_id = rotate_api_key.tenant_id and key.revoked_at is null
    and (key.expires_at is null or key.expires_at > p_now + p_old_keys_end_after);
  select made.id, made.secret into v_key, secret_key from internal.new_api_key(tenant_id, 'rotated', p_now) as made;
  perform internal.record_act(
    tenant_id, internal.operator(), 'api_key.rotate', v_key::text,
    jsonb_build_object('old_keys_end_at', internal.instant(p_now + p_old_keys_end_after)), p_now
  );
  perform internal.leave_tenant();
  return next;
end
$$;

ALTER FUNCTION admin.rotate_api_key(p_slug text, p_old_keys_end_after interval, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION admin.rotate_api_key(p_slug text, p_old_keys_end_after interval, p_now timestamp with time zone) IS 'Makes a new API key, shown here once; the ones before it end after 24 hours, or after the interval given: ''0'' ends them at once.';

CREATE FUNCTION admin.sealed_channel(p_slug text, p_channel text) RETURNS TABLE(tenant_id integer, sealed bytea)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := internal.enter_tenant(p_slug);
begin
  return query
  select v_tenant, (
    select credentials.sealed
    from kith.channel_credentials as credentials
    where credentials.tenant_id = v_tenant and credentials.channel = p_channel
  );
  perform internal.leave_tenant();
end
$$;

ALTER FUNCTION admin.sealed_channel(p_slug text, p_channel text) OWNER TO kith_owner;

COMMENT ON FUNCTION admin.sealed_channel(p_slug text, p_channel text) IS 'A tenant''s number, and its sealed credentials for a channel, null without: for kith tenant channel, which has the master key. Definer: an operator reads no secrets, sealed as they are.';

CREATE FUNCTION admin.set_channel(p_slug text, p_channel text, p_summary jsonb, p_sealed bytea, p_now timestamp with time zone DEFAULT now()) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := internal.enter_tenant(p_slug);
begin
  perform internal.set_channel(v_tenant, p_channel, p_summary, p_sealed, internal.operator(), p_now);
  perform internal.leave_tenant();
end
$$;

ALTER FUNCTION admin.set_channel(p_slug text, p_channel text, p_summary jsonb, p_sealed bytea, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION admin.set_channel(p_slug text, p_channel text, p_summary jsonb, p_sealed bytea, p_now timestamp with time zone) IS 'Says by which provider a tenant''s messages leave on a channel. What is sealed only kith tenant channel set can make, which checks it first.';

CREATE FUNCTION admin.set_tenant(p_slug text, p_settings jsonb, p_now timestamp with time zone DEFAULT now()) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := internal.enter_tenant(p_slug);
  v_answer json;
begin
  v_answer := internal.tenant_json(internal.change_tenant(
    v_tenant, p_settings,
    array[
      'name', 'brand_name', 'join_link', 'universal_link_host', 'allowed_origins', 'app_ids', 'app_link', 'default_region', 'requires_subscription',
      'requires_consent', 'sign_up_open', 'grace_minutes', 'reminder_minutes', 'subscription_grace_days',
      'session_maximum_minutes', 'invitation_days', 'retention_days', 'user_quota', 'code_misses_per_hour', 'sms_enabled',
      'sms_codes_per_day', 'sms_codes_per_country_per_day', 'sms_codes_per_number_per_day', 'sms_invitations_per_day',
      'link_scheme', 'vault_quota_mib'
    ],
    internal.operator(), p_now
  ));
  perform internal.leave_tenant();
  return v_answer;
end
$$;

ALTER FUNCTION admin.set_tenant(p_slug text, p_settings jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION admin.set_tenant(p_slug text, p_settings jsonb, p_now timestamp with time zone) IS 'Changes a tenant''s settings, quotas and limits too: select admin.set_tenant(''acme'', ''{"requires_consent": true}'').';

CREATE FUNCTION admin.soft_delete_connection(p_tenant text, p_connection uuid, p_reason text, p_now timestamp with time zone DEFAULT now()) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
begin
  perform internal.end_connection(p_connection, internal.operator(), p_now);
  perform internal.record_act(
    v_tenant, internal.operator(), 'connection.remove', p_connection::text, jsonb_build_object('reason', p_reason), p_now
  );
  perform internal.leave_tenant();
end
$$;

ALTER FUNCTION admin.soft_delete_connection(p_tenant text, p_connection uuid, p_reason text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION admin.soft_delete_connection(p_tenant text, p_connection uuid, p_reason text, p_now timestamp with time zone) IS 'Removes a connection as its people would; both are told that support did it. The reason is kept in the audit.';

CREATE FUNCTION admin.soft_delete_vault(p_tenant text, p_vault uuid, p_reason text, p_now timestamp with time zone DEFAULT now()) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
begin
  perform internal.delete_vault(p_vault, internal.operator(), p_now);
  perform internal.record_act(
    v_tenant, internal.operator(), 'vault.delete', p_vault::text, jsonb_build_object('reason', p_reason), p_now
  );
  perform internal.leave_tenant();
end
$$;

ALTER FUNCTION admin.soft_delete_vault(p_tenant text, p_vault uuid, p_reason text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION admin.soft_delete_vault(p_tenant text, p_vault uuid, p_reason text, p_now timestamp with time zone) IS 'Deletes a vault as its owner would: it locks, and for 30 days it can be restored. The reason is kept in the audit: no names in it.';

CREATE FUNCTION admin.suspend_tenant(p_slug text, p_reason text, p_now timestamp with time zone DEFAULT now()) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := internal.enter_tenant(p_slug);
begin
  update kith.tenants set status = 'suspended', updated_at = p_now where tenant_id = v_tenant and status = 'active';
  if not found then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This tenant is suspended already.';
  end if;
  perform internal.record_act(v_tenant, internal.operator(), 'tenant.suspend', p_slug, jsonb_build_object('reason', p_reason), p_now);
  perform internal.leave_tenant();
end
$$;

ALTER FUNCTION admin.suspend_tenant(p_slug text, p_reason text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION admin.suspend_tenant(p_slug text, p_reason text, p_now timestamp with time zone) IS 'From now on every API call of the tenant answers tenant_suspended (within 60 s); the worker still alarms its receivers.';

CREATE FUNCTION api.abandon_upload(p_version_id uuid) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_user();
  delete from kith.document_versions
  where tenant_id = v_tenant and id = p_version_id and state = 'uploading' and created_by = kith.user_id();
  return null;
end
$$;

ALTER FUNCTION api.abandon_upload(p_version_id uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION api.abandon_upload(p_version_id uuid) IS 'Deletes an upload that will not be finished, with its chunks; also for who has lost access meanwhile. What was finished stays. Definer: versions are nobody''s to write.';

CREATE FUNCTION api.accept_invitation(p_token uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_found record;
  v_id uuid;
begin
  perform internal.require_user();
  v_found := internal.find_invitation(p_token);
  v_id := v_found.id;
  if v_found.kind = 'nominee' then
    return internal.accept_nominee_invitation(v_id, p_now);
  end if;
  perform internal.accept_transfer(v_id, p_now);
  return (
    select json_build_object(
      'kind', 'transfer',
      'status', 'accepted',
      'vault', json_build_object(
        'id', vault.id, 'name', vault.name,
        'owner', json_build_object('id', owner.id, 'display_name', internal.name_of_anybody(owner.display_name))
      )
    )
    from kith.transfers as transfer
    join kith.vaults as vault on vault.tenant_id = v_tenant and vault.id = transfer.vault_id
    join kith.users as owner on owner.tenant_id = v_tenant and owner.id = vault.owner_id
    where transfer.tenant_id = v_tenant and transfer.id = v_id
  );
end
$$;

ALTER FUNCTION api.accept_invitation(p_token uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.accept_invitation(p_token uuid, p_now timestamp with time zone) IS 'Accepts an invitation to be a nominee, or the offer of a vault, for the user who asks. Raises invitation_invalid, invitation_expired, invitation_used, and conflict for the owner and a present nominee. Definer: the rows are the owner''s until then.';

CREATE FUNCTION api.accept_invitation_by_code(p_token uuid, p_channel text, p_address text, p_guesses jsonb, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_signed record;
begin
  perform internal.require_server();
  v_signed := internal.user_by_code(p_channel, p_address, p_guesses, p_now);
  if v_signed.user_id is null then
    return json_build_object('problem', 'otp_invalid');
  end if;
  perform set_config('kith.user_id', v_signed.user_id::text, true), set_config('kith.actor', 'user:' || v_signed.user_id, true);
  perform api.accept_invitation(p_token, p_now);
  if v_signed.is_new then
    perform internal.count_users(1);
  end if;
  return json_build_object();
end
$$;

ALTER FUNCTION api.accept_invitation_by_code(p_token uuid, p_channel text, p_address text, p_guesses jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.accept_invitation_by_code(p_token uuid, p_channel text, p_address text, p_guesses jsonb, p_now timestamp with time zone) IS 'Accepts an invitation on the page for who has a code of an address, as if they had signed in with it; no sign-in is left over. {}, or the problem otp_invalid. Where accepting is refused the code stays good. Definer: nobody is known yet.';

CREATE FUNCTION api.add_jwt_keys(p_keys jsonb, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_key kith.jwt_keys;
  v_items json[] := '{}';
begin
  perform internal.require_server();
  -- Two calls of one tenant wait for each other, so that the count holds.
  perform from kith.tenants where tenant_id = v_tenant for no key update;
  perform internal.claim_issuers(p_keys, p_now);
  for v_key in select * from jsonb_populate_recordset(null::kith.jwt_keys, p_keys) loop
    -- The same key again is the same key: a key set is sent whole, and most of it is known.
    insert into kith.jwt_keys as known (
      tenant_id, id, kid, algorithm, own, issuer, audience, wrapped_secret, public_key, created_at
    )
    values (
      v_tenant, v_key.id, v_key.kid, v_key.algorithm, false, v_key.issuer, v_key.audience, v_key.wrapped_secret, v_key.public_key, p_now
    )
    on conflict (tenant_id, kid, issuer, audience) where revoked_at is null do update set kid = excluded.kid
    where known.public_key = excluded.public_key and known.algorithm = excluded.algorithm
    returning * into v_key;
    if not found then
      raise exception 'conflict' using errcode = 'KT409',
        detail = format('There is another key of kid %L for this issuer and audience. Delete it first.', v_key.kid);
    end if;
    if v_key.created_at = p_now then
      perform internal.record_act(
        v_tenant, internal.actor(), 'jwt_key.create', v_key.id::text,
        jsonb_build_object('kid', v_key.kid, 'algorithm', v_key.algorithm, 'issuer', v_key.issuer, 'audience', v_key.audience), p_now
      );
    end if;
    v_items := v_items || internal.jwt_key_json(v_key);
  end loop;
  if (select count(*) > 100 from kith.jwt_keys where tenant_id = v_tenant and not own and revoked_at is null) then
    raise exception 'quota_exceeded' using errcode = 'KT507', detail = 'A tenant can have 100 keys. Delete old ones first.';
  end if;
  return json_build_object('items', array_to_json(v_items), 'next_cursor', null);
end
$$;

ALTER FUNCTION api.add_jwt_keys(p_keys jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.add_jwt_keys(p_keys jsonb, p_now timestamp with time zone) IS 'Adds keys with which the tenant''s identity provider signs access tokens: an array of {id, kid, algorithm, issuer, audience, public_key or wrapped_secret}, checked by the server. Tokens of an issuer for an audience are one tenant''s: conflict for a second. Definer: keys are nobody''s to write.';

CREATE FUNCTION api.add_signing_key(p_id uuid, p_wrapped_secret bytea, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_server();
  insert into kith.jwt_keys (tenant_id, id, kid, algorithm, own, issuer, audience, wrapped_secret, created_at)
  select v_tenant, p_id, p_id::text, 'HS256', true, 'kith', slug, p_wrapped_secret, p_now
  from kith.tenants
  where tenant_id = v_tenant
  on conflict (tenant_id) where own and revoked_at is null do nothing;
  if found then
    perform internal.record_act(v_tenant, internal.actor(), 'jwt_key.create', p_id::text, null, p_now);
  end if;
  -- A statement of its own: it sees the key of whoever was first.
  return api.signing_key(p_now);
end
$$;

ALTER FUNCTION api.add_signing_key(p_id uuid, p_wrapped_secret bytea, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.add_signing_key(p_id uuid, p_wrapped_secret bytea, p_now timestamp with time zone) IS 'Makes the tenant''s signing key unless there is one, and answers whichever is there, as signing_key: of two at the same time both get the same. Definer: keys are nobody''s to write.';

CREATE FUNCTION api.add_vault_key(p_vault_id uuid, p_wrapped_key bytea, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_key bytea;
begin
  perform internal.require_user();
  perform internal.enter_vault(p_vault_id, 'edit', p_now);
  insert into kith.vault_keys (tenant_id, vault_id, wrapped_key, created_at) values (v_tenant, p_vault_id, p_wrapped_key, p_now)
  on conflict (tenant_id, vault_id) do nothing;
  select wrapped_key into v_key from kith.vault_keys where tenant_id = v_tenant and vault_id = p_vault_id;
  return json_build_object('key', translate(encode(v_key, 'base64'), e'\n', ''));
end
$$;

ALTER FUNCTION api.add_vault_key(p_vault_id uuid, p_wrapped_key bytea, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.add_vault_key(p_vault_id uuid, p_wrapped_key bytea, p_now timestamp with time zone) IS 'Gives a vault its key where it has none; the key that it has. The server makes and wraps it: the database has no master key. Definer: keys are nobody''s to write.';

CREATE FUNCTION api.allowed_origins() RETURNS json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  return (
    select coalesce(json_object_agg(allowed.origin, allowed.tenant_ids), '{}')
    from (
      select origin, array_agg(tenant_id order by tenant_id) as tenant_ids
      from kith.tenants
      cross join unnest(allowed_origins) as origin
      where deleted_at is null
      group by origin
    ) as allowed
  );
end
$$;

ALTER FUNCTION api.allowed_origins() OWNER TO kith_owner;

COMMENT ON FUNCTION api.allowed_origins() IS 'From which web origins scripts may call the API, and for which tenants: {origin: [tenant_id]}. A browser asks before it sends a credential, so a server must know them all; it reads them once a minute. Definer: no tenant is set then.';

CREATE FUNCTION api.authenticate_key(p_hash bytea, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer;
  v_key uuid;
  v_last_used_at timestamptz;
  v_answer json;
begin
  select key.tenant_id, key.id, key.last_used_at,
    json_build_object(
      'tenant_id', tenant.tenant_id,
      'slug', tenant.slug,
      'key_id', key.id,
      'scopes', key.scopes,
      'status', case when tenant.deleted_at is null then tenant.status else 'deleted' end
    )
  into v_tenant, v_key, v_last_used_at, v_answer
  from kith.api_keys as key
  join kith.tenants as tenant on tenant.tenant_id = key.tenant_id
  where key.secret_hash = p_hash and key.revoked_at is null and (key.expires_at is null or key.expires_at > p_now);
  if found and (v_last_used_at is null or v_last_used_at < p_now - interval '1 minute') then
    -- Another server may be writing the same minute just now: its word is enough, and nobody waits.
    update kith.api_keys set last_used_at = p_now
    where tenant_id = v_tenant and id = (
      select id from kith.api_keys where tenant_id = v_tenant and id = v_key for no key update skip locked
    );
  end if;
  return v_answer;
end
$$;

ALTER FUNCTION api.authenticate_key(p_hash bytea, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.authenticate_key(p_hash bytea, p_now timestamp with time zone) IS 'The tenant of an API key, by the SHA-256 of the key: {tenant_id, slug, key_id, scopes, status}, or null when unknown, expired or revoked. Definer: the hash finds the tenant.';

CREATE FUNCTION api.beat(p_instance text, p_started_at timestamp with time zone, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  -- The one place where the clock is read: a beat of tomorrow, by a wrong clock, would hold back every alarm until then.
  if p_now > clock_timestamp() + interval '2 minutes' then
    raise exception 'this server''s clock is ahead of the database''s by %', p_now - clock_timestamp();
  end if;
  perform internal.record_beat('server', p_instance, p_started_at, p_now);
end
$$;

ALTER FUNCTION api.beat(p_instance text, p_started_at timestamp with time zone, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.beat(p_instance text, p_started_at timestamp with time zone, p_now timestamp with time zone) IS 'A server''s sign of life; every 5 seconds or so. Refuses one that is more than two minutes ahead of the database''s clock. Definer: servers write here and read nothing.';

CREATE FUNCTION api.begin_connection_invitation(p_recipients integer, p_send boolean, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_answer json;
begin
  select json_build_object('phone', inviter.phone, 'locale', inviter.locale, 'default_region', tenant.default_region) into v_answer
  from kith.users as inviter
  join kith.tenants as tenant on tenant.tenant_id = inviter.tenant_id
  where inviter.tenant_id = v_tenant and inviter.id = v_user and inviter.deleted_at is null;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return coalesce(internal.invitation_refusal(p_recipients, p_send, p_now), v_answer);
end
$$;

ALTER FUNCTION api.begin_connection_invitation(p_recipients integer, p_send boolean, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.begin_connection_invitation(p_recipients integer, p_send boolean, p_now timestamp with time zone) IS 'Whether the user who asks may invite so many people, before the server reads their numbers, which costs; and what tells in which country''s form the user writes them: {phone, locale, default_region}. Writes nothing.';

CREATE FUNCTION api.begin_nominees(p_vault_id uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  perform internal.manage_vault(p_vault_id, p_now);
  return (
    select json_build_object('phone', inviter.phone, 'locale', inviter.locale, 'default_region', tenant.default_region)
    from kith.users as inviter
    join kith.tenants as tenant on tenant.tenant_id = inviter.tenant_id
    where inviter.tenant_id = v_tenant and inviter.id = v_user
  );
end
$$;

ALTER FUNCTION api.begin_nominees(p_vault_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.begin_nominees(p_vault_id uuid, p_now timestamp with time zone) IS 'Whether the user who asks may invite nominees, before the server reads phone numbers, which costs; and what tells in which country''s form they write them: {phone, locale, default_region}. Definer: as invite_nominees.';

CREATE FUNCTION api.begin_upload(p_vault_id uuid, p_document_id uuid, p_size bigint, p_chunk_size integer, p_expected uuid[], p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_document kith.documents;
  v_version kith.document_versions;
begin
  perform internal.require_user();
  perform internal.enter_vault(p_vault_id, 'edit', p_now);
  if p_document_id is not null then
    select * into v_document
    from kith.documents
    where tenant_id = v_tenant and vault_id = p_vault_id and id = p_document_id and deleted_at is null;
    if not found then
      perform internal.refuse_not_found();
    end if;
    perform internal.require_version(v_document, p_expected);
  end if;
  -- A courtesy to who sends much in vain; the truth is said at the end.
  perform internal.require_room(p_vault_id, p_document_id, coalesce(p_size, 0));
  if (
    select count(*) >= 50 from kith.document_versions where tenant_id = v_tenant and vault_id = p_vault_id and state = 'uploading'
  ) then
    return json_build_object(
      'problem', 'too_many_requests', 'detail', 'Too many documents are being uploaded to this vault. Please wait.', 'retry_after', 60
    );
  end if;
  -- They are kept for an hour, and count for no quota: without an end to it one document could fill the disk.
  if p_document_id is not null and (
    select sum(version.size) > tenant.vault_quota_mib * 1048576::bigint
    from kith.tenants as tenant
    join kith.document_versions as version
      on version.tenant_id = v_tenant and version.vault_id = p_vault_id and version.state = 'replaced'
    where tenant.tenant_id = v_tenant
    group by tenant.vault_quota_mib
  ) then
    return json_build_object(
      'problem', 'too_many_requests', 'detail', 'Too much was replaced in this vault within an hour. Please try again later.',
      'retry_after', 600
    );
  end if;
  insert into kith.document_versions (tenant_id, id, vault_id, document_id, state, created_by, created_at, chunk_size)
  values (
    v_tenant, internal.uuid7(p_now), p_vault_id, coalesce(p_document_id, internal.uuid7(p_now)), 'uploading', kith.user_id(), p_now,
    p_chunk_size
  )
  returning * into v_version;
  return json_build_object(
    'vault_id', v_version.vault_id,
    'document_id', v_version.document_id,
    'version_id', v_version.id,
    'key', (
      select translate(encode(wrapped_key, 'base64'), e'\n', '') from kith.vault_keys
      where tenant_id = v_tenant and vault_id = p_vault_id
    )
  );
end
$$;

ALTER FUNCTION api.begin_upload(p_vault_id uuid, p_document_id uuid, p_size bigint, p_chunk_size integer, p_expected uuid[], p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.begin_upload(p_vault_id uuid, p_document_id uuid, p_size bigint, p_chunk_size integer, p_expected uuid[], p_now timestamp with time zone) IS 'Makes room for a new document, or for another content of one, by who may edit: a version that nobody sees. p_size is null where the client has not said it. The vault''s wrapped key is null where it has none yet. Definer: versions are nobody''s to write.';

CREATE FUNCTION api.cancel_transfer(p_vault_id uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_transfer uuid;
begin
  perform internal.require_user();
  perform internal.own_vault(p_vault_id, p_now);
  update kith.transfers set status = 'cancelled', ended_at = p_now
  where tenant_id = v_tenant and vault_id = p_vault_id and status = 'pending' and expires_at > p_now
  returning id into v_transfer;
  if not found then
    perform internal.refuse_not_found();
  end if;
  perform internal.record_history(p_vault_id, v_user, 'transfer.cancelled', 'transfer', v_transfer, null, p_now);
  return null;
end
$$;

ALTER FUNCTION api.cancel_transfer(p_vault_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.cancel_transfer(p_vault_id uuid, p_now timestamp with time zone) IS 'Takes the offer of a vault back; its token is dead. Of two at the same instant, this and its acceptance, one is first.';

CREATE FUNCTION api.change_share(p_id uuid, p_permission text, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_vault uuid;
  v_share kith.shares;
begin
  perform internal.require_user();
  v_vault := internal.vault_of_share(p_id);
  perform internal.own_vault(v_vault, p_now);
  v_share := internal.own_share(v_vault);
  if p_permission is not null and p_permission <> v_share.permission then
    if p_permission = 'readOnly' then
      update kith.nominees as nominee
      set access_level = 'view', updated_at = p_now
      from kith.share_participants as participant
      where participant.tenant_id = v_tenant and participant.share_id = p_id
        and nominee.tenant_id = v_tenant and nominee.id = participant.nominee_id and nominee.access_level = 'edit'
        and nominee.status <> 'revoked';
    end if;
    update kith.shares
    set permission = p_permission, updated_at = p_now
    where tenant_id = v_tenant and id = p_id
    returning * into v_share;
    perform internal.record_history(
      v_vault, v_share.owner_id, 'share.changed', 'share', p_id, jsonb_build_object('permission', p_permission), p_now
    );
  end if;
  return internal.share_json(v_share);
end
$$;

ALTER FUNCTION api.change_share(p_id uuid, p_permission text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.change_share(p_id uuid, p_permission text, p_now timestamp with time zone) IS 'Says what a share of the user who asks permits at most. Taken back to readOnly, its nominees who could edit can view; nobody''s level is ever raised by it.';

CREATE FUNCTION api.check_in(p_note text, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_id uuid := internal.uuid7(p_now);
  v_time_zone text;
  v_previous_at timestamptz;
begin
  -- Before the profile, because its foreign key locks the account: that comes first everywhere.
  insert into kith.check_ins (tenant_id, id, user_id, received_at, note, created_at)
  values (v_tenant, v_id, v_user, p_now, nullif(p_note, ''), p_now);

  -- Locked, so that of two check-ins the second sees what the first has done.
  update kith.sender_profiles as profile
  set last_check_in_at = greatest(before.last_check_in_at, p_now)
  from (
    select last_check_in_at
    from kith.sender_profiles
    where tenant_id = v_tenant and user_id = v_user
    for no key update
  ) as before
  where profile.tenant_id = v_tenant and profile.user_id = v_user
  returning profile.time_zone, before.last_check_in_at into v_time_zone, v_previous_at;
  if not found then
    raise exception 'profile_required' using errcode = 'KT409', detail = internal.profile_required_text('sender');
  end if;
  return internal.complete_pings(v_id, v_time_zone, v_previous_at, p_now);
end
$$;

ALTER FUNCTION api.check_in(p_note text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.check_in(p_note text, p_now timestamp with time zone) IS '"I''m safe": always kept as a sign of life, and completes every open ping of the sender; p_now is when the server received it, by which it counts. Again and again does no harm.';

CREATE FUNCTION api.claim_key(p_key text, p_fingerprint bytea, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_caller text := kith.caller();
  v_fingerprint bytea;
  v_answer bytea;
begin
  -- Tried, not waited for: whoever waits would hold a connection and everything that stands behind it.
  if not pg_try_advisory_xact_lock(hashtextextended(concat_ws('/', v_tenant, v_caller, p_key), 0)) then
    return json_build_object('state', 'busy');
  end if;
  select fingerprint, sealed_answer into v_fingerprint, v_answer
  from kith.idempotency_keys
  where tenant_id = v_tenant and caller = v_caller and key = p_key and expires_at > p_now;
  if not found then
    return json_build_object('state', 'new');
  end if;
  if v_fingerprint <> p_fingerprint then
    return json_build_object('state', 'mismatch');
  end if;
  return json_build_object('state', 'done', 'answer', translate(encode(v_answer, 'base64'), e'\n', ''));
end
$$;

ALTER FUNCTION api.claim_key(p_key text, p_fingerprint bytea, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.claim_key(p_key text, p_fingerprint bytea, p_now timestamp with time zone) IS 'Whether a request may go on: {state: new}, and then nobody else may until the transaction ends; or it was done already, with its sealed answer; or mismatch, the key belongs to another request; or busy, the same is being done just now.';

CREATE FUNCTION api.confirm_nominee(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_held record;
  v_nominee kith.nominees;
begin
  perform internal.require_user();
  perform internal.require_owner(p_vault_id, p_now);
  v_held := internal.hold_vault(p_vault_id, '{}', p_now);
  perform internal.require_owner(p_vault_id, p_now);
  v_nominee := internal.hold_nominee(p_vault_id, p_id, 'owner');
  if v_nominee.needs_confirmation then
    update kith.nominees set status = 'accepted', needs_confirmation = false, accepted_at = p_now, updated_at = p_now
    where tenant_id = v_tenant and id = p_id;
    perform internal.record_history(p_vault_id, kith.user_id(), 'nominee.confirmed', 'nominee', p_id, null, p_now);
  elsif v_nominee.status <> 'accepted' or v_nominee.user_id is null then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'There is nobody to confirm.';
  end if;
  return internal.managed_nominee_json(v_nominee, (v_held.session).id);
end
$$;

ALTER FUNCTION api.confirm_nominee(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.confirm_nominee(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) IS 'Lets in who has accepted and waits for the owner (X30); the same again changes nothing. Definer: nobody writes nominees but these procedures.';

CREATE FUNCTION api.consent_connection(p_id uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_connection kith.connections := internal.own_connection(p_id);
begin
  if v_connection.code_owner_id <> v_user then
    raise exception 'forbidden' using errcode = 'KT403', detail = 'Only the owner of the code can consent.';
  end if;
  if v_connection.status <> 'pending' then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'Only a pending connection waits for consent.';
  end if;
  update kith.connections set status = 'active', activated_at = p_now, updated_at = p_now
  where tenant_id = v_tenant and id = p_id;
  perform internal.bring_ping(p_id, p_now);
  return api.get_connection(p_id, p_now);
end
$$;

ALTER FUNCTION api.consent_connection(p_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.consent_connection(p_id uuid, p_now timestamp with time zone) IS 'Makes a pending connection active, by the owner of the code only (P29). Their DELETE refuses it.';

CREATE FUNCTION api.create_code(p_body jsonb, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_role text := p_body ->> 'role';
  v_rotate boolean := coalesce((p_body ->> 'rotate')::boolean, false);
  v_seconds integer := (p_body ->> 'expires_in_seconds')::integer;
begin
  if v_rotate and v_seconds is not null then
    perform internal.refuse_fields(internal.field_error('expires_in_seconds', 'must be absent with rotate: a permanent code never expires'));
  end if;
  if v_seconds not between 60 and 7776000 then
    perform internal.refuse_fields(internal.field_error('expires_in_seconds', 'must be from 60 to 7776000'));
  end if;
  perform internal.require_profile(v_role);
  if v_rotate then
    return internal.code_json(internal.rotate_code(v_role, p_now));
  end if;
  if v_seconds is null then
    select invitation_days * 86400 into v_seconds from kith.tenants where tenant_id = v_tenant;
  end if;
  return internal.code_json(internal.new_code(v_role, false, p_now + make_interval(secs => v_seconds), p_now));
end
$$;

ALTER FUNCTION api.create_code(p_body jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.create_code(p_body jsonb, p_now timestamp with time zone) IS 'Makes an extra code that expires (after the tenant''s invitation days unless said), or with rotate a new permanent one. Without the profile of that role: profile_required.';

CREATE FUNCTION api.create_connection(p_code text, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_found record;
  v_role text;
  v_sender uuid;
  v_receiver uuid;
  v_begun record;
  v_body json;
begin
  -- From here on every refusal is returned: raising one would roll the counted attempt back.
  v_found := internal.attempt_code(p_code, p_now);
  if v_found.problem is not null then
    return internal.code_problem(v_found.problem, v_found.retry_after);
  end if;
  v_role := internal.opposite_role(v_found.owner_role);
  if not internal.has_profile(v_role) then
    return json_build_object('problem', 'profile_required', 'detail', internal.profile_required_text(v_role));
  end if;
  v_sender := case v_role when 'sender' then v_user else v_found.owner_id end;
  v_receiver := case v_role when 'receiver' then v_user else v_found.owner_id end;
  if exists (
    select from kith.connections
    where tenant_id = v_tenant and sender_id = v_sender and receiver_id = v_receiver and status <> 'deleted'
  ) then
    return json_build_object('problem', 'connection_exists');
  end if;
  if not internal.accepts_connections(v_receiver, p_now) then
    return json_build_object('problem', 'subscription_inactive');
  end if;
  v_begun := internal.begin_connection(v_sender, v_receiver, v_found.owner_id, p_now);
  if v_begun.connection_id is null then
    return json_build_object('problem', 'connection_exists');
  end if;
  v_body := api.get_connection(v_begun.connection_id, p_now);
  if v_begun.reactivated then
    -- Appended as text: through jsonb the keys would come in another order than everywhere else.
    return json_build_object('answer', 200, 'body', (left(v_body::text, -1) || ', "reactivated" : true}')::json);
  end if;
  return v_body;
end
$$;

ALTER FUNCTION api.create_connection(p_code text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.create_connection(p_code text, p_now timestamp with time zone) IS 'Connects with the owner of a code (201), or again with one of before (200, reactivated): the user who asks takes the opposite role. One transaction: attempt, connection, today''s ping, notification, answer (P03).';

CREATE FUNCTION api.create_connection_invitation(p_recipients jsonb, p_send boolean, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_id uuid := internal.uuid7(p_now);
  v_name text;
  v_brand text;
  v_link text;
  v_code text;
  v_refusal json;
begin
  -- Requests of one user wait for each other, so that the day's count holds.
  select display_name into v_name
  from kith.users
  where tenant_id = v_tenant and id = v_user and deleted_at is null
  for no key update;
  if not found then
    perform internal.refuse_not_found();
  end if;
  v_refusal := internal.invitation_refusal(jsonb_array_length(p_recipients), p_send, p_now);
  if v_refusal is not null then
    return v_refusal;
  end if;
  select brand_name, join_link into v_brand, v_link from kith.tenants where tenant_id = v_tenant;
  v_code := (internal.new_code('sender', true, null, p_now)).code;

  insert into kith.connection_invitations (tenant_id, id, user_id, message, code, url, recipients, created_at)
  values (
    v_tenant, v_id, v_user, internal.invitation_message(v_name, v_brand, v_code, v_link), v_code, internal.join_url(v_link, v_code),
    jsonb_array_length(p_recipients), p_now
  );
  insert into kith.connection_invitation_recipients (
    tenant_id, invitation_id, n, user_id, name, given_phone, phone, problem, status, updated_at
  )
  select v_tenant, v_id, given.n, v_user, given.name, given.given_phone, given.phone, given.problem,
    case
      when given.phone is null then 'invalid'
      when row_number() over (partition by given.phone order by given.n) > 1 then 'duplicate'
      else 'pending'
    end,
    p_now
  from rows from (
    jsonb_to_recordset(p_recipients) as (name text, given_phone text, phone text, problem text)
  ) with ordinality as given (name, given_phone, phone, problem, n);
  if p_send then
    perform internal.queue_invitation(v_id, p_now);
  end if;
  return api.get_connection_invitation(v_id);
end
$$;

ALTER FUNCTION api.create_connection_invitation(p_recipients jsonb, p_send boolean, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.create_connection_invitation(p_recipients jsonb, p_send boolean, p_now timestamp with time zone) IS 'Invites up to 1,000 people with the permanent code of the user who asks, a sender (P15 to P17). The server has read the phone numbers: [{name, given_phone, phone, problem}], phone in E.164 form or else why it is unusable. 2,000 people a user in 24 hours.';

CREATE FUNCTION api.create_transfer(p_vault_id uuid, p_body jsonb, p_public_url text, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_vault kith.vaults;
  v_transfer kith.transfers;
  v_recipient uuid;
  v_token uuid := gen_random_uuid();
  v_name text;
  v_waits_until timestamptz;
begin
  perform internal.require_user();
  v_recipient := internal.user_of_verified_contact(p_body ->> 'phone', p_body ->> 'email');
  perform from kith.users where tenant_id = v_tenant and id = v_recipient for key share;
  v_vault := internal.own_vault(p_vault_id, p_now);
  if internal.same_contact(v_user, p_body ->> 'phone', null) then
    perform internal.refuse_fields(internal.field_error('phone', 'is your own'));
  end if;
  if internal.same_contact(v_user, null, p_body ->> 'email') then
    perform internal.refuse_fields(internal.field_error('email', 'is your own'));
  end if;
  update kith.transfers set status = 'expired', ended_at = expires_at
  where tenant_id = v_tenant and vault_id = p_vault_id and status = 'pending' and expires_at <= p_now;
  if exists (select from kith.transfers where tenant_id = v_tenant and vault_id = p_vault_id and status = 'pending') then
    raise exception 'conflict'
      using errcode = 'KT409', detail = 'This vault is offered to somebody already. Cancel that transfer first.';
  end if;
  -- The tenth newest of a day has to be a day old first. The recipient is told each time.
  select created_at + interval '24 hours' into v_waits_until
  from kith.transfers
  where tenant_id = v_tenant and owner_id = v_user and vault_id = p_vault_id and created_at > p_now - interval '24 hours'
  order by created_at desc
  offset 9
  limit 1;
  if v_waits_until is not null then
    return json_build_object(
      'problem', 'too_many_requests', 'detail', 'A vault can be offered 10 times a day. Please try again later.',
      'retry_after', greatest(1, ceil(extract(epoch from v_waits_until - p_now)))::integer
    );
  end if;
  insert into kith.transfers (
    tenant_id, id, vault_id, owner_id, name, phone, email, keep_access, token_hash, status, created_at, expires_at
  )
  select v_tenant, internal.uuid7(p_now), p_vault_id, v_user, p_body ->> 'name', p_body ->> 'phone', p_body ->> 'email',
    (p_body ->> 'keep_access')::boolean, internal.invitation_token_hash(v_token), 'pending', p_now,
    p_now + tenant.invitation_days * interval '1 day'
  from kith.tenants as tenant
  where tenant.tenant_id = v_tenant
  returning * into v_transfer;
  perform internal.record_history(p_vault_id, v_user, 'transfer.requested', 'transfer', v_transfer.id, null, p_now);
  select display_name into v_name from kith.users where tenant_id = v_tenant and id = v_user;
  -- Nor is anybody told of one vault after the other without end.
  if v_recipient is not null and not internal.is_blocked(v_user, v_recipient) and (
    select count(*) <= 10
    from kith.transfers
    where tenant_id = v_tenant and owner_id = v_user and created_at > p_now - interval '24 hours'
      and (phone = v_transfer.phone or lower(email) = lower(v_transfer.email))
  ) then
    perform internal.tell_of_vault(
      v_recipient, 'transfer_requested', v_vault, v_user, v_name, jsonb_build_object('transfer_id', v_transfer.id), p_now
    );
  end if;
  return internal.transfer_json(v_transfer)::jsonb || jsonb_build_object(
    'invitation', internal.token_invitation_json('transfer', v_token, v_vault, v_transfer.expires_at, p_public_url)
  );
end
$$;

ALTER FUNCTION api.create_transfer(p_vault_id uuid, p_body jsonb, p_public_url text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.create_transfer(p_vault_id uuid, p_body jsonb, p_public_url text, p_now timestamp with time zone) IS 'Offers a vault of the user who asks to somebody: {name, phone?, email?, keep_access}. The answer holds the token, once. One that is pending already: conflict; an expired one makes way.';

CREATE FUNCTION api.create_vault(p_body jsonb, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_id uuid := internal.uuid7(p_now);
begin
  if (
    select count(*) filter (where deleted_at is null) >= 200
      or count(*) filter (where deleted_at is null or deleted_at > p_now - interval '30 days') >= 400
    from kith.vaults
    where tenant_id = v_tenant and owner_id = v_user
  ) then
    raise exception 'quota_exceeded'
      using errcode = 'KT507', detail = 'You can have 200 vaults, and as many deleted ones, which are kept for 30 days.';
  end if;
  insert into kith.vaults (tenant_id, id, owner_id, name, require_confirmation, full_may_open, created_at, updated_at)
  values (
    v_tenant, v_id, v_user, p_body ->> 'name', coalesce((p_body ->> 'require_confirmation')::boolean, false),
    coalesce((p_body ->> 'full_may_open')::boolean, false), p_now, p_now
  );
  perform internal.note_history(v_id, 'vault.created', 'vault', v_id, null, p_now);
  return api.get_vault(v_id, p_now);
end
$$;

ALTER FUNCTION api.create_vault(p_body jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.create_vault(p_body jsonb, p_now timestamp with time zone) IS 'Makes a vault of the user who asks; it is locked.';

CREATE FUNCTION api.decline_invitation(p_token uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_found record;
begin
  if kith.tenant_id() is null then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
  v_found := internal.find_invitation(p_token);
  if v_found.kind = 'nominee' then
    perform internal.decline_nominee_invitation(v_found.id, p_now);
  else
    perform internal.decline_transfer(v_found.id, p_now);
  end if;
  return internal.invitation_preview(p_token, p_now);
end
$$;

ALTER FUNCTION api.decline_invitation(p_token uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.decline_invitation(p_token uuid, p_now timestamp with time zone) IS 'Declines what accept_invitation accepts, for a user or, on the page, for whoever has the token: it binds nobody. What has become of the invitation. Definer: as accept_invitation.';

CREATE FUNCTION api.delete_block(p_user_id uuid) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  delete from kith.blocks where tenant_id = v_tenant and user_id = v_user and blocked_id = p_user_id;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return null;
end
$$;

ALTER FUNCTION api.delete_block(p_user_id uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION api.delete_block(p_user_id uuid) IS 'Ends a block of the user who asks; what it ended stays ended. Definer: nobody deletes through the API.';

CREATE FUNCTION api.delete_break(p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
begin
  perform internal.replace_break(null, null, p_now);
  return null;
end
$$;

ALTER FUNCTION api.delete_break(p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.delete_break(p_now timestamp with time zone) IS 'Ends the break of the user who asks, or takes back a coming one: today''s pings come back where their deadline is ahead, and receivers are told of the end of one that had begun. not_found without one.';

CREATE FUNCTION api.delete_channel(p_channel text, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_server();
  perform internal.delete_channel(v_tenant, p_channel, internal.actor(), p_now);
  return null;
end
$$;

ALTER FUNCTION api.delete_channel(p_channel text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.delete_channel(p_channel text, p_now timestamp with time zone) IS 'Forgets by which provider the tenant''s messages leave on a channel: from now on they do not. Definer: credentials are nobody''s to write.';

CREATE FUNCTION api.delete_device(p_token text) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  delete from kith.devices where tenant_id = v_tenant and token = p_token and user_id = v_user;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return null;
end
$$;

ALTER FUNCTION api.delete_device(p_token text) OWNER TO kith_owner;

COMMENT ON FUNCTION api.delete_device(p_token text) IS 'Forgets a device of the user who asks; another''s is not_found. Definer: nobody deletes through the API.';

CREATE FUNCTION api.delete_document(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.enter_vault(p_vault_id, 'full', p_now);
  update kith.documents set deleted_at = p_now, deleted_by = kith.user_id(), updated_at = p_now
  where tenant_id = v_tenant and vault_id = p_vault_id and id = p_id and deleted_at is null;
  if not found then
    perform internal.refuse_not_found();
  end if;
  perform internal.note_history(p_vault_id, 'document.deleted', 'document', p_id, null, p_now);
  return null;
end
$$;

ALTER FUNCTION api.delete_document(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.delete_document(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) IS 'Deletes a document softly, by who has the level full: downloads of it end, and for 30 days restore_document brings it back.';

CREATE FUNCTION api.delete_invitation_draft() RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  delete from kith.drafts where tenant_id = v_tenant and user_id = v_user;
  return null;
end
$$;

ALTER FUNCTION api.delete_invitation_draft() OWNER TO kith_owner;

COMMENT ON FUNCTION api.delete_invitation_draft() IS 'Forgets the draft of the user who asks, if there is one. Definer: nobody deletes through the API.';

CREATE FUNCTION api.delete_me(p_vaults text, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  perform internal.require_user();
  perform internal.delete_user(kith.user_id(), internal.actor(), null, p_vaults is not distinct from 'delete', p_now);
  return null;
end
$$;

ALTER FUNCTION api.delete_me(p_vaults text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.delete_me(p_vaults text, p_now timestamp with time zone) IS 'Ends the account of the user who asks (A04). There is no way back. Own vaults to which others have access must be let go by ''delete'' as p_vaults, else it is a conflict. Definer: it writes in rows of others.';

CREATE FUNCTION api.delete_quiet_hours() RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  delete from kith.quiet_hours where tenant_id = v_tenant and user_id = v_user;
  return null;
end
$$;

ALTER FUNCTION api.delete_quiet_hours() OWNER TO kith_owner;

COMMENT ON FUNCTION api.delete_quiet_hours() IS 'Ends the quiet hours of the user who asks, if there are any. Definer: nobody deletes through the API.';

CREATE FUNCTION api.delete_share(p_vault_id uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  perform internal.require_user();
  perform internal.own_vault(p_vault_id, p_now);
  perform internal.end_share(internal.own_share(p_vault_id), p_now);
  return null;
end
$$;

ALTER FUNCTION api.delete_share(p_vault_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.delete_share(p_vault_id uuid, p_now timestamp with time zone) IS 'Ends the share of a vault. Its nominees are revoked, but for those who have accepted an invitation too (C04).';

CREATE FUNCTION api.delete_user(p_id uuid, p_vaults text, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  perform internal.require_server();
  perform internal.delete_user(p_id, internal.actor(), null, p_vaults is not distinct from 'delete', p_now);
  return null;
end
$$;

ALTER FUNCTION api.delete_user(p_id uuid, p_vaults text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.delete_user(p_id uuid, p_vaults text, p_now timestamp with time zone) IS 'Ends a user''s account as they would themselves. There is no way back.';

CREATE FUNCTION api.delete_vault(p_id uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  perform internal.require_user();
  perform internal.require_owner(p_id, p_now);
  perform internal.lock_vault_row(p_id);
  -- It may have been another's by the time the row was had.
  perform internal.require_owner(p_id, p_now);
  perform internal.delete_vault(p_id, 'user:' || kith.user_id(), p_now);
  return null;
end
$$;

ALTER FUNCTION api.delete_vault(p_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.delete_vault(p_id uuid, p_now timestamp with time zone) IS 'Deletes a vault, by its owner; restore brings it back within 30 days. Definer: it ends what is others'' (sessions, tokens).';

CREATE FUNCTION api.delivery_metrics(p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  return (
    select json_agg(
      json_build_object(
        'channel', channel.name,
        'sent', coalesce(totals.sent, 0),
        'failed', coalesce(totals.failed, 0),
        'dropped', coalesce(totals.dropped, 0),
        'attempts', coalesce(totals.sent + totals.failed + totals.retried, 0),
        'oldest_seconds', coalesce(floor(date_part('epoch', p_now - waiting.oldest_at))::integer, 0),
        'waiting', (
          select count(*) from kith.deliveries as delivery
          where delivery.channel = channel.name and delivery.status in ('queued', 'sending')
        )
      )
      order by channel.name
    )
    from unnest(array['apns', 'email', 'sms', 'web_push']) as channel (name)
    left join (
      select channel, sum(sent)::bigint as sent, sum(failed)::bigint as failed, sum(dropped)::bigint as dropped, sum(retried)::bigint as retried
      from kith.delivery_totals
      group by channel
    ) as totals on totals.channel = channel.name
    left join internal.waiting_deliveries(p_now) as waiting on waiting.channel = channel.name
  );
end
$$;

ALTER FUNCTION api.delivery_metrics(p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.delivery_metrics(p_now timestamp with time zone) IS 'What became of deliveries by channel, over all tenants since the installation began, how many are left, and how long the oldest of those waits that could go. Definer: it counts over all tenants and shows none.';

CREATE FUNCTION api.end_share(p_id uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  perform internal.require_user();
  return api.delete_share(internal.vault_of_share(p_id), p_now);
end
$$;

ALTER FUNCTION api.end_share(p_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.end_share(p_id uuid, p_now timestamp with time zone) IS 'Ends a share of the user who asks, as its vault''s delete_share does.';

CREATE FUNCTION api.export_me(p_after text, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  -- 'pings', or 'pings 2026-03-10' to go on within them.
  v_section text := coalesce(split_part(p_after, ' ', 1), 'account');
  v_cursor text := nullif(split_part(p_after, ' ', 2), '');
  v_limit constant integer := 500;
  v_next_section text;
  v_page record;
begin
  case v_section
    when 'account' then
      v_next_section := 'connections';
      select internal.exported_account(p_now) as items, null::text as next_cursor into v_page;
    when 'connections' then
      v_next_section := 'pings';
      v_page := internal.exported_connections(v_cursor::uuid, v_limit);
    when 'pings' then
      v_next_section := 'check_ins';
      v_page := internal.exported_pings(v_cursor::date, v_limit, p_now);
    when 'check_ins' then
      v_next_section := 'notifications';
      v_page := internal.exported_check_ins(v_cursor, v_limit);
    when 'notifications' then
      v_next_section := 'connection_invitations';
      v_page := internal.exported_notifications(v_cursor::uuid, v_limit);
    when 'connection_invitations' then
      v_next_section := 'vaults';
      v_page := internal.exported_invitations(v_cursor::uuid);
    when 'vaults' then
      v_next_section := 'nominees';
      v_page := internal.exported_vaults(v_cursor::uuid, v_limit, p_now);
    when 'nominees' then
      v_next_section := 'messages';
      v_page := internal.exported_nominees(v_cursor::uuid, v_limit);
    when 'messages' then
      v_next_section := 'vault_history';
      v_page := internal.exported_messages(v_cursor::uuid, v_limit);
    when 'vault_history' then
      v_page := internal.exported_history(v_cursor::uuid, v_limit);
  end case;
  return json_build_object(
    'next', case when v_page.next_cursor is null then v_next_section else v_section || ' ' || v_page.next_cursor end,
    'section', v_section,
    'value', v_page.items
  );
end
$$;

ALTER FUNCTION api.export_me(p_after text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.export_me(p_after text, p_now timestamp with time zone) IS 'One piece of everything about the user who asks (A04): null begins, next goes on, and is null at the end. value is an object, or an array that the next piece of the same section continues.';

CREATE FUNCTION api.find_tenant(p_slug text) RETURNS json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  return (
    select json_build_object('tenant_id', tenant_id, 'status', case when deleted_at is null then status else 'deleted' end)
    from kith.tenants
    where slug = p_slug
  );
end
$$;

ALTER FUNCTION api.find_tenant(p_slug text) OWNER TO kith_owner;

COMMENT ON FUNCTION api.find_tenant(p_slug text) IS 'The tenant of a slug: {tenant_id, status}, or null. Definer: the slug finds the tenant, before any is set.';

CREATE FUNCTION api.finish_upload(p_vault_id uuid, p_version_id uuid, p_name text, p_content_type text, p_size bigint, p_chunks integer, p_sha256 bytea, p_expected uuid[], p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_vault kith.vaults;
  v_version kith.document_versions;
  v_document kith.documents;
  v_is_whole boolean;
begin
  perform internal.require_user();
  v_vault := internal.lock_vault_row(p_vault_id);
  perform internal.enter_vault(p_vault_id, 'edit', p_now);
  select * into v_version
  from kith.document_versions
  where tenant_id = v_tenant and vault_id = p_vault_id and id = p_version_id and state = 'uploading' and created_by = v_user;
  if not found then
    perform internal.refuse_not_found();
  end if;
  -- A sealed chunk is 29 bytes longer than what is in it.
  select count(*) = p_chunks and min(n) = 0 and max(n) = p_chunks - 1 and sum(octet_length(sealed)) = p_size + 29 * p_chunks into v_is_whole
  from kith.document_chunks
  where tenant_id = v_tenant and version_id = p_version_id;
  if not v_is_whole then
    raise exception 'version % is not whole', p_version_id;
  end if;
  if p_name is null then
    select * into v_document
    from kith.documents
    where tenant_id = v_tenant and vault_id = p_vault_id and id = v_version.document_id and deleted_at is null
    for update;
    if not found then
      perform internal.refuse_not_found();
    end if;
    perform internal.require_version(v_document, p_expected);
    perform internal.require_room(p_vault_id, v_document.id, p_size);
    update kith.document_versions set state = 'replaced', ended_at = p_now where tenant_id = v_tenant and id = v_document.version_id;
    update kith.documents
    set version_id = p_version_id, content_type = p_content_type, size = p_size, sha256 = p_sha256, updated_at = p_now
    where tenant_id = v_tenant and id = v_document.id
    returning * into v_document;
  else
    perform internal.require_room(p_vault_id, null, p_size);
    insert into kith.documents (
      tenant_id, id, vault_id, owner_id, version_id, name, content_type, size, sha256, created_at, created_by, updated_at
    )
    values (
      v_tenant, v_version.document_id, p_vault_id, v_vault.owner_id, p_version_id, p_name, p_content_type, p_size, p_sha256, p_now, v_user,
      p_now
    )
    returning * into v_document;
  end if;
  update kith.document_versions set state = 'current', chunks = p_chunks, size = p_size where tenant_id = v_tenant and id = p_version_id;
  perform internal.record_history(
    p_vault_id, v_user, case when p_name is null then 'document.replaced' else 'document.added' end, 'document', v_document.id,
    jsonb_build_object('version_id', p_version_id, 'size', p_size), p_now
  );
  return internal.document_json(v_document);
end
$$;

ALTER FUNCTION api.finish_upload(p_vault_id uuid, p_version_id uuid, p_name text, p_content_type text, p_size bigint, p_chunks integer, p_sha256 bytea, p_expected uuid[], p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.finish_upload(p_vault_id uuid, p_version_id uuid, p_name text, p_content_type text, p_size bigint, p_chunks integer, p_sha256 bytea, p_expected uuid[], p_now timestamp with time zone) IS 'Makes an upload visible, by who may edit: as a new document of that name, or (null) as the content of the one that it was begun for. Checks that its chunks are all there, and the vault''s quota. Definer: versions are nobody''s to write.';

CREATE FUNCTION api.get_block(p_user_id uuid) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_block json := internal.blocks_json(p_user_id, 1, null) -> 0;
begin
  if v_block is null then
    perform internal.refuse_not_found();
  end if;
  return v_block;
end
$$;

ALTER FUNCTION api.get_block(p_user_id uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION api.get_block(p_user_id uuid) IS 'Whether the user who asks has blocked another: the block, or not_found.';

CREATE FUNCTION api.get_break(p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_answer json;
begin
  select json_build_object('from', break_from_on, 'until', break_until_on) into v_answer
  from kith.sender_profiles
  where tenant_id = v_tenant and user_id = v_user and break_until_on >= internal.local_date(p_now, time_zone);
  if not found then
    perform internal.refuse_not_found();
  end if;
  return v_answer;
end
$$;

ALTER FUNCTION api.get_break(p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.get_break(p_now timestamp with time zone) IS 'The current or coming break of the user who asks, in local dates; not_found without one.';

CREATE FUNCTION api.get_connection(p_id uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_connection internal.own_connections;
  v_ping kith.pings;
begin
  select * into v_connection from internal.own_connections where tenant_id = v_tenant and id = p_id;
  if not found then
    perform internal.refuse_not_found();
  end if;
  v_ping := internal.today_ping(v_connection, p_now);
  return internal.connection_json(v_connection, v_ping, p_now);
end
$$;

ALTER FUNCTION api.get_connection(p_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.get_connection(p_id uuid, p_now timestamp with time zone) IS 'One connection of the user who asks; a stranger''s and a deleted one are not_found.';

CREATE FUNCTION api.get_connection_invitation(p_id uuid) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_invitation kith.connection_invitations;
begin
  select * into v_invitation from kith.connection_invitations where tenant_id = v_tenant and id = p_id and user_id = v_user;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return internal.invitation_json(v_invitation, internal.percent_encode(v_invitation.message));
end
$$;

ALTER FUNCTION api.get_connection_invitation(p_id uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION api.get_connection_invitation(p_id uuid) IS 'An invitation of the user who asks, with every recipient; a stranger''s is not_found.';

CREATE FUNCTION api.get_dashboard(p_role text, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_zone text;
begin
  if p_role = 'sender' then
    select time_zone into v_zone from kith.sender_profiles where tenant_id = v_tenant and user_id = v_user;
  end if;
  if v_zone is null then
    select time_zone into v_zone from kith.users where tenant_id = v_tenant and id = v_user;
  end if;
  return (
    select json_build_object(
      'role', p_role,
      'date', (p_now at time zone v_zone)::date,
      'items', coalesce(json_agg(page.body order by page.id), '[]'),
      'open_pings', count(*) filter (where open.is_open),
      'deadline_at', internal.instant(coalesce(
        min((page.ping).deadline_at) filter (where open.is_open),
        min((page.ping).deadline_at) filter (where (page.ping).status = 'scheduled')
      ))
    )
    from internal.page_of_connections(p_role, null, null, p_now) as page
    cross join lateral (
      select (page.ping).status in ('scheduled', 'due') and (page.ping).scheduled_at <= p_now and (page.ping).deadline_at > p_now
        as is_open
    ) as open
  );
end
$$;

ALTER FUNCTION api.get_dashboard(p_role text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.get_dashboard(p_role text, p_now timestamp with time zone) IS 'All of the user''s connections in one role, with today''s pings, on one page (P36). open_pings: those that wait for a check-in now; deadline_at: the first deadline among them, else among those scheduled. date: the sender''s local date, for a receiver the date in their own zone.';

CREATE FUNCTION api.get_document(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_document kith.documents;
begin
  perform internal.enter_vault(p_vault_id, 'view', p_now);
  select * into v_document
  from kith.documents
  where tenant_id = v_tenant and vault_id = p_vault_id and id = p_id and deleted_at is null;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return internal.document_json(v_document);
end
$$;

ALTER FUNCTION api.get_document(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.get_document(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) IS 'A document of an open vault, without its content.';

CREATE FUNCTION api.get_me() RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_answer json;
begin
  select internal.user_json(users) into v_answer
  from kith.users
  where tenant_id = v_tenant and id = v_user and deleted_at is null;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return v_answer;
end
$$;

ALTER FUNCTION api.get_me() OWNER TO kith_owner;

COMMENT ON FUNCTION api.get_me() IS 'The user who asks.';

CREATE FUNCTION api.get_nominee(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_access record;
  v_session uuid;
  v_is_managed boolean;
  v_item json;
begin
  perform internal.require_user();
  v_access := internal.vault_access(p_vault_id, p_now);
  v_session := (v_access.session).id;
  v_is_managed := v_access.role = 'owner' or v_access.access_level = 'full' and v_session is not null;
  if v_is_managed or p_id = (v_access.nominee).id then
    select page.item into v_item from internal.page_of_nominees(p_vault_id, v_session, v_is_managed, p_id, null, 1, null) as page;
  end if;
  if v_item is null then
    perform internal.refuse_not_found();
  end if;
  return v_item;
end
$$;

ALTER FUNCTION api.get_nominee(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.get_nominee(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) IS 'A nominee of a vault, for who manages nominees, and for themselves. Definer: the others'' rows.';

CREATE FUNCTION api.get_notification_preferences() RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
begin
  return json_build_object('preferences', internal.preferences_json());
end
$$;

ALTER FUNCTION api.get_notification_preferences() OWNER TO kith_owner;

COMMENT ON FUNCTION api.get_notification_preferences() IS 'On which channels the user who asks is told of each type of notification, defaults included.';

CREATE FUNCTION api.get_quiet_hours() RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_answer json := internal.quiet_hours_json();
begin
  if v_answer is null then
    perform internal.refuse_not_found();
  end if;
  return v_answer;
end
$$;

ALTER FUNCTION api.get_quiet_hours() OWNER TO kith_owner;

COMMENT ON FUNCTION api.get_quiet_hours() IS 'The quiet hours of the user who asks; not_found without.';

CREATE FUNCTION api.get_receiver_profile(p_now timestamp with time zone DEFAULT now()) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_answer json := internal.receiver_profile_json(p_now);
begin
  if v_answer is null then
    perform internal.refuse_not_found();
  end if;
  return v_answer;
end
$$;

ALTER FUNCTION api.get_receiver_profile(p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.get_receiver_profile(p_now timestamp with time zone) IS 'The receiver profile of the user who asks, with the permanent code; not_found without one.';

CREATE FUNCTION api.get_sender_profile() RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_answer json := internal.sender_profile_json();
begin
  if v_answer is null then
    perform internal.refuse_not_found();
  end if;
  return v_answer;
end
$$;

ALTER FUNCTION api.get_sender_profile() OWNER TO kith_owner;

COMMENT ON FUNCTION api.get_sender_profile() IS 'The sender profile of the user who asks, with the permanent code; not_found without one.';

CREATE FUNCTION api.get_share(p_vault_id uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
begin
  perform internal.require_owner(p_vault_id, p_now);
  return internal.share_json(internal.own_share(p_vault_id));
end
$$;

ALTER FUNCTION api.get_share(p_vault_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.get_share(p_vault_id uuid, p_now timestamp with time zone) IS 'The share of a vault of the user who asks.';

CREATE FUNCTION api.get_tenant() RETURNS json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_server();
  return (select internal.tenant_json(tenants) from kith.tenants where tenant_id = v_tenant);
end
$$;

ALTER FUNCTION api.get_tenant() OWNER TO kith_owner;

COMMENT ON FUNCTION api.get_tenant() IS 'The settings of the tenant whose server asks. Definer: settings are not for users.';

CREATE FUNCTION api.get_transfer(p_vault_id uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_transfer kith.transfers;
begin
  perform internal.require_user();
  perform internal.require_owner(p_vault_id, p_now);
  select * into v_transfer
  from kith.transfers
  where tenant_id = v_tenant and vault_id = p_vault_id and status = 'pending' and expires_at > p_now;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return internal.transfer_json(v_transfer);
end
$$;

ALTER FUNCTION api.get_transfer(p_vault_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.get_transfer(p_vault_id uuid, p_now timestamp with time zone) IS 'The pending transfer of a vault of the user who asks. Definer: the row holds the hash of the token.';

CREATE FUNCTION api.get_user(p_id uuid) RETURNS json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_answer json;
begin
  perform internal.require_server();
  select internal.user_json_for_server(users) into v_answer
  from kith.users
  where tenant_id = v_tenant and id = p_id and deleted_at is null;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return v_answer;
end
$$;

ALTER FUNCTION api.get_user(p_id uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION api.get_user(p_id uuid) IS 'One user of the tenant.';

CREATE FUNCTION api.get_vault(p_id uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_vault internal.own_vaults;
begin
  perform set_config('kith.now', p_now::text, true);
  select * into v_vault from internal.own_vaults where tenant_id = v_tenant and id = p_id and deleted_at is null;
  if not found then
    -- Says why to whom access was taken away, and not_found to everybody else.
    perform internal.vault_access(p_id, p_now);
    perform internal.refuse_not_found();
  end if;
  return internal.vault_json(v_vault);
end
$$;

ALTER FUNCTION api.get_vault(p_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.get_vault(p_id uuid, p_now timestamp with time zone) IS 'One vault of the user who asks, owned or as a nominee.';

CREATE FUNCTION api.import_users(p_users jsonb, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_left integer;
  v_new integer := 0;
  v_line record;
  v_put record;
  v_message text;
  v_detail text;
  v_constraint text;
  v_results json[] := '{}';
begin
  perform internal.require_server();
  perform internal.analyze_grown_users();
  v_left := internal.users_left();
  for v_line in
    select (value ->> 'line')::integer as line, value -> 'user' as body
    from jsonb_array_elements(p_users)
    -- In one order, so that two imports of the same users do not wait for each other; of one user, as the lines stand.
    order by value -> 'user' ->> 'external_id' collate "C", (value ->> 'line')::integer
  loop
    begin
      v_put := internal.put_user(v_line.body, p_now);
      if v_put.is_new then
        if v_new >= v_left then
          perform internal.refuse_users();
        end if;
        v_new := v_new + 1;
      end if;
      v_results := v_results || json_build_object(
        'line', v_line.line, 'status', case when v_put.is_new then 201 else 200 end, 'id', v_put.body ->> 'id'
      );
    exception when others then
      -- What the line says is the line's; anything else is everybody's.
      if left(sqlstate, 2) not in ('KT', '22', '23') then
        raise;
      end if;
      get stacked diagnostics v_message = message_text, v_detail = pg_exception_detail, v_constraint = constraint_name;
      v_results := v_results || json_build_object(
        'line', v_line.line, 'sqlstate', sqlstate, 'message', v_message, 'detail', nullif(v_detail, ''),
        'constraint', nullif(v_constraint, '')
      );
    end;
  end loop;
  -- Once, and last: from here on whoever else makes a user of the tenant waits.
  if v_new > 0 then
    perform internal.count_users(v_new);
  end if;
  return to_json(v_results);
end
$$;

ALTER FUNCTION api.import_users(p_users jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.import_users(p_users jsonb, p_now timestamp with time zone) IS 'Makes or changes users as put_user does, several in one transaction: [{line, user}] gives, in any order, [{line, status, id}], or for one that was refused, which does not stop the others, {line, sqlstate, message, detail, constraint} as if it had come alone. Where others take the last of the quota meanwhile, all are refused.';

CREATE FUNCTION api.invitation_page(p_token uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_preview jsonb := internal.invitation_preview(p_token, p_now);
begin
  -- Set by the preview.
  return (
    select v_preview || jsonb_build_object('tenant_id', tenant_id, 'slug', slug, 'default_region', default_region)
    from kith.tenants
    where tenant_id = kith.tenant_id()
  );
end
$$;

ALTER FUNCTION api.invitation_page(p_token uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.invitation_page(p_token uuid, p_now timestamp with time zone) IS 'The preview of an invitation with what the server needs besides to show its page and to send a code: {tenant_id, slug, default_region}. Definer: the token finds the tenant, and nobody is known yet.';

CREATE FUNCTION api.invite_nominees(p_vault_id uuid, p_nominees jsonb, p_public_url text, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_held record;
  v_given record;
  v_nominee json;
  v_wait integer;
  v_message text;
  v_detail text;
  v_constraint text;
  v_results json[] := '{}';
begin
  perform internal.require_user();
  v_held := internal.hold_vault(
    p_vault_id,
    array(
      select internal.user_of_verified_contact(value ->> 'phone', value ->> 'email') from jsonb_array_elements(p_nominees) as given (value)
    ),
    p_now
  );
  for v_given in select value, n from jsonb_array_elements(p_nominees) with ordinality as given (value, n) order by n loop
    begin
      v_wait := internal.invitations_wait(p_now);
      if v_wait is not null then
        raise exception 'too_many_requests'
          using errcode = 'KT429', detail = 'You can invite 200 people a day. Please try again later.';
      end if;
      v_nominee := internal.add_nominee(v_held.vault, v_held.role, v_given.n, v_given.value, p_public_url, p_now);
      v_results := v_results || json_build_object('nominee', v_nominee);
    exception when others then
      -- What is said of one person is theirs; anything else is everybody's.
      if left(sqlstate, 2) not in ('KT', '22', '23') then
        raise;
      end if;
      get stacked diagnostics v_message = message_text, v_detail = pg_exception_detail, v_constraint = constraint_name;
      v_results := v_results || json_build_object(
        'sqlstate', sqlstate, 'message', v_message, 'detail', nullif(v_detail, ''), 'constraint', nullif(v_constraint, ''),
        'retry_after', v_wait
      );
    end;
  end loop;
  return to_json(v_results);
end
$$;

ALTER FUNCTION api.invite_nominees(p_vault_id uuid, p_nominees jsonb, p_public_url text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.invite_nominees(p_vault_id uuid, p_nominees jsonb, p_public_url text, p_now timestamp with time zone) IS 'Invites people into a vault (N01-N03), each with a result in the order given: {nominee}, or {sqlstate, message, detail, constraint, retry_after} as if they had been invited alone; one who is refused does not stop the others. 200 a user in 24 hours. A nominee with level full invites view and edit, while the vault is open. Definer: nobody writes nominees but these procedures.';

CREATE FUNCTION api.keep_answer(p_key text, p_fingerprint bytea, p_sealed_answer bytea, p_seconds integer, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_caller text := kith.caller();
begin
  insert into kith.idempotency_keys (tenant_id, caller, key, fingerprint, sealed_answer, created_at, expires_at)
  values (v_tenant, v_caller, p_key, p_fingerprint, p_sealed_answer, p_now, p_now + make_interval(secs => p_seconds))
  on conflict (tenant_id, caller, key) do update
  set fingerprint = excluded.fingerprint, sealed_answer = excluded.sealed_answer, created_at = excluded.created_at,
    expires_at = excluded.expires_at;
  return null;
end
$$;

ALTER FUNCTION api.keep_answer(p_key text, p_fingerprint bytea, p_sealed_answer bytea, p_seconds integer, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.keep_answer(p_key text, p_fingerprint bytea, p_sealed_answer bytea, p_seconds integer, p_now timestamp with time zone) IS 'Keeps the answer of a request that claim_key let through, for so many seconds.';

CREATE FUNCTION api.list_blocks(p_limit integer, p_cursor uuid) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_items json := coalesce(internal.blocks_json(null, p_limit + 1, p_cursor), '[]');
begin
  return (
    select json_build_object(
      'items', coalesce(json_agg(item order by n) filter (where n <= p_limit), '[]'),
      'next_cursor', case when count(*) > p_limit then v_items -> (p_limit - 1) -> 'user' ->> 'id' end
    )
    from json_array_elements(v_items) with ordinality as items (item, n)
  );
end
$$;

ALTER FUNCTION api.list_blocks(p_limit integer, p_cursor uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION api.list_blocks(p_limit integer, p_cursor uuid) IS 'Whom the user who asks has blocked.';

CREATE FUNCTION api.list_channels() RETURNS json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_server();
  return (
    select json_build_object('items', coalesce(json_agg(internal.channel_json(channel_credentials) order by channel), '[]'), 'next_cursor', null)
    from kith.channel_credentials
    where tenant_id = v_tenant
  );
end
$$;

ALTER FUNCTION api.list_channels() OWNER TO kith_owner;

COMMENT ON FUNCTION api.list_channels() IS 'The channels on which the tenant''s messages leave, and by whom, without secrets. Definer: credentials are nobody''s to read.';

CREATE FUNCTION api.list_codes(p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select json_build_object(
      'items', coalesce(json_agg(internal.code_json(unique_codes) order by not permanent, created_at, code), '[]'),
      'next_cursor', null
    )
    from kith.unique_codes
    where tenant_id = v_tenant and user_id = v_user and rotated_at is null and (expires_at is null or expires_at > p_now)
  );
end
$$;

ALTER FUNCTION api.list_codes(p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.list_codes(p_now timestamp with time zone) IS 'The live codes of the user who asks, permanent ones first; at most 100, so on one page.';

CREATE FUNCTION api.list_connection_invitations(p_limit integer, p_cursor uuid) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select json_build_object(
      'items', coalesce(
        json_agg(
          json_build_object(
            'id', page.id,
            'message', page.message,
            'code', page.code,
            'url', page.url,
            'created_at', internal.instant(page.created_at),
            'recipient_count', page.recipients,
            'statuses', (
              select coalesce(json_object_agg(counted.status, counted.recipients order by counted.status), '{}')
              from (
                select recipient.status, count(*) as recipients
                from kith.connection_invitation_recipients as recipient
                where recipient.tenant_id = v_tenant and recipient.invitation_id = page.id
                group by recipient.status
              ) as counted
            )
          )
          order by page.id desc
        ) filter (where page.n <= p_limit),
        '[]'
      ),
      'next_cursor', case when count(*) > p_limit then (array_agg(page.id order by page.id desc))[p_limit] end
    )
    from (
      select invitation.*, row_number() over (order by invitation.id desc) as n
      from kith.connection_invitations as invitation
      where invitation.tenant_id = v_tenant and invitation.user_id = v_user
        and invitation.id < coalesce(p_cursor, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      order by invitation.id desc
      limit p_limit + 1
    ) as page
  );
end
$$;

ALTER FUNCTION api.list_connection_invitations(p_limit integer, p_cursor uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION api.list_connection_invitations(p_limit integer, p_cursor uuid) IS 'The invitations of the user who asks, newest first, each with how many recipients stand how; the recipients themselves come with one.';

CREATE FUNCTION api.list_connection_pings(p_id uuid, p_from date, p_until date, p_limit integer, p_cursor date, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_connection record;
  v_until date;
  v_from date;
begin
  select connection.receiver_id = v_user and connection.status = 'pending' as is_hidden, sender.time_zone into v_connection
  from kith.connections as connection
  join kith.sender_profiles as sender on sender.tenant_id = v_tenant and sender.user_id = connection.sender_id
  where connection.tenant_id = v_tenant and connection.id = p_id and v_user in (connection.sender_id, connection.receiver_id)
    and connection.status <> 'deleted';
  if not found then
    perform internal.refuse_not_found();
  end if;

  -- Tomorrow's too: a sender who flew west has a ping of a date that has not begun there.
  v_until := coalesce(p_until, internal.local_date(p_now, v_connection.time_zone) + 1);
  v_from := coalesce(p_from, v_until - 31);
  if v_from > v_until then
    perform internal.refuse_fields(internal.field_error('from', 'must not be after until'));
  elsif v_until - v_from > 366 then
    perform internal.refuse_fields(internal.field_error('from', 'must be at most 366 days before until'));
  end if;
  if p_cursor is not null then
    v_until := least(v_until, p_cursor - 1);
  end if;

  return (
    select json_build_object(
      'items', coalesce(
        json_agg(internal.ping_json(page.ping) order by page.ping_on desc) filter (where page.n <= p_limit),
        '[]'
      ),
      'next_cursor', case when count(*) > p_limit then (array_agg(page.ping_on order by page.ping_on desc))[p_limit] end
    )
    from (
      -- Date by date, because the date stands before the connection in the key: a range would read the whole tenant's.
      select day.ping_on, made.ping, row_number() over (order by day.ping_on desc) as n
      from (select v_until - n as ping_on from generate_series(0, v_until - v_from) as n) as day
      cross join lateral (
        select ping
        from kith.pings as ping
        where ping.tenant_id = v_tenant and ping.ping_on = day.ping_on and ping.connection_id = p_id
        offset 0
      ) as made
      where not v_connection.is_hidden
      limit p_limit + 1
    ) as page
  );
end
$$;

ALTER FUNCTION api.list_connection_pings(p_id uuid, p_from date, p_until date, p_limit integer, p_cursor date, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.list_connection_pings(p_id uuid, p_from date, p_until date, p_limit integer, p_cursor date, p_now timestamp with time zone) IS 'The pings of a connection, newest first: the last 31 days, or up to 366 as asked. Either side sees them, the receiver not while the connection is pending (P29). The cursor is a date.';

CREATE FUNCTION api.list_connections(p_role text, p_limit integer, p_cursor uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
begin
  return (
    select json_build_object(
      'items', coalesce(json_agg(page.body order by page.n) filter (where page.n <= p_limit), '[]'),
      'next_cursor', case when count(*) > p_limit then (array_agg(page.id order by page.n))[p_limit] end
    )
    from internal.page_of_connections(p_role, p_limit + 1, p_cursor, p_now) with ordinality as page (id, body, ping, n)
  );
end
$$;

ALTER FUNCTION api.list_connections(p_role text, p_limit integer, p_cursor uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.list_connections(p_role text, p_limit integer, p_cursor uuid, p_now timestamp with time zone) IS 'The connections of the user who asks, in one role or (null) in both, oldest first: what is added meanwhile comes at the end.';

CREATE FUNCTION api.list_devices() RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
begin
  return json_build_object('items', internal.devices_json(), 'next_cursor', null);
end
$$;

ALTER FUNCTION api.list_devices() OWNER TO kith_owner;

COMMENT ON FUNCTION api.list_devices() IS 'The devices of the user who asks, the last seen first; at most 20, so on one page.';

CREATE FUNCTION api.list_documents(p_vault_id uuid, p_deleted boolean, p_limit integer, p_cursor uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_deleted boolean := coalesce(p_deleted, false);
begin
  perform internal.enter_vault(p_vault_id, case when v_deleted then 'full' else 'view' end, p_now);
  return (
    select json_build_object(
      'items', coalesce(json_agg(internal.document_json(page.document) order by page.n) filter (where page.n <= p_limit), '[]'),
      'next_cursor', case when count(*) > p_limit then (array_agg((page.document).id order by page.n))[p_limit] end
    )
    from (
      select document, row_number() over (order by document.id) as n
      from kith.documents as document
      where document.tenant_id = v_tenant and document.vault_id = p_vault_id
        and document.id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
        and (document.deleted_at is not null) = v_deleted and coalesce(document.deleted_at > p_now - interval '30 days', true)
      order by document.id
      limit p_limit + 1
    ) as page
  );
end
$$;

ALTER FUNCTION api.list_documents(p_vault_id uuid, p_deleted boolean, p_limit integer, p_cursor uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.list_documents(p_vault_id uuid, p_deleted boolean, p_limit integer, p_cursor uuid, p_now timestamp with time zone) IS 'The documents of an open vault, oldest first; or, for the level full, the deleted ones that can be restored.';

CREATE FUNCTION api.list_jwt_keys() RETURNS json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_server();
  return (
    select json_build_object('items', coalesce(json_agg(internal.jwt_key_json(jwt_keys) order by id), '[]'), 'next_cursor', null)
    from kith.jwt_keys
    where tenant_id = v_tenant and not own and revoked_at is null
  );
end
$$;

ALTER FUNCTION api.list_jwt_keys() OWNER TO kith_owner;

COMMENT ON FUNCTION api.list_jwt_keys() IS 'The live keys of the tenant''s identity provider, oldest first. Definer: keys are nobody''s to read.';

CREATE FUNCTION api.list_messages(p_vault_id uuid, p_nominee_id uuid, p_limit integer, p_cursor uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  perform internal.conversation(p_vault_id, p_nominee_id, p_now);
  perform internal.note_activity(p_vault_id, p_now);
  return (
    select json_build_object(
      'items', coalesce(
        json_agg(internal.message_json(page.message, page.display_name) order by page.id desc) filter (where page.n <= p_limit), '[]'
      ),
      'next_cursor', case when count(*) > p_limit then (array_agg(page.id order by page.id desc))[p_limit] end,
      'unread_count', (
        select count(*)
        from kith.messages
        where tenant_id = v_tenant and nominee_id = p_nominee_id and v_user in (owner_id, nominee_user_id) and from_id <> v_user
          and read_at is null
      )
    )
    from (
      select message, message.id, author.display_name, row_number() over (order by message.id desc) as n
      from kith.messages as message
      join kith.users as author on author.tenant_id = message.tenant_id and author.id = message.from_id
      where message.tenant_id = v_tenant and message.nominee_id = p_nominee_id
        and v_user in (message.owner_id, message.nominee_user_id)
        and message.id < coalesce(p_cursor, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      order by message.id desc
      limit p_limit + 1
    ) as page
  );
end
$$;

ALTER FUNCTION api.list_messages(p_vault_id uuid, p_nominee_id uuid, p_limit integer, p_cursor uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.list_messages(p_vault_id uuid, p_nominee_id uuid, p_limit integer, p_cursor uuid, p_now timestamp with time zone) IS 'The conversation with a nominee, newest first, with the number of messages to the user who asks that are not read. An owner reads it whatever became of the nominee; conversations of an owner before are theirs.';

CREATE FUNCTION api.list_nominees(p_vault_id uuid, p_status text, p_limit integer, p_cursor uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_access record;
  v_session uuid;
  v_owner uuid;
  v_is_managed boolean;
begin
  perform internal.require_user();
  v_access := internal.vault_access(p_vault_id, p_now);
  v_session := (v_access.session).id;
  v_owner := (v_access.vault).owner_id;
  v_is_managed := v_access.role = 'owner' or v_access.access_level = 'full' and v_session is not null;
  return (
    select json_build_object(
      'owner', (
        select json_build_object('id', owner.id, 'display_name', internal.name_of_anybody(owner.display_name))
        from kith.users as owner
        where owner.tenant_id = v_tenant and owner.id = v_owner
      ),
      'items', coalesce(json_agg(page.item order by page.n) filter (where page.n <= p_limit), '[]'),
      'next_cursor', case when count(*) > p_limit then (array_agg(page.id order by page.n))[p_limit] end,
      'history', case
        when v_access.role = 'owner' and p_cursor is null
          then (select coalesce(json_agg(event.item order by event.id desc), '[]') from internal.history_items(p_vault_id, 50, null) as event)
      end
    )
    from internal.page_of_nominees(
      p_vault_id, v_session, v_is_managed, case when not v_is_managed then (v_access.nominee).id end, p_status, p_limit + 1, p_cursor
    ) with ordinality as page (id, item, n)
  );
end
$$;

ALTER FUNCTION api.list_nominees(p_vault_id uuid, p_status text, p_limit integer, p_cursor uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.list_nominees(p_vault_id uuid, p_status text, p_limit integer, p_cursor uuid, p_now timestamp with time zone) IS 'Who is in a vault, in one answer (N12): its owner, its nominees with the status they have at this instant, and for the owner the last 50 events with the first page. Who does not manage nominees sees themselves only. Definer: the others'' rows.';

CREATE FUNCTION api.list_notifications(p_unread boolean, p_limit integer, p_cursor uuid) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select json_build_object(
      'items', coalesce(
        json_agg(
          json_build_object(
            'id', page.id,
            'type', page.type,
            'title', page.title,
            'body', page.body,
            'data', page.data,
            'created_at', internal.instant(page.created_at),
            'sent_at', internal.instant(page.sent_at),
            'delivery_status', page.delivery_status,
            'read_at', internal.instant(page.read_at)
          )
          order by page.id desc
        ) filter (where page.n <= p_limit),
        '[]'
      ),
      'next_cursor', case when count(*) > p_limit then (array_agg(page.id order by page.id desc))[p_limit] end,
      'unread_count', (
        select count(*) from kith.notifications where tenant_id = v_tenant and user_id = v_user and read_at is null
      )
    )
    from (
      select notification.*, row_number() over (order by notification.id desc) as n
      from kith.notifications as notification
      where notification.tenant_id = v_tenant and notification.user_id = v_user
        and notification.id < coalesce(p_cursor, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        and (not coalesce(p_unread, false) or notification.read_at is null)
      order by notification.id desc
      limit p_limit + 1
    ) as page
  );
end
$$;

ALTER FUNCTION api.list_notifications(p_unread boolean, p_limit integer, p_cursor uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION api.list_notifications(p_unread boolean, p_limit integer, p_cursor uuid) IS 'The notifications of the user who asks, newest first, all or the unread ones, with the number of all unread.';

CREATE FUNCTION api.list_pings(p_date date, p_role text, p_limit integer, p_cursor uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    -- A connection has one ping a date, so the connection is the cursor: it is older than its pings, which come while we read.
    select json_build_object(
      'items', coalesce(json_agg(internal.ping_json(page.ping) order by page.id) filter (where page.n <= p_limit), '[]'),
      'next_cursor', case when count(*) > p_limit then (array_agg(page.id order by page.id))[p_limit] end
    )
    from (
      select connection.id, ping, row_number() over (order by connection.id) as n
      from kith.connections as connection
      join kith.sender_profiles as sender on sender.tenant_id = v_tenant and sender.user_id = connection.sender_id
      join kith.pings as ping
        on ping.tenant_id = v_tenant and ping.connection_id = connection.id
        and ping.ping_on = coalesce(p_date, internal.local_date(p_now, sender.time_zone))
      where connection.tenant_id = v_tenant and connection.status <> 'deleted'
        and (
          connection.sender_id = v_user and p_role is distinct from 'receiver'
          or connection.receiver_id = v_user and p_role is distinct from 'sender' and connection.status <> 'pending'
        )
        and connection.id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
      order by connection.id
      limit p_limit + 1
    ) as page
  );
end
$$;

ALTER FUNCTION api.list_pings(p_date date, p_role text, p_limit integer, p_cursor uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.list_pings(p_date date, p_role text, p_limit integer, p_cursor uuid, p_now timestamp with time zone) IS 'The pings of one date of the user who asks, in one role or both; where no date is given, of each sender''s today. Deleted connections are left out, pending ones shown to the sender only (P29).';

CREATE FUNCTION api.list_shares(p_limit integer, p_cursor uuid) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_share kith.shares;
  v_items json[] := '{}';
  v_last uuid;
begin
  for v_share in
    select share.*
    from kith.shares as share
    join kith.vaults as vault on vault.tenant_id = share.tenant_id and vault.id = share.vault_id
    where share.tenant_id = v_tenant and share.owner_id = v_user and share.ended_at is null and vault.deleted_at is null
      and share.id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
    order by share.id
    limit p_limit + 1
  loop
    if cardinality(v_items) = p_limit then
      return json_build_object('items', to_json(v_items), 'next_cursor', v_last);
    end if;
    v_items := v_items || internal.share_json(v_share);
    v_last := v_share.id;
  end loop;
  return json_build_object('items', to_json(v_items), 'next_cursor', null);
end
$$;

ALTER FUNCTION api.list_shares(p_limit integer, p_cursor uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION api.list_shares(p_limit integer, p_cursor uuid) IS 'The shares of the vaults of the user who asks, oldest first.';

CREATE FUNCTION api.list_users(p_external_id text, p_limit integer, p_cursor uuid) RETURNS json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_server();
  if p_external_id is not null then
    return (
      select json_build_object('items', coalesce(json_agg(internal.user_json_for_server(users)), '[]'), 'next_cursor', null)
      from kith.users
      where tenant_id = v_tenant and external_id = p_external_id and deleted_at is null
    );
  end if;
  return (
    select json_build_object(
      'items', coalesce(json_agg(internal.user_json_for_server(page.users) order by page.id) filter (where page.n <= p_limit), '[]'),
      'next_cursor', case when count(*) > p_limit then (array_agg(page.id order by page.id))[p_limit] end
    )
    from (
      select users, id, row_number() over (order by id) as n
      from kith.users
      where tenant_id = v_tenant and deleted_at is null
        and id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
      order by id
      limit p_limit + 1
    ) as page
  );
end
$$;

ALTER FUNCTION api.list_users(p_external_id text, p_limit integer, p_cursor uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION api.list_users(p_external_id text, p_limit integer, p_cursor uuid) IS 'The tenant''s users, oldest first, or the one of an external_id.';

CREATE FUNCTION api.list_vault_history(p_id uuid, p_limit integer, p_cursor uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
begin
  perform internal.require_owner(p_id, p_now);
  return (
    select json_build_object(
      'items', coalesce(json_agg(page.item order by page.n) filter (where page.n <= p_limit), '[]'),
      'next_cursor', case when count(*) > p_limit then (array_agg(page.id order by page.n))[p_limit] end
    )
    from internal.history_items(p_id, p_limit + 1, p_cursor) with ordinality as page (id, item, n)
  );
end
$$;

ALTER FUNCTION api.list_vault_history(p_id uuid, p_limit integer, p_cursor uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.list_vault_history(p_id uuid, p_limit integer, p_cursor uuid, p_now timestamp with time zone) IS 'What happened with a vault, newest first; for its owner (V13).';

CREATE FUNCTION api.list_vaults(p_deleted boolean, p_limit integer, p_cursor uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_deleted boolean := coalesce(p_deleted, false);
begin
  perform set_config('kith.now', p_now::text, true);
  return (
    select json_build_object(
      'items', coalesce(json_agg(internal.vault_json(page.own) order by page.n) filter (where page.n <= p_limit), '[]'),
      'next_cursor', case when count(*) > p_limit then (array_agg((page.own).id order by page.n))[p_limit] end
    )
    from (
      select own, row_number() over (order by own.id) as n
      from internal.own_vaults as own
      where own.tenant_id = v_tenant and own.id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
        and (own.deleted_at is not null) = v_deleted and coalesce(own.deleted_at > p_now - interval '30 days', true)
      order by own.id
      limit p_limit + 1
    ) as page
  );
end
$$;

ALTER FUNCTION api.list_vaults(p_deleted boolean, p_limit integer, p_cursor uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.list_vaults(p_deleted boolean, p_limit integer, p_cursor uuid, p_now timestamp with time zone) IS 'The vaults of the user who asks, owned and as a nominee, oldest first; or the deleted ones that can be restored.';

CREATE FUNCTION api.live_codes(p_channel text, p_address text, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_user uuid := kith.user_id();
begin
  if kith.tenant_id() is null then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
  return (
    select json_build_object('ids', coalesce(json_agg(code.id), '[]'))
    from internal.live_otp(case when v_user is null then 'sign_in' else 'contact' end, p_channel, p_address, v_user, p_now) as code
  );
end
$$;

ALTER FUNCTION api.live_codes(p_channel text, p_address text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.live_codes(p_channel text, p_address text, p_now timestamp with time zone) IS 'The ids of the live codes of an address, to sign in or, for a user, of a contact to be: the server needs them to make the hashes that it then sends. Definer: codes are nobody''s to read.';

CREATE FUNCTION api.lock_vault(p_id uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
begin
  return internal.session_json(internal.lock_own_vault(p_id, p_now));
end
$$;

ALTER FUNCTION api.lock_vault(p_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.lock_vault(p_id uuid, p_now timestamp with time zone) IS 'Locks a vault, by its owner or a nominee with level full; the same again changes nothing. Gives the session that ended.';

CREATE FUNCTION api.note_vault_activity(p_id uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
begin
  perform internal.enter_vault(p_id, 'view', p_now);
  return internal.session_json((internal.vault_access(p_id, p_now)).session);
end
$$;

ALTER FUNCTION api.note_vault_activity(p_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.note_vault_activity(p_id uuid, p_now timestamp with time zone) IS 'Says that the user who asks is still in the vault: the session goes on. vault_locked when it is over, for nothing revives it.';

CREATE FUNCTION api.open_content(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_content json;
begin
  perform internal.require_user();
  perform internal.enter_vault(p_vault_id, 'view', p_now);
  select json_build_object(
    'vault_id', document.vault_id,
    'document_id', document.id,
    'version_id', document.version_id,
    'name', document.name,
    'content_type', document.content_type,
    'size', document.size,
    'chunk_size', version.chunk_size,
    'chunks', version.chunks,
    'key', translate(encode(key.wrapped_key, 'base64'), e'\n', '')
  ) into v_content
  from kith.documents as document
  join kith.document_versions as version on version.tenant_id = document.tenant_id and version.id = document.version_id
  join kith.vault_keys as key on key.tenant_id = document.tenant_id and key.vault_id = document.vault_id
  where document.tenant_id = v_tenant and document.vault_id = p_vault_id and document.id = p_id and document.deleted_at is null;
  if v_content is null then
    perform internal.refuse_not_found();
  end if;
  return v_content;
end
$$;

ALTER FUNCTION api.open_content(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.open_content(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) IS 'What the server needs to give out a document''s content, with the vault''s wrapped key, by who may view. Definer: keys are nobody''s to read.';

CREATE FUNCTION api.open_vault(p_id uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
declare
  v_opened record := internal.open_session(p_id, p_now);
begin
  if v_opened.is_new then
    return internal.session_json(v_opened.session);
  end if;
  return json_build_object('answer', 200, 'body', internal.session_json(v_opened.session));
end
$$;

ALTER FUNCTION api.open_vault(p_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.open_vault(p_id uuid, p_now timestamp with time zone) IS 'Opens a vault (201), or joins the session that is open (200). A nominee who may not open it gets vault_locked while nobody has.';

CREATE FUNCTION api.page_tenant(p_host text, p_slug text, p_code text) RETURNS json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer;
begin
  select tenant_id into v_tenant from kith.tenants where universal_link_host = p_host;
  if not found then
    select tenant_id into v_tenant from kith.tenants where slug = p_slug;
  end if;
  return (
    select json_build_object(
      'status', status,
      'brand_name', brand_name,
      'join_url', case when p_code is null then join_link else internal.join_url(join_link, p_code) end,
      'app_link', app_link,
      'app_ids', app_ids
    )
    from kith.tenants
    where tenant_id = v_tenant and deleted_at is null
  );
end
$$;

ALTER FUNCTION api.page_tenant(p_host text, p_slug text, p_code text) OWNER TO kith_owner;

COMMENT ON FUNCTION api.page_tenant(p_host text, p_slug text, p_code text) IS 'What a page without sign-in says of a tenant, found by the host under which the page was asked for, or else by slug: {status, brand_name, join_url, app_link, app_ids}, all of it public; null for none. The code is put into the link and not looked up. Definer: who opens a page has no tenant yet.';

CREATE FUNCTION api.pause_connection(p_id uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_connection kith.connections := internal.own_connection(p_id);
begin
  if v_connection.sender_id <> v_user then
    raise exception 'forbidden' using errcode = 'KT403', detail = 'Only the sender can pause.';
  end if;
  if v_connection.status <> 'active' then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'Only an active connection can be paused.';
  end if;
  update kith.connections set status = 'paused', updated_at = p_now where tenant_id = v_tenant and id = p_id;
  perform internal.cancel_pings(p_id, p_now);
  perform internal.notify_connection(p_id, 'connection_paused', p_now);
  return api.get_connection(p_id, p_now);
end
$$;

ALTER FUNCTION api.pause_connection(p_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.pause_connection(p_id uuid, p_now timestamp with time zone) IS 'Pauses an active connection, by its sender only (P20): today''s open ping is cancelled, the receiver is told.';

CREATE FUNCTION api.preview_code(p_code text, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
declare
  v_found record;
begin
  v_found := internal.attempt_code(p_code, p_now);
  if v_found.problem is not null then
    return internal.code_problem(v_found.problem, v_found.retry_after);
  end if;
  return json_build_object(
    'role', internal.opposite_role(v_found.owner_role),
    'counterpart', json_build_object('display_name', internal.counterpart_name(v_found.owner_name, v_found.owner_role))
  );
end
$$;

ALTER FUNCTION api.preview_code(p_code text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.preview_code(p_code text, p_now timestamp with time zone) IS 'Whom a code would connect with, and in which role the one who asks. Counts as an attempt like connecting.';

CREATE FUNCTION api.preview_invitation(p_token uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  return internal.invitation_preview(p_token, p_now);
end
$$;

ALTER FUNCTION api.preview_invitation(p_token uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.preview_invitation(p_token uuid, p_now timestamp with time zone) IS 'What an invitation is to, for whoever has its token (N20): of a vault its name, who invites, and how it stands. Definer: the token finds the tenant, and nobody is known yet.';

CREATE FUNCTION api.put_block(p_user_id uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_connection uuid;
begin
  -- The strongest lock: a code of either that is being redeemed just now is waited for, and the next one waits. Both at once and in
  -- one order, as the other may be blocking this one.
  perform internal.require_user();
  perform from kith.users where tenant_id = v_tenant and id in (v_user, p_user_id) order by id for update;
  perform internal.lock_account();
  if not exists (
    select from kith.connections
    where tenant_id = v_tenant
      and (sender_id = v_user and receiver_id = p_user_id or sender_id = p_user_id and receiver_id = v_user)
  ) and not exists (
    select from kith.nominees
    where tenant_id = v_tenant and (owner_id = v_user and user_id = p_user_id or owner_id = p_user_id and user_id = v_user)
  ) then
    perform internal.refuse_not_found();
  end if;
  insert into kith.blocks (tenant_id, user_id, blocked_id, created_at)
  select v_tenant, v_user, p_user_id, p_now
  from kith.users
  where tenant_id = v_tenant and id = p_user_id and deleted_at is null
  on conflict do nothing;
  for v_connection in
    select id from kith.connections
    where tenant_id = v_tenant and status <> 'deleted'
      and (sender_id = v_user and receiver_id = p_user_id or sender_id = p_user_id and receiver_id = v_user)
    order by id
    for no key update
  loop
    perform internal.close_connection(v_connection, 'user:' || v_user, p_now);
  end loop;
  return api.get_block(p_user_id);
end
$$;

ALTER FUNCTION api.put_block(p_user_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.put_block(p_user_id uuid, p_now timestamp with time zone) IS 'Blocks a user whom the one who asks has or had a connection with, or who is or was their nominee, or they theirs; anybody else is not_found, so that ids cannot be probed. Connections of the two end without a word (X22), and neither can write to the other; access to vaults is their owner''s to end. Twice changes nothing. Definer: blocks are written here only, since they end connections.';

CREATE FUNCTION api.put_break(p_body jsonb, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_from date := p_body ->> 'from';
  v_until date := p_body ->> 'until';
  v_today date;
  v_errors jsonb := '[]';
begin
  perform internal.require_profile('sender');
  select internal.local_date(p_now, time_zone) into v_today
  from kith.sender_profiles
  where tenant_id = v_tenant and user_id = v_user;
  if v_from > (v_today + interval '1 year')::date then
    v_errors := v_errors || internal.field_error('from', 'must be at most a year ahead');
  end if;
  if v_until < v_from then
    v_errors := v_errors || internal.field_error('until', 'must not be before from');
  elsif v_until < v_today then
    v_errors := v_errors || internal.field_error('until', 'must not be in the past');
  elsif v_until - v_from >= 90 then
    v_errors := v_errors || internal.field_error('until', 'must be at most 89 days after from: a break has at most 90 days');
  end if;
  perform internal.refuse_fields(v_errors);
  perform internal.replace_break(v_from, v_until, p_now);
  return api.get_break(p_now);
end
$$;

ALTER FUNCTION api.put_break(p_body jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.put_break(p_body jsonb, p_now timestamp with time zone) IS 'Sets or changes the break of the user who asks: {from, until}, local dates without pings. Receivers are told when it begins, and of another end.';

CREATE FUNCTION api.put_channel(p_channel text, p_summary jsonb, p_sealed bytea, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_server();
  return internal.channel_json(internal.set_channel(v_tenant, p_channel, p_summary, p_sealed, internal.actor(), p_now));
end
$$;

ALTER FUNCTION api.put_channel(p_channel text, p_summary jsonb, p_sealed bytea, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.put_channel(p_channel text, p_summary jsonb, p_sealed bytea, p_now timestamp with time zone) IS 'Says by which provider the tenant''s messages leave on a channel: the server has checked the settings and sealed them, p_summary is what may be shown. Definer: credentials are nobody''s to write.';

CREATE FUNCTION api.put_chunk(p_vault_id uuid, p_version_id uuid, p_n integer, p_sealed bytea, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_user();
  perform internal.enter_vault(p_vault_id, 'edit', p_now);
  insert into kith.document_chunks (tenant_id, version_id, n, sealed)
  select v_tenant, id, p_n, p_sealed
  from kith.document_versions
  where tenant_id = v_tenant and vault_id = p_vault_id and id = p_version_id and state = 'uploading' and created_by = kith.user_id();
  if not found then
    -- Swept, after an hour.
    perform internal.refuse_not_found();
  end if;
  return null;
end
$$;

ALTER FUNCTION api.put_chunk(p_vault_id uuid, p_version_id uuid, p_n integer, p_sealed bytea, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.put_chunk(p_vault_id uuid, p_version_id uuid, p_n integer, p_sealed bytea, p_now timestamp with time zone) IS 'Keeps a chunk of an upload, which ends here for who may not go on. Definer: chunks are nobody''s to write.';

CREATE FUNCTION api.put_device(p_body jsonb, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_device kith.devices;
begin
  perform internal.lock_account();
  if p_body ->> 'platform' = 'ios' and p_body ? 'keys' then
    perform internal.refuse_fields(internal.field_error('keys', 'must be absent: only web push has them'));
  end if;
  insert into kith.devices as device
    (tenant_id, token, user_id, platform, environment, public_key, auth_secret, created_at, last_seen_at)
  values (
    v_tenant, p_body ->> 'token', v_user, p_body ->> 'platform', coalesce(p_body ->> 'environment', 'production'),
    p_body -> 'keys' ->> 'p256dh', p_body -> 'keys' ->> 'auth', p_now, p_now
  )
  on conflict (tenant_id, token) do update
  set user_id = excluded.user_id, platform = excluded.platform, environment = excluded.environment,
    public_key = excluded.public_key, auth_secret = excluded.auth_secret, last_seen_at = excluded.last_seen_at,
    created_at = case device.user_id when excluded.user_id then device.created_at else excluded.created_at end
  returning * into v_device;
  delete from kith.devices
  where tenant_id = v_tenant and token in (
    select token from kith.devices
    where tenant_id = v_tenant and user_id = v_user
    order by last_seen_at desc, (token = v_device.token) desc, token
    offset 20
  );
  return internal.device_json(v_device);
end
$$;

ALTER FUNCTION api.put_device(p_body jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.put_device(p_body jsonb, p_now timestamp with time zone) IS 'Makes a device the user''s who asks, or says that it was seen: {platform, token, environment?, keys?}. Of more than 20 the one seen longest ago goes. Definer: the token may be another user''s of the tenant, whose phone it was.';

CREATE FUNCTION api.put_invitation_draft(p_body jsonb, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_vault uuid := p_body ->> 'vault_id';
  v_expires_at timestamptz := p_now + interval '10 minutes';
  v_access record;
begin
  perform internal.require_user();
  v_access := internal.manage_vault(v_vault, p_now);
  perform internal.lock_account();
  insert into kith.drafts (tenant_id, user_id, vault_id, created_at, expires_at)
  values (v_tenant, v_user, v_vault, p_now, v_expires_at)
  on conflict (tenant_id, user_id) do update
  set vault_id = excluded.vault_id, created_at = excluded.created_at, expires_at = excluded.expires_at;
  return json_build_object(
    'vault', json_build_object('id', v_vault, 'name', (v_access.vault).name), 'expires_at', internal.instant(v_expires_at)
  );
end
$$;

ALTER FUNCTION api.put_invitation_draft(p_body jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.put_invitation_draft(p_body jsonb, p_now timestamp with time zone) IS 'Keeps for 10 minutes, in the place of what was kept before, to which vault the user who asks is about to invite: one to which they may. Definer: drafts are written and deleted by these procedures only.';

CREATE FUNCTION api.put_notification_preferences(p_body jsonb, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_errors jsonb;
begin
  perform internal.lock_account();
  select coalesce(jsonb_agg(error.value order by given.n), '[]') into v_errors
  from jsonb_array_elements(p_body -> 'preferences') with ordinality as given (preference, n)
  left join internal.notification_types() as known on known.type = given.preference ->> 'type'
  cross join lateral jsonb_array_elements(
    case
      when known.type is null then
        internal.field_error(format('preferences[%s].type', given.n - 1), 'is not a type of notification')
      when exists (
        select from jsonb_array_elements(p_body -> 'preferences') with ordinality as earlier (preference, n)
        where earlier.n < given.n and earlier.preference -> 'type' = given.preference -> 'type'
      ) then
        internal.field_error(format('preferences[%s].type', given.n - 1), 'must not come twice')
      when known.breaks_through and given.preference -> 'channels' = '[]' then
        internal.field_error(
          format('preferences[%s].channels', given.n - 1), 'must not be empty: ' || known.type || ' cannot be switched off entirely'
        )
      else '[]'
    end
  ) as error (value);
  perform internal.refuse_fields(v_errors);

  delete from kith.notification_preferences where tenant_id = v_tenant and user_id = v_user;
  insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
  select v_tenant, v_user, given.preference ->> 'type',
    -- In one order, each once.
    array(
      select channel
      from unnest(array['push', 'email', 'sms']) with ordinality as channels (channel, n)
      where given.preference -> 'channels' ? channel
      order by n
    ),
    p_now
  from jsonb_array_elements(p_body -> 'preferences') as given (preference);
  return api.get_notification_preferences();
end
$$;

ALTER FUNCTION api.put_notification_preferences(p_body jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.put_notification_preferences(p_body jsonb, p_now timestamp with time zone) IS 'Says on which channels the user who asks is told of what: {preferences: [{type, channels}]}; what is not in the list goes by the default. What breaks through quiet hours keeps a channel. Definer: nobody deletes through the API.';

CREATE FUNCTION api.put_quiet_hours(p_body jsonb, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.lock_account();
  if p_body ->> 'from' = p_body ->> 'until' then
    perform internal.refuse_fields(internal.field_error('until', 'must be another time than from'));
  end if;
  insert into kith.quiet_hours (tenant_id, user_id, starts_at, ends_at, updated_at)
  values (v_tenant, v_user, (p_body ->> 'from')::time, (p_body ->> 'until')::time, p_now)
  on conflict (tenant_id, user_id) do update
  set starts_at = excluded.starts_at, ends_at = excluded.ends_at, updated_at = excluded.updated_at;
  return internal.quiet_hours_json();
end
$$;

ALTER FUNCTION api.put_quiet_hours(p_body jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.put_quiet_hours(p_body jsonb, p_now timestamp with time zone) IS 'Sets the quiet hours of the user who asks: {from, until}, local to the account''s time zone, past midnight where until is earlier. Definer: it locks the account.';

CREATE FUNCTION api.put_receiver_profile(p_body jsonb, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  insert into kith.receiver_profiles (tenant_id, user_id, created_at, updated_at)
  values (v_tenant, v_user, p_now, p_now)
  on conflict (tenant_id, user_id) do nothing;
  if found then
    perform internal.new_code('receiver', true, null, p_now);
  end if;
  return internal.receiver_profile_json(p_now);
end
$$;

ALTER FUNCTION api.put_receiver_profile(p_body jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.put_receiver_profile(p_body jsonb, p_now timestamp with time zone) IS 'Makes the user who asks a receiver, and with it the permanent code; twice changes nothing. The body has no fields: the subscription is the tenant''s server to say.';

CREATE FUNCTION api.put_sender_profile(p_body jsonb, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_old kith.sender_profiles;
  v_new kith.sender_profiles;
  v_errors jsonb := '[]';
begin
  select * into v_old from kith.sender_profiles where tenant_id = v_tenant and user_id = v_user for no key update;
  v_new.time_zone := p_body ->> 'time_zone';
  v_new.ping_time := (p_body ->> 'ping_time')::time;
  select coalesce((p_body ->> 'grace_minutes')::integer, v_old.grace_minutes, grace_minutes),
    coalesce((p_body ->> 'reminder_minutes')::integer, v_old.reminder_minutes, reminder_minutes)
  into v_new.grace_minutes, v_new.reminder_minutes
  from kith.tenants
  where tenant_id = v_tenant;
  if v_new.reminder_minutes >= v_new.grace_minutes and p_body ->> 'reminder_minutes' is null then
    -- Nobody asked for this reminder: a short grace brings its own.
    v_new.reminder_minutes := v_new.grace_minutes / 2;
  end if;

  if v_new.time_zone is distinct from v_old.time_zone and not internal.is_time_zone(v_new.time_zone) then
    v_errors := v_errors || internal.field_error('time_zone', 'must be an IANA time zone like Europe/Berlin');
  end if;
  if v_new.grace_minutes not between 5 and 719 then
    v_errors := v_errors || internal.field_error('grace_minutes', 'must be from 5 to 719');
  elsif v_new.reminder_minutes not between 1 and v_new.grace_minutes - 1 then
    v_errors := v_errors || internal.field_error('reminder_minutes', 'must be at least 1 and less than grace_minutes');
  end if;
  perform internal.refuse_fields(v_errors);

  insert into kith.sender_profiles (
    tenant_id, user_id, time_zone, ping_time, grace_minutes, reminder_minutes, timed_at, created_at, updated_at
  )
  values (
    v_tenant, v_user, v_new.time_zone, v_new.ping_time, v_new.grace_minutes, v_new.reminder_minutes, p_now, p_now, p_now
  )
  on conflict (tenant_id, user_id) do update
  set time_zone = excluded.time_zone, ping_time = excluded.ping_time, grace_minutes = excluded.grace_minutes,
    reminder_minutes = excluded.reminder_minutes, updated_at = excluded.updated_at,
    timed_at = case
      when (sender_profiles.time_zone, sender_profiles.ping_time, sender_profiles.grace_minutes)
        = (excluded.time_zone, excluded.ping_time, excluded.grace_minutes) then sender_profiles.timed_at
      else excluded.timed_at
    end;

  if v_old.user_id is null then
    perform internal.new_code('sender', true, null, p_now);
  end if;
  if (v_old.time_zone, v_old.ping_time, v_old.grace_minutes, v_old.reminder_minutes)
    is distinct from (v_new.time_zone, v_new.ping_time, v_new.grace_minutes, v_new.reminder_minutes)
  then
    perform internal.plan_run(v_new.time_zone, p_now);
    if v_old.user_id is not null then
      perform internal.retime_break(p_now);
      perform internal.retime_pings(p_now);
    end if;
  end if;
  return internal.sender_profile_json();
end
$$;

ALTER FUNCTION api.put_sender_profile(p_body jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.put_sender_profile(p_body jsonb, p_now timestamp with time zone) IS 'Makes or changes the sender profile of the user who asks, and with it the permanent code. Minutes that the body leaves out stay, or are the tenant''s. A new time or zone counts from the local date of now on (P13, X25).';

CREATE FUNCTION api.put_share(p_vault_id uuid, p_body jsonb, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $_$
declare
  v_tenant integer := kith.tenant_id();
  v_vault kith.vaults;
  v_share kith.shares;
  v_was kith.shares;
begin
  perform internal.require_user();
  if p_body ->> 'url' !~ '^https://[^[:space:]]+$' then
    perform internal.refuse_fields(internal.field_error('url', 'must be an https:// address'));
  end if;
  v_vault := internal.own_vault(p_vault_id, p_now);
  select * into v_was from kith.shares where tenant_id = v_tenant and vault_id = p_vault_id and ended_at is null;
  v_share := v_was;
  v_share.record_name := coalesce(p_body ->> 'record_name', v_was.record_name, 'CD_Vault_' || upper(p_vault_id::text));
  v_share.url := case when p_body ? 'url' then p_body ->> 'url' else v_was.url end;
  if v_was.id is null then
    insert into kith.shares (tenant_id, id, vault_id, owner_id, record_name, url, permission, created_at, updated_at)
    values (
      v_tenant, internal.uuid7(p_now), p_vault_id, v_vault.owner_id, v_share.record_name, v_share.url, 'readWrite', p_now, p_now
    )
    returning * into v_share;
    perform internal.record_history(p_vault_id, v_vault.owner_id, 'share.created', 'share', v_share.id, null, p_now);
  elsif v_share is distinct from v_was then
    update kith.shares
    set record_name = v_share.record_name, url = v_share.url, updated_at = p_now
    where tenant_id = v_tenant and id = v_was.id
    returning * into v_share;
    perform internal.record_history(p_vault_id, v_vault.owner_id, 'share.changed', 'share', v_share.id, null, p_now);
  end if;
  return internal.share_json(v_share);
end
$_$;

ALTER FUNCTION api.put_share(p_vault_id uuid, p_body jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.put_share(p_vault_id uuid, p_body jsonb, p_now timestamp with time zone) IS 'The share of a vault, made where there is none: {record_name?, url?} are taken over, and the same again changes nothing. A record name that says nothing of the vault but its id is the default (C02).';

CREATE FUNCTION api.put_user(p_body jsonb, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_put record;
begin
  perform internal.require_server();
  v_put := internal.put_user(p_body, p_now);
  if not v_put.is_new then
    return json_build_object('answer', 200, 'body', v_put.body);
  end if;
  perform internal.count_users(1);
  return v_put.body;
end
$$;

ALTER FUNCTION api.put_user(p_body jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.put_user(p_body jsonb, p_now timestamp with time zone) IS 'Makes a user (201), or changes the one of the same external_id (200). Past the tenant''s user quota: quota_exceeded.';

CREATE FUNCTION api.read_all_notifications(p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  update kith.notifications set read_at = p_now
  where tenant_id = v_tenant and user_id = v_user and read_at is null;
  return null;
end
$$;

ALTER FUNCTION api.read_all_notifications(p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.read_all_notifications(p_now timestamp with time zone) IS 'Marks all notifications of the user who asks as read.';

CREATE FUNCTION api.read_chunk(p_vault_id uuid, p_document_id uuid, p_version_id uuid, p_n integer, p_begins boolean, p_now timestamp with time zone) RETURNS bytea
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_sealed bytea;
begin
  perform internal.require_user();
  perform internal.enter_vault(p_vault_id, 'view', p_now);
  if not exists (
    select from kith.documents as document
    join kith.document_versions as version on version.tenant_id = document.tenant_id and version.document_id = document.id
    where document.tenant_id = v_tenant and document.vault_id = p_vault_id and document.id = p_document_id and document.deleted_at is null
      and version.id = p_version_id and version.state <> 'uploading'
  ) then
    perform internal.refuse_not_found();
  end if;
  -- Who reads piece by piece, as viewers do, has read once; and nobody drowns the history by asking for one byte again and again.
  if p_begins and not exists (
    select from kith.history as read
    where read.tenant_id = v_tenant and read.vault_id = p_vault_id and read.id >= internal.first_uuid7(p_now - interval '1 minute')
      and read.actor_id = kith.user_id() and read.action = 'document.read' and read.subject_id = p_document_id
      and read.detail ->> 'version_id' = p_version_id::text
      and not exists (
        select from kith.history as later
        where later.tenant_id = v_tenant and later.vault_id = p_vault_id and later.id > read.id and later.subject_id = p_document_id
          and later.action <> 'document.read'
      )
  ) then
    perform internal.record_history(
      p_vault_id, kith.user_id(), 'document.read', 'document', p_document_id, jsonb_build_object('version_id', p_version_id), p_now
    );
  end if;
  select sealed into v_sealed from kith.document_chunks where tenant_id = v_tenant and version_id = p_version_id and n = p_n;
  return v_sealed;
end
$$;

ALTER FUNCTION api.read_chunk(p_vault_id uuid, p_document_id uuid, p_version_id uuid, p_n integer, p_begins boolean, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.read_chunk(p_vault_id uuid, p_document_id uuid, p_version_id uuid, p_n integer, p_begins boolean, p_now timestamp with time zone) IS 'A chunk of a content, sealed, by who may view: each is asked for anew, so that a download ends where the access does. The first one that a download asks for (p_begins) is noted in the history, for who reads piece by piece once a minute. A version that was replaced can be read to its end for an hour. Null where the chunk is missing. Definer: chunks are nobody''s to read.';

CREATE FUNCTION api.read_messages(p_vault_id uuid, p_nominee_id uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  perform internal.conversation(p_vault_id, p_nominee_id, p_now);
  perform internal.note_activity(p_vault_id, p_now);
  -- In one order: another device of the same user may be reading them too.
  update kith.messages set read_at = p_now
  where tenant_id = v_tenant and id = any (array(
    select id from kith.messages
    where tenant_id = v_tenant and nominee_id = p_nominee_id and v_user in (owner_id, nominee_user_id) and from_id <> v_user
      and read_at is null
    order by id
    for update
  ));
  return null;
end
$$;

ALTER FUNCTION api.read_messages(p_vault_id uuid, p_nominee_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.read_messages(p_vault_id uuid, p_nominee_id uuid, p_now timestamp with time zone) IS 'Marks what the other side has written to the user who asks as read; twice changes nothing.';

CREATE FUNCTION api.read_notification(p_id uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  -- The first reading counts; one read again is found, and left as it is.
  update kith.notifications set read_at = coalesce(read_at, p_now)
  where tenant_id = v_tenant and id = p_id and user_id = v_user;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return null;
end
$$;

ALTER FUNCTION api.read_notification(p_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.read_notification(p_id uuid, p_now timestamp with time zone) IS 'Marks one notification of the user who asks as read; twice changes nothing.';

CREATE FUNCTION api.readiness(p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  return json_build_object(
    'oldest_run_seconds', (
      select coalesce(floor(date_part('epoch', p_now - min(starts_at)))::integer, 0)
      from kith.ping_runs
      where finished_at is null and starts_at <= p_now
    ),
    'oldest_due_seconds', (
      select coalesce(floor(date_part('epoch', p_now - min(scheduled_at)))::integer, 0)
      from kith.pings
      where status = 'scheduled' and scheduled_at <= p_now
    ),
    'oldest_miss_seconds', (
      select coalesce(floor(date_part('epoch', p_now - min(deadline_at)))::integer, 0)
      from kith.pings
      where status = 'due' and deadline_at <= p_now - interval '10 seconds'
    ),
    'oldest_break_seconds', (
      select coalesce(floor(date_part('epoch', p_now - min(at)))::integer, 0)
      from (
        select min(ends_at) as at from kith.breaks where ended_at is null and ends_at <= p_now
        union all
        select min(starts_at)
        from kith.breaks
        where ended_at is null and told_until_on is distinct from until_on and starts_at <= p_now and ends_at > p_now
      ) as turn
    ),
    'oldest_unplanned_seconds', (
      select coalesce(floor(date_part('epoch', p_now - min(coalesce(deliver_at, created_at))))::integer, 0)
      from kith.notifications
      where planned_at is null and coalesce(deliver_at, created_at) <= p_now
    ),
    'oldest_delivery_seconds', (
      select coalesce(max(floor(date_part('epoch', p_now - waiting.oldest_at))::integer), 0)
      from internal.waiting_deliveries(p_now) as waiting
    ),
    'undelivered_alarms', (
      select count(*) from kith.undelivered_alarms where resolved_at is null and webhook_told_at is null
    ),
    'worker_beat_seconds', (
      select floor(date_part('epoch', p_now - max(beat_at)))::integer
      from kith.heartbeats
      where component = 'worker'
    ),
    'partitions_ahead_days', internal.partitions_until() - (p_now at time zone 'UTC')::date,
    'schema_version', (select max(number) from internal.migrations)
  );
end
$$;

ALTER FUNCTION api.readiness(p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.readiness(p_now timestamp with time zone) IS 'The age in seconds of the oldest run, due ping, miss, beginning or end of a break, notification to be planned and delivery that is not done yet (0 where nothing waits, or on purpose: for the end of quiet hours, or while a channel is paused), how many alarms reached nobody, how long ago the worker''s last sign of life was (null where there was none), for how many days there are partitions, and the newest migration. No tenant: it is the installation''s. Definer: it counts over all tenants and shows none.';

CREATE FUNCTION api.refresh_session(p_secret_hash bytea, p_new_hash bytea, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_refusal json := json_build_object('problem', 'unauthenticated', 'detail', 'The refresh token is not valid any more. Sign in again.');
  v_tenant kith.tenants;
  v_token kith.refresh_tokens;
  v_family kith.token_families;
  v_user kith.users;
  v_successor uuid;
begin
  select tenant.* into v_tenant
  from kith.refresh_tokens as token
  join kith.tenants as tenant on tenant.tenant_id = token.tenant_id
  where token.secret_hash = p_secret_hash;
  if not found then
    return v_refusal;
  end if;
  if v_tenant.status <> 'active' or v_tenant.deleted_at is not null then
    return json_build_object('problem', 'tenant_suspended');
  end if;
  perform set_config('kith.tenant_id', v_tenant.tenant_id::text, true);

  -- The family's lock makes two uses of its tokens wait for each other; what the token is now is read after it.
  select family.* into v_family
  from kith.token_families as family
  where family.tenant_id = v_tenant.tenant_id and family.id = (
    select family_id from kith.refresh_tokens where tenant_id = v_tenant.tenant_id and secret_hash = p_secret_hash
  )
  for no key update;
  select * into v_token from kith.refresh_tokens where tenant_id = v_tenant.tenant_id and secret_hash = p_secret_hash;
  select * into v_user from kith.users where tenant_id = v_tenant.tenant_id and id = v_family.user_id and deleted_at is null;
  if not found or v_family.ended_at is not null or v_token.expires_at <= p_now then
    return v_refusal;
  end if;

  if v_token.used_at is not null or v_token.replaced_at is not null then
    -- An answer may be lost on its way to a phone. Then the token it held was never used, and dies here.
    update kith.refresh_tokens set replaced_at = p_now
    where tenant_id = v_tenant.tenant_id and id = v_token.successor_id and v_token.used_at > p_now - interval '60 seconds'
      and used_at is null and replaced_at is null;
    if not found then
      perform internal.end_sessions(v_user.id, v_family.id, 'reuse', p_now);
      perform internal.record_act(v_tenant.tenant_id, 'kith', 'session.reuse', v_family.id::text, null, p_now);
      return v_refusal;
    end if;
  end if;
  v_successor := internal.add_refresh_token(v_family.id, p_new_hash, p_now);
  update kith.refresh_tokens set used_at = coalesce(used_at, p_now), successor_id = v_successor
  where tenant_id = v_tenant.tenant_id and id = v_token.id;
  update kith.token_families set refreshed_at = p_now, expires_at = p_now + interval '60 days'
  where tenant_id = v_tenant.tenant_id and id = v_family.id;
  return json_build_object(
    'tenant_id', v_tenant.tenant_id, 'slug', v_tenant.slug, 'user_id', v_user.id, 'session_id', v_family.id,
    'user', internal.user_json(v_user)
  );
end
$$;

ALTER FUNCTION api.refresh_session(p_secret_hash bytea, p_new_hash bytea, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.refresh_session(p_secret_hash bytea, p_new_hash bytea, p_now timestamp with time zone) IS 'Takes a refresh token, by its SHA-256, for a new one: {tenant_id, slug, user_id, session_id, user}. One that was used before ends its family, but within a minute, while its successor is unused, it gets a fresh successor. Definer: the hash finds the tenant.';

CREATE FUNCTION api.remove_connection(p_id uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
begin
  perform internal.own_connection(p_id);
  perform internal.end_connection(p_id, 'user:' || kith.user_id(), p_now);
  return null;
end
$$;

ALTER FUNCTION api.remove_connection(p_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.remove_connection(p_id uuid, p_now timestamp with time zone) IS 'Removes a connection, by either side, from any status (P23); the other side is told.';

CREATE FUNCTION api.rename_document(p_vault_id uuid, p_id uuid, p_name text, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_document kith.documents;
begin
  perform internal.enter_vault(p_vault_id, 'edit', p_now);
  update kith.documents set name = p_name, updated_at = p_now
  where tenant_id = v_tenant and vault_id = p_vault_id and id = p_id and deleted_at is null
  returning * into v_document;
  if not found then
    perform internal.refuse_not_found();
  end if;
  perform internal.note_history(p_vault_id, 'document.renamed', 'document', p_id, null, p_now);
  return internal.document_json(v_document);
end
$$;

ALTER FUNCTION api.rename_document(p_vault_id uuid, p_id uuid, p_name text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.rename_document(p_vault_id uuid, p_id uuid, p_name text, p_now timestamp with time zone) IS 'Gives a document another name, by who may edit.';

CREATE FUNCTION api.report_damage(p_document_id uuid, p_version_id uuid, p_n integer, p_is_missing boolean, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_user();
  if not exists (select from kith.document_versions where tenant_id = v_tenant and document_id = p_document_id and id = p_version_id) then
    perform internal.refuse_not_found();
  end if;
  perform internal.record_act(
    v_tenant, internal.actor(), 'document.tampered', p_document_id::text,
    jsonb_build_object('version_id', p_version_id, 'chunk', p_n, 'missing', p_is_missing), p_now
  );
  return null;
end
$$;

ALTER FUNCTION api.report_damage(p_document_id uuid, p_version_id uuid, p_n integer, p_is_missing boolean, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.report_damage(p_document_id uuid, p_version_id uuid, p_n integer, p_is_missing boolean, p_now timestamp with time zone) IS 'Records that a chunk does not open, or is missing: somebody or something has changed what rests in the database. The actor is who met it. Definer: the audit is nobody''s to write.';

CREATE FUNCTION api.report_invitation_outcome(p_id uuid, p_n integer, p_outcome text, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_recipient kith.connection_invitation_recipients;
  v_message text;
begin
  select * into v_recipient
  from kith.connection_invitation_recipients
  where tenant_id = v_tenant and invitation_id = p_id and n = p_n and user_id = v_user
  for no key update;
  if not found then
    perform internal.refuse_not_found();
  end if;
  if v_recipient.status <> p_outcome then
    if v_recipient.status not in ('pending', 'cancelled', 'failed', 'unavailable') then
      raise exception 'invalid_transition' using errcode = 'KT409', detail = case v_recipient.status
        when 'sent' then 'The message to this person has been sent.'
        when 'queued' then 'The message to this person is on its way.'
        else 'There is no message to this person.'
      end;
    end if;
    v_recipient.status := p_outcome;
    update kith.connection_invitation_recipients set status = p_outcome, updated_at = p_now
    where tenant_id = v_tenant and invitation_id = p_id and n = p_n;
  end if;
  select message into v_message from kith.connection_invitations where tenant_id = v_tenant and id = p_id;
  return internal.invitation_recipient_json(v_recipient, internal.percent_encode(v_message));
end
$$;

ALTER FUNCTION api.report_invitation_outcome(p_id uuid, p_n integer, p_outcome text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.report_invitation_outcome(p_id uuid, p_n integer, p_outcome text, p_now timestamp with time zone) IS 'What became of the text to one recipient, as the phone of the user who asks saw it: sent, cancelled, failed or unavailable (P17). The same again changes nothing; after sent nothing follows.';

CREATE FUNCTION api.report_nominee_invitation(p_vault_id uuid, p_id uuid, p_outcome text, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_held record;
  v_nominee kith.nominees;
  v_invitation kith.nominee_invitations;
begin
  perform internal.require_user();
  v_held := internal.hold_vault(p_vault_id, '{}', p_now);
  v_nominee := internal.hold_nominee(p_vault_id, p_id, v_held.role);
  select * into v_invitation
  from kith.nominee_invitations
  where tenant_id = v_tenant and nominee_id = p_id
  order by id desc
  limit 1
  for update;
  if not found then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This nominee has no invitation of ours.';
  elsif v_invitation.outcome = 'sent' and p_outcome <> 'sent' then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This invitation has been sent.';
  end if;
  update kith.nominee_invitations set outcome = p_outcome, outcome_at = p_now
  where tenant_id = v_tenant and id = v_invitation.id and outcome is distinct from p_outcome;
  return internal.managed_nominee_json(v_nominee, (v_held.session).id);
end
$$;

ALTER FUNCTION api.report_nominee_invitation(p_vault_id uuid, p_id uuid, p_outcome text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.report_nominee_invitation(p_vault_id uuid, p_id uuid, p_outcome text, p_now timestamp with time zone) IS 'What became of the newest invitation of a nominee in the composer: sent, cancelled, failed or unavailable (N17). The same again changes nothing; after sent nothing follows. Definer: nobody writes invitations but these procedures.';

CREATE FUNCTION api.request_code(p_channel text, p_address text, p_code jsonb, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_dropped_for text;
begin
  perform internal.require_server();
  select case when internal.user_of_contact(p_channel, p_address) is null and not sign_up_open then 'nobody has this address' end
  into v_dropped_for
  from kith.tenants
  where tenant_id = v_tenant;
  perform internal.send_otp('sign_in', p_channel, p_address, null, v_dropped_for, p_code, p_now);
  return json_build_object();
end
$$;

ALTER FUNCTION api.request_code(p_channel text, p_address text, p_code jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.request_code(p_channel text, p_address text, p_code jsonb, p_now timestamp with time zone) IS 'Sends a code to sign in with; {} whatever comes of it, and the same work for those who are known and for those who are not. Definer: nobody is known yet.';

CREATE FUNCTION api.resend_nominee_invitation(p_vault_id uuid, p_id uuid, p_channel text, p_public_url text, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_since timestamptz := p_now - interval '24 hours';
  v_held record;
  v_nominee kith.nominees;
  v_last text;
  v_fifth timestamptz;
  v_issued record;
begin
  perform internal.require_user();
  v_held := internal.hold_vault(p_vault_id, '{}', p_now);
  v_nominee := internal.hold_nominee(p_vault_id, p_id, v_held.role);
  if v_nominee.needs_confirmation then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This nominee has accepted and waits for the owner''s confirmation.';
  elsif v_nominee.user_id is not null or v_nominee.status = 'revoked' then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'Only an invitation that has not been answered can be sent again.';
  end if;
  select channel into v_last
  from kith.nominee_invitations
  where tenant_id = v_tenant and nominee_id = p_id
  order by id desc
  limit 1;
  -- The first one does not count: it was no sending again.
  select created_at into v_fifth
  from kith.nominee_invitations
  where tenant_id = v_tenant and nominee_id = p_id and created_at > greatest(v_since, v_nominee.invited_at)
  order by id desc
  offset 4 limit 1;
  if v_fifth is not null then
    return json_build_object(
      'problem', 'too_many_requests', 'detail', 'An invitation can be sent again five times a day. Please try again later.',
      'retry_after', greatest(1, ceil(extract(epoch from v_fifth - v_since)))::integer
    );
  end if;
  update kith.nominee_invitations set ended_at = p_now, end_reason = 'resent'
  where tenant_id = v_tenant and nominee_id = p_id and ended_at is null;
  -- From now on it is their invitation.
  update kith.nominees set invited_by_user_id = kith.user_id(), updated_at = p_now
  where tenant_id = v_tenant and id = p_id
  returning * into v_nominee;
  v_issued := internal.issue_invitation(v_nominee, coalesce(p_channel, v_last, 'link'), p_now);
  perform internal.record_history(p_vault_id, kith.user_id(), 'nominee.resent', 'nominee', p_id, null, p_now);
  return internal.invited_nominee_json(v_nominee, v_held.vault, v_issued.token, p_public_url);
end
$$;

ALTER FUNCTION api.resend_nominee_invitation(p_vault_id uuid, p_id uuid, p_channel text, p_public_url text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.resend_nominee_invitation(p_vault_id uuid, p_id uuid, p_channel text, p_public_url text, p_now timestamp with time zone) IS 'A new token for a nominee whom nobody has accepted for yet; the old one is dead (N14). Five times a nominee in 24 hours. Definer: nobody writes invitations but these procedures.';

CREATE FUNCTION api.restore_document(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_document kith.documents;
begin
  perform internal.enter_vault(p_vault_id, 'full', p_now);
  update kith.documents set deleted_at = null, deleted_by = null, updated_at = p_now
  where tenant_id = v_tenant and vault_id = p_vault_id and id = p_id and deleted_at > p_now - interval '30 days'
  returning * into v_document;
  if not found then
    if exists (
      select from kith.documents where tenant_id = v_tenant and vault_id = p_vault_id and id = p_id and deleted_at is null
    ) then
      raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This document is not deleted.';
    end if;
    perform internal.refuse_not_found();
  end if;
  perform internal.note_history(p_vault_id, 'document.restored', 'document', p_id, null, p_now);
  return internal.document_json(v_document);
end
$$;

ALTER FUNCTION api.restore_document(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.restore_document(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) IS 'Brings back a document that was deleted in the last 30 days, by who has the level full.';

CREATE FUNCTION api.restore_vault(p_id uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_deleted_at timestamptz;
begin
  perform internal.require_user();
  select deleted_at into v_deleted_at from kith.vaults where tenant_id = v_tenant and id = p_id and owner_id = v_user for no key update;
  if not found then
    -- A nominee gets the same answer as at every other call.
    perform internal.require_owner(p_id, p_now);
  end if;
  if v_deleted_at is null then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'Only a deleted vault can be restored.';
  end if;
  perform internal.restore_vault(p_id, p_now);
  return api.get_vault(p_id, p_now);
end
$$;

ALTER FUNCTION api.restore_vault(p_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.restore_vault(p_id uuid, p_now timestamp with time zone) IS 'Brings a vault back that its owner deleted in the last 30 days. Definer: as delete_vault.';

CREATE FUNCTION api.resume_connection(p_id uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_connection kith.connections := internal.own_connection(p_id);
begin
  if v_connection.sender_id <> v_user then
    raise exception 'forbidden' using errcode = 'KT403', detail = 'Only the sender can resume.';
  end if;
  if v_connection.status <> 'paused' then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'Only a paused connection can be resumed.';
  end if;
  update kith.connections set status = 'active', activated_at = p_now, updated_at = p_now
  where tenant_id = v_tenant and id = p_id;
  perform internal.bring_ping(p_id, p_now);
  perform internal.notify_connection(p_id, 'connection_resumed', p_now);
  return api.get_connection(p_id, p_now);
end
$$;

ALTER FUNCTION api.resume_connection(p_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.resume_connection(p_id uuid, p_now timestamp with time zone) IS 'Resumes a paused connection, by its sender only (P22): today''s ping comes back if its deadline is ahead, the receiver is told.';

CREATE FUNCTION api.revoke_jwt_key(p_id uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_server();
  perform from kith.tenants where tenant_id = v_tenant for no key update;
  update kith.jwt_keys set revoked_at = p_now where tenant_id = v_tenant and id = p_id and not own and revoked_at is null;
  if not found then
    perform internal.refuse_not_found();
  end if;
  perform internal.release_issuers();
  perform internal.record_act(v_tenant, internal.actor(), 'jwt_key.revoke', p_id::text, null, p_now);
  return null;
end
$$;

ALTER FUNCTION api.revoke_jwt_key(p_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.revoke_jwt_key(p_id uuid, p_now timestamp with time zone) IS 'Ends a key of the tenant''s identity provider: within a minute no server believes a token of it. Definer: keys are nobody''s to write.';

CREATE FUNCTION api.revoke_nominee(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_of_user uuid;
  v_is_live boolean;
  v_held record;
begin
  perform internal.require_user();
  select user_id, status <> 'revoked' into v_of_user, v_is_live
  from kith.nominees
  where tenant_id = v_tenant and vault_id = p_vault_id and id = p_id;
  if v_of_user = v_user and v_is_live then
    -- Whoever has a part can leave it, also while they wait or are paused.
    perform internal.lock_account();
    perform internal.lock_vault_row(p_vault_id);
    perform internal.end_nominee(p_id, 'left', p_now);
    return null;
  end if;
  v_held := internal.hold_vault(p_vault_id, array_remove(array[v_of_user], null), p_now);
  perform internal.hold_nominee(p_vault_id, p_id, v_held.role);
  perform internal.end_nominee(p_id, 'removed', p_now);
  return null;
end
$$;

ALTER FUNCTION api.revoke_nominee(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.revoke_nominee(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) IS 'Ends somebody''s access at this instant (N15), or leaves a vault. The owner revokes anybody, a nominee with level full those below, while the vault is open. The same again changes nothing. Definer: nobody writes nominees but these procedures.';

CREATE FUNCTION api.sealed_channel(p_channel text) RETURNS json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_server();
  return (
    select json_build_object('sealed', encode(sealed, 'hex'))
    from kith.channel_credentials
    where tenant_id = v_tenant and channel = p_channel
  );
end
$$;

ALTER FUNCTION api.sealed_channel(p_channel text) OWNER TO kith_owner;

COMMENT ON FUNCTION api.sealed_channel(p_channel text) IS 'The sealed credentials of a channel, for the server alone, which keeps of them what must outlive a change: browsers have subscribed to a key. null without. Definer: credentials are nobody''s to read.';

CREATE FUNCTION api.send_message(p_vault_id uuid, p_nominee_id uuid, p_body text, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_conversation record;
  v_message kith.messages;
  v_name text;
  v_wait integer;
begin
  perform internal.require_user();
  v_conversation := internal.conversation(p_vault_id, p_nominee_id, p_now);
  -- One after the other, so that the minute's count holds. Whoever blocks the other, or ends an account, is waited for, and then seen.
  perform from kith.users where tenant_id = v_tenant and id in (v_user, v_conversation.other_id) order by id for key share;
  perform internal.lock_account();
  v_conversation := internal.conversation(p_vault_id, p_nominee_id, p_now);
  if (v_conversation.nominee).status <> 'accepted' or v_conversation.other_id is null then
    raise exception 'invalid_transition'
      using errcode = 'KT409', detail = 'You can write to people who have accepted your invitation and still have access.';
  end if;
  if internal.is_blocked(v_user, v_conversation.other_id) then
    raise exception 'forbidden' using errcode = 'KT403', detail = 'You cannot write to this person.';
  end if;
  v_wait := internal.message_wait(p_now);
  if v_wait is not null then
    return json_build_object(
      'problem', 'too_many_requests', 'detail', 'You can write 30 messages a minute. Please wait a moment.', 'retry_after', v_wait
    );
  end if;
  perform internal.note_activity(p_vault_id, p_now);
  insert into kith.messages (tenant_id, id, vault_id, nominee_id, owner_id, nominee_user_id, from_id, body, created_at)
  values (
    v_tenant, internal.uuid7(p_now), p_vault_id, p_nominee_id, (v_conversation.vault).owner_id,
    (v_conversation.nominee).user_id, v_user, p_body, p_now
  )
  returning * into v_message;
  select display_name into v_name from kith.users where tenant_id = v_tenant and id = v_user;
  perform internal.tell_of_message(v_conversation.other_id, v_conversation.vault, v_message, v_name, p_now);
  return internal.message_json(v_message, v_name);
end
$$;

ALTER FUNCTION api.send_message(p_vault_id uuid, p_nominee_id uuid, p_body text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.send_message(p_vault_id uuid, p_nominee_id uuid, p_body text, p_now timestamp with time zone) IS 'Writes to the other side of the conversation with a nominee who has accepted, and tells them. Where one of the two has blocked the other: forbidden (X22).';

CREATE FUNCTION api.set_subscription(p_id uuid, p_body jsonb, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_status text := p_body ->> 'status';
  v_expires_at timestamptz := (p_body ->> 'expires_at')::timestamptz;
begin
  perform internal.require_server();
  perform from kith.users where tenant_id = v_tenant and id = p_id and deleted_at is null for key share;
  if not found then
    perform internal.refuse_not_found();
  end if;
  update kith.receiver_profiles
  set subscription_status = v_status, subscription_expires_at = v_expires_at, updated_at = p_now
  where tenant_id = v_tenant and user_id = p_id;
  if not found then
    raise exception 'profile_required' using errcode = 'KT409', detail = 'This user is not a receiver yet.';
  end if;
  if internal.accepts_connections(p_id, p_now) then
    perform internal.restore_pings(p_id, p_now);
  end if;
  perform internal.record_act(
    v_tenant, internal.actor(), 'subscription.set', p_id::text,
    jsonb_build_object('status', v_status, 'expires_at', internal.instant(v_expires_at)), p_now
  );
  return json_build_object('status', v_status, 'expires_at', internal.instant(v_expires_at));
end
$$;

ALTER FUNCTION api.set_subscription(p_id uuid, p_body jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.set_subscription(p_id uuid, p_body jsonb, p_now timestamp with time zone) IS 'Says whether a receiver has paid: {status, expires_at?}. Where a lapse had stopped pings and they have, pings come again (P13). A user without a receiver profile: profile_required.';

CREATE FUNCTION api.share_usage() RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select json_build_object(
      'items', coalesce(
        json_agg(
          json_build_object('channel', channel, 'outcome', outcome, 'count', invitations)
          order by channel, outcome
        ),
        '[]'
      ),
      'total', coalesce(sum(invitations), 0)
    )
    from (
      select channel, outcome, count(*) as invitations
      from kith.nominee_invitations
      where tenant_id = v_tenant and owner_id = v_user
      group by channel, outcome
    ) as counted
  );
end
$$;

ALTER FUNCTION api.share_usage() OWNER TO kith_owner;

COMMENT ON FUNCTION api.share_usage() IS 'How many invitations to vaults of the user who asks went out by which channel and with what outcome (C06), null where nobody has reported one. Tokens are kept for 90 days after they end.';

CREATE FUNCTION api.sign_in(p_channel text, p_address text, p_guesses jsonb, p_family_id uuid, p_secret_hash bytea, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_signed record;
  v_user kith.users;
begin
  perform internal.require_server();
  v_signed := internal.user_by_code(p_channel, p_address, p_guesses, p_now);
  if v_signed.user_id is null then
    return json_build_object('problem', 'otp_invalid');
  end if;
  if v_signed.is_new then
    perform internal.count_users(1);
  end if;
  select * into v_user from kith.users where tenant_id = v_tenant and id = v_signed.user_id;
  perform internal.begin_session(v_user.id, p_family_id, p_secret_hash, p_now);
  perform internal.record_act(v_tenant, 'user:' || v_user.id, 'session.begin', p_family_id::text, null, p_now);
  return json_build_object('user_id', v_user.id, 'user', internal.user_json(v_user));
end
$$;

ALTER FUNCTION api.sign_in(p_channel text, p_address text, p_guesses jsonb, p_family_id uuid, p_secret_hash bytea, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.sign_in(p_channel text, p_address text, p_guesses jsonb, p_family_id uuid, p_secret_hash bytea, p_now timestamp with time zone) IS 'Signs in who has a code of the address: {user_id, user}; otherwise the problem otp_invalid. Whose verified contact it is, else the oldest user''s of whom the tenant''s server said so, else a new user''s where sign-up is open. Definer: nobody is known yet.';

CREATE FUNCTION api.sign_out(p_session_id uuid, p_everywhere boolean, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  if p_everywhere then
    perform internal.end_sessions(v_user, null, 'signed_out_everywhere', p_now);
    -- Tokens tell whole seconds: what was issued in this very second must not outlive it.
    update kith.users set tokens_valid_from = date_trunc('second', p_now) + interval '1 second', updated_at = p_now
    where tenant_id = v_tenant and id = v_user;
    perform internal.record_act(v_tenant, internal.actor(), 'user.sign_out_everywhere', v_user::text, null, p_now);
  elsif p_session_id is not null and internal.end_sessions(v_user, p_session_id, 'signed_out', p_now) > 0 then
    perform internal.record_act(v_tenant, internal.actor(), 'session.end', p_session_id::text, null, p_now);
  end if;
  return null;
end
$$;

ALTER FUNCTION api.sign_out(p_session_id uuid, p_everywhere boolean, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.sign_out(p_session_id uuid, p_everywhere boolean, p_now timestamp with time zone) IS 'Ends the sign-in that the user''s token names, or every one and every token issued until now. Definer: sessions are nobody''s to write.';

CREATE FUNCTION api.signing_key(p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_server();
  return (
    select json_build_object(
      'key_id', key.id,
      'slug', tenant.slug,
      'wrapped_secret', translate(encode(key.wrapped_secret, 'base64'), e'\n', '')
    )
    from kith.jwt_keys as key
    join kith.tenants as tenant on tenant.tenant_id = key.tenant_id
    where key.tenant_id = v_tenant and key.own and key.revoked_at is null
  );
end
$$;

ALTER FUNCTION api.signing_key(p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.signing_key(p_now timestamp with time zone) IS 'The key with which Kith signs the tenant''s access tokens: {key_id, slug, wrapped_secret}, or null when none was made yet. Definer: keys are nobody''s to read.';

CREATE FUNCTION api.synchronise_share(p_vault_id uuid, p_body jsonb, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_participants jsonb := p_body -> 'participants';
  v_share kith.shares;
  v_participant jsonb;
  v_outcome record;
  v_new jsonb[] := '{}';
  v_ended uuid[] := '{}';
  v_accepted uuid[] := '{}';
  v_counts jsonb := '{"created": 0, "updated": 0, "revoked": 0, "unchanged": 0}';
begin
  perform internal.require_user();
  perform internal.refuse_fields((
    select coalesce(
      jsonb_agg(jsonb_build_object('field', format('participants[%s].id', n - 1), 'message', 'is in the list already') order by n), '[]'
    )
    from (
      select n, row_number() over (partition by given.value ->> 'id' order by n) as occurrence
      from jsonb_array_elements(v_participants) with ordinality as given (value, n)
    ) as numbered
    where occurrence > 1
  ));
  -- Of two at once the second finds what the first has written.
  perform internal.own_vault(p_vault_id, p_now);
  v_share := internal.own_share(p_vault_id);
  perform from kith.nominees
  where tenant_id = v_tenant and id = any (
    array(select nominee_id from kith.share_participants where tenant_id = v_tenant and share_id = v_share.id)
  )
  order by id
  for no key update;
  for v_participant in
    select internal.readable_participant(value) from jsonb_array_elements(v_participants) as given (value)
    where value ->> 'role' is distinct from 'owner'
    order by value ->> 'id' collate "C"
  loop
    v_outcome := internal.take_over_participant(v_share, v_participant, p_now);
    v_counts := v_counts || jsonb_build_object(v_outcome.outcome, (v_counts ->> v_outcome.outcome)::integer + 1);
    if v_outcome.outcome = 'created' then
      v_new := v_new || v_participant;
    end if;
    v_ended := v_ended || v_outcome.ended_id;
    v_accepted := v_accepted || v_outcome.accepted_id;
  end loop;
  perform internal.end_nominees(array_remove(v_ended, null), 'share', p_now);
  perform internal.record_histories(
    p_vault_id, v_share.owner_id, 'nominee.accepted', 'nominee', array_remove(v_accepted, null), '{"by": "share"}', p_now
  );
  if cardinality(v_new) > 0 then
    perform internal.refuse_full_vault(p_vault_id, cardinality(v_new));
    perform internal.add_participants(v_share, to_jsonb(v_new), p_now);
  end if;
  if v_counts - 'unchanged' <> '{"created": 0, "updated": 0, "revoked": 0}' then
    perform internal.record_history(
      p_vault_id, v_share.owner_id, 'share.synchronised', 'share', v_share.id, v_counts, p_now
    );
  end if;
  return v_counts::json;
end
$$;

ALTER FUNCTION api.synchronise_share(p_vault_id uuid, p_body jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.synchronise_share(p_vault_id uuid, p_body jsonb, p_now timestamp with time zone) IS 'Writes down who takes part in the share of a vault: {participants: [{id, acceptance_status, permission, role, name?, phone?, email?}]} gives how many were {created, updated, revoked, unchanged}. Who is absent stays as they are, since most are invited by token; the owner is ignored. The same again changes nothing.';

CREATE FUNCTION api.take_invitation_draft(p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_id uuid;
  v_name text;
  v_is_fallback boolean;
begin
  perform internal.require_user();
  with taken as (
    delete from kith.drafts where tenant_id = v_tenant and user_id = v_user returning vault_id, expires_at
  )
  select vault.id, vault.name into v_id, v_name
  from taken
  join kith.vaults as vault on vault.tenant_id = v_tenant and vault.id = taken.vault_id and vault.deleted_at is null
  where taken.expires_at > p_now
    -- Who was thrown out meanwhile is not told what the vault is called today.
    and (
      vault.owner_id = v_user or exists (
        select from kith.nominees
        where tenant_id = v_tenant and vault_id = vault.id and user_id = v_user and status = 'accepted' and access_level = 'full'
      )
    );
  v_is_fallback := not found;
  if v_is_fallback then
    select id, name into v_id, v_name
    from kith.vaults
    where tenant_id = v_tenant and owner_id = v_user and deleted_at is null
    order by id
    limit 1;
    if not found then
      perform internal.refuse_not_found();
    end if;
  end if;
  return json_build_object('vault', json_build_object('id', v_id, 'name', v_name), 'fallback', v_is_fallback);
end
$$;

ALTER FUNCTION api.take_invitation_draft(p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.take_invitation_draft(p_now timestamp with time zone) IS 'Gives the draft of the user who asks, once; without one their oldest vault, marked as a fallback, and not_found where they own none. Definer: as put_invitation_draft.';

CREATE FUNCTION api.token_key(p_kid text, p_issuer text, p_audiences text[], p_slug text) RETURNS json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_answers json[];
  v_slugs text[];
begin
  select
    array_agg(
      json_build_object(
        'key_id', key.id,
        'tenant_id', tenant.tenant_id,
        'slug', tenant.slug,
        'status', case when tenant.deleted_at is null then tenant.status else 'deleted' end,
        'algorithm', key.algorithm,
        'own', key.own,
        'issuer', key.issuer,
        'audience', key.audience,
        'wrapped_secret', translate(encode(key.wrapped_secret, 'base64'), e'\n', ''),
        'public_key', key.public_key
      )
      order by (tenant.slug = p_slug) desc nulls last, key.created_at, key.id
    ),
    array_agg(distinct tenant.slug)
  into v_answers, v_slugs
  from kith.jwt_keys as key
  join kith.tenants as tenant on tenant.tenant_id = key.tenant_id
  where key.kid = p_kid and key.issuer = p_issuer and key.audience = any (p_audiences) and key.revoked_at is null;
  if cardinality(v_slugs) > 1 and coalesce(p_slug <> all (v_slugs), true) then
    return null;
  end if;
  return v_answers[1];
end
$$;

ALTER FUNCTION api.token_key(p_kid text, p_issuer text, p_audiences text[], p_slug text) OWNER TO kith_owner;

COMMENT ON FUNCTION api.token_key(p_kid text, p_issuer text, p_audiences text[], p_slug text) IS 'The key that a token names by `kid`, `iss` and `aud`, with its tenant; null when unknown or revoked, or when several tenants'' keys fit and none of them is that of the slug. Secrets are wrapped: without the master key they are nothing. Definer: the token finds the tenant.';

CREATE FUNCTION api.token_subject(p_user_id uuid) RETURNS json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_answer json;
begin
  perform internal.require_server();
  select json_build_object('user_id', id) into v_answer
  from kith.users
  where tenant_id = v_tenant and id = p_user_id and deleted_at is null;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return v_answer;
end
$$;

ALTER FUNCTION api.token_subject(p_user_id uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION api.token_subject(p_user_id uuid) IS 'The user for whom the tenant''s server wants a token: {user_id}, or not_found. Definer: the server sees all its users.';

CREATE FUNCTION api.token_user(p_tenant_id integer, p_subject text, p_own boolean, p_session_id text) RETURNS json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $_$
declare
  v_uuid constant text := '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';
  v_id uuid;
begin
  if p_own then
    -- The subject of a token of ours is a user's id; anything else is nobody, not an error.
    if p_subject !~ v_uuid or p_session_id !~ v_uuid then
      return null;
    end if;
    v_id := p_subject::uuid;
    if p_session_id is not null then
      perform from kith.token_families
      where tenant_id = p_tenant_id and id = p_session_id::uuid and user_id = v_id and ended_at is null;
      if not found then
        return null;
      end if;
    end if;
  else
    select id into v_id from kith.users where tenant_id = p_tenant_id and external_id = p_subject;
  end if;
  return (
    select json_build_object(
      'user_id', id,
      'tokens_valid_from', case
        -- A sign-in ends by itself and by signing out everywhere; an identity provider may have issued the token before we knew its user.
        when p_own and p_session_id is null or not p_own and tokens_valid_from > created_at
          then (extract(epoch from tokens_valid_from) * 1000000)::bigint
      end
    )
    from kith.users
    where tenant_id = p_tenant_id and id = v_id and deleted_at is null
  );
end
$_$;

ALTER FUNCTION api.token_user(p_tenant_id integer, p_subject text, p_own boolean, p_session_id text) OWNER TO kith_owner;

COMMENT ON FUNCTION api.token_user(p_tenant_id integer, p_subject text, p_own boolean, p_session_id text) IS 'The user whom a token''s `sub` names: an id in a token of ours, an external_id in one of the tenant''s. tokens_valid_from in microseconds since 1970, null where any will do. Null for nobody, for the deleted, and where the sign-in that `sid` names has ended. Definer: no user is known yet.';

CREATE FUNCTION api.update_me(p_body jsonb, p_codes jsonb, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
declare
  v_user kith.users := internal.change_user(kith.user_id(), p_body - 'phone' - 'email', p_now);
begin
  if p_body ? 'phone' or p_body ? 'email' then
    v_user := internal.propose_contacts(p_body, p_codes, p_now);
  end if;
  return internal.user_json(v_user);
end
$$;

ALTER FUNCTION api.update_me(p_body jsonb, p_codes jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.update_me(p_body jsonb, p_codes jsonb, p_now timestamp with time zone) IS 'Changes the fields given of the user who asks. A phone or email stays pending until a code sent to it came back; the server gives a code for each.';

CREATE FUNCTION api.update_nominee(p_vault_id uuid, p_id uuid, p_body jsonb, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_held record;
  v_nominee kith.nominees;
  v_level text := p_body ->> 'access_level';
  v_status text := p_body ->> 'status';
begin
  perform internal.require_user();
  perform internal.require_owner(p_vault_id, p_now);
  v_held := internal.hold_vault(p_vault_id, '{}', p_now);
  perform internal.require_owner(p_vault_id, p_now);
  v_nominee := internal.hold_nominee(p_vault_id, p_id, 'owner');
  if v_nominee.status = 'revoked' then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This nominee is revoked. Invite the person again.';
  end if;
  if v_status <> v_nominee.status then
    if v_nominee.status = 'pending' then
      raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This nominee has not accepted yet.';
    end if;
    update kith.nominees set status = v_status, updated_at = p_now where tenant_id = v_tenant and id = p_id;
    perform internal.record_history(
      p_vault_id, v_user, case v_status when 'inactive' then 'nominee.paused' else 'nominee.resumed' end, 'nominee', p_id, null, p_now
    );
  end if;
  if v_level <> v_nominee.access_level then
    update kith.nominees set access_level = v_level, updated_at = p_now where tenant_id = v_tenant and id = p_id;
    perform internal.record_history(
      p_vault_id, v_user, 'nominee.changed', 'nominee', p_id, jsonb_build_object('access_level', v_level), p_now
    );
  end if;
  return internal.managed_nominee_json(v_nominee, (v_held.session).id);
end
$$;

ALTER FUNCTION api.update_nominee(p_vault_id uuid, p_id uuid, p_body jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.update_nominee(p_vault_id uuid, p_id uuid, p_body jsonb, p_now timestamp with time zone) IS 'Changes what a nominee may do, or pauses and resumes their access: {access_level?, status?}, status inactive or accepted; by the owner alone. Definer: nobody writes nominees but these procedures.';

CREATE FUNCTION api.update_tenant(p_body jsonb, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_server();
  return internal.tenant_json(internal.change_tenant(
    v_tenant, p_body,
    array[
      'name', 'brand_name', 'join_link', 'allowed_origins', 'app_ids', 'app_link', 'default_region', 'requires_subscription',
      'requires_consent', 'sign_up_open', 'grace_minutes', 'reminder_minutes', 'subscription_grace_days',
      'session_maximum_minutes', 'invitation_days', 'retention_days', 'link_scheme'
    ],
    internal.actor(), p_now
  ));
end
$$;

ALTER FUNCTION api.update_tenant(p_body jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.update_tenant(p_body jsonb, p_now timestamp with time zone) IS 'Changes the settings given. Quotas, limits and the host of the pages are the operator''s: whoever could name any host would show its pages there. Definer: settings are not for users.';

CREATE FUNCTION api.update_user(p_id uuid, p_body jsonb, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user kith.users;
begin
  perform internal.require_server();
  v_user := internal.change_user(p_id, p_body - 'external_id' - 'phone' - 'email', p_now);
  v_user := internal.set_contacts(v_user, p_body, p_now);
  if p_body ? 'external_id' and v_user.external_id is distinct from p_body ->> 'external_id' then
    v_user.external_id := p_body ->> 'external_id';
    update kith.users set external_id = v_user.external_id where tenant_id = v_tenant and id = p_id;
  end if;
  perform internal.record_act(
    v_tenant, internal.actor(), 'user.update', p_id::text,
    jsonb_build_object('fields', (select jsonb_agg(field) from jsonb_object_keys(p_body) as field)), p_now
  );
  return internal.user_json_for_server(v_user);
exception when unique_violation then
  raise exception 'conflict' using errcode = 'KT409', detail = 'Another user has this external_id.';
end
$$;

ALTER FUNCTION api.update_user(p_id uuid, p_body jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.update_user(p_id uuid, p_body jsonb, p_now timestamp with time zone) IS 'Changes the fields given. An external_id that another user has: conflict. The audit names the fields, not what stands in them.';

CREATE FUNCTION api.update_vault(p_id uuid, p_body jsonb, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_vault kith.vaults := internal.require_owner(p_id, p_now);
  v_changed text[];
begin
  select array_agg(given.key order by given.key) into v_changed
  from jsonb_each(p_body) as given
  where to_jsonb(v_vault) -> given.key is distinct from given.value;
  if v_changed is not null then
    update kith.vaults
    set name = coalesce(p_body ->> 'name', name),
      require_confirmation = coalesce((p_body ->> 'require_confirmation')::boolean, require_confirmation),
      full_may_open = coalesce((p_body ->> 'full_may_open')::boolean, full_may_open), updated_at = p_now
    where tenant_id = v_tenant and id = p_id;
    perform internal.note_history(
      p_id, case when 'name' = any (v_changed) then 'vault.renamed' else 'vault.changed' end, 'vault', p_id,
      jsonb_build_object('fields', v_changed), p_now
    );
  end if;
  return api.get_vault(p_id, p_now);
end
$$;

ALTER FUNCTION api.update_vault(p_id uuid, p_body jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.update_vault(p_id uuid, p_body jsonb, p_now timestamp with time zone) IS 'Changes name and settings of a vault, by its owner. Who accepts from then on meets the new settings; who has access keeps it. What is so already changes nothing.';

CREATE FUNCTION api.verify_contact(p_channel text, p_address text, p_guesses jsonb, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_id uuid := kith.user_id();
  v_user kith.users;
begin
  perform internal.require_user();
  select * into v_user from kith.users where tenant_id = v_tenant and id = v_id and deleted_at is null for no key update;
  if not found then
    perform internal.refuse_not_found();
  end if;
  if not internal.try_otp('contact', p_channel, p_address, v_id, p_guesses, p_now)
    or internal.otp_address(p_channel, p_address) is distinct from
      internal.otp_address(p_channel, case p_channel when 'sms' then v_user.pending_phone else v_user.pending_email end)
  then
    return json_build_object('problem', 'otp_invalid');
  end if;
  return internal.user_json(internal.confirm_contact(
    v_id, p_channel, case p_channel when 'sms' then v_user.pending_phone else v_user.pending_email end, p_now
  ));
end
$$;

ALTER FUNCTION api.verify_contact(p_channel text, p_address text, p_guesses jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION api.verify_contact(p_channel text, p_address text, p_guesses jsonb, p_now timestamp with time zone) IS 'Makes the pending contact of the user who asks count: a code sent to it came back. Otherwise the problem otp_invalid; conflict when somebody else has it verified. Definer: a user may not write a contact that nobody confirmed.';

CREATE FUNCTION api.web_push_key() RETURNS json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_key text;
begin
  perform internal.require_user();
  select summary ->> 'public_key' into v_key from kith.channel_credentials where tenant_id = v_tenant and channel = 'web_push';
  if v_key is null then
    perform internal.refuse_not_found();
  end if;
  return json_build_object('public_key', v_key);
end
$$;

ALTER FUNCTION api.web_push_key() OWNER TO kith_owner;

COMMENT ON FUNCTION api.web_push_key() IS 'The key with which the tenant signs pushes to browsers (RFC 8292), which a browser wants to know when it subscribes; not_found where the tenant has none. Definer: credentials are nobody''s to read.';

CREATE FUNCTION internal.accept_nominee_invitation(p_id uuid, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_held record := internal.hold_invitation(p_id, p_now);
  v_vault kith.vaults := v_held.vault;
  v_nominee kith.nominees := v_held.nominee;
  v_name text;
  v_waits boolean;
begin
  -- Again by the same person: the answer may have been lost on its way.
  if v_held.state = 'accepted' and v_nominee.user_id = v_user then
    return internal.accepted_nominee_json(v_nominee, v_vault, p_now);
  end if;
  if internal.is_blocked(v_vault.owner_id, v_user) then
    raise exception 'invitation_invalid' using errcode = 'KT404';
  end if;
  perform internal.require_pending(v_held.state);
  perform internal.require_no_part(v_vault);
  v_waits := v_vault.require_confirmation
    or not internal.may_let_in(v_vault, v_nominee.invited_by_user_id)
    or coalesce(v_nominee.phone, v_nominee.email) is not null
      and not internal.same_contact(v_user, v_nominee.phone, v_nominee.email);
  update kith.nominees
  set user_id = v_user, needs_confirmation = v_waits, updated_at = p_now,
    status = case when v_waits then 'pending' when status = 'inactive' then 'inactive' else 'accepted' end,
    accepted_at = case when not v_waits then coalesce(accepted_at, p_now) end
  where tenant_id = v_tenant and id = v_nominee.id
  returning * into v_nominee;
  update kith.nominee_invitations set ended_at = p_now, end_reason = 'accepted' where tenant_id = v_tenant and id = p_id;
  perform internal.record_history(
    v_vault.id, v_user, case when v_waits then 'nominee.bound' else 'nominee.accepted' end, 'nominee', v_nominee.id, null, p_now
  );
  select coalesce(display_name, v_nominee.name) into v_name from kith.users where tenant_id = v_tenant and id = v_user;
  perform internal.tell_of_vault(
    v_vault.owner_id, 'nominee_accepted', v_vault, v_user, v_name,
    jsonb_build_object('nominee_id', v_nominee.id, 'needs_confirmation', v_waits), p_now
  );
  return internal.accepted_nominee_json(v_nominee, v_vault, p_now);
end
$$;

ALTER FUNCTION internal.accept_nominee_invitation(p_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.accept_nominee_invitation(p_id uuid, p_now timestamp with time zone) IS 'Makes the user who asks the nominee whom an invitation was for (N20); the same again by the same user answers the same. Where the vault asks for it, the invitation named a contact that is not theirs, or whoever invited them may not do so any longer, they wait for the owner''s confirmation (X30). The owner is told who accepted. Between people of whom one has blocked the other there is no such invitation (X22). For definer procedures.';

CREATE FUNCTION internal.accept_transfer(p_transfer_id uuid, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_transfer kith.transfers := internal.lock_transfer(p_transfer_id);
  v_vault kith.vaults;
  v_name text;
  v_nominee uuid;
begin
  if v_transfer.status = 'accepted' and v_transfer.accepted_by = v_user then
    return;
  end if;
  perform internal.require_pending(internal.transfer_state(v_transfer, p_now));
  if v_transfer.owner_id = v_user then
    raise exception 'conflict' using errcode = 'KT409', detail = 'This is your own vault.';
  end if;
  if coalesce(v_transfer.phone, v_transfer.email) is not null
    and not internal.same_contact(v_user, v_transfer.phone, v_transfer.email)
  then
    raise exception 'forbidden'
      using errcode = 'KT403',
        detail = 'This vault is offered to somebody by phone number or e-mail address. Confirm yours in your profile, and try again.';
  end if;
  select * into v_vault from kith.vaults where tenant_id = v_tenant and id = v_transfer.vault_id;
  perform internal.close_session(v_vault.id, 'transferred', v_user, p_now);
  for v_nominee in
    select id from kith.nominees
    where tenant_id = v_tenant and vault_id = v_vault.id and user_id = v_user and status <> 'revoked'
    order by id
  loop
    perform internal.end_nominee(v_nominee, 'transferred', p_now);
  end loop;
  perform internal.move_vault(v_vault, v_user, p_now);
  if v_transfer.keep_access then
    select left(internal.name_of_anybody(display_name), 100) into v_name
    from kith.users
    where tenant_id = v_tenant and id = v_transfer.owner_id;
    insert into kith.nominees (
      tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at,
      needs_confirmation, updated_at
    )
    values (
      v_tenant, internal.uuid7(p_now), v_vault.id, v_user, v_transfer.owner_id, v_name, 'accepted', 'full', p_now, v_user, p_now,
      false, p_now
    );
  end if;
  update kith.transfers set status = 'accepted', ended_at = p_now, accepted_by = v_user
  where tenant_id = v_tenant and id = p_transfer_id;
  perform internal.record_history(
    v_vault.id, v_user, 'transfer.accepted', 'transfer', p_transfer_id,
    jsonb_build_object('from', v_transfer.owner_id, 'keep_access', v_transfer.keep_access), p_now
  );
  perform internal.tell_of_vault(
    v_transfer.owner_id, 'transfer_accepted', v_vault, v_user,
    (select display_name from kith.users where tenant_id = v_tenant and id = v_user),
    jsonb_build_object('transfer_id', p_transfer_id), p_now
  );
end
$$;

ALTER FUNCTION internal.accept_transfer(p_transfer_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.accept_transfer(p_transfer_id uuid, p_now timestamp with time zone) IS 'Makes the user who asks the owner of the vault, in one transaction: it is locked, the new owner''s nominees end, the old owner becomes a full nominee or leaves. Again by the same user changes nothing; by another it is invitation_used. Where the transfer names a phone or e-mail, accepting needs that contact, verified: forbidden. For definer procedures that have found the token.';

CREATE TABLE kith.nominees (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    vault_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    user_id uuid,
    name text,
    phone text,
    email text,
    status text NOT NULL,
    access_level text NOT NULL,
    needs_confirmation boolean DEFAULT false NOT NULL,
    invited_at timestamp with time zone NOT NULL,
    invited_by_user_id uuid,
    accepted_at timestamp with time zone,
    last_active_at timestamp with time zone,
    revoked_at timestamp with time zone,
    revoke_reason text,
    share_record_id text,
    share_participant_id text,
    updated_at timestamp with time zone NOT NULL,
    email_normalized text GENERATED ALWAYS AS (lower(email)) STORED,
    CONSTRAINT nominees_confirmed_are_bound CHECK (((NOT needs_confirmation) OR ((user_id IS NOT NULL) AND (status = 'pending'::text)))),
    CONSTRAINT nominees_email_is_an_address CHECK (((email ~ '^[^@[:space:]]+@[^@[:space:]]+$'::text) AND (char_length(email) <= 254))),
    CONSTRAINT nominees_level_is_known CHECK ((access_level = ANY (ARRAY['view'::text, 'edit'::text, 'full'::text]))),
    CONSTRAINT nominees_name_is_short CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
    CONSTRAINT nominees_owner_is_no_nominee CHECK (((user_id <> owner_id) OR (status = 'revoked'::text))),
    CONSTRAINT nominees_phone_is_e164 CHECK ((phone ~ '^\+[1-9][0-9]{6,14}$'::text)),
    CONSTRAINT nominees_revoked_says_when CHECK (((status = 'revoked'::text) = (revoked_at IS NOT NULL))),
    CONSTRAINT nominees_share_participant_is_short CHECK (((char_length(share_participant_id) >= 1) AND (char_length(share_participant_id) <= 255))),
    CONSTRAINT nominees_share_record_is_short CHECK (((char_length(share_record_id) >= 1) AND (char_length(share_record_id) <= 255))),
    CONSTRAINT nominees_status_is_known CHECK ((status = ANY (ARRAY['pending'::text, 'accepted'::text, 'inactive'::text, 'revoked'::text])))
);

ALTER TABLE ONLY kith.nominees FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.nominees OWNER TO kith_owner;

COMMENT ON TABLE kith.nominees IS 'Somebody whom an owner trusts with a vault. Revoking is final: inviting again makes a new row (X07).';

COMMENT ON COLUMN kith.nominees.user_id IS 'Who accepted; null until somebody has. Never bound by name, phone or e-mail.';

COMMENT ON COLUMN kith.nominees.name IS 'As the owner wrote it; null once the account of that user has ended.';

COMMENT ON COLUMN kith.nominees.status IS 'active is nowhere stored: it is accepted while the vault''s session is open (V08).';

COMMENT ON COLUMN kith.nominees.needs_confirmation IS 'Accepted by user_id and waiting for the owner: no access yet (X30).';

COMMENT ON COLUMN kith.nominees.revoke_reason IS 'removed, declined, left, transferred, share, account_deleted or support.';

CREATE TABLE kith.vaults (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    owner_id uuid NOT NULL,
    name text NOT NULL,
    require_confirmation boolean DEFAULT false NOT NULL,
    full_may_open boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone,
    deleted_by text,
    CONSTRAINT vaults_deleted_says_by_whom CHECK (((deleted_at IS NULL) = (deleted_by IS NULL))),
    CONSTRAINT vaults_name_is_short CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200)))
);

ALTER TABLE ONLY kith.vaults FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.vaults OWNER TO kith_owner;

COMMENT ON TABLE kith.vaults IS 'Documents of one owner, which nominees see while the vault is open. Deleting is soft for 30 days (D01).';

COMMENT ON COLUMN kith.vaults.owner_id IS 'Carried down into every child row, so that policies compare the row''s own columns; a transfer rewrites it there.';

COMMENT ON COLUMN kith.vaults.require_confirmation IS 'Whether the owner confirms whoever accepts an invitation, before any access (X30).';

COMMENT ON COLUMN kith.vaults.full_may_open IS 'Whether a nominee with level full may open the vault, and not only enter when it is open (V06).';

COMMENT ON COLUMN kith.vaults.deleted_by IS 'user:<id>, or operator:<login role>.';

CREATE FUNCTION internal.accepted_nominee_json(p_nominee kith.nominees, p_vault kith.vaults, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_vault uuid := p_vault.id;
  v_owner uuid := p_vault.owner_id;
  v_session uuid;
begin
  select id into v_session
  from kith.vault_sessions
  where tenant_id = v_tenant and vault_id = v_vault and kind = 'shared' and locked_at is null and expires_at > p_now;
  return (
    select internal.nominee_json(p_nominee, v_session, null, false)::jsonb || jsonb_build_object(
      'kind', 'nominee',
      'vault', jsonb_build_object(
        'id', v_vault, 'name', p_vault.name,
        'owner', jsonb_build_object('id', v_owner, 'display_name', internal.name_of_anybody(owner.display_name))
      )
    )
    from kith.users as owner
    where owner.tenant_id = v_tenant and owner.id = v_owner
  );
end
$$;

ALTER FUNCTION internal.accepted_nominee_json(p_nominee kith.nominees, p_vault kith.vaults, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.accepted_nominee_json(p_nominee kith.nominees, p_vault kith.vaults, p_now timestamp with time zone) IS 'What accepting answers: the nominee as they see themselves, and the vault. For definer procedures.';

CREATE FUNCTION internal.accepts_connections(p_receiver_id uuid, p_now timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
  select not tenant.requires_subscription or profile.good_until is null or profile.good_until > p_now
  from kith.tenants as tenant
  join kith.receiver_profiles as profile on profile.tenant_id = tenant.tenant_id and profile.user_id = p_receiver_id
  where tenant.tenant_id = kith.tenant_id()
$$;

ALTER FUNCTION internal.accepts_connections(p_receiver_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.accepts_connections(p_receiver_id uuid, p_now timestamp with time zone) IS 'Whether a receiver can be connected with; null for no receiver of this tenant. Definer: what somebody has paid is theirs to know; this tells yes or no.';

CREATE FUNCTION internal.actor() RETURNS text
    LANGUAGE sql STABLE
    AS $$
  select coalesce(
    nullif(current_setting('kith.actor', true), ''),
    'user:' || kith.user_id(),
    case
      when pg_has_role(session_user, 'kith_admin', 'member') or pg_has_role(session_user, 'kith_owner', 'member')
        then internal.operator()
    end,
    'kith'
  )
$$;

ALTER FUNCTION internal.actor() OWNER TO kith_owner;

COMMENT ON FUNCTION internal.actor() IS 'Who is to be named in the audit: what the server set (key:<id>), else the user, else the operator, else kith itself.';

CREATE FUNCTION internal.add_nominee(p_vault kith.vaults, p_role text, p_n bigint, p_given jsonb, p_public_url text, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_vault uuid := p_vault.id;
  v_phone text := p_given ->> 'phone';
  v_email text := p_given ->> 'email';
  v_level text := coalesce(p_given ->> 'access_level', 'view');
  v_channel text := coalesce(p_given ->> 'channel', 'link');
  v_nominee kith.nominees;
  v_issued record;
  v_known uuid;
  v_owner_name text;
begin
  if p_given ? 'phone_problem' then
    perform internal.refuse_fields(internal.field_error('phone', internal.phone_problem_text(p_given ->> 'phone_problem')));
  end if;
  perform internal.require_owner_for_full(p_role, v_level);
  perform internal.refuse_full_vault(v_vault, 1);
  insert into kith.nominees (
    tenant_id, id, vault_id, owner_id, name, phone, email, status, access_level, invited_at, invited_by_user_id, updated_at
  )
  values (
    -- In the order in which they were named: ids of one instant have none.
    v_tenant, internal.uuid7(p_now + p_n * interval '1 microsecond'), v_vault, p_vault.owner_id, p_given ->> 'name', v_phone, v_email,
    'pending', v_level, p_now, v_user, p_now
  )
  returning * into v_nominee;
  v_issued := internal.issue_invitation(v_nominee, v_channel, p_now);
  perform internal.record_history(
    v_vault, v_user, 'nominee.invited', 'nominee', v_nominee.id,
    jsonb_build_object('access_level', v_level, 'channel', v_channel), p_now
  );
  v_known := internal.user_of_verified_contact(v_phone, v_email);
  -- Silence where one of the two wants nothing to do with the other (X22), for who is in already, and for who was told three times today:
  -- a list of the same address over and over would be a nuisance to whoever has it, and take long enough to tell that somebody has.
  if v_known <> p_vault.owner_id and not internal.is_blocked(v_known, p_vault.owner_id) and not internal.is_blocked(v_known, v_user)
    and not exists (
      select from kith.nominees
      where tenant_id = v_tenant and vault_id = v_vault and user_id = v_known and status <> 'revoked'
    )
    and (
      select count(*) <= 3
      from kith.nominees
      where tenant_id = v_tenant and invited_by_user_id = v_user and id >= internal.first_uuid7(p_now - interval '24 hours')
        and share_participant_id is null and (phone = v_phone or lower(email) = lower(v_email))
    )
  then
    select display_name into v_owner_name from kith.users where tenant_id = v_tenant and id = p_vault.owner_id;
    perform internal.tell_of_vault(
      v_known, 'nominee_invited', p_vault, p_vault.owner_id, v_owner_name, jsonb_build_object('nominee_id', v_nominee.id), p_now
    );
  end if;
  return internal.invited_nominee_json(v_nominee, p_vault, v_issued.token, p_public_url);
end
$$;

ALTER FUNCTION internal.add_nominee(p_vault kith.vaults, p_role text, p_n bigint, p_given jsonb, p_public_url text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.add_nominee(p_vault kith.vaults, p_role text, p_n bigint, p_given jsonb, p_public_url text, p_now timestamp with time zone) IS 'Invites one person, the p_n-th of one call, into a vault that is locked: {name, phone?, email?, access_level?, channel?}; phone_problem says why the server could not read the number. The nominee, with the invitation. Somebody whose verified contact was named is told. For definer procedures.';

CREATE TABLE kith.shares (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    vault_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    record_name text NOT NULL,
    url text,
    permission text DEFAULT 'readOnly'::text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT shares_permission_is_known CHECK ((permission = ANY (ARRAY['readOnly'::text, 'readWrite'::text]))),
    CONSTRAINT shares_record_name_is_short CHECK (((char_length(record_name) >= 1) AND (char_length(record_name) <= 255))),
    CONSTRAINT shares_url_is_https CHECK (((url ~ '^https://[^[:space:]]+$'::text) AND (char_length(url) <= 2000)))
);

ALTER TABLE ONLY kith.shares FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.shares OWNER TO kith_owner;

COMMENT ON TABLE kith.shares IS 'A vault''s link to a sharing service outside, CloudKit for one (C01).';

COMMENT ON COLUMN kith.shares.record_name IS 'The service''s name for it; nothing is read from it.';

CREATE FUNCTION internal.add_participants(p_share kith.shares, p_given jsonb, p_now timestamp with time zone) RETURNS integer
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_nominees uuid[];
begin
  with new as materialized (
    select internal.uuid7(p_now) as nominee_id, new.given, new.given ->> 'acceptance_status' = 'accepted' as is_accepted
    from jsonb_array_elements(p_given) as new (given)
  ),
  made as (
    insert into kith.nominees (
      tenant_id, id, vault_id, owner_id, name, phone, email, status, access_level, invited_at, invited_by_user_id, accepted_at,
      share_record_id, share_participant_id, updated_at
    )
    select v_tenant, nominee_id, p_share.vault_id, p_share.owner_id,
      left(coalesce(given ->> 'name', given ->> 'email', given ->> 'phone', internal.name_of_anybody(null)), 100), given ->> 'phone',
      given ->> 'email', case when is_accepted then 'accepted' else 'pending' end,
      case when given ->> 'permission' = 'readWrite' and p_share.permission = 'readWrite' then 'edit' else 'view' end, p_now, p_share.owner_id,
      case when is_accepted then p_now end, p_share.record_name, given ->> 'id', p_now
    from new
  ),
  known as (
    insert into kith.share_participants (
      tenant_id, share_id, participant_id, nominee_id, acceptance_status, permission, role, updated_at
    )
    select v_tenant, p_share.id, given ->> 'id', nominee_id, given ->> 'acceptance_status', given ->> 'permission', given ->> 'role', p_now
    from new
    on conflict (tenant_id, share_id, participant_id) do update
    set nominee_id = excluded.nominee_id, acceptance_status = excluded.acceptance_status, permission = excluded.permission,
      role = excluded.role, updated_at = excluded.updated_at, removed_at = null
  )
  select array_agg(nominee_id) into v_nominees from new;
  perform internal.record_histories(
    p_share.vault_id, p_share.owner_id, 'nominee.invited', 'nominee', v_nominees, '{"by": "share"}', p_now
  );
  return coalesce(cardinality(v_nominees), 0);
end
$$;

ALTER FUNCTION internal.add_participants(p_share kith.shares, p_given jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.add_participants(p_share kith.shares, p_given jsonb, p_now timestamp with time zone) IS 'Makes nominees of new participants, and of those who are back: [{id, acceptance_status, permission, role, name?, phone?, email?}]; how many. No user is bound, whatever the name, phone or e-mail say. The level is the participant''s permission, and no more than the share''s; full is the owner''s alone to give. All at once, as there can be 1,000.';

CREATE FUNCTION internal.add_refresh_token(p_family_id uuid, p_secret_hash bytea, p_now timestamp with time zone) RETURNS uuid
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_id uuid := internal.uuid7(p_now);
begin
  insert into kith.refresh_tokens (tenant_id, id, family_id, secret_hash, created_at, expires_at)
  values (v_tenant, v_id, p_family_id, p_secret_hash, p_now, p_now + interval '60 days');
  return v_id;
end
$$;

ALTER FUNCTION internal.add_refresh_token(p_family_id uuid, p_secret_hash bytea, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.add_refresh_token(p_family_id uuid, p_secret_hash bytea, p_now timestamp with time zone) IS 'A further token of a family, good for 60 days; its id. For definer procedures.';

CREATE FUNCTION internal.analyze_grown_users() RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  -- Where there are a handful, one index is as good as another, and each user of a first import would be looked for among all of
  -- the tenant's: quadratic, and autovacuum comes a minute later.
  if (
    select pg_relation_size(oid) > 8 * greatest(relpages, 1) * current_setting('block_size')::bigint
    from pg_catalog.pg_class
    where oid = 'kith.users'::regclass
  ) then
    analyze (skip_locked) kith.users;
  end if;
end
$$;

ALTER FUNCTION internal.analyze_grown_users() OWNER TO kith_owner;

COMMENT ON FUNCTION internal.analyze_grown_users() IS 'Gathers statistics of users when there are eight times as many as were known of. For definers: only the owner may analyze a table.';

CREATE FUNCTION internal.analyze_new_tables() RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_name name;
  v_analyzed integer := 0;
begin
  -- reltuples is -1 until somebody has looked. What has rows by then is guessed to have ten pages of them, and a sender's pings
  -- of a day are looked for in the index of everybody's: quadratic, and autovacuum comes minutes later.
  for v_name in
    select relname
    from pg_catalog.pg_class
    where relnamespace = 'kith'::regnamespace and relkind = 'r' and reltuples < 0 and pg_relation_size(oid) > 0
  loop
    execute format('analyze (skip_locked) kith.%I', v_name);
    v_analyzed := v_analyzed + 1;
  end loop;
  return v_analyzed;
end
$$;

ALTER FUNCTION internal.analyze_new_tables() OWNER TO kith_owner;

COMMENT ON FUNCTION internal.analyze_new_tables() IS 'Gathers statistics of the tables that have rows and never had any: a month''s first day, an import, a restored back-up. Returns how many. Definer: only the owner may analyze a table.';

CREATE FUNCTION internal.attempt_code(p_code text, p_now timestamp with time zone, OUT problem text, OUT retry_after integer, OUT owner_id uuid, OUT owner_role text, OUT owner_name text) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_owner kith.users;
  v_code kith.unique_codes;
begin
  retry_after := internal.begin_code_attempt(p_now);
  if retry_after is not null then
    problem := 'too_many_requests';
    return;
  end if;
  -- The owner before the code, as everywhere. Waits for an account that is just being deleted, or whose user is blocking somebody:
  -- both must hold for whoever connects.
  select * into v_owner
  from kith.users
  where tenant_id = v_tenant and id = (select user_id from kith.unique_codes where tenant_id = v_tenant and code = p_code)
  for key share;
  -- Locked against a rotation: once that has answered, the old code must connect nobody. And read anew: while the owner was waited
  -- for, it may have become another's.
  select * into v_code
  from kith.unique_codes
  where tenant_id = v_tenant and code = p_code and user_id = v_owner.id
  for share;
  if not found or internal.code_is_free(v_code.expires_at, v_code.rotated_at, p_now) then
    problem := 'invalid_code';
  elsif v_code.rotated_at is not null or v_code.expires_at <= p_now then
    problem := 'expired_code';
  else
    owner_id := v_owner.id;
    owner_name := v_owner.display_name;
    if owner_id = v_user then
      problem := 'self_connection';
    elsif exists (select from kith.blocks where tenant_id = v_tenant and user_id = owner_id and blocked_id = v_user) then
      -- As if there were no such code: being blocked is nothing one is told (X22).
      problem := 'invalid_code';
    elsif exists (select from kith.blocks where tenant_id = v_tenant and user_id = v_user and blocked_id = owner_id) then
      problem := 'user_blocked';
    else
      owner_role := v_code.role;
    end if;
  end if;
  insert into kith.code_attempts (tenant_id, id, user_id, attempted_at, outcome)
  values (
    v_tenant, internal.uuid7(p_now), v_user, p_now,
    case when problem in ('invalid_code', 'expired_code') then 'missed' else 'found' end
  );
end
$$;

ALTER FUNCTION internal.attempt_code(p_code text, p_now timestamp with time zone, OUT problem text, OUT retry_after integer, OUT owner_id uuid, OUT owner_role text, OUT owner_name text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.attempt_code(p_code text, p_now timestamp with time zone, OUT problem text, OUT retry_after integer, OUT owner_id uuid, OUT owner_role text, OUT owner_name text) IS 'Whose code is it? Counts the attempt first, so that nobody can look without being counted: the problem (too_many_requests with retry_after, invalid_code, also where the owner has blocked who asks, expired_code, self_connection, user_blocked where it is the other way round), or owner, role and name. Definer: other people''s codes are nobody''s to read.';

CREATE FUNCTION internal.attempts_allowed(p_purpose text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  -- A code is void after ten minutes; of a notification somebody wants to hear when the provider is back tomorrow.
  select case p_purpose when 'notification' then 30 else 10 end
$$;

ALTER FUNCTION internal.attempts_allowed(p_purpose text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.attempts_allowed(p_purpose text) IS 'After how many attempts a delivery has failed for good: a day of them, for a notification.';

CREATE TABLE kith.breaks (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    from_on date NOT NULL,
    until_on date NOT NULL,
    starts_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    told_until_on date,
    ended_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT breaks_are_at_most_90_days CHECK (((until_on - from_on) < 90)),
    CONSTRAINT breaks_end_after_they_begin CHECK ((until_on >= (from_on - 1)))
);

ALTER TABLE ONLY kith.breaks FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.breaks OWNER TO kith_owner;

COMMENT ON TABLE kith.breaks IS 'Local dates on which a sender has no pings. Those that are over stay as history; at most one of a sender is current or to come.';

COMMENT ON COLUMN kith.breaks.until_on IS 'The last date without a ping: where the sender came back early the day before that; the day before from_on where no day was left.';

COMMENT ON COLUMN kith.breaks.starts_at IS 'The first instant of from_on in the sender''s zone; a change of zone moves it.';

COMMENT ON COLUMN kith.breaks.ends_at IS 'The first instant after until_on in the sender''s zone, as planned.';

COMMENT ON COLUMN kith.breaks.told_until_on IS 'What the receivers were told as its end; null before they were told anything. Another until_on is told again.';

COMMENT ON COLUMN kith.breaks.ended_at IS 'When it was over, changed for another or taken back.';

CREATE FUNCTION internal.begin_break(p_break kith.breaks, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  update kith.breaks set told_until_on = until_on where tenant_id = p_break.tenant_id and id = p_break.id;
  perform internal.tell_of_break(p_break, 'break_started', p_now);
end
$$;

ALTER FUNCTION internal.begin_break(p_break kith.breaks, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.begin_break(p_break kith.breaks, p_now timestamp with time zone) IS 'Tells the receivers that a break has begun, or that it now lasts until another date.';

CREATE FUNCTION internal.begin_code_attempt(p_now timestamp with time zone) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_since timestamptz := p_now - interval '1 hour';
  v_created_at timestamptz;
  v_ceiling integer;
  v_ends_at timestamptz;
begin
  perform internal.require_user();
  -- The lock makes guesses of one user wait for each other; otherwise a burst of them would all count the same past.
  select created_at into v_created_at
  from kith.users
  where tenant_id = v_tenant and id = v_user and deleted_at is null
  for no key update;
  if not found then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
  select max(ends_at) into v_ends_at
  from (
    (
      select attempted_at + interval '1 hour' as ends_at
      from kith.code_attempts
      where tenant_id = v_tenant and user_id = v_user and attempted_at > v_since and outcome <> 'found'
      order by attempted_at desc offset 9 limit 1
    )
    union all
    (
      select attempted_at + interval '1 hour'
      from kith.code_attempts
      where tenant_id = v_tenant and user_id = v_user and attempted_at > v_since
      order by attempted_at desc offset 19 limit 1
    )
  ) as limits;
  if v_ends_at is null and v_created_at > p_now - interval '24 hours' then
    select code_misses_per_hour into v_ceiling from kith.tenants where tenant_id = v_tenant;
    select attempted_at + interval '1 hour' into v_ends_at
    from kith.code_attempts
    where tenant_id = v_tenant and attempted_at > v_since and outcome <> 'found'
    order by attempted_at desc offset v_ceiling - 1 limit 1;
  end if;
  if v_ends_at is null then
    return null;
  end if;
  insert into kith.code_attempts (tenant_id, id, user_id, attempted_at, outcome)
  values (v_tenant, internal.uuid7(p_now), v_user, p_now, 'blocked');
  return greatest(1, ceil(extract(epoch from v_ends_at - p_now)))::integer;
end
$$;

ALTER FUNCTION internal.begin_code_attempt(p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.begin_code_attempt(p_now timestamp with time zone) IS 'Null when the user may try a code now; else the seconds to wait, and the attempt is recorded as blocked, which is a miss (A08). Per user 10 misses or 20 attempts an hour; past the tenant''s ceiling accounts younger than a day wait. Definer: nobody may read or mend the count.';

CREATE FUNCTION internal.begin_connection(p_sender_id uuid, p_receiver_id uuid, p_code_owner_id uuid, p_now timestamp with time zone, OUT connection_id uuid, OUT reactivated boolean) RETURNS record
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_status text;
begin
  select case when requires_consent then 'pending' else 'active' end into v_status
  from kith.tenants
  where tenant_id = v_tenant;
  update kith.connections
  set status = v_status, code_owner_id = p_code_owner_id, activated_at = p_now, updated_at = p_now, deleted_at = null,
    deleted_by = null
  where tenant_id = v_tenant and sender_id = p_sender_id and receiver_id = p_receiver_id and status = 'deleted'
  returning id into connection_id;
  reactivated := found;
  if not reactivated then
    connection_id := internal.uuid7(p_now);
    begin
      insert into kith.connections (
        tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at
      )
      values (v_tenant, connection_id, p_sender_id, p_receiver_id, v_status, p_code_owner_id, p_now, p_now, p_now);
    exception when unique_violation then
      -- Connected already, perhaps at this very moment by somebody else's request (P27).
      connection_id := null;
      return;
    end;
  end if;
  perform internal.bring_ping(connection_id, p_now);
  perform internal.notify_connection(connection_id, 'connection_request', p_now);
end
$$;

ALTER FUNCTION internal.begin_connection(p_sender_id uuid, p_receiver_id uuid, p_code_owner_id uuid, p_now timestamp with time zone, OUT connection_id uuid, OUT reactivated boolean) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.begin_connection(p_sender_id uuid, p_receiver_id uuid, p_code_owner_id uuid, p_now timestamp with time zone, OUT connection_id uuid, OUT reactivated boolean) IS 'Connects a sender and a receiver, or revives the deleted row they have, with today''s ping and the notification; connection_id is null when they are connected already. Of two at the same time one gets it.';

CREATE FUNCTION internal.begin_session(p_user_id uuid, p_family_id uuid, p_secret_hash bytea, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  insert into kith.token_families (tenant_id, id, user_id, created_at, refreshed_at, expires_at)
  values (v_tenant, p_family_id, p_user_id, p_now, p_now, p_now + interval '60 days');
  perform internal.add_refresh_token(p_family_id, p_secret_hash, p_now);
end
$$;

ALTER FUNCTION internal.begin_session(p_user_id uuid, p_family_id uuid, p_secret_hash bytea, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.begin_session(p_user_id uuid, p_family_id uuid, p_secret_hash bytea, p_now timestamp with time zone) IS 'Makes a family and its first refresh token, of which only the SHA-256 comes here. For definer procedures.';

CREATE FUNCTION internal.blocks_json(p_only uuid, p_limit integer, p_cursor uuid) RETURNS json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  return (
    select json_agg(
      json_build_object(
        'user', json_build_object('id', block.blocked_id, 'display_name', internal.name_of_anybody(blocked.display_name)),
        'created_at', internal.instant(block.created_at)
      )
      order by block.blocked_id
    )
    from (
      select blocked_id, created_at
      from kith.blocks
      where tenant_id = v_tenant and user_id = v_user
        and (p_only is null or blocked_id = p_only)
        and blocked_id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
      order by blocked_id
      limit p_limit
    ) as block
    join kith.users as blocked on blocked.tenant_id = v_tenant and blocked.id = block.blocked_id
  );
end
$$;

ALTER FUNCTION internal.blocks_json(p_only uuid, p_limit integer, p_cursor uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.blocks_json(p_only uuid, p_limit integer, p_cursor uuid) IS 'Whom the user who asks has blocked, one or (null) all, after the cursor; null for nobody. Definer: their names, though they are connected no longer.';

CREATE FUNCTION internal.bring_ping(p_connection_id uuid, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_connection record;
  v_today date;
  v_dates date[];
begin
  if v_tenant is null then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
  -- Locked against a change of the times or a break by another session: it would not see the ping that this one is about to make.
  select connection.sender_id, connection.receiver_id, profile.time_zone, profile.ping_time, profile.grace_minutes,
    profile.reminder_minutes, profile.break_from_on, profile.break_until_on
  into v_connection
  from kith.connections as connection
  join kith.sender_profiles as profile on profile.tenant_id = connection.tenant_id and profile.user_id = connection.sender_id
  where connection.tenant_id = v_tenant and connection.id = p_connection_id and connection.status in ('active', 'pending')
    and connection.pings_stopped_at is null
    and (v_user is null or v_user in (connection.sender_id, connection.receiver_id))
  for share of profile;
  if not found then
    return;
  end if;
  perform internal.wait_for_generation(p_now);

  v_today := internal.local_date(p_now, v_connection.time_zone);
  v_dates := array[v_today];
  -- Received just before midnight, done just after it: the run of the new date has passed this sender by.
  if exists (
    select from kith.ping_runs
    where tenant_id = v_tenant and time_zone = v_connection.time_zone and ping_on = v_today + 1
      and (finished_at is not null or cursor_sender_id >= v_connection.sender_id)
  ) then
    v_dates := v_dates || (v_today + 1);
  end if;
  -- Yesterday's, where there was one: that of 23:58 with 90 minutes is open until 01:28.
  if exists (
    select from kith.pings
    where tenant_id = v_tenant and ping_on = v_today - 1 and connection_id = p_connection_id and status = 'cancelled'
  ) then
    v_dates := v_dates || (v_today - 1);
  end if;
  insert into kith.pings as ping
    (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, remind_at, deadline_at)
  select v_tenant, planned.ping_on, p_connection_id, internal.uuid7(p_now), v_connection.sender_id, v_connection.receiver_id,
    -- Nobody is told of what begins as due: right for the sender at the screen. By another's hand it begins as scheduled, and
    -- the worker announces it.
    case when v_user = v_connection.sender_id then planned.status else 'scheduled' end,
    planned.scheduled_at, planned.remind_at, planned.deadline_at
  from internal.planned_pings(
    v_dates, v_connection.time_zone, v_connection.ping_time, v_connection.grace_minutes, v_connection.reminder_minutes, p_now
  ) as planned
  where (planned.ping_on between v_connection.break_from_on and v_connection.break_until_on) is not true
  on conflict (tenant_id, ping_on, connection_id) do update
  set status = excluded.status, scheduled_at = excluded.scheduled_at, remind_at = excluded.remind_at,
    deadline_at = excluded.deadline_at
  where ping.status in ('cancelled', 'scheduled');
end
$$;

ALTER FUNCTION internal.bring_ping(p_connection_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.bring_ping(p_connection_id uuid, p_now timestamp with time zone) IS 'P13: makes or brings back today''s ping of a live connection while its deadline is ahead, unless the sender is on a break or the receiver''s subscription has stopped it. The sender is told that it is due where somebody else''s hand made it. Definer: it may be the receiver who connects.';

CREATE FUNCTION internal.calling_code(p_phone text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  -- ITU-T E.164: 1 and 7 have one digit, these have two, all others three.
  select substr(p_phone, 2, case
    when p_phone ~ '^\+[17]' then 1
    when p_phone ~ '^\+(2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])' then 2
    else 3
  end)
$$;

ALTER FUNCTION internal.calling_code(p_phone text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.calling_code(p_phone text) IS 'The country calling code of a number in E.164: 49 of +4915112345678.';

CREATE FUNCTION internal.cancel_pings(p_connection_id uuid, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_day date := (p_now at time zone 'UTC')::date;
begin
  if v_tenant is null then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
  -- The connection must have ended or paused already: nobody can silence one that lives.
  if exists (
    select from kith.connections
    where tenant_id = v_tenant and id = p_connection_id and status in ('active', 'pending')
  ) then
    return;
  end if;
  perform internal.wait_for_generation(p_now);
  update kith.pings
  set status = 'cancelled', remind_at = null
  where tenant_id = v_tenant and ping_on in (v_day - 2, v_day - 1, v_day, v_day + 1) and connection_id = p_connection_id
    and status in ('scheduled', 'due');
end
$$;

ALTER FUNCTION internal.cancel_pings(p_connection_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.cancel_pings(p_connection_id uuid, p_now timestamp with time zone) IS 'X23: cancels the open pings of a connection that was just paused or removed; the worker cancels older ones when it meets them. Definer: a receiver may be the one who removes.';

CREATE FUNCTION internal.change_nominee_of_participant(p_nominee_id uuid, p_was text, p_given jsonb, p_now timestamp with time zone) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_accepts boolean;
begin
  select status = 'pending' and user_id is null and p_given ->> 'acceptance_status' = 'accepted' into v_accepts
  from kith.nominees
  where tenant_id = v_tenant and id = p_nominee_id;
  update kith.nominees
  set status = case when v_accepts then 'accepted' else status end,
    accepted_at = case when v_accepts then p_now else accepted_at end,
    access_level = case
      when access_level = 'edit' and p_was = 'readWrite' and p_given ->> 'permission' = 'readOnly' then 'view'
      else access_level
    end,
    name = coalesce(p_given ->> 'name', name),
    phone = coalesce(p_given ->> 'phone', phone),
    email = coalesce(p_given ->> 'email', email),
    updated_at = p_now
  where tenant_id = v_tenant and id = p_nominee_id;
  return v_accepts;
end
$$;

ALTER FUNCTION internal.change_nominee_of_participant(p_nominee_id uuid, p_was text, p_given jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.change_nominee_of_participant(p_nominee_id uuid, p_was text, p_given jsonb, p_now timestamp with time zone) IS 'Takes over into a nominee what the sharing service newly says of its participant, whose permission was p_was; whether they have accepted by that. Nobody falls back: who has accepted stays accepted (and active), who is paused stays paused, and who waits for the owner''s confirmation waits. The level is never raised; from edit it goes to view when the permission is taken back.';

CREATE SEQUENCE kith.tenant_ids
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER TABLE kith.tenant_ids OWNER TO kith_owner;

CREATE TABLE kith.tenants (
    tenant_id integer DEFAULT nextval('kith.tenant_ids'::regclass) NOT NULL,
    slug text NOT NULL,
    name text NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    brand_name text DEFAULT 'PRUUF'::text NOT NULL,
    join_link text DEFAULT 'https://pruuf.app/join'::text NOT NULL,
    universal_link_host text,
    allowed_origins text[] DEFAULT '{}'::text[] NOT NULL,
    app_ids text[] DEFAULT '{}'::text[] NOT NULL,
    requires_subscription boolean DEFAULT true NOT NULL,
    requires_consent boolean DEFAULT false NOT NULL,
    sign_up_open boolean DEFAULT true NOT NULL,
    grace_minutes integer DEFAULT 90 NOT NULL,
    reminder_minutes integer DEFAULT 15 NOT NULL,
    subscription_grace_days integer DEFAULT 14 NOT NULL,
    session_maximum_minutes integer DEFAULT 720 NOT NULL,
    invitation_days integer DEFAULT 7 NOT NULL,
    retention_days integer DEFAULT 730 NOT NULL,
    user_quota integer DEFAULT 1000000 NOT NULL,
    code_misses_per_hour integer DEFAULT 5000 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone,
    sms_codes_per_day integer DEFAULT 5000 NOT NULL,
    sms_codes_per_country_per_day integer DEFAULT 2000 NOT NULL,
    sms_codes_per_number_per_day integer DEFAULT 10 NOT NULL,
    default_region text,
    app_link text,
    sms_enabled boolean DEFAULT false NOT NULL,
    sms_invitations_per_day integer DEFAULT 5000 NOT NULL,
    link_scheme text DEFAULT 'khandoba'::text NOT NULL,
    vault_quota_mib integer DEFAULT 1024 NOT NULL,
    CONSTRAINT tenants_app_link_is_https CHECK (((app_link ~ '^https://[^[:space:]]+$'::text) AND (char_length(app_link) <= 500))),
    CONSTRAINT tenants_brand_is_short CHECK (((char_length(brand_name) >= 1) AND (char_length(brand_name) <= 80))),
    CONSTRAINT tenants_code_misses_in_bounds CHECK (((code_misses_per_hour >= 10) AND (code_misses_per_hour <= 1000000))),
    CONSTRAINT tenants_default_region_is_two_letters CHECK ((default_region ~ '^[A-Z]{2}$'::text)),
    CONSTRAINT tenants_grace_in_bounds CHECK (((grace_minutes >= 5) AND (grace_minutes < 720))),
    CONSTRAINT tenants_host_is_a_name CHECK ((universal_link_host ~ '^[a-z0-9.-]{1,253}$'::text)),
    CONSTRAINT tenants_invitation_in_bounds CHECK (((invitation_days >= 1) AND (invitation_days <= 90))),
    CONSTRAINT tenants_join_link_is_https CHECK (((join_link ~ '^https?://[^[:space:]]+$'::text) AND (char_length(join_link) <= 500))),
    CONSTRAINT tenants_link_scheme_is_one CHECK ((link_scheme ~ '^[a-z][a-z0-9+.-]{0,49}$'::text)),
    CONSTRAINT tenants_name_is_short CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
    CONSTRAINT tenants_origins_are_origins CHECK (((array_position(allowed_origins, NULL::text) IS NULL) AND (array_to_string(allowed_origins, ' '::text) ~ '^(https?://[a-z0-9.-]+(:[0-9]{1,5})?( https?://[a-z0-9.-]+(:[0-9]{1,5})?)*)?$'::text))),
    CONSTRAINT tenants_reminder_is_before_deadline CHECK (((reminder_minutes > 0) AND (reminder_minutes < grace_minutes))),
    CONSTRAINT tenants_retention_in_bounds CHECK (((retention_days >= 30) AND (retention_days <= 3650))),
    CONSTRAINT tenants_session_maximum_in_bounds CHECK (((session_maximum_minutes >= 5) AND (session_maximum_minutes <= 10080))),
    CONSTRAINT tenants_slug_is_a_label CHECK ((slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'::text)),
    CONSTRAINT tenants_sms_codes_in_bounds CHECK (((sms_codes_per_day >= 0) AND (sms_codes_per_day <= 10000000))),
    CONSTRAINT tenants_sms_codes_of_country_in_bounds CHECK (((sms_codes_per_country_per_day >= 0) AND (sms_codes_per_country_per_day <= 10000000))),
    CONSTRAINT tenants_sms_codes_of_number_in_bounds CHECK (((sms_codes_per_number_per_day >= 1) AND (sms_codes_per_number_per_day <= 100))),
    CONSTRAINT tenants_sms_invitations_in_bounds CHECK (((sms_invitations_per_day >= 0) AND (sms_invitations_per_day <= 10000000))),
    CONSTRAINT tenants_status_is_known CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text]))),
    CONSTRAINT tenants_subscription_grace_in_bounds CHECK (((subscription_grace_days >= 0) AND (subscription_grace_days <= 365))),
    CONSTRAINT tenants_user_quota_in_bounds CHECK (((user_quota >= 1) AND (user_quota <= 100000000))),
    CONSTRAINT tenants_vault_quota_in_bounds CHECK (((vault_quota_mib >= 1) AND (vault_quota_mib <= 1048576)))
);

ALTER TABLE ONLY kith.tenants FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.tenants OWNER TO kith_owner;

COMMENT ON TABLE kith.tenants IS 'One app or organisation. Every other row belongs to one of these.';

COMMENT ON COLUMN kith.tenants.slug IS 'The name in URLs, headers and the audience of tokens; never changes.';

COMMENT ON COLUMN kith.tenants.status IS 'suspended: every API call answers 403 tenant_suspended; the worker still alarms.';

COMMENT ON COLUMN kith.tenants.allowed_origins IS 'Web origins whose scripts may call the API from a browser, such as https://app.example.com.';

COMMENT ON COLUMN kith.tenants.requires_subscription IS 'Whether a receiver whose subscription is not in good standing refuses new connections (P09).';

COMMENT ON COLUMN kith.tenants.requires_consent IS 'Whether a connection starts pending until the code''s owner consents (P29).';

COMMENT ON COLUMN kith.tenants.grace_minutes IS 'Minutes from the scheduled time to the deadline for a new sender profile that names none.';

COMMENT ON COLUMN kith.tenants.reminder_minutes IS 'Minutes before the deadline at which the sender is reminded, for a new sender profile that names none.';

COMMENT ON COLUMN kith.tenants.code_misses_per_hour IS 'Past so many wrong codes an hour in the whole tenant, accounts younger than a day are refused (A08).';

COMMENT ON COLUMN kith.tenants.deleted_at IS 'Soft delete by an operator: as suspended, and the worker stops.';

COMMENT ON COLUMN kith.tenants.sms_codes_per_day IS 'One-time codes by SMS in a UTC day, over all numbers: an SMS costs money, and somebody may want it to (A03).';

COMMENT ON COLUMN kith.tenants.sms_codes_per_country_per_day IS 'The same to the numbers of one country calling code.';

COMMENT ON COLUMN kith.tenants.sms_codes_per_number_per_day IS 'The same to one number in 24 hours.';

COMMENT ON COLUMN kith.tenants.default_region IS 'The country (ISO 3166-1 alpha-2) in whose form phone numbers are read that do not say their own, where neither the user''s phone nor locale tells.';

COMMENT ON COLUMN kith.tenants.app_link IS 'Where the app is installed from, such as its page in the App Store: the join page leads there.';

COMMENT ON COLUMN kith.tenants.sms_enabled IS 'Whether Kith sends text messages for this tenant. The operator''s to say: each one costs.';

COMMENT ON COLUMN kith.tenants.sms_invitations_per_day IS 'Invitations that Kith sends by SMS in a UTC day, over all users: each one costs.';

COMMENT ON COLUMN kith.tenants.link_scheme IS 'The scheme of links that open the tenant''s app (RFC 3986, section 3.1), as in khandoba://nominee/invite.';

COMMENT ON COLUMN kith.tenants.vault_quota_mib IS 'How many MiB of documents a vault holds, deleted ones that can be restored included. The operator''s to say.';

CREATE FUNCTION internal.change_tenant(p_tenant_id integer, p_settings jsonb, p_writable text[], p_actor text, p_now timestamp with time zone) RETURNS kith.tenants
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant kith.tenants;
  v_constraint text;
  v_column text;
  v_errors jsonb;
begin
  select jsonb_agg(jsonb_build_object('field', key, 'message', 'is not a setting that can be changed here')) into v_errors
  from jsonb_object_keys(p_settings) as key
  where key <> all (p_writable);
  perform internal.refuse_fields(coalesce(v_errors, '[]'));

  select * into v_tenant from kith.tenants where tenant_id = p_tenant_id and deleted_at is null for no key update;
  if not found then
    perform internal.refuse_not_found();
  end if;
  v_tenant := jsonb_populate_record(v_tenant, p_settings);
  update kith.tenants
  set name = v_tenant.name, brand_name = v_tenant.brand_name, join_link = v_tenant.join_link,
    universal_link_host = v_tenant.universal_link_host, allowed_origins = v_tenant.allowed_origins, app_ids = v_tenant.app_ids,
    app_link = v_tenant.app_link, default_region = v_tenant.default_region, sms_enabled = v_tenant.sms_enabled,
    requires_subscription = v_tenant.requires_subscription, requires_consent = v_tenant.requires_consent,
    sign_up_open = v_tenant.sign_up_open, grace_minutes = v_tenant.grace_minutes, reminder_minutes = v_tenant.reminder_minutes,
    subscription_grace_days = v_tenant.subscription_grace_days, session_maximum_minutes = v_tenant.session_maximum_minutes,
    invitation_days = v_tenant.invitation_days, retention_days = v_tenant.retention_days, user_quota = v_tenant.user_quota,
    code_misses_per_hour = v_tenant.code_misses_per_hour, sms_codes_per_day = v_tenant.sms_codes_per_day,
    sms_codes_per_country_per_day = v_tenant.sms_codes_per_country_per_day,
    sms_codes_per_number_per_day = v_tenant.sms_codes_per_number_per_day,
    sms_invitations_per_day = v_tenant.sms_invitations_per_day, link_scheme = v_tenant.link_scheme,
    vault_quota_mib = v_tenant.vault_quota_mib, updated_at = p_now
  where tenant_id = p_tenant_id
  returning * into v_tenant;
  perform internal.record_act(p_tenant_id, p_actor, 'tenant.update', v_tenant.slug, p_settings, p_now);
  return v_tenant;
exception
  when not_null_violation then
    get stacked diagnostics v_column = column_name;
    perform internal.refuse_fields(internal.field_error(v_column, 'must not be null'));
  when unique_violation then
    perform internal.refuse_fields(internal.field_error('universal_link_host', 'is another tenant''s'));
  when check_violation then
    get stacked diagnostics v_constraint = constraint_name;
    perform internal.refuse_fields(internal.tenant_constraint_error(v_constraint));
end
$$;

ALTER FUNCTION internal.change_tenant(p_tenant_id integer, p_settings jsonb, p_writable text[], p_actor text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.change_tenant(p_tenant_id integer, p_settings jsonb, p_writable text[], p_actor text, p_now timestamp with time zone) IS 'Changes the settings given, of those that may be written, and audits them: for the tenant''s server and for an operator alike. What the table''s constraints refuse is named by its field.';

CREATE TABLE kith.users (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    external_id text,
    display_name text,
    phone text,
    email text,
    email_normalized text GENERATED ALWAYS AS (lower(email)) STORED,
    time_zone text DEFAULT 'UTC'::text NOT NULL,
    locale text DEFAULT 'en'::text NOT NULL,
    tokens_valid_from timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone,
    phone_verified_at timestamp with time zone,
    email_verified_at timestamp with time zone,
    pending_phone text,
    pending_email text,
    CONSTRAINT users_email_is_an_address CHECK (((email ~ '^[^@[:space:]]+@[^@[:space:]]+$'::text) AND (char_length(email) <= 254))),
    CONSTRAINT users_external_id_is_short CHECK (((char_length(external_id) >= 1) AND (char_length(external_id) <= 200))),
    CONSTRAINT users_locale_is_a_tag CHECK ((locale ~ '^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$'::text)),
    CONSTRAINT users_name_is_short CHECK (((char_length(display_name) >= 1) AND (char_length(display_name) <= 100))),
    CONSTRAINT users_pending_email_is_an_address CHECK (((pending_email ~ '^[^@[:space:]]+@[^@[:space:]]+$'::text) AND (char_length(pending_email) <= 254))),
    CONSTRAINT users_pending_phone_is_e164 CHECK ((pending_phone ~ '^\+[1-9][0-9]{6,14}$'::text)),
    CONSTRAINT users_phone_is_e164 CHECK ((phone ~ '^\+[1-9][0-9]{6,14}$'::text)),
    CONSTRAINT users_verify_what_they_have CHECK ((((phone IS NOT NULL) OR (phone_verified_at IS NULL)) AND ((email IS NOT NULL) OR (email_verified_at IS NULL))))
);

ALTER TABLE ONLY kith.users FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.users OWNER TO kith_owner;

COMMENT ON TABLE kith.users IS 'A person within one tenant; a sender, a receiver, an owner, a nominee, or several of these.';

COMMENT ON COLUMN kith.users.external_id IS 'The tenant''s own name for the user: the `sub` of tokens of its identity provider.';

COMMENT ON COLUMN kith.users.email_normalized IS 'For look-ups: lower() itself is not leakproof, so under a policy it would never be an index condition.';

COMMENT ON COLUMN kith.users.tokens_valid_from IS 'Access tokens issued before this instant are void: signing out everywhere moves it.';

COMMENT ON COLUMN kith.users.phone_verified_at IS 'When a code sent to the number came back. Null for what the tenant''s server only said.';

COMMENT ON COLUMN kith.users.email_verified_at IS 'The same of the e-mail address.';

COMMENT ON COLUMN kith.users.pending_phone IS 'The number that the user wants to have; it counts once a code sent to it came back.';

COMMENT ON COLUMN kith.users.pending_email IS 'The same for an e-mail address.';

CREATE FUNCTION internal.change_user(p_id uuid, p_body jsonb, p_now timestamp with time zone) RETURNS kith.users
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user kith.users;
begin
  select * into v_user from kith.users
  where tenant_id = v_tenant and id = p_id and deleted_at is null
  for no key update;
  if not found then
    perform internal.refuse_not_found();
  end if;
  v_user := internal.user_with(v_user, p_body);
  update kith.users
  set display_name = v_user.display_name, time_zone = v_user.time_zone, locale = v_user.locale, updated_at = p_now
  where tenant_id = v_tenant and id = p_id;
  return v_user;
end
$$;

ALTER FUNCTION internal.change_user(p_id uuid, p_body jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.change_user(p_id uuid, p_body jsonb, p_now timestamp with time zone) IS 'Changes what a user may change about themselves, contacts aside, for the user and for the tenant''s server alike. Runs as its caller: under a user''s policies only the own row is found.';

CREATE TABLE kith.channel_credentials (
    tenant_id integer NOT NULL,
    channel text NOT NULL,
    summary jsonb NOT NULL,
    sealed bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    checked_at timestamp with time zone,
    error text,
    CONSTRAINT channel_credentials_channel_is_known CHECK ((channel = ANY (ARRAY['apns'::text, 'web_push'::text, 'email'::text, 'sms'::text])))
);

ALTER TABLE ONLY kith.channel_credentials FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.channel_credentials OWNER TO kith_owner;

COMMENT ON TABLE kith.channel_credentials IS 'By which provider, and as whom there, a tenant''s messages leave on a channel. Without a row they do not.';

COMMENT ON COLUMN kith.channel_credentials.summary IS 'What may be shown of them.';

COMMENT ON COLUMN kith.channel_credentials.sealed IS 'All of them, AES-256-GCM under the master key, bound to tenant and channel.';

COMMENT ON COLUMN kith.channel_credentials.checked_at IS 'When the provider last took a message, or refused the credentials.';

COMMENT ON COLUMN kith.channel_credentials.error IS 'Why the provider refused them; null when it did not.';

CREATE FUNCTION internal.channel_json(p_credentials kith.channel_credentials) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select json_build_object(
    'channel', (p_credentials).channel,
    'settings', (p_credentials).summary,
    'created_at', internal.instant((p_credentials).created_at),
    'updated_at', internal.instant((p_credentials).updated_at),
    'checked_at', internal.instant((p_credentials).checked_at),
    'error', (p_credentials).error
  )
$$;

ALTER FUNCTION internal.channel_json(p_credentials kith.channel_credentials) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.channel_json(p_credentials kith.channel_credentials) IS 'By which provider a tenant''s messages leave on a channel, without secrets.';

CREATE FUNCTION internal.claim_issuers(p_keys jsonb, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_taken kith.jwt_issuers;
begin
  -- Waits for another tenant that is claiming the same at this moment. In one order, so that two do not wait for each other.
  insert into kith.jwt_issuers (tenant_id, issuer, audience, claimed_at)
  select distinct v_tenant, key.issuer, key.audience, p_now
  from jsonb_populate_recordset(null::kith.jwt_issuers, p_keys) as key
  order by key.issuer, key.audience
  on conflict do nothing;
  -- A statement of its own: it sees what is the tenant's, and nothing of another one.
  select * into v_taken
  from jsonb_populate_recordset(null::kith.jwt_issuers, p_keys) as key
  where not exists (
    select from kith.jwt_issuers as claimed
    where claimed.tenant_id = v_tenant and claimed.issuer = key.issuer and claimed.audience = key.audience
  )
  limit 1;
  if found then
    raise exception 'conflict' using errcode = 'KT409', detail = format(
      'Tokens of the issuer %L for the audience %L are another tenant''s. If they are yours, ask the operator.',
      v_taken.issuer, v_taken.audience
    );
  end if;
end
$$;

ALTER FUNCTION internal.claim_issuers(p_keys jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.claim_issuers(p_keys jsonb, p_now timestamp with time zone) IS 'Makes each issuer and audience of an array of keys the tenant''s, or raises conflict for one that is another tenant''s: whoever could register it too would take over the tokens of its users.';

CREATE FUNCTION internal.close_connection(p_id uuid, p_by text, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  update kith.connections
  set status = 'deleted', deleted_at = p_now, deleted_by = p_by, updated_at = p_now
  where tenant_id = v_tenant and id = p_id and status <> 'deleted';
  if not found then
    perform internal.refuse_not_found();
  end if;
  perform internal.cancel_pings(p_id, p_now);
end
$$;

ALTER FUNCTION internal.close_connection(p_id uuid, p_by text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.close_connection(p_id uuid, p_by text, p_now timestamp with time zone) IS 'Removes a connection softly and without a word, whatever its status (X22): its open pings are cancelled, the history stays. Raises not_found when it is deleted already.';

CREATE FUNCTION internal.close_session(p_vault_id uuid, p_reason text, p_by uuid, p_now timestamp with time zone) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_session kith.vault_sessions;
begin
  select * into v_session
  from kith.vault_sessions
  where tenant_id = v_tenant and vault_id = p_vault_id and kind = 'shared' and locked_at is null
  for update;
  return found and internal.end_session(v_session, p_reason, p_by, p_now);
end
$$;

ALTER FUNCTION internal.close_session(p_vault_id uuid, p_reason text, p_by uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.close_session(p_vault_id uuid, p_reason text, p_by uuid, p_now timestamp with time zone) IS 'end_session for the shared session of a vault; false where there is none. For definer procedures.';

CREATE FUNCTION internal.code_is_free(p_expires_at timestamp with time zone, p_rotated_at timestamp with time zone, p_now timestamp with time zone) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select coalesce(least(p_expires_at, p_rotated_at) < p_now - interval '90 days', false)
$$;

ALTER FUNCTION internal.code_is_free(p_expires_at timestamp with time zone, p_rotated_at timestamp with time zone, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.code_is_free(p_expires_at timestamp with time zone, p_rotated_at timestamp with time zone, p_now timestamp with time zone) IS 'Whether a code ended so long ago (90 days) that it can be somebody else''s (P19). Until then it answers expired_code.';

CREATE TABLE kith.unique_codes (
    tenant_id integer NOT NULL,
    code text NOT NULL,
    user_id uuid NOT NULL,
    role text NOT NULL,
    permanent boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    rotated_at timestamp with time zone,
    CONSTRAINT unique_codes_code_is_six_digits CHECK ((code ~ '^[0-9]{6}$'::text)),
    CONSTRAINT unique_codes_permanent_never_expires CHECK (((NOT permanent) OR (expires_at IS NULL))),
    CONSTRAINT unique_codes_role_is_known CHECK ((role = ANY (ARRAY['sender'::text, 'receiver'::text])))
);

ALTER TABLE ONLY kith.unique_codes FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.unique_codes OWNER TO kith_owner;

COMMENT ON TABLE kith.unique_codes IS 'Six-digit codes, each owned by a user in one role (P19). A rotated or expired code answers expired_code for 90 days and is then free.';

CREATE FUNCTION internal.code_json(p_code kith.unique_codes) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select json_build_object(
    'code', (p_code).code,
    'role', (p_code).role,
    'permanent', (p_code).permanent,
    'expires_at', internal.instant((p_code).expires_at)
  )
$$;

ALTER FUNCTION internal.code_json(p_code kith.unique_codes) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.code_json(p_code kith.unique_codes) IS 'A code as its owner sees it.';

CREATE FUNCTION internal.code_problem(p_problem text, p_retry_after integer) RETURNS json
    LANGUAGE sql IMMUTABLE
    AS $$
  select case
    when p_problem = 'user_blocked' then json_build_object('problem', 'conflict', 'detail', 'You have blocked this user.')
    when p_retry_after is null then json_build_object('problem', p_problem)
    else json_build_object('problem', p_problem, 'retry_after', p_retry_after)
  end
$$;

ALTER FUNCTION internal.code_problem(p_problem text, p_retry_after integer) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.code_problem(p_problem text, p_retry_after integer) IS 'A refusal that is returned and not raised, because raising would roll the counted attempt back.';

CREATE FUNCTION internal.complete_pings(p_check_in_id uuid, p_time_zone text, p_previous_at timestamp with time zone, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_today date := internal.local_date(p_now, p_time_zone);
  -- No zone is further than 14 hours from UTC and no grace longer than 12: what may be open is of one of four dates.
  v_day date := (p_now at time zone 'UTC')::date;
  v_since timestamptz := least(coalesce(p_previous_at, '-infinity'), p_now);
  v_since_on date := (v_since at time zone 'UTC')::date - 2;
  v_pings kith.pings[];
  v_missed kith.pings[];
  v_missed_ids uuid[];
  v_answer json;
begin
  if v_tenant is null or v_user is null then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;

  -- What had come up and nobody had judged, whatever its date: 23:58 with 90 minutes ends tomorrow.
  with changed as (
    update kith.pings as ping
    set status = case when ping.deadline_at > p_now then 'completed' else 'completed_late' end, completed_at = p_now,
      check_in_id = p_check_in_id, remind_at = null
    where ping.tenant_id = v_tenant and ping.ping_on in (v_day - 2, v_day - 1, v_day, v_day + 1) and ping.sender_id = v_user
      and ping.status in ('scheduled', 'due') and ping.scheduled_at <= p_now
    returning ping
  )
  select array_agg(changed.ping) into v_pings
  from changed;

  -- What was judged missed since the check-in before: in time after all where this one was received before the deadline, late
  -- for the newest of each connection.
  if exists (
    select from kith.pings as ping
    where ping.tenant_id = v_tenant and ping.sender_id = v_user and ping.status = 'missed' and ping.deadline_at > v_since
      and ping.ping_on >= v_since_on and ping.ping_on <= v_day + 1
  ) then
    with missed as (
      select ping.ping_on, ping.connection_id, ping.deadline_at,
        max(ping.ping_on) filter (where ping.deadline_at <= p_now) over (partition by ping.connection_id) as newest_on
      from kith.pings as ping
      where ping.tenant_id = v_tenant and ping.sender_id = v_user and ping.status = 'missed' and ping.deadline_at > v_since
        and ping.ping_on >= v_since_on and ping.ping_on <= v_day + 1
    ), changed as (
      update kith.pings as ping
      set status = case when ping.deadline_at > p_now then 'completed' else 'completed_late' end, completed_at = p_now,
        check_in_id = p_check_in_id
      from missed
      join kith.connections as connection
        on connection.tenant_id = v_tenant and connection.id = missed.connection_id and connection.status <> 'deleted'
      where ping.tenant_id = v_tenant and ping.ping_on = missed.ping_on and ping.connection_id = missed.connection_id
        and ping.status = 'missed' and (missed.deadline_at > p_now or missed.ping_on = missed.newest_on)
      returning ping
    )
    select array_agg(changed.ping), array_agg((changed.ping).id) into v_missed, v_missed_ids
    from changed;
  end if;

  -- Today's, early: only where none was open, nor is one answered whose deadline is ahead. A second tap at 00:05 is about the
  -- ping of 23:58, and must not silence the one of the night to come.
  if not exists (select from unnest(v_missed || v_pings) as done where done.status = 'completed') then
    with changed as (
      update kith.pings as ping
      set status = 'completed', completed_at = p_now, check_in_id = p_check_in_id, remind_at = null
      where ping.tenant_id = v_tenant and ping.ping_on = v_today and ping.sender_id = v_user
        and ping.status = 'scheduled' and ping.scheduled_at > p_now
        and not exists (
          select from kith.pings as answered
          where answered.tenant_id = v_tenant and answered.ping_on in (v_day - 2, v_day - 1, v_day, v_day + 1)
            and answered.sender_id = v_user and answered.status in ('completed', 'completed_late')
            and answered.scheduled_at <= p_now and answered.deadline_at > p_now
        )
      returning ping
    )
    select v_pings || array_agg(changed.ping) into v_pings
    from changed;
  end if;
  v_pings := v_missed || v_pings;

  with told as (
    -- A pending connection tells nobody (P29). An all-clear goes to whoever was alarmed, paused or not.
    insert into kith.notifications (tenant_id, id, user_id, type, title, body, data, created_at)
    -- Each text by a type that is a constant: the planner then keeps that one of all, instead of making all ready at each check-in.
    select v_tenant, internal.uuid7(p_now), done.receiver_id,
      case when news.is_late then 'ping_all_clear' else 'ping_completed' end,
      case when news.is_late then internal.notification_title('ping_all_clear') else internal.notification_title('ping_completed') end,
      case
        when news.is_late then internal.notification_body('ping_all_clear', 'receiver', sender.display_name)
        else internal.notification_body('ping_completed', 'receiver', sender.display_name)
      end,
      jsonb_build_object('connection_id', done.connection_id, 'ping_id', done.id, 'date', done.ping_on), p_now
    from unnest(v_pings) as done
    cross join lateral (
      select coalesce(done.status = 'completed_late' or done.id = any (v_missed_ids), false) as is_late
    ) as news
    join kith.connections as connection
      on connection.tenant_id = v_tenant and connection.id = done.connection_id
      and case
        when done.id = any (v_missed_ids) then
          connection.status <> 'deleted'
          and internal.was_told_of_ping(v_tenant, done.receiver_id, 'ping_missed', done.id, done.deadline_at)
        else connection.status = 'active'
      end
    join kith.users as sender on sender.tenant_id = v_tenant and sender.id = v_user
  )
  select json_build_object(
    'completed', count(*) filter (where (done).status = 'completed'),
    'late', count(*) filter (where (done).status = 'completed_late'),
    'pings', coalesce(json_agg(internal.ping_json(done) order by (done).ping_on, (done).connection_id), '[]')
  )
  into v_answer
  from unnest(v_pings) as done;
  return v_answer;
end
$$;

ALTER FUNCTION internal.complete_pings(p_check_in_id uuid, p_time_zone text, p_previous_at timestamp with time zone, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.complete_pings(p_check_in_id uuid, p_time_zone text, p_previous_at timestamp with time zone, p_now timestamp with time zone) IS 'What a check-in does to the sender''s pings, and the word to their receivers; p_previous_at is the check-in before it. The sender''s profile must be locked by the caller, so that two check-ins come one after the other. Definer: only a cause may write a notification, and its recipients follow from the pings.';

CREATE FUNCTION internal.confirm_contact(p_user_id uuid, p_channel text, p_address text, p_now timestamp with time zone) RETURNS kith.users
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user kith.users;
begin
  if p_channel = 'sms' then
    update kith.users
    set phone = p_address, phone_verified_at = p_now, pending_phone = nullif(pending_phone, p_address), updated_at = p_now
    where tenant_id = v_tenant and id = p_user_id and deleted_at is null
    returning * into v_user;
  else
    update kith.users
    set email = p_address, email_verified_at = p_now,
      pending_email = case when lower(pending_email) <> lower(p_address) then pending_email end, updated_at = p_now
    where tenant_id = v_tenant and id = p_user_id and deleted_at is null
    returning * into v_user;
  end if;
  return v_user;
exception when unique_violation then
  raise exception 'conflict' using errcode = 'KT409', detail = 'Another account has this contact.';
end
$$;

ALTER FUNCTION internal.confirm_contact(p_user_id uuid, p_channel text, p_address text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.confirm_contact(p_user_id uuid, p_channel text, p_address text, p_now timestamp with time zone) IS 'Makes a contact the user''s verified one. Raises conflict when another user of the tenant has it verified. For definer procedures.';

CREATE FUNCTION kith.tenant_id() RETURNS integer
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  select nullif(current_setting('kith.tenant_id', true), '')::integer
$$;

ALTER FUNCTION kith.tenant_id() OWNER TO kith_owner;

COMMENT ON FUNCTION kith.tenant_id() IS 'The tenant of this transaction; null where none is set, and then kith_api sees nothing.';

CREATE FUNCTION kith.user_id() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  select nullif(current_setting('kith.user_id', true), '')::uuid
$$;

ALTER FUNCTION kith.user_id() OWNER TO kith_owner;

COMMENT ON FUNCTION kith.user_id() IS 'The user of this transaction; null for a tenant''s server, the worker and an operator.';

CREATE TABLE kith.connections (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    sender_id uuid NOT NULL,
    receiver_id uuid NOT NULL,
    status text NOT NULL,
    code_owner_id uuid NOT NULL,
    activated_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone,
    deleted_by text,
    pings_stopped_at timestamp with time zone,
    CONSTRAINT connections_code_owner_is_a_side CHECK (((code_owner_id = sender_id) OR (code_owner_id = receiver_id))),
    CONSTRAINT connections_deleted_says_when CHECK (((status = 'deleted'::text) = (deleted_at IS NOT NULL))),
    CONSTRAINT connections_sender_is_not_receiver CHECK ((sender_id <> receiver_id)),
    CONSTRAINT connections_status_is_known CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'paused'::text, 'deleted'::text])))
);

ALTER TABLE ONLY kith.connections FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.connections OWNER TO kith_owner;

COMMENT ON TABLE kith.connections IS 'One sender and one receiver. Removing is soft; connecting again revives the same row (P24, P26).';

COMMENT ON COLUMN kith.connections.code_owner_id IS 'Whose code was redeemed last: they are told of it, and where consent is required they give it.';

COMMENT ON COLUMN kith.connections.activated_at IS 'When pings last began (connect, resume, reactivate, renew): a day whose deadline was already past then has no ping, for that reason (P13).';

COMMENT ON COLUMN kith.connections.deleted_by IS 'user:<id>, or operator:<login role>.';

COMMENT ON COLUMN kith.connections.pings_stopped_at IS 'Since when the receiver''s lapsed subscription keeps this connection from having pings, whatever its status (X28): kept here so that generation needs no look at the receiver.';

CREATE TABLE kith.sender_profiles (
    tenant_id integer NOT NULL,
    user_id uuid NOT NULL,
    time_zone text NOT NULL,
    ping_time time(0) without time zone NOT NULL,
    grace_minutes integer NOT NULL,
    reminder_minutes integer NOT NULL,
    timed_at timestamp with time zone NOT NULL,
    last_check_in_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    break_from_on date,
    break_until_on date,
    CONSTRAINT sender_profiles_break_is_whole CHECK (((break_from_on IS NULL) = (break_until_on IS NULL))),
    CONSTRAINT sender_profiles_grace_in_bounds CHECK (((grace_minutes >= 5) AND (grace_minutes < 720))),
    CONSTRAINT sender_profiles_reminder_is_before_deadline CHECK (((reminder_minutes > 0) AND (reminder_minutes < grace_minutes)))
)
WITH (fillfactor='80');

ALTER TABLE ONLY kith.sender_profiles FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.sender_profiles OWNER TO kith_owner;

COMMENT ON TABLE kith.sender_profiles IS 'Who says "I''m safe", and when: the ping time is local to time_zone.';

COMMENT ON COLUMN kith.sender_profiles.ping_time IS 'Local time of day; a time in a DST gap moves to the gap''s end, in an overlap it is the first of the two (X25).';

COMMENT ON COLUMN kith.sender_profiles.timed_at IS 'When zone, ping time or grace last changed, or a break of that day was taken back: a day whose deadline was already past then has no ping, for that reason.';

COMMENT ON COLUMN kith.sender_profiles.last_check_in_at IS 'The newest received_at of the sender''s check-ins: receivers may see when, but not the check-in itself with its note.';

COMMENT ON COLUMN kith.sender_profiles.break_from_on IS 'The dates of the sender''s newest break that has a day, also when it is over: a run that comes late must know.';

CREATE VIEW internal.own_connections WITH (security_barrier='true') AS
 SELECT connection.tenant_id,
    connection.id,
        CASE counterpart.id
            WHEN connection.receiver_id THEN 'sender'::text
            ELSE 'receiver'::text
        END AS role,
    connection.status,
    counterpart.id AS counterpart_id,
    counterpart.display_name AS counterpart_name,
    connection.sender_id,
    connection.receiver_id,
    connection.created_at,
    connection.updated_at,
    sender.time_zone AS sender_time_zone,
    sender.timed_at AS sender_timed_at,
    (connection.pings_stopped_at IS NOT NULL) AS is_suspended,
        CASE
            WHEN ((counterpart.id = connection.receiver_id) OR (connection.status = 'active'::text)) THEN sender.break_from_on
            ELSE NULL::date
        END AS break_from_on,
        CASE
            WHEN ((counterpart.id = connection.receiver_id) OR (connection.status = 'active'::text)) THEN sender.break_until_on
            ELSE NULL::date
        END AS break_until_on,
    ((counterpart.id = connection.receiver_id) OR (connection.status <> 'pending'::text)) AS shows_pings,
        CASE
            WHEN ((counterpart.id = connection.receiver_id) OR (connection.status = 'active'::text)) THEN sender.last_check_in_at
            ELSE NULL::timestamp with time zone
        END AS last_check_in_at
   FROM ((kith.connections connection
     JOIN kith.users counterpart ON (((counterpart.tenant_id = connection.tenant_id) AND (counterpart.id =
        CASE connection.sender_id
            WHEN kith.user_id() THEN connection.receiver_id
            ELSE connection.sender_id
        END))))
     JOIN kith.sender_profiles sender ON (((sender.tenant_id = connection.tenant_id) AND (sender.user_id = connection.sender_id))))
  WHERE ((connection.tenant_id = kith.tenant_id()) AND ((connection.sender_id = kith.user_id()) OR (connection.receiver_id = kith.user_id())) AND (connection.status <> 'deleted'::text));

ALTER TABLE internal.own_connections OWNER TO kith_owner;

COMMENT ON VIEW internal.own_connections IS 'The connections of the user who asks, deleted ones left out, with what each side may know of the other: nobody needs to read another''s account for a name. The view runs as the owner, so its own condition is the policy here; policies of users that look into connections cost three times as much for each row, and a distributed database refuses them.';

COMMENT ON COLUMN internal.own_connections.is_suspended IS 'No pings, because the receiver''s subscription has lapsed (X28).';

COMMENT ON COLUMN internal.own_connections.break_from_on IS 'As last_check_in_at; the break may be over.';

COMMENT ON COLUMN internal.own_connections.shows_pings IS 'While a connection is pending, its pings are shown to the sender only (P29).';

COMMENT ON COLUMN internal.own_connections.last_check_in_at IS 'For the receiver, while the connection is active only.';

CREATE TABLE kith.pings (
    tenant_id integer NOT NULL,
    ping_on date NOT NULL,
    connection_id uuid NOT NULL,
    id uuid NOT NULL,
    sender_id uuid NOT NULL,
    receiver_id uuid NOT NULL,
    status text NOT NULL,
    scheduled_at timestamp with time zone NOT NULL,
    remind_at timestamp with time zone,
    deadline_at timestamp with time zone NOT NULL,
    completed_at timestamp with time zone,
    check_in_id uuid,
    CONSTRAINT pings_completed_says_when CHECK (((status = ANY (ARRAY['completed'::text, 'completed_late'::text])) = (completed_at IS NOT NULL))),
    CONSTRAINT pings_deadline_is_after_schedule CHECK ((deadline_at > scheduled_at)),
    CONSTRAINT pings_status_is_known CHECK ((status = ANY (ARRAY['scheduled'::text, 'due'::text, 'completed'::text, 'missed'::text, 'completed_late'::text, 'cancelled'::text])))
)
PARTITION BY RANGE (ping_on);

ALTER TABLE ONLY kith.pings FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.pings OWNER TO kith_owner;

COMMENT ON TABLE kith.pings IS 'One connection and one local date of its sender: is the sender safe today? Monthly partitions. No foreign keys: rows are made from connections only, a million at a time.';

COMMENT ON COLUMN kith.pings.ping_on IS 'The local date in the sender''s zone.';

COMMENT ON COLUMN kith.pings.receiver_id IS 'Carried from the connection, so that a policy needs no look into another table.';

COMMENT ON COLUMN kith.pings.status IS 'scheduled → due → completed | missed → completed_late; or cancelled, which the same day can bring back.';

COMMENT ON COLUMN kith.pings.remind_at IS 'When the sender is to be reminded; null once done or pointless.';

COMMENT ON COLUMN kith.pings.deadline_at IS 'Never moved by load or by our own outage.';

CREATE FUNCTION internal.connection_json(p_connection internal.own_connections, p_today_ping kith.pings, p_now timestamp with time zone) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select json_build_object(
    'id', (p_connection).id,
    'role', (p_connection).role,
    'status', (p_connection).status,
    'counterpart', json_build_object(
      'id', (p_connection).counterpart_id,
      'display_name',
        internal.counterpart_name((p_connection).counterpart_name, internal.opposite_role((p_connection).role))
    ),
    'sender_id', (p_connection).sender_id,
    'receiver_id', (p_connection).receiver_id,
    'created_at', internal.instant((p_connection).created_at),
    'updated_at', internal.instant((p_connection).updated_at),
    'today_ping', case when (p_today_ping).id is not null then internal.ping_json(p_today_ping) end,
    'last_check_in_at', internal.instant((p_connection).last_check_in_at),
    'break', case
      when (p_connection).break_until_on is not null
        and (p_connection).break_until_on >= (p_now at time zone (p_connection).sender_time_zone)::date
        then json_build_object('from', (p_connection).break_from_on, 'until', (p_connection).break_until_on)
    end,
    'suspended_reason', case when (p_connection).is_suspended then 'subscription' end
  )
$$;

ALTER FUNCTION internal.connection_json(p_connection internal.own_connections, p_today_ping kith.pings, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.connection_json(p_connection internal.own_connections, p_today_ping kith.pings, p_now timestamp with time zone) IS 'A connection as one side sees it, with today''s ping and the sender''s current or coming break, each or null.';

CREATE FUNCTION internal.conversation(p_vault_id uuid, p_nominee_id uuid, p_now timestamp with time zone, OUT vault kith.vaults, OUT nominee kith.nominees, OUT other_id uuid) RETURNS record
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_access record := internal.vault_access(p_vault_id, p_now);
begin
  vault := v_access.vault;
  if v_access.role = 'owner' then
    select * into nominee
    from kith.nominees
    where tenant_id = v_tenant and vault_id = p_vault_id and id = p_nominee_id;
    other_id := nominee.user_id;
  else
    nominee := v_access.nominee;
    other_id := vault.owner_id;
  end if;
  if nominee.id is distinct from p_nominee_id then
    perform internal.refuse_not_found();
  end if;
end
$$;

ALTER FUNCTION internal.conversation(p_vault_id uuid, p_nominee_id uuid, p_now timestamp with time zone, OUT vault kith.vaults, OUT nominee kith.nominees, OUT other_id uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.conversation(p_vault_id uuid, p_nominee_id uuid, p_now timestamp with time zone, OUT vault kith.vaults, OUT nominee kith.nominees, OUT other_id uuid) IS 'The conversation that the user who asks has part in as the vault''s owner or as that nominee, and who the other is (null where nobody is bound yet). Raises as vault_access does, and not_found for another nominee''s. For definer procedures.';

CREATE FUNCTION internal.count_deliveries(p_instance text, p_counts jsonb) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  insert into kith.delivery_totals as totals (channel, slot, sent, failed, dropped, retried)
  select counts.channel, abs(hashtext(p_instance) % 16), sum(coalesce(counts.sent, 0)), sum(coalesce(counts.failed, 0)),
    sum(coalesce(counts.dropped, 0)), sum(coalesce(counts.retried, 0))
  from jsonb_to_recordset(p_counts) as counts (channel text, sent bigint, failed bigint, dropped bigint, retried bigint)
  group by counts.channel
  -- In one order, because two workers may have the same row.
  order by counts.channel
  on conflict (channel, slot) do update
  set sent = totals.sent + excluded.sent, failed = totals.failed + excluded.failed, dropped = totals.dropped + excluded.dropped,
    retried = totals.retried + excluded.retried;
end
$$;

ALTER FUNCTION internal.count_deliveries(p_instance text, p_counts jsonb) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.count_deliveries(p_instance text, p_counts jsonb) IS 'Adds to the totals: [{channel, sent?, failed?, dropped?, retried?}]. Last in a transaction: who counts in the same row waits for its end.';

CREATE FUNCTION internal.count_otp(p_scope text, p_limit integer, p_now timestamp with time zone) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  insert into kith.otp_counts as counts (tenant_id, counted_on, scope, codes)
  select v_tenant, (p_now at time zone 'UTC')::date, p_scope, 1
  where p_limit > 0
  on conflict (tenant_id, counted_on, scope) do update set codes = counts.codes + 1
  where counts.codes < p_limit;
  return found;
end
$$;

ALTER FUNCTION internal.count_otp(p_scope text, p_limit integer, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.count_otp(p_scope text, p_limit integer, p_now timestamp with time zone) IS 'Counts a code of the day in a scope, unless the limit is reached: then false, and nothing is counted.';

CREATE FUNCTION internal.count_users(p_new integer) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  update kith.tenant_usage set users = users + p_new where tenant_id = v_tenant;
  if not found then
    insert into kith.tenant_usage (tenant_id, users)
    select v_tenant, count(*) from kith.users where tenant_id = v_tenant and deleted_at is null
    on conflict (tenant_id) do update set users = tenant_usage.users + p_new;
  end if;
  if internal.users_left() < 0 then
    perform internal.refuse_users();
  end if;
end
$$;

ALTER FUNCTION internal.count_users(p_new integer) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.count_users(p_new integer) IS 'Counts the users just inserted against the tenant''s quota and raises quota_exceeded past it, which takes the insert back. Last in a transaction: others of the tenant wait for it.';

CREATE FUNCTION internal.counterpart_name(p_name text, p_role text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select coalesce(nullif(btrim(p_name), ''), case p_role when 'sender' then 'Sender' else 'Receiver' end)
$$;

ALTER FUNCTION internal.counterpart_name(p_name text, p_role text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.counterpart_name(p_name text, p_role text) IS 'The name of the other side of a connection, who has the role given there (P10).';

CREATE FUNCTION internal.day_begins_at(p_date date, p_zone text) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select coalesce(internal.midnight(p_date, p_zone), internal.midnight(p_date + 1, p_zone))
$$;

ALTER FUNCTION internal.day_begins_at(p_date date, p_zone text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.day_begins_at(p_date date, p_zone text) IS 'The first instant of the date in the zone; of the next one where the zone skipped it (none ever skipped two).';

CREATE FUNCTION internal.decline_nominee_invitation(p_id uuid, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_held record := internal.hold_invitation(p_id, p_now);
  v_vault kith.vaults := v_held.vault;
begin
  if v_held.state = 'declined' then
    return;
  end if;
  perform internal.require_pending(v_held.state);
  perform internal.require_no_part(v_vault);
  perform internal.end_nominee((v_held.nominee).id, 'declined', p_now);
  perform internal.tell_of_vault(
    v_vault.owner_id, 'nominee_declined', v_vault, null, (v_held.nominee).name,
    jsonb_build_object('nominee_id', (v_held.nominee).id), p_now
  );
end
$$;

ALTER FUNCTION internal.decline_nominee_invitation(p_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.decline_nominee_invitation(p_id uuid, p_now timestamp with time zone) IS 'Turns an invitation down: the nominee is revoked, nobody is bound or named, and the owner is told. The same again changes nothing. Who has no account can decline too: it is the token that counts. For definer procedures.';

CREATE FUNCTION internal.decline_transfer(p_transfer_id uuid, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_transfer kith.transfers := internal.lock_transfer(p_transfer_id);
  v_vault kith.vaults;
begin
  if v_transfer.status = 'declined' then
    return;
  end if;
  perform internal.require_pending(internal.transfer_state(v_transfer, p_now));
  if v_transfer.owner_id = v_user then
    raise exception 'conflict' using errcode = 'KT409', detail = 'This is your own vault.';
  end if;
  update kith.transfers set status = 'declined', ended_at = p_now
  where tenant_id = v_tenant and id = p_transfer_id;
  select * into v_vault from kith.vaults where tenant_id = v_tenant and id = v_transfer.vault_id;
  -- Who declines is nobody to the owner, as with an invitation.
  perform internal.record_history(v_vault.id, null, 'transfer.declined', 'transfer', p_transfer_id, null, p_now);
  perform internal.tell_of_vault(
    v_transfer.owner_id, 'transfer_declined', v_vault, null, v_transfer.name,
    jsonb_build_object('transfer_id', p_transfer_id), p_now
  );
end
$$;

ALTER FUNCTION internal.decline_transfer(p_transfer_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.decline_transfer(p_transfer_id uuid, p_now timestamp with time zone) IS 'Declines a transfer, which binds and names nobody, and tells the owner; again changes nothing. Who has no account can decline too: it is the token that counts. For definer procedures that have found it.';

CREATE FUNCTION internal.delete_channel(p_tenant_id integer, p_channel text, p_actor text, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  delete from kith.channel_credentials where tenant_id = p_tenant_id and channel = p_channel;
  if not found then
    perform internal.refuse_not_found();
  end if;
  perform internal.record_act(p_tenant_id, p_actor, 'channel.delete', p_channel, null, p_now);
end
$$;

ALTER FUNCTION internal.delete_channel(p_tenant_id integer, p_channel text, p_actor text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.delete_channel(p_tenant_id integer, p_channel text, p_actor text, p_now timestamp with time zone) IS 'Deletes a tenant''s credentials for a channel, and audits it; not_found where there are none.';

CREATE FUNCTION internal.delete_user(p_user_id uuid, p_actor text, p_detail jsonb, p_delete_vaults boolean, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_phone text;
  v_email text;
  v_connection kith.connections;
  v_connections kith.connections[];
  v_told uuid[];
begin
  -- All locks in the order that README.md says. The strongest one first: whoever is about to do something with this account
  -- waits, and then finds nobody.
  select case when phone_verified_at is not null then phone end, case when email_verified_at is not null then email end
  into v_phone, v_email
  from kith.users
  where tenant_id = v_tenant and id = p_user_id and deleted_at is null
  for update;
  if not found then
    perform internal.refuse_not_found();
  end if;
  if not p_delete_vaults then
    perform internal.refuse_shared_vaults(p_user_id);
  end if;
  -- Not deleted: the digits must not be another's while messages with them are about (P19).
  update kith.unique_codes set rotated_at = p_now where tenant_id = v_tenant and user_id = p_user_id and rotated_at is null;
  delete from kith.receiver_profiles where tenant_id = v_tenant and user_id = p_user_id;
  -- Those that have ended too: below it is about what others were told of them, and two who end their accounts must not meet there.
  v_connections := array(
    select connection
    from kith.connections as connection
    where tenant_id = v_tenant and (sender_id = p_user_id or receiver_id = p_user_id)
    order by id
    for no key update
  );
  perform from kith.sender_profiles where tenant_id = v_tenant and user_id = p_user_id for update;
  foreach v_connection in array v_connections loop
    if v_connection.status <> 'deleted' then
      perform internal.end_connection(v_connection.id, 'user:' || p_user_id, p_now);
    end if;
  end loop;
  delete from kith.sender_profiles where tenant_id = v_tenant and user_id = p_user_id;

  delete from kith.devices where tenant_id = v_tenant and user_id = p_user_id;
  delete from kith.blocks where tenant_id = v_tenant and (user_id = p_user_id or blocked_id = p_user_id);
  delete from kith.quiet_hours where tenant_id = v_tenant and user_id = p_user_id;
  delete from kith.notification_preferences where tenant_id = v_tenant and user_id = p_user_id;
  delete from kith.breaks where tenant_id = v_tenant and user_id = p_user_id;
  delete from kith.idempotency_keys where tenant_id = v_tenant and caller = 'user:' || p_user_id;
  perform internal.forget_messages(p_user_id, v_phone);
  perform internal.forget_vaults(p_user_id, v_phone, v_email, p_now);

  update kith.check_ins set note = null where tenant_id = v_tenant and user_id = p_user_id and note is not null;
  perform internal.forget_name(p_user_id);
  v_told := array(select id from kith.notifications where tenant_id = v_tenant and user_id = p_user_id order by id for update);
  delete from kith.notifications where tenant_id = v_tenant and id = any (v_told);
  -- After them: a worker that was just writing deliveries of one has done so by now, and these hold addresses.
  perform from kith.deliveries where tenant_id = v_tenant and notification_id = any (v_told) order by id for update;
  delete from kith.deliveries where tenant_id = v_tenant and notification_id = any (v_told);
  delete from kith.undelivered_alarms where tenant_id = v_tenant and user_id = p_user_id;
  update kith.audit set detail = '{"erased": true}'
  where tenant_id = v_tenant and detail <> '{}' and subject = any (
    array(
      select id::text from kith.connections
      where tenant_id = v_tenant and (sender_id = p_user_id or receiver_id = p_user_id)
    ) || p_user_id::text
  );

  update kith.users
  set external_id = null, display_name = null, phone = null, phone_verified_at = null, pending_phone = null, email = null,
    email_verified_at = null, pending_email = null, time_zone = 'UTC', locale = 'en',
    tokens_valid_from = p_now, updated_at = p_now, deleted_at = p_now
  where tenant_id = v_tenant and id = p_user_id;
  update kith.tenant_usage set users = users - 1 where tenant_id = v_tenant;
  perform internal.record_act(v_tenant, p_actor, 'user.delete', p_user_id::text, p_detail, p_now);
end
$$;

ALTER FUNCTION internal.delete_user(p_user_id uuid, p_actor text, p_detail jsonb, p_delete_vaults boolean, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.delete_user(p_user_id uuid, p_actor text, p_detail jsonb, p_delete_vaults boolean, p_now timestamp with time zone) IS 'Ends an account, for the user, the tenant''s server and an operator alike: what connects it ends and the others are told, what is the user''s alone is deleted, and what history keeps loses everything personal; external_id is free again. Raises not_found for a stranger and the deleted, and conflict where the user owns vaults that others have access to, unless they are to be deleted too. Called by definers.';

CREATE FUNCTION internal.delete_vault(p_vault_id uuid, p_by text, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_session kith.vault_sessions;
begin
  perform internal.lock_vault_row(p_vault_id);
  for v_session in
    select * from kith.vault_sessions where tenant_id = v_tenant and vault_id = p_vault_id and locked_at is null order by id for update
  loop
    perform internal.end_session(v_session, 'vault_deleted', kith.user_id(), p_now);
  end loop;
  update kith.transfers set status = 'vault_deleted', ended_at = p_now
  where tenant_id = v_tenant and vault_id = p_vault_id and status = 'pending';
  update kith.nominee_invitations set ended_at = p_now, end_reason = 'vault_deleted'
  where tenant_id = v_tenant and vault_id = p_vault_id and ended_at is null;
  update kith.vaults set deleted_at = p_now, deleted_by = p_by, updated_at = p_now where tenant_id = v_tenant and id = p_vault_id;
  perform internal.record_history(p_vault_id, kith.user_id(), 'vault.deleted', 'vault', p_vault_id, null, p_now);
end
$$;

ALTER FUNCTION internal.delete_vault(p_vault_id uuid, p_by text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.delete_vault(p_vault_id uuid, p_by text, p_now timestamp with time zone) IS 'Deletes a vault softly: it locks, its nominees no longer see it, its tokens are dead (N05). For 30 days restore_vault brings it back. For definer procedures.';

CREATE FUNCTION internal.delivery_subject(p_purpose text, p_brand text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case p_purpose when 'sign_in_code' then 'Your ' || p_brand || ' code' when 'contact_code' then 'Confirm your e-mail address for ' || p_brand end
$$;

ALTER FUNCTION internal.delivery_subject(p_purpose text, p_brand text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.delivery_subject(p_purpose text, p_brand text) IS 'The subject of an e-mail that carries a code; null for another purpose. Never the code itself: subjects stand on locked screens.';

CREATE FUNCTION internal.delivery_text(p_purpose text, p_channel text, p_brand text, p_host text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case p_purpose
      when 'sign_in_code' then p_brand || ' code: {code}. It is valid for 10 minutes. Do not share it.'
      when 'contact_code' then
        p_brand || ' code: {code}. It confirms your new ' || case p_channel when 'sms' then 'phone number' else 'e-mail address' end
          || ' and is valid for 10 minutes. Do not share it.'
    end
    -- Domain-bound: a phone fills such a code in by itself, and only for this host.
    || case when p_channel = 'sms' and p_host is not null then e'\n\n@' || p_host || ' #{code}' else '' end
$$;

ALTER FUNCTION internal.delivery_text(p_purpose text, p_channel text, p_brand text, p_host text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.delivery_text(p_purpose text, p_channel text, p_brand text, p_host text) IS 'The text of a message that carries a code, with {code} where the secret goes; null for another purpose.';

CREATE TABLE kith.devices (
    tenant_id integer NOT NULL,
    token text NOT NULL,
    user_id uuid NOT NULL,
    platform text NOT NULL,
    environment text NOT NULL,
    public_key text,
    auth_secret text,
    created_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    CONSTRAINT devices_auth_secret_is_short CHECK (((char_length(auth_secret) >= 1) AND (char_length(auth_secret) <= 200))),
    CONSTRAINT devices_environment_is_known CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text]))),
    CONSTRAINT devices_keys_come_together CHECK (((public_key IS NULL) = (auth_secret IS NULL))),
    CONSTRAINT devices_platform_is_known CHECK ((platform = ANY (ARRAY['ios'::text, 'web'::text]))),
    CONSTRAINT devices_public_key_is_short CHECK (((char_length(public_key) >= 1) AND (char_length(public_key) <= 200))),
    CONSTRAINT devices_token_is_printable CHECK (((token ~ '^[!-~]+$'::text) AND (char_length(token) <= 1000)))
);

ALTER TABLE ONLY kith.devices FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.devices OWNER TO kith_owner;

COMMENT ON TABLE kith.devices IS 'Where a user''s pushes go (A05): several a user, each token one user''s only, because a phone changes hands.';

COMMENT ON COLUMN kith.devices.token IS 'What the push service knows the device by: a token of APNs, or the endpoint of a web push subscription.';

COMMENT ON COLUMN kith.devices.public_key IS 'Web push: p256dh of the subscription (RFC 8291).';

COMMENT ON COLUMN kith.devices.auth_secret IS 'Web push: auth of the subscription (RFC 8291). Never shown again.';

CREATE FUNCTION internal.device_json(p_device kith.devices) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select json_build_object(
    'platform', (p_device).platform,
    'token', (p_device).token,
    'environment', (p_device).environment,
    'created_at', internal.instant((p_device).created_at),
    'last_seen_at', internal.instant((p_device).last_seen_at)
  )
$$;

ALTER FUNCTION internal.device_json(p_device kith.devices) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.device_json(p_device kith.devices) IS 'A device as the API says it: without the keys of a web push subscription.';

CREATE FUNCTION internal.devices_json() RETURNS json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  return (
    select coalesce(json_agg(internal.device_json(devices) order by last_seen_at desc, token), '[]')
    from kith.devices
    where tenant_id = v_tenant and user_id = v_user
  );
end
$$;

ALTER FUNCTION internal.devices_json() OWNER TO kith_owner;

COMMENT ON FUNCTION internal.devices_json() IS 'The devices of the user who asks, the last seen first. Definer: the keys of a web push subscription are nobody''s to read, and a row has them.';

CREATE TABLE kith.documents (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    vault_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    version_id uuid NOT NULL,
    name text NOT NULL,
    content_type text NOT NULL,
    size bigint NOT NULL,
    sha256 bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    created_by uuid NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone,
    deleted_by uuid,
    CONSTRAINT documents_content_type_is_short CHECK (((char_length(content_type) >= 3) AND (char_length(content_type) <= 255))),
    CONSTRAINT documents_hash_is_sha256 CHECK ((octet_length(sha256) = 32)),
    CONSTRAINT documents_name_is_short CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
    CONSTRAINT documents_size_in_bounds CHECK (((size >= 0) AND (size <= 26214400)))
);

ALTER TABLE ONLY kith.documents FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.documents OWNER TO kith_owner;

COMMENT ON TABLE kith.documents IS 'What a vault holds. The content is that of one version, in chunks. Deleting is soft for 30 days.';

COMMENT ON COLUMN kith.documents.version_id IS 'The version whose chunks are the content; a document is there once its first version is whole.';

COMMENT ON COLUMN kith.documents.sha256 IS 'Of the content as it was sent.';

CREATE FUNCTION internal.document_json(p_document kith.documents) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select json_build_object(
    'id', (p_document).id,
    'vault_id', (p_document).vault_id,
    'version_id', (p_document).version_id,
    'name', (p_document).name,
    'content_type', (p_document).content_type,
    'size', (p_document).size,
    'sha256', encode((p_document).sha256, 'hex'),
    'created_at', internal.instant((p_document).created_at),
    'updated_at', internal.instant((p_document).updated_at),
    'deleted_at', internal.instant((p_document).deleted_at)
  )
$$;

ALTER FUNCTION internal.document_json(p_document kith.documents) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.document_json(p_document kith.documents) IS 'A document without its content; the ETag of that is version_id in quotes.';

CREATE FUNCTION internal.end_connection(p_id uuid, p_by text, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  perform internal.close_connection(p_id, p_by, p_now);
  perform internal.notify_connection(p_id, 'connection_removed', p_now);
end
$$;

ALTER FUNCTION internal.end_connection(p_id uuid, p_by text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.end_connection(p_id uuid, p_by text, p_now timestamp with time zone) IS 'Removes a connection (P23, P24) and tells the other side; by an operator, both. Raises not_found when it is deleted already.';

CREATE FUNCTION internal.end_nominee(p_nominee_id uuid, p_reason text, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  perform internal.end_nominees(array[p_nominee_id], p_reason, p_now);
end
$$;

ALTER FUNCTION internal.end_nominee(p_nominee_id uuid, p_reason text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.end_nominee(p_nominee_id uuid, p_reason text, p_now timestamp with time zone) IS 'end_nominees of one.';

CREATE FUNCTION internal.end_nominees(p_nominee_ids uuid[], p_reason text, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_ended uuid[];
  v_vaults uuid[];
  v_vault kith.vaults;
  v_session kith.vault_sessions;
  v_nominee kith.nominees;
begin
  with ended as (
    update kith.nominees
    set status = 'revoked', needs_confirmation = false, revoked_at = p_now, revoke_reason = p_reason, updated_at = p_now
    where tenant_id = v_tenant and id = any (p_nominee_ids) and status <> 'revoked'
    returning id, vault_id
  )
  select array_agg(id order by id), array_agg(vault_id) into v_ended, v_vaults from ended;
  if v_ended is null then
    return;
  end if;
  select * into v_vault from kith.vaults where tenant_id = v_tenant and id = v_vaults[1];
  for v_session in
    select * from kith.vault_sessions
    where tenant_id = v_tenant and nominee_id = any (v_ended) and kind = 'emergency' and locked_at is null
    order by id
    for update
  loop
    perform internal.end_session(v_session, 'owner_revoked', v_user, p_now);
  end loop;
  update kith.nominee_invitations set ended_at = p_now, end_reason = case p_reason when 'declined' then 'declined' else 'revoked' end
  where tenant_id = v_tenant and nominee_id = any (v_ended) and ended_at is null;
  update kith.share_participants set removed_at = p_now, updated_at = p_now
  where tenant_id = v_tenant and nominee_id = any (v_ended) and removed_at is null;
  -- Who declines is nobody to the owner, and stays so.
  perform internal.record_histories(
    v_vault.id, case when p_reason <> 'declined' then v_user end,
    case when p_reason in ('declined', 'left') then 'nominee.' || p_reason else 'nominee.revoked' end, 'nominee', v_ended,
    jsonb_build_object('reason', p_reason), p_now
  );
  for v_nominee in
    select * from kith.nominees
    where tenant_id = v_tenant and id = any (v_ended) and user_id is not null and user_id is distinct from v_user
    order by id
  loop
    perform internal.tell_of_vault(
      v_nominee.user_id, 'nominee_revoked', v_vault, null, null, jsonb_build_object('nominee_id', v_nominee.id), p_now
    );
  end loop;
end
$$;

ALTER FUNCTION internal.end_nominees(p_nominee_ids uuid[], p_reason text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.end_nominees(p_nominee_ids uuid[], p_reason text, p_now timestamp with time zone) IS 'Revokes nominees of one vault for good (N15): out of the share, their tokens dead, emergency sessions of theirs locked; what they are in the middle of ends at its next step, because each looks. They are told unless they did it themselves. One who is revoked already stays as they are. All at once, as a share can have 1,000. For definer procedures, with the vault locked.';

CREATE TABLE kith.vault_sessions (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    vault_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    kind text NOT NULL,
    nominee_id uuid,
    unlocked_by uuid NOT NULL,
    opened_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    maximum_at timestamp with time zone NOT NULL,
    last_activity_at timestamp with time zone NOT NULL,
    locked_at timestamp with time zone,
    locked_by uuid,
    lock_reason text,
    CONSTRAINT vault_sessions_end_by_their_maximum CHECK ((expires_at <= maximum_at)),
    CONSTRAINT vault_sessions_kind_is_known CHECK ((kind = ANY (ARRAY['shared'::text, 'emergency'::text]))),
    CONSTRAINT vault_sessions_lock_reason_is_known CHECK ((lock_reason = ANY (ARRAY['manual'::text, 'expired'::text, 'owner_revoked'::text, 'transferred'::text, 'vault_deleted'::text, 'emergency_ended'::text]))),
    CONSTRAINT vault_sessions_locked_says_why CHECK (((locked_at IS NULL) = (lock_reason IS NULL))),
    CONSTRAINT vault_sessions_of_emergency_have_their_nominee CHECK (((kind = 'emergency'::text) = (nominee_id IS NOT NULL)))
);

ALTER TABLE ONLY kith.vault_sessions FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.vault_sessions OWNER TO kith_owner;

COMMENT ON TABLE kith.vault_sessions IS 'Openings of vaults, one at a time each: whoever may enter does so in this one.';

COMMENT ON COLUMN kith.vault_sessions.expires_at IS 'The truth: from then on nobody is in, whether or not anybody has written locked_at. 30 minutes after the last activity, maximum_at at the latest.';

COMMENT ON COLUMN kith.vault_sessions.last_activity_at IS 'To the minute: it is written at most once in one.';

COMMENT ON COLUMN kith.vault_sessions.locked_by IS 'The user who locked it; null where it ended by itself or by an operator.';

CREATE FUNCTION internal.end_session(p_session kith.vault_sessions, p_reason text, p_by uuid, p_at timestamp with time zone) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := p_session.tenant_id;
  v_session kith.vault_sessions;
  v_vault kith.vaults;
  -- One that had ended by itself before somebody came to lock it ended then, and nobody did it.
  v_is_late boolean := p_session.expires_at <= p_at;
begin
  update kith.vault_sessions
  -- Of an opening and a locking at the same instant the earlier can have come later to the vault.
  set locked_at = case when v_is_late then expires_at else greatest(p_at, opened_at) end,
    locked_by = case when not v_is_late then p_by end,
    lock_reason = case when v_is_late then 'expired' else p_reason end
  where tenant_id = v_tenant and id = p_session.id and locked_at is null
  returning * into v_session;
  if not found then
    return false;
  end if;
  if v_session.kind = 'shared' then
    select * into v_vault from kith.vaults where tenant_id = v_tenant and id = v_session.vault_id;
    perform internal.tell_nominees(v_vault, 'vault_locked', v_session.locked_by, p_at);
  end if;
  perform internal.record_history_of(
    v_tenant, v_session.vault_id, v_session.locked_by, 'vault.locked', 'session', v_session.id,
    jsonb_build_object('reason', v_session.lock_reason), v_session.locked_at
  );
  return true;
end
$$;

ALTER FUNCTION internal.end_session(p_session kith.vault_sessions, p_reason text, p_by uuid, p_at timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.end_session(p_session kith.vault_sessions, p_reason text, p_by uuid, p_at timestamp with time zone) IS 'Locks a session at an instant, by a user or (null) by itself; one that has expired before then ended at its expires_at. Nominees are told, and history says why. False when it was locked already. For definer procedures, with the vault or the session locked.';

CREATE FUNCTION internal.end_sessions(p_user_id uuid, p_family_id uuid, p_reason text, p_now timestamp with time zone) RETURNS integer
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_ended integer;
begin
  update kith.token_families set ended_at = p_now, end_reason = p_reason
  where tenant_id = v_tenant and user_id = p_user_id and id = coalesce(p_family_id, id) and ended_at is null;
  get diagnostics v_ended = row_count;
  return v_ended;
end
$$;

ALTER FUNCTION internal.end_sessions(p_user_id uuid, p_family_id uuid, p_reason text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.end_sessions(p_user_id uuid, p_family_id uuid, p_reason text, p_now timestamp with time zone) IS 'Ends a sign-in of a user, or with null for the family all of them: their refresh tokens are void, and their access tokens within a minute. How many ended. For definer procedures.';

CREATE FUNCTION internal.end_share(p_share kith.shares, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_nominees uuid[] := array(
    select nominee_id from kith.share_participants where tenant_id = v_tenant and share_id = p_share.id
  );
begin
  perform internal.end_nominees(
    array(
      select id from kith.nominees
      where tenant_id = v_tenant and id = any (v_nominees) and user_id is null and status <> 'revoked'
      order by id
      for no key update
    ),
    'share', p_now
  );
  update kith.nominees set share_record_id = null, share_participant_id = null, updated_at = p_now
  where tenant_id = v_tenant and id = any (v_nominees) and status <> 'revoked';
  delete from kith.share_participants where tenant_id = v_tenant and share_id = p_share.id;
  update kith.shares set ended_at = p_now, updated_at = p_now where tenant_id = v_tenant and id = p_share.id;
  perform internal.record_history(p_share.vault_id, p_share.owner_id, 'share.ended', 'share', p_share.id, null, p_now);
end
$$;

ALTER FUNCTION internal.end_share(p_share kith.shares, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.end_share(p_share kith.shares, p_now timestamp with time zone) IS 'Ends a share. Its nominees are revoked, but for those who have accepted an invitation too: they keep their access, and belong to no share any longer (C04). The vault is locked.';

CREATE FUNCTION internal.enter_tenant(p_slug text) RETURNS integer
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer;
begin
  select tenant_id into v_tenant from kith.tenants where slug = p_slug and deleted_at is null;
  if not found then
    raise exception 'not_found' using errcode = 'KT404', detail = format('There is no tenant %L.', p_slug);
  end if;
  perform set_config('kith.tenant_id', v_tenant::text, true), set_config('kith.user_id', '', true);
  return v_tenant;
end
$$;

ALTER FUNCTION internal.enter_tenant(p_slug text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.enter_tenant(p_slug text) IS 'For an operator''s procedure: sets the tenant, so that from here on the owner''s policies hold it within that tenant like a request.';

CREATE FUNCTION internal.enter_vault(p_vault_id uuid, p_level text, p_now timestamp with time zone, OUT vault kith.vaults, OUT role text, OUT access_level text, OUT nominee kith.nominees, OUT session kith.vault_sessions) RETURNS record
    LANGUAGE plpgsql
    AS $$
declare
  v_access record := internal.vault_access(p_vault_id, p_now);
begin
  vault := v_access.vault;
  role := v_access.role;
  access_level := v_access.access_level;
  nominee := v_access.nominee;
  session := v_access.session;
  perform internal.require_open(role, session.id);
  perform internal.require_level(role, access_level, p_level);
  if session.last_activity_at <= p_now - interval '1 minute'
    or role = 'nominee' and coalesce(nominee.last_active_at <= p_now - interval '1 minute', true)
  then
    perform internal.note_activity(p_vault_id, p_now);
  end if;
end
$$;

ALTER FUNCTION internal.enter_vault(p_vault_id uuid, p_level text, p_now timestamp with time zone, OUT vault kith.vaults, OUT role text, OUT access_level text, OUT nominee kith.nominees, OUT session kith.vault_sessions) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.enter_vault(p_vault_id uuid, p_level text, p_now timestamp with time zone, OUT vault kith.vaults, OUT role text, OUT access_level text, OUT nominee kith.nominees, OUT session kith.vault_sessions) IS 'vault_access for what happens inside: raises vault_locked without an open session, forbidden below the level given, and notes the activity, at most once a minute (V04).';

CREATE FUNCTION internal.erase_vault(p_vault_id uuid, p_by text, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  -- Without it nobody reads the contents ever again; they take long to delete, and the sweep does that.
  delete from kith.vault_keys where tenant_id = v_tenant and vault_id = p_vault_id;
  delete from kith.shares where tenant_id = v_tenant and vault_id = p_vault_id;
  delete from kith.transfers where tenant_id = v_tenant and vault_id = p_vault_id;
  delete from kith.drafts where tenant_id = v_tenant and vault_id = p_vault_id;
  -- With their invitations and messages.
  delete from kith.nominees where tenant_id = v_tenant and vault_id = p_vault_id;
  delete from kith.vault_sessions where tenant_id = v_tenant and vault_id = p_vault_id;
  delete from kith.documents where tenant_id = v_tenant and vault_id = p_vault_id;
  update kith.vaults
  set name = 'Erased', deleted_at = p_now - interval '30 days', deleted_by = p_by, updated_at = p_now
  where tenant_id = v_tenant and id = p_vault_id;
end
$$;

ALTER FUNCTION internal.erase_vault(p_vault_id uuid, p_by text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.erase_vault(p_vault_id uuid, p_by text, p_now timestamp with time zone) IS 'Deletes a vault at once with its key and everything that says something about anybody. The row stays, past restoring, until worker.sweep_vaults has deleted what nobody can decrypt any longer. The vault is locked.';

CREATE FUNCTION internal.exported_account(p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return json_build_object(
    'exported_at', internal.instant(p_now),
    'profile', api.get_me(),
    'sender_profile', internal.sender_profile_json(),
    'receiver_profile', internal.receiver_profile_json(p_now),
    'codes', (
      select coalesce(
        json_agg(
          json_build_object(
            'code', code, 'role', role, 'permanent', permanent, 'created_at', internal.instant(created_at),
            'expires_at', internal.instant(expires_at), 'rotated_at', internal.instant(rotated_at)
          )
          order by created_at, code
        ),
        '[]'
      )
      from kith.unique_codes
      where tenant_id = v_tenant and user_id = v_user
    ),
    'devices', internal.devices_json(),
    'sessions', internal.sessions_json(),
    'quiet_hours', internal.quiet_hours_json(),
    'notification_preferences', internal.preferences_json(),
    'blocks', coalesce(internal.blocks_json(null, null, null), '[]'),
    'breaks', (
      select coalesce(
        json_agg(
          json_build_object(
            'from', from_on, 'until', until_on, 'created_at', internal.instant(created_at), 'ended_at', internal.instant(ended_at)
          )
          order by from_on, created_at
        ),
        '[]'
      )
      from kith.breaks
      where tenant_id = v_tenant and user_id = v_user
    )
  );
end
$$;

ALTER FUNCTION internal.exported_account(p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.exported_account(p_now timestamp with time zone) IS 'The beginning of an export: what a user has once, or a few of. Raises not_found for the deleted.';

CREATE FUNCTION internal.exported_check_ins(p_cursor text, p_limit integer, OUT items json, OUT next_cursor text) RETURNS record
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_at timestamptz := coalesce(nullif(split_part(p_cursor, '/', 1), '')::timestamptz, 'infinity');
  v_id uuid := nullif(split_part(p_cursor, '/', 2), '')::uuid;
begin
  select coalesce(
    json_agg(
      json_build_object('id', page.id, 'received_at', internal.instant(page.received_at), 'note', page.note)
      order by page.received_at desc, page.id desc
    ),
    '[]'
  ),
  case
    when count(*) = p_limit then
      (array_agg(internal.instant(page.received_at) || '/' || page.id order by page.received_at, page.id))[1]
  end
  into items, next_cursor
  from (
    select id, received_at, note
    from kith.check_ins
    where tenant_id = v_tenant and user_id = v_user and received_at <= v_at and (received_at < v_at or id < v_id)
    order by received_at desc, id desc
    limit p_limit
  ) as page;
end
$$;

ALTER FUNCTION internal.exported_check_ins(p_cursor text, p_limit integer, OUT items json, OUT next_cursor text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.exported_check_ins(p_cursor text, p_limit integer, OUT items json, OUT next_cursor text) IS 'A page of the check-ins of the user who asks with their notes, newest first.';

CREATE FUNCTION internal.exported_connections(p_cursor uuid, p_limit integer, OUT items json, OUT next_cursor text) RETURNS record
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  select coalesce(
    json_agg(
      json_build_object(
        'id', page.id,
        'role', case page.sender_id when v_user then 'sender' else 'receiver' end,
        'status', page.status,
        'counterpart', json_build_object(
          'id', case page.sender_id when v_user then page.receiver_id else page.sender_id end,
          'display_name', own.counterpart_name
        ),
        'created_at', internal.instant(page.created_at),
        'updated_at', internal.instant(page.updated_at),
        'deleted_at', internal.instant(page.deleted_at)
      )
      order by page.id
    ),
    '[]'
  ),
  case when count(*) = p_limit then (array_agg(page.id order by page.id desc))[1] end
  into items, next_cursor
  from (
    select * from kith.connections
    where tenant_id = v_tenant and (sender_id = v_user or receiver_id = v_user)
      and id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
    order by id
    limit p_limit
  ) as page
  left join internal.own_connections as own on own.tenant_id = v_tenant and own.id = page.id;
end
$$;

ALTER FUNCTION internal.exported_connections(p_cursor uuid, p_limit integer, OUT items json, OUT next_cursor text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.exported_connections(p_cursor uuid, p_limit integer, OUT items json, OUT next_cursor text) IS 'A page of every connection that the user who asks has or had. Of one that has ended the other side''s name is null: what somebody calls themselves today is nothing that a former connection is told.';

CREATE FUNCTION internal.exported_history(p_cursor uuid, p_limit integer, OUT items json, OUT next_cursor text) RETURNS record
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_vaults uuid[] := array(select id from kith.vaults where tenant_id = v_tenant and owner_id = v_user);
begin
  select coalesce(
    json_agg(
      json_build_object(
        'id', page.id,
        'vault_id', page.vault_id,
        'at', internal.instant(page.at),
        'actor_id', page.actor_id,
        'action', page.action,
        'subject', json_build_object('type', page.subject_type, 'id', page.subject_id),
        'detail', page.detail
      )
      order by page.id
    ),
    '[]'
  ),
  case when count(*) = p_limit then (array_agg(page.id order by page.id desc))[1] end
  into items, next_cursor
  from (
    select * from kith.history
    where tenant_id = v_tenant and vault_id = any (v_vaults)
      and id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
    order by id
    limit p_limit
  ) as page;
end
$$;

ALTER FUNCTION internal.exported_history(p_cursor uuid, p_limit integer, OUT items json, OUT next_cursor text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.exported_history(p_cursor uuid, p_limit integer, OUT items json, OUT next_cursor text) IS 'A page of what happened with the vaults of the user who asks, oldest first.';

CREATE FUNCTION internal.exported_invitations(p_cursor uuid, OUT items json, OUT next_cursor text) RETURNS record
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_invitation kith.connection_invitations;
begin
  select * into v_invitation
  from kith.connection_invitations
  where tenant_id = v_tenant and user_id = v_user and id < coalesce(p_cursor, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  order by id desc
  limit 1;
  items := case when found then json_build_array(internal.invitation_json(v_invitation, null)) else '[]' end;
  next_cursor := v_invitation.id;
end
$$;

ALTER FUNCTION internal.exported_invitations(p_cursor uuid, OUT items json, OUT next_cursor text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.exported_invitations(p_cursor uuid, OUT items json, OUT next_cursor text) IS 'The next invitation of the user who asks, newest first, with everybody invited: up to 1,000 people, so one a page.';

CREATE FUNCTION internal.exported_messages(p_cursor uuid, p_limit integer, OUT items json, OUT next_cursor text) RETURNS record
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  -- The second are conversations of a vault that is another's now.
  v_conversations uuid[] := array(
    select id from kith.nominees where tenant_id = v_tenant and (owner_id = v_user or user_id = v_user)
    union
    select nominee_id from kith.messages where tenant_id = v_tenant and from_id = v_user
  );
begin
  select coalesce(
    json_agg(
      json_build_object(
        'id', page.id,
        'vault_id', page.vault_id,
        'nominee_id', page.nominee_id,
        'from_id', page.from_id,
        'body', page.body,
        'created_at', internal.instant(page.created_at),
        'read_at', internal.instant(page.read_at)
      )
      order by page.id
    ),
    '[]'
  ),
  case when count(*) = p_limit then (array_agg(page.id order by page.id desc))[1] end
  into items, next_cursor
  from (
    select * from kith.messages
    where tenant_id = v_tenant and nominee_id = any (v_conversations) and v_user in (owner_id, nominee_user_id)
      and id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
    order by id
    limit p_limit
  ) as page;
end
$$;

ALTER FUNCTION internal.exported_messages(p_cursor uuid, p_limit integer, OUT items json, OUT next_cursor text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.exported_messages(p_cursor uuid, p_limit integer, OUT items json, OUT next_cursor text) IS 'A page of what the user who asks has written to owners and nominees of vaults, and they to them, oldest first.';

CREATE FUNCTION internal.exported_nominees(p_cursor uuid, p_limit integer, OUT items json, OUT next_cursor text) RETURNS record
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  select coalesce(
    json_agg(
      json_build_object(
        'id', page.id,
        'vault_id', page.vault_id,
        'user_id', page.user_id,
        'name', page.name,
        'phone', case when page.owner_id = v_user then page.phone end,
        'email', case when page.owner_id = v_user then page.email end,
        'status', page.status,
        'access_level', page.access_level,
        'invited_at', internal.instant(page.invited_at),
        'accepted_at', internal.instant(page.accepted_at),
        'last_active_at', internal.instant(page.last_active_at),
        'revoked_at', internal.instant(page.revoked_at),
        'revoke_reason', page.revoke_reason
      )
      order by page.id
    ),
    '[]'
  ),
  case when count(*) = p_limit then (array_agg(page.id order by page.id desc))[1] end
  into items, next_cursor
  from (
    select * from kith.nominees
    where tenant_id = v_tenant and (owner_id = v_user or user_id = v_user)
      and id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
    order by id
    limit p_limit
  ) as page;
end
$$;

ALTER FUNCTION internal.exported_nominees(p_cursor uuid, p_limit integer, OUT items json, OUT next_cursor text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.exported_nominees(p_cursor uuid, p_limit integer, OUT items json, OUT next_cursor text) IS 'A page of the nominees of the vaults of the user who asks, and of what they are and were in vaults of others; contacts are shown to the owner who wrote them.';

CREATE FUNCTION internal.exported_notifications(p_cursor uuid, p_limit integer, OUT items json, OUT next_cursor text) RETURNS record
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_page json := api.list_notifications(false, p_limit, p_cursor);
begin
  items := v_page -> 'items';
  next_cursor := v_page ->> 'next_cursor';
end
$$;

ALTER FUNCTION internal.exported_notifications(p_cursor uuid, p_limit integer, OUT items json, OUT next_cursor text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.exported_notifications(p_cursor uuid, p_limit integer, OUT items json, OUT next_cursor text) IS 'A page of what the user who asks was told, newest first.';

CREATE FUNCTION internal.exported_pings(p_cursor date, p_limit integer, p_now timestamp with time zone, OUT items json, OUT next_cursor text) RETURNS record
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  -- From tomorrow on everywhere.
  v_date date := coalesce(p_cursor, (p_now at time zone 'UTC')::date + 2);
  v_since date;
  v_received uuid[] := array(
    select id from kith.connections where tenant_id = v_tenant and receiver_id = v_user and status <> 'pending'
  );
  v_pings json[] := '{}';
begin
  select (created_at at time zone 'UTC')::date - 1 into v_since from kith.users where tenant_id = v_tenant and id = v_user;
  while v_date >= v_since and cardinality(v_pings) < p_limit loop
    v_pings := v_pings
      || array(
        select internal.ping_json(ping) from kith.pings as ping
        where ping.tenant_id = v_tenant and ping.ping_on = v_date and ping.sender_id = v_user
        order by ping.connection_id
      )
      || array(
        select internal.ping_json(ping) from kith.pings as ping
        where ping.tenant_id = v_tenant and ping.ping_on = v_date and ping.connection_id = any (v_received)
        order by ping.connection_id
      );
    v_date := v_date - 1;
  end loop;
  items := to_json(v_pings);
  next_cursor := case when v_date >= v_since then v_date end;
end
$$;

ALTER FUNCTION internal.exported_pings(p_cursor date, p_limit integer, p_now timestamp with time zone, OUT items json, OUT next_cursor text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.exported_pings(p_cursor date, p_limit integer, p_now timestamp with time zone, OUT items json, OUT next_cursor text) IS 'A page of the pings of the user who asks, in both roles, newest first: whole dates until there are as many as asked for. A pending connection''s are shown to the sender only (P29).';

CREATE FUNCTION internal.exported_vaults(p_cursor uuid, p_limit integer, p_now timestamp with time zone, OUT items json, OUT next_cursor text) RETURNS record
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform set_config('kith.now', p_now::text, true);
  select coalesce(json_agg(internal.vault_json(page.own) order by page.id), '[]'),
    case when count(*) = p_limit then (array_agg(page.id order by page.id desc))[1] end
  into items, next_cursor
  from (
    select own, own.id
    from internal.own_vaults as own
    where own.tenant_id = v_tenant and own.id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
    order by own.id
    limit p_limit
  ) as page;
end
$$;

ALTER FUNCTION internal.exported_vaults(p_cursor uuid, p_limit integer, p_now timestamp with time zone, OUT items json, OUT next_cursor text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.exported_vaults(p_cursor uuid, p_limit integer, p_now timestamp with time zone, OUT items json, OUT next_cursor text) IS 'A page of the vaults that the user who asks owns, deleted ones too, or is a nominee of.';

CREATE FUNCTION internal.field_error(p_field text, p_message text) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    AS $$
  select jsonb_build_array(jsonb_build_object('field', p_field, 'message', p_message))
$$;

ALTER FUNCTION internal.field_error(p_field text, p_message text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.field_error(p_field text, p_message text) IS 'One field''s error, as an array to be appended to others.';

CREATE FUNCTION internal.find_invitation(p_token uuid, OUT tenant integer, OUT kind text, OUT id uuid) RETURNS record
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_hash bytea := internal.invitation_token_hash(p_token);
begin
  -- The one statement without a tenant: the hash finds it. Where a tenant is set, the policies of the owner keep it within.
  select found.tenant_id, found.kind, found.id into tenant, kind, id
  from (
    select invitation.tenant_id, 'nominee' as kind, invitation.id
    from kith.nominee_invitations as invitation
    where invitation.token_hash = v_hash and coalesce(invitation.end_reason <> 'resent', true)
    union all
    select transfer.tenant_id, 'transfer', transfer.id from kith.transfers as transfer where transfer.token_hash = v_hash
  ) as found;
  if kind is null then
    raise exception 'invitation_invalid' using errcode = 'KT404';
  end if;
end
$$;

ALTER FUNCTION internal.find_invitation(p_token uuid, OUT tenant integer, OUT kind text, OUT id uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.find_invitation(p_token uuid, OUT tenant integer, OUT kind text, OUT id uuid) IS 'What a token is to: {tenant, kind, id} of an invitation to be a nominee or of a transfer. Raises invitation_invalid for an unknown one, one of another tenant than the one that is set, and one that another has replaced. For definer procedures.';

CREATE FUNCTION internal.first_uuid7(p_at timestamp with time zone) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select (lpad(to_hex((date_part('epoch', p_at) * 1000000)::bigint / 1000), 12, '0') || '00000000000000000000')::uuid
$$;

ALTER FUNCTION internal.first_uuid7(p_at timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.first_uuid7(p_at timestamp with time zone) IS 'Not above any UUID version 7 made at this instant or later: where a month begins among ids.';

CREATE FUNCTION internal.forget_in_notifications(p_tenant_id integer, p_people uuid[], p_since timestamp with time zone, p_about_user_id uuid, p_erased_vaults uuid[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_first uuid := internal.first_uuid7(p_since);
begin
  -- In one order, because a worker may be reporting what became of them.
  perform from kith.notifications
  where tenant_id = p_tenant_id and user_id = any (p_people) and id >= v_first
    and (data ->> 'user_id' = p_about_user_id::text or data ->> 'vault_id' = any (p_erased_vaults::text[]))
  order by id
  for no key update;
  update kith.notifications as notification
  set title = case type when 'message_received' then internal.name_of_anybody(null) else title end,
    body = case type
      when 'message_received' then 'This message was deleted.'
      else coalesce(
        internal.notification_body(
          type, coalesce(data ->> 'to', 'nominee'), null,
          case when data ->> 'vault_id' = any (p_erased_vaults::text[]) then 'a vault' else data ->> 'vault_name' end
        ),
        body
      )
    end,
    data = case when data ->> 'vault_id' = any (p_erased_vaults::text[]) then data - 'vault_name' else data end
  where tenant_id = p_tenant_id and user_id = any (p_people) and id >= v_first
    and (data ->> 'user_id' = p_about_user_id::text or data ->> 'vault_id' = any (p_erased_vaults::text[]));
end
$$;

ALTER FUNCTION internal.forget_in_notifications(p_tenant_id integer, p_people uuid[], p_since timestamp with time zone, p_about_user_id uuid, p_erased_vaults uuid[]) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.forget_in_notifications(p_tenant_id integer, p_people uuid[], p_since timestamp with time zone, p_about_user_id uuid, p_erased_vaults uuid[]) IS 'Writes what these people were told since an instant about a user in connection with a vault anew, without the name, and everything about vaults that are gone without theirs and any name.';

CREATE FUNCTION internal.forget_messages(p_user_id uuid, p_phone text) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_invitations uuid[];
  v_deliveries uuid[];
begin
  v_deliveries := internal.forget_sign_ins(p_user_id);
  v_invitations := array(
    select id from kith.connection_invitations where tenant_id = v_tenant and user_id = p_user_id order by id for update
  );
  v_deliveries := v_deliveries || array(
    select delivery_id
    from kith.connection_invitation_recipients
    where tenant_id = v_tenant and (phone = p_phone or invitation_id = any (v_invitations)) and delivery_id is not null
  );
  -- Each in one order: a worker may be reporting the same ones, and two who have invited each other may end their accounts at once.
  perform from kith.deliveries where tenant_id = v_tenant and id = any (v_deliveries) order by id for update;
  delete from kith.deliveries where tenant_id = v_tenant and id = any (v_deliveries);
  perform from kith.connection_invitation_recipients
  where tenant_id = v_tenant and (phone = p_phone or invitation_id = any (v_invitations))
  order by invitation_id, n
  for update;
  delete from kith.connection_invitation_recipients where tenant_id = v_tenant and phone = p_phone;
  delete from kith.connection_invitations where tenant_id = v_tenant and id = any (v_invitations);
end
$$;

ALTER FUNCTION internal.forget_messages(p_user_id uuid, p_phone text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.forget_messages(p_user_id uuid, p_phone text) IS 'Deletes the codes and sign-ins of a user, whom they have invited, and them, whose verified phone is given, from the lists of those who invited them: with every message to leave Kith, or gone already.';

CREATE FUNCTION internal.forget_name(p_user_id uuid) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  update kith.notifications as notification
  set title = internal.notification_title(notification.type),
    body = internal.notification_body(
      notification.type, named.role, internal.name_of_anybody(null), internal.notification_value(notification.type, notification.data)
    )
  from (
    select notification.id, other.role
    from (
      select id, created_at,
        case sender_id when p_user_id then receiver_id else sender_id end as user_id,
        case sender_id when p_user_id then 'receiver' else 'sender' end as role
      from kith.connections
      where tenant_id = v_tenant and (sender_id = p_user_id or receiver_id = p_user_id)
    ) as other
    join kith.notifications as notification
      on notification.tenant_id = v_tenant and notification.user_id = other.user_id
        and notification.id >= internal.first_uuid7(other.created_at) and notification.data ->> 'connection_id' = other.id::text
    -- Only what names somebody: the minutes of a reminder, for one, are nowhere but in its text.
    where internal.notification_body(
      notification.type, other.role, '<name>', coalesce(internal.notification_value(notification.type, notification.data), '')
    ) like '%<name>%'
    -- In one order, because a worker may be reporting what became of them.
    order by notification.id
    for no key update of notification
  ) as named
  where notification.tenant_id = v_tenant and notification.id = named.id;
end
$$;

ALTER FUNCTION internal.forget_name(p_user_id uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.forget_name(p_user_id uuid) IS 'Writes the notifications in which others are told of a user anew, without the name: "Someone".';

CREATE FUNCTION internal.forget_sign_ins(p_user_id uuid) RETURNS uuid[]
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_codes uuid[];
  v_addresses text[];
  v_verified text[];
begin
  select array[phone, pending_phone, email_normalized, lower(pending_email)],
    array[case when phone_verified_at is not null then phone end, case when email_verified_at is not null then email_normalized end]
  into v_addresses, v_verified
  from kith.users
  where tenant_id = v_tenant and id = p_user_id;
  delete from kith.token_families where tenant_id = v_tenant and user_id = p_user_id;
  -- Nothing here may stop counting: else whoever ends an account could have another ten codes sent, or tried, and make the next one.
  update kith.otp_tries set address = internal.hashed_address(address) where tenant_id = v_tenant and address = any (v_addresses);
  -- An address that is not verified may be somebody else's, who is signing in just now.
  with codes as (
    update kith.otp_codes set address = internal.hashed_address(address), address_is_hashed = true, user_id = null
    where tenant_id = v_tenant and (user_id = p_user_id or user_id is null and address = any (v_verified))
    returning id
  )
  select array_agg(id) into v_codes from codes;
  return v_codes;
end
$$;

ALTER FUNCTION internal.forget_sign_ins(p_user_id uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.forget_sign_ins(p_user_id uuid) IS 'Takes away what a user''s signing in has left: sign-ins, and the addresses of the codes, which are void then and only count, for a day; gives the ids of the codes, which are those of their deliveries. Before the contacts are cleared: the codes are found by them. For definer procedures.';

CREATE FUNCTION internal.forget_vaults(p_user_id uuid, p_phone text, p_email text, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_owned uuid[] := array(select id from kith.vaults where tenant_id = v_tenant and owner_id = p_user_id);
  v_nominees uuid[] := internal.nominees_of_person(p_user_id, p_phone, p_email);
  v_transfers uuid[] := internal.transfers_of_person(p_user_id, p_phone, p_email);
  v_vaults uuid[];
  v_since timestamptz;
  v_vault kith.vaults;
  v_nominee uuid;
begin
  v_vaults := v_owned || array(
    select vault_id from kith.nominees where tenant_id = v_tenant and id = any (v_nominees)
    union
    select vault_id from kith.transfers where tenant_id = v_tenant and id = any (v_transfers)
  );
  perform from kith.vaults where tenant_id = v_tenant and id = any (v_vaults) order by id for no key update;
  select min(created_at) into v_since from kith.vaults where tenant_id = v_tenant and id = any (v_vaults);
  perform internal.forget_in_notifications(v_tenant, internal.people_of_vaults(v_tenant, v_vaults), v_since, p_user_id, v_owned);
  for v_vault in select * from kith.vaults where tenant_id = v_tenant and id = any (v_owned) order by id loop
    if v_vault.deleted_at is null then
      -- The vault's name goes with its owner.
      v_vault.name := 'a vault';
      for v_nominee in
        select user_id from kith.nominees
        where tenant_id = v_tenant and vault_id = v_vault.id and status in ('accepted', 'inactive') and user_id is not null
        order by user_id
      loop
        perform internal.tell_of_vault(v_nominee, 'nominee_revoked', v_vault, null, null, null, p_now);
      end loop;
    end if;
    perform internal.erase_vault(v_vault.id, 'user:' || p_user_id, p_now);
  end loop;
  perform internal.leave_vaults(p_user_id, v_nominees, v_transfers, p_now);
end
$$;

ALTER FUNCTION internal.forget_vaults(p_user_id uuid, p_phone text, p_email text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.forget_vaults(p_user_id uuid, p_phone text, p_email text, p_now timestamp with time zone) IS 'What an account that ends leaves in vaults: the own ones are erased, and whoever had access is told; those of others are left. Nobody is named any longer in what others were told. The account is locked; the phone and the e-mail are its verified ones.';

CREATE FUNCTION internal.has_profile(p_role text) RETURNS boolean
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  if p_role = 'sender' then
    return exists (select from kith.sender_profiles where tenant_id = v_tenant and user_id = v_user);
  end if;
  return exists (select from kith.receiver_profiles where tenant_id = v_tenant and user_id = v_user);
end
$$;

ALTER FUNCTION internal.has_profile(p_role text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.has_profile(p_role text) IS 'Whether the user who asks has the profile of a role.';

CREATE FUNCTION internal.hashed_address(p_address text) RETURNS text
    LANGUAGE sql STABLE
    AS $$
  select encode(sha256(convert_to(kith.tenant_id() || ' ' || p_address, 'UTF8')), 'hex')
$$;

ALTER FUNCTION internal.hashed_address(p_address text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.hashed_address(p_address text) IS 'What an address counts as once its account has ended. Who tries all numbers finds it again, so it is kept no longer than the limits need it.';

CREATE FUNCTION internal.history_items(p_vault_id uuid, p_limit integer, p_cursor uuid) RETURNS TABLE(id uuid, item json)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  if not exists (select from kith.vaults where tenant_id = v_tenant and vaults.id = p_vault_id and owner_id = v_user) then
    perform internal.refuse_not_found();
  end if;
  -- Names are looked up one by one, by key: joins would be planned for the tables as they were when the plan was made, and empty ones
  -- are read whole.
  return query
  select page.id,
    json_build_object(
      'id', page.id,
      'at', internal.instant(page.at),
      'actor', case
        when page.actor_id is not null then
          json_build_object('id', page.actor_id, 'display_name', internal.name_of_anybody((
            select actor.display_name from kith.users as actor where actor.tenant_id = v_tenant and actor.id = page.actor_id
          )))
      end,
      'action', page.action,
      'subject', json_build_object(
        'type', page.subject_type,
        'id', page.subject_id,
        'name', case page.subject_type
          when 'vault' then
            (select vault.name from kith.vaults as vault where vault.tenant_id = v_tenant and vault.id = page.subject_id)
          when 'document' then
            (select document.name from kith.documents as document where document.tenant_id = v_tenant and document.id = page.subject_id)
          when 'nominee' then internal.name_of_anybody((
            select nominee.name from kith.nominees as nominee where nominee.tenant_id = v_tenant and nominee.id = page.subject_id
          ))
          when 'transfer' then internal.name_of_anybody((
            select transfer.name from kith.transfers as transfer where transfer.tenant_id = v_tenant and transfer.id = page.subject_id
          ))
        end
      ),
      'detail', page.detail
    )
  from (
    select * from kith.history
    where history.tenant_id = v_tenant and history.vault_id = p_vault_id
      and history.id < coalesce(p_cursor, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    order by history.id desc
    limit p_limit
  ) as page
  order by page.id desc;
end
$$;

ALTER FUNCTION internal.history_items(p_vault_id uuid, p_limit integer, p_cursor uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.history_items(p_vault_id uuid, p_limit integer, p_cursor uuid) IS 'A page of a vault''s history for its owner, newest first; raises not_found for anybody else. Names are those of today: who has left is Someone. Definer: the names of others.';

CREATE FUNCTION internal.history_place(p_tenant_id integer, p_vault_id uuid, p_at timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_last text;
begin
  -- Counting them would take the longer the more there are: a share of a thousand people ends at one instant.
  select encode(uuid_send(id), 'hex') into v_last
  from kith.history
  where tenant_id = p_tenant_id and vault_id = p_vault_id and id >= internal.first_uuid7(p_at) and at = p_at
  order by id desc
  limit 1;
  if v_last is null then
    return p_at;
  end if;
  -- What internal.uuid7 put in: milliseconds, the version, and 4096ths of a millisecond, rounded down.
  return timestamptz '1970-01-01T00:00Z' + interval '1 microsecond' * (
    ('x' || lpad(left(v_last, 12), 16, '0'))::bit(64)::bigint * 1000
    + ceil(('x' || substr(v_last, 14, 3))::bit(12)::integer * 1000 / 4096.0)::bigint + 1
  );
end
$$;

ALTER FUNCTION internal.history_place(p_tenant_id integer, p_vault_id uuid, p_at timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.history_place(p_tenant_id integer, p_vault_id uuid, p_at timestamp with time zone) IS 'Of which instant the id of a vault''s next event is, that happens at p_at. Of several acts of one instant (a deletion locks as well) the later has the later id, by which they are read. For definer procedures.';

CREATE TABLE kith.nominee_invitations (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    vault_id uuid NOT NULL,
    nominee_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    channel text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    end_reason text,
    outcome text,
    outcome_at timestamp with time zone,
    CONSTRAINT nominee_invitations_channel_is_known CHECK ((channel = ANY (ARRAY['messages'::text, 'mail'::text, 'share'::text, 'link'::text]))),
    CONSTRAINT nominee_invitations_end_reason_is_known CHECK ((end_reason = ANY (ARRAY['accepted'::text, 'declined'::text, 'resent'::text, 'revoked'::text, 'vault_deleted'::text]))),
    CONSTRAINT nominee_invitations_ended_says_why CHECK (((ended_at IS NULL) = (end_reason IS NULL))),
    CONSTRAINT nominee_invitations_hash_is_sha256 CHECK ((octet_length(token_hash) = 32)),
    CONSTRAINT nominee_invitations_outcome_is_known CHECK ((outcome = ANY (ARRAY['sent'::text, 'cancelled'::text, 'failed'::text, 'unavailable'::text])))
);

ALTER TABLE ONLY kith.nominee_invitations FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.nominee_invitations OWNER TO kith_owner;

COMMENT ON TABLE kith.nominee_invitations IS 'One token by which a nominee can accept, once. Only its SHA-256 is kept: a token carries 122 random bits (N06).';

COMMENT ON COLUMN kith.nominee_invitations.channel IS 'How the owner meant to send it; statistics only (C06).';

COMMENT ON COLUMN kith.nominee_invitations.outcome IS 'What became of the composer, as the phone reported it (N17).';

CREATE FUNCTION internal.hold_invitation(p_id uuid, p_now timestamp with time zone, OUT invitation kith.nominee_invitations, OUT nominee kith.nominees, OUT vault kith.vaults, OUT state text) RETURNS record
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  select * into invitation from kith.nominee_invitations where tenant_id = v_tenant and id = p_id;
  -- The owner is told of the answer: neither account ends meanwhile.
  perform from kith.users
  where tenant_id = v_tenant and id in (v_user, (select owner_id from kith.vaults where tenant_id = v_tenant and id = invitation.vault_id))
  order by id
  for key share;
  if v_user is not null then
    perform internal.lock_account();
  end if;
  select * into vault from kith.vaults where tenant_id = v_tenant and id = invitation.vault_id for no key update;
  select * into nominee from kith.nominees where tenant_id = v_tenant and id = invitation.nominee_id for update;
  select * into invitation from kith.nominee_invitations where tenant_id = v_tenant and id = p_id for update;
  if invitation.end_reason = 'resent' then
    raise exception 'invitation_invalid' using errcode = 'KT404';
  end if;
  state := internal.nominee_invitation_state(invitation, nominee, vault, p_now);
end
$$;

ALTER FUNCTION internal.hold_invitation(p_id uuid, p_now timestamp with time zone, OUT invitation kith.nominee_invitations, OUT nominee kith.nominees, OUT vault kith.vaults, OUT state text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.hold_invitation(p_id uuid, p_now timestamp with time zone, OUT invitation kith.nominee_invitations, OUT nominee kith.nominees, OUT vault kith.vaults, OUT state text) IS 'An invitation to be a nominee, with all that its answer changes, locked: of two answers the second finds what the first has done. For definer procedures.';

CREATE FUNCTION internal.hold_nominee(p_vault_id uuid, p_id uuid, p_role text) RETURNS kith.nominees
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_nominee kith.nominees;
begin
  select * into v_nominee from kith.nominees where tenant_id = v_tenant and vault_id = p_vault_id and id = p_id for update;
  if not found then
    perform internal.refuse_not_found();
  end if;
  perform internal.require_owner_for_full(p_role, v_nominee.access_level);
  return v_nominee;
end
$$;

ALTER FUNCTION internal.hold_nominee(p_vault_id uuid, p_id uuid, p_role text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.hold_nominee(p_vault_id uuid, p_id uuid, p_role text) IS 'A nominee of a vault, locked, for somebody with that role in it who manages nominees. Raises not_found, and forbidden to a nominee about another with level full. For definer procedures.';

CREATE FUNCTION internal.hold_vault(p_vault_id uuid, p_users uuid[], p_now timestamp with time zone, OUT vault kith.vaults, OUT role text, OUT access_level text, OUT nominee kith.nominees, OUT session kith.vault_sessions) RETURNS record
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_access record;
begin
  -- First of all: nobody waits for a vault, or makes others wait, who may not change it.
  perform internal.manage_vault(p_vault_id, p_now);
  perform from kith.users where tenant_id = v_tenant and users.id = any (p_users || v_user) order by users.id for key share;
  perform internal.lock_account();
  perform internal.lock_vault_row(p_vault_id);
  -- Again: while the locks were waited for it may have been locked, or have got another owner.
  v_access := internal.manage_vault(p_vault_id, p_now);
  vault := v_access.vault;
  role := v_access.role;
  access_level := v_access.access_level;
  nominee := v_access.nominee;
  session := v_access.session;
end
$$;

ALTER FUNCTION internal.hold_vault(p_vault_id uuid, p_users uuid[], p_now timestamp with time zone, OUT vault kith.vaults, OUT role text, OUT access_level text, OUT nominee kith.nominees, OUT session kith.vault_sessions) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.hold_vault(p_vault_id uuid, p_users uuid[], p_now timestamp with time zone, OUT vault kith.vaults, OUT role text, OUT access_level text, OUT nominee kith.nominees, OUT session kith.vault_sessions) IS 'manage_vault with the vault locked, before its nominees change; and before that the accounts of who asks and of those given, who are to be told. For definer procedures.';

CREATE FUNCTION internal.instant(p_at timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$$;

ALTER FUNCTION internal.instant(p_at timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.instant(p_at timestamp with time zone) IS 'An instant as the API says it: RFC 3339 in UTC with microseconds and Z, whatever the session''s time zone. Null for null.';

CREATE FUNCTION internal.instant_of_uuid7(p_id uuid) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select to_timestamp(('x' || left(p_id::text, 8) || substr(p_id::text, 10, 4))::bit(48)::bigint / 1000.0)
$$;

ALTER FUNCTION internal.instant_of_uuid7(p_id uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.instant_of_uuid7(p_id uuid) IS 'When a UUID version 7 was made, to the millisecond.';

CREATE FUNCTION internal.invitation_card(p_kind text, p_state text, p_vault_name text) RETURNS json
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select json_build_object(
    'title', case p_kind
      when 'nominee' then
        case p_state
          when 'pending' then '🔐 Vault Invitation'
          when 'accepted' then '✅ Vault Access Accepted'
          when 'declined' then '❌ Vault Invitation Declined'
          when 'expired' then '⌛ Vault Invitation Expired'
          else '🚫 Vault Access Revoked'
        end
      else
        case p_state
          when 'pending' then '🔐 Vault Transfer'
          when 'accepted' then '✅ Vault Transfer Accepted'
          when 'declined' then '❌ Vault Transfer Declined'
          when 'expired' then '⌛ Vault Transfer Expired'
          else '🚫 Vault Transfer Cancelled'
        end
    end,
    'subtitle', p_vault_name,
    'state', p_state
  )
$$;

ALTER FUNCTION internal.invitation_card(p_kind text, p_state text, p_vault_name text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.invitation_card(p_kind text, p_state text, p_vault_name text) IS 'What a card in a conversation shows of an invitation in its present state, so that the bubble can be updated (N22).';

CREATE FUNCTION internal.invitation_deep_link(p_kind text, p_token uuid, p_scheme text, p_vault_name text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select format(
    '%s://%s/invite?token=%s&vault=%s&status=accepted', p_scheme, p_kind, p_token, internal.percent_encode(p_vault_name)
  )
$$;

ALTER FUNCTION internal.invitation_deep_link(p_kind text, p_token uuid, p_scheme text, p_vault_name text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.invitation_deep_link(p_kind text, p_token uuid, p_scheme text, p_vault_name text) IS 'The link that opens the tenant''s app to accept (N19). Nothing in it counts but the token.';

CREATE TABLE kith.connection_invitations (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    message text NOT NULL,
    code text NOT NULL,
    url text NOT NULL,
    recipients integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT connection_invitations_recipients_in_bounds CHECK (((recipients >= 1) AND (recipients <= 1000)))
);

ALTER TABLE ONLY kith.connection_invitations FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.connection_invitations OWNER TO kith_owner;

COMMENT ON TABLE kith.connection_invitations IS 'A sender''s invitation of up to 1,000 people at once (P15): one text for all of them. Kept for 90 days, as the numbers are other people''s.';

COMMENT ON COLUMN kith.connection_invitations.message IS 'As it was when it was made: name, brand, code and link may have changed since (P16).';

COMMENT ON COLUMN kith.connection_invitations.code IS 'The sender''s permanent code at that time.';

COMMENT ON COLUMN kith.connection_invitations.url IS 'The tenant''s join link with the code.';

COMMENT ON COLUMN kith.connection_invitations.recipients IS 'How many people were named, the unusable ones included: the day''s limit counts them.';

CREATE FUNCTION internal.invitation_json(p_invitation kith.connection_invitations, p_encoded_message text) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_id uuid := p_invitation.id;
begin
  return json_build_object(
    'id', v_id,
    'message', p_invitation.message,
    'code', p_invitation.code,
    'url', p_invitation.url,
    'created_at', internal.instant(p_invitation.created_at),
    'recipients', (
      select coalesce(json_agg(internal.invitation_recipient_json(recipient, p_encoded_message) order by recipient.n), '[]')
      from kith.connection_invitation_recipients as recipient
      where recipient.tenant_id = v_tenant and recipient.invitation_id = v_id
    )
  );
end
$$;

ALTER FUNCTION internal.invitation_json(p_invitation kith.connection_invitations, p_encoded_message text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.invitation_json(p_invitation kith.connection_invitations, p_encoded_message text) IS 'An invitation as its sender sees it, with every recipient but those who had an account and have ended it; links to send the message where it is given, percent-encoded: a thousand of them are half a megabyte.';

CREATE FUNCTION internal.invitation_message(p_sender_name text, p_brand text, p_code text, p_link text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select format(
    '%s wants to send you daily pings on %s to let you know they''re safe. Download the app and use code %s to connect: %s',
    coalesce(nullif(btrim(p_sender_name), ''), 'Someone'), p_brand, p_code, p_link
  )
$$;

ALTER FUNCTION internal.invitation_message(p_sender_name text, p_brand text, p_code text, p_link text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.invitation_message(p_sender_name text, p_brand text, p_code text, p_link text) IS 'What everybody invited gets to read, byte for byte (P16).';

CREATE FUNCTION internal.invitation_preview(p_token uuid, p_now timestamp with time zone) RETURNS jsonb
    LANGUAGE plpgsql
    AS $$
declare
  v_found record := internal.find_invitation(p_token);
  v_tenant integer := v_found.tenant;
  v_id uuid := v_found.id;
  v_settings kith.tenants;
  v_invitation kith.nominee_invitations;
  v_nominee kith.nominees;
  v_transfer kith.transfers;
  v_vault kith.vaults;
  v_inviter text;
  v_state text;
begin
  select * into v_settings from kith.tenants where tenant_id = v_tenant;
  if v_settings.status <> 'active' or v_settings.deleted_at is not null then
    raise exception 'tenant_suspended' using errcode = 'KT403';
  end if;
  perform set_config('kith.tenant_id', v_tenant::text, true);
  if v_found.kind = 'nominee' then
    select * into v_invitation from kith.nominee_invitations where tenant_id = v_tenant and id = v_id;
    select * into v_nominee from kith.nominees where tenant_id = v_tenant and id = v_invitation.nominee_id;
    select * into v_vault from kith.vaults where tenant_id = v_tenant and id = v_invitation.vault_id;
    v_state := internal.nominee_invitation_state(v_invitation, v_nominee, v_vault, p_now);
  else
    select * into v_transfer from kith.transfers where tenant_id = v_tenant and id = v_id;
    select * into v_vault from kith.vaults where tenant_id = v_tenant and id = v_transfer.vault_id;
    v_state := internal.transfer_state(v_transfer, p_now);
  end if;
  select display_name into v_inviter
  from kith.users
  where tenant_id = v_tenant and id = coalesce(v_transfer.owner_id, v_vault.owner_id);
  return jsonb_build_object(
    'kind', v_found.kind,
    'vault', jsonb_build_object('name', v_vault.name),
    'inviter', jsonb_build_object('display_name', internal.name_of_anybody(v_inviter)),
    'access_level', case v_found.kind when 'nominee' then v_nominee.access_level else 'full' end,
    'state', v_state,
    'needs_confirmation', coalesce(v_nominee.needs_confirmation, false),
    'expires_at', internal.instant(coalesce(v_invitation.expires_at, v_transfer.expires_at)),
    'brand_name', v_settings.brand_name,
    'app_link', v_settings.app_link,
    'deep_link', internal.invitation_deep_link(v_found.kind, p_token, v_settings.link_scheme, v_vault.name),
    'card', internal.invitation_card(v_found.kind, v_state, v_vault.name)
  );
end
$$;

ALTER FUNCTION internal.invitation_preview(p_token uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.invitation_preview(p_token uuid, p_now timestamp with time zone) IS 'What whoever holds a token sees before they answer, and afterwards what became of it: no contact, no id. Sets the tenant, which the token finds. Raises invitation_invalid and tenant_suspended. For definer procedures.';

CREATE TABLE kith.connection_invitation_recipients (
    tenant_id integer NOT NULL,
    invitation_id uuid NOT NULL,
    n integer NOT NULL,
    user_id uuid NOT NULL,
    name text,
    given_phone text NOT NULL,
    phone text,
    problem text,
    status text NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    delivery_id uuid,
    CONSTRAINT connection_invitation_recipients_given_phone_is_short CHECK ((char_length(given_phone) <= 100)),
    CONSTRAINT connection_invitation_recipients_invalid_says_why CHECK (((status = 'invalid'::text) = (problem IS NOT NULL))),
    CONSTRAINT connection_invitation_recipients_name_is_short CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
    CONSTRAINT connection_invitation_recipients_phone_is_e164 CHECK ((phone ~ '^\+[1-9][0-9]{6,14}$'::text)),
    CONSTRAINT connection_invitation_recipients_phone_or_problem CHECK (((phone IS NULL) = (problem IS NOT NULL))),
    CONSTRAINT connection_invitation_recipients_status_is_known CHECK ((status = ANY (ARRAY['pending'::text, 'queued'::text, 'sent'::text, 'cancelled'::text, 'failed'::text, 'unavailable'::text, 'invalid'::text, 'duplicate'::text])))
);

ALTER TABLE ONLY kith.connection_invitation_recipients FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.connection_invitation_recipients OWNER TO kith_owner;

COMMENT ON TABLE kith.connection_invitation_recipients IS 'One person invited: the number as it was given and as it is used, and what became of the text (P17).';

COMMENT ON COLUMN kith.connection_invitation_recipients.n IS 'The place in the list that the sender gave, from 1.';

COMMENT ON COLUMN kith.connection_invitation_recipients.user_id IS 'The sender, carried down from the invitation: policies compare the row''s own columns.';

COMMENT ON COLUMN kith.connection_invitation_recipients.phone IS 'E.164; null where the number given is unusable.';

COMMENT ON COLUMN kith.connection_invitation_recipients.problem IS 'Why the number is unusable; internal.phone_problem_text says it to a person.';

COMMENT ON COLUMN kith.connection_invitation_recipients.status IS 'pending: nobody has sent it yet. queued: Kith sends it. sent, cancelled, failed, unavailable: as reported. invalid: an unusable number. duplicate: the number stands earlier in the list.';

COMMENT ON COLUMN kith.connection_invitation_recipients.delivery_id IS 'The delivery by which Kith sends the text; null where the sender does.';

CREATE FUNCTION internal.invitation_recipient_json(p_recipient kith.connection_invitation_recipients, p_encoded_message text) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select json_strip_nulls(json_build_object(
    'n', (p_recipient).n,
    'name', (p_recipient).name,
    'phone', coalesce((p_recipient).phone, (p_recipient).given_phone),
    'sms_url', case when (p_recipient).status <> 'duplicate' then 'sms:' || (p_recipient).phone || '?&body=' || p_encoded_message end,
    'status', (p_recipient).status,
    'error', case (p_recipient).status
      when 'invalid' then internal.phone_problem_text((p_recipient).problem)
      when 'duplicate' then 'This number is in the list already.'
    end
  ))
$$;

ALTER FUNCTION internal.invitation_recipient_json(p_recipient kith.connection_invitation_recipients, p_encoded_message text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.invitation_recipient_json(p_recipient kith.connection_invitation_recipients, p_encoded_message text) IS 'One recipient as the sender sees them: the number in E.164 form, or as it was given where it is unusable, and, unless the message is null, a link that opens it in the phone''s own app. iOS takes the body after &, Android after ?: both read ?&.';

CREATE FUNCTION internal.invitation_refusal(p_recipients integer, p_send boolean, p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_wait integer := internal.invitation_wait(p_recipients, p_now);
begin
  perform internal.require_profile('sender');
  if p_send and not (select sms_enabled from kith.tenants where tenant_id = v_tenant) then
    perform internal.refuse_fields(internal.field_error('send', 'must be false: text messages are not sent for this app'));
  end if;
  if v_wait is null and p_send and internal.sms_invitations_left(p_now) < p_recipients then
    return json_build_object(
      'problem', 'too_many_requests', 'detail', 'No more invitations can be sent for you today. Send them from your own phone.',
      'retry_after', ceil(extract(epoch from date_trunc('day', p_now, 'UTC') + interval '1 day' - p_now))::integer
    );
  end if;
  if v_wait is not null then
    return json_build_object(
      'problem', 'too_many_requests', 'detail', 'You can invite 2,000 people a day. Please try again later.', 'retry_after', v_wait
    );
  end if;
  return null;
end
$$;

ALTER FUNCTION internal.invitation_refusal(p_recipients integer, p_send boolean, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.invitation_refusal(p_recipients integer, p_send boolean, p_now timestamp with time zone) IS 'Null when the user who asks may invite so many people; else the refusal to return, because a raised one could not say how long to wait. Raises profile_required, and validation_failed where Kith sends no texts for the tenant.';

CREATE FUNCTION internal.invitation_token_hash(p_token uuid) RETURNS bytea
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select sha256(convert_to(p_token::text, 'UTF8'))
$$;

ALTER FUNCTION internal.invitation_token_hash(p_token uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.invitation_token_hash(p_token uuid) IS 'What is kept of a token: a plain hash, since it is 122 random bits that nobody guesses.';

CREATE FUNCTION internal.invitation_url(p_token uuid, p_host text, p_public_url text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select coalesce('https://' || p_host, rtrim(p_public_url, '/')) || '/i/' || p_token
$$;

ALTER FUNCTION internal.invitation_url(p_token uuid, p_host text, p_public_url text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.invitation_url(p_token uuid, p_host text, p_public_url text) IS 'The page of an invitation, under the tenant''s own host where it has one.';

CREATE FUNCTION internal.invitation_wait(p_recipients integer, p_now timestamp with time zone) RETURNS integer
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_since timestamptz := p_now - interval '24 hours';
  v_oldest uuid := internal.uuid7(v_since);
  v_ends_at timestamptz;
begin
  -- Of those that stand in the way the newest has to be a day old first: the ones before it are so by then.
  select max(created_at) + interval '24 hours' into v_ends_at
  from (
    select created_at, sum(recipients) over (order by id desc) as invited
    from kith.connection_invitations
    where tenant_id = v_tenant and user_id = v_user and id >= v_oldest and created_at > v_since
  ) as recent
  where invited + p_recipients > 2000;
  return case when v_ends_at is not null then greatest(1, ceil(extract(epoch from v_ends_at - p_now)))::integer end;
end
$$;

ALTER FUNCTION internal.invitation_wait(p_recipients integer, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.invitation_wait(p_recipients integer, p_now timestamp with time zone) IS 'Null when the user may invite so many people now; else the seconds to wait: 2,000 in 24 hours, unusable numbers included.';

CREATE FUNCTION internal.invitations_wait(p_now timestamp with time zone) RETURNS integer
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_since timestamptz := p_now - interval '24 hours';
  v_first uuid := internal.first_uuid7(v_since);
begin
  return (
    select greatest(1, ceil(extract(epoch from invited_at - v_since)))::integer
    from kith.nominees
    where tenant_id = v_tenant and invited_by_user_id = v_user and id >= v_first and invited_at > v_since and share_participant_id is null
    order by id desc
    offset 199 limit 1
  );
end
$$;

ALTER FUNCTION internal.invitations_wait(p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.invitations_wait(p_now timestamp with time zone) IS 'Null when the user who asks may invite one more nominee now; else the seconds to wait: 200 in 24 hours, over all vaults. For definer procedures, with the account locked.';

CREATE FUNCTION internal.invited_nominee_json(p_nominee kith.nominees, p_vault kith.vaults, p_token uuid, p_public_url text) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_id uuid := p_nominee.id;
begin
  return (
    select internal.nominee_json(p_nominee, null, invitation, true)::jsonb || jsonb_build_object(
      'invitation', internal.token_invitation_json('nominee', p_token, p_vault, invitation.expires_at, p_public_url)
    )
    from kith.nominee_invitations as invitation
    where invitation.tenant_id = v_tenant and invitation.nominee_id = v_id and invitation.ended_at is null
  );
end
$$;

ALTER FUNCTION internal.invited_nominee_json(p_nominee kith.nominees, p_vault kith.vaults, p_token uuid, p_public_url text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.invited_nominee_json(p_nominee kith.nominees, p_vault kith.vaults, p_token uuid, p_public_url text) IS 'A nominee who was just invited, or invited again, with the invitation: the only answer that has the token. For definer procedures.';

CREATE FUNCTION internal.is_alarm(p_type text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select p_type = 'ping_missed' or p_type like 'emergency\_%'
$$;

ALTER FUNCTION internal.is_alarm(p_type text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.is_alarm(p_type text) IS 'Whether a type of notification must reach its person, on whatever channel: else the tenant''s server and the operator hear of it (F07).';

CREATE FUNCTION internal.is_blocked(p_user_id uuid, p_other_id uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return exists (
    select from kith.blocks
    where tenant_id = v_tenant
      and (user_id = p_user_id and blocked_id = p_other_id or user_id = p_other_id and blocked_id = p_user_id)
  );
end
$$;

ALTER FUNCTION internal.is_blocked(p_user_id uuid, p_other_id uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.is_blocked(p_user_id uuid, p_other_id uuid) IS 'Whether one of two users has blocked the other (X22); which of them, nobody needs to know. For definer procedures.';

CREATE FUNCTION internal.is_time_zone(p_name text) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET "TimeZone" TO 'UTC'
    AS $_$
begin
  -- PostgreSQL also takes abbreviations ('EST'), POSIX rules ('Foo+5') and any case ('europe/berlin'). Setting the zone and
  -- reading it back gives the file's own spelling, or a POSIX rule in capitals: a name with a slash and a small letter that
  -- comes back unchanged is a file of the zone database. This takes microseconds; pg_timezone_names reads every file there is.
  if p_name = 'UTC' then
    return true;
  elsif p_name !~ '^[A-Z][A-Za-z]*(/[A-Z][A-Za-z0-9_+-]*){1,2}$' or p_name !~ '[a-z]' then
    return false;
  end if;
  perform set_config('timezone', p_name, true);
  return current_setting('timezone') = p_name;
exception when invalid_parameter_value then
  return false;
end
$_$;

ALTER FUNCTION internal.is_time_zone(p_name text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.is_time_zone(p_name text) IS 'Whether this is an IANA Area/City name, in its own spelling, or UTC. The SET clause gives the caller''s zone back.';

CREATE FUNCTION internal.issue_invitation(p_nominee kith.nominees, p_channel text, p_now timestamp with time zone, OUT token uuid, OUT expires_at timestamp with time zone) RETURNS record
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  token := gen_random_uuid();
  insert into kith.nominee_invitations as made (
    tenant_id, id, vault_id, nominee_id, owner_id, token_hash, channel, created_at, expires_at
  )
  select v_tenant, internal.uuid7(p_now), p_nominee.vault_id, p_nominee.id, p_nominee.owner_id, internal.invitation_token_hash(token),
    p_channel, p_now, p_now + make_interval(days => tenant.invitation_days)
  from kith.tenants as tenant
  where tenant.tenant_id = v_tenant
  returning made.expires_at into expires_at;
end
$$;

ALTER FUNCTION internal.issue_invitation(p_nominee kith.nominees, p_channel text, p_now timestamp with time zone, OUT token uuid, OUT expires_at timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.issue_invitation(p_nominee kith.nominees, p_channel text, p_now timestamp with time zone, OUT token uuid, OUT expires_at timestamp with time zone) IS 'A new token for a nominee who has no live one. For definer procedures.';

CREATE FUNCTION internal.join_url(p_join_link text, p_code text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  -- The parameter goes before the fragment, and after a query that the link has already.
  select link
    || case when strpos(link, '?') = 0 then '?' when right(link, 1) in ('?', '&') then '' else '&' end
    || 'code=' || p_code || substr(p_join_link, length(link) + 1)
  from split_part(p_join_link, '#', 1) as link
$$;

ALTER FUNCTION internal.join_url(p_join_link text, p_code text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.join_url(p_join_link text, p_code text) IS 'A tenant''s join link with a code in its query.';

CREATE TABLE kith.jwt_keys (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    algorithm text NOT NULL,
    own boolean NOT NULL,
    issuer text NOT NULL,
    audience text NOT NULL,
    wrapped_secret bytea,
    public_key text,
    created_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone,
    kid text NOT NULL,
    CONSTRAINT jwt_keys_algorithm_is_known CHECK ((algorithm = ANY (ARRAY['HS256'::text, 'ES256'::text, 'RS256'::text, 'EdDSA'::text]))),
    CONSTRAINT jwt_keys_have_their_material CHECK ((((algorithm = 'HS256'::text) = (wrapped_secret IS NOT NULL)) AND ((algorithm <> 'HS256'::text) = (public_key IS NOT NULL)))),
    CONSTRAINT jwt_keys_kid_is_short CHECK (((char_length(kid) >= 1) AND (char_length(kid) <= 200)))
);

ALTER TABLE ONLY kith.jwt_keys FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.jwt_keys OWNER TO kith_owner;

COMMENT ON TABLE kith.jwt_keys IS 'Keys that sign access tokens: found by the token''s `kid`, `iss` and `aud`; the algorithm is the key''s, never the token''s.';

COMMENT ON COLUMN kith.jwt_keys.own IS 'Kith signs with it (issuer kith, audience the slug). Otherwise the tenant''s identity provider does.';

COMMENT ON COLUMN kith.jwt_keys.wrapped_secret IS 'The HS256 secret, AES-256-GCM under the master key, bound to tenant and key id.';

COMMENT ON COLUMN kith.jwt_keys.public_key IS 'SubjectPublicKeyInfo in PEM, of at least 2048 bits for RS256.';

COMMENT ON COLUMN kith.jwt_keys.kid IS 'The name by which tokens call the key; of our own keys the id.';

CREATE FUNCTION internal.jwt_key_json(p_key kith.jwt_keys) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select json_build_object(
    'id', (p_key).id,
    'kid', (p_key).kid,
    'algorithm', (p_key).algorithm,
    'issuer', (p_key).issuer,
    'audience', (p_key).audience,
    'public_key', (p_key).public_key,
    'created_at', internal.instant((p_key).created_at)
  )
$$;

ALTER FUNCTION internal.jwt_key_json(p_key kith.jwt_keys) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.jwt_key_json(p_key kith.jwt_keys) IS 'A key of the tenant''s identity provider; of a shared secret only that there is one.';

CREATE FUNCTION internal.leave_tenant() RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  perform set_config('kith.tenant_id', '', true), set_config('kith.user_id', '', true);
end
$$;

ALTER FUNCTION internal.leave_tenant() OWNER TO kith_owner;

COMMENT ON FUNCTION internal.leave_tenant() IS 'The opposite of enter_tenant, for the rest of an operator''s transaction.';

CREATE FUNCTION internal.leave_vaults(p_user_id uuid, p_nominees uuid[], p_transfers uuid[], p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_nominee kith.nominees;
  v_vault kith.vaults;
  v_session kith.vault_sessions;
begin
  for v_session in
    select session.*
    from kith.nominees as own
    join kith.vault_sessions as session
      on session.tenant_id = v_tenant and session.vault_id = own.vault_id and session.unlocked_by = p_user_id and session.locked_at is null
    where own.tenant_id = v_tenant and own.id = any (p_nominees) and own.user_id = p_user_id and own.status <> 'revoked'
    order by session.id
  loop
    perform internal.end_session(v_session, 'manual', p_user_id, p_now);
  end loop;
  for v_nominee in
    select * from kith.nominees
    where tenant_id = v_tenant and id = any (p_nominees) and status <> 'revoked' and (user_id = p_user_id or user_id is null)
    order by id
    for update
  loop
    perform internal.end_nominee(v_nominee.id, 'account_deleted', p_now);
    select * into v_vault from kith.vaults where tenant_id = v_tenant and id = v_nominee.vault_id and deleted_at is null;
    if found and v_nominee.user_id is not null then
      perform internal.tell_of_vault(
        v_vault.owner_id, 'nominee_revoked', v_vault, p_user_id, null,
        jsonb_build_object('nominee_id', v_nominee.id, 'to', 'owner'), p_now
      );
    end if;
  end loop;
  delete from kith.share_participants
  where tenant_id = v_tenant and nominee_id = any (array(
    select id from kith.nominees where tenant_id = v_tenant and id = any (p_nominees) and user_id = p_user_id
  ));
  -- Who has accepted what was sent to one of the contacts stays, without it.
  update kith.nominees
  set name = case when user_id is distinct from p_user_id and user_id is not null then name end, phone = null, email = null,
    share_record_id = null, share_participant_id = null, updated_at = p_now
  where tenant_id = v_tenant and id = any (p_nominees);
  update kith.transfers
  set status = case status when 'pending' then 'cancelled' else status end, ended_at = coalesce(ended_at, p_now), name = null, phone = null,
    email = null
  where tenant_id = v_tenant and id = any (p_transfers);
  delete from kith.messages
  where tenant_id = v_tenant and nominee_id = any (array(
      select id from kith.nominees where tenant_id = v_tenant and user_id = p_user_id
      union
      select nominee_id from kith.messages where tenant_id = v_tenant and from_id = p_user_id
      union
      -- Of vaults given away: what nominees wrote to who never answered.
      select nominee.id
      from kith.transfers as given
      join kith.nominees as nominee on nominee.tenant_id = v_tenant and nominee.vault_id = given.vault_id
      where given.tenant_id = v_tenant and given.owner_id = p_user_id and given.status = 'accepted'
    ))
    and p_user_id in (owner_id, nominee_user_id);
  delete from kith.drafts where tenant_id = v_tenant and user_id = p_user_id;
end
$$;

ALTER FUNCTION internal.leave_vaults(p_user_id uuid, p_nominees uuid[], p_transfers uuid[], p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.leave_vaults(p_user_id uuid, p_nominees uuid[], p_transfers uuid[], p_now timestamp with time zone) IS 'Takes a user out of the vaults of others: of these nominees and transfers, which are they or name one of their contacts. What they opened is locked, owners are told, and conversations go, both sides of them. The vaults are locked.';

CREATE FUNCTION internal.level_rank(p_level text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select array_position(array['view', 'edit', 'full'], p_level)
$$;

ALTER FUNCTION internal.level_rank(p_level text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.level_rank(p_level text) IS 'Access levels in their order, from 1; null for no level.';

CREATE TABLE kith.otp_codes (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    purpose text NOT NULL,
    address text NOT NULL,
    user_id uuid,
    code_hash bytea NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    address_is_hashed boolean DEFAULT false NOT NULL,
    CONSTRAINT otp_codes_hash_is_hmac_sha256 CHECK ((octet_length(code_hash) = 32)),
    CONSTRAINT otp_codes_of_a_contact_have_their_user CHECK (((address_is_hashed AND (user_id IS NULL)) OR ((purpose = 'contact'::text) = (user_id IS NOT NULL)))),
    CONSTRAINT otp_codes_purpose_is_known CHECK ((purpose = ANY (ARRAY['sign_in'::text, 'contact'::text])))
);

ALTER TABLE ONLY kith.otp_codes FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.otp_codes OWNER TO kith_owner;

COMMENT ON TABLE kith.otp_codes IS 'One-time codes that were sent, or would have been. Kept for 30 days, with the delivery of the same id.';

COMMENT ON COLUMN kith.otp_codes.address IS 'E.164, or the e-mail address in lower case.';

COMMENT ON COLUMN kith.otp_codes.user_id IS 'Who wants to have the contact; null for signing in, where nobody is known yet.';

COMMENT ON COLUMN kith.otp_codes.code_hash IS 'HMAC-SHA-256 under a key made from the master key, bound to tenant, address and id: a million codes are soon tried on a plain hash.';

COMMENT ON COLUMN kith.otp_codes.tries IS 'How often somebody tried a code while this one was live; the fifth is the last.';

COMMENT ON COLUMN kith.otp_codes.ended_at IS 'When it, or another one to the address, was used.';

COMMENT ON COLUMN kith.otp_codes.address_is_hashed IS 'Its account has ended: the address is a hash, under which the code still counts for the limits of its day, and it is of no other use.';

CREATE FUNCTION internal.live_otp(p_purpose text, p_channel text, p_address text, p_user_id uuid, p_now timestamp with time zone) RETURNS SETOF kith.otp_codes
    LANGUAGE sql STABLE
    AS $$
  select *
  from kith.otp_codes
  where tenant_id = kith.tenant_id() and address = internal.otp_address(p_channel, p_address) and created_at > p_now - interval '1 hour'
    and purpose = p_purpose and user_id is not distinct from p_user_id and ended_at is null and expires_at > p_now and tries < 5
  order by created_at desc, id desc
  limit 2
$$;

ALTER FUNCTION internal.live_otp(p_purpose text, p_channel text, p_address text, p_user_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.live_otp(p_purpose text, p_channel text, p_address text, p_user_id uuid, p_now timestamp with time zone) IS 'The codes that may still be tried: not used, not expired, and tried less than five times. Two at most, because somebody may ask again before the first arrives: with each more a guess hits more often.';

CREATE FUNCTION internal.local_date(p_at timestamp with time zone, p_zone text) RETURNS date
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select (p_at at time zone p_zone)::date
$$;

ALTER FUNCTION internal.local_date(p_at timestamp with time zone, p_zone text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.local_date(p_at timestamp with time zone, p_zone text) IS 'The date on a calendar in the zone at this instant.';

CREATE FUNCTION internal.local_instant(p_date date, p_time time without time zone, p_zone text) RETURNS timestamp with time zone
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
declare
  v_wanted timestamp := p_date + p_time;
  -- In a gap PostgreSQL answers as if the clocks had not moved yet, in an overlap with the second of the two.
  v_at timestamptz := v_wanted at time zone p_zone;
  v_earlier timestamptz;
  v_before timestamptz;
  v_middle timestamptz;
  v_offset_before interval;
begin
  -- The offset of a day earlier: the largest jump there has been (over the date line) is a day.
  v_before := v_at - interval '24 hours';
  v_offset_before := (v_before at time zone p_zone) - (v_before at time zone 'UTC');

  if (v_at at time zone p_zone) = v_wanted then
    v_earlier := (v_wanted - v_offset_before) at time zone 'UTC';
    if v_earlier < v_at and (v_earlier at time zone p_zone) = v_wanted then
      return v_earlier;
    end if;
    return v_at;
  end if;

  -- A gap: the instant of the jump is what remains when the offset before it and the one after it close in. Jumps happen on
  -- whole seconds.
  v_before := date_trunc('second', v_before);
  v_at := date_trunc('second', v_at) + interval '1 second';
  while v_at - v_before > interval '1 second' loop
    v_middle := date_trunc('second', v_before + (v_at - v_before) / 2);
    if (v_middle at time zone p_zone) - (v_middle at time zone 'UTC') = v_offset_before then
      v_before := v_middle;
    else
      v_at := v_middle;
    end if;
  end loop;

  -- The last local second before the jump is of an earlier date, and the first one after it of a later: nobody in the zone lived this date.
  if (v_before at time zone p_zone)::date < p_date and (v_at at time zone p_zone)::date > p_date then
    return null;
  end if;
  return v_at;
end
$$;

ALTER FUNCTION internal.local_instant(p_date date, p_time time without time zone, p_zone text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.local_instant(p_date date, p_time time without time zone, p_zone text) IS 'When a clock in the zone shows this date and time: in a gap of summer time the gap''s end, in an overlap the first of the two instants, null for a date that the zone skipped (X25).';

CREATE FUNCTION internal.lock_account() RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  perform from kith.users where tenant_id = v_tenant and id = v_user and deleted_at is null for no key update;
  if not found then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
end
$$;

ALTER FUNCTION internal.lock_account() OWNER TO kith_owner;

COMMENT ON FUNCTION internal.lock_account() IS 'Locks the account of the user who asks, so that its changes come one after the other, and raises unauthenticated when it is deleted: an access token is believed for up to a minute longer, in which nothing personal may be written anew.';

CREATE FUNCTION internal.lock_own_vault(p_vault_id uuid, p_now timestamp with time zone) RETURNS kith.vault_sessions
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_access record;
  v_session kith.vault_sessions;
begin
  perform internal.require_user();
  v_access := internal.vault_access(p_vault_id, p_now);
  perform internal.require_level(v_access.role, v_access.access_level, 'full');
  perform internal.lock_vault_row(p_vault_id);
  -- Again: while the lock was waited for access may have ended; and nobody is told whose account has.
  v_access := internal.vault_access(p_vault_id, p_now);
  perform internal.require_level(v_access.role, v_access.access_level, 'full');
  perform internal.close_session(p_vault_id, 'manual', kith.user_id(), p_now);
  -- The newest, if it was locked by this call, by somebody else a moment before, or long ago.
  select * into v_session
  from kith.vault_sessions
  where tenant_id = v_tenant and vault_id = p_vault_id and kind = 'shared'
  order by id desc
  limit 1;
  if not found then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This vault has never been open.';
  end if;
  return v_session;
end
$$;

ALTER FUNCTION internal.lock_own_vault(p_vault_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.lock_own_vault(p_vault_id uuid, p_now timestamp with time zone) IS 'Locks a vault, by its owner or a nominee with level full; what is locked stays as it is. Gives the last session. Definer: nobody writes sessions but these functions.';

CREATE TABLE kith.transfers (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    vault_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    name text,
    phone text,
    email text,
    keep_access boolean NOT NULL,
    token_hash bytea NOT NULL,
    status text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    accepted_by uuid,
    email_normalized text GENERATED ALWAYS AS (lower(email)) STORED,
    CONSTRAINT transfers_accepted_says_by_whom CHECK (((status = 'accepted'::text) = (accepted_by IS NOT NULL))),
    CONSTRAINT transfers_email_is_an_address CHECK (((email ~ '^[^@[:space:]]+@[^@[:space:]]+$'::text) AND (char_length(email) <= 254))),
    CONSTRAINT transfers_ended_says_when CHECK (((status = 'pending'::text) = (ended_at IS NULL))),
    CONSTRAINT transfers_hash_is_sha256 CHECK ((octet_length(token_hash) = 32)),
    CONSTRAINT transfers_name_is_short CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
    CONSTRAINT transfers_phone_is_e164 CHECK ((phone ~ '^\+[1-9][0-9]{6,14}$'::text)),
    CONSTRAINT transfers_status_is_known CHECK ((status = ANY (ARRAY['pending'::text, 'accepted'::text, 'declined'::text, 'cancelled'::text, 'expired'::text, 'vault_deleted'::text])))
);

ALTER TABLE ONLY kith.transfers FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.transfers OWNER TO kith_owner;

COMMENT ON TABLE kith.transfers IS 'The offer of a vault to somebody, by token like an invitation (C07).';

COMMENT ON COLUMN kith.transfers.owner_id IS 'Who offered it: the owner of that time.';

COMMENT ON COLUMN kith.transfers.name IS 'As the owner wrote it; null once an account that it may name has ended.';

COMMENT ON COLUMN kith.transfers.keep_access IS 'Whether the old owner becomes a nominee with level full.';

COMMENT ON COLUMN kith.transfers.status IS 'A pending one whose expires_at has passed can be accepted by nobody; another offer makes it expired.';

CREATE FUNCTION internal.lock_transfer(p_transfer_id uuid) RETURNS kith.transfers
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_transfer kith.transfers;
begin
  select * into v_transfer from kith.transfers where tenant_id = v_tenant and id = p_transfer_id;
  -- Whoever ends one of the two accounts, or blocks the other, is waited for, and then seen.
  perform from kith.users
  where tenant_id = v_tenant and id in (v_transfer.owner_id, v_user)
  order by id
  for key share;
  if v_user is not null then
    perform internal.lock_account();
  end if;
  perform from kith.vaults where tenant_id = v_tenant and id = v_transfer.vault_id for no key update;
  select * into v_transfer from kith.transfers where tenant_id = v_tenant and id = p_transfer_id for update;
  if not found or internal.is_blocked(v_transfer.owner_id, v_user) then
    raise exception 'invitation_invalid' using errcode = 'KT404';
  end if;
  return v_transfer;
end
$$;

ALTER FUNCTION internal.lock_transfer(p_transfer_id uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.lock_transfer(p_transfer_id uuid) IS 'A transfer with its vault, locked: of two answers to it the second finds what the first has done. Raises invitation_invalid between people of whom one has blocked the other. For definer procedures.';

CREATE FUNCTION internal.lock_vault_row(p_vault_id uuid) RETURNS kith.vaults
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_vault kith.vaults;
begin
  select * into v_vault from kith.vaults where tenant_id = v_tenant and id = p_vault_id and deleted_at is null for no key update;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return v_vault;
end
$$;

ALTER FUNCTION internal.lock_vault_row(p_vault_id uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.lock_vault_row(p_vault_id uuid) IS 'A vault, locked against everything that must not happen at the same time: opening, deleting, transferring, accepting. Raises not_found. For definer procedures; whoever was checked before checks again.';

CREATE FUNCTION internal.make_partition(p_table text, p_suffix text, p_from text, p_until text) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET lock_timeout TO '500ms'
    AS $$
declare
  v_name text := p_table || '_' || p_suffix;
  v_key text := case p_table when 'pings' then 'ping_on' else 'id' end;
begin
  if to_regclass(format('kith.%I', v_name)) is not null then
    return 0;
  end if;
  begin
    -- Create, then attach: `create … partition of` waits behind a single reader.
    execute format('create table kith.%I (like kith.%I including defaults including constraints)', v_name, p_table);
    execute format('alter table kith.%I enable row level security', v_name);
    if p_from is null then
      execute format('alter table kith.%I attach partition kith.%I default', p_table, v_name);
    else
      -- What fell into the net belongs here now. Through the parent: the policies that let the owner see rows are there.
      execute format(
        'with caught as (delete from kith.%I where %I >= %L and %I < %L returning *) insert into kith.%I select * from caught',
        p_table, v_key, p_from, v_key, p_until, v_name
      );
      execute format(
        'alter table kith.%I attach partition kith.%I for values from (%L) to (%L)', p_table, v_name, p_from, p_until
      );
    end if;
    -- Last, because it binds the owner too, and a partition has no policies: it is reached through its parent only.
    execute format('alter table kith.%I force row level security', v_name);
    return 1;
  exception when lock_not_available or check_violation then
    -- Somebody reads the net, or has just dropped a row into it.
    return 0;
  end;
end
$$;

ALTER FUNCTION internal.make_partition(p_table text, p_suffix text, p_from text, p_until text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.make_partition(p_table text, p_suffix text, p_from text, p_until text) IS 'Makes one partition of a table of schema kith, with row-level security on (partitions do not inherit it); without bounds the default one. Returns 1 if it is new, 0 if it is there or the lock was not to be had. Definer: only the owner may attach.';

CREATE FUNCTION internal.make_partitions(p_now timestamp with time zone) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_made integer := 0;
  v_month timestamp;
  v_from_id text;
  v_until_id text;
  v_suffix text;
begin
  -- Two at once would make the same tables.
  if not pg_try_advisory_xact_lock(hashtext('internal.make_partitions')) then
    return 0;
  end if;

  -- The net: no insert is ever refused for want of a partition, only put where it costs more.
  v_made := v_made + internal.make_partition('pings', 'default', null, null)
    + internal.make_partition('notifications', 'default', null, null)
    + internal.make_partition('deliveries', 'default', null, null)
    + internal.make_partition('audit', 'default', null, null)
    + internal.make_partition('history', 'default', null, null);

  for v_month in
    select generate_series(date_trunc('month', p_now at time zone 'UTC') - interval '1 month',
      date_trunc('month', p_now at time zone 'UTC') + interval '2 months', interval '1 month')
  loop
    v_from_id := internal.first_uuid7(v_month at time zone 'UTC')::text;
    v_until_id := internal.first_uuid7((v_month + interval '1 month') at time zone 'UTC')::text;
    v_suffix := to_char(v_month, 'YYYY_MM');
    v_made := v_made
      + internal.make_partition('pings', v_suffix, v_month::date::text, (v_month + interval '1 month')::date::text)
      + internal.make_partition('notifications', v_suffix, v_from_id, v_until_id)
      + internal.make_partition('deliveries', v_suffix, v_from_id, v_until_id)
      + internal.make_partition('audit', v_suffix, v_from_id, v_until_id)
      + internal.make_partition('history', v_suffix, v_from_id, v_until_id);
  end loop;
  return v_made;
end
$$;

ALTER FUNCTION internal.make_partitions(p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.make_partitions(p_now timestamp with time zone) IS 'Makes the monthly partitions from the month before this instant to two months after it, and the default ones. Run it again at any time; returns how many are new. Definer: the worker may not create tables.';

CREATE FUNCTION internal.manage_vault(p_vault_id uuid, p_now timestamp with time zone, OUT vault kith.vaults, OUT role text, OUT access_level text, OUT nominee kith.nominees, OUT session kith.vault_sessions) RETURNS record
    LANGUAGE plpgsql
    AS $$
declare
  v_access record := internal.vault_access(p_vault_id, p_now);
begin
  vault := v_access.vault;
  role := v_access.role;
  access_level := v_access.access_level;
  nominee := v_access.nominee;
  session := v_access.session;
  if role <> 'owner' then
    perform internal.require_open(role, session.id);
    perform internal.require_level(role, access_level, 'full');
  end if;
end
$$;

ALTER FUNCTION internal.manage_vault(p_vault_id uuid, p_now timestamp with time zone, OUT vault kith.vaults, OUT role text, OUT access_level text, OUT nominee kith.nominees, OUT session kith.vault_sessions) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.manage_vault(p_vault_id uuid, p_now timestamp with time zone, OUT vault kith.vaults, OUT role text, OUT access_level text, OUT nominee kith.nominees, OUT session kith.vault_sessions) IS 'vault_access for who invites and revokes: the owner at any time, a nominee with level full while the vault is open (V11).';

CREATE FUNCTION internal.managed_nominee_json(p_nominee kith.nominees, p_session_id uuid) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
begin
  return (
    select page.item from internal.page_of_nominees(p_nominee.vault_id, p_session_id, true, p_nominee.id, null, 1, null) as page
  );
end
$$;

ALTER FUNCTION internal.managed_nominee_json(p_nominee kith.nominees, p_session_id uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.managed_nominee_json(p_nominee kith.nominees, p_session_id uuid) IS 'A nominee as it is now, for who manages nominees. For definer procedures.';

CREATE FUNCTION internal.may_let_in(p_vault kith.vaults, p_inviter_id uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_vault uuid := p_vault.id;
begin
  return p_inviter_id is not distinct from p_vault.owner_id or exists (
    select from kith.nominees
    where tenant_id = v_tenant and vault_id = v_vault and user_id = p_inviter_id and status = 'accepted' and access_level = 'full'
  );
end
$$;

ALTER FUNCTION internal.may_let_in(p_vault kith.vaults, p_inviter_id uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.may_let_in(p_vault kith.vaults, p_inviter_id uuid) IS 'Whether an inviter still has a say in a vault: its owner, or a nominee with level full. Else who was thrown out, or has given the vault away, would come back by an invitation of their own making. For definer procedures.';

CREATE TABLE kith.messages (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    vault_id uuid NOT NULL,
    nominee_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    nominee_user_id uuid NOT NULL,
    from_id uuid NOT NULL,
    body text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    read_at timestamp with time zone,
    CONSTRAINT messages_are_from_a_side CHECK (((from_id = owner_id) OR (from_id = nominee_user_id))),
    CONSTRAINT messages_body_is_short CHECK (((char_length(body) >= 1) AND (char_length(body) <= 4000)))
);

ALTER TABLE ONLY kith.messages FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.messages OWNER TO kith_owner;

COMMENT ON TABLE kith.messages IS 'What a vault''s owner and one nominee wrote to each other (V12).';

COMMENT ON COLUMN kith.messages.owner_id IS 'The owner who took part in it; a transfer does not rewrite it, as the new owner is to read none of it.';

CREATE FUNCTION internal.message_json(p_message kith.messages, p_from_name text) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select json_build_object(
    'id', (p_message).id,
    'from', json_build_object('id', (p_message).from_id, 'display_name', internal.name_of_anybody(p_from_name)),
    'body', (p_message).body,
    'created_at', internal.instant((p_message).created_at),
    'read_at', internal.instant((p_message).read_at)
  )
$$;

ALTER FUNCTION internal.message_json(p_message kith.messages, p_from_name text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.message_json(p_message kith.messages, p_from_name text) IS 'A message, as both sides see it.';

CREATE FUNCTION internal.message_wait(p_now timestamp with time zone) RETURNS integer
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_first uuid := internal.first_uuid7(p_now - interval '1 minute');
  v_ends_at timestamptz;
begin
  select created_at + interval '1 minute' into v_ends_at
  from kith.messages
  where tenant_id = v_tenant and from_id = v_user and id >= v_first and created_at > p_now - interval '1 minute'
  order by id desc
  offset 29
  limit 1;
  return case when v_ends_at is not null then greatest(1, ceil(extract(epoch from v_ends_at - p_now)))::integer end;
end
$$;

ALTER FUNCTION internal.message_wait(p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.message_wait(p_now timestamp with time zone) IS 'Null when the user who asks may write a message now; else the seconds to wait: 30 a minute. For definer procedures that have locked the account.';

CREATE FUNCTION internal.midnight(p_date date, p_zone text) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select internal.local_instant(p_date, time '00:00', p_zone)
$$;

ALTER FUNCTION internal.midnight(p_date date, p_zone text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.midnight(p_date date, p_zone text) IS 'The first instant of the date in the zone, which is not always 00:00; null for a date that the zone skipped.';

CREATE FUNCTION internal.move_vault(p_vault kith.vaults, p_to uuid, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_vault uuid := p_vault.id;
begin
  update kith.vaults set owner_id = p_to, updated_at = p_now where tenant_id = v_tenant and id = v_vault;
  perform from kith.nominees where tenant_id = v_tenant and vault_id = v_vault order by id for no key update;
  update kith.nominees set owner_id = p_to where tenant_id = v_tenant and vault_id = v_vault;
  update kith.vault_sessions set owner_id = p_to where tenant_id = v_tenant and vault_id = v_vault;
  update kith.nominee_invitations set owner_id = p_to where tenant_id = v_tenant and vault_id = v_vault;
  update kith.documents set owner_id = p_to where tenant_id = v_tenant and vault_id = v_vault;
  update kith.shares set owner_id = p_to where tenant_id = v_tenant and vault_id = v_vault;
  delete from kith.drafts where tenant_id = v_tenant and vault_id = v_vault;
end
$$;

ALTER FUNCTION internal.move_vault(p_vault kith.vaults, p_to uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.move_vault(p_vault kith.vaults, p_to uuid, p_now timestamp with time zone) IS 'Makes a user the owner of a locked vault and of every row that carries its owner for the policies, but for messages: conversations of the one before are not the new one''s to read.';

CREATE FUNCTION internal.name_of_anybody(p_name text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select coalesce(nullif(btrim(p_name), ''), 'Someone')
$$;

ALTER FUNCTION internal.name_of_anybody(p_name text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.name_of_anybody(p_name text) IS 'The name of a person in no role, and of one whose account is deleted.';

CREATE FUNCTION internal.new_api_key(p_tenant_id integer, p_name text, p_now timestamp with time zone, OUT id uuid, OUT secret text) RETURNS record
    LANGUAGE plpgsql
    AS $$
begin
  id := internal.uuid7(p_now);
  -- Two random UUIDs are 244 random bits: a plain SHA-256 keeps them safe, and finds them by an index.
  secret := 'kith_sk_' || translate(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
  insert into kith.api_keys (tenant_id, id, name, secret_hash, created_at)
  values (p_tenant_id, id, p_name, sha256(convert_to(secret, 'UTF8')), p_now);
end
$$;

ALTER FUNCTION internal.new_api_key(p_tenant_id integer, p_name text, p_now timestamp with time zone, OUT id uuid, OUT secret text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.new_api_key(p_tenant_id integer, p_name text, p_now timestamp with time zone, OUT id uuid, OUT secret text) IS 'Makes an API key. The secret is told here once and never again: only its hash is kept.';

CREATE FUNCTION internal.new_code(p_role text, p_permanent boolean, p_expires_at timestamp with time zone, p_now timestamp with time zone) RETURNS kith.unique_codes
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_code kith.unique_codes;
begin
  -- Two requests of one user wait for each other: one permanent code a role, and a count that holds.
  perform internal.lock_account();
  if p_permanent then
    select * into v_code
    from kith.unique_codes
    where tenant_id = v_tenant and user_id = v_user and role = p_role and permanent and rotated_at is null;
    if found then
      return v_code;
    end if;
  end if;
  if (
    select count(*) >= 100
    from kith.unique_codes
    where tenant_id = v_tenant and user_id = v_user and not internal.code_is_free(expires_at, rotated_at, p_now)
  ) then
    raise exception 'quota_exceeded' using errcode = 'KT507', detail = 'You have made too many codes. Ended ones are freed after 90 days.';
  end if;
  for v_try in 1 .. 500 loop
    -- 48 bits of the system's strong randomness: random() could be foretold from a few codes.
    insert into kith.unique_codes as taken (tenant_id, code, user_id, role, permanent, created_at, expires_at)
    values (
      v_tenant,
      lpad((('x' || translate(left(gen_random_uuid()::text, 13), '-', ''))::bit(48)::bigint % 1000000)::text, 6, '0'),
      v_user, p_role, p_permanent, p_now, p_expires_at
    )
    on conflict (tenant_id, code) do update
    set user_id = excluded.user_id, role = excluded.role, permanent = excluded.permanent, created_at = excluded.created_at,
      expires_at = excluded.expires_at, rotated_at = null
    where internal.code_is_free(taken.expires_at, taken.rotated_at, p_now)
    returning * into v_code;
    if found then
      return v_code;
    end if;
  end loop;
  raise exception 'quota_exceeded' using errcode = 'KT507', detail = 'There is hardly a free code left. Please tell the app''s support.';
end
$$;

ALTER FUNCTION internal.new_code(p_role text, p_permanent boolean, p_expires_at timestamp with time zone, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.new_code(p_role text, p_permanent boolean, p_expires_at timestamp with time zone, p_now timestamp with time zone) IS 'A new code of the user who asks, or the permanent one they have. Takes over a code that ended 90 days ago; at most 100 codes a user, live and ended. Definer: finding a free code needs to see the taken ones.';

CREATE FUNCTION internal.nominee_invitation_state(p_invitation kith.nominee_invitations, p_nominee kith.nominees, p_vault kith.vaults, p_now timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE
    AS $$
  select case
    when (p_invitation).end_reason = 'declined' then 'declined'
    when (p_nominee).status = 'revoked' or (p_vault).deleted_at is not null or (p_invitation).end_reason in ('revoked', 'vault_deleted')
      then 'revoked'
    when (p_invitation).end_reason = 'accepted' then 'accepted'
    when (p_invitation).expires_at <= p_now then 'expired'
    else 'pending'
  end
$$;

ALTER FUNCTION internal.nominee_invitation_state(p_invitation kith.nominee_invitations, p_nominee kith.nominees, p_vault kith.vaults, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.nominee_invitation_state(p_invitation kith.nominee_invitations, p_nominee kith.nominees, p_vault kith.vaults, p_now timestamp with time zone) IS 'What there is to say of an invitation: pending, accepted, declined, expired, or revoked, which is also what becomes of it when the access ends later.';

CREATE FUNCTION internal.nominee_json(p_nominee kith.nominees, p_session_id uuid, p_invitation kith.nominee_invitations, p_is_managed boolean) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select json_build_object(
    'id', (p_nominee).id,
    'name', internal.name_of_anybody((p_nominee).name),
    'phone', case when p_is_managed then (p_nominee).phone end,
    'email', case when p_is_managed then (p_nominee).email end,
    'user_id', (p_nominee).user_id,
    'status', internal.nominee_status((p_nominee).status, p_session_id is not null),
    'access_level', (p_nominee).access_level,
    'needs_confirmation', (p_nominee).needs_confirmation,
    'invited_at', internal.instant((p_nominee).invited_at),
    'invited_by_user_id', (p_nominee).invited_by_user_id,
    'accepted_at', internal.instant((p_nominee).accepted_at),
    'is_currently_active', (p_nominee).status = 'accepted' and p_session_id is not null,
    'current_session_id', case (p_nominee).status when 'accepted' then p_session_id end,
    'last_active_at', internal.instant((p_nominee).last_active_at),
    'share_record_id', (p_nominee).share_record_id,
    'share_participant_id', (p_nominee).share_participant_id,
    'revoke_reason', (p_nominee).revoke_reason,
    'invitation_expires_at', internal.instant((p_invitation).expires_at),
    'invitation_outcome', (p_invitation).outcome
  )
$$;

ALTER FUNCTION internal.nominee_json(p_nominee kith.nominees, p_session_id uuid, p_invitation kith.nominee_invitations, p_is_managed boolean) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.nominee_json(p_nominee kith.nominees, p_session_id uuid, p_invitation kith.nominee_invitations, p_is_managed boolean) IS 'A nominee: with the session of the vault that is open, or null, which alone says who is active (V08); the invitation that is live, or null; and the contacts for who manages nominees only. Whoever accepted with a token that was not meant for them learns no number by it.';

CREATE FUNCTION internal.nominee_status(p_status text, p_is_open boolean) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case when p_status = 'accepted' and p_is_open then 'active' else p_status end
$$;

ALTER FUNCTION internal.nominee_status(p_status text, p_is_open boolean) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.nominee_status(p_status text, p_is_open boolean) IS 'A nominee''s status as everybody sees it: active is accepted while the vault is open, and stored nowhere (V08).';

CREATE FUNCTION internal.nominees_of_person(p_user_id uuid, p_phone text, p_email text) RETURNS uuid[]
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_email text := lower(p_email);
begin
  -- Each by its own index.
  return array(
    select id from kith.nominees where tenant_id = v_tenant and user_id = p_user_id
    union
    select id from kith.nominees where tenant_id = v_tenant and phone = p_phone
    union
    select id from kith.nominees where tenant_id = v_tenant and email_normalized = v_email
  );
end
$$;

ALTER FUNCTION internal.nominees_of_person(p_user_id uuid, p_phone text, p_email text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.nominees_of_person(p_user_id uuid, p_phone text, p_email text) IS 'The nominees that are this user, or that somebody has named with one of these contacts.';

CREATE FUNCTION internal.note_activity(p_vault_id uuid, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  if not exists (
    select from kith.vaults where tenant_id = v_tenant and id = p_vault_id and owner_id = v_user and deleted_at is null
  ) and not exists (
    select from kith.nominees where tenant_id = v_tenant and vault_id = p_vault_id and user_id = v_user and status = 'accepted'
  ) then
    perform internal.refuse_not_found();
  end if;
  -- Another one who is writing the same minute just now writes it for both. An expired session is past reviving (V05).
  update kith.vault_sessions
  set last_activity_at = p_now, expires_at = least(greatest(expires_at, p_now + interval '30 minutes'), maximum_at)
  where tenant_id = v_tenant and id = (
    select id from kith.vault_sessions
    where tenant_id = v_tenant and vault_id = p_vault_id and kind = 'shared' and locked_at is null and expires_at > p_now
      and last_activity_at <= p_now - interval '1 minute'
    for no key update skip locked
  ) and locked_at is null and expires_at > p_now;
  update kith.nominees set last_active_at = p_now
  where tenant_id = v_tenant and id = (
    select nominee.id from kith.nominees as nominee
    where nominee.tenant_id = v_tenant and nominee.vault_id = p_vault_id and nominee.user_id = v_user and nominee.status = 'accepted'
      and coalesce(nominee.last_active_at <= p_now - interval '1 minute', true)
      and exists (
        select from kith.vault_sessions as session
        where session.tenant_id = v_tenant and session.vault_id = p_vault_id and session.kind = 'shared' and session.locked_at is null
          and session.expires_at > p_now
      )
    for no key update of nominee skip locked
  );
end
$$;

ALTER FUNCTION internal.note_activity(p_vault_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.note_activity(p_vault_id uuid, p_now timestamp with time zone) IS 'Notes that the user who asks is doing something in an open vault: the session ends 30 minutes from now, at its maximum at the latest. Written at most once a minute. Raises not_found for a stranger. Definer: nobody writes sessions but these functions.';

CREATE FUNCTION internal.note_history(p_vault_id uuid, p_action text, p_subject_type text, p_subject_id uuid, p_detail jsonb, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  if not exists (select from kith.vaults where tenant_id = v_tenant and id = p_vault_id and owner_id = v_user)
    and not exists (
      select from kith.nominees
      where tenant_id = v_tenant and vault_id = p_vault_id and user_id = v_user and status = 'accepted'
        and p_action like 'document.%'
    )
  then
    perform internal.refuse_not_found();
  end if;
  perform internal.record_history(p_vault_id, v_user, p_action, p_subject_type, p_subject_id, p_detail, p_now);
end
$$;

ALTER FUNCTION internal.note_history(p_vault_id uuid, p_action text, p_subject_type text, p_subject_id uuid, p_detail jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.note_history(p_vault_id uuid, p_action text, p_subject_type text, p_subject_id uuid, p_detail jsonb, p_now timestamp with time zone) IS 'Writes into a vault''s history what the user who asks has done, always in their own name. An accepted nominee does something with documents only, and everybody else raises not_found. Definer: nobody inserts there, so nobody can write another''s name.';

CREATE FUNCTION internal.notification_body(p_type text, p_to text, p_name text, p_value text DEFAULT NULL::text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case p_type
    when 'connection_request' then
      case p_to
        when 'receiver' then coalesce(nullif(btrim(p_name), ''), 'Your sender') || ' is now sending you pings'
        else coalesce(nullif(btrim(p_name), ''), 'Your receiver') || ' is now receiving your pings'
      end
    when 'connection_paused' then coalesce(nullif(btrim(p_name), ''), 'Your sender') || ' has paused their connection with you'
    when 'connection_resumed' then coalesce(nullif(btrim(p_name), ''), 'Your sender') || ' has resumed their connection with you'
    when 'connection_removed' then
      case
        when p_value = 'support' then 'This connection was removed by support'
        when p_to = 'receiver' then coalesce(nullif(btrim(p_name), ''), 'Your sender') || ' has removed you as a receiver'
        else coalesce(nullif(btrim(p_name), ''), 'Your receiver') || ' has removed your connection'
      end
    when 'ping_due' then 'Let your receivers know you''re safe.'
    when 'ping_reminder' then p_value || ' minutes left to check in.'
    when 'ping_completed' then coalesce(nullif(btrim(p_name), ''), 'Your sender') || ' checked in.'
    when 'ping_missed' then
      case p_to
        when 'sender' then 'You missed today''s check-in. Check in now to let your receivers know you''re safe.'
        else coalesce(nullif(btrim(p_name), ''), 'Your sender') || ' has not checked in today.'
      end
    when 'ping_all_clear' then coalesce(nullif(btrim(p_name), ''), 'Your sender') || ' checked in late. They''re safe.'
    when 'subscription_lapsing' then
      'Pings to ' || coalesce(nullif(btrim(p_name), ''), 'Your receiver') || ' stop on ' || p_value || ' unless the subscription is renewed.'
    when 'break_started' then coalesce(nullif(btrim(p_name), ''), 'Your sender') || ' is taking a break until ' || p_value || '.'
    when 'break_ended' then coalesce(nullif(btrim(p_name), ''), 'Your sender') || '''s daily pings are on again.'
    when 'vault_opened' then internal.name_of_anybody(p_name) || ' opened ' || p_value || '. You can enter now.'
    when 'vault_locked' then p_value || ' is locked.'
    when 'nominee_invited' then internal.name_of_anybody(p_name) || ' invites you to ' || p_value || '.'
    when 'nominee_revoked' then
      case p_to
        when 'owner' then internal.name_of_anybody(p_name) || ' no longer has access to ' || p_value || '.'
        else 'Your access to ' || p_value || ' has ended.'
      end
    when 'nominee_accepted' then internal.name_of_anybody(p_name) || ' accepted your invitation to ' || p_value || '.'
    when 'nominee_declined' then internal.name_of_anybody(p_name) || ' declined your invitation to ' || p_value || '.'
    when 'transfer_requested' then internal.name_of_anybody(p_name) || ' wants to make you the owner of ' || p_value || '.'
    when 'transfer_accepted' then internal.name_of_anybody(p_name) || ' is now the owner of ' || p_value || '.'
    when 'transfer_declined' then internal.name_of_anybody(p_name) || ' does not want to become the owner of ' || p_value || '.'
  end
$$;

ALTER FUNCTION internal.notification_body(p_type text, p_to text, p_name text, p_value text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.notification_body(p_type text, p_to text, p_name text, p_value text) IS 'The body of a notification of the type given, to a ''sender'' or a ''receiver'', of a vault to its ''owner'' or a ''nominee'', about the person named (the other side); p_value is the minutes left, the date, ''support'', or the name of the vault.';

CREATE FUNCTION internal.notification_title(p_type text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case p_type
    when 'connection_request' then 'New Connection'
    when 'connection_paused' then 'Connection Paused'
    when 'connection_resumed' then 'Connection Resumed'
    when 'connection_removed' then 'Connection Removed'
    when 'ping_due' then 'Time to Check In'
    when 'ping_reminder' then 'Check-In Reminder'
    when 'ping_completed' then 'Safe'
    when 'ping_missed' then 'Missed Check-In'
    when 'ping_all_clear' then 'All Clear'
    when 'subscription_lapsing' then 'Subscription Ending'
    when 'break_started' then 'On a Break'
    when 'break_ended' then 'Back From a Break'
    when 'vault_opened' then 'Vault Open'
    when 'vault_locked' then 'Vault Locked'
    when 'nominee_invited' then 'Vault Invitation'
    when 'nominee_revoked' then 'Access Ended'
    when 'nominee_accepted' then 'Invitation Accepted'
    when 'nominee_declined' then 'Invitation Declined'
    when 'transfer_requested' then 'Vault Transfer'
    when 'transfer_accepted' then 'Vault Transfer'
    when 'transfer_declined' then 'Vault Transfer'
  end
$$;

ALTER FUNCTION internal.notification_title(p_type text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.notification_title(p_type text) IS 'The title of a notification of the type given; null for an unknown type.';

CREATE FUNCTION internal.notification_types() RETURNS TABLE(n integer, type text, breaks_through boolean, channels text[])
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select row_number() over ()::integer, known.type, known.breaks_through,
    case when known.is_alarm then array['push', 'email'] else array['push'] end
  from (values
    ('connection_request', false, false),
    ('connection_paused', false, false),
    ('connection_resumed', false, false),
    ('connection_removed', false, false),
    ('ping_due', true, false),
    ('ping_reminder', true, false),
    ('ping_completed', false, false),
    ('ping_missed', true, true),
    ('ping_all_clear', true, false),
    ('subscription_lapsing', false, true),
    ('break_started', false, false),
    ('break_ended', false, false),
    ('vault_opened', false, false),
    ('vault_locked', false, false),
    ('nominee_invited', false, false),
    ('nominee_revoked', false, false),
    ('nominee_accepted', false, false),
    ('nominee_declined', false, false),
    ('transfer_requested', false, false),
    ('transfer_accepted', false, false),
    ('transfer_declined', false, false),
    ('message_received', false, false),
    ('emergency_requested', true, true),
    ('emergency_reminder', true, true),
    ('emergency_approved', true, true),
    ('emergency_rejected', true, true),
    ('emergency_opened', true, true)
  ) as known (type, breaks_through, is_alarm)
$$;

ALTER FUNCTION internal.notification_types() OWNER TO kith_owner;

COMMENT ON FUNCTION internal.notification_types() IS 'Every type of notification, in the order of the documents: whether it breaks through quiet hours (and then cannot be switched off entirely), and the channels it takes where the user has said nothing. A text message costs the tenant money, so it is never a default.';

CREATE FUNCTION internal.notification_value(p_type text, p_data jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case p_type
    when 'connection_removed' then p_data ->> 'by'
    when 'subscription_lapsing' then p_data ->> 'date'
    when 'break_started' then p_data ->> 'until'
  end
$$;

ALTER FUNCTION internal.notification_value(p_type text, p_data jsonb) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.notification_value(p_type text, p_data jsonb) IS 'What notification_body needs beside the names, out of the data of a notification that is to be written anew.';

CREATE FUNCTION internal.notify_connection(p_connection_id uuid, p_type text, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_connection kith.connections;
  v_by_support boolean;
begin
  if v_tenant is null then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
  select * into v_connection
  from kith.connections
  where tenant_id = v_tenant and id = p_connection_id
    -- The row itself must say that it has just come to this: a notification of what did not happen cannot be asked for.
    and updated_at = p_now
    and status = any (case p_type
      when 'connection_request' then array['active', 'pending']
      when 'connection_resumed' then array['active']
      when 'connection_paused' then array['paused']
      when 'connection_removed' then array['deleted']
    end)
    and (v_user is null or v_user in (sender_id, receiver_id));
  if not found then
    raise exception 'connection % has not just come to %', p_connection_id, p_type;
  end if;
  -- Paused and resumed without end it would bury what the receiver must not miss.
  if p_type in ('connection_paused', 'connection_resumed') and 20 <= (
    select count(*) from kith.notifications
    where tenant_id = v_tenant and user_id = v_connection.receiver_id
      and id >= internal.first_uuid7(p_now - interval '1 hour')
      and type in ('connection_paused', 'connection_resumed') and data ->> 'connection_id' = p_connection_id::text
  ) then
    raise exception 'too_many_requests'
      using errcode = 'KT429', detail = 'This connection was paused and resumed too often. Please wait an hour.';
  end if;
  v_by_support := p_type = 'connection_removed' and v_connection.deleted_by not like 'user:%';

  insert into kith.notifications (tenant_id, id, user_id, type, title, body, data, created_at)
  select v_tenant, internal.uuid7(p_now), recipient.user_id, p_type, internal.notification_title(p_type),
    internal.notification_body(p_type, recipient.role, other.display_name, case when v_by_support then 'support' end),
    jsonb_build_object('connection_id', p_connection_id)
      || case when v_by_support then '{"by": "support"}'::jsonb else '{}' end, p_now
  from (values
    ('sender', v_connection.sender_id, v_connection.receiver_id),
    ('receiver', v_connection.receiver_id, v_connection.sender_id)
  ) as recipient (role, user_id, other_id)
  join kith.users as other on other.tenant_id = v_tenant and other.id = recipient.other_id
  where case p_type
    when 'connection_request' then recipient.user_id = v_connection.code_owner_id
    when 'connection_removed' then v_by_support or 'user:' || recipient.user_id <> v_connection.deleted_by
    else recipient.role = 'receiver'
  end;
end
$$;

ALTER FUNCTION internal.notify_connection(p_connection_id uuid, p_type text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.notify_connection(p_connection_id uuid, p_type text, p_now timestamp with time zone) IS 'Tells who is to be told that a connection was made, paused, resumed or removed: the recipients and the texts follow from the row. Raises too_many_requests where one connection was paused and resumed 20 times within the hour. Definer: a notification is somebody else''s row, and nobody may write those freely.';

CREATE FUNCTION internal.open_session(p_vault_id uuid, p_now timestamp with time zone, OUT session kith.vault_sessions, OUT is_new boolean) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_access record;
  v_old kith.vault_sessions;
  v_maximum timestamptz;
begin
  perform internal.require_user();
  v_access := internal.vault_access(p_vault_id, p_now);
  session := v_access.session;
  is_new := false;
  if session.id is not null then
    perform internal.record_joining(session, v_user, p_now);
    return;
  end if;
  if v_access.role <> 'owner' and not (v_access.access_level = 'full' and (v_access.vault).full_may_open) then
    raise exception 'vault_locked' using errcode = 'KT423';
  end if;
  -- Openers wait for each other here, and for whoever deletes or transfers the vault; what was found above may be old then.
  perform internal.lock_vault_row(p_vault_id);
  v_access := internal.vault_access(p_vault_id, p_now);
  session := v_access.session;
  if session.id is not null then
    perform internal.record_joining(session, v_user, p_now);
    return;
  end if;
  if v_access.role <> 'owner' and not (v_access.access_level = 'full' and (v_access.vault).full_may_open) then
    raise exception 'vault_locked' using errcode = 'KT423';
  end if;
  select * into v_old
  from kith.vault_sessions
  where tenant_id = v_tenant and vault_id = p_vault_id and kind = 'shared' and locked_at is null
  for update;
  if found then
    perform internal.end_session(v_old, 'expired', null, v_old.expires_at);
  end if;
  select p_now + make_interval(mins => session_maximum_minutes) into v_maximum from kith.tenants where tenant_id = v_tenant;
  insert into kith.vault_sessions (
    tenant_id, id, vault_id, owner_id, kind, unlocked_by, opened_at, expires_at, maximum_at, last_activity_at
  )
  values (
    v_tenant, internal.uuid7(p_now), p_vault_id, (v_access.vault).owner_id, 'shared', v_user, p_now,
    least(p_now + interval '30 minutes', v_maximum), v_maximum, p_now
  )
  returning * into session;
  is_new := true;
  perform internal.tell_nominees(v_access.vault, 'vault_opened', v_user, p_now);
  perform internal.record_history(p_vault_id, v_user, 'vault.opened', 'session', session.id, null, p_now);
end
$$;

ALTER FUNCTION internal.open_session(p_vault_id uuid, p_now timestamp with time zone, OUT session kith.vault_sessions, OUT is_new boolean) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.open_session(p_vault_id uuid, p_now timestamp with time zone, OUT session kith.vault_sessions, OUT is_new boolean) IS 'The open session of a vault, or a new one where the user who asks may open it (V06): of any number at once one opens, and the others join. Raises vault_locked for who can only enter. Definer: nobody writes sessions but these functions.';

CREATE FUNCTION internal.operator() RETURNS text
    LANGUAGE sql STABLE
    AS $$
  -- Inside a definer current_user is the owner; the person who logged in is the session's.
  select 'operator:' || session_user
$$;

ALTER FUNCTION internal.operator() OWNER TO kith_owner;

COMMENT ON FUNCTION internal.operator() IS 'The operator as the audit names them: procedures of schema admin use it, because kith.actor is anybody''s to set.';

CREATE FUNCTION internal.opposite_role(p_role text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case p_role when 'sender' then 'receiver' when 'receiver' then 'sender' end
$$;

ALTER FUNCTION internal.opposite_role(p_role text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.opposite_role(p_role text) IS 'Who redeems a sender''s code is the receiver, and the other way round (P14).';

CREATE FUNCTION internal.otp_address(p_channel text, p_address text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case p_channel when 'email' then lower(p_address) else p_address end
$$;

ALTER FUNCTION internal.otp_address(p_channel text, p_address text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.otp_address(p_channel text, p_address text) IS 'The one spelling of an address under which its codes are kept.';

CREATE FUNCTION internal.own_connection(p_id uuid) RETURNS kith.connections
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_connection kith.connections;
begin
  select * into v_connection
  from kith.connections
  where tenant_id = v_tenant and id = p_id and v_user in (sender_id, receiver_id) and status <> 'deleted'
  for no key update;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return v_connection;
end
$$;

ALTER FUNCTION internal.own_connection(p_id uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.own_connection(p_id uuid) IS 'A connection of the user who asks, locked, so that transitions of it happen one after the other; raises not_found for a stranger''s and a deleted one.';

CREATE FUNCTION internal.own_share(p_vault_id uuid) RETURNS kith.shares
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_share kith.shares;
begin
  select * into v_share from kith.shares where tenant_id = v_tenant and vault_id = p_vault_id and ended_at is null;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return v_share;
end
$$;

ALTER FUNCTION internal.own_share(p_vault_id uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.own_share(p_vault_id uuid) IS 'The share of a vault, of which the caller has made sure whose it is; raises not_found where it has none.';

CREATE FUNCTION internal.own_vault(p_vault_id uuid, p_now timestamp with time zone) RETURNS kith.vaults
    LANGUAGE plpgsql
    AS $$
begin
  perform internal.require_owner(p_vault_id, p_now);
  perform internal.lock_vault_row(p_vault_id);
  -- Again: while the lock was waited for it may have become somebody else's.
  return internal.require_owner(p_vault_id, p_now);
end
$$;

ALTER FUNCTION internal.own_vault(p_vault_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.own_vault(p_vault_id uuid, p_now timestamp with time zone) IS 'A vault of the user who asks, locked, so that nobody opens, transfers or deletes it meanwhile; raises not_found for a stranger''s and forbidden for a nominee. For definer procedures.';

CREATE FUNCTION internal.page_of_connections(p_role text, p_limit integer, p_cursor uuid, p_now timestamp with time zone) RETURNS TABLE(id uuid, body json, ping kith.pings)
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_connection internal.own_connections;
begin
  -- A loop, because a function that reads tables must not be called for each row of a query (a distributed database refuses
  -- that), and joining a year of partitions for three dates costs more than asking for one.
  for v_connection in
    select *
    from internal.own_connections as own
    where own.tenant_id = v_tenant and (p_role is null or own.role = p_role)
      and own.id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
    order by own.id
    limit p_limit
  loop
    id := v_connection.id;
    ping := internal.today_ping(v_connection, p_now);
    body := internal.connection_json(v_connection, ping, p_now);
    return next;
  end loop;
end
$$;

ALTER FUNCTION internal.page_of_connections(p_role text, p_limit integer, p_cursor uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.page_of_connections(p_role text, p_limit integer, p_cursor uuid, p_now timestamp with time zone) IS 'The connections of the user who asks, in one role or (null) in both, oldest first, after the cursor; all of them where the limit is null. About 20 µs each.';

CREATE FUNCTION internal.page_of_nominees(p_vault_id uuid, p_session_id uuid, p_is_managed boolean, p_only uuid, p_status text, p_limit integer, p_cursor uuid) RETURNS TABLE(id uuid, item json)
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return query
  select nominee.id, internal.nominee_json(nominee, p_session_id, invitation::kith.nominee_invitations, p_is_managed)
  from kith.nominees as nominee
  -- One by one, by key, however few there were when the plan was made; who has accepted has none.
  left join lateral (
    select * from kith.nominee_invitations as live
    where live.tenant_id = v_tenant and live.nominee_id = nominee.id and live.ended_at is null and nominee.user_id is null
    limit 1
  ) as invitation on true
  where nominee.tenant_id = v_tenant and nominee.vault_id = p_vault_id
    and nominee.id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
    and (p_only is null or nominee.id = p_only)
    and (p_status is null or internal.nominee_status(nominee.status, p_session_id is not null) = p_status)
  order by nominee.id
  limit p_limit;
end
$$;

ALTER FUNCTION internal.page_of_nominees(p_vault_id uuid, p_session_id uuid, p_is_managed boolean, p_only uuid, p_status text, p_limit integer, p_cursor uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.page_of_nominees(p_vault_id uuid, p_session_id uuid, p_is_managed boolean, p_only uuid, p_status text, p_limit integer, p_cursor uuid) IS 'The nominees of a vault after the cursor, oldest first; or one alone. Who may see whom the caller has made sure. For definer procedures.';

CREATE FUNCTION internal.partitions_until() RETURNS date
    LANGUAGE sql STABLE
    AS $_$
  select (max(to_date(right(child.relname, 7), 'YYYY_MM')) + interval '1 month')::date
  from pg_catalog.pg_inherits
  join pg_catalog.pg_class as child on child.oid = inhrelid
  where inhparent = 'kith.pings'::regclass and child.relname ~ '_\d{4}_\d\d$'
$_$;

ALTER FUNCTION internal.partitions_until() OWNER TO kith_owner;

COMMENT ON FUNCTION internal.partitions_until() IS 'The first date that would fall into the default partition of pings.';

CREATE FUNCTION internal.people_of_vaults(p_tenant_id integer, p_vaults uuid[]) RETURNS uuid[]
    LANGUAGE plpgsql STABLE
    AS $$
begin
  return array(
    select owner_id from kith.vaults where tenant_id = p_tenant_id and id = any (p_vaults)
    union
    select user_id from kith.nominees where tenant_id = p_tenant_id and vault_id = any (p_vaults) and user_id is not null
    union
    select owner_id from kith.transfers where tenant_id = p_tenant_id and vault_id = any (p_vaults)
  );
end
$$;

ALTER FUNCTION internal.people_of_vaults(p_tenant_id integer, p_vaults uuid[]) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.people_of_vaults(p_tenant_id integer, p_vaults uuid[]) IS 'Every user who has or had a part in one of these vaults, and so may have been told something about it.';

CREATE FUNCTION internal.percent_encode(p_text text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select string_agg(
    case
      when character ~ '^[A-Za-z0-9._~-]$' then character
      else regexp_replace(upper(encode(convert_to(character, 'UTF8'), 'hex')), '(..)', '%\1', 'g')
    end,
    '' order by n
  )
  from regexp_split_to_table(p_text, '') with ordinality as characters (character, n)
$_$;

ALTER FUNCTION internal.percent_encode(p_text text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.percent_encode(p_text text) IS 'A text as a value in a URI: everything but the unreserved characters of RFC 3986, section 2.3, is escaped.';

CREATE FUNCTION internal.phone_problem_text(p_problem text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case p_problem
    when 'no_number' then 'This is not a phone number.'
    when 'lacks_country' then 'Begin with + and the country code, like +49.'
    when 'too_short' then 'This number is too short.'
    when 'too_long' then 'This number is too long.'
    when 'not_possible' then 'This number is not complete. Is the area code there?'
    when 'not_in_use' then 'There are no such numbers in this country.'
    when 'takes_no_text' then 'Text messages cannot be sent to such a number.'
  end
$$;

ALTER FUNCTION internal.phone_problem_text(p_problem text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.phone_problem_text(p_problem text) IS 'Why a phone number is unusable, for a person to read.';

CREATE FUNCTION internal.ping_json(p_ping kith.pings) RETURNS json
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  select json_build_object(
    'id', (p_ping).id,
    'connection_id', (p_ping).connection_id,
    'date', (p_ping).ping_on,
    'status', (p_ping).status,
    'scheduled_at', internal.instant((p_ping).scheduled_at),
    'deadline_at', internal.instant((p_ping).deadline_at),
    'completed_at', internal.instant((p_ping).completed_at)
  )
$$;

ALTER FUNCTION internal.ping_json(p_ping kith.pings) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.ping_json(p_ping kith.pings) IS 'A ping as the API says it.';

CREATE FUNCTION internal.place_in_minute(p_user_id uuid) RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select (uuid_hash(p_user_id)::bigint + 2147483648) % 60000 * interval '1 millisecond'
$$;

ALTER FUNCTION internal.place_in_minute(p_user_id uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.place_in_minute(p_user_id uuid) IS 'Where within a minute a user''s turn is, always the same: what comes up for everybody in the same second is spread by it.';

CREATE FUNCTION internal.plan_run(p_time_zone text, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_today date := internal.local_date(p_now, p_time_zone);
begin
  if v_tenant is null then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
  insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at)
  values (v_tenant, p_time_zone, v_today, internal.midnight(v_today, p_time_zone))
  on conflict do nothing;
end
$$;

ALTER FUNCTION internal.plan_run(p_time_zone text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.plan_run(p_time_zone text, p_now timestamp with time zone) IS 'Begins the chain of daily runs of a zone that a tenant uses for the first time; each run, when done, plans the next. Definer: runs are the worker''s, and a user has no door to them.';

CREATE FUNCTION internal.planned_pings(p_dates date[], p_time_zone text, p_ping_time time without time zone, p_grace_minutes integer, p_reminder_minutes integer, p_now timestamp with time zone) RETURNS TABLE(ping_on date, status text, scheduled_at timestamp with time zone, remind_at timestamp with time zone, deadline_at timestamp with time zone)
    LANGUAGE plpgsql STABLE
    AS $$
begin
  foreach ping_on in array p_dates loop
    scheduled_at := internal.local_instant(ping_on, p_ping_time, p_time_zone);
    deadline_at := scheduled_at + make_interval(mins => p_grace_minutes);
    remind_at := deadline_at - make_interval(mins => p_reminder_minutes);
    status := case when scheduled_at <= p_now then 'due' else 'scheduled' end;
    if remind_at <= p_now then
      remind_at := null;
    end if;
    if deadline_at > p_now then
      return next;
    end if;
  end loop;
end
$$;

ALTER FUNCTION internal.planned_pings(p_dates date[], p_time_zone text, p_ping_time time without time zone, p_grace_minutes integer, p_reminder_minutes integer, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.planned_pings(p_dates date[], p_time_zone text, p_ping_time time without time zone, p_grace_minutes integer, p_reminder_minutes integer, p_now timestamp with time zone) IS 'The times of a sender''s pings on these dates, of those whose deadline is ahead, and the status they begin with.';

CREATE FUNCTION internal.pointless(p_tenant_id integer, p_user_id uuid, p_type text, p_data jsonb, p_read_at timestamp with time zone) RETURNS TABLE(reason text)
    LANGUAGE sql STABLE
    AS $$
  select case
    when p_read_at is not null then 'it was read'
    when p_type in ('ping_due', 'ping_reminder') and not exists (
      -- Of whatever connection: the sender is told once for all of them.
      select from kith.pings as open
      where open.tenant_id = p_tenant_id and open.ping_on = (p_data ->> 'date')::date and open.sender_id = p_user_id
        and open.status = 'due'
    ) then 'it was answered'
    when p_type = 'ping_missed' and not exists (
      select from kith.pings as ping
      where ping.tenant_id = p_tenant_id and ping.ping_on = (p_data ->> 'date')::date
        and ping.connection_id = (p_data ->> 'connection_id')::uuid
        and (
          ping.status = 'missed'
          or ping.sender_id = p_user_id and exists (
            select from kith.pings as other
            where other.tenant_id = p_tenant_id and other.ping_on = (p_data ->> 'date')::date and other.sender_id = p_user_id
              and other.status = 'missed'
          )
        )
    ) then 'it was answered'
  end
$$;

ALTER FUNCTION internal.pointless(p_tenant_id integer, p_user_id uuid, p_type text, p_data jsonb, p_read_at timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.pointless(p_tenant_id integer, p_user_id uuid, p_type text, p_data jsonb, p_read_at timestamp with time zone) IS 'Why a notification needs no sending any more; null while it does: what is read, a call to check in once the sender has, a miss once it is none. As a table of one row, which the planner takes into the query: for thousands a second.';

CREATE FUNCTION internal.preferences_json() RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select json_agg(
      json_build_object('type', known.type, 'channels', coalesce(preference.channels, known.channels)) order by known.n
    )
    from internal.notification_types() as known
    left join kith.notification_preferences as preference
      on preference.tenant_id = v_tenant and preference.user_id = v_user and preference.type = known.type
  );
end
$$;

ALTER FUNCTION internal.preferences_json() OWNER TO kith_owner;

COMMENT ON FUNCTION internal.preferences_json() IS 'On which channels the user who asks is told of each type, what they have chosen and the defaults.';

CREATE FUNCTION internal.profile_required_text(p_role text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select 'Set up your ' || p_role || ' profile first.'
$$;

ALTER FUNCTION internal.profile_required_text(p_role text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.profile_required_text(p_role text) IS 'What a person reads whose profile of a role is missing, whether it is raised or returned.';

CREATE FUNCTION internal.propose_contacts(p_body jsonb, p_codes jsonb, p_now timestamp with time zone) RETURNS kith.users
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_id uuid := kith.user_id();
  v_user kith.users;
  v_phone text := p_body ->> 'phone';
  v_email text := p_body ->> 'email';
begin
  perform internal.require_user();
  select * into v_user from kith.users where tenant_id = v_tenant and id = v_id and deleted_at is null for no key update;
  if not found then
    perform internal.refuse_not_found();
  end if;
  if p_body ? 'phone' then
    v_user.pending_phone := case when v_phone is distinct from v_user.phone or v_user.phone_verified_at is null then v_phone end;
    if v_phone is null then
      v_user.phone := null;
      v_user.phone_verified_at := null;
    elsif v_user.pending_phone is not null then
      perform internal.send_otp('contact', 'sms', v_phone, v_id, null, p_codes -> 'phone', p_now);
    end if;
  end if;
  if p_body ? 'email' then
    v_user.pending_email := case
      when lower(v_email) is distinct from v_user.email_normalized or v_user.email_verified_at is null then v_email
    end;
    if v_email is null then
      v_user.email := null;
      v_user.email_verified_at := null;
    elsif v_user.pending_email is not null then
      perform internal.send_otp('contact', 'email', v_email, v_id, null, p_codes -> 'email', p_now);
    end if;
  end if;
  update kith.users
  set phone = v_user.phone, phone_verified_at = v_user.phone_verified_at, pending_phone = v_user.pending_phone, email = v_user.email,
    email_verified_at = v_user.email_verified_at, pending_email = v_user.pending_email, updated_at = p_now
  where tenant_id = v_tenant and id = v_id
  returning * into v_user;
  return v_user;
end
$$;

ALTER FUNCTION internal.propose_contacts(p_body jsonb, p_codes jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.propose_contacts(p_body jsonb, p_codes jsonb, p_now timestamp with time zone) IS 'What the user who asks wants to have as phone and email: kept pending, with a code sent to it (p_codes: {phone?, email?} of {id, hash, sealed}); null clears at once. Definer: a user may not write a contact that nobody confirmed.';

CREATE FUNCTION internal.put_user(p_body jsonb, p_now timestamp with time zone, OUT body json, OUT is_new boolean) RETURNS record
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user kith.users;
  v_id uuid;
begin
  v_user.tenant_id := v_tenant;
  v_user.id := internal.uuid7(p_now);
  v_user.external_id := p_body ->> 'external_id';
  v_user.tokens_valid_from := p_now;
  v_user.created_at := p_now;
  v_user.updated_at := p_now;
  v_user := internal.user_with(v_user, p_body - 'external_id');
  insert into kith.users (
    tenant_id, id, external_id, display_name, phone, email, time_zone, locale, tokens_valid_from, created_at, updated_at
  )
  values (
    v_tenant, v_user.id, v_user.external_id, v_user.display_name, v_user.phone, v_user.email, v_user.time_zone, v_user.locale,
    p_now, p_now, p_now
  )
  on conflict (tenant_id, external_id) do nothing;
  is_new := found;
  if is_new then
    perform internal.record_act(v_tenant, internal.actor(), 'user.create', v_user.id::text, null, p_now);
    body := internal.user_json_for_server(v_user);
  else
    select id into v_id from kith.users where tenant_id = v_tenant and external_id = v_user.external_id;
    body := api.update_user(v_id, p_body, p_now);
  end if;
end
$$;

ALTER FUNCTION internal.put_user(p_body jsonb, p_now timestamp with time zone, OUT body json, OUT is_new boolean) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.put_user(p_body jsonb, p_now timestamp with time zone, OUT body json, OUT is_new boolean) IS 'Makes a user as the tenant''s server says, whom the caller counts, or changes the one of the same external_id. For definer procedures.';

CREATE FUNCTION internal.queue_delivery(p_id uuid, p_channel text, p_purpose text, p_address text, p_subject text, p_body text, p_sealed_secret bytea, p_dropped_for text, p_expires_at timestamp with time zone, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  insert into kith.deliveries (
    tenant_id, id, channel, purpose, address, subject, body, sealed_secret, status, error, next_attempt_at, expires_at, created_at
  )
  values (
    v_tenant, p_id, p_channel, p_purpose, p_address, p_subject, p_body, case when p_dropped_for is null then p_sealed_secret end,
    case when p_dropped_for is null then 'queued' else 'dropped' end, p_dropped_for, p_now, p_expires_at, p_now
  );
end
$$;

ALTER FUNCTION internal.queue_delivery(p_id uuid, p_channel text, p_purpose text, p_address text, p_subject text, p_body text, p_sealed_secret bytea, p_dropped_for text, p_expires_at timestamp with time zone, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.queue_delivery(p_id uuid, p_channel text, p_purpose text, p_address text, p_subject text, p_body text, p_sealed_secret bytea, p_dropped_for text, p_expires_at timestamp with time zone, p_now timestamp with time zone) IS 'Writes a message into the outbox, in the transaction of its cause; p_dropped_for says why it is not to be sent, null that it is. For definer procedures: nobody else may insert there.';

CREATE FUNCTION internal.queue_invitation(p_id uuid, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_message text;
begin
  perform internal.require_user();
  select message into v_message from kith.connection_invitations where tenant_id = v_tenant and id = p_id and user_id = v_user;
  if not found then
    perform internal.refuse_not_found();
  end if;
  with given as materialized (
    select recipient.n, recipient.phone, internal.uuid7(p_now) as delivery_id
    from kith.connection_invitation_recipients as recipient
    where recipient.tenant_id = v_tenant and recipient.invitation_id = p_id and recipient.status = 'pending'
      and (
        select count(*)
        from kith.connection_invitation_recipients as earlier
        where earlier.tenant_id = v_tenant and earlier.phone = recipient.phone and earlier.delivery_id is not null
          and earlier.updated_at > p_now - interval '24 hours'
      ) < 3
  ),
  queued as (
    insert into kith.deliveries (
      tenant_id, id, channel, purpose, address, body, is_urgent, next_attempt_at, expires_at, created_at
    )
    select v_tenant, delivery_id, 'sms', 'invitation', phone, v_message, false, p_now, p_now + interval '24 hours', p_now
    from given
  )
  update kith.connection_invitation_recipients as recipient
  set status = 'queued', delivery_id = given.delivery_id, updated_at = p_now
  from given
  where recipient.tenant_id = v_tenant and recipient.invitation_id = p_id and recipient.n = given.n;
end
$$;

ALTER FUNCTION internal.queue_invitation(p_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.queue_invitation(p_id uuid, p_now timestamp with time zone) IS 'Has Kith send the texts of an invitation of the user who asks. A number that has got three from this tenant in 24 hours gets no more from us: it stays pending, and the sender can still write by themselves. Definer: nobody writes into the outbox; text and numbers come from the rows.';

CREATE FUNCTION internal.quiet_hours_json() RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select json_build_object('from', to_char(starts_at, 'HH24:MI'), 'until', to_char(ends_at, 'HH24:MI'))
    from kith.quiet_hours
    where tenant_id = v_tenant and user_id = v_user
  );
end
$$;

ALTER FUNCTION internal.quiet_hours_json() OWNER TO kith_owner;

COMMENT ON FUNCTION internal.quiet_hours_json() IS 'The quiet hours of the user who asks; null without.';

CREATE FUNCTION internal.quiet_until(p_at timestamp with time zone, p_starts_at time without time zone, p_ends_at time without time zone, p_time_zone text) RETURNS timestamp with time zone
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
declare
  v_date date := internal.local_date(p_at, p_time_zone);
  v_time time := (p_at at time zone p_time_zone)::time;
  v_until timestamptz;
begin
  if p_starts_at < p_ends_at and (v_time < p_starts_at or v_time >= p_ends_at)
    or p_starts_at > p_ends_at and v_time < p_starts_at and v_time >= p_ends_at
  then
    return p_at;
  end if;
  if v_time >= p_ends_at then
    v_date := v_date + 1;
  end if;
  -- A date that the zone skipped has no such time; the next one has.
  v_until := coalesce(
    internal.local_instant(v_date, p_ends_at, p_time_zone), internal.local_instant(v_date + 1, p_ends_at, p_time_zone)
  );
  -- In the hour that clocks show twice, the end is the first of the two, and may be past.
  return greatest(v_until, p_at);
end
$$;

ALTER FUNCTION internal.quiet_until(p_at timestamp with time zone, p_starts_at time without time zone, p_ends_at time without time zone, p_time_zone text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.quiet_until(p_at timestamp with time zone, p_starts_at time without time zone, p_ends_at time without time zone, p_time_zone text) IS 'When quiet hours that hold at this instant end; the instant itself where they do not hold. Hours that end before they start go past midnight.';

CREATE FUNCTION internal.readable_participant(p_given jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  select p_given || jsonb_build_object(
    'name', nullif(btrim(left(regexp_replace(p_given ->> 'name', '[[:cntrl:]]', ' ', 'g'), 100)), ''),
    'phone', substring(regexp_replace(p_given ->> 'phone', '[^0-9+]', '', 'g') from '^\+[1-9][0-9]{6,14}$'),
    'email', substring(left(p_given ->> 'email', 255) from '^[^@[:space:]]{1,64}@[^@[:space:]]{1,189}$')
  )
$_$;

ALTER FUNCTION internal.readable_participant(p_given jsonb) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.readable_participant(p_given jsonb) IS 'A participant with name, phone and e-mail as far as they can be read, and null for what cannot: they say who somebody is and let nobody in, and must not keep a list from being synchronised by which somebody else is revoked.';

CREATE FUNCTION internal.receiver_profile_json(p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select json_build_object(
      'code', code.code,
      'subscription_status', case when profile.subscription_expires_at <= p_now then 'expired' else profile.subscription_status end,
      'subscription_expires_at', internal.instant(profile.subscription_expires_at),
      'pings_stop_at', internal.instant(profile.pings_stop_at),
      'created_at', internal.instant(profile.created_at),
      'updated_at', internal.instant(profile.updated_at)
    )
    from kith.receiver_profiles as profile
    left join kith.unique_codes as code
      on code.tenant_id = profile.tenant_id and code.user_id = profile.user_id and code.role = 'receiver'
      and code.permanent and code.rotated_at is null
    where profile.tenant_id = v_tenant and profile.user_id = v_user
  );
end
$$;

ALTER FUNCTION internal.receiver_profile_json(p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.receiver_profile_json(p_now timestamp with time zone) IS 'The receiver profile of the user who asks, with the permanent code; null without one. A subscription past its end reads as expired.';

CREATE FUNCTION internal.record_act(p_tenant_id integer, p_actor text, p_action text, p_subject text, p_detail jsonb, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  insert into kith.audit (tenant_id, id, at, actor, action, subject, detail)
  values (p_tenant_id, internal.uuid7(p_now), p_now, p_actor, p_action, p_subject, coalesce(p_detail, '{}'));
end
$$;

ALTER FUNCTION internal.record_act(p_tenant_id integer, p_actor text, p_action text, p_subject text, p_detail jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.record_act(p_tenant_id integer, p_actor text, p_action text, p_subject text, p_detail jsonb, p_now timestamp with time zone) IS 'Writes one row of the audit. For definer procedures: nobody else may insert there.';

CREATE FUNCTION internal.record_beat(p_component text, p_instance text, p_started_at timestamp with time zone, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_last timestamptz;
begin
  select max(beat_at) into v_last from kith.heartbeats where component = p_component;

  insert into kith.heartbeats as heartbeat (component, instance, started_at, beat_at)
  values (p_component, p_instance, p_started_at, p_now)
  on conflict (component, instance) do update
  set started_at = excluded.started_at, beat_at = greatest(heartbeat.beat_at, excluded.beat_at);

  update kith.outages set ended_at = p_now where component = p_component and ended_at is null and began_at < p_now;
  if not found and v_last < p_now - interval '60 seconds' then
    insert into kith.outages (component, began_at, ended_at)
    values (p_component, v_last, p_now)
    on conflict do nothing;
  end if;

  delete from kith.heartbeats
  where component = p_component and instance <> p_instance and beat_at < p_now - interval '1 day';
end
$$;

ALTER FUNCTION internal.record_beat(p_component text, p_instance text, p_started_at timestamp with time zone, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.record_beat(p_component text, p_instance text, p_started_at timestamp with time zone, p_now timestamp with time zone) IS 'A sign of life of one process; the first one after a minute without any records the outage, or ends the one that was seen.';

CREATE FUNCTION internal.record_histories(p_vault_id uuid, p_actor_id uuid, p_action text, p_subject_type text, p_subject_ids uuid[], p_detail jsonb, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_place timestamptz := internal.history_place(v_tenant, p_vault_id, p_now);
begin
  insert into kith.history (tenant_id, id, vault_id, at, actor_id, action, subject_type, subject_id, detail)
  select v_tenant, internal.uuid7(v_place + (n - 1) * interval '1 microsecond'), p_vault_id, p_now, p_actor_id, p_action,
    p_subject_type, subject_id, coalesce(p_detail, '{}')
  from unnest(p_subject_ids) with ordinality as subjects (subject_id, n);
end
$$;

ALTER FUNCTION internal.record_histories(p_vault_id uuid, p_actor_id uuid, p_action text, p_subject_type text, p_subject_ids uuid[], p_detail jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.record_histories(p_vault_id uuid, p_actor_id uuid, p_action text, p_subject_type text, p_subject_ids uuid[], p_detail jsonb, p_now timestamp with time zone) IS 'record_history of many subjects of one act, in one statement: each by itself counts those before it.';

CREATE FUNCTION internal.record_history(p_vault_id uuid, p_actor_id uuid, p_action text, p_subject_type text, p_subject_id uuid, p_detail jsonb, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  perform internal.record_history_of(kith.tenant_id(), p_vault_id, p_actor_id, p_action, p_subject_type, p_subject_id, p_detail, p_now);
end
$$;

ALTER FUNCTION internal.record_history(p_vault_id uuid, p_actor_id uuid, p_action text, p_subject_type text, p_subject_id uuid, p_detail jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.record_history(p_vault_id uuid, p_actor_id uuid, p_action text, p_subject_type text, p_subject_id uuid, p_detail jsonb, p_now timestamp with time zone) IS 'record_history_of in the tenant that is set. For definer procedures.';

CREATE FUNCTION internal.record_history_of(p_tenant_id integer, p_vault_id uuid, p_actor_id uuid, p_action text, p_subject_type text, p_subject_id uuid, p_detail jsonb, p_at timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  insert into kith.history (tenant_id, id, vault_id, at, actor_id, action, subject_type, subject_id, detail)
  values (
    p_tenant_id, internal.uuid7(internal.history_place(p_tenant_id, p_vault_id, p_at)), p_vault_id, p_at, p_actor_id, p_action,
    p_subject_type, p_subject_id, coalesce(p_detail, '{}')
  );
end
$$;

ALTER FUNCTION internal.record_history_of(p_tenant_id integer, p_vault_id uuid, p_actor_id uuid, p_action text, p_subject_type text, p_subject_id uuid, p_detail jsonb, p_at timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.record_history_of(p_tenant_id integer, p_vault_id uuid, p_actor_id uuid, p_action text, p_subject_type text, p_subject_id uuid, p_detail jsonb, p_at timestamp with time zone) IS 'Writes one row of a vault''s history, of any tenant: what the worker does has none set. The detail names nobody. For definer procedures.';

CREATE FUNCTION internal.record_joining(p_session kith.vault_sessions, p_user_id uuid, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := p_session.tenant_id;
  v_vault uuid := p_session.vault_id;
  v_session uuid := p_session.id;
  v_first uuid := internal.first_uuid7(p_session.opened_at);
begin
  if p_session.unlocked_by = p_user_id or exists (
    select from kith.history
    where tenant_id = v_tenant and vault_id = v_vault and id >= v_first and action = 'vault.joined' and subject_id = v_session
      and actor_id = p_user_id
  ) then
    return;
  end if;
  perform internal.record_history(v_vault, p_user_id, 'vault.joined', 'session', v_session, null, p_now);
end
$$;

ALTER FUNCTION internal.record_joining(p_session kith.vault_sessions, p_user_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.record_joining(p_session kith.vault_sessions, p_user_id uuid, p_now timestamp with time zone) IS 'Writes into the history that a user has entered a session that somebody else opened, once however often they ask. For definer procedures.';

CREATE FUNCTION internal.refuse_fields(p_errors jsonb) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  if jsonb_array_length(p_errors) > 0 then
    raise exception 'validation_failed' using errcode = 'KT422', detail = p_errors::text;
  end if;
end
$$;

ALTER FUNCTION internal.refuse_fields(p_errors jsonb) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.refuse_fields(p_errors jsonb) IS 'Raises validation_failed with an array of {field, message}; does nothing when it is empty. The server has checked types and shapes: here it is about meaning.';

CREATE FUNCTION internal.refuse_full_vault(p_vault_id uuid, p_more integer) RETURNS void
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  if (
    select count(*) + p_more > 1000 from kith.nominees where tenant_id = v_tenant and vault_id = p_vault_id and status <> 'revoked'
  ) then
    raise exception 'quota_exceeded'
      using errcode = 'KT507', detail = 'A vault has at most 1,000 nominees. Revoke one who no longer needs access.';
  end if;
end
$$;

ALTER FUNCTION internal.refuse_full_vault(p_vault_id uuid, p_more integer) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.refuse_full_vault(p_vault_id uuid, p_more integer) IS 'Raises quota_exceeded where so many more nominees are too many for a vault, which is locked. For definer procedures.';

CREATE FUNCTION internal.refuse_not_found() RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  raise exception 'not_found' using errcode = 'KT404';
end
$$;

ALTER FUNCTION internal.refuse_not_found() OWNER TO kith_owner;

COMMENT ON FUNCTION internal.refuse_not_found() IS 'Raises not_found: there is no such row, or it is a stranger''s, which must look the same.';

CREATE FUNCTION internal.refuse_shared_vaults(p_user_id uuid) RETURNS void
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_names text;
begin
  select string_agg(format('"%s"', vault.name), ', ' order by vault.id) into v_names
  from kith.vaults as vault
  where vault.tenant_id = v_tenant and vault.owner_id = p_user_id and vault.deleted_at is null
    and exists (
      select from kith.nominees
      where tenant_id = v_tenant and vault_id = vault.id and status = 'accepted' and user_id is not null
    );
  if v_names is not null then
    raise exception 'conflict'
      using errcode = 'KT409',
        detail = format('Other people have access to %s. Transfer what they are to keep, or ask for vaults=delete.', v_names);
  end if;
end
$$;

ALTER FUNCTION internal.refuse_shared_vaults(p_user_id uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.refuse_shared_vaults(p_user_id uuid) IS 'Raises conflict, with their names, where a user owns vaults to which others have accepted an invitation (A04). For definer procedures that have locked the account: nobody accepts meanwhile.';

CREATE FUNCTION internal.refuse_users() RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  raise exception 'quota_exceeded' using errcode = 'KT507', detail = 'This tenant has as many users as its quota allows.';
end
$$;

ALTER FUNCTION internal.refuse_users() OWNER TO kith_owner;

COMMENT ON FUNCTION internal.refuse_users() IS 'Raises quota_exceeded for a user beyond the tenant''s quota.';

CREATE FUNCTION internal.release_issuers() RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  delete from kith.jwt_issuers as claimed
  where claimed.tenant_id = v_tenant and not exists (
    select from kith.jwt_keys as key
    where key.tenant_id = v_tenant and key.issuer = claimed.issuer and key.audience = claimed.audience and key.revoked_at is null
  );
end
$$;

ALTER FUNCTION internal.release_issuers() OWNER TO kith_owner;

COMMENT ON FUNCTION internal.release_issuers() IS 'Gives up what the tenant has no live key of any more; then it is anybody''s.';

CREATE FUNCTION internal.replace_break(p_from_on date, p_until_on date, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_day date := (p_now at time zone 'UTC')::date;
  v_zone text;
  v_today date;
  v_old kith.breaks;
  v_new kith.breaks;
  v_left_until date;
  v_goes_on boolean;
begin
  perform internal.require_user();
  -- Locked against whoever makes a ping by these dates (P13); and what is being generated must be there before it is cancelled.
  select time_zone into v_zone
  from kith.sender_profiles
  where tenant_id = v_tenant and user_id = v_user
  for no key update;
  perform internal.wait_for_generation(p_now);
  v_today := internal.local_date(p_now, v_zone);
  select * into v_old
  from kith.breaks
  where tenant_id = v_tenant and user_id = v_user and ended_at is null
  for no key update;
  -- One that is over and that the worker has not come to yet is none any more.
  if p_from_on is null and (v_old.until_on >= v_today) is not true then
    perform internal.refuse_not_found();
  end if;

  -- Who extends a break, or shortens it, does not come back in between.
  v_goes_on := v_old.told_until_on is not null and coalesce(p_from_on <= v_today, false);
  if v_old.told_until_on is not null and not v_goes_on then
    perform internal.tell_of_break(v_old, 'break_ended', p_now);
  end if;

  -- The days of the old one that were a break stay one.
  v_left_until := least(v_old.until_on, v_today - 1, p_from_on - 1);
  v_new.from_on := p_from_on;
  v_new.until_on := p_until_on;
  if p_from_on is null or v_left_until >= v_old.from_on then
    update kith.breaks
    set until_on = greatest(v_left_until, from_on - 1), ended_at = p_now, updated_at = p_now
    where tenant_id = v_tenant and id = v_old.id;
    v_new.id := internal.uuid7(p_now);
    if p_from_on is null and v_left_until >= v_old.from_on then
      v_new.from_on := v_old.from_on;
      v_new.until_on := v_left_until;
    end if;
  else
    v_new.id := coalesce(v_old.id, internal.uuid7(p_now));
  end if;
  if p_from_on is not null then
    insert into kith.breaks as break (
      tenant_id, id, user_id, from_on, until_on, starts_at, ends_at, told_until_on, created_at, updated_at
    )
    values (
      v_tenant, v_new.id, v_user, p_from_on, p_until_on, internal.day_begins_at(p_from_on, v_zone),
      internal.day_begins_at(p_until_on + 1, v_zone), case when v_goes_on then v_old.told_until_on end, p_now, p_now
    )
    on conflict (tenant_id, id) do update
    set from_on = excluded.from_on, until_on = excluded.until_on, starts_at = excluded.starts_at, ends_at = excluded.ends_at,
      told_until_on = excluded.told_until_on, updated_at = excluded.updated_at
    returning * into v_new;
  end if;
  update kith.sender_profiles
  set break_from_on = v_new.from_on, break_until_on = v_new.until_on, updated_at = p_now,
    timed_at = case
      when v_today between v_old.from_on and v_old.until_on and (v_today between v_new.from_on and v_new.until_on) is not true
        then p_now
      else timed_at
    end
  where tenant_id = v_tenant and user_id = v_user;

  -- X23: the open pings of these dates, also of one that was made ahead; then P13 for the dates that are no break any more.
  update kith.pings
  set status = 'cancelled', remind_at = null
  where tenant_id = v_tenant and ping_on in (v_day - 2, v_day - 1, v_day, v_day + 1) and sender_id = v_user
    and ping_on between p_from_on and p_until_on and status in ('scheduled', 'due');
  if v_old.from_on <= v_today + 1 then
    perform internal.retime_pings(p_now);
  end if;

  if v_new.starts_at <= p_now and v_new.told_until_on is distinct from v_new.until_on then
    perform internal.begin_break(v_new, p_now);
  end if;
end
$$;

ALTER FUNCTION internal.replace_break(p_from_on date, p_until_on date, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.replace_break(p_from_on date, p_until_on date, p_now timestamp with time zone) IS 'Puts these dates in the place of the sender''s current or coming break; without dates ends it, or raises not_found. Its pings go and come (X23, P13), and receivers are told at once of what has begun or ended by it. The dates must make sense already. Definer, for the user who asks: pings and notifications have no other door.';

CREATE FUNCTION internal.replay_deliveries(p_tenant_id integer, p_ids uuid[], p_now timestamp with time zone) RETURNS integer
    LANGUAGE plpgsql
    AS $$
declare
  v_replayed integer;
begin
  perform from kith.notifications
  where tenant_id = p_tenant_id
    and id in (select notification_id from kith.deliveries where tenant_id = p_tenant_id and id = any (p_ids))
  order by id
  for no key update;
  perform from kith.deliveries where tenant_id = p_tenant_id and id = any (p_ids) order by id for no key update;
  with replayed as (
    update kith.deliveries
    set status = 'queued', attempts = 0, next_attempt_at = p_now, expires_at = p_now + interval '1 day'
    where tenant_id = p_tenant_id and id = any (p_ids) and status = 'failed'
    returning id, notification_id
  ), queued as (
    update kith.notifications as notification
    set delivery_status = 'queued'
    from (select distinct notification_id from replayed) as told
    where notification.tenant_id = p_tenant_id and notification.id = told.notification_id and notification.delivery_status = 'failed'
  ), texted as (
    update kith.connection_invitation_recipients as recipient
    set status = 'queued', updated_at = p_now
    from replayed
    where recipient.tenant_id = p_tenant_id and recipient.delivery_id = replayed.id and recipient.status = 'failed'
  )
  select count(*) into v_replayed from replayed;
  return v_replayed;
end
$$;

ALTER FUNCTION internal.replay_deliveries(p_tenant_id integer, p_ids uuid[], p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.replay_deliveries(p_tenant_id integer, p_ids uuid[], p_now timestamp with time zone) IS 'Queues the dead letters among these deliveries again, for a day; how many. For definers that have checked what they hold.';

CREATE FUNCTION internal.report_undelivered(p_tenants integer[], p_notifications uuid[], p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  insert into kith.undelivered_alarms (tenant_id, notification_id, user_id, type, at)
  select notification.tenant_id, notification.id, notification.user_id, notification.type, p_now
  from unnest(p_tenants, p_notifications) as alarm (tenant_id, id)
  join kith.notifications as notification on notification.tenant_id = alarm.tenant_id and notification.id = alarm.id
  on conflict do nothing;
  -- What is still tried goes on.
  update kith.notifications as notification
  set delivery_status = 'failed'
  from unnest(p_tenants, p_notifications) as alarm (tenant_id, id)
  where notification.tenant_id = alarm.tenant_id and notification.id = alarm.id and notification.delivery_status = 'queued'
    and not exists (
      select from kith.deliveries as delivery
      where delivery.tenant_id = notification.tenant_id and delivery.notification_id = notification.id
        and delivery.status in ('queued', 'sending')
    );
end
$$;

ALTER FUNCTION internal.report_undelivered(p_tenants integer[], p_notifications uuid[], p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.report_undelivered(p_tenants integer[], p_notifications uuid[], p_now timestamp with time zone) IS 'Puts down alarms that nobody has taken on any channel, for the tenant''s server and the operator (F07); once each.';

CREATE FUNCTION internal.require_level(p_role text, p_access_level text, p_level text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    AS $$
begin
  if p_role <> 'owner' and internal.level_rank(p_access_level) < internal.level_rank(p_level) then
    raise exception 'forbidden' using errcode = 'KT403',
      detail = format('This needs the access level %s; yours is %s.', p_level, p_access_level);
  end if;
end
$$;

ALTER FUNCTION internal.require_level(p_role text, p_access_level text, p_level text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.require_level(p_role text, p_access_level text, p_level text) IS 'Raises forbidden for a nominee whose level is below the one given (V10, V11).';

CREATE FUNCTION internal.require_no_part(p_vault kith.vaults) RETURNS void
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_vault uuid := p_vault.id;
begin
  if p_vault.owner_id = v_user then
    raise exception 'conflict' using errcode = 'KT409', detail = 'This is your own vault.';
  end if;
  if exists (
    select from kith.nominees where tenant_id = v_tenant and vault_id = v_vault and user_id = v_user and status <> 'revoked'
  ) then
    raise exception 'conflict' using errcode = 'KT409', detail = 'You are a nominee of this vault already.';
  end if;
end
$$;

ALTER FUNCTION internal.require_no_part(p_vault kith.vaults) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.require_no_part(p_vault kith.vaults) IS 'Raises conflict when the user who asks owns the vault or is its nominee: nobody is both, or twice. For definer procedures.';

CREATE FUNCTION internal.require_open(p_role text, p_session_id uuid) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    AS $$
begin
  if p_session_id is null and p_role = 'owner' then
    raise exception 'vault_locked' using errcode = 'KT423', detail = 'This vault is locked. Open it first.';
  elsif p_session_id is null then
    raise exception 'vault_locked' using errcode = 'KT423';
  end if;
end
$$;

ALTER FUNCTION internal.require_open(p_role text, p_session_id uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.require_open(p_role text, p_session_id uuid) IS 'Raises vault_locked where there is no open session, for the owner too: what is locked is locked.';

CREATE FUNCTION internal.require_owner(p_vault_id uuid, p_now timestamp with time zone) RETURNS kith.vaults
    LANGUAGE plpgsql
    AS $$
declare
  v_access record := internal.vault_access(p_vault_id, p_now);
begin
  if v_access.role <> 'owner' then
    raise exception 'forbidden' using errcode = 'KT403', detail = 'Only the vault''s owner can do this.';
  end if;
  return v_access.vault;
end
$$;

ALTER FUNCTION internal.require_owner(p_vault_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.require_owner(p_vault_id uuid, p_now timestamp with time zone) IS 'vault_access, and forbidden for everybody but the owner.';

CREATE FUNCTION internal.require_owner_for_full(p_role text, p_level text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    AS $$
begin
  if p_role <> 'owner' and p_level = 'full' then
    raise exception 'forbidden' using errcode = 'KT403', detail = 'Only the vault''s owner decides about nominees with full access.';
  end if;
end
$$;

ALTER FUNCTION internal.require_owner_for_full(p_role text, p_level text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.require_owner_for_full(p_role text, p_level text) IS 'Raises forbidden to everybody but the owner where it is about a nominee with level full (V11).';

CREATE FUNCTION internal.require_pending(p_state text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    AS $$
begin
  case p_state
    when 'pending' then null;
    when 'expired' then raise exception 'invitation_expired' using errcode = 'KT410';
    when 'revoked' then
      raise exception 'invitation_invalid' using errcode = 'KT404', detail = 'This invitation has been withdrawn. Please ask for a new one.';
    else raise exception 'invitation_used' using errcode = 'KT409';
  end case;
end
$$;

ALTER FUNCTION internal.require_pending(p_state text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.require_pending(p_state text) IS 'Raises invitation_expired, invitation_invalid or invitation_used for an invitation, or the offer of a vault, whose state is not pending any more.';

CREATE FUNCTION internal.require_profile(p_role text) RETURNS void
    LANGUAGE plpgsql STABLE
    AS $$
begin
  if not internal.has_profile(p_role) then
    raise exception 'profile_required' using errcode = 'KT409', detail = internal.profile_required_text(p_role);
  end if;
end
$$;

ALTER FUNCTION internal.require_profile(p_role text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.require_profile(p_role text) IS 'Raises profile_required when the user who asks lacks the profile of a role.';

CREATE FUNCTION internal.require_room(p_vault_id uuid, p_replaced_id uuid, p_size bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_quota bigint;
  v_used bigint;
begin
  select vault_quota_mib into v_quota from kith.tenants where tenant_id = v_tenant;
  select coalesce(sum(size), 0) into v_used
  from kith.documents
  where tenant_id = v_tenant and vault_id = p_vault_id and id is distinct from p_replaced_id;
  if v_used + p_size > v_quota * 1048576 then
    raise exception 'quota_exceeded' using errcode = 'KT507',
      detail = format('The documents of a vault can have %s MiB, deleted ones included for 30 days.', v_quota);
  end if;
end
$$;

ALTER FUNCTION internal.require_room(p_vault_id uuid, p_replaced_id uuid, p_size bigint) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.require_room(p_vault_id uuid, p_replaced_id uuid, p_size bigint) IS 'Raises quota_exceeded where so many bytes more, instead of those of the document replaced, are more than a vault holds. For definer procedures.';

CREATE FUNCTION internal.require_server() RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  if kith.tenant_id() is null then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
  if kith.user_id() is not null then
    raise exception 'forbidden' using errcode = 'KT403', detail = 'This call is for the tenant''s server.';
  end if;
end
$$;

ALTER FUNCTION internal.require_server() OWNER TO kith_owner;

COMMENT ON FUNCTION internal.require_server() IS 'Raises forbidden when a user calls what only the tenant''s server may, and unauthenticated without a tenant. First in every definer of a [key] call.';

CREATE FUNCTION internal.require_user() RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  if kith.tenant_id() is null or kith.user_id() is null then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
end
$$;

ALTER FUNCTION internal.require_user() OWNER TO kith_owner;

COMMENT ON FUNCTION internal.require_user() IS 'Raises unauthenticated without a tenant and a user. First in every definer that acts for a user.';

CREATE FUNCTION internal.require_version(p_document kith.documents, p_expected uuid[]) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    AS $$
begin
  if p_expected is not null and (p_document).version_id <> all (p_expected) then
    raise exception 'precondition_failed' using errcode = 'KT412';
  end if;
end
$$;

ALTER FUNCTION internal.require_version(p_document kith.documents, p_expected uuid[]) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.require_version(p_document kith.documents, p_expected uuid[]) IS 'Raises precondition_failed unless the document''s content is one of those versions; null asks for none in particular (If-Match).';

CREATE FUNCTION internal.reseal_key(p_kind text, p_tenant_id integer, p_id text, p_old bytea, p_new bytea) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  if p_kind = 'jwt_keys' then
    update kith.jwt_keys set wrapped_secret = p_new where tenant_id = p_tenant_id and id = p_id::uuid and wrapped_secret = p_old;
  elsif p_kind = 'channel_credentials' then
    update kith.channel_credentials set sealed = p_new where tenant_id = p_tenant_id and channel = p_id and sealed = p_old;
  else
    update kith.vault_keys set wrapped_key = p_new where tenant_id = p_tenant_id and vault_id = p_id::uuid and wrapped_key = p_old;
  end if;
end
$$;

ALTER FUNCTION internal.reseal_key(p_kind text, p_tenant_id integer, p_id text, p_old bytea, p_new bytea) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.reseal_key(p_kind text, p_tenant_id integer, p_id text, p_old bytea, p_new bytea) IS 'Puts a key as it is sealed anew into the place of the old seal; where another has done so meanwhile, that stays.';

CREATE FUNCTION internal.restore_pings(p_receiver_id uuid, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
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
  end loop;
end
$$;

ALTER FUNCTION internal.restore_pings(p_receiver_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.restore_pings(p_receiver_id uuid, p_now timestamp with time zone) IS 'Takes back a lapse of a receiver''s subscription: where pings had stopped, today''s come back if their deadline is ahead (P13). Nothing where there was no lapse. For definers: it runs over other people''s connections.';

CREATE FUNCTION internal.restore_vault(p_vault_id uuid, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  update kith.vaults set deleted_at = null, deleted_by = null, updated_at = p_now
  where tenant_id = v_tenant and id = p_vault_id and deleted_at > p_now - interval '30 days';
  if not found then
    perform internal.refuse_not_found();
  end if;
  perform internal.record_history(p_vault_id, kith.user_id(), 'vault.restored', 'vault', p_vault_id, null, p_now);
end
$$;

ALTER FUNCTION internal.restore_vault(p_vault_id uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.restore_vault(p_vault_id uuid, p_now timestamp with time zone) IS 'Brings back a vault that was deleted in the last 30 days, with its nominees; tokens stay dead. Raises not_found. For definer procedures.';

CREATE FUNCTION internal.retime_break(p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  update kith.breaks as break
  set starts_at = internal.day_begins_at(break.from_on, profile.time_zone),
    ends_at = internal.day_begins_at(break.until_on + 1, profile.time_zone), updated_at = p_now
  from kith.sender_profiles as profile
  where profile.tenant_id = v_tenant and profile.user_id = v_user
    and break.tenant_id = v_tenant and break.user_id = v_user and break.ended_at is null;
end
$$;

ALTER FUNCTION internal.retime_break(p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.retime_break(p_now timestamp with time zone) IS 'Moves the instants of the sender''s open break to the zone of the profile; its dates stay. Definer, for the user who asks: breaks are written here only.';

CREATE FUNCTION internal.retime_pings(p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_profile record;
  v_today date;
begin
  if v_tenant is null or v_user is null then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
  perform internal.wait_for_generation(p_now);
  select time_zone, ping_time, grace_minutes, reminder_minutes, break_from_on, break_until_on into v_profile
  from kith.sender_profiles
  where tenant_id = v_tenant and user_id = v_user;
  if not found then
    return;
  end if;

  v_today := internal.local_date(p_now, v_profile.time_zone);
  -- Tomorrow's too, for a sender who flew west: the old zone was on that date already, and the ping would come a day early.
  insert into kith.pings as ping
    (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, remind_at, deadline_at)
  select v_tenant, planned.ping_on, connection.id, internal.uuid7(p_now), v_user, connection.receiver_id,
    planned.status, planned.scheduled_at, planned.remind_at, planned.deadline_at
  from internal.planned_pings(
    array[v_today, v_today + 1], v_profile.time_zone, v_profile.ping_time, v_profile.grace_minutes,
    v_profile.reminder_minutes, p_now
  ) as planned
  cross join kith.connections as connection
  where connection.tenant_id = v_tenant and connection.sender_id = v_user and connection.status in ('active', 'pending')
    and connection.pings_stopped_at is null
    and (planned.ping_on between v_profile.break_from_on and v_profile.break_until_on) is not true
    and (
      planned.ping_on = v_today
      or exists (
        select from kith.pings as made
        where made.tenant_id = v_tenant and made.ping_on = v_today + 1 and made.connection_id = connection.id
      )
    )
  on conflict (tenant_id, ping_on, connection_id) do update
  set status = excluded.status, scheduled_at = excluded.scheduled_at, remind_at = excluded.remind_at,
    deadline_at = excluded.deadline_at
  where ping.status in ('scheduled', 'cancelled');
end
$$;

ALTER FUNCTION internal.retime_pings(p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.retime_pings(p_now timestamp with time zone) IS 'X25: after a change of zone, time, grace or break, moves the sender''s pings that nobody has announced to the new times, and makes the missing one of the new local date, where the new deadline is ahead; so no day falls between two zones. Definer, for the user who asks.';

CREATE FUNCTION internal.retry_delay(p_id uuid, p_attempts integer) RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  -- 5, 10, 20 … seconds up to an hour, times 0.75 to 1.25 by the random bits of the id: what failed together comes back apart.
  select least(5 * 2 ^ (p_attempts - 1), 3600) * (0.75 + ('x' || right(p_id::text, 6))::bit(24)::integer / 33554432.0) * interval '1 second'
$$;

ALTER FUNCTION internal.retry_delay(p_id uuid, p_attempts integer) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.retry_delay(p_id uuid, p_attempts integer) IS 'How long a delivery waits after so many failed attempts: exponential, with a jitter that is the delivery''s own and always the same.';

CREATE FUNCTION internal.rotate_code(p_role text, p_now timestamp with time zone) RETURNS kith.unique_codes
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.lock_account();
  update kith.unique_codes set rotated_at = p_now
  where tenant_id = v_tenant and user_id = v_user and role = p_role and permanent and rotated_at is null;
  return internal.new_code(p_role, true, null, p_now);
end
$$;

ALTER FUNCTION internal.rotate_code(p_role text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.rotate_code(p_role text, p_now timestamp with time zone) IS 'Ends the permanent code of the user who asks and makes a new one. Definer: codes are written here only.';

CREATE FUNCTION internal.same_contact(p_user_id uuid, p_phone text, p_email text) RETURNS boolean
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return exists (
    select from kith.users
    where tenant_id = v_tenant and id = p_user_id and deleted_at is null
      and (phone = p_phone and phone_verified_at is not null or email_normalized = lower(p_email) and email_verified_at is not null)
  );
end
$$;

ALTER FUNCTION internal.same_contact(p_user_id uuid, p_phone text, p_email text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.same_contact(p_user_id uuid, p_phone text, p_email text) IS 'Whether a phone number or an e-mail address that somebody named is a verified contact of this user; one of the two is enough. For definer procedures.';

CREATE FUNCTION internal.sealed_keys(p_kind text, p_tenant_id integer, p_id text, p_limit integer) RETURNS TABLE(tenant_id integer, id text, sealed bytea)
    LANGUAGE plpgsql STABLE
    AS $$
begin
  if p_kind = 'jwt_keys' then
    return query
    select key.tenant_id, key.id::text, key.wrapped_secret from kith.jwt_keys as key
    where (key.tenant_id, key.id) > (p_tenant_id, p_id::uuid) and key.wrapped_secret is not null
    order by key.tenant_id, key.id limit p_limit;
  elsif p_kind = 'channel_credentials' then
    return query
    select credentials.tenant_id, credentials.channel, credentials.sealed from kith.channel_credentials as credentials
    where (credentials.tenant_id, credentials.channel) > (p_tenant_id, p_id)
    order by credentials.tenant_id, credentials.channel limit p_limit;
  else
    return query
    select key.tenant_id, key.vault_id::text, key.wrapped_key from kith.vault_keys as key
    where (key.tenant_id, key.vault_id) > (p_tenant_id, p_id::uuid)
    order by key.tenant_id, key.vault_id limit p_limit;
  end if;
end
$$;

ALTER FUNCTION internal.sealed_keys(p_kind text, p_tenant_id integer, p_id text, p_limit integer) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.sealed_keys(p_kind text, p_tenant_id integer, p_id text, p_limit integer) IS 'The next sealed keys of a kind (jwt_keys, vault_keys, channel_credentials) after one, of every tenant: for the exchange of the master key, as the owner.';

CREATE FUNCTION internal.sealed_samples() RETURNS TABLE(kind text, tenant_id integer, id text, sealed bytea)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  if kith.tenant_id() is not null then
    raise exception 'forbidden' using errcode = 'KT403';
  end if;
  return query
  (
    select 'jwt_keys', key.tenant_id, key.id::text, key.wrapped_secret from kith.jwt_keys as key
    where key.wrapped_secret is not null order by key.created_at limit 1
  )
  union
  (
    select 'jwt_keys', key.tenant_id, key.id::text, key.wrapped_secret from kith.jwt_keys as key
    where key.wrapped_secret is not null order by key.created_at desc limit 1
  )
  union
  (select 'vault_keys', key.tenant_id, key.vault_id::text, key.wrapped_key from kith.vault_keys as key order by key.created_at limit 1)
  union
  (select 'vault_keys', key.tenant_id, key.vault_id::text, key.wrapped_key from kith.vault_keys as key order by key.created_at desc limit 1)
  union
  (
    select 'channel_credentials', credentials.tenant_id, credentials.channel, credentials.sealed
    from kith.channel_credentials as credentials
    order by credentials.updated_at limit 1
  )
  union
  (
    select 'channel_credentials', credentials.tenant_id, credentials.channel, credentials.sealed
    from kith.channel_credentials as credentials
    order by credentials.updated_at desc limit 1
  );
end
$$;

ALTER FUNCTION internal.sealed_samples() OWNER TO kith_owner;

COMMENT ON FUNCTION internal.sealed_samples() IS 'The oldest and the newest key of each kind, sealed, of whatever tenants: by them a server learns at its start whether it has the right master key. Definer, and without a tenant: keys are nobody''s to read, and at its start a server knows of no tenant: with one it raises forbidden.';

CREATE FUNCTION internal.send_otp(p_purpose text, p_channel text, p_address text, p_user_id uuid, p_dropped_for text, p_code jsonb, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_address text := internal.otp_address(p_channel, p_address);
  v_settings kith.tenants;
  v_scope text := case when p_dropped_for is null then p_channel else 'dropped' end;
  v_limit integer := case when p_dropped_for is null and p_channel = 'sms' then null else 2147483647 end;
  v_country text := internal.calling_code(p_address);
  v_id uuid := (p_code ->> 'id')::uuid;
  v_delivery text := p_purpose || '_code';
  v_hour integer;
  v_day integer;
  v_of_user integer;
  v_capped_by text;
begin
  select * into v_settings from kith.tenants where tenant_id = v_tenant;
  -- Requests for one address wait for each other; otherwise a burst of them would all count the same past.
  perform pg_advisory_xact_lock(v_tenant, hashtext(v_address));
  select count(*) filter (where created_at > p_now - interval '1 hour'), count(*) into v_hour, v_day
  from kith.otp_codes
  where tenant_id = v_tenant and address = any (array[v_address, internal.hashed_address(v_address)])
    and created_at > p_now - interval '24 hours';
  select count(*) into v_of_user
  from kith.otp_codes
  where tenant_id = v_tenant and user_id = p_user_id and created_at > p_now - interval '1 hour';

  -- Sent or dropped, the same is counted in the same order: the time it takes tells nobody who is known here.
  v_capped_by := case
    when v_hour >= 5 or p_channel = 'sms' and v_day >= v_settings.sms_codes_per_number_per_day then 'address'
    when v_of_user >= 10 then 'user'
    when not internal.count_otp(v_scope, coalesce(v_limit, v_settings.sms_codes_per_day), p_now) then 'tenant'
  end;
  if v_capped_by is null and p_channel = 'sms'
    and not internal.count_otp(v_scope || ' +' || v_country, coalesce(v_limit, v_settings.sms_codes_per_country_per_day), p_now)
  then
    update kith.otp_counts set codes = codes - 1
    where tenant_id = v_tenant and counted_on = (p_now at time zone 'UTC')::date and scope = v_scope;
    v_capped_by := 'country +' || v_country;
  end if;
  if v_capped_by is not null then
    perform internal.count_otp('capped by ' || v_capped_by, 2147483647, p_now);
    return;
  end if;

  insert into kith.otp_codes (tenant_id, id, purpose, address, user_id, code_hash, created_at, expires_at)
  values (v_tenant, v_id, p_purpose, v_address, p_user_id, decode(p_code ->> 'hash', 'hex'), p_now, p_now + interval '10 minutes');
  perform internal.queue_delivery(
    v_id, p_channel, v_delivery, p_address,
    case p_channel when 'email' then internal.delivery_subject(v_delivery, v_settings.brand_name) end,
    internal.delivery_text(v_delivery, p_channel, v_settings.brand_name, v_settings.universal_link_host),
    decode(p_code ->> 'sealed', 'hex'), p_dropped_for, p_now + interval '10 minutes', p_now
  );
end
$$;

ALTER FUNCTION internal.send_otp(p_purpose text, p_channel text, p_address text, p_user_id uuid, p_dropped_for text, p_code jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.send_otp(p_purpose text, p_channel text, p_address text, p_user_id uuid, p_dropped_for text, p_code jsonb, p_now timestamp with time zone) IS 'Keeps a code, {id, hash, sealed} in hexadecimal, and queues its message: at most 5 an hour an address, by SMS the tenant''s caps a day, 10 an hour a user. Past a cap nothing is sent, and that is counted. p_dropped_for says why the message is not to go out, null that it is. For definer procedures.';

CREATE FUNCTION internal.sender_profile_json() RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select json_build_object(
      'ping_time', to_char(profile.ping_time, 'HH24:MI'),
      'time_zone', profile.time_zone,
      'grace_minutes', profile.grace_minutes,
      'reminder_minutes', profile.reminder_minutes,
      'code', code.code,
      'created_at', internal.instant(profile.created_at),
      'updated_at', internal.instant(profile.updated_at)
    )
    from kith.sender_profiles as profile
    left join kith.unique_codes as code
      on code.tenant_id = profile.tenant_id and code.user_id = profile.user_id and code.role = 'sender'
      and code.permanent and code.rotated_at is null
    where profile.tenant_id = v_tenant and profile.user_id = v_user
  );
end
$$;

ALTER FUNCTION internal.sender_profile_json() OWNER TO kith_owner;

COMMENT ON FUNCTION internal.sender_profile_json() IS 'The sender profile of the user who asks, with the permanent code; null without one.';

CREATE FUNCTION internal.session_json(p_session kith.vault_sessions) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select json_build_object(
    'id', (p_session).id,
    'vault_id', (p_session).vault_id,
    'unlocked_by', (p_session).unlocked_by,
    'opened_at', internal.instant((p_session).opened_at),
    'expires_at', internal.instant((p_session).expires_at),
    'locked_at', internal.instant((p_session).locked_at),
    'locked_by', (p_session).locked_by,
    'lock_reason', (p_session).lock_reason
  )
$$;

ALTER FUNCTION internal.session_json(p_session kith.vault_sessions) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.session_json(p_session kith.vault_sessions) IS 'An opening of a vault.';

CREATE FUNCTION internal.sessions_json() RETURNS json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  perform internal.require_user();
  return (
    select coalesce(
      json_agg(
        json_build_object(
          'id', id, 'created_at', internal.instant(created_at), 'refreshed_at', internal.instant(refreshed_at),
          'expires_at', internal.instant(expires_at), 'ended_at', internal.instant(ended_at), 'end_reason', end_reason
        )
        order by created_at, id
      ),
      '[]'
    )
    from kith.token_families
    where tenant_id = v_tenant and user_id = v_user
  );
end
$$;

ALTER FUNCTION internal.sessions_json() OWNER TO kith_owner;

COMMENT ON FUNCTION internal.sessions_json() IS 'The sign-ins of the user who asks, for the export; the tokens themselves are nowhere. Definer: sign-ins are nobody''s to read.';

CREATE FUNCTION internal.set_channel(p_tenant_id integer, p_channel text, p_summary jsonb, p_sealed bytea, p_actor text, p_now timestamp with time zone) RETURNS kith.channel_credentials
    LANGUAGE plpgsql
    AS $$
declare
  v_credentials kith.channel_credentials;
begin
  insert into kith.channel_credentials as known (tenant_id, channel, summary, sealed, created_at, updated_at)
  values (p_tenant_id, p_channel, p_summary, p_sealed, p_now, p_now)
  on conflict (tenant_id, channel) do update
  set summary = excluded.summary, sealed = excluded.sealed, updated_at = excluded.updated_at, checked_at = null, error = null
  returning * into v_credentials;
  perform internal.record_act(p_tenant_id, p_actor, 'channel.set', p_channel, p_summary, p_now);
  return v_credentials;
end
$$;

ALTER FUNCTION internal.set_channel(p_tenant_id integer, p_channel text, p_summary jsonb, p_sealed bytea, p_actor text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.set_channel(p_tenant_id integer, p_channel text, p_summary jsonb, p_sealed bytea, p_actor text, p_now timestamp with time zone) IS 'Puts a tenant''s credentials for a channel down, checked and sealed already, and audits it: for the tenant''s server and for an operator alike.';

CREATE FUNCTION internal.set_contacts(p_user kith.users, p_body jsonb, p_now timestamp with time zone) RETURNS kith.users
    LANGUAGE plpgsql
    AS $$
declare
  v_user kith.users := p_user;
begin
  if p_body ? 'phone' and p_body ->> 'phone' is distinct from v_user.phone then
    v_user.phone := p_body ->> 'phone';
    v_user.phone_verified_at := null;
    v_user.pending_phone := null;
  end if;
  if p_body ? 'email' and p_body ->> 'email' is distinct from v_user.email then
    if lower(p_body ->> 'email') is distinct from v_user.email_normalized then
      v_user.email_verified_at := null;
      v_user.pending_email := null;
    end if;
    v_user.email := p_body ->> 'email';
  end if;
  update kith.users
  set phone = v_user.phone, phone_verified_at = v_user.phone_verified_at, pending_phone = v_user.pending_phone, email = v_user.email,
    email_verified_at = v_user.email_verified_at, pending_email = v_user.pending_email, updated_at = p_now
  where tenant_id = v_user.tenant_id and id = v_user.id
  returning * into v_user;
  return v_user;
end
$$;

ALTER FUNCTION internal.set_contacts(p_user kith.users, p_body jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.set_contacts(p_user kith.users, p_body jsonb, p_now timestamp with time zone) IS 'Sets the contacts given on the word of the tenant''s server: at once, and not verified unless they are what was verified before. For definer procedures.';

CREATE FUNCTION internal.settle_invitations(p_deliveries jsonb, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  update kith.connection_invitation_recipients as recipient
  set status = case delivery.status when 'sent' then 'sent' else 'failed' end, updated_at = p_now
  from jsonb_to_recordset(p_deliveries) as delivery (tenant_id integer, id uuid, status text)
  where recipient.tenant_id = delivery.tenant_id and recipient.delivery_id = delivery.id
    and (recipient.status = 'queued' or recipient.status = 'failed' and delivery.status = 'sent');
end
$$;

ALTER FUNCTION internal.settle_invitations(p_deliveries jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.settle_invitations(p_deliveries jsonb, p_now timestamp with time zone) IS 'Tells the senders what became of texts that Kith sent: [{tenant_id, id, status: sent, failed or dropped}] of deliveries.';

CREATE FUNCTION internal.settle_notifications(p_tenants integer[], p_notifications uuid[], p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_tenants integer[];
  v_undelivered uuid[];
begin
  with unsent as materialized (
    select notification.tenant_id, notification.id, pointless.reason is null and internal.is_alarm(notification.type) as is_alarm,
      pointless.reason is not null as is_pointless, notification.escalated_at is not null as was_escalated, made.*
    from (select distinct tenant_id, id from unnest(p_tenants, p_notifications) as given (tenant_id, id)) as given
    join kith.notifications as notification
      on notification.tenant_id = given.tenant_id and notification.id = given.id and notification.delivery_status = 'queued'
    cross join lateral internal.pointless(
      notification.tenant_id, notification.user_id, notification.type, notification.data, notification.read_at
    ) as pointless
    cross join lateral (
      select coalesce(bool_or(delivery.status in ('queued', 'sending')), false) as is_left,
        coalesce(bool_or(delivery.status = 'failed'), false) as has_failed
      from kith.deliveries as delivery
      where delivery.tenant_id = notification.tenant_id and delivery.notification_id = notification.id
    ) as made
  ), settled as (
    update kith.notifications as notification
    set delivery_status = case
        when unsent.is_left or unsent.is_alarm then 'queued'
        when unsent.has_failed and not unsent.is_pointless then 'failed'
        else 'dropped'
      end,
      -- The other channels are tried at once.
      escalates_at = case
        when unsent.is_alarm and not unsent.was_escalated then least(notification.escalates_at, p_now)
        when unsent.is_left then notification.escalates_at
      end
    from unsent
    where notification.tenant_id = unsent.tenant_id and notification.id = unsent.id
    returning notification.tenant_id, notification.id, unsent.is_alarm and unsent.was_escalated and not unsent.is_left as is_undelivered
  )
  select array_agg(settled.tenant_id), array_agg(settled.id)
  into v_tenants, v_undelivered
  from settled
  where settled.is_undelivered;
  if v_undelivered is not null then
    perform internal.report_undelivered(v_tenants, v_undelivered, p_now);
  end if;
end
$$;

ALTER FUNCTION internal.settle_notifications(p_tenants integer[], p_notifications uuid[], p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.settle_notifications(p_tenants integer[], p_notifications uuid[], p_now timestamp with time zone) IS 'What follows for notifications of which a delivery failed, or fails again and again: with none left the notification is failed, dropped where it was pointless or nobody tried; an alarm takes the person''s other channels first, and counts as undelivered after that. Their rows are locked by the caller.';

CREATE FUNCTION internal.share_json(p_share kith.shares) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_vault uuid := p_share.vault_id;
begin
  return json_build_object(
    'id', p_share.id,
    'vault', (
      select json_build_object('id', vault.id, 'name', vault.name)
      from kith.vaults as vault
      where vault.tenant_id = v_tenant and vault.id = v_vault
    ),
    'record_name', p_share.record_name,
    'url', p_share.url,
    'permission', p_share.permission,
    'participant_count', (
      select count(*)
      from kith.nominees
      where tenant_id = v_tenant and vault_id = v_vault and share_participant_id is not null and status <> 'revoked'
    ),
    'created_at', internal.instant(p_share.created_at),
    'updated_at', internal.instant(p_share.updated_at)
  );
end
$$;

ALTER FUNCTION internal.share_json(p_share kith.shares) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.share_json(p_share kith.shares) IS 'A share as its vault''s owner sees it.';

CREATE FUNCTION internal.sms_invitations_left(p_now timestamp with time zone) RETURNS integer
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_first uuid := internal.first_uuid7(date_trunc('day', p_now, 'UTC'));
begin
  perform internal.require_user();
  return (
    select tenant.sms_invitations_per_day - (
      select count(*) from kith.deliveries where tenant_id = v_tenant and id >= v_first and purpose = 'invitation'
    )
    from kith.tenants as tenant
    where tenant.tenant_id = v_tenant
  );
end
$$;

ALTER FUNCTION internal.sms_invitations_left(p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.sms_invitations_left(p_now timestamp with time zone) IS 'How many invitations Kith still sends for the tenant in this UTC day. Calls at the same moment count the same past, so the last of the day can exceed it by their own recipients. Definer: the outbox is nobody''s to read.';

CREATE FUNCTION internal.take_over_participant(p_share kith.shares, p_given jsonb, p_now timestamp with time zone, OUT outcome text, OUT ended_id uuid, OUT accepted_id uuid) RETURNS record
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_acceptance text := p_given ->> 'acceptance_status';
  v_permission text := p_given ->> 'permission';
  v_role text := p_given ->> 'role';
  v_known kith.share_participants;
  v_nominee kith.nominees;
  v_is_gone boolean;
begin
  select * into v_known
  from kith.share_participants
  where tenant_id = v_tenant and share_id = p_share.id and participant_id = p_given ->> 'id';
  if not found then
    outcome := case when v_acceptance = 'removed' then 'unchanged' else 'created' end;
    return;
  end if;
  select * into v_nominee from kith.nominees where tenant_id = v_tenant and id = v_known.nominee_id;
  v_is_gone := v_nominee.status = 'revoked';
  -- Somebody whom the owner has removed here, and of whom the service still says what it said before, is not back.
  if v_acceptance = v_known.acceptance_status and (
    v_is_gone or v_permission = v_known.permission and v_role = v_known.role
      and coalesce(p_given ->> 'name', v_nominee.name) is not distinct from v_nominee.name
      and coalesce(p_given ->> 'phone', v_nominee.phone) is not distinct from v_nominee.phone
      and coalesce(p_given ->> 'email', v_nominee.email) is not distinct from v_nominee.email
  ) then
    outcome := 'unchanged';
    return;
  elsif v_is_gone and v_acceptance <> 'removed' then
    outcome := 'created';
    return;
  end if;
  update kith.share_participants
  set acceptance_status = v_acceptance, permission = v_permission, role = v_role, updated_at = p_now,
    removed_at = case when v_acceptance = 'removed' then coalesce(removed_at, p_now) end
  where tenant_id = v_tenant and share_id = p_share.id and participant_id = v_known.participant_id;
  if v_is_gone then
    outcome := 'unchanged';
  elsif v_acceptance = 'removed' then
    outcome := 'revoked';
    ended_id := v_nominee.id;
  else
    outcome := 'updated';
    if internal.change_nominee_of_participant(v_nominee.id, v_known.permission, p_given, p_now) then
      accepted_id := v_nominee.id;
    end if;
  end if;
end
$$;

ALTER FUNCTION internal.take_over_participant(p_share kith.shares, p_given jsonb, p_now timestamp with time zone, OUT outcome text, OUT ended_id uuid, OUT accepted_id uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.take_over_participant(p_share kith.shares, p_given jsonb, p_now timestamp with time zone, OUT outcome text, OUT ended_id uuid, OUT accepted_id uuid) IS 'Writes down what the sharing service says of one participant, as C01 of the product wants it; the outcome: updated or unchanged; created for one whom add_participants is to make, who is new, or was removed and is back; revoked for one (ended_id) whom end_nominees is to end. accepted_id is who has accepted by it, for the history. The vault is locked.';

CREATE FUNCTION internal.tell_nominees(p_vault kith.vaults, p_type text, p_by uuid, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := p_vault.tenant_id;
  v_vault uuid := p_vault.id;
  v_owner uuid := p_vault.owner_id;
  v_title text := internal.notification_title(p_type);
  v_body text;
  v_data jsonb := internal.vault_notification_data(p_vault, p_by);
begin
  -- Nobody has to hear without end that somebody opens and locks.
  if (
    select count(*) > 20
    from kith.vault_sessions
    where tenant_id = v_tenant and vault_id = v_vault and id >= internal.first_uuid7(p_now - interval '1 hour') and kind = 'shared'
  ) then
    return;
  end if;
  select internal.notification_body(p_type, 'nominee', account.display_name, p_vault.name) into v_body
  from (select) as always
  left join kith.users as account on account.tenant_id = v_tenant and account.id = p_by;
  insert into kith.notifications (tenant_id, id, user_id, type, title, body, data, created_at)
  select v_tenant, internal.uuid7(p_now), nominee.user_id, p_type, v_title, v_body, v_data, p_now
  from kith.nominees as nominee
  where nominee.tenant_id = v_tenant and nominee.vault_id = v_vault and nominee.status = 'accepted' and nominee.user_id is not null
    and nominee.user_id is distinct from p_by
    -- A vault can be called anything: so nobody talks to who wants to hear nothing from them (X22).
    and not exists (
      select from kith.blocks as block
      where block.tenant_id = v_tenant and block.user_id = nominee.user_id and block.blocked_id in (v_owner, p_by)
    );
end
$$;

ALTER FUNCTION internal.tell_nominees(p_vault kith.vaults, p_type text, p_by uuid, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.tell_nominees(p_vault kith.vaults, p_type text, p_by uuid, p_now timestamp with time zone) IS 'Tells every accepted nominee of a vault, but the one who did it, that it was opened or locked (V09): of 20 openings an hour, and nobody who has blocked its owner or who did it. For definer procedures.';

CREATE FUNCTION internal.tell_of_break(p_break kith.breaks, p_type text, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_told kith.connections;
begin
  if kith.user_id() is not null then
    -- Begun and ended without end it would bury what a receiver must not miss. All of them were told the same: one is looked at.
    select * into v_told
    from kith.connections
    where tenant_id = p_break.tenant_id and sender_id = p_break.user_id and status = 'active'
    order by id
    limit 1;
    if 20 <= (
      select count(*) from kith.notifications
      where tenant_id = p_break.tenant_id and user_id = v_told.receiver_id and id >= internal.first_uuid7(p_now - interval '1 hour')
        and type in ('break_started', 'break_ended') and data ->> 'connection_id' = v_told.id::text
    ) then
      raise exception 'too_many_requests'
        using errcode = 'KT429', detail = 'Your break has begun and ended too often. Please wait an hour.';
    end if;
  end if;
  insert into kith.notifications (tenant_id, id, user_id, type, title, body, data, created_at)
  select connection.tenant_id, internal.uuid7(p_now), connection.receiver_id, p_type, internal.notification_title(p_type),
    internal.notification_body(p_type, 'receiver', sender.display_name, to_char(p_break.until_on, 'YYYY-MM-DD')),
    jsonb_build_object('connection_id', connection.id, 'from', p_break.from_on, 'until', p_break.until_on), p_now
  from kith.connections as connection
  join kith.users as sender on sender.tenant_id = p_break.tenant_id and sender.id = p_break.user_id
  join kith.tenants as tenant on tenant.tenant_id = p_break.tenant_id and tenant.deleted_at is null
  where connection.tenant_id = p_break.tenant_id and connection.sender_id = p_break.user_id and connection.status = 'active';
end
$$;

ALTER FUNCTION internal.tell_of_break(p_break kith.breaks, p_type text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.tell_of_break(p_break kith.breaks, p_type text, p_now timestamp with time zone) IS 'Tells the receivers of a sender''s active connections that a break began or ended. Raises too_many_requests where the user who asks has had them told so 20 times within the hour.';

CREATE FUNCTION internal.tell_of_message(p_user_id uuid, p_vault kith.vaults, p_message kith.messages, p_from_name text, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  insert into kith.notifications (tenant_id, id, user_id, type, title, body, data, created_at)
  select v_tenant, internal.uuid7(p_now), account.id, 'message_received', internal.name_of_anybody(p_from_name),
    left(p_message.body, 120),
    internal.vault_notification_data(p_vault, p_message.from_id)
      || jsonb_build_object('nominee_id', p_message.nominee_id, 'message_id', p_message.id),
    p_now
  from kith.users as account
  where account.tenant_id = v_tenant and account.id = p_user_id and account.deleted_at is null;
end
$$;

ALTER FUNCTION internal.tell_of_message(p_user_id uuid, p_vault kith.vaults, p_message kith.messages, p_from_name text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.tell_of_message(p_user_id uuid, p_vault kith.vaults, p_message kith.messages, p_from_name text, p_now timestamp with time zone) IS 'Tells the other side of a message: the title is who wrote it, the body its first 120 characters. For definer procedures.';

CREATE FUNCTION internal.tell_of_vault(p_user_id uuid, p_type text, p_vault kith.vaults, p_about_user_id uuid, p_name text, p_data jsonb, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  insert into kith.notifications (tenant_id, id, user_id, type, title, body, data, created_at)
  select p_vault.tenant_id, internal.uuid7(p_now), account.id, p_type, internal.notification_title(p_type),
    internal.notification_body(p_type, coalesce(p_data ->> 'to', 'nominee'), p_name, p_vault.name),
    internal.vault_notification_data(p_vault, p_about_user_id) || coalesce(p_data, '{}'), p_now
  from kith.users as account
  where account.tenant_id = p_vault.tenant_id and account.id = p_user_id and account.deleted_at is null;
end
$$;

ALTER FUNCTION internal.tell_of_vault(p_user_id uuid, p_type text, p_vault kith.vaults, p_about_user_id uuid, p_name text, p_data jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.tell_of_vault(p_user_id uuid, p_type text, p_vault kith.vaults, p_about_user_id uuid, p_name text, p_data jsonb, p_now timestamp with time zone) IS 'Tells one user something about a vault and a person; {to: owner} in the data where the owner gets another text than a nominee. For definer procedures: recipients follow from the rows they have changed.';

CREATE FUNCTION internal.tell_senders_after_outage(p_now timestamp with time zone, p_batch integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_seqscan TO 'off'
    AS $$
declare
  v_deleted integer[] := array(select tenant_id from kith.tenants where deleted_at is not null);
  v_outage kith.outages;
  v_until_at timestamptz;
  v_until_tenant integer;
  v_until_sender uuid;
begin
  -- Those long past: nobody waits for them any more.
  update kith.outages
  set sender_told_at = p_now
  where sender_told_at is null and ended_at <= p_now - interval '15 minutes';

  select * into v_outage
  from kith.outages
  where ended_at is not null and sender_told_at is null
  order by began_at, component
  limit 1
  for update;
  if not found then
    return 0;
  end if;
  -- What came up meanwhile is announced first, or it would be passed over here.
  if exists (select from kith.pings where status = 'scheduled' and scheduled_at <= p_now) then
    return null;
  end if;

  -- The last of the batch; whole senders of one deadline.
  select ping.deadline_at, ping.tenant_id, ping.sender_id into v_until_at, v_until_tenant, v_until_sender
  from kith.pings as ping
  where ping.status = 'due' and ping.deadline_at < v_outage.ended_at + interval '15 minutes'
    and (ping.deadline_at, ping.tenant_id, ping.sender_id) > (
      coalesce(v_outage.told_deadline_at, v_outage.began_at), coalesce(v_outage.told_tenant_id, 2147483647),
      coalesce(v_outage.told_sender_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    )
  order by ping.deadline_at, ping.tenant_id, ping.sender_id
  offset p_batch - 1 limit 1;
  if not found then
    -- All that is left: below any sender of that instant.
    v_until_at := v_outage.ended_at + interval '15 minutes';
    v_until_tenant := -1;
    v_until_sender := '00000000-0000-0000-0000-000000000000';
  end if;

  with waiting as materialized (
    select ping.tenant_id, ping.ping_on, ping.connection_id, ping.id, ping.sender_id, ping.remind_at,
      case when ping.deadline_at > p_now then ping.deadline_at else v_outage.ended_at + interval '15 minutes' end as until_at
    from kith.pings as ping
    join kith.connections as connection
      on connection.tenant_id = ping.tenant_id and connection.id = ping.connection_id and connection.status = 'active'
    where ping.status = 'due' and ping.tenant_id <> all (v_deleted)
      and (ping.deadline_at, ping.tenant_id, ping.sender_id) > (
        coalesce(v_outage.told_deadline_at, v_outage.began_at), coalesce(v_outage.told_tenant_id, 2147483647),
        coalesce(v_outage.told_sender_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      )
      and (ping.deadline_at, ping.tenant_id, ping.sender_id) <= (v_until_at, v_until_tenant, v_until_sender)
  ), reminded as (
    -- The reminder that would follow at once is this one.
    update kith.pings as ping
    set remind_at = null
    from waiting
    where ping.tenant_id = waiting.tenant_id and ping.ping_on = waiting.ping_on and ping.connection_id = waiting.connection_id
      and ping.status = 'due' and waiting.remind_at <= p_now
  )
  insert into kith.notifications (tenant_id, id, user_id, type, title, body, data, created_at)
  select news.tenant_id, internal.uuid7(p_now), news.sender_id, 'ping_reminder', internal.notification_title('ping_reminder'),
    internal.notification_body(
      'ping_reminder', 'sender', null, ceil(extract(epoch from news.until_at - p_now) / 60)::integer::text
    ),
    jsonb_build_object('connection_id', news.connection_id, 'ping_id', news.id, 'date', news.ping_on), p_now
  from (
    select distinct on (waiting.tenant_id, waiting.sender_id, waiting.ping_on) waiting.*
    from waiting
    order by waiting.tenant_id, waiting.sender_id, waiting.ping_on, waiting.connection_id
  ) as news
  where not internal.was_told(news.tenant_id, news.sender_id, 'ping_reminder', news.ping_on, v_outage.ended_at);

  update kith.outages
  set told_deadline_at = v_until_at, told_tenant_id = v_until_tenant, told_sender_id = v_until_sender,
    sender_told_at = case when v_until_tenant = -1 then p_now end
  where component = v_outage.component and began_at = v_outage.began_at;
  return case when exists (select from kith.outages where ended_at is not null and sender_told_at is null) then 1 else 0 end;
end
$$;

ALTER FUNCTION internal.tell_senders_after_outage(p_now timestamp with time zone, p_batch integer) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.tell_senders_after_outage(p_now timestamp with time zone, p_batch integer) IS 'One batch of what follows an outage that has ended: reminds the senders whose pings wait because of it, with the minutes that are left until the deadline or, where that passed, until their receivers are told. 1: there is more; 0: everybody has been told; null: pings that came up meanwhile must be announced first. Definer: notifications are written with their cause and by nobody else.';

CREATE FUNCTION internal.tenant_constraint_error(p_constraint text) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    AS $$
  select case p_constraint
    when 'tenants_name_is_short' then internal.field_error('name', 'must have 1 to 200 characters')
    when 'tenants_brand_is_short' then internal.field_error('brand_name', 'must have 1 to 80 characters')
    when 'tenants_join_link_is_https' then internal.field_error('join_link', 'must be a web address of at most 500 characters')
    when 'tenants_host_is_a_name' then internal.field_error('universal_link_host', 'must be the name of a host')
    when 'tenants_app_link_is_https' then internal.field_error('app_link', 'must be an https address of at most 500 characters')
    when 'tenants_default_region_is_two_letters' then internal.field_error('default_region', 'must be a country''s two letters, like DE')
    when 'tenants_origins_are_origins' then
      internal.field_error('allowed_origins', 'must each be scheme, host and port alone, like https://app.example.com')
    when 'tenants_grace_in_bounds' then internal.field_error('grace_minutes', 'must be from 5 to 719')
    when 'tenants_reminder_is_before_deadline' then
      internal.field_error('reminder_minutes', 'must be at least 1 and less than grace_minutes')
    when 'tenants_subscription_grace_in_bounds' then internal.field_error('subscription_grace_days', 'must be from 0 to 365')
    when 'tenants_session_maximum_in_bounds' then internal.field_error('session_maximum_minutes', 'must be from 5 to 10080')
    when 'tenants_invitation_in_bounds' then internal.field_error('invitation_days', 'must be from 1 to 90')
    when 'tenants_retention_in_bounds' then internal.field_error('retention_days', 'must be from 30 to 3650')
    when 'tenants_user_quota_in_bounds' then internal.field_error('user_quota', 'must be from 1 to 100000000')
    when 'tenants_code_misses_in_bounds' then internal.field_error('code_misses_per_hour', 'must be from 10 to 1000000')
    when 'tenants_sms_codes_in_bounds' then internal.field_error('sms_codes_per_day', 'must be from 0 to 10000000')
    when 'tenants_sms_codes_of_country_in_bounds' then
      internal.field_error('sms_codes_per_country_per_day', 'must be from 0 to 10000000')
    when 'tenants_sms_invitations_in_bounds' then internal.field_error('sms_invitations_per_day', 'must be from 0 to 10000000')
    when 'tenants_link_scheme_is_one' then
      internal.field_error('link_scheme', 'must be the scheme of a URI: small letters, digits, plus, minus and dots')
    when 'tenants_vault_quota_in_bounds' then internal.field_error('vault_quota_mib', 'must be from 1 to 1048576')
    when 'tenants_sms_codes_of_number_in_bounds' then internal.field_error('sms_codes_per_number_per_day', 'must be from 1 to 100')
  end
$$;

ALTER FUNCTION internal.tenant_constraint_error(p_constraint text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.tenant_constraint_error(p_constraint text) IS 'What a person reads when a constraint of the tenants table refuses a setting; the bounds themselves are the constraints''.';

CREATE FUNCTION internal.tenant_json(p_tenant kith.tenants) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select json_build_object(
    'slug', (p_tenant).slug,
    'name', (p_tenant).name,
    'brand_name', (p_tenant).brand_name,
    'join_link', (p_tenant).join_link,
    'universal_link_host', (p_tenant).universal_link_host,
    'allowed_origins', (p_tenant).allowed_origins,
    'app_ids', (p_tenant).app_ids,
    'app_link', (p_tenant).app_link,
    'default_region', (p_tenant).default_region,
    'requires_subscription', (p_tenant).requires_subscription,
    'requires_consent', (p_tenant).requires_consent,
    'sign_up_open', (p_tenant).sign_up_open,
    'grace_minutes', (p_tenant).grace_minutes,
    'reminder_minutes', (p_tenant).reminder_minutes,
    'subscription_grace_days', (p_tenant).subscription_grace_days,
    'session_maximum_minutes', (p_tenant).session_maximum_minutes,
    'invitation_days', (p_tenant).invitation_days,
    'retention_days', (p_tenant).retention_days,
    'user_quota', (p_tenant).user_quota,
    'code_misses_per_hour', (p_tenant).code_misses_per_hour,
    'link_scheme', (p_tenant).link_scheme,
    'vault_quota_mib', (p_tenant).vault_quota_mib,
    'sms_enabled', (p_tenant).sms_enabled,
    'sms_codes_per_day', (p_tenant).sms_codes_per_day,
    'sms_codes_per_country_per_day', (p_tenant).sms_codes_per_country_per_day,
    'sms_codes_per_number_per_day', (p_tenant).sms_codes_per_number_per_day,
    'sms_invitations_per_day', (p_tenant).sms_invitations_per_day,
    'created_at', internal.instant((p_tenant).created_at),
    'updated_at', internal.instant((p_tenant).updated_at)
  )
$$;

ALTER FUNCTION internal.tenant_json(p_tenant kith.tenants) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.tenant_json(p_tenant kith.tenants) IS 'A tenant''s settings.';

CREATE FUNCTION internal.today_ping(p_connection internal.own_connections, p_now timestamp with time zone) RETURNS kith.pings
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_id uuid := p_connection.id;
  v_date date := (p_now at time zone p_connection.sender_time_zone)::date;
  v_today kith.pings;
  v_other kith.pings;
begin
  if not p_connection.shows_pings then
    return null;
  end if;
  -- One date at a time, by equality: a kept plan opens only the partition of that date, and always uses the whole index.
  select * into v_today from kith.pings where tenant_id = v_tenant and ping_on = v_date and connection_id = v_id;
  -- One of 23:58 is open until 01:28 of the next date; and a change of zone leaves an open ping on a date beside today's.
  -- Yesterday's deadline was about a day before today's: past that there is nothing to look for.
  if v_today.status is distinct from 'due'
    and (v_today.id is null or v_today.deadline_at > p_now + interval '22 hours' or p_connection.sender_timed_at > p_now - interval '2 days')
  then
    select * into v_other
    from kith.pings
    where tenant_id = v_tenant and ping_on = v_date - 1 and connection_id = v_id and status = 'due';
    if not found then
      select * into v_other
      from kith.pings
      where tenant_id = v_tenant and ping_on = v_date + 1 and connection_id = v_id and status = 'due';
    end if;
    if found then
      return v_other;
    end if;
  end if;
  return v_today;
end
$$;

ALTER FUNCTION internal.today_ping(p_connection internal.own_connections, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.today_ping(p_connection internal.own_connections, p_now timestamp with time zone) IS 'Today''s ping of a connection: the open one, else the one of the sender''s local date, else null.';

CREATE FUNCTION internal.token_invitation_json(p_kind text, p_token uuid, p_vault kith.vaults, p_expires_at timestamp with time zone, p_public_url text) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_owner uuid := p_vault.owner_id;
begin
  return (
    select json_build_object(
      'token', p_token,
      'url', link.url,
      'deep_link', internal.invitation_deep_link(p_kind, p_token, tenant.link_scheme, p_vault.name),
      'message', internal.token_message(p_kind, owner.display_name, p_vault.name, tenant.brand_name, link.url),
      'card', internal.invitation_card(p_kind, 'pending', p_vault.name),
      'expires_at', internal.instant(p_expires_at)
    )
    from kith.tenants as tenant
    join kith.users as owner on owner.tenant_id = tenant.tenant_id and owner.id = v_owner
    cross join lateral internal.invitation_url(p_token, tenant.universal_link_host, p_public_url) as link (url)
    where tenant.tenant_id = v_tenant
  );
end
$$;

ALTER FUNCTION internal.token_invitation_json(p_kind text, p_token uuid, p_vault kith.vaults, p_expires_at timestamp with time zone, p_public_url text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.token_invitation_json(p_kind text, p_token uuid, p_vault kith.vaults, p_expires_at timestamp with time zone, p_public_url text) IS 'An invitation that was just made, in every form in which it can be sent. The token is nowhere to be had again. For definer procedures.';

CREATE FUNCTION internal.token_message(p_kind text, p_owner text, p_vault text, p_brand text, p_url text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select format(
    case p_kind
      when 'nominee' then '%s invites you to the vault "%s" on %s. Open the invitation: %s'
      else '%s wants to make you the owner of the vault "%s" on %s. Open the offer: %s'
    end,
    internal.name_of_anybody(p_owner), p_vault, p_brand, p_url
  )
$$;

ALTER FUNCTION internal.token_message(p_kind text, p_owner text, p_vault text, p_brand text, p_url text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.token_message(p_kind text, p_owner text, p_vault text, p_brand text, p_url text) IS 'The text that goes with an invitation by token (N16).';

CREATE FUNCTION internal.transfer_json(p_transfer kith.transfers) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select json_build_object(
    'id', (p_transfer).id,
    'name', (p_transfer).name,
    'phone', (p_transfer).phone,
    'email', (p_transfer).email,
    'keep_access', (p_transfer).keep_access,
    'status', (p_transfer).status,
    'created_at', internal.instant((p_transfer).created_at),
    'expires_at', internal.instant((p_transfer).expires_at)
  )
$$;

ALTER FUNCTION internal.transfer_json(p_transfer kith.transfers) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.transfer_json(p_transfer kith.transfers) IS 'A transfer as the vault''s owner sees it.';

CREATE FUNCTION internal.transfer_state(p_transfer kith.transfers, p_now timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE
    AS $$
  select case
    when (p_transfer).status in ('cancelled', 'vault_deleted') then 'revoked'
    when (p_transfer).status = 'pending' and (p_transfer).expires_at <= p_now then 'expired'
    else (p_transfer).status
  end
$$;

ALTER FUNCTION internal.transfer_state(p_transfer kith.transfers, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.transfer_state(p_transfer kith.transfers, p_now timestamp with time zone) IS 'The same of the offer of a vault.';

CREATE FUNCTION internal.transfers_of_person(p_user_id uuid, p_phone text, p_email text) RETURNS uuid[]
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_email text := lower(p_email);
begin
  return array(
    select id from kith.transfers where tenant_id = v_tenant and owner_id = p_user_id
    union
    select id from kith.transfers where tenant_id = v_tenant and accepted_by = p_user_id
    union
    select id from kith.transfers where tenant_id = v_tenant and phone = p_phone
    union
    select id from kith.transfers where tenant_id = v_tenant and email_normalized = v_email
  );
end
$$;

ALTER FUNCTION internal.transfers_of_person(p_user_id uuid, p_phone text, p_email text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.transfers_of_person(p_user_id uuid, p_phone text, p_email text) IS 'The offers of vaults that this user has made or accepted, or that somebody has made to one of these contacts.';

CREATE FUNCTION internal.try_otp(p_purpose text, p_channel text, p_address text, p_user_id uuid, p_guesses jsonb, p_now timestamp with time zone) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_address text := internal.otp_address(p_channel, p_address);
  v_live uuid[];
  v_hit boolean;
begin
  perform pg_advisory_xact_lock(v_tenant, hashtext(v_address));
  if (
    select count(*) >= 10 from kith.otp_tries
    where tenant_id = v_tenant and address = any (array[v_address, internal.hashed_address(v_address)])
      and tried_at > p_now - interval '1 hour'
  ) then
    return false;
  end if;
  v_live := array(select id from internal.live_otp(p_purpose, p_channel, p_address, p_user_id, p_now));
  if v_live = '{}' then
    -- There is nothing to guess, and so nothing to count.
    return false;
  end if;
  insert into kith.otp_tries (tenant_id, id, address, tried_at) values (v_tenant, internal.uuid7(p_now), v_address, p_now);
  update kith.otp_codes set tries = tries + 1 where tenant_id = v_tenant and id = any (v_live);
  v_hit := exists (
    select
    from kith.otp_codes as code
    join jsonb_each(p_guesses) as guess (id, hashes) on code.id = guess.id::uuid and guess.hashes ? encode(code.code_hash, 'hex')
    where code.tenant_id = v_tenant and code.id = any (v_live)
  );
  if v_hit then
    update kith.otp_codes set ended_at = p_now where tenant_id = v_tenant and id = any (v_live);
  end if;
  return v_hit;
end
$$;

ALTER FUNCTION internal.try_otp(p_purpose text, p_channel text, p_address text, p_user_id uuid, p_guesses jsonb, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.try_otp(p_purpose text, p_channel text, p_address text, p_user_id uuid, p_guesses jsonb, p_now timestamp with time zone) IS 'Whether somebody has a live code of an address. p_guesses: for each live code, by its id, the hashes (while the master key is exchanged, several) that it may have if what was typed is right. Counts the try, ten an hour an address; a hit ends all of them. For definer procedures.';

CREATE FUNCTION internal.user_by_code(p_channel text, p_address text, p_guesses jsonb, p_now timestamp with time zone, OUT user_id uuid, OUT is_new boolean) RETURNS record
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_is_verified boolean;
begin
  is_new := false;
  -- The user before the address and its codes, as everywhere; whose it is may change until the address is locked.
  user_id := internal.user_of_contact(p_channel, p_address);
  perform from kith.users where tenant_id = v_tenant and id = user_id for no key update;
  if not internal.try_otp('sign_in', p_channel, p_address, null, p_guesses, p_now) then
    user_id := null;
    return;
  end if;
  user_id := internal.user_of_contact(p_channel, p_address);
  if user_id is null then
    if not (select sign_up_open from kith.tenants where tenant_id = v_tenant) then
      return;
    end if;
    user_id := internal.uuid7(p_now);
    is_new := true;
    insert into kith.users (tenant_id, id, tokens_valid_from, created_at, updated_at) values (v_tenant, user_id, p_now, p_now, p_now);
    perform internal.record_act(v_tenant, 'user:' || user_id, 'user.sign_up', user_id::text, null, p_now);
  end if;
  select case p_channel when 'sms' then phone_verified_at else email_verified_at end is not null into v_is_verified
  from kith.users
  where tenant_id = v_tenant and id = user_id
  for no key update;
  if not v_is_verified then
    perform internal.confirm_contact(user_id, p_channel, p_address, p_now);
  end if;
end
$$;

ALTER FUNCTION internal.user_by_code(p_channel text, p_address text, p_guesses jsonb, p_now timestamp with time zone, OUT user_id uuid, OUT is_new boolean) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.user_by_code(p_channel text, p_address text, p_guesses jsonb, p_now timestamp with time zone, OUT user_id uuid, OUT is_new boolean) IS 'Who has a code of an address; null for a wrong code. Whose verified contact it is, else the oldest user''s of whom the tenant''s server said so, else a new user''s where sign-up is open: is_new, and the caller counts them, last. For definer procedures.';

CREATE FUNCTION internal.user_json(p_user kith.users) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select json_build_object(
    'id', (p_user).id,
    'display_name', (p_user).display_name,
    'phone', (p_user).phone,
    'email', (p_user).email,
    'phone_verified', (p_user).phone_verified_at is not null,
    'email_verified', (p_user).email_verified_at is not null,
    'pending_phone', (p_user).pending_phone,
    'pending_email', (p_user).pending_email,
    'time_zone', (p_user).time_zone,
    'locale', (p_user).locale,
    'created_at', internal.instant((p_user).created_at)
  )
$$;

ALTER FUNCTION internal.user_json(p_user kith.users) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.user_json(p_user kith.users) IS 'A user as they see themselves.';

CREATE FUNCTION internal.user_json_for_server(p_user kith.users) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select json_build_object(
    'id', (p_user).id,
    'external_id', (p_user).external_id,
    'display_name', (p_user).display_name,
    'phone', (p_user).phone,
    'email', (p_user).email,
    'phone_verified', (p_user).phone_verified_at is not null,
    'email_verified', (p_user).email_verified_at is not null,
    'pending_phone', (p_user).pending_phone,
    'pending_email', (p_user).pending_email,
    'time_zone', (p_user).time_zone,
    'locale', (p_user).locale,
    'created_at', internal.instant((p_user).created_at)
  )
$$;

ALTER FUNCTION internal.user_json_for_server(p_user kith.users) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.user_json_for_server(p_user kith.users) IS 'A user as the tenant''s server sees them: with external_id.';

CREATE FUNCTION internal.user_of_contact(p_channel text, p_address text) RETURNS uuid
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid;
begin
  if p_channel = 'sms' then
    select id into v_user from kith.users
    where tenant_id = v_tenant and phone = p_address and deleted_at is null
    order by phone_verified_at is null, created_at, id limit 1;
  else
    select id into v_user from kith.users
    where tenant_id = v_tenant and email_normalized = lower(p_address) and deleted_at is null
    order by email_verified_at is null, created_at, id limit 1;
  end if;
  return v_user;
end
$$;

ALTER FUNCTION internal.user_of_contact(p_channel text, p_address text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.user_of_contact(p_channel text, p_address text) IS 'Whose contact it is: the user''s who has it verified, else the oldest''s of whom the tenant''s server said so; null for nobody. For definer procedures.';

CREATE FUNCTION internal.user_of_verified_contact(p_phone text, p_email text) RETURNS uuid
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid;
begin
  select id into v_user
  from kith.users
  where tenant_id = v_tenant and phone = p_phone and phone_verified_at is not null and deleted_at is null;
  if not found then
    select id into v_user
    from kith.users
    where tenant_id = v_tenant and email_normalized = lower(p_email) and email_verified_at is not null and deleted_at is null;
  end if;
  return v_user;
end
$$;

ALTER FUNCTION internal.user_of_verified_contact(p_phone text, p_email text) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.user_of_verified_contact(p_phone text, p_email text) IS 'Who has a phone number, or else an e-mail address, as a verified contact; null for nobody. Which of the two is not said: nobody may learn from it who is here. For definer procedures.';

CREATE FUNCTION internal.user_with(p_user kith.users, p_body jsonb) RETURNS kith.users
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_user kith.users := jsonb_populate_record(p_user, p_body);
begin
  v_user.display_name := nullif(btrim(v_user.display_name), '');
  if v_user.time_zone is null then
    v_user.time_zone := 'UTC';
  end if;
  if v_user.locale is null then
    v_user.locale := 'en';
  end if;
  if v_user.time_zone is distinct from p_user.time_zone and not internal.is_time_zone(v_user.time_zone) then
    perform internal.refuse_fields(internal.field_error('time_zone', 'must be an IANA time zone like Europe/Berlin'));
  end if;
  return v_user;
end
$$;

ALTER FUNCTION internal.user_with(p_user kith.users, p_body jsonb) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.user_with(p_user kith.users, p_body jsonb) IS 'The user with the fields of a body put in: absent ones stay, null clears or, for time_zone and locale, restores the default. Writes nothing: which columns are written is the caller''s to say.';

CREATE FUNCTION internal.users_left() RETURNS integer
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return (
    select tenant.user_quota - coalesce(
      (select users from kith.tenant_usage where tenant_id = v_tenant),
      (select count(*) from kith.users where tenant_id = v_tenant and deleted_at is null)
    )
    from kith.tenants as tenant
    where tenant.tenant_id = v_tenant
  );
end
$$;

ALTER FUNCTION internal.users_left() OWNER TO kith_owner;

COMMENT ON FUNCTION internal.users_left() IS 'How many more users the tenant''s quota allows as things stand; count_users has the last word.';

CREATE FUNCTION internal.uuid7(p_at timestamp with time zone) RETURNS uuid
    LANGUAGE sql PARALLEL SAFE
    AS $$
  -- 48 bits of milliseconds, the version, 12 bits of the microseconds within the millisecond (RFC 9562, section 6.2,
  -- method 3), and the 62 random bits of a version 4 UUID, whose variant is the same.
  select encode(
    overlay(
      uuid_send(gen_random_uuid())
      placing int8send(
        ((date_part('epoch', p_at) * 1000000)::bigint / 1000 << 16) | 28672
        | ((date_part('epoch', p_at) * 1000000)::bigint % 1000 * 4096 / 1000)
      )
      from 1 for 8
    ),
    'hex'
  )::uuid
$$;

ALTER FUNCTION internal.uuid7(p_at timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.uuid7(p_at timestamp with time zone) IS 'A new UUID version 7 of the instant given, to the microsecond: ids of later instants sort later. 62 bits are random.';

CREATE FUNCTION internal.vault_access(p_vault_id uuid, p_now timestamp with time zone, OUT vault kith.vaults, OUT role text, OUT access_level text, OUT nominee kith.nominees, OUT session kith.vault_sessions) RETURNS record
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  -- The clock of the policies that follow is the request's.
  perform set_config('kith.now', p_now::text, true);
  select * into vault from kith.vaults where tenant_id = v_tenant and id = p_vault_id and deleted_at is null;
  if vault.owner_id = v_user then
    role := 'owner';
    access_level := 'full';
  else
    -- A revoked row is not the last word: the person may have been invited again.
    select * into nominee
    from kith.nominees as own
    where own.tenant_id = v_tenant and own.vault_id = p_vault_id and own.user_id = v_user
    order by own.status = 'revoked', own.id desc
    limit 1;
    if nominee.status = 'revoked' then
      raise exception 'nominee_revoked' using errcode = 'KT403';
    end if;
    if nominee.id is null or vault.id is null then
      perform internal.refuse_not_found();
    end if;
    if nominee.status <> 'accepted' then
      raise exception using message = 'nominee_' || nominee.status, errcode = 'KT403';
    end if;
    role := 'nominee';
    access_level := nominee.access_level;
  end if;
  select * into session
  from kith.vault_sessions as open
  where open.tenant_id = v_tenant and open.vault_id = p_vault_id and open.kind = 'shared' and open.locked_at is null and open.expires_at > p_now;
end
$$;

ALTER FUNCTION internal.vault_access(p_vault_id uuid, p_now timestamp with time zone, OUT vault kith.vaults, OUT role text, OUT access_level text, OUT nominee kith.nominees, OUT session kith.vault_sessions) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.vault_access(p_vault_id uuid, p_now timestamp with time zone, OUT vault kith.vaults, OUT role text, OUT access_level text, OUT nominee kith.nominees, OUT session kith.vault_sessions) IS 'What the user who asks is to a vault, and the session that is open at this instant, if one is. Raises not_found for a stranger and where the vault is deleted, and nominee_pending, nominee_inactive or nominee_revoked. First in every call about a vault.';

CREATE FUNCTION kith.now() RETURNS timestamp with time zone
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  select coalesce(nullif(current_setting('kith.now', true), '')::timestamptz, pg_catalog.now())
$$;

ALTER FUNCTION kith.now() OWNER TO kith_owner;

COMMENT ON FUNCTION kith.now() IS 'The instant of this request, for policies and views that ask whether a session is open: what internal.vault_access has set, else the database''s clock.';

CREATE VIEW internal.own_vaults WITH (security_barrier='true') AS
 SELECT vault.tenant_id,
    vault.id,
    vault.name,
    'owner'::text AS role,
    'full'::text AS access_level,
    NULL::text AS status,
    vault.owner_id,
    owner.display_name AS owner_name,
    vault.require_confirmation,
    vault.full_may_open,
    vault.created_at,
    vault.updated_at,
    vault.deleted_at,
    session.*::kith.vault_sessions AS session
   FROM ((kith.vaults vault
     JOIN kith.users owner ON (((owner.tenant_id = vault.tenant_id) AND (owner.id = vault.owner_id))))
     LEFT JOIN kith.vault_sessions session ON (((session.tenant_id = vault.tenant_id) AND (session.vault_id = vault.id) AND (session.kind = 'shared'::text) AND (session.locked_at IS NULL) AND (session.expires_at > kith.now()))))
  WHERE ((vault.tenant_id = kith.tenant_id()) AND (vault.owner_id = kith.user_id()))
UNION ALL
 SELECT vault.tenant_id,
    vault.id,
    vault.name,
    'nominee'::text AS role,
    nominee.access_level,
    nominee.status,
    vault.owner_id,
    owner.display_name AS owner_name,
    vault.require_confirmation,
    vault.full_may_open,
    vault.created_at,
    vault.updated_at,
    NULL::timestamp with time zone AS deleted_at,
    session.*::kith.vault_sessions AS session
   FROM (((kith.nominees nominee
     JOIN kith.vaults vault ON (((vault.tenant_id = nominee.tenant_id) AND (vault.id = nominee.vault_id) AND (vault.deleted_at IS NULL))))
     JOIN kith.users owner ON (((owner.tenant_id = vault.tenant_id) AND (owner.id = vault.owner_id))))
     LEFT JOIN kith.vault_sessions session ON (((session.tenant_id = vault.tenant_id) AND (session.vault_id = vault.id) AND (session.kind = 'shared'::text) AND (session.locked_at IS NULL) AND (session.expires_at > kith.now()) AND (nominee.status = 'accepted'::text))))
  WHERE ((nominee.tenant_id = kith.tenant_id()) AND (nominee.user_id = kith.user_id()) AND (nominee.status <> 'revoked'::text));

ALTER TABLE internal.own_vaults OWNER TO kith_owner;

COMMENT ON VIEW internal.own_vaults IS 'The vaults that the user who asks owns (deleted ones too) or is a nominee of, each with its owner''s name and the session that is open at kith.now(). The view runs as the owner, so its own conditions are the policy here.';

COMMENT ON COLUMN internal.own_vaults.session IS 'Null where it is locked, and for a nominee whose access is paused or not confirmed.';

CREATE FUNCTION internal.vault_json(p_vault internal.own_vaults) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select json_build_object(
    'id', (p_vault).id,
    'name', (p_vault).name,
    'role', (p_vault).role,
    'access_level', (p_vault).access_level,
    'status', internal.nominee_status((p_vault).status, ((p_vault).session).id is not null),
    'owner', json_build_object('id', (p_vault).owner_id, 'display_name', internal.name_of_anybody((p_vault).owner_name)),
    'require_confirmation', (p_vault).require_confirmation,
    'full_may_open', (p_vault).full_may_open,
    'session', case when ((p_vault).session).id is not null then internal.session_json((p_vault).session) end,
    'created_at', internal.instant((p_vault).created_at),
    'updated_at', internal.instant((p_vault).updated_at),
    'deleted_at', internal.instant((p_vault).deleted_at)
  )
$$;

ALTER FUNCTION internal.vault_json(p_vault internal.own_vaults) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.vault_json(p_vault internal.own_vaults) IS 'A vault as its owner or one of its nominees sees it; status is the nominee''s.';

CREATE FUNCTION internal.vault_notification_data(p_vault kith.vaults, p_about_user_id uuid) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select jsonb_strip_nulls(jsonb_build_object('vault_id', (p_vault).id, 'vault_name', (p_vault).name, 'user_id', p_about_user_id))
$$;

ALTER FUNCTION internal.vault_notification_data(p_vault kith.vaults, p_about_user_id uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.vault_notification_data(p_vault kith.vaults, p_about_user_id uuid) IS 'What a notification about a vault holds as data: with the name of the vault and who it is about, so that it can be written anew without that person''s name.';

CREATE FUNCTION internal.vault_of_share(p_share_id uuid) RETURNS uuid
    LANGUAGE plpgsql STABLE
    AS $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_vault uuid;
begin
  select vault_id into v_vault
  from kith.shares
  where tenant_id = v_tenant and id = p_share_id and owner_id = v_user and ended_at is null;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return v_vault;
end
$$;

ALTER FUNCTION internal.vault_of_share(p_share_id uuid) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.vault_of_share(p_share_id uuid) IS 'The vault of a share of the user who asks; raises not_found for a stranger''s and an ended one. For definer procedures.';

CREATE FUNCTION internal.wait_for_generation(p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  v_tenant integer := kith.tenant_id();
begin
  -- Those of the coming minute as well: when this transaction commits they may have begun.
  perform from kith.ping_runs
  where finished_at is null and starts_at <= p_now + interval '1 minute' and tenant_id = v_tenant
  order by starts_at, tenant_id, time_zone, ping_on
  for share;
end
$$;

ALTER FUNCTION internal.wait_for_generation(p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.wait_for_generation(p_now timestamp with time zone) IS 'Waits for the batch of the tenant''s pings that is being made just now, and holds the next until this transaction ends: it has read the connections and times as they were, so its pings must be there before anybody changes them.';

CREATE FUNCTION internal.waiting_deliveries(p_now timestamp with time zone) RETURNS TABLE(channel text, oldest_at timestamp with time zone)
    LANGUAGE plpgsql STABLE
    AS $$
#variable_conflict use_column
declare
  v_deleted integer[] := array(select tenant_id from kith.tenants where deleted_at is not null);
begin
  return query
  select known.channel, oldest.at
  from unnest(array['apns', 'web_push', 'email', 'sms']) as known (channel)
  cross join lateral (
    select v_deleted || array(select pause.tenant_id from kith.channel_pauses as pause where pause.channel = known.channel) as tenants
  ) as passed
  cross join lateral (
    select coalesce(delivery.leased_until, delivery.next_attempt_at) as at
    from kith.deliveries as delivery
    where delivery.channel = known.channel and delivery.status in ('queued', 'sending')
      and coalesce(delivery.leased_until, delivery.next_attempt_at) <= p_now
      and delivery.tenant_id <> all (passed.tenants)
    order by coalesce(delivery.leased_until, delivery.next_attempt_at)
    limit 1
  ) as oldest
  where 0 <> all (passed.tenants);
end
$$;

ALTER FUNCTION internal.waiting_deliveries(p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.waiting_deliveries(p_now timestamp with time zone) IS 'Since when the oldest delivery of a channel could be on its way: no row where none could, because none is due or the channel is paused.';

CREATE FUNCTION internal.was_told(p_tenant_id integer, p_user_id uuid, p_type text, p_ping_on date, p_since timestamp with time zone) RETURNS boolean
    LANGUAGE plpgsql STABLE
    AS $$
begin
  return exists (
    select from kith.notifications
    where tenant_id = p_tenant_id and user_id = p_user_id and id >= internal.first_uuid7(p_since)
      and type = p_type and data ->> 'date' = p_ping_on::text
  );
end
$$;

ALTER FUNCTION internal.was_told(p_tenant_id integer, p_user_id uuid, p_type text, p_ping_on date, p_since timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.was_told(p_tenant_id integer, p_user_id uuid, p_type text, p_ping_on date, p_since timestamp with time zone) IS 'Whether a user has had a notification of a type about pings of a date since an instant. Asked only where a batch left something behind.';

CREATE FUNCTION internal.was_told_of_ping(p_tenant_id integer, p_user_id uuid, p_type text, p_ping_id uuid, p_since timestamp with time zone) RETURNS boolean
    LANGUAGE plpgsql STABLE
    AS $$
begin
  return exists (
    select from kith.notifications
    where tenant_id = p_tenant_id and user_id = p_user_id and id >= internal.first_uuid7(p_since)
      and type = p_type and data ->> 'ping_id' = p_ping_id::text
  );
end
$$;

ALTER FUNCTION internal.was_told_of_ping(p_tenant_id integer, p_user_id uuid, p_type text, p_ping_id uuid, p_since timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION internal.was_told_of_ping(p_tenant_id integer, p_user_id uuid, p_type text, p_ping_id uuid, p_since timestamp with time zone) IS 'Whether a user has had a notification of a type about this ping since an instant: who was alarmed is owed the all-clear.';

CREATE FUNCTION kith.caller() RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  select nullif(current_setting('kith.actor', true), '')
$$;

ALTER FUNCTION kith.caller() OWNER TO kith_owner;

COMMENT ON FUNCTION kith.caller() IS 'Who sent the request of this transaction: user:<id> or key:<api key id>; null for the worker and an operator.';

CREATE FUNCTION worker.alarm_operator(p_now timestamp with time zone, p_batch integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_resolved integer;
  v_moved integer;
begin
  with over as materialized (
    select alarm.tenant_id, alarm.notification_id
    from kith.undelivered_alarms as alarm
    left join kith.notifications as notification
      on notification.tenant_id = alarm.tenant_id and notification.id = alarm.notification_id
    cross join lateral internal.pointless(
      notification.tenant_id, notification.user_id, notification.type, notification.data, notification.read_at
    ) as pointless
    where alarm.resolved_at is null and (notification.id is null or pointless.reason is not null)
    order by alarm.at
    limit p_batch
    for update of alarm skip locked
  )
  update kith.undelivered_alarms as alarm
  set resolved_at = p_now
  from over
  where alarm.tenant_id = over.tenant_id and alarm.notification_id = over.notification_id;
  get diagnostics v_resolved = row_count;

  with waiting as materialized (
    select alarm.tenant_id, alarm.notification_id
    from kith.undelivered_alarms as alarm
    where alarm.resolved_at is null and alarm.webhook_told_at is null and alarm.operators_at is null
      and alarm.at <= p_now - interval '5 minutes'
    order by alarm.at
    limit p_batch
    for update skip locked
  )
  update kith.undelivered_alarms as alarm
  set operators_at = p_now
  from waiting
  where alarm.tenant_id = waiting.tenant_id and alarm.notification_id = waiting.notification_id;
  get diagnostics v_moved = row_count;
  return v_resolved + v_moved;
end
$$;

ALTER FUNCTION worker.alarm_operator(p_now timestamp with time zone, p_batch integer) OWNER TO kith_owner;

COMMENT ON FUNCTION worker.alarm_operator(p_now timestamp with time zone, p_batch integer) IS 'Makes undelivered alarms the operator''s that no webhook of the tenant has taken within 5 minutes, and ends those that are over: read in the app meanwhile, or answered. At most p_batch of each; returns how many. Definer: they are nobody''s to write.';

CREATE FUNCTION worker.announce_due_pings(p_now timestamp with time zone, p_batch integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_seqscan TO 'off'
    AS $$
declare
  v_deleted integer[] := array(select tenant_id from kith.tenants where deleted_at is not null);
  v_until_at timestamptz;
  v_until_tenant integer;
  v_until_sender uuid;
  v_changed integer;
begin
  if not pg_try_advisory_xact_lock(hashtext('worker.announce_due_pings')) then
    return 0;
  end if;

  -- Whole senders: with the last ping of the batch go all pings of its sender that come due at that instant.
  select ping.scheduled_at, ping.tenant_id, ping.sender_id into v_until_at, v_until_tenant, v_until_sender
  from kith.pings as ping
  where ping.status = 'scheduled' and ping.scheduled_at <= p_now
  order by ping.scheduled_at, ping.tenant_id, ping.sender_id
  offset p_batch - 1 limit 1;
  if not found then
    v_until_at := p_now;
    v_until_tenant := 2147483647;
    v_until_sender := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  end if;

  with claimed as materialized (
    -- A ping that is locked is being answered, cancelled or moved; what is left of it comes next time.
    select ping.tenant_id, ping.ping_on, ping.connection_id, ping.id, ping.sender_id, ping.receiver_id, ping.scheduled_at,
      ping.deadline_at
    from kith.pings as ping
    where ping.status = 'scheduled'
      and (ping.scheduled_at, ping.tenant_id, ping.sender_id) <= (v_until_at, v_until_tenant, v_until_sender)
    for update skip locked
  ), judged as materialized (
    -- A pause or removal at the moment of generation leaves a ping behind that nobody waits for.
    select claimed.*, connection.status = 'active' as is_told,
      connection.status in ('active', 'pending') and claimed.tenant_id <> all (v_deleted) as is_live,
      -- A sign of life since its time, which found no ping yet: the worker was late, or the connection is newer.
      case
        when sender.last_check_in_at >= claimed.scheduled_at and sender.last_check_in_at < claimed.deadline_at
          and connection.status in ('active', 'pending') and claimed.tenant_id <> all (v_deleted)
          then sender.last_check_in_at
      end as answered_at
    from claimed
    join kith.connections as connection on connection.tenant_id = claimed.tenant_id and connection.id = claimed.connection_id
    join kith.sender_profiles as sender on sender.tenant_id = claimed.tenant_id and sender.user_id = claimed.sender_id
  ), changed as (
    -- Due even where the deadline is past already, so that it can be judged; but then there is nothing to remind of.
    update kith.pings as ping
    set status = case when judged.answered_at is not null then 'completed' when judged.is_live then 'due' else 'cancelled' end,
      remind_at = case when judged.is_live and judged.answered_at is null and judged.deadline_at > p_now then ping.remind_at end,
      completed_at = judged.answered_at,
      check_in_id = case
        when judged.answered_at is not null then (
          select check_in.id
          from kith.check_ins as check_in
          where check_in.tenant_id = judged.tenant_id and check_in.user_id = judged.sender_id
            and check_in.received_at = judged.answered_at
          order by check_in.id
          limit 1
        )
      end
    from judged
    where ping.tenant_id = judged.tenant_id and ping.ping_on = judged.ping_on and ping.connection_id = judged.connection_id
    returning 1
  ), told as (
    insert into kith.notifications (tenant_id, id, user_id, type, title, body, data, created_at, deliver_at)
    select news.tenant_id, internal.uuid7(p_now), news.sender_id, 'ping_due', internal.notification_title('ping_due'),
      internal.notification_body('ping_due', 'sender', null),
      jsonb_build_object('connection_id', news.connection_id, 'ping_id', news.id, 'date', news.ping_on), p_now,
      news.scheduled_at + internal.place_in_minute(news.sender_id)
    from (
      select distinct on (judged.tenant_id, judged.sender_id, judged.ping_on) judged.*
      from judged
      where judged.is_live and judged.is_told and judged.answered_at is null and judged.deadline_at > p_now
      order by judged.tenant_id, judged.sender_id, judged.ping_on, judged.connection_id
    ) as news
    -- What was locked last time comes alone now; its sender knows. A sibling that P13 made due told nobody, hence both.
    where not (
      exists (
        select from kith.pings as sibling
        where sibling.tenant_id = news.tenant_id and sibling.ping_on = news.ping_on and sibling.sender_id = news.sender_id
          and sibling.status = 'due'
      )
      and internal.was_told(news.tenant_id, news.sender_id, 'ping_due', news.ping_on, news.scheduled_at)
    )
    union all
    select judged.tenant_id, internal.uuid7(p_now), judged.receiver_id, 'ping_completed',
      internal.notification_title('ping_completed'),
      internal.notification_body('ping_completed', 'receiver', sender.display_name),
      jsonb_build_object('connection_id', judged.connection_id, 'ping_id', judged.id, 'date', judged.ping_on), p_now, null
    from judged
    join kith.users as sender on sender.tenant_id = judged.tenant_id and sender.id = judged.sender_id
    where judged.answered_at is not null and judged.is_told
  )
  select count(*) into v_changed from changed;
  return v_changed;
end
$$;

ALTER FUNCTION worker.announce_due_pings(p_now timestamp with time zone, p_batch integer) OWNER TO kith_owner;

COMMENT ON FUNCTION worker.announce_due_pings(p_now timestamp with time zone, p_batch integer) IS 'Makes the pings due whose scheduled time has come, and tells each sender once for a date, to be delivered in the minute that follows; one that a sign of life has answered already is completed. Pending connections tell nobody (P29). Whole senders, at least p_batch pings where there are so many; one worker at a time. Returns pings changed. Definer: notifications are written with their cause and by nobody else.';

CREATE FUNCTION worker.beat(p_component text, p_instance text, p_started_at timestamp with time zone, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  perform internal.record_beat(p_component, p_instance, p_started_at, p_now);
end
$$;

ALTER FUNCTION worker.beat(p_component text, p_instance text, p_started_at timestamp with time zone, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION worker.beat(p_component text, p_instance text, p_started_at timestamp with time zone, p_now timestamp with time zone) IS 'A sign of life; every 5 seconds or so, and before the first loop after a start. A minute without any is an outage.';

CREATE FUNCTION worker.channel_credentials(p_tenant_id integer, p_channel text) RETURNS TABLE(sealed bytea, updated_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  return query
  select credentials.sealed, credentials.updated_at
  from kith.channel_credentials as credentials
  where credentials.tenant_id = p_tenant_id and credentials.channel = p_channel;
end
$$;

ALTER FUNCTION worker.channel_credentials(p_tenant_id integer, p_channel text) OWNER TO kith_owner;

COMMENT ON FUNCTION worker.channel_credentials(p_tenant_id integer, p_channel text) IS 'By which provider a tenant''s messages leave on a channel, sealed, and since when; no row without. Definer: credentials are nobody''s to read at large.';

CREATE FUNCTION worker.claim_deliveries(p_now timestamp with time zone, p_channel text, p_batch integer, p_share integer, p_after_tenant integer, p_busy integer[], p_instance text) RETURNS TABLE(tenant_id integer, id uuid, channel text, purpose text, address text, subject text, body text, sealed_secret bytea, data text, collapse_id text, is_urgent boolean, attempts integer, expires_at timestamp with time zone, public_key text, auth_secret text, environment text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_seqscan TO 'off'
    AS $$
#variable_conflict use_column
declare
  v_skipped integer[] := coalesce(p_busy, '{}')
    || array(select pause.tenant_id from kith.channel_pauses as pause where pause.channel = p_channel)
    || array(select tenant.tenant_id from kith.tenants as tenant where tenant.deleted_at is not null);
  v_tenant integer := coalesce(p_after_tenant, 0);
  v_is_round boolean := false;
  v_share integer;
  v_found uuid[];
  v_tenants integer[] := '{}';
  v_ids uuid[] := '{}';
  v_returned integer;
  v_dropped_tenants integer[];
  v_dropped uuid[];
begin
  if 0 = any (v_skipped) or not exists (
    select from kith.deliveries as delivery
    where delivery.channel = p_channel and delivery.status in ('queued', 'sending')
      and coalesce(delivery.leased_until, delivery.next_attempt_at) <= p_now
  ) then
    return;
  end if;

  -- From tenant to tenant, each one's next in the index: as many tenants as have something, and however much one has.
  loop
    select delivery.tenant_id into v_tenant
    from kith.deliveries as delivery
    where delivery.channel = p_channel and delivery.status in ('queued', 'sending') and delivery.tenant_id > v_tenant
    order by delivery.tenant_id
    limit 1;
    if v_tenant is null and not v_is_round then
      v_is_round := true;
      v_tenant := 0;
      continue;
    end if;
    exit when v_tenant is null or v_is_round and v_tenant > coalesce(p_after_tenant, 0);
    continue when v_tenant = any (v_skipped);
    v_share := least(p_share, p_batch - cardinality(v_ids));
    for v_urgency in reverse 1..0 loop
      v_found := array(
        select delivery.id
        from kith.deliveries as delivery
        where delivery.channel = p_channel and delivery.tenant_id = v_tenant and delivery.status in ('queued', 'sending')
          and delivery.is_urgent = (v_urgency = 1) and coalesce(delivery.leased_until, delivery.next_attempt_at) <= p_now
          and delivery.expires_at > p_now
        order by coalesce(delivery.leased_until, delivery.next_attempt_at)
        limit v_share
        for update skip locked
      );
      v_share := v_share - cardinality(v_found);
      v_ids := v_ids || v_found;
      v_tenants := v_tenants || array_fill(v_tenant, array[cardinality(v_found)]);
      exit when v_share <= 0;
    end loop;
    exit when cardinality(v_ids) >= p_batch;
  end loop;
  if v_ids = '{}' then
    return;
  end if;

  return query
    with picked as materialized (
      select delivery.tenant_id, delivery.id, delivery.notification_id, delivery.channel, notification.title, notification.body,
        notification.type, notification.data, device.token, device.public_key, device.auth_secret, device.environment,
        case
          when delivery.notification_id is null then null
          when notification.id is null then 'the notification is gone'
          when delivery.channel in ('apns', 'web_push') and device.token is null then 'the device is gone'
          else pointless.reason
        end as dropped_for
      from unnest(v_tenants, v_ids) as found (tenant_id, id)
      join kith.deliveries as delivery on delivery.tenant_id = found.tenant_id and delivery.id = found.id
      left join kith.notifications as notification
        on notification.tenant_id = delivery.tenant_id and notification.id = delivery.notification_id
      -- A phone that changed hands is another's: a token counts for the user whom the notification is for.
      left join kith.devices as device
        on delivery.channel in ('apns', 'web_push') and device.tenant_id = delivery.tenant_id and device.token = delivery.address
          and device.user_id = notification.user_id
      cross join lateral internal.pointless(
        notification.tenant_id, notification.user_id, notification.type, notification.data, notification.read_at
      ) as pointless
    ), locked as materialized (
      -- What is dropped changes its notification. Where somebody else is at that, it is dropped another time.
      select picked.tenant_id, picked.id
      from picked
      join kith.notifications as notification
        on notification.tenant_id = picked.tenant_id and notification.id = picked.notification_id
      where picked.dropped_for is not null
      for no key update of notification skip locked
    ), changed as (
      update kith.deliveries as delivery
      set status = case when picked.dropped_for is null then 'sending' else 'dropped' end,
        attempts = delivery.attempts + case when picked.dropped_for is null then 1 else 0 end,
        error = coalesce(picked.dropped_for, delivery.error),
        leased_until = case when picked.dropped_for is null then p_now + interval '1 minute' end,
        leased_by = case when picked.dropped_for is null then p_instance end
      from picked
      left join locked on locked.tenant_id = picked.tenant_id and locked.id = picked.id
      where delivery.tenant_id = picked.tenant_id and delivery.id = picked.id
        and (picked.dropped_for is null or picked.type is null or locked.id is not null)
      returning delivery.tenant_id, delivery.id, delivery.channel, delivery.purpose, delivery.address,
        case when picked.type is null then delivery.subject else picked.title end as subject,
        case
          when picked.type is null then delivery.body
          -- A text message has no subject.
          when delivery.channel = 'sms' then picked.title || ': ' || picked.body
          else picked.body
        end as body,
        delivery.sealed_secret,
        jsonb_build_object('notification_id', delivery.notification_id, 'type', picked.type) || picked.data as data,
        picked.data as of_notification, delivery.is_urgent, delivery.attempts, delivery.expires_at, picked.public_key,
        picked.auth_secret, picked.environment, picked.dropped_for, delivery.notification_id
    )
    select changed.tenant_id, changed.id, changed.channel, changed.purpose, changed.address, changed.subject, changed.body,
      changed.sealed_secret, changed.data::text,
      -- What is newer of the same ping or vault takes the place of what is older.
      replace(coalesce(changed.of_notification ->> 'ping_id', changed.of_notification ->> 'vault_id', changed.notification_id::text), '-', ''),
      changed.is_urgent, changed.attempts, changed.expires_at, changed.public_key, changed.auth_secret, changed.environment
    from changed
    where changed.dropped_for is null;
  get diagnostics v_returned = row_count;

  if v_returned < cardinality(v_ids) then
    select array_agg(delivery.tenant_id), array_agg(delivery.notification_id) into v_dropped_tenants, v_dropped
    from unnest(v_tenants, v_ids) as found (tenant_id, id)
    join kith.deliveries as delivery
      on delivery.tenant_id = found.tenant_id and delivery.id = found.id and delivery.status = 'dropped';
    if v_dropped is not null then
      perform internal.settle_notifications(v_dropped_tenants, v_dropped, p_now);
      perform internal.count_deliveries(
        p_instance, jsonb_build_array(jsonb_build_object('channel', p_channel, 'dropped', cardinality(v_dropped)))
      );
    end if;
  end if;
end
$$;

ALTER FUNCTION worker.claim_deliveries(p_now timestamp with time zone, p_channel text, p_batch integer, p_share integer, p_after_tenant integer, p_busy integer[], p_instance text) OWNER TO kith_owner;

COMMENT ON FUNCTION worker.claim_deliveries(p_now timestamp with time zone, p_channel text, p_batch integer, p_share integer, p_after_tenant integer, p_busy integer[], p_instance text) IS 'Takes the deliveries of a channel that are due for a minute and counts the attempt; several workers take different ones. After the minute they are anybody''s again: a worker that died in between may have sent some, so the channel may see one twice, with the same id. From one tenant to the next, beginning after p_after_tenant and going round, at most p_share of each and p_batch in all, what is urgent first; none of the tenants p_busy, nor of a paused channel. What has become pointless is dropped instead (F04, internal.pointless), and so is what was for a device that is gone. Definer: see above.';

CREATE FUNCTION worker.drop_expired_deliveries(p_now timestamp with time zone, p_batch integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_seqscan TO 'off'
    AS $$
declare
  v_dropped integer;
  v_invitations jsonb;
  v_totals jsonb;
  v_tenants integer[];
  v_notifications uuid[];
begin
  with expired as materialized (
    select delivery.tenant_id, delivery.id, delivery.notification_id
    from kith.deliveries as delivery
    where delivery.status in ('queued', 'sending') and delivery.expires_at <= p_now
      and coalesce(delivery.leased_until, p_now) <= p_now
    order by delivery.expires_at
    limit p_batch
    for update skip locked
  ), locked as materialized (
    -- Where somebody else is at the notification, its delivery is dropped another time.
    select expired.tenant_id, expired.id
    from expired
    join kith.notifications as notification
      on notification.tenant_id = expired.tenant_id and notification.id = expired.notification_id
    for no key update of notification skip locked
  ), dropped as (
    update kith.deliveries as delivery
    set status = 'dropped', error = coalesce(delivery.error || '; ', '') || 'expired', sealed_secret = null, leased_until = null,
      leased_by = null
    from expired
    where delivery.tenant_id = expired.tenant_id and delivery.id = expired.id
      and (
        expired.notification_id is null
        or exists (select from locked where locked.tenant_id = expired.tenant_id and locked.id = expired.id)
        or not exists (
          select from kith.notifications as notification
          where notification.tenant_id = expired.tenant_id and notification.id = expired.notification_id
        )
      )
    returning delivery.tenant_id, delivery.id, delivery.channel, delivery.purpose, delivery.notification_id
  )
  select
    (select count(*) from dropped),
    (
      select jsonb_agg(jsonb_build_object('tenant_id', tenant_id, 'id', id, 'status', 'dropped')) from dropped where purpose = 'invitation'
    ),
    (
      select jsonb_agg(jsonb_build_object('channel', channel, 'dropped', ended))
      from (select channel, count(*) as ended from dropped group by channel) as counted
    ),
    (select array_agg(tenant_id) from dropped where notification_id is not null),
    (select array_agg(notification_id) from dropped where notification_id is not null)
  into v_dropped, v_invitations, v_totals, v_tenants, v_notifications;
  if v_invitations is not null then
    perform internal.settle_invitations(v_invitations, p_now);
  end if;
  if v_notifications is not null then
    perform internal.settle_notifications(v_tenants, v_notifications, p_now);
  end if;
  if v_totals is not null then
    perform internal.count_deliveries('', v_totals);
  end if;
  return v_dropped;
end
$$;

ALTER FUNCTION worker.drop_expired_deliveries(p_now timestamp with time zone, p_batch integer) OWNER TO kith_owner;

COMMENT ON FUNCTION worker.drop_expired_deliveries(p_now timestamp with time zone, p_batch integer) IS 'Drops what nobody needs any more, such as a code that has expired, once no worker is at it. Returns how many. Definer: see above.';

CREATE FUNCTION worker.find_gaps(p_now timestamp with time zone, p_batch integer) RETURNS integer
    LANGUAGE plpgsql
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
declare
  v_found integer;
begin
  if not pg_try_advisory_xact_lock(hashtext('worker.find_gaps')) then
    return 0;
  end if;
  perform internal.analyze_new_tables();

  -- A zone whose chain of runs has broken would have no pings at all, and nothing would be late.
  insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at)
  select used.tenant_id, used.time_zone, today.ping_on, internal.midnight(today.ping_on, used.time_zone)
  from (select distinct tenant_id, time_zone from kith.sender_profiles) as used
  cross join lateral (select internal.local_date(p_now, used.time_zone) as ping_on offset 0) as today
  where not exists (
    select from kith.ping_runs as run
    where run.tenant_id = used.tenant_id and run.time_zone = used.time_zone and run.ping_on >= today.ping_on
  )
  on conflict do nothing;

  with bare as materialized (
    select run.tenant_id, run.time_zone, run.ping_on, run.skipped, run.finished_at, connection.id, connection.sender_id,
      connection.receiver_id, sender.ping_time, sender.grace_minutes, sender.reminder_minutes,
      greatest(connection.activated_at, sender.timed_at) as wanted_at
    from kith.ping_runs as run
    join kith.tenants as tenant on tenant.tenant_id = run.tenant_id and tenant.deleted_at is null
    join kith.sender_profiles as sender on sender.tenant_id = run.tenant_id and sender.time_zone = run.time_zone
    join kith.connections as connection
      on connection.tenant_id = sender.tenant_id and connection.sender_id = sender.user_id
      and connection.status in ('active', 'pending') and connection.pings_stopped_at is null
    where run.starts_at > p_now - interval '2 days' and run.starts_at <= p_now
      and run.ping_on = internal.local_date(p_now, run.time_zone)
      and (run.ping_on between sender.break_from_on and sender.break_until_on) is not true
      -- What the run has not come to yet is late, which readiness tells, and no gap.
      and (run.finished_at is not null or sender.user_id <= run.cursor_sender_id)
      and not exists (
        select from kith.pings as ping
        where ping.tenant_id = run.tenant_id and ping.ping_on = run.ping_on and ping.connection_id = connection.id
      )
  ), missing as materialized (
    select bare.*, time.scheduled_at,
      time.scheduled_at + make_interval(mins => bare.grace_minutes - bare.reminder_minutes) as remind_at,
      time.scheduled_at + make_interval(mins => bare.grace_minutes) as deadline_at
    from bare
    cross join lateral (
      select internal.local_instant(bare.ping_on, bare.ping_time, bare.time_zone) as scheduled_at offset 0
    ) as time
    -- The reasons there may be, besides a break and a lapsed subscription: connected, resumed or timed anew after the deadline;
    -- or the run came too late, and says so.
    where bare.wanted_at < time.scheduled_at + make_interval(mins => bare.grace_minutes)
      and not (bare.skipped > 0 and bare.finished_at >= time.scheduled_at + make_interval(mins => bare.grace_minutes))
      and not exists (
        select from kith.ping_gaps as gap
        where gap.tenant_id = bare.tenant_id and gap.ping_on = bare.ping_on and gap.connection_id = bare.id
      )
    limit p_batch
  ), mended as (
    -- Scheduled, whatever the hour: the sender is not at the screen, so it is to be announced.
    insert into kith.pings
      (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, remind_at, deadline_at)
    select tenant_id, ping_on, id, internal.uuid7(p_now), sender_id, receiver_id, 'scheduled', scheduled_at, remind_at,
      deadline_at
    from missing
    where deadline_at > p_now
    on conflict do nothing
  )
  insert into kith.ping_gaps (tenant_id, ping_on, connection_id, found_at, mended)
  select tenant_id, ping_on, id, p_now, deadline_at > p_now
  from missing
  on conflict do nothing;
  get diagnostics v_found = row_count;
  return v_found;
end
$$;

ALTER FUNCTION worker.find_gaps(p_now timestamp with time zone, p_batch integer) OWNER TO kith_owner;

COMMENT ON FUNCTION worker.find_gaps(p_now timestamp with time zone, p_batch integer) IS 'The hourly check (X25): live connections without a ping for their sender''s local date and without a reason for that. Mends those whose deadline is ahead, records each, and begins chains of runs that have broken. Returns the gaps found, at most p_batch.';

CREATE FUNCTION worker.finish_deliveries(p_now timestamp with time zone, p_instance text, p_results jsonb) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_seqscan TO 'off'
    AS $_$
declare
  v_finished integer;
  v_invitations jsonb;
  v_totals jsonb;
  v_sent_tenants integer[];
  v_sent uuid[];
  v_lost_tenants integer[];
  v_lost uuid[];
begin
  if jsonb_path_exists(p_results, '$[*] ? (@.outcome == "gone")') then
    -- One that its app has registered anew since stays. The user comes before deliveries, so nobody is waited for here.
    delete from kith.devices as device
    using (
      select device.tenant_id, device.token
      from jsonb_to_recordset(p_results) as result (tenant_id integer, id uuid, outcome text)
      join kith.deliveries as delivery
        on delivery.tenant_id = result.tenant_id and delivery.id = result.id and delivery.leased_by = p_instance
          and delivery.channel in ('apns', 'web_push')
      join kith.devices as device
        on device.tenant_id = delivery.tenant_id and device.token = delivery.address
          and device.last_seen_at < delivery.leased_until - interval '1 minute'
      where result.outcome = 'gone'
      for update of device skip locked
    ) as gone
    where device.tenant_id = gone.tenant_id and device.token = gone.token;
  end if;

  -- In the order of README.md: messages with a text of their own, notifications, and then what tells of these. Each in one order,
  -- because whoever ends an account changes several.
  perform from jsonb_to_recordset(p_results) as result (tenant_id integer, id uuid)
  join kith.deliveries as delivery
    on delivery.tenant_id = result.tenant_id and delivery.id = result.id and delivery.notification_id is null
  order by delivery.tenant_id, delivery.id
  for no key update of delivery;
  perform from jsonb_to_recordset(p_results) as result (tenant_id integer, id uuid)
  join kith.deliveries as delivery
    on delivery.tenant_id = result.tenant_id and delivery.id = result.id and delivery.notification_id is not null
  join kith.notifications as notification
    on notification.tenant_id = delivery.tenant_id and notification.id = delivery.notification_id
  order by notification.tenant_id, notification.id
  for no key update of notification;
  perform from jsonb_to_recordset(p_results) as result (tenant_id integer, id uuid)
  join kith.deliveries as delivery
    on delivery.tenant_id = result.tenant_id and delivery.id = result.id and delivery.notification_id is not null
  order by delivery.tenant_id, delivery.id
  for no key update of delivery;

  with result as materialized (
    select result.*, result.outcome = 'retry' as is_retry
    from jsonb_to_recordset(p_results) as result (
      tenant_id integer, id uuid, outcome text, error text, retry_after double precision, provider_id text
    )
  ), finished as (
    update kith.deliveries as delivery
    set
      status = case
        when result.outcome = 'sent' then 'sent'
        when result.is_retry and delivery.attempts < internal.attempts_allowed(delivery.purpose) then 'queued'
        else 'failed'
      end,
      sent_at = case when result.outcome = 'sent' then p_now end,
      error = result.error,
      provider_id = coalesce(result.provider_id, delivery.provider_id),
      -- Never past its end, so that it is looked at once more and dropped.
      next_attempt_at = least(
        p_now + greatest(
          internal.retry_delay(delivery.id, delivery.attempts), make_interval(secs => least(coalesce(result.retry_after, 0), 1000000))
        ),
        delivery.expires_at
      ),
      sealed_secret = case
        when result.is_retry and delivery.attempts < internal.attempts_allowed(delivery.purpose) then delivery.sealed_secret
      end,
      leased_until = null, leased_by = null
    from result
    where delivery.tenant_id = result.tenant_id and delivery.id = result.id
      -- That it was sent is true also when the lease had ended meanwhile; anything else is then for whoever has it now to say.
      and (delivery.leased_by = p_instance or result.outcome = 'sent' and delivery.status <> 'sent')
    returning delivery.tenant_id, delivery.id, delivery.channel, delivery.purpose, delivery.notification_id, delivery.status,
      delivery.is_urgent, delivery.attempts
  )
  select
    (select count(*) from finished),
    (
      select jsonb_agg(jsonb_build_object('tenant_id', tenant_id, 'id', id, 'status', status))
      from finished
      where purpose = 'invitation' and status in ('sent', 'failed')
    ),
    (
      select jsonb_agg(
        jsonb_build_object(
          'channel', channel,
          case status when 'queued' then 'retried' else status end, ended
        )
      )
      from (select channel, status, count(*) as ended from finished group by channel, status) as counted
    ),
    (select array_agg(tenant_id) from finished where notification_id is not null and status = 'sent'),
    (select array_agg(notification_id) from finished where notification_id is not null and status = 'sent'),
    -- The third failure of what is urgent, also while it goes on trying: another channel may be quicker.
    (
      select array_agg(tenant_id) from finished
      where notification_id is not null and (status = 'failed' or status = 'queued' and is_urgent and attempts = 3)
    ),
    (
      select array_agg(notification_id) from finished
      where notification_id is not null and (status = 'failed' or status = 'queued' and is_urgent and attempts = 3)
    )
  into v_finished, v_invitations, v_totals, v_sent_tenants, v_sent, v_lost_tenants, v_lost;

  if v_invitations is not null then
    perform internal.settle_invitations(v_invitations, p_now);
  end if;
  if v_sent is not null then
    update kith.notifications as notification
    set delivery_status = 'sent', sent_at = p_now, escalates_at = null
    from unnest(v_sent_tenants, v_sent) as sent (tenant_id, id)
    where notification.tenant_id = sent.tenant_id and notification.id = sent.id and notification.delivery_status <> 'sent';
    if exists (select from kith.undelivered_alarms where resolved_at is null) then
      update kith.undelivered_alarms as alarm
      set resolved_at = p_now
      from unnest(v_sent_tenants, v_sent) as sent (tenant_id, id)
      where alarm.tenant_id = sent.tenant_id and alarm.notification_id = sent.id and alarm.resolved_at is null;
    end if;
  end if;
  if v_lost is not null then
    perform internal.settle_notifications(v_lost_tenants, v_lost, p_now);
  end if;
  if v_totals is not null then
    perform internal.count_deliveries(p_instance, v_totals);
  end if;
  return v_finished;
end
$_$;

ALTER FUNCTION worker.finish_deliveries(p_now timestamp with time zone, p_instance text, p_results jsonb) OWNER TO kith_owner;

COMMENT ON FUNCTION worker.finish_deliveries(p_now timestamp with time zone, p_instance text, p_results jsonb) IS 'Records what became of deliveries that the instance claimed: an array of {tenant_id, id, outcome: sent, retry, failed or gone, error?, retry_after? in seconds, provider_id?}. gone: the push service says that there is no such device, which is forgotten then (A05). Tried again later and later, and not before the other side said; given up after internal.attempts_allowed. The notification is sent with the first delivery that was, failed when none is left; an alarm takes other channels first (F07). Returns how many it recorded. Definer: see above.';

CREATE FUNCTION worker.generate_daily_pings(p_now timestamp with time zone, p_batch integer) RETURNS integer
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
  c_first_id constant uuid := '00000000-0000-0000-0000-000000000000';
  c_last_id constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  -- The time and the version of a UUID version 7, and the date, of which one call may make several; the rest comes from the
  -- connection's, which is as random and costs nothing.
  v_id_time bytea := substring(uuid_send(internal.uuid7(p_now)) for 7);
  v_id_prefix bytea;
  v_room integer := p_batch;
  v_done integer := 0;
  v_tenant integer := 0;
  v_zone text := '';
  v_date date := '-infinity';
  v_midnight timestamptz := '-infinity';
  v_cursor uuid;
  v_is_deleted boolean;
  v_from uuid;
  v_until uuid;
  v_is_plain boolean;
  v_is_last boolean;
  v_next_date date;
  v_next_midnight timestamptz;
  v_created bigint;
  v_skipped bigint;
begin
  -- A commit that a crash undoes takes the cursor back with its pings, and they are made again: no need to wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  perform internal.analyze_new_tables();

  -- A run costs as much as a ping of its own, so that a batch over many small tenants ends too.
  while v_room > 0 loop
    -- The next one after the last: those that this transaction has finished would otherwise be walked over again each time.
    select run.tenant_id, run.time_zone, run.ping_on, run.starts_at, run.cursor_sender_id, tenant.deleted_at is not null
    into v_tenant, v_zone, v_date, v_midnight, v_cursor, v_is_deleted
    from kith.ping_runs as run
    join kith.tenants as tenant on tenant.tenant_id = run.tenant_id
    where run.finished_at is null and run.starts_at <= p_now
      and (run.starts_at, run.tenant_id, run.time_zone, run.ping_on) > (v_midnight, v_tenant, v_zone, v_date)
    order by run.starts_at, run.tenant_id, run.time_zone, run.ping_on
    limit 1
    for update of run skip locked;
    exit when not found;

    -- The day after, or the one after that where the zone skipped a date.
    v_next_date := v_date;
    loop
      v_next_date := v_next_date + 1;
      v_next_midnight := internal.midnight(v_next_date, v_zone);
      exit when v_next_midnight is not null;
    end loop;

    v_created := 0;
    v_skipped := 0;
    v_id_prefix := v_id_time || substring(int4send(v_date - date '2000-01-01') from 4);
    if v_is_deleted then
      v_is_last := true;
    else
      v_from := coalesce(v_cursor, c_first_id);
      select profile.user_id into v_until
      from kith.sender_profiles as profile
      where profile.tenant_id = v_tenant and profile.time_zone = v_zone and profile.user_id > v_from
      order by profile.user_id
      offset v_room - 1 limit 1;
      v_is_last := v_until is null;
      v_until := coalesce(v_until, c_last_id);

      -- The plain case, a million times a day: no jump of the clocks that day, and nobody's deadline is past yet (no grace is
      -- shorter than 5 minutes). Then the local times are plain arithmetic, and nobody is skipped.
      v_is_plain := v_next_date = v_date + 1 and v_next_midnight = v_midnight + interval '24 hours';
      if v_is_plain and p_now >= v_midnight + interval '5 minutes' then
        v_is_plain := not exists (
          select from kith.sender_profiles as profile
          where profile.tenant_id = v_tenant and profile.time_zone = v_zone
            and profile.user_id > v_from and profile.user_id <= v_until
            and v_midnight + profile.ping_time + make_interval(mins => profile.grace_minutes) <= p_now
        );
      end if;

      if v_is_plain then
        begin
          insert into kith.pings
            (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, remind_at, deadline_at)
          select v_tenant, v_date, connection.id,
            encode(overlay(uuid_send(connection.id) placing v_id_prefix from 1 for 8), 'hex')::uuid,
            connection.sender_id, connection.receiver_id, 'scheduled', v_midnight + profile.ping_time,
            v_midnight + profile.ping_time + make_interval(mins => profile.grace_minutes - profile.reminder_minutes),
            v_midnight + profile.ping_time + make_interval(mins => profile.grace_minutes)
          from kith.sender_profiles as profile
          join kith.connections as connection
            on connection.tenant_id = v_tenant and connection.sender_id = profile.user_id
            and connection.status in ('active', 'pending') and connection.pings_stopped_at is null
          where profile.tenant_id = v_tenant and profile.time_zone = v_zone
            and profile.user_id > v_from and profile.user_id <= v_until
            and (v_date between profile.break_from_on and profile.break_until_on) is not true;
          get diagnostics v_created = row_count;
        exception when unique_violation then
          -- Somebody connected, resumed or changed the times since midnight, and P13 made the ping. To look out for that in
          -- every row (`on conflict`) would cost a tenth of the whole.
          v_is_plain := false;
        end;
      end if;

      if not v_is_plain then
        with planned as materialized (
          select connection.id, connection.sender_id, connection.receiver_id, time.scheduled_at,
            time.scheduled_at + make_interval(mins => profile.grace_minutes - profile.reminder_minutes) as remind_at,
            time.scheduled_at + make_interval(mins => profile.grace_minutes) as deadline_at,
            greatest(profile.timed_at, connection.activated_at) as wanted_at
          from kith.sender_profiles as profile
          cross join lateral (
            select internal.local_instant(v_date, profile.ping_time, v_zone) as scheduled_at offset 0
          ) as time
          join kith.connections as connection
            on connection.tenant_id = v_tenant and connection.sender_id = profile.user_id
            and connection.status in ('active', 'pending') and connection.pings_stopped_at is null
          where profile.tenant_id = v_tenant and profile.time_zone = v_zone
            and profile.user_id > v_from and profile.user_id <= v_until
            and (v_date between profile.break_from_on and profile.break_until_on) is not true
        ), made as (
          insert into kith.pings
            (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, remind_at, deadline_at)
          select v_tenant, v_date, planned.id, internal.uuid7(p_now), planned.sender_id, planned.receiver_id, 'scheduled',
            planned.scheduled_at, planned.remind_at, planned.deadline_at
          from planned
          where planned.deadline_at > p_now
          on conflict do nothing
          returning 1
        )
        -- Skipped is what came too late through our fault: not who connected or changed the times after the deadline.
        select (select count(*) from made), (
          select count(*)
          from planned
          where planned.deadline_at <= p_now and planned.wanted_at < planned.deadline_at
            and not exists (
              select from kith.pings as ping
              where ping.tenant_id = v_tenant and ping.ping_on = v_date and ping.connection_id = planned.id
            )
        )
        into v_created, v_skipped;
      end if;
    end if;

    update kith.ping_runs
    set cursor_sender_id = case when v_is_last then cursor_sender_id else v_until end,
      created = created + v_created,
      skipped = skipped + v_skipped,
      finished_at = case when v_is_last then p_now end
    where tenant_id = v_tenant and time_zone = v_zone and ping_on = v_date;

    if v_is_last then
      insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at)
      values (v_tenant, v_zone, v_next_date, v_next_midnight)
      on conflict do nothing;
    end if;

    v_room := v_room - v_created - 1;
    v_done := v_done + v_created + 1;
  end loop;
  -- The first pings of a month: whoever announces them next must know how many there are.
  if v_done > 0 then
    perform internal.analyze_new_tables();
  end if;
  return v_done;
end
$$;

ALTER FUNCTION worker.generate_daily_pings(p_now timestamp with time zone, p_batch integer) OWNER TO kith_owner;

COMMENT ON FUNCTION worker.generate_daily_pings(p_now timestamp with time zone, p_batch integer) IS 'One batch of daily pings: of the runs that are due the next senders, at most p_batch; senders on a break and connections whose receiver''s subscription has stopped them have none. Call it until it returns 0; several workers may. A crash repeats nothing and loses nothing: the cursor moves in the transaction that inserts (P28). Returns pings made plus runs advanced.';

CREATE FUNCTION worker.health(p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  return api.readiness(p_now);
end
$$;

ALTER FUNCTION worker.health(p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION worker.health(p_now timestamp with time zone) IS 'The same ages as /readyz tells, for the beat to the address outside. Definer: it counts over all tenants and shows none.';

CREATE FUNCTION worker.lock_expired_sessions(p_now timestamp with time zone, p_batch integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_session kith.vault_sessions;
  v_locked integer := 0;
begin
  for v_session in
    -- With its vault, as whoever else ends a session has it: an account that is ending is not told.
    select session.*
    from kith.vault_sessions as session
    join kith.vaults as vault on vault.tenant_id = session.tenant_id and vault.id = session.vault_id
    where session.locked_at is null and session.expires_at <= p_now
    order by session.expires_at
    limit p_batch
    for no key update skip locked
  loop
    perform internal.end_session(v_session, 'expired', null, p_now);
    v_locked := v_locked + 1;
  end loop;
  return v_locked;
end
$$;

ALTER FUNCTION worker.lock_expired_sessions(p_now timestamp with time zone, p_batch integer) OWNER TO kith_owner;

COMMENT ON FUNCTION worker.lock_expired_sessions(p_now timestamp with time zone, p_batch integer) IS 'Writes down which sessions of vaults have expired, and tells their nominees; access ended at expires_at whether or not this runs. At most p_batch; returns how many. Definer: notifications and history are nobody''s to write.';

CREATE FUNCTION worker.make_partitions(p_now timestamp with time zone) RETURNS integer
    LANGUAGE plpgsql
    AS $$
begin
  return internal.make_partitions(p_now);
end
$$;

ALTER FUNCTION worker.make_partitions(p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION worker.make_partitions(p_now timestamp with time zone) IS 'Makes the partitions of the months to come; to be called daily at least. Returns how many are new.';

CREATE FUNCTION worker.miss_pings(p_now timestamp with time zone, p_batch integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_seqscan TO 'off'
    AS $$
declare
  v_deleted integer[] := array(select tenant_id from kith.tenants where deleted_at is not null);
  v_judged_until timestamptz;
  v_until_at timestamptz;
  v_until_tenant integer;
  v_until_sender uuid;
  v_changed integer;
begin
  if not pg_try_advisory_xact_lock(hashtext('worker.miss_pings')) then
    return 0;
  end if;

  -- While Kith is away nobody can check in; and when it is back, people are told before their receivers are. Whether it is
  -- away watch_server says, which is not asked here: a worker with a clock of its own must not take that for an outage.
  if exists (select from kith.outages where ended_at is null) then
    return 0;
  end if;
  v_changed := internal.tell_senders_after_outage(p_now, p_batch);
  if v_changed is distinct from 0 then
    return coalesce(v_changed, 0);
  end if;

  -- An outage is one after a minute only; until then what a server has not lived to see is not judged. Where no server gives
  -- signs of life (a test, a clock of its own) there is nothing to go by.
  select least(p_now - interval '10 seconds', max(beat_at)) into v_judged_until
  from kith.heartbeats
  where component = 'server' and beat_at > p_now - interval '2 minutes' and beat_at < p_now + interval '2 minutes';
  -- What came to its deadline in an outage, or after one that ended less than 15 minutes ago, has until those are over.
  select least(v_judged_until, min(began_at)) into v_judged_until
  from kith.outages
  where ended_at > p_now - interval '15 minutes';

  select ping.deadline_at, ping.tenant_id, ping.sender_id into v_until_at, v_until_tenant, v_until_sender
  from kith.pings as ping
  where ping.status = 'due' and ping.deadline_at <= v_judged_until
  order by ping.deadline_at, ping.tenant_id, ping.sender_id
  offset p_batch - 1 limit 1;
  if not found then
    v_until_at := v_judged_until;
    v_until_tenant := 2147483647;
    v_until_sender := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  end if;

  with claimed as materialized (
    select ping.tenant_id, ping.ping_on, ping.connection_id, ping.id, ping.sender_id, ping.receiver_id, ping.deadline_at
    from kith.pings as ping
    where ping.status = 'due'
      and (ping.deadline_at, ping.tenant_id, ping.sender_id) <= (v_until_at, v_until_tenant, v_until_sender)
    for update skip locked
  ), judged as materialized (
    -- A pause or removal at the moment of generation leaves a ping behind that nobody waits for.
    select claimed.*, connection.status,
      connection.status in ('active', 'pending') and claimed.tenant_id <> all (v_deleted) as is_live
    from claimed
    join kith.connections as connection on connection.tenant_id = claimed.tenant_id and connection.id = claimed.connection_id
  ), changed as (
    update kith.pings as ping
    set status = case when judged.is_live then 'missed' else 'cancelled' end, remind_at = null
    from judged
    where ping.tenant_id = judged.tenant_id and ping.ping_on = judged.ping_on and ping.connection_id = judged.connection_id
    returning 1
  ), news as (
    select distinct on (judged.tenant_id, judged.sender_id, judged.ping_on) 'sender' as to_role, judged.sender_id as user_id,
      judged.*
    from judged
    where judged.is_live and judged.status = 'active'
      and not (
        exists (
          select from kith.pings as sibling
          where sibling.tenant_id = judged.tenant_id and sibling.ping_on = judged.ping_on and sibling.sender_id = judged.sender_id
            and sibling.status = 'missed'
        )
        and internal.was_told(judged.tenant_id, judged.sender_id, 'ping_missed', judged.ping_on, judged.deadline_at)
      )
    order by judged.tenant_id, judged.sender_id, judged.ping_on, judged.connection_id
  ), told as (
    insert into kith.notifications (tenant_id, id, user_id, type, title, body, data, created_at)
    -- The sender's id is a millisecond lower than the receivers': it is delivered first.
    select news.tenant_id, internal.uuid7(p_now), news.sender_id, 'ping_missed', internal.notification_title('ping_missed'),
      internal.notification_body('ping_missed', 'sender', null),
      jsonb_build_object('connection_id', news.connection_id, 'ping_id', news.id, 'date', news.ping_on), p_now
    from news
    union all
    select judged.tenant_id, internal.uuid7(p_now + interval '1 millisecond'), judged.receiver_id, 'ping_missed',
      internal.notification_title('ping_missed'),
      internal.notification_body('ping_missed', 'receiver', sender.display_name),
      jsonb_build_object('connection_id', judged.connection_id, 'ping_id', judged.id, 'date', judged.ping_on), p_now
    from judged
    join kith.users as sender on sender.tenant_id = judged.tenant_id and sender.id = judged.sender_id
    where judged.is_live and judged.status = 'active'
  )
  select count(*) into v_changed from changed;
  return v_changed;
end
$$;

ALTER FUNCTION worker.miss_pings(p_now timestamp with time zone, p_batch integer) OWNER TO kith_owner;

COMMENT ON FUNCTION worker.miss_pings(p_now timestamp with time zone, p_batch integer) IS 'Marks the due pings missed whose deadline is 10 seconds past, and tells the sender once for a date, then the receivers. Waits while Kith is away or silent, and for 15 minutes after that where people could not check in shortly before the deadline. Whole senders, one worker at a time. Returns pings changed. Definer: notifications are written with their cause and by nobody else.';

CREATE FUNCTION worker.note_channel(p_tenant_id integer, p_channel text, p_error text, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  -- Once a minute, unless it changes: a row is not written for each message.
  update kith.channel_credentials
  set checked_at = p_now, error = p_error
  where tenant_id = p_tenant_id and channel = p_channel
    and (error is distinct from p_error or checked_at is null or checked_at < p_now - interval '1 minute');
end
$$;

ALTER FUNCTION worker.note_channel(p_tenant_id integer, p_channel text, p_error text, p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION worker.note_channel(p_tenant_id integer, p_channel text, p_error text, p_now timestamp with time zone) IS 'Puts down that a tenant''s provider works (p_error null), or why it refuses the credentials: for the tenant and the operator to see. Definer: credentials are nobody''s to write.';

CREATE FUNCTION worker.operator_told(p_now timestamp with time zone, p_alarms jsonb) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_told integer;
begin
  update kith.undelivered_alarms as alarm
  set operator_told_at = p_now
  from jsonb_to_recordset(p_alarms) as told (tenant_id integer, id uuid)
  where alarm.tenant_id = told.tenant_id and alarm.notification_id = told.id and alarm.operator_told_at is null;
  get diagnostics v_told = row_count;
  return v_told;
end
$$;

ALTER FUNCTION worker.operator_told(p_now timestamp with time zone, p_alarms jsonb) OWNER TO kith_owner;

COMMENT ON FUNCTION worker.operator_told(p_now timestamp with time zone, p_alarms jsonb) IS 'Puts down that the address outside has taken these alarms, of worker.tell_operator. Returns how many. Definer: they are nobody''s to write.';

CREATE FUNCTION worker.plan_deliveries(p_now timestamp with time zone, p_batch integer, p_takes_all boolean) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_seqscan TO 'off'
    AS $$
declare
  v_planned integer;
  v_tenants integer[];
  v_undelivered uuid[];
begin
  with fresh as materialized (
    select notification.tenant_id, notification.id, notification.user_id, notification.type, notification.data,
      -- By its id what one event tells several people has an order: a sender hears of a miss before the receivers.
      greatest(coalesce(notification.deliver_at, notification.created_at), internal.instant_of_uuid7(notification.id)) as at
    from kith.notifications as notification
    where notification.planned_at is null and coalesce(notification.deliver_at, notification.created_at) <= p_now
    order by coalesce(notification.deliver_at, notification.created_at), notification.id
    limit p_batch
    for update skip locked
  ), overdue as materialized (
    select notification.tenant_id, notification.id, notification.user_id, notification.type, notification.data, notification.created_at,
      notification.read_at, notification.escalated_at
    from kith.notifications as notification
    where notification.escalates_at <= p_now
    order by notification.escalates_at
    limit p_batch
    for update skip locked
  ), claimed as materialized (
    select fresh.tenant_id, fresh.id, fresh.user_id, fresh.type, fresh.at, false as is_overdue, false as was_escalated,
      false as is_pointless,
      -- The ping whose deadline it serves.
      case when fresh.type in ('ping_due', 'ping_reminder') then (fresh.data ->> 'date')::date end as ping_on,
      case when fresh.type in ('ping_due', 'ping_reminder') then (fresh.data ->> 'connection_id')::uuid end as connection_id
    from fresh
    union all
    select overdue.tenant_id, overdue.id, overdue.user_id, overdue.type, overdue.created_at, true, overdue.escalated_at is not null,
      pointless.reason is not null, null, null
    from overdue
    cross join lateral internal.pointless(overdue.tenant_id, overdue.user_id, overdue.type, overdue.data, overdue.read_at) as pointless
  ), known as materialized (
    select type, breaks_through, channels, internal.is_alarm(type) as is_alarm from internal.notification_types()
  ), told as materialized (
    select claimed.*, known.breaks_through, known.is_alarm, coalesce(preference.channels, known.channels) as channels,
      case when account.email_verified_at is not null then account.email end as email,
      case when account.phone_verified_at is not null then account.phone end as phone,
      case
        when known.breaks_through or quiet.user_id is null then claimed.at
        else internal.quiet_until(greatest(claimed.at, p_now), quiet.starts_at, quiet.ends_at, account.time_zone)
      end as not_before,
      case
        -- After an outage of ours people are reminded of pings whose deadline is past, and wait for the next quarter of an hour.
        when claimed.ping_on is not null then greatest(ping.deadline_at, claimed.at + interval '15 minutes')
      end as deadline_at
    from claimed
    join kith.tenants as tenant on tenant.tenant_id = claimed.tenant_id and tenant.deleted_at is null
    join kith.users as account
      on account.tenant_id = claimed.tenant_id and account.id = claimed.user_id and account.deleted_at is null
    join known on known.type = claimed.type
    left join kith.notification_preferences as preference
      on preference.tenant_id = claimed.tenant_id and preference.user_id = claimed.user_id and preference.type = claimed.type
    left join kith.quiet_hours as quiet on quiet.tenant_id = claimed.tenant_id and quiet.user_id = claimed.user_id
    left join kith.pings as ping
      on ping.tenant_id = claimed.tenant_id and ping.ping_on = claimed.ping_on and ping.connection_id = claimed.connection_id
    where not claimed.is_pointless and not claimed.was_escalated
  ), way as (
    -- Of an alarm all ways there are, because it may have to take another than the wanted one.
    select told.*, way.channel, way.address, way.preference = any (told.channels) as is_wanted
    from told
    cross join lateral (
      select 'push' as preference, case device.platform when 'ios' then 'apns' else 'web_push' end as channel, device.token as address
      from kith.devices as device
      where device.tenant_id = told.tenant_id and device.user_id = told.user_id
        -- Nothing can be encrypted for a browser that has not given its keys.
        and (device.platform = 'ios' or device.public_key is not null)
      union all
      select 'email', 'email', told.email where told.email is not null
      union all
      select 'sms', 'sms', told.phone where told.phone is not null
    ) as way
    where (told.is_alarm or way.preference = any (told.channels))
      and (
        p_takes_all or exists (
          select from kith.channel_credentials as credentials
          where credentials.tenant_id = told.tenant_id and credentials.channel = way.channel
        )
      )
      and not (
        told.is_overdue and exists (
          select from kith.deliveries as delivery
          where delivery.tenant_id = told.tenant_id and delivery.notification_id = told.id and delivery.channel = way.channel
        )
      )
  ), chosen as (
    select way.*, bool_or(way.is_wanted) over (partition by way.tenant_id, way.id) as is_any_wanted from way
  ), written as (
    insert into kith.deliveries (
      tenant_id, id, channel, purpose, address, notification_id, is_urgent, next_attempt_at, expires_at, created_at
    )
    select written.tenant_id, internal.uuid7(p_now), written.channel, 'notification', written.address, written.id,
      written.breaks_through, written.not_before, written.expires_at, p_now
    from (
      select chosen.*, case
          when chosen.deadline_at is not null then chosen.deadline_at
          when chosen.breaks_through then chosen.at + interval '3 days'
          -- What waits for the morning has its day from then.
          else chosen.not_before + interval '1 day'
        end as expires_at
      from chosen
      where chosen.is_wanted or chosen.is_overdue or not chosen.is_any_wanted
    ) as written
    where written.expires_at > p_now
    order by written.not_before
    returning tenant_id, notification_id
  ), reached as materialized (
    select distinct tenant_id, notification_id from written
  ), judged as materialized (
    select claimed.tenant_id, claimed.id, claimed.is_overdue, reached.notification_id is not null as is_reached,
      coalesce(told.is_alarm, false) or claimed.was_escalated and not claimed.is_pointless as is_alarm
    from claimed
    left join told on told.tenant_id = claimed.tenant_id and told.id = claimed.id
    left join reached on reached.tenant_id = claimed.tenant_id and reached.notification_id = claimed.id
  ), planned as (
    update kith.notifications as notification
    set planned_at = coalesce(notification.planned_at, p_now),
      delivery_status = case
        when judged.is_reached or judged.is_alarm or judged.is_overdue then notification.delivery_status else 'dropped'
      end,
      escalates_at = case when judged.is_alarm and judged.is_reached then p_now + interval '10 minutes' end,
      escalated_at = case when judged.is_overdue then coalesce(notification.escalated_at, p_now) end
    from judged
    where notification.tenant_id = judged.tenant_id and notification.id = judged.id
    returning notification.tenant_id, notification.id, judged.is_alarm and not judged.is_reached as is_undelivered
  )
  select count(*), array_agg(planned.tenant_id) filter (where planned.is_undelivered),
    array_agg(planned.id) filter (where planned.is_undelivered)
  into v_planned, v_tenants, v_undelivered
  from planned;
  if v_undelivered is not null then
    perform internal.report_undelivered(v_tenants, v_undelivered, p_now);
  end if;
  return v_planned;
end
$$;

ALTER FUNCTION worker.plan_deliveries(p_now timestamp with time zone, p_batch integer, p_takes_all boolean) OWNER TO kith_owner;

COMMENT ON FUNCTION worker.plan_deliveries(p_now timestamp with time zone, p_batch integer, p_takes_all boolean) IS 'Decides by which channels people are told what was written, and writes a delivery for each: the channels that the user chose for the type or its default (F04), those that have an address and for which the tenant has credentials (p_takes_all: the worker has a way for every channel), not before quiet hours end unless the type breaks through. Nothing left: the notification is dropped, an alarm takes any other channel. An alarm that nothing has taken within 10 minutes goes by the other channels too, and 10 minutes later, or at once where there is none, it counts as undelivered (F07). At most p_batch of each; returns how many it judged. Definer: contacts and devices are not the worker''s to read, and the outbox is nobody''s to write.';

CREATE FUNCTION worker.remind_senders(p_now timestamp with time zone, p_batch integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_seqscan TO 'off'
    AS $$
declare
  v_deleted integer[] := array(select tenant_id from kith.tenants where deleted_at is not null);
  v_until_at timestamptz;
  v_until_tenant integer;
  v_until_sender uuid;
  v_changed integer;
begin
  if not pg_try_advisory_xact_lock(hashtext('worker.remind_senders')) then
    return 0;
  end if;

  select ping.remind_at, ping.tenant_id, ping.sender_id into v_until_at, v_until_tenant, v_until_sender
  from kith.pings as ping
  where ping.status = 'due' and ping.remind_at is not null and ping.remind_at <= p_now
  order by ping.remind_at, ping.tenant_id, ping.sender_id
  offset p_batch - 1 limit 1;
  if not found then
    v_until_at := p_now;
    v_until_tenant := 2147483647;
    v_until_sender := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  end if;

  with claimed as materialized (
    select ping.tenant_id, ping.ping_on, ping.connection_id, ping.id, ping.sender_id, ping.remind_at, ping.deadline_at
    from kith.pings as ping
    where ping.status = 'due' and ping.remind_at is not null
      and (ping.remind_at, ping.tenant_id, ping.sender_id) <= (v_until_at, v_until_tenant, v_until_sender)
    for update skip locked
  ), changed as (
    update kith.pings as ping
    set remind_at = null
    from claimed
    where ping.tenant_id = claimed.tenant_id and ping.ping_on = claimed.ping_on and ping.connection_id = claimed.connection_id
    returning 1
  ), told as (
    insert into kith.notifications (tenant_id, id, user_id, type, title, body, data, created_at)
    select news.tenant_id, internal.uuid7(p_now), news.sender_id, 'ping_reminder', internal.notification_title('ping_reminder'),
      internal.notification_body(
        'ping_reminder', 'sender', null, ceil(extract(epoch from news.deadline_at - p_now) / 60)::integer::text
      ),
      jsonb_build_object('connection_id', news.connection_id, 'ping_id', news.id, 'date', news.ping_on), p_now
    from (
      select distinct on (claimed.tenant_id, claimed.sender_id, claimed.ping_on) claimed.*
      from claimed
      join kith.connections as connection
        on connection.tenant_id = claimed.tenant_id and connection.id = claimed.connection_id
        and connection.status = 'active'
      where claimed.deadline_at > p_now and claimed.tenant_id <> all (v_deleted)
      order by claimed.tenant_id, claimed.sender_id, claimed.ping_on, claimed.connection_id
    ) as news
    where not (
      exists (
        select from kith.pings as sibling
        where sibling.tenant_id = news.tenant_id and sibling.ping_on = news.ping_on and sibling.sender_id = news.sender_id
          and sibling.status = 'due' and sibling.remind_at is null
      )
      and internal.was_told(news.tenant_id, news.sender_id, 'ping_reminder', news.ping_on, news.remind_at)
    )
  )
  select count(*) into v_changed from changed;
  return v_changed;
end
$$;

ALTER FUNCTION worker.remind_senders(p_now timestamp with time zone, p_batch integer) OWNER TO kith_owner;

COMMENT ON FUNCTION worker.remind_senders(p_now timestamp with time zone, p_batch integer) IS 'Reminds the senders of due pings whose deadline is near, once for a date, with the minutes that are left; of pending connections nobody (P29). Whole senders, one worker at a time. Returns pings changed. Definer: notifications are written with their cause and by nobody else.';

CREATE FUNCTION worker.settle_subscriptions(p_now timestamp with time zone, p_batch integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_seqscan TO 'off'
    AS $$
declare
  v_restored kith.receiver_profiles[];
  v_receiver kith.receiver_profiles;
  v_lapsed integer;
  v_stopped integer;
begin
  if not pg_try_advisory_xact_lock(hashtext('worker.settle_subscriptions')) then
    return 0;
  end if;

  -- Where subscriptions are required no longer, nobody's is lapsed. What was renewed was restored with that.
  v_restored := array(
    select receiver
    from kith.tenants as tenant
    join kith.receiver_profiles as receiver on receiver.tenant_id = tenant.tenant_id and receiver.pings_stop_at is not null
    where not tenant.requires_subscription and tenant.deleted_at is null
    limit p_batch
    for no key update of receiver skip locked
  );
  foreach v_receiver in array v_restored loop
    perform set_config('kith.tenant_id', v_receiver.tenant_id::text, true);
    perform internal.restore_pings(v_receiver.user_id, p_now);
  end loop;
  perform internal.leave_tenant();
  if v_restored <> '{}' then
    -- The rest is the next batch's: profiles are locked before connections.
    return cardinality(v_restored);
  end if;

  with lapsed as materialized (
    select receiver.tenant_id, receiver.user_id, tenant.subscription_grace_days
    from kith.tenants as tenant
    cross join lateral (
      select profile.tenant_id, profile.user_id
      from kith.receiver_profiles as profile
      where profile.tenant_id = tenant.tenant_id and profile.good_until <= p_now and profile.pings_stop_at is null
      order by profile.good_until
      limit p_batch
    ) as receiver
    where tenant.requires_subscription and tenant.deleted_at is null
    limit p_batch
  ), changed as (
    -- From the lapse on, but no more than a day back: a worker that was away, and a tenant that begins to require
    -- subscriptions, take nobody's grace.
    update kith.receiver_profiles as profile
    set pings_stop_at = greatest(profile.good_until, p_now - interval '1 day') + make_interval(days => lapsed.subscription_grace_days)
    from lapsed
    where profile.tenant_id = lapsed.tenant_id and profile.user_id = lapsed.user_id and profile.good_until <= p_now
      and profile.pings_stop_at is null
    returning profile.tenant_id, profile.user_id, profile.pings_stop_at
  ), told as (
    -- Each in the own zone, and nobody where no pings are to be stopped.
    insert into kith.notifications (tenant_id, id, user_id, type, title, body, data, created_at)
    select changed.tenant_id, internal.uuid7(p_now), recipient.user_id, 'subscription_lapsing',
      internal.notification_title('subscription_lapsing'),
      internal.notification_body(
        'subscription_lapsing', recipient.role, receiver.display_name,
        to_char(changed.pings_stop_at at time zone recipient.time_zone, 'YYYY-MM-DD')
      ),
      recipient.data || jsonb_build_object(
        'pings_stop_at', internal.instant(changed.pings_stop_at),
        'date', (changed.pings_stop_at at time zone recipient.time_zone)::date
      ), p_now
    from changed
    join kith.users as receiver on receiver.tenant_id = changed.tenant_id and receiver.id = changed.user_id
    cross join lateral (
      select 'receiver' as role, receiver.id as user_id, receiver.time_zone, jsonb '{}' as data
      where exists (
        select from kith.connections as connection
        where connection.tenant_id = changed.tenant_id and connection.receiver_id = changed.user_id
          and connection.status <> 'deleted'
      )
      union all
      select 'sender', connection.sender_id, sender.time_zone, jsonb_build_object('connection_id', connection.id)
      from kith.connections as connection
      join kith.sender_profiles as sender
        on sender.tenant_id = connection.tenant_id and sender.user_id = connection.sender_id
      where connection.tenant_id = changed.tenant_id and connection.receiver_id = changed.user_id
        and connection.status = 'active'
    ) as recipient
  )
  select count(*) into v_lapsed from changed;

  with due as materialized (
    select receiver.tenant_id, receiver.user_id
    from kith.receiver_profiles as receiver
    join kith.tenants as tenant
      on tenant.tenant_id = receiver.tenant_id and tenant.requires_subscription and tenant.deleted_at is null
    where receiver.pings_stop_at <= p_now and receiver.pings_stopped_at is null
    order by receiver.pings_stop_at
    limit p_batch
  ), changed as (
    update kith.receiver_profiles as profile
    set pings_stopped_at = p_now
    from due
    where profile.tenant_id = due.tenant_id and profile.user_id = due.user_id and profile.pings_stop_at <= p_now
      and profile.pings_stopped_at is null
    returning profile.tenant_id, profile.user_id
  ), receiving as materialized (
    select connection.tenant_id, connection.id
    from changed
    join kith.connections as connection
      on connection.tenant_id = changed.tenant_id and connection.receiver_id = changed.user_id and connection.status <> 'deleted'
    order by connection.tenant_id, connection.id
    for no key update of connection
  ), stopped as (
    -- Pings that are made already take their course; the next date has none.
    update kith.connections as connection
    set pings_stopped_at = p_now, updated_at = p_now
    from receiving
    where connection.tenant_id = receiving.tenant_id and connection.id = receiving.id
  )
  select count(*) into v_stopped from changed;
  return v_lapsed + v_stopped;
end
$$;

ALTER FUNCTION worker.settle_subscriptions(p_now timestamp with time zone, p_batch integer) OWNER TO kith_owner;

COMMENT ON FUNCTION worker.settle_subscriptions(p_now timestamp with time zone, p_batch integer) IS 'X28: tells receivers whose subscription has lapsed, and their senders, when pings stop; stops them when that time has come; and takes both back where the tenant requires subscriptions no longer. At most p_batch of each, one worker at a time. Returns how many. Definer: notifications are written with their cause and by nobody else.';

CREATE FUNCTION worker.sweep(p_now timestamp with time zone, p_batch integer) RETURNS integer
    LANGUAGE plpgsql
    AS $$
declare
  v_swept integer;
begin
  if not pg_try_advisory_xact_lock(hashtext('worker.sweep')) then
    return 0;
  end if;
  delete from kith.idempotency_keys as swept
  using (
    select tenant_id, caller, key
    from kith.idempotency_keys
    where expires_at <= p_now
    order by expires_at
    limit p_batch
  ) as expired
  where swept.tenant_id = expired.tenant_id and swept.caller = expired.caller and swept.key = expired.key
    and swept.expires_at <= p_now;
  get diagnostics v_swept = row_count;
  return v_swept;
end
$$;

ALTER FUNCTION worker.sweep(p_now timestamp with time zone, p_batch integer) OWNER TO kith_owner;

COMMENT ON FUNCTION worker.sweep(p_now timestamp with time zone, p_batch integer) IS 'Deletes what has expired and is of no use to anybody: answers kept for repeats. At most p_batch rows; returns how many.';

CREATE FUNCTION worker.sweep_deliveries(p_now timestamp with time zone, p_batch integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_before uuid := internal.first_uuid7(p_now - interval '30 days');
  v_tenant integer := 0;
  v_swept integer := 0;
  v_here integer;
begin
  if not pg_try_advisory_xact_lock(hashtext('worker.sweep_deliveries')) then
    return 0;
  end if;
  -- From tenant to tenant, because the index that knows their age begins with the tenant.
  loop
    select delivery.tenant_id into v_tenant
    from kith.deliveries as delivery
    where delivery.notification_id is not null and delivery.tenant_id > v_tenant
    order by delivery.tenant_id
    limit 1;
    exit when v_tenant is null or v_swept >= p_batch;
    with old as materialized (
      select delivery.id
      from kith.deliveries as delivery
      where delivery.tenant_id = v_tenant and delivery.notification_id < v_before and delivery.status in ('sent', 'failed', 'dropped')
      order by delivery.notification_id
      limit p_batch - v_swept
      for update skip locked
    )
    delete from kith.deliveries as delivery
    using old
    where delivery.tenant_id = v_tenant and delivery.id = old.id;
    get diagnostics v_here = row_count;
    v_swept := v_swept + v_here;
  end loop;
  delete from kith.undelivered_alarms
  where resolved_at is not null and at < p_now - interval '90 days';
  return v_swept;
end
$$;

ALTER FUNCTION worker.sweep_deliveries(p_now timestamp with time zone, p_batch integer) OWNER TO kith_owner;

COMMENT ON FUNCTION worker.sweep_deliveries(p_now timestamp with time zone, p_batch integer) IS 'Deletes what became of deliveries of notifications after 30 days, with the addresses in them, and undelivered alarms 90 days after they were, if that is over. At most p_batch deliveries; returns how many. Definer: the worker itself may not look at them.';

CREATE FUNCTION worker.sweep_invitations(p_now timestamp with time zone, p_batch integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_swept integer;
begin
  with old as materialized (
    select tenant_id, id from kith.connection_invitations
    where created_at < p_now - interval '90 days'
    order by created_at limit p_batch for update skip locked
  ), deliveries as (
    delete from kith.deliveries as delivery
    using old
    join kith.connection_invitation_recipients as recipient
      on recipient.tenant_id = old.tenant_id and recipient.invitation_id = old.id and recipient.delivery_id is not null
    where delivery.tenant_id = recipient.tenant_id and delivery.id = recipient.delivery_id
  )
  delete from kith.connection_invitations as invitation
  using old
  where invitation.tenant_id = old.tenant_id and invitation.id = old.id;
  get diagnostics v_swept = row_count;
  return v_swept;
end
$$;

ALTER FUNCTION worker.sweep_invitations(p_now timestamp with time zone, p_batch integer) OWNER TO kith_owner;

COMMENT ON FUNCTION worker.sweep_invitations(p_now timestamp with time zone, p_batch integer) IS 'Deletes invitations after 90 days, with everybody invited and the texts that Kith has sent them: the numbers are those of people who are nobody''s users. At most p_batch; returns how many. Definer: the worker itself may not look at them.';

CREATE FUNCTION worker.sweep_sign_in(p_now timestamp with time zone, p_batch integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_swept integer;
  v_all integer := 0;
begin
  -- With an order and a lock that skips, so that two workers do not meet. Materialized: a join could run it again, and take more.
  with old as materialized (
    select tenant_id, id from kith.otp_tries
    where tried_at < p_now - interval '1 hour'
    order by tried_at limit p_batch for update skip locked
  )
  delete from kith.otp_tries as tried
  using old
  where tried.tenant_id = old.tenant_id and tried.id = old.id;
  get diagnostics v_swept = row_count;
  v_all := v_all + v_swept;

  with old as materialized (
    select tenant_id, id from kith.otp_codes
    where created_at < p_now - interval '30 days'
    order by created_at limit p_batch for update skip locked
  ), deliveries as (
    delete from kith.deliveries as delivery
    using old
    where delivery.tenant_id = old.tenant_id and delivery.id = old.id
  )
  delete from kith.otp_codes as code
  using old
  where code.tenant_id = old.tenant_id and code.id = old.id;
  get diagnostics v_swept = row_count;
  v_all := v_all + v_swept;

  with old as materialized (
    select tenant_id, id from kith.otp_codes
    where address_is_hashed and created_at < p_now - interval '1 day'
    order by created_at limit p_batch for update skip locked
  )
  delete from kith.otp_codes as code
  using old
  where code.tenant_id = old.tenant_id and code.id = old.id;
  get diagnostics v_swept = row_count;
  v_all := v_all + v_swept;

  -- Also of a sign-in that lives on: each refresh leaves one behind.
  with old as materialized (
    select tenant_id, id from kith.refresh_tokens
    where expires_at < p_now
    order by expires_at limit p_batch for update skip locked
  )
  delete from kith.refresh_tokens as token
  using old
  where token.tenant_id = old.tenant_id and token.id = old.id;
  get diagnostics v_swept = row_count;
  v_all := v_all + v_swept;

  with old as materialized (
    select tenant_id, id from kith.token_families
    where expires_at < p_now - interval '30 days'
    order by expires_at limit p_batch for update skip locked
  )
  delete from kith.token_families as family
  using old
  where family.tenant_id = old.tenant_id and family.id = old.id;
  get diagnostics v_swept = row_count;
  v_all := v_all + v_swept;

  with old as materialized (
    select tenant_id, counted_on, scope from kith.otp_counts
    where counted_on < (p_now at time zone 'UTC')::date - 90
    order by counted_on limit p_batch for update skip locked
  )
  delete from kith.otp_counts as counts
  using old
  where counts.tenant_id = old.tenant_id and counts.counted_on = old.counted_on and counts.scope = old.scope;
  get diagnostics v_swept = row_count;
  return v_all + v_swept;
end
$$;

ALTER FUNCTION worker.sweep_sign_in(p_now timestamp with time zone, p_batch integer) OWNER TO kith_owner;

COMMENT ON FUNCTION worker.sweep_sign_in(p_now timestamp with time zone, p_batch integer) IS 'Deletes what signing in leaves behind: tries after an hour, codes with their deliveries after 30 days, of ended accounts after one, refresh tokens when they end, sign-ins 30 days after their last refresh token ended, counts after 90 days. Returns how many. Definer: the worker itself may not look at them.';

CREATE FUNCTION worker.sweep_uploads(p_now timestamp with time zone, p_batch integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_versions integer;
  v_documents integer;
begin
  -- Chunks go with their versions.
  with old as materialized (
    select tenant_id, id from kith.document_versions
    where state <> 'current' and coalesce(ended_at, created_at) < p_now - interval '1 hour'
    order by coalesce(ended_at, created_at) limit p_batch for update skip locked
  )
  delete from kith.document_versions as version
  using old
  where version.tenant_id = old.tenant_id and version.id = old.id;
  get diagnostics v_versions = row_count;

  with old as materialized (
    select tenant_id, id from kith.documents
    where deleted_at < p_now - interval '30 days'
    order by deleted_at limit p_batch for update skip locked
  ), versions as (
    delete from kith.document_versions as version
    using old
    where version.tenant_id = old.tenant_id and version.document_id = old.id
  )
  delete from kith.documents as document
  using old
  where document.tenant_id = old.tenant_id and document.id = old.id;
  get diagnostics v_documents = row_count;
  return v_versions + v_documents;
end
$$;

ALTER FUNCTION worker.sweep_uploads(p_now timestamp with time zone, p_batch integer) OWNER TO kith_owner;

COMMENT ON FUNCTION worker.sweep_uploads(p_now timestamp with time zone, p_batch integer) IS 'Deletes uploads that nobody has finished and contents that were replaced, an hour later, and documents 30 days after they were deleted. At most p_batch of each; returns how many. Definer: the worker itself may not look at them.';

CREATE FUNCTION worker.sweep_vault_invitations(p_now timestamp with time zone, p_batch integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_swept integer;
  v_all integer := 0;
begin
  with old as materialized (
    select tenant_id, user_id from kith.drafts where expires_at <= p_now order by expires_at limit p_batch for update skip locked
  )
  delete from kith.drafts as draft
  using old
  where draft.tenant_id = old.tenant_id and draft.user_id = old.user_id;
  get diagnostics v_swept = row_count;
  v_all := v_all + v_swept;

  with old as materialized (
    select tenant_id, id from kith.nominee_invitations
    where coalesce(ended_at, expires_at) < p_now - interval '90 days'
    order by coalesce(ended_at, expires_at) limit p_batch for update skip locked
  )
  delete from kith.nominee_invitations as invitation
  using old
  where invitation.tenant_id = old.tenant_id and invitation.id = old.id;
  get diagnostics v_swept = row_count;
  v_all := v_all + v_swept;

  with old as materialized (
    select tenant_id, id from kith.transfers
    where coalesce(ended_at, expires_at) < p_now - interval '90 days'
    order by coalesce(ended_at, expires_at) limit p_batch for update skip locked
  )
  delete from kith.transfers as transfer
  using old
  where transfer.tenant_id = old.tenant_id and transfer.id = old.id;
  get diagnostics v_swept = row_count;
  return v_all + v_swept;
end
$$;

ALTER FUNCTION worker.sweep_vault_invitations(p_now timestamp with time zone, p_batch integer) OWNER TO kith_owner;

COMMENT ON FUNCTION worker.sweep_vault_invitations(p_now timestamp with time zone, p_batch integer) IS 'Deletes drafts when they expire, and tokens to vaults and offers of them 90 days after they ended or expired. At most p_batch each; returns how many. Definer: the worker itself may not look at them.';

CREATE FUNCTION worker.sweep_vaults(p_now timestamp with time zone, p_batch integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_vault kith.vaults;
  v_swept integer;
begin
  select * into v_vault
  from kith.vaults
  where deleted_at <= p_now - interval '30 days'
  order by deleted_at
  limit 1
  for update skip locked;
  if not found then
    return 0;
  end if;
  -- The contents of a vault are too much for one transaction.
  with old as materialized (
    select chunk.tenant_id, chunk.version_id, chunk.n
    from kith.document_versions as version
    join kith.document_chunks as chunk on chunk.tenant_id = version.tenant_id and chunk.version_id = version.id
    where version.tenant_id = v_vault.tenant_id and version.vault_id = v_vault.id
    limit p_batch
    -- Not those that sweep_uploads is at.
    for key share of version skip locked
  )
  delete from kith.document_chunks as chunk
  using old
  where chunk.tenant_id = old.tenant_id and chunk.version_id = old.version_id and chunk.n = old.n;
  get diagnostics v_swept = row_count;
  if v_swept > 0 then
    return v_swept;
  end if;
  perform internal.forget_in_notifications(
    v_vault.tenant_id, internal.people_of_vaults(v_vault.tenant_id, array[v_vault.id]), v_vault.created_at, null, array[v_vault.id]
  );
  delete from kith.vaults where tenant_id = v_vault.tenant_id and id = v_vault.id;
  return 1;
end
$$;

ALTER FUNCTION worker.sweep_vaults(p_now timestamp with time zone, p_batch integer) OWNER TO kith_owner;

COMMENT ON FUNCTION worker.sweep_vaults(p_now timestamp with time zone, p_batch integer) IS 'Deletes a vault that was deleted 30 days ago, with all that hangs on it: p_batch chunks of its documents a call, and the rest at last. What people were told about it names nobody from then on. Returns how much was done. Definer: the worker itself may not look at it.';

CREATE FUNCTION worker.tell_operator(p_now timestamp with time zone) RETURNS json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  return (
    select json_build_object(
      'undelivered_alarms', count(*),
      'alarms', (
        select json_agg(json_build_object(
          'tenant_id', alarm.tenant_id, 'tenant', tenant.slug, 'id', alarm.notification_id, 'type', alarm.type,
          'at', internal.instant(alarm.at)
        ) order by alarm.at)
        from (
          select * from kith.undelivered_alarms
          where resolved_at is null and operators_at <= p_now and operator_told_at is null
          order by at
          limit 100
        ) as alarm
        join kith.tenants as tenant on tenant.tenant_id = alarm.tenant_id
      )
    )
    from kith.undelivered_alarms
    where resolved_at is null and operators_at <= p_now and operator_told_at is null
    having count(*) > 0
  );
end
$$;

ALTER FUNCTION worker.tell_operator(p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION worker.tell_operator(p_now timestamp with time zone) IS 'What the operator is to be told at the address outside: how many alarms reached nobody and were not told of yet, and the first 100 of them, with ids and no names; null where there are none. Definer: they are nobody''s to read.';

CREATE FUNCTION worker.turn_breaks(p_now timestamp with time zone, p_batch integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  v_break kith.breaks;
  v_turned integer := 0;
begin
  for v_break in
    select *
    from kith.breaks
    where ended_at is null and ends_at <= p_now
    order by ends_at
    limit p_batch
    for no key update skip locked
  loop
    update kith.breaks
    set ended_at = p_now, updated_at = p_now
    where tenant_id = v_break.tenant_id and id = v_break.id;
    -- One that nobody was told of, because no worker ran all the while, needs no end either.
    if v_break.told_until_on is not null then
      perform internal.tell_of_break(v_break, 'break_ended', p_now);
    end if;
    v_turned := v_turned + 1;
  end loop;

  for v_break in
    select *
    from kith.breaks
    where ended_at is null and told_until_on is distinct from until_on and starts_at <= p_now and ends_at > p_now
    order by starts_at
    limit p_batch
    for no key update skip locked
  loop
    perform internal.begin_break(v_break, p_now);
    v_turned := v_turned + 1;
  end loop;
  return v_turned;
end
$$;

ALTER FUNCTION worker.turn_breaks(p_now timestamp with time zone, p_batch integer) OWNER TO kith_owner;

COMMENT ON FUNCTION worker.turn_breaks(p_now timestamp with time zone, p_batch integer) IS 'Tells receivers of the breaks that begin at their senders'' midnight, and of those that are over. Pings go by the dates themselves and wait for nothing here. At most p_batch of each; any number of workers may. Returns how many. Definer: notifications are written with their cause and by nobody else.';

CREATE FUNCTION worker.watch_server(p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  insert into kith.outages (component, began_at)
  select 'server', max(beat_at)
  from kith.heartbeats
  where component = 'server'
  having max(beat_at) < p_now - interval '60 seconds'
  on conflict do nothing;
end
$$;

ALTER FUNCTION worker.watch_server(p_now timestamp with time zone) OWNER TO kith_owner;

COMMENT ON FUNCTION worker.watch_server(p_now timestamp with time zone) IS 'Opens an outage when no server has given a sign of life for a minute; the next sign ends it. To be called with every beat of the worker, and before the first loop after a start.';

CREATE TABLE kith.channel_pauses (
    tenant_id integer NOT NULL,
    channel text NOT NULL,
    reason text NOT NULL,
    paused_by text NOT NULL,
    paused_at timestamp with time zone NOT NULL,
    CONSTRAINT channel_pauses_channel_is_known CHECK ((channel = ANY (ARRAY['apns'::text, 'web_push'::text, 'email'::text, 'sms'::text])))
);

ALTER TABLE ONLY kith.channel_pauses FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.channel_pauses OWNER TO kith_owner;

COMMENT ON TABLE kith.channel_pauses IS 'Channels on which an operator has messages wait. They are claimed again when the row is gone; what expires meanwhile is dropped.';

COMMENT ON COLUMN kith.channel_pauses.tenant_id IS '0 for every tenant.';

CREATE TABLE kith.deliveries (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    channel text NOT NULL,
    purpose text NOT NULL,
    address text NOT NULL,
    subject text,
    body text,
    sealed_secret bytea,
    status text DEFAULT 'queued'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone NOT NULL,
    leased_until timestamp with time zone,
    leased_by text,
    expires_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone,
    error text,
    created_at timestamp with time zone NOT NULL,
    notification_id uuid,
    is_urgent boolean DEFAULT true NOT NULL,
    provider_id text,
    CONSTRAINT deliveries_are_leased_while_sending CHECK (((status = 'sending'::text) = (leased_until IS NOT NULL))),
    CONSTRAINT deliveries_channel_is_known CHECK ((channel = ANY (ARRAY['apns'::text, 'web_push'::text, 'email'::text, 'sms'::text]))),
    CONSTRAINT deliveries_have_a_text_or_a_notification CHECK (((body IS NULL) = (notification_id IS NOT NULL))),
    CONSTRAINT deliveries_of_notifications_name_theirs CHECK (((purpose = 'notification'::text) = (notification_id IS NOT NULL))),
    CONSTRAINT deliveries_purpose_is_known CHECK ((purpose = ANY (ARRAY['sign_in_code'::text, 'contact_code'::text, 'invitation'::text, 'notification'::text]))),
    CONSTRAINT deliveries_status_is_known CHECK ((status = ANY (ARRAY['queued'::text, 'sending'::text, 'sent'::text, 'failed'::text, 'dropped'::text])))
)
PARTITION BY RANGE (id);

ALTER TABLE ONLY kith.deliveries FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.deliveries OWNER TO kith_owner;

COMMENT ON TABLE kith.deliveries IS 'The outbox: what is to leave Kith on a channel, written with its cause and sent by the worker after the commit, at least once. Monthly partitions by id.';

COMMENT ON COLUMN kith.deliveries.id IS 'UUID version 7 made from created_at. A channel that knows idempotency keys gets it as one.';

COMMENT ON COLUMN kith.deliveries.address IS 'A number (E.164), an e-mail address, or the token of a device: what the push service knows it by.';

COMMENT ON COLUMN kith.deliveries.body IS 'The text; {code} stands where the opened sealed_secret goes.';

COMMENT ON COLUMN kith.deliveries.sealed_secret IS 'What no database may know, AES-256-GCM under the master key, bound to tenant and id. Gone once the delivery is settled.';

COMMENT ON COLUMN kith.deliveries.status IS 'queued, sending (leased by a worker), sent, failed (given up), dropped (not sent on purpose, or expired).';

COMMENT ON COLUMN kith.deliveries.leased_until IS 'From then on another worker may send it: whoever leased it has died.';

COMMENT ON COLUMN kith.deliveries.error IS 'Why the last attempt failed, or why it was dropped. For an operator.';

COMMENT ON COLUMN kith.deliveries.notification_id IS 'Whose title and body are sent, as they are then; null for what has a text of its own.';

COMMENT ON COLUMN kith.deliveries.is_urgent IS 'Goes before what is not: codes, and what breaks through quiet hours.';

COMMENT ON COLUMN kith.deliveries.provider_id IS 'What the other side calls it, for asking there what became of it.';

CREATE VIEW admin.channels WITH (security_barrier='true') AS
 SELECT tenant.slug AS tenant,
    known.channel,
    credentials.summary AS settings,
    pause.reason AS paused_for,
    pause.paused_by,
    pause.paused_at,
    ( SELECT count(*) AS count
           FROM kith.deliveries delivery
          WHERE ((delivery.tenant_id = tenant.tenant_id) AND (delivery.id >= internal.first_uuid7((now() - '1 day'::interval))) AND (delivery.channel = known.channel) AND (delivery.status = 'sent'::text))) AS sent_today,
    ( SELECT count(*) AS count
           FROM kith.deliveries delivery
          WHERE ((delivery.tenant_id = tenant.tenant_id) AND (delivery.id >= internal.first_uuid7((now() - '1 day'::interval))) AND (delivery.channel = known.channel) AND (delivery.status = 'failed'::text))) AS failed_today,
    credentials.checked_at,
    credentials.error
   FROM (((kith.tenants tenant
     CROSS JOIN unnest(ARRAY['apns'::text, 'email'::text, 'sms'::text, 'web_push'::text]) known(channel))
     LEFT JOIN kith.channel_credentials credentials ON (((credentials.tenant_id = tenant.tenant_id) AND (credentials.channel = known.channel))))
     LEFT JOIN LATERAL ( SELECT paused.tenant_id,
            paused.channel,
            paused.reason,
            paused.paused_by,
            paused.paused_at
           FROM kith.channel_pauses paused
          WHERE ((paused.tenant_id = ANY (ARRAY[0, tenant.tenant_id])) AND (paused.channel = known.channel))
          ORDER BY paused.tenant_id
         LIMIT 1) pause ON (true))
  WHERE ((credentials.channel IS NOT NULL) OR (pause.channel IS NOT NULL));

ALTER TABLE admin.channels OWNER TO kith_owner;

COMMENT ON VIEW admin.channels IS 'The channels of each tenant that are set up or paused: by whom messages leave, without secrets, what was sent and what failed of the last 24 hours'' messages, and what the provider last objected to. Only the columns that are selected are counted.';

CREATE VIEW admin.code_space WITH (security_barrier='true') AS
 SELECT tenant.slug AS tenant,
    count(*) AS codes,
    round(((count(*))::numeric / 10000.0), 2) AS percent_used,
    (count(*) > 500000) AS warning
   FROM (kith.unique_codes code
     JOIN kith.tenants tenant ON ((tenant.tenant_id = code.tenant_id)))
  GROUP BY tenant.slug;

ALTER TABLE admin.code_space OWNER TO kith_owner;

COMMENT ON VIEW admin.code_space IS 'How much of its million six-digit codes each tenant has given out, ended ones of the last 90 days included. Past half of it warning is true: a guess hits too often, and a free one is hard to find.';

CREATE TABLE kith.notifications (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    type text NOT NULL,
    title text NOT NULL,
    body text NOT NULL,
    data jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone,
    delivery_status text DEFAULT 'queued'::text NOT NULL,
    read_at timestamp with time zone,
    deliver_at timestamp with time zone,
    planned_at timestamp with time zone,
    escalates_at timestamp with time zone,
    escalated_at timestamp with time zone,
    CONSTRAINT notifications_delivery_status_is_known CHECK ((delivery_status = ANY (ARRAY['queued'::text, 'sent'::text, 'failed'::text, 'dropped'::text])))
)
PARTITION BY RANGE (id);

ALTER TABLE ONLY kith.notifications FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.notifications OWNER TO kith_owner;

COMMENT ON TABLE kith.notifications IS 'One row per user and event: the row is the truth, a push only a hint of it. Monthly partitions by id.';

COMMENT ON COLUMN kith.notifications.id IS 'UUID version 7 made from created_at: the partition follows from it.';

COMMENT ON COLUMN kith.notifications.body IS 'Rendered when written, with the names of that moment.';

COMMENT ON COLUMN kith.notifications.deliver_at IS 'Not to be delivered before this instant; null: at once. Everyone''s nine o''clock is the same second: what is due then goes out over a minute.';

COMMENT ON COLUMN kith.notifications.planned_at IS 'When the worker decided by which channels it goes out, and wrote a delivery for each; null until then. The row itself is the outbox until then.';

COMMENT ON COLUMN kith.notifications.escalates_at IS 'Of an alarm that nobody has taken yet: when the person''s other channels are tried, and then the tenant''s server and the operator are told (F07).';

COMMENT ON COLUMN kith.notifications.escalated_at IS 'When the other channels were tried.';

CREATE VIEW admin.dead_letters WITH (security_barrier='true') AS
 SELECT tenant.slug AS tenant,
    delivery.id,
    delivery.channel,
    delivery.purpose,
    notification.type,
    notification.user_id,
    delivery.address,
    delivery.attempts,
    delivery.error,
    delivery.created_at,
    delivery.expires_at
   FROM ((kith.deliveries delivery
     JOIN kith.tenants tenant ON ((tenant.tenant_id = delivery.tenant_id)))
     LEFT JOIN kith.notifications notification ON (((notification.tenant_id = delivery.tenant_id) AND (notification.id = delivery.notification_id))))
  WHERE (delivery.status = 'failed'::text);

ALTER TABLE admin.dead_letters OWNER TO kith_owner;

COMMENT ON VIEW admin.dead_letters IS 'Messages that were given up, of the last 30 days, and why: admin.replay_delivery sends one again, admin.replay_deliveries many.';

CREATE VIEW admin.delivery_backlog WITH (security_barrier='true') AS
 SELECT tenant.slug AS tenant,
    delivery.channel,
    delivery.purpose,
    delivery.status,
    count(*) AS deliveries,
    count(*) FILTER (WHERE (COALESCE(delivery.leased_until, delivery.next_attempt_at) <= now())) AS due,
    min(delivery.created_at) AS oldest_at,
    (now() - min(delivery.created_at)) AS oldest_age,
    max(delivery.attempts) AS most_attempts,
    max(delivery.error) AS an_error
   FROM (kith.deliveries delivery
     JOIN kith.tenants tenant ON ((tenant.tenant_id = delivery.tenant_id)))
  WHERE (delivery.status = ANY (ARRAY['queued'::text, 'sending'::text]))
  GROUP BY tenant.slug, delivery.channel, delivery.purpose, delivery.status;

ALTER TABLE admin.delivery_backlog OWNER TO kith_owner;

COMMENT ON VIEW admin.delivery_backlog IS 'Messages that wait to be sent, by tenant, channel and purpose, with one of the reasons why they still do; due are those that do not wait for a later time, such as the end of quiet hours.';

CREATE VIEW admin.notification_backlog WITH (security_barrier='true') AS
 SELECT tenant.slug AS tenant,
    notification.type,
    count(*) AS unplanned,
    min(notification.created_at) AS oldest_at,
    (now() - min(notification.created_at)) AS oldest_age
   FROM (kith.notifications notification
     JOIN kith.tenants tenant ON ((tenant.tenant_id = notification.tenant_id)))
  WHERE (notification.planned_at IS NULL)
  GROUP BY tenant.slug, notification.type;

ALTER TABLE admin.notification_backlog OWNER TO kith_owner;

COMMENT ON VIEW admin.notification_backlog IS 'Notifications of which the worker has not yet decided how they go out, by tenant and type; what it has decided is in admin.delivery_backlog.';

CREATE TABLE kith.outages (
    component text NOT NULL,
    began_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    sender_told_at timestamp with time zone,
    told_deadline_at timestamp with time zone,
    told_tenant_id integer,
    told_sender_id uuid,
    CONSTRAINT outages_component_is_known CHECK ((component = ANY (ARRAY['server'::text, 'worker'::text]))),
    CONSTRAINT outages_end_after_they_begin CHECK ((ended_at > began_at))
);

ALTER TABLE ONLY kith.outages FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.outages OWNER TO kith_owner;

COMMENT ON TABLE kith.outages IS 'When Kith itself was away (no heartbeat of a component for a minute). A miss whose last 15 minutes fall into one waits until 15 minutes after it ended.';

COMMENT ON COLUMN kith.outages.sender_told_at IS 'When all senders whose pings waited because of it had been told.';

COMMENT ON COLUMN kith.outages.told_deadline_at IS 'With told_tenant_id and told_sender_id: how far telling the senders has come, in the order of the deadlines.';

CREATE VIEW admin.outages WITH (security_barrier='true') AS
 SELECT outage.component,
    outage.began_at,
    outage.ended_at,
    (COALESCE(outage.ended_at, now()) - outage.began_at) AS lasted
   FROM kith.outages outage;

ALTER TABLE admin.outages OWNER TO kith_owner;

COMMENT ON VIEW admin.outages IS 'When Kith itself was away; what would have been missed in it waited.';

CREATE TABLE kith.ping_gaps (
    tenant_id integer NOT NULL,
    ping_on date NOT NULL,
    connection_id uuid NOT NULL,
    found_at timestamp with time zone NOT NULL,
    mended boolean NOT NULL
);

ALTER TABLE ONLY kith.ping_gaps FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.ping_gaps OWNER TO kith_owner;

COMMENT ON TABLE kith.ping_gaps IS 'Active connections that the hourly check found without a ping for their local date and without a reason for that (X25).';

COMMENT ON COLUMN kith.ping_gaps.mended IS 'Whether the ping could still be made: its deadline was ahead.';

CREATE VIEW admin.ping_gaps WITH (security_barrier='true') AS
 SELECT tenant.slug AS tenant,
    gap.ping_on,
    gap.connection_id,
    gap.found_at,
    gap.mended
   FROM (kith.ping_gaps gap
     JOIN kith.tenants tenant ON ((tenant.tenant_id = gap.tenant_id)));

ALTER TABLE admin.ping_gaps OWNER TO kith_owner;

COMMENT ON VIEW admin.ping_gaps IS 'Active connections that had no ping for their local date and no reason for that: there should be none. mended: the ping was made in time.';

CREATE TABLE kith.ping_runs (
    tenant_id integer NOT NULL,
    time_zone text NOT NULL,
    ping_on date NOT NULL,
    starts_at timestamp with time zone NOT NULL,
    cursor_sender_id uuid,
    created bigint DEFAULT 0 NOT NULL,
    skipped bigint DEFAULT 0 NOT NULL,
    finished_at timestamp with time zone
);

ALTER TABLE ONLY kith.ping_runs FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.ping_runs OWNER TO kith_owner;

COMMENT ON TABLE kith.ping_runs IS 'The unit of generation: one tenant, one zone, one local date. A batch moves the cursor in the transaction that inserts its pings.';

COMMENT ON COLUMN kith.ping_runs.starts_at IS 'The zone''s midnight of ping_on: the run is due from then on.';

COMMENT ON COLUMN kith.ping_runs.cursor_sender_id IS 'The last sender done; null before the first.';

COMMENT ON COLUMN kith.ping_runs.skipped IS 'Pings not made because their deadline was past when the run got to them: the worker had been down. Never invented as missed.';

CREATE VIEW admin.ping_runs WITH (security_barrier='true') AS
 SELECT tenant.slug AS tenant,
    run.time_zone,
    run.ping_on,
    run.starts_at,
        CASE
            WHEN (run.finished_at IS NOT NULL) THEN 'finished'::text
            WHEN (run.starts_at > now()) THEN 'ahead'::text
            WHEN (run.cursor_sender_id IS NULL) THEN 'waiting'::text
            ELSE 'running'::text
        END AS state,
    run.created,
    run.skipped,
    run.finished_at,
        CASE
            WHEN (run.starts_at <= now()) THEN (COALESCE(run.finished_at, now()) - run.starts_at)
            ELSE NULL::interval
        END AS late
   FROM (kith.ping_runs run
     JOIN kith.tenants tenant ON ((tenant.tenant_id = run.tenant_id)));

ALTER TABLE admin.ping_runs OWNER TO kith_owner;

COMMENT ON VIEW admin.ping_runs IS 'The generation of daily pings: where state = ''waiting'' or ''running'' is the backlog, skipped counts pings whose deadline had passed while the worker was down, late is from midnight to done.';

CREATE TABLE kith.otp_counts (
    tenant_id integer NOT NULL,
    counted_on date NOT NULL,
    scope text NOT NULL,
    codes integer NOT NULL
)
WITH (fillfactor='50');

ALTER TABLE ONLY kith.otp_counts FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.otp_counts OWNER TO kith_owner;

COMMENT ON TABLE kith.otp_counts IS 'How many one-time codes a tenant asked for in a UTC day: sent, capped and dropped ones. Kept for 90 days.';

COMMENT ON COLUMN kith.otp_counts.scope IS 'email; sms, and sms +49 of a country; dropped and dropped +49, where sign-up is closed and nobody has the address; capped by address, country +49, tenant or user.';

CREATE VIEW admin.sign_in_codes WITH (security_barrier='true') AS
 SELECT tenant.slug AS tenant,
    counts.counted_on,
    counts.scope,
    counts.codes
   FROM (kith.otp_counts counts
     JOIN kith.tenants tenant ON ((tenant.tenant_id = counts.tenant_id)));

ALTER TABLE admin.sign_in_codes OWNER TO kith_owner;

COMMENT ON VIEW admin.sign_in_codes IS 'One-time codes by tenant and UTC day: email, sms, sms by country, what was capped and by what, and what was dropped because sign-up is closed and nobody has the address.';

CREATE TABLE kith.api_keys (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    secret_hash bytea NOT NULL,
    scopes text[] DEFAULT '{all}'::text[] NOT NULL,
    expires_at timestamp with time zone,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT api_keys_hash_is_sha256 CHECK ((octet_length(secret_hash) = 32)),
    CONSTRAINT api_keys_name_is_short CHECK (((char_length(name) >= 1) AND (char_length(name) <= 80)))
);

ALTER TABLE ONLY kith.api_keys FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.api_keys OWNER TO kith_owner;

COMMENT ON TABLE kith.api_keys IS 'Secret keys of a tenant''s server (kith_sk_…). Only the SHA-256 is kept: a key carries 244 random bits.';

COMMENT ON COLUMN kith.api_keys.last_used_at IS 'Within a minute: it is written when a server first sees the key, and then at most once a minute.';

CREATE TABLE kith.tenant_usage (
    tenant_id integer NOT NULL,
    users integer NOT NULL
)
WITH (fillfactor='50');

ALTER TABLE ONLY kith.tenant_usage FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.tenant_usage OWNER TO kith_owner;

COMMENT ON TABLE kith.tenant_usage IS 'What a tenant uses of its quotas, counted as it changes: counting a million users for each new one would not do.';

CREATE VIEW admin.tenants WITH (security_barrier='true') AS
 SELECT tenant.tenant_id,
    tenant.slug,
    tenant.name,
        CASE
            WHEN (tenant.deleted_at IS NULL) THEN tenant.status
            ELSE 'deleted'::text
        END AS status,
    ( SELECT usage.users
           FROM kith.tenant_usage usage
          WHERE (usage.tenant_id = tenant.tenant_id)) AS users,
    tenant.user_quota,
    ( SELECT count(*) AS count
           FROM kith.connections connection
          WHERE ((connection.tenant_id = tenant.tenant_id) AND (connection.status = ANY (ARRAY['active'::text, 'pending'::text])))) AS live_connections,
    ( SELECT COALESCE(sum(run.created), (0)::numeric) AS "coalesce"
           FROM kith.ping_runs run
          WHERE ((run.tenant_id = tenant.tenant_id) AND (run.starts_at > (now() - '1 day'::interval)))) AS pings_generated_today,
    ( SELECT max(key.last_used_at) AS max
           FROM kith.api_keys key
          WHERE (key.tenant_id = tenant.tenant_id)) AS key_last_used_at,
    tenant.created_at
   FROM kith.tenants tenant;

ALTER TABLE admin.tenants OWNER TO kith_owner;

COMMENT ON VIEW admin.tenants IS 'Every tenant with its size. Only the columns that are selected are counted: live_connections costs an index scan, the others next to nothing.';

CREATE TABLE kith.undelivered_alarms (
    tenant_id integer NOT NULL,
    notification_id uuid NOT NULL,
    user_id uuid NOT NULL,
    type text NOT NULL,
    at timestamp with time zone NOT NULL,
    webhook_told_at timestamp with time zone,
    operators_at timestamp with time zone,
    operator_told_at timestamp with time zone,
    resolved_at timestamp with time zone
);

ALTER TABLE ONLY kith.undelivered_alarms FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.undelivered_alarms OWNER TO kith_owner;

COMMENT ON TABLE kith.undelivered_alarms IS 'Alarms that reached their person on no channel: the tenant''s server is told by its webhooks, and then the operator (F07). Nobody may take the silence for safety.';

COMMENT ON COLUMN kith.undelivered_alarms.webhook_told_at IS 'When a webhook of the tenant took the news.';

COMMENT ON COLUMN kith.undelivered_alarms.operators_at IS 'Since when it is the operator''s: no webhook took it in time, or there is none.';

COMMENT ON COLUMN kith.undelivered_alarms.operator_told_at IS 'When the address outside took it.';

COMMENT ON COLUMN kith.undelivered_alarms.resolved_at IS 'When it was over: a later attempt arrived, the person read it in the app, there was no more reason for it, or an operator has seen to it.';

CREATE VIEW admin.undelivered_alarms WITH (security_barrier='true') AS
 SELECT tenant.slug AS tenant,
    alarm.notification_id,
    alarm.type,
    alarm.user_id,
    alarm.at,
    (now() - alarm.at) AS age,
    alarm.webhook_told_at,
    alarm.operators_at,
    alarm.operator_told_at
   FROM (kith.undelivered_alarms alarm
     JOIN kith.tenants tenant ON ((tenant.tenant_id = alarm.tenant_id)))
  WHERE (alarm.resolved_at IS NULL);

ALTER TABLE admin.undelivered_alarms OWNER TO kith_owner;

COMMENT ON VIEW admin.undelivered_alarms IS 'Alarms that reached their person on no channel and are not over: where webhook_told_at is empty somebody here must act. admin.resolve_alarm ends one.';

CREATE VIEW admin.vault_sessions WITH (security_barrier='true') AS
 SELECT tenant.slug AS tenant,
    session.id,
    session.vault_id,
    session.kind,
        CASE
            WHEN (session.locked_at IS NOT NULL) THEN 'locked'::text
            WHEN (session.expires_at <= now()) THEN 'expired'::text
            ELSE 'open'::text
        END AS state,
    session.unlocked_by,
    session.opened_at,
    session.last_activity_at,
    session.expires_at,
    session.locked_at,
    session.locked_by,
    session.lock_reason
   FROM (kith.vault_sessions session
     JOIN kith.tenants tenant ON ((tenant.tenant_id = session.tenant_id)));

ALTER TABLE admin.vault_sessions OWNER TO kith_owner;

COMMENT ON VIEW admin.vault_sessions IS 'Openings of vaults; where state = ''open'' somebody may be in now. expired: over, and not yet written down.';

CREATE TABLE kith.document_versions (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    vault_id uuid NOT NULL,
    document_id uuid NOT NULL,
    state text NOT NULL,
    created_by uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    chunks integer,
    size bigint,
    ended_at timestamp with time zone,
    chunk_size integer NOT NULL,
    CONSTRAINT document_versions_chunk_size_in_bounds CHECK (((chunk_size >= 4096) AND (chunk_size <= 1048576))),
    CONSTRAINT document_versions_state_is_known CHECK ((state = ANY (ARRAY['uploading'::text, 'current'::text, 'replaced'::text]))),
    CONSTRAINT document_versions_whole_are_measured CHECK (((state = 'uploading'::text) OR ((chunks IS NOT NULL) AND (size IS NOT NULL))))
);

ALTER TABLE ONLY kith.document_versions FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.document_versions OWNER TO kith_owner;

COMMENT ON TABLE kith.document_versions IS 'One upload of a document. Nobody sees it before it is whole; what was left behind, and what another version has replaced, is swept after an hour.';

COMMENT ON COLUMN kith.document_versions.chunk_size IS 'How many bytes of the content are in each chunk but the last: by it the chunk is found that a range of bytes begins in.';

CREATE VIEW admin.vaults WITH (security_barrier='true') AS
 SELECT tenant.slug AS tenant,
    vault.id,
    vault.name,
    vault.owner_id,
    ( SELECT count(*) AS count
           FROM kith.documents document
          WHERE ((document.tenant_id = vault.tenant_id) AND (document.vault_id = vault.id) AND (document.deleted_at IS NULL))) AS documents,
    ( SELECT COALESCE(sum(version.size), (0)::numeric) AS "coalesce"
           FROM kith.document_versions version
          WHERE ((version.tenant_id = vault.tenant_id) AND (version.vault_id = vault.id))) AS bytes,
    ( SELECT count(*) AS count
           FROM kith.nominees nominee
          WHERE ((nominee.tenant_id = vault.tenant_id) AND (nominee.vault_id = vault.id) AND (nominee.status <> 'revoked'::text))) AS nominees,
    ( SELECT max(session.expires_at) AS max
           FROM kith.vault_sessions session
          WHERE ((session.tenant_id = vault.tenant_id) AND (session.vault_id = vault.id) AND (session.locked_at IS NULL) AND (session.expires_at > now()))) AS open_until,
    vault.created_at,
    vault.deleted_at,
    vault.deleted_by
   FROM (kith.vaults vault
     JOIN kith.tenants tenant ON ((tenant.tenant_id = vault.tenant_id)));

ALTER TABLE admin.vaults OWNER TO kith_owner;

COMMENT ON VIEW admin.vaults IS 'Every vault with its size: bytes counts what is stored, deleted and replaced documents included; open_until is null while it is locked. Only the columns that are selected are counted. Erased ones are those of ended accounts, until they are swept.';

CREATE TABLE internal.migrations (
    number integer NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone NOT NULL
);

ALTER TABLE internal.migrations OWNER TO kith_owner;

COMMENT ON TABLE internal.migrations IS 'The ledger: which migrations this database has, and the SHA-256 of each.';

CREATE TABLE internal.routines (
    id boolean DEFAULT true NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone NOT NULL,
    CONSTRAINT routines_is_one_row CHECK (id)
);

ALTER TABLE internal.routines OWNER TO kith_owner;

COMMENT ON TABLE internal.routines IS 'Which state of functions and policies this database has: the SHA-256 over all their files.';

CREATE TABLE kith.audit (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    subject text,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL
)
PARTITION BY RANGE (id);

ALTER TABLE ONLY kith.audit FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.audit OWNER TO kith_owner;

COMMENT ON TABLE kith.audit IS 'Every act of an operator, of a tenant''s server and of a definer procedure with a privilege. Append-only. Monthly partitions.';

COMMENT ON COLUMN kith.audit.tenant_id IS '0 for what concerns no single tenant.';

COMMENT ON COLUMN kith.audit.actor IS 'operator:<login role>, key:<api key id>, user:<id> or kith.';

CREATE TABLE kith.audit_default (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    subject text,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL
);

ALTER TABLE ONLY kith.audit_default FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.audit_default OWNER TO kith_owner;

CREATE TABLE kith.blocks (
    tenant_id integer NOT NULL,
    user_id uuid NOT NULL,
    blocked_id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT blocks_nobody_blocks_themselves CHECK ((user_id <> blocked_id))
);

ALTER TABLE ONLY kith.blocks FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.blocks OWNER TO kith_owner;

COMMENT ON TABLE kith.blocks IS 'Whom a user wants nothing to do with (X22): the blocked one''s attempts at their codes are misses.';

CREATE TABLE kith.check_ins (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    received_at timestamp with time zone NOT NULL,
    note text,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT check_ins_note_is_short CHECK (((char_length(note) >= 1) AND (char_length(note) <= 500)))
);

ALTER TABLE ONLY kith.check_ins FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.check_ins OWNER TO kith_owner;

COMMENT ON TABLE kith.check_ins IS 'Signs of life: every "I''m safe", whether a ping was open or not.';

COMMENT ON COLUMN kith.check_ins.received_at IS 'When the server received it, by which it counts; not when the database came to it.';

CREATE TABLE kith.code_attempts (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    attempted_at timestamp with time zone NOT NULL,
    outcome text NOT NULL,
    CONSTRAINT code_attempts_outcome_is_known CHECK ((outcome = ANY (ARRAY['found'::text, 'missed'::text, 'blocked'::text])))
);

ALTER TABLE ONLY kith.code_attempts FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.code_attempts OWNER TO kith_owner;

COMMENT ON TABLE kith.code_attempts IS 'Every well-formed code that a user tried: guessing is limited here, so that the limit holds across servers (A08).';

COMMENT ON COLUMN kith.code_attempts.outcome IS 'blocked: refused by the limit, which counts as a miss.';

CREATE TABLE kith.deliveries_default (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    channel text NOT NULL,
    purpose text NOT NULL,
    address text NOT NULL,
    subject text,
    body text,
    sealed_secret bytea,
    status text DEFAULT 'queued'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone NOT NULL,
    leased_until timestamp with time zone,
    leased_by text,
    expires_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone,
    error text,
    created_at timestamp with time zone NOT NULL,
    notification_id uuid,
    is_urgent boolean DEFAULT true NOT NULL,
    provider_id text,
    CONSTRAINT deliveries_are_leased_while_sending CHECK (((status = 'sending'::text) = (leased_until IS NOT NULL))),
    CONSTRAINT deliveries_channel_is_known CHECK ((channel = ANY (ARRAY['apns'::text, 'web_push'::text, 'email'::text, 'sms'::text]))),
    CONSTRAINT deliveries_have_a_text_or_a_notification CHECK (((body IS NULL) = (notification_id IS NOT NULL))),
    CONSTRAINT deliveries_of_notifications_name_theirs CHECK (((purpose = 'notification'::text) = (notification_id IS NOT NULL))),
    CONSTRAINT deliveries_purpose_is_known CHECK ((purpose = ANY (ARRAY['sign_in_code'::text, 'contact_code'::text, 'invitation'::text, 'notification'::text]))),
    CONSTRAINT deliveries_status_is_known CHECK ((status = ANY (ARRAY['queued'::text, 'sending'::text, 'sent'::text, 'failed'::text, 'dropped'::text])))
);

ALTER TABLE ONLY kith.deliveries_default FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.deliveries_default OWNER TO kith_owner;

CREATE TABLE kith.delivery_totals (
    channel text NOT NULL,
    slot integer NOT NULL,
    sent bigint DEFAULT 0 NOT NULL,
    failed bigint DEFAULT 0 NOT NULL,
    dropped bigint DEFAULT 0 NOT NULL,
    retried bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');

ALTER TABLE ONLY kith.delivery_totals FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.delivery_totals OWNER TO kith_owner;

COMMENT ON TABLE kith.delivery_totals IS 'How many deliveries ended how, over all tenants, since the installation began: for metrics.';

COMMENT ON COLUMN kith.delivery_totals.slot IS 'One of 16, by the worker''s name: so that workers seldom wait for each other.';

COMMENT ON COLUMN kith.delivery_totals.retried IS 'Attempts that were not taken and are made again; an attempt is one of sent, failed and retried.';

CREATE TABLE kith.document_chunks (
    tenant_id integer NOT NULL,
    version_id uuid NOT NULL,
    n integer NOT NULL,
    sealed bytea NOT NULL
);
ALTER TABLE ONLY kith.document_chunks ALTER COLUMN sealed SET STORAGE EXTERNAL;

ALTER TABLE ONLY kith.document_chunks FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.document_chunks OWNER TO kith_owner;

COMMENT ON TABLE kith.document_chunks IS 'A piece of a version, from 0.';

COMMENT ON COLUMN kith.document_chunks.sealed IS 'AES-256-GCM under the vault''s key, bound to tenant, vault, document, version and position, and to being the last one.';

CREATE TABLE kith.drafts (
    tenant_id integer NOT NULL,
    user_id uuid NOT NULL,
    vault_id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY kith.drafts FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.drafts OWNER TO kith_owner;

COMMENT ON TABLE kith.drafts IS 'Which vault somebody is about to invite to: what an app hands to its extension, read once (N23).';

CREATE TABLE kith.heartbeats (
    component text NOT NULL,
    instance text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    beat_at timestamp with time zone NOT NULL,
    CONSTRAINT heartbeats_component_is_known CHECK ((component = ANY (ARRAY['server'::text, 'worker'::text])))
);

ALTER TABLE ONLY kith.heartbeats FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.heartbeats OWNER TO kith_owner;

COMMENT ON TABLE kith.heartbeats IS 'The last sign of life of each running process of ours. No tenant: it is the installation''s.';

CREATE TABLE kith.history (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    vault_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    actor_id uuid,
    action text NOT NULL,
    subject_type text NOT NULL,
    subject_id uuid NOT NULL,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT history_subject_type_is_known CHECK ((subject_type = ANY (ARRAY['vault'::text, 'session'::text, 'document'::text, 'nominee'::text, 'transfer'::text, 'share'::text])))
)
PARTITION BY RANGE (id);

ALTER TABLE ONLY kith.history FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.history OWNER TO kith_owner;

COMMENT ON TABLE kith.history IS 'Who did what with a vault (V13). Append-only: the API can neither change nor delete a row. Without names: they are looked up when it is read. Monthly partitions by id.';

COMMENT ON COLUMN kith.history.id IS 'UUID version 7 made from at: the partition follows from it.';

COMMENT ON COLUMN kith.history.actor_id IS 'The user; null for what happened by itself or by an operator.';

CREATE TABLE kith.history_default (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    vault_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    actor_id uuid,
    action text NOT NULL,
    subject_type text NOT NULL,
    subject_id uuid NOT NULL,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT history_subject_type_is_known CHECK ((subject_type = ANY (ARRAY['vault'::text, 'session'::text, 'document'::text, 'nominee'::text, 'transfer'::text, 'share'::text])))
);

ALTER TABLE ONLY kith.history_default FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.history_default OWNER TO kith_owner;

CREATE TABLE kith.idempotency_keys (
    tenant_id integer NOT NULL,
    caller text NOT NULL,
    key text NOT NULL,
    fingerprint bytea NOT NULL,
    sealed_answer bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT idempotency_keys_fingerprint_is_sha256 CHECK ((octet_length(fingerprint) = 32)),
    CONSTRAINT idempotency_keys_key_is_short CHECK (((char_length(key) >= 1) AND (char_length(key) <= 255)))
);

ALTER TABLE ONLY kith.idempotency_keys FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.idempotency_keys OWNER TO kith_owner;

COMMENT ON TABLE kith.idempotency_keys IS 'The answers of POSTs that came with an Idempotency-Key, so that a repeat gets the same and does nothing (A07). Written in the transaction of the effect itself.';

COMMENT ON COLUMN kith.idempotency_keys.caller IS 'Whose key it is: user:<id> or key:<api key id>. Two callers may choose the same.';

COMMENT ON COLUMN kith.idempotency_keys.fingerprint IS 'SHA-256 of method, address and body: the same key with another request is an error of the client''s.';

COMMENT ON COLUMN kith.idempotency_keys.sealed_answer IS 'Status and body, AES-256-GCM under the master key, bound to tenant, caller and key.';

COMMENT ON COLUMN kith.idempotency_keys.expires_at IS '24 hours on; 10 minutes where the answer holds a secret.';

CREATE TABLE kith.jwt_issuers (
    tenant_id integer NOT NULL,
    issuer text NOT NULL,
    audience text NOT NULL,
    claimed_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY kith.jwt_issuers FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.jwt_issuers OWNER TO kith_owner;

COMMENT ON TABLE kith.jwt_issuers IS 'Whose tokens of an issuer for an audience are: of the one tenant that has live keys of it. The unique index reaches over tenants on purpose: it decides between two that come at once.';

CREATE TABLE kith.notification_preferences (
    tenant_id integer NOT NULL,
    user_id uuid NOT NULL,
    type text NOT NULL,
    channels text[] NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT notification_preferences_channels_are_known CHECK ((channels <@ ARRAY['push'::text, 'email'::text, 'sms'::text]))
);

ALTER TABLE ONLY kith.notification_preferences FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.notification_preferences OWNER TO kith_owner;

COMMENT ON TABLE kith.notification_preferences IS 'On which channels a user wants a type of notification, where it is not the default. The notification itself is always written.';

CREATE TABLE kith.notifications_default (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    type text NOT NULL,
    title text NOT NULL,
    body text NOT NULL,
    data jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone,
    delivery_status text DEFAULT 'queued'::text NOT NULL,
    read_at timestamp with time zone,
    deliver_at timestamp with time zone,
    planned_at timestamp with time zone,
    escalates_at timestamp with time zone,
    escalated_at timestamp with time zone,
    CONSTRAINT notifications_delivery_status_is_known CHECK ((delivery_status = ANY (ARRAY['queued'::text, 'sent'::text, 'failed'::text, 'dropped'::text])))
);

ALTER TABLE ONLY kith.notifications_default FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.notifications_default OWNER TO kith_owner;

CREATE TABLE kith.otp_tries (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    address text NOT NULL,
    tried_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY kith.otp_tries FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.otp_tries OWNER TO kith_owner;

COMMENT ON TABLE kith.otp_tries IS 'Each code that was tried for an address, for the limit of ten an hour. Swept after an hour.';

CREATE TABLE kith.pings_default (
    tenant_id integer NOT NULL,
    ping_on date NOT NULL,
    connection_id uuid NOT NULL,
    id uuid NOT NULL,
    sender_id uuid NOT NULL,
    receiver_id uuid NOT NULL,
    status text NOT NULL,
    scheduled_at timestamp with time zone NOT NULL,
    remind_at timestamp with time zone,
    deadline_at timestamp with time zone NOT NULL,
    completed_at timestamp with time zone,
    check_in_id uuid,
    CONSTRAINT pings_completed_says_when CHECK (((status = ANY (ARRAY['completed'::text, 'completed_late'::text])) = (completed_at IS NOT NULL))),
    CONSTRAINT pings_deadline_is_after_schedule CHECK ((deadline_at > scheduled_at)),
    CONSTRAINT pings_status_is_known CHECK ((status = ANY (ARRAY['scheduled'::text, 'due'::text, 'completed'::text, 'missed'::text, 'completed_late'::text, 'cancelled'::text])))
);

ALTER TABLE ONLY kith.pings_default FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.pings_default OWNER TO kith_owner;

CREATE TABLE kith.quiet_hours (
    tenant_id integer NOT NULL,
    user_id uuid NOT NULL,
    starts_at time(0) without time zone NOT NULL,
    ends_at time(0) without time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT quiet_hours_end_other_than_they_start CHECK ((starts_at <> ends_at))
);

ALTER TABLE ONLY kith.quiet_hours FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.quiet_hours OWNER TO kith_owner;

COMMENT ON TABLE kith.quiet_hours IS 'When a user is not to be disturbed (F04), local to their account''s time zone; past midnight where ends_at is before starts_at.';

CREATE TABLE kith.receiver_profiles (
    tenant_id integer NOT NULL,
    user_id uuid NOT NULL,
    subscription_status text DEFAULT 'trial'::text NOT NULL,
    subscription_expires_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    good_until timestamp with time zone GENERATED ALWAYS AS (
CASE
    WHEN ((subscription_status = 'expired'::text) OR ((subscription_status = 'canceled'::text) AND (subscription_expires_at IS NULL))) THEN LEAST(subscription_expires_at, updated_at)
    ELSE subscription_expires_at
END) STORED,
    pings_stop_at timestamp with time zone,
    pings_stopped_at timestamp with time zone,
    CONSTRAINT receiver_profiles_are_told_before_pings_stop CHECK (((pings_stopped_at IS NULL) OR (pings_stop_at IS NOT NULL))),
    CONSTRAINT receiver_profiles_subscription_is_known CHECK ((subscription_status = ANY (ARRAY['trial'::text, 'active'::text, 'past_due'::text, 'canceled'::text, 'expired'::text])))
);

ALTER TABLE ONLY kith.receiver_profiles FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.receiver_profiles OWNER TO kith_owner;

COMMENT ON TABLE kith.receiver_profiles IS 'Who is told, and whether their subscription is in good standing (P09).';

COMMENT ON COLUMN kith.receiver_profiles.good_until IS 'Until when the subscription is in good standing (P09); null: without end. Trial, active, past_due, and canceled until they end; expired, and canceled without an end, until that was said.';

COMMENT ON COLUMN kith.receiver_profiles.pings_stop_at IS 'When pings to this receiver stop, as they and their senders were told when the subscription lapsed; null while it has not (X28).';

COMMENT ON COLUMN kith.receiver_profiles.pings_stopped_at IS 'When the worker stopped them.';

CREATE TABLE kith.refresh_tokens (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    family_id uuid NOT NULL,
    secret_hash bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    successor_id uuid,
    replaced_at timestamp with time zone,
    CONSTRAINT refresh_tokens_hash_is_sha256 CHECK ((octet_length(secret_hash) = 32))
);

ALTER TABLE ONLY kith.refresh_tokens FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.refresh_tokens OWNER TO kith_owner;

COMMENT ON TABLE kith.refresh_tokens IS 'Refresh tokens (kith_rt_…), each good for one use. Only the SHA-256 is kept: a token carries 256 random bits.';

COMMENT ON COLUMN kith.refresh_tokens.successor_id IS 'The token that its use gave; a fresh one where the answer was lost on the way.';

COMMENT ON COLUMN kith.refresh_tokens.replaced_at IS 'When it died unused, because its predecessor was used again within a minute.';

CREATE TABLE kith.share_participants (
    tenant_id integer NOT NULL,
    share_id uuid NOT NULL,
    participant_id text NOT NULL,
    nominee_id uuid NOT NULL,
    acceptance_status text NOT NULL,
    permission text NOT NULL,
    role text NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    removed_at timestamp with time zone,
    CONSTRAINT share_participants_acceptance_is_known CHECK ((acceptance_status = ANY (ARRAY['unknown'::text, 'pending'::text, 'accepted'::text, 'removed'::text]))),
    CONSTRAINT share_participants_id_is_short CHECK (((char_length(participant_id) >= 1) AND (char_length(participant_id) <= 255))),
    CONSTRAINT share_participants_permission_is_known CHECK ((permission = ANY (ARRAY['unknown'::text, 'none'::text, 'readOnly'::text, 'readWrite'::text]))),
    CONSTRAINT share_participants_role_is_known CHECK ((role = ANY (ARRAY['unknown'::text, 'privateUser'::text, 'publicUser'::text])))
);

ALTER TABLE ONLY kith.share_participants FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.share_participants OWNER TO kith_owner;

COMMENT ON TABLE kith.share_participants IS 'Somebody in a share, as the service last said, and the nominee row made of them. Name, phone and e-mail stand there.';

COMMENT ON COLUMN kith.share_participants.nominee_id IS 'The newest row: removed and back again is another nominee.';

CREATE TABLE kith.token_families (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    refreshed_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    end_reason text,
    CONSTRAINT token_families_end_for_a_known_reason CHECK ((end_reason = ANY (ARRAY['signed_out'::text, 'signed_out_everywhere'::text, 'reuse'::text]))),
    CONSTRAINT token_families_end_with_a_reason CHECK (((ended_at IS NULL) = (end_reason IS NULL)))
);

ALTER TABLE ONLY kith.token_families FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.token_families OWNER TO kith_owner;

COMMENT ON TABLE kith.token_families IS 'A sign-in by one-time code: the refresh tokens that came of it, one after the other, and the access tokens that name it as `sid`.';

COMMENT ON COLUMN kith.token_families.expires_at IS 'When its newest refresh token ends.';

CREATE TABLE kith.vault_keys (
    tenant_id integer NOT NULL,
    vault_id uuid NOT NULL,
    wrapped_key bytea NOT NULL,
    created_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY kith.vault_keys FORCE ROW LEVEL SECURITY;

ALTER TABLE kith.vault_keys OWNER TO kith_owner;

COMMENT ON TABLE kith.vault_keys IS 'The key of a vault''s documents. Without this row nobody can read them ever again.';

COMMENT ON COLUMN kith.vault_keys.wrapped_key IS 'AES-256-GCM under the master key, bound to tenant and vault.';

ALTER TABLE ONLY kith.audit ATTACH PARTITION kith.audit_default DEFAULT;

ALTER TABLE ONLY kith.deliveries ATTACH PARTITION kith.deliveries_default DEFAULT;

ALTER TABLE ONLY kith.history ATTACH PARTITION kith.history_default DEFAULT;

ALTER TABLE ONLY kith.notifications ATTACH PARTITION kith.notifications_default DEFAULT;

ALTER TABLE ONLY kith.pings ATTACH PARTITION kith.pings_default DEFAULT;

ALTER TABLE ONLY internal.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (number);

ALTER TABLE ONLY internal.routines
    ADD CONSTRAINT routines_pkey PRIMARY KEY (id);

ALTER TABLE ONLY kith.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.api_keys
    ADD CONSTRAINT api_keys_secret_is_unique UNIQUE (tenant_id, secret_hash);

ALTER TABLE ONLY kith.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.audit_default
    ADD CONSTRAINT audit_default_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.blocks
    ADD CONSTRAINT blocks_pkey PRIMARY KEY (tenant_id, user_id, blocked_id);

ALTER TABLE ONLY kith.breaks
    ADD CONSTRAINT breaks_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.channel_credentials
    ADD CONSTRAINT channel_credentials_pkey PRIMARY KEY (tenant_id, channel);

ALTER TABLE ONLY kith.channel_pauses
    ADD CONSTRAINT channel_pauses_pkey PRIMARY KEY (tenant_id, channel);

ALTER TABLE ONLY kith.check_ins
    ADD CONSTRAINT check_ins_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.code_attempts
    ADD CONSTRAINT code_attempts_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.connection_invitation_recipients
    ADD CONSTRAINT connection_invitation_recipients_pkey PRIMARY KEY (tenant_id, invitation_id, n);

ALTER TABLE ONLY kith.connection_invitations
    ADD CONSTRAINT connection_invitations_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.connections
    ADD CONSTRAINT connections_once_per_pair UNIQUE (tenant_id, sender_id, receiver_id);

ALTER TABLE ONLY kith.connections
    ADD CONSTRAINT connections_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.deliveries_default
    ADD CONSTRAINT deliveries_default_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.delivery_totals
    ADD CONSTRAINT delivery_totals_pkey PRIMARY KEY (channel, slot);

ALTER TABLE ONLY kith.devices
    ADD CONSTRAINT devices_pkey PRIMARY KEY (tenant_id, token);

ALTER TABLE ONLY kith.document_chunks
    ADD CONSTRAINT document_chunks_pkey PRIMARY KEY (tenant_id, version_id, n);

ALTER TABLE ONLY kith.document_versions
    ADD CONSTRAINT document_versions_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.drafts
    ADD CONSTRAINT drafts_pkey PRIMARY KEY (tenant_id, user_id);

ALTER TABLE ONLY kith.heartbeats
    ADD CONSTRAINT heartbeats_pkey PRIMARY KEY (component, instance);

ALTER TABLE ONLY kith.history
    ADD CONSTRAINT history_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.history_default
    ADD CONSTRAINT history_default_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (tenant_id, caller, key);

ALTER TABLE ONLY kith.jwt_issuers
    ADD CONSTRAINT jwt_issuers_pkey PRIMARY KEY (tenant_id, issuer, audience);

ALTER TABLE ONLY kith.jwt_keys
    ADD CONSTRAINT jwt_keys_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.nominee_invitations
    ADD CONSTRAINT nominee_invitations_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.nominees
    ADD CONSTRAINT nominees_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.notification_preferences
    ADD CONSTRAINT notification_preferences_pkey PRIMARY KEY (tenant_id, user_id, type);

ALTER TABLE ONLY kith.notifications
    ADD CONSTRAINT notifications_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.notifications_default
    ADD CONSTRAINT notifications_default_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.otp_codes
    ADD CONSTRAINT otp_codes_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.otp_counts
    ADD CONSTRAINT otp_counts_pkey PRIMARY KEY (tenant_id, counted_on, scope);

ALTER TABLE ONLY kith.otp_tries
    ADD CONSTRAINT otp_tries_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.outages
    ADD CONSTRAINT outages_pkey PRIMARY KEY (component, began_at);

ALTER TABLE ONLY kith.ping_gaps
    ADD CONSTRAINT ping_gaps_pkey PRIMARY KEY (tenant_id, ping_on, connection_id);

ALTER TABLE ONLY kith.ping_runs
    ADD CONSTRAINT ping_runs_pkey PRIMARY KEY (tenant_id, time_zone, ping_on);

ALTER TABLE ONLY kith.pings
    ADD CONSTRAINT pings_pkey PRIMARY KEY (tenant_id, ping_on, connection_id);

ALTER TABLE ONLY kith.pings_default
    ADD CONSTRAINT pings_default_pkey PRIMARY KEY (tenant_id, ping_on, connection_id);

ALTER TABLE ONLY kith.quiet_hours
    ADD CONSTRAINT quiet_hours_pkey PRIMARY KEY (tenant_id, user_id);

ALTER TABLE ONLY kith.receiver_profiles
    ADD CONSTRAINT receiver_profiles_pkey PRIMARY KEY (tenant_id, user_id);

ALTER TABLE ONLY kith.refresh_tokens
    ADD CONSTRAINT refresh_tokens_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.refresh_tokens
    ADD CONSTRAINT refresh_tokens_secret_is_unique UNIQUE (tenant_id, secret_hash);

ALTER TABLE ONLY kith.sender_profiles
    ADD CONSTRAINT sender_profiles_pkey PRIMARY KEY (tenant_id, user_id);

ALTER TABLE ONLY kith.share_participants
    ADD CONSTRAINT share_participants_pkey PRIMARY KEY (tenant_id, share_id, participant_id);

ALTER TABLE ONLY kith.shares
    ADD CONSTRAINT shares_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.tenant_usage
    ADD CONSTRAINT tenant_usage_pkey PRIMARY KEY (tenant_id);

ALTER TABLE ONLY kith.tenants
    ADD CONSTRAINT tenants_pkey PRIMARY KEY (tenant_id);

ALTER TABLE ONLY kith.tenants
    ADD CONSTRAINT tenants_slug_is_unique UNIQUE (slug);

ALTER TABLE ONLY kith.token_families
    ADD CONSTRAINT token_families_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.transfers
    ADD CONSTRAINT transfers_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.undelivered_alarms
    ADD CONSTRAINT undelivered_alarms_pkey PRIMARY KEY (tenant_id, notification_id);

ALTER TABLE ONLY kith.unique_codes
    ADD CONSTRAINT unique_codes_pkey PRIMARY KEY (tenant_id, code);

ALTER TABLE ONLY kith.users
    ADD CONSTRAINT users_external_id_is_unique UNIQUE (tenant_id, external_id);

ALTER TABLE ONLY kith.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.vault_keys
    ADD CONSTRAINT vault_keys_pkey PRIMARY KEY (tenant_id, vault_id);

ALTER TABLE ONLY kith.vault_sessions
    ADD CONSTRAINT vault_sessions_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY kith.vaults
    ADD CONSTRAINT vaults_pkey PRIMARY KEY (tenant_id, id);

CREATE INDEX api_keys_by_hash ON kith.api_keys USING btree (secret_hash);

CREATE INDEX audit_of_subject ON ONLY kith.audit USING btree (tenant_id, subject);

CREATE INDEX audit_default_tenant_id_subject_idx ON kith.audit_default USING btree (tenant_id, subject);

CREATE INDEX blocks_of_blocked ON kith.blocks USING btree (tenant_id, blocked_id);

CREATE INDEX breaks_of_user ON kith.breaks USING btree (tenant_id, user_id, from_on);

CREATE UNIQUE INDEX breaks_one_open_break ON kith.breaks USING btree (tenant_id, user_id) WHERE (ended_at IS NULL);

CREATE INDEX breaks_to_begin ON kith.breaks USING btree (starts_at) WHERE ((ended_at IS NULL) AND (told_until_on IS DISTINCT FROM until_on));

CREATE INDEX breaks_to_end ON kith.breaks USING btree (ends_at) WHERE (ended_at IS NULL);

CREATE INDEX check_ins_of_user ON kith.check_ins USING btree (tenant_id, user_id, received_at DESC);

CREATE INDEX code_attempts_missed ON kith.code_attempts USING btree (tenant_id, attempted_at) WHERE (outcome <> 'found'::text);

CREATE INDEX code_attempts_of_user ON kith.code_attempts USING btree (tenant_id, user_id, attempted_at) INCLUDE (outcome);

CREATE INDEX connection_invitation_recipients_of_delivery ON kith.connection_invitation_recipients USING btree (tenant_id, delivery_id) WHERE (delivery_id IS NOT NULL);

CREATE INDEX connection_invitation_recipients_of_phone ON kith.connection_invitation_recipients USING btree (tenant_id, phone) WHERE (phone IS NOT NULL);

CREATE INDEX connection_invitations_by_age ON kith.connection_invitations USING btree (created_at);

CREATE INDEX connection_invitations_of_user ON kith.connection_invitations USING btree (tenant_id, user_id, id);

CREATE INDEX connections_of_receiver ON kith.connections USING btree (tenant_id, receiver_id, sender_id);

CREATE INDEX connections_to_ping ON kith.connections USING btree (tenant_id, sender_id) INCLUDE (id, receiver_id) WHERE ((status = ANY (ARRAY['active'::text, 'pending'::text])) AND (pings_stopped_at IS NULL));

CREATE INDEX deliveries_left ON ONLY kith.deliveries USING btree (channel, COALESCE(leased_until, next_attempt_at)) WHERE (status = ANY (ARRAY['queued'::text, 'sending'::text]));

CREATE INDEX deliveries_default_channel_coalesce_idx ON kith.deliveries_default USING btree (channel, COALESCE(leased_until, next_attempt_at)) WHERE (status = ANY (ARRAY['queued'::text, 'sending'::text]));

CREATE INDEX deliveries_to_claim ON ONLY kith.deliveries USING btree (channel, tenant_id, is_urgent, COALESCE(leased_until, next_attempt_at)) WHERE (status = ANY (ARRAY['queued'::text, 'sending'::text]));

CREATE INDEX deliveries_default_channel_tenant_id_is_urgent_coalesce_idx ON kith.deliveries_default USING btree (channel, tenant_id, is_urgent, COALESCE(leased_until, next_attempt_at)) WHERE (status = ANY (ARRAY['queued'::text, 'sending'::text]));

CREATE INDEX deliveries_expiring ON ONLY kith.deliveries USING btree (expires_at) WHERE (status = ANY (ARRAY['queued'::text, 'sending'::text]));

CREATE INDEX deliveries_default_expires_at_idx ON kith.deliveries_default USING btree (expires_at) WHERE (status = ANY (ARRAY['queued'::text, 'sending'::text]));

CREATE INDEX deliveries_failed ON ONLY kith.deliveries USING btree (tenant_id, channel, id) WHERE (status = 'failed'::text);

CREATE INDEX deliveries_default_tenant_id_channel_id_idx ON kith.deliveries_default USING btree (tenant_id, channel, id) WHERE (status = 'failed'::text);

CREATE INDEX deliveries_of_notification ON ONLY kith.deliveries USING btree (tenant_id, notification_id) WHERE (notification_id IS NOT NULL);

CREATE INDEX deliveries_default_tenant_id_notification_id_idx ON kith.deliveries_default USING btree (tenant_id, notification_id) WHERE (notification_id IS NOT NULL);

CREATE INDEX devices_of_user ON kith.devices USING btree (tenant_id, user_id, last_seen_at);

CREATE INDEX document_versions_of_document ON kith.document_versions USING btree (tenant_id, document_id);

CREATE INDEX document_versions_of_vault ON kith.document_versions USING btree (tenant_id, vault_id);

CREATE INDEX document_versions_to_sweep ON kith.document_versions USING btree (COALESCE(ended_at, created_at)) WHERE (state <> 'current'::text);

CREATE INDEX documents_deleted ON kith.documents USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

CREATE INDEX documents_of_vault ON kith.documents USING btree (tenant_id, vault_id, id);

CREATE INDEX drafts_by_end ON kith.drafts USING btree (expires_at);

CREATE INDEX history_of_vault ON ONLY kith.history USING btree (tenant_id, vault_id, id);

CREATE INDEX history_default_tenant_id_vault_id_id_idx ON kith.history_default USING btree (tenant_id, vault_id, id);

CREATE INDEX idempotency_keys_by_end ON kith.idempotency_keys USING btree (expires_at);

CREATE UNIQUE INDEX jwt_issuers_are_one_tenants ON kith.jwt_issuers USING btree (issuer, audience);

CREATE INDEX jwt_keys_by_kid ON kith.jwt_keys USING btree (kid, issuer, audience) WHERE (revoked_at IS NULL);

CREATE UNIQUE INDEX jwt_keys_kid_is_unique ON kith.jwt_keys USING btree (tenant_id, kid, issuer, audience) WHERE (revoked_at IS NULL);

CREATE UNIQUE INDEX jwt_keys_one_own_key ON kith.jwt_keys USING btree (tenant_id) WHERE (own AND (revoked_at IS NULL));

CREATE INDEX messages_of_nominee ON kith.messages USING btree (tenant_id, nominee_id, id);

CREATE INDEX messages_of_sender ON kith.messages USING btree (tenant_id, from_id, id);

CREATE INDEX messages_unread ON kith.messages USING btree (tenant_id, nominee_id, from_id) WHERE (read_at IS NULL);

CREATE INDEX nominee_invitations_by_end ON kith.nominee_invitations USING btree (COALESCE(ended_at, expires_at));

CREATE INDEX nominee_invitations_by_hash ON kith.nominee_invitations USING btree (token_hash);

CREATE INDEX nominee_invitations_of_nominee ON kith.nominee_invitations USING btree (tenant_id, nominee_id, id);

CREATE INDEX nominee_invitations_of_owner ON kith.nominee_invitations USING btree (tenant_id, owner_id, id);

CREATE UNIQUE INDEX nominee_invitations_one_live ON kith.nominee_invitations USING btree (tenant_id, nominee_id) WHERE (ended_at IS NULL);

CREATE UNIQUE INDEX nominees_live_once_per_participant ON kith.nominees USING btree (tenant_id, vault_id, share_participant_id) WHERE ((status <> 'revoked'::text) AND (share_participant_id IS NOT NULL));

CREATE UNIQUE INDEX nominees_live_once_per_user ON kith.nominees USING btree (tenant_id, vault_id, user_id) WHERE ((status <> 'revoked'::text) AND (user_id IS NOT NULL));

CREATE INDEX nominees_of_email ON kith.nominees USING btree (tenant_id, email_normalized) WHERE (email_normalized IS NOT NULL);

CREATE INDEX nominees_of_inviter ON kith.nominees USING btree (tenant_id, invited_by_user_id, id) WHERE (share_participant_id IS NULL);

CREATE INDEX nominees_of_owner ON kith.nominees USING btree (tenant_id, owner_id);

CREATE INDEX nominees_of_phone ON kith.nominees USING btree (tenant_id, phone) WHERE (phone IS NOT NULL);

CREATE INDEX nominees_of_user ON kith.nominees USING btree (tenant_id, user_id, vault_id) WHERE (user_id IS NOT NULL);

CREATE INDEX nominees_of_vault ON kith.nominees USING btree (tenant_id, vault_id, id);

CREATE INDEX notifications_unplanned ON ONLY kith.notifications USING btree (COALESCE(deliver_at, created_at), id) WHERE (planned_at IS NULL);

CREATE INDEX notifications_default_coalesce_id_idx ON kith.notifications_default USING btree (COALESCE(deliver_at, created_at), id) WHERE (planned_at IS NULL);

CREATE INDEX notifications_to_escalate ON ONLY kith.notifications USING btree (escalates_at) WHERE (escalates_at IS NOT NULL);

CREATE INDEX notifications_default_escalates_at_idx ON kith.notifications_default USING btree (escalates_at) WHERE (escalates_at IS NOT NULL);

CREATE INDEX notifications_of_user ON ONLY kith.notifications USING btree (tenant_id, user_id, id);

CREATE INDEX notifications_default_tenant_id_user_id_id_idx ON kith.notifications_default USING btree (tenant_id, user_id, id);

CREATE INDEX notifications_unread ON ONLY kith.notifications USING btree (tenant_id, user_id) WHERE (read_at IS NULL);

CREATE INDEX notifications_default_tenant_id_user_id_idx ON kith.notifications_default USING btree (tenant_id, user_id) WHERE (read_at IS NULL);

CREATE INDEX otp_codes_by_age ON kith.otp_codes USING btree (created_at);

CREATE INDEX otp_codes_hashed_by_age ON kith.otp_codes USING btree (created_at) WHERE address_is_hashed;

CREATE INDEX otp_codes_of_address ON kith.otp_codes USING btree (tenant_id, address, created_at);

CREATE INDEX otp_codes_of_user ON kith.otp_codes USING btree (tenant_id, user_id, created_at) WHERE (user_id IS NOT NULL);

CREATE INDEX otp_counts_by_day ON kith.otp_counts USING btree (counted_on);

CREATE INDEX otp_tries_by_age ON kith.otp_tries USING btree (tried_at);

CREATE INDEX otp_tries_of_address ON kith.otp_tries USING btree (tenant_id, address, tried_at);

CREATE UNIQUE INDEX outages_one_open ON kith.outages USING btree (component) WHERE (ended_at IS NULL);

CREATE INDEX ping_runs_by_start ON kith.ping_runs USING btree (starts_at);

CREATE INDEX ping_runs_to_do ON kith.ping_runs USING btree (starts_at, tenant_id, time_zone, ping_on) WHERE (finished_at IS NULL);

CREATE INDEX pings_to_miss ON ONLY kith.pings USING btree (deadline_at, tenant_id, sender_id) WHERE (status = 'due'::text);

CREATE INDEX pings_default_deadline_at_tenant_id_sender_id_idx ON kith.pings_default USING btree (deadline_at, tenant_id, sender_id) WHERE (status = 'due'::text);

CREATE INDEX pings_to_remind ON ONLY kith.pings USING btree (remind_at, tenant_id, sender_id) WHERE ((status = 'due'::text) AND (remind_at IS NOT NULL));

CREATE INDEX pings_default_remind_at_tenant_id_sender_id_idx ON kith.pings_default USING btree (remind_at, tenant_id, sender_id) WHERE ((status = 'due'::text) AND (remind_at IS NOT NULL));

CREATE INDEX pings_to_announce ON ONLY kith.pings USING btree (scheduled_at, tenant_id, sender_id) WHERE (status = 'scheduled'::text);

CREATE INDEX pings_default_scheduled_at_tenant_id_sender_id_idx ON kith.pings_default USING btree (scheduled_at, tenant_id, sender_id) WHERE (status = 'scheduled'::text);

CREATE INDEX pings_of_sender ON ONLY kith.pings USING btree (tenant_id, ping_on, sender_id);

CREATE INDEX pings_default_tenant_id_ping_on_sender_id_idx ON kith.pings_default USING btree (tenant_id, ping_on, sender_id);

CREATE INDEX pings_missed ON ONLY kith.pings USING btree (tenant_id, sender_id, deadline_at) WHERE (status = 'missed'::text);

CREATE INDEX pings_default_tenant_id_sender_id_deadline_at_idx ON kith.pings_default USING btree (tenant_id, sender_id, deadline_at) WHERE (status = 'missed'::text);

CREATE INDEX receiver_profiles_lapsed ON kith.receiver_profiles USING btree (tenant_id) WHERE (pings_stop_at IS NOT NULL);

CREATE INDEX receiver_profiles_to_lapse ON kith.receiver_profiles USING btree (tenant_id, good_until) WHERE ((good_until IS NOT NULL) AND (pings_stop_at IS NULL));

CREATE INDEX receiver_profiles_to_stop ON kith.receiver_profiles USING btree (pings_stop_at) WHERE ((pings_stop_at IS NOT NULL) AND (pings_stopped_at IS NULL));

CREATE INDEX refresh_tokens_by_end ON kith.refresh_tokens USING btree (expires_at);

CREATE INDEX refresh_tokens_by_hash ON kith.refresh_tokens USING btree (secret_hash);

CREATE INDEX refresh_tokens_of_family ON kith.refresh_tokens USING btree (tenant_id, family_id);

CREATE INDEX sender_profiles_by_zone ON kith.sender_profiles USING btree (tenant_id, time_zone, user_id) INCLUDE (ping_time, grace_minutes, reminder_minutes, break_from_on, break_until_on);

CREATE INDEX share_participants_of_nominee ON kith.share_participants USING btree (tenant_id, nominee_id);

CREATE INDEX shares_of_owner ON kith.shares USING btree (tenant_id, owner_id, id);

CREATE UNIQUE INDEX shares_one_live_per_vault ON kith.shares USING btree (tenant_id, vault_id) WHERE (ended_at IS NULL);

CREATE INDEX tenants_by_origin ON kith.tenants USING gin (allowed_origins);

CREATE UNIQUE INDEX tenants_host_is_one_tenants ON kith.tenants USING btree (universal_link_host);

CREATE INDEX token_families_by_end ON kith.token_families USING btree (expires_at);

CREATE INDEX token_families_of_user ON kith.token_families USING btree (tenant_id, user_id) WHERE (ended_at IS NULL);

CREATE INDEX transfers_by_end ON kith.transfers USING btree (COALESCE(ended_at, expires_at));

CREATE INDEX transfers_by_hash ON kith.transfers USING btree (token_hash);

CREATE INDEX transfers_of_email ON kith.transfers USING btree (tenant_id, email_normalized) WHERE (email_normalized IS NOT NULL);

CREATE INDEX transfers_of_owner ON kith.transfers USING btree (tenant_id, owner_id);

CREATE INDEX transfers_of_phone ON kith.transfers USING btree (tenant_id, phone) WHERE (phone IS NOT NULL);

CREATE INDEX transfers_of_recipient ON kith.transfers USING btree (tenant_id, accepted_by) WHERE (accepted_by IS NOT NULL);

CREATE UNIQUE INDEX transfers_one_pending ON kith.transfers USING btree (tenant_id, vault_id) WHERE (status = 'pending'::text);

CREATE INDEX undelivered_alarms_by_age ON kith.undelivered_alarms USING btree (at) WHERE (resolved_at IS NOT NULL);

CREATE INDEX undelivered_alarms_of_user ON kith.undelivered_alarms USING btree (tenant_id, user_id);

CREATE INDEX undelivered_alarms_open ON kith.undelivered_alarms USING btree (at) WHERE (resolved_at IS NULL);

CREATE INDEX unique_codes_of_user ON kith.unique_codes USING btree (tenant_id, user_id);

CREATE UNIQUE INDEX unique_codes_one_permanent_code ON kith.unique_codes USING btree (tenant_id, user_id, role) WHERE (permanent AND (rotated_at IS NULL));

CREATE INDEX users_of_email ON kith.users USING btree (tenant_id, email_normalized, created_at) WHERE ((email IS NOT NULL) AND (deleted_at IS NULL));

CREATE INDEX users_of_phone ON kith.users USING btree (tenant_id, phone, created_at) WHERE ((phone IS NOT NULL) AND (deleted_at IS NULL));

CREATE UNIQUE INDEX users_verified_email_is_unique ON kith.users USING btree (tenant_id, email_normalized) WHERE ((email_verified_at IS NOT NULL) AND (deleted_at IS NULL));

CREATE UNIQUE INDEX users_verified_phone_is_unique ON kith.users USING btree (tenant_id, phone) WHERE ((phone_verified_at IS NOT NULL) AND (deleted_at IS NULL));

CREATE INDEX vault_keys_by_age ON kith.vault_keys USING btree (created_at);

CREATE INDEX vault_sessions_expiring ON kith.vault_sessions USING btree (expires_at) WHERE (locked_at IS NULL);

CREATE INDEX vault_sessions_of_vault ON kith.vault_sessions USING btree (tenant_id, vault_id, id);

CREATE UNIQUE INDEX vault_sessions_one_open_emergency ON kith.vault_sessions USING btree (tenant_id, nominee_id) WHERE ((kind = 'emergency'::text) AND (locked_at IS NULL));

CREATE UNIQUE INDEX vault_sessions_one_open_shared ON kith.vault_sessions USING btree (tenant_id, vault_id) WHERE ((kind = 'shared'::text) AND (locked_at IS NULL));

CREATE INDEX vaults_deleted ON kith.vaults USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

CREATE INDEX vaults_of_owner ON kith.vaults USING btree (tenant_id, owner_id, id);

ALTER INDEX kith.audit_pkey ATTACH PARTITION kith.audit_default_pkey;

ALTER INDEX kith.audit_of_subject ATTACH PARTITION kith.audit_default_tenant_id_subject_idx;

ALTER INDEX kith.deliveries_left ATTACH PARTITION kith.deliveries_default_channel_coalesce_idx;

ALTER INDEX kith.deliveries_to_claim ATTACH PARTITION kith.deliveries_default_channel_tenant_id_is_urgent_coalesce_idx;

ALTER INDEX kith.deliveries_expiring ATTACH PARTITION kith.deliveries_default_expires_at_idx;

ALTER INDEX kith.deliveries_pkey ATTACH PARTITION kith.deliveries_default_pkey;

ALTER INDEX kith.deliveries_failed ATTACH PARTITION kith.deliveries_default_tenant_id_channel_id_idx;

ALTER INDEX kith.deliveries_of_notification ATTACH PARTITION kith.deliveries_default_tenant_id_notification_id_idx;

ALTER INDEX kith.history_pkey ATTACH PARTITION kith.history_default_pkey;

ALTER INDEX kith.history_of_vault ATTACH PARTITION kith.history_default_tenant_id_vault_id_id_idx;

ALTER INDEX kith.notifications_unplanned ATTACH PARTITION kith.notifications_default_coalesce_id_idx;

ALTER INDEX kith.notifications_to_escalate ATTACH PARTITION kith.notifications_default_escalates_at_idx;

ALTER INDEX kith.notifications_pkey ATTACH PARTITION kith.notifications_default_pkey;

ALTER INDEX kith.notifications_of_user ATTACH PARTITION kith.notifications_default_tenant_id_user_id_id_idx;

ALTER INDEX kith.notifications_unread ATTACH PARTITION kith.notifications_default_tenant_id_user_id_idx;

ALTER INDEX kith.pings_to_miss ATTACH PARTITION kith.pings_default_deadline_at_tenant_id_sender_id_idx;

ALTER INDEX kith.pings_pkey ATTACH PARTITION kith.pings_default_pkey;

ALTER INDEX kith.pings_to_remind ATTACH PARTITION kith.pings_default_remind_at_tenant_id_sender_id_idx;

ALTER INDEX kith.pings_to_announce ATTACH PARTITION kith.pings_default_scheduled_at_tenant_id_sender_id_idx;

ALTER INDEX kith.pings_of_sender ATTACH PARTITION kith.pings_default_tenant_id_ping_on_sender_id_idx;

ALTER INDEX kith.pings_missed ATTACH PARTITION kith.pings_default_tenant_id_sender_id_deadline_at_idx;

ALTER TABLE ONLY kith.api_keys
    ADD CONSTRAINT api_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.blocks
    ADD CONSTRAINT blocks_blocked FOREIGN KEY (tenant_id, blocked_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.blocks
    ADD CONSTRAINT blocks_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.breaks
    ADD CONSTRAINT breaks_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.channel_credentials
    ADD CONSTRAINT channel_credentials_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.check_ins
    ADD CONSTRAINT check_ins_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.code_attempts
    ADD CONSTRAINT code_attempts_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.connection_invitation_recipients
    ADD CONSTRAINT connection_invitation_recipients_invitation FOREIGN KEY (tenant_id, invitation_id) REFERENCES kith.connection_invitations(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.connection_invitations
    ADD CONSTRAINT connection_invitations_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.connections
    ADD CONSTRAINT connections_receiver FOREIGN KEY (tenant_id, receiver_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.connections
    ADD CONSTRAINT connections_sender FOREIGN KEY (tenant_id, sender_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.devices
    ADD CONSTRAINT devices_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.document_chunks
    ADD CONSTRAINT document_chunks_version FOREIGN KEY (tenant_id, version_id) REFERENCES kith.document_versions(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.document_versions
    ADD CONSTRAINT document_versions_vault FOREIGN KEY (tenant_id, vault_id) REFERENCES kith.vaults(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.documents
    ADD CONSTRAINT documents_vault FOREIGN KEY (tenant_id, vault_id) REFERENCES kith.vaults(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.drafts
    ADD CONSTRAINT drafts_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.drafts
    ADD CONSTRAINT drafts_vault FOREIGN KEY (tenant_id, vault_id) REFERENCES kith.vaults(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.idempotency_keys
    ADD CONSTRAINT idempotency_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.jwt_issuers
    ADD CONSTRAINT jwt_issuers_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.jwt_keys
    ADD CONSTRAINT jwt_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.messages
    ADD CONSTRAINT messages_nominee FOREIGN KEY (tenant_id, nominee_id) REFERENCES kith.nominees(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.nominee_invitations
    ADD CONSTRAINT nominee_invitations_nominee FOREIGN KEY (tenant_id, nominee_id) REFERENCES kith.nominees(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.nominees
    ADD CONSTRAINT nominees_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.nominees
    ADD CONSTRAINT nominees_vault FOREIGN KEY (tenant_id, vault_id) REFERENCES kith.vaults(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.notification_preferences
    ADD CONSTRAINT notification_preferences_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.otp_codes
    ADD CONSTRAINT otp_codes_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.otp_codes
    ADD CONSTRAINT otp_codes_user_exists FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.otp_counts
    ADD CONSTRAINT otp_counts_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.otp_tries
    ADD CONSTRAINT otp_tries_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.ping_gaps
    ADD CONSTRAINT ping_gaps_connection FOREIGN KEY (tenant_id, connection_id) REFERENCES kith.connections(tenant_id, id);

ALTER TABLE ONLY kith.ping_runs
    ADD CONSTRAINT ping_runs_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.quiet_hours
    ADD CONSTRAINT quiet_hours_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.receiver_profiles
    ADD CONSTRAINT receiver_profiles_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.refresh_tokens
    ADD CONSTRAINT refresh_tokens_family_exists FOREIGN KEY (tenant_id, family_id) REFERENCES kith.token_families(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.refresh_tokens
    ADD CONSTRAINT refresh_tokens_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.sender_profiles
    ADD CONSTRAINT sender_profiles_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.share_participants
    ADD CONSTRAINT share_participants_nominee FOREIGN KEY (tenant_id, nominee_id) REFERENCES kith.nominees(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.share_participants
    ADD CONSTRAINT share_participants_share FOREIGN KEY (tenant_id, share_id) REFERENCES kith.shares(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.shares
    ADD CONSTRAINT shares_vault FOREIGN KEY (tenant_id, vault_id) REFERENCES kith.vaults(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.tenant_usage
    ADD CONSTRAINT tenant_usage_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.token_families
    ADD CONSTRAINT token_families_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.token_families
    ADD CONSTRAINT token_families_user_exists FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.transfers
    ADD CONSTRAINT transfers_vault FOREIGN KEY (tenant_id, vault_id) REFERENCES kith.vaults(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.unique_codes
    ADD CONSTRAINT unique_codes_user FOREIGN KEY (tenant_id, user_id) REFERENCES kith.users(tenant_id, id);

ALTER TABLE ONLY kith.users
    ADD CONSTRAINT users_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES kith.tenants(tenant_id);

ALTER TABLE ONLY kith.vault_keys
    ADD CONSTRAINT vault_keys_vault FOREIGN KEY (tenant_id, vault_id) REFERENCES kith.vaults(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.vault_sessions
    ADD CONSTRAINT vault_sessions_vault FOREIGN KEY (tenant_id, vault_id) REFERENCES kith.vaults(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY kith.vaults
    ADD CONSTRAINT vaults_owner FOREIGN KEY (tenant_id, owner_id) REFERENCES kith.users(tenant_id, id);

CREATE POLICY "a caller keeps an answer" ON kith.idempotency_keys FOR INSERT TO kith_api WITH CHECK ((caller = kith.caller()));

COMMENT ON POLICY "a caller keeps an answer" ON kith.idempotency_keys IS 'In the transaction in which the answer came about.';

CREATE POLICY "a caller replaces an answer that has expired" ON kith.idempotency_keys FOR UPDATE TO kith_api USING ((caller = kith.caller())) WITH CHECK ((caller = kith.caller()));

COMMENT ON POLICY "a caller replaces an answer that has expired" ON kith.idempotency_keys IS 'Before the worker has swept it away.';

CREATE POLICY "a caller sees the own keys" ON kith.idempotency_keys FOR SELECT TO kith_api USING ((caller = kith.caller()));

COMMENT ON POLICY "a caller sees the own keys" ON kith.idempotency_keys IS 'The scope of a key is its caller: nobody is given another''s answer.';

CREATE POLICY "a nominee sees the own row" ON kith.nominees FOR SELECT TO kith_api USING ((user_id = kith.user_id()));

COMMENT ON POLICY "a nominee sees the own row" ON kith.nominees IS 'Also a revoked one: it says why. It looks into no other table, since the policies of vaults look here.';

CREATE POLICY "a nominee sees the vault" ON kith.vaults FOR SELECT TO kith_api USING (((deleted_at IS NULL) AND ( SELECT true
   FROM kith.nominees nominee
  WHERE ((nominee.tenant_id = vaults.tenant_id) AND (nominee.vault_id = vaults.id) AND (nominee.user_id = kith.user_id()) AND (nominee.status <> 'revoked'::text)))));

COMMENT ON POLICY "a nominee sees the vault" ON kith.vaults IS 'Whoever waits for the owner''s word, or whose access is paused, sees its name too, and nothing that is in it.';

CREATE POLICY "a nominee sees when the vault is open" ON kith.vault_sessions FOR SELECT TO kith_api USING (((kind = 'shared'::text) AND ( SELECT true
   FROM kith.nominees nominee
  WHERE ((nominee.tenant_id = vault_sessions.tenant_id) AND (nominee.vault_id = vault_sessions.vault_id) AND (nominee.user_id = kith.user_id()) AND (nominee.status = 'accepted'::text)))));

COMMENT ON POLICY "a nominee sees when the vault is open" ON kith.vault_sessions IS 'Policies of nominees look into no other table, so nothing goes round.';

CREATE POLICY "a receiver makes the own profile" ON kith.receiver_profiles FOR INSERT TO kith_api WITH CHECK (((user_id = kith.user_id()) AND (subscription_status = 'trial'::text) AND (subscription_expires_at IS NULL)));

COMMENT ON POLICY "a receiver makes the own profile" ON kith.receiver_profiles IS 'Every receiver starts on trial; the rest is the tenant''s server to say.';

CREATE POLICY "a receiver sees the own profile" ON kith.receiver_profiles FOR SELECT TO kith_api USING ((user_id = kith.user_id()));

COMMENT ON POLICY "a receiver sees the own profile" ON kith.receiver_profiles IS 'Whether somebody else is in good standing is only told by internal.accepts_connections.';

CREATE POLICY "a receiver sees the profiles of senders connected with them" ON kith.sender_profiles FOR SELECT TO kith_api USING (( SELECT true
   FROM kith.connections connection
  WHERE ((connection.tenant_id = sender_profiles.tenant_id) AND (connection.sender_id = sender_profiles.user_id) AND (connection.receiver_id = kith.user_id()) AND (connection.status <> 'deleted'::text))));

COMMENT ON POLICY "a receiver sees the profiles of senders connected with them" ON kith.sender_profiles IS 'For the sender''s local date. One look-up; EXISTS instead of the scalar subquery would become a hash of everybody connected.';

CREATE POLICY "a request sees its own tenant only" ON kith.api_keys AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.api_keys IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.audit AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.audit IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.blocks AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.blocks IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.breaks AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.breaks IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.channel_credentials AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.channel_credentials IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.channel_pauses AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.channel_pauses IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.check_ins AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.check_ins IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.code_attempts AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.code_attempts IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.connection_invitation_recipients AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.connection_invitation_recipients IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.connection_invitations AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.connection_invitations IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.connections AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.connections IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.deliveries AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.deliveries IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.devices AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.devices IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.document_chunks AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.document_chunks IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.document_versions AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.document_versions IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.documents AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.documents IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.drafts AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.drafts IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.history AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.history IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.idempotency_keys AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.idempotency_keys IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.jwt_issuers AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.jwt_issuers IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.jwt_keys AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.jwt_keys IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.messages AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.messages IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.nominee_invitations AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.nominee_invitations IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.nominees AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.nominees IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.notification_preferences AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.notification_preferences IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.notifications AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.notifications IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.otp_codes AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.otp_codes IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.otp_counts AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.otp_counts IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.otp_tries AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.otp_tries IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.ping_gaps AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.ping_gaps IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.ping_runs AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.ping_runs IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.pings AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.pings IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.quiet_hours AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.quiet_hours IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.receiver_profiles AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.receiver_profiles IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.refresh_tokens AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.refresh_tokens IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.sender_profiles AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.sender_profiles IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.share_participants AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.share_participants IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.shares AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.shares IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.tenant_usage AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.tenant_usage IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.tenants AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.tenants IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.token_families AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.token_families IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.transfers AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.transfers IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.undelivered_alarms AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.undelivered_alarms IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.unique_codes AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.unique_codes IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.users AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.users IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.vault_keys AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.vault_keys IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.vault_sessions AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.vault_sessions IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees its own tenant only" ON kith.vaults AS RESTRICTIVE TO kith_api USING ((tenant_id = kith.tenant_id())) WITH CHECK ((tenant_id = kith.tenant_id()));

COMMENT ON POLICY "a request sees its own tenant only" ON kith.vaults IS 'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

CREATE POLICY "a request sees the settings of its tenant" ON kith.tenants FOR SELECT TO kith_api USING (true);

COMMENT ON POLICY "a request sees the settings of its tenant" ON kith.tenants IS 'The restrictive policy leaves the one row of the tenant.';

CREATE POLICY "a sender changes the own profile" ON kith.sender_profiles FOR UPDATE TO kith_api USING ((user_id = kith.user_id())) WITH CHECK ((user_id = kith.user_id()));

COMMENT ON POLICY "a sender changes the own profile" ON kith.sender_profiles IS 'Times, and the last check-in.';

CREATE POLICY "a sender checks in" ON kith.check_ins FOR INSERT TO kith_api WITH CHECK ((user_id = kith.user_id()));

COMMENT ON POLICY "a sender checks in" ON kith.check_ins IS 'Nobody is safe by another''s word.';

CREATE POLICY "a sender invites" ON kith.connection_invitations FOR INSERT TO kith_api WITH CHECK ((user_id = kith.user_id()));

COMMENT ON POLICY "a sender invites" ON kith.connection_invitations IS 'In the own name only.';

CREATE POLICY "a sender makes the own profile" ON kith.sender_profiles FOR INSERT TO kith_api WITH CHECK ((user_id = kith.user_id()));

COMMENT ON POLICY "a sender makes the own profile" ON kith.sender_profiles IS 'Nobody becomes a sender by another''s hand.';

CREATE POLICY "a sender names recipients" ON kith.connection_invitation_recipients FOR INSERT TO kith_api WITH CHECK ((user_id = kith.user_id()));

COMMENT ON POLICY "a sender names recipients" ON kith.connection_invitation_recipients IS 'In the own name only; the foreign key binds them to an invitation of the tenant.';

CREATE POLICY "a sender says what became of a text" ON kith.connection_invitation_recipients FOR UPDATE TO kith_api USING ((user_id = kith.user_id())) WITH CHECK ((user_id = kith.user_id()));

COMMENT ON POLICY "a sender says what became of a text" ON kith.connection_invitation_recipients IS 'Which change is allowed the procedure says; the number itself is not granted.';

CREATE POLICY "a sender sees the own breaks" ON kith.breaks FOR SELECT TO kith_api USING ((user_id = kith.user_id()));

COMMENT ON POLICY "a sender sees the own breaks" ON kith.breaks IS 'Receivers see the current one through internal.own_connections. They are written by internal.replace_break only.';

CREATE POLICY "a sender sees the own check-ins" ON kith.check_ins FOR SELECT TO kith_api USING ((user_id = kith.user_id()));

COMMENT ON POLICY "a sender sees the own check-ins" ON kith.check_ins IS 'A note is the sender''s own; receivers see when through sender_profiles.last_check_in_at.';

CREATE POLICY "a sender sees the own invitations" ON kith.connection_invitations FOR SELECT TO kith_api USING ((user_id = kith.user_id()));

COMMENT ON POLICY "a sender sees the own invitations" ON kith.connection_invitations IS 'Whom somebody invites is theirs to know.';

CREATE POLICY "a sender sees the own profile" ON kith.sender_profiles FOR SELECT TO kith_api USING ((user_id = kith.user_id()));

COMMENT ON POLICY "a sender sees the own profile" ON kith.sender_profiles IS 'Those of senders connected with them are in sender_profiles_of_connections.sql.';

CREATE POLICY "a sender sees whom they invited" ON kith.connection_invitation_recipients FOR SELECT TO kith_api USING ((user_id = kith.user_id()));

COMMENT ON POLICY "a sender sees whom they invited" ON kith.connection_invitation_recipients IS 'The numbers are those of people who are nobody''s users yet.';

CREATE POLICY "a user changes the own account" ON kith.users FOR UPDATE TO kith_api USING ((id = kith.user_id())) WITH CHECK ((id = kith.user_id()));

COMMENT ON POLICY "a user changes the own account" ON kith.users IS 'Columns that are not a user''s to change are not granted.';

CREATE POLICY "a user connects through a code of the other side" ON kith.connections FOR INSERT TO kith_api WITH CHECK ((((kith.user_id() = sender_id) OR (kith.user_id() = receiver_id)) AND (code_owner_id <> kith.user_id()) AND (status = ANY (ARRAY['pending'::text, 'active'::text]))));

COMMENT ON POLICY "a user connects through a code of the other side" ON kith.connections IS 'The code''s owner is the other side, always.';

CREATE POLICY "a user makes vaults of the own" ON kith.vaults FOR INSERT TO kith_api WITH CHECK (((owner_id = kith.user_id()) AND (deleted_at IS NULL)));

COMMENT ON POLICY "a user makes vaults of the own" ON kith.vaults IS 'Nobody else''s.';

CREATE POLICY "a user marks the own notifications read" ON kith.notifications FOR UPDATE TO kith_api USING ((user_id = kith.user_id())) WITH CHECK ((user_id = kith.user_id()));

COMMENT ON POLICY "a user marks the own notifications read" ON kith.notifications IS 'Only read_at is granted.';

CREATE POLICY "a user sees the own account" ON kith.users FOR SELECT TO kith_api USING ((id = kith.user_id()));

COMMENT ON POLICY "a user sees the own account" ON kith.users IS 'Names of people connected with them come through the view internal.own_connections.';

CREATE POLICY "a user sees the own codes" ON kith.unique_codes FOR SELECT TO kith_api USING ((user_id = kith.user_id()));

COMMENT ON POLICY "a user sees the own codes" ON kith.unique_codes IS 'Another''s code is found by internal.attempt_code only, which counts the attempt; codes are made by internal.new_code.';

CREATE POLICY "a user sees the own devices" ON kith.devices FOR SELECT TO kith_api USING ((user_id = kith.user_id()));

COMMENT ON POLICY "a user sees the own devices" ON kith.devices IS 'They are written by definers: a token moves from one user to another with the phone.';

CREATE POLICY "a user sees the own notifications" ON kith.notifications FOR SELECT TO kith_api USING ((user_id = kith.user_id()));

COMMENT ON POLICY "a user sees the own notifications" ON kith.notifications IS 'They are written by definer procedures only: nobody can forge an alarm.';

CREATE POLICY "a user sees the own preferences" ON kith.notification_preferences FOR SELECT TO kith_api USING ((user_id = kith.user_id()));

COMMENT ON POLICY "a user sees the own preferences" ON kith.notification_preferences IS 'They are written whole, by a definer: nobody deletes through the API.';

CREATE POLICY "a user sees the own quiet hours" ON kith.quiet_hours FOR SELECT TO kith_api USING ((user_id = kith.user_id()));

COMMENT ON POLICY "a user sees the own quiet hours" ON kith.quiet_hours IS 'They are written by definers, which lock the account.';

CREATE POLICY "a user sees whom they have blocked" ON kith.blocks FOR SELECT TO kith_api USING ((user_id = kith.user_id()));

COMMENT ON POLICY "a user sees whom they have blocked" ON kith.blocks IS 'Never by whom one is blocked.';

CREATE POLICY "an operator reads every tenant" ON kith.api_keys FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.api_keys IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.audit FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.audit IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.blocks FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.blocks IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.breaks FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.breaks IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.channel_credentials FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.channel_credentials IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.channel_pauses FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.channel_pauses IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.check_ins FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.check_ins IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.code_attempts FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.code_attempts IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.connection_invitation_recipients FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.connection_invitation_recipients IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.connection_invitations FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.connection_invitations IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.connections FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.connections IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.deliveries FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.deliveries IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.devices FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.devices IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.document_chunks FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.document_chunks IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.document_versions FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.document_versions IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.documents FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.documents IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.drafts FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.drafts IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.history FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.history IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.jwt_issuers FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.jwt_issuers IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.jwt_keys FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.jwt_keys IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.messages FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.messages IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.nominee_invitations FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.nominee_invitations IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.nominees FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.nominees IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.notification_preferences FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.notification_preferences IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.notifications FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.notifications IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.otp_codes FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.otp_codes IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.otp_counts FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.otp_counts IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.otp_tries FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.otp_tries IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.ping_gaps FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.ping_gaps IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.ping_runs FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.ping_runs IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.pings FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.pings IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.quiet_hours FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.quiet_hours IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.receiver_profiles FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.receiver_profiles IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.refresh_tokens FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.refresh_tokens IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.sender_profiles FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.sender_profiles IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.share_participants FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.share_participants IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.shares FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.shares IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.tenant_usage FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.tenant_usage IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.tenants FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.tenants IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.token_families FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.token_families IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.transfers FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.transfers IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.undelivered_alarms FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.undelivered_alarms IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.unique_codes FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.unique_codes IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.users FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.users IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.vault_keys FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.vault_keys IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.vault_sessions FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.vault_sessions IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads every tenant" ON kith.vaults FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads every tenant" ON kith.vaults IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads it" ON kith.delivery_totals FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads it" ON kith.delivery_totals IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads it" ON kith.heartbeats FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads it" ON kith.heartbeats IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an operator reads it" ON kith.outages FOR SELECT TO kith_admin USING (true);

COMMENT ON POLICY "an operator reads it" ON kith.outages IS 'G01: operators change through the procedures of schema admin only.';

CREATE POLICY "an owner changes the own vaults" ON kith.vaults FOR UPDATE TO kith_api USING ((owner_id = kith.user_id())) WITH CHECK ((owner_id = kith.user_id()));

COMMENT ON POLICY "an owner changes the own vaults" ON kith.vaults IS 'Name and settings only; deleting ends what is others'', so a definer does it.';

CREATE POLICY "an owner sees the history of the own vaults" ON kith.history FOR SELECT TO kith_api USING (( SELECT true
   FROM kith.vaults vault
  WHERE ((vault.tenant_id = history.tenant_id) AND (vault.id = history.vault_id) AND (vault.owner_id = kith.user_id()))));

COMMENT ON POLICY "an owner sees the history of the own vaults" ON kith.history IS 'Nobody changes it: neither insert, update nor delete is granted to anybody.';

CREATE POLICY "an owner sees the invitations to the own vaults" ON kith.nominee_invitations FOR SELECT TO kith_api USING ((owner_id = kith.user_id()));

COMMENT ON POLICY "an owner sees the invitations to the own vaults" ON kith.nominee_invitations IS 'But for the hash of the token, which is not granted.';

CREATE POLICY "an owner sees the nominees of the own vaults" ON kith.nominees FOR SELECT TO kith_api USING ((owner_id = kith.user_id()));

COMMENT ON POLICY "an owner sees the nominees of the own vaults" ON kith.nominees IS 'With their contacts, as the owner wrote them.';

CREATE POLICY "an owner sees the own offers" ON kith.transfers FOR SELECT TO kith_api USING ((owner_id = kith.user_id()));

COMMENT ON POLICY "an owner sees the own offers" ON kith.transfers IS 'But for the hash of the token, which is not granted.';

CREATE POLICY "an owner sees the own vaults" ON kith.vaults FOR SELECT TO kith_api USING ((owner_id = kith.user_id()));

COMMENT ON POLICY "an owner sees the own vaults" ON kith.vaults IS 'Deleted ones too: they can be restored.';

CREATE POLICY "an owner sees the sessions of the own vaults" ON kith.vault_sessions FOR SELECT TO kith_api USING ((owner_id = kith.user_id()));

COMMENT ON POLICY "an owner sees the sessions of the own vaults" ON kith.vault_sessions IS 'They are written by definer procedures only.';

CREATE POLICY "an owner sees the shares of the own vaults" ON kith.shares FOR SELECT TO kith_api USING ((owner_id = kith.user_id()));

COMMENT ON POLICY "an owner sees the shares of the own vaults" ON kith.shares IS 'They are written by definer procedures only.';

ALTER TABLE kith.api_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.audit ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.audit_default ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.blocks ENABLE ROW LEVEL SECURITY;

CREATE POLICY "both sides change their connection" ON kith.connections FOR UPDATE TO kith_api USING (((kith.user_id() = sender_id) OR (kith.user_id() = receiver_id))) WITH CHECK (((kith.user_id() = sender_id) OR (kith.user_id() = receiver_id)));

COMMENT ON POLICY "both sides change their connection" ON kith.connections IS 'Which change is allowed to whom the procedures say; the two sides themselves are not granted.';

CREATE POLICY "both sides see the pings of their connection" ON kith.pings FOR SELECT TO kith_api USING (((kith.user_id() = sender_id) OR (kith.user_id() = receiver_id)));

COMMENT ON POLICY "both sides see the pings of their connection" ON kith.pings IS 'While a connection is pending the procedures show them to the sender only (P29). Nobody changes one but through a definer.';

CREATE POLICY "both sides see their connection" ON kith.connections FOR SELECT TO kith_api USING (((kith.user_id() = sender_id) OR (kith.user_id() = receiver_id)));

COMMENT ON POLICY "both sides see their connection" ON kith.connections IS 'Deleted ones too: a policy that hid them would make the soft-deleting UPDATE fail, and connecting again could not find the row.';

CREATE POLICY "both sides see what they wrote to each other" ON kith.messages FOR SELECT TO kith_api USING (((kith.user_id() = owner_id) OR (kith.user_id() = nominee_user_id)));

COMMENT ON POLICY "both sides see what they wrote to each other" ON kith.messages IS 'An owner of before keeps it, the next one has none of it.';

ALTER TABLE kith.breaks ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.channel_credentials ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.channel_pauses ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.check_ins ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.code_attempts ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.connection_invitation_recipients ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.connection_invitations ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.connections ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.deliveries ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.deliveries_default ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.delivery_totals ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.devices ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.document_chunks ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.document_versions ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.documents ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.drafts ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.heartbeats ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.history ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.history_default ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.idempotency_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.jwt_issuers ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.jwt_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.messages ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.nominee_invitations ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.nominees ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.notification_preferences ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.notifications ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.notifications_default ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.otp_codes ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.otp_counts ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.otp_tries ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.outages ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.ping_gaps ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.ping_runs ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.pings ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.pings_default ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.quiet_hours ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.receiver_profiles ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.refresh_tokens ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.sender_profiles ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.share_participants ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.shares ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.tenant_usage ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.tenants ENABLE ROW LEVEL SECURITY;

CREATE POLICY "the owner may do everything" ON kith.api_keys TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.api_keys IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.audit TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.audit IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.blocks TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.blocks IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.breaks TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.breaks IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.channel_credentials TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.channel_credentials IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.channel_pauses TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.channel_pauses IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.check_ins TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.check_ins IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.code_attempts TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.code_attempts IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.connection_invitation_recipients TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.connection_invitation_recipients IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.connection_invitations TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.connection_invitations IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.connections TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.connections IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.deliveries TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.deliveries IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.delivery_totals TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.delivery_totals IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.devices TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.devices IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.document_chunks TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.document_chunks IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.document_versions TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.document_versions IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.documents TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.documents IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.drafts TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.drafts IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.heartbeats TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.heartbeats IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.history TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.history IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.idempotency_keys TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.idempotency_keys IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.jwt_issuers TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.jwt_issuers IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.jwt_keys TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.jwt_keys IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.messages TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.messages IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.nominee_invitations TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.nominee_invitations IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.nominees TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.nominees IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.notification_preferences TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.notification_preferences IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.notifications TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.notifications IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.otp_codes TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.otp_codes IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.otp_counts TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.otp_counts IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.otp_tries TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.otp_tries IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.outages TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.outages IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.ping_gaps TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.ping_gaps IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.ping_runs TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.ping_runs IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.pings TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.pings IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.quiet_hours TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.quiet_hours IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.receiver_profiles TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.receiver_profiles IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.refresh_tokens TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.refresh_tokens IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.sender_profiles TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.sender_profiles IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.share_participants TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.share_participants IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.shares TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.shares IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.tenant_usage TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.tenant_usage IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.tenants TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.tenants IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.token_families TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.token_families IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.transfers TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.transfers IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.undelivered_alarms TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.undelivered_alarms IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.unique_codes TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.unique_codes IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.users TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.users IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.vault_keys TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.vault_keys IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.vault_sessions TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.vault_sessions IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner may do everything" ON kith.vaults TO kith_owner USING (true) WITH CHECK (true);

COMMENT ON POLICY "the owner may do everything" ON kith.vaults IS 'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.api_keys AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.api_keys IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.audit AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.audit IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.blocks AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.blocks IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.breaks AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.breaks IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.channel_credentials AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.channel_credentials IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.channel_pauses AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.channel_pauses IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.check_ins AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.check_ins IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.code_attempts AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.code_attempts IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.connection_invitation_recipients AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.connection_invitation_recipients IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.connection_invitations AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.connection_invitations IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.connections AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.connections IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.deliveries AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.deliveries IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.devices AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.devices IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.document_chunks AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.document_chunks IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.document_versions AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.document_versions IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.documents AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.documents IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.drafts AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.drafts IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.history AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.history IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.idempotency_keys AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.idempotency_keys IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.jwt_issuers AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.jwt_issuers IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.jwt_keys AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.jwt_keys IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.messages AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.messages IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.nominee_invitations AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.nominee_invitations IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.nominees AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.nominees IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.notification_preferences AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.notification_preferences IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.notifications AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.notifications IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.otp_codes AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.otp_codes IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.otp_counts AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.otp_counts IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.otp_tries AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.otp_tries IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.ping_gaps AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.ping_gaps IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.ping_runs AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.ping_runs IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.pings AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.pings IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.quiet_hours AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.quiet_hours IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.receiver_profiles AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.receiver_profiles IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.refresh_tokens AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.refresh_tokens IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.sender_profiles AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.sender_profiles IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.share_participants AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.share_participants IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.shares AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.shares IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.tenant_usage AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.tenant_usage IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.tenants AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.tenants IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.token_families AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.token_families IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.transfers AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.transfers IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.undelivered_alarms AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.undelivered_alarms IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.unique_codes AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.unique_codes IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.users AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.users IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.vault_keys AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.vault_keys IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.vault_sessions AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.vault_sessions IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the owner stays within the tenant that is set" ON kith.vaults AS RESTRICTIVE TO kith_owner USING ((tenant_id = COALESCE(kith.tenant_id(), tenant_id))) WITH CHECK ((tenant_id = COALESCE(kith.tenant_id(), tenant_id)));

COMMENT ON POLICY "the owner stays within the tenant that is set" ON kith.vaults IS 'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

CREATE POLICY "the worker sees every tenant" ON kith.breaks TO kith_worker USING (true);

COMMENT ON POLICY "the worker sees every tenant" ON kith.breaks IS 'It tells of them, through a definer.';

CREATE POLICY "the worker sees every tenant" ON kith.check_ins TO kith_worker USING (true);

COMMENT ON POLICY "the worker sees every tenant" ON kith.check_ins IS 'It judges by them.';

CREATE POLICY "the worker sees every tenant" ON kith.connections TO kith_worker USING (true);

COMMENT ON POLICY "the worker sees every tenant" ON kith.connections IS 'It generates pings for connections.';

CREATE POLICY "the worker sees every tenant" ON kith.heartbeats TO kith_worker USING (true);

COMMENT ON POLICY "the worker sees every tenant" ON kith.heartbeats IS 'The worker beats, watches the servers and sweeps the dead.';

CREATE POLICY "the worker sees every tenant" ON kith.notifications TO kith_worker USING (true);

COMMENT ON POLICY "the worker sees every tenant" ON kith.notifications IS 'They are written by definer procedures, with their cause.';

CREATE POLICY "the worker sees every tenant" ON kith.outages TO kith_worker USING (true);

COMMENT ON POLICY "the worker sees every tenant" ON kith.outages IS 'It records when Kith was away, and waits for that.';

CREATE POLICY "the worker sees every tenant" ON kith.ping_gaps TO kith_worker USING (true);

COMMENT ON POLICY "the worker sees every tenant" ON kith.ping_gaps IS 'It records the gaps that it finds.';

CREATE POLICY "the worker sees every tenant" ON kith.ping_runs TO kith_worker USING (true);

COMMENT ON POLICY "the worker sees every tenant" ON kith.ping_runs IS 'It claims runs and moves their cursors.';

CREATE POLICY "the worker sees every tenant" ON kith.pings TO kith_worker USING (true);

COMMENT ON POLICY "the worker sees every tenant" ON kith.pings IS 'It generates; it announces, reminds and misses through definers.';

CREATE POLICY "the worker sees every tenant" ON kith.receiver_profiles TO kith_worker USING (true);

COMMENT ON POLICY "the worker sees every tenant" ON kith.receiver_profiles IS 'It reads subscriptions.';

CREATE POLICY "the worker sees every tenant" ON kith.sender_profiles TO kith_worker USING (true);

COMMENT ON POLICY "the worker sees every tenant" ON kith.sender_profiles IS 'It generates pings by zone and time.';

CREATE POLICY "the worker sees every tenant" ON kith.tenants TO kith_worker USING (true);

COMMENT ON POLICY "the worker sees every tenant" ON kith.tenants IS 'It reads settings and whether the tenant is deleted.';

CREATE POLICY "the worker sees every tenant" ON kith.users TO kith_worker USING (true);

COMMENT ON POLICY "the worker sees every tenant" ON kith.users IS 'It reads names for notifications.';

CREATE POLICY "the worker sweeps every tenant" ON kith.idempotency_keys TO kith_worker USING (true);

COMMENT ON POLICY "the worker sweeps every tenant" ON kith.idempotency_keys IS 'What has expired goes.';

ALTER TABLE kith.token_families ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.transfers ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.undelivered_alarms ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.unique_codes ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.users ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.vault_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.vault_sessions ENABLE ROW LEVEL SECURITY;

ALTER TABLE kith.vaults ENABLE ROW LEVEL SECURITY;

CREATE POLICY "who is in an open vault sees its documents" ON kith.documents FOR SELECT TO kith_api USING ((( SELECT
        CASE
            WHEN (documents.owner_id = kith.user_id()) THEN 'full'::text
            ELSE nominee.access_level
        END AS access_level
   FROM (kith.vault_sessions session
     LEFT JOIN kith.nominees nominee ON (((nominee.tenant_id = session.tenant_id) AND (nominee.vault_id = session.vault_id) AND (nominee.user_id = kith.user_id()) AND (nominee.status = 'accepted'::text))))
  WHERE ((session.tenant_id = documents.tenant_id) AND (session.vault_id = documents.vault_id) AND (session.kind = 'shared'::text) AND (session.locked_at IS NULL) AND (session.expires_at > kith.now()))) = ANY (
CASE
    WHEN (deleted_at IS NULL) THEN ARRAY['view'::text, 'edit'::text, 'full'::text]
    ELSE ARRAY['full'::text]
END)));

COMMENT ON POLICY "who is in an open vault sees its documents" ON kith.documents IS 'V10, V11. The owner too, in an open vault only: what is locked is locked.';

CREATE POLICY "who may edit changes the documents of an open vault" ON kith.documents FOR UPDATE TO kith_api USING ((( SELECT
        CASE
            WHEN (documents.owner_id = kith.user_id()) THEN 'full'::text
            ELSE nominee.access_level
        END AS access_level
   FROM (kith.vault_sessions session
     LEFT JOIN kith.nominees nominee ON (((nominee.tenant_id = session.tenant_id) AND (nominee.vault_id = session.vault_id) AND (nominee.user_id = kith.user_id()) AND (nominee.status = 'accepted'::text))))
  WHERE ((session.tenant_id = documents.tenant_id) AND (session.vault_id = documents.vault_id) AND (session.kind = 'shared'::text) AND (session.locked_at IS NULL) AND (session.expires_at > kith.now()))) = ANY (
CASE
    WHEN (deleted_at IS NULL) THEN ARRAY['edit'::text, 'full'::text]
    ELSE ARRAY['full'::text]
END))) WITH CHECK ((( SELECT
        CASE
            WHEN (documents.owner_id = kith.user_id()) THEN 'full'::text
            ELSE nominee.access_level
        END AS access_level
   FROM (kith.vault_sessions session
     LEFT JOIN kith.nominees nominee ON (((nominee.tenant_id = session.tenant_id) AND (nominee.vault_id = session.vault_id) AND (nominee.user_id = kith.user_id()) AND (nominee.status = 'accepted'::text))))
  WHERE ((session.tenant_id = documents.tenant_id) AND (session.vault_id = documents.vault_id) AND (session.kind = 'shared'::text) AND (session.locked_at IS NULL) AND (session.expires_at > kith.now()))) = ANY (
CASE
    WHEN (deleted_at IS NULL) THEN ARRAY['edit'::text, 'full'::text]
    ELSE ARRAY['full'::text]
END)));

COMMENT ON POLICY "who may edit changes the documents of an open vault" ON kith.documents IS 'The name; deleting and restoring with the level full. What is new or replaced is made visible by a definer, with its chunks.';

GRANT USAGE ON SCHEMA admin TO kith_admin;

GRANT USAGE ON SCHEMA api TO kith_api;

GRANT USAGE ON SCHEMA internal TO kith_api;
GRANT USAGE ON SCHEMA internal TO kith_worker;

GRANT USAGE ON SCHEMA kith TO kith_api;
GRANT USAGE ON SCHEMA kith TO kith_worker;
GRANT USAGE ON SCHEMA kith TO kith_admin;

GRANT USAGE ON SCHEMA worker TO kith_worker;

REVOKE ALL ON FUNCTION admin.create_tenant(p_slug text, p_name text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION admin.create_tenant(p_slug text, p_name text, p_now timestamp with time zone) TO kith_admin;

REVOKE ALL ON FUNCTION admin.delete_channel(p_slug text, p_channel text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION admin.delete_channel(p_slug text, p_channel text, p_now timestamp with time zone) TO kith_admin;

REVOKE ALL ON FUNCTION admin.delete_user(p_tenant text, p_user uuid, p_reason text, p_delete_vaults boolean, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION admin.delete_user(p_tenant text, p_user uuid, p_reason text, p_delete_vaults boolean, p_now timestamp with time zone) TO kith_admin;

REVOKE ALL ON FUNCTION admin.generate_daily_pings(p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION admin.generate_daily_pings(p_now timestamp with time zone) TO kith_admin;

REVOKE ALL ON FUNCTION admin.pause_channel(p_channel text, p_slug text, p_reason text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION admin.pause_channel(p_channel text, p_slug text, p_reason text, p_now timestamp with time zone) TO kith_admin;

REVOKE ALL ON FUNCTION admin.reactivate_connection(p_tenant text, p_connection uuid, p_reason text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION admin.reactivate_connection(p_tenant text, p_connection uuid, p_reason text, p_now timestamp with time zone) TO kith_admin;

REVOKE ALL ON FUNCTION admin.replay_deliveries(p_channel text, p_slug text, p_since timestamp with time zone, p_reason text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION admin.replay_deliveries(p_channel text, p_slug text, p_since timestamp with time zone, p_reason text, p_now timestamp with time zone) TO kith_admin;

REVOKE ALL ON FUNCTION admin.replay_delivery(p_slug text, p_id uuid, p_reason text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION admin.replay_delivery(p_slug text, p_id uuid, p_reason text, p_now timestamp with time zone) TO kith_admin;

REVOKE ALL ON FUNCTION admin.resolve_alarm(p_slug text, p_notification_id uuid, p_reason text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION admin.resolve_alarm(p_slug text, p_notification_id uuid, p_reason text, p_now timestamp with time zone) TO kith_admin;

REVOKE ALL ON FUNCTION admin.restore_vault(p_tenant text, p_vault uuid, p_reason text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION admin.restore_vault(p_tenant text, p_vault uuid, p_reason text, p_now timestamp with time zone) TO kith_admin;

REVOKE ALL ON FUNCTION admin.resume_channel(p_channel text, p_slug text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION admin.resume_channel(p_channel text, p_slug text, p_now timestamp with time zone) TO kith_admin;

REVOKE ALL ON FUNCTION admin.resume_tenant(p_slug text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION admin.resume_tenant(p_slug text, p_now timestamp with time zone) TO kith_admin;

REVOKE ALL ON FUNCTION admin.revoke_jwt_keys(p_slug text, p_issuer text, p_audience text, p_reason text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION admin.revoke_jwt_keys(p_slug text, p_issuer text, p_audience text, p_reason text, p_now timestamp with time zone) TO kith_admin;

REVOKE ALL ON FUNCTION admin.revoke_nominee(p_tenant text, p_nominee uuid, p_reason text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION admin.revoke_nominee(p_tenant text, p_nominee uuid, p_reason text, p_now timestamp with time zone) TO kith_admin;

REVOKE ALL ON FUNCTION admin.rotate_api_key(p_slug text, p_old_keys_end_after interval, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION admin.rotate_api_key(p_slug text, p_old_keys_end_after interval, p_now timestamp with time zone) TO kith_admin;

REVOKE ALL ON FUNCTION admin.sealed_channel(p_slug text, p_channel text) FROM PUBLIC;
GRANT ALL ON FUNCTION admin.sealed_channel(p_slug text, p_channel text) TO kith_admin;

REVOKE ALL ON FUNCTION admin.set_channel(p_slug text, p_channel text, p_summary jsonb, p_sealed bytea, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION admin.set_channel(p_slug text, p_channel text, p_summary jsonb, p_sealed bytea, p_now timestamp with time zone) TO kith_admin;

REVOKE ALL ON FUNCTION admin.set_tenant(p_slug text, p_settings jsonb, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION admin.set_tenant(p_slug text, p_settings jsonb, p_now timestamp with time zone) TO kith_admin;

REVOKE ALL ON FUNCTION admin.soft_delete_connection(p_tenant text, p_connection uuid, p_reason text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION admin.soft_delete_connection(p_tenant text, p_connection uuid, p_reason text, p_now timestamp with time zone) TO kith_admin;

REVOKE ALL ON FUNCTION admin.soft_delete_vault(p_tenant text, p_vault uuid, p_reason text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION admin.soft_delete_vault(p_tenant text, p_vault uuid, p_reason text, p_now timestamp with time zone) TO kith_admin;

REVOKE ALL ON FUNCTION admin.suspend_tenant(p_slug text, p_reason text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION admin.suspend_tenant(p_slug text, p_reason text, p_now timestamp with time zone) TO kith_admin;

REVOKE ALL ON FUNCTION api.abandon_upload(p_version_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION api.abandon_upload(p_version_id uuid) TO kith_api;

REVOKE ALL ON FUNCTION api.accept_invitation(p_token uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.accept_invitation(p_token uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.accept_invitation_by_code(p_token uuid, p_channel text, p_address text, p_guesses jsonb, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.accept_invitation_by_code(p_token uuid, p_channel text, p_address text, p_guesses jsonb, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.add_jwt_keys(p_keys jsonb, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.add_jwt_keys(p_keys jsonb, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.add_signing_key(p_id uuid, p_wrapped_secret bytea, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.add_signing_key(p_id uuid, p_wrapped_secret bytea, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.add_vault_key(p_vault_id uuid, p_wrapped_key bytea, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.add_vault_key(p_vault_id uuid, p_wrapped_key bytea, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.allowed_origins() FROM PUBLIC;
GRANT ALL ON FUNCTION api.allowed_origins() TO kith_api;

REVOKE ALL ON FUNCTION api.authenticate_key(p_hash bytea, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.authenticate_key(p_hash bytea, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.beat(p_instance text, p_started_at timestamp with time zone, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.beat(p_instance text, p_started_at timestamp with time zone, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.begin_connection_invitation(p_recipients integer, p_send boolean, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.begin_connection_invitation(p_recipients integer, p_send boolean, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.begin_nominees(p_vault_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.begin_nominees(p_vault_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.begin_upload(p_vault_id uuid, p_document_id uuid, p_size bigint, p_chunk_size integer, p_expected uuid[], p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.begin_upload(p_vault_id uuid, p_document_id uuid, p_size bigint, p_chunk_size integer, p_expected uuid[], p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.cancel_transfer(p_vault_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.cancel_transfer(p_vault_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.change_share(p_id uuid, p_permission text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.change_share(p_id uuid, p_permission text, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.check_in(p_note text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.check_in(p_note text, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.claim_key(p_key text, p_fingerprint bytea, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.claim_key(p_key text, p_fingerprint bytea, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.confirm_nominee(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.confirm_nominee(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.consent_connection(p_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.consent_connection(p_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.create_code(p_body jsonb, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.create_code(p_body jsonb, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.create_connection(p_code text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.create_connection(p_code text, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.create_connection_invitation(p_recipients jsonb, p_send boolean, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.create_connection_invitation(p_recipients jsonb, p_send boolean, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.create_transfer(p_vault_id uuid, p_body jsonb, p_public_url text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.create_transfer(p_vault_id uuid, p_body jsonb, p_public_url text, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.create_vault(p_body jsonb, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.create_vault(p_body jsonb, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.decline_invitation(p_token uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.decline_invitation(p_token uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.delete_block(p_user_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION api.delete_block(p_user_id uuid) TO kith_api;

REVOKE ALL ON FUNCTION api.delete_break(p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.delete_break(p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.delete_channel(p_channel text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.delete_channel(p_channel text, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.delete_device(p_token text) FROM PUBLIC;
GRANT ALL ON FUNCTION api.delete_device(p_token text) TO kith_api;

REVOKE ALL ON FUNCTION api.delete_document(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.delete_document(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.delete_invitation_draft() FROM PUBLIC;
GRANT ALL ON FUNCTION api.delete_invitation_draft() TO kith_api;

REVOKE ALL ON FUNCTION api.delete_me(p_vaults text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.delete_me(p_vaults text, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.delete_quiet_hours() FROM PUBLIC;
GRANT ALL ON FUNCTION api.delete_quiet_hours() TO kith_api;

REVOKE ALL ON FUNCTION api.delete_share(p_vault_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.delete_share(p_vault_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.delete_user(p_id uuid, p_vaults text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.delete_user(p_id uuid, p_vaults text, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.delete_vault(p_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.delete_vault(p_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.delivery_metrics(p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.delivery_metrics(p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.end_share(p_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.end_share(p_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.export_me(p_after text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.export_me(p_after text, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.find_tenant(p_slug text) FROM PUBLIC;
GRANT ALL ON FUNCTION api.find_tenant(p_slug text) TO kith_api;

REVOKE ALL ON FUNCTION api.finish_upload(p_vault_id uuid, p_version_id uuid, p_name text, p_content_type text, p_size bigint, p_chunks integer, p_sha256 bytea, p_expected uuid[], p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.finish_upload(p_vault_id uuid, p_version_id uuid, p_name text, p_content_type text, p_size bigint, p_chunks integer, p_sha256 bytea, p_expected uuid[], p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.get_block(p_user_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION api.get_block(p_user_id uuid) TO kith_api;

REVOKE ALL ON FUNCTION api.get_break(p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.get_break(p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.get_connection(p_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.get_connection(p_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.get_connection_invitation(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION api.get_connection_invitation(p_id uuid) TO kith_api;

REVOKE ALL ON FUNCTION api.get_dashboard(p_role text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.get_dashboard(p_role text, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.get_document(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.get_document(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.get_me() FROM PUBLIC;
GRANT ALL ON FUNCTION api.get_me() TO kith_api;

REVOKE ALL ON FUNCTION api.get_nominee(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.get_nominee(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.get_notification_preferences() FROM PUBLIC;
GRANT ALL ON FUNCTION api.get_notification_preferences() TO kith_api;

REVOKE ALL ON FUNCTION api.get_quiet_hours() FROM PUBLIC;
GRANT ALL ON FUNCTION api.get_quiet_hours() TO kith_api;

REVOKE ALL ON FUNCTION api.get_receiver_profile(p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.get_receiver_profile(p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.get_sender_profile() FROM PUBLIC;
GRANT ALL ON FUNCTION api.get_sender_profile() TO kith_api;

REVOKE ALL ON FUNCTION api.get_share(p_vault_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.get_share(p_vault_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.get_tenant() FROM PUBLIC;
GRANT ALL ON FUNCTION api.get_tenant() TO kith_api;

REVOKE ALL ON FUNCTION api.get_transfer(p_vault_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.get_transfer(p_vault_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.get_user(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION api.get_user(p_id uuid) TO kith_api;

REVOKE ALL ON FUNCTION api.get_vault(p_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.get_vault(p_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.import_users(p_users jsonb, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.import_users(p_users jsonb, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.invitation_page(p_token uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.invitation_page(p_token uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.invite_nominees(p_vault_id uuid, p_nominees jsonb, p_public_url text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.invite_nominees(p_vault_id uuid, p_nominees jsonb, p_public_url text, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.keep_answer(p_key text, p_fingerprint bytea, p_sealed_answer bytea, p_seconds integer, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.keep_answer(p_key text, p_fingerprint bytea, p_sealed_answer bytea, p_seconds integer, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.list_blocks(p_limit integer, p_cursor uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION api.list_blocks(p_limit integer, p_cursor uuid) TO kith_api;

REVOKE ALL ON FUNCTION api.list_channels() FROM PUBLIC;
GRANT ALL ON FUNCTION api.list_channels() TO kith_api;

REVOKE ALL ON FUNCTION api.list_codes(p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.list_codes(p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.list_connection_invitations(p_limit integer, p_cursor uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION api.list_connection_invitations(p_limit integer, p_cursor uuid) TO kith_api;

REVOKE ALL ON FUNCTION api.list_connection_pings(p_id uuid, p_from date, p_until date, p_limit integer, p_cursor date, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.list_connection_pings(p_id uuid, p_from date, p_until date, p_limit integer, p_cursor date, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.list_connections(p_role text, p_limit integer, p_cursor uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.list_connections(p_role text, p_limit integer, p_cursor uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.list_devices() FROM PUBLIC;
GRANT ALL ON FUNCTION api.list_devices() TO kith_api;

REVOKE ALL ON FUNCTION api.list_documents(p_vault_id uuid, p_deleted boolean, p_limit integer, p_cursor uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.list_documents(p_vault_id uuid, p_deleted boolean, p_limit integer, p_cursor uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.list_jwt_keys() FROM PUBLIC;
GRANT ALL ON FUNCTION api.list_jwt_keys() TO kith_api;

REVOKE ALL ON FUNCTION api.list_messages(p_vault_id uuid, p_nominee_id uuid, p_limit integer, p_cursor uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.list_messages(p_vault_id uuid, p_nominee_id uuid, p_limit integer, p_cursor uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.list_nominees(p_vault_id uuid, p_status text, p_limit integer, p_cursor uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.list_nominees(p_vault_id uuid, p_status text, p_limit integer, p_cursor uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.list_notifications(p_unread boolean, p_limit integer, p_cursor uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION api.list_notifications(p_unread boolean, p_limit integer, p_cursor uuid) TO kith_api;

REVOKE ALL ON FUNCTION api.list_pings(p_date date, p_role text, p_limit integer, p_cursor uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.list_pings(p_date date, p_role text, p_limit integer, p_cursor uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.list_shares(p_limit integer, p_cursor uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION api.list_shares(p_limit integer, p_cursor uuid) TO kith_api;

REVOKE ALL ON FUNCTION api.list_users(p_external_id text, p_limit integer, p_cursor uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION api.list_users(p_external_id text, p_limit integer, p_cursor uuid) TO kith_api;

REVOKE ALL ON FUNCTION api.list_vault_history(p_id uuid, p_limit integer, p_cursor uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.list_vault_history(p_id uuid, p_limit integer, p_cursor uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.list_vaults(p_deleted boolean, p_limit integer, p_cursor uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.list_vaults(p_deleted boolean, p_limit integer, p_cursor uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.live_codes(p_channel text, p_address text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.live_codes(p_channel text, p_address text, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.lock_vault(p_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.lock_vault(p_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.note_vault_activity(p_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.note_vault_activity(p_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.open_content(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.open_content(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.open_vault(p_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.open_vault(p_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.page_tenant(p_host text, p_slug text, p_code text) FROM PUBLIC;
GRANT ALL ON FUNCTION api.page_tenant(p_host text, p_slug text, p_code text) TO kith_api;

REVOKE ALL ON FUNCTION api.pause_connection(p_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.pause_connection(p_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.preview_code(p_code text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.preview_code(p_code text, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.preview_invitation(p_token uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.preview_invitation(p_token uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.put_block(p_user_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.put_block(p_user_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.put_break(p_body jsonb, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.put_break(p_body jsonb, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.put_channel(p_channel text, p_summary jsonb, p_sealed bytea, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.put_channel(p_channel text, p_summary jsonb, p_sealed bytea, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.put_chunk(p_vault_id uuid, p_version_id uuid, p_n integer, p_sealed bytea, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.put_chunk(p_vault_id uuid, p_version_id uuid, p_n integer, p_sealed bytea, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.put_device(p_body jsonb, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.put_device(p_body jsonb, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.put_invitation_draft(p_body jsonb, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.put_invitation_draft(p_body jsonb, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.put_notification_preferences(p_body jsonb, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.put_notification_preferences(p_body jsonb, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.put_quiet_hours(p_body jsonb, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.put_quiet_hours(p_body jsonb, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.put_receiver_profile(p_body jsonb, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.put_receiver_profile(p_body jsonb, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.put_sender_profile(p_body jsonb, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.put_sender_profile(p_body jsonb, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.put_share(p_vault_id uuid, p_body jsonb, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.put_share(p_vault_id uuid, p_body jsonb, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.put_user(p_body jsonb, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.put_user(p_body jsonb, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.read_all_notifications(p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.read_all_notifications(p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.read_chunk(p_vault_id uuid, p_document_id uuid, p_version_id uuid, p_n integer, p_begins boolean, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.read_chunk(p_vault_id uuid, p_document_id uuid, p_version_id uuid, p_n integer, p_begins boolean, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.read_messages(p_vault_id uuid, p_nominee_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.read_messages(p_vault_id uuid, p_nominee_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.read_notification(p_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.read_notification(p_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.readiness(p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.readiness(p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.refresh_session(p_secret_hash bytea, p_new_hash bytea, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.refresh_session(p_secret_hash bytea, p_new_hash bytea, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.remove_connection(p_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.remove_connection(p_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.rename_document(p_vault_id uuid, p_id uuid, p_name text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.rename_document(p_vault_id uuid, p_id uuid, p_name text, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.report_damage(p_document_id uuid, p_version_id uuid, p_n integer, p_is_missing boolean, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.report_damage(p_document_id uuid, p_version_id uuid, p_n integer, p_is_missing boolean, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.report_invitation_outcome(p_id uuid, p_n integer, p_outcome text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.report_invitation_outcome(p_id uuid, p_n integer, p_outcome text, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.report_nominee_invitation(p_vault_id uuid, p_id uuid, p_outcome text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.report_nominee_invitation(p_vault_id uuid, p_id uuid, p_outcome text, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.request_code(p_channel text, p_address text, p_code jsonb, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.request_code(p_channel text, p_address text, p_code jsonb, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.resend_nominee_invitation(p_vault_id uuid, p_id uuid, p_channel text, p_public_url text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.resend_nominee_invitation(p_vault_id uuid, p_id uuid, p_channel text, p_public_url text, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.restore_document(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.restore_document(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.restore_vault(p_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.restore_vault(p_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.resume_connection(p_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.resume_connection(p_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.revoke_jwt_key(p_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.revoke_jwt_key(p_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.revoke_nominee(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.revoke_nominee(p_vault_id uuid, p_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.sealed_channel(p_channel text) FROM PUBLIC;
GRANT ALL ON FUNCTION api.sealed_channel(p_channel text) TO kith_api;

REVOKE ALL ON FUNCTION api.send_message(p_vault_id uuid, p_nominee_id uuid, p_body text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.send_message(p_vault_id uuid, p_nominee_id uuid, p_body text, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.set_subscription(p_id uuid, p_body jsonb, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.set_subscription(p_id uuid, p_body jsonb, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.share_usage() FROM PUBLIC;
GRANT ALL ON FUNCTION api.share_usage() TO kith_api;

REVOKE ALL ON FUNCTION api.sign_in(p_channel text, p_address text, p_guesses jsonb, p_family_id uuid, p_secret_hash bytea, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.sign_in(p_channel text, p_address text, p_guesses jsonb, p_family_id uuid, p_secret_hash bytea, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.sign_out(p_session_id uuid, p_everywhere boolean, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.sign_out(p_session_id uuid, p_everywhere boolean, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.signing_key(p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.signing_key(p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.synchronise_share(p_vault_id uuid, p_body jsonb, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.synchronise_share(p_vault_id uuid, p_body jsonb, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.take_invitation_draft(p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.take_invitation_draft(p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.token_key(p_kid text, p_issuer text, p_audiences text[], p_slug text) FROM PUBLIC;
GRANT ALL ON FUNCTION api.token_key(p_kid text, p_issuer text, p_audiences text[], p_slug text) TO kith_api;

REVOKE ALL ON FUNCTION api.token_subject(p_user_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION api.token_subject(p_user_id uuid) TO kith_api;

REVOKE ALL ON FUNCTION api.token_user(p_tenant_id integer, p_subject text, p_own boolean, p_session_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION api.token_user(p_tenant_id integer, p_subject text, p_own boolean, p_session_id text) TO kith_api;

REVOKE ALL ON FUNCTION api.update_me(p_body jsonb, p_codes jsonb, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.update_me(p_body jsonb, p_codes jsonb, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.update_nominee(p_vault_id uuid, p_id uuid, p_body jsonb, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.update_nominee(p_vault_id uuid, p_id uuid, p_body jsonb, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.update_tenant(p_body jsonb, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.update_tenant(p_body jsonb, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.update_user(p_id uuid, p_body jsonb, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.update_user(p_id uuid, p_body jsonb, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.update_vault(p_id uuid, p_body jsonb, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.update_vault(p_id uuid, p_body jsonb, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.verify_contact(p_channel text, p_address text, p_guesses jsonb, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION api.verify_contact(p_channel text, p_address text, p_guesses jsonb, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION api.web_push_key() FROM PUBLIC;
GRANT ALL ON FUNCTION api.web_push_key() TO kith_api;

REVOKE ALL ON FUNCTION internal.accept_nominee_invitation(p_id uuid, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.accept_transfer(p_transfer_id uuid, p_now timestamp with time zone) FROM PUBLIC;

GRANT SELECT ON TABLE kith.nominees TO kith_api;
GRANT SELECT ON TABLE kith.nominees TO kith_admin;

GRANT SELECT,INSERT ON TABLE kith.vaults TO kith_api;
GRANT SELECT ON TABLE kith.vaults TO kith_admin;

GRANT UPDATE(name) ON TABLE kith.vaults TO kith_api;

GRANT UPDATE(require_confirmation) ON TABLE kith.vaults TO kith_api;

GRANT UPDATE(full_may_open) ON TABLE kith.vaults TO kith_api;

GRANT UPDATE(updated_at) ON TABLE kith.vaults TO kith_api;

REVOKE ALL ON FUNCTION internal.accepted_nominee_json(p_nominee kith.nominees, p_vault kith.vaults, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.accepts_connections(p_receiver_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.accepts_connections(p_receiver_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION internal.actor() FROM PUBLIC;
GRANT ALL ON FUNCTION internal.actor() TO kith_api;
GRANT ALL ON FUNCTION internal.actor() TO kith_worker;

REVOKE ALL ON FUNCTION internal.add_nominee(p_vault kith.vaults, p_role text, p_n bigint, p_given jsonb, p_public_url text, p_now timestamp with time zone) FROM PUBLIC;

GRANT SELECT ON TABLE kith.shares TO kith_api;
GRANT SELECT ON TABLE kith.shares TO kith_admin;

REVOKE ALL ON FUNCTION internal.add_participants(p_share kith.shares, p_given jsonb, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.add_refresh_token(p_family_id uuid, p_secret_hash bytea, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.analyze_grown_users() FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.analyze_new_tables() FROM PUBLIC;
GRANT ALL ON FUNCTION internal.analyze_new_tables() TO kith_worker;

REVOKE ALL ON FUNCTION internal.attempt_code(p_code text, p_now timestamp with time zone, OUT problem text, OUT retry_after integer, OUT owner_id uuid, OUT owner_role text, OUT owner_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.attempt_code(p_code text, p_now timestamp with time zone, OUT problem text, OUT retry_after integer, OUT owner_id uuid, OUT owner_role text, OUT owner_name text) TO kith_api;

REVOKE ALL ON FUNCTION internal.attempts_allowed(p_purpose text) FROM PUBLIC;

GRANT SELECT ON TABLE kith.breaks TO kith_api;
GRANT SELECT ON TABLE kith.breaks TO kith_worker;
GRANT SELECT ON TABLE kith.breaks TO kith_admin;

REVOKE ALL ON FUNCTION internal.begin_break(p_break kith.breaks, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.begin_code_attempt(p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.begin_connection(p_sender_id uuid, p_receiver_id uuid, p_code_owner_id uuid, p_now timestamp with time zone, OUT connection_id uuid, OUT reactivated boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.begin_connection(p_sender_id uuid, p_receiver_id uuid, p_code_owner_id uuid, p_now timestamp with time zone, OUT connection_id uuid, OUT reactivated boolean) TO kith_api;

REVOKE ALL ON FUNCTION internal.begin_session(p_user_id uuid, p_family_id uuid, p_secret_hash bytea, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.blocks_json(p_only uuid, p_limit integer, p_cursor uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.blocks_json(p_only uuid, p_limit integer, p_cursor uuid) TO kith_api;

REVOKE ALL ON FUNCTION internal.bring_ping(p_connection_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.bring_ping(p_connection_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION internal.calling_code(p_phone text) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.cancel_pings(p_connection_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.cancel_pings(p_connection_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION internal.change_nominee_of_participant(p_nominee_id uuid, p_was text, p_given jsonb, p_now timestamp with time zone) FROM PUBLIC;

GRANT SELECT ON TABLE kith.tenants TO kith_api;
GRANT SELECT ON TABLE kith.tenants TO kith_worker;
GRANT SELECT ON TABLE kith.tenants TO kith_admin;

REVOKE ALL ON FUNCTION internal.change_tenant(p_tenant_id integer, p_settings jsonb, p_writable text[], p_actor text, p_now timestamp with time zone) FROM PUBLIC;

GRANT SELECT ON TABLE kith.users TO kith_api;
GRANT SELECT ON TABLE kith.users TO kith_admin;

GRANT SELECT(tenant_id) ON TABLE kith.users TO kith_worker;

GRANT SELECT(id) ON TABLE kith.users TO kith_worker;

GRANT UPDATE(display_name) ON TABLE kith.users TO kith_api;
GRANT SELECT(display_name) ON TABLE kith.users TO kith_worker;

GRANT UPDATE(time_zone) ON TABLE kith.users TO kith_api;
GRANT SELECT(time_zone) ON TABLE kith.users TO kith_worker;

GRANT UPDATE(locale) ON TABLE kith.users TO kith_api;
GRANT SELECT(locale) ON TABLE kith.users TO kith_worker;

GRANT UPDATE(updated_at) ON TABLE kith.users TO kith_api;

GRANT SELECT(deleted_at) ON TABLE kith.users TO kith_worker;

REVOKE ALL ON FUNCTION internal.change_user(p_id uuid, p_body jsonb, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.change_user(p_id uuid, p_body jsonb, p_now timestamp with time zone) TO kith_api;

GRANT SELECT(tenant_id) ON TABLE kith.channel_credentials TO kith_admin;

GRANT SELECT(channel) ON TABLE kith.channel_credentials TO kith_admin;

GRANT SELECT(summary) ON TABLE kith.channel_credentials TO kith_admin;

GRANT SELECT(created_at) ON TABLE kith.channel_credentials TO kith_admin;

GRANT SELECT(updated_at) ON TABLE kith.channel_credentials TO kith_admin;

GRANT SELECT(checked_at) ON TABLE kith.channel_credentials TO kith_admin;

GRANT SELECT(error) ON TABLE kith.channel_credentials TO kith_admin;

REVOKE ALL ON FUNCTION internal.channel_json(p_credentials kith.channel_credentials) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.claim_issuers(p_keys jsonb, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.close_connection(p_id uuid, p_by text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.close_connection(p_id uuid, p_by text, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION internal.close_session(p_vault_id uuid, p_reason text, p_by uuid, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.code_is_free(p_expires_at timestamp with time zone, p_rotated_at timestamp with time zone, p_now timestamp with time zone) FROM PUBLIC;

GRANT SELECT ON TABLE kith.unique_codes TO kith_api;
GRANT SELECT ON TABLE kith.unique_codes TO kith_admin;

REVOKE ALL ON FUNCTION internal.code_json(p_code kith.unique_codes) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.code_json(p_code kith.unique_codes) TO kith_api;

REVOKE ALL ON FUNCTION internal.code_problem(p_problem text, p_retry_after integer) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.code_problem(p_problem text, p_retry_after integer) TO kith_api;

REVOKE ALL ON FUNCTION internal.complete_pings(p_check_in_id uuid, p_time_zone text, p_previous_at timestamp with time zone, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.complete_pings(p_check_in_id uuid, p_time_zone text, p_previous_at timestamp with time zone, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION internal.confirm_contact(p_user_id uuid, p_channel text, p_address text, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION kith.tenant_id() FROM PUBLIC;
GRANT ALL ON FUNCTION kith.tenant_id() TO kith_api;
GRANT ALL ON FUNCTION kith.tenant_id() TO kith_worker;
GRANT ALL ON FUNCTION kith.tenant_id() TO kith_admin;

REVOKE ALL ON FUNCTION kith.user_id() FROM PUBLIC;
GRANT ALL ON FUNCTION kith.user_id() TO kith_api;
GRANT ALL ON FUNCTION kith.user_id() TO kith_worker;
GRANT ALL ON FUNCTION kith.user_id() TO kith_admin;

GRANT SELECT,INSERT ON TABLE kith.connections TO kith_api;
GRANT SELECT ON TABLE kith.connections TO kith_worker;
GRANT SELECT ON TABLE kith.connections TO kith_admin;

GRANT UPDATE(status) ON TABLE kith.connections TO kith_api;

GRANT UPDATE(code_owner_id) ON TABLE kith.connections TO kith_api;

GRANT UPDATE(activated_at) ON TABLE kith.connections TO kith_api;

GRANT UPDATE(updated_at) ON TABLE kith.connections TO kith_api;

GRANT UPDATE(deleted_at) ON TABLE kith.connections TO kith_api;

GRANT UPDATE(deleted_by) ON TABLE kith.connections TO kith_api;

GRANT SELECT,INSERT ON TABLE kith.sender_profiles TO kith_api;
GRANT SELECT ON TABLE kith.sender_profiles TO kith_worker;
GRANT SELECT ON TABLE kith.sender_profiles TO kith_admin;

GRANT UPDATE(time_zone) ON TABLE kith.sender_profiles TO kith_api;

GRANT UPDATE(ping_time) ON TABLE kith.sender_profiles TO kith_api;

GRANT UPDATE(grace_minutes) ON TABLE kith.sender_profiles TO kith_api;

GRANT UPDATE(reminder_minutes) ON TABLE kith.sender_profiles TO kith_api;

GRANT UPDATE(timed_at) ON TABLE kith.sender_profiles TO kith_api;

GRANT UPDATE(last_check_in_at) ON TABLE kith.sender_profiles TO kith_api;

GRANT UPDATE(updated_at) ON TABLE kith.sender_profiles TO kith_api;

GRANT SELECT ON TABLE internal.own_connections TO kith_api;

GRANT SELECT ON TABLE kith.pings TO kith_api;
GRANT SELECT,INSERT ON TABLE kith.pings TO kith_worker;
GRANT SELECT ON TABLE kith.pings TO kith_admin;

REVOKE ALL ON FUNCTION internal.connection_json(p_connection internal.own_connections, p_today_ping kith.pings, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.connection_json(p_connection internal.own_connections, p_today_ping kith.pings, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION internal.conversation(p_vault_id uuid, p_nominee_id uuid, p_now timestamp with time zone, OUT vault kith.vaults, OUT nominee kith.nominees, OUT other_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.count_deliveries(p_instance text, p_counts jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.count_otp(p_scope text, p_limit integer, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.count_users(p_new integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.counterpart_name(p_name text, p_role text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.counterpart_name(p_name text, p_role text) TO kith_api;

REVOKE ALL ON FUNCTION internal.day_begins_at(p_date date, p_zone text) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.decline_nominee_invitation(p_id uuid, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.decline_transfer(p_transfer_id uuid, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.delete_channel(p_tenant_id integer, p_channel text, p_actor text, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.delete_user(p_user_id uuid, p_actor text, p_detail jsonb, p_delete_vaults boolean, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.delete_vault(p_vault_id uuid, p_by text, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.delivery_subject(p_purpose text, p_brand text) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.delivery_text(p_purpose text, p_channel text, p_brand text, p_host text) FROM PUBLIC;

GRANT SELECT(tenant_id) ON TABLE kith.devices TO kith_api;
GRANT SELECT(tenant_id) ON TABLE kith.devices TO kith_admin;

GRANT SELECT(token) ON TABLE kith.devices TO kith_api;
GRANT SELECT(token) ON TABLE kith.devices TO kith_admin;

GRANT SELECT(user_id) ON TABLE kith.devices TO kith_api;
GRANT SELECT(user_id) ON TABLE kith.devices TO kith_admin;

GRANT SELECT(platform) ON TABLE kith.devices TO kith_api;
GRANT SELECT(platform) ON TABLE kith.devices TO kith_admin;

GRANT SELECT(environment) ON TABLE kith.devices TO kith_api;
GRANT SELECT(environment) ON TABLE kith.devices TO kith_admin;

GRANT SELECT(created_at) ON TABLE kith.devices TO kith_api;
GRANT SELECT(created_at) ON TABLE kith.devices TO kith_admin;

GRANT SELECT(last_seen_at) ON TABLE kith.devices TO kith_api;
GRANT SELECT(last_seen_at) ON TABLE kith.devices TO kith_admin;

REVOKE ALL ON FUNCTION internal.device_json(p_device kith.devices) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.devices_json() FROM PUBLIC;
GRANT ALL ON FUNCTION internal.devices_json() TO kith_api;

GRANT SELECT ON TABLE kith.documents TO kith_api;
GRANT SELECT ON TABLE kith.documents TO kith_admin;

GRANT UPDATE(name) ON TABLE kith.documents TO kith_api;

GRANT UPDATE(updated_at) ON TABLE kith.documents TO kith_api;

GRANT UPDATE(deleted_at) ON TABLE kith.documents TO kith_api;

GRANT UPDATE(deleted_by) ON TABLE kith.documents TO kith_api;

REVOKE ALL ON FUNCTION internal.document_json(p_document kith.documents) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.document_json(p_document kith.documents) TO kith_api;

REVOKE ALL ON FUNCTION internal.end_connection(p_id uuid, p_by text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.end_connection(p_id uuid, p_by text, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION internal.end_nominee(p_nominee_id uuid, p_reason text, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.end_nominees(p_nominee_ids uuid[], p_reason text, p_now timestamp with time zone) FROM PUBLIC;

GRANT SELECT ON TABLE kith.vault_sessions TO kith_api;
GRANT SELECT ON TABLE kith.vault_sessions TO kith_admin;

REVOKE ALL ON FUNCTION internal.end_session(p_session kith.vault_sessions, p_reason text, p_by uuid, p_at timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.end_sessions(p_user_id uuid, p_family_id uuid, p_reason text, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.end_share(p_share kith.shares, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.enter_tenant(p_slug text) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.enter_vault(p_vault_id uuid, p_level text, p_now timestamp with time zone, OUT vault kith.vaults, OUT role text, OUT access_level text, OUT nominee kith.nominees, OUT session kith.vault_sessions) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.enter_vault(p_vault_id uuid, p_level text, p_now timestamp with time zone, OUT vault kith.vaults, OUT role text, OUT access_level text, OUT nominee kith.nominees, OUT session kith.vault_sessions) TO kith_api;

REVOKE ALL ON FUNCTION internal.erase_vault(p_vault_id uuid, p_by text, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.exported_account(p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.exported_account(p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION internal.exported_check_ins(p_cursor text, p_limit integer, OUT items json, OUT next_cursor text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.exported_check_ins(p_cursor text, p_limit integer, OUT items json, OUT next_cursor text) TO kith_api;

REVOKE ALL ON FUNCTION internal.exported_connections(p_cursor uuid, p_limit integer, OUT items json, OUT next_cursor text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.exported_connections(p_cursor uuid, p_limit integer, OUT items json, OUT next_cursor text) TO kith_api;

REVOKE ALL ON FUNCTION internal.exported_history(p_cursor uuid, p_limit integer, OUT items json, OUT next_cursor text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.exported_history(p_cursor uuid, p_limit integer, OUT items json, OUT next_cursor text) TO kith_api;

REVOKE ALL ON FUNCTION internal.exported_invitations(p_cursor uuid, OUT items json, OUT next_cursor text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.exported_invitations(p_cursor uuid, OUT items json, OUT next_cursor text) TO kith_api;

REVOKE ALL ON FUNCTION internal.exported_messages(p_cursor uuid, p_limit integer, OUT items json, OUT next_cursor text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.exported_messages(p_cursor uuid, p_limit integer, OUT items json, OUT next_cursor text) TO kith_api;

REVOKE ALL ON FUNCTION internal.exported_nominees(p_cursor uuid, p_limit integer, OUT items json, OUT next_cursor text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.exported_nominees(p_cursor uuid, p_limit integer, OUT items json, OUT next_cursor text) TO kith_api;

REVOKE ALL ON FUNCTION internal.exported_notifications(p_cursor uuid, p_limit integer, OUT items json, OUT next_cursor text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.exported_notifications(p_cursor uuid, p_limit integer, OUT items json, OUT next_cursor text) TO kith_api;

REVOKE ALL ON FUNCTION internal.exported_pings(p_cursor date, p_limit integer, p_now timestamp with time zone, OUT items json, OUT next_cursor text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.exported_pings(p_cursor date, p_limit integer, p_now timestamp with time zone, OUT items json, OUT next_cursor text) TO kith_api;

REVOKE ALL ON FUNCTION internal.exported_vaults(p_cursor uuid, p_limit integer, p_now timestamp with time zone, OUT items json, OUT next_cursor text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.exported_vaults(p_cursor uuid, p_limit integer, p_now timestamp with time zone, OUT items json, OUT next_cursor text) TO kith_api;

REVOKE ALL ON FUNCTION internal.field_error(p_field text, p_message text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.field_error(p_field text, p_message text) TO kith_api;

REVOKE ALL ON FUNCTION internal.find_invitation(p_token uuid, OUT tenant integer, OUT kind text, OUT id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.first_uuid7(p_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.first_uuid7(p_at timestamp with time zone) TO kith_api;
GRANT ALL ON FUNCTION internal.first_uuid7(p_at timestamp with time zone) TO kith_worker;
GRANT ALL ON FUNCTION internal.first_uuid7(p_at timestamp with time zone) TO kith_admin;

REVOKE ALL ON FUNCTION internal.forget_in_notifications(p_tenant_id integer, p_people uuid[], p_since timestamp with time zone, p_about_user_id uuid, p_erased_vaults uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.forget_messages(p_user_id uuid, p_phone text) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.forget_name(p_user_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.forget_sign_ins(p_user_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.forget_vaults(p_user_id uuid, p_phone text, p_email text, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.has_profile(p_role text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.has_profile(p_role text) TO kith_api;

REVOKE ALL ON FUNCTION internal.hashed_address(p_address text) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.history_items(p_vault_id uuid, p_limit integer, p_cursor uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.history_items(p_vault_id uuid, p_limit integer, p_cursor uuid) TO kith_api;

REVOKE ALL ON FUNCTION internal.history_place(p_tenant_id integer, p_vault_id uuid, p_at timestamp with time zone) FROM PUBLIC;

GRANT SELECT(tenant_id) ON TABLE kith.nominee_invitations TO kith_api;
GRANT SELECT(tenant_id) ON TABLE kith.nominee_invitations TO kith_admin;

GRANT SELECT(id) ON TABLE kith.nominee_invitations TO kith_api;
GRANT SELECT(id) ON TABLE kith.nominee_invitations TO kith_admin;

GRANT SELECT(vault_id) ON TABLE kith.nominee_invitations TO kith_api;
GRANT SELECT(vault_id) ON TABLE kith.nominee_invitations TO kith_admin;

GRANT SELECT(nominee_id) ON TABLE kith.nominee_invitations TO kith_api;
GRANT SELECT(nominee_id) ON TABLE kith.nominee_invitations TO kith_admin;

GRANT SELECT(owner_id) ON TABLE kith.nominee_invitations TO kith_api;
GRANT SELECT(owner_id) ON TABLE kith.nominee_invitations TO kith_admin;

GRANT SELECT(channel) ON TABLE kith.nominee_invitations TO kith_api;
GRANT SELECT(channel) ON TABLE kith.nominee_invitations TO kith_admin;

GRANT SELECT(created_at) ON TABLE kith.nominee_invitations TO kith_api;
GRANT SELECT(created_at) ON TABLE kith.nominee_invitations TO kith_admin;

GRANT SELECT(expires_at) ON TABLE kith.nominee_invitations TO kith_api;
GRANT SELECT(expires_at) ON TABLE kith.nominee_invitations TO kith_admin;

GRANT SELECT(ended_at) ON TABLE kith.nominee_invitations TO kith_api;
GRANT SELECT(ended_at) ON TABLE kith.nominee_invitations TO kith_admin;

GRANT SELECT(end_reason) ON TABLE kith.nominee_invitations TO kith_api;
GRANT SELECT(end_reason) ON TABLE kith.nominee_invitations TO kith_admin;

GRANT SELECT(outcome) ON TABLE kith.nominee_invitations TO kith_api;
GRANT SELECT(outcome) ON TABLE kith.nominee_invitations TO kith_admin;

GRANT SELECT(outcome_at) ON TABLE kith.nominee_invitations TO kith_api;
GRANT SELECT(outcome_at) ON TABLE kith.nominee_invitations TO kith_admin;

REVOKE ALL ON FUNCTION internal.hold_invitation(p_id uuid, p_now timestamp with time zone, OUT invitation kith.nominee_invitations, OUT nominee kith.nominees, OUT vault kith.vaults, OUT state text) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.hold_nominee(p_vault_id uuid, p_id uuid, p_role text) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.hold_vault(p_vault_id uuid, p_users uuid[], p_now timestamp with time zone, OUT vault kith.vaults, OUT role text, OUT access_level text, OUT nominee kith.nominees, OUT session kith.vault_sessions) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.instant(p_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.instant(p_at timestamp with time zone) TO kith_api;
GRANT ALL ON FUNCTION internal.instant(p_at timestamp with time zone) TO kith_worker;
GRANT ALL ON FUNCTION internal.instant(p_at timestamp with time zone) TO kith_admin;

REVOKE ALL ON FUNCTION internal.instant_of_uuid7(p_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.invitation_card(p_kind text, p_state text, p_vault_name text) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.invitation_deep_link(p_kind text, p_token uuid, p_scheme text, p_vault_name text) FROM PUBLIC;

GRANT SELECT,INSERT ON TABLE kith.connection_invitations TO kith_api;
GRANT SELECT ON TABLE kith.connection_invitations TO kith_admin;

REVOKE ALL ON FUNCTION internal.invitation_json(p_invitation kith.connection_invitations, p_encoded_message text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.invitation_json(p_invitation kith.connection_invitations, p_encoded_message text) TO kith_api;

REVOKE ALL ON FUNCTION internal.invitation_message(p_sender_name text, p_brand text, p_code text, p_link text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.invitation_message(p_sender_name text, p_brand text, p_code text, p_link text) TO kith_api;

REVOKE ALL ON FUNCTION internal.invitation_preview(p_token uuid, p_now timestamp with time zone) FROM PUBLIC;

GRANT SELECT,INSERT ON TABLE kith.connection_invitation_recipients TO kith_api;
GRANT SELECT ON TABLE kith.connection_invitation_recipients TO kith_admin;

GRANT UPDATE(status) ON TABLE kith.connection_invitation_recipients TO kith_api;

GRANT UPDATE(updated_at) ON TABLE kith.connection_invitation_recipients TO kith_api;

REVOKE ALL ON FUNCTION internal.invitation_recipient_json(p_recipient kith.connection_invitation_recipients, p_encoded_message text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.invitation_recipient_json(p_recipient kith.connection_invitation_recipients, p_encoded_message text) TO kith_api;

REVOKE ALL ON FUNCTION internal.invitation_refusal(p_recipients integer, p_send boolean, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.invitation_refusal(p_recipients integer, p_send boolean, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION internal.invitation_token_hash(p_token uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.invitation_url(p_token uuid, p_host text, p_public_url text) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.invitation_wait(p_recipients integer, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.invitation_wait(p_recipients integer, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION internal.invitations_wait(p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.invited_nominee_json(p_nominee kith.nominees, p_vault kith.vaults, p_token uuid, p_public_url text) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.is_alarm(p_type text) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.is_blocked(p_user_id uuid, p_other_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.is_time_zone(p_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.is_time_zone(p_name text) TO kith_api;
GRANT ALL ON FUNCTION internal.is_time_zone(p_name text) TO kith_worker;

REVOKE ALL ON FUNCTION internal.issue_invitation(p_nominee kith.nominees, p_channel text, p_now timestamp with time zone, OUT token uuid, OUT expires_at timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.join_url(p_join_link text, p_code text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.join_url(p_join_link text, p_code text) TO kith_api;

GRANT SELECT(tenant_id) ON TABLE kith.jwt_keys TO kith_admin;

GRANT SELECT(id) ON TABLE kith.jwt_keys TO kith_admin;

GRANT SELECT(algorithm) ON TABLE kith.jwt_keys TO kith_admin;

GRANT SELECT(own) ON TABLE kith.jwt_keys TO kith_admin;

GRANT SELECT(issuer) ON TABLE kith.jwt_keys TO kith_admin;

GRANT SELECT(audience) ON TABLE kith.jwt_keys TO kith_admin;

GRANT SELECT(public_key) ON TABLE kith.jwt_keys TO kith_admin;

GRANT SELECT(created_at) ON TABLE kith.jwt_keys TO kith_admin;

GRANT SELECT(revoked_at) ON TABLE kith.jwt_keys TO kith_admin;

GRANT SELECT(kid) ON TABLE kith.jwt_keys TO kith_admin;

REVOKE ALL ON FUNCTION internal.jwt_key_json(p_key kith.jwt_keys) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.leave_tenant() FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.leave_vaults(p_user_id uuid, p_nominees uuid[], p_transfers uuid[], p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.level_rank(p_level text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.level_rank(p_level text) TO kith_api;

GRANT SELECT(tenant_id) ON TABLE kith.otp_codes TO kith_admin;

GRANT SELECT(id) ON TABLE kith.otp_codes TO kith_admin;

GRANT SELECT(purpose) ON TABLE kith.otp_codes TO kith_admin;

GRANT SELECT(address) ON TABLE kith.otp_codes TO kith_admin;

GRANT SELECT(user_id) ON TABLE kith.otp_codes TO kith_admin;

GRANT SELECT(tries) ON TABLE kith.otp_codes TO kith_admin;

GRANT SELECT(created_at) ON TABLE kith.otp_codes TO kith_admin;

GRANT SELECT(expires_at) ON TABLE kith.otp_codes TO kith_admin;

GRANT SELECT(ended_at) ON TABLE kith.otp_codes TO kith_admin;

REVOKE ALL ON FUNCTION internal.live_otp(p_purpose text, p_channel text, p_address text, p_user_id uuid, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.local_date(p_at timestamp with time zone, p_zone text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.local_date(p_at timestamp with time zone, p_zone text) TO kith_api;
GRANT ALL ON FUNCTION internal.local_date(p_at timestamp with time zone, p_zone text) TO kith_worker;

REVOKE ALL ON FUNCTION internal.local_instant(p_date date, p_time time without time zone, p_zone text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.local_instant(p_date date, p_time time without time zone, p_zone text) TO kith_api;
GRANT ALL ON FUNCTION internal.local_instant(p_date date, p_time time without time zone, p_zone text) TO kith_worker;

REVOKE ALL ON FUNCTION internal.lock_account() FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.lock_own_vault(p_vault_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.lock_own_vault(p_vault_id uuid, p_now timestamp with time zone) TO kith_api;

GRANT SELECT(tenant_id) ON TABLE kith.transfers TO kith_api;
GRANT SELECT(tenant_id) ON TABLE kith.transfers TO kith_admin;

GRANT SELECT(id) ON TABLE kith.transfers TO kith_api;
GRANT SELECT(id) ON TABLE kith.transfers TO kith_admin;

GRANT SELECT(vault_id) ON TABLE kith.transfers TO kith_api;
GRANT SELECT(vault_id) ON TABLE kith.transfers TO kith_admin;

GRANT SELECT(owner_id) ON TABLE kith.transfers TO kith_api;
GRANT SELECT(owner_id) ON TABLE kith.transfers TO kith_admin;

GRANT SELECT(name) ON TABLE kith.transfers TO kith_api;
GRANT SELECT(name) ON TABLE kith.transfers TO kith_admin;

GRANT SELECT(phone) ON TABLE kith.transfers TO kith_api;
GRANT SELECT(phone) ON TABLE kith.transfers TO kith_admin;

GRANT SELECT(email) ON TABLE kith.transfers TO kith_api;
GRANT SELECT(email) ON TABLE kith.transfers TO kith_admin;

GRANT SELECT(keep_access) ON TABLE kith.transfers TO kith_api;
GRANT SELECT(keep_access) ON TABLE kith.transfers TO kith_admin;

GRANT SELECT(status) ON TABLE kith.transfers TO kith_api;
GRANT SELECT(status) ON TABLE kith.transfers TO kith_admin;

GRANT SELECT(created_at) ON TABLE kith.transfers TO kith_api;
GRANT SELECT(created_at) ON TABLE kith.transfers TO kith_admin;

GRANT SELECT(expires_at) ON TABLE kith.transfers TO kith_api;
GRANT SELECT(expires_at) ON TABLE kith.transfers TO kith_admin;

GRANT SELECT(ended_at) ON TABLE kith.transfers TO kith_api;
GRANT SELECT(ended_at) ON TABLE kith.transfers TO kith_admin;

GRANT SELECT(accepted_by) ON TABLE kith.transfers TO kith_api;
GRANT SELECT(accepted_by) ON TABLE kith.transfers TO kith_admin;

REVOKE ALL ON FUNCTION internal.lock_transfer(p_transfer_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.lock_vault_row(p_vault_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.make_partition(p_table text, p_suffix text, p_from text, p_until text) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.make_partitions(p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.make_partitions(p_now timestamp with time zone) TO kith_worker;

REVOKE ALL ON FUNCTION internal.manage_vault(p_vault_id uuid, p_now timestamp with time zone, OUT vault kith.vaults, OUT role text, OUT access_level text, OUT nominee kith.nominees, OUT session kith.vault_sessions) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.manage_vault(p_vault_id uuid, p_now timestamp with time zone, OUT vault kith.vaults, OUT role text, OUT access_level text, OUT nominee kith.nominees, OUT session kith.vault_sessions) TO kith_api;

REVOKE ALL ON FUNCTION internal.managed_nominee_json(p_nominee kith.nominees, p_session_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.may_let_in(p_vault kith.vaults, p_inviter_id uuid) FROM PUBLIC;

GRANT SELECT ON TABLE kith.messages TO kith_api;

GRANT SELECT(tenant_id) ON TABLE kith.messages TO kith_admin;

GRANT SELECT(id) ON TABLE kith.messages TO kith_admin;

GRANT SELECT(vault_id) ON TABLE kith.messages TO kith_admin;

GRANT SELECT(nominee_id) ON TABLE kith.messages TO kith_admin;

GRANT SELECT(owner_id) ON TABLE kith.messages TO kith_admin;

GRANT SELECT(nominee_user_id) ON TABLE kith.messages TO kith_admin;

GRANT SELECT(from_id) ON TABLE kith.messages TO kith_admin;

GRANT SELECT(created_at) ON TABLE kith.messages TO kith_admin;

GRANT SELECT(read_at) ON TABLE kith.messages TO kith_admin;

REVOKE ALL ON FUNCTION internal.message_json(p_message kith.messages, p_from_name text) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.message_wait(p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.midnight(p_date date, p_zone text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.midnight(p_date date, p_zone text) TO kith_api;
GRANT ALL ON FUNCTION internal.midnight(p_date date, p_zone text) TO kith_worker;

REVOKE ALL ON FUNCTION internal.move_vault(p_vault kith.vaults, p_to uuid, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.name_of_anybody(p_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.name_of_anybody(p_name text) TO kith_api;

REVOKE ALL ON FUNCTION internal.new_api_key(p_tenant_id integer, p_name text, p_now timestamp with time zone, OUT id uuid, OUT secret text) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.new_code(p_role text, p_permanent boolean, p_expires_at timestamp with time zone, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.new_code(p_role text, p_permanent boolean, p_expires_at timestamp with time zone, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION internal.nominee_invitation_state(p_invitation kith.nominee_invitations, p_nominee kith.nominees, p_vault kith.vaults, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.nominee_json(p_nominee kith.nominees, p_session_id uuid, p_invitation kith.nominee_invitations, p_is_managed boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.nominee_status(p_status text, p_is_open boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.nominee_status(p_status text, p_is_open boolean) TO kith_api;

REVOKE ALL ON FUNCTION internal.nominees_of_person(p_user_id uuid, p_phone text, p_email text) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.note_activity(p_vault_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.note_activity(p_vault_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION internal.note_history(p_vault_id uuid, p_action text, p_subject_type text, p_subject_id uuid, p_detail jsonb, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.note_history(p_vault_id uuid, p_action text, p_subject_type text, p_subject_id uuid, p_detail jsonb, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION internal.notification_body(p_type text, p_to text, p_name text, p_value text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.notification_body(p_type text, p_to text, p_name text, p_value text) TO kith_worker;

REVOKE ALL ON FUNCTION internal.notification_title(p_type text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.notification_title(p_type text) TO kith_worker;

REVOKE ALL ON FUNCTION internal.notification_types() FROM PUBLIC;
GRANT ALL ON FUNCTION internal.notification_types() TO kith_api;
GRANT ALL ON FUNCTION internal.notification_types() TO kith_worker;

REVOKE ALL ON FUNCTION internal.notification_value(p_type text, p_data jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.notify_connection(p_connection_id uuid, p_type text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.notify_connection(p_connection_id uuid, p_type text, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION internal.open_session(p_vault_id uuid, p_now timestamp with time zone, OUT session kith.vault_sessions, OUT is_new boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.open_session(p_vault_id uuid, p_now timestamp with time zone, OUT session kith.vault_sessions, OUT is_new boolean) TO kith_api;

REVOKE ALL ON FUNCTION internal.operator() FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.opposite_role(p_role text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.opposite_role(p_role text) TO kith_api;

REVOKE ALL ON FUNCTION internal.otp_address(p_channel text, p_address text) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.own_connection(p_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.own_connection(p_id uuid) TO kith_api;

REVOKE ALL ON FUNCTION internal.own_share(p_vault_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.own_share(p_vault_id uuid) TO kith_api;

REVOKE ALL ON FUNCTION internal.own_vault(p_vault_id uuid, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.page_of_connections(p_role text, p_limit integer, p_cursor uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.page_of_connections(p_role text, p_limit integer, p_cursor uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION internal.page_of_nominees(p_vault_id uuid, p_session_id uuid, p_is_managed boolean, p_only uuid, p_status text, p_limit integer, p_cursor uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.partitions_until() FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.people_of_vaults(p_tenant_id integer, p_vaults uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.percent_encode(p_text text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.percent_encode(p_text text) TO kith_api;

REVOKE ALL ON FUNCTION internal.phone_problem_text(p_problem text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.phone_problem_text(p_problem text) TO kith_api;

REVOKE ALL ON FUNCTION internal.ping_json(p_ping kith.pings) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.ping_json(p_ping kith.pings) TO kith_api;

REVOKE ALL ON FUNCTION internal.place_in_minute(p_user_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.plan_run(p_time_zone text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.plan_run(p_time_zone text, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION internal.planned_pings(p_dates date[], p_time_zone text, p_ping_time time without time zone, p_grace_minutes integer, p_reminder_minutes integer, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.planned_pings(p_dates date[], p_time_zone text, p_ping_time time without time zone, p_grace_minutes integer, p_reminder_minutes integer, p_now timestamp with time zone) TO kith_worker;

REVOKE ALL ON FUNCTION internal.pointless(p_tenant_id integer, p_user_id uuid, p_type text, p_data jsonb, p_read_at timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.preferences_json() FROM PUBLIC;
GRANT ALL ON FUNCTION internal.preferences_json() TO kith_api;

REVOKE ALL ON FUNCTION internal.profile_required_text(p_role text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.profile_required_text(p_role text) TO kith_api;

REVOKE ALL ON FUNCTION internal.propose_contacts(p_body jsonb, p_codes jsonb, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.propose_contacts(p_body jsonb, p_codes jsonb, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION internal.put_user(p_body jsonb, p_now timestamp with time zone, OUT body json, OUT is_new boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.queue_delivery(p_id uuid, p_channel text, p_purpose text, p_address text, p_subject text, p_body text, p_sealed_secret bytea, p_dropped_for text, p_expires_at timestamp with time zone, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.queue_invitation(p_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.queue_invitation(p_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION internal.quiet_hours_json() FROM PUBLIC;
GRANT ALL ON FUNCTION internal.quiet_hours_json() TO kith_api;

REVOKE ALL ON FUNCTION internal.quiet_until(p_at timestamp with time zone, p_starts_at time without time zone, p_ends_at time without time zone, p_time_zone text) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.readable_participant(p_given jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.receiver_profile_json(p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.receiver_profile_json(p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION internal.record_act(p_tenant_id integer, p_actor text, p_action text, p_subject text, p_detail jsonb, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.record_beat(p_component text, p_instance text, p_started_at timestamp with time zone, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.record_beat(p_component text, p_instance text, p_started_at timestamp with time zone, p_now timestamp with time zone) TO kith_worker;

REVOKE ALL ON FUNCTION internal.record_histories(p_vault_id uuid, p_actor_id uuid, p_action text, p_subject_type text, p_subject_ids uuid[], p_detail jsonb, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.record_history(p_vault_id uuid, p_actor_id uuid, p_action text, p_subject_type text, p_subject_id uuid, p_detail jsonb, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.record_history_of(p_tenant_id integer, p_vault_id uuid, p_actor_id uuid, p_action text, p_subject_type text, p_subject_id uuid, p_detail jsonb, p_at timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.record_joining(p_session kith.vault_sessions, p_user_id uuid, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.refuse_fields(p_errors jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.refuse_fields(p_errors jsonb) TO kith_api;

REVOKE ALL ON FUNCTION internal.refuse_full_vault(p_vault_id uuid, p_more integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.refuse_not_found() FROM PUBLIC;
GRANT ALL ON FUNCTION internal.refuse_not_found() TO kith_api;

REVOKE ALL ON FUNCTION internal.refuse_shared_vaults(p_user_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.refuse_users() FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.release_issuers() FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.replace_break(p_from_on date, p_until_on date, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.replace_break(p_from_on date, p_until_on date, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION internal.replay_deliveries(p_tenant_id integer, p_ids uuid[], p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.report_undelivered(p_tenants integer[], p_notifications uuid[], p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.require_level(p_role text, p_access_level text, p_level text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.require_level(p_role text, p_access_level text, p_level text) TO kith_api;

REVOKE ALL ON FUNCTION internal.require_no_part(p_vault kith.vaults) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.require_open(p_role text, p_session_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.require_open(p_role text, p_session_id uuid) TO kith_api;

REVOKE ALL ON FUNCTION internal.require_owner(p_vault_id uuid, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.require_owner(p_vault_id uuid, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION internal.require_owner_for_full(p_role text, p_level text) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.require_pending(p_state text) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.require_profile(p_role text) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.require_profile(p_role text) TO kith_api;

REVOKE ALL ON FUNCTION internal.require_room(p_vault_id uuid, p_replaced_id uuid, p_size bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.require_server() FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.require_user() FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.require_version(p_document kith.documents, p_expected uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.reseal_key(p_kind text, p_tenant_id integer, p_id text, p_old bytea, p_new bytea) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.restore_pings(p_receiver_id uuid, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.restore_vault(p_vault_id uuid, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.retime_break(p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.retime_break(p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION internal.retime_pings(p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.retime_pings(p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION internal.retry_delay(p_id uuid, p_attempts integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.rotate_code(p_role text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.rotate_code(p_role text, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION internal.same_contact(p_user_id uuid, p_phone text, p_email text) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.sealed_keys(p_kind text, p_tenant_id integer, p_id text, p_limit integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.sealed_samples() FROM PUBLIC;
GRANT ALL ON FUNCTION internal.sealed_samples() TO kith_api;
GRANT ALL ON FUNCTION internal.sealed_samples() TO kith_worker;

REVOKE ALL ON FUNCTION internal.send_otp(p_purpose text, p_channel text, p_address text, p_user_id uuid, p_dropped_for text, p_code jsonb, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.sender_profile_json() FROM PUBLIC;
GRANT ALL ON FUNCTION internal.sender_profile_json() TO kith_api;

REVOKE ALL ON FUNCTION internal.session_json(p_session kith.vault_sessions) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.session_json(p_session kith.vault_sessions) TO kith_api;

REVOKE ALL ON FUNCTION internal.sessions_json() FROM PUBLIC;
GRANT ALL ON FUNCTION internal.sessions_json() TO kith_api;

REVOKE ALL ON FUNCTION internal.set_channel(p_tenant_id integer, p_channel text, p_summary jsonb, p_sealed bytea, p_actor text, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.set_contacts(p_user kith.users, p_body jsonb, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.settle_invitations(p_deliveries jsonb, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.settle_notifications(p_tenants integer[], p_notifications uuid[], p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.share_json(p_share kith.shares) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.share_json(p_share kith.shares) TO kith_api;

REVOKE ALL ON FUNCTION internal.sms_invitations_left(p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.sms_invitations_left(p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION internal.take_over_participant(p_share kith.shares, p_given jsonb, p_now timestamp with time zone, OUT outcome text, OUT ended_id uuid, OUT accepted_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.tell_nominees(p_vault kith.vaults, p_type text, p_by uuid, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.tell_of_break(p_break kith.breaks, p_type text, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.tell_of_message(p_user_id uuid, p_vault kith.vaults, p_message kith.messages, p_from_name text, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.tell_of_vault(p_user_id uuid, p_type text, p_vault kith.vaults, p_about_user_id uuid, p_name text, p_data jsonb, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.tell_senders_after_outage(p_now timestamp with time zone, p_batch integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.tenant_constraint_error(p_constraint text) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.tenant_json(p_tenant kith.tenants) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.today_ping(p_connection internal.own_connections, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.today_ping(p_connection internal.own_connections, p_now timestamp with time zone) TO kith_api;

REVOKE ALL ON FUNCTION internal.token_invitation_json(p_kind text, p_token uuid, p_vault kith.vaults, p_expires_at timestamp with time zone, p_public_url text) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.token_message(p_kind text, p_owner text, p_vault text, p_brand text, p_url text) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.transfer_json(p_transfer kith.transfers) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.transfer_state(p_transfer kith.transfers, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.transfers_of_person(p_user_id uuid, p_phone text, p_email text) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.try_otp(p_purpose text, p_channel text, p_address text, p_user_id uuid, p_guesses jsonb, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.user_by_code(p_channel text, p_address text, p_guesses jsonb, p_now timestamp with time zone, OUT user_id uuid, OUT is_new boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.user_json(p_user kith.users) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.user_json(p_user kith.users) TO kith_api;

REVOKE ALL ON FUNCTION internal.user_json_for_server(p_user kith.users) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.user_of_contact(p_channel text, p_address text) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.user_of_verified_contact(p_phone text, p_email text) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.user_with(p_user kith.users, p_body jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.user_with(p_user kith.users, p_body jsonb) TO kith_api;

REVOKE ALL ON FUNCTION internal.users_left() FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.uuid7(p_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.uuid7(p_at timestamp with time zone) TO kith_api;
GRANT ALL ON FUNCTION internal.uuid7(p_at timestamp with time zone) TO kith_worker;

REVOKE ALL ON FUNCTION internal.vault_access(p_vault_id uuid, p_now timestamp with time zone, OUT vault kith.vaults, OUT role text, OUT access_level text, OUT nominee kith.nominees, OUT session kith.vault_sessions) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.vault_access(p_vault_id uuid, p_now timestamp with time zone, OUT vault kith.vaults, OUT role text, OUT access_level text, OUT nominee kith.nominees, OUT session kith.vault_sessions) TO kith_api;

REVOKE ALL ON FUNCTION kith.now() FROM PUBLIC;
GRANT ALL ON FUNCTION kith.now() TO kith_api;
GRANT ALL ON FUNCTION kith.now() TO kith_worker;
GRANT ALL ON FUNCTION kith.now() TO kith_admin;

GRANT SELECT ON TABLE internal.own_vaults TO kith_api;

REVOKE ALL ON FUNCTION internal.vault_json(p_vault internal.own_vaults) FROM PUBLIC;
GRANT ALL ON FUNCTION internal.vault_json(p_vault internal.own_vaults) TO kith_api;

REVOKE ALL ON FUNCTION internal.vault_notification_data(p_vault kith.vaults, p_about_user_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.vault_of_share(p_share_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.wait_for_generation(p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.waiting_deliveries(p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.was_told(p_tenant_id integer, p_user_id uuid, p_type text, p_ping_on date, p_since timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION internal.was_told_of_ping(p_tenant_id integer, p_user_id uuid, p_type text, p_ping_id uuid, p_since timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION kith.caller() FROM PUBLIC;
GRANT ALL ON FUNCTION kith.caller() TO kith_api;
GRANT ALL ON FUNCTION kith.caller() TO kith_worker;
GRANT ALL ON FUNCTION kith.caller() TO kith_admin;

REVOKE ALL ON FUNCTION worker.alarm_operator(p_now timestamp with time zone, p_batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION worker.alarm_operator(p_now timestamp with time zone, p_batch integer) TO kith_worker;

REVOKE ALL ON FUNCTION worker.announce_due_pings(p_now timestamp with time zone, p_batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION worker.announce_due_pings(p_now timestamp with time zone, p_batch integer) TO kith_worker;

REVOKE ALL ON FUNCTION worker.beat(p_component text, p_instance text, p_started_at timestamp with time zone, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION worker.beat(p_component text, p_instance text, p_started_at timestamp with time zone, p_now timestamp with time zone) TO kith_worker;

REVOKE ALL ON FUNCTION worker.channel_credentials(p_tenant_id integer, p_channel text) FROM PUBLIC;
GRANT ALL ON FUNCTION worker.channel_credentials(p_tenant_id integer, p_channel text) TO kith_worker;

REVOKE ALL ON FUNCTION worker.claim_deliveries(p_now timestamp with time zone, p_channel text, p_batch integer, p_share integer, p_after_tenant integer, p_busy integer[], p_instance text) FROM PUBLIC;
GRANT ALL ON FUNCTION worker.claim_deliveries(p_now timestamp with time zone, p_channel text, p_batch integer, p_share integer, p_after_tenant integer, p_busy integer[], p_instance text) TO kith_worker;

REVOKE ALL ON FUNCTION worker.drop_expired_deliveries(p_now timestamp with time zone, p_batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION worker.drop_expired_deliveries(p_now timestamp with time zone, p_batch integer) TO kith_worker;

REVOKE ALL ON FUNCTION worker.find_gaps(p_now timestamp with time zone, p_batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION worker.find_gaps(p_now timestamp with time zone, p_batch integer) TO kith_worker;

REVOKE ALL ON FUNCTION worker.finish_deliveries(p_now timestamp with time zone, p_instance text, p_results jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION worker.finish_deliveries(p_now timestamp with time zone, p_instance text, p_results jsonb) TO kith_worker;

REVOKE ALL ON FUNCTION worker.generate_daily_pings(p_now timestamp with time zone, p_batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION worker.generate_daily_pings(p_now timestamp with time zone, p_batch integer) TO kith_worker;

REVOKE ALL ON FUNCTION worker.health(p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION worker.health(p_now timestamp with time zone) TO kith_worker;

REVOKE ALL ON FUNCTION worker.lock_expired_sessions(p_now timestamp with time zone, p_batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION worker.lock_expired_sessions(p_now timestamp with time zone, p_batch integer) TO kith_worker;

REVOKE ALL ON FUNCTION worker.make_partitions(p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION worker.make_partitions(p_now timestamp with time zone) TO kith_worker;

REVOKE ALL ON FUNCTION worker.miss_pings(p_now timestamp with time zone, p_batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION worker.miss_pings(p_now timestamp with time zone, p_batch integer) TO kith_worker;

REVOKE ALL ON FUNCTION worker.note_channel(p_tenant_id integer, p_channel text, p_error text, p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION worker.note_channel(p_tenant_id integer, p_channel text, p_error text, p_now timestamp with time zone) TO kith_worker;

REVOKE ALL ON FUNCTION worker.operator_told(p_now timestamp with time zone, p_alarms jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION worker.operator_told(p_now timestamp with time zone, p_alarms jsonb) TO kith_worker;

REVOKE ALL ON FUNCTION worker.plan_deliveries(p_now timestamp with time zone, p_batch integer, p_takes_all boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION worker.plan_deliveries(p_now timestamp with time zone, p_batch integer, p_takes_all boolean) TO kith_worker;

REVOKE ALL ON FUNCTION worker.remind_senders(p_now timestamp with time zone, p_batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION worker.remind_senders(p_now timestamp with time zone, p_batch integer) TO kith_worker;

REVOKE ALL ON FUNCTION worker.settle_subscriptions(p_now timestamp with time zone, p_batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION worker.settle_subscriptions(p_now timestamp with time zone, p_batch integer) TO kith_worker;

REVOKE ALL ON FUNCTION worker.sweep(p_now timestamp with time zone, p_batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION worker.sweep(p_now timestamp with time zone, p_batch integer) TO kith_worker;

REVOKE ALL ON FUNCTION worker.sweep_deliveries(p_now timestamp with time zone, p_batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION worker.sweep_deliveries(p_now timestamp with time zone, p_batch integer) TO kith_worker;

REVOKE ALL ON FUNCTION worker.sweep_invitations(p_now timestamp with time zone, p_batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION worker.sweep_invitations(p_now timestamp with time zone, p_batch integer) TO kith_worker;

REVOKE ALL ON FUNCTION worker.sweep_sign_in(p_now timestamp with time zone, p_batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION worker.sweep_sign_in(p_now timestamp with time zone, p_batch integer) TO kith_worker;

REVOKE ALL ON FUNCTION worker.sweep_uploads(p_now timestamp with time zone, p_batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION worker.sweep_uploads(p_now timestamp with time zone, p_batch integer) TO kith_worker;

REVOKE ALL ON FUNCTION worker.sweep_vault_invitations(p_now timestamp with time zone, p_batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION worker.sweep_vault_invitations(p_now timestamp with time zone, p_batch integer) TO kith_worker;

REVOKE ALL ON FUNCTION worker.sweep_vaults(p_now timestamp with time zone, p_batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION worker.sweep_vaults(p_now timestamp with time zone, p_batch integer) TO kith_worker;

REVOKE ALL ON FUNCTION worker.tell_operator(p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION worker.tell_operator(p_now timestamp with time zone) TO kith_worker;

REVOKE ALL ON FUNCTION worker.turn_breaks(p_now timestamp with time zone, p_batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION worker.turn_breaks(p_now timestamp with time zone, p_batch integer) TO kith_worker;

REVOKE ALL ON FUNCTION worker.watch_server(p_now timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION worker.watch_server(p_now timestamp with time zone) TO kith_worker;

GRANT SELECT ON TABLE kith.channel_pauses TO kith_admin;

GRANT SELECT(tenant_id) ON TABLE kith.deliveries TO kith_admin;

GRANT SELECT(id) ON TABLE kith.deliveries TO kith_admin;

GRANT SELECT(channel) ON TABLE kith.deliveries TO kith_admin;

GRANT SELECT(purpose) ON TABLE kith.deliveries TO kith_admin;

GRANT SELECT(address) ON TABLE kith.deliveries TO kith_admin;

GRANT SELECT(subject) ON TABLE kith.deliveries TO kith_admin;

GRANT SELECT(body) ON TABLE kith.deliveries TO kith_admin;

GRANT SELECT(status) ON TABLE kith.deliveries TO kith_admin;

GRANT SELECT(attempts) ON TABLE kith.deliveries TO kith_admin;

GRANT SELECT(next_attempt_at) ON TABLE kith.deliveries TO kith_admin;

GRANT SELECT(leased_until) ON TABLE kith.deliveries TO kith_admin;

GRANT SELECT(leased_by) ON TABLE kith.deliveries TO kith_admin;

GRANT SELECT(expires_at) ON TABLE kith.deliveries TO kith_admin;

GRANT SELECT(sent_at) ON TABLE kith.deliveries TO kith_admin;

GRANT SELECT(error) ON TABLE kith.deliveries TO kith_admin;

GRANT SELECT(created_at) ON TABLE kith.deliveries TO kith_admin;

GRANT SELECT(notification_id) ON TABLE kith.deliveries TO kith_admin;

GRANT SELECT(is_urgent) ON TABLE kith.deliveries TO kith_admin;

GRANT SELECT(provider_id) ON TABLE kith.deliveries TO kith_admin;

GRANT SELECT ON TABLE admin.channels TO kith_admin;

GRANT SELECT ON TABLE admin.code_space TO kith_admin;

GRANT SELECT ON TABLE kith.notifications TO kith_api;
GRANT SELECT ON TABLE kith.notifications TO kith_worker;
GRANT SELECT ON TABLE kith.notifications TO kith_admin;

GRANT UPDATE(read_at) ON TABLE kith.notifications TO kith_api;

GRANT SELECT ON TABLE admin.dead_letters TO kith_admin;

GRANT SELECT ON TABLE admin.delivery_backlog TO kith_admin;

GRANT SELECT ON TABLE admin.notification_backlog TO kith_admin;

GRANT SELECT,INSERT,UPDATE ON TABLE kith.outages TO kith_worker;
GRANT SELECT ON TABLE kith.outages TO kith_admin;

GRANT SELECT ON TABLE admin.outages TO kith_admin;

GRANT SELECT,INSERT,UPDATE ON TABLE kith.ping_gaps TO kith_worker;
GRANT SELECT ON TABLE kith.ping_gaps TO kith_admin;

GRANT SELECT ON TABLE admin.ping_gaps TO kith_admin;

GRANT SELECT,INSERT,UPDATE ON TABLE kith.ping_runs TO kith_worker;
GRANT SELECT ON TABLE kith.ping_runs TO kith_admin;

GRANT SELECT ON TABLE admin.ping_runs TO kith_admin;

GRANT SELECT ON TABLE kith.otp_counts TO kith_admin;

GRANT SELECT ON TABLE admin.sign_in_codes TO kith_admin;

GRANT SELECT(tenant_id) ON TABLE kith.api_keys TO kith_admin;

GRANT SELECT(id) ON TABLE kith.api_keys TO kith_admin;

GRANT SELECT(name) ON TABLE kith.api_keys TO kith_admin;

GRANT SELECT(scopes) ON TABLE kith.api_keys TO kith_admin;

GRANT SELECT(expires_at) ON TABLE kith.api_keys TO kith_admin;

GRANT SELECT(last_used_at) ON TABLE kith.api_keys TO kith_admin;

GRANT SELECT(revoked_at) ON TABLE kith.api_keys TO kith_admin;

GRANT SELECT(created_at) ON TABLE kith.api_keys TO kith_admin;

GRANT SELECT ON TABLE kith.tenant_usage TO kith_admin;

GRANT SELECT ON TABLE admin.tenants TO kith_admin;

GRANT SELECT ON TABLE kith.undelivered_alarms TO kith_admin;

GRANT SELECT ON TABLE admin.undelivered_alarms TO kith_admin;

GRANT SELECT ON TABLE admin.vault_sessions TO kith_admin;

GRANT SELECT ON TABLE kith.document_versions TO kith_admin;

GRANT SELECT ON TABLE admin.vaults TO kith_admin;

GRANT SELECT ON TABLE kith.audit TO kith_admin;

GRANT SELECT ON TABLE kith.blocks TO kith_api;
GRANT SELECT ON TABLE kith.blocks TO kith_admin;

GRANT SELECT,INSERT ON TABLE kith.check_ins TO kith_api;
GRANT SELECT ON TABLE kith.check_ins TO kith_worker;
GRANT SELECT ON TABLE kith.check_ins TO kith_admin;

GRANT SELECT ON TABLE kith.code_attempts TO kith_admin;

GRANT SELECT ON TABLE kith.delivery_totals TO kith_admin;

GRANT SELECT(tenant_id) ON TABLE kith.document_chunks TO kith_admin;

GRANT SELECT(version_id) ON TABLE kith.document_chunks TO kith_admin;

GRANT SELECT(n) ON TABLE kith.document_chunks TO kith_admin;

GRANT SELECT ON TABLE kith.drafts TO kith_admin;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE kith.heartbeats TO kith_worker;
GRANT SELECT ON TABLE kith.heartbeats TO kith_admin;

GRANT SELECT ON TABLE kith.history TO kith_api;
GRANT SELECT ON TABLE kith.history TO kith_admin;

GRANT SELECT,INSERT ON TABLE kith.idempotency_keys TO kith_api;
GRANT DELETE ON TABLE kith.idempotency_keys TO kith_worker;

GRANT SELECT(tenant_id) ON TABLE kith.idempotency_keys TO kith_worker;

GRANT SELECT(caller) ON TABLE kith.idempotency_keys TO kith_worker;

GRANT SELECT(key) ON TABLE kith.idempotency_keys TO kith_worker;

GRANT UPDATE(fingerprint) ON TABLE kith.idempotency_keys TO kith_api;

GRANT UPDATE(sealed_answer) ON TABLE kith.idempotency_keys TO kith_api;

GRANT UPDATE(created_at) ON TABLE kith.idempotency_keys TO kith_api;

GRANT UPDATE(expires_at) ON TABLE kith.idempotency_keys TO kith_api;
GRANT SELECT(expires_at) ON TABLE kith.idempotency_keys TO kith_worker;

GRANT SELECT ON TABLE kith.jwt_issuers TO kith_admin;

GRANT SELECT ON TABLE kith.notification_preferences TO kith_api;
GRANT SELECT ON TABLE kith.notification_preferences TO kith_admin;

GRANT SELECT ON TABLE kith.otp_tries TO kith_admin;

GRANT SELECT ON TABLE kith.quiet_hours TO kith_api;
GRANT SELECT ON TABLE kith.quiet_hours TO kith_admin;

GRANT SELECT ON TABLE kith.receiver_profiles TO kith_api;
GRANT SELECT ON TABLE kith.receiver_profiles TO kith_worker;
GRANT SELECT ON TABLE kith.receiver_profiles TO kith_admin;

GRANT INSERT(tenant_id) ON TABLE kith.receiver_profiles TO kith_api;

GRANT INSERT(user_id) ON TABLE kith.receiver_profiles TO kith_api;

GRANT INSERT(created_at) ON TABLE kith.receiver_profiles TO kith_api;

GRANT INSERT(updated_at) ON TABLE kith.receiver_profiles TO kith_api;

GRANT SELECT(tenant_id) ON TABLE kith.refresh_tokens TO kith_admin;

GRANT SELECT(id) ON TABLE kith.refresh_tokens TO kith_admin;

GRANT SELECT(family_id) ON TABLE kith.refresh_tokens TO kith_admin;

GRANT SELECT(created_at) ON TABLE kith.refresh_tokens TO kith_admin;

GRANT SELECT(expires_at) ON TABLE kith.refresh_tokens TO kith_admin;

GRANT SELECT(used_at) ON TABLE kith.refresh_tokens TO kith_admin;

GRANT SELECT(successor_id) ON TABLE kith.refresh_tokens TO kith_admin;

GRANT SELECT(replaced_at) ON TABLE kith.refresh_tokens TO kith_admin;

GRANT SELECT ON TABLE kith.share_participants TO kith_admin;

GRANT SELECT ON TABLE kith.token_families TO kith_admin;

GRANT SELECT(tenant_id) ON TABLE kith.vault_keys TO kith_admin;

GRANT SELECT(vault_id) ON TABLE kith.vault_keys TO kith_admin;

GRANT SELECT(created_at) ON TABLE kith.vault_keys TO kith_admin;

ALTER DEFAULT PRIVILEGES FOR ROLE kith_owner REVOKE ALL ON FUNCTIONS  FROM PUBLIC;

