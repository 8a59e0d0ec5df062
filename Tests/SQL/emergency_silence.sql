-- An owner's silence: which days count, when it begins a wait, and what ends it (E03, E07).
begin;
\ir people.sql
select plan(100);

-- Alice gives Bob, her receiver, and Carol, who is none, the right to her papers. Mallory has no part in it.
select tests.as_user('acme', 'alice') \g /dev/null
select api.create_vault('{"name": "Papers"}', '2026-03-01T08:00Z') ->> 'id' as vault \gset
select tests.as_superuser() \g /dev/null
create table tests.nominee (person text, id uuid);
insert into tests.nominee values ('bob', '0e000000-0000-7000-8000-000000000001'), ('carol', '0e000000-0000-7000-8000-000000000002');
grant select on tests.nominee to public;
insert into kith.nominees (tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, updated_at)
select tests.tenant('acme'), nominee.id, :'vault', tests.id('alice'), tests.id(person), initcap(person), 'accepted', 'view', '2026-03-01T08:00Z',
  tests.id('alice'), '2026-03-01T08:00Z', '2026-03-01T08:00Z'
from tests.nominee;

create function tests.nominee(p_person text) returns uuid language sql as $$ select id from tests.nominee where person = p_person $$;
create function tests.give(p_person text, p_settings jsonb) returns void
  language plpgsql
as $$
begin
  insert into kith.emergency_settings (tenant_id, nominee_id, vault_id, owner_id, wait_hours, access_level, grant_hours, on_request, after_missed_days,
    reject_on_check_in, sign_of_life, visible, created_at, updated_at)
  select nominee.tenant_id, nominee.id, nominee.vault_id, nominee.owner_id, 240, 'view', 72, true, 3, true, 'check_in', false,
    '2026-03-01T08:00Z', '2026-03-01T08:00Z'
  from kith.nominees as nominee where nominee.id = tests.nominee(p_person)
  on conflict do nothing;
  update kith.emergency_settings set
    after_missed_days = coalesce((p_settings ->> 'after_missed_days')::integer, after_missed_days),
    sign_of_life = coalesce(p_settings ->> 'sign_of_life', sign_of_life), visible = coalesce((p_settings ->> 'visible')::boolean, visible),
    visible_since = case when (p_settings ->> 'visible')::boolean then '2026-03-01T08:00Z'::timestamptz end,
    reject_on_check_in = coalesce((p_settings ->> 'reject_on_check_in')::boolean, reject_on_check_in)
  where nominee_id = tests.nominee(p_person);
  insert into kith.signs_of_life (tenant_id, user_id) values (tests.tenant('acme'), tests.id('alice')) on conflict do nothing;
end
$$;
-- A ping of Alice's, at 09:00 with 90 minutes of grace.
create function tests.ping(p_on date, p_status text, p_connection uuid default tests.id('alice-bob')) returns void
  language sql
as $$
  insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, completed_at, asked_at)
  values (tests.tenant('acme'), p_on, p_connection, internal.uuid7(p_on), tests.id('alice'), tests.id('bob'), p_status, p_on + interval '9 hours',
    p_on + interval '10 hours 30 minutes', case when p_status like 'completed%' then p_on + interval '9 hours' end,
    p_on + interval '9 hours')
$$;
create function tests.missed(p_now timestamptz, p_sign text default 'check_in') returns integer
  language sql
as $$
  select days::integer
  from internal.since_sign_of_life(internal.last_sign_of_life(tests.tenant('acme'), tests.id('alice'), p_sign), p_now) as since
  cross join lateral internal.missed_row(tests.tenant('acme'), tests.id('alice'), since, p_now)
