-- The hourly check looks for the runs of the last two days, whether they are finished or not.
create index ping_runs_by_start on kith.ping_runs (starts_at);

alter table kith.outages
  add column told_deadline_at timestamptz,
  add column told_tenant_id integer,
  add column told_sender_id uuid;
comment on column kith.outages.sender_told_at is 'When all senders whose pings waited because of it had been told.';
comment on column kith.outages.told_deadline_at is 'With told_tenant_id and told_sender_id: how far telling the senders has come, in the order of the deadlines.';
