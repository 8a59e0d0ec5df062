-- What an operator asks at three in the morning: who is this person, what holds the feed back, who uses the installation, what fills the disk.
begin;
\ir people.sql
select plan(88);
create function tests.extra(p_n integer) returns uuid
  language sql immutable
  return ('0e000000-0000-7000-8000-' || lpad(p_n::text, 12, '0'))::uuid;

-- From a phone call to the story.
update kith.users set phone = '+447700900123', phone_verified_at = '2026-01-05', external_id = 'customer-7'
where tenant_id = tests.tenant('acme') and id = tests.id('bob');
update kith.users set email = 'Alice@Example.org', email_verified_at = '2026-01-05' where tenant_id = tests.tenant('acme') and id = tests.id('alice');
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, completed_at)
values (
  tests.tenant('acme'), '2026-03-02', tests.id('alice-bob'), internal.uuid7('2026-03-02T00:00:01Z'), tests.id('alice'), tests.id('bob'), 'missed',
  '2026-03-02T09:00Z', '2026-03-02T10:30Z', null
);
insert into kith.notifications (tenant_id, id, user_id, type, body, data, created_at, planned_at, delivery_status)
values (
  tests.tenant('acme'), internal.uuid7('2026-03-02T10:30:10Z'), tests.id('bob'), 'ping_missed', 'B',
  jsonb_build_object('user_id', tests.id('alice'), 'date', '2026-03-02'), '2026-03-02T10:30:10Z', '2026-03-02T10:30:12Z', 'failed'
);
create function tests.found(p_contact text, p_tenant text default 'acme') returns text
  language sql
