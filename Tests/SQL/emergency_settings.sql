-- The right to emergency access: what an owner can give, and who sees it (E01).
begin;
\ir people.sql
select plan(62);

create function tests.vault() returns uuid language sql immutable return '0a000000-0000-7000-8000-000000000001'::uuid;
create function tests.nominee(p_name text) returns uuid language sql immutable return md5(p_name)::uuid;
insert into kith.vaults (tenant_id, id, owner_id, name, created_at, updated_at)
values (tests.tenant('acme'), tests.vault(), tests.id('alice'), 'Papers', '2026-03-10T08:00Z', '2026-03-10T08:00Z');
insert into kith.nominees (
  tenant_id, id, vault_id, owner_id, user_id, name, status, needs_confirmation, access_level, invited_at, invited_by_user_id, accepted_at,
  revoked_at, revoke_reason, updated_at
)
select tests.tenant('acme'), tests.nominee(name), tests.vault(), tests.id('alice'), tests.id(name), initcap(name), status, status = 'pending', level,
  '2026-03-10T08:00Z', tests.id('alice'), '2026-03-10T08:00Z', case status when 'revoked' then '2026-03-10T08:00Z'::timestamptz end,
  case status when 'revoked' then 'removed' end, '2026-03-10T08:00Z'
from (values ('bob', 'accepted', 'view'), ('carol', 'accepted', 'full')) as nominees (name, status, level);

create function tests.outcome(p_tenant text, p_person text, p_statement text) returns text
  language plpgsql
as $$
declare
  v_answer text;
  v_outcome text;
begin
  perform tests.as_user(p_tenant, p_person);
  begin
    execute p_statement into v_answer;
    v_outcome := case when v_answer is null then 'null' else 'ok' end;
    raise exception 'undo' using errcode = 'TT000';
  exception
    when sqlstate 'TT000' then null;
    when others then v_outcome := regexp_replace(sqlstate, '^KT', '');
  end;
  perform tests.as_superuser();
  return v_outcome;
end
$$;
create function tests.refusal(p_body jsonb) returns text
  language plpgsql
as $$
declare
  v_detail text;
begin
  perform api.set_emergency_settings(tests.vault(), tests.nominee('bob'), p_body, '2026-03-10T09:00Z');
  return 'accepted';
exception when sqlstate 'KT422' then
  get stacked diagnostics v_detail = pg_exception_detail;
  return (select string_agg(error ->> 'field', ' ' order by error ->> 'field') from jsonb_array_elements(v_detail::jsonb) as error);
end
$$;

-- Before anything is given.
select tests.as_user('acme', 'alice') \g /dev/null
select throws_ok(
  $$ select api.get_emergency_settings(tests.vault(), tests.nominee('bob'), '2026-03-10T09:00Z') $$, 'KT404', null,
  'there is no emergency access by default'
);
select is(api.get_nominee(tests.vault(), tests.nominee('bob'), '2026-03-10T09:00Z') -> 'emergency' #>> '{}', null, 'a nominee''s row says so too');

-- What can be given.
select is(
  api.set_emergency_settings(
    tests.vault(), tests.nominee('bob'), '{"wait_hours": 168, "access_level": "view", "on_request": true}', '2026-03-10T09:00Z'
  )::jsonb,
  '{"wait_hours": 168, "access_level": "view", "grant_hours": 72, "on_request": true, "after_missed_days": null, "reject_on_check_in": true,
    "sign_of_life": "check_in", "sources": ["app", "web", "link", "sms", "voice"], "visible": false, "ended_at": null, "updated_at": "2026-03-10T09:00:00.000000Z"}'::jsonb,
  'a right has defaults: 72 hours, a check-in rejects and is the only sign of life, and the nominee does not see it'
);
select is(
  api.set_emergency_settings(
    tests.vault(), tests.nominee('bob'),
    '{"wait_hours": 1, "access_level": "edit", "grant_hours": 720, "on_request": false, "after_missed_days": 30, "reject_on_check_in": false,
      "sign_of_life": "any_use", "sources": ["sign", "app", "sign"], "visible": true}', '2026-03-10T09:01Z'
  )::jsonb - array['ended_at', 'updated_at'],
  '{"wait_hours": 1, "access_level": "edit", "grant_hours": 720, "on_request": false, "after_missed_days": 30, "reject_on_check_in": false,
    "sign_of_life": "any_use", "sources": ["app", "sign"], "visible": true}'::jsonb,
  'a second PUT replaces the right'
);
select is(
  api.get_nominee(tests.vault(), tests.nominee('bob'), '2026-03-10T09:01Z') #>> '{emergency,after_missed_days}', '30',
  'the owner sees it in the nominee''s row'
);
select is(tests.refusal(base || change::jsonb), fields, format('%s is refused by naming %s', change, fields))
from (select '{"wait_hours": 24, "access_level": "view", "on_request": true}'::jsonb) as given (base)
cross join (values
  ('{"wait_hours": 0}', 'wait_hours'), ('{"wait_hours": 2161}', 'wait_hours'), ('{"wait_hours": null}', 'wait_hours'),
  ('{"access_level": "full"}', 'access_level'),
  ('{"grant_hours": 0}', 'grant_hours'), ('{"grant_hours": 721}', 'grant_hours'), ('{"after_missed_days": 1}', 'after_missed_days'),
  ('{"after_missed_days": 31}', 'after_missed_days'), ('{"sign_of_life": "breath"}', 'sign_of_life'), ('{"sources": []}', 'sources'), ('{"sources": ["pigeon"]}', 'sources'), ('{"sources": [null]}', 'sources'), ('{"on_request": false}', 'on_request'),
  ('{"wait_hours": 0, "access_level": "full"}', 'access_level wait_hours'),
  ('{"wait_hours": 2160}', 'accepted'), ('{"wait_hours": 1}', 'accepted'), ('{"grant_hours": 1}', 'accepted'), ('{"grant_hours": 720}', 'accepted'),
  ('{"on_request": false, "after_missed_days": 2}', 'accepted')
) as changes (change, fields)
order by change;

