-- What people are told about a vault (V09, N24), and what each notification says that it is about (F08).
begin;
\ir people.sql
select plan(24);

create temporary table kept (name text primary key, id uuid);
grant all on kept to public;
create function tests.kept(p_name text) returns uuid language sql stable return (select id from kept where name = p_name);
-- What somebody was told since the last time this was asked.
create temporary table heard (id uuid);
create function tests.told(p_person text) returns text
  language sql
as $$
  with new as (
    select id, body from tests.notifications where user_id = tests.id(p_person) and id not in (select heard.id from heard)
  ), kept as (
    insert into heard select id from new
  )
  select string_agg(body, '; ' order by id) from new
$$;
create function tests.change(p_person text, p_body jsonb, p_at timestamptz) returns void
  language plpgsql
as $$
begin
  perform tests.as_user('acme', 'alice');
  perform api.update_nominee(tests.kept('papers'), tests.kept(p_person), p_body, p_at);
  perform tests.as_superuser();
end
$$;

-- Bob is a full nominee who may open the vault; Carol views it; Mallory waits for confirmation.
select tests.as_user('acme', 'alice');
insert into kept select 'papers', (api.create_vault('{"name": "Papers", "full_may_open": true, "require_confirmation": true}', '2026-03-10T08:00Z') ->> 'id')::uuid;
create temporary table invited as
select value -> 'nominee' as given
from json_array_elements(api.invite_nominees(
  tests.kept('papers'),
  '[{"name": "bob", "access_level": "full"}, {"name": "carol", "access_level": "view"}, {"name": "mallory", "access_level": "view"}]',
  'https://kith.example', '2026-03-10T08:01Z'
));
grant select on invited to public;
insert into kept select given ->> 'name', (given ->> 'id')::uuid from invited;
select api.accept_invitation((given #>> '{invitation,token}')::uuid, '2026-03-10T08:02Z')
from invited, lateral tests.as_user('acme', given ->> 'name') \g /dev/null
select tests.as_superuser();
select tests.told('alice'), tests.told('bob'), tests.told('carol'), tests.told('mallory') \g /dev/null

-- Changes of a nominee.
select tests.as_user('acme', 'alice');
select api.confirm_nominee(tests.kept('papers'), tests.kept(person), '2026-03-10T08:03Z') from unnest(array['bob', 'carol']) as person \g /dev/null
select tests.as_superuser();
select is(tests.told('bob'), 'Alice changed your access to Papers.', 'a nominee is told that they were confirmed');
select is(tests.told('mallory'), null, 'and nobody else is');
select tests.as_user('acme', 'alice');
select api.confirm_nominee(tests.kept('papers'), tests.kept('bob'), '2026-03-10T08:03Z') \g /dev/null
select tests.as_superuser();
select is(tests.told('bob'), null, 'confirming again tells nothing');
select tests.told('carol') \g /dev/null
select tests.change('carol', '{"status": "inactive"}', '2026-03-10T08:04Z');
select is(tests.told('carol'), 'Alice changed your access to Papers.', 'a nominee is told of a pause');
select tests.change('carol', '{"status": "accepted"}', '2026-03-10T08:05Z');
select is(tests.told('carol'), 'Alice changed your access to Papers.', 'and that it is over');
select tests.change('carol', '{"access_level": "edit"}', '2026-03-10T08:06Z');
select is(tests.told('carol'), 'Alice changed your access to Papers.', 'and of another level');
select tests.change('carol', '{"access_level": "edit", "status": "accepted"}', '2026-03-10T08:07Z');
select is(tests.told('carol'), null, 'but not of what was so before');
select is(
  (
    select internal.notification_data(type, data, null, null) - 'vault_id' - 'nominee_id' - 'user_id' - 'about' from kith.notifications
    where user_id = tests.id('carol') order by id desc limit 1
  ),
  '{"vault_name": "Papers", "status": "accepted", "access_level": "edit"}', 'the notification has the new status and level'
);
select tests.change('carol', jsonb_build_object('status', case n % 2 when 1 then 'inactive' else 'accepted' end), '2026-03-10T08:10Z'::timestamptz + n * interval '1 second')
from generate_series(1, 30) as n \g /dev/null
select is(
  (select count(*) from kith.notifications where user_id = tests.id('carol') and type = 'nominee_changed'), 20::bigint,
  'at most 20 changes an hour are told'
);
select tests.told('carol') \g /dev/null
insert into kith.blocks (tenant_id, user_id, blocked_id, created_at) values (tests.tenant('acme'), tests.id('bob'), tests.id('alice'), '2026-03-10T08:20Z');
select tests.change('bob', '{"access_level": "edit"}', '2026-03-10T08:20Z');
select is(tests.told('bob'), null, 'somebody who has blocked the owner is told nothing');
delete from kith.blocks;
select tests.change('bob', '{"access_level": "full"}', '2026-03-10T08:21Z');
select tests.told('bob') \g /dev/null

-- Opening and locking by a nominee.
select tests.as_user('acme', 'bob');
select api.open_vault(tests.kept('papers'), '2026-03-10T10:00Z') \g /dev/null
select tests.as_superuser();
select is(tests.told('alice'), 'Bob opened Papers.', 'the owner is told that a nominee opened the vault');
select is(tests.told('carol'), 'Bob opened Papers. You can enter now.', 'and so are the other nominees');
select is(tests.told('bob'), null, 'but not the nominee');
select tests.as_user('acme', 'bob');
select api.lock_vault(tests.kept('papers'), '2026-03-10T10:01Z') \g /dev/null
select tests.as_superuser();
select is(tests.told('alice'), 'Bob locked Papers.', 'the owner is told that a nominee locked it');
select tests.as_user('acme', 'alice');
select api.open_vault(tests.kept('papers'), '2026-03-10T10:02Z'), api.lock_vault(tests.kept('papers'), '2026-03-10T10:03Z') \g /dev/null
select tests.as_superuser();
select is(tests.told('alice'), null, 'an owner is not told of their own acts');
select tests.as_user('acme', 'bob');
select api.open_vault(tests.kept('papers'), '2026-03-10T10:04Z') \g /dev/null
select tests.as_role('kith_worker');
select worker.lock_expired_sessions('2026-03-10T12:00Z', 100) \g /dev/null
select tests.as_superuser();
select is(tests.told('alice'), 'Bob opened Papers.', 'nor of a session that ended by itself');
insert into kith.blocks (tenant_id, user_id, blocked_id, created_at) values (tests.tenant('acme'), tests.id('alice'), tests.id('bob'), '2026-03-10T08:20Z');
select tests.as_user('acme', 'bob');
select api.open_vault(tests.kept('papers'), '2026-03-10T13:00Z'), api.lock_vault(tests.kept('papers'), '2026-03-10T13:01Z') \g /dev/null
select tests.as_superuser();
select is(tests.told('alice'), null, 'nor by somebody whom they have blocked');
delete from kith.blocks;

-- What notifications are about.
select is(
  (
    select string_agg(distinct concat_ws(' ', type, case about ->> 'id' when tests.kept('papers')::text then 'papers' end), ', ')
    from kith.notifications, lateral (select internal.notification_data(type, data, null, null) -> 'about' as about) as shown
    where type in ('vault_opened', 'vault_locked') and about ->> 'type' = 'vault'
  ),
  'vault_locked papers, vault_opened papers', 'an opening is about the vault'
);
select is(
  (
    select string_agg(distinct concat_ws(' ', type, about ->> 'type', about ->> 'id' = any (array(select id::text from kept))), ', ')
    from kith.notifications, lateral (select internal.notification_data(type, data, null, null) -> 'about' as about) as shown
    where type like 'nominee%'
  ),
  'nominee_accepted nominee t, nominee_changed nominee t', 'a change of a nominee is about the nominee'
);
select is(
  internal.notification_data(type, data, null, null) -> 'about', about, format('%s is about %s', type, about ->> 'type')
)
from (values
  ('nominee_invited', '{"vault_id": 1, "nominee_id": 2}'::jsonb, '{"type": "invitation", "id": 2}'::jsonb),
  ('transfer_requested', '{"vault_id": 1, "transfer_id": 3}', '{"type": "invitation", "id": 3}'),
  ('message_received', '{"vault_id": 1, "nominee_id": 2, "message_id": 4}', '{"type": "conversation", "id": 2}'),
  ('ping_missed', '{"connection_id": 5, "ping_id": 6}', '{"type": "ping", "id": 6}')
) as given (type, data, about);
select tests.as_user('acme', 'alice');
select is(
  api.list_notifications(false, null, 1, null) #>> '{items,0,data,about,type}', 'vault', 'the list says it, and so does every place that shows a notification'
);

select * from finish();
rollback;
