-- What moves the end of a wait for emergency access, and what does not (E04, E06).
begin;
\ir people.sql
\ir emergency_house.sql
select plan(69);

create function tests.outage(p_from timestamptz, p_until timestamptz) returns void
  language sql as $$ insert into kith.outages (component, began_at, ended_at) values ('server', p_from, p_until) $$;
create function tests.stored() returns text
  language sql as $$ select to_char(grants_at, 'DD HH24:MI:SS') || ' ' || to_char(ends_at, 'DD HH24:MI:SS') from kith.emergency_requests $$;

-- No worker at all.
select tests.ask();
select is(tests.enter('2026-03-12T07:59:59.999Z'), 'vault_locked 2026-03-12T08:00:00.000000Z', 'just before the grant the vault is locked');
select is(tests.enter('2026-03-12T08:00Z'), 'until 2026-03-13T08:00:00.000000Z', 'at the grant the nominee enters, to the second, and no worker has run');
select is(tests.enter('2026-03-13T08:00Z'), 'forbidden', 'at its end nobody does, and no worker has run');
select tests.ask();
select is(tests.tell('2026-03-14T00:00Z'), 1, 'a worker that was dead through it all records the end');
select is((select end_reason || ' ' || to_char(ended_at, 'DD HH24:MI') from kith.emergency_requests), 'expired 13 08:00', 'at the instant at which it ended');
select is((select count(*) from kith.notifications where type in ('emergency_reminder', 'emergency_opened')), 0::bigint, 'and tells of nothing that is over');
select tests.ask();
select is(tests.enter('2026-03-12T08:00Z'), 'until 2026-03-13T08:00:00.000000Z', 'a worker that was dead until after the grant:');
select tests.tell('2026-03-12T12:00Z') \g /dev/null
select is(tests.told('bob', 'emergency_opened'), null, 'does not tell somebody that they can enter who has entered');
select is(tests.told('alice', 'emergency_opened'), array['Bob has entered Papers and can stay until 13 March 2026, 08:00. Say no to end it.'], 'and the owner is told once');
select isnt((select grant_told_at from kith.emergency_requests), null, 'the grant is settled');

-- Kith's outages.
select tests.ask();
select tests.outage('2026-03-11T08:00Z', '2026-03-11T10:00Z');
select is(tests.enter('2026-03-12T09:59:59Z'), 'vault_locked 2026-03-12T10:00:00.000000Z', 'an outage moves the grant by as much, and no worker has run');
select is(tests.enter('2026-03-12T10:00Z'), 'until 2026-03-13T10:00:00.000000Z', 'and the end of the grant, too');
select tests.ask();
select tests.outage('2026-03-11T08:00Z', '2026-03-11T10:00Z');
select is(tests.tell('2026-03-11T10:00:05Z'), 1, 'the worker settles it');
select is(tests.stored(), '12 10:00:00 13 10:00:00', 'the request says so from then on');
select is(tests.delays(), array['outage 11 08:00 11 10:00 12 10:00'], 'the move is a row');
select is(tests.instants('2026-03-11T12:00Z'), '12 10:00:00 13 10:00:00', 'and does not count twice');
select is((tests.told('alice', 'emergency_requested'))[2], 'Bob''s emergency access to Papers moves to 12 March 2026, 10:00.', 'the owner is told the new instant');
select is(tests.told('bob'), array['Your emergency access to Papers moves to 12 March 2026, 10:00.'], 'and the nominee');
select is(tests.tell('2026-03-11T10:00:06Z'), 0, 'once');
select tests.outage('2026-03-12T09:30Z', null);
select is(tests.enter('2026-03-12T11:00Z'), 'vault_locked 2026-03-12T11:30:00.000000Z', 'during an outage the wait stands still');
select is(tests.instants('2026-03-12T11:00Z'), '12 11:30:00 13 11:30:00 still', 'the grant moves along');
select is(tests.tell('2026-03-12T11:00Z'), 1, 'the worker looks at it');
select is(tests.told('bob', 'emergency_opened'), null, 'and grants nothing');
update kith.outages set ended_at = '2026-03-12T12:00Z' where ended_at is null;
select is(tests.tell('2026-03-12T12:00:01Z'), 1, 'after the outage');
select is(tests.stored(), '12 12:30:00 13 12:30:00', 'what was left of the wait is left still');
select tests.outage('2026-03-12T13:00Z', '2026-03-12T14:00Z');
select is(tests.instants('2026-03-12T15:00Z'), '12 12:30:00 13 12:30:00', 'an outage after the grant moves nothing');
select tests.tell('2026-03-12T15:00Z') \g /dev/null
select is(tests.stored(), '12 12:30:00 13 12:30:00', 'and the worker agrees');
select tests.ask();
select tests.outage('2026-03-09T08:00Z', '2026-03-10T09:00Z');
select is(tests.instants('2026-03-10T12:00Z'), '12 09:00:00 13 09:00:00', 'of an outage before the wait, only the part within it counts');
update kith.outages set component = 'worker';
select is(tests.instants('2026-03-10T12:00Z'), '12 09:00:00 13 09:00:00', 'an outage of the worker counts as long as nobody has told the owner');
update kith.notifications set planned_at = '2026-03-10T08:30Z' where type = 'emergency_requested';
select is(tests.instants('2026-03-10T12:00Z'), '12 08:30:00 13 08:30:00', 'and no longer');
update kith.notifications set planned_at = created_at where type = 'emergency_requested';
select is(tests.instants('2026-03-10T12:00Z'), '12 08:00:00 13 08:00:00', 'of one who has been told it moves nothing: the owner can say no all the time');

