-- Deleting an account leaves no personal data (A04) in any column of any table, including tables that are added later.
begin;
\ir people.sql
select plan(82);

-- Searches every table of ours; partitions are searched through their parents.
create function tests.places(p_pattern text) returns text
  language plpgsql
as $$
declare
  v_table text;
  v_found boolean;
  v_places text[] := '{}';
begin
  for v_table in
    select relname from pg_class where relnamespace = 'kith'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1
  loop
    execute format('select exists (select from kith.%I as row where row::text ~* $1)', v_table) into v_found using p_pattern;
    if v_found then
      v_places := v_places || v_table;
    end if;
  end loop;
  return array_to_string(v_places, ' ');
end
$$;
create function tests.bodies(p_person text) returns text
  language sql
as $$
  select string_agg(title || ': ' || body, '; ' order by created_at, body)
  from tests.notifications
  where user_id = tests.id(p_person)
$$;

-- Zoe has everything that an account can have: she is a sender like Alice, and Bob and Carol receive her pings.
select tests.as_server('acme');
create temporary table zoe as
select (api.put_user(
  '{"display_name": "Zoe Zander", "phone": "+491590000077", "email": "Zoe@zander.example", "external_id": "zander-77"}',
  '2026-03-02T08:00:00Z'
) ->> 'id')::uuid as id;
select api.update_user((select id from zoe), '{"locale": "de"}', '2026-03-02T08:00:00Z') \g /dev/null
grant select on zoe to public;
select tests.as_superuser();
create function tests.as_zoe() returns void
  language plpgsql
as $$
begin
  perform tests.as_user('acme', 'alice');
  perform set_config('kith.user_id', (select id from zoe)::text, true);
end
$$;
create function tests.of_zoe(p_with text) returns uuid
  language sql
as $$
  select id from kith.connections
  where tenant_id = tests.tenant('acme') and (select id from zoe) in (sender_id, receiver_id) and tests.id(p_with) in (sender_id, receiver_id)
