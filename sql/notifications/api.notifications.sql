create or replace function api.list_notifications(p_unread boolean, p_types text, p_limit integer, p_cursor uuid)
  returns json
  language plpgsql
  stable
as $$
begin
  if p_types is not null then
    return internal.notifications_of_types(p_unread, string_to_array(p_types, ','), p_limit, p_cursor);
  end if;
  return internal.notification_page(p_unread, p_limit, p_cursor);
end
$$;
comment on function api.list_notifications(boolean, text, integer, uuid) is
  'Returns the caller''s notifications, newest first, all or only the unread ones, with the number of all unread ones. '
  'p_types names types with commas between them; then a page may have fewer than p_limit items and yet a next_cursor '
  '(internal.notifications_of_types).';
grant execute on function api.list_notifications(boolean, text, integer, uuid) to kith_api;

create or replace function api.read_notification(p_id uuid, p_now timestamptz) returns json
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  -- Only the first reading counts. A notification that has been read stays as it is.
  update kith.notifications set read_at = p_now
  where tenant_id = v_tenant and id = p_id and user_id = v_user and read_at is null;
  if found then
    perform internal.emit_read(p_id, p_now);
  elsif not exists (select from kith.notifications where tenant_id = v_tenant and id = p_id and user_id = v_user) then
    perform internal.refuse_not_found();
  end if;
  return null;
end
$$;
comment on function api.read_notification(uuid, timestamptz) is
  'Marks one of the caller''s notifications as read. Repeating the call changes nothing.';
grant execute on function api.read_notification(uuid, timestamptz) to kith_api;

create or replace function api.read_notifications(p_after uuid, p_until uuid, p_limit integer, p_now timestamptz)
  returns json
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  -- Fix the end now: nobody has seen the notifications that arrive while the first ones are marked.
  v_until uuid := coalesce(
    p_until, (
      select id from kith.notifications where tenant_id = v_tenant and user_id = v_user and read_at is null
      order by id desc limit 1
    )
  );
  v_unread uuid[];
begin
  v_unread := array(
    select id from kith.notifications
    where tenant_id = v_tenant and user_id = v_user and read_at is null
      and id > coalesce(p_after, '00000000-0000-0000-0000-000000000000') and id <= v_until
    -- Lock in key order, because a worker may be recording results for the same rows.
    order by id
    limit p_limit
    for no key update
  );
  if cardinality(v_unread) > 0 then
    update kith.notifications set read_at = p_now where tenant_id = v_tenant and id = any (v_unread);
    perform internal.emit_read(null, p_now);
  end if;
  return case
    when cardinality(v_unread) = p_limit then json_build_object('next', v_unread[p_limit], 'until', v_until)
  end;
end
$$;
comment on function api.read_notifications(uuid, uuid, integer, timestamptz) is
  'Marks up to p_limit of the caller''s notifications after p_after and up to p_until as read; nulls stand for all. '
  'Returns {next, until} for the next call, or null when none are left. The limit keeps transactions short, even with '
  'a hundred thousand notifications.';
grant execute on function api.read_notifications(uuid, uuid, integer, timestamptz) to kith_api;
