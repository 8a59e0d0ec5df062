-- Stopping to be a sender or a receiver, and coming back (P39).
begin;
\ir people.sql
select plan(66);

create function tests.told(p_person text) returns text
  language sql
as $$
  select string_agg(type || ': ' || body, '; ' order by id) from tests.notifications where user_id = tests.id(p_person)
$$;
create function tests.state(p_receiver text) returns text
  language sql
as $$
  select concat_ws(' ', status, resting_status, case when deleted_at is not null then 'removed by ' || deleted_by end)
  from kith.connections
  where tenant_id = tests.tenant('acme') and sender_id = tests.id('alice') and receiver_id = tests.id(p_receiver)
$$;
create function tests.end(p_person text, p_role text, p_now timestamptz) returns text
  language plpgsql
as $$
begin
  perform tests.as_user('acme', p_person);
  if p_role = 'sender' then
    perform api.delete_sender_profile(p_now);
  else
    perform api.delete_receiver_profile(p_now);
  end if;
  perform tests.as_superuser();
  return 'done';
end
$$;
create function tests.return(p_person text, p_role text, p_now timestamptz) returns json
  language plpgsql
as $$
declare
  v_profile json;
begin
  perform tests.as_user('acme', p_person);
  if p_role = 'sender' then
    v_profile := api.put_sender_profile('{"ping_time": "09:00"}', p_now);
  else
    v_profile := api.put_receiver_profile('{}', p_now);
  end if;
  perform tests.as_superuser();
  return v_profile;
end
$$;

-- Alice sends to Bob (active), Carol (paused) and Mallory (pending), and receives from Mallory.
insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
select tests.tenant('acme'), gen_random_uuid(), tests.id(sender), tests.id(receiver), status, tests.id(owner), '2026-01-05T08:00Z', '2026-01-05T08:00Z', '2026-01-05T08:00Z'
from (values ('alice', 'carol', 'paused', 'carol'), ('alice', 'mallory', 'pending', 'mallory'), ('mallory', 'alice', 'active', 'alice'))
  as made (sender, receiver, status, owner);
insert into kith.receiver_profiles (tenant_id, user_id, created_at, updated_at)
values (tests.tenant('acme'), tests.id('alice'), '2026-01-05T08:00Z', '2026-01-05T08:00Z');
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
values (
  tests.tenant('acme'), '2026-03-10', tests.id('alice-bob'), gen_random_uuid(), tests.id('alice'), tests.id('bob'), 'scheduled', '2026-03-10T09:00Z', '2026-03-10T10:30Z'
);
insert into kith.unique_codes (tenant_id, code, user_id, role, permanent, created_at, expires_at)
values (tests.tenant('acme'), '555555', tests.id('alice'), 'sender', false, '2026-03-10T07:00Z', '2026-03-20T07:00Z');

