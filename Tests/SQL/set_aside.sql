-- No row stops a loop of the worker: each loop gets a row that it cannot process (P, of acme), and others that it can (A, of acme, and G, of
-- globex).
begin;
\ir people.sql
\set QUIET on
-- The constraints that keep such rows out. A loop must survive them nevertheless.
alter domain kith.notification_data drop constraint notification_data_has_its_shape;
alter domain kith.instant drop constraint instants_are_finite;
alter domain kith.calendar_date drop constraint calendar_dates_are_finite;
alter domain kith.time_of_day drop constraint times_of_day_are_before_midnight;

create table tests.units as
select label, tests.tenant(tenant) as tenant_id, tests.id(person) as user_id, tests.id(other) as other_id, connection_id::uuid,
  ('019cd79e-4600-7000-8000-00000000000' || n)::uuid as id, ('019cd79e-4600-7000-8000-0000000000a' || n)::uuid as parent_id
from (values
  ('P', 'acme', 'alice', 'bob', '0c000000-0000-7000-8000-000000000001', 1),
  ('A', 'acme', 'mallory', 'carol', '0c000000-0000-7000-8000-000000000002', 2),
  ('G', 'globex', 'globex-alice', 'globex-bob', '1c000000-0000-7000-8000-000000000001', 3)
) as unit (label, tenant, person, other, connection_id, n);
insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
select tenant_id, connection_id, user_id, other_id, 'active', other_id, '2026-01-05T08:00Z', '2026-01-05T08:00Z', '2026-01-05T08:00Z'
from tests.units where label = 'A';

-- Inserts a row for each unit, whatever else it would need. In the row, "$user", "$other", "$id", "$parent" and "$connection" are the unit's.
create function tests.plant(p_table text, p_row jsonb, p_key text default 'id') returns void
  language plpgsql
as $$
declare
  v_unit tests.units;
  v_row jsonb;
begin
  set local session_replication_role = replica;
  for v_unit in select * from tests.units loop
    v_row := replace(replace(replace(replace(replace(replace(
      (jsonb_build_object('tenant_id', v_unit.tenant_id) || case when p_key is null then '{}' else jsonb_build_object(p_key, '$id') end || p_row)::text,
      '$user', v_unit.user_id::text), '$other', v_unit.other_id::text), '$id', v_unit.id::text), '$parent', v_unit.parent_id::text),
      '$connection', v_unit.connection_id::text), '$hash', '\\x' || replace(v_unit.id::text || v_unit.id, '-', ''))::jsonb;
    execute format(
      'insert into kith.%I (%s) select %2$s from jsonb_populate_record(null::kith.%1$I, $1)', p_table,
      (select string_agg(format('%I', name), ', ') from jsonb_object_keys(v_row) as name)
    ) using v_row;
  end loop;
  set local session_replication_role = origin;
end
$$;

-- While a marker is here, a change of a row that contains it fails.
create table tests.poison (marker text not null);
create function tests.refuse() returns trigger
  language plpgsql
  security definer
as $$
begin
  if exists (
    select from tests.poison where strpos(case when tg_op = 'DELETE' then to_jsonb(old)::text else to_jsonb(new)::text end, poison.marker) > 0
  ) then
    raise exception 'this says something about a person' using errcode = '22023';
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end
$$;
create function tests.refuse(p_table text, p_event text, p_marker text default '019cd79e-4600-7000-8000-000000000001') returns void
  language plpgsql
as $$
begin
  execute format('create trigger %I before %s on kith.%I for each row execute function tests.refuse()', 'refuse_' || p_event, p_event, p_table);
  insert into tests.poison values (p_marker);
end
$$;

create table tests.walked (loop text not null);
-- Runs a loop until it does nothing, at once, half a minute later, after a minute, and after the row is mended: what it has handled, and what
-- is set aside.
create function tests.walk(p_loop text, p_at timestamptz, p_handled text, p_mend text default 'select', p_call text default null) returns text
  language plpgsql
as $$
declare
  v_after interval;
  v_done bigint;
  v_handled text;
  v_states text;
begin
  insert into tests.walked values (p_loop);
  foreach v_after in array array['0 seconds', '30 seconds', '61 seconds', '200 seconds']::interval[] loop
    if v_after = interval '200 seconds' then
      delete from tests.poison;
      execute p_mend;
    end if;
    perform tests.as_role('kith_worker');
    for v_try in 1..100 loop
      execute coalesce(p_call, format('select worker.%I($1, 1000)', p_loop)) into v_done using p_at + v_after;
      exit when coalesce(v_done, 0) = 0;
    end loop;
    perform tests.as_superuser();
    execute p_handled into v_handled;
    v_states := concat_ws(
      '; ', v_states, concat_ws(
        ' ', coalesce(v_handled, '-'), (select string_agg(format('[%s %s]', aside.key, aside.tries), ' ' order by aside.key) from kith.set_aside as aside)
      )
    );
  end loop;
  delete from kith.set_aside;
  return v_states;
end
$$;
-- The usual result: the others are handled at once, and P is tried again after a minute, and after two.
create function tests.survived(p_key text, p_others text default 'A G', p_all text default 'A G P') returns text
  language sql immutable
  return format('%2$s [%1$s 1]; %2$s [%1$s 1]; %2$s [%1$s 2]; %3$s', p_key, p_others, p_all);
create function tests.units_where(p_table text, p_condition text, p_key text default 'id', p_of_unit text default 'id') returns text
  language sql immutable
  return format(
    'select string_agg(unit.label, '' '' order by unit.label) from tests.units as unit
     where exists (select from kith.%I as one where one.tenant_id = unit.tenant_id and one.%I::text = unit.%I::text and %s)', p_table, p_key, p_of_unit, p_condition
  );
