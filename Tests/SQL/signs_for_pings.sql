-- Which sign of life speaks for a ping (X32, J07): one in its window, by the moment of the tap or of its arrival, or an early one that has completed
-- another ping of its date. One row a question. What a row does is undone before the next one.
begin;
\ir people.sql
select plan(32);

-- Alice's ping to Bob, of 10 March from 09:00 to 10:30, which was made after everything else.
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
values (tests.tenant('acme'), '2026-03-10', tests.id('alice-bob'), internal.uuid7('2026-03-10T08:00Z'), tests.id('alice'), tests.id('bob'), 'scheduled',
  '2026-03-10T09:00Z', '2026-03-10T10:30Z');
-- "I'm safe", with or without the moment of the tap.
create function tests.sign(p_received_at timestamptz, p_tapped_at timestamptz default null, p_person text default 'alice', p_tenant text default 'acme') returns uuid
  language sql
as $$
  insert into kith.check_ins (tenant_id, id, user_id, received_at, tapped_at, note, shares_note, created_at)
  values (tests.tenant(p_tenant), internal.uuid7(p_received_at), tests.id(p_person), p_received_at, p_tapped_at, 'at ' || to_char(p_received_at, 'HH24:MI'), true, p_received_at)
  returning id
$$;
-- Another ping of a sender's, which was completed.
create function tests.sibling(p_on date, p_scheduled_at timestamptz, p_completed_at timestamptz, p_check_in uuid default null, p_sender text default 'alice',
  p_status text default 'completed') returns void
  language sql
as $$
  insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, completed_at, check_in_id)
  values (tests.tenant('acme'), p_on, gen_random_uuid(), internal.uuid7(p_completed_at), tests.id(p_sender), tests.id('carol'), p_status, p_scheduled_at,
    p_scheduled_at + interval '90 minutes', p_completed_at, p_check_in)
$$;
-- The moment for which the sign speaks, and its note.
create function tests.spoken() returns text
  language sql
as $$
  select concat_ws(' ', to_char(sign.received_at, 'HH24:MI:SS'), sign.note)
  from kith.pings as ping
  cross join lateral internal.sign_for_ping(ping) as sign
  where ping.connection_id = tests.id('alice-bob') and sign.received_at is not null
$$;

