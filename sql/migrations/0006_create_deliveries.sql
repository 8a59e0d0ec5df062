create table kith.deliveries (
  tenant_id integer not null,
  id uuid not null,
  channel text not null constraint deliveries_channel_is_known check (channel in ('sms', 'email')),
  purpose text not null constraint deliveries_purpose_is_known check (purpose in ('sign_in_code', 'contact_code', 'invitation')),
  address text not null,
  subject text,
  body text not null,
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
  constraint deliveries_pkey primary key (tenant_id, id),
  constraint deliveries_are_leased_while_sending check ((status = 'sending') = (leased_until is not null))
) partition by range (id);
create index deliveries_left on kith.deliveries (coalesce(leased_until, next_attempt_at)) where status in ('queued', 'sending');
create index deliveries_expiring on kith.deliveries (expires_at) where status in ('queued', 'sending');
comment on table kith.deliveries is
  'The outbox: what is to leave Kith on a channel, written with its cause and sent by the worker after the commit, at least once. Monthly partitions by id.';
comment on column kith.deliveries.id is 'UUID version 7 made from created_at. A channel that knows idempotency keys gets it as one.';
comment on column kith.deliveries.body is 'The text; {code} stands where the opened sealed_secret goes.';
comment on column kith.deliveries.sealed_secret is
  'What no database may know, AES-256-GCM under the master key, bound to tenant and id. Gone once the delivery is settled.';
comment on column kith.deliveries.status is
  'queued, sending (leased by a worker), sent, failed (given up), dropped (not sent on purpose, or expired).';
comment on column kith.deliveries.leased_until is 'From then on another worker may send it: whoever leased it has died.';
comment on column kith.deliveries.error is 'Why the last attempt failed, or why it was dropped. For an operator.';
