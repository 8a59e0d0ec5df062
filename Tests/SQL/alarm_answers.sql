-- How receivers act in an alarm from its message: by a link, by "1" and "2" in a text message, and by the keys of a call (K11, K00).
begin;
\ir people.sql
\ir alarm_house.sql
select plan(163);

create function tests.text(p_key text, p_now timestamptz, p_person text default 'bob', p_id text default null) returns text
  language plpgsql
as $$
declare
  v_answer json;
begin
  perform tests.as_role('kith_api');
  v_answer := api.receive_text(
    tests.tenant('acme'), array(select sha256(convert_to(id, 'UTF8')) from string_to_table(p_id, ' ') as id), tests.phone(p_person),
    case p_key
      when '1' then '{"en": "one", "de": "one"}' when '2' then '{"en": "two", "de": "two"}' when 'SOS' then '{"en": "help"}' when 'OK' then '{"en": "check_in"}' else '{}'
    end::jsonb, p_now
  );
  perform tests.as_superuser();
  return v_answer ->> 'outcome';
exception when others then
  perform tests.as_superuser();
  return sqlerrm;
end
$$;
create function tests.phone(p_person text) returns text
  language sql immutable
  return '+4915112345' || case p_person when 'alice' then '671' when 'bob' then '672' when 'carol' then '673' else '674' end;
create function tests.reply(p_person text default 'bob') returns text
  language sql
as $$
  select replace(message.body, coalesce(tests.alarm_id()::text, 'none'), 'ID')
  from (
    select tenant_id, id, created_at from kith.deliveries
    where purpose = 'answer' and address = tests.phone(p_person)
    order by created_at desc, id desc
    limit 1
  ) as reply
  cross join lateral internal.messages_of_deliveries(array[reply.tenant_id], array[reply.id], reply.created_at) as message
$$;
-- A text message has reached a person with the newest notification that asks them to look after somebody.
create function tests.texted(p_person text, p_at timestamptz) returns void
  language sql
as $$
  insert into kith.deliveries (tenant_id, id, channel, purpose, address, notification_id, is_urgent, status, sent_at, next_attempt_at, expires_at, created_at, offers_keys)
  select note.tenant_id, internal.uuid7(p_at), 'sms', 'notification', tests.phone(p_person), note.id, true, 'sent', p_at, p_at, p_at + interval '90 minutes', p_at,
    true
  from kith.notifications as note
  where note.user_id = tests.id(p_person) and internal.answers_alarm(note.type, note.data)
  order by note.created_at desc, note.id desc
  limit 1
$$;
create function tests.keep(p_token text, p_alarm uuid, p_person text) returns void
  language plpgsql
as $$
begin
  perform tests.as_role('kith_worker');
  perform worker.keep_alarm_links(
    array[tests.tenant('acme')], array[p_alarm], array[tests.id(p_person)], array[sha256(convert_to(p_token, 'UTF8'))], 'email', '2026-03-02T10:31Z'
  );
  perform tests.as_superuser();
end
$$;
create function tests.page(p_token text, p_now timestamptz, p_action text default null, p_seen_at timestamptz default null) returns jsonb
  language plpgsql
as $$
declare
  v_answer jsonb;
  v_hash bytea := sha256(convert_to(p_token, 'UTF8'));
begin
  perform tests.as_role('kith_api');
  if p_action is null then
    v_answer := api.alarm_page(tests.tenant('acme'), v_hash, p_now);
  else
    v_answer := api.use_alarm_link(tests.tenant('acme'), v_hash, p_action, p_seen_at, p_now);
  end if;
  perform tests.as_superuser();
  return v_answer;
exception when others then
  perform tests.as_superuser();
  return to_jsonb(sqlerrm);
end
$$;
create function tests.call(p_key text, p_now timestamptz, p_id text default 'CA1', p_unheard text default null) returns json
  language plpgsql
as $$
declare
  v_answer json;
begin
  perform tests.as_role('kith_api');
  v_answer := api.receive_call(
    tests.tenant('acme'), '0d000000-0000-7000-8000-000000000001',
    array(select sha256(convert_to(id, 'UTF8')) from unnest(array[p_id, p_id || ' bound', concat(p_id, p_key)]) as id), p_key, p_unheard, false, p_now
  );
  perform tests.as_superuser();
  return v_answer;
exception when others then
  perform tests.as_superuser();
  return to_json(sqlerrm);
end
$$;
create function tests.status(p_now timestamptz) returns text
  language sql
  return tests.alarm(p_now) ->> 'status';

update kith.users set phone = tests.phone(person), phone_verified_at = '2026-01-05T08:00Z'
from unnest(array['alice', 'bob', 'carol', 'mallory']) as person
where tenant_id = tests.tenant('acme') and id = tests.id(person);
update kith.users set display_name = 'Alice Example' where id = tests.id('alice');
select tests.miss('2026-03-02') \g /dev/null
savepoint missed;

-- The messages.
insert into kith.deliveries (tenant_id, id, channel, purpose, address, notification_id, is_urgent, status, next_attempt_at, expires_at, created_at)
select note.tenant_id, gen_random_uuid(), channel.name, 'notification', tests.phone('bob'), note.id, true, 'queued', '2026-03-02T10:31Z',
  '2026-03-02T12:00Z', '2026-03-02T10:31Z'
from kith.notifications as note
cross join unnest(array['sms', 'email', 'voice']) as channel (name)
where note.user_id = tests.id('bob') and note.type = 'ping_missed';
create function tests.message(p_channel text) returns text
  language plpgsql
as $$
declare
  v_message record;
