-- Where something is that a notification names (api.place_of).
begin;
\ir people.sql
\ir alarm_house.sql
select plan(15);
\set now '''2026-03-10T08:00:00Z'''

select tests.as_user('acme', 'alice');
select api.create_vault('{"name": "Papers"}', :now) ->> 'id' as vault \gset
select api.invite_nominees(:'vault', '[{"name": "Bob", "access_level": "view"}]', 'https://kith.example', :now) as invited \gset
select tests.as_superuser();
select id as nominee from kith.nominees where vault_id = :'vault' \gset
update kith.nominees set user_id = tests.id('bob'), status = 'accepted', accepted_at = :now where id = :'nominee';

select tests.as_user('acme', 'alice');
select is(
  api.place_of('nominee', :'nominee')::jsonb,
  jsonb_build_object('vault_id', :'vault', 'nominee_id', :'nominee', 'is_owner', true, 'alarm_id', null),
  'an owner finds a nominee in the vault'
);
select is(api.place_of('conversation', :'nominee') ->> 'vault_id', :'vault', 'and the conversation');
select is(api.place_of('nominee', gen_random_uuid()) ->> 'vault_id', null, 'what does not exist is nowhere');
select is(api.place_of('unheard_of', :'nominee') ->> 'vault_id', null, 'a type of a newer server is nowhere');
select tests.as_user('acme', 'bob');
select is(api.place_of('conversation', :'nominee') ->> 'is_owner', 'false', 'the nominee finds it as well, and owns nothing');
select tests.as_user('acme', 'mallory');
select is(
  api.place_of('conversation', :'nominee')::jsonb, '{"vault_id": null, "nominee_id": null, "is_owner": null, "alarm_id": null}'::jsonb,
  'a stranger learns nothing'
);
select tests.as_user('globex', 'alice');
select is(api.place_of('nominee', :'nominee') ->> 'vault_id', null, 'nor does another tenant');
select tests.as_superuser();
update kith.nominees set status = 'revoked', revoked_at = :now where id = :'nominee';
select tests.as_user('acme', 'bob');
select is(api.place_of('conversation', :'nominee') ->> 'vault_id', null, 'after the end of the access it leads nowhere');
select tests.as_user('acme', 'alice');
select api.delete_vault(:'vault', :now) \g /dev/null
select is(api.place_of('nominee', :'nominee') ->> 'vault_id', null, 'nor does a deleted vault');

-- A missed ping leads its receiver to the alarm.
select tests.as_superuser();
select tests.miss('2026-03-02') \g /dev/null
select data ->> 'ping_id' as ping, data ->> 'alarm_id' as alarm from kith.notifications where type = 'ping_missed' and user_id = tests.id('bob') \gset
create function tests.alarm_of(p_tenant text, p_person text, p_ping uuid) returns text
  language plpgsql
as $$
declare
  v_alarm text;
begin
  perform tests.as_user(p_tenant, p_person);
  v_alarm := api.place_of('ping', p_ping) ->> 'alarm_id';
  perform tests.as_superuser();
  return v_alarm;
end
$$;
select is(tests.alarm_of('acme', 'bob', :'ping'), :'alarm', 'a receiver finds the alarm of a missed ping');
select is(tests.alarm_of('acme', 'alice', :'ping'), null, 'its sender does not, and checks in');
select is(tests.alarm_of('acme', 'carol', :'ping'), null, 'nor does somebody else, by a ping that is not theirs');
select is(tests.alarm_of('acme', 'bob', gen_random_uuid()), null, 'nor anybody by what is no ping');
update kith.alarm_receivers set left_at = '2026-03-02T11:00Z' where receiver_id = tests.id('bob');
select is(tests.alarm_of('acme', 'bob', :'ping'), null, 'nor a receiver who has left it');
update kith.alarm_receivers set left_at = null;
delete from kith.alarms;
select is(tests.alarm_of('acme', 'bob', :'ping'), null, 'nor a receiver once it is gone');

select * from finish();
rollback;
