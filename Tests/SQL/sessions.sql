-- Refresh tokens: each works once. A token used twice counts as stolen, unless an answer was lost.
begin;
\ir people.sql
select plan(61);

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
  (select expires_at from kith.token_families where id = '0fa00000-0000-7000-8000-000000000001')::timestamptz, '2026-05-09T08:20:00Z'::timestamptz,
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
savepoint siblings;

-- Two tabs, A with 'third' and B with 'third-2', which refreshed at once. Both stay signed in, in whatever order they go on.
select is(
  (
    select string_agg(tests.refresh(used, next, at::timestamptz), ' ' order by n)
    from (values
      (1, 'third', 'a4', '2026-03-10T08:35:00Z'), (2, 'third-2', 'b4', '2026-03-10T08:36:00Z'), (3, 'a4', 'a5', '2026-03-10T08:50:00Z'),
      (4, 'b4', 'b5', '2026-03-10T08:51:00Z'), (5, 'a5', 'a6', '2026-03-10T09:05:00Z'), (6, 'a6', 'a7', '2026-03-10T09:20:00Z'),
      (7, 'b5', 'b6', '2026-03-10T12:00:00Z')
    ) as uses (n, used, next, at)
  ), 'Alice Alice Alice Alice Alice Alice Alice', 'two tabs that refreshed at once both stay signed in, each at its own pace'
);
select is(tests.is_alive(), true, 'their sign-in goes on');
savepoint two_lines;
select is(tests.refresh(old, 'x', '2026-03-10T12:01:00Z') || tests.is_alive(), 'unauthenticatedfalse', format('the old token %s ends both lines', old))
from (values ('third')) as tokens (old);
select is(tests.refresh('b6', 'x', '2026-03-10T12:02:00Z'), 'unauthenticated', 'the other line ends with it');
rollback to two_lines;
select is(tests.refresh('second', 'x', '2026-03-10T12:01:00Z') || tests.is_alive(), 'unauthenticatedfalse', 'their common predecessor ends both lines');
rollback to two_lines;
select is(tests.refresh('b5', 'x', '2026-03-10T12:01:01Z') || tests.is_alive(), 'unauthenticatedfalse', 'a spent token of either line ends both');
rollback to siblings;
select is(
  tests.refresh('third', 'a4', '2026-03-11T08:20:00Z') || tests.refresh('third-2', 'b4', '2026-03-12T08:19:59Z'), 'AliceAlice',
  'a tab that slept for a day goes on'
);
rollback to siblings;
select is(
  tests.refresh('third', 'a4', '2026-03-11T08:20:00Z') || tests.refresh('third-2', 'x', '2026-03-12T08:20:00Z') || tests.is_alive(),
  'Aliceunauthenticatedfalse', 'a successor that nobody used while another was in use for a day counts as stolen'
);
rollback to siblings;

-- Tab B repeats its refresh, because its answer was lost.
select is(
  tests.refresh('second', 'third-3', '2026-03-10T08:20:59.5Z') || tests.refresh('third-3', 'b4', '2026-03-10T08:35:00Z')
  || tests.refresh('third', 'a4', '2026-03-10T08:36:00Z') || tests.refresh('a4', 'a5', '2026-03-10T08:36:01Z'), 'AliceAliceAliceAlice',
  'a tab whose answer was lost goes on with the repeated one, and so does the other tab'
);
rollback to siblings;
select is(
  (select string_agg(tests.refresh('second', 'many-' || n, '2026-03-10T08:20:59Z'), ' ' order by n) from generate_series(3, 11) as n),
  'Alice Alice Alice Alice Alice Alice Alice Alice unauthenticated', 'a token gets at most ten successors'
);
select is(tests.is_alive(), true, 'the refusal of an eleventh ends nothing');
rollback to siblings;

-- Tab A goes on at once, and tab B comes late with the token that both had.
select is(tests.refresh('third', 'a4', '2026-03-10T08:20:59.7Z'), 'Alice', 'a successor works like any other token');
savepoint successor_used;
select is(
  tests.refresh('second', 'x', '2026-03-10T08:20:59.9Z'), 'unauthenticated', 'once a successor is used, reuse of the predecessor is theft even within the minute'
);
select is(tests.is_alive(), false, 'it ends the sign-in');
rollback to siblings;

