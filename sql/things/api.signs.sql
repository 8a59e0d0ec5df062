-- The addresses of a person's things (J04). Functions that write are security definers, because kith_api may neither
-- write signs nor read the hashes of their tokens.

create or replace function api.list_signs() returns json
  language plpgsql
  stable
as $$
begin
  return json_build_object('items', internal.signs_json(), 'next_cursor', null);
end
$$;
comment on function api.list_signs() is 'Returns the caller''s signs, oldest first, without their addresses.';
grant execute on function api.list_signs() to kith_api;

create or replace function api.create_sign(p_body jsonb, p_public_url text, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_name text := btrim(p_body ->> 'name');
  -- The tenant's number comes first, so that a map can say where the tenant lives. A random UUID has 122 random bits: a
  -- plain SHA-256 is safe, and an index can find it.
  v_token text := v_tenant || '-' || translate(gen_random_uuid()::text, '-', '');
  v_sign kith.signs;
begin
  perform internal.begin_act('change', p_now);
  perform internal.require_name('name', v_name);
  -- Serialize the calls of a user, so that the count holds.
  perform internal.lock_account();
  if (select count(*) >= 10 from kith.signs where tenant_id = v_tenant and user_id = v_user) then
    raise exception 'quota_exceeded'
      using errcode = 'KT507', detail = 'You can have 10 buttons and sensors. Remove one first.';
  end if;
  insert into kith.signs (tenant_id, id, user_id, name, kind, allow_get, token_hash, created_at)
  values (
    v_tenant, internal.uuid7(p_now), v_user, v_name, p_body ->> 'kind',
    coalesce((p_body ->> 'allow_get')::boolean, false), sha256(convert_to(v_token, 'UTF8')), p_now
  )
  returning * into v_sign;
  perform internal.emit_account(v_tenant, v_user, p_now);
  return internal.sign_json(
    v_sign.id, v_sign.name, v_sign.kind, v_sign.allow_get, v_sign.last_used_at, v_sign.reports
  )::jsonb
    || jsonb_build_object('url', p_public_url || '/s/' || v_token);
end
$$;
comment on function api.create_sign(jsonb, text, timestamptz) is
  'Makes a secret address for one of the caller''s things: {name, kind, allow_get?}. Returns it with its url, which is '
  'shown only once. A user can have 10. Security definer, because kith_api may not write signs.';
grant execute on function api.create_sign(jsonb, text, timestamptz) to kith_api;

create or replace function api.delete_sign(p_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_kind text;
begin
  perform internal.require_user();
  delete from kith.signs where tenant_id = v_tenant and user_id = v_user and id = p_id returning kind into v_kind;
  if not found then
    perform internal.refuse_not_found();
  end if;
  perform internal.emit_account(v_tenant, v_user, p_now);
  if v_kind = 'activity' then
    perform internal.show_activity(v_tenant, v_user, p_now);
  end if;
  return null;
end
$$;
comment on function api.delete_sign(uuid, timestamptz) is
  'Ends the address of one of the caller''s things. From then on it is unknown. Security definer, because kith_api may '
  'not write signs.';
grant execute on function api.delete_sign(uuid, timestamptz) to kith_api;

create or replace function api.report_sign(p_tenant_id integer, p_token_hash bytea, p_is_get boolean, p_now timestamptz)
  returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_sign kith.signs;
  v_reports integer;
  v_answer json := json_build_object('is_known', true);
begin
  -- From here on, no statement can leave the tenant.
  perform set_config('kith.tenant_id', p_tenant_id::text, true);
  select own.* into v_sign
  from kith.signs as own
  join kith.tenants as tenant on tenant.tenant_id = own.tenant_id and tenant.deleted_at is null
  join kith.users as person
    on person.tenant_id = own.tenant_id and person.id = own.user_id and person.deleted_at is null
  where own.tenant_id = p_tenant_id and own.token_hash = p_token_hash;
  if not found then
    perform internal.refuse_not_found();
  elsif p_is_get and not v_sign.allow_get then
    return null;
  end if;
  -- Of two reports at the same time, the second waits for the row here.
  select * into v_sign from kith.signs where tenant_id = p_tenant_id and id = v_sign.id for no key update;
  if not found then
    perform internal.refuse_not_found();
  elsif internal.is_merged_report(v_sign, p_now) then
    return json_build_object('is_known', true, 'is_stuck', internal.is_stuck(v_sign.kind, v_sign.reports));
  end if;
  v_reports := internal.reports_with(v_sign, p_now);
  update kith.signs set last_used_at = p_now, reports = v_reports where tenant_id = p_tenant_id and id = v_sign.id;
  if v_sign.kind = 'activity' then
    perform internal.show_activity(p_tenant_id, v_sign.user_id, p_now);
    return v_answer;
  elsif internal.is_stuck(v_sign.kind, v_reports) then
    return json_build_object('is_known', true, 'is_stuck', true);
  end if;
  perform set_config('kith.user_id', v_sign.user_id::text, true);
  perform api.check_in(null, false, null, 'sign', p_now);
  return v_answer;
end
$$;
comment on function api.report_sign(integer, bytea, boolean, timestamptz) is
  'A report of a thing, by the SHA-256 of the token in its address. One of kind check_in is a check-in of its owner; '
  'one of kind activity is only kept as the newest activity, and so is one of a stuck button (internal.is_stuck). '
  'Reports that internal.is_merged_report merges change nothing. Returns {is_known, is_stuck}, the second only if the '
  'report was no check-in because the button is stuck. Raises not_found for an unknown token, and returns null for a '
  'GET that the owner does not allow. A suspension of the tenant refuses none (A02). Security definer, because the '
  'token identifies the tenant and its user.';
grant execute on function api.report_sign(integer, bytea, boolean, timestamptz) to kith_api;
