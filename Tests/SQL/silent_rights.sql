-- Which rights an owner's silence begins (internal.silent_rights): theirs alone, of vaults and nominees that are still there, and not before as
-- many days have gone by as the right says. One row a question. What a row does is undone before the next one.
begin;
\ir people.sql
select plan(48);

-- Alice has given Bob the right to her papers, after three missed days, and has missed the pings of 10, 11 and 12 March. Mallory, who has a
-- vault and a profile as well, has done neither.
create function tests.papers() returns uuid language sql immutable as $$ select '0f000000-0000-7000-8000-000000000001'::uuid $$;
create function tests.photos() returns uuid language sql immutable as $$ select '0f000000-0000-7000-8000-000000000002'::uuid $$;
create function tests.diary() returns uuid language sql immutable as $$ select '0f000000-0000-7000-8000-000000000003'::uuid $$;
insert into kith.vaults (tenant_id, id, owner_id, name, created_at, updated_at)
select tests.tenant('acme'), id, tests.id(owner), name, '2026-03-01T08:00Z', '2026-03-01T08:00Z'
from (values (tests.papers(), 'alice', 'Papers'), (tests.photos(), 'alice', 'Photos'), (tests.diary(), 'mallory', 'Diary')) as vaults (id, owner, name);

-- A right of a person's, by silence after three days.
create function tests.give(p_person text, p_vault uuid) returns void
  language plpgsql
as $$
declare
  v_id uuid := gen_random_uuid();
begin
  insert into kith.nominees (tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, updated_at)
  select tests.tenant('acme'), v_id, id, owner_id, tests.id(p_person), initcap(p_person), 'accepted', 'view', '2026-03-01T08:00Z', owner_id,
    '2026-03-01T08:00Z', '2026-03-01T08:00Z'
  from kith.vaults where id = p_vault;
  insert into kith.emergency_settings (
    tenant_id, nominee_id, vault_id, owner_id, wait_hours, access_level, grant_hours, on_request, after_missed_days, created_at, updated_at
  )
  select tests.tenant('acme'), v_id, id, owner_id, 48, 'view', 24, true, 3, '2026-03-01T08:00Z', '2026-03-01T08:00Z' from kith.vaults where id = p_vault;
  insert into kith.signs_of_life (tenant_id, user_id) select tests.tenant('acme'), owner_id from kith.vaults where id = p_vault on conflict do nothing;
end
$$;
create function tests.miss(p_sender text, p_on date, p_hour integer default 9) returns void
  language sql
as $$
  insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, asked_at)
  select tests.tenant('acme'), p_on, tests.id('alice-bob'), internal.uuid7(p_on), tests.id(p_sender), tests.id('bob'), 'missed',
    p_on + make_interval(hours => p_hour), p_on + make_interval(hours => p_hour, mins => 90), p_on + make_interval(hours => p_hour)
$$;
-- A request of a nominee's that waited from an instant for a day, and could be used for another one.
create function tests.request(p_person text, p_waits_from timestamptz, p_cause text default 'silence', p_ended_at timestamptz default null) returns void
  language sql
as $$
  insert into kith.emergency_requests (
    tenant_id, id, vault_id, nominee_id, owner_id, user_id, cause, missed_days, wait_hours, access_level, grant_hours, reject_on_check_in, sign_of_life,
    required, requested_at, waits_from, grants_at, ends_at, counted_to, ended_at, end_reason
  )
  select tenant_id, gen_random_uuid(), vault_id, id, owner_id, user_id, p_cause, case p_cause when 'silence' then 3 end, 24, 'view', 24, true, 'check_in', 1,
    p_waits_from, p_waits_from, p_waits_from + interval '1 day', p_waits_from + interval '2 days', p_waits_from, p_ended_at,
    case when p_ended_at is not null then 'rejected' end
  from kith.nominees where user_id = tests.id(p_person)
$$;
-- Whose wait begins, if only Alice's days are counted, and by how many days.
create function tests.begins(p_now timestamptz default '2026-03-12T10:30:10Z') returns text
  language sql
