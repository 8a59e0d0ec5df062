-- A lapsed subscription does not stop alerts silently (X28). Carol receives Alice's pings too.
begin;
\ir people.sql
select plan(59);

insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
values (tests.tenant('acme'), '0c000000-0000-7000-8000-000000000002', tests.id('alice'), tests.id('carol'), 'active', tests.id('carol'),
  '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z');
delete from kith.connections where tenant_id = tests.tenant('globex');

create function tests.subscribe(p_status text, p_expires_at timestamptz, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.as_server('acme');
  perform api.set_subscription(tests.id('bob'), jsonb_build_object('status', p_status, 'expires_at', p_expires_at), p_now);
  perform tests.as_superuser();
end
$$;

create function tests.work(p_now timestamptz, p_batch integer default 100) returns integer
  language plpgsql
as $$
declare
  v_settled integer;
begin
  perform tests.as_role('kith_worker');
  v_settled := worker.settle_subscriptions(p_now, p_batch);
  while worker.settle_subscriptions(p_now, p_batch) > 0 loop end loop;
  while worker.generate_daily_pings(p_now, 100) > 0 loop end loop;
  perform tests.as_superuser();
  return v_settled;
end
$$;

-- Bob's ping of a date, if there is one.
create function tests.ping(p_on date) returns text
  language sql
as $$
  select status from kith.pings where tenant_id = tests.tenant('acme') and ping_on = p_on and connection_id = tests.id('alice-bob')
$$;

create function tests.told() returns text
  language sql
as $$
  with gone as (delete from kith.notifications), told as (select * from tests.notifications)
  select string_agg(external_id || ': ' || body, ' | ' order by external_id)
  from told
  join kith.users on users.tenant_id = told.tenant_id and users.id = told.user_id
$$;

create function tests.connection(p_person text, p_now timestamptz) returns json
  language plpgsql
as $$
declare
  v_answer json;
begin
  perform tests.as_user('acme', p_person);
  v_answer := api.get_connection(tests.id('alice-bob'), p_now);
  perform tests.as_superuser();
  return v_answer;
end
$$;

create function tests.afresh() returns void
  language sql
as $$
  delete from kith.pings;
  delete from kith.ping_runs;
  delete from kith.notifications;
  update kith.receiver_profiles
  set subscription_status = 'trial', subscription_expires_at = null, pings_stop_at = null, pings_stopped_at = null;
  update kith.connections set status = 'active', deleted_at = null, pings_stopped_at = null, activated_at = '2026-01-05T08:00:00Z';
  update kith.tenants set requires_subscription = true, subscription_grace_days = 14;
  insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at)
  values (tests.tenant('acme'), 'UTC', '2026-03-01', '2026-03-01T00:00:00Z')
$$;

-- From the lapse to the end.
select tests.afresh();
select tests.subscribe('active', '2026-03-01T12:00:00Z', '2026-02-01T00:00:00Z');
select is(tests.work('2026-03-01T11:59:59Z'), 0, 'before the subscription''s end there is nothing to do');
select is(tests.work('2026-03-01T12:00:00Z'), 1, 'a subscription lapses at its end');
select is(tests.told(),
  'ext-alice: Pings to Bob stop on 15 March 2026 unless the subscription is renewed. | ext-bob: Pings to Bob stop on 15 March 2026 unless the subscription is renewed.',
  'the receiver and the sender are told when pings stop');
select is(tests.work('2026-03-01T12:00:10Z'), 0, 'a lapse is processed once');
select is(tests.work('2026-03-08T00:00:00Z'), 0, 'nothing happens within the grace period');
select is(tests.told(), null, 'nothing more is announced within the grace period');
select is(tests.ping('2026-03-08'), 'scheduled', 'pings are made within the grace period');
select is(tests.connection('bob', '2026-03-08T12:00:00Z') ->> 'suspended_reason', null, 'the connection is unchanged within the grace period');
select tests.work('2026-03-15T00:00:00Z') \g /dev/null
select is(tests.work('2026-03-15T11:59:59Z'), 0, 'pings do not stop before the grace period ends');
select is(tests.ping('2026-03-15'), 'scheduled', 'the last day''s ping is made at midnight');
select is(tests.work('2026-03-15T12:00:00Z'), 1, 'pings stop when the grace period ends');
select is(tests.told(), 'ext-alice: Bob no longer gets your pings: their subscription has ended.', 'the sender is told when pings stop (X28)');
select is(tests.ping('2026-03-15'), 'scheduled', 'a ping that exists runs its course');
select tests.work('2026-03-16T00:00:00Z') \g /dev/null
select is(tests.ping('2026-03-16'), null, 'the next date has no ping');
select is((select count(*) from kith.pings where ping_on = '2026-03-16'), 1::bigint, 'the sender''s other receiver has a ping');
select is(
  (
    select jsonb_object_agg(key, value)
    from jsonb_each(tests.connection('bob', '2026-03-16T08:00:00Z')::jsonb)
    where key in ('status', 'today_ping', 'last_check_in_at', 'break', 'suspended_reason')
  ),
  '{"status": "active", "today_ping": null, "last_check_in_at": null, "break": null, "suspended_reason": "subscription"}'::jsonb, 'the receiver sees the reason');
