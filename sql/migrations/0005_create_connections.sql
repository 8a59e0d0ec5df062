-- Connections, and what leads to them: codes and invitations. Blocks prevent them.

create table kith.unique_codes (
  tenant_id integer not null,
  code text not null constraint unique_codes_code_is_six_digits check (code ~ '^[0-9]{6}$'),
  user_id uuid not null,
  role text not null constraint unique_codes_role_is_known check (role in ('sender', 'receiver')),
  permanent boolean not null,
  created_at kith.instant not null,
  expires_at kith.instant,
  rotated_at kith.instant,
  constraint unique_codes_pkey primary key (tenant_id, code),
  constraint unique_codes_user foreign key (tenant_id, user_id) references kith.users,
  constraint unique_codes_permanent_never_expires check (not permanent or expires_at is null)
);
create unique index unique_codes_one_permanent_code on kith.unique_codes (tenant_id, user_id, role) where permanent and rotated_at is null;
create index unique_codes_of_user on kith.unique_codes (tenant_id, user_id);
comment on table kith.unique_codes is
  'Six-digit codes, each owned by a user in one role (P19). A rotated or expired code answers expired_code for 90 days. Then it is free again.';

create table kith.code_attempts (
  tenant_id integer not null,
  id uuid not null,
  user_id uuid not null,
  attempted_at kith.instant not null,
  outcome text not null constraint code_attempts_outcome_is_known check (outcome in ('found', 'missed', 'blocked')),
  constraint code_attempts_pkey primary key (tenant_id, id),
  constraint code_attempts_user foreign key (tenant_id, user_id) references kith.users
);
create index code_attempts_of_user on kith.code_attempts (tenant_id, user_id, attempted_at) include (outcome);
create index code_attempts_missed on kith.code_attempts (tenant_id, attempted_at) where outcome = 'missed';
create index code_attempts_by_age on kith.code_attempts (attempted_at);
comment on table kith.code_attempts is
  'Every well-formed code that a user tried. Guessing is limited here, so that the limit holds across servers (A08).';
comment on column kith.code_attempts.outcome is
  'found, missed or blocked. blocked means that the limit refused the attempt. It counts as a miss for the user, but not towards the tenant''s ceiling.';

create table kith.blocks (
  tenant_id integer not null,
  user_id uuid not null,
  blocked_id uuid not null,
  created_at kith.instant not null,
  constraint blocks_pkey primary key (tenant_id, user_id, blocked_id),
  constraint blocks_user foreign key (tenant_id, user_id) references kith.users (tenant_id, id),
  constraint blocks_blocked foreign key (tenant_id, blocked_id) references kith.users (tenant_id, id),
  constraint blocks_nobody_blocks_themselves check (user_id <> blocked_id)
);
create index blocks_of_blocked on kith.blocks (tenant_id, blocked_id);
comment on table kith.blocks is
  'Users who want nothing to do with another user (X22). If the blocked user tries one of their codes, that counts as a miss.';

