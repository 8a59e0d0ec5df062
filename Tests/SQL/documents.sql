-- Documents: permissions, how they become visible, and what is left behind (D01, V10, V11). The server seals the chunks; here they are
-- plain bytes, 29 longer than their content.
begin;
\ir people.sql
select plan(106);

create temporary table house (name text primary key, id uuid);
grant select, insert on house to public;
create function tests.named(p_name text) returns uuid language sql stable return (select id from house where name = p_name);
create function tests.nominate(p_person text, p_status text, p_level text) returns void
  language sql
as $$
  insert into kith.nominees (
    tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, accepted_at, revoked_at, revoke_reason, updated_at
  )
  values (
    tests.tenant('acme'), gen_random_uuid(), tests.named('papers'), tests.id('alice'), tests.id(p_person), initcap(p_person), p_status,
    p_level, '2026-03-10T08:00Z', '2026-03-10T08:00Z', case when p_status = 'revoked' then '2026-03-10T08:00Z'::timestamptz end,
    case when p_status = 'revoked' then 'removed' end, '2026-03-10T08:00Z'
  )
$$;
create function tests.sealed(p_size integer) returns bytea language sql stable return decode(repeat('ab', p_size + 29), 'hex');

-- Why a document cannot have a name; null if it can.
create function tests.document_name_refusal(p_name text) returns text
  language plpgsql
as $$
declare
  v_detail text;
begin
  perform tests.as_definer('acme', 'alice');
  perform internal.require_document_name(p_name);
  return null;
exception when sqlstate 'KT422' then
  get stacked diagnostics v_detail = pg_exception_detail;
  return v_detail;
end
$$;
-- Uploads a content of two chunks (10 bytes and 5); the upload's answer.
create function tests.upload(p_name text, p_document_id uuid, p_now timestamptz, p_expected uuid[] default null) returns json
  language plpgsql
as $$
declare
  v_begun json := api.begin_upload(tests.named('papers'), p_document_id, 15, 4096, p_expected, null, p_now);
  v_version uuid := v_begun ->> 'version_id';
begin
  perform api.put_chunk(tests.named('papers'), v_version, 0, tests.sealed(10), p_now);
  perform api.put_chunk(tests.named('papers'), v_version, 1, tests.sealed(5), p_now);
  return api.finish_upload(
    tests.named('papers'), v_version, p_name, 'text/plain', 15, 2, sha256('x'), p_expected, null, p_now
  );
end
$$;

select tests.as_user('acme', 'alice');
insert into house select 'papers', (api.create_vault('{"name": "Papers"}', '2026-03-10T08:00Z') ->> 'id')::uuid;
select tests.as_superuser();
select tests.nominate('bob', 'accepted', 'view');
select tests.nominate('carol', 'accepted', 'edit');

-- A locked vault is locked for everybody.
select tests.as_user('acme', 'alice');
select throws_ok(
  $$ select tests.upload('Will.pdf', null, '2026-03-10T08:00Z') $$, 'KT423', 'vault_locked', 'nobody can upload into a locked vault, not even its owner'
);
select throws_ok(
  $$ select api.list_documents(tests.named('papers'), null, 50, null, '2026-03-10T08:00Z') $$, 'KT423', 'vault_locked', 'nobody can list the documents of a locked vault'
);
select api.open_vault(tests.named('papers'), '2026-03-10T08:00Z') \g /dev/null

-- The vault's key.
select is(
  api.begin_upload(tests.named('papers'), null, 15, 4096, null, null, '2026-03-10T08:00Z') ->> 'key', null, 'a vault has no key before its first upload'
);
select is(
  api.add_vault_key(tests.named('papers'), 'one', '2026-03-10T08:00Z') ->> 'key', encode('one', 'base64'), 'the server sets the vault''s key'
);
select is(
  api.add_vault_key(tests.named('papers'), 'two', '2026-03-10T08:00Z') ->> 'key', encode('one', 'base64'), 'a second server gets the first server''s key'
);
select is(
  api.begin_upload(tests.named('papers'), null, 15, 4096, null, null, '2026-03-10T08:00Z') ->> 'key', encode('one', 'base64'), 'every later upload gets that key'
);

