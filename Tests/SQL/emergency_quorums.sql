-- A quorum: any 2 of these 3 must ask before the wait begins (E05).
begin;
\ir people.sql
select plan(73);

create function tests.vault() returns uuid language sql immutable return '0a000000-0000-7000-8000-000000000001'::uuid;
create function tests.nominee(p_name text) returns uuid language sql immutable return md5(p_name)::uuid;
insert into kith.users (tenant_id, id, display_name, tokens_valid_from, created_at, updated_at)
select tests.tenant('acme'), tests.nominee('user ' || who), initcap(who), '2026-01-05T08:00Z', '2026-01-05T08:00Z', '2026-01-05T08:00Z'
from unnest(array['dave', 'erin']) as who;
create function tests.person(p_name text) returns uuid language sql immutable return coalesce(tests.id(p_name), tests.nominee('user ' || p_name));
insert into kith.vaults (tenant_id, id, owner_id, name, created_at, updated_at)
select tests.tenant('acme'), id, tests.id('alice'), 'Papers', '2026-03-10T08:00Z', '2026-03-10T08:00Z'
from unnest(array[tests.vault(), tests.nominee('other vault')]) as id;
insert into kith.nominees (
  tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, revoked_at, revoke_reason, updated_at
)
select tests.tenant('acme'), tests.nominee(name), tests.vault(), tests.id('alice'), tests.person(name), initcap(name), status, 'view',
  '2026-03-10T08:00Z', tests.id('alice'), '2026-03-10T08:00Z', case status when 'revoked' then '2026-03-10T08:00Z'::timestamptz end,
  case status when 'revoked' then 'removed' end, '2026-03-10T08:00Z'
from (values ('bob', 'accepted'), ('carol', 'accepted'), ('dave', 'accepted'), ('erin', 'accepted'), ('mallory', 'revoked')) as nominees (name, status);
insert into kith.nominees (tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, updated_at)
values (
  tests.tenant('acme'), tests.nominee('elsewhere'), tests.nominee('other vault'), tests.id('alice'), tests.id('bob'), 'Bob', 'accepted', 'view',
  '2026-03-10T08:00Z', tests.id('alice'), '2026-03-10T08:00Z', '2026-03-10T08:00Z'
);
create function tests.as_person(p_name text) returns void
  language plpgsql
as $$
begin
  perform tests.as_user('acme', 'alice');
  perform set_config('kith.user_id', tests.person(p_name)::text, true);
end
$$;
create function tests.body(p_required integer, variadic p_names text[]) returns jsonb
  language sql immutable
  return jsonb_build_object('required', p_required, 'nominees', (select jsonb_agg(tests.nominee(name) order by n) from unnest(p_names) with ordinality as names (name, n)));
create function tests.refusal(p_body jsonb) returns text
  language plpgsql
as $$
declare
  v_detail text;
begin
  perform api.set_emergency_quorum(tests.vault(), p_body, '2026-03-10T09:00Z');
  return 'accepted';
exception when sqlstate 'KT422' then
  get stacked diagnostics v_detail = pg_exception_detail;
  return (select string_agg(error ->> 'field', ' ' order by error ->> 'field') from jsonb_array_elements(v_detail::jsonb) as error);
end
$$;
create function tests.ask(p_name text, p_at timestamptz) returns jsonb
  language plpgsql
as $$
declare
  v_answer jsonb;
begin
  perform tests.as_person(p_name);
  v_answer := api.request_emergency_access(tests.vault(), null, p_at);
  perform tests.as_superuser();
  return v_answer;
end
$$;
create function tests.states(p_at timestamptz) returns text
  language sql stable
as $$
  select string_agg(format('%s %s', lower(nominee.name), internal.emergency_status(request, p_at)), ', ' order by nominee.name, request.id)
  from kith.emergency_requests as request
  join kith.nominees as nominee on nominee.id = request.nominee_id
  where request.requested_at >= p_at - interval '60 days' and request.requested_at <= p_at
$$;
create function tests.request(p_name text) returns uuid
  language sql stable
  return (select id from kith.emergency_requests where nominee_id = tests.nominee(p_name) order by id desc limit 1);

