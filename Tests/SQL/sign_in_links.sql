-- Sign-in links: each signs in once, and nobody after a sign-out everywhere or the end of the account.
begin;
\ir people.sql
select plan(16);

create function tests.link(p_user uuid, p_link uuid, p_tenant text default 'acme', p_issued_at timestamptz default '2026-03-10T08:00Z') returns text
  language plpgsql
as $$
declare
  v_answer json;
begin
  perform tests.as_server(p_tenant);
  v_answer := api.sign_in_link(p_user, p_link, p_issued_at);
  perform tests.as_superuser();
  return v_answer ->> 'name';
end
$$;
create function tests.follow(
  p_user uuid, p_link uuid, p_tenant text default 'acme', p_issued_at timestamptz default '2026-03-10T08:00Z', p_browser text default 'one',
  p_now timestamptz default '2026-03-10T08:00:30Z'
) returns uuid
  language plpgsql
as $$
declare
  v_answer json;
begin
  perform tests.as_server(p_tenant);
  v_answer := api.begin_linked_session(p_user, p_link, p_issued_at, sha256(p_browser::bytea), p_now);
  perform tests.as_superuser();
  return v_answer ->> 'user_id';
end
$$;
create function tests.link_id(p_n integer) returns uuid language sql as $$ select format('0fa00000-0000-7000-8000-%s', lpad(p_n::text, 12, '0'))::uuid $$;

select tests.as_superuser();
select is(tests.link(tests.id('alice'), tests.link_id(1)), 'Alice', 'a link says whom it signs in');
select is(tests.link(tests.id('alice'), tests.link_id(1)), 'Alice', 'looking at it uses nothing up');
select is(tests.follow(tests.id('alice'), tests.link_id(1)), tests.id('alice'), 'it signs its user in');
select is(
  (select user_id || ' ' || (expires_at - created_at) from kith.token_families where id = tests.link_id(1)),
  tests.id('alice') || ' 60 days', 'the sign-in has the link''s id'
);
select is(
  (select actor || ' ' || action || ' ' || detail::text from kith.audit where subject = tests.link_id(1)::text),
  'user:' || tests.id('alice') || ' session.begin {"by": "link"}', 'the audit says that it was a link'
);
select is(tests.follow(tests.id('alice'), tests.link_id(1), p_browser => 'two'), null, 'a second time it signs in nobody');
select is(tests.follow(tests.id('alice'), tests.link_id(1)), tests.id('alice'), 'the same browser may have lost the answer');
select is(tests.follow(tests.id('alice'), tests.link_id(1), p_now => '2026-03-10T08:01:30Z'), null, 'for a minute');
select is(tests.link(tests.id('alice'), tests.link_id(1)), null, 'and shows nobody');
select is((select count(*) from kith.refresh_tokens where family_id = tests.link_id(1)), 1::bigint, 'no second token was made');

select tests.as_user('acme', 'alice');
select api.sign_out(tests.link_id(1), false, '2026-03-10T08:01:00Z') \g /dev/null
select tests.as_superuser();
select is(tests.follow(tests.id('alice'), tests.link_id(1)), null, 'a sign-in that has ended does not make its link good again');

select is(tests.follow(tests.id('alice'), tests.link_id(2), 'globex'), null, 'another tenant''s server signs in nobody by it');

select tests.as_user('acme', 'alice');
select api.sign_out(null, true, '2026-03-10T08:02:00Z') \g /dev/null
select tests.as_superuser();
select is(tests.follow(tests.id('alice'), tests.link_id(3)), null, 'a link that was made before a sign-out everywhere is void');
select is(
  tests.follow(tests.id('alice'), tests.link_id(3), 'acme', (select tokens_valid_from from kith.users where id = tests.id('alice')), 'three'), tests.id('alice'),
  'one that was made after it is good'
);

select tests.as_server('acme');
select api.delete_user(tests.id('bob'), null, '2026-03-10T08:03:00Z') \g /dev/null
select tests.as_superuser();
select is(tests.link(tests.id('bob'), tests.link_id(4), 'acme', '2026-03-10T08:04:00Z'), null, 'an account that has ended is shown to nobody');
select is(tests.follow(tests.id('bob'), tests.link_id(4), 'acme', '2026-03-10T08:04:00Z'), null, 'and nobody signs in to it');

select * from finish();
rollback;
