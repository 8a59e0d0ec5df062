-- A POST that arrives twice takes effect once.
begin;
\ir people.sql
select plan(27);

-- Makes a person's request as the server does: with the caller.
create function tests.as_caller(p_person text) returns void
  language plpgsql
as $$
begin
  perform tests.as_user(case p_person when 'globex-alice' then 'globex' else 'acme' end, p_person);
  perform set_config('kith.actor', 'user:' || tests.id(p_person), true);
end
$$;

create function tests.claim(p_person text, p_key text, p_request text, p_now timestamptz) returns text
  language plpgsql
as $$
declare
  v_state text;
begin
  perform tests.as_caller(p_person);
  v_state := api.claim_key(p_key, sha256(p_request::bytea), 'sight', p_now) ->> 'state';
  perform tests.as_superuser();
  return v_state;
end
$$;

create function tests.keep(p_person text, p_key text, p_request text, p_answer text, p_seconds integer, p_now timestamptz, p_subjects uuid[] default '{}') returns void
  language plpgsql
as $$
begin
  perform tests.as_caller(p_person);
  perform api.keep_answer(p_key, sha256(p_request::bytea), p_answer::bytea, p_subjects, p_seconds, p_now);
  perform tests.as_superuser();
end
$$;

select is(tests.claim('alice', 'k1', 'POST /a', '2026-03-02T10:00:00Z'), 'new', 'an unused key lets its request through');
select tests.keep('alice', 'k1', 'POST /a', 'sealed', 86400, '2026-03-02T10:00:00Z');
select is(tests.claim('alice', 'k1', 'POST /a', '2026-03-02T10:00:01Z'), 'done', 'the same request again is known as done');
select tests.as_caller('alice');
select is(api.claim_key('k1', sha256('POST /a'), 'sight', '2026-03-02T10:00:01Z') ->> 'answer', encode('sealed', 'base64'), 'the answer of a finished request is available');
select tests.as_superuser();
select is(tests.claim('alice', 'k1', 'POST /b', '2026-03-02T10:00:01Z'), 'mismatch', 'another request with the same key is an error');
select is(tests.claim('bob', 'k1', 'POST /a', '2026-03-02T10:00:01Z'), 'new', 'the same key of another user is a different key');
select is(tests.claim('globex-alice', 'k1', 'POST /a', '2026-03-02T10:00:01Z'), 'new', 'the same key in another tenant is a different key');
select is(tests.claim('alice', 'k1', 'POST /a', '2026-03-03T10:00:00Z'), 'new', 'a key is forgotten after a day');
select tests.keep('alice', 'k1', 'POST /b', 'other', 600, '2026-03-03T10:00:00Z');
select is((select count(*) from kith.idempotency_keys), 1::bigint, 'an expired key can be used again');
select is(tests.claim('alice', 'k1', 'POST /b', '2026-03-03T10:09:59Z'), 'done', 'an answer with a secret is available for ten minutes');
select is(tests.claim('alice', 'k1', 'POST /b', '2026-03-03T10:10:00Z'), 'new', 'an answer with a secret expires after ten minutes');

select tests.as_role('kith_worker');
select is(worker.sweep('2026-03-03T10:09:59Z', 10), 0, 'an unexpired key is not swept');
select is(worker.sweep('2026-03-03T10:10:00Z', 10), 1, 'an expired key is swept');
select throws_ok($$select sealed_answer from kith.idempotency_keys$$, '42501', null, 'the worker cannot read answers');
select tests.as_role('kith_admin');
select throws_ok($$select * from kith.idempotency_keys$$, '42501', null, 'an operator cannot read answers');
select tests.as_caller('bob');
select throws_ok($$insert into kith.idempotency_keys values (tests.tenant('acme'), 'user:' || tests.id('alice'), 'k2', sha256(''), '', now(), now())$$, '42501', null,
  'a user cannot store another user''s answer');