-- Setting it.
select tests.as_user('acme', 'alice') \g /dev/null
select throws_ok($$ select api.get_emergency_quorum(tests.vault(), '2026-03-10T09:00Z') $$, 'KT404', null, 'there is no quorum by default');
select is(
  api.set_emergency_quorum(tests.vault(), tests.body(2, 'bob', 'carol', 'dave'), '2026-03-10T09:00Z')::jsonb,
  tests.body(2, 'bob', 'carol', 'dave') || '{"updated_at": "2026-03-10T09:00:00.000000Z"}', 'the owner sets it'
);
select is(api.get_emergency_quorum(tests.vault(), '2026-03-10T09:00Z') ->> 'required', '2', 'and reads it');
select is(tests.refusal(body), fields, format('a quorum with %s: %s', what, fields))
from (values
  ('one who is required', tests.body(1, 'bob', 'carol'), 'required'), ('more than there are', tests.body(3, 'bob', 'carol'), 'required'),
  ('somebody twice', tests.body(2, 'bob', 'bob', 'carol'), 'nominees'), ('a revoked nominee', tests.body(2, 'bob', 'mallory'), 'nominees'),
  ('a nominee of another vault', tests.body(2, 'bob', 'elsewhere'), 'nominees'), ('nobody', '{"required": 2, "nominees": []}', 'required'),
  ('everybody', tests.body(4, 'bob', 'carol', 'dave', 'erin'), 'accepted'), ('2 of 3', tests.body(2, 'bob', 'carol', 'dave'), 'accepted')
) as quorums (what, body, fields);
select tests.as_superuser() \g /dev/null
create function tests.outcome(p_tenant text, p_person text, p_statement text) returns text
  language plpgsql
as $$
begin
  perform tests.as_user(p_tenant, p_person);
  execute p_statement;
  raise exception 'undo' using errcode = 'TT000';
exception
  when sqlstate 'TT000' then
    perform tests.as_superuser();
    return 'ok';
  when others then
    perform tests.as_superuser();
    return regexp_replace(sqlstate, '^KT', '');
end
$$;
select is(
  (select string_agg(tests.outcome(tenant, person, statement), ' ' order by place)
   from (values ('acme', 'alice', 1), ('acme', 'bob', 2), ('acme', 'mallory', 3), ('globex', 'globex-alice', 4)) as people (tenant, person, place)),
  'ok 403 403 404', format('%s: the owner, a nominee, a revoked one and another tenant', name)
)
from (values
  ('get', $$ select api.get_emergency_quorum(tests.vault(), '2026-03-10T09:00Z') $$),
  ('set', $$ select api.set_emergency_quorum(tests.vault(), tests.body(2, 'bob', 'carol'), '2026-03-10T09:00Z') $$),
  ('remove', $$ select api.remove_emergency_quorum(tests.vault(), '2026-03-10T09:00Z') $$)
) as calls (name, statement);
select tests.as_user('acme', 'bob') \g /dev/null
select is((select count(*) from kith.emergency_quorums), 0::bigint, 'the policy shows a quorum to the owner only');

