-- The channels of notifications (F02, F04), and an alarm that no channel accepts (F07).
begin;
\ir people.sql
select plan(71);
\set now '''2026-03-10T12:00:00Z'''

create function tests.told(p_n integer) returns uuid
  language sql immutable
  return ('019cd79e-4600-7000-8000-' || lpad(p_n::text, 12, '0'))::uuid;
-- Inserts a notification, at noon or later.
create function tests.tell(
  p_n integer, p_person text, p_type text, p_at timestamptz default '2026-03-10T12:00:00Z', p_tenant text default 'acme',
  p_deliver_at timestamptz default null
) returns void
  language sql
as $$
  insert into kith.notifications (tenant_id, id, user_id, type, title, body, data, created_at, deliver_at)
  values (
    tests.tenant(p_tenant), tests.told(p_n), tests.id(p_person), p_type, 'Title', 'Body',
    jsonb_build_object('connection_id', tests.id('alice-bob'), 'ping_id', tests.told(0), 'date', '2026-03-10'), p_at, p_deliver_at
  )
$$;
create function tests.plan_all(p_at timestamptz default '2026-03-10T12:00:00Z', p_takes_all boolean default false, p_batch integer default 100)
  returns integer
  language plpgsql
as $$
declare
  v_planned integer;
begin
  perform tests.as_role('kith_worker');
  v_planned := worker.plan_deliveries(p_at, p_batch, p_takes_all);
  perform tests.as_superuser();
  return v_planned;
end
$$;
create function tests.ways(p_n integer) returns text
  language sql
as $$
  select string_agg(concat_ws(' ', channel, address, status), ', ' order by channel, address) from kith.deliveries where notification_id = tests.told(p_n)
$$;
create function tests.status(p_n integer) returns text
  language sql
as $$
  select delivery_status from kith.notifications where id = tests.told(p_n)
$$;
-- Claims a channel's deliveries as a worker and finishes each with the given outcome.
create function tests.attempt(p_channel text, p_outcome text, p_at timestamptz, p_error text default null) returns integer
  language plpgsql
as $$
declare
  v_finished integer;
begin
  perform tests.as_role('kith_worker');
  v_finished := worker.finish_deliveries(
    p_at, 'w1',
    (
      select coalesce(jsonb_agg(jsonb_build_object('tenant_id', tenant_id, 'id', id, 'outcome', p_outcome, 'error', p_error)), '[]')
      from worker.claim_deliveries(p_at, p_channel, 100, 100, 0, '{}', '{}', 'w1')
    )
  );
  perform tests.as_superuser();
  return v_finished;
end
$$;

insert into kith.devices (tenant_id, token, user_id, platform, environment, public_key, auth_secret, created_at, last_seen_at)
select tests.tenant(tenant), token, tests.id(person), platform, 'production', key, key, '2026-03-01Z', '2026-03-01Z'
from (values
  ('acme', 'bobs-phone', 'bob', 'ios', null), ('acme', 'https://push.example/bob', 'bob', 'web', 'k'),
  ('acme', 'https://push.example/old', 'bob', 'web', null), ('acme', 'alices-phone', 'alice', 'ios', null),
  ('globex', 'globex-phone', 'globex-bob', 'ios', null)
) as devices (tenant, token, person, platform, key);
update kith.users set email = 'bob@example.org', email_verified_at = :now, phone = '+4915100000002', phone_verified_at = :now
where id = tests.id('bob');
update kith.users set email = 'carol@example.org', email_verified_at = :now, phone = '+4915100000003' where id = tests.id('carol');
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
select tests.tenant('acme'), channel, '{}', '\x00', :now, :now from unnest(array['apns', 'web_push', 'email']) as channel;
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
values (
  tests.tenant('acme'), '2026-03-10', tests.id('alice-bob'), tests.told(0), tests.id('alice'), tests.id('bob'), 'due', '2026-03-10T11:00Z',
  '2026-03-10T12:30Z'
);

select tests.tell(1, 'bob', 'connection_request') \g /dev/null
select is(tests.plan_all(), 1, 'a new notification is planned');
select is(
  tests.ways(1), 'apns bobs-phone queued, web_push https://push.example/bob queued', 'a notification gets a delivery for each device that accepts pushes'
);
select is(
  (select planned_at from kith.notifications where id = tests.told(1)), :now, 'the time of planning is stored'
);
select is(tests.plan_all(), 0, 'a notification is planned once');
select is(tests.status(1), 'queued', 'the notification is queued');
select is(
  (
    select distinct concat_ws(' ', purpose, is_urgent, internal.instant(next_attempt_at), internal.instant(expires_at), subject, body)
    from kith.deliveries where notification_id = tests.told(1)
  ),
  'notification f 2026-03-10T12:00:00.000000Z 2026-03-11T12:00:00.000000Z',
  'a delivery may be sent at once and for a day, is not urgent, and has no text of its own'
);

