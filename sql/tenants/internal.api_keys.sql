-- The keys of tenants' servers. A key is live until it expires or is ended. The tenant's own server and operators share
-- these rules.

create or replace function internal.new_api_key(
  p_tenant_id integer, p_name text, p_scopes text[], p_expires_at timestamptz, p_now timestamptz,
  out key kith.api_keys, out secret text
) returns record
  language plpgsql
as $$
begin
  perform internal.refuse_key(p_name, p_scopes, p_expires_at, p_now);
  -- Serialize the calls about a tenant's keys, so that the count holds.
  perform from kith.tenants where tenant_id = p_tenant_id for no key update;
  perform internal.forget_ended_keys(p_tenant_id, p_now);
  if (
    select count(*) >= 50 from kith.api_keys as live
    where live.tenant_id = p_tenant_id and internal.key_is_live(live, p_now)
  )
  then
    raise exception 'quota_exceeded' using errcode = 'KT507', detail = 'A tenant can have 50 keys. End one first.';
  end if;
  -- Two random UUIDs are 244 random bits. A plain SHA-256 is therefore safe, and an index can find it. Where there are
  -- several databases, the number says in which one to look first.
  secret := 'kith_sk_' || p_tenant_id || '_' || translate(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
  insert into kith.api_keys as made (tenant_id, id, name, secret_hash, scopes, expires_at, created_at)
  values (
    p_tenant_id, internal.uuid7(p_now), p_name, sha256(convert_to(secret, 'UTF8')),
    array(select distinct scope from unnest(p_scopes) as scope order by scope), p_expires_at, p_now
  )
  returning made.* into key;
end
$$;
comment on function internal.new_api_key(integer, text, text[], timestamptz, timestamptz) is
  'Creates an API key. The secret is returned once: only its hash is stored. A tenant has at most 50 live keys.';

create or replace function internal.refuse_key(
  p_name text, p_scopes text[], p_expires_at timestamptz, p_now timestamptz
)
  returns void
  language plpgsql
  immutable
as $$
declare
  v_known constant text[] := array['all', 'users', 'tokens', 'settings', 'webhooks', 'alarms', 'read'];
  v_errors jsonb := internal.name_error('name', p_name);
begin
  if p_name is null or char_length(p_name) not between 1 and 80 then
    v_errors := internal.field_error('name', 'must have 1 to 80 characters');
  end if;
  if coalesce(cardinality(p_scopes), 0) = 0 or not p_scopes <@ v_known
    or array_position(p_scopes, null) is not null
  then
    v_errors := v_errors || internal.field_error('scopes', 'must be one or more of ' || array_to_string(v_known, ', '));
  end if;
  if p_expires_at <= p_now then
    v_errors := v_errors || internal.field_error('expires_at', 'must be in the future');
  elsif p_expires_at > p_now + interval '10 years' then
    v_errors := v_errors
      || internal.field_error('expires_at', 'must be at most ten years away, or null for a key without an end');
  end if;
  perform internal.refuse_fields(v_errors);
end
$$;
comment on function internal.refuse_key(text, text[], timestamptz, timestamptz) is
  'Raises validation_failed unless a new key''s name, scopes and end are valid.';

create or replace function internal.key_is_live(p_key kith.api_keys, p_now timestamptz) returns boolean
  language sql
  immutable
  parallel safe
as $$
  select (p_key).revoked_at is null and coalesce((p_key).expires_at > p_now, true)
$$;
comment on function internal.key_is_live(kith.api_keys, timestamptz) is
  'Whether a key authenticates its tenant: it has not been ended and has not expired.';

create or replace function internal.forget_ended_keys(p_tenant_id integer, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  delete from kith.api_keys as forgotten
  where forgotten.tenant_id = p_tenant_id and forgotten.id in (
    select ended.id
    from kith.api_keys as ended
    where ended.tenant_id = p_tenant_id and not internal.key_is_live(ended, p_now)
    order by least(ended.revoked_at, ended.expires_at) desc
    offset 50
  );
end
$$;
comment on function internal.forget_ended_keys(integer, timestamptz) is
  'Deletes the keys that ended first, so that a tenant''s list keeps at most 50 ended ones. The audit keeps all of '
  'them.';

create or replace function internal.api_key_json(p_key kith.api_keys, p_now timestamptz) returns json
  language sql
  stable
as $$
  select json_build_object(
    'id', (p_key).id,
    'name', (p_key).name,
    'scopes', (p_key).scopes,
    'expires_at', internal.instant((p_key).expires_at),
    'is_live', internal.key_is_live(p_key, p_now),
    'last_used_at', internal.instant((p_key).last_used_at),
    'created_at', internal.instant((p_key).created_at)
  )
$$;
comment on function internal.api_key_json(kith.api_keys, timestamptz) is
  'A key as its tenant sees it, without the secret. is_live is false once it has expired.';

create or replace function internal.require_all_key(p_now timestamptz) returns uuid
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_key kith.api_keys;
begin
  select * into v_key from kith.api_keys where tenant_id = v_tenant and 'key:' || id = kith.caller();
  if not found or not internal.key_is_live(v_key, p_now) then
    raise exception 'unauthenticated' using errcode = 'KT401';
  end if;
  if 'all' <> all (v_key.scopes) then
    raise exception 'forbidden' using errcode = 'KT403', detail = 'Only a key with the scope all can manage keys.';
  end if;
  return v_key.id;
end
$$;
comment on function internal.require_all_key(timestamptz) is
  'The calling key. Raises forbidden unless it has the scope all, and unauthenticated if it has ended: a server trusts '
  'a key for up to a minute, in which an ended key must make no other. For definer procedures.';

create or replace function internal.end_api_key(p_tenant_id integer, p_id uuid, p_now timestamptz) returns kith.api_keys
  language plpgsql
as $$
declare
  v_key kith.api_keys;
begin
  update kith.api_keys as ended set revoked_at = p_now
  where ended.tenant_id = p_tenant_id and ended.id = p_id and internal.key_is_live(ended, p_now)
  returning * into v_key;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return v_key;
end
$$;
comment on function internal.end_api_key(integer, uuid, timestamptz) is
  'Ends a live key. Within a minute, no server accepts it. Raises not_found for one that has ended. For definer '
  'procedures.';

create or replace function internal.record_new_key(p_key kith.api_keys, p_actor text) returns void
  language plpgsql
as $$
begin
  perform internal.record_act(
    p_key.tenant_id, p_actor, 'api_key.create', p_key.id::text,
    jsonb_build_object('name', p_key.name, 'scopes', p_key.scopes, 'expires_at', internal.instant(p_key.expires_at))
  );
end
$$;
comment on function internal.record_new_key(kith.api_keys, text)
  is 'Records in the audit that a key was made, and what it may do.';

create or replace function internal.tell_of_key(p_key kith.api_keys, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform internal.emit_event(
    p_key.tenant_id, '00000000-0000-0000-0000-000000000000', 'api_key', p_key.id, null, null, p_now
  );
end
$$;
comment on function internal.tell_of_key(kith.api_keys, timestamptz) is
  'Tells the tenant''s webhooks of a key that an operator has made. With the scope tokens or all, its holder can act '
  'in the name of every user, an owner of a vault included: the tenant must not learn of it from the audit alone.';

create or replace function internal.seen_api_key(p_id uuid, p_now timestamptz) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  -- The event belongs to no user, and only webhooks render it.
  if kith.user_id() <> '00000000-0000-0000-0000-000000000000' then
    return null;
  end if;
  return (
    select internal.api_key_json(key, p_now) from kith.api_keys as key
    where key.tenant_id = v_tenant and key.id = p_id and key.revoked_at is null
  );
end
$$;
comment on function internal.seen_api_key(uuid, timestamptz) is
  'A key that an operator has made, as the tenant''s server sees it, for an event of its webhooks. Null once it was '
  'ended.';
