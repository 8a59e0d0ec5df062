-- The miss that nobody has answered: it stands beside today's ping until the sender checks in.
begin;
\ir people.sql
select plan(22);

select tests.as_superuser();
delete from kith.pings;
create function tests.ping(p_connection text, p_on date, p_status text, p_scheduled_at timestamptz, p_told_at timestamptz) returns void
  language sql
as $$
  insert into kith.pings (
    tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, completed_at, alarmed_at
  )
  select tests.tenant('acme'), p_on, id, gen_random_uuid(), sender_id, receiver_id, p_status, p_scheduled_at,
    p_scheduled_at + interval '90 minutes', case when p_status like 'completed%' then p_scheduled_at + interval '2 hours' end, p_told_at
  from kith.connections
  where tenant_id = tests.tenant('acme') and id = tests.id(p_connection);
  update kith.connections set missed_on = p_on
  where tenant_id = tests.tenant('acme') and id = tests.id(p_connection) and p_status = 'missed' and p_told_at is not null
$$;
create function tests.missed(p_person text, p_now timestamptz) returns text
  language plpgsql
as $$
declare
  v_text text;
begin
  perform tests.as_user('acme', p_person);
  select concat_ws(' ', ping ->> 'date', ping ->> 'status', ping ->> 'told_at') into v_text
  from (select api.get_connection(tests.id('alice-bob'), p_now) -> 'missed_ping' as ping) as missed;
  perform tests.as_superuser();
  return v_text;
end
$$;

-- Alice is asked at 23:58; the miss is told after midnight.
select tests.ping('alice-bob', '2026-03-10', 'missed', '2026-03-10T23:58Z', '2026-03-11T01:28:10Z');
select tests.ping('alice-bob', '2026-03-11', 'scheduled', '2026-03-11T23:58Z', null);
select is(tests.missed('bob', '2026-03-11T01:30Z'), '2026-03-10 missed 2026-03-11T01:28:10.000000Z', 'a miss stays after midnight for the receiver');
select is(tests.missed('alice', '2026-03-11T01:30Z'), '2026-03-10 missed 2026-03-11T01:28:10.000000Z', 'and for the sender');

-- How Bob was told.
create function tests.telling(p_status text, p_read_at timestamptz default null) returns text
  language plpgsql
as $$
declare
  v_telling text;
begin
  update kith.notifications set delivery_status = p_status, read_at = p_read_at where type = 'ping_missed';
  perform tests.as_user('acme', 'alice');
  v_telling := api.get_connection(tests.id('alice-bob'), '2026-03-11T01:30Z') #>> '{missed_ping,telling}';
  perform tests.as_superuser();
  return v_telling;
end
$$;
select is(tests.telling('failed'), 'told', 'a message that is kept no longer counts as taken');
insert into kith.notifications (tenant_id, id, user_id, type, body, data, created_at)
select tests.tenant('acme'), internal.uuid7('2026-03-11T01:28:10Z'), tests.id('bob'), 'ping_missed', 'x', jsonb_build_object('ping_id', ping.id), '2026-03-11T01:28:10Z'
from kith.pings as ping where ping.ping_on = '2026-03-10' and ping.connection_id = tests.id('alice-bob');
select is(tests.telling('failed'), 'told', 'of a tenant without channels everybody is told');
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
values (tests.tenant('acme'), 'sms', '{}', '', '2026-03-01Z', '2026-03-01Z');
select is(
  concat_ws(' ', tests.telling('queued'), tests.telling('sent'), tests.telling('failed'), tests.telling('failed', '2026-03-11T01:29Z')),
  'being_told told not_reached told', 'otherwise those whom a channel has reached, or who have read it'
);
delete from kith.channel_credentials; delete from kith.notifications;
select tests.as_user('acme', 'bob');
select is(
  api.get_connection(tests.id('alice-bob'), '2026-03-11T01:30Z') -> 'today_ping' ->> 'status', 'scheduled', 'while today''s ping is the next one'
);
select is(
  api.get_dashboard('receiver', 'missed', null, null, '2026-03-11T01:30Z') -> 'items' -> 0 -> 'missed_ping' ->> 'date', '2026-03-10',
  'a dashboard has it too'
);
select is(
  api.list_connections('receiver', null, 50, null, '2026-03-11T01:30Z') -> 'items' -> 0 -> 'missed_ping' ->> 'date', '2026-03-10',
  'and so has a list'
);
select is(
  internal.connection_for_reader(tests.id('alice-bob'), '2026-03-11T01:30Z') -> 'missed_ping' ->> 'date', '2026-03-10', 'and an event'
);

