-- What emergency access opens: every call on a vault, for every kind of person, in every state of a request (E01, E04, E07).
-- Bob has a request for the level edit, with a wait of 24 hours from 09:00 on 10 March 2026 and a grant of 2 hours; his own level is full.
-- Carol, Dave (paused), Erin (revoked) are other nominees. The expected results are, for alice, bob, carol, dave, erin, mallory and another
-- tenant: ok, null (allowed, with an empty result), or the status of the refusal.
begin;
\ir people.sql

create function tests.of(p_what text) returns uuid language sql immutable return md5(p_what)::uuid;
insert into kith.users (tenant_id, id, display_name, tokens_valid_from, created_at, updated_at)
select tests.tenant('acme'), tests.of('user ' || who), initcap(who), '2026-01-05T08:00Z', '2026-01-05T08:00Z', '2026-01-05T08:00Z'
from unnest(array['dave', 'erin']) as who;
create function tests.person(p_name text) returns uuid language sql immutable return coalesce(tests.id(p_name), tests.of('user ' || p_name));
insert into kith.vaults (tenant_id, id, owner_id, name, full_may_open, created_at, updated_at)
values (tests.tenant('acme'), tests.of('vault'), tests.id('alice'), 'Papers', false, '2026-03-10T08:00Z', '2026-03-10T08:00Z');
insert into kith.nominees (
  tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, revoked_at, revoke_reason, updated_at
)
select tests.tenant('acme'), tests.of(name), tests.of('vault'), tests.id('alice'), tests.person(name), initcap(name), status, 'full',
  '2026-03-10T08:00Z', tests.id('alice'), '2026-03-10T08:00Z', case status when 'revoked' then '2026-03-10T08:00Z'::timestamptz end,
  case status when 'revoked' then 'removed' end, '2026-03-10T08:00Z'
from (values ('bob', 'accepted'), ('carol', 'accepted'), ('dave', 'inactive'), ('erin', 'revoked')) as nominees (name, status);
insert into kith.documents (
  tenant_id, id, vault_id, owner_id, version_id, name, content_type, size, sha256, created_at, created_by, updated_at, deleted_at, deleted_by
)
select tests.tenant('acme'), tests.of(name), tests.of('vault'), tests.id('alice'), tests.of('version of ' || name), name, 'text/plain', 4, sha256('will'),
  '2026-03-10T08:00Z', tests.id('alice'), '2026-03-10T08:00Z', case name when 'old' then '2026-03-10T08:00Z'::timestamptz end,
  case name when 'old' then tests.id('alice') end
from unnest(array['will', 'old']) as name;
insert into kith.document_versions (tenant_id, id, vault_id, document_id, state, created_by, created_at, chunk_size, chunks, size)
select tenant_id, version_id, vault_id, id, 'current', created_by, created_at, 262144, 1, 4 from kith.documents;
insert into kith.document_chunks (tenant_id, version_id, n, sealed) select tenant_id, version_id, 0, '\x00' from kith.documents;
insert into kith.vault_keys (tenant_id, vault_id, wrapped_key, created_at) select tenant_id, id, '\x00', created_at from kith.vaults;
insert into kith.emergency_settings (
  tenant_id, nominee_id, vault_id, owner_id, wait_hours, access_level, grant_hours, on_request, created_at, updated_at
)
values (tests.tenant('acme'), tests.of('bob'), tests.of('vault'), tests.id('alice'), 24, 'edit', 2, true, '2026-03-10T08:00Z', '2026-03-10T08:00Z');

create function tests.outcome(p_person text, p_statement text, p_now timestamptz) returns text
  language plpgsql
as $$
declare
  v_answer text;
  v_outcome text;