-- Uploading.
insert into house select 'will', (tests.upload('Will.pdf', null, '2026-03-10T08:01Z') ->> 'id')::uuid;
select is(
  (api.get_document(tests.named('papers'), tests.named('will'), '2026-03-10T08:01Z'))::jsonb - 'id' - 'version_id' - 'vault_id',
  jsonb_build_object(
    'name', 'Will.pdf', 'content_type', 'text/plain', 'size', 15, 'sha256', encode(sha256('x'), 'hex'),
    'created_at', '2026-03-10T08:01:00.000000Z', 'created_by', jsonb_build_object('id', tests.id('alice'), 'display_name', 'Alice'),
    'updated_at', '2026-03-10T08:01:00.000000Z', 'updated_by', jsonb_build_object('id', tests.id('alice'), 'display_name', 'Alice'),
    'deleted_at', null, 'deleted_by', null
  ),
  'a document is stored as it was sent'
);
select is(
  json_array_length(api.list_documents(tests.named('papers'), null, 50, null, '2026-03-10T08:01Z') -> 'items'), 1,
  'an unfinished upload is not listed'
);
prepare unfinished as select api.begin_upload(tests.named('papers'), null, 15, 4096, null, null, '2026-03-10T08:01Z') ->> 'version_id';
create temporary table upload (version uuid);
grant all on upload to public;
insert into upload select (api.begin_upload(tests.named('papers'), null, null, 4096, null, null, '2026-03-10T08:01Z') ->> 'version_id')::uuid;
prepare finish as
select api.finish_upload(tests.named('papers'), (select version from upload), 'X', 'text/plain', $1, $2, sha256('x'), null, null, '2026-03-10T08:01Z');
select throws_ok($$ execute finish(0, 1) $$, 'P0001', null, 'an upload cannot finish without chunks');
select api.put_chunk(tests.named('papers'), (select version from upload), 1, tests.sealed(5), '2026-03-10T08:01Z') \g /dev/null
select throws_ok($$ execute finish(5, 1) $$, 'P0001', null, 'an upload cannot finish without its first chunk');
select api.put_chunk(tests.named('papers'), (select version from upload), 0, tests.sealed(10), '2026-03-10T08:01Z') \g /dev/null
select throws_ok($$ execute finish(16, 2) $$, 'P0001', null, 'an upload cannot finish with a different size');
select throws_ok($$ execute finish(15, 3) $$, 'P0001', null, 'an upload cannot finish with a different number of chunks');
select throws_ok(
  $$ select api.put_chunk(tests.named('papers'), (select version from upload), 0, tests.sealed(10), '2026-03-10T08:01Z') $$, '23505', null,
  'a chunk is written once'
);
select tests.as_user('acme', 'carol');
select throws_ok($$ execute finish(15, 2) $$, 'KT404', 'not_found', 'only the user who began an upload can finish it');
select throws_ok(
  $$ select api.put_chunk(tests.named('papers'), (select version from upload), 2, tests.sealed(10), '2026-03-10T08:01Z') $$, 'KT404', 'not_found',
  'only the user who began an upload can add to it'
);
select api.abandon_upload((select version from upload)) \g /dev/null
select tests.as_user('acme', 'alice');
select lives_ok($$ execute finish(15, 2) $$, 'the user who began the upload can finish it');
select throws_ok($$ execute finish(15, 2) $$, 'KT404', 'not_found', 'an upload is finished once');
select api.abandon_upload((select version from upload)) \g /dev/null
select is(
  json_array_length(api.list_documents(tests.named('papers'), null, 50, null, '2026-03-10T08:01Z') -> 'items'), 2,
  'a finished upload cannot be abandoned'
);
truncate upload;
insert into upload select (api.begin_upload(tests.named('papers'), null, null, 4096, null, null, '2026-03-10T08:01Z') ->> 'version_id')::uuid;
select api.put_chunk(tests.named('papers'), (select version from upload), 0, tests.sealed(10), '2026-03-10T08:01Z') \g /dev/null
select api.abandon_upload((select version from upload)) \g /dev/null
select tests.as_superuser();
select is(
  (select count(*) from kith.document_chunks where version_id = (select version from upload)), 0::bigint, 'an abandoned upload leaves no chunk behind'
);

