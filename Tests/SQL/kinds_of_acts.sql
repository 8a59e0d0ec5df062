-- Every kind of act between two people, included after people.sql: Zoe Zander and Yan Yarrow. A function tests.act_… does each of them, and
-- together they cause every type of notification.
-- Run by itself, outside a transaction, this file must leave nothing behind.
select now() = statement_timestamp() as alone \gset
\if :alone
  \echo 1..0 # SKIP the acts of the other tests
  \q
\endif

create function tests.zoe() returns uuid language sql immutable as $$ select '20e00000-0000-7000-8000-000000000001'::uuid $$;
create function tests.yan() returns uuid language sql immutable as $$ select '1a900000-0000-7000-8000-000000000002'::uuid $$;
insert into kith.users (
  tenant_id, id, display_name, phone, phone_verified_at, email, email_verified_at, tokens_valid_from, created_at, updated_at
)
select tests.tenant('acme'), id, name, phone, '2026-03-01Z', email, '2026-03-01Z', '2026-03-01Z', '2026-03-01Z', '2026-03-01Z'
from (values
  (tests.zoe(), 'Zoe Zander', '+491590000077', 'zoe@zander.example'), (tests.yan(), 'Yan Yarrow', '+491590000088', 'yan@yarrow.example')
) as people (id, name, phone, email);
insert into kith.sender_profiles (tenant_id, user_id, time_zone, ping_time, grace_minutes, reminder_minutes, timed_at, created_at, updated_at)
values (tests.tenant('acme'), tests.zoe(), 'UTC', '09:00', 90, 15, '2026-03-01Z', '2026-03-01Z', '2026-03-01Z');
insert into kith.receiver_profiles (tenant_id, user_id, created_at, updated_at)
values (tests.tenant('acme'), tests.yan(), '2026-03-01Z', '2026-03-01Z');
insert into kith.unique_codes (tenant_id, code, user_id, role, permanent, created_at) values
  (tests.tenant('acme'), '770001', tests.zoe(), 'sender', true, '2026-03-01Z'),
  (tests.tenant('acme'), '880001', tests.yan(), 'receiver', true, '2026-03-01Z');
insert into kith.devices (tenant_id, token, user_id, platform, environment, created_at, last_seen_at)
select tests.tenant('acme'), 'phone-of-' || id, id, 'ios', 'production', '2026-03-01Z', '2026-03-01Z'
from unnest(array[tests.zoe(), tests.yan()]) as id;
select internal.make_partitions('2026-03-02Z', 200) \g /dev/null
create temporary table kept (name text primary key, id uuid not null);
grant all on kept to public;

create function tests.as_id(p_id uuid) returns void
  language plpgsql
as $$
begin
  perform tests.as_user('acme', 'alice');
  perform set_config('kith.user_id', p_id::text, true);
end
$$;
create function tests.keep(p_name text, p_id text) returns void
  language sql as $$ insert into kept values (p_name, p_id::uuid) on conflict (name) do update set id = excluded.id $$;
create function tests.kept(p_name text) returns uuid language sql stable as $$ select id from kept where name = p_name $$;
-- The worker delivers everything, with every loop that tells people.
create function tests.work(p_now timestamptz) returns void
  language plpgsql
as $$
declare
  v_channel text;
begin
  perform tests.as_role('kith_worker');
  perform worker.turn_breaks(p_now, 100), worker.settle_subscriptions(p_now, 100), worker.lock_expired_sessions(p_now, 100),
    worker.begin_emergency_waits(p_now, 100), worker.tell_emergencies(p_now, 100), worker.plan_deliveries(p_now, 1000, true);
  foreach v_channel in array array['apns', 'email', 'sms'] loop
    perform worker.finish_deliveries(
      p_now, 'w1',
      (
        select coalesce(jsonb_agg(jsonb_build_object('tenant_id', tenant_id, 'id', id, 'outcome', 'sent')), '[]')
        from worker.claim_deliveries(p_now, v_channel, 100, 100, 0, '{}', '{}', 'w1')
      )
    );
  end loop;
  perform tests.as_superuser();
end
$$;
-- The acts. A vault of Zoe's in which Yan is a nominee, unless he declines.
create function tests.invite_yan(p_given jsonb, p_at timestamptz, p_vault_name text default 'Zander papers') returns uuid
  language plpgsql
