-- What an archive says of signs of life and misses: no sign is ahead of the clock, and no miss is hidden.
begin;
\ir people.sql
\ir archives.sql
select plan(9);

insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, alarmed_at)
select tests.tenant('acme'), ping_on, tests.id('alice-bob'), gen_random_uuid(), tests.id('alice'), tests.id('bob'), 'missed',
  (ping_on + time '09:00') at time zone 'UTC', (ping_on + time '10:30') at time zone 'UTC', alarmed_at
from (
  values (date '2026-03-06', timestamptz '2026-03-06T10:30Z'), ('2026-03-07', '2026-03-07T10:30Z'), ('2026-03-08', null)
) as ping (ping_on, alarmed_at);
update kith.tenants set deleted_at = '2026-03-09T07:55Z' where slug = 'acme';
select tests.archive(false, '2026-03-09T08:00Z') \g /dev/null
select tests.begin_restore('2026-03-09T08:00Z') as restored \gset
select tests.as_superuser() \g /dev/null

-- The objection of the import to the archive with one change.
create function tests.objection(p_change text) returns text
  language plpgsql
as $$
declare
  v_tenant integer := (select tenant_id from kith.tenants where slug = 'restored');
  v_detail text;
begin
  execute p_change using v_tenant;
  perform internal.finish_import(v_tenant, '2026-03-09T08:00Z');
  raise exception using errcode = 'TT000';
exception
  when sqlstate 'TT000' then return null;
  when sqlstate 'KT409' then
    get stacked diagnostics v_detail = pg_exception_detail;
    return substring(v_detail from 'row [^ ]+.* of ([a-z_]+: [a-z_]+)');
end
$$;
select is(tests.objection('select $1'), null, 'the archive can be trusted');
select is(
  tests.objection($$ update kith.sender_profiles set last_check_in_at = '2026-03-09T08:00:01Z' where tenant_id = $1 $$),
  'sender_profiles: last_check_in_at', 'no check-in has come after the import'
);
select is(
  tests.objection($$ update kith.sender_profiles set last_check_in_at = '2026-03-09T08:00Z' where tenant_id = $1 $$), null, 'the last moment has been'
);
insert into kith.check_ins (tenant_id, id, user_id, received_at, created_at, source)
values (:restored, internal.uuid7('2026-03-08T08:00Z'), tests.id('alice'), '2026-03-08T08:00Z', '2026-03-08T08:00Z', 'app');
select is(
  tests.objection($$ update kith.check_ins set received_at = '2026-03-09T12:00Z' where tenant_id = $1 $$), 'check_ins: received_at', 'nor in the list'
);
select is(
  tests.objection($$ update kith.check_ins set tapped_at = '2026-03-09T12:00Z' where tenant_id = $1 $$), 'check_ins: tapped_at', 'nor a tap'
);
select is(
  tests.objection($$ update kith.pings set status = 'completed', completed_at = '2026-03-09T12:00Z', alarmed_at = null where tenant_id = $1 $$),
  'pings: completed_at', 'nor an answer to a ping'
);
select is(
  tests.objection(
    $$
      insert into kith.signs_of_life (tenant_id, user_id, answered_at)
      select tenant_id, id, '2026-03-09T12:00Z' from kith.users where tenant_id = $1 limit 1
    $$
  ), 'signs_of_life: answered_at', 'nor another sign of life'
);

select isnt(
  (select missed_on from kith.connections where tenant_id = :restored and id = tests.id('alice-bob'))::date, date '2026-03-07',
  'an archive may leave out which miss is the newest'
);
select internal.finish_import(:restored, '2026-03-09T08:00Z') \g /dev/null
select is(
  (select missed_on from kith.connections where tenant_id = :restored and id = tests.id('alice-bob'))::date, date '2026-03-07',
  'the import finds the newest of which the receiver was told'
);
select * from finish();
rollback;
