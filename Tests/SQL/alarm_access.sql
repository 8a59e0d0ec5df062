-- Who may do what in which state of an alarm: person × state × act.
begin;
\ir people.sql
\ir alarm_house.sql
select plan(13);
-- Bob takes; Carol was told too; Dora stands in a later tier, and is told of a receiver's word that it is over; Erik was told and has left. Mallory is a stranger.
insert into kith.users (tenant_id, id, display_name, tokens_valid_from, created_at, updated_at)
select tests.tenant('acme'), id, name, '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z'
from (values ('0d000000-0000-7000-8000-00000000000d'::uuid, 'Dora'), ('0e000000-0000-7000-8000-00000000000e', 'Erik')) as people (id, name);
insert into kith.receiver_profiles (tenant_id, user_id, created_at, updated_at)
select tests.tenant('acme'), id, '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z' from kith.users where display_name in ('Dora', 'Erik');
insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
select tests.tenant('acme'), ('0c000000-0000-7000-8000-0000000000' || lower(left(display_name, 1)) || '0')::uuid, tests.id('alice'), id, 'active', id,
  '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z'
from kith.users where display_name in ('Dora', 'Erik');
insert into kith.alarm_plans (tenant_id, user_id, after_minutes, repeat_minutes, take_minutes, answer_minutes, receivers_know_each_other, updated_at)
values (tests.tenant('acme'), tests.id('alice'), '{0,300}', '{}', 30, 30, false, '2026-03-01T08:00Z');
insert into kith.alarm_plan_receivers (tenant_id, user_id, connection_id, tier)
select tests.tenant('acme'), tests.id('alice'), id, 1 from kith.connections
where sender_id = tests.id('alice') and id <> '0c000000-0000-7000-8000-0000000000d0';
select tests.miss('2026-03-02') \g /dev/null
select tests.as_superuser() \g /dev/null
select set_config('role', 'none', true), set_config('kith.tenant_id', tests.tenant('acme')::text, true),
  set_config('kith.user_id', (select id::text from kith.users where display_name = 'Erik'), true) \g /dev/null
