-- Each column of an archive with each odd value of its kind: the import refuses it with a message that names table and column, or the tenant's life
-- goes on: no row is set aside, no miss stays unjudged, no alarm rests for ever, everything can be read, and help can be called.
begin;
\ir people.sql
\ir archived_house.sql
\ir archives.sql
select plan(6);
-- Nobody else lives here, so that the loops find nothing else to do.
delete from kith.pings where tenant_id = tests.tenant('globex');
delete from kith.connections where tenant_id = tests.tenant('globex');

update kith.tenants set deleted_at = '2026-03-09T07:55Z' where slug = 'acme';
select cmp_ok(tests.archive(false, '2026-03-09T08:00Z'), '>', 60, 'an archive');
select is_empty($$ select name from internal.moved_tables() where name not in (select tab from archived) $$, 'has rows of every table');
select tests.begin_restore('2026-03-09T08:00Z') as restored \gset
select tests.as_superuser() \g /dev/null
create function tests.restored() returns integer language sql as $$ select tenant_id from kith.tenants where slug = 'restored' $$;

create temporary table odd_values (kind text not null, value text);
insert into odd_values
select kind, value
from (values
  ('integer', array['-2147483648', '2147483647', '-1', '99999999999']),
  ('bigint', array['-9223372036854775808', '9223372036854775807']),
  ('boolean', array['false', 'true']),
  ('timestamp with time zone', array['infinity', '-infinity', '9999-12-31T00:00:00Z', '2026-06-01T00:00:00Z', '1900-01-01T00:00:00Z']),
  ('date', array['infinity', '-infinity', '9999-12-31', '1900-01-01']),
  ('time without time zone', array['24:00', '00:00']),
  ('uuid', array[
    'ffffffff-ffff-ffff-ffff-ffffffffffff', tests.id('mallory')::text, '0c000000-0000-7000-8000-000000000003', tests.id('globex-alice')::text
  ]),
  ('text', array['', e'a\x01b\x0bc', repeat('x', 100000), '{bogus}', e'\u202egnp']),
  ('bytea', array['\x', '\x' || repeat('00', 100000)]),
  ('jsonb', array[
    'null', '[]', '{}', '{"text": "{bogus}"}', '{"x": "\u0001"}', '[{"before_minutes": -5}, {"before_minutes": 15}]',
    '{"date": "x", "connection_id": 7, "user_id": {}, "name": [], "minutes": "x", "alarm_id": "x", "expires_at": "x"}'
  ]),
  ('text[]', array['{}', '{null}', '{bogus}', '{{a,b},{c,d}}', array_fill('x'::text, array[10000])::text]),
  ('uuid[]', array['{}', '{null}', array_fill('0a11ce00-0000-7000-8000-000000000001'::uuid, array[10000])::text]),
  ('integer[]', array[
    '{}', '{null}', '{-2147483648}', '{2147483647}', '{2000000000}', '{0,null}', '{120,30}', '{30,30}', '{{30},{60}}', '[2:3]={30,60}',
    array_fill(30, array[10000])::text
  ]),
  ('timestamp with time zone[]', array[
    '{}', '{null}', '{infinity}', '{-infinity}', '{"2026-03-09 08:30Z",null}', '{"9999-12-31 00:00Z"}', '{"2026-03-09 09:30Z","2026-03-09 08:30Z"}',
    '{{"2026-03-09 08:30Z"}}', array_fill(timestamptz '2026-03-09T08:30Z', array[10000])::text
  ])
) as kinds (kind, odd)
cross join lateral (select null as value union all select unnest(odd)) as each;

-- One change of one row: where it is, the column, and the value as text.
create temporary table changes (n integer generated always as identity, tab text not null, col text not null, kind text not null, value text, outcome text);
insert into changes (tab, col, kind, value)
select tables.name, moved.name, odd.kind, odd.value
from internal.moved_tables() as tables
cross join unnest(tables.columns) as moved (name)
join pg_attribute as attribute on attribute.attrelid = format('kith.%I', tables.name)::regclass and attribute.attname = moved.name
join odd_values as odd on odd.kind = internal.base_type(attribute.atttypid)::text
order by 1, 2;
select is_empty(
  $$
    select tables.name, moved.name from internal.moved_tables() as tables cross join unnest(tables.columns) as moved (name)
    except select tab, col from changes
  $$,
  'each column has odd values'
);

