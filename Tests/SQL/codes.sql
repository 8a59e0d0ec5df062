-- Six-digit codes: creating, previewing and guessing them.
begin;
\ir people.sql
select plan(51);
\set now '''2026-03-10T08:00:00Z'''

select tests.as_user('acme', 'alice');
select is(
  api.list_codes(:now)::jsonb,
  '{"items": [{"code": "111111", "role": "sender", "permanent": true, "expires_at": null}], "next_cursor": null}'::jsonb,
  'a sender has one permanent code'
);
create temporary table extra as select api.create_code('{"role": "sender"}', :now) as body;
select is(
  (select body::jsonb - 'code' from extra),
  '{"role": "sender", "permanent": false, "expires_at": "2026-03-17T08:00:00.000000Z"}'::jsonb,
  'an extra code lives for the tenant''s invitation days'
);
select is(
  api.create_code('{"role": "sender", "expires_in_seconds": 3600}', :now) ->> 'expires_at', '2026-03-10T09:00:00.000000Z',
  'an extra code lives as long as requested'
);
select is(json_array_length(api.list_codes(:now) -> 'items'), 3, 'all live codes are listed');
select is(json_array_length(api.list_codes('2026-03-10T09:00:00Z') -> 'items'), 2, 'an expired code is not listed');
create temporary table rotated as select api.create_code('{"role": "sender", "rotate": true}', :now) as body;
select is((select body ->> 'permanent' from rotated), 'true', 'rotating creates a new permanent code');
select isnt((select body ->> 'code' from rotated), '111111', 'rotating creates a different code');
select is(
  (select string_agg(item ->> 'code', ' ') from json_array_elements(api.list_codes(:now) -> 'items') as item where item ->> 'permanent' = 'true'),
  (select body ->> 'code' from rotated),
  'after rotating, the new code is the only permanent one'
);
prepare create_code as select api.create_code($1, '2026-03-10T08:00:00Z');
select throws_ok($$ execute create_code('{"role": "receiver"}') $$, 'KT409', 'profile_required', 'creating a code requires the role''s profile');
select throws_ok(
  $$ execute create_code('{"role": "sender", "expires_in_seconds": 59}') $$, 'KT422', 'validation_failed', 'a code must live for at least a minute'
);
select throws_ok(
  $$ execute create_code('{"role": "sender", "expires_in_seconds": 3600, "rotate": true}') $$, 'KT422', 'validation_failed',
  'a permanent code has no expiry'
);
select throws_ok(
  $$ do $do$ begin for i in 1 .. 100 loop perform api.create_code('{"role": "sender"}', '2026-03-10T08:00:00Z'); end loop; end $do$ $$,
  'KT507', 'quota_exceeded', 'the number of a user''s codes is limited'
);
select throws_ok($$ select * from kith.code_attempts $$, '42501', null, 'users cannot read the attempts');
select is((select count(*) from kith.unique_codes where user_id <> tests.id('alice')), 0::bigint, 'users cannot read other users'' codes');

select tests.as_user('acme', 'bob');
select is(
  api.preview_code('444444', :now)::jsonb, '{"role": "receiver", "counterpart": {"display_name": "Mallory"}}'::jsonb,
  'previewing a sender''s code shows that the redeemer becomes the receiver'
);
select is(
  api.preview_code('333333', :now)::jsonb, '{"role": "sender", "counterpart": {"display_name": "Carol"}}'::jsonb,
  'previewing a receiver''s code shows that the redeemer becomes the sender'
);
select is(api.preview_code('111111', :now)::jsonb, '{"problem": "expired_code"}'::jsonb, 'a rotated code answers expired_code');
select is(api.preview_code('000000', :now)::jsonb, '{"problem": "invalid_code"}'::jsonb, 'an unknown code answers invalid_code');
select is(api.preview_code('222222', :now)::jsonb, '{"problem": "self_connection"}'::jsonb, 'a user''s own code answers self_connection');
select is(
  api.preview_code((select body ->> 'code' from extra), '2026-03-17T07:59:59Z') ->> 'role', 'receiver', 'an extra code works until it expires'
);
select is(
  api.preview_code((select body ->> 'code' from extra), '2026-03-17T08:00:00Z')::jsonb, '{"problem": "expired_code"}'::jsonb,
  'an expired extra code answers expired_code'
);
select is(
  api.preview_code('111111', '2026-06-08T08:00:00Z')::jsonb, '{"problem": "expired_code"}'::jsonb,
  'a rotated code answers expired_code for 90 days'
);
select is(
  api.preview_code('111111', '2026-06-08T08:00:01Z')::jsonb, '{"problem": "invalid_code"}'::jsonb,
  'after 90 days a rotated code is unknown'
);
select tests.as_superuser();
update kith.users set display_name = null where id = tests.id('carol');
select tests.as_user('acme', 'bob');
select is(
  api.preview_code('333333', '2026-07-01T08:00:00Z') -> 'counterpart' ->> 'display_name', 'Receiver', 'a name is never null'
);

-- All million codes are taken, by codes that ended on 2025-12-10.
select tests.as_superuser();
savepoint full_house;
set local session_replication_role = replica; -- a million foreign key checks would take ten seconds
insert into kith.unique_codes (tenant_id, code, user_id, role, permanent, created_at, expires_at)
select tests.tenant('globex'), lpad(n::text, 6, '0'), tests.id('globex-alice'), 'sender', false, '2025-12-09T08:00:00Z', '2025-12-10T08:00:00Z'
from generate_series(0, 999999) as n
on conflict do nothing;
set local session_replication_role = origin;
select tests.as_user('globex', 'globex-bob');
select throws_ok(
  $$ select api.create_code('{"role": "receiver"}', '2026-03-10T08:00:00Z') $$, 'KT507', 'quota_exceeded',
  'creating a code fails with an error when every code is taken'
);
create temporary table taken_over as select api.create_code('{"role": "receiver"}', '2026-03-10T08:00:01Z') as body;
select tests.as_superuser();
select is(
  (select user_id from kith.unique_codes where tenant_id = tests.tenant('globex') and code = (select body ->> 'code' from taken_over)),
  tests.id('globex-bob'), 'a code that ended more than 90 days ago can be given to another user'
);
rollback to full_house;

