-- Today's ping: made, cancelled, restored, moved (P13, X23, X25).
begin;
\ir people.sql
select plan(45);

create function tests.bring(p_now timestamptz, p_person text default 'alice') returns void
  language plpgsql
as $$
begin
  perform tests.as_definer('acme', p_person);
  perform internal.bring_ping(tests.id('alice-bob'), p_now);
  perform tests.as_superuser();
end
$$;

-- Alice changes her profile: what api.put_sender_profile does for the pings.
create function tests.retime(p_zone text, p_time time, p_grace integer, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  update kith.sender_profiles set time_zone = p_zone, ping_time = p_time, grace_minutes = p_grace, timed_at = p_now
  where tenant_id = tests.tenant('acme') and user_id = tests.id('alice');
  perform tests.as_definer('acme', 'alice');
  perform internal.retime_pings(kith.user_id(), p_now);
  perform tests.as_superuser();
end
$$;

create function tests.pings() returns text[]
  language sql
as $$
  select array_agg(
    concat_ws(' ', to_char(ping_on, 'MM-DD'), status, to_char(scheduled_at, 'DD HH24:MI'), coalesce(to_char(remind_at, 'DD HH24:MI'), '-'), to_char(deadline_at, 'DD HH24:MI'))
    order by ping_on
  )
  from kith.pings
  where tenant_id = tests.tenant('acme') and connection_id = tests.id('alice-bob')
$$;

create function tests.set_status(p_status text) returns void
  language sql
as $$
  update kith.connections set status = p_status, deleted_at = case p_status when 'deleted' then now() end where id = tests.id('alice-bob')
$$;

-- P13.
select tests.bring('2026-03-02T08:00:00Z');
select is(tests.pings(), array['03-02 scheduled 02 09:00 02 10:15 02 10:30'], 'before its time the ping is scheduled');
create temporary table made as select id from kith.pings;
select tests.bring('2026-03-02T09:30:00Z');
select is((select array_agg(id) from kith.pings), (select array_agg(id) from made), 'a connection never has more than one ping per date');
delete from kith.pings;
select tests.bring('2026-03-02T09:00:00Z');
select is(tests.pings(), array['03-02 due 02 09:00 02 10:15 02 10:30'], 'after its time the ping is due');
select is((select count(*) from kith.notifications), 0::bigint, 'the sender, who is in the app, is not told');
delete from kith.pings;
select tests.bring('2026-03-02T09:10:00Z', 'bob');
select is(tests.pings(), array['03-02 scheduled 02 09:00 02 10:15 02 10:30'], 'if the receiver connects, the ping is scheduled even after its time');
select tests.as_role('kith_worker');
select worker.announce_due_pings('2026-03-02T09:10:01Z', 100) \g /dev/null
select tests.as_superuser();
select is((select array_agg((user_id, type)::text) from kith.notifications), array[format('(%s,ping_due)', tests.id('alice'))], 'the sender, who may not know of the connection, is told');
delete from kith.notifications;
delete from kith.pings;
select tests.bring('2026-03-02T09:00:00Z', 'mallory');
select is((select count(*) from kith.pings), 0::bigint, 'a stranger makes no ping');
select tests.bring('2026-03-02T10:15:00Z');
select is(tests.pings(), array['03-02 due 02 09:00 - 02 10:30'], 'a reminder whose time has passed is left out');
delete from kith.pings;
select tests.bring('2026-03-02T10:29:59Z');
select is((select count(*) from kith.pings), 1::bigint, 'a second before the deadline the ping is still made');
delete from kith.pings;
select tests.bring('2026-03-02T10:30:00Z');
select is((select count(*) from kith.pings), 0::bigint, 'at the deadline no ping is made');
select tests.set_status('pending');
select tests.bring('2026-03-02T08:00:00Z');
select is((select count(*) from kith.pings), 1::bigint, 'a pending connection gets a ping (P29)');
delete from kith.pings;
select tests.set_status('paused');
select tests.bring('2026-03-02T08:00:00Z');
select is((select count(*) from kith.pings), 0::bigint, 'a paused connection gets no ping');
select tests.set_status('active');
update kith.sender_profiles set ping_time = '23:58' where tenant_id = tests.tenant('acme');
select tests.bring('2026-03-03T00:05:00Z');
select is(tests.pings(), array['03-03 scheduled 03 23:58 04 01:13 04 01:28'], 'a new connection gets no ping of yesterday');
delete from kith.pings;
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
values (tests.tenant('acme'), '2026-03-02', tests.id('alice-bob'), internal.uuid7('2026-03-02Z'), tests.id('alice'), tests.id('bob'), 'cancelled', '2026-03-02T23:58Z', '2026-03-03T01:28Z');
select tests.bring('2026-03-03T00:05:00Z');
select is(tests.pings(), array['03-02 due 02 23:58 03 01:13 03 01:28', '03-03 scheduled 03 23:58 04 01:13 04 01:28'],
  'a cancelled ping of yesterday is restored while its deadline is ahead');
update kith.sender_profiles set ping_time = '09:00' where tenant_id = tests.tenant('acme');
delete from kith.pings;
select tests.as_definer('globex', 'globex-alice');
select internal.bring_ping(tests.id('alice-bob'), '2026-03-02T08:00:00Z') \g /dev/null
select tests.as_superuser();
select is((select count(*) from kith.pings), 0::bigint, 'another tenant''s connection is not found');
select tests.as_role('kith_owner');
select throws_ok($$select internal.bring_ping(tests.id('alice-bob'), '2026-03-02T08:00:00Z')$$, 'KT401', 'unauthenticated', 'without a tenant no ping is made');
select tests.as_superuser();

-- Received just before midnight, processed just after it.
insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at, finished_at)
values (tests.tenant('acme'), 'UTC', '2026-03-03', '2026-03-03T00:00:00Z', '2026-03-03T00:00:00.05Z');
select tests.bring('2026-03-02T23:59:59.9Z');
select is(tests.pings(), array['03-03 scheduled 03 09:00 03 10:15 03 10:30'], 'if the new date''s run is already over, its ping is made at once');
update kith.ping_runs set finished_at = null, cursor_sender_id = tests.id('bob');
delete from kith.pings;
select tests.bring('2026-03-02T23:59:59.9Z');
select is(tests.pings(), null, 'if the run has not reached the sender yet, it will make the ping');
delete from kith.ping_runs;

