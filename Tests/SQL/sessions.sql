-- Refresh tokens: each works once. A token used twice counts as stolen, unless an answer was lost.
begin;
\ir people.sql
select plan(35);

-- Alice's sign-in, whose tokens have names: 'first', 'second', …
select tests.as_superuser();
select set_config('kith.tenant_id', tests.tenant('acme')::text, true) \g /dev/null
select internal.begin_session(tests.id('alice'), '0fa00000-0000-7000-8000-000000000001', sha256('first'), '2026-03-10T08:00:00Z') \g /dev/null
select tests.as_superuser();

create function tests.refresh(p_token text, p_next text, p_now timestamptz) returns text
  language plpgsql
as $$
declare
  v_answer json;
begin
  perform tests.as_role('kith_api');
  v_answer := api.refresh_session(sha256(p_token::bytea), sha256(p_next::bytea), p_now);
  perform tests.as_superuser();
  return coalesce(v_answer ->> 'problem', v_answer -> 'user' ->> 'display_name');
end
$$;
create function tests.is_alive() returns boolean
  language plpgsql
as $$
declare
  v_alive boolean;
begin
  perform tests.as_role('kith_api');
  v_alive := api.token_user(tests.tenant('acme'), tests.id('alice')::text, true, '0fa00000-0000-7000-8000-000000000001', '2026-03-10T08:00Z') is not null;
  perform tests.as_superuser();
  return v_alive;
end
$$;

select is(tests.refresh('nobody', 'x', '2026-03-10T08:10:00Z'), 'unauthenticated', 'an unknown token cannot be refreshed');
select is(tests.refresh('first', 'second', '2026-03-10T08:10:00Z'), 'Alice', 'a token is exchanged for the next');
select is(tests.refresh('second', 'third', '2026-03-10T08:20:00Z'), 'Alice', 'the next token is exchanged again');
select is(
  (select expires_at from kith.token_families where id = '0fa00000-0000-7000-8000-000000000001'), '2026-05-09T08:20:00Z'::timestamptz,
  'a sign-in lives for 60 days after its last refresh'
);

savepoint used_again;
select is(tests.refresh('first', 'x', '2026-03-10T08:20:10Z'), 'unauthenticated', 'a token older than the direct predecessor is refused');
select is(tests.is_alive(), false, 'the use of an older token ends the sign-in');
select is(tests.refresh('third', 'x', '2026-03-10T08:20:11Z'), 'unauthenticated', 'the newest token of that sign-in is refused too');
select is(
  (select actor || ' ' || action from kith.audit where tenant_id = tests.tenant('acme')), 'kith session.reuse', 'the reuse is audited'
);
rollback to used_again;

select is(tests.refresh('second', 'third-2', '2026-03-10T08:20:59Z'), 'Alice', 'the direct predecessor gets a new successor within a minute');
savepoint lost_answer;
select is(
  tests.refresh('third', 'fourth', '2026-03-10T08:35:00Z'), 'Alice', 'either successor works, because nobody knows which answer arrived'
);
select is(tests.refresh('third-2', 'x', '2026-03-10T08:36:00Z'), 'unauthenticated', 'the second of the two successors is refused');
select is(tests.is_alive(), false, 'using both successors ends the sign-in');
rollback to lost_answer;
select is(
  (select string_agg(tests.refresh('second', 'many-' || n, '2026-03-10T08:20:59Z'), ' ' order by n) from generate_series(3, 11) as n),
  'Alice Alice Alice Alice Alice Alice Alice Alice unauthenticated', 'a token gets at most ten successors'
);
select is(
  (
    select count(*) from kith.refresh_tokens as token
    join kith.token_families as family on family.id = token.family_id
    where family.user_id = tests.id('alice') and used_at is null and replaced_at is null
  ), 1::bigint, 'only one of the successors is the newest'
);
select is(tests.refresh('many-7', 'next', '2026-03-10T08:35:00Z'), 'Alice', 'any of the successors works');
select is(tests.refresh('many-10', 'x', '2026-03-10T08:35:01Z'), 'unauthenticated', 'only one of the successors works');
rollback to lost_answer;
select is(tests.refresh('second', 'third-3', '2026-03-10T08:20:59.5Z'), 'Alice', 'the predecessor may be used several times within the minute');
select is(tests.refresh('third-3', 'fourth', '2026-03-10T08:20:59.7Z'), 'Alice', 'the new successor works like any other token');
savepoint successor_used;
select is(
  tests.refresh('second', 'x', '2026-03-10T08:20:59.9Z'), 'unauthenticated', 'once the successor is used, reuse of the predecessor is theft even within the minute'
);
rollback to successor_used;
select is(tests.refresh('third-3', 'x', '2026-03-10T08:22:00Z'), 'unauthenticated', 'after a minute, reuse of the predecessor is theft');
select is(tests.is_alive(), false, 'reuse after a minute ends the sign-in');
rollback to successor_used;

