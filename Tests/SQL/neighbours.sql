-- A function touches the rows that it means, and none beside them: another vault's, another person's, an older or a later one. One row a question.
-- What a row does is undone before the next one.
begin;
\ir people.sql
\ir emergency_house.sql
select plan(143);

-- A second vault of Alice's, and one of Mallory's.
create function tests.other_vault() returns uuid language sql immutable as $$ select '0f000000-0000-7000-8000-000000000002'::uuid $$;
create function tests.strange_vault() returns uuid language sql immutable as $$ select '0f000000-0000-7000-8000-000000000003'::uuid $$;
insert into kith.vaults (tenant_id, id, owner_id, name, created_at, updated_at)
select tests.tenant('acme'), id, tests.id(owner), name, '2026-03-01T08:00Z', '2026-03-01T08:00Z'
from (values (tests.other_vault(), 'alice', 'Photos'), (tests.strange_vault(), 'mallory', 'Diary')) as vaults (id, owner, name);
create or replace function tests.vault() returns uuid language sql as $$ select id from kith.vaults where tenant_id = tests.tenant('acme') and name = 'Papers' $$;

-- What one expression is after a statement.
create function tests.after(p_statement text, p_then text) returns text
  language plpgsql
as $$
declare
  v_answer text;
begin
  execute p_statement;
  execute 'select ' || p_then into v_answer;
  return coalesce(v_answer, 'nothing');
end
$$;
-- What a refusal says.
create function tests.detail(p_statement text) returns text
  language plpgsql
as $$
declare
  v_detail text;
begin
  execute p_statement;
  return 'nothing';
exception when others then
  get stacked diagnostics v_detail = pg_exception_detail;
  return v_detail;
end
$$;
create function tests.document() returns uuid language sql immutable as $$ select '0d000000-0000-7000-8000-000000000001'::uuid $$;
create function tests.add_document() returns void
  language sql
as $$
  insert into kith.documents (tenant_id, id, vault_id, owner_id, version_id, name, content_type, size, sha256, created_at, created_by, updated_at)
  values (
    tests.tenant('acme'), tests.document(), tests.vault(), tests.id('alice'), '0d000000-0000-7000-8000-000000000002', 'Will', 'text/plain', 1, sha256(''),
    '2026-03-02T08:00Z', tests.id('alice'), '2026-03-02T08:00Z'
  )
$$;
create function tests.nominate(p_person text, p_vault uuid, p_level text) returns uuid
  language sql
as $$
  insert into kith.nominees (
    tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, updated_at
  )
  select tests.tenant('acme'), gen_random_uuid(), id, owner_id, tests.id(p_person), initcap(p_person), 'accepted', p_level, '2026-03-01T08:00Z', owner_id,
    '2026-03-01T08:00Z', '2026-03-01T08:00Z'
  from kith.vaults where id = p_vault
  returning id
$$;
create function tests.open(p_vault uuid, p_now timestamptz) returns uuid
  language sql
as $$
  insert into kith.vault_sessions (tenant_id, id, vault_id, owner_id, kind, unlocked_by, opened_at, expires_at, maximum_at, last_activity_at)
  select tests.tenant('acme'), gen_random_uuid(), id, owner_id, 'shared', owner_id, p_now, p_now + interval '30 minutes', p_now + interval '12 hours', p_now
  from kith.vaults where id = p_vault
  returning id
$$;
create function tests.offer(p_vault uuid, p_expires_at timestamptz) returns void
  language sql
as $$
  with offered as (
    insert into kith.transfers (tenant_id, id, vault_id, owner_id, name, phone, keep_access, status, created_at, expires_at)
    select tests.tenant('acme'), internal.uuid7('2026-03-09T08:00Z'), id, owner_id, 'Carol', '+491511230001', false, 'pending', '2026-03-09T08:00Z', p_expires_at
    from kith.vaults where id = p_vault
    returning *
  )
  insert into kith.transfer_invitations (tenant_id, id, transfer_id, owner_id, token_hash, channel, created_at)
  select tenant_id, internal.uuid7('2026-03-09T08:00Z'), id, owner_id, sha256(id::text::bytea), 'link', created_at from offered
$$;
create function tests.webhook(p_n integer, p_leased_by text default null) returns void
  language sql
as $$
  insert into kith.webhooks (
    tenant_id, id, url, types, sealed_secrets, taken_xid, taken_at, next_attempt_at, created_at, updated_at, leased_by, batch_id, batch_xid, batch_until_id
  )
  values (
    tests.tenant('acme'), ('0e200000-0000-7000-8000-00000000000' || p_n)::uuid, 'https://acme.example/' || p_n, '{}', '\x01', '3', '2026-03-01Z',
    '2026-03-01Z', '2026-03-01Z', '2026-03-01Z', p_leased_by, case when p_leased_by is not null then gen_random_uuid() end,
    case when p_leased_by is not null then '4'::xid8 end, case when p_leased_by is not null then internal.uuid7('2026-03-10T08:00Z') end
  )
$$;
create function tests.alarm(p_n integer, p_webhook_told_at timestamptz) returns void
  language sql
as $$
  insert into kith.undelivered_alarms (tenant_id, notification_id, user_id, type, at, webhook_told_at, operators_at)
  values (tests.tenant('acme'), gen_random_uuid(), tests.id('bob'), 'ping_missed', '2026-03-10T08:00Z', p_webhook_told_at, '2026-03-10T08:30Z')
$$;
create function tests.other_connection() returns uuid language sql immutable as $$ select '0c000000-0000-7000-8000-0000000000f1'::uuid $$;
create function tests.connect_carol() returns void
  language sql
as $$
  insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
  select tenant_id, tests.other_connection(), sender_id, tests.id('carol'), status, tests.id('carol'), activated_at, created_at, updated_at
  from kith.connections where id = tests.id('alice-bob')
$$;
create function tests.ping(p_on date, p_status text, p_at timestamptz, p_connection uuid default tests.id('alice-bob')) returns void
  language sql
as $$
  insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
  values (
    tests.tenant('acme'), p_on, p_connection, internal.uuid7(p_at), tests.id('alice'), tests.id('bob'), p_status, p_at, p_at + interval '90 minutes'
  )
$$;
create function tests.invite(p_person text, p_phone text) returns void
  language sql
as $$
  with invitation as (
    insert into kith.connection_invitations (tenant_id, id, user_id, message, code, url, recipients, created_at)
    values (tests.tenant('acme'), internal.uuid7('2026-03-09T08:00Z'), tests.id(p_person), 'T', '111111', 'https://kith.example', 1, '2026-03-09T08:00Z')
    returning *
  )
  insert into kith.connection_invitation_recipients (tenant_id, invitation_id, n, user_id, given_phone, phone, status, updated_at)
  select tenant_id, id, 1, user_id, p_phone, p_phone, 'pending', created_at from invitation
$$;
create function tests.delivery(p_expires_at timestamptz) returns void
  language sql
as $$
  insert into kith.deliveries (tenant_id, id, channel, purpose, address, body, next_attempt_at, expires_at, created_at)
  values (tests.tenant('acme'), internal.uuid7('2026-03-10T08:00Z'), 'sms', 'invitation', '+491511230001', 'T', '2026-03-10T08:00Z', p_expires_at, '2026-03-10T08:00Z')
$$;
create function tests.events(p_person text) returns text
  language sql
as $$ select coalesce(string_agg(distinct type, ' ' order by type), 'none') from kith.events where user_id = tests.id(p_person) $$;