create function tests.units_without(p_table text, p_key text default 'id', p_of_unit text default 'id') returns text
  language sql immutable
  return format(
    'select string_agg(unit.label, '' '' order by unit.label) from tests.units as unit
     where not exists (select from kith.%I as one where one.tenant_id = unit.tenant_id and one.%I::text = unit.%I::text)', p_table, p_key, p_of_unit
  );
create function tests.clear() returns void
  language plpgsql
as $$
begin
  delete from tests.poison;
  set local session_replication_role = replica;
  delete from kith.pings; delete from kith.ping_runs; delete from kith.notifications; delete from kith.events; delete from kith.deliveries;
  delete from kith.undelivered_alarms; delete from kith.alarms; delete from kith.asks; delete from kith.emergency_requests; delete from kith.set_aside; delete from kith.ping_gaps;
  set local session_replication_role = origin;
end
$$;
create function tests.check_gaps(p_now timestamptz) returns bigint
  language plpgsql
as $$
begin
  perform tests.as_superuser();
  update kith.gap_checks set began_at = '2000-01-01Z', finished_at = '2000-01-01Z';
  perform tests.as_role('kith_worker');
  while worker.find_gaps(p_now, 1000) > 0 loop
  end loop;
  return 0;
end
$$;
\set p '''019cd79e-4600-7000-8000-000000000001'''
select plan(66);
select tests.clear() \g /dev/null

-- The core.
select is(
  (select string_agg(state, ' ' order by state) from unnest('{08006,22007,23514,25006,40001,40P01,42501,53100,54001,55P03,57014,58030,KT409,P0001,XX001}'::text[]) as state
   where internal.is_of_data(state)),
  '22007 23514 42501 54001 KT409 P0001 XX001', 'only errors that a row can cause set it aside'
);

-- Pings.
select tests.plant('pings', '{"ping_on": "2026-03-10", "connection_id": "$connection", "sender_id": "$user", "receiver_id": "$other", "status": "scheduled", "scheduled_at": "2026-03-10T09:00Z", "remind_at": "2026-03-10T10:15Z", "deadline_at": "2026-03-10T10:30Z"}') \g /dev/null
select tests.refuse('pings', 'update') \g /dev/null
select is(
  tests.walk('announce_due_pings', '2026-03-10T09:00:10Z', tests.units_where('pings', $$one.status = 'due'$$)), tests.survived(:p),
  'pings come due beside one that cannot'
);
insert into tests.poison values (:p);
select is(
  tests.walk('remind_senders', '2026-03-10T10:15:10Z', tests.units_where('pings', 'one.remind_at is null')), tests.survived(:p),
  'senders are reminded beside one who cannot be'
);
select is((select count(*) from kith.notifications where type = 'ping_reminder'), 3::bigint, 'each of them once');
insert into tests.poison values (:p);
select is(
  tests.walk('miss_pings', '2026-03-10T10:30:20Z', tests.units_where('pings', $$one.status = 'missed'$$)), tests.survived(:p),
  'misses are told beside one that cannot be'
);
select is((select count(*) from kith.notifications where type = 'ping_missed'), 6::bigint, 'each to its sender and its receiver, once');

-- After an outage of the servers, its senders are asked first.
select tests.clear() \g /dev/null
select tests.plant('pings', '{"ping_on": "2026-03-10", "connection_id": "$connection", "sender_id": "$user", "receiver_id": "$other", "status": "due", "scheduled_at": "2026-03-10T09:00Z", "deadline_at": "2026-03-10T10:30Z"}') \g /dev/null
insert into kith.outages (component, began_at, ended_at) values ('server', '2026-03-10T10:00Z', '2026-03-10T10:25Z');
select tests.refuse('notifications', 'insert', tests.id('alice')::text) \g /dev/null
select tests.as_role('kith_worker') \g /dev/null
select worker.miss_pings('2026-03-10T10:25:10Z', 100) \g /dev/null
select tests.as_superuser() \g /dev/null
select is(
  (select array_agg(key) from kith.set_aside) || array(select user_id::text from kith.notifications order by user_id),
  array[:p, tests.id('mallory')::text, tests.id('globex-alice')::text], 'after an outage one sender who cannot be asked holds up nobody'
);
delete from kith.outages; drop trigger refuse_insert on kith.notifications;

select tests.clear() \g /dev/null
insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at)
select tests.tenant(slug), 'UTC', '2026-03-11', '2026-03-11T00:00Z' from unnest(array['acme', 'globex']) as slug;
select tests.refuse('pings', 'insert', tests.id('alice-bob')::text) \g /dev/null
select is(
  tests.walk('generate_daily_pings', '2026-03-11T00:00:10Z', tests.units_where('pings', $$one.ping_on = '2026-03-11'$$, 'connection_id', 'connection_id')),
  tests.survived(tests.id('alice') || ' 2026-03-11 UTC'), 'the day''s pings are made beside those of a sender that cannot be'
);
select tests.clear() \g /dev/null
insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at)
select tests.tenant(slug), 'UTC', '2026-03-11', '2026-03-11T00:00Z' from unnest(array['acme', 'globex']) as slug;
select tests.refuse('ping_runs', 'update', '"tenant_id": 2000000001') \g /dev/null
select is(
  tests.walk('generate_daily_pings', '2026-03-11T00:00:10Z', tests.units_where('pings', $$one.ping_on = '2026-03-11'$$, 'connection_id', 'connection_id')),
  tests.survived('UTC 2026-03-11', 'G'), 'the runs of others go on beside one that cannot'
);
select tests.clear() \g /dev/null
insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at, finished_at)
select tests.tenant(slug), 'UTC', '2026-03-10', '2026-03-10T00:00Z', '2026-03-10T00:00:05Z' from unnest(array['acme', 'globex']) as slug;
select tests.refuse('ping_gaps', 'insert', tests.id('alice-bob')::text) \g /dev/null
select is(
  tests.walk(
    'find_gaps', '2026-03-10T12:00Z', tests.units_where('ping_gaps', 'true', 'connection_id', 'connection_id'), 'select', 'select tests.check_gaps($1)'
  ), tests.survived(tests.id('alice')::text), 'the hourly check records gaps beside one that it cannot record'
);

