-- The texts of notifications, byte for byte.
begin;
\ir people.sql
select plan(43);

select is(
  internal.notification_title(type), title,
  format('the title of %s is %L', type, title)
)
from (values
  ('connection_request', 'New Connection'),
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
  ('transfer_requested', 'Vault Transfer'),
  ('transfer_accepted', 'Vault Transfer'),
  ('transfer_declined', 'Vault Transfer')
) as texts (type, title);

select is(
  internal.notification_body(type, recipient, name, value), body,
  format('%s tells the %s %L', type, recipient, body)
)
from (values
  ('connection_request', 'receiver', 'Alice', null, 'Alice is now sending you pings'),
  ('connection_request', 'sender', 'Bob', null, 'Bob is now receiving your pings'),
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
  ('nominee_revoked', 'nominee', null, 'Papers', 'Your access to Papers has ended.'),
  ('nominee_revoked', 'owner', null, 'Papers', 'Someone no longer has access to Papers.'),
  ('nominee_declined', 'nominee', 'Bob', 'Papers', 'Bob declined your invitation to Papers.'),
  ('transfer_requested', 'nominee', 'Alice', 'Papers', 'Alice wants to make you the owner of Papers.'),
  ('transfer_accepted', 'nominee', 'Bob', 'Papers', 'Bob is now the owner of Papers.'),
  ('transfer_declined', 'nominee', 'Bob', 'Papers', 'Bob does not want to become the owner of Papers.')
) as texts (type, recipient, name, value, body);

select * from finish();
rollback;
