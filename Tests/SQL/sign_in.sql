-- One-time codes: sent, counted, tried; and whose they turn out to be. A hash here is sha256 of the digits: the real one's key is the server's.
begin;
\ir people.sql
select plan(80);
\set now '''2026-03-10T08:00:00Z'''

create function tests.code(p_n integer) returns jsonb
  language sql
as $$
  select jsonb_build_object(
    'id', '0c0de000-0000-7000-8000-' || lpad(p_n::text, 12, '0'), 'hash', encode(sha256(p_n::text::bytea), 'hex'), 'sealed', 'abcd'
  )
$$;
-- Asks for code number p_n, as the server does for a visitor of acme, who may have a refresh token.
create function tests.ask(
  p_channel text, p_address text, p_n integer, p_now timestamptz, p_tenant text default 'acme', p_token_hash bytea default null
) returns text
  language plpgsql
as $$
declare
  v_answer text;
begin
  perform tests.as_server(p_tenant);
  v_answer := api.request_code(p_channel, p_address, p_token_hash, tests.code(p_n), p_now);
  perform tests.as_superuser();
  return v_answer;
end
$$;
-- What somebody gets who types code number p_n: a guess at each live code.
create function tests.guesses(p_channel text, p_address text, p_n integer, p_now timestamptz) returns jsonb
  language plpgsql
as $$
begin
  return (
    select coalesce(jsonb_object_agg(id, tests.code(p_n) ->> 'hash'), '{}')
    from json_array_elements_text(api.live_codes(p_channel, p_address, p_now) -> 'ids') as id
  );
end
$$;
create function tests.enter(p_channel text, p_address text, p_n integer, p_now timestamptz, p_tenant text default 'acme') returns json
  language plpgsql
as $$
declare
  v_answer json;
begin
  perform tests.as_server(p_tenant);
  v_answer := api.sign_in(
    p_channel, p_address, null, tests.guesses(p_channel, p_address, p_n, p_now), gen_random_uuid(),
    sha256(gen_random_uuid()::text::bytea), p_now
  );
  perform tests.as_superuser();
  return v_answer;
end
$$;
-- The same of somebody who names the challenge that asking for code number p_challenge gave, and types code number p_n.
create function tests.answer(
  p_channel text, p_address text, p_challenge integer, p_n integer, p_now timestamptz, p_secret text default gen_random_uuid()::text
) returns json
  language plpgsql
as $$
declare
  v_answer json;
begin
  perform tests.as_server('acme');
  v_answer := api.sign_in(
    p_channel, p_address, (tests.code(p_challenge) ->> 'id')::uuid,
    jsonb_build_object(tests.code(p_challenge) ->> 'id', tests.code(p_n) -> 'hash'), gen_random_uuid(), sha256(p_secret::bytea), p_now
  );
  perform tests.as_superuser();
  return v_answer;
end
$$;

-- Sending.
select is(
  tests.ask('sms', '+4915100000001', 1, :now), '{"challenge_id" : "0c0de000-0000-7000-8000-000000000001"}',
  'asking for a code gives a challenge'
);
select is(
  (select to_jsonb(deliveries) from kith.deliveries where id = (tests.code(1) ->> 'id')::uuid)
    - '{tenant_id,leased_until,leased_by,sent_at,error,created_at,next_attempt_at}'::text[],
  '{"id": "0c0de000-0000-7000-8000-000000000001", "channel": "sms", "purpose": "sign_in_code", "address": "+4915100000001",
    "subject": null, "body": "PRUUF code: {code}. It is valid for 10 minutes. Do not share it.", "sealed_secret": "\\xabcd",
    "notification_id": null, "is_urgent": true, "unanswered": 0, "provider_id": null, "status": "queued", "attempts": 0,
    "expires_at": "2026-03-10T08:10:00+00:00"}'::jsonb,
  'the message waits in the outbox, with the secret sealed'
);
update kith.tenants set universal_link_host = 'acme.example', brand_name = 'Acme' where slug = 'acme';
select tests.ask('sms', '+4915100000001', 2, :now) \g /dev/null
select is(
  (select body from kith.deliveries where id = (tests.code(2) ->> 'id')::uuid),
  e'Acme code: {code}. It is valid for 10 minutes. Do not share it.\n\n@acme.example #{code}', 'a phone fills in a code that names its host'
);
select tests.ask('email', 'Dave@Example.org', 3, :now) \g /dev/null
select is(
  (select subject || ': ' || body from kith.deliveries where id = (tests.code(3) ->> 'id')::uuid),
  'Your Acme code: Acme code: {code}. It is valid for 10 minutes. Do not share it.', 'an e-mail has a subject, and no host'
);
select is((select address from kith.otp_codes where id = (tests.code(3) ->> 'id')::uuid), 'dave@example.org', 'codes are kept in one spelling');

