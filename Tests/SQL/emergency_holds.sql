-- An operator can hold a request for emergency access, and release it (E06). Nobody can hasten one.
begin;
\ir people.sql
\ir emergency_house.sql
select plan(53);

create function tests.hold(p_now timestamptz, p_until timestamptz default null, p_tenant text default 'acme', p_reason text default 'a fight at home') returns text
  language plpgsql
as $$
declare
  v_request uuid := tests.request();
begin
  perform tests.as_role('kith_admin');
  perform admin.hold_emergency(p_tenant, v_request, p_reason, p_until, p_now);
  perform tests.as_superuser();
  return 'held';
exception when others then
  perform tests.as_superuser();
  return sqlerrm;
end
$$;
create function tests.release(p_now timestamptz) returns text
  language plpgsql
as $$
declare
  v_request uuid := tests.request();
  v_grants_at timestamptz;
begin
  perform tests.as_role('kith_admin');
  v_grants_at := admin.release_emergency('acme', v_request, 'settled', p_now);
  perform tests.as_superuser();
  return to_char(v_grants_at, 'DD HH24:MI');
exception when others then
  perform tests.as_superuser();
  return sqlerrm;
end
$$;

-- A hold without an end.
select tests.ask();
select is(tests.hold('2026-03-11T08:00Z'), 'held', 'an operator holds a request');
select is(tests.hold('2026-03-11T09:00Z'), 'invalid_transition', 'it is held once');
select is(tests.enter('2026-03-20T08:00Z'), 'vault_locked Support has put your emergency access on hold. Please try again later.', 'however long it lasts, nobody gets in');
select is(tests.instants('2026-03-20T08:00Z'), '21 08:00:00 22 08:00:00 still', 'the wait stands still');
select tests.tell('2026-03-20T08:00Z') \g /dev/null
select is(cardinality(tests.told('alice')), 1, 'the owner gets no reminders meanwhile');
select is((select notice_at from kith.emergency_requests), null, 'the worker leaves it alone');
select is(tests.release('2026-03-20T08:00Z'), '21 08:00', 'releasing it returns the new instant of the grant');
select is(tests.instants('2026-03-20T09:00Z'), '21 08:00:00 22 08:00:00', 'the wait has the length that it had before');
select is(tests.delays(), array['hold 11 08:00 20 08:00 21 08:00'], 'the move is a row');
select is((tests.told('alice'))[2], 'Bob''s emergency access to Papers moves to 21 March 2026, 08:00.', 'the owner is told the new instant');
select is(tests.told('bob'), array['Your emergency access to Papers moves to 21 March 2026, 08:00.'], 'and the nominee');
select is(tests.release('2026-03-20T09:00Z'), 'invalid_transition', 'it is released once');
select is(tests.enter('2026-03-21T08:00Z'), 'until 2026-03-22T08:00:00.000000Z', 'at that instant the nominee gets in');
-- The operator reads all of that.
create function tests.story(p_what text) returns text
  language plpgsql
as $$
declare
  v_story text;
begin
  perform tests.as_role('kith_admin');
  select string_agg(concat_ws(' ', to_char(story.at at time zone 'UTC', 'DD HH24:MI'), story.detail), '; ') into v_story
  from admin.story_of_emergency('acme', tests.request(), '2026-03-21T09:00Z') as story
  where story.what = p_what;
  perform tests.as_superuser();
  return v_story;
end
$$;
grant execute on function tests.request() to kith_admin;
select matches(tests.story('now'), '^granted; grants at 2026-03-21 08:00:00Z; ends at 2026-03-22 08:00:00Z$', 'a story says how the request stands');
select is(tests.story('delayed'), '20 08:00 hold from 2026-03-11 08:00:00Z to 2026-03-20 08:00:00Z: grants at 2026-03-21 08:00:00Z', 'and what delayed it');
select matches(tests.story('being told'), 'Alice \(.*\), emergency_requested: not planned yet; .*Bob \(', 'and who was told');
select throws_ok($$ select admin.story_of_emergency('globex', tests.request()) $$, 'KT404', null, 'of another tenant''s request there is none');

select matches(tests.story('held'), 'by .*: a fight at home', 'and who held it, and why');
select tests.ask();
select tests.hold('2026-03-11T08:00Z') \g /dev/null
select is(
  tests.story('now') ~ '^waiting; 1 day of the wait are left; held by .* since 2026-03-11 08:00:00Z, until it is released: ', true,
  'while it is held without an end, a story names no instant of the grant'
);
select is(tests.story('emergency.held'), null, 'and the hold once');
select is((select concat_ws(' ', grants_at, ends_at, wait_left is not null) from admin.emergency_requests), 't', 'nor does the list of requests');
select is((select count(*) from admin.coming where what like '%emergency%'), 0::bigint, 'nor that of what comes');
select matches(
  (select string_agg(detail || ' ' || next, '; ') from admin.story_of_user('acme', tests.id('alice'), '2026-03-11') where what = 'emergency access'),
  'to a vault of theirs, because a nominee asked; held by .* select \* from admin.story_of_emergency', 'and the owner''s day leads to it'
);

