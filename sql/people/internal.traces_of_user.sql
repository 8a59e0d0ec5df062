-- What the database has of one user, for the proof of an erasure. Tests/SQL/deletion.sql searches every column of every
-- table; this counts by key, so that an operator can ask on a live system.

create or replace function internal.kinds_of_traces() returns table (n integer, what text, fate text, why text)
  language sql
  immutable
  parallel safe
as $$
  values
    (1, 'devices where user_id = $2', 'deleted', null),
    (2, 'token_families where user_id = $2', 'deleted', 'sign-ins and their tokens'),
    (3, 'otp_codes where user_id = $2', 'deleted', 'codes that were under way'),
    (4, 'notifications where user_id = $2', 'deleted', 'with their deliveries, which have addresses'),
    (5, 'undelivered_alarms where user_id = $2', 'deleted', null), (6, 'events where user_id = $2', 'deleted', null),
    (7, 'notification_preferences where user_id = $2', 'deleted', null),
    (8, 'quiet_hours where user_id = $2', 'deleted', null), (9, 'breaks where user_id = $2', 'deleted', null),
    (10, 'blocks where $2 in (user_id, blocked_id)', 'deleted', null),
    (11, 'feedback where user_id = $2', 'deleted', null), (12, 'signs where user_id = $2', 'deleted', 'their things'),
    (13, 'signs_of_life where user_id = $2', 'deleted', null), (14, 'drafts where user_id = $2', 'deleted', null),
    (15, 'sender_profiles where user_id = $2', 'deleted', null),
    (16, 'receiver_profiles where user_id = $2', 'deleted', null),
    (17, 'connection_invitations where user_id = $2', 'deleted', 'with the numbers of whom they invited'),
    (18, 'connection_invitation_recipients where user_id = $2', 'deleted', null),
    (
      20,
        'users where id = $2 and num_nonnulls(external_id, display_name, phone, email, pending_phone, pending_email) > '
        '0',
        'blanked',
        'name, number, address and the tenant''s id'
    ),
    (21, 'check_ins where user_id = $2 and note is not null', 'blanked', 'their notes'),
    (22, 'pings where sender_id = $2 and note is not null', 'blanked', 'their notes'),
    (
      23, 'connections where $2 in (sender_id, receiver_id) and num_nonnulls(alias_by_sender, alias_by_receiver) > 0',
      'blanked', 'names given by either side'
    ),
    (
      24,
        'audit where subject = $2::text and action <> ''user.delete'' and detail not in (''{}'', ''{"erased": true}'')',
        'blanked', 'what operators wrote'
    ),
    (26, 'idempotency_keys where caller = ''user:'' || $2', 'deleted', 'answers to their requests, kept for a day'),
    (
      27, 'idempotency_key_subjects where subject_id = $2',
      'deleted', 'answers to the requests of others, in which they occur'
    ),
    (
      30, 'connections where $2 in (sender_id, receiver_id)', 'stays',
      'an id without a name: the other side keeps its history with its pings, in which the person is "Someone"'
    ),
    (
      31, 'check_ins where user_id = $2',
      'stays', 'instants under an id without a name, until the tenant''s retention of pings'
    ),
    (
      32, 'unique_codes where user_id = $2',
      'stays', 'rotated: old messages have the digits, which nobody else gets for 90 days'
    ),
    (
      35, 'audit where subject = $2::text',
      'stays',
        'that acts were done and when, without details, and a hash of the tenant''s id, so that no import brings them '
        'back, until its retention'
    ),
    (36, 'users where id = $2', 'stays', 'an id without a name, to which history refers, and when the account ended'),
    (
      37, 'code_attempts where user_id = $2',
      'stays', 'instants at which they tried a code, under an id without a name, for some days'
    ),
    (
      38, 'act_counts where actor_id = $2',
      'stays', 'how much they did on a day, under an id without a name, if a request of theirs was just counting it'
    ),
    (
      39, 'events where user_id = ''00000000-0000-0000-0000-000000000000'' and subject_id = $2', 'stays',
      'an id without a name: it tells the tenant''s server that the account has ended, for 8 days'
    ),
    (
      52, 'tenants cross join kith.operator_reads as seen where seen.subject = $2::text', 'stays',
      'which operators looked them up and when, under an id without a name, for 400 days'
    ),
    (40, 'alarms where sender_id = $2', 'deleted', 'with their timelines, whoever wrote in them'),
    (41, 'alarm_receivers where alarm_id in (select id from kith.alarms where sender_id = $2)', 'deleted', null),
    (42, 'asks where $2 in (sender_id, receiver_id)', 'deleted', 'questions, from and to them'),
    (43, 'alarm_plans where user_id = $2', 'deleted', null),
    (44, 'alarm_plan_receivers where user_id = $2', 'deleted', null),
    (45, 'care_cards where user_id = $2', 'deleted', null), (46, 'places where user_id = $2', 'deleted', null),
    (47, 'card_views where user_id = $2', 'deleted', 'who has seen their care card'),
    (48, 'check_in_links where user_id = $2', 'deleted', null),
    (49, 'alarm_links where receiver_id = $2', 'deleted', null),
    (51, 'raised_quotas where user_id = $2', 'deleted', null),
    (
      50, 'alarm_entries where user_id = $2 and note is not null',
      'blanked', 'what they wrote in other people''s alarms'
    ),
    (
      60, 'alarm_receivers where receiver_id = $2',
      'stays', 'an id without a name: other people''s alarms keep who was told, until the tenant''s retention'
    ),
    (
      61, 'alarm_entries where user_id = $2',
      'stays', 'what was done in other people''s alarms and when, as "Someone" and without a word'
    ),
    (62, 'card_views where viewer_id = $2', 'stays', 'that somebody saw another person''s care card, for 90 days'),
    (63, 'canaries where receiver_id = $2', 'deleted', 'of no person: with the canary'),
    (64, 'canary_runs where sender_id = $2', 'deleted', 'of no person: with the canary'),
    (65, 'canary_people where user_id = $2', 'stays', 'of no person: that the account was a canary''s')