begin
  perform tests.as_role('kith_worker');
  select * into v_message from worker.claim_deliveries('2026-03-02T10:31Z', p_channel, 10, 10, null, '{}', '{}', 'one');
  perform tests.as_superuser();
  return replace(concat_ws(' / ', v_message.body, v_message.link_user_id = tests.id('bob'), v_message.link_alarms::text), tests.alarm_id()::text, 'ID');
end
$$;
select is(
  tests.message('sms'), 'PRUUF: Alice Example has not checked in today. To look after it, tap {link:ID} / t / {ID}',
  'a text message about an alarm has a link for its reader'
);
select is(
  tests.message('email'),
  e'Alice Example has not checked in today.\n\nSay that you’re looking after it, or that you reached them and all is well, without signing in: {link:ID} / t / {ID}',
  'and so has an e-mail'
);
insert into kith.channel_credentials (tenant_id, channel, sealed, summary, inbound_token, created_at, updated_at)
values (tests.tenant('acme'), 'voice', '\x00', '{"inbound": {}, "callback_field": "Url"}', '2000000001-v', '2026-03-01Z', '2026-03-01Z');
select is(
  tests.message('voice'),
  'This is PRUUF. Alice Example has not checked in today. Press 1 if you are looking after it. Press 2 if you have reached them and they are safe.',
  'a call has two keys'
);
insert into kith.channel_credentials (tenant_id, channel, sealed, summary, inbound_token, created_at, updated_at)
values (tests.tenant('acme'), 'sms', '\x00', '{"inbound": {}}', '2000000001-x', '2026-03-01Z', '2026-03-01Z');
update kith.deliveries set status = 'queued', next_attempt_at = '2026-03-02T10:31Z', leased_until = null, leased_by = null
where channel = 'sms';
select matches(tests.message('sms'), 'today\. Reply 1 = I''m looking after it, 2 = reached, all well, or tap \{link:ID\}', 'where answers are taken, the text says so');
rollback to missed;

-- A link.
select tests.keep('bob', tests.alarm_id(), 'bob') \g /dev/null
select tests.keep('bob', tests.alarm_id(), 'bob') \g /dev/null
select tests.keep('carol', tests.alarm_id(), 'carol') \g /dev/null
select tests.keep('mallory', tests.alarm_id(), 'mallory') \g /dev/null
select is((select count(*) from kith.alarm_links), 2::bigint, 'only those whom the alarm concerns have a link');
create function tests.shown(p_person text, p_now timestamptz) returns text
  language sql
as $$
  select (tests.page(p_person, p_now) - array['tenant_id', 'slug', 'wording', 'locale', 'time_zone', 'phone', 'id', 'state', 'opened_at'])::text
