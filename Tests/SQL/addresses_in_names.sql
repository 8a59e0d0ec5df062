-- Nobody puts an address of their own into a message of Kith: where a name holds one, the fallback stands in every message, on every channel.
begin;
\ir people.sql
select plan(13);
\set now '''2026-03-10T12:00:00Z'''

-- Everything that somebody can name.
update kith.users set display_name = 'login at evil.ru' where tenant_id = tests.tenant('acme');
update kith.connections set alias_by_sender = 'https://evil.example/login', alias_by_receiver = 'evil[.]ru' where tenant_id = tests.tenant('acme');
update kith.tenants set brand_name = 'evil.ru', name = 'www.evil.ru' where slug = 'acme';

-- Each text of the catalogue, as its reader gets it.
select is_empty(
  format(
    $$
      select text.key, words.title, words.body, words.name
      from internal.texts as text
      cross join unnest(array[true, false]) as part (is_sender)
      cross join lateral (select split_part(text.key, '.', 2) as type) as named
      cross join lateral internal.words(
        tests.tenant('acme'), text.key, named.type,
        jsonb_build_object(
          'vault_name', 'evil。ru', 'sender_connection_id', tests.id('alice-bob'), 'minutes', 5, 'date', '2026-03-10', 'missed_days', 3,
          'acted_at', %1$L, 'tapped_at', %1$L, 'answer_by_at', %1$L, 'until', '2026-03-12', 'grants_at', %1$L, 'since_at', %1$L, 'ends_at', %1$L,
          'last_check_in_at', %1$L, 'not_asked_from_at', %1$L, 'not_asked_until_at', %1$L
        ),
        %1$L, null, 'ev․il.ru', 'bob@evil.ru', part.is_sender, false, text.locale, 'Europe/Berlin'
      ) as words
      where text.key like 'notification.%%' and concat_ws(' ', words.title, words.body, words.name) ~ '(evil|․)'
    $$, :now
  ),
  'no text of a notification has the address of a name, whichever it is'
);
select is(
  (select words.title || ': ' || words.body from internal.told(
    tests.tenant('acme'), tests.id('bob'), 'ping_missed',
    jsonb_build_object('connection_id', tests.id('alice-bob'), 'user_id', tests.id('alice'), 'ping_id', tests.id('carol'), 'date', '2026-03-10'),
    :now, null, null, 'en', 'UTC'
  ) as words),
  'Missed Check-In: Your sender has not checked in today.', 'the fallback is that of somebody without a name'
);
update kith.connections set alias_by_receiver = 'Mum' where id = tests.id('alice-bob');
select is(
  (select name from internal.person_in(tests.tenant('acme'), tests.id('bob'), tests.id('alice-bob'))), 'Mum',
  'a reader who gives the sender a name of their own reads that'
);
update kith.connections set alias_by_receiver = 'evil[.]ru' where id = tests.id('alice-bob');

-- The messages that leave by each channel.
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
select tests.tenant('acme'), channel, '{}', '\x01', :now, :now from unnest(array['sms', 'voice', 'email']) as channel;
update kith.users set phone = '+4915100000002', phone_verified_at = :now where id = tests.id('bob');
update kith.users set phone = '+4915100000001', phone_verified_at = :now where id = tests.id('alice');
insert into kith.notifications (tenant_id, id, user_id, type, data, person_name, vault_id, created_at)
select tests.tenant('acme'), internal.uuid7(:now::timestamptz + n * interval '1 second'), tests.id(person), type,
  jsonb_build_object(
    'connection_id', tests.id('alice-bob'), 'ping_id', tests.id('carol'), 'date', '2026-03-10', 'vault_id', tests.id('mallory'),
    'vault_name', 'Papers on evil.ru', 'minutes', 15
  ) || case when person = 'bob' then jsonb_build_object('user_id', tests.id('alice')) else '{}' end,
  'evil.ru', tests.id('mallory'), :now::timestamptz + n * interval '1 second'
from (values
  (1, 'alice', 'ping_due'), (2, 'alice', 'ping_reminder'), (3, 'alice', 'ping_missed'), (4, 'bob', 'ping_missed'), (5, 'bob', 'ping_completed'),
  (6, 'bob', 'help_requested'), (7, 'bob', 'connection_requested')
) as told (n, person, type);
insert into kith.deliveries (tenant_id, id, channel, purpose, address, notification_id, is_urgent, status, next_attempt_at, expires_at, created_at)
select note.tenant_id, internal.uuid7(note.created_at), channel, 'notification', account.phone, note.id, true, 'queued', :now, '2026-03-11', note.created_at
from kith.notifications as note
join kith.users as account on account.tenant_id = note.tenant_id and account.id = note.user_id
cross join unnest(array['sms', 'voice', 'email', 'apns']) as channel
where note.tenant_id = tests.tenant('acme');
create temporary table messages as
select delivery.channel, note.type, message.*
from kith.deliveries as delivery
join kith.notifications as note on note.tenant_id = delivery.tenant_id and note.id = delivery.notification_id
cross join lateral internal.messages_of_deliveries(array[delivery.tenant_id], array[delivery.id], :now) as message
where delivery.tenant_id = tests.tenant('acme');
select is((select count(*) from messages where body <> ''), 28::bigint, 'each message has its words on each channel');
select is_empty(
  $$ select channel, type, subject, body, data from messages where concat_ws(' ', subject, body, data) ~ 'evil' $$,
  'no text message, e-mail, call or push has an address of a stranger, nor has the data of a push'
);
select is((select body from messages where channel = 'sms' and type = 'ping_due'), (
  select internal.text_message('acme', body, 'en') || ' Tap {link}' from internal.told(
    tests.tenant('acme'), tests.id('alice'), 'ping_due', '{}', :now, null, null, 'en', 'UTC'
  )
), 'somebody is greeted by no address');

-- Invitations, codes and cards.
select is(
  internal.invitation_message('login at evil.ru', (select internal.shown_brand(tenant) from kith.tenants as tenant where slug = 'acme'), '111111', 'https://pruuf.app/join'),
  'Someone wants to send you daily pings on acme to let you know they''re safe. Download the app and use code 111111 to connect: https://pruuf.app/join',
  'a stranger who is invited reads no other address'
);
select tests.as_user('acme', 'alice');
select unalike(
  api.create_connection_invitation('[{"name": "Berta", "given_phone": "0151", "phone": "+4915112345678"}]', false, 'https://kith.example', :now) ->> 'message',
  '%evil%', 'nor does one whom the inviter''s own phone writes to'
);
select tests.as_superuser();
select is(
  internal.token_message('nominee', 'evil.ru', 'evil.ru', 'acme', 'https://kith.example/i/1'),
  'Someone invites you to a vault on acme. Open the invitation: https://kith.example/i/1', 'nor does an invitation to a vault have one'
);
select is(
  internal.token_message('transfer', 'Alice', 'Papers', 'acme', 'https://kith.example/i/1'),
  'Alice wants to make you the owner of the vault "Papers" on acme. Open the offer: https://kith.example/i/1', 'other names stand there'
);
select is(internal.invitation_card('nominee', 'pending', 'evil.ru') ->> 'subtitle', 'a vault', 'nor has its card');
select is(internal.code_text('sms.code.sign_in', 'en', internal.shown_brand(tenant)), 'acme code: {code}. It is valid for 10 minutes. Do not share it.',
  'nor has a message with a code')
from kith.tenants as tenant where slug = 'acme';
select is(
  internal.first_name('evil.ru/login now') is null and internal.first_name('Dr. Anna Weber') = 'Dr.', true, 'nor has the page of a link'
);

select * from finish();
rollback;