-- The end.
select throws_ok($$ select tests.end('bob', 'sender', '2026-03-10T08:00Z') $$, 'KT404', 'not_found', 'a user who is not a sender cannot stop');
select is(tests.end('alice', 'sender', '2026-03-10T08:00Z'), 'done', 'a sender stops');
select is(tests.state('bob'), 'deleted active removed by user:' || tests.id('alice'), 'the connections as a sender are removed');
select is(tests.state('carol'), 'deleted paused removed by user:' || tests.id('alice'), 'whatever their status');
select is(tests.state('mallory'), 'deleted pending removed by user:' || tests.id('alice'), 'pending ones too');
select is((select status from kith.connections where receiver_id = tests.id('alice')), 'active', 'the connections as a receiver stay');
select is((select status from kith.pings), 'cancelled', 'open pings are cancelled');
select is(
  concat_ws(' | ', tests.told('bob'), tests.told('carol'), tests.told('mallory')),
  concat_ws(
    ' | ', 'connection_removed: Alice has removed you as a receiver', 'connection_removed: Alice has removed you as a receiver',
    'connection_removed: Alice has removed you as a receiver'
  ),
  'the other sides are told, as of a removal'
);
select tests.as_user('acme', 'alice');
select throws_ok($$ select api.get_sender_profile() $$, 'KT404', 'not_found', 'there is no sender profile any more');
select lives_ok($$ select api.get_receiver_profile('2026-03-10T08:01Z') $$, 'the other profile stays');
select throws_ok($$ select api.delete_sender_profile('2026-03-10T08:01Z') $$, 'KT404', 'not_found', 'nobody stops twice');
select is(api.check_in(null, false, null, 'app', '2026-03-10T08:01Z') ->> 'completed', '0', 'check-ins complete nothing without a profile');
select throws_ok($$ select api.get_break('2026-03-10T08:01Z') $$, 'KT404', 'not_found', 'there is no break without a profile');
select throws_ok(
  $$ select api.put_break('{"from": "2026-03-11", "until": "2026-03-12"}', '2026-03-10T08:01Z') $$, 'KT409', 'profile_required', 'a break needs a profile'
);
select throws_ok($$ select api.create_code('{"role": "sender"}', '2026-03-10T08:01Z') $$, 'KT409', 'profile_required', 'a code needs a profile');
select is(api.create_connection('333333', '2026-03-10T08:01Z') ->> 'problem', 'profile_required', 'connecting needs a profile');
select is(
  api.list_codes('2026-03-10T08:01Z') -> 'items' ->> 0, null, 'the codes rest'
);
select is(
  (
    select concat_ws(' ', profile ->> 'role', profile ->> 'ended_at', profile ->> 'ping_time', profile ->> 'time_zone', profile ->> 'grace_minutes',
      profile ->> 'reminder_minutes', profile ->> 'share_phone')
    from (select api.export_me(null, '2026-03-10T08:01Z') -> 'value' -> 'ended_profiles' -> 0 as profile) as exported
  ), 'sender 2026-03-10T08:00:00.000000Z 09:00 UTC 90 15 false', 'the export has the ended profile with what it still keeps'
);
select tests.as_user('acme', 'bob');
select is(api.create_connection('111111', '2026-03-10T08:01Z') ->> 'problem', 'expired_code', 'a resting code answers expired_code');
select is(api.create_connection('555555', '2026-03-10T08:01Z') ->> 'problem', 'expired_code', 'an extra code as well');
select tests.as_superuser();
savepoint raced;
update kith.unique_codes set rotated_at = null where tenant_id = tests.tenant('acme') and code = '111111';
select tests.as_user('acme', 'bob');
select is(api.create_connection('111111', '2026-03-10T08:01Z') ->> 'problem', 'expired_code', 'no code connects with somebody whose profile has ended');
rollback to raced;
select tests.as_definer('acme', 'alice');
select throws_ok($$ select internal.rotate_code('sender', '2026-03-10T08:01Z') $$, 'KT409', 'profile_required', 'no code is made after the end, however long the request waited');
select tests.as_role('kith_admin');
select throws_ok(
  $$ select admin.reactivate_connection('acme', tests.id('alice-bob'), 'asked', '2026-03-10T08:01Z') $$, 'KT409', 'invalid_transition',
  'an operator cannot reactivate a connection without the profile'
);
select tests.as_superuser();
delete from kith.notifications;
delete from kith.events;

-- The return.
select is(tests.return('alice', 'sender', '2026-04-09T07:59Z') ->> 'code', '111111', 'within 30 days the profile comes back with its code');
select is(tests.state('bob'), 'active', 'the connections come back');
select is(tests.state('carol'), 'paused', 'a paused one as paused');
select is(tests.state('mallory'), 'pending', 'a pending one still waits for consent');
select is((select created_at from kith.connections where id = tests.id('alice-bob')), '2026-01-05T08:00Z', 'they are the same rows');
select is(
  (select string_agg(concat_ws(' ', ping_on, status), ', ' order by ping_on) from kith.pings where connection_id = tests.id('alice-bob')),
  '2026-03-10 cancelled, 2026-04-09 scheduled', 'today''s ping comes back'
);
select is(tests.told('bob'), 'connection_request: Alice is now sending you pings', 'where pings flow again, the other side is told');
select is(concat_ws(' ', tests.told('carol'), tests.told('mallory'), tests.told('alice')), '', 'where none flow, nobody is told');
select is(
  (select count(*) from kith.events where type = 'connection'), 6::bigint, 'both sides of each connection see it'
);
select is((select string_agg(code, ' ' order by code) from kith.unique_codes where user_id = tests.id('alice') and rotated_at is null), '111111 555555', 'extra codes come back as they were');
select is(tests.return('alice', 'sender', '2026-04-09T08:00Z') ->> 'code', '111111', 'another PUT changes nothing');
select is(tests.told('bob'), 'connection_request: Alice is now sending you pings', 'and tells nobody');

