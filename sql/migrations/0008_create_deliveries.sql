-- Deliveries, and the channels by which they leave Kith.

-- A delivery of a notification has no text of its own. The worker reads the text from the notification when it sends it, so a name that
-- must be forgotten is stored in one place.
create table kith.deliveries (
  tenant_id integer not null,
  id uuid not null,
  channel text not null constraint deliveries_channel_is_known check (channel in ('apns', 'web_push', 'email', 'sms', 'voice')),
  purpose text not null
    constraint deliveries_purpose_is_known check (purpose in ('sign_in_code', 'contact_code', 'invitation', 'notification', 'answer')),
  address text not null,
  subject text,
  body text,
  sealed_secret bytea,
  status text not null default 'queued'
    constraint deliveries_status_is_known check (status in ('queued', 'sending', 'sent', 'failed', 'dropped')),
  attempts integer not null default 0,
  next_attempt_at kith.instant not null,
  leased_until kith.instant,
  leased_by text,
  expires_at kith.instant not null,
  sent_at kith.instant,
  error text,
  created_at kith.instant not null,
  notification_id uuid,
  is_urgent boolean not null default true,
  provider_id text,
  unanswered integer not null default 0,
  failures jsonb,
  offers_keys boolean not null default false,
  constraint deliveries_pkey primary key (tenant_id, id),
  constraint deliveries_are_leased_while_sending check ((status = 'sending') = (leased_until is not null)),
  constraint deliveries_of_notifications_name_theirs check ((purpose = 'notification') = (notification_id is not null)),
  constraint deliveries_have_a_text_or_a_notification check ((body is null) = (notification_id is not null))
) partition by range (id);
create index deliveries_expiring on kith.deliveries (expires_at) where status in ('queued', 'sending');
create index deliveries_to_claim on kith.deliveries (channel, tenant_id, is_urgent, next_attempt_at)
  where status in ('queued', 'sending');
-- For queries over all tenants. Its condition `attempts >= 0` is always true. A query for one tenant omits it, so PostgreSQL cannot plan
-- that query with this index, even if the table was empty at planning time.
create index deliveries_left on kith.deliveries (channel, next_attempt_at) where status in ('queued', 'sending') and attempts >= 0;
create index deliveries_of_notification on kith.deliveries (tenant_id, notification_id) where notification_id is not null;
create index deliveries_failed on kith.deliveries (tenant_id, channel, id) where status = 'failed';
-- The daily limit of notifications by SMS counts these.
create index deliveries_of_texts on kith.deliveries (tenant_id, address, id)
  where channel = 'sms' and purpose = 'notification' and not is_urgent and status <> 'dropped';
-- Found when the account of their reader ends.
create index deliveries_of_answers on kith.deliveries (tenant_id, address) where purpose = 'answer';
create index deliveries_unanswered on kith.deliveries (leased_until) where status = 'sending' and unanswered >= 5;
comment on table kith.deliveries is
  'The outbox: messages that leave Kith on a channel. A row is written in the transaction of its cause, and the worker sends it after the commit, at least once. Monthly partitions by id.';
comment on column kith.deliveries.id is 'UUID version 7 made from created_at. On channels with idempotency keys, it is the key.';
comment on column kith.deliveries.address is
  'A phone number in E.164, an e-mail address, or the token by which the push service knows a device.';
comment on column kith.deliveries.body is 'The text, with {code} in the place of the secret. Null for a notification.';
comment on column kith.deliveries.sealed_secret is
  'The secret of the message, such as a one-time code, which the database must not know: sealed with AES-256-GCM under the master key and bound to tenant and id. Deleted when the delivery is settled.';
comment on column kith.deliveries.status is
  'queued; sending: leased by a worker; sent; failed: given up; dropped: expired, or not sent on purpose.';
comment on column kith.deliveries.next_attempt_at is
  'When a worker may claim the delivery. During a lease it is the end of the lease, or up to a minute later if the lease before ended without a result. '
  'Of a delivery that was dropped or given up after it had waited, it is when.';
comment on column kith.deliveries.leased_until is
  'When the lease ends. After that, another worker may send the delivery, because the one with the lease has died.';
comment on column kith.deliveries.error is 'Why the last attempt failed, or why the delivery was dropped. For operators.';
comment on column kith.deliveries.notification_id is
  'The notification whose title and body are sent, as they are at that time. Null if the delivery has its own text.';
comment on column kith.deliveries.is_urgent is
  'Whether the delivery goes before others. This holds for codes, and for notifications that break through quiet hours.';
comment on column kith.deliveries.provider_id is 'The provider''s id for the message, for asking the provider about its result.';
comment on column kith.deliveries.offers_keys is
  'Whether the text of an attempt said "Reply 1 …" about an alarm (internal.offers_keys). The words are made when it is sent, and kept nowhere else.';
comment on column kith.deliveries.failures is
  'The attempts that the provider did not accept, oldest first, at most 50 of them: [{at, error}]; and between them, when an operator sent it again: {at, replayed_by, reason}. For admin.story_of_notification.';
comment on column kith.deliveries.unanswered is
  'How many leases in a row brought no result, counting the current one. At 5 the delivery is given up, because it may be what crashes the workers.';

create table kith.delivery_totals (
  channel text not null,
  slot integer not null,
  sent bigint not null default 0,
  failed bigint not null default 0,
  dropped bigint not null default 0,
  retried bigint not null default 0,
  constraint delivery_totals_pkey primary key (channel, slot)
) with (fillfactor = 50);
comment on table kith.delivery_totals is
  'How many deliveries had which result, over all tenants, since the installation began. For metrics.';
