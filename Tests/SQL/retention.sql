-- How long rows are kept (G04): the longest tenant's go with their partition, shorter tenants' in batches, and nothing that is still owed.
begin;
\ir people.sql
select plan(83);

-- Those that exist are of later years. So these are the oldest, and the first to go.
create function tests.make(variadic p_months date[]) returns void
  language sql
as $$
  select internal.make_partition(
    kind, to_char(month, 'YYYY_MM'),
    case kind when 'pings' then month::text else internal.first_uuid7(month::timestamptz)::text end,
    case kind when 'pings' then (month + interval '1 month')::date::text else internal.first_uuid7(month + interval '1 month')::text end
  )
  from unnest(array['pings', 'notifications', 'deliveries', 'history', 'audit']) as kind
  cross join unnest(p_months) as month
$$;
select tests.as_superuser(), tests.make('2004-08-01', '2005-08-01', '2006-08-01', '2007-06-01') \g /dev/null
\set now '2007-06-15T12:00Z'

-- A row of each kind, by its age.
create function tests.ping(p_tenant text, p_on date, p_status text default 'completed', p_connection uuid default gen_random_uuid()) returns void
  language sql
as $$
  insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, completed_at)
  values (
    tests.tenant(p_tenant), p_on, p_connection, internal.uuid7(p_on::timestamptz), tests.id(case p_tenant when 'acme' then 'alice' else 'globex-alice' end),
    tests.id('bob'), p_status, p_on + time '09:00', p_on + time '10:30', case p_status when 'completed' then p_on + time '09:30' end
  )
$$;
create function tests.notification(p_tenant text, p_at timestamptz, p_name text, p_data jsonb default '{}', p_planned boolean default true) returns uuid
  language sql
as $$
  insert into kith.notifications (tenant_id, id, user_id, type, body, data, created_at, planned_at)
  values (
    tests.tenant(p_tenant), internal.uuid7(p_at), tests.id(case p_tenant when 'acme' then 'bob' else 'globex-bob' end), 'test', p_name,
    p_data, p_at, case when p_planned then p_at end
  )
  returning id
$$;
create function tests.delivery(
  p_tenant text, p_at timestamptz, p_name text, p_status text default 'sent', p_purpose text default 'notification', p_of uuid default null
) returns void
  language sql
as $$
  insert into kith.deliveries (
    tenant_id, id, channel, purpose, address, notification_id, body, status, leased_until, next_attempt_at, expires_at, created_at
  )
  values (
    tests.tenant(p_tenant), internal.uuid7(p_at), 'email', p_purpose, p_name,
    case p_purpose when 'notification' then coalesce(p_of, internal.uuid7(p_at)) end, case when p_purpose <> 'notification' then 'x' end, p_status,
    case p_status when 'sending' then p_at end, p_at, p_at, p_at
  )
$$;
create function tests.history(p_tenant text, p_at timestamptz, p_vault uuid default 'aaaaaaaa-0000-7000-8000-000000000001') returns void
  language sql
as $$
  insert into kith.history (tenant_id, id, vault_id, at, action, subject_type, subject_id)
  values (tests.tenant(p_tenant), internal.uuid7(p_at), p_vault, p_at, 'session.opened', 'session', gen_random_uuid())
$$;
create function tests.audit(p_tenant_id integer, p_at timestamptz) returns void
  language sql
as $$
  insert into kith.audit (tenant_id, id, at, actor, action) values (p_tenant_id, internal.uuid7(p_at), p_at, 'kith', 'test')
$$;
create function tests.check_in(p_tenant text, p_at timestamptz) returns void
  language sql
as $$
  insert into kith.check_ins (tenant_id, id, user_id, received_at, created_at)
  values (tests.tenant(p_tenant), internal.uuid7(p_at), tests.id(case p_tenant when 'acme' then 'alice' else 'globex-alice' end), p_at, p_at)
$$;
-- One of each kind for both tenants, months apart.
create function tests.fill() returns void
  language plpgsql
as $$
declare
  v_at timestamptz;
  v_tenant text;
