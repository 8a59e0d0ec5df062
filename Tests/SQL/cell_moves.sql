-- A tenant moves to another cell (decision 51): what is replicated, the rule that keeps writes to one cell, and the steps. This database is in
-- turn the directory, the source and the target.
begin;
\ir people.sql
select plan(64);
\set acme '(select tests.tenant(''acme''))'

-- The tables.
select is_empty(
  $$
    select name from internal.tenant_tables() as tables
    where name not in (select replicated.name from internal.replicated_tables() as replicated)
      and name not in (
        'events', 'moving_tenants', 'set_aside', 'tenant_cells', 'tenant_imports', 'tenant_moves', 'tenant_purges', 'tenant_sizes'
      )
  $$,
  'every table of a tenant follows it, except those that are named'
);
select is_empty(
  $$
    select tables.name from internal.replicated_tables() as tables
    where not exists (
      select from pg_index where indrelid = format('kith.%I', tables.name)::regclass and indisprimary
        and indkey[0] = (select attnum from pg_attribute where attrelid = indrelid and attname = 'tenant_id')
    )
  $$,
  'each has the tenant in its primary key, which a filter on changes needs'
);
select set_eq(
  $$ select name from internal.replicated_tables() where not is_guarded $$, array['move_marks', 'usage_hours'],
  'only counts of requests, and the mark itself, are not guarded'
);
select is_empty(
  $$
    select attrelid::regclass from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = 'kith'::regnamespace and atttypid = 'xid8'::regtype and not relispartition and relkind in ('r', 'p')
      and relname = any (array(select name from internal.replicated_tables())) and relname not in ('notifications', 'webhooks')
  $$,
  'no other table that follows has numbers of transactions'
);
select is(internal.publish_tenant(:acme), 'kith_move_' || :acme, 'a publication is made');
select is(internal.publish_tenant(:acme), 'kith_move_' || :acme, 'once');
select is(
  (select count(*) from pg_publication_tables where pubname = 'kith_move_' || :acme), (select count(*) from internal.replicated_tables()),
  'it has all of the tables, those with partitions by their parents'
);
select ok(
  (select bool_and(rowfilter = format('(tenant_id = %s)', :acme)) from pg_publication_tables where pubname = 'kith_move_' || :acme),
  'and of each only the tenant''s rows'
);
select ok(
  (select not 'xid' = any (attnames) from pg_publication_tables where pubname = 'kith_move_' || :acme and tablename = 'notifications'),
  'notifications go without their positions'
);

select is(
  (select row(kind, name, tenant_id)::text from internal.remains_of_moves()), row('publication', 'kith_move_' || :acme, :acme)::text,
  'what replicates a tenant is found'
);