-- Breaks and subscriptions.
select tests.clear() \g /dev/null
select tests.plant('breaks', '{"user_id": "$user", "from_on": "2026-03-08", "until_on": "2026-03-09", "starts_at": "2026-03-08T00:00Z", "ends_at": "2026-03-10T00:00Z", "told_until_on": "2026-03-09", "created_at": "2026-03-07T00:00Z", "updated_at": "2026-03-07T00:00Z"}') \g /dev/null
select tests.refuse('breaks', 'update') \g /dev/null
select is(
  tests.walk('turn_breaks', '2026-03-10T00:00Z', tests.units_where('breaks', 'one.ended_at is not null')), tests.survived(:p),
  'breaks end beside one that cannot'
);
delete from kith.breaks;
select tests.plant('breaks', '{"user_id": "$user", "from_on": "2026-03-10", "until_on": "2026-03-12", "starts_at": "2026-03-10T00:00Z", "ends_at": "2026-03-13T00:00Z", "created_at": "2026-03-07T00:00Z", "updated_at": "2026-03-07T00:00Z"}') \g /dev/null
insert into tests.poison values (:p);
select is(
  tests.walk('turn_breaks', '2026-03-10T00:00Z', tests.units_where('breaks', 'one.told_until_on is not null')), tests.survived(:p),
  'breaks begin beside one that cannot'
);
delete from kith.breaks;
update kith.tenants set requires_subscription = true where tenant_id in (tests.tenant('acme'), tests.tenant('globex'));
update kith.receiver_profiles set subscription_status = 'active', subscription_expires_at = '2026-03-09T12:00Z' where user_id in (select other_id from tests.units);
select tests.refuse('receiver_profiles', 'update', tests.id('bob')::text) \g /dev/null
select is(
  tests.walk('settle_subscriptions', '2026-03-10T00:00Z', tests.units_where('receiver_profiles', 'one.pings_stop_at is not null', 'user_id', 'other_id')),
  tests.survived(tests.id('bob')::text), 'subscriptions lapse beside one that cannot'
);
update kith.receiver_profiles set pings_stop_at = '2026-03-10T00:00Z' where pings_stop_at is not null;
insert into tests.poison values (tests.id('bob')::text);
select is(
  tests.walk('settle_subscriptions', '2026-03-10T00:00Z', tests.units_where('receiver_profiles', 'one.pings_stopped_at is not null', 'user_id', 'other_id')),
  tests.survived(tests.id('bob')::text), 'pings stop beside a subscription that cannot'
);
update kith.tenants set requires_subscription = false where tenant_id in (tests.tenant('acme'), tests.tenant('globex'));
insert into tests.poison values (tests.id('bob')::text);
select is(
  tests.walk('settle_subscriptions', '2026-03-10T00:00Z', tests.units_where('receiver_profiles', 'one.pings_stop_at is null', 'user_id', 'other_id')),
  tests.survived(tests.id('bob')::text), 'subscriptions are restored beside one that cannot be'
);

-- Notifications and deliveries.
select tests.clear() \g /dev/null
select tests.plant('notifications', '{"user_id": "$user", "type": "ping_due", "body": "B", "data": {"date": "2026-03-10", "connection_id": "$connection"}, "created_at": "2026-03-10T09:00Z", "delivery_status": "queued"}') \g /dev/null
create function tests.set_data(p_data jsonb) returns void
  language sql
as $$ update kith.notifications set data = data || p_data where id = '019cd79e-4600-7000-8000-000000000001' $$;
select tests.set_data('{"date": "x", "connection_id": "x"}') \g /dev/null
select is(
  tests.walk(
    'plan_deliveries', '2026-03-10T09:00:10Z', tests.units_where('notifications', 'one.planned_at is not null'), $$ select tests.set_data('{"date": "2026-03-10", "connection_id": "0c000000-0000-7000-8000-000000000001"}') $$,
    'select worker.plan_deliveries($1, 500, true)'
  ), tests.survived(:p), 'notifications are planned beside one whose data says nothing'
);
select is(
  (select array_agg(distinct place) from kith.set_aside), null, 'nothing is left of it'
);

select tests.clear() \g /dev/null
select tests.plant('deliveries', '{"channel": "sms", "purpose": "invitation", "body": "x", "address": "+15550100", "status": "queued", "next_attempt_at": "2026-03-10T09:00Z", "expires_at": "2026-03-10T10:00Z", "created_at": "2026-03-10T09:00Z"}') \g /dev/null
select tests.refuse('deliveries', 'update') \g /dev/null
select is(
  tests.walk('drop_expired_deliveries', '2026-03-10T10:00Z', tests.units_where('deliveries', $$one.status = 'dropped'$$)), tests.survived(:p),
  'deliveries expire beside one that cannot'
);
delete from kith.deliveries;
select tests.plant('deliveries', '{"channel": "sms", "purpose": "invitation", "body": "x", "address": "+15550100", "status": "sending", "unanswered": 5, "leased_until": "2026-03-10T09:59Z", "leased_by": "w", "next_attempt_at": "2026-03-10T09:00Z", "expires_at": "2026-03-11T10:00Z", "created_at": "2026-03-10T09:00Z"}') \g /dev/null
insert into tests.poison values (:p);
select is(
  tests.walk('give_up_deliveries', '2026-03-10T10:00Z', tests.units_where('deliveries', $$one.status = 'failed'$$)), tests.survived(:p),
  'deliveries are given up beside one that cannot be'
);
drop trigger refuse_update on kith.deliveries;