begin
  delete from kith.pings;
  delete from kith.check_ins;
  delete from kith.notifications;
  delete from kith.deliveries;
  delete from kith.history;
  delete from kith.audit;
  foreach v_tenant in array array['acme', 'globex'] loop
    foreach v_at in array array['2004-08-10T12:00Z', '2005-08-10T12:00Z', '2006-08-10T12:00Z', '2007-06-14T12:00Z']::timestamptz[] loop
      perform tests.ping(v_tenant, v_at::date), tests.check_in(v_tenant, v_at), tests.notification(v_tenant, v_at, 'x'),
        tests.delivery(v_tenant, v_at, 'x'), tests.history(v_tenant, v_at), tests.audit(tests.tenant(v_tenant), v_at);
    end loop;
  end loop;
end
$$;
-- Lists the rows of a kind: the tenants with the years.
create function tests.kept(p_kind text) returns text
  language plpgsql
as $$
declare
  v_kept text;
begin
  execute format(
    $q$
      select string_agg(row.slug || ' ' || row.years, ', ' order by row.slug)
      from (
        select tenant.slug, string_agg(extract(year from one.at)::text, ' ' order by one.at) as years
        from (select tenant_id, %s as at from kith.%I) as one
        join kith.tenants as tenant on tenant.tenant_id = one.tenant_id
        group by tenant.slug
      ) as row
    $q$,
    case p_kind when 'pings' then 'ping_on' when 'check_ins' then 'received_at' when 'history' then 'at' when 'audit' then 'at' else 'created_at' end,
    p_kind
  ) into v_kept;
  return v_kept;
end
$$;
-- Calls the worker's procedure until it has nothing left to do. Returns the most rows that one call has deleted.
create function tests.expire(p_now timestamptz, p_batch integer default 1000) returns bigint
  language plpgsql
as $$
declare
  v_rows bigint;
  v_before bigint := null;
  v_most bigint := 0;
  v_done integer;
begin
  update kith.retention_passes set began_at = '1970-01-01Z';
  loop
    select (select count(*) from kith.pings) + (select count(*) from kith.check_ins) + (select count(*) from kith.notifications)
      + (select count(*) from kith.deliveries) + (select count(*) from kith.history) + (select count(*) from kith.audit)
    into v_rows;
    v_most := greatest(v_most, v_before - v_rows);
    v_before := v_rows;
    exit when v_done = 0;
    perform tests.as_role('kith_worker');
    v_done := worker.expire_rows(p_now, p_batch);
    perform tests.as_superuser();
  end loop;
  return v_most;
end
$$;
-- The partitions of a kind that the worker drops, one a call.
create function tests.drop(p_kind text, p_now timestamptz) returns text
  language plpgsql
as $$
declare
  v_before text[] := array(select name from internal.partitions() where kind = p_kind order by name);
begin
  loop
    perform tests.as_role('kith_worker');
    exit when worker.drop_partitions(p_now, 1) = 0;
    perform tests.as_superuser();
  end loop;
  perform tests.as_superuser();
  return (
    select string_agg(replace(name, p_kind || '_', ''), ' ' order by name)
    from unnest(v_before) as name
    where name not in (select partition.name from internal.partitions() as partition)
  );