-- Reading.
select tests.as_user('acme', 'bob');
create temporary table content as select api.open_content(tests.named('papers'), tests.named('will'), '2026-03-10T08:02Z') as facts;
grant select on content to public;
select is(
  (select facts::jsonb - 'version_id' - 'vault_id' - 'document_id' from content),
  jsonb_build_object(
    'name', 'Will.pdf', 'content_type', 'text/plain', 'size', 15, 'chunk_size', 4096, 'chunks', 2, 'key', encode('one', 'base64')
  ),
  'a nominee with level view gets what the server needs for a download'
);
prepare read as
select api.read_chunk(
  tests.named('papers'), tests.named('will'), (select (facts ->> 'version_id')::uuid from content), $1, $2, $3::timestamptz
);
select results_eq($$ execute read(0, true, '2026-03-10T08:02Z') $$, $$ values (tests.sealed(10)) $$, 'the first chunk can be read');
select results_eq($$ execute read(1, false, '2026-03-10T08:02Z') $$, $$ values (tests.sealed(5)) $$, 'the next chunk can be read');
select results_eq($$ execute read(2, false, '2026-03-10T08:02Z') $$, $$ values (null::bytea) $$, 'reading past the last chunk returns null');
select results_eq($$ execute read(1, true, '2026-03-10T08:02:30Z') $$, $$ values (tests.sealed(5)) $$, 'a download may start at another part');
select tests.as_superuser();
select is(
  (select count(*) from kith.history where action = 'document.read' and actor_id = tests.id('bob') and subject_id = tests.named('will')), 1::bigint,
  'several reads of one document make one history entry'
);
select is(
  (select last_active_at from kith.nominees where user_id = tests.id('bob'))::timestamptz, '2026-03-10T08:02Z'::timestamptz, 'reading counts as activity'
);
select tests.as_user('acme', 'mallory');
select throws_ok($$ execute read(0, true, '2026-03-10T08:02Z') $$, 'KT404', 'not_found', 'a stranger cannot read');
select tests.as_user('globex', 'globex-alice');
select throws_ok($$ execute read(0, true, '2026-03-10T08:02Z') $$, 'KT404', 'not_found', 'another tenant cannot read');
select tests.as_superuser();
update kith.nominees set status = 'inactive' where user_id = tests.id('bob');
select tests.as_user('acme', 'bob');
select throws_ok($$ execute read(1, false, '2026-03-10T08:02Z') $$, 'KT403', 'nominee_inactive', 'a nominee who is paused during a download gets no further chunk');
select tests.as_superuser();
update kith.nominees set status = 'accepted' where user_id = tests.id('bob');
select tests.as_user('acme', 'bob');
select throws_ok($$ execute read(1, false, '2026-03-10T09:02Z') $$, 'KT423', 'vault_locked', 'nobody gets a further chunk once the session has expired');
select lives_ok($$ execute read(1, false, '2026-03-10T08:31:59Z') $$, 'chunks can be read until the session expires');

-- Levels: view reads; edit adds, replaces and renames; full deletes and restores.
select tests.as_superuser();
create function tests.outcome(p_person text, p_statement text) returns text
  language plpgsql
as $$
declare
  v_answer text;
  v_outcome text;
begin
  perform tests.as_user('acme', p_person);
  begin
    execute p_statement into v_answer;
    v_outcome := 'ok';
    raise exception 'undo' using errcode = 'TT000';
  exception
    when sqlstate 'TT000' then null;
    when others then v_outcome := regexp_replace(sqlstate, '^KT', '');
  end;
  perform tests.as_superuser();
  return v_outcome;
end
$$;
create table tests.matrix (n integer generated always as identity, action text, statement text, alice text, bob text, carol text, mallory text);
insert into tests.matrix (action, statement, alice, bob, carol, mallory)
values
  ('list', $$ select api.list_documents(tests.named('papers'), null, 50, null, '2026-03-10T08:10Z') $$, 'ok', 'ok', 'ok', '404'),
  ('list deleted documents', $$ select api.list_documents(tests.named('papers'), true, 50, null, '2026-03-10T08:10Z') $$, 'ok', '403', '403', '404'),
  ('get', $$ select api.get_document(tests.named('papers'), tests.named('will'), '2026-03-10T08:10Z') $$, 'ok', 'ok', 'ok', '404'),
  ('add', $$ select tests.upload('New', null, '2026-03-10T08:10Z') $$, 'ok', '403', 'ok', '404'),
  ('replace', $$ select tests.upload(null, tests.named('will'), '2026-03-10T08:10Z') $$, 'ok', '403', 'ok', '404'),
  ('rename', $$ select api.rename_document(tests.named('papers'), tests.named('will'), 'X', null, '2026-03-10T08:10Z') $$, 'ok', '403', 'ok', '404'),
  ('delete', $$ select api.delete_document(tests.named('papers'), tests.named('will'), null, '2026-03-10T08:10Z') $$, 'ok', '403', '403', '404'),
  ('restore a document that is not deleted', $$ select api.restore_document(tests.named('papers'), tests.named('will'), '2026-03-10T08:10Z') $$,
    '409', '403', '403', '404');
