-- Operation: kept answers, daily limits, the audit, retention, heartbeats and outages.

create table kith.idempotency_keys (
  tenant_id integer not null references kith.tenants,
  caller text not null,
  key text not null constraint idempotency_keys_key_is_short check (char_length(key) between 1 and 255),
  fingerprint bytea not null constraint idempotency_keys_fingerprint_is_sha256 check (octet_length(fingerprint) = 32),
  sealed_answer bytea not null,
  created_at kith.instant not null,
  expires_at kith.instant not null,
  constraint idempotency_keys_pkey primary key (tenant_id, caller, key)
);
create index idempotency_keys_by_end on kith.idempotency_keys (expires_at);
comment on table kith.idempotency_keys is
  'Answers to POSTs with an Idempotency-Key. A repeat gets the same answer and does nothing (A07). A row is written in the transaction of the effect.';
comment on column kith.idempotency_keys.caller is 'The owner of the key: user:<id> or key:<api key id>. Two callers can use the same key.';
comment on column kith.idempotency_keys.fingerprint is
  'The SHA-256 of method, path, query and body. The same key with another request is a client error.';
comment on column kith.idempotency_keys.sealed_answer is
  'Status and body, sealed with AES-256-GCM under the master key and bound to tenant, caller and key.';
comment on column kith.idempotency_keys.expires_at is
  'When the answer is deleted: after 24 hours, or after 10 minutes if it contains a secret.';

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
  'The ids that occur in a kept answer and in the path of its request. If the caller may no longer see one of them, the answer is withheld. If one is a deleted user, the answer is deleted. This is a separate table because array operators are not leakproof, so under policies they are never index conditions.';

-- The daily limits hold across servers, so that nobody can fill tables without end.
create table kith.act_counts (
  tenant_id integer not null,
  actor_id uuid not null,
  act text not null constraint act_counts_act_is_short check (char_length(act) between 1 and 30),
  counted_on kith.calendar_date not null,
  acts integer not null,
  constraint act_counts_pkey primary key (tenant_id, actor_id, act)
) with (fillfactor = 70);
comment on table kith.act_counts is
  'How often a user did something on one UTC date. internal.acts_a_day has the limits. There is one row for each user and act, updated in place. There is no foreign key, because the row is locked before anything else, and a foreign key would lock the account after it.';
comment on column kith.act_counts.actor_id is 'A user, or the nil UUID for the tenant''s server.';
comment on column kith.act_counts.counted_on is 'The UTC date of the count. On another date, the count begins at 1.';

create table kith.raised_quotas (
  tenant_id integer not null,
  user_id uuid not null,
  act text not null constraint raised_quotas_act_is_short check (char_length(act) between 1 and 30),
  allowed integer not null constraint raised_quotas_allow_a_number check (allowed between 1 and 100000),
  allowed_until kith.instant not null,
  constraint raised_quotas_pkey primary key (tenant_id, user_id, act),
  constraint raised_quotas_user foreign key (tenant_id, user_id) references kith.users
);
comment on table kith.raised_quotas is
  'What an operator allows one user in a UTC day, for a time, in place of internal.acts_a_day (admin.raise_quota). Few rows; a call looks only once the usual limit is used up.';
comment on column kith.raised_quotas.act is 'What is counted, as in kith.act_counts.';
comment on column kith.raised_quotas.allowed is 'How often in a UTC day.';
comment on column kith.raised_quotas.allowed_until is 'When it ends by itself. The row stays until the next raise, or the end of the account.';

create table kith.audit (
  tenant_id integer not null,
  id uuid not null,
  at kith.instant not null,
  actor text not null,
  action text not null,
  subject text,
  detail jsonb not null default '{}',
  request_id text,
  constraint audit_pkey primary key (tenant_id, id),
  constraint audit_texts_are_short check (
    char_length(actor) <= 300 and char_length(action) <= 100 and char_length(subject) <= 2500 and jsonb_typeof(detail) = 'object'
      and char_length(request_id) <= 64
  )
) partition by range (id);
-- For `internal.delete_user`, which finds the rows that name the user.
create index audit_of_subject on kith.audit (tenant_id, subject);
-- For admin.audit over all tenants, the newest acts first.
create index audit_by_id on kith.audit (id);
comment on table kith.audit is
  'Every act of an operator, of a tenant''s server, and of a procedure with special privileges. Append-only. Monthly partitions.';