end
$$;
create function tests.set(p_settings jsonb, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.as_role('kith_admin');
  perform admin.set_tenant('acme', p_settings, p_now);
  perform tests.as_superuser();
end
$$;
create function tests.days(p_kind text, p_now timestamptz) returns integer
  language sql
as $$ select days from internal.retentions(p_now) where tenant_id = tests.tenant('acme') and kind = p_kind $$;

-- Only operators set a retention.
select tests.as_server('acme') \g /dev/null
select ok(
  api.get_tenant()::jsonb ?& array[
    'retention_days', 'ping_retention_days', 'notification_retention_days', 'history_retention_days', 'audit_retention_days', 'delivery_retention_days'
  ],
  'a tenant''s server sees every retention'
);
select throws_ok(
  format($$ select api.update_tenant('{"%s": 3650}', '2007-06-15T12:00Z') $$, setting), 'KT422', 'validation_failed',
  'but a stolen secret key cannot change ' || setting
)
from unnest(array[
  'retention_days', 'ping_retention_days', 'notification_retention_days', 'history_retention_days', 'audit_retention_days', 'delivery_retention_days'
]) as setting;
select tests.as_role('kith_admin') \g /dev/null
select throws_ok(
  format($$ select admin.set_tenant('acme', '{"%s": %s}', '2007-06-15T12:00Z') $$, setting, days), 'KT422', 'validation_failed',
  format('nobody sets %s to %s', setting, days)
)
from (values
  ('retention_days', 29), ('ping_retention_days', 89), ('notification_retention_days', 89), ('history_retention_days', 364),
  ('audit_retention_days', 364), ('delivery_retention_days', 6), ('delivery_retention_days', 366)
) as wrong (setting, days);
select tests.as_superuser() \g /dev/null
select tests.set('{"ping_retention_days": 3650}', '2007-06-01T12:00Z') \g /dev/null
select is(tests.days('pings', '2007-06-01T12:00Z'), 3650, 'a longer retention counts at once');
select tests.set('{"ping_retention_days": 365}', '2007-06-02T12:00Z') \g /dev/null
select is(tests.days('pings', '2007-06-09T11:59Z'), 3650, 'a shorter one does not count for 7 days');
select tests.set('{"ping_retention_days": 100}', '2007-06-05T12:00Z') \g /dev/null
select is(tests.days('pings', '2007-06-12T11:59Z'), 3650, 'and a second cut does not make the first one count earlier');
select is(tests.days('pings', '2007-06-12T12:00Z'), 100, 'after 7 days, the last one counts');
select tests.set('{"ping_retention_days": 3650}', '2007-06-06T12:00Z'), tests.set('{"ping_retention_days": 200}', '2007-07-01T12:00Z') \g /dev/null
select is(tests.days('pings', '2007-06-20T12:00Z'), 3650, 'a cut that is taken back deletes nothing');
select is(
  (select string_agg(detail ->> 'ping_retention_days', ' ' order by id) from kith.audit where action = 'tenant.update'), '3650 365 100 3650 200',
  'every change is audited'
);
select is(
  (select count(*) from kith.audit where action = 'tenant.update' and actor like 'operator:%'), 5::bigint, 'with the operator who made it'
);
delete from kith.retention_cuts;
update kith.tenants set ping_retention_days = 730 where slug = 'acme';

-- A partition goes when its newest row is past the longest retention.
update kith.tenants
set ping_retention_days = 400, notification_retention_days = 90, history_retention_days = 365, audit_retention_days = 365
where slug = 'globex';
update kith.tenants set notification_retention_days = 730, history_retention_days = 730, audit_retention_days = 730 where slug = 'acme';
select tests.fill(), tests.audit(0, '2004-08-10T12:00Z') \g /dev/null
update kith.tenants set ping_retention_days = 2000 where slug = 'acme';
select is(tests.drop('pings', :'now'), null, 'a partition with rows that one tenant wants to keep stays');
update kith.tenants set ping_retention_days = 730 where slug = 'acme';
select is(tests.drop('pings', '2006-09-01T11:59Z'), null, 'until 730 days after its last date has ended everywhere');
select is(tests.drop('pings', '2006-09-01T12:00Z'), '2004_08', 'then it is dropped');
select is(tests.kept('pings'), 'acme 2005 2006 2007, globex 2005 2006 2007', 'with the rows of every tenant');
select is(
  (select string_agg(kind, ' ' order by kind) from internal.partitions() where name like '%2004_08'), null,
  'notifications, history, the audit and deliveries go in the same way'
);
select is((select count(*) from kith.audit where tenant_id = 0), 0::bigint, 'and the audit of no tenant goes with the partition');
select tests.as_role('kith_worker') \g /dev/null
select is(worker.drop_partitions('2008-01-01Z', 2), 2, 'a call drops a batch');
select tests.as_superuser() \g /dev/null
select is(
  (select string_agg(name, ' ' order by name) from internal.partitions() where name like '%2005_08'), 'notifications_2005_08 pings_2005_08',
  'the oldest first'
);

-- The rows of a tenant with a shorter retention are deleted.
select tests.make('2004-08-01', '2005-08-01', '2006-08-01'), tests.fill() \g /dev/null
select tests.audit(tests.tenant('acme'), '2004-08-11T12:00Z') \g /dev/null
select is(tests.expire(:'now') > 0, true, 'old rows are deleted');
select is(tests.kept(kind), kept, format('%s are kept for as long as their tenant wants', kind))
from (values
  ('pings', 'acme 2004 2005 2006 2007, globex 2006 2007'), ('check_ins', 'acme 2005 2006 2007, globex 2006 2007'),
  ('notifications', 'acme 2004 2005 2006 2007, globex 2007'), ('deliveries', 'acme 2007, globex 2007'),
  ('history', 'acme 2004 2005 2006 2007, globex 2006 2007'), ('audit', 'acme 2004 2004 2005 2006 2007, globex 2006 2007')
) as kinds (kind, kept);
select is(
  (select array_agg(distinct kind order by kind) from kith.retention_passes where finished_at is null or done_until_at is distinct from until_at), null,
  'every pass is finished'
);
select is(
  (select string_agg(format('%s %s', kind, deleted), ', ' order by kind) from kith.retention_passes where tenant_id = tests.tenant('globex')),
  'audit 2, check_ins 2, deliveries 3, history 2, notifications 3, pings 2', 'and says how many rows it has deleted'
);
select is(
  api.retention_metrics('2007-06-15T13:00Z')::jsonb - 'deleted_rows',
  '{"oldest_pass_seconds": 3600, "unfinished_passes": 0, "waiting_partitions": 7, "waiting_rows": 0}', 'the metrics say when, and what goes with a partition'
);
select is(
  (api.retention_metrics('2007-06-15T13:00Z') ->> 'deleted_rows')::bigint, (select sum(deleted) from kith.retention_passes)::bigint, 'and how many rows'
);
select tests.as_role('kith_worker') \g /dev/null
select is(worker.expire_rows('2007-06-16T11:59Z', 1000), 0, 'the next pass is a day later');
select is(worker.expire_rows('2007-06-16T12:00Z', 5), 5, 'and begins for a batch of tenants and kinds');
select tests.as_superuser() \g /dev/null
select tests.ping('globex', '2005-08-10') from generate_series(1, 25) \g /dev/null
select tests.history('globex', '2005-08-10T12:00Z') from generate_series(1, 25) \g /dev/null
select is(tests.expire(:'now', 10), 10::bigint, 'a call deletes at most a batch, of one kind');
select is(tests.kept('pings'), 'acme 2004 2005 2006 2007, globex 2006 2007', 'and the last call what is left');

-- What says how the pings were made goes with them, and does not grow for ever.
insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at, finished_at)
select tenant.tenant_id, zone, day::date, day, case when day::date <> '2005-08-09' then day end
from kith.tenants as tenant
cross join unnest(array['UTC', 'Europe/Berlin']) as zone
cross join generate_series('2005-08-01Z'::timestamptz, '2005-08-31Z', interval '1 day') as day
where tenant.slug = 'globex';
insert into kith.ping_gaps (tenant_id, ping_on, connection_id, found_at, mended)
select tests.tenant('globex'), '2005-08-10'::date + n, tests.id('globex-alice-bob'), '2005-08-10Z', false from generate_series(1, 35) as n;
insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at, finished_at)
values (tests.tenant('globex'), 'UTC', '2007-06-14', '2007-06-14Z', '2007-06-14Z');
insert into kith.ping_gaps (tenant_id, ping_on, connection_id, found_at, mended)
values (tests.tenant('globex'), '2007-06-14', tests.id('globex-alice-bob'), '2007-06-14Z', false);
select is(
  internal.expire_ping_runs(pass, 65), 65, 'a call deletes at most a batch of runs and gaps together'
) from kith.retention_passes as pass where tenant_id = tests.tenant('globex') and kind = 'pings';
select tests.expire(:'now', 10) \g /dev/null
select is(
  (select string_agg(format('%s %s', time_zone, ping_on), ', ' order by ping_on, time_zone) from kith.ping_runs where tenant_id = tests.tenant('globex')),
  'Europe/Berlin 2005-08-09, UTC 2005-08-09, UTC 2007-06-14', 'finished runs go with the pings'
);
select is(
  (select string_agg(ping_on::text, ' ' order by ping_on) from kith.ping_gaps where tenant_id = tests.tenant('globex')), '2007-06-14', 'and gaps'
);
select is(
  (select deleted from kith.retention_passes where tenant_id = tests.tenant('globex') and kind = 'pings'), 30::bigint, 'and count as rows of that pass'
);