select is(tests.outcome(person, statement), expected, format('%s: %s', person, action))
from tests.matrix
cross join lateral (values ('alice', alice), ('bob', bob), ('carol', carol), ('mallory', mallory)) as expectation (person, expected)
order by n;

-- The policies say the same when the table is read directly.
create function tests.touched(p_person text, p_statement text, p_at timestamptz) returns bigint
  language plpgsql
as $$
declare
  v_count bigint;
begin
  perform tests.as_user('acme', p_person);
  perform set_config('kith.now', p_at::text, true);
  begin
    execute p_statement;
    get diagnostics v_count = row_count;
    raise exception 'undo' using errcode = 'TT000';
  exception
    when sqlstate 'TT000' then null;
    when insufficient_privilege then v_count := -1;
  end;
  perform tests.as_superuser();
  return v_count;
end
$$;
create table tests.direct (n integer generated always as identity, action text, statement text, at timestamptz, alice integer, bob integer, carol integer, mallory integer);
insert into tests.direct (action, statement, at, alice, bob, carol, mallory)
values
  ('see', 'select from kith.documents', '2026-03-10T08:10Z', 2, 2, 2, 0),
  ('see after the session', 'select from kith.documents', '2026-03-10T18:10Z', 0, 0, 0, 0),
  ('rename', $$ update kith.documents set name = 'X' $$, '2026-03-10T08:10Z', -1, -1, -1, -1),
  ('delete', $$ update kith.documents set deleted_at = '2026-03-10T08:10Z' $$, '2026-03-10T08:10Z', -1, -1, -1, -1),
  ('move to another version', $$ update kith.documents set version_id = id $$, '2026-03-10T08:10Z', -1, -1, -1, -1),
  ('see the chunks', 'select from kith.document_chunks', '2026-03-10T08:10Z', -1, -1, -1, -1),
  ('see the versions', 'select from kith.document_versions', '2026-03-10T08:10Z', -1, -1, -1, -1),
  ('see the keys', 'select from kith.vault_keys', '2026-03-10T08:10Z', -1, -1, -1, -1);
select is(
  array(
    select tests.touched(person, statement, at) from unnest(array['alice', 'bob', 'carol', 'mallory']) with ordinality as people (person, place)
    order by place
  ),
  array[alice, bob, carol, mallory]::bigint[], format('rows that alice, bob, carol and mallory can %s directly', action)
)
from tests.direct
order by n;

-- Replacing, with the version that the caller has seen.
select tests.as_user('acme', 'carol');
select throws_ok(
  $$ select tests.upload(null, tests.named('will'), '2026-03-10T08:20Z', array[gen_random_uuid()]) $$, 'KT412', 'precondition_failed',
  'a document is not replaced if its version differs from the expected one'
);
select throws_ok(
  $$ select tests.upload(null, tests.named('will'), '2026-03-10T08:20Z', '{}') $$, 'KT412', 'precondition_failed', 'a document is not replaced if the list of expected versions is empty'
);
select isnt(
  tests.upload(
    null, tests.named('will'), '2026-03-10T08:20Z', array[gen_random_uuid(), (select (facts ->> 'version_id')::uuid from content)]
  ) ->> 'version_id',
  (select facts ->> 'version_id' from content), 'a document is replaced if its version is the expected one'
);
select is(
  api.get_document(tests.named('papers'), tests.named('will'), '2026-03-10T08:20Z') ->> 'name', 'Will.pdf', 'a replaced document keeps its name'
);
select lives_ok($$ execute read(1, false, '2026-03-10T08:21Z') $$, 'a download of the old version may continue to its end');
select tests.as_user('acme', 'alice');
select is(
  api.rename_document(tests.named('papers'), tests.named('will'), 'Last will 🗝️.pdf', null, '2026-03-10T08:21Z') ->> 'name', 'Last will 🗝️.pdf',
  'a document can be renamed'
);

