-- With the id: all of a user's are marked as read some at a time, in order, and each time it is found where to go on.
create index notifications_unread_in_order on kith.notifications (tenant_id, user_id, id) where read_at is null;
drop index kith.notifications_unread;
alter index kith.notifications_unread_in_order rename to notifications_unread;

comment on column kith.events.type is
  'connection, ping, nominee, session, vault; notification: it was read; a new one is in the feed by itself. notifications_read: all of them were. alarm_undelivered is for the tenant''s webhooks only.';

-- An operator's procedures all call the tenant p_tenant; a parameter's name cannot be changed in place. The functions are made again
-- right after this.
drop function if exists admin.rotate_api_key(text, interval, timestamptz);
drop function if exists admin.set_tenant(text, jsonb, timestamptz);
drop function if exists admin.suspend_tenant(text, text, timestamptz);
drop function if exists admin.resume_tenant(text, timestamptz);
drop function if exists admin.revoke_jwt_keys(text, text, text, text, timestamptz);
drop function if exists admin.pause_channel(text, text, text, timestamptz);
drop function if exists admin.resume_channel(text, text, timestamptz);
drop function if exists admin.replay_delivery(text, uuid, text, timestamptz);
drop function if exists admin.replay_deliveries(text, text, timestamptz, text, timestamptz);
drop function if exists admin.resolve_alarm(text, uuid, text, timestamptz);
drop function if exists admin.set_channel(text, text, jsonb, bytea, timestamptz);
drop function if exists admin.sealed_channel(text, text);
drop function if exists admin.delete_channel(text, text, timestamptz);