begin
  perform tests.as_user(case p_person when 'globex-alice' then 'globex' else 'acme' end, 'alice');
  perform set_config('kith.user_id', tests.person(p_person)::text, true), set_config('kith.now', p_now::text, true);
  begin
    execute replace(replace(p_statement, ':now', quote_literal(p_now)), '@', quote_literal(tests.of('vault'))) into v_answer;
    v_outcome := case when v_answer is null then 'null' else 'ok' end;
    raise exception 'undo' using errcode = 'TT000';
  exception
    when sqlstate 'TT000' then null;
    when others then v_outcome := regexp_replace(sqlstate, '^KT', '');
  end;
  perform tests.as_superuser();
  return v_outcome;
end
$$;
create function tests.outcomes(p_statement text, p_now timestamptz) returns text
  language sql
as $$
  select string_agg(tests.outcome(person, p_statement, p_now), ' ' order by place)
  from unnest(array['alice', 'bob', 'carol', 'dave', 'erin', 'mallory', 'globex-alice']) with ordinality as people (person, place)
$$;
create function tests.as_person(p_name text) returns void
  language plpgsql
as $$
begin
  perform tests.as_user('acme', 'alice');
  perform set_config('kith.user_id', tests.person(p_name)::text, true);
end
$$;

-- closed: without a grant. open: Bob is in his emergency session.
create table tests.matrix (n integer generated always as identity, statement text, closed text, open text);
insert into tests.matrix (statement, closed, open)
values
  ($$ select api.get_vault(@, :now) $$, 'ok ok ok ok 403 404 404', 'ok ok ok ok 403 404 404'),
  ($$ select api.enter_emergency(@, :now) $$, '403 403 403 403 403 404 404', '403 ok 403 403 403 404 404'),
  ($$ select api.open_vault(@, :now) $$, 'ok 423 423 403 403 404 404', 'ok ok 423 403 403 404 404'),
  ($$ select api.note_vault_activity(@, :now) $$, '423 423 423 403 403 404 404', '423 ok 423 403 403 404 404'),
  ($$ select api.list_documents(@, false, 50, null, :now) $$, '423 423 423 403 403 404 404', '423 ok 423 403 403 404 404'),
  ($$ select api.get_document(@, tests.of('will'), :now) $$, '423 423 423 403 403 404 404', '423 ok 423 403 403 404 404'),
  ($$ select api.open_content(@, tests.of('will'), :now) $$, '423 423 423 403 403 404 404', '423 ok 423 403 403 404 404'),
  ($$ select api.read_chunk(@, tests.of('will'), tests.of('version of will'), 0, false, :now) $$,
    '423 423 423 403 403 404 404', '423 ok 423 403 403 404 404'),
  ($$ select api.rename_document(@, tests.of('will'), 'X', null, :now) $$, '423 423 423 403 403 404 404', '423 ok 423 403 403 404 404'),
  ($$ select api.begin_upload(@, null, 10, 262144, null, null, :now) $$, '423 423 423 403 403 404 404', '423 ok 423 403 403 404 404'),
  -- What needs the level full, which Bob has only in the shared session.
  ($$ select api.list_documents(@, true, 50, null, :now) $$, '423 423 423 403 403 404 404', '423 403 423 403 403 404 404'),
  ($$ select api.delete_document(@, tests.of('will'), null, :now) $$, '423 423 423 403 403 404 404', '423 403 423 403 403 404 404'),
  ($$ select api.restore_document(@, tests.of('old'), :now) $$, '423 423 423 403 403 404 404', '423 403 423 403 403 404 404'),
  ($$ select api.begin_nominees(@, :now) $$, 'ok 423 423 403 403 404 404', 'ok 403 423 403 403 404 404'),
  ($$ select api.get_nominee(@, tests.of('carol'), :now) $$, 'ok 404 ok 403 403 404 404', 'ok 404 ok 403 403 404 404'),
  ($$ select api.lock_vault(@, :now) $$, '409 409 409 403 403 404 404', '409 403 409 403 403 404 404'),
  -- What only the owner may do.
  ($$ select api.list_vault_history(@, null, null, null, 50, null, :now) $$, 'ok 403 403 403 403 404 404', 'ok 403 403 403 403 404 404'),
  ($$ select api.update_vault(@, '{"name": "Mine"}', :now) $$, 'ok 403 403 403 403 404 404', 'ok 403 403 403 403 404 404'),
  ($$ select api.create_transfer(@, '{"name": "Zoe", "keep_access": true}', 'https://a.example', :now) $$,
    'ok 403 403 403 403 404 404', 'ok 403 403 403 403 404 404'),
  -- The tables themselves.
  ($$ select name from kith.documents where id = tests.of('will') $$, 'null null null null null null null', 'null ok null null null null null'),
  ($$ select name from kith.documents where id = tests.of('old') $$, 'null null null null null null null', 'null null null null null null null'),
  ($$ select id from kith.vault_sessions where kind = 'emergency' and locked_at is null and expires_at > kith.now() $$, 'null null null null null null null', 'ok ok null null null null null'),
  ($$ insert into kith.vault_sessions (tenant_id, id) values (kith.tenant_id(), gen_random_uuid()) $$,
    '42501 42501 42501 42501 42501 42501 42501', '42501 42501 42501 42501 42501 42501 42501'),
  ($$ update kith.emergency_requests set grants_at = now() $$,
    '42501 42501 42501 42501 42501 42501 42501', '42501 42501 42501 42501 42501 42501 42501');
