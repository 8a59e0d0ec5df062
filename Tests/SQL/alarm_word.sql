-- Nobody's word takes a miss from another: whoever was to read of it reads the word, as urgently, whatever they have turned off.
begin;
\ir people.sql
\ir alarm_house.sql
select plan(18);
create function tests.sends(p_channel text, p_now timestamptz, p_outcome text default 'sent') returns void
  language plpgsql
as $$
begin
  perform tests.as_role('kith_worker');
  perform worker.finish_deliveries(p_now, 'w1', (
    select coalesce(jsonb_agg(jsonb_build_object('tenant_id', tenant_id, 'id', id, 'outcome', p_outcome)), '[]')
    from worker.claim_deliveries(p_now, p_channel, 100, 100, 0, '{}', '{}', 'w1')
  ));
  perform tests.as_superuser();
end
$$;
create function tests.ways(p_person text, p_type text) returns text
  language sql
as $$
  select string_agg(
    concat_ws(' ', delivery.channel, case when delivery.status = 'dropped' then 'dropped' end, case when not delivery.is_urgent then 'held' end),
    ', ' order by note.id, delivery.channel
  )
  from kith.notifications as note
  join kith.deliveries as delivery on delivery.tenant_id = note.tenant_id and delivery.notification_id = note.id
  where note.user_id = tests.id(p_person) and note.type = p_type
$$;
create function tests.turn_off(p_person text, p_type text) returns void
  language sql
as $$
  insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
  values (tests.tenant('acme'), tests.id(p_person), p_type, '{}', '2026-01-05T08:00Z')
$$;
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
select tests.tenant('acme'), channel, '{}', '\x00', '2026-01-05T08:00Z', '2026-01-05T08:00Z' from unnest(array['sms', 'email', 'apns', 'voice']) as channel;
update kith.users set phone = '+491510000000' || right(id::text, 1), phone_verified_at = '2026-01-05T08:00Z', email = lower(display_name) || '@example.org',
  email_verified_at = '2026-01-05T08:00Z', time_zone = 'UTC'
where tenant_id = tests.tenant('acme') and display_name in ('Bob', 'Carol', 'Alice');
insert into kith.devices (tenant_id, token, user_id, platform, environment, created_at, last_seen_at)
select tests.tenant('acme'), person || 's-phone', tests.id(person), 'ios', 'production', '2026-01-05T08:00Z', '2026-01-05T08:00Z'
from unnest(array['bob', 'carol', 'alice']) as person;
select tests.turn_off('carol', 'alarm_resolved'), tests.turn_off('carol', 'alarm_taken') \g /dev/null
insert into kith.quiet_hours (tenant_id, user_id, starts_at, ends_at, updated_at) values (tests.tenant('acme'), tests.id('carol'), '10:00', '18:00', '2026-03-01Z');
savepoint house;

-- A receiver of a later tier.
insert into kith.alarm_plans (tenant_id, user_id, after_minutes, repeat_minutes, take_minutes, answer_minutes, receivers_know_each_other, updated_at)
values (tests.tenant('acme'), tests.id('alice'), '{0,30}', '{30,120}', 30, 30, false, '2026-03-01Z');
insert into kith.alarm_plan_receivers (tenant_id, user_id, connection_id, tier)
select tests.tenant('acme'), tests.id('alice'), id, case receiver_id when tests.id('bob') then 1 else 2 end from kith.connections
where sender_id = tests.id('alice') and status = 'active';
select tests.miss('2026-03-02'), tests.plan_all('2026-03-02T10:31Z'), tests.sends('apns', '2026-03-02T10:31Z') \g /dev/null
select is(tests.told('ping_missed'), 'Alice, Bob', 'Carol is told later');
select tests.act('bob', 'resolve', '2026-03-02T10:40Z', '{"outcome": "safe"}') \g /dev/null
select tests.plan_all('2026-03-02T10:40Z') \g /dev/null
select is(tests.ways('carol', 'alarm_resolved'), 'apns, email', 'a receiver of a later tier reads the word at once, as they would have read the miss');
select tests.plan_all('2026-03-02T10:42:01Z') \g /dev/null
select is(
  tests.ways('carol', 'alarm_resolved'), 'apns, email, sms', 'which goes out on the other channels after two minutes, as a miss does'
);
delete from kith.channel_credentials where channel <> 'apns';
delete from kith.devices where user_id = tests.id('carol');
select tests.sends('apns', '2026-03-02T10:43Z'), tests.plan_all('2026-03-02T10:51Z') \g /dev/null
select is(
  (select string_agg(type, ' ') from kith.undelivered_alarms where user_id = tests.id('carol')), 'alarm_resolved', 'and nobody mistakes silence for safety there'
);
rollback to house;

