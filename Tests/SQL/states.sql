-- What is said of a person now (I06): each state from both sides and in one's own day, in every language, and the same wherever it is said.
begin;
\ir people.sql
\ir alarm_house.sql
delete from kith.pings;

-- A state as one line: kind and tone, the text, what follows.
create function tests.line(p_state json) returns text
  language sql immutable
  return concat_ws(' ', format('[%s %s]', p_state ->> 'kind', p_state ->> 'tone'), p_state ->> 'text', p_state ->> 'detail');
create function tests.connection_of(p_person text) returns uuid
  language sql immutable
  return case p_person when 'carol' then '0c000000-0000-7000-8000-000000000002'::uuid else tests.id('alice-bob') end;
-- The state of a person's connection, which the list, the dashboard, the first screen and an event say word for word.
create function tests.shown(p_person text, p_now timestamptz) returns text
  language plpgsql
as $$
declare
  v_id uuid := tests.connection_of(p_person);
  v_role text := case p_person when 'alice' then 'sender' else 'receiver' end;
  v_states text[];
begin
  perform tests.as_user('acme', p_person);
  v_states := array(
    select distinct jsonb(said) from unnest(array[
      api.get_connection(v_id, p_now) -> 'state',
      (select item -> 'state' from json_array_elements(api.list_connections(null, null, 50, null, p_now) -> 'items') as item where item ->> 'id' = v_id::text),
      (
        select item -> 'state' from json_array_elements(api.get_dashboard(v_role, 'missed', 50, null, p_now) -> 'items') as item
        where item ->> 'id' = v_id::text
      ),
      (
        select item -> 'state' from json_array_elements(api.home(p_now) -> v_role -> 'dashboard' -> 'items') as item
        where item ->> 'id' = v_id::text
      ),
      (
        select event.data::json -> 'state'
        from api.render_events(p_now, json_build_array(json_build_object(
          'tenant_id', tests.tenant('acme'), 'user_id', tests.id(p_person), 'type', 'connection', 'subject_id', v_id
        ))::jsonb) as event
      )
    ]) as said
  );
  perform tests.as_superuser();
  return array_to_string(array(select tests.line(state::json) from unnest(v_states) as state), ' / ');
end
$$;
create function tests.day(p_person text, p_now timestamptz) returns text
  language plpgsql
as $$
declare
  v_state json;
begin
  perform tests.as_user('acme', p_person);
  v_state := api.home(p_now) -> 'state';
  perform tests.as_superuser();
  return tests.line(v_state);
end
$$;
-- What a story leads to, which is undone: for Bob of Alice, for Alice of Bob, and her own day; with a language, whether each says something else than in
-- English.
create function tests.told_in(p_story text, p_now timestamptz, p_locale text default null) returns text[]
  language plpgsql
as $$
declare
  v_said text[];
  v_english text[];
begin
  execute p_story;
  perform tests.as_superuser();
  v_english := array[tests.shown('bob', p_now), tests.shown('alice', p_now), tests.day('alice', p_now)];
  if p_locale is not null then
    update kith.users set locale = p_locale;
    v_said := array[tests.shown('bob', p_now), tests.shown('alice', p_now), tests.day('alice', p_now)];
    v_said := array(
      select case when said.own <> said.english and said.own ~ '\] \S' then split_part(said.own, ']', 1) = split_part(said.english, ']', 1) end
      from unnest(v_said, v_english) as said (own, english)
    );
  else
    v_said := v_english;
  end if;
  raise exception using errcode = 'TT000', message = array_to_json(v_said);
exception when sqlstate 'TT000' then
  perform tests.as_superuser();
  return array(select json_array_elements_text(sqlerrm::json));
end
$$;

