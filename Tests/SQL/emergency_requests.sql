-- Requests for emergency access: asking, answering, withdrawing, what stops the wait, and what each side learns (E02, E03, E06, E07, E10).
begin;
\ir people.sql
select plan(99);

create function tests.vault() returns uuid language sql immutable return '0a000000-0000-7000-8000-000000000001'::uuid;
create function tests.nominee(p_name text) returns uuid language sql immutable return md5(p_name)::uuid;
insert into kith.vaults (tenant_id, id, owner_id, name, created_at, updated_at)
values (tests.tenant('acme'), tests.vault(), tests.id('alice'), 'Papers', '2026-03-10T08:00Z', '2026-03-10T08:00Z');
insert into kith.nominees (
  tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, updated_at
)
select tests.tenant('acme'), tests.nominee(name), tests.vault(), tests.id('alice'), tests.id(name), initcap(name), 'accepted', 'view',
  '2026-03-10T08:00Z', tests.id('alice'), '2026-03-10T08:00Z', '2026-03-10T08:00Z'
from unnest(array['bob', 'carol']) as name;
update kith.users set time_zone = 'Europe/Berlin' where id = tests.id('alice');
update kith.users set time_zone = 'Asia/Tokyo' where id = tests.id('bob');

create function tests.give(p_name text, p_changes jsonb default '{}') returns void
  language plpgsql
as $$
begin
  perform tests.as_user('acme', 'alice');
  perform api.set_emergency_settings(
    tests.vault(), tests.nominee(p_name), '{"wait_hours": 168, "access_level": "edit", "on_request": true}' || p_changes, '2026-03-10T09:00Z'
  );
  perform tests.as_superuser();
end
$$;
create function tests.ask(p_person text, p_at timestamptz) returns jsonb
  language plpgsql
as $$
declare
  v_answer jsonb;
begin
  perform tests.as_user('acme', p_person);
  v_answer := api.request_emergency_access(tests.vault(), 'Alice does not answer', p_at);
  perform tests.as_superuser();
  return v_answer;
end
$$;
create function tests.act(p_person text, p_act text, p_id text, p_at timestamptz) returns jsonb
  language plpgsql
as $$
declare
  v_answer jsonb;
begin
  perform tests.as_user(case p_person when 'globex-alice' then 'globex' else 'acme' end, p_person);
  v_answer := case p_act
    when 'get' then api.get_emergency_request(tests.vault(), p_id::uuid, p_at)
    when 'approve' then api.approve_emergency_request(tests.vault(), p_id::uuid, p_at)
    when 'reject' then api.reject_emergency_request(tests.vault(), p_id::uuid, p_at)
    when 'withdraw' then api.withdraw_emergency_request(tests.vault(), p_id::uuid, p_at)
    when 'enter' then api.enter_emergency(tests.vault(), p_at)
    when 'list' then api.list_emergency_requests(tests.vault(), null, 50, null, p_at)
  end;
  perform tests.as_superuser();
  return v_answer;
end
$$;
create function tests.outcome(p_person text, p_act text, p_id text, p_at timestamptz) returns text
  language plpgsql
as $$
declare
  v_outcome text;
begin
  v_outcome := coalesce(tests.act(p_person, p_act, p_id, p_at) ->> 'status', 'ok');
  raise exception 'undo' using errcode = 'TT000';
exception
  when sqlstate 'TT000' then
    perform tests.as_superuser();
    return v_outcome;
  when others then
    perform tests.as_superuser();
    return regexp_replace(sqlstate, '^KT', '');
end
$$;
create function tests.hint(p_statement text) returns text
  language plpgsql
as $$
declare
  v_hint text;
begin
  execute p_statement;
  return null;
exception when others then
  perform tests.as_superuser();
  get stacked diagnostics v_hint = pg_exception_hint;
  return sqlstate || ' ' || v_hint;
end
$$;
create function tests.told(p_person text, p_since timestamptz default '2026-03-10T09:00Z') returns text
  language sql stable