$$;
select tests.as_zoe();
select api.put_sender_profile('{"ping_time": "09:00", "time_zone": "Europe/Berlin"}', '2026-03-02T08:01:00Z') \g /dev/null
select api.put_receiver_profile('{}', '2026-03-02T08:01:00Z') \g /dev/null
create temporary table zoes as
select api.get_sender_profile() ->> 'code' as sends, api.get_receiver_profile('2026-03-02T08:01:00Z') ->> 'code' as receives;
grant select on zoes to public;
select api.put_device('{"platform": "web", "token": "https://push.example/zander-device", "keys": {"p256dh": "zander-p", "auth": "zander-a"}}', '2026-03-02T08:02:00Z') \g /dev/null
select api.put_quiet_hours('{"from": "22:00", "until": "07:00"}', '2026-03-02T08:02:00Z') \g /dev/null
select api.put_notification_preferences('{"preferences": [{"type": "ping_completed", "channels": []}]}', '2026-03-02T08:02:00Z') \g /dev/null
select api.create_connection('222222', '2026-03-02T08:03:00Z') \g /dev/null
select api.create_connection('333333', '2026-03-02T08:04:00Z') \g /dev/null
select api.check_in('Zoe was at the Zander house', false, null, 'app', '2026-03-02T08:10:00Z') \g /dev/null
select tests.as_user('acme', 'mallory');
select api.create_connection((select receives from zoes), '2026-03-02T08:05:00Z') \g /dev/null
select tests.as_zoe();
select api.pause_connection(tests.of_zoe('carol'), '2026-03-02T08:20:00Z') \g /dev/null
select tests.as_role('kith_admin');
select admin.soft_delete_connection('acme', tests.of_zoe('carol'), 'Zoe Zander asked by mail', '2026-03-02T08:21:00Z') \g /dev/null
select admin.reactivate_connection('acme', tests.of_zoe('carol'), 'a mistake of Zoe Zander', '2026-03-02T08:22:00Z') \g /dev/null
select tests.as_zoe();
select api.put_break('{"from": "2026-03-02", "until": "2026-03-05"}', '2026-03-02T08:23:00Z') \g /dev/null
select tests.as_server('acme');
select api.set_subscription((select id from zoe), '{"status": "expired"}', '2026-03-02T08:24:00Z') \g /dev/null
select tests.as_role('kith_worker');
select worker.settle_subscriptions('2026-03-02T08:25:00Z', 100) \g /dev/null
select tests.as_zoe();
select api.create_connection_invitation(
  '[{"name": "Zoe''s mother", "given_phone": "1", "phone": "+491590000078"}]', false, 'https://kith.example', '2026-03-02T08:26:00Z'
) \g /dev/null
select tests.as_superuser();
-- She has signed in with a code, and is about to change her address.
select internal.enter_tenant('acme') \g /dev/null
select internal.begin_session((select id from zoe), gen_random_uuid(), sha256('zandertoken'), '2026-03-02T08:00Z') \g /dev/null
select internal.leave_tenant() \g /dev/null
update kith.users set phone_verified_at = '2026-03-02T08:00Z', pending_email = 'new@zander.example' where id = (select id from zoe);
with codes as (
  insert into kith.otp_codes (tenant_id, id, purpose, address, user_id, code_hash, created_at, expires_at)
  select tests.tenant('acme'), internal.uuid7('2026-03-02T08:00Z'), purpose, address,
    case purpose when 'contact' then (select id from zoe) end, sha256(''), '2026-03-02T08:00Z', '2026-03-02T08:10Z'
  from (values ('sign_in', '+491590000077'), ('contact', 'new@zander.example')) as sent (purpose, address)
  returning id, address
)
insert into kith.deliveries (tenant_id, id, channel, purpose, address, body, next_attempt_at, expires_at, created_at)
select tests.tenant('acme'), id, 'sms', 'sign_in_code', address, 'code', '2026-03-02T08:00Z', '2026-03-02T08:10Z', '2026-03-02T08:00Z'
from codes;
-- Her notifications go to her addresses, and one alarm does not reach her.
insert into kith.notifications (tenant_id, id, user_id, type, body, created_at)
select tests.tenant('acme'), internal.uuid7('2026-03-02T08:00Z'), id, 'ping_missed', 'Missed', '2026-03-02T08:00Z' from zoe;
select worker.plan_deliveries('2026-03-02T08:30Z', 100, true) \g /dev/null
insert into kith.undelivered_alarms (tenant_id, notification_id, user_id, type, at)
select tests.tenant('acme'), notification_id, (select id from zoe), 'ping_missed', '2026-03-02T08:40Z'
from kith.deliveries where notification_id is not null and address like '%zander%' limit 1;
insert into kith.otp_tries values (tests.tenant('acme'), gen_random_uuid(), '+491590000077', '2026-03-02T08:00Z');
insert into kith.idempotency_keys (tenant_id, caller, key, fingerprint, sealed_answer, created_at, expires_at)
select tests.tenant('acme'), 'user:' || id, 'k', sha256(''), '\x00', now(), now() from zoe;
select tests.as_zoe();
select api.put_block(tests.id('mallory'), '2026-03-02T08:30:00Z') \g /dev/null
select tests.as_role('kith_admin');
select admin.set_tenant('acme', '{"sms_enabled": true}') \g /dev/null
select tests.as_user('acme', 'mallory');
create temporary table invited as
select (api.create_connection_invitation(
  '[{"name": "Zoe Zander", "given_phone": "+49 159 0000077", "phone": "+491590000077"},
    {"name": "Otto", "given_phone": "+49 159 0000079", "phone": "+491590000079"}]',
  true, 'https://kith.example', '2026-03-02T08:27:00Z'
) ->> 'id')::uuid as id;
select api.put_block((select id from zoe), '2026-03-02T08:31:00Z') \g /dev/null

-- She has a vault with Bob as a nominee, and is a nominee with him in one of Carol's, who offers it to her as well.
create temporary table vaulted (zoes uuid, carols uuid);
grant all on vaulted to public;
insert into vaulted values (null, null);
select tests.as_zoe();
update vaulted set zoes = (api.create_vault('{"name": "Zander papers"}', '2026-03-02T08:40Z') ->> 'id')::uuid;
select tests.as_user('acme', 'carol');
update vaulted set carols = (api.create_vault('{"name": "Carol''s papers", "full_may_open": true}', '2026-03-02T08:40Z') ->> 'id')::uuid;
select tests.as_superuser();
insert into kith.nominees (
  tenant_id, id, vault_id, owner_id, user_id, name, phone, email, status, access_level, invited_at, invited_by_user_id, updated_at
)
select tests.tenant('acme'), internal.uuid7('2026-03-02T08:41Z'), vault, owner, person, name, phone, email, status, 'full', '2026-03-02T08:41Z', owner,
  '2026-03-02T08:41Z'
