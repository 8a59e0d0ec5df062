-- One-time codes: how they are sent, counted and tried, and whose account they open. A hash here is the plain SHA-256 of the digits;
-- the real one uses a key of the server.
begin;
\ir people.sql
select plan(103);
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
  p_channel text, p_address text, p_n integer, p_now timestamptz, p_tenant text default 'acme', p_token_hash bytea default null,
  p_language text default null
) returns text
  language plpgsql
as $$
declare
  v_answer text;
begin
  perform tests.as_server(p_tenant);
  v_answer := api.request_code(p_channel, p_address, p_token_hash, p_language, tests.code(p_n), p_now);
  perform tests.as_superuser();
  return v_answer;
end
$$;
-- The answer to typing code number p_n without a challenge: a guess at each live code.
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
-- The answer to typing code number p_n with the challenge of code number p_challenge.
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
  'asking for a code returns a challenge'
);
select is(
  (select to_jsonb(deliveries) from kith.deliveries where id = (tests.code(1) ->> 'id')::uuid)
    - '{tenant_id,leased_until,leased_by,sent_at,error,created_at,next_attempt_at}'::text[],
  '{"id": "0c0de000-0000-7000-8000-000000000001", "channel": "sms", "purpose": "sign_in_code", "address": "+4915100000001",
    "subject": null, "body": "PRUUF code: {code}. It is valid for 10 minutes. Do not share it.", "sealed_secret": "\\xabcd",
    "notification_id": null, "offers_keys": false, "is_urgent": true, "unanswered": 0, "failures": null, "provider_id": null, "status": "queued", "attempts": 0,
    "expires_at": "2026-03-10T08:10:00+00:00"}'::jsonb,
  'the message waits in the outbox with a sealed secret'
);
update kith.tenants set universal_link_host = 'acme.example', brand_name = 'Acme' where slug = 'acme';
select tests.ask('sms', '+4915100000001', 2, :now) \g /dev/null
select is(
  (select body from kith.deliveries where id = (tests.code(2) ->> 'id')::uuid),
  e'Acme code: {code}. It is valid for 10 minutes. Do not share it.\n\n@acme.example #{code}', 'a text message names the host, so that phones fill in the code'
);
select tests.ask('email', 'Dave@Example.org', 3, :now) \g /dev/null
select is(
  (select subject || ': ' || body from kith.deliveries where id = (tests.code(3) ->> 'id')::uuid),
  'Your Acme code: Acme code: {code}. It is valid for 10 minutes. Do not share it.', 'an e-mail has a subject and no host'
);
select is((select address from kith.otp_codes where id = (tests.code(3) ->> 'id')::uuid), 'dave@example.org', 'addresses of codes are stored in one spelling');

