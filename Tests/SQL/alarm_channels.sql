-- The channels of an alarm: the chosen ones first, then every other one, then the tenant's webhooks (F07).
begin;
\ir people.sql
\ir planned_notifications.sql
select plan(39);

update kith.pings set status = 'missed';
insert into kith.notification_preferences values (tests.tenant('acme'), tests.id('bob'), 'ping_missed', '{push}', :now);
select tests.tell(20, 'bob', 'ping_missed') \g /dev/null
select tests.plan_all() \g /dev/null
select is(
  tests.ways(20), 'apns bobs-phone queued, web_push https://push.example/bob queued', 'an alarm first uses the chosen channels'
);
select is(
  (select concat_ws(' ', internal.instant(escalates_at), escalated_at) from kith.notifications where id = tests.told(20)),
  '2026-03-10T12:02:00.000000Z', 'an alarm uses them alone for two minutes'
);
select is((select max(expires_at) from kith.deliveries), '2026-03-13T12:00Z', 'an alarm''s deliveries are tried for three days');
select is(tests.plan_all('2026-03-10T12:01:59Z'), 0, 'nothing else happens within the two minutes');
select is(tests.plan_all('2026-03-10T12:02:00Z'), 1, 'after two minutes the alarm is planned again');
select is(
  tests.ways(20), 'apns bobs-phone queued, email bob@example.org queued, web_push https://push.example/bob queued',
  'the other channels are tried, whatever the user has chosen'
);
select is(tests.attempt('email', 'sent', '2026-03-10T12:02:05Z'), 1, 'one of the channels accepts it');
select is(
  (select concat_ws(' ', delivery_status, internal.instant(sent_at), escalates_at) from kith.notifications where id = tests.told(20)),
  'sent 2026-03-10T12:02:05.000000Z', 'one accepted delivery is enough'
);
select is(tests.plan_all('2026-03-10T12:30:00Z'), 0, 'no further channel is tried');
select is((select count(*) from kith.undelivered_alarms), 0::bigint, 'the alarm counts as delivered');
delete from kith.deliveries; delete from kith.notifications;

-- After three failures the other channels are tried.
delete from kith.devices where platform = 'web';
select tests.tell(21, 'bob', 'ping_missed') \g /dev/null
select tests.plan_all() \g /dev/null
select tests.attempt('apns', 'retry', at, 'busy') from unnest(array['2026-03-10T12:00:01Z', '2026-03-10T12:00:20Z']::timestamptz[]) as at \g /dev/null
select is(tests.plan_all('2026-03-10T12:00:40Z'), 0, 'two failures change nothing');
select is(tests.attempt('apns', 'retry', '2026-03-10T12:00:50Z', 'busy'), 1, 'a third failure is recorded');
select is(tests.plan_all('2026-03-10T12:00:51Z'), 1, 'after three failures the other channels are tried at once');
select is(tests.ways(21), 'apns bobs-phone queued, email bob@example.org queued', 'the first channel is still tried');
select is(tests.attempt('email', 'failed', '2026-03-10T12:00:52Z', 'no such mailbox'), 1, 'the other channel fails');
select is(tests.status(21), 'queued', 'the alarm is still queued on the first channel');
select is(tests.plan_all('2026-03-10T12:08:51Z'), 1, 'after eight minutes the alarm is planned again');
select is(
  (select concat_ws(' ', user_id = tests.id('bob'), type, internal.instant(at)) from kith.undelivered_alarms where notification_id = tests.told(21)),
  't ping_missed 2026-03-10T12:08:51.000000Z', 'the alarm then counts as undelivered'
);
select is(
  (select concat_ws(' ', type, user_id = tests.id('bob'), subject_id = tests.told(21)) from kith.events), 'alarm_undelivered t t',
  'an event tells the tenant''s webhooks'
);
select is(tests.plan_all('2026-03-10T12:30:00Z'), 0, 'the tenant''s webhooks are told once');
select is(tests.attempt('apns', 'sent', '2026-03-10T12:30:00Z'), 1, 'the first channel finally accepts the alarm');
select is(
  (select concat_ws(' ', tests.status(21), internal.instant(resolved_at)) from kith.undelivered_alarms), 'sent 2026-03-10T12:30:00.000000Z',
  'the alarm is then resolved'
);
delete from kith.deliveries; delete from kith.notifications; delete from kith.undelivered_alarms;

