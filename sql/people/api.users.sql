-- The users of a tenant, as its own server manages them. These functions are security definers because a server sees
-- all users of its tenant, which a user may not.

create or replace function api.put_user(p_body jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
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
comment on function api.put_user(jsonb, timestamptz) is
  'Creates a user (201), or updates the one with the same external_id (200). Raises quota_exceeded beyond the '
  'tenant''s user quota.';
grant execute on function api.put_user(jsonb, timestamptz) to kith_api;

create or replace function api.list_users(
  p_external_id text, p_phone text, p_email text, p_limit integer, p_cursor uuid
)
  returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_server();
  return (
    select json_build_object(
      'items', coalesce(
        json_agg(internal.user_json_for_server(page.found) order by page.id) filter (where page.n <= p_limit), '[]'
      ),
      'next_cursor', case when count(*) > p_limit then (array_agg(page.id order by page.id))[p_limit] end
    )
    from (
      select matching as found, matching.id, row_number() over (order by matching.id) as n
      from internal.find_users(
        p_external_id, p_phone, internal.normalized_email(p_email), p_limit + 1, p_cursor
      ) as matching
    ) as page
  );
end
$$;
comment on function api.list_users(text, text, text, integer, uuid) is
  'Returns the tenant''s users, oldest first; or those with the external_id, the phone number (in E.164 form) or the '
  'e-mail address, or with all that are given. Several users can have a contact that none of them has verified. A '
  'pending contact finds nobody.';
grant execute on function api.list_users(text, text, text, integer, uuid) to kith_api;

create or replace function api.get_user(p_id uuid) returns json
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
  select internal.user_json_for_server(users) into v_answer
  from kith.users
  where tenant_id = v_tenant and id = p_id and deleted_at is null
    and not exists (select from internal.hidden_person(v_tenant, p_id));
  if not found then
    perform internal.refuse_not_found();
  end if;
  return v_answer;
end
$$;
comment on function api.get_user(uuid) is 'Returns one user of the tenant.';
grant execute on function api.get_user(uuid) to kith_api;

create or replace function api.update_user(p_id uuid, p_body jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user kith.users;
begin
  perform internal.require_server();
  perform internal.refuse_hidden_person(p_id);
  v_user := internal.change_user(p_id, p_body, p_now);
  perform internal.require_contact_scope(v_user, p_body);
  v_user := internal.set_contacts(v_user, p_body, p_now);
  if p_body ? 'external_id' and v_user.external_id is distinct from p_body ->> 'external_id' then
    v_user.external_id := p_body ->> 'external_id';
    update kith.users set external_id = v_user.external_id where tenant_id = v_tenant and id = p_id;
  end if;
  perform internal.record_act(
    v_tenant, internal.actor(), 'user.update', p_id::text,
    jsonb_build_object('fields', (select jsonb_agg(field) from jsonb_object_keys(p_body) as field))
  );
  return internal.user_json_for_server(v_user);
exception when unique_violation then
  raise exception 'conflict' using errcode = 'KT409', detail = 'Another user has this external_id.';
end
$$;
comment on function api.update_user(uuid, jsonb, timestamptz) is
  'Updates the given fields. Raises conflict for an external_id that another user has, and forbidden for a verified '
  'contact or an external_id if the key lacks the scope tokens. The audit names the fields, not their values.';
grant execute on function api.update_user(uuid, jsonb, timestamptz) to kith_api;

create or replace function api.set_subscription(p_id uuid, p_body jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_status text := p_body ->> 'status';
  v_expires_at timestamptz := (p_body ->> 'expires_at')::timestamptz;
  v_good_until timestamptz;
begin
  perform internal.require_server();
  perform from kith.users
  where tenant_id = v_tenant and id = p_id and deleted_at is null
    and not exists (select from internal.hidden_person(v_tenant, p_id))
  for key share;
  if not found then
    perform internal.refuse_not_found();
  end if;
  update kith.receiver_profiles
  set subscription_status = v_status, subscription_expires_at = v_expires_at, updated_at = p_now
  where tenant_id = v_tenant and user_id = p_id
  returning good_until into v_good_until;
  if not found then
    raise exception 'profile_required' using errcode = 'KT409', detail = 'This user is not a receiver yet.';
  end if;
  -- Also of somebody who has stopped being a receiver: they can take that back for 30 days (P39).
  if coalesce(v_good_until > p_now, true) or internal.accepts_connections(p_id, p_now) then
    perform internal.restore_pings(p_id, p_now);
  end if;
  perform internal.emit_account(v_tenant, p_id, p_now);
  perform internal.record_act(
    v_tenant, internal.actor(), 'subscription.set', p_id::text,
    jsonb_build_object('status', v_status, 'expires_at', internal.instant(v_expires_at))
  );
  return json_build_object('status', v_status, 'expires_at', internal.instant(v_expires_at));
end
$$;
comment on function api.set_subscription(uuid, jsonb, timestamptz) is
  'Sets whether a receiver''s subscription is paid: {status, expires_at?}. If a lapse had stopped the pings and the '
  'subscription is good again, pings resume (P13). Raises profile_required for a user without a receiver profile.';
grant execute on function api.set_subscription(uuid, jsonb, timestamptz) to kith_api;

create or replace function api.delete_user(p_id uuid, p_vaults text, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_server();
  perform internal.refuse_hidden_person(p_id);
  perform internal.delete_user(p_id, internal.actor(), null, p_vaults is not distinct from 'delete', p_now);
  return null;
end
$$;
comment on function api.delete_user(uuid, text, timestamptz)
  is 'Deletes a user''s account, as the user could. This cannot be undone.';
grant execute on function api.delete_user(uuid, text, timestamptz) to kith_api;
