-- What an operator does with vaults, and what the worker sweeps (G01, D01).
begin;
\ir people.sql
select plan(30);

create temporary table house (name text primary key, id uuid);
grant select, insert on house to public;
create function tests.vault() returns uuid language sql stable return (select id from house where name = 'papers');
create function tests.told(p_person text) returns text
  language sql stable
as $$
  select coalesce(string_agg(title || ': ' || body, '; ' order by id), '') from tests.notifications where user_id = tests.id(p_person)
$$;

select tests.as_user('acme', 'alice');
with made as (select api.create_vault('{"name": "Papers"}', '2026-03-10T08:00Z') as vault)
insert into house select 'papers', (vault ->> 'id')::uuid from made;
select tests.as_superuser();
insert into kith.nominees (
  tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, accepted_at, updated_at
)
select tests.tenant('acme'), tests.id(person), tests.vault(), tests.id('alice'), tests.id(person), person, 'accepted', 'view', now(), now(), now()
from unnest(array['bob', 'carol']) as person;
insert into kith.document_versions (tenant_id, id, vault_id, document_id, state, created_by, created_at, chunks, size, chunk_size)
select tests.tenant('acme'), tests.vault(), tests.vault(), tests.vault(), 'current', tests.id('alice'), '2026-03-10T08:00Z', 5, 1000, 4096;
insert into kith.document_chunks select tests.tenant('acme'), tests.vault(), n, '\x00' from generate_series(0, 4) as n;
insert into kith.documents (tenant_id, id, vault_id, owner_id, version_id, name, content_type, size, sha256, created_at, created_by, updated_at)
select tests.tenant('acme'), tests.vault(), tests.vault(), tests.id('alice'), tests.vault(), 'will.pdf', 'application/pdf', 1000, sha256(''), now(),
  tests.id('alice'), now();
select tests.as_user('acme', 'alice');
select api.open_vault(tests.vault(), now()) \g /dev/null
select api.send_message(tests.vault(), tests.id('bob'), 'Hello', now()) \g /dev/null

-- Reading.
select tests.as_role('kith_admin');
select results_eq(
  $$ select tenant, name, documents, bytes, nominees, open_until > now(), deleted_at::timestamptz from admin.vaults where tenant = 'acme' $$,
  $$ values ('acme', 'Papers', 1::bigint, 1000::numeric, 2::bigint, true, null::timestamptz) $$, 'an operator sees a tenant''s vaults and their sizes'
);
select results_eq(
  $$ select tenant, state, unlocked_by from admin.vault_sessions $$,
  $$ values ('acme', 'open', tests.id('alice')) $$, 'an operator sees the open vaults'
);
select throws_ok($$ select body from kith.messages $$, '42501', null, 'an operator cannot read conversations');

-- Acting.
select throws_ok(
  $$ select admin.revoke_nominee('globex', tests.id('bob'), 'asked') $$, 'KT404', 'not_found', 'a nominee is found only in the named tenant'
);
select lives_ok($$ select admin.revoke_nominee('acme', tests.id('bob'), 'asked by mail') $$, 'an operator revokes a nominee');
select throws_ok(
  $$ select admin.revoke_nominee('acme', tests.id('bob'), 'asked by mail') $$, 'KT409', 'invalid_transition', 'a nominee cannot be revoked twice'
);
select tests.as_user('acme', 'bob');
select throws_ok($$ select api.get_vault(tests.vault(), now()) $$, 'KT403', 'nominee_revoked', 'the revoked nominee has no access');
select tests.as_superuser();
select is(
  (select concat_ws(' ', revoke_reason) from kith.nominees where id = tests.id('bob')), 'support', 'the row records that support revoked it'
);
select matches(tests.told('bob'), 'Access Ended: Your access to Papers has ended.', 'the revoked nominee is told');
select tests.as_role('kith_admin');
select matches(
  admin.soft_delete_vault('acme', tests.vault(), 'asked by mail', '2026-04-01T00:00Z'), '^the vault is closed to everybody until 2026-05-01 00:00:00Z: select admin.restore_vault',
  'an operator deletes a vault'
);
select throws_ok(
  $$ select admin.soft_delete_vault('acme', tests.vault(), 'asked by mail', '2026-04-01T00:00Z') $$, 'KT409', 'invalid_transition', 'a vault cannot be deleted twice'
);
select is((select deleted_by from admin.vaults), 'operator:' || session_user, 'the vault records the operator who deleted it');
select tests.as_user('acme', 'carol');
select throws_ok($$ select api.get_vault(tests.vault(), '2026-04-01T00:00Z') $$, 'KT404', 'not_found', 'a deleted vault is not found');
select tests.as_user('acme', 'alice');
select throws_ok(
  $$ select api.restore_vault(tests.vault(), '2026-04-01T00:01Z') $$, 'KT409', 'invalid_transition', 'its owner cannot restore what an operator deleted (A02)'
);
select tests.as_role('kith_admin');
select lives_ok($$ select admin.restore_vault('acme', tests.vault(), 'a mistake', '2026-04-02T00:00Z') $$, 'an operator restores a vault');
select tests.as_user('acme', 'carol');
select is(api.get_vault(tests.vault(), '2026-04-02T00:00Z') ->> 'status', 'accepted', 'a restored vault has its nominees');
select tests.as_superuser();
select is(
  (select string_agg(action || ' ' || (detail ->> 'reason'), ', ' order by id) from kith.audit where action ~ '^(vault|nominee)'),
  'nominee.revoke asked by mail, vault.delete asked by mail, vault.restore a mistake', 'operators'' acts on vaults are audited'
);
select tests.as_user('acme', 'alice');
select throws_ok($$ select admin.restore_vault('acme', tests.vault(), 'x') $$, '42501', null, 'only an operator can restore a vault this way');

