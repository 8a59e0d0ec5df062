-- What is known of each type of message (internal.notification_types), and who may still hear it.
begin;
\ir people.sql
\ir planned_notifications.sql
select plan(28);

create temporary table kept (name text primary key, id uuid);
grant all on kept to public;
create function tests.kept(p_name text) returns uuid language sql stable return (select id from kept where name = p_name);

-- The list is where everything else reads it.
select is_empty(
  $$
    select index.relname, known.type
    from (values ('notifications_urgent'), ('notifications_unplanned')) as index (relname)
    cross join internal.notification_types() as known
    where (pg_get_expr((select indpred from pg_index where indexrelid = ('kith.' || index.relname)::regclass), 'kith.notifications'::regclass)
      like format('%%''%s''::text%%', known.type)) is distinct from ('first' = any (known.traits))
  $$,
  'the indexes of what is planned first have the same types'
);
select is_empty(
  $$
    select type, trait from internal.notification_types() as known, unnest(known.traits) as trait
    where trait <> all ('{breaks_through,urgent,must_reach,asks,answers,follows,first,reaches,stale,owed,as_miss}')
  $$,
  'no other trait means anything'
);
select is_empty(
  $$ select type, relation from internal.notification_types() where relation <> all ('{connection,vault,person}') $$, 'nor does another relation'
);
select is_empty(
  $$
    select type from internal.notification_types()
    where internal.is_alarm(type) is distinct from ('must_reach' = any (traits)) or internal.is_of_alarm(type) is distinct from ('first' = any (traits))
      or internal.is_spoken(type) is distinct from (traits && '{must_reach,asks}') or internal.escalates(type) is distinct from (traits && '{must_reach,asks,follows}')
      or internal.is_word_on_alarm(type) is distinct from ('follows' = any (traits)) or internal.asks_receiver(type) is distinct from ('answers' = any (traits)) or internal.reaches(type) is distinct from ('reaches' = any (traits)) or internal.is_stale(type) is distinct from ('stale' = any (traits)) or internal.is_owed(type) is distinct from ('owed' = any (traits))
      or internal.is_of_connection(type) is distinct from coalesce(relation = 'connection', false)
      or internal.is_of_vault(type) is distinct from coalesce(relation = 'vault', false) or internal.is_of_person(type) is distinct from coalesce(relation = 'person', false)
  $$,
  'the conditions are made of it'
);

-- Kith recalls a waiting message when the relation ends.
create function tests.reasons(p_reader text, p_person text, p_data jsonb default '{}') returns table (type text, relation text, reason text)
  language sql
as $$
  select known.type, known.relation, ended.reason
  from internal.notification_types() as known
  cross join lateral (
    select internal.ended_relation(tests.tenant('acme'), tests.id(p_reader), known.type, jsonb_build_object('user_id', tests.id(p_person)) || p_data) as reason
  ) as ended
  where known.relation is not null
