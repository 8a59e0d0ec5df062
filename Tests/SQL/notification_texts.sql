-- The words of notifications: made when they are read, in the reader's language, the English ones byte for byte.
begin;
\ir people.sql
select plan(186);

create function tests.told(p_type text, p_data jsonb, p_is_sender boolean, p_name text, p_locale text default 'en', out title text, out body text)
  language sql
as $$
  select words.title, words.body
  from internal.words(
    tests.tenant('acme'), internal.text_key(p_type, p_data, p_is_sender), p_type, p_data, '2027-03-12T07:30Z', null,
    nullif(btrim(p_name), ''), nullif(btrim(p_name), ''), p_is_sender, false, p_locale, 'Europe/Berlin'
  ) as words
$$;

select is(
  (tests.told(type, '{}', false, 'Alice')).title, title,
  format('the title of %s is %L', type, title)
)
from (values
  ('connection_request', 'New Connection'),
  ('connection_requested', 'Connection Request'),
  ('connection_accepted', 'Connection Accepted'),
  ('connection_paused', 'Connection Paused'),
  ('connection_resumed', 'Connection Resumed'),
  ('connection_removed', 'Connection Removed'),
  ('ping_due', 'Time to Check In'),
  ('ping_reminder', 'Check-In Reminder'),
  ('ping_completed', 'Safe'),
  ('ping_missed', 'Missed Check-In'),
  ('ping_all_clear', 'All Clear'),
  ('subscription_lapsing', 'Subscription Ending'),
  ('break_started', 'On a Break'),
  ('break_ended', 'Back From a Break'),
  ('nominee_changed', 'Access Changed'),
  ('transfer_requested', 'Vault Transfer'),
  ('transfer_accepted', 'Vault Transfer'),
  ('transfer_declined', 'Vault Transfer'),
  ('emergency_requested', 'Emergency Access'),
  ('emergency_reminder', 'Emergency Access'),
  ('emergency_approved', 'Emergency Access'),
  ('emergency_rejected', 'Emergency Access'),
  ('emergency_opened', 'Emergency Access'),
  ('help_requested', 'Help Needed'),
  ('alarm_repeat', 'Still No Sign'),
  ('alarm_reopened', 'Alarm Open Again'),
  ('alarm_taken', 'Someone Is on It'),
  ('alarm_check', 'Still On It?'),
  ('alarm_resolved', 'Alarm Over'),
  ('ask', 'Are You OK?'),
  ('ask_unanswered', 'No Answer'), ('ask_answered', 'Answered'), ('sender_unreachable', 'Cannot Be Asked'),
  ('receiver_unreachable', 'Cannot Be Told'), ('test_message', 'Test Message'),
  ('message_received', 'Alice')
) as texts (type, title);