-- Permanent failures on every channel.
select tests.tell(22, 'bob', 'ping_missed') \g /dev/null
select tests.plan_all() \g /dev/null
select tests.attempt('apns', 'failed', '2026-03-10T12:00:01Z', 'rejected') \g /dev/null
select is(tests.status(22), 'queued', 'a permanent failure of one channel does not end an alarm');
select is(tests.plan_all('2026-03-10T12:00:02Z'), 1, 'the other channels are tried at once');
select tests.attempt('email', 'failed', '2026-03-10T12:00:03Z', 'no such mailbox') \g /dev/null
select is(
  (select concat_ws(' ', tests.status(22), internal.instant(at)) from kith.undelivered_alarms), 'failed 2026-03-10T12:00:03.000000Z',
  'when every channel has failed permanently, the alarm is undelivered'
);
select admin.resolve_alarm('acme', tests.told(22), 'called him', '2026-03-10T12:05Z') \g /dev/null
select admin.replay_deliveries('apns', 'acme', '2026-03-10T12:00Z', 'the phone is on again', '2026-03-10T12:06Z') \g /dev/null
select tests.attempt('apns', 'failed', '2026-03-10T12:06:01Z', 'rejected') \g /dev/null
select is(
  (select concat_ws(' ', tests.status(22), internal.instant(at), resolved_at) from kith.undelivered_alarms), 'failed 2026-03-10T12:06:01.000000Z',
  'a resolved alarm that fails again after a replay is undelivered again'
);
delete from kith.deliveries; delete from kith.notifications; delete from kith.undelivered_alarms;

-- Users whose only channel is not a chosen one, and users without any channel.
insert into kith.notification_preferences values (tests.tenant('acme'), tests.id('carol'), 'ping_missed', '{push}', :now);
select tests.tell(23, 'carol', 'ping_missed') \g /dev/null
select tests.plan_all() \g /dev/null
select is(tests.ways(23), 'email carol@example.org queued', 'an alarm uses the only channel there is, even if it was not chosen');
select tests.tell(24, 'mallory', 'ping_missed') \g /dev/null
select tests.plan_all() \g /dev/null
select is(
  (select concat_ws(' ', tests.status(24), internal.instant(at)) from kith.undelivered_alarms), 'failed 2026-03-10T12:00:00.000000Z',
  'an alarm without any channel is undelivered'
);

-- The chosen channel is paused.
insert into kith.channel_pauses values (tests.tenant('acme'), 'apns', 'broken', 'operator:x', :now);
select tests.tell(26, 'bob', 'ping_missed'), tests.tell(27, 'bob', 'ping_completed') \g /dev/null
select tests.plan_all() \g /dev/null
select is(
  tests.ways(26), 'apns bobs-phone queued, email bob@example.org queued', 'an alarm does not wait for a paused channel'
);
select is(tests.ways(27), 'apns bobs-phone queued', 'other notifications wait for a paused channel');
delete from kith.channel_pauses; delete from kith.deliveries where notification_id in (tests.told(26), tests.told(27));
delete from kith.notifications where id in (tests.told(26), tests.told(27));

-- A delivery that crashes every worker that sends it.
select tests.tell(28, 'bob', 'ping_missed') \g /dev/null
select tests.plan_all() \g /dev/null
update kith.deliveries set status = 'sending', unanswered = 5, leased_until = '2026-03-10T12:01Z', leased_by = 'w1' where notification_id = tests.told(28);
select tests.as_role('kith_worker');
select is(worker.give_up_deliveries('2026-03-10T12:01Z', 10), 1, 'an alarm that crashes its workers is given up');
select tests.as_superuser();
select is(tests.plan_all('2026-03-10T12:01:01Z'), 1, 'a given-up alarm is planned again at once');
select is(tests.ways(28), 'apns bobs-phone failed, email bob@example.org queued', 'a given-up alarm uses every other channel');
delete from kith.deliveries where notification_id = tests.told(28); delete from kith.notifications where id = tests.told(28);

-- The alarm ends while other channels are tried.
select tests.tell(25, 'bob', 'ping_missed') \g /dev/null
select tests.plan_all() \g /dev/null
update kith.pings set status = 'completed_late', completed_at = '2026-03-10T12:05Z';
select is(tests.plan_all('2026-03-10T12:10Z'), 2, 'the due notifications are planned');
select is(tests.ways(25), 'apns bobs-phone queued', 'an alarm that is over uses no further channel');
select is(tests.attempt('apns', 'sent', '2026-03-10T12:10Z'), 0, 'a delivery of an alarm that is over is not sent');
select is(concat_ws(' ', tests.status(25), tests.ways(25)), 'dropped apns bobs-phone dropped', 'the delivery of an alarm that is over is dropped');
select tests.as_role('kith_worker');
select is(worker.alarm_operator('2026-03-10T12:10Z', 10), 1, 'an undelivered alarm that is over is processed');
select tests.as_superuser();
select is((select resolved_at from kith.undelivered_alarms), '2026-03-10T12:10Z', 'an undelivered alarm that is over is resolved');

select * from finish();
rollback;
