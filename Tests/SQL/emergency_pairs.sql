-- Every two acts, one after the other, in every state of a right: whoever does them, the rules of emergency access hold afterwards.
begin;
\ir people.sql
select plan(6);

create function tests.vault() returns uuid language sql immutable return '0a000000-0000-7000-8000-000000000001'::uuid;
create function tests.shared() returns uuid language sql immutable return '0b000000-0000-7000-8000-000000000001'::uuid;
create function tests.token() returns uuid language sql immutable return '0c000000-0000-4000-8000-000000000001'::uuid;
create function tests.nominee(p_name text) returns uuid language sql immutable return md5(p_name)::uuid;
insert into kith.users (tenant_id, id, display_name, tokens_valid_from, created_at, updated_at)
values (tests.tenant('acme'), tests.nominee('second'), 'Second', '2026-01-05T08:00Z', '2026-01-05T08:00Z', '2026-01-05T08:00Z');
create function tests.person(p_name text) returns uuid language sql immutable return coalesce(tests.id(p_name), tests.nominee(p_name));
insert into kith.vaults (tenant_id, id, owner_id, name, full_may_open, created_at, updated_at)
values (tests.tenant('acme'), tests.vault(), tests.id('alice'), 'Papers', true, '2026-03-01T08:00Z', '2026-03-01T08:00Z');
-- Bob has the right, or is invited to it. Carol has level full, and Mallory a right of her own, in the quorum where there is one.
insert into kith.nominees (
  tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, share_participant_id, updated_at
)
select tests.tenant('acme'), tests.nominee(name), tests.vault(), tests.id('alice'), tests.id(name), initcap(name), 'accepted', level, '2026-03-01T08:00Z',
  tests.id('alice'), '2026-03-01T08:00Z', case name when 'bob' then 'p1' end, '2026-03-01T08:00Z'
from (values ('bob', 'edit'), ('carol', 'full'), ('mallory', 'view')) as people (name, level);
insert into kith.shares (tenant_id, id, vault_id, owner_id, record_name, permission, created_at, updated_at)
values (tests.tenant('acme'), tests.shared(), tests.vault(), tests.id('alice'), 'CD', 'readWrite', '2026-03-01T08:00Z', '2026-03-01T08:00Z');
insert into kith.share_participants (tenant_id, share_id, participant_id, nominee_id, acceptance_status, permission, role, updated_at)
values (tests.tenant('acme'), tests.shared(), 'p1', tests.nominee('bob'), 'accepted', 'readWrite', 'privateUser', '2026-03-01T08:00Z');
insert into kith.emergency_settings (tenant_id, nominee_id, vault_id, owner_id, wait_hours, access_level, grant_hours, on_request, created_at, updated_at)
select tests.tenant('acme'), tests.nominee(name), tests.vault(), tests.id('alice'), 2, 'view', 240, true, '2026-03-01T08:00Z', '2026-03-01T08:00Z'
from unnest(array['bob', 'mallory']) as name;
insert into kith.signs_of_life (tenant_id, user_id) values (tests.tenant('acme'), tests.id('alice'));

create table tests.states (name text, setup text);
insert into tests.states
values
  ('no right', $$ delete from kith.emergency_settings where nominee_id = tests.nominee('bob') $$),
  (
    'an invitation with a right',
    $$
      update kith.nominees set user_id = null, status = 'pending', accepted_at = null where id = tests.nominee('bob');
      insert into kith.nominee_invitations (tenant_id, id, vault_id, nominee_id, owner_id, token_hash, channel, created_at, expires_at)
      values (
        tests.tenant('acme'), tests.token(), tests.vault(), tests.nominee('bob'), tests.id('alice'), internal.invitation_token_hash(tests.token()), 'link',
        '2026-03-09T08:00Z', '2026-03-16T08:00Z'
      )
    $$
  ),
  ('a sleeping right', $$ update kith.nominees set bound_by_link = true, bound_at = '2026-03-02T08:00Z' where id = tests.nominee('bob') $$),
  ('waiting', $$ select tests.act('bob', 'api.request_emergency_access(tests.vault(), null, %L)', '2026-03-10T07:00Z') $$),
  (
    'waiting with a quorum',
    $$
      insert into kith.emergency_quorums (tenant_id, vault_id, required, nominee_ids, updated_at)
      values (tests.tenant('acme'), tests.vault(), 2, array[tests.nominee('bob'), tests.nominee('mallory')], '2026-03-01T08:00Z');
      select tests.act('bob', 'api.request_emergency_access(tests.vault(), null, %L)', '2026-03-10T07:00Z');
      select tests.act('mallory', 'api.request_emergency_access(tests.vault(), null, %L)', '2026-03-10T07:00Z')
    $$
  ),
  (
    'inside',
    $$
      select tests.act('bob', 'api.request_emergency_access(tests.vault(), null, %L)', '2026-03-10T05:00Z');
      select tests.act('bob', 'api.enter_emergency(tests.vault(), %L)', '2026-03-10T07:00Z')
    $$
  );