create temporary table texts (n integer generated always as identity, type text, data jsonb, is_sender boolean, name text, body text);
insert into texts (type, data, is_sender, name, body) values
  ('connection_request', '{}', false, 'Alice', 'Alice is now sending you pings'),
  ('connection_request', '{}', true, 'Bob', 'Bob is now receiving your pings'),
  ('connection_request', '{}', true, null, 'Your receiver is now receiving your pings'),
  ('connection_requested', '{}', false, 'Alice', 'Alice wants to send you pings'),
  ('connection_requested', '{}', true, 'Bob', 'Bob wants to receive your pings'),
  ('connection_requested', '{}', true, null, 'Your receiver wants to receive your pings'),
  ('connection_accepted', '{}', false, 'Alice', 'Alice accepted your connection'),
  ('connection_accepted', '{}', true, 'Bob', 'Bob accepted your connection'),
  ('connection_accepted', '{}', true, null, 'Your receiver accepted your connection'),
  ('connection_paused', '{}', false, 'Alice', 'Alice has paused their connection with you'),
  ('connection_resumed', '{}', false, 'Alice', 'Alice has resumed their connection with you'),
  ('connection_removed', '{}', true, 'Bob', 'Bob has removed your connection'),
  ('connection_removed', '{}', false, 'Alice', 'Alice has removed you as a receiver'),
  ('connection_removed', '{"by": "support"}', false, 'Alice', 'This connection was removed by support'),
  ('ping_due', '{}', null, null, 'Let your receivers know you''re safe.'),
  ('ping_reminder', '{"minutes": 15}', null, null, '15 minutes left to check in.'),
  ('ping_reminder', '{"minutes": 1}', null, null, '1 minute left to check in.'),
  ('ping_completed', '{"user_id": null}', false, 'Alice', 'Alice checked in.'),
  ('ping_completed', '{"tapped_at": "2027-03-12T07:05:00.000000Z"}', false, 'Alice', 'Alice checked in at 08:05; it arrived later.'),
  ('ping_completed', '{"tapped_at": "2027-03-12T07:05:00.000000Z", "then_at": "2027-03-12T07:05:00.000000Z"}', false, 'Alice', 'Alice checked in at 08:05; it arrived later.'),
  ('ping_completed', '{"tapped_at": "2027-03-11T07:05:00.000000Z"}', false, 'Alice', 'Alice checked in at 11 March 2027, 08:05; it arrived later.'),
  ('help_requested', '{}', false, 'Alice', 'Alice needs help. Call them now.'),
  ('help_requested', '{}', false, null, 'Your sender needs help. Call them now.'),
  ('help_requested', '{"since_at": "2027-03-08T22:30:00.000000Z"}', false, 'Alice', 'Alice called for help at 8 March 2027, 23:30. Call them now.'),
  ('help_requested', '{"drill": true}', false, 'Alice', 'This is a drill: Alice needs help. Call them now.'),
  ('alarm_repeat', '{}', false, 'Alice', 'There is still no sign of Alice.'),
  ('alarm_repeat', '{}', false, null, 'There is still no sign of your sender.'),
  ('alarm_repeat', '{"kind": "help", "since_at": "2027-03-12T06:30:00.000000Z"}', false, 'Alice', 'Alice called for help at 07:30, and nobody is looking after it.'),
  ('alarm_repeat', '{"kind": "help", "since_at": "2027-03-08T06:30:00.000000Z"}', false, null, 'Your sender called for help at 8 March 2027, 07:30, and nobody is looking after it.'),
  ('alarm_repeat', '{"kind": "unanswered"}', false, null, 'Your sender has still not answered.'),
  ('alarm_repeat', '{"kind": "missed", "acted_at": "2027-03-12T07:30:00.000000Z"}', false, null, 'Your sender has not checked in, but used the app at 08:30.'),
  ('alarm_reopened', '{}', false, 'Alice', 'Nobody is looking after Alice at the moment.'),
  ('alarm_reopened', '{"to": "sender", "again": true}', null, null, 'Nobody is looking after it at the moment. Your receivers are told again.'),
  ('alarm_taken', '{"user_id": null}', false, 'Bob', 'Bob is looking after it.'),
  ('alarm_taken', '{}', false, null, 'Another receiver is looking after it.'),
  ('alarm_check', '{}', false, 'Alice', 'Are you still looking after Alice? If you do not answer within ten minutes, the others are told that nobody is.'),
  ('alarm_reopened', '{"to": "sender"}', true, null, 'Nobody who was told is left to look after you. Call your local emergency number.'),
  ('alarm_resolved', '{"outcome": "expired", "to": "sender"}', true, null, 'Nobody who was told is connected with you any more, so nobody is looking after you now.'),
  ('alarm_resolved', '{"outcome": "drill_over", "user_id": null}', false, null, 'The drill is over. If you are told of an alarm now, it is real.'),
  ('alarm_resolved', '{"outcome": "deleted", "user_id": null}', false, null, 'Someone has deleted their account while an alarm was open. Nobody here can tell you any more how they are.'),
  ('alarm_resolved', '{"outcome": "safe", "user_id": null}', false, 'Bob', 'Bob reached your sender: they''re safe.'),
  ('alarm_resolved', '{"outcome": "safe"}', false, null, 'Another receiver reached your sender: they''re safe.'),
  ('alarm_resolved', '{"outcome": "help_called", "user_id": null}', false, 'Bob', 'Bob has called help for your sender.'),
  ('alarm_resolved', '{"outcome": "help_called"}', false, null, 'Another receiver has called help for your sender.'),
  ('alarm_taken', '{"user_id": null, "late": true}', false, 'Bob', 'Bob is looking after your sender. There was no check-in.'),
  ('alarm_taken', '{"late": true}', false, null, 'Another receiver is looking after your sender. There was no check-in.'),
  ('alarm_resolved', '{"outcome": "safe", "user_id": null, "late": true}', false, 'Bob', 'Bob reached your sender: they''re safe. There was no check-in.'),
  ('alarm_resolved', '{"outcome": "safe", "late": true}', false, null, 'Another receiver reached your sender: they''re safe. There was no check-in.'),
  ('alarm_resolved', '{"outcome": "help_called", "user_id": null, "late": true}', false, 'Bob', 'Bob has called help for your sender. There was no check-in.'),
  ('alarm_resolved', '{"outcome": "help_called", "late": true}', false, null, 'Another receiver has called help for your sender. There was no check-in.'),
  ('alarm_resolved', '{"outcome": "safe", "user_id": null, "to": "sender"}', true, 'Bob', 'Bob told the others that you''re safe.'),
  ('alarm_resolved', '{"outcome": "safe", "to": "sender"}', true, null, 'Another receiver told the others that you''re safe.'),
  ('alarm_resolved', '{"outcome": "help_called", "user_id": null, "to": "sender"}', true, 'Bob', 'Bob has called help for you.'),
  ('alarm_resolved', '{"outcome": "help_called", "to": "sender"}', true, null, 'Another receiver has called help for you.'),
  ('alarm_resolved', '{"outcome": "false_alarm", "user_id": null}', false, 'Alice', 'Alice says it was a false alarm.'),
  ('ask', '{"answer_by_at": "2027-03-12T07:30:00.000000Z"}', true, 'Bob', 'Bob is asking if you''re OK. Check in by 08:30, or an alarm is raised.'),
  ('ask_unanswered', '{}', false, 'Alice', 'Alice was asked if they''re OK and has not answered.'),
  ('ask_unanswered', '{"unreached": true}', false, 'Alice', 'Alice was asked if they''re OK and has not answered. The question may not have reached them.'),
  ('ask_answered', '{}', false, 'Alice', 'Alice answered: they''re safe.'),
  ('ask_answered', '{"then_at": "2027-03-12T07:05:00.000000Z"}', false, 'Alice', 'Alice answered at 08:05.'),
  ('receiver_unreachable', '{}', true, 'Bob', 'Bob gets no more text messages and cannot be reached by an alarm.'),
  ('test_message', '{}', false, 'Alice', 'This is a test from Alice. Do not reply to it: say in the app or on the website that it reached you.'),
  ('test_message', '{}', false, null, 'This is a test from your sender. Do not reply to it: say in the app or on the website that it reached you.'),
  ('sender_unreachable', '{}', false, null, 'We can''t remind your sender to check in. No message reaches them.'),
  ('sender_unreachable', '{"mended": true}', false, 'Alice', 'We can remind Alice again.'),
  ('ping_all_clear', '{"user_id": null, "safe": true}', false, 'Alice', 'Alice checked in. They''re safe.'),
  ('ping_all_clear', '{"user_id": null, "safe": true, "then_at": "2027-03-12T07:05:00.000000Z"}', false, 'Alice', 'Alice checked in at 08:05.'),
  ('ping_all_clear', '{"tapped_at": "2027-03-12T07:05:00.000000Z", "then_at": "2027-03-12T07:05:00.000000Z"}', false, 'Alice', 'Alice checked in at 08:05; it arrived later.'),
  ('ping_missed', '{}', null, null, 'You missed today''s check-in. Check in now to let your receivers know you''re safe.'),
  ('ping_missed', '{"date": "2027-03-11", "on": "2027-03-11"}', null, null, 'You missed the check-in on 11 March 2027. Check in now to let your receivers know you''re safe.'),
  ('ping_missed', '{"user_id": null}', false, 'Alice', 'Alice has not checked in today.'),
  ('ping_missed', '{"user_id": null}', false, ' ', 'Your sender has not checked in today.'),
  ('ping_missed', '{"user_id": null, "unreached": true}', false, 'Alice', 'Alice has not checked in today. Our question may not have reached them.'),
  (
    'ping_missed', '{"user_id": null, "date": "2027-03-11", "on": "2027-03-11", "unreached": true}', false, 'Alice',
    'Alice did not check in on 11 March 2027. Our question may not have reached them.'
  ),
  ('ping_missed', '{"user_id": null, "date": "2027-03-11", "on": "2027-03-11"}', false, 'Alice', 'Alice did not check in on 11 March 2027.'),
  (
    'ping_missed', '{"user_id": null, "not_asked_from_at": "2027-03-12T06:00:00.000000Z", "not_asked_until_at": "2027-03-12T07:10:00.000000Z"}', false,
    null, 'Kith could not ask your sender from 12 March 2027, 07:00 to 12 March 2027, 08:10.'
  ),
  (
    'ping_missed',
    '{"user_id": null, "not_asked_from_at": "2027-03-12T06:00:00.000000Z", "not_asked_until_at": "2027-03-12T07:10:00.000000Z", "last_check_in_at": "2027-03-11T08:00:00.000000Z"}',
    false, 'Alice', 'Kith could not ask Alice from 12 March 2027, 07:00 to 12 March 2027, 08:10. Their last check-in was 11 March 2027, 09:00.'
  ),
  ('ping_all_clear', '{}', false, 'Alice', 'Alice checked in late. They''re safe.'),
  ('ping_all_clear', '{"tapped_at": "2027-03-12T07:05:00.000000Z"}', false, 'Alice', 'Alice checked in at 08:05; it arrived later.'),
  ('subscription_lapsing', '{"date": "2026-04-01"}', null, 'Bob', 'Pings to Bob stop on 1 April 2026 unless the subscription is renewed.'),
  ('subscription_lapsing', '{"date": "2026-04-01"}', true, '', 'Pings to your receiver stop on 1 April 2026 unless the subscription is renewed.'),
  ('subscription_lapsing', '{"stopped": "stopped"}', true, 'Bob', 'Bob no longer gets your pings: their subscription has ended.'),
  (
    'subscription_lapsing', '{"stopped": "last"}', true, 'Bob',
    'Bob no longer gets your pings: their subscription has ended. Emergency access by silence rests meanwhile.'
  ),
  ('break_started', '{"until": "2026-04-01"}', false, 'Alice', 'Alice is taking a break until 1 April 2026.'),
  ('break_ended', '{}', false, 'Alice', 'Alice''s daily pings are on again.'),
  ('vault_opened', '{"vault_name": "Papers"}', null, 'Alice', 'Alice opened Papers. You can enter now.'),
  ('vault_opened', '{"vault_name": "Papers", "to": "owner"}', null, 'Bob', 'Bob opened Papers.'),
  ('vault_locked', '{"vault_name": "Papers"}', null, null, 'Papers is locked.'),
  ('vault_locked', '{}', null, null, 'a vault is locked.'),
  ('vault_locked', '{"vault_name": "Papers", "to": "owner"}', null, 'Bob', 'Bob locked Papers.'),
  ('nominee_changed', '{"vault_name": "Papers"}', null, 'Alice', 'Alice changed your access to Papers.'),
  ('nominee_changed', '{"vault_name": "Papers"}', null, null, 'Someone changed your access to Papers.'),
  ('nominee_revoked', '{"vault_name": "Papers"}', null, null, 'Your access to Papers has ended.'),
  ('nominee_revoked', '{"vault_name": "Papers", "to": "owner"}', null, null, 'Someone no longer has access to Papers.'),
  ('nominee_revoked', '{"vault_name": "Papers", "to": "invited"}', null, null, 'Your invitation to “Papers” has ended.'),
  ('nominee_revoked', '{"to": "invited"}', null, null, 'Your invitation to a vault has ended.'),
  ('nominee_invited', '{"vault_name": "Kith\": call \"+44"}', null, 'Alice', 'Alice invites you to “Kith'': call ''+44”.'),
  ('nominee_invited', '{"vault_name": "Two\nlines \u202Ereversed"}', null, 'Alice', 'Alice invites you to “Two lines  reversed”.'),
  ('nominee_invited', jsonb_build_object('vault_name', repeat('a', 60)), null, 'Alice', 'Alice invites you to “' || repeat('a', 60) || '”.'),
  ('nominee_invited', jsonb_build_object('vault_name', repeat('a', 200)), null, 'Alice', 'Alice invites you to “' || repeat('a', 59) || '…”.'),
  ('vault_locked', jsonb_build_object('vault_name', repeat('a', 58) || 'e' || u&'\0301' || 'bc'), null, null, repeat('a', 58) || '… is locked.'),
  (
    'vault_locked', jsonb_build_object('vault_name', repeat('a', 55) || '👨' || u&'\200D' || '👩' || u&'\200D' || '👧bc'), null, null,
    repeat('a', 55) || '… is locked.'
  ),
  ('nominee_accepted', '{"vault_name": "Papers"}', null, 'Bob', 'Bob accepted your invitation to Papers.'),
  (
    'nominee_accepted', '{"vault_name": "Papers", "right": "sleeps"}', null, 'Bob',
    'Bob accepted your invitation to Papers. They have no emergency access until you confirm that it is them.'
  ),
  ('nominee_declined', '{"vault_name": "Papers"}', null, 'Bob', 'Bob declined your invitation to Papers.'),
  ('transfer_requested', '{"vault_name": "Papers"}', null, 'Alice', 'Alice wants to make you the owner of “Papers”.'),
  ('transfer_accepted', '{"vault_name": "Papers"}', null, 'Bob', 'Bob is now the owner of Papers.'),
  ('transfer_declined', '{"vault_name": "Papers"}', null, 'Bob', 'Bob does not want to become the owner of Papers.'),
  ('message_received', '{}', null, 'Bob', 'This message was deleted.'),
  (
    'emergency_requested', '{"to": "owner", "vault_name": "Papers", "grants_at": "2027-03-14T07:30:00.000000Z"}', null, 'Bob',
    'Bob asks for emergency access to Papers. They get in on 14 March 2027, 08:30 unless you say no.'
  ),
  (
    'emergency_requested', '{"to": "owner", "vault_name": "Papers"}', null, 'Bob',
    'Bob asks for emergency access to Papers. The wait begins when more of your nominees ask.'
  ),
  (
    'emergency_requested', '{"to": "owner", "vault_name": "Papers", "missed_days": 3, "grants_at": "2027-03-14T07:30:00.000000Z"}', null, 'Bob',
    'You have not checked in for 3 days. Bob gets into Papers on 14 March 2027, 08:30 unless you check in.'
  ),
  (
    'emergency_requested',
    '{"to": "owner", "vault_name": "Papers", "missed_days": 3, "check_in_stops": false, "grants_at": "2027-03-14T07:30:00.000000Z"}', null, 'Bob',
    'You have not checked in for 3 days. Bob gets into Papers on 14 March 2027, 08:30 unless you say no.'
  ),
  (
    'emergency_requested', '{"to": "owner", "vault_name": "Papers", "detail": "moved", "grants_at": "2027-03-14T07:30:00.000000Z"}', null, 'Bob',
    'Bob''s emergency access to Papers moves to 14 March 2027, 08:30.'
  ),
  (
    'emergency_requested', '{"to": "nominee", "vault_name": "Papers", "grants_at": "2027-03-14T07:30:00.000000Z"}', null, 'Alice',
    'You get into Papers on 14 March 2027, 08:30 unless Alice says no.'
  ),
  (
    'emergency_reminder', '{"to": "owner", "vault_name": "Papers", "grants_at": "2027-03-14T07:30:00.000000Z"}', null, 'Bob',
    'Bob gets into Papers in 2 days. Check in or say no to stop it.'
  ),
  (
    'emergency_approved', '{"to": "nominee", "vault_name": "Papers", "ends_at": "2027-03-14T07:30:00.000000Z"}', null, 'Alice',
    'You can enter Papers now, until 14 March 2027, 08:30.'
  ),
  (
    'emergency_opened', '{"to": "nominee", "vault_name": "Papers", "ends_at": "2027-03-14T07:30:00.000000Z"}', null, 'Alice',
    'You can enter Papers now, until 14 March 2027, 08:30.'
  ),
  (
    'emergency_opened', '{"to": "owner", "vault_name": "Papers", "ends_at": "2027-03-14T07:30:00.000000Z"}', null, 'Bob',
    'Bob can enter Papers now and can stay until 14 March 2027, 08:30. Say no to end it.'
  ),
  (
    'emergency_opened', '{"to": "owner", "vault_name": "Papers", "detail": "entered", "ends_at": "2027-03-14T07:30:00.000000Z"}', null, 'Bob',
    'Bob has entered Papers and can stay until 14 March 2027, 08:30. Say no to end it.'
  ),
  (
    'emergency_opened',
    '{"to": "owner", "vault_name": "Papers", "detail": "late", "since_at": "2027-03-11T07:30:00.000000Z", "ends_at": "2027-03-14T07:30:00.000000Z"}',
    null, 'Bob', 'Bob has been able to enter Papers since 11 March 2027, 08:30 and can stay until 14 March 2027, 08:30. Say no to end it.'
  ),
  ('emergency_rejected', '{"to": "nominee", "vault_name": "Papers", "detail": "returned"}', null, 'Alice', 'Alice is safe. Your emergency access to Papers has ended.'),
  ('emergency_rejected', '{"to": "nominee", "vault_name": "Papers"}', null, 'Alice', 'Alice said no to your emergency access to Papers.'),
  ('emergency_rejected', '{"to": "nominee", "vault_name": "Papers"}', null, null, 'Someone said no to your emergency access to Papers.'),
  ('emergency_rejected', '{"to": "owner", "vault_name": "Papers", "detail": "withdrawn"}', null, 'Bob', 'Bob no longer asks for emergency access to Papers.');