$$;
select set_eq(
  $$ select reason from tests.reasons('bob', 'alice', jsonb_build_object('connection_id', tests.id('alice-bob'))) where relation <> 'vault' $$,
  array[null::text], 'what is about a connection is told while it stands'
);
savepoint connected;
update kith.connections set status = 'deleted', deleted_at = :now where id = tests.id('alice-bob');
select set_eq(
  $$
    select distinct reason from (
      select * from tests.reasons('bob', 'alice', jsonb_build_object('connection_id', tests.id('alice-bob')))
      union all select * from tests.reasons('alice', 'bob', jsonb_build_object('connection_id', tests.id('alice-bob'), 'to', 'sender'))
      union all select * from tests.reasons('bob', 'alice')
      union all select * from tests.reasons('bob', 'carol', jsonb_build_object('sender_connection_id', tests.id('alice-bob')))
    ) as told where relation = 'connection'
  $$,
  array['the connection has ended'], 'and not after it, to either side, nor about another receiver'
);
select set_eq(
  $$ select distinct reason from tests.reasons('bob', 'bob') where relation = 'connection' $$, array[null::text], 'what is about its reader stays'
);
select set_eq(
  $$ select distinct reason from tests.reasons('bob', 'alice', '{"outcome": "deleted"}') where relation <> 'vault' $$, array[null::text], 'so does that an alarm ended with it'
);
rollback to connected;
select tests.as_user('acme', 'alice');
select api.put_block(tests.id('bob'), :now) \g /dev/null
select tests.as_superuser();
select set_eq(
  $$ select distinct reason from tests.reasons('bob', 'alice', jsonb_build_object('connection_id', tests.id('alice-bob'))) where relation <> 'vault' $$,
  array['the connection has ended', 'who it is from has blocked its reader'], 'after a block nothing of the other side is told'
);
select set_eq(
  $$ select distinct reason from tests.reasons('alice', 'bob', jsonb_build_object('connection_id', tests.id('alice-bob'))) where relation <> 'vault' $$,
  array['the connection has ended', 'its reader has blocked who it is from'], 'to either side'
);
rollback to connected;
insert into kith.quiet_hours (tenant_id, user_id, starts_at, ends_at, updated_at) values (tests.tenant('acme'), tests.id('bob'), '12:00', '13:00', :now);
update kith.users set time_zone = 'UTC' where id = tests.id('bob');
select tests.tell(1, 'bob', 'break_ended') \g /dev/null
update kith.notifications set data = data || jsonb_build_object('user_id', tests.id('alice')) where id = tests.told(1);
select tests.plan_all() \g /dev/null
update kith.connections set status = 'deleted', deleted_at = '2026-03-10T12:10Z' where id = tests.id('alice-bob');
select tests.attempt('apns', 'sent', '2026-03-10T13:00Z'), tests.attempt('web_push', 'sent', '2026-03-10T13:00Z') \g /dev/null
select is(
  (select string_agg(distinct format('%s: %s', status, error), ', ') from kith.deliveries where notification_id = tests.told(1)),
  'dropped: the connection has ended', 'a message that quiet hours hold is recalled'
);
rollback to connected;

-- A nominee's part in a vault.
select tests.as_user('acme', 'alice');
insert into kept select 'vault', (api.create_vault('{"name": "Papers"}', :now) ->> 'id')::uuid;
insert into kept select 'nominee', (api.invite_nominees(
  tests.kept('vault'), '[{"name": "Bob", "email": "bob@example.org"}]', 'https://kith.example', :now) #>> '{0,nominee,id}')::uuid;
select tests.as_user('acme', 'bob');
select api.accept_own_invitation(tests.kept('nominee'), :now) \g /dev/null
select tests.as_superuser();
create function tests.of_vault(p_reader text) returns text[]
  language sql
as $$
  select array(
    select distinct reason from tests.reasons(p_reader, 'mallory', jsonb_build_object('user_id', null, 'vault_id', tests.kept('vault'))) where relation = 'vault'
  )
$$;
select is(
  array[tests.of_vault('alice'), tests.of_vault('bob'), tests.of_vault('carol')], array[array[null], array[null], array['its reader has no part in the vault any more']],
  'the owner and a nominee hear of their vault, and nobody else'
);
select tests.as_user('acme', 'alice');
select api.revoke_nominee(tests.kept('vault'), tests.kept('nominee'), :now) \g /dev/null
select tests.as_superuser();
select is(tests.of_vault('bob'), array['its reader has no part in the vault any more'], 'after the revocation neither does the nominee');
rollback to connected;

-- A held message follows its reader to another time zone.
insert into kith.quiet_hours (tenant_id, user_id, starts_at, ends_at, updated_at) values (tests.tenant('acme'), tests.id('bob'), '11:00', '20:00', :now);
update kith.users set time_zone = 'UTC' where id = tests.id('bob');
select tests.tell(1, 'bob', 'connection_accepted'), tests.plan_all() \g /dev/null
create function tests.held_until(p_zone text) returns text
  language plpgsql
as $$
begin
  perform tests.as_user('acme', 'bob');
  perform api.update_me(jsonb_build_object('time_zone', p_zone), '{}', '2026-03-10T12:05Z');
  perform tests.as_superuser();
  return (select string_agg(distinct to_char(next_attempt_at, 'HH24:MI'), ' ') from kith.deliveries where notification_id = tests.told(1));
end
$$;
select is(tests.held_until('Asia/Kolkata'), '14:30', 'what waits for eight in the evening waits for that of the new time zone');
select is(tests.held_until('America/New_York'), '12:05', 'and is sent at once where it is day');
rollback to connected;

-- The end of an alarm leaves a channel that fails.
select tests.tell(1, 'bob', 'ping_all_clear') \g /dev/null
select tests.plan_all() \g /dev/null
select tests.attempt('apns', 'failed', '2026-03-10T12:00:05Z', 'Unregistered'), tests.attempt('web_push', 'failed', '2026-03-10T12:00:05Z', 'gone')
\g /dev/null
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at) values (tests.tenant('acme'), 'sms', '{}', '\x00', :now, :now);
select tests.plan_all('2026-03-10T12:00:06Z') \g /dev/null
select is(
  tests.ways(1), 'apns bobs-phone failed, email bob@example.org queued, sms +4915100000002 queued, web_push https://push.example/bob failed',
  'the end of an alarm goes out on the other channels at once'
);