-- Rows before the first partition are in the default one, which is never dropped.
select tests.ping('acme', '2002-01-01'), tests.ping('acme', '2005-12-01'), tests.history('acme', '2002-01-01T12:00Z') \g /dev/null
select is(
  (select string_agg(tableoid::regclass::text, ' ') from kith.pings where ping_on in ('2002-01-01', '2005-12-01')), 'kith.pings_default kith.pings_default',
  'a row without a partition'
);
select tests.expire(:'now') \g /dev/null
select is(tests.kept('pings'), 'acme 2004 2005 2005 2006 2007, globex 2006 2007', 'is deleted if it is older than every partition, also of the longest retention');

-- Nothing that is still owed goes: not with a partition, and not one by one.
update kith.tenants set ping_retention_days = 90, notification_retention_days = 90, history_retention_days = 365, audit_retention_days = 365;
update kith.tenants set ping_retention_days = 120, notification_retention_days = 120, history_retention_days = 400 where slug = 'globex';
delete from kith.pings; delete from kith.notifications; delete from kith.deliveries; delete from kith.history;
select tests.ping('acme', '2005-08-10', status) from unnest(array['scheduled', 'due', 'missed']) as status \g /dev/null
select tests.expire(:'now') \g /dev/null
select is((select string_agg(status, ' ' order by status) from kith.pings), 'due scheduled', 'open pings stay');
select is(tests.drop('pings', :'now'), '2004_08 2006_08', 'with their partition');
update kith.pings set status = 'cancelled' where status = 'scheduled';
select is(tests.drop('pings', :'now'), null, 'as long as one of them is open');
update kith.pings set status = 'cancelled';
select is(tests.drop('pings', :'now'), '2005_08', 'and go when none is');

