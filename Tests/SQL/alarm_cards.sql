-- Care cards and places (K07, K08): who may see what a person has written for whoever goes to look.
begin;
\ir people.sql
\ir alarm_house.sql
select plan(28);
create function tests.allow(p_person text, p_body jsonb) returns text
  language plpgsql
as $$
declare
  v_answer json;
begin
  perform tests.as_user('acme', p_person);
  v_answer := api.update_connection(tests.id('alice-bob'), p_body, '2026-03-01T08:00Z');
  perform tests.as_superuser();
  return v_answer ->> 'always_care_card';
exception when others then
  perform tests.as_superuser();
  return sqlerrm;
end
$$;

select tests.as_user('acme', 'alice') \g /dev/null
select is(api.put_care_card('\x0a', '\x0b0c', '2026-03-01T08:00Z') #>> '{card,sealed}', '0b0c', 'a card is kept as the server has sealed it');
select is(api.get_care_card('2026-03-01T08:01Z') #>> '{card,sealed_key}', '0a', 'its owner gets it back');
select tests.as_superuser() \g /dev/null
insert into kith.places (tenant_id, user_id, sealed_key, sealed_place, received_at)
values (tests.tenant('acme'), tests.id('alice'), '\x01', '\x02', '2026-03-01T09:00Z');
insert into kith.alarm_plans (tenant_id, user_id, after_minutes, repeat_minutes, take_minutes, answer_minutes, receivers_know_each_other, updated_at)
values (tests.tenant('acme'), tests.id('alice'), '{0,60}', '{}', 30, 30, false, '2026-03-01T08:00Z');
insert into kith.alarm_plan_receivers (tenant_id, user_id, connection_id, tier)
values (tests.tenant('acme'), tests.id('alice'), tests.id('alice-bob'), 1);
select tests.miss('2026-03-02') \g /dev/null
select is(tests.act('bob', 'get', '2026-03-02T10:31Z') ->> 'has_care_card', 'true', 'the alarm says that there is one');
select is(tests.card('bob', '2026-03-02T10:31Z'), '0b0c', 'a receiver who was told sees it');
select is(tests.kinds('alice') like '% card_viewed', true, 'which the sender reads in the timeline');
select is(tests.card('carol', '2026-03-02T10:31Z'), 'not_found', 'one who was not told yet does not');
select is(tests.card('mallory', '2026-03-02T10:31Z'), 'not_found', 'nor a stranger');
select is(tests.card('alice', '2026-03-02T10:31Z'), 'not_found', 'nor the sender by the alarm');
select tests.act('bob', 'resolve', '2026-03-02T10:32Z', '{"outcome": "safe"}') \g /dev/null
select is(tests.card('bob', '2026-03-02T10:33Z'), 'forbidden', 'nobody once it is over');
select tests.act('bob', 'reopen', '2026-03-02T10:34Z') \g /dev/null
select is(tests.card('bob', '2026-03-02T10:35Z'), '0b0c', 'but again when it is opened again');
select is(tests.card('bob', '2026-03-09T10:31Z'), 'forbidden', 'it is over after seven days, whenever the worker comes');

-- The alarm says that there is a place for exactly as long as the place is shown.
update kith.places set located_at = '2026-02-23T10:36Z';
select is(tests.act('bob', 'get', '2026-03-02T10:35:59Z') ->> 'has_place', 'true', 'a place counts from when the device was there');
select is(tests.act('bob', 'get', '2026-03-02T10:36Z') ->> 'has_place', 'false', 'and not from its arrival, as where it is shown');
update kith.places set located_at = null;

-- Always.
select is(tests.card('bob', '2026-03-02T10:36Z', tests.id('alice-bob')), 'forbidden', 'without an alarm nobody sees it');
select is(tests.allow('bob', '{"always_care_card": true}'), 'forbidden', 'a receiver does not allow it to themselves');
select is(tests.allow('alice', '{"always_care_card": true}'), 'true', 'the sender does');
select is(tests.card('bob', '2026-03-02T10:36Z', tests.id('alice-bob')), '0b0c', 'then the receiver sees it');
select is(tests.card('alice', '2026-03-02T10:36Z', tests.id('alice-bob')), 'forbidden', 'by their own connection');
select is(tests.card('mallory', '2026-03-02T10:36Z', tests.id('alice-bob')), 'not_found', 'and no stranger');
select is(tests.answer('select 1', 'alice', $$ api.get_care_card('2026-03-02T10:37Z') #>> '{views,0,person,display_name}' $$), 'Bob', 'the sender sees who has');
update kith.connections set status = 'paused' where id = tests.id('alice-bob');
select is(tests.card('bob', '2026-03-02T10:38Z', tests.id('alice-bob')), 'forbidden', 'a paused connection shows nothing');
update kith.connections set status = 'active' where id = tests.id('alice-bob');
select tests.as_user('acme', 'alice') \g /dev/null
select api.remove_connection(tests.id('alice-bob'), '2026-03-02T10:39Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.card('bob', '2026-03-02T10:40Z', tests.id('alice-bob')), 'not_found', 'nor a removed one');
select is(tests.card('bob', '2026-03-02T10:40Z'), 'not_found', 'nor the alarm that they have left');

-- A drill shows nothing, and neither does the tenant's server.
select tests.check_in('alice', '2026-03-02T10:41Z') \g /dev/null
select tests.as_user('acme', 'alice') \g /dev/null
select api.drill_alarm('2026-03-03T08:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select tests.tell('2026-03-03T09:00Z') \g /dev/null
select is(tests.card('carol', '2026-03-03T09:01Z'), 'forbidden', 'a drill shows no card');
select throws_ok('set local role kith_api; select sealed_card from kith.care_cards', '42501', null, 'no request reads the table');
select tests.as_superuser() \g /dev/null

-- A place is shown for seven days.
select tests.as_user('acme', 'alice') \g /dev/null
select isnt(api.get_care_card('2026-03-08T08:59Z') ->> 'place', null, 'a place is kept for seven days');
select is(api.get_care_card('2026-03-08T09:00Z') ->> 'place', null, 'and not longer, whenever the worker sweeps');
select api.delete_care_card('2026-03-08T09:01Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is((select count(*) from kith.care_cards) + (select count(*) from kith.places), 0::bigint, 'both are deleted together');
select * from finish();
rollback;
