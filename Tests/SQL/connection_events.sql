-- The events about a connection, on the screens of both sides.
begin;
\ir people.sql
\ir event_feed.sql
select plan(15);

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
  array['alice connection pending', 'alice notification connection_requested', 'alice ping scheduled', 'carol connection pending'],
  'the receiver of a pending connection is shown no pings'
);
select tests.as_user('acme', 'alice');
select api.consent_connection(tests.kept('alice-carol'), '2026-03-02T08:05Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.feed('2026-03-02T08:05Z'),
  array[
    'alice connection active', 'alice ping scheduled', 'carol connection active', 'carol notification connection_accepted',
    'carol ping scheduled'
  ],
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

-- Subscriptions.
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
select is(tests.feed('2026-03-30T08:01Z'), array['alice connection active', 'alice notification subscription_lapsing', 'bob connection active'],
  'when the grace period ends, the connection is suspended, and the sender is told (X28)');
select tests.as_server('acme');
select api.set_subscription(tests.id('bob'), '{"status": "active"}', '2026-03-30T09:00Z') \g /dev/null
select tests.as_superuser();
select ok(tests.feed('2026-03-30T09:00Z') @> array['alice connection active', 'bob connection active'], 'when the subscription is renewed, the connection is active again');

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

select * from finish();
rollback;