create function tests.change(p_change changes) returns void
  language plpgsql
as $$
begin
  execute format(
    'update kith.%1$I set %2$I = $1::%3$s where tenant_id = %4$s and (tableoid, ctid) = (
      select one.tableoid, one.ctid from kith.%1$I as one where one.tenant_id = %4$s
      order by one::text ~ $2 desc, one::text collate "C" desc limit 1)',
    p_change.tab, p_change.col, p_change.kind, tests.restored()
  ) using p_change.value, format('%s|%s', tests.id('alice'), tests.id('alice-bob'));
end
$$;
create function tests.lives(p_person text, p_act text) returns text
  language plpgsql
as $$
declare
  v_state text;
  v_context text;
  v_answer json;
  v_tenant integer := tests.restored();
begin
  perform tests.as_role('kith_api');
  perform set_config('kith.tenant_id', v_tenant::text, true), set_config('kith.user_id', tests.id(p_person)::text, true);
  execute 'select ' || p_act into v_answer;
  perform tests.as_superuser();
  return null;
exception when others then
  get stacked diagnostics v_state = returned_sqlstate, v_context = pg_exception_context;
  perform tests.as_superuser();
  -- An account or a profile that has ended is no rule that breaks.
  return case
    when v_state not in ('KT401', 'KT403', 'KT404', 'KT409') then format('%s of %s: %s %s %s', p_act, p_person, v_state, sqlerrm, split_part(v_context, e'\n', 1))
  end;
