-- A miss stands until it is answered (X38), whatever happens meanwhile.
begin;
\ir people.sql
\ir alarm_house.sql
select plan(28);
delete from kith.pings;

create function tests.shown(p_person text, p_path text[], p_now timestamptz, p_connection text default 'alice-bob') returns text
  language plpgsql
as $$
declare
  v_text text;
begin
  perform tests.as_user('acme', p_person);
  v_text := api.get_connection(tests.id(p_connection), p_now) #>> p_path;
  perform tests.as_superuser();
  return v_text;
end
$$;

-- Beside the miss that goes on stands the name of the receiver who said that the sender is safe.
select tests.miss('2026-03-02') \g /dev/null
select is(tests.shown('bob', '{missed_ping_resolution}', '2026-03-02T10:40Z'), null, 'nobody has said anything of a miss yet');
select tests.act('carol', 'resolve', '2026-03-02T11:00Z', '{"outcome": "safe"}') \g /dev/null
select is(
  tests.shown('alice', '{missed_ping,date}', '2026-03-02T11:01Z') || ' ' || tests.shown('alice', '{missed_ping_resolution}', '2026-03-02T11:01Z')::jsonb,
  '2026-03-02 {"at": "2026-03-02T11:00:00.000000Z", "by": {"id": "0ca01000-0000-7000-8000-000000000003", "display_name": "Carol"}, "outcome": "safe"}',
  'the sender reads who has said that they are safe, and when, beside the miss that goes on'
);
select is(
  tests.shown('bob', '{missed_ping_resolution,by,display_name}', '2026-03-02T11:01Z'), 'another receiver',
  'another receiver reads it without a name that they may not know'
);
select tests.act('bob', 'reopen', '2026-03-02T11:10Z') \g /dev/null
select is(tests.shown('bob', '{missed_ping_resolution}', '2026-03-02T11:11Z'), null, 'it holds no longer once the alarm has been opened again');
select tests.act('bob', 'resolve', '2026-03-02T11:20Z', '{"outcome": "help_called"}') \g /dev/null
select is(
  concat_ws(' ', tests.shown('bob', '{missed_ping_resolution,by,display_name}', '2026-03-02T11:21Z'), tests.shown('bob', '{missed_ping_resolution,outcome}', '2026-03-02T11:21Z')),
  'Bob help_called', 'that help is called is said too'
);
select tests.miss('2026-03-03') \g /dev/null
select is(
  concat_ws(' ', tests.shown('bob', '{missed_ping,date}', '2026-03-03T10:40Z'), tests.shown('bob', '{missed_ping_resolution}', '2026-03-03T10:40Z')),
  '2026-03-03', 'of the next miss nobody has said anything'
);

-- Whatever happens meanwhile. Each story begins with a miss of 2 March, of which Bob was told, and is undone.
-- What Alice and Bob read of it, what became of the ping, and whether an alarm is open.
create function tests.story(p_story text, p_now timestamptz) returns text
  language plpgsql
as $$
declare
  v_seen text := '';
begin
  delete from kith.pings; delete from kith.alarm_receivers; delete from kith.alarms;
  update kith.sender_profiles set last_check_in_at = null; update kith.connections set missed_on = null;
  perform tests.miss('2026-03-02');
  execute p_story;
  perform tests.as_superuser();
  begin
    v_seen := format('alice %s, bob %s, ',
      coalesce(tests.shown('alice', '{missed_ping,date}', p_now), 'none'), coalesce(tests.shown('bob', '{missed_ping,date}', p_now), 'none'));
  exception when others then
    perform tests.as_superuser();
    v_seen := 'nothing, ';
  end;
  raise exception using errcode = 'TT000', message = v_seen || format('%s, %s open',
    (select status from kith.pings where ping_on = '2026-03-02' and connection_id = tests.id('alice-bob')),
    (select count(*) from kith.alarms where resolved_at is null));
exception
  when sqlstate 'TT000' then
    perform tests.as_superuser();
    return sqlerrm;
end
$$;
create function tests.stands() returns text language sql immutable return 'alice 2026-03-02, bob 2026-03-02, missed, 1 open';

select is(tests.story('select', '2026-03-02T11:00Z'), tests.stands(), 'a miss is seen by both sides');
select is(tests.story($$ select tests.do('alice', 'api.pause_connection(tests.id(''alice-bob''), ''2026-03-02T12:00Z'')'),
  tests.do('alice', 'api.resume_connection(tests.id(''alice-bob''), ''2026-03-05T12:00Z'')') $$, '2026-03-05T12:01Z'), tests.stands(),
  'a resumption after three days hides nothing');
