-- Canaries (G10): the hidden people by whom an operator sees that a tenant's alarms work, and the runs that they make.

create table kith.canaries (
  tenant_id integer not null references kith.tenants,
  id uuid not null,
  every_hours integer not null constraint canaries_divide_the_day check (every_hours in (1, 2, 3, 4, 6, 8, 12, 24)),
  minute integer not null constraint canaries_minute_is_of_an_hour check (minute between 0 and 59),
  within_minutes integer not null constraint canaries_end_before_a_repeat check (within_minutes between 2 and 25),
  receiver_id uuid not null,
  created_at kith.instant not null,
  updated_at kith.instant not null,
  constraint canaries_pkey primary key (tenant_id, id),
  constraint canaries_one_of_a_kind unique (tenant_id, every_hours),
  constraint canaries_receiver foreign key (tenant_id, receiver_id) references kith.users
);
comment on table kith.canaries is
  'The canaries of a tenant (G10, docs/decisions/0056): each is asked every few hours, never answers, and has a receiver with contacts that an operator '
  'named. A tenant has one for each interval that its channels have.';
comment on column kith.canaries.every_hours is 'How many hours lie between two runs. Each run of a day has a sender of its own.';
comment on column kith.canaries.minute is
  'The minute of the hour at which it asks. It follows from the number that the tenant had, so that canaries do not all ask at once.';
comment on column kith.canaries.within_minutes is
  'How long after the deadline an alarm must have arrived. It ends before the first repeat of an alarm, so a run sends one message on each channel.';
comment on column kith.canaries.receiver_id is 'The receiver of all of its senders.';

create table kith.canary_people (
  tenant_id integer not null,
  user_id uuid not null,
  canary_id uuid,
  asked_at kith.time_of_day,
  constraint canary_people_pkey primary key (tenant_id, user_id),
  constraint canary_people_user foreign key (tenant_id, user_id) references kith.users,
  constraint canary_people_canary foreign key (tenant_id, canary_id) references kith.canaries on delete set null (canary_id)
);
create index canary_people_of_canary on kith.canary_people (tenant_id, canary_id) where canary_id is not null;
comment on table kith.canary_people is
  'The accounts that are no people (G10): what counts or lists people, their alarms and their messages leaves them out (internal.hidden_person). A row '
  'outlives its canary, because the pings of its user do.';
comment on column kith.canary_people.canary_id is 'Null once the canary was removed.';
comment on column kith.canary_people.asked_at is 'The ping time of a sender, in UTC. Null for a receiver.';

create table kith.canary_channels (
  tenant_id integer not null,
  channel text not null constraint canary_channels_channel_is_known check (channel in ('webhook', 'push', 'email', 'sms', 'call')),
  canary_id uuid not null,
  needs_heard boolean not null constraint canary_channels_push_is_not_heard check (not (needs_heard and channel = 'push')),
  webhook_id uuid,
  watched_from kith.instant not null,
  constraint canary_channels_pkey primary key (tenant_id, channel),
  constraint canary_channels_canary foreign key (tenant_id, canary_id) references kith.canaries,
  constraint canary_channels_webhook foreign key (tenant_id, webhook_id) references kith.webhooks,
  constraint canary_channels_webhook_has_an_endpoint check ((channel = 'webhook') = (webhook_id is not null))
);
create index canary_channels_of_canary on kith.canary_channels (tenant_id, canary_id);
create index canary_channels_of_webhook on kith.canary_channels (tenant_id, webhook_id) where webhook_id is not null;
comment on table kith.canary_channels is
  'On which channels a tenant''s canaries are told, each by one of them. The contacts are those of the receiver: users, devices, and for webhook a row of '
  'kith.webhooks, which gets only what is about the canary.';
comment on column kith.canary_channels.needs_heard is
  'Whether a run must be heard on the channel, and not only taken by its provider.';
comment on column kith.canary_channels.watched_from is 'Since when the channel is watched. Runs that begin later have it.';