end
$$;
create function tests.loops(p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_done integer;
  v_loop text;
begin
  perform tests.as_role('kith_worker');
  foreach v_loop in array array[
    'turn_breaks', 'settle_subscriptions', 'generate_daily_pings', 'announce_due_pings', 'remind_senders', 'miss_pings', 'tell_alarms',
    'begin_emergency_waits', 'tell_emergencies', 'lock_expired_sessions', 'alarm_operator', 'plan_deliveries'
  ] loop
    for turn in 1..20 loop
      execute format('select worker.%I($1, 100%s)', v_loop, case v_loop when 'plan_deliveries' then ', true' else '' end) into v_done using p_now;
      exit when v_done = 0;
      if turn = 20 then
        raise exception '% does not come to an end', v_loop;
      end if;
    end loop;
  end loop;
  perform tests.as_superuser();
end
$$;
-- The faults of the tenant at an instant at which all loops have just run; null for none.
create function tests.wrong(p_now timestamptz) returns text
  language sql
as $$
  select wrong.what
  from (
    select format('the loop %s has set %s aside: %s %s', loop, key, sqlstate, place) as what from kith.set_aside
    union all
    select 'a ping is not judged' from kith.pings where tenant_id = tests.restored() and status = 'due' and deadline_at < p_now - interval '1 minute'
    union all
    select 'an alarm is not told' from kith.alarms where tenant_id = tests.restored() and next_at <= p_now
    union all
    select format('an alarm rests until %s', next_at) from kith.alarms where tenant_id = tests.restored() and next_at > p_now + interval '7 days'
    union all
    select format('an alarm is taken until %s', taken_until) from kith.alarms where tenant_id = tests.restored() and taken_until > p_now + interval '2 hours'
    union all
    select 'a question is not judged' from kith.asks where tenant_id = tests.restored() and ended_at is null and answer_by < p_now - interval '1 minute'
    union all
    select format('%s is not told of the %s', account.display_name, news.what)
    from (values (interval '1 hour', 'miss', timestamptz '2026-03-09T10:30Z'), ('4 hours', 'call', '2026-03-09T11:00Z')) as news (since, what, at)
    join kith.connections as connection on connection.tenant_id = tests.restored() and connection.sender_id = tests.id('alice')
    join kith.users as account on account.tenant_id = tests.restored() and account.id = connection.receiver_id and account.deleted_at is null
    join kith.users as sender on sender.tenant_id = tests.restored() and sender.id = connection.sender_id and sender.deleted_at is null
    where connection.status = 'active' and news.at between p_now - news.since and p_now
      and (news.what = 'call' or connection.receiver_id = tests.id('bob') and exists (
        select from kith.pings as ping
        where ping.tenant_id = tests.restored() and ping.ping_on = '2026-03-09' and ping.connection_id = connection.id and ping.status = 'missed'
      ))
      and not exists (
        select from kith.notifications as note
        where note.tenant_id = tests.restored() and note.user_id = account.id and note.created_at between news.at and p_now
          -- A call that ended before it left says so (internal.write_end).
          and (internal.is_alarm(note.type) or note.type = 'ping_all_clear')
      )
  ) as wrong
  limit 1
$$;
-- The faults that show in the hours after the import; null for none.
create function tests.life() returns text
  language plpgsql
as $$
declare
  v_vault uuid := (select id from kith.vaults where tenant_id = tests.restored());
  v_act record;
  v_broken text;
begin
  perform tests.loops(at) from unnest(array[timestamptz '2026-03-09T08:31Z', '2026-03-09T09:00:30Z', '2026-03-09T10:16Z', '2026-03-09T10:31Z']) as at;
  v_broken := tests.wrong('2026-03-09T10:31Z');
  if v_broken is not null then
    return v_broken;
  end if;
  for v_act in
    select acts.person, format(acts.act, '2026-03-09T10:40Z', v_vault) as act from (values
      ('alice', 'api.home(%L)'), ('bob', 'api.home(%L)'), ('carol', 'api.home(%L)'),
      ('alice', 'api.list_alarms(null, null, 50, null, %L)'), ('bob', 'api.list_alarms(null, null, 50, null, %L)'),
      ('alice', 'api.list_notifications(null, null, 50, null)'), ('bob', 'api.list_notifications(null, null, 50, null)'),
      ('carol', 'api.list_notifications(null, null, 50, null)'), ('alice', 'api.get_alarm_plan()'), ('alice', 'api.rehearse_alarm_plan(%L)'),
      ('alice', 'api.list_vaults(null, false, 50, null, %L)'), ('bob', 'api.list_vaults(null, false, 50, null, %L)'),
      ('bob', 'api.my_emergency(%L)'), ('alice', 'api.my_emergency(%L)'), ('alice', 'api.export_me(null, %L)'), ('bob', 'api.export_me(null, %L)'),
      ('bob', 'api.get_notification_preferences()'), ('bob', 'api.get_quiet_hours()'), ('bob', 'api.list_devices()'),
      ('alice', 'api.list_connection_invitations(50, null)'), ('alice', 'api.list_conversations(50, null)'),
      ('alice', 'api.get_vault(%2$L, %1$L)'), ('bob', 'api.get_vault(%2$L, %1$L)'), ('bob', 'api.get_receiver_profile(%L)'),
      ('alice', 'api.get_sender_profile()'), ('alice', 'api.get_break(%L)'),
      ('alice', 'api.call_for_help(''I have fallen'', null, ''app'', ''2026-03-09T11:00Z'')'),
      ('alice', 'api.check_in(null, false, null, ''app'', ''2026-03-09T11:20Z'')')
    ) as acts (person, act)
  loop
    v_broken := tests.lives(v_act.person, v_act.act);
    if v_broken is not null then
      return v_broken;
    end if;
  end loop;
  perform tests.loops('2026-03-09T14:00Z');
  return tests.wrong('2026-03-09T14:00Z');
end
$$;
-- What becomes of an import in which several changes were made. Everything is undone. A change that does not go together with those before it
-- is left out; `done` has the others.
create function tests.outcome(p_changes integer[], out done integer[], out answer text)
  language plpgsql
as $$
declare
  v_change changes;
  v_detail text;
begin
  done := '{}';
  begin
    for v_change in select * from changes where n = any (p_changes) order by n loop
      begin
        perform tests.change(v_change);
        done := done || v_change.n;
      exception when others then
        continue when done <> '{}';
        raise;
      end;
    end loop;
    perform internal.finish_import(tests.restored(), '2026-03-09T08:00Z');
    answer := coalesce(tests.life(), 'fine');
    raise exception using errcode = 'TT000';
  exception
    when sqlstate 'TT000' then null;
    when others then
      get stacked diagnostics v_detail = pg_exception_detail;
      answer := case
        when v_detail like 'The export cannot be trusted: %' then 'refused: ' || v_detail else concat_ws(' ', sqlstate, sqlerrm, v_detail)
      end;
  end;
  perform tests.as_superuser();
end
$$;
create procedure tests.live_with(p_changes integer[])
  language plpgsql
as $$
declare
  v_half integer := cardinality(p_changes) / 2;
  v_outcome record;
begin
  while p_changes <> '{}' loop
    v_outcome := tests.outcome(p_changes);
    if v_outcome.answer = 'fine' or cardinality(p_changes) = 1 then
      update changes set outcome = v_outcome.answer where n = any (v_outcome.done);
      p_changes := array(select unnest(p_changes) except select unnest(v_outcome.done) order by 1);
    else
      call tests.live_with(p_changes[:v_half]);
      p_changes := p_changes[v_half + 1:];
      v_half := cardinality(p_changes) / 2;
    end if;
  end loop;
end
$$;
-- Those that cannot be written, or that an objection names, are found first, one by one, which is cheap.
do $$
declare
  v_change changes;
  v_tenant integer := tests.restored();
  v_now timestamptz := '2026-03-09T08:00Z';
  v_objection text;
begin
  for v_change in select * from changes loop
    begin
      perform tests.change(v_change);
      v_objection := case
        when v_change.kind ~ '^(timestamp|date)' then internal.imported_instant_objection(v_tenant, v_now)
        when v_change.kind ~ '^(text|jsonb)' then internal.import_objection(v_tenant, v_now)
      end;
      v_objection := coalesce(
        v_objection, internal.imported_alarm_objection(v_tenant), internal.imported_row_objection(v_tenant, v_now),
        internal.imported_reference_objection(v_tenant, v_now)
      );
      raise exception using errcode = 'TT000', message = coalesce(v_objection, 'written');
    exception
      when sqlstate 'TT000' then
        update changes set outcome = 'refused: ' || sqlerrm where n = v_change.n and sqlerrm <> 'written';
      when others then
        update changes set outcome = format('refused: %s %s', sqlstate, sqlerrm) where n = v_change.n;
    end;
  end loop;
end
$$;
select is_empty(
  $$ select tab, col, left(value, 40), outcome from changes where outcome !~ '^refused: (22|23|row .+ of [a-z_]+: |''|the |there )' $$,
  'what is refused is a value that the schema does not take, or a row that an objection names with its table'
);
-- The others are lived with: the next value of each column at once, those of the tables that decide about alarms apart from the others.
do $$
declare
  v_round integer[];
begin
  for v_round in
    select array_agg(n order by n)
    from (
      select n, case when tab ~ '^(alarm|ask|connections$|sender_profiles)' then tab end as apart, row_number() over (partition by tab, col order by n) as k
      from changes where outcome is null
    ) as left_over
    group by apart, k
  loop
    call tests.live_with(v_round);
  end loop;
end
$$;
select is_empty(
  $$
    select tab, col, left(value, 60) as value, left(outcome, 300) as outcome from changes
    where outcome is null or outcome <> 'fine' and outcome not like 'refused: %'
  $$,
  'what is not refused can be lived with'
);
-- The values that the reviewers of access found.
select is_empty(
  $$
    select tab, col, value from changes
    where outcome = 'fine' and (tab, col, value) in (
      ('alarm_plans', 'repeat_minutes', '{-2147483648}'), ('alarm_plans', 'after_minutes', '{2000000000}'), ('alarm_plans', 'after_minutes', '{null}'),
      ('alarms', 'taken_until', '9999-12-31T00:00:00Z'), ('alarms', 'repeats_at', '{infinity}'), ('alarm_entries', 'note', e'a\x01b\x0bc'),
      ('alarm_receivers', 'connection_id', '0c000000-0000-7000-8000-000000000003'), ('tenant_texts', 'forms', '{"text": "{bogus}"}')
    )
  $$,
  'a plan, an alarm, a note, a connection and a text that no rule could have written are refused'
);
select * from finish();
rollback;
