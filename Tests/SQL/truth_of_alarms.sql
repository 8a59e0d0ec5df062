-- No false alarm, no false calm: sequences of acts, and what everybody was told at the end (X32 to X36, J07, E03).
begin;
\ir people.sql
select plan(74);

insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
values (tests.tenant('acme'), '0c000000-0000-7000-8000-0000000000ac', tests.id('alice'), tests.id('carol'), 'paused', tests.id('carol'),
  '2026-01-05T08:00Z', '2026-01-05T08:00Z', '2026-01-05T08:00Z');

create function tests.carols() returns uuid language sql immutable return '0c000000-0000-7000-8000-0000000000ac'::uuid;

-- Everything as on 1 March: no pings, nobody told, Alice in UTC at 09:00 with 90 minutes of grace, connected to Bob.
create function tests.afresh(p_zone text default 'UTC', p_time time default '09:00', p_grace integer default 90) returns void
  language plpgsql
as $$
begin
  perform tests.as_superuser();
  delete from kith.pings; delete from kith.alarms; delete from kith.ping_runs; delete from kith.ping_gaps; delete from kith.notifications; delete from kith.events;
  delete from kith.check_ins; delete from kith.breaks; delete from kith.outages; delete from kith.heartbeats; delete from kith.blocks;
  delete from kith.act_counts; delete from kith.code_attempts;
  update kith.users set time_zone = p_zone where id = tests.id('alice');
  update kith.sender_profiles set time_zone = p_zone, has_own_time_zone = false, ping_time = p_time, grace_minutes = p_grace,
    reminder_minutes = least(15, p_grace - 1), last_check_in_at = null, last_note = null, break_from_on = null, break_until_on = null,
    timed_at = '2026-01-05T08:00Z', ended_at = null;
  update kith.connections set status = case id when tests.carols() then 'paused' else 'active' end, deleted_at = null, deleted_by = null,
    resting_status = null, tells_resumed = false, pings_stopped_at = null, activated_at = '2026-01-05T08:00Z', updated_at = '2026-01-05T08:00Z';
end
$$;

create function tests.act(p_person text, p_sql text, variadic p_times text[] default '{}') returns text
  language plpgsql
as $$
declare
  v_answer text;
begin
  perform tests.as_user('acme', p_person);
  execute 'select ' || p_sql into v_answer;
  perform tests.as_superuser();
  return v_answer;
end
$$;
create function tests.check_in(p_now text, p_tapped_at text default null) returns text
  language sql
as $$
  select tests.act('alice', format('api.check_in(null, false, %L, ''app'', %L)', p_tapped_at, p_now))
$$;

create function tests.work(p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.as_role('kith_worker');
  while worker.generate_daily_pings(p_now, 100) > 0 loop end loop;
  while worker.announce_due_pings(p_now, 100) > 0 loop end loop;
  perform worker.remind_senders(p_now, 100);
  while worker.miss_pings(p_now, 100) > 0 loop end loop;
  perform worker.turn_breaks(p_now, 100);
  perform tests.as_superuser();
end
$$;
-- The worker runs every minute, and ten seconds after it, from one instant to another.
create function tests.run(p_from timestamptz, p_until timestamptz) returns void
  language plpgsql
as $$
declare
  v_at timestamptz := p_from;
begin
  while v_at <= p_until loop
    perform tests.work(v_at);
    exit when v_at + interval '10 seconds' > p_until;
    perform tests.work(v_at + interval '10 seconds');
    v_at := v_at + interval '1 minute';
  end loop;
end
$$;
-- The day's pings exist, and Alice is asked at her time.
create function tests.begin_day(p_zone text, p_on date) returns void
  language plpgsql
as $$
begin
  insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at)
  values (tests.tenant('acme'), p_zone, p_on, internal.midnight(p_on, p_zone))
  on conflict do nothing;
  perform tests.work(internal.midnight(p_on, p_zone) + interval '1 second');
end
$$;

create function tests.told(p_person text, p_like text default 'ping_%') returns text[]
  language sql
as $$
  select array_agg(body order by id) from tests.notifications
  where tenant_id = tests.tenant('acme') and user_id = tests.id(p_person) and type like p_like and type not in ('ping_due', 'ping_reminder')