create table kith.connections (
  tenant_id integer not null,
  id uuid not null,
  sender_id uuid not null,
  receiver_id uuid not null,
  status text not null constraint connections_status_is_known check (status in ('pending', 'active', 'paused', 'deleted')),
  code_owner_id uuid not null,
  activated_at kith.instant not null,
  created_at kith.instant not null,
  updated_at kith.instant not null,
  deleted_at kith.instant,
  deleted_by text,
  pings_stopped_at kith.instant,
  tells_resumed boolean not null default false,
  resting_status text constraint connections_resting_status_is_known check (resting_status in ('pending', 'active', 'paused')),
  alias_by_sender text constraint connections_alias_by_sender_is_short check (char_length(alias_by_sender) between 1 and 100),
  alias_by_receiver text constraint connections_alias_by_receiver_is_short check (char_length(alias_by_receiver) between 1 and 100),
  activity_shared_since kith.instant,
  may_ask boolean not null default true,
  always_care_card boolean not null default false,
  missed_on kith.calendar_date,
  tested_at kith.instant,
  test_answered_at kith.instant,
  test_reached boolean,
  constraint connections_pkey primary key (tenant_id, id),
  constraint connections_once_per_pair unique (tenant_id, sender_id, receiver_id),
  constraint connections_sender foreign key (tenant_id, sender_id) references kith.users (tenant_id, id),
  constraint connections_receiver foreign key (tenant_id, receiver_id) references kith.users (tenant_id, id),
  constraint connections_sender_is_not_receiver check (sender_id <> receiver_id),
  constraint connections_code_owner_is_a_side check (code_owner_id in (sender_id, receiver_id)),
  constraint connections_deleted_says_when check ((status = 'deleted') = (deleted_at is not null)),
  constraint connections_only_removed_ones_rest check (resting_status is null or status = 'deleted'),
  constraint connections_texts_are_short check (char_length(deleted_by) <= 300)
-- Leaves room for missed_on, so that a miss writes no index.
) with (fillfactor = 90);
create index connections_of_receiver on kith.connections (tenant_id, receiver_id, sender_id);
create index connections_to_ping on kith.connections (tenant_id, sender_id) include (id, receiver_id)
  where status in ('active', 'pending') and pings_stopped_at is null;
create index connections_awaiting_consent on kith.connections (tenant_id, code_owner_id, id) where status = 'pending';
comment on table kith.connections is
  'One sender and one receiver. A connection is deleted softly, and connecting again revives the same row (P24, P26).';
comment on column kith.connections.code_owner_id is
  'The user whose code was redeemed last. They are told of the connection, and consent to it where consent is required.';
comment on column kith.connections.activated_at is
  'When pings last began: by connecting, resuming, reactivating or renewing. A day whose deadline had passed by then has no ping (P13).';
comment on column kith.connections.activity_shared_since is
  'Since when the receiver sees the last activity that the sender''s things reported (J04); null if they do not. The sender decides. What '
  'happened before is not shown.';
comment on column kith.connections.may_ask is 'Whether the receiver may ask "Are you OK?" (K06). The sender decides.';
comment on column kith.connections.always_care_card is
  'Whether the receiver sees the sender''s care card and place without an alarm too (K07). The sender decides.';
comment on column kith.connections.missed_on is
  'The date of the newest missed ping of which the receiver was told; null before the first one. It outlasts pauses, breaks and removals (X38). Whether the miss is answered follows from the ping and from sender_profiles.last_check_in_at, so that a check-in writes nothing here.';
comment on column kith.connections.tested_at is 'When the sender last sent the receiver a test message (I07).';
comment on column kith.connections.test_answered_at is 'When the receiver said whether that test message reached them; null until they do.';
comment on column kith.connections.test_reached is 'What the receiver said of that test message: whether it reached them.';
comment on column kith.connections.deleted_by is 'user:<id>, or operator:<login role>.';
comment on column kith.connections.pings_stopped_at is
  'When pings on this connection stopped because the receiver''s subscription lapsed, whatever the status (X28). It is here so that generation does not need to read the receiver.';
comment on column kith.connections.tells_resumed is
  'The sender has resumed the connection while no pings flow: on a break, or without the receiver''s subscription. The receiver is told when pings flow again (X35).';
comment on column kith.connections.resting_status is
  'The status before the end of a profile removed the connection (P39). The profile''s owner brings the connection back with the profile.';
comment on column kith.connections.alias_by_sender is
  'What the sender calls the receiver (P37). Only the sender sees it. It stays when the connection is removed, and ends with either account.';
comment on column kith.connections.alias_by_receiver is 'What the receiver calls the sender. Only the receiver sees it.';

