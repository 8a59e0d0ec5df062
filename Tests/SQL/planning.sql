-- The channels of notifications (F02, F04).
begin;
\ir people.sql
\ir planned_notifications.sql
select plan(25);

select tests.tell(1, 'bob', 'connection_accepted') \g /dev/null
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

select tests.tell(2, 'carol', 'connection_accepted') \g /dev/null
select tests.tell(3, 'globex-bob', 'connection_accepted', p_tenant => 'globex') \g /dev/null
select is(tests.plan_all(), 2, 'other notifications are planned');
select is(tests.ways(2) || tests.status(2), null, 'a user without a device gets no push');
select is(tests.status(2), 'dropped', 'a notification without a delivery is dropped');
select is(coalesce(tests.ways(3), tests.status(3)), 'dropped', 'a tenant without credentials sends nothing');
select tests.tell(4, 'globex-bob', 'connection_accepted', p_tenant => 'globex') \g /dev/null
select is(tests.plan_all(p_takes_all => true), 1, 'a worker that delivers every channel itself plans a notification');
select is(tests.ways(4), 'apns globex-phone queued', 'a worker that delivers every channel itself needs no credentials');

insert into kith.notification_preferences values
  (tests.tenant('acme'), tests.id('bob'), 'connection_accepted', '{sms,email}', :now),
  (tests.tenant('acme'), tests.id('bob'), 'ping_missed', '{push}', :now);
select tests.tell(5, 'bob', 'connection_accepted') \g /dev/null
select tests.plan_all() \g /dev/null
select is(tests.ways(5), 'email bob@example.org queued', 'a user chooses among the channels that the tenant has');
update kith.users set email_verified_at = null where id = tests.id('bob');
select tests.tell(6, 'bob', 'connection_accepted') \g /dev/null
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

-- Whoever is not asked is reported missing.
delete from kith.devices where user_id = tests.id('alice');
update kith.users
set phone = '+4915100000001', phone_verified_at = :now, email = 'alice@example.org', email_verified_at = :now
where tenant_id = tests.tenant('acme') and id = tests.id('alice');
select tests.tell(11, 'alice', 'ping_due') \g /dev/null
select tests.tell(12, 'alice', 'ping_reminder', '2026-03-10T12:15:00Z') \g /dev/null
select tests.plan_all('2026-03-10T12:15:00Z', true) \g /dev/null
select is(
  tests.ways(11) || ', ' || tests.ways(12),
  'email alice@example.org queued, sms +4915100000001 queued, email alice@example.org queued, sms +4915100000001 queued',
  'a sender without a device is asked and reminded on her other channels'
);
insert into kith.notification_preferences values (tests.tenant('acme'), tests.id('alice'), 'ping_due', '{email}', :now);
select tests.tell(13, 'alice', 'ping_due') \g /dev/null
select tests.plan_all(p_takes_all => true) \g /dev/null
select is(tests.ways(13), 'email alice@example.org queued', 'where the channel that she chose can be used, it alone is');
insert into kith.channel_pauses values (0, 'email', 'away', 'ops', :now);
select tests.tell(14, 'alice', 'ping_due') \g /dev/null
select tests.plan_all(p_takes_all => true) \g /dev/null
select is(
  tests.ways(14), 'email alice@example.org queued, sms +4915100000001 queued', 'where its provider is away, the others are used too'
);
delete from kith.channel_pauses;
update kith.notification_preferences set channels = '{}' where user_id = tests.id('alice');
select tests.tell(15, 'alice', 'ping_due') \g /dev/null
select tests.plan_all(p_takes_all => true) \g /dev/null
select is(coalesce(tests.ways(15), tests.status(15)), 'dropped', 'whoever turns off all channels is asked in the app alone');

update kith.users set deleted_at = :now where id = tests.id('carol');
select tests.tell(9, 'carol', 'connection_accepted') \g /dev/null
update kith.tenants set deleted_at = :now where slug = 'globex';
select tests.tell(10, 'globex-bob', 'ping_missed', p_tenant => 'globex') \g /dev/null
select is(tests.plan_all(p_takes_all => true), 2, 'notifications to deleted accounts and of deleted tenants are processed');
select is(concat_ws(' ', tests.status(9), tests.status(10), tests.ways(9), tests.ways(10)), 'dropped dropped', 'deleted accounts and deleted tenants are told nothing');
update kith.users set deleted_at = null where id = tests.id('carol');
delete from kith.deliveries; delete from kith.notifications;

select * from finish();
rollback;