$$;
create function tests.statuses(p_connection uuid default tests.id('alice-bob')) returns text[]
  language sql
as $$
  select array_agg(to_char(ping_on, 'MM-DD ') || status order by ping_on) from kith.pings where connection_id = p_connection and tenant_id = tests.tenant('acme')
$$;

-- X33: a date that the sender's calendar has left.
select tests.afresh('UTC', '16:02', 5);
select tests.begin_day('UTC', '2026-03-09');
select tests.act('alice', $$ api.update_me('{"time_zone": "Asia/Tokyo"}', null, '2026-03-09T16:00Z') $$) \g /dev/null
select is(tests.statuses(), array['03-09 cancelled', '03-10 scheduled'], 'the ping of a date that the calendar has left is cancelled');
select tests.check_in('2026-03-09T16:01Z') \g /dev/null
select tests.run('2026-03-09T16:02Z', '2026-03-09T16:09Z');
select is(tests.told('bob'), array['Alice checked in.'], 'in UTC at 16:02, moves to Tokyo, checks in at 16:01: no alarm at 16:07');
select tests.afresh('UTC', '16:02', 5);
select tests.begin_day('UTC', '2026-03-09');
select tests.act('alice', $$ api.put_sender_profile('{"ping_time": "16:02", "time_zone": "Asia/Tokyo"}', '2026-03-09T16:00Z') $$) \g /dev/null
select tests.act('alice', $$ api.put_sender_profile('{"ping_time": "16:02", "time_zone": "UTC"}', '2026-03-09T16:00:30Z') $$) \g /dev/null
select is(tests.statuses(), array['03-09 scheduled', '03-10 scheduled'], 'a wrong zone that is corrected at once brings the ping back');
select tests.run('2026-03-09T16:02Z', '2026-03-09T16:08Z');
select is(tests.told('bob'), array['Alice has not checked in today.'], 'and silence is reported');
select tests.afresh('Pacific/Auckland', '09:00', 90);
select tests.begin_day('Pacific/Auckland', '2026-03-10');
select tests.run('2026-03-09T20:00Z', '2026-03-09T20:01Z');
select tests.check_in('2026-03-09T20:05Z') \g /dev/null
select tests.act('alice', $$ api.update_me('{"time_zone": "Pacific/Honolulu"}', null, '2026-03-09T20:20Z') $$) \g /dev/null
select is(tests.statuses(), array['03-09 completed', '03-10 completed'], 'west over the date line, a ping whose window holds the check-in is born completed');
select tests.run('2026-03-09T20:21Z', '2026-03-09T20:32Z');
select is(tests.told('bob'), array['Alice checked in.'], 'checks in at 20:05, crosses the date line at 20:20: nobody is alarmed at 20:30');
-- Without a check-in she is asked first.
select tests.afresh('Pacific/Auckland', '12:00', 90);
select tests.begin_day('Pacific/Auckland', '2026-03-10');
select tests.act('alice', $$ api.put_sender_profile('{"ping_time": "10:00", "time_zone": "Pacific/Honolulu"}', '2026-03-09T20:20Z') $$) \g /dev/null
select tests.work('2026-03-09T20:20:01Z');
select is((select count(*) from kith.notifications where type = 'ping_due' and created_at = '2026-03-09T20:20:01Z'), 1::bigint, 'whoever moves into a window is asked');
select tests.afresh('Europe/Berlin', '20:00', 90);
select tests.begin_day('Europe/Berlin', '2026-03-09');
select tests.run('2026-03-09T19:00Z', '2026-03-09T19:01Z');
select tests.act('alice', $$ api.update_me('{"time_zone": "Pacific/Auckland"}', null, '2026-03-09T19:10Z') $$) \g /dev/null
select is(tests.statuses(), array['03-09 due', '03-10 cancelled'], 'a ping that is due stays, and holds back the one of the new date');
select tests.check_in('2026-03-09T19:15Z') \g /dev/null
select is(tests.statuses(), array['03-09 completed', '03-10 scheduled'], 'once it is completed, that of the new date is made');
select tests.afresh('Europe/Berlin', '20:00', 90);
select tests.begin_day('Europe/Berlin', '2026-03-09');
select tests.run('2026-03-09T19:00Z', '2026-03-09T19:01Z');
select tests.act('alice', $$ api.update_me('{"time_zone": "Pacific/Auckland"}', null, '2026-03-09T19:10Z') $$) \g /dev/null
select tests.run('2026-03-09T20:29Z', '2026-03-09T20:31Z');
select is(tests.statuses(), array['03-09 missed', '03-10 scheduled'], 'or judged');
select is(tests.told('bob'), array['Alice did not check in on 9 March 2026.'], 'a miss of another date than the sender''s names it (X35)');

