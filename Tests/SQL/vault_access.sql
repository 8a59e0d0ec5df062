-- The permissions on a vault: every procedure and table, for every kind of person, in every state of the session. Three houses differ
-- only in that state: locked, open, expired. Each has its owner; an accepted nominee of each level; nominees whose access is paused,
-- not confirmed, or revoked; a stranger of the tenant; and a user of another tenant.
-- The expected results are nine words, in that order: ok, null (allowed, with an empty result), or the status of the refusal; 'out'
-- where the policies hide the rows of a locked house.
begin;
\ir people.sql
\set now '''2026-03-10T09:10Z'''

create function tests.of(p_what text, p_house text) returns uuid
  language sql immutable
  return (md5(p_what || p_house))::uuid;

-- The owner and the nominees are different users; they are the same in each house.
insert into kith.users (tenant_id, id, display_name, tokens_valid_from, created_at, updated_at)
select tests.tenant('acme'), tests.of('user', who), initcap(who), '2026-01-05T08:00Z', '2026-01-05T08:00Z', '2026-01-05T08:00Z'
from unnest(array['owner', 'view', 'edit', 'full', 'inactive', 'pending', 'revoked', 'stranger', 'newcomer']) as who;

insert into kith.vaults (tenant_id, id, owner_id, name, created_at, updated_at)
select tests.tenant('acme'), tests.of('vault', house), tests.of('user', 'owner'), 'Papers', '2026-03-10T08:00Z', '2026-03-10T08:00Z'
from unnest(array['locked', 'open', 'expired']) as house;
insert into kith.nominees (
  tenant_id, id, vault_id, owner_id, user_id, name, status, needs_confirmation, access_level, invited_at, invited_by_user_id, accepted_at,
  revoked_at, revoke_reason, updated_at
)
select tests.tenant('acme'), tests.of(who, house), tests.of('vault', house), tests.of('user', 'owner'), tests.of('user', who), initcap(who),
  status, status = 'pending', level, '2026-03-10T08:00Z', tests.of('user', 'owner'), '2026-03-10T08:00Z',
  case status when 'revoked' then '2026-03-10T08:30Z'::timestamptz end, case status when 'revoked' then 'removed' end, '2026-03-10T08:00Z'
from unnest(array['locked', 'open', 'expired']) as house
cross join (values
  ('view', 'accepted', 'view'), ('edit', 'accepted', 'edit'), ('full', 'accepted', 'full'), ('inactive', 'inactive', 'full'),
  ('pending', 'pending', 'full'), ('revoked', 'revoked', 'full')
) as nominees (who, status, level);
insert into kith.vault_sessions (
  tenant_id, id, vault_id, owner_id, kind, unlocked_by, opened_at, expires_at, maximum_at, last_activity_at, locked_at, lock_reason
)
select tests.tenant('acme'), tests.of('session', house), tests.of('vault', house), tests.of('user', 'owner'), 'shared',
  tests.of('user', 'owner'), '2026-03-10T09:00Z', ends_at, '2026-03-10T21:00Z', '2026-03-10T09:00Z', locked_at,
  case when locked_at is not null then 'manual' end
from (values
  ('locked', '2026-03-10T09:30Z'::timestamptz, '2026-03-10T09:05Z'::timestamptz), ('open', '2026-03-10T09:30Z', null),
  ('expired', '2026-03-10T09:10Z', null)
) as houses (house, ends_at, locked_at);
insert into kith.documents (
  tenant_id, id, vault_id, owner_id, version_id, name, content_type, size, sha256, created_at, created_by, updated_at, deleted_at, deleted_by
)
select tests.tenant('acme'), tests.of(name, house), tests.of('vault', house), tests.of('user', 'owner'), tests.of('version of ' || name, house),
  name, 'text/plain', 0, sha256(''), '2026-03-10T09:00Z', tests.of('user', 'owner'), '2026-03-10T09:00Z',
  case name when 'old' then '2026-03-10T09:00Z'::timestamptz end, case name when 'old' then tests.of('user', 'owner') end
from unnest(array['locked', 'open', 'expired']) as house
cross join unnest(array['will', 'old']) as name;

insert into kith.document_versions (tenant_id, id, vault_id, document_id, state, created_by, created_at, chunk_size, chunks, size)
select tenant_id, version_id, vault_id, id, 'current', created_by, created_at, 262144, 0, 0 from kith.documents;
insert into kith.vault_keys (tenant_id, vault_id, wrapped_key, created_at)
select tenant_id, id, '\x00', created_at from kith.vaults;

create function tests.outcome(p_who text, p_statement text) returns text
  language plpgsql
as $$
declare
  v_answer text;
  v_outcome text;
