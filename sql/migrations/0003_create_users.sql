-- Users, and the profiles that make a user a sender or a receiver.

create table kith.users (
  tenant_id integer not null references kith.tenants,
  id uuid not null,
  external_id text constraint users_external_id_is_short check (char_length(external_id) between 1 and 200),
  display_name text constraint users_name_is_short check (char_length(display_name) between 1 and 100),
  phone text constraint users_phone_is_e164 check (phone ~ '^\+[1-9][0-9]{6,14}$'),
  email text constraint users_email_is_an_address check (email ~ '^[^@[:space:]]+@[^@[:space:]]+$' and char_length(email) <= 254),
  time_zone text not null default 'UTC',
  has_chosen_zone boolean not null default false,
  locale text not null default 'en' constraint users_locale_is_a_tag check (locale ~ '^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$'),
  tokens_valid_from kith.instant not null,
  created_at kith.instant not null,
  updated_at kith.instant not null,
  deleted_at kith.instant,
  phone_verified_at kith.instant,
  email_verified_at kith.instant,
  pending_phone text constraint users_pending_phone_is_e164 check (pending_phone ~ '^\+[1-9][0-9]{6,14}$'),
  pending_email text
    constraint users_pending_email_is_an_address check (pending_email ~ '^[^@[:space:]]+@[^@[:space:]]+$' and char_length(pending_email) <= 254),
  -- With the collation "C", only ASCII letters are folded, as in `internal.normalized_email`. Unicode's lower case turns U+0130 into i and
  -- U+212A into k, so an address at another domain would count as the address that it resembles.
  email_normalized text generated always as (lower(email collate "C")) stored,
  constraint users_pkey primary key (tenant_id, id),
  constraint users_external_id_is_unique unique (tenant_id, external_id),
  constraint users_verify_what_they_have check (
    (phone is not null or phone_verified_at is null) and (email is not null or email_verified_at is null)
  ),
  constraint users_texts_are_short check (char_length(time_zone) <= 64 and char_length(locale) <= 100)
);
create unique index users_verified_phone_is_unique on kith.users (tenant_id, phone)
  where phone_verified_at is not null and deleted_at is null;
create index users_of_phone on kith.users (tenant_id, phone, created_at) where phone is not null and deleted_at is null;
create unique index users_verified_email_is_unique on kith.users (tenant_id, email_normalized)
  where email_verified_at is not null and deleted_at is null;
create index users_of_email on kith.users (tenant_id, email_normalized, created_at) where email is not null and deleted_at is null;
comment on table kith.users is
  'A person within one tenant. A user can be a sender, a receiver, a vault owner and a nominee at the same time.';
comment on column kith.users.has_chosen_zone is
  'Whether somebody has said that time_zone is theirs. Without it, UTC is the default of an account, and not where its user lives (I07).';
comment on column kith.users.external_id is
  'The tenant''s own name for the user. It is the `sub` of tokens that the tenant''s identity provider signs.';
comment on column kith.users.tokens_valid_from is
  'Access tokens issued before this instant are void. Signing out everywhere moves it forward.';
comment on column kith.users.phone_verified_at is
  'When a code sent to the number was entered. Null if only the tenant''s server gave the number.';
comment on column kith.users.email_verified_at is
  'When a code sent to the e-mail address was entered. Null if only the tenant''s server gave the address.';
comment on column kith.users.pending_phone is
  'The number to which the user wants to change. It becomes their phone when a code sent to it is entered.';
comment on column kith.users.pending_email is
  'The e-mail address to which the user wants to change. It becomes their e-mail address when a code sent to it is entered.';
comment on column kith.users.email_normalized is
  'The e-mail address with ASCII letters in lower case, for look-ups. lower() is not leakproof, so under a policy it would never be an index condition.';

create domain kith.reminders as jsonb constraint reminders_are_few
  check (jsonb_typeof(value) = 'array' and jsonb_array_length(value) between 1 and 4);
comment on domain kith.reminders is 'The reminders of a sender, in the order of their minutes before the deadline (J06).';

create table kith.sender_profiles (
  tenant_id integer not null,
  user_id uuid not null,
  time_zone text not null,
  ping_time kith.time_of_day not null,
  grace_minutes integer not null constraint sender_profiles_grace_in_bounds check (grace_minutes >= 5 and grace_minutes < 720),
  reminder_minutes integer not null,
  timed_at kith.instant not null,
  last_check_in_at kith.instant,
  created_at kith.instant not null,
  updated_at kith.instant not null,
  -- The dates of the newest break are copied here, because generation and every answer about a connection read the profile anyway.
  break_from_on kith.calendar_date,
  break_until_on kith.calendar_date,
  last_note kith.note,
  share_phone boolean not null default false,
  has_own_time_zone boolean not null default false,
  ended_at kith.instant,
  emergency_since kith.instant,
  last_source kith.check_in_source,
  reminders kith.reminders,
  first_reminder_minutes integer,
  unaskable_since kith.instant,
  constraint sender_profiles_pkey primary key (tenant_id, user_id),
  constraint sender_profiles_user foreign key (tenant_id, user_id) references kith.users,
  constraint sender_profiles_reminder_is_before_deadline check (reminder_minutes > 0 and reminder_minutes < grace_minutes),
  constraint sender_profiles_reminders_agree check (
    (reminders -> 0 -> 'before_minutes')::integer is not distinct from first_reminder_minutes
    and coalesce((reminders -> -1 -> 'before_minutes')::integer = reminder_minutes, true)
    and coalesce(first_reminder_minutes < grace_minutes, true)
  ),
  constraint sender_profiles_break_is_whole check ((break_from_on is null) = (break_until_on is null)),
  constraint sender_profiles_texts_are_short check (char_length(time_zone) <= 64)
) with (fillfactor = 80);
create index sender_profiles_by_zone on kith.sender_profiles (tenant_id, time_zone, user_id)
  include (ping_time, grace_minutes, reminder_minutes, first_reminder_minutes, break_from_on, break_until_on);