-- A new grace.
select tests.afresh();
select tests.begin_day('UTC', '2026-03-09');
select tests.work('2026-03-09T09:00Z');
select tests.act('alice', $$ api.put_sender_profile('{"ping_time": "09:00", "grace_minutes": 120}', '2026-03-09T09:10Z') $$) \g /dev/null
select is((select deadline_at from kith.pings), '2026-03-09T11:00Z', 'a new grace moves the deadline of an open ping');
select tests.act('alice', $$ api.put_sender_profile('{"ping_time": "09:00", "grace_minutes": 20}', '2026-03-09T09:30Z') $$) \g /dev/null
select is((select deadline_at from kith.pings), '2026-03-09T11:00Z', 'but never into the past');
select tests.act('alice', $$ api.put_sender_profile('{"ping_time": "09:00", "grace_minutes": 300}', '2026-03-09T11:00:05Z') $$) \g /dev/null
select tests.work('2026-03-09T11:00:10Z');
select is(tests.statuses(), array['03-09 missed'], 'and a deadline that has passed stays');

-- X33: a break that covers the new local date.
select tests.afresh('Europe/Berlin', '19:00');
select tests.begin_day('Europe/Berlin', '2026-03-02');
select tests.act('alice', $$ api.put_break('{"from": "2026-03-03", "until": "2026-03-05"}', '2026-03-02T08:00Z') $$) \g /dev/null
select tests.act('alice', $$ api.update_me('{"time_zone": "Asia/Tokyo"}', null, '2026-03-02T17:00Z') $$) \g /dev/null
select tests.run('2026-03-02T17:59Z', '2026-03-02T19:31Z');
select is(tests.statuses(), array['03-02 cancelled'], 'a move into a break cancels the ping of the date before');
select is(tests.told('bob'), null, 'break from the 3rd, moves to Tokyo on the evening of the 2nd: nobody is alarmed');
select tests.afresh('Europe/Berlin', '19:00');
select tests.begin_day('Europe/Berlin', '2026-03-02');
select tests.act('alice', $$ api.put_break('{"from": "2026-03-03", "until": "2026-03-05"}', '2026-03-02T08:00Z') $$) \g /dev/null
select tests.run('2026-03-02T18:00Z', '2026-03-02T18:01Z');
select tests.act('alice', $$ api.update_me('{"time_zone": "Asia/Tokyo"}', null, '2026-03-02T18:05Z') $$) \g /dev/null
select is(tests.statuses(), array['03-02 cancelled'], 'also if it is due');