-- Caps. Two of the five for this number are used.
select tests.ask('sms', '+4915100000001', n, :now) from generate_series(4, 9) as n \g /dev/null
select is(
  (select count(*) from kith.otp_codes where address = '+4915100000001'), 5::bigint, 'a number gets five codes an hour'
);
select is(
  (select codes from kith.otp_counts where scope = 'capped by address' and tenant_id = tests.tenant('acme')), 3,
  'codes over the cap are counted'
);
select is(
  tests.ask('sms', '+4915100000001', 10, :now), '{"challenge_id" : "0c0de000-0000-7000-8000-000000000010"}', 'a request over the cap gets the same answer'
);
select tests.ask('sms', '+4915100000001', 11, '2026-03-10T09:00:01Z') \g /dev/null
select is((select count(*) from kith.otp_codes where address = '+4915100000001'), 6::bigint, 'after an hour the number gets more codes');
select tests.ask('sms', '+4915100000001', 20 + n, '2026-03-10T10:00:00Z'::timestamptz + n * interval '30 minutes') from generate_series(0, 9) as n \g /dev/null
select is((select count(*) from kith.otp_codes where address = '+4915100000001'), 10::bigint, 'a number gets ten codes a day');
update kith.tenants set sms_codes_per_country_per_day = 12, sms_codes_per_day = 14 where slug = 'acme';
select tests.ask('sms', '+491510000010' || n, 40 + n, '2026-03-10T16:00:00Z') from generate_series(0, 4) as n \g /dev/null
select is(
  (select codes from kith.otp_counts where scope = 'sms +49' and tenant_id = tests.tenant('acme')), 12, 'a country gets no more codes than its cap'
);
select is(
  (select codes from kith.otp_counts where scope = 'capped by country +49' and tenant_id = tests.tenant('acme')), 3, 'codes over the country''s cap are counted'
);
select tests.ask('sms', '+1212555010' || n, 50 + n, '2026-03-10T16:00:00Z') from generate_series(0, 4) as n \g /dev/null
select is(
  (select codes from kith.otp_counts where scope = 'sms' and tenant_id = tests.tenant('acme')), 14,
  'a tenant gets no more codes than its cap, and capped ones do not count towards it'
);
select is(
  (select codes from kith.otp_counts where scope = 'capped by tenant' and tenant_id = tests.tenant('acme')), 3, 'codes over the tenant''s cap are counted'
);
select tests.ask('sms', '+12125550104', 60, '2026-03-11T00:00:00Z') \g /dev/null
select is(
  (select count(*) from kith.otp_codes where id = (tests.code(60) ->> 'id')::uuid), 1::bigint, 'the counts start anew the next day'
);
select tests.ask('sms', '+4915100000001', 61, :now, 'globex') \g /dev/null
select is(
  (select count(*) from kith.otp_codes where tenant_id = tests.tenant('globex')), 1::bigint, 'another tenant has separate caps'
);
select is(
  (select array_agg(internal.calling_code(phone) order by n) from unnest(array['+14155552671', '+79161234567', '+4915112345678', '+351912345678', '+8613800138000', '+85261234567', '+97150123456', '+9779812345678', '+201001234567', '+2125912345']) with ordinality as phones (phone, n)),
  array['1', '7', '49', '351', '86', '852', '971', '977', '20', '212'], 'calling codes have one to three digits'
);
update kith.tenants set sms_codes_per_country_per_day = 2000, sms_codes_per_day = 5000 where slug = 'acme';

-- Whose language a code speaks: the account's, else that of the request, else the tenant's.
create function tests.asked(p_address text, p_n integer, p_language text default null) returns text
  language plpgsql
as $$
begin
  perform tests.ask(case when strpos(p_address, '@') > 0 then 'email' else 'sms' end, p_address, p_n, '2026-03-10T08:00:00Z', 'globex', p_language => p_language);
  return (select concat_ws(': ', subject, body) from kith.deliveries where tenant_id = tests.tenant('globex') and id = (tests.code(p_n) ->> 'id')::uuid);
end
$$;
select is(
  tests.asked('+4915100000031', 31, 'de'), 'PRUUF-Code: {code}. Er gilt 10 Minuten lang. Geben Sie ihn nicht weiter.',
  'somebody new reads the code in the language of the request'
);
select is(
  tests.asked('new@example.org', 32, 'de'),
  'Ihr Code für PRUUF: PRUUF-Code: {code}. Er gilt 10 Minuten lang. Geben Sie ihn nicht weiter.', 'by e-mail too'
);
update kith.users
set locale = 'de-informal', phone = '+4915100000033', phone_verified_at = :now
where tenant_id = tests.tenant('globex') and id = tests.id('globex-alice');
select is(
  tests.asked('+4915100000033', 33, 'en'), 'PRUUF-Code: {code}. Er gilt 10 Minuten lang. Gib ihn nicht weiter.',
  'somebody who has an account reads it in their own, whoever asks for it'
);
select tests.as_server('globex');
select api.set_tenant_texts('en', '{"sms.code.sign_in": "{code} opens {brand}"}', :now) \g /dev/null
select tests.as_superuser();
select is(tests.asked('+4915100000034', 34, 'fr'), '{code} opens PRUUF', 'a tenant''s own words stand for those of the catalogue');
update kith.tenants set default_locale = 'de' where slug = 'globex';
select internal.refresh_tenant_texts(tests.tenant('globex'), 'de') \g /dev/null
select is(
  tests.asked('+4915100000035', 35), 'PRUUF-Code: {code}. Er gilt 10 Minuten lang. Geben Sie ihn nicht weiter.',
  'where nobody says otherwise, the tenant''s language counts'
);

