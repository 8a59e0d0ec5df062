-- The event feed: the changes that a user's screen shows.
begin;
\ir people.sql
select plan(77);

-- A reader sees the events of finished transactions, and this test is a single unfinished one. So each call moves the new events to an
-- old transaction, a different one each time.
create sequence tests.transactions start 10;
create function tests.commit() returns xid8
  language plpgsql
as $$
declare
  v_xid xid8 := nextval('tests.transactions')::text::xid8;
begin
  update kith.events set xid = v_xid where xid = pg_current_xact_id();
  update kith.notifications set xid = v_xid where xid = pg_current_xact_id();
  return v_xid;
end
$$;
create function tests.person(p_id uuid) returns text
  language sql
as $$
  select person from unnest(array['alice', 'bob', 'carol', 'mallory', 'globex-alice', 'globex-bob']) as person where tests.id(person) = p_id
$$;
-- The events since the last call: the user, the type, and the state that the event gives.
create function tests.feed(p_now timestamptz) returns text[]
  language plpgsql
as $$
declare
  v_xid xid8 := tests.commit();
  v_events jsonb;
  v_feed text[];
begin
  perform tests.as_role('kith_api');
  select jsonb_agg(to_jsonb(tail)) into v_events from api.tail_events(v_xid::text, null, 1000) as tail where tail.id is not null;
  select array_agg(told.line order by told.line collate "C") into v_feed
  from (
    select concat_ws(
        ' ', tests.person((event.value ->> 'user_id')::uuid), event.value ->> 'type',
        rendered.data::json ->> case event.value ->> 'type'
          when 'notification' then 'type' when 'notifications_read' then 'unread_count' when 'session' then 'lock_reason' else 'status'
        end
      ) as line
    from api.render_events(p_now, v_events) as rendered
    join jsonb_array_elements(v_events) with ordinality as event (value, n) on event.n = rendered.n
  ) as told;
  perform tests.as_superuser();
  return v_feed;
end
$$;
create temporary table kept (name text primary key, id uuid);
grant select, insert on kept to public;
create function tests.kept(p_name text) returns uuid language sql stable return (select id from kept where name = p_name);

-- The horizon.
select tests.as_role('kith_api');
select results_eq(
  $$ select horizon::xid8 <= pg_current_xact_id(), id is null from api.tail_events(null, null, 100) $$, $$ values (true, true) $$,
  'without a position only the horizon is returned'
);
select tests.as_user('acme', 'alice');
select throws_ok($$ select api.tail_events(null, null, 100) $$, 'KT403', 'forbidden', 'a request in a tenant cannot tail the feed');
select throws_ok($$ select api.ended_streams('[]') $$, 'KT403', 'forbidden', 'a request in a tenant cannot ask about other users'' streams');
select is(api.read_notifications(null, null, 1000, '2026-03-02T08:00Z')::text, null, 'there is nothing to mark as read');
select tests.as_superuser();
select is(tests.feed('2026-03-02T08:00Z'), null, 'reading nothing emits no event');

