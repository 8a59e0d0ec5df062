-- How emergency access ends: by the owner's block, and by what nominees and operators do. The owner hears of each end that is not their own
-- act (E02, E07).
begin;
\ir people.sql
\ir emergency_house.sql
select plan(59);

create function tests.nominee(p_name text) returns uuid language sql stable return (select id from kith.nominees where name = p_name and status <> 'revoked');
create function tests.outcome(p_person text, p_statement text) returns text
  language plpgsql
as $$
declare
  v_detail text;
  v_answer text;
begin
  perform tests.as_user('acme', p_person);
  execute p_statement into v_answer;
  perform tests.as_superuser();
  return 'ok';
exception when others then
  get stacked diagnostics v_detail = pg_exception_detail;
  perform tests.as_superuser();
  return concat_ws(' ', regexp_replace(sqlstate, '^KT', ''), nullif(v_detail, ''));
end
$$;
create function tests.block(p_person text, p_other text, p_at timestamptz) returns text
  language sql
  return tests.outcome(p_person, format('select api.put_block(%L, %L)', tests.id(p_other), p_at));
create function tests.state() returns text
  language sql stable
  return (select concat_ws(' ', end_reason, to_char(ended_at, 'DD HH24:MI')) from kith.emergency_requests where id = tests.request());
create function tests.right_of_bob() returns text
  language sql stable
  return (select coalesce('ended ' || to_char(ended_at, 'DD HH24:MI'), 'there') from kith.emergency_settings);
create function tests.asks(p_at timestamptz) returns text
  language sql
  return tests.outcome('bob', format('select api.request_emergency_access(tests.vault(), null, %L)', p_at));

create function tests.heard() returns text[]
  language sql stable
  return (select array_agg(body order by body desc) from tests.notifications where user_id = tests.id('alice') and created_at > '2026-03-10T08:30Z' and type like 'emergency%');

