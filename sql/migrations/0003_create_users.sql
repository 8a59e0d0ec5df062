-- Users, and the profiles that make a user a sender or a receiver.

create table kith.users (
  tenant_id integer not null references kith.tenants,
  id uuid not null,
  external_id text constraint users_external_id_is_short check (char_length(external_id) between 1 and 200),
  display_name text constraint users_name_is_short check (char_length(display_name) between 1 and 100),
  phone text constraint users_phone_is_e164 check (phone ~ '^\+[1-9][0-9]{6,14}$'),
  email text constraint users_email_is_an_address check (email ~ '^[^@[:space:]]+@[^@[:space:]]+$' and char_length(email) <= 254),
  time_zone text not null default 'UTC',
  locale text not null default 'en' constraint users_locale_is_a_tag check (locale ~ '^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$'),
  tokens_valid_from timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  phone_verified_at timestamptz,
  email_verified_at timestamptz,
  pending_phone text constraint users_pending_phone_is_e164 check (pending_phone ~ '^\+[1-9][0-9]{6,14}$'),
  pending_email text
    constraint users_pending_email_is_an_address check (pending_email ~ '^[^@[:space:]]+@[^@[:space:]]+$' and char_length(pending_email) <= 254),
  email_normalized text generated always as (lower(email collate "C")) stored,
  constraint users_pkey primary key (tenant_id, id),
  constraint users_external_id_is_unique unique (tenant_id, external_id),
  constraint users_verify_what_they_have check (
    (phone is not null or phone_verified_at is null) and (email is not null or email_verified_at is null)
  )
);
create unique index users_verified_phone_is_unique on kith.users (tenant_id, phone)
  where phone_verified_at is not null and deleted_at is null;
create index users_of_phone on kith.users (tenant_id, phone, created_at) where phone is not null and deleted_at is null;
create unique index users_verified_email_is_unique on kith.users (tenant_id, email_normalized)
  where email_verified_at is not null and deleted_at is null;
create index users_of_email on kith.users (tenant_id, email_normalized, created_at) where email is not null and deleted_at is null;
comment on table kith.users is 'A person within one tenant; a sender, a receiver, an owner, a nominee, or several of these.';
comment on column kith.users.external_id is 'The tenant''s own name for the user: the `sub` of tokens of its identity provider.';
comment on column kith.users.tokens_valid_from is 'Access tokens issued before this instant are void: signing out everywhere moves it.';
comment on column kith.users.phone_verified_at is 'When a code sent to the number came back. Null for what the tenant''s server only said.';
comment on column kith.users.email_verified_at is 'The same of the e-mail address.';
comment on column kith.users.pending_phone is 'The number that the user wants to have; it counts once a code sent to it came back.';
comment on column kith.users.pending_email is 'The same for an e-mail address.';
comment on column kith.users.email_normalized is
  'For look-ups, with ASCII letters in lower case: lower() itself is not leakproof, so under a policy it would never be an index condition.';

create table kith.sender_profiles (
  tenant_id integer not null,
  user_id uuid not null,
  time_zone text not null,
  ping_time time(0) not null,
  grace_minutes integer not null constraint sender_profiles_grace_in_bounds check (grace_minutes >= 5 and grace_minutes < 720),
  reminder_minutes integer not null,
  timed_at timestamptz not null,
  last_check_in_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Generation and every answer about a connection read the profile anyway, so the dates are copied here.
  break_from_on date,
  break_until_on date,
  constraint sender_profiles_pkey primary key (tenant_id, user_id),
  constraint sender_profiles_user foreign key (tenant_id, user_id) references kith.users,
  constraint sender_profiles_reminder_is_before_deadline check (reminder_minutes > 0 and reminder_minutes < grace_minutes),
  constraint sender_profiles_break_is_whole check ((break_from_on is null) = (break_until_on is null))
) with (fillfactor = 80);
create index sender_profiles_by_zone on kith.sender_profiles (tenant_id, time_zone, user_id)
  include (ping_time, grace_minutes, reminder_minutes, break_from_on, break_until_on);
comment on table kith.sender_profiles is 'Who says "I''m safe", and when: the ping time is local to time_zone.';
comment on column kith.sender_profiles.ping_time is 'Local time of day; a time in a DST gap moves to the gap''s end, in an overlap it is the first of the two (X25).';
comment on column kith.sender_profiles.timed_at is 'When zone, ping time or grace last changed, or a break of that day was taken back: a day whose deadline was already past then has no ping, for that reason.';
comment on column kith.sender_profiles.last_check_in_at is 'The newest received_at of the sender''s check-ins: receivers may see when, but not the check-in itself with its note.';
comment on column kith.sender_profiles.break_from_on is 'The dates of the sender''s newest break that has a day, also when it is over: a run that comes late must know.';

create table kith.receiver_profiles (
  tenant_id integer not null,
  user_id uuid not null,
  subscription_status text not null default 'trial'
    constraint receiver_profiles_subscription_is_known check (subscription_status in ('trial', 'active', 'past_due', 'canceled', 'expired')),
  subscription_expires_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  good_until timestamptz generated always as (
    case
      when subscription_status = 'expired' or (subscription_status = 'canceled' and subscription_expires_at is null)
        then least(subscription_expires_at, updated_at)
      else subscription_expires_at
    end
  ) stored,
  pings_stop_at timestamptz,
  pings_stopped_at timestamptz,
  constraint receiver_profiles_pkey primary key (tenant_id, user_id),
  constraint receiver_profiles_user foreign key (tenant_id, user_id) references kith.users,
  constraint receiver_profiles_are_told_before_pings_stop check (pings_stopped_at is null or pings_stop_at is not null)
);
create index receiver_profiles_to_lapse on kith.receiver_profiles (tenant_id, good_until)
  where good_until is not null and pings_stop_at is null;
create index receiver_profiles_to_stop on kith.receiver_profiles (pings_stop_at)
  where pings_stop_at is not null and pings_stopped_at is null;
create index receiver_profiles_lapsed on kith.receiver_profiles (tenant_id) where pings_stop_at is not null;
comment on table kith.receiver_profiles is 'Who is told, and whether their subscription is in good standing (P09).';
comment on column kith.receiver_profiles.good_until is 'Until when the subscription is in good standing (P09); null: without end. Trial, active, past_due, and canceled until they end; expired, and canceled without an end, until that was said.';
comment on column kith.receiver_profiles.pings_stop_at is 'When pings to this receiver stop, as they and their senders were told when the subscription lapsed; null while it has not (X28).';
comment on column kith.receiver_profiles.pings_stopped_at is 'When the worker stopped them.';
