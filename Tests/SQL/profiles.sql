-- Becoming a sender or a receiver, and a sender's times.
begin;
\ir people.sql
select plan(62);
\set now '''2026-03-10T08:00:00Z'''

-- The detail of a refusal.
create function tests.detail_of(p_statement text) returns jsonb
  language plpgsql
as $$
declare
  v_detail text;
begin
  execute p_statement;
  return null;
exception when others then
  get stacked diagnostics v_detail = pg_exception_detail;
  return v_detail;
end
$$;

select tests.as_user('acme', 'bob');
select throws_ok($$ select api.get_sender_profile() $$, 'KT404', 'not_found', 'a user who is not a sender has no sender profile');
select is(
  tests.detail_of($$ select api.put_sender_profile('{"grace_minutes": 60}', '2026-03-10T08:00:00Z') $$) #>> '{0,field}', 'ping_time',
  'a new sender says the time'
);
create temporary table made as
select api.put_sender_profile('{"ping_time": "21:30", "time_zone": "America/New_York"}', :now) as body;
select is(
  (select body::jsonb - 'code' from made),
  '{"ping_time": "21:30", "time_zone": "America/New_York", "has_own_time_zone": true, "grace_minutes": 90, "reminder_minutes": 15, "reminders": [{"before_minutes": 15}], "share_phone": false,
    "created_at": "2026-03-10T08:00:00.000000Z", "updated_at": "2026-03-10T08:00:00.000000Z"}'::jsonb,
  'a sender profile begins with the tenant''s minutes'
);
select matches((select body ->> 'code' from made), '^[0-9]{6}$', 'a permanent code comes with the profile');
select is(api.get_sender_profile()::text, (select body::text from made), 'reading the profile returns the same text');
select is(
  api.put_sender_profile('{"ping_time": "07:05", "time_zone": "America/New_York", "grace_minutes": 30}', '2026-03-10T08:05:00Z')::jsonb
    - 'code',
  '{"ping_time": "07:05", "time_zone": "America/New_York", "has_own_time_zone": true, "grace_minutes": 30, "reminder_minutes": 15, "reminders": [{"before_minutes": 15}], "share_phone": false,
    "created_at": "2026-03-10T08:00:00.000000Z", "updated_at": "2026-03-10T08:05:00.000000Z"}'::jsonb,
  'omitted minutes stay, and the profile keeps its creation time'
);
select is(
  api.get_sender_profile() ->> 'code', (select body ->> 'code' from made), 'the permanent code stays when the times change'
);
select is(
  api.put_sender_profile('{"ping_time": "07:05", "time_zone": "America/New_York", "grace_minutes": 10}', :now) ->> 'reminder_minutes',
  '5', 'a grace shorter than the default reminder shortens the reminder'
);

prepare put_sender_profile as select api.put_sender_profile($1, '2026-03-10T08:00:00Z');
select throws_ok(
  $$ execute put_sender_profile('{"ping_time": "09:00", "time_zone": "EST", "grace_minutes": 4}') $$, 'KT422', 'validation_failed',
  'a zone abbreviation is not a time zone'
);
select is(
  tests.detail_of($$ execute put_sender_profile('{"ping_time": "09:00", "time_zone": "EST", "grace_minutes": 4}') $$),
  '[{"field": "time_zone", "message": "must be an IANA time zone like Europe/Berlin; the nearest are America/Panama, America/Bogota, America/Cancun"},
    {"field": "grace_minutes", "message": "must be from 5 to 719"}]'::jsonb,
  'each invalid field is named'
);
select is(
  tests.detail_of(format(
    $$ execute put_sender_profile('{"ping_time": "09:00", "time_zone": "UTC", "grace_minutes": %s, "reminder_minutes": %s}') $$,
    grace, reminder
  )) -> 0 ->> 'field',
  refused,
  format('grace %s with reminder %s %s', grace, reminder, coalesce('is refused for ' || refused, 'is taken'))
)
from (values
  (4, 1, 'grace_minutes'), (5, 1, null), (5, 4, null), (5, 5, 'reminder_minutes'), (719, 718, null), (720, 15, 'grace_minutes'),
  (90, 0, 'reminder_minutes')
) as minutes (grace, reminder, refused);

