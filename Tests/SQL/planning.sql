-- By which channels people are told (F02, F04), and what happens to an alarm that nobody takes (F07).
begin;
\ir people.sql
select plan(71);
\set now '''2026-03-10T12:00:00Z'''

create function tests.told(p_n integer) returns uuid
  language sql immutable
  return ('019cd79e-4600-7000-8000-' || lpad(p_n::text, 12, '0'))::uuid;
-- Something happens at noon, or later.
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
-- What becomes of every delivery that a worker gets on a channel.
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
select is(tests.plan_all(), 1, 'what was written is planned');
select is(
  tests.ways(1), 'apns bobs-phone queued, web_push https://push.example/bob queued', 'for each device that a push can reach'
);
select is(
  (select planned_at from kith.notifications where id = tests.told(1)), :now, 'with the time'
);
select is(tests.plan_all(), 0, 'once');
select is(tests.status(1), 'queued', 'and is on its way');
select is(
  (
    select distinct concat_ws(' ', purpose, is_urgent, internal.instant(next_attempt_at), internal.instant(expires_at), subject, body)
    from kith.deliveries where notification_id = tests.told(1)
  ),
  'notification f 2026-03-10T12:00:00.000000Z 2026-03-11T12:00:00.000000Z',
  'it can be sent at once and for a day, after what is urgent, and has no text of its own'
);

select tests.tell(2, 'carol', 'connection_request') \g /dev/null
select tests.tell(3, 'globex-bob', 'connection_request', p_tenant => 'globex') \g /dev/null
select is(tests.plan_all(), 2, 'others are planned');
select is(tests.ways(2) || tests.status(2), null, 'who has no device is not pushed');
select is(tests.status(2), 'dropped', 'and nothing is on its way to them');
select is(coalesce(tests.ways(3), tests.status(3)), 'dropped', 'nor to anybody of a tenant without credentials');
select tests.tell(4, 'globex-bob', 'connection_request', p_tenant => 'globex') \g /dev/null
select is(tests.plan_all(p_takes_all => true), 1, 'a worker that has a way for every channel');
select is(tests.ways(4), 'apns globex-phone queued', 'needs no credentials');

insert into kith.notification_preferences values
  (tests.tenant('acme'), tests.id('bob'), 'connection_request', '{sms,email}', :now),
  (tests.tenant('acme'), tests.id('bob'), 'ping_missed', '{push}', :now);
select tests.tell(5, 'bob', 'connection_request') \g /dev/null
select tests.plan_all() \g /dev/null
select is(tests.ways(5), 'email bob@example.org queued', 'a user chooses the channels, of those that the tenant has');
update kith.users set email_verified_at = null where id = tests.id('bob');
select tests.tell(6, 'bob', 'connection_request') \g /dev/null
select tests.plan_all() \g /dev/null
select is(coalesce(tests.ways(6), tests.status(6)), 'dropped', 'an address counts once it is confirmed');
update kith.users set email_verified_at = :now where id = tests.id('bob');

select tests.tell(7, 'alice', 'ping_due', p_deliver_at => '2026-03-10T12:00:30Z') \g /dev/null
select is(tests.plan_all(), 0, 'what is to go out in a while is planned then');
select is(tests.plan_all('2026-03-10T12:00:30Z'), 1, 'not before');
select is(
  (
    select concat_ws(' ', is_urgent, internal.instant(next_attempt_at), internal.instant(expires_at))
    from kith.deliveries where notification_id = tests.told(7)
  ),
  't 2026-03-10T12:00:30.000000Z 2026-03-10T12:30:00.000000Z', 'a call to check in serves until the deadline, and is urgent'
);
select tests.tell(8, 'alice', 'ping_reminder', '2026-03-10T12:20:00Z') \g /dev/null
select tests.plan_all('2026-03-10T12:20:00Z') \g /dev/null
select is(
  (select expires_at from kith.deliveries where notification_id = tests.told(8)), '2026-03-10T12:35Z',
  'for a quarter of an hour at least: after an outage of ours people have that much'
);
select is((select escalates_at from kith.notifications where id = tests.told(8)), null, 'it is no alarm');

