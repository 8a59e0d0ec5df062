-- The people of every test, included inside a test's transaction and gone with it. Two tenants:
--   acme:   alice, a sender in UTC at 09:00 with 90 minutes of grace (code 111111); bob and carol, receivers (codes 222222,
--           333333); mallory, sender and receiver (codes 444444, 444445), a stranger to the others;
--           alice and bob are connected (connection 'alice-bob').
-- Both are called PRUUF, as in the texts of the product.
--   globex: its own alice and bob under the very same codes, connected as well (connection 'globex-alice-bob').
-- All of them have been there since 2026-01-05, longer than the 24 hours in which an account counts as young.
-- Usage: tests.as_user('acme', 'alice'), tests.as_definer('acme', 'alice'), tests.as_server('acme'), tests.as_role('kith_worker'),
-- tests.as_superuser().
-- Run by itself, outside a transaction, this file must leave nothing behind.
select now() = statement_timestamp() as alone \gset
\if :alone
  \echo 1..0 # SKIP the people of the other tests
  \q
\endif
create extension if not exists pgtap;
set local search_path = public;
set local time zone 'UTC';

-- Tests keep answers in temporary tables, also under roles that must not create any (0001_create_roles_and_schemas.sql).
do $$
begin
  execute format('grant temporary on database %I to kith_api, kith_worker, kith_admin', current_database());
end
$$;

-- The table that `kith dev` leaves in its database, so that operators' procedures accept the tests' clock.
create table internal.development (made_at timestamptz not null);

create schema tests;
grant usage on schema tests to public;

create function tests.tenant(p_slug text) returns integer
  language sql immutable
  return case p_slug when 'acme' then 2000000001 when 'globex' then 2000000002 end;

-- Ids that name their owner in a failure's message.
create function tests.id(p_name text) returns uuid
  language sql immutable
  return case p_name
    when 'alice' then '0a11ce00-0000-7000-8000-000000000001'
    when 'bob' then '000b0b00-0000-7000-8000-000000000002'
    when 'carol' then '0ca01000-0000-7000-8000-000000000003'
    when 'mallory' then '0bad0000-0000-7000-8000-000000000004'
    when 'globex-alice' then '1a11ce00-0000-7000-8000-000000000001'
    when 'globex-bob' then '100b0b00-0000-7000-8000-000000000002'
    when 'alice-bob' then '0c000000-0000-7000-8000-000000000001'
    when 'globex-alice-bob' then '1c000000-0000-7000-8000-000000000001'
  end::uuid;

create function tests.as_superuser() returns void
  language plpgsql
as $$
begin
  perform set_config('role', 'none', true), set_config('kith.tenant_id', '', true), set_config('kith.user_id', '', true),
    set_config('kith.actor', '', true);
end
$$;

create function tests.as_role(p_role name) returns void
  language plpgsql
as $$
begin
  perform tests.as_superuser();
  perform set_config('role', p_role, true);
end
$$;

-- A person's request: the settings that the server makes before each call.
create function tests.as_user(p_tenant text, p_person text) returns void
  language plpgsql
as $$
begin
  perform tests.as_role('kith_api');
  perform set_config('kith.tenant_id', tests.tenant(p_tenant)::text, true),
    set_config('kith.user_id', tests.id(p_person)::text, true);
end
$$;

-- The role within a definer function called by a person's request.
create function tests.as_definer(p_tenant text, p_person text) returns void
  language plpgsql
as $$
begin
  perform tests.as_user(p_tenant, p_person);
  perform set_config('role', 'kith_owner', true);
end
$$;

-- A request of the tenant's own server, with its API key.
create function tests.as_server(p_tenant text) returns void
  language plpgsql
as $$
begin
  perform tests.as_role('kith_api');
  perform set_config('kith.tenant_id', tests.tenant(p_tenant)::text, true),
    set_config('kith.actor', 'key:' || p_tenant, true);
end
$$;

-- What a person gets from an expression after other statements; everything is undone. An expression that calls a function of `tests` runs as
-- superuser with the person's settings, so that it can call functions of `internal`.
create function tests.answer(p_before text, p_person text, p_act text) returns text
  language plpgsql
as $$
declare
  v_answer text;