select tests.make('2006-08-01') \g /dev/null
select tests.notification('acme', '2006-08-10T12:00Z', 'done'), tests.notification('acme', '2006-08-10T12:00Z', 'unplanned', '{}', false),
  tests.notification('acme', '2006-08-10T12:00Z', 'escalates'), tests.notification('acme', '2006-08-10T12:00Z', 'resolved') \g /dev/null
update kith.notifications set escalates_at = created_at where body = 'escalates';
select tests.notification('acme', '2006-08-10T12:00Z', 'alarm') as alarm, tests.notification('acme', '2006-08-10T12:00Z', 'sending') as sending \gset
select tests.delivery('acme', '2006-08-10T12:00Z', 'sending', 'sending', p_of => :'sending'), tests.delivery('acme', '2006-08-10T12:00Z', 'queued', 'queued'),
  tests.delivery('acme', '2006-08-10T12:00Z', 'failed', 'failed'), tests.delivery('acme', '2006-08-10T12:00Z', 'invitation', 'sent', 'invitation') \g /dev/null
insert into kith.undelivered_alarms (tenant_id, notification_id, user_id, type, at, resolved_at)
select tests.tenant('acme'), id, user_id, 'ping_missed', created_at, case body when 'resolved' then created_at end
from tests.notifications where body in ('alarm', 'resolved');
select tests.expire(:'now') \g /dev/null
select is(
  (select string_agg(body, ' ' order by body) from tests.notifications), 'alarm escalates sending unplanned',
  'notifications stay that are not delivered, escalate, or reached nobody'
);
select is(
  (select string_agg(address, ' ' order by address) from kith.deliveries), 'invitation queued sending',
  'deliveries in progress stay, and invitations, which are deleted with theirs'
);
select is((select count(*) from kith.undelivered_alarms), 1::bigint, 'resolved alarms are deleted after 90 days');
select tests.as_role('kith_worker') \g /dev/null
select worker.alarm_operator(:'now', 100) \g /dev/null
select tests.as_superuser() \g /dev/null
select is((select resolved_at from kith.undelivered_alarms), null, 'an alarm that reached nobody stays open');
select is(tests.drop('notifications', :'now'), null, 'their partition stays as well');
update kith.notifications set planned_at = created_at, escalates_at = null;
update kith.undelivered_alarms set resolved_at = at;
select is(tests.drop('notifications', :'now'), null, 'while a delivery is in progress');
select is(
  (select string_agg(name, ' ' order by name) from internal.partitions() where kind = 'deliveries' and name like '%2006%'), 'deliveries_2006_08',
  'and so does the partition of deliveries'
);
update kith.deliveries set status = 'sent', leased_until = null;
update kith.undelivered_alarms set resolved_at = null;
select is(tests.drop('notifications', :'now'), null, 'while an alarm is not resolved');
update kith.undelivered_alarms set resolved_at = at;
update kith.notifications set planned_at = null where body = 'unplanned';
select is(tests.drop('notifications', :'now'), null, 'while one is to be delivered');
update kith.notifications set planned_at = created_at, escalates_at = case body when 'escalates' then created_at end;
select is(tests.drop('notifications', :'now'), null, 'while one escalates');
update kith.notifications set escalates_at = null;
select is(tests.drop('notifications', :'now'), '2006_08', 'and goes afterwards');

