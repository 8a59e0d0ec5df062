-- Rules of accounts, contacts, roles and vaults in pairs: what was given up, taken back or changed is so everywhere.
begin;
\ir people.sql
\ir pairs_house.sql
select plan(22);

create function tests.tried(p_person text, p_sql text) returns text
  language plpgsql
as $$
begin
  return tests.act(p_person, p_sql);
exception when others then
  perform tests.as_superuser();
  return sqlerrm;
end
$$;
create function tests.by_key(p_sql text) returns text
  language plpgsql
as $$
declare
  v_answer text;
begin
  perform tests.as_server('acme');
  perform set_config('kith.actor', 'key:aa000000-0000-7000-8000-000000000001', true);
  execute 'select ' || p_sql into v_answer;
  perform tests.as_superuser();
  return v_answer;
end
$$;
insert into kith.api_keys (tenant_id, id, name, secret_hash, scopes, created_at)
values (tests.tenant('acme'), 'aa000000-0000-7000-8000-000000000001', 'pairs', sha256('k'), '{all}', '2026-01-05T08:00Z');
create function tests.claim(p_channel text, p_now timestamptz) returns text
  language plpgsql
as $$
declare
  v_said text;
begin
  perform tests.as_role('kith_worker');
  select string_agg(concat_ws(': ', claimed.address, split_part(claimed.body, e'\n', 1)), ' | ' order by claimed.id) into v_said
  from worker.claim_deliveries(p_now, p_channel, 100, 100, 0, '{}', '{}', 'w1') as claimed;
  perform tests.as_superuser();
  return v_said;
end
$$;

