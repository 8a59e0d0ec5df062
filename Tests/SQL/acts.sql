-- Limits on how much one person can write: per day and in total.
begin;
\ir people.sql
select plan(43);
\set now '''2026-03-10T08:00:00Z'''

-- A counted procedure begins with internal.begin_act, or counts rows with internal.count_acts. These are bounded otherwise:
create table tests.bounded (name text, bound text);
insert into tests.bounded
values
  ('abandon_upload', 'ends what begin_upload counted'), ('put_chunk', 'a document has 25 MiB'), ('finish_upload', 'once an upload'),
  ('add_vault_key', 'one key a vault'), ('accept_invitation', 'a token is good once'), ('decline_invitation', 'a token is good once'),
  ('accept_own_invitation', 'as accept_invitation'), ('decline_own_invitation', 'as decline_invitation'),
  ('accept_invitation_by_code', 'a token is good once; one-time codes'), ('confirm_nominee', 'once a nominee'),
  ('invite_nominees', '200 in 24 hours; 1,000 and 5,000 a vault'), ('begin_nominees', 'reads'),
  ('create_transfer', '10 in 24 hours a vault; one at a time'), ('cancel_transfer', 'ends what is there'),
  ('check_in', '200 rows in 24 hours, and never refused'),
  ('call_for_help', 'one alarm at a time, and never refused'), ('resolve_alarm', 'ends what is there'), ('ask_sender', 'three in 24 hours a connection'),
  ('delete_care_card', 'ends what is there'),
  ('take_tenant_alarm', 'the rate of requests'), ('resolve_tenant_alarm', 'ends what is there'), ('release_alarm', '10 an alarm in 24 hours'), ('reopen_alarm', '10 an alarm in 24 hours'),
  ('note_tenant_alarm', '200 an alarm'), ('reopen_tenant_alarm', 'the rate of requests'), ('take_alarm', 'never refused'),
  ('create_code', '100, ended ones for 90 days'), ('preview_code', '20 attempts an hour'),
  ('create_connection', '20 attempts an hour; 10,000 in all'), ('consent_connection', 'once a connection'),
  ('remove_connection', 'ends what is there'), ('create_connection_invitation', '2,000 people in 24 hours'),
  ('delete_block', 'ends what is there'), ('delete_break', 'ends what put_break counted'), ('delete_device', 'ends what is there'),
  ('delete_document', 'ends what is there'), ('delete_invitation_draft', 'ends what is there'), ('delete_me', 'once'),
  ('delete_quiet_hours', 'ends what is there'), ('delete_share', 'ends what is there'), ('end_share', 'ends what is there'),
  ('delete_vault', 'ends what is there'), ('revoke_nominee', 'ends what is there'), ('take_invitation_draft', 'ends what is there'),
  ('create_vault', '200, and as many deleted ones'),
  ('open_vault', '100 times in 24 hours a vault'), ('lock_vault', 'ends what is there'),
  ('note_vault_activity', 'writes in place, once a minute'),
  ('get_document', 'notes activity, once a minute'), ('list_documents', 'as get_document'), ('list_messages', 'as get_document'),
  ('open_content', 'as get_document'), ('get_nominee', 'reads'), ('list_nominees', 'reads'), ('get_share', 'reads'), ('get_transfer', 'reads'),
  ('read_messages', 'each message once'), ('read_notification', 'each notification once'), ('read_notifications', 'each notification once'),
  ('put_receiver_profile', 'once, and 10 returns a day'), ('delete_sender_profile', 'ends what is there'),
  ('delete_receiver_profile', 'ends what is there'), ('report_damage', 'each read of damaged content; the operator repairs it'),
  ('sign_out', 'ends what is there'), ('browser_session', 'once a day a sign-in'), ('verify_contact', '10 tries an hour'), ('sign_in', '10 tries an hour an address'), ('begin_linked_session', 'once a link'),
  ('request_code', '5 an hour an address'), ('claim_key', 'the rate of requests; 24 hours'), ('keep_answer', 'the rate of requests; 24 hours'),
  ('get_emergency_settings', 'reads'), ('list_emergency_requests', 'reads'),
  ('remove_emergency_settings', 'ends what is there'), ('remove_emergency_quorum', 'ends what is there'),
  ('reject_emergency_request', 'ends what is there'), ('withdraw_emergency_request', 'ends what is there'),
  ('delete_sign', 'ends what create_sign counted'), ('report_sign', 'counts once a minute; ten a user, and each check-in has its bound'),
  ('use_check_in_link', 'each check-in has its bound'), ('receive_text', 'the rate of signed calls; each check-in has its bound'),
  ('receive_call', 'one check-in a call'), ('use_alarm_link', 'as take_alarm and resolve_alarm'),
  ('preview_invitation', 'reads'), ('invitation_page', 'reads'), ('render_events', 'reads'),
  -- Procedures of the tenant's server, and of Kith itself.
  ('put_user', 'the quota of users'), ('import_users', 'the quota of users'), ('import_items', 'the quotas of users, codes, connections, vaults and nominees'), ('update_user', 'the rate of requests'),
  ('delete_user', 'once a user'), ('set_subscription', 'the rate of requests'), ('add_signing_key', 'one a tenant'),
  ('delete_webhook', 'ends what add_webhook counted'), ('delete_api_key', 'ends what create_api_key counted'), ('revoke_jwt_key', 'ends what add_jwt_keys counted'),
  ('delete_channel', 'ends what put_channel counted'), ('authenticate_key', 'writes in place'), ('note_use', 'writes in place, once a minute'), ('beat', 'ours'), ('end_beat', 'ours'), ('record_usage', 'ours, once a minute'), ('probe_check_ins', 'ours');
