create or replace function api.create_connection(p_code text, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_found record;
  v_role text;
  v_sender uuid;
  v_receiver uuid;
  v_begun record;
  v_body json;
begin
  perform internal.require_user();
  -- From here on every refusal is returned, because raising one would roll back the counted attempt.
  v_found := internal.attempt_code(p_code, p_now);
  if v_found.problem is not null then
    return internal.code_problem(v_found.problem, v_found.retry_after);
  end if;
  v_role := internal.opposite_role(v_found.owner_role);
  if not internal.has_profile(v_role) then
    return json_build_object('problem', 'profile_required', 'detail', internal.profile_required_text(v_role));
  end if;
  v_sender := case v_role when 'sender' then v_user else v_found.owner_id end;
  v_receiver := case v_role when 'receiver' then v_user else v_found.owner_id end;
  if exists (
    select from kith.connections
    where tenant_id = v_tenant and sender_id = v_sender and receiver_id = v_receiver and status <> 'deleted'
  ) then
    return json_build_object('problem', 'connection_exists');
  end if;
  if not internal.accepts_connections(v_receiver, p_now) then
    return json_build_object('problem', 'subscription_inactive');
  end if;
  -- A former connection is in both lists already.
  if (internal.has_full_list('sender', v_sender) or internal.has_full_list('receiver', v_receiver)) and not exists (
    select from kith.connections where tenant_id = v_tenant and sender_id = v_sender and receiver_id = v_receiver
  ) then
    return json_build_object(
      'problem', 'quota_exceeded', 'detail',
      'One of you has 10,000 connections, removed ones included. Nobody can have more in one role.'
    );
  end if;
  v_begun := internal.begin_connection(v_sender, v_receiver, v_found.owner_id, p_now);
  if v_begun.connection_id is null then
    return json_build_object('problem', 'connection_exists');
  end if;
  if v_role = 'receiver' then
    perform internal.link_invitations(v_begun.connection_id, v_sender, p_now);
  end if;
  v_body := api.get_connection(v_begun.connection_id, p_now);
  if v_begun.reactivated then
    -- Append as text, because jsonb would change the order of the keys.
    return json_build_object('answer', 200, 'body', (left(v_body::text, -1) || ', "reactivated" : true}')::json);
  end if;
  return v_body;
end
$$;
comment on function api.create_connection(text, timestamptz) is
  'Connects the caller with the owner of a code, in the opposite role (201), or reactivates their former connection '
  '(200, reactivated). One transaction covers the attempt, the connection, today''s ping, the notification and the '
  'answer (P03). Security definer, because only these procedures write connections, so nobody can connect without a '
  'code.';
grant execute on function api.create_connection(text, timestamptz) to kith_api;

create or replace function api.list_connections(
  p_role text, p_status text, p_limit integer, p_cursor uuid, p_now timestamptz
) returns json
  language plpgsql
  stable
as $$
begin
  return (
    select json_build_object(
      'items', coalesce(json_agg(page.body order by page.n) filter (where page.n <= p_limit), '[]'),
      'next_cursor', case when count(*) > p_limit then (array_agg(page.id order by page.n))[p_limit] end
    )
    from internal.page_of_connections(
      p_role, p_status, p_limit + 1, p_cursor, p_now
    ) with ordinality as page (id, body, ping, n)
  );
end
$$;
comment on function api.list_connections(text, text, integer, uuid, timestamptz) is
  'Returns the caller''s connections in one role, or in both if p_role is null, and of one status, or of all if '
  'p_status is null; oldest first. Connections added during paging come at the end.';
grant execute on function api.list_connections(text, text, integer, uuid, timestamptz) to kith_api;

create or replace function api.get_connection(p_id uuid, p_now timestamptz) returns json
  language plpgsql
  stable
as $$
declare
  v_connection json := internal.connection_for_reader(p_id, p_now);
begin
  if v_connection is null then
    perform internal.refuse_not_found();
  end if;
  return v_connection;
end
$$;
comment on function api.get_connection(uuid, timestamptz) is
  'Returns one of the caller''s connections. Raises not_found for a deleted one or one of other users.';
grant execute on function api.get_connection(uuid, timestamptz) to kith_api;

create or replace function api.pause_connection(p_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_connection kith.connections;
begin
  perform internal.begin_act('change', p_now);
  v_connection := internal.own_connection(p_id);
  if v_connection.sender_id <> v_user then
    raise exception 'forbidden' using errcode = 'KT403', detail = 'Only the sender can pause.';
  end if;
  if v_connection.status <> 'active' then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'Only an active connection can be paused.';
  end if;
  update kith.connections set status = 'paused', tells_resumed = false, updated_at = p_now
  where tenant_id = v_tenant and id = p_id;
  perform internal.cancel_pings(p_id, p_now);
  perform internal.end_asks(v_tenant, array[p_id], p_now);
  perform internal.emit_connection(p_id, p_now);
  perform internal.notify_connection(p_id, 'connection_paused', p_now);
  return api.get_connection(p_id, p_now);
end
$$;
comment on function api.pause_connection(uuid, timestamptz) is
  'Pauses an active connection (P20), for its sender only. Cancels today''s open ping, ends the receiver''s question, '
  'and tells the receiver. Security definer, as create_connection.';
grant execute on function api.pause_connection(uuid, timestamptz) to kith_api;

create or replace function api.resume_connection(p_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_connection kith.connections;
begin
  perform internal.begin_act('change', p_now);
  v_connection := internal.own_connection(p_id);
  if v_connection.sender_id <> v_user then
    raise exception 'forbidden' using errcode = 'KT403', detail = 'Only the sender can resume.';
  end if;
  if v_connection.status <> 'paused' then
    raise exception 'invalid_transition' using errcode = 'KT409', detail = 'Only a paused connection can be resumed.';
  end if;
  update kith.connections set status = 'active', activated_at = p_now, updated_at = p_now
  where tenant_id = v_tenant and id = p_id;
  perform internal.bring_ping(p_id, p_now);
  perform internal.emit_connection(p_id, p_now);
  perform internal.tell_of_resuming(p_id, p_now);
  perform internal.join_help(array[p_id], p_now);
  return api.get_connection(p_id, p_now);
end
$$;
comment on function api.resume_connection(uuid, timestamptz) is
  'Resumes a paused connection (P22), for its sender only. Restores today''s ping if its deadline is ahead, and tells '
  'the receiver, on a break once it is over. Security definer, as create_connection.';
grant execute on function api.resume_connection(uuid, timestamptz) to kith_api;

create or replace function api.consent_connection(p_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_connection kith.connections := internal.own_connection(p_id);
begin
  if v_connection.code_owner_id <> v_user then
    raise exception 'forbidden' using errcode = 'KT403', detail = 'Only the owner of the code can consent.';
  end if;
  if v_connection.status <> 'pending' then
    raise exception 'invalid_transition'
      using errcode = 'KT409', detail = 'Only a pending connection waits for consent.';
  end if;
  update kith.connections set status = 'active', activated_at = p_now, updated_at = p_now
  where tenant_id = v_tenant and id = p_id;
  -- Notes of the past were for the receivers whom the sender had then.
  update kith.pings set note = null
  where tenant_id = v_tenant and sender_id = v_connection.sender_id and connection_id = p_id and note is not null;
  perform internal.bring_ping(p_id, p_now);
  perform internal.show_pings(p_id, p_now);
  perform internal.emit_connection(p_id, p_now);
  perform internal.notify_connection(p_id, 'connection_accepted', p_now);
  perform internal.join_help(array[p_id], p_now);
  return api.get_connection(p_id, p_now);
end
$$;
comment on function api.consent_connection(uuid, timestamptz) is
  'Makes a pending connection active (P29), for the code''s owner only, and tells the other side. To refuse it, the '
  'owner removes it. Security definer, as create_connection.';
grant execute on function api.consent_connection(uuid, timestamptz) to kith_api;

create or replace function internal.share_activity(p_id uuid, p_is_shared boolean, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  if (select sender_id <> kith.user_id() from kith.connections where tenant_id = v_tenant and id = p_id) then
    raise exception 'forbidden'
      using errcode = 'KT403', detail = 'Only the sender can share the activity of their things.';
  end if;
  update kith.connections
  set activity_shared_since = case when p_is_shared then p_now end
  where tenant_id = v_tenant and id = p_id and (activity_shared_since is not null) <> p_is_shared;
  if found then
    perform internal.emit_connection(p_id, p_now);
  end if;
end
$$;
comment on function internal.share_activity(uuid, boolean, timestamptz) is
  'Sets whether the receiver of a connection sees the activity of the sender''s things, from now on. For '
  'api.update_connection.';

create or replace function internal.set_asking(
  p_id uuid, p_may_ask boolean, p_always_care_card boolean, p_now timestamptz
)
  returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  if (select sender_id <> kith.user_id() from kith.connections where tenant_id = v_tenant and id = p_id) then
    raise exception 'forbidden' using errcode = 'KT403', detail = 'Only the sender can decide this.';
  end if;
  update kith.connections
  set may_ask = coalesce(p_may_ask, may_ask), always_care_card = coalesce(p_always_care_card, always_care_card)
  where tenant_id = v_tenant and id = p_id
    and (may_ask <> coalesce(p_may_ask, may_ask) or always_care_card <> coalesce(p_always_care_card, always_care_card));
  if found then
    perform internal.emit_connection(p_id, p_now);
  end if;
  if not p_may_ask then
    perform internal.end_asks(v_tenant, array[p_id], p_now);
  end if;
end
$$;
comment on function internal.set_asking(uuid, boolean, boolean, timestamptz) is
  'Sets whether the receiver of a connection may ask "Are you OK?" (K06) and always sees the care card (K07). Null '
  'leaves it. Whoever may not ask has no open question either. For api.update_connection.';

create or replace function api.update_connection(p_id uuid, p_body jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_alias text := nullif(btrim(p_body ->> 'alias'), '');
begin
  perform internal.begin_act('change', p_now);
  perform internal.require_name('alias', v_alias);
  -- Locks the account too, since its deletion clears the aliases.
  perform internal.lock_account();
  perform internal.own_connection(p_id);
  if p_body ? 'alias' then
    -- The other side sees no change, so updated_at stays.
    update kith.connections
    set alias_by_sender = case sender_id when v_user then v_alias else alias_by_sender end,
      alias_by_receiver = case receiver_id when v_user then v_alias else alias_by_receiver end
    where tenant_id = v_tenant and id = p_id;
    perform internal.emit_event(v_tenant, v_user, 'connection', p_id, null, null, p_now);
  end if;
  if p_body ->> 'share_activity' is not null then
    perform internal.share_activity(p_id, (p_body ->> 'share_activity')::boolean, p_now);
  end if;
  if coalesce(p_body ->> 'may_ask', p_body ->> 'always_care_card') is not null then
    perform internal.set_asking(p_id, (p_body ->> 'may_ask')::boolean, (p_body ->> 'always_care_card')::boolean, p_now);
  end if;
  return api.get_connection(p_id, p_now);
end
$$;
comment on function api.update_connection(uuid, jsonb, timestamptz) is
  'Sets what the caller calls the other side: {alias}; null removes it (P37). Lists, new notifications and pushes to '
  'the caller use it, and nobody else sees it. The sender can also set whether the receiver sees the activity of their '
  'things, may ask and always sees the care card: {share_activity, may_ask, always_care_card} (J04, K06, K07). '
  'Security definer, as create_connection.';
grant execute on function api.update_connection(uuid, jsonb, timestamptz) to kith_api;

create or replace function api.remove_connection(p_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform internal.own_connection(p_id);
  perform internal.end_connection(p_id, 'user:' || kith.user_id(), p_now);
  return null;
end
$$;
comment on function api.remove_connection(uuid, timestamptz) is
  'Removes a connection (P23), for either side and from any status, and tells the other side. Security definer, as '
  'create_connection.';
grant execute on function api.remove_connection(uuid, timestamptz) to kith_api;