-- Caps. Two of five are used up for this number.
select tests.ask('sms', '+4915100000001', n, :now) from generate_series(4, 9) as n \g /dev/null
select is(
  (select count(*) from kith.otp_codes where address = '+4915100000001'), 5::bigint, 'a number gets five codes an hour'
);
select is(
  (select codes from kith.otp_counts where scope = 'capped by address' and tenant_id = tests.tenant('acme')), 3,
  'what was asked for beyond that is counted'
);
select is(
  tests.ask('sms', '+4915100000001', 10, :now), '{"challenge_id" : "0c0de000-0000-7000-8000-000000000010"}', 'and answers the same'
);
select tests.ask('sms', '+4915100000001', 11, '2026-03-10T09:00:01Z') \g /dev/null
select is((select count(*) from kith.otp_codes where address = '+4915100000001'), 6::bigint, 'after an hour there are more');
select tests.ask('sms', '+4915100000001', 20 + n, '2026-03-10T10:00:00Z'::timestamptz + n * interval '30 minutes') from generate_series(0, 9) as n \g /dev/null
select is((select count(*) from kith.otp_codes where address = '+4915100000001'), 10::bigint, 'a number gets ten codes a day');
update kith.tenants set sms_codes_per_country_per_day = 12, sms_codes_per_day = 14 where slug = 'acme';
select tests.ask('sms', '+491510000010' || n, 40 + n, '2026-03-10T16:00:00Z') from generate_series(0, 4) as n \g /dev/null
select is(
  (select codes from kith.otp_counts where scope = 'sms +49' and tenant_id = tests.tenant('acme')), 12, 'a country gets no more than its cap'
);
select is(
  (select codes from kith.otp_counts where scope = 'capped by country +49' and tenant_id = tests.tenant('acme')), 3, 'what went beyond is counted'
);
select tests.ask('sms', '+1212555010' || n, 50 + n, '2026-03-10T16:00:00Z') from generate_series(0, 4) as n \g /dev/null
select is(
  (select codes from kith.otp_counts where scope = 'sms' and tenant_id = tests.tenant('acme')), 14,
  'a tenant gets no more than its cap, of which capped ones take nothing'
);
select is(
  (select codes from kith.otp_counts where scope = 'capped by tenant' and tenant_id = tests.tenant('acme')), 3, 'and that is counted'
);
select tests.ask('sms', '+12125550104', 60, '2026-03-11T00:00:00Z') \g /dev/null
select is(
  (select count(*) from kith.otp_codes where id = (tests.code(60) ->> 'id')::uuid), 1::bigint, 'the next day begins anew'
);
select tests.ask('sms', '+4915100000001', 61, :now, 'globex') \g /dev/null
select is(
  (select count(*) from kith.otp_codes where tenant_id = tests.tenant('globex')), 1::bigint, 'another tenant''s caps are its own'
);
select is(
  (select array_agg(internal.calling_code(phone) order by n) from unnest(array['+14155552671', '+79161234567', '+4915112345678', '+351912345678', '+8613800138000', '+85261234567', '+97150123456', '+9779812345678', '+201001234567', '+2125912345']) with ordinality as phones (phone, n)),
  array['1', '7', '49', '351', '86', '852', '971', '977', '20', '212'], 'calling codes have one to three digits'
);
update kith.tenants set sms_codes_per_country_per_day = 2000, sms_codes_per_day = 5000 where slug = 'acme';