-- Gathering.
select tests.as_user('acme', 'alice') \g /dev/null
select api.set_emergency_settings(tests.vault(), tests.nominee(name), '{"wait_hours": 24, "access_level": "view", "on_request": true}', '2026-03-10T09:00Z')
from unnest(array['bob', 'carol', 'dave', 'erin']) as name \g /dev/null
select tests.as_superuser() \g /dev/null
select is(
  tests.ask('bob', '2026-03-10T10:00Z') @> '{"status": "gathering", "required": 2, "grants_at": null, "ends_at": null}', true, 'the first who asks waits for others'
);
select is(
  (select string_agg(body, '; ') from tests.notifications where user_id = tests.id('alice')),
  'Bob asks for emergency access to Papers. The wait begins when more of your nominees ask.', 'the owner is told at once'
);
select is(tests.outcome('acme', 'bob', $$ select api.enter_emergency(tests.vault(), '2026-03-20T10:00Z') $$), '423', 'alone, nobody gets in, however long it takes');
select is(tests.ask('erin', '2026-03-10T10:30Z') ->> 'status', 'waiting', 'a nominee who is not in the list asks alone');
select is(tests.states('2026-03-10T10:40Z'), 'bob gathering, erin waiting', 'and does not count for the others');
select is(
  tests.ask('carol', '2026-03-10T11:00Z') @> '{"status": "waiting", "grants_at": "2026-03-11T11:00:00.000000Z"}', true, 'the wait begins when the last one needed has asked'
);
select is(
  (select grants_at from kith.emergency_requests where id = tests.request('bob'))::timestamptz, '2026-03-11T11:00Z'::timestamptz, 'for all who have asked'
);
select is(
  (select string_agg(body, '; ') from tests.notifications where user_id = tests.id('bob')), 'You get into Papers on 11 March 2026, 11:00 unless Alice says no.',
  'those who asked before are told'
);
select is(
  (select count(*) from tests.notifications where user_id = tests.id('alice') and body ~ 'They get in on 11 March 2026, 11:00'), 2::bigint, 'the owner is told of each'
);
select is(tests.ask('dave', '2026-03-10T23:00Z') ->> 'grants_at', '2026-03-11T23:00:00.000000Z', 'a later one has a wait of their own');
select tests.as_user('acme', 'alice') \g /dev/null
select is(
  jsonb_array_length(api.get_emergency_request(tests.vault(), tests.request('bob'), '2026-03-10T23:30Z')::jsonb -> 'asked'), 3, 'the owner sees who has asked'
)
from (select set_config('role', 'none', true)) as superuser;
select tests.as_user('acme', 'bob') \g /dev/null
select tests.as_superuser() \g /dev/null
create temporary table seen as select tests.request('bob') as id;
grant select on seen to public;
select tests.as_user('acme', 'bob') \g /dev/null
select is(
  api.get_emergency_request(tests.vault(), id, '2026-03-10T23:30Z')::jsonb #>> '{asked,0,display_name}' || jsonb_array_length(api.get_emergency_request(tests.vault(), id, '2026-03-10T23:30Z')::jsonb -> 'asked'),
  'Bob1', 'a nominee sees only themselves'
)
from seen;
select tests.as_superuser() \g /dev/null

-- What breaks it.
create function tests.end_of(p_name text, p_reason text, p_at timestamptz) returns void
  language plpgsql
as $$
begin
  perform internal.end_emergency(request, p_reason, request.user_id, p_at) from kith.emergency_requests as request where id = tests.request(p_name);
end
$$;
savepoint complete;
select tests.end_of('dave', 'withdrawn', '2026-03-11T00:00Z') \g /dev/null
select is(tests.states('2026-03-11T00:00Z'), 'bob waiting, carol waiting, dave withdrawn, erin waiting', 'a withdrawal that leaves enough changes nothing');
select tests.end_of('carol', 'withdrawn', '2026-03-11T01:00Z') \g /dev/null
select is(tests.states('2026-03-11T01:00Z'), 'bob gathering, carol withdrawn, dave withdrawn, erin waiting', 'one that breaks the quorum stops the wait of the rest');
select is(
  (select string_agg(action, ' ' order by id) from kith.history where subject_id = tests.request('bob')), 'emergency.requested emergency.waiting emergency.stopped', 'the history has it'
);
select is(tests.ask('dave', '2026-03-11T02:00Z') ->> 'grants_at', '2026-03-12T02:00:00.000000Z', 'when somebody asks again, the wait begins anew');
select is(tests.states('2026-03-11T11:00Z'), 'bob waiting, carol withdrawn, dave withdrawn, dave waiting, erin granted', 'the time before does not count');
rollback to complete;
select tests.end_of('dave', 'rejected', '2026-03-11T00:00Z'), tests.end_of('carol', 'rejected', '2026-03-11T00:00Z') \g /dev/null
select is(tests.states('2026-03-11T12:00Z'), 'bob gathering, carol rejected, dave rejected, erin granted', 'an owner who says no to enough of them stops the rest');
rollback to complete;
select tests.end_of('dave', 'withdrawn', '2026-03-11T11:00Z'), tests.end_of('carol', 'withdrawn', '2026-03-11T11:00Z') \g /dev/null
select is(tests.states('2026-03-11T11:00Z'), 'bob granted, carol withdrawn, dave withdrawn, erin granted', 'after the grant a withdrawal stops nobody else');
rollback to complete;
select tests.as_user('acme', 'alice') \g /dev/null
select api.revoke_nominee(tests.vault(), tests.nominee('dave'), '2026-03-11T00:00Z'), api.revoke_nominee(tests.vault(), tests.nominee('carol'), '2026-03-11T00:00Z') \g /dev/null
select is(
  api.get_emergency_quorum(tests.vault(), '2026-03-11T00:00Z') ->> 'required', '2', 'revoking nominees does not make the quorum easier'
);
select tests.as_superuser() \g /dev/null
select is(tests.states('2026-03-11T12:00Z'), 'bob gathering, carol ended, dave ended, erin granted', 'revoked nominees no longer count');
rollback to complete;
select tests.as_user('acme', 'alice') \g /dev/null
select api.remove_emergency_quorum(tests.vault(), '2026-03-10T23:00Z') \g /dev/null
select throws_ok($$ select api.get_emergency_quorum(tests.vault(), '2026-03-10T23:00Z') $$, 'KT404', null, 'the owner can remove the quorum');
select tests.as_superuser() \g /dev/null
select tests.end_of('bob', 'withdrawn', '2026-03-10T23:10Z') \g /dev/null
select is(tests.ask('bob', '2026-03-10T23:20Z') ->> 'required', '1', 'then each nominee asks alone');