from vaulted, zoe, lateral (values
  (zoes, zoe.id, tests.id('bob'), 'Bob', null, 'bob@zander.example', 'accepted'),
  (zoes, zoe.id, null, 'Zoe''s sister', '+491590000078', null, 'pending'),
  (carols, tests.id('carol'), zoe.id, 'Zoe Zander', '+491590000077', null, 'accepted'),
  (carols, tests.id('carol'), tests.id('bob'), 'Bob', null, null, 'accepted'),
  (carols, tests.id('carol'), null, 'Zoe again', '+491590000077', 'zoe2@zander.example', 'pending')
) as nominees (vault, owner, person, name, phone, email, status);
-- Emergency access in both directions: Bob asks for hers, and she asks for Carol's.
insert into kith.emergency_settings (
  tenant_id, nominee_id, vault_id, owner_id, wait_hours, access_level, on_request, visible, visible_since, created_at, updated_at
)
select tenant_id, id, vault_id, owner_id, 24, 'view', true, true, '2026-03-02T08:41Z', '2026-03-02T08:41Z', '2026-03-02T08:41Z'
from kith.nominees where status = 'accepted';
select tests.as_user('acme', 'bob') \g /dev/null
select api.request_emergency_access((select zoes from vaulted), 'Zoe Zander does not answer', '2026-03-02T08:42Z') \g /dev/null
select tests.as_zoe() \g /dev/null
select api.request_emergency_access((select carols from vaulted), 'I am Zoe Zander', '2026-03-02T08:42Z') \g /dev/null
select tests.as_superuser() \g /dev/null
insert into kith.nominee_invitations (tenant_id, id, vault_id, nominee_id, owner_id, token_hash, channel, created_at, expires_at)
select tenant_id, gen_random_uuid(), vault_id, id, owner_id, sha256(id::text::bytea), 'link', '2026-03-02T08:41Z', '2026-03-09T08:41Z'
from kith.nominees where status = 'pending';
insert into kith.document_versions (tenant_id, id, vault_id, document_id, state, created_by, created_at, chunks, size, chunk_size)
select tests.tenant('acme'), zoes, zoes, zoes, 'current', zoe.id, '2026-03-02T08:41Z', 1, 1, 4096 from vaulted, zoe;
insert into kith.document_chunks select tests.tenant('acme'), zoes, 0, '\x00' from vaulted;
insert into kith.documents (tenant_id, id, vault_id, owner_id, version_id, name, content_type, size, sha256, created_at, created_by, updated_at)
select tests.tenant('acme'), zoes, zoes, zoe.id, zoes, 'zander.pdf', 'application/pdf', 1, sha256(''), '2026-03-02T08:41Z', zoe.id, '2026-03-02T08:41Z'
from vaulted, zoe;
insert into kith.vault_keys select tests.tenant('acme'), zoes, '\x00', '2026-03-02T08:41Z' from vaulted;
insert into kith.drafts select tests.tenant('acme'), zoe.id, carols, '2026-03-02T08:41Z', '2026-03-02T08:51Z' from vaulted, zoe;
create function tests.in_vault(p_vault uuid, p_person uuid) returns uuid
  language sql stable
as $$ select id from kith.nominees where vault_id = p_vault and user_id = p_person $$;
select tests.as_zoe();
select api.open_vault(zoes, '2026-03-02T08:42Z'), api.open_vault(carols, '2026-03-02T08:43Z') from vaulted \g /dev/null
select api.send_message(zoes, tests.in_vault(zoes, tests.id('bob')), 'Zoe Zander to Bob', '2026-03-02T08:44Z'),
  api.send_message(carols, tests.in_vault(carols, (select id from zoe)), 'Zoe Zander to Carol', '2026-03-02T08:45Z')
from vaulted \g /dev/null
select api.put_share(zoes, '{"record_name": "zander-share"}', '2026-03-02T08:46Z') from vaulted \g /dev/null
select api.synchronise_share(
  zoes, '{"participants": [{"id": "zander-1", "acceptance_status": "pending", "permission": "readOnly", "role": "privateUser", "name": "Zed Zander"}]}',
  '2026-03-02T08:46Z'
)
from vaulted \g /dev/null
select tests.as_user('acme', 'bob');
select api.send_message(zoes, tests.in_vault(zoes, tests.id('bob')), 'Bob to Zoe Zander', '2026-03-02T08:47Z') from vaulted \g /dev/null
select tests.as_user('acme', 'carol');
select api.create_transfer(carols, '{"name": "Zoe Zander", "phone": "+491590000077", "keep_access": true}', 'https://kith.example', '2026-03-02T08:48Z')
from vaulted \g /dev/null