comment on column kith.audit.tenant_id is 'The tenant; 0 if the act concerns no single tenant.';
comment on column kith.audit.actor is 'operator:<login role>, key:<api key id>, user:<id> or kith.';
comment on column kith.audit.request_id is
  'The X-Request-Id of the request that caused the act, shortened to 63 bytes; null for operators and the worker.';

create table kith.operator_reads (
  login text not null,
  hour kith.instant not null,
  statement text not null,
  tenant text not null,
  subject text not null,
  reads bigint not null default 1,
  last_at kith.instant not null,
  constraint operator_reads_pkey primary key (login, hour, statement, tenant, subject),
  constraint operator_reads_texts_are_short check (
    char_length(login) <= 100 and char_length(statement) <= 100 and char_length(tenant) <= 100 and char_length(subject) <= 100
  )
) with (fillfactor = 70);
create index operator_reads_by_hour on kith.operator_reads (hour);
comment on table kith.operator_reads is
  'Which operator has read whose data by which procedure of schema admin, and how often in an hour: at most 1,000 rows of a login and an hour. Kept for 400 days. It belongs to the installation, '
  'so it has no tenant_id, and outlives a tenant that moves or is purged.';
comment on column kith.operator_reads.login is 'The role that logged in.';
comment on column kith.operator_reads.hour is 'The beginning of the hour, UTC.';
comment on column kith.operator_reads.statement is 'The procedure, such as story_of_user.';
comment on column kith.operator_reads.tenant is 'The slug as it was then.';
comment on column kith.operator_reads.subject is
  'The id of the user, connection, notification, alarm or request; empty for a list, and for what came after 1,000 rows of the hour.';
comment on column kith.operator_reads.last_at is 'When it was read last in the hour, by the database''s clock.';

create table kith.operators (
  login text not null constraint operators_login_is_a_name check (login ~ '^[a-z][a-z0-9_]{1,39}$'),
  only_tenant_id integer,
  is_read_only boolean not null,
  created_at kith.instant not null,
  created_by text not null,
  ended_at kith.instant,
  ended_by text,
  constraint operators_pkey primary key (login),
  constraint operators_texts_are_short check (char_length(created_by) <= 300 and char_length(ended_by) <= 300),
  constraint operators_ended_say_by_whom check ((ended_at is null) = (ended_by is null))
);
comment on table kith.operators is
  'The logins that kith operator made, one for each person. A name is never used again, so that the audit names one person. It belongs to the installation, so it has no tenant.';
comment on column kith.operators.login is 'The login role, as in kith.audit.actor after operator:.';
comment on column kith.operators.only_tenant_id is
  'The only tenant that the operator sees; null for all. No foreign key: the number of a purged tenant is never given again, and its operators then see nothing.';
comment on column kith.operators.is_read_only is 'Whether the operator may read and do nothing else.';

create table kith.retention_cuts (
  tenant_id integer not null references kith.tenants,
  kind text not null constraint retention_cuts_kind_is_known check (
    kind in ('pings', 'check_ins', 'notifications', 'deliveries', 'history', 'audit', 'feedback_and_requests')
  ),
  days integer not null constraint retention_cuts_days_in_bounds check (days between 0 and 36500),
  ends_at kith.instant not null,
  constraint retention_cuts_pkey primary key (tenant_id, kind)
);
comment on table kith.retention_cuts is
  'Retentions that were made shorter in the last 7 days. The former one still counts, so that a mistake can be undone (decision 28).';
comment on column kith.retention_cuts.kind is 'What is kept, as in internal.retentions.';
comment on column kith.retention_cuts.days is 'For how many days it is kept until ends_at.';

create table kith.retention_passes (
  tenant_id integer not null references kith.tenants,
  kind text not null constraint retention_passes_kind_is_known check (
    kind in ('pings', 'check_ins', 'notifications', 'deliveries', 'history', 'audit')
  ),
  began_at kith.instant not null,
  until_at kith.instant not null,
  after_on kith.calendar_date,
  after_id uuid,
  deleted bigint not null default 0,
  finished_at kith.instant,
  done_until_at kith.instant,
  constraint retention_passes_pkey primary key (tenant_id, kind)
) with (fillfactor = 50);
create index retention_passes_to_do on kith.retention_passes (kind, tenant_id) where finished_at is null;
comment on table kith.retention_passes is
  'The last time that the worker went through the old rows of a tenant and kind, once a day. A batch moves the cursor in the transaction that deletes its rows, so that no batch reads again what earlier ones have deleted.';
