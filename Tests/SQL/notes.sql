-- The note of a check-in, and who sees it (P40).
begin;
\ir people.sql
select plan(33);

create function tests.ping(p_on date, p_status text) returns void
  language sql
as $$
  insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
  values (
    tests.tenant('acme'), p_on, tests.id('alice-bob'), gen_random_uuid(), tests.id('alice'), tests.id('bob'), p_status,
    (p_on + time '09:00') at time zone 'UTC', (p_on + time '10:30') at time zone 'UTC'
  )
$$;
create function tests.check_in(p_note text, p_share_note boolean, p_now timestamptz) returns json
  language plpgsql
as $$
begin
  perform tests.as_user('acme', 'alice');
  return api.check_in(p_note, p_share_note, null, 'app', p_now);
end
$$;
-- Everything that somebody gets to see.
create function tests.seen(p_person text, p_now timestamptz) returns text
  language plpgsql
as $$
declare
  v_seen text;
begin
  perform tests.as_user('acme', p_person);
  select concat_ws(' ', api.list_connections(null, null, 50, null, p_now), api.get_dashboard('receiver', null, null, null, p_now), api.get_dashboard('sender', null, null, null, p_now),
    api.list_pings(p_now::date, null, null, null, 50, null, p_now),
    (select string_agg(api.list_connection_pings(own.id, null, null, 50, null, p_now)::text, ' ') from internal.own_connections as own),
    api.list_notifications(false, null, 50, null)
  ) into v_seen;
  perform tests.as_superuser();
  return v_seen;
end
$$;
create function tests.count(p_person text, p_note text, p_now timestamptz) returns integer
  language sql
as $$
  select cardinality(string_to_array(tests.seen(p_person, p_now), p_note)) - 1
$$;

-- A note is the sender's own.
select tests.ping('2026-03-10', 'due');
select is(
  tests.check_in('At the doctor', false, '2026-03-10T09:05Z') -> 'pings' -> 0 ->> 'note', null, 'a note that is not shared is not in the ping'
);
select tests.as_superuser();
select is((select concat_ws(' ', note, shares_note) from kith.check_ins), 'At the doctor f', 'it is kept with the check-in');
select is(tests.count('bob', 'doctor', '2026-03-10T09:06Z'), 0, 'the receiver does not see it anywhere');
select is((select count(*) from kith.pings where note is not null), 0::bigint, 'it is on no ping');
select is((select last_note from kith.sender_profiles where user_id = tests.id('alice')), null, 'it is not on the profile');

-- The sender shares it.
select tests.ping('2026-03-11', 'due');
select is(
  tests.check_in('Gone fishing', true, '2026-03-11T09:05Z') -> 'pings' -> 0 ->> 'note', 'Gone fishing', 'a shared note is in the ping'
);
select tests.as_user('acme', 'bob');
select is(
  api.get_dashboard('receiver', null, null, null, '2026-03-11T09:06Z') -> 'items' -> 0 -> 'today_ping' ->> 'note', 'Gone fishing', 'the receiver''s dashboard has it in today''s ping'
);
select is(
  api.get_dashboard('receiver', null, null, null, '2026-03-11T09:06Z') -> 'items' -> 0 ->> 'last_check_in_note', 'Gone fishing', 'and beside the last check-in'
);
select is(
  api.list_connection_pings(tests.id('alice-bob'), null, null, 50, null, '2026-03-11T09:06Z') -> 'items' -> 0 ->> 'note', 'Gone fishing', 'the list of pings has it'
);
select is(
  (select concat_ws(': ', told ->> 'body', told -> 'data' ->> 'note') from json_array_elements(api.list_notifications(false, null, 50, null) -> 'items') as told limit 1),
  'Alice checked in.: Gone fishing', 'the notification has it in its data, and the usual text'
);
select is(tests.count('carol', 'fishing', '2026-03-11T09:06Z'), 0, 'a stranger does not see it');
select tests.as_user('globex', 'globex-bob');
select is(
  strpos(concat_ws(' ', api.get_dashboard('receiver', null, null, null, '2026-03-11T09:06Z'), api.list_notifications(false, null, 50, null)), 'fishing'), 0, 'nobody of another tenant sees it'
);
select tests.as_role('kith_admin');
select throws_ok('select note from kith.pings', '42501', null, 'an operator cannot read a ping''s note');
select throws_ok('select note from kith.notifications', '42501', null, 'an operator cannot read a notification''s note');
select throws_ok('select last_note from kith.sender_profiles', '42501', null, 'an operator cannot read the last note');
select tests.as_user('acme', 'bob');
select throws_ok('select last_note from kith.sender_profiles', '42501', null, 'the API''s role reads the last note only by the view');

