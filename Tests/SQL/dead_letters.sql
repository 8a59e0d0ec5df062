-- Deliveries that failed for good, and how an operator sends them again.
begin;
\ir people.sql
select plan(44);
\set now '''2026-03-10T12:00:00Z'''

create function tests.letter(p_n integer) returns uuid
  language sql immutable
  return ('019cd79e-4600-7000-8000-' || lpad(p_n::text, 12, '0'))::uuid;
insert into kith.notifications (tenant_id, id, user_id, type, body, data, created_at, planned_at, delivery_status)
select tests.tenant('acme'), tests.letter(n), tests.id('bob'), 'message_received', 'B', '{}', :now, :now, 'failed' from generate_series(1, 3) as n;
insert into kith.deliveries (tenant_id, id, channel, purpose, address, notification_id, status, attempts, next_attempt_at, expires_at, error, created_at)
select tests.tenant('acme'), tests.letter(n), 'email', 'notification', 'bob@example.org', tests.letter(n), 'failed', 30, :now, :now, 'no such mailbox', :now
from generate_series(1, 3) as n;
insert into kith.deliveries (tenant_id, id, channel, purpose, address, body, status, attempts, next_attempt_at, expires_at, created_at)
values
  (tests.tenant('acme'), tests.letter(8), 'email', 'sign_in_code', 'bob@example.org', '{code}', 'failed', 10, :now, :now, :now),
  (tests.tenant('acme'), tests.letter(9), 'email', 'invitation', 'bob@example.org', 'x', 'sent', 1, :now, :now, :now);
select tests.as_role('kith_admin');
select is(
  (select concat_ws(' ', tenant, channel, purpose, type, user_id = tests.id('bob'), address, attempts, error) from admin.dead_letters where id = tests.letter(1)),
  'acme email notification message_received t bob@example.org 30 no such mailbox', 'an operator sees a dead letter and its error'
);
select throws_ok(format($$ select admin.replay_delivery('globex', %L, 'x') $$, tests.letter(1)), 'KT404', 'not_found', 'a dead letter belongs to one tenant');
do $$
declare
  v_detail text;
  v_hint text;
begin
  perform admin.replay_delivery('acme', '019aa5c2-6a40-7d3b-9c11-3f0e8b7a52d4', 'x');
exception when sqlstate 'KT404' then
  get stacked diagnostics v_detail = pg_exception_detail, v_hint = pg_exception_hint;
  perform set_config('tests.refusal', v_detail || ' ' || v_hint, true);