$$;
create function tests.loop(p_name text, p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_done integer;
begin
  perform tests.as_role('kith_worker');
  execute format('select worker.%I($1, 100)', p_name) into v_done using p_now;
  perform tests.as_superuser();
  return v_done;
end
$$;
-- What the worker does at 10:30:10, when the ping of the day is missed.
create function tests.miss(p_on date) returns void
  language plpgsql
as $$
begin
  perform tests.ping(p_on, 'due');
  perform tests.loop('miss_pings', p_on + interval '10 hours 30 minutes 10 seconds');
  perform tests.loop('begin_emergency_waits', p_on + interval '10 hours 30 minutes 10 seconds');
end
$$;
create function tests.check_in(p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.as_user('acme', 'alice');
  perform api.check_in(null, false, null, 'app', p_now);
  perform tests.as_superuser();
end
$$;
create function tests.requests() returns text[]
  language sql
as $$
  select array_agg(format('%s %s %s %s', nominee.person, request.cause, request.missed_days, coalesce(request.end_reason, 'open')) order by request.requested_at, nominee.person)
  from kith.emergency_requests as request join tests.nominee on nominee.id = request.nominee_id
$$;
create function tests.told(p_person text, p_type text default 'emergency%') returns text[]
  language sql
as $$
  select array_agg(body order by id) from tests.notifications where user_id = tests.id(p_person) and type like p_type
$$;
create function tests.begin_anew() returns void
  language plpgsql
as $$
begin
  delete from kith.emergency_requests;
  delete from kith.emergency_settings;
  delete from kith.pings;
  delete from kith.notifications;
  delete from kith.outages;
  delete from kith.suspensions;
  update kith.signs_of_life set seen_at = null, answered_at = null, recount_at = null;
  update kith.sender_profiles set last_check_in_at = null, emergency_since = null;
end
$$;

-- The days.
select is(tests.missed('2026-03-20T12:00Z'), 0, 'without a ping there is no missed day');
select tests.ping('2026-03-10', 'missed'), tests.ping('2026-03-11', 'missed') \g /dev/null
select is(tests.missed('2026-03-11T12:00Z'), 2, 'two missed days in a row are two');
select is(tests.missed('2026-03-11T10:29Z'), 1, 'a deadline that is still ahead does not count');
select tests.ping('2026-03-13', 'missed') \g /dev/null
select is(tests.missed('2026-03-13T12:00Z'), 3, 'a day without a ping, as on a break, neither counts nor breaks the row');
select tests.ping('2026-03-14', 'cancelled'), tests.ping('2026-03-15', 'missed') \g /dev/null
select is(tests.missed('2026-03-15T12:00Z'), 4, 'a cancelled ping neither counts nor breaks the row');
select tests.ping('2026-03-15', 'missed', '0c000000-0000-7000-8000-0000000000f1') \g /dev/null
select is(tests.missed('2026-03-15T12:00Z'), 4, 'a day counts once, however many pings were missed on it');
select tests.ping('2026-03-15', 'cancelled', '0c000000-0000-7000-8000-0000000000f2') \g /dev/null
select is(tests.missed('2026-03-15T12:00Z'), 4, 'a cancelled ping beside a missed one changes nothing');
select tests.ping('2026-03-16', 'missed'), tests.ping('2026-03-16', 'due', '0c000000-0000-7000-8000-0000000000f1') \g /dev/null
select is(tests.missed('2026-03-16T12:00Z'), 4, 'a day with an open ping is undecided');
update kith.pings set status = 'completed', completed_at = '2026-03-16T09:30Z' where ping_on = '2026-03-16' and status = 'due';
select is(tests.missed('2026-03-16T12:00Z'), 0, 'a day with a completed ping does not count, and breaks the row');
select tests.ping('2026-03-17', 'missed') \g /dev/null
select is(tests.missed('2026-03-17T12:00Z'), 1, 'after it, the row begins anew');
delete from kith.pings where ping_on >= '2026-03-16';

-- Kith's own failures.
insert into kith.outages (component, began_at, ended_at) values ('server', '2026-03-13T10:00Z', '2026-03-13T10:02Z');
select is(tests.missed('2026-03-15T12:00Z'), 3, 'a day in which Kith was unreachable between a ping and its deadline does not count, nor break the row');
update kith.outages set component = 'worker';
select is(tests.missed('2026-03-15T12:00Z'), 4, 'an outage of the worker keeps nobody from checking in');
update kith.outages set component = 'server', began_at = '2026-03-13T10:30Z', ended_at = '2026-03-14T09:00Z';
select is(tests.missed('2026-03-15T12:00Z'), 4, 'an outage outside the time between a ping and its deadline does not matter');
update kith.outages set began_at = '2026-03-12T00:00Z', ended_at = null;
select is(tests.missed('2026-03-15T12:00Z'), 2, 'an outage that lasts counts until now');
delete from kith.outages;
insert into kith.outages (component, began_at, ended_at) values ('server', '2026-03-13T08:00Z', '2026-03-13T09:10Z');
select tests.give('bob', '{}') \g /dev/null
update kith.signs_of_life set answered_at = '2026-03-13T09:20Z';
select is(tests.missed('2026-03-15T12:00Z'), 1, 'nor does such a day if the owner has answered between the outage and the deadline');
update kith.signs_of_life set answered_at = null;
delete from kith.outages;
insert into kith.suspensions values (tests.tenant('acme'), '2026-03-11T00:00Z', '2026-03-12T00:00Z');
select is(tests.missed('2026-03-15T12:00Z'), 3, 'a day on which the tenant was suspended does not count');
delete from kith.suspensions;
update kith.tenants set suspended_at = '2026-03-13T00:00Z' where slug = 'acme';
select is(tests.missed('2026-03-15T12:00Z'), 2, 'nor do the days of a suspension that lasts');
update kith.tenants set suspended_at = null;

-- Signs of life.
update kith.sender_profiles set last_check_in_at = '2026-03-11T10:30Z' where user_id = tests.id('alice');
select is(tests.missed('2026-03-15T12:00Z'), 2, 'only deadlines after the last check-in count');
update kith.signs_of_life set answered_at = '2026-03-13T12:00Z'; select tests.give('bob', '{}') \g /dev/null
update kith.signs_of_life set answered_at = '2026-03-13T12:00Z', seen_at = '2026-03-15T11:00Z';
select is(tests.missed('2026-03-15T12:00Z'), 1, 'an answer to a request is a sign of life');
select is(tests.missed('2026-03-15T12:00Z', 'any_use'), 0, 'any use is one where the right says so');
select tests.begin_anew() \g /dev/null
-- Each day in a zone of its own: 10 to 14 March, from Honolulu to Kiritimati.
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, asked_at)
select tests.tenant('acme'), day, tests.id('alice-bob'), gen_random_uuid(), tests.id('alice'), tests.id('bob'), 'missed',
  (day + time '09:00') at time zone zone, (day + time '10:30') at time zone zone, (day + time '09:00') at time zone zone
from (values ('2026-03-10'::date, 'Pacific/Honolulu'), ('2026-03-11', 'UTC'), ('2026-03-12', 'Pacific/Kiritimati'), ('2026-03-13', 'America/New_York')) as moved (day, zone);
select is(tests.missed('2026-03-14T00:00Z'), 4, 'a journey through time zones neither counts a day twice nor loses one');
select tests.begin_anew() \g /dev/null
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, asked_at)
select tests.tenant('acme'), day::date, tests.id('alice-bob'), gen_random_uuid(), tests.id('alice'), tests.id('bob'), 'missed', day + interval '9 hours',
  day + interval '10 hours 30 minutes', day + interval '9 hours'