-- Connections, with their pings.
select tests.as_user('acme', 'carol');
insert into kept select 'alice-carol', (api.create_connection('111111', '2026-03-02T08:00Z') ->> 'id')::uuid;
select tests.as_superuser();
select is(
  tests.feed('2026-03-02T08:00Z'),
  array[
    'alice connection active', 'alice notification connection_request', 'alice ping scheduled', 'carol connection active', 'carol ping scheduled'
  ],
  'a new connection and its ping appear on both screens, and notifications in the same order'
);
select tests.as_user('acme', 'alice');
select api.pause_connection(tests.kept('alice-carol'), '2026-03-02T08:01Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.feed('2026-03-02T08:01Z'),
  array[
    'alice connection paused', 'alice ping cancelled', 'carol connection paused', 'carol notification connection_paused', 'carol ping cancelled'
  ],
  'a paused connection appears on both screens'
);
select tests.as_user('acme', 'alice');
select api.resume_connection(tests.kept('alice-carol'), '2026-03-02T08:02Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.feed('2026-03-02T08:02Z'),
  array[
    'alice connection active', 'alice ping scheduled', 'carol connection active', 'carol notification connection_resumed', 'carol ping scheduled'
  ],
  'a resumed connection appears on both screens, with its ping'
);
select tests.as_user('acme', 'carol');
select api.remove_connection(tests.kept('alice-carol'), '2026-03-02T08:03Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.feed('2026-03-02T08:03Z'),
  array[
    'alice connection deleted', 'alice notification connection_removed', 'alice ping deleted', 'carol connection deleted', 'carol ping deleted'
  ],
  'a removed connection disappears from both screens'
);
update kith.tenants set requires_consent = true where slug = 'acme';
select tests.as_user('acme', 'carol');
select api.create_connection('111111', '2026-03-02T08:04Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.feed('2026-03-02T08:04Z'),
  array['alice connection pending', 'alice notification connection_request', 'alice ping scheduled', 'carol connection pending'],
  'the receiver of a pending connection is shown no pings'
);
select tests.as_user('acme', 'alice');
select api.consent_connection(tests.kept('alice-carol'), '2026-03-02T08:05Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.feed('2026-03-02T08:05Z'),
  array['alice connection active', 'alice ping scheduled', 'carol connection active', 'carol ping scheduled'],
  'after consent the receiver is shown the pings'
);
update kith.tenants set requires_consent = false where slug = 'acme';
select tests.as_user('acme', 'alice');
select api.put_block(tests.id('carol'), '2026-03-02T08:06Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.feed('2026-03-02T08:06Z'),
  array['alice connection deleted', 'alice ping deleted', 'carol connection deleted', 'carol ping deleted'],
  'a connection ended by a block disappears without a notification'
);
select tests.as_role('kith_admin');
select admin.soft_delete_connection('acme', tests.id('alice-bob'), 'x', '2026-03-02T08:07Z') \g /dev/null
select admin.reactivate_connection('acme', tests.id('alice-bob'), 'x', '2026-03-02T08:07Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.feed('2026-03-02T08:07Z'),
  array[
    'alice connection active', 'alice connection active', 'alice notification connection_removed', 'alice ping scheduled', 'bob connection active',
    'bob connection active', 'bob notification connection_removed', 'bob notification connection_request', 'bob ping scheduled'
  ],
  'an operator''s acts emit the same events, which show the current state'
);

-- The states of a ping.
select tests.as_role('kith_worker');
select worker.announce_due_pings('2026-03-02T09:00Z', 100) \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-02T09:00Z'), array['alice notification ping_due', 'alice ping due', 'bob ping due'], 'a due ping emits events');
select tests.as_user('acme', 'alice');
select api.check_in(null, '2026-03-02T09:05Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.feed('2026-03-02T09:05Z'), array['alice ping completed', 'bob notification ping_completed', 'bob ping completed'], 'a completed ping emits events'
);
select tests.as_user('acme', 'alice');
select api.check_in(null, '2026-03-02T09:06Z') \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-02T09:06Z'), null, 'a check-in that completes nothing emits no event');
insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at)
select tests.tenant(slug), 'UTC', '2026-03-03', '2026-03-03T00:00Z' from unnest(array['acme', 'globex']) as slug;
select tests.as_role('kith_worker');
select worker.generate_daily_pings('2026-03-03T00:00:01Z', 100), worker.generate_daily_pings('2026-03-03T00:00:01Z', 100) \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-03T00:00Z'), null, 'generated pings emit no events; clients see them when they look');
select tests.as_role('kith_worker');
select worker.announce_due_pings('2026-03-03T09:00Z', 100), worker.miss_pings('2026-03-03T10:30:10Z', 100) \g /dev/null
select tests.as_superuser();
select ok(
  tests.feed('2026-03-03T10:31Z') @> array[
    'alice notification ping_missed', 'alice ping missed', 'bob notification ping_missed', 'bob ping missed', 'globex-alice ping missed',
    'globex-bob ping missed'
  ],
  'a missed ping emits events in every tenant'
);
select tests.as_user('acme', 'alice');
select api.check_in(null, '2026-03-03T11:00Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.feed('2026-03-03T11:00Z'), array['alice ping completed_late', 'bob notification ping_all_clear', 'bob ping completed_late'],
  'a ping that is completed late emits events'
);
select tests.as_role('kith_worker');
select worker.generate_daily_pings('2026-03-04T00:00:01Z', 100), worker.generate_daily_pings('2026-03-04T00:00:01Z', 100) \g /dev/null
select tests.as_user('acme', 'alice');
select api.put_sender_profile('{"ping_time": "10:00", "time_zone": "UTC"}', '2026-03-04T08:00Z') \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-04T08:00Z'), array['alice ping scheduled', 'bob ping scheduled'], 'a ping whose time changes emits events');

