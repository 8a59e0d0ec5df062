-- Limits and durations at their exact edge: what is decided at the instant itself, and a microsecond before. One row a question. What a row
-- does is undone before the next one.
begin;
\ir people.sql
\ir emergency_house.sql
select plan(48);

-- A request of Bob's that has ended.
create function tests.past(p_reason text, p_ended_at timestamptz, p_ago interval default '1 hour') returns void
  language sql
as $$
  insert into kith.emergency_requests (
    tenant_id, id, vault_id, nominee_id, owner_id, user_id, cause, wait_hours, access_level, grant_hours, reject_on_check_in, sign_of_life, required,
    requested_at, ended_at, end_reason
  )
  values (
    tests.tenant('acme'), internal.uuid7(p_ended_at - p_ago), tests.vault(), '0e000000-0000-7000-8000-000000000001', tests.id('alice'), tests.id('bob'),
    'request', 48, 'view', 24, false, 'check_in', 1, p_ended_at - p_ago, p_ended_at, p_reason
  )
$$;
-- Further nominees of Alice's vault.
create function tests.nominate(p_person text, p_status text, p_level text default 'view') returns void
  language sql
as $$
  insert into kith.nominees (
    tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, revoked_at, updated_at
  )
  values (
    tests.tenant('acme'), '0e000000-0000-7000-8000-000000000002', tests.vault(), tests.id('alice'), tests.id(p_person), initcap(p_person), p_status,
    p_level, '2026-03-01T08:00Z', tests.id('alice'), case when p_status <> 'pending' then timestamptz '2026-03-01T08:00Z' end,
    case when p_status = 'revoked' then timestamptz '2026-03-02T08:00Z' end, '2026-03-01T08:00Z'
  )
$$;
-- Codes to confirm a contact that Alice has asked for, each to another number.
create function tests.codes(p_count integer, p_at timestamptz) returns void
  language sql
as $$
  insert into kith.otp_codes (tenant_id, id, purpose, address, user_id, code_hash, created_at, expires_at)
  select tests.tenant('acme'), gen_random_uuid(), 'contact', '+49151123000' || to_char(n, 'FM00'), tests.id('alice'), sha256(''), p_at, p_at + interval '10 minutes'
  from generate_series(1, p_count) as n
$$;
-- Sign-in codes to an address.
create function tests.sign_ins(p_count integer, p_at timestamptz) returns void
  language sql
as $$
  insert into kith.otp_codes (tenant_id, id, purpose, address, code_hash, created_at, expires_at)
  select tests.tenant('acme'), gen_random_uuid(), 'sign_in', 'alice@example.org', sha256(''), p_at, p_at + interval '10 minutes'
  from generate_series(1, p_count) as n
$$;
create function tests.capped_by(p_user text, p_now timestamptz) returns text
  language sql
as $$
  select coalesce(internal.otp_capped_by('email', 'alice@example.org', tests.id(p_user), false, false, tenants, p_now), 'sent')
  from kith.tenants where tenant_id = tests.tenant('acme')
$$;
create function tests.check_in(p_at timestamptz) returns text
  language plpgsql
as $$
begin
  perform set_config('kith.tenant_id', tests.tenant('acme')::text, true), set_config('kith.user_id', tests.id('alice')::text, true);
  perform internal.end_emergencies_by_sign(tests.tenant('acme'), tests.id('alice'), 'app', p_at);
  return (select count(*) from kith.notifications where user_id = tests.id('alice') and type = 'emergency_reminder' and id >= internal.first_uuid7(p_at))::text;
end
$$;
create function tests.reject(p_at timestamptz) returns text
  language plpgsql
as $$
begin
  perform api.reject_emergency_request(tests.vault(), tests.request(), p_at);
  perform tests.as_superuser();
  return (select case when ended_at is null then 'keeps the right' else 'loses the right' end from kith.emergency_settings);
end
$$;
create function tests.hidden(p_id uuid) returns text
  language sql