select is(tests.story($$ select tests.do('alice', 'api.put_break(''{"from": "2026-03-03", "until": "2026-03-08"}'', ''2026-03-02T12:00Z'')'),
  tests.do('alice', 'api.put_break(''{"from": "2026-03-06", "until": "2026-03-12"}'', ''2026-03-05T12:00Z'')') $$, '2026-03-06T12:01Z'), tests.stands(),
  'nor does a break that replaces another one');
select is(tests.story($$ select tests.do('alice', 'api.put_break(''{"from": "2026-03-03", "until": "2026-03-20"}'', ''2026-03-02T12:00Z'')'),
  tests.do('alice', 'api.pause_connection(tests.id(''alice-bob''), ''2026-03-06T12:00Z'')') $$, '2026-03-07T12:01Z'), tests.stands(),
  'nor does a pause on the fourth day of a break');
select is(tests.story($$ update kith.connections set pings_stopped_at = '2026-03-03Z', updated_at = '2026-03-03Z' where id = tests.id('alice-bob');
  update kith.connections set pings_stopped_at = null, activated_at = '2026-03-06T12:00Z', updated_at = '2026-03-06T12:00Z' where id = tests.id('alice-bob') $$,
  '2026-03-06T12:01Z'), tests.stands(), 'nor does a subscription that lapses and is renewed');
select is(tests.story($$ update kith.sender_profiles set time_zone = 'Pacific/Kiritimati', timed_at = '2026-03-02T12:00Z' where user_id = tests.id('alice') $$,
  '2026-03-05T12:01Z'), tests.stands(), 'nor does a change of zone');

-- The two are not connected meanwhile.
select is(tests.story($$ select tests.do('alice', 'api.remove_connection(tests.id(''alice-bob''), ''2026-03-02T12:00Z'')') $$, '2026-03-02T12:01Z'),
  'nothing, missed, 1 open', 'while two are not connected, neither sees the miss');
select is(tests.story($$ select tests.do('alice', 'api.remove_connection(tests.id(''alice-bob''), ''2026-03-02T12:00Z'')'),
  tests.do('bob', 'api.create_connection(''111111'', ''2026-03-02T13:00Z'')') $$, '2026-03-02T13:01Z'), tests.stands(),
  'it stands when they connect again');
create function tests.again(p_end text, p_begin text) returns text
  language sql
as $$
  select tests.story(format('select %s, tests.check_in(''alice'', ''2026-03-02T13:00Z''), tests.check_in(''alice'', ''2026-03-02T13:05Z''), %s', p_end, p_begin), '2026-03-02T14:01Z')
$$;
select is(tests.again($$ tests.do('alice', 'api.remove_connection(tests.id(''alice-bob''), ''2026-03-02T12:00Z'')') $$,
  $$ tests.do('bob', 'api.create_connection(''111111'', ''2026-03-02T14:00Z'')') $$), 'alice none, bob none, completed_late, 0 open',
  'a check-in meanwhile answers it for those who connect again');
select is(tests.again($$ tests.do('bob', 'api.delete_receiver_profile(''2026-03-02T12:00Z'')') $$, $$ tests.do('bob', 'api.put_receiver_profile(''{}'', ''2026-03-02T14:00Z'')') $$),
  'alice none, bob none, completed_late, 0 open', 'also for a receiver whose profile comes back');
select is(tests.again($$ tests.do('alice', format('api.put_block(%L, ''2026-03-02T12:00Z'')', tests.id('bob'))) $$,
  $$ tests.do('alice', format('api.delete_block(%L, ''2026-03-02T13:30Z'')', tests.id('bob'))), tests.do('bob', 'api.create_connection(''111111'', ''2026-03-02T14:00Z'')') $$),
  'alice none, bob none, completed_late, 0 open', 'after a block that is taken back');
select is(tests.again($$ tests.do('alice', 'api.delete_sender_profile(''2026-03-02T12:00Z'')') $$,
  $$ tests.do('alice', 'api.put_sender_profile(''{"ping_time": "09:00"}'', ''2026-03-02T14:00Z'')') $$),
  'alice none, bob none, completed_late, 0 open', 'and if it was made without a sender profile (X36)');
select is(tests.story($$ select tests.do('alice', 'api.delete_sender_profile(''2026-03-02T12:00Z'')'),
  tests.do('alice', 'api.put_sender_profile(''{"ping_time": "09:00"}'', ''2026-03-02T14:00Z'')') $$, '2026-03-02T14:01Z'), 'alice 2026-03-02, bob 2026-03-02, missed, 0 open',
  'a profile that ends and comes back answers nothing');