-- X32: born completed, whoever acts.
select tests.afresh();
select tests.begin_day('UTC', '2026-03-09');
select tests.work('2026-03-09T09:00Z');
select tests.check_in('2026-03-09T09:05Z') \g /dev/null
select tests.act('alice', format($$ api.resume_connection(%L, '2026-03-09T09:30Z') $$, tests.carols())) \g /dev/null
select is(tests.statuses(tests.carols()), array['03-09 completed'], 'resumed after a check-in in the window, a ping is born completed');
select tests.run('2026-03-09T10:29Z', '2026-03-09T10:31Z');
select is(tests.told('carol'), null, 'checks in at 09:05, resumes at 09:30: the receiver is not alarmed at 10:30');
select tests.afresh();
select tests.check_in('2026-03-09T09:05Z') \g /dev/null
update kith.connections set status = 'deleted', deleted_at = '2026-03-01Z', deleted_by = 'test' where id = tests.carols();
select is(tests.act('carol', $$ api.create_connection('111111', '2026-03-09T09:30Z') -> 'body' -> 'today_ping' ->> 'status' $$), 'completed', 'also if the receiver redeems a code');
select tests.afresh();
select tests.begin_day('UTC', '2026-03-09');
select tests.work('2026-03-09T09:00Z');
select tests.check_in('2026-03-09T09:05Z') \g /dev/null
update kith.pings set status = 'cancelled', completed_at = null, check_in_id = null;
select tests.act('alice', $$ api.put_break('{"from": "2026-03-09", "until": "2026-03-10"}', '2026-03-09T09:06Z') $$) \g /dev/null
select tests.act('alice', $$ api.delete_break('2026-03-09T09:30Z') $$) \g /dev/null
select is(tests.statuses(), array['03-09 completed'], 'also at the end of a break');
select tests.afresh();
select tests.begin_day('UTC', '2026-03-09');
select tests.check_in('2026-03-09T07:00Z') \g /dev/null
select tests.act('alice', format($$ api.resume_connection(%L, '2026-03-09T08:00Z') $$, tests.carols())) \g /dev/null
select is(tests.statuses(tests.carols()), array['03-09 completed'], 'an early check-in speaks for later connections of the date');
select tests.afresh();
select tests.check_in('2026-03-08T20:00Z') \g /dev/null
select tests.act('alice', format($$ api.resume_connection(%L, '2026-03-09T08:00Z') $$, tests.carols())) \g /dev/null
select is(tests.statuses(tests.carols()), array['03-09 scheduled'], 'one of the evening before does not');
select tests.afresh();
select tests.begin_day('UTC', '2026-03-09');
select tests.work('2026-03-09T09:00Z');
select tests.act('alice', $$ api.pause_connection(tests.id('alice-bob'), '2026-03-09T09:01Z') $$) \g /dev/null
select tests.check_in('2026-03-09T09:05Z') \g /dev/null
select tests.act('alice', $$ api.resume_connection(tests.id('alice-bob'), '2026-03-09T09:10Z') $$) \g /dev/null
select is(tests.statuses(), array['03-09 completed'], 'a check-in during a pause speaks for the ping that comes back');
select tests.afresh();
update kith.connections set status = 'pending', code_owner_id = tests.id('bob') where id = tests.id('alice-bob');
select tests.begin_day('UTC', '2026-03-09');
select tests.work('2026-03-09T09:00Z');
select is((select asked_at from kith.pings), null, 'nobody is asked for a pending connection');
select tests.act('bob', $$ api.consent_connection(tests.id('alice-bob'), '2026-03-09T10:00Z') $$) \g /dev/null
select tests.work('2026-03-09T10:00:01Z');
select is((select count(*) from kith.notifications where type = 'ping_due'), 1::bigint, 'a consent while the ping is due asks the sender first');
select tests.afresh();
update kith.connections set status = 'pending', code_owner_id = tests.id('bob') where id = tests.id('alice-bob');
select tests.begin_day('UTC', '2026-03-09');
select tests.work('2026-03-09T09:00Z');
select tests.act('bob', $$ api.consent_connection(tests.id('alice-bob'), '2026-03-09T10:30:05Z') $$) \g /dev/null
select tests.work('2026-03-09T10:30:10Z');
select is(tests.statuses() || tests.told('bob'), array['03-09 missed'], 'a consent after the deadline alarms nobody: the sender was never asked');

-- X34: the deadline is an edge. Acts between it and the judgement.
create function tests.after_deadline(p_person text, p_sql text) returns text[]
  language plpgsql
as $$
begin
  perform tests.afresh();
  perform tests.begin_day('UTC', '2026-03-09');
  perform tests.work('2026-03-09T09:00Z');
  perform tests.act(p_person, p_sql);
  perform tests.work('2026-03-09T10:30:10Z');
  return tests.statuses() || coalesce(tests.told('bob'), '{}');
