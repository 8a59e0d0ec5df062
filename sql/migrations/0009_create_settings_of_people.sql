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

create table kith.blocks (
  tenant_id integer not null,
  user_id uuid not null,
  blocked_id uuid not null,
  created_at timestamptz not null,
  constraint blocks_pkey primary key (tenant_id, user_id, blocked_id),
  constraint blocks_user foreign key (tenant_id, user_id) references kith.users (tenant_id, id),
  constraint blocks_blocked foreign key (tenant_id, blocked_id) references kith.users (tenant_id, id),
  constraint blocks_nobody_blocks_themselves check (user_id <> blocked_id)
);
create index blocks_of_blocked on kith.blocks (tenant_id, blocked_id);
comment on table kith.blocks is 'Whom a user wants nothing to do with (X22): the blocked one''s attempts at their codes are misses.';

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

-- An account that ends takes its traces out of the audit.
create index audit_of_subject on kith.audit (tenant_id, subject);

-- A text must be writable anew without a name: what else it holds stands in data.
update kith.notifications set data = data || '{"by": "support"}'
where type = 'connection_removed' and body = 'This connection was removed by support';
