-- Operation: answers kept for repeats, daily limits, the audit, heartbeats and outages.

create table kith.idempotency_keys (
  tenant_id integer not null references kith.tenants,
  caller text not null,
  key text not null constraint idempotency_keys_key_is_short check (char_length(key) between 1 and 255),
  fingerprint bytea not null constraint idempotency_keys_fingerprint_is_sha256 check (octet_length(fingerprint) = 32),
  sealed_answer bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  constraint idempotency_keys_pkey primary key (tenant_id, caller, key)
);
create index idempotency_keys_by_end on kith.idempotency_keys (expires_at);
comment on table kith.idempotency_keys is 'The answers of POSTs that came with an Idempotency-Key, so that a repeat gets the same and does nothing (A07). Written in the transaction of the effect itself.';
comment on column kith.idempotency_keys.caller is 'Whose key it is: user:<id> or key:<api key id>. Two callers may choose the same.';
comment on column kith.idempotency_keys.fingerprint is 'SHA-256 of method, address and body: the same key with another request is an error of the client''s.';
comment on column kith.idempotency_keys.sealed_answer is 'Status and body, AES-256-GCM under the master key, bound to tenant, caller and key.';
comment on column kith.idempotency_keys.expires_at is '24 hours on; 10 minutes where the answer holds a secret.';

create table kith.idempotency_key_subjects (
  tenant_id integer not null,
  subject_id uuid not null,
  caller text not null,
  key text not null,
  constraint idempotency_key_subjects_pkey primary key (tenant_id, subject_id, caller, key),
  constraint idempotency_key_subjects_key foreign key (tenant_id, caller, key) references kith.idempotency_keys on delete cascade
);
create index idempotency_key_subjects_of_key on kith.idempotency_key_subjects (tenant_id, caller, key);
comment on table kith.idempotency_key_subjects is
  'Whom and what a kept answer may name: the ids in the request''s path and in the answer. The answer is withheld once its caller may no longer see one of them, and deleted with the account of a user. A table of its own, because an operator of arrays is not leakproof: under policies it is never an index condition.';

create table kith.act_counts (
  tenant_id integer not null,
  actor_id uuid not null,
  act text not null constraint act_counts_act_is_short check (char_length(act) between 1 and 30),
  counted_on date not null,
  acts integer not null,
  constraint act_counts_pkey primary key (tenant_id, actor_id, act)
) with (fillfactor = 70);
comment on table kith.act_counts is 'How often a user has done something on one UTC date (internal.acts_a_day says how often they may). One row a user and act, written in place. No foreign key: the row is locked before anything else, and a foreign key would lock the account after it.';
comment on column kith.act_counts.actor_id is 'A user; the tenant''s server under the id of zeros.';
comment on column kith.act_counts.counted_on is 'The UTC date of the count; another date begins at 1.';

create table kith.audit (
  tenant_id integer not null,
  id uuid not null,
  at timestamptz not null,
  actor text not null,
  action text not null,
  subject text,
  detail jsonb not null default '{}',
  constraint audit_pkey primary key (tenant_id, id)
) partition by range (id);
-- `internal.delete_user` finds the rows that name a user whose account ends.
create index audit_of_subject on kith.audit (tenant_id, subject);
comment on table kith.audit is 'Every act of an operator, of a tenant''s server and of a definer procedure with a privilege. Append-only. Monthly partitions.';
comment on column kith.audit.tenant_id is '0 for what concerns no single tenant.';
comment on column kith.audit.actor is 'operator:<login role>, key:<api key id>, user:<id> or kith.';

create table kith.heartbeats (
  component text not null constraint heartbeats_component_is_known check (component in ('server', 'worker')),
  instance text not null,
  started_at timestamptz not null,
  beat_at timestamptz not null,
  constraint heartbeats_pkey primary key (component, instance)
);
comment on table kith.heartbeats is 'The last sign of life of each running process of ours. No tenant: it is the installation''s.';

create table kith.outages (
  component text not null constraint outages_component_is_known check (component in ('server', 'worker')),
  began_at timestamptz not null,
  ended_at timestamptz,
  sender_told_at timestamptz,
  told_deadline_at timestamptz,
  told_tenant_id integer,
  told_sender_id uuid,
  constraint outages_pkey primary key (component, began_at),
  constraint outages_end_after_they_begin check (ended_at > began_at)
);
create unique index outages_one_open on kith.outages (component) where ended_at is null;
comment on table kith.outages is 'When Kith itself was away (no heartbeat of a component for a minute). A miss whose last 15 minutes fall into one waits until 15 minutes after it ended.';
comment on column kith.outages.sender_told_at is 'When all senders whose pings waited because of it had been told.';
comment on column kith.outages.told_deadline_at is 'With told_tenant_id and told_sender_id: how far telling the senders has come, in the order of the deadlines.';
