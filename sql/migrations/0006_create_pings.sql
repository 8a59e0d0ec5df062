-- Pings, the runs that generate them, the check-ins that answer them, and breaks, in which there are none.

create table kith.breaks (
  tenant_id integer not null,
  id uuid not null,
  user_id uuid not null,
  from_on kith.calendar_date not null,
  until_on kith.calendar_date not null,
  starts_at kith.instant not null,
  ends_at kith.instant not null,
  told_until_on kith.calendar_date,
  ended_at kith.instant,
  created_at kith.instant not null,
  updated_at kith.instant not null,
  constraint breaks_pkey primary key (tenant_id, id),
  constraint breaks_user foreign key (tenant_id, user_id) references kith.users,
  constraint breaks_end_after_they_begin check (until_on >= from_on - 1),
  constraint breaks_are_at_most_90_days check (until_on - from_on < 90)
);
create unique index breaks_one_open_break on kith.breaks (tenant_id, user_id) where ended_at is null;
create index breaks_of_user on kith.breaks (tenant_id, user_id, from_on);
create index breaks_to_begin on kith.breaks (starts_at) where ended_at is null and told_until_on is distinct from until_on;
create index breaks_to_end on kith.breaks (ends_at) where ended_at is null;
comment on table kith.breaks is
  'Local dates on which a sender has no pings. Past breaks stay as history. A sender has at most one current or future break.';
comment on column kith.breaks.until_on is
  'The last date without a ping. If the sender returned early, it is the day before their return. If no day was left, it is the day before from_on.';
comment on column kith.breaks.starts_at is 'The first instant of from_on in the sender''s zone. It moves when the zone changes.';
comment on column kith.breaks.ends_at is 'The first instant after until_on in the sender''s zone, as planned.';
comment on column kith.breaks.told_until_on is
  'The end that the receivers were told; null if they were told nothing yet. If until_on differs, they are told again.';
comment on column kith.breaks.ended_at is 'When the break was over, replaced or cancelled.';

create table kith.ping_runs (
  tenant_id integer not null references kith.tenants,
  time_zone text not null,
  ping_on kith.calendar_date not null,
  starts_at kith.instant not null,
  cursor_sender_id uuid,
  created bigint not null default 0,
  skipped bigint not null default 0,
  finished_at kith.instant,
  constraint ping_runs_pkey primary key (tenant_id, time_zone, ping_on)
);
create index ping_runs_to_do on kith.ping_runs (starts_at, tenant_id, time_zone, ping_on) where finished_at is null;
-- Each page of the web client asks for its tenant's overdue runs, of which there are none while the worker runs.
create index ping_runs_of_tenant_to_do on kith.ping_runs (tenant_id, starts_at) where finished_at is null;
-- admin.tenants reads the runs of the last day, whether they are finished or not.
create index ping_runs_by_start on kith.ping_runs (starts_at);
-- api.readiness counts the pings that were not made. There should be none.
create index ping_runs_that_skipped on kith.ping_runs (starts_at) where skipped > 0;
comment on table kith.ping_runs is
  'The unit of generation: one tenant, one time zone and one local date. A batch moves the cursor in the transaction that inserts its pings.';
comment on column kith.ping_runs.starts_at is 'The midnight of ping_on in the zone. The run is due from then on.';
comment on column kith.ping_runs.cursor_sender_id is 'The last sender whose pings were generated; null before the first.';
comment on column kith.ping_runs.skipped is
  'How many pings were not created because their deadline had passed when the run reached them, after the worker had been down. Such pings are never recorded as missed.';

