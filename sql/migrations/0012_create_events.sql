-- The event feed, and the webhooks that receive it.

-- No CHECK constraints, because each inserting statement would read and compile them anew. Three of them make a check-in 5% slower.
create table kith.events (
  tenant_id integer not null,
  ping_on date,
  xid xid8 not null default pg_current_xact_id(),
  id uuid not null,
  user_id uuid not null,
  subject_id uuid,
  parent_id uuid,
  type text not null,
  constraint events_pkey primary key (tenant_id, user_id, xid, id)
) partition by range (id);
-- The tenant comes last, so a reader that wants one tenant's events filters them without a visit to the table.
create index events_in_order on kith.events (xid, id, tenant_id);
comment on table kith.events is
  'That something has changed which a user''s screen shows: ids only, for what it is now is read when the event is. Daily partitions by id, dropped after 8 days. kith.notifications is the other half of the feed.';
comment on column kith.events.ping_on is 'Of a ping, its date: without it the ping would be looked for in every partition.';
comment on column kith.events.xid is
  'The transaction that wrote it. Events are in the order of (xid, id), and read up to the oldest transaction that is still under way: so whoever has read up to some place never finds a new one before it, in whatever order transactions commit.';
comment on column kith.events.id is 'UUID version 7 made of the instant of the change.';
comment on column kith.events.user_id is 'Whose screen shows it; of alarm_undelivered, whom it did not reach.';
comment on column kith.events.subject_id is 'What has changed, of the kind that type says; of alarm_undelivered, the notification.';
comment on column kith.events.parent_id is 'The connection of a ping, the vault of a nominee or a session.';
comment on column kith.events.type is
  'connection, ping, nominee, session, vault; notification: it was read; a new one is in the feed by itself. notifications_read: all of them were. alarm_undelivered is for the tenant''s webhooks only.';

create table kith.event_readers (
  name text not null constraint event_readers_pkey primary key,
  next_xid xid8 not null
);
comment on table kith.event_readers is
  'How far a reader of all tenants'' events has come. No tenant: it is the installation''s.';
comment on column kith.event_readers.name is 'webhooks: who looks which tenants'' webhooks have something to tell.';
comment on column kith.event_readers.next_xid is 'What transactions below this one wrote has been read.';
insert into kith.event_readers (name, next_xid) values ('webhooks', pg_snapshot_xmin(pg_current_snapshot()));

create table kith.webhooks (
  tenant_id integer not null references kith.tenants,
  id uuid not null,
  url text not null constraint webhooks_url_is_https check (url ~ '^https://[^[:space:]]+$' and char_length(url) <= 2000),
  types text[] not null default '{}',
  sealed_secrets bytea not null,
  taken_xid xid8 not null,
  taken_id uuid not null default '00000000-0000-0000-0000-000000000000',
  taken_at timestamptz not null,
  has_news boolean not null default true,
  batch_id uuid,
  batch_xid xid8,
  batch_until_id uuid,
  batch_is_reset boolean not null default false,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  leased_by text,
  last_success_at timestamptz,
  last_error text,
  disabled_at timestamptz,
  disabled_reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint webhooks_pkey primary key (tenant_id, id),
  constraint webhooks_batch_is_whole check ((batch_id is null) = (batch_xid is null) and (batch_id is null) = (batch_until_id is null)),
  constraint webhooks_disabled_says_why check ((disabled_at is null) = (disabled_reason is null))
);
create index webhooks_to_call on kith.webhooks (next_attempt_at) where has_news and disabled_at is null;
comment on table kith.webhooks is 'Where a tenant''s events are sent to, in order, one request at a time.';
comment on column kith.webhooks.types is 'Which types it takes; empty for all.';
comment on column kith.webhooks.sealed_secrets is
  'What requests are signed with, AES-256-GCM under the master key, bound to tenant and id: JSON, [{secret, until}], until null for the newest one.';
comment on column kith.webhooks.taken_xid is 'With taken_id, the place in the feed up to which it has taken everything.';
comment on column kith.webhooks.taken_at is 'When that was: what has not been taken after 7 days is passed over.';
comment on column kith.webhooks.has_news is 'Whether there may be something beyond that place; who looks for all tenants at once sets it.';
comment on column kith.webhooks.batch_id is 'What the request under way, or to be tried again, is called: the same until it was taken. It ends with the event (batch_xid, batch_until_id).';
comment on column kith.webhooks.batch_is_reset is 'It begins by saying that something was passed over.';
comment on column kith.webhooks.next_attempt_at is 'While it is leased, the end of the lease: then another worker may call it, for whoever leased it has died.';
comment on column kith.webhooks.leased_by is 'The worker that is calling it, and whose word alone counts.';
comment on column kith.webhooks.disabled_at is 'Nothing is sent to it any more: it has answered 410 Gone, or an operator has disabled it.';