select tests.as_superuser();
select is(
  tests.places('zoe|zander|491590000077|' || (select id from zoe)),
  'act_counts audit blocks breaks check_ins code_attempts connection_invitation_recipients connection_invitations connections conversations '
    || 'deliveries devices document_versions documents drafts emergency_requests emergency_settings events history idempotency_keys messages nominee_invitations nominees '
    || 'notification_preferences notifications otp_codes otp_tries pings quiet_hours receiver_profiles sender_profiles share_participants '
    || 'shares token_families transfers undelivered_alarms unique_codes users vault_sessions vaults',
  'an account leaves traces in these tables'
);
select is(
  tests.bodies('carol'),
  'New Connection: Zoe Zander is now sending you pings; Safe: Zoe Zander checked in.; '
    || 'Connection Paused: Zoe Zander has paused their connection with you; Connection Removed: This connection was removed by support; '
    || 'New Connection: Zoe Zander is now sending you pings; On a Break: Zoe Zander is taking a break until 5 March 2026.; '
    || 'Emergency Access: Zoe Zander asks for emergency access to Carol''s papers. They get in on 3 March 2026, 08:42 unless you say no.; '
    || 'Vault Open: Zoe Zander opened Carol''s papers.; Zoe Zander: Zoe Zander to Carol',
  'others'' notifications mention her by name'
);
create temporary table before as
select (select users from kith.tenant_usage where tenant_id = tests.tenant('acme')) as users;

select tests.as_user('acme', 'bob');
select throws_ok(
  $$ select internal.delete_user((select id from zoe), 'user:x', null, false, '2026-03-02T09:00Z') $$, '42501', null,
  'a user cannot delete another user''s account'
);
select tests.as_zoe();
select throws_ok(
  $$ select api.delete_me(null, '2026-03-02T09:00:00Z') $$, 'KT409', 'conflict', 'vaults that others can access prevent a deletion that does not name them'
);
select is(api.delete_me('delete', '2026-03-02T09:00:00Z')::text, null, 'a user deletes their account');