-- Signing in.
\set later '''2026-03-12T08:00:00Z'''
select tests.ask('sms', '+4915200000001', 70, :later) \g /dev/null
select is(tests.enter('sms', '+4915200000001', 71, :later)::text, '{"problem" : "otp_invalid"}', 'a wrong code does not sign in');
select is((select tries from kith.otp_codes where id = (tests.code(70) ->> 'id')::uuid), 1, 'a wrong code is counted');
select is(
  tests.enter('sms', '+4915200000001', 70, :later, 'globex') ->> 'problem', 'otp_invalid', 'a code works only in its own tenant'
);
create temporary table signed_in as select tests.enter('sms', '+4915200000001', 70, :later) as answer;
select is((select answer -> 'user' ->> 'phone' from signed_in), '+4915200000001', 'the right code signs in, and creates a user if nobody has the number');
select is((select answer -> 'user' ->> 'phone_verified' from signed_in), 'true', 'the new user''s number is verified');
select is(tests.enter('sms', '+4915200000001', 70, :later) ->> 'problem', 'otp_invalid', 'a code works once');

-- A page's form that is sent again, because its answer was lost or the button was pressed twice.
create function tests.press(p_code integer, p_form integer, p_browser text, p_now timestamptz) returns text
  language plpgsql
as $$
declare
  v_answer json;
begin
  perform tests.as_server('acme');
  v_answer := api.sign_in(
    'sms', '+4915200000077', (tests.code(p_code) ->> 'id')::uuid, tests.guesses('sms', '+4915200000077', p_code, p_now),
    format('0fa00000-0000-7000-8000-%s', lpad(p_form::text, 12, '0'))::uuid, sha256(p_browser::bytea), p_now
  );
  perform tests.as_superuser();
  return coalesce(v_answer ->> 'problem', v_answer -> 'user' ->> 'phone');
end
$$;
select tests.ask('sms', '+4915200000077', 79, :later) \g /dev/null
select is(
  array(select tests.press(79, form, browser, at) from (values
    (1, 'one', :later::timestamptz), (1, 'one', :later), (1, 'one', '2026-03-12T08:00:59Z'), (1, 'two', :later), (2, 'one', :later), (1, 'one', '2026-03-12T08:01:00Z')
  ) as forms (form, browser, at)),
  array['+4915200000077', '+4915200000077', '+4915200000077', 'otp_invalid', 'otp_invalid', 'otp_invalid'],
  'the same form of the same browser has the same answer for a minute, and no other has'
);
select is(
  (select count(*) || ' ' || max(tries.n) from kith.token_families as family, lateral (
    select count(*) as n from kith.otp_tries where address = '+4915200000077'
  ) as tries where family.id = '0fa00000-0000-7000-8000-000000000001'), '1 4', 'it is one sign-in, and the repeats are no tries of a code'
);
select is(
  (select string_agg(action, ' ' order by action desc) from kith.audit where actor = 'user:' || (select answer ->> 'user_id' from signed_in)),
  'user.sign_up session.begin', 'sign-up and sign-in are audited under the user'
);
select is(
  (select count(*) from kith.refresh_tokens join kith.token_families as family on family.id = family_id
    where family.user_id = (select (answer ->> 'user_id')::uuid from signed_in)), 1::bigint, 'a sign-in has a refresh token'
);
select tests.ask('sms', '+4915200000001', 72, :later) \g /dev/null
select is(
  tests.enter('sms', '+4915200000001', 72, '2026-03-12T08:10:00Z') ->> 'problem', 'otp_invalid', 'a code expires after ten minutes'
);
select tests.ask('sms', '+4915200000001', 73, '2026-03-12T08:20:00Z') \g /dev/null
select tests.ask('sms', '+4915200000001', 74, '2026-03-12T08:21:00Z') \g /dev/null
select is(
  tests.enter('sms', '+4915200000001', 73, '2026-03-12T08:22:00Z') ->> 'user_id', (select answer ->> 'user_id' from signed_in),
  'an earlier code that arrives late still works for the same user'
);
select is(
  tests.enter('sms', '+4915200000001', 74, '2026-03-12T08:22:00Z') ->> 'problem', 'otp_invalid', 'the later code is void then'
);
select tests.ask('sms', '+4915200000003', n, '2026-03-12T08:30:00Z'::timestamptz + n * interval '1 second') from generate_series(75, 77) as n \g /dev/null
select is(
  tests.enter('sms', '+4915200000003', 75, '2026-03-12T08:33:00Z') ->> 'problem', 'otp_invalid', 'of three codes the first no longer works'
);
select isnt(tests.enter('sms', '+4915200000003', 76, '2026-03-12T08:33:00Z') ->> 'user_id', null, 'of three codes the second still works');
select tests.ask('sms', '+4915200000002', 80, :later) \g /dev/null
select tests.enter('sms', '+4915200000002', 81, :later) from generate_series(1, 5) \g /dev/null
select is(tests.enter('sms', '+4915200000002', 80, :later) ->> 'problem', 'otp_invalid', 'a code is void after five attempts');
select tests.ask('sms', '+4915200000002', 82, :later) \g /dev/null
select tests.enter('sms', '+4915200000002', 81, :later) from generate_series(1, 4) \g /dev/null
select tests.ask('sms', '+4915200000002', 83, :later) \g /dev/null
select tests.enter('sms', '+4915200000002', 81, :later) \g /dev/null
select is(tests.enter('sms', '+4915200000002', 83, :later) ->> 'problem', 'otp_invalid', 'after ten attempts an address is refused');
select tests.ask('sms', '+4915200000002', 84, '2026-03-12T09:00:01Z') \g /dev/null
select isnt(tests.enter('sms', '+4915200000002', 84, '2026-03-12T09:00:01Z') ->> 'user_id', null, 'after an hour the address works again');

