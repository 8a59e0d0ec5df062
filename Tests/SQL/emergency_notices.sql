-- What owners and nominees are told of a wait for emergency access, when, and on which channels (E02, E09, E10).
begin;
\ir people.sql
\ir emergency_house.sql
select plan(59);

-- Alice lives in New York and has a telephone, an address and a phone that shows pushes; Bob lives in Berlin.
update kith.users set time_zone = 'America/New_York', phone = '+4915100000001', phone_verified_at = '2026-01-05T08:00Z', email = 'alice@example.com',
  email_verified_at = '2026-01-05T08:00Z'
where id = tests.id('alice');
update kith.users set time_zone = 'Europe/Berlin', email = 'bob@example.com', email_verified_at = '2026-01-05T08:00Z', phone = '+4915100000002',
  phone_verified_at = '2026-01-05T08:00Z'
where id = tests.id('bob');
insert into kith.devices (tenant_id, token, user_id, platform, environment, created_at, last_seen_at)
values (tests.tenant('acme'), 'alice-phone', tests.id('alice'), 'ios', 'production', '2026-01-05T08:00Z', '2026-03-01T08:00Z');

-- What the worker tells until p_until if it looks every minute.
create function tests.live(p_from timestamptz, p_until timestamptz) returns void
  language plpgsql
as $$
declare
  v_at timestamptz := p_from;
begin
  while v_at <= p_until loop
    perform tests.tell(v_at);
    -- From one notice to the next, and at least a minute.
    select greatest(v_at + interval '1 minute', min(notice_at)) into v_at from kith.emergency_requests where ended_at is null;
    exit when v_at is null;
  end loop;
end
$$;
create function tests.notices(p_person text) returns text[]
  language sql
as $$
  select array_agg(to_char(created_at, 'DD HH24:MI ') || substr(type, 11) || ': ' || body order by created_at, id)
  from tests.notifications where user_id = tests.id(p_person) and type like 'emergency%'
$$;
create function tests.channels(p_person text, p_type text) returns text[]
  language sql
as $$
  select array_agg(delivery.channel || case when delivery.next_attempt_at > notification.created_at + interval '1 minute' then ' later' else '' end order by delivery.channel)
  from kith.deliveries as delivery
  join kith.notifications as notification on notification.tenant_id = delivery.tenant_id and notification.id = delivery.notification_id
  where notification.user_id = tests.id(p_person) and notification.type = p_type
$$;
-- Why a notice, by default to Alice, is not sent any more.
create function tests.reason(p_type text, p_person text default 'alice') returns text
  language sql
as $$
  select pointless.reason
  from kith.notifications as notice, internal.pointless(notice.tenant_id, notice.user_id, notice.type, notice.data, notice.read_at) as pointless
  where notice.type = p_type and notice.user_id = tests.id(p_person)
$$;
-- What the worker sends on the channels.
create function tests.sent(p_channels text[], p_now timestamptz) returns table (channel text, body text)
  language plpgsql
as $$
begin
  perform tests.as_role('kith_worker');
  return query
    select way.channel, claimed.body
    from unnest(p_channels) as way (channel)
    cross join lateral worker.claim_deliveries(p_now, way.channel, 100, 100, 0, '{}', '{}', 'w1') as claimed;
  perform tests.as_superuser();
  update kith.deliveries set status = 'sent', sent_at = p_now, leased_until = null, leased_by = null where status = 'sending';
end
$$;

-- Twenty days, from the first notice to the last.
select tests.ask(480);
select tests.live('2026-03-10T08:00Z', '2026-04-02T00:00Z') \g /dev/null
select is(tests.notices('alice'), array[
  '10 08:00 requested: Bob asks for emergency access to Papers. They get in on 30 March 2026, 04:00 unless you say no.',
  '17 08:00 reminder: Bob gets into Papers in 13 days. Check in or say no to stop it.',
  '24 08:00 reminder: Bob gets into Papers in 6 days. Check in or say no to stop it.',
  '28 08:00 reminder: Bob gets into Papers in 2 days. Check in or say no to stop it.',
  '29 08:00 reminder: Bob gets into Papers in 1 day. Check in or say no to stop it.',
  '30 07:00 reminder: Bob gets into Papers in 1 hour. Check in or say no to stop it.',
  '30 08:00 opened: Bob can enter Papers now and can stay until 31 March 2026, 04:00. Say no to end it.'
], 'the owner is told at once, weekly, 2 days, 1 day and 1 hour before, and of the grant, in their own time');
select is(tests.notices('bob'), array['30 08:00 opened: You can enter Papers now, until 31 March 2026, 10:00.'], 'the nominee is told of the grant, in theirs');
select is((select end_reason from kith.emergency_requests), 'expired', 'the end of the grant is recorded');
select is((select array_agg(action order by id) from kith.history where action like 'emergency%'), array['emergency.requested', 'emergency.waiting', 'emergency.ended'],
  'the history has the request, the wait and its end');