as $$
  select string_agg(title || ': ' || body, '; ' order by id) from tests.notifications
  where user_id = tests.id(p_person) and type like 'emergency%' and created_at >= p_since
$$;
create function tests.events(p_person text) returns bigint
  language sql stable
  return (select count(*) from kith.events where user_id = tests.id(p_person) and type = 'emergency_request');
create function tests.silence(p_name text, p_at timestamptz) returns uuid
  language plpgsql
as $$
declare
  v_id uuid := internal.uuid7(p_at);
begin
  insert into kith.emergency_requests (
    tenant_id, id, vault_id, nominee_id, owner_id, user_id, cause, missed_days, wait_hours, access_level, grant_hours, reject_on_check_in,
    sign_of_life, required, requested_at
  )
  values (
    tests.tenant('acme'), v_id, tests.vault(), tests.nominee(p_name), tests.id('alice'), tests.id(p_name), 'silence', 3, 168, 'edit', 72, true,
    'check_in', 1, p_at
  );
  perform set_config('kith.tenant_id', tests.tenant('acme')::text, true);
  perform internal.begin_wait(v_id, p_at);
  perform tests.as_superuser();
  return v_id;
end
$$;

-- Without a right.
select throws_ok(
  $$ select tests.ask('bob', '2026-03-10T10:00Z') $$, 'KT403', 'forbidden', 'a nominee without the right cannot ask'
);
select tests.as_superuser() \g /dev/null
select tests.give('bob', '{"on_request": false, "after_missed_days": 3}') \g /dev/null
select throws_ok(
  $$ select tests.ask('bob', '2026-03-10T10:00Z') $$, 'KT403', 'forbidden', 'nor one whose wait only silence begins'
);
select tests.as_superuser() \g /dev/null
select throws_ok($$ select tests.ask('alice', '2026-03-10T10:00Z') $$, 'KT403', null, 'the owner cannot ask');
select tests.as_superuser() \g /dev/null
select throws_ok($$ select tests.ask('mallory', '2026-03-10T10:00Z') $$, 'KT404', null, 'a stranger does not find the vault');
select tests.as_superuser() \g /dev/null

-- Asking. The right is not visible; asking needs no more than having it.
select tests.give('bob') \g /dev/null
create temporary table asked as select tests.ask('bob', '2026-03-10T10:00Z') as answer;
grant select on asked to public;
select answer ->> 'id' as request from asked \gset
select is(
  answer - array['id', 'vault_id', 'nominee_id'],
  '{"nominee": null, "cause": "request", "status": "waiting", "reason": "Alice does not answer", "missed_days": null, "access_level": "edit",
    "requested_at": "2026-03-10T10:00:00.000000Z", "grants_at": "2026-03-17T10:00:00.000000Z", "ends_at": "2026-03-20T10:00:00.000000Z",
    "required": 1, "held": false, "held_until": null, "ended_at": null, "inside_since": null, "delays": []}'::jsonb
    || jsonb_build_object(
      'vault', jsonb_build_object('id', answer ->> 'vault_id', 'name', 'Papers'),
      'owner', jsonb_build_object('id', '0a11ce00-0000-7000-8000-000000000001', 'display_name', 'Alice'),
      'nominee', jsonb_build_object('id', tests.nominee('bob'), 'display_name', 'Bob'),
      'asked', jsonb_build_array(jsonb_build_object('id', tests.nominee('bob'), 'display_name', 'Bob'))
    ),
  'the wait begins at once, and the answer has its instants'
)
from asked;
select is(
  tests.told('alice'), 'Emergency Access: Bob asks for emergency access to Papers. They get in on 17 March 2026, 11:00 unless you say no.',
  'the owner is told at once, in their time zone'
);
select is(tests.told('bob'), null, 'the nominee has the answer to the call');
select is(
  (select notice_id from kith.emergency_requests where id = :'request'),
  (select id from kith.notifications where user_id = tests.id('alice') and type = 'emergency_requested'), 'the request knows its notice'
);
select is(
  (select notice_at from kith.emergency_requests where id = :'request')::timestamptz, '2026-03-15T10:00Z'::timestamptz, 'the next notice is due 2 days before'
);
select isnt(
  (select emergency_since from kith.sender_profiles where user_id = tests.id('alice') and tenant_id = tests.tenant('acme')), null, 'a check-in will look for it'
);
select is(tests.events('alice') || ' ' || tests.events('bob') || ' ' || tests.events('carol'), '1 1 0', 'both sides'' screens show it, and nobody else''s');
select is(
  (select string_agg(action, ' ' order by id) from kith.history where subject_id = :'request'), 'emergency.requested emergency.waiting', 'the history has it'
);
select is(tests.outcome('bob', 'enter', null, '2026-03-10T11:00Z'), '423', 'the nominee cannot enter before the grant');
select is(
  tests.hint($$ select tests.act('bob', 'enter', null, '2026-03-17T09:59:59.999Z') $$), 'KT423 2026-03-17T10:00:00.000000Z',
  'the refusal says when'
);
select throws_ok($$ select tests.ask('bob', '2026-03-10T11:00Z') $$, 'KT409', null, 'a nominee has one open request');
select tests.as_superuser() \g /dev/null

