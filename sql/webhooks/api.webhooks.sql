-- The webhook endpoints of a tenant, as its own server manages them. These functions are security definers because
-- kith_api may neither read nor write endpoints and their secrets.

create or replace function api.list_webhooks() returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_server();
  return (
    select json_build_object(
      'items', coalesce(json_agg(internal.webhook_json(webhooks) order by id), '[]'), 'next_cursor', null
    )
    from kith.webhooks
    where tenant_id = v_tenant and not exists (select from internal.hidden_endpoint(v_tenant, webhooks.id))
  );
end
$$;
comment on function api.list_webhooks() is
  'Returns the tenant''s endpoints, oldest first. Security definer, because kith_api may not read endpoints.';
grant execute on function api.list_webhooks() to kith_api;

create or replace function api.add_webhook(p_id uuid, p_body jsonb, p_sealed_secrets bytea, p_now timestamptz)
  returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_webhook kith.webhooks;
begin
  perform internal.require_server();
  perform internal.count_acts('administration', 1, p_now);
  -- Serialize the calls of a tenant, so that the count holds.
  perform from kith.tenants where tenant_id = v_tenant for no key update;
  if (
    select count(*) >= 10 from kith.webhooks as known
    where known.tenant_id = v_tenant and not exists (select from internal.hidden_endpoint(v_tenant, known.id))
  ) then
    raise exception 'quota_exceeded'
      using errcode = 'KT507', detail = 'A tenant can have 10 webhooks. Delete one first.';
  end if;
  insert into kith.webhooks (
    tenant_id, id, url, types, sealed_secrets, taken_xid, taken_at, next_attempt_at, created_at, updated_at
  )
  values (
    v_tenant, p_id, p_body ->> 'url', array(select jsonb_array_elements_text(coalesce(p_body -> 'types', '[]'))),
    p_sealed_secrets, internal.feed_horizon(), p_now, p_now, p_now, p_now
  )
  returning * into v_webhook;
  perform internal.record_act(
    v_tenant, internal.actor(), 'webhook.create', p_id::text,
    -- Keep only the host: the path and the query may hold a secret that authorizes the calls.
    jsonb_build_object(
      'url', regexp_replace(v_webhook.url, '^https://([^/?#]*@)?([^/?#]*).*', 'https://\2/…'), 'types', v_webhook.types
    )
  );
  return internal.webhook_json(v_webhook);
end
$$;
comment on function api.add_webhook(uuid, jsonb, bytea, timestamptz) is
  'Adds an endpoint: {url, types?}; without types it gets all events. It receives events from now on. The secrets are '
  'sealed by the server. A tenant can have at most 10 endpoints. Security definer, because kith_api may not write '
  'endpoints.';
grant execute on function api.add_webhook(uuid, jsonb, bytea, timestamptz) to kith_api;

create or replace function api.delete_webhook(p_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_server();
  delete from kith.webhooks
  where tenant_id = v_tenant and id = p_id and not exists (select from internal.hidden_endpoint(v_tenant, p_id));
  if not found then
    perform internal.refuse_not_found();
  end if;
  perform internal.record_act(v_tenant, internal.actor(), 'webhook.delete', p_id::text, null);
  return null;
end
$$;
comment on function api.delete_webhook(uuid, timestamptz) is
  'Deletes an endpoint. A request that is already being sent is the last one. Security definer, because kith_api may '
  'not write endpoints.';
grant execute on function api.delete_webhook(uuid, timestamptz) to kith_api;

create or replace function api.webhook_secrets(p_id uuid) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_answer json;
begin
  perform internal.require_server();
  select json_build_object('sealed', translate(encode(sealed_secrets, 'base64'), e'\n', '')) into v_answer
  from kith.webhooks
  where tenant_id = v_tenant and id = p_id and not exists (select from internal.hidden_endpoint(v_tenant, p_id));
  if not found then
    perform internal.refuse_not_found();
  end if;
  return v_answer;
end
$$;
comment on function api.webhook_secrets(uuid) is
  'Returns the sealed secrets of an endpoint to the server that is about to change them: {sealed}. Security definer, '
  'because kith_api may not read secrets.';
grant execute on function api.webhook_secrets(uuid) to kith_api;

create or replace function api.rotate_webhook(p_id uuid, p_old bytea, p_new bytea, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_webhook kith.webhooks;
begin
  perform internal.require_server();
  perform internal.count_acts('administration', 1, p_now);
  v_webhook := internal.own_webhook(p_id);
  if v_webhook.sealed_secrets <> p_old then
    raise exception 'conflict'
      using errcode = 'KT409', detail = 'Another request has just changed the secret. Try again.';
  end if;
  update kith.webhooks set sealed_secrets = p_new, updated_at = p_now where tenant_id = v_tenant and id = p_id;
  perform internal.record_act(v_tenant, internal.actor(), 'webhook.rotate', p_id::text, null);
  return internal.webhook_json(v_webhook);
end
$$;
comment on function api.rotate_webhook(uuid, bytea, bytea, timestamptz) is
  'Replaces the sealed secrets that webhook_secrets returned with new ones. Raises conflict if they have changed '
  'since. Security definer, because kith_api may not write endpoints.';
grant execute on function api.rotate_webhook(uuid, bytea, bytea, timestamptz) to kith_api;