$$;
select is(
  tests.shown('bob', '2026-03-02T10:40Z'),
  '{"call": null, "kind": "missed", "words": null, "is_open": true, "is_taken": false, "last_sign": null, "brand_mark": null, "brand_name": "PRUUF", "first_name": "Alice", "brand_color": null, "taken_by_me": false, "declined_by_me": false, "last_check_in_at": null, "last_check_in_source": null}',
  'the page has the first name, and nothing of anybody else'
);
select is(
  tests.page('bob', '2026-03-02T10:40Z') -> 'state' ->> 'text' || ' ' || (tests.page('bob', '2026-03-02T10:40Z') -> 'state' ->> 'detail'),
  'Alice has not checked in. Nobody is looking after Alice yet.', 'it says what the alarm says, by the first name'
);
savepoint shares;
update kith.sender_profiles set share_phone = true, last_check_in_at = '2026-03-01T09:20Z', last_source = 'sms' where user_id = tests.id('alice');
insert into kith.signs (tenant_id, id, user_id, token_hash, name, kind, last_used_at, created_at)
values (tests.tenant('acme'), internal.uuid7('2026-03-01Z'), tests.id('alice'), sha256('kettle'), 'Kettle', 'activity', '2026-03-02T07:00Z', '2026-03-01Z');
select is(
  tests.page('bob', '2026-03-02T10:40Z') ->> 'last_sign', null, 'not what the sender does not share'
);
update kith.connections set activity_shared_since = '2026-03-01Z' where id = tests.id('alice-bob');
select is(
  (select concat_ws(' ', page -> 'call' ->> 'phone', page ->> 'last_check_in_at', page ->> 'last_check_in_source', page -> 'last_sign' ->> 'name')
    from tests.page('bob', '2026-03-02T10:40Z') as page),
  '+4915112345671 2026-03-01T09:20:00.000000Z sms Kettle', 'what a receiver may know of the sender: their number, and the last signs of life (K11)'
);
update kith.connections set status = 'paused' where id = tests.id('alice-bob');
select is(
  (select concat_ws(' ', page -> 'call' ->> 'phone', page ->> 'last_check_in_at', page -> 'last_sign' ->> 'name') from tests.page('bob', '2026-03-02T10:40Z') as page),
  '', 'and nothing of it after a pause'
);
rollback to shares;
select is(tests.page('mallory', '2026-03-02T10:40Z'), '"not_found"', 'nobody else has a page');
select is(tests.status('2026-03-02T10:40Z'), 'open', 'showing it changes nothing');
select is(tests.page('bob', '2026-03-02T10:40Z', 'take') ->> 'done', 'take', 'a button takes it');
select is(tests.alarm('2026-03-02T10:41Z') -> 'taken_by' ->> 'display_name', 'Bob', 'for that receiver');
select is(tests.told('alarm_taken'), 'Alice Example, Carol', 'everybody else is told');
select is(tests.page('bob', '2026-03-02T10:40:30Z', 'take') ->> 'done', 'take', 'a form that is sent twice is one');
select is((select count(*) from kith.alarm_entries where kind = 'still_on_it'), 0::bigint, 'and adds nothing to the timeline');
select is(
  tests.page('bob', '2026-03-02T10:45Z', 'take') -> 'state' ->> 'detail',
  'You are looking after Alice, until 11:15. Then we ask whether you still are.', 'later it begins the time anew'
);
select is(tests.page('carol', '2026-03-02T10:46Z') ->> 'is_taken', 'true', 'others see that somebody has it');
select is(
  tests.page('carol', '2026-03-02T10:46Z') -> 'state' ->> 'detail', 'Somebody is looking after Alice, since 10:40: another receiver.',
  'but not who, if they do not know each other'
);
select is(tests.page('carol', '2026-03-02T10:46Z', 'take') -> 'done', null, 'they cannot take it');
select is(tests.alarm('2026-03-02T10:47Z') -> 'taken_by' ->> 'display_name', 'Bob', 'it stays taken by the first');
savepoint read_before;
update kith.alarms set called_at = '2026-03-02T10:46:30Z' where id = tests.alarm_id();
select is(
  tests.page('carol', '2026-03-02T10:47Z', 'safe', '2026-03-02T10:46Z') ->> 'called_again', 'true',
  'nobody says so by a page from before the sender called for help again'
);
rollback to read_before;
select is(tests.page('carol', '2026-03-02T10:47Z', 'safe', '2026-03-02T10:46Z') ->> 'done', 'safe', 'who reached the sender can say so');
select is(tests.page('carol', '2026-03-02T10:47:01Z', 'safe') ->> 'done', 'safe', 'a second press reads what the first has done');
select is(tests.page('carol', '2026-03-02T10:47:30Z') ->> 'done', 'safe', 'and so does the page');
select is(tests.body('alice', 'alarm_resolved'), 'Carol told the others that you''re safe.', 'and everybody learns who said it');
select is(
  tests.shown('bob', '2026-03-02T10:48Z'),
  '{"is_open": false, "brand_mark": null, "brand_name": "PRUUF", "brand_color": null}', 'then no link of the alarm is good, and none has a name'
);
select is(tests.page('bob', '2026-03-02T10:48Z', 'take') -> 'done', null, 'nor does it anything');
select is((select status from kith.pings where connection_id = tests.id('alice-bob')), 'missed', 'no ping has changed');
select is(tests.act('bob', 'reopen', '2026-03-02T10:49Z') ->> 'status', 'open', 'opened again');
select is(tests.page('carol', '2026-03-02T10:50Z') ->> 'is_open', 'true', 'the links are good again');
select is(tests.answer('update kith.connections set always_care_card = true', 'bob', format($$tests.page('bob', '2026-03-02T10:50Z') ? 'location'$$)), 'false', 'and never have a place');
savepoint turns;
select is(tests.page('bob', '2026-03-02T10:51Z', 'release') ->> 'declined_by_me', 'true', 'a receiver says that they can''t');
select is(tests.page('bob', '2026-03-02T10:51:01Z', 'release') ->> 'done', 'release', 'a second press finds it said');
select is((select count(*) from kith.alarm_entries where kind = 'declined'), 1::bigint, 'and says nothing more');
select is((select count(*) from kith.notifications where created_at between '2026-03-02T10:51Z' and '2026-03-02T10:51:30Z'), 0::bigint, 'nobody is woken by it');
select is(tests.page('bob', '2026-03-02T10:52Z', 'take') ->> 'taken_by_me', 'true', 'they can after all');
select is(tests.page('carol', '2026-03-02T10:53Z', 'release') ->> 'is_taken', 'true', 'nobody gives back what somebody else has');
select is((select count(*) from kith.alarm_entries where kind = 'declined'), 1::bigint, 'nor declines what nobody asks of them');
select is(tests.page('bob', '2026-03-02T10:54Z', 'release') ->> 'is_taken', 'false', 'the taker gives it back');
select is(tests.page('bob', '2026-03-02T10:54:01Z', 'release') ->> 'declined_by_me', 'true', 'a second press finds it given back');
select is((select count(*) from kith.alarm_entries where kind in ('declined', 'released')), 2::bigint, 'and adds nothing');
select tests.help('alice', '2026-03-02T10:55Z', 'I fell') \g /dev/null
select is(tests.page('bob', '2026-03-02T10:56Z') ->> 'declined_by_me', 'false', 'a call for help asks everybody anew');
select is(tests.page('bob', '2026-03-02T10:56Z') ->> 'words', 'I fell', 'the page has what the sender wrote in it');
select is(tests.page('carol', '2026-03-02T10:57Z', 'help_called') ->> 'done', 'help_called', 'who has called the emergency number says so');
select is(tests.alarm('2026-03-02T10:57Z') ->> 'outcome', 'help_called', 'and the alarm is over');
select is(tests.page('carol', '2026-03-02T10:58Z') ->> 'done', 'help_called', 'a later visit finds what was said');
rollback to turns;
select is(tests.page('bob', '2026-03-10T00:00Z') ->> 'is_open', 'false', 'after 7 days the alarm has ended');
select is(tests.page('bob', '2026-03-10T00:00Z', 'safe') -> 'done', null, 'and nothing can be said of it');
rollback to missed;

