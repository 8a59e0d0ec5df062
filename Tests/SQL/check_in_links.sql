-- Links by which a sender checks in without a sign-in (J01).
begin;
\ir people.sql
select plan(48);

create function tests.loop(p_name text, p_now timestamptz) returns integer
  language plpgsql
as $$
declare
  v_done integer;
begin
  perform tests.as_role('kith_worker');
  execute format('select worker.%I($1, 1000)', p_name) into v_done using p_now;
  perform tests.as_superuser();
  return v_done;
end
$$;
-- What the server does with a request for the page of a link, and with its form.
create function tests.page(p_token text, p_now timestamptz, p_action text default null) returns jsonb
  language plpgsql
as $$
declare
  v_answer jsonb;
  v_hash bytea := sha256(convert_to(p_token, 'UTF8'));
begin
  perform tests.as_role('kith_api');
  if p_action is null then
    v_answer := api.check_in_page(split_part(p_token, '-', 1)::integer, v_hash, p_now);
  else
    v_answer := api.use_check_in_link(split_part(p_token, '-', 1)::integer, v_hash, p_action, null, p_now);
  end if;
  perform tests.as_superuser();
  return v_answer;
exception when others then
  perform tests.as_superuser();
  return to_jsonb(sqlerrm);
end
$$;
create function tests.keep(p_token text, p_on date, p_person text default 'alice', p_tenant text default 'acme') returns void
  language plpgsql
as $$
begin
  perform tests.as_role('kith_worker');
  perform worker.keep_check_in_links(
    array[tests.tenant(p_tenant)], array[tests.id(p_person)], array[p_on], array[sha256(convert_to(p_token, 'UTF8'))], '2026-03-11T09:00Z'
  );
  perform tests.as_superuser();
end
$$;
create function tests.check_ins() returns text
  language sql
as $$
  select string_agg(to_char(received_at, 'DD HH24:MI') || ' ' || source, '; ' order by received_at)
  from kith.check_ins where tenant_id = tests.tenant('acme') and user_id = tests.id('alice')
$$;
create function tests.ping() returns text
  language sql
as $$
  select status from kith.pings where tenant_id = tests.tenant('acme') and connection_id = tests.id('alice-bob') and ping_on = '2026-03-11'
$$;
\set token '''2000000001-AAAAAAAAAAAAAAAA'''

insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at) values (tests.tenant('acme'), 'UTC', '2026-03-11', '2026-03-11T00:00Z');
select tests.loop('generate_daily_pings', '2026-03-11T00:00Z') \g /dev/null
select tests.loop('announce_due_pings', '2026-03-11T09:00Z') \g /dev/null
update kith.users set display_name = 'Alice Margaret Example', phone = '+4915112345678', phone_verified_at = '2026-01-05T08:00Z',
  email = 'alice@example.com', email_verified_at = '2026-01-05T08:00Z'
where tenant_id = tests.tenant('acme') and id = tests.id('alice');

-- Making.
select is(tests.page(:token, '2026-03-11T09:01Z'), '"not_found"'::jsonb, 'a link that was not kept is unknown');
select tests.keep(:token, '2026-03-11'), tests.keep(:token, '2026-03-11') \g /dev/null
select is((select count(*) from kith.check_in_links), 1::bigint, 'a message that is sent again has the same link');
select is((select token_hash from kith.check_in_links), sha256(convert_to(:token, 'UTF8')), 'only the hash of the token is kept');
select tests.as_role('kith_worker');
select throws_ok($$ select * from kith.check_in_links $$, '42501', null, 'a worker cannot read links');
select tests.as_user('acme', 'bob');
select throws_ok($$ select token_hash from kith.check_in_links $$, '42501', null, 'nobody reads the hashes');
select tests.as_superuser();