select tests.as_superuser();
select is(tests.places('zoe|zander|491590000077'), '', 'no personal data is left in any column of any table');
select is((select count(*) from kith.events where user_id = (select id from zoe)), 0::bigint, 'no events for the deleted user are left');
select is(
  (
    select string_agg(concat_ws(' ', user_id, type), ', ') from kith.events where subject_id = (select id from zoe)
  ), '00000000-0000-0000-0000-000000000000 account', 'but the one for the tenant''s server, which belongs to no user'
);
select internal.enter_tenant('acme') \g /dev/null
select set_config('kith.user_id', '00000000-0000-0000-0000-000000000000', true) \g /dev/null
select is(
  internal.told_event('account', (select id from zoe), null, null, '2026-03-02T09:00:01Z')::jsonb,
  jsonb_build_object('id', (select id from zoe), 'status', 'deleted'), 'and says who is gone'
);
select tests.as_user('acme', 'mallory');
select is(
  (
    select string_agg(concat_ws(' ', recipient ->> 'n', recipient ->> 'name', recipient ->> 'status'), ', ')
    from invited, json_array_elements(api.get_connection_invitation(id) -> 'recipients') as recipient
  ),
  '2 Otto queued', 'an invitation of several people keeps its other recipients'
);
select tests.as_superuser();
select is(
  (select string_agg(address, ' ') from kith.deliveries where purpose = 'invitation'), '+491590000079', 'the other recipients get their text'
);
select is(
  tests.places((select id::text from zoe)),
  'audit check_ins code_attempts connections document_versions emergency_requests events history nominees notifications pings unique_codes users vault_sessions vaults',
  'the history only refers to the deleted user''s id'
);
select internal.enter_tenant('acme') \g /dev/null
select is(
  (
    select string_agg(place, ' ')
    from string_to_table(tests.places((select id::text from zoe)), ' ') as place
    where not exists (
      select from internal.traces_of_user((select id from zoe)) as trace
      where split_part(trace.what, ' ', 1) = place and trace.rows > 0 and trace.fate = 'stays' and trace.why is not null
    )
  ), 'pings', 'the proof has a line with a reason for each table in which the id is left, but pings, which it counts by their connections'
);
select is_empty(
  $$ select * from internal.traces_of_user((select id from zoe)) where fate in ('deleted', 'blanked') and rows > 0 $$, 'and finds nothing that should be gone'
);
select is_empty(
  $$ select n from internal.traces_of_user((select id from zoe)) group by n having count(*) > 1 $$, 'each line has its own place'
);
select tests.as_superuser();
select is(
  tests.bodies('carol'),
  'New Connection: Someone is now sending you pings; Safe: Someone checked in.; '
    || 'Connection Paused: Someone has paused their connection with you; Connection Removed: This connection was removed by support; '
    || 'New Connection: Someone is now sending you pings; On a Break: Someone is taking a break until 5 March 2026.; '
    || 'Emergency Access: Someone asks for emergency access to Carol''s papers. They get in on 3 March 2026, 08:42 unless you say no.; '
    || 'Vault Open: Someone opened Carol''s papers.; Someone: This message was deleted.; '
    || 'Connection Removed: Someone has removed you as a receiver; Vault Locked: Someone locked Carol''s papers.; '
    || 'Access Ended: Someone no longer has access to Carol''s papers.',
  'others keep their notifications, with the name "Someone", and are told of the end'
);
select is(
  tests.bodies('bob'),
  'New Connection: Someone is now sending you pings; Safe: Someone checked in.; '
    || 'On a Break: Someone is taking a break until 5 March 2026.; Vault Open: Someone opened a vault. You can enter now.; '
    || 'Vault Open: Someone opened Carol''s papers. You can enter now.; Someone: This message was deleted.; '
    || 'Vault Locked: Carol''s papers is locked.; Connection Removed: Someone has removed you as a receiver; '
    || 'Access Ended: Your access to a vault has ended.',
  'every notification to Bob names "Someone"'
);
select is(
  tests.bodies('mallory'),
  'Subscription Ending: Pings to Someone stop on 16 March 2026 unless the subscription is renewed.',
  'a blocked user is not told'
);
select is(
  (select count(*) from kith.connections where (select id from zoe) in (sender_id, receiver_id) and status <> 'deleted'), 0::bigint,
  'none of the deleted user''s connections is live'
);
select is(
  (select string_agg(distinct deleted_by, ' ') from kith.connections where (select id from zoe) in (sender_id, receiver_id)),
  'user:' || (select id from zoe), 'the connections record who ended them'
);
select is(
  (select count(*) from kith.pings where (select id from zoe) in (sender_id, receiver_id) and status in ('scheduled', 'due')), 0::bigint,
  'none of the deleted user''s pings is open'
);
select is(
  (select row_to_json(users)::jsonb - 'id' - 'tenant_id' from kith.users where id = (select id from zoe)),
  '{"external_id": null, "display_name": null, "phone": null, "email": null, "email_normalized": null, "time_zone": "UTC", "locale": "en",
    "tokens_valid_from": "2026-03-02T09:00:00+00:00", "created_at": "2026-03-02T08:00:00+00:00",
    "updated_at": "2026-03-02T09:00:00+00:00", "deleted_at": "2026-03-02T09:00:00+00:00"}'::jsonb
    || coalesce((select row_to_json(users)::jsonb - 'id' - 'tenant_id' - array['external_id', 'display_name', 'phone', 'email',
      'email_normalized', 'time_zone', 'locale', 'tokens_valid_from', 'created_at', 'updated_at', 'deleted_at']
      from kith.users where id = (select id from zoe)), '{}'),
  'the row that stays contains no personal data'
);
select is(
  (select users from kith.tenant_usage where tenant_id = tests.tenant('acme')), (select users - 1 from before),
  'the tenant''s user count decreases'
);
select is(
  (select string_agg(action || ' ' || detail, '; ' order by action) from kith.audit where subject = (select id::text from zoe)),
  'subscription.set {"erased": true}; user.create {}; user.delete {}; user.update {"erased": true}', 'the audit log keeps the acts without their details'
);
select is(
  (select count(*) from kith.audit where subject = tests.of_zoe('carol')::text and detail <> '{"erased": true}'), 0::bigint,
  'audit entries about connections lose their details too'
);
select is(
  (select count(*) from kith.pings where sender_id = (select id from zoe) and status = 'completed' and receiver_id = tests.id('bob')), 1::bigint,
  'past pings stay unchanged'
);
select is(
  api.token_user(tests.tenant('acme'), (select id::text from zoe), true, null, '2026-03-10T08:00Z')::text, null, 'access tokens are void'
);
select is(
  api.token_user(tests.tenant('acme'), 'zander-77', false, null, '2026-03-10T08:00Z')::text, null, 'tokens of the tenant''s identity provider are void'
);