-- Emergency access: what an open request needs, and the pings of which a silence consists.
select tests.as_user('acme', 'alice') \g /dev/null
select api.create_vault('{"name": "Papers"}', '2006-07-01T08:00Z') ->> 'id' as vault \gset
select tests.as_superuser() \g /dev/null
insert into kith.nominees (tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, updated_at)
values (
  tests.tenant('acme'), '0e000000-0000-7000-8000-000000000001', :'vault', tests.id('alice'), tests.id('bob'), 'Bob', 'accepted', 'view',
  '2006-07-01T08:00Z', tests.id('alice'), '2006-07-01T08:00Z', '2006-07-01T08:00Z'
);
insert into kith.emergency_requests (
  tenant_id, id, vault_id, nominee_id, owner_id, user_id, cause, wait_hours, access_level, grant_hours, reject_on_check_in, sign_of_life, required, requested_at
)
values (
  tests.tenant('acme'), '0f000000-0000-7000-8000-000000000001', :'vault', '0e000000-0000-7000-8000-000000000001', tests.id('alice'), tests.id('bob'),
  'request', 48, 'view', 24, true, 'check_in', 1, '2005-09-15T12:00Z'
);
delete from kith.notifications; delete from kith.history; delete from kith.pings;
select tests.make('2005-07-01', '2005-09-01') \g /dev/null
select tests.notification('acme', '2005-09-20T12:00Z', 'of the request', '{"request_id": "0f000000-0000-7000-8000-000000000001"}'),
  tests.notification('acme', '2005-09-20T12:00Z', 'other', '{"request_id": "0f000000-0000-7000-8000-000000000002"}'),
  tests.history('acme', '2005-08-15T12:00Z', :'vault'), tests.history('acme', '2005-08-17T12:00Z', :'vault'), tests.history('acme', '2005-08-17T12:00Z') \g /dev/null
update kith.tenants set history_retention_days = 2000, notification_retention_days = 2000 where slug = 'globex';
select tests.expire(:'now') \g /dev/null
select is((select string_agg(body, ' ') from tests.notifications), 'of the request', 'the notifications of an open request stay');
select is(
  (select string_agg(at::date::text, ' ') from kith.history where vault_id = :'vault'), '2005-08-17', 'and the history of its vault since 30 days before'
);
update kith.tenants set history_retention_days = 400, notification_retention_days = 120 where slug = 'globex';
select tests.drop('pings', :'now') \g /dev/null
select is(
  (select string_agg(name, ' ' order by name) from internal.partitions() where name ~ '^(history|notifications)_2005'),
  'history_2005_09 notifications_2005_09', 'and so do their partitions'
);
update kith.emergency_requests set ended_at = '2007-06-14T12:00Z', end_reason = 'expired';
select tests.drop('pings', :'now'), tests.expire(:'now') \g /dev/null
select is((select count(*) from kith.history where vault_id = :'vault') + (select count(*) from kith.notifications), 0::bigint, 'until the request has ended');

