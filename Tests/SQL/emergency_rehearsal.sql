-- The rehearsal says what happens: the clock is driven through it, with the worker's procedures, and nobody acts.
begin;
\ir people.sql
select plan(46);
\set now '''2026-03-25T12:00:00Z'''
\set end '''2026-04-06T06:00:00Z'''
\set later '''2026-03-28T07:30:00Z'''

create function tests.person(p_name text) returns uuid
  language sql immutable
  return md5(p_name)::uuid;

create function tests.act_as(p_name text) returns void
  language sql
as $$
  select set_config('role', 'kith_api', true), set_config('kith.tenant_id', tests.tenant('acme')::text, true),
    set_config('kith.user_id', tests.person(p_name)::text, true);
$$;

-- The owners. Each has a vault, and sends pings to Bob and Carol, who are its nominees too.
create temporary table owners (name text primary key, time_zone text, ping_time time, grace integer, reminder integer);
insert into owners
values
  ('berlin', 'Europe/Berlin', '02:30', 90, 15), ('new-york', 'America/New_York', '23:58', 90, 15),
  ('kiritimati', 'Pacific/Kiritimati', '09:00', 90, 20), ('lord-howe', 'Australia/Lord_Howe', '01:45', 30, 10),
  ('asked', 'UTC', '09:00', 90, 15), ('any-use', 'Asia/Tokyo', '20:45', 60, 5), ('idle', 'UTC', '10:00', 30, 5),
  ('answered', 'Africa/Cairo', '23:30', 700, 100), ('long', 'UTC', '10:59:55', 60, 30),
  ('just-answered', 'UTC', '11:50', 9, 5),
  ('later', 'America/Los_Angeles', '23:58', 90, 15), ('later-early', 'UTC', '18:00', 90, 15);
insert into kith.users (tenant_id, id, external_id, display_name, tokens_valid_from, time_zone, created_at, updated_at)
select tests.tenant('acme'), tests.person(name), name, initcap(name), '2026-01-05T08:00Z', time_zone, '2026-01-05T08:00Z', '2026-01-05T08:00Z'
from owners;
insert into kith.sender_profiles (tenant_id, user_id, time_zone, ping_time, grace_minutes, reminder_minutes, timed_at, created_at, updated_at)
select tests.tenant('acme'), tests.person(name), time_zone, ping_time, grace, reminder, '2026-01-05T08:00Z', '2026-01-05T08:00Z', '2026-01-05T08:00Z'
from owners;
insert into kith.signs_of_life (tenant_id, user_id) select tests.tenant('acme'), tests.person(name) from owners;
insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
select tests.tenant('acme'), tests.person(name || receiver), tests.person(name), tests.id(receiver), status, tests.id(receiver),
  '2026-01-05T08:00Z', '2026-01-05T08:00Z', '2026-01-05T08:00Z'
from owners
cross join (values ('bob', 'active'), ('carol', 'active'), ('mallory', 'pending')) as receivers (receiver, status)
where receiver <> 'mallory' or name in ('berlin', 'asked');
insert into kith.vaults (tenant_id, id, owner_id, name, created_at, updated_at)
select tests.tenant('acme'), tests.person(name || ' vault'), tests.person(name), 'Papers of ' || name, '2026-01-05T08:00Z', '2026-01-05T08:00Z'
from owners;
insert into kith.nominees (tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, updated_at)
select tests.tenant('acme'), tests.person(name || nominee || ' nominee'), tests.person(name || ' vault'), tests.person(name), tests.id(nominee),
  initcap(nominee), 'accepted', 'view', '2026-01-05T08:00Z', tests.person(name), '2026-01-05T08:00Z', '2026-01-05T08:00Z'
from owners
cross join unnest(array['bob', 'carol']) as nominee;

create function tests.give(
  p_owner text, p_nominee text, p_wait integer, p_grant integer, p_days integer, p_sign text default 'check_in'
) returns void
  language sql
as $$
  insert into kith.emergency_settings (
    tenant_id, nominee_id, vault_id, owner_id, wait_hours, access_level, grant_hours, on_request, after_missed_days, sign_of_life, created_at, updated_at
  )
  values (
    tests.tenant('acme'), tests.person(p_owner || p_nominee || ' nominee'), tests.person(p_owner || ' vault'), tests.person(p_owner), p_wait,
    'view', p_grant, true, p_days, p_sign, '2026-01-05T08:00Z', '2026-01-05T08:00Z'
  )