-- A change while requests gather.
rollback to complete;
select tests.end_of('dave', 'withdrawn', '2026-03-10T23:30Z'), tests.end_of('carol', 'withdrawn', '2026-03-10T23:40Z') \g /dev/null
savepoint alone;
select tests.as_user('acme', 'alice') \g /dev/null
select api.remove_emergency_quorum(tests.vault(), '2026-03-11T09:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(
  (select row(required, grants_at::timestamptz) from kith.emergency_requests where id = tests.request('bob')), row(1, '2026-03-12T09:00Z'::timestamptz),
  'when the owner removes the quorum, the wait of a nominee who has asked begins'
);
select is(
  (select count(*) from tests.notifications where user_id = tests.id('alice') and body ~ '^Bob .* They get in on 12 March 2026, 09:00'),
  1::bigint, 'and the owner is told'
);
rollback to alone;
select tests.as_user('acme', 'alice') \g /dev/null
select api.set_emergency_quorum(tests.vault(), tests.body(2, 'carol', 'dave'), '2026-03-11T09:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(
  tests.states('2026-03-11T09:00Z'), 'bob waiting, carol withdrawn, dave withdrawn, erin waiting', 'a nominee whom the owner takes out of the list asks alone'
);
rollback to alone;
select tests.as_user('acme', 'alice') \g /dev/null
select api.set_emergency_quorum(tests.vault(), tests.body(3, 'bob', 'carol', 'dave'), '2026-03-11T09:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(
  (select row(required, waits_from::timestamptz) from kith.emergency_requests where id = tests.request('bob')), row(2, null::timestamptz),
  'an open request does not get a higher number'
);
update kith.emergency_requests set required = 3 where id = tests.request('bob');
select tests.ask('carol', '2026-03-11T10:00Z') \g /dev/null
select is(tests.states('2026-03-11T10:00Z'), 'bob gathering, carol withdrawn, carol gathering, dave withdrawn, erin waiting', 'two of three gather');
select tests.as_user('acme', 'alice') \g /dev/null
select api.set_emergency_quorum(tests.vault(), tests.body(2, 'bob', 'carol', 'dave'), '2026-03-11T10:30Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(
  tests.states('2026-03-11T10:30Z'), 'bob waiting, carol withdrawn, carol waiting, dave withdrawn, erin granted', 'and wait as soon as the owner requires only two'
);
rollback to complete;

-- Carol is revoked and invited again. The owner had listed her.
create function tests.invite_carol(p_at timestamptz) returns text
  language sql
  return api.invite_nominees(
    tests.vault(), '[{"name": "Carol", "access_level": "view"}]', 'https://a.example', p_at
  ) #>> '{0,nominee,invitation,token}';
select tests.as_user('acme', 'alice') \g /dev/null
select api.revoke_nominee(tests.vault(), tests.nominee('carol'), '2026-03-11T00:00Z') \g /dev/null
select tests.invite_carol('2026-03-11T01:00Z') as token \gset
select tests.as_superuser() \g /dev/null
create function tests.new_carol() returns uuid
  language sql stable
  return (select id from kith.nominees where name = 'Carol' and status <> 'revoked' and vault_id = tests.vault());