begin
  execute p_before;
  perform tests.as_user('acme', p_person);
  if p_act like '%tests.%' then
    perform set_config('role', 'none', true);
  end if;
  execute 'select ' || p_act into v_answer;
  raise exception using errcode = 'TT000', message = coalesce(v_answer, 'nothing');
exception
  when sqlstate 'TT000' then
    perform tests.as_superuser();
    return sqlerrm;
  when others then
    perform tests.as_superuser();
    return sqlerrm;
end
$$;

-- Every notification with the words that its reader reads now.
create view tests.notifications as
select note.tenant_id, note.id, note.user_id, note.type, words.title, words.body, note.data, note.created_at, note.sent_at, note.delivery_status,
  note.read_at, note.deliver_at, note.planned_at, note.escalates_at, note.escalated_at, note.xid, note.note, words.name as person_name,
  note.person_id, note.vault_id
from kith.notifications as note
cross join lateral internal.reader_of(note.tenant_id, note.user_id) as reader
cross join lateral internal.told(
  note.tenant_id, note.user_id, note.type, note.data, note.created_at, note.body, note.person_name, reader.locale, reader.time_zone
) as words;
grant select on tests.notifications to public;

-- The whole hourly check, one sender at a time. Returns how many gaps it found.
create function tests.find_gaps(p_now timestamptz) returns bigint
  language plpgsql
as $$
declare
  v_before bigint;
begin
  perform tests.as_superuser();
  v_before := (select count(*) from kith.ping_gaps);
  update kith.gap_checks set began_at = '1970-01-01Z', finished_at = '1970-01-01Z';
  perform tests.as_role('kith_worker');
  while worker.find_gaps(p_now, 1) > 0 loop
  end loop;
  perform tests.as_superuser();
  return (select count(*) from kith.ping_gaps) - v_before;
end
$$;

select internal.make_partitions('2026-03-02T00:00:00Z', 100) \g /dev/null

insert into kith.tenants (tenant_id, slug, name, brand_name, join_link, link_scheme, created_at, updated_at)
select tests.tenant(slug), slug, initcap(slug), 'PRUUF', 'https://pruuf.app/join', 'khandoba', '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z'
from unnest(array['acme', 'globex']) as slug;

insert into kith.users (tenant_id, id, external_id, display_name, tokens_valid_from, created_at, updated_at)
select tests.tenant(tenant), tests.id(person), 'ext-' || person, name, '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z'
from (values
  ('acme', 'alice', 'Alice'), ('acme', 'bob', 'Bob'), ('acme', 'carol', 'Carol'), ('acme', 'mallory', 'Mallory'),
  ('globex', 'globex-alice', 'Alice'), ('globex', 'globex-bob', 'Bob')
) as people (tenant, person, name);

insert into kith.sender_profiles (tenant_id, user_id, time_zone, ping_time, grace_minutes, reminder_minutes, timed_at, created_at, updated_at)
select tests.tenant(tenant), tests.id(person), 'UTC', '09:00', 90, 15, '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z'
from (values ('acme', 'alice'), ('acme', 'mallory'), ('globex', 'globex-alice')) as senders (tenant, person);

insert into kith.receiver_profiles (tenant_id, user_id, created_at, updated_at)
select tests.tenant(tenant), tests.id(person), '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z'
from (values ('acme', 'bob'), ('acme', 'carol'), ('acme', 'mallory'), ('globex', 'globex-bob')) as receivers (tenant, person);

insert into kith.unique_codes (tenant_id, code, user_id, role, permanent, created_at)
select tests.tenant(tenant), code, tests.id(person), role, true, '2026-01-05T08:00:00Z'
from (values
  ('acme', '111111', 'alice', 'sender'), ('acme', '222222', 'bob', 'receiver'), ('acme', '333333', 'carol', 'receiver'),
  ('acme', '444444', 'mallory', 'sender'), ('acme', '444445', 'mallory', 'receiver'),
  ('globex', '111111', 'globex-alice', 'sender'), ('globex', '222222', 'globex-bob', 'receiver')
) as codes (tenant, code, person, role);

insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
select tests.tenant(tenant), tests.id(connection), tests.id(sender), tests.id(receiver), 'active', tests.id(receiver),
  '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z'
from (values
  ('acme', 'alice-bob', 'alice', 'bob'), ('globex', 'globex-alice-bob', 'globex-alice', 'globex-bob')
) as connections (tenant, connection, sender, receiver);