-- Deleting and restoring.
select is(api.delete_document(tests.named('papers'), tests.named('will'), null, '2026-03-10T08:22Z')::text, null, 'a nominee with level full deletes a document');
select throws_ok(
  $$ select api.get_document(tests.named('papers'), tests.named('will'), '2026-03-10T08:22Z') $$, 'KT404', 'not_found', 'a deleted document is not found'
);
select throws_ok($$ execute read(1, false, '2026-03-10T08:22Z') $$, 'KT404', 'not_found', 'a download of a deleted document cannot continue');
select throws_ok(
  $$ select tests.upload(null, tests.named('will'), '2026-03-10T08:22Z') $$, 'KT404', 'not_found', 'a deleted document cannot be replaced'
);
select is(
  api.list_documents(tests.named('papers'), true, 50, null, '2026-03-10T08:22Z') #>> '{items,0,id}', tests.named('will')::text,
  'a deleted document is listed among those that can be restored'
);
select is(
  api.restore_document(tests.named('papers'), tests.named('will'), '2026-03-10T08:23Z') ->> 'deleted_at', null, 'a deleted document is restored'
);
select api.delete_document(tests.named('papers'), tests.named('will'), null, '2026-03-10T08:24Z') \g /dev/null
select api.lock_vault(tests.named('papers'), '2026-03-10T08:24Z') \g /dev/null
select api.open_vault(tests.named('papers'), '2026-04-09T08:25Z') \g /dev/null
select throws_ok(
  $$ select api.restore_document(tests.named('papers'), tests.named('will'), '2026-04-09T08:25Z') $$, 'KT404', 'not_found', 'a document cannot be restored after 30 days'
);
select is(
  json_array_length(api.list_documents(tests.named('papers'), true, 50, null, '2026-04-09T08:25Z') -> 'items'), 0, 'after 30 days it is not listed among those that can be restored'
);
select tests.as_superuser();
select is(
  (select string_agg(action, ' ' order by id) from kith.history where subject_id = tests.named('will')),
  'document.added document.read document.replaced document.renamed document.deleted document.restored document.deleted',
  'the history has each of these acts'
);

-- The quota covers everything that a vault keeps, including deleted documents.
update kith.tenants set vault_quota_mib = 1 where slug = 'acme';
select tests.as_user('acme', 'alice');
select throws_ok(
  $$ select api.begin_upload(tests.named('papers'), null, 1048576, 4096, null, null, '2026-04-09T08:25Z') $$, 'KT507', 'quota_exceeded',
  'an upload over the quota is refused before it is sent'
);
select tests.as_superuser();
update kith.documents set size = 1048570 where tenant_id = tests.tenant('acme') and id = tests.named('will');
select tests.as_user('acme', 'alice');
truncate upload;
insert into upload select (api.begin_upload(tests.named('papers'), null, null, 4096, null, null, '2026-04-09T08:25Z') ->> 'version_id')::uuid
where false;
select throws_ok($$ select tests.upload('Y', null, '2026-04-09T08:25Z') $$, 'KT507', 'quota_exceeded', 'an upload without a declared size is refused at its end');

select tests.as_superuser();
create temporary table was as select deleted_at, deleted_by, size from kith.documents where id = tests.named('will');
update kith.documents set deleted_at = null, deleted_by = null, size = 1 where id = tests.named('will');
insert into kith.document_versions (
  tenant_id, id, vault_id, document_id, state, created_by, created_at, chunks, size, ended_at, chunk_size
)
select tests.tenant('acme'), gen_random_uuid(), tests.named('papers'), tests.named('will'), 'replaced', tests.id('alice'), '2026-04-09T08:24Z',
  1, 524289, '2026-04-09T08:24Z', 4096
from generate_series(1, 2);
select tests.as_user('acme', 'alice');
select is(
  api.begin_upload(tests.named('papers'), tests.named('will'), 1, 4096, null, null, '2026-04-09T08:25Z') ->> 'problem', 'too_many_requests',
  'a replacement is refused if too much was replaced within the hour'
);
select tests.as_superuser();
delete from kith.document_versions where size = 524289;
update kith.documents set deleted_at = was.deleted_at, deleted_by = was.deleted_by, size = was.size from was where id = tests.named('will');