from generate_series('2026-03-02T00:00Z'::timestamptz, '2026-05-20T00:00Z', '1 day') as day;
select is(tests.missed('2026-05-21T00:00Z'), 40, 'more than 40 days are not counted');
select tests.begin_anew() \g /dev/null

-- The beginning of a wait.
select tests.give('bob', '{}') \g /dev/null
select tests.miss('2026-03-10'), tests.miss('2026-03-11') \g /dev/null
select is(tests.requests(), null, 'two missed days of three begin nothing');
select is((select recount_at from kith.signs_of_life), null, 'the owner has been counted');
select tests.miss('2026-03-12') \g /dev/null
select is(tests.requests(), array['bob silence 3 open'], 'the third begins the wait');
select is(
  (select (waits_from, grants_at, ends_at, required, reject_on_check_in)::text from kith.emergency_requests),
  '("2026-03-12 10:30:10+00","2026-03-22 10:30:10+00","2026-03-25 10:30:10+00",1,t)', 'it has the terms of the right'
);
select is(tests.told('alice'), array['You have not checked in for 3 days. Bob gets into Papers on 22 March 2026, 10:30 unless you check in.'], 'the owner is told at once');
select is(tests.told('bob'), null, 'a nominee who does not see their right is told nothing');
select is(tests.told('bob', 'ping_missed'), array['Alice has not checked in today.', 'Alice has not checked in today.', 'Alice has not checked in today.'],
  'as a receiver, the nominee learns of the misses as ever');