-- The directory.
select throws_ok($$ select internal.begin_move('acme', 'east', now()) $$, 'KT404', 'not_found', 'with one database, nothing moves');
select admin.add_cell('east', 'postgresql://east.example/kith', '17', 5, 'main') \g /dev/null
select admin.add_cell('west', 'postgresql://west.example/kith', '18', 5, 'main') \g /dev/null
select throws_ok($$ select internal.begin_move('acme', 'main', now()) $$, 'KT409', 'conflict', 'a tenant does not move to where it is');
select throws_ok($$ select internal.begin_move('acme', 'north', now()) $$, 'KT404', 'not_found', 'nor to an unknown cell');
select throws_ok($$ select internal.begin_move('nobody', 'east', now()) $$, 'KT404', 'not_found', 'and an unknown one does not move');
select admin.open_cell('east', false) \g /dev/null
select throws_ok($$ select internal.begin_move('acme', 'east', now()) $$, 'KT409', 'conflict', 'a closed cell takes none');
select admin.open_cell('east', true) \g /dev/null
select is((select step from internal.begin_move('acme', 'east', now())), 'copy', 'a move begins');
select is((select step from internal.begin_move('acme', 'east', now())), 'copy', 'and goes on');
select throws_ok($$ select internal.begin_move('acme', 'west', now()) $$, 'KT409', 'conflict', 'but not elsewhere');
select throws_ok($$ select admin.remove_cell('east') $$, 'KT409', 'conflict', 'nor does its target vanish, which has no tenants yet');
select internal.point_tenant(:acme, 'east', 'switch') \g /dev/null
select results_eq(
  $$ select cell, (select step from kith.tenant_moves) from kith.tenant_cells where slug = 'acme' $$, $$ values ('east', 'switch') $$,
  'the map names the target'
);
select internal.point_tenant(:acme, 'main', 'abort') \g /dev/null
select is((select cell from kith.tenant_cells where slug = 'acme'), 'main', 'or the source again');
select throws_ok($$ select internal.begin_move('acme', 'east', now()) $$, 'KT409', 'conflict', 'while a move is taken back, it does not go on');
select is((select is_running from internal.moves_under_way()), false, 'a move that nobody works on stands still');
select internal.claim_move(:acme) \g /dev/null
select is((select is_running from internal.moves_under_way()), true, 'one that a command has claimed is running');
select internal.end_move(:acme) \g /dev/null
select is_empty($$ select from internal.moves_under_way() $$, 'and then it is over');
select is((select action from kith.audit where tenant_id = 0 order by id desc limit 1), 'tenant.move_abort', 'the audit tells the end');

-- The source.
select lives_ok(format($$ select internal.begin_leaving(%s, now()) $$, :acme), 'a tenant leaves');
select is((select bool_and(internal.guard_table(name, :acme)) from internal.unguarded_tables(:acme) as name), true, 'the rule is put on its tables');
select is_empty(format($$ select internal.unguarded_tables(%s) $$, :acme), 'on all of them');
select lives_ok($$ update kith.users set updated_at = updated_at where tenant_id = tests.tenant('acme') $$, 'writes go on');
select internal.release_leaving(:acme, 7, now()) \g /dev/null
select throws_ok(
  $$ update kith.users set updated_at = updated_at where tenant_id = tests.tenant('acme') $$, 'KT503', 'unavailable', 'until it is served elsewhere'
);
select throws_ok($$ delete from kith.connections where tenant_id = tests.tenant('acme') $$, 'KT503', 'unavailable', 'nothing is deleted');
select throws_ok(
  $$
    insert into kith.notifications (tenant_id, id, user_id, type, data, planned_at, body, created_at)
    select tests.tenant('acme'), gen_random_uuid(), tests.id('bob'), 'ping_due', '{}', now(), '', now()
  $$,
  'KT503', 'unavailable', 'nothing is added, also not to a table with partitions'
);
select lives_ok($$ update kith.users set updated_at = updated_at where tenant_id = tests.tenant('globex') $$, 'other tenants'' writes go on');
select ok(not internal.is_of_data('KT503'), 'the worker tries a batch again, and sets no row aside');
select is(api.departed_tenants(null, 6)::jsonb, jsonb_build_array(:acme), 'a server with an older map learns that it has left');
select is(api.departed_tenants(null, 7)::text, '[]', 'one with the map that says so already does not');
select is(api.departed_tenants(:acme, 7)::jsonb, jsonb_build_array(:acme), 'unless it asks for the tenant, which its map must then place here');
select is(api.departed_tenants(tests.tenant('globex'), 7)::text, '[]', 'others have not left');
select tests.as_user('acme', 'alice') \g /dev/null
select throws_ok($$ select api.departed_tenants(null, 6) $$, 'KT403', 'forbidden', 'a request cannot ask that');
select tests.as_superuser() \g /dev/null
select internal.release_leaving(:acme, null::bigint, now()) \g /dev/null
select is(api.departed_tenants(:acme, 0)::text, '[]', 'a tenant whose move is taken back has not left');
select lives_ok($$ update kith.users set updated_at = updated_at where tenant_id = tests.tenant('acme') $$, 'a move can be taken back');
select internal.quiet_leaving(:acme, true, now()) \g /dev/null
select ok(:acme = any (internal.deleted_tenants()), 'the loops of the worker leave the tenant alone');
select throws_ok(format($$ select internal.forget_tenant(%s, 10) $$, :acme), 'KT409', 'conflict', 'what is served is not deleted');
select internal.quiet_leaving(:acme, false, now()) \g /dev/null
select internal.forget_move(:acme) \g /dev/null
select is_empty($$ select from kith.moving_tenants $$, 'then nothing is left');
insert into kith.webhooks (tenant_id, id, url, sealed_secrets, taken_xid, taken_at, has_news, next_attempt_at, created_at, updated_at)
values (tests.tenant('acme'), gen_random_uuid(), 'https://acme.example/hook', 'x', '9000000000', now() - interval '1 hour', false, now(), now(), now());
select internal.begin_leaving(:acme, now()) \g /dev/null
select internal.release_leaving(:acme, 7, now()) \g /dev/null
select internal.forget_move(:acme) \g /dev/null
select is(api.departed_tenants(null, 6)::jsonb, jsonb_build_array(:acme), 'but that a tenant has left is remembered after its move');

