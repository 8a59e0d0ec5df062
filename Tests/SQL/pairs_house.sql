-- What the stories of rules in pairs share, included after people.sql.
-- Run by itself, outside a transaction, this file must leave nothing behind.
select now() = statement_timestamp() as alone \gset
\if :alone
  \echo 1..0 # SKIP what the stories share
  \q
\endif
-- The answer to a question after a story, which is undone.
create function tests.after(p_story text, p_question text) returns text
  language plpgsql
as $$
declare
  v_answer text;
begin
  execute p_story;
  perform tests.as_superuser();
  execute p_question into v_answer;
  raise exception using errcode = 'TT000', message = coalesce(v_answer, 'nothing');
exception
  when sqlstate 'TT000' then
    perform tests.as_superuser();
    return sqlerrm;
end
$$;
create function tests.act(p_person text, p_sql text) returns text
  language plpgsql
as $$
declare
  v_answer text;
begin
  perform tests.as_user('acme', p_person);
  execute 'select ' || p_sql into v_answer;
  perform tests.as_superuser();
  return v_answer;
end
$$;
create function tests.work(p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.as_role('kith_worker');
  while worker.generate_daily_pings(p_now, 100) > 0 loop end loop;
  while worker.announce_due_pings(p_now, 100) > 0 loop end loop;
  perform worker.remind_senders(p_now, 100);
  while worker.miss_pings(p_now, 100) > 0 loop end loop;
  perform worker.turn_breaks(p_now, 100);
  perform worker.tell_alarms(p_now, 100);
  perform worker.begin_emergency_waits(p_now, 100);
  perform worker.tell_emergencies(p_now, 100);
  perform tests.as_superuser();
end
$$;
-- Two heartbeats with more than a minute between them are an outage.
create function tests.beat(p_component text, variadic p_times timestamptz[]) returns void
  language plpgsql
as $$
declare
  v_at timestamptz;
begin
  foreach v_at in array p_times loop
    perform internal.record_beat(p_component, p_component || '1', '2026-01-01Z', 'x', 0, v_at);
  end loop;
end
$$;
-- The pings of a date are made at its beginning.
create function tests.begin_day(p_on date) returns void
  language plpgsql
as $$
begin
  insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at)
  values (tests.tenant('acme'), 'UTC', p_on, internal.midnight(p_on, 'UTC')) on conflict do nothing;
  perform tests.work(internal.midnight(p_on, 'UTC') + interval '1 second');
end
$$;
create function tests.plan(p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.as_role('kith_worker');
  perform worker.plan_deliveries(p_now, 100, true);
  perform tests.as_superuser();
end
$$;
create function tests.connect(p_sender text, p_receiver text) returns void
  language sql
as $$
  insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
  values (tests.tenant('acme'), gen_random_uuid(), tests.id(p_sender), tests.id(p_receiver), 'active', tests.id(p_receiver), '2026-01-05T08:00Z', '2026-01-05T08:00Z', '2026-01-05T08:00Z')
$$;
create view tests.alice as
select ping.ping_on, ping.status, ping.asked_at, ping.judge_at, ping.deadline_at from kith.pings as ping where ping.sender_id = tests.id('alice');
create function tests.hears(p_person text) returns text
  language sql
as $$
  select string_agg(body, ' | ' order by id) from tests.notifications where user_id = tests.id(p_person)
$$;
create function tests.alarm() returns uuid language sql as $$ select max(id::text)::uuid from kith.alarms $$;