select tests.as_superuser();
select is(
  (
    select starts_at from kith.ping_runs
    where tenant_id = tests.tenant('acme') and time_zone = 'America/New_York' and ping_on = '2026-03-10'
  )::timestamptz,
  '2026-03-10T04:00:00Z'::timestamptz,
  'a zone that a tenant uses for the first time gets a run for its local date'
);

-- Alice is connected with Bob: today's ping moves with her times.
select tests.as_user('acme', 'alice');
select api.put_sender_profile('{"ping_time": "10:00", "time_zone": "UTC"}', :now) \g /dev/null
select is(
  api.get_connection(tests.id('alice-bob'), :now) -> 'today_ping' ->> 'scheduled_at', '2026-03-10T10:00:00.000000Z',
  'a new ping time applies from today while the deadline is ahead'
);
select tests.as_superuser();
select is(
  (select timed_at from kith.sender_profiles where user_id = tests.id('alice'))::timestamptz, :now::timestamptz,
  'the time of the change is stored'
);
select tests.as_user('acme', 'alice');
select api.put_sender_profile('{"ping_time": "10:00", "time_zone": "UTC"}', '2026-03-10T08:30:00Z') \g /dev/null
select tests.as_superuser();
select is(
  (select timed_at from kith.sender_profiles where user_id = tests.id('alice'))::timestamptz, :now::timestamptz,
  'setting the same times again does not count as a change'
);

select tests.as_user('acme', 'alice');
select throws_ok($$ select api.get_receiver_profile('2026-03-10T08:00:00Z') $$, 'KT404', 'not_found', 'a user who is not a receiver has no receiver profile');
create temporary table receiver as select api.put_receiver_profile('{}', :now) as body;
select is(
  (select body::jsonb - 'code' from receiver),
  '{"subscription_status": "trial", "subscription_expires_at": null, "pings_stop_at": null, "created_at": "2026-03-10T08:00:00.000000Z",
    "updated_at": "2026-03-10T08:00:00.000000Z"}'::jsonb,
  'a receiver begins on trial'
);
select matches((select body ->> 'code' from receiver), '^[0-9]{6}$', 'a permanent code comes with the receiver profile');
select is(
  api.put_receiver_profile('{}', '2026-03-10T09:00:00Z')::text, (select body::text from receiver), 'becoming a receiver twice changes nothing'
);
select throws_ok(
  $$ update kith.receiver_profiles set subscription_status = 'active' $$, '42501', null, 'a user cannot change their subscription directly'
);
select throws_ok(
  format(
    $$ insert into kith.receiver_profiles (tenant_id, user_id, created_at, updated_at) values (%s, %L, now(), now()) $$,
    tests.tenant('acme'), tests.id('bob')
  ),
  '42501', null, 'a user cannot make another user a receiver'
);

select tests.as_superuser();
update kith.receiver_profiles set subscription_status = 'canceled', subscription_expires_at = '2026-04-01T00:00:00Z'
where user_id = tests.id('bob');
select tests.as_user('acme', 'bob');
select is(
  api.get_receiver_profile('2026-03-31T23:59:59Z') ->> 'subscription_status', 'canceled', 'a cancelled subscription is shown as such until it ends'
);
select is(
  api.get_receiver_profile('2026-04-01T00:00:00Z') ->> 'subscription_status', 'expired', 'a subscription past its end is shown as expired'
);
select tests.as_superuser();
create function tests.good_until(p_status text, p_expires_at timestamptz) returns timestamptz
  language sql
as $$
  update kith.receiver_profiles
  set subscription_status = p_status, subscription_expires_at = p_expires_at, updated_at = '2026-03-10T08:00:00Z'
  where tenant_id = tests.tenant('acme') and user_id = tests.id('bob')
  returning good_until