comment on column kith.retention_passes.until_at is 'Rows older than this are deleted, unless they are still owed.';
comment on column kith.retention_passes.after_on is 'The date of the last ping that was deleted; null for other kinds, and before the first.';
comment on column kith.retention_passes.after_id is 'The last row that was deleted; for pings, its connection. Null before the first.';
comment on column kith.retention_passes.done_until_at is 'The until_at of the last pass that was finished; null before the first.';
comment on column kith.retention_passes.deleted is 'How many rows this pass has deleted.';

create table kith.set_aside (
  tenant_id integer not null,
  loop text not null constraint set_aside_loop_is_short check (char_length(loop) between 1 and 50),
  key text not null constraint set_aside_key_is_short check (char_length(key) between 1 and 300),
  sqlstate text not null constraint set_aside_sqlstate_has_five_characters check (sqlstate ~ '^[0-9A-Z]{5}$'),
  place text not null constraint set_aside_place_is_short check (char_length(place) <= 300),
  first_at kith.instant not null,
  tries integer not null constraint set_aside_was_tried check (tries > 0),
  retry_at kith.instant not null,
  reported_at kith.instant,
  constraint set_aside_pkey primary key (tenant_id, loop, key)
);
-- No index by retry_at: every claim would use it, and look at all that is set aside for each of its rows.
create index set_aside_to_report on kith.set_aside (first_at) where reported_at is null;
comment on table kith.set_aside is
  'Rows that a loop of the worker cannot process. The loop leaves each out until retry_at and goes on with all others (decision 37). Usually empty.';
comment on column kith.set_aside.tenant_id is 'The tenant of the row; 0 if it belongs to the installation, as a partition does. No foreign key, because of the 0.';
comment on column kith.set_aside.loop is 'The procedure of schema worker that failed.';
comment on column kith.set_aside.key is 'What names the row, as in internal.row_key.';
comment on column kith.set_aside.place is 'Where the error happened, without any value of the row (internal.error_place).';
comment on column kith.set_aside.first_at is 'When it failed for the first time.';
comment on column kith.set_aside.tries is 'How often it has failed.';
comment on column kith.set_aside.retry_at is 'When the loop tries it again.';
comment on column kith.set_aside.reported_at is 'When a worker wrote its last failure to the log.';

create table kith.heartbeats (
  component text not null constraint heartbeats_component_is_known check (component in ('server', 'worker')),
  instance text not null,
  started_at kith.instant not null,
  beat_at kith.instant not null,
  xid xid8 not null default pg_current_xact_id(),
  version text,
  clock_ahead_ms integer,
  stopped_at kith.instant,
  loops jsonb,
  constraint heartbeats_pkey primary key (component, instance),
  constraint heartbeats_texts_are_short check (char_length(version) <= 100)
);
comment on table kith.heartbeats is
  'The last heartbeat of each running server and worker. It belongs to the installation, so it has no tenant.';
comment on column kith.heartbeats.version is 'The release and the commit of the program.';
comment on column kith.heartbeats.clock_ahead_ms is
  'How far its clock was ahead of the database''s at the last heartbeat, less the time that the heartbeat took; negative if behind.';
comment on column kith.heartbeats.stopped_at is
  'When it ended by itself. The row stays, because the next outage begins at the last heartbeat of all.';
comment on column kith.heartbeats.loops is
  'The pace of a worker''s loops: for each its batch and its pause, and the usual ones. An array of objects with loop, batch, pause_ms, usual_batch and '
  'usual_pause_ms. Null for a server.';
comment on column kith.heartbeats.xid is 'The transaction of the heartbeat. It and all before it survive a crash (internal.feed_end).';

create table kith.outages (
  component text not null constraint outages_component_is_known check (component in ('server', 'worker')),
  began_at kith.instant not null,
  ended_at kith.instant,
  sender_told_at kith.instant,
  told_deadline_at kith.instant,
  told_tenant_id integer,
  told_sender_id uuid,
  constraint outages_pkey primary key (component, began_at),
  constraint outages_end_after_they_begin check (ended_at > began_at)
);
create unique index outages_one_open on kith.outages (component) where ended_at is null;
comment on table kith.outages is
  'Times in which Kith itself was down, because no server or no worker sent a heartbeat for a minute. A miss whose last 15 minutes overlap with an outage waits until 15 minutes after its end.';