as $$ select string_agg(concat_ws(' ', user_id, found_by, verified, sends_to, receives_from), '; ') from admin.find_user(p_tenant, p_contact) $$;
select tests.as_role('kith_reader');
select is(tests.found('+44 (7700) 900-123'), tests.id('bob') || ' phone phone 0 1', 'a number is found in any spelling');
select is(tests.found('0044 7700 900123'), tests.id('bob') || ' phone phone 0 1', 'also with 00');
select is(tests.found('alice@example.ORG'), tests.id('alice') || ' e-mail e-mail 1 0', 'an address in any case');
select is(tests.found('customer-7'), tests.id('bob') || ' the tenant''s id phone 0 1', 'the tenant''s own id');
select is(tests.found(tests.id('bob')::text), tests.id('bob') || ' id phone 0 1', 'and Kith''s');
select is(tests.found('07700 900123'), tests.id('bob') || ' phone without its country code phone 0 1', 'a number as it is written at home');
select is(tests.found('7700900123'), tests.id('bob') || ' phone without its country code phone 0 1', 'also without its zero');
select is(tests.found('bob'), tests.id('bob') || ' name phone 0 1', 'a name, in any case');
select throws_ok($$ select tests.found('Bo') $$, 'KT404', 'not_found', 'but not a part of one');
select throws_ok($$ select tests.found('700900123') $$, 'KT404', 'not_found', 'nor the end of a number');
select is(tests.found('+44 7700 900123', null), tests.id('bob') || ' phone phone 0 1', 'without a tenant, all are searched');
select is(
  (select row(tenant, next)::text from admin.find_user(null, 'customer-7', '2026-03-02')),
  format('(acme,"select * from admin.story_of_user(''acme'', ''%s'', ''2026-03-02'')")', tests.id('bob')), 'the answer names the tenant, and takes a date along'
);
select throws_ok($$ select tests.found('+447700900124', null) $$, 'KT404', 'not_found', 'who is nowhere is not found');
select throws_ok($$ select tests.found('+447700900123', 'nobody') $$, 'KT404', 'not_found', 'nor anybody in a tenant that does not exist');
select throws_ok($$ select tests.found('+447700900123', 'globex') $$, 'KT404', 'not_found', 'people of another tenant are not found');
select throws_ok($$ select tests.found('%') $$, 'KT404', 'not_found', 'there are no wildcards');
select throws_ok($$ select tests.found(' ') $$, 'KT422', 'validation_failed', 'an empty contact is refused');
select throws_ok($$ select tests.found('ali' || U&'\0441' || 'e@example.org') $$, 'KT404', 'not_found', 'a look-alike letter is another letter');
select matches(
  (select next from admin.find_user('acme', 'customer-7')), '^select \* from admin\.story_of_user\(''acme'', ''' || tests.id('bob') || ''', ''2', 'the next statement is in the answer'
);
select is(
  (select string_agg(what, ' ' order by at nulls first) from admin.story_of_user('acme', tests.id('bob'), '2026-03-02')), 'now receives not reached',
  'the day of a receiver has the ping and what they were told'
);
select matches(
  (select detail from admin.story_of_user('acme', tests.id('bob'), '2026-03-02') where what = 'receives'), '^from Alice.*the ping of 2026-03-02 was missed', 'the ping was missed'
);
select matches(
  (select detail from admin.story_of_user('acme', tests.id('bob'), '2026-03-02') where what = 'not reached'),
  '^ping_missed of 2026-03-02: on no channel: apns: no device; web_push: no browser; email: no address; sms: the tenant has no credentials for it; voice: the tenant has no credentials for it$',
  'and Bob heard of it on no channel, for these reasons'
);
select is(
  (select next from admin.story_of_user('acme', tests.id('bob'), '2026-03-02') where what = 'receives'),
  format('select * from admin.story_of_ping(''acme'', %L, ''2026-03-02'')', tests.id('alice-bob')), 'the next statement tells more of the ping'
);
select matches(
  (select detail from admin.story_of_user('acme', tests.id('bob'), '2026-03-05') where what = 'receives'), 'no ping on 2026-03-05', 'a day without a ping says so'
);
select throws_ok($$ select admin.story_of_user('globex', tests.id('bob'), '2026-03-02') $$, 'KT404', 'not_found', 'of another tenant''s user there is no story');

-- An alarm.
select tests.as_superuser();
insert into kith.alarms (tenant_id, id, sender_id, kind, opened_at, counts_from, take_minutes, repeats_at, taken_by, taken_at, taken_until, expires_at, next_at)
values (
  tests.tenant('acme'), internal.uuid7('2026-03-02T10:30:10Z'), tests.id('alice'), 'missed', '2026-03-02T10:30:10Z', '2026-03-02T10:30Z', 30, '{}',
  tests.id('bob'), '2026-03-02T10:40Z', '2026-03-02T11:10Z', '2026-03-09T10:30:10Z', '2026-03-02T11:10Z'
);
create temporary table night as select id from kith.alarms;
grant select on night to public;
insert into kith.alarm_receivers (tenant_id, alarm_id, receiver_id, connection_id, tier, tell_at, told_at)
select tests.tenant('acme'), id, tests.id(person), tests.id('alice-bob'), 1, '2026-03-02T10:30Z', told_at::timestamptz
from night cross join (values ('bob', '2026-03-02T10:30:11Z'), ('carol', null)) as receiver (person, told_at);
insert into kith.alarm_entries (tenant_id, alarm_id, id, at, kind, user_id, desk, note)
select tests.tenant('acme'), night.id, internal.uuid7(entry.at::timestamptz), entry.at::timestamptz, kind, tests.id(person), desk, note
from night cross join (values
  ('2026-03-02T10:35Z', 'taken', null, 'Dana', null), ('2026-03-02T10:36Z', 'released', null, 'Dana', null),
  ('2026-03-02T10:40Z', 'taken', 'bob', null, null), ('2026-03-02T10:41Z', 'noted', 'bob', null, 'The key is under the stone')
) as entry (at, kind, person, desk, note);
select tests.as_role('kith_reader');
select is(
  (
    select string_agg(concat_ws(' ', to_char(at, 'HH24:MI'), what, replace(detail, user_id::text, 'id')), '; ' order by at, what)
    from (select story.*, tests.id(case when detail ~ 'Carol' then 'carol' when detail ~ 'Bob' then 'bob' else 'alice' end) as user_id
      from admin.story_of_alarm('acme', (select id from night)) as story) as told
  ),
  '10:30 not told yet Carol (id); 10:30 opened missed, about Alice (id); 10:30 told Bob (id); 10:35 taken Dana of the desk; 10:36 released Dana of the desk; '
    || '10:40 taken Bob (id); 10:41 noted Bob (id), with a note; 11:10 the worker acts next', 'the story of an alarm says who took it and who gave it back'
);
select is(
  (select count(*) from admin.story_of_alarm('acme', (select id from night)) where detail ~ 'stone'), 0::bigint, 'and not what people wrote'
);
select is(
  (select string_agg(concat_ws(' ', user_name, detail, next = format('select * from admin.story_of_alarm(''acme'', %L)', night.id)), '; ' order by user_name)
   from night cross join (values ('alice'), ('bob'), ('carol')) as person (user_name)
   cross join lateral (select * from admin.story_of_user('acme', tests.id(user_name), '2026-03-02') where what = 'alarm') as story),
  'alice their own, missed t; bob they were told, missed t', 'the day of the sender leads to it, and that of whoever was told'
);

-- An alarm that reached nobody is known to nobody, whatever was sent.
select tests.as_superuser();
insert into kith.notifications (tenant_id, id, user_id, type, body, data, created_at, planned_at, delivery_status)
select tests.tenant('acme'), internal.uuid7('2026-03-02T10:30:11Z'), tests.id('bob'), 'ping_missed', 'B', jsonb_build_object('alarm_id', id),
  '2026-03-02T10:30:11Z', '2026-03-02T10:30:12Z', 'failed'
from night;
create temporary table unreached as select tenant_id, id from kith.notifications where data ? 'alarm_id';
insert into kith.deliveries (tenant_id, id, channel, purpose, address, status, next_attempt_at, expires_at, created_at, error, notification_id)
select tenant_id, internal.uuid7('2026-03-02T10:30:12Z'), 'sms', 'notification', '+447700900123', 'failed', '2026-03-02T10:30:12Z', '2026-03-03Z',
  '2026-03-02T10:30:12Z', 'the provider answered 400', id
from unreached;
update kith.alarms set taken_by = null, taken_at = null, taken_until = null;
select is((select count(*) from internal.untold_alarms('2026-03-02T10:40Z')), 0::bigint, 'as long as a message may still arrive, the receiver counts as told');
insert into kith.undelivered_alarms (tenant_id, notification_id, user_id, type, at)
select tenant_id, id, tests.id('bob'), 'ping_missed', '2026-03-02T10:31Z' from unreached;
select is((select array_agg(id) from internal.untold_alarms('2026-03-02T10:40Z')), (select array_agg(id) from night), 'whom nothing reached knows of nothing');
select tests.as_role('kith_reader');
select is(
  (select detail from admin.story_of_alarm('acme', (select id from night)) where what = 'not reached'),
  format('Bob (%s), on no channel: sms: the provider answered 400', tests.id('bob')), 'the story says whom it did not reach, and why'
);
select tests.as_superuser();
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at) values (tests.tenant('acme'), 'email', '{}', '', now(), now());
select tests.as_role('kith_reader');
select is(
  (select detail from admin.story_of_user('acme', tests.id('bob'), '2026-03-02') where what = 'alarm'), 'they were to be told, and no message reached them, missed',
  'and so does the person''s day, which has the message as not reached'
);
select tests.as_superuser();
delete from kith.channel_credentials;
update kith.undelivered_alarms set webhook_told_at = '2026-03-02T10:32Z' where notification_id = (select id from unreached);
select is((select count(*) from internal.untold_alarms('2026-03-02T10:40Z')), 0::bigint, 'unless the tenant''s server knows');
select matches(
  (select detail from admin.story_of_alarm('acme', (select id from night)) where what = 'not reached'), 'the tenant''s server was told instead$', 'which the story says too'
);
update kith.undelivered_alarms set webhook_told_at = null where notification_id = (select id from unreached);
insert into kith.notifications (tenant_id, id, user_id, type, body, data, created_at, planned_at, delivery_status, read_at)
select tests.tenant('acme'), internal.uuid7('2026-03-02T10:32Z'), tests.id('bob'), 'alarm_repeat', 'B', jsonb_build_object('alarm_id', id),
  '2026-03-02T10:32Z', '2026-03-02T10:32Z', 'sent', '2026-03-02T10:33Z'
from night;
select is((select count(*) from internal.untold_alarms('2026-03-02T10:40Z')), 0::bigint, 'nor if they have read another message of it');
delete from kith.notifications where type = 'alarm_repeat';
select is((select count(*) from internal.untold_alarms('2026-03-02T10:40Z')), 1::bigint, 'which is so only once they have');
update kith.alarms set taken_by = tests.id('bob'), taken_at = '2026-03-02T10:40Z', taken_until = '2026-03-02T11:10Z';
select is((select count(*) from internal.untold_alarms('2026-03-02T10:41Z')), 0::bigint, 'whoever looks after it knows of it');
update kith.alarms set taken_by = null, taken_at = null, taken_until = null, resolved_at = '2026-03-02T10:51Z', outcome = 'safe', next_at = null;
delete from kith.undelivered_alarms where notification_id = (select id from unreached);
delete from kith.deliveries where notification_id = (select id from unreached);
delete from kith.notifications where id = (select id from unreached);
insert into kith.audit (tenant_id, id, at, actor, action, subject, detail)
select tests.tenant('acme'), gen_random_uuid(), '2026-03-02T10:51Z', 'operator:oscar', 'alarm.end', id::text, '{"reason": "a test"}' from night;
select tests.as_role('kith_reader');
select is(
  (select detail from admin.story_of_alarm('acme', (select id from night)) where what = 'ended'), 'by operator:oscar: a test', 'an operator who ended it is named'
);
select throws_ok($$ select admin.story_of_alarm('globex', (select id from night)) $$, 'KT404', 'not_found', 'of another tenant''s alarm there is no story');
select tests.as_superuser();
delete from kith.alarm_receivers;
delete from kith.alarms;

-- A sender who hears nothing of her own miss is no alarm that reached nobody.
select tests.as_superuser();
insert into kith.notifications (tenant_id, id, user_id, type, body, data, created_at, delivery_status)
values (tests.tenant('acme'), internal.uuid7('2026-03-02T10:30:11Z'), tests.id('alice'), 'ping_missed', 'B', '{}', '2026-03-02T10:30:11Z', 'queued');
select internal.report_undelivered(array_agg(tenant_id), array_agg(id), '2026-03-02T11:00Z') from kith.notifications where type = 'ping_missed' \g /dev/null
select is((select array_agg(user_id) from kith.undelivered_alarms), array[tests.id('bob')], 'the receiver''s alarm reached nobody; the sender''s notice is none');

-- Transactions.
select tests.as_role('kith_admin');
select is_empty($$ select * from admin.long_transactions where pid = pg_backend_pid() $$, 'the operator''s own transaction is not shown');
select throws_ok($$ select admin.end_session(pg_backend_pid(), 'x') $$, 'KT404', 'not_found', 'nor can it be ended');
select throws_ok($$ select admin.end_session(1, 'x') $$, 'KT404', 'not_found', 'a process that is no session is not ended');
select throws_ok($$ select admin.end_session(1, '') $$, 'KT422', 'validation_failed', 'a reason is needed');

-- Usage.
select tests.as_role('kith_api');
select is(
  api.record_usage(format(
    '[{"tenant": %1$s, "caller": "users", "requests": 5, "refused": 1, "faults": 0, "slow": 0},
      {"tenant": %1$s, "caller": "key:%2$s", "requests": 50, "refused": 0, "faults": 2, "slow": 1},
      {"tenant": 999999, "caller": "users", "requests": 1, "refused": 0, "faults": 0, "slow": 0}]', tests.tenant('acme'), tests.id('carol')
  )::jsonb, '2026-03-10T08:59:59Z'), 2, 'a server records its counts, but not those of a tenant that is gone'
);
select api.record_usage(format('[{"tenant": %s, "caller": "users", "requests": 3, "refused": 0, "faults": 0, "slow": 0}]', tests.tenant('acme'))::jsonb, '2026-03-10T08:01Z') \g /dev/null
select tests.as_superuser();
insert into kith.moving_tenants (tenant_id, state, changed_at) values (tests.tenant('acme'), 'arriving', '2026-03-10T08:02Z');
select tests.as_role('kith_api');
select is(
  api.record_usage(
    format('[{"tenant": %s, "caller": "users", "requests": 9, "refused": 9, "faults": 0, "slow": 0}]', tests.tenant('acme'))::jsonb, '2026-03-10T08:02Z'
  ), 0, 'nor those of a tenant that arrives, in whose own rows'' way the count would be'
);
select tests.as_superuser();
delete from kith.moving_tenants;
select tests.as_role('kith_api');
select throws_ok($$ select count(*) from kith.usage_hours $$, '42501', null, 'servers do not read them');
select tests.as_role('kith_reader');
select is(
  (select string_agg(concat_ws(' ', tenant, caller, requests, refused, faults, slow), '; ' order by requests) from admin.usage where hour = '2026-03-10T08:00Z'),
  'acme users 8 1 0 0; acme a key that is gone: ' || tests.id('carol') || ' 50 0 2 1', 'an hour has the sum of all servers'
);
select is(
  (select string_agg(concat_ws(' ', caller, requests, times_before), '; ') from admin.busiest('2026-03-10T08:30Z') where caller = 'users'), 'users 8',
  'who is new has no usual number'
);
select tests.as_superuser();
insert into kith.usage_hours (tenant_id, hour, caller, requests) values (tests.tenant('acme'), '2026-03-09T08:00Z', 'users', 4);
select tests.as_role('kith_reader');
select is((select times_before from admin.busiest('2026-03-10T08:30Z') where caller = 'users'), 2.0, 'a caller with twice the usual number is named so');
select is_empty($$ select from admin.busiest('2026-03-10T08:30Z') where next !~ '^select \* from admin.usage where tenant = ' $$, 'the next statement only looks');
select is_empty($$ select from admin.busiest('2026-03-10T08:30Z') where remedy ~ 'NULL' or remedy is not null and caller = 'users' $$, 'only a key can be ended');

-- The disk.
select tests.as_role('kith_worker');
select is(worker.sample_disk('2026-03-03T02:00Z'), 1, 'the worker samples the disk');
select is(worker.sample_disk('2026-03-03T03:00Z'), 0, 'once a day');
select tests.as_superuser();
select cmp_ok((select bytes from kith.tenant_sizes where tenant_id = tests.tenant('acme') and sampled_on = '2026-03-03'), '>', 0::bigint, 'with each tenant''s part');
update kith.disk_samples set sampled_on = current_date - 7, bytes = 1;
insert into kith.tenant_sizes values (tests.tenant('acme'), '2026-02-24', 10);
select tests.as_role('kith_reader');
select is(
  (select string_agg(distinct split_part(what, ' ', 1), ' ' order by split_part(what, ' ', 1)) from admin.disk where what !~ '^(slot|database)'),
  'WAL table temporary this', 'the view has tables, the WAL, temporary files and the database'
);
select cmp_ok((select grown_in_7_days from admin.disk where what = 'table audit'), '>', 1000::bigint, 'and what has grown in a week');
select matches((select may_go from admin.disk where what = 'table pings'), 'select \* from admin.partitions', 'it says what may go, and how');
select cmp_ok((select grown_in_7_days from admin.tenant_sizes where tenant = 'acme'), '>', 0::bigint, 'a tenant that grows is named');
select tests.as_superuser();
delete from kith.tenant_sizes where tenant_id = tests.tenant('globex');
select tests.as_role('kith_reader');
select is(
  (select concat_ws(' ', tenant, coalesce(bytes::text, 'no sample yet')) from admin.tenant_sizes where tenant = 'globex'), 'globex no sample yet',
  'a tenant that was made since the last sample is there too'
);

-- What comes.
select tests.as_superuser();
delete from kith.ping_runs;
insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at, created, finished_at) values
  (tests.tenant('acme'), 'UTC', current_date, current_date::timestamp at time zone 'UTC', 40, current_date::timestamp at time zone 'UTC' + interval '5 s'),
  (tests.tenant('acme'), 'UTC', current_date + 1, (current_date + 1)::timestamp at time zone 'UTC', 0, null);
select tests.as_role('kith_reader');
select is(
  (select string_agg(concat_ws(' ', tenant, time_zone, ping_on = current_date + 1, expected, last_took), '; ') from admin.tomorrow), 'acme UTC t 1 00:00:05',
  'tomorrow has a ping for each connection, whatever today had'
);
-- Their nine o'clock, with what it took today.
select tests.as_superuser();
insert into kith.users (tenant_id, id, tokens_valid_from, created_at, updated_at) select tests.tenant('acme'), tests.extra(n), now(), now(), now() from generate_series(1, 30) as n;
insert into kith.sender_profiles (tenant_id, user_id, time_zone, ping_time, grace_minutes, reminder_minutes, timed_at, created_at, updated_at, break_from_on, break_until_on)
select tests.tenant('acme'), tests.extra(n), 'UTC', case when n <= 20 then '07:30' else '11:00' end::time, 90, 15, now(), now(), now(),
  case when n = 30 then current_date end, case when n = 30 then current_date + 1 end
from generate_series(1, 30) as n;
insert into kith.connections (tenant_id, id, sender_id, receiver_id, code_owner_id, status, activated_at, created_at, updated_at)
select tests.tenant('acme'), tests.extra(100 + n), tests.extra(n), tests.id('bob'), tests.id('bob'), case when n = 1 then 'pending' else 'active' end, now(), now(), now()
from generate_series(1, 30) as n;
insert into kith.notifications (tenant_id, id, user_id, type, body, data, created_at, planned_at, delivery_status)
select tests.tenant('acme'), internal.uuid7(asked.at), tests.extra(n), 'ping_due', 'B', jsonb_build_object('n', n), asked.at, asked.at, 'sent'
from generate_series(1, 3) as n cross join lateral (select (current_date + time '07:30') at time zone 'UTC' + n * interval '10 seconds' as at) as asked;
insert into kith.deliveries (tenant_id, id, channel, purpose, address, notification_id, status, next_attempt_at, expires_at, created_at, sent_at)
select question.tenant_id, internal.uuid7(question.created_at), case when question.data ->> 'n' = '3' then 'email' else 'sms' end, 'notification', 'x', question.id,
  'sent', question.created_at, question.created_at, question.created_at, question.created_at + interval '11 seconds'
from kith.notifications as question where question.type = 'ping_due' and question.data ? 'n';
select tests.as_role('kith_reader');
select is(
  (
    select concat_ws(' ', expected, to_char(busiest_at at time zone 'UTC', 'HH24:MI'), busiest_at::date = current_date + 1, busiest_senders, busiest_last)
    from admin.tomorrow
  ), '30 07:30 t 20 2 by sms, 1 by email; the last left after 00:00:41',
  'it says when most people are asked, how many, and what that took today; whoever is on a break is not asked'
);
select tests.as_superuser();
delete from kith.deliveries where notification_id in (select id from kith.notifications where data ? 'n');
delete from kith.notifications where data ? 'n';
delete from kith.connections where sender_id in (select tests.extra(n) from generate_series(1, 30) as n);
delete from kith.sender_profiles where user_id in (select tests.extra(n) from generate_series(1, 30) as n);
select tests.as_role('kith_reader');
select tests.as_superuser();
insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at) values (tests.tenant('acme'), 'Asia/Tokyo', current_date + 1, now() + interval '1 hour');
update kith.sender_profiles set time_zone = 'Asia/Tokyo' where tenant_id = tests.tenant('acme') and user_id = tests.id('alice');
select tests.as_role('kith_reader');
select is((select concat_ws(' ', expected, as_on) from admin.tomorrow where time_zone = 'Asia/Tokyo'), '1', 'and a zone without a run as many as it has connections');

select tests.as_superuser();
insert into kith.alarms (tenant_id, id, sender_id, kind, opened_at, counts_from, called_at, take_minutes, repeats_at, expires_at, next_at)
values (tests.tenant('acme'), gen_random_uuid(), tests.id('alice'), 'help', now(), now(), now(), 30, '{}', now() + interval '7 days', now() + interval '30 minutes');
insert into kith.asks (tenant_id, id, connection_id, sender_id, receiver_id, asked_at, answer_by)
values
  (tests.tenant('acme'), gen_random_uuid(), tests.id('alice-bob'), tests.id('alice'), tests.id('bob'), now(), now() + interval '20 minutes'),
  (tests.tenant('acme'), gen_random_uuid(), tests.id('alice-bob'), tests.id('alice'), tests.id('carol'), now(), now() + interval '3 days');
insert into kith.breaks (tenant_id, id, user_id, from_on, until_on, starts_at, ends_at, created_at, updated_at)
select tests.tenant('acme'), gen_random_uuid(), tests.id('alice'), current_date - 3, current_date, now() - interval '3 days', now() + interval '1 day', now(), now();
insert into kith.api_keys (tenant_id, id, name, secret_hash, expires_at, created_at)
values (tests.tenant('globex'), gen_random_uuid(), 'first', sha256('secret'), now() + interval '2 hours', now());
select tests.as_role('kith_reader');
select is(
  (select string_agg(concat_ws(' ', tenant, what, left(next, 34)), '; ' order by at) from admin.coming),
  'acme a question must be answered; acme an alarm (help) goes on select * from admin.story_of_alarm; globex a secret key expires: first; acme a break ends',
  'what else comes within two days'
);

-- Servers and workers.
select tests.as_superuser();
delete from kith.heartbeats;
select tests.as_role('kith_worker');
select worker.beat('worker', 'a:1', now(), '1.2 (abc)', clock_timestamp() + interval '30 seconds'), worker.beat('worker', 'b:2', now(), '1.2 (abc)', now()) \g /dev/null
select worker.end_beat('worker', 'b:2', now()) \g /dev/null
select tests.as_role('kith_reader');
select is(
  (select string_agg(concat_ws(' ', instance, version, state, left(remedy, 21)), '; ' order by instance) from admin.instances),
  'a:1 1.2 (abc) running synchronize the clock; b:2 1.2 (abc) stopped', 'a worker that stopped by itself is not looked for, and a wrong clock is named'
);
select tests.as_superuser();
select matches(
  (select string_agg(what || ' -> ' || remedy, '; ') from internal.obstacles(now()) where what ~ 'clock'),
  '^the clock of the worker a:1 is 00:00:(29|30) ahead of the database''s -> synchronize the clock of a: timedatectl', 'and stands in the way'
);
select tests.as_role('kith_worker');
select worker.note_loops('a:1', '[
  {"loop": "sweep", "batch": 1000, "pause_ms": 60000, "usual_batch": 1000, "usual_pause_ms": 60000},
  {"loop": "analyze_tables", "batch": null, "pause_ms": 2500, "usual_batch": null, "usual_pause_ms": 5000},
  {"loop": "generate_daily_pings", "batch": 500, "pause_ms": 5000, "usual_batch": 1000, "usual_pause_ms": 5000}]') \g /dev/null
select tests.as_role('kith_reader');
select is(
  (select string_agg(pace, '; ' order by loop) from admin.loops where instance = 'a:1' and not is_usual),
  'analyze_tables every 2.5 s, usually every 5 s; generate_daily_pings 500 every 5 s, usually 1000 every 5 s', 'loops whose pace an operator has changed are named'
);
select is((select row(batch, pause, is_usual)::text from admin.loops where loop = 'sweep'), '(1000,00:01:00,t)', 'and the usual ones are known');
select tests.as_superuser();
select is((select count(*) from kith.heartbeats where beat_at is not null), 2::bigint, 'its last heartbeat stays: an outage would begin then');

-- A process whose clock is ahead says that it starts later than its first heartbeat.
update kith.heartbeats set started_at = now() where instance = 'a:1';
select tests.as_role('kith_worker');
select worker.beat('worker', 'a:1', clock_timestamp() + interval '5 minutes', '1.2 (abc)', clock_timestamp() + interval '5 minutes') \g /dev/null
select worker.beat('worker', 'c:3', clock_timestamp() + interval '5 minutes', '1.2 (abc)', clock_timestamp() + interval '5 minutes') \g /dev/null
select tests.as_superuser();
select is(
  (select string_agg(instance, ' ' order by instance) from kith.heartbeats where instance in ('a:1', 'c:3') and started_at <= beat_at), 'a:1 c:3',
  'no process starts after its heartbeat'
);
delete from kith.heartbeats where instance = 'c:3';

-- A channel that passed a test.
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at, error, refused_since)
values (tests.tenant('acme'), 'sms', '{}', '', now(), now(), 'no credit', now());
insert into kith.deliveries (tenant_id, id, channel, purpose, address, body, next_attempt_at, expires_at, created_at, error)
values (tests.tenant('acme'), internal.uuid7(now()), 'sms', 'invitation', '+4915112345678', 'x', now() + interval '1 hour', now() + interval '1 day', now(), 'no credit');
select tests.as_role('kith_admin');
select is(admin.note_channel_test('acme', 'sms', 'no credit at all'), 0, 'a test that fails moves nothing');
select is((select error from admin.channels where tenant = 'acme'), 'no credit at all', 'and its error is kept');
select is(admin.note_channel_test('acme', 'sms', null), 1, 'after a test that succeeds, what was refused is tried at once');
select throws_ok($$ select admin.note_channel_test('acme', 'fax', null) $$, 'KT404', 'not_found', 'a test is of a channel');
select is(
  (select string_agg(detail::text, '; ' order by id) from admin.audit where action = 'channel.test'), '{"error": "no credit at all"}; {"error": null}',
  'the audit has both tests'
);
select tests.as_role('kith_worker');
select is(worker.tested_channels('sms', array[1, tests.tenant('acme')], now() - interval '1 second'), array[tests.tenant('acme')], 'and a worker that had paused hears of it');
select tests.as_role('kith_reader');
select is((select row(error, next_try_at <= now())::text from admin.channels where tenant = 'acme'), '(,t)', 'the channel''s error is gone, and its next try is now');
-- A breaker decides when a provider that fails is tried again, whatever its messages say.
select tests.as_role('kith_worker');
select worker.note_channel(tests.tenant('acme'), 'sms', 'down', interval '80 seconds', now()) \g /dev/null
select worker.note_channel(tests.tenant('acme'), 'sms', 'down', interval '80.2 seconds', now()) \g /dev/null
select worker.note_channel(tests.tenant('acme'), 'sms', 'down still', null, now()) \g /dev/null
select tests.as_role('kith_reader');
select is(
  (select next_try_at - now() from admin.channels where tenant = 'acme'), interval '80 seconds',
  'while the worker sends nothing to a provider that fails, the next try is when it will'
);

-- Who read whose data.
select tests.as_superuser();
delete from kith.operator_reads;
create function tests.lasts(p_lasts boolean) returns void
  language plpgsql
as $$
begin
  execute format('create or replace function internal.transaction_lasts() returns boolean language sql as ''select %s''', p_lasts::text);