begin
  if p_who = 'other tenant' then
    perform tests.as_user('globex', 'globex-alice');
  else
    perform tests.as_user('acme', 'alice');
    perform set_config('kith.user_id', tests.of('user', p_who)::text, true);
  end if;
  -- The time that the policies use as now, since no procedure has set it.
  perform set_config('kith.now', '2026-03-10T09:10Z', true);
  begin
    execute p_statement into v_answer;
    v_outcome := case when v_answer is null then 'null' else 'ok' end;
    raise exception 'undo' using errcode = 'TT000';
  exception
    when sqlstate 'TT000' then null;
    when others then
      v_outcome := regexp_replace(sqlstate, '^KT', '');
  end;
  perform tests.as_superuser();
  return v_outcome;
end
$$;

-- @ stands for the vault, and @name for the row of that name in it.
create table tests.matrix (n integer generated always as identity, statement text, closed text, open text);
insert into tests.matrix (statement, closed, open)
values
  ($$ select api.get_vault(@, :now) $$,
    'ok ok ok ok ok ok 403 404 404', 'ok ok ok ok ok ok 403 404 404'),
  ($$ select api.update_vault(@, '{"name": "Mine"}', :now) $$,
    'ok 403 403 403 403 403 403 404 404', 'ok 403 403 403 403 403 403 404 404'),
  ($$ select api.delete_vault(@, :now) $$,
    'null 403 403 403 403 403 403 404 404', 'null 403 403 403 403 403 403 404 404'),
  ($$ select api.restore_vault(@, :now) $$,
    '409 403 403 403 403 403 403 404 404', '409 403 403 403 403 403 403 404 404'),
  ($$ select api.open_vault(@, :now) $$,
    'ok 423 423 423 403 403 403 404 404', 'ok ok ok ok 403 403 403 404 404'),
  ($$ select api.note_vault_activity(@, :now) $$,
    '423 423 423 423 403 403 403 404 404', 'ok ok ok ok 403 403 403 404 404'),
  ($$ select api.lock_vault(@, :now) $$,
    'ok 403 403 ok 403 403 403 404 404', 'ok 403 403 ok 403 403 403 404 404'),
  ($$ select api.list_vault_history(@, null, null, null, 50, null, :now) $$,
    'ok 403 403 403 403 403 403 404 404', 'ok 403 403 403 403 403 403 404 404'),
  ($$ select api.list_documents(@, false, 50, null, :now) $$,
    '423 423 423 423 403 403 403 404 404', 'ok ok ok ok 403 403 403 404 404'),
  ($$ select api.list_documents(@, true, 50, null, :now) $$,
    '423 423 423 423 403 403 403 404 404', 'ok 403 403 ok 403 403 403 404 404'),
  ($$ select api.get_document(@, @will, :now) $$,
    '423 423 423 423 403 403 403 404 404', 'ok ok ok ok 403 403 403 404 404'),
  ($$ select api.open_content(@, @will, :now) $$,
    '423 423 423 423 403 403 403 404 404', 'ok ok ok ok 403 403 403 404 404'),
  ($$ select api.rename_document(@, @will, 'X', null, :now) $$,
    '423 423 423 423 403 403 403 404 404', 'ok 403 ok ok 403 403 403 404 404'),
  ($$ select api.delete_document(@, @will, null, :now) $$,
    '423 423 423 423 403 403 403 404 404', 'null 403 403 null 403 403 403 404 404'),
  ($$ select api.restore_document(@, @old, :now) $$,
    '423 423 423 423 403 403 403 404 404', 'ok 403 403 ok 403 403 403 404 404'),
  ($$ select api.begin_upload(@, null, 10, 262144, null, null, :now) $$,
    '423 423 423 423 403 403 403 404 404', 'ok 403 ok ok 403 403 403 404 404'),
  ($$ select api.list_nominees(@, null, null, 50, null, :now) $$,
    'ok ok ok ok 403 403 403 404 404', 'ok ok ok ok 403 403 403 404 404'),
  ($$ select api.begin_nominees(@, :now) $$,
    'ok 423 423 423 403 403 403 404 404', 'ok 403 403 ok 403 403 403 404 404'),
  ($$ select api.update_nominee(@, @view, '{"access_level": "edit"}', :now) $$,
    'ok 403 403 403 403 403 403 404 404', 'ok 403 403 403 403 403 403 404 404'),
  ($$ select api.confirm_nominee(@, @pending, :now) $$,
    'ok 403 403 403 403 403 403 404 404', 'ok 403 403 403 403 403 403 404 404'),
  ($$ select api.put_share(@, '{}', :now) $$,
    'ok 403 403 403 403 403 403 404 404', 'ok 403 403 403 403 403 403 404 404'),
  ($$ select api.create_transfer(@, '{"name": "Zoe", "keep_access": true}', 'https://a.example', :now) $$,
    'ok 403 403 403 403 403 403 404 404', 'ok 403 403 403 403 403 403 404 404'),
  -- Direct access to the tables.
  ($$ select name from kith.vaults where id = @ $$,
    'ok ok ok ok ok ok null null null', 'ok ok ok ok ok ok null null null'),
  ($$ select id from kith.vault_sessions where vault_id = @ $$,
    'ok ok ok ok null null null null null', 'ok ok ok ok null null null null null'),
  ($$ select name from kith.documents where id = @will $$,
    'null null null null null null null null null', 'ok ok ok ok null null null null null'),
  ($$ select name from kith.documents where id = @old $$,
    'null null null null null null null null null', 'ok null null ok null null null null null'),
  ($$ update kith.documents set name = 'X' where id = @will returning name $$,
    '42501 42501 42501 42501 42501 42501 42501 42501 42501', '42501 42501 42501 42501 42501 42501 42501 42501 42501'),
  ($$ update kith.documents set deleted_at = now() where id = @will returning 'done' $$,
    '42501 42501 42501 42501 42501 42501 42501 42501 42501', '42501 42501 42501 42501 42501 42501 42501 42501 42501'),
  ($$ update kith.documents set version_id = gen_random_uuid() where id = @will $$,
    '42501 42501 42501 42501 42501 42501 42501 42501 42501', '42501 42501 42501 42501 42501 42501 42501 42501 42501'),
  ($$ select min(n) from kith.document_chunks $$,
    '42501 42501 42501 42501 42501 42501 42501 42501 42501', '42501 42501 42501 42501 42501 42501 42501 42501 42501'),
  ($$ select min(created_at) from kith.vault_keys $$,
    '42501 42501 42501 42501 42501 42501 42501 42501 42501', '42501 42501 42501 42501 42501 42501 42501 42501 42501'),
  ($$ select name from kith.nominees where id = @view $$,
    'ok ok null null null null null null null', 'ok ok null null null null null null null'),
  ($$ update kith.nominees set access_level = 'full' $$,
    '42501 42501 42501 42501 42501 42501 42501 42501 42501', '42501 42501 42501 42501 42501 42501 42501 42501 42501'),
  ($$ update kith.vaults set name = 'X' where id = @ returning name $$,
    '42501 42501 42501 42501 42501 42501 42501 42501 42501', '42501 42501 42501 42501 42501 42501 42501 42501 42501'),
  ($$ update kith.vaults set owner_id = kith.user_id() where id = @ $$,
    '42501 42501 42501 42501 42501 42501 42501 42501 42501', '42501 42501 42501 42501 42501 42501 42501 42501 42501'),
  ($$ update kith.vault_sessions set expires_at = maximum_at $$,
    '42501 42501 42501 42501 42501 42501 42501 42501 42501', '42501 42501 42501 42501 42501 42501 42501 42501 42501'),
  ($$ insert into kith.history (tenant_id, id, vault_id, at, action, subject_type, subject_id)
      values (kith.tenant_id(), gen_random_uuid(), @, now(), 'x', 'vault', @) $$,
    '42501 42501 42501 42501 42501 42501 42501 42501 42501', '42501 42501 42501 42501 42501 42501 42501 42501 42501'),
  ($$ update kith.history set action = 'x' $$,
    '42501 42501 42501 42501 42501 42501 42501 42501 42501', '42501 42501 42501 42501 42501 42501 42501 42501 42501'),
  ($$ delete from kith.history $$,
    '42501 42501 42501 42501 42501 42501 42501 42501 42501', '42501 42501 42501 42501 42501 42501 42501 42501 42501');

select plan((select count(*) * 3 from tests.matrix)::integer);

select is(
  (
    select string_agg(
      tests.outcome(
        who,
        regexp_replace(
          replace(regexp_replace(statement, '@([a-z]+)', format('tests.of(''\1'', %L)', house), 'g'), ':now', quote_literal(:now)),
          '@', format('tests.of(''vault'', %L)', house), 'g'
        )
      ),
      ' ' order by nth
    )
    from unnest(array['owner', 'view', 'edit', 'full', 'inactive', 'pending', 'revoked', 'stranger', 'other tenant']) with ordinality
      as people (who, nth)
  ),
  case house when 'open' then open else closed end, format('%s:%s', house, statement)
)
from tests.matrix
cross join unnest(array['locked', 'open', 'expired']) as house
order by n, house;

select * from finish();
rollback;
