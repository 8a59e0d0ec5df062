-- What stands still on purpose, what ends it, and refusals that say what to do.
begin;
\ir people.sql
select plan(25);

select tests.as_role('kith_admin');
select admin.suspend_tenant('globex', 'unpaid', '2026-03-10T08:00Z') \g /dev/null
select admin.pause_channel('sms', null, 'sends twice', '2026-03-10T08:01Z') \g /dev/null
select admin.pause_channel('email', 'acme', 'bounces', '2026-03-10T08:02Z') \g /dev/null
select tests.as_superuser();
insert into kith.webhooks (tenant_id, id, url, sealed_secrets, taken_xid, taken_at, next_attempt_at, created_at, updated_at, disabled_at, disabled_reason)
values (tests.tenant('acme'), gen_random_uuid(), 'https://a.example/m4rk', '', '1', '2026-03-01Z', '2026-03-01Z', '2026-03-01Z', '2026-03-01Z', '2026-03-10T08:03Z', 'failed for 5 days');
select tests.as_role('kith_reader');
select is(
  (select string_agg(concat_ws(' ', coalesce(tenant, '-'), regexp_replace(what, '[0-9a-f-]{36}', 'ID'), by, reason, regexp_replace(remedy, '[0-9a-f-]{36}', 'ID')), '; ' order by since) from admin.holds),
  'globex the tenant is suspended operator:postgres unpaid kith tenant resume globex; '
    || '- sms sends nothing operator:postgres sends twice select admin.resume_channel(''sms'', NULL); '
    || 'acme email sends nothing operator:postgres bounces select admin.resume_channel(''email'', ''acme''); '
    || 'acme the webhook ID gets no events failed for 5 days select admin.enable_webhook(''acme'', ''ID'', ''why'')',
  'everything that stands still is in one list, with the reason and with what ends it'
);
select is(
  (select string_agg(concat_ws(' ', slug, suspended_at, suspended_for), '; ' order by slug) from admin.tenants),
  'acme; globex 2026-03-10 08:00:00+00 unpaid', 'a suspended tenant says why'
);
select tests.as_superuser();
select set_eq(
  $$ select remedy from internal.obstacles('2026-03-10T09:00Z') where what ~ 'is paused' $$,
  array['select admin.resume_channel(''sms'', NULL)', 'select admin.resume_channel(''email'', ''acme'')'], 'the overview has whole statements'
);
select tests.as_role('kith_admin');
select admin.resume_channel('sms', null, '2026-03-10T08:05Z'), admin.resume_channel('email', 'acme', '2026-03-10T08:05Z') \g /dev/null
select admin.resume_tenant('globex', '2026-03-10T08:05Z') \g /dev/null
select admin.delete_tenant('globex', 'left us', '2026-03-10T08:06Z') \g /dev/null
select is(
  (select string_agg(concat_ws(' ', tenant, what, reason, remedy), '; ') from admin.holds where what !~ 'webhook'),
  'globex the tenant is deleted left us kith tenant restore globex --reason ''why'', or kith tenant purge globex --confirm globex',
  'what goes on is no longer there, and a deleted tenant is'
);

select tests.as_superuser();
insert into kith.deliveries (tenant_id, id, channel, purpose, address, body, status, next_attempt_at, expires_at, created_at)
select tests.tenant(tenant), internal.uuid7('2026-03-10T08:00Z'), 'sms', 'invitation', '+4915100000002', 'x', 'queued', '2026-03-10T08:00Z', '2026-03-11T08:00Z', '2026-03-10T08:00Z'
from unnest('{acme,globex}'::text[]) as tenant;
select is((select string_agg(tenant, ' ') from internal.tenants_at_work('2026-03-10T09:00Z')), 'acme', 'a deleted tenant has nothing at work, whatever waits');
delete from kith.deliveries;

