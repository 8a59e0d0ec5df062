-- The permissions of every procedure in this part of the API, for every kind of caller. Alice (sender) and Bob (receiver) are
-- connected; Carol has no connection; Mallory is a stranger of the same tenant; Globex' Alice belongs to another tenant; the server
-- calls with the tenant's API key; nobody has no tenant and no user.
-- ok: succeeds. 404, 403, …: refused with that status. null: allowed, with an empty result.
begin;
\ir people.sql

create function tests.outcome(p_person text, p_statement text) returns text
  language plpgsql
as $$
declare
  v_answer text;
  v_outcome text;
begin
  case p_person
    when 'server' then perform tests.as_server('acme');
    when 'nobody' then perform tests.as_role('kith_api');
    when 'globex-alice' then perform tests.as_user('globex', p_person);
    else perform tests.as_user('acme', p_person);
  end case;
  begin
    execute p_statement into v_answer;
    v_outcome := coalesce(substring(v_answer from '"problem" : "([a-z_]+)"'), case when v_answer is null then 'null' else 'ok' end);
    -- Roll back each call, so that every caller meets the same state.
    raise exception 'undo' using errcode = 'TT000';
  exception
    when sqlstate 'TT000' then null;
    when others then
      v_outcome := regexp_replace(sqlstate, '^KT', '');
  end;
  perform tests.as_superuser();
  return v_outcome;
end
$$;

