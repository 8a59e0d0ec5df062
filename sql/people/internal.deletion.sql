-- Deletes an account (A04). The row in users stays, because history refers to it, but nothing in it says who the user
-- was.

create or replace function internal.forget_name(p_user_id uuid) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  update kith.notifications as notification
  -- Rows from before words were made when they are read have a text with the name.
  set body = null, note = null, person_name = null
  from (
    select notification.id
    from (
      select id, created_at, case sender_id when p_user_id then receiver_id else sender_id end as user_id
      from kith.connections
      where tenant_id = v_tenant and (sender_id = p_user_id or receiver_id = p_user_id)
    ) as other
    join kith.notifications as notification
      on notification.tenant_id = v_tenant and notification.user_id = other.user_id
        and notification.id >= internal.first_uuid7(other.created_at - interval '1 minute')
        and notification.data ->> 'connection_id' = other.id::text
    where notification.note is not null or notification.person_name is not null or notification.body is not null
    -- In a fixed order, because a worker may be reporting the deliveries of the same notifications.
    order by notification.id
    for no key update of notification
  ) as named
  where notification.tenant_id = v_tenant and notification.id = named.id;
end
$$;
comment on function internal.forget_name(uuid) is
  'Takes the notes that a user shared, and the texts of earlier rows, out of other users'' notifications about their '
  'connections. Nothing else in them names the user, who is "Someone" from now on.';

create or replace function internal.forget_messages(p_user_id uuid, p_phone text) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_invitations uuid[];
  v_deliveries uuid[];
begin
  v_deliveries := internal.forget_sign_ins(p_user_id);
  v_invitations := array(
    select id from kith.connection_invitations where tenant_id = v_tenant and user_id = p_user_id order by id for update
  );
  v_deliveries := v_deliveries || array(
    select delivery_id
    from kith.connection_invitation_recipients
    where tenant_id = v_tenant and (phone = p_phone or invitation_id = any (v_invitations)) and delivery_id is not null
  ) || array(
    select id from kith.deliveries where tenant_id = v_tenant and purpose = 'answer' and address = p_phone
  );
  -- Lock each kind in a fixed order: a worker may be reporting the same rows, and two users who have invited each other
  -- may delete their accounts at once.
  perform from kith.deliveries where tenant_id = v_tenant and id = any (v_deliveries) order by id for update;
  delete from kith.deliveries where tenant_id = v_tenant and id = any (v_deliveries);
  perform from kith.connection_invitation_recipients
  where tenant_id = v_tenant and (phone = p_phone or invitation_id = any (v_invitations))
  order by invitation_id, n
  for update;
  delete from kith.connection_invitation_recipients where tenant_id = v_tenant and phone = p_phone;
  delete from kith.connection_invitations where tenant_id = v_tenant and id = any (v_invitations);
  -- STOP holds for the number, whoever has it.
  delete from kith.text_numbers where tenant_id = v_tenant and phone = p_phone and stopped_at is null;
end
$$;
comment on function internal.forget_messages(uuid, text) is
  'Deletes a user''s one-time codes and sign-ins, the invitations that they sent, and their entries (by p_phone) in '
  'the lists of others who invited them, with all related messages in the outbox, and what their number was answered. '
  'That a number has said STOP is kept.';

