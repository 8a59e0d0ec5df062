-- The first screen in one call.
begin;
\ir people.sql
select plan(45);
\set now '''2026-03-10T09:10:00Z'''

select tests.as_user('acme', 'alice');
select api.create_connection('333333', '2026-03-10T08:00:00Z') \g /dev/null
select api.create_vault('{"name": "Papers"}', '2026-03-10T08:00:00Z') ->> 'id' as vault \gset
create temporary table seen as select api.home(:now) as body;
select set_eq(
  $$ select json_object_keys(body) from seen $$, array['last_event_id', 'me', 'state', 'sender', 'receiver', 'vaults', 'emergency_access', 'alarms', 'first_steps', 'unread_count', 'unread_messages', 'waiting'],
  'the first screen has its parts'
);
select is(
  (select xid::text from internal.read_position((select body ->> 'last_event_id' from seen), :now)),
  internal.feed_end(internal.feed_horizon())::text, 'it names the position in the feed of events up to which it is complete'
);
select is(
  (select reset from internal.read_position((select body ->> 'last_event_id' from seen), :now)), null, 'a stream can go on from there'
);
select is((select body ->> 'me' from seen), api.get_me()::text, 'it has the account as its own call gives it');
select is((select body #>> '{sender,profile}' from seen), api.get_sender_profile()::text, 'it has the profile with the code');
select is(
  api.page_frame(:now)::jsonb,
  (
    select jsonb_build_object(
      'me', body -> 'me', 'unread_count', body -> 'unread_count',
      'waiting', jsonb_build_object('emergency_requests', body #> '{waiting,emergency_requests}', 'asks', body #> '{waiting,asks}'),
      'alarms', body -> 'alarms'
    )
    from seen
  ), 'the frame of a page is a part of it'
);
select is((select body ->> 'receiver' from seen), null, 'a role without a profile is null');
select is(
  (select body #>> '{sender,dashboard}' from seen), api.get_dashboard('sender', 'missed', 50, null, :now)::text, 'it has the dashboard'
);
select is((select body #>> '{sender,dashboard,open_pings}' from seen), '1', 'it has the number of open pings');
select is((select body #>> '{sender,break}' from seen), null, 'no break is null');
select is((select body #>> '{vaults,items,0,id}' from seen), :'vault', 'it has the vaults');
select is((select body #>> '{vaults,items}' from seen), api.list_vaults(null, false, 50, null, :now) ->> 'items', 'the vaults are those of their own call');
select is((select body ->> 'unread_count' from seen), '0', 'it has the number of unread notifications');
select is((select body ->> 'waiting' from seen)::jsonb, '{"emergency_requests": [], "confirmations": [], "connections": [], "asks": [], "invitations": {"items": [], "next_cursor": null}}'::jsonb, 'nothing waits');
select api.put_break('{"from": "2026-03-12", "until": "2026-03-13"}', :now) \g /dev/null
select is((api.home(:now) #> '{sender,break}')::jsonb, '{"from": "2026-03-12", "until": "2026-03-13"}'::jsonb, 'it has a coming break');

-- In the other role.
select tests.as_user('acme', 'carol');
select is(
  api.home(:now) #>> '{receiver,dashboard}', api.get_dashboard('receiver', 'missed', 50, null, :now)::text, 'a receiver has their own dashboard'
);
select is(api.home(:now) ->> 'sender', null, 'a receiver who is no sender has no other');
select is(api.home(:now) ->> 'unread_count', '1', 'the unread notification of the new connection counts');
select is(json_array_length(api.home(:now) #> '{vaults,items}'), 0, 'nobody sees another user''s vault');
select tests.as_user('acme', 'mallory');
select is(
  (select format('%s %s', body #>> '{sender,profile,code}', body #>> '{receiver,profile,code}') from (select api.home(:now) as body) as both_roles),
  '444444 444445', 'who has both roles sees both, each with its code'
);

-- What waits for consent waits for the code's owner.
select tests.as_superuser();
update kith.tenants set requires_consent = true where slug = 'acme';
select tests.as_user('acme', 'mallory');
select api.create_connection('333333', '2026-03-10T09:00:00Z') ->> 'id' as pending \gset
select is((api.home(:now) #> '{waiting,connections}')::jsonb, '[]'::jsonb, 'what waits for somebody else does not wait for me');
select tests.as_user('acme', 'carol');
select is(
  (select string_agg(waits ->> 'id' || ' ' || (waits ->> 'status'), ' ') from json_array_elements(api.home(:now) #> '{waiting,connections}') as waits),
  :'pending' || ' pending', 'a connection waits for the owner of its code'
);
select api.consent_connection(:'pending', :now) \g /dev/null
select is((api.home(:now) #> '{waiting,connections}')::jsonb, '[]'::jsonb, 'after the consent it does not wait any more');

-- Lists are pages, and the open pings of a sender are counted beyond the page.
select tests.as_superuser();
update kith.tenants set requires_consent = false where slug = 'acme';
insert into kith.users (tenant_id, id, display_name, tokens_valid_from, created_at, updated_at)
select tests.tenant('acme'), ('0f000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'Receiver ' || n, :now, :now, :now from generate_series(1, 60) as n;
insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
select tests.tenant('acme'), ('0f000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, tests.id('alice'), ('0f000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid,
  'active', tests.id('alice'), :now, :now, :now
from generate_series(1, 60) as n;
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
select tenant_id, '2026-03-10', id, gen_random_uuid(), sender_id, receiver_id, 'due', '2026-03-10T09:00Z', '2026-03-10T10:30Z'
from kith.connections where id::text like '0f0%';
insert into kith.vaults (tenant_id, id, owner_id, name, created_at, updated_at)
select tests.tenant('acme'), gen_random_uuid(), tests.id('alice'), 'V', :now, :now from generate_series(1, 60);
select tests.as_user('acme', 'alice');
create temporary table full_screen as select api.home(:now) as body;
select is(
  (select format('%s %s', json_array_length(body #> '{sender,dashboard,items}'), json_array_length(body #> '{vaults,items}')) from full_screen), '50 50',
  'the first 50 connections and vaults are there'
);
select is(
  (select json_array_length(api.get_dashboard('sender', 'missed', 50, body #>> '{sender,dashboard,next_cursor}', :now) -> 'items') from full_screen), 12,
  'the dashboard continues where the first screen ends'
);
select is((select body #>> '{sender,dashboard,open_pings}' from full_screen), api.get_dashboard('sender', null, null, null, :now) ->> 'open_pings', 'all open pings are counted');
select is((select body #>> '{sender,dashboard,deadline_at}' from full_screen), '2026-03-10T10:30:00.000000Z', 'the deadline is theirs');

-- Invitations to verified contacts wait, and unread messages count, each as its own call says.
select tests.as_superuser();
update kith.users set email = 'bob@example.com', email_verified_at = :now where id = tests.id('bob') and tenant_id = tests.tenant('acme');
select tests.as_user('acme', 'alice');
select api.invite_nominees(:'vault', '[{"name": "Bob", "email": "bob@example.com"}]', 'https://kith.example', :now) #>> '{0,nominee,id}' as nominee \gset
select tests.as_user('acme', 'bob');
select is(
  (select format('%s %s', body #>> '{waiting,invitations,items,0,id}', body #>> '{waiting,invitations}' = api.list_own_invitations(50, null, :now)::text)
    from (select api.home(:now) as body) as screen),
  :'nominee' || ' t', 'an invitation to a verified contact waits'
);
select tests.as_superuser();
update kith.nominees set status = 'accepted', user_id = tests.id('bob'), accepted_at = :now where id = :'nominee';
select tests.as_user('acme', 'alice');
select api.send_message(:'vault', :'nominee', 'Hello', :now) \g /dev/null
select is(api.home(:now) ->> 'unread_messages', '0', 'one''s own message is not unread');
select tests.as_user('acme', 'bob');
select is(api.home(:now) ->> 'unread_messages', api.list_conversations(50, null) ->> 'unread_count', 'unread messages count as in the list of conversations');

-- Alarms that concern the caller, in either role, while they are not over.
select is(api.home(:now) ->> 'alarms', '[]', 'no alarm concerns Bob');
select tests.as_user('acme', 'alice');
select api.call_for_help(null, null, 'app', :now) ->> 'id' as alarm \gset
select is(
  (select jsonb_agg(alarm - 'state') from jsonb_array_elements((api.home(:now) -> 'alarms')::jsonb) as alarm),
  jsonb_build_array(jsonb_build_object(
    'id', :'alarm', 'kind', 'help', 'status', 'open', 'role', 'sender', 'sender', jsonb_build_object('id', tests.id('alice'), 'display_name', 'Alice'),
    'opened_at', '2026-03-10T09:10:00.000000Z', 'taken_by', null, 'taken_by_me', false, 'taken_until', null
  )), 'the sender''s own alarm stands on their first screen'
);
select tests.as_user('acme', 'bob');
select is(api.home(:now) #>> '{alarms,0,role}', 'receiver', 'and on that of whoever was told');
select api.take_alarm(:'alarm', '{}', :now) \g /dev/null
select is(api.home(:now) #>> '{alarms,0,taken_by_me}', 'true', 'who sees that they look after it');
select tests.as_user('acme', 'mallory');
select is(api.home(:now) ->> 'alarms', '[]', 'nobody else sees it');
select tests.as_user('acme', 'bob');
select is(api.home('2026-03-17T09:11Z') ->> 'alarms', '[]', 'nor anybody once it has expired');
select api.resolve_alarm(:'alarm', 'safe', null, null, :now) \g /dev/null
select is(api.home(:now) ->> 'alarms', '[]', 'or is resolved');

select tests.as_server('acme');
select throws_ok($$ select api.home('2026-03-10T09:10:00Z') $$, 'KT401', 'unauthenticated', 'a tenant''s server has no first screen');

-- What somebody new still has to do (I07).
select tests.as_superuser();
create function tests.steps(p_person text, p_now timestamptz) returns text
  language plpgsql
as $$
declare
  v_answer text;
begin
  perform tests.as_user('acme', p_person);
  select string_agg(step.key || ' ' || coalesce(step.value::text, '-'), ', ' order by step.n) into v_answer
  from json_each_text((api.home(p_now) ->> 'first_steps')::json) with ordinality as step (key, value, n);
  perform tests.as_superuser();
  return v_answer;
end
$$;
select is(tests.steps('alice', :now), null, 'after a month there are no first steps');
update kith.users set created_at = '2026-03-09Z' where tenant_id = tests.tenant('acme') and display_name in ('Alice', 'Carol', 'Mallory');
delete from kith.connections where id::text like '0f0%';
select is(tests.steps('alice', :now), 'heard true, tested false, reached true, zone false, number false, care_card false', 'a new sender has some left');
select is(tests.steps('carol', :now), 'heard -, tested -, reached true, zone false, number -, care_card -', 'a receiver has those that concern them');
insert into kith.channel_credentials (tenant_id, channel, sealed, summary, created_at, updated_at)
values (tests.tenant('acme'), 'sms', '\x00', '{}', '2026-03-01Z', '2026-03-01Z');
update kith.users set phone = null, phone_verified_at = null where tenant_id = tests.tenant('acme');
select is(tests.steps('alice', :now), 'heard false, tested false, reached false, zone false, number false, care_card false', 'whom no channel reaches is not told, nor asked');
update kith.users
set phone = case id when tests.id('alice') then '+4915112345671' else '+4915112345673' end, phone_verified_at = :now, time_zone = 'Europe/Berlin'
where tenant_id = tests.tenant('acme') and id in (tests.id('alice'), tests.id('carol'));
update kith.sender_profiles set share_phone = true where user_id = tests.id('alice');
select is(tests.steps('alice', :now), 'heard true, tested false, reached true, zone true, number true, care_card false', 'what is done is done');
select is(tests.steps('carol', :now), null, 'a list of which nothing is left is not there');
insert into kith.care_cards (tenant_id, user_id, sealed_key, sealed_card, updated_at) values (tests.tenant('acme'), tests.id('alice'), '\x00', '\x00', :now);
update kith.connections set tested_at = :now, test_answered_at = :now, test_reached = true where sender_id = tests.id('alice');
select is(tests.steps('alice', :now), null, 'nor is the sender''s, after the last step');

select * from finish();
rollback;
