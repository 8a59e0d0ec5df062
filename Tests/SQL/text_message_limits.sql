-- How many notifications a user gets by SMS in a day.
begin;
\ir people.sql
\ir planned_notifications.sql
select plan(13);

-- Text messages cost money: those of a chat are limited, those that break through are not.
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
values (tests.tenant('acme'), 'sms', '{}', '\x01', :now, :now);
insert into kith.notification_preferences values
  (tests.tenant('acme'), tests.id('bob'), 'message_received', '{sms}', :now),
  (tests.tenant('acme'), tests.id('bob'), 'ping_all_clear', '{sms}', :now), (tests.tenant('acme'), tests.id('bob'), 'ping_missed', '{sms}', :now);
select tests.as_role('kith_admin');
select is(
  (admin.set_tenant('acme', '{"sms_notifications_per_user_per_day": 3}') ->> 'sms_notifications_per_user_per_day')::integer, 3,
  'an operator limits a user''s text messages per day'
);
select throws_ok(
  $$ select admin.set_tenant('acme', '{"sms_notifications_per_user_per_day": -1}') $$, 'KT422', 'validation_failed', 'the limit must not be negative'
);
select tests.as_superuser();
select tests.tell(n, 'bob', 'message_received') from generate_series(31, 35) as n \g /dev/null
select tests.plan_all() \g /dev/null
select is(
  (select string_agg(tests.ways(n), ', ' order by n) from generate_series(31, 33) as n),
  'sms +4915100000002 queued, sms +4915100000002 queued, sms +4915100000002 queued', 'messages of a chat are sent up to the limit'
);
select is(
  (select string_agg(concat_ws(' ', tests.ways(n), tests.status(n)), ', ' order by n) from generate_series(34, 35) as n),
  'sms +4915100000002 dropped dropped, sms +4915100000002 dropped dropped', 'further messages are dropped'
);
select tests.as_role('kith_admin');
select is(
  (select error from kith.deliveries where status = 'dropped' and channel = 'sms' limit 1),
  'over the limit of 3 text messages in 24 hours (sms_notifications_per_user_per_day)', 'the drop has its reason'
);
select tests.as_superuser();
select is((select dropped from kith.delivery_totals where channel = 'sms'), 2::bigint, 'the drop is counted');
select tests.tell(36, 'bob', 'ping_all_clear'), tests.tell(37, 'bob', 'ping_missed') \g /dev/null
select tests.plan_all() \g /dev/null
select is(
  concat_ws(', ', tests.ways(36), tests.ways(37)), 'sms +4915100000002 queued, sms +4915100000002 queued',
  'alarms and other notifications that break through are sent regardless of the limit'
);
-- A receiver who looks for somebody learns that they need not.
savepoint alarm;
insert into kith.notification_preferences
select tests.tenant('acme'), tests.id('bob'), type, '{sms}', :now from unnest(array['alarm_taken', 'alarm_resolved', 'connection_paused']) as type;
select tests.tell(41, 'bob', 'alarm_taken'), tests.tell(42, 'bob', 'alarm_resolved'), tests.tell(43, 'bob', 'connection_paused') \g /dev/null
select tests.plan_all() \g /dev/null
select is(
  concat_ws(', ', tests.ways(41), tests.ways(42)), 'sms +4915100000002 queued, sms +4915100000002 queued',
  'that somebody looks after an alarm, and that it is over, is sent regardless of the limit'
);
select is(tests.ways(43), 'sms +4915100000002 dropped', 'and nothing else');
rollback to alarm;
insert into kith.notification_preferences values (tests.tenant('acme'), tests.id('carol'), 'message_received', '{sms}', :now);
update kith.users set phone_verified_at = :now where id = tests.id('carol');
select tests.tell(38, 'carol', 'message_received') \g /dev/null
select tests.plan_all() \g /dev/null
select is(tests.ways(38), 'sms +4915100000003 queued', 'each user has a separate limit');
update kith.deliveries set status = 'failed' where id = (
  select id from kith.deliveries where notification_id = tests.told(31) and channel = 'sms'
);
select tests.tell(40, 'bob', 'message_received') \g /dev/null
select tests.plan_all() \g /dev/null
select is(tests.ways(40), 'sms +4915100000002 queued', 'a failed delivery does not count towards the limit');
select tests.tell(39, 'bob', 'message_received', '2026-03-11T12:00:01Z') \g /dev/null
select tests.plan_all('2026-03-11T12:00:01Z') \g /dev/null
select is(tests.ways(39), 'sms +4915100000002 queued', 'the limit is per day');
select tests.as_role('kith_admin');
select lives_ok($$ select * from admin.dropped_deliveries $$, 'an operator sees dropped deliveries and their reasons');
select tests.as_superuser();

select * from finish();
rollback;