as $$ select case when cardinality(internal.hidden_subjects(array[p_id], '2026-03-10T08:00Z')) > 0 then 'withheld' else 'repeated' end $$;

select is(tests.answer(before, person, act), answer, sentence)
from (values
  -- Asking for emergency access (E02).
  ($$ select $$, 'bob', $$ api.request_emergency_access(tests.vault(), 'x', '2026-03-10T08:00Z') ->> 'status' $$, 'waiting', 'a nominee with the right may ask'),
  ($$ insert into kith.blocks (tenant_id, user_id, blocked_id, created_at) values (tests.tenant('acme'), tests.id('alice'), tests.id('bob'), '2026-03-09Z') $$,
    'bob', $$ api.request_emergency_access(tests.vault(), 'x', '2026-03-10T08:00Z') ->> 'status' $$, 'forbidden', 'a nominee whom the owner has blocked may not ask'),
  ($$ select tests.past('rejected', '2026-03-09T08:00Z') $$, 'bob', $$ api.request_emergency_access(tests.vault(), 'x', '2026-03-10T07:59:59.999999Z') ->> 'status' $$,
    'too_many_requests', 'a microsecond less than 24 hours after a no, the nominee may not ask'),
  ($$ select tests.past('rejected', '2026-03-09T08:00Z') $$, 'bob', $$ api.request_emergency_access(tests.vault(), 'x', '2026-03-10T08:00Z') ->> 'status' $$,
    'waiting', '24 hours after a no, the nominee may ask'),
  ($$ select tests.past('withdrawn', timestamptz '2026-03-09T09:00Z' + n * interval '1 hour', '30 minutes') from generate_series(0, 2) as n $$, 'bob',
    $$ api.request_emergency_access(tests.vault(), 'x', '2026-03-10T08:29:59.999999Z') ->> 'status' $$, 'too_many_requests', 'a fourth time within 24 hours is too often'),
  ($$ select tests.past('withdrawn', timestamptz '2026-03-09T09:00Z' + n * interval '1 hour', '30 minutes') from generate_series(0, 2) as n $$, 'bob',
    $$ api.request_emergency_access(tests.vault(), 'x', '2026-03-10T08:30Z') ->> 'status' $$, 'waiting', '24 hours after the first of three times, the nominee may ask'),
  ($$ select tests.past('withdrawn', timestamptz '2026-03-03T08:00Z' + n * interval '2 days') from generate_series(0, 3) as n $$, 'bob',
    $$ api.request_emergency_access(tests.vault(), 'x', '2026-03-12T08:00Z') ->> 'status' $$, 'waiting', 'after four withdrawals the nominee may ask'),
  ($$ select tests.past('withdrawn', timestamptz '2026-03-03T08:00Z' + n * interval '2 days') from generate_series(0, 4) as n $$, 'bob',
    $$ api.request_emergency_access(tests.vault(), 'x', '2026-04-02T07:59:59.999999Z') ->> 'status' $$, 'too_many_requests', 'five withdrawals within 30 days are too many'),
  ($$ select tests.past('withdrawn', timestamptz '2026-03-03T08:00Z' + n * interval '2 days') from generate_series(0, 4) as n $$, 'bob',
    $$ api.request_emergency_access(tests.vault(), 'x', '2026-04-02T08:00Z') ->> 'status' $$, 'waiting', '30 days after the first of five withdrawals, the nominee may ask'),
  -- Saying no (E02).
  ($$ select tests.ask(48, '2026-04-02T07:00Z'), tests.past('rejected', '2026-03-03T08:00Z'), tests.past('rejected', '2026-03-20T08:00Z') $$, 'alice',
    $$ tests.reject('2026-04-02T07:59:59.999999Z') $$, 'loses the right', 'the third no within 30 days ends the right'),
  ($$ select tests.ask(48, '2026-04-02T07:00Z'), tests.past('rejected', '2026-03-03T08:00Z'), tests.past('rejected', '2026-03-20T08:00Z') $$, 'alice',
    $$ tests.reject('2026-04-02T08:00Z') $$, 'keeps the right', 'the third no 30 days after the first does not'),
  -- A check-in that does not end a request (E07).
  ($$ select tests.ask(); update kith.emergency_requests set reject_on_check_in = false $$, 'alice', $$ tests.check_in('2026-03-10T08:00:01Z') $$, '1', 'an owner who checks in a second after they were told is reminded'),
  ($$ select tests.ask(); update kith.emergency_requests set reject_on_check_in = false; select tests.check_in('2026-03-10T08:00Z') $$, 'alice', $$ tests.check_in('2026-03-10T08:09:59.999Z') $$, '0', 'one who checks in again within 10 minutes is not'),
  ($$ select tests.ask(); update kith.emergency_requests set reject_on_check_in = false; select tests.check_in('2026-03-10T08:00Z') $$, 'alice', $$ tests.check_in('2026-03-10T08:10:00.001Z') $$, '1', '10 minutes later a check-in brings a reminder'),
  -- One-time codes (A02).
  ($$ select tests.codes(9, '2026-03-10T08:00Z') $$, 'alice', $$ tests.capped_by('alice', '2026-03-10T08:30Z') $$, 'sent', 'the tenth code of a user within an hour is sent'),
  ($$ select tests.codes(10, '2026-03-10T08:00Z') $$, 'alice', $$ tests.capped_by('alice', '2026-03-10T08:59:59.999999Z') $$, 'user', 'the eleventh is not'),
  ($$ select tests.codes(10, '2026-03-10T08:00Z') $$, 'alice', $$ tests.capped_by('alice', '2026-03-10T09:00Z') $$, 'sent', 'an hour later it is'),
  ($$ select tests.codes(10, '2026-03-10T08:00Z') $$, 'alice', $$ tests.capped_by('carol', '2026-03-10T08:30Z') $$, 'sent', 'another user''s is sent'),
  ($$ select tests.sign_ins(4, '2026-03-10T08:00Z') $$, 'alice', $$ tests.capped_by(null, '2026-03-10T08:30Z') $$, 'sent', 'the fifth code to an address within an hour is sent'),
  ($$ select tests.sign_ins(5, '2026-03-10T08:00Z') $$, 'alice', $$ tests.capped_by(null, '2026-03-10T08:59:59.999999Z') $$, 'address', 'the sixth is not'),
  ($$ select tests.sign_ins(5, '2026-03-10T08:00Z') $$, 'alice', $$ tests.capped_by(null, '2026-03-10T09:00Z') $$, 'sent', 'an hour later it is'),
  ($$ select tests.sign_ins(19, '2026-03-10T08:00Z') $$, 'alice', $$ tests.capped_by(null, '2026-03-11T07:59:59.999999Z') $$, 'sent', 'the twentieth code to an e-mail address within a day is sent'),
  ($$ select tests.sign_ins(20, '2026-03-10T08:00Z') $$, 'alice', $$ tests.capped_by(null, '2026-03-11T07:59:59.999999Z') $$, 'address', 'the twenty-first is not'),
  ($$ select tests.sign_ins(20, '2026-03-10T08:00Z') $$, 'alice', $$ tests.capped_by(null, '2026-03-11T08:00Z') $$, 'sent', '24 hours later it is'),
  -- Kept answers (A07).
  ($$ select $$, 'bob', $$ tests.hidden(tests.vault()) $$, 'repeated', 'an answer about a vault is repeated to its nominee'),
  ($$ update kith.nominees set status = 'inactive' $$, 'bob', $$ tests.hidden(tests.vault()) $$, 'withheld', 'an answer about a vault is withheld from a nominee who is paused'),
  ($$ update kith.nominees set status = 'revoked', revoked_at = '2026-03-02Z' $$, 'bob', $$ tests.hidden(tests.vault()) $$, 'withheld', 'and from one who is revoked'),
  ($$ update kith.vaults set deleted_at = '2026-03-02Z', deleted_by = 'user:' $$, 'bob', $$ tests.hidden(tests.vault()) $$, 'withheld',
    'an answer about a deleted vault is withheld from its nominee'),
  ($$ update kith.vaults set deleted_at = '2026-03-02Z', deleted_by = 'user:' $$, 'alice', $$ tests.hidden(tests.vault()) $$, 'withheld', 'and from its owner'),
  -- Deleting an account (A04).
  ($$ select $$, 'alice', $$ coalesce(api.delete_me(null, '2026-03-10T08:00Z')::text, 'deleted') $$, 'conflict', 'a vault that somebody can read keeps its owner from deleting the account'),
  ($$ update kith.nominees set status = 'inactive' $$, 'alice', $$ coalesce(api.delete_me(null, '2026-03-10T08:00Z')::text, 'deleted') $$, 'conflict', 'so does one whose only nominee is paused'),
  ($$ update kith.nominees set status = 'revoked', revoked_at = '2026-03-02Z' $$, 'alice', $$ coalesce(api.delete_me(null, '2026-03-10T08:00Z')::text, 'deleted') $$,
    'deleted', 'one whose only nominee is revoked does not'),
  ($$ update kith.vaults set deleted_at = '2026-03-02Z', deleted_by = 'user:' $$, 'alice', $$ coalesce(api.delete_me(null, '2026-03-10T08:00Z')::text, 'deleted') $$,
    'deleted', 'nor does a deleted vault'),
  -- Offering a vault to a nominee (C07).
  ($$ select tests.nominate('carol', 'accepted') $$, 'alice',
    $$ api.create_transfer(tests.vault(), '{"nominee_id": "0e000000-0000-7000-8000-000000000002", "keep_access": false}', 'https://kith.example', '2026-03-10T08:00Z') ->> 'status' $$,
    'pending', 'a vault can be offered to a nominee'),
  ($$ select tests.nominate('carol', 'inactive') $$, 'alice',
    $$ api.create_transfer(tests.vault(), '{"nominee_id": "0e000000-0000-7000-8000-000000000002", "keep_access": false}', 'https://kith.example', '2026-03-10T08:00Z') ->> 'status' $$,
    'pending', 'also to one who is paused'),
  ($$ select tests.nominate('carol', 'pending') $$, 'alice',
    $$ api.create_transfer(tests.vault(), '{"nominee_id": "0e000000-0000-7000-8000-000000000002", "keep_access": false}', 'https://kith.example', '2026-03-10T08:00Z') ->> 'status' $$,
    'invalid_transition', 'but not to one who has not accepted yet'),
  ($$ select tests.nominate('carol', 'revoked') $$, 'alice',
    $$ api.create_transfer(tests.vault(), '{"nominee_id": "0e000000-0000-7000-8000-000000000002", "keep_access": false}', 'https://kith.example', '2026-03-10T08:00Z') ->> 'status' $$,
    'validation_failed', 'nor to one who is revoked'),
  -- Drafts (N23).
  ($$ insert into kith.drafts values (tests.tenant('acme'), tests.id('alice'), tests.vault(), '2026-03-10T08:00Z', '2026-03-10T08:10Z') $$, 'alice',
    $$ api.take_invitation_draft('2026-03-10T08:09:59.999999Z') ->> 'fallback' $$, 'false', 'a draft can be read until it expires'),
  ($$ insert into kith.drafts values (tests.tenant('acme'), tests.id('alice'), tests.vault(), '2026-03-10T08:00Z', '2026-03-10T08:10Z') $$, 'alice',
    $$ api.take_invitation_draft('2026-03-10T08:10Z') ->> 'fallback' $$, 'true', 'not from that instant on'),
  ($$ select tests.nominate('carol', 'accepted', 'full'); insert into kith.drafts values (tests.tenant('acme'), tests.id('carol'), tests.vault(), '2026-03-10T08:00Z', '2026-03-10T08:10Z') $$,
    'carol', $$ api.take_invitation_draft('2026-03-10T08:01Z') -> 'vault' ->> 'name' $$, 'Papers', 'a draft tells a nominee who may invite the vault''s name'),
  ($$ select tests.nominate('carol', 'accepted', 'edit'); insert into kith.drafts values (tests.tenant('acme'), tests.id('carol'), tests.vault(), '2026-03-10T08:00Z', '2026-03-10T08:10Z') $$,
    'carol', $$ api.take_invitation_draft('2026-03-10T08:01Z') -> 'vault' ->> 'name' $$, 'not_found', 'it tells nothing to one whose level has been lowered'),
  ($$ select tests.nominate('carol', 'inactive', 'full'); insert into kith.drafts values (tests.tenant('acme'), tests.id('carol'), tests.vault(), '2026-03-10T08:00Z', '2026-03-10T08:10Z') $$,
    'carol', $$ api.take_invitation_draft('2026-03-10T08:01Z') -> 'vault' ->> 'name' $$, 'not_found', 'nor to one who has been paused'),
  ($$ select tests.nominate('carol', 'revoked', 'full'); insert into kith.drafts values (tests.tenant('acme'), tests.id('carol'), tests.vault(), '2026-03-10T08:00Z', '2026-03-10T08:10Z') $$,
    'carol', $$ api.take_invitation_draft('2026-03-10T08:01Z') -> 'vault' ->> 'name' $$, 'not_found', 'nor to one who has been revoked')
) as rows (before, person, act, answer, sentence);

