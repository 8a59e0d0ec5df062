-- The texts of notifications, byte for byte.
begin;
\ir people.sql
select plan(95);

select is(
  internal.notification_title(type), title,
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
  ('emergency_opened', 'Emergency Access')
) as texts (type, title);

select is(
  internal.notification_body(type, recipient, name, value), body,
  format('%s tells the %s %L', type, recipient, body)
)
from (values
  ('connection_request', 'receiver', 'Alice', null, 'Alice is now sending you pings'),
  ('connection_request', 'sender', 'Bob', null, 'Bob is now receiving your pings'),
  ('connection_requested', 'receiver', 'Alice', null, 'Alice wants to send you pings'),
  ('connection_requested', 'sender', 'Bob', null, 'Bob wants to receive your pings'),
  ('connection_requested', 'sender', null, null, 'Your receiver wants to receive your pings'),
  ('connection_accepted', 'receiver', 'Alice', null, 'Alice accepted your connection'),
  ('connection_accepted', 'sender', 'Bob', null, 'Bob accepted your connection'),
  ('connection_accepted', 'sender', null, null, 'Your receiver accepted your connection'),
  ('connection_paused', 'receiver', 'Alice', null, 'Alice has paused their connection with you'),
  ('connection_resumed', 'receiver', 'Alice', null, 'Alice has resumed their connection with you'),
  ('connection_removed', 'sender', 'Bob', null, 'Bob has removed your connection'),
  ('connection_removed', 'receiver', 'Alice', null, 'Alice has removed you as a receiver'),
  ('connection_removed', 'receiver', 'Alice', 'support', 'This connection was removed by support'),
  ('ping_due', 'sender', null, null, 'Let your receivers know you''re safe.'),
  ('ping_reminder', 'sender', null, '15', '15 minutes left to check in.'),
  ('ping_reminder', 'sender', null, '1', '1 minute left to check in.'),
  ('ping_completed', 'receiver', 'Alice', null, 'Alice checked in.'),
  ('ping_missed', 'sender', null, null, 'You missed today''s check-in. Check in now to let your receivers know you''re safe.'),
  ('ping_missed', 'receiver', 'Alice', null, 'Alice has not checked in today.'),
  ('ping_all_clear', 'receiver', 'Alice', null, 'Alice checked in late. They''re safe.'),
  ('subscription_lapsing', 'receiver', 'Bob', '2026-04-01', 'Pings to Bob stop on 2026-04-01 unless the subscription is renewed.'),
  ('subscription_lapsing', 'sender', '', '2026-04-01', 'Pings to Your receiver stop on 2026-04-01 unless the subscription is renewed.'),
  ('break_started', 'receiver', 'Alice', '2026-04-01', 'Alice is taking a break until 2026-04-01.'),
  ('break_ended', 'receiver', 'Alice', null, 'Alice''s daily pings are on again.'),
  ('ping_missed', 'receiver', ' ', null, 'Your sender has not checked in today.'),
  ('connection_request', 'sender', null, null, 'Your receiver is now receiving your pings'),
  ('vault_opened', 'nominee', 'Alice', 'Papers', 'Alice opened Papers. You can enter now.'),
  ('vault_locked', 'nominee', null, 'Papers', 'Papers is locked.'),
  ('vault_opened', 'owner', 'Bob', 'Papers', 'Bob opened Papers.'),
  ('vault_locked', 'owner', 'Bob', 'Papers', 'Bob locked Papers.'),
  ('nominee_changed', 'nominee', 'Alice', 'Papers', 'Alice changed your access to Papers.'),
  ('nominee_changed', 'nominee', null, 'Papers', 'Someone changed your access to Papers.'),
  ('nominee_revoked', 'nominee', null, 'Papers', 'Your access to Papers has ended.'),
  ('nominee_revoked', 'owner', null, 'Papers', 'Someone no longer has access to Papers.'),
  ('nominee_revoked', 'invited', null, 'Papers', 'Your invitation to “Papers” has ended.'),
  ('nominee_revoked', 'invited', null, 'a vault', 'Your invitation to a vault has ended.'),
  ('nominee_invited', 'nominee', 'Alice', 'Kith": call "+44', 'Alice invites you to “Kith'': call ''+44”.'),
  ('nominee_invited', 'nominee', 'Alice', e'Two\nlines \u202Ereversed', 'Alice invites you to “Two lines  reversed”.'),
  ('nominee_invited', 'nominee', 'Alice', repeat('a', 60), 'Alice invites you to “' || repeat('a', 60) || '”.'),
  ('nominee_invited', 'nominee', 'Alice', repeat('a', 200), 'Alice invites you to “' || repeat('a', 59) || '…”.'),
  ('vault_locked', 'nominee', null, repeat('a', 58) || 'e' || u&'\0301' || 'bc', repeat('a', 58) || '… is locked.'),
  ('vault_locked', 'nominee', null, repeat('a', 55) || '👨' || u&'\200D' || '👩' || u&'\200D' || '👧bc', repeat('a', 55) || '… is locked.'),
  ('emergency_reminder', 'owner', 'Bob', repeat('a', 200) || e'\n2 days', 'Bob gets into ' || repeat('a', 59) || '… in 2 days. Check in or say no to stop it.'),
  ('nominee_declined', 'nominee', 'Bob', 'Papers', 'Bob declined your invitation to Papers.'),
  ('transfer_requested', 'nominee', 'Alice', 'Papers', 'Alice wants to make you the owner of “Papers”.'),
  ('transfer_accepted', 'nominee', 'Bob', 'Papers', 'Bob is now the owner of Papers.'),
  ('transfer_declined', 'nominee', 'Bob', 'Papers', 'Bob does not want to become the owner of Papers.'),
  (
    'emergency_requested', 'owner', 'Bob', e'Papers\n14 March 2027, 08:30\n',
    'Bob asks for emergency access to Papers. They get in on 14 March 2027, 08:30 unless you say no.'
  ),
  (
    'emergency_requested', 'owner', 'Bob', e'Papers\n\n',
    'Bob asks for emergency access to Papers. The wait begins when more of your nominees ask.'
  ),
  (
    'emergency_requested', 'owner', 'Bob', e'Papers\n14 March 2027, 08:30\n3',
    'You have not checked in for 3 days. Bob gets into Papers on 14 March 2027, 08:30 unless you check in.'
  ),
  (
    'emergency_requested', 'nominee', 'Alice', e'Papers\n14 March 2027, 08:30\n',
    'You get into Papers on 14 March 2027, 08:30 unless Alice says no.'
  ),
  ('emergency_reminder', 'owner', 'Bob', e'Papers\n2 days\n', 'Bob gets into Papers in 2 days. Check in or say no to stop it.'),
  ('emergency_approved', 'nominee', 'Alice', e'Papers\n14 March 2027, 08:30\n', 'You can enter Papers now, until 14 March 2027, 08:30.'),
  ('emergency_opened', 'nominee', 'Alice', e'Papers\n14 March 2027, 08:30\n', 'You can enter Papers now, until 14 March 2027, 08:30.'),
  (
    'emergency_opened', 'owner', 'Bob', e'Papers\n14 March 2027, 08:30\n',
    'Bob can enter Papers now and can stay until 14 March 2027, 08:30. Say no to end it.'
  ),
  (
    'emergency_opened', 'owner', 'Bob', e'Papers\n14 March 2027, 08:30\nentered',
    'Bob has entered Papers and can stay until 14 March 2027, 08:30. Say no to end it.'
  ),
  (
    'emergency_opened', 'owner', 'Bob', e'Papers\n14 March 2027, 08:30\nlate\ntrue\n11 March 2027, 08:30',
    'Bob has been able to enter Papers since 11 March 2027, 08:30 and can stay until 14 March 2027, 08:30. Say no to end it.'
  ),
  ('emergency_rejected', 'nominee', 'Alice', e'Papers\n\nreturned', 'Alice is safe. Your emergency access to Papers has ended.'),
  ('emergency_rejected', 'nominee', 'Alice', e'Papers\n\n', 'Alice said no to your emergency access to Papers.'),
  ('emergency_rejected', 'nominee', null, e'Papers\n\n', 'Someone said no to your emergency access to Papers.'),
  ('emergency_rejected', 'owner', 'Bob', e'Papers\n\nwithdrawn', 'Bob no longer asks for emergency access to Papers.')
) as texts (type, recipient, name, value, body);

select is(internal.local_text('2027-03-14T07:30Z', 'Europe/Berlin'), '14 March 2027, 08:30', 'an instant reads in the person''s zone');
select is(internal.local_text('2027-03-04T23:05Z', 'Asia/Tokyo'), '5 March 2027, 08:05', 'a day has no leading zero, an hour has');
select is(internal.time_left_text(remaining::interval), words, format('%s is %s', remaining, words))
from (values
  ('21 days', '21 days'), ('2 days', '2 days'), ('1 day', '1 day'), ('1 day -3 seconds', '1 day'), ('30 hours', '30 hours'), ('1 hour', '1 hour'),
  ('59 minutes 58 seconds', '1 hour'), ('10 minutes', '10 minutes'), ('1 second', '1 minute')
) as times (remaining, words);

select * from finish();
rollback;