-- It comes before everything else, however late somebody else's ping is.
select tests.as_superuser();
insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
values (
  tests.tenant('acme'), '00000000-0000-7000-8000-000000000001', tests.id('mallory'), tests.id('bob'), 'active', tests.id('bob'),
  '2026-03-01Z', '2026-03-01Z', '2026-03-01Z'
);
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
values (
  tests.tenant('acme'), '2026-03-11', '00000000-0000-7000-8000-000000000001', gen_random_uuid(), tests.id('mallory'), tests.id('bob'), 'due',
  '2026-03-11T00:30Z', '2026-03-11T02:00Z'
);
select tests.as_user('acme', 'bob');
select is(
  api.get_dashboard('receiver', 'missed', null, null, '2026-03-11T01:30Z') -> 'items' -> 0 ->> 'id', tests.id('alice-bob')::text,
  'a miss of yesterday comes first in a dashboard'
);
select tests.as_superuser();
delete from kith.pings where connection_id = '00000000-0000-7000-8000-000000000001';
delete from kith.connections where id = '00000000-0000-7000-8000-000000000001';

-- What ends it.
update kith.sender_profiles set last_check_in_at = '2026-03-10T12:00Z' where user_id = tests.id('alice');
select is(
  tests.missed('bob', '2026-03-11T01:30Z'), '2026-03-10 missed 2026-03-11T01:28:10.000000Z', 'a check-in of before the deadline does not end it'
);
update kith.sender_profiles set last_check_in_at = '2026-03-11T01:29Z' where user_id = tests.id('alice');
select is(tests.missed('bob', '2026-03-11T01:30Z'), '', 'a check-in after it does');
update kith.sender_profiles set last_check_in_at = null where user_id = tests.id('alice');

-- Nobody was told.
update kith.pings set alarmed_at = null where connection_id = tests.id('alice-bob');
select is(tests.missed('bob', '2026-03-11T01:30Z'), '', 'a miss of which the receiver was not told is none');
update kith.pings set alarmed_at = '2026-03-11T01:28:10Z' where connection_id = tests.id('alice-bob') and status = 'missed';

-- What does not end it.
update kith.sender_profiles set time_zone = 'Pacific/Honolulu' where user_id = tests.id('alice');
select is(
  tests.missed('bob', '2026-03-11T01:40Z'), '2026-03-10 missed 2026-03-11T01:28:10.000000Z', 'a change of zone does not end it'
);
update kith.pings set ping_on = '2026-03-12', scheduled_at = '2026-03-11T23:58Z', deadline_at = '2026-03-12T01:28Z'
where connection_id = tests.id('alice-bob') and status = 'missed';
update kith.connections set missed_on = '2026-03-12' where id = tests.id('alice-bob');
select is(left(tests.missed('bob', '2026-03-12T01:40Z'), 17), '2026-03-12 missed', 'not even one that leads back to an earlier date');
update kith.connections set missed_on = '2026-03-10' where id = tests.id('alice-bob');
update kith.pings set ping_on = '2026-03-10', scheduled_at = '2026-03-10T23:58Z', deadline_at = '2026-03-11T01:28Z'
where connection_id = tests.id('alice-bob') and status = 'missed';
update kith.sender_profiles
set time_zone = 'UTC', break_from_on = '2026-03-11', break_until_on = '2026-04-20' where user_id = tests.id('alice');
select is(left(tests.missed('bob', '2026-04-15T12:00Z'), 17), '2026-03-10 missed', 'nor does a break, however long');
update kith.sender_profiles set break_from_on = null, break_until_on = null where user_id = tests.id('alice');
update kith.connections set status = 'paused', updated_at = '2026-03-11T08:00Z' where id = tests.id('alice-bob');
select is(left(tests.missed('bob', '2026-03-30T12:00Z'), 17), '2026-03-10 missed', 'nor does a pause');
update kith.sender_profiles set last_check_in_at = '2026-03-11T01:29Z' where user_id = tests.id('alice');
select is(tests.missed('bob', '2026-03-30T12:00Z'), '', 'a check-in ends it for a paused receiver too');
select tests.as_user('acme', 'bob');
select is(
  api.get_connection(tests.id('alice-bob'), '2026-03-30T12:00Z') ->> 'last_check_in_at', null, 'who does not see when that was'
);
select tests.as_superuser();
update kith.sender_profiles set last_check_in_at = null where user_id = tests.id('alice');

-- A pending connection shows its receiver nothing, and the newest of several misses counts.
update kith.connections set status = 'pending' where id = tests.id('alice-bob');
select is(tests.missed('bob', '2026-03-11T12:00Z'), '', 'the receiver of a pending connection sees none');
update kith.connections set status = 'active', updated_at = '2026-03-01Z' where id = tests.id('alice-bob');
update kith.connections set missed_on = '2026-03-11' where id = tests.id('alice-bob');
update kith.pings set status = 'missed', alarmed_at = '2026-03-12T01:28:10Z' where connection_id = tests.id('alice-bob') and ping_on = '2026-03-11';
select is(left(tests.missed('bob', '2026-03-12T08:00Z'), 17), '2026-03-11 missed', 'of several the newest is shown');
-- A tap that arrives late speaks for its own moment only (J07).
update kith.sender_profiles set last_check_in_at = '2026-03-11T01:00Z' where user_id = tests.id('alice');
select is(left(tests.missed('bob', '2026-03-12T08:00Z'), 17), '2026-03-11 missed', 'a late tap of before it leaves it');
select * from finish();
rollback;
