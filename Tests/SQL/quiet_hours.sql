-- No delivery is held past the deadline that it serves (F04), over all types of notifications.
begin;
\ir people.sql
\ir planned_notifications.sql
select plan(21);

insert into kith.quiet_hours (tenant_id, user_id, starts_at, ends_at, updated_at)
select tests.tenant('acme'), tests.id(person), '22:00', '07:00', :now from unnest(array['alice', 'bob']) as person;
update kith.users set time_zone = 'UTC' where id in (tests.id('alice'), tests.id('bob'));

-- What becomes of a notification to Bob of 23:00, whose deadline is p_deadline_at if its type has one.
create function tests.night(p_type text, p_deadline_at timestamptz, p_data jsonb default '{}') returns text
  language plpgsql
as $$
declare
  v_id uuid := internal.uuid7('2026-03-10T23:00Z');
  v_known record;
begin
  select * into v_known from internal.notification_types() as known where known.type = p_type;
  insert into kith.notifications (tenant_id, id, user_id, type, body, data, created_at)
  values (
    tests.tenant('acme'), v_id, tests.id('bob'), p_type, 'Body',
    jsonb_build_object('connection_id', tests.id('alice-bob'), 'ping_id', tests.told(0), 'date', '2026-03-10') || p_data
      || case when v_known.deadline_key is null then '{}' else jsonb_build_object(v_known.deadline_key, internal.instant(p_deadline_at)) end,
    '2026-03-10T23:00Z'
  );
  perform tests.plan_all('2026-03-10T23:00Z', true);
  return (
    select format(
      '%s %s until %s%s', status, to_char(next_attempt_at, 'DD HH24:MI'), to_char(expires_at, 'DD HH24:MI'), ': ' || error
    )
    from kith.deliveries
    where notification_id = v_id and channel = 'apns'
  );
end
$$;
create temporary table expected (type text primary key, at_night text, with_a_deadline_at_night text);
insert into expected values
  ('connection_request', 'queued 11 07:00 until 12 07:00', null),
  ('connection_requested', 'queued 11 07:00 until 12 07:00', null),
  ('connection_accepted', 'queued 11 07:00 until 12 07:00', null),
  ('connection_paused', 'queued 11 07:00 until 12 07:00', null),
  ('connection_resumed', 'queued 11 07:00 until 12 07:00', null),
  ('connection_removed', 'queued 11 07:00 until 12 07:00', null),
  -- The deadline of the ping of noon is past, and 15 minutes are left, as after an outage.
  ('ping_due', 'queued 10 23:00 until 10 23:15', null),
  ('ping_reminder', 'queued 10 23:00 until 10 23:15', null),
  ('ping_completed', 'queued 11 07:00 until 12 07:00', null),
  ('ping_missed', 'queued 10 23:00 until 13 23:00', null),
  ('ping_all_clear', 'queued 10 23:00 until 13 23:00', null),
  ('subscription_lapsing', 'queued 11 07:00 until 12 05:00', 'queued 10 23:00 until 11 06:00'),
  ('break_started', 'queued 11 07:00 until 12 05:00', 'dropped 11 07:00 until 11 06:00: it would be over at the end of the quiet hours'),
  ('break_ended', 'queued 11 07:00 until 12 07:00', null),
  ('vault_opened', 'queued 11 07:00 until 12 05:00', 'queued 10 23:00 until 11 06:00'),
  ('vault_locked', 'queued 11 07:00 until 12 07:00', null),
  ('nominee_invited', 'queued 11 07:00 until 12 05:00', 'queued 10 23:00 until 11 06:00'),
  ('nominee_revoked', 'queued 11 07:00 until 12 07:00', null),
  ('nominee_changed', 'queued 11 07:00 until 12 07:00', null),
  ('nominee_accepted', 'queued 11 07:00 until 12 07:00', null),
  ('nominee_declined', 'queued 11 07:00 until 12 07:00', null),
  ('transfer_requested', 'queued 11 07:00 until 12 05:00', 'queued 10 23:00 until 11 06:00'),
  ('transfer_accepted', 'queued 11 07:00 until 12 07:00', null),
  ('transfer_declined', 'queued 11 07:00 until 12 07:00', null),
  ('message_received', 'queued 11 07:00 until 12 07:00', null),
  ('emergency_requested', 'queued 10 23:00 until 13 23:00', null),
  ('emergency_reminder', 'queued 10 23:00 until 13 23:00', null),
  ('emergency_approved', 'queued 10 23:00 until 12 05:00', 'queued 10 23:00 until 11 06:00'),
  ('emergency_rejected', 'queued 10 23:00 until 13 23:00', null),
  ('emergency_opened', 'queued 10 23:00 until 12 05:00', 'queued 10 23:00 until 11 06:00'),
  ('help_requested', 'queued 10 23:00 until 13 23:00', null),
  ('alarm_repeat', 'queued 10 23:00 until 13 23:00', null),
  ('alarm_reopened', 'queued 10 23:00 until 13 23:00', null),
  ('alarm_taken', 'queued 11 07:00 until 12 07:00', null),
  ('alarm_check', 'queued 10 23:00 until 13 23:00', null),
  ('alarm_resolved', 'queued 11 07:00 until 12 07:00', null),
  ('ask', 'queued 10 23:00 until 12 05:00', 'queued 10 23:00 until 11 06:00'),
  ('ask_unanswered', 'queued 10 23:00 until 13 23:00', null),
  ('ask_answered', 'queued 10 23:00 until 13 23:00', null),
  ('sender_unreachable', 'queued 11 07:00 until 12 07:00', null),
  ('receiver_unreachable', 'queued 11 07:00 until 12 07:00', null),
  ('test_message', 'queued 11 07:00 until 12 05:00', 'dropped 11 07:00 until 11 06:00: it would be over at the end of the quiet hours');