select is((select emergency_since from kith.sender_profiles where user_id = tests.id('alice')), '2026-03-12T10:30:10Z', 'check-ins look for requests from now on');
select tests.miss('2026-03-13') \g /dev/null
select is(tests.requests(), array['bob silence 3 open'], 'a further missed day begins no second wait');
select is(tests.told('alice'), array['You have not checked in for 3 days. Bob gets into Papers on 22 March 2026, 10:30 unless you check in.'], 'and tells nothing');

-- What ends it.
select tests.check_in('2026-03-14T08:00Z') \g /dev/null
select is(tests.requests(), array['bob silence 3 owner_returned'], 'a check-in ends the wait');
select is((select ended_at from kith.emergency_requests), '2026-03-14T08:00Z', 'at that instant');
select is((select emergency_since from kith.sender_profiles where user_id = tests.id('alice')), null, 'further check-ins no longer look');
select is(tests.told('bob'), null, 'a nominee who never knew of the wait does not hear of its end');
select is(tests.told('bob', 'ping_all_clear'), array['Alice checked in late. They''re safe.'], 'receivers get their all-clear as ever');
select tests.miss('2026-03-15'), tests.miss('2026-03-16') \g /dev/null
select is(tests.requests(), array['bob silence 3 owner_returned'], 'after a check-in the days are counted anew');
select tests.miss('2026-03-17') \g /dev/null
select is(tests.requests(), array['bob silence 3 owner_returned', 'bob silence 3 open'], 'a new silence begins a new wait');
update kith.emergency_requests set ended_at = '2026-03-17T12:00Z', end_reason = 'withdrawn' where ended_at is null;
update kith.signs_of_life set recount_at = '2026-03-17T13:00Z';
select is(tests.loop('begin_emergency_waits', '2026-03-17T13:00Z'), 1, 'the owner is counted again');
select is(cardinality(tests.requests()), 2, 'after an end, the same days begin nothing');
select tests.miss('2026-03-18') \g /dev/null
select is((tests.requests())[3], 'bob silence 4 open', 'but one more missed day does');

-- A check-in of which the database learns after the judgement counts at the time at which the server received it (X34).
select tests.begin_anew() \g /dev/null
select tests.give('bob', '{"reject_on_check_in": false}') \g /dev/null
select tests.miss('2026-03-10'), tests.miss('2026-03-11'), tests.miss('2026-03-12') \g /dev/null
savepoint judged;
select tests.check_in('2026-03-12T10:29:59Z') \g /dev/null
select is(tests.requests(), array['bob silence 3 owner_returned'], 'a check-in received before the last deadline ends the wait that was begun meanwhile, whatever the terms');
select is(tests.told('bob', 'ping_all_clear'), array['Alice checked in at 10:29; it arrived later.'], 'whoever has read of the miss reads when the check-in was');
rollback to judged;
select tests.check_in('2026-03-12T10:30:09Z') \g /dev/null
select is(tests.requests(), array['bob silence 3 owner_returned'], 'so does a late one, received before the wait began');
select is(tests.told('bob', 'ping_all_clear'), array['Alice checked in late. They''re safe.'], 'which is told as late');
rollback to judged;
select tests.check_in('2026-03-12T10:30:10Z') \g /dev/null
select is(tests.requests(), array['bob silence 3 open'], 'one received after that leaves the wait to its terms');
rollback to judged;

