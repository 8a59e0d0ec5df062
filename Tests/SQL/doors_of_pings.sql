-- Every door through which a ping comes, goes or moves, at each phase of the day, with each kind of check-in: what becomes of Carol's ping
-- of 9 March, and what she reads of it (P13, X23, X32 to X36, J07). Alice is in UTC; her time is 09:00, and her deadline 10:30.
begin;
\ir people.sql
select plan(84);

-- What Alice, Carol, a server, an operator or the worker does. `prepared` is Carol's connection before it; `outcome` names the rows of
-- tests.expected.
create temporary table doors (door text primary key, actor text, prepared text, act text, outcome text);
insert into doors values
  ('Carol enters Alice''s code', 'carol', 'deleted', $$api.create_connection('111111', %1$L)$$, 'made'),
  ('Alice enters Carol''s code', 'alice', 'deleted', $$api.create_connection('333333', %1$L)$$, 'made'),
  ('Alice resumes', 'alice', 'paused', $$api.resume_connection(%2$L, %1$L)$$, 'made'),
  ('an operator reactivates the connection', 'operator', 'deleted', $$admin.reactivate_connection('acme', %2$L, 'A mistake.', %1$L)$$, 'made'),
  ('an import brings the connection', 'server', 'absent',
    $$api.import_items('[{"line": 1, "item": {"kind": "connection", "sender": "a", "receiver": "c"}}]', %1$L)$$, 'made'),
  ('Carol''s profile comes back', 'carol', 'rests', $$api.put_receiver_profile('{}', %1$L)$$, 'made'),
  ('the hourly check finds the gap', 'worker', 'bare', 'worker.find_gaps(%1$L, 100)', 'found'),
  ('Alice''s profile comes back', 'alice', 'ended', $$api.put_sender_profile('{"ping_time": "09:00"}', %1$L)$$, 'made alone'),
  ('Alice ends a break', 'alice', 'break', 'api.delete_break(%1$L)', 'made alone'),
  ('the worker generates late', 'worker', 'ungenerated', 'worker.generate_daily_pings(%1$L, 100)', 'generated'),
  ('Carol consents', 'carol', 'pending', 'api.consent_connection(%2$L, %1$L)', 'consented'),
  ('Alice pauses', 'alice', 'active', 'api.pause_connection(%2$L, %1$L)', 'paused'),
  ('Alice begins a break', 'alice', 'active', $$api.put_break('{"from": "2026-03-09", "until": "2026-03-10"}', %1$L)$$, 'on a break'),
  ('Alice removes', 'alice', 'active', 'api.remove_connection(%2$L, %1$L)', 'removed'),
  ('Carol removes', 'carol', 'active', 'api.remove_connection(%2$L, %1$L)', 'removed'),
  ('an operator removes', 'operator', 'active', $$admin.soft_delete_connection('acme', %2$L, 'Asked by both.', %1$L)$$, 'removed'),
  ('Carol ends her profile', 'carol', 'active', 'api.delete_receiver_profile(%1$L)', 'removed'),
  ('Alice ends her profile', 'alice', 'active', 'api.delete_sender_profile(%1$L)', 'sender gone'),
  ('Alice chooses 12:00', 'alice', 'active', $$api.put_sender_profile('{"ping_time": "12:00"}', %1$L)$$, 'moved'),
  ('Alice flies to New York', 'alice', 'active', $$api.update_me('{"time_zone": "America/New_York"}', null, %1$L)$$, 'moved'),
  ('Alice gives herself 120 minutes', 'alice', 'active', $$api.put_sender_profile('{"ping_time": "09:00", "grace_minutes": 120}', %1$L)$$, 'longer');

create temporary table phases (phase text primary key, at timestamptz, place integer);
insert into phases values
  ('before it is scheduled', '2026-03-09T08:00Z', 1), ('while it is due', '2026-03-09T09:30Z', 2),
  ('after the deadline', '2026-03-09T10:30:05Z', 3), ('after the miss', '2026-03-09T10:31Z', 4);

-- In the order of the columns of tests.expected. The last two are taps that arrive later.
create temporary table check_ins (name text primary key, at timestamptz, tapped_at timestamptz, place integer);
insert into check_ins values
  ('none', null, null, 1), ('early', '2026-03-09T07:00Z', null, 2), ('at 09:10', '2026-03-09T09:10Z', null, 3),
  ('at 09:40', '2026-03-09T09:40Z', null, 4), ('before the miss', '2026-03-09T10:30:07Z', null, 5), ('after it', '2026-03-09T10:40Z', null, 6),
  ('tapped at 09:10', '2026-03-09T09:40Z', '2026-03-09T09:10Z', 7), ('and arrives after the miss', '2026-03-09T10:40Z', '2026-03-09T09:10Z', 8);

