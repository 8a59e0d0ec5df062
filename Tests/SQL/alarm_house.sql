-- What the tests of alarms share, included after people.sql: Carol receives from Alice too.
-- Run by itself, outside a transaction, this file must leave nothing behind.
select now() = statement_timestamp() as alone \gset
\if :alone
  \echo 1..0 # SKIP what the tests of alarms share
  \q
\endif
insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
values (tests.tenant('acme'), '0c000000-0000-7000-8000-000000000002', tests.id('alice'), tests.id('carol'), 'active', tests.id('carol'),
  '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z');
delete from kith.connections where id = tests.id('globex-alice-bob');

create function tests.do(p_person text, p_sql text) returns void
  language plpgsql
as $$
begin
  perform tests.as_user('acme', p_person);
  execute 'select ' || p_sql;
  perform tests.as_superuser();
end
$$;

create function tests.run(p_name text, p_now timestamptz, p_batch integer default 100) returns integer
  language plpgsql
as $$
declare
  v_done integer;
begin
  perform tests.as_role('kith_worker');
  execute format('select worker.%I($1, $2)', p_name) into v_done using p_now, p_batch;
  perform tests.as_superuser();
  return v_done;
end
$$;
create function tests.tell(p_now timestamptz) returns void
  language plpgsql
as $$
begin
  for n in 1..20 loop
    exit when tests.run('tell_alarms', p_now) = 0;
    if n = 20 then
      raise exception 'the loop of alarms does not come to an end';
    end if;
  end loop;
end
$$;
-- Alice's pings of a date come due at 09:00 and are judged after 10:30.
create function tests.miss(p_on date, p_at time default '10:30:10') returns integer
  language plpgsql
as $$
begin
  insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, asked_at)
  select tenant_id, p_on, id, internal.uuid7(p_on + interval '9 hours'), sender_id, receiver_id, 'due', p_on + interval '9 hours',
    p_on + interval '10 hours 30 minutes', p_on + interval '9 hours'
  from kith.connections
  where sender_id = tests.id('alice') and status = 'active'
  on conflict do nothing;
  return tests.run('miss_pings', p_on + p_at);
end
$$;
create function tests.check_in(p_person text, p_now timestamptz, p_tapped_at text default null) returns json
  language plpgsql
as $$
declare
  v_answer json;
begin
  perform tests.as_user('acme', p_person);
  v_answer := api.check_in(null, false, p_tapped_at, 'app', p_now);
  perform tests.as_superuser();
  return v_answer;
end
$$;
create function tests.help(p_person text, p_now timestamptz, p_note text default null) returns json
  language plpgsql
as $$
declare
  v_answer json;
begin
  perform tests.as_user('acme', p_person);
  v_answer := api.call_for_help(p_note, null, 'app', p_now);
  perform tests.as_superuser();
  return coalesce(v_answer -> 'body', v_answer);
end
$$;
create function tests.alarm_id() returns uuid
  language sql stable
  return (select id from kith.alarms order by id desc limit 1);
create function tests.alarm(p_now timestamptz default '2026-03-02T10:31Z') returns jsonb
  language sql stable
  return (select internal.alarm_json(alarm, null, p_now)::jsonb from kith.alarms as alarm where id = tests.alarm_id());
create function tests.act(p_person text, p_act text, p_now timestamptz, p_body jsonb default '{}') returns json
  language plpgsql
as $$
declare
  v_id uuid := tests.alarm_id();
  v_answer json;
begin
  perform tests.as_user('acme', p_person);
  case p_act
    when 'get' then v_answer := api.get_alarm(v_id, p_now);
    when 'take' then v_answer := api.take_alarm(v_id, p_body, p_now);
    when 'release' then v_answer := api.release_alarm(v_id, p_now);
    when 'resolve' then v_answer := api.resolve_alarm(v_id, p_body ->> 'outcome', p_body ->> 'note', p_body ->> 'seen_at', p_now);
    when 'reopen' then v_answer := api.reopen_alarm(v_id, p_body ->> 'note', p_now);
    when 'notes' then v_answer := api.note_alarm(v_id, p_body ->> 'body', p_now);
  end case;
  perform tests.as_superuser();
  return v_answer;