as $$
declare
  v_made json;
begin
  perform tests.as_id(tests.zoe());
  perform tests.keep('vault', api.create_vault(jsonb_build_object('name', p_vault_name, 'full_may_open', true), p_at) ->> 'id');
  v_made := api.invite_nominees(
    tests.kept('vault'), jsonb_build_array('{"name": "Old Yarrow", "access_level": "full"}'::jsonb || p_given), 'https://kith.example', p_at
  ) #> '{0,nominee}';
  perform tests.keep('nominee', v_made ->> 'id');
  return (v_made #>> '{invitation,token}')::uuid;
end
$$;
create function tests.let_yan_in(p_vault_name text default 'Zander papers') returns void
  language plpgsql
as $$
begin
  perform tests.invite_yan('{"email": "yan@yarrow.example"}', '2026-03-10T08:00Z', p_vault_name);
  perform tests.work('2026-03-10T08:01Z');
  perform tests.as_id(tests.yan());
  perform api.accept_own_invitation(tests.kept('nominee'), '2026-03-10T08:02Z');
end
$$;

create function tests.act_connect() returns void
  language plpgsql
as $$
begin
  update kith.tenants set requires_consent = true where tenant_id = tests.tenant('acme');
  perform tests.as_id(tests.zoe());
  perform tests.keep('connection', api.create_connection('880001', '2026-03-10T08:00Z') ->> 'id');
  perform tests.as_id(tests.yan());
  perform api.consent_connection(tests.kept('connection'), '2026-03-10T08:01Z');
  perform api.update_connection(tests.kept('connection'), '{"alias": "Aunt Zander"}', '2026-03-10T08:01Z');
  perform tests.as_id(tests.zoe());
  perform api.update_connection(tests.kept('connection'), '{"alias": "Cousin Yarrow"}', '2026-03-10T08:01Z');
  perform api.pause_connection(tests.kept('connection'), '2026-03-10T08:02Z');
  perform api.resume_connection(tests.kept('connection'), '2026-03-10T08:03Z');
  perform api.remove_connection(tests.kept('connection'), '2026-03-10T08:04Z');
  perform tests.as_superuser();
  update kith.tenants set requires_consent = false where tenant_id = tests.tenant('acme');
  perform tests.as_id(tests.yan());
  perform api.create_connection('770001', '2026-03-10T08:05Z');
  perform api.remove_connection(tests.kept('connection'), '2026-03-10T08:06Z');
  perform tests.as_id(tests.zoe());
  perform api.create_connection('880001', '2026-03-10T08:07Z');
  perform tests.as_role('kith_admin');
  perform admin.soft_delete_connection('acme', tests.kept('connection'), 'Zander and Yarrow asked', '2026-03-10T08:08Z');
end
$$;
create function tests.act_pings() returns void
  language plpgsql
as $$
begin
  perform tests.as_id(tests.zoe());
  perform api.create_connection('880001', '2026-03-10T08:00Z');
  perform tests.as_role('kith_worker');
  perform worker.announce_due_pings('2026-03-10T09:00Z', 100), worker.remind_senders('2026-03-10T10:15Z', 100),
    worker.miss_pings('2026-03-10T10:30:10Z', 100);
  perform tests.work('2026-03-10T10:31Z');
  perform tests.as_id(tests.zoe());
  perform api.check_in('Late at the Zander house', true, null, 'app', '2026-03-10T11:00Z');
end
$$;
create function tests.act_check_in() returns void
  language plpgsql
as $$
begin
  perform tests.as_id(tests.zoe());
  perform api.create_connection('880001', '2026-03-10T08:00Z');
  perform api.test_connection((select id from internal.own_connections), '2026-03-10T08:10Z');
  perform api.check_in('At the Zander house', true, null, 'app', '2026-03-10T08:30Z');
end
$$;
create function tests.act_alarm() returns void
  language plpgsql
as $$
begin
  perform tests.as_id(tests.zoe());
  perform tests.keep('connection', api.create_connection('880001', '2026-03-10T08:00Z') ->> 'id');
  perform tests.as_id(tests.yan());
  perform api.ask_sender(tests.kept('connection'), '2026-03-10T08:08Z');
  perform tests.as_id(tests.zoe());
  perform api.check_in(null, false, null, 'app', '2026-03-10T08:09Z');
  perform tests.as_id(tests.yan());
  perform api.ask_sender(tests.kept('connection'), '2026-03-10T08:10Z');
  perform tests.as_role('kith_worker');
  perform worker.tell_alarms('2026-03-10T08:40:10Z', 100);
  perform tests.as_id(tests.yan());
  perform tests.keep('alarm', api.list_alarms(null, null, 1, null, '2026-03-10T08:40:10Z') #>> '{items,0,id}');
  perform api.take_alarm(tests.kept('alarm'), '{}', '2026-03-10T08:41Z');
  perform tests.as_role('kith_worker');
  perform worker.tell_alarms('2026-03-10T09:11Z', 100);
  perform worker.tell_alarms('2026-03-10T09:21Z', 100);
  perform tests.as_id(tests.zoe());
  perform api.call_for_help('Zander has fallen', null, 'app', '2026-03-10T09:30Z');
  perform tests.work('2026-03-10T09:31Z');
  perform tests.as_role('kith_worker');
  perform worker.tell_alarms('2026-03-10T10:00Z', 100);
  perform tests.as_id(tests.yan());
  perform api.note_alarm(tests.kept('alarm'), 'Yarrow drives', '2026-03-10T10:01Z');
  perform api.resolve_alarm(tests.kept('alarm'), 'safe', 'Zander sleeps', null, '2026-03-10T10:02Z');
  perform tests.work('2026-03-10T10:03Z');
  perform tests.as_superuser();
  update kith.users set phone = '+4915100000077', phone_verified_at = '2026-03-10T08:00Z', email_verified_at = null where id = tests.zoe();
  update kith.users set phone = '+4915100000088', phone_verified_at = '2026-03-10T08:00Z', email_verified_at = null where id = tests.yan();
  delete from kith.devices where user_id in (tests.zoe(), tests.yan());
  -- STOP answers a text message, so the tenant has that channel.
  insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
  values (tests.tenant('acme'), 'sms', '{}', '\x00', '2026-03-01T00:00Z', '2026-03-01T00:00Z');
  perform api.receive_text(tests.tenant('acme'), array[sha256('stop')], '+4915100000077', '{"en": "stop"}', '2026-03-10T10:04Z');
  perform api.receive_text(tests.tenant('acme'), array[sha256('no more')], '+4915100000088', '{"en": "stop"}', '2026-03-10T10:05Z');
  delete from kith.channel_credentials where tenant_id = tests.tenant('acme') and channel = 'sms';
  -- STOP holds for the number, whoever has it.
  delete from kith.text_numbers where phone in ('+4915100000077', '+4915100000088');
end
$$;
create function tests.act_break() returns void
  language plpgsql
as $$
begin
  perform tests.as_id(tests.zoe());
  perform api.create_connection('880001', '2026-03-10T08:00Z');
  perform api.put_break('{"from": "2026-03-10", "until": "2026-03-12"}', '2026-03-10T08:01Z');
  perform tests.work('2026-03-10T08:02Z');
  perform tests.as_id(tests.zoe());
  perform api.delete_break('2026-03-10T08:03Z');
end
$$;
create function tests.act_subscription() returns void
  language plpgsql
as $$
begin
  perform tests.as_id(tests.zoe());
  perform api.create_connection('880001', '2026-03-10T08:00Z');
  perform tests.as_server('acme');
  perform api.set_subscription(tests.yan(), '{"status": "expired"}', '2026-03-10T08:01Z');
end
$$;
create function tests.act_vault() returns void
  language plpgsql
as $$
begin
  perform tests.let_yan_in();
  perform api.send_message(tests.kept('vault'), tests.kept('nominee'), 'Words of Yarrow', '2026-03-10T08:03Z');
  perform api.open_vault(tests.kept('vault'), '2026-03-10T08:04Z'), api.lock_vault(tests.kept('vault'), '2026-03-10T08:05Z');
  perform tests.as_id(tests.zoe());
  perform api.send_message(tests.kept('vault'), tests.kept('nominee'), 'Words of Zander', '2026-03-10T08:06Z');
  perform api.open_vault(tests.kept('vault'), '2026-03-10T08:07Z'), api.lock_vault(tests.kept('vault'), '2026-03-10T08:08Z');
  perform api.update_nominee(tests.kept('vault'), tests.kept('nominee'), '{"access_level": "edit"}', '2026-03-10T08:09Z');
  perform api.revoke_nominee(tests.kept('vault'), tests.kept('nominee'), '2026-03-10T08:10Z');
end
$$;
create function tests.act_leave() returns void
  language plpgsql
as $$
begin
  perform tests.let_yan_in();
  perform api.revoke_nominee(tests.kept('vault'), tests.kept('nominee'), '2026-03-10T08:03Z');
end
$$;
create function tests.act_decline() returns void
  language plpgsql
as $$
begin
  perform tests.invite_yan('{"email": "yan@yarrow.example"}', '2026-03-10T08:00Z');
  perform tests.as_id(tests.yan());
  perform api.decline_own_invitation(tests.kept('nominee'), '2026-03-10T08:01Z');
end
$$;
-- The link of an invitation that names no contact.
create function tests.act_decline_by_link() returns void
  language plpgsql
as $$
declare
  v_token uuid := tests.invite_yan('{}', '2026-03-10T08:00Z');
begin
  perform tests.as_id(tests.yan());
  perform api.decline_invitation(v_token, '2026-03-10T08:01Z');
end
$$;
create function tests.act_ignore() returns void
  language plpgsql
as $$
begin
  perform tests.invite_yan('{"phone": "+491590000088"}', '2026-03-10T08:00Z');
end
$$;
create function tests.offer_yan(p_at timestamptz, p_vault_name text default 'Zander papers') returns void
  language plpgsql
as $$
begin
  perform tests.as_id(tests.zoe());
  perform tests.keep('vault', api.create_vault(jsonb_build_object('name', p_vault_name), p_at) ->> 'id');
  perform tests.keep('transfer', api.create_transfer(
    tests.kept('vault'), '{"name": "Yarrow", "email": "yan@yarrow.example", "keep_access": false}', 'https://kith.example', p_at
  ) ->> 'id');
  perform tests.work(p_at);
  perform tests.as_id(tests.yan());
end
$$;
create function tests.act_refuse_transfer() returns void
  language plpgsql
as $$
begin
  perform tests.offer_yan('2026-03-10T08:00Z');
  perform api.decline_own_invitation(tests.kept('transfer'), '2026-03-10T08:01Z');
end
$$;
-- Mallory has written to Zoe, who never answers and gives the vault away. Its name goes with it.
create function tests.act_transfer() returns void
  language plpgsql
as $$
declare
  v_made json;
begin
  perform tests.offer_yan('2026-03-10T08:00Z', 'Family papers');
  perform tests.as_id(tests.zoe());
  v_made := api.invite_nominees(tests.kept('vault'), '[{"name": "Mallory"}]', 'https://kith.example', '2026-03-10T08:01Z') #> '{0,nominee}';
  perform tests.as_user('acme', 'mallory');
  perform api.accept_invitation((v_made #>> '{invitation,token}')::uuid, '2026-03-10T08:02Z');
  perform api.send_message(tests.kept('vault'), (v_made ->> 'id')::uuid, 'Dear Zander', '2026-03-10T08:03Z');
  perform tests.as_id(tests.yan());
  perform api.accept_own_invitation(tests.kept('transfer'), '2026-03-10T08:04Z');
  perform api.update_vault(tests.kept('vault'), '{"name": "Yarrow papers"}', '2026-03-10T08:05Z');
  perform api.open_vault(tests.kept('vault'), '2026-03-10T08:06Z');
  perform api.send_message(tests.kept('vault'), (v_made ->> 'id')::uuid, 'Yarrow to Mallory', '2026-03-10T08:07Z');
end
$$;
-- Yan has accepted the invitation of somebody who then gives the vault to Mallory.
create function tests.act_give_away() returns void
  language plpgsql
as $$
declare
  v_offered json;
begin
  perform tests.let_yan_in('Family papers');
  perform tests.as_id(tests.zoe());
  v_offered := api.create_transfer(tests.kept('vault'), '{"name": "Mallory", "keep_access": false}', 'https://kith.example', '2026-03-10T08:04Z');
  perform tests.as_user('acme', 'mallory');
  perform api.accept_invitation((v_offered #>> '{invitation,token}')::uuid, '2026-03-10T08:05Z');
end
$$;
create function tests.act_delete_vault() returns void
  language plpgsql
as $$
begin
  perform tests.let_yan_in();
  perform api.open_vault(tests.kept('vault'), '2026-03-10T08:03Z');
  perform tests.as_id(tests.zoe());
  perform api.delete_vault(tests.kept('vault'), '2026-03-10T08:04Z');
end
$$;
create function tests.ask() returns void
  language plpgsql
as $$
begin
  perform tests.let_yan_in();
  perform tests.as_id(tests.zoe());
  perform api.set_emergency_settings(
    tests.kept('vault'), tests.kept('nominee'), '{"wait_hours": 2, "grant_hours": 1, "access_level": "view", "on_request": true, "visible": true}', '2026-03-10T09:00Z'
  );
  perform tests.as_id(tests.yan());
  perform tests.keep(
    'request', api.request_emergency_access(tests.kept('vault'), 'Yarrow hears nothing from Zander', '2026-03-10T09:01Z') ->> 'id'
  );
  perform tests.work('2026-03-10T09:02Z');
end
$$;
create function tests.act_emergency_rejected() returns void
  language plpgsql
as $$
begin
  perform tests.ask();
  perform tests.work('2026-03-10T10:02Z');
  perform tests.as_role('kith_admin');
  perform admin.hold_emergency('acme', tests.kept('request'), 'Yarrow and Zander quarrel', p_now => '2026-03-10T10:10Z');
  perform tests.as_id(tests.zoe());
  perform api.reject_emergency_request(tests.kept('vault'), tests.kept('request'), '2026-03-10T10:11Z');
end
$$;
create function tests.act_emergency_withdrawn() returns void
  language plpgsql
as $$
begin
  perform tests.ask();
  perform tests.as_id(tests.yan());
  perform api.withdraw_emergency_request(tests.kept('vault'), tests.kept('request'), '2026-03-10T10:11Z');
end
$$;
create function tests.act_emergency_opened() returns void
  language plpgsql
as $$
begin
  perform tests.ask();
  perform tests.work('2026-03-10T10:02Z'), tests.work('2026-03-10T11:02Z');
  perform tests.as_id(tests.yan());
  perform api.enter_emergency(tests.kept('vault'), '2026-03-10T11:05Z');
end
$$;
create function tests.act_emergency_approved() returns void
  language plpgsql
as $$
begin
  perform tests.ask();
  perform tests.as_id(tests.zoe());
  perform api.approve_emergency_request(tests.kept('vault'), tests.kept('request'), '2026-03-10T09:10Z');
end
$$;
-- Texts to a phone, feedback, a share, and an operator's reasons.
create function tests.act_write() returns void
  language plpgsql
as $$
begin
  perform tests.as_superuser();
  update kith.tenants set sms_enabled = true where tenant_id = tests.tenant('acme');
  perform tests.as_id(tests.zoe());
  perform api.create_connection_invitation(
    '[{"name": "Yarrow", "given_phone": "+491590000088", "phone": "+491590000088"}]', true, 'https://kith.example', '2026-03-10T08:00Z'
  );
  perform tests.let_yan_in();
  perform tests.as_id(tests.zoe());
  perform api.put_share(tests.kept('vault'), '{"record_name": "zander-share"}', '2026-03-10T08:10Z');
  perform api.synchronise_share(
    tests.kept('vault'),
    '{"participants": [{"id": "p1", "acceptance_status": "pending", "permission": "readOnly", "role": "privateUser", "name": "Zed Zander"}]}',
    '2026-03-10T08:11Z'
  );
  perform api.give_feedback('{"topic": "app", "rating": 5, "text": "Zander likes it"}', '2026-03-10T08:12Z');
  perform tests.as_role('kith_admin');
  perform admin.soft_delete_vault('acme', tests.kept('vault'), 'Zander asked', '2026-03-10T08:13Z');
  perform admin.restore_vault('acme', tests.kept('vault'), 'Zander was wrong', '2026-03-10T08:14Z');
  perform admin.revoke_nominee('acme', tests.kept('nominee'), 'Yarrow asked', '2026-03-10T08:15Z');
end
$$;

create temporary table acts as
select substr(proname, 5) as act from pg_proc where pronamespace = 'tests'::regnamespace and proname like 'act\_%' order by proname;
