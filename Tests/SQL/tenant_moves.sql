-- A tenant moves to another installation (G08): what an export contains, and what an import refuses.
begin;
\ir people.sql
\ir archives.sql
select plan(67);

-- The tables.
select is_empty(
  $$
    select child.name, parent.name from internal.moved_tables() as child
    join pg_constraint as reference on reference.contype = 'f' and reference.conrelid = format('kith.%I', child.name)::regclass
    join internal.moved_tables() as parent on format('kith.%I', parent.name)::regclass = reference.confrelid
    where parent.level >= child.level
  $$,
  'a table refers only to tables of lower levels, so that it can be written after them'
);
select is_empty(
  $$
    select child.name, reference.confrelid from internal.moved_tables() as child
    join pg_constraint as reference on reference.contype = 'f' and reference.conrelid = format('kith.%I', child.name)::regclass
    join internal.unmoved_tables() as parent on format('kith.%I', parent.name)::regclass = reference.confrelid
    where parent.name <> 'tenants'
  $$,
  'no table refers to one that stays'
);
select is_empty(
  $$ select name from internal.unmoved_tables() where to_regclass(format('kith.%I', name)) is null or reason = '' $$,
  'each table that stays exists and has a reason'
);
select set_eq(
  $$
    select tables.name from internal.moved_tables() as tables
    cross join unnest(tables.columns) as moved (name)
    join pg_attribute as attribute on attribute.attrelid = format('kith.%I', tables.name)::regclass and attribute.attname = moved.name
    where attribute.atttypid = 'bytea'::regtype and moved.name not like '%hash' and moved.name <> 'sha256'
  $$,
  $$ select name from internal.move_rules() where sealed is not null $$,
  'each column with encrypted bytes is known as sealed'
);
select is_empty(
  $$
    select tables.name, moved.name from internal.moved_tables() as tables
    cross join unnest(tables.columns) as moved (name)
    join pg_attribute as attribute on attribute.attname = moved.name
    where attribute.attrelid = format('kith.%I', tables.name)::regclass and attribute.atttypid = 'xid8'::regtype
  $$,
  'no transaction id is exported, because it means nothing elsewhere'
);
select is_empty(
  $$
    select rules.name, column_name from internal.move_rules() as rules,
      jsonb_object_keys(rules.read || rules.computed) as column_name
    where not exists (
      select from pg_attribute where attrelid = format('kith.%I', rules.name)::regclass and attname = column_name and attnum > 0
    )
  $$,
  'each column of a rule exists'
);

-- The rows of an export.
select tests.as_superuser() \g /dev/null
select lives_ok(
  format($$ do $do$ declare v_name text; v_row record; begin
    for v_name in select name from internal.moved_tables() loop
      for v_row in execute internal.export_query(%s, v_name, null) loop null; end loop;
    end loop;
  end $do$ $$, tests.tenant('acme')),
  'every table can be read'
);
insert into kith.notifications (tenant_id, id, user_id, type, body, created_at, planned_at)
select tests.tenant('acme'), internal.uuid7('2026-03-01 08:00Z'), tests.id('bob'), 'ping_missed', body, '2026-03-01 08:00Z', '2026-03-01 08:01Z'
from unnest(array['half', 'waits', 'went']) as body;
insert into kith.deliveries (tenant_id, id, channel, purpose, address, notification_id, status, next_attempt_at, expires_at, created_at)
select tenant_id, internal.uuid7('2026-03-01 08:01Z'), 'sms', 'notification', '+4915112345678', id,
  status, '2026-03-01 08:01Z', '2026-03-02 08:01Z', '2026-03-01 08:01Z'
