-- The invitation to a transfer: its channel and outcome, sending it again, and offering a vault to a nominee (C08).
begin;
\ir people.sql
select plan(35);

create temporary table kept (name text primary key, id uuid);
grant all on kept to public;
create function tests.kept(p_name text) returns uuid language sql stable return (select id from kept where name = p_name);
create function tests.keep(p_token text, p_transfer jsonb) returns jsonb
  language plpgsql
as $$
begin
  insert into kept values (p_token, (p_transfer #>> '{invitation,token}')::uuid);
  return p_transfer;
end
$$;
create function tests.offer(p_token text, p_body jsonb, p_at timestamptz) returns jsonb
  language sql
  return tests.keep(p_token, api.create_transfer(tests.kept('papers'), '{"keep_access": false}' || p_body, 'https://kith.example', p_at)::jsonb);
create function tests.resend(p_token text, p_channel text, p_at timestamptz) returns jsonb
  language sql
  return tests.keep(p_token, api.resend_transfer(tests.kept('papers'), p_channel, 'https://kith.example', p_at)::jsonb);
create function tests.report(p_outcome text, p_at timestamptz) returns text
  language sql
  return api.report_transfer_invitation(tests.kept('papers'), p_outcome, p_at) ->> 'invitation_outcome';

select tests.as_user('acme', 'alice');
insert into kept select 'papers', (api.create_vault('{"name": "Papers"}', '2026-03-10T08:00Z') ->> 'id')::uuid;
insert into kept
select given ->> 'name', (given ->> 'id')::uuid
from (
  select value -> 'nominee' as given
  from json_array_elements(api.invite_nominees(
    tests.kept('papers'), '[{"name": "bob"}, {"name": "carol", "channel": "airdrop"}, {"name": "erin", "channel": "other"}]', 'https://kith.example', '2026-03-10T08:01Z'
  ))
) as answers;
select tests.as_superuser();
update kith.nominees set status = 'accepted', user_id = tests.id('bob'), accepted_at = '2026-03-10T08:02Z' where id = tests.kept('bob');
select is(
  (select string_agg(channel, ' ' order by channel) from kith.nominee_invitations), 'airdrop link other', 'a nominee is invited by AirDrop or another way too'
);

-- Channel and outcome.
select tests.as_user('acme', 'alice');
select throws_ok($$ select tests.resend('none', null, '2026-03-10T09:00Z') $$, 'KT404', 'not_found', 'without an offer nothing can be sent again');
select throws_ok($$ select tests.report('sent', '2026-03-10T09:00Z') $$, 'KT404', 'not_found', 'nor reported');
select is(tests.offer('first', '{"name": "Dora", "channel": "airdrop"}', '2026-03-10T09:00Z') ->> 'channel', 'airdrop', 'an offer has a channel');
select throws_ok(
  $$ select tests.offer('other', '{"name": "Dora", "channel": "pigeon"}', '2026-03-10T09:00Z') $$, 'KT409', null, 'a vault is offered once'
);
select is(tests.report('cancelled', '2026-03-10T09:01Z'), 'cancelled', 'the composer''s outcome is reported');
select is(tests.report('failed', '2026-03-10T09:01Z'), 'failed', 'another attempt has another outcome');
select is(tests.report('sent', '2026-03-10T09:01Z'), 'sent', 'until it was sent');
select is(tests.report('sent', '2026-03-10T09:01Z'), 'sent', 'repeating the outcome changes nothing');
select throws_ok($$ select tests.report('failed', '2026-03-10T09:01Z') $$, 'KT409', 'invalid_transition', 'what was sent stays sent');

-- Sending again.
select is(
  tests.resend('second', null, '2026-03-12T09:00Z') - 'id' - 'invitation' - 'card' - 'state',
  '{"name": "Dora", "phone": null, "email": null, "nominee_id": null, "keep_access": false, "status": "pending", "channel": "airdrop",
    "created_at": "2026-03-10T09:00:00.000000Z", "expires_at": "2026-03-19T09:00:00.000000Z", "invitation_outcome": null}'::jsonb,
  'an offer is sent again with a new life and no outcome, by the same channel'
);
select throws_ok(
  $$ select api.preview_invitation(tests.kept('first'), '2026-03-12T09:01Z') $$, 'KT404', 'invitation_invalid', 'the old token is dead'
);
select is(api.preview_invitation(tests.kept('second'), '2026-03-12T09:01Z') ->> 'state', 'pending', 'the new one is alive');
select is(
  (select concat_ws(' ', answer ->> 'channel', answer ->> 'state', answer #>> '{card,title}') from tests.resend('third', 'mail', '2026-03-12T09:02Z') as answer),
  'mail pending 🔐 Vault Transfer', 'it can be sent by another channel, and the answer has the card'
);
select tests.resend('more ' || n, null, '2026-03-12T10:00Z'::timestamptz + n * interval '1 minute') from generate_series(1, 3) as n \g /dev/null
select is(
  api.resend_transfer(tests.kept('papers'), null, 'https://kith.example', '2026-03-12T11:00Z') ->> 'retry_after', (22 * 3600)::text,
  'it is sent again at most five times a day'
);
select is(
  (
    select string_agg(concat_ws(' ', item ->> 'channel', item ->> 'outcome', item ->> 'count'), ', ')
    from json_array_elements(api.share_usage() -> 'items') as items (item)
  ),
  'airdrop sent 1, airdrop 2, link 1, mail 4, other 1', 'each sending counts, with those of nominees'
);
select tests.as_superuser();
select is(
  (select string_agg(action, ' ' order by id) from kith.history where subject_type = 'transfer'),
  'transfer.requested transfer.resent transfer.resent transfer.resent transfer.resent transfer.resent', 'the history has each'
);

-- Nobody else.
select throws_ok(
  format('select api.%s', call), code, null, format('%s cannot use %s', person, split_part(call, '(', 1))
)
from (values ('acme', 'bob', 'KT403'), ('acme', 'mallory', 'KT404'), ('globex', 'globex-alice', 'KT404')) as people (tenant, person, code)
cross join (values
  ($$resend_transfer(tests.kept('papers'), null, '', '2026-03-13T09:00Z')$$),
  ($$report_transfer_invitation(tests.kept('papers'), 'sent', '2026-03-13T09:00Z')$$)
) as calls (call)
cross join lateral tests.as_user(tenant, person);
select tests.as_user('acme', 'alice');
select is((select count(channel) from kith.transfer_invitations), 6::bigint, 'the owner sees the invitations to their offers');
select tests.as_user('acme', 'bob');
select is((select count(channel) from kith.transfer_invitations), 0::bigint, 'and nobody else does');

-- An offer to a nominee.
select tests.as_user('acme', 'alice');
select api.cancel_transfer(tests.kept('papers'), '2026-03-14T09:00Z') \g /dev/null
select throws_ok(
  format('select tests.offer(%L, %L, %L)', 'wrong', body, '2026-03-14T09:01Z'), sqlstate, null, what
)
from (values
  (jsonb_build_object('nominee_id', gen_random_uuid()), 'KT422', 'only a nominee of the vault can be chosen'),
  (jsonb_build_object('nominee_id', tests.kept('bob'), 'name', 'Bob'), 'KT422', 'a nominee already has a name'),
  ('{}', 'KT422', 'somebody must be named'),
  (jsonb_build_object('nominee_id', tests.kept('carol')), 'KT409', 'a nominee who has not accepted cannot be chosen')
) as given (body, sqlstate, what);
select is(
  tests.offer('to bob', jsonb_build_object('nominee_id', tests.kept('bob')), '2026-03-14T09:02Z') - 'id' - 'invitation' - 'card' - 'state' - 'created_at' - 'expires_at',
  jsonb_build_object(
    'name', 'bob', 'phone', null, 'email', null, 'nominee_id', tests.kept('bob'), 'keep_access', false, 'status', 'pending', 'channel', 'link',
    'invitation_outcome', null
  ),
  'a vault is offered to a nominee, under the nominee''s name'
);
select tests.as_superuser();
select is(
  (select string_agg(body, '; ') from tests.notifications where user_id = tests.id('bob') and type = 'transfer_requested'),
  'Alice wants to make you the owner of “Papers”.', 'the nominee is told'
);
select tests.as_user('acme', 'mallory');
select throws_ok(
  $$ select api.accept_invitation(tests.kept('to bob'), '2026-03-14T09:03Z') $$, 'KT403', 'forbidden', 'somebody else cannot accept, even with the token'
);
select tests.as_user('acme', 'bob');
select is(
  api.accept_invitation(tests.kept('to bob'), '2026-03-14T09:04Z') #>> '{vault,owner,display_name}', 'Bob', 'the nominee accepts, and becomes the owner'
);

-- An offer ends with its nominee, and the sweep takes the invitations with it.
select tests.as_user('acme', 'bob');
insert into kept
select 'mallory', (value #>> '{nominee,id}')::uuid
from json_array_elements(api.invite_nominees(tests.kept('papers'), '[{"name": "mallory"}]', 'https://kith.example', '2026-03-15T08:01Z'));
select tests.as_superuser();
update kith.nominees set status = 'accepted', user_id = tests.id('mallory'), accepted_at = '2026-03-15T08:02Z' where id = tests.kept('mallory');
select tests.as_user('acme', 'bob');
select tests.offer('to mallory', jsonb_build_object('nominee_id', tests.kept('mallory')), '2026-03-15T08:03Z') \g /dev/null
select api.revoke_nominee(tests.kept('papers'), tests.kept('mallory'), '2026-03-15T08:04Z') \g /dev/null
select throws_ok($$ select api.get_transfer(tests.kept('papers'), '2026-03-15T08:05Z') $$, 'KT404', 'not_found', 'revoking the nominee cancels the offer');
select tests.as_role('kith_worker');
select worker.sweep_vault_invitations('2026-09-15T08:00Z', 100) \g /dev/null
select tests.as_superuser();
select is((select count(*) from kith.transfer_invitations), 0::bigint, 'invitations are deleted with their transfer');

select * from finish();
rollback;