$$;
select tests.give('berlin', 'bob', 48, 24, 2), tests.give('berlin', 'carol', 250, 72, 3), tests.give('new-york', 'bob', 24, 24, 3),
  tests.give('kiritimati', 'bob', 72, 48, 3), tests.give('kiritimati', 'carol', 72, 48, 2), tests.give('lord-howe', 'carol', 1, 1, 2),
  tests.give('asked', 'bob', 240, 72, null), tests.give('asked', 'carol', 100, 30, 2), tests.give('any-use', 'bob', 30, 5, 2, 'any_use'),
  tests.give('any-use', 'carol', 30, 5, 2), tests.give('answered', 'bob', 240, 24, 2), tests.give('long', 'bob', 2160, 720, 2),
  tests.give('later', 'bob', 50, 24, 2), tests.give('later-early', 'bob', 50, 24, 2),
  tests.give('just-answered', 'bob', 48, 24, 2) \g /dev/null
-- Two waits that a check-in does not end: one that is asked for, and one after a silence. Their texts say so.
update kith.emergency_settings set reject_on_check_in = false
where nominee_id in (tests.person('asked' || 'bob' || ' nominee'), tests.person('kiritimati' || 'bob' || ' nominee'));

-- The clock goes from one thing to do to the next, and the worker does all of it.
create function tests.next_instant() returns timestamptz
  language sql
as $$
  select min(at)
  from (
    select starts_at as at from kith.ping_runs where finished_at is null
    union all select scheduled_at from kith.pings where status = 'scheduled'
    union all select least(remind_at, deadline_at + interval '10 seconds') from kith.pings where status = 'due'
    union all select case when told_until_on is null then starts_at else ends_at end from kith.breaks where ended_at is null
    union all select recount_at from kith.signs_of_life
    union all select notice_at from kith.emergency_requests where ended_at is null
  ) as things
$$;
create function tests.drive(p_from timestamptz, p_until timestamptz) returns void
  language plpgsql
as $$
declare
  v_now timestamptz := p_from;
  v_next timestamptz;
  v_rounds integer := 0;
  v_name text;
begin
  while v_now < p_until loop
    perform tests.as_role('kith_worker');
    foreach v_name in array array[
      'generate_daily_pings', 'turn_breaks', 'announce_due_pings', 'remind_senders', 'miss_pings', 'begin_emergency_waits', 'tell_emergencies'
    ] loop
      execute format('select worker.%I($1, 1000)', v_name) using v_now;
    end loop;
    perform tests.as_superuser();
    v_next := tests.next_instant();
    v_rounds := case when v_next > v_now then 0 else v_rounds + 1 end;
    if v_rounds > 1000 then
      raise exception 'the worker leaves something undone at %', v_now;
    end if;
    -- After an outage, misses wait.
    v_now := greatest(v_next, v_now + interval '1 second');
  end loop;