select plan((select 6 * count(*)::integer from tests.matrix) + 45);

select is(tests.outcomes(statement, '2026-03-11T08:59:59Z'), closed, 'without a request:' || statement) from tests.matrix order by n;
select tests.as_user('acme', 'bob') \g /dev/null
select api.request_emergency_access(tests.of('vault'), null, '2026-03-10T09:00Z') ->> 'id' as request \gset
select tests.as_superuser() \g /dev/null
select is(
  tests.outcomes(statement, '2026-03-11T08:59:59.999999Z'), case when statement ~ 'enter_emergency' then '403 423 403 403 403 404 404' else closed end,
  'while it waits:' || statement
)
from tests.matrix order by n;

-- On time, with no worker.
select is(tests.outcome('bob', 'select api.enter_emergency(@, :now)', '2026-03-11T09:00Z'), 'ok', 'the grant comes on time to the microsecond');
select is(tests.outcome('bob', 'select api.list_documents(@, false, 50, null, :now)', '2026-03-11T09:00Z'), '423', 'the nominee has to enter first');
select tests.as_user('acme', 'bob') \g /dev/null
create temporary table entered as select api.enter_emergency(tests.of('vault'), '2026-03-11T09:10Z')::jsonb as session;
select is(
  session - array['id', 'vault_id', 'unlocked_by', 'unlocked_by_user', 'inside'],
  jsonb_build_object(
    'kind', 'emergency', 'request_id', :'request', 'opened_at', '2026-03-11T09:10:00.000000Z', 'expires_at', '2026-03-11T11:00:00.000000Z',
    'latest_expires_at', '2026-03-11T11:00:00.000000Z', 'locked_at', null, 'locked_by', null, 'locked_by_user', null, 'lock_reason', null
  ),
  'the session is of its own kind and ends with the grant'
)
from entered;
select is(session #>> '{inside,0,display_name}', 'Bob', 'the nominee is inside') from entered;
select tests.as_superuser() \g /dev/null
select is(tests.outcomes(statement, '2026-03-11T09:30Z'), open, 'inside:' || statement) from tests.matrix order by n;

-- What each side sees.
select tests.as_user('acme', 'bob') \g /dev/null
select is(
  api.get_vault(tests.of('vault'), '2026-03-11T09:30Z')::jsonb #>> array['access_level'] || ' ' || (api.get_vault(tests.of('vault'), '2026-03-11T09:30Z')::jsonb ->> 'status'),
  'edit active', 'the vault shows the granted level and an active nominee'
);
select is(
  api.list_vaults(null, null, 50, null, '2026-03-11T09:30Z')::jsonb #>> '{items,0,session,kind}', 'emergency', 'so does the list'
);
select is(
  api.list_vaults(null, null, 50, null, '2026-03-11T09:30Z')::jsonb #>> '{items,0,counts,documents}', '1', 'with the number of documents'
);
select is(api.get_nominee(tests.of('vault'), tests.of('bob'), '2026-03-11T09:30Z') ->> 'status', 'active', 'the nominee''s own row too');
select is(
  jsonb_array_length(api.list_nominees(tests.of('vault'), null, null, 50, null, '2026-03-11T09:30Z')::jsonb -> 'items'), 1, 'the nominee sees no other nominee'
);
select tests.as_user('acme', 'carol') \g /dev/null
select is(api.get_vault(tests.of('vault'), '2026-03-11T09:30Z') ->> 'status', 'accepted', 'another nominee is not active');
select is(api.get_vault(tests.of('vault'), '2026-03-11T09:30Z')::jsonb -> 'session', 'null', 'and sees no session');
select is(
  internal.seen_session(tests.of('vault'), (session ->> 'id')::uuid)::text, null, 'nor by its id'
)
from entered;
select tests.as_user('acme', 'alice') \g /dev/null
select is(
  (select string_agg(item ->> 'status', ' ' order by item ->> 'name') from jsonb_array_elements(api.list_nominees(tests.of('vault'), null, null, 50, null, '2026-03-11T09:30Z')::jsonb -> 'items') as item),
  'active accepted inactive', 'the owner sees who is inside'
);
select is(
  api.list_vaults('owner', null, 50, null, '2026-03-11T09:30Z')::jsonb #> '{items,0,counts,nominees}', '{"pending": 0, "accepted": 1, "active": 1, "inactive": 1}'::jsonb,
  'the counts agree'
);
select is(api.get_vault(tests.of('vault'), '2026-03-11T09:30Z')::jsonb -> 'session', 'null', 'the vault stays locked for the owner');
select is(
  (select count(*) from jsonb_array_elements(api.list_nominees(tests.of('vault'), array['active'], null, 50, null, '2026-03-11T11:00Z')::jsonb -> 'items') as item),
  0::bigint, 'nobody is active at the end of the grant'
);
select tests.as_superuser() \g /dev/null
select is(
  (select count(*) from kith.events where type = 'session' and subject_id = (session ->> 'id')::uuid and user_id not in (tests.id('alice'), tests.id('bob'))),
  0::bigint, 'nobody else hears of the session'
)
from entered;

-- What happens inside is in the history with the request.
select tests.as_user('acme', 'bob') \g /dev/null
select api.rename_document(tests.of('vault'), tests.of('will'), 'my will', null, '2026-03-11T09:40Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(
  (select string_agg(action || ' ' || coalesce(detail ->> 'request_id' = :'request', false), ', ' order by id) from kith.history where at >= '2026-03-11T09:00Z'),
  'emergency.entered true, document.renamed true', 'each act in the session carries the request'
);
select is(
  (select count(*) from kith.events where type = 'document' and user_id = tests.id('bob')), 1::bigint, 'the nominee''s screen follows the documents'
);
select tests.as_user('acme', 'bob') \g /dev/null
select is(
  internal.event_json('document', tests.of('will'), tests.of('vault'), null, '2026-03-11T09:41Z')::jsonb ->> 'name', 'my will', 'and shows them'
);
select is(
  internal.event_json('document', tests.of('will'), tests.of('vault'), null, '2026-03-11T11:00Z')::jsonb ->> 'status', 'locked', 'until the grant ends'
);
-- Activity extends nothing.
select api.note_vault_activity(tests.of('vault'), '2026-03-11T10:59Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(
  (select expires_at || ' ' || last_activity_at from kith.vault_sessions where request_id = :'request'), '2026-03-11 11:00:00+00 2026-03-11 10:59:00+00',
  'activity is noted and extends nothing'
);
select is(tests.outcome('bob', $$ select api.read_chunk(@, tests.of('will'), tests.of('version of will'), 0, false, :now) $$, '2026-03-11T11:00Z'), '423', 'a download ends with the grant');
select is(tests.outcomes(statement, '2026-03-11T11:00Z'), closed, 'after the end:' || statement) from tests.matrix order by n;

-- The shared session beside it.
savepoint inside;
select tests.as_user('acme', 'alice') \g /dev/null
select api.open_vault(tests.of('vault'), '2026-03-11T10:00Z') \g /dev/null
select tests.as_user('acme', 'bob') \g /dev/null
select is(
  api.get_vault(tests.of('vault'), '2026-03-11T10:05Z')::jsonb #>> '{session,kind}' || ' ' || (api.get_vault(tests.of('vault'), '2026-03-11T10:05Z') ->> 'access_level'),
  'shared full', 'in the shared session a nominee has the higher of both levels'
);
select tests.as_superuser() \g /dev/null
update kith.nominees set access_level = 'view' where id = tests.of('bob');
select is(tests.outcome('bob', $$ select api.rename_document(@, tests.of('will'), 'X', null, :now) $$, '2026-03-11T10:06Z'), 'ok', 'also if that is the granted one');
select is(tests.outcome('bob', $$ select api.delete_document(@, tests.of('will'), null, :now) $$, '2026-03-11T10:06Z'), '403', 'and no more');
select tests.as_user('acme', 'bob') \g /dev/null
select api.rename_document(tests.of('vault'), tests.of('will'), 'his will', null, '2026-03-11T10:07Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(
  (select detail ->> 'request_id' from kith.history order by id desc limit 1), :'request', 'what the granted level allows there is marked in the history'
);
select is(tests.outcome('bob', $$ select api.rename_document(@, tests.of('will'), 'X', null, :now) $$, '2026-03-11T10:36Z'), 'ok', 'after it, the emergency session goes on');
rollback to inside;

-- Whoever may open the vault can do so from the emergency session.
savepoint opener;
update kith.vaults set full_may_open = true where id = tests.of('vault');
select tests.as_user('acme', 'bob') \g /dev/null
select is(
  api.open_vault(tests.of('vault'), '2026-03-11T10:00Z')::jsonb #>> '{kind}', 'shared', 'a nominee who may open the vault opens it from the emergency session'
);
select tests.as_superuser() \g /dev/null
rollback to opener;
select is(
  tests.outcome('bob', $$ select api.open_vault(@, :now) $$, '2026-03-11T10:00Z'), 'ok', 'for anybody else opening leads into the emergency session'
);

-- An outage that is recorded after somebody has entered moves nothing.
savepoint late;
insert into kith.outages (component, began_at, ended_at) values ('server', '2026-03-11T08:30Z', '2026-03-11T09:05Z');
select is(
  (select status from kith.emergency_requests as request, internal.emergency_status(request, '2026-03-11T09:30Z') as status), 'granted',
  'an outage that is recorded late takes no grant back that was used'
);
rollback to late;

-- What ends it while a download runs: each chunk asks.
create function tests.chunk_after(p_person text, p_statement text) returns text
  language plpgsql
as $body$
declare
  v_before text := tests.outcome('bob', $$ select api.read_chunk(@, tests.of('will'), tests.of('version of will'), 0, false, :now) $$, '2026-03-11T10:00Z');
  v_after text;
begin
  if p_person is not null then
    perform tests.as_person(p_person);
  end if;
  execute p_statement;
  perform tests.as_superuser();
  v_after := tests.outcome('bob', $$ select api.read_chunk(@, tests.of('will'), tests.of('version of will'), 0, false, :now) $$, '2026-03-11T10:00:02Z');
  raise exception 'undo' using errcode = 'TT000';
exception when sqlstate 'TT000' then
  return v_before || ' ' || v_after;
end
$body$;
create temporary table request as select :'request'::uuid as id;
grant select on request to public;
select is(tests.chunk_after(person, statement), expected, format('a download ends: %s', what))
from (values
  ('the owner says no', 'alice', $$ select api.reject_emergency_request(tests.of('vault'), id, '2026-03-11T10:00:01Z') from request $$, 'ok 423'),
  ('the nominee withdraws', 'bob', $$ select api.withdraw_emergency_request(tests.of('vault'), id, '2026-03-11T10:00:01Z') from request $$, 'ok 423'),
  ('the owner takes the right', 'alice', $$ select api.remove_emergency_settings(tests.of('vault'), tests.of('bob'), '2026-03-11T10:00:01Z') $$, 'ok 423'),
  ('the nominee is revoked', 'alice', $$ select api.revoke_nominee(tests.of('vault'), tests.of('bob'), '2026-03-11T10:00:01Z') $$, 'ok 403'),
  ('the nominee is paused', 'alice', $$ select api.update_nominee(tests.of('vault'), tests.of('bob'), '{"status": "inactive"}', '2026-03-11T10:00:01Z') $$, 'ok 403'),
  ('the vault is deleted', 'alice', $$ select api.delete_vault(tests.of('vault'), '2026-03-11T10:00:01Z') $$, 'ok 404'),
  ('the owner''s account ends', 'alice', $$ select api.delete_me('delete', '2026-03-11T10:00:01Z') $$, 'ok 404'),
  ('the nominee''s account ends', 'bob', $$ select api.delete_me('delete', '2026-03-11T10:00:01Z') $$, 'ok 403'),
  ('the row of the request has ended, whatever the session says', null,
    $$ update kith.emergency_requests set ended_at = '2026-03-11T10:00:01Z', end_reason = 'rejected' $$, 'ok 423'),
  ('an operator holds it, whatever the session says', null,
    $$ update kith.emergency_requests set held_at = '2026-03-11T10:00:01Z', hold_reason = 'a complaint' $$, 'ok 423')
) as ends (what, person, statement, expected);
select tests.as_person('alice') \g /dev/null
select api.reject_emergency_request(tests.of('vault'), id, '2026-03-11T10:00:01Z') from request \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.outcomes(statement, '2026-03-11T10:30Z'), closed, 'after a no:' || statement) from tests.matrix order by n;

