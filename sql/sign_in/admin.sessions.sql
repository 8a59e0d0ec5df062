create or replace function admin.end_sessions(
  p_tenant text, p_user uuid, p_reason text, p_now timestamptz default now()
)
  returns text
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer;
  v_ended_at timestamptz;
  v_ended record;
begin
  perform internal.require_present(p_now);
  perform internal.require_reason(p_reason);
  v_tenant := internal.enter_tenant(p_tenant);
  select deleted_at into v_ended_at from kith.users where tenant_id = v_tenant and id = p_user;
  if not found then
    raise exception 'not_found'
      using errcode = 'KT404', detail = format('The tenant %s has no user %s.', p_tenant, p_user),
      hint = format('Look it up: select * from admin.find_user(%L, ''phone, e-mail or name'');', p_tenant);
  elsif v_ended_at is not null then
    raise exception 'invalid_transition'
      using errcode = 'KT409', detail = format('This account ended at %s.', internal.shown_instant(v_ended_at));
  end if;
  v_ended := internal.sign_out_everywhere(p_user, p_now);
  perform internal.record_act(
    v_tenant, internal.operator(), 'user.sign_out_everywhere', p_user::text, jsonb_build_object('reason', p_reason)
  );
  perform internal.leave_tenant();
  return format(
    'signed out: %s sign-ins and %s devices have ended. Within a minute no server accepts a token from before, and '
      'no push goes to these devices; the person signs in again',
    v_ended.sign_ins, v_ended.devices
  );
end
$$;
comment on function admin.end_sessions(text, uuid, text, timestamptz) is
  'Signs a person out everywhere, as they could by POST /v1/auth/sign-out: select admin.end_sessions(''acme'', ''…'', '
  '''phone stolen''). It also ends the tokens that the tenant''s server has asked for, such as with a key that has '
  'leaked. The reason is kept in the audit and must not contain names. Returns what follows.';
grant execute on function admin.end_sessions(text, uuid, text, timestamptz) to kith_admin;