-- Who may see and change it. Bob's right is visible first.
select api.set_emergency_settings(
  tests.vault(), tests.nominee('bob'), '{"wait_hours": 24, "access_level": "edit", "on_request": true, "after_missed_days": 3, "visible": true}', '2026-03-10T09:02Z'
) \g /dev/null
select tests.as_user('acme', 'bob') \g /dev/null
select is(
  api.get_emergency_settings(tests.vault(), tests.nominee('bob'), '2026-03-10T09:03Z')::jsonb,
  '{"wait_hours": 24, "access_level": "edit", "grant_hours": 72, "on_request": true, "after_missed_days": 3}'::jsonb,
  'a nominee sees the terms of a visible right, but not what counts as a sign of life'
);
select is(
  api.get_nominee(tests.vault(), tests.nominee('bob'), '2026-03-10T09:03Z') -> 'emergency' #>> '{}', null,
  'the nominee''s own row does not carry the owner''s settings'
);
select tests.as_superuser() \g /dev/null
create table tests.calls (n integer generated always as identity, name text, statement text);
insert into tests.calls (name, statement)
values
  ('get', $$ select api.get_emergency_settings(tests.vault(), tests.nominee('bob'), '2026-03-10T09:04Z') $$),
  ('set', $$ select api.set_emergency_settings(tests.vault(), tests.nominee('bob'), '{"wait_hours": 2, "access_level": "view", "on_request": true}', '2026-03-10T09:04Z') $$),
  ('remove', $$ select api.remove_emergency_settings(tests.vault(), tests.nominee('bob'), '2026-03-10T09:04Z') $$),
  ('table', $$ select wait_hours from kith.emergency_settings where nominee_id = tests.nominee('bob') $$),
  ('write', $$ update kith.emergency_settings set wait_hours = 1 $$),
  ('signs', $$ insert into kith.signs_of_life (tenant_id, user_id) values (kith.tenant_id(), kith.user_id()) $$);