-- Alice is asked at 09:00 and has until 10:30, each on 2 March.
create temporary table stories (n integer generated always as identity, about text, story text, now timestamptz, bob text, alice text, day text);
insert into stories (about, story, now, bob, alice, day)
select about, story, at::timestamptz, bob, alice, day
from (values
  ('nothing is expected', 'select', '2026-03-02T08:00Z',
    '[unknown unknown] Nothing is expected today.',
    '[unknown unknown] Nothing is asked of you today.',
    '[unknown calm] Nothing is asked of you today. The next time you are asked is tomorrow at 09:00.'),
  ('a question is to come', $$ select tests.ask('scheduled') $$, '2026-03-02T08:00Z',
    '[waiting calm] Is asked at 09:00.',
    '[waiting calm] Is told at 10:30 if you have not checked in by then.',
    '[waiting calm] You can say it now. You will be asked at 09:00. If you do not answer, Bob and Carol will be told at 10:30.'),
  ('a question is open', $$ select tests.ask('due') $$, '2026-03-02T09:30Z',
    '[waiting waiting] Not yet checked in. There is time until 10:30.',
    '[waiting waiting] Is told at 10:30 if you have not checked in by then.',
    '[waiting waiting] Let your receivers know you’re safe. If you don’t, Bob and Carol will be told at 10:30 that you have not checked in.'),
  ('the time is up, and nobody has judged it (X39)', $$ select tests.ask('due') $$, '2026-03-02T10:45Z',
    '[late waiting] Not yet checked in. The time was up at 10:30. Kith is late: nobody has been told yet.',
    '[late waiting] Is told soon, unless you check in now: the time was up at 10:30.',
    '[late waiting] Let your receivers know you’re safe. The time is up. Bob and Carol will be told soon that you have not checked in, unless you do it now.'),
  ('the judgement waits (X35)', $$ select tests.ask('due', '2026-03-02T11:00Z') $$, '2026-03-02T10:45Z',
    '[late waiting] Not yet checked in. The time was up at 10:30. Kith was late, so there is time until 11:00.',
    '[late waiting] Kith was late: there is time until 11:00 to check in, before they are told.',
    '[waiting waiting] Let your receivers know you’re safe. If you don’t, Bob and Carol will be told at 11:00 that you have not checked in.'),
  ('a check-in in time', $$ select tests.ask('due'), tests.check_in('alice', '2026-03-02T09:10Z') $$, '2026-03-02T12:00Z',
    '[safe calm] Safe: checked in at 09:10.',
    '[safe calm] Can see that you checked in at 09:10.',
    '[safe calm] You have checked in for today. You checked in at 09:10. Bob and Carol can see it. It came by the app. You will not be asked again until tomorrow '
      'at 09:00.'),
  ('a check-in after the time, of which nobody had been told (X35)',
    $$ select tests.ask('due'); select tests.check_in('alice', '2026-03-02T10:40Z') $$, '2026-03-02T12:00Z',
    '[safe calm] Safe: checked in at 10:40.',
    '[safe calm] Can see that you checked in at 10:40.',
    '[safe calm] You have checked in for today. You checked in at 10:40. Bob and Carol can see it. It came by the app. You will not be asked again until tomorrow '
      'at 09:00.'),
  ('a miss', $$ select tests.miss('2026-03-02') $$, '2026-03-02T11:00Z',
    '[missed alarm] Has not checked in. The time was up at 10:30.',
    '[missed alarm] Was told at 10:30 that you had not checked in.',
    '[missed alarm] You missed today’s check-in. Bob and Carol were told at 10:30. Check in now to let your receivers know you’re safe. Nobody has said yet '
      'that they are looking after you.'),
  ('a miss of yesterday, and a new day', $$ select tests.miss('2026-03-02'); select tests.ask('scheduled', null, '2026-03-03') $$, '2026-03-03T08:00Z',
    '[missed alarm] Has not checked in. The time was up yesterday at 10:30.',
    '[missed alarm] Was told yesterday at 10:30 that you had not checked in.',
    '[missed alarm] You missed the check-in on Monday, 2 March 2026. Bob and Carol were told yesterday at 10:30. Check in now to let your receivers know '
      'you’re safe. Nobody has said yet that they are looking after you.'),
  ('a miss of yesterday, and a new question', $$ select tests.miss('2026-03-02'); select tests.ask('due', null, '2026-03-03') $$, '2026-03-03T09:30Z',
    '[missed alarm] Has not checked in. The time was up yesterday at 10:30. Not yet checked in. There is time until 10:30.',
    '[missed alarm] Was told yesterday at 10:30 that you had not checked in. Is told at 10:30 if you have not checked in by then.',
    '[missed alarm] You missed the check-in on Monday, 2 March 2026. Bob and Carol were told yesterday at 10:30. Check in now to let your receivers know '
      'you’re safe. Nobody has said yet that they are looking after you.'),
  ('a miss that somebody looks after', $$ select tests.miss('2026-03-02'); select tests.act('bob', 'take', '2026-03-02T10:40Z') $$, '2026-03-02T11:00Z',
    '[missed alarm] Has not checked in. The time was up at 10:30.',
    '[missed alarm] Was told at 10:30 that you had not checked in.',
    '[missed alarm] You missed today’s check-in. Bob and Carol were told at 10:30. Check in now to let your receivers know you’re safe. Somebody is looking '
      'after you, since 10:40: Bob.'),
  ('a miss of which somebody has said that all is well',
    $$ select tests.miss('2026-03-02'); select tests.act('carol', 'resolve', '2026-03-02T10:50Z', '{"outcome": "safe"}') $$, '2026-03-02T11:00Z',
    '[missed alarm] Has not checked in. The time was up at 10:30. Another receiver said at 10:50 that they are safe. There is no check-in yet.',
    '[missed alarm] Was told at 10:30 that you had not checked in. Carol said at 10:50 that they are safe. There is no check-in yet.',
    '[missed alarm] You missed today’s check-in. Bob and Carol were told at 10:30. Check in now to let your receivers know you’re safe. Carol said at 10:50 '
      'that you are safe. Your own check-in is still missing.'),
  ('a miss for which the emergency number was called',
    $$ select tests.miss('2026-03-02'); select tests.act('bob', 'resolve', '2026-03-02T10:50Z', '{"outcome": "help_called"}') $$, '2026-03-02T11:00Z',
    '[missed alarm] Has not checked in. The time was up at 10:30. Bob called the emergency number at 10:50. There is no check-in yet.',
    '[missed alarm] Was told at 10:30 that you had not checked in. Bob called the emergency number at 10:50. There is no check-in yet.',
    '[missed alarm] You missed today’s check-in. Bob and Carol were told at 10:30. Check in now to let your receivers know you’re safe. Bob called the '
      'emergency number for you at 10:50. Your own check-in is still missing.'),
  ('a late check-in', $$ select tests.miss('2026-03-02'); select tests.check_in('alice', '2026-03-02T11:00Z') $$, '2026-03-02T12:00Z',
    '[safe calm] Safe: checked in late, at 11:00.',
    '[safe calm] Was told that you checked in late, at 11:00.',
    '[safe calm] You have checked in for today. You checked in late, at 11:00. Bob and Carol were told that you’re safe. It came by the app. You will not be asked again '
      'until tomorrow at 09:00.'),
  ('a check-in of before the deadline that came after it (J07)',
    $$ select tests.miss('2026-03-02'); select tests.check_in('alice', '2026-03-02T11:00Z', '2026-03-02T09:30:00Z') $$, '2026-03-02T12:00Z',
    '[safe calm] Safe: checked in at 09:30; it arrived later.',
    '[safe calm] Was told that you checked in at 09:30; it arrived later.',
    '[safe calm] You have checked in for today. You checked in at 09:30; it arrived later. It came by the app. You will not be asked again until '
      'tomorrow at 09:00.'),
  ('a call for help', $$ select tests.ask('due'), tests.check_in('alice', '2026-03-02T09:10Z'), tests.help('alice', '2026-03-02T09:20Z');
    select tests.tell('2026-03-02T09:20Z') $$, '2026-03-02T12:00Z',
    '[help alarm] Needs help: called for it at 09:20. Last check-in at 09:10.',
    '[safe calm] Can see that you checked in at 09:10.',
    '[help alarm] You have called for help. Nobody has said yet that they are looking after you.'),
  ('a call for help beside a miss', $$ select tests.miss('2026-03-02'); select tests.help('alice', '2026-03-02T11:20Z'); select tests.tell('2026-03-02T11:20Z') $$,
    '2026-03-02T12:00Z',
    '[help alarm] Needs help: called for it at 11:20. Has not checked in. The time was up at 10:30.',
    '[missed alarm] Was told at 10:30 that you had not checked in.',
    '[help alarm] You have called for help. Nobody has said yet that they are looking after you.'),
  ('a break', $$ select tests.do('alice', 'api.put_break(''{"from": "2026-03-02", "until": "2026-03-08"}'', ''2026-03-02T07:00Z'')') $$, '2026-03-02T12:00Z',
    '[break calm] On a break until Sunday, 8 March 2026: you are NOT told if they do not check in.',
    '[break calm] You are on a break until Sunday, 8 March 2026: they are NOT told if you do not check in.',
    '[break calm] You are on a break. Until Sunday, 8 March 2026 you are not asked each day, and no missed check-in is told to anybody.'),
  ('a pause', $$ select tests.do('alice', format('api.pause_connection(%L, ''2026-03-02T07:00Z'')', id)) from kith.connections where sender_id = tests.id('alice') $$,
    '2026-03-02T12:00Z',
    '[paused waiting] Paused: you are NOT told if they do not check in, until they resume the connection.',
    '[paused waiting] Paused: is NOT told if you do not check in, until you resume the connection.',
    '[paused waiting] You have paused your connections. No missed check-in is told to anybody until you resume a connection.'),
  ('a miss and a pause', $$ select tests.miss('2026-03-02');
    select tests.do('alice', format('api.pause_connection(%L, ''2026-03-02T11:00Z'')', tests.id('alice-bob'))) $$, '2026-03-02T12:00Z',
    '[missed alarm] Has not checked in. The time was up at 10:30. Paused: you are NOT told if they do not check in, until they resume the connection.',
    '[missed alarm] Was told at 10:30 that you had not checked in. Paused: is NOT told if you do not check in, until you resume the connection.',
    '[missed alarm] You missed today’s check-in. Bob and Carol were told at 10:30. Check in now to let your receivers know you’re safe. Nobody has said yet '
      'that they are looking after you.'),
  ('a consent that is awaited (P29)', $$ update kith.connections set status = 'pending', code_owner_id = receiver_id where sender_id = tests.id('alice') $$,
    '2026-03-02T12:00Z',
    '[pending waiting] Waits for your consent: until then nobody is told of a missed check-in.',
    '[pending waiting] Waits for their consent: until then nobody is told of a missed check-in.',
    '[pending waiting] Nobody is told yet. Bob and Carol have not agreed yet. Until then nobody is told if you do not check in.'),
  ('a subscription that has ended (X28)', $$ update kith.connections set pings_stopped_at = '2026-03-01Z' where sender_id = tests.id('alice') $$, '2026-03-02T12:00Z',
    '[paused waiting] You are NOT told if they do not check in: your subscription has ended.',
    '[paused waiting] Is NOT told if you do not check in: their subscription has ended.',
    '[paused waiting] Nobody is told now. Nobody is told if you do not check in. Choose somebody else who is told. Bob and Carol are not told if you do not '
      'check in: their subscriptions have ended.'),
  ('pings that have not been made (X39)', $$ insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at)
      values (tests.tenant('acme'), 'UTC', '2026-03-02', '2026-03-02T00:00Z') on conflict (tenant_id, time_zone, ping_on) do update set finished_at = null $$,
    '2026-03-02T12:00Z',
    '[late waiting] Kith is late: they have not been asked yet today.',
    '[late waiting] Kith is late: you have not been asked yet today.',
    '[late waiting] Kith is late with its question. You should have been asked at 09:00, and the question has not been sent. You can say now that you’re safe.')
) as told (about, story, at, bob, alice, day);

