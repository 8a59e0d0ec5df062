-- Vaults and their keys, nominees, sessions, transfers, messages and history.

create table kith.vaults (
  tenant_id integer not null,
  id uuid not null,
  owner_id uuid not null,
  name text not null constraint vaults_name_is_short check (char_length(name) between 1 and 200),
  require_confirmation boolean not null default false,
  full_may_open boolean not null default false,
  created_at kith.instant not null,
  updated_at kith.instant not null,
  deleted_at kith.instant,
  deleted_by text,
  external_id text constraint vaults_external_id_is_short check (char_length(external_id) between 1 and 255),
  transferred_at kith.instant,
  constraint vaults_pkey primary key (tenant_id, id),
  constraint vaults_owner foreign key (tenant_id, owner_id) references kith.users (tenant_id, id),
  constraint vaults_deleted_says_by_whom check ((deleted_at is null) = (deleted_by is null)),
  constraint vaults_texts_are_short check (char_length(deleted_by) <= 300)
);
create index vaults_of_owner on kith.vaults (tenant_id, owner_id, id);
create unique index vaults_external_id_is_unique on kith.vaults (tenant_id, external_id) where external_id is not null;
create index vaults_deleted on kith.vaults (deleted_at) where deleted_at is not null;
comment on table kith.vaults is
  'Documents of one owner, which nominees see while the vault is open. A deleted vault can be restored for 30 days (D01).';
comment on column kith.vaults.owner_id is
  'The owner. It is copied into every child row, because policies compare only columns of the row. A transfer updates the copies.';
comment on column kith.vaults.require_confirmation is
  'Whether the owner must confirm a person who accepts an invitation before they have any access (X30).';
comment on column kith.vaults.full_may_open is
  'Whether a nominee with level full may open the vault, instead of only joining an open session (V06).';
comment on column kith.vaults.external_id is
  'The tenant''s own name for a vault that it imported (A09), so that importing it again makes no second one. Null for all others.';
comment on column kith.vaults.transferred_at is
  'When the vault last got another owner; null if never. Imports read it, because the history is not kept for ever.';
comment on column kith.vaults.deleted_by is 'user:<id>, or operator:<login role>.';

create table kith.vault_keys (
  tenant_id integer not null,
  vault_id uuid not null,
  wrapped_key bytea not null,
  created_at kith.instant not null,
  constraint vault_keys_pkey primary key (tenant_id, vault_id),
  constraint vault_keys_vault foreign key (tenant_id, vault_id) references kith.vaults (tenant_id, id) on delete cascade
);
-- `internal.sealed_samples` reads the oldest and the newest key.
create index vault_keys_by_age on kith.vault_keys (created_at);
comment on table kith.vault_keys is 'The key that seals a vault''s documents. If the row is deleted, nobody can decrypt them again.';
comment on column kith.vault_keys.wrapped_key is 'The key, sealed with AES-256-GCM under the master key and bound to tenant and vault.';

create table kith.nominees (
  tenant_id integer not null,
  id uuid not null,
  vault_id uuid not null,
  owner_id uuid not null,
  user_id uuid,
  name text constraint nominees_name_is_short check (char_length(name) between 1 and 100),
  phone text constraint nominees_phone_is_e164 check (phone ~ '^\+[1-9][0-9]{6,14}$'),
  email text constraint nominees_email_is_an_address check (email ~ '^[^@[:space:]]+@[^@[:space:]]+$' and char_length(email) <= 254),
  status text not null constraint nominees_status_is_known check (status in ('pending', 'accepted', 'inactive', 'revoked')),
  access_level text not null constraint nominees_level_is_known check (access_level in ('view', 'edit', 'full')),
  needs_confirmation boolean not null default false,
  invited_at kith.instant not null,
  invited_by_user_id uuid,
  accepted_at kith.instant,
  last_active_at kith.instant,
  revoked_at kith.instant,
  revoke_reason text,
  share_record_id text constraint nominees_share_record_is_short check (char_length(share_record_id) between 1 and 255),
  share_participant_id text constraint nominees_share_participant_is_short check (char_length(share_participant_id) between 1 and 255),
  updated_at kith.instant not null,
  email_normalized text generated always as (lower(email collate "C")) stored,
  external_id text constraint nominees_external_id_is_short check (char_length(external_id) between 1 and 255),
  contact_named_by uuid,
  bound_at kith.instant,
  bound_by_link boolean not null default false,
  constraint nominees_pkey primary key (tenant_id, id),
  constraint nominees_vault foreign key (tenant_id, vault_id) references kith.vaults (tenant_id, id) on delete cascade,
  constraint nominees_user foreign key (tenant_id, user_id) references kith.users (tenant_id, id),
  constraint nominees_owner_is_no_nominee check (user_id <> owner_id or status = 'revoked'),
  constraint nominees_revoked_says_when check ((status = 'revoked') = (revoked_at is not null)),
  constraint nominees_confirmed_are_bound check (not needs_confirmation or user_id is not null and status = 'pending'),
  constraint nominees_texts_are_short check (char_length(revoke_reason) <= 100)
);
create unique index nominees_live_once_per_user on kith.nominees (tenant_id, vault_id, user_id) where status <> 'revoked' and user_id is not null;
create unique index nominees_external_id_is_unique on kith.nominees (tenant_id, external_id) where external_id is not null;
create index nominees_of_vault on kith.nominees (tenant_id, vault_id, id);
-- Each list of vaults counts the nominees by status.
create index nominees_by_status on kith.nominees (tenant_id, vault_id, status) where status <> 'revoked';
create index nominees_of_user on kith.nominees (tenant_id, user_id, vault_id) where user_id is not null;
create index nominees_of_owner on kith.nominees (tenant_id, owner_id);
create index nominees_to_confirm on kith.nominees (tenant_id, owner_id, id) where needs_confirmation;
create unique index nominees_live_once_per_participant on kith.nominees (tenant_id, vault_id, share_participant_id)
  where status <> 'revoked' and share_participant_id is not null;
