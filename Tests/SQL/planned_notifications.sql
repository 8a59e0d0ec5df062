-- What the tests of planning use, included after people.sql: Alice's and Bob's channels, a ping of the day, and tests.tell, which inserts
-- a notification.
-- Run by itself, outside a transaction, this file must leave nothing behind.
select now() = statement_timestamp() as alone \gset
\if :alone
  \echo 1..0 # SKIP what the tests of planning use
  \q
\endif
\set now '''2026-03-10T12:00:00Z'''

create function tests.told(p_n integer) returns uuid
  language sql immutable
  return ('019cd79e-4600-7000-8000-' || lpad(p_n::text, 12, '0'))::uuid;
-- Inserts a notification, at noon or later.
create function tests.tell(
  p_n integer, p_person text, p_type text, p_at timestamptz default '2026-03-10T12:00:00Z', p_tenant text default 'acme',
  p_deliver_at timestamptz default null
) returns void
  language sql
as $$
  insert into kith.notifications (tenant_id, id, user_id, type, body, data, created_at, deliver_at)
  values (
    tests.tenant(p_tenant), tests.told(p_n), tests.id(p_person), p_type, 'Body',
    -- As to a receiver: without the sender's id, a miss would be the sender's own.
    jsonb_build_object('connection_id', tests.id('alice-bob'), 'ping_id', tests.told(0), 'date', '2026-03-10')
      || case when p_type = 'ping_missed' and p_person <> 'alice' then jsonb_build_object('user_id', tests.id('alice')) else '{}' end,
    p_at, p_deliver_at
  )
$$;
create function tests.plan_all(p_at timestamptz default '2026-03-10T12:00:00Z', p_takes_all boolean default false, p_batch integer default 100)
  returns integer
  language plpgsql
as $$
declare
  v_planned integer;
begin
  perform tests.as_role('kith_worker');
  v_planned := worker.plan_deliveries(p_at, p_batch, p_takes_all);
  perform tests.as_superuser();
  return v_planned;
end
$$;
create function tests.ways(p_n integer) returns text
  language sql
as $$
  select string_agg(concat_ws(' ', channel, address, status), ', ' order by channel, address) from kith.deliveries where notification_id = tests.told(p_n)
$$;
create function tests.status(p_n integer) returns text
  language sql
as $$
  select delivery_status from kith.notifications where id = tests.told(p_n)
$$;
-- Claims a channel's deliveries as a worker and finishes each with the given outcome.
create function tests.attempt(p_channel text, p_outcome text, p_at timestamptz, p_error text default null) returns integer
  language plpgsql
as $$
declare
  v_finished integer;
begin
  perform tests.as_role('kith_worker');
  v_finished := worker.finish_deliveries(
    p_at, 'w1',
    (
      select coalesce(jsonb_agg(jsonb_build_object('tenant_id', tenant_id, 'id', id, 'outcome', p_outcome, 'error', p_error)), '[]')
      from worker.claim_deliveries(p_at, p_channel, 100, 100, 0, '{}', '{}', 'w1')
    )
  );
  perform tests.as_superuser();
  return v_finished;
end
$$;

insert into kith.devices (tenant_id, token, user_id, platform, environment, public_key, auth_secret, created_at, last_seen_at)
select tests.tenant(tenant), token, tests.id(person), platform, 'production', key, key, '2026-03-01Z', '2026-03-01Z'
from (values
  ('acme', 'bobs-phone', 'bob', 'ios', null), ('acme', 'https://push.example/bob', 'bob', 'web', 'k'),
  ('acme', 'https://push.example/old', 'bob', 'web', null), ('acme', 'alices-phone', 'alice', 'ios', null),
  ('globex', 'globex-phone', 'globex-bob', 'ios', null)
) as devices (tenant, token, person, platform, key);
update kith.users set email = 'bob@example.org', email_verified_at = :now, phone = '+4915100000002', phone_verified_at = :now
where id = tests.id('bob');
update kith.users set email = 'carol@example.org', email_verified_at = :now, phone = '+4915100000003' where id = tests.id('carol');
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
select tests.tenant('acme'), channel, '{}', '\x00', :now, :now from unnest(array['apns', 'web_push', 'email']) as channel;
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
values (
  tests.tenant('acme'), '2026-03-10', tests.id('alice-bob'), tests.told(0), tests.id('alice'), tests.id('bob'), 'due', '2026-03-10T11:00Z',
  '2026-03-10T12:30Z'
);