-- For up to a minute another server may still accept the token.
select tests.as_zoe();
select throws_ok($$ select api.delete_me(null, '2026-03-02T09:00:01Z') $$, 'KT404', 'not_found', 'an account cannot be deleted twice');
select throws_ok($$ select api.get_me() $$, 'KT404', 'not_found', 'a deleted user''s profile is not found');
select throws_ok(statement, state, null, 'a deleted user cannot: ' || statement)
from (values
  ($$ select api.update_me('{"display_name": "Zoe"}', '{}', '2026-03-02T09:00:01Z') $$, 'KT404'),
  ($$ select api.put_device('{"platform": "ios", "token": "x"}', '2026-03-02T09:00:01Z') $$, 'KT401'),
  ($$ select api.put_quiet_hours('{"from": "22:00", "until": "07:00"}', '2026-03-02T09:00:01Z') $$, 'KT401'),
  ($$ select api.put_notification_preferences('{"preferences": []}', '2026-03-02T09:00:01Z') $$, 'KT401'),
  ($$ select api.put_sender_profile('{"ping_time": "09:00", "time_zone": "UTC"}', '2026-03-02T09:00:01Z') $$, 'KT401'),
  ($$ select api.put_receiver_profile('{}', '2026-03-02T09:00:01Z') $$, 'KT401'),
  ($$ select api.check_in('Zoe', false, null, 'app', '2026-03-02T09:00:01Z') $$, 'KT401'),
  ($$ select api.create_connection('222222', '2026-03-02T09:00:01Z') $$, 'KT401'),
  ($$ select api.put_block(tests.id('bob'), '2026-03-02T09:00:01Z') $$, 'KT401'),
  ($$ select api.export_me(null, '2026-03-02T09:00:01Z') $$, 'KT404')
) as statements (statement, state);

select tests.as_user('acme', 'bob');
select is(api.create_connection((select sends from zoes), '2026-03-02T09:10:00Z') ->> 'problem', 'expired_code', 'the deleted user''s code answers expired_code');
select throws_ok(
  $$ select api.put_block((select id from zoe), '2026-03-02T09:10:00Z') $$, 'KT404', 'not_found', 'a deleted user cannot be blocked'
);
select tests.as_role('kith_admin');
select throws_ok(
  $$ select admin.reactivate_connection('acme', tests.of_zoe('bob'), 'asked', '2026-03-02T09:10:00Z') $$, 'KT409', 'invalid_transition',
  'an operator cannot reactivate a deleted user''s connection'
);

-- The remains of the vault.
select tests.as_superuser();
select is(
  (select concat_ws(' ', name, deleted_by) from kith.vaults where id = (select zoes from vaulted)),
  'Erased user:' || (select id from zoe), 'the owner''s vault is erased'
);
select is((select count(*) from kith.vault_keys), 0::bigint, 'the vault''s key is deleted');
select tests.as_role('kith_worker');
select is(worker.sweep_vaults('2026-03-02T09:01Z', 10), 1, 'documents without a key are swept first');
select is(worker.sweep_vaults('2026-03-02T09:01Z', 10), 1, 'the erased vault is swept next');
select is(worker.sweep_vaults('2026-03-02T09:01Z', 10), 0, 'nothing is left to sweep');
select tests.as_superuser();
select is((select string_agg(name, ' ') from kith.vaults), 'Carol''s papers', 'the vault''s row is deleted');
select is((select count(*) from kith.document_chunks), 0::bigint, 'the documents'' contents are deleted');
select is(
  (select string_agg(concat_ws(' ', name, phone, status, revoke_reason), ', ' order by name) from kith.nominees),
  'Bob accepted, revoked account_deleted, revoked account_deleted', 'rows in which she was a nominee keep no name'
);
select is(
  (select concat_ws(' ', name, phone, status) from kith.transfers), 'cancelled', 'transfers to the deleted user are cancelled'
);

-- Deletion by the tenant's server and by an operator.
select tests.as_server('acme');
select is(
  api.put_user('{"external_id": "zander-77", "display_name": "New"}', '2026-03-02T09:10:00Z') ->> 'display_name', 'New',
  'the external_id can be given to a new user'
);
select throws_ok($$ select api.delete_user((select id from zoe), null, '2026-03-02T09:10Z') $$, 'KT404', 'not_found', 'the tenant''s server does not find a deleted user');
select throws_ok(
  $$ select api.delete_user(tests.id('globex-bob'), null, '2026-03-02T09:10Z') $$, 'KT404', 'not_found', 'the tenant''s server does not find a user of another tenant'
);
select is(api.delete_user(tests.id('alice'), null, '2026-03-02T09:11Z')::text, null, 'the tenant''s server deletes an account');
select tests.as_superuser();
select is(
  (select body from tests.notifications where user_id = tests.id('bob') order by id desc limit 1),
  'Someone has removed you as a receiver', 'the other sides are told as usual'
);
select is(
  (select actor from kith.audit where subject = tests.id('alice')::text and action = 'user.delete'), 'key:acme', 'the deletion is audited'
);
select tests.as_user('globex', 'globex-alice');
select is(json_array_length(api.list_connections('sender', null, 50, null, '2026-03-02T09:11Z') -> 'items'), 1, 'another tenant''s Alice is unchanged');
select tests.as_user('acme', 'bob');
select throws_ok($$ select api.delete_user(tests.id('carol'), null, '2026-03-02T09:11Z') $$, 'KT403', 'forbidden', 'a user cannot call it');
select tests.as_role('kith_admin');
create temporary table erased as select * from admin.delete_user('acme', tests.id('bob'), 'asked by mail', false, '2026-03-02T09:12Z');
select is_empty(
  $$ select * from erased where fate in ('deleted', 'blanked') and is_now > 0 $$, 'an operator deletes an account, and sees that nothing is left of what goes'
);
select is(
  (select string_agg(concat_ws(' ', what, was, is_now, fate), '; ' order by what) from erased where what ~ '^(users|receiver profiles|unique codes)'),
  'receiver profiles 1 0 deleted; unique codes 1 1 stays; users 1 1 stays; users: words 1 0 blanked', 'what went, what was blanked, and what stays'
);
select is_empty($$ select * from admin.verify_erasure('acme', tests.id('bob'), '+4915100000002') where verdict ~ '[A-Z]{5}' $$, 'the proof finds nothing');
select is_empty($$ select * from admin.verify_erasure('acme', tests.id('bob')) where verdict ~ '^stays' and verdict !~ '^stays: .' $$, 'and gives a reason for each row that stays');
create temporary table counted as select what, rows, counted_by from admin.verify_erasure('acme', tests.id('bob')) where counted_by like 'select%';
grant select on counted to public;
select tests.as_superuser();
create function tests.count_again(p_statement text) returns bigint
  language plpgsql