-- A letter for what became of the ping and a word for what Carol read: - no ping or a cancelled one, M missed, C completed, L late; with a
-- for the alarm, o for an ordinary check-in, c for the all-clear.
create temporary table expected (outcome text, place integer, results text[], primary key (outcome, place));
insert into expected values
  ('made', 1, '{Ma,C,Co,Co,Lo,Lac,Co,Lac}'), ('made', 2, '{Ma,C,C,Co,Lo,Lac,Co,Lac}'),
  ('made', 3, '{-,-,-,-,-,-,-,-}'), ('made', 4, '{-,-,-,-,-,-,-,-}'),
  -- The early check-in found no ping to complete, so it speaks for none.
  ('made alone', 1, '{Ma,Ma,Co,Co,Lo,Lac,Co,Lac}'), ('made alone', 2, '{Ma,Ma,C,Co,Lo,Lac,Co,Lac}'),
  ('made alone', 3, '{-,-,-,-,-,-,-,-}'), ('made alone', 4, '{-,-,-,-,-,-,-,-}'),
  -- Carol has been connected all day, so she reads of the check-in as soon as there is a ping.
  ('generated', 1, '{Ma,Ma,Co,Co,Lo,Lac,Co,Lac}'), ('generated', 2, '{Ma,Ma,Co,Co,Lo,Lac,Co,Lac}'),
  ('generated', 3, '{-,-,-,-,-,-,-,-}'), ('generated', 4, '{-,-,-,-,-,-,-,-}'),
  ('found', 1, '{Ma,Co,Co,Co,Lo,Lac,Co,Lac}'), ('found', 2, '{Ma,Co,Co,Co,Lo,Lac,Co,Lac}'),
  ('found', 3, '{-,-,-,-,-,-,-,-}'), ('found', 4, '{-,-,-,-,-,-,-,-}'),
  -- A pending connection has its ping, of which nobody is asked or told.
  ('consented', 1, '{Ma,C,Co,Co,Lo,Lac,Co,Lac}'), ('consented', 2, '{Ma,C,C,Co,Lo,Lac,Co,Lac}'),
  ('consented', 3, '{M,C,C,C,Lo,L,C,L}'), ('consented', 4, '{M,C,C,C,L,L,C,L}'),
  ('paused', 1, '{-,Co,-,-,-,-,-,-}'), ('paused', 2, '{-,Co,Co,-,-,-,-,-}'),
  ('paused', 3, '{Ma,Co,Co,Co,L,Lac,Co,Lac}'), ('paused', 4, '{Ma,Co,Co,Co,Lo,Lac,Co,Lac}'),
  ('on a break', 1, '{-,Co,-,-,-,-,-,-}'), ('on a break', 2, '{-,Co,Co,-,-,-,-,-}'),
  ('on a break', 3, '{Ma,Co,Co,Co,Lo,Lac,Co,Lac}'), ('on a break', 4, '{Ma,Co,Co,Co,Lo,Lac,Co,Lac}'),
  -- A receiver who is removed before the judgement hears nothing, then or later (X34). A check-in answers the miss silently (X38).
  ('removed', 1, '{-,Co,-,-,-,-,-,-}'), ('removed', 2, '{-,Co,Co,-,-,-,-,-}'),
  ('removed', 3, '{M,Co,Co,Co,L,L,Co,L}'), ('removed', 4, '{Ma,Co,Co,Co,Lo,La,Co,La}'),
  -- Without a profile a check-in completes no open ping (X36), but it answers a miss, and speaks for what is judged after it (X34).
  ('sender gone', 1, '{-,Co,-,-,-,-,-,-}'), ('sender gone', 2, '{-,Co,Co,-,-,-,-,-}'),
  ('sender gone', 3, '{M,Co,Co,Co,L,L,Co,L}'), ('sender gone', 4, '{Ma,Co,Co,Co,Lo,La,Co,La}'),
  -- The ping has moved, so every check-in of the morning is early, and a tap that arrives later is none.
  ('moved', 1, '{Ma,Co,Co,Co,Co,Co,Ma,Ma}'), ('moved', 2, '{Ma,Co,Co,Co,Lo,Lac,Co,Lac}'),
  ('moved', 3, '{Ma,Co,Co,Co,Lo,Lac,Co,Lac}'), ('moved', 4, '{Ma,Co,Co,Co,Lo,Lac,Co,Lac}'),
  ('longer', 1, '{Ma,Co,Co,Co,Co,Co,Co,Co}'), ('longer', 2, '{Ma,Co,Co,Co,Co,Co,Co,Co}'),
  ('longer', 3, '{Ma,Co,Co,Co,Lo,Lac,Co,Lac}'), ('longer', 4, '{Ma,Co,Co,Co,Lo,Lac,Co,Lac}');

update kith.users set external_id = left(id_of.name, 1)
from (values ('alice'), ('carol')) as id_of (name)
where tenant_id = tests.tenant('acme') and id = tests.id(id_of.name);
delete from kith.connections where tenant_id = tests.tenant('globex');
update kith.sender_profiles set timed_at = '2026-01-05T08:00Z';
insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at) values (tests.tenant('acme'), 'UTC', '2026-03-09', '2026-03-09T00:00Z')
on conflict do nothing;
create function tests.carols() returns uuid language sql immutable return '0c000000-0000-7000-8000-0000000000ac'::uuid;