end
$$;
select is(tests.after_deadline('alice', act), array['03-09 missed', 'Alice has not checked in today.'], sentence)
from (values
  ($$ api.pause_connection(tests.id('alice-bob'), '2026-03-09T10:30:08Z') $$, 'a pause after the deadline leaves the miss standing'),
  ($$ api.put_break('{"from": "2026-03-09", "until": "2026-03-10"}', '2026-03-09T10:30:08Z') $$, 'so does a break'),
  ($$ api.put_sender_profile('{"ping_time": "20:00"}', '2026-03-09T10:30:08Z') $$, 'a new time'),
  ($$ api.pause_connection(tests.id('alice-bob'), '2026-03-09T10:30:00Z') $$, 'a pause at the deadline itself')
) as acts (act, sentence);
select is(tests.after_deadline(person, act), array['03-09 missed'], sentence || ' after the deadline leaves the row missed, and nobody is told')
from (values
  ('alice', $$ api.remove_connection(tests.id('alice-bob'), '2026-03-09T10:30:08Z') $$, 'a removal'),
  ('bob', $$ api.remove_connection(tests.id('alice-bob'), '2026-03-09T10:30:08Z') $$, 'a removal by the receiver'),
  ('alice', $$ api.delete_sender_profile('2026-03-09T10:30:08Z') $$, 'the end of the sender''s profile'),
  ('bob', $$ api.delete_receiver_profile('2026-03-09T10:30:08Z') $$, 'the end of the receiver''s profile'),
  ('alice', format($$ api.put_block(%L, '2026-03-09T10:30:08Z') $$, tests.id('bob')), 'a block')
) as acts (person, act, sentence);
select is(tests.after_deadline('alice', $$ api.pause_connection(tests.id('alice-bob'), '2026-03-09T10:29:59Z') $$), array['03-09 cancelled'], 'a pause before the deadline cancels');
select is(tests.after_deadline('alice', $$ api.remove_connection(tests.id('alice-bob'), '2026-03-09T10:29:59Z') $$), array['03-09 cancelled'], 'so does a removal');
select is(tests.after_deadline('alice', $$ api.check_in(null, false, null, 'app', '2026-03-09T10:30:04Z') $$), array['03-09 completed_late', 'Alice checked in.'],
  'a check-in before anybody was told is late, and tells of no miss and no all-clear');
select is(tests.after_deadline('alice', $$ api.check_in(null, false, null, 'app', '2026-03-09T10:29:59Z') $$), array['03-09 completed', 'Alice checked in.'], 'one before the deadline is in time');
-- The worker is late: the removal came half an hour after the deadline.
select is(tests.after_deadline('alice', $$ api.remove_connection(tests.id('alice-bob'), '2026-03-09T10:29:00Z') $$), array['03-09 cancelled'], 'however late the worker is, a removal before the deadline cancels');

-- X35: one all-clear, to those who were alarmed.
select tests.afresh();
select tests.begin_day('UTC', '2026-03-03');
select tests.run('2026-03-03T09:00Z', '2026-03-03T09:00:10Z');
select tests.run('2026-03-03T10:30Z', '2026-03-03T10:31Z');
select tests.work('2026-03-04T00:00:01Z');
select tests.work('2026-03-04T09:00Z');
select tests.check_in('2026-03-04T10:30:04Z') \g /dev/null
select is(tests.statuses(), array['03-03 completed_late', '03-04 completed_late'], 'missed on the 3rd, four seconds late on the 4th');
select is(tests.told('bob'), array['Alice has not checked in today.', 'Alice checked in late. They''re safe.'], 'one all-clear');
select tests.work('2026-03-04T10:30:10Z');
select is(tests.told('bob'), array['Alice has not checked in today.', 'Alice checked in late. They''re safe.'], 'and no miss after it');

-- "Today".
select tests.afresh('UTC', '23:20', 95);
select tests.begin_day('UTC', '2026-03-09');
select tests.work('2026-03-09T23:20Z');
select tests.work('2026-03-10T00:55:10Z');
select is(tests.told('bob') || tests.told('alice'), array['Alice did not check in on 9 March 2026.', 'You missed the check-in on 9 March 2026. Check in now to let your receivers know you''re safe.'], 'after midnight both read the date');

-- X35: the worker was away from the 2nd 08:00 to the 5th 08:00.
create function tests.return_worker() returns void
  language plpgsql
as $$
begin
  perform tests.afresh();
  perform tests.begin_day('UTC', '2026-03-02');
  perform tests.check_in('2026-03-01T09:05Z');
  insert into kith.outages (component, began_at, ended_at) values ('worker', '2026-03-02T08:00Z', '2026-03-05T08:00Z');
  perform tests.run('2026-03-05T08:00Z', '2026-03-05T08:01Z');
