-- Notifications, and the settings and devices by which each user wants them.

create table kith.notifications (
  tenant_id integer not null,
  id uuid not null,
  user_id uuid not null,
  type text not null,
  title text not null,
  body text not null,
  data jsonb not null default '{}',
  created_at timestamptz not null,
  sent_at timestamptz,
  delivery_status text not null default 'queued'
    constraint notifications_delivery_status_is_known check (delivery_status in ('queued', 'sent', 'failed', 'dropped')),
  read_at timestamptz,
  deliver_at timestamptz,
  planned_at timestamptz,
  escalates_at timestamptz,
  escalated_at timestamptz,
  xid xid8 default pg_current_xact_id(),
  constraint notifications_pkey primary key (tenant_id, id)
) partition by range (id);
create index notifications_of_user on kith.notifications (tenant_id, user_id, id);
-- Not coalesce(): it is not leakproof, so under a policy it would never be an index condition.
create index notifications_unplanned on kith.notifications ((case when deliver_at is null then created_at else deliver_at end), id) where planned_at is null;
create index notifications_to_escalate on kith.notifications (escalates_at) where escalates_at is not null;
create index notifications_in_order on kith.notifications (xid, id, tenant_id) where xid is not null;
-- With the id, because marking all of a user's notifications as read takes several batches, and each continues where the last one ended.
create index notifications_unread on kith.notifications (tenant_id, user_id, id) where read_at is null;
comment on table kith.notifications is 'One row per user and event: the row is the truth, a push only a hint of it. Monthly partitions by id.';
comment on column kith.notifications.id is 'UUID version 7 made from created_at: the partition follows from it.';
comment on column kith.notifications.body is 'Rendered when written, with the names of that moment.';
comment on column kith.notifications.deliver_at is 'Not to be delivered before this instant; null: at once. Everyone''s nine o''clock is the same second: what is due then goes out over a minute.';
comment on column kith.notifications.planned_at is
  'When the worker decided by which channels it goes out, and wrote a delivery for each; null until then. The row itself is the outbox until then.';
comment on column kith.notifications.escalates_at is
  'Of an alarm that nobody has taken yet: when the person''s other channels are tried, and then the tenant''s server and the operator are told (F07).';
comment on column kith.notifications.escalated_at is 'When the other channels were tried.';
comment on column kith.notifications.xid is 'The transaction that wrote it, for the order of the feed, as in kith.events; null for what is older than that.';

create table kith.undelivered_alarms (
  tenant_id integer not null,
  notification_id uuid not null,
  user_id uuid not null,
  type text not null,
  at timestamptz not null,
  webhook_told_at timestamptz,
  operators_at timestamptz,
  operator_told_at timestamptz,
  resolved_at timestamptz,
  constraint undelivered_alarms_pkey primary key (tenant_id, notification_id)
);
create index undelivered_alarms_open on kith.undelivered_alarms (at) where resolved_at is null;
create index undelivered_alarms_of_user on kith.undelivered_alarms (tenant_id, user_id);
create index undelivered_alarms_by_age on kith.undelivered_alarms (at) where resolved_at is not null;
comment on table kith.undelivered_alarms is
  'Alarms that reached their person on no channel: the tenant''s server is told by its webhooks, and then the operator (F07). Nobody may take the silence for safety.';
comment on column kith.undelivered_alarms.webhook_told_at is 'When a webhook of the tenant took the news.';
comment on column kith.undelivered_alarms.operators_at is 'Since when it is the operator''s: no webhook took it in time, or there is none.';
comment on column kith.undelivered_alarms.operator_told_at is 'When the address outside took it.';
comment on column kith.undelivered_alarms.resolved_at is
  'When it was over: a later attempt arrived, the person read it in the app, there was no more reason for it, or an operator has seen to it.';

create table kith.notification_preferences (
  tenant_id integer not null,
  user_id uuid not null,
  type text not null,
  channels text[] not null constraint notification_preferences_channels_are_known check (channels <@ array['push', 'email', 'sms']),
  updated_at timestamptz not null,
  constraint notification_preferences_pkey primary key (tenant_id, user_id, type),
  constraint notification_preferences_user foreign key (tenant_id, user_id) references kith.users
);
comment on table kith.notification_preferences is 'On which channels a user wants a type of notification, where it is not the default. The notification itself is always written.';

create table kith.quiet_hours (
  tenant_id integer not null,
  user_id uuid not null,
  starts_at time(0) not null,
  ends_at time(0) not null,
  updated_at timestamptz not null,
  constraint quiet_hours_pkey primary key (tenant_id, user_id),
  constraint quiet_hours_user foreign key (tenant_id, user_id) references kith.users,
  constraint quiet_hours_end_other_than_they_start check (starts_at <> ends_at)
);
comment on table kith.quiet_hours is 'When a user is not to be disturbed (F04), local to their account''s time zone; past midnight where ends_at is before starts_at.';

create table kith.devices (
  tenant_id integer not null,
  token text not null constraint devices_token_is_printable check (token ~ '^[!-~]+$' and char_length(token) <= 1000),
  user_id uuid not null,
  platform text not null constraint devices_platform_is_known check (platform in ('ios', 'web')),
  environment text not null constraint devices_environment_is_known check (environment in ('sandbox', 'production')),
  public_key text constraint devices_public_key_is_short check (char_length(public_key) between 1 and 200),
  auth_secret text constraint devices_auth_secret_is_short check (char_length(auth_secret) between 1 and 200),
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  constraint devices_pkey primary key (tenant_id, token),
  constraint devices_user foreign key (tenant_id, user_id) references kith.users,
  constraint devices_keys_come_together check ((public_key is null) = (auth_secret is null))
);
create index devices_of_user on kith.devices (tenant_id, user_id, last_seen_at);
comment on table kith.devices is 'Where a user''s pushes go (A05): several a user, each token one user''s only, because a phone changes hands.';
comment on column kith.devices.token is 'What the push service knows the device by: a token of APNs, or the endpoint of a web push subscription.';
comment on column kith.devices.public_key is 'Web push: p256dh of the subscription (RFC 8291).';
comment on column kith.devices.auth_secret is 'Web push: auth of the subscription (RFC 8291). Never shown again.';