-- The owner of a contact.
update kith.users set phone = '+4915300000001' where id in (tests.id('carol'), tests.id('bob'));
update kith.users set created_at = '2026-01-04T00:00:00Z' where id = tests.id('carol');
select tests.ask('sms', '+4915300000001', 90, :later) \g /dev/null
select is(
  tests.enter('sms', '+4915300000001', 90, :later) ->> 'user_id', tests.id('carol')::text,
  'a number that the tenant''s server gave to several users signs in the oldest one'
);
select is((select phone_verified_at is null from kith.users where id = tests.id('bob')), true, 'the number is not verified for the other user');
update kith.users set created_at = '2026-01-01T00:00:00Z' where id = tests.id('bob');
select tests.ask('sms', '+4915300000001', 91, :later) \g /dev/null
select is(
  tests.enter('sms', '+4915300000001', 91, :later) ->> 'user_id', tests.id('carol')::text, 'a later sign-in finds the same user'
);
select throws_ok(
  format('update kith.users set phone_verified_at = %L where id = %L', :later, tests.id('bob')), '23505', null,
  'a verified number belongs to one user'
);
update kith.users set deleted_at = :later where id = tests.id('carol');
select tests.ask('sms', '+4915300000001', 92, :later) \g /dev/null
select is(
  tests.enter('sms', '+4915300000001', 92, :later) ->> 'user_id', tests.id('bob')::text, 'a deleted user''s number is free'
);
select tests.ask('email', 'Erin@Example.org', 93, :later) \g /dev/null
select is(
  tests.enter('email', 'erin@example.ORG', 93, :later) -> 'user' ->> 'email', 'erin@example.ORG', 'the case of an e-mail address does not matter'
);

-- Only ASCII letters have two cases: U+0130, whose lower case is i, names another domain.
update kith.users set email = 'Victim@gmail.com', email_verified_at = :later where id = tests.id('bob');
select tests.ask('email', 'victim@gma' || chr(304) || 'l.com', 401, :later) \g /dev/null
select isnt(
  tests.answer('email', 'victim@gma' || chr(304) || 'l.com', 401, 401, :later) ->> 'user_id', tests.id('bob')::text,
  'a look-alike address does not sign in to the other account'
);
select tests.ask('email', 'VICTIM@gmail.com', 402, :later) \g /dev/null
select is(
  (select address from kith.deliveries where id = (tests.code(402) ->> 'id')::uuid), 'Victim@gmail.com',
  'a code goes to the account''s stored address, not to the requested spelling'
);
select is(
  tests.answer('email', 'vIctim@gmail.com', 402, 402, :later) ->> 'user_id', tests.id('bob')::text, 'a code sent to the stored address signs in to the account'
);
select is(
  (
    select string_agg(to_hex(n), ' ')
    from generate_series(128, 1114111) as n
    where n not between 55296 and 57343 and (
      internal.normalized_email('a' || chr(n) || '@' || chr(n) || '.com') <> 'a' || chr(n) || '@' || chr(n) || '.com'
    )
  ), null, 'no character beyond ASCII is normalised, so none is taken for its lower-case or compatibility form'
);
select is(
  (
    select count(*)
    from generate_series(1, 1114111) as n
    where n not between 55296 and 57343 and internal.normalized_email(chr(n)) = any (array(select chr(a) from generate_series(33, 126) as a))
  ), 94::bigint, 'only ASCII characters normalise to ASCII'
);
select is(
  (
    select count(*)
    from pg_attribute as attribute
    join pg_attrdef as expression on (expression.adrelid, expression.adnum) = (attribute.attrelid, attribute.attnum)
    where attribute.attname = 'email_normalized' and pg_get_expr(expression.adbin, expression.adrelid) = 'lower((email COLLATE "C"))'
  ), 3::bigint, 'the generated columns use the same rule as internal.normalized_email'
);