select is((tests.told(type, data, is_sender, name)).body, body, format('%s says %L', type, body)) from texts order by n;

select is(
  (select string_agg(distinct (tests.told(type, data, is_sender, name)).title, ', ') from texts where data ? 'then_at'), 'Checked In',
  'none of them is titled "Safe" while an alarm or a question stands open (X39)'
);

-- Each language, and its typography.
select set_eq(
  $$ select distinct internal.text_key(type, data, is_sender) from texts $$,
  $$
    select key from internal.texts
    where locale = 'en' and key like 'notification.%' and key not like '%.title' and key not in (
      'notification.emergency_requested.nominee_moved', 'notification.emergency_reminder.owner_no',
      'notification.emergency_rejected.nominee_not_reached', 'notification.emergency_rejected.nominee_stopped',
      'notification.emergency_rejected.nominee_ended', 'notification.emergency_rejected.owner_not_reached',
      'notification.emergency_rejected.owner_stopped', 'notification.emergency_rejected.owner_ended'
    )
  $$,
  'the texts above are all that there are, but for some about emergency access that differ in their last words'
);
select is_empty(
  $$
    select language.locale, texts.type, words.title, words.body
    from texts
    cross join internal.languages as language
    cross join lateral tests.told(texts.type, texts.data, texts.is_sender, texts.name, language.locale) as words
    where words.body is null or words.title is null or words.title || words.body ~ '[{}]|%[0-9]' or words.body = words.title
      or words.body ~ '  |^ |\s\.' and words.body !~ 'lines  reversed' or words.body = texts.type
      or language.locale <> 'en' and texts.type <> 'message_received' and words.body = texts.body
  $$,
  'each of them renders in each language, in words of its own'
);
select is_empty(
  $$
    select language.locale, texts.type, words.body
    from texts
    cross join internal.languages as language
    cross join lateral tests.told(texts.type, texts.data, texts.is_sender, texts.name, language.locale) as words
    where words.title || words.body ~ '\d{4}-\d{2}-\d{2}'
  $$,
  'none has a date as computers write it'
);
select is(
  (tests.told('break_started', '{"until": "2027-12-03"}', false, 'Alice', 'de')).body, 'Alice nimmt sich bis zum 3. Dezember eine Auszeit. Bleibt die Meldung aus, werden Sie so lange nicht benachrichtigt.',
  'a break ends on a date of the language'
);
select is(
  (tests.told('alarm_repeat', '{}', false, null, 'de-informal')).body, 'Noch immer hat sich Person ohne Namen nicht gemeldet.',
  'somebody without a name is one phrase in every sentence'
);
select is(
  (tests.told('emergency_reminder', '{"to": "owner", "vault_name": "Papers", "grants_at": "2027-03-12T07:31:00.000000Z"}', null, 'Bob')).body,
  'Bob gets into Papers in 1 minute. Check in or say no to stop it.', 'a number decides the form'
);
select matches(
  (tests.told('ping_completed', '{"tapped_at": "2027-03-09T08:00:00.000000Z"}', false, 'Alice', 'de')).body, '9\. März, 09:00 Uhr',
  'German writes a date of the same year as people do'
);
select matches(
  (tests.told('ping_completed', '{"tapped_at": "2026-12-31T08:00:00.000000Z"}', false, 'Alice', 'de')).body, '31\. Dezember 2026, 09:00 Uhr',
  'and one of another year with the year'
);
select is(internal.local_text('2027-03-04T23:05Z', 'Asia/Tokyo'), '5 March 2027, 08:05', 'a day has no leading zero, an hour has');
select is(internal.time_left_text(remaining::interval), words, format('%s is %s', remaining, words))
from (values
  ('21 days', '21 days'), ('2 days', '2 days'), ('1 day', '1 day'), ('1 day -3 seconds', '1 day'), ('30 hours', '30 hours'), ('1 hour', '1 hour'),
  ('59 minutes 58 seconds', '1 hour'), ('10 minutes', '10 minutes'), ('1 second', '1 minute')
) as times (remaining, words);
select is((tests.told('ping_completed', '{}', false, u&'\05D3\05E0\05D4')).body, u&'\2068\05D3\05E0\05D4\2069 checked in.', 'a name of the other direction is isolated');
select is((tests.told('ping_completed', '{}', false, 'Jürgen Ø.')).body, 'Jürgen Ø. checked in.', 'a name of the same direction is not');
select is((tests.told('ping_completed', '{}', false, '100 % %1$s {name}')).body, '100 % %1$s {name} checked in.', 'a name is no pattern');
select is(
  (tests.told('ping_missed', '{"date": "2027-02-30", "on": "2027-02-30"}', null, null)).body, 'Missed Check-In', 'where a parameter is wrong, the title is all'
);
select is(
  (tests.told('emergency_approved', '{"vault_name": "Papers"}', null, null)).body, 'Emergency Access', 'or missing'
);
select results_eq(
  $$ select title, body from tests.told('unheard_of', '{}', null, null) $$, $$ values ('unheard_of', 'unheard_of') $$, 'an unknown type reads as its name'
);

select * from finish();
rollback;