-- Whoever leaves has no link.
select tests.keep('bob', tests.alarm_id(), 'bob') \g /dev/null
savepoint linked;
select tests.as_user('acme', 'alice') \g /dev/null
select api.remove_connection(tests.id('alice-bob'), '2026-03-02T10:40Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.page('bob', '2026-03-02T10:41Z') ->> 'is_open', 'false', 'a link ends with the connection');
select is(tests.page('bob', '2026-03-02T10:41Z', 'safe') -> 'done', null, 'and can end nothing');
select is(tests.text('1', '2026-03-02T10:42Z'), 'check_in', 'nor does "1" take the alarm');
rollback to linked;
select tests.texted('bob', '2026-03-02T10:31Z');
select tests.as_user('acme', 'alice') \g /dev/null
select api.remove_connection(tests.id('alice-bob'), '2026-03-02T10:40Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(
  concat_ws(' ', tests.text('1', '2026-03-02T10:42Z'), tests.reply()), 'several This alarm is over.',
  'who answers the text message about it learns that it is over, and has not checked in'
);
rollback to linked;
select tests.as_user('acme', 'alice') \g /dev/null
select api.put_block(tests.id('bob'), '2026-03-02T10:40Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is(tests.page('bob', '2026-03-02T10:41Z') ->> 'is_open', 'false', 'a block ends it');
rollback to linked;
update kith.users set deleted_at = '2026-03-02T10:40Z', phone = null, phone_verified_at = null where id = tests.id('bob');
select is(tests.page('bob', '2026-03-02T10:41Z'), '"not_found"', 'and so does the end of the account');
rollback to linked;
update kith.tenants set status = 'suspended', suspended_at = '2026-03-02T10:00Z' where tenant_id = tests.tenant('acme');
select is(tests.page('bob', '2026-03-02T10:41Z', 'take') ->> 'done', 'take', 'a suspension of the tenant does not');
rollback to linked;
insert into kith.act_counts (tenant_id, actor_id, act, counted_on, acts) values (tests.tenant('acme'), tests.id('bob'), 'alarm', '2026-03-02', 200);
select is(tests.page('bob', '2026-03-02T10:41Z', 'take') ->> 'done', 'take', '200 acts in alarms in a day keep nobody from taking one');
select is(tests.page('bob', '2026-03-02T10:42Z', 'safe') ->> 'done', 'safe', 'or from ending it');
rollback to linked;
select set_config('kith.tenant_id', tests.tenant('acme')::text, true) \g /dev/null
select internal.set_contacts(person, '{"phone": "+4915112349999"}', '2026-03-02T10:40Z') from kith.users as person where id = tests.id('bob') \g /dev/null
select is(tests.page('bob', '2026-03-02T10:41Z'), '"not_found"', 'another phone ends the link: whoever has the old one acts in no alarm');
rollback to missed;
insert into kith.act_counts (tenant_id, actor_id, act, counted_on, acts) values (tests.tenant('acme'), tests.id('bob'), 'alarm', '2026-03-02', 200);
select tests.texted('bob', '2026-03-02T10:31Z') \g /dev/null
select is(tests.text('1', '2026-03-02T10:40Z', p_id => 'SM1'), 'take', 'nor does any number of acts keep a text from taking one');
rollback to missed;

-- Texts of a receiver who was told of one alarm.
select is(tests.text('2', '2026-03-02T10:39Z'), 'several', 'of an alarm of which no text message told, "2" says nothing');
select is(
  tests.reply(), 'Your answer can mean more than one thing, so it changed nothing. Please use the link. Nobody is looking after Alice yet: {link:ID}', 'the reply has its link'
);
select is(tests.status('2026-03-02T10:39Z'), 'open', 'and the alarm goes on');
update kith.deliveries set status = 'sent', sent_at = '2026-03-02T10:39:10Z' where purpose = 'answer';
select is(tests.text('1', '2026-03-02T10:39:30Z'), 'several', 'nor does "1" once the reply with its link has arrived: it offered none of these');
rollback to missed;
select tests.texted('bob', '2026-03-02T10:31Z'), tests.texted('carol', '2026-03-02T10:31Z') \g /dev/null
select is(tests.text('1', '2026-03-02T10:40Z', p_id => 'SM1'), 'take', '"1" takes the alarm');
select is(tests.alarm('2026-03-02T10:40Z') -> 'taken_by' ->> 'display_name', 'Bob', 'for the sender of the text');
select is(tests.reply(), 'Thank you. You are looking after Alice Example. The others are being told.', 'who is told so');
select is(
  (select replace(body, tests.alarm_id()::text, 'ID') from kith.deliveries where purpose = 'answer'),
  'Thank you. You are looking after {name:ID}. The others are being told.', 'the outbox has no name'
);
select is(tests.text('1', '2026-03-02T10:40Z', p_id => 'SM1'), 'repeated', 'a repeat of the message');
select is((select count(*) from kith.alarm_entries where kind in ('taken', 'still_on_it')), 1::bigint, 'does nothing');
select is(tests.text('1', '2026-03-02T10:41Z', 'carol'), 'several', 'the second changes nothing');
select is(tests.reply('carol'), 'Another receiver is looking after it.', 'is told that somebody has it');
select is(tests.alarm('2026-03-02T10:41Z') -> 'taken_by' ->> 'display_name', 'Bob', 'and does not take it over');
insert into kith.alarm_plans (tenant_id, user_id, after_minutes, repeat_minutes, take_minutes, answer_minutes, receivers_know_each_other, updated_at)
values (tests.tenant('acme'), tests.id('alice'), '{0}', '{30}', 30, 30, true, '2026-03-01Z');
select is(tests.text('1', '2026-03-02T10:42Z', 'carol'), 'several', 'where receivers know each other');
select is(tests.reply('carol'), 'Bob is looking after it.', 'they read the name');
update kith.users set locale = 'de' where id = tests.id('carol');
select is(tests.text('2', '2026-03-02T10:43Z', 'carol'), 'safe', '"2" says that the sender is safe');
select is(
  tests.reply('carol'), 'Danke. Alle, die benachrichtigt wurden, erfahren jetzt, dass bei Alice Example alles in Ordnung ist.',
  'the reply is in the reader''s language'
);
select is(tests.alarm('2026-03-02T10:43Z') ->> 'outcome', 'safe', 'the alarm is over');
select is(concat_ws(' ', tests.text('2', '2026-03-02T10:44Z'), tests.reply()), 'several This alarm is over.', 'after that, "2" answers that it is over');
select is(concat_ws(' ', tests.text('1', '2026-03-02T10:44:30Z'), tests.reply()), 'several This alarm is over.', 'and so does a late "1"');
select is((select count(*) from kith.check_ins where user_id = tests.id('bob')), 0::bigint, 'which is no check-in of its writer');
select is(tests.text('1', '2026-03-02T13:44Z'), 'check_in', 'three hours later "1" is one');
select is(tests.text('1', '2026-03-02T10:44Z', 'mallory'), 'check_in', 'a stranger to the alarm does nothing in it');
rollback to missed;

-- An erased person's name is in no reply, sent or not (A04).
select tests.texted('bob', '2026-03-02T10:31Z') \g /dev/null
select is(tests.text('1', '2026-03-02T10:40Z'), 'take', 'a receiver takes an alarm whose sender then deletes their account');
select tests.as_server('acme');
select api.delete_user(tests.id('alice'), null, '2026-03-02T10:40:01Z') \g /dev/null
select tests.as_superuser();
select is_empty($$ select body from kith.deliveries where body ~ 'Alice|Example' $$, 'the outbox keeps no name');
select is(tests.reply(), 'Thank you. You are looking after Someone. The others are being told.', 'and what is still to be sent has none');
rollback to missed;

-- One's own question comes first.
select is(tests.text('2', '2026-03-02T10:40Z', 'alice'), 'not_understood', 'a sender''s "2" is nothing');
select is(tests.text('1', '2026-03-02T10:40Z', 'alice'), 'check_in', 'and "1" their sign of life');
select is(tests.alarm('2026-03-02T10:40Z') ->> 'outcome', 'checked_in', 'which ends their alarm');
rollback to missed;
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at)
values (tests.tenant('acme'), '2026-03-02', gen_random_uuid(), gen_random_uuid(), tests.id('bob'), tests.id('carol'), 'due', '2026-03-02T10:00Z', '2026-03-02T11:30Z');
insert into kith.sender_profiles (tenant_id, user_id, time_zone, ping_time, grace_minutes, reminder_minutes, timed_at, created_at, updated_at)
values (tests.tenant('acme'), tests.id('bob'), 'UTC', '10:00', 90, 15, '2026-01-05Z', '2026-01-05Z', '2026-01-05Z');
select is(tests.text('2', '2026-03-02T10:40Z'), 'several', 'from a receiver with a ping of their own, "2" is nothing');
select is(tests.status('2026-03-02T10:40Z'), 'open', 'the alarm goes on');
select is(
  tests.reply(), 'Your answer can mean more than one thing, so it changed nothing. Please use the link. Nobody is looking after Alice yet: {link:ID}',
  'the reply has the link'
);
select is(tests.text('1', '2026-03-02T10:41Z'), 'check_in', '"1" is their own check-in');
select is(tests.reply(), 'That counts as your own sign of life. Nobody is looking after Alice yet: {link:ID}', 'and the alarm is answered by its link');
update kith.pings set status = 'completed', completed_at = '2026-03-02T10:41Z' where sender_id = tests.id('bob');
select tests.texted('bob', '2026-03-02T10:31Z') \g /dev/null
select is(tests.text('1', '2026-03-02T10:42Z'), 'check_in', 'and so is a second "1" before the deadline');
select is(tests.status('2026-03-02T10:42Z'), 'open', 'which takes nothing');
select is(tests.text('1', '2026-03-02T11:31Z'), 'take', 'after the deadline it takes the alarm');
rollback to missed;

-- Two alarms: no answer may be about the wrong one.
insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
values (tests.tenant('acme'), '0c000000-0000-7000-8000-000000000009', tests.id('mallory'), tests.id('bob'), 'active', tests.id('bob'),
  '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z');
select tests.texted('bob', '2026-03-02T10:31Z') \g /dev/null
savepoint one_text;
select tests.check_in('alice', '2026-03-02T10:39:30Z') \g /dev/null
select tests.help('mallory', '2026-03-02T10:39:40Z') \g /dev/null
select is(tests.text('2', '2026-03-02T10:40Z'), 'several', 'a "2" about an alarm that has just ended');
select is((select resolved_at from kith.alarms where sender_id = tests.id('mallory')), null, 'ends none of which its writer has not been told by text');
select matches(tests.reply(), 'This alarm is over\. Nobody is looking after Mallory yet: \{link:ID\}', 'the reply says that it is over, and has the link of the other');
select is(concat(tests.text('1', '2026-03-02T10:40:30Z'), (select taken_at from kith.alarms where sender_id = tests.id('mallory'))), 'several', 'nor does "1" take it');
select tests.texted('bob', '2026-03-02T10:41Z') \g /dev/null
select is(tests.text('2', '2026-03-02T10:42Z'), 'several', 'once the text about the other has come too, nobody guesses which is meant');
select is(tests.text('2', '2026-03-02T10:44:30Z'), 'safe', 'after some minutes, the answer is about the one that is open');
rollback to one_text;
select tests.help('mallory', '2026-03-02T10:39Z') \g /dev/null
select tests.texted('bob', '2026-03-02T10:39:10Z') \g /dev/null
select is(tests.text('2', '2026-03-02T10:40Z'), 'several', 'of two alarms "2" ends none');
select is(tests.text('1', '2026-03-02T10:40Z'), 'several', 'and "1" takes none');
select is((select count(*) from kith.alarms where resolved_at is null and taken_at is null), 2::bigint, 'both are open');
select matches(tests.reply(), 'Mallory yet: \{link:ID\} Nobody is looking after Alice yet: \{link:', 'the reply has both links');
select is(
  (
    select count(*) from internal.messages_of_deliveries(
      array[tests.tenant('acme')], array(select id from kith.deliveries where purpose = 'answer' order by id desc limit 1), '2026-03-02T10:40Z'
    ) as message
    where cardinality(message.link_alarms) = 2 and message.link_user_id = tests.id('bob')
  ), 1::bigint, 'which the worker makes for that receiver'
);
rollback to missed;

-- "2" is about what its writer has read: not about a call for help since, and not about another day.
select tests.texted('bob', '2026-03-02T10:31Z') \g /dev/null
select tests.help('alice', '2026-03-02T10:39:55Z', 'I fell') \g /dev/null
select is(tests.text('2', '2026-03-02T10:40Z'), 'several', 'a "2" about a miss whose sender has called for help since');
select is(tests.status('2026-03-02T10:40Z'), 'open', 'does not end the call');
select is(
  tests.reply(),
  'Alice Example has called for help or missed another check-in since that message. Your answer changed nothing. Nobody is looking after Alice yet: {link:ID}',
  'and its writer learns of it'
);
select tests.texted('bob', '2026-03-02T10:41Z') \g /dev/null
select is(tests.text('2', '2026-03-02T10:42Z'), 'safe', 'after the text message about the call');
select is(tests.alarm('2026-03-02T10:42Z') ->> 'outcome', 'safe', '"2" ends it');
rollback to missed;
select tests.texted('bob', '2026-03-02T10:31Z') \g /dev/null
select tests.keep('bob', tests.alarm_id(), 'bob') \g /dev/null
select tests.miss('2026-03-03') \g /dev/null
savepoint two_days;
select tests.text('2', '2026-03-03T10:31Z') \g /dev/null
select is(tests.status('2026-03-03T10:31Z'), 'open', 'a "2" to the message of the day before does not end what a new day''s miss has joined');
select tests.texted('bob', '2026-03-03T10:32Z') \g /dev/null
select tests.text('2', '2026-03-03T10:33Z') \g /dev/null
select is(tests.status('2026-03-03T10:33Z'), 'resolved', 'one to the newest message does');
rollback to two_days;
select is(tests.page('bob', '2026-03-03T10:31Z', 'safe', '2026-03-02T20:00Z') ->> 'called_again', 'true', 'nor does the page of a link that was read on the day before');
select is(tests.page('bob', '2026-03-03T10:32Z', 'safe', '2026-03-03T10:31Z') ->> 'done', 'safe', 'but one that shows it');
rollback to missed;

-- A drill says that it is one.
update kith.alarms set kind = 'drill' \g /dev/null
select tests.texted('bob', '2026-03-02T10:31Z') \g /dev/null
select is(tests.text('1', '2026-03-02T10:40Z'), 'take', 'a drill is answered as an alarm is');
select is(tests.reply(), 'This is a drill: Thank you. You are looking after Alice Example. The others are being told.', 'and its reply says that it is one');
rollback to missed;

-- Keys in a call are about its alarm alone.
insert into kith.deliveries (tenant_id, id, channel, purpose, address, notification_id, is_urgent, status, sent_at, next_attempt_at, expires_at, created_at)
select note.tenant_id, '0d000000-0000-7000-8000-000000000001', 'voice', 'notification', tests.phone('bob'), note.id, true, 'sent', '2026-03-02T10:35Z',
  '2026-03-02T10:35Z', '2026-03-02T12:00Z', '2026-03-02T10:35Z'
from kith.notifications as note
where note.user_id = tests.id('bob') and note.type = 'ping_missed';
savepoint called;
insert into kith.channel_credentials (tenant_id, channel, sealed, summary, inbound_token, created_at, updated_at)
values (tests.tenant('acme'), 'voice', '\x00', '{"inbound": {}, "callback_field": "Url"}', '2000000001-v', '2026-03-01Z', '2026-03-01Z');
select is(tests.call(null, '2026-03-02T10:36Z') ->> 'takes_key', 'true', 'a call about an alarm takes a key');
select is(tests.call('1', '2026-03-02T10:36Z', 'CA1', 'machine') ->> 'outcome', 'machine', 'a machine looks after nobody');
select is(tests.call('1', '2026-03-02T10:36Z', 'CA1') ->> 'text', 'Thank you. You are looking after Alice Example. The others are being told.', '1 takes it');
select is(tests.call('1', '2026-03-02T10:36Z', 'CA1') ->> 'outcome', 'repeated', 'a repeat does nothing');
select is(tests.call('2', '2026-03-02T10:37Z', 'CA2') ->> 'outcome', 'safe', '2 ends it');
select is(tests.call('1', '2026-03-02T10:38Z', 'CA3') ->> 'text', 'This alarm is over.', 'after that, the key is told that it is over');
rollback to called;
select tests.help('alice', '2026-03-02T10:36:30Z', 'I fell') \g /dev/null
select is(
  tests.call('2', '2026-03-02T10:37Z') ->> 'text',
  'Alice Example has called for help or missed another check-in since that message. Your answer changed nothing.',
  'the key 2 in a call about a miss says so if its sender has called for help since'
);
select is(tests.status('2026-03-02T10:37Z'), 'open', 'and the call for help goes on');
rollback to called;
update kith.users set phone = '+4915112349999' where id = tests.id('bob');
select is(tests.call('2', '2026-03-02T10:37Z') ->> 'outcome', 'unknown_call', 'a key that is pressed on a former phone ends nothing');
rollback to called;
update kith.users set phone_verified_at = null where id = tests.id('bob');
select is(tests.call('2', '2026-03-02T10:37Z') ->> 'outcome', 'unknown_call', 'nor one on a phone that is no longer confirmed');
-- Nobody looks after themselves: what the sender reads offers nothing of a receiver's.
rollback to missed;
insert into kith.channel_credentials (tenant_id, channel, sealed, summary, inbound_token, created_at, updated_at)
select tests.tenant('acme'), channel, '\x00', '{"inbound": {}, "callback_field": "Url"}', '2000000001-' || channel, '2026-03-01Z', '2026-03-01Z'
from unnest(array['sms', 'voice']) as channel;
create function tests.offers(p_kind text, p_channel text) returns text
  language sql
as $$
  select internal.written_message(p_channel, told, 'Alarm Open Again', 'Nobody is looking after it.', 'en', '2026-03-02T10:50Z')
  from (select note.* from kith.notifications as note limit 1) as any_note
  cross join lateral (
    select (jsonb_populate_record(
      null::kith.notifications, to_jsonb(any_note) || jsonb_build_object(
        'user_id', tests.id('alice'), 'type', 'alarm_reopened',
        'data', jsonb_build_object('alarm_id', tests.alarm_id(), 'kind', p_kind, 'to', 'sender', 'again', true)
      )
    )).*
  ) as told
$$;
select is(
  tests.offers('missed', 'sms'), 'PRUUF: Nobody is looking after it. Reply OK if you are safe, or tap {link}', 'the missing person is asked whether they are safe'
);
select is(
  tests.offers('missed', 'email'), e'Nobody is looking after it.\n\nSay that you''re safe, without signing in: {link}', 'by e-mail too'
);
select is(
  tests.offers('missed', 'voice'), 'This is PRUUF. Nobody is looking after it. Press 1 if you are safe. Press 2 if you need help.', 'and by a call'
);
select is(tests.offers('help', 'sms'), 'PRUUF: Nobody is looking after it.', 'whoever calls for help is asked nothing');
select is(tests.offers('help', 'voice'), 'This is PRUUF. Nobody is looking after it.', 'nor in a call');
select is(
  (
    select string_agg(concat_ws(' ', type, internal.answers_alarm(type, data), internal.asks_for_check_in(type, data)), ', ' order by type)
    from (select type, '{"alarm_id": "00000000-0000-0000-0000-000000000000", "kind": "missed", "to": "sender"}'::jsonb as data from internal.notification_types()) as told
    where internal.answers_alarm(type, data)
  ), null, 'no type offers its sender what a receiver does'
);
-- One answer, one question (K00): an own question counts for 15 minutes after its answer, and keys answer only what offered them.
rollback to missed;
insert into kith.sender_profiles (tenant_id, user_id, ping_time, time_zone, grace_minutes, reminder_minutes, timed_at, created_at, updated_at)
values (tests.tenant('acme'), tests.id('bob'), '09:00', 'UTC', 90, 15, '2026-01-05Z', '2026-01-05Z', '2026-01-05Z');
insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
values (tests.tenant('acme'), '0c000000-0000-7000-8000-000000000099', tests.id('bob'), tests.id('carol'), 'active', tests.id('carol'), '2026-01-05Z', '2026-01-05Z',
  '2026-01-05Z');
insert into kith.channel_credentials (tenant_id, channel, sealed, summary, inbound_token, created_at, updated_at)
values (tests.tenant('acme'), 'sms', '\x00', '{"inbound": {}}', '2000000001-x', '2026-03-01Z', '2026-03-01Z');
create function tests.bobs_ping(p_status text, p_deadline_at timestamptz, p_completed_at timestamptz default null) returns void
  language sql
as $$
  insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, asked_at, completed_at)
  values (tests.tenant('acme'), '2026-03-02', '0c000000-0000-7000-8000-000000000099', internal.uuid7('2026-03-02T09:00Z'), tests.id('bob'), tests.id('carol'),
    p_status, '2026-03-02T09:00Z', p_deadline_at, '2026-03-02T09:00Z', p_completed_at)