select is_empty(
  $$
    select proname::text
    from pg_proc
    where pronamespace = 'api'::regnamespace and provolatile = 'v' and prosrc !~ 'internal\.(begin_act|count_acts)'
    except select name from tests.bounded
  $$,
  'every procedure that may write counts its calls or is bounded otherwise'
);
select is_empty(
  $$
    select name from tests.bounded
    except select proname::text from pg_proc where pronamespace = 'api'::regnamespace and provolatile = 'v'
  $$,
  'the list of bounded procedures contains only existing ones'
);
select is_empty(
  $$
    select matched[1]
    from pg_proc
    cross join lateral regexp_matches(prosrc, 'internal\.(?:begin_act|count_acts)\(''([a-z]+)''', 'g') as matched
    where pronamespace in ('api'::regnamespace, 'internal'::regnamespace) and internal.acts_a_day(matched[1]) is null
  $$,
  'every counted act has a limit'
);

create function tests.spend(p_person text, p_act text, p_left integer, p_now timestamptz) returns void
  language plpgsql
as $$
begin
  insert into kith.act_counts
  values (tests.tenant('acme'), tests.id(p_person), p_act, (p_now at time zone 'UTC')::date, internal.acts_a_day(p_act) - p_left)
  on conflict (tenant_id, actor_id, act) do update set acts = excluded.acts, counted_on = excluded.counted_on;
end
$$;
create function tests.wait(p_statement text) returns text
  language plpgsql
as $$
declare
  v_hint text;
begin
  execute p_statement;
  return null;
exception when sqlstate 'KT429' then
  get stacked diagnostics v_hint = pg_exception_hint;
  return v_hint;
end
$$;

create function tests.synchronise(p_vault uuid, p_status text, p_now timestamptz) returns text
  language plpgsql
as $$
begin
  perform api.synchronise_share(p_vault, jsonb_build_object('participants', (
    select jsonb_agg(jsonb_build_object('id', 'p' || n, 'acceptance_status', p_status, 'permission', 'readOnly', 'role', 'privateUser'))
    from generate_series(1, 10) as n
  )), p_now);
  return 'done';
exception when others then
  return sqlstate;
end
$$;
create function tests.open(p_vault uuid, p_now timestamptz) returns text
  language plpgsql
as $$
begin
  perform api.open_vault(p_vault, p_now), api.lock_vault(p_vault, p_now + interval '1 second');
  return 'done';
exception when sqlstate 'KT429' then
  return sqlstate;
end
$$;
create temporary table synchronised (n integer, outcome text);
grant all on synchronised to kith_api;
create temporary table opened (n integer, outcome text);
grant all on opened to kith_api;