-- Person and act.
select is(
  (select string_agg(tests.outcome(person, act, :'request', '2026-03-11T10:00Z'), ' ' order by place)
   from unnest(array['alice', 'bob', 'carol', 'mallory', 'globex-alice']) with ordinality as people (person, place)),
  expected, format('%s: the owner, the nominee, another nominee, a stranger and another tenant get %s', act, expected)
)
from (values
  ('get', 'waiting waiting 404 404 404'), ('approve', 'granted 403 404 404 404'), ('reject', 'rejected 403 404 404 404'),
  ('withdraw', '403 withdrawn 404 404 404'), ('list', 'ok ok ok 404 404'), ('enter', '403 423 403 404 404')
) as acts (act, expected);
select is(
  (select string_agg(jsonb_array_length(tests.act(person, 'list', null, '2026-03-11T10:00Z') -> 'items')::text, ' ' order by place)
   from unnest(array['alice', 'bob', 'carol']) with ordinality as people (person, place)),
  '1 1 0', 'the owner sees all requests, a nominee only their own'
);
select tests.as_user('acme', 'alice') \g /dev/null
select is(
  (select string_agg(jsonb_array_length(api.list_emergency_requests(tests.vault(), status, 50, null, '2026-03-11T10:00Z')::jsonb -> 'items')::text, ' ' order by n)
   from unnest(array['gathering', 'waiting', 'granted', 'ended', 'rejected', 'withdrawn']) with ordinality as statuses (status, n)),
  '0 1 0 0 0 0', 'the list can be restricted to a status'
);
select is(
  (select string_agg(jsonb_array_length(api.list_emergency_requests(tests.vault(), 'granted', 50, null, at::timestamptz)::jsonb -> 'items')::text, ' ' order by at)
   from unnest(array['2026-03-17T09:59:59.999Z', '2026-03-17T10:00Z', '2026-03-20T09:59:59.999Z', '2026-03-20T10:00Z']) as at),
  '0 1 1 0', 'the status is computed from the instants, to the second'
);
select tests.as_superuser() \g /dev/null