create table tests.matrix (
  n integer generated always as identity, action text, statement text,
  alice text, bob text, carol text, mallory text, globex_alice text, server text, nobody text
);
insert into tests.matrix (action, statement, alice, bob, carol, mallory, globex_alice, server, nobody)
values
  ('read their own break', $$ select api.get_break('2026-03-10T08:00Z') $$,
    'ok', '404', '404', '404', '404', '404', '404'),
  ('take a break', $$ select api.put_break('{"from": "2026-03-10", "until": "2026-03-12"}', '2026-03-10T08:00Z') $$,
    'ok', '409', '409', 'ok', 'ok', '401', '401'),
  ('end the break', $$ select api.delete_break('2026-03-10T08:00Z') $$,
    'null', '404', '404', '404', '404', '401', '401'),
  ('read the break on the connection', $$ select api.get_connection(tests.id('alice-bob'), '2026-03-10T08:00Z') ->> 'break' $$,
    'ok', 'ok', '404', '404', '404', '404', '404'),
  ('read every break', $$ select min(from_on) from kith.breaks $$,
    'ok', 'null', 'null', 'null', 'null', 'null', 'null'),
  ('write a break', $$ update kith.breaks set until_on = '2026-03-30' $$,
    '42501', '42501', '42501', '42501', '42501', '42501', '42501'),
  ('stop the pings of a connection', $$ update kith.connections set pings_stopped_at = '2026-03-10T08:00Z' $$,
    '42501', '42501', '42501', '42501', '42501', '42501', '42501'),
  ('change the end of their own subscription', $$ update kith.receiver_profiles set pings_stop_at = null $$,
    '42501', '42501', '42501', '42501', '42501', '42501', '42501'),
  ('read their own account', $$ select api.get_me() $$,
    'ok', 'ok', 'ok', 'ok', 'ok', '404', '404'),
  ('change their own account', $$ select api.update_me('{"display_name": "X"}', '{}', '2026-03-10T08:00Z') $$,
    'ok', 'ok', 'ok', 'ok', 'ok', '401', '401'),
  ('change their own number', $$
      select api.update_me(
        '{"phone": "+4915100000009"}',
        jsonb_build_object('phone', jsonb_build_object('id', gen_random_uuid(), 'hash', repeat('ab', 32), 'sealed', 'ab')), '2026-03-10T08:00Z'
      )
    $$,
    'ok', 'ok', 'ok', 'ok', 'ok', '401', '401'),
  ('confirm a number', $$ select api.verify_contact('sms', '+4915100000009', '{}', '2026-03-10T08:00Z') $$,
    'otp_invalid', 'otp_invalid', 'otp_invalid', 'otp_invalid', 'otp_invalid', '401', '401'),
  ('ask for a code to sign in', $$
      select api.request_code(
        'sms', '+4915100000009', null, null, jsonb_build_object('id', gen_random_uuid(), 'hash', repeat('ab', 32), 'sealed', 'ab'),
        '2026-03-10T08:00Z'
      )
    $$,
    '403', '403', '403', '403', '403', 'ok', '401'),
  ('sign in with a wrong code', $$ select api.sign_in('sms', '+4915100000009', null, '{}', gen_random_uuid(), sha256('x'), '2026-03-10T08:00Z') $$,
    '403', '403', '403', '403', '403', 'otp_invalid', '401'),
  ('look at a link of an unknown user', $$ select api.sign_in_link(gen_random_uuid(), gen_random_uuid(), '2026-03-10T08:00Z') $$,
    '403', '403', '403', '403', '403', 'null', '401'),
  ('sign in by a link of an unknown user', $$
      select api.begin_linked_session(gen_random_uuid(), gen_random_uuid(), '2026-03-10T08:00Z', sha256('x'), '2026-03-10T08:00Z')
    $$,
    '403', '403', '403', '403', '403', 'null', '401'),
  ('refresh with an unknown token', $$ select api.refresh_session(sha256('x'), sha256('y'), '2026-03-10T08:00Z') $$,
    'unauthenticated', 'unauthenticated', 'unauthenticated', 'unauthenticated', 'unauthenticated', 'unauthenticated', 'unauthenticated'),
  ('find the sign-in of an unknown cookie', $$ select api.browser_session(sha256('x'), null, '2026-03-10T08:00Z') $$,
    'null', 'null', 'null', 'null', 'null', 'null', 'null'),
  ('sign out everywhere', $$ select api.sign_out(null, true, '2026-03-10T08:00Z') $$,
    'null', 'null', 'null', 'null', 'null', '401', '401'),
  ('end Bob''s sign-in directly', $$ select api.sign_out('000b0b00-0000-7000-8000-0000000000ff', false, '2026-03-10T08:00Z') $$,
    'null', 'null', 'null', 'null', 'null', '401', '401'),
  ('list the identity provider''s keys', $$ select api.list_jwt_keys() $$,
    '403', '403', '403', '403', '403', 'ok', '401'),
  ('add an identity provider''s key', $$ select api.add_jwt_keys('[]', '2026-03-10T08:00Z') $$,
    '403', '403', '403', '403', '403', 'ok', '401'),
  ('revoke an identity provider''s key', $$ select api.revoke_jwt_key(gen_random_uuid(), '2026-03-10T08:00Z') $$,
    '403', '403', '403', '403', '403', '404', '401'),
  ('list the channels', $$ select api.list_channels('') $$,
    '403', '403', '403', '403', '403', 'ok', '401'),
  ('set a channel', $$ select api.put_channel('email', '{}', '\x00', '', '2026-03-10T08:00Z') $$,
    '403', '403', '403', '403', '403', 'ok', '401'),
  ('read a channel''s credentials', $$ select api.sealed_channel('sms') $$,
    '403', '403', '403', '403', '403', 'ok', '401'),
  ('delete a channel', $$ select api.delete_channel('sms', '2026-03-10T08:00Z') $$,
    '403', '403', '403', '403', '403', 'null', '401'),
  ('read the web push key', $$ select api.web_push_key() $$,
    'ok', 'ok', 'ok', 'ok', '404', '401', '401'),
  ('read every credential', $$ select min(channel) from kith.channel_credentials $$,
    '42501', '42501', '42501', '42501', '42501', '42501', '42501'),
  ('read every undelivered alarm', $$ select min(type) from kith.undelivered_alarms $$,
    '42501', '42501', '42501', '42501', '42501', '42501', '42501'),
  ('read the sender profile', $$ select api.get_sender_profile() $$,
    'ok', '404', '404', 'ok', 'ok', '401', '401'),
  ('read the receiver profile', $$ select api.get_receiver_profile('2026-03-10T08:00Z') $$,
    '404', 'ok', 'ok', 'ok', '404', '404', '404'),
  ('list the codes', $$ select api.list_codes('2026-03-10T08:00Z') -> 'items' ->> 0 $$,
    'ok', 'ok', 'ok', 'ok', 'ok', 'null', 'null'),
  ('create a sender''s code', $$ select api.create_code('{"role": "sender"}', '2026-03-10T08:00Z') $$,
    'ok', '409', '409', 'ok', 'ok', '401', '401'),
  ('preview Carol''s code', $$ select api.preview_code('333333', '2026-03-10T08:00Z') $$,
    'ok', 'ok', 'self_connection', 'ok', 'invalid_code', '401', '401'),
  ('connect with Carol', $$ select api.create_connection('333333', '2026-03-10T08:00Z') $$,
    'ok', 'profile_required', 'self_connection', 'ok', 'invalid_code', '401', '401'),
  ('connect with Alice', $$ select api.create_connection('111111', '2026-03-10T08:00Z') $$,
    'self_connection', 'connection_exists', 'ok', 'ok', 'self_connection', '401', '401'),
  ('read the connection', $$ select api.get_connection(tests.id('alice-bob'), '2026-03-10T08:00Z') $$,
    'ok', 'ok', '404', '404', '404', '404', '404'),
  ('list connections', $$ select api.list_connections(null, null, 50, null, '2026-03-10T08:00Z') -> 'items' ->> 0 $$,
    'ok', 'ok', 'null', 'null', 'ok', 'null', 'null'),
  ('read the dashboard', $$ select api.get_dashboard('sender', null, null, null, '2026-03-10T08:00Z') -> 'items' ->> 0 $$,
    'ok', 'null', 'null', 'null', 'ok', 'null', 'null'),
  ('pause', $$ select api.pause_connection(tests.id('alice-bob'), '2026-03-10T08:00Z') $$,
    'ok', '403', '404', '404', '404', '401', '401'),
  ('resume an active connection', $$ select api.resume_connection(tests.id('alice-bob'), '2026-03-10T08:00Z') $$,
    '409', '403', '404', '404', '404', '401', '401'),
  ('consent to an active connection', $$ select api.consent_connection(tests.id('alice-bob'), '2026-03-10T08:00Z') $$,
    '403', '409', '404', '404', '404', '401', '401'),
  ('remove', $$ select api.remove_connection(tests.id('alice-bob'), '2026-03-10T08:00Z') $$,
    'null', 'null', '404', '404', '404', '401', '401'),
  ('name the other side', $$ select api.update_connection(tests.id('alice-bob'), '{"alias": "X"}', '2026-03-10T08:00Z') $$,
    'ok', 'ok', '404', '404', '404', '401', '401'),
  ('read the names of other sides', $$ select min(alias) from internal.own_aliases $$,
    'null', 'null', 'null', 'null', 'null', 'null', 'null'),
  ('read a name in the table', $$ select min(alias_by_sender) from kith.connections $$,
    '42501', '42501', '42501', '42501', '42501', '42501', '42501'),
  ('list the pings of a period', $$ select api.list_pings(null, '2026-03-01', '2026-03-10', null, 50, null, '2026-03-10T08:00Z') -> 'items' ->> 0 $$,
    'ok', 'ok', 'null', 'null', 'null', 'null', 'null'),
  ('stop being a sender', $$ select api.delete_sender_profile('2026-03-10T08:00Z') $$,
    'null', '404', '404', 'null', 'null', '401', '401'),
  ('stop being a receiver', $$ select api.delete_receiver_profile('2026-03-10T08:00Z') $$,
    '404', 'null', 'null', 'null', '404', '401', '401'),
  ('read Bob''s notification', $$ select api.read_notification('019cd6c2-8c00-7000-8000-000000000001', '2026-03-10T08:00Z') $$,
    '404', 'null', '404', '404', '404', '404', '404'),
  ('list notifications', $$ select api.list_notifications(false, null, 50, null) -> 'items' ->> 0 $$,
    'null', 'ok', 'null', 'null', 'null', 'null', 'null'),
  ('read the event feed', $$ select api.events_after('1773129600000-3', 10, '2026-03-10T08:00Z') $$,
    'ok', 'ok', 'ok', 'ok', 'ok', '401', '401'),
  ('tail the feed of all users', $$ select horizon from api.tail_events(null, null, 1) $$,
    '403', '403', '403', '403', '403', '403', 'ok'),
  ('read every event', $$ select min(type) from kith.events where user_id is distinct from kith.user_id() $$,
    'null', 'null', 'null', 'null', 'null', 'null', 'null'),
  ('write an event', $$
      insert into kith.events (tenant_id, id, user_id, type)
      values (tests.tenant('acme'), internal.uuid7('2026-03-10T08:00Z'), tests.id('bob'), 'notifications_read') returning type
    $$,
    '42501', '42501', '42501', '42501', '42501', '42501', '42501'),
  ('write an event by its function', $$
      select internal.emit_event(tests.tenant('acme'), tests.id('bob'), 'notifications_read', null, null, null, '2026-03-10T08:00Z')
    $$,
    '42501', '42501', '42501', '42501', '42501', '42501', '42501'),
  ('list the webhooks', $$ select api.list_webhooks() $$,
    '403', '403', '403', '403', '403', 'ok', '401'),
  ('list the devices', $$ select api.list_devices() -> 'items' ->> 0 $$,
    'ok', 'null', 'null', 'null', 'null', '401', '401'),
  ('add a device', $$ select api.put_device('{"platform": "ios", "token": "x"}', '2026-03-10T08:00Z') $$,
    'ok', 'ok', 'ok', 'ok', 'ok', '401', '401'),
  ('take Alice''s device', $$ select api.put_device('{"platform": "ios", "token": "alices"}', '2026-03-10T08:00Z') $$,
    'ok', 'ok', 'ok', 'ok', 'ok', '401', '401'),
  ('delete Alice''s device', $$ select api.delete_device('alices', '2026-03-10T12:00Z') $$,
    'null', '404', '404', '404', '404', '401', '401'),
  ('list the blocks', $$ select api.list_blocks(50, null) -> 'items' ->> 0 $$,
    'ok', 'null', 'null', 'null', 'null', '401', '401'),
  ('read the block of Dave', $$ select api.get_block('0da0e000-0000-7000-8000-000000000005') $$,
    'ok', '404', '404', '404', '404', '401', '401'),
  ('block Bob', $$ select api.put_block(tests.id('bob'), '2026-03-10T08:00Z') $$,
    'ok', '404', '404', '404', '404', '401', '401'),
  ('unblock Dave', $$ select api.delete_block('0da0e000-0000-7000-8000-000000000005', '2026-03-10T08:00Z') $$,
    'null', '404', '404', '404', '404', '401', '401'),
  ('read the quiet hours', $$ select api.get_quiet_hours() $$,
    'ok', '404', '404', '404', '404', '404', '404'),
  ('set quiet hours', $$ select api.put_quiet_hours('{"from": "22:00", "until": "07:00"}', '2026-03-10T08:00Z') $$,
    'ok', 'ok', 'ok', 'ok', 'ok', '401', '401'),
  ('delete the quiet hours', $$ select api.delete_quiet_hours('2026-03-10T08:00Z') $$,
    'null', 'null', 'null', 'null', 'null', '401', '401'),
  ('set preferences', $$ select api.put_notification_preferences('{"preferences": []}', '2026-03-10T08:00Z') $$,
    'ok', 'ok', 'ok', 'ok', 'ok', '401', '401'),
  ('export their own data', $$ select api.export_me(null, '2026-03-10T08:00Z') $$,
    'ok', 'ok', 'ok', 'ok', 'ok', '404', '404'),
  ('delete their own account', $$ select api.delete_me(null, '2026-03-10T08:00Z') $$,
    'null', 'null', 'null', 'null', 'null', '401', '401'),
  ('delete a user''s account', $$ select api.delete_user(tests.id('bob'), null, '2026-03-10T08:00Z') $$,
    '403', '403', '403', '403', '403', 'null', '401'),
  ('delete an account of another tenant', $$ select api.delete_user(tests.id('globex-bob'), null, '2026-03-10T08:00Z') $$,
    '403', '403', '403', '403', '403', '404', '401'),
  ('import users', $$ select api.import_users('[]', '2026-03-10T08:00Z') $$,
    '403', '403', '403', '403', '403', 'ok', '401'),
  ('invite', $$ select api.create_connection_invitation('[{"given_phone": "x", "problem": "no_number"}]', false, 'https://kith.example', '2026-03-10T08:00Z') $$,
    'ok', '409', '409', 'ok', 'ok', '401', '401'),
  ('begin an invitation', $$ select api.begin_connection_invitation(1, false, '2026-03-10T08:00Z') $$,
    'ok', '409', '409', 'ok', 'ok', '404', '404'),
  ('read Alice''s invitation', $$ select api.get_connection_invitation('019cd6c2-8c00-7000-8000-000000000002') $$,
    'ok', '404', '404', '404', '404', '404', '404'),
  ('list invitations', $$ select api.list_connection_invitations(50, null) -> 'items' ->> 0 $$,
    'ok', 'null', 'null', 'null', 'null', 'null', 'null'),
  ('report on Alice''s invitation',
    $$ select api.report_invitation_outcome('019cd6c2-8c00-7000-8000-000000000002', 1, 'sent', '2026-03-10T08:00Z') $$,
    'ok', '404', '404', '404', '404', '401', '401'),
  ('report on Alice''s invitation as a whole',
    $$ select api.report_invitation_outcomes('019cd6c2-8c00-7000-8000-000000000002', '{"outcome": "cancelled"}', '2026-03-10T08:00Z') $$,
    'ok', '404', '404', '404', '404', '401', '401'),
  ('see the first screen', $$ select api.home('2026-03-10T08:00Z') $$,
    'ok', 'ok', 'ok', 'ok', 'ok', '401', '401'),
  ('see the frame of a page', $$ select api.page_frame('2026-03-10T08:00Z') $$,
    'ok', 'ok', 'ok', 'ok', 'ok', '404', '404'),
  ('find the place of what a message is about', $$ select api.place_of('nominee', gen_random_uuid()) $$,
    'ok', 'ok', 'ok', 'ok', 'ok', '401', '401'),
  ('bring in what an app has had', $$ select api.import_items('[]', '2026-03-10T08:00Z') $$,
    '403', '403', '403', '403', '403', 'ok', '401'),
  ('list API keys', $$ select api.list_api_keys('2026-03-10T08:00Z') $$,
    '403', '403', '403', '403', '403', '401', '401'),
  ('create an API key', $$ select api.create_api_key('{"name": "x", "scopes": ["all"]}', '2026-03-10T08:00Z') $$,
    '403', '403', '403', '403', '403', '401', '401'),
  ('end an API key', $$ select api.delete_api_key(gen_random_uuid(), '2026-03-10T08:00Z') $$,
    '403', '403', '403', '403', '403', '401', '401'),
  ('read the keys themselves', $$ select id from kith.api_keys $$,
    '42501', '42501', '42501', '42501', '42501', '42501', '42501'),
  ('open a tenant''s page', $$ select api.page_tenant(null, 'acme', null, 'https://kith.example') $$,
    'ok', 'ok', 'ok', 'ok', 'null', 'ok', 'ok'),
  ('see a tenant''s mark', $$ select api.brand_mark(null, 'acme') $$,
    'null', 'null', 'null', 'null', 'null', 'null', 'null'),
  ('create a user', $$ select api.put_user('{}', '2026-03-10T08:00Z') $$,
    '403', '403', '403', '403', '403', 'ok', '401'),
  ('list users', $$ select api.list_users(null, null, null, 50, null) $$,
    '403', '403', '403', '403', '403', 'ok', '401'),
  ('read a user', $$ select api.get_user(tests.id('bob')) $$,
    '403', '403', '403', '403', '403', 'ok', '401'),
  ('read a user of another tenant', $$ select api.get_user(tests.id('globex-bob')) $$,
    '403', '403', '403', '403', '403', '404', '401'),
  ('change a user', $$ select api.update_user(tests.id('bob'), '{}', '2026-03-10T08:00Z') $$,
    '403', '403', '403', '403', '403', 'ok', '401'),
  ('set a subscription', $$ select api.set_subscription(tests.id('bob'), '{"status": "active"}', '2026-03-10T08:00Z') $$,
    '403', '403', '403', '403', '403', 'ok', '401'),
  ('read the settings', $$ select api.get_tenant() $$,
    '403', '403', '403', '403', '403', 'ok', '401'),
  ('change the settings', $$ select api.update_tenant('{}', '2026-03-10T08:00Z') $$,
    '403', '403', '403', '403', '403', 'ok', '401'),
  ('get the signing key', $$ select api.signing_key('2026-03-10T08:00Z') $$,
    '403', '403', '403', '403', '403', 'null', '401'),
  ('create a token', $$ select api.token_subject(tests.id('bob')) $$,
    '403', '403', '403', '403', '403', 'ok', '401'),
  ('read every user', $$ select min(display_name) from kith.users where id is distinct from kith.user_id() $$,
    'null', 'null', 'null', 'null', 'null', 'null', 'null'),
  ('read every connection', $$ select min(counterpart_name) from internal.own_connections $$,
    'ok', 'ok', 'null', 'null', 'ok', 'null', 'null'),
  ('read every sender''s times', $$ select min(ping_time) from kith.sender_profiles where user_id is distinct from kith.user_id() $$,
    'null', 'ok', 'null', 'null', 'null', 'null', 'null'),
  ('read every code', $$ select min(code) from kith.unique_codes where user_id is distinct from kith.user_id() $$,
    'null', 'null', 'null', 'null', 'null', 'null', 'null'),
  ('read every subscription', $$ select min(subscription_status) from kith.receiver_profiles where user_id is distinct from kith.user_id() $$,
    'null', 'null', 'null', 'null', 'null', 'null', 'null'),
  ('read every ping', $$ select min(status) from kith.pings $$,
    'ok', 'ok', 'null', 'null', 'null', 'null', 'null'),
  ('read every notification', $$ select min(body) from kith.notifications where user_id is distinct from kith.user_id() $$,
    'null', 'null', 'null', 'null', 'null', 'null', 'null'),
  ('read every device', $$ select min(token) from kith.devices $$,
    'ok', 'null', 'null', 'null', 'null', 'null', 'null'),
  ('read every block', $$ select min(blocked_id::text) from kith.blocks $$,
    'ok', 'null', 'null', 'null', 'null', 'null', 'null'),
  ('read all quiet hours', $$ select min(starts_at) from kith.quiet_hours $$,
    'ok', 'null', 'null', 'null', 'null', 'null', 'null'),
  ('read all preferences', $$ select min(type) from kith.notification_preferences $$,
    'ok', 'null', 'null', 'null', 'null', 'null', 'null'),
  ('insert a device directly', $$ insert into kith.devices values (1) $$,
    '42501', '42501', '42501', '42501', '42501', '42501', '42501'),
  ('insert a block directly', $$ insert into kith.blocks values (1) $$,
    '42501', '42501', '42501', '42501', '42501', '42501', '42501'),
  ('delete an account directly', $$ select internal.delete_user(tests.id('bob'), 'x', null, false, '2026-03-10T08:00Z') $$,
    '42501', '42501', '42501', '42501', '42501', '42501', '42501'),
  ('read every invited number', $$ select min(phone) from kith.connection_invitation_recipients $$,
    'ok', 'null', 'null', 'null', 'null', 'null', 'null'),
  ('read every invitation', $$ select min(code) from kith.connection_invitations $$,
    'ok', 'null', 'null', 'null', 'null', 'null', 'null'),
  ('invite in Alice''s name',
    $$
      insert into kith.connection_invitations (tenant_id, id, user_id, message, code, url, recipients, created_at)
      values (kith.tenant_id(), gen_random_uuid(), tests.id('alice'), '', '', '', 1, '2026-03-10T08:00Z') returning 'done'
    $$,
    '42501', '42501', '42501', '42501', '42501', '42501', '42501'),
  ('change an invited number', $$ update kith.connection_invitation_recipients set phone = '+4915199999999' $$,
    '42501', '42501', '42501', '42501', '42501', '42501', '42501'),
  ('change the outcome of every text', $$ update kith.connection_invitation_recipients set status = 'sent' returning 'done' $$,
    '42501', '42501', '42501', '42501', '42501', '42501', '42501'),
  ('complete Alice''s ping', $$ update kith.pings set status = 'completed', completed_at = '2026-03-10T09:30Z' returning status $$,
    '42501', '42501', '42501', '42501', '42501', '42501', '42501'),
  ('change another user''s account', $$ update kith.users set display_name = 'X' where id is distinct from kith.user_id() returning 'done' $$,
    '42501', '42501', '42501', '42501', '42501', '42501', '42501'),
  ('change Bob''s notification', $$ update kith.notifications set read_at = '2026-03-10T08:00Z' returning 'done' $$,
    'null', 'ok', 'null', 'null', 'null', 'null', 'null'),
  ('rewrite a notification', $$ update kith.notifications set body = 'X' $$,
    '42501', '42501', '42501', '42501', '42501', '42501', '42501'),
  ('swap a connection''s sides', $$ update kith.connections set receiver_id = sender_id $$,
    '42501', '42501', '42501', '42501', '42501', '42501', '42501'),
  ('delete a connection''s row', $$ delete from kith.connections $$,
    '42501', '42501', '42501', '42501', '42501', '42501', '42501'),
  ('read the audit', $$ select min(action) from kith.audit $$,
    '42501', '42501', '42501', '42501', '42501', '42501', '42501'),
  ('read the API keys', $$ select min(name) from kith.api_keys $$,
    '42501', '42501', '42501', '42501', '42501', '42501', '42501'),
  ('read the one-time codes', $$ select min(address) from kith.otp_codes $$,
    '42501', '42501', '42501', '42501', '42501', '42501', '42501'),
  ('read the sign-ins', $$ select min(created_at) from kith.token_families $$,
    '42501', '42501', '42501', '42501', '42501', '42501', '42501'),
  ('read the refresh tokens', $$ select min(created_at) from kith.refresh_tokens $$,
    '42501', '42501', '42501', '42501', '42501', '42501', '42501'),
  ('read the outbox', $$ select min(body) from kith.deliveries $$,
    '42501', '42501', '42501', '42501', '42501', '42501', '42501'),
  ('write their own number directly', $$ update kith.users set phone = '+4915100000009' where id = kith.user_id() $$,
    '42501', '42501', '42501', '42501', '42501', '42501', '42501'),
  ('act as an operator', $$ select admin.create_tenant('x', 'X') $$,
    '42501', '42501', '42501', '42501', '42501', '42501', '42501'),
  ('act as the worker', $$ select worker.generate_daily_pings('2026-03-10T08:00Z', 10) $$,
    '42501', '42501', '42501', '42501', '42501', '42501', '42501');

insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
values (
  tests.tenant('acme'), '2026-03-10', tests.id('alice-bob'), gen_random_uuid(), tests.id('alice'), tests.id('bob'), 'due',
  '2026-03-10T09:00Z', '2026-03-10T10:30Z'
);
insert into kith.notifications (tenant_id, id, user_id, type, body, created_at)
values (
  tests.tenant('acme'), '019cd6c2-8c00-7000-8000-000000000001', tests.id('bob'), 'ping_missed', 'Alice has not checked in today.', '2026-03-10T08:00Z'
);

insert into kith.breaks (tenant_id, id, user_id, from_on, until_on, starts_at, ends_at, told_until_on, created_at, updated_at)
values (
  tests.tenant('acme'), gen_random_uuid(), tests.id('alice'), '2026-03-09', '2026-03-20', '2026-03-09T00:00Z', '2026-03-21T00:00Z',
  '2026-03-20', '2026-03-01T00:00Z', '2026-03-01T00:00Z'
);
update kith.sender_profiles set break_from_on = '2026-03-09', break_until_on = '2026-03-20' where user_id = tests.id('alice');

insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
select tests.tenant('acme'), channel, '{"public_key": "B"}', '\x00', now(), now() from unnest(array['sms', 'web_push']) as channel;

-- Alice has a device, has blocked Dave, and has quiet hours and notification preferences.
insert into kith.users (tenant_id, id, display_name, tokens_valid_from, created_at, updated_at)
values (tests.tenant('acme'), '0da0e000-0000-7000-8000-000000000005', 'Dave', now(), now(), now());
insert into kith.devices (tenant_id, token, user_id, platform, environment, created_at, last_seen_at)
values (tests.tenant('acme'), 'alices', tests.id('alice'), 'ios', 'production', now(), now());
insert into kith.blocks values (tests.tenant('acme'), tests.id('alice'), '0da0e000-0000-7000-8000-000000000005', now());
insert into kith.quiet_hours values (tests.tenant('acme'), tests.id('alice'), '22:00', '07:00', now());
insert into kith.notification_preferences values (tests.tenant('acme'), tests.id('alice'), 'ping_completed', '{}', now());
insert into kith.connection_invitations (tenant_id, id, user_id, message, code, url, recipients, created_at)
values (
  tests.tenant('acme'), '019cd6c2-8c00-7000-8000-000000000002', tests.id('alice'), 'Come', '111111', 'https://a.example', 1,
  '2026-03-10T08:00Z'
);
insert into kith.connection_invitation_recipients (tenant_id, invitation_id, n, user_id, given_phone, phone, status, updated_at)
values (
  tests.tenant('acme'), '019cd6c2-8c00-7000-8000-000000000002', 1, tests.id('alice'), '+4915112345678', '+4915112345678', 'pending',
  '2026-03-10T08:00Z'
);

select plan((select count(*) * 7 from tests.matrix)::integer);

select is(tests.outcome(person, statement), expected, format('%s: %s', person, action))
from tests.matrix
cross join lateral (values
  ('alice', alice), ('bob', bob), ('carol', carol), ('mallory', mallory), ('globex-alice', globex_alice), ('server', server),
  ('nobody', nobody)
) as expectation (person, expected)
order by n;

select * from finish();
rollback;