from tests.notifications
join (values ('half', 'queued'), ('half', 'sent'), ('waits', 'queued'), ('went', 'sent')) as delivery (body, status) using (body);
insert into kith.notifications (tenant_id, id, user_id, type, body, created_at, planned_at, delivery_status)
select tests.tenant('acme'), internal.uuid7('2026-03-01 08:00Z'), tests.id('bob'), 'ping_missed', body, '2026-03-01 08:00Z', at::timestamptz, 'dropped'
from (values ('dropped before', '2026-03-01 08:01Z'), ('dropped by the deletion', '2026-03-09 11:55Z')) as dropped (body, at);
update kith.tenants set deleted_at = '2026-03-09 11:54Z' where slug = 'acme';
select format('create temporary table exported as %s', internal.export_query(tests.tenant('acme'), 'notifications', null)) \gexec
select results_eq(
  $$ select line::json ->> 'body', (line::json ->> 'planned_at')::timestamptz = internal.kept_back(), line::json ->> 'delivery_status' from exported
    where line::json ->> 'body' is not null order by 1 $$,
  $$ values ('dropped before', false, 'dropped'), ('dropped by the deletion', true, 'queued'), ('half', false, 'queued'), ('waits', true, 'queued'),
    ('went', false, 'queued') $$,
  'what waits or was dropped by the deletion is planned again there, and what went out on any channel is not'
);
update kith.tenants set deleted_at = null where slug = 'acme';

-- The tenant that leaves.
create function tests.leaving(p_is_copy boolean) returns jsonb language sql
  return internal.leaving_tenant('acme', p_is_copy, '2026-03-09 12:00Z');
select throws_ok($$ select tests.leaving(false) $$, 'KT409', null, 'a tenant that still changes is not exported');
select lives_ok($$ select tests.leaving(true) $$, 'unless it is a copy');
select throws_ok($$ select internal.leaving_tenant('nobody', true, now()) $$, 'KT404', null, 'a tenant must exist');
update kith.tenants set deleted_at = '2026-03-09 11:56Z', suspended_at = '2026-03-09 11:56Z', status = 'suspended' where slug = 'acme';
select throws_ok($$ select tests.leaving(false) $$, 'KT409', null, 'a server may write for some minutes after the deletion');
update kith.tenants set deleted_at = '2026-03-09 11:54Z' where slug = 'acme';
select is(tests.leaving(false) -> 'is_copy', 'false', 'then it is whole');
create temporary table manifest as select tests.leaving(false) || '{"slug": "mover", "kith": "0.1.0", "sha256": "x"}' as content;
grant select on manifest to public;

