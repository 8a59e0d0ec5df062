-- Quiet hours and notification preferences (F04).
begin;
\ir people.sql
select plan(75);
\set now '''2026-03-10T08:00:00Z'''

create function tests.refusal(p_statement text) returns jsonb
  language plpgsql
as $$
declare
  v_detail text;
begin
  execute p_statement;
  return null;
exception when others then
  get stacked diagnostics v_detail = pg_exception_detail;
  return v_detail;
end
$$;
-- Alice has a phone and its number; how a notification at an instant would be delivered to her.
insert into kith.devices (tenant_id, token, user_id, platform, environment, created_at, last_seen_at)
values (tests.tenant('acme'), 'alices', tests.id('alice'), 'ios', 'production', :now, :now);
update kith.users set phone = '+4915100000001', phone_verified_at = :now where id = tests.id('alice');
create function tests.plan_of(p_type text, p_at timestamptz) returns text
  language plpgsql
as $$
declare
  v_plan text;
begin
  perform tests.as_superuser();
  insert into kith.notifications (tenant_id, id, user_id, type, body, created_at)
  values (tests.tenant('acme'), internal.uuid7(p_at), tests.id('alice'), p_type, '', p_at);
  perform tests.as_role('kith_worker');
  perform worker.plan_deliveries(p_at, 10, true);
  perform tests.as_superuser();
  select string_agg(channel || ' ' || internal.instant(next_attempt_at), '; ' order by channel) into v_plan from kith.deliveries;
  delete from kith.deliveries;
  delete from kith.notifications;
  return v_plan;
end
$$;

select tests.as_user('acme', 'alice');
select throws_ok($$ select api.get_quiet_hours() $$, 'KT404', 'not_found', 'a user has no quiet hours at first');
select is(
  api.put_quiet_hours('{"from": "22:00", "until": "07:00"}', :now)::jsonb, '{"from": "22:00", "until": "07:00"}'::jsonb,
  'quiet hours may span midnight'
);
select is(api.get_quiet_hours() ->> 'until', '07:00', 'quiet hours can be read');
select throws_ok(
  $$ select api.put_quiet_hours('{"from": "22:00", "until": "22:00"}', '2026-03-10T08:00Z') $$, 'KT422', 'validation_failed',
  'quiet hours must not end when they start'
);
select tests.as_user('acme', 'bob');
select throws_ok($$ select api.get_quiet_hours() $$, 'KT404', 'not_found', 'other users have separate quiet hours');

select tests.as_superuser();
select is(
  internal.quiet_until(at, starts_at, ends_at, zone), until, format('%s-%s in %s at %s end at %s', starts_at, ends_at, zone, at, until)
)
from (values
  ('2026-03-10T21:59:59Z'::timestamptz, time '22:00', time '07:00', 'UTC', '2026-03-10T21:59:59Z'::timestamptz),
  ('2026-03-10T22:00:00Z', '22:00', '07:00', 'UTC', '2026-03-11T07:00:00Z'),
  ('2026-03-10T23:30:00Z', '22:00', '07:00', 'UTC', '2026-03-11T07:00:00Z'),
  ('2026-03-11T00:00:00Z', '22:00', '07:00', 'UTC', '2026-03-11T07:00:00Z'),
  ('2026-03-11T06:59:59Z', '22:00', '07:00', 'UTC', '2026-03-11T07:00:00Z'),
  ('2026-03-11T07:00:00Z', '22:00', '07:00', 'UTC', '2026-03-11T07:00:00Z'),
  ('2026-03-10T12:00:00Z', '13:00', '14:00', 'UTC', '2026-03-10T12:00:00Z'),
  ('2026-03-10T13:30:00Z', '13:00', '14:00', 'UTC', '2026-03-10T14:00:00Z'),
  ('2026-03-10T14:00:00Z', '13:00', '14:00', 'UTC', '2026-03-10T14:00:00Z'),
  ('2026-03-10T21:30:00Z', '22:00', '07:00', 'Europe/Berlin', '2026-03-11T06:00:00Z'),
  -- The night in which summer time begins, and the one in which it ends.
  ('2026-03-28T22:00:00Z', '22:00', '07:00', 'Europe/Berlin', '2026-03-29T05:00:00Z'),
  ('2026-03-28T22:00:00Z', '22:00', '02:30', 'Europe/Berlin', '2026-03-29T01:00:00Z'),
  ('2026-10-24T22:00:00Z', '22:00', '02:30', 'Europe/Berlin', '2026-10-25T00:30:00Z'),
  ('2026-10-25T01:10:00Z', '22:00', '02:30', 'Europe/Berlin', '2026-10-25T01:10:00Z'),
  -- A date that the zone skipped: 2011-12-30 in Apia.
  ('2011-12-30T09:30:00Z', '22:00', '07:00', 'Pacific/Apia', '2011-12-30T17:00:00Z')
) as hours (at, starts_at, ends_at, zone, until);

