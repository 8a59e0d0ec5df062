create or replace function api.list_notifications(p_unread boolean, p_limit integer, p_cursor uuid) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  return (
    select json_build_object(
      'items', coalesce(
        json_agg(internal.notification_json(page.notification) order by page.n) filter (where page.n <= p_limit), '[]'
      ),
      'next_cursor', case when count(*) > p_limit then (array_agg((page.notification).id order by page.n))[p_limit] end,
      'unread_count', (
        select count(*) from kith.notifications where tenant_id = v_tenant and user_id = v_user and read_at is null
      )
    )
    from (
      select notification, row_number() over (order by notification.id desc) as n
      from kith.notifications as notification
      where notification.tenant_id = v_tenant and notification.user_id = v_user
        and notification.id < coalesce(p_cursor, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        and (not coalesce(p_unread, false) or notification.read_at is null)
      order by notification.id desc
      limit p_limit + 1
    ) as page
  );
end
$$;
comment on function api.list_notifications(boolean, integer, uuid) is
  'The notifications of the user who asks, newest first, all or the unread ones, with the number of all unread.';
revoke all on function api.list_notifications(boolean, integer, uuid) from public;
grant execute on function api.list_notifications(boolean, integer, uuid) to kith_api;

create or replace function api.read_notification(p_id uuid, p_now timestamptz) returns json
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
begin
  -- The first reading counts; one read again is found, and left as it is.
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
comment on function api.read_notification(uuid, timestamptz) is 'Marks one notification of the user who asks as read; twice changes nothing.';
revoke all on function api.read_notification(uuid, timestamptz) from public;
grant execute on function api.read_notification(uuid, timestamptz) to kith_api;

create or replace function api.read_notifications(p_after uuid, p_until uuid, p_limit integer, p_now timestamptz) returns json
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  -- What comes while the first are being marked has been seen by nobody.
  v_until uuid := coalesce(
    p_until, (select id from kith.notifications where tenant_id = v_tenant and user_id = v_user and read_at is null order by id desc limit 1)
  );
  v_unread uuid[];
begin
  v_unread := array(
    select id from kith.notifications
    where tenant_id = v_tenant and user_id = v_user and read_at is null
      and id > coalesce(p_after, '00000000-0000-0000-0000-000000000000') and id <= v_until
    -- In one order, because a worker may be reporting what became of them.
    order by id
    limit p_limit
    for no key update
  );
  if cardinality(v_unread) > 0 then
    update kith.notifications set read_at = p_now where tenant_id = v_tenant and id = any (v_unread);
    perform internal.emit_read(null, p_now);
  end if;
  return case when cardinality(v_unread) = p_limit then json_build_object('next', v_unread[p_limit], 'until', v_until) end;
end
$$;
comment on function api.read_notifications(uuid, uuid, integer, timestamptz) is
  'Marks the notifications of the user who asks as read, at most p_limit of those behind an id and up to another, or with nulls of all that there are: {next: the id to go on behind, until: the id to stop at}, and null when there are no more. So nobody waits for a transaction of a hundred thousand.';
revoke all on function api.read_notifications(uuid, uuid, integer, timestamptz) from public;
grant execute on function api.read_notifications(uuid, uuid, integer, timestamptz) to kith_api;
