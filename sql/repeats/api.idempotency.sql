-- Idempotency keys: a POST that is sent twice runs once (A07). The server calls both functions in the transaction of
-- the request itself, so an answer is kept if, and only if, its effect is.

create or replace function api.claim_key(p_key text, p_fingerprint bytea, p_right text, p_now timestamptz) returns json
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_caller text := kith.caller();
  v_fingerprint bytea;
  v_answer bytea;
begin
  -- Do not wait for the lock. A waiting request would hold a connection and everything queued behind it.
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
  if not internal.may_repeat(
    p_right,
    array(
      select subject_id from kith.idempotency_key_subjects
      where tenant_id = v_tenant and caller = v_caller and key = p_key
    ),
    p_now
  ) then
    return json_build_object('state', 'hidden');
  end if;
  return json_build_object('state', 'done', 'answer', translate(encode(v_answer, 'base64'), e'\n', ''));
end
$$;
comment on function api.claim_key(text, bytea, text, timestamptz) is
  'Decides whether a request with an idempotency key may run. state is new: it may, and no other request with the key '
  'can until the transaction ends; done: it has run before, with its sealed answer; hidden: the caller no longer has '
  'p_right, the right that the request needs, or may no longer see what the answer names (internal.may_repeat); '
  'mismatch: the key belongs to another request; busy: a request with the key is running now.';
grant execute on function api.claim_key(text, bytea, text, timestamptz) to kith_api;

create or replace function api.keep_answer(
  p_key text, p_fingerprint bytea, p_sealed_answer bytea, p_subject_ids uuid[], p_seconds integer, p_now timestamptz
) returns json
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_caller text := kith.caller();
begin
  -- A person's app has a few thousand answers at most. Beyond that a request still runs, but a repeat of it would run
  -- again.
  if v_caller like 'user:%' and exists (
    select from kith.idempotency_keys where tenant_id = v_tenant and caller = v_caller offset 4999 limit 1
  ) then
    return null;
  end if;
  insert into kith.idempotency_keys (tenant_id, caller, key, fingerprint, sealed_answer, created_at, expires_at)
  values (v_tenant, v_caller, p_key, p_fingerprint, p_sealed_answer, p_now, p_now + make_interval(secs => p_seconds))
  on conflict (tenant_id, caller, key) do update
  set fingerprint = excluded.fingerprint, sealed_answer = excluded.sealed_answer, created_at = excluded.created_at,
    expires_at = excluded.expires_at;
  perform internal.name_subjects(p_key, p_subject_ids, p_now);
  return null;
end
$$;
comment on function api.keep_answer(text, bytea, bytea, uuid[], integer, timestamptz) is
  'Keeps the answer of a request that claim_key let through for p_seconds, with the ids of everything that it names. A '
  'user has at most 5,000 kept answers; more are not kept.';
grant execute on function api.keep_answer(text, bytea, bytea, uuid[], integer, timestamptz) to kith_api;