select is(
  (
    select string_agg(tests.outcome(tenant, person, statement), ' ' order by place)
    from (values ('acme', 'alice', 1), ('acme', 'bob', 2), ('acme', 'carol', 3), ('acme', 'mallory', 4), ('globex', 'globex-alice', 5)) as people (tenant, person, place)
  ),
  expected, format('%s: the owner, the nominee, another nominee, a stranger and another tenant get %s', name, expected)
)
from tests.calls
join (values
  ('get', 'ok ok 404 404 404'), ('set', 'ok 403 403 404 404'), ('remove', 'null 403 403 404 404'), ('table', 'ok null null null null'),
  ('write', '42501 42501 42501 42501 42501'), ('signs', '42501 42501 42501 42501 42501')
) as expectations (of_call, expected) on of_call = name;
update kith.emergency_settings set visible = false, visible_since = null;
select is(
  tests.outcome('acme', 'bob', statement), tests.outcome('acme', 'bob', replace(statement, '''bob''', '''nobody''')),
  'an invisible right and no right at all look the same to the nominee'
)
from tests.calls where name = 'get';
update kith.nominees set status = 'inactive' where id = tests.nominee('bob');
update kith.emergency_settings set visible = true, visible_since = '2026-03-01T08:00Z';
select is(tests.outcome('acme', 'bob', statement), '403', 'a paused nominee sees nothing') from tests.calls where name = 'get';
select is(tests.outcome('acme', 'alice', statement), 'ok', 'the owner can prepare the right of a paused nominee') from tests.calls where name = 'set';
update kith.nominees set status = 'pending', needs_confirmation = true where id = tests.nominee('bob');
select is(tests.outcome('acme', 'bob', statement), '403', 'an unconfirmed nominee sees nothing') from tests.calls where name = 'get';
update kith.nominees set status = 'revoked', needs_confirmation = false, revoked_at = now() where id = tests.nominee('bob');
select is(tests.outcome('acme', 'alice', statement), '409', 'a revoked nominee can be given nothing') from tests.calls where name = 'set';
select is(tests.outcome('acme', 'bob', statement), '403', 'a revoked nominee sees nothing') from tests.calls where name = 'get';
update kith.nominees set status = 'accepted', revoked_at = null where id = tests.nominee('bob');

-- Who hears of it.
create function tests.events(p_person text) returns bigint
  language sql stable
  return (select count(*) from kith.events where user_id = tests.id(p_person) and type = 'nominee' and subject_id = tests.nominee('bob'));