-- Breaks and subscriptions.
select tests.as_user('acme', 'alice');
select api.put_break('{"from": "2026-03-04", "until": "2026-03-05"}', '2026-03-04T08:10Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.feed('2026-03-04T08:10Z'),
  array['alice connection active', 'alice ping cancelled', 'bob connection active', 'bob notification break_started', 'bob ping cancelled'],
  'a break changes the connection and cancels its ping'
);
select tests.as_user('acme', 'alice');
select api.delete_break('2026-03-04T08:11Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.feed('2026-03-04T08:11Z'),
  array['alice connection active', 'alice ping scheduled', 'bob connection active', 'bob notification break_ended', 'bob ping scheduled'],
  'deleting the break restores the ping'
);
select tests.as_user('acme', 'alice');
select api.put_break('{"from": "2026-03-06", "until": "2026-03-06"}', '2026-03-04T08:12Z') \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-04T08:12Z'), array['alice connection active', 'bob connection active'], 'a future break appears too');
select tests.as_role('kith_worker');
select worker.turn_breaks('2026-03-06T00:00Z', 100) \g /dev/null
select tests.as_superuser();
select is(
  tests.feed('2026-03-06T00:00Z'), array['alice connection active', 'bob connection active', 'bob notification break_started'], 'a break''s beginning emits events'
);
select tests.as_role('kith_worker');
select worker.turn_breaks('2026-03-07T00:00Z', 100) \g /dev/null
select tests.as_superuser();
select is(
  tests.feed('2026-03-07T00:00Z'), array['alice connection active', 'bob connection active', 'bob notification break_ended'], 'a break''s end emits events'
);
select tests.as_server('acme');
select api.set_subscription(tests.id('bob'), '{"status": "expired"}', '2026-03-07T08:00Z') \g /dev/null
select tests.as_role('kith_worker');
select worker.settle_subscriptions('2026-03-07T08:01Z', 100) \g /dev/null
select tests.as_superuser();
select is(
  tests.feed('2026-03-07T08:01Z'), array['alice notification subscription_lapsing', 'bob notification subscription_lapsing'],
  'a lapsed subscription changes no connection yet'
);
select tests.as_role('kith_worker');
select worker.settle_subscriptions('2026-03-30T08:01Z', 100) \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-30T08:01Z'), array['alice connection active', 'bob connection active'], 'when the grace period ends, the connection is suspended');
select tests.as_server('acme');
select api.set_subscription(tests.id('bob'), '{"status": "active"}', '2026-03-30T09:00Z') \g /dev/null
select tests.as_superuser();
select ok(tests.feed('2026-03-30T09:00Z') @> array['alice connection active', 'bob connection active'], 'when the subscription is renewed, the connection is active again');

