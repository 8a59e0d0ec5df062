-- In whose language a notification reads: its reader's, at the moment of reading.
begin;
\ir people.sql
select plan(32);

create function tests.read(p_person text) returns text
  language plpgsql
as $$
begin
  perform tests.as_user('acme', p_person);
  return (select string_agg(concat_ws(': ', item ->> 'title', item ->> 'body'), ' | ') from json_array_elements(api.list_notifications(false, null, 50, null) -> 'items') as item);
end
$$;
create function tests.speak(p_person text, p_locale text) returns void
  language plpgsql
as $$
begin
  perform tests.as_superuser();
  update kith.users set locale = p_locale where id = tests.id(p_person);
end
$$;
insert into kith.notifications (tenant_id, id, user_id, type, data, created_at)
values (
  tests.tenant('acme'), internal.uuid7('2026-03-10T09:00Z'), tests.id('bob'), 'ping_completed',
  jsonb_build_object('connection_id', tests.id('alice-bob'), 'ping_id', tests.id('carol'), 'user_id', tests.id('alice'), 'date', '2026-03-10'),
  '2026-03-10T09:00Z'
);

select is(tests.read('bob'), 'Safe: Alice checked in.', 'a notification reads in English');
select tests.speak('bob', 'de');
select isnt(tests.read('bob'), 'Safe: Alice checked in.', 'when its reader changes the language, it reads in German');
select matches(tests.read('bob'), 'Alice', 'with the same name');
select is(
  (select count(*) from (select tests.speak('bob', locale), tests.read('bob') as words from unnest(array['de', 'de-AT', 'DE_de', 'de-Latn-CH']) as locale offset 0) as read where words = tests.read('bob')),
  4::bigint, 'a tag falls back to its language'
);
select tests.speak('bob', 'de-informal');
select isnt(tests.read('bob'), null, 'a variant has the texts of its language');
select tests.speak('bob', 'xx-XX');
select is(tests.read('bob'), 'Safe: Alice checked in.', 'an unknown language is English');

