-- What a list of vaults shows of each, who is inside, and the filters of lists (D02).
begin;
\ir people.sql
\ir event_feed.sql
select plan(45);

-- The counts of a vault in a person's list: nominees (pending accepted active inactive), documents, unread.
create function tests.listed(p_person text, p_vault text, p_at timestamptz, p_role text default null) returns json
  language plpgsql
as $$
begin
  perform tests.as_user(case when p_person like 'globex%' then 'globex' else 'acme' end, p_person);
  return (
    select item from json_array_elements(api.list_vaults(p_role, false, 50, null, p_at) -> 'items') as items (item)
    where item ->> 'id' = tests.kept(p_vault)::text
  );
end
$$;
create function tests.counts(p_person text, p_vault text, p_at timestamptz) returns text
  language sql
as $$
  select coalesce(concat_ws(
    ' ', coalesce(concat_ws('/', counts #>> '{nominees,pending}', counts #>> '{nominees,accepted}', counts #>> '{nominees,active}', counts #>> '{nominees,inactive}'), '-'),
    coalesce(counts ->> 'documents', '-'), counts ->> 'unread'
  ), 'nothing')
  from (select tests.listed(p_person, p_vault, p_at) -> 'counts' as counts) as listed
$$;
create function tests.inside(p_person text, p_vault text, p_at timestamptz) returns text
  language sql
as $$
  select string_agg(person ->> 'display_name', ' ' order by n)
  from json_array_elements(tests.listed(p_person, p_vault, p_at) #> '{session,inside}') with ordinality as people (person, n)
$$;
create function tests.names(p_list json) returns text
  language sql
  return (select string_agg(item ->> 'name', ' ' order by n) from json_array_elements(p_list -> 'items') with ordinality as items (item, n));

create function tests.nominees(p_statuses text[]) returns text
  language sql
  return (
    select string_agg(item ->> 'name', ' ' order by item ->> 'name')
    from json_array_elements(api.list_nominees(tests.kept('papers'), p_statuses, null, 50, null, '2026-03-30T12:00Z') -> 'items') as items (item)
  );
create function tests.acts(p_actions text[], p_from timestamptz, p_until timestamptz, p_limit integer default 50) returns text
  language sql
  return (
    select string_agg(item ->> 'action', ' ' order by n)
    from json_array_elements(api.list_vault_history(tests.kept('papers'), p_actions, p_from, p_until, p_limit, null, '2026-03-30T12:00Z') -> 'items')
      with ordinality as items (item, n)
  );

-- Alice's papers: Bob views, Carol is full, Dora is pending, Erin paused, Finn revoked; two documents, one of them deleted.
select tests.as_user('acme', 'alice');
insert into kept
select name, (api.create_vault(jsonb_build_object('name', name), '2026-03-30T10:00Z') ->> 'id')::uuid from unnest(array['papers', 'photos']) as name;
select tests.as_user('acme', 'bob');
insert into kept select 'house', (api.create_vault('{"name": "house"}', '2026-03-30T10:00:01Z') ->> 'id')::uuid;
select tests.as_superuser();
insert into kept select name, gen_random_uuid() from unnest(array['bob', 'carol', 'dora', 'erin', 'finn', 'will', 'deed']) as name;
insert into kith.nominees (tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, revoked_at, updated_at)
select tests.tenant('acme'), tests.kept(name), tests.kept('papers'), tests.id('alice'), tests.id(person), name, status, level, '2026-03-30T10:00Z',
  tests.id('alice'), '2026-03-30T10:00Z', case status when 'revoked' then '2026-03-30T10:00Z'::timestamptz end, '2026-03-30T10:00Z'
from (values
  ('bob', 'bob', 'accepted', 'view'), ('carol', 'carol', 'accepted', 'full'), ('dora', null, 'pending', 'view'), ('erin', null, 'inactive', 'view'),
  ('finn', 'mallory', 'revoked', 'view')
) as given (name, person, status, level);
insert into kith.documents (
  tenant_id, id, vault_id, owner_id, version_id, name, content_type, size, sha256, created_at, created_by, updated_at, deleted_at, deleted_by
)
select tests.tenant('acme'), tests.kept(name), tests.kept('papers'), tests.id('alice'), gen_random_uuid(), name, 'text/plain', 0, sha256(''),
  '2026-03-30T10:00Z', tests.id('alice'), '2026-03-30T10:00Z', deleted_at, case when deleted_at is not null then tests.id('alice') end
from (values ('will', null), ('deed', '2026-03-30T10:00Z'::timestamptz)) as given (name, deleted_at);
select tests.as_user('acme', 'bob');
select api.send_message(tests.kept('papers'), tests.kept('bob'), 'Hi', '2026-03-30T10:01Z') \g /dev/null

-- Counts.
select is(tests.counts('alice', 'papers', '2026-03-30T10:02Z'), '1/2/0/1 1 1', 'a locked vault''s owner sees the nominees by status, the documents, and what is unread');
select is(tests.counts('alice', 'photos', '2026-03-30T10:02Z'), '0/0/0/0 0 0', 'each vault has its own');
select is(tests.counts('bob', 'papers', '2026-03-30T10:02Z'), ' - 0', 'a locked vault tells a nominee nothing of its contents, and nothing of the others');
select is(tests.counts('carol', 'papers', '2026-03-30T10:02Z'), ' - 0', 'whatever their level');
select is(tests.listed('mallory', 'papers', '2026-03-30T10:02Z')::text, null, 'a revoked nominee has no such vault');
select is(tests.listed('globex-alice', 'papers', '2026-03-30T10:02Z')::text, null, 'nor has another tenant''s Alice');
select is(
  (tests.listed('bob', 'papers', '2026-03-30T10:02Z') ->> 'nominee_id')::uuid, tests.kept('bob'), 'a nominee learns their own id'
);
select is(tests.listed('alice', 'papers', '2026-03-30T10:02Z') ->> 'nominee_id', null, 'an owner has none');
select tests.as_user('acme', 'alice');
select api.create_transfer(tests.kept('papers'), '{"name": "Gina", "keep_access": true}', 'https://kith.example', '2026-03-30T10:03Z') ->> 'id' as transfer \gset
select is(
  tests.listed('alice', 'papers', '2026-03-30T10:04Z') -> 'pending_transfer' ->> 'name', 'Gina', 'the owner sees the pending transfer'
);
select is(tests.listed('alice', 'papers', '2026-04-30T10:04Z') ->> 'pending_transfer', null, 'until it expires');
select is(tests.listed('carol', 'papers', '2026-03-30T10:04Z') ->> 'pending_transfer', null, 'which is nobody else''s business');
select tests.as_user('acme', 'alice');
select is(
  api.get_vault(tests.kept('papers'), '2026-03-30T10:04Z')::jsonb, tests.listed('alice', 'papers', '2026-03-30T10:04Z')::jsonb, 'a vault by itself shows the same'
);

-- Who is inside.
select tests.as_superuser();
select tests.feed('2026-03-30T10:05Z') \g /dev/null
select tests.as_user('acme', 'alice');
select is(
  api.open_vault(tests.kept('papers'), '2026-03-30T11:00Z')::jsonb - 'id',
  jsonb_build_object(
    'vault_id', tests.kept('papers'), 'unlocked_by', tests.id('alice'),
    'unlocked_by_user', jsonb_build_object('id', tests.id('alice'), 'display_name', 'Alice'),
    'kind', 'shared', 'request_id', null, 'opened_at', '2026-03-30T11:00:00.000000Z', 'expires_at', '2026-03-30T11:30:00.000000Z', 'latest_expires_at', '2026-03-30T23:00:00.000000Z',
    'inside', jsonb_build_array(jsonb_build_object('id', tests.id('alice'), 'display_name', 'Alice')),
    'locked_at', null, 'locked_by', null, 'locked_by_user', null, 'lock_reason', null
  ),
  'a session says who opened it, who is inside, and when it ends at the latest'
);
select is(tests.counts('alice', 'papers', '2026-03-30T11:01Z'), '1/0/2/1 1 1', 'while the vault is open, those with access are active');
select is(tests.counts('bob', 'papers', '2026-03-30T11:01Z'), ' 1 0', 'a nominee sees how many documents there are');
select is(tests.counts('carol', 'papers', '2026-03-30T11:01Z'), '1/0/2/1 1 0', 'and one with level full the nominees too');
select tests.as_superuser();
select tests.feed('2026-03-30T11:01Z') \g /dev/null
select tests.as_user('acme', 'bob');
select api.open_vault(tests.kept('papers'), '2026-03-30T11:01Z') \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-30T11:01Z'), array['alice session', 'bob session', 'carol session'], 'entering is shown to the owner, to those inside and to those with level full');
select tests.as_user('acme', 'carol');
select api.list_documents(tests.kept('papers'), false, 50, null, '2026-03-30T11:01:10Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.feed('2026-03-30T11:02Z'), array['alice session', 'bob session', 'carol session'], 'and so is reading, without a word'
);
select is(tests.inside('alice', 'papers', '2026-03-30T11:02Z'), 'Alice Bob Carol', 'the owner sees who is inside');
select is(tests.inside('carol', 'papers', '2026-03-30T11:02Z'), 'Alice Bob Carol', 'and so does a nominee with level full');
select is(tests.inside('bob', 'papers', '2026-03-30T11:02Z'), 'Alice Bob', 'another nominee sees the owner and themselves');
select tests.as_user('acme', 'bob');
select api.open_vault(tests.kept('papers'), '2026-03-30T11:03Z') \g /dev/null
select tests.as_superuser();
select is(
  (select string_agg(action, ' ' order by id) from kith.history where action = 'vault.joined'), 'vault.joined vault.joined', 'everybody enters once'
);

-- Documents: who changed them, and events for those inside.
select tests.feed('2026-03-30T11:03Z') \g /dev/null
select tests.as_user('acme', 'alice');
select api.update_nominee(tests.kept('papers'), tests.kept('bob'), '{"access_level": "edit"}', '2026-03-30T11:04Z') \g /dev/null
select tests.as_superuser();
select tests.feed('2026-03-30T11:04Z') \g /dev/null
select tests.as_user('acme', 'bob');
select is(
  api.rename_document(tests.kept('papers'), tests.kept('will'), 'Last will', null, '2026-03-30T11:05Z') -> 'updated_by' ->> 'display_name', 'Bob',
  'a document says who changed it'
);
select is(
  api.get_document(tests.kept('papers'), tests.kept('will'), '2026-03-30T11:05Z') #>> '{created_by,display_name}', 'Alice', 'and who added it'
);
select tests.as_superuser();
select is(
  tests.feed('2026-03-30T11:05Z'), array['alice document', 'bob document', 'carol document'], 'a change is shown to everybody inside'
);
select tests.as_user('acme', 'alice');
select api.delete_document(tests.kept('papers'), tests.kept('will'), null, '2026-03-30T11:06Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.feed('2026-03-30T11:06Z'), array['alice document deleted', 'bob document deleted', 'carol document deleted'], 'and so is a deletion'
);
select tests.as_user('acme', 'carol');
select is(
  jsonb_path_query_first(api.list_documents(tests.kept('papers'), true, 50, null, '2026-03-30T11:06Z')::jsonb, '$.items[*] ? (@.name == "Last will").deleted_by.display_name'),
  '"Alice"', 'a deleted document says who deleted it'
);
select api.restore_document(tests.kept('papers'), tests.kept('will'), '2026-03-30T11:07Z') \g /dev/null
select is(
  internal.event_json('document', tests.kept('will'), tests.kept('papers'), null, '2026-03-30T11:07Z')::jsonb,
  api.get_document(tests.kept('papers'), tests.kept('will'), '2026-03-30T11:07Z')::jsonb, 'the event has the document'
);
select tests.as_user('acme', 'bob');
select throws_ok(
  $$ select * from internal.people_of_documents(tests.kept('house'), '{}', '2026-03-30T11:07Z') $$, 'KT423', 'vault_locked', 'a locked vault names nobody'
);
select tests.as_user('acme', 'mallory');
select is(
  internal.event_json('document', tests.kept('will'), tests.kept('papers'), null, '2026-03-30T11:07Z')::jsonb,
  jsonb_build_object('id', tests.kept('will'), 'vault_id', tests.kept('papers'), 'status', 'deleted'), 'a revoked nominee learns nothing of it'
);
select throws_ok(
  $$ select * from internal.people_of_documents(tests.kept('papers'), array[tests.kept('will')], '2026-03-30T11:07Z') $$, 'KT403', null, 'nor who changed it'
);
select is((select count(*) from internal.vault_details(array[tests.kept('papers')], '2026-03-30T11:07Z')), 0::bigint, 'nor anything else');
select tests.as_user('acme', 'alice');
select is(
  api.lock_vault(tests.kept('papers'), '2026-03-30T11:08Z')::jsonb #> '{locked_by_user,display_name}', '"Alice"', 'a session says who locked it'
);
select is(
  internal.event_json('document', tests.kept('will'), tests.kept('papers'), null, '2026-03-30T11:09Z')::jsonb,
  jsonb_build_object('id', tests.kept('will'), 'vault_id', tests.kept('papers'), 'status', 'locked'), 'an event that is read later shows nothing of a locked vault'
);
select is(tests.inside('alice', 'papers', '2026-03-30T11:09Z'), null, 'nobody is inside a locked vault');

-- Filters.
select tests.as_user('acme', 'bob');
select is(tests.names(api.list_vaults(null, false, 50, null, '2026-03-30T12:00Z')), 'papers house', 'vaults are listed in both roles');
select is(tests.names(api.list_vaults('owner', false, 50, null, '2026-03-30T12:00Z')), 'house', 'or as their owner');
select is(tests.names(api.list_vaults('nominee', false, 50, null, '2026-03-30T12:00Z')), 'papers', 'or as their nominee');
select tests.as_user('acme', 'alice');
select is(tests.nominees(null), 'bob carol dora erin', 'nominees are listed without revoked ones');
select is(tests.nominees('{revoked}'), 'finn', 'unless these are asked for');
select is(tests.nominees('{pending,inactive,revoked}'), 'dora erin finn', 'several statuses can be');
select is(
  (select item ->> 'unread_count' from json_array_elements(api.list_nominees(tests.kept('papers'), '{accepted}', null, 50, null, '2026-03-30T12:00Z') -> 'items') as items (item)
    where item ->> 'name' = 'bob'),
  '1', 'a nominee in the list has what is unread of theirs'
);
select is(
  tests.acts('{document.renamed,vault.opened,document.deleted}', null, null), 'document.deleted document.renamed vault.opened', 'the history of some actions, newest first'
);
select is(tests.acts('{document.renamed,vault.opened,document.deleted}', null, null, 1), 'document.deleted', 'in pages');
select is(
  tests.acts(null, '2026-03-30T11:05Z', '2026-03-30T11:07Z'), 'document.deleted document.renamed', 'or of a time: from the first instant and before the second'
);

select * from finish();
rollback;