$$;
comment on function internal.kinds_of_traces() is
  'The rows that can name a user outside vaults: what is the table with the condition by which they are found, in '
  'which $2 is the user. For internal.traces_of_user.';

create or replace function internal.kinds_of_traces_in_vaults()
  returns table (n integer, what text, fate text, why text)
  language sql
  immutable
  parallel safe
as $$
  values
    (
      25, 'vaults where owner_id = $2 and deleted_at is null',
      'deleted', 'their key is gone at once, so nobody can read the documents; the rows go within 30 days'
    ),
    (70, 'nominees where owner_id = $2', 'deleted', 'the people of their vaults'),
    (71, 'nominee_invitations where owner_id = $2', 'deleted', null),
    (72, 'shares where owner_id = $2', 'deleted', 'with their participants'),
    (73, 'emergency_settings where owner_id = $2', 'deleted', null),
    (74, 'messages where $2 in (owner_id, nominee_user_id)', 'deleted', 'both sides of their chats'),
    (75, 'conversations where $2 in (owner_id, nominee_user_id)', 'deleted', null),
    (
      76, 'nominees where user_id = $2 and num_nonnulls(name, phone, email, external_id) > 0',
      'blanked', 'how others have named them'
    ),
    (
      77, 'transfers where $2 in (owner_id, accepted_by) and num_nonnulls(name, phone, email) > 0',
      'blanked', 'to whom vaults were offered'
    ),
    (78, 'emergency_requests where user_id = $2 and num_nonnulls(reason) > 0', 'blanked', 'what they wrote to get in'),
    (
      79,
        'share_participants where nominee_id in (select id from kith.nominees where user_id = $2) and participant_id '
        '!~ ''^erased:''',
        'blanked',
      'the sharing service''s id of them'
    ),
    (80, 'notifications where person_id = $2', 'blanked', 'other people''s notifications that had their name'),
    (
      33, 'documents where created_by = $2 and owner_id <> $2',
      'stays', 'documents that they added to other people''s vaults belong to those people'
    ),
    (
      34, 'history where actor_id = $2',
      'stays', 'the access history of other people''s vaults, with ids and no names, until its retention'
    ),
    (
      90, 'nominees where $2 in (user_id, invited_by_user_id)',
      'stays',
        'an id without a name: other people''s vaults keep that somebody had access, or invited others, and when it '
        'ended'
    ),
    (
      91, 'transfers where $2 in (owner_id, accepted_by)',
      'stays', 'an id without a name: that a vault was offered, and when'
    ),
    (
      92, 'transfer_invitations where owner_id = $2',
      'stays', 'an id without a name: that a link went out for an offer, and when'
    ),
    (
      93, 'emergency_requests where $2 in (owner_id, user_id)',
      'stays', 'an id without a name: other people''s vaults keep that somebody asked for emergency access, and when'
    ),
    (
      94, 'vault_sessions where $2 in (unlocked_by, locked_by)',
      'stays', 'an id without a name: when other people''s vaults were open'
    ),
    (
      95, 'document_versions where created_by = $2',
      'stays',
        'an id without a name: contents in other people''s vaults; those of their own nobody can read, and they go '
        'within 30 days'
    ),
    (
      96, 'vaults where owner_id = $2',
      'stays', 'an id without a name, until the contents that nobody can read are deleted, within 30 days'
    ),
    (
      97,
        'notifications where user_id in (select case sender_id when $2 then receiver_id else sender_id end from '
        'kith.connections where $2 in (sender_id, receiver_id)'
        || ' union select owner_id from kith.nominees where user_id = $2) and data ->> ''user_id'' = $2::text', 'stays',
      'an id without a name: other people''s notifications, in which the person is "Someone", until their retention'
    )
$$;
comment on function internal.kinds_of_traces_in_vaults() is
  'The rows that can name a user in vaults and in what is told of them, as internal.kinds_of_traces. For '
  'internal.traces_of_user.';

create or replace function internal.traces_of_user(p_user uuid)
  returns table (n integer, what text, fate text, rows bigint, why text)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  for n, what, fate, why in
    select kind.n, kind.what, kind.fate, kind.why from internal.kinds_of_traces() as kind
    union all
    select kind.n, kind.what, kind.fate, kind.why from internal.kinds_of_traces_in_vaults() as kind
    order by 1
  loop
    execute format('select count(*) from kith.%s', replace(what, ' where ', ' where tenant_id = $1 and ')) into rows
      using v_tenant, p_user;
    return next;
  end loop;
end
$$;
comment on function internal.traces_of_user(uuid) is
  'What the tenant''s rows say of a user: how many rows of each kind there are, and what an erasure does with them: '
  'deleted, blanked or stays. what is the table with the condition by which the rows are found. For admin.delete_user '
  'and admin.verify_erasure.';