-- A no.
select is(tests.act('alice', 'reject', :'request', '2026-03-11T12:00Z') ->> 'ended_at', '2026-03-11T12:00:00.000000Z', 'the owner says no');
select is(
  (select internal.notification_data(type, data, null, null) -> 'about' from kith.notifications where user_id = tests.id('bob') and type = 'emergency_rejected'),
  jsonb_build_object('type', 'emergency_request', 'id', :'request'), 'the notification leads to the request'
);
select is(tests.told('bob'), 'Emergency Access: Alice said no to your emergency access to Papers.', 'the nominee is told');
select is(
  tests.act('bob', 'get', :'request', '2026-03-11T12:01Z') @> '{"status": "rejected", "ended_at": "2026-03-11T12:00:00.000000Z"}', true,
  'the nominee learns that the owner said no, and when, as the notification has told them'
);
select is(
  (select answered_at from kith.signs_of_life where user_id = tests.id('alice'))::timestamptz, '2026-03-11T12:00Z'::timestamptz, 'the answer is a sign of life'
);
select is(tests.act('alice', 'reject', :'request', '2026-03-11T12:02Z') ->> 'ended_at', '2026-03-11T12:00:00.000000Z', 'a second no changes nothing');
select is(tests.outcome('alice', 'approve', :'request', '2026-03-11T12:02Z'), '409', 'a rejected request cannot be approved');
select is(tests.outcome('bob', 'withdraw', :'request', '2026-03-11T12:02Z'), '409', 'nor withdrawn');
select is(tests.outcome('bob', 'enter', null, '2026-03-17T10:00Z'), '403', 'nor does it grant anything later');
select is(
  tests.hint($$ select tests.ask('bob', '2026-03-12T11:59:00Z') $$), 'KT429 3600', 'the nominee can ask again only after 24 hours, and the whole hours do not tell when the owner said no'
);

-- Three in 30 days.
select tests.ask('bob', '2026-03-12T12:00Z') ->> 'id' as second \gset
select tests.act('alice', 'reject', :'second', '2026-03-12T12:10Z') \g /dev/null
select tests.ask('bob', '2026-04-10T11:00Z') ->> 'id' as third \gset
select is(
  (select ended_at from kith.emergency_settings where nominee_id = tests.nominee('bob')), null, 'two rejections leave the right'
);
select tests.act('alice', 'reject', :'third', '2026-04-10T11:59Z') \g /dev/null
select is(
  (select ended_at from kith.emergency_settings where nominee_id = tests.nominee('bob'))::timestamptz, '2026-04-10T11:59Z'::timestamptz,
  'the third within 30 days ends it'
);
select throws_ok($$ select tests.ask('bob', '2026-04-11T12:00Z') $$, 'KT403', 'forbidden', 'the nominee cannot ask any more');
select tests.as_superuser() \g /dev/null
select is(
  (select string_agg(subject_type, ' ') from kith.history where action = 'emergency.used_up'), 'nominee', 'the history says why'
);
select is(
  (select array_agg(event.user_id) from kith.events as event
   where event.type = 'nominee' and event.subject_id = tests.nominee('bob') and event.id >= internal.first_uuid7('2026-04-10T11:59Z')),
  array[tests.id('alice')], 'the owner gets an event of the right, and a nominee who does not see it gets none'
);
select tests.as_user('acme', 'alice') \g /dev/null
select is(
  api.set_emergency_settings(
    tests.vault(), tests.nominee('bob'), '{"wait_hours": 168, "access_level": "edit", "on_request": true}', '2026-04-11T12:00Z'
  ) ->> 'ended_at', null, 'the owner can give the right anew'
);
select tests.as_superuser() \g /dev/null
select tests.ask('bob', '2026-04-11T12:05Z') ->> 'id' as fourth \gset
select tests.act('alice', 'reject', :'fourth', '2026-04-11T12:06Z') \g /dev/null
select is(
  (select ended_at from kith.emergency_settings where nominee_id = tests.nominee('bob')), null, 'rejections before that do not count any more'
);