create table kith.canary_runs (
  tenant_id integer not null,
  canary_id uuid not null,
  asks_at kith.instant not null,
  sender_id uuid not null,
  deadline_at kith.instant not null,
  dies_at kith.instant not null,
  made_at kith.instant,
  asked_at kith.instant,
  missed_at kith.instant,
  alarm_at kith.instant,
  alarm_id uuid,
  ended_at kith.instant,
  constraint canary_runs_pkey primary key (tenant_id, canary_id, asks_at),
  constraint canary_runs_canary foreign key (tenant_id, canary_id) references kith.canaries on delete cascade,
  constraint canary_runs_end_after_they_begin check (deadline_at > asks_at and dies_at > deadline_at),
  constraint canary_runs_alarm_has_an_instant check ((alarm_id is null) = (alarm_at is null))
);
create index canary_runs_under_way on kith.canary_runs (tenant_id, sender_id) where ended_at is null;
create index canary_runs_by_age on kith.canary_runs (asks_at);
comment on table kith.canary_runs is
  'A run of a canary: from its ping to its alarm, with the instant of each leg, read from the rows that the chain has written. Kept for 30 days.';
comment on column kith.canary_runs.asks_at is 'The time of the ping.';
comment on column kith.canary_runs.deadline_at is 'The deadline of the ping.';
comment on column kith.canary_runs.dies_at is 'When the run ends if it has not arrived: every channel that is missing has died.';
comment on column kith.canary_runs.made_at is 'When the ping was made.';
comment on column kith.canary_runs.asked_at is 'When the sender was asked.';
comment on column kith.canary_runs.missed_at is 'When the ping was judged as missed.';
comment on column kith.canary_runs.alarm_at is 'When the alarm opened.';
comment on column kith.canary_runs.ended_at is 'When it had arrived on every channel, or had died.';

create table kith.canary_arrivals (
  tenant_id integer not null,
  canary_id uuid not null,
  asks_at kith.instant not null,
  channel text not null constraint canary_arrivals_channel_is_known check (channel in ('webhook', 'push', 'email', 'sms', 'call')),
  needs_heard boolean not null,
  planned_at kith.instant,
  sent_at kith.instant,
  taken_at kith.instant,
  heard_at kith.instant,
  outcome text constraint canary_arrivals_outcome_is_known check (outcome in ('arrived', 'died')),
  error text constraint canary_arrivals_error_is_short check (char_length(error) <= 500),
  constraint canary_arrivals_pkey primary key (tenant_id, canary_id, asks_at, channel),
  constraint canary_arrivals_run foreign key (tenant_id, canary_id, asks_at) references kith.canary_runs on delete cascade
);
create index canary_arrivals_of_channel on kith.canary_arrivals (tenant_id, channel, asks_at);
comment on table kith.canary_arrivals is 'The legs of a run on one channel: its message planned, sent, taken by the provider, and heard.';
comment on column kith.canary_arrivals.planned_at is 'When the delivery was written; for a webhook, the notification.';
comment on column kith.canary_arrivals.sent_at is 'When the first attempt began, or had a result.';
comment on column kith.canary_arrivals.taken_at is 'When the provider, or the endpoint, accepted it.';
comment on column kith.canary_arrivals.heard_at is
  'When somebody answered: "1" by text or in the call, the button on the page of the mail''s link; of a webhook, the endpoint''s answer.';
comment on column kith.canary_arrivals.outcome is 'Null while the run lasts.';
comment on column kith.canary_arrivals.error is 'The last objection of the provider or the endpoint.';

create table kith.canary_answers (
  tenant_id integer not null,
  alarm_id uuid not null,
  channel text not null constraint canary_answers_channel_is_known check (channel in ('email', 'sms', 'call')),
  at kith.instant not null,
  constraint canary_answers_pkey primary key (tenant_id, alarm_id, channel)
);
create index canary_answers_by_age on kith.canary_answers (at);
comment on table kith.canary_answers is
  'That the receiver of a canary has answered an alarm, and by which channel, for the next look of worker.walk_canaries. Kept for a day.';