create function tests.send(p_now timestamptz) returns bigint
  language plpgsql
as $$
declare
  v_results jsonb;
begin
  select jsonb_agg(jsonb_build_object('tenant_id', claimed.tenant_id, 'id', claimed.id, 'outcome', 'sent')) into v_results
  from worker.claim_deliveries(p_now, 'email', 10, 10, 0, '{}', '{}', 'w') as claimed;
  return (select count(*) from worker.finish_deliveries(p_now, 'w', v_results) where v_results is not null) * coalesce(jsonb_array_length(v_results), 0);
end
$$;
select tests.clear() \g /dev/null
update kith.users set email = id || '@b.example', email_verified_at = '2026-03-01T00:00Z' where id in (select user_id from tests.units);
select tests.plant('notifications', '{"user_id": "$user", "type": "ping_missed", "body": "B", "data": {"date": "2026-03-10", "connection_id": "$connection"}, "created_at": "2026-03-10T09:00Z", "planned_at": "2026-03-10T09:00Z", "delivery_status": "queued"}') \g /dev/null
select tests.plant('pings', '{"ping_on": "2026-03-10", "connection_id": "$connection", "sender_id": "$user", "receiver_id": "$other", "status": "missed", "scheduled_at": "2026-03-10T09:00Z", "deadline_at": "2026-03-10T10:30Z"}') \g /dev/null
select tests.plant('deliveries', '{"channel": "email", "purpose": "notification", "notification_id": "$id", "address": "$user@b.example", "status": "queued", "next_attempt_at": "2026-03-10T11:00Z", "expires_at": "2026-03-11T10:00Z", "created_at": "2026-03-10T11:00Z"}') \g /dev/null
select tests.set_data('{"date": "x"}') \g /dev/null
select is(
  tests.walk(
    'claim_deliveries', '2026-03-10T11:00Z', tests.units_where('deliveries', $$one.status = 'sent'$$), $$ select tests.set_data('{"date": "2026-03-10"}') $$,
    'select tests.send($1)'
  ), tests.survived(:p), 'messages are sent beside one that cannot be written'
);
update kith.deliveries set status = 'queued', next_attempt_at = '2026-03-10T12:00Z', leased_until = null;
update kith.notifications set delivery_status = 'queued';
select tests.refuse('notifications', 'update') \g /dev/null
select is(
  tests.walk('finish_deliveries', '2026-03-10T12:00Z', tests.units_where('deliveries', $$one.status = 'sent'$$), 'select', 'select tests.send($1)'),
  tests.survived(:p), 'results are recorded beside one that cannot be, and that message is not sent again at once'
);
drop trigger refuse_update on kith.notifications;

select tests.clear() \g /dev/null
select tests.plant('notifications', '{"user_id": "$user", "type": "ping_missed", "body": "B", "data": {"date": "2026-03-10", "connection_id": "$connection"}, "created_at": "2026-03-10T09:00Z", "planned_at": "2026-03-10T09:00Z", "delivery_status": "failed"}') \g /dev/null
select tests.plant('undelivered_alarms', '{"user_id": "$user", "type": "ping_missed", "at": "2026-03-10T09:00Z", "operators_at": "2026-03-10T09:05Z"}', 'notification_id') \g /dev/null
select tests.set_data('{"date": "x"}') \g /dev/null
select is(
  tests.walk(
    'alarm_operator', '2026-03-10T11:00Z', tests.units_where('undelivered_alarms', 'one.resolved_at is not null', 'notification_id'),
    $$ select tests.set_data('{"date": "2026-03-10"}') $$
  ), tests.survived(:p), 'alarms that are over are resolved beside one that cannot be judged'
);
update kith.undelivered_alarms set resolved_at = null, operators_at = null, examine_at = '2027-01-01Z';
select tests.set_data('{"date": "x"}') \g /dev/null
select is(
  tests.walk(
    'alarm_operator', '2026-03-10T12:00Z', tests.units_where('undelivered_alarms', 'one.resolved_at is not null', 'notification_id'),
    $$ select tests.set_data('{"date": "2026-03-10"}') $$
  ), tests.survived(:p), 'alarms are handed over beside one that cannot be judged'
);