-- Signing in.
\set later '''2026-03-12T08:00:00Z'''
select tests.ask('sms', '+4915200000001', 70, :later) \g /dev/null
select is(tests.enter('sms', '+4915200000001', 71, :later)::text, '{"problem" : "otp_invalid"}', 'a wrong code does not sign in');
select is((select open_tries from kith.otp_codes where id = (tests.code(70) ->> 'id')::uuid), 1, 'and is counted');
select is(
  tests.enter('sms', '+4915200000001', 70, :later, 'globex') ->> 'problem', 'otp_invalid', 'a code is good in its own tenant only'
);
create temporary table signed_in as select tests.enter('sms', '+4915200000001', 70, :later) as answer;
select is((select answer -> 'user' ->> 'phone' from signed_in), '+4915200000001', 'the right code signs in, and makes a user where nobody has the number');
select is((select answer -> 'user' ->> 'phone_verified' from signed_in), 'true', 'whose number is verified');
select is(tests.enter('sms', '+4915200000001', 70, :later) ->> 'problem', 'otp_invalid', 'a code is good once');
select is(
  (select string_agg(action, ' ' order by action desc) from kith.audit where actor = 'user:' || (select answer ->> 'user_id' from signed_in)),
  'user.sign_up session.begin', 'both are audited under the user'
);
select is(
  (select count(*) from kith.refresh_tokens join kith.token_families as family on family.id = family_id
    where family.user_id = (select (answer ->> 'user_id')::uuid from signed_in)), 1::bigint, 'there is a refresh token'
);
select tests.ask('sms', '+4915200000001', 72, :later) \g /dev/null
select is(
  tests.enter('sms', '+4915200000001', 72, '2026-03-12T08:10:00Z') ->> 'problem', 'otp_invalid', 'a code expires after ten minutes'
);
select tests.ask('sms', '+4915200000001', 73, '2026-03-12T08:20:00Z') \g /dev/null
select tests.ask('sms', '+4915200000001', 74, '2026-03-12T08:21:00Z') \g /dev/null
select is(
  tests.enter('sms', '+4915200000001', 73, '2026-03-12T08:22:00Z') ->> 'user_id', (select answer ->> 'user_id' from signed_in),
  'an earlier code that arrives late still counts, and is the same user''s'
);
select is(
  tests.enter('sms', '+4915200000001', 74, '2026-03-12T08:22:00Z') ->> 'problem', 'otp_invalid', 'and the later one is void then'
);
select tests.ask('sms', '+4915200000003', n, '2026-03-12T08:30:00Z'::timestamptz + n * interval '1 second') from generate_series(75, 77) as n \g /dev/null
select is(
  tests.enter('sms', '+4915200000003', 75, '2026-03-12T08:33:00Z') ->> 'problem', 'otp_invalid', 'of three the first counts no more'
);
select isnt(tests.enter('sms', '+4915200000003', 76, '2026-03-12T08:33:00Z') ->> 'user_id', null, 'but the second does');
select tests.ask('sms', '+4915200000002', 80, :later) \g /dev/null
select tests.enter('sms', '+4915200000002', 81, :later) from generate_series(1, 5) \g /dev/null
select is(tests.enter('sms', '+4915200000002', 80, :later) ->> 'problem', 'otp_invalid', 'after five tries a code is void');
select tests.ask('sms', '+4915200000002', 82, :later) \g /dev/null
select tests.enter('sms', '+4915200000002', 81, :later) from generate_series(1, 4) \g /dev/null
select tests.ask('sms', '+4915200000002', 83, :later) \g /dev/null
select tests.enter('sms', '+4915200000002', 81, :later) \g /dev/null
select is(tests.enter('sms', '+4915200000002', 83, :later) ->> 'problem', 'otp_invalid', 'after ten tries an address waits');
select tests.ask('sms', '+4915200000002', 84, '2026-03-12T09:00:01Z') \g /dev/null
select isnt(tests.enter('sms', '+4915200000002', 84, '2026-03-12T09:00:01Z') ->> 'user_id', null, 'for an hour');

