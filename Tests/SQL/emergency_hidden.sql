-- A nominee who asks while a hidden silence waits: nothing that they see differs from what a nominee sees whose owner is not silent (E01 to E03).
begin;
\ir people.sql
select plan(53);

create function tests.vault() returns uuid language sql immutable return '0a000000-0000-7000-8000-000000000001'::uuid;
create function tests.nominee(p_name text) returns uuid language sql immutable return md5(p_name)::uuid;
insert into kith.vaults (tenant_id, id, owner_id, name, created_at, updated_at)
values (tests.tenant('acme'), tests.vault(), tests.id('alice'), 'Papers', '2026-03-01T08:00Z', '2026-03-01T08:00Z');
-- Bob's wait by silence is hidden. For Carol there is none.
insert into kith.nominees (
  tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, updated_at
)
select tests.tenant('acme'), tests.nominee(name), tests.vault(), tests.id('alice'), tests.id(name), initcap(name), 'accepted', 'view',
  '2026-03-01T08:00Z', tests.id('alice'), '2026-03-01T08:00Z', '2026-03-01T08:00Z'
from unnest(array['bob', 'carol']) as name;
create function tests.do(p_person text, p_act text, p_id uuid, p_at timestamptz) returns jsonb
  language plpgsql
as $$
declare
  v_answer jsonb;
begin
  perform tests.as_user('acme', p_person);
  v_answer := case p_act
    when 'ask' then api.request_emergency_access(tests.vault(), 'Alice does not answer', p_at)
    when 'get' then api.get_emergency_request(tests.vault(), p_id, p_at)
    when 'approve' then api.approve_emergency_request(tests.vault(), p_id, p_at)
    when 'reject' then api.reject_emergency_request(tests.vault(), p_id, p_at)
    when 'withdraw' then api.withdraw_emergency_request(tests.vault(), p_id, p_at)
    when 'enter' then api.enter_emergency(tests.vault(), p_at)
    when 'list' then api.list_emergency_requests(tests.vault(), null, 50, null, p_at)
    when 'mine' then api.my_emergency(p_at) -> 'as_nominee'
    when 'rights' then api.set_emergency_settings(
      tests.vault(), p_id, '{"wait_hours": 168, "access_level": "view", "on_request": true, "after_missed_days": 3}', p_at
    )
  end;
  perform tests.as_superuser();
  return v_answer;
end
$$;
create function tests.refusal(p_person text, p_act text, p_id uuid, p_at timestamptz) returns text
  language plpgsql
as $$
declare
  v_detail text;
  v_hint text;
begin
  perform tests.do(p_person, p_act, p_id, p_at);
  raise exception 'undo' using errcode = 'TT000';
exception
  when sqlstate 'TT000' then
    perform tests.as_superuser();
    return 'ok';
  when others then
    perform tests.as_superuser();
    get stacked diagnostics v_detail = pg_exception_detail, v_hint = pg_exception_hint;
    return format('%s %s %s %s', sqlstate, sqlerrm, v_detail, v_hint);
end
$$;
-- Without what necessarily differs between two people.
create function tests.plain(p_person text, p_text text) returns text
  language sql stable
as $$
  select replace(
    replace(regexp_replace(p_text, '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}', '<id>', 'g'), tests.nominee(p_person)::text, '<nominee>'),
    initcap(p_person), '<name>'
  )
$$;
create function tests.asked(p_person text) returns uuid
  language sql stable
  return (
    select id from kith.emergency_requests where nominee_id = tests.nominee(p_person) and cause = 'request' order by id desc limit 1
  );
create function tests.same(p_act text, p_at timestamptz) returns text
  language sql
as $$
  select case
    when count(distinct tests.plain(person, tests.do(person, p_act, tests.asked(person), p_at)::text)) = 1 then 'same'
    else string_agg(tests.plain(person, tests.do(person, p_act, tests.asked(person), p_at)::text), e'\n' order by person)
  end
  from unnest(array['bob', 'carol']) as person