-- Vaults and emergency access.
select tests.clear() \g /dev/null
select tests.plant('vaults', '{"owner_id": "$user", "name": "Papers", "created_at": "2026-03-01T00:00Z", "updated_at": "2026-03-01T00:00Z"}') \g /dev/null
select tests.plant('vault_sessions', '{"vault_id": "$id", "owner_id": "$user", "kind": "shared", "unlocked_by": "$user", "opened_at": "2026-03-10T08:00Z", "expires_at": "2026-03-10T09:00Z", "maximum_at": "2026-03-10T20:00Z", "last_activity_at": "2026-03-10T08:00Z"}') \g /dev/null
select tests.refuse('vault_sessions', 'update') \g /dev/null
select is(
  tests.walk('lock_expired_sessions', '2026-03-10T09:00:10Z', tests.units_where('vault_sessions', 'one.locked_at is not null')), tests.survived(:p),
  'vaults are locked beside one that cannot be'
);
select tests.plant('alarms', '{"sender_id": "$user", "kind": "help", "called_at": "2026-03-10T08:00Z", "opened_at": "2026-03-10T08:00Z", "counts_from": "2026-03-10T08:00Z", "take_minutes": 30, "repeats_at": ["2026-03-10T08:30Z"], "expires_at": "2026-03-17T08:00Z", "next_at": "2026-03-10T08:30Z"}', 'id') \g /dev/null
select tests.refuse('alarms', 'update') \g /dev/null
select is(
  tests.walk('tell_alarms', '2026-03-10T08:30:10Z', tests.units_where('alarms', 'one.repeats_told = 1')), tests.survived(:p),
  'alarms go on beside one that cannot'
);
select tests.clear() \g /dev/null
select tests.plant('canary_people', '{"user_id": "$user", "asked_at": "08:00"}', null) \g /dev/null
select tests.plant('alarms', '{"sender_id": "$user", "kind": "missed", "opened_at": "2026-03-10T08:05Z", "counts_from": "2026-03-10T08:05Z", "take_minutes": 30, "repeats_at": [], "expires_at": "2026-03-17T08:05Z", "next_at": "2026-03-17T08:05Z"}') \g /dev/null
insert into tests.poison values (:p);
select is(
  tests.walk('walk_canaries', '2026-03-10T08:30:10Z', tests.units_where('alarms', 'one.resolved_at is not null')), tests.survived(:p),
  'alarms of canaries are ended beside one that cannot be'
);
delete from kith.canary_people;
select tests.plant('nominees', '{"vault_id": "$id", "owner_id": "$user", "user_id": "$other", "name": "N", "status": "accepted", "access_level": "view", "invited_at": "2026-03-01T00:00Z", "accepted_at": "2026-03-01T00:00Z", "updated_at": "2026-03-01T00:00Z"}', 'id') \g /dev/null
select tests.plant('emergency_requests', '{"vault_id": "$id", "nominee_id": "$id", "owner_id": "$user", "user_id": "$other", "cause": "request", "wait_hours": 24, "access_level": "view", "grant_hours": 24, "reject_on_check_in": true, "sign_of_life": "check_in", "required": 1, "requested_at": "2026-03-08T08:00Z", "waits_from": "2026-03-08T08:00Z", "grants_at": "2026-03-09T08:00Z", "ends_at": "2026-03-10T08:00Z", "counted_to": "2026-03-10T08:00Z", "notice_at": "2026-03-10T08:00Z"}') \g /dev/null
select tests.refuse('emergency_requests', 'update') \g /dev/null
select is(
  tests.walk('tell_emergencies', '2026-03-10T08:00:10Z', tests.units_where('emergency_requests', 'one.ended_at is not null')), tests.survived(:p),
  'requests for emergency access go on beside one that cannot'
);
delete from kith.emergency_requests;
select tests.plant('emergency_requests', '{"vault_id": "$id", "nominee_id": "$id", "owner_id": "$user", "user_id": "$other", "cause": "request", "wait_hours": 72, "access_level": "view", "grant_hours": 24, "reject_on_check_in": true, "sign_of_life": "check_in", "required": 1, "requested_at": "2026-03-10T08:00Z", "waits_from": "2026-03-10T08:00Z", "grants_at": "2026-03-13T08:00Z", "ends_at": "2026-03-14T08:00Z", "counted_to": "2026-03-10T08:00Z", "notice_at": "2026-03-12T08:00Z"}') \g /dev/null
insert into kith.outages (component, began_at, ended_at) values ('server', '2026-03-10T09:00Z', '2026-03-10T09:10Z');
insert into tests.poison values (:p);
select is(
  tests.walk('tell_emergencies', '2026-03-10T09:30Z', tests.units_where('emergency_requests', $$one.counted_to > '2026-03-10T09:00Z'$$)), tests.survived(:p),
  'grants are moved by an outage beside one that cannot be'
);
delete from kith.outages; delete from kith.notifications;
select tests.plant('notifications', '{"user_id": "$user", "type": "emergency_requested", "body": "B", "data": {"request_id": "$id"}, "created_at": "2026-03-10T09:00Z", "planned_at": "2026-03-10T09:00Z", "delivery_status": "failed"}') \g /dev/null
select tests.plant('undelivered_alarms', '{"user_id": "$user", "type": "emergency_requested", "at": "2026-03-10T09:00Z"}', 'notification_id') \g /dev/null
update kith.emergency_requests set notice_id = id;
select tests.set_data('{"request_id": "x"}') \g /dev/null
select is(
  tests.walk(
    'tell_emergencies', '2026-03-10T09:40Z', tests.units_where('emergency_requests', 'one.undelivered_since is not null'),
    $$ select tests.set_data('{"request_id": "019cd79e-4600-7000-8000-000000000001"}') $$
  ), tests.survived(:p), 'waits stand still while no notice arrives, beside one whose notice says nothing'
);
insert into kith.signs_of_life (tenant_id, user_id, recount_at) select tenant_id, user_id, '2026-03-10T10:00Z' from tests.units
on conflict (tenant_id, user_id) do update set recount_at = excluded.recount_at;
select tests.refuse('signs_of_life', 'update', tests.id('alice')::text) \g /dev/null
select is(
  tests.walk('begin_emergency_waits', '2026-03-10T10:00:10Z', tests.units_where('signs_of_life', 'one.recount_at is null', 'user_id', 'user_id')),
  tests.survived(tests.id('alice')::text), 'missed days are counted beside an owner whose cannot be'
);

-- Sweeps.
create function tests.swept(
  p_loop text, p_table text, p_row jsonb, p_key text default 'id', p_column text default 'id', p_of_unit text default 'id', p_named text default null
) returns text
  language plpgsql
as $$
declare
  v_states text;