-- A thief who has 'third', the token that Alice's device keeps.
select is(
  tests.refresh('third', 'thief', '2026-03-10T08:30:00Z') || tests.refresh('third', 'x', '2026-03-10T08:31:00Z') || tests.refresh('thief', 'x', '2026-03-10T08:31:01Z'),
  'Aliceunauthenticatedunauthenticated', 'when the owner comes a minute after a thief, both are signed out'
);
rollback to siblings;
select is(
  tests.refresh('third', 'a4', '2026-03-10T08:30:00Z') || tests.refresh('a4', 'a5', '2026-03-10T08:30:30Z') || tests.refresh('third', 'thief', '2026-03-10T08:30:31Z')
  || tests.refresh('a5', 'x', '2026-03-10T08:30:32Z'), 'AliceAliceunauthenticatedunauthenticated', 'a thief who comes after the owner gets nothing, and both are signed out'
);
rollback to siblings;
select is(tests.refresh('second', 'x', '2026-03-10T08:21:00Z'), 'unauthenticated', 'after a minute, reuse of the predecessor is theft');
select is(tests.is_alive(), false, 'reuse after a minute ends the sign-in');
rollback to siblings;
select tests.refresh('third', 'fourth', '2026-03-10T08:20:59.7Z') \g /dev/null

select is(tests.refresh('fourth', 'x', '2026-05-09T08:21:00Z'), 'unauthenticated', 'a token expires after 60 days');
update kith.tenants set status = 'suspended' where slug = 'acme';
savepoint suspended;
select is(tests.refresh('fourth', 'x', '2026-03-10T08:30:00Z'), 'Alice', 'tokens of a suspended tenant can be refreshed');
rollback to suspended;
update kith.tenants set deleted_at = '2026-03-10T08:29:00Z' where slug = 'acme';
select is(tests.refresh('fourth', 'x', '2026-03-10T08:30:00Z'), 'tenant_suspended', 'tokens of a deleted tenant cannot');
update kith.tenants set status = 'active', deleted_at = null where slug = 'acme';

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
  (select tokens_valid_from from kith.users where id = tests.id('alice'))::timestamptz, '2026-03-10T08:31:01Z'::timestamptz,
  'signing out everywhere voids access tokens of the same second'
);

