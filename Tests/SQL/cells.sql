-- The map of an installation with several databases (decision 51). This database is the directory, and then a cell of another one.
begin;
\ir people.sql
select plan(66);
\set cluster '(select cluster from internal.database_identity())'
\set here '(select database::bigint from internal.database_identity())'

select is(api.cell_map(-1)::text, null, 'an installation with one database has no map');
select is_empty($$ select * from admin.cells $$, 'and no cells');
select from admin.create_tenant('lone', 'Lone') \g /dev/null
select is_empty($$ select * from admin.tenant_cells $$, 'a tenant that is created there is entered nowhere');
select throws_ok($$ select * from admin.place_tenant('nobody', null) $$, 'KT409', 'conflict', 'no cell can be chosen');

-- The first cell makes this database the directory.
select lives_ok(
  $$ select admin.add_cell('east', 'postgresql://east.example/kith', '17', 5, 'main') $$, 'an operator adds a cell'
);
select results_eq(
  $$ select name, address, is_open, tenants::integer from admin.cells order by name $$,
  $$ values ('east', 'postgresql://east.example/kith', true, 0), ('main', 'the directory', true, 3) $$,
  'this database becomes the directory, with all of its tenants'
);
select is((select cell from admin.tenant_cells where tenant = 'acme'), 'main', 'an old tenant lives in the directory');
select throws_ok(
  $$ select admin.add_cell('east', 'postgresql://other.example/kith', '18', 5, 'main') $$, 'KT409', 'conflict', 'two cells have different names'
);
select throws_ok(
  $$ select admin.add_cell('main', 'postgresql://other.example/kith', '18', 5, 'main') $$, 'KT409', 'conflict', 'the directory''s name is taken'
);
select throws_ok(
  $$ select admin.add_cell('west', 'postgresql://alias.example/kith', '17', 5, 'main') $$, 'KT409', 'conflict',
  'one database cannot be two cells, by whatever addresses'
);
select throws_ok(
  format($$ select admin.add_cell('west', 'postgresql://alias.example/kith', %L, %s, 'main') $$, :cluster, :here), 'KT409', 'conflict',
  'the directory is no second cell'
);
select throws_ok(
  $$ select admin.add_cell('West; drop', 'postgresql://x/kith', '19', 5, 'main') $$, 'KT400', 'invalid_request', 'a name is a word'
);
select lives_ok(
  $$ select admin.add_cell('west', 'postgresql://east.example/kith2', '17', 6, 'main') $$, 'two databases of one server are two cells'
);

-- An operator who asks the directory for a tenant of another cell is told where it lives.
select admin.place_tenant('osten', 'east') \g /dev/null
create function tests.hint(p_sql text) returns text
  language plpgsql
as $$
declare
  v_detail text;
  v_hint text;
begin
  execute p_sql;
  return null;
exception when others then
  get stacked diagnostics v_detail = pg_exception_detail, v_hint = pg_exception_hint;
  return concat_ws(' ', v_detail, v_hint);
end
$$;
select is(
  tests.hint($$ select admin.find_user('osten', 'Bob') $$), 'The tenant ''osten'' lives in the cell east. Ask there: kith psql --cell east',
  'a tenant of another cell is not unknown'
);
select matches(
  tests.hint($$ select admin.find_user('nobody', 'Bob') $$), '^There is no tenant ''nobody''.*This is the cell main alone; for the others: kith psql --cell NAME \(east, west\)\.$',
  'an unknown tenant may be in another cell'
);
select matches(
  tests.hint($$ select admin.find_user(null, '+4915199999999') $$), '^No user of any tenant .* This is the cell main alone;', 'a search is of this cell'
);
select matches(admin.pause_channel('sms', null, 'down'), '\. This is the cell main alone;', 'a pause for all tenants is of this cell');
select matches(admin.resume_channel('sms', null), '\. This is the cell main alone;', 'and so is its end');
select admin.pause_channel('sms', 'acme', 'down') \g /dev/null
select doesnt_match(admin.resume_channel('sms', 'acme'), 'cell', 'a tenant is in one cell');
select admin.unplace_tenant((select tenant_id from admin.tenant_cells where tenant = 'osten')) \g /dev/null