begin
  perform tests.clear();
  perform tests.plant(p_table, p_row, p_key), tests.refuse(p_table, 'delete', coalesce(p_named, '019cd79e-4600-7000-8000-000000000001'));
  v_states := tests.walk(p_loop, '2040-03-10T12:00Z', tests.units_without(p_table, p_column, p_of_unit));
  execute format('drop trigger refuse_delete on kith.%I', p_table);
  return v_states;
end
$$;
select is(tests.swept(loop, tab, row::jsonb, case when row !~ '"\$id"' and key then 'id' end), tests.survived(:p), format('%s deletes rows of %s beside one that it cannot delete', loop, tab))
from (values
  ('sweep_sign_in', 'otp_tries', '{"address": "a@b.example", "tried_at": "2026-03-10T00:00Z"}', true),
  ('sweep_sign_in', 'text_invitations', '{"address": "5a", "sent_at": "2026-03-10T00:00Z"}', true),
  ('sweep_sign_in', 'code_attempts', '{"user_id": "$user", "outcome": "missed", "attempted_at": "2026-03-10T00:00Z"}', true),
  ('sweep_sign_in', 'otp_codes', '{"purpose": "sign_in", "address": "a@b.example", "code_hash": "$hash", "created_at": "2026-03-10T00:00Z", "expires_at": "2026-03-10T00:10Z"}', true),
  ('sweep_sign_in', 'token_families', '{"user_id": "$user", "created_at": "2026-03-10T00:00Z", "refreshed_at": "2026-03-10T00:00Z", "expires_at": "2026-03-20T00:00Z"}', true),
  ('sweep_sign_in', 'refresh_tokens', '{"family_id": "$parent", "secret_hash": "$hash", "created_at": "2026-03-10T00:00Z", "expires_at": "2026-03-20T00:00Z"}', true),
  ('sweep_invitations', 'connection_invitations', '{"user_id": "$user", "message": "m", "code": "111111", "url": "https://a.example", "recipients": 1, "created_at": "2026-03-10T00:00Z"}', true),
  ('sweep_vault_invitations', 'nominee_invitations', '{"vault_id": "$parent", "nominee_id": "$parent", "owner_id": "$user", "token_hash": "$hash", "channel": "mail", "created_at": "2026-03-10T00:00Z", "expires_at": "2026-03-20T00:00Z"}', true),
  ('sweep_vault_invitations', 'transfers', '{"vault_id": "$parent", "owner_id": "$user", "keep_access": false, "status": "declined", "created_at": "2026-03-10T00:00Z", "expires_at": "2026-03-20T00:00Z", "ended_at": "2026-03-20T00:00Z"}', true),
  ('sweep_alarms', 'alarms', '{"sender_id": "$user", "kind": "help", "called_at": "2026-03-01T08:00Z", "opened_at": "2026-03-01T08:00Z", "counts_from": "2026-03-01T08:00Z", "take_minutes": 30, "repeats_at": [], "expires_at": "2026-03-08T08:00Z", "resolved_at": "2026-03-02T08:00Z", "outcome": "false_alarm"}', true),
  ('sweep_alarms', 'asks', '{"connection_id": "$parent", "sender_id": "$user", "receiver_id": "$other", "asked_at": "2026-03-01T08:00Z", "answer_by": "2026-03-01T08:30Z", "ended_at": "2026-03-01T08:10Z", "is_answered": true}', true),
  ('sweep_uploads', 'document_versions', '{"vault_id": "$parent", "document_id": "$parent", "state": "uploading", "created_by": "$user", "created_at": "2026-03-10T00:00Z", "chunk_size": 4096}', true),
  ('sweep_uploads', 'documents', '{"vault_id": "$parent", "owner_id": "$user", "version_id": "$parent", "name": "d", "content_type": "a/b", "size": 1, "sha256": "$hash", "created_at": "2026-03-10T00:00Z", "created_by": "$user", "updated_at": "2026-03-10T00:00Z", "deleted_at": "2026-03-10T00:00Z", "deleted_by": "$user"}', true),
  ('expire_rows', 'feedback', '{"user_id": "$user", "topic": "app", "rating": 5, "created_at": "2026-03-10T00:00Z"}', true),
  ('expire_rows', 'emergency_requests', '{"vault_id": "$parent", "nominee_id": "$parent", "owner_id": "$user", "user_id": "$other", "cause": "request", "wait_hours": 24, "access_level": "view", "grant_hours": 24, "reject_on_check_in": true, "sign_of_life": "check_in", "required": 1, "requested_at": "2020-03-08T08:00Z", "ended_at": "2020-03-09T08:00Z", "end_reason": "withdrawn"}', true)
) as sweep (loop, tab, row, key);
select is(
  tests.swept('expire_rows', 'undelivered_alarms', '{"user_id": "$user", "type": "ping_missed", "at": "2026-03-10T09:00Z", "resolved_at": "2026-03-10T09:00Z"}', 'notification_id', 'notification_id'),
  tests.survived(:p), 'expire_rows deletes rows of undelivered_alarms beside one that it cannot delete'
);
select is(
  tests.swept(
    'sweep_vault_invitations', 'drafts', '{"user_id": "$user", "vault_id": "$parent", "created_at": "2026-03-10T00:00Z", "expires_at": "2026-03-10T01:00Z"}', null,
    'user_id', 'user_id', tests.id('alice')::text
  ), tests.survived(tests.id('alice')::text), 'sweep_vault_invitations deletes drafts beside one that it cannot delete'
);
select is(
  tests.swept(
    'sweep_sign_in', 'otp_counts', '{"counted_on": "2026-03-10", "scope": "$user", "codes": 1}', null, 'scope', 'user_id', tests.id('alice')::text
  ), tests.survived('2026-03-10 ' || md5(tests.id('alice')::text)), 'sweep_sign_in deletes counts beside one that it cannot delete'
);
select is(
  tests.swept(
    'sweep', 'idempotency_keys', '{"caller": "user:$user", "key": "$user", "fingerprint": "$hash", "sealed_answer": "\\x00", "created_at": "2026-03-10T00:00Z", "expires_at": "2026-03-11T00:00Z"}',
    null, 'key', 'user_id', tests.id('alice')::text
  ), tests.survived(format('user:%s %s', tests.id('alice'), md5(tests.id('alice')::text))), 'sweep deletes kept answers beside one that it cannot delete'
);
select tests.clear() \g /dev/null
update kith.vaults set deleted_at = '2026-03-10T00:00Z', deleted_by = 'owner';
select tests.refuse('vaults', 'delete') \g /dev/null
select is(
  tests.walk('sweep_vaults', '2027-03-10T12:00Z', tests.units_without('vaults')), tests.survived(:p), 'sweep_vaults deletes vaults beside one that it cannot delete'
);
delete from kith.retention_passes;
insert into kith.retention_passes (tenant_id, kind, began_at, until_at)
values (tests.tenant('acme'), 'audit', '2027-03-10T00:00Z', '2026-03-10T00:00:01Z'), (tests.tenant('globex'), 'audit', '2027-03-10T00:00Z', '2026-03-10T00:00Z');
select tests.refuse('retention_passes', 'update', '2026-03-10T00:00:01') \g /dev/null
select is(
  tests.walk(
    'expire_rows', '2027-03-10T00:00Z', $$ select string_agg(tenant.slug, ' ' order by slug) from kith.retention_passes as pass join kith.tenants as tenant using (tenant_id)
      where kind = 'audit' and finished_at is not null $$
  ), tests.survived('audit', 'globex', 'acme globex'), 'expire_rows goes through the rows of one tenant although it cannot through those of another'
);

