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

-- The dates go with the profile, which generation and every answer about a connection read anyway.
alter table kith.sender_profiles
  add column break_from_on date,
  add column break_until_on date,
  add constraint sender_profiles_break_is_whole check ((break_from_on is null) = (break_until_on is null));
comment on column kith.sender_profiles.break_from_on is 'The dates of the sender''s newest break that has a day, also when it is over: a run that comes late must know.';
drop index kith.sender_profiles_by_zone;
create index sender_profiles_by_zone on kith.sender_profiles (tenant_id, time_zone, user_id)
  include (ping_time, grace_minutes, reminder_minutes, break_from_on, break_until_on);
comment on column kith.sender_profiles.timed_at is 'When zone, ping time or grace last changed, or a break of that day was taken back: a day whose deadline was already past then has no ping, for that reason.';

alter table kith.receiver_profiles
  add column good_until timestamptz generated always as (
    case
      when subscription_status = 'expired' or (subscription_status = 'canceled' and subscription_expires_at is null)
        then least(subscription_expires_at, updated_at)
      else subscription_expires_at
    end
  ) stored,
  add column pings_stop_at timestamptz,
  add column pings_stopped_at timestamptz,
  add constraint receiver_profiles_are_told_before_pings_stop check (pings_stopped_at is null or pings_stop_at is not null);
create index receiver_profiles_to_lapse on kith.receiver_profiles (tenant_id, good_until)
  where good_until is not null and pings_stop_at is null;
create index receiver_profiles_to_stop on kith.receiver_profiles (pings_stop_at)
  where pings_stop_at is not null and pings_stopped_at is null;
create index receiver_profiles_lapsed on kith.receiver_profiles (tenant_id) where pings_stop_at is not null;
comment on column kith.receiver_profiles.good_until is 'Until when the subscription is in good standing (P09); null: without end. Trial, active, past_due, and canceled until they end; expired, and canceled without an end, until that was said.';
comment on column kith.receiver_profiles.pings_stop_at is 'When pings to this receiver stop, as they and their senders were told when the subscription lapsed; null while it has not (X28).';
comment on column kith.receiver_profiles.pings_stopped_at is 'When the worker stopped them.';

alter table kith.connections add column pings_stopped_at timestamptz;
comment on column kith.connections.pings_stopped_at is 'Since when the receiver''s lapsed subscription keeps this connection from having pings, whatever its status (X28): kept here so that generation needs no look at the receiver.';
comment on column kith.connections.activated_at is 'When pings last began (connect, resume, reactivate, renew): a day whose deadline was already past then has no ping, for that reason (P13).';
drop index kith.connections_to_ping;
create index connections_to_ping on kith.connections (tenant_id, sender_id) include (id, receiver_id)
  where status in ('active', 'pending') and pings_stopped_at is null;

alter table kith.notifications add column deliver_at timestamptz;
comment on column kith.notifications.deliver_at is 'Not to be delivered before this instant; null: at once. Everyone''s nine o''clock is the same second: what is due then goes out over a minute.';