-- X23.
create function tests.cancel(p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.as_definer('acme', 'alice');
  perform internal.cancel_pings(tests.id('alice-bob'), p_now);
  perform tests.as_superuser();
end
$$;
select tests.bring('2026-03-02T09:30:00Z');
select tests.cancel('2026-03-02T09:40:00Z');
select is(tests.pings(), array['03-02 due 02 09:00 02 10:15 02 10:30'], 'the pings of a live connection cannot be cancelled');
select tests.set_status('paused');
select tests.cancel('2026-03-02T09:40:00Z');
select is(tests.pings(), array['03-02 cancelled 02 09:00 - 02 10:30'], 'pausing cancels the open ping');
select tests.set_status('active');
select tests.bring('2026-03-02T09:50:00Z');
select is(tests.pings(), array['03-02 due 02 09:00 02 10:15 02 10:30'], 'resuming restores the same ping');
select tests.set_status('paused');
select tests.cancel('2026-03-02T09:55:00Z');
select tests.set_status('active');
select tests.bring('2026-03-02T10:31:00Z');
select is(tests.pings(), array['03-02 cancelled 02 09:00 - 02 10:30'], 'a ping is not restored after its deadline');
update kith.pings set status = 'completed', completed_at = '2026-03-02T09:59:00Z';
select tests.set_status('deleted');
select tests.cancel('2026-03-02T10:00:00Z');
select tests.set_status('active');
select tests.bring('2026-03-02T10:01:00Z');
select is((select status from kith.pings), 'completed', 'a completed ping stays completed through removal and reactivation');
update kith.pings set status = 'missed', completed_at = null;
select tests.set_status('paused');
select tests.cancel('2026-03-02T11:00:00Z');
select is((select status from kith.pings), 'missed', 'a missed ping stays missed');
select tests.set_status('active');
delete from kith.pings;

-- X25: a change of time within the zone.
select tests.bring('2026-03-02T07:00:00Z');
select tests.retime('UTC', '20:00', 60, '2026-03-02T07:10:00Z');
select is(tests.pings(), array['03-02 scheduled 02 20:00 02 20:45 02 21:00'], 'a scheduled ping moves to the new time');
select tests.retime('UTC', '07:30', 60, '2026-03-02T07:40:00Z');
select is(tests.pings(), array['03-02 scheduled 02 07:30 02 08:15 02 08:30'], 'a moved ping is announced if its new time has come');
update kith.pings set status = 'due', asked_at = '2026-03-02T07:40Z';
select tests.retime('UTC', '20:00', 60, '2026-03-02T07:50:00Z');
select is(tests.pings(), array['03-02 due 02 07:30 02 08:15 02 08:30'], 'a due ping is left alone');
delete from kith.pings;
select tests.retime('UTC', '09:00', 90, '2026-03-02T06:00:00Z');
select is(tests.pings(), array['03-02 scheduled 02 09:00 02 10:15 02 10:30'], 'a missing ping is made');
select tests.retime('UTC', '05:00', 30, '2026-03-02T06:00:00Z');
select is(tests.pings(), array['03-02 scheduled 02 09:00 02 10:15 02 10:30'], 'a ping whose new deadline has passed is left alone');
delete from kith.pings;
select tests.retime('UTC', '05:00', 30, '2026-03-02T06:00:00Z');
select is(tests.pings(), null, 'a missing ping whose deadline has passed is not made');
select tests.retime('UTC', '09:00', 90, '2026-03-02T11:00:00Z');
select is(tests.pings(), null, 'a ping that would already have been missed is not made');
select tests.set_status('paused');
select tests.retime('UTC', '09:00', 90, '2026-03-02T06:00:00Z');
select is(tests.pings(), null, 'a paused connection gets no ping');
select tests.set_status('active');

-- X25: a change of zone.
select tests.retime('Europe/Berlin', '09:00', 90, '2026-03-02T06:00:00Z');
select is(tests.pings(), array['03-02 scheduled 02 08:00 02 09:15 02 09:30'], 'an hour to the east the ping moves by an hour');
-- From Honolulu, where it is the 2nd, to Auckland, where it is the 3rd.
delete from kith.pings;
select tests.retime('Pacific/Honolulu', '09:00', 90, '2026-03-02T18:00:00Z');
select is(tests.pings(), array['03-02 scheduled 02 19:00 02 20:15 02 20:30'], 'in Honolulu the ping is of the 2nd');
select tests.retime('Pacific/Auckland', '09:00', 90, '2026-03-02T18:00:00Z');
select is(tests.pings(), array['03-02 cancelled 02 19:00 - 02 20:30', '03-03 scheduled 02 20:00 02 21:15 02 21:30'],
  'in Auckland the ping of the 3rd is made, and the old one, which has not come yet, is cancelled (X33)');
-- And back: the ping of the 3rd was made in Auckland, and in Honolulu it is still the 2nd.
delete from kith.pings where ping_on = '2026-03-02';
select tests.retime('Pacific/Honolulu', '09:00', 90, '2026-03-02T18:00:00Z');
select is(tests.pings(), array['03-02 scheduled 02 19:00 02 20:15 02 20:30', '03-03 scheduled 03 19:00 03 20:15 03 20:30'],
  'travelling west, tomorrow''s ping moves to tomorrow, and today has one');
-- No day is lost: after 40 changes of zone in 20 days, every local date of the zone in force at noon has its ping.
delete from kith.pings;
do $$
declare
  v_at timestamptz := '2026-03-02T12:00:00Z';
  v_zones text[] := array['Pacific/Auckland', 'Europe/Berlin', 'Pacific/Honolulu', 'Asia/Tokyo', 'UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago'];
begin
  for n in 1..40 loop
    perform tests.retime(v_zones[1 + n % 7], '23:00', 90, v_at);
    v_at := v_at + interval '12 hours';
  end loop;
end
$$;
select is(
  (select count(*) from generate_series(date '2026-03-03', date '2026-03-20', interval '1 day') as day where not exists (
    select from kith.pings where ping_on = day and connection_id = tests.id('alice-bob')
  )),
  0::bigint, 'however often the zone changes, no date lacks its ping'
);

-- A change of the times waits while another session generates a batch of the run; here no session does.
insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at) values (tests.tenant('acme'), 'UTC', '2026-03-02', '2026-03-02T00:00:00Z');
delete from kith.pings;
select lives_ok($$select tests.retime('UTC', '09:00', 90, '2026-03-02T06:00:00Z')$$, 'a run that nobody is working on does not block a change of the times');