select tests.ask(1);
select tests.live('2026-03-10T08:00Z', '2026-03-10T10:00Z') \g /dev/null
select is(tests.notices('alice'), array[
  '10 08:00 requested: Bob asks for emergency access to Papers. They get in on 10 March 2026, 05:00 unless you say no.',
  '10 09:00 opened: Bob can enter Papers now and can stay until 11 March 2026, 05:00. Say no to end it.'
], 'the shortest wait has one notice, an hour before');
select tests.ask(181);
select tests.live('2026-03-10T08:00Z', '2026-03-18T00:00Z') \g /dev/null
select is((select array_agg(to_char(created_at, 'DD HH24:MI') order by created_at) from kith.notifications where type = 'emergency_reminder'),
  array['15 21:00', '16 21:00', '17 20:00'], 'a weekly notice near one of the last three is left out');

-- A worker that was stopped.
select tests.ask(480);
select tests.tell('2026-03-25T12:00Z') \g /dev/null
select is((tests.notices('alice'))[2:], array['25 12:00 reminder: Bob gets into Papers in 5 days. Check in or say no to stop it.'], 'a worker that was stopped for weeks sends one reminder');
select is((select notice_at from kith.emergency_requests), '2026-03-28T08:00Z', 'the next one comes at its own time');
select is(tests.tell('2026-03-25T12:00:01Z'), 0, 'nothing is told twice');
update kith.emergency_requests set notice_at = '2026-03-25T12:00Z';
select is(tests.tell('2026-03-25T12:00:02Z'), 1, 'not even if a request is looked at again');
select is(cardinality(tests.notices('alice')), 2, 'there is still one');
select tests.tell('2026-03-30T08:00Z'), tests.tell('2026-03-30T08:00Z'), tests.tell('2026-03-30T09:00Z') \g /dev/null
select is((select count(*) from kith.notifications where type = 'emergency_opened'), 2::bigint, 'the grant is told once to each');

-- A grant that moves.
select tests.ask(72);
insert into kith.outages (component, began_at, ended_at) values ('server', '2026-03-11T10:00Z', '2026-03-11T12:30Z');
select tests.live('2026-03-11T12:30Z', '2026-03-13T12:00Z') \g /dev/null
select is(tests.notices('alice'), array[
  '10 08:00 requested: Bob asks for emergency access to Papers. They get in on 13 March 2026, 04:00 unless you say no.',
  '11 12:30 requested: Bob''s emergency access to Papers moves to 13 March 2026, 06:30.',
  '12 10:30 reminder: Bob gets into Papers in 1 day. Check in or say no to stop it.',
  '13 09:30 reminder: Bob gets into Papers in 1 hour. Check in or say no to stop it.',
  '13 10:30 opened: Bob can enter Papers now and can stay until 14 March 2026, 06:30. Say no to end it.'
], 'a grant that has moved is told, and its reminders move along');

-- The owner's answers end it.
select tests.ask(480);
select tests.as_user('acme', 'alice') \g /dev/null
select api.reject_emergency_request(tests.vault(), (select id from kith.emergency_requests), '2026-03-11T08:00Z') \g /dev/null
select tests.as_superuser();
select is(tests.tell('2026-03-30T08:00Z'), 0, 'after a rejection nobody is reminded');
select is(tests.notices('bob'), array['11 08:00 rejected: Alice said no to your emergency access to Papers.'], 'the nominee is told of the rejection');
select is((select answered_at from kith.signs_of_life), '2026-03-11T08:00Z', 'which is a sign of life');