-- The page.
select is(
  tests.page(:token, '2026-03-11T09:01Z'),
  jsonb_build_object(
    'tenant_id', tests.tenant('acme'), 'slug', 'acme', 'brand_name', 'PRUUF', 'brand_color', null, 'brand_mark', null, 'wording', null, 'locale', 'en', 'time_zone', 'UTC',
    'phone', '+4915112345678', 'is_open', true,
    'first_name', 'Alice', 'checked_in_at', null, 'today', '2026-03-11', 'is_calling', false, 'is_heard', true
  ), 'the page shows a first name, and nobody else'
);
select is(tests.check_ins(), null, 'showing it checks nobody in');
select is(tests.ping(), 'due', 'and completes no ping');

-- The button.
select is(tests.page(:token, '2026-03-11T09:02Z', 'safe') ->> 'checked_in_at', '2026-03-11T09:02', 'the button says when');
select is(tests.check_ins(), '11 09:02 link', 'the check-in has the source link, which the sender sees');
select is(tests.ping(), 'completed', 'it completes the ping');
select is(tests.page(:token, '2026-03-11T09:02:30Z', 'safe') ->> 'checked_in_at', '2026-03-11T09:02', 'a form that is sent twice');
select is(tests.check_ins(), '11 09:02 link', 'is one check-in');
select is(tests.page(:token, '2026-03-11T20:00Z', 'safe') ->> 'checked_in_at', '2026-03-11T09:02', 'used again, it says when it was used first');
select is(tests.check_ins(), '11 09:02 link; 11 20:00 link', 'and is another sign of life');
select is(tests.page(:token, '2026-03-11T21:00Z') ->> 'checked_in_at', '2026-03-11T09:02', 'the page goes on to show it');

-- Help.
savepoint before_help;
select is(tests.page(:token, '2026-03-11T09:30Z', 'help') -> 'told', '1'::jsonb, 'the other button calls for help, and says how many have been told');
select is((select kind from kith.alarms where sender_id = tests.id('alice')), 'help', 'an alarm is open');
select is(tests.check_ins(), '11 09:02 link; 11 20:00 link', 'it is no check-in');
rollback to before_help;

-- Its end.
savepoint before_end;
select tests.loop('generate_daily_pings', '2026-03-12T00:00Z') \g /dev/null
select is(tests.page(:token, '2026-03-12T08:59:59Z') -> 'is_open', 'true'::jsonb, 'it is good until');
select tests.loop('announce_due_pings', '2026-03-12T09:00Z') \g /dev/null
select is(
  tests.page(:token, '2026-03-12T09:00Z') - 'wording' - 'locale' - 'time_zone' - 'phone',
  jsonb_build_object('tenant_id', tests.tenant('acme'), 'slug', 'acme', 'brand_name', 'PRUUF', 'brand_color', null, 'brand_mark', null, 'is_open', false),
  'the next day''s ping comes, and then it says nothing of anybody'
);
select is(tests.page(:token, '2026-03-12T09:00Z', 'safe') -> 'is_open', 'false'::jsonb, 'its form does nothing then');
select is(tests.check_ins(), '11 09:02 link; 11 20:00 link', 'no check-in comes of it');
rollback to before_end;
savepoint fresh;
select tests.as_role('kith_admin'), admin.suspend_tenant('acme', 'unpaid', '2026-03-11T09:00Z'), tests.as_superuser() \g /dev/null
select is(tests.page(:token, '2026-03-11T09:40Z', 'safe') -> 'is_open', 'true'::jsonb, 'a suspension of the tenant refuses no check-in');
rollback to fresh;
update kith.sender_profiles set ended_at = '2026-03-11T09:30Z' where tenant_id = tests.tenant('acme') and user_id = tests.id('alice');
select is(tests.page(:token, '2026-03-11T09:40Z') -> 'is_open', 'false'::jsonb, 'it ends with the sender''s profile');
rollback to fresh;
update kith.sender_profiles set ping_time = '12:00' where tenant_id = tests.tenant('acme') and user_id = tests.id('alice');
select tests.loop('generate_daily_pings', '2026-03-12T00:00Z'), tests.loop('announce_due_pings', '2026-03-12T09:00Z') \g /dev/null
select is(tests.page(:token, '2026-03-12T11:59Z') -> 'is_open', 'true'::jsonb, 'a new time moves its end');
rollback to fresh;
select tests.as_user('acme', 'alice');
select api.delete_me('delete', '2026-03-11T10:00Z') \g /dev/null
select tests.as_superuser();
select is((select count(*) from kith.check_in_links), 0::bigint, 'it is deleted with the account');
select is(tests.page(:token, '2026-03-11T10:01Z'), '"not_found"'::jsonb, 'and unknown from then on');
rollback to fresh;