-- A database restored to an earlier day. Its newest heartbeat is of 11 March at 08:00, and the server comes back on 12 March at 09:00.
select tests.ask();
select tests.as_role('kith_api'); select api.beat('s1', '2026-03-10T00:00Z', null, '2026-03-11T08:00Z') \g /dev/null
select tests.as_superuser();
select is(tests.enter('2026-03-12T09:00Z'), 'vault_locked 2026-03-13T09:00:00.000000Z', 'a restored database lets nobody in before the first heartbeat has recorded the outage');
select tests.as_role('kith_api'); select api.beat('s1', '2026-03-10T00:00Z', null, '2026-03-12T09:00Z') \g /dev/null
select tests.as_superuser();
select is(tests.enter('2026-03-12T09:00:01Z'), 'vault_locked 2026-03-13T09:00:00.000000Z', 'nor afterwards: the time between does not count');
select is(tests.instants('2026-03-12T09:00:50Z'), '13 09:00:00 14 09:00:00', 'servers that send heartbeats delay nothing');

-- An outage of which nobody knows yet when the worker tells of the grant.
select tests.ask();
select tests.as_role('kith_api'); select api.beat('s1', '2026-03-10T00:00Z', null, '2026-03-12T07:59:40Z') \g /dev/null
select tests.as_superuser();
select tests.tell('2026-03-12T08:00:05Z') \g /dev/null
select is(cardinality(tests.told('bob', 'emergency_opened')), 1, 'in the first minute of an outage the worker tells of a grant');
select tests.as_role('kith_api'); select api.beat('s1', '2026-03-10T00:00Z', null, '2026-03-12T08:02Z') \g /dev/null
select tests.as_superuser();
select tests.tell('2026-03-12T08:02:01Z') \g /dev/null
select is(tests.stored(), '12 08:02:20 13 08:02:20', 'afterwards the wait goes on');
select tests.tell('2026-03-12T08:02:20Z') \g /dev/null
select is(cardinality(tests.told('bob', 'emergency_opened')), 2, 'and the grant is told when it really begins');

-- Two servers whose clocks are a minute apart: the one ahead has begun the wait; the check-in comes to the one behind.
select tests.ask(48, '2026-03-10T08:01Z');
select tests.as_user('acme', 'alice') \g /dev/null
select api.check_in(null, false, null, 'app', '2026-03-10T08:00Z') \g /dev/null
select tests.as_superuser();
select is((select end_reason from kith.emergency_requests), 'owner_returned', 'a check-in that seems to be older than the wait ends it all the same');
select is((select ended_at from kith.emergency_requests), '2026-03-10T08:01Z', 'not before it began');