create table tests.acts (n integer generated always as identity, actor text, call text);
insert into tests.acts (actor, call)
values
  ('alice', $$ api.resend_nominee_invitation(tests.vault(), tests.nominee('bob'), null, 'https://k', %L) $$),
  ('alice', $$ api.revoke_nominee(tests.vault(), tests.nominee('bob'), %L) $$),
  ('alice', $$ api.update_nominee(tests.vault(), tests.nominee('bob'), '{"status": "inactive"}', %L) $$),
  ('alice', $$ api.update_nominee(tests.vault(), tests.nominee('bob'), '{"access_level": "full"}', %L) $$),
  ('alice', $$ api.confirm_nominee(tests.vault(), tests.nominee('bob'), %L) $$),
  ('alice', $$ api.set_emergency_settings(tests.vault(), tests.nominee('bob'), '{"wait_hours": 1, "access_level": "edit", "on_request": true}', %L) $$),
  ('alice', $$ api.remove_emergency_settings(tests.vault(), tests.nominee('bob'), %L) $$),
  ('alice', $$ api.remove_emergency_quorum(tests.vault(), %L) $$),
  ('alice', $$ api.put_block(tests.id('bob'), %L) $$),
  ('alice', $$ api.change_share(tests.shared(), 'readOnly', %L) $$),
  ('alice', $$ api.synchronise_share(tests.vault(), '{"participants": [{"id": "p1", "acceptance_status": "removed", "permission": "readOnly", "role": "privateUser"}]}', %L) $$),
  ('alice', $$ api.delete_vault(tests.vault(), %L) $$),
  ('alice', $$ api.check_in(null, false, null, 'app', %L) $$),
  ('carol', $$ api.resend_nominee_invitation(tests.vault(), tests.nominee('bob'), null, 'https://k', %L) $$),
  ('carol', $$ api.revoke_nominee(tests.vault(), tests.nominee('bob'), %L) $$),
  ('second', $$ api.accept_invitation(tests.token(), %L) $$),
  ('second', $$ api.request_emergency_access(tests.vault(), null, %L) $$),
  ('bob', $$ api.accept_invitation(tests.token(), %L) $$),
  ('bob', $$ api.request_emergency_access(tests.vault(), null, %L) $$),
  ('bob', $$ api.revoke_nominee(tests.vault(), tests.nominee('bob'), %L) $$),
  ('bob', $$ api.put_block(tests.id('alice'), %L) $$),
  ('bob', $$ api.delete_me(null, %L) $$),
  ('mallory', $$ api.revoke_nominee(tests.vault(), tests.nominee('mallory'), %L) $$);

-- Does something as somebody. A refusal changes nothing.
create function tests.act(p_actor text, p_call text, p_at timestamptz) returns boolean
  language plpgsql
as $$
begin
  perform tests.as_user('acme', 'alice');
  perform set_config('kith.user_id', tests.person(p_actor)::text, true);
  execute 'select ' || format(p_call, p_at);
  perform tests.as_superuser();
  return true;
exception when others then
  perform tests.as_superuser();
  if sqlstate not like 'KT%' then
    raise;
  end if;
  return false;
end
$$;
-- What of Bob's row and of its invitation only the owner moves.
create function tests.moved() returns text
  language sql stable
as $$
  select concat_ws(' ', nominee.access_level, nominee.needs_confirmation, nominee.bound_by_link, nominee.status = 'inactive',
    (select string_agg(encode(token_hash, 'hex'), ' ') from kith.nominee_invitations where nominee_id = nominee.id and ended_at is null))
  from kith.nominees as nominee
  where nominee.id = tests.nominee('bob')
$$;
create function tests.carries() returns boolean
  language sql stable
  return (select internal.carries_emergency(nominee) from kith.nominees as nominee where nominee.id = tests.nominee('bob'));
create table tests.broken (rule text, story text);

create function tests.check_rules(p_story text, p_actor text, p_was text, p_carried boolean, p_open uuid[], p_at timestamptz) returns void
  language sql