-- The import.
select throws_ok(
  $$ select internal.begin_import(content || '{"schema": "other"}', '2026-03-09 12:00Z') from manifest $$, 'KT409', 'conflict',
  'an export of another schema is refused'
);
select throws_ok(
  $$ select internal.begin_import(jsonb_set(content, '{settings,user_quota}', '5'), '2026-03-09 12:00Z') from manifest $$, 'KT422', null,
  'an export does not set what is the operator''s'
);
create temporary table begun as select internal.begin_import(content, '2026-03-09 12:00Z') as answer from manifest;
grant select on begun to public;
select is(
  (select internal.begin_import(content, '2026-03-09 13:00Z') from manifest), (select answer from begun), 'the same export goes on'
);
select throws_ok(
  $$ select internal.begin_import(content || '{"sha256": "y"}', '2026-03-09 12:00Z') from manifest $$, 'KT409', null, 'another one does not'
);
select throws_ok($$ select internal.leaving_tenant('mover', true, now()) $$, 'KT409', null, 'what is being imported is not exported');
select throws_ok($$ select internal.import_rows('users', '[]', now()) $$, 'KT403', null, 'rows need a tenant that is set');
set local role kith_owner;
select set_config('kith.tenant_id', answer ->> 'tenant_id', true) from begun \g /dev/null
select throws_ok(
  $$ select internal.import_rows('users', '[{"id": "0a11ce00-0000-7000-8000-0000000000ff", "tenant_id": 2000000002}]', now()) $$,
  'KT400', null, 'a row does not choose its tenant'
);
select throws_ok($$ select internal.import_rows('tenants', '[]', now()) $$, 'KT400', null, 'a table that stays is not written');
select throws_ok($$ select internal.import_rows('heartbeats', '[]', now()) $$, 'KT400', null, 'nor is one of no tenant');
select lives_ok($$ select internal.finish_file((answer ->> 'tenant_id')::integer, 1) from begun $$, 'a file is noted');
select throws_ok(
  $$ select internal.finish_file((answer ->> 'tenant_id')::integer, 1) from begun $$, 'KT409', null, 'and not written twice'
);
reset role;
select tests.as_superuser() \g /dev/null
insert into kith.api_keys (tenant_id, id, name, scopes, secret_hash, created_at)
select tenant_id, gen_random_uuid(), 'the same', '{all}', sha256('secret'), now()
from (select (answer ->> 'tenant_id')::integer from begun union select tests.tenant('globex')) as both_tenants (tenant_id);
select throws_like(
  $$ select internal.finish_import((answer ->> 'tenant_id')::integer, '2026-03-09 12:00Z') from begun $$, 'conflict',
  'an import that has another tenant''s key is not activated'
);
delete from kith.api_keys where name = 'the same';
update kith.tenants set default_locale = 'de-AT' where slug = 'mover';
select internal.finish_import((answer ->> 'tenant_id')::integer, '2026-03-09 12:00Z') from begun \g /dev/null
select results_eq(
  $$ select status, deleted_at is null, suspended_at is null from kith.tenants where slug = 'mover' $$, $$ values ('active', true, true) $$,
  'a finished import is active'
);
select is(
  internal.language_of_tenant(tenant_id), 'de@' || tenant_id, 'its texts are in its language, with its own words, from the first one on'
) from kith.tenants where slug = 'mover';
select results_eq(
  $$ select began_at::timestamptz, ended_at::timestamptz from kith.suspensions join kith.tenants using (tenant_id) where slug = 'mover' $$,
  $$ values (timestamptz '2026-03-09 11:56Z', timestamptz '2026-03-09 12:00Z') $$,
  'the way counts as a suspension, in which nobody could give a sign of life'
);

select internal.begin_import(content || '{"slug": "copied", "is_copy": true}', '2026-03-09 12:00Z') from manifest \g /dev/null
select internal.finish_import(tenant_id, '2026-03-09 12:00Z') from kith.tenants where slug = 'copied' \g /dev/null
select is((select deleted_at from kith.tenants where slug = 'copied'), '2026-03-09 12:00Z', 'a copy stays deleted, since its original may be active');

-- A copy of a tenant that still works, and one of a tenant that was deleted a moment ago.
select tests.as_superuser() \g /dev/null
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
select tests.tenant('acme'), ping_on, tests.id('alice-bob'), gen_random_uuid(), tests.id('alice'), tests.id('bob'), status,
  (ping_on + time '09:00') at time zone 'UTC', (ping_on + time '10:30') at time zone 'UTC'
from (values (date '2026-03-08', 'missed'), ('2026-03-09', 'cancelled'), ('2026-03-10', 'scheduled')) as ping (ping_on, status);
update kith.tenants set deleted_at = null, suspended_at = null, status = 'active' where slug = 'acme';
select cmp_ok(tests.archive(true, '2026-03-09 08:00Z'), '>', 10, 'a tenant that still works is copied');
select is_empty(
  $$ select tests.changed_tables(tests.begin_restore('2026-03-09 08:00Z')) $$,
  'and its import has every row of the copy, also those that an export of a deleted tenant leaves out'
);
select tests.as_superuser() \g /dev/null
select is(
  array(select ping.ping_on::text || ' ' || ping.status from kith.pings as ping join kith.tenants using (tenant_id) where slug = 'restored' order by 1),
  '{2026-03-08 missed,2026-03-09 cancelled}', 'among them the ping that a pause has cancelled, though its deadline is ahead'
);
select ok(tenant_id = any (internal.deleted_tenants()) and tenant_id = any (internal.importing_tenants()), 'while it is being imported, no loop serves it')
from kith.tenants where slug = 'restored';