-- The owner is promised only what stops the wait, whatever they check in with (J05).
select tests.begin_anew() \g /dev/null
select tests.give('bob', '{}') \g /dev/null
savepoint promised;
select tests.miss('2026-03-10'), tests.miss('2026-03-11'), tests.miss('2026-03-12') \g /dev/null
select is(
  tests.told('alice'), array['You have not checked in for 3 days. Bob gets into Papers on 22 March 2026, 10:30 unless you check in.'],
  'whoever checks in by nothing else than what counts can rely on a check-in'
);
rollback to promised;
insert into kith.signs (tenant_id, id, user_id, name, kind, allow_get, token_hash, created_at)
values (tests.tenant('acme'), '0f000000-0000-7000-8000-000000000001', tests.id('alice'), 'Button', 'check_in', false, sha256('a'), '2026-03-01T08:00Z');
select tests.as_user('acme', 'alice') \g /dev/null
select is(
  (select min(step ->> 'text') filter (where step ->> 'text' like '%3 days%') from json_array_elements(api.rehearse_emergency(null, null, null, '2026-03-09T12:00Z') -> 'steps') as step where step ->> 'kind' = 'wait_begins'),
  'You have not checked in for 3 days. Bob gets into Papers on 22 March 2026, 10:30 unless you say no.', 'the rehearsal says so too to whoever has a button'
);
select tests.as_superuser() \g /dev/null
select tests.miss('2026-03-10'), tests.miss('2026-03-11'), tests.miss('2026-03-12') \g /dev/null
select is(
  tests.told('alice'), array['You have not checked in for 3 days. Bob gets into Papers on 22 March 2026, 10:30 unless you say no.'],
  'whoever has a button that does not count cannot'
);
rollback to promised;
update kith.emergency_settings set sources = '{sms}';
select tests.miss('2026-03-10'), tests.miss('2026-03-11'), tests.miss('2026-03-12') \g /dev/null
select is(
  tests.told('alice'), array['You have not checked in for 3 days. Bob gets into Papers on 22 March 2026, 10:30 unless you say no.'],
  'nor can whoever must answer by text message'
);
select tests.check_in('2026-03-12T10:31Z') \g /dev/null
select is(
  tests.told('alice', 'emergency_reminder'), array['Bob gets into Papers in 10 days. Say no to stop it.'],
  'and one who checks in by the app a minute later is told that it goes on'
);
select tests.as_user('acme', 'alice') \g /dev/null
select is(
  (select count(*) from json_array_elements(api.rehearse_emergency('2026-03-13T09:00Z', null, null, '2026-03-12T12:00Z') -> 'steps') as step where step ->> 'kind' = 'grant'),
  2::bigint, 'the rehearsal of a later silence keeps the wait that a check-in does not end'
);
select tests.as_superuser() \g /dev/null
rollback to promised;
update kith.emergency_settings set sources = '{app,web,link,sms,voice,sign}';
insert into kith.signs (tenant_id, id, user_id, name, kind, allow_get, token_hash, created_at)
values (tests.tenant('acme'), '0f000000-0000-7000-8000-000000000001', tests.id('alice'), 'Button', 'check_in', false, sha256('a'), '2026-03-01T08:00Z');
select tests.miss('2026-03-10'), tests.miss('2026-03-11'), tests.miss('2026-03-12') \g /dev/null
select is(
  tests.told('alice'), array['You have not checked in for 3 days. Bob gets into Papers on 22 March 2026, 10:30 unless you check in.'],
  'whoever lets the button count can rely on it'
);
rollback to promised;

-- A tap that arrives later is a sign of life of its moment (J07).
create function tests.tap(p_tapped_at text, p_now timestamptz) returns text[]
  language plpgsql
as $$
begin
  perform tests.as_user('acme', 'alice');
  perform api.check_in(null, false, p_tapped_at, 'app', p_now);
  perform tests.as_superuser();
  return tests.requests();