-- The daily limit counts a user's invitations over all vaults.
create index nominees_of_inviter on kith.nominees (tenant_id, invited_by_user_id, id) where share_participant_id is null;
-- When an account ends, the next two find the nominees that name its person.
create index nominees_of_phone on kith.nominees (tenant_id, phone) where phone is not null;
create index nominees_of_email on kith.nominees (tenant_id, email_normalized) where email_normalized is not null;
-- For the invitations that wait for somebody who has verified the contact.
create index nominees_waiting_of_phone on kith.nominees (tenant_id, phone, id)
  where phone is not null and user_id is null and status <> 'revoked';
create index nominees_waiting_of_email on kith.nominees (tenant_id, email_normalized, id)
  where email_normalized is not null and user_id is null and status <> 'revoked';
comment on table kith.nominees is
  'A person whom an owner trusts with a vault. Revoking is final, and inviting the person again creates a new row (X07).';
comment on column kith.nominees.user_id is 'The user who accepted; null until then. A user is never matched by name, phone or e-mail.';
comment on column kith.nominees.name is 'The name that the owner gave; null after the account of that user ended.';
comment on column kith.nominees.status is
  'pending, accepted, inactive or revoked. active is never stored: it means accepted while the vault''s session is open (V08).';
comment on column kith.nominees.needs_confirmation is
  'Whether user_id has accepted but has no access yet, because the owner must confirm (X30).';
comment on column kith.nominees.external_id is 'The tenant''s own name for a nominee that it imported (A09). Null for all others.';
comment on column kith.nominees.contact_named_by is
  'Who wrote phone and email: the owner, or a nominee with level full. Null if a sharing service or the tenant''s server did. Only a contact that the owner named says who is meant.';
comment on column kith.nominees.bound_at is 'When user_id accepted an invitation; null for imported nominees and former owners.';
comment on column kith.nominees.bound_by_link is
  'Whether only the invitation''s link says who user_id is. A right to emergency access sleeps until the owner confirms them, or gives the right knowing who they are.';
comment on column kith.nominees.revoke_reason is 'removed, declined, left, transferred, share, account_deleted or support.';

