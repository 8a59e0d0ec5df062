-- The outbox: deliveries are claimed under a lease, sent outside the transaction, then finished.
begin;
\ir people.sql
select plan(38);
\set now '''2026-03-10T08:00:00Z'''

create function tests.id_of(p_n integer) returns uuid
  language sql immutable
  return ('019cd6c2-8c00-7000-8000-' || lpad(p_n::text, 12, '0'))::uuid;
create function tests.queue(p_n integer, p_expires_at timestamptz default '2026-03-10T08:10:00Z') returns void
  language plpgsql
as $$
begin
  perform set_config('kith.tenant_id', tests.tenant('acme')::text, true);
  perform internal.queue_delivery(
    tests.id_of(p_n), 'sms', 'invitation', '+4915100000001', null, 'Hello {code}', '\xab', null, p_expires_at, '2026-03-10T08:00:00Z'
  );
  perform tests.as_superuser();
end
$$;
create function tests.status(p_n integer) returns text
  language sql
as $$
  select concat_ws(' ', status, attempts, error) from kith.deliveries where id = tests.id_of(p_n)
$$;
-- The deliveries that a worker claims.
create function tests.claim(p_now timestamptz, p_batch integer default 10, p_instance text default 'w1') returns text
  language plpgsql
as $$
declare
  v_ids text;
begin
  perform tests.as_role('kith_worker');
  select string_agg(right(id::text, 2), ' ' order by id) into v_ids
  from worker.claim_deliveries(p_now, 'sms', p_batch, p_batch, 0, '{}', '{}', p_instance);
  perform tests.as_superuser();
  return v_ids;
end
$$;
create function tests.finish(p_n integer, p_outcome text, p_error text, p_now timestamptz, p_instance text default 'w1') returns integer
  language plpgsql
as $$
declare
  v_finished integer;
begin
  perform tests.as_role('kith_worker');
  v_finished := worker.finish_deliveries(
    p_now, p_instance,
    jsonb_build_array(jsonb_build_object('tenant_id', tests.tenant('acme'), 'id', tests.id_of(p_n), 'outcome', p_outcome, 'error', p_error))
  );
  perform tests.as_superuser();
  return v_finished;
end
$$;

select tests.queue(n) from generate_series(1, 3) as n \g /dev/null
select is(tests.claim(:now, 2), '01 02', 'a worker claims a batch');
select is(tests.status(1), 'sending 1', 'a claimed delivery has the status sending');
select is(tests.claim(:now, 10, 'w2'), '03', 'another worker claims other deliveries');
select is(tests.claim('2026-03-10T08:00:59Z'), null, 'a leased delivery is not claimed');
select is(tests.finish(1, 'sent', null, '2026-03-10T08:00:01Z'), 1, 'a sent delivery is recorded');
select is(tests.status(1), 'sent 1', 'the status of a sent delivery is sent');
select is((select sealed_secret from kith.deliveries where id = tests.id_of(1)), null, 'a sent delivery''s secret is erased');
select is((select sent_at from kith.deliveries where id = tests.id_of(1))::timestamptz, '2026-03-10T08:00:01Z'::timestamptz, 'the time of sending is recorded');
select is(tests.claim('2026-03-10T08:01:00Z', 10, 'w2'), '02 03', 'any worker can claim a delivery whose lease has ended');
select is(tests.finish(2, 'retry', 'late', '2026-03-10T08:01:00.5Z'), 0, 'a worker whose lease has ended cannot report a retry');
select is(tests.finish(2, 'failed', 'late', '2026-03-10T08:01:00.5Z'), 0, 'a worker whose lease has ended cannot report a failure');
select is(tests.status(2), 'sending 2', 'the worker with the current lease continues');
select is(tests.finish(2, 'sent', null, '2026-03-10T08:01:01Z'), 1, 'a late success counts: a message may be sent twice, but it ends');
select is(tests.finish(2, 'retry', 'too late', '2026-03-10T08:01:02Z'), 0, 'later reports are ignored');

