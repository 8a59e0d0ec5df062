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
  constraint sender_profiles_pkey primary key (tenant_id, user_id),
  constraint sender_profiles_user foreign key (tenant_id, user_id) references kith.users,
  constraint sender_profiles_reminder_is_before_deadline check (reminder_minutes > 0 and reminder_minutes < grace_minutes)
) with (fillfactor = 80);
create index sender_profiles_by_zone on kith.sender_profiles (tenant_id, time_zone, user_id)
  include (ping_time, grace_minutes, reminder_minutes);
comment on table kith.sender_profiles is 'Who says "I''m safe", and when: the ping time is local to time_zone.';
comment on column kith.sender_profiles.ping_time is 'Local time of day; a time in a DST gap moves to the gap''s end, in an overlap it is the first of the two (X25).';
comment on column kith.sender_profiles.timed_at is 'When zone, ping time or grace last changed: a day whose new deadline was already past then has no ping, for that reason.';

create table kith.receiver_profiles (
  tenant_id integer not null,
  user_id uuid not null,
  subscription_status text not null default 'trial'
    constraint receiver_profiles_subscription_is_known check (subscription_status in ('trial', 'active', 'past_due', 'canceled', 'expired')),
  subscription_expires_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint receiver_profiles_pkey primary key (tenant_id, user_id),
  constraint receiver_profiles_user foreign key (tenant_id, user_id) references kith.users
);
comment on column kith.sender_profiles.last_check_in_at is 'The newest received_at of the sender''s check-ins: receivers may see when, but not the check-in itself with its note.';

comment on table kith.receiver_profiles is 'Who is told, and whether their subscription is in good standing (P09).';

create table kith.unique_codes (
  tenant_id integer not null,
  code text not null constraint unique_codes_code_is_six_digits check (code ~ '^[0-9]{6}$'),
  user_id uuid not null,
  role text not null constraint unique_codes_role_is_known check (role in ('sender', 'receiver')),
  permanent boolean not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  rotated_at timestamptz,
  constraint unique_codes_pkey primary key (tenant_id, code),
  constraint unique_codes_user foreign key (tenant_id, user_id) references kith.users,
  constraint unique_codes_permanent_never_expires check (not permanent or expires_at is null)
);
create unique index unique_codes_one_permanent_code on kith.unique_codes (tenant_id, user_id, role) where permanent and rotated_at is null;
create index unique_codes_of_user on kith.unique_codes (tenant_id, user_id);
comment on table kith.unique_codes is 'Six-digit codes, each owned by a user in one role (P19). A rotated or expired code answers expired_code for 90 days and is then free.';

create table kith.code_attempts (
  tenant_id integer not null,
  id uuid not null,
  user_id uuid not null,
  attempted_at timestamptz not null,
  outcome text not null constraint code_attempts_outcome_is_known check (outcome in ('found', 'missed', 'blocked')),
  constraint code_attempts_pkey primary key (tenant_id, id),
  constraint code_attempts_user foreign key (tenant_id, user_id) references kith.users
);
create index code_attempts_of_user on kith.code_attempts (tenant_id, user_id, attempted_at) include (outcome);
create index code_attempts_missed on kith.code_attempts (tenant_id, attempted_at) where outcome <> 'found';
comment on table kith.code_attempts is 'Every well-formed code that a user tried: guessing is limited here, so that the limit holds across servers (A08).';
comment on column kith.code_attempts.outcome is 'blocked: refused by the limit, which counts as a miss.';

create table kith.connections (
  tenant_id integer not null,
  id uuid not null,
  sender_id uuid not null,
  receiver_id uuid not null,
  status text not null constraint connections_status_is_known check (status in ('pending', 'active', 'paused', 'deleted')),
  code_owner_id uuid not null,
  activated_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  deleted_by text,
  constraint connections_pkey primary key (tenant_id, id),
  constraint connections_once_per_pair unique (tenant_id, sender_id, receiver_id),
  constraint connections_sender foreign key (tenant_id, sender_id) references kith.users (tenant_id, id),
  constraint connections_receiver foreign key (tenant_id, receiver_id) references kith.users (tenant_id, id),
  constraint connections_sender_is_not_receiver check (sender_id <> receiver_id),
  constraint connections_code_owner_is_a_side check (code_owner_id in (sender_id, receiver_id)),
  constraint connections_deleted_says_when check ((status = 'deleted') = (deleted_at is not null))
);
create index connections_of_receiver on kith.connections (tenant_id, receiver_id, sender_id);
create index connections_to_ping on kith.connections (tenant_id, sender_id) include (id, receiver_id) where status in ('active', 'pending');
comment on table kith.connections is 'One sender and one receiver. Removing is soft; connecting again revives the same row (P24, P26).';
comment on column kith.connections.code_owner_id is 'Whose code was redeemed last: they are told of it, and where consent is required they give it.';
comment on column kith.connections.activated_at is 'When pings last began (connect, resume, reactivate): a day whose deadline was already past then has no ping, for that reason (P13).';
comment on column kith.connections.deleted_by is 'user:<id>, or operator:<login role>.';