$$;
create function tests.silence(p_person text) returns uuid
  language sql stable
  return (
    select id from kith.emergency_requests where nominee_id = tests.nominee(p_person) and cause = 'silence' order by id desc limit 1
  );
create function tests.states(p_at timestamptz) returns text
  language sql stable
as $$
  select string_agg(
    format('%s %s %s', lower(nominee.name), request.cause, coalesce(request.end_reason, internal.emergency_status(request, p_at))), ', '
    order by nominee.name, request.id
  )
  from kith.emergency_requests as request
  join kith.nominees as nominee on nominee.id = request.nominee_id
$$;
create function tests.told(p_person text, p_since timestamptz) returns text
  language sql stable
as $$
  select string_agg(body, '; ' order by body) from tests.notifications
  where user_id = tests.id(p_person) and type like 'emergency%' and created_at >= p_since
$$;
create function tests.fall_silent(p_person text, p_at timestamptz) returns void
  language plpgsql
as $$
begin
  perform internal.begin_silence(given, tests.id(p_person), 3, p_at) from kith.emergency_settings as given where nominee_id = tests.nominee(p_person);
  perform tests.as_superuser();
end
$$;
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

select tests.do('alice', 'rights', tests.nominee(name), '2026-03-01T09:00Z') from unnest(array['bob', 'carol']) as name \g /dev/null
select tests.fall_silent('bob', '2026-03-10T10:00Z') \g /dev/null
delete from kith.events;

-- Asking.
create temporary table answers as
select person, tests.do(person, 'ask', null, '2026-03-12T10:00Z') as answer from unnest(array['bob', 'carol']) as person;
select is(
  (select plain from (select tests.plain(person, answer::text) as plain from answers where person = 'bob') as bob),
  (select plain from (select tests.plain(person, answer::text) as plain from answers where person = 'carol') as carol),
  'asking answers as if the owner were not silent'
);
select is(
  (select answer @> '{"cause": "request", "status": "waiting", "requested_at": "2026-03-12T10:00:00.000000Z", "grants_at": "2026-03-19T10:00:00.000000Z",
    "ended_at": null, "delays": []}' from answers where person = 'bob'), true, 'with a wait of its own'
);
select is(tests.states('2026-03-12T10:00Z'), 'bob silence waiting, bob request waiting, carol request waiting', 'the silence goes on beside it');
select is(
  tests.told('alice', '2026-03-12T10:00Z'),
  'Bob asks for emergency access to Papers. They get in on 17 March 2026, 10:00 unless you say no.; '
    || 'Carol asks for emergency access to Papers. They get in on 19 March 2026, 10:00 unless you say no.',
  'the owner is told of the asking, with the instant at which the nominee gets in first'
);
select is(coalesce(tests.told('bob', '2026-03-10T10:00Z'), 'nothing'), 'nothing', 'the nominee has the answer, and is told no more');
select is(
  (select count(*) from kith.events where user_id = tests.id('bob') and type = 'emergency_request' and subject_id <> tests.asked('bob')), 0::bigint,
  'no event gives the silence away'
);
select is(
  (select count(*) from kith.events where user_id = tests.id('bob') and type = 'emergency_request'),
  (select count(*) from kith.events where user_id = tests.id('carol') and type = 'emergency_request'), 'nor does their number'
);
select is(tests.same(act, '2026-03-13T10:00Z'), 'same', format('%s shows no difference', act)) from unnest(array['get', 'list', 'mine']) as act;
select is(
  tests.refusal('bob', act, null, '2026-03-13T10:00Z'), tests.refusal('carol', act, null, '2026-03-13T10:00Z'), format('nor does a refusal to %s', act)
)
from unnest(array['ask', 'enter']) as act;
select matches(tests.refusal('bob', 'enter', null, '2026-03-13T10:00Z'), 'vault_locked .* 2026-03-19T10:00:00', 'which has the instant of the asking');
select is(tests.refusal('bob', 'withdraw', tests.silence('bob'), '2026-03-13T10:00Z') ~ '^KT404', true, 'the silence cannot be withdrawn');
select tests.as_user('acme', 'bob') \g /dev/null
select set_config('kith.now', '2026-03-13T10:00Z', true) \g /dev/null
select is((select count(*) from kith.emergency_requests), 1::bigint, 'the policy shows the asking only');
select tests.as_superuser() \g /dev/null
savepoint asked;