$$;
select is(
  tests.good_until(status, ends), good_until,
  format('%s %s is good until %s', status, coalesce('that ends ' || ends, 'without end'), coalesce(good_until::text, 'for ever'))
)
from (values
  ('trial', null::timestamptz, null::timestamptz), ('active', '2026-04-01T00:00:00Z', '2026-04-01T00:00:00Z'), ('past_due', null, null),
  ('canceled', '2026-04-01T00:00:00Z', '2026-04-01T00:00:00Z'), ('canceled', null, '2026-03-10T08:00:00Z'),
  ('expired', null, '2026-03-10T08:00:00Z'), ('expired', '2026-04-01T00:00:00Z', '2026-03-10T08:00:00Z'),
  ('expired', '2026-03-01T00:00:00Z', '2026-03-01T00:00:00Z')
) as standings (status, ends, good_until);

-- The tenant's default minutes apply to new profiles.
update kith.tenants set grace_minutes = 45, reminder_minutes = 10 where slug = 'acme';
select tests.as_user('acme', 'mallory');
select is(
  (api.put_sender_profile('{"ping_time": "10:00", "time_zone": "UTC"}', :now)::jsonb - '{code,created_at,updated_at,has_own_time_zone,share_phone}'::text[]),
  '{"ping_time": "10:00", "time_zone": "UTC", "grace_minutes": 90, "reminder_minutes": 15, "reminders": [{"before_minutes": 15}]}'::jsonb,
  'a changed default does not affect existing profiles, even when they change their time'
);
select tests.as_user('acme', 'carol');
select is(
  api.put_sender_profile('{"ping_time": "10:00", "time_zone": "UTC"}', :now) ->> 'grace_minutes', '45', 'a new profile gets the changed default'
);
select is(
  (api.put_sender_profile('{"ping_time": "10:00", "time_zone": "UTC", "grace_minutes": 30, "reminder_minutes": 20}', :now)::jsonb
    - '{code,created_at,updated_at,has_own_time_zone,share_phone}'::text[]),
  '{"ping_time": "10:00", "time_zone": "UTC", "grace_minutes": 30, "reminder_minutes": 20, "reminders": [{"before_minutes": 20}]}'::jsonb, 'a new profile may choose other minutes'
);
select tests.as_superuser();
update kith.tenants set grace_minutes = 120, reminder_minutes = 60 where slug = 'acme';
select tests.as_user('acme', 'carol');
select is(
  (api.put_sender_profile('{"ping_time": "11:00", "time_zone": "UTC"}', :now)::jsonb - '{code,created_at,updated_at,has_own_time_zone,share_phone}'::text[]),
  '{"ping_time": "11:00", "time_zone": "UTC", "grace_minutes": 30, "reminder_minutes": 20, "reminders": [{"before_minutes": 20}]}'::jsonb, 'chosen minutes stay'
);
select is(
  (
    select concat_ws(' ', body ->> 'grace_minutes', body ->> 'reminder_minutes')
    from api.put_sender_profile('{"ping_time": "11:00", "grace_minutes": null, "reminder_minutes": null}', :now) as body
  ),
  '120 60', 'null restores the tenant''s minutes'
);

-- One place for a person's zone: the account's, which the pings follow unless theirs is set apart.
select tests.as_superuser();
create function tests.zone() returns text
  language sql
as $$
  select concat_ws(' ', body ->> 'time_zone', body ->> 'has_own_time_zone') from api.get_sender_profile() as body
