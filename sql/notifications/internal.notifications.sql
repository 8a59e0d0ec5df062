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
