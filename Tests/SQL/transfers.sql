-- Transfer of a vault's ownership (C07).
begin;
\ir people.sql
select plan(49);

create temporary table house (name text primary key, id uuid);
grant select, insert, update on house to public;
create function tests.vault(p_name text default 'papers') returns uuid language sql stable return (select id from house where name = p_name);
create function tests.told(p_person text) returns text
  language sql stable
as $$
  select coalesce(string_agg(title || ': ' || body, '; ' order by id), '') from tests.notifications
  where user_id = tests.id(p_person) and type like 'transfer%'
$$;
-- Offers the vault, and keeps the token under the given name.
create function tests.offer(p_token text, p_body jsonb, p_at timestamptz, p_vault text default 'papers') returns jsonb
  language plpgsql
as $$
declare
  v_transfer jsonb := api.create_transfer(tests.vault(p_vault), '{"name": "Bob", "keep_access": true}' || p_body, 'https://kith.example', p_at);
begin
  insert into house values (p_token, (v_transfer -> 'invitation' ->> 'token')::uuid)
  on conflict (name) do update set id = excluded.id;
  return v_transfer;
end
$$;

select tests.as_user('acme', 'alice');
with made as (select api.create_vault('{"name": "Papers"}', '2026-03-10T08:00Z') as vault)
insert into house select 'papers', (vault ->> 'id')::uuid from made;

-- Offering.
select is(
  tests.offer('first', '{}', '2026-03-10T09:00Z') - 'id' - 'invitation' - 'card' - 'state',
  '{"name": "Bob", "phone": null, "email": null, "nominee_id": null, "keep_access": true, "status": "pending",
    "created_at": "2026-03-10T09:00:00.000000Z", "expires_at": "2026-03-17T09:00:00.000000Z", "channel": "link", "invitation_outcome": null}',
  'an offer is valid as long as an invitation'
);
select is(
  api.preview_invitation(tests.vault('first'), '2026-03-10T09:01Z') ->> 'kind', 'transfer', 'a preview by token shows that it is a transfer'
);
select throws_ok(
  $$ select tests.offer('second', '{}', '2026-03-10T09:01Z') $$, 'KT409', 'conflict', 'a vault has one pending transfer at a time'
);
select is(
  api.get_transfer(tests.vault(), '2026-03-10T09:02Z') ->> 'status', 'pending', 'the owner sees the offer'
);
select tests.as_superuser();
select is((select octet_length(token_hash) from kith.transfer_invitations), 32, 'only the token''s hash is stored');
select tests.as_user('acme', 'alice');
select throws_ok($$ select token_hash from kith.transfer_invitations $$, '42501', null, 'the owner cannot read the hash');
select is(api.cancel_transfer(tests.vault(), '2026-03-10T09:03Z')::text, null, 'the owner cancels the offer');
select throws_ok($$ select api.cancel_transfer(tests.vault(), '2026-03-10T09:03Z') $$, 'KT404', 'not_found', 'an offer cannot be cancelled twice');
select throws_ok($$ select api.get_transfer(tests.vault(), '2026-03-10T09:03Z') $$, 'KT404', 'not_found', 'a cancelled offer is not found');
select tests.as_user('acme', 'bob');
select throws_ok(
  $$ select api.accept_invitation(tests.vault('first'), '2026-03-10T09:04Z') $$, 'KT404', 'invitation_invalid', 'a cancelled offer''s token is invalid'
);
select tests.as_user('acme', 'alice');
select tests.offer('late', '{}', '2026-03-10T09:05Z') \g /dev/null
select tests.as_user('acme', 'bob');
select throws_ok(
  $$ select api.accept_invitation(tests.vault('late'), '2026-03-17T09:05Z') $$, 'KT410', 'invitation_expired', 'an offer expires after a week'
);
select tests.as_user('acme', 'alice');
select throws_ok($$ select api.get_transfer(tests.vault(), '2026-03-17T09:05Z') $$, 'KT404', 'not_found', 'an expired offer is not found');
select is(
  tests.offer('next', '{}', '2026-03-17T09:05Z') ->> 'status', 'pending', 'a new offer can follow an expired one'
);
select tests.as_superuser();
select is(
  (select string_agg(status, ' ' order by id) from kith.transfers), 'cancelled expired pending', 'each offer keeps its final status'
);