comment on column kith.outages.sender_told_at is 'When all senders whose pings waited because of the outage had been told.';
comment on column kith.outages.told_deadline_at is
  'With told_tenant_id and told_sender_id, how far the worker has come with telling the senders, in the order of deadlines.';

create table kith.incarnations (
  system_identifier bigint not null,
  timeline integer not null,
  noticed_at kith.instant not null,
  restored_to kith.instant,
  confirmed_at kith.instant,
  confirmed_by text,
  served_until kith.instant,
  constraint incarnations_pkey primary key (system_identifier, timeline),
  constraint incarnations_confirmed_say_by_whom check ((confirmed_at is null) = (confirmed_by is null)),
  constraint incarnations_lost_are_confirmed check (served_until is null or served_until > restored_to and confirmed_at is not null)
);
comment on table kith.incarnations is
  'The clusters and timelines on which this database has lived. A restore, a promotion of a standby and a copy each begin a new one. It belongs to the installation, so it has no tenant.';
comment on column kith.incarnations.noticed_at is 'When the first heartbeat arrived, or an operator confirmed it.';
comment on column kith.incarnations.restored_to is
  'The newest heartbeat in the database when the incarnation was noticed: the past to which it went back. Null for the first incarnation.';
comment on column kith.incarnations.confirmed_at is 'When it was confirmed. Until then nobody is told anything (internal.awaits_confirmation).';
comment on column kith.incarnations.confirmed_by is 'The operator, or kith for an incarnation that began within 5 minutes of the last heartbeat.';
comment on column kith.incarnations.served_until is
  'Until when the previous incarnation served: what it did after restored_to is lost. Null if nothing is lost.';

create table kith.usage_hours (
  tenant_id integer not null references kith.tenants,
  hour kith.instant not null,
  caller text not null constraint usage_hours_caller_is_short check (char_length(caller) between 1 and 50),
  requests bigint not null default 0,
  refused bigint not null default 0,
  faults bigint not null default 0,
  slow bigint not null default 0,
  constraint usage_hours_pkey primary key (tenant_id, hour, caller)
) with (fillfactor = 70);
create index usage_hours_by_hour on kith.usage_hours (hour);
comment on table kith.usage_hours is
  'How many requests each tenant made in an hour, by secret key or by its users together. Servers add to it once a minute. Kept for 400 days.';
comment on column kith.usage_hours.hour is 'The beginning of the hour, UTC.';
comment on column kith.usage_hours.caller is 'users, key:<api key id>, or strangers: people who sign in.';
comment on column kith.usage_hours.refused is 'Answers with a status from 400 to 499, the limits'' 429 among them.';
comment on column kith.usage_hours.faults is 'Answers with a status of 500 or higher.';
comment on column kith.usage_hours.slow is 'Answers that took a second or longer.';

create table kith.tenant_sizes (
  tenant_id integer not null references kith.tenants,
  sampled_on kith.calendar_date not null,
  bytes bigint not null,
  connections bigint,
  codes bigint,
  constraint tenant_sizes_pkey primary key (tenant_id, sampled_on)
);
create index tenant_sizes_by_date on kith.tenant_sizes (sampled_on);
comment on table kith.tenant_sizes is
  'How much of the disk each tenant''s rows take, estimated once a day from a sample of each table, and what is counted then because counting takes '
  'long. Kept for 400 days.';
comment on column kith.tenant_sizes.connections is 'How many active and pending connections it had.';
comment on column kith.tenant_sizes.codes is 'How many connection codes it had given out.';
comment on column kith.tenant_sizes.bytes is 'The tenant''s share of the sampled rows of each table, times the size of the table with its indexes.';

create table kith.disk_samples (
  what text not null constraint disk_samples_what_is_short check (char_length(what) between 1 and 100),
  sampled_on kith.calendar_date not null,
  bytes bigint not null,
  constraint disk_samples_pkey primary key (what, sampled_on)
);
comment on table kith.disk_samples is
  'What took how much of the disk, once a day, so that admin.disk can say what grows. Kept for 400 days. It belongs to the installation.';
comment on column kith.disk_samples.what is 'As in admin.disk.';
