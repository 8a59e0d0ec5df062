-- Nobody hears what is older after what is newer about the same subject.
begin;
\ir people.sql
\ir alarm_house.sql
select plan(25);
create function tests.sends(p_channel text, p_now timestamptz, p_outcome text default 'sent') returns void
  language plpgsql
as $$
begin
  perform tests.as_role('kith_worker');
  perform worker.finish_deliveries(p_now, 'w1', (
    select coalesce(jsonb_agg(jsonb_build_object('tenant_id', tenant_id, 'id', id, 'outcome', p_outcome, 'error', 'busy')), '[]')
    from worker.claim_deliveries(p_now, p_channel, 100, 100, 0, '{}', '{}', 'w1')
  ));
  perform tests.as_superuser();
end
$$;
-- What a person was sent, in the order of sending, and what was dropped.
create function tests.sent(p_person text) returns text
  language sql
as $$
  select string_agg(concat_ws(' ', note.type, delivery.channel), ', ' order by delivery.sent_at, note.id)
  from kith.notifications as note
  join kith.deliveries as delivery on delivery.tenant_id = note.tenant_id and delivery.notification_id = note.id
  where note.user_id = tests.id(p_person) and delivery.status = 'sent'
$$;
create function tests.fate(p_person text, p_type text) returns text
  language sql
as $$
  select string_agg(format('%s: %s', delivery.status, delivery.error), ', ' order by note.id)
  from kith.notifications as note
  join kith.deliveries as delivery on delivery.tenant_id = note.tenant_id and delivery.notification_id = note.id
  where note.user_id = tests.id(p_person) and note.type = p_type
$$;
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
select tests.tenant('acme'), channel, '{}', '\x00', '2026-01-05T08:00Z', '2026-01-05T08:00Z' from unnest(array['apns']) as channel;
update kith.users set time_zone = 'UTC' where tenant_id = tests.tenant('acme');
insert into kith.devices (tenant_id, token, user_id, platform, environment, created_at, last_seen_at)
select tests.tenant('acme'), person || 's-phone', tests.id(person), 'ios', 'production', '2026-01-05T08:00Z', '2026-01-05T08:00Z'
from unnest(array['bob', 'carol', 'alice']) as person;
delete from kith.pings;
savepoint house;

-- The list.
create function tests.note(p_n integer, p_type text, p_data jsonb, p_status text default 'queued') returns kith.notifications
  language sql
as $$
  insert into kith.notifications (tenant_id, id, user_id, type, body, data, created_at, delivery_status)
  values (
    tests.tenant('acme'), ('019cd79e-4600-7000-8000-' || lpad(p_n::text, 12, '0'))::uuid, tests.id('bob'), p_type, 'Body', p_data, '2026-03-10T12:00Z',
    p_status
  )
  returning *
$$;
create function tests.replaces(p_older text, p_newer text, p_status text, p_data jsonb default '{"connection_id": "0c000000-0000-7000-8000-00000000000a"}') returns boolean
  language plpgsql
as $$
declare
  v_older kith.notifications;
begin
  delete from kith.notifications;
  v_older := tests.note(1, p_older, '{"connection_id": "0c000000-0000-7000-8000-00000000000a"}');
  perform tests.note(2, p_newer, p_data, p_status);
  return internal.newer_stands(v_older) is not null;
end
$$;
select is_empty(
  $$ select type, newer from internal.notification_types(), unnest(replaced_by) as newer where newer not in (select type from internal.notification_types()) $$,
  'what replaces a type is a type'
);
select is_empty(
  $$
    select older.type, newer.type from internal.notification_types() as older, internal.notification_types() as newer
    where tests.replaces(older.type, newer.type, 'sent') is distinct from (newer.type = any (older.replaced_by))
  $$,
  'a newer message that was sent replaces the types of the list, and no other'
);
select is_empty(
  $$
    select older.type, newer from internal.notification_types() as older, unnest(older.replaced_by) as newer
    where tests.replaces(older.type, newer, 'queued') is distinct from (internal.asks_receiver(newer) or not internal.asks_receiver(older.type))
  $$,
  'one that waits does too, but a word takes no call for help before it was sent'
);
select is_empty(
  $$
    select older.type, newer from internal.notification_types() as older, unnest(older.replaced_by) as newer
    where tests.replaces(older.type, newer, 'dropped') or tests.replaces(older.type, newer, 'sent', '{"connection_id": "0c000000-0000-7000-8000-00000000000b"}')
      or tests.replaces(older.type, newer, 'sent', '{"connection_id": "0c000000-0000-7000-8000-00000000000a", "drill": true}')
      or not tests.replaces(older.type, newer, 'sent', '{"sender_connection_id": "0c000000-0000-7000-8000-00000000000a"}')
  $$,
  'one that was withdrawn, is about another person, or a drill does not'
);
rollback to house;