create function tests.act(p_actor text, p_sql text) returns void
  language plpgsql
as $$
begin
  case p_actor
    when 'worker' then perform tests.as_role('kith_worker');
    when 'operator' then perform tests.as_role('kith_admin');
    when 'server' then perform tests.as_server('acme');
    else perform tests.as_user('acme', p_actor);
  end case;
  execute 'select ' || p_sql;
  perform tests.as_superuser();
end
$$;

create function tests.work(p_now timestamptz, p_prepared text) returns void
  language plpgsql
as $$
begin
  perform tests.as_role('kith_worker');
  if p_prepared <> 'ungenerated' then
    perform worker.generate_daily_pings(p_now, 100);
  end if;
  perform worker.announce_due_pings(p_now, 100);
  perform worker.miss_pings(p_now, 100);
  perform tests.as_superuser();
end
$$;

-- The connection as it was before the day began.
create function tests.prepare(p_prepared text) returns void
  language plpgsql
as $$
begin
  if p_prepared <> 'absent' then
    insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at, deleted_at, deleted_by)
    values (tests.tenant('acme'), tests.carols(), tests.id('alice'), tests.id('carol'),
      case when p_prepared in ('paused', 'pending', 'deleted') then p_prepared else 'active' end, tests.id('carol'), '2026-01-05T08:00Z',
      '2026-01-05T08:00Z', '2026-01-05T08:00Z', case p_prepared when 'deleted' then '2026-03-01Z'::timestamptz end,
      case p_prepared when 'deleted' then 'test' end);
  end if;
  case p_prepared
    when 'rests' then perform tests.act('carol', $_$api.delete_receiver_profile('2026-03-08T12:00Z')$_$);
    when 'ended' then perform tests.act('alice', $_$api.delete_sender_profile('2026-03-08T12:00Z')$_$);
    when 'break' then perform tests.act('alice', $_$api.put_break('{"from": "2026-03-08", "until": "2026-03-10"}', '2026-03-08T12:00Z')$_$);
    else null;
  end case;
  perform tests.work('2026-03-09T00:00:01Z', p_prepared);
  if p_prepared = 'bare' then
    delete from kith.pings where connection_id = tests.carols() and tenant_id = tests.tenant('acme');
  end if;
end
$$;

-- Plays the day, and takes it back.
create function tests.day(p_door doors, p_at timestamptz, p_check_in check_ins) returns text
  language plpgsql
as $$
declare
  v_step record;
  v_result text;
  v_last constant timestamptz := '2026-03-09T14:31Z';
begin
  perform tests.prepare(p_door.prepared);
  for v_step in
    select step.at, step.what
    from (
      values (p_at, 'act'), (p_check_in.at, 'check in')
      union all
      select at, 'work'
      from unnest('{09:00:01,10:30,10:30:10,11:00:10,12:00:01,13:30:10,14:30:10}'::interval[]) as time (time)
      cross join lateral (values ('2026-03-09T00:00Z'::timestamptz + time)) as worked (at)
      where time < '11:00' or p_door.outcome in ('moved', 'longer')
      union all
      -- Soon after the act, as the worker of a running installation does.
      values (p_at + interval '1 second', 'work')
    ) as step (at, what)
    where step.at is not null
    order by step.at
  loop
    case v_step.what
      when 'work' then perform tests.work(v_step.at, p_door.prepared);
      when 'check in' then perform tests.act('alice', format('api.check_in(null, false, %L, ''app'', %L)', p_check_in.tapped_at, v_step.at));
      else
        perform tests.act(p_door.actor, format(p_door.act, v_step.at, tests.carols()));
    end case;
  end loop;
  select coalesce(max(case ping.status
    when 'missed' then 'M' when 'completed' then 'C' when 'completed_late' then 'L' when 'cancelled' then '-' else ping.status end), '-')
  into v_result
  from kith.pings as ping
  where ping.tenant_id = tests.tenant('acme') and ping.receiver_id = tests.id('carol') and ping.ping_on = '2026-03-09';
  select v_result || coalesce(string_agg(
    case notice.type when 'ping_missed' then 'a' when 'ping_completed' then 'o' when 'ping_all_clear' then 'c' end, '' order by notice.id), '')
  into v_result
  from kith.notifications as notice
  where notice.tenant_id = tests.tenant('acme') and notice.user_id = tests.id('carol') and notice.type like 'ping\_%';
  raise exception using errcode = 'KT999', message = v_result;
exception
  when sqlstate 'KT999' then
    perform tests.as_superuser();
    return sqlerrm;
end
$$;

select is(
  (select array_agg(tests.day(one, phase.at, check_in) order by check_in.place) from check_ins as check_in),
  expected.results, format('%s %s', one.door, phase.phase)
)
from doors as one
cross join phases as phase
join expected on expected.outcome = one.outcome and expected.place = phase.place
order by one.outcome, one.door, phase.place;

select * from finish();
rollback;
