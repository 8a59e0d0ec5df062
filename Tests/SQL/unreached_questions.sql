-- The question that did not arrive (X37): what receivers read of a miss, whose days count, and who can be asked at all.
begin;
\ir people.sql
\ir pairs_house.sql
select plan(27);
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
select tests.tenant('acme'), channel, '{}', '\x01', '2026-01-05Z', '2026-01-05Z' from unnest(array['apns', 'email']) as channel;
update kith.users set phone_verified_at = null, email_verified_at = null;
insert into kith.devices (tenant_id, user_id, token, platform, environment, last_seen_at, created_at)
values (tests.tenant('acme'), tests.id('alice'), 'tok', 'ios', 'production', '2026-03-01Z', '2026-03-01Z');

-- Plans what waits, and lets the provider of pushes answer what is sent.
create function tests.send(p_now timestamptz, p_outcome text) returns void
  language plpgsql
as $$
declare
  v_messages jsonb;
begin
  perform tests.as_role('kith_worker');
  perform worker.plan_deliveries(p_now, 100, false);
  select jsonb_agg(jsonb_build_object('tenant_id', claimed.tenant_id, 'id', claimed.id, 'outcome', p_outcome, 'error', 'x')) into v_messages
  from worker.claim_deliveries(p_now, 'apns', 100, 100, 0, '{}', '{}', 'w1') as claimed;
  if v_messages is not null then
    perform worker.finish_deliveries(p_now, 'w1', v_messages);
  end if;
  perform tests.as_superuser();
end
$$;
-- A day that nobody answers, and what becomes of its question at 09:00 and of the reminder at 10:15.
create function tests.silent_day(p_on date, p_outcome text) returns void
  language plpgsql
as $$
begin
  perform tests.begin_day(p_on), tests.work((p_on + time '09:00:01') at time zone 'UTC');
  perform tests.send((p_on + time '09:01:01') at time zone 'UTC', p_outcome), tests.work((p_on + time '10:15:01') at time zone 'UTC');
  perform tests.send((p_on + time '10:15:02') at time zone 'UTC', p_outcome), tests.work((p_on + time '10:30:11') at time zone 'UTC');
end
$$;
create function tests.misses(p_person text) returns text
  language sql
as $$
  select string_agg(body, ' | ' order by id) from tests.notifications where user_id = tests.id(p_person) and type = 'ping_missed'
$$;
create function tests.words(p_person text) returns text
  language sql
as $$
  select string_agg(concat_ws(': ', title, body), ' | ' order by id) from tests.notifications
  where user_id = tests.id(p_person) and type = 'sender_unreachable'
$$;
create function tests.days(p_now timestamptz default '2026-04-20T12:00Z') returns bigint
  language sql
as $$
  select days from internal.missed_row(tests.tenant('acme'), tests.id('alice'), '2026-03-08T12:00Z', p_now)
$$;
create function tests.unaskable() returns text
  language sql
as $$
  select to_char(unaskable_since at time zone 'UTC', 'DD HH24:MI') from kith.sender_profiles where tenant_id = tests.tenant('acme') and user_id = tests.id('alice')
$$;
savepoint house;

-- The miss.
select tests.silent_day('2026-03-09', 'sent') \g /dev/null
select is(tests.misses('bob'), 'Alice has not checked in today.', 'a question that a channel took has arrived as far as anybody knows');
select is(tests.days(), 1::bigint, 'and its day counts');
rollback to house;
select tests.silent_day('2026-03-09', 'retry') \g /dev/null
select is(
  tests.misses('bob'), 'Alice has not checked in today. Our question may not have reached them.', 'what a provider did not take may not have arrived'
);
select is(
  tests.misses('alice'), 'You missed today''s check-in. Check in now to let your receivers know you''re safe.', 'which the sender need not be told'
);
select is(tests.days(), 0::bigint, 'and its day does not count, whether or not anybody has a right that begins by silence');
select is((select count(*) from kith.alarms where resolved_at is null), 1::bigint, 'the alarm opens all the same');
savepoint missed;
update kith.deliveries set status = 'sent', sent_at = '2026-03-09T11:00Z' where channel = 'apns';
update kith.notifications set delivery_status = 'sent', sent_at = '2026-03-09T11:00Z' where type = 'ping_due';
select is(tests.days(), 0::bigint, 'nor if it arrives after the deadline');
rollback to missed;
select tests.begin_day('2026-03-10') \g /dev/null
select is(
  internal.said(type, data), null, 'the two sentences are not the same as one'
) from kith.notifications where user_id = tests.id('bob') and type = 'ping_missed';
rollback to house;
select tests.connect('alice', 'carol') \g /dev/null
insert into kith.alarm_plans (tenant_id, user_id, after_minutes, repeat_minutes, take_minutes, answer_minutes, receivers_know_each_other, updated_at)
values (tests.tenant('acme'), tests.id('alice'), '{0,60}', '{}', 60, 30, true, '2026-01-05Z');
insert into kith.alarm_plan_receivers (tenant_id, user_id, connection_id, tier)
select tenant_id, sender_id, id, 2 from kith.connections where sender_id = tests.id('alice') and receiver_id = tests.id('carol');
select tests.silent_day('2026-03-09', 'retry'), tests.work('2026-03-09T11:31Z') \g /dev/null
select is(
  tests.misses('carol'), 'Alice has not checked in today. Our question may not have reached them.', 'a later tier reads the same'
);
rollback to house;
update kith.sender_profiles set ping_time = '22:30' where user_id = tests.id('alice');
select tests.begin_day('2026-03-09'), tests.work('2026-03-09T22:30:01Z'), tests.send('2026-03-09T22:31:01Z', 'retry') \g /dev/null
select tests.work('2026-03-09T23:45:01Z'), tests.send('2026-03-09T23:45:02Z', 'retry'), tests.work('2026-03-10T00:00:11Z') \g /dev/null
select is(
  tests.misses('bob'), 'Alice did not check in on 9 March 2026. Our question may not have reached them.', 'of another date too'
);
rollback to house;