end
$$;
select tests.return_worker();
select is((select array_agg(type || ' ' || (data ->> 'date')) from kith.notifications where user_id = tests.id('alice')), array['ping_due 2026-03-02'], 'after an outage of the workers the sender is asked first');
select tests.run('2026-03-05T09:00Z', '2026-03-05T09:29Z');
select is(tests.told('bob'), null, 'with the full grace, within which nobody is alarmed');
select tests.run('2026-03-05T09:30Z', '2026-03-05T09:31Z');
select is(tests.told('bob'), array['Kith could not ask Alice from 2 March 2026, 08:00 to 5 March 2026, 08:00. Their last check-in was 1 March 2026, 09:05.'],
  'then the receiver reads since when Kith could not ask');
select is(tests.statuses(), array['03-02 missed', '03-05 due'], 'a date whose ping was never made is not missed');
select is((select deadline_at from kith.pings where ping_on = '2026-03-02'), '2026-03-02T10:30Z', 'the deadline stays as promised');
select is((select days from internal.missed_row(tests.tenant('acme'), tests.id('alice'), '2026-03-01T10:00Z', '2026-03-05T09:40Z')), 0::bigint, 'the day does not count for emergency access (E03)');
select tests.return_worker();
select tests.check_in('2026-03-05T08:10Z') \g /dev/null
select tests.run('2026-03-05T09:00Z', '2026-03-05T10:32Z');
select is(tests.told('bob'), array['Alice checked in.'], 'a check-in meanwhile is told as an ordinary one, with no alarm and no all-clear');
select is(tests.statuses(), array['03-02 completed_late', '03-05 completed'], 'and is late for the ping of the outage');

-- J07.
select tests.afresh('UTC', '19:00');
select tests.begin_day('UTC', '2026-03-08');
select tests.run('2026-03-08T19:00Z', '2026-03-08T19:00:10Z');
select tests.run('2026-03-08T20:29Z', '2026-03-08T20:31Z');
select tests.work('2026-03-09T00:00:01Z');
select tests.check_in('2026-03-09T12:01Z', '2026-03-08T19:42Z') \g /dev/null
select is(tests.statuses(), array['03-08 completed_late', '03-09 scheduled'], 'tapped offline yesterday, arrives today: it speaks for yesterday');
select is(tests.told('bob'), array['Alice has not checked in today.', 'Alice checked in at 8 March 2026, 19:42; it arrived later.'], 'and says when it was tapped');
select is((select last_check_in_at from kith.sender_profiles where user_id = tests.id('alice') and tenant_id = tests.tenant('acme')), '2026-03-08T19:42Z', 'the last check-in is the moment of the tap');
select is((select array_agg(type order by id) from kith.notifications where user_id = tests.id('bob')), array['ping_missed', 'ping_all_clear'], 'it clears the alarm');
select tests.afresh();
select tests.begin_day('UTC', '2026-03-09');
select tests.run('2026-03-09T09:00Z', '2026-03-09T09:00:10Z');
select tests.check_in('2026-03-09T10:00Z', '2026-03-09T09:10Z') \g /dev/null
select is(tests.statuses() || tests.told('bob'), array['03-09 completed', 'Alice checked in at 09:10; it arrived later.'], 'before the judgement it completes the ping in time');
select tests.afresh();
select tests.begin_day('UTC', '2026-03-09');
select tests.run('2026-03-09T09:00Z', '2026-03-09T09:00:10Z');
select tests.check_in('2026-03-09T10:00Z', '2026-03-08T22:00Z') \g /dev/null
select is(tests.statuses(), array['03-09 due'], 'a tap of last night leaves today''s ping open');
select tests.run('2026-03-09T10:30Z', '2026-03-09T10:31Z');
select is(tests.told('bob'), array['Alice has not checked in today.'], 'and whoever did not wake up is reported');
select tests.afresh();
select tests.begin_day('UTC', '2026-03-09');
select tests.check_in('2026-03-09T07:00:30Z', '2026-03-09T07:00:00Z') \g /dev/null
select is(tests.statuses(), array['03-09 completed'], 'within a minute of the tap the early rule holds');
select tests.afresh();
select tests.begin_day('UTC', '2026-03-09');
select tests.check_in('2026-03-09T08:00Z', '2026-03-09T07:00Z') \g /dev/null
select is(tests.statuses(), array['03-09 scheduled'], 'later it does not');
select tests.afresh();
select tests.as_user('acme', 'alice');
select throws_ok($$ select api.check_in(null, false, '2026-03-09T12:01:01Z', 'app', '2026-03-09T12:00Z') $$, 'KT422', 'validation_failed', 'a tap more than a minute ahead is refused');
select throws_ok($$ select api.check_in(null, false, '2026-03-02T11:59Z', 'app', '2026-03-09T12:00Z') $$, 'KT422', 'validation_failed', 'so is one more than 7 days old');
select lives_ok($$ select api.check_in(null, false, '2026-03-09T12:01Z', 'app', '2026-03-09T12:00Z') $$, 'a minute ahead is tolerated');
select tests.as_superuser();
select tests.afresh();
select tests.begin_day('UTC', '2026-03-08');
select tests.run('2026-03-08T09:00Z', '2026-03-08T09:00:10Z');
select tests.run('2026-03-08T10:30Z', '2026-03-08T10:31Z');
select tests.work('2026-03-09T00:00:01Z');
select tests.run('2026-03-09T09:00Z', '2026-03-09T09:00:10Z');
select tests.run('2026-03-09T10:30Z', '2026-03-09T10:31Z');
select tests.check_in('2026-03-09T12:00Z', '2026-03-08T11:00Z') \g /dev/null
select is(tests.statuses(), array['03-08 completed_late', '03-09 missed'], 'a late tap clears only what came before it');
select is((select array_agg(type order by id) from kith.notifications where user_id = tests.id('bob')), array['ping_missed', 'ping_missed', 'ping_completed'], 'and is no all-clear while a later miss stands');

