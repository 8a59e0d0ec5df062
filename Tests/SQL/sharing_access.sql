-- The permissions on a vault's share, its transfer and its conversations, for every kind of caller. Whether the vault is open makes no
-- difference here. ok: succeeds. 404, 403, …: refused with that status or code. null: allowed, with an empty result.
begin;
\ir people.sql

create temporary table house (name text primary key, id uuid);
grant select on house to public;
create function tests.it(p_name text) returns uuid language sql stable return (select id from house where name = p_name);
insert into house select name, gen_random_uuid() from unnest(array['full', 'view', 'paused', 'waiting', 'revoked']) as name;
insert into kith.users (tenant_id, id, display_name, tokens_valid_from, created_at, updated_at)
select tests.tenant('acme'), id, initcap(name), '2026-01-05T08:00Z', '2026-01-05T08:00Z', '2026-01-05T08:00Z' from house;
select tests.as_user('acme', 'alice');
create temporary table made as select (api.create_vault('{"name": "Papers"}', '2026-03-10T08:00Z') ->> 'id')::uuid as vault;
select tests.as_superuser();
insert into house select 'papers', vault from made;
insert into kith.nominees (
  tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, needs_confirmation, invited_at, revoked_at, updated_at
)
select tests.tenant('acme'), id, tests.it('papers'), tests.id('alice'), id, name,
  case name when 'paused' then 'inactive' when 'waiting' then 'pending' when 'revoked' then 'revoked' else 'accepted' end,
  case name when 'view' then 'view' else 'full' end, name = 'waiting', now(), case name when 'revoked' then now() end, now()
from house where name <> 'papers';
select tests.as_user('acme', 'alice');
select api.put_share(tests.it('papers'), '{}', '2026-03-10T08:00Z') \g /dev/null
select api.create_transfer(tests.it('papers'), '{"name": "Zoe", "keep_access": true}', 'https://kith.example', '2026-03-10T08:00Z') \g /dev/null
select api.send_message(tests.it('papers'), tests.it('view'), 'Hello', '2026-03-10T08:00Z') \g /dev/null
select tests.as_superuser();
insert into house select 'share', id from kith.shares;

create function tests.outcome(p_person text, p_statement text) returns text
  language plpgsql
as $$
declare
  v_answer text;
  v_outcome text;
begin
  case p_person
    when 'owner' then perform tests.as_user('acme', 'alice');
    when 'stranger' then perform tests.as_user('acme', 'mallory');
    when 'globex' then perform tests.as_user('globex', 'globex-alice');
    when 'server' then perform tests.as_server('acme');
    when 'nobody' then perform tests.as_role('kith_api');
    else
      perform tests.as_user('acme', 'bob');
      perform set_config('kith.user_id', tests.it(p_person)::text, true);
  end case;
  begin
    execute p_statement into v_answer;
    v_outcome := coalesce(substring(v_answer from '"problem" : "([a-z_]+)"'), case when v_answer is null then 'null' else 'ok' end);
    raise exception 'undo' using errcode = 'TT000';
  exception
    when sqlstate 'TT000' then null;
    when others then
      v_outcome := case when sqlerrm like 'nominee_%' then substr(sqlerrm, 9) else regexp_replace(sqlstate, '^KT', '') end;
  end;
  perform tests.as_superuser();
  return v_outcome;
end
$$;