-- A block by the owner.
savepoint nothing;
select is(tests.block('alice', 'bob', '2026-03-10T07:00Z'), 'ok', 'the owner blocks a nominee who has a right');
select is(tests.right_of_bob(), 'ended 10 07:00', 'which ends');
select is(tests.asks('2026-03-10T08:00Z'), '403 The owner has not given you emergency access.', 'so that they cannot ask');
select tests.as_user('acme', 'alice') \g /dev/null
select api.delete_block(tests.id('bob'), '2026-03-10T12:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.right_of_bob() || ', ' || tests.asks('2026-03-10T09:00Z'), 'ended 10 07:00, 403 The owner has not given you emergency access.', 'the end of the block brings nothing back');
select is(
  tests.outcome('alice', $$ select api.set_emergency_settings(tests.vault(), '0e000000-0000-7000-8000-000000000001', '{"wait_hours": 48, "access_level": "view", "on_request": true}', '2026-03-10T10:00Z') $$)
    || ' ' || tests.asks('2026-03-10T11:00Z'), 'ok ok', 'the owner can give the right anew'
);
rollback to nothing;
select tests.block('alice', 'bob', '2026-03-10T07:00Z') \g /dev/null
select tests.as_user('acme', 'alice') \g /dev/null
select api.delete_block(tests.id('bob'), '2026-03-10T07:01Z') \g /dev/null
select is(
  (select string_agg(step ->> 'text', ' ') from json_array_elements(api.rehearse_emergency(null, null, null, '2026-03-10T08:00Z') -> 'steps') as step where step ->> 'kind' = 'right_sleeps'),
  'Bob''s emergency access to Papers has ended. Give it again if they should still have it.', 'an owner who has blocked somebody for a moment learns from the rehearsal what that has ended'
);
select tests.as_superuser() \g /dev/null
rollback to nothing;

-- An invitation that nobody has accepted yet, and that names the blocked person's number.
create function tests.after_short_block() returns text
  language plpgsql
as $$
begin
  perform tests.block('alice', 'bob', '2026-03-10T07:00Z');
  perform tests.as_user('acme', 'alice');
  perform api.delete_block(tests.id('bob'), '2026-03-10T07:01Z');
  perform tests.as_superuser();
  return tests.right_of_bob();
end
$$;
update kith.users set phone = '+4915112340001', phone_verified_at = '2026-01-05T08:00Z' where id = tests.id('bob');
update kith.nominees set status = 'pending', user_id = null, accepted_at = null, phone = '+4915112340001', contact_named_by = owner_id where user_id = tests.id('bob');
savepoint invited;
select is(tests.after_short_block(), 'ended 10 07:00', 'the right of an invitation does not outlive a block of whom it names, lifted before anybody accepts');
rollback to invited;
update kith.nominees set phone = '+4915112340009' where user_id is null;
select is(tests.after_short_block(), 'there', 'that of an invitation of somebody else does');
rollback to invited;
update kith.users set phone_verified_at = null where id = tests.id('bob');
select is(tests.after_short_block(), 'there', 'so does one to a number that the blocked person has only claimed');
rollback to nothing;

-- A quorum that can no longer be reached.
create function tests.asleep(p_at timestamptz) returns text
  language plpgsql
as $$
declare
  v_texts text;
begin
  perform tests.as_user('acme', 'alice');
  select string_agg(step ->> 'text', ' ') into v_texts
  from json_array_elements(api.rehearse_emergency(null, null, null, p_at) -> 'steps') as step where step ->> 'kind' = 'right_sleeps';
  perform tests.as_superuser();
  return v_texts;
end
$$;
insert into kith.nominees (tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, updated_at)
values (
  tests.tenant('acme'), '0e000000-0000-7000-8000-000000000002', tests.vault(), tests.id('alice'), tests.id('carol'), 'Carol', 'accepted', 'view',
  '2026-03-01T08:00Z', tests.id('alice'), '2026-03-01T08:00Z', '2026-03-01T08:00Z'
);
insert into kith.emergency_quorums (tenant_id, vault_id, required, nominee_ids, updated_at)
values (
  tests.tenant('acme'), tests.vault(), 2, '{0e000000-0000-7000-8000-000000000001,0e000000-0000-7000-8000-000000000002}', '2026-03-01T08:00Z'
);
select is(
  tests.asleep('2026-03-10T08:00Z'), 'Bob cannot get into Papers by asking: it needs 2 of your nominees, and only 1 of them could ask.',
  'the rehearsal says that a member of the quorum has no right'
);
select tests.outcome('alice', $$ select api.set_emergency_settings(tests.vault(), '0e000000-0000-7000-8000-000000000002', '{"wait_hours": 48, "access_level": "view", "on_request": true}', '2026-03-10T08:01Z') $$) \g /dev/null
select is(tests.asleep('2026-03-10T08:02Z'), null, 'nothing of a quorum that can be reached');
select tests.outcome('carol', $$ select api.delete_me('delete', '2026-03-10T08:03Z') $$) \g /dev/null
select is(
  tests.asleep('2026-03-10T08:04Z'), 'Bob cannot get into Papers by asking: it needs 2 of your nominees, and only 1 of them could ask.',
  'and that too few are left after one has deleted their account'
);
rollback to nothing;

-- A nominee who has read that they get in reads that they do not, whatever the owner has hidden meanwhile (E09).
create function tests.silence(p_is_visible boolean) returns void
  language plpgsql
as $$
begin
  update kith.emergency_settings set visible = p_is_visible, visible_since = case when p_is_visible then '2026-03-01T08:00Z'::timestamptz end, after_missed_days = 3;
  insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, asked_at, alarmed_at)
  select tests.tenant('acme'), at::date, tests.id('alice-bob'), gen_random_uuid(), tests.id('alice'), tests.id('bob'), 'missed', at,
    at + interval '90 minutes', at, at + interval '90 minutes'
  from generate_series('2026-03-11T09:00Z'::timestamptz, '2026-03-14T09:00Z', interval '1 day') as at;
  update kith.signs_of_life set recount_at = '2026-03-14T10:30Z';
  perform tests.as_role('kith_worker');
  perform worker.begin_emergency_waits('2026-03-14T10:31Z', 100);
  perform tests.as_superuser();
end
$$;
create function tests.returns() returns text[]
  language plpgsql
as $$
begin
  perform tests.outcome('alice', $q$ select api.check_in(null, false, null, 'app', '2026-03-14T12:00Z') $q$);
  return (select array_agg(body order by body) from tests.notifications where user_id = tests.id('bob') and created_at >= '2026-03-14T12:00Z');
