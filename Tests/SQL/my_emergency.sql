-- All emergency access that concerns a user: GET /v1/me/emergency.
begin;
\ir people.sql
select plan(27);
\set now '''2026-03-10T09:00:00Z'''

create function tests.vault(p_name text) returns uuid language sql immutable return md5('vault ' || p_name)::uuid;
create function tests.nominee(p_vault text, p_name text) returns uuid language sql immutable return md5('nominee ' || p_vault || ' ' || p_name)::uuid;
-- Alice owns papers and photos, Bob owns letters. In globex, another Alice owns a vault.
insert into kith.vaults (tenant_id, id, owner_id, name, created_at, updated_at)
select tests.tenant(tenant), tests.vault(vault), tests.id(owner), initcap(vault), '2026-03-01T08:00Z', '2026-03-01T08:00Z'
from (values ('acme', 'papers', 'alice'), ('acme', 'photos', 'alice'), ('acme', 'letters', 'bob'), ('globex', 'globex', 'globex-alice'))
  as vaults (tenant, vault, owner);
insert into kith.nominees (
  tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, updated_at
)
select tests.tenant(tenant), tests.nominee(vault, person), tests.vault(vault), tests.id(owner), tests.id(person), initcap(person), status, 'view',
  '2026-03-01T08:00Z', tests.id(owner), '2026-03-01T08:00Z', '2026-03-01T08:00Z'
from (values
  ('acme', 'papers', 'alice', 'bob', 'accepted'), ('acme', 'papers', 'alice', 'carol', 'accepted'), ('acme', 'photos', 'alice', 'bob', 'inactive'),
  ('acme', 'letters', 'bob', 'alice', 'accepted'), ('globex', 'globex', 'globex-alice', 'globex-bob', 'accepted')
) as nominees (tenant, vault, owner, person, status);
insert into kith.emergency_settings (
  tenant_id, nominee_id, vault_id, owner_id, wait_hours, access_level, grant_hours, on_request, after_missed_days, visible, visible_since, created_at, updated_at
)
select tests.tenant(tenant), tests.nominee(vault, person), tests.vault(vault), tests.id(owner), 48, 'view', 72, true, 3, visible,
  case when visible then '2026-03-01T08:00Z'::timestamptz end, '2026-03-01T08:00Z',
  '2026-03-01T08:00Z'
from (values
  ('acme', 'papers', 'alice', 'bob', true), ('acme', 'papers', 'alice', 'carol', false), ('acme', 'photos', 'alice', 'bob', true),
  ('acme', 'letters', 'bob', 'alice', true), ('globex', 'globex', 'globex-alice', 'globex-bob', true)
) as rights (tenant, vault, owner, person, visible);

create function tests.request(
  p_name text, p_vault text, p_owner text, p_person text, p_cause text, p_at timestamptz, p_ended_at timestamptz, p_reason text
) returns void
  language sql
as $$
  insert into kith.emergency_requests (
    tenant_id, id, vault_id, nominee_id, owner_id, user_id, cause, reason, missed_days, wait_hours, access_level, grant_hours, reject_on_check_in,
    sign_of_life, required, requested_at, waits_from, grants_at, ends_at, counted_to, ended_at, end_reason
  )
  values (
    tests.tenant('acme'), overlay(internal.uuid7(p_at)::text placing left(md5(p_name), 12) from 25)::uuid, tests.vault(p_vault),
    tests.nominee(p_vault, p_person), tests.id(p_owner), tests.id(p_person), p_cause, p_name, case p_cause when 'silence' then 3 end, 48, 'view', 72,
    true, 'check_in', 1, p_at, p_at, p_at + interval '48 hours', p_at + interval '120 hours', p_at, p_ended_at, p_reason
  )
$$;
select tests.request('bob now', 'papers', 'alice', 'bob', 'request', '2026-03-10T08:00Z', null, null),
  tests.request('bob before', 'papers', 'alice', 'bob', 'request', '2026-03-01T08:00Z', '2026-03-02T08:00Z', 'rejected'),
  tests.request('bob long ago', 'papers', 'alice', 'bob', 'request', '2026-02-01T08:00Z', '2026-02-02T08:00Z', 'withdrawn'),
  tests.request('carol silence', 'papers', 'alice', 'carol', 'silence', '2026-03-09T08:00Z', null, null),
  tests.request('alice asks', 'letters', 'bob', 'alice', 'request', '2026-03-08T10:00Z', null, null) \g /dev/null

