-- What somebody calls the other side of a connection (P37).
begin;
\ir people.sql
select plan(28);

create function tests.alias(p_person text, p_body jsonb, p_now timestamptz) returns json
  language plpgsql
as $$
begin
  perform tests.as_user('acme', p_person);
  return api.update_connection(tests.id('alice-bob'), p_body, p_now);
end
$$;
create function tests.bodies(p_person text) returns text
  language sql
as $$
  select string_agg(body, '; ' order by id) from tests.notifications where user_id = tests.id(p_person)
$$;

select tests.as_user('acme', 'bob');
select is(api.get_connection(tests.id('alice-bob'), '2026-03-10T08:00Z') ->> 'alias', null, 'at first there is no alias');
select is(tests.alias('bob', '{"alias": "  Mum "}', '2026-03-10T08:00Z') ->> 'alias', 'Mum', 'a receiver names the sender');
select is(tests.alias('alice', '{"alias": "My son"}', '2026-03-10T08:00Z') ->> 'alias', 'My son', 'a sender names the receiver');
select is(
  api.get_connection(tests.id('alice-bob'), '2026-03-10T08:01Z') -> 'counterpart' ->> 'display_name', 'Bob', 'the display name stays beside the alias'
);
select is(
  api.list_connections('sender', null, 50, null, '2026-03-10T08:01Z') -> 'items' -> 0 ->> 'alias', 'My son', 'lists contain the alias'
);
select is(
  api.get_dashboard('sender', null, null, null, '2026-03-10T08:01Z') -> 'items' -> 0 ->> 'alias', 'My son', 'the dashboard contains the alias'
);
select tests.as_superuser();
select results_eq(
  'select user_id, type from kith.events', $$ values (tests.id('bob'), 'connection'), (tests.id('alice'), 'connection') $$,
  'only the screens of the one who gave the alias change'
);
select is(
  (select updated_at from kith.connections where id = tests.id('alice-bob')), '2026-01-05T08:00Z', 'the other side does not notice that the connection changed'
);

-- Who may see or change it.
select tests.as_user('acme', 'bob');
select is(
  strpos(api.list_connections(null, null, 50, null, '2026-03-10T08:02Z')::text || api.export_me('connections', '2026-03-10T08:02Z')::text, 'My son'), 0,
  'the other side sees only their own alias'
);
select throws_ok(
  'select alias_by_sender from kith.connections', '42501', null, 'the API''s role cannot read the other side''s alias from the table'
);
select throws_ok('select connection from kith.connections as connection', '42501', null, 'nor as part of the row');
select is(
  (select string_agg(alias, ' ') from internal.own_aliases), 'Mum', 'the view of aliases has only the user''s own'
);
select throws_ok(
  $$ select tests.alias('carol', '{"alias": "X"}', '2026-03-10T08:02Z') $$, 'KT404', 'not_found', 'somebody else cannot name them'
);
select tests.as_user('globex', 'globex-bob');
select throws_ok(
  $$ select api.update_connection(tests.id('alice-bob'), '{"alias": "X"}', '2026-03-10T08:02Z') $$, 'KT404', 'not_found',
  'nobody of another tenant can name them'
);
select is((select count(*) from internal.own_aliases where alias is not null), 0::bigint, 'nobody of another tenant sees an alias');

-- Which texts it may be.
select throws_ok(
  format($$ select tests.alias('bob', jsonb_build_object('alias', %L), '2026-03-10T08:03Z') $$, alias), 'KT422', 'validation_failed', label || ' is no alias'
)
from (values (e'Mum\u202Eecila', 'a text with a direction control'), (e'\u200B', 'an invisible text')) as texts (alias, label);
select throws_ok(
  $$ select tests.alias('bob', jsonb_build_object('alias', repeat('x', 101)), '2026-03-10T08:03Z') $$, '23514', null, 'an alias has at most 100 characters'
);

-- Notifications name the other side as their reader does.
select tests.as_superuser();
delete from kith.notifications;
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
select tests.tenant('acme'), on_date, tests.id('alice-bob'), gen_random_uuid(), tests.id('alice'), tests.id('bob'), status, on_date + time '09:00',
  on_date + time '10:30'