-- Whose contact it is.
update kith.users set phone = '+4915300000001' where id in (tests.id('carol'), tests.id('bob'));
update kith.users set created_at = '2026-01-04T00:00:00Z' where id = tests.id('carol');
select tests.ask('sms', '+4915300000001', 90, :later) \g /dev/null
select is(
  tests.enter('sms', '+4915300000001', 90, :later) ->> 'user_id', tests.id('carol')::text,
  'a number that the tenant''s server said of several is the oldest user''s'
);
select is((select phone_verified_at is null from kith.users where id = tests.id('bob')), true, 'and of the other it is not verified');
update kith.users set created_at = '2026-01-01T00:00:00Z' where id = tests.id('bob');
select tests.ask('sms', '+4915300000001', 91, :later) \g /dev/null
select is(
  tests.enter('sms', '+4915300000001', 91, :later) ->> 'user_id', tests.id('carol')::text, 'from then on it is theirs'
);
select throws_ok(
  format('update kith.users set phone_verified_at = %L where id = %L', :later, tests.id('bob')), '23505', null,
  'a verified number is one user''s only'
);
update kith.users set deleted_at = :later where id = tests.id('carol');
select tests.ask('sms', '+4915300000001', 92, :later) \g /dev/null
select is(
  tests.enter('sms', '+4915300000001', 92, :later) ->> 'user_id', tests.id('bob')::text, 'a deleted user has no number'
);
select tests.ask('email', 'Erin@Example.org', 93, :later) \g /dev/null
select is(
  tests.enter('email', 'erin@example.ORG', 93, :later) -> 'user' ->> 'email', 'erin@example.ORG', 'an address is one in any spelling'
);

-- Only ASCII letters have two cases: U+0130, whose lower case is i, names another domain.
update kith.users set email = 'Victim@gmail.com', email_verified_at = :later where id = tests.id('bob');
select tests.ask('email', 'victim@gma' || chr(304) || 'l.com', 401, :later) \g /dev/null
select isnt(
  tests.answer('email', 'victim@gma' || chr(304) || 'l.com', 401, 401, :later) ->> 'user_id', tests.id('bob')::text,
  'an address that looks like somebody''s does not sign in to their account'
);
select tests.ask('email', 'VICTIM@gmail.com', 402, :later) \g /dev/null
select is(
  (select address from kith.deliveries where id = (tests.code(402) ->> 'id')::uuid), 'Victim@gmail.com',
  'a code goes to the address that the account has, not to the spelling that was asked with'
);
select is(
  tests.answer('email', 'vIctim@gmail.com', 402, 402, :later) ->> 'user_id', tests.id('bob')::text, 'and signs in whoever reads it there'
);
select is(
  (
    select string_agg(to_hex(n), ' ')
    from generate_series(128, 1114111) as n
    where n not between 55296 and 57343 and (
      internal.normalized_email('a' || chr(n) || '@' || chr(n) || '.com') <> 'a' || chr(n) || '@' || chr(n) || '.com'
    )
  ), null, 'no character beyond ASCII has another form, so none is taken for a letter that its lower case or its compatibility form is'
);
select is(
  (
    select count(*)
    from generate_series(1, 1114111) as n
    where n not between 55296 and 57343 and internal.normalized_email(chr(n)) = any (array(select chr(a) from generate_series(33, 126) as a))
  ), 94::bigint, 'and only ASCII becomes ASCII'
);
select is(
  (
    select count(*)
    from pg_attribute as attribute
    join pg_attrdef as expression on (expression.adrelid, expression.adnum) = (attribute.attrelid, attribute.attnum)
    where attribute.attname = 'email_normalized' and pg_get_expr(expression.adbin, expression.adrelid) = 'lower((email COLLATE "C"))'
  ), 3::bigint, 'the columns have the form of internal.normalized_email'
);