-- Partitions and statistics. The tenant is that of no row.
alter function internal.make_partition(text, text, text, text) rename to really_make_partition;
create function internal.make_partition(p_table text, p_suffix text, p_from text, p_until text) returns integer
  language plpgsql
as $$
begin
  if exists (select from tests.poison where marker = p_table || '_' || p_suffix) then
    raise exception 'no' using errcode = '42P17';
  end if;
  return internal.really_make_partition(p_table, p_suffix, p_from, p_until);
end
$$;
insert into tests.poison values ('pings_2026_07');
grant select on tests.poison to kith_owner;
select is(
  tests.walk(
    'make_partitions', '2026-06-10T00:00Z',
    $$ select string_agg(name, ' ' order by name) from unnest('{pings_2026_07,pings_2026_08,history_2026_07}'::text[]) as name where to_regclass('kith.' || name) is not null $$,
    'select', 'select worker.make_partitions($1, 1)'
  ), tests.survived('pings_2026_07', 'history_2026_07 pings_2026_08', 'history_2026_07 pings_2026_07 pings_2026_08'), 'partitions are made beside one that cannot be'
);
create view tests.dependent as select count(*) as n from kith.events_2026_03_02;
select is(
  tests.walk(
    'drop_partitions', '2026-03-20T00:00Z',
    $$ select string_agg(name, ' ' order by name) from unnest('{events_2026_03_01,events_2026_03_02,events_2026_03_03}'::text[]) as name where to_regclass('kith.' || name) is null $$,
    'drop view if exists tests.dependent', 'select worker.drop_partitions($1, 1)'
  ), tests.survived('events_2026_03_02', 'events_2026_03_01 events_2026_03_03', 'events_2026_03_01 events_2026_03_02 events_2026_03_03'),
  'partitions are dropped beside one that cannot be'
);
create function tests.computed(p_n integer) returns integer
  language plpgsql
  immutable
as $$
begin
  if exists (select from tests.poison where marker = 'computed') then
    raise exception 'no' using errcode = '22012';
  end if;
  return p_n;
end
$$;
create table kith.computed as select generate_series(1, 1000) as n;
create index on kith.computed (tests.computed(n));
create table kith.plain as select generate_series(1, 50000) as n;
insert into kith.computed select generate_series(1, 50000);
alter table kith.computed owner to kith_owner;
alter table kith.plain owner to kith_owner;
insert into tests.poison values ('computed');
select is(
  tests.walk(
    'analyze_tables', '2026-03-10T00:00Z',
    $$ select string_agg(relname, ' ' order by relname) from pg_class where oid in ('kith.computed'::regclass, 'kith.plain'::regclass) and reltuples > 1000 $$,
    'select', 'select worker.analyze_tables($1)'
  ), tests.survived('computed', 'plain', 'computed plain'), 'tables are analyzed beside one that cannot be'
);

-- Webhooks.
alter function internal.webhook_batch(kith.webhooks, xid8, timestamptz) rename to really_webhook_batch;
create function internal.webhook_batch(p_webhook kith.webhooks, p_horizon xid8, p_now timestamptz, out webhook kith.webhooks, out items json[])
  returns record
  language plpgsql
as $$
declare
  v_batch record;
begin
  if exists (select from tests.poison where marker = p_webhook.id::text) then
    raise exception 'no' using errcode = '22023';
  end if;
  v_batch := internal.really_webhook_batch(p_webhook, p_horizon, p_now);
  webhook := v_batch.webhook;
  items := v_batch.items;
end
$$;
create function tests.call(p_now timestamptz) returns bigint
  language sql
as $$
  select count(*) from (
    select worker.finish_webhook(p_now, 'w', claimed.tenant_id, claimed.id, 'sent', null, null)
    from (select * from worker.claim_webhooks(p_now, 10, 10, '{}', '{}', 'w')) as claimed
  ) as called
