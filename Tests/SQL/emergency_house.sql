-- What the tests of a wait for emergency access use, included after people.sql: Alice's vault Papers, and Bob, who may ask for it with a wait
-- of 48 hours and a grant of 24.
-- Run by itself, outside a transaction, this file must leave nothing behind.
select now() = statement_timestamp() as alone \gset
\if :alone
  \echo 1..0 # SKIP what the tests of emergency access use
  \q
\endif

select tests.as_user('acme', 'alice') \g /dev/null
select api.create_vault('{"name": "Papers"}', '2026-03-01T08:00Z') ->> 'id' as vault \gset
select tests.as_superuser() \g /dev/null
create function tests.vault() returns uuid language sql as $$ select id from kith.vaults where tenant_id = tests.tenant('acme') $$;
create function tests.request() returns uuid language sql as $$ select id from kith.emergency_requests order by requested_at desc limit 1 $$;
insert into kith.nominees (tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, updated_at)
values (
  tests.tenant('acme'), '0e000000-0000-7000-8000-000000000001', :'vault', tests.id('alice'), tests.id('bob'), 'Bob', 'accepted', 'view',
  '2026-03-01T08:00Z', tests.id('alice'), '2026-03-01T08:00Z', '2026-03-01T08:00Z'
);
insert into kith.emergency_settings (tenant_id, nominee_id, vault_id, owner_id, wait_hours, access_level, grant_hours, on_request, created_at, updated_at)
values (
  tests.tenant('acme'), '0e000000-0000-7000-8000-000000000001', :'vault', tests.id('alice'), 48, 'view', 24, true, '2026-03-01T08:00Z',
  '2026-03-01T08:00Z'
);
insert into kith.signs_of_life (tenant_id, user_id) values (tests.tenant('acme'), tests.id('alice'));

-- Bob asks, and nothing has happened before.
create function tests.ask(p_wait_hours integer default 48, p_now timestamptz default '2026-03-10T08:00Z') returns void
  language plpgsql
as $$
begin
  delete from kith.vault_sessions;
  delete from kith.emergency_requests;
  delete from kith.notifications;
  delete from kith.deliveries;
  delete from kith.undelivered_alarms;
  delete from kith.outages;
  delete from kith.heartbeats;
  delete from kith.act_counts;
  update kith.emergency_settings set wait_hours = p_wait_hours;
  perform tests.as_user('acme', 'bob');
  perform api.request_emergency_access(tests.vault(), 'I cannot reach her.', p_now);
  perform tests.as_superuser();
end
$$;
-- What Bob gets when he tries to enter: until when, or the problem with the instant of the grant, or with the reason if there is none.
create function tests.enter(p_now timestamptz) returns text
  language plpgsql
as $$
declare
  v_answer text;
  v_hint text;
  v_detail text;
begin
  perform tests.as_user('acme', 'bob');
  v_answer := 'until ' || (api.enter_emergency(tests.vault(), p_now) ->> 'expires_at');
  perform tests.as_superuser();
  return v_answer;
exception when others then
  get stacked diagnostics v_hint = pg_exception_hint, v_detail = pg_exception_detail;
  perform tests.as_superuser();
  return concat_ws(' ', sqlerrm, coalesce(nullif(v_hint, ''), case sqlerrm when 'vault_locked' then v_detail end));
end
$$;
-- The worker tells of emergencies, and plans deliveries as if the tenant had every channel.
create function tests.tell(p_now timestamptz, p_batch integer default 100) returns integer
  language plpgsql
as $$
declare
  v_done integer;
begin
  perform tests.as_role('kith_worker');
  v_done := worker.tell_emergencies(p_now, p_batch);
  perform tests.as_superuser();
  return v_done;
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
create function tests.told(p_person text, p_type text default 'emergency%') returns text[]
  language sql as $$ select array_agg(body order by created_at, id) from tests.notifications where user_id = tests.id(p_person) and type like p_type $$;
create function tests.instants(p_now timestamptz) returns text
  language sql
as $$
  select to_char(instants.grants_at, 'DD HH24:MI:SS') || ' ' || to_char(instants.ends_at, 'DD HH24:MI:SS') || case when stands_still then ' still' else '' end
  from kith.emergency_requests as request, internal.emergency_instants(request, p_now) as instants
$$;
create function tests.delays() returns text[]
  language sql
as $$
  select array_agg(format('%s %s %s %s', cause, to_char(began_at, 'DD HH24:MI'), to_char(ended_at, 'DD HH24:MI'), to_char(grants_at, 'DD HH24:MI')) order by began_at, cause)
  from kith.emergency_delays
$$;