-- The disk.
select cmp_ok(internal.bytes_of_tenant(:acme), '>', 0::bigint, 'a tenant takes disk');
select is(internal.bytes_of_tenant(-1), 0::bigint, 'nobody takes none');
select cmp_ok(internal.free_disk(), '>', 0::bigint, 'the server''s df says what is free');
select is((select objection from internal.disk_objection(1)), null, 'there is room for a byte');
select matches(
  (select objection from internal.disk_objection(8000000000000000000)), '^its disk has .+ free, and the tenant needs about .+', 'but not for everything'
);
select ok(not internal.is_disk_full(), 'a disk with room is not full');

-- The target.
select throws_ok(
  $$ select internal.begin_arriving(tests.tenant('globex'), now()) $$, 'KT409', 'conflict', 'a tenant that is there does not arrive'
);
select lives_ok(format($$ select internal.begin_arriving(%s, now()) $$, :acme), 'one that has left arrives again');
select is((select state from kith.moving_tenants), 'arriving', 'which is noted');
select is(api.departed_tenants(null, 6)::jsonb, jsonb_build_array(:acme), 'servers with the map of before it left learn that it is elsewhere');
select is(api.departed_tenants(:acme, 7)::text, '[]', 'and those with the map that leads here again find it here');
select lives_ok(format($$ select internal.begin_arriving(%s, now()) $$, :acme), 'one that is arriving goes on');
set local session_replication_role = origin;
select throws_ok(
  $$ update kith.users set updated_at = updated_at where tenant_id = tests.tenant('acme') $$, 'KT503', 'unavailable', 'nobody else writes for it'
);
select tests.as_user('acme', 'bob') \g /dev/null
select is((select reset from internal.read_position((extract(epoch from now()) * 1000)::bigint || '-3', now())), 'unknown', 'a position is another database''s');
select tests.as_superuser() \g /dev/null
select internal.settle_arrival(:acme, now()) \g /dev/null
select lives_ok($$ update kith.users set updated_at = updated_at where tenant_id = tests.tenant('acme') $$, 'then it is served');
select is(api.departed_tenants(:acme, 0)::text, '[]', 'and has not left any more');
select results_eq(
  $$ select has_news, batch_is_reset, taken_xid < '9000000000'::xid8 from kith.webhooks where tenant_id = tests.tenant('acme') $$,
  $$ values (true, true, true) $$, 'its endpoints are told to load everything'
);
select is((select bool_and(internal.unguard_table(name, :acme)) from internal.guarded_tables(:acme) as name), true, 'the rule goes');
select * from finish();
rollback;