-- Withdrawing.
select is(tests.same('withdraw', '2026-03-14T10:00Z'), 'same', 'withdrawing answers the same');
select is(tests.states('2026-03-14T10:00Z'), 'bob silence waiting, bob request withdrawn, carol request withdrawn', 'and leaves the silence');
select is(
  tests.told('alice', '2026-03-14T10:00Z'),
  'Bob gets into Papers in 3 days. Check in or say no to stop it.; Bob no longer asks for emergency access to Papers.; '
    || 'Carol no longer asks for emergency access to Papers.',
  'the owner is reminded of the silence, so that a withdrawal does not read as the end of both'
);
select is(
  (
    select count(*) from kith.emergency_requests as request
    join kith.notifications as notice on notice.tenant_id = request.tenant_id and notice.id = request.notice_id
    where request.id = tests.silence('bob') and notice.created_at = '2026-03-10T10:00Z'
  ), 1::bigint, 'but a nominee cannot replace the notice on which the wait depends'
);
select is(tests.same('list', '2026-03-14T11:00Z'), 'same', 'nor does the list then show a difference');
select is(tests.refusal('bob', 'enter', null, '2026-03-14T11:00Z'), tests.refusal('carol', 'enter', null, '2026-03-14T11:00Z'), 'nor entering');
select is(tests.do('bob', 'ask', null, '2026-03-14T12:00Z') ->> 'grants_at', '2026-03-21T12:00:00.000000Z', 'the nominee can ask again');
rollback to asked;

