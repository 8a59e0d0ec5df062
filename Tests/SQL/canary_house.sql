-- What the tests of canaries share, included after people.sql: a day in the life of a canary that acme has, told by the ordinary loops.
-- Run by itself, outside a transaction, this file must leave nothing behind.
select now() = statement_timestamp() as alone \gset
\if :alone
  \echo 1..0 # SKIP what the tests of canaries share
  \q
\endif
delete from kith.connections where id = tests.id('globex-alice-bob');

create function tests.run(p_name text, p_now timestamptz, p_more text default '') returns integer
  language plpgsql
as $$
declare
  v_done integer;
begin
  perform tests.as_role('kith_worker');
  execute format('select worker.%I($1, 100%s)', p_name, p_more) into v_done using p_now;
  perform tests.as_superuser();
  return v_done;
end
$$;
-- One pass of the worker, as `kith worker --once` makes it, without the engines that send.
create function tests.pass(p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_loop text;
begin
  foreach v_loop in array array[
    'generate_daily_pings', 'announce_due_pings', 'remind_senders', 'miss_pings', 'tell_alarms', 'plan_alarms', 'plan_deliveries', 'walk_canaries'
  ] loop
    for n in 1..20 loop
      exit when tests.run(v_loop, p_now, case when v_loop like 'plan%' then ', false' else '' end) = 0;
      if n = 20 then
        raise exception 'the loop % does not come to an end', v_loop;
      end if;
    end loop;
  end loop;
end
$$;
-- A provider takes all messages of a channel that wait.
create function tests.take(p_channel text, p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_taken integer;
begin
  perform tests.as_role('kith_worker');
  select worker.finish_deliveries(p_now + interval '1 second', 'w', coalesce(jsonb_agg(jsonb_build_object(
    'tenant_id', claimed.tenant_id, 'id', claimed.id, 'outcome', 'sent'
  )), '[]')) into v_taken
  from worker.claim_deliveries(p_now, p_channel, 100, 100, 0, '{}', '{}', 'w') as claimed;
  perform tests.as_superuser();
  return v_taken;
end
$$;
-- Somebody answers a text message from the canary's number.
create function tests.text(p_kind text, p_id text, p_now timestamptz) returns text
  language plpgsql
as $$
declare
  v_answer json;
begin
  perform tests.as_role('kith_api');
  v_answer := api.receive_text(
    tests.tenant('acme'), array[sha256(convert_to(p_id, 'UTF8'))], '+4915112345679', jsonb_build_object('en', p_kind), p_now
  );
  perform tests.as_superuser();
  return v_answer ->> 'outcome';
end
$$;
create function tests.set_canary(p_every integer, p_channels jsonb, p_now timestamptz) returns text
  language plpgsql
as $$
declare
  v_said text;
begin
  perform tests.as_role('kith_admin');
  v_said := admin.set_canary('acme', p_every, p_channels, 20, p_now);
  perform tests.as_superuser();
  return v_said;
end
$$;
create function tests.seal() returns jsonb
  language sql
as $$
  select jsonb_build_object('id', '0ca4a000-0000-7000-8000-000000000001', 'address', 'https://canary.example/heard', 'sealed', encode('sealed', 'hex'))
$$;
insert into kith.channel_credentials (tenant_id, channel, sealed, summary, inbound_token, created_at, updated_at)
select tests.tenant('acme'), channel, '\x00', '{"inbound": {}, "callback_field": "Url"}', '2000000001-' || channel, '2026-03-01Z', '2026-03-01Z'
from unnest('{sms,voice,email}'::text[]) as channel;