select set_eq(
  'select type from expected', 'select type from internal.notification_types()', 'a deadline is decided for every type of notification'
);
select is_empty(
  $$
    select type, night, at_night from (select *, tests.night(type, '2026-03-12T05:00Z') as night from expected) as planned
    where night is distinct from at_night
  $$,
  'at night everything waits for the morning, unless it breaks through, and expires by its deadline'
);
select is_empty(
  $$
    select type, night, with_a_deadline_at_night
    from (select *, tests.night(type, '2026-03-11T06:00Z') as night from expected where with_a_deadline_at_night is not null) as planned
    where night is distinct from with_a_deadline_at_night
  $$,
  'what would be over in the morning is sent at once, or dropped if nobody can do anything about it'
);
select set_eq(
  'select type from internal.notification_types() where deadline_key is not null',
  'select type from expected where with_a_deadline_at_night is not null', 'these types have a deadline'
);
select is(
  tests.night('break_started', '2026-03-10T22:30Z'), 'dropped 11 07:00 until 10 22:30: expired', 'what is over before it is planned is not sent at all'
);
select is(
  tests.night('vault_opened', '2026-03-11T06:00Z', '{"to": "owner"}'), 'queued 11 07:00 until 12 07:00',
  'that somebody opened the vault stays true, so its owner reads it in the morning'
);
select is(
  (
    select format('%s %s', to_char(internal.serves_until('ends_at', '{"to": "nominee", "ends_at": "2026-03-11T06:00:00Z"}'), 'DD HH24:MI'),
      internal.serves_until('ends_at', '{"to": "owner", "ends_at": "2026-03-11T06:00:00Z"}'))
  ),
  '11 06:00 ', 'so is that somebody could'
);

-- Quiet hours that end earlier bring nothing past its deadline.
delete from kith.deliveries;
select tests.night('vault_opened', '2026-03-11T09:00Z') \g /dev/null
select tests.as_user('acme', 'bob');
select api.put_quiet_hours('{"from": "22:00", "until": "06:00"}', '2026-03-10T23:10Z') \g /dev/null
select tests.as_superuser();
select is(
  (
    select format('%s until %s', to_char(next_attempt_at, 'DD HH24:MI'), to_char(expires_at, 'DD HH24:MI'))
    from kith.deliveries where channel = 'apns'
  ),
  '11 06:00 until 11 09:00', 'a delivery that is released earlier keeps its deadline'
);
-- Nor does an operator.
update kith.deliveries set status = 'failed' where channel = 'apns';
select tests.as_role('kith_admin');
select admin.replay_delivery('acme', (select id from kith.deliveries where status = 'failed'), 'again', '2026-03-11T08:30Z') \g /dev/null
select tests.as_superuser();
select is(
  (select to_char(expires_at, 'DD HH24:MI') from kith.deliveries where channel = 'apns'), '11 09:00',
  'a delivery that is replayed keeps its deadline'
);

-- The vault itself: Alice opens it at night, Bob is told at once, and is not told any more once it is locked.
delete from kith.deliveries;
delete from kith.notifications;
create temporary table kept (name text primary key, id uuid);
grant all on kept to public;
create function tests.kept(p_name text) returns uuid language sql stable as $$ select id from kept where name = p_name $$;
create function tests.sent_to_bob(p_at timestamptz) returns text
  language sql
as $$
  select string_agg(
    format('%s %s until %s%s', notification.type, delivery.status, to_char(delivery.expires_at, 'DD HH24:MI'), ': ' || delivery.error), ', '
    order by delivery.id
  )
  from kith.deliveries as delivery
  join kith.notifications as notification on notification.id = delivery.notification_id
  where notification.user_id = tests.id('bob') and delivery.channel = 'apns' and delivery.next_attempt_at <= p_at