end
$$;
savepoint silent;
select tests.silence(true) \g /dev/null
select is(tests.told('bob'), array['You get into Papers on 16 March 2026, 10:31 unless Alice says no.'], 'a receiver who is a nominee with a visible right is told of the wait by silence');
savepoint told;
select is(
  tests.returns(), array['Alice checked in late. They''re safe.', 'Alice is safe. Your emergency access to Papers has ended.'],
  'and, when the owner checks in, that they are safe, and that the access has ended'
);
rollback to told;
select is(
  tests.outcome('alice', $$ select api.set_emergency_settings(tests.vault(), '0e000000-0000-7000-8000-000000000001', '{"wait_hours": 48, "access_level": "view", "on_request": true, "after_missed_days": 3, "visible": false, "reject_on_check_in": true}', '2026-03-14T11:00Z') $$),
  'ok', 'also if the owner has hidden the right meanwhile'
);
select is(
  tests.returns(), array['Alice checked in late. They''re safe.', 'Alice is safe. Your emergency access to Papers has ended.'], 'both are told'
);
rollback to silent;
select tests.silence(false) \g /dev/null
select is(tests.returns(), array['Alice checked in late. They''re safe.'], 'of a right that was always hidden they hear nothing');
rollback to silent;

select tests.ask() \g /dev/null
savepoint waiting;
select tests.block('alice', 'bob', '2026-03-10T09:00Z') \g /dev/null
select is(tests.state(), 'blocked 10 09:00', 'a block ends a wait');
select is(tests.enter('2026-03-12T09:00Z'), 'forbidden', 'nobody gets in');
select is(tests.told('bob'), array['Alice said no to your emergency access to Papers.'], 'the nominee is told of a no');
select tests.as_user('acme', 'bob') \g /dev/null
select is(
  (api.list_emergency_requests(tests.vault(), null, 10, null, '2026-03-10T09:01Z') #> '{items,0}')::jsonb - array['delays', 'asked'] @> '{"status": "rejected"}', true,
  'and sees one, not the block'
);
select tests.as_superuser() \g /dev/null
select is((select count(*) from kith.notifications where user_id = tests.id('alice') and created_at = '2026-03-10T09:00Z'), 0::bigint, 'the owner is not told of their own act');
select is(
  (select string_agg(action || coalesce(' ' || (detail ->> 'reason'), ''), ', ' order by id) from kith.history where at = '2026-03-10T09:00Z'),
  'emergency.taken blocked, emergency.ended blocked', 'the history has both'
);
select is((select status from kith.nominees), 'accepted', 'ordinary access stays');
rollback to waiting;
select is(tests.enter('2026-03-12T08:00Z'), 'until 2026-03-13T08:00:00.000000Z', 'after the grant, the nominee is inside');
select tests.block('alice', 'bob', '2026-03-12T09:00Z') \g /dev/null
select is((select lock_reason || ' ' || to_char(locked_at, 'DD HH24:MI') from kith.vault_sessions), 'emergency_ended 12 09:00', 'a block ends that session');
select is(
  tests.outcome('bob', $$ select api.list_documents(tests.vault(), false, 10, null, '2026-03-12T09:00Z') $$), '423', 'each access asks, so downloads end with their next part'
);
select is(tests.enter('2026-03-12T09:00Z'), 'forbidden', 'they cannot enter again');
rollback to waiting;

-- Silence.
update kith.emergency_settings set after_missed_days = 2;
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, asked_at)
select tests.tenant('acme'), at::date, tests.id('alice-bob'), gen_random_uuid(), tests.id('alice'), tests.id('bob'), 'missed', at, at + interval '90 minutes', at
from generate_series('2026-03-11T09:00Z'::timestamptz, '2026-03-14T09:00Z', interval '1 day') as at;
delete from kith.emergency_requests;
update kith.signs_of_life set recount_at = '2026-03-14T10:30Z';
insert into kith.blocks (tenant_id, user_id, blocked_id, created_at) values (tests.tenant('acme'), tests.id('alice'), tests.id('bob'), '2026-03-14T10:00Z');
savepoint silent;
select tests.as_role('kith_worker') \g /dev/null
select worker.begin_emergency_waits('2026-03-14T10:31Z', 100) \g /dev/null
select tests.as_superuser() \g /dev/null
select is((select count(*) from kith.emergency_requests), 0::bigint, 'silence begins nothing for somebody whom the owner has blocked');
delete from kith.blocks;
update kith.signs_of_life set recount_at = '2026-03-14T10:32Z';
select tests.as_role('kith_worker') \g /dev/null
select worker.begin_emergency_waits('2026-03-14T10:33Z', 100) \g /dev/null
select tests.as_superuser() \g /dev/null
select is((select count(*) from kith.emergency_requests), 1::bigint, 'and does without the block');
rollback to waiting;