select is(tests.story($$ select tests.do('alice', 'api.remove_connection(tests.id(''alice-bob''), ''2026-03-02T12:00Z'')');
  delete from kith.events; delete from kith.notifications;
  select tests.check_in('alice', '2026-03-02T13:00Z');
  do 'begin if exists (select from kith.events where subject_id = (select id from kith.pings where connection_id = tests.id(''alice-bob''))) or exists (select from kith.notifications where user_id = tests.id(''bob'')) then raise exception ''heard''; end if; end' $$,
  '2026-03-02T13:01Z'), 'nothing, completed_late, 0 open', 'the answer is silent');
select is(
  (
    select (answer ->> 'late') || ' ' || json_array_length(answer -> 'pings')
    from (
      select tests.do('alice', 'api.remove_connection(tests.id(''alice-bob''), ''2026-03-03T12:00Z'')'),
        tests.check_in('alice', '2026-03-03T13:00Z') as answer
    ) as one
  ), '1 1', 'and lists the pings of those who are connected alone'
);
update kith.connections set status = 'active', deleted_at = null, deleted_by = null where id = tests.id('alice-bob');

-- Late taps speak for their moment (J07).
select is(tests.story($$ select tests.check_in('alice', '2026-03-02T13:00Z', '2026-03-02T08:00Z') $$, '2026-03-02T13:01Z'), tests.stands(),
  'a tap of before the ping that arrives after the miss does not answer it');
select is(tests.story($$ select tests.check_in('alice', '2026-03-02T13:00Z', '2026-03-02T10:00Z') $$, '2026-03-02T13:01Z'),
  'alice none, bob none, completed_late, 0 open', 'one of its window does');
select is(tests.story($$ select tests.do('alice', 'api.delete_sender_profile(''2026-03-02T12:00Z'')'), tests.check_in('alice', '2026-03-02T13:00Z', '2026-03-02T08:00Z'),
  tests.do('alice', 'api.put_sender_profile(''{"ping_time": "09:00"}'', ''2026-03-02T14:00Z'')') $$, '2026-03-02T14:01Z'), 'alice 2026-03-02, bob 2026-03-02, missed, 0 open',
  'nor does an earlier tap without a profile');
select is(tests.story($$ select tests.miss('2026-03-03'), tests.check_in('alice', '2026-03-03T13:00Z', '2026-03-02T12:00Z') $$, '2026-03-03T13:01Z'),
  'alice 2026-03-03, bob 2026-03-03, completed_late, 1 open', 'a tap between two misses leaves the newer one');

-- Receivers of later tiers (K04), and a judgement that waits.
select is(tests.story($$ update kith.pings set alarmed_at = null; update kith.connections set missed_on = null;
  select set_config('kith.tenant_id', tests.tenant('acme')::text, true), internal.tell_missed(alarm, array[tests.id('bob')], array[tests.id('alice-bob')], '2026-03-02T11:00Z')
  from kith.alarms as alarm; $$, '2026-03-02T11:01Z'), tests.stands(), 'a receiver of a later tier sees it from when they are told');
select is(tests.story($$ select tests.miss('2026-03-03'), internal.remember_misses(array(select ping from kith.pings as ping where ping_on = '2026-03-02')) $$,
  '2026-03-03T11:01Z'), 'alice 2026-03-03, bob 2026-03-03, missed, 1 open', 'a judgement that waited does not hide a newer miss');

-- X34: a removal between the deadline and a judgement that waits.
select is(
  tests.story($$ delete from kith.pings; delete from kith.alarm_receivers; delete from kith.alarms; delete from kith.notifications;
    insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, asked_at)
    select tenant_id, '2026-03-02', id, gen_random_uuid(), sender_id, receiver_id, 'due', '2026-03-02T09:00Z', '2026-03-02T10:30Z', '2026-03-02T09:00Z'
    from kith.connections where id = tests.id('alice-bob');
    select tests.do('bob', 'api.remove_connection(tests.id(''alice-bob''), ''2026-03-02T18:00Z'')'), tests.run('miss_pings', '2026-03-02T19:00Z');
    do 'begin if exists (select from kith.notifications where type = ''ping_missed'') then raise exception ''told''; end if; end' $$, '2026-03-02T19:01Z'),
  'nothing, missed, 0 open', 'nobody of a connection that has ended is told, and the row stays missed'
);
select * from finish();