end
$$;
create function tests.check_in(p_owner text, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.act_as(p_owner);
  perform api.check_in(null, false, null, 'app', p_now);
  perform tests.as_superuser();
end
$$;

-- How it came to be: some have missed days already.
select internal.make_partitions('2026-04-01T00:00:00Z', 100) \g /dev/null
insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at)
select distinct tests.tenant('acme'), time_zone, date '2026-03-22', internal.midnight('2026-03-22', time_zone) from owners;
select tests.drive('2026-03-22T00:00Z', '2026-03-23T20:30Z') \g /dev/null
select tests.check_in(name, '2026-03-23T20:30Z') from owners \g /dev/null
select tests.drive('2026-03-23T20:30Z', '2026-03-24T20:00Z') \g /dev/null
select tests.check_in(name, '2026-03-24T20:00Z') from owners where name in ('berlin', 'new-york', 'any-use', 'asked', 'long') \g /dev/null
select tests.act_as('new-york') \g /dev/null
select api.put_break('{"from": "2026-03-28", "until": "2026-03-30"}', '2026-03-24T20:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select tests.drive('2026-03-24T20:00Z', '2026-03-25T10:00Z') \g /dev/null
-- Bob asks, and the worker has not been told.
insert into kith.emergency_requests (
  tenant_id, id, vault_id, nominee_id, owner_id, user_id, cause, reason, wait_hours, access_level, grant_hours, reject_on_check_in, sign_of_life, required,
  requested_at
)
values (
  tests.tenant('acme'), tests.person('request'), tests.person('asked vault'), tests.person('askedbob nominee'), tests.person('asked'), tests.id('bob'),
  'request', 'I am worried', 240, 'view', 72, true, 'check_in', 1, '2026-03-25T10:00Z'
);
select set_config('kith.tenant_id', tests.tenant('acme')::text, true) \g /dev/null
select internal.begin_wait(tests.person('request'), '2026-03-25T10:00Z') \g /dev/null
-- Another nominee who has asked, and whom a silence lets in earlier. The owner is told of the first grant.
insert into kith.emergency_requests (
  tenant_id, id, vault_id, nominee_id, owner_id, user_id, cause, missed_days, wait_hours, access_level, grant_hours, reject_on_check_in, sign_of_life,
  required, requested_at
)
select tests.tenant('acme'), tests.person(cause || ' of lord-howe'), tests.person('lord-howe vault'), tests.person('lord-howebob nominee'), tests.person('lord-howe'),
  tests.id('bob'), cause, days, hours, 'view', 72, true, 'check_in', 1, '2026-03-25T10:00Z'
from (values ('request', null, 100), ('silence', 2, 80)) as request (cause, days, hours);
select internal.begin_wait(tests.person(cause || ' of lord-howe'), '2026-03-25T10:00Z') from unnest(array['request', 'silence']) as cause \g /dev/null
select tests.as_superuser() \g /dev/null
select tests.drive('2026-03-25T10:00Z', '2026-03-25T11:40Z') \g /dev/null
select tests.check_in('answered', '2026-03-25T11:40Z') \g /dev/null
update kith.signs_of_life set seen_at = '2026-03-25T11:50Z' where user_id = tests.person('any-use');
-- After the deadline of a ping that is not judged yet.
update kith.signs_of_life set answered_at = '2026-03-25T11:59:30Z' where user_id = tests.person('just-answered');
-- Kith was down for a moment. It delays Bob's grant, a miss, and keeps the day of an open ping from counting.
select tests.drive('2026-03-25T11:40Z', '2026-03-25T11:46Z') \g /dev/null
insert into kith.outages (component, began_at, ended_at) values ('server', '2026-03-25T11:46:00Z', '2026-03-25T11:47:30Z');
select tests.drive('2026-03-25T11:47:30Z', :now) \g /dev/null
select isnt_empty(
  $$ select from kith.pings where sender_id = tests.person('kiritimati') and status = 'missed' $$, 'somebody has missed days before the rehearsal'
);
select isnt_empty($$ select from kith.pings where status = 'due' $$, 'somebody has an open ping at the rehearsal');

-- The rehearsals.
create temporary table rehearsed (owner text, answer json);
grant all on rehearsed to kith_api;
grant select on owners to kith_api;
create function tests.rehearse(p_owner text, p_from timestamptz, p_now timestamptz) returns json
  language plpgsql
as $$
declare
  v_answer json;
begin
  perform tests.act_as(p_owner);
  v_answer := api.rehearse_emergency(p_from, null, 1000, p_now);
  perform tests.as_superuser();
  return v_answer;
end
$$;
-- Nothing can be written in a read-only transaction.
create function tests.rehearse_read_only(p_owner text, p_from timestamptz, p_now timestamptz) returns json
  language plpgsql
as $$
declare
  v_answer text;
begin
  perform tests.act_as(p_owner);
  perform set_config('role', 'none', true), set_config('transaction_read_only', 'on', true);
  raise exception using errcode = 'TT000', detail = internal.rehearsal(p_from, null, 1000, p_now);
exception when sqlstate 'TT000' then
  get stacked diagnostics v_answer = pg_exception_detail;
  return v_answer;
end
$$;
create function tests.write_read_only() returns void
  language plpgsql
as $$
begin
  perform set_config('transaction_read_only', 'on', true);
  perform tests.give('idle', 'bob', 1, 1, 2);
end
$$;
insert into rehearsed select name, tests.rehearse(name, case when name like 'later%' then :later::timestamptz end, :now) from owners;
select is(
  (select count(*) from rehearsed where tests.rehearse_read_only(owner, case when owner like 'later%' then :later::timestamptz end, :now)::text = answer::text),
  (select count(*) from owners), 'computing a rehearsal writes nothing'
);
select throws_ok(
  $$ select tests.rehearse_read_only('nobody', null, now()) from (select tests.write_read_only()) as attempt $$, '25006', null, 'that check can fail'
);
-- The rehearsal of a plan for alarms goes on to the waits that silence begins (K04).
create function tests.rehearse_plan(p_owner text) returns text
  language plpgsql
as $$
declare
  v_answer text;
begin
  perform tests.act_as(p_owner);
  select string_agg(concat_ws(' ', step ->> 'at', step ->> 'kind', step #>> '{person,display_name}', step ->> 'text'), '; ' order by step ->> 'at', step #>> '{person,id}')
  into v_answer
  from json_array_elements(api.rehearse_alarm_plan('2026-03-25T12:00:00Z') -> 'steps') as step
  where step ->> 'kind' like 'emergency%';
  perform tests.as_superuser();
  return v_answer;
end
$$;
select is(
  tests.rehearse_plan('berlin'),
  (
    select string_agg(concat_ws(' ', first.at, case first.kind when 'grant' then 'emergency_grant' else 'emergency_wait' end, first.name, first.text), '; ' order by first.at, first.id)
    from (
      select distinct on (step ->> 'nominee_id', step ->> 'kind') step ->> 'at' as at, step ->> 'kind' as kind, step #>> '{person,display_name}' as name,
        step #>> '{person,id}' as id, step ->> 'text' as text
      from rehearsed
      cross join lateral json_array_elements(answer -> 'steps') as step
      where owner = 'berlin' and step ->> 'kind' in ('wait_begins', 'grant')
      order by step ->> 'nominee_id', step ->> 'kind', step ->> 'at'
    ) as first
  ), 'the rehearsal of a plan has the first wait of each nominee and its grant'
);
select is(tests.rehearse_plan('idle'), null, 'and none where nothing depends on silence');
select is(json_array_length(answer -> 'steps'), 0, 'there are no steps where no nominee has emergency access') from rehearsed where owner = 'idle';
select is(answer ->> 'from', '2026-03-25T12:00:00.000000Z', 'a rehearsal begins now unless the owner says when') from rehearsed where owner = 'berlin';
select is(answer ->> 'until', '2026-07-23T12:00:00.000000Z', 'it looks 120 days ahead') from rehearsed where owner = 'long';
select is(
  (select array_agg(step ->> 'at' order by n) from json_array_elements(answer -> 'steps') with ordinality as steps (step, n) where step ->> 'kind' like 'grant%'),
  array['2026-06-25T12:00:05.000000Z', '2026-07-25T12:00:05.000000Z'], 'the end of a grant is there though it is later than that'
)
from rehearsed where owner = 'long';
select is(
  (select array_agg(distinct step ->> 'kind' order by step ->> 'kind') from json_array_elements(answer -> 'steps') as step),
  array['grant', 'grant_ends', 'notice', 'ping_due', 'ping_missed', 'ping_reminder', 'receiver_told', 'wait_begins'], 'the kinds of steps'
)
from rehearsed where owner = 'berlin';
select is(
  (select step::jsonb from json_array_elements(answer -> 'steps') as step where step ->> 'kind' = 'receiver_told' limit 1),
  jsonb_build_object(
    'at', '2026-03-26T03:00:10.000000Z', 'kind', 'receiver_told', 'person', jsonb_build_object('id', tests.id('bob'), 'display_name', 'Bob'),
    'text', 'Berlin has not checked in today.'
  ),
  'a step of a receiver names them, and no vault'
)
from rehearsed where owner = 'berlin';

-- Who asks, and what for.
select is(json_array_length(tests.rehearse('nobody', null, :now) -> 'steps'), 0, 'there are no steps for a stranger');
select throws_ok(format('select tests.rehearse(%L, %L, %L)', 'berlin', at, :now), 'KT422', null, sentence)
from (values ('2026-03-25T10:00:00Z', 'a rehearsal does not begin in the past'), ('2026-06-24T12:00:00Z', 'nor in more than 90 days')) as times (at, sentence);
select is(tests.rehearse('idle', '2026-03-25T11:30Z', :now) ->> 'from', '2026-03-25T12:00:00.000000Z', 'a client''s clock may be a little behind');

-- How much is answered.
create function tests.rehearse_part(p_owner text, p_until timestamptz, p_limit integer) returns json
  language plpgsql
as $$
declare
  v_answer json;
begin
  perform tests.act_as(p_owner);
  v_answer := api.rehearse_emergency(null, p_until, p_limit, '2026-03-25T12:00Z');
  perform tests.as_superuser();
  return v_answer;
end
$$;
create function tests.steps(p_answer json) returns jsonb language sql as $$ select p_answer::jsonb -> 'steps' $$;
select is(jsonb_array_length(tests.steps(tests.rehearse_part('berlin', null, p_limit))), p_limit, format('a rehearsal has at most the %s steps that are asked for', p_limit))
from unnest(array[1, 20, 99]) as limits (p_limit);
select is(
  tests.steps(tests.rehearse_part('berlin', null, null)), tests.steps(tests.rehearse_part('berlin', null, 100)), 'the default is 100 steps'
);
select is(
  (
    select array_agg(distinct step ->> 'kind' order by step ->> 'kind') from jsonb_array_elements(tests.steps(tests.rehearse_part('long', null, 3))) as step
  ),
  array['notice', 'wait_begins'], 'the first wait goes before the pings'
);
select is(
  (
    select string_agg(step::text, ' ' order by step ->> 'at', step::text) from jsonb_array_elements(tests.steps(few)) as step
    where (step ->> 'at')::timestamptz < (few ->> 'until')::timestamptz
  ),
  (
    select string_agg(step::text, ' ' order by step ->> 'at', step::text) from jsonb_array_elements(tests.steps(answer)) as step
    where (step ->> 'at')::timestamptz < (few ->> 'until')::timestamptz
  ),
  'and no step before until is left out'
)
from rehearsed, tests.rehearse_part('berlin', null, 20) as few where owner = 'berlin';
select is(tests.rehearse_part('berlin', '2026-03-27T12:00Z', 1000) ->> 'until', '2026-03-27T12:00:00.000000Z', 'it reaches as far as is asked');
select is(
  (select max(step ->> 'at') from jsonb_array_elements(tests.steps(tests.rehearse_part('berlin', '2026-03-27T12:00Z', 1000))) as step where step ->> 'kind' like 'ping%') < '2026-03-27T12', true,
  'and the pings after it are left out'
);
select throws_ok(format('select tests.rehearse_part(%L, %L, null)', owner, until), 'KT422', null, sentence)
from (values
  ('berlin', '2026-03-25T12:00Z', 'it does not end when it begins'), ('idle', '2026-03-25T12:00Z', 'nor does that of somebody who has given nothing'),
  ('berlin', '2026-07-23T12:00:01Z', 'nor more than 120 days later')
) as ends (owner, until, sentence);
select lives_ok($$ select tests.rehearse_part('berlin', '2026-07-23T12:00Z', null) $$, '120 days are allowed');

-- How often. A rehearsal takes much longer than other reads.
create function tests.rehearse_often(p_n integer) returns void
  language sql
  as $$ update kith.act_counts set acts = p_n where act = 'rehearsal' and actor_id = tests.person('idle') $$;
select tests.rehearse_often(99);
select lives_ok(format('select tests.rehearse(%L, null, %L)', 'idle', :now), 'a user can rehearse 100 times a day');
select throws_ok(format('select tests.rehearse(%L, null, %L)', 'idle', :now), 'KT429', 'too_many_requests', 'and no more');
select tests.as_superuser() \g /dev/null
select lives_ok($$ select tests.rehearse('idle', null, '2026-03-26T00:00Z') $$, 'until the next day');

-- What an operator holds.
create function tests.grants_while(p_change text) returns text[]
  language plpgsql
as $$
declare
  v_grants text;
begin
  execute 'update kith.emergency_requests set ' || p_change || ' where id = tests.person(''request'')';
  select array_agg(step ->> 'at' order by step ->> 'at') into v_grants
  from json_array_elements(tests.rehearse('asked', null, '2026-03-25T12:00Z') -> 'steps') as step
  where step ->> 'kind' in ('grant', 'grant_ends') and (step ->> 'nominee_id')::uuid = tests.person('askedbob nominee');
  raise exception using errcode = 'TT000', detail = coalesce(v_grants, '{}');
exception when sqlstate 'TT000' then
  get stacked diagnostics v_grants = pg_exception_detail;
  return v_grants;
end
$$;
select is(
  tests.grants_while('reason = reason'), array['2026-04-04T10:01:30.000000Z', '2026-04-07T10:01:30.000000Z'], 'an open request is continued with its delays'
);
select is(
  tests.grants_while('held_at = ''2026-03-25T11:55Z'', hold_reason = ''x'', held_by = ''x'', held_until = ''2026-03-26T11:55Z'''),
  array['2026-04-05T10:01:30.000000Z', '2026-04-08T10:01:30.000000Z'], 'a hold delays it until its end'
);
select is(
  tests.grants_while('held_at = ''2026-03-25T11:55Z'', hold_reason = ''x'', held_by = ''x'''), '{}'::text[], 'a hold without an end leaves no grant'
);
select is(
  tests.grants_while('ended_at = ''2026-03-25T11:55Z'', end_reason = ''withdrawn'', notice_at = null'), '{}'::text[], 'a request that has ended has no steps'
);

create temporary view said as
select owner, (step ->> 'at')::timestamptz as at, step ->> 'kind' as kind, (step ->> 'nominee_id')::uuid as nominee_id,
  (step #>> '{person,id}')::uuid as person_id, step ->> 'text' as text
from rehearsed
cross join json_array_elements(answer -> 'steps') as step;

-- What happens. Two owners check in before they fall silent.
select tests.drive(:now, :later) \g /dev/null
select tests.check_in(name, :later) from owners where name like 'later%' \g /dev/null
select tests.drive(:later, :end) \g /dev/null
create temporary view happened as
select owner.name as owner, notification.created_at as at,
  case notification.type
    when 'ping_missed' then case when notification.user_id = tests.person(owner.name) then 'ping_missed' else 'receiver_told' end
    when 'emergency_requested' then 'wait_begins' when 'emergency_reminder' then 'notice' when 'emergency_opened' then 'grant'
    else notification.type
  end as kind,
  (notification.data ->> 'nominee_id')::uuid as nominee_id,
  case
    when notification.data ? 'nominee_id' then (
      select user_id from kith.nominees where id = (notification.data ->> 'nominee_id')::uuid
    )
    when notification.user_id <> tests.person(owner.name) then notification.user_id
  end as person_id,
  notification.body as text
from tests.notifications as notification
join owners as owner
  on notification.user_id = tests.person(owner.name)
  or notification.type = 'ping_missed' and exists (
    select from kith.connections
    where id = (notification.data ->> 'connection_id')::uuid and sender_id = tests.person(owner.name) and receiver_id = notification.user_id
  )
where notification.created_at > case when owner.name like 'later%' then :later::timestamptz else :now::timestamptz end
  and notification.type in ('ping_due', 'ping_reminder', 'ping_missed', 'emergency_requested', 'emergency_reminder', 'emergency_opened')
union all
select owner.name, request.ended_at, 'grant_ends', request.nominee_id, request.user_id, initcap(case request.user_id when tests.id('bob') then 'bob' else 'carol' end) || '''s access to Papers of ' || owner.name || ' ends.'
from kith.emergency_requests as request
join owners as owner on request.owner_id = tests.person(owner.name)
where request.end_reason = 'expired' and request.ended_at > :now;

create function tests.difference(p_owner text, p_end timestamptz) returns text
  language sql
as $$
  select string_agg(format('%s %s %s %s %s: %s', differs.side, differs.at, differs.kind, differs.nominee_id, differs.person_id, differs.text), e'\n' order by at, side)
  from (
    (
      select 'only said' as side, at, kind, nominee_id, person_id, text from said where owner = p_owner and at < p_end
      except all
      select 'only said', at, kind, nominee_id, person_id, text from happened where owner = p_owner and at < p_end
    )
    union all
    (
      select 'only happened', at, kind, nominee_id, person_id, text from happened where owner = p_owner and at < p_end
      except all
      select 'only happened', at, kind, nominee_id, person_id, text from said where owner = p_owner and at < p_end
    )
  ) as differs
$$;
select is(tests.difference(name, :end), null, format('what the rehearsal of %s says is what happens', name)) from owners where name <> 'idle' order by name;

select * from finish();
rollback;