select is(tests.connection('alice', '2026-03-16T08:00:00Z') ->> 'suspended_reason', 'subscription', 'the sender sees the reason');
select is(tests.find_gaps('2026-03-16T08:00:00Z'), 0::bigint, 'the hourly check accepts the lapse as the reason');
select tests.as_user('acme', 'alice');
select api.pause_connection(tests.id('alice-bob'), '2026-03-16T08:10:00Z') \g /dev/null
select is(api.resume_connection(tests.id('alice-bob'), '2026-03-16T08:11:00Z') ->> 'today_ping', null, 'resuming makes no ping');
select is(api.put_sender_profile('{"ping_time": "11:00", "time_zone": "UTC"}', '2026-03-16T08:12:00Z') ->> 'ping_time', '11:00', 'the sender can change the ping time');
select is(api.get_connection(tests.id('alice-bob'), '2026-03-16T08:12:01Z') ->> 'today_ping', null, 'a new ping time makes no ping');
select tests.as_user('acme', 'bob');
select is(api.get_receiver_profile('2026-03-16T08:12:01Z') ->> 'pings_stop_at', '2026-03-15T12:00:00.000000Z', 'the receiver''s profile shows since when pings stopped');
select tests.as_superuser();
delete from kith.notifications;

-- Renewed.
select tests.subscribe('active', '2026-04-01T00:00:00Z', '2026-03-16T09:00:00Z');
select is(tests.ping('2026-03-16'), 'scheduled', 'renewing before the deadline makes today''s ping (P13)');
select is(tests.connection('bob', '2026-03-16T09:00:01Z') ->> 'suspended_reason', null, 'the connection is active again');
select is((select (pings_stop_at, pings_stopped_at)::text from kith.receiver_profiles where user_id = tests.id('bob')), '(,)', 'no trace of the lapse is left in the profile');
select tests.work('2026-03-17T00:00:00Z') \g /dev/null
select is(tests.ping('2026-03-17'), 'scheduled', 'tomorrow''s ping is made too');
select is(tests.told(), 'ext-bob: Alice has resumed their connection with you', 'a renewal is not announced, but a connection that was resumed meanwhile is (X35)');
select is(tests.work('2026-04-01T00:00:00Z'), 1, 'the subscription can lapse again');
select matches(tests.told(), 'stop on 15 April 2026', 'the second lapse is announced with its date');

-- Renewed within the grace period; renewed after today's deadline.
select tests.subscribe('active', null, '2026-04-02T09:00:00Z');
select is(tests.work('2026-04-20T00:00:00Z'), 0, 'after a renewal within the grace period nothing stops');
select tests.subscribe('expired', null, '2026-04-20T10:00:00Z');
select is(tests.work('2026-04-20T10:00:01Z'), 1, 'a subscription set to expired without an end lapses at once');
select matches(tests.told(), 'stop on 4 May 2026', 'the grace period of an expired subscription counts from when it is set');
select tests.work('2026-05-04T12:00:00Z') \g /dev/null
select tests.work('2026-05-05T00:00:00Z') \g /dev/null
select tests.subscribe('trial', null, '2026-05-05T13:00:00Z');
select is(tests.ping('2026-05-05'), null, 'after a renewal past the deadline today has no ping');
select is(tests.find_gaps('2026-05-05T14:00:00Z'), 0::bigint, 'the hourly check accepts the reason');
select tests.subscribe('canceled', '2026-06-01T00:00:00Z', '2026-05-06T00:00:00Z');
select is(tests.work('2026-05-31T23:59:59Z'), 0, 'a canceled subscription is good until its end');
select is(tests.work('2026-06-01T00:00:00Z'), 1, 'a canceled subscription lapses at its end');

-- The people who are told.
select tests.afresh();
update kith.users set time_zone = 'Asia/Tokyo' where id = tests.id('bob');
update kith.connections set status = 'paused' where id = tests.id('alice-bob');
select tests.subscribe('expired', '2026-03-01T20:00:00Z', '2026-03-01T20:00:00Z');
select tests.work('2026-03-01T20:00:01Z') \g /dev/null
select is(tests.told(), 'ext-bob: Pings to Bob stop on 16 March 2026 unless the subscription is renewed.', 'dates are in each reader''s zone, and senders who have paused are not told');
select tests.afresh();
update kith.users set time_zone = 'UTC';
update kith.connections set status = 'deleted', deleted_at = '2026-02-01Z' where id = tests.id('alice-bob');
select tests.subscribe('expired', null, '2026-03-01T20:00:00Z');
select is(tests.work('2026-03-01T20:00:01Z'), 1, 'the subscription of a receiver without connections lapses too');
select is(tests.told(), null, 'without connections nothing is announced');
select is((select pings_stopped_at from kith.connections where id = tests.id('alice-bob')), null, 'a removed connection is not changed');

