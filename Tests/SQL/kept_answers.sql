-- A kept answer is given again only while its caller has the right that it came from (A07).
begin;
\ir people.sql
select plan(14);

-- Alice's vault, with Bob inside at level full and Carol at level view, and a connection, a document and an unanswered invitation.
create function tests.thing(p_name text) returns uuid
  language sql immutable
  return case p_name
    when 'vault' then '0fa00000-0000-7000-8000-000000000001'
    when 'full' then '00e00000-0000-7000-8000-000000000001'
    when 'view' then '00e00000-0000-7000-8000-000000000002'
    when 'invited' then '00e00000-0000-7000-8000-000000000003'
    when 'document' then '0d000000-0000-7000-8000-000000000001'
    when 'request' then '0e900000-0000-7000-8000-000000000001'
    when 'connection' then tests.id('alice-bob')
    when 'key' then '0ce00000-0000-7000-8000-000000000001'
  end::uuid;
insert into kith.vaults (tenant_id, id, owner_id, name, created_at, updated_at)
values (tests.tenant('acme'), tests.thing('vault'), tests.id('alice'), 'Papers', '2026-03-01T08:00Z', '2026-03-01T08:00Z');
insert into kith.nominees (tenant_id, id, vault_id, owner_id, user_id, name, access_level, status, invited_by_user_id, invited_at, accepted_at, updated_at)
select tests.tenant('acme'), tests.thing(thing), tests.thing('vault'), tests.id('alice'), tests.id(person), name, level, status, tests.id('alice'),
  '2026-03-01T08:00Z', case status when 'accepted' then timestamptz '2026-03-01T08:00Z' end, '2026-03-01T08:00Z'
from (values ('full', 'bob', 'Bob', 'full', 'accepted'), ('view', 'carol', 'Carol', 'view', 'accepted'), ('invited', null, 'Dora', 'view', 'pending'))
  as nominee (thing, person, name, level, status);
insert into kith.vault_sessions (
  tenant_id, id, vault_id, owner_id, kind, unlocked_by, opened_at, expires_at, maximum_at, last_activity_at, inside
)
values (
  tests.tenant('acme'), '05e00000-0000-7000-8000-000000000001', tests.thing('vault'), tests.id('alice'), 'shared', tests.id('alice'),
  '2026-03-04T10:00Z', '2026-03-04T10:30Z', '2026-03-04T22:00Z', '2026-03-04T10:00Z', array[tests.id('alice'), tests.id('bob'), tests.id('carol')]
);
insert into kith.documents (tenant_id, id, vault_id, owner_id, version_id, name, content_type, size, sha256, created_by, created_at, updated_at)
values (
  tests.tenant('acme'), tests.thing('document'), tests.thing('vault'), tests.id('alice'), gen_random_uuid(), 'Will.pdf', 'text/plain', 1, sha256(''),
  tests.id('bob'), '2026-03-04T10:00Z', '2026-03-04T10:00Z'
);

-- The things that the answers name: those of a path and of a body.
create function tests.named(p_right text) returns uuid[]
  language sql immutable
  return case p_right
    when 'manage' then array[tests.thing('vault'), tests.thing('invited')]
    when 'conversation' then array[tests.thing('vault'), tests.thing('full')]
    when 'full' then array[tests.thing('vault'), tests.thing('document')]
    when 'sight' then array[tests.thing('connection'), tests.id('alice')]
    when 'sender' then '{}'
    else array[tests.thing('vault')]
  end::uuid[];

create function tests.may(p_person text, p_right text, p_now timestamptz) returns boolean
  language plpgsql
as $$
declare
  v_may boolean;
begin
  perform tests.as_user('acme', p_person), set_config('kith.actor', 'user:' || tests.id(p_person), true);
  v_may := internal.may_repeat(p_right, tests.named(p_right), p_now);
  perform tests.as_superuser();
  return v_may;
end
$$;

-- The rights whose answers a person may no longer have after a change, which is undone.
create function tests.lost(p_person text, p_change text, p_now timestamptz default '2026-03-04T10:05Z') returns text
  language plpgsql
as $$
declare
  v_rights constant text[] := array['sight', 'member', 'owner', 'lock', 'open', 'view', 'edit', 'full', 'manage', 'conversation', 'sender'];
  v_lost text;