select tests.block('bob', 'alice', '2026-03-10T09:00Z') \g /dev/null
select is(tests.right_of_bob() || ' ' || coalesce(tests.state(), ''), 'there ', 'a block by the nominee ends nothing: the right is the owner''s');
rollback to waiting;
insert into kith.blocks (tenant_id, user_id, blocked_id, created_at) values (tests.tenant('acme'), tests.id('alice'), tests.id('bob'), '2026-03-10T09:00Z');
select is(
  tests.outcome('alice', $$ select api.set_emergency_settings(tests.vault(), '0e000000-0000-7000-8000-000000000001', '{"wait_hours": 48, "access_level": "view", "on_request": true}', '2026-03-10T10:00Z') $$),
  '409 You have blocked this person. End the block before you give them emergency access.', 'nobody gives a right to somebody whom they block'
);
rollback to waiting;

-- What others do.
select tests.outcome('bob', $$ select api.revoke_nominee(tests.vault(), '0e000000-0000-7000-8000-000000000001', '2026-03-10T09:00Z') $$) \g /dev/null
select is(tests.state(), 'declined 10 09:00', 'a nominee leaves while they wait');
select is(tests.heard(), array['Bob''s emergency access to Papers has ended.'], 'the owner is told');
rollback to waiting;
select tests.enter('2026-03-12T08:00Z') \g /dev/null
select tests.outcome('bob', $$ select api.revoke_nominee(tests.vault(), '0e000000-0000-7000-8000-000000000001', '2026-03-12T09:00Z') $$) \g /dev/null
select is(tests.heard() @> array['Bob''s emergency access to Papers has ended.'], true, 'also after the grant');
rollback to waiting;
select tests.as_role('kith_admin') \g /dev/null
select admin.revoke_nominee('acme', '0e000000-0000-7000-8000-000000000001', 'asked by mail', '2026-03-10T09:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.heard(), array['Bob''s emergency access to Papers has ended.'], 'and when an operator revokes the nominee');
rollback to waiting;
select tests.outcome('bob', format('select api.withdraw_emergency_request(tests.vault(), %L, ''2026-03-10T09:00Z'')', tests.request())) \g /dev/null
select is(tests.heard(), array['Bob no longer asks for emergency access to Papers.'], 'and when they withdraw');
rollback to waiting;
select tests.outcome('alice', $$ select api.revoke_nominee(tests.vault(), '0e000000-0000-7000-8000-000000000001', '2026-03-10T09:00Z') $$) \g /dev/null
select is(tests.state() || coalesce(tests.heard()::text, ''), 'revoked 10 09:00', 'the owner is not told of their own act');
rollback to waiting;
select tests.as_user('acme', 'bob') \g /dev/null
select api.delete_me(null, '2026-03-10T09:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(
  (select array_agg(body) from tests.notifications where user_id = tests.id('alice') and created_at = '2026-03-10T09:00Z' and type = 'nominee_revoked'),
  array['Someone no longer has access to Papers.'], 'the end of the nominee''s account is told without the name'
);
rollback to waiting;
select tests.outcome('alice', $$ select api.delete_vault(tests.vault(), '2026-03-10T09:00Z') $$) \g /dev/null
select is(tests.told('bob'), array['Your emergency access to Papers has ended.'], 'a nominee who waits is told when the vault is deleted');
rollback to waiting;

-- A quorum that breaks stops the waits of the others, which is an end too.
insert into kith.nominees (tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, updated_at)
values (
  tests.tenant('acme'), '0e000000-0000-7000-8000-000000000002', tests.vault(), tests.id('alice'), tests.id('carol'), 'Carol', 'accepted', 'view',
  '2026-03-01T08:00Z', tests.id('alice'), '2026-03-01T08:00Z', '2026-03-01T08:00Z'
);
insert into kith.emergency_settings (tenant_id, nominee_id, vault_id, owner_id, wait_hours, access_level, grant_hours, on_request, created_at, updated_at)
select tenant_id, '0e000000-0000-7000-8000-000000000002', vault_id, owner_id, wait_hours, access_level, grant_hours, on_request, created_at, updated_at
from kith.emergency_settings;
insert into kith.emergency_quorums (tenant_id, vault_id, required, nominee_ids, updated_at)
values (tests.tenant('acme'), tests.vault(), 2, array['0e000000-0000-7000-8000-000000000001', '0e000000-0000-7000-8000-000000000002']::uuid[], '2026-03-01T08:00Z');
select tests.ask() \g /dev/null
select tests.outcome('carol', $$ select api.request_emergency_access(tests.vault(), null, '2026-03-10T08:10Z') $$) \g /dev/null
create function tests.request_of(p_person text) returns uuid
  language sql stable
  return (select id from kith.emergency_requests where user_id = tests.id(p_person));
create function tests.heard_by_bob() returns text[]
  language sql stable
  return (select array_agg(body order by id) from tests.notifications where user_id = tests.id('bob') and created_at > '2026-03-10T08:30Z');
create function tests.returns(p_bound_at timestamptz) returns text
  language plpgsql
as $$
begin
  update kith.nominees set status = 'revoked', revoked_at = '2026-03-09T12:00Z', revoke_reason = 'account_deleted', name = null
  where id = '0e000000-0000-7000-8000-000000000002';
  delete from kith.emergency_requests;
  delete from kith.emergency_settings where nominee_id = '0e000000-0000-7000-8000-000000000002';
  insert into kith.nominees (tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, bound_at, updated_at)
  values (
    tests.tenant('acme'), '0e000000-0000-7000-8000-000000000003', tests.vault(), tests.id('alice'), tests.id('mallory'), 'Carol', 'accepted', 'view',
    '2026-03-01T08:00Z', tests.id('alice'), '2026-03-01T08:00Z', p_bound_at, '2026-03-01T08:00Z'
  );
  insert into kith.emergency_settings (tenant_id, nominee_id, vault_id, owner_id, wait_hours, access_level, grant_hours, on_request, created_at, updated_at)
  values (
    tests.tenant('acme'), '0e000000-0000-7000-8000-000000000003', tests.vault(), tests.id('alice'), 48, 'view', 24, true, '2026-03-01T08:00Z', '2026-03-01T08:00Z'
  );
  perform tests.as_user('acme', 'mallory');
  return api.request_emergency_access(tests.vault(), null, '2026-03-10T08:00Z') ->> 'status';
end
$$;
savepoint together;
select is(
  (select array_agg(internal.emergency_status(request, '2026-03-10T08:20Z')) from kith.emergency_requests as request), array['waiting', 'waiting'], 'two wait together'
);
select tests.outcome('carol', format('select api.withdraw_emergency_request(tests.vault(), %L, ''2026-03-10T09:00Z'')', tests.request_of('carol'))) \g /dev/null
select is(
  tests.heard(),
  array['Carol no longer asks for emergency access to Papers.', 'Bob''s wait for emergency access to Papers has stopped. It begins anew when enough of your nominees ask.'],
  'when Carol withdraws, the owner hears that Bob''s wait stops, too'
);
select is(
  tests.heard_by_bob(), array['Your wait for emergency access to Papers has stopped, because another nominee no longer asks. It begins anew when enough do.'], 'and so does Bob'
);
rollback to together;
select tests.outcome('carol', $$ select api.revoke_nominee(tests.vault(), '0e000000-0000-7000-8000-000000000002', '2026-03-10T09:00Z') $$) \g /dev/null
select is(
  tests.heard(),
  array['Carol''s emergency access to Papers has ended.', 'Bob''s wait for emergency access to Papers has stopped. It begins anew when enough of your nominees ask.'],
  'when Carol leaves'
);
rollback to together;
select tests.outcome('alice', format('select api.reject_emergency_request(tests.vault(), %L, ''2026-03-10T09:00Z'')', tests.request_of('carol'))) \g /dev/null
select is(tests.heard(), array['Bob''s wait for emergency access to Papers has stopped. It begins anew when enough of your nominees ask.'], 'when the owner says no to Carol');
rollback to together;
select tests.block('alice', 'carol', '2026-03-10T09:00Z') \g /dev/null
select is(tests.heard(), array['Bob''s wait for emergency access to Papers has stopped. It begins anew when enough of your nominees ask.'], 'and when the owner blocks Carol');
rollback to together;
select tests.outcome('alice', $$ select api.update_nominee(tests.vault(), '0e000000-0000-7000-8000-000000000002', '{"status": "inactive"}', '2026-03-10T09:00Z') $$) \g /dev/null
select is(tests.heard(), array['Bob''s wait for emergency access to Papers has stopped. It begins anew when enough of your nominees ask.'], 'or pauses her');
rollback to together;
select tests.outcome('alice', $$ select api.remove_emergency_settings(tests.vault(), '0e000000-0000-7000-8000-000000000002', '2026-03-10T09:00Z') $$) \g /dev/null
select is(tests.heard(), array['Bob''s wait for emergency access to Papers has stopped. It begins anew when enough of your nominees ask.'], 'or takes her right');
rollback to together;
select tests.outcome('alice', $$ select api.check_in(null, false, null, 'app', '2026-03-10T09:00Z') $$) \g /dev/null
select is((select array_agg(end_reason) from kith.emergency_requests), array['owner_returned', 'owner_returned'], 'a check-in ends both');
select is(tests.heard(), null, 'and nothing is told to the owner, who has just been there');
select is(tests.heard_by_bob(), array['Alice is safe. Your emergency access to Papers has ended.'], 'nor of a stop to those for whom it has ended');
rollback to together;

-- Carol's grant has run out, and Bob's longer wait goes on with her voice, until she has no access any more.
update kith.emergency_requests set waits_from = '2026-03-10T08:10Z', grants_at = '2026-03-10T08:20Z', ends_at = '2026-03-10T08:30Z' where user_id = tests.id('carol');
select internal.end_emergency(request, 'expired', null, '2026-03-10T08:40Z') from kith.emergency_requests as request where user_id = tests.id('carol') \g /dev/null
select is(
  (select internal.emergency_status(request, '2026-03-10T08:50Z') from kith.emergency_requests as request where id = tests.request_of('bob')), 'waiting',
  'a grant that has run out takes nothing back'
);
select tests.outcome('alice', $$ select api.revoke_nominee(tests.vault(), '0e000000-0000-7000-8000-000000000002', '2026-03-10T09:00Z') $$) \g /dev/null
select is(
  array[(select internal.emergency_status(request, '2026-03-10T09:00Z') from kith.emergency_requests as request where id = tests.request_of('bob'))] || tests.heard(),
  array['gathering', 'Bob''s wait for emergency access to Papers has stopped. It begins anew when enough of your nominees ask.'], 'but a revocation does'
);
rollback to together;

-- A person counts once.
update kith.emergency_requests set user_id = tests.id('bob') where user_id = tests.id('carol');
select is((select internal.count_asked(request, '2026-03-10T08:20Z') from kith.emergency_requests as request limit 1), 1, 'one account has one voice, whatever it asked as');
rollback to together;
update kith.nominees set bound_by_link = true where user_id = tests.id('carol');
select is((select internal.count_asked(request, '2026-03-10T08:20Z') from kith.emergency_requests as request limit 1), 1, 'and nobody whom the owner has not confirmed has any');
rollback to together;

-- A member who leaves, and comes back as somebody else.
select is(tests.returns('2026-03-09T13:00Z'), 'gathering', 'whoever came after a member had left does not ask alone');
select tests.as_superuser() \g /dev/null
select tests.outcome('bob', $$ select api.request_emergency_access(tests.vault(), null, '2026-03-10T09:00Z') $$) \g /dev/null
select is(
  (select array_agg(internal.emergency_status(request, '2026-03-10T09:00Z')) from kith.emergency_requests as request), array['waiting', 'waiting'],
  'but has the empty place''s voice'
);
rollback to together;
select is(tests.returns('2026-03-09T11:00Z'), 'waiting', 'a nominee who was there before, and whom the owner did not list, asks alone');
select tests.as_superuser() \g /dev/null
rollback to together;
select tests.returns('2026-03-09T13:00Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select tests.outcome('alice', $$ select api.remove_emergency_quorum(tests.vault(), '2026-03-10T09:00Z') $$) \g /dev/null
select is((select internal.emergency_status(request, '2026-03-10T09:00Z') from kith.emergency_requests as request), 'waiting', 'the owner can say otherwise');

select * from finish();
rollback;