$$;
select tests.as_user('acme', 'alice');
insert into kept select 'vault', (api.create_vault('{"name": "Papers"}', '2026-03-10T12:00Z') ->> 'id')::uuid;
insert into kept
select 'nominee', (api.invite_nominees(
  tests.kept('vault'), '[{"name": "Bob", "email": "bob@example.org"}]', 'https://kith.example', '2026-03-10T12:00Z'
) #>> '{0,nominee,id}')::uuid;
select tests.as_superuser();
select tests.plan_all('2026-03-10T12:00Z', true) \g /dev/null
select is(tests.sent_to_bob('2026-03-10T12:00Z'), 'nominee_invited queued until 11 12:00', 'an invitation is sent by day');
select tests.as_user('acme', 'bob');
select api.accept_own_invitation(tests.kept('nominee'), '2026-03-10T12:01Z') \g /dev/null
select tests.as_superuser();
select tests.attempt('apns', 'sent', '2026-03-10T12:02Z') \g /dev/null
select is(
  tests.sent_to_bob('2026-03-11T12:00Z'), 'nominee_invited dropped until 11 12:00: it was answered', 'an invitation that was answered is not sent'
);
select tests.as_user('acme', 'alice');
select api.open_vault(tests.kept('vault'), '2026-03-10T23:00Z') \g /dev/null
select tests.as_superuser();
delete from kith.deliveries;
select tests.plan_all('2026-03-10T23:00Z', true) \g /dev/null
select is(tests.sent_to_bob('2026-03-10T23:00Z'), 'vault_opened queued until 10 23:30', '"You can enter now" is sent at once, until the session''s end');
select is(
  (select data ->> 'expires_at' from kith.notifications where type = 'vault_opened'), '2026-03-10T23:30:00.000000Z',
  'the notification says until when'
);
select tests.as_user('acme', 'alice');
select api.lock_vault(tests.kept('vault'), '2026-03-10T23:01Z') \g /dev/null
select tests.as_superuser();
select tests.attempt('apns', 'sent', '2026-03-10T23:02Z'), tests.attempt('web_push', 'sent', '2026-03-10T23:02Z') \g /dev/null
select is(
  tests.sent_to_bob('2026-03-10T23:10Z'), 'vault_opened dropped until 10 23:30: the vault was locked', 'and not after it was locked'
);
select is(
  (
    select string_agg(type || ' ' || delivery_status, ', ' order by id) from kith.notifications
    where user_id = tests.id('bob') and type like 'vault%'
  ),
  'vault_opened dropped, vault_locked queued', 'the notification itself stays'
);
-- An offer.
delete from kith.deliveries;
select tests.as_user('acme', 'alice');
select api.create_transfer(
  tests.kept('vault'), '{"name": "Bob", "email": "bob@example.org", "keep_access": false}', 'https://kith.example', '2026-03-11T12:00Z'
) \g /dev/null
select tests.as_superuser();
select tests.plan_all('2026-03-11T12:00Z', true) \g /dev/null
select is(tests.sent_to_bob('2026-03-11T12:00Z') ~ 'transfer_requested queued', true, 'an offer is sent');
select tests.as_user('acme', 'alice');
select api.cancel_transfer(tests.kept('vault'), '2026-03-11T12:01Z') \g /dev/null
select tests.as_superuser();
select tests.attempt('apns', 'sent', '2026-03-11T12:02Z') \g /dev/null
select is(
  tests.sent_to_bob('2026-03-11T12:10Z') ~ 'transfer_requested dropped until 12 12:00: it was answered', true,
  'an offer that was taken back is not sent'
);
-- What quiet hours hold is not sent in the morning if it is no longer true.
create function tests.reason(p_type text, p_data jsonb) returns text
  language sql as $$ select reason from internal.pointless(tests.tenant('acme'), tests.id('bob'), p_type, p_data, null) $$;
insert into kept select 'connection', tests.id('alice-bob');
select is(
  tests.reason('connection_requested', jsonb_build_object('connection_id', tests.kept('connection'))), 'it was answered',
  'a request to connect that was answered is pointless'
);
select tests.as_user('acme', 'alice');
select api.open_vault(tests.kept('vault'), '2026-03-11T12:10Z') \g /dev/null
select tests.as_superuser();
select is(
  array[
    tests.reason('vault_locked', jsonb_build_object('vault_id', tests.kept('vault'))),
    tests.reason('vault_locked', jsonb_build_object('vault_id', tests.kept('vault'), 'to', 'owner'))
  ],
  array['the vault is open again', null], 'so is that a vault was locked which is open again, except to its owner'
);
create temporary table renewed as select tests.reason('subscription_lapsing', jsonb_build_object('user_id', tests.id('bob'))) as before;
update kith.receiver_profiles set pings_stop_at = '2026-03-15Z' where user_id = tests.id('bob');
select is(
  array[before, tests.reason('subscription_lapsing', jsonb_build_object('user_id', tests.id('bob')))],
  array['the subscription was renewed', null], 'and that a subscription lapses which was renewed'
) from renewed;
select is(
  (select count(*) from internal.notification_types() where not breaks_through and (deadline_key is null) <> (if_held_past is null)), 0::bigint,
  'every deadline that quiet hours can miss says what becomes of it'
);

select * from finish();
rollback;
