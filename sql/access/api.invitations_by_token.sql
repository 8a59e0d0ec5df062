-- Answers to an invitation, by its token. preview_invitation and invitation_page need no sign-in and run without a
-- tenant: the token identifies it.

create or replace function api.preview_invitation(p_token uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return internal.invitation_preview(p_token, p_now);
end
$$;
comment on function api.preview_invitation(uuid, timestamptz) is
  'Returns what an invitation is for, to anyone who has its token (N20): the vault''s name, who invites, and the '
  'status. Security definer, because the token identifies the tenant and no user is known yet.';
grant execute on function api.preview_invitation(uuid, timestamptz) to kith_api;

create or replace function api.invitation_page(p_token uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_preview jsonb := internal.invitation_preview(p_token, p_now);
begin
  -- invitation_preview has set the tenant.
  return (
    select v_preview || jsonb_build_object(
      'tenant_id', tenant.tenant_id, 'slug', tenant.slug, 'default_region', tenant.default_region,
      'brand_color', tenant.brand_color,
      'brand_mark', internal.brand_mark_path(tenant.slug, tenant.brand_mark), 'wording', internal.wording(tenant)
    )
    from kith.tenants as tenant
    where tenant.tenant_id = kith.tenant_id()
  );
end
$$;
comment on function api.invitation_page(uuid, timestamptz) is
  'Returns the preview of an invitation, and what the server needs to show its page and to send a code: {tenant_id, '
  'slug, default_region, brand_color, brand_mark, wording}. Security definer, because the token identifies the tenant '
  'and no user is known yet.';
grant execute on function api.invitation_page(uuid, timestamptz) to kith_api;

create or replace function api.accept_invitation(p_token uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_found record;
begin
  perform internal.require_user();
  v_found := internal.find_invitation(p_token);
  if v_found.kind = 'nominee' then
    return internal.accept_nominee_invitation(v_found.id, p_now);
  end if;
  return internal.accept_transfer(v_found.id, p_now);
end
$$;
comment on function api.accept_invitation(uuid, timestamptz) is
  'Accepts a nominee invitation or a transfer for the caller. Raises invitation_invalid, invitation_expired or '
  'invitation_used, and conflict for the owner and for a user who is a nominee already. Security definer, because the '
  'rows belong to the owner until then.';
grant execute on function api.accept_invitation(uuid, timestamptz) to kith_api;

create or replace function api.decline_invitation(p_token uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
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
comment on function api.decline_invitation(uuid, timestamptz) is
  'Declines a nominee invitation or a transfer, for a user or, on the invitation''s page, for anyone who has the '
  'token, because declining binds nobody. Returns the preview with the new status. Security definer, as '
  'accept_invitation.';
grant execute on function api.decline_invitation(uuid, timestamptz) to kith_api;

create or replace function api.accept_invitation_by_code(
  p_token uuid, p_channel text, p_address text, p_challenge_id uuid, p_guesses jsonb, p_now timestamptz
) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_signed record;
begin
  perform internal.require_server();
  v_signed := internal.user_by_code(p_channel, p_address, p_challenge_id, p_guesses, p_now);
  if v_signed.user_id is null then
    return json_build_object('problem', 'otp_invalid');
  end if;
  perform set_config('kith.user_id', v_signed.user_id::text, true),
    set_config('kith.actor', 'user:' || v_signed.user_id, true);
  perform api.accept_invitation(p_token, p_now);
  if v_signed.is_new then
    perform internal.count_users(1);
  end if;
  return json_build_object();
end
$$;
comment on function api.accept_invitation_by_code(uuid, text, text, uuid, jsonb, timestamptz) is
  'Accepts an invitation on its page for a person who has a one-time code for an address, as if they had signed in '
  'with it, but keeps no sign-in. Returns {}, or the problem otp_invalid. If accepting is refused, the code stays '
  'valid. Security definer, because no user is known yet.';
grant execute on function api.accept_invitation_by_code(uuid, text, text, uuid, jsonb, timestamptz) to kith_api;
