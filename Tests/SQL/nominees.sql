-- The people an owner trusts with a vault (N01-N05, N12-N17, V10, V11).
begin;
\ir people.sql

create temporary table house (name text primary key, id uuid);
create temporary table invited (name text primary key, nominee jsonb);
grant select, insert, update on house, invited to public;
create function tests.vault(p_name text default 'papers') returns uuid language sql stable return (select id from house where name = p_name);
create function tests.nominee(p_name text) returns uuid language sql stable return (select (nominee ->> 'id')::uuid from invited where name = p_name);
create function tests.token(p_name text) returns uuid
  language sql stable return (select (nominee #>> '{invitation,token}')::uuid from invited where name = p_name);
-- Invites as the requesting user; the results.
create function tests.invite(p_given jsonb, p_at timestamptz, p_vault text default 'papers') returns jsonb
  language plpgsql
as $$
declare
  v_results jsonb := api.invite_nominees(tests.vault(p_vault), p_given, 'https://kith.example/', p_at);
  v_result jsonb;
begin
  for v_result in select value from jsonb_array_elements(v_results) loop
    if v_result ? 'nominee' then
      insert into invited values (v_result #>> '{nominee,name}', v_result -> 'nominee')
      on conflict (name) do update set nominee = excluded.nominee;
    end if;
  end loop;
  return v_results;
end
$$;
-- A call's refusal, or null.
create function tests.refusal(p_statement text) returns text
  language plpgsql
as $$
begin
  execute p_statement;
  return null;
exception when others then
  return sqlerrm;
end
$$;

select plan(89);
select tests.as_user('acme', 'alice');
insert into house select 'papers', (api.create_vault('{"name": "Papers & \"Co\" 🗝"}', '2026-03-10T08:00Z') ->> 'id')::uuid;
insert into house select 'other', (api.create_vault('{"name": "Other"}', '2026-03-10T08:00Z') ->> 'id')::uuid;
select tests.as_superuser();
update kith.users set phone = '+4915100000002', phone_verified_at = '2026-01-05T08:00Z', email = 'Bob@Example.org'
where tenant_id = tests.tenant('acme') and id = tests.id('bob');

-- Inviting.
select tests.as_user('acme', 'alice');
select is(
  tests.invite(
    '[{"name": "Bob", "phone": "+4915100000002", "access_level": "edit", "channel": "messages"}, {"name": "Dave"},
      {"name": "Erin", "phone_problem": "too_short"}, {"name": "Frank", "email": "frank@example.org", "access_level": "full"}]',
    '2026-03-10T08:01Z'
  ) #>> '{2}',
  '{"detail": "[{\"field\": \"phone\", \"message\": \"This number is too short.\"}]", "message": "validation_failed", "sqlstate": "KT422", "constraint": null, "retry_after": null}',
  'an invalid nominee does not stop the others'
);
select is((select count(*) from invited), 3::bigint, 'all the others are invited');
select is(
  (select nominee - 'id' - 'invitation' from invited where name = 'Bob'),
  jsonb_build_object(
    'state', 'pending', 'card', (select nominee #> '{invitation,card}' from invited where name = 'Bob'), 'name', 'Bob', 'phone', '+4915100000002', 'email', null, 'user_id', null, 'status', 'pending', 'access_level', 'edit',
    'needs_confirmation', false, 'invited_at', '2026-03-10T08:01:00.000000Z', 'invited_by_user_id', tests.id('alice'),
    'invited_by', jsonb_build_object('id', tests.id('alice'), 'display_name', 'Alice'), 'user', null, 'unread_count', 0, 'accepted_at', null,
    'is_currently_active', false, 'current_session_id', null, 'last_active_at', null, 'share_record_id', null, 'share_participant_id', null,
    'revoke_reason', null, 'invitation_expires_at', '2026-03-17T08:01:00.000000Z', 'invitation_outcome', null, 'emergency', null
  ),
  'a nominee begins as pending, without a user'
);
select is((select nominee ->> 'access_level' from invited where name = 'Dave'), 'view', 'a name alone suffices, with the lowest level');
select is(
  (select nominee -> 'invitation' from invited where name = 'Bob'),
  jsonb_build_object(
    'token', tests.token('Bob'), 'url', 'https://kith.example/i/' || tests.token('Bob'),
    'deep_link',
      'khandoba://nominee/invite?token=' || tests.token('Bob') || '&vault=Papers%20%26%20%22Co%22%20%F0%9F%97%9D&status=accepted',
    'message', 'Alice invites you to the vault "Papers & "Co" 🗝" on PRUUF. Open the invitation: https://kith.example/i/' || tests.token('Bob'),
    'card', '{"title": "🔐 Vault Invitation", "subtitle": "Papers & \"Co\" 🗝", "state": "pending"}'::jsonb,
    'expires_at', '2026-03-17T08:01:00.000000Z'
  ),
  'the invitation has a token, links, a message and a card'
);
select tests.as_superuser();
select is(
  (select string_agg(channel || ' ' || (token_hash = sha256(convert_to(tests.token('Bob')::text, 'UTF8'))), ';') from kith.nominee_invitations where nominee_id = tests.nominee('Bob')),
  'messages true', 'only the token''s hash is stored'
);
select is(
  (select string_agg(title || ': ' || body || ' ' || (data ->> 'nominee_id' = tests.nominee('Bob')::text), ';') from tests.notifications where user_id = tests.id('bob')),
  'Vault Invitation: Alice invites you to “Papers & ''Co'' 🗝”. true', 'a user with the named verified contact is notified'
);
select is((select count(*) from kith.notifications where type = 'nominee_invited'), 1::bigint, 'nobody else is notified');
select is(
  (select string_agg(action || ' ' || detail, '; ' order by id) from kith.history where vault_id = tests.vault() and subject_id = tests.nominee('Bob')),
  'nominee.invited {"channel": "messages", "access_level": "edit"}', 'the history records the invitation'
);
insert into kith.blocks values (tests.tenant('acme'), tests.id('bob'), tests.id('alice'), '2026-03-10T08:02Z');
delete from kith.notifications;
update kith.tenants set universal_link_host = 'links.acme.example', link_scheme = 'acme', brand_name = 'Acme' where slug = 'acme';
select tests.as_user('acme', 'alice');
select tests.invite('[{"name": "Blocked", "phone": "+4915100000002"}]', '2026-03-10T08:02Z') \g /dev/null
select is(
  (select nominee #>> '{invitation,url}' from invited where name = 'Blocked'),
  'https://links.acme.example/i/' || tests.token('Blocked'), 'links use the tenant''s own host if it has one'
);
select alike((select nominee #>> '{invitation,deep_link}' from invited where name = 'Blocked'), 'acme://nominee/invite?token=%', 'deep links use the tenant''s scheme');
select tests.as_superuser();
select is((select count(*) from kith.notifications), 0::bigint, 'a user who has blocked the owner is not notified (X22)');
delete from kith.blocks;
update kith.users set email_verified_at = '2026-01-05T08:00Z' where tenant_id = tests.tenant('acme') and id = tests.id('bob');
select tests.as_user('acme', 'alice');
select tests.invite('[{"name": "Mail", "email": "bob@example.ORG"}]', '2026-03-10T08:03Z') \g /dev/null
select tests.as_superuser();
select is((select count(*) from kith.notifications where user_id = tests.id('bob')), 1::bigint, 'an e-mail address matches in any case');

-- Management. Bob accepts with level edit; Carol becomes a nominee with level full.
select tests.as_user('acme', 'bob');
select is(api.accept_invitation(tests.token('Bob'), '2026-03-10T08:04Z') ->> 'status', 'accepted', 'Bob accepts');
select tests.as_user('acme', 'alice');
select tests.invite('[{"name": "Carol", "access_level": "full"}]', '2026-03-10T08:05Z') \g /dev/null
select tests.as_user('acme', 'carol');
select api.accept_invitation(tests.token('Carol'), '2026-03-10T08:06Z') \g /dev/null

select is(
  jsonb_path_query_array(api.list_nominees(tests.vault(), null, null, 50, null, '2026-03-10T08:07Z')::jsonb, '$.items[*].name'), '["Carol"]',
  'while the vault is locked, a nominee with level full sees only themselves'
);
select is(
  tests.refusal($$ select tests.invite('[{"name": "X"}]', '2026-03-10T08:07Z') $$), 'vault_locked', 'while the vault is locked, a nominee with level full cannot invite'
);
select tests.as_user('acme', 'alice');
select api.open_vault(tests.vault(), '2026-03-10T08:08Z') \g /dev/null
create temporary table listed as select api.list_nominees(tests.vault(), null, '{history}', 50, null, '2026-03-10T08:09Z')::jsonb as page;
select is(page -> 'owner', jsonb_build_object('id', tests.id('alice'), 'display_name', 'Alice'), 'the list contains the owner') from listed;
select is(
  (select string_agg((item ->> 'name') || ' ' || (item ->> 'status'), ', ' order by n) from listed, jsonb_array_elements(page -> 'items') with ordinality as items (item, n)),
  'Bob active, Dave pending, Frank pending, Blocked pending, Mail pending, Carol active', 'the list has every nominee with the current status'
);
select is(
  (
    select bool_and((item ->> 'is_currently_active')::boolean = (item ->> 'status' = 'active')
      and (item ->> 'current_session_id' is not null) = (item ->> 'status' = 'active'))
    from listed, jsonb_array_elements(page -> 'items') as items (item)
  ),
  true, 'exactly the active nominees are in the session'
);
select is(page #>> '{history,0,action}', 'vault.opened', 'the owner sees the latest history entry') from listed;
select is(jsonb_array_length(page -> 'history') > 5, true, 'the owner sees earlier history entries') from listed;
select is(api.list_nominees(tests.vault(), null, null, 50, null, '2026-03-10T08:09Z') ->> 'history', null, 'the owner who does not ask for the history gets none');
select is(
  jsonb_path_query_array(api.list_nominees(tests.vault(), array[p_status], null, 50, null, '2026-03-10T08:09Z')::jsonb, '$.items[*].name'), names::jsonb,
  format('the list can be filtered by status %s', p_status)
)
from (values ('active', '["Bob", "Carol"]'), ('accepted', '[]'), ('pending', '["Dave", "Frank", "Blocked", "Mail"]'), ('revoked', '[]')) as filters (p_status, names);
select is(
  jsonb_path_query_array(api.list_nominees(tests.vault(), '{accepted}', null, 50, null, '2026-03-10T09:00Z')::jsonb, '$.items[*].name'), '["Bob", "Carol"]',
  'nobody is active once the session has expired, even if nobody has locked it'
);
create temporary table paged as select api.list_nominees(tests.vault(), null, null, 4, null, '2026-03-10T08:09Z')::jsonb as page;
select is(jsonb_array_length(page -> 'items'), 4, 'a page has as many nominees as requested') from paged;
select is(
  (
    select next -> 'items' -> 0 ->> 'name' || ' ' || (next ->> 'next_cursor' is null) || ' ' || (next ->> 'history' is null)
    from paged, lateral api.list_nominees(tests.vault(), null, '{history}', 4, (page ->> 'next_cursor')::uuid, '2026-03-10T08:09Z') as next
  ),
  'Mail true true', 'the next page has the rest, without the history'
);

select tests.as_user('acme', 'bob');
select is(
  (
    select jsonb_build_object('names', jsonb_path_query_array(page, '$.items[*].name'), 'phone', page #> '{items,0,phone}', 'history', page -> 'history')
    from (select api.list_nominees(tests.vault(), null, '{history}', 50, null, '2026-03-10T08:09Z')::jsonb as page) as own
  ),
  '{"names": ["Bob"], "phone": null, "history": null}', 'a nominee sees only themselves, without the owner''s notes'
);
select is(api.get_nominee(tests.vault(), tests.nominee('Bob'), '2026-03-10T08:09Z') ->> 'status', 'active', 'a nominee can read their own row');
select throws_ok($$ select api.get_nominee(tests.vault(), tests.nominee('Dave'), '2026-03-10T08:09Z') $$, 'KT404', 'not_found', 'a nominee cannot read another nominee');
select throws_ok($$ select tests.invite('[{"name": "X"}]', '2026-03-10T08:09Z') $$, 'KT403', 'forbidden', 'a nominee with level edit cannot invite');
select throws_ok($$ select api.revoke_nominee(tests.vault(), tests.nominee('Dave'), '2026-03-10T08:09Z') $$, 'KT403', 'forbidden', 'a nominee with level edit cannot revoke');
select throws_ok(
  $$ select api.update_nominee(tests.vault(), tests.nominee('Bob'), '{"access_level": "full"}', '2026-03-10T08:09Z') $$, 'KT403', 'forbidden',
  'a nominee cannot raise their own level'
);

select tests.as_user('acme', 'carol');
select is(
  jsonb_array_length(api.list_nominees(tests.vault(), null, null, 50, null, '2026-03-10T08:09Z')::jsonb -> 'items'), 6,
  'while the vault is open, a nominee with level full sees every nominee'
);
select is(
  api.get_nominee(tests.vault(), tests.nominee('Bob'), '2026-03-10T08:09Z') ->> 'phone', '+4915100000002', 'a nominee with level full sees the contacts of others'
);
select is(api.list_nominees(tests.vault(), null, '{history}', 50, null, '2026-03-10T08:09Z') ->> 'history', null, 'a nominee with level full does not see the history');
select is(tests.invite('[{"name": "Gina", "access_level": "edit"}]', '2026-03-10T08:10Z') #>> '{0,nominee,invited_by_user_id}', tests.id('carol')::text, 'a nominee with level full can invite');
select alike((select nominee #>> '{invitation,message}' from invited where name = 'Gina'), 'Alice invites you to %', 'the invitation is in the owner''s name');
select is(
  api.preview_invitation((select (nominee #>> '{invitation,token}')::uuid from invited where name = 'Gina'), '2026-03-10T08:10Z') #>> '{inviter,display_name}',
  'Alice', 'the preview of that invitation shows the owner'
);
select is(tests.invite('[{"name": "Hugo", "access_level": "full"}]', '2026-03-10T08:10Z') #>> '{0,message}', 'forbidden', 'a nominee with level full cannot give level full');
select lives_ok($$ select api.revoke_nominee(tests.vault(), tests.nominee('Gina'), '2026-03-10T08:11Z') $$, 'a nominee with level full can revoke');
select throws_ok($$ select api.revoke_nominee(tests.vault(), tests.nominee('Frank'), '2026-03-10T08:11Z') $$, 'KT403', 'forbidden', 'a nominee with level full cannot revoke another with level full');
select throws_ok(
  $$ select api.update_nominee(tests.vault(), tests.nominee('Bob'), '{"access_level": "view"}', '2026-03-10T08:11Z') $$, 'KT403', 'forbidden',
  'only the owner can change levels'
);
select throws_ok($$ select api.confirm_nominee(tests.vault(), tests.nominee('Bob'), '2026-03-10T08:11Z') $$, 'KT403', 'forbidden', 'only the owner can confirm');

-- Strangers.
select tests.as_user('globex', 'globex-alice');
select is(tests.refusal(statement), 'not_found', 'another tenant finds nothing:' || statement)
from unnest(array[
  $$ select api.list_nominees(tests.vault(), null, null, 50, null, '2026-03-10T08:11Z') $$,
  $$ select api.get_nominee(tests.vault(), tests.nominee('Bob'), '2026-03-10T08:11Z') $$,
  $$ select tests.invite('[{"name": "X"}]', '2026-03-10T08:11Z') $$,
  $$ select api.update_nominee(tests.vault(), tests.nominee('Bob'), '{}', '2026-03-10T08:11Z') $$,
  $$ select api.revoke_nominee(tests.vault(), tests.nominee('Bob'), '2026-03-10T08:11Z') $$,
  $$ select api.resend_nominee_invitation(tests.vault(), tests.nominee('Dave'), null, 'x', '2026-03-10T08:11Z') $$,
  $$ select api.confirm_nominee(tests.vault(), tests.nominee('Dave'), '2026-03-10T08:11Z') $$,
  $$ select api.report_nominee_invitation(tests.vault(), tests.nominee('Dave'), 'sent', '2026-03-10T08:11Z') $$
]) as statement;
select tests.as_user('acme', 'mallory');
select throws_ok($$ select api.list_nominees(tests.vault(), null, null, 50, null, '2026-03-10T08:11Z') $$, 'KT404', 'not_found', 'a stranger does not find the vault');
select is_empty($$ select from kith.nominees $$, 'a stranger cannot read nominees');
select tests.as_user('acme', 'alice');
select throws_ok(
  $$ select api.get_nominee(tests.vault('other'), tests.nominee('Bob'), '2026-03-10T08:11Z') $$, 'KT404', 'not_found', 'a nominee belongs to one vault'
);

-- Changing.
select is(
  api.update_nominee(tests.vault(), tests.nominee('Bob'), '{"access_level": "view", "status": "inactive"}', '2026-03-10T08:12Z')::jsonb
    @> '{"access_level": "view", "status": "inactive", "is_currently_active": false}', true, 'the owner changes a level and pauses a nominee'
);
select tests.as_user('acme', 'bob');
select throws_ok($$ select api.list_nominees(tests.vault(), null, null, 50, null, '2026-03-10T08:12Z') $$, 'KT403', 'nominee_inactive', 'a paused nominee loses access at once');
select tests.as_user('acme', 'alice');
select is(
  api.update_nominee(tests.vault(), tests.nominee('Bob'), '{"status": "accepted"}', '2026-03-10T08:13Z') ->> 'status', 'active',
  'a resumed nominee is active while the vault is open'
);
select throws_ok(
  format('select api.update_nominee(tests.vault(), tests.nominee(''Dave''), ''{"status": "%s"}'', ''2026-03-10T08:13Z'')', status), 'KT409',
  'invalid_transition', format('a pending nominee cannot be set to %s', status)
)
from unnest(array['accepted', 'inactive']) as status;
select is(
  api.update_nominee(tests.vault(), tests.nominee('Dave'), '{"access_level": "edit"}', '2026-03-10T08:13Z') ->> 'access_level', 'edit',
  'the level of a pending nominee can be changed'
);
select is(
  (
    select string_agg(action, ' ' order by at, action desc) from kith.history where subject_id = tests.nominee('Bob')
  ),
  'nominee.invited nominee.accepted nominee.paused nominee.changed nominee.resumed', 'every change is in the history'
);

-- The composer's outcome.
select is(
  api.report_nominee_invitation(tests.vault(), tests.nominee('Dave'), outcome, '2026-03-10T08:14Z') ->> 'invitation_outcome', outcome,
  format('%s can be reported', outcome)
)
from unnest(array['cancelled', 'unavailable', 'failed', 'sent', 'sent']) as outcome;
select throws_ok(
  $$ select api.report_nominee_invitation(tests.vault(), tests.nominee('Dave'), 'failed', '2026-03-10T08:14Z') $$, 'KT409', 'invalid_transition',
  'the outcome sent is final'
);

-- Revoking.
select tests.as_superuser();
delete from kith.notifications;
select tests.as_user('acme', 'alice');
select lives_ok($$ select api.revoke_nominee(tests.vault(), tests.nominee('Bob'), '2026-03-10T08:15Z') $$, 'the owner revokes a nominee');
select lives_ok($$ select api.revoke_nominee(tests.vault(), tests.nominee('Bob'), '2026-03-10T08:16Z') $$, 'revoking again succeeds');
select is(
  api.get_nominee(tests.vault(), tests.nominee('Bob'), '2026-03-10T08:16Z')::jsonb @> '{"status": "revoked", "revoke_reason": "removed"}', true,
  'the row stays with its reason'
);
select tests.as_superuser();
select is(
  (select string_agg(body, ';') from tests.notifications where user_id = tests.id('bob')), 'Your access to Papers & "Co" 🗝 has ended.',
  'the revoked nominee is told once'
);
select tests.as_user('acme', 'bob');
select throws_ok($$ select api.get_vault(tests.vault(), '2026-03-10T08:16Z') $$, 'KT403', 'nominee_revoked', 'the revoked nominee has no access');
select tests.as_user('acme', 'alice');
select throws_ok(
  $$ select api.update_nominee(tests.vault(), tests.nominee('Bob'), '{"status": "accepted"}', '2026-03-10T08:17Z') $$, 'KT409', 'invalid_transition',
  'a revocation is final'
);
select isnt(
  tests.invite('[{"name": "Bob"}]', '2026-03-10T08:17Z') #>> '{0,nominee,id}', (select subject_id::text from kith.history where action = 'nominee.revoked' order by id desc limit 1),
  'inviting again makes a new row (X07)'
);
select tests.as_user('acme', 'bob');
select is(api.accept_invitation(tests.token('Bob'), '2026-03-10T08:18Z') ->> 'status', 'active', 'with the new row the nominee has access again, at once if the vault is open');
select lives_ok($$ select api.revoke_nominee(tests.vault(), tests.nominee('Bob'), '2026-03-10T08:19Z') $$, 'a nominee can leave');
select tests.as_user('acme', 'alice');
select is(api.get_nominee(tests.vault(), tests.nominee('Bob'), '2026-03-10T08:19Z') ->> 'revoke_reason', 'left', 'the row records that the nominee left');

-- Resending.
select tests.as_superuser();
create temporary table tokens (n integer, token uuid);
grant select, insert on tokens to public;
insert into tokens values (0, tests.token('Dave'));
select tests.as_user('acme', 'alice');
insert into tokens
select n, (api.resend_nominee_invitation(tests.vault(), tests.nominee('Dave'), null, 'https://kith.example', '2026-03-10T10:00Z'::timestamptz + n * interval '1 minute') #>> '{invitation,token}')::uuid
from generate_series(1, 5) as n;
select is((select count(distinct token) from tokens), 6::bigint, 'each invitation has a new token');
select is(
  api.resend_nominee_invitation(tests.vault(), tests.nominee('Dave'), null, 'x', '2026-03-10T10:06Z')::jsonb - 'detail',
  '{"problem": "too_many_requests", "retry_after": 86100}', 'an invitation is resent at most five times a day'
);
select is(
  (select string_agg(tests.refusal(format('select api.preview_invitation(%L, ''2026-03-10T10:06Z'')', token)), ' ' order by n) from tokens),
  repeat('invitation_invalid ', 4) || 'invitation_invalid', 'the old tokens are invalid'
);
select is(
  api.resend_nominee_invitation(tests.vault(), tests.nominee('Dave'), 'mail', 'x', '2026-03-11T10:01:01Z') #>> '{invitation,expires_at}',
  '2026-03-18T10:01:01.000000Z', 'a day later an invitation can be resent, with a new expiry'
);
select is(
  tests.refusal(format($$ select api.resend_nominee_invitation(tests.vault(), tests.nominee(%L), null, 'x', '2026-03-11T11:00Z') $$, name)),
  'invalid_transition', format('%s has answered and is not invited again', name)
)
from unnest(array['Bob', 'Carol']) as name;

-- Limits.
select tests.as_superuser();
insert into kith.nominees (tenant_id, id, vault_id, owner_id, name, status, access_level, invited_at, updated_at)
select tests.tenant('acme'), gen_random_uuid(), tests.vault('other'), tests.id('alice'), 'n', 'pending', 'view', '2026-03-01', '2026-03-01'
from generate_series(1, 999);
select tests.as_user('acme', 'alice');
select is(
  (select string_agg(coalesce(value ->> 'message', 'ok'), ' ' order by n)
  from jsonb_array_elements(tests.invite('[{"name": "a"}, {"name": "b"}]', '2026-03-12T08:00Z', 'other')) with ordinality as r (value, n)),
  'ok quota_exceeded', 'a vault has at most 1,000 nominees'
);
select is(
  (
    select string_agg(distinct coalesce(value ->> 'message', 'ok') || coalesce(' ' || (value ->> 'retry_after'), ''), ', ')
    from generate_series(1, 2) as n, lateral jsonb_array_elements(
      tests.invite((select jsonb_agg(jsonb_build_object('name', format('%s of %s', m, n))) from generate_series(1, 100) as m), '2026-03-12T09:00Z')
    ) as r (value)
  ),
  'ok, too_many_requests 82800', 'a user invites at most 200 people a day'
);

-- Inviting one address repeatedly.
select tests.as_superuser();
delete from kith.blocks;
delete from kith.notifications;
update kith.users set email = 'carol@example.org', email_verified_at = '2026-01-05T08:00Z'
where tenant_id = tests.tenant('acme') and id = tests.id('carol');
select tests.as_user('acme', 'mallory');
select api.invite_nominees(
  (api.create_vault('{"name": "Many"}', '2026-05-01T08:00Z') ->> 'id')::uuid,
  (select jsonb_agg('{"name": "Carol", "email": "carol@example.org"}'::jsonb) from generate_series(1, 10)), 'https://kith.example',
  '2026-05-01T08:00Z'
) \g /dev/null
select tests.as_superuser();
select is(
  (select count(*) from kith.notifications where user_id = tests.id('carol')), 3::bigint, 'one person''s invitations notify the same user at most three times a day'
);

select * from finish();
rollback;