comment on column kith.delivery_totals.slot is 'One of 16, chosen by the worker''s name, so that workers seldom wait for each other.';
comment on column kith.delivery_totals.retried is
  'Attempts that failed and are made again. Each attempt is counted once, as sent, failed or retried.';

create table kith.channel_credentials (
  tenant_id integer not null references kith.tenants,
  channel text not null constraint channel_credentials_channel_is_known check (channel in ('apns', 'web_push', 'email', 'sms', 'voice')),
  summary jsonb not null,
  sealed bytea not null,
  created_at kith.instant not null,
  updated_at kith.instant not null,
  checked_at kith.instant,
  error text,
  refused_since kith.instant,
  tested_at kith.instant,
  inbound_token text,
  next_try_at kith.instant,
  constraint channel_credentials_pkey primary key (tenant_id, channel),
  constraint channel_credentials_texts_are_short check (
    char_length(error) <= 10000 and jsonb_typeof(summary) = 'object' and char_length(inbound_token) <= 50
  ),
  constraint channel_credentials_are_refused_since_an_instant check ((error is null) = (refused_since is null))
);
comment on table kith.channel_credentials is
  'The provider and the account with which a tenant''s messages leave on a channel. Without a row, the channel sends nothing.';
comment on column kith.channel_credentials.summary is 'The part of the credentials that may be shown.';
comment on column kith.channel_credentials.sealed is
  'All of the credentials, sealed with AES-256-GCM under the master key and bound to tenant and channel.';
comment on column kith.channel_credentials.checked_at is 'When the provider last accepted a message, or a try last failed.';
comment on column kith.channel_credentials.refused_since is 'When the first try failed of those that have all failed until now; null while error is null.';
comment on column kith.channel_credentials.next_try_at is
  'Until when the worker that wrote error last sends nothing to the provider (its circuit breaker); null while it sends. Each worker has its own.';
comment on column kith.channel_credentials.tested_at is
  'When the provider last accepted the message of an operator''s test. Workers that have paused try the provider again at once.';
comment on column kith.channel_credentials.inbound_token is
  'The token in the address to which the provider forwards answers. It begins with the tenant''s number. Not hashed, because the tenant reads the address again: whoever has it can do nothing without the secret that signs each call. Null if the settings have no inbound.';
comment on column kith.channel_credentials.error is 'Why the last try failed; null once the provider accepts a message again.';

create table kith.channel_pauses (
  tenant_id integer not null,
  channel text not null constraint channel_pauses_channel_is_known check (channel in ('apns', 'web_push', 'email', 'sms', 'voice')),
  reason text not null,
  paused_by text not null,
  paused_at kith.instant not null,
  constraint channel_pauses_pkey primary key (tenant_id, channel)
);
comment on table kith.channel_pauses is
  'Channels that an operator has paused. Messages wait until the row is deleted, and those that expire meanwhile are dropped.';
comment on column kith.channel_pauses.tenant_id is '0 for every tenant.';

create table kith.inbound_messages (
  tenant_id integer not null,
  channel text not null constraint inbound_messages_channel_is_known check (channel in ('sms', 'voice')),
  message_hash bytea not null,
  received_at kith.instant not null,
  constraint inbound_messages_pkey primary key (tenant_id, channel, message_hash),
  constraint inbound_messages_hash_is_sha256 check (octet_length(message_hash) = 32)
);
create index inbound_messages_by_age on kith.inbound_messages (received_at);
comment on table kith.inbound_messages is
  'The answers that providers have forwarded in the last 7 days, so that a repeat does nothing (J02). Neither text nor number is kept.';
comment on column kith.inbound_messages.message_hash is 'SHA-256 of the provider''s id of the message, or of the call and the key.';

create table kith.text_numbers (
  tenant_id integer not null references kith.tenants,
  phone text not null constraint text_numbers_phone_is_short check (char_length(phone) <= 20),
  stopped_at kith.instant,
  explained_at kith.instant,
  answers integer not null default 0,
  answers_since kith.instant not null,
  updated_at kith.instant not null,
  constraint text_numbers_pkey primary key (tenant_id, phone)
);
create index text_numbers_idle on kith.text_numbers (updated_at) where stopped_at is null;
comment on table kith.text_numbers is
  'Phone numbers that have answered a text message of a tenant: whether they take more (STOP), and what they were answered, for limits. A row without STOP goes after two days.';
comment on column kith.text_numbers.stopped_at is
  'When the number answered STOP. No text message of the tenant goes to it, sign-in codes included, until it answers START. Null if it takes them.';
comment on column kith.text_numbers.explained_at is
  'When the number was last told what can be answered, because nobody understood what it had sent: at most once an hour.';
comment on column kith.text_numbers.answers is 'How many answers the number has had since answers_since: at most 30 in 24 hours.';

create table kith.inbound_counts (
  tenant_id integer not null references kith.tenants,
  channel text not null constraint inbound_counts_channel_is_known check (channel in ('sms', 'voice')),
  counted_on kith.calendar_date not null,
  outcome text not null constraint inbound_counts_outcome_is_known check (
    outcome in (
      'check_in', 'help', 'take', 'safe', 'several', 'stop', 'start', 'info', 'not_understood', 'unknown_number', 'unknown_call', 'repeated', 'no_key',
      'machine'
    )
  ),
  slot integer not null,
  count bigint not null default 0,
  constraint inbound_counts_pkey primary key (tenant_id, channel, counted_on, outcome, slot)
);
create index inbound_counts_by_age on kith.inbound_counts (counted_on);
comment on table kith.inbound_counts is
  'How many answers a tenant''s providers forwarded on a date (UTC), by what became of them. Kept for 90 days.';
comment on column kith.inbound_counts.slot is 'One of 16, chosen by the number or the call, so that answers seldom wait for each other.';