create table kith.vault_sessions (
  tenant_id integer not null,
  id uuid not null,
  vault_id uuid not null,
  owner_id uuid not null,
  kind text not null constraint vault_sessions_kind_is_known check (kind in ('shared', 'emergency')),
  nominee_id uuid,
  request_id uuid,
  unlocked_by uuid not null,
  opened_at kith.instant not null,
  expires_at kith.instant not null,
  maximum_at kith.instant not null,
  last_activity_at kith.instant not null,
  inside uuid[] not null default '{}',
  locked_at kith.instant,
  locked_by uuid,
  lock_reason text constraint vault_sessions_lock_reason_is_known
    check (lock_reason in ('manual', 'expired', 'owner_revoked', 'transferred', 'vault_deleted', 'emergency_ended')),
  constraint vault_sessions_pkey primary key (tenant_id, id),
  constraint vault_sessions_vault foreign key (tenant_id, vault_id) references kith.vaults (tenant_id, id) on delete cascade,
  constraint vault_sessions_of_emergency_have_their_nominee check ((kind = 'emergency') = (nominee_id is not null) and (nominee_id is null) = (request_id is null)),
  constraint vault_sessions_end_by_their_maximum check (expires_at <= maximum_at),
  constraint vault_sessions_locked_says_why check ((locked_at is null) = (lock_reason is null))
);
create unique index vault_sessions_one_open_shared on kith.vault_sessions (tenant_id, vault_id) where kind = 'shared' and locked_at is null;
create unique index vault_sessions_one_open_emergency on kith.vault_sessions (tenant_id, nominee_id) where kind = 'emergency' and locked_at is null;
create index vault_sessions_open_emergencies on kith.vault_sessions (tenant_id, vault_id) where kind = 'emergency' and locked_at is null;
create index vault_sessions_of_vault on kith.vault_sessions (tenant_id, vault_id, id);
create index vault_sessions_expiring on kith.vault_sessions (expires_at) where locked_at is null;
comment on table kith.vault_sessions is
  'Openings of vaults. A vault has one open shared session at a time, and everyone who may enter joins it. A nominee with emergency access has a session of their own beside it.';
comment on column kith.vault_sessions.request_id is 'The request for emergency access that the session belongs to; null for a shared session.';
comment on column kith.vault_sessions.expires_at is
  'When the session ends for everyone, whether or not locked_at is set. It is 30 minutes after the last activity, but at most maximum_at.';
comment on column kith.vault_sessions.last_activity_at is
  'The time of the last activity, to the minute: it is written at most once a minute.';
comment on column kith.vault_sessions.inside is
  'The users who have opened or entered the vault in this session, in that order. At most the owner and 1,000 nominees.';
comment on column kith.vault_sessions.locked_by is 'The user who locked the session; null if it expired or an operator ended it.';

create table kith.nominee_invitations (
  tenant_id integer not null,
  id uuid not null,
  vault_id uuid not null,
  nominee_id uuid not null,
  owner_id uuid not null,
  token_hash bytea not null constraint nominee_invitations_hash_is_sha256 check (octet_length(token_hash) = 32),
  channel text not null constraint nominee_invitations_channel_is_known check (channel in ('messages', 'mail', 'share', 'link', 'airdrop', 'other')),
  created_at kith.instant not null,
  expires_at kith.instant not null,
  ended_at kith.instant,
  end_reason text constraint nominee_invitations_end_reason_is_known
    check (end_reason in ('accepted', 'declined', 'resent', 'revoked', 'vault_deleted')),
  outcome text constraint nominee_invitations_outcome_is_known check (outcome in ('sent', 'cancelled', 'failed', 'unavailable')),
  outcome_at kith.instant,
  constraint nominee_invitations_pkey primary key (tenant_id, id),
  constraint nominee_invitations_nominee foreign key (tenant_id, nominee_id) references kith.nominees (tenant_id, id) on delete cascade,
  constraint nominee_invitations_ended_says_why check ((ended_at is null) = (end_reason is null))
);
create index nominee_invitations_by_hash on kith.nominee_invitations (token_hash);
create unique index nominee_invitations_one_live on kith.nominee_invitations (tenant_id, nominee_id) where ended_at is null;
create index nominee_invitations_of_nominee on kith.nominee_invitations (tenant_id, nominee_id, id);
create index nominee_invitations_of_owner on kith.nominee_invitations (tenant_id, owner_id, id);
-- `worker.sweep_vault_invitations` deletes invitations 90 days after their end.
-- Not coalesce(): it is not leakproof, so under a policy it would never be an index condition.
create index nominee_invitations_by_end on kith.nominee_invitations ((case when ended_at is null then expires_at else ended_at end));
comment on table kith.nominee_invitations is
  'A token with which a nominee can accept once. Only the SHA-256 of the token is stored, which is safe because it has 122 random bits (N06).';
comment on column kith.nominee_invitations.channel is 'How the owner meant to send the invitation. Used only for statistics (C06).';
comment on column kith.nominee_invitations.outcome is 'The result of the phone''s message composer, as the app reported it (N17).';