-- Declining.
select tests.as_user('acme', 'carol');
select is(
  api.decline_invitation(tests.vault('next'), '2026-03-17T10:00Z') ->> 'state', 'declined', 'anybody with the token can decline'
);
select is(api.decline_invitation(tests.vault('next'), '2026-03-17T10:01Z') ->> 'state', 'declined', 'declining again answers the same');
select throws_ok(
  $$ select api.accept_invitation(tests.vault('next'), '2026-03-17T10:01Z') $$, 'KT409', 'invitation_used', 'a declined offer cannot be accepted'
);
select tests.as_superuser();
select is(
  tests.told('alice'), 'Vault Transfer: Bob does not want to become the owner of Papers.', 'the owner is told of the decline, with the name they gave'
);
select results_eq(
  $$
    select actor_id, (select data ->> 'user_id' from kith.notifications where type = 'transfer_declined') from kith.history
    where action = 'transfer.declined'
  $$,
  $$ values (null::uuid, null::text) $$, 'a decline does not record who it was'
);
delete from kith.notifications;

-- Conditions for accepting.
update kith.users set phone = '+4915100000002', phone_verified_at = '2026-03-01T00:00Z', email = 'Bob@example.com', email_verified_at = '2026-03-01T00:00Z'
where id = tests.id('bob');
update kith.users set phone = '+4915100000001', phone_verified_at = '2026-03-01T00:00Z' where id = tests.id('alice');
update kith.users set phone = '+4915100000003' where id = tests.id('carol');
select tests.as_user('acme', 'alice');
select throws_ok(
  $$ select tests.offer('own', '{"phone": "+4915100000001"}', '2026-03-18T08:00Z') $$, 'KT422', 'validation_failed', 'an owner cannot offer the vault to themselves'
);
select tests.offer('for bob', '{"phone": "+4915100000009", "email": "bob@EXAMPLE.com", "keep_access": true}', '2026-03-18T08:00Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.told('bob'), 'Vault Transfer: Alice wants to make you the owner of “Papers”.', 'a user whose verified contact is named is notified'
);
select tests.as_user('acme', 'carol');
select throws_ok(
  $$ select api.accept_invitation(tests.vault('for bob'), '2026-03-18T08:01Z') $$, 'KT403', 'forbidden',
  'the token alone does not suffice if the offer names a contact'
);
select tests.as_user('acme', 'alice');
select throws_ok(
  $$ select api.accept_invitation(tests.vault('for bob'), '2026-03-18T08:01Z') $$, 'KT409', 'conflict', 'the owner cannot accept their own offer'
);
select tests.as_user('globex', 'globex-bob');
select throws_ok(
  $$ select api.accept_invitation(tests.vault('for bob'), '2026-03-18T08:01Z') $$, 'KT404', 'invitation_invalid', 'in another tenant the token is invalid'
);

select tests.as_superuser();
create temporary table crowd as
with made as (
  insert into kith.vaults (tenant_id, id, owner_id, name, created_at, updated_at)
  select tests.tenant('acme'), internal.uuid7('2026-03-01T00:00Z'), tests.id('bob'), 'One of many', '2026-03-01T00:00Z', '2026-03-01T00:00Z'
  from generate_series(1, 200 - (select count(*)::integer from kith.vaults where owner_id = tests.id('bob') and deleted_at is null))
  returning id
)
select id from made;
select tests.as_user('acme', 'bob');
select throws_ok(
  $$ select api.accept_invitation(tests.vault('for bob'), '2026-03-18T08:01Z') $$, 'KT507', 'quota_exceeded', 'a user with 200 vaults cannot accept another'
);
select throws_ok($$ select api.create_vault('{"name": "More"}', '2026-03-18T08:01Z') $$, 'KT507', 'quota_exceeded', 'a user with 200 vaults cannot create another');
select tests.as_superuser();
delete from kith.vaults where id in (select id from crowd);

-- Accepting: Bob is already a nominee, Carol stays one, and Mallory has an invitation that stays valid.
select tests.as_superuser();
insert into kith.nominees (
  tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, accepted_at, updated_at
)
select tests.tenant('acme'), internal.uuid7('2026-03-18T07:00Z'), tests.vault(), tests.id('alice'), tests.id(person), initcap(person),
  'accepted', 'view', now(), now(), now()