-- Once more on the same day.
select tests.check_in('Back again', true, '2026-03-11T12:00Z') \g /dev/null
select is(tests.count('bob', 'Back again', '2026-03-11T12:01Z'), 2, 'a check-in without an open ping shows its note beside the last check-in');
select tests.check_in('Private', false, '2026-03-11T13:00Z') \g /dev/null
select is(tests.count('bob', 'Back again', '2026-03-11T13:01Z') + tests.count('bob', 'Private', '2026-03-11T13:01Z'), 0, 'the next check-in replaces it');
select tests.check_in('Late news', true, '2026-03-11T12:30Z') \g /dev/null
select is(tests.count('bob', 'Late news', '2026-03-11T13:01Z'), 0, 'an earlier check-in that comes late does not replace it');

-- Late check-ins, and the worker's.
select tests.as_superuser();
select tests.ping('2026-03-12', 'due');
select tests.as_role('kith_worker');
select worker.miss_pings('2026-03-12T10:31Z', 10) \g /dev/null
select tests.check_in('Overslept', true, '2026-03-12T10:40Z') \g /dev/null
select is(tests.count('bob', 'Overslept', '2026-03-12T10:41Z'), 7, 'the all-clear has the note as well');
select tests.check_in('Early bird', true, '2026-03-13T09:10Z') \g /dev/null
select tests.as_superuser();
select tests.ping('2026-03-13', 'scheduled');
select tests.as_role('kith_worker');
select worker.announce_due_pings('2026-03-13T09:11Z', 10) \g /dev/null
select is(tests.count('bob', 'Early bird', '2026-03-13T09:12Z'), 7, 'so has a ping that the worker completes by a check-in');

-- While a connection is pending or paused.
select tests.as_superuser();
update kith.connections set status = 'pending', activated_at = '2026-03-14T08:00Z' where id = tests.id('alice-bob');
select tests.ping('2026-03-14', 'due');
select tests.check_in('Before consent', true, '2026-03-14T09:05Z') \g /dev/null
select is(tests.count('bob', 'Before consent', '2026-03-14T09:06Z'), 0, 'the receiver of a pending connection does not see it');
select tests.as_user('acme', 'bob');
select api.consent_connection(tests.id('alice-bob'), '2026-03-14T10:00Z') \g /dev/null
select is(tests.count('bob', 'Before consent', '2026-03-14T10:01Z'), 0, 'nor does the receiver see it after the consent');
select tests.ping('2026-03-15', 'due');
select tests.as_role('kith_worker');
select worker.miss_pings('2026-03-15T10:31Z', 10) \g /dev/null
select tests.as_user('acme', 'alice');
select api.pause_connection(tests.id('alice-bob'), '2026-03-15T10:32Z') \g /dev/null
select tests.check_in('While paused', true, '2026-03-15T10:40Z') \g /dev/null
select is(
  (select type from kith.notifications where user_id = tests.id('bob') order by id desc limit 1), null, 'the API''s role sees its own notifications only'
);
select tests.as_superuser();
select is(
  (select concat_ws(' ', type, note) from kith.notifications where user_id = tests.id('bob') order by id desc limit 1), 'ping_all_clear',
  'the all-clear over a paused connection has no note'
);
select is(tests.count('bob', 'While paused', '2026-03-15T10:41Z'), 0, 'the receiver of a paused connection sees no note');
select tests.as_user('acme', 'alice');
select api.resume_connection(tests.id('alice-bob'), '2026-03-15T10:42Z') \g /dev/null
select is(tests.count('bob', 'While paused', '2026-03-15T10:43Z'), 0, 'nor after it is resumed');
select is(tests.count('alice', 'While paused', '2026-03-15T10:43Z'), 2, 'the sender sees what they share');

-- Export and deletion.
select tests.as_user('acme', 'alice');
select is(
  (
    select string_agg(concat_ws(' ', item ->> 'note', item ->> 'shares_note'), ', ')
    from json_array_elements(api.export_me('check_ins', '2026-03-15T11:00Z') -> 'value') as item
    where item ->> 'note' in ('Private', 'Overslept')
  ),
  'Overslept true, Private false', 'the export says which notes are shared'
);
select throws_ok(
  $$ select api.check_in(repeat('x', 501), true, null, 'app', '2026-03-15T11:00Z') $$, '23514', null, 'a note has at most 500 characters'
);
select is(api.check_in('', true, null, 'app', '2026-03-15T11:00Z') ->> 'completed', '0', 'an empty note is none');
select api.delete_me(null, '2026-03-15T11:01Z') \g /dev/null
select tests.as_superuser();
select is((select count(*) from kith.pings where note is not null), 0::bigint, 'the end of the account takes the notes from the pings');
select is((select count(*) from kith.notifications where note is not null), 0::bigint, 'and from others'' notifications');

select * from finish();
rollback;