from (values (date '2026-03-10', 'due'), ('2026-03-11', 'scheduled')) as dates (on_date, status);
select tests.as_user('acme', 'alice');
select api.check_in(null, false, null, 'app', '2026-03-10T09:01Z') \g /dev/null
select tests.as_role('kith_worker');
select worker.announce_due_pings('2026-03-11T09:00Z', 10) \g /dev/null
select worker.miss_pings('2026-03-11T10:31Z', 10) \g /dev/null
select tests.as_user('acme', 'alice');
select api.check_in(null, false, null, 'app', '2026-03-11T10:32Z'), api.pause_connection(tests.id('alice-bob'), '2026-03-11T10:33Z'),
  api.resume_connection(tests.id('alice-bob'), '2026-03-11T10:34Z'),
  api.put_break('{"from": "2026-03-11", "until": "2026-03-12"}', '2026-03-11T10:35Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.bodies('bob'),
  'Mum checked in.; Mum has not checked in today.; Mum checked in late. They''re safe.; Mum has paused their connection with you; '
    || 'Mum has resumed their connection with you; Mum is taking a break until 12 March 2026.',
  'every notification to the receiver uses the alias'
);
update kith.tenants set requires_subscription = true where slug = 'acme';
update kith.receiver_profiles set subscription_status = 'canceled', subscription_expires_at = '2026-03-11T11:00Z' where user_id = tests.id('bob');
delete from kith.notifications;
select tests.as_role('kith_worker');
select worker.settle_subscriptions('2026-03-11T11:01Z', 10) \g /dev/null
select tests.as_user('acme', 'bob');
select api.remove_connection(tests.id('alice-bob'), '2026-03-11T11:02Z') \g /dev/null
select tests.as_superuser();
select is(
  tests.bodies('alice'),
  'Pings to My son stop on 25 March 2026 unless the subscription is renewed.; My son has removed your connection',
  'every notification to the sender uses the sender''s alias'
);
select is(tests.bodies('bob'), 'Pings to Bob stop on 25 March 2026 unless the subscription is renewed.', 'nobody is called by an alias to their face');

-- A removed connection.
select tests.as_user('acme', 'bob');
select throws_ok(
  $$ select tests.alias('bob', '{"alias": "X"}', '2026-03-11T11:03Z') $$, 'KT404', 'not_found', 'a removed connection cannot be named'
);
select is(
  api.export_me('connections', '2026-03-11T11:03Z') -> 'value' -> 0 ->> 'alias', 'Mum', 'the export contains the alias, also of a removed connection'
);
select tests.as_superuser();
update kith.tenants set requires_subscription = false where slug = 'acme';
select tests.as_user('acme', 'alice');
select is(
  api.create_connection('222222', '2026-03-11T11:04Z') -> 'body' ->> 'alias', 'My son', 'a reactivated connection has its alias again'
);

-- Taking it away, and the end of the account.
select is(tests.alias('alice', '{}', '2026-03-11T11:05Z') ->> 'alias', 'My son', 'a body without an alias changes nothing');
select is(tests.alias('alice', '{"alias": null}', '2026-03-11T11:05Z') ->> 'alias', null, 'null removes the alias');
select tests.as_superuser();
select is(
  (select concat_ws(' ', alias_by_sender, alias_by_receiver) from kith.connections where id = tests.id('alice-bob')), 'Mum', 'the other side''s alias stays'
);
select tests.alias('alice', '{"alias": "My son"}', '2026-03-11T11:06Z') \g /dev/null
select tests.as_user('acme', 'bob');
select api.delete_me(null, '2026-03-11T11:07Z') \g /dev/null
select tests.as_superuser();
select is(
  (select concat_ws(' ', alias_by_sender, alias_by_receiver) from kith.connections where id = tests.id('alice-bob')), '',
  'deleting an account clears what the user called others, and what others called the user'
);

select * from finish();
rollback;
