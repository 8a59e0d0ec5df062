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
-- The date stands before connection and sender: a day's rows land together, whatever the history behind them.
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
  constraint outages_pkey primary key (component, began_at),
  constraint outages_end_after_they_begin check (ended_at > began_at)
);
create unique index outages_one_open on kith.outages (component) where ended_at is null;
comment on table kith.outages is 'When Kith itself was away (no heartbeat of a component for a minute). A miss whose last 15 minutes fall into one waits until 15 minutes after it ended.';
