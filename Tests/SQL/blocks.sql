-- Whom one wants nothing to do with (X22).
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
  $$ select api.put_block(tests.id('carol'), '2026-03-10T08:30Z') $$, 'KT404', 'not_found', 'a stranger cannot be blocked, nor be found so'
);
select throws_ok(
  $$ select api.put_block(tests.id('globex-bob'), '2026-03-10T08:30Z') $$, 'KT404', 'not_found', 'nor can anybody of another tenant'
);
select throws_ok($$ select api.put_block(tests.id('alice'), '2026-03-10T08:30Z') $$, 'KT404', 'not_found', 'nor oneself');
select throws_ok($$ select api.get_block(tests.id('bob')) $$, 'KT404', 'not_found', 'nobody is blocked from the beginning');
select is(
  api.put_block(tests.id('bob'), '2026-03-10T08:30Z')::jsonb,
  jsonb_build_object('user', jsonb_build_object('id', tests.id('bob'), 'display_name', 'Bob'), 'created_at', '2026-03-10T08:30:00.000000Z'),
  'who is connected can be blocked'
);
select is(
  api.put_block(tests.id('bob'), '2026-03-10T09:30Z') ->> 'created_at', '2026-03-10T08:30:00.000000Z', 'again changes nothing'
);
select is(api.get_block(tests.id('bob')) -> 'user' ->> 'display_name', 'Bob', 'a block can be looked at');
select is(api.list_blocks(50, null)::jsonb -> 'items' -> 0 -> 'user' ->> 'id', tests.id('bob')::text, 'and is in the list');
select is(json_array_length(api.list_connections(null, 50, null, :now) -> 'items'), 0, 'what connected the two has ended, both ways');

select tests.as_superuser();
select is(
  (
    select string_agg(status || ' ' || deleted_by, '; ') from kith.connections
    where tenant_id = tests.tenant('acme') and tests.id('bob') in (sender_id, receiver_id)
  ),
  format('deleted user:%1$s; deleted user:%1$s', tests.id('alice')), 'who ended it is kept'
);
select is((select count(*) from kith.notifications), 0::bigint, 'nobody is told');
select is((select status from kith.pings where connection_id = tests.id('alice-bob')), 'cancelled', 'the day''s ping is cancelled');

select tests.as_user('acme', 'bob');
select is(api.create_connection('111111', :now) ->> 'problem', 'invalid_code', 'to the blocked one the code is no code');
select is(api.preview_code('111111', :now) ->> 'problem', 'invalid_code', 'neither to look at');
select throws_ok($$ select api.get_block(tests.id('alice')) $$, 'KT404', 'not_found', 'and nobody says that they are blocked');
select is(
  (select count(*) from (select api.create_connection('111111', :now) ->> 'problem' as problem from generate_series(1, 9)) as attempts where problem = 'too_many_requests'),
  1::bigint, 'such attempts are misses'
);
select tests.as_user('acme', 'alice');
select is(
  api.create_connection('222222', :now)::jsonb, '{"problem": "conflict", "detail": "You have blocked this user."}'::jsonb,
  'whom one has blocked oneself one cannot connect with, and is told why'
);
select tests.as_role('kith_admin');
select throws_ok(
  $$ select admin.reactivate_connection('acme', tests.id('alice-bob'), 'asked', '2026-03-10T09:00Z') $$, 'KT409', 'invalid_transition',
  'not even support brings them together'
);

select tests.as_user('acme', 'bob');
select throws_ok($$ select api.delete_block(tests.id('alice')) $$, 'KT404', 'not_found', 'nobody ends another''s block');
select lives_ok($$ select api.put_block(tests.id('alice'), '2026-03-10T09:30Z') $$, 'who had a connection once can be blocked as well');
select tests.as_user('acme', 'alice');
select is(api.delete_block(tests.id('bob'))::text, null, 'a block can be ended');
select throws_ok($$ select api.delete_block(tests.id('bob')) $$, 'KT404', 'not_found', 'once');
select is(json_array_length(api.list_connections(null, 50, null, :now) -> 'items'), 0, 'which brings nothing back');
select is(api.create_connection('222222', :now) ->> 'problem', 'invalid_code', 'but the other''s block holds');
select tests.as_superuser();
select throws_ok(
  format('insert into kith.blocks values (%s, %L, %2$L, now())', tests.tenant('acme'), tests.id('bob')), '23514', null,
  'nobody blocks themselves'
);

select * from finish();
rollback;