-- A suspended tenant.
select tests.ask();
select tests.as_role('kith_admin');
select admin.suspend_tenant('acme', 'unpaid', '2026-03-11T08:00Z') \g /dev/null
select tests.as_superuser();
select is(tests.instants('2026-03-12T20:00Z'), '13 20:00:00 14 20:00:00 still', 'while its tenant is suspended, a wait stands still');
select tests.tell('2026-03-12T08:00Z') \g /dev/null
select is(tests.told('bob', 'emergency_opened'), null, 'the worker grants nothing');
select tests.as_role('kith_admin');
select admin.resume_tenant('acme', '2026-03-14T08:00Z') \g /dev/null
select tests.as_superuser();
select is(tests.stored(), '15 08:00:00 16 08:00:00', 'resuming the tenant moves it by as much');
select is(tests.delays(), array['suspension 11 08:00 14 08:00 15 08:00'], 'and the move is a row');
select is(tests.told('bob'), array['Your emergency access to Papers moves to 15 March 2026, 08:00.'], 'its people are told');
select is((select began_at::text || ' ' || ended_at from kith.suspensions), '2026-03-11 08:00:00+00 2026-03-14 08:00:00+00', 'the suspension is kept, for the count of missed days');
select is((select suspended_at from kith.tenants where slug = 'acme'), null, 'the tenant is no longer suspended');
delete from kith.suspensions;

select tests.ask();
select tests.plan('2026-03-10T08:00:01Z');
select is(tests.tell('2026-03-10T08:00:02Z'), 1, 'the worker stops the wait whose first notice reached nobody');
select is((select undelivered_since from kith.emergency_requests), '2026-03-10T08:00Z', 'since that notice');
select is(tests.instants('2026-03-11T20:00Z'), '13 20:00:00 14 20:00:00 still', 'the wait stands still');
select tests.tell('2026-03-11T08:00:01Z') \g /dev/null
select is(cardinality(tests.told('alice', 'emergency_requested')), 2, 'the owner is told again after a day');
select tests.tell('2026-03-11T08:10Z') \g /dev/null
select is(cardinality(tests.told('alice', 'emergency_requested')), 2, 'and not more often');
-- Alice has a telephone again.
update kith.users set phone = '+4915100000001', phone_verified_at = '2026-03-11T12:00Z' where id = tests.id('alice');
update kith.notifications set delivery_status = 'sent', sent_at = '2026-03-11T12:00Z' where id = (select notice_id from kith.emergency_requests);
select is(tests.instants('2026-03-11T12:04Z'), '13 12:00:00 14 12:00:00', 'once a notice has been sent, the wait goes on, and no worker has run');
select tests.tell('2026-03-11T12:05Z') \g /dev/null
select is(tests.stored(), '13 12:00:00 14 12:00:00', 'from the first notice that was sent on, the wait goes on');
select is(tests.delays(), array['undelivered 10 08:00 11 12:00 13 12:00'], 'and the move is a row');
select tests.ask();
update kith.users set phone = null, phone_verified_at = null where id = tests.id('alice');
select tests.plan('2026-03-10T08:00:01Z'); select tests.tell('2026-03-10T08:00:02Z') \g /dev/null
select is(tests.enter('2026-03-14T07:59:59Z'), 'vault_locked 2026-03-14T08:00:00.000000Z', 'an owner whom nothing reaches holds it up for at most as long as the wait');
select is(tests.enter('2026-03-14T08:00Z'), 'until 2026-03-15T08:00:00.000000Z', 'and then it is over, on time, and no worker has run');
select tests.ask();
select tests.plan('2026-03-10T08:00:01Z'); select tests.tell('2026-03-10T08:00:02Z') \g /dev/null
select tests.tell('2026-03-12T08:00:01Z') \g /dev/null
select is(tests.stored(), '14 08:00:00 15 08:00:00', 'the worker says the same');
select tests.plan('2026-03-12T08:00:02Z'); select tests.tell('2026-03-12T08:00:03Z') \g /dev/null
select is((select undelivered_since from kith.emergency_requests), null, 'it stands still for that reason only once');

