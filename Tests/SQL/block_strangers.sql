-- Whoever can reach a person can be blocked by them (X22), and reaches them no more.
begin;
\ir people.sql
select plan(32);

create temporary table kept (name text primary key, id uuid);
grant all on kept to public;
create function tests.kept(p_name text) returns uuid language sql stable return (select id from kept where name = p_name);
create function tests.invite(p_vault text, p_given jsonb, p_at timestamptz) returns json
  language sql
  return api.invite_nominees(tests.kept(p_vault), jsonb_build_array('{"name": "X"}' || p_given), 'https://kith.example', p_at) -> 0;
-- What the answer to an invitation contains, without what differs each time.
create function tests.shape(p_answer json) returns text[]
  language sql
  return (
    select array_agg(key order by key) || array[p_answer #>> '{nominee,status}', p_answer #>> '{nominee,state}', p_answer #>> '{nominee,user_id}']
    from json_object_keys(p_answer -> 'nominee') as key
  );
create function tests.told() returns bigint
  language sql security definer
  return (select count(*) from kith.notifications where user_id = tests.id('bob'));
create function tests.waiting(p_at timestamptz) returns bigint
  language sql return json_array_length(api.list_own_invitations(50, null, p_at) -> 'items');

update kith.users set phone = '+4915100000002', phone_verified_at = '2026-03-01T00:00Z', email = 'bob@example.com', email_verified_at = '2026-03-01T00:00Z'
where id = tests.id('bob');
update kith.users set email = 'carol@example.com', email_verified_at = '2026-03-01T00:00Z' where id = tests.id('carol');

-- Mallory, a stranger, invites Bob by his address. His number is offered a vault, too.
select tests.as_user('acme', 'mallory');
insert into kept
select name, (api.create_vault(jsonb_build_object('name', name), '2026-03-10T08:00Z') ->> 'id')::uuid from unnest(array['papers', 'house']) as name;
select tests.as_user('acme', 'bob');
select throws_ok($$ select api.put_block(tests.id('mallory'), '2026-03-10T08:00Z') $$, 'KT404', 'not_found', 'a stranger who has reached nobody cannot be blocked');
select tests.as_user('acme', 'mallory');
create temporary table shapes as select tests.shape(tests.invite('papers', '{"email": "bob@example.com"}', '2026-03-10T08:01Z')) as before;
grant select on shapes to public;
select tests.as_user('acme', 'bob');
select is(tests.waiting('2026-03-10T08:02Z'), 1::bigint, 'the stranger''s invitation waits');
select is(
  (api.list_own_invitations(50, null, '2026-03-10T08:02Z') #>> '{items,0,inviter,id}')::uuid, tests.id('mallory'), 'the invitation says whom to block'
);
select is(
  api.put_block(tests.id('mallory'), '2026-03-10T08:03Z')::jsonb - 'created_at',
  jsonb_build_object('user', jsonb_build_object('id', tests.id('mallory'), 'display_name', 'Mallory'), 'vaults', '[]'::jsonb),
  'who invites by a verified address can be blocked'
);
select is(tests.waiting('2026-03-10T08:04Z'), 0::bigint, 'the invitation waits no longer');
select tests.as_user('acme', 'carol');
select throws_ok($$ select api.put_block(tests.id('mallory'), '2026-03-10T08:03Z') $$, 'KT404', 'not_found', 'somebody else whom she has not invited cannot block her');

-- She goes on.
select tests.as_superuser();
create temporary table counted as select tests.told() as notifications;
grant select on counted to public;
select tests.as_user('acme', 'mallory');
select is(
  tests.shape(tests.invite('house', '{"email": "bob@example.com"}', '2026-03-10T08:05Z')), (select before from shapes), 'the blocked user''s next invitation is answered like the first'
);
select is(
  api.create_transfer(tests.kept('papers'), '{"name": "Bob", "phone": "+4915100000002", "keep_access": true}', 'https://kith.example', '2026-03-10T08:06Z') ->> 'state', 'pending',
  'an offer is answered as usual'
);
select is(tests.told(), (select notifications from counted), 'neither notifies the other');
select tests.as_user('acme', 'bob');
select is(tests.waiting('2026-03-10T08:07Z'), 0::bigint, 'neither waits for the other');
select is(json_array_length(api.home('2026-03-10T08:07Z') #> '{waiting,invitations,items}'), 0, 'nor on the first screen');
select is(api.delete_block(tests.id('mallory'), '2026-03-10T12:00Z')::text, null, 'the block ends');
select is(tests.waiting('2026-03-10T08:08Z'), 3::bigint, 'and what was sent meanwhile can be answered');

-- An invitation that is no longer pending is enough, too.
select api.decline_own_invitation((api.list_own_invitations(50, null, '2026-03-10T08:09Z') #>> '{items,2,id}')::uuid, '2026-03-10T08:09Z') \g /dev/null
select tests.as_superuser();
delete from kith.transfers;
delete from kith.nominees where vault_id = tests.kept('house');
select tests.as_user('acme', 'bob');
select lives_ok($$ select api.put_block(tests.id('mallory'), '2026-03-10T08:10Z'), api.delete_block(tests.id('mallory'), '2026-03-10T12:00Z') $$, 'who was declined can be blocked');
select tests.as_superuser();
delete from kith.nominees where vault_id = tests.kept('papers');
select tests.as_user('acme', 'bob');
select lives_ok($$ select api.put_block(tests.id('mallory'), '2026-03-10T08:10Z'), api.delete_block(tests.id('mallory'), '2026-03-10T12:00Z') $$, 'who is only named by a notification can be blocked');
select tests.as_superuser();
delete from kith.notifications where user_id = tests.id('bob');
select tests.as_user('acme', 'bob');
select throws_ok($$ select api.put_block(tests.id('mallory'), '2026-03-10T08:10Z') $$, 'KT404', 'not_found', 'nothing is left of the stranger');

-- An offer alone, and a text message to a verified number.
select tests.as_user('acme', 'mallory');
select api.create_transfer(tests.kept('house'), '{"name": "Bob", "phone": "+4915100000002", "keep_access": true}', 'https://kith.example', '2026-03-10T08:11Z') \g /dev/null
select api.create_connection_invitation('[{"name": "Carol", "given_phone": "x", "phone": "+4915100000003", "problem": null}]', false, 'https://kith.example', '2026-03-10T08:11Z') \g /dev/null
select tests.as_superuser();
delete from kith.notifications where user_id = tests.id('bob');
update kith.users set phone = '+4915100000003', phone_verified_at = '2026-03-01T00:00Z' where id = tests.id('carol');
select tests.as_user('acme', 'bob');
select lives_ok($$ select api.put_block(tests.id('mallory'), '2026-03-10T08:12Z') $$, 'who offers a vault can be blocked');
select tests.as_user('acme', 'carol');
select lives_ok($$ select api.put_block(tests.id('mallory'), '2026-03-10T08:12Z') $$, 'who invites a verified number to connect can be blocked');

-- A nominee with level full is known to the other nominees, and so is a former owner.
select tests.as_user('acme', 'alice');
insert into kept select 'family', (api.create_vault('{"name": "Family"}', '2026-03-10T09:00Z') ->> 'id')::uuid;
create temporary table invited as
select person, (tests.invite('family', jsonb_build_object('name', person, 'access_level', level), '2026-03-10T09:01Z') #>> '{nominee,invitation,token}')::uuid as token
from (values ('bob', 'view'), ('carol', 'full')) as people (person, level);
grant select on invited to public;
select tests.as_user('acme', 'bob');
select api.accept_invitation((select token from invited where person = 'bob'), '2026-03-10T09:02Z') \g /dev/null
select tests.as_user('acme', 'carol');
select api.accept_invitation((select token from invited where person = 'carol'), '2026-03-10T09:02Z') \g /dev/null
select tests.as_user('acme', 'alice');
select is(
  (api.put_block(tests.id('bob'), '2026-03-10T09:03Z') -> 'vaults')::jsonb,
  jsonb_build_array(jsonb_build_object(
    'id', tests.kept('family'), 'name', 'Family', 'nominee_id', (select id from kith.nominees where user_id = tests.id('bob') and status <> 'revoked'),
    'status', 'accepted', 'access_level', 'view'
  )),
  'the block of a nominee names the vaults to which they still have access'
);
select is((api.list_blocks(50, null) #>> '{items,0,vaults,0,name}'), 'Family', 'so does the list of blocks');
select tests.as_user('acme', 'bob');
select is((api.put_block(tests.id('alice'), '2026-03-10T09:04Z') -> 'vaults')::jsonb, '[]', 'a nominee''s block does not name the other''s vaults');
select is(api.get_vault(tests.kept('family'), '2026-03-10T09:05Z') ->> 'status', 'accepted', 'the access stays');
select api.delete_block(tests.id('alice'), '2026-03-10T12:00Z') \g /dev/null
select tests.as_user('acme', 'alice');
select api.delete_block(tests.id('bob'), '2026-03-10T12:00Z') \g /dev/null
select api.send_message(
  tests.kept('family'), (select id from kith.nominees where user_id = tests.id('bob') and status <> 'revoked'), 'Hello', '2026-03-10T09:06Z'
) \g /dev/null
insert into kept
select 'token', (api.create_transfer(
  tests.kept('family'), jsonb_build_object('nominee_id', (select id from kith.nominees where user_id = tests.id('carol') and status <> 'revoked'), 'keep_access', true), 'https://kith.example',
  '2026-03-10T09:07Z'
) #>> '{invitation,token}')::uuid;
select tests.as_user('acme', 'carol');
select api.accept_invitation(tests.kept('token'), '2026-03-10T09:08Z') \g /dev/null
select tests.as_superuser();
delete from kith.notifications where user_id = tests.id('bob');
delete from kith.connections where id = tests.id('alice-bob');
select tests.as_user('acme', 'bob');
select lives_ok($$ select api.put_block(tests.id('alice'), '2026-03-10T09:09Z'), api.delete_block(tests.id('alice'), '2026-03-10T12:00Z') $$, 'a former owner who kept access can be blocked by a nominee who has chatted with them');
select tests.as_user('acme', 'alice');
select lives_ok($$ select api.put_block(tests.id('bob'), '2026-03-10T09:09Z'), api.delete_block(tests.id('bob'), '2026-03-10T12:00Z') $$, 'and can block the nominee');
select lives_ok($$ select api.put_block(tests.id('carol'), '2026-03-10T09:09Z') $$, 'the former owner can block the new one');
select throws_ok($$ select api.put_block(tests.id('alice'), '2026-03-10T09:09Z') $$, 'KT404', 'not_found', 'nobody can block themselves');

-- What waits to be sent when the block begins. Mallory lets Kith send an invitation, and has offered Bob her house.
select tests.as_superuser();
delete from kith.deliveries;
delete from kith.blocks;
update kith.tenants set sms_enabled = true, sms_invitations_per_day = 10 where tenant_id = tests.tenant('acme');
create function tests.sent(p_channel text, p_at timestamptz) returns text
  language plpgsql
as $$
declare
  v_sent text;
begin
  perform tests.as_role('kith_worker');
  perform worker.plan_deliveries(p_at, 100, true);
  select coalesce(string_agg(address, ' ' order by address), 'nothing') into v_sent
  from worker.claim_deliveries(p_at, p_channel, 10, 10, 0, '{}', '{}', 'w');
  perform tests.as_superuser();
  return v_sent;
end
$$;
create function tests.texted(p_at timestamptz) returns uuid
  language plpgsql
as $$
declare
  v_id uuid;
begin
  perform tests.as_user('acme', 'mallory');
  v_id := api.create_connection_invitation(
    '[{"name": "Carol", "given_phone": "3", "phone": "+4915100000003", "problem": null}, {"name": "Dan", "given_phone": "9", "phone": "+4915100000009", "problem": null}]',
    true, 'https://kith.example', p_at
  ) ->> 'id';
  perform tests.as_superuser();
  return v_id;
end
$$;
create function tests.statuses(p_id uuid) returns text
  language plpgsql
as $$
declare
  v_statuses text;
begin
  perform tests.as_user('acme', 'mallory');
  select string_agg(item ->> 'status', ' ') into v_statuses from json_array_elements(api.get_connection_invitation(p_id) -> 'recipients') as item;
  perform tests.as_superuser();
  return v_statuses;
end
$$;
insert into kept values ('texted', tests.texted('2026-03-10T10:00Z'));
savepoint unblocked;
select is(tests.sent('sms', '2026-03-10T10:01Z'), '+4915100000003 +4915100000009', 'Kith sends the texts of an invitation');
rollback to unblocked;
insert into kith.blocks (tenant_id, user_id, blocked_id, created_at)
values (tests.tenant('acme'), tests.id('carol'), tests.id('mallory'), '2026-03-10T10:00:30Z');
select is(tests.statuses(tests.kept('texted')), 'queued queued', 'the answer to the inviter is the same for whoever has blocked them');
select is(tests.sent('sms', '2026-03-10T10:01Z'), '+4915100000009', 'but a verified number whose user has blocked the inviter gets no text');
select is(tests.statuses(tests.kept('texted')), 'failed queued', 'the inviter sees a text that did not arrive, as when a carrier refuses it');
delete from kith.blocks;
delete from kith.notifications;
delete from kith.deliveries;
delete from kith.act_counts;
select tests.as_user('acme', 'mallory');
select tests.invite('papers', '{"email": "bob@example.com"}', '2026-03-12T10:00Z') \g /dev/null
select tests.as_superuser();
insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
values (tests.tenant('acme'), tests.id('bob'), 'nominee_invited', '{email}', '2026-03-12T09:00Z');
savepoint invited;
select is(tests.sent('email', '2026-03-12T10:01Z'), 'bob@example.com', 'a stranger''s invitation is sent to a verified address');
rollback to invited;
insert into kith.blocks (tenant_id, user_id, blocked_id, created_at)
values (tests.tenant('acme'), tests.id('bob'), tests.id('mallory'), '2026-03-12T10:00:30Z');
select is(tests.sent('email', '2026-03-12T10:01Z'), 'nothing', 'but not if its reader has blocked them before it went out');

select * from finish();
rollback;