create function tests.listed() returns text
  language sql stable
  return (
    select string_agg(lower(nominee.name) || case nominee.status when 'revoked' then ' (revoked)' else '' end, ' ' order by n) || ', ' || quorum.required
    from kith.emergency_quorums as quorum
    cross join unnest(quorum.nominee_ids) with ordinality as listed (id, n)
    join kith.nominees as nominee on nominee.id = listed.id
    where quorum.vault_id = tests.vault()
    group by quorum.required
  );
create function tests.accept(p_token uuid, p_at timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.as_user('acme', 'carol');
  perform api.accept_invitation(p_token, p_at);
  perform tests.as_superuser();
end
$$;
select tests.new_carol() as carol \gset
select is(tests.listed(), 'bob carol (revoked) dave, 2', 'a revoked nominee stays in the list');
savepoint invited;
-- She was revoked before she had accepted. Then only the contact says who it was; the owner confirms whoever has not verified it.
update kith.nominees set user_id = null, accepted_at = null, email = 'carol@example.org' where id = tests.nominee('carol');
savepoint pending;
update kith.nominees set email = 'Carol@Example.org' where id = :'carol';
select tests.accept(:'token', '2026-03-11T02:00Z') \g /dev/null
select tests.as_user('acme', 'alice') \g /dev/null
select api.confirm_nominee(tests.vault(), :'carol', '2026-03-11T02:30Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.listed(), 'bob carol dave, 2', 'whoever is invited again by the same contact has their place in the list again');
rollback to pending;
update kith.nominees set email = 'carol@example.com' where id = :'carol';
select tests.accept(:'token', '2026-03-11T02:00Z') \g /dev/null
select tests.as_user('acme', 'alice') \g /dev/null
select api.confirm_nominee(tests.vault(), :'carol', '2026-03-11T02:30Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.listed(), 'bob carol (revoked) dave, 2', 'another contact is another person');
rollback to invited;
select tests.accept(:'token', '2026-03-11T02:00Z') \g /dev/null
select is(tests.listed(), 'bob carol dave, 2', 'whoever the owner invites again has their place in the list again');
select is(
  (select actor_id || '' from kith.history where action = 'emergency.quorum_set' and at = '2026-03-11T02:00Z'), null, 'the history has it, as nobody''s act'
);
select tests.as_user('acme', 'alice') \g /dev/null
select api.set_emergency_settings(tests.vault(), :'carol', '{"wait_hours": 24, "access_level": "view", "on_request": true}', '2026-03-11T03:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
create function tests.carol_asks(p_at timestamptz) returns jsonb
  language plpgsql
as $$
declare
  v_answer jsonb;
begin
  perform tests.as_user('acme', 'carol');
  v_answer := api.request_emergency_access(tests.vault(), null, p_at);
  perform tests.as_superuser();
  return v_answer;
end
$$;
select is(tests.carol_asks('2026-03-11T04:00Z') ->> 'required', '2', 'and cannot ask alone');
rollback to invited;
-- Erin, a nominee with level full, has invited her.
update kith.nominees set access_level = 'full' where id = tests.nominee('erin');
update kith.nominees set invited_by_user_id = tests.person('erin') where id = :'carol';
select tests.accept(:'token', '2026-03-11T02:00Z') \g /dev/null
select is(
  tests.listed() || ' ' || (select status from kith.nominees where id = :'carol'), 'bob carol (revoked) dave, 2 accepted',
  'an invitation by another nominee does not give the place back'
);
select tests.as_user('acme', 'alice') \g /dev/null
select api.set_emergency_settings(tests.vault(), :'carol', '{"wait_hours": 24, "access_level": "view", "on_request": true}', '2026-03-11T03:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.listed(), 'bob carol dave, 2', 'a right from the owner does');
rollback to invited;
-- The vault requires a confirmation.
update kith.vaults set require_confirmation = true where id = tests.vault();
select tests.accept(:'token', '2026-03-11T02:00Z') \g /dev/null
select is(tests.listed(), 'bob carol (revoked) dave, 2', 'nor does an acceptance that waits for the owner');
select tests.as_user('acme', 'alice') \g /dev/null
select api.confirm_nominee(tests.vault(), :'carol', '2026-03-11T03:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.listed(), 'bob carol dave, 2', 'the owner''s confirmation does');
rollback to invited;
-- Another person in her stead.
update kith.nominees set user_id = tests.id('mallory') where id = tests.nominee('carol');
select tests.accept(:'token', '2026-03-11T02:00Z') \g /dev/null
select is(tests.listed(), 'bob carol (revoked) dave, 2', 'another person with the same name does not take the place');
rollback to complete;

-- A quorum that is not reached within 30 days. Dave and Carol have withdrawn, so Bob gathers again since 23:40 of 10 March.
select tests.end_of('dave', 'withdrawn', '2026-03-10T23:30Z'), tests.end_of('carol', 'withdrawn', '2026-03-10T23:40Z') \g /dev/null
select internal.end_emergencies_of_nominee(tests.tenant('acme'), tests.nominee('erin'), 'withdrawn', null, '2026-03-10T23:45Z') \g /dev/null
delete from kith.notifications;
create function tests.tell(p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_done integer;
begin
  perform tests.as_role('kith_worker');
  v_done := worker.tell_emergencies(p_now, 100);
  perform tests.as_superuser();
  return v_done;
end
$$;
create function tests.told(p_name text) returns text
  language sql stable
  return (select string_agg(body, '; ' order by id) from tests.notifications where user_id = tests.person(p_name));
savepoint gathering;
select is(tests.tell('2026-04-09T23:39:59Z'), 0, 'for 30 days the worker has nothing to do');
select is(tests.ask('dave', '2026-04-09T23:39:59Z') ->> 'status', 'waiting', 'on the last day somebody can still complete it');
rollback to gathering;
select is(tests.ask('dave', '2026-04-09T23:40Z') ->> 'status', 'gathering', 'after that the first one no longer counts, and no worker has run');
select is(tests.states('2026-04-09T23:40Z'), 'bob ended, carol withdrawn, dave withdrawn, dave gathering, erin withdrawn', 'their request is over');
select is(
  tests.outcome('acme', 'alice', format($$ select api.approve_emergency_request(tests.vault(), %L, '2026-04-09T23:40Z') $$, tests.request('bob'))),
  '409', 'the owner can no longer approve it'
);
select is(
  tests.outcome('acme', 'bob', format($$ select api.withdraw_emergency_request(tests.vault(), %L, '2026-04-09T23:40Z') $$, tests.request('bob'))),
  '409', 'nor can the nominee withdraw it'
);
select tests.as_user('acme', 'alice') \g /dev/null
select api.set_emergency_quorum(tests.vault(), tests.body(2, 'carol', 'dave'), '2026-04-10T09:00Z') \g /dev/null
select api.remove_emergency_quorum(tests.vault(), '2026-04-10T10:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is((select waits_from from kith.emergency_requests where id = tests.request('bob')), null, 'nor does removing the quorum begin its wait');
rollback to gathering;
select is(tests.tell('2026-04-09T23:41Z'), 1, 'the worker records the end');
select is(
  (select row(end_reason, ended_at::timestamptz, ended_by) from kith.emergency_requests where id = tests.request('bob')),
  row('quorum_not_reached'::text, '2026-04-09T23:40Z'::timestamptz, null::uuid), 'at the instant at which it ended'
);
select is(
  tests.told('alice'), 'Bob no longer asks for emergency access to Papers: not enough of your nominees asked within 30 days.', 'the owner is told'
);
select is(
  tests.told('bob'), 'Your request for emergency access to Papers has ended, because not enough nominees asked within 30 days.', 'and so is the nominee'
);
select is(
  (select detail ->> 'reason' from kith.history where subject_id = tests.request('bob') and action = 'emergency.ended'), 'quorum_not_reached', 'the history has it'
);
select is(tests.tell('2026-04-09T23:42Z'), 0, 'once');
rollback to gathering;
select is(tests.ask('bob', '2026-04-09T23:41Z') ->> 'status', 'gathering', 'the nominee can ask again');
rollback to complete;

-- A grant that has run out takes nothing back, so somebody who asks afterwards and withdraws does not stop the wait that is left.
select internal.end_emergencies_of_vault(tests.tenant('acme'), tests.vault(), 'right_ended', null, '2026-03-10T23:30Z') \g /dev/null
update kith.emergency_settings set wait_hours = case nominee_id when tests.nominee('bob') then 1 else 720 end, grant_hours = 1
where vault_id = tests.vault();
select tests.ask(name, '2026-05-10T10:00Z') from unnest(array['bob', 'carol']) as name \g /dev/null
update kith.emergency_requests set required = 2 where vault_id = tests.vault() and ended_at is null and required > 2;
savepoint unequal;
select tests.as_role('kith_worker') \g /dev/null
select worker.tell_emergencies(at, 100) from unnest(array['2026-05-10T11:30Z', '2026-05-10T12:30Z']::timestamptz[]) as at \g /dev/null
select tests.as_superuser() \g /dev/null
select tests.ask('dave', '2026-05-11T10:00Z') \g /dev/null
select tests.as_person('dave') \g /dev/null
select api.withdraw_emergency_request(tests.vault(), tests.request('dave'), '2026-05-11T11:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(
  tests.states('2026-05-11T11:00Z'), 'bob ended, carol waiting, dave withdrawn', 'the withdrawal of somebody whom it never needed does not stop a wait'
);
rollback to unequal;
select tests.ask('dave', '2026-05-11T10:00Z') \g /dev/null
select tests.as_person('dave') \g /dev/null
select api.withdraw_emergency_request(tests.vault(), tests.request('dave'), '2026-05-11T11:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.states('2026-05-11T11:00Z'), 'bob ended, carol waiting, dave withdrawn', 'whether or not the worker has recorded the end of that grant');
rollback to complete;

-- A large quorum: each end changes the requests that are still open.
select internal.end_emergencies_of_vault(tests.tenant('acme'), tests.vault(), 'withdrawn', null, '2026-03-10T23:30Z') \g /dev/null
create function tests.member(p_n integer) returns uuid language sql immutable return md5('member ' || p_n)::uuid;
insert into kith.vaults (tenant_id, id, owner_id, name, created_at, updated_at)
values (tests.tenant('acme'), tests.nominee('large vault'), tests.id('alice'), 'Letters', '2026-04-10T08:00Z', '2026-04-10T08:00Z');
insert into kith.users (tenant_id, id, display_name, tokens_valid_from, created_at, updated_at)
select tests.tenant('acme'), tests.member(n), 'Member ' || n, '2026-01-05T08:00Z', '2026-01-05T08:00Z', '2026-01-05T08:00Z'
from generate_series(1, 14) as n;
insert into kith.nominees (
  tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, updated_at
)
select tests.tenant('acme'), tests.member(n), tests.nominee('large vault'), tests.id('alice'), tests.member(n), 'Member ' || n, 'accepted', 'view',
  '2026-04-10T08:00Z', tests.id('alice'), '2026-04-10T08:00Z', '2026-04-10T08:00Z'
from generate_series(1, 14) as n;
create function tests.gather() returns void
  language plpgsql
as $$
begin
  perform tests.as_user('acme', 'alice');
  perform api.set_emergency_quorum(
    tests.nominee('large vault'),
    jsonb_build_object('required', 8, 'nominees', (select jsonb_agg(tests.member(n)) from generate_series(1, 14) as n)), '2026-04-10T09:00Z'
  );
  for n in 1..14 loop
    perform tests.as_user('acme', 'alice');
    perform api.set_emergency_settings(
      tests.nominee('large vault'), tests.member(n), '{"wait_hours": 24, "access_level": "view", "on_request": true}', '2026-04-10T09:00Z'
    );
    perform set_config('kith.user_id', tests.member(n)::text, true);
    perform api.request_emergency_access(tests.nominee('large vault'), null, '2026-04-10T10:00Z');
  end loop;
  perform tests.as_superuser();
end
$$;
create function tests.ends() returns text
  language sql stable
as $$
  select string_agg(format('%s %s', n, ending), ', ' order by ending)
  from (
    select count(*) as n, coalesce(end_reason, 'open') as ending
    from kith.emergency_requests
    where vault_id = tests.nominee('large vault')
    group by ending
  ) as ended
$$;
select tests.gather() \g /dev/null
savepoint gathered;
select tests.as_user('acme', 'alice') \g /dev/null
select api.delete_vault(tests.nominee('large vault'), '2026-04-10T12:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.ends(), '14 vault_deleted', 'the deletion of a vault ends all requests of a large quorum');
rollback to gathered;
select internal.end_emergencies_by_check_in(tests.tenant('acme'), tests.id('alice'), 'app', '2026-04-10T12:00Z', '2026-04-10T12:00Z') \g /dev/null
select is(tests.ends(), '14 owner_returned', 'and so does a check-in');

select * from finish();
rollback;