-- The daily count.
select tests.spend('alice', 'change', 1, :now);
select tests.as_user('acme', 'alice') \g /dev/null
select lives_ok($$ select api.put_quiet_hours('{"from": "22:00", "until": "07:00"}', '2026-03-10T08:00Z') $$, 'the last act within the daily limit succeeds');
select throws_ok(
  $$ select api.put_quiet_hours('{"from": "22:00", "until": "07:00"}', '2026-03-10T08:00Z') $$, 'KT429', 'too_many_requests',
  'the next one is refused'
);
select is(tests.wait($$ select api.create_vault('{"name": "Papers"}', '2026-03-10T23:59:30Z') $$), '30', 'the refusal lasts until the UTC day is over');
select lives_ok($$ select api.put_quiet_hours('{"from": "22:00", "until": "07:00"}', '2026-03-11T00:00Z') $$, 'a new day starts from zero');
select tests.as_superuser();
select is(
  (select acts from kith.act_counts where actor_id = tests.id('alice') and act = 'change'), 1, 'the new day''s count is in the same row'
);
select tests.as_user('acme', 'bob') \g /dev/null
select lives_ok($$ select api.put_quiet_hours('{"from": "22:00", "until": "07:00"}', '2026-03-10T08:00Z') $$, 'another user has a separate count');
select tests.as_superuser();
select tests.spend('alice', 'change', 0, :now);
select tests.spend('alice', 'broadcast', 0, :now);
select tests.as_user('acme', 'alice') \g /dev/null
select throws_ok($$ select api.update_me('{"display_name": "A"}', '{}', '2026-03-10T08:00Z') $$, 'KT429', null, 'the daily limit applies to a name, which all connections are told of');
select throws_ok($$ select api.update_me('{"locale": "de"}', '{}', '2026-03-10T08:00Z') $$, 'KT429', null, 'the daily limit of changes that nobody sees applies to a locale');
select throws_ok(
  $$ select api.put_sender_profile('{"ping_time": "10:00", "time_zone": "UTC"}', '2026-03-10T08:00Z') $$, 'KT429', null, 'the daily limit applies to a sender''s times'
);
select throws_ok(
  $$ select api.put_break('{"from": "2026-03-12", "until": "2026-03-13"}', '2026-03-10T08:00Z') $$, 'KT429', null, 'the daily limit applies to a break'
);
select throws_ok($$ select api.pause_connection(tests.id('alice-bob'), '2026-03-10T08:00Z') $$, 'KT429', null, 'the daily limit applies to a pause');
select lives_ok($$ select api.check_in('I am here', false, null, 'app', '2026-03-10T08:00Z') $$, 'a check-in is never refused by a daily limit');
select lives_ok($$ select api.remove_connection(tests.id('alice-bob'), '2026-03-10T08:00Z') $$, 'removing a connection is never refused by a daily limit');

-- Check-ins.
select tests.as_superuser();
update kith.connections set status = 'active', deleted_at = null, deleted_by = null where id = tests.id('alice-bob');
insert into kith.check_ins (tenant_id, id, user_id, received_at, created_at)
select tests.tenant('acme'), gen_random_uuid(), tests.id('alice'), :now, :now from generate_series(1, 198);
select tests.as_user('acme', 'alice') \g /dev/null
select api.check_in('again', false, null, 'app', :now::timestamptz + n * interval '1 second') from generate_series(1, 3) as n \g /dev/null
select tests.as_superuser();
select is((select count(*) from kith.check_ins where user_id = tests.id('alice')), 200::bigint, '200 check-ins a day are stored');
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
values (
  tests.tenant('acme'), '2026-03-10', tests.id('alice-bob'), gen_random_uuid(), tests.id('alice'), tests.id('bob'), 'due',
  '2026-03-10T08:00Z', '2026-03-10T09:30Z'
);
select tests.as_user('acme', 'alice') \g /dev/null
select is(api.check_in(null, false, null, 'app', '2026-03-10T09:00Z') ->> 'completed', '1', 'each further check-in still completes open pings');
select tests.as_superuser();
select is(
  (select last_check_in_at from kith.sender_profiles where user_id = tests.id('alice')), '2026-03-10T09:00Z', 'each further check-in still counts as the last sign of life'
);
select is(
  (select count(*) from kith.notifications where user_id = tests.id('bob') and type = 'ping_completed'), 1::bigint,
  'the receiver is told of it once'
);
select is((select status from kith.pings where ping_on = '2026-03-10' and tenant_id = tests.tenant('acme')), 'completed', 'the ping is completed');