create table kith.connection_invitations (
  tenant_id integer not null,
  id uuid not null,
  user_id uuid not null,
  message text not null,
  code text not null,
  url text not null,
  recipients integer not null,
  created_at kith.instant not null,
  constraint connection_invitations_pkey primary key (tenant_id, id),
  constraint connection_invitations_user foreign key (tenant_id, user_id) references kith.users,
  constraint connection_invitations_recipients_in_bounds check (recipients between 1 and 1000),
  constraint connection_invitations_texts_are_short check (
    char_length(message) <= 2000 and char_length(code) <= 20 and char_length(url) <= 1000
  )
);
create index connection_invitations_of_user on kith.connection_invitations (tenant_id, user_id, id);
create index connection_invitations_by_age on kith.connection_invitations (created_at);
comment on table kith.connection_invitations is
  'A sender''s invitation of up to 1,000 people with the same text (P15). Kept for 90 days, because the numbers belong to other people.';
comment on column kith.connection_invitations.message is
  'The text at the time of the invitation. The name, brand, code and link may have changed since (P16).';
comment on column kith.connection_invitations.code is 'The sender''s permanent code at that time.';
comment on column kith.connection_invitations.url is 'The tenant''s join link with the code.';
comment on column kith.connection_invitations.recipients is
  'How many people were invited, including those with unusable numbers. It counts towards the daily limit.';

create table kith.connection_invitation_recipients (
  tenant_id integer not null,
  invitation_id uuid not null,
  n integer not null constraint connection_invitation_recipients_n_in_bounds check (n between 1 and 1000),
  user_id uuid not null,
  name text constraint connection_invitation_recipients_name_is_short check (char_length(name) between 1 and 100),
  given_phone text not null constraint connection_invitation_recipients_given_phone_is_short check (char_length(given_phone) <= 100),
  phone text constraint connection_invitation_recipients_phone_is_e164 check (phone ~ '^\+[1-9][0-9]{6,14}$'),
  problem text,
  status text not null constraint connection_invitation_recipients_status_is_known
    check (status in ('pending', 'queued', 'sent', 'cancelled', 'failed', 'unavailable', 'invalid', 'duplicate')),
  updated_at kith.instant not null,
  delivery_id uuid,
  connection_id uuid,
  constraint connection_invitation_recipients_pkey primary key (tenant_id, invitation_id, n),
  constraint connection_invitation_recipients_invitation foreign key (tenant_id, invitation_id) references kith.connection_invitations
    on delete cascade,
  constraint connection_invitation_recipients_invalid_says_why check ((status = 'invalid') = (problem is not null)),
  constraint connection_invitation_recipients_phone_or_problem check ((phone is null) = (problem is not null)),
  constraint connection_invitation_recipients_texts_are_short check (char_length(problem) <= 500)
);
create index connection_invitation_recipients_of_delivery on kith.connection_invitation_recipients (tenant_id, delivery_id)
  where delivery_id is not null;
-- This finds the invitations that a person received: when they connect with their inviter, and when their account ends.
create index connection_invitation_recipients_of_phone on kith.connection_invitation_recipients (tenant_id, phone, user_id, invitation_id)
  where phone is not null;
comment on table kith.connection_invitation_recipients is
  'A person who was invited: the number as given and as used, and the result of the text (P17).';
comment on column kith.connection_invitation_recipients.n is 'The position in the sender''s list, from 1.';
comment on column kith.connection_invitation_recipients.user_id is
  'The sender, copied from the invitation, because policies compare only columns of the row.';
comment on column kith.connection_invitation_recipients.phone is 'The number in E.164; null if this recipient cannot be invited.';
comment on column kith.connection_invitation_recipients.problem is
  'The code for why this recipient cannot be invited, mostly because of the number. internal.recipient_problem_text puts it into words.';
comment on column kith.connection_invitation_recipients.status is
  'pending: nobody has sent the text yet. queued: Kith is sending it. sent, cancelled, failed, unavailable: as reported. invalid: the number or the name is unusable. duplicate: the number occurs earlier in the list.';
comment on column kith.connection_invitation_recipients.connection_id is
  'The connection that came of the invitation: the user who has verified the number redeemed a code of the inviter. Null until then.';
comment on column kith.connection_invitation_recipients.delivery_id is
  'The delivery with which Kith sends the text; null if the sender sends it.';