-- A role that its user ends and takes back (P39), and a subscription that is paid meanwhile (X28).
create function tests.settle(p_now timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.as_role('kith_worker');
  while worker.settle_subscriptions(p_now, 100) > 0 loop end loop;
  perform tests.as_superuser();
end
$$;
create function tests.pays(p_expires_at text, p_now text) returns void
  language sql
as $$
  select tests.by_key(format(
    'api.set_subscription(tests.id(''bob''), %L, %L)',
    jsonb_build_object('status', case when p_expires_at is null then 'active' else 'expired' end, 'expires_at', p_expires_at), p_now
  ))
$$;
create function tests.receives_again(p_ended text) returns void
  language plpgsql
as $$
begin
  update kith.tenants set requires_subscription = true where tenant_id = tests.tenant('acme');
  perform tests.pays('2026-03-01T00:00Z', '2026-03-01T08:00Z');
  perform tests.settle('2026-03-01T09:00Z');
  if p_ended = '2026-03-16' then
    perform tests.settle('2026-03-16T09:00Z');
  end if;
  perform tests.act('bob', format('api.delete_receiver_profile(%L)', p_ended || 'T10:00Z'));
  perform tests.pays(null, p_ended || 'T11:00Z');
  perform tests.act('bob', format('api.put_receiver_profile(''{}'', %L)', p_ended || 'T12:00Z'));
  perform tests.settle('2026-03-16T12:01Z');
  perform tests.begin_day('2026-03-17');
  perform tests.work('2026-03-17T09:00:01Z');
  perform tests.work('2026-03-17T10:30:15Z');
end
$$;
select is(
  tests.after(
    $$ select tests.receives_again('2026-03-16') $$,
    $$ select concat_ws(' ', status, pings_stopped_at is null, (select count(*) from kith.pings where ping_on = '2026-03-17' and connection_id = tests.id('alice-bob')),
         (select count(*) from kith.notifications where type = 'ping_missed' and user_id = tests.id('bob'))) from kith.connections where id = tests.id('alice-bob') $$
  ), 'active t 1 1', 'whoever has paid and comes back gets pings and alarms'
);
select is(
  tests.after(
    $$ select tests.receives_again('2026-03-02') $$,
    $$ select concat_ws(' ', status, pings_stopped_at is null, (select count(*) from tests.notifications where body like '%has ended%')) from kith.connections where id = tests.id('alice-bob') $$
  ), 'active t 0', 'and nobody reads that a paid subscription has ended'
);

-- A contact that changes while messages wait for it (F04, E02).
create function tests.waits_for_bob() returns void
  language plpgsql
as $$
begin
  update kith.users set email = 'bob@old.example', email_verified_at = '2026-01-05T08:00Z' where id = tests.id('bob');
  perform tests.begin_day('2026-03-09');
  perform tests.work('2026-03-09T09:00:01Z');
  perform tests.work('2026-03-09T10:30:11Z');
  perform tests.plan('2026-03-09T10:30:12Z');
end
$$;
select is(
  tests.after(
    $$ select tests.waits_for_bob(); update kith.users set email = 'bob@new.example' where id = tests.id('bob') $$, $$ select tests.claim('email', '2026-03-09T10:31Z') $$
  ), 'bob@new.example: Alice has not checked in today.', 'an alarm that waits goes to the new contact'
);
select is(
  tests.after(
    $$ select tests.waits_for_bob(), tests.act('bob', 'api.update_me(''{"email": null}'', ''{}'', ''2026-03-09T10:30:30Z'')') $$, $$ select tests.claim('email', '2026-03-09T10:31Z') $$
  ), 'nothing', 'and never to one that its reader has taken off'
);
select is(
  tests.after(
    $$ select tests.waits_for_bob(), tests.act('bob', 'api.update_me(''{"email": null}'', ''{}'', ''2026-03-09T10:30:30Z'')'), tests.claim('email', '2026-03-09T10:31Z') $$,
    $$ select concat_ws(' ', (select error from kith.deliveries where channel = 'email' and address = 'bob@old.example'), (select count(*) from kith.notifications where escalates_at is not null)) $$
  ), 'the contact has changed 1', 'then it tries their other channels'
);

-- A vault that changes hands (C07) with an invitation of the level full (V11).
create function tests.invited(p_level text) returns text
  language plpgsql
as $$
declare
  v_vault text := tests.act('alice', $a$ api.create_vault('{"name": "Papers"}', '2026-03-09T08:00Z') ->> 'id' $a$);
  v_token text;
  v_offer text;
begin
  v_token := tests.act('alice', format(
    'api.invite_nominees(%L, %L, ''https://k'', ''2026-03-09T08:01Z'') -> 0 #>> ''{nominee,invitation,token}''', v_vault,
    jsonb_build_array(jsonb_build_object('name', 'Mallory', 'access_level', p_level))
  ));
  v_offer := tests.act('alice', format(
    'api.create_transfer(%L, ''{"name": "Carol", "keep_access": true}'', ''https://k'', ''2026-03-09T08:02Z'') #>> ''{invitation,token}''', v_vault
  ));
  perform tests.act('carol', format('api.accept_invitation(%L, ''2026-03-09T08:03Z'')', v_offer));
  return v_token;
end
$$;
create function tests.enters(p_level text) returns text
  language sql
as $$
  select tests.act('mallory', format(
    'concat_ws('' '', one ->> ''status'', one ->> ''needs_confirmation'') from api.accept_invitation(%L, ''2026-03-09T08:05Z'') as one', tests.invited(p_level)
  ))
$$;
select is(tests.after('select 1', 'select tests.enters(''full'')'), 'pending true', 'a former owner''s invitation with the level full waits for the new owner');
select is(tests.after('select 1', 'select tests.enters(''view'')'), 'accepted false', 'one with a lower level, which they may still give, does not');

-- An offer to a nominee (C07) whom the owner then pauses (N07).
create function tests.offered() returns text
  language plpgsql
as $$
declare
  v_vault text := tests.act('alice', $a$ api.create_vault('{"name": "Papers"}', '2026-03-09T08:00Z') ->> 'id' $a$);
  v_token text := tests.act('alice', format(
    'api.invite_nominees(%L, ''[{"name": "Bob", "access_level": "view"}]'', ''https://k'', ''2026-03-09T08:01Z'') -> 0 #>> ''{nominee,invitation,token}''', v_vault
  ));
  v_bob text := tests.act('bob', format('api.accept_invitation(%L, ''2026-03-09T08:02Z'') ->> ''id''', v_token));
  v_offer text := tests.act('alice', format(
    'api.create_transfer(%L, %L, ''https://k'', ''2026-03-09T08:03Z'') ->> ''id''', v_vault, jsonb_build_object('nominee_id', v_bob, 'keep_access', false)
  ));
begin
  perform tests.act('alice', format('api.update_nominee(%L, %L, ''{"status": "inactive"}'', ''2026-03-09T08:04Z'')', v_vault, v_bob));
  return v_offer;
end
$$;
select isnt(
  tests.after('select 1', $$ select tests.tried('bob', format('api.accept_own_invitation(%L, ''2026-03-09T08:05Z'') ->> ''status''', tests.offered())) $$), 'accepted',
  'a paused nominee takes no vault by the offer of before'
);
select is(tests.after('select tests.offered()', $$ select status from kith.transfers $$), 'cancelled', 'the pause ends it');

-- The same lines of an import, sent again (A09), after people have changed and deleted their accounts (A03, A04).
create function tests.imports(p_now text) returns text
  language sql
as $$
  select tests.by_key(format('(select string_agg(coalesce(one ->> ''status'', one ->> ''message''), '' '') from json_array_elements(api.import_items(%L, %L)) as one)', '[
    {"line": 1, "item": {"kind": "user", "external_id": "old-1", "display_name": "Erna", "phone": "+436641111111", "time_zone": "Europe/Vienna", "sender_profile": {"ping_time": "09:00"}}},
    {"line": 2, "item": {"kind": "user", "external_id": "old-2", "display_name": "Rudi", "receiver_profile": {}}},
    {"line": 3, "item": {"kind": "connection", "sender": "old-1", "receiver": "old-2"}}]', p_now))
$$;
create function tests.as_erna(p_sql text) returns void
  language plpgsql
as $$
declare
  v_id uuid := (select id from kith.users where external_id = 'old-1');
begin
  perform tests.as_user('acme', 'alice');
  perform set_config('kith.user_id', v_id::text, true);
  execute 'select ' || p_sql;
  perform tests.as_superuser();
end
$$;
select is(tests.after('select 1', $$ select tests.imports('2026-03-01T08:00Z') $$), '201 201 201', 'an import makes them');
create function tests.erased() returns void
  language sql
as $$
  select tests.imports('2026-03-01T08:00Z');
  select tests.as_erna('api.delete_me(null, ''2026-03-02T08:00Z'')')
$$;
select is(
  tests.after('select tests.erased()', $$ select tests.imports('2026-03-03T08:00Z') $$), 'conflict 200 validation_failed',
  'whoever has deleted their account does not come back by the same lines'
);
select is(
  tests.after('select tests.erased(), tests.imports(''2026-03-03T08:00Z'')', $$ select count(*) from kith.users where external_id = 'old-1' $$), '0', 'nor does an account of that id'
);
select is(
  tests.after('select tests.erased()', $q$
    select tests.by_key($$ (api.import_users('[{"line": 1, "user": {"external_id": "old-1", "display_name": "Erna"}}]', '2026-03-03T08:00Z') -> 0 ->> 'message') $$)
  $q$), 'conflict', 'not by a list of users either'
);
select is(
  tests.after(
    $q$ select tests.erased(), tests.by_key($$ api.put_user('{"external_id": "old-1", "display_name": "Erna"}', '2026-03-03T08:00Z') $$) $q$,
    $$ select tests.imports('2026-03-03T08:01Z') $$
  ), '200 200 201', 'but when the tenant''s server makes them a new account, lines count again'
);
select is(
  tests.after('select tests.erased()', $$ select count(*) from kith.audit as act where act::text like '%old-1%' $$), '0', 'the audit does not keep the id'
);
create function tests.changed() returns void
  language sql
as $$
  select tests.imports('2026-03-01T08:00Z');
  update kith.users set phone = '+436642222222', phone_verified_at = '2026-03-02T08:00Z', display_name = 'Erna S.', time_zone = 'Asia/Tokyo' where external_id = 'old-1';
  select tests.imports('2026-03-05T08:00Z')
$$;
select is(
  tests.after('select tests.changed()', $$ select concat_ws(' ', phone, phone_verified_at is not null, display_name, time_zone) from kith.users where external_id = 'old-1' $$),
  '+436642222222 t Erna S. Asia/Tokyo', 'an import sent again takes nothing back that somebody has changed'
);
select is(
  tests.after(
    $$ select tests.imports('2026-03-01T08:00Z'); update kith.users set phone = null, display_name = null where external_id = 'old-1'; select tests.imports('2026-03-05T08:00Z') $$,
    $$ select concat_ws(' ', phone, display_name) from kith.users where external_id = 'old-1' $$
  ), '+436641111111 Erna', 'but gives what is missing'
);

-- An upload that the sweep deletes while it is finished (C02).
create function tests.swept() returns text
  language plpgsql
as $$
declare
  v_vault uuid := tests.act('alice', $a$ api.create_vault('{"name": "Papers"}', '2026-03-09T08:00Z') ->> 'id' $a$);
begin
  perform tests.act('alice', format('api.open_vault(%L, ''2026-03-09T08:00:30Z'')', v_vault));
  insert into kith.vault_keys (tenant_id, vault_id, wrapped_key, created_at) values (tests.tenant('acme'), v_vault, '\x00', '2026-03-09T08:00Z');
  insert into kith.documents (tenant_id, id, vault_id, owner_id, version_id, name, content_type, size, sha256, created_at, created_by, updated_at)
  values (tests.tenant('acme'), 'd0000000-0000-7000-8000-000000000001', v_vault, tests.id('alice'), 'e0000000-0000-7000-8000-000000000001', 'will.pdf',
    'application/pdf', 1, sha256('a'), '2026-03-09T08:00Z', tests.id('alice'), '2026-03-09T08:00Z');
  insert into kith.document_versions (tenant_id, id, vault_id, document_id, state, created_by, created_at, chunks, size, chunk_size)
  select tests.tenant('acme'), version.id, v_vault, 'd0000000-0000-7000-8000-000000000001', version.state, tests.id('alice'), '2026-03-09T08:00Z', version.n, version.n, 4096
  from (values ('e0000000-0000-7000-8000-000000000001'::uuid, 'current', 1), ('e0000000-0000-7000-8000-000000000002', 'uploading', null)) as version (id, state, n);
  return tests.tried('alice', format(
    'api.finish_upload(%L, ''e0000000-0000-7000-8000-000000000002'', null, ''application/pdf'', 1, 1, sha256(''b''), null, null, ''2026-03-09T08:01Z'') ->> ''version_id''', v_vault
  ));
end
$$;
create function tests.content() returns text
  language sql
as $$ select concat_ws(' ', version_id = 'e0000000-0000-7000-8000-000000000001', (select state from kith.document_versions where id = version_id)) from kith.documents $$;
savepoint sweeping;
-- This stands for another session, which deletes the upload between the two statements of the call.
create or replace function internal.require_whole(p_version_id uuid, p_chunks integer, p_size bigint) returns void
  language sql
as $$ delete from kith.document_versions where id = p_version_id $$;
select is(tests.swept(), 'not_found', 'an upload that the sweep has deleted meanwhile is refused');
select is(tests.content(), 't current', 'and the former content stays');
rollback to sweeping;

-- An invitation that Kith sends later (P17), and its code (P19, P39).
create function tests.invites() returns void
  language plpgsql
as $$
begin
  update kith.tenants set sms_enabled = true where tenant_id = tests.tenant('acme');
  insert into kith.channel_credentials (tenant_id, channel, sealed, summary, created_at, updated_at)
  values (tests.tenant('acme'), 'sms', '\x00', '{}', '2026-01-05T08:00Z', '2026-01-05T08:00Z');
  perform tests.act('alice', $a$ api.create_connection_invitation('[{"name": "Dave", "given_phone": "+436641234567", "phone": "+436641234567"}]', true, 'https://k', '2026-03-09T08:00Z') $a$);
end
$$;
select matches(tests.after('select tests.invites()', $$ select tests.claim('sms', '2026-03-09T09:00:10Z') $$), '^\+436641234567: ', 'an invitation goes out while its code is good');
select is(
  tests.after($$ select tests.invites(), tests.act('alice', 'api.delete_sender_profile(''2026-03-09T08:10Z'')') $$, $$ select tests.claim('sms', '2026-03-09T09:00:10Z') $$),
  'nothing', 'it does not after its sender has stopped being one'
);
select is(
  tests.after($$ select tests.invites(), tests.act('alice', 'api.create_code(''{"role": "sender", "rotate": true}'', ''2026-03-09T08:10Z'')') $$, $$ select tests.claim('sms', '2026-03-09T09:00:10Z') $$),
  'nothing', 'nor does it with a code that was replaced'
);

select * from finish();
rollback;
