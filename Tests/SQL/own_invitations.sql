-- What waits for a person: invitations and offers found by their verified contact, and answers by id (F08).
begin;
\ir people.sql
select plan(53);

create temporary table kept (name text primary key, id uuid);
grant all on kept to public;
create function tests.kept(p_name text) returns uuid language sql stable return (select id from kept where name = p_name);
create function tests.invite(p_name text, p_vault text, p_given jsonb, p_at timestamptz) returns void
  language sql
as $$
  insert into kept
  select p_name, (value #>> '{nominee,id}')::uuid
  from json_array_elements(api.invite_nominees(tests.kept(p_vault), jsonb_build_array('{"name": "X"}' || p_given), 'https://kith.example', p_at))
$$;
create function tests.offer(p_name text, p_vault text, p_given jsonb, p_at timestamptz) returns void
  language sql
as $$
  insert into kept
  select p_name, (api.create_transfer(tests.kept(p_vault), '{"keep_access": true}' || p_given, 'https://kith.example', p_at) ->> 'id')::uuid
$$;
-- What waits for the current user, newest first.
create function tests.waiting(p_at timestamptz) returns text
  language sql
as $$
  select string_agg(kept.name, ' ' order by n)
  from json_array_elements(api.list_own_invitations(50, null, p_at) -> 'items') with ordinality as items (item, n)
  left join kept on kept.id = (item ->> 'id')::uuid
$$;

update kith.users set phone = '+4915100000002', phone_verified_at = '2026-03-01T00:00Z', email = 'Bob@example.com', email_verified_at = '2026-03-01T00:00Z'
where id = tests.id('bob');
-- Mallory states Bob's number and address as her own, but cannot verify them. Another tenant's Bob has them too.
update kith.users set phone = '+4915100000002', email = 'bob@example.com' where id = tests.id('mallory');
update kith.users set phone = '+4915100000002', phone_verified_at = '2026-03-01T00:00Z' where id = tests.id('globex-bob');

select tests.as_user('acme', 'alice');
insert into kept
select name, (api.create_vault(jsonb_build_object('name', name), '2026-03-10T08:00Z') ->> 'id')::uuid from unnest(array['papers', 'photos', 'house']) as name;
select tests.invite('by phone', 'papers', '{"phone": "+4915100000002", "access_level": "edit"}', '2026-03-10T08:01Z');
select tests.invite('by mail', 'photos', '{"email": "BOB@example.com"}', '2026-03-10T08:02Z');
select tests.invite('by name', 'photos', '{"name": "Bob"}', '2026-03-10T08:03Z');
select tests.offer('offer', 'house', '{"name": "Bob", "phone": "+4915100000009", "email": "bob@example.com"}', '2026-03-10T08:04Z');

-- Who sees what.
select tests.as_user('acme', 'bob');
select is(tests.waiting('2026-03-10T09:00Z'), 'offer by mail by phone', 'what names a verified contact waits for its person, newest first');
select is(
  (api.list_own_invitations(50, null, '2026-03-10T09:00Z') -> 'items' -> 2)::jsonb,
  jsonb_build_object(
    'id', tests.kept('by phone'), 'kind', 'nominee', 'state', 'pending', 'vault', jsonb_build_object('id', tests.kept('papers'), 'name', 'papers'),
    'inviter', jsonb_build_object('id', tests.id('alice'), 'display_name', 'Alice'), 'access_level', 'edit',
    'created_at', '2026-03-10T08:01:00.000000Z', 'expires_at', '2026-03-17T08:01:00.000000Z',
    'card', '{"title": "🔐 Vault Invitation", "subtitle": "papers", "state": "pending"}'::jsonb
  ),
  'an invitation says who invites to which vault, and what for'
);
select is(
  (
    select concat_ws(' ', item ->> 'kind', item ->> 'access_level', item #>> '{card,title}', item ->> 'expires_at')
    from json_array_elements(api.list_own_invitations(50, null, '2026-03-10T09:00Z') -> 'items') as items (item) limit 1
  ),
  'transfer full 🔐 Vault Transfer 2026-03-17T08:04:00.000000Z', 'an offer says that it is one'
);
select is(
  (api.list_own_invitations(1, null, '2026-03-10T09:00Z') ->> 'next_cursor')::uuid, tests.kept('offer'), 'a page ends with a cursor'
);
select is(
  (api.list_own_invitations(1, tests.kept('offer'), '2026-03-10T09:00Z') #>> '{items,0,id}')::uuid, tests.kept('by mail'), 'the next page continues there'
);
select is(
  api.list_own_invitations(2, tests.kept('offer'), '2026-03-10T09:00Z') ->> 'next_cursor', null, 'the last page has no cursor'
);
select tests.as_user('acme', 'mallory');
select is(tests.waiting('2026-03-10T09:00Z'), null, 'an unverified contact finds nothing');
select tests.as_user('acme', 'carol');
select is(tests.waiting('2026-03-10T09:00Z'), null, 'nothing waits for a stranger');
select tests.as_user('acme', 'alice');
select is(tests.waiting('2026-03-10T09:00Z'), null, 'nor for the inviter');
select tests.as_superuser();
update kith.users set phone_verified_at = null where tenant_id = tests.tenant('acme') and id = tests.id('bob');
select tests.as_user('acme', 'bob');
select is(tests.waiting('2026-03-10T09:00Z'), 'offer by mail', 'a verified e-mail address is enough, with no verified phone number');
select tests.as_superuser();
update kith.users set phone_verified_at = '2026-03-01T00:00Z' where tenant_id = tests.tenant('acme') and id = tests.id('bob');
select tests.as_user('globex', 'globex-bob');
select is(tests.waiting('2026-03-10T09:00Z'), null, 'nor for somebody with the same contact in another tenant');
select throws_ok(
  format($$ select api.%s(tests.kept(%L), '2026-03-10T09:00Z') $$, call, name), 'KT404', 'not_found', format('%s cannot %s what was sent %s', person, call, name)
)
from (values ('acme', 'mallory'), ('acme', 'carol'), ('globex', 'globex-bob')) as people (tenant, person)
cross join (values ('accept_own_invitation'), ('decline_own_invitation')) as calls (call)
cross join (values ('by phone'), ('offer')) as names (name)
cross join lateral tests.as_user(tenant, person);
select tests.as_user('acme', 'bob');
select throws_ok(
  $$ select api.accept_own_invitation(tests.kept('by name'), '2026-03-10T09:00Z') $$, 'KT404', 'not_found', 'a name is no contact: such an invitation needs its token'
);
select is(tests.waiting('2026-03-17T08:02Z'), 'offer', 'what has expired waits no longer');
select throws_ok(
  $$ select api.accept_own_invitation(tests.kept('by phone'), '2026-03-17T08:02Z') $$, 'KT410', 'invitation_expired', 'and answering it is refused as by token'
);

-- Blocks.
select tests.as_superuser();
-- Mallory has invited for Alice.
update kith.nominees set invited_by_user_id = tests.id('mallory') where id = tests.kept('by mail');
select tests.as_user('acme', 'bob');
select is(tests.waiting('2026-03-10T09:00Z') ~ 'by mail', true, 'an invitation waits that another nominee has sent');
select tests.as_superuser();
insert into kith.blocks (tenant_id, user_id, blocked_id, created_at) values (tests.tenant('acme'), tests.id('bob'), tests.id('mallory'), '2026-03-10T08:30Z');
select tests.as_user('acme', 'bob');
select is(tests.waiting('2026-03-10T09:00Z') ~ 'by mail', false, 'not if the person has blocked the one who sent it');
select tests.as_superuser();
delete from kith.blocks;
update kith.nominees set invited_by_user_id = tests.id('alice') where id = tests.kept('by mail');
insert into kith.blocks (tenant_id, user_id, blocked_id, created_at) values (tests.tenant('acme'), tests.id('bob'), tests.id('alice'), '2026-03-10T09:00Z');
select tests.as_user('acme', 'bob');
select is(tests.waiting('2026-03-10T09:00Z'), null, 'nothing waits from somebody whom the person has blocked');
select throws_ok(
  $$ select api.accept_own_invitation(tests.kept('by phone'), '2026-03-10T09:00Z') $$, 'KT404', 'invitation_invalid', 'nor can it be accepted'
);
select throws_ok(
  format($$ select api.decline_own_invitation(tests.kept(%L), '2026-03-10T09:00Z') $$, name), 'KT404', 'invitation_invalid',
  format('nor can it be declined: %s', name)
)
from (values ('by phone'), ('offer')) as names (name);
select tests.as_superuser();
delete from kith.blocks;

-- Answers.
select tests.as_user('acme', 'bob');
select is(
  api.accept_own_invitation(tests.kept('by phone'), '2026-03-10T10:00Z') #>> '{card,title}', '✅ Vault Access Accepted', 'an invitation is accepted by its id'
);
select is(
  api.accept_own_invitation(tests.kept('by phone'), '2026-03-10T10:01Z') ->> 'status', 'accepted', 'accepting again answers the same'
);
select is(
  api.decline_own_invitation(tests.kept('by mail'), '2026-03-10T10:02Z')::jsonb,
  jsonb_build_object(
    'id', tests.kept('by mail'), 'kind', 'nominee', 'state', 'declined',
    'card', '{"title": "❌ Vault Invitation Declined", "subtitle": null, "state": "declined"}'::jsonb
  ),
  'an invitation is declined by its id'
);
select is(
  api.decline_own_invitation(tests.kept('by mail'), '2026-03-10T10:03Z') ->> 'state', 'declined', 'declining again changes nothing'
);
select is(tests.waiting('2026-03-10T10:04Z'), 'offer', 'what was answered waits no longer');
select tests.as_user('acme', 'alice');
select tests.invite('twice', 'papers', '{"phone": "+4915100000002"}', '2026-03-10T10:04Z');
select tests.as_user('acme', 'bob');
select is(tests.waiting('2026-03-10T10:04Z'), 'offer', 'an invitation to a vault in which the person has a part does not wait');
select is(
  api.accept_own_invitation(tests.kept('offer'), '2026-03-10T10:05Z') #>> '{vault,owner,display_name}', 'Bob', 'an offer is accepted by its id'
);
select tests.as_superuser();
select is(
  (select string_agg(body, '; ' order by id) from tests.notifications where user_id = tests.id('alice')),
  'Bob accepted your invitation to papers.; X declined your invitation to photos.; Bob is now the owner of house.', 'the owner is told as of an answer by token'
);
select is(
  (
    select string_agg(distinct concat_ws(' ', type, about ->> 'type', kept.name), ', ')
    from kith.notifications, lateral (select internal.notification_data(type, data, null, null) -> 'about' as about) as shown
    left join kept on kept.id = (shown.about ->> 'id')::uuid
    where user_id = tests.id('bob') and type in ('nominee_invited', 'transfer_requested')
  ),
  'nominee_invited invitation by mail, nominee_invited invitation by phone, transfer_requested invitation offer',
  'the notifications lead to what waits'
);

-- An offer to a nominee.
select tests.as_user('acme', 'alice');
select tests.offer('to nominee', 'papers', jsonb_build_object('nominee_id', tests.kept('by phone')), '2026-03-11T08:00Z');
select tests.as_user('acme', 'bob');
select is(tests.waiting('2026-03-11T08:01Z'), 'to nominee', 'an offer to a nominee waits for that nominee');
select tests.as_user('acme', 'alice');
select api.revoke_nominee(tests.kept('papers'), tests.kept('by phone'), '2026-03-11T08:02Z') \g /dev/null
select tests.as_superuser();
select is(
  (
    select count(*) from kith.events
    where user_id = tests.id('alice') and type = 'vault' and subject_id = tests.kept('papers') and id >= internal.first_uuid7('2026-03-11T08:02Z')
  ), 1::bigint, 'the owner''s screens follow when a removal cancels an offer'
);
select tests.as_user('acme', 'bob');
select is(tests.waiting('2026-03-11T08:03Z'), 'twice', 'but not after the nominee was revoked');
select throws_ok(
  $$ select api.accept_own_invitation(tests.kept('to nominee'), '2026-03-11T08:03Z') $$, 'KT404', 'not_found', 'who cannot take the vault any more'
);

-- An inviter who may no longer invite: the owner must confirm, as by token.
select tests.as_superuser();
update kith.nominees set invited_by_user_id = tests.id('mallory') where id = tests.kept('twice');
select tests.as_user('acme', 'bob');
select is(
  api.accept_own_invitation(tests.kept('twice'), '2026-03-11T08:04Z') ->> 'needs_confirmation', 'true', 'the owner''s confirmation is needed as by token'
);
select tests.as_superuser();
select is(
  (
    select count(*) from pg_index
    where indexrelid::regclass::text in (
      'kith.nominees_waiting_of_phone', 'kith.nominees_waiting_of_email', 'kith.transfers_waiting_of_phone', 'kith.transfers_waiting_of_email'
    )
  ), 4::bigint, 'each kind of contact has an index'
);

-- A flood of invitations and offers that have ended, which name Bob's number, his address, or both.
insert into kith.vaults (tenant_id, id, owner_id, name, created_at, updated_at)
select tests.tenant('acme'), md5('flood ' || n)::uuid, tests.id('mallory'), 'Flood', '2026-03-12T08:00Z', '2026-03-12T08:00Z' from generate_series(1, 1200) as n;
select tests.as_user('acme', 'alice');
insert into kept select 'late', (api.create_vault('{"name": "late"}', '2026-03-12T08:00Z') ->> 'id')::uuid;
select tests.invite('old', 'late', '{"email": "bob@example.com"}', '2026-03-12T08:01Z');
select tests.as_superuser();
insert into kith.nominees (tenant_id, id, vault_id, owner_id, name, phone, email, status, access_level, invited_at, invited_by_user_id, updated_at)
select tests.tenant('acme'), internal.uuid7('2026-03-12T09:00Z'::timestamptz + n * interval '1 second'), md5('flood 1')::uuid, tests.id('mallory'), 'Bob',
  case when n % 3 < 2 then '+4915100000002' end, case when n % 3 > 0 then 'bob@example.com' end, 'pending', 'view', '2026-03-12T09:00Z', tests.id('mallory'),
  '2026-03-12T09:00Z'
from generate_series(1, 2100) as n;
select tests.as_user('acme', 'bob');
create temporary table first_page as select api.list_own_invitations(50, null, '2026-03-12T12:00Z') as page;
select is(
  (select page ->> 'items' from first_page) || (
    select count(*)::text from kith.nominees where tenant_id = tests.tenant('acme') and id >= (select page ->> 'next_cursor' from first_page)::uuid
  ), '[]0', 'what a flood of invitations leaves is not on the first page'
);
select tests.as_superuser();
select is(
  (
    select count(*) from kith.nominees
    where tenant_id = tests.tenant('acme') and vault_id = md5('flood 1')::uuid and id >= (select page ->> 'next_cursor' from first_page)::uuid
  ), 1000::bigint, 'a page looks at 1,000 rows, whatever contacts they name'
);
create function tests.pages(p_at timestamptz) returns table (n integer, names text)
  language plpgsql
as $$
declare
  v_page json := '{}';
begin
  n := 0;
  loop
    n := n + 1;
    v_page := api.list_own_invitations(2, (v_page ->> 'next_cursor')::uuid, p_at);
    names := (
      select string_agg(kept.name, ' ' order by items.at)
      from json_array_elements(v_page -> 'items') with ordinality as items (item, at)
      left join kept on kept.id = (item ->> 'id')::uuid
    );
    return next;
    exit when v_page ->> 'next_cursor' is null or n = 10;
  end loop;
end
$$;
select tests.as_user('acme', 'bob');
select is(
  (select string_agg(coalesce(names, '-'), ', ' order by n) from tests.pages('2026-03-12T12:00Z')), '-, -, old', 'and the next pages lead through it'
);
select tests.as_superuser();
insert into kith.transfers (tenant_id, id, vault_id, owner_id, phone, email, keep_access, status, created_at, expires_at)
select tests.tenant('acme'), internal.uuid7('2026-03-12T08:30Z'::timestamptz + n * interval '1 millisecond'), md5('flood ' || n)::uuid, tests.id('mallory'),
  '+4915100000002', 'bob@example.com', false, 'pending', '2026-03-12T08:30Z', '2026-03-12T08:31Z'
from generate_series(1, 1200) as n;
select tests.as_user('acme', 'bob');
select is(
  (select string_agg(coalesce(names, '-'), ', ' order by n) from tests.pages('2026-03-12T12:00Z')), '-, -, -, old',
  'offers that have expired hide nothing that is older'
);
select is(
  (select string_agg(coalesce(names, '-'), ', ' order by n) from tests.pages('2026-03-12T08:30:30Z')), '-, -, -, -, -, -, -, -, -, -',
  'a thousand offers that are alive fill their pages'
);
select is(
  api.home('2026-03-12T12:00Z') #>> '{waiting,invitations,items}', '[]', 'the first screen looks as far as one page'
);

select * from finish();
rollback;
