-- What counts and lists people leaves a tenant's canary out (G10, internal.hidden_person): every view is read in the middle of an alarm of Alice's,
-- without a canary, and with one whose alarm is open too. Both are the same. A view that is added later is read, unless it is named below with its reason.
begin;
\ir people.sql
\ir canary_house.sql
select plan(6);

create temporary table seen (way text, name text, what text, primary key (way, name));
grant select, insert on seen to public;
-- What of a view is of the canary on purpose, or differs between any two moments.
create function tests.left_out(p_view text) returns text
  language sql
as $$
  select known.reason from (values
    ('canaries', 'the canaries themselves'), ('canary_runs', 'the canaries themselves'), ('audit', 'the act that made it'),
    ('disk', 'bytes of tables'), ('long_transactions', 'this session'), ('procedures', 'no rows of tenants'), ('partitions', 'the size of tables'),
    ('ping_runs', 'how late the worker is, the same for all rows'), ('loops', 'how late the worker is'), ('delivery_backlog', 'what a provider will be given'),
    ('channels', 'what a provider was given, and bills'), ('set_aside', 'what the worker cannot process'), ('ping_gaps', 'what the worker has not made'),
    ('phone_numbers', 'each stored number, for kith contacts')
  ) as known (name, reason) where known.name = p_view