end
$$;
create function tests.refusal(p_person text, p_act text, p_now timestamptz, p_body jsonb default '{}') returns text
  language plpgsql
as $$
begin
  return 'done: ' || tests.act(p_person, p_act, p_now, p_body);
exception when others then
  perform tests.as_superuser();
  return sqlerrm;
end
$$;
create function tests.told(p_type text) returns text
  language sql
as $$
  select string_agg(person.display_name, ', ' order by person.display_name)
  from kith.notifications as note
  join kith.users as person on person.tenant_id = note.tenant_id and person.id = note.user_id
  where type = p_type
$$;
create function tests.body(p_person text, p_type text) returns text
  language sql
as $$
  select string_agg(body, ' | ' order by id) from tests.notifications where user_id = tests.id(p_person) and type = p_type
$$;
create function tests.kinds(p_person text) returns text
  language sql
as $$
  select string_agg(line ->> 'kind', ' ' order by n)
  from json_array_elements(tests.act(p_person, 'get', '2026-03-02T23:00Z') -> 'timeline') with ordinality as timeline (line, n)
$$;
-- Plans the deliveries of everything that was told.
create function tests.plan_all(p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.as_role('kith_worker');
  while worker.plan_deliveries(p_now, 100, false) > 0 loop
  end loop;
  perform tests.as_superuser();
end
$$;
-- The channels on which a person was sent notifications of a type.
create function tests.channels(p_person text, p_type text) returns text
  language sql
as $$
  select string_agg(distinct delivery.channel, ' ' order by delivery.channel)
  from kith.notifications as note
  join kith.deliveries as delivery on delivery.tenant_id = note.tenant_id and delivery.notification_id = note.id
  where note.user_id = tests.id(p_person) and note.type = p_type and delivery.status <> 'dropped'
$$;
-- The refusal of a question "Are you OK?" to Alice.
create function tests.asks(p_person text, p_now timestamptz) returns text
  language plpgsql
as $$
begin
  perform tests.as_user('acme', p_person);
  perform api.ask_sender(tests.id('alice-bob'), p_now);
  perform tests.as_superuser();
  return 'asked';
exception when others then
  perform tests.as_superuser();
  return sqlerrm;
end
$$;
-- The sealed care card as a person sees it in the newest alarm, or on a connection; or the refusal.
create function tests.card(p_person text, p_now timestamptz, p_connection uuid default null) returns text
  language plpgsql
as $$
declare
  v_id uuid := tests.alarm_id();
  v_answer json;
begin
  perform tests.as_user('acme', p_person);
  v_answer := case when p_connection is null then api.open_alarm_card(v_id, p_now) else api.open_connection_card(p_connection, p_now) end;
  perform tests.as_superuser();
  return v_answer #>> '{card,sealed}';
exception when others then
  perform tests.as_superuser();
  return sqlerrm;
end
$$;
-- What a call answers to a person, or its refusal.
create function tests.does(p_person text, p_call text) returns text
  language plpgsql
as $$
declare
  v_answer text;
begin
  perform tests.as_user('acme', p_person);
  execute 'select ' || p_call into v_answer;
  perform tests.as_superuser();
  return v_answer;
exception when others then
  perform tests.as_superuser();
  return sqlerrm;
end
$$;
-- Gives acme a desk: a key with which its server works alarms.
create function tests.employ_desk(p_now timestamptz) returns void
  language sql
as $$
  insert into kith.api_keys (tenant_id, id, name, secret_hash, scopes, created_at)
  values (tests.tenant('acme'), gen_random_uuid(), 'Desk', sha256('desk'), '{alarms}', p_now)
$$;