-- Ten attempts an hour for an address, over all codes, challenges, users and spellings. The clock moves by an hour between the cases.
create function tests.tries(p_address text) returns bigint
  language sql
as $$
  select count(*) from kith.otp_tries where tenant_id = tests.tenant('acme') and address = p_address
$$;
select tests.ask('sms', '+4915700000001', n, '2026-03-12T10:00:00Z') from generate_series(531, 533) as n \g /dev/null
select tests.answer('sms', '+4915700000001', challenge, 500, '2026-03-12T10:00:00Z')
from unnest(array[531, 531, 531, 531, 531, 532, 532, 532, 532]) as challenge \g /dev/null
savepoint nine;
select isnt(
  tests.answer('sms', '+4915700000001', 533, 533, '2026-03-12T10:05:00Z') ->> 'user_id', null, 'after nine attempts the right code still signs in'
);
rollback to nine;
select tests.enter('sms', '+4915700000001', 500, '2026-03-12T10:00:00Z') \g /dev/null
select is(
  tests.answer('sms', '+4915700000001', 533, 533, '2026-03-12T10:05:00Z') ->> 'problem', 'otp_invalid',
  'after ten attempts with several challenges and without one, even the right code is refused'
);
select is(
  tests.answer('sms', '+4915700000001', 533, 533, '2026-03-12T10:05:00Z')::jsonb, '{"problem": "otp_invalid"}'::jsonb, 'the refusal reads like any other'
);
select is(tests.tries('+4915700000001'), 10::bigint, 'refused attempts take the place of the oldest ones');
select tests.ask('sms', '+4915700000001', 534, '2026-03-12T11:00:01Z') \g /dev/null
select isnt(
  tests.answer('sms', '+4915700000001', 534, 534, '2026-03-12T11:00:01Z') ->> 'user_id', null, 'after an hour the right code signs in again'
);
select tests.answer('email', 'nobody@example.org', 1, 500, '2026-03-12T11:00:01Z') from generate_series(1, 12) \g /dev/null
select is(tests.tries('nobody@example.org'), 10::bigint, 'attempts for an address without a code count as well, so that they take the same work');
select tests.ask('email', 'Heidi@example.org', 535, '2026-03-12T11:00:00Z') \g /dev/null
select tests.answer('email', address, 535, 500, '2026-03-12T11:00:00Z')
from unnest(array['heidi@example.org', 'HEIDI@example.org']) as address, generate_series(1, 2) \g /dev/null
select tests.enter('email', 'Heidi@Example.org', 500, '2026-03-12T11:00:00Z') from generate_series(1, 6) \g /dev/null
select tests.ask('email', 'Heidi@example.org', 536, '2026-03-12T11:00:00Z') \g /dev/null
select is(
  tests.answer('email', 'heidI@example.org', 536, 536, '2026-03-12T11:00:00Z') ->> 'problem', 'otp_invalid', 'all spellings of an address count together'
);
select tests.ask('sms', '+4915700000003', 537, '2026-03-12T11:00:00Z') \g /dev/null
select tests.answer('sms', '+4915700000003', 537, 500, '2026-03-12T11:00:00Z') from generate_series(1, 3) \g /dev/null
select tests.enter('sms', '+4915700000003', 500, '2026-03-12T11:00:00Z') from generate_series(1, 2) \g /dev/null
select is(
  tests.answer('sms', '+4915700000003', 537, 537, '2026-03-12T11:00:00Z') ->> 'problem', 'otp_invalid',
  'a code has five attempts, with and without its challenge together'
);
\set afternoon '''2026-03-12T15:00:00Z'''
select tests.ask('sms', '+4915700000001', n, :afternoon) from generate_series(501, 503) as n \g /dev/null
select is(
  tests.answer('sms', '+4915700000001', 502, 503, :afternoon) ->> 'problem', 'otp_invalid', 'a code does not match another request''s challenge'
);
select isnt(
  tests.answer('sms', '+4915700000001', 503, 503, :afternoon, 'phone') ->> 'user_id', null, 'a challenge accepts its own code'
);
select is(
  (select count(*) from kith.otp_codes where address = '+4915700000001' and created_at = :afternoon and ended_at is null), 0::bigint,
  'a sign-in voids the other codes'
);
select tests.ask('sms', '+4915700000001', 504, :afternoon) \g /dev/null
select tests.answer('sms', '+4915700000001', 504, 500, :afternoon) from generate_series(1, 5) \g /dev/null
select is(
  tests.answer('sms', '+4915700000001', 504, 504, :afternoon) ->> 'problem', 'otp_invalid', 'a challenge is over after five attempts'
);
select is(
  tests.answer('sms', '+4915700000002', 504, 504, :afternoon) ->> 'problem', 'otp_invalid', 'a challenge belongs to its address'
);
select tests.ask('sms', '+4915700000001', n, :afternoon) from generate_series(505, 509) as n \g /dev/null
select is(
  (select count(*) from kith.otp_codes where address = '+4915700000001' and created_at = :afternoon), 5::bigint, 'strangers can use up an address''s hourly codes'
);
select tests.ask('sms', '+4915700000001', n, :afternoon, 'acme', sha256('phone')) from generate_series(510, 515) as n \g /dev/null
select is(
  (select string_agg(right(id::text, 3), ' ' order by id) from kith.otp_codes where address = '+4915700000001' and by_known_device),
  '510 511 512 513 514', 'the user''s known device gets five more codes'
);
select is(
  (tests.enter('sms', '+4915700000001', 514, :afternoon) ->> 'problem'), 'otp_invalid', 'a known device''s code works only with its challenge'
);
update kith.tenants set sms_codes_per_day = (select codes from kith.otp_counts where tenant_id = tests.tenant('acme') and scope = 'sms' and counted_on = (:afternoon::timestamptz at time zone 'UTC')::date) where slug = 'acme';
select tests.ask('sms', '+4915700000009', 516, :afternoon) \g /dev/null
delete from kith.otp_codes where id in ((tests.code(510) ->> 'id')::uuid, (tests.code(511) ->> 'id')::uuid);
select tests.ask('sms', '+4915700000001', 517, :afternoon, 'acme', sha256('phone')) \g /dev/null
select is(
  (select string_agg(right(id::text, 3), ' ' order by id) from kith.otp_codes where right(id::text, 3) in ('516', '517')), '517',
  'a known device still gets a code when the tenant''s daily cap is reached'
);
update kith.tenants set sms_codes_per_day = 5000 where slug = 'acme';
select tests.ask('sms', '+4915700000002', n, :afternoon) from generate_series(520, 524) as n \g /dev/null
select tests.ask('sms', '+4915700000002', 525, :afternoon, 'acme', sha256('phone')) \g /dev/null
select is(
  (select count(*) from kith.otp_codes where address = '+4915700000002'), 5::bigint, 'a refresh token does not help for another user''s address'
);
select isnt(
  tests.answer('sms', '+4915700000001', 512, 512, :afternoon) ->> 'user_id', null, 'a known device''s code signs in like any other'
);
update kith.token_families set ended_at = :afternoon, end_reason = 'reuse'
where id = (select family_id from kith.refresh_tokens where secret_hash = sha256('phone'));
select is(
  internal.is_known_device(family.user_id, token.secret_hash, :afternoon)::text || tests.tenant('acme'), 'false' || tests.tenant('acme'),
  'a token of a sign-in that ended because of reuse does not count as a known device'
)
from (select set_config('kith.tenant_id', tests.tenant('acme')::text, true)) as entered, kith.refresh_tokens as token
join kith.token_families as family on family.id = token.family_id
where token.secret_hash = sha256('phone');
select tests.as_superuser();