-- What has happened meanwhile.
select tests.end('alice', 'sender', '2026-04-10T08:00Z') \g /dev/null
select tests.as_user('acme', 'bob');
select api.put_block(tests.id('alice'), '2026-04-10T08:01Z') \g /dev/null
select tests.end('carol', 'receiver', '2026-04-10T08:02Z') \g /dev/null
select tests.return('alice', 'sender', '2026-04-10T08:03Z') \g /dev/null
select is(tests.state('bob'), 'deleted removed by user:' || tests.id('alice'), 'somebody who blocked the sender meanwhile stays disconnected');
select is(tests.state('carol'), 'deleted removed by user:' || tests.id('alice'), 'so does somebody who stopped to be a receiver meanwhile');
select is(tests.state('mallory'), 'pending', 'the others come back');
select tests.return('carol', 'receiver', '2026-04-10T08:04Z') \g /dev/null
select is(tests.state('carol'), 'deleted removed by user:' || tests.id('alice'), 'a connection that has not come back does not come back later');

-- A receiver.
delete from kith.blocks;
update kith.connections set status = 'active', deleted_at = null, deleted_by = null where id = tests.id('alice-bob');
update kith.receiver_profiles set subscription_status = 'canceled', subscription_expires_at = '2026-04-20T08:00Z' where user_id = tests.id('bob');
delete from kith.notifications;
select tests.end('bob', 'receiver', '2026-04-11T08:00Z') \g /dev/null
select is(tests.told('alice'), 'connection_removed: Bob has removed your connection', 'the sender is told of a receiver who stops');
select tests.as_user('acme', 'alice');
select is(api.create_connection('222222', '2026-04-11T08:01Z') ->> 'problem', 'expired_code', 'a receiver''s code rests as well');
select tests.as_superuser();
delete from kith.notifications;
select is(tests.return('bob', 'receiver', '2026-04-11T08:02Z') ->> 'code', '222222', 'a receiver comes back');
select is(tests.told('alice'), 'connection_request: Bob is now receiving your pings', 'nobody is watched without knowing');
select is(tests.state('bob'), 'active', 'with the connections');
select tests.end('bob', 'receiver', '2026-04-12T08:00Z') \g /dev/null
update kith.tenants set requires_subscription = true where slug = 'acme';
select is(tests.return('bob', 'receiver', '2026-04-21T08:00Z') ->> 'subscription_status', 'expired', 'the subscription stays as it was');
select is(tests.state('bob'), 'deleted removed by user:' || tests.id('bob'), 'a connection that the subscription would not allow stays removed');
update kith.tenants set requires_subscription = false where slug = 'acme';

-- Too late.
update kith.connections set status = 'active', deleted_at = null, deleted_by = null where id = tests.id('alice-bob');
select tests.end('alice', 'sender', '2026-05-01T08:00Z') \g /dev/null
select tests.return('alice', 'sender', '2026-05-31T08:00Z') ->> 'code' as code \gset
select isnt(:'code'::text, '111111', 'after 30 days there is a new code');
select is(tests.state('bob'), 'deleted removed by user:' || tests.id('alice'), 'the connections stay removed');
select tests.as_user('acme', 'bob');
select is(api.create_connection('111111', '2026-05-31T08:01Z') ->> 'problem', 'expired_code', 'the old code does not come back');
select is(api.create_connection(:'code', '2026-05-31T08:02Z') -> 'body' ->> 'id', tests.id('alice-bob')::text, 'the new one connects again, in the same row');
select tests.as_superuser();

-- Reconnecting by code gives up what could come back.
select tests.end('alice', 'sender', '2026-06-01T08:00Z') \g /dev/null
select is(tests.state('bob'), 'deleted active removed by user:' || tests.id('alice'), 'the connection rests');
select tests.as_user('acme', 'bob');
select throws_ok($$ select api.remove_connection(tests.id('alice-bob'), '2026-06-01T08:01Z') $$, 'KT404', 'not_found', 'a resting connection is removed already');
select tests.as_superuser();
select throws_ok(
  $$ update kith.connections set resting_status = 'active' where status = 'active' $$, '23514', null, 'a live connection has no resting status'
);

-- Each side brings back only what its own end removed.
select tests.return('alice', 'sender', '2026-06-01T09:00Z') \g /dev/null
select is(tests.state('bob'), 'active', 'the sender is back');
select tests.end('bob', 'receiver', '2026-06-01T09:01Z') \g /dev/null
select tests.end('alice', 'sender', '2026-06-01T09:02Z') \g /dev/null
select tests.return('alice', 'sender', '2026-06-01T09:03Z') \g /dev/null
select is(tests.state('bob'), 'deleted active removed by user:' || tests.id('bob'), 'the return of one side leaves what the other side''s end removed');
select tests.return('bob', 'receiver', '2026-06-01T09:04Z') \g /dev/null
select is(tests.state('bob'), 'active', 'which comes back with the other side');