-- The channels.
insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
select tests.tenant('acme'), tests.id(person), type, array['push'], '2026-03-01T08:00Z'
from unnest(array['alice', 'bob']) as person, unnest(array['emergency_requested', 'emergency_reminder', 'emergency_opened']) as type;
insert into kith.quiet_hours (tenant_id, user_id, starts_at, ends_at, updated_at)
select tests.tenant('acme'), tests.id(person), '00:00', '23:59', '2026-03-01T08:00Z' from unnest(array['alice', 'bob']) as person;
select tests.ask(480);
select tests.plan('2026-03-10T08:00:01Z') \g /dev/null
select is(tests.channels('alice', 'emergency_requested'), array['apns', 'email', 'sms', 'voice'], 'the first notice goes to the owner on every channel that they have, in their quiet hours, whatever they prefer');
select tests.tell('2026-03-17T08:00Z'), tests.plan('2026-03-17T08:00:01Z') \g /dev/null
select is(tests.channels('alice', 'emergency_reminder'), array['apns', 'email', 'sms', 'voice'], 'and so does a reminder');
select tests.tell('2026-03-30T08:00Z'), tests.plan('2026-03-30T08:00:01Z') \g /dev/null
select is(tests.channels('alice', 'emergency_opened'), array['apns', 'email', 'sms', 'voice'], 'and the grant');
select is(tests.channels('bob', 'emergency_opened'), array['email', 'sms'], 'a nominee whose channel cannot be reached is told on the others: it is an alarm');
insert into kith.devices (tenant_id, token, user_id, platform, environment, created_at, last_seen_at)
values (tests.tenant('acme'), 'bob-phone', tests.id('bob'), 'ios', 'production', '2026-01-05T08:00Z', '2026-03-01T08:00Z');
select tests.ask(1);
select tests.tell('2026-03-10T09:00Z'), tests.plan('2026-03-10T09:00:01Z') \g /dev/null
select is(tests.channels('bob', 'emergency_opened'), array['apns'], 'a nominee is told on the channels that they chose, in their quiet hours, too');
select tests.ask(480);
select tests.as_user('acme', 'bob') \g /dev/null
select api.withdraw_emergency_request(tests.vault(), (select id from kith.emergency_requests), '2026-03-10T08:00:00.5Z') \g /dev/null
select tests.as_superuser();
select tests.plan('2026-03-10T08:00:01Z') \g /dev/null
select is(tests.reason('emergency_requested'), 'it was answered', 'a notice of a wait that is over is not sent any more');

-- A worker that was stopped through the whole wait.
update kith.emergency_settings set grant_hours = 240;
select tests.ask(72);
select tests.plan('2026-03-13T11:59:59Z') \g /dev/null
select is(tests.channels('alice', 'emergency_requested'), array['apns', 'email', 'sms', 'voice'], 'a notice that is planned days late still goes out');
select is(tests.reason('emergency_requested'), null, 'it has a point as long as nobody has told of the grant');
select tests.as_user('acme', 'alice') \g /dev/null
select is(
  (select step ->> 'text' from json_array_elements(api.rehearse_emergency(null, null, null, '2026-03-13T12:00Z') -> 'steps') as step where step ->> 'kind' = 'grant'),
  'Bob has been able to enter Papers since 13 March 2026, 04:00 and can stay until 23 March 2026, 04:00. Say no to end it.', 'the rehearsal says what the worker will tell'
);
select tests.as_superuser();
select tests.tell('2026-03-13T12:00Z'), tests.plan('2026-03-13T12:00Z') \g /dev/null
select is((tests.notices('alice'))[2:], array['13 12:00 opened: Bob has been able to enter Papers since 13 March 2026, 04:00 and can stay until 23 March 2026, 04:00. Say no to end it.'],
  'after the grant the owner is told at once since when access has been open, and how to end it');