end
$$;
select tests.lasts(true) \g /dev/null
select count(*) from admin.story_of_user('acme', tests.id('bob'), '2026-03-02') \g /dev/null
select is_empty('select from kith.operator_reads', 'a transaction that has lasted writes no row, which would hold back everybody''s events');
select tests.lasts(false) \g /dev/null
savepoint reading;
set local transaction_read_only = on;
select tests.as_role('kith_reader');
select is((select count(*) > 0 from admin.story_of_user('acme', tests.id('bob'), '2026-03-02')), true, 'a story can be read where nothing can be written');
rollback to reading;
select tests.as_superuser();
select id as connection, sender_id, receiver_id from kith.connections where tenant_id = tests.tenant('acme') order by id limit 1 \gset
select tests.as_role('kith_admin');
select count(*) from admin.story_of_ping('acme', :'connection', '2026-03-02') \g /dev/null
select tests.as_superuser();
select set_eq(
  $$ select distinct subject from kith.operator_reads $$,
  array[:'connection', :'sender_id', :'receiver_id'], 'the story of a ping is read of both its persons'
);
delete from kith.operator_reads;
select internal.count_reads('rita', 'find_user', array['acme', 'acme'], array[tests.id('bob')::text, tests.id('carol')::text], '2026-03-10T08:10Z') \g /dev/null
select internal.count_reads('rita', 'story_of_user', array['acme'], array[tests.id('bob')::text], at) from unnest(array['2026-03-10T08:11Z', '2026-03-10T08:12Z']::timestamptz[]) as at \g /dev/null
select internal.count_reads('rita', 'story_of_user', array['acme'], array[tests.id('bob')::text], '2026-03-10T09:00Z'), internal.count_reads('oscar', 'delayed', '{}', '{}', '2026-03-10T09:00Z') \g /dev/null
select tests.as_role('kith_reader');
select is(
  (
    select string_agg(concat_ws(' ', login, statement, tenant, subject = tests.id('bob')::text, reads, to_char(last_at at time zone 'UTC', 'HH24:MI')), '; ' order by hour, statement, subject)
    from admin.reads
  ), 'rita find_user acme t 1 08:10; rita find_user acme f 1 08:10; rita story_of_user acme t 2 08:12; rita story_of_user acme t 1 09:00',
  'reads are counted by login, statement, tenant, person and hour'
);
select tests.as_superuser();
select internal.count_reads('rita', 'find_user', array_fill('acme'::text, array[1200]), array(select n::text from generate_series(1, 1200) as n), '2026-03-10T10:10Z') \g /dev/null
select internal.count_reads('rita', 'find_user', array['acme', 'acme'], array['x', 'y'], '2026-03-10T10:11Z') \g /dev/null
select is(
  (select row(subject, reads)::text from kith.operator_reads where last_at = '2026-03-10T10:11Z'), '("",2)', 'beyond 1,000 rows of an hour, reads are only counted'
);
update kith.operator_reads set hour = hour - interval '500 days' where statement = 'story_of_user';
delete from kith.disk_samples;
select tests.as_role('kith_worker');
select worker.sample_disk('2026-03-12T02:00Z') \g /dev/null
select tests.as_superuser();
select is((select count(*) from kith.operator_reads where statement = 'story_of_user'), 0::bigint, 'they are kept for 400 days');
select is_empty(
  $$
    select proname from pg_proc
    where pronamespace = 'admin'::regnamespace and proretset and has_function_privilege('kith_reader', oid, 'execute')
      and prosrc !~ format('internal\.note_read(_of)?\(\s*''%s''', proname) and proname not in ('busiest', 'verify_erasure')
  $$, 'every procedure that shows persons to those who only read notes it; counts are no person''s'
);
select tests.as_role('kith_api');
select throws_ok($$ select count(*) from kith.operator_reads $$, '42501', null, 'servers do not read them');
select tests.as_superuser();

-- The audit has the request that caused an act.
select tests.as_server('acme');
set local application_name = 'r-7';
select api.delete_user(tests.id('carol'), null, '2026-03-10T08:00Z') \g /dev/null
select tests.as_role('kith_reader');
select is(
  (select concat_ws(' ', tenant, actor, request_id) from admin.audit where action = 'user.delete'), 'acme key:acme r-7', 'an act has the id of its request'
);
select is(
  (select concat_ws(' ', tenant, user_id = tests.id('carol'), must_be_repeated) from admin.erasures), 'acme t f', 'an erasure by the tenant''s server is in the list'
);

select * from finish();
rollback;