-- No channel that works.
savepoint gone;
delete from kith.devices where user_id = tests.id('alice');
select tests.begin_day('2026-03-09'), tests.work('2026-03-09T09:00:01Z'), tests.send('2026-03-09T09:01:01Z', 'sent') \g /dev/null
select tests.work('2026-03-09T10:15:01Z'), tests.send('2026-03-09T10:15:02Z', 'sent') \g /dev/null
select is(
  tests.words('bob'), 'Cannot Be Asked: We can''t remind Alice to check in. No message reaches them.', 'whoever watches is told at the first question that goes nowhere'
);
select is(tests.unaskable(), '09 09:01', 'which is remembered');
select tests.work('2026-03-09T10:30:11Z') \g /dev/null
select is(
  tests.misses('bob'), 'Alice has not checked in today. Our question may not have reached them.', 'and the miss says so too'
);
select is(tests.days(), 0::bigint, 'its day does not count');
select tests.silent_day('2026-03-10', 'sent'), tests.silent_day('2026-03-11', 'sent') \g /dev/null
select is((select count(*) from kith.notifications where type = 'sender_unreachable'), 1::bigint, 'they are told once');
savepoint told;
insert into kith.devices (tenant_id, user_id, token, platform, environment, last_seen_at, created_at)
values (tests.tenant('acme'), tests.id('alice'), 'new', 'ios', 'production', '2026-03-11Z', '2026-03-11Z');
select tests.silent_day('2026-03-12', 'sent') \g /dev/null
select is(
  tests.words('bob'), 'Cannot Be Asked: We can''t remind Alice to check in. No message reaches them. | Can Be Asked Again: We can remind Alice again.',
  'and again when a question goes out'
);
select is(tests.unaskable(), null, 'then it is forgotten');
select is(tests.days(), 1::bigint, 'and days count again');
select tests.silent_day('2026-03-13', 'sent') \g /dev/null
select is((select count(*) from kith.notifications where type = 'sender_unreachable'), 2::bigint, 'that too is told once');
select is(
  (
    select string_agg(coalesce(over.reason, 'nothing'), ', ' order by told.id)
    from kith.notifications as told
    cross join internal.pointless(told.tenant_id, told.user_id, told.type, told.data, null) as over
    where told.type = 'sender_unreachable'
  ), 'they can be asked again, nothing', 'what waits of the first word is over'
);
delete from kith.devices where user_id = tests.id('alice');
select is(
  (
    select string_agg(coalesce(over.reason, 'nothing'), ', ' order by told.id)
    from kith.notifications as told
    cross join internal.pointless(told.tenant_id, told.user_id, told.type, told.data, null) as over
    where told.type = 'sender_unreachable'
  ), 'nothing, they can no longer be asked', 'or of the second'
);
rollback to told;
select tests.connect('alice', 'carol') \g /dev/null
select tests.silent_day('2026-03-12', 'sent') \g /dev/null
select is(tests.words('carol'), null, 'who connects later reads it of the first miss');
rollback to gone;

-- The app alone, and the tenant's own server.
insert into kith.notification_preferences values (tests.tenant('acme'), tests.id('alice'), 'ping_due', '{}', '2026-01-05Z');
delete from kith.devices where user_id = tests.id('alice');
select tests.silent_day('2026-03-09', 'sent') \g /dev/null
select is(
  concat_ws(', ', tests.misses('bob'), tests.words('bob'), tests.days()), 'Alice has not checked in today., 1', 'whoever chose the app alone counts as asked'
);
rollback to gone;
delete from kith.channel_credentials;
delete from kith.devices;
select tests.silent_day('2026-03-09', 'sent') \g /dev/null
select is(
  concat_ws(', ', tests.misses('bob'), tests.words('bob'), tests.days()), 'Alice has not checked in today., 1', 'so does whom the tenant''s own server asks'
);
rollback to gone;

-- A phone with STOP.
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
values (tests.tenant('acme'), 'voice', '{}', '\x01', '2026-01-05Z', '2026-01-05Z');
delete from kith.devices where user_id = tests.id('alice');
update kith.users set phone = '+4915100000001', phone_verified_at = '2026-01-05Z' where id = tests.id('alice');
select ok(internal.can_be_asked(tests.tenant('acme'), tests.id('alice')), 'a phone is asked by a call where the tenant sends no texts');
insert into kith.text_numbers (tenant_id, phone, stopped_at, answers_since, updated_at)
values (tests.tenant('acme'), '+4915100000001', '2026-03-01Z', '2026-03-01Z', '2026-03-01Z');
select ok(not internal.can_be_asked(tests.tenant('acme'), tests.id('alice')), 'not after STOP');
insert into kith.notification_preferences values (tests.tenant('acme'), tests.id('alice'), 'ping_due', '{push,voice}', '2026-01-05Z');
select ok(internal.can_be_asked(tests.tenant('acme'), tests.id('alice')), 'unless its owner chose calls');

select * from finish();
rollback;
