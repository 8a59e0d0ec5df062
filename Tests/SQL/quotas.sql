-- Every way in to what is limited in number, at the limit: none leads past it.
begin;
\ir people.sql

create temporary table kept (name text primary key, id uuid);
grant all on kept to public;
create function tests.kept(p_name text) returns uuid language sql stable return (select id from kept where name = p_name);
create temporary table doors (n integer generated always as identity, quota text, door text, caller text, statement text, outcome text);
grant select on doors to public;

-- What an act answers: done, or the code of its refusal. A refusal leaves nothing behind.
create function tests.outcome(p_caller text, p_statement text) returns text
  language plpgsql
as $$
declare
  v_answer text;
begin
  case p_caller
    when 'server' then perform tests.as_server('acme');
    when 'operator' then perform tests.as_role('kith_admin');
    else perform tests.as_user('acme', p_caller);
  end case;
  begin
    execute p_statement into v_answer;
  exception when others then
    perform tests.as_superuser();
    return sqlerrm;
  end;
  perform tests.as_superuser();
  return coalesce(substring(v_answer from '"(?:problem|message)" ?: ?"([a-z_]+)"'), 'done');
end
$$;

-- 200 vaults of Alice, and one more that was deleted. Bob has another one, which he offers to her and to Carol.
select tests.as_user('acme', 'alice');
insert into kept values ('deleted', (api.create_vault('{"name": "Deleted"}', '2026-03-10T08:00Z') ->> 'id')::uuid);
select api.delete_vault(tests.kept('deleted'), '2026-03-10T08:01Z') \g /dev/null
select tests.as_user('acme', 'bob');
insert into kept values ('offered', (api.create_vault('{"name": "Offered"}', '2026-03-10T08:00Z') ->> 'id')::uuid);
insert into kept
select 'offer', (api.create_transfer(tests.kept('offered'), '{"name": "Alice", "email": "alice@example.com", "keep_access": false}', 'https://kith.example', '2026-03-10T08:01Z') ->> 'id')::uuid;
insert into kept
select 'token', (api.resend_transfer(tests.kept('offered'), 'link', 'https://kith.example', '2026-03-10T08:02Z') #>> '{invitation,token}')::uuid;
select tests.as_superuser();
update kith.users set email = 'alice@example.com', email_verified_at = '2026-03-01T00:00Z' where id = tests.id('alice');
insert into kith.vaults (tenant_id, id, owner_id, name, require_confirmation, full_may_open, created_at, updated_at)
select tests.tenant('acme'), gen_random_uuid(), tests.id('alice'), 'Vault ' || n, false, false, '2026-03-01T00:00Z', '2026-03-01T00:00Z' from generate_series(1, 200) as n;
insert into doors (quota, door, caller, statement, outcome) values
  ('vaults', 'create', 'alice', $$ select api.create_vault('{"name": "More"}', '2026-03-10T09:00Z') $$, 'quota_exceeded'),
  ('vaults', 'restore', 'alice', $$ select api.restore_vault(tests.kept('deleted'), '2026-03-10T09:00Z') $$, 'quota_exceeded'),
  ('vaults', 'restore by an operator', 'operator', $$ select admin.restore_vault('acme', tests.kept('deleted'), 'asked', '2026-03-10T09:00Z') $$, 'quota_exceeded'),
  ('vaults', 'transfer by token', 'alice', $$ select api.accept_invitation(tests.kept('token'), '2026-03-10T09:00Z') $$, 'quota_exceeded'),
  ('vaults', 'transfer by its id', 'alice', $$ select api.accept_own_invitation(tests.kept('offer'), '2026-03-10T09:00Z') $$, 'quota_exceeded'),
  ('vaults', 'import', 'server', $$ select api.import_items('[{"line": 1, "item": {"kind": "vault", "external_id": "v", "owner": "ext-alice", "name": "V"}}]', '2026-03-10T09:00Z') $$, 'quota_exceeded');

-- 1,000 nominees of a vault that Carol offers to Mallory and wants to keep her access to.
select tests.as_user('acme', 'carol');
insert into kept values ('full', (api.create_vault('{"name": "Full"}', '2026-03-10T08:00Z') ->> 'id')::uuid);
select api.put_share(tests.kept('full'), '{}', '2026-03-10T08:00Z') \g /dev/null
insert into kept
select 'keeping', (api.create_transfer(tests.kept('full'), '{"name": "Mallory", "keep_access": true}', 'https://kith.example', '2026-03-10T08:01Z') #>> '{invitation,token}')::uuid;
select tests.as_superuser();
update kith.vaults set external_id = 'full' where id = tests.kept('full');
insert into kith.nominees (tenant_id, id, vault_id, owner_id, name, status, access_level, invited_at, invited_by_user_id, updated_at)
select tests.tenant('acme'), internal.uuid7('2026-03-01T00:00Z'), tests.kept('full'), tests.id('carol'), 'N', 'pending', 'view', '2026-03-01T00:00Z', tests.id('carol'), '2026-03-01T00:00Z'
from generate_series(1, 1000);
insert into doors (quota, door, caller, statement, outcome) values
  ('nominees', 'invite', 'carol', $$ select api.invite_nominees(tests.kept('full'), '[{"name": "More"}]', 'https://kith.example', '2026-03-10T09:00Z') $$, 'quota_exceeded'),
  (
    'nominees', 'share', 'carol',
    $$ select api.synchronise_share(tests.kept('full'), '{"participants": [{"id": "p", "acceptance_status": "accepted", "permission": "readOnly", "role": "privateUser"}]}', '2026-03-10T09:00Z') $$,
    'quota_exceeded'
  ),
  ('nominees', 'import', 'server', $$ select api.import_items('[{"line": 1, "item": {"kind": "nominee", "external_id": "n", "vault": "full", "name": "N"}}]', '2026-03-10T09:00Z') $$, 'quota_exceeded'),
  ('nominees', 'a former owner who keeps access', 'mallory', $$ select api.accept_invitation(tests.kept('keeping'), '2026-03-10T09:00Z') $$, 'quota_exceeded');

-- 100 codes of Bob, who is about to become a sender, and of a user whose permanent code has ended.
insert into kith.users (tenant_id, id, external_id, display_name, tokens_valid_from, created_at, updated_at)
values (tests.tenant('acme'), '0da00000-0000-7000-8000-000000000005', 'ext-dan', 'Dan', '2026-01-05T08:00Z', '2026-01-05T08:00Z', '2026-01-05T08:00Z');
insert into kith.unique_codes (tenant_id, code, user_id, role, permanent, created_at, expires_at)
select tests.tenant('acme'), (500000 + n)::text, tests.id('bob'), 'receiver', false, '2026-03-09T00:00Z', '2026-04-01T00:00Z' from generate_series(1, 99) as n;
insert into kith.unique_codes (tenant_id, code, user_id, role, permanent, created_at, expires_at)
select tests.tenant('acme'), (600000 + n)::text, '0da00000-0000-7000-8000-000000000005', 'receiver', false, '2026-03-09T00:00Z', '2026-04-01T00:00Z' from generate_series(1, 100) as n;
insert into doors (quota, door, caller, statement, outcome) values
  ('codes', 'create', 'bob', $$ select api.create_code('{"role": "receiver"}', '2026-03-10T09:00Z') $$, 'quota_exceeded'),
  ('codes', 'rotate', 'bob', $$ select api.create_code('{"role": "receiver", "rotate": true}', '2026-03-10T09:00Z') $$, 'quota_exceeded'),
  ('codes', 'a new profile', 'bob', $$ select api.put_sender_profile('{"ping_time": "09:00", "time_zone": "UTC"}', '2026-03-10T09:00Z') $$, 'quota_exceeded'),
  ('codes', 'import of a code', 'server', $$ select api.import_items('[{"line": 1, "item": {"kind": "code", "user": "ext-bob", "role": "receiver", "code": "700000"}}]', '2026-03-10T09:00Z') $$, 'quota_exceeded'),
  (
    'codes', 'import of a profile', 'server',
    $$ select api.import_items('[{"line": 1, "item": {"kind": "user", "external_id": "ext-dan", "receiver_profile": {}}}]', '2026-03-10T09:00Z') $$, 'quota_exceeded'
  );

-- 10,000 connections of Mallory as a receiver, one of them with Alice, removed. Carol becomes a sender.
select tests.as_user('acme', 'carol');
select api.put_sender_profile('{"ping_time": "09:00", "time_zone": "UTC"}', '2026-03-10T08:00Z') \g /dev/null
select tests.as_superuser();
insert into kith.users (tenant_id, id, external_id, display_name, tokens_valid_from, created_at, updated_at)
select tests.tenant('acme'), internal.uuid7('2026-03-01T00:00Z'), 'sender-' || n, 'S', '2026-01-05T08:00Z', '2026-01-05T08:00Z', '2026-01-05T08:00Z' from generate_series(1, 9999) as n;
insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at, deleted_at, deleted_by)
select tests.tenant('acme'), gen_random_uuid(), id, tests.id('mallory'), 'deleted', tests.id('mallory'), '2026-03-01T00:00Z', '2026-03-01T00:00Z', '2026-03-01T00:00Z', '2026-03-02T00:00Z', 'user:x'
from kith.users where tenant_id = tests.tenant('acme') and (external_id like 'sender-%' or id = tests.id('alice'));
insert into doors (quota, door, caller, statement, outcome) values
  ('connections', 'a code', 'carol', $$ select api.create_connection('444445', '2026-03-10T09:00Z') $$, 'quota_exceeded'),
  ('connections', 'import', 'server', $$ select api.import_items('[{"line": 1, "item": {"kind": "connection", "sender": "ext-carol", "receiver": "ext-mallory"}}]', '2026-03-10T09:00Z') $$, 'quota_exceeded'),
  ('connections', 'the code of a former connection', 'alice', $$ select api.create_connection('444445', '2026-03-10T09:00Z') $$, 'done');

-- As many users as the tenant may have. Signing up by a code is in sign_in.sql.
insert into doors (quota, door, caller, statement, outcome) values
  ('users', 'create', 'server', $$ select api.put_user('{"external_id": "more"}', '2026-03-10T09:00Z') $$, 'quota_exceeded'),
  ('users', 'import of users', 'server', $$ select api.import_users('[{"line": 1, "user": {"external_id": "more"}}]', '2026-03-10T09:00Z') $$, 'quota_exceeded'),
  ('users', 'import', 'server', $$ select api.import_items('[{"line": 1, "item": {"kind": "user", "external_id": "more"}}]', '2026-03-10T09:00Z') $$, 'quota_exceeded');

-- 20 devices of Bob. A twenty-first replaces the oldest, also one that was somebody else's.
insert into kith.devices (tenant_id, token, user_id, platform, environment, created_at, last_seen_at)
select tests.tenant('acme'), 'bob' || n, tests.id('bob'), 'ios', 'production', '2026-03-01T00:00Z', '2026-03-01T00:00Z' from generate_series(1, 20) as n;
insert into kith.devices (tenant_id, token, user_id, platform, environment, created_at, last_seen_at)
values (tests.tenant('acme'), 'carol1', tests.id('carol'), 'ios', 'production', '2026-03-01T00:00Z', '2026-03-01T00:00Z');
insert into doors (quota, door, caller, statement, outcome) values
  ('devices', 'register', 'bob', $$ select api.put_device('{"platform": "ios", "token": "bob21"}', '2026-03-10T09:00Z') $$, 'done'),
  ('devices', 'take over', 'bob', $$ select api.put_device('{"platform": "ios", "token": "carol1"}', '2026-03-10T09:00Z') $$, 'done');

-- 50 keys, 10 webhooks and 1,000 shares.
insert into kith.api_keys (tenant_id, id, name, secret_hash, scopes, created_at)
select tests.tenant('acme'), gen_random_uuid(), 'k', sha256(n::text::bytea), '{all}', '2026-03-01T00:00Z' from generate_series(1, 50) as n;
insert into kith.webhooks (tenant_id, id, url, types, sealed_secrets, taken_xid, taken_at, next_attempt_at, created_at, updated_at, disabled_at, disabled_reason)
select tests.tenant('acme'), gen_random_uuid(), 'https://acme.example', '{}', '\x01', '3', '2026-03-01T00:00Z', '2026-03-01T00:00Z', '2026-03-01T00:00Z', '2026-03-01T00:00Z',
  case n % 2 when 0 then timestamptz '2026-03-02T00:00Z' end, case n % 2 when 0 then 'gone' end
from generate_series(1, 10) as n;
select tests.as_user('acme', 'carol');
insert into kept values ('shared', (api.create_vault('{"name": "Shared"}', '2026-03-10T08:00Z') ->> 'id')::uuid);
select tests.as_superuser();
insert into kith.shares (tenant_id, id, vault_id, owner_id, record_name, permission, created_at, updated_at, ended_at)
select tests.tenant('acme'), gen_random_uuid(), tests.kept('shared'), tests.id('carol'), 'r', 'readWrite', '2026-03-01T00:00Z', '2026-03-01T00:00Z', '2026-03-02T00:00Z' from generate_series(1, 1000);
insert into doors (quota, door, caller, statement, outcome) values
  ('keys', 'create by an operator', 'operator', $$ select id::text from admin.create_api_key('acme', 'k', '{read}', null, '2026-03-10T09:00Z') $$, 'quota_exceeded'),
  ('keys', 'rotate', 'operator', $$ select secret_key from admin.rotate_api_key('acme', '24 hours', '2026-03-10T09:00Z') $$, 'quota_exceeded'),
  ('webhooks', 'add', 'server', $$ select api.add_webhook(gen_random_uuid(), '{"url": "https://acme.example"}', '\x01', '2026-03-10T09:00Z') $$, 'quota_exceeded'),
  ('shares', 'put', 'carol', $$ select api.put_share(tests.kept('shared'), '{}', '2026-03-10T09:00Z') $$, 'quota_exceeded');

-- 10,000 documents, one of them deleted, as large together as the vault may be.
select tests.as_user('acme', 'carol');
insert into kept values ('papers', (api.create_vault('{"name": "Papers"}', '2026-03-10T08:00Z') ->> 'id')::uuid);
select api.open_vault(tests.kept('papers'), '2026-03-10T08:59Z') \g /dev/null
select tests.as_superuser();
update kith.tenants set vault_quota_mib = 1 where tenant_id = tests.tenant('acme');
insert into kith.documents (tenant_id, id, vault_id, owner_id, version_id, name, content_type, size, sha256, created_at, created_by, updated_at, deleted_at, deleted_by)
select tests.tenant('acme'), case n when 1 then '0d000000-0000-7000-8000-000000000001' else gen_random_uuid() end, tests.kept('papers'), tests.id('carol'), gen_random_uuid(), 'D', 'text/plain',
  case n when 1 then 1048576 else 0 end, sha256(''), '2026-03-01T00:00Z', tests.id('carol'), '2026-03-01T00:00Z',
  case n when 1 then timestamptz '2026-03-09T00:00Z' end, case n when 1 then tests.id('carol') end
from generate_series(1, 10000) as n;
insert into doors (quota, door, caller, statement, outcome) values
  ('documents', 'begin an upload', 'carol', $$ select api.begin_upload(tests.kept('papers'), null, 0, 262144, null, null, '2026-03-10T09:00Z') $$, 'quota_exceeded'),
  (
    'documents', 'replace by a larger one', 'carol',
    $$ select api.begin_upload(tests.kept('papers'), (select id from kith.documents where vault_id = tests.kept('papers') and deleted_at is null limit 1), 1, 262144, null, null, '2026-03-10T09:00Z') $$,
    'quota_exceeded'
  ),
  ('documents', 'restore', 'carol', $$ select api.restore_document(tests.kept('papers'), '0d000000-0000-7000-8000-000000000001', '2026-03-10T09:00Z') $$, 'done');

select plan(10 + (select count(*)::integer from doors));
-- The tenant gets full last, because its other users must be there first.
insert into kith.tenant_usage (tenant_id, users) select tenant_id, count(*) from kith.users where tenant_id = tests.tenant('acme') and deleted_at is null group by tenant_id
on conflict (tenant_id) do update set users = excluded.users;
update kith.tenants set user_quota = (select users from kith.tenant_usage where tenant_id = tests.tenant('acme')) where tenant_id = tests.tenant('acme');
select is(tests.outcome(caller, statement), outcome, format('%s: %s: %s', quota, door, outcome)) from doors order by n;

select is((select count(*) from kith.vaults where owner_id = tests.id('alice') and deleted_at is null), 200::bigint, 'there are 200 vaults');
select is((select count(*) from kith.nominees where vault_id = tests.kept('full') and status <> 'revoked'), 1000::bigint, 'there are 1,000 nominees');
select is((select count(*) from kith.unique_codes where user_id = tests.id('bob')), 100::bigint, 'there are 100 codes');
select is((select count(*) from kith.unique_codes where user_id = '0da00000-0000-7000-8000-000000000005'), 100::bigint, 'an import adds no code to 100');
select is((select count(*) from kith.connections where receiver_id = tests.id('mallory')), 10000::bigint, 'there are 10,000 connections');
select is((select count(*) from kith.users where tenant_id = tests.tenant('acme') and deleted_at is null), (select user_quota::bigint from kith.tenants where tenant_id = tests.tenant('acme')), 'there are as many users as the quota says');
select is((select count(*) from kith.devices where user_id = tests.id('bob')), 20::bigint, 'there are 20 devices');
select is((select count(*) from kith.documents where vault_id = tests.kept('papers')), 10000::bigint, 'there are 10,000 documents');

-- One vault less, and the deleted one comes back.
update kith.vaults set deleted_at = '2026-03-10T09:30Z', deleted_by = 'user:x' where id = (select id from kith.vaults where owner_id = tests.id('alice') and deleted_at is null limit 1);
select is(tests.outcome('operator', $$ select admin.restore_vault('acme', tests.kept('deleted'), 'asked', '2026-03-10T10:00Z') $$), 'done', 'with room for it, an operator restores the vault');
select is((select count(*) from kith.vaults where owner_id = tests.id('alice') and deleted_at is null), 200::bigint, 'there are 200 vaults again');

select * from finish();
rollback;