as $$
  insert into tests.broken
  select 'nobody asks or waits whom the owner has not confirmed, has blocked, or who has no access', p_story
  from kith.emergency_requests as request
  join kith.nominees as nominee on nominee.id = request.nominee_id
  where request.ended_at is null and (
    not internal.may_use_right(nominee) or nominee.user_id <> request.user_id
    or exists (select from kith.blocks where user_id = request.owner_id and blocked_id = request.user_id)
  )
  union all
  select 'no emergency session outlasts its request', p_story
  from kith.vault_sessions as session
  where session.kind = 'emergency' and session.locked_at is null
    and not exists (select from kith.emergency_requests as request where request.id = session.request_id and request.ended_at is null)
  union all
  select 'nobody but the owner moves what emergency access hangs on', p_story
  where p_carried and p_actor not in ('alice', 'bob') and tests.moved() is distinct from p_was
    -- Whoever has the link can accept, and then only a link says who they are.
    and not (p_actor = 'second' and (select bound_by_link from kith.nominees where id = tests.nominee('bob')))
  union all
  select 'the owner hears of each end that is not their own act', p_story
  from kith.emergency_requests as request
  where request.id = any (p_open) and request.ended_at is not null and p_actor <> 'alice'
    and not exists (
      select from kith.notifications as told
      where told.user_id = tests.id('alice') and told.created_at = p_at and told.type in ('emergency_rejected', 'nominee_revoked')
    )
  union all
  select 'a request that needs others waits only while enough of them ask', p_story
  from kith.emergency_requests as request
  where request.ended_at is null and request.required > 1 and request.waits_from is not null and request.approved_at is null
    and internal.count_asked(request, p_at) < request.required;
$$;

-- Does something, and checks the rules. Whether it was done.
create function tests.checked(p_actor text, p_call text, p_at timestamptz, p_story text) returns boolean
  language plpgsql
as $$
declare
  v_was text := tests.moved();
  v_carried boolean := tests.carries();
  v_open uuid[] := array(select id from kith.emergency_requests where ended_at is null);
begin
  if not tests.act(p_actor, p_call, p_at) then
    return false;
  end if;
  perform tests.check_rules(p_story, p_actor, v_was, v_carried, v_open, p_at);
  return true;
end
$$;
-- Plays each story in subtransactions, which are undone. Only the broken rules and the number of stories are kept.
create function tests.play(out stories integer, out broken tests.broken[]) returns record
  language plpgsql
as $$
declare
  v_state record;
  v_first record;
  v_second record;
  v_found tests.broken[];
begin
  stories := 0;
  broken := '{}';
  for v_state in select * from tests.states loop
    begin
      execute v_state.setup;
      perform tests.act('alice', 'api.open_vault(tests.vault(), %L)', '2026-03-10T07:50Z');
      for v_first in select * from tests.acts order by n loop
        begin
          if tests.checked(v_first.actor, v_first.call, '2026-03-10T08:00Z', concat_ws(' ', v_state.name, v_first.actor, v_first.call)) then
            for v_second in select * from tests.acts order by n loop
              begin
                if tests.checked(
                  v_second.actor, v_second.call, '2026-03-10T08:05Z',
                  concat_ws(' ', v_state.name, v_first.actor, v_first.call, v_second.actor, v_second.call)
                ) then
                  stories := stories + 1;
                end if;
                v_found := array(select noted from tests.broken as noted);
                raise exception 'undo' using errcode = 'TT000';
              exception when sqlstate 'TT000' then
                broken := broken || v_found;
              end;
            end loop;
          end if;
          raise exception 'undo' using errcode = 'TT000';
        exception when sqlstate 'TT000' then
          null;
        end;
      end loop;
      raise exception 'undo' using errcode = 'TT000';
    exception when sqlstate 'TT000' then
      null;
    end;
  end loop;
end
$$;
create temporary table played as select * from tests.play();
select cmp_ok(stories, '>', 900, 'many pairs of acts can be done') from played;
select is((select count(*) || coalesce(': ' || min(broke.story), '') from played, unnest(broken) as broke where broke.rule = rules.rule), '0', rule)
from (values
  ('nobody asks or waits whom the owner has not confirmed, has blocked, or who has no access'), ('no emergency session outlasts its request'),
  ('nobody but the owner moves what emergency access hangs on'), ('the owner hears of each end that is not their own act'),
  ('a request that needs others waits only while enough of them ask')
) as rules (rule);

select * from finish();
rollback;