-- Last night's "Safe", after this morning's miss.
insert into kith.quiet_hours (tenant_id, user_id, starts_at, ends_at, updated_at) values (tests.tenant('acme'), tests.id('bob'), '20:00', '11:00', '2026-03-01Z');
select tests.check_in('alice', '2026-03-01T21:00Z') \g /dev/null
insert into kith.notifications (tenant_id, id, user_id, type, body, data, created_at)
select tests.tenant('acme'), internal.uuid7('2026-03-01T21:00Z'), tests.id('bob'), 'ping_completed', 'Alice checked in.',
  jsonb_build_object('connection_id', tests.id('alice-bob'), 'user_id', tests.id('alice')), '2026-03-01T21:00Z';
select tests.plan_all('2026-03-01T21:00Z') \g /dev/null
select tests.miss('2026-03-02'), tests.plan_all('2026-03-02T10:31Z'), tests.sends('apns', '2026-03-02T10:31Z') \g /dev/null
select tests.act('carol', 'resolve', '2026-03-02T10:40Z', '{"outcome": "safe"}'), tests.plan_all('2026-03-02T10:40Z'), tests.sends('apns', '2026-03-02T10:40Z') \g /dev/null
select tests.sends('apns', '2026-03-02T11:00Z') \g /dev/null
select is(tests.sent('bob'), 'ping_missed apns, alarm_resolved apns', 'what quiet hours held is not sent after what was newer');
select matches(tests.fate('bob', 'ping_completed'), '^dropped: a newer message stands: ', 'which operators read');
rollback to house;

-- "Alarm over" and "needs help".
select tests.help('alice', '2026-03-02T08:00Z'), tests.plan_all('2026-03-02T08:00Z') \g /dev/null
savepoint called;
select tests.sends('apns', '2026-03-02T08:00Z') \g /dev/null
select tests.act('bob', 'resolve', '2026-03-02T08:10Z', '{"outcome": "safe"}'), tests.plan_all('2026-03-02T08:10Z') \g /dev/null
select tests.sends('apns', '2026-03-02T08:10Z', 'retry') \g /dev/null
select tests.help('alice', '2026-03-02T08:10:30Z'), tests.plan_all('2026-03-02T08:10:30Z') \g /dev/null
select tests.sends('apns', '2026-03-02T08:10:50Z'), tests.sends('apns', '2026-03-02T08:11:50Z') \g /dev/null
select is(tests.sent('carol'), 'help_requested apns, help_requested apns', 'nobody reads that an alarm is over after a new call for help');
select matches(tests.fate('carol', 'alarm_resolved'), '^dropped: they call for help', 'the word is dropped');
rollback to called;
select tests.sends('apns', '2026-03-02T08:00:01Z', 'retry') \g /dev/null
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
values (tests.tenant('acme'), 'email', '{}', '\x00', '2026-01-05T08:00Z', '2026-01-05T08:00Z');
update kith.users set email = 'carol@example.org', email_verified_at = '2026-01-05T08:00Z' where id = tests.id('carol');
select tests.act('bob', 'resolve', '2026-03-02T08:00:02Z', '{"outcome": "safe"}'), tests.plan_all('2026-03-02T08:00:02Z') \g /dev/null
select tests.sends('email', '2026-03-02T08:00:03Z') \g /dev/null
select tests.sends('apns', '2026-03-02T08:00:50Z') \g /dev/null
select is(tests.sent('carol'), 'alarm_resolved email, alarm_resolved apns', 'nor of the call after its end');
select is(
  tests.body('carol', 'alarm_resolved'), 'Another receiver reached Alice: they''re safe. There was no check-in.', 'the word says that there was no check-in'
);
rollback to called;
select tests.act('bob', 'resolve', '2026-03-02T08:00:02Z', '{"outcome": "safe"}'), tests.plan_all('2026-03-02T08:00:30Z') \g /dev/null
select tests.sends('apns', '2026-03-02T08:00:31Z') \g /dev/null
select is(tests.sent('carol'), 'help_requested apns, alarm_resolved apns', 'a word that was not sent keeps nobody from hearing the call');
rollback to called;

-- "Mallory is looking after it", who gave it back.
select tests.sends('apns', '2026-03-02T08:00Z') \g /dev/null
savepoint heard;
select tests.act('bob', 'take', '2026-03-02T08:05Z'), tests.plan_all('2026-03-02T08:05Z'), tests.sends('apns', '2026-03-02T08:05Z', 'retry') \g /dev/null
select tests.act('bob', 'release', '2026-03-02T08:05:10Z'), tests.act('carol', 'take', '2026-03-02T08:05:11Z') \g /dev/null
select tests.plan_all('2026-03-02T08:05:12Z'), tests.sends('apns', '2026-03-02T08:05:50Z') \g /dev/null
select is(tests.sent('alice'), 'alarm_taken apns', 'who gave an alarm back looks after it no more');
select is(tests.body('alice', 'alarm_taken'), 'Bob is looking after it. | Carol is looking after it.', 'of two');
select is(
  (select string_agg(delivery.status, ' ' order by note.id) from kith.notifications as note
    join kith.deliveries as delivery on delivery.notification_id = note.id where note.type = 'alarm_taken' and note.user_id = tests.id('alice')),
  'dropped sent', 'only the newer one is told'
);
select is(tests.fate('carol', 'alarm_taken'), 'dropped: its reader looks after it', 'and not to whoever has it now');
rollback to heard;