update kith.users set deleted_at = :now where id = tests.id('carol');
select tests.tell(9, 'carol', 'connection_request') \g /dev/null
update kith.tenants set deleted_at = :now where slug = 'globex';
select tests.tell(10, 'globex-bob', 'ping_missed', p_tenant => 'globex') \g /dev/null
select is(tests.plan_all(p_takes_all => true), 2, 'neither ended accounts');
select is(concat_ws(' ', tests.status(9), tests.status(10), tests.ways(9), tests.ways(10)), 'dropped dropped', 'nor deleted tenants are told');
update kith.users set deleted_at = null where id = tests.id('carol');
delete from kith.deliveries; delete from kith.notifications;

-- An alarm.
update kith.pings set status = 'missed';
select tests.tell(20, 'bob', 'ping_missed') \g /dev/null
select tests.plan_all() \g /dev/null
select is(
  tests.ways(20), 'apns bobs-phone queued, web_push https://push.example/bob queued', 'an alarm goes out on the channels that were chosen'
);
select is(
  (select concat_ws(' ', internal.instant(escalates_at), escalated_at) from kith.notifications where id = tests.told(20)),
  '2026-03-10T12:02:00.000000Z', 'for two minutes'
);
select is((select max(expires_at) from kith.deliveries), '2026-03-13T12:00Z', 'though it is tried for three days');
select is(tests.plan_all('2026-03-10T12:01:59Z'), 0, 'until then nobody does more');
select is(tests.plan_all('2026-03-10T12:02:00Z'), 1, 'after that');
select is(
  tests.ways(20), 'apns bobs-phone queued, email bob@example.org queued, web_push https://push.example/bob queued',
  'the other channels are tried, whatever was chosen'
);
select is(tests.attempt('email', 'sent', '2026-03-10T12:02:05Z'), 1, 'one of them takes it');
select is(
  (select concat_ws(' ', delivery_status, internal.instant(sent_at), escalates_at) from kith.notifications where id = tests.told(20)),
  'sent 2026-03-10T12:02:05.000000Z', 'which is enough'
);
select is(tests.plan_all('2026-03-10T12:30:00Z'), 0, 'and nobody else is told');
select is((select count(*) from kith.undelivered_alarms), 0::bigint, 'it was delivered');
delete from kith.deliveries; delete from kith.notifications;

-- Three failures are enough to look for another way.
delete from kith.devices where platform = 'web';
select tests.tell(21, 'bob', 'ping_missed') \g /dev/null
select tests.plan_all() \g /dev/null
select tests.attempt('apns', 'retry', at, 'busy') from unnest(array['2026-03-10T12:00:01Z', '2026-03-10T12:00:20Z']::timestamptz[]) as at \g /dev/null
select is(tests.plan_all('2026-03-10T12:00:40Z'), 0, 'after two failures it is tried on');
select is(tests.attempt('apns', 'retry', '2026-03-10T12:00:50Z', 'busy'), 1, 'after three');
select is(tests.plan_all('2026-03-10T12:00:51Z'), 1, 'the other channels are tried at once');
select is(tests.ways(21), 'apns bobs-phone queued, email bob@example.org queued', 'and the first one goes on');
select is(tests.attempt('email', 'failed', '2026-03-10T12:00:52Z', 'no such mailbox'), 1, 'where these fail');
select is(tests.status(21), 'queued', 'there is still the first');
select is(tests.plan_all('2026-03-10T12:08:51Z'), 1, 'but eight minutes later');
select is(
  (select concat_ws(' ', user_id = tests.id('bob'), type, internal.instant(at)) from kith.undelivered_alarms where notification_id = tests.told(21)),
  't ping_missed 2026-03-10T12:08:51.000000Z', 'the alarm counts as undelivered'
);
select is(
  (select concat_ws(' ', type, user_id = tests.id('bob'), subject_id = tests.told(21)) from kith.events), 'alarm_undelivered t t',
  'of which the tenant''s webhooks hear'
);
select is(tests.plan_all('2026-03-10T12:30:00Z'), 0, 'once');
select is(tests.attempt('apns', 'sent', '2026-03-10T12:30:00Z'), 1, 'when it arrives in the end');
select is(
  (select concat_ws(' ', tests.status(21), internal.instant(resolved_at)) from kith.undelivered_alarms), 'sent 2026-03-10T12:30:00.000000Z',
  'that is over'
);
delete from kith.deliveries; delete from kith.notifications; delete from kith.undelivered_alarms;