-- Closed sign-up.
update kith.tenants set sign_up_open = false where slug = 'acme';
select tests.ask('sms', '+4915400000001', 94, :later) \g /dev/null
select is(
  (select status || ': ' || error from kith.deliveries where id = (tests.code(94) ->> 'id')::uuid), 'dropped: nobody has this address',
  'if sign-up is closed, a message to an unknown address is written and dropped'
);
select is((select sealed_secret from kith.deliveries where id = (tests.code(94) ->> 'id')::uuid), null, 'the dropped message has no secret');
select is(tests.enter('sms', '+4915400000001', 94, :later) ->> 'problem', 'otp_invalid', 'the code of a dropped message does not sign in');
select is(
  (select codes from kith.otp_counts where tenant_id = tests.tenant('acme') and counted_on = '2026-03-12' and scope = 'dropped +49'), 1,
  'dropped codes are counted separately, so that strangers do not use up the SMS cap'
);
update kith.tenants set user_quota = 1, sign_up_open = true where slug = 'acme';
select tests.ask('sms', '+4915400000002', 95, :later) \g /dev/null
select throws_ok(
  $$ select tests.enter('sms', '+4915400000002', 95, '2026-03-12T08:00:00Z') $$, 'KT507', 'quota_exceeded', 'a tenant at its user quota accepts no new user'
);
select tests.as_superuser();