-- Tenants are placed before they are created.
select is((select cell from admin.place_tenant('first', null)), 'east', 'a tenant goes to the emptiest cell that was added first');
select is((select cell from admin.place_tenant('second', null)), 'west', 'the next one to the next');
select is((select cell from admin.place_tenant('third', 'main')), 'main', 'an operator can choose the cell');
select ok(
  (select tenant_id from admin.place_tenant('first', null)) = (select tenant_id from admin.place_tenant('first', 'east')),
  'a creation that was interrupted goes on with the same number'
);
select throws_ok($$ select * from admin.place_tenant('first', 'west') $$, 'KT409', 'conflict', 'a slug is one tenant''s in all cells');
select throws_ok($$ select * from admin.place_tenant('acme', 'west') $$, 'KT409', 'conflict', 'also that of a tenant from before there were cells');
select throws_ok($$ select * from admin.place_tenant('new', 'north') $$, 'KT404', 'not_found', 'a cell must exist');
select throws_ok(
  $$ select * from admin.create_placed_tenant(77, 'third', 'Third') $$, 'KT409', 'conflict', 'a number that the directory has not given is refused'
);
select is(
  (select tenant_id from admin.create_placed_tenant((select tenant_id from admin.tenant_cells where tenant = 'third'), 'third', 'Third')),
  (select tenant_id from admin.tenant_cells where tenant = 'third'), 'a placed tenant is created with its number'
);
select from admin.create_tenant('fourth', 'Fourth') \g /dev/null
select is(
  (select cell from admin.tenant_cells where tenant = 'fourth'), 'main',
  'a tenant that is created in the directory''s database by SQL is in the map'
);
select throws_ok($$ select * from admin.create_tenant('first', 'First') $$, 'KT409', 'conflict', 'a slug that is placed elsewhere cannot be created there');

-- Closing.
select lives_ok($$ select admin.open_cell('east', false) $$, 'a cell is closed');
select throws_ok($$ select admin.open_cell('east', false) $$, 'KT409', 'invalid_transition', 'once');
select throws_ok($$ select * from admin.place_tenant('fifth', 'east') $$, 'KT409', 'conflict', 'a closed cell takes no new tenant');
select is((select cell from admin.place_tenant('fifth', null)), 'west', 'and is not chosen');

