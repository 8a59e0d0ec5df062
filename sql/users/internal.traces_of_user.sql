-- What the database has of one user, for the proof of an erasure. Tests/SQL/deletion.sql searches every column of every table; this counts
-- by key, so that an operator can ask on a live system.

create or replace function internal.traces_of_user(p_user uuid)
  returns table (n integer, what text, fate text, rows bigint, why text)
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  for n, what, fate, why in
    values
      (1, 'devices where user_id = $2', 'deleted', null), (2, 'token_families where user_id = $2', 'deleted', 'sign-ins and their tokens'),
      (3, 'otp_codes where user_id = $2', 'deleted', 'codes that were under way'),
      (4, 'notifications where user_id = $2', 'deleted', 'with their deliveries, which have addresses'),
      (5, 'undelivered_alarms where user_id = $2', 'deleted', null), (6, 'events where user_id = $2', 'deleted', null),
      (7, 'notification_preferences where user_id = $2', 'deleted', null), (8, 'quiet_hours where user_id = $2', 'deleted', null),
      (9, 'breaks where user_id = $2', 'deleted', null), (10, 'blocks where $2 in (user_id, blocked_id)', 'deleted', null),
      (11, 'feedback where user_id = $2', 'deleted', null), (12, 'signs where user_id = $2', 'deleted', 'their things'),
      (13, 'signs_of_life where user_id = $2', 'deleted', null), (14, 'drafts where user_id = $2', 'deleted', null),
      (15, 'sender_profiles where user_id = $2', 'deleted', null), (16, 'receiver_profiles where user_id = $2', 'deleted', null),
      (17, 'connection_invitations where user_id = $2', 'deleted', 'with the numbers of whom they invited'),
      (40, 'alarms where sender_id = $2', 'deleted', 'with their timelines, whoever wrote in them'),
      (41, 'alarm_receivers where alarm_id in (select id from kith.alarms where sender_id = $2)', 'deleted', null),
      (42, 'asks where $2 in (sender_id, receiver_id)', 'deleted', 'questions, from and to them'),
      (43, 'alarm_plans where user_id = $2', 'deleted', null), (44, 'alarm_plan_receivers where user_id = $2', 'deleted', null),
      (45, 'care_cards where user_id = $2', 'deleted', null), (46, 'places where user_id = $2', 'deleted', null),
      (47, 'card_views where user_id = $2', 'deleted', 'who has seen their care card'),
      (48, 'check_in_links where user_id = $2', 'deleted', null), (49, 'alarm_links where receiver_id = $2', 'deleted', null),
      (50, 'alarm_entries where user_id = $2 and note is not null', 'blanked', 'what they wrote in other people''s alarms'),
      (
        20, 'users where id = $2 and num_nonnulls(external_id, display_name, phone, email, pending_phone, pending_email) > 0', 'blanked',
        'name, number, address and the tenant''s id'
      ),
      (21, 'check_ins where user_id = $2 and note is not null', 'blanked', 'their notes'),
      (22, 'pings where sender_id = $2 and note is not null', 'blanked', 'their notes'),
      (23, 'connections where $2 in (sender_id, receiver_id) and num_nonnulls(alias_by_sender, alias_by_receiver) > 0', 'blanked', 'names given by either side'),
      (24, 'audit where subject = $2::text and action <> ''user.delete'' and detail not in (''{}'', ''{"erased": true}'')', 'blanked', 'what operators wrote'),
      (25, 'vaults where owner_id = $2 and deleted_at is null', 'deleted', 'their key is gone at once, so nobody can read the documents; the rows go within 30 days'),
      (
        30, 'connections where $2 in (sender_id, receiver_id)', 'stays',
        'an id without a name: the other side keeps its history, in which the person is "Someone"'
      ),
      (31, 'check_ins where user_id = $2', 'stays', 'instants under an id without a name, until the tenant''s retention of pings'),
      (32, 'unique_codes where user_id = $2', 'stays', 'rotated: old messages have the digits, which nobody else gets for 90 days'),
      (33, 'documents where created_by = $2 and owner_id <> $2', 'stays', 'documents that they added to other people''s vaults belong to those people'),
      (34, 'history where actor_id = $2', 'stays', 'the access history of other people''s vaults, with ids and no names, until its retention'),
      (35, 'audit where subject = $2::text', 'stays', 'that acts were done and when, without details, and a hash of the tenant''s id, so that no import brings them back, until its retention'),
      (
        60, 'alarm_receivers where receiver_id = $2', 'stays',
        'an id without a name: other people''s alarms keep who was told, until the tenant''s retention'
      ),
      (61, 'alarm_entries where user_id = $2', 'stays', 'what was done in other people''s alarms and when, as "Someone" and without a word'),
      (62, 'card_views where viewer_id = $2', 'stays', 'that somebody saw another person''s care card, for 90 days')
  loop
    execute format('select count(*) from kith.%s', replace(what, ' where ', ' where tenant_id = $1 and ')) into rows using v_tenant, p_user;
    return next;
  end loop;
end
$$;
comment on function internal.traces_of_user(uuid) is
  'What the tenant''s rows say of a user: how many rows of each kind there are, and what an erasure does with them: deleted, blanked or stays. '
  'what is the table with the condition by which the rows are found. For admin.delete_user and admin.verify_erasure.';