create index sender_profiles_unaskable on kith.sender_profiles (tenant_id, user_id) where unaskable_since is not null;
comment on table kith.sender_profiles is 'A user who says "I''m safe" once a day, and when. The ping time is local to time_zone.';
comment on column kith.sender_profiles.ping_time is
  'The local time of day at which pings become due. In a gap of daylight saving time it moves to the end of the gap; in an overlap it is the first of the two instants (X25).';
comment on column kith.sender_profiles.emergency_since is
  'Since when a request for emergency access to a vault of the sender may be open. Null if none is, so that a check-in need not look.';
comment on column kith.sender_profiles.timed_at is
  'When the zone, the ping time or the grace last changed, or a break of that day was cancelled. A day whose deadline had passed by then has no ping.';
comment on column kith.sender_profiles.last_check_in_at is
  'The newest received_at of the sender''s check-ins. It is here because receivers may see this instant, but not the check-in with its note.';
comment on column kith.sender_profiles.break_from_on is
  'The first date of the sender''s newest break that has at least one day. It stays after the break, because a late run must know it.';
comment on column kith.sender_profiles.break_until_on is 'The last date of the same break.';
comment on column kith.sender_profiles.last_note is
  'The note of the newest check-in, if the sender shares it with their receivers (P40); null otherwise.';
comment on column kith.sender_profiles.last_source is 'How the newest check-in came (J05). Null before the first one.';
comment on column kith.sender_profiles.has_own_time_zone is
  'Whether the sender chose a zone for pings other than the account''s. Otherwise time_zone follows the account''s zone.';
comment on column kith.sender_profiles.ended_at is
  'When the user stopped being a sender (P39); null while they are one. Then no connection of theirs as a sender is live.';
comment on column kith.sender_profiles.reminders is
  'The sender''s own reminders (J06), the earliest first: [{before_minutes, channels?}], at most 4. The last one has reminder_minutes. Null if there is only that one, on the channels of ping_reminder.';
comment on column kith.sender_profiles.first_reminder_minutes is
  'The minutes of the earliest of reminders, which generation reads from the index. Null if reminders is.';
comment on column kith.sender_profiles.unaskable_since is
  'Since when it is known that no message can ask the sender for a check-in, of which their receivers were told (X37). Null while they can be asked.';
comment on column kith.sender_profiles.share_phone is
  'Whether receivers see the sender''s phone number beside a missed ping.';

create table kith.receiver_profiles (
  tenant_id integer not null,
  user_id uuid not null,
  subscription_status text not null default 'trial'
    constraint receiver_profiles_subscription_is_known check (subscription_status in ('trial', 'active', 'past_due', 'canceled', 'expired')),
  subscription_expires_at kith.instant,
  created_at kith.instant not null,
  updated_at kith.instant not null,
  good_until kith.instant generated always as (
    case
      when subscription_status = 'expired' or (subscription_status = 'canceled' and subscription_expires_at is null)
        then least(subscription_expires_at, updated_at)
      else subscription_expires_at
    end
  ) stored,
  pings_stop_at kith.instant,
  pings_stopped_at kith.instant,
  ended_at kith.instant,
  constraint receiver_profiles_pkey primary key (tenant_id, user_id),
  constraint receiver_profiles_user foreign key (tenant_id, user_id) references kith.users,
  constraint receiver_profiles_are_told_before_pings_stop check (pings_stopped_at is null or pings_stop_at is not null)
);
create index receiver_profiles_to_lapse on kith.receiver_profiles (tenant_id, good_until)
  where good_until is not null and pings_stop_at is null;
create index receiver_profiles_to_stop on kith.receiver_profiles (pings_stop_at)
  where pings_stop_at is not null and pings_stopped_at is null;
create index receiver_profiles_lapsed on kith.receiver_profiles (tenant_id) where pings_stop_at is not null;
comment on table kith.receiver_profiles is
  'A user who is told whether senders are safe, and whether their subscription is in good standing (P09).';
comment on column kith.receiver_profiles.good_until is
  'When the subscription''s good standing ends (P09); null if it does not end. It is subscription_expires_at, with two exceptions. For expired it is the earlier of subscription_expires_at and updated_at. For canceled without an end it is updated_at.';
comment on column kith.receiver_profiles.pings_stop_at is
  'When pings to this receiver stop. The receiver and their senders were told this instant when the subscription lapsed. Null if it has not lapsed (X28).';
comment on column kith.receiver_profiles.ended_at is
  'When the user stopped being a receiver (P39); null while they are one. The row stays, so that nobody begins a new trial this way.';
comment on column kith.receiver_profiles.pings_stopped_at is 'When the worker stopped the pings.';

create table kith.feedback (
  tenant_id integer not null,
  id uuid not null,
  user_id uuid not null,
  topic text not null constraint feedback_topic_is_known check (topic in ('invitation', 'share', 'app')),
  rating integer not null constraint feedback_rating_in_bounds check (rating between 1 and 5),
  text text constraint feedback_text_is_short check (char_length(text) between 1 and 2000),
  created_at kith.instant not null,
  constraint feedback_pkey primary key (tenant_id, id),
  constraint feedback_user foreign key (tenant_id, user_id) references kith.users (tenant_id, id)
);
create index feedback_of_user on kith.feedback (tenant_id, user_id, id);
comment on table kith.feedback is
  'What users think of an invitation, a share or the app (A10), for the tenant and the operator. Deleted with the account, and after the tenant''s retention.';
comment on column kith.feedback.rating is 'From 1, bad, to 5, good.';