end
$$;
select is(
  current_setting('tests.refusal'),
  '''acme'' has no delivery 019aa5c2-6a40-7d3b-9c11-3f0e8b7a52d4. Look it up: select * from admin.dead_letters where tenant = ''acme'';', 'the refusal tells the operator where to look'
);
select matches(
  admin.replay_delivery('acme', tests.letter(1), 'the mailbox is back', '2026-03-11T12:00Z'), '^the worker sends it within seconds, unless',
  'an operator replays a delivery'
);
select throws_ok(format($$ select admin.replay_delivery('acme', %L, 'x') $$, tests.letter(1)), 'KT409', 'invalid_transition', 'a delivery cannot be replayed twice');
select throws_ok(format($$ select admin.replay_delivery('acme', %L, 'x') $$, tests.letter(9)), 'KT409', 'invalid_transition', 'a sent delivery cannot be replayed');
select throws_ok(format($$ select admin.replay_delivery('acme', %L, 'x') $$, tests.letter(8)), 'KT409', 'invalid_transition', 'a delivery whose code was erased cannot be replayed');
select tests.as_superuser();
select is(
  (
    select concat_ws(' ', delivery.status, delivery.attempts, internal.instant(delivery.next_attempt_at), internal.instant(delivery.expires_at), delivery_status)
    from kith.deliveries as delivery join kith.notifications as notification on notification.id = delivery.notification_id
    where delivery.id = tests.letter(1)
  ),
  'queued 0 2026-03-11T12:00:00.000000Z 2026-03-12T12:00:00.000000Z queued', 'a replayed delivery starts again and expires after a day'
);
select tests.as_role('kith_admin');
select is(admin.replay_deliveries('email', 'acme', '2026-03-10T12:00:01Z', 'x', '2026-03-11T12:00:01Z'), 0, 'replaying since an instant leaves out older deliveries');
select is(admin.replay_deliveries('email', 'acme', '2026-03-10T12:00:00Z', 'the provider is back', '2026-03-11T12:00:02Z'), 2, 'replaying a channel queues all dead letters except codes');
select is((select count(*) from admin.dead_letters), 1::bigint, 'dead letters with codes stay');
select is(
  (select concat_ws(' ', tenant, channel, purpose, status, deliveries, due) from admin.delivery_backlog), 'acme email notification queued 3 3',
  'the backlog shows the replayed deliveries'
);
select tests.as_superuser();
select is(
  (select string_agg(concat_ws(' ', action, subject, detail ->> 'reason', detail ->> 'deliveries'), ', ' order by id) from kith.audit where action like 'deliver%'),
  format('delivery.replay %s the mailbox is back, deliveries.replay email x 0, deliveries.replay email the provider is back 2', tests.letter(1)),
  'replays are audited with their reason'
);

-- After an outage of the provider of calls, during which one expired.
select tests.as_superuser();
insert into kith.deliveries (tenant_id, id, channel, purpose, address, body, status, attempts, next_attempt_at, expires_at, error, created_at)
values
  (tests.tenant('acme'), tests.letter(11), 'voice', 'invitation', '+4915100000002', 'x', 'failed', 30, :now, :now, 'down', :now),
  (tests.tenant('acme'), tests.letter(12), 'voice', 'invitation', '+4915100000002', 'x', 'dropped', 3, :now, :now, 'down; expired', :now),
  (tests.tenant('acme'), tests.letter(13), 'voice', 'invitation', '+4915100000002', 'x', 'dropped', 0, :now, :now, 'it was read', :now);
select tests.as_role('kith_admin');
select is(
  (
    select string_agg(concat_ws(' ', what, verdict, messages), '; ' order by verdict)
    from admin.replay_outage('voice', '2026-03-10T11:00Z', '2026-03-10T13:00Z', 'the provider was down', 'acme', false, '2026-03-10T18:00Z')
  ),
  'invitation not sent: it expired while it waited 1; invitation sent again 1; in all sent: the worker sends 1 within seconds, unless the channel is paused 1', 'calls are sent again too, and those that expired are named'
);
select is(
  (select array_agg(id) from kith.deliveries where channel = 'voice' and status = 'queued'), array[tests.letter(11)], 'what has expired is not sent again'
);
select is(
  (select count(*) from admin.replay_outage('voice', '2026-03-10T15:00Z', '2026-03-10T16:00Z', 'x', null, true, '2026-03-10T18:00Z')), 1::bigint,
  'where nothing was lost, one line says so'
);

-- After an outage of the provider.
select tests.as_superuser();
delete from kith.deliveries; delete from kith.notifications;
insert into kith.notifications (tenant_id, id, user_id, type, body, data, created_at, planned_at, delivery_status, read_at)
select tests.tenant('acme'), tests.letter(n), tests.id('bob'), type, 'B', data::jsonb, :now, :now, 'failed', read_at
from (values
  (1, 'message_received', '{}', null::timestamptz), (2, 'message_received', '{}', '2026-03-10T12:30Z'),
  (3, 'ping_due', '{"date": "2026-03-10", "connection_id": "0c000000-0000-7000-8000-000000000001"}', null), (4, 'message_received', '{}', null)
) as given (n, type, data, read_at);
insert into kith.deliveries (tenant_id, id, channel, purpose, address, notification_id, body, status, attempts, next_attempt_at, expires_at, error, created_at)
select tests.tenant('acme'), tests.letter(n), 'sms', purpose, '+4915100000002', case when purpose = 'notification' then tests.letter(n) end,
  case when purpose <> 'notification' then 'x' end, 'failed', 30, :now, :now, 'down', :now
from (values (1, 'notification'), (2, 'notification'), (3, 'notification'), (5, 'sign_in_code')) as given (n, purpose);
create function tests.replayed(p_tenant text, p_dry boolean) returns text
  language sql
as $$
  select string_agg(concat_ws(' ', tenant, what, verdict, messages), '; ' order by what = 'in all', what, verdict)
  from admin.replay_outage('sms', '2026-03-10T11:00Z', '2026-03-10T13:00Z', 'the provider was down', p_tenant, p_dry, '2026-03-10T18:00Z')
$$;
grant execute on function tests.replayed(text, boolean) to public;
select tests.as_role('kith_admin');
-- One that waited for the provider until its deadline had passed, and one that was read at once.
select tests.as_superuser();
insert into kith.notifications (tenant_id, id, user_id, type, body, data, created_at, planned_at, delivery_status, read_at)
select tests.tenant('acme'), tests.letter(n), tests.id('alice'), 'ping_due', 'B', '{"date": "2026-03-10"}', :now, :now, 'dropped', read_at
from (values (6, null::timestamptz), (7, '2026-03-10T12:00:20Z')) as given (n, read_at);
insert into kith.deliveries (tenant_id, id, channel, purpose, address, notification_id, status, next_attempt_at, expires_at, error, created_at)
select tests.tenant('acme'), tests.letter(n), 'sms', 'notification', '+4915100000001', tests.letter(n), 'dropped', dropped_at::timestamptz, '2026-03-10T13:30Z', error, :now
from (
  values (6, '2026-03-10T12:40Z', 'the deadline had passed'), (7, '2026-03-10T12:40Z', 'it was read')
) as given (n, dropped_at, error);
insert into kith.deliveries (tenant_id, id, channel, purpose, address, body, status, next_attempt_at, expires_at, error, created_at)
select tests.tenant('acme'), tests.letter(n), 'sms', 'invitation', '+4915100000001', 'x', 'dropped', dropped_at::timestamptz, '2026-03-10T13:30Z', error, :now
from (
  values (61, '2026-03-10T12:40Z', 'the connection has ended'), (62, '2026-03-10T12:00:02Z', 'the connection has ended'),
    (63, '2026-03-10T16:00Z', 'over the limit of 20 text messages in 24 hours (sms_notifications_per_user_per_day)')
) as given (n, dropped_at, error);
select tests.as_role('kith_admin');
\set plan '''acme invitation not sent: the connection has ended when its turn came 1; acme message_received not sent: it was read 1; acme message_received sent again 1; acme ping_due not sent: nobody waits for an answer any more 1; acme ping_due not sent: the deadline has passed 1; acme sign_in_code not sent: the code is no longer valid 1'''
select is(
  tests.replayed(null, true), replace(:plan, 'sent again', 'would be sent again') || '; in all a dry run: nothing was sent; with p_dry_run => false 1 would be 1',
  'a dry run counts by tenant and type, names what is not worth sending any more, and says that it is one'
);
select is((select count(*) from kith.deliveries where status = 'queued'), 0::bigint, 'and sends nothing');
select is(
  tests.replayed('globex', true),
  'globex nothing by sms no message that was made in this time failed, expired or was dropped; those that wait are in admin.delivery_backlog 0',
  'another tenant lost nothing, and the answer says so'
);
select is(
  tests.replayed('acme', false), :plan || '; acme in all sent: the worker sends 1 within seconds, unless the channel is paused 1',
  'the real run says the same, and that it is done'
);
select is((select array_agg(id) from kith.deliveries where status = 'queued'), array[tests.letter(1)], 'and sends again what is worth it');
select throws_ok($$ select admin.replay_outage('fax', now() - interval '1 hour', now(), 'x') $$, 'KT404', 'not_found', 'a channel must exist');
select throws_ok($$ select admin.replay_outage('sms', now(), now() - interval '1 hour', 'x') $$, 'KT422', 'validation_failed', 'the time must be a time');
select throws_ok($$ select admin.replay_outage('sms', now() - interval '1 hour', now(), ' ') $$, 'KT422', 'validation_failed', 'a reason is needed');
select throws_ok($$ select admin.replay_outage('sms', now() - interval '1 hour', now(), 'x', 'nobody') $$, 'KT404', 'not_found', 'a tenant must exist');
select matches(
  (select string_agg(what || ' ' || detail, '; ') from admin.story_of_notification('acme', tests.letter(1)) where what = 'sent again'),
  '^sent again sms: by operator:.*: the provider was down$', 'the story says that somebody sent it again, and who'
);
select is(
  (select string_agg(what, ' ') from admin.story_of_notification('acme', tests.letter(5))), 'queued failed', 'a delivery without a notification has a story too'
);


-- Whom an outage has delayed.
select tests.as_superuser();
insert into kith.deliveries (
  tenant_id, id, channel, purpose, address, notification_id, status, attempts, next_attempt_at, expires_at, created_at, sent_at, error
)
select tests.tenant('acme'), tests.letter(n), channel, 'notification', 'x', tests.letter(4), status, 1, :now, :now, :now, sent_at::timestamptz, error
from (values
  (41, 'voice', 'sent', '2026-03-10T12:00:30Z', null), (42, 'voice', 'sent', '2026-03-10T14:00Z', null), (43, 'apns', 'sent', '2026-03-10T12:10Z', null),
  (44, 'voice', 'dropped', null, 'they have read it'), (45, 'voice', 'dropped', null, 'expired')
) as given (n, channel, status, sent_at, error);
create function tests.delayed(p_channel text, p_tenant text) returns text
  language sql
as $$
  select string_agg(concat_ws(' ', person, what, to_char(reached_at at time zone 'UTC', 'HH24:MI:SS'), became), '; ' order by next)
  from admin.delayed(p_channel, '2026-03-10T11:00Z', '2026-03-10T13:00Z', p_tenant, '2026-03-10T18:00Z')
$$;
grant execute on function tests.delayed(text, text) to public;
select tests.as_role('kith_reader');
select is(
  tests.delayed('voice', null), 'Bob message_received 12:00:30 sent late; Bob message_received 12:00:30 never sent: it expired while it waited',
  'what left late or never is listed, with when its reader was reached on any channel, but not what was in time or dropped on purpose'
);
select tests.as_superuser();
insert into kith.quiet_hours values (tests.tenant('acme'), tests.id('bob'), '10:00', '14:00', '2026-03-01Z');
update kith.deliveries set is_urgent = false where id = tests.letter(42);
select tests.as_role('kith_reader');
select is(tests.delayed('voice', null), 'Bob message_received 12:00:30 never sent: it expired while it waited', 'nor what quiet hours have held');
select tests.as_superuser();
delete from kith.quiet_hours;
select tests.as_role('kith_reader');
select is(tests.delayed('voice', 'globex'), null, 'of one tenant, if it is named');
select matches(
  tests.delayed('sms', 'acme'), 'Alice ping_due never sent: the deadline had passed',
  'whoever was not asked, because the question waited for the provider until its deadline, is listed'
);
select matches(tests.delayed('sms', 'acme'), 'invitation never sent: the connection has ended', 'and so is what was over when its turn came');
select is(
  (
    select count(*) from admin.delayed('sms', '2026-03-10T11:00Z', '2026-03-10T13:00Z', 'acme', '2026-03-10T18:00Z')
    where became like 'never sent%'
  ), 2::bigint, 'but not whoever has read it in time, nor what was over at once or held for another reason'
);
select tests.as_superuser();
insert into kith.deliveries (tenant_id, id, channel, purpose, address, body, status, attempts, next_attempt_at, expires_at, error, created_at)
select tests.tenant('acme'), tests.letter(1000 + n), 'email', 'invitation', 'x', 'x', 'failed', 30, :now, :now, 'down', :now from generate_series(1, 1001) as n;
select tests.as_role('kith_reader');
select is(
  (
    select string_agg(what, '; ' order by what) from (
      select distinct what from admin.delayed('email', '2026-03-10T11:00Z', '2026-03-10T13:00Z', 'acme', '2026-03-10T18:00Z')
    ) as told
  ), 'invitation; there may be more: these are the first 1,000', 'a list that is cut says so'
);
select matches(tests.delayed('sms', 'acme'), 'sign_in_code failed: down', 'a code has no reader, but is listed');
select throws_ok($$ select admin.delayed('fax', now() - interval '1 hour', now()) $$, 'KT404', 'not_found', 'a channel must exist');
select throws_ok($$ select admin.delayed('sms', now(), now() - interval '1 hour') $$, 'KT422', 'validation_failed', 'the time must be a time');
select throws_ok($$ select admin.delayed('sms', now() - interval '1 hour', now(), 'nobody') $$, 'KT404', 'not_found', 'a tenant must exist');
select matches(
  (select next from admin.delayed('apns', '2026-03-10T11:00Z', '2026-03-10T13:00Z', 'acme', '2026-03-10T18:00Z')),
  '^select \* from admin.story_of_notification\(''acme'', ', 'and each row leads to its story'
);
-- What a worker finds to be over is dropped then, and says when.
select tests.as_superuser();
update kith.deliveries set status = 'queued', attempts = 0, error = null, next_attempt_at = :now, expires_at = '2026-03-10T23:00Z' where id = tests.letter(6);
update kith.notifications set delivery_status = 'queued' where id = tests.letter(6);
select tests.as_role('kith_worker');
select worker.claim_deliveries('2026-03-10T12:40Z', 'sms', 10, 10, 0, '{}', '{}', 'w') \g /dev/null
select tests.as_superuser();
select is(
  (select concat_ws(' ', status, to_char(next_attempt_at at time zone 'UTC', 'HH24:MI'), error) from kith.deliveries where id = tests.letter(6)),
  'dropped 12:40 nobody waits for an answer any more', 'a question that is over when its turn comes is dropped, and when is kept'
);
select tests.as_role('kith_reader');
select matches(tests.delayed('sms', 'acme'), 'Alice ping_due never sent: nobody waits for an answer any more', 'so it is among what was delayed');
select tests.as_superuser();
update kith.deliveries set status = 'queued', next_attempt_at = :now, expires_at = '2026-03-10T12:20Z', error = null where id = tests.letter(61);
select tests.as_role('kith_worker');
select worker.drop_expired_deliveries('2026-03-10T12:50Z', 10) \g /dev/null
select tests.as_superuser();
select is(
  (select concat_ws(' ', status, to_char(next_attempt_at at time zone 'UTC', 'HH24:MI'), error) from kith.deliveries where id = tests.letter(61)), 'dropped 12:50 expired',
  'and so is what expires'
);
-- A pause is in the story of what it kept back.
select tests.as_superuser();
select tests.as_role('kith_admin');
select admin.pause_channel('voice', null, 'the provider calls at night', '2026-03-10T11:30Z'), admin.resume_channel('voice', null, '2026-03-10T13:30Z') \g /dev/null
select tests.as_superuser();
update kith.audit set at = case action when 'channel.pause' then '2026-03-10T11:30Z' else '2026-03-10T13:30Z' end::timestamptz where action in ('channel.pause', 'channel.resume');
select tests.as_role('kith_reader');
select matches(
  (select string_agg(what || ' ' || detail, '; ' order by at) from admin.story_of_notification('acme', tests.letter(4)) where what like 'channel%'),
  '^channel paused voice for all tenants, by operator:.*: the provider calls at night; channel resumed voice for all tenants, by operator:', 'with its reason'
);
select tests.as_superuser();
update kith.audit set at = case action when 'channel.pause' then '2026-03-10T01:00Z' else '2026-03-10T02:00Z' end::timestamptz where action in ('channel.pause', 'channel.resume');
select tests.as_role('kith_reader');
select is(
  (select count(*) from admin.story_of_notification('acme', tests.letter(4)) where what like 'channel%'), 0::bigint, 'a pause that ended before is not in it'
);
select * from finish();
rollback;