-- Reading notifications.
insert into kith.notifications (tenant_id, id, user_id, type, title, body, created_at, xid)
select tests.tenant('acme'), internal.uuid7('2026-03-30T09:00Z'), tests.id('carol'), 'vault_opened', 'x', e'a\n"line"\r', '2026-03-30T09:00Z', '9'
from generate_series(1, 3);
insert into kept select 'news', (select id from kith.notifications where user_id = tests.id('carol') and type = 'vault_opened' limit 1);
select tests.as_user('acme', 'carol');
select api.read_notification(tests.kept('news'), '2026-03-30T09:01Z') \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-30T09:01Z'), array['carol notification vault_opened'], 'a notification read on one screen appears as read on the others');
select tests.as_user('acme', 'carol');
select api.read_notification(tests.kept('news'), '2026-03-30T09:02Z') \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-30T09:02Z'), null, 'reading it again emits no event');
select tests.as_user('acme', 'carol');
select api.read_notifications(null, null, 1000, '2026-03-30T09:03Z') \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-30T09:03Z'), array['carol notifications_read 0'], 'reading all emits one event');

-- An event contains what the corresponding call returns.
select tests.as_user('acme', 'alice');
select is(
  internal.event_json('connection', tests.id('alice-bob'), null, null, '2026-03-30T09:00Z'),
  api.get_connection(tests.id('alice-bob'), '2026-03-30T09:00Z')::text, 'the event contains the connection as the call returns it'
);
select tests.as_user('acme', 'carol');
select is(
  internal.event_json('notification', tests.kept('news'), null, null, '2026-03-30T09:00Z')::jsonb,
  (select value from json_array_elements(api.list_notifications(false, 50, null) -> 'items') where value ->> 'id' = tests.kept('news')::text)::jsonb,
  'the event contains the notification as the call returns it'
);
select unalike(
  internal.event_json('notification', tests.kept('news'), null, null, '2026-03-30T09:00Z'), e'%\n%', 'the event''s data is on one line'
);
select is(
  internal.event_json('connection', tests.id('alice-bob'), null, null, '2026-03-30T09:00Z')::jsonb,
  jsonb_build_object('id', tests.id('alice-bob'), 'status', 'deleted'), 'a stranger''s connection renders as deleted'
);
select is(
  internal.event_json('ping', tests.kept('news'), tests.id('alice-bob'), '2026-03-02', '2026-03-30T09:00Z')::jsonb,
  jsonb_build_object('id', tests.kept('news'), 'connection_id', tests.id('alice-bob'), 'status', 'deleted'), 'a stranger''s ping renders as deleted'
);
select tests.as_user('globex', 'globex-alice');
select is(
  internal.event_json('connection', tests.id('alice-bob'), null, null, '2026-03-30T09:00Z')::jsonb ->> 'status', 'deleted', 'another tenant''s connection renders as deleted'
);

-- Names.
select tests.as_user('acme', 'bob');
select api.update_me('{"display_name": "Robert"}', '{}', '2026-03-30T09:30Z') \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-30T09:30Z'), array['alice connection active'], 'a new name reaches the user''s connections');
select tests.as_user('acme', 'alice');
select is(
  internal.event_json('connection', tests.id('alice-bob'), null, null, '2026-03-30T09:30Z')::jsonb #>> '{counterpart,display_name}', 'Robert',
  'the event contains the new name'
);
select tests.as_user('acme', 'bob');
select api.update_me('{"display_name": " Robert ", "locale": "de"}', '{}', '2026-03-30T09:31Z') \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-30T09:31Z'), null, 'setting the same name again emits no event');
select tests.as_server('acme');
select api.update_user(tests.id('bob'), '{"display_name": "Bob"}', '2026-03-30T09:32Z') \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-30T09:32Z'), array['alice connection active'], 'a name set by the tenant''s server reaches the user''s connections');