select tests.as_user('acme', 'alice');
select is(
  (select string_agg(item ->> 'type', ' ') from json_array_elements(api.get_notification_preferences() -> 'preferences') as item),
  'connection_request connection_requested connection_accepted connection_paused connection_resumed connection_removed ping_due ping_reminder ping_completed ping_missed '
    || 'ping_all_clear subscription_lapsing break_started break_ended vault_opened vault_locked nominee_invited nominee_revoked nominee_changed '
    || 'nominee_accepted nominee_declined transfer_requested transfer_accepted transfer_declined message_received '
    || 'help_requested alarm_repeat alarm_reopened alarm_taken alarm_check alarm_resolved ask ask_unanswered ask_answered sender_unreachable receiver_unreachable '
    || 'emergency_requested emergency_reminder emergency_approved emergency_rejected emergency_opened',
  'preferences list every type, even before any is set'
);
select is(
  (
    select string_agg(item ->> 'type', ' ') from json_array_elements(api.get_notification_preferences() -> 'preferences') as item
    where not item::jsonb -> 'channels' ? 'push'
  ),
  null, 'every type is pushed by default'
);
select is(
  (
    select jsonb_agg(item) from json_array_elements(
      api.put_notification_preferences(
        '{"preferences": [{"type": "ping_completed", "channels": []}, {"type": "ping_missed", "channels": ["sms", "push", "sms"]}]}', :now
      ) -> 'preferences'
    ) as item
    where item ->> 'type' in ('ping_completed', 'ping_missed', 'connection_request')
  ),
  '[{"type": "connection_request", "channels": ["push"]}, {"type": "ping_completed", "channels": []},
    {"type": "ping_missed", "channels": ["push", "sms"]}]'::jsonb,
  'listed types are set, with each channel once, and others have their default'
);
select is(
  (
    select jsonb_agg(item) from json_array_elements(
      api.put_notification_preferences('{"preferences": [{"type": "ping_missed", "channels": ["push", "sms"]}]}', :now) -> 'preferences'
    ) as item
    where item ->> 'type' = 'ping_completed'
  ),
  '[{"type": "ping_completed", "channels": ["push"]}]'::jsonb, 'omitted types return to their default'
);
select is(
  tests.refusal($$
    select api.put_notification_preferences('{"preferences": [
      {"type": "nonsense", "channels": ["push"]}, {"type": "ping_missed", "channels": []}, {"type": "ping_due", "channels": ["push"]},
      {"type": "ping_due", "channels": ["email"]}
    ]}', '2026-03-10T08:00Z')
  $$),
  '[{"field": "preferences[0].type", "message": "is not a type of notification"},
    {"field": "preferences[1].channels", "message": "must not be empty: ping_missed cannot be switched off entirely"},
    {"field": "preferences[3].type", "message": "must not be repeated"}]'::jsonb,
  'unknown types, duplicates and silenced alarms are each refused'
);