begin
  create temporary table before as select name from unnest(v_rights) as name where tests.may(p_person, name, '2026-03-04T10:05Z');
  execute p_change;
  v_lost := (
    select coalesce(string_agg(before.name, ' ' order by array_position(v_rights, before.name)), '')
    from before where not tests.may(p_person, before.name, p_now)
  );
  raise exception using errcode = 'TT000', message = v_lost;
exception when sqlstate 'TT000' then
  return sqlerrm;
end
$$;

select results_eq(
  $$
    select person, name
    from unnest(array['alice', 'bob', 'carol', 'mallory']) with ordinality as people (person, n)
    cross join unnest(array['sight', 'member', 'owner', 'lock', 'open', 'view', 'edit', 'full', 'manage', 'conversation', 'sender']) with ordinality as rights (name, m)
    where tests.may(person, name, '2026-03-04T10:05Z')
    order by n, m
  $$,
  $$
    values ('alice', 'sight'), ('alice', 'member'), ('alice', 'owner'), ('alice', 'lock'), ('alice', 'open'), ('alice', 'view'), ('alice', 'edit'),
      ('alice', 'full'), ('alice', 'manage'), ('alice', 'conversation'), ('alice', 'sender'),
      ('bob', 'sight'), ('bob', 'member'), ('bob', 'lock'), ('bob', 'open'), ('bob', 'view'), ('bob', 'edit'), ('bob', 'full'), ('bob', 'manage'),
      ('bob', 'conversation'),
      ('carol', 'member'), ('carol', 'open'), ('carol', 'view'), ('mallory', 'sender')
  $$,
  'in an open vault everybody may have the answers of their rights again, and nobody others'
);

create temporary table changes (n integer, change text, person text, lost text, sql text);
insert into changes values
  (1, 'lowered to view', 'bob', 'lock edit full manage', $$update kith.nominees set access_level = 'view' where id = tests.thing('full')$$),
  (2, 'paused', 'bob', 'member lock open view edit full manage conversation', $$update kith.nominees set status = 'inactive' where id = tests.thing('full')$$),
  (3, 'revoked', 'bob', 'member lock open view edit full manage conversation',
    $$update kith.nominees set status = 'revoked', revoked_at = '2026-03-04T10:01Z' where id = tests.thing('full')$$),
  (4, 'the vault is locked', 'bob', 'open view edit full manage',
    $$update kith.vault_sessions set locked_at = '2026-03-04T10:01Z', lock_reason = 'manual'$$),
  (5, 'the vault is locked', 'alice', 'view edit full', $$update kith.vault_sessions set locked_at = '2026-03-04T10:01Z', lock_reason = 'manual'$$),
  (6, 'the vault is deleted', 'alice', 'member owner lock open view edit full manage conversation',
    $$update kith.vaults set deleted_at = '2026-03-04T10:01Z', deleted_by = 'user'$$),
  (7, 'the vault is deleted', 'carol', 'member open view', $$update kith.vaults set deleted_at = '2026-03-04T10:01Z', deleted_by = 'user'$$),
  (8, 'another owns the vault', 'alice', 'member owner lock open view edit full manage conversation',
    $$update kith.vaults set owner_id = tests.id('mallory')$$),
  (9, 'another owns the vault, and the former owner may see it', 'alice', 'owner lock edit full manage conversation',
    $$with given as (update kith.vaults set owner_id = tests.id('mallory'))
      update kith.nominees set user_id = tests.id('alice'), owner_id = tests.id('mallory') where id = tests.thing('view')$$),
  (10, 'the document is deleted', 'bob', 'full', $$update kith.documents set deleted_at = '2026-03-04T10:01Z', deleted_by = tests.id('alice')$$),
  (11, 'the invited person is to have the level full', 'bob', 'manage',
    $$update kith.nominees set access_level = 'full' where id = tests.thing('invited')$$),
  (12, 'the connection is removed', 'bob', 'sight',
    $$update kith.connections set status = 'deleted', deleted_at = '2026-03-04T10:01Z' where id = tests.id('alice-bob')$$),
  (13, 'the other account has ended', 'bob', 'sight', $$update kith.users set deleted_at = '2026-03-04T10:01Z' where id = tests.id('alice')$$),
  (14, 'the profile has ended', 'alice', 'sender', $$update kith.sender_profiles set ended_at = '2026-03-04T10:01Z'$$);