-- Vaults.
select tests.as_user('acme', 'alice');
insert into kept select 'papers', (api.create_vault('{"name": "Papers"}', '2026-03-30T10:00Z') ->> 'id')::uuid;
select tests.as_superuser();
select is(tests.feed('2026-03-30T10:00Z'), null, 'a new vault appears on nobody else''s screen');
select tests.as_user('acme', 'alice');
create temporary table invited as
select given ->> 'name' as name, (given -> 'id')::text::json #>> '{}' as id, given #>> '{invitation,token}' as token
from (
  select value -> 'nominee' as given
  from json_array_elements(api.invite_nominees(
    tests.kept('papers'), '[{"name": "Bob", "access_level": "view"}, {"name": "Mallory", "access_level": "full"}]', 'https://kith.example/',
    '2026-03-30T10:01Z'
  ))
) as answers;
grant select on invited to public;
select tests.as_superuser();
select is(tests.feed('2026-03-30T10:01Z'), array['alice nominee pending', 'alice nominee pending'], 'an invitation appears on the owner''s screen');
select tests.as_user('acme', 'bob');
select api.accept_invitation((select token::uuid from invited where name = 'Bob'), '2026-03-30T10:02Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.feed('2026-03-30T10:02Z'), array['alice nominee accepted', 'alice notification nominee_accepted', 'bob nominee accepted'],
  'an acceptance appears on both screens'
);
select tests.as_user('acme', 'alice');
select api.update_vault(tests.kept('papers'), '{"name": "Family papers"}', '2026-03-30T10:02Z') \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-30T10:02Z'), array['alice vault', 'bob vault accepted'], 'a vault''s new name reaches its owner and its nominees');
select tests.as_user('acme', 'bob');
select is(
  internal.event_json('vault', tests.kept('papers'), null, null, '2026-03-30T10:02Z'), api.get_vault(tests.kept('papers'), '2026-03-30T10:02Z')::text,
  'the event contains what the vault''s own call returns'
);
select tests.as_user('acme', 'mallory');
select is(
  internal.event_json('vault', tests.kept('papers'), null, null, '2026-03-30T10:02Z')::jsonb,
  jsonb_build_object('id', tests.kept('papers'), 'status', 'deleted'), 'a nominee who has not accepted learns nothing of the vault'
);
select tests.as_user('acme', 'alice');
select api.update_vault(tests.kept('papers'), '{"name": "Family papers"}', '2026-03-30T10:02Z') \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-30T10:02Z'), null, 'setting the same vault name again emits no event');
select tests.as_user('acme', 'alice');
select api.update_me('{"display_name": "Alicia"}', '{}', '2026-03-30T10:02Z') \g /dev/null
select tests.as_superuser();
select ok(tests.feed('2026-03-30T10:02Z') @> array['bob vault accepted'], 'the owner''s new name reaches the nominees');
select tests.as_user('acme', 'mallory');
select api.accept_invitation((select token::uuid from invited where name = 'Mallory'), '2026-03-30T10:03Z') \g /dev/null
select tests.as_user('acme', 'alice');
select api.open_vault(tests.kept('papers'), '2026-03-30T10:04Z') \g /dev/null
select tests.as_superuser();
select ok(
  tests.feed('2026-03-30T10:04Z') @> array['alice session', 'bob notification vault_opened', 'bob session', 'mallory session'],
  'an opening reaches everybody with access'
);
select tests.as_user('acme', 'alice');
select api.update_nominee(tests.kept('papers'), (select id::uuid from invited where name = 'Bob'), '{"access_level": "edit"}', '2026-03-30T10:05Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.feed('2026-03-30T10:05Z'), array['alice nominee active', 'bob nominee active', 'mallory nominee active'],
  'nominees with level full see others change while the vault is open'
);
select tests.as_user('acme', 'alice');
select api.lock_vault(tests.kept('papers'), '2026-03-30T10:06Z') \g /dev/null
select tests.as_superuser();
select ok(
  tests.feed('2026-03-30T10:06Z') @> array['alice session manual', 'bob session manual', 'mallory session manual'], 'a locking reaches everybody with access'
);
select tests.as_user('acme', 'alice');
select api.open_vault(tests.kept('papers'), '2026-03-30T11:00Z') \g /dev/null
select tests.as_superuser();
select tests.feed('2026-03-30T11:00Z') \g /dev/null
select tests.as_role('kith_worker');
select worker.lock_expired_sessions('2026-03-30T12:00Z', 100) \g /dev/null
select tests.as_superuser();
select ok(tests.feed('2026-03-30T12:00Z') @> array['alice session expired', 'bob session expired'], 'an expired session reaches everybody with access');
select tests.as_user('acme', 'alice');
select api.update_nominee(tests.kept('papers'), (select id::uuid from invited where name = 'Bob'), '{"status": "inactive"}', '2026-03-30T12:01Z') \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-30T12:01Z'), array['alice nominee inactive', 'bob nominee inactive'], 'a pause of access reaches both sides');
select tests.as_user('acme', 'alice');
select api.revoke_nominee(tests.kept('papers'), (select id::uuid from invited where name = 'Bob'), '2026-03-30T12:02Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.feed('2026-03-30T12:02Z'), array['alice nominee revoked', 'bob nominee revoked', 'bob notification nominee_revoked'], 'a revocation reaches both sides'
);
select tests.as_user('acme', 'bob');
select is(
  internal.event_json('nominee', (select id::uuid from invited where name = 'Bob'), tests.kept('papers'), null, '2026-03-30T12:02Z')::jsonb,
  jsonb_build_object('id', (select id from invited where name = 'Bob'), 'vault_id', tests.kept('papers'), 'status', 'revoked'),
  'the revoked nominee learns nothing more of the vault'
);
select is(
  internal.event_json('nominee', (select id::uuid from invited where name = 'Mallory'), tests.kept('papers'), null, '2026-03-30T12:02Z')::jsonb ->> 'status',
  'deleted', 'the revoked nominee learns nothing more of the other nominees'
);
select tests.as_user('acme', 'alice');
select api.delete_vault(tests.kept('papers'), '2026-03-30T12:03Z') \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-30T12:03Z'), array['mallory nominee deleted'], 'a deleted vault disappears from its nominees'' screens');
select tests.as_user('acme', 'alice');
select is(
  internal.event_json('vault', tests.kept('papers'), null, null, '2026-03-30T12:03Z')::jsonb,
  jsonb_build_object('id', tests.kept('papers'), 'status', 'deleted'), 'a deleted vault''s earlier name is not shown, not even to its owner'
);
select tests.as_user('acme', 'alice');
select api.restore_vault(tests.kept('papers'), '2026-03-30T12:04Z') \g /dev/null
select tests.as_superuser();
select is(tests.feed('2026-03-30T12:04Z'), array['mallory nominee accepted'], 'a restored vault appears again on its nominees'' screens');