-- Leftovers.
select tests.as_superuser();
update kith.tenants set vault_quota_mib = 1024 where slug = 'acme';
select is(
  (select string_agg(state, ' ' order by state) from kith.document_versions where vault_id = tests.named('papers')),
  'current current replaced uploading uploading', 'there are unfinished uploads and a replaced version'
);
select tests.as_role('kith_worker');
select is(worker.sweep_uploads('2026-03-10T08:59Z', 10), 0, 'leftovers stay for an hour');
select is(worker.sweep_uploads('2026-03-10T09:10Z', 1), 1, 'after an hour leftovers are deleted, a batch at a time');
select is(worker.sweep_uploads('2026-03-10T09:30Z', 10), 2, 'the sweep continues until none is left');
select is(worker.sweep_uploads('2026-04-09T08:23Z', 10), 0, 'a deleted document stays for 30 days');
select is(worker.sweep_uploads('2026-04-09T08:25Z', 10), 1, 'after 30 days a deleted document is swept');
select tests.as_superuser();
select is(
  (select count(*) from kith.documents where vault_id = tests.named('papers')), 1::bigint, 'other documents stay'
);
select is(
  (select count(*) from kith.document_chunks where version_id not in (select version_id from kith.documents)), 0::bigint,
  'no chunk is left without its document'
);

-- Damage.
select tests.as_user('acme', 'alice');
select throws_ok(
  $$ select api.report_damage(gen_random_uuid(), gen_random_uuid(), 0, true, '2026-04-09T08:25Z') $$, 'KT404', 'not_found',
  'damage of a document that does not exist is not found'
);
select tests.as_superuser();
select version_id, id from kith.documents where vault_id = tests.named('papers') \gset damaged_
select tests.as_user('acme', 'alice');
select api.report_damage(:'damaged_id', :'damaged_version_id', 3, false, '2026-04-09T08:25Z') \g /dev/null
select tests.as_superuser();
select is(
  (select actor || ' ' || subject || ' ' || detail from kith.audit where action = 'document.tampered'),
  'user:' || tests.id('alice') || ' ' || :'damaged_id' || ' ' || jsonb_build_object('version_id', :'damaged_version_id', 'chunk', 3, 'missing', false),
  'damage is audited with document, version and chunk'
);

-- Resealing keys, which only the owner may do.
select is(
  (select array_agg(kind || ' ' || convert_from(sealed, 'UTF8')) from internal.sealed_samples() where kind = 'vault_keys'), array['vault_keys one'],
  'a server finds some keys to test its own with'
);
select internal.reseal_key('vault_keys', tests.tenant('acme'), tests.named('papers')::text, 'other', 'new') \g /dev/null
select is(
  (select convert_from(sealed, 'UTF8') from internal.sealed_keys('vault_keys', 0, '00000000-0000-0000-0000-000000000000', 10)), 'one',
  'a key that was resealed meanwhile stays unchanged'
);
select internal.reseal_key('vault_keys', tests.tenant('acme'), tests.named('papers')::text, 'one', 'new') \g /dev/null
select is(
  (select convert_from(sealed, 'UTF8') from internal.sealed_keys('vault_keys', 0, '00000000-0000-0000-0000-000000000000', 10)), 'new',
  'an unchanged key is replaced'
);
select tests.as_user('acme', 'alice');
select throws_ok(
  $$ select internal.sealed_keys('vault_keys', 0, '00000000-0000-0000-0000-000000000000', 10) $$, '42501', null, 'a request cannot read the sealed keys'
);

select tests.as_user('acme', 'alice');
select throws_ok('select internal.sealed_samples()', 'KT403', 'forbidden', 'a signed-in user cannot read the sealed samples');


-- A document's name can be the name of a file.
select tests.as_user('acme', 'alice');
select is_empty(
  $$
    select name from unnest(array['.', '..', '...', '. .', '/', '../..', '\', './', ' .']) as name
    where tests.document_name_refusal(name) is null
  $$,
  'a document''s name has more than dots and slashes'
);
select is_empty(
  $$ select name from unnest(array['a', '.bashrc', '..a', 'Will.', '2024/25', '…', null]) as name where tests.document_name_refusal(name) is not null $$,
  'other names with dots are allowed'
);

select tests.as_superuser();
select * from finish();
rollback;