-- Deleting an account deletes its sign-ins, and the messages to its addresses.
savepoint deletion;
update kith.users set phone = '+4915100000001', phone_verified_at = '2026-03-10T08:00Z', pending_email = 'Alice@Example.org'
where id = tests.id('alice');
select tests.as_server('acme');
select api.request_code(
  'sms', '+4915100000001', null, null, jsonb_build_object('id', gen_random_uuid(), 'hash', repeat('ab', 32), 'sealed', 'ab'), '2026-03-10T08:40Z'
) \g /dev/null
select api.request_code(
  'email', 'bob@example.org', null, null, jsonb_build_object('id', gen_random_uuid(), 'hash', repeat('ab', 32), 'sealed', 'ab'), '2026-03-10T08:40Z'
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
insert into kith.text_invitations (tenant_id, id, address, sent_at)
values (tests.tenant('acme'), gen_random_uuid(), '5a', '2026-05-08T08:14:59Z'), (tests.tenant('acme'), gen_random_uuid(), '5b', '2026-05-08T08:15:00Z');
select tests.as_role('kith_worker');
select worker.sweep_sign_in('2026-05-09T08:15:00Z', 2) \g /dev/null
select tests.as_superuser();
select is((select string_agg(address, ' ') from kith.text_invitations), '5b', 'the hash of an invited number is swept after a day');
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

-- A browser keeps its token (decision 42).
create function tests.browse(p_token text, p_now timestamptz, p_host text default null) returns text
  language plpgsql
as $$
declare
  v_answer json;
begin
  perform tests.as_role('kith_api');
  v_answer := api.browser_session(sha256(p_token::bytea), p_host, p_now);
  perform tests.as_superuser();
  return concat_ws(' ', v_answer ->> 'slug', v_answer ->> 'status', v_answer ->> 'brand_name', v_answer ->> 'session_id');
end
$$;
select set_config('kith.tenant_id', tests.tenant('acme')::text, true) \g /dev/null
select internal.begin_session(tests.id('alice'), '0fa00000-0000-7000-8000-0000000000bb', sha256('cookie'), '2026-03-10T08:00:00Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.browse('cookie', '2026-03-10T09:00:00Z'), 'acme active PRUUF 0fa00000-0000-7000-8000-0000000000bb', 'a browser''s token finds its sign-in'
);
update kith.tenants set universal_link_host = slug || '.example';
select isnt(tests.browse('cookie', '2026-03-10T09:00:00Z', 'acme.example'), '', 'it does so on the tenant''s own host');
select isnt(tests.browse('cookie', '2026-03-10T09:00:00Z', 'kith.example'), '', 'and on a host of no tenant');
select is(tests.browse('cookie', '2026-03-10T09:00:00Z', 'globex.example'), '', 'and not on another tenant''s');
update kith.tenants set universal_link_host = null;
select isnt(tests.browse('cookie', '2026-03-12T09:00:00Z'), '', 'it does so two days later');
select is(
  (select expires_at from kith.token_families where id = '0fa00000-0000-7000-8000-0000000000bb')::timestamptz, '2026-05-11T09:00:00Z'::timestamptz,
  'its use moves the end of the sign-in'
);
select isnt(tests.browse('cookie', '2026-05-11T08:00:00Z'), '', 'the token itself lives on too, without being exchanged');
select is(tests.browse('nobody', '2026-05-11T08:00:00Z'), '', 'an unknown token finds nothing');
select is(tests.browse('cookie', '2026-09-11T08:00:00Z'), '', 'a browser that was not used for 60 days is signed out');
select is(tests.refresh('cookie', 'stolen', '2026-05-11T08:01:00Z'), 'Alice', 'whoever has the token can exchange it');
select is(tests.browse('cookie', '2026-05-11T08:02:00Z'), '', 'then the browser finds no sign-in');
select is(tests.refresh('stolen', 'more', '2026-05-11T08:03:00Z'), 'unauthenticated', 'and neither does the other');

-- An operator signs a person out, whose phone was stolen.
select tests.as_superuser();
select set_config('kith.tenant_id', tests.tenant('acme')::text, true) \g /dev/null
update kith.users set tokens_valid_from = '2026-01-01Z' where id = tests.id('alice');
delete from kith.token_families where id = '0fa00000-0000-7000-8000-000000000001';
select internal.begin_session(tests.id('alice'), '0fa00000-0000-7000-8000-000000000001', sha256('another'), '2026-03-10T08:00:00Z') \g /dev/null
insert into kith.devices (tenant_id, token, user_id, platform, environment, created_at, last_seen_at)
values (tests.tenant('acme'), 'stolen', tests.id('alice'), 'ios', 'production', '2026-03-01Z', '2026-03-01Z');
select tests.as_superuser();
select is(tests.is_alive(), true, 'the thief is signed in');
select tests.as_role('kith_admin');
select throws_ok(
  format($$ select admin.end_sessions('acme', %L, ' ', '2026-03-10T12:00Z') $$, tests.id('alice')), 'KT422', 'validation_failed', 'the audit needs a reason'
);
select throws_ok($$ select admin.end_sessions('acme', gen_random_uuid(), 'phone stolen') $$, 'KT404', 'not_found', 'an operator must name a user');
select matches(
  admin.end_sessions('acme', tests.id('alice'), 'phone stolen', '2026-03-10T12:00Z'), '^signed out: [1-9][0-9]* sign-ins and [1-9][0-9]* devices have ended\.',
  'an operator signs somebody out everywhere'
);
select is(
  (select concat_ws(' ', actor, subject, detail ->> 'reason') from admin.audit where action = 'user.sign_out_everywhere' order by id desc limit 1),
  format('operator:%s %s phone stolen', session_user, tests.id('alice')), 'the audit has it'
);
select tests.as_superuser();
select is(tests.is_alive(), false, 'and the token is refused');
select is((select count(*) from kith.devices where user_id = tests.id('alice')), 0::bigint, 'no device gets pushes');

select * from finish();
rollback;