-- Sweeping.
select api.delete_vault(tests.vault(), '2026-05-01T00:00Z') \g /dev/null
select tests.as_role('kith_worker');
select is(worker.sweep_vaults('2026-05-30T23:59Z', 3), 0, 'a deleted vault is kept for 30 days');
select is(worker.sweep_vaults('2026-05-31T00:00Z', 3), 3, 'after 30 days its contents are deleted');
select is(worker.sweep_vaults('2026-05-31T00:00Z', 3), 2, 'contents are deleted a batch at a time');
select is(worker.sweep_vaults('2026-05-31T00:00Z', 3), 3, 'then its name is removed from notifications, a batch at a time');
select is(worker.sweep_vaults('2026-05-31T00:00Z', 3), 1, 'the last batch deletes the rest');
select is(worker.sweep_vaults('2026-05-31T00:00Z', 3), 0, 'the sweep ends when nothing is left');
select tests.as_superuser();
select is(
  (
    select count(*) from (
      select from kith.vaults union all select from kith.nominees union all select from kith.messages union all select from kith.documents
      union all select from kith.document_versions union all select from kith.document_chunks union all select from kith.vault_sessions
    ) as rows
  ),
  0::bigint, 'no row of the vault is left'
);
select is(
  tests.told('carol'), 'Vault Locked: a vault is locked.; Vault Open: Alice opened a vault. You can enter now.',
  'notifications about it no longer have its name, and still name the person'
);
select is(
  (select body from tests.notifications where type = 'message_received'), 'This message was deleted.', 'notifications about it no longer contain messages'
);

insert into kith.vaults (tenant_id, id, owner_id, name, created_at, updated_at)
values (tests.tenant('acme'), tests.vault(), tests.id('alice'), 'Next', now(), now());
insert into kith.nominees (tenant_id, id, vault_id, owner_id, name, status, access_level, invited_at, updated_at)
values (tests.tenant('acme'), tests.id('bob'), tests.vault(), tests.id('alice'), 'Bob', 'pending', 'view', now(), now());
insert into kith.drafts values
  (tests.tenant('acme'), tests.id('alice'), tests.vault(), '2026-06-01T00:00Z', '2026-06-01T00:10Z'),
  (tests.tenant('acme'), tests.id('bob'), tests.vault(), '2026-06-01T00:00Z', '2026-06-01T00:20Z');
insert into kith.nominee_invitations (
  tenant_id, id, vault_id, nominee_id, owner_id, token_hash, channel, created_at, expires_at, ended_at, end_reason
)
select tests.tenant('acme'), gen_random_uuid(), tests.vault(), tests.id('bob'), tests.id('alice'), sha256(n::text::bytea), 'link', '2026-01-01T00:00Z',
  expires_at, ended_at, case when ended_at is not null then 'resent' end
from (values
  (1, '2026-06-08T00:00Z'::timestamptz, '2026-03-01T00:00Z'::timestamptz), (2, '2026-06-08T00:00Z', '2026-03-05T00:00Z'),
  (3, '2026-03-01T00:00Z', null)
) as invitations (n, expires_at, ended_at);
insert into kith.transfers (tenant_id, id, vault_id, owner_id, name, keep_access, status, created_at, expires_at, ended_at)
select tests.tenant('acme'), gen_random_uuid(), tests.vault(), tests.id('alice'), 'Carol', true, status, '2026-01-01T00:00Z',
  '2026-06-08T00:00Z', ended_at
from (values ('cancelled', '2026-03-01T00:00Z'::timestamptz), ('declined', '2026-03-05T00:00Z'), ('pending', null)) as transfers (status, ended_at);
select tests.as_role('kith_worker');
select is(
  worker.sweep_vault_invitations('2026-06-01T00:10Z', 100), 4, 'expired drafts, and invitations that ended 90 days ago, are deleted'
);
select is(worker.sweep_vault_invitations('2026-06-01T00:10Z', 100), 0, 'nothing else is deleted');
select throws_ok($$ select from kith.transfers $$, '42501', null, 'the worker cannot read the tables directly');

select * from finish();
rollback;
