-- Answering an invitation by its token (N06, N16, N19-N22, X30).
begin;
\ir people.sql

create temporary table house (name text primary key, id uuid);
create temporary table invited (name text primary key, nominee jsonb);
grant select, insert, update on house, invited to public;
create function tests.vault(p_name text default 'papers') returns uuid language sql stable return (select id from house where name = p_name);
create function tests.nominee(p_name text) returns uuid language sql stable return (select (nominee ->> 'id')::uuid from invited where name = p_name);
create function tests.token(p_name text) returns uuid
  language sql stable return (select (nominee #>> '{invitation,token}')::uuid from invited where name = p_name);
-- Alice invites; each token can be looked up by the given name.
create function tests.invite(p_given jsonb, p_at timestamptz, p_vault text default 'papers') returns void
  language plpgsql
as $$
begin
  perform tests.as_user('acme', 'alice');
  insert into invited
  select result #>> '{nominee,name}', result -> 'nominee'
  from jsonb_array_elements(api.invite_nominees(tests.vault(p_vault), jsonb_build_array(p_given), 'https://kith.example', p_at)::jsonb) as result;
end
$$;
create function tests.preview(p_name text, p_at timestamptz) returns jsonb
  language plpgsql
as $$
begin
  perform tests.as_role('kith_api');
  return api.preview_invitation(tests.token(p_name), p_at);
end
$$;

select plan(77);
select tests.as_user('acme', 'alice');
insert into house select 'papers', (api.create_vault('{"name": "Papers"}', '2026-03-10T08:00Z') ->> 'id')::uuid;
insert into house select 'careful', (api.create_vault('{"name": "Careful", "require_confirmation": true}', '2026-03-10T08:00Z') ->> 'id')::uuid;
select tests.invite('{"name": "Bob", "access_level": "edit"}', '2026-03-10T08:01Z');

-- Previewing.
select is(
  tests.preview('Bob', '2026-03-10T08:02Z'),
  jsonb_build_object(
    'kind', 'nominee', 'vault', '{"name": "Papers"}'::jsonb, 'inviter', '{"display_name": "Alice"}'::jsonb, 'access_level', 'edit',
    'state', 'pending', 'needs_confirmation', false, 'emergency', null, 'expires_at', '2026-03-17T08:01:00.000000Z', 'brand_name', 'PRUUF', 'app_link', null,
    'deep_link', 'khandoba://nominee/invite?token=' || tests.token('Bob') || '&vault=Papers&status=accepted',
    'card', '{"title": "🔐 Vault Invitation", "subtitle": "Papers", "state": "pending"}'::jsonb
  ),
  'a preview needs no sign-in and reveals no id and no contact'
);
select tests.as_role('kith_api');
select throws_ok(
  $$ select api.preview_invitation(gen_random_uuid(), '2026-03-10T08:02Z') $$, 'KT404', 'invitation_invalid', 'an unknown token is invalid'
);
select is(
  api.invitation_page(tests.token('Bob'), '2026-03-10T08:02Z')::jsonb - array(select jsonb_object_keys(tests.preview('Bob', '2026-03-10T08:02Z'))),
  jsonb_build_object('tenant_id', tests.tenant('acme'), 'slug', 'acme', 'default_region', null, 'brand_color', null, 'brand_mark', null, 'wording', null), 'the invitation page also gets the tenant and its brand'
);

-- Accepting.
select tests.as_user('globex', 'globex-bob');
select throws_ok(
  format('select api.%s_invitation(tests.token(''Bob''), ''2026-03-10T08:03Z'')', verb), 'KT404', 'invitation_invalid',
  format('a user of another tenant cannot %s', verb)
)
from unnest(array['accept', 'decline']) as verb;
select tests.as_role('kith_api');
select throws_ok($$ select api.accept_invitation(tests.token('Bob'), '2026-03-10T08:03Z') $$, 'KT401', 'unauthenticated', 'accepting requires a user');
select throws_ok($$ select api.decline_invitation(tests.token('Bob'), '2026-03-10T08:03Z') $$, 'KT401', 'unauthenticated', 'declining through the API requires a tenant');
select tests.as_user('acme', 'alice');
select throws_ok($$ select api.accept_invitation(tests.token('Bob'), '2026-03-10T08:03Z') $$, 'KT409', 'conflict', 'the owner cannot accept');
select throws_ok($$ select api.decline_invitation(tests.token('Bob'), '2026-03-10T08:03Z') $$, 'KT409', 'conflict', 'the owner cannot decline');
select tests.as_superuser();
delete from kith.notifications;
select tests.as_user('acme', 'bob');
create temporary table answers as select api.accept_invitation(tests.token('Bob'), '2026-03-10T08:03Z')::jsonb as answer;
select is(
  answer - 'id',
  (select nominee - 'id' - 'invitation' from invited where name = 'Bob') || jsonb_build_object(
    'kind', 'nominee', 'state', 'accepted',
    'card', '{"title": "✅ Vault Access Accepted", "subtitle": "Papers", "state": "accepted"}'::jsonb,
    'user', jsonb_build_object('id', tests.id('bob'), 'display_name', 'Bob'),
    'status', 'accepted', 'user_id', tests.id('bob'), 'accepted_at', '2026-03-10T08:03:00.000000Z',
    'invitation_expires_at', null,
    'vault', jsonb_build_object('id', tests.vault(), 'name', 'Papers', 'owner', jsonb_build_object('id', tests.id('alice'), 'display_name', 'Alice'))
  ),
  'the user who accepts becomes the nominee and learns the vault''s owner'
)
from answers;
select is(api.accept_invitation(tests.token('Bob'), '2026-03-10T08:04Z')::jsonb, answer, 'accepting again answers the same') from answers;
select tests.as_superuser();
select is(
  (select string_agg(user_id || ' ' || title || ': ' || body || ' ' || (data ->> 'user_id'), ';') from tests.notifications),
  format('%s Invitation Accepted: Bob accepted your invitation to Papers. %s', tests.id('alice'), tests.id('bob')), 'the owner is told once who accepted'
);
select is(
  (select string_agg(action || ' ' || coalesce(actor_id::text, 'nobody'), ';') from kith.history where subject_id = tests.nominee('Bob') and action <> 'nominee.invited'),
  'nominee.accepted ' || tests.id('bob'), 'the history records the acceptance once'
);
select is(
  tests.preview('Bob', '2026-03-10T08:05Z') - array['kind', 'state', 'card', 'needs_confirmation', 'expires_at', 'brand_name', 'app_link', 'deep_link'],
  '{"vault": {"name": null}, "inviter": {"display_name": "Someone"}, "access_level": null, "emergency": null}', 'an answered invitation has its state and card, and neither names nor terms'
);
select is(
  tests.preview('Bob', '2026-03-10T08:05Z') -> 'card', '{"title": "✅ Vault Access Accepted", "subtitle": null, "state": "accepted"}',
  'the card shows the acceptance, and to nobody who has the link the vault''s name'
);
select is(
  tests.preview('Bob', '2026-03-10T08:05Z') ->> 'deep_link', 'khandoba://nominee/invite?token=' || tests.token('Bob') || '&vault=&status=accepted',
  'nor does the link to the app have it'
);
select tests.as_user('acme', 'carol');
select throws_ok($$ select api.accept_invitation(tests.token('Bob'), '2026-03-10T08:05Z') $$, 'KT409', 'invitation_used', 'another user cannot use the token again');
select throws_ok($$ select api.decline_invitation(tests.token('Bob'), '2026-03-10T08:05Z') $$, 'KT409', 'invitation_used', 'another user cannot decline with a used token');
select tests.invite('{"name": "Bob again"}', '2026-03-10T08:06Z');
select tests.as_user('acme', 'bob');
select throws_ok($$ select api.accept_invitation(tests.token('Bob again'), '2026-03-10T08:07Z') $$, 'KT409', 'conflict', 'a user cannot be a nominee of the vault twice');
select tests.as_user('acme', 'alice');
select api.revoke_nominee(tests.vault(), tests.nominee('Bob'), '2026-03-10T08:08Z') \g /dev/null
select is(tests.preview('Bob', '2026-03-10T08:09Z') ->> 'state', 'revoked', 'the card shows when the access has ended');
select tests.as_user('acme', 'bob');
select throws_ok($$ select api.accept_invitation(tests.token('Bob'), '2026-03-10T08:09Z') $$, 'KT404', 'invitation_invalid', 'the old token does not restore access');
select is(api.accept_invitation(tests.token('Bob again'), '2026-03-10T08:09Z') ->> 'status', 'accepted', 'a new token restores access');

-- Declining.
select tests.invite('{"name": "Dora"}', '2026-03-10T08:10Z');
select tests.as_superuser();
delete from kith.notifications;
select tests.as_user('acme', 'carol');
select is(
  api.decline_invitation(tests.token('Dora'), '2026-03-10T08:11Z') -> 'card' ->> 'title', '❌ Vault Invitation Declined', 'an invitation can be declined'
);
select is(api.decline_invitation(tests.token('Dora'), '2026-03-10T08:12Z') ->> 'state', 'declined', 'declining again changes nothing');
select throws_ok($$ select api.accept_invitation(tests.token('Dora'), '2026-03-10T08:12Z') $$, 'KT409', 'invitation_used', 'a declined invitation cannot be accepted');
select tests.as_superuser();
select is(
  (select string_agg(body || ' ' || (data ? 'user_id'), ';') from tests.notifications), 'Dora declined your invitation to Papers. false', 'the owner is told of the decline, but not which user declined'
);
select is(
  (select string_agg(status || ' ' || revoke_reason || ' ' || coalesce(user_id::text, 'nobody'), ';') from kith.nominees where id = tests.nominee('Dora')),
  'revoked declined nobody', 'declining binds no user'
);
select is(
  (select coalesce(actor_id::text, 'nobody') from kith.history where subject_id = tests.nominee('Dora') and action = 'nominee.declined'), 'nobody',
  'the history does not name the user who declined'
);
select tests.invite('{"name": "Emma"}', '2026-03-10T08:13Z');
select tests.as_server('acme');
select is(api.decline_invitation(tests.token('Emma'), '2026-03-10T08:14Z') ->> 'state', 'declined', 'on the invitation page the token alone suffices to decline');

-- Expiry.
select tests.invite('{"name": "Late"}', '2026-03-10T08:15Z');
select is(tests.preview('Late', '2026-03-17T08:14:59Z') ->> 'state', 'pending', 'an invitation is valid for seven days');
select is(tests.preview('Late', '2026-03-17T08:15Z') ->> 'state', 'expired', 'an invitation expires on the second');
select tests.as_user('acme', 'carol');
select throws_ok(
  format('select api.%s_invitation(tests.token(''Late''), ''2026-03-17T08:15Z'')', verb), 'KT410', 'invitation_expired', format('nobody can %s an expired invitation', verb)
)
from unnest(array['accept', 'decline']) as verb;
select tests.as_superuser();
update kith.tenants set invitation_days = 1 where slug = 'acme';
select tests.invite('{"name": "Short"}', '2026-03-17T09:00Z');
select is((select nominee #>> '{invitation,expires_at}' from invited where name = 'Short'), '2026-03-18T09:00:00.000000Z', 'a tenant can set how long invitations are valid');

-- Revoked invitations.
select tests.as_user('acme', 'alice');
select api.revoke_nominee(tests.vault(), tests.nominee('Short'), '2026-03-17T09:01Z') \g /dev/null
select is(tests.preview('Short', '2026-03-17T09:02Z') -> 'card' ->> 'title', '🚫 Vault Access Revoked', 'the card of a revoked invitation says so');
select is(
  tests.preview('Short', '2026-03-17T09:02Z') - array['kind', 'expires_at', 'brand_name', 'app_link', 'needs_confirmation', 'emergency', 'access_level'],
  jsonb_build_object(
    'vault', '{"name": null}'::jsonb, 'inviter', '{"display_name": "Someone"}'::jsonb, 'state', 'revoked',
    'deep_link', 'khandoba://nominee/invite?token=' || tests.token('Short') || '&vault=&status=accepted',
    'card', '{"title": "🚫 Vault Access Revoked", "subtitle": null, "state": "revoked"}'::jsonb
  ),
  'a revoked invitation does not reveal the vault''s current name'
);
select is(tests.preview('Late', '2026-03-17T09:02Z') #> '{vault,name}', 'null', 'an expired invitation does not reveal the vault''s current name');
select tests.as_user('acme', 'carol');
select throws_ok($$ select api.accept_invitation(tests.token('Short'), '2026-03-17T09:02Z') $$, 'KT404', 'invitation_invalid', 'a revoked invitation cannot be accepted');
select tests.invite('{"name": "Gone"}', '2026-03-17T10:00Z');
select api.delete_vault(tests.vault(), '2026-03-17T10:01Z') \g /dev/null
select is(tests.preview('Gone', '2026-03-17T10:02Z') ->> 'state', 'revoked', 'deleting the vault revokes its tokens');
select tests.as_user('acme', 'carol');
select throws_ok($$ select api.accept_invitation(tests.token('Gone'), '2026-03-17T10:02Z') $$, 'KT404', 'invitation_invalid', 'a deleted vault''s invitation cannot be accepted');
select tests.as_user('acme', 'alice');
select api.restore_vault(tests.vault(), '2026-03-17T10:03Z') \g /dev/null
select tests.as_user('acme', 'carol');
select throws_ok($$ select api.accept_invitation(tests.token('Gone'), '2026-03-17T10:04Z') $$, 'KT404', 'invitation_invalid', 'restoring the vault does not restore its tokens');
select tests.as_user('acme', 'alice');
update invited set nominee = api.resend_nominee_invitation(tests.vault(), tests.nominee('Gone'), null, 'https://kith.example', '2026-03-17T10:05Z')
where name = 'Gone';
select tests.as_user('acme', 'carol');
select is(api.accept_invitation(tests.token('Gone'), '2026-03-17T10:06Z') ->> 'status', 'accepted', 'after restoring the vault the nominee can be sent a new token');

-- The owner's confirmation.
select tests.invite('{"name": "Bob careful"}', '2026-03-17T11:00Z', 'careful');
select tests.as_superuser();
delete from kith.notifications;
select tests.as_user('acme', 'bob');
select is(
  api.accept_invitation(tests.token('Bob careful'), '2026-03-17T11:01Z')::jsonb @> '{"status": "pending", "needs_confirmation": true, "accepted_at": null}',
  true, 'if the vault requires confirmation, accepting waits for the owner'
);
select is(
  api.accept_invitation(tests.token('Bob careful'), '2026-03-17T11:02Z') ->> 'needs_confirmation', 'true', 'accepting again answers the same'
);
select throws_ok($$ select api.list_nominees(tests.vault('careful'), null, null, 50, null, '2026-03-17T11:02Z') $$, 'KT403', 'nominee_pending', 'an unconfirmed nominee has no access');
select is(
  tests.preview('Bob careful', '2026-03-17T11:02Z') @> '{"state": "accepted", "needs_confirmation": true}', true, 'the preview shows that confirmation is needed'
);
select tests.as_user('acme', 'carol');
select throws_ok($$ select api.accept_invitation(tests.token('Bob careful'), '2026-03-17T11:02Z') $$, 'KT409', 'invitation_used', 'the token is used for anybody else');
select tests.as_superuser();
select is((select string_agg(type || ' ' || (data ->> 'needs_confirmation'), ';') from kith.notifications), 'nominee_accepted true', 'the owner is told that they must confirm');
select tests.as_user('acme', 'alice');
select throws_ok(
  $$ select api.resend_nominee_invitation(tests.vault('careful'), tests.nominee('Bob careful'), null, 'x', '2026-03-17T11:03Z') $$, 'KT409',
  'invalid_transition', 'an unconfirmed nominee cannot be sent a new invitation'
);
select is(api.confirm_nominee(tests.vault('careful'), tests.nominee('Bob careful'), '2026-03-17T11:04Z') ->> 'status', 'accepted', 'the owner confirms the nominee');
select is(
  api.confirm_nominee(tests.vault('careful'), tests.nominee('Bob careful'), '2026-03-17T11:05Z') ->> 'accepted_at', '2026-03-17T11:04:00.000000Z',
  'confirming twice is refused'
);
select tests.as_user('acme', 'bob');
select is(api.get_vault(tests.vault('careful'), '2026-03-17T11:06Z') ->> 'status', 'accepted', 'a confirmed nominee has access');
select tests.invite('{"name": "Unanswered"}', '2026-03-17T11:07Z', 'careful');
select throws_ok(
  $$ select api.confirm_nominee(tests.vault('careful'), tests.nominee('Unanswered'), '2026-03-17T11:08Z') $$, 'KT409', 'invalid_transition',
  'a nominee who has not accepted cannot be confirmed'
);

-- A named contact. Carol's number is verified; Mallory's is only stated.
select tests.as_superuser();
update kith.users set phone = '+4915100000003', phone_verified_at = '2026-01-05T08:00Z' where tenant_id = tests.tenant('acme') and id = tests.id('carol');
update kith.users set phone = '+4915100000004', email = 'Mallory@Example.org' where tenant_id = tests.tenant('acme') and id = tests.id('mallory');
-- The status of a nominee who accepts although a contact was named, each in a vault of its own.
create function tests.stands(p_person text, p_contact jsonb) returns text
  language plpgsql
as $$
declare
  v_invited jsonb;
begin
  perform tests.as_user('acme', 'alice');
  v_invited := api.invite_nominees(
    (api.create_vault('{"name": "Another"}', '2026-03-17T12:00Z') ->> 'id')::uuid, jsonb_build_array(p_contact || '{"name": "Somebody"}'),
    'https://kith.example', '2026-03-17T12:00Z'
  );
  perform tests.as_user('acme', p_person);
  return api.accept_invitation((v_invited #>> '{0,nominee,invitation,token}')::uuid, '2026-03-17T12:01Z') ->> 'status';
end
$$;
select is(tests.stands(person, contact::jsonb), stands, format('%s, where %s was named, is %s', person, contact, stands))
from (values
  ('carol', '{}', 'accepted'),
  ('carol', '{"phone": "+4915100000003"}', 'accepted'),
  ('carol', '{"phone": "+4915100000003", "email": "x@example.org"}', 'accepted'),
  ('carol', '{"phone": "+4915199999999"}', 'pending'),
  ('carol', '{"email": "carol@example.org"}', 'pending'),
  ('mallory', '{"phone": "+4915100000004"}', 'pending'),
  ('mallory', '{"email": "mallory@example.ORG"}', 'pending')
) as named (person, contact, stands);

-- A token does not circumvent a block.
select tests.invite('{"name": "Blocked"}', '2026-03-17T12:30Z');
select tests.as_superuser();
insert into kith.blocks values (tests.tenant('acme'), tests.id('alice'), tests.id('mallory'), '2026-03-17T12:31Z');
select tests.as_user('acme', 'mallory');
select throws_ok($$ select api.accept_invitation(tests.token('Blocked'), '2026-03-17T12:32Z') $$, 'KT404', 'invitation_invalid', 'a blocked user''s token is invalid');
select is(tests.preview('Blocked', '2026-03-17T12:33Z') ->> 'state', 'pending', 'the token stays valid for others');

-- The offer of a vault is previewed in the same way.
select tests.as_superuser();
create temporary table offers as
select status, gen_random_uuid() as token from unnest(array['pending', 'accepted', 'declined', 'cancelled', 'vault_deleted']) as status;
grant select on offers to public;
insert into kith.transfers (
  tenant_id, id, vault_id, owner_id, name, phone, keep_access, status, created_at, expires_at, ended_at, accepted_by
)
select tests.tenant('acme'), token, tests.vault(), tests.id('alice'), 'Carol', '+4915100000003', true, status, '2026-03-17T12:00Z',
  '2026-03-24T12:00Z', case when status <> 'pending' then '2026-03-17T13:00Z'::timestamptz end, case when status = 'accepted' then tests.id('carol') end
from offers;
insert into kith.transfer_invitations (tenant_id, id, transfer_id, owner_id, token_hash, channel, created_at)
select tests.tenant('acme'), token, token, tests.id('alice'), internal.invitation_token_hash(token), 'link', '2026-03-17T12:00Z' from offers;
select tests.as_role('kith_api');
select is(
  api.preview_invitation(token, '2026-03-17T14:00Z')::jsonb - array['brand_name', 'app_link', 'deep_link'],
  jsonb_build_object(
    'kind', 'transfer', 'vault', '{"name": "Papers"}'::jsonb, 'inviter', '{"display_name": "Alice"}'::jsonb, 'access_level', 'full', 'state', 'pending',
    'needs_confirmation', false, 'emergency', null, 'expires_at', '2026-03-24T12:00:00.000000Z',
    'card', '{"title": "🔐 Vault Transfer", "subtitle": "Papers", "state": "pending"}'::jsonb
  ),
  'the offer of a vault has a preview'
)
from offers where status = 'pending';
select is(
  api.preview_invitation(token, '2026-03-17T14:00Z') -> 'card' ->> 'title', title, format('the offer of a vault has a card when it is %s', status)
)
from (values
  ('accepted', '✅ Vault Transfer Accepted'), ('declined', '❌ Vault Transfer Declined'), ('cancelled', '🚫 Vault Transfer Cancelled'),
  ('vault_deleted', '🚫 Vault Transfer Cancelled')
) as cards (status, title)
join offers using (status);
select is(api.preview_invitation(token, '2026-03-24T12:00Z') ->> 'state', 'expired', 'an expired offer says so in its preview') from offers where status = 'pending';

-- A token that is no longer valid names neither the inviter nor the vault's current owner.
select tests.invite('{"name": "Too late"}', '2026-03-17T12:40Z');
select tests.as_superuser();
savepoint another_owner;
update kith.vaults set owner_id = tests.id('carol') where tenant_id = tests.tenant('acme') and id = tests.vault();
select is(
  tests.preview('Too late', '2026-04-30T12:00Z')::jsonb #- '{card}' -> 'inviter' ->> 'display_name', 'Someone', 'an expired invitation names nobody, and no new owner'
);
select tests.as_superuser();
rollback to savepoint another_owner;

-- A nominee who may invite cannot use their own invitation to get back in.
select tests.as_superuser();
create function tests.enter(p_person text, p_token uuid, p_at timestamptz) returns text
  language plpgsql
as $$
begin
  perform tests.as_user('acme', p_person);
  return api.accept_invitation(p_token, p_at) ->> 'status';
end
$$;
create function tests.invite_as(p_person text, p_name text, p_level text, p_at timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.as_user('acme', p_person);
  insert into invited
  select p_name, result -> 'nominee'
  from jsonb_array_elements(api.invite_nominees(
    tests.vault('handed on'), jsonb_build_array(jsonb_build_object('name', p_name, 'access_level', p_level)), 'https://kith.example', p_at
  )::jsonb) as result;
end
$$;
select tests.as_user('acme', 'alice');
insert into house select 'handed on', (api.create_vault('{"name": "Handed on"}', '2026-03-18T08:00Z') ->> 'id')::uuid;
select api.open_vault(tests.vault('handed on'), '2026-03-18T08:00Z') \g /dev/null
select tests.invite_as('alice', 'Bob in full', 'full', '2026-03-18T08:00Z');
select is(tests.enter('bob', tests.token('Bob in full'), '2026-03-18T08:01Z'), 'active', 'a nominee with level full is active');
select tests.invite_as('bob', 'Bob''s guest', 'edit', '2026-03-18T08:02Z');
select tests.invite_as('bob', 'Bob''s way back', 'edit', '2026-03-18T08:03Z');
select tests.invite_as('alice', 'Alice''s way back', 'full', '2026-03-18T08:03Z');
select is(tests.enter('carol', tests.token('Bob''s guest'), '2026-03-18T08:04Z'), 'active', 'a nominee with level full can let others in');
select tests.as_user('acme', 'alice');
select api.revoke_nominee(tests.vault('handed on'), tests.nominee('Bob in full'), '2026-03-18T08:05Z') \g /dev/null
select is(
  tests.enter('bob', tests.token('Bob''s way back'), '2026-03-18T08:06Z'), 'pending', 'a revoked nominee who accepts their own invitation waits for the owner'
);
select throws_ok(
  $$ select api.open_vault(tests.vault('handed on'), '2026-03-18T08:07Z') $$, 'KT403', 'nominee_pending', 'the revoked nominee has no access meanwhile'
);
select tests.as_superuser();
delete from kith.blocks;
update kith.vaults set owner_id = tests.id('mallory') where id = tests.vault('handed on');
update kith.nominees set owner_id = tests.id('mallory') where vault_id = tests.vault('handed on');
update kith.nominee_invitations set owner_id = tests.id('mallory') where vault_id = tests.vault('handed on');
select is(
  tests.enter('alice', tests.token('Alice''s way back'), '2026-03-18T08:08Z'), 'pending', 'a former owner who accepts their own invitation waits for the new owner'
);
select tests.as_superuser();
update kith.nominees
set user_id = null, needs_confirmation = false
where id = tests.nominee('Alice''s way back');
update kith.nominee_invitations set ended_at = null, end_reason = null where nominee_id = tests.nominee('Alice''s way back');
select tests.as_user('acme', 'mallory');
select is(
  api.resend_nominee_invitation(tests.vault('handed on'), tests.nominee('Alice''s way back'), null, 'https://kith.example', '2026-03-18T08:09Z')
    ->> 'invited_by_user_id',
  tests.id('mallory')::text, 'resending an invitation makes the sender its inviter'
);
select is(
  tests.enter(
    'alice',
    (
      select (api.resend_nominee_invitation(
        tests.vault('handed on'), tests.nominee('Alice''s way back'), null, 'https://kith.example', '2026-03-18T08:10Z'
      ) #>> '{invitation,token}')::uuid
    ),
    '2026-03-18T08:11Z'
  ),
  'active', 'an invitation resent by the new owner gives access'
);

-- A suspended tenant shows nothing.
select tests.as_superuser();
update kith.tenants set status = 'suspended' where slug = 'acme';
select tests.as_role('kith_api');
select throws_ok($$ select tests.preview('Gone', '2026-03-17T15:00Z') $$, 'KT403', 'tenant_suspended', 'the invitations of a suspended tenant cannot be previewed');

select * from finish();
rollback;