-- A ping of a date as it is before anybody has answered it.
create function tests.ask(p_status text, p_judge_at timestamptz default null, p_on date default '2026-03-02') returns void
  language sql
as $$
  insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, asked_at, judge_at)
  select tenant_id, p_on, id, internal.uuid7(p_on + interval '9 hours'), sender_id, receiver_id, p_status, p_on + interval '9 hours',
    p_on + interval '10 hours 30 minutes', case when p_status = 'due' then p_on + interval '9 hours' end, p_judge_at
  from kith.connections
  where sender_id = tests.id('alice') and status = 'active'
$$;

select plan((3 * count(*) + 12)::integer) from stories;
select is(tests.told_in(story, now), array[bob, alice, day], about) from stories order by n;
select is(
  tests.told_in(story, now, locale), '{true,true,true}', format('%s: in %s it has other words, and the same kind and tone', about, locale)
) from stories cross join unnest(array['de', 'de-informal']) with ordinality as languages (locale, m) order by n, m;

-- Of what stands meanwhile.
select is(
  (tests.told_in($$ select tests.ask('due'), tests.check_in('alice', '2026-03-02T09:10Z');
    select tests.does('bob', 'api.ask_sender(tests.id(''alice-bob''), ''2026-03-02T10:00Z'')') $$, '2026-03-02T10:05Z'))::text[],
  array[
    '[unknown unknown] Last check-in at 09:10.', '[safe calm] Can see that you checked in at 09:10.',
    '[waiting waiting] Somebody asks whether you are OK. You checked in at 09:10. Bob and Carol can see it. It came by the app.'
  ], 'nobody is called safe while a newer question waits for the answer (X39)'
);
select is(
  (tests.told_in($$ select tests.ask('due'), tests.check_in('alice', '2026-03-02T09:10Z'), tests.help('alice', '2026-03-02T09:20Z');
    select tests.tell('2026-03-02T09:20Z'); update kith.alarm_receivers set told_at = null where receiver_id = tests.id('bob') $$, '2026-03-02T12:00Z'))[1],
  '[unknown unknown] Last check-in at 09:10.', 'nor by a receiver of a later tier while an alarm stands, of which they read nothing'
);
select is(
  (tests.told_in($$ select tests.ask('due'), tests.check_in('alice', '2026-03-02T09:10Z');
    select tests.do('alice', 'api.drill_alarm(''2026-03-02T09:20Z'')'); select tests.tell('2026-03-02T09:20Z') $$, '2026-03-02T12:00Z'))[1],
  '[safe calm] Safe: checked in at 09:10.', 'a drill makes nobody unsafe'
);