-- The owner's answers.
select is(tests.do('alice', 'reject', tests.asked('bob'), '2026-03-14T10:00Z') ->> 'status', 'rejected', 'the owner says no to the asking');
select tests.do('alice', 'reject', tests.asked('carol'), '2026-03-14T10:00Z') \g /dev/null
select is(tests.states('2026-03-14T10:00Z'), 'bob silence owner_returned, bob request rejected, carol request rejected', 'which ends the silence, too');
select is(tests.same('list', '2026-03-14T11:00Z'), 'same', 'the nominee sees the no to the asking');
select is(tests.told('bob', '2026-03-14T10:00Z'), 'Alice said no to your emergency access to Papers.', 'and is told once');
rollback to asked;
select is(tests.do('alice', 'reject', tests.silence('bob'), '2026-03-14T10:00Z') ->> 'status', 'rejected', 'a no to the silence');
select is(tests.states('2026-03-14T10:00Z'), 'bob silence owner_returned, bob request rejected, carol request waiting', 'is one to the asking');
rollback to asked;
select tests.do('alice', 'approve', tests.asked('bob'), '2026-03-14T10:00Z') \g /dev/null
select is(tests.states('2026-03-14T10:00Z'), 'bob silence owner_returned, bob request granted, carol request waiting', 'an approval ends the silence');
select is(jsonb_array_length(tests.do('bob', 'list', null, '2026-03-14T11:00Z') -> 'items'), 1, 'without showing it');
rollback to asked;
select internal.end_emergencies_by_check_in(tests.tenant('acme'), tests.id('alice'), 'app', '2026-03-14T10:00Z', '2026-03-14T10:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.states('2026-03-14T10:00Z'), 'bob silence owner_returned, bob request owner_returned, carol request owner_returned', 'a check-in ends both');
select is(tests.told('bob', '2026-03-14T10:00Z'), 'Alice is safe. Your emergency access to Papers has ended.', 'and is told once');
rollback to asked;

select tests.do('carol', 'withdraw', tests.asked('carol'), '2026-03-14T10:00Z') \g /dev/null
select tests.fall_silent('carol', '2026-03-14T11:00Z') \g /dev/null
select tests.do('alice', 'reject', tests.silence('carol'), '2026-03-14T12:00Z') \g /dev/null
create function tests.ask_in_vain(p_at timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.do('carol', 'ask', null, p_at);
  perform tests.do('alice', 'reject', tests.asked('carol'), p_at + interval '1 hour');
end
$$;
select tests.ask_in_vain('2026-03-14T13:00Z'), tests.ask_in_vain('2026-03-16T13:00Z') \g /dev/null
select is(
  (select ended_at from kith.emergency_settings where nominee_id = tests.nominee('carol')), null,
  'a no to a wait that the nominee does not know of is not one of the three that end the right'
);
rollback to asked;

-- The silence grants first.
select is(tests.do('bob', 'enter', null, '2026-03-17T10:00Z') ->> 'expires_at', '2026-03-20T10:00:00.000000Z', 'the nominee gets in by the silence');
select is(tests.do('bob', 'withdraw', tests.asked('bob'), '2026-03-17T11:00Z') ->> 'status', 'withdrawn', 'withdrawing the asking then');
select is(
  (select count(*) from kith.vault_sessions where nominee_id = tests.nominee('bob') and locked_at is null), 1::bigint, 'does not end that session'
);
select internal.end_emergencies_by_check_in(tests.tenant('acme'), tests.id('alice'), 'app', '2026-03-17T12:00Z', '2026-03-17T12:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is((select count(*) from kith.vault_sessions where nominee_id = tests.nominee('bob') and locked_at is null), 0::bigint, 'the owner''s return does');
rollback to asked;

select tests.do('alice', 'reject', tests.silence('bob'), '2026-03-17T12:00Z') \g /dev/null
select is(tests.told('bob', '2026-03-17T12:00Z'), 'Alice said no to your emergency access to Papers.', 'a no to both is told once');
select is(tests.states('2026-03-17T12:00Z'), 'bob silence owner_returned, bob request rejected, carol request waiting', 'and is one rejection');
rollback to asked;

-- An operator holds one of the two.
create function tests.operate(p_release boolean, p_id uuid, p_at timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.as_role('kith_admin');
  if p_release then
    perform admin.release_emergency('acme', p_id, 'settled', p_at);
  else
    perform admin.hold_emergency('acme', p_id, 'a fight at home', null, p_at);
  end if;
  perform tests.as_superuser();
end
$$;
select tests.operate(false, tests.asked('bob'), '2026-03-13T10:00Z') \g /dev/null
select matches(tests.refusal('bob', 'enter', null, '2026-03-17T10:00Z'), 'Support has put', 'a hold of the asking holds the silence too');
select is(
  (select count(*) from kith.audit where action = 'emergency.hold' and subject in (tests.asked('bob')::text, tests.silence('bob')::text)), 2::bigint,
  'both are in the audit'
);
select tests.operate(true, tests.silence('bob'), '2026-03-18T10:00Z') \g /dev/null
select is(
  tests.do('bob', 'get', tests.asked('bob'), '2026-03-18T11:00Z') ->> 'grants_at', '2026-03-24T10:00:00.000000Z',
  'the release of either releases both, and moves both grants'
);
select is(
  tests.told('bob', '2026-03-18T10:00Z'), 'Your emergency access to Papers moves to 24 March 2026, 10:00.', 'the nominee is told of the asking alone'
);
select matches(tests.refusal('bob', 'enter', null, '2026-03-22T09:59:59Z'), 'KT423', 'the silence grants as much later');
select is(tests.do('bob', 'enter', null, '2026-03-22T10:00Z') ->> 'expires_at', '2026-03-25T10:00:00.000000Z', 'and no later');
rollback to asked;

-- A quorum that gathers when the owner falls silent.
update kith.emergency_requests set required = 2, waits_from = null, grants_at = null, ends_at = null, counted_to = null where nominee_id = tests.nominee('carol');
select tests.fall_silent('carol', '2026-03-14T10:00Z') \g /dev/null
select is(
  tests.do('carol', 'get', tests.asked('carol'), '2026-03-14T11:00Z') @> '{"status": "gathering", "grants_at": null}', true,
  'a nominee who waits for others does not learn of a silence'
);

rollback to asked;

-- An owner who shows the right, falls silent while a quorum gathers, and approves the asking.
update kith.emergency_requests set required = 2, waits_from = null, grants_at = null, ends_at = null, counted_to = null where nominee_id = tests.nominee('carol');
update kith.emergency_settings set visible = true, visible_since = '2026-03-01T09:00Z' where nominee_id = tests.nominee('carol');
select tests.fall_silent('carol', '2026-03-14T10:00Z') \g /dev/null
select tests.do('alice', 'approve', tests.asked('carol'), '2026-03-14T11:00Z') \g /dev/null
select is(
  tests.told('carol', '2026-03-14T11:00Z'), 'You can enter Papers now, until 17 March 2026, 11:00.', 'an approval is not told as the end of the access'
);
rollback to asked;

-- The export, whose pages are cut where the nominee can tell.
select tests.as_user('acme', 'bob') \g /dev/null
select set_config('role', 'kith_owner', true) \g /dev/null
select is(
  (select jsonb_build_object('items', json_array_length(items), 'next', next_cursor is not null)
    from internal.exported_emergency_requests(null, 2, '2026-03-13T10:00Z')),
  '{"items": 1, "next": false}', 'a page of the export counts no wait that the nominee must not know of'
);
select tests.as_superuser() \g /dev/null
rollback to asked;

-- An owner who shows the right later.
select tests.fall_silent('carol', '2026-03-14T10:00Z') \g /dev/null
select internal.end_emergency(request, 'owner_returned', request.owner_id, '2026-03-15T10:00Z')
from kith.emergency_requests as request where id = tests.silence('carol') \g /dev/null
create function tests.shown(p_person text, p_at timestamptz) returns bigint
  language sql
  return (
    select count(*) from jsonb_array_elements(tests.do(p_person, 'list', null, p_at) -> 'items') as item where item ->> 'cause' = 'silence'
  );
select tests.as_user('acme', 'alice') \g /dev/null
select api.set_emergency_settings(
  tests.vault(), tests.nominee(name), '{"wait_hours": 168, "access_level": "view", "on_request": true, "after_missed_days": 3, "visible": true}',
  '2026-03-15T12:00Z'
)
from unnest(array['bob', 'carol']) as name \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.shown('carol', '2026-03-15T13:00Z'), 0::bigint, 'a silence that ended while the right was hidden stays hidden');
select is(jsonb_array_length(tests.do('carol', 'mine', null, '2026-03-15T13:00Z') -> 'requests'), 1, 'in the overview, too');
select is(tests.refusal('carol', 'get', tests.silence('carol'), '2026-03-15T13:00Z') ~ '^KT404', true, 'and by its id');
select is(tests.shown('bob', '2026-03-15T13:00Z'), 1::bigint, 'one that waits is shown');
select internal.end_emergency(request, 'owner_returned', request.owner_id, '2026-03-15T14:00Z')
from kith.emergency_requests as request where id = tests.silence('bob') \g /dev/null
select tests.as_user('acme', 'alice') \g /dev/null
select api.set_emergency_settings(
  tests.vault(), tests.nominee('bob'), '{"wait_hours": 100, "access_level": "view", "on_request": true, "after_missed_days": 3, "visible": true}',
  '2026-03-15T15:00Z'
) \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.shown('bob', '2026-03-15T16:00Z'), 1::bigint, 'and stays so when it has ended, and when the owner changes the right');

select * from finish();
rollback;