select results_eq(
  $$ select change, person, tests.lost(person, sql) from changes order by n $$,
  $$ select change, person, lost from changes order by n $$,
  'each right that is taken away takes its answers, and no others'
);
select is(tests.lost('bob', 'select', '2026-03-04T10:31Z'), 'open view edit full manage', 'the end of a session does so without anybody who records it');
select is(tests.lost('alice', 'select', '2026-03-04T10:31Z'), 'view edit full', 'for the owner too');

-- A request for emergency access.
insert into kith.emergency_requests (
  tenant_id, id, vault_id, owner_id, nominee_id, user_id, cause, requested_at, missed_days, access_level, wait_hours, grant_hours, reject_on_check_in, sign_of_life, required
)
values (
  tests.tenant('acme'), tests.thing('request'), tests.thing('vault'), tests.id('alice'), tests.thing('view'), tests.id('carol'), 'silence',
  '2026-03-04T09:00Z', 2, 'view', 48, 24, false, 'check_in', 1
);
create function tests.sees_request(p_person text) returns boolean
  language plpgsql
as $$
declare
  v_may boolean;
begin
  perform tests.as_user('acme', p_person);
  v_may := internal.may_repeat('member', array[tests.thing('vault'), tests.thing('request')], '2026-03-04T10:05Z');
  perform tests.as_superuser();
  return v_may;
end
$$;
select ok(tests.sees_request('alice'), 'the owner may have an answer about a request for emergency access');
select ok(not tests.sees_request('bob'), 'another nominee may not');
select ok(not tests.sees_request('carol'), 'nor may the nominee from whom it is hidden');
update kith.emergency_requests set cause = 'request', missed_days = null where id = tests.thing('request');
select ok(tests.sees_request('carol'), 'the nominee who asked may');

-- The tenant's server.
insert into kith.api_keys (tenant_id, id, name, secret_hash, scopes, created_at)
values (tests.tenant('acme'), tests.thing('key'), 'Billing', sha256('key'), '{users}', '2026-03-01T08:00Z');
create function tests.key_may(p_subjects uuid[]) returns boolean
  language plpgsql
as $$
declare
  v_may boolean;
begin
  perform tests.as_server('acme'), set_config('kith.actor', 'key:' || tests.thing('key'), true);
  v_may := internal.may_repeat('sight', p_subjects, '2026-03-04T10:05Z');
  perform tests.as_superuser();
  return v_may;
end
$$;
select ok(tests.key_may(array[tests.id('alice'), tests.thing('key')]), 'a server may have its answers again');
update kith.api_keys set revoked_at = '2026-03-04T10:01Z' where id = tests.thing('key');
select ok(not tests.key_may(array[tests.id('alice')]), 'not after its key has ended');

-- A check-in. Its answer has ids and instants of the sender's own pings.
create function tests.check_in_again(p_change text) returns text
  language plpgsql
as $$
declare
  v_state text;
begin
  perform tests.as_user('acme', 'alice'), set_config('kith.actor', 'user:' || tests.id('alice'), true);
  perform api.keep_answer('k1', sha256('POST /v1/pings/check-in'), 'sealed', array[tests.thing('connection')], 86400, '2026-03-04T10:00Z');
  perform tests.as_superuser();
  execute p_change;
  perform tests.as_user('acme', 'alice'), set_config('kith.actor', 'user:' || tests.id('alice'), true);
  v_state := api.claim_key('k1', sha256('POST /v1/pings/check-in'), 'own', '2026-03-04T10:05Z') ->> 'state';
  raise exception using errcode = 'TT000', message = v_state;
exception when sqlstate 'TT000' then
  perform tests.as_superuser();
  return sqlerrm;
end
$$;
select is(
  tests.check_in_again($$ update kith.connections set status = 'deleted', deleted_at = '2026-03-04T10:01Z' where id = tests.thing('connection') $$),
  'done', 'who repeats a check-in gets its answer although the receiver has ended the connection'
);
select is(
  tests.check_in_again($$ select tests.as_server('acme'); select api.delete_user(tests.id('bob'), null, '2026-03-04T10:01Z'); select tests.as_superuser() $$),
  'done', 'and although the receiver''s account has ended'
);

select ok(not tests.may('alice', null, '2026-03-04T10:05Z'), 'an answer that comes from no right is never given again');
select throws_ok(
  $$ select internal.require_vault_right('wish', tests.thing('vault'), '{}', '2026-03-04T10:05Z') from (select tests.as_definer('acme', 'alice')) as caller $$,
  '20000', null, 'an unknown right is a fault'
);

select * from finish();
rollback;