select is(tests.answer(before, person, act), answer, sentence)
from (values
  -- Documents.
  ($$ select tests.add_document() $$, 'alice', $$ tests.after('select internal.hold_document(tests.vault(), tests.document(), null)', $q$ 'held' $q$) $$, 'held',
    'a document can be held in its vault'),
  ($$ select tests.add_document() $$, 'alice', $$ tests.after('select internal.hold_document(tests.other_vault(), tests.document(), null)', $q$ 'held' $q$) $$, 'not_found',
    'a document cannot be held in another vault of its owner'),
  ($$ select tests.add_document() $$, 'alice', $$ internal.seen_document(tests.vault(), tests.document(), '2026-03-10Z') ->> 'status' $$, 'locked',
    'an event''s document is looked up in its vault'),
  ($$ select tests.add_document() $$, 'alice', $$ internal.seen_document(tests.other_vault(), tests.document(), '2026-03-10Z') ->> 'status' $$, 'nothing',
    'it is not found in another vault of its owner'),
  -- Nominees who leave, and sessions.
  ($$ select $$, 'bob', $$ tests.after('select internal.leave_vault(tests.vault(), ''0e000000-0000-7000-8000-000000000001'', ''2026-03-10Z'')',
    $q$ count(*) from kith.notifications where user_id = tests.id('alice') and type = 'nominee_revoked' $q$) $$, '1', 'the owner is told that a nominee leaves'),
  ($$ update kith.nominees set status = 'revoked', revoked_at = '2026-03-09Z' $$, 'bob',
    $$ tests.after('select internal.leave_vault(tests.vault(), ''0e000000-0000-7000-8000-000000000001'', ''2026-03-10Z'')',
    $q$ count(*) from kith.notifications where user_id = tests.id('alice') $q$) $$, '0', 'the owner is told nothing of a nominee who had left already'),
  ($$ select tests.nominate('carol', tests.vault(), 'full'), tests.open(tests.vault(), '2026-03-10T08:00Z'); delete from kith.events $$, 'bob',
    $$ tests.after('select internal.record_joining(one, tests.id(''bob''), ''2026-03-10T08:01Z'') from kith.vault_sessions as one', 'tests.events(''carol'')') $$,
    'session', 'a nominee with level full sees who joins'),
  ($$ select tests.nominate('carol', tests.other_vault(), 'full'), tests.open(tests.vault(), '2026-03-10T08:00Z'); delete from kith.events $$, 'bob',
    $$ tests.after('select internal.record_joining(one, tests.id(''bob''), ''2026-03-10T08:01Z'') from kith.vault_sessions as one', 'tests.events(''carol'')') $$,
    'none', 'a nominee of another vault does not'),
  ($$ select tests.open(tests.other_vault(), '2026-03-10T08:00Z') $$, 'bob',
    $$ tests.after('select internal.note_emergency_activity(tests.vault(), ''2026-03-10T08:05Z'')', $q$ (last_activity_at = '2026-03-10T08:00Z') from kith.vault_sessions $q$) $$,
    'true', 'activity in an emergency session prolongs no session of another vault'),
  -- Offers of a vault.
  ($$ select tests.offer(tests.vault(), '2026-03-10T08:00Z') $$, 'alice', $$ api.cancel_transfer(tests.vault(), '2026-03-10T07:59:59.999999Z')::text $$, 'nothing',
    'an offer can be cancelled until it expires'),
  ($$ select tests.offer(tests.vault(), '2026-03-10T08:00Z') $$, 'alice', $$ api.cancel_transfer(tests.vault(), '2026-03-10T08:00Z')::text $$, 'not_found',
    'an offer that has expired cannot be cancelled'),
  ($$ select tests.offer(tests.other_vault(), '2026-03-12T08:00Z'), tests.offer(tests.vault(), '2026-03-12T08:00Z') $$, 'alice',
    $$ tests.after('select api.report_transfer_invitation(tests.vault(), ''sent'', ''2026-03-10T08:00Z'')',
      $q$ string_agg((one_offer.vault_id = tests.vault()) || ' ' || coalesce(outcome, 'none'), ', ' order by outcome) from kith.transfer_invitations as one join kith.transfers as one_offer on one_offer.id = one.transfer_id $q$) $$,
    'true sent, false none', 'what became of an invitation is noted at its own offer'),
  ($$ select tests.offer(tests.vault(), '2026-03-12T08:00Z'), tests.offer(tests.other_vault(), '2026-03-12T08:00Z') $$, 'alice',
    $$ tests.after('select api.report_transfer_invitation(tests.vault(), ''sent'', ''2026-03-10T08:00Z'')',
      $q$ string_agg((one_offer.vault_id = tests.vault()) || ' ' || coalesce(outcome, 'none'), ', ' order by outcome) from kith.transfer_invitations as one join kith.transfers as one_offer on one_offer.id = one.transfer_id $q$) $$,
    'true sent, false none', 'whichever offer is older'),
  ($$ select tests.offer(tests.vault(), '2026-03-12T08:00Z'); update kith.users set phone = '+491511230001', phone_verified_at = '2026-03-01Z' where id = tests.id('carol'); delete from kith.events $$, 'alice',
    $$ tests.after('select internal.emit_offers(array(select id from kith.transfers), ''2026-03-10Z'')', $q$ tests.events('carol') $q$) $$, 'invitation',
    'an offer to a contact shows at the one who has it'),
  ($$ select tests.offer(tests.vault(), '2026-03-12T08:00Z'); update kith.users set phone = '+491511230001' where id = tests.id('carol'); delete from kith.events $$, 'alice',
    $$ tests.after('select internal.emit_offers(array(select id from kith.transfers), ''2026-03-10Z'')', $q$ tests.events('carol') $q$) $$, 'none',
    'not at one who has not verified it'),
  ($$ select tests.offer(tests.vault(), '2026-03-12T08:00Z'); update kith.users set phone = '+491511230001', phone_verified_at = '2026-03-01Z' where id = tests.id('alice'); delete from kith.events $$, 'alice',
    $$ tests.after('select internal.emit_offers(array(select id from kith.transfers), ''2026-03-10Z'')', $q$ tests.events('alice') $q$) $$, 'none',
    'nor at the owner themselves'),
  -- Breaks.
  ($$ select $$, 'alice', $$ tests.after('select api.put_break(''{"from": "2026-03-12", "until": "2026-03-13"}'', ''2026-03-10T08:00Z'')',
      $q$ string_agg(coalesce(break_from_on::text, 'none'), ' ' order by user_id = tests.id('mallory')) from kith.sender_profiles where tenant_id = tests.tenant('acme') $q$) $$,
    '2026-03-12 none', 'a break is the sender''s alone'),
  ($$ select $$, 'alice', $$ api.put_break('{"from": "2026-03-09", "until": "2026-03-09"}', '2026-03-10T00:00Z') ->> 'from' $$, 'validation_failed', 'a break cannot end yesterday'),
  ($$ select $$, 'alice', $$ api.put_break('{"from": "2026-03-09", "until": "2026-03-10"}', '2026-03-10T23:59:59.999999Z') ->> 'from' $$, '2026-03-09', 'it can end today'),
  ($$ select $$, 'alice', $$ api.put_break('{"from": "2026-03-10", "until": "2026-06-07"}', '2026-03-10T08:00Z') ->> 'from' $$, '2026-03-10', 'a break can have 90 days'),
  ($$ select $$, 'alice', $$ api.put_break('{"from": "2026-03-10", "until": "2026-06-08"}', '2026-03-10T08:00Z') ->> 'from' $$, 'validation_failed', 'but not 91'),
  ($$ select $$, 'alice', $$ api.put_break('{"from": "2027-03-10", "until": "2027-03-11"}', '2026-03-10T08:00Z') ->> 'from' $$, '2027-03-10', 'it can begin a year ahead'),
  ($$ select $$, 'alice', $$ api.put_break('{"from": "2027-03-11", "until": "2027-03-11"}', '2026-03-10T08:00Z') ->> 'from' $$, 'validation_failed', 'but no later'),
  -- Outages and suspensions (E03).
  ($$ insert into kith.outages (component, began_at, ended_at) values ('server', '2026-03-10T08:00Z', '2026-03-10T09:00Z') $$, 'alice',
    $$ internal.was_unreachable(tests.tenant('acme'), '2026-03-10T07:00Z', '2026-03-10T08:00Z') $$, 'false', 'an outage that begins when an hour ends was not in it'),
  ($$ insert into kith.outages (component, began_at, ended_at) values ('server', '2026-03-10T08:00Z', '2026-03-10T09:00Z') $$, 'alice',
    $$ internal.was_unreachable(tests.tenant('acme'), '2026-03-10T07:00Z', '2026-03-10T08:00:00.000001Z') $$, 'true', 'one that begins before its end was'),
  ($$ insert into kith.outages (component, began_at, ended_at) values ('server', '2026-03-10T08:00Z', '2026-03-10T09:00Z') $$, 'alice',
    $$ internal.was_unreachable(tests.tenant('acme'), '2026-03-10T09:00Z', '2026-03-10T10:00Z') $$, 'false', 'one that ends when the hour begins was not'),
  ($$ insert into kith.outages (component, began_at, ended_at) values ('server', '2026-03-10T08:00Z', '2026-03-10T09:00Z') $$, 'alice',
    $$ internal.was_unreachable(tests.tenant('acme'), '2026-03-10T08:59:59.999999Z', '2026-03-10T10:00Z') $$, 'true', 'one that ends after its beginning was'),
  ($$ insert into kith.suspensions (tenant_id, began_at, ended_at) values (tests.tenant('acme'), '2026-03-10T08:00Z', '2026-03-10T09:00Z') $$, 'alice',
    $$ internal.was_unreachable(tests.tenant('acme'), '2026-03-10T07:00Z', '2026-03-10T08:00:00.000001Z') $$, 'true', 'a suspension counts like an outage'),
  ($$ insert into kith.suspensions (tenant_id, began_at, ended_at) values (tests.tenant('acme'), '2026-03-10T08:00Z', '2026-03-10T09:00Z') $$, 'alice',
    $$ internal.was_unreachable(tests.tenant('acme'), '2026-03-10T09:00Z', '2026-03-10T10:00Z') $$, 'false', 'until it ends'),
  ($$ insert into kith.suspensions (tenant_id, began_at, ended_at) values (tests.tenant('acme'), '2026-03-10T08:00Z', '2026-03-10T09:00Z') $$, 'alice',
    $$ internal.was_unreachable(tests.tenant('globex'), '2026-03-10T08:00Z', '2026-03-10T09:00Z') $$, 'false', 'but not another tenant''s'),
  ($$ select tests.ask(); insert into kith.heartbeats (component, instance, started_at, beat_at)
      values ('server', 'a', '2026-03-10T07:00Z', '2026-03-10T08:00Z'), ('server', 'b', '2026-03-10T07:00Z', '2026-03-10T09:00Z') $$, 'alice',
    $$ tests.after('select', $q$ count(*) from internal.standstill_parts((select one from kith.emergency_requests as one), '2026-03-10T09:00:30Z') $q$) $$, '0',
    'while one of two servers beats, no wait stands still'),
  ($$ select tests.ask(); insert into kith.outages (component, began_at, ended_at) values ('server', '2026-03-10T09:00Z', '2026-03-10T10:00Z');
      update kith.tenants set deleted_at = '2026-03-10T08:00Z' where slug = 'globex' $$, 'alice',
    $$ tests.after('select internal.settle_outages(''2026-03-10T10:01Z'', 10)', $q$ to_char(grants_at, 'DD HH24:MI') from kith.emergency_requests $q$) $$, '12 09:00',
    'an outage delays a wait although another tenant is deleted'),
  -- Emergency requests.
  ($$ select tests.ask() $$, 'alice', $$ tests.after('select', $q$ (internal.begin_wait(tests.request(), '2026-03-11T08:00Z')).waits_from $q$) $$, 'nothing',
    'a wait that has begun does not begin again'),
  ($$ select tests.ask() $$, 'alice', $$ tests.after('select', $q$ json_array_length(items) from internal.exported_emergency_requests(null, 10, '2026-03-10T09:00Z') $q$) $$,
    '1', 'an owner''s export has the requests for their vaults'),
  ($$ select tests.ask() $$, 'alice', $$ tests.after('select', $q$ json_array_length(items) from internal.exported_emergency_requests(tests.request(), 10, '2026-03-10T09:00Z') $q$) $$,
    '0', 'the next page begins after the last one'),
  ($$ select $$, 'alice', $$ tests.after('select', $q$ json_array_length(items) from internal.exported_connections(tests.id('alice-bob'), 10) $q$) $$, '0',
    'so does that of connections'),
  -- Pings.
  ($$ select tests.ping('2026-03-07', 'missed', '2026-03-07T09:00Z') $$, 'alice', $$ internal.has_older_missed_pings('2026-03-01Z', '2026-03-10') || tests.id('bob')::text like 'true%' $$, 'true',
    'a ping missed three days ago is an older one'),
  ($$ select tests.ping('2026-03-08', 'missed', '2026-03-08T09:00Z') $$, 'alice', $$ internal.has_older_missed_pings('2026-03-01Z', '2026-03-10') || tests.id('bob')::text like 'true%' $$, 'false',
    'one missed two days ago is not'),
  ($$ select tests.ping('2026-03-10', 'cancelled', '2026-03-10T09:00Z') $$, 'alice',
    $$ tests.after('select api.check_in(null, false, null, ''app'', ''2026-03-10T08:00Z'')', 'status from kith.pings') $$, 'cancelled', 'an early check-in completes no cancelled ping'),
  ($$ select tests.ping('2026-03-10', 'scheduled', '2026-03-10T09:00Z') $$, 'alice',
    $$ tests.after('select', $q$ internal.ping_counts('2026-03-10T08:00Z') #>> '{next_hour,count}' $q$) $$, '1', 'a ping in exactly an hour is due in the next hour'),
  ($$ select tests.ping('2026-03-10', 'scheduled', '2026-03-10T09:00Z') $$, 'alice',
    $$ tests.after('select', $q$ internal.ping_counts('2026-03-10T07:59:59.999999Z') #>> '{next_hour,count}' $q$) $$, '0', 'a microsecond earlier it is not'),
  ($$ select tests.ping('2026-03-10', 'scheduled', '2026-03-10T09:00Z') $$, 'alice',
    $$ tests.after('select', $q$ internal.ping_counts('2026-03-10T09:00Z') #>> '{next_hour,count}' $q$) $$, '0', 'nor when its time has come'),
  ($$ select tests.ping('2026-03-10', 'due', '2026-03-10T09:00Z') $$, 'alice',
    $$ tests.after('select', $q$ concat_ws(' ', one #>> '{due,count}', one #>> '{late,count}', one #>> '{missed_today,count}') from internal.ping_counts('2026-03-10T10:30:09.999999Z') as one $q$) $$, '1 0 0',
    'a ping is not late within 10 seconds of its deadline'),
  ($$ select tests.ping('2026-03-10', 'due', '2026-03-10T09:00Z') $$, 'alice',
    $$ tests.after('select', $q$ concat_ws(' ', one #>> '{due,count}', one #>> '{late,count}', one #>> '{missed_today,count}') from internal.ping_counts('2026-03-10T10:30:10Z') as one $q$) $$, '1 1 0',
    'then it is'),
  ($$ select tests.ping('2026-03-10', 'missed', '2026-03-10T09:00Z') $$, 'alice',
    $$ tests.after('select', $q$ concat_ws(' ', one #>> '{due,count}', one #>> '{late,count}', one #>> '{missed_today,count}') from internal.ping_counts('2026-03-11T10:29:59.999999Z') as one $q$) $$, '0 0 1',
    'a missed ping counts for 24 hours'),
  ($$ select tests.ping('2026-03-10', 'missed', '2026-03-10T09:00Z') $$, 'alice',
    $$ tests.after('select', $q$ concat_ws(' ', one #>> '{due,count}', one #>> '{late,count}', one #>> '{missed_today,count}') from internal.ping_counts('2026-03-11T10:30Z') as one $q$) $$, '0 0 0',
    'and no longer'),
  -- Deliveries, alarms and webhooks.
  ($$ select tests.delivery('2026-03-10T09:00Z') $$, 'alice', $$ tests.after('select', $q$ worker.drop_expired_deliveries('2026-03-10T08:59:59.999999Z', 10) $q$) $$, '0',
    'a delivery waits until it expires'),
  ($$ select tests.delivery('2026-03-10T09:00Z') $$, 'alice', $$ tests.after('select worker.drop_expired_deliveries(''2026-03-10T09:00Z'', 10)', 'status from kith.deliveries') $$, 'dropped',
    'a delivery that is held is dropped when it expires'),
  ($$ select tests.alarm(1, null) $$, 'alice', $$ tests.after('select', $q$ worker.tell_operator('2026-03-10T08:29:59.999999Z') ->> 'undelivered_alarms' $q$) $$, 'nothing',
    'operators are not told of an undelivered alarm before its time'),
  ($$ select tests.alarm(1, null), tests.alarm(2, '2026-03-10T08:10Z') $$, 'alice',
    $$ tests.after('select', $q$ concat_ws(' ', one ->> 'undelivered_alarms', json_array_length(one -> 'alarms')) from worker.tell_operator('2026-03-10T08:30Z') as one $q$) $$, '1 1',
    'they are told then, but not of one that the tenant''s server has taken'),
  ($$ select tests.webhook(1), tests.webhook(2) $$, 'alice',
    $$ tests.after('select', $q$ string_agg(right(id, 1), ' ') from internal.sealed_keys('webhooks', tests.tenant('acme'), '0e200000-0000-7000-8000-000000000001', 10) $q$) $$, '2',
    'the page of sealed secrets begins after the last one'),
  ($$ select tests.webhook(1, 'other') $$, 'alice',
    $$ tests.after('select', $q$ worker.finish_webhook('2026-03-10T09:00Z', 'mine', tests.tenant('acme'), '0e200000-0000-7000-8000-000000000001', 'gone', null, 'x') $q$) $$, 'false',
    'a worker cannot finish a batch that another one has leased'),
  ($$ select tests.webhook(1, 'mine') $$, 'alice',
    $$ tests.after('select worker.finish_webhook(''2026-03-10T09:00Z'', ''mine'', tests.tenant(''acme''), ''0e200000-0000-7000-8000-000000000001'', ''gone'', null, repeat(''x'', 600))',
      'length(last_error) from kith.webhooks') $$, '500', 'an error of a webhook is kept up to 500 characters'),
  ($$ select tests.webhook(1, 'mine') $$, 'alice',
    $$ tests.after('select internal.end_webhook_batch(one, ''2026-03-10T09:00Z'') from kith.webhooks as one', $q$ to_char(taken_at, 'HH24:MI') from kith.webhooks $q$) $$, '08:00',
    'a webhook has taken events up to the last of its batch'),
  -- Limits by instants.
  ($$ insert into kith.otp_counts values (tests.tenant('acme'), '2026-03-01', 'sms', 1) $$, 'alice', $$ tests.after('select internal.sweep_counts(''2026-05-30T23:59:59Z'', 10)', 'count(*) from kith.otp_counts') $$, '1',
    'counts of codes are kept for 90 days'),
  ($$ insert into kith.otp_counts values (tests.tenant('acme'), '2026-03-01', 'sms', 1) $$, 'alice', $$ tests.after('select internal.sweep_counts(''2026-05-31T00:00Z'', 10)', 'count(*) from kith.otp_counts') $$, '0',
    'then they are deleted'),
  -- Who can be blocked: an inviter by a contact of one's own.
  ($$ update kith.nominees set user_id = null, status = 'pending', accepted_at = null, phone = '+491511230009', owner_id = owner_id where vault_id = tests.vault();
      update kith.users set phone = '+491511230009', phone_verified_at = '2026-03-01Z' where id = tests.id('carol') $$, 'carol',
    $$ internal.has_reached(tests.id('alice')) and tests.vault() is not null $$, 'true', 'an inviter has reached the user whose number they invited'),
  ($$ update kith.nominees set user_id = null, status = 'pending', accepted_at = null, email = 'carol@example.org' where vault_id = tests.vault();
      update kith.users set email = 'carol@example.org', email_verified_at = '2026-03-01Z' where id = tests.id('carol') $$, 'carol',
    $$ internal.has_reached(tests.id('alice')) and tests.vault() is not null $$, 'true', 'or whose e-mail address'),
  ($$ update kith.nominees set user_id = null, status = 'pending', accepted_at = null, email = 'carol@example.org' where vault_id = tests.vault();
      update kith.users set email = 'carol@example.org' where id = tests.id('carol') $$, 'carol',
    $$ internal.has_reached(tests.id('alice')) and tests.vault() is not null $$, 'false', 'but not one who has not verified it'),
  -- Who is told, and whose row it is.
  ($$ insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at, tells_resumed)
      values (tests.tenant('acme'), gen_random_uuid(), tests.id('alice'), tests.id('carol'), 'active', tests.id('carol'), '2026-03-01Z', '2026-03-01Z', '2026-03-01Z', true);
      update kith.connections set tells_resumed = true where id = tests.id('alice-bob') $$, 'alice',
    $$ tests.after('select internal.tell_of_late_resuming(tests.tenant(''acme''), array[tests.id(''alice-bob'')], ''2026-03-10Z'')',
      $q$ string_agg(display_name, ' ') from kith.notifications join kith.users on users.id = user_id $q$) $$, 'Bob',
    'only the receiver of a connection that resumes is told'),
  ($$ insert into kith.blocks (tenant_id, user_id, blocked_id, created_at) values (tests.tenant('acme'), tests.id('mallory'), tests.id('bob'), '2026-03-09Z') $$, 'alice',
    $$ tests.after('select internal.give_emergency(one, ''{"wait_hours": 48, "access_level": "view", "on_request": true}'', '''', ''2026-03-10Z'') from kith.nominees as one',
      $q$ wait_hours from kith.emergency_settings $q$) $$, '48', 'a right can be given to somebody whom another person has blocked'),
  ($$ insert into kith.blocks (tenant_id, user_id, blocked_id, created_at) values (tests.tenant('acme'), tests.id('alice'), tests.id('mallory'), '2026-03-09Z') $$, 'alice',
    $$ tests.after('select internal.give_emergency(one, ''{"wait_hours": 48, "access_level": "view", "on_request": true}'', '''', ''2026-03-10Z'') from kith.nominees as one',
      $q$ wait_hours from kith.emergency_settings $q$) $$, '48', 'and by an owner who has blocked another person'),
  ($$ insert into kith.blocks (tenant_id, user_id, blocked_id, created_at) values (tests.tenant('acme'), tests.id('alice'), tests.id('bob'), '2026-03-09Z') $$, 'alice',
    $$ tests.after('select internal.give_emergency(one, ''{"wait_hours": 48, "access_level": "view", "on_request": true}'', '''', ''2026-03-10Z'') from kith.nominees as one',
      $q$ wait_hours from kith.emergency_settings $q$) $$, 'conflict', 'not to somebody whom the owner has blocked'),
  ($$ select tests.ask() $$, 'mallory', $$ tests.after('select internal.end_emergencies_by_sign(tests.tenant(''acme''), tests.id(''mallory''), ''app'', ''2026-03-10T09:00Z'')',
      $q$ coalesce(end_reason, 'open') from kith.emergency_requests $q$) $$, 'open', 'another person''s sign of life ends no request'),
  ($$ select tests.ask(); update kith.emergency_requests set reject_on_check_in = true $$, 'alice', $$ tests.after('select internal.end_emergencies_by_sign(tests.tenant(''acme''), tests.id(''alice''), null, ''2026-03-10T09:00Z'')',
      $q$ coalesce(end_reason, 'open') from kith.emergency_requests $q$) $$, 'open', 'a use that is not a check-in ends no request whose terms want one'),
  ($$ select tests.ask(); update kith.emergency_requests set reject_on_check_in = true $$, 'alice', $$ tests.after('select internal.end_emergencies_by_sign(tests.tenant(''acme''), tests.id(''alice''), ''app'', ''2026-03-10T09:00Z'')',
      $q$ coalesce(end_reason, 'open') from kith.emergency_requests $q$) $$, 'owner_returned', 'a check-in does'),
  ($$ select tests.nominate('mallory', tests.other_vault(), 'view') $$, 'alice',
    $$ tests.after('insert into kith.nominees (tenant_id, id, vault_id, owner_id, name, status, access_level, invited_at, invited_by_user_id, revoked_at, updated_at)
        select tests.tenant(''acme''), gen_random_uuid(), tests.other_vault(), tests.id(''alice''), ''N'', ''revoked'', ''view'', ''2026-03-01Z'', tests.id(''alice''), ''2026-03-02Z'', ''2026-03-02Z''
        from generate_series(1, 5000); select internal.refuse_full_vault(tests.vault(), 1)', '1') $$, '1', 'a vault is not full because another one is'),
  ($$ select tests.nominate('mallory', tests.other_vault(), 'view') $$, 'alice',
    $$ tests.after('insert into kith.nominees (tenant_id, id, vault_id, owner_id, name, status, access_level, invited_at, invited_by_user_id, revoked_at, updated_at)
        select tests.tenant(''acme''), gen_random_uuid(), tests.other_vault(), tests.id(''alice''), ''N'', ''revoked'', ''view'', ''2026-03-01Z'', tests.id(''alice''), ''2026-03-02Z'', ''2026-03-02Z''
        from generate_series(1, 4998); select internal.refuse_full_vault(tests.other_vault(), 1)', '1') $$, '1', 'a vault has 5,000 nominees in its time'),
  ($$ select tests.nominate('mallory', tests.other_vault(), 'view') $$, 'alice',
    $$ tests.after('insert into kith.nominees (tenant_id, id, vault_id, owner_id, name, status, access_level, invited_at, invited_by_user_id, revoked_at, updated_at)
        select tests.tenant(''acme''), gen_random_uuid(), tests.other_vault(), tests.id(''alice''), ''N'', ''revoked'', ''view'', ''2026-03-01Z'', tests.id(''alice''), ''2026-03-02Z'', ''2026-03-02Z''
        from generate_series(1, 4999); select internal.refuse_full_vault(tests.other_vault(), 1)', '1') $$, 'quota_exceeded', 'but no more'),
  ($$ select tests.nominate('carol', tests.vault(), 'edit') $$, 'alice',
    $$ tests.after('select', $q$ internal.may_let_in(one, tests.id('carol'), 'edit') from kith.vaults as one where id = tests.vault() $q$) $$, 'false', 'a nominee without level full lets nobody in'),
  ($$ select tests.nominate('carol', tests.other_vault(), 'full') $$, 'alice',
    $$ tests.after('select', $q$ internal.may_let_in(one, tests.id('carol'), 'edit') from kith.vaults as one where id = tests.vault() $q$) $$, 'false', 'nor one of another vault'),
  ($$ select tests.nominate('carol', tests.vault(), 'full') $$, 'alice',
    $$ tests.after('select', $q$ internal.may_let_in(one, tests.id('carol'), 'edit') from kith.vaults as one where id = tests.vault() $q$) $$, 'true', 'one with level full does'),
  ($$ update kith.nominees set status = 'pending', accepted_at = null, needs_confirmation = true, phone = '+491511230009', invited_by_user_id = tests.id('alice');
      update kith.users set phone = '+491511230009', phone_verified_at = '2026-03-01Z' where id = tests.id('bob') $$, 'bob',
    $$ tests.after('select', $q$ (internal.accept_with_contact(nominee, vault, '2026-03-10Z')).status from kith.nominees as nominee join kith.vaults as vault on vault.id = nominee.vault_id $q$) $$,
    'accepted', 'whoever verifies the contact that the owner invited enters'),
  ($$ update kith.nominees set status = 'pending', accepted_at = null, needs_confirmation = true, phone = '+491511230009', invited_by_user_id = tests.id('carol');
      update kith.users set phone = '+491511230009', phone_verified_at = '2026-03-01Z' where id = tests.id('bob') $$, 'bob',
    $$ tests.after('select', $q$ (internal.accept_with_contact(nominee, vault, '2026-03-10Z')).status from kith.nominees as nominee join kith.vaults as vault on vault.id = nominee.vault_id $q$) $$,
    'pending', 'not if the one who invited them may no longer do so'),
  ($$ insert into kith.nominee_invitations (tenant_id, id, nominee_id, vault_id, owner_id, token_hash, channel, created_at, expires_at, ended_at, end_reason)
      values (tests.tenant('acme'), gen_random_uuid(), '0e000000-0000-7000-8000-000000000001', tests.vault(), tests.id('alice'), sha256('a'), 'link', '2026-03-01Z', '2026-03-08Z', '2026-03-02Z', 'accepted'),
        (tests.tenant('acme'), gen_random_uuid(), '0e000000-0000-7000-8000-000000000001', tests.vault(), tests.id('alice'), sha256('b'), 'link', '2026-03-02Z', '2026-03-18Z', null, null) $$, 'alice',
    $$ tests.after('select internal.delete_vault(tests.vault(), ''user:'', ''2026-03-10Z'')', $q$ string_agg(end_reason, ' ' order by created_at) from kith.nominee_invitations $q$) $$, 'accepted vault_deleted',
    'deleting a vault ends its open invitations, not those that were answered'),
  ($$ insert into kith.jwt_issuers (tenant_id, issuer, audience, claimed_at) values (tests.tenant('acme'), 'https://id.acme.example', 'acme', '2026-03-01Z') $$, 'alice',
    $$ concat_ws(' ', internal.claims('https://id.acme.example', 'acme'), internal.claims('https://id.acme.example', 'other'), internal.claims('https://other.example', 'acme'), left(tests.vault()::text, 0)) $$,
    't f f ', 'a tenant claims an issuer together with an audience'),
  ($$ select tests.ask(); insert into kith.vault_sessions (tenant_id, id, vault_id, owner_id, kind, nominee_id, request_id, unlocked_by, opened_at, expires_at, maximum_at, last_activity_at)
      select tenant_id, gen_random_uuid(), vault_id, owner_id, 'emergency', nominee_id, id, user_id, '2026-03-10T08:00Z', '2026-03-10T08:30Z', '2026-03-10T20:00Z', '2026-03-10T08:00Z' from kith.emergency_requests $$, 'bob',
    $$ coalesce((select reason from internal.pointless(tests.tenant('acme'), tests.id('bob'), 'vault_locked', jsonb_build_object('vault_id', tests.vault()), null)), 'tell') $$, 'tell',
    'an emergency session does not hide that the vault was locked'),
  ($$ select tests.open(tests.vault(), '2026-03-10T08:00Z') $$, 'bob',
    $$ coalesce((select reason from internal.pointless(tests.tenant('acme'), tests.id('bob'), 'vault_locked', jsonb_build_object('vault_id', tests.vault()), null)), 'tell') $$, 'the vault is open again',
    'one that is open for all does'),
  ($$ insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at) values (tests.tenant('acme'), 'UTC', '2026-03-11', '2026-03-11T00:00Z') $$, 'alice',
    $$ tests.after('select', $q$ api.readiness('2026-03-10T23:59:00Z') ->> 'oldest_run_seconds' $q$) $$, '0', 'a run that is to come is not late'),
  ($$ insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at) values (tests.tenant('acme'), 'UTC', '2026-03-11', '2026-03-11T00:00Z') $$, 'alice',
    $$ tests.after('select', $q$ api.readiness('2026-03-11T00:01:00Z') ->> 'oldest_run_seconds' $q$) $$, '60', 'one whose time has come is'),
  ($$ insert into kith.connection_invitations (tenant_id, id, user_id, code, message, url, recipients, created_at)
        values (tests.tenant('acme'), '0c100000-0000-7000-8000-000000000001', tests.id('mallory'), '444444', 'T', 'https://pruuf.app/join', 1, '2026-03-01Z');
      insert into kith.connection_invitation_recipients (tenant_id, invitation_id, n, user_id, given_phone, phone, status, updated_at)
      values (tests.tenant('acme'), '0c100000-0000-7000-8000-000000000001', 1, tests.id('mallory'), '+491511230009', '+491511230009', 'sent', '2026-03-01Z');
      update kith.users set phone = '+491511230009', phone_verified_at = '2026-03-01Z' where id = tests.id('carol') $$, 'carol',
    $$ concat_ws(' ', internal.has_reached(tests.id('mallory')), internal.has_reached(tests.id('alice')), left(tests.vault()::text, 0)) $$, 't f ',
    'who has texted a user has reached them, and nobody else has'),
  -- Pings that are made and stopped.
  ($$ update kith.connections set status = 'paused' where id = tests.id('alice-bob');
      insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
      select tests.tenant('acme'), gen_random_uuid(), tests.id('alice'), tests.id(receiver), status, tests.id(receiver), '2026-03-01Z', '2026-03-01Z', '2026-03-01Z'
      from (values ('carol', 'active'), ('mallory', 'pending')) as connected (receiver, status);
      insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at) values (tests.tenant('acme'), 'UTC', '2026-03-10', '2026-03-10T00:00Z') $$, 'alice',
    $$ tests.after('select internal.insert_pings(one, ''00000000-0000-0000-0000-000000000000'', ''ffffffff-ffff-ffff-ffff-ffffffffffff'', ''2026-03-10T00:10Z'') from kith.ping_runs as one',
      $q$ string_agg(display_name, ' ' order by display_name) from kith.pings join kith.users on users.id = receiver_id $q$) $$, 'Carol Mallory',
    'a paused connection gets no ping, an active or pending one does'),
  ($$ insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at) values (tests.tenant('acme'), 'UTC', '2026-03-10', '2026-03-10T00:00Z') $$, 'alice',
    $$ tests.after('select internal.insert_pings(one, tests.id(''alice''), ''ffffffff-ffff-ffff-ffff-ffffffffffff'', ''2026-03-10T00:10Z'') from kith.ping_runs as one',
      $q$ count(*) from kith.pings $q$) $$, '0', 'a stretch of senders begins after the last one of the stretch before'),
  ($$ insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at) values (tests.tenant('acme'), 'UTC', '2026-03-10', '2026-03-10T00:00Z') $$, 'alice',
    $$ tests.after('select internal.insert_pings(one, ''00000000-0000-0000-0000-000000000000'', tests.id(''alice''), ''2026-03-10T00:10Z'') from kith.ping_runs as one',
      $q$ count(*) from kith.pings $q$) $$, '1', 'and has its own last one'),
  ($$ update kith.receiver_profiles set pings_stop_at = '2026-03-10T08:00Z', subscription_status = 'expired', subscription_expires_at = '2026-03-01Z' where user_id = tests.id('bob');
      update kith.connections set status = 'deleted', deleted_at = '2026-03-05Z', deleted_by = tests.id('bob') where id = tests.id('alice-bob') $$, 'alice',
    $$ tests.after('select internal.stop_receivers(array(select one from kith.receiver_profiles as one where user_id = tests.id(''bob'')), ''2026-03-10T08:00Z'')',
      $q$ pings_stopped_at from kith.connections where id = tests.id('alice-bob') $q$) $$, 'nothing', 'nothing stops on a connection that was removed'),
  ($$ update kith.receiver_profiles set pings_stop_at = '2026-03-10T08:00Z', subscription_status = 'expired', subscription_expires_at = '2026-03-01Z' where user_id = tests.id('bob') $$, 'alice',
    $$ tests.after('select internal.stop_receivers(array(select one from kith.receiver_profiles as one where user_id = tests.id(''bob'')), ''2026-03-10T07:59:59.999999Z'')',
      $q$ pings_stopped_at from kith.connections where id = tests.id('alice-bob') $q$) $$, 'nothing', 'pings flow until their end'),
  ($$ update kith.receiver_profiles set pings_stop_at = '2026-03-10T08:00Z', subscription_status = 'expired', subscription_expires_at = '2026-03-01Z' where user_id = tests.id('bob') $$, 'alice',
    $$ tests.after('select internal.stop_receivers(array(select one from kith.receiver_profiles as one where user_id = tests.id(''bob'')), ''2026-03-10T08:00Z'')',
      $q$ to_char(pings_stopped_at, 'HH24:MI') from kith.connections where id = tests.id('alice-bob') $q$) $$, '08:00', 'they stop at it'),
  ($$ select tests.ask(); update kith.sender_profiles set emergency_since = null $$, 'alice', $$ tests.after('select internal.watch_check_ins(tests.id(''alice''), ''2026-03-10T09:00Z'')',
      $q$ string_agg((user_id = tests.id('alice')) || ' ' || (emergency_since is not null), ', ' order by user_id = tests.id('alice') desc) from kith.sender_profiles where tenant_id = tests.tenant('acme') $q$) $$,
    'true true, false false', 'only the owner''s check-ins are watched'),
  -- Sessions of another vault, and people without access.
  ($$ select tests.open(tests.other_vault(), '2026-03-10T08:00Z') $$, 'bob',
    $$ tests.after('select', $q$ internal.accepted_nominee_json(nominee, vault, '2026-03-10T08:05Z') ->> 'status' from kith.nominees as nominee join kith.vaults as vault on vault.id = nominee.vault_id $q$) $$,
    'accepted', 'an open session of another vault makes no nominee active'),
  ($$ select tests.open(tests.vault(), '2026-03-10T08:00Z') $$, 'bob',
    $$ tests.after('select', $q$ internal.accepted_nominee_json(nominee, vault, '2026-03-10T08:29:59.999999Z') ->> 'status' from kith.nominees as nominee join kith.vaults as vault on vault.id = nominee.vault_id $q$) $$,
    'active', 'one of the same vault does'),
  ($$ select tests.open(tests.vault(), '2026-03-10T08:00Z') $$, 'bob',
    $$ tests.after('select', $q$ internal.accepted_nominee_json(nominee, vault, '2026-03-10T08:30Z') ->> 'status' from kith.nominees as nominee join kith.vaults as vault on vault.id = nominee.vault_id $q$) $$,
    'accepted', 'until it expires'),
  ($$ select tests.open(tests.vault(), '2026-03-10T08:00Z') $$, 'mallory', $$ tests.after('select internal.note_activity(tests.vault(), ''2026-03-10T08:05Z'')', '1') $$, 'not_found',
    'a stranger has no activity in a vault'),
  ($$ select tests.offer(tests.other_vault(), '2026-03-12T08:00Z'); update kith.users set phone = '+491511230001', phone_verified_at = '2026-03-01Z' where id = tests.id('carol') $$, 'carol',
    $$ tests.after('select', $q$ coalesce((internal.waiting_invitation((select id from kith.transfers), '2026-03-10Z')).kind, 'none') $q$) $$, 'transfer', 'an offer waits for the one who has its contact'),
  ($$ select tests.offer(tests.other_vault(), '2026-03-12T08:00Z'); update kith.users set phone = '+491511230001', phone_verified_at = '2026-03-01Z' where id = tests.id('carol') $$, 'carol',
    $$ tests.after('select', $q$ coalesce((internal.waiting_invitation(tests.vault(), '2026-03-10Z')).kind, 'none') $q$) $$, 'none', 'under its own id alone'),
  -- Shares.
  ($$ insert into kith.shares (tenant_id, id, vault_id, owner_id, record_name, created_at, updated_at)
      values (tests.tenant('acme'), '0e300000-0000-7000-8000-000000000001', tests.vault(), tests.id('alice'), 'CD_Vault_1', '2026-03-02Z', '2026-03-02Z') $$, 'alice',
    $$ json_array_length(api.list_shares(10, null) -> 'items') $$, '1', 'an owner of two vaults with one share has one share'),
  ($$ insert into kith.shares (tenant_id, id, vault_id, owner_id, record_name, created_at, updated_at)
      values (tests.tenant('acme'), '0e300000-0000-7000-8000-000000000001', tests.vault(), tests.id('alice'), 'CD_Vault_1', '2026-03-02Z', '2026-03-02Z') $$, 'alice',
    $$ tests.after('select', $q$ json_array_length(items) from internal.exported_shares('0e300000-0000-7000-8000-000000000001', 10) $q$) $$, '0', 'a page of exported shares begins after the last one'),
  -- Operators and invitations.
  ($$ select tests.ask(), tests.after('select admin.hold_emergency(''acme'', tests.request(), ''asked by the family'', ''2026-03-11T08:00Z'', ''2026-03-10T09:00Z'')', '1') $$, 'alice',
    $$ tests.after('select set_config(''kith.tenant_id'', '''', true), set_config(''kith.user_id'', '''', true)', $q$ admin.release_emergency('acme', tests.request(), null, '2026-03-10T10:00Z') $q$) $$, 'validation_failed',
    'an operator gives a reason to release a request'),
  ($$ update kith.nominees set status = 'pending', accepted_at = null, needs_confirmation = true $$, 'alice',
    $$ tests.detail($q$ select api.resend_nominee_invitation(tests.vault(), '0e000000-0000-7000-8000-000000000001', null, 'https://kith.example', '2026-03-10Z') $q$) $$,
    'This nominee has accepted and waits for the owner''s confirmation.', 'an invitation that was accepted is not sent again before the confirmation'),
  ($$ insert into kith.users (tenant_id, id, display_name, tokens_valid_from, created_at, updated_at)
      values (tests.tenant('acme'), '0e400000-0000-7000-8000-000000000001', 'Zoe', '2026-03-10Z', '2026-03-10T07:30Z', '2026-03-10T07:30Z');
      update kith.tenants set code_misses_per_hour = 100 where slug = 'acme';
      insert into kith.code_attempts (tenant_id, id, user_id, attempted_at, outcome)
      select tests.tenant('acme'), gen_random_uuid(), tests.id('carol'), '2026-03-10T07:30Z', 'missed' from generate_series(1, 100) $$, 'alice',
    $$ tests.after('select set_config(''kith.user_id'', ''0e400000-0000-7000-8000-000000000001'', true)', $q$ internal.begin_code_attempt('2026-03-10T08:00Z') $q$) $$, '1800',
    'a young account waits until the tenant''s misses are an hour old'),
  ($$ insert into kith.users (tenant_id, id, display_name, tokens_valid_from, created_at, updated_at)
      values (tests.tenant('acme'), '0e400000-0000-7000-8000-000000000001', 'Zoe', '2026-03-10Z', '2026-03-10T07:30Z', '2026-03-10T07:30Z') $$, 'alice',
    $$ tests.after('select set_config(''kith.user_id'', '''', true); select internal.import_sender_profile(''0e400000-0000-7000-8000-000000000001'', ''{"ping_time": "09:00", "time_zone": "UTC", "grace_minutes": 10}'', ''2026-03-10T08:00Z'')',
      $q$ reminder_minutes from kith.sender_profiles where user_id = '0e400000-0000-7000-8000-000000000001' $q$) $$, '5', 'an imported sender with a short grace is reminded at its half'),
  ($$ select $$, 'alice', $$ tests.after('select', $q$ string_agg(type, ' ' order by type) from internal.notification_types() where n <= 18 and cardinality(channels) > 1 $q$) $$,
    'ping_missed subscription_lapsing', 'of what concerns connections and pings, only a miss and a lapse are sent by e-mail'),
  ($$ select $$, 'alice', $$ tests.after('select', $q$ string_agg(type, ' ' order by type) from internal.notification_types() where n <= 18 and breaks_through $q$) $$,
    'ping_all_clear ping_due ping_missed ping_reminder', 'of these, what is due, a reminder, a miss and an all-clear break through quiet hours'),
  ($$ select tests.ping('2026-03-09', 'scheduled', '2026-03-09T09:00Z'), tests.ping('2026-03-10', 'scheduled', '2026-03-10T09:00Z'); update kith.pings set status = 'completed', completed_at = '2026-03-09T08:00Z' where ping_on = '2026-03-09' $$, 'alice',
    $$ tests.after('select', $q$ (internal.sign_for_ping(one)).received_at from kith.pings as one where ping_on = '2026-03-10' $q$) $$, 'nothing',
    'an early check-in of another date speaks for no ping of today'),
  ($$ update kith.connections set status = 'deleted', deleted_at = '2026-03-05Z', deleted_by = tests.id('bob') where id = tests.id('alice-bob') $$, 'alice',
    $$ tests.after('select tests.as_superuser(); select admin.reactivate_connection(''acme'', tests.id(''alice-bob''), ''a mistake'', ''2026-03-10T08:00Z'')', $q$ status from kith.connections where id = tests.id('alice-bob') $q$) $$,
    'active', 'an operator can bring a connection back'),
  ($$ update kith.connections set status = 'deleted', deleted_at = '2026-03-05Z', deleted_by = tests.id('bob') where id = tests.id('alice-bob');
      update kith.receiver_profiles set ended_at = '2026-03-05Z' where user_id = tests.id('bob') $$, 'alice',
    $$ tests.after('select tests.as_superuser(); select admin.reactivate_connection(''acme'', tests.id(''alice-bob''), ''a mistake'', ''2026-03-10T08:00Z'')', $q$ status from kith.connections where id = tests.id('alice-bob') $q$) $$,
    'invalid_transition', 'not with somebody who has stopped being a receiver'),
  ($$ update kith.connections set status = 'deleted', deleted_at = '2026-03-05Z', deleted_by = tests.id('bob') where id = tests.id('alice-bob');
      update kith.sender_profiles set ended_at = '2026-03-05Z' where user_id = tests.id('alice') $$, 'alice',
    $$ tests.after('select tests.as_superuser(); select admin.reactivate_connection(''acme'', tests.id(''alice-bob''), ''a mistake'', ''2026-03-10T08:00Z'')', $q$ status from kith.connections where id = tests.id('alice-bob') $q$) $$,
    'invalid_transition', 'or a sender'),
  ($$ insert into kith.api_keys (tenant_id, id, name, secret_hash, scopes, expires_at, created_at)
      values (tests.tenant('acme'), '0e500000-0000-7000-8000-000000000001', 'K', sha256('k'), '{all}', '2026-03-10T08:00Z', '2026-03-01Z') $$, 'alice',
    $$ tests.after('select set_config(''kith.user_id'', '''', true), set_config(''kith.actor'', ''key:0e500000-0000-7000-8000-000000000001'', true)', $q$ internal.may_repeat('sight', '{}', '2026-03-10T07:59:59.999999Z') $q$) $$,
    'true', 'an answer is repeated to an API key until it expires'),
  ($$ insert into kith.api_keys (tenant_id, id, name, secret_hash, scopes, expires_at, created_at)
      values (tests.tenant('acme'), '0e500000-0000-7000-8000-000000000001', 'K', sha256('k'), '{all}', '2026-03-10T08:00Z', '2026-03-01Z') $$, 'alice',
    $$ tests.after('select set_config(''kith.user_id'', '''', true), set_config(''kith.actor'', ''key:0e500000-0000-7000-8000-000000000001'', true)', $q$ internal.may_repeat('sight', '{}', '2026-03-10T08:00Z') $q$) $$,
    'false', 'and not from then on'),
  ($$ select $$, 'alice', $$ tests.after('select set_config(''kith.user_id'', '''', true)', $q$ (internal.import_code('{"user": "ext-alice", "role": "sender", "code": "555555", "expires_at": "2026-03-10T08:01:00Z"}', '2026-03-10T08:00Z')).is_new $q$) $$,
    'true', 'an imported code can expire in a minute'),
  ($$ select $$, 'alice', $$ tests.after('select set_config(''kith.user_id'', '''', true)', $q$ (internal.import_code('{"user": "ext-alice", "role": "sender", "code": "555555", "expires_at": "2026-03-10T08:00:59Z"}', '2026-03-10T08:00Z')).is_new $q$) $$,
    'validation_failed', 'but no earlier'),
  -- Silence and requests.
  ($$ select tests.ask(); select tests.nominate('carol', tests.other_vault(), 'view');
      insert into kith.emergency_requests (tenant_id, id, vault_id, nominee_id, owner_id, user_id, cause, wait_hours, access_level, grant_hours, reject_on_check_in,
        sign_of_life, required, requested_at, waits_from, grants_at, ends_at, counted_to)
      select request.tenant_id, gen_random_uuid(), nominee.vault_id, nominee.id, request.owner_id, nominee.user_id, cause, wait_hours, request.access_level,
        grant_hours, false, sign_of_life, required, requested_at, waits_from, grants_at, ends_at, counted_to
      from kith.emergency_requests as request, kith.nominees as nominee where nominee.user_id = tests.id('carol') $$, 'alice',
    $$ tests.after('select', $q$ string_agg(reject_on_check_in || ' ' || internal.check_in_stops(nominee_id, waits_from), ', ' order by reject_on_check_in) from kith.emergency_requests $q$) $$,
    'false false, true true', 'the rehearsal takes the terms of each nominee''s own wait'),
  ($$ select tests.ask(); insert into kith.blocks (tenant_id, user_id, blocked_id, created_at) values (tests.tenant('acme'), tests.id('mallory'), tests.id('alice'), '2026-03-09Z');
      update kith.emergency_requests set cause = 'silence', missed_days = 3 $$, 'alice',
    $$ tests.after('select internal.tell_emergency(one, ''emergency_opened'', ''nominee'', null, ''2026-03-12T08:00Z'') from kith.emergency_requests as one',
      $q$ count(*) from kith.notifications where user_id = tests.id('bob') and type = 'emergency_opened' $q$) $$, '1', 'somebody else''s block of the owner keeps nothing from a nominee'),
  ($$ select tests.ask(); insert into kith.blocks (tenant_id, user_id, blocked_id, created_at) values (tests.tenant('acme'), tests.id('bob'), tests.id('alice'), '2026-03-09Z');
      update kith.emergency_requests set cause = 'silence', missed_days = 3 $$, 'alice',
    $$ tests.after('select internal.tell_emergency(one, ''emergency_opened'', ''nominee'', null, ''2026-03-12T08:00Z'') from kith.emergency_requests as one',
      $q$ count(*) from kith.notifications where user_id = tests.id('bob') and type = 'emergency_opened' $q$) $$, '0', 'their own does'),
  ($$ select tests.ask(); update kith.emergency_requests set sign_of_life = 'any_use', reject_on_check_in = false $$, 'alice',
    $$ tests.after('select internal.end_emergencies_by_sign(tests.tenant(''acme''), tests.id(''alice''), null, ''2026-03-11T08:00Z'')',
      $q$ count(*) from kith.notifications where type = 'emergency_reminder' $q$) $$, '0', 'an owner who uses the app is not asked about a wait that goes on'),
  ($$ select tests.ask(); update kith.emergency_requests set sign_of_life = 'any_use', reject_on_check_in = false $$, 'alice',
    $$ tests.after('select internal.end_emergencies_by_sign(tests.tenant(''acme''), tests.id(''alice''), ''app'', ''2026-03-11T08:00Z'')',
      $q$ count(*) from kith.notifications where type = 'emergency_reminder' $q$) $$, '1', 'one who checks in is'),
  ($$ select tests.ask(); update kith.emergency_requests set ended_at = '2026-03-10T09:00Z', end_reason = 'transferred' $$, 'alice',
    $$ tests.after('select', $q$ json_array_length(internal.own_emergency_requests(true, false, '2026-03-10T10:00Z')) $q$) $$, '1', 'an owner sees the requests for their vaults'),
  ($$ select tests.ask(); update kith.emergency_requests set ended_at = '2026-03-10T09:00Z', end_reason = 'transferred';
      update kith.vaults set owner_id = tests.id('mallory') where id = tests.vault() $$, 'alice',
    $$ tests.after('select', $q$ json_array_length(internal.own_emergency_requests(true, false, '2026-03-10T10:00Z')) $q$) $$, '0', 'a former owner sees them no more'),
  ($$ select tests.ask(); update kith.emergency_requests set held_at = '2026-03-10T09:00Z', hold_reason = 'a fight', held_until = '2026-03-10T12:00Z' $$, 'alice',
    $$ tests.after('select internal.tell_of_move(one, one, ''2026-03-10T12:00Z'') from kith.emergency_requests as one', $q$ to_char(notice_at, 'DD HH24:MI') from kith.emergency_requests $q$) $$,
    '10 12:00', 'a request whose hold is over is looked at again at once'),
  ($$ select tests.ask(); update kith.emergency_requests set grants_at = '2026-03-12T08:00Z' $$, 'alice',
    $$ tests.after('select internal.tell_of_move(one, one, ''2026-03-10T12:00Z'') from kith.emergency_requests as one', $q$ to_char(notice_at, 'DD HH24:MI') from kith.emergency_requests $q$) $$,
    '11 08:00', 'any other when the next reminder is due'),
  ($$ select tests.ask(); update kith.emergency_requests set sign_of_life = 'any_use';
      insert into kith.signs_of_life (tenant_id, user_id) values (tests.tenant('acme'), tests.id('mallory')) $$, 'alice',
    $$ tests.after('select', $q$ internal.is_seen(tests.tenant('acme'), tests.id('alice'), '2026-03-11Z') || ' ' || internal.is_seen(tests.tenant('acme'), tests.id('mallory'), '2026-03-11Z') $q$) $$,
    'true false', 'an owner''s use of the app is noted while their own vault has such a request'),
  ($$ update kith.sender_profiles set ended_at = '2026-03-09Z' where user_id = tests.id('alice') $$, 'alice',
    $$ tests.after('select', $q$ count(*) from internal.silent_pings(tests.id('alice'), '2026-03-10Z', '2026-03-14Z', '2026-03-10Z') $q$) $$, '0',
    'somebody who is no sender any more has no pings to miss'),
  ($$ select $$, 'alice',
    $$ tests.after('select', $q$ count(*) from internal.silent_pings(tests.id('alice'), '2026-03-10Z', '2026-03-14Z', '2026-03-10Z') $q$) $$, '5', 'a sender has'),
  ($$ insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, asked_at)
      select tests.tenant('acme'), day, tests.id('alice-bob'), gen_random_uuid(), tests.id('alice'), tests.id('bob'), 'missed', day + time '09:00', day + time '10:30',
        day + time '09:00' from unnest(array['2026-03-08', '2026-03-09', '2026-03-10']::date[]) as day;
      update kith.emergency_settings set after_missed_days = 3; update kith.signs_of_life set recount_at = '2026-03-10T10:30:10Z' $$, 'alice',
    $$ tests.after('select', $q$ to_char(min(at) filter (where kind = 'wait_begins'), 'DD HH24:MI:SS') from internal.rehearsed_wait_steps(tests.id('alice'), '2026-03-10T10:31Z',
      '2026-03-20Z', '2026-03-10T10:31Z') $q$) $$, '10 10:31:00', 'the rehearsal has the wait begin now if the worker is still to count the last miss'),
  ($$ insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, asked_at)
      select tests.tenant('acme'), day, tests.id('alice-bob'), gen_random_uuid(), tests.id('alice'), tests.id('bob'), 'missed', day + time '09:00', day + time '10:30',
        day + time '09:00' from unnest(array['2026-03-08', '2026-03-09', '2026-03-10']::date[]) as day;
      update kith.emergency_settings set after_missed_days = 3 $$, 'alice',
    $$ tests.after('select', $q$ to_char(min(at) filter (where kind = 'wait_begins'), 'DD HH24:MI:SS') from internal.rehearsed_wait_steps(tests.id('alice'), '2026-03-10T10:31Z',
      '2026-03-20Z', '2026-03-10T10:31Z') $q$) $$, '11 10:30:10', 'and with the next miss if it has counted the last one'),
  ($$ select tests.ask() $$, 'alice',
    $$ tests.after('select', $q$ count(*) from internal.rehearsed_wait_steps(tests.id('alice'), '2026-03-11T08:00Z', '2026-03-20Z', '2026-03-11T08:00Z') as step
      where step.at = '2026-03-11T08:00Z' $q$) $$, '0', 'a notice of this very instant has been told already'),
  ($$ update kith.sender_profiles set ended_at = '2026-02-01Z' where user_id = tests.id('mallory') $$, 'mallory',
    $$ tests.after('select api.put_sender_profile(''{"ping_time": "09:00"}'', ''2026-03-10Z'')', $q$ count(*) from kith.signs_of_life where user_id = tests.id('mallory') $q$) $$, '0',
    'no sign of life is kept of somebody who has given no right, whoever else has'),
  -- Connections, their codes and their invitations.
  ($$ update kith.sender_profiles set ended_at = '2026-03-09Z' where user_id = tests.id('mallory') $$, 'mallory',
    $$ tests.after('select', $q$ internal.has_ended('sender', tests.id('mallory')) || ' ' || internal.has_ended('receiver', tests.id('mallory')) $q$) $$, 'true false',
    'whoever has stopped being a sender may still be a receiver'),
  ($$ update kith.users set phone = '+4915100000001', phone_verified_at = '2026-03-01Z' where id = tests.id('bob');
      select tests.invite('mallory', '+4915100000009') $$, 'bob', $$ tests.after('select', $q$ internal.has_reached(tests.id('mallory')) $q$) $$, 'false',
    'who has invited another number has not reached one'),
  ($$ update kith.users set phone = '+4915100000001', phone_verified_at = '2026-03-01Z' where id = tests.id('bob');
      select tests.invite('mallory', '+4915100000001') $$, 'bob', $$ tests.after('select', $q$ internal.has_reached(tests.id('mallory')) $q$) $$, 'true', 'who has invited one''s own has'),
  ($$ insert into kith.conversations (tenant_id, nominee_id, owner_id, nominee_user_id, vault_id, last_message_id)
      select tenant_id, id, tests.id('mallory'), tests.id('carol'), vault_id, gen_random_uuid() from kith.nominees $$, 'mallory',
    $$ tests.after('select', $q$ internal.has_reached(tests.id('carol')) $q$) $$, 'true', 'an owner and a nominee who have written to each other have reached each other'),
  ($$ update kith.users set phone = '+4915100000001', phone_verified_at = '2026-03-01Z' where id = tests.id('bob');
      select tests.invite('alice', '+4915100000001'), tests.invite('mallory', '+4915100000001') $$, 'bob',
    $$ tests.after('select internal.link_invitations(tests.id(''alice-bob''), tests.id(''alice''), ''2026-03-10Z'')',
      $q$ string_agg(people.display_name, ' ') from kith.connection_invitation_recipients as recipient join kith.users as people on people.id = recipient.user_id where recipient.connection_id is not null $q$) $$,
    'Alice', 'a connection is noted in its inviter''s lists, and in nobody else''s'),
  ($$ update kith.connections set status = 'paused' where id = tests.id('alice-bob') $$, 'alice',
    $$ tests.after('select set_config(''kith.tenant_id'', tests.tenant(''acme'')::text, true)', $q$ internal.pings_flow(tests.id('alice-bob'), '2026-03-10Z') $q$) $$, 'false',
    'on a paused connection no pings flow'),
  -- Check-ins and pings.
  ($$ insert into kith.check_ins (tenant_id, id, user_id, received_at, created_at)
      select tests.tenant('acme'), gen_random_uuid(), tests.id('mallory'), '2026-03-10T08:00Z', '2026-03-10T08:00Z' from generate_series(1, 200) $$, 'alice',
    $$ tests.after('select api.check_in(null, false, null, ''app'', ''2026-03-10T09:00Z'')', $q$ count(*) from kith.check_ins where user_id = tests.id('alice') $q$) $$, '1',
    'many check-ins of somebody else take nobody''s place'),
  ($$ select tests.ping('2026-03-09', 'due', '2026-03-09T20:00Z'), tests.ping('2026-03-10', 'due', '2026-03-10T08:59Z') $$, 'alice',
    $$ tests.after('select', $q$ (answer ->> 'completed') || ' ' || (answer ->> 'late') from api.check_in(null, false, null, 'app', '2026-03-10T09:00Z') as answer $q$) $$, '1 1',
    'one check-in completes a ping in time and another late'),
  ($$ select tests.ping('2026-03-09', 'due', '2026-03-09T20:00Z'), tests.ping('2026-03-10', 'due', '2026-03-10T08:59Z') $$, 'alice',
    $$ tests.after('select api.check_in(null, false, null, ''app'', ''2026-03-10T09:00Z'')', $q$ string_agg(type, ' ') from kith.notifications where user_id = tests.id('bob') $q$) $$,
    'ping_completed', 'and its receiver is told once'),
  ($$ select tests.connect_carol(), tests.ping('2026-03-10', 'due', '2026-03-10T08:59Z'), tests.ping('2026-03-10', 'due', '2026-03-10T06:59Z', tests.other_connection());
      delete from kith.events $$, 'alice',
    $$ tests.after('select internal.show_pings(tests.id(''alice-bob''), ''2026-03-10T09:00Z'')', $q$ string_agg(distinct parent_id::text, ' ') from kith.events where type = 'ping' $q$) $$,
    tests.id('alice-bob')::text, 'the pings of one connection are shown anew, not those of another'),
  ($$ select tests.ping('2026-03-10', 'due', '2026-03-10T08:59Z', tests.other_connection()), tests.ping('2026-03-11', 'due', '2026-03-10T09:00Z', tests.other_connection()),
        tests.ping('2026-03-09', 'due', '2026-03-09T23:00Z', tests.other_connection()); update kith.sender_profiles set timed_at = '2026-03-10T08:00Z' $$, 'alice',
    $$ tests.after('select', $q$ api.get_connection(tests.id('alice-bob'), '2026-03-10T09:00Z') ->> 'today_ping' $q$) $$, 'nothing', 'today''s ping is the connection''s own'),
  ($$ insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at, finished_at) values (tests.tenant('acme'), 'Asia/Tokyo', '2026-03-11', '2026-03-10T15:00Z', '2026-03-10T15:01Z') $$, 'alice',
    $$ tests.after('select', $q$ string_agg(considered.ping_on::text, ' ' order by considered.ping_on) from kith.connections as connection
      join kith.sender_profiles as profile on profile.user_id = connection.sender_id
      cross join lateral unnest(internal.considered_pings(connection, profile, null, '2026-03-10T16:00Z')) as considered where connection.id = tests.id('alice-bob') $q$) $$, '2026-03-10',
    'the next date is another zone''s concern'),
  ($$ insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at, finished_at) values (tests.tenant('acme'), 'UTC', '2026-03-11', '2026-03-11T00:00Z', '2026-03-11T00:01Z') $$, 'alice',
    $$ tests.after('select', $q$ string_agg(considered.ping_on::text, ' ' order by considered.ping_on) from kith.connections as connection
      join kith.sender_profiles as profile on profile.user_id = connection.sender_id
      cross join lateral unnest(internal.considered_pings(connection, profile, null, '2026-03-10T23:59:59Z')) as considered where connection.id = tests.id('alice-bob') $q$) $$, '2026-03-10 2026-03-11',
    'unless its own run has passed the sender already'),
  -- The story of a ping.
  ($$ select tests.connect_carol(); insert into kith.ping_gaps (tenant_id, ping_on, connection_id, found_at, mended)
      values (tests.tenant('acme'), '2026-03-10', tests.other_connection(), '2026-03-10T09:00Z', true) $$, 'alice',
    $$ tests.after('select', $q$ count(*) from kith.connections as one cross join lateral internal.day_story(one, '2026-03-10') as told where one.id = tests.id('alice-bob') and told.what = 'gap found' $q$) $$,
    '0', 'a day''s story leaves out the gaps of other connections'),
  ($$ select tests.ping('2026-03-10', 'due', '2026-03-10T09:00Z'); insert into kith.check_ins (tenant_id, id, user_id, received_at, created_at)
      values (tests.tenant('acme'), gen_random_uuid(), tests.id('mallory'), '2026-03-10T09:05Z', '2026-03-10T09:05Z') $$, 'alice',
    $$ tests.after('select', $q$ count(*) from kith.pings as one cross join lateral internal.ping_story(one) as told where told.what = 'check-in' $q$) $$, '0',
    'a ping''s story leaves out the check-ins that did not complete it'),
  ($$ insert into kith.breaks (tenant_id, id, user_id, from_on, until_on, starts_at, ends_at, created_at, updated_at)
      values (tests.tenant('acme'), gen_random_uuid(), tests.id('alice'), '2026-03-05', '2026-03-10', '2026-03-05Z', '2026-03-11Z', '2026-03-04Z', '2026-03-04Z') $$,
    'alice', $$ tests.after('select', $q$ string_agg((select count(*) from internal.day_story(one, day) as told where told.what = 'break planned')::text, ' ' order by day)
      from kith.connections as one, unnest(array['2026-03-04', '2026-03-05', '2026-03-10', '2026-03-11']::date[]) as day where one.id = tests.id('alice-bob') $q$) $$, '0 1 1 0',
    'a day''s story has the break from its first to its last day'),
  -- Ids.
  ($$ select $$, 'alice', $$ substr(internal.uuid7('2026-03-10T08:00:00.000999Z')::text, 16, 3) || left(tests.vault()::text, 0) $$, 'ffb', 'an id has the microseconds of its instant')
) as rows (before, person, act, answer, sentence);

select * from finish();
rollback;
