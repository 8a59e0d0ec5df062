-- Every act, and on whose screens it shows: a row for each procedure that writes, in the order of one story. A new notification is an event
-- by itself and is not listed. What a person receives includes their own other devices.
begin;
\ir people.sql

create temporary table kept (name text primary key, id uuid);
grant all on kept to public;
create function tests.kept(p_name text) returns uuid language sql stable return (select id from kept where name = p_name);
create function tests.keep(p_name text, p_id text) returns uuid
  language plpgsql
as $$
begin
  insert into kept values (p_name, p_id::uuid) on conflict (name) do update set id = excluded.id;
  return p_id::uuid;
end
$$;
create function tests.nominee(p_vault text, p_person text) returns uuid
  language sql security definer
  return (select id from kith.nominees where vault_id = tests.kept(p_vault) and user_id = tests.id(p_person) order by status = 'revoked', id desc limit 1);
create function tests.invited(p_vault text, p_name text) returns uuid
  language sql security definer
  return (select id from kith.nominees where vault_id = tests.kept(p_vault) and name = p_name order by id desc limit 1);
-- Invites somebody, keeps the token under the name given, and returns it.
create function tests.invite(p_vault text, p_given jsonb, p_keep text, p_at timestamptz) returns uuid
  language sql
  return tests.keep(p_keep, api.invite_nominees(tests.kept(p_vault), jsonb_build_array(p_given), 'https://kith.example', p_at) #>> '{0,nominee,invitation,token}');
create function tests.offer(p_vault text, p_given jsonb, p_at timestamptz) returns uuid
  language plpgsql
as $$
declare
  v_offer json := api.create_transfer(tests.kept(p_vault), '{"name": "M", "keep_access": true}'::jsonb || p_given, 'https://kith.example', p_at);
begin
  perform tests.keep('offer', v_offer ->> 'id');
  return tests.keep('offer token', v_offer #>> '{invitation,token}');
end
$$;
create function tests.newest_request() returns uuid
  language sql security definer return (select id from kith.emergency_requests order by requested_at desc, id desc limit 1);
create function tests.newest_notification() returns uuid
  language sql security definer return (select id from kith.notifications where user_id = kith.user_id() and read_at is null order by id desc limit 1);
create function tests.connection(p_sender text, p_receiver text) returns uuid
  language sql security definer return (select id from kith.connections where sender_id = tests.id(p_sender) and receiver_id = tests.id(p_receiver));
create function tests.code(p_person text, p_role text) returns text
  language sql security definer return (select code from kith.unique_codes where user_id = tests.id(p_person) and role = p_role and permanent and rotated_at is null);

update kith.users set email = 'mallory@example.com', email_verified_at = '2026-03-01T00:00Z' where id = tests.id('mallory');
update kith.tenants set requires_subscription = true where tenant_id = tests.tenant('acme');

create temporary table acts (n integer generated always as identity, act text, caller text, statement text, shown text);
grant select on acts to public;
insert into acts (act, caller, statement, shown) values
  -- Vaults and nominees: Bob may view Alice's papers, Carol has level full, and Mallory's address is invited.
  ('api.create_vault', 'alice', $$ select tests.keep('papers', api.create_vault('{"name": "Papers"}', $1) ->> 'id') $$, 'alice vault'),
  ('api.invite_nominees', 'alice', $$ select tests.invite('papers', '{"name": "Mal", "email": "mallory@example.com"}', 'mallory', $1) $$, 'alice nominee, mallory invitation'),
  ('api.invite_nominees', 'alice', $$ select tests.invite('papers', '{"name": "Bob"}', 'bob', $1) $$, 'alice nominee'),
  ('api.invite_nominees', 'alice', $$ select tests.invite('papers', '{"name": "Carol", "access_level": "full"}', 'carol', $1) $$, 'alice nominee'),
  ('api.accept_invitation', 'bob', $$ select api.accept_invitation(tests.kept('bob'), $1) $$, 'alice nominee, bob nominee'),
  ('api.accept_invitation', 'carol', $$ select api.accept_invitation(tests.kept('carol'), $1) $$, 'alice nominee, carol nominee'),
  ('api.update_vault', 'alice', $$ select api.update_vault(tests.kept('papers'), '{"name": "Family papers"}', $1) $$, 'alice vault, bob vault, carol vault, mallory invitation'),
  ('api.open_vault', 'alice', $$ select api.open_vault(tests.kept('papers'), $1) $$, 'alice session, bob session, carol session'),
  ('api.open_vault', 'bob', $$ select api.open_vault(tests.kept('papers'), $1) $$, 'alice session, bob session, carol session'),
  ('api.note_vault_activity', 'alice', $$ select api.note_vault_activity(tests.kept('papers'), $1) $$, ''),
  ('api.resend_nominee_invitation', 'alice', $$ select tests.keep('mallory', api.resend_nominee_invitation(tests.kept('papers'), tests.invited('papers', 'Mal'), null, 'https://kith.example', $1) #>> '{invitation,token}') $$, 'alice nominee, carol nominee, mallory invitation'),
  ('api.report_nominee_invitation', 'alice', $$ select api.report_nominee_invitation(tests.kept('papers'), tests.invited('papers', 'Mal'), 'sent', $1) $$, 'alice nominee, carol nominee, mallory invitation'),
  ('api.update_nominee', 'alice', $$ select api.update_nominee(tests.kept('papers'), tests.nominee('papers', 'bob'), '{"access_level": "edit"}', $1) $$, 'alice nominee, bob nominee, carol nominee'),
  ('api.update_nominee', 'alice', $$ select api.update_nominee(tests.kept('papers'), tests.nominee('papers', 'bob'), '{"status": "inactive"}', $1) $$, 'alice nominee, bob nominee, carol nominee'),
  ('api.update_nominee', 'alice', $$ select api.update_nominee(tests.kept('papers'), tests.nominee('papers', 'bob'), '{"status": "accepted"}', $1) $$, 'alice nominee, bob nominee, carol nominee'),
  -- Documents show to whoever is inside.
  ('api.add_vault_key', 'alice', $$ select api.add_vault_key(tests.kept('papers'), '\x01', $1) $$, ''),
  ('api.begin_upload', 'alice', $$ select tests.keep('version', answer ->> 'version_id'), tests.keep('document', answer ->> 'document_id') from api.begin_upload(tests.kept('papers'), null, 1, 262144, null, null, $1) as answer $$, ''),
  ('api.put_chunk', 'alice', $$ select api.put_chunk(tests.kept('papers'), tests.kept('version'), 0, decode(repeat('00', 30), 'hex'), $1) $$, ''),
  ('api.finish_upload', 'alice', $$ select api.finish_upload(tests.kept('papers'), tests.kept('version'), 'Will', 'text/plain', 1, 1, sha256('x'), null, null, $1) $$, 'alice document, bob document'),
  ('api.rename_document', 'alice', $$ select api.rename_document(tests.kept('papers'), tests.kept('document'), 'Last will', null, $1) $$, 'alice document, bob document'),
  ('api.delete_document', 'alice', $$ select api.delete_document(tests.kept('papers'), tests.kept('document'), null, $1) $$, 'alice document, bob document'),
  ('api.restore_document', 'alice', $$ select api.restore_document(tests.kept('papers'), tests.kept('document'), $1) $$, 'alice document, bob document'),
  -- Chat.
  ('api.send_message', 'alice', $$ select api.send_message(tests.kept('papers'), tests.nominee('papers', 'bob'), 'Hello', $1) $$, 'alice message, bob message'),
  ('api.read_messages', 'bob', $$ select api.read_messages(tests.kept('papers'), tests.nominee('papers', 'bob'), $1) $$, 'alice conversation, bob conversation'),
  ('api.read_messages', 'bob', $$ select api.read_messages(tests.kept('papers'), tests.nominee('papers', 'bob'), $1) $$, ''),
  -- Shares.
  ('api.put_share', 'alice', $$ select tests.keep('share', api.put_share(tests.kept('papers'), '{}', $1) ->> 'id') $$, 'alice vault'),
  ('api.put_share', 'alice', $$ select api.put_share(tests.kept('papers'), '{"url": "https://share.example"}', $1) $$, 'alice vault'),
  ('api.put_share', 'alice', $$ select api.put_share(tests.kept('papers'), '{}', $1) $$, ''),
  ('api.change_share', 'alice', $$ select api.change_share(tests.kept('share'), 'readOnly', $1) $$, 'alice vault'),
  ('api.synchronise_share', 'alice', $$ select api.synchronise_share(tests.kept('papers'), '{"participants": [{"id": "p", "acceptance_status": "accepted", "permission": "readOnly", "role": "privateUser"}]}', $1) $$, 'alice nominee, carol nominee'),
  ('api.report_missing_share', 'alice', $$ select api.report_missing_share(tests.kept('share'), $1) $$, 'alice vault'),
  ('api.put_share', 'alice', $$ select tests.keep('share', api.put_share(tests.kept('papers'), '{}', $1) ->> 'id') $$, 'alice nominee, alice vault, carol nominee'),
  ('api.end_share', 'alice', $$ select api.end_share(tests.kept('share'), $1) $$, 'alice nominee, alice vault, carol nominee'),
  ('api.put_share', 'alice', $$ select api.put_share(tests.kept('papers'), '{}', $1) $$, 'alice vault'),
  ('api.delete_share', 'alice', $$ select api.delete_share(tests.kept('papers'), $1) $$, 'alice vault'),
  ('api.lock_vault', 'carol', $$ select api.lock_vault(tests.kept('papers'), $1) $$, 'alice session, bob session, carol session'),
  -- Emergency access.
  ('api.set_emergency_settings', 'alice', $$ select api.set_emergency_settings(tests.kept('papers'), tests.nominee('papers', 'bob'), '{"wait_hours": 1, "access_level": "view", "on_request": true, "visible": true}', $1) $$, 'alice nominee, bob nominee'),
  ('api.set_emergency_settings', 'alice', $$ select api.set_emergency_settings(tests.kept('papers'), tests.nominee('papers', 'carol'), '{"wait_hours": 1, "access_level": "view", "on_request": true, "visible": false}', $1) $$, 'alice nominee'),
  ('api.set_emergency_quorum', 'alice', $$ select api.set_emergency_quorum(tests.kept('papers'), jsonb_build_object('required', 2, 'nominees', jsonb_build_array(tests.nominee('papers', 'bob'), tests.nominee('papers', 'carol'))), $1) $$, 'alice vault'),
  ('api.remove_emergency_quorum', 'alice', $$ select api.remove_emergency_quorum(tests.kept('papers'), $1) $$, 'alice vault'),
  ('api.request_emergency_access', 'bob', $$ select api.request_emergency_access(tests.kept('papers'), null, $1) $$, 'alice emergency_request, bob emergency_request'),
  ('api.withdraw_emergency_request', 'bob', $$ select api.withdraw_emergency_request(tests.kept('papers'), tests.newest_request(), $1) $$, 'alice emergency_request, bob emergency_request'),
  ('api.request_emergency_access', 'carol', $$ select api.request_emergency_access(tests.kept('papers'), null, $1) $$, 'alice emergency_request, carol emergency_request'),
  ('api.reject_emergency_request', 'alice', $$ select api.reject_emergency_request(tests.kept('papers'), tests.newest_request(), $1) $$, 'alice emergency_request, carol emergency_request'),
  ('api.request_emergency_access', 'bob', $$ select api.request_emergency_access(tests.kept('papers'), null, $1) $$, 'alice emergency_request, bob emergency_request'),
  ('admin.hold_emergency', 'operator', $$ select admin.hold_emergency('acme', tests.newest_request(), 'asked', $1 + interval '1 hour', $1) $$, 'alice emergency_request, bob emergency_request'),
  ('admin.release_emergency', 'operator', $$ select admin.release_emergency('acme', tests.newest_request(), 'answered', $1) $$, 'alice emergency_request, bob emergency_request'),
  ('api.approve_emergency_request', 'alice', $$ select api.approve_emergency_request(tests.kept('papers'), tests.newest_request(), $1) $$, 'alice emergency_request, bob emergency_request'),
  ('api.enter_emergency', 'bob', $$ select api.enter_emergency(tests.kept('papers'), $1) $$, 'alice session, bob session'),
  ('api.remove_emergency_settings', 'alice', $$ select api.remove_emergency_settings(tests.kept('papers'), tests.nominee('papers', 'bob'), $1) $$, 'alice emergency_request, alice nominee, alice session, bob emergency_request, bob nominee, bob session'),
  -- Names.
  ('api.update_me', 'alice', $$ select api.update_me('{"display_name": "Alicia"}', '{}', $1) $$, 'alice account, bob connection, bob vault, carol vault, mallory invitation'),
  ('api.update_me', 'bob', $$ select api.update_me('{"display_name": "Robert"}', '{}', $1) $$, 'alice connection, alice nominee, bob account, bob nominee'),
  ('api.update_me', 'bob', $$ select api.update_me('{"locale": "de"}', '{}', $1) $$, 'bob account'),
  ('api.update_me', 'bob', $$ select api.update_me('{"locale": "de"}', '{}', $1) $$, ''),
  ('api.update_me', 'bob', $$ select api.update_me('{"email": null}', '{}', $1) $$, 'bob account'),
  ('api.verify_contact', 'definer', $$ select internal.confirm_contact(tests.id('carol'), 'email', 'carol@example.com', $1) $$, 'carol account'),
  ('api.put_user', 'server', $$ select api.put_user('{"external_id": "new"}', $1) $$, ''),
  ('api.put_user', 'server', $$ select api.put_user('{"external_id": "ext-carol", "locale": "de"}', $1) $$, 'carol account'),
  ('api.update_user', 'server', $$ select api.update_user(tests.id('carol'), '{"display_name": "Caroline"}', $1) $$, 'alice nominee, carol account, carol nominee'),
  ('api.import_users', 'server', $$ select api.import_users('[{"line": 1, "user": {"external_id": "ext-carol", "locale": "en"}}]', $1) $$, 'carol account'),
  -- Invitations and offers that wait for Mallory.
  ('api.create_transfer', 'alice', $$ select tests.offer('papers', '{"email": "mallory@example.com"}', $1) $$, 'alice vault, mallory invitation'),
  ('api.resend_transfer', 'alice', $$ select api.resend_transfer(tests.kept('papers'), null, 'https://kith.example', $1) $$, 'alice vault, mallory invitation'),
  ('api.report_transfer_invitation', 'alice', $$ select api.report_transfer_invitation(tests.kept('papers'), 'sent', $1) $$, 'alice vault'),
  ('api.cancel_transfer', 'alice', $$ select api.cancel_transfer(tests.kept('papers'), $1) $$, 'alice vault, mallory invitation'),
  ('api.create_transfer', 'alice', $$ select tests.offer('papers', '{"email": "mallory@example.com"}', $1) $$, 'alice vault, mallory invitation'),
  ('api.decline_own_invitation', 'mallory', $$ select api.decline_own_invitation(tests.kept('offer'), $1) $$, 'alice vault, mallory invitation'),
  ('api.decline_invitation', 'mallory', $$ select api.decline_invitation(tests.kept('mallory'), $1) $$, 'alice nominee, mallory invitation'),
  ('api.invite_nominees', 'alice', $$ select tests.invite('papers', '{"name": "Mal", "email": "mallory@example.com"}', 'mallory', $1) $$, 'alice nominee, mallory invitation'),
  ('api.revoke_nominee', 'alice', $$ select api.revoke_nominee(tests.kept('papers'), tests.invited('papers', 'Mal'), $1) $$, 'alice nominee, mallory invitation'),
  ('api.update_vault', 'alice', $$ select api.update_vault(tests.kept('papers'), '{"require_confirmation": true}', $1) $$, 'alice vault, bob vault, carol vault'),
  ('api.invite_nominees', 'alice', $$ select tests.invite('papers', '{"name": "Mal", "email": "mallory@example.com"}', 'mallory', $1) $$, 'alice nominee, mallory invitation'),
  ('api.accept_own_invitation', 'mallory', $$ select api.accept_own_invitation(tests.invited('papers', 'Mal'), $1) $$, 'alice nominee, mallory invitation, mallory nominee'),
  ('api.confirm_nominee', 'alice', $$ select api.confirm_nominee(tests.kept('papers'), tests.nominee('papers', 'mallory'), $1) $$, 'alice nominee, mallory nominee'),
  ('api.revoke_nominee', 'mallory', $$ select api.revoke_nominee(tests.kept('papers'), tests.nominee('papers', 'mallory'), $1) $$, 'alice nominee, mallory nominee'),
  ('admin.revoke_nominee', 'operator', $$ select admin.revoke_nominee('acme', tests.nominee('papers', 'bob'), 'asked', $1) $$, 'alice nominee, bob nominee'),
  ('api.invite_nominees', 'alice', $$ select tests.invite('papers', '{"name": "Mal", "email": "mallory@example.com"}', 'mallory', $1) $$, 'alice nominee, mallory invitation'),
  ('api.delete_vault', 'alice', $$ select api.delete_vault(tests.kept('papers'), $1) $$, 'alice vault, carol nominee, mallory invitation'),
  ('api.restore_vault', 'alice', $$ select api.restore_vault(tests.kept('papers'), $1) $$, 'alice vault, carol nominee, mallory invitation'),
  ('admin.soft_delete_vault', 'operator', $$ select admin.soft_delete_vault('acme', tests.kept('papers'), 'asked', $1) $$, 'alice vault, carol nominee, mallory invitation'),
  ('admin.restore_vault', 'operator', $$ select admin.restore_vault('acme', tests.kept('papers'), 'asked', $1) $$, 'alice vault, carol nominee, mallory invitation'),
  ('api.open_vault', 'alice', $$ select api.open_vault(tests.kept('papers'), $1) $$, 'alice session, carol session'),
  ('worker.lock_expired_sessions', 'worker', $$ select worker.lock_expired_sessions($1 + interval '1 hour', 10) $$, 'alice session, carol session'),
  ('api.create_transfer', 'alice', $$ select tests.offer('papers', '{"email": "mallory@example.com"}', $1) $$, 'alice vault, mallory invitation'),
  ('api.accept_invitation', 'mallory', $$ select api.accept_invitation(tests.kept('offer token'), $1) $$, 'alice nominee, alice vault, carol nominee, mallory invitation, mallory nominee, mallory vault'),
  -- Connections. Bob redeems Mallory's code as a receiver.
  ('api.create_connection', 'bob', $$ select api.create_connection(tests.code('mallory', 'sender'), $1) $$, 'bob connection, bob ping, mallory connection, mallory ping'),
  ('api.pause_connection', 'mallory', $$ select api.pause_connection(tests.connection('mallory', 'bob'), $1) $$, 'bob connection, bob ping, mallory connection, mallory ping'),
  ('api.resume_connection', 'mallory', $$ select api.resume_connection(tests.connection('mallory', 'bob'), $1) $$, 'bob connection, bob ping, mallory connection, mallory ping'),
  ('api.update_connection', 'bob', $$ select api.update_connection(tests.connection('mallory', 'bob'), '{"alias": "Mum"}', $1) $$, 'bob connection'),
  ('api.remove_connection', 'bob', $$ select api.remove_connection(tests.connection('mallory', 'bob'), $1) $$, 'bob connection, bob ping, mallory connection, mallory ping'),
  ('api.create_connection', 'bob', $$ select api.create_connection(tests.code('mallory', 'sender'), $1) $$, 'bob connection, bob ping, mallory connection, mallory ping'),
  ('admin.soft_delete_connection', 'operator', $$ select admin.soft_delete_connection('acme', tests.connection('mallory', 'bob'), 'asked', $1) $$, 'bob connection, bob ping, mallory connection, mallory ping'),
  ('admin.reactivate_connection', 'operator', $$ select admin.reactivate_connection('acme', tests.connection('mallory', 'bob'), 'asked', $1) $$, 'bob connection, bob ping, mallory connection, mallory ping'),
  ('api.put_block', 'bob', $$ select api.put_block(tests.id('mallory'), $1) $$, 'bob account, bob connection, bob ping, mallory connection, mallory ping'),
  ('api.update_me', 'mallory', $$ select api.update_me('{"display_name": "Mal"}', '{}', $1) $$, 'alice vault, bob account, carol vault, mallory account'),
  ('api.delete_block', 'bob', $$ select api.delete_block(tests.id('mallory'), $1) $$, 'bob account'),
  ('api.consent_connection', 'definer', $$ update kith.tenants set requires_consent = true where tenant_id = kith.tenant_id() $$, ''),
  ('api.create_connection', 'bob', $$ select api.create_connection(tests.code('mallory', 'sender'), $1) $$, 'bob connection, mallory connection, mallory ping'),
  ('api.consent_connection', 'mallory', $$ select api.consent_connection(tests.connection('mallory', 'bob'), $1) $$, 'bob connection, bob ping, mallory connection, mallory ping'),
  -- Profiles, codes and settings, which show on one's own devices.
  ('api.put_sender_profile', 'mallory', $$ select api.put_sender_profile('{"ping_time": "09:00", "time_zone": "UTC", "reminder_minutes": 20}', $1) $$, 'bob ping, mallory account, mallory ping'),
  ('api.put_sender_profile', 'mallory', $$ select api.put_sender_profile('{"ping_time": "09:00", "time_zone": "UTC", "reminder_minutes": 20}', $1) $$, ''),
  ('api.put_sender_profile', 'mallory', $$ select api.put_sender_profile('{"ping_time": "09:00", "time_zone": "UTC", "reminder_minutes": 20, "share_phone": true}', $1) $$, 'bob connection, mallory account, mallory connection'),
  ('api.put_receiver_profile', 'alice', $$ select api.put_receiver_profile('{}', $1) $$, 'alice account'),
  ('api.delete_receiver_profile', 'alice', $$ select api.delete_receiver_profile($1) $$, 'alice account'),
  ('api.put_receiver_profile', 'alice', $$ select api.put_receiver_profile('{}', $1) $$, 'alice account'),
  ('api.create_sign', 'mallory', $$ select tests.keep('sign', api.create_sign('{"name": "Door", "kind": "activity"}', 'https://kith.example', $1) ->> 'id') $$, 'mallory account'),
  ('api.delete_sign', 'mallory', $$ select api.delete_sign(tests.kept('sign'), $1) $$, 'mallory account'),
  ('api.put_break', 'mallory', $$ select api.put_break('{"from": "2026-03-12", "until": "2026-03-13"}', $1) $$, 'bob connection, mallory account, mallory connection'),
  ('worker.turn_breaks', 'worker', $$ select worker.turn_breaks('2026-03-12T01:00Z', 10) $$, 'bob connection, mallory account, mallory connection'),
  ('api.delete_break', 'mallory', $$ select api.delete_break('2026-03-12T02:00Z') $$, 'bob connection, bob ping, mallory account, mallory connection, mallory ping'),
  ('api.create_code', 'bob', $$ select api.create_code('{"role": "receiver"}', $1) $$, 'bob account'),
  ('api.create_code', 'bob', $$ select api.create_code('{"role": "receiver", "rotate": true}', $1) $$, 'bob account'),
  ('api.put_quiet_hours', 'bob', $$ select api.put_quiet_hours('{"from": "22:00", "until": "07:00"}', $1) $$, 'bob account'),
  ('api.delete_quiet_hours', 'bob', $$ select api.delete_quiet_hours($1) $$, 'bob account'),
  ('api.put_notification_preferences', 'bob', $$ select api.put_notification_preferences('{"preferences": []}', $1) $$, 'bob account'),
  ('api.put_device', 'bob', $$ select api.put_device('{"platform": "ios", "token": "phone"}', $1) $$, 'bob account'),
  ('api.put_device', 'bob', $$ select api.put_device('{"platform": "ios", "token": "phone"}', $1) $$, ''),
  ('api.put_device', 'carol', $$ select api.put_device('{"platform": "ios", "token": "phone"}', $1) $$, 'bob account, carol account'),
  ('api.delete_device', 'carol', $$ select api.delete_device('phone', $1) $$, 'carol account'),
  ('api.read_notification', 'bob', $$ select api.read_notification(tests.newest_notification(), $1) $$, 'bob notification'),
  ('api.read_notifications', 'bob', $$ select api.read_notifications(null, null, 1000, $1) $$, 'bob notifications_read'),
  ('api.set_subscription', 'server', $$ select api.set_subscription(tests.id('bob'), '{"status": "canceled", "expires_at": "2026-03-11T00:00:00Z"}', $1) $$, 'bob account'),
  ('worker.settle_subscriptions', 'worker', $$ select worker.settle_subscriptions('2026-03-11T01:00Z', 10) $$, 'bob account'),
  ('worker.settle_subscriptions', 'worker', $$ select worker.settle_subscriptions('2026-04-11T01:00Z', 10) $$, 'alice connection, bob account, bob connection, mallory connection'),
  ('api.create_connection_invitation', 'alice', $$ select tests.keep('list', api.create_connection_invitation('[{"name": "D", "given_phone": "x", "phone": "+4915100000009", "problem": null}]', false, 'https://kith.example', $1) ->> 'id') $$, 'alice account'),
  ('api.report_invitation_outcome', 'alice', $$ select api.report_invitation_outcome(tests.kept('list'), 1, 'failed', $1) $$, 'alice account'),
  ('api.report_invitation_outcomes', 'alice', $$ select api.report_invitation_outcomes(tests.kept('list'), '{"outcome": "cancelled"}', $1) $$, 'alice account'),
  ('api.report_invitation_outcomes', 'alice', $$ select api.report_invitation_outcomes(tests.kept('list'), '{"outcome": "cancelled"}', $1) $$, ''),
  -- What became of the texts that Kith has sent.
  (
    'worker.finish_deliveries', 'definer',
    $$
      with sent as (
        update kith.connection_invitation_recipients set status = 'queued', delivery_id = '0de00000-0000-7000-8000-000000000001' where invitation_id = tests.kept('list')
        returning tenant_id
      )
      select internal.settle_invitations(jsonb_build_array(jsonb_build_object('tenant_id', tenant_id, 'id', '0de00000-0000-7000-8000-000000000001', 'status', 'sent')), $1) from sent
    $$,
    'alice account'
  ),
  -- Import.
  ('api.import_items', 'server', $$ select api.import_items('[{"line": 1, "item": {"kind": "vault", "external_id": "old", "owner": "ext-alice", "name": "Old"}}]', $1) $$, 'alice vault'),
  ('api.import_items', 'server', $$ select api.import_items('[{"line": 1, "item": {"kind": "nominee", "external_id": "n", "vault": "old", "name": "Bob", "user": "ext-bob", "status": "accepted"}}]', $1) $$, 'alice nominee, bob nominee'),
  ('api.import_items', 'server', $$ select api.import_items('[{"line": 1, "item": {"kind": "code", "user": "ext-bob", "role": "receiver", "code": "700001"}}]', $1) $$, 'bob account'),
  -- The end of accounts. Bob has chatted with Alice; she has been blocked by him, and an invitation of hers waits for Mallory.
  ('api.put_block', 'bob', $$ select api.put_block(tests.id('alice'), $1) $$, 'alice connection, bob account, bob connection'),
  ('api.create_vault', 'alice', $$ select tests.keep('last', api.create_vault('{"name": "Last"}', $1) ->> 'id') $$, 'alice vault'),
  ('api.invite_nominees', 'alice', $$ select tests.invite('last', '{"name": "Mal", "email": "mallory@example.com"}', 'mallory', $1) $$, 'alice nominee, mallory invitation'),
  ('api.delete_me', 'alice', $$ select api.delete_me('delete', $1) $$, 'bob account, bob conversation, bob nominee, mallory invitation, mallory nominee'),
  ('api.delete_user', 'server', $$ select api.delete_user(tests.id('carol'), null, $1) $$, 'mallory nominee'),
  ('admin.delete_user', 'operator', $$ select admin.delete_user('acme', tests.id('bob'), 'asked', false, $1) $$, 'mallory connection, mallory ping');

-- What shows on nobody's screen at once, or is tested elsewhere.
create temporary table silent (act text, reason text);
insert into silent values
  ('admin.respell_phone', 'the same number in another form; phone_numbers.sql'),
  ('api.check_in', 'ping_events.sql'), ('api.report_sign', 'signs.sql'), ('api.use_check_in_link', 'as check_in'), ('api.use_alarm_link', 'as take_alarm'), ('api.receive_text', 'as check_in'),
  ('api.receive_call', 'as check_in'), ('worker.keep_check_in_links', 'in messages only'), ('worker.keep_alarm_links', 'in messages only'), ('worker.sweep_answers', 'nobody sees them'), ('worker.generate_daily_pings', 'ping_events.sql'), ('worker.announce_due_pings', 'ping_events.sql'),
  ('worker.miss_pings', 'ping_events.sql'), ('worker.find_gaps', 'ping_events.sql'), ('worker.note_current_pings', 'what a dashboard is read from; the pings'' events show the change'),
  ('api.put_care_card', 'alarm_cards.sql'), ('api.delete_care_card', 'alarm_cards.sql'), ('api.open_alarm_card', 'alarm_cards.sql'),
  ('api.open_connection_card', 'the sender reads it with the card'),
  ('api.call_for_help', 'alarm_help.sql'), ('api.take_alarm', 'alarm_life.sql'), ('api.release_alarm', 'alarm_life.sql'),
  ('api.resolve_alarm', 'alarm_life.sql'), ('api.reopen_alarm', 'alarm_life.sql'), ('api.note_alarm', 'alarm_life.sql'),
  ('worker.tell_alarms', 'alarm_life.sql'), ('api.ask_sender', 'notifies'), ('api.test_connection', 'connection_tests.sql'), ('api.answer_connection_test', 'connection_tests.sql'), ('api.drill_alarm', 'alarm_plans.sql'), ('api.put_alarm_plan', 'alarm_plans.sql'),
  ('api.take_tenant_alarm', 'alarm_desk.sql'), ('api.resolve_tenant_alarm', 'alarm_desk.sql'), ('api.note_tenant_alarm', 'alarm_desk.sql'), ('api.reopen_tenant_alarm', 'alarm_attacks.sql'),
  ('worker.walk_canaries', 'of people nothing; it ends the alarms of canaries as api.resolve_alarm'), ('admin.end_alarm', 'alarm_desk.sql'), ('worker.sweep_alarms', 'what is old'),
  ('worker.remind_senders', 'notifies'), ('worker.begin_emergency_waits', 'emergency_silence.sql'), ('worker.tell_emergencies', 'emergency_waits.sql'),
  ('api.delete_sender_profile', 'as delete_receiver_profile'), ('api.accept_invitation_by_code', 'as accept_invitation'),
  ('api.abandon_upload', 'an upload is seen by nobody until it is finished'), ('api.report_damage', 'an operator repairs it'),
  ('api.put_invitation_draft', 'read once, by the extension that opens next'), ('api.delete_invitation_draft', 'as put_invitation_draft'),
  ('api.take_invitation_draft', 'as put_invitation_draft'), ('api.give_feedback', 'no list has it'),
  ('api.sign_in', 'there is no list of sign-ins'), ('api.begin_linked_session', 'there is no list of sign-ins'), ('api.refresh_session', 'there is no list of sign-ins'), ('api.browser_session', 'there is no list of sign-ins'), ('api.request_code', 'there is no list of codes'),
  ('api.sign_out', 'the streams of the sign-ins end'),
  ('api.begin_nominees', 'reads'), ('api.get_document', 'reads; activity'), ('api.list_documents', 'reads; activity'), ('api.list_messages', 'reads; activity'),
  ('api.open_content', 'reads; activity'), ('api.read_chunk', 'reads; activity'), ('api.get_nominee', 'reads'), ('api.list_nominees', 'reads'), ('api.get_share', 'reads'),
  ('api.get_transfer', 'reads'), ('api.get_emergency_settings', 'reads'), ('api.list_emergency_requests', 'reads'), ('api.rehearse_emergency', 'writes nothing'), ('api.rehearse_alarm_plan', 'writes nothing'),
  ('api.preview_invitation', 'reads'), ('api.invitation_page', 'reads'), ('api.preview_code', 'counts an attempt'), ('api.render_events', 'reads'),
  ('api.claim_key', 'ours'), ('api.keep_answer', 'ours'), ('api.note_use', 'ours'), ('api.beat', 'ours'), ('api.end_beat', 'ours'), ('api.record_usage', 'ours'), ('api.probe_check_ins', 'ours'),
  ('api.authenticate_key', 'the tenant''s'), ('api.update_tenant', 'the tenant''s; apps read it when they start'), ('api.add_signing_key', 'the tenant''s'),
  ('api.create_api_key', 'the tenant''s'), ('api.delete_api_key', 'the tenant''s'), ('api.add_jwt_keys', 'the tenant''s'), ('api.revoke_jwt_key', 'the tenant''s'),
  ('api.add_webhook', 'the tenant''s'), ('api.rotate_webhook', 'the tenant''s'), ('api.delete_webhook', 'the tenant''s'), ('api.put_channel', 'the tenant''s'),
  ('api.delete_channel', 'the tenant''s'), ('api.set_tenant_texts', 'the tenant''s; texts are read when they are shown'),
  ('api.reset_tenant_texts', 'as set_tenant_texts'),
  ('worker.alarm_operator', 'operators'''), ('worker.operator_told', 'operators'''), ('worker.report_set_aside', 'operators'''), ('worker.note_channel', 'operators'''),
  ('worker.claim_deliveries', 'a delivery is on no screen'), ('worker.drop_expired_deliveries', 'as claim_deliveries'), ('worker.give_up_deliveries', 'as claim_deliveries'),
  ('worker.plan_deliveries', 'as claim_deliveries'), ('worker.plan_alarms', 'as claim_deliveries'), ('worker.set_aside_cancelled', 'operators'''), ('worker.sweep_uploads', 'as abandon_upload'), ('worker.sweep_invitations', 'after 90 days'),
  ('worker.sweep_vault_invitations', 'after their end'), ('worker.sweep_vaults', 'after 30 days'), ('worker.sweep', 'after their end'), ('worker.sweep_sign_in', 'after their end'),
  ('worker.analyze_tables', 'ours'), ('worker.drop_partitions', 'ours'), ('worker.expire_rows', 'ours'), ('worker.make_partitions', 'ours'), ('worker.beat', 'ours'), ('worker.end_beat', 'ours'), ('worker.note_loops', 'ours'), ('worker.sample_disk', 'ours'), ('worker.end_readers', 'ours'),
  ('worker.watch_server', 'ours'), ('worker.claim_webhooks', 'the tenant''s'), ('worker.finish_webhook', 'the tenant''s');

create function tests.shown(p_caller text, p_statement text, p_at timestamptz) returns text
  language plpgsql
as $$
declare
  v_event record;
  v_shown text;
begin
  delete from kith.events;
  delete from kith.act_counts;
  case p_caller
    when 'server' then perform tests.as_server('acme');
    when 'operator' then perform tests.as_role('kith_admin');
    when 'worker' then perform tests.as_role('kith_worker');
    when 'definer' then perform tests.as_definer('acme', 'alice');
    else perform tests.as_user('acme', p_caller);
  end case;
  begin
    execute p_statement using p_at;
  exception when others then
    perform tests.as_superuser();
    return sqlerrm;
  end;
  perform tests.as_superuser();
  v_shown := (
    select coalesce(string_agg(seen.line, ', ' order by seen.line collate "C"), '')
    from (
      select distinct person || ' ' || event.type as line
      from kith.events as event
      join unnest(array['alice', 'bob', 'carol', 'mallory']) as person on tests.id(person) = event.user_id
    ) as seen
  );
  -- Each can be rendered for its reader.
  for v_event in select * from kith.events loop
    perform set_config('role', 'kith_api', true), set_config('kith.tenant_id', v_event.tenant_id::text, true),
      set_config('kith.user_id', v_event.user_id::text, true);
    if (internal.told_event(v_event.type, v_event.subject_id, v_event.parent_id, v_event.ping_on, p_at)::jsonb ->> 'id') is null
      and v_event.type <> 'notifications_read'
    then
      v_shown := v_shown || format('; a %s cannot be rendered', v_event.type);
    end if;
    perform tests.as_superuser();
  end loop;
  return v_shown;
end
$$;

select plan(3 + (select count(*)::integer from acts));
select is(
  tests.shown(caller, statement, timestamptz '2026-03-10T06:00Z' + n * interval '1 minute'), shown, format('%s. %s by %s', n, act, caller)
)
from acts
order by n;

select is_empty(
  $$
    select format('%s.%s', pronamespace::regnamespace, proname)
    from pg_proc
    where provolatile = 'v' and (
      pronamespace in ('api'::regnamespace, 'worker'::regnamespace)
      -- Of what operators do, the acts that they do to people.
      or pronamespace = 'admin'::regnamespace and prosrc ~ 'internal\.(delete_|restore_vault|end_|hold_|release_)|kith\.(connections|vaults|nominees|users)\M'
    )
    except (select act from acts union all select act from silent union all select 'admin.' || name from unnest(array[
      -- Keys, channels and tenants.
      'end_api_key', 'revoke_jwt_keys', 'delete_channel', 'resume_tenant', 'delete_tenant', 'restore_tenant', 'purge_tenant', 'begin_purge', 'set_tenant', 'create_tenant', 'end_session', 'confirm_restore', 'declare_restore', 'confirm_nothing_lost', 'overview', 'note_channel_test', 'end_sessions',
      'story_of_ping', 'story_of_notification', 'story_of_user', 'delayed', 'pings_not_made', 'generate_daily_pings', 'replay_deliveries', 'replay_delivery', 'raise_quota'
    ]) as name)
  $$,
  'every procedure that writes is an act with an answer to who sees it, or has a reason why nobody does'
);
select is_empty(
  $$
    (select act from acts union select act from silent)
    except select format('%s.%s', pronamespace::regnamespace, proname) from pg_proc where pronamespace in ('api'::regnamespace, 'worker'::regnamespace, 'admin'::regnamespace)
  $$,
  'the table has existing procedures only'
);
select is_empty($$ select act from silent intersect select act from acts $$, 'no act is both shown and silent');

select * from finish();
rollback;