$$;
create function tests.alices_alarm() returns text
  language sql
as $$
  select concat_ws(' ', case when taken_at is not null then 'taken' end, coalesce(outcome, 'open')) from kith.alarms where sender_id = tests.id('alice')
$$;
savepoint own;
select tests.plan_all('2026-03-02T10:31Z') \g /dev/null
select tests.as_role('kith_worker') \g /dev/null
select is(
  (
    select bool_and(claimed.body like '%Reply 1%') from worker.claim_deliveries('2026-03-02T10:31:05Z', 'sms', 10, 10, null, '{}', '{}', 'one') as claimed
    where claimed.address in (tests.phone('bob'), tests.phone('carol'))
  ), true, 'a text about the one question that somebody has offers the keys'
);
select tests.as_superuser() \g /dev/null
select is((select count(*) from kith.deliveries where offers_keys), 2::bigint, 'and the outbox keeps that');
rollback to own;
-- A miss of his own: the text about Alice has the link alone.
select tests.bobs_ping('due', '2026-03-02T10:30Z') \g /dev/null
select tests.run('miss_pings', '2026-03-02T10:30:20Z') \g /dev/null
select tests.plan_all('2026-03-02T10:31Z') \g /dev/null
select tests.as_role('kith_worker') \g /dev/null
select is(
  (
    select bool_or(claimed.body like '%Reply 1%') from worker.claim_deliveries('2026-03-02T10:31:05Z', 'sms', 10, 10, null, '{}', '{}', 'one') as claimed
    where claimed.address = tests.phone('bob')
  ), false, 'whoever has a question of their own is offered no keys'
);
select tests.as_superuser() \g /dev/null
select is((select bool_or(offers_keys) from kith.deliveries where address = tests.phone('bob')), false, 'which the outbox keeps too');
select is(tests.text('1', '2026-03-02T10:45Z'), 'check_in', '"1" answers one''s own miss');
select is(tests.text('1', '2026-03-02T10:45:09Z'), 'check_in', 'and again if it is sent twice');
select is(tests.text('2', '2026-03-02T10:46Z'), 'several', '"2" ends nothing');
select is(tests.text('1', '2026-03-02T11:01Z'), 'several', 'nor does "1" later take an alarm whose text has not offered it');
select is(tests.alices_alarm(), 'open', 'the other''s alarm stays open');
rollback to own;
-- His own question came after the text that offered the keys.
select tests.texted('bob', '2026-03-02T10:31Z') \g /dev/null
savepoint offered;
select tests.does('carol', $$ api.ask_sender('0c000000-0000-7000-8000-000000000099', '2026-03-02T10:40Z') $$) \g /dev/null
select is(tests.text('1', '2026-03-02T10:45Z'), 'check_in', '"1" answers "Are you OK?"');
select is(tests.text('1', '2026-03-02T10:45:20Z'), 'check_in', 'twice too');
select is(tests.text('1', '2026-03-02T11:00:01Z'), 'take', 'and takes the alarm when that is 15 minutes ago');
rollback to offered;
select tests.help('bob', '2026-03-02T10:40Z') \g /dev/null
select tests.check_in('bob', '2026-03-02T10:41Z') \g /dev/null
select is(tests.text('1', '2026-03-02T10:42Z'), 'check_in', 'one''s own call for help counts after its end');
rollback to offered;
select tests.bobs_ping('completed_late', '2026-03-02T10:30Z', '2026-03-02T10:36Z') \g /dev/null
select is(tests.text('1', '2026-03-02T10:40Z'), 'check_in', 'and so does a ping that was answered late');
rollback to offered;
select tests.bobs_ping('cancelled', '2026-03-02T11:00Z') \g /dev/null
select is(tests.text('1', '2026-03-02T10:40Z'), 'check_in', 'and one of which they were asked before they paused');
rollback to offered;