select is(
  tests.plan_of('connection_request', '2026-03-10T12:00Z'), 'apns 2026-03-10T12:00:00.000000Z', 'outside quiet hours everything is sent at once'
);
select is(
  tests.plan_of('connection_request', '2026-03-10T23:00Z'), 'apns 2026-03-11T07:00:00.000000Z', 'during quiet hours a notification waits'
);
select is(
  tests.plan_of('ping_missed', '2026-03-10T23:00Z'), 'apns 2026-03-10T23:00:00.000000Z; sms 2026-03-10T23:00:00.000000Z',
  'a missed-ping alarm breaks through on the chosen channels'
);
select is(
  tests.plan_of(type, '2026-03-10T23:00Z') like '%T23:00:00%', breaks_through,
  type || case when breaks_through then ' breaks through' else ' waits' end
)
from (values
  ('ping_due', true), ('ping_reminder', true), ('ping_all_clear', true), ('emergency_requested', true), ('emergency_reminder', true),
  ('emergency_approved', true), ('emergency_rejected', true), ('emergency_opened', true), ('help_requested', true), ('alarm_repeat', true), ('alarm_reopened', true), ('alarm_check', true),
  ('ask', true), ('ask_unanswered', true), ('ask_answered', true), ('alarm_taken', false), ('alarm_resolved', false), ('ping_completed', false),
  ('connection_paused', false), ('connection_resumed', false), ('connection_removed', false), ('break_started', false),
  ('break_ended', false), ('subscription_lapsing', false), ('vault_opened', false), ('message_received', false), ('test_message', false)
) as types (type, breaks_through);

select tests.as_user('acme', 'alice');
select api.put_notification_preferences('{"preferences": [{"type": "ping_completed", "channels": []}]}', :now) \g /dev/null
select lives_ok($$ select api.update_me('{"time_zone": "Asia/Tokyo"}', '{}', '2026-03-10T08:00:00Z') $$, 'a user moves to Tokyo');
select is(tests.plan_of('ping_completed', '2026-03-10T12:00Z'), null, 'a type without channels is not sent');
select is(
  tests.plan_of('connection_request', '2026-03-10T14:00Z'), 'apns 2026-03-10T22:00:00.000000Z', 'quiet hours follow the user''s time zone'
);
select tests.as_user('acme', 'alice');
select is(api.delete_quiet_hours('2026-03-10T08:00Z')::text, null, 'quiet hours can be deleted');
select is(api.delete_quiet_hours('2026-03-10T08:00Z')::text, null, 'deleting them again succeeds');
select is(tests.plan_of('connection_request', '2026-03-10T14:00Z'), 'apns 2026-03-10T14:00:00.000000Z', 'without quiet hours nothing waits');

-- What quiet hours hold back.
create function tests.held() returns text
  language sql
as $$
  select string_agg(concat_ws(' ', notification.type, to_char(delivery.next_attempt_at, 'HH24:MI')), ', ' order by notification.id)
  from kith.deliveries as delivery
  join kith.notifications as notification on notification.id = delivery.notification_id
  where notification.user_id = tests.id('alice')
$$;
create function tests.hold() returns void
  language plpgsql
as $$
begin
  delete from kith.deliveries;
  delete from kith.notifications;
  perform tests.as_user('acme', 'alice');
  perform api.update_me('{"time_zone": "UTC"}', '{}', '2026-03-10T20:00Z'),
    api.put_quiet_hours('{"from": "22:00", "until": "07:00"}', '2026-03-10T20:00Z');
  perform tests.as_superuser();
  insert into kith.notifications (tenant_id, id, user_id, type, body, data, created_at)
  select tests.tenant('acme'), internal.uuid7(at), tests.id(person), type, 'B', '{}', at
  from (values
    ('alice', 'connection_request', timestamptz '2026-03-10T22:10Z'), ('alice', 'ping_missed', '2026-03-10T22:11Z'), ('bob', 'connection_request', '2026-03-10T22:12Z')
  ) as told (person, type, at);
  perform tests.as_role('kith_worker');
  perform worker.plan_deliveries('2026-03-10T22:15Z', 100, true);
  perform tests.as_superuser();
