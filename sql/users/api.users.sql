-- The users of a tenant, as its own server manages them. These functions are security definers because a server sees all users of its
-- tenant, which a user may not.

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
  'Creates a user (201), or updates the one with the same external_id (200). Raises quota_exceeded beyond the tenant''s user quota.';
grant execute on function api.put_user(jsonb, timestamptz) to kith_api;

create or replace function api.list_users(p_external_id text, p_phone text, p_email text, p_limit integer, p_cursor uuid) returns json
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_server();
  return (
    select json_build_object(
      'items', coalesce(json_agg(internal.user_json_for_server(page.found) order by page.id) filter (where page.n <= p_limit), '[]'),
      'next_cursor', case when count(*) > p_limit then (array_agg(page.id order by page.id))[p_limit] end
    )
    from (
      select matching as found, matching.id, row_number() over (order by matching.id) as n
      from internal.find_users(p_external_id, p_phone, internal.normalized_email(p_email), p_limit + 1, p_cursor) as matching
    ) as page
  );
end
$$;
comment on function api.list_users(text, text, text, integer, uuid) is
  'Returns the tenant''s users, oldest first; or those with the external_id, the phone number (in E.164 form) or the e-mail address, or '
  'with all that are given. Several users can have a contact that none of them has verified. A pending contact finds nobody.';
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
  where tenant_id = v_tenant and id = p_id and deleted_at is null;
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
  'Updates the given fields. Raises conflict for an external_id that another user has, and forbidden for a verified contact or an '
  'external_id if the key lacks the scope tokens. The audit names the fields, not their values.';
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
  perform from kith.users where tenant_id = v_tenant and id = p_id and deleted_at is null for key share;
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
  'Sets whether a receiver''s subscription is paid: {status, expires_at?}. If a lapse had stopped the pings and the subscription is good '
  'again, pings resume (P13). Raises profile_required for a user without a receiver profile.';
grant execute on function api.set_subscription(uuid, jsonb, timestamptz) to kith_api;

create or replace function api.delete_user(p_id uuid, p_vaults text, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.require_server();
  perform internal.delete_user(p_id, internal.actor(), null, p_vaults is not distinct from 'delete', p_now);
  return null;
end
$$;
comment on function api.delete_user(uuid, text, timestamptz) is 'Deletes a user''s account, as the user could. This cannot be undone.';
grant execute on function api.delete_user(uuid, text, timestamptz) to kith_api;

create or replace function api.import_users(p_users jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
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
  perform internal.analyze_grown(array['users']);
  v_left := internal.users_left();
  -- A line may move pings, and so lock connections. So lock all accounts first, in the order of their ids.
  perform from kith.users
  where tenant_id = v_tenant and external_id = any (array(select value -> 'user' ->> 'external_id' from jsonb_array_elements(p_users)))
  order by id
  for no key update;
  for v_line in
    select (value ->> 'line')::integer as line, value -> 'user' as body
    from jsonb_array_elements(p_users)
    -- Process users in key order, so that two imports of the same users cannot deadlock. Lines about one user keep their order.
    order by value -> 'user' ->> 'external_id' collate "C", (value ->> 'line')::integer
  loop
    begin
      perform internal.refuse_forgotten(v_line.body ->> 'external_id');
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
      -- An error about the line's content becomes the line's result. Any other error fails the whole call.
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
  -- Count once and last: from here on, every other call that creates a user of the tenant waits.
  if v_new > 0 then
    perform internal.count_users(v_new);
  end if;
  return to_json(v_results);
end
$$;
comment on function api.import_users(jsonb, timestamptz) is
  'Creates or updates users as put_user does, several in one transaction. Takes [{line, user}] and returns, in any order, [{line, status, '
  'id}]. A line that is refused does not stop the others; its result is {line, sqlstate, message, detail, constraint}, as if it had come '
  'alone. If other calls use up the quota meanwhile, all lines are refused.';
grant execute on function api.import_users(jsonb, timestamptz) to kith_api;
