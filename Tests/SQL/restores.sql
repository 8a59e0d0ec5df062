-- After a restore, nobody is told again, falsely alarmed, or let in by what was true before (decision 31).
begin;
\ir people.sql
\ir emergency_house.sql
select plan(52);

create function tests.beat(p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.as_role('kith_worker');
  perform worker.beat('worker', 'w1', '2026-03-02T00:00:00Z', null, p_now);
  perform tests.as_role('kith_api');
  perform api.beat('s1', '2026-03-02T00:00:00Z', null, p_now);
  perform tests.as_superuser();
end
$$;
create function tests.loop(p_name text, p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_done integer;
begin
  perform tests.as_role('kith_worker');
  execute format('select worker.%I($1, 100%s)', p_name, case p_name when 'plan_deliveries' then ', true' else '' end) into v_done using p_now;
  perform tests.as_superuser();
  return v_done;
end
$$;
-- Confirms a restore, and returns the operator's answer or the refusal.
create function tests.confirm(p_served_until timestamptz, p_ends_sign_ins boolean, p_now timestamptz, p_reason text default 'a lost disk') returns text
  language plpgsql
as $$
declare
  v_done record;
  v_detail text;
begin
  perform tests.as_role('kith_admin');
  select * into v_done from admin.confirm_restore(p_served_until, p_ends_sign_ins, p_reason, p_now);
  perform tests.as_superuser();
  return v_done::text;
exception when others then
  get stacked diagnostics v_detail = pg_exception_detail;
  perform tests.as_superuser();
  return sqlerrm;
end
$$;
create function tests.nothing_lost(p_now timestamptz) returns text
  language plpgsql
as $$
begin
  perform tests.as_role('kith_admin');
  perform admin.confirm_nothing_lost('moved to another machine', p_now);
  perform tests.as_superuser();
  return 'confirmed';
exception when others then
  perform tests.as_superuser();
  return sqlerrm;
end
$$;
-- The database as it is after a restore: what was its incarnation is an earlier one, and the newest heartbeat is p_to.
create function tests.restored(p_to timestamptz) returns void
  language sql
as $$
  delete from kith.incarnations;
  delete from kith.heartbeats;
  delete from kith.outages;
  insert into kith.incarnations (system_identifier, timeline, noticed_at, confirmed_at, confirmed_by) values (1, 1, '2026-03-01Z', '2026-03-01Z', 'kith');
  insert into kith.heartbeats (component, instance, started_at, beat_at) values ('worker', 'w1', '2026-03-01Z', p_to), ('server', 's1', '2026-03-01Z', p_to)
$$;
create function tests.awaits() returns boolean language sql as 'select internal.awaits_confirmation()';

-- Which incarnations are known by themselves.
delete from kith.incarnations;
delete from kith.heartbeats;
select is(tests.awaits(), false, 'a database without a heartbeat awaits nothing');
select tests.beat('2026-03-10T08:00Z') \g /dev/null
select is(tests.awaits(), false, 'the first incarnation is known');
select is(tests.confirm('2026-03-10T08:00Z', false, '2026-03-10T08:01Z'), 'invalid_transition', 'it cannot be confirmed as a restore');
select tests.restored('2026-03-10T08:00Z') \g /dev/null
select is(tests.awaits(), true, 'in another incarnation nobody is told anything before the first heartbeat');
select tests.beat('2026-03-10T08:05Z') \g /dev/null
select is(tests.awaits(), false, 'after a fail-over of 5 minutes the worker goes on by itself');
select is(tests.nothing_lost('2026-03-10T08:06Z'), 'invalid_transition', 'so there is nothing to confirm');
select tests.restored('2026-03-10T08:00Z') \g /dev/null
select tests.beat('2026-03-10T08:05:01Z') \g /dev/null
select is(tests.awaits(), true, 'after a longer gap, an operator must confirm it');
select tests.beat('2026-03-10T08:05:06Z') \g /dev/null
select is(tests.awaits(), true, 'however many heartbeats follow');
select is(tests.nothing_lost('2026-03-10T08:06Z'), 'confirmed', 'nothing may be lost');
select is(tests.awaits(), false, 'then the worker goes on');

-- A database restored to 10:00. The installation served until 12:00, and it is 14:00.
delete from kith.notifications; delete from kith.pings;
select tests.ask(48, '2026-03-08T11:00Z') \g /dev/null
select tests.as_user('acme', 'alice') \g /dev/null
select api.open_vault(tests.vault(), '2026-03-10T09:50Z') \g /dev/null
select tests.as_superuser() \g /dev/null
update kith.vault_sessions set expires_at = '2026-03-10T14:30Z', maximum_at = '2026-03-10T21:50Z';
delete from kith.notifications;
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, remind_at, deadline_at)
values
  (tests.tenant('acme'), '2026-03-09', tests.id('alice-bob'), gen_random_uuid(), tests.id('alice'), tests.id('bob'), 'due', '2026-03-10T09:00Z', null, '2026-03-10T10:30Z'),
  (tests.tenant('acme'), '2026-03-10', tests.id('alice-bob'), gen_random_uuid(), tests.id('alice'), tests.id('bob'), 'due', '2026-03-10T11:00Z', '2026-03-10T12:15Z', '2026-03-10T12:30Z'),
  (tests.tenant('acme'), '2026-03-11', tests.id('alice-bob'), gen_random_uuid(), tests.id('alice'), tests.id('bob'), 'scheduled', '2026-03-10T13:00Z', '2026-03-10T14:15Z', '2026-03-10T14:30Z');
insert into kith.notifications (tenant_id, id, user_id, type, body, created_at, deliver_at)
values
  (tests.tenant('acme'), internal.uuid7('2026-03-10T09:59:59Z'), tests.id('bob'), 'ping_completed', 'unplanned', '2026-03-10T09:59:59Z', null),
  (tests.tenant('acme'), internal.uuid7('2026-03-10T09:59:58Z'), tests.id('bob'), 'ping_completed', 'later', '2026-03-10T09:59:58Z', '2026-03-10T20:00Z');
insert into kith.deliveries (tenant_id, id, channel, purpose, address, body, status, attempts, leased_until, leased_by, next_attempt_at, expires_at, created_at)
select tests.tenant('acme'), internal.uuid7('2026-03-10T09:59Z'), 'email', 'invitation', address, 'x', status, attempts,
  case status when 'sending' then at + interval '1 minute' end, case status when 'sending' then 'w' end, at, '2026-03-11Z', '2026-03-10T09:59Z'
from (values
  ('queued', 'queued', 0, '2026-03-10T09:59:30Z'::timestamptz), ('sending', 'sending', 1, '2026-03-10T09:59:30Z'),
  ('failed', 'queued', 2, '2026-03-10T09:59:30Z'), ('late', 'queued', 0, '2026-03-10T11:59:30Z')
) as letter (address, status, attempts, at);
insert into kith.otp_codes (tenant_id, id, purpose, address, code_hash, created_at, expires_at)
values (tests.tenant('acme'), gen_random_uuid(), 'sign_in', '+491590000077', sha256(''), '2026-03-10T09:55Z', '2026-03-10T14:30Z');
insert into kith.token_families (tenant_id, id, user_id, created_at, refreshed_at, expires_at)
values (tests.tenant('acme'), gen_random_uuid(), tests.id('alice'), '2026-03-01Z', '2026-03-01Z', '2026-04-01Z');
select tests.restored('2026-03-10T10:00Z') \g /dev/null
select concat_ws('-', (extract(epoch from timestamptz '2026-03-10T11:00Z') * 1000)::bigint, 3) as position \gset
select concat_ws('-', (extract(epoch from timestamptz '2026-03-10T09:59Z') * 1000)::bigint, 3) as earlier \gset
select is((internal.read_position(:'position', '2026-03-10T14:00Z')).reset, null, 'a position is known while nothing was restored');

select tests.beat('2026-03-10T14:00Z') \g /dev/null
select is(tests.awaits(), true, 'a restore is noticed by the first heartbeat');
select is((select array_agg(outages.began_at || '') from kith.outages), array['2026-03-10 10:00:00+00', '2026-03-10 10:00:00+00'], 'the time since the restored instant is an outage');
select is(tests.enter('2026-03-12T14:00Z'), 'vault_locked Support has put your emergency access on hold. Please try again later.', 'nobody gets in by a wait that the owner may have ended since');
select is((select max(expires_at) from kith.vault_sessions), '2026-03-10T14:00Z', 'open vaults are closed');
select is((select count(*)::integer from kith.otp_codes where ended_at is null), 0, 'one-time codes, which may have been used, are ended');
select is((internal.read_position(:'position', '2026-03-10T14:00Z')).reset, 'unknown', 'a reader of events from the lost time reloads, although its transaction number is a known one');
select is((internal.read_position(:'earlier', '2026-03-10T14:00Z')).reset, null, 'a reader from before goes on');
select is(
  array[tests.loop('announce_due_pings', '2026-03-10T16:00Z'), tests.loop('remind_senders', '2026-03-10T16:00Z'), tests.loop('miss_pings', '2026-03-10T16:00Z'), tests.loop('turn_breaks', '2026-03-10T16:00Z'), tests.loop('settle_subscriptions', '2026-03-10T16:00Z'), tests.loop('plan_deliveries', '2026-03-10T16:00Z'), tests.loop('begin_emergency_waits', '2026-03-10T16:00Z'), tests.loop('tell_emergencies', '2026-03-10T16:00Z')],
  array[0, 0, 0, 0, 0, 0, 0, 0], 'until an operator confirms it, the worker decides nothing'
);
select tests.as_role('kith_worker') \g /dev/null
select is_empty($$ select worker.claim_deliveries('2026-03-10T16:00Z', 'email', 10, 10, null, '{}', '{}', 'w') $$, 'and sends nothing');
select is_empty($$ select worker.claim_webhooks('2026-03-10T16:00Z', 10, 10, '{}', '{}', 'w') $$, 'not even to webhooks');
select tests.as_superuser() \g /dev/null
select is(
  (
    select array_agg(proname::text order by proname)
    from pg_proc
    where pronamespace = 'worker'::regnamespace and prosrc like '%internal.awaits_confirmation()%'
  ),
  array[
    'announce_due_pings', 'begin_emergency_waits', 'claim_deliveries', 'claim_webhooks', 'miss_pings', 'plan_alarms', 'plan_deliveries', 'remind_senders',
    'settle_subscriptions', 'tell_alarms', 'tell_emergencies', 'turn_breaks', 'walk_canaries'
  ],
  'every procedure of the worker that tells people something asks first'
);

-- A confirmation that makes no sense is refused.
select is(tests.confirm('2026-03-10T10:00Z', true, '2026-03-10T14:01Z'), 'validation_failed', 'the lost time has an end after its beginning');
select is(tests.confirm('2026-03-10T14:02Z', true, '2026-03-10T14:01Z'), 'validation_failed', 'which is not in the future');
select is(tests.confirm(null, true, '2026-03-10T14:01Z'), 'validation_failed', 'and is known');
select is(tests.confirm('2026-03-10T12:00Z', null, '2026-03-10T14:01Z'), 'validation_failed', 'the operator says whether sign-ins end');
select is(tests.confirm('2026-03-10T12:00Z', true, '2026-03-10T14:01Z', ''), 'validation_failed', 'and why');
select is(tests.awaits(), true, 'a refusal changes nothing');

select is(tests.confirm('2026-03-10T12:00Z', true, '2026-03-10T14:01Z'), '("2026-03-10 10:00:00+00",1,1,1,2,1,1)', 'the operator is told what was done');
select is(tests.awaits(), false, 'the worker goes on');
select is(
  (select array_agg(concat_ws(' ', status, to_char(scheduled_at, 'HH24:MI'), to_char(remind_at, 'HH24:MI'), to_char(deadline_at, 'HH24:MI')) order by ping_on) from kith.pings),
  array['cancelled 09:00 10:30', 'scheduled 14:01 15:16 15:31', 'scheduled 13:00 14:15 14:30'],
  'a ping that was judged then is closed, one that was open begins anew with its whole grace, and a later one waits as after an outage'
);
select is((select array_agg(concat_ws(' ', address, status) order by address) from kith.deliveries), array['failed queued', 'late queued', 'queued dropped', 'sending dropped'], 'what was sent in the lost time is not sent again, and what had failed is');
select is((select array_agg(concat_ws(' ', body, delivery_status) order by body) from tests.notifications where type = 'ping_completed'), array['later queued', 'unplanned dropped'], 'nor is what had not been planned');
select is((select count(*)::integer from kith.token_families where ended_at is null), 0, 'all sign-ins end');
select is((select min(tokens_valid_from) from kith.users where deleted_at is null), '2026-03-10T14:01:01Z', 'with all tokens, of every tenant');
select is((select held_until from kith.emergency_requests), '2026-03-11T14:01Z', 'emergency access is held for another day');
select is((select count(*)::integer from kith.notifications where user_id = tests.id('alice') and type = 'emergency_requested'), 1, 'and the owner is told again, who may have rejected it');
delete from kith.heartbeats;
select is(tests.enter('2026-03-11T14:01Z'), 'vault_locked 2026-03-11T15:01:00.000000Z', 'the wait of which an hour was left goes on afterwards');
select is(
  (select detail ->> 'reason' from kith.audit where action = 'restore.confirm' order by id desc limit 1), 'a lost disk', 'the audit has it'
);
select is(tests.confirm('2026-03-10T12:00Z', true, '2026-03-10T14:02Z'), 'invalid_transition', 'it is confirmed once');
select is((internal.read_position(:'position', '2026-03-10T15:00Z')).reset, 'unknown', 'readers from the lost time reload, also later');
select is((select count(*)::integer from admin.incarnations where is_current and lost = interval '2 hours'), 1, 'operators see the lost time');
select is((select array_agg(outages.began_at || '') from kith.outages where component = 'worker' and ended_at = '2026-03-10T14:00Z'), array['2026-03-10 10:00:00+00'], 'the outage remains');

-- A snapshot of the disk has the same cluster and the same timeline, so an operator must say that it was one.
create function tests.declared(p_now timestamptz, p_restored_to timestamptz default null) returns text
  language plpgsql
as $$
declare
  v_to timestamptz;
begin
  perform tests.as_role('kith_admin');
  v_to := admin.declare_restore('a snapshot', p_restored_to, p_now);
  perform tests.as_superuser();
  return to_char(v_to at time zone 'UTC', 'DD HH24:MI');
exception when others then
  perform tests.as_superuser();
  return sqlerrm;
end
$$;
delete from kith.incarnations;
delete from kith.heartbeats;
select is(tests.declared('2026-03-12T10:00Z'), 'validation_failed', 'without a heartbeat nobody knows to when it went back');
select tests.beat('2026-03-12T10:00Z') \g /dev/null
select is(tests.awaits(), false, 'a database that is known');
select is(tests.confirm('2026-03-12T11:00Z', true, '2026-03-12T12:00Z'), 'invalid_transition', 'is no restore');
select is(tests.declared('2026-03-12T12:00Z', '2026-03-12T12:00Z'), 'validation_failed', 'it went back into the past');
select is(tests.declared('2026-03-12T12:00Z'), '12 10:00', 'until an operator says so: it went back to its newest heartbeat');
select is(tests.awaits(), true, 'then nobody is told anything');
select is((select count(*) from kith.emergency_requests where ended_at is null and not internal.is_held(emergency_requests, '2026-03-12T12:00Z')), 0::bigint, 'and nobody is let in');
select isnt(tests.confirm('2026-03-12T11:00Z', true, '2026-03-12T12:01Z'), 'invalid_transition', 'until it is confirmed as any other');
select is(tests.awaits(), false, 'and the worker goes on');

select * from finish();
rollback;