-- Of another tenant, or a person of another.
select is(tests.page('2000000002-AAAAAAAAAAAAAAAA', '2026-03-11T09:10Z'), '"not_found"'::jsonb, 'a token names its tenant');
select tests.keep('2000000001-BBBBBBBBBBBBBBBB', '2026-03-11', 'globex-alice') \g /dev/null
select is(tests.page('2000000001-BBBBBBBBBBBBBBBB', '2026-03-11T09:10Z'), '"not_found"'::jsonb, 'no link is made for somebody of another tenant');

-- In messages.
select tests.as_role('kith_worker');
create temporary table sent as
select '' as channel, ''::text as body, null::uuid as link_user_id, null::date as link_on where false;
select tests.as_superuser();
insert into kith.notification_preferences (tenant_id, user_id, type, channels, updated_at)
values (tests.tenant('acme'), tests.id('alice'), 'ping_due', '{email,sms}', '2026-03-01T00:00Z');
delete from kith.check_ins where tenant_id = tests.tenant('acme');
update kith.pings set status = 'due', completed_at = null, check_in_id = null where tenant_id = tests.tenant('acme') and ping_on = '2026-03-11';
create function tests.sent(p_channel text) returns text
  language plpgsql
as $$
declare
  v_sent text;
begin
  perform tests.as_role('kith_worker');
  perform worker.plan_deliveries('2026-03-11T09:01:01Z', 100, true);
  select string_agg(concat_ws(' | ', replace(claimed.body, e'\n', '/'), claimed.link_user_id = tests.id('alice'), claimed.link_on), '; ') into v_sent
  from worker.claim_deliveries('2026-03-11T09:01:02Z', p_channel, 10, 10, 0, '{}', '{}', 'w1') as claimed
  where claimed.tenant_id = tests.tenant('acme');
  perform tests.as_superuser();
  return v_sent;
end
$$;
savepoint before_sending;
select is(
  tests.sent('sms'), 'PRUUF: Are you safe, Alice? Tap {link} | t | 2026-03-11',
  'a text message has the place of the link, and asks for no answer that nobody would read'
);
rollback to before_sending;
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at, inbound_token)
values (tests.tenant('acme'), 'sms', '{"inbound": {}}', '\x00', '2026-03-01T00:00Z', '2026-03-01T00:00Z', '2000000001-x');
select is(
  tests.sent('sms'), 'PRUUF: Are you safe, Alice? Reply OK or tap {link} | t | 2026-03-11', 'where answers arrive, it asks for one'
);
rollback to before_sending;
update kith.users set locale = 'de-AT' where tenant_id = tests.tenant('acme') and id = tests.id('alice');
select is(
  tests.sent('email'),
  'Ein kurzes Lebenszeichen genügt, und Ihre Kontaktpersonen wissen, dass es Ihnen gut geht.//So sagen Sie ohne Anmeldung, dass es Ihnen gut geht: {link} | t | 2026-03-11',
  'an e-mail has it in a line of its own, in the reader''s language'
);
rollback to before_sending;
update kith.users set display_name = '{link} x' where tenant_id = tests.tenant('acme') and id = tests.id('alice');
select is(
  tests.sent('sms'), 'PRUUF: Are you safe, link? Tap {link} | t | 2026-03-11', 'a name cannot hold the place of a link'
);
rollback to before_sending;
update kith.users set display_name = '{}' where tenant_id = tests.tenant('acme') and id = tests.id('alice');
select is(
  tests.sent('sms'), 'PRUUF: Let your receivers know you''re safe. Tap {link} | t | 2026-03-11', 'without a name, the brand and the words of the notification stand there'
);
rollback to before_sending;
update kith.notifications set type = 'ping_reminder', data = data || '{"minutes": 15}' where user_id = tests.id('alice') and type = 'ping_due';
select is(tests.sent('sms'), 'PRUUF: 14 minutes left to check in. Tap {link} | t | 2026-03-11', 'a reminder says how many minutes are left');
rollback to before_sending;
select is(
  (
    select string_agg(internal.subject_of(channel, note, title, name, 'en'), ' | ' order by n)
    from (select null::kith.notifications as note) as one
    cross join (values
      (1, 'email', 'Missed Check-In', 'Bob'), (2, 'email', 'Missed Check-In', null), (3, 'email', 'Bob', 'Bob'), (4, 'sms', 'Missed Check-In', 'Bob')
    ) as cases (n, channel, title, name)
  ), 'Bob: Missed Check-In | Missed Check-In | Bob | Missed Check-In', 'the subject of an e-mail says about whom it is'
);
select is(internal.first_name('  Maximiliane-Alexandra-Josephine-Theodora von Beispiel'), 'Maximiliane-Alexandra-Josephin', 'a first name is short');