-- Everything fails for good.
select tests.tell(22, 'bob', 'ping_missed') \g /dev/null
select tests.plan_all() \g /dev/null
select tests.attempt('apns', 'failed', '2026-03-10T12:00:01Z', 'rejected') \g /dev/null
select is(tests.status(22), 'queued', 'a dead letter of an alarm is not the end');
select is(tests.plan_all('2026-03-10T12:00:02Z'), 1, 'the other channels come at once');
select tests.attempt('email', 'failed', '2026-03-10T12:00:03Z', 'no such mailbox') \g /dev/null
select is(
  (select concat_ws(' ', tests.status(22), internal.instant(at)) from kith.undelivered_alarms), 'failed 2026-03-10T12:00:03.000000Z',
  'when these are dead letters too, the alarm is undelivered'
);
select admin.resolve_alarm('acme', tests.told(22), 'called him', '2026-03-10T12:05Z') \g /dev/null
select admin.replay_deliveries('apns', 'acme', '2026-03-10T12:00Z', 'the phone is on again', '2026-03-10T12:06Z') \g /dev/null
select tests.attempt('apns', 'failed', '2026-03-10T12:06:01Z', 'rejected') \g /dev/null
select is(
  (select concat_ws(' ', tests.status(22), internal.instant(at), resolved_at) from kith.undelivered_alarms), 'failed 2026-03-10T12:06:01.000000Z',
  'also one that somebody had seen to, when it is sent again in vain'
);
delete from kith.deliveries; delete from kith.notifications; delete from kith.undelivered_alarms;

-- Who has nothing but what they have not chosen, and who has nothing.
insert into kith.notification_preferences values (tests.tenant('acme'), tests.id('carol'), 'ping_missed', '{push}', :now);
select tests.tell(23, 'carol', 'ping_missed') \g /dev/null
select tests.plan_all() \g /dev/null
select is(tests.ways(23), 'email carol@example.org queued', 'an alarm takes the way that there is');
select tests.tell(24, 'mallory', 'ping_missed') \g /dev/null
select tests.plan_all() \g /dev/null
select is(
  (select concat_ws(' ', tests.status(24), internal.instant(at)) from kith.undelivered_alarms), 'failed 2026-03-10T12:00:00.000000Z',
  'where there is none it is undelivered'
);

-- The wanted channel is paused.
insert into kith.channel_pauses values (tests.tenant('acme'), 'apns', 'broken', 'operator:x', :now);
select tests.tell(26, 'bob', 'ping_missed'), tests.tell(27, 'bob', 'ping_completed') \g /dev/null
select tests.plan_all() \g /dev/null
select is(
  tests.ways(26), 'apns bobs-phone queued, email bob@example.org queued', 'an alarm does not wait for a channel that is paused'
);
select is(tests.ways(27), 'apns bobs-phone queued', 'what is none does');
delete from kith.channel_pauses; delete from kith.deliveries where notification_id in (tests.told(26), tests.told(27));
delete from kith.notifications where id in (tests.told(26), tests.told(27));

-- Nobody can say what became of it, because whoever sends it dies.
select tests.tell(28, 'bob', 'ping_missed') \g /dev/null
select tests.plan_all() \g /dev/null
update kith.deliveries set status = 'sending', unanswered = 5, leased_until = '2026-03-10T12:01Z', leased_by = 'w1' where notification_id = tests.told(28);
select tests.as_role('kith_worker');
select is(worker.give_up_deliveries('2026-03-10T12:01Z', 10), 1, 'an alarm that ends its worker is given up');
select tests.as_superuser();
select is(tests.plan_all('2026-03-10T12:01:01Z'), 1, 'and takes the other channels at once');
select is(tests.ways(28), 'apns bobs-phone failed, email bob@example.org queued', 'all that there are');
delete from kith.deliveries where notification_id = tests.told(28); delete from kith.notifications where id = tests.told(28);