create or replace function internal.end_roles(p_user_id uuid, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_connections kith.connections[];
begin
  -- Rotate the codes and do not delete them: the digits must not go to another user while old messages still contain
  -- them (P19).
  update kith.unique_codes set rotated_at = p_now
  where tenant_id = v_tenant and user_id = p_user_id and rotated_at is null;
  delete from kith.receiver_profiles where tenant_id = v_tenant and user_id = p_user_id;
  -- Lock ended connections too: internal.forget_name changes the notifications about them, and two users who delete
  -- their accounts at once must not deadlock there.
  v_connections := array(
    select connection
    from kith.connections as connection
    where tenant_id = v_tenant and (sender_id = p_user_id or receiver_id = p_user_id)
    order by id
    for no key update
  );
  perform from kith.sender_profiles where tenant_id = v_tenant and user_id = p_user_id for update;
  perform internal.end_alarms_of(v_tenant, p_user_id, p_now);
  perform internal.end_connections(
    array(select ended.id from unnest(v_connections) as ended where ended.status <> 'deleted'), 'user:' || p_user_id,
    false, p_now
  );
  delete from kith.sender_profiles where tenant_id = v_tenant and user_id = p_user_id;
  -- Clear both aliases: the one that the user wrote and the one for the user.
  update kith.connections
  set alias_by_sender = null, alias_by_receiver = null
  where tenant_id = v_tenant and (sender_id = p_user_id or receiver_id = p_user_id)
    and (alias_by_sender is not null or alias_by_receiver is not null);
end
$$;
comment on function internal.end_roles(uuid, timestamptz) is
  'Ends what a user is to others: rotates their codes, deletes both profiles, and ends their alarm and their '
  'connections with all aliases, which tells the other sides. For internal.delete_user.';

create or replace function internal.forget_alarms(p_user_id uuid) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  -- In a fixed order, because a worker or a receiver may be at work on them. Entries go with their alarm.
  perform from kith.alarms where tenant_id = v_tenant and sender_id = p_user_id order by id for update;
  delete from kith.alarm_receivers as receiver
  using kith.alarms as alarm
  where alarm.tenant_id = v_tenant and alarm.sender_id = p_user_id and receiver.tenant_id = v_tenant
    and receiver.alarm_id = alarm.id;
  delete from kith.alarms where tenant_id = v_tenant and sender_id = p_user_id;
  delete from kith.asks where tenant_id = v_tenant and (sender_id = p_user_id or receiver_id = p_user_id);
  delete from kith.alarm_plans where tenant_id = v_tenant and user_id = p_user_id;
  delete from kith.card_views where tenant_id = v_tenant and user_id = p_user_id;
  delete from kith.care_cards where tenant_id = v_tenant and user_id = p_user_id;
  delete from kith.places where tenant_id = v_tenant and user_id = p_user_id;
  update kith.alarm_entries set note = null where tenant_id = v_tenant and user_id = p_user_id and note is not null;
end
$$;
comment on function internal.forget_alarms(uuid) is
  'Deletes a user''s alarms, questions, plan, care card and place, and what they wrote in the alarms of others, in '
  'whose timelines they are "Someone". For internal.delete_user, after the connections have ended.';

create or replace function internal.forget_settings(p_user_id uuid) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  delete from kith.devices where tenant_id = v_tenant and user_id = p_user_id;
  delete from kith.raised_quotas where tenant_id = v_tenant and user_id = p_user_id;
  -- Skip a count that a request of the user has locked. The row that stays says nothing about the user.
  delete from kith.act_counts
  where tenant_id = v_tenant and actor_id = p_user_id and act in (
    select act from kith.act_counts where tenant_id = v_tenant and actor_id = p_user_id for update skip locked
  );
  delete from kith.blocks where tenant_id = v_tenant and (user_id = p_user_id or blocked_id = p_user_id);
  delete from kith.quiet_hours where tenant_id = v_tenant and user_id = p_user_id;
  delete from kith.notification_preferences where tenant_id = v_tenant and user_id = p_user_id;
  delete from kith.breaks where tenant_id = v_tenant and user_id = p_user_id;
  delete from kith.feedback where tenant_id = v_tenant and user_id = p_user_id;
  delete from kith.signs_of_life where tenant_id = v_tenant and user_id = p_user_id;
  delete from kith.signs where tenant_id = v_tenant and user_id = p_user_id;
  delete from kith.check_in_links where tenant_id = v_tenant and user_id = p_user_id;
  delete from kith.alarm_links where tenant_id = v_tenant and receiver_id = p_user_id;
end
$$;
comment on function internal.forget_settings(uuid) is
  'Deletes a user''s devices, counts, blocks, notification settings, breaks, feedback, signs of life, things and '
  'links. For internal.delete_user.';

create or replace function internal.forget_notifications(p_user_id uuid) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_told uuid[];
begin
  v_told := array(
    select id from kith.notifications where tenant_id = v_tenant and user_id = p_user_id order by id for update
  );
  delete from kith.notifications where tenant_id = v_tenant and id = any (v_told);
  -- Deliveries come after their notifications: a worker that was writing some has finished by now, and they hold
  -- addresses.
  perform from kith.deliveries where tenant_id = v_tenant and notification_id = any (v_told) order by id for update;
  delete from kith.deliveries where tenant_id = v_tenant and notification_id = any (v_told);
  delete from kith.undelivered_alarms where tenant_id = v_tenant and user_id = p_user_id;
  delete from kith.events where tenant_id = v_tenant and user_id = p_user_id;
end
$$;
comment on function internal.forget_notifications(uuid) is
  'Deletes a user''s notifications with their deliveries, alarms and events. For internal.delete_user.';

create or replace function internal.audited_subjects(p_user_id uuid, p_phone text, p_email text) returns text[]
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_vaults uuid[] := array(select id from kith.vaults where tenant_id = v_tenant and owner_id = p_user_id);
  v_nominees uuid[] := internal.nominees_of_person(p_user_id, p_phone, p_email)
    || array(select id from kith.nominees where tenant_id = v_tenant and vault_id = any (v_vaults));
begin
  return (
    array[p_user_id] || v_vaults || v_nominees
    || array(
      select id from kith.connections where tenant_id = v_tenant and (sender_id = p_user_id or receiver_id = p_user_id)
    )
    || array(select id from kith.emergency_requests where tenant_id = v_tenant and nominee_id = any (v_nominees))
    || array(select notification_id from kith.undelivered_alarms where tenant_id = v_tenant and user_id = p_user_id)
  )::text[];
end
$$;
comment on function internal.audited_subjects(uuid, text, text) is
  'Everything of a user on which an operator may have acted, and given a reason that names them. For '
  'internal.delete_user, before it deletes the rows.';

create or replace function internal.forget_reasons(p_subjects text[]) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  update kith.audit set detail = '{"erased": true}'
  where tenant_id = v_tenant and detail <> '{}' and subject = any (p_subjects);
  update kith.emergency_requests set hold_reason = 'erased'
  where tenant_id = v_tenant and id = any (p_subjects::uuid[]) and hold_reason is not null;
end
$$;
comment on function internal.forget_reasons(text[]) is
  'Erases what operators have written about these subjects, in the audit and as the reason for holding a request for '
  'emergency access. For internal.delete_user.';

create or replace function internal.delete_user(
  p_user_id uuid, p_actor text, p_detail jsonb, p_delete_vaults boolean, p_now timestamptz
) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_phone text;
  v_email text;
  v_subjects text[];
begin
  -- Take all locks in the order that README.md gives. The strongest comes first: a request that is about to use this
  -- account waits, and then finds it deleted.
  if not internal.lock_to_end(p_user_id) then
    perform internal.refuse_not_found();
  end if;
  select phone, email into v_phone, v_email from kith.users where tenant_id = v_tenant and id = p_user_id;
  -- Records that others made under a contact are about this user if no other user has the contact. This includes a
  -- contact that only the tenant's server stated.
  if internal.user_of_contact('sms', v_phone) is distinct from p_user_id then
    v_phone := null;
  end if;
  if internal.user_of_contact('email', v_email) is distinct from p_user_id then
    v_email := null;
  end if;
  if not p_delete_vaults then
    perform internal.refuse_shared_vaults(p_user_id);
  end if;
  v_subjects := internal.audited_subjects(p_user_id, v_phone, v_email);
  perform internal.emit_account(v_tenant, block.user_id, p_now)
  from kith.blocks as block
  where block.tenant_id = v_tenant and block.blocked_id = p_user_id;
  perform internal.end_roles(p_user_id, p_now);
  perform internal.forget_alarms(p_user_id);
  perform internal.forget_settings(p_user_id);
  perform internal.forget_answers(p_user_id, v_phone, v_email);
  perform internal.forget_messages(p_user_id, v_phone);
  perform internal.forget_vaults(p_user_id, v_phone, v_email, p_now);

  update kith.check_ins set note = null where tenant_id = v_tenant and user_id = p_user_id and note is not null;
  update kith.pings set note = null where tenant_id = v_tenant and sender_id = p_user_id and note is not null;
  perform internal.forget_name(p_user_id);
  perform internal.forget_notifications(p_user_id);
  perform internal.forget_reasons(v_subjects);

  perform internal.record_act(v_tenant, p_actor, 'user.forget', internal.forgotten_subject(account.external_id), null)
  from kith.users as account
  where account.tenant_id = v_tenant and account.id = p_user_id and account.external_id is not null;
  update kith.users
  set external_id = null, display_name = null, phone = null, phone_verified_at = null, pending_phone = null,
    email = null,
    email_verified_at = null, pending_email = null, time_zone = 'UTC', has_chosen_zone = false, locale = 'en',
    tokens_valid_from = p_now, updated_at = p_now, deleted_at = p_now
  where tenant_id = v_tenant and id = p_user_id;
  -- The user's screens are signed out. The tenant's server, which knows the person by the id, must know that they are
  -- gone.
  perform internal.emit_event(
    v_tenant, '00000000-0000-0000-0000-000000000000', 'account', p_user_id, null, null, p_now
  );
  update kith.tenant_usage set users = users - 1
  where tenant_id = v_tenant and not exists (select from internal.hidden_person(v_tenant, p_user_id));
  perform internal.record_act(v_tenant, p_actor, 'user.delete', p_user_id::text, p_detail);
  -- A restore to an earlier time would bring the account back, and take its audit away. PostgreSQL's log survives it.
  raise log 'kith erased: select * from admin.delete_user(%, %, ''again after a restore'', true)',
    (select quote_literal(slug) from kith.tenants where tenant_id = v_tenant), quote_literal(p_user_id);
end
$$;
comment on function internal.delete_user(uuid, text, jsonb, boolean, timestamptz) is
  'Deletes an account, for the user, the tenant''s server and operators alike. Ends its connections and tells the '
  'other sides, deletes what belongs to the user alone, and removes personal data from what history keeps. external_id '
  'can be used again, but not by an import (internal.refuse_forgotten). An event account that belongs to no user tells '
  'the tenant''s webhooks. Raises not_found for unknown and deleted users, and conflict if the user owns vaults that '
  'others have access to, unless p_delete_vaults is set. PostgreSQL''s log gets the statement with which an operator '
  'repeats it after a restore. For definer procedures.';