create table kith.transfers (
  tenant_id integer not null,
  id uuid not null,
  vault_id uuid not null,
  owner_id uuid not null,
  name text constraint transfers_name_is_short check (char_length(name) between 1 and 100),
  phone text constraint transfers_phone_is_e164 check (phone ~ '^\+[1-9][0-9]{6,14}$'),
  email text constraint transfers_email_is_an_address check (email ~ '^[^@[:space:]]+@[^@[:space:]]+$' and char_length(email) <= 254),
  nominee_id uuid,
  keep_access boolean not null,
  status text not null constraint transfers_status_is_known
    check (status in ('pending', 'accepted', 'declined', 'cancelled', 'expired', 'vault_deleted')),
  created_at kith.instant not null,
  expires_at kith.instant not null,
  ended_at kith.instant,
  accepted_by uuid,
  email_normalized text generated always as (lower(email collate "C")) stored,
  constraint transfers_pkey primary key (tenant_id, id),
  constraint transfers_vault foreign key (tenant_id, vault_id) references kith.vaults (tenant_id, id) on delete cascade,
  constraint transfers_name_a_nominee_or_a_contact check (nominee_id is null or coalesce(name, phone, email) is null),
  constraint transfers_ended_says_when check ((status = 'pending') = (ended_at is null)),
  constraint transfers_accepted_says_by_whom check ((status = 'accepted') = (accepted_by is not null))
);
create unique index transfers_one_pending on kith.transfers (tenant_id, vault_id) where status = 'pending';
create index transfers_of_owner on kith.transfers (tenant_id, owner_id);
-- `worker.sweep_vault_invitations` deletes transfers 90 days after their end.
-- Not coalesce(): it is not leakproof, so under a policy it would never be an index condition.
create index transfers_by_end on kith.transfers ((case when ended_at is null then expires_at else ended_at end));
-- When an account ends, the next three find the transfers that name its person.
create index transfers_of_phone on kith.transfers (tenant_id, phone) where phone is not null;
create index transfers_of_recipient on kith.transfers (tenant_id, accepted_by) where accepted_by is not null;
create index transfers_of_email on kith.transfers (tenant_id, email_normalized) where email_normalized is not null;
-- For the offers that wait for somebody who has verified the contact.
create index transfers_waiting_of_phone on kith.transfers (tenant_id, phone, id) where phone is not null and status = 'pending';
create index transfers_waiting_of_email on kith.transfers (tenant_id, email_normalized, id)
  where email_normalized is not null and status = 'pending';
comment on table kith.transfers is 'The offer of a vault to a person, by a token like an invitation (C07).';
comment on column kith.transfers.owner_id is 'The user who offered the vault: its owner at that time.';
comment on column kith.transfers.name is 'The name that the owner gave; null after an account that it may name ended.';
comment on column kith.transfers.nominee_id is
  'The nominee to whom the vault is offered, if the owner chose one: only the nominee''s user can accept. The name is then the nominee''s.';
comment on column kith.transfers.keep_access is 'Whether the previous owner becomes a nominee with level full.';
comment on column kith.transfers.status is
  'pending, accepted, declined, cancelled, expired or vault_deleted. A pending transfer after its expires_at cannot be accepted. It becomes expired with the next offer.';

create table kith.transfer_invitations (
  tenant_id integer not null,
  id uuid not null,
  transfer_id uuid not null,
  owner_id uuid not null,
  token_hash bytea not null constraint transfer_invitations_hash_is_sha256 check (octet_length(token_hash) = 32),
  channel text not null constraint transfer_invitations_channel_is_known
    check (channel in ('messages', 'mail', 'share', 'link', 'airdrop', 'other')),
  created_at kith.instant not null,
  replaced_at kith.instant,
  outcome text constraint transfer_invitations_outcome_is_known check (outcome in ('sent', 'cancelled', 'failed', 'unavailable')),
  outcome_at kith.instant,
  constraint transfer_invitations_pkey primary key (tenant_id, id),
  constraint transfer_invitations_transfer foreign key (tenant_id, transfer_id) references kith.transfers (tenant_id, id) on delete cascade
);
create index transfer_invitations_by_hash on kith.transfer_invitations (token_hash);
create unique index transfer_invitations_one_live on kith.transfer_invitations (tenant_id, transfer_id) where replaced_at is null;
create index transfer_invitations_of_transfer on kith.transfer_invitations (tenant_id, transfer_id, id);
create index transfer_invitations_of_owner on kith.transfer_invitations (tenant_id, owner_id, id);
comment on table kith.transfer_invitations is
  'A token with which a transfer can be answered once (C08). Only its SHA-256 is stored. A transfer says when its token expires and what became of it.';
comment on column kith.transfer_invitations.owner_id is 'The user who offered the vault.';
comment on column kith.transfer_invitations.channel is 'How the owner meant to send the invitation. Used only for statistics (C06).';
comment on column kith.transfer_invitations.replaced_at is 'When the invitation was sent again with another token, which made this one void.';
comment on column kith.transfer_invitations.outcome is 'The result of the phone''s message composer, as the app reported it (N17).';

