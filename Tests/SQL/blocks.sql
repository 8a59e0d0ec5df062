-- Blocking another user (X22).
begin;
\ir people.sql
select plan(25);
\set now '''2026-03-10T08:00:00Z'''

insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
values (
  tests.tenant('acme'), '2026-03-10', tests.id('alice-bob'), gen_random_uuid(), tests.id('alice'), tests.id('bob'), 'scheduled',
  '2026-03-10T09:00Z', '2026-03-10T10:30Z'
);
-- Bob is a sender too, and Alice his receiver.
select tests.as_user('acme', 'bob');
select api.put_sender_profile('{"ping_time": "09:00", "time_zone": "UTC"}', :now) \g /dev/null
select tests.as_user('acme', 'alice');
select api.put_receiver_profile('{}', :now) \g /dev/null
create temporary table codes as select api.get_receiver_profile(:now) ->> 'code' as alice_receives;
grant select on codes to public;
select tests.as_user('acme', 'bob');
select api.create_connection((select alice_receives from codes), :now) \g /dev/null
select tests.as_superuser();
delete from kith.notifications;

select tests.as_user('acme', 'alice');
select throws_ok(
  $$ select api.put_block(tests.id('carol'), '2026-03-10T08:30Z') $$, 'KT404', 'not_found', 'a stranger cannot be blocked, so that blocking reveals nobody'
);
select throws_ok(
  $$ select api.put_block(tests.id('globex-bob'), '2026-03-10T08:30Z') $$, 'KT404', 'not_found', 'a user of another tenant cannot be blocked'
);
select throws_ok($$ select api.put_block(tests.id('alice'), '2026-03-10T08:30Z') $$, 'KT404', 'not_found', 'users cannot block themselves');
select throws_ok($$ select api.get_block(tests.id('bob')) $$, 'KT404', 'not_found', 'nobody is blocked at first');
select is(
  api.put_block(tests.id('bob'), '2026-03-10T08:30Z')::jsonb,
  jsonb_build_object('user', jsonb_build_object('id', tests.id('bob'), 'display_name', 'Bob'), 'created_at', '2026-03-10T08:30:00.000000Z', 'vaults', '[]'::jsonb),
  'a connected user can be blocked'
);
select is(
  api.put_block(tests.id('bob'), '2026-03-10T09:30Z') ->> 'created_at', '2026-03-10T08:30:00.000000Z', 'blocking again changes nothing'
);
select is(api.get_block(tests.id('bob')) -> 'user' ->> 'display_name', 'Bob', 'a block can be read');
select is(api.list_blocks(50, null)::jsonb -> 'items' -> 0 -> 'user' ->> 'id', tests.id('bob')::text, 'a block is listed');
select is(json_array_length(api.list_connections(null, null, 50, null, :now) -> 'items'), 0, 'blocking ends the connections in both directions');

select tests.as_superuser();
select is(
  (
    select string_agg(status || ' ' || deleted_by, '; ') from kith.connections
    where tenant_id = tests.tenant('acme') and tests.id('bob') in (sender_id, receiver_id)
  ),
  format('deleted user:%1$s; deleted user:%1$s', tests.id('alice')), 'the connections record who ended them'
);
select is((select count(*) from kith.notifications), 0::bigint, 'blocking notifies nobody');
select is((select status from kith.pings where connection_id = tests.id('alice-bob')), 'cancelled', 'blocking cancels today''s ping');

select tests.as_user('acme', 'bob');
select is(api.create_connection('111111', :now) ->> 'problem', 'invalid_code', 'a blocked user''s code attempt answers invalid_code');
select is(api.preview_code('111111', :now) ->> 'problem', 'invalid_code', 'a blocked user''s code preview answers invalid_code');
select throws_ok($$ select api.get_block(tests.id('alice')) $$, 'KT404', 'not_found', 'a blocked user cannot see the block');
select is(
  (select count(*) from (select api.create_connection('111111', :now) ->> 'problem' as problem from generate_series(1, 9)) as attempts where problem = 'too_many_requests'),
  1::bigint, 'a blocked user''s attempts count as misses'
);
select tests.as_user('acme', 'alice');
select is(
  api.create_connection('222222', :now)::jsonb, '{"problem": "conflict", "detail": "You have blocked this user."}'::jsonb,
  'a user cannot connect with somebody they blocked, and is told why'
);
select tests.as_role('kith_admin');
select throws_ok(
  $$ select admin.reactivate_connection('acme', tests.id('alice-bob'), 'asked', '2026-03-10T09:00Z') $$, 'KT409', 'invalid_transition',
  'an operator cannot reconnect them either'
);

select tests.as_user('acme', 'bob');
select throws_ok($$ select api.delete_block(tests.id('alice'), '2026-03-10T12:00Z') $$, 'KT404', 'not_found', 'nobody can remove another user''s block');
select lives_ok($$ select api.put_block(tests.id('alice'), '2026-03-10T09:30Z') $$, 'somebody with a former connection can be blocked as well');
select tests.as_user('acme', 'alice');
select is(api.delete_block(tests.id('bob'), '2026-03-10T12:00Z')::text, null, 'a block can be removed');
select throws_ok($$ select api.delete_block(tests.id('bob'), '2026-03-10T12:00Z') $$, 'KT404', 'not_found', 'a block cannot be removed twice');
select is(json_array_length(api.list_connections(null, null, 50, null, :now) -> 'items'), 0, 'removing a block restores no connection');
select is(api.create_connection('222222', :now) ->> 'problem', 'invalid_code', 'the other side''s block still holds');
select tests.as_superuser();
select throws_ok(
  format('insert into kith.blocks values (%s, %L, %2$L, now())', tests.tenant('acme'), tests.id('bob')), '23514', null,
  'users cannot block themselves'
);

select * from finish();
rollback;