end
$$;
select tests.as_superuser();
delete from kith.notification_preferences;
select tests.hold();
select is(tests.held(), 'connection_request 07:00, ping_missed 22:11', 'quiet hours hold a notification back until they end');
select tests.as_user('acme', 'bob');
select api.delete_quiet_hours('2026-03-10T22:20Z') \g /dev/null
select tests.as_superuser();
select is(tests.held(), 'connection_request 07:00, ping_missed 22:11', 'somebody else''s quiet hours change nothing');
select tests.as_user('acme', 'alice');
select api.put_quiet_hours('{"from": "21:00", "until": "08:00"}', '2026-03-10T22:20Z') \g /dev/null
select tests.as_superuser();
select is(tests.held(), 'connection_request 07:00, ping_missed 22:11', 'other quiet hours that are in effect hold it back as well');
select tests.as_user('acme', 'alice');
select api.delete_quiet_hours('2026-03-10T22:30Z') \g /dev/null
select tests.as_superuser();
select is(tests.held(), 'connection_request 22:30, ping_missed 22:11', 'it goes out when the quiet hours are deleted');
select is(
  (select expires_at from kith.deliveries where next_attempt_at = '2026-03-10T22:30Z'), '2026-03-11T22:30Z', 'it expires a day later'
);
select tests.hold();
select tests.as_user('acme', 'alice');
select api.put_quiet_hours('{"from": "23:00", "until": "07:00"}', '2026-03-10T22:40Z') \g /dev/null
select tests.as_superuser();
select is(tests.held(), 'connection_request 22:40, ping_missed 22:11', 'it goes out when the quiet hours begin later');
select tests.hold();
update kith.deliveries set attempts = 1;
select tests.as_user('acme', 'alice');
select api.delete_quiet_hours('2026-03-10T22:50Z') \g /dev/null
select tests.as_superuser();
select is(tests.held(), 'connection_request 22:50, ping_missed 22:11', 'so does what was tried once before they began');

-- On which ways an alarm reaches somebody (K00).
select tests.as_superuser();
delete from kith.notification_preferences;
create function tests.alarm_ways(p_preferences text default '[]') returns jsonb
  language plpgsql
as $$
declare
  v_answer jsonb;
begin
  perform tests.as_user('acme', 'alice');
  v_answer := api.put_notification_preferences(format('{"preferences": %s}', p_preferences)::jsonb, '2026-03-10T08:00Z') -> 'alarm_ways';
  perform tests.as_superuser();
  return v_answer;
end
$$;
select is(tests.alarm_ways(), 'null', 'where the tenant has no channel, its own server tells people');
insert into kith.channel_credentials (tenant_id, channel, sealed, summary, created_at, updated_at)
select tests.tenant('acme'), channel, '\x00', '{}', '2026-03-01Z', '2026-03-01Z' from unnest(array['apns', 'email', 'sms', 'voice']) as channel
on conflict do nothing;
update kith.users
set phone = '+4915112345671', phone_verified_at = '2026-03-01Z', email = 'alice@example.com', email_verified_at = '2026-03-01Z'
where tenant_id = tests.tenant('acme') and id = tests.id('alice');
select is(tests.alarm_ways(), '[["push", "email"], ["sms"], ["voice"]]', 'each repeat is louder');
select is(
  tests.alarm_ways('[{"type": "ping_missed", "channels": ["push", "email", "sms", "voice"]}]'), '[["push", "email", "sms", "voice"]]', 'all at once is loudest'
);
select is(tests.alarm_ways('[{"type": "alarm_repeat", "channels": ["push"]}]'), '[["push", "email"]]', 'a choice for repeats turns off all others');
delete from kith.devices where user_id = tests.id('alice');
update kith.users set email = null, email_verified_at = null where id = tests.id('alice');
select is(tests.alarm_ways(), '[["sms"], ["voice"]]', 'where none of the chosen channels is there, it comes on what they have');
select is(tests.alarm_ways('[{"type": "alarm_repeat", "channels": ["push"]}]'), '[["sms"], ["sms", "voice"]]', 'and a repeat, for which they chose what they lack, on all that they have');
update kith.users set phone = null, phone_verified_at = null where id = tests.id('alice');
select is(tests.alarm_ways(), '[]', 'whom nothing reaches reads so');

select * from finish();
rollback;
