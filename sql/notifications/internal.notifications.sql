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
    'data', (p_notification).data,
    'created_at', internal.instant((p_notification).created_at),
    'sent_at', internal.instant((p_notification).sent_at),
    'delivery_status', (p_notification).delivery_status,
    'read_at', internal.instant((p_notification).read_at)
  )
$$;
comment on function internal.notification_json(kith.notifications) is 'A notification in the API''s representation.';
revoke all on function internal.notification_json(kith.notifications) from public;
grant execute on function internal.notification_json(kith.notifications) to kith_api;

create or replace function internal.notify(
  p_type text, p_to text, p_tenants integer[], p_users uuid[], p_names text[], p_values text[], p_data jsonb[], p_now timestamptz,
  p_deliver_at timestamptz[] default null, p_rank integer default 0
) returns void
  language plpgsql
as $$
begin
  insert into kith.notifications (tenant_id, id, user_id, type, title, body, data, created_at, deliver_at)
  select told.tenant_id, internal.uuid7(p_now + p_rank * interval '1 millisecond'), told.user_id, p_type,
    -- A message has no title of its own, but the name of its writer.
    coalesce(internal.notification_title(p_type), internal.name_of_anybody(told.name)),
    internal.notification_body(p_type, p_to, told.name, told.value), told.data, p_now, told.deliver_at
  from unnest(p_tenants, p_users, p_names, p_values, p_data, p_deliver_at) as told (tenant_id, user_id, name, value, data, deliver_at);
end
$$;
comment on function internal.notify(text, text, integer[], uuid[], text[], text[], jsonb[], timestamptz, timestamptz[], integer) is
  'Writes notifications of one type to recipients in one role, one for each element of the arrays. Every notification is written here, except those about a check-in (internal.answer_check_in). p_to, p_names and p_values are what internal.notification_body needs; null arrays are full of nulls. p_deliver_at delays the delivery. Of notifications with one cause, those with a higher p_rank are delivered after the others. Notifies nobody if p_users is null. For definer procedures: no role may write notifications except together with their cause.';
revoke all on function internal.notify(text, text, integer[], uuid[], text[], text[], jsonb[], timestamptz, timestamptz[], integer) from public;