-- It is over while others are looked for.
select tests.tell(25, 'bob', 'ping_missed') \g /dev/null
select tests.plan_all() \g /dev/null
update kith.pings set status = 'completed_late', completed_at = '2026-03-10T12:05Z';
select is(tests.plan_all('2026-03-10T12:10Z'), 2, 'an alarm that is none any more');
select is(tests.ways(25), 'apns bobs-phone queued', 'takes no other channel');
select is(tests.attempt('apns', 'sent', '2026-03-10T12:10Z'), 0, 'is not sent');
select is(concat_ws(' ', tests.status(25), tests.ways(25)), 'dropped apns bobs-phone dropped', 'but dropped');
select tests.as_role('kith_worker');
select is(worker.alarm_operator('2026-03-10T12:10Z', 10), 1, 'and one that was undelivered');
select tests.as_superuser();
select is((select resolved_at from kith.undelivered_alarms), '2026-03-10T12:10Z', 'is over');

-- Text messages cost: a chat has a bound, what breaks through has none.
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
values (tests.tenant('acme'), 'sms', '{}', '\x01', :now, :now);
insert into kith.notification_preferences values
  (tests.tenant('acme'), tests.id('bob'), 'message_received', '{sms}', :now),
  (tests.tenant('acme'), tests.id('bob'), 'ping_all_clear', '{sms}', :now);
update kith.notification_preferences set channels = '{sms}' where user_id = tests.id('bob') and type = 'ping_missed';
select tests.as_role('kith_admin');
select is(
  (admin.set_tenant('acme', '{"sms_notifications_per_user_per_day": 3}') ->> 'sms_notifications_per_user_per_day')::integer, 3,
  'an operator says how many text messages a user may cost in a day'
);
select throws_ok(
  $$ select admin.set_tenant('acme', '{"sms_notifications_per_user_per_day": -1}') $$, 'KT422', 'validation_failed', 'none or some'
);
select tests.as_superuser();
select tests.tell(n, 'bob', 'message_received') from generate_series(31, 35) as n \g /dev/null
select tests.plan_all() \g /dev/null
select is(
  (select string_agg(tests.ways(n), ', ' order by n) from generate_series(31, 33) as n),
  'sms +4915100000002 queued, sms +4915100000002 queued, sms +4915100000002 queued', 'so many of a chat go out'
);
select is(
  (select string_agg(concat_ws(' ', tests.ways(n), tests.status(n)), ', ' order by n) from generate_series(34, 35) as n),
  'sms +4915100000002 dropped dropped, sms +4915100000002 dropped dropped', 'and the others do not'
);
select tests.as_role('kith_admin');
select is(
  (select error from kith.deliveries where status = 'dropped' and channel = 'sms' limit 1),
  'over the limit of 3 text messages in 24 hours (sms_notifications_per_user_per_day)', 'which says why'
);
select tests.as_superuser();
select is((select dropped from kith.delivery_totals where channel = 'sms'), 2::bigint, 'and is counted');
select tests.tell(36, 'bob', 'ping_all_clear'), tests.tell(37, 'bob', 'ping_missed') \g /dev/null
select tests.plan_all() \g /dev/null
select is(
  concat_ws(', ', tests.ways(36), tests.ways(37)), 'sms +4915100000002 queued, sms +4915100000002 queued',
  'what breaks through, and an alarm before all, goes out whatever came before it'
);
insert into kith.notification_preferences values (tests.tenant('acme'), tests.id('carol'), 'message_received', '{sms}', :now);
update kith.users set phone_verified_at = :now where id = tests.id('carol');
select tests.tell(38, 'carol', 'message_received') \g /dev/null
select tests.plan_all() \g /dev/null
select is(tests.ways(38), 'sms +4915100000003 queued', 'each user has a bound of their own');
update kith.deliveries set status = 'failed' where id = (
  select id from kith.deliveries where notification_id = tests.told(31) and channel = 'sms'
);
select tests.tell(40, 'bob', 'message_received') \g /dev/null
select tests.plan_all() \g /dev/null
select is(tests.ways(40), 'sms +4915100000002 queued', 'what failed was had by nobody');
select tests.tell(39, 'bob', 'message_received', '2026-03-11T12:00:01Z') \g /dev/null
select tests.plan_all('2026-03-11T12:00:01Z') \g /dev/null
select is(tests.ways(39), 'sms +4915100000002 queued', 'which is a day''s');
select tests.as_role('kith_admin');
select lives_ok($$ select * from admin.dropped_deliveries $$, 'an operator sees what was dropped, and why');
select tests.as_superuser();

select * from finish();
rollback;