-- Withdrawing, and asking too often.
select tests.ask('bob', '2026-05-01T10:00Z') ->> 'id' as withdrawn \gset
select is(tests.act('bob', 'withdraw', :'withdrawn', '2026-05-01T11:00Z') ->> 'status', 'withdrawn', 'a nominee can withdraw');
select is(
  tests.told('alice', '2026-05-01T11:00Z'), 'Emergency Access: Bob no longer asks for emergency access to Papers.', 'the owner hears that it is over'
);
select is(tests.act('bob', 'withdraw', :'withdrawn', '2026-05-01T11:30Z') ->> 'status', 'withdrawn', 'withdrawing twice changes nothing');
select tests.act('bob', 'withdraw', tests.ask('bob', '2026-05-01T12:00Z') ->> 'id', '2026-05-01T12:30Z') \g /dev/null
select tests.act('bob', 'withdraw', tests.ask('bob', '2026-05-01T13:00Z') ->> 'id', '2026-05-01T13:30Z') \g /dev/null
select is(
  tests.hint($$ select tests.ask('bob', '2026-05-01T14:00Z') $$), 'KT429 72000', 'a nominee can ask three times within 24 hours'
);

-- The grant.
select tests.ask('bob', '2026-05-10T10:00Z') ->> 'id' as approved \gset
select is(
  tests.act('alice', 'approve', :'approved', '2026-05-11T10:00Z') @>
    '{"status": "granted", "grants_at": "2026-05-11T10:00:00.000000Z", "ends_at": "2026-05-14T10:00:00.000000Z"}', true,
  'the owner can grant before the wait is over, for as long'
);
select is(
  tests.told('bob', '2026-05-11T10:00Z'), 'Emergency Access: You can enter Papers now, until 14 May 2026, 19:00.', 'the nominee is told, in their time zone'
);
select is(tests.act('alice', 'approve', :'approved', '2026-05-11T11:00Z') ->> 'grants_at', '2026-05-11T10:00:00.000000Z', 'a second yes changes nothing');
select is(
  tests.act('bob', 'enter', null, '2026-05-11T12:00Z') @> '{"kind": "emergency", "expires_at": "2026-05-14T10:00:00.000000Z"}', true, 'the nominee enters'
);
select is(
  tests.told('alice', '2026-05-11T12:00Z'), 'Emergency Access: Bob has entered Papers and can stay until 14 May 2026, 12:00. Say no to end it.',
  'the owner hears of it'
);
select is(
  tests.act('bob', 'enter', null, '2026-05-11T13:00Z') ->> 'opened_at', '2026-05-11T12:00:00.000000Z', 'entering again returns the same session'
);
select is(tests.told('alice', '2026-05-11T13:00Z'), null, 'which is told only once');
select is(tests.act('alice', 'reject', :'approved', '2026-05-11T14:00Z') ->> 'status', 'rejected', 'the owner can say no after the grant');
select is(
  (select lock_reason || ' ' || locked_at from kith.vault_sessions where request_id = :'approved'), 'emergency_ended 2026-05-11 14:00:00+00',
  'that ends the session at the instant'
);
select tests.ask('bob', '2026-06-20T10:00Z') ->> 'id' as expired \gset
select is(tests.outcome('bob', 'get', :'expired', '2026-06-30T10:00Z'), 'ended', 'a grant that nobody uses runs out');
select is(tests.outcome('bob', 'enter', null, '2026-06-30T10:00Z'), '403', 'and grants nothing any more');
select is(tests.outcome('alice', 'reject', :'expired', '2026-06-30T10:00Z'), '409', 'there is nothing left to reject');
select tests.ask('bob', '2026-06-30T10:00Z') ->> 'id' as again \gset
select is(
  (select end_reason || ' ' || ended_at from kith.emergency_requests where id = :'expired'), 'expired 2026-06-30 10:00:00+00',
  'the next request records the end where it was'
);
select tests.act('bob', 'withdraw', :'again', '2026-06-30T10:01Z') \g /dev/null

-- What stops the wait.
create function tests.instants(p_id uuid, p_at timestamptz) returns text
  language plpgsql stable
as $$
declare
  v_instants record;
begin
  select found.* into v_instants from kith.emergency_requests as request, internal.emergency_instants(request, p_at) as found where request.id = p_id;
  return concat_ws(' ', internal.local_text(v_instants.grants_at, 'UTC'), internal.local_text(v_instants.ends_at, 'UTC'), v_instants.stands_still);