create table kith.pings (
  tenant_id integer not null,
  ping_on kith.calendar_date not null,
  connection_id uuid not null,
  id uuid not null,
  sender_id uuid not null,
  receiver_id uuid not null,
  status text not null
    constraint pings_status_is_known check (status in ('scheduled', 'due', 'completed', 'missed', 'completed_late', 'cancelled')),
  scheduled_at kith.instant not null,
  remind_at kith.instant,
  deadline_at kith.instant not null,
  completed_at kith.instant,
  check_in_id uuid,
  note kith.note,
  asked_at kith.instant,
  judge_at kith.instant,
  alarmed_at kith.instant,
  is_unreached boolean,
  constraint pings_pkey primary key (tenant_id, ping_on, connection_id),
  constraint pings_deadline_is_after_schedule check (deadline_at > scheduled_at),
  constraint pings_completed_says_when check ((status in ('completed', 'completed_late')) = (completed_at is not null))
) partition by range (ping_on);
-- The date comes before the connection and the sender, so a day's rows are stored together, however long the history is.
create index pings_of_sender on kith.pings (tenant_id, ping_on, sender_id);
create index pings_to_announce on kith.pings (scheduled_at, tenant_id, sender_id) where status = 'scheduled';
create index pings_to_remind on kith.pings (remind_at, tenant_id, sender_id) where status = 'due' and remind_at is not null;
-- Not coalesce(): it is not leakproof, so under a policy it would never be an index condition.
create index pings_to_miss on kith.pings ((case when judge_at is null then deadline_at else judge_at end), tenant_id, sender_id) where status = 'due';
create index pings_missed on kith.pings (tenant_id, sender_id, deadline_at) where status = 'missed';
-- Notes are rare. They are found when the account of their sender ends.
create index pings_with_note on kith.pings (tenant_id, sender_id, connection_id) where note is not null;
comment on table kith.pings is
  'One connection and one local date of its sender: is the sender safe today? Monthly partitions. There are no foreign keys, because rows are created only from connections, a million at a time.';
comment on column kith.pings.ping_on is 'The local date in the sender''s zone.';
comment on column kith.pings.receiver_id is 'The connection''s receiver, copied here so that a policy needs no other table.';
comment on column kith.pings.status is
  'scheduled → due → completed | missed → completed_late. A ping can also be cancelled, and brought back on the same day.';
comment on column kith.pings.remind_at is 'When to remind the sender; null if they were reminded or a reminder is pointless.';
comment on column kith.pings.deadline_at is 'When an unanswered ping is missed. Neither load nor an outage of Kith moves it. After a restore, a ping whose answer may be lost begins anew.';
comment on column kith.pings.asked_at is
  'When the sender was last asked: told that the ping is due, or at the screen when it began. Null if nobody asked them, as on a pending connection.';
comment on column kith.pings.judge_at is
  'Until when the judgement waits, because the workers were away when the sender should have been asked (X35). Null if deadline_at decides. deadline_at stays as promised.';
comment on column kith.pings.alarmed_at is 'When the receiver was told that the ping was missed. Null if they were told nothing, so that they get no all-clear.';
comment on column kith.pings.is_unreached is
  'True if the ping was missed, and no channel had taken a notice of it by then (X37): its receiver is told so, and its day is no sign of silence (E03). Kept here, because the deliveries that show it are deleted before the ping is. Otherwise null.';
comment on column kith.pings.note is
  'The note of the check-in, if the sender shares it with their receivers (P40). It is here so that an answer needs no other table.';

create table kith.ping_gaps (
  tenant_id integer not null,
  ping_on kith.calendar_date not null,
  connection_id uuid not null,
  found_at kith.instant not null,
  mended boolean not null,
  constraint ping_gaps_pkey primary key (tenant_id, ping_on, connection_id),
  constraint ping_gaps_connection foreign key (tenant_id, connection_id) references kith.connections
);
create index ping_gaps_by_time on kith.ping_gaps (found_at);
comment on table kith.ping_gaps is
  'Active connections that the hourly check found without a ping for their local date, and without a reason for that (X25).';
comment on column kith.ping_gaps.mended is 'Whether the ping was still created, because its deadline was ahead.';

create table kith.gap_checks (
  only_one boolean not null default true constraint gap_checks_are_one check (only_one),
  began_at kith.instant not null,
  finished_at kith.instant,
  checked_tenant_id integer not null,
  checked_time_zone text not null,
  checked_sender_id uuid not null,
  found bigint not null default 0,
  constraint gap_checks_pkey primary key (only_one)
);
insert into kith.gap_checks (began_at, finished_at, checked_tenant_id, checked_time_zone, checked_sender_id)
values ('1970-01-01Z', '1970-01-01Z', 0, '', '00000000-0000-0000-0000-000000000000');
comment on table kith.gap_checks is
  'How far the hourly check for gaps (X25) has come. One row, which belongs to the installation. A batch moves the cursor in the transaction that records its gaps.';
comment on column kith.gap_checks.finished_at is 'When the check was finished; null while it is in progress.';
comment on column kith.gap_checks.checked_sender_id is
  'With checked_tenant_id and checked_time_zone, the last sender that was checked, in the order of sender_profiles_by_zone.';