-- A vault that comes back brings the right back, and no access.
select tests.as_person('alice') \g /dev/null
select api.delete_vault(tests.of('vault'), '2026-03-12T10:00Z'), api.restore_vault(tests.of('vault'), '2026-03-12T11:00Z') \g /dev/null
select is(api.get_emergency_settings(tests.of('vault'), tests.of('bob'), '2026-03-12T12:00Z') ->> 'wait_hours', '24', 'a restored vault has its rights');
select tests.as_superuser() \g /dev/null
select is(tests.outcomes(statement, '2026-03-12T12:00Z'), closed, 'after a restore:' || statement) from tests.matrix order by n;

-- A new owner has given nobody anything.
select tests.as_person('bob') \g /dev/null
select api.request_emergency_access(tests.of('vault'), null, '2026-03-13T12:00Z') \g /dev/null
select tests.as_person('alice') \g /dev/null
select api.create_transfer(tests.of('vault'), '{"name": "Mallory", "keep_access": true}', 'https://a.example', '2026-03-13T13:00Z')
  #>> '{invitation,token}' as token \gset
select tests.as_person('mallory') \g /dev/null
select api.accept_invitation(:'token', '2026-03-13T14:00Z') \g /dev/null
select is(
  jsonb_array_length(api.list_emergency_requests(tests.of('vault'), null, 50, null, '2026-03-13T15:00Z')::jsonb -> 'items'), 0,
  'a new owner does not see the requests to the former one'
);
select tests.as_superuser() \g /dev/null
select is(
  (select count(*) || ' ' || max(end_reason) filter (where ended_at = '2026-03-13T14:00Z') from kith.emergency_requests), '2 transferred', 'a transfer ends the request'
);
select is((select count(*) from kith.emergency_settings), 0::bigint, 'and all rights');

select * from finish();
rollback;