select is(tests.refresh('fourth', 'x', '2026-05-09T08:21:00Z'), 'unauthenticated', 'a token expires after 60 days');
update kith.tenants set status = 'suspended' where slug = 'acme';
select is(tests.refresh('fourth', 'x', '2026-03-10T08:30:00Z'), 'tenant_suspended', 'tokens of a suspended tenant cannot be refreshed');
update kith.tenants set status = 'active' where slug = 'acme';

-- Signing out.
select tests.as_user('acme', 'mallory');
select api.sign_out('0fa00000-0000-7000-8000-000000000001', false, '2026-03-10T08:31:00Z') \g /dev/null
select is(tests.is_alive(), true, 'nobody can end another user''s sign-in');
savepoint here;
select tests.as_user('acme', 'alice');
select api.sign_out('0fa00000-0000-7000-8000-000000000001', false, '2026-03-10T08:31:00Z') \g /dev/null
select is(tests.refresh('fourth', 'x', '2026-03-10T08:31:01Z') || tests.is_alive(), 'unauthenticatedfalse', 'signing out ends the sign-in');
rollback to here;
select tests.as_user('acme', 'alice');
select api.sign_out(null, true, '2026-03-10T08:31:00.5Z') \g /dev/null
select is(tests.refresh('fourth', 'x', '2026-03-10T08:31:01Z') || tests.is_alive(), 'unauthenticatedfalse', 'signing out everywhere ends all sign-ins');
select is(
  (select tokens_valid_from from kith.users where id = tests.id('alice')), '2026-03-10T08:31:01Z'::timestamptz,
  'signing out everywhere voids access tokens of the same second'
);

-- Deleting an account deletes its sign-ins, and the messages to its addresses.
savepoint deletion;
update kith.users set phone = '+4915100000001', phone_verified_at = '2026-03-10T08:00Z', pending_email = 'Alice@Example.org'
where id = tests.id('alice');
select tests.as_server('acme');
select api.request_code(
  'sms', '+4915100000001', null, jsonb_build_object('id', gen_random_uuid(), 'hash', repeat('ab', 32), 'sealed', 'ab'), '2026-03-10T08:40Z'
) \g /dev/null
select api.request_code(
  'email', 'bob@example.org', null, jsonb_build_object('id', gen_random_uuid(), 'hash', repeat('ab', 32), 'sealed', 'ab'), '2026-03-10T08:40Z'
) \g /dev/null
select tests.as_user('acme', 'alice');
select api.delete_me(null, '2026-03-10T08:41:00Z') \g /dev/null
select tests.as_superuser();
select is((select count(*) from kith.token_families where user_id = tests.id('alice')), 0::bigint, 'a deleted account has no sign-ins');
select is(
  (select string_agg(case when address_is_hashed then 'hash' else address end, ' ' order by address) from kith.otp_codes),
  'hash bob@example.org', 'no code keeps the deleted account''s address'
);
select is((select string_agg(address, ' ') from kith.deliveries), 'bob@example.org', 'no message to the deleted account''s addresses is left');
rollback to deletion;

-- Expired rows are swept.
insert into kith.otp_counts (tenant_id, counted_on, scope, codes)
select tests.tenant('acme'), '2026-01-01', 'email ' || n, 1 from generate_series(1, 3) as n;
insert into kith.otp_counts (tenant_id, counted_on, scope, codes)
values
  (tests.tenant('acme'), '2026-05-08', 'sms invitation to 5a', 1), (tests.tenant('acme'), '2026-05-09', 'sms invitation to 5a', 1),
  (tests.tenant('acme'), '2026-05-08', 'sms invitations', 1);
select tests.as_role('kith_worker');
select worker.sweep_sign_in('2026-05-09T08:15:00Z', 2) \g /dev/null
select tests.as_superuser();
select is(
  (select string_agg(counted_on || ' ' || scope, ', ' order by counted_on) from kith.otp_counts where scope like 'sms invitation%'),
  '2026-05-08 sms invitations, 2026-05-09 sms invitation to 5a', 'the hash of an invited number is swept when the day is over'
);
select is((select count(*) from kith.otp_counts where counted_on = '2026-01-01'), 1::bigint, 'counts are swept a batch at a time');
select is(
  (select count(*) filter (where expires_at < '2026-05-09T08:15:00Z') || ' of ' || (count(*) > 0) from kith.refresh_tokens), '0 of true',
  'expired refresh tokens are swept'
);
select is((select count(*) from kith.token_families where user_id = tests.id('alice')), 1::bigint, 'a sign-in with newer tokens stays');
select tests.as_role('kith_worker');
select worker.sweep_sign_in('2027-03-10T00:00:00Z', 100) \g /dev/null
select tests.as_superuser();
select is((select count(*) from kith.refresh_tokens), 0::bigint, 'a sign-in is swept with its tokens long after its end');

select * from finish();
rollback;
