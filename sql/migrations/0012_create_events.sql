-- The event feed, and the webhooks that receive it.

-- No CHECK constraints, because each inserting statement would read and compile them anew. Three of them make a check-in 5% slower.
create table kith.events (
  tenant_id integer not null,
  ping_on kith.calendar_date,
  xid xid8 not null default pg_current_xact_id(),
  id uuid not null,
  user_id uuid not null,
  subject_id uuid,
  parent_id uuid,
  type text not null,
  constraint events_pkey primary key (tenant_id, user_id, xid, id)
) partition by range (id);
-- The tenant comes last, so that a reader of one tenant's events can skip the others without reading the table.
create index events_in_order on kith.events (xid, id, tenant_id);
comment on table kith.events is
  'Changes that a user''s screen shows. A row contains only ids, because the content is read when the event is read. Daily partitions by id, dropped after 8 days. The other half of the feed is kith.notifications.';
comment on column kith.events.ping_on is 'The date of a ping. Without it, finding the ping would visit every partition.';
comment on column kith.events.xid is
  'The transaction that wrote the row. Events are ordered by (xid, id) and read up to the oldest transaction in progress. So no event ever appears before a position that somebody has read up to, in whatever order transactions commit.';
comment on column kith.events.id is 'UUID version 7 made from the instant of the change.';
comment on column kith.events.user_id is
  'The user whose screen shows the change. For alarm_undelivered, the user whom the alarm did not reach; for api_key, and for the account of somebody who has deleted it, zeros.';
comment on column kith.events.subject_id is 'The id of what changed; type names its kind. For alarm_undelivered, the notification.';
comment on column kith.events.parent_id is 'The connection of a ping, the vault of a nominee, session, document, emergency request or conversation, or the nominee of a message. Of an alarm, the entry of its timeline that says what changed; the alarm itself if people were told, null if it opened.';
comment on column kith.events.type is
  'account (something that only the user sees), connection, ping, nominee, session, vault, document, emergency_request, invitation, alarm, message or conversation (whose subject is its nominee). notification: one was read (a new one is in the feed by itself). notifications_read: all were read. alarm_undelivered, and api_key (an operator has made one): for the tenant''s webhooks only.';

create table kith.event_readers (
  name text not null constraint event_readers_pkey primary key,
  next_xid xid8 not null
);
comment on table kith.event_readers is
  'How far a reader of all tenants'' events has read. It belongs to the installation, so it has no tenant.';
comment on column kith.event_readers.name is 'webhooks: the reader that determines which tenants'' webhooks have news.';
comment on column kith.event_readers.next_xid is 'The reader has read everything that transactions below this one wrote.';
insert into kith.event_readers (name, next_xid) values ('webhooks', pg_snapshot_xmin(pg_current_snapshot()));

create table kith.webhooks (
  tenant_id integer not null references kith.tenants,
  id uuid not null,
  url text not null constraint webhooks_url_is_https check (url ~ '^https://[^[:space:]]+$' and char_length(url) <= 2000),
  types text[] not null default '{}',
  sealed_secrets bytea not null,
  taken_xid xid8 not null,
  taken_id uuid not null default '00000000-0000-0000-0000-000000000000',
  taken_at kith.instant not null,
  has_news boolean not null default true,
  batch_id uuid,
  batch_xid xid8,
  batch_until_id uuid,
  batch_is_reset boolean not null default false,
  attempts integer not null default 0,
  next_attempt_at kith.instant not null,
  leased_by text,
  last_success_at kith.instant,
  last_error text,
  disabled_at kith.instant,
  disabled_reason text,
  created_at kith.instant not null,
  updated_at kith.instant not null,
  constraint webhooks_pkey primary key (tenant_id, id),
  constraint webhooks_batch_is_whole check ((batch_id is null) = (batch_xid is null) and (batch_id is null) = (batch_until_id is null)),
  constraint webhooks_disabled_says_why check ((disabled_at is null) = (disabled_reason is null)),
  constraint webhooks_texts_are_short check (
    char_length(last_error) <= 10000 and char_length(disabled_reason) <= 500 and cardinality(types) <= 50
  )
);
create index webhooks_to_call on kith.webhooks (next_attempt_at) where has_news and disabled_at is null;
comment on table kith.webhooks is 'Endpoints to which a tenant''s events are sent in order, one request at a time.';
comment on column kith.webhooks.types is 'The types that the endpoint receives; empty for all.';
comment on column kith.webhooks.sealed_secrets is
  'The secrets that sign requests, sealed with AES-256-GCM under the master key and bound to tenant and id. They are JSON, [{secret, until}]; until is null for the newest one.';
comment on column kith.webhooks.taken_xid is 'With taken_id, the position in the feed up to which the endpoint has accepted everything.';
comment on column kith.webhooks.taken_at is 'The instant of that position. Events that are not accepted within 7 days are skipped.';
comment on column kith.webhooks.has_news is 'Whether there may be events after that position. The reader of all tenants'' events sets it.';
comment on column kith.webhooks.batch_id is
  'The id of the current request. It stays the same until the request is accepted. The batch ends with the event (batch_xid, batch_until_id).';
comment on column kith.webhooks.batch_is_reset is 'Whether the batch begins by reporting that events were skipped.';
comment on column kith.webhooks.next_attempt_at is
  'When a worker may send the next request. During a lease it is the end of the lease. After that, another worker may send it, because the one with the lease has died.';
comment on column kith.webhooks.leased_by is 'The worker that is sending the request. Only its result counts.';
comment on column kith.webhooks.disabled_at is
  'When the endpoint was disabled: it answered 410 Gone, or an operator disabled it. Nothing more is sent to it.';