as $$
declare
  v_rows bigint;
begin
  execute p_statement into v_rows;
  return v_rows;
end
$$;
select is_empty($$ select * from counted where tests.count_again(counted_by) <> rows $$, 'each statement counts what its line says');
select tests.as_role('kith_admin');
select tests.as_superuser();
update kith.users set phone = '+4915100000001' where tenant_id = tests.tenant('acme') and id = tests.id('carol');
select tests.as_role('kith_admin');
select is_empty(
  $$
    select * from unnest(array['+49 1510 000 0001', '0049 (1510) 0000001']) as spelling
    where not exists (select from admin.verify_erasure('acme', tests.id('bob'), spelling) where what = 'users with this contact' and verdict like 'STILL THERE%')
  $$, 'a number that is there is found in every spelling with its country code'
);
select matches(
  (select verdict from admin.verify_erasure('acme', tests.id('bob')) limit 1), '^erased: nothing is left but what may stay, each with its reason below: [0-9]+ of [a-z ]+(, [0-9]+ of [a-z ]+)*$',
  'its first row has the result'
);
select is(
  (select row(what, rows, verdict)::text from admin.verify_erasure('acme', tests.id('bob'), '+4915100000001') limit 1),
  '("in short",1,"NOT ALL IS GONE: STILL THERE are 1 of users with this contact")', 'also if somebody has this contact'
);
select is((select verdict from admin.verify_erasure('acme', tests.id('carol')) limit 1), 'NOT ERASED', 'and if the account is live');
select throws_ok($$ select * from admin.verify_erasure('acme', tests.id('bob'), '015100000001') $$, 'KT422', 'validation_failed', 'one without it proves nothing, and is refused');
select results_eq(
  $$ select verdict from admin.verify_erasure('acme', tests.id('carol')) where what = 'the account' $$,
  format($$ values (%L) $$, format('NOT ERASED: select * from admin.delete_user(''acme'', %L, ''asked by …'')', tests.id('carol'))),
  'and of an account that is live it says so'
);
select tests.as_superuser();
select internal.enter_tenant('acme') \g /dev/null
select set_eq(
  $$
    select distinct class.relname::text
    from pg_class as class
    join pg_attribute as attribute on attribute.attrelid = class.oid and not attribute.attisdropped
    where class.relnamespace = 'kith'::regnamespace and class.relkind in ('r', 'p') and not class.relispartition
      and attribute.attname in ('user_id', 'sender_id', 'receiver_id', 'owner_id', 'viewer_id', 'blocked_id')
    except
    select split_part(what, ' ', 1) from internal.traces_of_user(tests.id('bob'))
  $$,
  array[]::text[],
  'the proof looks at every table that names a person'
);
insert into kith.text_numbers (tenant_id, phone, stopped_at, answers_since, updated_at)
select tests.tenant('acme'), '+4915100000099', '2026-03-02T09:00Z', '2026-03-02T09:00Z', '2026-03-02T09:00Z';
insert into kith.asks (tenant_id, id, connection_id, sender_id, receiver_id, asked_at, answer_by)
select tests.tenant('acme'), internal.uuid7('2026-03-02T09:00Z'), gen_random_uuid(), tests.id('bob'), tests.id('carol'), '2026-03-02T09:00Z', '2026-03-02T09:30Z';
select tests.as_role('kith_admin');
select is(
  (select string_agg(concat_ws(' ', what, rows, verdict), '; ') from admin.verify_erasure('acme', tests.id('bob'), '+4915100000099') where what ~ '^(asks|text numbers)'),
  'asks 1 STILL THERE; text numbers with this contact 1 stays: STOP holds for the number, whoever has it',
  'it finds what was left of an alarm, and says why a number that has said STOP stays'
);
select is_empty(
  $$ select * from admin.verify_erasure('acme', tests.id('bob'), '+4915100000098') where what ~ '^text numbers' and verdict <> 'nothing' $$, 'another number has not'
);
select throws_ok($$ select * from admin.verify_erasure('globex', tests.id('bob')) $$, 'KT404', 'not_found', 'an account of another tenant is unknown');
select is((select user_id from admin.erasures order by at desc limit 1), tests.id('bob'), 'the list of erasures has it');
select tests.as_superuser();
select is(
  (select detail from kith.audit where subject = tests.id('bob')::text and action = 'user.delete'), '{"reason": "asked by mail"}'::jsonb,
  'the operator''s reason is audited'
);
select is((select display_name from kith.users where id = tests.id('carol')), 'Carol', 'no other user is changed');

