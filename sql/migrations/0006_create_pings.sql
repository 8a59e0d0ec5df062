-- Pings, the runs that generate them, the check-ins that answer them, and the breaks without them.

create table kith.breaks (
  tenant_id integer not null,
  id uuid not null,
  user_id uuid not null,
  from_on date not null,
  until_on date not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  told_until_on date,
  ended_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint breaks_pkey primary key (tenant_id, id),
  constraint breaks_user foreign key (tenant_id, user_id) references kith.users,
  constraint breaks_end_after_they_begin check (until_on >= from_on - 1),
  constraint breaks_are_at_most_90_days check (until_on - from_on < 90)
);
create unique index breaks_one_open_break on kith.breaks (tenant_id, user_id) where ended_at is null;
create index breaks_of_user on kith.breaks (tenant_id, user_id, from_on);
create index breaks_to_begin on kith.breaks (starts_at) where ended_at is null and told_until_on is distinct from until_on;
create index breaks_to_end on kith.breaks (ends_at) where ended_at is null;
comment on table kith.breaks is 'Local dates on which a sender has no pings. Those that are over stay as history; at most one of a sender is current or to come.';
comment on column kith.breaks.until_on is 'The last date without a ping: where the sender came back early the day before that; the day before from_on where no day was left.';
comment on column kith.breaks.starts_at is 'The first instant of from_on in the sender''s zone; a change of zone moves it.';
comment on column kith.breaks.ends_at is 'The first instant after until_on in the sender''s zone, as planned.';
comment on column kith.breaks.told_until_on is 'What the receivers were told as its end; null before they were told anything. Another until_on is told again.';
comment on column kith.breaks.ended_at is 'When it was over, changed for another or taken back.';

create table kith.ping_runs (
  tenant_id integer not null references kith.tenants,
  time_zone text not null,
  ping_on date not null,
  starts_at timestamptz not null,
  cursor_sender_id uuid,
  created bigint not null default 0,
  skipped bigint not null default 0,
  finished_at timestamptz,
  constraint ping_runs_pkey primary key (tenant_id, time_zone, ping_on)
);
create index ping_runs_to_do on kith.ping_runs (starts_at, tenant_id, time_zone, ping_on) where finished_at is null;
-- The hourly check reads the runs of the last two days, whether they are finished or not.
create index ping_runs_by_start on kith.ping_runs (starts_at);
comment on table kith.ping_runs is 'The unit of generation: one tenant, one zone, one local date. A batch moves the cursor in the transaction that inserts its pings.';
comment on column kith.ping_runs.starts_at is 'The zone''s midnight of ping_on: the run is due from then on.';
comment on column kith.ping_runs.cursor_sender_id is 'The last sender done; null before the first.';
comment on column kith.ping_runs.skipped is 'Pings not made because their deadline was past when the run got to them: the worker had been down. Never invented as missed.';

create table kith.pings (
  tenant_id integer not null,
  ping_on date not null,
  connection_id uuid not null,
  id uuid not null,
  sender_id uuid not null,
  receiver_id uuid not null,
  status text not null
    constraint pings_status_is_known check (status in ('scheduled', 'due', 'completed', 'missed', 'completed_late', 'cancelled')),
  scheduled_at timestamptz not null,
  remind_at timestamptz,
  deadline_at timestamptz not null,
  completed_at timestamptz,
  check_in_id uuid,
  constraint pings_pkey primary key (tenant_id, ping_on, connection_id),
  constraint pings_deadline_is_after_schedule check (deadline_at > scheduled_at),
  constraint pings_completed_says_when check ((status in ('completed', 'completed_late')) = (completed_at is not null))
) partition by range (ping_on);
-- The date comes before the connection and the sender, so a day's rows are stored together, however long the history is.
create index pings_of_sender on kith.pings (tenant_id, ping_on, sender_id);
create index pings_to_announce on kith.pings (scheduled_at, tenant_id, sender_id) where status = 'scheduled';
create index pings_to_remind on kith.pings (remind_at, tenant_id, sender_id) where status = 'due' and remind_at is not null;
create index pings_to_miss on kith.pings (deadline_at, tenant_id, sender_id) where status = 'due';
create index pings_missed on kith.pings (tenant_id, sender_id, deadline_at) where status = 'missed';
comment on table kith.pings is 'One connection and one local date of its sender: is the sender safe today? Monthly partitions. No foreign keys: rows are made from connections only, a million at a time.';
comment on column kith.pings.ping_on is 'The local date in the sender''s zone.';
comment on column kith.pings.receiver_id is 'Carried from the connection, so that a policy needs no look into another table.';
comment on column kith.pings.status is 'scheduled → due → completed | missed → completed_late; or cancelled, which the same day can bring back.';
comment on column kith.pings.remind_at is 'When the sender is to be reminded; null once done or pointless.';
comment on column kith.pings.deadline_at is 'Never moved by load or by our own outage.';

create table kith.ping_gaps (
  tenant_id integer not null,
  ping_on date not null,
  connection_id uuid not null,
  found_at timestamptz not null,
  mended boolean not null,
  constraint ping_gaps_pkey primary key (tenant_id, ping_on, connection_id),
  constraint ping_gaps_connection foreign key (tenant_id, connection_id) references kith.connections
);
comment on table kith.ping_gaps is 'Active connections that the hourly check found without a ping for their local date and without a reason for that (X25).';
comment on column kith.ping_gaps.mended is 'Whether the ping could still be made: its deadline was ahead.';

create table kith.check_ins (
  tenant_id integer not null,
  id uuid not null,
  user_id uuid not null,
  received_at timestamptz not null,
  note text constraint check_ins_note_is_short check (char_length(note) between 1 and 500),
  created_at timestamptz not null,
  constraint check_ins_pkey primary key (tenant_id, id),
  constraint check_ins_user foreign key (tenant_id, user_id) references kith.users
);
create index check_ins_of_user on kith.check_ins (tenant_id, user_id, received_at desc);
comment on table kith.check_ins is 'Signs of life: every "I''m safe", whether a ping was open or not.';
comment on column kith.check_ins.received_at is 'When the server received it, by which it counts; not when the database came to it.';
