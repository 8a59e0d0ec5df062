-- How a receiver can call a sender who missed a ping.
begin;
\ir people.sql
select plan(16);

create function tests.call(p_person text, p_now timestamptz) returns json
  language plpgsql
as $$
declare
  v_call json;
begin
  perform tests.as_user('acme', p_person);
  v_call := api.get_dashboard(case p_person when 'alice' then 'sender' else 'receiver' end, null, null, null, p_now) -> 'items' -> 0 ->> 'call';
  perform tests.as_superuser();
  return v_call;
end
$$;

update kith.users set phone = '+4915100000001' where id = tests.id('alice');
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
values (
  tests.tenant('acme'), '2026-03-10', tests.id('alice-bob'), gen_random_uuid(), tests.id('alice'), tests.id('bob'), 'missed',
  '2026-03-10T09:00Z', '2026-03-10T10:30Z'
);
select is(tests.call('bob', '2026-03-10T11:00Z')::text, null, 'a sender who has not allowed it is not called');
update kith.sender_profiles set share_phone = true where user_id = tests.id('alice');
select is(tests.call('bob', '2026-03-10T11:00Z')::jsonb, '{"phone": "+4915100000001"}', 'beside a missed ping the receiver has the sender''s phone number');
select is(tests.call('alice', '2026-03-10T11:00Z')::text, null, 'the sender needs no number');
select is(tests.call('bob', '2026-03-11T11:00Z')::text, null, 'the next day there is no missed ping');
update kith.pings set status = 'due';
select is(tests.call('bob', '2026-03-10T10:00Z')::text, null, 'before the deadline there is no number');
update kith.pings set status = 'completed_late', completed_at = '2026-03-10T11:00Z';
select is(tests.call('bob', '2026-03-10T11:00Z')::text, null, 'after the all-clear there is no number');
update kith.pings set status = 'missed', completed_at = null;
update kith.connections set status = 'paused' where id = tests.id('alice-bob');
select is(tests.call('bob', '2026-03-10T11:00Z')::text, null, 'the receiver of a paused connection has no number');
update kith.connections set status = 'active' where id = tests.id('alice-bob');
update kith.users set phone = null where id = tests.id('alice');
select is(tests.call('bob', '2026-03-10T11:00Z')::text, null, 'a sender without a number cannot be called');
update kith.users set phone = '+4915100000001', phone_verified_at = null where id = tests.id('alice');

-- The time of the pings.
update kith.sender_profiles set ping_time = '07:15', time_zone = 'Asia/Tokyo' where user_id = tests.id('alice');
select tests.as_user('acme', 'bob');
select is(
  (select concat_ws(' ', item ->> 'ping_time', item ->> 'time_zone') from (select api.get_connection(tests.id('alice-bob'), '2026-03-10T08:00Z') as item) as one),
  '07:15 Asia/Tokyo', 'the receiver sees when the sender''s pings come'
);
select tests.as_superuser();
update kith.connections set status = 'pending' where id = tests.id('alice-bob');
select tests.as_user('acme', 'bob');
select is(
  (select concat_ws(' ', item ->> 'ping_time', item ->> 'time_zone', item ->> 'call') from (select api.get_connection(tests.id('alice-bob'), '2026-03-10T11:00Z') as item) as one),
  '', 'the receiver of a pending connection does not'
);
select is((select phone from internal.own_connections), null, 'nor does the view show the number');
select tests.as_user('acme', 'carol');
select is((select count(*) from internal.own_connections), 0::bigint, 'a stranger sees neither');

-- P11: a number that changes is an event on the dashboards that show it.
select tests.as_superuser();
update kith.connections set status = 'active' where id = tests.id('alice-bob');
update kith.sender_profiles set share_phone = true where user_id = tests.id('alice');
create function tests.shown_to_bob(p_sql text) returns bigint
  language plpgsql
as $$
begin
  perform tests.as_superuser();
  delete from kith.events;
  perform tests.as_definer('acme', 'alice');
  execute p_sql;
  perform tests.as_superuser();
  return (select count(*) from kith.events where user_id = tests.id('bob') and type = 'connection' and subject_id = tests.id('alice-bob'));
end
$$;
select is(
  tests.shown_to_bob($$ select internal.confirm_contact(tests.id('alice'), 'sms', '+4915100000002', '2026-03-10T12:00Z') $$), 1::bigint,
  'the receiver''s dashboard is told of a new number'
);
select is(
  tests.shown_to_bob($$ select internal.set_contacts(account, '{"phone": "+4915100000003"}', '2026-03-10T12:00Z') from kith.users as account where id = tests.id('alice') $$), 1::bigint,
  'also if the tenant''s server sets it'
);
select is(tests.shown_to_bob($$ select internal.propose_contacts('{"phone": null}', '{}', '2026-03-10T12:00Z') $$), 1::bigint, 'and if the sender removes it');
update kith.sender_profiles set share_phone = false where user_id = tests.id('alice');
select is(
  tests.shown_to_bob($$ select internal.confirm_contact(tests.id('alice'), 'sms', '+4915100000004', '2026-03-10T12:00Z') $$), 0::bigint,
  'but not of one that they do not share'
);

select * from finish();
rollback;