-- Tries are those of the request that asked.
\set afternoon '''2026-03-12T15:00:00Z'''
select tests.ask('sms', '+4915700000001', n, :afternoon) from generate_series(501, 502) as n \g /dev/null
select tests.enter('sms', '+4915700000001', 500, :afternoon) from generate_series(1, 10) \g /dev/null
select tests.answer('sms', '+4915700000001', 501, 500, :afternoon) from generate_series(1, 10) \g /dev/null
select tests.ask('sms', '+4915700000001', 503, :afternoon) \g /dev/null
select tests.enter('sms', '+4915700000001', 500, :afternoon) from generate_series(1, 10) \g /dev/null
select is(
  tests.answer('sms', '+4915700000001', 502, 503, :afternoon) ->> 'problem', 'otp_invalid', 'a code is none for another request''s challenge'
);
select isnt(
  tests.answer('sms', '+4915700000001', 503, 503, :afternoon, 'phone') ->> 'user_id', null,
  'however often strangers try, whoever asked has their own five tries'
);
select is(
  (select count(*) from kith.otp_codes where address = '+4915700000001' and ended_at is null), 0::bigint,
  'and then none of the codes is good any more'
);
select tests.ask('sms', '+4915700000001', 504, :afternoon) \g /dev/null
select tests.answer('sms', '+4915700000001', 504, 500, :afternoon) from generate_series(1, 5) \g /dev/null
select is(
  tests.answer('sms', '+4915700000001', 504, 504, :afternoon) ->> 'problem', 'otp_invalid', 'a challenge is over after five tries'
);
select is(
  tests.answer('sms', '+4915700000002', 504, 504, :afternoon) ->> 'problem', 'otp_invalid', 'and is of its own address'
);
select tests.ask('sms', '+4915700000001', n, :afternoon) from generate_series(505, 509) as n \g /dev/null
select is(
  (select count(*) from kith.otp_codes where address = '+4915700000001'), 5::bigint, 'strangers use up what an address gets in an hour'
);
select tests.ask('sms', '+4915700000001', n, :afternoon, 'acme', sha256('phone')) from generate_series(510, 515) as n \g /dev/null
select is(
  (select string_agg(right(id::text, 3), ' ' order by id) from kith.otp_codes where address = '+4915700000001' and by_known_device),
  '510 511 512 513 514', 'but not what the user''s own device gets, which has five more'
);
select is(
  (tests.enter('sms', '+4915700000001', 514, :afternoon) ->> 'problem'), 'otp_invalid', 'whose codes nobody meets without the challenge'
);
update kith.tenants set sms_codes_per_day = (select codes from kith.otp_counts where tenant_id = tests.tenant('acme') and scope = 'sms' and counted_on = (:afternoon::timestamptz at time zone 'UTC')::date) where slug = 'acme';
select tests.ask('sms', '+4915700000009', 516, :afternoon) \g /dev/null
delete from kith.otp_codes where id in ((tests.code(510) ->> 'id')::uuid, (tests.code(511) ->> 'id')::uuid);
select tests.ask('sms', '+4915700000001', 517, :afternoon, 'acme', sha256('phone')) \g /dev/null
select is(
  (select string_agg(right(id::text, 3), ' ' order by id) from kith.otp_codes where right(id::text, 3) in ('516', '517')), '517',
  'nor what a tenant''s known devices get in a day'
);
update kith.tenants set sms_codes_per_day = 5000 where slug = 'acme';
select tests.ask('sms', '+4915700000002', n, :afternoon) from generate_series(520, 524) as n \g /dev/null
select tests.ask('sms', '+4915700000002', 525, :afternoon, 'acme', sha256('phone')) \g /dev/null
select is(
  (select count(*) from kith.otp_codes where address = '+4915700000002'), 5::bigint, 'a refresh token is of no use for another''s address'
);
select isnt(
  tests.answer('sms', '+4915700000001', 512, 512, :afternoon) ->> 'user_id', null, 'and such a code signs in like any other'
);
update kith.token_families set ended_at = :afternoon, end_reason = 'reuse'
where id = (select family_id from kith.refresh_tokens where secret_hash = sha256('phone'));
select is(
  internal.is_known_device(family.user_id, token.secret_hash, :afternoon)::text || tests.tenant('acme'), 'false' || tests.tenant('acme'),
  'a token of a sign-in that may be in wrong hands knows nobody'
)
from (select set_config('kith.tenant_id', tests.tenant('acme')::text, true)) as entered, kith.refresh_tokens as token
join kith.token_families as family on family.id = token.family_id
where token.secret_hash = sha256('phone');
select tests.as_superuser();