select is(tests.answer(before, 'alice', 'tests.spoken()'), answer, sentence)
from (values
  ($$ select $$, 'nothing', 'without a check-in nothing speaks for a ping'),
  ($$ select tests.sign('2026-03-10T08:59:59.999Z') $$, 'nothing', 'a check-in before its time does not'),
  ($$ select tests.sign('2026-03-10T09:00Z') $$, '09:00:00 at 09:00', 'one at its time does'),
  ($$ select tests.sign('2026-03-10T10:29:59Z') $$, '10:29:59 at 10:29', 'and one just before its deadline'),
  ($$ select tests.sign('2026-03-10T10:30Z') $$, 'nothing', 'one at the deadline does not'),
  ($$ select tests.sign('2026-03-10T09:10Z'), tests.sign('2026-03-10T09:40Z'), tests.sign('2026-03-10T09:20Z') $$, '09:40:00 at 09:40', 'of several, the newest speaks'),
  ($$ select tests.sign('2026-03-10T09:10Z', null, 'mallory') $$, 'nothing', 'somebody else''s does not'),

  -- A tap that arrives later.
  ($$ select tests.sign('2026-03-10T09:10Z', '2026-03-10T09:09Z') $$, '09:10:00 at 09:10', 'a tap that arrives within a minute speaks for its arrival'),
  ($$ select tests.sign('2026-03-10T09:00:30Z', '2026-03-10T08:59:30Z') $$, '09:00:30 at 09:00', 'even if it came before the ping''s time'),
  ($$ select tests.sign('2026-03-10T09:00:30.001Z', '2026-03-10T08:59:30Z') $$, 'nothing', 'one that takes longer speaks for the tap only'),
  ($$ select tests.sign('2026-03-10T12:00Z', '2026-03-10T09:30Z') $$, '09:30:00 at 12:00', 'which completes the ping in whose window it was'),
  ($$ select tests.sign('2026-03-10T12:00Z', '2026-03-10T08:59:59.999Z') $$, 'nothing', 'not one whose time came after it'),
  ($$ select tests.sign('2026-03-10T12:00Z', '2026-03-10T09:00Z') $$, '09:00:00 at 12:00', 'a tap at the ping''s time is in its window'),
  ($$ select tests.sign('2026-03-10T12:00Z', '2026-03-10T10:30Z') $$, 'nothing', 'one at its deadline is not'),
  ($$ select tests.sign('2026-03-10T12:00Z', '2026-03-10T09:10Z'), tests.sign('2026-03-10T13:00Z', '2026-03-10T09:40Z'), tests.sign('2026-03-10T14:00Z', '2026-03-10T09:20Z') $$,
    '09:40:00 at 13:00', 'of several taps, the newest speaks'),
  ($$ select tests.sign('2026-03-10T12:00Z', '2026-03-10T09:10Z', 'mallory') $$, 'nothing', 'somebody else''s tap does not'),
  ($$ select tests.sign('2026-03-10T12:00Z', '2026-03-10T10:00Z'), tests.sign('2026-03-10T09:10Z') $$, '09:10:00 at 09:10', 'one that arrived in the window goes before one that was tapped in it'),

  -- The check-ins beyond 200 a day, of which no row is kept.
  ($$ update kith.sender_profiles set last_check_in_at = '2026-03-10T09:00Z' where user_id = tests.id('alice') $$, '09:00:00', 'the last check-in speaks although its row was not kept'),
  ($$ update kith.sender_profiles set last_check_in_at = '2026-03-10T08:59:59.999Z' where user_id = tests.id('alice') $$, 'nothing', 'unless it was before the ping''s time'),
  ($$ update kith.sender_profiles set last_check_in_at = '2026-03-10T10:30Z' where user_id = tests.id('alice') $$, 'nothing', 'or at its deadline'),
  ($$ update kith.sender_profiles set last_check_in_at = '2026-03-10T09:30Z' where user_id = tests.id('mallory') $$, 'nothing', 'or somebody else''s'),

  -- An early check-in.
  ($$ select tests.sibling('2026-03-10', '2026-03-10T09:00Z', '2026-03-10T07:00Z', tests.sign('2026-03-10T07:00Z')) from tests.sign('2026-03-10T06:30Z') $$, '07:00:00 at 07:00', 'an early check-in that has completed another ping of the date speaks'),
  ($$ select tests.sibling('2026-03-10', '2026-03-10T09:00Z', '2026-03-10T07:00Z') $$, '07:00:00', 'also one whose row was not kept'),
  ($$ select tests.sign('2026-03-10T07:00Z') $$, 'nothing', 'one that has completed nothing does not'),
  ($$ select tests.sibling('2026-03-11', '2026-03-11T09:00Z', '2026-03-10T07:00Z') $$, 'nothing', 'nor one that has completed a ping of another date'),
  ($$ select tests.sibling('2026-03-10', '2026-03-10T09:00Z', '2026-03-10T07:00Z', null, 'mallory') $$, 'nothing', 'nor another sender''s'),
  ($$ select tests.sibling('2026-03-10', '2026-03-10T06:00Z', '2026-03-10T07:00Z') $$, 'nothing', 'nor one in the window of a ping that was earlier'),
  ($$ select tests.sibling('2026-03-10', '2026-03-10T07:00Z', '2026-03-10T07:00Z') $$, 'nothing', 'nor one at the time of such a ping, which is not early'),
  ($$ select tests.sibling('2026-03-10', '2026-03-10T09:00Z', '2026-03-10T07:00Z', null, 'alice', 'completed_late') $$, 'nothing', 'nor a late one'),
  ($$ select tests.sibling('2026-03-10', '2026-03-10T20:00Z', '2026-03-10T10:29:59Z') $$, '10:29:59', 'an early check-in for a later ping speaks if it came before the deadline of this one'),
  ($$ select tests.sibling('2026-03-10', '2026-03-10T20:00Z', '2026-03-10T10:30Z') $$, 'nothing', 'not if it came at that deadline'),
  ($$ select tests.sibling('2026-03-10', '2026-03-10T09:00Z', '2026-03-10T06:00Z'), tests.sibling('2026-03-10', '2026-03-10T09:00Z', '2026-03-10T08:00Z'),
      tests.sibling('2026-03-10', '2026-03-10T09:00Z', '2026-03-10T07:00Z') $$, '08:00:00', 'of several early ones, the newest speaks')
) as cases (before, answer, sentence);

select * from finish();
rollback;