-- Changing a contact.
select tests.as_user('acme', 'alice');
create temporary table changed as
select api.update_me('{"phone": "+4915500000001", "display_name": "A."}', jsonb_build_object('phone', tests.code(100)), :later) as me;
select is((select me ->> 'phone' from changed), null, 'a new number does not count yet');
select is((select me ->> 'pending_phone' from changed), '+4915500000001', 'a new number is pending');
select is((select me ->> 'display_name' from changed), 'A.', 'changes other than a contact count at once');
select tests.as_user('acme', 'mallory');
select is(
  api.verify_contact('sms', '+4915500000001', tests.guesses('sms', '+4915500000001', 100, :later), :later) ->> 'problem', 'otp_invalid',
  'another user cannot use the code'
);
select tests.as_user('acme', 'alice');
select is(
  api.verify_contact('sms', '+4915500000001', tests.guesses('sms', '+4915500000001', 99, :later), :later) ->> 'problem', 'otp_invalid',
  'a wrong code is refused'
);
select is(
  api.verify_contact('sms', '+4915500000001', tests.guesses('sms', '+4915500000001', 100, :later), :later)::jsonb - 'id' - 'created_at',
  '{"display_name": "A.", "phone": "+4915500000001", "email": null, "phone_verified": true, "email_verified": false, "pending_phone": null,
    "pending_email": null, "time_zone": "UTC", "locale": "en"}'::jsonb, 'the right code makes the number count'
);
select is(
  api.update_me('{"phone": "+4915500000001"}', jsonb_build_object('phone', tests.code(101)), :later) ->> 'pending_phone', null,
  'a number that is already verified needs no code'
);
select tests.as_user('acme', 'mallory');
select api.update_me('{"phone": "+4915500000001"}', jsonb_build_object('phone', tests.code(102)), :later) \g /dev/null
select is(
  api.verify_contact('sms', '+4915500000001', tests.guesses('sms', '+4915500000001', 102, :later), :later)::jsonb,
  '{"problem": "conflict", "detail": "Another account has this contact."}', 'a number that another user has verified is refused'
);
select is(
  api.verify_contact('sms', '+4915500000001', tests.guesses('sms', '+4915500000001', 102, :later), :later) ->> 'problem', 'otp_invalid',
  'the refused try is counted, and its code is used'
);
select tests.as_user('acme', 'alice');
select is(
  (api.update_me('{"phone": null}', '{}', :later)::jsonb ->> 'phone_verified'), 'false', 'null clears a number at once'
);