-- The end of an alarm that goes on.
select tests.act('bob', 'resolve', '2026-03-02T08:05Z', '{"outcome": "safe"}'), tests.plan_all('2026-03-02T08:05Z'), tests.sends('apns', '2026-03-02T08:05Z', 'retry') \g /dev/null
savepoint resolved;
select tests.act('carol', 'reopen', '2026-03-02T08:05:10Z') \g /dev/null
select tests.plan_all('2026-03-02T08:05:12Z'), tests.sends('apns', '2026-03-02T08:05:50Z') \g /dev/null
select is(tests.fate('alice', 'alarm_resolved'), 'dropped: the alarm is open again', 'an alarm that is open again is not over');
rollback to resolved;
select tests.check_in('alice', '2026-03-02T08:06Z') \g /dev/null
select tests.plan_all('2026-03-02T08:06Z'), tests.sends('apns', '2026-03-02T08:06:50Z') \g /dev/null
select is(tests.sent('carol'), 'help_requested apns, ping_all_clear apns', 'after the all-clear nobody hears a word about it');
rollback to house;

-- After an outage of the channel, one message about a subject.
select tests.help('alice', '2026-03-02T08:00Z'), tests.plan_all('2026-03-02T08:00Z') \g /dev/null
select tests.tell('2026-03-02T08:30Z'), tests.plan_all('2026-03-02T08:30Z'), tests.tell('2026-03-02T10:00Z'), tests.plan_all('2026-03-02T10:00Z') \g /dev/null
select tests.sends('apns', '2026-03-02T10:01Z') \g /dev/null
select is(tests.sent('bob'), 'alarm_repeat apns', 'of a call and two repeats the newest');
select is(
  tests.fate('bob', 'help_requested') || '; ' || tests.fate('bob', 'alarm_repeat'),
  'dropped: a newer message stands: alarm_repeat; dropped: a newer message stands: alarm_repeat, sent: busy', 'the others are dropped'
);
select is(
  (select string_agg(delivery_status, ' ' order by id) from kith.notifications where user_id = tests.id('bob')), 'dropped dropped sent', 'and settled so'
);
rollback to house;

-- A connection, a break.
create function tests.held(p_types text[]) returns text
  language plpgsql
as $$
declare
  v_type text;
  v_n integer := 0;
begin
  delete from kith.deliveries;
  delete from kith.notifications;
  foreach v_type in array p_types loop
    v_n := v_n + 1;
    insert into kith.notifications (tenant_id, id, user_id, type, body, data, created_at)
    values (
      tests.tenant('acme'), internal.uuid7('2026-03-02T08:00Z'::timestamptz + v_n * interval '1 minute'), tests.id('bob'), v_type, 'Body',
      jsonb_build_object('connection_id', tests.id('alice-bob'), 'user_id', tests.id('alice')), '2026-03-02T08:00Z'::timestamptz + v_n * interval '1 minute'
    );
  end loop;
  perform tests.plan_all('2026-03-02T09:00Z'), tests.sends('apns', '2026-03-02T09:00Z');
  return tests.sent('bob');
end
$$;
select is(tests.held('{connection_removed,connection_request}'), 'connection_request apns', 'whoever connects again does not read that the connection has ended');
select is(tests.held('{ping_completed,ping_completed}'), 'ping_completed apns', 'of two check-ins the newer one is told');
select is(tests.held('{subscription_lapsing,subscription_lapsing}'), 'subscription_lapsing apns', 'and of two subscriptions');
select is(tests.held('{connection_accepted,ping_all_clear}'), 'connection_accepted apns, ping_all_clear apns', 'what is not the same fact is told');

-- A failed message does not move to another channel once something newer stands.
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
values (tests.tenant('acme'), 'email', '{}', '\x00', '2026-01-05T08:00Z', '2026-01-05T08:00Z');
update kith.users set email = 'bob@example.org', email_verified_at = '2026-01-05T08:00Z' where id = tests.id('bob');
delete from kith.deliveries;
delete from kith.notifications;
insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
values (tests.tenant('acme'), tests.id('bob'), 'ping_missed', '{push}', '2026-01-05T08:00Z');
select tests.miss('2026-03-02'), tests.plan_all('2026-03-02T10:31Z'), tests.sends('apns', '2026-03-02T10:31Z', 'retry') \g /dev/null
select tests.tell('2026-03-02T11:00Z') \g /dev/null
update kith.notifications set escalates_at = '2026-03-02T11:00Z' where type = 'ping_missed' and user_id = tests.id('bob');
select tests.plan_all('2026-03-02T11:00Z') \g /dev/null
select is(
  tests.fate('bob', 'ping_missed') || '; ' || tests.fate('bob', 'alarm_repeat'), 'queued: busy; queued: ', 'a miss that a repeat follows takes no other channel'
);
select * from finish();
rollback;