create table kith.drafts (
  tenant_id integer not null,
  user_id uuid not null,
  vault_id uuid not null,
  created_at kith.instant not null,
  expires_at kith.instant not null,
  constraint drafts_pkey primary key (tenant_id, user_id),
  constraint drafts_user foreign key (tenant_id, user_id) references kith.users (tenant_id, id),
  constraint drafts_vault foreign key (tenant_id, vault_id) references kith.vaults (tenant_id, id) on delete cascade
);
create index drafts_by_end on kith.drafts (expires_at);
comment on table kith.drafts is
  'The vault to which a user is about to invite. An app writes the draft for its extension, which reads it once (N23).';

create table kith.messages (
  tenant_id integer not null,
  id uuid not null,
  vault_id uuid not null,
  nominee_id uuid not null,
  owner_id uuid not null,
  nominee_user_id uuid not null,
  from_id uuid not null,
  body text not null constraint messages_body_is_short check (char_length(body) between 1 and 4000),
  created_at kith.instant not null,
  read_at kith.instant,
  constraint messages_pkey primary key (tenant_id, id),
  constraint messages_nominee foreign key (tenant_id, nominee_id) references kith.nominees (tenant_id, id) on delete cascade,
  constraint messages_are_from_a_side check (from_id in (owner_id, nominee_user_id))
);
create index messages_of_nominee on kith.messages (tenant_id, nominee_id, id);
create index messages_unread on kith.messages (tenant_id, nominee_id, from_id) where read_at is null;
create index messages_of_sender on kith.messages (tenant_id, from_id, id);
comment on table kith.messages is 'What a vault''s owner and one nominee write to each other (V12).';
comment on column kith.messages.owner_id is
  'The owner who took part in the conversation. A transfer does not change it, because the new owner must not read the conversation.';

create table kith.conversations (
  tenant_id integer not null,
  nominee_id uuid not null,
  owner_id uuid not null,
  vault_id uuid not null,
  nominee_user_id uuid not null,
  last_message_id uuid not null,
  owner_unread integer not null default 0 constraint conversations_owner_unread_is_a_count check (owner_unread >= 0),
  nominee_unread integer not null default 0 constraint conversations_nominee_unread_is_a_count check (nominee_unread >= 0),
  owner_read_id uuid,
  nominee_read_id uuid,
  constraint conversations_pkey primary key (tenant_id, nominee_id, owner_id),
  constraint conversations_nominee foreign key (tenant_id, nominee_id) references kith.nominees (tenant_id, id) on delete cascade
);
create index conversations_of_owner on kith.conversations (tenant_id, owner_id, last_message_id);
create index conversations_of_nominee on kith.conversations (tenant_id, nominee_user_id, last_message_id);
create index conversations_unread_by_owner on kith.conversations (tenant_id, owner_id, vault_id) where owner_unread > 0;
create index conversations_unread_by_nominee on kith.conversations (tenant_id, nominee_user_id, vault_id) where nominee_unread > 0;
comment on table kith.conversations is
  'The state of a conversation between an owner and a nominee: its newest message, and what each side has not read. Counting messages for each list would take longer the more there are.';
comment on column kith.conversations.owner_id is 'As in kith.messages: a nominee has another conversation with each owner.';
comment on column kith.conversations.owner_read_id is 'The nominee''s newest message that the owner has read.';
comment on column kith.conversations.nominee_read_id is 'The owner''s newest message that the nominee has read.';

create table kith.history (
  tenant_id integer not null,
  id uuid not null,
  vault_id uuid not null,
  at kith.instant not null,
  actor_id uuid,
  action text not null,
  subject_type text not null constraint history_subject_type_is_known
    check (subject_type in ('vault', 'session', 'document', 'nominee', 'transfer', 'share', 'emergency_request')),
  subject_id uuid not null,
  detail jsonb not null default '{}',
  constraint history_pkey primary key (tenant_id, id),
  constraint history_texts_are_short check (char_length(action) <= 100 and jsonb_typeof(detail) = 'object')
) partition by range (id);
create index history_of_vault on kith.history (tenant_id, vault_id, id);
create index history_of_vault_by_action on kith.history (tenant_id, vault_id, action, id);
comment on table kith.history is
  'What happened with a vault: who, what and when (V13). Append-only: the API can neither change nor delete a row. It contains no names, which are looked up when it is read. Monthly partitions by id.';
comment on column kith.history.id is 'UUID version 7 made from at. It determines the partition.';
comment on column kith.history.actor_id is 'The user who acted; null if an operator acted, or if it happened by itself.';