-- The phone is somebody else's, or the address.
select set_config('kith.tenant_id', tests.tenant('acme')::text, true) \g /dev/null
select internal.set_contacts(person, '{"email": "Alice@Example.com"}', '2026-03-11T09:03Z') from kith.users as person where id = tests.id('alice') \g /dev/null
select is((select count(*) from kith.check_in_links), 1::bigint, 'a contact that is written in another way ends no link');
select internal.set_contacts(person, '{"phone": "+4915112345679"}', '2026-03-11T09:03Z') from kith.users as person where id = tests.id('alice') \g /dev/null
select is((select count(*) from kith.check_in_links), 0::bigint, 'another phone ends them');
select is(tests.page(:token, '2026-03-11T09:04Z', 'safe'), '"not_found"'::jsonb, 'the old one checks nobody in');
rollback to before_sending;
select set_config('kith.tenant_id', tests.tenant('acme')::text, true) \g /dev/null
select internal.confirm_contact(tests.id('alice'), 'sms', '+4915112345679', '2026-03-11T09:03Z') \g /dev/null
select is((select count(*) from kith.check_in_links), 0::bigint, 'one that the person confirms as well');
rollback to before_sending;
select tests.as_user('acme', 'alice') \g /dev/null
select api.update_me('{"email": null}', '{}', '2026-03-11T09:03Z') \g /dev/null
select tests.as_superuser() \g /dev/null
select is((select count(*) from kith.check_in_links), 0::bigint, 'and one that they take away');
rollback to before_sending;
select tests.as_role('kith_worker') \g /dev/null
select worker.plan_deliveries('2026-03-11T09:01:01Z', 100, true) \g /dev/null
select tests.as_superuser() \g /dev/null
update kith.users set phone = '+4915112345679' where tenant_id = tests.tenant('acme') and id = tests.id('alice');
select tests.sent('sms') \g /dev/null
select is((select concat_ws(' ', address, status) from kith.deliveries where channel = 'sms'), '+4915112345679 sending', 'a message with a link goes to the new phone, not to the old one');
rollback to before_sending;

-- Sweeping.
select is(tests.loop('sweep_answers', '2026-03-18T08:59Z'), 0, 'links are kept for a week');
select is(tests.loop('sweep_answers', '2026-03-18T09:01Z'), 1, 'and then deleted');
select is((select count(*) from kith.check_in_links), 0::bigint, 'for good');
select is(tests.page(:token, '2026-03-18T09:02Z'), '"not_found"'::jsonb, 'then nobody knows them');
select * from finish();
rollback;