-- Two stalls of one wait: 28 hours until the first notice arrives, and then no other does.
select tests.ask();
select tests.plan('2026-03-10T08:00:01Z'); select tests.tell('2026-03-10T08:00:02Z') \g /dev/null
update kith.notifications set sent_at = '2026-03-11T12:00Z' where id = (select notice_id from kith.emergency_requests);
select tests.tell('2026-03-11T12:05Z') \g /dev/null
select tests.plan('2026-03-11T12:05:01Z'); select tests.tell('2026-03-11T12:05:02Z') \g /dev/null
select is((select undelivered_since from kith.emergency_requests), '2026-03-11T12:05Z', 'a wait can stand still again when a later notice reaches nobody');
select is(tests.instants('2026-03-13T00:00Z'), '14 08:00:00 15 08:00:00', 'both times together are no longer than the wait, and no worker has run');
select tests.tell('2026-03-12T08:05:01Z') \g /dev/null
select is(tests.stored(), '14 08:00:00 15 08:00:00', 'the worker says the same');
select tests.plan('2026-03-12T08:05:02Z'); select tests.tell('2026-03-12T08:05:03Z') \g /dev/null
select is((select undelivered_since from kith.emergency_requests), null, 'then it stands still no more');

-- Two reasons at once: an outage within the time that no notice arrived.
select tests.ask();
select tests.plan('2026-03-10T08:00:01Z'); select tests.tell('2026-03-10T08:00:02Z') \g /dev/null
select tests.outage('2026-03-10T12:00Z', '2026-03-10T14:00Z');
update kith.notifications set sent_at = '2026-03-10T20:00Z' where id = (select notice_id from kith.emergency_requests);
select tests.tell('2026-03-10T20:05Z'), tests.tell('2026-03-10T20:10Z') \g /dev/null
select is(tests.stored(), '12 20:00:00 13 20:00:00', 'time that two reasons stopped counts once');

-- A worker that was away for the first outage, for the grant and for the outages after it.
select tests.ask();
select tests.outage('2026-03-11T08:00Z', '2026-03-11T10:00Z');
select tests.outage('2026-03-12T10:00Z', '2026-03-12T11:00Z');
select tests.outage('2026-03-12T12:00Z', '2026-03-12T13:00Z');
select tests.tell('2026-03-12T14:00Z') \g /dev/null
select is(tests.stored(), '12 10:00:00 13 10:00:00', 'an outage from the very instant of the grant moves nothing, nor does a later one');
select is(tests.delays(), array['outage 11 08:00 11 10:00 12 10:00'], 'and they are no rows');
select tests.ask();
select tests.outage('2026-03-12T08:00Z', '2026-03-12T11:00Z');
select tests.tell('2026-03-12T14:00Z') \g /dev/null
select is(tests.delays(), null, 'a grant that nothing moves has none at all');

-- Twice within one instant of an outage that lasts.
select tests.ask();
select tests.outage('2026-03-11T08:00Z', null);
select internal.settle_delays(request, '2026-03-11T09:00Z', '2026-03-11T09:00Z') from kith.emergency_requests as request \g /dev/null
select internal.settle_delays(request, '2026-03-11T09:00Z', '2026-03-11T09:00Z') from kith.emergency_requests as request \g /dev/null
select is(tests.delays(), array['outage 11 08:00 11 09:00 12 09:00'], 'what is settled twice is settled once');
select tests.ask();
update kith.emergency_requests set held_at = '2026-03-11T08:00Z', held_until = '2026-03-11T20:00Z', held_by = 'postgres', hold_reason = 'a fight at home';
select internal.settle_delays(request, '2026-03-11T09:00Z', '2026-03-11T09:00Z') from kith.emergency_requests as request \g /dev/null
select is(tests.delays(), array['hold 11 08:00 11 09:00 12 09:00'], 'of a hold that lasts, what is still to come is not settled yet');

-- A worker that has stopped comes back while the tenant is suspended, after the stored instant of the grant.
select tests.ask(1);
select tests.plan('2026-03-10T08:00:01Z');
select tests.as_role('kith_admin');
select admin.suspend_tenant('acme', 'unpaid', '2026-03-10T08:30Z') \g /dev/null
select tests.as_superuser();
select tests.tell('2026-03-10T10:00Z') \g /dev/null
select tests.as_role('kith_admin');
select admin.resume_tenant('acme', '2026-03-10T12:00Z') \g /dev/null
select tests.as_superuser();
select is(tests.stored(), '10 13:00:00 11 13:00:00', 'the time before the suspension, of which no notice arrived, does not count either');

select * from finish();
rollback;