select api.remove_connection('0c000000-0000-7000-8000-0000000000e0', '2026-03-02T10:31Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is((select count(*) from kith.alarm_receivers where told_at is not null and left_at is null), 2::bigint, 'two were told and are still there');

create function tests.prepare(p_state text) returns timestamptz
  language plpgsql
as $$
declare
  v_now timestamptz := '2026-03-02T10:40Z';
begin
  case p_state
    when 'open' then null;
    when 'taken' then perform tests.act('bob', 'take', v_now);
    when 'lapsed' then perform tests.act('bob', 'take', v_now);
    when 'safe' then perform tests.act('bob', 'resolve', v_now, '{"outcome": "safe"}');
    when 'help_called' then perform tests.act('bob', 'resolve', v_now, '{"outcome": "help_called"}');
    when 'false_alarm' then perform tests.act('alice', 'resolve', v_now, '{"outcome": "false_alarm"}');
    when 'checked_in' then perform tests.check_in('alice', v_now);
    when 'expired' then null;
    when 'safe long ago' then perform tests.act('bob', 'resolve', v_now, '{"outcome": "safe"}');
    when 'safe, newer miss' then
      perform tests.act('bob', 'resolve', v_now, '{"outcome": "safe"}');
      perform tests.keep_alarm();
      perform tests.miss('2026-03-03');
    when 'safe, checked in' then
      perform tests.act('bob', 'resolve', v_now, '{"outcome": "safe"}');
      perform tests.check_in('alice', v_now + interval '1 minute');
    when 'drill' then
      perform tests.check_in('alice', v_now);
      perform tests.as_user('acme', 'alice');
      perform api.drill_alarm(v_now + interval '30 seconds');
      perform tests.as_superuser();
  end case;
  return case p_state
    when 'lapsed' then '2026-03-02T11:20Z'::timestamptz when 'expired' then '2026-03-09T10:30:10Z' when 'safe long ago' then '2026-03-09T10:30:10Z'
    when 'safe, newer miss' then '2026-03-03T10:40Z' else '2026-03-02T10:45Z'
  end;
end
$$;
create function tests.keep_alarm() returns void language sql as $$ select set_config('tests.alarm', tests.alarm_id()::text, true) $$;
-- What an act gives: + done, T taken by another, 4 not found, 3 forbidden, 9 an invalid transition.
create function tests.cell(p_state text, p_person text, p_act text) returns text
  language plpgsql
as $$
declare
  v_now timestamptz;
  v_id uuid;
  v_answer json;
begin
  perform set_config('tests.alarm', '', true);
  v_now := tests.prepare(p_state);
  v_id := coalesce(nullif(current_setting('tests.alarm'), '')::uuid, tests.alarm_id());
  perform set_config('role', 'kith_api', true), set_config('kith.tenant_id', tests.tenant('acme')::text, true), set_config('kith.user_id', (
    select id::text from tests.names where name = p_person
  ), true);
  case p_act
    when 'get' then v_answer := api.get_alarm(v_id, v_now);
    when 'take' then v_answer := api.take_alarm(v_id, '{}', v_now);
    when 'release' then v_answer := api.release_alarm(v_id, v_now);
    when 'safe' then v_answer := api.resolve_alarm(v_id, 'safe', null, null, v_now);
    when 'false_alarm' then v_answer := api.resolve_alarm(v_id, 'false_alarm', null, null, v_now);
    when 'reopen' then v_answer := api.reopen_alarm(v_id, null, v_now);
    when 'note' then v_answer := api.note_alarm(v_id, 'n', v_now);
    when 'card' then v_answer := api.open_alarm_card(v_id, v_now);
  end case;
  raise exception using errcode = 'TT000', message = case when v_answer ->> 'problem' = 'alarm_taken' then 'T' else '+' end;
exception when others then
  perform tests.as_superuser();
  return case sqlstate when 'TT000' then sqlerrm when 'KT404' then '4' when 'KT403' then '3' when 'KT409' then '9' else sqlstate || sqlerrm end;
end
$$;
create table tests.names as
select lower(display_name) as name, id from kith.users where tenant_id = tests.tenant('acme');
grant select on tests.names to public;
-- Alice, Bob, Carol, Dora, Erik, Mallory, one letter each, for the acts get take release safe false_alarm reopen note card.
create function tests.row(p_state text) returns text
  language sql
as $$
  select string_agg(
    (select string_agg(tests.cell(p_state, person, act), '' order by p) from unnest(array['alice', 'bob', 'carol', 'dora', 'erik', 'mallory']) with ordinality as people (person, p)),
    ' ' order by a
  )
  from unnest(array['get', 'take', 'release', 'safe', 'false_alarm', 'reopen', 'note', 'card']) with ordinality as acts (act, a)
$$;
select is(tests.row(state), cells, state)
from (values
  ('open', '+++444 3++444 3++444 3++444 +33444 399444 +++444 4++444'),
  ('taken', '+++444 3+T444 3+9444 3++444 +33444 3++444 +++444 4++444'),
  ('lapsed', '+++444 3++444 3++444 3++444 +33444 399444 +++444 4++444'),
  ('safe', '++++44 399944 399944 399944 933344 3+++44 ++++44 433344'),
  ('help_called', '++++44 399944 399944 399944 933344 3+++44 ++++44 433344'),
  ('false_alarm', '+++444 399444 399444 399444 933444 399444 +++444 433444'),
  ('checked_in', '+++444 399444 399444 399444 933444 399444 +++444 433444'),
  ('expired', '+++444 399444 399444 399444 933444 399444 +++444 433444'),
  ('safe long ago', '++++44 399944 399944 399944 933344 399944 ++++44 433344'),
  ('safe, newer miss', '++++44 399944 399944 399944 933344 399944 ++++44 433344'),
  ('safe, checked in', '++++44 399944 399944 399944 933344 399944 ++++44 433344'),
  ('drill', '+++444 3++444 3++444 3++444 +33444 399444 +++444 433444')
) as states (state, cells);
select * from finish();
rollback;