-- A worker that was down, and no grace period.
select tests.afresh();
select tests.subscribe('active', '2026-03-01T12:00:00Z', '2026-02-01T00:00:00Z');
select is(tests.work('2026-03-30T12:00:00Z'), 1, 'a lapse is found a month late');
select matches(tests.told(), 'Bob stop on 12 April 2026', 'the grace period still begins about when people are told');
select tests.afresh();
update kith.tenants set subscription_grace_days = 0;
select tests.subscribe('active', '2026-03-01T12:00:00Z', '2026-02-01T00:00:00Z');
select is(tests.work('2026-03-01T12:00:01Z'), 2, 'without a grace period pings stop when the subscription lapses');
select matches(tests.told(), 'Bob stop on 1 March 2026', 'the immediate stop is announced');

-- The tenant's settings.
select tests.afresh();
update kith.tenants set requires_subscription = false;
select tests.subscribe('expired', null, '2026-03-01T12:00:00Z');
select is(tests.work('2026-03-01T12:00:01Z'), 0, 'if no subscription is required, none lapses');
update kith.tenants set requires_subscription = true;
select is(tests.work('2026-06-01T12:00:00Z'), 1, 'when subscriptions become required, unpaid ones lapse');
select matches(tests.told(), 'Bob stop on 14 June 2026', 'the grace period counts from then');
update kith.tenants set subscription_grace_days = 1;
select is(tests.work('2026-06-10T12:00:00Z'), 0, 'a shortened grace period does not change an announced date');
select tests.work('2026-06-14T12:00:00Z') \g /dev/null
select tests.work('2026-06-15T00:00:00Z') \g /dev/null
select is(tests.ping('2026-06-15'), null, 'pings stop on the announced date');
update kith.tenants set requires_subscription = false;
select is(tests.work('2026-06-15T08:00:00Z'), 1, 'when subscriptions are no longer required, the stop is lifted');
select is(tests.ping('2026-06-15'), 'scheduled', 'pings are made again, including today''s');
select is(current_setting('kith.tenant_id'), '', 'the worker leaves no tenant set');
update kith.tenants set requires_subscription = true, deleted_at = '2026-06-15Z';
select is(tests.work('2026-06-16T08:00:00Z'), 0, 'a deleted tenant''s receivers are left alone');
update kith.tenants set deleted_at = null;

-- Batches.
select tests.afresh();
update kith.tenants set subscription_grace_days = 0;
update kith.receiver_profiles set subscription_status = 'expired' where tenant_id = tests.tenant('acme');
select is(tests.work('2026-06-16T12:00:00Z', 1), 2, 'with a batch size of one, one subscription lapses and one stops');
select is((select count(*) from kith.receiver_profiles where pings_stopped_at is not null), 3::bigint, 'batches continue until all are processed');

-- Emergency access by silence rests with the last pings.
create function tests.stopped(p_name text) returns text[]
  language plpgsql
as $$
begin
  delete from kith.notifications;
  update kith.receiver_profiles set subscription_status = 'expired' where tenant_id = tests.tenant('acme') and user_id = tests.id(p_name);
  perform tests.work('2026-06-16T12:00:00Z');
  return array(select body from tests.notifications where user_id = tests.id('alice') and data ? 'stopped');
end
$$;
select tests.afresh();
update kith.tenants set subscription_grace_days = 0;
select tests.as_user('acme', 'alice') \g /dev/null
select api.create_vault('{"name": "Papers"}', '2026-03-01T08:00Z') ->> 'id' as vault \gset
select tests.as_superuser();
insert into kith.nominees (tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, updated_at)
values (tests.tenant('acme'), '0e000000-0000-7000-8000-000000000001', :'vault', tests.id('alice'), tests.id('carol'), 'Carol', 'accepted', 'view', '2026-03-01T08:00Z',
  tests.id('alice'), '2026-03-01T08:00Z', '2026-03-01T08:00Z');
insert into kith.emergency_settings (tenant_id, nominee_id, vault_id, owner_id, wait_hours, access_level, grant_hours, on_request, after_missed_days,
  reject_on_check_in, sign_of_life, visible, created_at, updated_at)
values (tests.tenant('acme'), '0e000000-0000-7000-8000-000000000001', :'vault', tests.id('alice'), 240, 'view', 72, false, 3, true, 'check_in', false,
  '2026-03-01T08:00Z', '2026-03-01T08:00Z');
savepoint given;
select is(tests.stopped('carol'), array['Carol no longer gets your pings: their subscription has ended.'], 'when pings to one of two stop, the sender is told that none flow there');
select is(tests.stopped('bob'), array['Bob no longer gets your pings: their subscription has ended. Emergency access by silence rests meanwhile.'],
  'with the last, that emergency access by silence rests');
rollback to given;
update kith.emergency_settings set after_missed_days = null, on_request = true;
select is(tests.stopped('carol') || tests.stopped('bob'),
  array['Carol no longer gets your pings: their subscription has ended.', 'Bob no longer gets your pings: their subscription has ended.'], 'if somebody was given access by it');
rollback to given;
update kith.emergency_settings set ended_at = '2026-04-01Z';
select is(tests.stopped('carol') || tests.stopped('bob'),
  array['Carol no longer gets your pings: their subscription has ended.', 'Bob no longer gets your pings: their subscription has ended.'], 'and still has it');
select * from finish();
rollback;