-- Names are those of now.
select tests.as_user('acme', 'bob');
select api.update_connection(tests.id('alice-bob'), '{"alias": "Mum"}', '2026-03-10T10:00Z') \g /dev/null
select is(tests.read('bob'), 'Safe: Mum checked in.', 'an alias changes what is read');
select is(
  (api.list_notifications(false, null, 50, null) #>> '{items,0,data,name}'), 'Mum', 'and the name in data'
);
select api.update_connection(tests.id('alice-bob'), '{"alias": null}', '2026-03-10T10:01Z') \g /dev/null
select tests.as_superuser();
update kith.users set display_name = 'Alice Liddell' where id = tests.id('alice');
select is(tests.read('bob'), 'Safe: Alice Liddell checked in.', 'so does a new name');
select tests.as_superuser();
update kith.users set display_name = null where id = tests.id('alice');
select is(tests.read('bob'), 'Safe: Your sender checked in.', 'somebody without a name is named by their part');
select tests.as_superuser();
update kith.users set deleted_at = '2026-03-10T10:02Z' where id = tests.id('alice');
select is(tests.read('bob'), 'Safe: Someone checked in.', 'somebody whose account has ended is anybody');
select tests.as_superuser();
select is((select count(*) from kith.notifications where body is not null), 0::bigint, 'and nothing was written for that');

-- Deliveries are worded when they leave. One whose data is wrong leaves with its title, and holds nothing up.
select tests.as_superuser();
update kith.users set display_name = 'Alice', deleted_at = null where id = tests.id('alice');
update kith.tenants set universal_link_host = 'app.example' where tenant_id = tests.tenant('acme');
delete from kith.notifications where created_at < '2026-03-10Z';
insert into kith.notifications (tenant_id, id, user_id, type, data, created_at, planned_at)
-- A newer all-clear would replace the check-in.
select tests.tenant('acme'), internal.uuid7('2026-03-10T09:30Z'::timestamptz - told.n * interval '1 ms'), tests.id('bob'), told.type, told.data::jsonb,
  '2026-03-10T09:30Z', '2026-03-10T09:30Z'
from (values
  (0, 'ping_completed', format('{"connection_id": "%s", "tapped_at": "2026-03-10T09:10:00.000000Z"}', tests.id('alice-bob'))),
  (1, 'ping_all_clear', format('{"connection_id": "%s", "tapped_at": "2026-13-45T99:99:99.000000Z"}', tests.id('alice-bob'))),
  (2, 'emergency_approved', format('{"to": "nominee", "request_id": "%s", "ends_at": "2026-03-11T09:00:00.000000Z"}', tests.id('carol')))
) as told (n, type, data);
insert into kith.deliveries (tenant_id, id, channel, purpose, address, notification_id, is_urgent, next_attempt_at, expires_at, created_at)
select tenant_id, internal.uuid7('2026-03-10T09:30Z'), case type when 'emergency_approved' then 'email' else 'sms' end, 'notification',
  case type when 'emergency_approved' then 'bob@example.org' else '+4915100000002' end, id, false, '2026-03-10T09:30Z', '2026-03-11T09:30Z', '2026-03-10T09:30Z'
from kith.notifications where created_at = '2026-03-10T09:30Z';
update kith.users set email = 'bob@example.org', phone = '+4915100000002' where id = tests.id('bob');
select tests.speak('bob', 'de');
select tests.as_role('kith_worker');
create temporary table sent as
select channel, subject, body, data::jsonb ->> 'type' as type, data::jsonb ->> 'name' as name
from unnest(array['sms', 'email']) as channels (name)
cross join lateral worker.claim_deliveries('2026-03-10T09:31Z', channels.name, 10, 10, 0, '{}', '{}', 'w1') as claimed;
select matches((select body from sent where type = 'ping_completed'), '^[^:]+: .*Alice.*09:10 Uhr', 'a text message is in the reader''s language, with title and text');
select is((select name from sent where type = 'ping_completed'), 'Alice', 'and its data has the name of now');
select is((select body from sent where type = 'ping_all_clear'), (select 'PRUUF: ' || subject from sent where type = 'ping_all_clear'), 'one without its time has the title');
select matches((select body from sent where type = 'emergency_approved'), e'11\\. März, 09:00 Uhr.*\n\n.*https://app.example/open\\?type=emergency_request', 'an e-mail ends with a link');
select is((select subject from sent where type = 'emergency_approved'), 'Notfallzugang', 'and has a subject in the reader''s language');
select tests.as_superuser();
delete from kith.deliveries;
delete from kith.notifications where created_at = '2026-03-10T09:30Z';

-- A webhook is the tenant's.
select tests.as_definer('acme', 'bob');
select is(
  internal.told_to_tenant('notification', (select id from kith.notifications where user_id = tests.id('bob')), internal.language_of_tenant(tests.tenant('acme')))::json ->> 'body',
  'Alice checked in.', 'the tenant''s server is told in the tenant''s language'
);

-- An invented language: one file, and no code. It has few and many, and is written from right to left.
select tests.as_superuser();
select internal.load_texts(jsonb_build_array(
  '{
    "tag": "en", "direction": "ltr", "dates": {
      "date": "d MMMM y", "date_of_this_year": "d MMMM y", "time": "HH:mm", "date_time": "{1}, {0}",
      "months": ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"], "weekdays": ["1", "2", "3", "4", "5", "6", "7"]
    },
    "texts": {
      "name.sender": "Your sender", "notification.ping_completed.title": "Safe", "notification.ping_completed.receiver": "{name} checked in.",
      "notification.ping_reminder.title": "Reminder", "notification.ping_reminder.sender": {"one": "{count} minute", "other": "{count} minutes"}
    }
  }'::jsonb || jsonb_build_object('plurals', 'ro' || repeat('r', 198)),
  '{
    "tag": "sr-Test", "direction": "rtl", "dates": {
      "date": "''el'' EEEE dd/MM/y", "date_of_this_year": "d.M.", "time": "H''h''m", "date_time": "{0} {1}",
      "months": ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"], "weekdays": ["lu", "ma", "mi", "ju", "vi", "sa", "do"]
    },
    "texts": {
      "notification.ping_completed.receiver": "100 % {name}", "notification.ping_reminder.sender": {"one": "jedan {count}", "few": "malo {count}", "other": "mnogo {count}"},
      "notification.ping_completed.receiver_tapped": "{name} {time}"
    }
  }'::jsonb || jsonb_build_object('plurals', (
    select string_agg(case when n % 10 = 1 and n % 100 <> 11 then 'o' when n % 10 between 2 and 4 and n % 100 not between 12 and 14 then 'f' else 'r' end, '' order by n)
    from generate_series(0, 199) as n
  ))
), 'invented') \g /dev/null
select ok(not internal.load_texts('[]', 'invented'), 'the same catalogue is loaded once');
select tests.speak('bob', 'sr-test');
select is(tests.read('bob'), u&'Safe: 100 % \2068Alice\2069', 'a language without a title has the English one, and isolates names from the left');
select tests.as_superuser();
select is(words.body, expected, format('of %s it is %s', n, expected))
from (values (1, 'jedan 1'), (2, 'malo 2'), (5, 'mnogo 5'), (11, 'mnogo 11'), (21, 'jedan 21'), (112, 'mnogo 112'), (1002, 'malo 1002')) as numbers (n, expected)
cross join lateral internal.words(
  1, 'notification.ping_reminder.sender', 'ping_reminder', jsonb_build_object('minutes', n), '2026-03-10Z', null, null, null, null, null, 'sr-test', 'UTC'
) as words;
select is(internal.local_text('2027-03-14T07:05Z', 'UTC', 'sr-test', '2026-03-10Z'), '7h5 el do 14/03/2027', 'patterns of dates have all their fields');
select is(internal.local_text('2026-03-14T07:05Z', 'UTC', 'sr-test', '2026-03-10Z'), '7h5 14.3.', 'and another one for this year');

-- A tenant's own words, also for what was written before.
create or replace function internal.own_texts(p_tenant_id integer) returns table (locale text, key text, value jsonb)
  language sql stable
as $$
  select own.* from (values ('en', 'notification.ping_completed.receiver', '"{name} is well."'::jsonb), ('en', 'notification.ping_completed.title', '"100 %"')) as own (locale, key, value)
  where p_tenant_id = tests.tenant('acme')
$$;
select internal.refresh_tenant_texts(tests.tenant('acme'), 'de-AT') \g /dev/null
select tests.speak('bob', 'en-GB');
select is(tests.read('bob'), '100 %: Alice is well.', 'a tenant''s own words stand for those of the catalogue');
select tests.speak('bob', 'sr-test');
select is(tests.read('bob'), u&'100 %: 100 % \2068Alice\2069', 'and for what a language lacks, before the English ones');
select tests.as_superuser();
select is((select count(*) from internal.languages where locale like '%@' || tests.tenant('globex')), 0::bigint, 'another tenant has the catalogue''s');

select * from finish();
rollback;