-- A worker that was away for days.
rollback to connected;
create function tests.after(p_days interval) returns text
  language plpgsql
as $$
begin
  delete from kith.deliveries;
  delete from kith.notifications;
  insert into kith.notifications (tenant_id, id, user_id, type, body, data, created_at)
  select tests.tenant('acme'), tests.told(n), tests.id('bob'), type, 'Body', jsonb_build_object('date', '2026-03-10'), '2026-03-10T12:00Z'
  from internal.notification_types()
  where deadline_key is null;
  perform tests.plan_all('2026-03-10T12:00Z'::timestamptz + p_days);
  return (
    select string_agg(note.type, ' ' order by note.id) from kith.notifications as note
    where not exists (select from kith.deliveries as delivery where delivery.notification_id = note.id and delivery.status = 'queued')
  );
end
$$;
select is(tests.after('0 days'), null, 'everything is planned at once');
select is(
  tests.after('4 days'), 'ping_due ping_reminder ping_completed',
  'after four days everything but a question whose time is over, and that somebody was safe'
);
select is(array_length(string_to_array(tests.after('9 days'), ' '), 1), (select count(*)::integer from kith.notifications), 'after nine days nothing');

-- A message that nobody would repeat finds another channel.
rollback to connected;
create function tests.way_of(p_type text, p_chosen text[] default null) returns text
  language plpgsql
as $$
begin
  delete from kith.deliveries;
  delete from kith.notifications;
  delete from kith.notification_preferences;
  if p_chosen is not null then
    insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
    values (tests.tenant('acme'), tests.id('bob'), p_type, p_chosen, '2026-03-10Z');
  end if;
  perform tests.tell(1, 'bob', p_type), tests.plan_all();
  return (select string_agg(channel, ' ' order by channel) from kith.deliveries);
end
$$;
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
select tests.tenant('acme'), channel, '{}', '\x00', :now, :now from unnest(array['sms', 'voice']) as channel;
delete from kith.devices where user_id = tests.id('bob') and platform = 'web';
select is(tests.way_of('connection_removed'), 'apns', 'that a connection has ended comes by push');
delete from kith.devices where user_id = tests.id('bob');
select is(tests.way_of('connection_removed'), 'email', 'by e-mail without a device');
update kith.users set email_verified_at = null where id = tests.id('bob');
select is(tests.way_of('connection_removed'), 'sms', 'and as a text message to whoever has a phone alone');
select is(tests.way_of('connection_removed', '{email}'), 'sms', 'whatever channels they wish for');
select is(tests.way_of('connection_removed', '{}'), null, 'but not to whoever has turned it off');
select is(tests.way_of('connection_accepted'), null, 'and not what can wait for the app');
delete from kith.channel_credentials where channel = 'sms';
select is(tests.way_of('connection_removed'), null, 'nobody is called for it');
select is(tests.way_of('ping_all_clear'), 'voice', 'but for the end of an alarm, where nothing else is left');
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at) values (tests.tenant('acme'), 'sms', '{}', '\x00', :now, :now);
select is(tests.way_of('ping_all_clear'), 'sms', 'a text message is quieter');
select * from finish();
rollback;