end
$$;
delete from kith.outages;
select tests.ask('bob', '2026-07-10T10:00Z') ->> 'id' as delayed \gset
update kith.notifications set planned_at = created_at where planned_at is null;
select is(tests.instants(:'delayed', '2026-07-11T10:00Z'), '17 July 2026, 10:00 20 July 2026, 10:00 f', 'nothing has happened yet');
insert into kith.outages (component, began_at, ended_at)
values
  ('server', '2026-07-10T08:00Z', '2026-07-10T11:00Z'), ('worker', '2026-07-11T08:00Z', '2026-07-12T08:00Z'),
  ('server', '2026-07-17T10:30Z', '2026-07-17T11:30Z'), ('server', '2026-07-17T12:00Z', '2026-07-17T13:00Z');
select is(
  tests.instants(:'delayed', '2026-07-12T10:00Z'), '17 July 2026, 11:00 20 July 2026, 11:00 f',
  'an outage of the servers since the wait began moves the grant; one of the worker, which has told the owner, does not'
);
select is(
  tests.instants(:'delayed', '2026-07-17T11:29Z'), '17 July 2026, 11:59 20 July 2026, 11:59 t',
  'an outage moves the grant, also one that begins in the time that another one added'
);
select is(
  tests.instants(:'delayed', '2026-07-18T10:00Z'), '17 July 2026, 12:00 20 July 2026, 12:00 f', 'an outage that begins with the grant does not'
);
select is(tests.outcome('bob', 'enter', null, '2026-07-17T11:59:59Z'), '423', 'the nominee cannot enter at the instant without the outages');
select is(tests.outcome('bob', 'enter', null, '2026-07-17T12:00Z'), 'ok', 'the nominee can enter at the instant with them');
delete from kith.outages;
update kith.tenants set suspended_at = '2026-07-15T10:00Z' where slug = 'acme';
select is(tests.instants(:'delayed', '2026-07-16T10:00Z'), '18 July 2026, 10:00 21 July 2026, 10:00 t', 'a suspension of the tenant stops the wait');
update kith.tenants set suspended_at = null where slug = 'acme';
update kith.emergency_requests set undelivered_since = '2026-07-10T10:00Z' where id = :'delayed';
select is(
  tests.instants(:'delayed', '2026-07-12T10:00Z'), '19 July 2026, 10:00 22 July 2026, 10:00 t', 'notices that reach nobody stop the wait'
);
select is(
  tests.instants(:'delayed', '2026-07-24T09:59Z'), '24 July 2026, 10:00 27 July 2026, 10:00 f', 'but at most for its own length'
);
update kith.emergency_requests set undelivered_since = null, held_at = '2026-07-12T10:00Z', hold_reason = 'a complaint' where id = :'delayed';
select is(tests.instants(:'delayed', '2026-08-12T10:00Z'), '17 August 2026, 10:00 20 August 2026, 10:00 t', 'a hold stops it as long as it lasts');
select is(tests.outcome('bob', 'enter', null, '2026-08-18T10:00Z'), '423', 'a held request lets nobody in');
select is(tests.outcome('alice', 'approve', :'delayed', '2026-08-12T10:00Z'), '409', 'nor can the account of the owner hasten it');
select is(
  tests.act('bob', 'get', :'delayed', '2026-08-12T10:00Z') @> '{"held": true, "held_until": null, "status": "waiting"}', true, 'both sides see the hold'
);
select is(tests.act('alice', 'get', :'delayed', '2026-08-12T10:00Z')::text ~ 'complaint', false, 'but not its reason');
update kith.emergency_requests set held_until = '2026-07-14T10:00Z' where id = :'delayed';
select is(
  tests.instants(:'delayed', '2026-07-15T10:00Z'), '19 July 2026, 10:00 22 July 2026, 10:00 f', 'a hold that has ended by itself has moved the grant'
);
update kith.emergency_requests set held_at = null, held_until = null, hold_reason = null where id = :'delayed';
select is(tests.act('alice', 'reject', :'delayed', '2026-07-12T10:00Z') ->> 'status', 'rejected', 'a request that was delayed can be rejected');