-- An unverified contact set by the tenant's server is erased too, unless another user has verified it: others have noted a name beside
-- it.
select tests.as_server('acme');
create temporary table said as
select (api.put_user('{"display_name": "Quentin", "phone": "+491590000088", "email": "quentin@quill.example"}', '2026-03-02T09:20Z') ->> 'id')::uuid as id,
  (api.put_user('{"display_name": "Other", "phone": "+491590000089", "email": "other@example.org"}', '2026-03-02T09:20Z') ->> 'id')::uuid as other;
grant select on said to public;
select tests.as_superuser();
update kith.users set phone_verified_at = '2026-03-02T09:20Z' where id = (select other from said);
insert into kith.users (tenant_id, id, display_name, phone, tokens_valid_from, created_at, updated_at)
select tests.tenant('acme'), '0badbad0-0000-7000-8000-000000000005', 'Impostor', '+491590000089', '2026-03-02T09:20Z', '2026-03-01T09:20Z', '2026-03-01T09:20Z';
select tests.as_user('acme', 'carol');
create temporary table more as select (api.create_vault('{"name": "More papers"}', '2026-03-02T09:21Z') ->> 'id')::uuid as vault;
grant select on more to public;
select api.invite_nominees(
  (select vault from more),
  '[{"name": "Quentin Quill", "phone": "+491590000088"}, {"name": "Quentin by mail", "email": "Quentin@quill.example"},
    {"name": "Other", "phone": "+491590000089"}]', 'https://kith.example', '2026-03-02T09:22Z'
) \g /dev/null
select tests.as_superuser();
insert into kith.idempotency_keys (tenant_id, caller, key, fingerprint, sealed_answer, created_at, expires_at)
select tests.tenant('acme'), 'user:' || tests.id('carol'), 'invited ' || name, sha256(''), '\x00', '2026-03-02T09:22Z', '2026-03-03T09:22Z'
from kith.nominees where vault_id = (select vault from more);
insert into kith.idempotency_key_subjects (tenant_id, subject_id, caller, key)
select tests.tenant('acme'), id, 'user:' || tests.id('carol'), 'invited ' || name from kith.nominees where vault_id = (select vault from more);
select tests.as_server('acme');
select api.delete_user((select id from said), null, '2026-03-02T09:23Z') \g /dev/null
select tests.as_superuser();
select is(
  (select string_agg(key, ', ') from kith.idempotency_keys where caller = 'user:' || tests.id('carol')), 'invited Other',
  'the kept answers to those who invited the contact are erased as well'
);
select is(tests.places('quentin|quill|491590000088'), '', 'notes about an unverified contact are erased as well');
select is(
  (select string_agg(concat_ws(' ', name, phone, email, status), '; ' order by name, status) from kith.nominees where vault_id = (select vault from more)),
  'Other +491590000089 pending; revoked; revoked', 'the invitations to that contact can no longer be accepted'
);
select tests.as_server('acme');
select api.delete_user('0badbad0-0000-7000-8000-000000000005', null, '2026-03-02T09:24Z') \g /dev/null
select tests.as_superuser();
select is(
  (select string_agg(name, ' ') from kith.nominees where vault_id = (select vault from more)), 'Other', 'notes about a contact that another user has verified stay'
);

select * from finish();
rollback;