$$;
select tests.as_user('acme', 'alice');
select api.put_sender_profile('{"ping_time": "09:00"}', :now) \g /dev/null
select is(tests.zone(), 'UTC false', 'a zone that the body omits stays');
select is(api.update_me('{"time_zone": "US/Pacific"}', '{}', :now) ->> 'time_zone', 'America/Los_Angeles', 'an older name of a zone is kept as the zone that it means');
select is(tests.zone(), 'America/Los_Angeles false', 'the zone of the pings follows the account''s');
select tests.as_superuser();
select is(
  (select string_agg(concat_ws(' ', ping_on, scheduled_at at time zone 'UTC', status), ', ' order by ping_on) from kith.pings where sender_id = tests.id('alice')),
  '2026-03-10 2026-03-10 16:00:00 scheduled', 'today''s ping moves with it'
);
select ok(
  exists (select from kith.ping_runs where tenant_id = tests.tenant('acme') and time_zone = 'America/Los_Angeles' and ping_on = '2026-03-10'),
  'the new zone has a run'
);
select tests.as_user('acme', 'alice');
select api.put_sender_profile('{"ping_time": "09:00", "time_zone": "Asia/Calcutta"}', :now) \g /dev/null
select is(tests.zone(), 'Asia/Kolkata true', 'another zone sets the pings apart');
select api.update_me('{"time_zone": "Europe/Berlin"}', '{}', :now), api.put_sender_profile('{"ping_time": "09:30"}', :now) \g /dev/null
select is(tests.zone(), 'Asia/Kolkata true', 'a zone that is set apart follows nothing');
select api.put_sender_profile('{"ping_time": "09:30", "time_zone": null}', :now) \g /dev/null
select is(tests.zone(), 'Europe/Berlin false', 'null ties it to the account''s zone again');
select tests.as_server('acme');
select api.update_user(tests.id('alice'), '{"time_zone": "Asia/Tokyo"}', :now) \g /dev/null
select tests.as_user('acme', 'alice');
select is(tests.zone(), 'Asia/Tokyo false', 'it follows a change by the tenant''s server');
select api.update_me('{"time_zone": null}', '{}', :now) \g /dev/null
select is(tests.zone(), 'UTC false', 'it follows the default');
select tests.as_user('globex', 'globex-alice');
select is(tests.zone(), 'UTC false', 'another tenant''s Alice keeps her zone');
select tests.as_superuser();
delete from kith.sender_profiles where user_id = tests.id('carol');
update kith.users set time_zone = 'Asia/Tokyo' where id = tests.id('carol');
select tests.as_user('acme', 'carol');
select is(api.put_sender_profile('{"ping_time": "09:00"}', :now) ->> 'time_zone', 'Asia/Tokyo', 'a new profile has the account''s zone');
select is(api.put_sender_profile('{"ping_time": "09:00"}', :now) ->> 'share_phone', 'false', 'at first nobody sees the sender''s phone number');
select is(api.put_sender_profile('{"ping_time": "09:00", "share_phone": true}', :now) ->> 'share_phone', 'true', 'a sender lets receivers call');
select is(api.put_sender_profile('{"ping_time": "09:00"}', :now) ->> 'share_phone', 'true', 'that stays if the body omits it');

-- What is changed elsewhere meanwhile stays, and a refusal changes nothing.
select is(api.put_sender_profile('{"grace_minutes": 60}', :now) ->> 'ping_time', '09:00', 'the time stays if the body omits it');
select is(
  tests.detail_of($$ select api.put_sender_profile('{"time_zone": null, "account_time_zone": "Europe/Vienna", "grace_minutes": 15, "reminder_minutes": 60}', '2026-03-10T08:00:00Z') $$)
    #>> '{0,field}', 'reminder_minutes', 'a reminder that does not fit into the grace is refused'
);
select is(api.get_me() ->> 'time_zone', 'Asia/Tokyo', 'and then the account''s zone stays too');
select is(
  api.put_sender_profile('{"time_zone": null, "account_time_zone": "Europe/Vienna"}', :now) ->> 'time_zone', 'Europe/Vienna', 'otherwise both move at once'
);
select is(api.get_me() ->> 'time_zone', 'Europe/Vienna', 'the account''s too');

select * from finish();
rollback;