-- Guessing. Bob's attempts are above; Carol has made none yet.
select tests.as_user('acme', 'carol');
select is(
  api.preview_code(lpad(n::text, 6, '0'), '2026-03-10T08:00:00Z'::timestamptz + make_interval(mins => n)) ->> 'problem', 'invalid_code',
  format('wrong code number %s answers invalid_code', n)
)
from generate_series(1, 9) as n;
select is(api.preview_code('444444', '2026-03-10T08:09:30Z') ->> 'role', 'receiver', 'after nine misses a correct code still works');
select is(api.preview_code('000010', '2026-03-10T08:10:00Z') ->> 'problem', 'invalid_code', 'the tenth miss answers invalid_code');
select is(
  api.preview_code('444444', '2026-03-10T08:11:00Z')::jsonb, '{"problem": "too_many_requests", "retry_after": 3060}'::jsonb,
  'after ten misses in an hour even a correct code is refused; the refused attempt counts, so the wait is until the second miss is an hour old'
);
savepoint told_to_wait;
select is(
  api.preview_code('444444', '2026-03-10T09:01:59Z') ->> 'problem', 'too_many_requests', 'a second before the end of the wait the code is refused'
);
rollback to told_to_wait;
select is(api.preview_code('444444', '2026-03-10T09:02:00Z') ->> 'role', 'receiver', 'when the wait is over, the code works');
rollback to told_to_wait;
select is(
  api.preview_code('444444', '2026-03-10T09:01:30Z') ->> 'problem', 'too_many_requests', 'the blocked attempt counts as a miss'
);
select is(
  api.preview_code('444444', '2026-03-10T10:30:00Z') ->> 'role', 'receiver', 'after an hour without a miss a correct code works again'
);
select tests.as_user('acme', 'alice');
do $$
begin
  for i in 1 .. 20 loop
    perform api.preview_code('444445', '2026-03-10T12:00:00Z');
  end loop;
end
$$;
select is(
  api.preview_code('444445', '2026-03-10T12:30:00Z')::jsonb, '{"problem": "too_many_requests", "retry_after": 1800}'::jsonb,
  'twenty attempts an hour are the limit, correct or not'
);
select is(
  api.preview_code('444445', '2026-03-10T13:00:00Z') ->> 'role', 'sender', 'after the wait that was told, a user of twenty attempts may go on'
);

-- Further attempts of a blocked user are refused without filling the table.
select tests.as_user('acme', 'carol');
do $$
begin
  for i in 1 .. 30 loop
    perform api.preview_code(lpad(i::text, 6, '0'), '2026-03-11T08:00:00Z'::timestamptz + i * interval '1 second');
  end loop;
end
$$;
select tests.as_superuser();
select is(
  (
    select array_agg(format('%s %s', attempts, outcome) order by outcome)
    from (
      select count(*) as attempts, outcome from kith.code_attempts
      where user_id = tests.id('carol') and attempted_at > '2026-03-11T07:00:00Z' group by outcome
    ) as counted
  ), array['10 blocked', '10 missed'], 'thirty attempts leave no more rows than count towards the limits'
);

-- The tenant's ceiling. Ten misses are Carol's; three of Bob's above are dated later.
update kith.users set created_at = '2026-03-10T08:30:01Z' where id = tests.id('mallory');
update kith.tenants set code_misses_per_hour = 14 where slug = 'acme';
select tests.as_user('acme', 'mallory');
select is(
  api.preview_code('222222', '2026-03-11T08:30:00Z') ->> 'role', 'sender', 'blocked attempts do not count towards the tenant''s ceiling, so a new account may continue'
);
select tests.as_superuser();
update kith.users set created_at = '2026-01-05T08:00:00Z' where id = tests.id('mallory');
update kith.tenants set code_misses_per_hour = 10 where slug = 'acme';
insert into kith.code_attempts (tenant_id, id, user_id, attempted_at, outcome)
select tests.tenant('acme'), gen_random_uuid(), tests.id('mallory'), '2026-03-20T08:00:00Z', 'missed' from generate_series(1, 10);
select tests.as_user('acme', 'bob');
select is(
  api.preview_code('444444', '2026-03-20T08:30:00Z') ->> 'role', 'receiver', 'over the tenant''s ceiling older accounts may continue'
);
select tests.as_superuser();
update kith.users set created_at = '2026-03-19T08:30:01Z' where id = tests.id('bob');
select tests.as_user('acme', 'bob');
select is(
  api.preview_code('444444', '2026-03-20T08:30:00Z') ->> 'problem', 'too_many_requests', 'over the tenant''s ceiling a new account is refused'
);
select tests.as_user('globex', 'globex-bob');
select is(
  api.preview_code('111111', '2026-03-20T08:30:00Z') ->> 'role', 'receiver', 'another tenant''s misses count separately'
);
select tests.as_superuser();
select is(
  (select count(*) from kith.code_attempts where tenant_id = tests.tenant('globex')), 1::bigint, 'every attempt is recorded in its tenant'
);
select worker.sweep_sign_in('2027-01-01T00:00:00Z', 1000) \g /dev/null
select is((select count(*) from kith.code_attempts), 0::bigint, 'attempts are kept for a day');

select * from finish();
rollback;