select is(tests.channels('alice', 'emergency_opened'), array['apns', 'email', 'sms', 'voice'], 'on every channel');
select is(tests.notices('bob'), array['13 12:00 opened: You can enter Papers now, until 23 March 2026, 09:00.'], 'and the nominee that they can enter');
select is(tests.reason('emergency_requested'), 'access was granted', 'the notice of the wait, which could only mislead, is not sent any more');
select is(tests.reason('emergency_opened', 'bob'), null, 'as long as they can');
select tests.as_user('acme', 'alice') \g /dev/null
select api.reject_emergency_request(tests.vault(), (select id from kith.emergency_requests), '2026-03-13T12:00:05Z') \g /dev/null
select tests.as_superuser();
select is(tests.reason('emergency_opened', 'bob'), 'access has ended', 'a nominee is not told that they can enter after the owner has said no');
select is(tests.reason('emergency_opened'), null, 'and the owner is told that they could');
select tests.ask(72);
select tests.tell('2026-03-13T08:10Z') \g /dev/null
select is((tests.notices('alice'))[2], '13 08:10 opened: Bob can enter Papers now and can stay until 23 March 2026, 04:00. Say no to end it.', 'ten minutes are not late');
select tests.ask(72);
select tests.enter('2026-03-13T08:00Z') \g /dev/null
select tests.tell('2026-03-18T08:00Z'), tests.plan('2026-03-18T08:00Z') \g /dev/null
select is((tests.notices('alice'))[2:], array['13 08:00 opened: Bob has entered Papers and can stay until 23 March 2026, 04:00. Say no to end it.'], 'a nominee who has entered meanwhile is told of once');
select is(tests.channels('alice', 'emergency_opened'), array['apns', 'email', 'sms', 'voice'], 'on every channel, even days later');
update kith.emergency_settings set grant_hours = 24;
select tests.ask(72);
select tests.enter('2026-03-13T08:00Z') \g /dev/null
select tests.tell('2026-03-18T08:00Z'), tests.plan('2026-03-18T08:00Z') \g /dev/null
select is(
  (select array_agg(channel order by channel) from tests.sent('{apns,email,sms,voice}', '2026-03-18T08:00Z') where body like '%Bob has entered Papers%'), array['apns', 'email', 'sms', 'voice'],
  'even if the grant is over by then'
);

-- The link of an e-mail.
create function tests.texts(p_channel text, p_now timestamptz) returns text[]
  language plpgsql
as $$
begin
  perform tests.plan(p_now);
  return array(select sent.body from tests.sent(array[p_channel], p_now) as sent order by sent.body);
end
$$;
create function tests.link() returns text
  language sql as $$ select 'https://links.acme.example/open?type=emergency_request&id=' || tests.request() $$;
delete from kith.notification_preferences;
select tests.ask(48);
select is(tests.texts('email', '2026-03-10T08:00:01Z'), array['Bob asks for emergency access to Papers. They get in on 12 March 2026, 04:00 unless you say no.'],
  'without a host whose links open the app, an e-mail has no link');
update kith.tenants set universal_link_host = 'links.acme.example' where slug = 'acme';
select tests.ask(48);
select is(
  tests.texts('email', '2026-03-10T08:00:01Z'),
  array['Bob asks for emergency access to Papers. They get in on 12 March 2026, 04:00 unless you say no.' || e'\n\nOpen PRUUF to say that you''re safe, or to say no: ' || tests.link()],
  'with one, the owner''s e-mail has a link that names the request, and nothing else'
);
select is(
  tests.texts('sms', '2026-03-10T08:00:01Z'),
  array['Emergency Access: Bob asks for emergency access to Papers. They get in on 12 March 2026, 04:00 unless you say no.'], 'a text message has none'
);
select is(
  tests.texts('apns', '2026-03-10T08:00:01Z'),
  array['Bob asks for emergency access to Papers. They get in on 12 March 2026, 04:00 unless you say no.'], 'nor does a push, whose data names the request'
);
select tests.tell('2026-03-11T08:00Z') \g /dev/null
select is(
  tests.texts('email', '2026-03-11T08:00Z'),
  array['Bob gets into Papers in 1 day. Check in or say no to stop it.' || e'\n\nOpen PRUUF to say that you''re safe, or to say no: ' || tests.link()], 'a reminder has it'
);
select tests.tell('2026-03-12T08:00Z') \g /dev/null
select is(
  tests.texts('email', '2026-03-12T08:00Z'),
  array[
    'Bob can enter Papers now and can stay until 13 March 2026, 04:00. Say no to end it.' || e'\n\nOpen PRUUF to end it: ' || tests.link(),
    'You can enter Papers now, until 13 March 2026, 09:00.' || e'\n\nOpen PRUUF to enter: ' || tests.link()
  ], 'so has the grant, for the owner to end it and for the nominee to enter'
);
select tests.as_user('acme', 'alice') \g /dev/null
select api.reject_emergency_request(tests.vault(), tests.request(), '2026-03-12T09:00Z') from tests.request() \g /dev/null
select tests.as_superuser();
select is(tests.texts('email', '2026-03-12T09:00Z'), array['Alice said no to your emergency access to Papers.'], 'where there is nothing to do, there is no link');
update kith.emergency_settings set reject_on_check_in = false;
select tests.ask(48);
select is(
  (select count(*) from unnest(tests.texts('email', '2026-03-10T08:00:01Z')) as text where text like '%Open PRUUF to say no: ' || tests.link()), 1::bigint,
  'a check-in that stops nothing is not offered'
);
update kith.emergency_settings set reject_on_check_in = true;
update kith.tenants set universal_link_host = null where slug = 'acme';