$$;
create function tests.look(p_way text, p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_view text;
  v_what text;
begin
  perform tests.as_role('kith_admin');
  for v_view in
    select relname from pg_class
    where relnamespace = 'admin'::regnamespace and relkind = 'v' and tests.left_out(relname) is null order by relname
  loop
    -- Times that pass while the test runs are no differences.
    execute format(
      $sql$ select coalesce(string_agg(
        (to_jsonb(one) - '{age,lag,lasts,late,overdue,starts_in,comes_in,oldest_age}'::text[])::text, e'\n'
        order by (to_jsonb(one) - '{age,lag,lasts,late,overdue,starts_in,comes_in,oldest_age}'::text[])::text
      ), '') from admin.%I as one $sql$, v_view
    ) into v_what;
    insert into seen values (p_way, v_view, v_what);
  end loop;
  insert into seen
  select p_way, 'overview', (admin.overview(p_now)::jsonb #- '{ages}' #- '{channels}' #- '{instances}')::text;
  insert into seen select p_way, 'delayed ' || channel, (select coalesce(json_agg(d), '[]')::text from admin.delayed(channel, p_now - interval '1 day', p_now, 'acme', p_now) as d)
  from unnest('{sms,email,voice}'::text[]) as channel;
  insert into seen select p_way, 'replay ' || channel, (select coalesce(json_agg(d), '[]')::text from admin.replay_outage(channel, p_now - interval '1 day', p_now, 'why', 'acme', true, p_now) as d)
  from unnest('{sms,email,voice}'::text[]) as channel;
  perform tests.as_role('kith_api');
  insert into seen values
    (p_way, 'alarm metrics', (api.alarm_metrics(p_now)::jsonb - 'oldest_notice_seconds')::text), (p_way, 'emergency metrics', api.emergency_metrics(p_now)::text),
    (p_way, 'readiness', (api.readiness(p_now)::jsonb -> 'undelivered_alarms')::text || (api.readiness(p_now)::jsonb -> 'failing_webhooks')::text
      || (api.readiness(p_now)::jsonb -> 'pings_not_made')::text);
  perform tests.as_server('acme');
  insert into seen values
    (p_way, 'users of the tenant', api.list_users(null, null, null, 100, null)::text), (p_way, 'desk of the tenant', api.list_tenant_alarms(null, 100, null, p_now)::text),
    (p_way, 'webhooks of the tenant', api.list_webhooks()::text);
  perform tests.as_user('acme', 'bob');
  insert into seen values
    (p_way, 'home', (api.home(p_now)::jsonb)::text), (p_way, 'export', (api.export_me(null, p_now)::jsonb - 'exported_at')::text);
  perform tests.as_superuser();
  insert into seen
  select p_way, 'untold alarms', coalesce(json_agg(untold), '[]')::text from internal.untold_alarms(p_now + interval '10 minutes') as untold;
  insert into seen values (p_way, 'has a desk', internal.has_desk(tests.tenant('acme'), p_now)::text);
  insert into seen
  select p_way, 'obstacles', coalesce(json_agg(obstacle order by what), '[]')::text from internal.obstacles(p_now) as obstacle where what not like '%transaction open%';
  delete from kith.disk_samples; delete from kith.tenant_sizes;
  perform tests.as_role('kith_worker');
  perform worker.sample_disk(p_now);
  perform tests.as_superuser();
  insert into seen select p_way, 'sampled connections', string_agg(tenant_id || ' ' || connections || ' ' || codes, ', ' order by tenant_id) from kith.tenant_sizes;
  delete from kith.disk_samples; delete from kith.tenant_sizes;
  perform set_config('kith.tenant_id', tests.tenant('acme')::text, true);
  insert into seen values (p_way, 'accounts left', internal.users_left()::text);
  perform tests.as_superuser();
end
$$;
-- A day up to the alarm of Alice's ping of 12:21, which nobody is told of: Bob has no contact.
create function tests.day() returns void
  language plpgsql
as $$
begin
  perform tests.pass('2026-03-10T12:21:00Z'), tests.pass('2026-03-10T12:26:10Z'), tests.take('sms', '2026-03-10T12:26:11Z');
  perform tests.pass('2026-03-10T12:26:14Z');
end
$$;
update kith.sender_profiles set ping_time = '12:21', grace_minutes = 5, reminder_minutes = 1 where user_id = tests.id('alice');
insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at)
select tests.tenant(tenant), 'UTC', '2026-03-10', '2026-03-10T00:00Z' from unnest('{acme,globex}'::text[]) as tenant;
insert into kith.tenant_usage (tenant_id, users) values (tests.tenant('acme'), 4);
select tests.as_server('acme');
select api.add_webhook('0c0000ff-0000-7000-8000-000000000002', '{"url": "https://acme.example/events"}', '\x01', '2026-03-10T08:00Z') \g /dev/null
select tests.as_superuser();
-- A canary's endpoint fails, which is no failure of the tenant's.
create function tests.fail_endpoint() returns void
  language sql
as $$ update kith.webhooks set attempts = 7, last_error = 'the endpoint answered 500' where url like 'https://canary%' $$;

select tests.pass('2026-03-10T06:00Z');
select tests.day() \g /dev/null
select tests.look('without', '2026-03-10T12:30Z') \g /dev/null
select is((select count(*) from admin.alarms), 1::bigint, 'Alice is missed');
-- Globex has nothing but a canary, whose endpoint was disabled.
select tests.as_role('kith_admin');
select admin.set_canary('globex', 24, jsonb_build_object('webhook', tests.seal()), 20, '2026-03-10T08:00Z') \g /dev/null
select tests.as_superuser();
update kith.webhooks set disabled_at = '2026-03-10T09:00Z', disabled_reason = 'failed for 5 days' where tenant_id = tests.tenant('globex');
-- The same day again, at which there is nothing left to do for people.
select tests.set_canary(12, jsonb_build_object('sms', '{"address": "+4915112345679"}'::jsonb, 'webhook', tests.seal()), '2026-03-10T08:00Z') \g /dev/null
select tests.fail_endpoint();
select tests.day() \g /dev/null
select is((select count(*) from kith.alarms where resolved_at is null), 2::bigint, 'with a canary there are two alarms');
select is((select count(*) from kith.deliveries where channel = 'sms' and status = 'sent'), 1::bigint, 'of which one has sent a text');
-- Its other text fails for good, and one is dropped.
update kith.deliveries set status = 'failed', error = 'no' where channel = 'sms' and notification_id in (select id from kith.notifications where type = 'ping_missed');
insert into kith.deliveries (tenant_id, id, channel, purpose, address, notification_id, is_urgent, status, error, next_attempt_at, expires_at, created_at)
select tenant_id, internal.uuid7(now()), 'sms', 'notification', address, notification_id, true, 'dropped', 'expired', next_attempt_at, expires_at, created_at
from kith.deliveries where channel = 'sms' limit 1;
insert into kith.deliveries (tenant_id, id, channel, purpose, address, notification_id, is_urgent, status, error, next_attempt_at, expires_at, created_at)
select tenant_id, internal.uuid7(now()), 'voice', 'notification', address, notification_id, true, 'failed', 'no', next_attempt_at, expires_at, created_at
from (select * from kith.deliveries where channel = 'sms' limit 1) as one, generate_series(1, 5);
select tests.look('with', '2026-03-10T12:30Z') \g /dev/null

create temporary view changed as
select name from seen group by name having count(distinct what) filter (where way in ('without', 'with')) > 1;
select is((select string_agg(name, ', ' order by name) from changed), null, 'nothing that counts or lists people has changed');

-- Each of these would have, so the test can fail.
create or replace function internal.hidden_person(p_tenant integer, p_user uuid) returns table (user_id uuid)
  language sql
  stable
as $$ select null::uuid where false $$;
create or replace function internal.hidden_people(p_tenant integer) returns uuid[] language sql stable as $$ select '{}'::uuid[] $$;
create or replace function internal.hidden_endpoint(p_tenant integer, p_webhook uuid) returns table (webhook_id uuid)
  language sql
  stable
as $$ select null::uuid where false $$;
create or replace function internal.hidden_pings(p_tenant integer, p_zone text, p_on date, p_until timestamptz) returns bigint
  language sql
  stable
as $$ select 0::bigint $$;
select tests.look('shown', '2026-03-10T12:30Z') \g /dev/null
select is(
  (select string_agg(name, ', ' order by name) from (select name from seen group by name having count(distinct what) > 1) as different),
  'alarm metrics, alarms, coming, dead_letters, delayed sms, desk of the tenant, dropped_deliveries, holds, obstacles, overview, readiness, replay sms, tenants, tomorrow, '
    'users of the tenant, webhooks, webhooks of the tenant', 'without the one question, all of these would show it'
);
select is((select count(*) from seen where way = 'with') > 40, true, 'the views are many');
select * from finish();
rollback;