delete from kith.events;
delete from kith.emergency_settings;
select tests.as_user('acme', 'alice') \g /dev/null
select api.set_emergency_settings(tests.vault(), tests.nominee('bob'), '{"wait_hours": 2, "access_level": "view", "on_request": true}', '2026-03-10T09:05Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.events('alice') || ' ' || tests.events('bob'), '1 0', 'no event gives an invisible right away');
select is((select count(*) from kith.notifications where user_id = tests.id('bob')), 0::bigint, 'nor does a notification');
select tests.as_user('acme', 'alice') \g /dev/null
select api.set_emergency_settings(tests.vault(), tests.nominee('bob'), '{"wait_hours": 2, "access_level": "view", "on_request": true, "visible": true}', '2026-03-10T09:06Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.events('bob'), 1::bigint, 'the nominee''s screen shows a visible right');
select is(
  (select string_agg(action, ' ' order by id) from kith.history where vault_id = tests.vault() and subject_id = tests.nominee('bob') and at >= '2026-03-10T09:05Z'),
  'emergency.given emergency.changed', 'the history has both acts'
);
select is(
  (select count(*) from kith.signs_of_life where user_id = tests.id('alice')), 1::bigint, 'from the first right on, signs of life are kept'
);

-- PATCH and POST of nominees.
select tests.as_user('acme', 'alice') \g /dev/null
select is(
  api.update_nominee(tests.vault(), tests.nominee('bob'), '{"emergency": null}', '2026-03-10T09:07Z') -> 'emergency' #>> '{}', null,
  'PATCH with null takes the right'
);
select is(
  api.update_nominee(tests.vault(), tests.nominee('bob'), '{"emergency": {"wait_hours": 5, "access_level": "view", "on_request": true}}', '2026-03-10T09:08Z')
    #>> '{emergency,wait_hours}',
  '5', 'PATCH gives it'
);
select throws_like(
  $$ select api.update_nominee(tests.vault(), tests.nominee('bob'), '{"emergency": {"wait_hours": 5, "access_level": "full", "on_request": true}}', '2026-03-10T09:08Z') $$,
  'validation_failed', 'PATCH checks it'
);
select is(
  api.invite_nominees(
    tests.vault(), '[{"name": "Dave", "emergency": {"wait_hours": 48, "access_level": "view", "on_request": true, "visible": true}}, {"name": "Erin"}]',
    'https://kith.example', '2026-03-10T09:09Z'
  ) #>> '{0,nominee,emergency,wait_hours}',
  '48', 'an invitation can carry the right'
);
create temporary table invited as
select api.invite_nominees(
  tests.vault(), format('[{"name": "Fay", "emergency": {"wait_hours": 48, "access_level": "view", "on_request": true, "visible": %s}}]', visible::text)::jsonb,
  'https://kith.example', '2026-03-10T09:10Z'
) #>> '{0,nominee,invitation,token}' as token, visible
from unnest(array[true, false]) as visible;
grant select on invited to public;
select is(
  api.preview_invitation(token::uuid, '2026-03-10T09:11Z') -> 'emergency' ->> 'wait_hours', case when visible then '48' end,
  format('the preview of the invitation says so only where it is visible: %s', visible)
)
from invited order by visible;
select tests.as_user('acme', 'mallory') \g /dev/null
select api.accept_invitation(token::uuid, '2026-03-10T09:11:30Z') from invited where visible \g /dev/null
select is(
  api.preview_invitation(token::uuid, '2026-03-10T09:11:40Z') ->> 'emergency', null, 'and once it is answered, not even there: others may have the link'
)
from invited where visible;
select tests.as_user('acme', 'alice') \g /dev/null
select is(
  api.invite_nominees(tests.vault(), '[{"name": "Gil", "emergency": {"wait_hours": 0, "access_level": "view", "on_request": true}}]', 'https://kith.example', '2026-03-10T09:12Z')
    #>> '{0,message}',
  'validation_failed', 'an invitation with a wrong right is refused'
);
select api.open_vault(tests.vault(), '2026-03-10T09:13Z') \g /dev/null
select tests.as_user('acme', 'carol') \g /dev/null
select is(
  api.invite_nominees(tests.vault(), '[{"name": "Hal", "emergency": {"wait_hours": 9, "access_level": "view", "on_request": true}}]', 'https://kith.example', '2026-03-10T09:14Z')
    #>> '{0,message}',
  'forbidden', 'a full nominee cannot give emergency access with an invitation'
);
select is(
  api.get_nominee(tests.vault(), tests.nominee('bob'), '2026-03-10T09:14Z') -> 'emergency' #>> '{}', null, 'nor see what others have'
);
select throws_ok(
  $$ select api.get_emergency_settings(tests.vault(), tests.nominee('bob'), '2026-03-10T09:14Z') $$, 'KT404', null, 'not by asking either'
);
select tests.as_superuser() \g /dev/null

-- The ends.
select tests.as_user('acme', 'alice') \g /dev/null
select is(api.remove_emergency_settings(tests.vault(), tests.nominee('carol'), '2026-03-10T09:15Z') #>> '{}', null, 'removing what is not there changes nothing');
select api.revoke_nominee(tests.vault(), tests.nominee('bob'), '2026-03-10T09:16Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is((select count(*) from kith.emergency_settings where nominee_id = tests.nominee('bob')), 0::bigint, 'a revocation takes the right');
insert into kith.act_counts values (tests.tenant('acme'), tests.id('alice'), 'right', '2026-03-10', 100)
on conflict (tenant_id, actor_id, act) do update set acts = 100;
select tests.as_user('acme', 'alice') \g /dev/null
select throws_ok(
  $$ select api.set_emergency_settings(tests.vault(), tests.nominee('carol'), '{"wait_hours": 2, "access_level": "view", "on_request": true}', '2026-03-10T09:17Z') $$,
  'KT429', null, 'an owner can change rights 100 times a day'
);
select throws_ok(
  $$
    select api.update_nominee(
      tests.vault(), tests.nominee('carol'), '{"emergency": {"wait_hours": 2, "access_level": "view", "on_request": true}}', '2026-03-10T09:17Z'
    )
  $$,
  'KT429', null, 'also with the other changes of a nominee'
);
select is(
  (select string_agg(concat_ws(' ', result ->> 'sqlstate', result ->> 'retry_after', case when result ? 'nominee' then 'invited' end), ', ' order by n)
   from jsonb_array_elements(api.invite_nominees(
     tests.vault(),
     '[{"name": "Dora", "email": "dora@example.com", "emergency": {"wait_hours": 2, "access_level": "view", "on_request": true}},
       {"name": "Emil", "email": "emil@example.com"}]', 'https://kith.example', '2026-03-10T09:17Z'
   )::jsonb) with ordinality as results (result, n)),
  'KT429 52980, invited', 'and with an invitation, which says when to try again; the limit stops no other invitation'
);
select lives_ok(
  $$ select api.update_nominee(tests.vault(), tests.nominee('carol'), '{"emergency": null}', '2026-03-10T09:17Z') $$,
  'a change of a nominee can take a right beyond the limit'
);
select lives_ok(
  $$ select api.remove_emergency_settings(tests.vault(), tests.nominee('carol'), '2026-03-10T09:17Z') $$, 'taking a right is never refused'
);
select is(
  (internal.exported_emergency_rights(null, 500)).items::text ~ '"wait_hours": 48', true, 'the export has the rights'
);
select tests.as_superuser() \g /dev/null

select * from finish();
rollback;
