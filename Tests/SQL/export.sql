-- Everything about a user, page by page (A04).
begin;
\ir people.sql
select plan(41);
\set now '''2026-03-10T12:00:00Z'''

-- Puts the pages together as the server does.
create function tests.export(p_now timestamptz) returns jsonb
  language plpgsql
as $$
declare
  v_page jsonb;
  v_next text;
  v_document jsonb := '{}';
begin
  loop
    v_page := api.export_me(v_next, p_now);
    v_document := v_document || jsonb_build_object(
      v_page ->> 'section',
      case
        when v_document ? (v_page ->> 'section') then (v_document -> (v_page ->> 'section')) || (v_page -> 'value')
        else v_page -> 'value'
      end
    );
    v_next := v_page ->> 'next';
    exit when v_next is null;
  end loop;
  return v_document;
end
$$;
create temporary table exported (person text, document jsonb);
grant all on exported to public;

insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at, deleted_at)
select tests.tenant('acme'), id::uuid, tests.id(sender), tests.id(receiver), status, tests.id(receiver), now(), now(), now(), deleted_at
from (values
  ('0c000000-0000-7000-8000-000000000002', 'alice', 'carol', 'deleted', now()),
  ('0c000000-0000-7000-8000-000000000003', 'mallory', 'bob', 'pending', null)
) as connections (id, sender, receiver, status, deleted_at);
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
select tests.tenant('acme'), day::date, connection::uuid, gen_random_uuid(), tests.id(sender), tests.id('bob'), 'missed', day + interval '9 hours', day + interval '10 hours'
from generate_series('2026-01-05'::timestamptz, '2026-03-10', '1 day') as day,
  (values (tests.id('alice-bob')::text, 'alice'), ('0c000000-0000-7000-8000-000000000003', 'mallory')) as connections (connection, sender);
insert into kith.check_ins (tenant_id, id, user_id, received_at, note, created_at)
select tests.tenant('acme'), gen_random_uuid(), tests.id('alice'), '2026-03-01T00:00Z'::timestamptz + (n / 2) * interval '1 second', 'note ' || n, now()
from generate_series(1, 1201) as n;
update kith.check_ins set tapped_at = '2026-03-01T00:00:30Z' where note = 'note 90';
-- Bob's notifications are not Alice's.
create function tests.tell_bob() returns setof kith.notifications
  language sql
as $$
  insert into kith.notifications (tenant_id, id, user_id, type, body, created_at)
  values (tests.tenant('acme'), internal.uuid7('2026-03-01T00:00Z'), tests.id('bob'), 'ping_missed', 'bobs', now())
  returning *
$$;
insert into kith.notifications (tenant_id, id, user_id, type, body, created_at)
select tests.tenant('acme'), internal.uuid7('2026-03-01T00:00Z'::timestamptz + n * interval '1 second'), tests.id('alice'), 'ping_due', 'body ' || n, now()
from generate_series(1, 1000) as n;
create temporary table bobs as select * from tests.tell_bob();
grant select on bobs to public;
insert into kith.deliveries (tenant_id, id, channel, purpose, address, notification_id, status, attempts, next_attempt_at, expires_at, sent_at, created_at)
select tests.tenant('acme'), internal.uuid7(:now), 'email', 'notification', user_id || '@example.org', id, 'sent', 1, :now, :now, :now, :now
from (select id, user_id from tests.notifications where body = 'body 7' union all select id, user_id from bobs) as told;
select internal.enter_tenant('acme') \g /dev/null
select internal.begin_session(tests.id('alice'), tests.id('alice-bob'), sha256('the-token'), '2026-03-01T08:00Z') \g /dev/null
select tests.as_user('acme', 'alice');
select api.put_device('{"platform": "web", "token": "https://push.example/1", "keys": {"p256dh": "p", "auth": "the-secret"}}', :now) \g /dev/null
select api.put_quiet_hours('{"from": "22:00", "until": "07:00"}', :now) \g /dev/null
select api.put_block(tests.id('carol'), :now) \g /dev/null
select api.create_connection_invitation(
  jsonb_build_array(jsonb_build_object('given_phone', n::text, 'phone', '+49151' || (10000000 + n))), false, 'https://kith.example', :now::timestamptz + n * interval '1 second'
)
from generate_series(1, 7) as n \g /dev/null
select api.create_vault('{"name": "Papers"}', :now) ->> 'id' as vault \gset
select api.put_share(:'vault', '{"url": "https://share.example/1"}', :now) \g /dev/null
select api.create_transfer(:'vault', '{"name": "Dave", "email": "dave@example.com", "keep_access": false}', 'https://kith.example', :now) \g /dev/null
select api.create_vault('{"name": "More"}', :now::timestamptz + interval '1 second') ->> 'id' as more \gset
select tests.as_superuser();
insert into kith.documents (tenant_id, id, vault_id, owner_id, version_id, name, content_type, size, sha256, created_at, created_by, updated_at)
select tests.tenant('acme'), internal.uuid7(:now::timestamptz + n * interval '1 second'), case when n <= 700 then :'vault' else :'more' end::uuid,
  tests.id('alice'), gen_random_uuid(), 'document ' || n, 'text/plain', 0, sha256(''), :now, tests.id('alice'), :now