-- What nobody has stopped, and what stands still all the same.
insert into kith.set_aside (tenant_id, loop, key, sqlstate, place, first_at, tries, retry_at)
values (tests.tenant('acme'), 'miss_pings', '0c000000-0000-7000-8000-00000000000a', '23514', 'pings', '2026-03-10T08:07Z', 3, '2026-03-10T09:00Z');
select tests.as_role('kith_reader');
select is(
  (select concat_ws(' ', tenant, what, reason, remedy) from admin.holds where what ~ 'miss_pings'),
  'acme miss_pings does not process 0c000000-0000-7000-8000-00000000000a 23514 in pings, tried 3 times '
    || 'select admin.retry_set_aside(''miss_pings'', ''0c000000-0000-7000-8000-00000000000a'', ''mended'')', 'a row that a loop cannot process is among the holds'
);
select tests.as_superuser();
insert into kith.moving_tenants (tenant_id, state, changed_at) values (tests.tenant('acme'), 'leaving', '2026-03-10T07:00Z');
select set_eq(
  $$ select what from internal.obstacles('2026-03-10T09:00Z') where n = 3 $$,
  array[
    'acme: miss_pings does not process 0c000000-0000-7000-8000-00000000000a since 2026-03-10 08:07:00Z',
    'acme: its move to another cell stands still since 2026-03-10 07:00:00Z'
  ], 'and stands in the way, as a move does that does not go on'
);
select is(
  (select concat_ws(' ', tenant, what, remedy) from admin.holds where what ~ 'move'),
  'acme the tenant''s move to another cell: it is leaving kith tenant move acme --to CELL goes on, and --abort undoes it; kith doctor names the cell', 'which is a hold too'
);
delete from kith.moving_tenants;
delete from kith.set_aside;
delete from kith.incarnations;
insert into kith.incarnations (system_identifier, timeline, noticed_at, confirmed_at, confirmed_by) values (1, 1, '2026-03-01Z', '2026-03-01Z', 'kith');
select tests.as_role('kith_reader');
select matches(
  (select what || ' ' || remedy from admin.holds where what ~ 'restored'), 'nobody is told anything.*admin.confirm_restore', 'and so is a restored database that nobody has confirmed'
);
select tests.as_superuser();
delete from kith.incarnations;

-- Alarms that reached nobody, by tenant.
select tests.as_superuser();
insert into kith.undelivered_alarms (tenant_id, notification_id, user_id, type, at)
select tests.tenant('acme'), gen_random_uuid(), tests.id('bob'), 'ping_missed', '2026-03-10T08:00Z'::timestamptz + n * interval '1 minute'
from generate_series(0, 4) as n;
select is(
  (select row(what, remedy)::text from internal.obstacles('2026-03-10T09:00Z') where what ~ 'reached nobody'),
  '("acme: messages of alarms that reached nobody: 5, the first 01:00:00 ago","select * from admin.undelivered_alarms where tenant = ''acme'' order by at")',
  'a tenant''s are one line'
);
select tests.as_role('kith_admin');
select is(
  (select count(*) from admin.undelivered_alarms where remedy = format('select admin.resolve_alarm(''acme'', %L, ''what you did'')', notification_id)), 5::bigint,
  'each has the statement that resolves it'
);

-- Dead letters.
select tests.as_superuser();
insert into kith.deliveries (tenant_id, id, channel, purpose, address, body, sealed_secret, status, next_attempt_at, expires_at, created_at, error, failures)
values
  (
    tests.tenant('acme'), internal.uuid7('2026-03-10T08:00Z'), 'sms', 'invitation', '+4915112345678', 'x', null, 'failed', '2026-03-10T08:00Z', '2026-03-11T08:00Z',
    '2026-03-10T08:00Z', 'no credit', '[{"at": "2026-03-10T08:00:05Z", "error": "busy"}, {"at": "2026-03-10T08:10:00Z", "error": "no credit"}]'
  ),
  (
    tests.tenant('acme'), internal.uuid7('2026-03-10T08:01Z'), 'sms', 'sign_in_code', '+4915112345678', 'x', '', 'failed', '2026-03-10T08:01Z', '2026-03-10T08:11Z',
    '2026-03-10T08:01Z', 'no credit', null
  );
select tests.as_role('kith_reader');
select is(
  (select string_agg(concat_ws(' ', purpose, to_char(at at time zone 'UTC', 'HH24:MI'), regexp_replace(remedy, '[0-9a-f-]{36}', 'ID')), '; ' order by id) from admin.dead_letters),
  'invitation 08:10 select admin.replay_delivery(''acme'', ''ID'', ''why''); sign_in_code none: the person asks for a new code',
  'a dead letter says when it failed, and what sends it again'
);
select tests.as_superuser();
create function tests.hint(p_sql text) returns text
  language plpgsql
as $$
declare
  v_hint text;
  v_detail text;
begin
  execute p_sql;
  return 'no refusal';
exception when others then
  get stacked diagnostics v_hint = pg_exception_hint, v_detail = pg_exception_detail;
  return concat_ws(' ', v_detail, v_hint);