from unnest(array['bob', 'carol']) as person;
insert into kith.drafts values (tests.tenant('acme'), tests.id('alice'), tests.vault(), now(), now() + interval '10 minutes');
insert into kith.documents (tenant_id, id, vault_id, owner_id, version_id, name, content_type, size, sha256, created_at, created_by, updated_at)
values (
  tests.tenant('acme'), gen_random_uuid(), tests.vault(), tests.id('alice'), gen_random_uuid(), 'will.pdf', 'application/pdf', 1, sha256(''),
  now(), tests.id('alice'), now()
);
select tests.as_user('acme', 'alice');
select api.put_share(tests.vault(), '{}', '2026-03-18T08:01Z') \g /dev/null
select api.open_vault(tests.vault(), '2026-03-18T08:02Z') \g /dev/null
select api.send_message(tests.vault(), id, 'Between us', '2026-03-18T08:02Z') from kith.nominees where user_id = tests.id('carol') \g /dev/null
select tests.as_user('acme', 'bob');
select is(
  api.accept_invitation(tests.vault('for bob'), '2026-03-18T08:03Z')::jsonb,
  jsonb_build_object(
    'kind', 'transfer', 'status', 'accepted', 'state', 'accepted',
    'card', jsonb_build_object('title', '✅ Vault Transfer Accepted', 'subtitle', 'Papers', 'state', 'accepted'),
    'vault', jsonb_build_object(
      'id', tests.vault(), 'name', 'Papers', 'owner', jsonb_build_object('id', tests.id('bob'), 'display_name', 'Bob')
    )
  ),
  'the recipient becomes the owner'
);
select is(
  api.accept_invitation(tests.vault('for bob'), '2026-03-18T08:04Z') ->> 'status', 'accepted', 'accepting again answers the same'
);
select is(
  api.get_vault(tests.vault(), '2026-03-18T08:04Z')::jsonb - 'owner' - 'created_at' - 'updated_at' - 'counts',
  jsonb_build_object(
    'id', tests.vault(), 'name', 'Papers', 'role', 'owner', 'access_level', 'full', 'status', null, 'require_confirmation', false,
    'full_may_open', false, 'nominee_id', null, 'session', null, 'pending_transfer', null, 'deleted_at', null
  ),
  'the transferred vault is locked'
);
select tests.as_superuser();
select is((select lock_reason || ' ' || locked_by from kith.vault_sessions), 'transferred ' || tests.id('bob'), 'the session ends with the reason transferred');
select is(
  (
    select string_agg(concat_ws(' ', name, status, access_level, revoke_reason), ', ' order by name, status) from kith.nominees
  ),
  'Alice accepted full, Bob revoked view transferred, Carol accepted view', 'the old owner is a nominee, and the new owner no longer is'
);
select is(
  (
    select string_agg(distinct owner_id::text, ' ')
    from (
      select owner_id from kith.vaults union all select owner_id from kith.nominees union all select owner_id from kith.vault_sessions
      union all select owner_id from kith.documents union all select owner_id from kith.shares
    ) as rows
  ),
  tests.id('bob')::text, 'every row of the vault has the new owner'
);
select is((select count(*) from kith.drafts), 0::bigint, 'drafts for the vault are deleted');
select is(
  (select string_agg(title || ': ' || body, '; ') from tests.notifications where type like 'transfer%' and user_id = tests.id('alice')),
  'Vault Transfer: Bob is now the owner of Papers.', 'the old owner is told'
);
select tests.as_user('acme', 'bob');
select is(
  (
    select api.list_messages(tests.vault(), id, 50, null, '2026-03-18T08:05Z') ->> 'items'
    from kith.nominees where user_id = tests.id('carol')
  ),
  '[]', 'the new owner cannot read the old owner''s conversations'
);
select tests.as_user('acme', 'carol');
select is(
  (
    select api.list_messages(tests.vault(), id, 50, null, '2026-03-18T08:05Z') -> 'items' -> 0 ->> 'body'
    from kith.nominees where user_id = tests.id('carol')
  ),
  'Between us', 'the nominee can still read the old conversation'
);
select tests.as_user('acme', 'alice');
select is(api.get_vault(tests.vault(), '2026-03-18T08:05Z') ->> 'access_level', 'full', 'the old owner has level full');
select throws_ok(
  $$ select api.create_transfer(tests.vault(), '{"name": "X", "keep_access": false}', 'https://kith.example', '2026-03-18T08:05Z') $$,
  'KT403', 'forbidden', 'the old owner cannot transfer the vault'
);
select throws_ok($$ select api.get_transfer(tests.vault(), '2026-03-18T08:05Z') $$, 'KT403', 'forbidden', 'the old owner cannot see a transfer');
select throws_ok($$ select api.cancel_transfer(tests.vault(), '2026-03-18T08:05Z') $$, 'KT403', 'forbidden', 'the old owner cannot cancel a transfer');

