create or replace function api.list_codes(p_now timestamptz) returns json
  language plpgsql
  stable
as $$
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
    where tenant_id = v_tenant and user_id = v_user and rotated_at is null
      and (expires_at is null or expires_at > p_now)
  );
end
$$;
comment on function api.list_codes(timestamptz) is
  'Returns the caller''s live codes, permanent ones first. There are at most 100, so they fit on one page.';
grant execute on function api.list_codes(timestamptz) to kith_api;

create or replace function api.create_code(p_body jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_role text := p_body ->> 'role';
  v_rotate boolean := coalesce((p_body ->> 'rotate')::boolean, false);
  v_seconds integer := (p_body ->> 'expires_in_seconds')::integer;
begin
  perform internal.require_user();
  if v_rotate and v_seconds is not null then
    perform internal.refuse_fields(
      internal.field_error('expires_in_seconds', 'must be absent with rotate: a permanent code never expires')
    );
  end if;
  if v_seconds not between 60 and 7776000 then
    perform internal.refuse_fields(internal.field_error('expires_in_seconds', 'must be from 60 to 7776000'));
  end if;
  perform internal.require_profile(v_role);
  perform internal.emit_account(v_tenant, kith.user_id(), p_now);
  if v_rotate then
    return internal.code_json(internal.rotate_code(v_role, p_now));
  end if;
  if v_seconds is null then
    select invitation_days * 86400 into v_seconds from kith.tenants where tenant_id = v_tenant;
  end if;
  return internal.code_json(internal.new_code(v_role, false, p_now + make_interval(secs => v_seconds), p_now));
end
$$;
comment on function api.create_code(jsonb, timestamptz) is
  'Creates an extra code that expires after the given time, or after the tenant''s invitation days; with rotate, a new '
  'permanent code instead. Raises profile_required without a profile in that role. Security definer, because only '
  'these procedures write codes.';
grant execute on function api.create_code(jsonb, timestamptz) to kith_api;

create or replace function api.preview_code(p_code text, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_found record;
begin
  perform internal.require_user();
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
comment on function api.preview_code(text, timestamptz) is
  'Returns whom a code would connect the caller with, and in which role. Counts as an attempt, as connecting does. '
  'Security definer, because users may not read whose a code is.';
grant execute on function api.preview_code(text, timestamptz) to kith_api;