select tests.tell(2, 'carol', 'connection_request') \g /dev/null
select tests.tell(3, 'globex-bob', 'connection_request', p_tenant => 'globex') \g /dev/null
select is(tests.plan_all(), 2, 'other notifications are planned');
select is(tests.ways(2) || tests.status(2), null, 'a user without a device gets no push');
select is(tests.status(2), 'dropped', 'a notification without a delivery is dropped');
select is(coalesce(tests.ways(3), tests.status(3)), 'dropped', 'a tenant without credentials sends nothing');
select tests.tell(4, 'globex-bob', 'connection_request', p_tenant => 'globex') \g /dev/null
select is(tests.plan_all(p_takes_all => true), 1, 'a worker that delivers every channel itself plans a notification');
select is(tests.ways(4), 'apns globex-phone queued', 'a worker that delivers every channel itself needs no credentials');

insert into kith.notification_preferences values
  (tests.tenant('acme'), tests.id('bob'), 'connection_request', '{sms,email}', :now),
  (tests.tenant('acme'), tests.id('bob'), 'ping_missed', '{push}', :now);
select tests.tell(5, 'bob', 'connection_request') \g /dev/null
select tests.plan_all() \g /dev/null
select is(tests.ways(5), 'email bob@example.org queued', 'a user chooses among the channels that the tenant has');
update kith.users set email_verified_at = null where id = tests.id('bob');
select tests.tell(6, 'bob', 'connection_request') \g /dev/null
select tests.plan_all() \g /dev/null
select is(coalesce(tests.ways(6), tests.status(6)), 'dropped', 'an unverified address is not used');
update kith.users set email_verified_at = :now where id = tests.id('bob');

select tests.tell(7, 'alice', 'ping_due', p_deliver_at => '2026-03-10T12:00:30Z') \g /dev/null
select is(tests.plan_all(), 0, 'a delayed notification is not planned early');
select is(tests.plan_all('2026-03-10T12:00:30Z'), 1, 'a delayed notification is planned at its time');
select is(
  (
    select concat_ws(' ', is_urgent, internal.instant(next_attempt_at), internal.instant(expires_at))
    from kith.deliveries where notification_id = tests.told(7)
  ),
  't 2026-03-10T12:00:30.000000Z 2026-03-10T12:30:00.000000Z', 'a request to check in is urgent and expires at the deadline'
);
select tests.tell(8, 'alice', 'ping_reminder', '2026-03-10T12:20:00Z') \g /dev/null
select tests.plan_all('2026-03-10T12:20:00Z') \g /dev/null
select is(
  (select expires_at from kith.deliveries where notification_id = tests.told(8)), '2026-03-10T12:35Z',
  'a reminder is valid for at least 15 minutes, which people have after an outage'
);
select is((select escalates_at from kith.notifications where id = tests.told(8)), null, 'a reminder is not an alarm');

update kith.users set deleted_at = :now where id = tests.id('carol');
select tests.tell(9, 'carol', 'connection_request') \g /dev/null
update kith.tenants set deleted_at = :now where slug = 'globex';
select tests.tell(10, 'globex-bob', 'ping_missed', p_tenant => 'globex') \g /dev/null
select is(tests.plan_all(p_takes_all => true), 2, 'notifications to deleted accounts and of deleted tenants are processed');
select is(concat_ws(' ', tests.status(9), tests.status(10), tests.ways(9), tests.ways(10)), 'dropped dropped', 'deleted accounts and deleted tenants are told nothing');
update kith.users set deleted_at = null where id = tests.id('carol');
delete from kith.deliveries; delete from kith.notifications;

-- An alarm.
update kith.pings set status = 'missed';
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

-- Text messages cost money: those of a chat are limited, those that break through are not.
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
values (tests.tenant('acme'), 'sms', '{}', '\x01', :now, :now);
insert into kith.notification_preferences values
  (tests.tenant('acme'), tests.id('bob'), 'message_received', '{sms}', :now),
  (tests.tenant('acme'), tests.id('bob'), 'ping_all_clear', '{sms}', :now);
update kith.notification_preferences set channels = '{sms}' where user_id = tests.id('bob') and type = 'ping_missed';
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