-- Rows that no rule could have written, in an archive that somebody has edited: each is refused with its table and its key, or is harmless.
select tests.as_superuser() \g /dev/null
delete from kith.pings where tenant_id = (select tenant_id from kith.tenants where slug = 'restored');
select internal.refuse_import(tenant_id, '2026-03-09 08:00Z') from kith.tenants where slug = 'restored' \g /dev/null
create function tests.purge_restored() returns void
  language plpgsql
as $$
declare
  v_tenant integer := (select tenant_id from kith.tenants where slug = 'restored');
begin
  while not (admin.purge_tenant(v_tenant, 10000, '2026-03-09 09:00Z') ->> 'is_done')::boolean loop
  end loop;
end
$$;
select lives_ok($$ select tests.purge_restored() $$, 'an import that is refused is purged at once');
select is_empty($$ select from kith.tenants where slug = 'restored' $$, 'and nothing of it stays');

-- What became of an archive in which the first row of a table has other values.
create function tests.poisoned(p_table text, p_values jsonb) returns text
  language plpgsql
as $$
declare
  v_tenant integer;
  v_detail text;
begin
  update archived set line = line || p_values where tab = p_table and number = 1;
  if not found then
    return format('%s has no row', p_table);
  end if;
  v_tenant := tests.begin_restore('2026-03-09 08:00Z');
  perform internal.finish_import(v_tenant, '2026-03-09 08:00Z');
  raise exception 'imported' using errcode = 'KTTST';
exception
  when sqlstate 'KTTST' then
    perform tests.as_superuser();
    return 'imported';
  when others then
    get stacked diagnostics v_detail = pg_exception_detail;
    perform tests.as_superuser();
    return coalesce(nullif(v_detail, ''), sqlerrm);
end
$$;
select is(tests.archive(true, '2026-03-09 08:00Z') > 10, true, 'an archive is made for each of these');
select is(tests.poisoned('users', '{}'), 'imported', 'an archive that nobody has edited is imported');
select matches(tests.poisoned(given.name, given.data::jsonb), format('^The export cannot be trusted: row .+ of %s: ', given.name), format('%s with %s', given.name, given.data))
from (values
  ('users', '{"created_at": "infinity"}'), ('users', '{"created_at": "-infinity"}'), ('users', '{"created_at": "9999-12-31T00:00:00Z"}'),
  ('users', '{"created_at": "x"}'), ('users', '{"display_name": ""}'), ('users', '{"time_zone": null}'), ('users', '{"locale": "\u00e9"}'),
  ('users', '{"phone": "4"}'), ('users', '{"deleted_at": 7}'), ('sender_profiles', '{"ping_time": "24:00"}'),
  ('sender_profiles', '{"grace_minutes": 2147483647}'), ('sender_profiles', '{"grace_minutes": 99999999999}'),
  ('sender_profiles', '{"timed_at": "9999-12-31T00:00:00Z"}'), ('sender_profiles', '{"break_from_on": "infinity"}'),
  ('connections', '{"status": "gold"}'), ('connections', '{"sender_id": "x"}'), ('connections', '{"created_at": "294276-01-01T00:00:00Z"}'),
  ('connections', '{"created_at": "0044-03-15T00:00:00Z BC"}'), ('pings', '{"status": "due"}'), ('pings', '{"deadline_at": "infinity"}'),
  ('pings', '{"ping_on": "-infinity"}'), ('pings', '{"sender_id": "0bad0000-0000-7000-8000-000000000004"}'),
  ('notifications', '{"data": {"date": "x", "connection_id": "x"}}'), ('notifications', '{"data": []}'), ('notifications', '{"type": "gold"}'),
  ('notifications', '{"id": "fffffff0-0000-7000-8000-000000000001"}'), ('notifications', '{"user_id": "0bad0000-0000-7000-8000-0000000000ff"}'),
  ('notifications', '{"planned_at": "infinity"}'), ('unique_codes', '{"code": "12345x"}'), ('unique_codes', '{"expires_at": "-infinity"}')
) as given (name, data);

select * from finish();
rollback;