-- Participants that are accepted and removed in turn.
select tests.as_user('acme', 'mallory') \g /dev/null
select api.create_vault('{"name": "Junk"}', :now) ->> 'id' as vault \gset
select api.put_share(:'vault', '{}', :now) \g /dev/null
select tests.as_superuser();
select tests.spend('mallory', 'participant', 15, :now);
select tests.as_user('acme', 'mallory') \g /dev/null
insert into synchronised
select n, tests.synchronise(:'vault', case n % 2 when 1 then 'accepted' else 'removed' end, :now::timestamptz + n * interval '1 second')
from generate_series(1, 3) as n;
select tests.as_superuser();
select is(
  (select string_agg(outcome, ' ' order by n) from synchronised), 'done done KT429',
  'a share makes a limited number of nominees a day, and can remove them at any time'
);
insert into kith.nominees (
  tenant_id, id, vault_id, owner_id, name, status, access_level, invited_at, invited_by_user_id, revoked_at, revoke_reason, updated_at
)
select tests.tenant('acme'), gen_random_uuid(), :'vault', tests.id('mallory'), 'N', 'revoked', 'view', :now, tests.id('mallory'), :now, 'removed', :now
from generate_series(1, 4985);
select tests.as_user('acme', 'mallory') \g /dev/null
select is(tests.synchronise(:'vault', 'accepted', '2026-03-11T08:00Z'), 'KT507', 'a vault has a limited number of nominees in total, including revoked ones');

-- Opening and locking in turn.
select tests.as_user('acme', 'alice') \g /dev/null
select api.create_vault('{"name": "Papers"}', '2026-03-12T08:00Z') ->> 'id' as papers \gset
insert into opened select n, tests.open(:'papers', '2026-03-12T08:00Z'::timestamptz + n * interval '1 minute') from generate_series(1, 102) as n;
select is((select count(*) from opened where outcome = 'done'), 100::bigint, 'a vault is opened at most 100 times a day');
select is(
  tests.wait(format($$ select api.open_vault(%L, '2026-03-12T10:00Z') $$, :'papers')), '79260', 'the refusal says when the vault can be opened again'
);

-- Documents.
select tests.spend('alice', 'document', 0, '2026-03-14T08:00Z') from (select tests.as_superuser()) as done \g /dev/null
select tests.as_user('acme', 'alice') \g /dev/null
select api.open_vault(:'papers', '2026-03-14T08:00Z') \g /dev/null
select throws_ok(
  format($$ select api.begin_upload(%L, null, 1, 262144, null, null, '2026-03-14T08:00Z') $$, :'papers'), 'KT429', null, 'the number of documents uploaded in a day is limited'
);
select tests.as_superuser();
insert into kith.documents (tenant_id, id, vault_id, owner_id, version_id, name, content_type, size, sha256, created_at, created_by, updated_at)
select tests.tenant('acme'), gen_random_uuid(), :'papers', tests.id('alice'), gen_random_uuid(), 'Empty', 'text/plain', 0, sha256(''), :now,
  tests.id('alice'), :now
from generate_series(1, 10000);
select tests.as_user('acme', 'alice') \g /dev/null
select throws_ok(
  format($$ select api.begin_upload(%L, null, 0, 262144, null, null, '2026-03-15T00:00Z') $$, :'papers'), 'KT423', null, 'a locked vault accepts no upload'
);
select api.open_vault(:'papers', '2026-03-15T00:00Z') \g /dev/null
select throws_ok(
  format($$ select api.begin_upload(%L, null, 0, 262144, null, null, '2026-03-15T00:00Z') $$, :'papers'), 'KT507', 'quota_exceeded',
  'the number of documents in a vault is limited, however small they are'
);

-- The tenant's server.
select tests.as_superuser();
insert into kith.act_counts values (tests.tenant('acme'), '00000000-0000-0000-0000-000000000000', 'administration', '2026-03-10', 1000);
select tests.as_server('acme');
select throws_ok($$ select api.update_tenant('{"name": "A"}', '2026-03-10T08:00Z') $$, 'KT429', null, 'the number of settings changes by a tenant''s server in a day is limited');