-- Nobody uses up the replies to what was done in an alarm by writing in another's name (E1).
select count(tests.text('OK', '2026-03-02T10:31:30Z'::timestamptz + n * interval '1 second')) from generate_series(1, 31) as n \g /dev/null
select is(tests.text('1', '2026-03-02T10:50Z'), 'take', 'after thirty texts in their name, the person takes the alarm');
select is(tests.reply(), 'Thank you. You are looking after Alice Example. The others are being told.', 'and reads so');
select is(concat_ws(' ', tests.text('1', '2026-03-02T10:50:30Z', 'carol'), tests.reply('carol')), 'several Your answer can mean more than one thing, so it changed nothing. Please use the link. Alice: {link:ID}', 'nobody else takes it by a guess');
select tests.help('alice', '2026-03-02T10:51Z') \g /dev/null
select is(tests.text('2', '2026-03-02T10:52Z'), 'several', 'a "2" that came too late counts as what changed nothing');
select is(tests.reply() like 'Alice Example has called for help%', true, 'and its writer reads that');
-- The text about the miss has arrived. No provider has taken the one about the call for help, so "2" cannot be about the call.
rollback to own;
select tests.texted('bob', '2026-03-02T10:31Z'), tests.help('alice', '2026-03-02T11:00Z'), tests.texted('bob', '2026-03-02T11:00:05Z') \g /dev/null
update kith.deliveries set status = 'queued', sent_at = null, attempts = 1 where created_at = '2026-03-02T11:00:05Z';
select is(tests.text('2', '2026-03-02T11:01Z'), 'several', '"2" to the text about a miss does not end a call for help whose text failed');
select is(tests.alices_alarm(), 'open', 'which stays open');
update kith.deliveries set status = 'sent', sent_at = created_at where created_at = '2026-03-02T11:00:05Z';
select is(tests.text('2', '2026-03-02T11:02Z'), 'safe', 'and is ended once its text was sent');
-- A later text has the link alone, because another alarm was open as well when it was sent.
rollback to own;
select tests.texted('bob', '2026-03-02T10:31Z'), tests.tell('2026-03-02T11:00:10Z'), tests.texted('bob', '2026-03-02T11:00:15Z') \g /dev/null
savepoint later;
select is(tests.text('1', '2026-03-02T11:20Z'), 'take', '"1" answers the newest text, which offers it');
rollback to later;
update kith.deliveries set offers_keys = false where created_at = '2026-03-02T11:00:15Z';
select is(tests.text('1', '2026-03-02T11:20Z'), 'several', 'not an older text, after which one has offered the link alone');
-- Nor does it answer an older alarm, after a text about one in which the reader has no part any more.
rollback to later;
insert into kith.notifications (tenant_id, id, user_id, type, data, created_at, planned_at, delivery_status)
values (tests.tenant('acme'), internal.uuid7('2026-03-02T11:05Z'), tests.id('bob'), 'help_requested',
  jsonb_build_object('alarm_id', gen_random_uuid(), 'user_id', tests.id('mallory'), 'kind', 'help'), '2026-03-02T11:05Z', '2026-03-02T11:05Z', 'sent');
select tests.texted('bob', '2026-03-02T11:05Z') \g /dev/null
select is(tests.text('2', '2026-03-02T16:00Z'), 'several', 'nor after a text about somebody else');
select is(tests.alices_alarm(), 'open', 'so that no alarm ends by a guess');
select * from finish();
rollback;