-- Who hears of it, when, and in which order (K04).
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
values (tests.tenant('acme'), 'apns', '{}', '\x00', '2026-01-05Z', '2026-01-05Z');
insert into kith.devices (tenant_id, token, user_id, platform, environment, created_at, last_seen_at)
select tests.tenant('acme'), 'device-' || name, tests.id(name), 'ios', 'production', '2026-01-05Z', '2026-01-05Z' from unnest(array['alice', 'bob', 'carol']) as name;
create function tests.planned(p_tiers jsonb) returns text
  language sql
as $$
  select format('update kith.alarm_plans set user_id = user_id; select tests.do(''alice'', %L); select tests.ask(''due'')', format(
    'api.put_alarm_plan(%L, ''2026-03-01T12:00Z'')', jsonb_build_object('tiers', p_tiers)
  ))
$$;
select is(
  (tests.told_in(tests.planned(jsonb_build_array(
    jsonb_build_object('after_minutes', 5, 'receivers', jsonb_build_array(tests.connection_of('carol'))),
    jsonb_build_object('after_minutes', 30, 'receivers', jsonb_build_array(tests.id('alice-bob')))
  )), '2026-03-02T09:30Z'))[3],
  '[waiting waiting] Let your receivers know you’re safe. If you don’t, Carol will be told at 10:35 that you have not checked in. Bob will be told later, unless '
    'you have checked in or the alarm is over by then.', 'the day names first whom the plan tells first, and the others as later'
);
select is(
  (tests.told_in($$ select tests.ask('due'); delete from kith.devices where user_id = tests.id('carol') $$, '2026-03-02T09:30Z'))[3],
  '[waiting waiting] Let your receivers know you’re safe. If you don’t, Bob will be told at 10:30 that you have not checked in. Carol can’t be reached here.',
  'whoever cannot be reached is not said to be told'
);
select is(
  (tests.told_in($$ select tests.ask('due'); delete from kith.devices where user_id = tests.id('bob') $$, '2026-03-02T09:30Z'))[2],
  '[unreachable alarm] Can’t be reached: no device, number or address is known.', 'and the sender reads it'
);
select is(
  (tests.told_in($$ select tests.miss('2026-03-02');
    update kith.notifications set delivery_status = case user_id when tests.id('bob') then 'queued' else 'failed' end, planned_at = '2026-03-02T10:31Z'
    where type = 'ping_missed' and user_id <> tests.id('alice') $$, '2026-03-02T11:00Z'))[2:3],
  array[
    '[missed alarm] Is being told that you have not checked in.',
    '[missed alarm] You missed today’s check-in. Bob is being told. Carol could not be reached. Nobody has said yet that they are looking after you.'
  ], 'nobody is said to have been told before a channel has taken it'
);
select is(internal.list_text(array['A', 'B', 'C', 'D', 'E'], 'en'), 'A, B, C and 2 more', 'many names are counted');