-- A block ends what rests.
select tests.end('bob', 'receiver', '2026-06-01T09:05Z') \g /dev/null
select tests.as_user('acme', 'alice');
select api.put_block(tests.id('bob'), '2026-06-01T09:06Z') \g /dev/null
select api.delete_block(tests.id('bob'), '2026-03-10T12:00Z') \g /dev/null
select tests.as_superuser();
select tests.return('bob', 'receiver', '2026-06-01T09:07Z') \g /dev/null
select is(tests.state('bob'), 'deleted removed by user:' || tests.id('bob'), 'a connection that was blocked meanwhile stays removed, even after the block');
update kith.connections set status = 'active', deleted_at = null, deleted_by = null where id = tests.id('alice-bob');

-- Many connections end together as one by one.
create function tests.outcome() returns text
  language sql
as $$
  select concat_ws(
    E'\n',
    (select string_agg(concat_ws(' ', id, status, deleted_at, deleted_by), ', ' order by id) from kith.connections),
    (select string_agg(concat_ws(' ', connection_id, ping_on, status), ', ' order by connection_id, ping_on) from kith.pings),
    (select string_agg(concat_ws(' ', user_id, type, title, body, data), ', ' order by user_id, type, body, data::text) from tests.notifications),
    (select string_agg(concat_ws(' ', user_id, type, subject_id), ', ' order by user_id, type, subject_id) from kith.events where type <> 'account')
  )
$$;
insert into kith.users (tenant_id, id, tokens_valid_from, created_at, updated_at)
select tests.tenant('acme'), ('f1900000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, '2026-01-05T08:00Z', '2026-01-05T08:00Z', '2026-01-05T08:00Z'
from generate_series(1, 60) as n;
insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at, alias_by_receiver)
select tenant_id, gen_random_uuid(), tests.id('alice'), id, (array['active', 'paused', 'pending'])[1 + row_number() over (order by id) % 3], id,
  created_at, created_at, created_at, case when row_number() over (order by id) % 2 = 0 then 'Mum' end
from kith.users where id::text like 'f19%';
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
select tenant_id, '2026-06-01', id, gen_random_uuid(), sender_id, receiver_id, 'due', '2026-06-01T09:00Z', '2026-06-01T23:30Z'
from kith.connections
where status = 'active' and receiver_id::text like 'f19%';
delete from kith.notifications;
delete from kith.events;
savepoint together;
select tests.end('alice', 'sender', '2026-06-01T09:10Z') \g /dev/null
select encode(tests.outcome()::bytea, 'base64') as together \gset
select is((select count(*) from tests.notifications where body = 'Mum has removed you as a receiver'), 30::bigint, 'everybody is told in their own words');
rollback to together;
select tests.as_definer('acme', 'alice');
select internal.end_connection(id, 'user:' || tests.id('alice'), '2026-06-01T09:10Z')
from kith.connections where tenant_id = tests.tenant('acme') and sender_id = tests.id('alice') and status <> 'deleted' \g /dev/null
select tests.as_superuser();
select is(encode(tests.outcome()::bytea, 'base64'), :'together', 'the end of a profile ends many connections as it would end each');
rollback to together;
select tests.end('alice', 'sender', '2026-06-01T09:10Z') \g /dev/null

-- How often.
update kith.act_counts set counted_on = '2026-06-02', acts = 10 where tenant_id = tests.tenant('acme') and actor_id = tests.id('alice') and act = 'return';
select throws_ok($$ select tests.return('alice', 'sender', '2026-06-02T08:00Z') $$, 'KT429', 'too_many_requests', 'coming back is limited, since it notifies everybody');
select tests.as_superuser();
select lives_ok($$ select tests.return('alice', 'sender', '2026-06-03T08:00Z') $$, 'the next day it is possible again');

-- Other people, and the end of the account.
select tests.as_user('globex', 'globex-alice');
select is(api.get_sender_profile() ->> 'code', '111111', 'another tenant''s Alice is still a sender');
select tests.as_server('acme');
select throws_ok($$ select api.delete_sender_profile('2026-06-03T08:01Z') $$, 'KT401', 'unauthenticated', 'the tenant''s server has no profile to end');
select tests.as_superuser();
select tests.end('alice', 'sender', '2026-06-04T08:00Z') \g /dev/null
select tests.as_user('acme', 'alice');
select lives_ok($$ select api.delete_me(null, '2026-06-04T08:01Z') $$, 'an account with an ended profile can be deleted');
select throws_ok(
  $$ select api.put_sender_profile('{"ping_time": "09:00"}', '2026-06-04T08:02Z') $$, 'KT401', 'unauthenticated', 'and nothing comes back'
);
select tests.as_superuser();
select is((select count(*) from kith.sender_profiles where user_id = tests.id('alice')), 0::bigint, 'no profile is left');

select * from finish();
rollback;