as $$
  select string_agg(format('%s %s', people.display_name, silent.days), ', ' order by people.display_name)
  from internal.silent_rights(array[tests.tenant('acme')], array[tests.id('alice')], p_now) as silent
  join kith.users as people on people.id = silent.user_id
$$;
select tests.give('bob', tests.papers()) \g /dev/null
select tests.miss('alice', '2026-03-10'), tests.miss('alice', '2026-03-11'), tests.miss('alice', '2026-03-12') \g /dev/null

select is(tests.answer(before, 'alice', act), answer, sentence)
from (values
  ($$ select $$, 'tests.begins()', 'Bob 3', 'three missed days begin the wait'),
  ($$ select $$, $$ tests.begins('2026-03-12T10:29:59Z') $$, 'nothing', 'two and an open one do not'),

  -- The rights.
  ($$ update kith.emergency_settings set after_missed_days = 4 $$, 'tests.begins()', 'nothing', 'a right after four days needs four'),
  ($$ update kith.emergency_settings set after_missed_days = null $$, 'tests.begins()', 'nothing', 'a right by request alone begins by no silence'),
  ($$ update kith.emergency_settings set ended_at = '2026-03-09Z' $$, 'tests.begins()', 'nothing', 'a right that has ended begins nothing'),
  ($$ select tests.give('carol', tests.photos()) $$, 'tests.begins()', 'Bob 3, Carol 3', 'each right to a vault of the owner''s begins'),
  ($$ select tests.give('carol', tests.diary()); delete from kith.pings;
      select tests.miss('mallory', '2026-03-10'), tests.miss('mallory', '2026-03-11'), tests.miss('mallory', '2026-03-12') $$, 'tests.begins()', 'nothing',
    'the silence of somebody else begins nothing while only this owner is counted'),

  -- The nominees.
  ($$ update kith.nominees set status = 'inactive' $$, 'tests.begins()', 'nothing', 'a paused nominee''s wait does not begin'),
  ($$ update kith.nominees set bound_by_link = true $$, 'tests.begins()', 'nothing', 'nor that of somebody whom a link alone has bound'),
  ($$ update kith.nominees set user_id = null $$, $$ (select count(*) from internal.silent_rights(array[tests.tenant('acme')], array[tests.id('alice')],
      '2026-03-12T10:30:10Z')) $$, '0', 'nor that of a participant of the share without an account'),

  -- The vaults.
  ($$ update kith.vaults set deleted_at = '2026-03-09Z', deleted_by = 'user:x' where id = tests.papers() $$, 'tests.begins()', 'nothing',
    'a deleted vault opens to nobody, even if the owner has another one'),
  ($$ update kith.vaults set deleted_at = '2026-03-09Z', deleted_by = 'user:x' where id = tests.photos() $$, 'tests.begins()', 'Bob 3',
    'a deleted vault beside it changes nothing'),
  ($$ update kith.vaults set owner_id = tests.id('mallory') where id = tests.papers() $$, 'tests.begins()', 'nothing',
    'the silence of a former owner opens nothing'),

  -- The tenant and the owner.
  ($$ update kith.tenants set status = 'suspended' where slug = 'acme' $$, 'tests.begins()', 'nothing', 'in a suspended tenant nothing begins'),
  ($$ update kith.tenants set deleted_at = '2026-03-09Z' where slug = 'acme' $$, 'tests.begins()', 'nothing', 'nor in a deleted one'),
  ($$ update kith.tenants set status = 'suspended', deleted_at = '2026-03-09Z' where slug = 'globex' $$, 'tests.begins()', 'Bob 3',
    'another tenant''s end changes nothing'),
  ($$ update kith.sender_profiles set ended_at = '2026-03-12T10:30:05Z' where user_id = tests.id('alice') $$, 'tests.begins()', 'nothing',
    'an owner who is no sender any more is not silent'),
  ($$ update kith.sender_profiles set ended_at = '2026-03-09Z' where user_id = tests.id('mallory') $$, 'tests.begins()', 'Bob 3',
    'another sender''s end changes nothing'),

  -- Signs of life.
  ($$ update kith.sender_profiles set last_check_in_at = '2026-03-10T10:00Z' where user_id = tests.id('alice') $$, 'tests.begins()', 'Bob 3',
    'a check-in before the first deadline changes nothing: that ping is missed all the same'),
  ($$ update kith.sender_profiles set last_check_in_at = '2026-03-10T10:30Z' where user_id = tests.id('alice') $$, 'tests.begins()', 'nothing',
    'one at the deadline takes the day out of the row'),
  ($$ update kith.sender_profiles set last_check_in_at = '2026-03-12T10:30Z' where user_id = tests.id('mallory') $$, 'tests.begins()', 'Bob 3',
    'somebody else''s check-in changes nothing'),
  ($$ update kith.signs_of_life set answered_at = '2026-03-11T12:00Z' $$, 'tests.begins()', 'nothing', 'an answer to a request counts as a check-in does'),
  ($$ update kith.sender_profiles set last_check_in_at = '2026-03-09T12:00Z' where user_id = tests.id('alice');
      update kith.signs_of_life set answered_at = '2026-03-11T12:00Z' $$, 'tests.begins()', 'nothing', 'of the two, the newer one counts'),
  ($$ insert into kith.signs_of_life (tenant_id, user_id) values (tests.tenant('acme'), tests.id('mallory')) $$, 'tests.begins()', 'Bob 3',
    'somebody else''s signs of life change nothing, and the right begins once'),
  ($$ update kith.signs_of_life set seen_at = '2026-03-12T10:30Z' $$, 'tests.begins()', 'Bob 3', 'use of the app does not count by itself'),
  ($$ update kith.signs_of_life set seen_at = '2026-03-12T10:30Z'; update kith.emergency_settings set sign_of_life = 'any_use' $$, 'tests.begins()',
    'nothing', 'it does where the right says so'),

  -- A right after N days needs N - 1 days since the last sign of life, less two hours, however many dates have passed. Alice flies east.
  ($$ update kith.sender_profiles set last_check_in_at = '2026-03-10T12:30:11Z' where user_id = tests.id('alice');
      delete from kith.pings; select tests.miss('alice', '2026-03-11', 0), tests.miss('alice', '2026-03-12', -2), tests.miss('alice', '2026-03-13', -15) $$,
    'tests.begins()', 'nothing', 'three dates within 45:59:59 hours of the last check-in begin nothing'),
  ($$ update kith.sender_profiles set last_check_in_at = '2026-03-10T12:30:10Z' where user_id = tests.id('alice');
      delete from kith.pings; select tests.miss('alice', '2026-03-11', 0), tests.miss('alice', '2026-03-12', -2), tests.miss('alice', '2026-03-13', -15) $$,
    'tests.begins()', 'nothing', 'nor do those within 46 hours'),
  ($$ update kith.sender_profiles set last_check_in_at = '2026-03-10T12:30:09Z' where user_id = tests.id('alice');
      delete from kith.pings; select tests.miss('alice', '2026-03-11', 0), tests.miss('alice', '2026-03-12', -2), tests.miss('alice', '2026-03-13', -15) $$,
    'tests.begins()', 'Bob 3', 'a second later they do'),

  -- Blocks.
  ($$ insert into kith.blocks (tenant_id, user_id, blocked_id, created_at) values (tests.tenant('acme'), tests.id('alice'), tests.id('bob'), '2026-03-09Z') $$,
    'tests.begins()', 'nothing', 'somebody whom the owner has blocked gets nothing'),
  ($$ insert into kith.blocks (tenant_id, user_id, blocked_id, created_at) values (tests.tenant('acme'), tests.id('alice'), tests.id('carol'), '2026-03-09Z') $$,
    'tests.begins()', 'Bob 3', 'a block of somebody else ends nothing of his'),
  ($$ insert into kith.blocks (tenant_id, user_id, blocked_id, created_at) values (tests.tenant('acme'), tests.id('mallory'), tests.id('bob'), '2026-03-09Z') $$,
    'tests.begins()', 'Bob 3', 'nor does somebody else''s block of him'),
  ($$ insert into kith.blocks (tenant_id, user_id, blocked_id, created_at) values (tests.tenant('acme'), tests.id('bob'), tests.id('alice'), '2026-03-09Z') $$,
    'tests.begins()', 'Bob 3', 'nor his own block of the owner'),

  -- What the nominee has asked or been granted already.
  ($$ select tests.request('bob', '2026-03-12T09:00Z') $$, 'tests.begins()', 'nothing', 'a nominee who waits already begins no second wait'),
  ($$ select tests.request('bob', '2026-03-11T09:00Z', 'request') $$, 'tests.begins()', 'nothing', 'nor does one who may enter by a request'),
  ($$ select tests.request('bob', '2026-03-10T10:29:59Z') $$, 'tests.begins()', 'Bob 3',
    'one whose grant ran out before the newest deadline begins a new one, although no worker has recorded the end'),
  ($$ select tests.request('bob', '2026-03-10T10:30Z') $$, 'tests.begins()', 'nothing', 'one whose grant ran out at that deadline does not'),
  ($$ select tests.request('bob', '2026-03-10T10:30:10Z') $$, 'tests.begins()', 'nothing', 'nor does one whose grant runs out at this instant'),
  ($$ select tests.request('bob', '2026-03-12T08:00Z', 'request'); update kith.emergency_requests
      set required = 2, waits_from = null, grants_at = null, ends_at = null, counted_to = null $$, 'tests.begins()', 'Bob 3',
    'one who waits for others of a quorum need not wait for them now'),
  ($$ select tests.request('bob', '2026-03-01T09:00Z', 'request', '2026-03-02T00:00Z'), tests.request('bob', '2026-03-10T10:30:01Z') $$, 'tests.begins()',
    'nothing', 'however old an earlier request is'),
  ($$ select tests.request('bob', '2026-03-10T10:30:01Z', 'silence'), tests.request('bob', '2026-03-09T08:00Z', 'request') $$, 'tests.begins()', 'nothing',
    'of two grants that have run out, the newer one counts'),
  ($$ select tests.request('bob', '2026-03-09T08:00Z', 'request', '2026-03-09T09:00Z'), tests.request('bob', '2026-03-12T08:00Z', 'request', '2026-03-12T10:30:05Z') $$,
    'tests.begins()', 'nothing', 'of two requests that were rejected, the newer one counts'),
  ($$ select tests.request('bob', '2026-03-12T08:00Z', 'request', '2026-03-12T10:29:59Z') $$, 'tests.begins()', 'Bob 3',
    'a deadline after the end of a request is a new miss'),
  ($$ select tests.request('bob', '2026-03-12T08:00Z', 'request', '2026-03-12T10:30Z') $$, 'tests.begins()', 'nothing', 'one at its end is not'),
  ($$ select tests.request('bob', '2026-03-10T10:30:05Z', 'request', '2026-03-10T11:00Z') $$, 'tests.begins()', 'Bob 3',
    'a request that was rejected ended then, not when its grant would have run out'),
  ($$ select tests.give('carol', tests.photos()), tests.request('carol', '2026-03-12T09:00Z') $$, 'tests.begins()', 'Bob 3', 'a wait of another nominee holds up nobody'),
  ($$ select tests.give('carol', tests.photos()), tests.request('carol', '2026-03-10T10:30:01Z') $$, 'tests.begins()', 'Bob 3', 'nor does a grant of another nominee that has run out'),
  ($$ select tests.give('carol', tests.photos()), tests.request('carol', '2026-03-12T08:00Z', 'request', '2026-03-12T10:30:05Z') $$, 'tests.begins()', 'Bob 3',
    'nor does a rejection of another nominee')
) as cases (before, act, answer, sentence);

select * from finish();
rollback;