-- Until when it holds, and whose words they are.
create function tests.until(p_person text, p_now timestamptz) returns text
  language plpgsql
as $$
declare
  v_until text;
begin
  perform tests.as_user('acme', p_person);
  v_until := api.get_connection(tests.id('alice-bob'), p_now) #>> '{state,until}';
  perform tests.as_superuser();
  return v_until;
end
$$;
select tests.ask('due');
select is(tests.until('bob', '2026-03-02T09:30Z'), '2026-03-02T10:30:00.000000Z', 'what is asked holds until the time is up');
select tests.check_in('alice', '2026-03-02T09:40Z') \g /dev/null
select is(tests.until('bob', '2026-03-02T09:41Z'), '2026-03-03T00:00:00.000000Z', '"safe" holds until the sender''s day ends');
update kith.users set time_zone = 'Asia/Tokyo' where id = tests.id('bob');
select is(tests.until('bob', '2026-03-02T09:41Z'), '2026-03-02T15:00:00.000000Z', 'and its words until "today" is another day for the reader');
select tests.as_user('acme', 'bob');
select throws_ok(
  $$ select internal.connection_state(own, null, null, null, null, '{"locale": "en@2000000002", "zone": "UTC"}', '2026-03-02T09:41Z')
    from internal.own_connections as own $$,
  'KT403', 'forbidden', 'nobody reads in another tenant''s words'
);
select tests.as_superuser();
select * from finish();
rollback;
