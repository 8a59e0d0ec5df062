create or replace function internal.change_user(p_id uuid, p_body jsonb, p_now timestamptz) returns kith.users
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user kith.users;
  v_name text;
  v_zone text;
  v_locale text;
begin
  select * into v_user from kith.users
  where tenant_id = v_tenant and id = p_id and deleted_at is null
  for no key update;
  if not found then
    perform internal.refuse_not_found();
  end if;
  v_name := v_user.display_name;
  v_zone := v_user.time_zone;
  v_locale := v_user.locale;
  v_user := internal.user_with(v_user, p_body);
  update kith.users
  set display_name = v_user.display_name, time_zone = v_user.time_zone, locale = v_user.locale, updated_at = p_now,
    -- A server may send UTC for want of anything better.
    has_chosen_zone = has_chosen_zone or p_body ->> 'time_zone' is not null and p_id is not distinct from kith.user_id()
  where tenant_id = v_tenant and id = p_id;
  if (v_user.display_name, v_user.time_zone, v_user.locale) is distinct from (v_name, v_zone, v_locale) then
    perform internal.emit_account(v_tenant, p_id, p_now);
  end if;
  if v_user.display_name is distinct from v_name then
    perform internal.emit_name(p_id, p_now);
  end if;
  if v_user.time_zone <> v_zone then
    perform internal.follow_time_zone(p_id, v_user.time_zone, p_now);
    perform internal.release_held(v_user, p_now);
  end if;
  return v_user;
end
$$;
comment on function internal.change_user(uuid, jsonb, timestamptz) is
  'Changes what users may change about themselves, except contacts, for the user and for the tenant''s server. The '
  'zone of the pings follows the account''s unless it was set apart, and so does what quiet hours hold. For definer '
  'procedures.';