create table tests.matrix (n integer generated always as identity, action text, statement text, outcomes text[]);
insert into tests.matrix (action, statement, outcomes)
values
  --                          owner   full   view   paused      waiting    revoked    stranger globex server nobody
  ('create a share', $$ select api.put_share(tests.it('papers'), '{"url": "https://x.example"}', '2026-03-10T09:00Z') $$,
    array['ok', '403', '403', 'inactive', 'pending', 'revoked', '404', '404', '401', '401']),
  ('read the share', $$ select api.get_share(tests.it('papers'), '2026-03-10T09:00Z') $$,
    array['ok', '403', '403', 'inactive', 'pending', 'revoked', '404', '404', '404', '404']),
  ('synchronise its participants', $$ select api.synchronise_share(tests.it('papers'), '{"participants": []}', '2026-03-10T09:00Z') $$,
    array['ok', '403', '403', 'inactive', 'pending', 'revoked', '404', '404', '401', '401']),
  ('end the share', $$ select api.delete_share(tests.it('papers'), '2026-03-10T09:00Z') $$,
    array['null', '403', '403', 'inactive', 'pending', 'revoked', '404', '404', '401', '401']),
  ('change it by its id', $$ select api.change_share(tests.it('share'), 'readOnly', '2026-03-10T09:00Z') $$,
    array['ok', '404', '404', '404', '404', '404', '404', '404', '401', '401']),
  ('end it by its id', $$ select api.end_share(tests.it('share'), '2026-03-10T09:00Z') $$,
    array['null', '404', '404', '404', '404', '404', '404', '404', '401', '401']),
  ('list the shares', $$ select api.list_shares(50, null) -> 'items' ->> 0 $$,
    array['ok', 'null', 'null', 'null', 'null', 'null', 'null', 'null', 'null', 'null']),
  ('read the shares', $$ select min(record_name) from kith.shares $$,
    array['ok', 'null', 'null', 'null', 'null', 'null', 'null', 'null', 'null', 'null']),
  ('read the participants', $$ select min(participant_id) from kith.share_participants $$,
    array['42501', '42501', '42501', '42501', '42501', '42501', '42501', '42501', '42501', '42501']),
  ('write a share', $$ update kith.shares set url = null $$,
    array['42501', '42501', '42501', '42501', '42501', '42501', '42501', '42501', '42501', '42501']),
  ('offer the vault again',
    $$ select api.create_transfer(tests.it('papers'), '{"name": "X", "keep_access": true}', 'https://kith.example', '2026-03-10T09:00Z') $$,
    array['409', '403', '403', 'inactive', 'pending', 'revoked', '404', '404', '401', '401']),
  ('read the offer', $$ select api.get_transfer(tests.it('papers'), '2026-03-10T09:00Z') $$,
    array['ok', '403', '403', 'inactive', 'pending', 'revoked', '404', '404', '401', '401']),
  ('cancel the offer', $$ select api.cancel_transfer(tests.it('papers'), '2026-03-10T09:00Z') $$,
    array['null', '403', '403', 'inactive', 'pending', 'revoked', '404', '404', '401', '401']),
  ('take the vault directly', $$ select internal.accept_transfer(gen_random_uuid(), '2026-03-10T09:00Z') $$,
    array['42501', '42501', '42501', '42501', '42501', '42501', '42501', '42501', '42501', '42501']),
  ('read the offers', $$ select min(name) from kith.transfers $$,
    array['ok', 'null', 'null', 'null', 'null', 'null', 'null', 'null', 'null', 'null']),
  ('become the owner directly', $$ update kith.vaults set owner_id = kith.user_id() $$,
    array['42501', '42501', '42501', '42501', '42501', '42501', '42501', '42501', '42501', '42501']),
  ('read the conversation with view', $$ select api.list_messages(tests.it('papers'), tests.it('view'), 50, null, '2026-03-10T09:00Z') $$,
    array['ok', '404', 'ok', 'inactive', 'pending', 'revoked', '404', '404', '401', '401']),
  ('write in it', $$ select api.send_message(tests.it('papers'), tests.it('view'), 'x', '2026-03-10T09:00Z') $$,
    array['ok', '404', 'ok', 'inactive', 'pending', 'revoked', '404', '404', '401', '401']),
  ('mark it as read', $$ select api.read_messages(tests.it('papers'), tests.it('view'), '2026-03-10T09:00Z') $$,
    array['null', '404', 'null', 'inactive', 'pending', 'revoked', '404', '404', '401', '401']),
  ('write to an unconfirmed nominee', $$ select api.send_message(tests.it('papers'), tests.it('waiting'), 'x', '2026-03-10T09:00Z') $$,
    array['409', '404', '404', 'inactive', 'pending', 'revoked', '404', '404', '401', '401']),
  ('read the messages', $$ select min(body) from kith.messages $$,
    array['ok', 'null', 'ok', 'null', 'null', 'null', 'null', 'null', 'null', 'null']),
  ('insert a message directly', $$ insert into kith.messages values (1) $$,
    array['42501', '42501', '42501', '42501', '42501', '42501', '42501', '42501', '42501', '42501']),
  ('erase the vault', $$ select internal.erase_vault(tests.it('papers'), 'x', '2026-03-10T09:00Z') $$,
    array['42501', '42501', '42501', '42501', '42501', '42501', '42501', '42501', '42501', '42501']);

select plan((select 10 * count(*)::integer from tests.matrix));
select is(tests.outcome(person, statement), outcome, format('%s: %s', person, action))
from tests.matrix, unnest(
  array['owner', 'full', 'view', 'paused', 'waiting', 'revoked', 'stranger', 'globex', 'server', 'nobody'], outcomes
) with ordinality as expected (person, outcome, place)
order by n, place;

select * from finish();
rollback;