-- One person's limit, raised by an operator for a time.
select tests.as_superuser();
select matches(
  -- A long literal stands in several lines.
  (select regexp_replace(prosrc, '''\n\s*''', '', 'g') from pg_proc where proname = 'raise_quota'),
  (
    select 'must be ' || regexp_replace(string_agg(act[1], ', ' order by act[1]), ', ([a-z]+)$', ' or \1')
    from pg_proc cross join regexp_matches(prosrc, 'when ''([a-z]+)''', 'g') as act
    where proname = 'acts_a_day' and act[1] <> 'administration'
  ), 'a refusal names all acts'
);
select tests.spend('bob', 'change', 0, :now);
select tests.as_role('kith_admin');
select is(
  admin.raise_quota('acme', tests.id('bob'), 'change', 5002, '2026-03-12T00:00Z', 'moves a house, ticket 812', '2026-03-10T08:00Z'),
  'change: 5002 times in a UTC day until 2026-03-12 00:00:00Z, instead of 5000; 5000 of today are used', 'an operator raises one person''s limit, and reads what holds'
);
select matches(
  admin.raise_quota('acme', tests.id('carol'), 'broadcast', 300, '2026-03-12T00:00Z', 'moves a house', '2026-03-10T08:00Z'), '; 0 of today are used$',
  'also of a person who has done nothing yet'
);
\set act '''select api.put_quiet_hours(''''{"from": "22:00", "until": "07:00"}'''', %L)'''
select tests.as_user('acme', 'bob') \g /dev/null
select lives_ok(format(:act, '2026-03-10T08:01Z') , 'they go on');
select lives_ok(format(:act, '2026-03-10T08:02Z'), 'up to the raised limit');
select throws_ok(format(:act, '2026-03-10T08:03Z'), 'KT429', null, 'and no further');
select tests.as_superuser();
select tests.spend('bob', 'change', 0, '2026-03-12T08:00Z');
select tests.as_user('acme', 'bob') \g /dev/null
select throws_ok(format(:act, '2026-03-12T08:00Z'), 'KT429', null, 'the usual limit holds again when the time is over');
select tests.as_role('kith_admin');
select is(
  (select string_agg(concat_ws(' ', tenant, actor, subject = tests.id('bob')::text, detail ->> 'act', detail ->> 'limit', detail ->> 'reason'), '; ') from admin.audit where action = 'quota.raise' and subject = tests.id('bob')::text),
  'acme operator:postgres t change 5002 moves a house, ticket 812', 'the audit keeps who raised it, and why'
);
select admin.raise_quota('acme', tests.id('carol'), 'broadcast', null, null, 'done', '2026-03-10T09:00Z') \g /dev/null
select tests.as_superuser();
select is(
  (select count(*) from kith.raised_quotas where user_id = tests.id('carol')), 0::bigint, 'null ends it before its time'
);
select tests.as_role('kith_admin');
select throws_ok(
  $$ select admin.raise_quota('acme', tests.id('bob'), 'change', 50001, now() + interval '1 day', 'why') $$, 'KT422', 'validation_failed', 'a limit is raised tenfold at most'
);
select throws_ok(
  $$ select admin.raise_quota('acme', tests.id('bob'), 'change', 6000, now() + interval '40 days', 'why') $$, 'KT422', 'validation_failed', 'and has an end within a month'
);
select throws_ok(
  $$ select admin.raise_quota('acme', tests.id('bob'), 'administration', 6000, now() + interval '1 day', 'why') $$, 'KT422', 'validation_failed', 'the limit of a tenant''s server is no person''s'
);
select throws_ok(
  $$ select admin.raise_quota('globex', tests.id('bob'), 'change', 6000, now() + interval '1 day', 'why') $$, 'KT404', 'not_found', 'a person belongs to one tenant'
);
select tests.as_server('acme');
select api.delete_user(tests.id('bob'), null, '2026-03-12T09:00Z') \g /dev/null
select tests.as_superuser();
select is((select count(*) from kith.raised_quotas where user_id = tests.id('bob')), 0::bigint, 'it ends with the account');

select * from finish();
rollback;