-- Attempts to confirm a contact count for the address like attempts to sign in. Otherwise each account would have ten more guesses at a number.
select api.update_me('{"phone": "+4915800000001"}', jsonb_build_object('phone', tests.code(601)), :later) \g /dev/null
select api.verify_contact('sms', '+4915800000001', tests.guesses('sms', '+4915800000001', 600, :later), :later) from generate_series(1, 5) \g /dev/null
select tests.as_user('acme', 'mallory');
select api.update_me('{"phone": "+4915800000001"}', jsonb_build_object('phone', tests.code(602)), :later) \g /dev/null
select api.verify_contact('sms', '+4915800000001', tests.guesses('sms', '+4915800000001', 600, :later), :later) from generate_series(1, 4) \g /dev/null
savepoint nine_tries;
select is(
  api.verify_contact('sms', '+4915800000001', tests.guesses('sms', '+4915800000001', 602, :later), :later) ->> 'phone', '+4915800000001',
  'the tenth attempt at a number, by whomever, may still succeed'
);
rollback to nine_tries;
select api.verify_contact('sms', '+4915800000001', tests.guesses('sms', '+4915800000001', 600, :later), :later) \g /dev/null
select is(
  api.verify_contact('sms', '+4915800000001', tests.guesses('sms', '+4915800000001', 602, :later), :later) ->> 'problem', 'otp_invalid',
  'the eleventh is refused'
);

-- Deleting an account does not circumvent a limit, neither of its own addresses nor of a number that it only claims.
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
  'the codes of the number''s owner stay live'
);
select is((select count(*) from kith.deliveries where address = '+4915600000001'), 3::bigint, 'their messages stay queued, and the deleted account''s message is gone');
select is((select count(*) from kith.otp_codes where address = 'mallory@example.org'), 0::bigint, 'the deleted account''s address is not kept with its codes');
select is(
  (select count(*) from kith.otp_codes where address_is_hashed and user_id is null and created_at = :last), 6::bigint, 'only the address''s hash is kept'
);
select tests.ask('sms', '+4915600000001', n, :last) from generate_series(305, 306) as n \g /dev/null
select tests.ask('email', 'Mallory@example.org', 316, :last) \g /dev/null
select is(
  (select string_agg(right(id::text, 3), ' ' order by id) from kith.otp_codes where right(id::text, 3) in ('305', '306', '316') and not address_is_hashed),
  '305', 'the code limits still apply to the address'
);
select is(tests.enter('sms', '+4915600000001', 303, :last) ->> 'problem', 'otp_invalid', 'the attempt limits still apply to the number');
select is(
  (select count(*) from kith.otp_tries where tried_at = :last and address = 'mallory@example.org'), 0::bigint, 'the deleted account''s address is not kept with its attempts'
);
select tests.as_role('kith_worker');
select worker.sweep_sign_in('2026-03-15T08:00:01Z', 100) \g /dev/null
select tests.as_superuser();
select is((select count(*) from kith.otp_codes where address_is_hashed), 0::bigint, 'the hashes are deleted the day after');

-- Caps by e-mail.
select tests.ask('email', 'grace@example.org', 700 + n, '2026-03-20T00:00:00Z'::timestamptz + n * interval '30 minutes') from generate_series(0, 24) as n \g /dev/null
select is((select count(*) from kith.otp_codes where address = 'grace@example.org'), 20::bigint, 'an e-mail address gets 20 codes a day');
insert into kith.otp_counts (tenant_id, counted_on, scope, codes) values (tests.tenant('acme'), '2026-03-21', 'email', 49999);
select tests.ask('email', 'frank' || n || '@example.org', 730 + n, '2026-03-21T08:00:00Z') from generate_series(1, 3) as n \g /dev/null
select is((select count(*) from kith.otp_codes where address ~ '^frank'), 1::bigint, 'a tenant gets 50,000 codes by e-mail a day');
select is(
  (select codes from kith.otp_counts where tenant_id = tests.tenant('acme') and counted_on = '2026-03-21' and scope = 'capped by tenant'), 2,
  'and those beyond the cap are counted'
);

-- A form that is sent twice names the same code.
select is(
  tests.ask('email', 'twice@example.com', 900, :now)::json ->> 'challenge_id', tests.ask('email', 'twice@example.com', 900, (:now::timestamptz + interval '2 seconds'))::json ->> 'challenge_id',
  'a code that is asked for twice is one challenge'
);
select is((select count(*) from kith.deliveries where address = 'twice@example.com'), 1::bigint, 'it is sent once');
select is((select count(*) from kith.otp_codes where address = 'twice@example.com'), 1::bigint, 'and counts once');

select * from finish();
rollback;