-- Sign-up closed.
update kith.tenants set sign_up_open = false where slug = 'acme';
select tests.ask('sms', '+4915400000001', 94, :later) \g /dev/null
select is(
  (select status || ': ' || error from kith.deliveries where id = (tests.code(94) ->> 'id')::uuid), 'dropped: nobody has this address',
  'where sign-up is closed a stranger''s message is written and dropped'
);
select is((select sealed_secret from kith.deliveries where id = (tests.code(94) ->> 'id')::uuid), null, 'without its secret');
select is(tests.enter('sms', '+4915400000001', 94, :later) ->> 'problem', 'otp_invalid', 'and would not sign in anybody');
select is(
  (select codes from kith.otp_counts where tenant_id = tests.tenant('acme') and counted_on = '2026-03-12' and scope = 'dropped +49'), 1,
  'dropped ones are counted apart, so that strangers use up nobody''s SMS'
);
update kith.tenants set user_quota = 1, sign_up_open = true where slug = 'acme';
select tests.ask('sms', '+4915400000002', 95, :later) \g /dev/null
select throws_ok(
  $$ select tests.enter('sms', '+4915400000002', 95, '2026-03-12T08:00:00Z') $$, 'KT507', 'quota_exceeded', 'a full tenant takes nobody new'
);
select tests.as_superuser();

-- Changing a contact.
select tests.as_user('acme', 'alice');
create temporary table changed as
select api.update_me('{"phone": "+4915500000001", "display_name": "A."}', jsonb_build_object('phone', tests.code(100)), :later) as me;
select is((select me ->> 'phone' from changed), null, 'a new number does not count yet');
select is((select me ->> 'pending_phone' from changed), '+4915500000001', 'it is pending');
select is((select me ->> 'display_name' from changed), 'A.', 'everything else counts at once');
select tests.as_user('acme', 'mallory');
select is(
  api.verify_contact('sms', '+4915500000001', tests.guesses('sms', '+4915500000001', 100, :later), :later) ->> 'problem', 'otp_invalid',
  'somebody else''s code does nothing'
);
select tests.as_user('acme', 'alice');
select is(
  api.verify_contact('sms', '+4915500000001', tests.guesses('sms', '+4915500000001', 99, :later), :later) ->> 'problem', 'otp_invalid',
  'neither does a wrong one'
);
select is(
  api.verify_contact('sms', '+4915500000001', tests.guesses('sms', '+4915500000001', 100, :later), :later)::jsonb - 'id' - 'created_at',
  '{"display_name": "A.", "phone": "+4915500000001", "email": null, "phone_verified": true, "email_verified": false, "pending_phone": null,
    "pending_email": null, "time_zone": "UTC", "locale": "en"}'::jsonb, 'the right one makes the number count'
);
select is(
  api.update_me('{"phone": "+4915500000001"}', jsonb_build_object('phone', tests.code(101)), :later) ->> 'pending_phone', null,
  'the number that is verified already is not asked for again'
);
select tests.as_user('acme', 'mallory');
select api.update_me('{"phone": "+4915500000001"}', jsonb_build_object('phone', tests.code(102)), :later) \g /dev/null
select throws_ok(
  $$ select api.verify_contact('sms', '+4915500000001', tests.guesses('sms', '+4915500000001', 102, '2026-03-12T08:00Z'), '2026-03-12T08:00Z') $$,
  'KT409', 'conflict', 'a number that somebody has verified is nobody else''s'
);
select tests.as_user('acme', 'alice');
select is(
  (api.update_me('{"phone": null}', '{}', :later)::jsonb ->> 'phone_verified'), 'false', 'null clears a number at once'
);

