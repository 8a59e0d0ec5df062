-- Notifications, and each user's settings and devices for them.

create domain kith.notification_data as jsonb constraint notification_data_has_its_shape check (
  jsonb_typeof(value) = 'object' and pg_column_size(value) <= 8192
  -- A date that the calendar has, since batches cast it.
  and (value ->> 'date' is null or value ->> 'date' ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' and (value ->> 'date')::date >= '1900-01-01')
  -- Batches cast ids, too. Clients read instants.
  and (
    -- What a ping says, and a miss with its alarm, which nearly every row does. This implies the condition below, which takes five times as
    -- long.
    (
      value - '{connection_id,ping_id,user_id,date,minutes,alarm_id}'::text[] = '{}'
      and (not value ? 'minutes' or jsonb_typeof(value -> 'minutes') = 'number')
      and char_length(value ->> 'connection_id') = 36 and char_length(value ->> 'ping_id') = 36
      and char_length(coalesce(value ->> 'user_id', value ->> 'ping_id')) = 36
      and (value ->> 'connection_id') || (value ->> 'ping_id') || coalesce(value ->> 'user_id', value ->> 'ping_id')
        || coalesce(value ->> 'alarm_id', value ->> 'ping_id') like repeat('________-____-____-____-____________', 4)
      and char_length(replace(
        (value ->> 'connection_id') || (value ->> 'ping_id') || coalesce(value ->> 'user_id', value ->> 'ping_id')
          || coalesce(value ->> 'alarm_id', value ->> 'ping_id'), '-', ''
      )) = 128
      and (value ->> 'connection_id') || (value ->> 'ping_id') || coalesce(value ->> 'user_id', value ->> 'ping_id')
        || coalesce(value ->> 'alarm_id', value ->> 'ping_id') !~ '[^0-9a-f-]'
    ) is true
    or not value @? '$.keyvalue() ? (@.value.type() == "object"
      || @.key like_regex "(^|_)id$" && !(@.value.type() == "null" || @.value.type() == "string" && @.value like_regex "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
      || @.key like_regex "_at$" && !(@.value.type() == "null" || @.value.type() == "string" && @.value like_regex "^[0-9]{4,5}-[0-9]{2}-[0-9]{2}T[0-9:.]{8,15}Z$"))'
  )
);
comment on domain kith.notification_data is 'What a notification is about: ids, dates and instants that batches cast and clients read.';

create table kith.notifications (
  tenant_id integer not null,
  id uuid not null,
  user_id uuid not null,
  type text not null,
  body text,
  data kith.notification_data not null default '{}',
  created_at kith.instant not null,
  sent_at kith.instant,
  delivery_status text not null default 'queued'
    constraint notifications_delivery_status_is_known check (delivery_status in ('queued', 'sent', 'failed', 'dropped')),
  read_at kith.instant,
  deliver_at kith.instant,
  planned_at kith.instant,
  escalates_at kith.instant,
  escalated_at kith.instant,
  xid xid8 default pg_current_xact_id(),
  note kith.note,
  person_name text constraint notifications_person_name_is_short check (char_length(person_name) between 1 and 200),
  person_id uuid,
  vault_id uuid,
  constraint notifications_pkey primary key (tenant_id, id),
  constraint notifications_vault_is_found_by_its_name check ((vault_id is null) = not data ? 'vault_name'),
  constraint notifications_texts_are_short check (char_length(type) <= 50 and char_length(body) <= 5000)
) partition by range (id);
create index notifications_of_user on kith.notifications (tenant_id, user_id, id);
-- Messages about an alarm (internal.is_of_alarm) are planned first, by tenants in turn. So they are in an index of their own, and in no other.
-- Not coalesce(): it is not leakproof, so under a policy it would never be an index condition.
create index notifications_urgent on kith.notifications (tenant_id, (case when deliver_at is null then created_at else deliver_at end), id)
  where planned_at is null and type in (
    'ping_missed', 'ping_all_clear', 'help_requested', 'alarm_repeat', 'alarm_reopened', 'alarm_taken', 'alarm_check', 'alarm_resolved', 'ask',
    'ask_unanswered'
  );
create index notifications_unplanned on kith.notifications ((case when deliver_at is null then created_at else deliver_at end), id)
  where planned_at is null and not type in (
    'ping_missed', 'ping_all_clear', 'help_requested', 'alarm_repeat', 'alarm_reopened', 'alarm_taken', 'alarm_check', 'alarm_resolved', 'ask',
    'ask_unanswered'
  );
create index notifications_to_escalate on kith.notifications (tenant_id, escalates_at) where escalates_at is not null;
-- When somebody was last told of an alarm, however much they have been told since. Nearly every row is about no alarm, and not in it.
create index notifications_of_alarm on kith.notifications (tenant_id, user_id, (data ->> 'alarm_id'), id) where data ? 'alarm_id';
create index notifications_in_order on kith.notifications (xid, id, tenant_id) where xid is not null;
-- The id is in the index because a user's notifications are marked as read in batches, and each batch continues where the last one ended.
create index notifications_unread on kith.notifications (tenant_id, user_id, id) where read_at is null;
-- When an account or a vault ends, the next two find the texts that name it, whatever has become of all other rows since.
create index notifications_naming on kith.notifications (tenant_id, person_id) where person_id is not null;
create index notifications_of_vault on kith.notifications (tenant_id, vault_id) where vault_id is not null;
-- No row: it is set without waiting, and stays when a batch is rolled back.
create sequence kith.planned_tenants as integer minvalue 0 start 0;
comment on sequence kith.planned_tenants is
  'The tenant whose urgent notifications were planned last. The next one begins with the tenants after it (internal.claim_urgent).';
create sequence kith.escalated_tenants as integer minvalue 0 start 0;
comment on sequence kith.escalated_tenants is
  'The tenant whose unsent alarms were planned last, as kith.planned_tenants (internal.claim_unsent_alarms).';
comment on table kith.notifications is
  'What one user is told about one event. The row is the truth, and a push is a hint. Monthly partitions by id.';
comment on column kith.notifications.id is 'UUID version 7 made from created_at. It determines the partition.';
comment on column kith.notifications.body is
  'What somebody else has written, which has no language of Kith: the beginning of a message. Otherwise null: internal.words makes the words '
  'when they are read.';
comment on column kith.notifications.note is
  'The note that a sender shares by a check-in (P40). It is shown as part of data, and is a column because operators may read data.';
comment on column kith.notifications.person_name is
  'The name of the person in a text about a vault, as the reader knew the person when the row was written. It stands where the rows that '
  'hold the name are gone. It is not in data, because operators may read data and must not read names that people give. Null if the text '
  'names nobody, or nobody any more, or the other side of a connection, which the connection names.';
comment on column kith.notifications.person_id is
  'The user whom a text about a vault names, so that the name is found when their account ends. It is not shown: the owner never learns who declined. Null for texts about a connection, which is kept for ever and names both sides, and costs a check-in no index.';
comment on column kith.notifications.vault_id is 'The vault that the text names. Null once the vault was erased and its name removed.';
comment on column kith.notifications.deliver_at is
  'The notification is not delivered before this instant; null means at once. It spreads notifications that are due at the same time, such as at nine o''clock, over a minute.';
comment on column kith.notifications.planned_at is
  'When the worker chose the channels and wrote a delivery for each. While it is null, the row itself is the outbox.';
comment on column kith.notifications.escalates_at is
  'When an alarm that was not delivered yet escalates: first to the person''s other channels, then to the tenant''s server and the operator (F07). Null if there is nothing to escalate.';
comment on column kith.notifications.escalated_at is 'When the worker tried the other channels.';
comment on column kith.notifications.xid is
  'The transaction that wrote the row, for the order of the feed, as in kith.events. A row without it is not in the feed.';

create table kith.undelivered_alarms (
  tenant_id integer not null,
  notification_id uuid not null,
  user_id uuid not null,
  type text not null,
  at kith.instant not null,
  webhook_told_at kith.instant,
  operators_at kith.instant,
  operator_told_at kith.instant,
  resolved_at kith.instant,
  examine_at kith.instant not null default '1970-01-01Z',
  constraint undelivered_alarms_pkey primary key (tenant_id, notification_id),
  constraint undelivered_alarms_texts_are_short check (char_length(type) <= 50)
);
create index undelivered_alarms_open on kith.undelivered_alarms (at) where resolved_at is null;
create index undelivered_alarms_to_examine on kith.undelivered_alarms (examine_at) where resolved_at is null;
create index undelivered_alarms_to_hand_over on kith.undelivered_alarms (at)
  where resolved_at is null and webhook_told_at is null and operators_at is null;
create index undelivered_alarms_that_stall on kith.undelivered_alarms (at)
  where resolved_at is null and type in ('emergency_requested', 'emergency_reminder');
create index undelivered_alarms_of_user on kith.undelivered_alarms (tenant_id, user_id);
create index undelivered_alarms_by_age on kith.undelivered_alarms (at) where resolved_at is not null;
comment on table kith.undelivered_alarms is
  'Alarms that reached their person on no channel. The tenant''s server is told by its webhooks, and then the operator is told, so that nobody mistakes silence for safety (F07).';
comment on column kith.undelivered_alarms.webhook_told_at is 'When a webhook of the tenant accepted the news.';
comment on column kith.undelivered_alarms.operators_at is
  'When the alarm was handed to the operator, because no webhook accepted it in time or there is none.';
comment on column kith.undelivered_alarms.operator_told_at is 'When the operator''s address outside Kith accepted the news.';
comment on column kith.undelivered_alarms.resolved_at is
  'When the alarm was resolved: a later attempt arrived, the person read it in the app, its reason was gone, or an operator resolved it.';
comment on column kith.undelivered_alarms.examine_at is
  'When the worker looks again whether the alarm still matters: after a minute, and later after a tenth of its age.';

create table kith.notification_preferences (
  tenant_id integer not null,
  user_id uuid not null,
  type text not null,
  channels text[] not null constraint notification_preferences_channels_are_known check (channels <@ array['push', 'email', 'sms', 'voice']),
  updated_at kith.instant not null,
  constraint notification_preferences_pkey primary key (tenant_id, user_id, type),
  constraint notification_preferences_user foreign key (tenant_id, user_id) references kith.users,
  constraint notification_preferences_texts_are_short check (char_length(type) <= 50)
);
comment on table kith.notification_preferences is
  'The channels on which a user wants a type of notification, if they differ from the default. The notification itself is always written.';

create table kith.quiet_hours (
  tenant_id integer not null,
  user_id uuid not null,
  starts_at kith.time_of_day not null,
  ends_at kith.time_of_day not null,
  updated_at kith.instant not null,
  constraint quiet_hours_pkey primary key (tenant_id, user_id),
  constraint quiet_hours_user foreign key (tenant_id, user_id) references kith.users,
  constraint quiet_hours_end_other_than_they_start check (starts_at <> ends_at)
);
comment on table kith.quiet_hours is
  'When a user is not to be disturbed (F04), in the time zone of their account. If ends_at is before starts_at, the quiet hours cross midnight.';

create table kith.devices (
  tenant_id integer not null,
  token text not null constraint devices_token_is_printable check (token ~ '^[!-~]+$' and char_length(token) <= 1000),
  user_id uuid not null,
  platform text not null constraint devices_platform_is_known check (platform in ('ios', 'web')),
  environment text not null constraint devices_environment_is_known check (environment in ('sandbox', 'production')),
  public_key text constraint devices_public_key_is_short check (char_length(public_key) between 1 and 200),
  auth_secret text constraint devices_auth_secret_is_short check (char_length(auth_secret) between 1 and 200),
  created_at kith.instant not null,
  last_seen_at kith.instant not null,
  constraint devices_pkey primary key (tenant_id, token),
  constraint devices_user foreign key (tenant_id, user_id) references kith.users,
  constraint devices_keys_come_together check ((public_key is null) = (auth_secret is null))
);
create index devices_of_user on kith.devices (tenant_id, user_id, last_seen_at);
comment on table kith.devices is
  'The devices that receive a user''s pushes (A05). A user can have several. A token belongs to one user only, because a phone can change hands.';
comment on column kith.devices.token is
  'The push service''s name for the device: an APNs token, or the endpoint of a web push subscription.';
comment on column kith.devices.public_key is 'The `p256dh` key of a web push subscription (RFC 8291).';
comment on column kith.devices.auth_secret is 'The `auth` secret of a web push subscription (RFC 8291). It is never shown again.';
