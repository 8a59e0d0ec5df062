-- Bringing in what an app has had elsewhere (A09, N11).
begin;
\ir people.sql
select plan(116);
\set now '''2026-03-10T08:00:00Z'''

-- Imports lines, given as an array of items, and returns the results in their order.
create function tests.import(p_items jsonb, p_now timestamptz default '2026-03-10T08:00:00Z') returns table (n bigint, result jsonb)
  language plpgsql
as $$
begin
  return query
  select (item ->> 'line')::bigint, item
  from jsonb_array_elements(api.import_items(
    (select jsonb_agg(jsonb_build_object('line', line, 'item', value)) from jsonb_array_elements(p_items) with ordinality as lines (value, line)),
    p_now
  )::jsonb) as item
  order by 1;
end
$$;
create function tests.outcomes(p_items jsonb) returns text
  language sql
as $$
  select string_agg(coalesce(result ->> 'status', concat_ws(':', result ->> 'message', (result ->> 'detail')::jsonb #>> '{0,field}')), ' ' order by n)
  from (
    select n, case when result ->> 'message' in ('conflict', 'profile_required', 'quota_exceeded', 'self_connection') then result - 'detail' else result end as result
    from tests.import(p_items)
  ) as results
$$;

select tests.as_superuser();
create temporary table notified as select count(*) as n from kith.notifications;
grant all on notified to public;

-- A whole app in one batch, in an order that nobody would choose.
\set app '[{"kind": "nominee", "external_id": "n-1", "vault": "v-1", "user": "u-2", "name": "Frieda", "status": "active", "access_level": "edit", "invited_at": "2025-02-01T00:00:00Z", "accepted_at": "2025-02-02T00:00:00Z"}, {"kind": "nominee", "external_id": "n-2", "vault": "v-1", "user": "u-3", "name": "Gustav", "status": "inactive", "invited_at": "2025-02-01T00:00:00Z"}, {"kind": "nominee", "external_id": "n-3", "vault": "v-1", "name": "Hanna", "phone": "+4915112340009"}, {"kind": "vault", "external_id": "v-1", "owner": "u-1", "name": "Papers", "created_at": "2025-01-01T00:00:00Z"}, {"kind": "connection", "sender": "u-1", "receiver": "u-2", "created_at": "2024-05-01T12:00:00Z"}, {"kind": "connection", "sender": "u-1", "receiver": "u-3", "status": "paused", "created_at": "2024-06-01T12:00:00Z"}, {"kind": "subscription", "user": "u-2", "status": "active", "expires_at": "2027-01-01T00:00:00Z"}, {"kind": "code", "user": "u-2", "role": "receiver", "code": "700002"}, {"kind": "code", "user": "u-2", "role": "receiver", "code": "700003", "expires_at": "2026-04-01T00:00:00Z"}, {"kind": "user", "external_id": "u-1", "display_name": "Emil", "created_at": "2024-01-01T00:00:00Z", "sender_profile": {"ping_time": "12:00", "code": "700001"}}, {"kind": "user", "external_id": "u-2", "display_name": "Frieda", "phone": "+4915112340002"}, {"kind": "user", "external_id": "u-3", "display_name": "Gustav", "receiver_profile": {"code": "700004"}}]'
select tests.as_server('acme');
create temporary table made as select * from tests.import(:'app');
grant select on made to public;
select is(
  (select string_agg(result ->> 'status', ' ' order by n) from made), '201 201 201 201 201 201 200 201 201 201 201 201', 'a whole app is brought in at once'
);
select is(
  (select string_agg(result ->> 'status', ' ' order by n) from tests.import(:'app')), '200 200 200 200 200 200 200 200 200 200 200 200',
  'the same again makes nothing new'
);
select is(
  (select count(distinct result ->> 'id') from (select n, result from made union select n, result - 'status' || '{"status": 0}' from tests.import(:'app')) as both_times),
  (select count(distinct result ->> 'id') from made), 'the same again gives the same ids'
);

select tests.as_superuser();
create function tests.ext(p_external_id text) returns uuid
  language sql stable
as $$ select id from kith.users where tenant_id = tests.tenant('acme') and external_id = p_external_id $$;
select is((select count(*) from kith.notifications), (select n from notified), 'nobody is notified of what they had');
select is(
  (select string_agg(format('%s %s %s %s', code, role, permanent, rotated_at), ', ' order by code) from kith.unique_codes where code like '7000%'),
  '700001 sender t , 700002 receiver t , 700003 receiver f , 700004 receiver t ', 'codes are kept, in their roles'
);
select is(
  (select count(*) from kith.unique_codes where user_id in (tests.ext('u-1'), tests.ext('u-3'))), 2::bigint, 'a code given with a profile saves making one'
);
select is(
  (select string_agg(format('%s %s %s', status, internal.instant(created_at), code_owner_id = receiver_id), ', ' order by created_at)
    from kith.connections where sender_id = tests.ext('u-1')),
  'active 2024-05-01T12:00:00.000000Z t, paused 2024-06-01T12:00:00.000000Z t', 'connections keep their status and age'
);
select is(
  (select string_agg(format('%s %s %s', receiver_id = tests.ext('u-2'), status, ping_on), ', ') from kith.pings where sender_id = tests.ext('u-1')),
  't scheduled 2026-03-10', 'an active connection gets today''s ping, and a paused one gets none'
);
select is(
  (select count(*) from kith.ping_runs where tenant_id = tests.tenant('acme') and time_zone = 'UTC'), 1::bigint, 'the runs of the sender''s time zone begin'
);
select is(
  (select string_agg(format('%s %s %s %s', external_id, status, access_level, user_id is not null), ', ' order by external_id) from kith.nominees where external_id like 'n-%'),
  'n-1 accepted edit t, n-2 revoked view t, n-3 pending view f', 'an inactive nominee of old is revoked, and an active one has accepted'
);
select is((select count(*) from kith.nominee_invitations), 0::bigint, 'no invitation is issued');
select is(
  (select created_at from kith.users where id = tests.ext('u-1'))::timestamptz, '2024-01-01T00:00:00Z'::timestamptz, 'an account keeps its age'
);
select is(
  (select subscription_status || ' ' || good_until from kith.receiver_profiles where user_id = tests.ext('u-2')), 'active 2027-01-01 00:00:00+00',
  'a subscription is set'
);
select is(
  (select string_agg(format('%s %s', action, detail ->> 'by'), ', ' order by id) from kith.history where vault_id = (select id from kith.vaults where external_id = 'v-1')),
  'vault.created import, nominee.invited import, nominee.invited import, nominee.invited import', 'the vault''s history says what was imported'
);
select is(
  (select string_agg(detail ->> 'new', ' ') from kith.audit where action = 'import'), '11', 'the audit says how much an import brought in'
);
select tests.as_user('acme', 'mallory');
select is(
  api.create_connection('700001', '2026-03-10T08:10:00Z') #>> '{counterpart,display_name}', 'Emil', 'a code that was sent by text before works'
);
select tests.as_superuser();
select is(
  (select string_agg(title, ', ') from tests.notifications where user_id = tests.ext('u-1')), 'New Connection', 'what happens afterwards is told'
);

-- What people have changed since stays.
select tests.as_superuser();
select set_config('kith.tenant_id', tests.tenant('acme')::text, true), set_config('kith.user_id', tests.ext('u-2')::text, true), set_config('role', 'kith_api', true) \g /dev/null
select api.create_code('{"role": "receiver", "rotate": true}', '2026-03-10T08:20:00Z') ->> 'code' as own \gset
select api.remove_connection((select result ->> 'id' from made where n = 5)::uuid, '2026-03-10T08:21:00Z') \g /dev/null
select tests.as_server('acme');
select is(
  (select string_agg(result ->> 'status', ' ' order by n) from tests.import(:'app', '2026-03-10T08:30:00Z')), '200 200 200 200 200 200 200 200 200 200 200 200',
  'an import can be repeated later'
);
select tests.as_superuser();
select is(
  (select code from kith.unique_codes where user_id = tests.ext('u-2') and permanent and rotated_at is null), :'own', 'a code that was rotated since stays ended'
);
select is(
  (select status from kith.connections where id = (select result ->> 'id' from made where n = 5)::uuid), 'deleted', 'a connection that was removed since stays removed'
);

-- Refusals, each with its field.
select tests.as_server('acme');
select is(tests.outcomes(jsonb_build_array(item::jsonb)), outcome, format('an import line %s', what))
from (values
  ('{"kind": "pet"}', 'validation_failed:kind', 'of an unknown kind is refused'),
  ('{}', 'validation_failed:kind', 'without a kind is refused'),
  ('{"kind": "user", "display_name": "X"}', 'validation_failed:external_id', 'of a user needs an external_id'),
  ('{"kind": "user", "external_id": "x", "display_name": "\u202Ex"}', 'validation_failed:display_name', 'of a user cannot have a bad name'),
  ('{"kind": "user", "external_id": "x", "created_at": "2026-03-11T08:00:00Z"}', 'validation_failed:created_at', 'cannot be of the future'),
  ('{"kind": "user", "external_id": "x", "created_at": "1970-01-01T00:00:00Z"}', 'validation_failed:created_at', 'cannot be older than phones'),
  ('{"kind": "user", "external_id": "x", "sender_profile": {}}', 'validation_failed:sender_profile.ping_time', 'of a sender needs a ping time'),
  ('{"kind": "user", "external_id": "x", "sender_profile": {"ping_time": "09:00", "time_zone": "Mars/Olympus"}}', 'validation_failed:sender_profile.time_zone', 'of a sender needs a real time zone'),
  ('{"kind": "user", "external_id": "x", "sender_profile": {"ping_time": "09:00", "grace_minutes": 720}}', 'validation_failed:sender_profile.grace_minutes', 'of a sender cannot have half a day of grace'),
  ('{"kind": "user", "external_id": "x", "sender_profile": {"ping_time": "09:00", "code": "12"}}', 'validation_failed:sender_profile.code', 'cannot have a code that is none'),
  ('{"kind": "user", "external_id": "x", "receiver_profile": {"code": "222222"}}', 'conflict', 'cannot have another user''s code'),
  ('{"kind": "code", "user": "nobody", "role": "sender", "code": "700009"}', 'validation_failed:user', 'of a code needs a user'),
  ('{"kind": "code", "user": "ext-globex-bob", "role": "receiver", "code": "700009"}', 'validation_failed:user', 'does not find another tenant''s user'),
  ('{"kind": "code", "user": "ext-bob", "role": "boss", "code": "700009"}', 'validation_failed:role', 'of a code needs a role'),
  ('{"kind": "code", "user": "ext-bob", "role": "sender", "code": "700009"}', 'profile_required', 'of a sender''s code needs a sender'),
  ('{"kind": "code", "user": "ext-bob", "role": "receiver"}', 'validation_failed:code', 'of a code needs a code'),
  ('{"kind": "code", "user": "ext-bob", "role": "receiver", "code": "７０００９９"}', 'validation_failed:code', 'of a code takes ASCII digits only'),
  ('{"kind": "code", "user": "ext-bob", "role": "receiver", "code": "333333"}', 'conflict', 'does not take a code from its owner'),
  ('{"kind": "subscription", "user": "nobody", "status": "active"}', 'validation_failed:user', 'of a subscription needs a user'),
  ('{"kind": "subscription", "user": "ext-bob", "status": "gold"}', 'validation_failed:status', 'of a subscription needs a known status'),
  ('{"kind": "connection", "sender": "ext-alice", "receiver": "nobody"}', 'validation_failed:receiver', 'of a connection needs a receiver'),
  ('{"kind": "connection", "sender": "nobody", "receiver": "ext-bob"}', 'validation_failed:sender', 'of a connection needs a sender'),
  ('{"kind": "connection", "sender": "ext-bob", "receiver": "ext-carol"}', 'profile_required', 'of a connection needs somebody who is a sender'),
  ('{"kind": "connection", "sender": "ext-alice", "receiver": "ext-alice"}', 'self_connection', 'cannot connect a user with themselves'),
  ('{"kind": "connection", "sender": "ext-alice", "receiver": "ext-carol", "status": "blocked"}', 'validation_failed:status', 'of a connection needs a known status'),
  ('{"kind": "connection", "sender": "ext-alice", "receiver": "ext-carol", "code_owner": "me"}', 'validation_failed:code_owner', 'of a connection needs a known side'),
  ('{"kind": "connection", "sender": "ext-alice", "receiver": "ext-carol", "deleted_at": "2026-03-01T08:00:00Z"}', 'validation_failed:deleted_at', 'of a live connection has no end'),
  ('{"kind": "vault", "owner": "ext-alice", "name": "X"}', 'validation_failed:external_id', 'of a vault needs an external_id'),
  ('{"kind": "vault", "external_id": "x", "owner": "nobody", "name": "X"}', 'validation_failed:owner', 'of a vault needs an owner'),
  ('{"kind": "vault", "external_id": "x", "owner": "ext-alice"}', 'validation_failed:name', 'of a vault needs a name'),
  ('{"kind": "nominee", "external_id": "x", "vault": "nothing", "name": "X"}', 'validation_failed:vault', 'of a nominee needs a vault'),
  ('{"kind": "nominee", "external_id": "x", "vault": "v-1"}', 'validation_failed:name', 'of a nominee needs a name'),
  ('{"kind": "nominee", "external_id": "x", "vault": "v-1", "name": "X", "status": "accepted"}', 'validation_failed:user', 'of a nominee who has accepted needs a user'),
  ('{"kind": "nominee", "external_id": "x", "vault": "v-1", "name": "X", "user": "u-1", "status": "accepted"}', 'validation_failed:user', 'cannot make an owner their own nominee'),
  ('{"kind": "nominee", "external_id": "x", "vault": "v-1", "name": "X", "user": "u-2", "status": "accepted"}', 'conflict', 'cannot make somebody a nominee twice'),
  ('{"kind": "nominee", "external_id": "x", "vault": "v-1", "name": "X", "access_level": "god"}', 'validation_failed:access_level', 'of a nominee needs a known level')
) as lines (item, outcome, what);
select is(
  tests.outcomes('[{"kind": "user", "external_id": "i-1"}, {"kind": "pet"}, {"kind": "user", "external_id": "i-2"}]'), '201 validation_failed:kind 201',
  'a refused line does not stop the others'
);
select tests.as_superuser();
select is(
  (select count(*) from kith.users where external_id = 'x') + (select count(*) from kith.vaults where external_id = 'x'), 0::bigint, 'a refused line leaves nothing behind'
);
select is(
  (select user_id from kith.unique_codes where tenant_id = tests.tenant('acme') and code = '333333'), tests.id('carol'), 'a code stays with its owner'
);

-- The permanent code that a user has here ends when they bring another.
select tests.as_server('acme');
select is(tests.outcomes('[{"kind": "code", "user": "ext-bob", "role": "receiver", "code": "800001"}]'), '201', 'a user who has a code brings another');
select tests.as_superuser();
select is(
  (select string_agg(format('%s %s', code, rotated_at is not null), ', ' order by code) from kith.unique_codes where tenant_id = tests.tenant('acme') and user_id = tests.id('bob')),
  '222222 t, 800001 f', 'the code that they had here answers as one that has ended'
);
update kith.unique_codes set rotated_at = '2025-12-01T08:00Z' where code = '222222' and tenant_id = tests.tenant('acme');
select tests.as_server('acme');
select is(tests.outcomes('[{"kind": "code", "user": "ext-carol", "role": "receiver", "code": "222222"}]'), '201', 'a code that ended 90 days ago is free');

-- Connections of other states, and quotas.
select is(
  tests.outcomes('[{"kind": "connection", "sender": "ext-alice", "receiver": "ext-carol", "status": "deleted", "deleted_at": "2026-01-01T00:00:00Z"},
    {"kind": "connection", "sender": "ext-mallory", "receiver": "ext-bob", "status": "pending", "code_owner": "receiver"}]'), '201 201',
  'removed and pending connections are brought in'
);
select tests.as_superuser();
select is(
  (select string_agg(format('%s %s %s', status, deleted_by, deleted_at), ', ' order by status) from kith.connections
    where tenant_id = tests.tenant('acme') and (sender_id, receiver_id) in ((tests.id('alice'), tests.id('carol')), (tests.id('mallory'), tests.id('bob')))),
  'deleted import 2026-01-01 00:00:00+00, pending  ', 'a removed connection says when, and that it was imported'
);
insert into kith.blocks values (tests.tenant('acme'), tests.id('carol'), tests.id('mallory'), :now);
select tests.as_server('acme');
select is(
  tests.outcomes('[{"kind": "connection", "sender": "ext-mallory", "receiver": "ext-carol"}]'), 'conflict', 'nobody is connected with somebody who has blocked them'
);
select tests.as_superuser();
insert into kith.vaults (tenant_id, id, owner_id, name, created_at, updated_at)
select tests.tenant('acme'), gen_random_uuid(), tests.id('bob'), 'V', :now, :now from generate_series(1, 200);
update kith.tenants set user_quota = (select users from kith.tenant_usage where tenant_id = tests.tenant('acme')) where slug = 'acme';
select tests.as_server('acme');
select is(
  tests.outcomes('[{"kind": "vault", "external_id": "v-9", "owner": "ext-bob", "name": "One more"}, {"kind": "user", "external_id": "u-9"}]'),
  'quota_exceeded quota_exceeded', 'an import is bound to the quotas of vaults and users'
);

-- Whose call it is.
select tests.as_user('acme', 'mallory');
select throws_ok($$ select api.import_items('[]', '2026-03-10T08:00Z') $$, 'KT403', 'forbidden', 'a user imports nothing');
select tests.as_server('globex');
select is(
  tests.outcomes('[{"kind": "nominee", "external_id": "n-1", "vault": "v-1", "name": "X"}, {"kind": "code", "user": "u-1", "role": "sender", "code": "900001"}]'),
  'validation_failed:vault validation_failed:user', 'another tenant finds none of it'
);
select is(tests.outcomes('[{"kind": "user", "external_id": "u-1"}]'), '201', 'another tenant''s names are its own');

-- The end of an account takes the names along.
select tests.as_superuser();
select tests.ext('u-1') as owner, tests.ext('u-2') as nominee \gset
select tests.as_server('acme');
select api.delete_user(:'nominee', null, '2026-03-10T09:00:00Z') \g /dev/null
select api.delete_user(:'owner', 'delete', '2026-03-10T09:01:00Z') \g /dev/null
select tests.as_superuser();
select is(
  (select count(*) from kith.vaults where external_id = 'v-1') + (select count(*) from kith.nominees where external_id = 'n-1'), 0::bigint,
  'the end of an account takes the tenant''s names for its vaults and nominees along'
);

-- Zones are kept as tzdata's places, and the zone of the pings follows the account's unless the line gives another.
select tests.as_server('acme');
\set zones '[{"kind": "user", "external_id": "z-1", "time_zone": "US/Pacific", "sender_profile": {"ping_time": "12:00"}}, {"kind": "user", "external_id": "z-2", "time_zone": "Europe/Berlin", "sender_profile": {"ping_time": "12:00", "time_zone": "Asia/Calcutta"}}, {"kind": "connection", "sender": "z-1", "receiver": "z-2", "status": "pending"}]'
select is(tests.outcomes(:'zones'), '201 201 201', 'older names of zones are taken');
select tests.as_superuser();
select is(
  (select string_agg(format('%s %s %s', account.time_zone, profile.time_zone, profile.has_own_time_zone), ', ' order by account.external_id)
    from kith.users as account join kith.sender_profiles as profile on profile.tenant_id = account.tenant_id and profile.user_id = account.id
    where account.external_id like 'z-%'),
  'America/Los_Angeles America/Los_Angeles f, Europe/Berlin Asia/Kolkata t', 'and kept as the zones that they mean'
);
select is(
  (select format('%s %s %s %s', resting_status is null, alias_by_sender is null, alias_by_receiver is null, code_owner_id = tests.ext('z-2'))
    from kith.connections where sender_id = tests.ext('z-1')),
  't t t t', 'an imported connection has no aliases, and waits for its code''s owner'
);
select is((select count(*) from kith.notifications where user_id in (tests.ext('z-1'), tests.ext('z-2'))), 0::bigint, 'nobody is told of a request of old');

-- An import lets nobody in against what people have done here.
select tests.as_superuser();
update kith.tenants set user_quota = 1000 where slug = 'acme';
select tests.as_server('acme');
\set vaults '[{"kind": "user", "external_id": "w-1", "display_name": "Owen"}, {"kind": "user", "external_id": "w-2", "display_name": "Nora"}, {"kind": "user", "external_id": "w-3", "display_name": "Nils"}, {"kind": "vault", "external_id": "v-a", "owner": "w-1", "name": "A"}, {"kind": "vault", "external_id": "v-b", "owner": "w-1", "name": "B"}, {"kind": "vault", "external_id": "v-c", "owner": "w-1", "name": "C", "require_confirmation": true}, {"kind": "vault", "external_id": "v-d", "owner": "w-1", "name": "D"}, {"kind": "nominee", "external_id": "a-2", "vault": "v-a", "user": "w-2", "name": "Nora", "status": "accepted"}, {"kind": "nominee", "external_id": "c-2", "vault": "v-c", "user": "w-2", "name": "Nora", "status": "accepted", "accepted_at": "2025-01-01T00:00:00Z", "invited_at": "2025-01-01T00:00:00Z"}]'
select is(tests.outcomes(:'vaults'), '201 201 201 201 201 201 201 201 201', 'further vaults are brought in');
select tests.as_superuser();
select is(
  (select format('%s %s %s %s', status, needs_confirmation, user_id = tests.ext('w-2'), accepted_at is null) from kith.nominees where external_id = 'c-2'),
  'pending t t t', 'a nominee of old awaits the owner''s confirmation where the vault requires it'
);
create procedure tests.as_ext(p_external_id text)
  language plpgsql
as $$
begin
  perform tests.as_superuser();
  perform set_config('kith.tenant_id', tests.tenant('acme')::text, true), set_config('kith.user_id', tests.ext(p_external_id)::text, true),
    set_config('role', 'kith_api', true);
end
$$;
create function tests.vault(p_external_id text) returns uuid
  language sql stable security definer
as $$ select id from kith.vaults where tenant_id = tests.tenant('acme') and external_id = p_external_id $$;
create function tests.nominee(p_external_id text) returns uuid
  language sql stable security definer
as $$ select id from kith.nominees where tenant_id = tests.tenant('acme') and external_id = p_external_id $$;
call tests.as_ext('w-1');
select api.revoke_nominee(tests.vault('v-a'), tests.nominee('a-2'), '2026-03-10T08:31:00Z') \g /dev/null
select tests.as_superuser();
insert into kith.blocks values (tests.tenant('acme'), tests.ext('w-1'), tests.ext('w-3'), :now);
call tests.as_ext('w-1');
select api.create_transfer(
  tests.vault('v-d'), '{"name": "Nora", "keep_access": false}', 'https://kith.example', '2026-03-10T08:32:00Z'
) #>> '{invitation,token}' as token \gset
call tests.as_ext('w-2');
select api.accept_invitation(:'token', '2026-03-10T08:33:00Z') \g /dev/null
select tests.as_server('acme');
select is(tests.outcomes(jsonb_build_array(item::jsonb)), outcome, format('an import line %s', what))
from (values
  ('{"kind": "nominee", "external_id": "a-9", "vault": "v-a", "user": "w-2", "name": "Nora", "status": "accepted"}', 'conflict', 'does not let somebody in whom the owner has revoked'),
  ('{"kind": "nominee", "external_id": "a-9", "vault": "v-a", "user": "w-2", "name": "Nora", "status": "revoked"}', '201', 'can say that they were revoked before, too'),
  ('{"kind": "nominee", "external_id": "a-2", "vault": "v-a", "user": "w-2", "name": "Nora", "status": "accepted"}', '200', 'leaves a nominee as they are who was revoked'),
  ('{"kind": "nominee", "external_id": "b-3", "vault": "v-b", "user": "w-3", "name": "Nils", "status": "accepted"}', 'conflict', 'does not let somebody in whom the owner has blocked'),
  ('{"kind": "nominee", "external_id": "d-3", "vault": "v-d", "name": "Nils"}', 'conflict', 'brings no nominee into a vault that was transferred here'),
  ('{"kind": "nominee", "external_id": "c-2", "vault": "v-b", "user": "w-2", "name": "Nora", "status": "accepted"}', 'conflict', 'does not take another vault''s nominee for its own'),
  ('{"kind": "vault", "external_id": "v-b", "owner": "w-2", "name": "B"}', 'conflict', 'does not take another owner''s vault for theirs'),
  ('{"kind": "vault", "external_id": "v-d", "owner": "w-1", "name": "D"}', 'conflict', 'does not take a vault that was transferred for its first owner''s'),
  ('{"kind": "vault", "external_id": "v-d", "owner": "w-2", "name": "D"}', '200', 'finds a vault that was transferred with its present owner'),
  ('{"kind": "code", "user": "w-2", "role": "receiver", "code": "700020", "expires_at": "2026-03-10T08:00:59Z"}', 'validation_failed:expires_at', 'of a code that has ended is refused'),
  ('{"kind": "code", "user": "w-2", "role": "receiver", "code": "700020", "expires_at": "2026-06-08T08:00:01Z"}', 'validation_failed:expires_at', 'of a code for longer than 90 days is refused'),
  ('{"kind": "code", "user": "w-2", "role": "receiver", "code": "700020", "expires_at": "2026-06-08T08:00:00Z"}', '201', 'of a code for 90 days is taken')
) as lines (item, outcome, what);
select is(
  (select string_agg(result ->> 'status', ' ') from tests.import(
    '[{"kind": "code", "user": "w-2", "role": "receiver", "code": "700020", "expires_at": "2026-06-08T08:00:00Z"}]', '2026-06-09T08:00:00Z'
  )), '200', 'a code that has expired since can be sent again'
);
select is(
  (select result ->> 'detail' from tests.import(
    '[{"kind": "nominee", "external_id": "a-8", "vault": "v-a", "user": "w-2", "name": "Nora", "status": "accepted"}]'
  )), 'This user was a nominee of the vault until their access was revoked. Leave the nominee out: the owner can invite them again.',
  'the refusal of a nominee says what to do'
);

-- The order of lines, which is that of locks.
select tests.as_superuser();
select set_config('kith.tenant_id', tests.tenant('acme')::text, true) \g /dev/null
select is(
  (select string_agg(line::text, ' ' order by n) from internal.import_order('[
    {"line": 1, "item": {"kind": "nominee", "external_id": "a", "vault": "v-b"}},
    {"line": 2, "item": {"kind": "connection", "sender": "s", "receiver": "r2"}},
    {"line": 3, "item": {"kind": "connection", "sender": "s", "receiver": "r1"}},
    {"line": 4, "item": {"kind": "nominee", "external_id": "b", "vault": "v-a"}},
    {"line": 5, "item": {"kind": "user", "external_id": "a", "sender_profile": {"ping_time": "09:00"}}},
    {"line": 6, "item": {"kind": "user", "external_id": "c", "receiver_profile": {"code": "700030"}}},
    {"line": 7, "item": {"kind": "user", "external_id": "b", "sender_profile": {"code": "700031"}}},
    {"line": 8, "item": {"kind": "code", "code": "700033"}},
    {"line": 9, "item": {"kind": "code", "code": "700032"}},
    {"line": 10, "item": {"kind": "pet"}}
  ]') with ordinality as ordered (line, item, n)),
  case when tests.vault('v-a') < tests.vault('v-b') then '7 6 5 9 8 3 2 4 1 10' else '7 6 5 9 8 3 2 1 4 10' end,
  'users with codes are imported first, and lines of one kind in the order of locks'
);

-- Whoever stopped being a sender or a receiver stays so (P39).
call tests.as_ext('z-1');
select api.delete_sender_profile('2026-03-10T08:40:00Z') \g /dev/null
call tests.as_ext('z-2');
select api.delete_receiver_profile('2026-03-10T08:40:00Z') \g /dev/null
select tests.as_server('acme');
select is(tests.outcomes(jsonb_build_array(item::jsonb)), outcome, format('an import line %s', what))
from (values
  ('{"kind": "user", "external_id": "z-1", "sender_profile": {"ping_time": "12:00"}}', 'conflict', 'does not make somebody a sender again'),
  ('{"kind": "user", "external_id": "z-2", "receiver_profile": {}}', 'conflict', 'does not make somebody a receiver again'),
  ('{"kind": "user", "external_id": "z-1", "display_name": "Emil"}', '200', 'without the profile is taken as before'),
  ('{"kind": "code", "user": "z-1", "role": "sender", "code": "700008"}', 'conflict', 'gives no code for a role that has ended'),
  ('{"kind": "connection", "sender": "z-1", "receiver": "u-3"}', 'conflict', 'connects nobody who has stopped being a sender'),
  ('{"kind": "connection", "sender": "ext-alice", "receiver": "z-2"}', 'conflict', 'connects nobody who has stopped being a receiver'),
  ('{"kind": "connection", "sender": "z-1", "receiver": "z-2"}', '200', 'of a pair that was connected leaves it removed')
) as lines (item, outcome, what);
select is(
  (select result ->> 'detail' from tests.import('[{"kind": "user", "external_id": "z-1", "sender_profile": {"ping_time": "12:00"}}]')),
  'This user has stopped being a sender here. Only they can become one again. Leave sender_profile out.', 'the refusal says what to do'
);

-- What somebody had elsewhere is no news, of a subscription neither; what lapses here is.
select tests.as_server('acme') \g /dev/null
select is(
  (select string_agg(result ->> 'status', ' ') from tests.import('[
    {"kind": "user", "external_id": "l-1", "sender_profile": {"ping_time": "12:00"}},
    {"kind": "user", "external_id": "l-2", "receiver_profile": {}}, {"kind": "user", "external_id": "l-3"}, {"kind": "user", "external_id": "l-4"},
    {"kind": "connection", "sender": "l-1", "receiver": "l-2"}
  ]')), '201 201 201 201 201', 'people are brought in before their subscriptions'
);
select is(
  (select string_agg(result ->> 'status', ' ') from tests.import('[
    {"kind": "subscription", "user": "l-2", "status": "canceled", "expires_at": "2026-01-01T00:00:00Z"},
    {"kind": "subscription", "user": "l-3", "status": "active", "expires_at": "2026-03-09T00:00:00Z"},
    {"kind": "subscription", "user": "l-4", "status": "active", "expires_at": "2026-03-12T00:00:00Z"},
    {"kind": "connection", "sender": "l-1", "receiver": "l-3"}, {"kind": "connection", "sender": "l-1", "receiver": "l-4"}
  ]')), '200 200 200 201 201', 'of which one lapsed long ago, one yesterday, and one lapses in two days'
);
select tests.as_superuser() \g /dev/null
create function tests.lapses(p_now timestamptz) returns text
  language plpgsql
as $$
begin
  perform tests.as_superuser();
  delete from kith.notifications;
  perform tests.as_role('kith_worker');
  while worker.settle_subscriptions(p_now, 100) > 0 loop
  end loop;
  perform tests.as_superuser();
  return (select string_agg(account.external_id, ' ' order by account.external_id) from kith.notifications
    join kith.users as account on account.tenant_id = notifications.tenant_id and account.id = user_id where type = 'subscription_lapsing');
end
$$;
select tests.as_superuser() \g /dev/null
select is(tests.lapses('2026-03-10T09:00Z'), null, 'a subscription that had lapsed before the import tells nobody');
select results_eq(
  $$ select external_id, pings_stop_at::timestamptz, pings_stopped_at is not null from kith.receiver_profiles join kith.users on users.tenant_id = receiver_profiles.tenant_id and id = user_id
    where external_id like 'l-_' order by 1 $$,
  $$ values ('l-2', timestamptz '2026-01-15', true), ('l-3', '2026-03-23', false), ('l-4', null, false) $$,
  'and its pings stop when the grace period after it is over'
);
select is(
  (select string_agg((connection.pings_stopped_at is not null)::text, ' ' order by receiver.external_id) from kith.connections as connection
    join kith.users as receiver on receiver.tenant_id = connection.tenant_id and receiver.id = receiver_id where receiver.external_id like 'l-_'),
  'true false false', 'those of a connection that came first stop at once'
);
select is(tests.lapses('2026-03-12T00:00:01Z'), 'l-1 l-4', 'one that lapses after the import is told like any other');
select tests.as_server('acme') \g /dev/null
select is(
  (select string_agg(result ->> 'status', ' ') from tests.import('[
    {"kind": "subscription", "user": "l-4", "status": "active"}, {"kind": "subscription", "user": "l-4", "status": "expired"}
  ]')), '200 200', 'a subscription that is known here is renewed and expires by an import'
);
select tests.as_superuser() \g /dev/null
select is(tests.lapses('2026-03-12T00:00:01Z'), 'l-1 l-4', 'which is news');

-- Nobody comes back by the same lines, and no vault (A04, A09).
\set gone '[{"kind": "user", "external_id": "g-1", "display_name": "Greta"}, {"kind": "user", "external_id": "g-2", "display_name": "Zoe Zander", "phone": "+4915112340077"}, {"kind": "vault", "external_id": "g-v", "owner": "g-1", "name": "G"}, {"kind": "vault", "external_id": "g-w", "owner": "g-1", "name": "W"}, {"kind": "vault", "external_id": "g-z", "owner": "g-2", "name": "Zoe"}, {"kind": "nominee", "external_id": "g-n", "vault": "g-v", "user": "g-2", "name": "Zoe Zander", "phone": "+4915112340077", "email": "zoe@zander.example", "status": "accepted"}, {"kind": "nominee", "external_id": "g-m", "vault": "g-w", "name": "Zoe Zander", "phone": "+4915112340077"}, {"kind": "nominee", "external_id": "g-o", "vault": "g-w", "user": "u-3", "name": "Gustav", "status": "accepted", "access_level": "full"}]'
select tests.as_server('acme') \g /dev/null
select is(tests.outcomes(:'gone'), '201 201 201 201 201 201 201 201', 'Greta, Zoe and their vaults are brought in');
select tests.as_superuser() \g /dev/null
select tests.ext('g-2') as zoe, tests.vault('g-w') as vault \gset
select tests.as_server('acme') \g /dev/null
select api.delete_user(:'zoe', 'delete', '2026-03-12T08:00Z') \g /dev/null
select is(
  tests.outcomes(:'gone'), '200 conflict 200 200 validation_failed:owner conflict conflict 200',
  'after Zoe''s account was deleted, the same lines bring back neither her nor her entries as a nominee'
);
select is(
  (select result ->> 'detail' from tests.import(:'gone') where n = 6), 'This person''s account was deleted here. Leave the line out.', 'the refusal says why'
);
select tests.as_superuser() \g /dev/null
select is_empty($$ select from kith.nominees where name ~ 'Zander' or phone = '+4915112340077' or email ~ 'zander' $$, 'no name, number or address is back');
select is_empty($$ select from kith.audit where subject ~ 'g-[nmzv2]' $$, 'and the audit has none of the tenant''s ids');
select tests.as_server('acme') \g /dev/null
select api.put_user('{"external_id": "g-2", "display_name": "Zoe"}', '2026-03-12T08:01Z') \g /dev/null
select is(tests.outcomes(:'gone'), '200 200 200 200 conflict conflict conflict 200', 'if she comes back, she does so without her vault and her entries');
call tests.as_ext('g-1');
select api.delete_vault(:'vault', '2026-03-12T09:00Z') \g /dev/null
select tests.as_server('acme') \g /dev/null
select is(
  tests.outcomes('[{"kind": "vault", "external_id": "g-w", "owner": "g-1", "name": "W"}]'), '200', 'a vault that its owner has deleted is known'
);
select tests.as_role('kith_worker') \g /dev/null
select worker.sweep_vaults('2026-04-12T09:00Z', 100), worker.sweep_vaults('2026-04-12T09:00Z', 100), worker.sweep_vaults('2026-04-12T09:00Z', 100) \g /dev/null
select tests.as_superuser() \g /dev/null
select is_empty($$ select from kith.vaults where external_id = 'g-w' $$, 'after 30 days it is gone');
select tests.as_server('acme') \g /dev/null
select is(
  tests.outcomes(:'gone'), '200 200 200 conflict conflict conflict conflict validation_failed:vault', 'and neither it nor its nominees come back'
);

select * from finish();
rollback;