-- What servers read.
select is(
  (select count(*) from json_array_elements(api.cell_map(-1) -> 'tenants')), (select count(*) from kith.tenant_cells), 'a server reads the whole map first'
);
select is(api.cell_map((api.cell_map(-1) ->> 'version')::bigint)::text, null, 'then nothing while nothing changes');
select api.cell_map(-1) ->> 'version' as version \gset
select from admin.place_tenant('sixth', 'west') \g /dev/null
select results_eq(
  format($$ select map ->> 'is_whole', map #>> '{tenants,0,1}', json_array_length(map -> 'tenants') from api.cell_map(%s) as map $$, :version),
  $$ values ('false', 'sixth', 1) $$, 'and then what has changed'
);
select api.cell_map(-1) ->> 'version' as version \gset
select admin.unplace_tenant((select tenant_id from admin.tenant_cells where tenant = 'sixth')) \g /dev/null
select is(api.cell_map(:version) ->> 'is_whole', 'true', 'after a removal it reads the whole map');
select is(api.cell_map(1000000) ->> 'is_whole', 'true', 'and after the directory was restored from a back-up');
select tests.as_user('acme', 'alice') \g /dev/null
select throws_ok($$ select api.cell_map(-1) $$, 'KT403', 'forbidden', 'a request cannot read the map');
select throws_ok($$ select api.find_secret('x') $$, 'KT403', 'forbidden', 'and cannot look for secrets');
select tests.as_superuser() \g /dev/null
select is_empty($$ select * from admin.cells where address ~ '@' $$, 'addresses have no credentials');

-- By what servers find the cell of a request that names no tenant.
select secret_key from admin.create_api_key('acme', 'server', '{all}', null) \gset
select is(
  api.find_secret(sha256(convert_to(:'secret_key', 'UTF8')))::text, tests.tenant('acme')::text, 'a secret is found by its hash'
);
select is(api.find_secret('x')::text, null, 'an unknown one is nobody''s');
update kith.tenants set universal_link_host = 'acme.example', allowed_origins = '{https://acme.example}' where slug = 'acme';
insert into kith.jwt_issuers (tenant_id, issuer, audience, claimed_at) values (tests.tenant('acme'), 'https://id.acme.example', '', '2026-03-10T08:00Z');
select is(
  api.cell_routes()::jsonb,
  jsonb_build_object(
    'hosts', jsonb_build_array(jsonb_build_array('acme.example', tests.tenant('acme'))),
    'origins', jsonb_build_array(jsonb_build_array('https://acme.example', tests.tenant('acme'))),
    'issuers', jsonb_build_array(jsonb_build_array('https://id.acme.example', '', tests.tenant('acme'), 1773129600000000))
  ),
  'hosts, origins and issuers lead to a tenant'
);
select internal.hash_of_routes() as hash \gset
select is(
  api.cell_routes('')::jsonb, jsonb_build_object('hash', :'hash', 'routes', api.cell_routes()), 'a server that has none reads them with their hash'
);
update kith.tenants set name = 'Acme Ltd', updated_at = now() where slug = 'acme';
select is(api.cell_routes(:'hash')::text, null, 'one that has them reads nothing, whatever else has changed');
create function tests.hash_after(p_change text) returns text language plpgsql as $$
declare
  v_hash text;
begin
  execute p_change;
  v_hash := internal.hash_of_routes();
  raise exception 'taken back' using detail = v_hash;
exception
  when raise_exception then
    return v_hash;
end
$$;
select isnt(tests.hash_after(change), :'hash', 'but the hash is another one after: ' || change)
from (
  values
    ($$update kith.tenants set universal_link_host = 'other.example' where slug = 'acme'$$),
    ($$update kith.tenants set universal_link_host = null where slug = 'acme'$$),
    ($$update kith.tenants set allowed_origins = '{}' where slug = 'acme'$$),
    ($$update kith.tenants set allowed_origins = '{https://acme.example,https://app.acme.example}' where slug = 'acme'$$),
    ($$update kith.tenants set deleted_at = now() where slug = 'acme'$$),
    ($$insert into kith.jwt_issuers (tenant_id, issuer, audience, claimed_at) values (tests.tenant('acme'), 'https://two.example', 'app', '2026-03-10T08:00Z')$$),
    ($$update kith.jwt_issuers set audience = 'app'$$),
    ($$update kith.jwt_issuers set claimed_at = '2026-03-11T08:00Z'$$),
    ($$delete from kith.jwt_issuers$$)
) as changes (change);
update kith.tenants set deleted_at = now() where slug = 'acme';
select is(api.cell_routes() #>> '{hosts}', '[]', 'but not to a deleted one');

-- Removing.
select throws_ok($$ select admin.remove_cell('west') $$, 'KT409', 'conflict', 'a cell with tenants stays');
select admin.unplace_tenant((select tenant_id from admin.tenant_cells where tenant = 'first')) \g /dev/null
select lives_ok($$ select admin.remove_cell('east') $$, 'an empty one goes');
select throws_ok($$ select admin.remove_cell('main') $$, 'KT409', 'conflict', 'the directory does not');

-- In a cell, nobody takes a number from the cell's own sequence.
insert into kith.cell_directory (name, cluster, database, joined_at) values ('east', '99', 1, now());
select throws_ok($$ select * from admin.create_tenant('stray', 'Stray') $$, 'KT409', 'conflict', 'a cell numbers no tenant');
select matches(
  tests.hint($$ select admin.find_user('nobody', 'Bob') $$), 'This is the cell east alone; which cell has a tenant, the directory knows', 'a cell knows no other cell'
);
select throws_ok($$ select admin.leave_directory('east') $$, 'KT409', 'conflict', 'a cell with tenants stays a cell');
insert into kith.moving_tenants (tenant_id, state, changed_at, left_version) values (77, 'gone', now(), 5), (78, 'gone', now(), 6);
select lives_ok($$ select * from admin.create_placed_tenant(77, 'again', 'Again') $$, 'a tenant is created there with the number of its directory');
select is(api.departed_tenants(77, 0)::text, '[78]', 'which no tenant that has left has any more');
set local session_replication_role = replica;
delete from kith.tenants;
select lives_ok($$ select admin.leave_directory('east') $$, 'tenants that have left are no tenants of the cell');
select * from finish();
rollback;