-- Many at once, and somebody else's.
select tests.ask(480);
create temporary table crowd as select n, gen_random_uuid() as id, internal.uuid7('2026-03-10T08:00Z') as request from generate_series(1, 30) as n;
insert into kith.nominees (tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, updated_at)
select tests.tenant('acme'), id, tests.vault(), tests.id('alice'), null, 'N' || n, 'pending', 'view', '2026-03-01T08:00Z', tests.id('alice'), null, '2026-03-01T08:00Z' from crowd;
insert into kith.emergency_requests (tenant_id, id, vault_id, nominee_id, owner_id, user_id, cause, wait_hours, access_level, grant_hours, reject_on_check_in,
  sign_of_life, required, requested_at, waits_from, grants_at, ends_at, counted_to, notice_at)
select tests.tenant('acme'), request, tests.vault(), id, tests.id('alice'), tests.id('bob'), 'request', 480, 'view', 24, true, 'check_in', 1, '2026-03-10T08:00Z',
  '2026-03-10T08:00Z', '2026-03-30T08:00Z', '2026-03-31T08:00Z', '2026-03-10T08:00Z', '2026-03-17T08:00Z'
from crowd;
select tests.as_role('kith_worker');
select is(worker.tell_emergencies('2026-03-17T08:00Z', 10), 10, 'a batch tells as many as it may');
select is(worker.tell_emergencies('2026-03-17T08:00Z', 100), 21, 'and the next one the rest');
select is(worker.tell_emergencies('2026-03-17T08:00Z', 100), 0, 'until there are none left');
select tests.as_superuser();
select is((select count(*) from kith.notifications where type = 'emergency_reminder'), 31::bigint, 'each once');
select is((select count(distinct user_id) from kith.notifications where type = 'emergency_reminder'), 1::bigint, 'and to nobody but the owner');

-- Who may call what.
select tests.as_role('kith_api');
select throws_ok($$ select worker.tell_emergencies('2026-03-17T08:00Z', 100) $$, '42501', null, 'a server cannot act as the worker');
select throws_ok($$ select internal.settle_delays(null, now(), now()) $$, '42501', null, 'nor move a grant');
select throws_ok($$ select internal.begin_silence(null, null, 3, now()) $$, '42501', null, 'nor begin a wait');
select tests.as_role('kith_worker');
select throws_ok($$ update kith.emergency_requests set grants_at = now() $$, '42501', null, 'the worker cannot write requests directly');
select throws_ok($$ select * from kith.emergency_requests $$, '42501', null, 'nor read them');

-- What waits, for the operator.
select tests.as_role('kith_api');
select is(api.emergency_metrics('2026-03-17T08:00Z')::jsonb, '{"waiting": 31, "granted": 0, "held": 0, "undelivered": 0, "early": 0, "oldest_notice_seconds": 0, "oldest_recount_seconds": 0}',
  'the metrics say what waits');
select is(api.emergency_metrics('2026-03-24T08:05Z') ->> 'oldest_notice_seconds', '300', 'and how late the worker is');
select is(api.emergency_metrics('2026-03-30T09:00Z') ->> 'granted', '31', 'and what is granted');
select tests.as_superuser();
insert into kith.signs_of_life (tenant_id, user_id, recount_at) values (tests.tenant('acme'), tests.id('alice'), '2026-03-24T08:00Z')
on conflict (tenant_id, user_id) do update set recount_at = excluded.recount_at;
update kith.emergency_requests set undelivered_since = '2026-03-24T08:00Z' where id = (select request from crowd limit 1);
create function tests.late() returns text
  language sql
as $$
  select concat_ws(' ', made ->> 'oldest_notice_seconds', made ->> 'oldest_recount_seconds', made ->> 'undelivered')
  from api.emergency_metrics('2026-03-24T08:05Z') as made
$$;
select is(tests.late(), '300 300 1', 'a count that is not done is late too, and an owner whom nothing reaches is counted');
update kith.tenants set deleted_at = '2026-03-24T08:00Z' where tenant_id = tests.tenant('acme');
select is(tests.late(), '0 0 0', 'nothing is late for a deleted tenant, for whom the worker does nothing');

select * from finish();
rollback;
