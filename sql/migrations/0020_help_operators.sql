-- What an operator asks at night: when a provider is tried again, and when a message was dropped.

alter table kith.channel_credentials add column next_try_at kith.instant;
comment on column kith.channel_credentials.next_try_at is
  'Until when the worker that wrote error last sends nothing to the provider (its circuit breaker); null while it sends. Each worker has its own.';

comment on column kith.deliveries.next_attempt_at is
  'When a worker may claim the delivery. During a lease it is the end of the lease, or up to a minute later if the lease before ended without a result. '
  'Of a delivery that was dropped or given up after it had waited, it is when.';

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

alter table kith.act_counts
  add column allowed integer constraint act_counts_allow_a_number check (allowed between 1 and 100000),
  add column allowed_until kith.instant,
  add constraint act_counts_allow_until_an_instant check ((allowed is null) = (allowed_until is null));
comment on column kith.act_counts.allowed is 'What an operator allows this user in a day until allowed_until, in place of internal.acts_a_day; null for that (admin.raise_quota).';
comment on column kith.act_counts.allowed_until is 'When allowed ends by itself.';