-- Rows that remain of a deleted account.
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, completed_at, note)
values (
  tests.tenant('acme'), '2026-03-09', tests.id('alice-bob'), internal.uuid7('2026-03-09T00:00Z'), tests.id('alice'), tests.id('bob'), 'completed',
  '2026-03-09T09:00Z', '2026-03-09T10:30Z', '2026-03-09T09:05Z', 'I am at my sister''s'
);
insert into kith.transfers (tenant_id, id, vault_id, owner_id, name, phone, keep_access, status, created_at, expires_at)
values (
  tests.tenant('acme'), '0f100000-0000-7000-8000-000000000001', tests.vault(), tests.id('alice'), 'Carol', '+491511230001', false, 'pending',
  '2026-03-09T08:00Z', '2026-03-19T08:00Z'
);
update kith.users set phone = '+491511230001', phone_verified_at = '2026-03-01Z' where id = tests.id('carol');
insert into kith.idempotency_keys (tenant_id, caller, key, fingerprint, sealed_answer, created_at, expires_at)
values (tests.tenant('acme'), 'user:' || tests.id('alice'), 'offer', sha256(''), '\x00', '2026-03-09T08:00Z', '2026-03-10T08:00Z');
insert into kith.idempotency_key_subjects (tenant_id, subject_id, caller, key)
values (tests.tenant('acme'), '0f100000-0000-7000-8000-000000000001', 'user:' || tests.id('alice'), 'offer');
select tests.as_user('acme', 'carol') \g /dev/null
select api.delete_me('delete', '2026-03-10T07:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is((select count(*)::integer from kith.idempotency_keys where key = 'offer'), 0, 'an answer that names a deleted person as the next owner is forgotten');
select is((select count(*)::integer from kith.signs_of_life where user_id = tests.id('alice')), 1, 'Alice has shown a sign of life');
select tests.as_user('acme', 'alice') \g /dev/null
select api.delete_me('delete', '2026-03-10T08:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is((select count(*)::integer from kith.signs_of_life where user_id = tests.id('alice')), 0, 'a deleted account leaves no signs of life');
select is((select count(*)::integer from kith.nominees where vault_id = tests.vault()), 0, 'nor nominees of its vaults');
select is((select string_agg(status || coalesce(' ' || note, ''), ', ') from kith.pings), 'completed', 'nor notes of its pings');

select * from finish();
rollback;
