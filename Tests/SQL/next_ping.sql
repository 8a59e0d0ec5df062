-- When a sender is asked next, and until when a judgement waits: what the words of the screens go by (X35, X39).
begin;
\ir people.sql
\ir alarm_house.sql
select plan(17);
delete from kith.pings;
delete from kith.ping_runs;

create function tests.next_ping(p_now timestamptz) returns text
  language plpgsql
as $$
declare
  v_next text;
begin
  perform tests.as_user('acme', 'alice');
  v_next := left(api.home(p_now) #>> '{sender,next_ping_at}', 16);
  perform tests.as_superuser();
  return v_next;
end
$$;
create function tests.judge_at(p_now timestamptz) returns text
  language plpgsql
as $$
declare
  v_at text;
begin
  perform tests.as_user('acme', 'bob');
  v_at := left(api.get_connection(tests.id('alice-bob'), p_now) #>> '{today_ping,judge_at}', 16);
  perform tests.as_superuser();
  return v_at;
end
$$;
create function tests.ping(p_on date, p_status text, p_scheduled_at timestamptz, p_judge_at timestamptz default null) returns void
  language sql
as $$
  insert into kith.pings (
    tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, completed_at, judge_at
  )
  select tenant_id, p_on, id, gen_random_uuid(), sender_id, receiver_id, p_status, p_scheduled_at, p_scheduled_at + interval '90 minutes',
    case when p_status like 'completed%' then p_scheduled_at end, p_judge_at
  from kith.connections where id = tests.id('alice-bob')
$$;

-- An ordinary day.
select is(tests.next_ping('2026-03-10T08:00Z'), '2026-03-11T09:00', 'a day that has no ping is not asked about any more');
select tests.ping('2026-03-10', 'scheduled', '2026-03-10T09:00Z');
select is(tests.next_ping('2026-03-10T08:00Z'), '2026-03-10T09:00', 'the next question is that of the next ping');
select is(tests.next_ping('2026-03-10T09:05Z'), '2026-03-10T09:00', 'which is in the past while the worker is late');
update kith.pings set status = 'due';
select is(tests.next_ping('2026-03-10T09:05Z'), '2026-03-11T09:00', 'an open ping has been asked about');
select is(tests.judge_at('2026-03-10T10:31Z'), null, 'its deadline decides');

-- After an outage of the workers, and of the servers.
update kith.pings set judge_at = '2026-03-10T12:00Z';
select is(tests.judge_at('2026-03-10T10:31Z'), '2026-03-10T12:00', 'unless the judgement waits because the worker asked late');
update kith.pings set judge_at = null;
insert into kith.outages (component, began_at, ended_at) values ('server', '2026-03-10T10:00Z', '2026-03-10T10:25Z');
select is(tests.judge_at('2026-03-10T10:31Z'), '2026-03-10T10:40', 'or because nobody could reach Kith until 15 minutes ago');
update kith.outages set began_at = '2026-03-10T09:30Z', ended_at = '2026-03-10T10:15Z';
select is(tests.judge_at('2026-03-10T10:31Z'), null, 'an outage that ended 15 minutes before the deadline moves nothing');
update kith.pings set status = 'completed', completed_at = '2026-03-10T09:00Z', judge_at = '2026-03-10T12:00Z';
select is(tests.judge_at('2026-03-10T10:31Z'), null, 'a ping that is answered is not judged');

-- A sender who moves west over the date line has answered for tomorrow already.
select tests.ping('2026-03-09', 'completed', '2026-03-09T09:00Z');
update kith.sender_profiles set time_zone = 'Pacific/Honolulu', timed_at = '2026-03-10T09:30Z' where user_id = tests.id('alice');
select is(tests.next_ping('2026-03-10T09:31Z'), '2026-03-11T19:00', 'there is one ping for each date, so that the next question is two days away');
update kith.sender_profiles set time_zone = 'UTC', timed_at = '2026-03-01Z' where user_id = tests.id('alice');

-- A break, and the end of one.
update kith.sender_profiles set break_from_on = '2026-03-11', break_until_on = '2026-03-20' where user_id = tests.id('alice');
select is(tests.next_ping('2026-03-10T12:00Z'), '2026-03-21T09:00', 'a break is skipped');
update kith.sender_profiles set break_from_on = null, break_until_on = null where user_id = tests.id('alice');

-- The worker has not made the pings of two days.
insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at) values (tests.tenant('acme'), 'UTC', '2026-03-11', '2026-03-11T00:00Z');
select is(tests.next_ping('2026-03-12T12:00Z'), '2026-03-11T09:00', 'what the worker has not made is late since its time');
update kith.ping_runs set cursor_sender_id = tests.id('alice');
select is(tests.next_ping('2026-03-12T12:00Z'), '2026-03-13T09:00', 'until the run has passed the sender');
update kith.ping_runs set cursor_sender_id = null;
update kith.sender_profiles set timed_at = '2026-03-12T11:00Z' where user_id = tests.id('alice');
select is(tests.next_ping('2026-03-12T12:00Z'), '2026-03-13T09:00', 'no ping is made for a date whose deadline had passed when the times changed');
update kith.sender_profiles set timed_at = '2026-03-01Z' where user_id = tests.id('alice');
delete from kith.ping_runs;

-- Nobody would be told.
update kith.connections set pings_stopped_at = '2026-03-09Z' where sender_id = tests.id('alice') and status = 'active';
select is(tests.next_ping('2026-03-10T12:00Z'), null, 'without a receiver whose subscription is good nothing is asked');
update kith.connections set pings_stopped_at = null, status = 'paused' where sender_id = tests.id('alice') and status = 'active';
select is(tests.next_ping('2026-03-10T12:00Z'), null, 'nor while all connections are paused');
update kith.connections set status = 'active' where id = tests.id('alice-bob');
select is(tests.next_ping('2026-03-10T12:00Z'), '2026-03-11T09:00', 'one is enough');
select * from finish();