end
$$;
select tests.as_role('kith_admin');
select is(
  tests.hint($$ select admin.replay_outage('webhook', '2026-03-10T08:00Z', '2026-03-10T09:00Z', 'why', null, true, '2026-03-10T10:00Z') $$),
  'The channels are apns, web_push, email, sms and voice. A webhook keeps its place: select * from admin.webhooks; admin.replay_webhook sends again what it has accepted.',
  'whoever means a webhook learns of its procedure'
);
select is(
  (select string_agg(concat_ws(' ', what, verdict), '; ' order by what) from admin.replay_outage('sms', '2026-03-10T08:00Z', '2026-03-10T09:00Z', 'why', 'acme', true, '2026-03-10T10:00Z')),
  'in all a dry run: nothing was sent; with p_dry_run => false 1 would be; invitation would be sent again; sign_in_code not sent: the code is no longer valid', 'a dry run says that it is one'
);
select is(
  (select string_agg(concat_ws(' ', what, verdict), '; ' order by what) from admin.replay_outage('sms', '2026-03-10T08:00Z', '2026-03-10T09:00Z', 'why', 'acme', false, '2026-03-10T10:00Z')),
  'in all sent: the worker sends 1 within seconds, unless the channel is paused; invitation sent again; sign_in_code not sent: the code is no longer valid', 'and the real one that it is done'
);

-- Refusals that say what to do.
select matches(
  tests.hint($$ select admin.hold_emergency('acme', '0c0000ff-0000-7000-8000-000000000009', 'why') $$), 'no request .* Look it up: select \* from admin.emergency_requests',
  'an unknown request says where to look'
);
select is(
  tests.hint($$ select admin.delete_user('acme', '0c0000ff-0000-7000-8000-000000000009', 'why') $$),
  'The tenant acme has no user 0c0000ff-0000-7000-8000-000000000009. Look it up: select * from admin.find_user(''acme'', ''phone, e-mail or name'');',
  'an unknown user says so'
);
select admin.delete_user('acme', tests.id('carol'), 'asked by mail', false, '2026-03-10T08:30Z') \g /dev/null
select is(
  tests.hint($$ select admin.delete_user('acme', tests.id('carol'), 'asked by mail', false, '2026-03-10T08:31Z') $$),
  format('This account ended at 2026-03-10 08:30:00Z. The proof: select * from admin.verify_erasure(''acme'', ''%s'');', tests.id('carol')),
  'a second erasure says when the first was, and leads to the proof'
);
select is(
  (select row(what, counted_by)::text from admin.verify_erasure('acme', tests.id('carol')) where what = 'token families'),
  format('("token families","select count(*) from kith.token_families where tenant_id = %s and user_id = ''%s''")', tests.tenant('acme'), tests.id('carol')),
  'the proof says in words what was counted, and has the statement'
);
select is(
  (select counted_by from admin.verify_erasure('acme', tests.id('carol'), '+4915112345678') where what = 'text numbers with this contact'),
  format('select count(*) from kith.text_numbers where tenant_id = %s and (phone = ''+4915112345678'')', tests.tenant('acme')), 'also for a contact'
);
select matches(tests.hint($$ select admin.begin_purge('globex', 'globex', '2026-03-10T08:07Z') $$), 'Try again at 2026-03-10 08:11:00Z', 'a purge that is too early says when');
select matches(tests.hint($$ select admin.restore_tenant('gone', 'why', '2026-03-10T08:07Z') $$), 'kith audit with its slug', 'a tenant that is not there leads to the audit');
select tests.as_superuser();
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
values (
  tests.tenant('acme'), '2026-03-02', tests.id('alice-bob'), internal.uuid7('2026-03-02T00:00:01Z'), tests.id('alice'), tests.id('bob'), 'missed',
  '2026-03-02T09:00Z', '2026-03-02T10:30Z'
);
select tests.as_role('kith_reader');
select matches(
  tests.hint(format($$ select admin.story_of_ping('acme', %L, '2026-03-02') $$, (select id from kith.pings))),
  'That is the id of a ping: select \* from admin.story_of_ping\(''acme'', ''' || tests.id('alice-bob') || '''', 'the id of a ping leads to its connection'
);
select matches(
  tests.hint($$ select admin.story_of_ping('acme', '0c0000ff-0000-7000-8000-000000000009', '2026-03-02') $$), 'Find the person: select \* from admin.find_user',
  'and an id of nothing to whoever asks'
);
select tests.as_superuser();
delete from kith.pings;
insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at, created, skipped, finished_at)
select tests.tenant('acme'), profile.time_zone, '2026-03-02', '2026-03-02Z', 0, 3, '2026-03-02T20:00Z'
from kith.sender_profiles as profile where profile.tenant_id = tests.tenant('acme') and profile.user_id = tests.id('alice')
on conflict (tenant_id, time_zone, ping_on) do update set skipped = 3;
select tests.as_role('kith_reader');
select is(
  (select detail from admin.story_of_ping('acme', tests.id('alice-bob'), '2026-03-02') where what = 'now'),
  'there is no ping on this date; its run came too late for 3 pings, of which this may be one', 'a run that came too late is named'
);

select * from finish();
rollback;