-- The JSON of a ping.
select is(
  (select internal.ping_json(pings)::jsonb - 'id' from kith.pings),
  '{"connection_id": "0c000000-0000-7000-8000-000000000001", "date": "2026-03-02", "status": "scheduled",
    "scheduled_at": "2026-03-02T09:00:00.000000Z", "deadline_at": "2026-03-02T10:30:00.000000Z", "judge_at": null, "completed_at": null, "told_at": null, "telling": null, "note": null}'::jsonb,
  'a ping has the API''s form'
);

-- Only definer functions write pings.
select tests.as_user('acme', 'alice');
select throws_ok($$insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
  values (tests.tenant('acme'), '2026-03-05', tests.id('alice-bob'), internal.uuid7('2026-03-05Z'), tests.id('alice'), tests.id('bob'), 'due', '2026-03-05Z', '2026-03-06Z')$$,
  '42501', null, 'a user cannot insert a ping');
select throws_ok($$delete from kith.pings$$, '42501', null, 'a user cannot delete a ping');
select tests.as_superuser();

-- Constraints, the last line of defence.
select throws_like($$update kith.pings set deadline_at = scheduled_at$$, '%pings_deadline_is_after_schedule%', 'the deadline is after the scheduled time');
select throws_like($$update kith.pings set status = 'completed'$$, '%pings_completed_says_when%', 'a completed ping has its time of completion');
select throws_like($$update kith.pings set status = 'asleep'$$, '%pings_status_is_known%', 'a status is one of the six');
select throws_ok($$insert into kith.pings select * from kith.pings$$, '23505', null, 'a connection has one ping per date');

select * from finish();
rollback;