-- A check-in while somebody asks is a no, too: a nominee who asks daily loses the right.
savepoint daily;
select tests.ask('bob', '2026-08-20T10:00Z') ->> 'id' as daily \gset
select internal.end_emergency(request, 'owner_returned', request.owner_id, '2026-08-20T12:00Z') from kith.emergency_requests as request where id = :'daily' \g /dev/null
select is(tests.hint($$ select tests.ask('bob', '2026-08-21T11:00Z') $$), 'KT429 3600', 'a check-in that ends a request counts as a no for 24 hours');
select tests.ask('bob', '2026-08-21T12:00Z') ->> 'id' as daily \gset
select internal.end_emergency(request, 'owner_returned', request.owner_id, '2026-08-21T12:30Z') from kith.emergency_requests as request where id = :'daily' \g /dev/null
select tests.ask('bob', '2026-08-22T13:00Z') ->> 'id' as daily \gset
select internal.end_emergency(request, 'owner_returned', request.owner_id, '2026-08-22T13:30Z') from kith.emergency_requests as request where id = :'daily' \g /dev/null
select isnt((select ended_at from kith.emergency_settings where nominee_id = tests.nominee('bob')), null, 'and three of them end the right');
rollback to daily;

-- The terms of a wait that has begun stay.
select tests.ask('bob', '2026-09-10T10:00Z') ->> 'id' as kept \gset
select tests.give('bob', '{"wait_hours": 1, "access_level": "view", "grant_hours": 1}') \g /dev/null
select is(
  tests.act('bob', 'get', :'kept', '2026-09-10T12:00Z') @> '{"status": "waiting", "grants_at": "2026-09-17T10:00:00.000000Z", "access_level": "edit"}', true,
  'a change of the right does not shorten a wait that has begun'
);

-- Each end, at its instant.
create function tests.ends(p_statement text, p_person text) returns text
  language plpgsql
as $$
declare
  v_outcome text;
begin
  perform tests.as_user('acme', p_person);
  execute p_statement;
  perform tests.as_superuser();
  select format('%s %s %s', coalesce(request.end_reason, 'deleted'), coalesce(session.lock_reason, 'deleted'), to_char(request.ended_at, 'HH24:MI')) into v_outcome
  from (select 1) as one
  left join kith.emergency_requests as request on request.requested_at = '2026-09-10T10:00Z'
  left join kith.vault_sessions as session on session.request_id = request.id;
  raise exception '%', v_outcome using errcode = 'TT000';
exception when sqlstate 'TT000' then
  perform tests.as_superuser();
  return v_outcome;
end
$$;
select tests.act('bob', 'enter', null, '2026-09-17T10:00Z') \g /dev/null
select is(tests.ends(statement, person), expected, format('%s %s: %s', person, what, expected))
from (values
  ('alice', 'revokes', $$ select api.revoke_nominee(tests.vault(), tests.nominee('bob'), '2026-09-18T10:01Z') $$, 'revoked owner_revoked 10:01'),
  ('alice', 'pauses', $$ select api.update_nominee(tests.vault(), tests.nominee('bob'), '{"status": "inactive"}', '2026-09-18T10:02Z') $$, 'inactive owner_revoked 10:02'),
  ('bob', 'leaves', $$ select api.revoke_nominee(tests.vault(), tests.nominee('bob'), '2026-09-18T10:03Z') $$, 'declined emergency_ended 10:03'),
  ('alice', 'deletes the vault', $$ select api.delete_vault(tests.vault(), '2026-09-18T10:04Z') $$, 'vault_deleted vault_deleted 10:04'),
  ('alice', 'takes the right', $$ select api.remove_emergency_settings(tests.vault(), tests.nominee('bob'), '2026-09-18T10:05Z') $$, 'right_ended emergency_ended 10:05'),
  ('alice', 'takes it by PATCH', $$ select api.update_nominee(tests.vault(), tests.nominee('bob'), '{"emergency": null}', '2026-09-18T10:06Z') $$, 'right_ended emergency_ended 10:06'),
  ('alice', 'deletes her account', $$ select api.delete_me('delete', '2026-09-18T10:07Z') $$, 'deleted deleted '),
  ('bob', 'deletes his account', $$ select api.delete_me('delete', '2026-09-18T10:08Z') $$, 'account_deleted manual 10:08')
) as ends (person, what, statement, expected);

