-- Which plans the statements of the hottest reads have, whatever the statistics say.
begin;
\ir people.sql
select plan(6);

-- Ids in the order of time. All connections have the oldest sender, and all nominees the oldest vault, as after an import.
create function tests.nth(p_n integer) returns uuid
  language sql immutable
  return ('f1900000-0000-7000-8000-' || lpad(p_n::text, 12, '0'))::uuid;
delete from kith.connections;
delete from kith.sender_profiles;
insert into kith.users (tenant_id, id, tokens_valid_from, created_at, updated_at)
select tests.tenant('acme'), tests.nth(n), '2026-01-05T08:00Z', '2026-01-05T08:00Z', '2026-01-05T08:00Z'
from generate_series(1, 6000) as n;
insert into kith.sender_profiles (tenant_id, user_id, time_zone, ping_time, grace_minutes, reminder_minutes, timed_at, created_at, updated_at)
select tests.tenant('acme'), tests.nth(n), 'UTC', '09:00', 90, 15, '2026-01-05T08:00Z', '2026-01-05T08:00Z', '2026-01-05T08:00Z'
from generate_series(1, 6000) as n
where n = 1 or n > 3000;
insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
select tests.tenant('acme'), gen_random_uuid(), tests.nth(1), tests.nth(n), 'active', tests.nth(1), '2026-01-05T08:00Z', '2026-01-05T08:00Z', '2026-01-05T08:00Z'
from generate_series(2, 3000) as n;
insert into kith.vaults (tenant_id, id, owner_id, name, created_at, updated_at)
select tests.tenant('acme'), tests.nth(n), tests.nth(n), 'Vault', '2026-01-05T08:00Z', '2026-01-05T08:00Z'
from generate_series(1, 6000) as n;
insert into kith.nominees (tenant_id, id, vault_id, owner_id, user_id, name, phone, access_level, status, invited_at, accepted_at, updated_at)
select tests.tenant('acme'), gen_random_uuid(), tests.nth(1), tests.nth(1), tests.nth(n), 'U', '+15550000001', 'view', 'accepted',
  '2026-01-05T08:00Z', '2026-01-05T08:00Z', '2026-01-05T08:00Z'
from generate_series(2, 3000) as n;
analyze kith.users, kith.sender_profiles, kith.connections, kith.vaults, kith.nominees, kith.vault_sessions;

create function tests.joins(p_query text) returns text
  language plpgsql
as $$
declare
  v_plan json;
begin
  execute 'explain (format json) ' || p_query into v_plan;
  return (
    select string_agg(distinct node ->> 'Node Type', ', ')
    from jsonb_path_query(v_plan::jsonb, 'strict $.**') as node
    where jsonb_typeof(node) = 'object'
      and (
        node ->> 'Node Type' in ('Merge Join', 'Hash Join')
        or node ->> 'Relation Name' in ('users', 'sender_profiles', 'vaults') and node ->> 'Node Type' not in ('Index Scan', 'Bitmap Heap Scan')
        or node ->> 'Relation Name' in ('users', 'sender_profiles') and coalesce(node ->> 'Index Cond', '') !~ '\m(user_)?id = '
      )
  );
end
$$;

select tests.as_user('acme', 'alice') \g /dev/null
select set_config('kith.user_id', tests.nth(6000)::text, true) \g /dev/null
-- As for kith_api's own sessions.
set local plan_cache_mode = force_generic_plan;
prepare connections(integer, text, text, uuid, integer) as
  select * from internal.own_connections as own
  where own.tenant_id = $1 and ($2 is null or own.role = $2) and ($3 is null or own.status = $3) and own.id > $4
  order by own.id
  limit $5;
prepare connection(integer, uuid) as select * from internal.own_connections where tenant_id = $1 and id = $2;
prepare dashboard(integer, text) as select array(select own from internal.own_connections as own where own.tenant_id = $1 and own.role = $2);
prepare vaults(integer, uuid, integer) as
  select * from internal.own_vaults as own where own.tenant_id = $1 and own.id > $2 order by own.id limit $3;
prepare vault(integer, uuid) as select * from internal.own_vaults where tenant_id = $1 and id = $2;
select is(
  tests.joins($$ execute connections(2000000001, null, null, '00000000-0000-0000-0000-000000000000', 50) $$), null,
  'a list of connections looks up the other side and the sender for each connection'
);
select is(
  tests.joins(format('execute connection(2000000001, %L)', tests.nth(1))), null, 'so does a single connection'
);
select is(tests.joins($$ execute dashboard(2000000001, 'sender') $$), null, 'so does a dashboard');
select is(
  tests.joins($$ execute vaults(2000000001, '00000000-0000-0000-0000-000000000000', 50) $$), null,
  'a list of vaults looks up the owner and the session for each vault'
);
select is(tests.joins(format('execute vault(2000000001, %L)', tests.nth(1))), null, 'so does a single vault');
set local enable_nestloop = off;
set local enable_mergejoin = off;
select isnt(
  tests.joins('select from internal.own_connections as own join internal.own_connections as other using (counterpart_name)'), null,
  'the check finds a join'
);

select * from finish();
rollback;