$$;
select tests.clear() \g /dev/null
-- They have missed more than a week, so each is told at least that.
select tests.plant('webhooks', '{"url": "https://a.example", "sealed_secrets": "\\x00", "types": [], "taken_xid": "1", "taken_at": "2026-02-01T00:00Z", "taken_id": "$parent", "has_news": true, "batch_is_reset": false, "attempts": 0, "next_attempt_at": "2026-03-10T00:00Z", "created_at": "2026-02-01T00:00Z", "updated_at": "2026-02-01T00:00Z"}') \g /dev/null
insert into tests.poison values (:p);
select is(
  tests.walk('claim_webhooks', '2026-03-10T00:00:10Z', tests.units_where('webhooks', 'one.last_success_at is not null'), 'select', 'select tests.call($1)'),
  tests.survived(:p), 'webhooks are called beside one for which no request can be written'
);

-- Every procedure of the worker has been here, so that a new one without its row fails.
select set_eq(
  $$ select distinct proname::text from pg_proc where pronamespace = 'worker'::regnamespace $$,
  $$
    select loop from tests.walked
    union
    select unnest(array[
      -- They process no rows of tenants.
      'note_current_pings', 'beat', 'end_beat', 'note_loops', 'watch_server', 'health', 'sample_disk', 'end_readers', 'cell_map', 'cell_identity',
      -- They read or write one row, of one tenant.
      'channel_credentials', 'keep_check_in_links', 'keep_alarm_links', 'note_channel', 'tested_channels', 'finish_webhook',
      -- It deletes by their age rows to which nothing refers.
      'sweep_answers',
      -- They only read or mark what has happened.
      'tell_operator', 'operator_told', 'report_set_aside', 'set_aside_cancelled',
      -- It is a part of plan_deliveries.
      'plan_alarms'
    ])
  $$,
  'each loop survives a row of its own'
);

-- A tenant that is being imported, or whose import was refused, is in no loop.
select tests.clear() \g /dev/null
insert into kith.tenant_imports (tenant_id, began_at, manifest) values (tests.tenant('acme'), '2026-03-10T00:00Z', '{}');
select tests.plant('deliveries', '{"channel": "sms", "purpose": "invitation", "body": "x", "address": "+15550100", "status": "queued", "next_attempt_at": "2026-03-10T09:00Z", "expires_at": "2026-03-10T10:00Z", "created_at": "2026-03-10T09:00Z"}') \g /dev/null
select tests.plant('notifications', '{"user_id": "$user", "type": "connection_paused", "body": "B", "data": {}, "created_at": "2026-03-10T09:00Z", "delivery_status": "queued"}') \g /dev/null
select tests.plant('pings', '{"ping_on": "2026-03-10", "connection_id": "$connection", "sender_id": "$user", "receiver_id": "$other", "status": "scheduled", "scheduled_at": "2026-03-10T09:00Z", "deadline_at": "2026-03-10T10:30Z"}') \g /dev/null
select tests.as_role('kith_worker') \g /dev/null
select worker.drop_expired_deliveries('2026-03-10T11:00Z', 10), worker.plan_deliveries('2026-03-10T11:00Z', 10, true), worker.announce_due_pings('2026-03-10T09:01Z', 10) \g /dev/null
select tests.as_superuser() \g /dev/null
select is(
  (select array_agg(distinct tenant_id) from (
    select tenant_id from kith.deliveries where status = 'dropped' union all select tenant_id from tests.notifications where planned_at is not null
    union all select tenant_id from kith.pings where status = 'due') as done),
  array[tests.tenant('globex')], 'a tenant that is being imported is in no loop'
);
-- For the operator.
delete from kith.tenant_imports;
select internal.put_aside('miss_pings', tests.tenant('acme'), 'k', '22007', internal.error_place('pings', 'a_constraint', E'JSON data, line 1: Bob\nPL/pgSQL function internal.f(text) line 7 at RAISE'), '2026-03-10T09:00Z') \g /dev/null
select tests.as_role('kith_worker') \g /dev/null
select is(
  worker.report_set_aside('2026-03-10T09:00:05Z')::jsonb,
  '[{"loop": "miss_pings", "tenant": "acme", "key": "k", "sqlstate": "22007", "place": "pings, a_constraint, internal.f, line 7", "tries": 1, "retry_at": "2026-03-10T09:01:00.000000Z"}]',
  'the worker learns what was set aside, without a value of the row'
);
select is(worker.report_set_aside('2026-03-10T09:00:10Z')::text, null, 'and learns it once');
select tests.as_role('kith_api') \g /dev/null
select is(api.set_aside_metrics('2026-03-10T09:02Z')::text, '[{"loop" : "miss_pings", "rows" : 1}]', 'the metrics count it by loop');
select is(api.readiness('2026-03-10T09:02Z') ->> 'oldest_set_aside_seconds', '120', 'and say how long it has been there');
select tests.as_role('kith_admin') \g /dev/null
select is((select format('%s %s %s %s', tenant, loop, tries, retry_at) from admin.set_aside), 'acme miss_pings 1 2026-03-10 09:01:00+00', 'an operator sees it');
select is(admin.retry_set_aside('miss_pings', 'k', 'mended', '2026-03-10T09:00:30Z'), 1, 'and lets it be tried again');
select tests.as_superuser() \g /dev/null
select is((select retry_at from kith.set_aside), '2026-03-10T09:00:30Z', 'at once');
select is((select detail ->> 'reason' from kith.audit where action = 'worker.retry_set_aside'), 'mended', 'which is in the audit');
select tests.as_role('kith_worker') \g /dev/null
select worker.report_set_aside('2026-03-10T09:16Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is((select count(*) from kith.set_aside), 0::bigint, 'what the loop has not found any more is forgotten');

select * from finish();
rollback;
