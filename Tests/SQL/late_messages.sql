-- What is told late says since when, and after an outage one message about a subject goes out.
begin;
\ir people.sql
\ir alarm_house.sql
select plan(14);
create function tests.sends(p_channel text, p_now timestamptz, p_outcome text default 'sent') returns text
  language plpgsql
as $$
declare
  v_bodies text;
begin
  perform tests.as_role('kith_worker');
  with claimed as materialized (
    select claim.* from worker.claim_deliveries(p_now, p_channel, 100, 100, 0, '{}', '{}', 'w1') as claim
  ), finished as materialized (
    select worker.finish_deliveries(p_now, 'w1', (
      select coalesce(jsonb_agg(jsonb_build_object('tenant_id', tenant_id, 'id', id, 'outcome', p_outcome)), '[]') from claimed
    )) as n
  )
  select string_agg(claimed.body, ' | ' order by claimed.id) into v_bodies
  from claimed, finished where claimed.address in ('bobs-phone', 'bob@example.org', '+4915100000002');
  perform tests.as_superuser();
  return v_bodies;
end
$$;
create function tests.ways(p_person text) returns text
  language sql
as $$
  select string_agg(concat_ws(' ', note.type, delivery.channel, nullif(delivery.status, 'queued')), ', ' order by note.id, delivery.created_at, delivery.channel)
  from kith.notifications as note
  join kith.deliveries as delivery on delivery.tenant_id = note.tenant_id and delivery.notification_id = note.id
  where note.user_id = tests.id(p_person)
$$;
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
select tests.tenant('acme'), channel, '{}', '\x00', '2026-01-05T08:00Z', '2026-01-05T08:00Z' from unnest(array['sms', 'email', 'apns', 'voice']) as channel;
update kith.users set phone = '+4915100000002', phone_verified_at = '2026-01-05T08:00Z', email = 'bob@example.org', email_verified_at = '2026-01-05T08:00Z', time_zone = 'UTC'
where tenant_id = tests.tenant('acme') and display_name = 'Bob';
insert into kith.devices (tenant_id, token, user_id, platform, environment, created_at, last_seen_at)
values (tests.tenant('acme'), 'bobs-phone', tests.id('bob'), 'ios', 'production', '2026-01-05T08:00Z', '2026-01-05T08:00Z');
insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
select tests.tenant('acme'), tests.id('bob'), type, '{push}', '2026-01-05T08:00Z' from unnest(array['help_requested', 'ping_missed']) as type;
savepoint house;

-- A call for help that leaves late.
select tests.help('alice', '2026-03-02T08:00Z'), tests.plan_all('2026-03-02T08:00Z') \g /dev/null
savepoint called;
select is(tests.sends('apns', '2026-03-02T08:04:30Z'), 'Alice needs help. Call them now.', 'a call for help says that somebody needs help');
rollback to called;
select is(
  tests.sends('apns', '2026-03-02T08:05:30Z'), 'Alice called for help at 08:00. Call them now.', 'one that leaves late says since when'
);
rollback to house;

-- No worker for eighty hours.
select tests.help('alice', '2026-03-02T08:00Z') \g /dev/null
insert into kith.outages (component, began_at, ended_at) values ('worker', '2026-03-02T07:59:50Z', '2026-03-05T16:00:00Z');
savepoint away;
select tests.tell('2026-03-05T16:00Z'), tests.plan_all('2026-03-05T16:00Z') \g /dev/null
select is(tests.ways('bob'), 'help_requested apns', 'the call goes out, once, on one channel');
select is(
  tests.sends('apns', '2026-03-05T16:00:01Z'), 'Alice called for help at 2 March 2026, 08:00. Call them now.', 'as what it is, eighty hours later'
);
select tests.tell('2026-03-05T16:29Z'), tests.plan_all('2026-03-05T16:29Z') \g /dev/null
select is(tests.ways('bob'), 'help_requested apns sent', 'and nothing else in the same minutes');
select tests.tell('2026-03-05T16:30Z'), tests.plan_all('2026-03-05T16:30Z') \g /dev/null
select is(tests.ways('bob'), 'help_requested apns sent, alarm_repeat email', 'the louder one at the next instant of the plan');
select is(
  tests.sends('email', '2026-03-05T16:30:01Z') like 'Alice called for help at 2 March 2026, 08:00, and nobody is looking after it.%', true, 'which says since when as well'
);
rollback to away;
select tests.plan_all('2026-03-05T16:00Z'), tests.sends('apns', '2026-03-05T16:00:01Z'), tests.tell('2026-03-05T16:00:02Z'), tests.plan_all('2026-03-05T16:00:02Z')
\g /dev/null
select is(tests.ways('bob'), 'help_requested apns sent', 'whichever loop comes first');
rollback to house;

-- A worker that was away after it had planned.
select tests.help('alice', '2026-03-02T08:00Z'), tests.plan_all('2026-03-02T08:00Z') \g /dev/null
insert into kith.outages (component, began_at, ended_at) values ('worker', '2026-03-02T08:00:01Z', '2026-03-02T08:20:00Z');
savepoint planned;
select tests.plan_all('2026-03-02T08:20:01Z') \g /dev/null
select is(tests.ways('bob'), 'help_requested apns', 'a channel on which no worker sent has failed nobody');
select tests.sends('apns', '2026-03-02T08:20:02Z'), tests.plan_all('2026-03-02T08:22:30Z') \g /dev/null
select is(tests.ways('bob'), 'help_requested apns sent', 'it sends now');
rollback to planned;
select tests.plan_all('2026-03-02T08:22:01Z') \g /dev/null
select is(tests.ways('bob'), 'help_requested apns, help_requested email, help_requested sms', 'but it has two minutes for that, and no more');
rollback to planned;
select tests.sends('apns', '2026-03-02T08:20:02Z', 'failed'), tests.plan_all('2026-03-02T08:20:03Z') \g /dev/null
select is(tests.ways('bob'), 'help_requested apns failed, help_requested email, help_requested sms', 'when it fails, the others follow at once');
rollback to house;

-- In time, repeats are told as planned.
select tests.help('alice', '2026-03-02T08:00Z'), tests.plan_all('2026-03-02T08:00Z') \g /dev/null
select tests.tell('2026-03-02T08:30Z'), tests.plan_all('2026-03-02T08:30:01Z') \g /dev/null
select is(tests.ways('bob'), 'help_requested apns, alarm_repeat email', 'a repeat waits for no channel');
select is(
  (select count(*) from kith.alarms where cardinality(repeats_at) = 2), 1::bigint, 'and adds none'
);
select * from finish();
rollback;