from generate_series(1, 1100) as n;
select tests.as_user('acme', 'alice');
insert into exported values ('alice', tests.export(:now));
select tests.as_user('acme', 'bob');
insert into exported values ('bob', tests.export(:now));
select tests.as_user('acme', 'carol');
insert into exported values ('carol', tests.export(:now));

select tests.as_superuser();
create temporary table alice as select document from exported where person = 'alice';
select is(
  document -> 'connections' -> 0 ->> 'may_ask' || ' ' || (document -> 'connections' -> 0 ->> 'always_care_card'), 'true false',
  'what a sender lets a receiver do is there'
)
from alice;
select is(
  (select string_agg(concat_ws(' ', item ->> 'role', item ->> 'may_ask'), ', ') from jsonb_array_elements(document -> 'connections') as item),
  'receiver, receiver', 'which is not the receiver''s own choice'
)
from exported where person = 'bob';
select is(
  (select string_agg(item ->> 'tapped_at', ' ') from jsonb_array_elements(document -> 'check_ins') as item), '2026-03-01T00:00:30.000000Z',
  'when they tapped a check-in that came later is there'
)
from alice;
select is(document #>> '{account,profile,display_name}', 'Alice', 'the profile is there') from alice;
select is(document #>> '{account,exported_at}', '2026-03-10T12:00:00.000000Z', 'the time of the export is there') from alice;
select is(document #>> '{account,sender_profile,ping_time}', '09:00', 'the sender profile is there') from alice;
select is(document #> '{account,receiver_profile}', 'null'::jsonb, 'a profile that the user does not have is null') from alice;
select is(document #>> '{account,codes,0,code}', '111111', 'codes are there') from alice;
select is(document #>> '{account,devices,0,token}', 'https://push.example/1', 'devices are there') from alice;
select is(document #>> '{account,quiet_hours,from}', '22:00', 'quiet hours are there') from alice;
select is(jsonb_array_length(document #> '{account,notification_preferences}'), (select count(*)::integer from internal.notification_types() where not 'as_miss' = any (traits)), 'preferences are there') from alice;
select is(document #>> '{account,blocks,0,user,display_name}', 'Carol', 'blocked users are there') from alice;
select is(document #>> '{account,sessions,0,created_at}', '2026-03-01T08:00:00.000000Z', 'sign-ins are there') from alice;
select unalike(document::text, '%the-secret%', 'secrets are not there') from alice;
select unalike(document::text, '%' || encode(sha256('the-token'), 'hex') || '%', 'neither tokens nor their hashes are there') from alice;
select is(
  document -> 'connections' -> 0 -> 'counterpart', jsonb_build_object('id', tests.id('bob'), 'display_name', 'Bob'),
  'a connection contains the other side''s name'
)
from alice;
select is(
  document -> 'connections' -> 1 -> 'counterpart', jsonb_build_object('id', tests.id('carol'), 'display_name', null),
  'an ended connection does not contain the other side''s name'
)
from alice;
select is(jsonb_array_length(document -> 'pings'), 65, 'every ping is there once') from alice;
select is(
  (select count(distinct ping ->> 'date') from jsonb_array_elements(document -> 'pings') as ping), 65::bigint, 'the export has the pings of every date'
)
from alice;
select is(
  (select string_agg(item ->> 'note', ' ' order by n) from jsonb_array_elements(document -> 'check_ins') with ordinality as items (item, n)),
  (select string_agg(note, ' ' order by received_at desc, id desc) from kith.check_ins where user_id = tests.id('alice')),
  'every check-in is there once, with its note, over the pages'
)
from alice;
select is(
  (select string_agg(item ->> 'body', ' ' order by n) from jsonb_array_elements(document -> 'notifications') with ordinality as items (item, n)),
  (select string_agg(body, ' ' order by id desc) from tests.notifications where user_id = tests.id('alice')),
  'every notification is there once'
)
from alice;
select is(
  (
    select string_agg(concat_ws(' ', delivery ->> 'channel', delivery ->> 'address', delivery ->> 'status'), ', ')
    from jsonb_array_elements(document -> 'notifications') as item, jsonb_array_elements(item -> 'deliveries') as delivery
  ),
  format('email %s@example.org sent', tests.id('alice')), 'every notification shows where it was delivered'
)
from alice;
select tests.as_user('acme', 'alice');
select is(
  (select count(*) from internal.own_deliveries(array(select id from bobs))), 0::bigint, 'other users'' deliveries cannot be read'
);
select tests.as_superuser();
select is(
  (
    select string_agg(item #>> '{recipients,0,phone}', ' ' order by n)
    from jsonb_array_elements(document -> 'connection_invitations') with ordinality as items (item, n)
  ),
  '+4915110000007 +4915110000006 +4915110000005 +4915110000004 +4915110000003 +4915110000002 +4915110000001',
  'every invitation is there once, with its recipients'
)
from alice;
select unalike(document::text, '%sms:%', 'the sms links of recipients are not there') from alice;
select is(jsonb_array_length(document -> 'pings'), 65, 'a receiver gets the pings of active connections, but none of pending ones')
from exported where person = 'bob';
select is(document -> 'check_ins', '[]'::jsonb, 'the export leaves out the senders'' check-ins') from exported where person = 'bob';
select unalike(document::text, '%note %', 'the export leaves out other people''s notes') from exported where person = 'bob';
select is(
  (select string_agg(item ->> 'name', ' ' order by n) from jsonb_array_elements(document -> 'documents') with ordinality as items (item, n)),
  (select string_agg('document ' || n, ' ' order by n) from generate_series(1, 1100) as n),
  'every document of the user''s vaults is there once, even if the vaults are locked'
)
from alice;
select is(document #>> '{shares,0,url}', 'https://share.example/1', 'shares are there') from alice;
select is(document #>> '{transfers,0,email}', 'dave@example.com', 'transfers are there') from alice;
select is(
  document #> '{transfers,0,invitations}',
  '[{"channel": "link", "created_at": "2026-03-10T12:00:00.000000Z", "replaced_at": null, "outcome": null, "outcome_at": null}]',
  'with their invitations'
)
from alice;
select is(
  jsonb_build_array(document -> 'documents', document -> 'shares', document -> 'transfers'), '[[], [], []]'::jsonb, 'the export leaves out other people''s vaults'
)
from exported where person = 'bob';
select is(document #> '{account,blocks}', '[]'::jsonb, 'the export leaves out who has blocked the user') from exported where person = 'carol';
select is(
  (select string_agg(key, ' ' order by key) from jsonb_object_keys(document) as key),
  'account alarms check_ins connection_invitations connections documents emergency_quorums emergency_requests emergency_rights feedback messages nominees notifications pings questions shares transfers vault_history vaults',
  'every section is there, including empty ones'
)
from exported where person = 'carol';
select tests.as_server('acme');
select throws_ok($$ select api.export_me(null, '2026-03-10T12:00Z') $$, 'KT404', 'not_found', 'a tenant''s server cannot export a user');

-- An account that was imported with an old date reads no days of which there are no pings.
select tests.as_superuser();
update kith.users set created_at = '2000-01-02Z' where tenant_id = tests.tenant('acme');
create function tests.pages() returns text
  language plpgsql
as $$
declare
  v_page jsonb;
  v_next text := 'pings';
  v_pages text[] := '{}';
begin
  loop
    v_page := api.export_me(v_next, '2026-03-10T12:00Z');
    exit when v_page ->> 'section' <> 'pings';
    v_pages := v_pages || concat_ws(' ', jsonb_array_length(v_page -> 'value'), split_part(v_page ->> 'next', ' ', 2));
    v_next := v_page ->> 'next';
  end loop;
  return array_to_string(v_pages, ', ');
end
$$;
select tests.as_user('acme', 'alice');
select is(tests.pages(), '65 ', 'a section with the pings of 65 days ends with the oldest');
select tests.as_user('acme', 'carol');
select is(tests.pages(), '0 ', 'also for somebody who has none');
select tests.as_user('globex', 'globex-alice');
select is(tests.pages(), '0 ', 'and in a tenant without pings');
select tests.as_superuser();
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
values (
  tests.tenant('acme'), '2024-03-10', tests.id('alice-bob'), gen_random_uuid(), tests.id('alice'), tests.id('bob'), 'missed', '2024-03-10T09:00Z', '2024-03-10T10:00Z'
);
select tests.as_user('acme', 'alice');
select is(tests.pages(), '65 2025-02-05, 1 ', 'a page has at most 400 days, and no ping is lost');
select tests.as_user('acme', 'carol');
select is(tests.pages(), '0 2025-02-05, 0 ', 'also for somebody who has none');

select * from finish();
rollback;
