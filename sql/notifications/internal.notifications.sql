create or replace function internal.about(p_type text, p_id jsonb) returns jsonb
  language sql
  stable
  parallel safe
as $$
  select jsonb_build_object('about', jsonb_build_object('type', p_type, 'id', p_id))
$$;
comment on function internal.about(text, jsonb) is 'The member about of a notification''s data.';
grant execute on function internal.about(text, jsonb) to kith_api;

create or replace function internal.notification_data(p_type text, p_data jsonb) returns jsonb
  language sql
  stable
  parallel safe
as $$
  -- One expression, which the planner puts into the calling query. A subquery here took more time than all else about a notification.
  select p_data || case
    when p_type = 'nominee_invited' and p_data ? 'nominee_id' then internal.about('invitation', p_data -> 'nominee_id')
    when p_type = 'transfer_requested' and p_data ? 'transfer_id' then internal.about('invitation', p_data -> 'transfer_id')
    when p_type = 'message_received' and p_data ? 'nominee_id' then internal.about('conversation', p_data -> 'nominee_id')
    when p_data ? 'request_id' then internal.about('emergency_request', p_data -> 'request_id')
    when p_data ? 'transfer_id' then internal.about('transfer', p_data -> 'transfer_id')
    when p_data ? 'nominee_id' then internal.about('nominee', p_data -> 'nominee_id')
    when p_data ? 'vault_id' then internal.about('vault', p_data -> 'vault_id')
    when p_data ? 'ping_id' then internal.about('ping', p_data -> 'ping_id')
    when p_data ? 'connection_id' then internal.about('connection', p_data -> 'connection_id')
    when p_data ? 'receiver_id' then internal.about('subscription', p_data -> 'receiver_id')
    else '{}'
  end
$$;
comment on function internal.notification_data(text, jsonb) is
  'The data of a notification as clients get it: with about, {type, id}, which says what the notification leads to, whatever has become of '
  'it since (F08). The id of an invitation is the one that GET /v1/me/invitations lists; a conversation''s is the nominee''s, and a '
  'subscription''s the receiver''s. about is computed and not stored, so that every notification has it, old ones included.';
grant execute on function internal.notification_data(text, jsonb) to kith_api;

create or replace function internal.notification_json(p_notification kith.notifications) returns json
  language sql
  stable
  parallel safe
as $$
  select json_build_object(
    'id', (p_notification).id,
    'type', (p_notification).type,
    'title', (p_notification).title,
    'body', (p_notification).body,
    'data', internal.notification_data((p_notification).type, (p_notification).data)
      || case when (p_notification).person_name is null then '{}' else jsonb_build_object('name', (p_notification).person_name) end
      || case when (p_notification).note is null then '{}' else jsonb_build_object('note', (p_notification).note) end,
    'created_at', internal.instant((p_notification).created_at),
    'sent_at', internal.instant((p_notification).sent_at),
    'delivery_status', (p_notification).delivery_status,
    'read_at', internal.instant((p_notification).read_at)
  )
$$;
comment on function internal.notification_json(kith.notifications) is 'A notification in the API''s representation.';
grant execute on function internal.notification_json(kith.notifications) to kith_api;

create or replace function internal.notifications_of_types(
  p_unread boolean, p_types text[], p_limit integer, p_cursor uuid
) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  -- An index by type would cost every notification. Instead a page reads so many at most, newest first.
  v_most constant integer := 2000;
begin
  if not p_types <@ array(select known.type from internal.notification_types() as known) then
    perform internal.refuse_fields(internal.field_error('type', 'must be types of notifications, with commas between them'));
  end if;
  return (
    with near as materialized (
      select notification
      from kith.notifications as notification
      where notification.tenant_id = v_tenant and notification.user_id = v_user
        and notification.id < coalesce(p_cursor, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        and (not coalesce(p_unread, false) or notification.read_at is null)
      order by notification.id desc
      limit v_most
    ), page as (
      select near.notification, row_number() over (order by (near.notification).id desc) as n
      from near
      where (near.notification).type = any (p_types)
    )
    select json_build_object(
      'items', coalesce(
        json_agg(internal.notification_json(page.notification) order by page.n) filter (where page.n <= p_limit), '[]'
      ),
      'next_cursor', case
        when count(*) > p_limit then (array_agg((page.notification).id order by page.n))[p_limit]
        when (select count(*) from near) = v_most then (select (near.notification).id from near order by 1 limit 1)
      end,
      'unread_count', (
        select count(*) from kith.notifications where tenant_id = v_tenant and user_id = v_user and read_at is null
      )
    )
    from page
  );
end
$$;
comment on function internal.notifications_of_types(boolean, text[], integer, uuid) is
  'A page of the current user''s notifications of some types, newest first. It looks at 2,000 notifications at most, so it may have fewer '
  'than p_limit items, or none, and yet a next_cursor. For api.list_notifications.';
grant execute on function internal.notifications_of_types(boolean, text[], integer, uuid) to kith_api;

create or replace function internal.notify(
  p_type text, p_to text, p_tenants integer[], p_users uuid[], p_names text[], p_values text[], p_data jsonb[], p_now timestamptz,
  p_deliver_at timestamptz[] default null, p_rank integer default 0, p_notes text[] default null, p_people uuid[] default null
) returns void
  language plpgsql
as $$
begin
  insert into kith.notifications (
    tenant_id, id, user_id, type, title, body, data, created_at, deliver_at, note, person_name, person_id, vault_id
  )
  select told.tenant_id, internal.uuid7(p_now + p_rank * interval '1 millisecond'), told.user_id, p_type,
    -- A message has no title of its own, but the name of its writer.
    coalesce(internal.notification_title(p_type), internal.name_of_anybody(told.name)),
    internal.notification_body(p_type, p_to, told.name, told.value), told.data, p_now, told.deliver_at, told.note,
    nullif(btrim(told.name), ''), told.person_id, (told.data ->> 'vault_id')::uuid
  from unnest(p_tenants, p_users, p_names, p_values, p_data, p_deliver_at, p_notes, p_people)
    as told (tenant_id, user_id, name, value, data, deliver_at, note, person_id);
end
$$;
comment on function internal.notify(text, text, integer[], uuid[], text[], text[], jsonb[], timestamptz, timestamptz[], integer, text[], uuid[]) is
  'Writes notifications of one type to recipients in one role, one for each element of the arrays. Every notification is written here, '
  'except those about a check-in (internal.answer_check_in). p_to, p_names and p_values are what internal.notification_body needs; null '
  'arrays are full of nulls. p_names has no name that the text leaves out. p_data has every other parameter of the text (F10), in the form '
  'of a value, not of a text: user_id, vault_name, minutes, date, an instant. p_people are the persons whom texts about a vault name '
  '(kith.notifications.person_id). p_deliver_at delays the delivery. p_notes are the notes that a sender shares. Of notifications with one '
  'cause, those with a higher p_rank are delivered after the others. Notifies nobody if p_users is null. For definer procedures: no role '
  'may write notifications except together with their cause.';

create or replace function internal.unread_notifications(p_joined_at timestamptz) returns bigint
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  -- Nobody was notified before they joined, so the plan opens no older partition. A day more, in case a clock was set back.
  v_since uuid := internal.first_uuid7(p_joined_at - interval '1 day');
begin
  return (select count(*) from kith.notifications where tenant_id = v_tenant and user_id = v_user and read_at is null and id >= v_since);
end
$$;
comment on function internal.unread_notifications(timestamptz) is
  'How many notifications the current user has not read. p_joined_at is when the account was created.';
grant execute on function internal.unread_notifications(timestamptz) to kith_api;