-- Silence: a nominee who does not see the right learns nothing before the grant.
select tests.act('alice', 'reject', :'kept', '2026-09-18T12:00Z') \g /dev/null
select tests.give('carol', '{"after_missed_days": 3}') \g /dev/null
delete from kith.events;
select tests.silence('carol', '2026-10-10T10:00Z') as silent \gset
select is(
  tests.told('alice', '2026-10-10T10:00Z'),
  'Emergency Access: You have not checked in for 3 days. Carol gets into Papers on 17 October 2026, 12:00 unless you check in.',
  'the owner is told that they have been silent'
);
select is(coalesce(tests.told('carol'), '') || tests.events('carol'), '0', 'the nominee is told nothing');
select is(tests.outcome('carol', 'get', :'silent', '2026-10-11T10:00Z'), '404', 'the nominee does not find the request');
select is(tests.act('carol', 'list', null, '2026-10-11T10:00Z') -> 'items', '[]', 'the list does not count it');
select is(
  tests.outcome('carol', 'enter', null, '2026-10-11T10:00Z'), '403', 'entering does not give it away either'
);
select is(tests.outcome('carol', 'withdraw', :'silent', '2026-10-11T10:00Z'), '404', 'nor does withdrawing');
select tests.as_user('acme', 'carol') \g /dev/null
select set_config('kith.now', '2026-10-11T10:00Z', true) \g /dev/null
select is((select count(*) from kith.emergency_requests), 0::bigint, 'nor does the table');
select tests.as_superuser() \g /dev/null
select is(tests.act('alice', 'get', :'silent', '2026-10-11T10:00Z') ->> 'missed_days', '3', 'the owner sees how long they were silent');
select is(
  tests.act('carol', 'get', :'silent', '2026-10-17T10:00Z') @> '{"cause": "silence", "status": "granted", "missed_days": null}', true,
  'from the grant on the nominee sees it'
);
savepoint before_return;
select internal.end_emergency(request, 'owner_returned', request.owner_id, '2026-10-11T10:00Z') from kith.emergency_requests as request where id = :'silent' \g /dev/null
select is(coalesce(tests.told('carol'), '') || tests.events('carol'), '0', 'the owner''s return before the grant is not told either');
rollback to before_return;
select internal.end_emergency(request, 'owner_returned', request.owner_id, '2026-10-18T10:00Z') from kith.emergency_requests as request where id = :'silent' \g /dev/null
select is(
  tests.told('carol'), 'Emergency Access: Alice is safe. Your emergency access to Papers has ended.', 'after the grant the nominee hears that the owner is safe'
);
select is(
  (select count(*) from kith.emergency_settings where nominee_id = tests.nominee('carol') and ended_at is null), 1::bigint,
  'a return from silence is not a rejection'
);

-- Forgetting a person.
select tests.as_user('acme', 'bob') \g /dev/null
select api.delete_me('delete', '2026-11-01T10:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(
  (select string_agg(distinct body, '; ') from tests.notifications where user_id = tests.id('alice') and type = 'emergency_requested' and body ~ '17 March'),
  'Someone asks for emergency access to Papers. They get in on 17 March 2026, 11:00 unless you say no.',
  'a notification no longer names a person who has left, and keeps the rest'
);
select is((select count(*) from kith.emergency_requests where user_id = tests.id('bob') and reason is not null), 0::bigint, 'their words are gone');

select * from finish();
rollback;
