-- The reminders before a deadline (J06), each with its channels.
begin;
\ir people.sql
select plan(36);

create function tests.put(p_body jsonb, p_now timestamptz default '2026-03-10T12:00Z') returns text
  language plpgsql
as $$
declare
  v_answer jsonb;
  v_detail text;
begin
  perform tests.as_user('acme', 'alice');
  v_answer := api.put_sender_profile('{"ping_time": "09:00"}' || p_body, p_now);
  perform tests.as_superuser();
  return concat_ws(' ', v_answer ->> 'grace_minutes', v_answer ->> 'reminder_minutes', v_answer -> 'reminders');
exception when sqlstate 'KT422' then
  get stacked diagnostics v_detail = pg_exception_detail;
  perform tests.as_superuser();
  return (select string_agg(concat_ws(' ', error ->> 'field', error ->> 'message'), '; ') from jsonb_array_elements(v_detail::jsonb) as error);
end
$$;
create function tests.loop(p_name text, p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_done integer;
begin
  perform tests.as_role('kith_worker');
  execute format('select worker.%I($1, 1000)', p_name) into v_done using p_now;
  perform tests.as_superuser();
  return v_done;
end
$$;
-- What Alice was reminded of, as the minutes that were left.
create function tests.reminded() returns text
  language sql
as $$
  select string_agg(concat_ws(' ', to_char(created_at, 'HH24:MI'), data ->> 'minutes', (data -> 'channels')::text), '; ' order by id)
  from kith.notifications
  where tenant_id = tests.tenant('acme') and user_id = tests.id('alice') and type = 'ping_reminder'
$$;
create function tests.next_at() returns text
  language sql
as $$
  select to_char(remind_at, 'DD HH24:MI') from kith.pings
  where tenant_id = tests.tenant('acme') and connection_id = tests.id('alice-bob') and ping_on = '2026-03-11'
$$;

-- Setting them.
select is(tests.put('{}'), '90 15 [{"before_minutes": 15}]', 'without reminders of one''s own there is the one of reminder_minutes');
select is(
  tests.put('{"reminders": [{"before_minutes": 10}, {"before_minutes": 60, "channels": ["voice", "sms", "sms"]}, {"before_minutes": 30, "channels": ["push"]}]}'),
  '90 10 [{"channels": ["sms", "voice"], "before_minutes": 60}, {"channels": ["push"], "before_minutes": 30}, {"before_minutes": 10}]',
  'reminders are sorted, the earliest first, and the last one sets reminder_minutes'
);
select is(tests.put('{"reminders": [{"before_minutes": 90}]}'), 'reminders[0].before_minutes must be less than the time to answer', 'a reminder is before the deadline');
select is(
  tests.put('{"reminders": [{"before_minutes": 20}, {"before_minutes": 20, "channels": ["sms"]}]}'),
  'reminders[1].before_minutes must not be repeated', 'reminders are distinct'
);
select is(
  tests.put('{"reminder_minutes": 15, "reminders": [{"before_minutes": 20}]}'), 'reminder_minutes must be that of the last reminder, or be left out',
  'reminder_minutes cannot say something else'
);
select is(tests.put('{"reminder_minutes": 20, "reminders": [{"before_minutes": 20}]}'), '90 20 [{"before_minutes": 20}]', 'but the same');
select is(
  tests.put('{"reminders": [{"before_minutes": 10}, {"before_minutes": 60, "channels": ["sms"]}, {"before_minutes": 30}, {"before_minutes": 80}]}'),
  '90 10 [{"before_minutes": 80}, {"channels": ["sms"], "before_minutes": 60}, {"before_minutes": 30}, {"before_minutes": 10}]', 'there can be four'
);
select is(
  tests.put('{"reminder_minutes": 35}'), '90 35 [{"before_minutes": 80}, {"channels": ["sms"], "before_minutes": 60}, {"before_minutes": 35}]',
  'a new last reminder leaves out those that are no longer before it'
);
select is(
  tests.put('{"grace_minutes": 70}'), '70 35 [{"channels": ["sms"], "before_minutes": 60}, {"before_minutes": 35}]',
  'a shorter grace leaves out those that no longer fit'
);
select is(tests.put('{"grace_minutes": 30}'), '30 15 [{"before_minutes": 15}]', 'a grace shorter than all of them leaves half of it');
select is(tests.put('{"grace_minutes": 90, "reminders": null, "reminder_minutes": null}'), '90 15 [{"before_minutes": 15}]', 'null brings back the one of C');
select is((select reminders from kith.sender_profiles where tenant_id = tests.tenant('acme') and user_id = tests.id('alice')), null, 'and the row says nothing of its own');

-- Sending them.
select is(
  tests.put('{"reminders": [{"before_minutes": 60, "channels": ["sms"]}, {"before_minutes": 30}, {"before_minutes": 10, "channels": ["voice"]}]}'),
  '90 10 [{"channels": ["sms"], "before_minutes": 60}, {"before_minutes": 30}, {"channels": ["voice"], "before_minutes": 10}]', 'three reminders'
);
select cmp_ok(tests.loop('generate_daily_pings', '2026-03-11T00:00Z'), '>=', 1, 'the next day''s pings are made');
select is(tests.next_at(), '11 09:30', 'a ping has the instant of the first reminder');
select tests.loop('announce_due_pings', '2026-03-11T09:00Z') \g /dev/null
select is(tests.loop('remind_senders', '2026-03-11T09:29:59Z'), 0, 'nothing is read before it is due');
select is(tests.loop('remind_senders', '2026-03-11T09:30Z'), 1, 'the first is due');
select is(tests.next_at(), '11 10:00', 'then the ping has the instant of the second');
select is(tests.loop('remind_senders', '2026-03-11T09:30:01Z'), 0, 'each is sent once');
select is(tests.loop('remind_senders', '2026-03-11T10:00Z'), 1, 'the second is due');
select is(tests.loop('remind_senders', '2026-03-11T10:20Z'), 1, 'the third is due');
select is(tests.next_at(), null, 'and there is no other');
select is(tests.reminded(), '09:30 60 ["sms"]; 10:00 30; 10:20 10 ["voice"]', 'each says the minutes that are left, and has its channels');

-- What ends them.
savepoint fresh;
update kith.pings set remind_at = '2026-03-11T09:30Z' where tenant_id = tests.tenant('acme') and ping_on = '2026-03-11';
delete from kith.notifications where type = 'ping_reminder';
select is(tests.loop('remind_senders', '2026-03-11T10:05Z'), 1, 'of reminders that are late');
select is(tests.reminded(), '10:05 25', 'only the last is sent');
select is(tests.next_at(), '11 10:20', 'and the next one follows');
select tests.as_user('acme', 'alice');
select api.check_in(null, false, null, 'app', '2026-03-11T10:06Z') \g /dev/null
select tests.as_superuser();
select is(tests.next_at(), null, 'a check-in ends them');
rollback to fresh;
update kith.pings set remind_at = '2026-03-11T10:00Z' where tenant_id = tests.tenant('acme') and ping_on = '2026-03-11';
delete from kith.notifications where type = 'ping_reminder';
insert into kith.quiet_hours values (tests.tenant('acme'), tests.id('alice'), '22:00', '10:30', '2026-03-11T00:00Z');
select is(tests.loop('remind_senders', '2026-03-11T10:00Z'), 1, 'in quiet hours, an early reminder is settled');
select is(tests.reminded(), null, 'but not sent, and not held');
select is(tests.next_at(), '11 10:20', 'the next one follows');
select tests.loop('remind_senders', '2026-03-11T10:20Z') \g /dev/null
select is(tests.reminded(), '10:20 10 ["voice"]', 'the last one before the deadline breaks through quiet hours');
rollback to fresh;
select tests.as_user('acme', 'alice');
select api.put_break('{"from": "2026-03-11", "until": "2026-03-12"}', '2026-03-11T09:40Z') \g /dev/null
select tests.as_superuser();
select is(tests.next_at(), null, 'a break ends them');
rollback to fresh;
update kith.pings set remind_at = '2026-03-11T10:20Z' where tenant_id = tests.tenant('acme') and ping_on = '2026-03-11';
select is(tests.put('{"grace_minutes": 120}', '2026-03-11T10:05Z'), '120 10 [{"channels": ["sms"], "before_minutes": 60}, {"before_minutes": 30}, {"channels": ["voice"], "before_minutes": 10}]', 'a longer grace');
select is(tests.next_at(), '11 10:30', 'moves the reminders that are ahead');

-- The rehearsal has all of them.
select tests.as_superuser();
select set_config('kith.tenant_id', tests.tenant('acme')::text, true) \g /dev/null
select is(
  (
    select string_agg(to_char(step.at, 'HH24:MI'), ' ' order by step.at)
    from internal.rehearsed_ping_steps(tests.id('alice'), '2026-03-11T12:00Z', '2026-03-13T00:00Z', '2026-03-11T12:00Z') as step
    where step.kind = 'ping_reminder' and (step.at at time zone 'UTC')::date = '2026-03-12'
  ), '10:00 10:30 10:50', 'the rehearsal shows each reminder'
);
select tests.as_superuser();
select throws_ok(
  $$ update kith.sender_profiles set reminders = '[{"before_minutes": 20}]' where user_id = tests.id('alice') $$, '23514', null,
  'the row cannot contradict itself'
);
select * from finish();
rollback;