-- Those who name somebody's address as their own do not spend the tries of whoever has it.
select api.update_me('{"phone": "+4915800000001"}', jsonb_build_object('phone', tests.code(601)), :later) \g /dev/null
select tests.as_superuser();
insert into kith.otp_tries (tenant_id, id, address, tried_at)
select tests.tenant('acme'), gen_random_uuid(), '+4915800000001', :later from generate_series(1, 10);
select tests.as_user('acme', 'mallory');
select api.update_me('{"phone": "+4915800000001"}', jsonb_build_object('phone', tests.code(602)), :later) \g /dev/null
select api.verify_contact('sms', '+4915800000001', tests.guesses('sms', '+4915800000001', 600, :later), :later)
from generate_series(1, 10) \g /dev/null
select tests.as_user('acme', 'alice');
select is(
  api.verify_contact('sms', '+4915800000001', tests.guesses('sms', '+4915800000001', 601, :later), :later) ->> 'phone', '+4915800000001',
  'a code for a contact has tries of its own'
);

-- Ending an account is no way around a limit: neither one's own, nor that of a number which one only says to have.
\set last '''2026-03-14T08:00:00Z'''
select tests.as_superuser();
update kith.users set email = 'mallory@example.org', email_verified_at = :last where id = tests.id('mallory');
select tests.ask('sms', '+4915600000001', n, :last) from generate_series(301, 303) as n \g /dev/null
select tests.ask('email', 'mallory@example.org', n, :last) from generate_series(311, 315) as n \g /dev/null
insert into kith.otp_tries (tenant_id, id, address, tried_at)
select tests.tenant('acme'), gen_random_uuid(), address, :last
from generate_series(1, 10), (values ('+4915600000001'), ('mallory@example.org')) as tried (address);
select tests.as_user('acme', 'mallory');
select api.update_me('{"phone": "+4915600000001"}', jsonb_build_object('phone', tests.code(304)), :last) \g /dev/null
select api.delete_me(null, :last) \g /dev/null
select tests.as_superuser();
select is(
  (select count(*) from kith.otp_codes where address = '+4915600000001' and ended_at is null), 3::bigint,
  'the codes of whoever has the number still live'
);
select is((select count(*) from kith.deliveries where address = '+4915600000001'), 3::bigint, 'and are on their way, but not that of the account');
select is((select count(*) from kith.otp_codes where address = 'mallory@example.org'), 0::bigint, 'of the account itself no address is left');
select is(
  (select count(*) from kith.otp_codes where address_is_hashed and user_id is null and created_at = :last), 6::bigint, 'only hashes of them'
);
select tests.ask('sms', '+4915600000001', n, :last) from generate_series(305, 306) as n \g /dev/null
select tests.ask('email', 'Mallory@example.org', 316, :last) \g /dev/null
select is(
  (select string_agg(right(id::text, 3), ' ' order by id) from kith.otp_codes where right(id::text, 3) in ('305', '306', '316') and not address_is_hashed),
  '305', 'there are no more codes than before'
);
select is(tests.enter('sms', '+4915600000001', 303, :last) ->> 'problem', 'otp_invalid', 'and no more tries');
select is(
  (select count(*) from kith.otp_tries where tried_at = :last and address = 'mallory@example.org'), 0::bigint, 'whose addresses are hashes too'
);
select tests.as_role('kith_worker');
select worker.sweep_sign_in('2026-03-15T08:00:01Z', 100) \g /dev/null
select tests.as_superuser();
select is((select count(*) from kith.otp_codes where address_is_hashed), 0::bigint, 'which the day after are gone');

select * from finish();
rollback;