-- A hold that ends by itself.
select tests.ask();
select is(tests.hold('2026-03-11T08:00Z', '2026-03-11T20:00Z'), 'held', 'a hold can have an end');
select is(tests.enter('2026-03-12T19:59:59Z'), 'vault_locked 2026-03-12T20:00:00.000000Z', 'its time does not count');
select is(tests.enter('2026-03-12T20:00Z'), 'until 2026-03-13T20:00:00.000000Z', 'after it, the wait goes on, and no worker has run');
select tests.ask();
select tests.hold('2026-03-11T08:00Z', '2026-03-11T20:00Z') \g /dev/null
select is(tests.tell('2026-03-11T20:00Z'), 1, 'the worker records its end');
select is(tests.delays(), array['hold 11 08:00 11 20:00 12 20:00'], 'as a row');
select is((select concat(held_at, held_by, hold_reason) from kith.emergency_requests), '', 'and the request is no longer held');
select is(tests.instants('2026-03-12T09:00Z'), '12 20:00:00 13 20:00:00', 'it does not count twice');
select is(tests.hold('2026-03-12T09:00Z'), 'held', 'it can be held again');

-- With an outage in the middle of it.
select tests.ask();
select tests.hold('2026-03-11T08:00Z') \g /dev/null
insert into kith.outages (component, began_at, ended_at) values ('server', '2026-03-11T07:00Z', '2026-03-11T10:00Z');
select tests.tell('2026-03-11T10:01Z') \g /dev/null
select is(tests.release('2026-03-11T12:00Z'), '12 13:00', 'time within a hold and an outage counts once');
select tests.ask();
select tests.hold('2026-03-11T08:00Z') \g /dev/null
insert into kith.outages (component, began_at) values ('server', '2026-03-11T10:00Z');
select is(tests.release('2026-03-11T12:00Z'), '12 12:00', 'a hold can be released during an outage,');
select is(cardinality(tests.told('alice')), 1, 'but nobody is told of an instant that moves on');
update kith.outages set ended_at = '2026-03-11T15:00Z';
select tests.tell('2026-03-11T15:01Z') \g /dev/null
select is((tests.told('alice'))[2:], array['Bob''s emergency access to Papers moves to 12 March 2026, 15:00.'], 'until the wait goes on');

-- A request that is granted.
select tests.ask();
select is(tests.enter('2026-03-12T08:00Z'), 'until 2026-03-13T08:00:00.000000Z', 'the nominee is inside');
select is(tests.hold('2026-03-12T09:00Z'), 'held', 'a granted request can be held');
select is((select lock_reason || ' ' || to_char(locked_at, 'DD HH24:MI') from kith.vault_sessions), 'emergency_ended 12 09:00', 'the nominee is out at that instant');
select is(tests.enter('2026-03-12T10:00Z'), 'vault_locked Support has put your emergency access on hold. Please try again later.', 'and stays out');
select is(tests.release('2026-03-12T12:00Z'), '12 08:00', 'once it is released, the grant is where it was');
select is(tests.enter('2026-03-12T12:00Z'), 'until 2026-03-13T08:00:00.000000Z', 'and so is its end');
select is(tests.hold('2026-03-12T13:00Z'), 'held', 'held again,');
select tests.tell('2026-03-13T08:00Z') \g /dev/null
select is((select end_reason from kith.emergency_requests), 'expired', 'it ends like any other grant');
select is(tests.release('2026-03-13T09:00Z'), 'invalid_transition', 'and then cannot be released');

-- The owner still decides.
select tests.ask();
select tests.hold('2026-03-11T08:00Z') \g /dev/null
select tests.as_user('acme', 'alice') \g /dev/null
select is(api.reject_emergency_request(tests.vault(), tests.request(), '2026-03-11T09:00Z') ->> 'status', 'rejected', 'the owner can say no to a request that is held') from tests.request();
select tests.as_superuser();

-- Who can do it, and how.
select tests.ask();
select is(tests.hold('2026-03-11T08:00Z', '2026-03-11T07:00Z'), 'validation_failed', 'a hold cannot end before it begins');
select is(tests.hold('2026-03-11T08:00Z', null, 'acme', ''), 'validation_failed', 'a hold needs a reason');
select is(tests.hold('2026-03-11T08:00Z', null, 'globex'), 'not_found', 'a request is held in its own tenant');
select tests.hold('2026-03-11T08:00Z'), tests.release('2026-03-11T09:00Z') \g /dev/null
select is(
  (select array_agg(action || ' ' || (detail ->> 'reason') order by id) from (select * from kith.audit where action like 'emergency%' order by id desc limit 2) as acts),
  array['emergency.hold a fight at home', 'emergency.release settled'], 'both are audited, with the reasons'
);
select tests.as_user('acme', 'alice') \g /dev/null
select is((select count(*) from (select api.get_emergency_request(tests.vault(), tests.request(), '2026-03-11T10:00Z')::text as shown) as answer where shown like '%fight%'), 0::bigint, 'the reason of a hold is shown to nobody');
select throws_ok($$ select admin.hold_emergency('acme', tests.request(), 'mine', null, '2026-03-11T10:00Z') $$, '42501', null, 'a user cannot hold a request');
select tests.as_superuser();

-- Operators see the state of a request, but not its reason.
select tests.as_role('kith_admin');
select is(
  (select row(tenant, cause, status, held, delayed, early, end_reason)::text from admin.emergency_requests where id = (select id from kith.emergency_requests)),
  '(acme,request,ended,f,01:00:00,f,)', 'the view shows what a request has come to'
);
select throws_ok($$ select reason from kith.emergency_requests $$, '42501', null, 'an operator does not see what the nominee wrote to the owner');

select * from finish();
rollback;