insert into kith.emergency_settings (
  tenant_id, nominee_id, vault_id, owner_id, wait_hours, access_level, grant_hours, on_request, after_missed_days, created_at, updated_at
)
values (
  tests.tenant('acme'), '0e000000-0000-7000-8000-000000000001', :'vault', tests.id('alice'), 48, 'view', 24, true, 10, '2006-07-01T08:00Z', '2006-07-01T08:00Z'
);
select tests.make('2006-08-01') \g /dev/null
select tests.ping('acme', on_date, 'missed'), tests.ping('globex', on_date, 'missed')
from unnest(array['2006-05-09', '2006-05-11', '2006-08-10', '2007-06-14']::date[]) as on_date \g /dev/null
update kith.pings set sender_id = tests.id('mallory') where tenant_id = tests.tenant('acme') and ping_on = '2006-05-11';
select tests.ping('acme', '2006-05-11', 'missed') \g /dev/null
select tests.expire(:'now') \g /dev/null
select is(
  (select string_agg(format('%s %s', tenant_id = tests.tenant('acme'), ping_on), ', ' order by tenant_id, ping_on) from kith.pings),
  't 2006-05-11, t 2006-08-10, t 2007-06-14, f 2007-06-14', 'pings that a silence is counted from stay for 400 days, and only those'
);
select is(tests.drop('pings', :'now'), null, 'with their partitions');
delete from kith.emergency_settings;
select is(tests.drop('pings', :'now'), '2006_08', 'which go when nobody has such a right');

-- Nothing is owed to a tenant that was deleted: the worker leaves its pings and notifications open for ever.
select tests.ping('acme', '2006-08-10', 'due'), tests.notification('acme', '2006-08-10T12:00Z', 'unplanned', '{}', false), tests.make('2006-08-01') \g /dev/null
update kith.tenants set deleted_at = '2007-01-01Z' where slug = 'acme';
select is(tests.drop('pings', :'now'), '2006_08', 'what a deleted tenant left open goes with its partition');
update kith.tenants set deleted_at = null where slug = 'acme';

-- The screens of people.
select tests.as_user('acme', 'alice') \g /dev/null
select is(
  api.list_pings(null, '2006-08-01', '2006-08-31', 'sender', 50, null, :'now')::jsonb, '{"items": [], "next_cursor": null}',
  'a list of pings that are gone is empty'
);
select tests.as_user('acme', 'bob') \g /dev/null
select throws_ok(
  format($$ select api.read_notification(%L, '2007-06-15T12:00Z') $$, internal.uuid7('2006-08-10T12:00Z')), 'KT404', 'not_found',
  'a notification that is gone is not found'
);
select is(internal.seen_ping(tests.id('alice-bob'), '2006-08-10', tests.id('alice'))::text, null, 'an event about a ping that is gone has no ping');

-- Operators see each retention, and how far behind the worker is.
select tests.as_role('kith_admin') \g /dev/null
select is(
  (select string_agg(format('%s %s', kind, days), ', ' order by kind) from admin.retention where tenant = 'globex'),
  'audit 365, check_ins 120, deliveries 30, feedback_and_requests 730, history 400, notifications 120, pings 120', 'operators see for how long what is kept'
);
select is(
  (select string_agg(kind, ' ' order by kind) from admin.retention where tenant = 'acme' and behind is null), 'feedback_and_requests',
  'and how far behind the worker is'
);
select is(
  (select format('%s %s %s', kept_days, drops_on, owed) from admin.partitions where partition = 'pings_2007_06'), '120 2007-10-29 f',
  'and when a partition is dropped'
);
select tests.as_superuser() \g /dev/null
alter table internal.development rename to something_else;
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, completed_at)
select tests.tenant('acme'), now()::date, tests.id('alice-bob'), gen_random_uuid(), tests.id('alice'), tests.id('bob'), 'completed',
  now() - interval '2 hours', now(), now();
select tests.as_role('kith_worker') \g /dev/null
select worker.expire_rows(clock_timestamp() + interval '10 years', 1), worker.drop_partitions(clock_timestamp() + interval '10 years', 100)
  \g /dev/null
select tests.as_superuser() \g /dev/null
select isnt_empty(
  format($$ select from kith.pings where tenant_id = %s and ping_on = now()::date $$, tests.tenant('acme')),
  'a worker whose clock is ten years ahead goes by the database''s clock'
);
select isnt(to_regclass(format('kith.pings_%s', to_char(now(), 'YYYY_MM'))), null, 'and drops no partition of now');
select tests.as_role('kith_api') \g /dev/null
select throws_ok($$ select worker.expire_rows('2017-06-15T12:00Z', 1) $$, '42501', null, 'no request deletes rows');
select throws_ok($$ select internal.drop_partitions('2017-06-15T12:00Z', 1) $$, '42501', null, 'or drops partitions');

select * from finish();
rollback;
