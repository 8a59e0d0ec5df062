-- Deliveries, and the channels by which they leave Kith.

-- A delivery of a notification has no text of its own. The worker reads the text from the notification when it sends it, so a name that
-- must be forgotten is stored in one place.
create table kith.deliveries (
  tenant_id integer not null,
  id uuid not null,
  channel text not null constraint deliveries_channel_is_known check (channel in ('apns', 'web_push', 'email', 'sms')),
  purpose text not null
    constraint deliveries_purpose_is_known check (purpose in ('sign_in_code', 'contact_code', 'invitation', 'notification')),
  address text not null,
  subject text,
  body text,
  sealed_secret bytea,
  status text not null default 'queued'
    constraint deliveries_status_is_known check (status in ('queued', 'sending', 'sent', 'failed', 'dropped')),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  leased_until timestamptz,
  leased_by text,
  expires_at timestamptz not null,
  sent_at timestamptz,
  error text,
  created_at timestamptz not null,
  notification_id uuid,
  is_urgent boolean not null default true,
  provider_id text,
  unanswered integer not null default 0,
  constraint deliveries_pkey primary key (tenant_id, id),
  constraint deliveries_are_leased_while_sending check ((status = 'sending') = (leased_until is not null)),
  constraint deliveries_of_notifications_name_theirs check ((purpose = 'notification') = (notification_id is not null)),
  constraint deliveries_have_a_text_or_a_notification check ((body is null) = (notification_id is not null))
) partition by range (id);
create index deliveries_expiring on kith.deliveries (expires_at) where status in ('queued', 'sending');
create index deliveries_to_claim on kith.deliveries (channel, tenant_id, is_urgent, next_attempt_at)
  where status in ('queued', 'sending');
-- For queries over all tenants. `attempts >= 0` is always true. A query for one tenant leaves it out, so PostgreSQL never plans
-- that query with this index, even if the table was empty at planning time.
create index deliveries_left on kith.deliveries (channel, next_attempt_at) where status in ('queued', 'sending') and attempts >= 0;
create index deliveries_of_notification on kith.deliveries (tenant_id, notification_id) where notification_id is not null;
create index deliveries_failed on kith.deliveries (tenant_id, channel, id) where status = 'failed';
create index deliveries_of_texts on kith.deliveries (tenant_id, address, id)
  where channel = 'sms' and purpose = 'notification' and not is_urgent and status <> 'dropped';
create index deliveries_unanswered on kith.deliveries (leased_until) where status = 'sending' and unanswered >= 5;
comment on table kith.deliveries is
  'The outbox: what is to leave Kith on a channel, written with its cause and sent by the worker after the commit, at least once. Monthly partitions by id.';
comment on column kith.deliveries.id is 'UUID version 7 made from created_at. A channel that knows idempotency keys gets it as one.';
comment on column kith.deliveries.address is
  'A number (E.164), an e-mail address, or the token of a device: what the push service knows it by.';
comment on column kith.deliveries.body is 'The text; {code} stands where the opened sealed_secret goes.';
comment on column kith.deliveries.sealed_secret is
  'What no database may know, AES-256-GCM under the master key, bound to tenant and id. Gone once the delivery is settled.';
comment on column kith.deliveries.status is
  'queued, sending (leased by a worker), sent, failed (given up), dropped (not sent on purpose, or expired).';
comment on column kith.deliveries.next_attempt_at is
  'From then on a worker may claim it: while it is leased, the end of the lease, or up to a minute later where the lease before ended without a word.';
comment on column kith.deliveries.leased_until is 'From then on another worker may send it: whoever leased it has died.';
comment on column kith.deliveries.error is 'Why the last attempt failed, or why it was dropped. For an operator.';
comment on column kith.deliveries.notification_id is 'Whose title and body are sent, as they are then; null for what has a text of its own.';
comment on column kith.deliveries.is_urgent is 'Goes before what is not: codes, and what breaks through quiet hours.';
comment on column kith.deliveries.provider_id is 'What the other side calls it, for asking there what became of it.';
comment on column kith.deliveries.unanswered is
  'How often in a row it was claimed without a word of what became of it; the claim that is under way counts. 5 end it: it may be what ends the workers.';

create table kith.delivery_totals (
  channel text not null,
  slot integer not null,
  sent bigint not null default 0,
  failed bigint not null default 0,
  dropped bigint not null default 0,
  retried bigint not null default 0,
  constraint delivery_totals_pkey primary key (channel, slot)
) with (fillfactor = 50);
comment on table kith.delivery_totals is 'How many deliveries ended how, over all tenants, since the installation began: for metrics.';
comment on column kith.delivery_totals.slot is 'One of 16, by the worker''s name: so that workers seldom wait for each other.';
comment on column kith.delivery_totals.retried is 'Attempts that were not taken and are made again; an attempt is one of sent, failed and retried.';

create table kith.channel_credentials (
  tenant_id integer not null references kith.tenants,
  channel text not null constraint channel_credentials_channel_is_known check (channel in ('apns', 'web_push', 'email', 'sms')),
  summary jsonb not null,
  sealed bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  checked_at timestamptz,
  error text,
  constraint channel_credentials_pkey primary key (tenant_id, channel)
);
comment on table kith.channel_credentials is 'By which provider, and as whom there, a tenant''s messages leave on a channel. Without a row they do not.';
comment on column kith.channel_credentials.summary is 'What may be shown of them.';
comment on column kith.channel_credentials.sealed is 'All of them, AES-256-GCM under the master key, bound to tenant and channel.';
comment on column kith.channel_credentials.checked_at is 'When the provider last took a message, or refused the credentials.';
comment on column kith.channel_credentials.error is 'Why the provider refused them; null when it did not.';

create table kith.channel_pauses (
  tenant_id integer not null,
  channel text not null constraint channel_pauses_channel_is_known check (channel in ('apns', 'web_push', 'email', 'sms')),
  reason text not null,
  paused_by text not null,
  paused_at timestamptz not null,
  constraint channel_pauses_pkey primary key (tenant_id, channel)
);
comment on table kith.channel_pauses is 'Channels on which an operator has messages wait. They are claimed again when the row is gone; what expires meanwhile is dropped.';
comment on column kith.channel_pauses.tenant_id is '0 for every tenant.';