-- A receiver whose message has not left.
select tests.miss('2026-03-02'), tests.plan_all('2026-03-02T10:31Z') \g /dev/null
savepoint planned;
select tests.act('bob', 'take', '2026-03-02T10:32Z') \g /dev/null
select tests.plan_all('2026-03-02T10:32Z'), tests.sends('apns', '2026-03-02T10:32Z') \g /dev/null
select is(tests.ways('carol', 'ping_missed'), 'apns dropped, email', 'while somebody has it, nobody is told of the miss any more');
select is(tests.ways('carol', 'alarm_taken'), 'apns, email', 'but reads that somebody has it, whatever they have turned off and in their quiet hours');
select is(tests.body('carol', 'alarm_taken'), 'Another receiver is looking after Alice. There was no check-in.', 'and of what');
select is(tests.body('alice', 'alarm_taken'), 'Bob is looking after it.', 'which the sender knows');
rollback to planned;
select tests.sends('apns', '2026-03-02T10:31Z') \g /dev/null
select tests.act('bob', 'take', '2026-03-02T10:32Z') \g /dev/null
select tests.plan_all('2026-03-02T10:32Z') \g /dev/null
select is(tests.ways('carol', 'alarm_taken'), null, 'whoever has heard of the miss, and turned it off, hears nothing of that');
select tests.act('bob', 'resolve', '2026-03-02T10:40Z', '{"outcome": "safe"}') \g /dev/null
select tests.plan_all('2026-03-02T10:40Z') \g /dev/null
select is(tests.ways('carol', 'alarm_resolved'), 'apns', 'but they hear the end, where they heard of the miss');
select is(tests.body('carol', 'alarm_resolved'), 'Another receiver reached Alice: they''re safe.', 'as everybody does');
rollback to planned;
select tests.turn_off('alice', 'alarm_resolved') \g /dev/null
select tests.act('bob', 'resolve', '2026-03-02T10:40Z', '{"outcome": "safe"}') \g /dev/null
select tests.plan_all('2026-03-02T10:40Z') \g /dev/null
select is(tests.ways('alice', 'alarm_resolved'), null, 'the sender, who knows how they are, may turn it off');
rollback to planned;

-- What a channel refused, and a call that nobody answered, were no telling.
select tests.sends('apns', '2026-03-02T10:31Z', 'failed'), tests.sends('email', '2026-03-02T10:31Z', 'failed') \g /dev/null
select tests.act('bob', 'resolve', '2026-03-02T10:32Z', '{"outcome": "help_called"}') \g /dev/null
select tests.plan_all('2026-03-02T10:32Z') \g /dev/null
select is(
  tests.body('carol', 'alarm_resolved'), 'Another receiver has called help for Alice. There was no check-in.',
  'whom no channel has told reads that there was no check-in'
);
select is(tests.ways('carol', 'alarm_resolved'), 'apns, email', 'at once');
rollback to house;

-- The end of a call for help reaches who turned it off, too.
select tests.help('alice', '2026-03-02T08:00Z') \g /dev/null
select tests.plan_all('2026-03-02T08:00Z'), tests.sends('email', '2026-03-02T08:00Z') \g /dev/null
select tests.act('bob', 'resolve', '2026-03-02T08:40Z', '{"outcome": "safe"}') \g /dev/null
select tests.plan_all('2026-03-02T08:40Z') \g /dev/null
select is(tests.ways('carol', 'alarm_resolved'), 'email', 'of a call for help as well');
rollback to house;
select tests.help('alice', '2026-03-02T08:00Z') \g /dev/null
select tests.plan_all('2026-03-02T08:00Z'), tests.sends('apns', '2026-03-02T08:00Z') \g /dev/null
select tests.act('alice', 'resolve', '2026-03-02T08:01Z', '{"outcome": "false_alarm"}') \g /dev/null
select tests.plan_all('2026-03-02T08:01Z') \g /dev/null
select is(tests.ways('carol', 'alarm_resolved'), 'apns', 'and of a false alarm');
rollback to house;

select tests.turn_off('carol', 'ping_all_clear') \g /dev/null
select tests.help('alice', '2026-03-02T08:00Z') \g /dev/null
select tests.plan_all('2026-03-02T08:00Z'), tests.sends('apns', '2026-03-02T08:00Z') \g /dev/null
select tests.check_in('alice', '2026-03-02T08:01Z'), tests.plan_all('2026-03-02T08:01Z') \g /dev/null
select is(tests.ways('carol', 'ping_all_clear'), 'apns', 'and the all-clear');
rollback to house;

-- A drill is no louder than its reader wants.
select tests.as_user('acme', 'alice');
select api.drill_alarm('2026-03-02T08:00Z') \g /dev/null
select tests.as_superuser();
select tests.plan_all('2026-03-02T08:00Z'), tests.sends('apns', '2026-03-02T08:00Z') \g /dev/null
select tests.act('bob', 'resolve', '2026-03-02T08:01Z', '{"outcome": "safe"}') \g /dev/null
select tests.plan_all('2026-03-02T08:01Z') \g /dev/null
select is(tests.ways('carol', 'alarm_resolved'), null, 'the end of a drill is turned off');
select * from finish();
rollback;