comment on column kith.gap_checks.found is 'How many gaps this check has found.';

create table kith.check_ins (
  tenant_id integer not null,
  id uuid not null,
  user_id uuid not null,
  received_at kith.instant not null,
  note kith.note,
  created_at kith.instant not null,
  shares_note boolean not null default false,
  tapped_at kith.instant,
  source kith.check_in_source not null default 'app',
  constraint check_ins_pkey primary key (tenant_id, id)
);
create index check_ins_of_user on kith.check_ins (tenant_id, user_id, received_at desc);
create index check_ins_tapped on kith.check_ins (tenant_id, user_id, tapped_at desc) where tapped_at is not null;
comment on table kith.check_ins is
  'Signs of life: every "I''m safe", whether or not a ping was open. There is no foreign key, because api.check_in alone writes rows, for a sender whose profile, or a user whose account, it has locked.';
comment on column kith.check_ins.note is 'The sender''s own, unless shares_note says that receivers see it (P40).';
comment on column kith.check_ins.received_at is
  'When the server received the check-in. This instant counts, not the time at which the database processed it.';
comment on column kith.check_ins.tapped_at is
  'When the person tapped, if the check-in was kept on a device without a network and says so (J07). Then it speaks for this moment. Null otherwise.';
comment on column kith.check_ins.source is
  'How the person said it: in the app, in the web client, by a link, by answering a text message or a call, or with a thing (kith.signs).';

create table kith.signs (
  tenant_id integer not null,
  id uuid not null,
  user_id uuid not null,
  name text not null constraint signs_name_is_short check (char_length(name) between 1 and 80),
  kind text not null constraint signs_kind_is_known check (kind in ('check_in', 'activity')),
  allow_get boolean not null default false,
  token_hash bytea not null,
  created_at kith.instant not null,
  last_used_at kith.instant,
  reports integer not null default 0,
  constraint signs_pkey primary key (tenant_id, id),
  constraint signs_token_hash_key unique (tenant_id, token_hash),
  constraint signs_user foreign key (tenant_id, user_id) references kith.users (tenant_id, id) on delete cascade,
  constraint signs_token_hash_is_sha256 check (octet_length(token_hash) = 32)
) with (fillfactor = 80);
create index signs_of_user on kith.signs (tenant_id, user_id);
comment on table kith.signs is
  'Secret addresses for things of a person: a button, a phone''s shortcut, a sensor (J04). A report is no row of its own: a sign keeps the '
  'instant of its newest one.';
comment on column kith.signs.kind is
  'check_in: a person presses it, and it counts as a check-in. activity: it shows that something moved, and is never a sign of life.';
comment on column kith.signs.allow_get is
  'Whether a GET of the address counts too, for things that can send nothing else. Whatever follows links can then trigger it.';
comment on column kith.signs.token_hash is 'SHA-256 of the token in the address. The token itself is shown once.';
comment on column kith.signs.last_used_at is 'When the newest report came that counted or was of a stuck button. internal.is_merged_report says which further ones are merged with it.';
comment on column kith.signs.reports is
  'How many reports have counted, the newest included, since the last six hours of silence. internal.is_stuck says from which on nobody presses it.';

create table kith.check_in_links (
  tenant_id integer not null,
  token_hash bytea not null,
  user_id uuid not null,
  ping_on kith.calendar_date not null,
  created_at kith.instant not null,
  used_at kith.instant,
  constraint check_in_links_pkey primary key (tenant_id, token_hash),
  constraint check_in_links_user foreign key (tenant_id, user_id) references kith.users (tenant_id, id) on delete cascade,
  constraint check_in_links_token_hash_is_sha256 check (octet_length(token_hash) = 32)
);
create index check_in_links_of_user on kith.check_in_links (tenant_id, user_id);
create index check_in_links_by_age on kith.check_in_links (created_at);
comment on table kith.check_in_links is
  'The links in text messages and e-mails by which a sender checks in without a sign-in (J01): one for each sender and local date. The worker derives the token from the master key, so that a message that is sent again has the same link (docs/decisions/0048).';
comment on column kith.check_in_links.token_hash is 'SHA-256 of the token in the link, which stands nowhere else in the database.';
comment on column kith.check_in_links.ping_on is
  'The sender''s local date. internal.is_link_open says until when the link is good.';
comment on column kith.check_in_links.used_at is
  'When the sender first checked in by the link, or last answered something by it.';
