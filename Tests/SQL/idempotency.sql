-- A POST that comes twice is done once.
begin;
\ir people.sql
select plan(15);

-- A person's request as the server makes it: with the caller.
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
  v_state := api.claim_key(p_key, sha256(p_request::bytea), p_now) ->> 'state';
  perform tests.as_superuser();
  return v_state;
end
$$;

create function tests.keep(p_person text, p_key text, p_request text, p_answer text, p_seconds integer, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.as_caller(p_person);
  perform api.keep_answer(p_key, sha256(p_request::bytea), p_answer::bytea, p_seconds, p_now);
  perform tests.as_superuser();
end
$$;

select is(tests.claim('alice', 'k1', 'POST /a', '2026-03-02T10:00:00Z'), 'new', 'a key that nobody used lets its request through');
select tests.keep('alice', 'k1', 'POST /a', 'sealed', 86400, '2026-03-02T10:00:00Z');
select is(tests.claim('alice', 'k1', 'POST /a', '2026-03-02T10:00:01Z'), 'done', 'the same request again was done');
select tests.as_caller('alice');
select is(api.claim_key('k1', sha256('POST /a'), '2026-03-02T10:00:01Z') ->> 'answer', encode('sealed', 'base64'), 'and its answer is there');
select tests.as_superuser();
select is(tests.claim('alice', 'k1', 'POST /b', '2026-03-02T10:00:01Z'), 'mismatch', 'another request with that key is an error');
select is(tests.claim('bob', 'k1', 'POST /a', '2026-03-02T10:00:01Z'), 'new', 'another person''s key of that name is another key');
select is(tests.claim('globex-alice', 'k1', 'POST /a', '2026-03-02T10:00:01Z'), 'new', 'and so is another tenant''s');
select is(tests.claim('alice', 'k1', 'POST /a', '2026-03-03T10:00:00Z'), 'new', 'a day later it is forgotten');
select tests.keep('alice', 'k1', 'POST /b', 'other', 600, '2026-03-03T10:00:00Z');
select is((select count(*) from kith.idempotency_keys), 1::bigint, 'and may be used anew');
select is(tests.claim('alice', 'k1', 'POST /b', '2026-03-03T10:09:59Z'), 'done', 'an answer with a secret is there for ten minutes');
select is(tests.claim('alice', 'k1', 'POST /b', '2026-03-03T10:10:00Z'), 'new', 'and no longer');

select tests.as_role('kith_worker');
select is(worker.sweep('2026-03-03T10:09:59Z', 10), 0, 'what is still good is not swept');
select is(worker.sweep('2026-03-03T10:10:00Z', 10), 1, 'what has expired is');
select throws_ok($$select sealed_answer from kith.idempotency_keys$$, '42501', null, 'the worker cannot read answers');
select tests.as_role('kith_admin');
select throws_ok($$select * from kith.idempotency_keys$$, '42501', null, 'nor can an operator');
select tests.as_caller('bob');
select throws_ok($$insert into kith.idempotency_keys values (tests.tenant('acme'), 'user:' || tests.id('alice'), 'k2', sha256(''), '', now(), now())$$, '42501', null,
  'nobody keeps an answer for somebody else');

select * from finish();
rollback;