-- A kept answer is replayed as long as its caller may see the resources in it.
select tests.as_superuser();
insert into kith.vaults (tenant_id, id, owner_id, name, created_at, updated_at)
select tests.tenant('acme'), ('0fa00000-0000-7000-8000-00000000000' || n)::uuid, tests.id('alice'), 'Papers', '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z'
from generate_series(1, 2) as n;
insert into kith.nominees (tenant_id, id, vault_id, owner_id, user_id, name, access_level, status, invited_by_user_id, invited_at, accepted_at, updated_at)
select tests.tenant('acme'), '00e00000-0000-7000-8000-000000000001', '0fa00000-0000-7000-8000-000000000001', tests.id('alice'), tests.id('bob'), 'Bob',
  'view', 'accepted', tests.id('alice'), '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z';
create function tests.keep_naming(p_person text, p_key text, variadic p_subjects uuid[]) returns void
  language sql
as $$
  select tests.keep(p_person, p_key, 'POST /v', 'sealed', 86400, '2026-03-04T10:00:00Z', p_subjects)
$$;
create function tests.repeated(p_person text, p_key text) returns text
  language sql
as $$
  select tests.claim(p_person, p_key, 'POST /v', '2026-03-04T10:01:00Z')
$$;
select tests.keep_naming('bob', 'vault', '0fa00000-0000-7000-8000-000000000001', tests.id('alice'), gen_random_uuid());
select tests.keep_naming('bob', 'other vault', '0fa00000-0000-7000-8000-000000000002');
select tests.keep_naming('bob', 'connection', tests.id('alice-bob'), tests.id('alice'));
select tests.keep_naming('alice', 'invitation', '0fa00000-0000-7000-8000-000000000001', '00e00000-0000-7000-8000-000000000001');
select tests.keep_naming('carol', 'nobody', variadic '{}'::uuid[]);
select is(tests.repeated('bob', 'vault'), 'done', 'a nominee''s repeat gets its answer');
select is(tests.repeated('bob', 'other vault'), 'done', 'a repeat gets its answer if it named a resource that the caller could not see even then');
select is(tests.repeated('bob', 'connection'), 'done', 'a repeat about a connection gets its answer');
update kith.nominees set status = 'revoked', revoked_at = '2026-03-04T10:00:30Z' where user_id = tests.id('bob');
select is(tests.repeated('bob', 'vault'), 'hidden', 'after a revocation the nominee''s answer is withheld');
select is(tests.repeated('alice', 'invitation'), 'done', 'the owner''s answer is still available');
update kith.connections set status = 'deleted', deleted_at = '2026-03-04T10:00:30Z' where id = tests.id('alice-bob');
select is(tests.repeated('bob', 'connection'), 'hidden', 'an answer about a removed connection is withheld');
update kith.connections set status = 'active', deleted_at = null where id = tests.id('alice-bob');
select is(tests.repeated('bob', 'connection'), 'done', 'an answer about a restored connection is available again');
select set_config('kith.tenant_id', tests.tenant('acme')::text, true);
select internal.delete_user(tests.id('alice'), 'test', null, true, '2026-03-04T10:02:00Z') \g /dev/null
select tests.as_superuser();
select is(tests.repeated('bob', 'connection'), 'new', 'deleting an account deletes every answer that names the user');
select is(tests.repeated('bob', 'vault'), 'new', 'deleting an account deletes every answer that names the user''s vault');
select is((select count(*) from kith.idempotency_key_subjects where subject_id = tests.id('alice')), 0::bigint, 'no reference to the deleted user is left');
select is(tests.repeated('carol', 'nobody'), 'done', 'other answers stay');


-- A bound for one person's kept answers.
insert into kith.idempotency_keys (tenant_id, caller, key, fingerprint, sealed_answer, created_at, expires_at)
select tests.tenant('acme'), 'user:' || tests.id('carol'), 'n' || n, sha256('n'), '\x00', '2026-03-02T10:00Z', '2026-03-03T10:00Z'
from generate_series(1, 4999 - (select count(*) from kith.idempotency_keys where caller = 'user:' || tests.id('carol'))) as n;
select tests.keep('carol', 'last', 'POST /a', 'sealed', 86400, '2026-03-02T10:00:00Z');
select tests.keep('carol', 'more', 'POST /a', 'sealed', 86400, '2026-03-02T10:00:00Z');
select set_eq(
  $$ select key from kith.idempotency_keys where caller = 'user:' || tests.id('carol') and key !~ '^n' $$, array['last'],
  'a user has at most 5,000 kept answers'
);

select * from finish();
rollback;