-- Resuming from a position.
create function tests.after(p_place text, p_limit integer default 100) returns json
  language sql
as $$
  select api.events_after(p_place, p_limit, '2026-03-30T13:05Z')
$$;
grant execute on function tests.after to public;
create temporary table places (n integer, place text);
grant select, insert on places to public;
select tests.as_user('acme', 'carol');
insert into places select 0, api.events_after(null, 10, '2026-03-30T13:00Z') ->> 'horizon';
select tests.as_superuser();
select matches((select place from places), '^1774875600000-[0-9]+$', 'a client begins at the horizon');
update places set place = '1774875600000-1000';
alter sequence tests.transactions restart with 1000;
insert into kith.notifications (tenant_id, id, user_id, type, title, body, created_at)
select tests.tenant('acme'), internal.uuid7('2026-03-30T13:01Z'), tests.id('carol'), 'vault_opened', 'x', n::text, '2026-03-30T13:01Z'
from generate_series(1, 3) as n;
select internal.emit_event(tests.tenant('acme'), tests.id('carol'), 'connection', tests.kept('alice-carol'), null, null, '2026-03-30T13:01Z') \g /dev/null
select internal.emit_event(tests.tenant('acme'), tests.id('carol'), 'alarm_undelivered', tests.kept('news'), null, null, '2026-03-30T13:01Z') \g /dev/null
select internal.emit_event(tests.tenant('acme'), tests.id('bob'), 'connection', tests.id('alice-bob'), null, null, '2026-03-30T13:01Z') \g /dev/null
select tests.commit() \g /dev/null
insert into kith.notifications (tenant_id, id, user_id, type, title, body, created_at)
select tests.tenant('acme'), internal.uuid7('2026-03-30T13:00Z'), tests.id('carol'), 'vault_locked', 'x', 'later', '2026-03-30T13:00Z';
select tests.commit() \g /dev/null
insert into kith.notifications (tenant_id, id, user_id, type, title, body, created_at)
select tests.tenant('acme'), internal.uuid7('2026-03-30T13:02Z'), tests.id('carol'), 'vault_locked', 'x', 'not committed yet', '2026-03-30T13:02Z';
select tests.as_user('acme', 'carol');
create temporary table answer as select tests.after((select place from places)) as answer;
select is(
  (select array_agg(item ->> 'type' order by n) from answer, json_array_elements(answer -> 'items') with ordinality as items (item, n) where n > 4),
  array['notification'], 'the events come in the order of their transactions'
);
select is(
  (select array_agg(coalesce(item ->> 'type') || ' ' || ((item ->> 'data')::json ->> case item ->> 'type' when 'connection' then 'status' else 'type' end) order by item ->> 'type', n) from answer, json_array_elements(answer -> 'items') with ordinality as items (item, n)),
  array['connection deleted', 'notification vault_opened', 'notification vault_opened', 'notification vault_opened', 'notification vault_locked'],
  'the answer has all of the user''s events of finished transactions, and none meant only for webhooks'
);
select is((select answer ->> 'more' from answer), 'false', 'there are no more events');
select is((tests.after((select place from places), 3) ->> 'more'), 'true', 'a page has at most as many events as requested');
select is(
  (
    with recursive read as (
      select tests.after((select place from places), 2) as answer
      union all
      select tests.after(answer #>> '{items,1,position}', 2) from read where (answer ->> 'more')::boolean
    )
    select array_agg(item ->> 'position' order by item ->> 'position') from read, json_array_elements(answer -> 'items') as item
  ),
  (select array_agg(item ->> 'position' order by item ->> 'position') from answer, json_array_elements(answer -> 'items') as item),
  'the pages together have each event once'
);
select is(
  json_array_length(tests.after('1774875600000-1001') -> 'items'), 1, 'from a position between two transactions, the later one''s events follow'
);
select is(
  tests.after((select answer #>> '{items,4,position}' from answer))::jsonb - 'horizon', '{"reset": null, "items": [], "more": false}',
  'after the last event there are none'
);
select is(
  tests.after('1774000000000-1000')::jsonb - 'horizon', '{"reset": "too_old", "items": [], "more": false}', 'a position older than 7 days leads to a reset'
);
select is(
  tests.after('1774875600000-9000000000000000000')::jsonb - 'horizon', '{"reset": "unknown", "items": [], "more": false}',
  'a position after an unknown transaction leads to a reset'
);
select throws_ok($$ select tests.after('') $$, 'KT422', 'validation_failed', 'an empty position is refused');
select throws_ok($$ select tests.after('1774875600000') $$, 'KT422', 'validation_failed', 'a position without a transaction is refused');
select throws_ok($$ select tests.after('1774875600000-1000-x') $$, 'KT422', 'validation_failed', 'a position without a valid id is refused');
select throws_ok($$ select tests.after('1774875600000-99999999999999999999') $$, 'KT422', 'validation_failed', 'a position whose transaction is out of range is refused');
select tests.as_user('acme', 'bob');
select is(json_array_length(tests.after((select place from places)) -> 'items'), 1, 'another user has different events');
select tests.as_user('globex', 'globex-bob');
select is(json_array_length(tests.after((select place from places)) -> 'items'), 0, 'another tenant has none of these events');
select is((select count(*) from kith.events), (select count(*) from kith.events where user_id = tests.id('globex-bob')), 'users cannot read other users'' events directly');

select * from finish();
rollback;