create function tests.mine(p_tenant text, p_person text, p_now timestamptz) returns jsonb
  language plpgsql
as $$
declare
  v_answer jsonb;
begin
  perform tests.as_user(p_tenant, p_person);
  v_answer := api.my_emergency(p_now);
  perform tests.as_superuser();
  return v_answer;
end
$$;
create function tests.reasons(p_requests jsonb) returns text
  language sql
  return (select string_agg(request ->> 'reason', ', ' order by n) from jsonb_array_elements(p_requests) with ordinality as requests (request, n));

select tests.mine('acme', 'alice', :now) as alice, tests.mine('acme', 'bob', :now) as bob, tests.mine('acme', 'carol', :now) as carol,
  tests.mine('acme', 'mallory', :now) as mallory, tests.mine('globex', 'globex-bob', :now) as globex \gset

-- The owner.
select is(
  (select string_agg(right_ #>> '{vault,name}' || ' ' || (right_ #>> '{nominee,display_name}'), ', ' order by right_ #>> '{vault,name}', right_ #>> '{nominee,display_name}')
    from jsonb_array_elements(:'alice'::jsonb #> '{as_owner,rights}') as right_),
  'Papers Bob, Papers Carol, Photos Bob', 'an owner sees the rights that they gave'
);
select is(
  (select right_ - 'vault' - 'nominee' from jsonb_array_elements(:'alice'::jsonb #> '{as_owner,rights}') as right_ where right_ ->> 'nominee_id' = tests.nominee('papers', 'bob')::text),
  jsonb_build_object(
    'nominee_id', tests.nominee('papers', 'bob'), 'wait_hours', 48, 'access_level', 'view', 'grant_hours', 72, 'on_request', true, 'after_missed_days', 3,
    'reject_on_check_in', true, 'sign_of_life', 'check_in', 'sources', '["app", "web", "link", "sms", "voice"]'::jsonb, 'visible', true, 'ended_at', null, 'updated_at', '2026-03-01T08:00:00.000000Z'
  ),
  'with all of their terms'
);
select is(tests.reasons(:'alice'::jsonb #> '{as_owner,requests}'), 'bob now, carol silence, bob before', 'an owner sees requests that are open or ended within 30 days, newest first');
select is(:'alice'::jsonb #>> '{as_owner,requests,1,missed_days}', '3', 'an owner sees how many days they missed');
select is(tests.reasons(:'alice'::jsonb #> '{as_nominee,requests}'), 'alice asks', 'the same person sees what they asked for as a nominee');
select is(:'alice'::jsonb #>> '{as_nominee,rights,0,owner,display_name}', 'Bob', 'a nominee sees who gave a right');

-- The nominees.
select is(
  :'bob'::jsonb #> '{as_nominee,rights}',
  jsonb_build_array(jsonb_build_object(
    'nominee_id', tests.nominee('papers', 'bob'), 'vault', jsonb_build_object('id', tests.vault('papers'), 'name', 'Papers'),
    'owner', jsonb_build_object('id', tests.id('alice'), 'display_name', 'Alice'), 'wait_hours', 48, 'access_level', 'view', 'grant_hours', 72,
    'on_request', true, 'after_missed_days', 3
  )),
  'a nominee sees the terms of a visible right, but none while they are inactive'
);
select is(tests.reasons(:'bob'::jsonb #> '{as_nominee,requests}'), 'bob now, bob before', 'a nominee sees their own requests, and those of no other');
select is(:'bob'::jsonb #>> '{as_nominee,requests,1,status}', 'rejected', 'a nominee sees that the owner said no');
select is(:'bob'::jsonb #>> '{as_nominee,requests,1,ended_at}', '2026-03-02T08:00:00.000000Z', 'and when, which the notification has told them');
select is(tests.reasons(:'bob'::jsonb #> '{as_owner,requests}'), 'alice asks', 'who is a nominee of one is an owner of another vault');
select is(:'carol'::jsonb #> '{as_nominee,rights}', '[]', 'an invisible right is not shown');
select is(:'carol'::jsonb #> '{as_nominee,requests}', '[]', 'a nominee without a visible right does not learn that the owner is silent');
select is(tests.mine('acme', 'carol', '2026-03-11T08:00Z') #>> '{as_nominee,requests,0,status}', 'granted', 'until they are granted access');
select is(tests.mine('acme', 'carol', '2026-03-11T08:00Z') #>> '{as_nominee,requests,0,missed_days}', null, 'not even then, how many days');
select is(
  :'mallory'::jsonb, '{"as_owner": {"rights": [], "requests": []}, "as_nominee": {"rights": [], "requests": []}}', 'a stranger sees nothing'
);
select is(
  (select string_agg(right_ #>> '{vault,name}', ', ') from jsonb_array_elements(:'globex'::jsonb #> '{as_nominee,rights}') as right_), 'Globex',
  'another tenant sees its own'
);

-- What ends.
update kith.nominees set status = 'revoked', revoked_at = :now, revoke_reason = 'removed' where id = tests.nominee('papers', 'bob');
select is(tests.mine('acme', 'bob', :now) -> 'as_nominee', '{"rights": [], "requests": []}', 'a nominee who was thrown out sees nothing more');
update kith.vaults set deleted_at = :now, deleted_by = 'user:' || owner_id where id = tests.vault('letters');
select is(tests.mine('acme', 'alice', :now) #> '{as_nominee,rights}', '[]', 'a deleted vault has no rights');
update kith.emergency_settings set ended_at = :now where nominee_id = tests.nominee('papers', 'carol');
select isnt(
  (select right_ ->> 'ended_at' from jsonb_array_elements(tests.mine('acme', 'alice', :now) #> '{as_owner,rights}') as right_ where right_ ->> 'nominee_id' = tests.nominee('papers', 'carol')::text),
  null, 'an owner sees that rejections have ended a right, and can give it anew'
);
select tests.as_role('kith_api') \g /dev/null
select throws_ok($$ select api.my_emergency('2026-03-10T09:00Z') $$, 'KT401', null, 'nobody sees anything without signing in');

select tests.as_superuser() \g /dev/null
-- The end of the retention.
update kith.tenants set retention_days = 30 where slug = 'acme';
select tests.request('bob third', 'papers', 'alice', 'bob', 'request', '2026-02-10T08:00Z', '2026-02-11T08:00Z', 'withdrawn'),
  tests.request('bob fourth', 'papers', 'alice', 'bob', 'request', '2026-02-12T08:00Z', '2026-02-13T08:00Z', 'withdrawn') \g /dev/null
select id as old from kith.emergency_requests where ended_at is not null order by ended_at limit 1 \gset
insert into kith.emergency_delays (tenant_id, id, request_id, cause, began_at, ended_at, grants_at, recorded_at)
select tenant_id, gen_random_uuid(), id, 'outage', requested_at, requested_at + interval '1 hour', requested_at + interval '49 hours', requested_at
from kith.emergency_requests where id = :'old';
create function tests.sweep(p_now timestamptz, p_batch integer) returns integer
  language plpgsql
as $$
declare
  v_swept integer;
begin
  perform tests.as_role('kith_worker');
  v_swept := worker.expire_rows(p_now, p_batch);
  perform tests.as_superuser();
  return v_swept;
end
$$;
-- No other rows are looked for.
insert into kith.retention_passes (tenant_id, kind, began_at, until_at, finished_at)
select tenant_id, kind, '9999-12-31Z', '1970-01-01Z', '1970-01-01Z' from internal.retentions('2026-03-10T08:00Z')
where kind <> 'feedback_and_requests';
create temporary table kept as
select count(*) filter (where ended_at is null) as open, min(ended_at) as first_end, count(ended_at) as ended
from kith.emergency_requests;
select is(tests.sweep(first_end + interval '720 hours', 100), 0, 'a request that has ended is kept for the tenant''s retention') from kept;
select is(tests.sweep(first_end + interval '720 hours 1 second', 100), 1, 'and deleted afterwards') from kept;
select is((select count(*) from kith.emergency_delays where request_id = :'old'), 0::bigint, 'with its delays');
select is(tests.sweep('2027-03-01T00:00Z', 1), 1, 'at most a batch at once');
select is(tests.sweep('2027-03-01T00:00Z', 100)::bigint, ended - 2, 'all of them in the end') from kept;
select is((select count(*) from kith.emergency_requests), open, 'open requests stay') from kept;

select * from finish();
rollback;