-- X35: "has resumed" where pings flow.
select tests.afresh();
select tests.act('alice', $$ api.put_break('{"from": "2026-03-09", "until": "2026-03-10"}', '2026-03-09T06:00Z') $$) \g /dev/null
select tests.act('alice', format($$ api.resume_connection(%L, '2026-03-09T07:00Z') $$, tests.carols())) \g /dev/null
select is(tests.told('carol', 'connection_resumed'), null, 'resumed within a break, a connection has not resumed yet');
select tests.work('2026-03-11T00:00:01Z');
select is(tests.told('carol', '%'), array['Alice has resumed their connection with you'], 'the receiver is told when pings flow');
select tests.work('2026-03-11T00:00:02Z');
select is(tests.told('carol', '%'), array['Alice has resumed their connection with you'], 'once');

-- E03: who was asked, and by what.
select tests.afresh();
update kith.connections set status = 'pending' where id = tests.id('alice-bob');
select tests.begin_day('UTC', '2026-03-09');
select tests.run('2026-03-09T09:00Z', '2026-03-09T09:00:10Z');
select tests.run('2026-03-09T10:30Z', '2026-03-09T10:31Z');
select is((select days from internal.missed_row(tests.tenant('acme'), tests.id('alice'), '2026-03-01T10:00Z', '2026-03-09T12:00Z')), 0::bigint, 'a day with pending connections only does not count');
create function tests.missed_day() returns void
  language plpgsql
as $$
begin
  perform tests.afresh();
  perform tests.begin_day('UTC', '2026-03-09');
  perform tests.run('2026-03-09T09:00Z', '2026-03-09T09:00:10Z');
  perform tests.run('2026-03-09T10:30Z', '2026-03-09T10:31Z');
end
$$;
select tests.missed_day();
select is((select days from internal.missed_row(tests.tenant('acme'), tests.id('alice'), '2026-03-01T10:00Z', '2026-03-09T12:00Z')), 1::bigint, 'a day on which she was asked and silent counts');
update kith.notifications set delivery_status = 'failed' where type in ('ping_due', 'ping_reminder');
select is((select days from internal.missed_row(tests.tenant('acme'), tests.id('alice'), '2026-03-01T10:00Z', '2026-03-09T12:00Z')), 0::bigint, 'a day on which no channel took the notice does not');

-- P11.
select tests.afresh();
select tests.begin_day('UTC', '2026-03-09');
select tests.check_in('2026-03-09T08:00Z') \g /dev/null
delete from kith.events;
select tests.act('alice', $$ api.check_in('Back home', true, null, 'app', '2026-03-09T18:00Z') $$) \g /dev/null
select is((select count(*) from kith.events where user_id = tests.id('bob') and type = 'connection'), 1::bigint, 'a second check-in with a note changes what a dashboard shows');

select * from finish();
rollback;
