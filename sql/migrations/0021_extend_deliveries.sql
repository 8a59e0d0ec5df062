-- What people are told leaves Kith by the same outbox as codes do. A delivery of a notification has no text of its own: it is read from
-- the notification when it is sent, so that a name which must be forgotten stands in one place.

alter table kith.deliveries
  add column notification_id uuid,
  add column is_urgent boolean not null default true,
  add column provider_id text,
  alter column body drop not null,
  drop constraint deliveries_channel_is_known,
  add constraint deliveries_channel_is_known check (channel in ('apns', 'web_push', 'email', 'sms')),
  drop constraint deliveries_purpose_is_known,
  add constraint deliveries_purpose_is_known check (purpose in ('sign_in_code', 'contact_code', 'invitation', 'notification')),
  add constraint deliveries_of_notifications_name_theirs check ((purpose = 'notification') = (notification_id is not null)),
  add constraint deliveries_have_a_text_or_a_notification check ((body is null) = (notification_id is not null));
comment on column kith.deliveries.address is
  'A number (E.164), an e-mail address, or the token of a device: what the push service knows it by.';
comment on column kith.deliveries.notification_id is 'Whose title and body are sent, as they are then; null for what has a text of its own.';
comment on column kith.deliveries.is_urgent is 'Goes before what is not: codes, and what breaks through quiet hours.';
comment on column kith.deliveries.provider_id is 'What the other side calls it, for asking there what became of it.';

comment on column kith.deliveries.next_attempt_at is 'From then on a worker may claim it: while it is leased, the end of the lease.';

drop index kith.deliveries_left;
create index deliveries_to_claim on kith.deliveries (channel, tenant_id, is_urgent, next_attempt_at)
  where status in ('queued', 'sending');
-- All tenants' together. attempts >= 0 is always true: who looks for one tenant's does not say it, and so is never planned by this index,
-- however empty the table was then.
create index deliveries_left on kith.deliveries (channel, next_attempt_at) where status in ('queued', 'sending') and attempts >= 0;
create index deliveries_of_notification on kith.deliveries (tenant_id, notification_id) where notification_id is not null;
create index deliveries_failed on kith.deliveries (tenant_id, channel, id) where status = 'failed';

-- The default is for the rows that are there: everything from before is settled, and a constant costs no rewriting.
alter table kith.notifications
  add column planned_at timestamptz default '-infinity',
  add column escalates_at timestamptz,
  add column escalated_at timestamptz;
alter table kith.notifications alter column planned_at drop default;
update kith.notifications set delivery_status = 'dropped' where delivery_status = 'queued';
drop index kith.notifications_queued;
-- No coalesce(): it does not count as leakproof, so under a policy it would never be an index condition.
create index notifications_unplanned on kith.notifications ((case when deliver_at is null then created_at else deliver_at end), id) where planned_at is null;
create index notifications_to_escalate on kith.notifications (escalates_at) where escalates_at is not null;
comment on column kith.notifications.planned_at is
  'When the worker decided by which channels it goes out, and wrote a delivery for each; null until then. The row itself is the outbox until then.';
comment on column kith.notifications.escalates_at is
  'Of an alarm that nobody has taken yet: when the person''s other channels are tried, and then the tenant''s server and the operator are told (F07).';
comment on column kith.notifications.escalated_at is 'When the other channels were tried.';

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

-- It will know keys that have no UUID.
drop function if exists internal.sealed_samples();