end
$$;
savepoint untapped;
select tests.begin_anew() \g /dev/null
select tests.give('bob', '{}') \g /dev/null
select tests.miss('2026-03-10'), tests.miss('2026-03-11'), tests.miss('2026-03-12') \g /dev/null
savepoint silent;
select is(tests.tap('2026-03-09T20:00Z', '2026-03-12T12:00Z'), array['bob silence 3 open'], 'a tap from before the silence ends nothing');
select is((select emergency_since from kith.sender_profiles where user_id = tests.id('alice')), '2026-03-12T10:30:10Z', 'and later check-ins still look');
select is(tests.tap('2026-03-12T11:00Z', '2026-03-12T12:00Z'), array['bob silence 3 owner_returned'], 'one from after the wait began ends it');
rollback to silent;
select is(tests.tap('2026-03-11T09:30Z', '2026-03-12T12:00Z'), array['bob silence 3 owner_returned'], 'so does one that takes away a day that was counted');
rollback to silent;
update kith.emergency_requests set reject_on_check_in = false;
select is(tests.tap('2026-03-11T09:30Z', '2026-03-12T12:00Z'), array['bob silence 3 owner_returned'], 'whatever the terms: there was no such silence');
rollback to silent;
update kith.emergency_requests set reject_on_check_in = false;
select is(tests.tap('2026-03-12T11:00Z', '2026-03-12T12:00Z'), array['bob silence 3 open'], 'where a check-in rejects nothing, neither does a tap from after it');
select is(cardinality(tests.told('alice')), 2, 'but the owner is reminded of the wait');
rollback to silent;
select tests.begin_anew() \g /dev/null
select tests.give('bob', '{}') \g /dev/null
select tests.as_user('acme', 'bob') \g /dev/null
select api.request_emergency_access((select vault_id from kith.nominees where id = tests.nominee('bob')), null, '2026-03-12T10:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.tap('2026-03-12T09:00Z', '2026-03-12T11:00Z'), array['bob request  open'], 'a tap from before a nominee asked does not reject them');
select is(tests.tap('2026-03-12T10:10Z', '2026-03-12T11:30Z'), array['bob request  owner_returned'], 'one from after it does');
select is(tests.told('bob'), array['Your emergency access to Papers has ended.'], 'an hour later, nobody says that the owner is safe');
rollback to silent;
-- The days that were missed since the tap are a silence of their own, which begins as soon as the tap has ended the old one.
select tests.begin_anew() \g /dev/null
select tests.give('bob', '{"after_missed_days": 2, "visible": true}') \g /dev/null
select tests.miss('2026-03-09'), tests.miss('2026-03-10'), tests.miss('2026-03-11') \g /dev/null
select is(tests.requests(), array['bob silence 2 open'], 'two missed days have begun a wait');
delete from kith.notifications;
savepoint before_tap;
select is(tests.tap('2026-03-09T09:10Z', '2026-03-11T10:31Z'), array['bob silence 2 owner_returned'], 'a tap of the first day ends it');
select is(tests.told('bob'), array['Your emergency access to Papers has ended.'], 'the owner may be missing: nobody says that they are safe');
select tests.as_user('acme', 'alice') \g /dev/null
select is(
  (select min(step ->> 'at') from json_array_elements(api.rehearse_emergency(null, null, null, '2026-03-11T10:31Z') -> 'steps') as step where step ->> 'kind' = 'wait_begins'),
  '2026-03-11T10:31:00.000000Z', 'the rehearsal says that the next wait begins at once'
);
select tests.as_superuser() \g /dev/null
select is(tests.loop('begin_emergency_waits', '2026-03-11T10:31Z'), 1, 'the worker counts again');
select is(tests.requests(), array['bob silence 2 owner_returned', 'bob silence 2 open'], 'the two days since the tap begin a wait');
rollback to before_tap;
select is(tests.tap('2026-03-10T09:10Z', '2026-03-11T10:31Z'), array['bob silence 2 owner_returned'], 'a tap of the second day leaves one missed day');
select tests.loop('begin_emergency_waits', '2026-03-11T10:31Z') \g /dev/null
select is(tests.requests(), array['bob silence 2 owner_returned'], 'which begins nothing');
select tests.miss('2026-03-12') \g /dev/null
select is(tests.requests(), array['bob silence 2 owner_returned', 'bob silence 2 open'], 'the next one does');
rollback to before_tap;
select tests.check_in('2026-03-11T10:31Z') \g /dev/null
select is(tests.told('bob', 'emergency_rejected'), array['Alice is safe. Your emergency access to Papers has ended.'], 'a check-in of this moment says that the owner is safe');
select tests.loop('begin_emergency_waits', '2026-03-11T10:31Z') \g /dev/null
select is(tests.requests(), array['bob silence 2 owner_returned'], 'and begins nothing');
rollback to before_tap;
-- A right that now asks for check-ins does not begin again what another use of the app has just ended.
update kith.emergency_requests set sign_of_life = 'any_use';
select tests.as_role('kith_api') \g /dev/null
select api.note_use(tests.tenant('acme'), tests.id('alice'), '2026-03-11T10:31Z') \g /dev/null
select tests.as_superuser() \g /dev/null
update kith.signs_of_life set recount_at = '2026-03-11T10:31Z';
select tests.loop('begin_emergency_waits', '2026-03-11T10:31Z') \g /dev/null
select is(tests.requests(), array['bob silence 2 owner_returned'], 'a use that the right does not count needs another missed day');
rollback to untapped;

-- A grant that has run out, which no worker has recorded.
select tests.begin_anew() \g /dev/null
select tests.give('carol', '{}') \g /dev/null
select tests.miss('2026-03-10'), tests.miss('2026-03-11'), tests.miss('2026-03-12') \g /dev/null
update kith.emergency_requests set waits_from = '2026-03-12T10:31Z', grants_at = '2026-03-12T10:32Z', ends_at = '2026-03-12T10:33Z';
select tests.miss('2026-03-13') \g /dev/null
select is(tests.requests(), array['carol silence 3 expired', 'carol silence 4 open'], 'a grant that has run out does not keep the next silence from beginning');

-- Giving a right is a sign of life.
select tests.begin_anew() \g /dev/null
select tests.miss('2026-03-10'), tests.miss('2026-03-11'), tests.miss('2026-03-12') \g /dev/null
select tests.as_user('acme', 'alice') \g /dev/null
select api.set_emergency_settings(
  (select vault_id from kith.nominees where id = tests.nominee('carol')), tests.nominee('carol'),
  '{"wait_hours": 240, "access_level": "view", "on_request": false, "after_missed_days": 3}', '2026-03-12T12:00Z'
) \g /dev/null
select tests.as_superuser() \g /dev/null
select tests.miss('2026-03-13'), tests.miss('2026-03-14') \g /dev/null
select is(tests.requests(), null, 'days that were missed before the right was given do not count');
select tests.miss('2026-03-15') \g /dev/null
select is(tests.requests(), array['carol silence 3 open'], 'the days after it do');

-- Two nominees, one of them a receiver, both in the know.
select tests.begin_anew() \g /dev/null
select tests.give('bob', '{"visible": true}'), tests.give('carol', '{"visible": true, "after_missed_days": 2, "reject_on_check_in": false}') \g /dev/null
select tests.miss('2026-03-10'), tests.miss('2026-03-11'), tests.miss('2026-03-12') \g /dev/null
select is(tests.requests(), array['carol silence 2 open', 'bob silence 3 open'], 'each right has its own number of days');
select is(tests.told('bob'), array['You get into Papers on 22 March 2026, 10:30 unless Alice says no.'], 'a nominee who sees their right is told of the wait');
delete from kith.notifications where user_id = tests.id('bob') and type <> 'ping_missed';
update kith.users set time_zone = 'America/New_York' where id = tests.id('carol');
select tests.check_in('2026-03-13T08:00Z') \g /dev/null
select is(tests.requests(), array['carol silence 2 open', 'bob silence 3 owner_returned'], 'a check-in leaves a request open whose terms say so');
select is(
  (select array_agg(type || ' ' || body order by type) from tests.notifications where user_id = tests.id('bob') and type <> 'ping_missed'), array['emergency_rejected Alice is safe. Your emergency access to Papers has ended.', 'ping_all_clear Alice checked in late. They''re safe.'],
  'a nominee who is also a receiver is told two facts: that the owner is safe, and that their access has ended (E09)'
);
select is((tests.told('alice', 'emergency_reminder')), array['Carol gets into Papers in 8 days. Say no to stop it.'], 'the owner is asked about the request that stays open, and told what stops it');
select tests.check_in('2026-03-13T08:09Z') \g /dev/null
select is(cardinality(tests.told('alice', 'emergency_reminder')), 1, 'but not twice within ten minutes');
select isnt((select emergency_since from kith.sender_profiles where user_id = tests.id('alice')), null, 'check-ins go on looking');
select tests.begin_anew() \g /dev/null
select tests.give('bob', '{"visible": true}') \g /dev/null
select tests.miss('2026-03-10'), tests.miss('2026-03-11'), tests.miss('2026-03-12') \g /dev/null
delete from kith.notifications where user_id = tests.id('bob') and type <> 'ping_missed';
-- The column grants_at has not moved yet: the hold lasts.
update kith.emergency_requests set held_at = '2026-03-13T08:00Z', held_by = 'postgres', hold_reason = 'a fight at home';
select tests.check_in('2026-03-23T08:00Z') \g /dev/null
select is(
  (select array_agg(type order by type) from kith.notifications where user_id = tests.id('bob') and type <> 'ping_missed'), array['emergency_rejected', 'ping_all_clear'],
  'the nominee is told both, too, when an operator holds the wait past its first end'
);
select tests.begin_anew() \g /dev/null
select tests.give('carol', '{"visible": true}') \g /dev/null
select tests.miss('2026-03-10'), tests.miss('2026-03-11'), tests.miss('2026-03-12') \g /dev/null
select tests.check_in('2026-03-12T10:30:10Z') \g /dev/null
select is(tests.requests(), array['carol silence 3 owner_returned'], 'a check-in at the very instant at which the wait began ends it');
select is(tests.told('carol', 'emergency_rejected'), array['Alice is safe. Your emergency access to Papers has ended.'], 'a nominee who is no receiver is told that the owner is safe');
select tests.begin_anew() \g /dev/null
select tests.give('carol', '{}') \g /dev/null
select tests.miss('2026-03-10'), tests.miss('2026-03-11') \g /dev/null
select tests.ping('2026-03-12', 'due'); select tests.loop('miss_pings', '2026-03-12T10:30:10Z') \g /dev/null
select tests.check_in('2026-03-12T10:29:59Z') \g /dev/null
select is(tests.loop('begin_emergency_waits', '2026-03-12T10:30:10Z'), 1, 'the owner was to be counted');
select is(tests.requests(), null, 'a check-in that came before the count wins');

select tests.begin_anew() \g /dev/null
select tests.give('bob', '{"visible": true}') \g /dev/null
select tests.miss('2026-03-10') \g /dev/null
select tests.as_user('acme', 'bob') \g /dev/null
select api.request_emergency_access(:'vault', null, '2026-03-10T12:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select tests.check_in('2026-03-10T13:00Z') \g /dev/null
select is(
  (select array_agg(type order by type) from kith.notifications where user_id = tests.id('bob') and type in ('ping_all_clear', 'emergency_rejected')),
  array['emergency_rejected', 'ping_all_clear'], 'a receiver who has asked hears that the request is over, too'
);

-- Any use.
select tests.begin_anew() \g /dev/null
select tests.give('carol', '{"sign_of_life": "any_use"}') \g /dev/null
select tests.miss('2026-03-10'), tests.miss('2026-03-11') \g /dev/null
create function tests.use(p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.as_role('kith_api');
  if (api.token_user(tests.tenant('acme'), 'ext-alice', false, null, p_now) ->> 'notes_use')::boolean then
    perform api.note_use(tests.tenant('acme'), tests.id('alice'), p_now);
  end if;
  perform tests.as_superuser();
end
$$;
select tests.use('2026-03-11T20:00Z'), tests.use('2026-03-11T20:00:59Z') \g /dev/null
select is((select seen_at from kith.signs_of_life), '2026-03-11T20:00Z', 'any use is recorded at most once a minute');
select tests.miss('2026-03-12'), tests.miss('2026-03-13') \g /dev/null
select is(tests.requests(), null, 'any use begins the count anew');
select tests.miss('2026-03-14') \g /dev/null
select tests.use('2026-03-15T20:00Z') \g /dev/null
select is(tests.requests(), array['carol silence 3 owner_returned'], 'any use ends the wait that a right with any_use began');
select tests.begin_anew() \g /dev/null
select tests.give('carol', '{}') \g /dev/null
select tests.use('2026-03-15T20:00Z') \g /dev/null
select is((select seen_at from kith.signs_of_life), null, 'the use of an owner whose rights do not count it is not recorded');
select tests.miss('2026-03-10'), tests.miss('2026-03-11'), tests.miss('2026-03-12'), tests.use('2026-03-13T20:00Z') \g /dev/null
select is(tests.requests(), array['carol silence 3 open'], 'nor does it end anything');

-- Who has no right, and when nothing begins.
select tests.begin_anew() \g /dev/null
select tests.give('carol', '{}'), tests.give('bob', '{}') \g /dev/null
update kith.nominees set status = 'inactive' where id = tests.nominee('bob');
update kith.emergency_settings set ended_at = '2026-03-09T00:00Z' where nominee_id = tests.nominee('carol');
select tests.miss('2026-03-10'), tests.miss('2026-03-11'), tests.miss('2026-03-12') \g /dev/null
select is(tests.requests(), null, 'a nominee whose access is paused, or whose right has ended, gets nothing by silence');
update kith.nominees set status = 'accepted' where id = tests.nominee('bob');
update kith.vaults set deleted_at = '2026-03-12T12:00Z', deleted_by = 'user:x';
select tests.miss('2026-03-13') \g /dev/null
select is(tests.requests(), null, 'a deleted vault opens to nobody');
update kith.vaults set deleted_at = null, deleted_by = null;
insert into kith.outages (component, began_at) values ('worker', '2026-03-14T10:00Z');
update kith.signs_of_life set recount_at = '2026-03-14T10:00Z';
select is(tests.loop('begin_emergency_waits', '2026-03-14T10:31Z'), 0, 'during an outage nothing begins');

select * from finish();
rollback;