-- Leaving, blocks and deleted vaults.
select tests.as_user('acme', 'bob');
select tests.offer('for anybody', '{"keep_access": false}', '2026-03-18T09:00Z') \g /dev/null
select tests.as_superuser();
insert into kith.blocks values (tests.tenant('acme'), tests.id('bob'), tests.id('mallory'), now());
select tests.as_user('acme', 'mallory');
select throws_ok(
  $$ select api.accept_invitation(tests.vault('for anybody'), '2026-03-18T09:01Z') $$, 'KT404', 'invitation_invalid',
  'a blocked user''s token is invalid'
);
select throws_ok(
  $$ select api.get_transfer(tests.vault(), '2026-03-18T09:01Z') $$, 'KT404', 'not_found', 'a blocked user does not find the offer'
);
select tests.as_user('acme', 'carol');
select api.accept_invitation(tests.vault('for anybody'), '2026-03-18T09:02Z') \g /dev/null
select tests.as_user('acme', 'bob');
select throws_ok($$ select api.get_vault(tests.vault(), '2026-03-18T09:03Z') $$, 'KT403', 'nominee_revoked', 'an old owner who chose to leave has no access');
select throws_ok(
  $$ select api.accept_invitation(tests.vault('for anybody'), '2026-03-18T09:03Z') $$, 'KT409', 'invitation_used', 'a token works for one user'
);
select tests.as_user('acme', 'carol');
select tests.offer('of a deleted', '{}', '2026-03-18T10:00Z') \g /dev/null
select api.delete_vault(tests.vault(), '2026-03-18T10:01Z') \g /dev/null
select tests.as_user('acme', 'bob');
select throws_ok(
  $$ select api.accept_invitation(tests.vault('of a deleted'), '2026-03-18T10:02Z') $$, 'KT404', 'invitation_invalid',
  'deleting a vault cancels its offer'
);
select tests.as_user('acme', 'carol');
select api.restore_vault(tests.vault(), '2026-03-18T10:03Z') \g /dev/null
select tests.as_user('acme', 'bob');
select throws_ok(
  $$ select api.accept_invitation(tests.vault('of a deleted'), '2026-03-18T10:04Z') $$, 'KT404', 'invitation_invalid', 'restoring the vault does not restore the token'
);

-- Limits.
select tests.as_user('acme', 'carol');
select tests.offer('again', '{}', '2026-03-20T08:00Z'::timestamptz + n * interval '1 minute'),
  api.cancel_transfer(tests.vault(), '2026-03-20T08:00:30Z'::timestamptz + n * interval '1 minute')
from generate_series(1, 10) as n \g /dev/null
select is(
  api.create_transfer(tests.vault(), '{"name": "X", "keep_access": false}', 'https://kith.example', '2026-03-20T09:00Z') ->> 'retry_after',
  (23 * 3600 + 60)::text, 'a vault is offered at most ten times a day, and the refusal says when the next offer is possible'
);
select is(
  (
    select string_agg(item ->> 'action', ', ' order by n desc)
    from json_array_elements(api.list_vault_history(tests.vault(), null, null, null, 200, null, '2026-03-20T09:00Z') -> 'items') with ordinality as items (item, n)
    where item ->> 'action' like 'transfer%' and (item ->> 'at')::timestamptz < '2026-03-20T00:00Z'
  ),
  'transfer.requested, transfer.cancelled, transfer.requested, transfer.requested, transfer.declined, transfer.requested, '
    || 'transfer.accepted, transfer.requested, transfer.accepted, transfer.requested',
  'every act is in the history'
);

-- Notifications about one vault after the other are limited.
select tests.as_superuser();
delete from kith.blocks;
update kith.users set email = 'carol@example.org', email_verified_at = '2026-01-05T08:00Z'
where tenant_id = tests.tenant('acme') and id = tests.id('carol');
delete from kith.notifications;
select tests.as_user('acme', 'mallory');
select api.create_transfer(
  (api.create_vault('{"name": "One more"}', '2026-05-01T08:00Z') ->> 'id')::uuid,
  '{"name": "Carol", "email": "carol@example.org", "keep_access": false}', 'https://kith.example', '2026-05-01T08:00Z'
)
from generate_series(1, 12) \g /dev/null
select tests.as_superuser();
select is(
  (select count(*) from kith.notifications where user_id = tests.id('carol')), 10::bigint, 'one person''s offers notify the same user at most ten times a day'
);

select * from finish();
rollback;