select tests.finish(3, 'retry', 'busy', '2026-03-10T08:01:00Z', 'w2') \g /dev/null
select is(tests.status(3), 'queued 2 busy', 'a refused delivery waits');
select is(
  (select next_attempt_at - '2026-03-10T08:01:00Z' from kith.deliveries where id = tests.id_of(3)), internal.retry_delay(tests.id_of(3), 2),
  'the delay grows'
);
select is(tests.claim('2026-03-10T08:01:05Z'), null, 'a delayed delivery is not claimed early');
select is(tests.claim('2026-03-10T08:01:20Z'), '03', 'a delayed delivery is claimed again after its delay');
select is(
  (
    select array_agg(round(extract(epoch from internal.retry_delay('019cd6c2-8c00-7000-8000-000000000000', n)), 2) order by n)
    from generate_series(1, 12) as n
  ),
  array[3.75, 7.5, 15, 30, 60, 120, 240, 480, 960, 1920, 2700, 2700]::numeric[], 'the delay doubles up to an hour'
);
select is(
  round(extract(epoch from internal.retry_delay('019cd6c2-8c00-7000-8000-ffffffffffff', 1)), 2), 6.25, 'the delay has a jitter that depends on the delivery''s id'
);
select tests.finish(3, 'failed', 'no such number', '2026-03-10T08:01:21Z') \g /dev/null
select is(tests.status(3), 'failed 3 no such number', 'a permanent failure ends the delivery');
select is(tests.claim('2026-03-10T08:09:00Z'), null, 'a failed delivery is never claimed again');

select tests.queue(4) \g /dev/null
update kith.deliveries set attempts = 9 where id = tests.id_of(4);
select tests.claim(:now), tests.finish(4, 'retry', 'busy', :now) \g /dev/null
select is(tests.status(4), 'failed 10 busy', 'a delivery fails after ten attempts');

-- A delivery that crashes each worker that sends it, and others claimed with it.
select tests.queue(n, '2026-03-11T08:00:00Z') from generate_series(10, 19) as n \g /dev/null
select is(tests.claim('2026-03-10T09:00Z'), '10 11 12 13 14 15 16 17 18 19', 'a worker that crashes holds several deliveries');
select is(tests.claim('2026-03-10T09:01Z'), '10 11 12 13 14 15 16 17 18 19', 'another worker claims them a minute later');
select ok(
  (select count(distinct next_attempt_at) > 5 and min(next_attempt_at) >= '2026-03-10T09:02Z' and max(next_attempt_at) < '2026-03-10T09:03Z'
    from kith.deliveries where status = 'sending'),
  'after the second crash the leases are spread, so that deliveries batched with the faulty one are separated'
);
select tests.finish(n, 'sent', null, '2026-03-10T09:01:10Z') from generate_series(12, 19) as n \g /dev/null
select tests.claim('2026-03-10T09:04Z', 10, 'w1'), tests.claim('2026-03-10T09:06Z', 10, 'w1') \g /dev/null
select tests.finish(11, 'retry', 'busy', '2026-03-10T09:06:10Z') \g /dev/null
select is(tests.claim('2026-03-10T09:08Z'), '10 11', 'any answer resets the count of unanswered claims');
select tests.as_role('kith_worker');
select is(worker.give_up_deliveries('2026-03-10T09:08:59Z', 10), 0, 'a delivery is not given up before its fifth lease ends');
select tests.as_superuser();
select is(tests.claim('2026-03-10T09:10Z'), '11', 'a delivery is not claimed after five unanswered claims');
select tests.as_role('kith_worker');
select is(worker.give_up_deliveries('2026-03-10T09:10Z', 10), 1, 'a delivery is given up after five unanswered claims');
select tests.as_superuser();
select is(
  tests.status(10), 'failed 5 given up: the worker stopped 5 times in a row before it reported a result', 'the error says why the delivery was given up'
);
select admin.replay_delivery('acme', tests.id_of(10), 'mended', '2026-03-10T09:12Z') \g /dev/null
select is(tests.claim('2026-03-10T09:12Z'), '10 11', 'an operator can replay a delivery that was given up');
delete from kith.deliveries where id >= tests.id_of(10);

select tests.queue(5), tests.queue(6) \g /dev/null
select tests.claim('2026-03-10T08:09:30Z', 1) \g /dev/null
select is(tests.claim('2026-03-10T08:10:00Z'), null, 'an expired delivery is not claimed');
select tests.as_role('kith_worker');
select is(worker.drop_expired_deliveries('2026-03-10T08:10:00Z', 10), 1, 'an expired delivery is dropped');
select is(worker.drop_expired_deliveries('2026-03-10T08:10:30Z', 10), 1, 'an expired delivery is dropped when its worker has died');
select is(worker.drop_expired_deliveries('2026-03-10T08:10:30Z', 10), 0, 'an expired delivery is dropped once');
select tests.as_superuser();
select is(tests.status(5) || ', ' || tests.status(6), 'dropped 1 expired, dropped 0 expired', 'a dropped delivery has its reason');
select tests.queue(7, '2027-01-01T00:00:00Z') \g /dev/null
select tests.as_role('kith_api');
select is(api.readiness('2026-03-10T08:05:00Z') ->> 'oldest_delivery_seconds', '300', 'readiness reports the age of the oldest waiting delivery');

select * from finish();
rollback;
