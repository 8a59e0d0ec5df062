-- The texts of notifications, byte for byte as the documentation and clients know them. They exist only here. Names are rendered when
-- the notification is written.

create or replace function internal.notification_title(p_type text) returns text
  language sql
  immutable
  parallel safe
as $$
  select case p_type
    when 'connection_request' then 'New Connection'
    when 'connection_paused' then 'Connection Paused'
    when 'connection_resumed' then 'Connection Resumed'
    when 'connection_removed' then 'Connection Removed'
    when 'ping_due' then 'Time to Check In'
    when 'ping_reminder' then 'Check-In Reminder'
    when 'ping_completed' then 'Safe'
    when 'ping_missed' then 'Missed Check-In'
    when 'ping_all_clear' then 'All Clear'
    when 'subscription_lapsing' then 'Subscription Ending'
    when 'break_started' then 'On a Break'
    when 'break_ended' then 'Back From a Break'
    when 'vault_opened' then 'Vault Open'
    when 'vault_locked' then 'Vault Locked'
    when 'nominee_invited' then 'Vault Invitation'
    when 'nominee_revoked' then 'Access Ended'
    when 'nominee_accepted' then 'Invitation Accepted'
    when 'nominee_declined' then 'Invitation Declined'
    when 'transfer_requested' then 'Vault Transfer'
    when 'transfer_accepted' then 'Vault Transfer'
    when 'transfer_declined' then 'Vault Transfer'
  end
$$;
comment on function internal.notification_title(text) is 'The title of a notification type. Null for a message, whose title is its writer''s name, and for an unknown type.';
revoke all on function internal.notification_title(text) from public;
grant execute on function internal.notification_title(text) to kith_worker;

create or replace function internal.notification_body(p_type text, p_to text, p_name text, p_value text default null) returns text
  language sql
  immutable
  parallel safe
as $$
  select case p_type
    when 'connection_request' then
      case p_to
        when 'receiver' then coalesce(nullif(btrim(p_name), ''), 'Your sender') || ' is now sending you pings'
        else coalesce(nullif(btrim(p_name), ''), 'Your receiver') || ' is now receiving your pings'
      end
    when 'connection_paused' then coalesce(nullif(btrim(p_name), ''), 'Your sender') || ' has paused their connection with you'
    when 'connection_resumed' then coalesce(nullif(btrim(p_name), ''), 'Your sender') || ' has resumed their connection with you'
    when 'connection_removed' then
      case
        when p_value = 'support' then 'This connection was removed by support'
        when p_to = 'receiver' then coalesce(nullif(btrim(p_name), ''), 'Your sender') || ' has removed you as a receiver'
        else coalesce(nullif(btrim(p_name), ''), 'Your receiver') || ' has removed your connection'
      end
    when 'ping_due' then 'Let your receivers know you''re safe.'
    when 'ping_reminder' then p_value || case p_value when '1' then ' minute' else ' minutes' end || ' left to check in.'
    when 'ping_completed' then coalesce(nullif(btrim(p_name), ''), 'Your sender') || ' checked in.'
    when 'ping_missed' then
      case p_to
        when 'sender' then 'You missed today''s check-in. Check in now to let your receivers know you''re safe.'
        else coalesce(nullif(btrim(p_name), ''), 'Your sender') || ' has not checked in today.'
      end
    when 'ping_all_clear' then coalesce(nullif(btrim(p_name), ''), 'Your sender') || ' checked in late. They''re safe.'
    when 'subscription_lapsing' then
      'Pings to ' || coalesce(nullif(btrim(p_name), ''), 'Your receiver') || ' stop on ' || p_value || ' unless the subscription is renewed.'
    when 'break_started' then coalesce(nullif(btrim(p_name), ''), 'Your sender') || ' is taking a break until ' || p_value || '.'
    when 'break_ended' then coalesce(nullif(btrim(p_name), ''), 'Your sender') || '''s daily pings are on again.'
    when 'vault_opened' then internal.name_of_anybody(p_name) || ' opened ' || p_value || '. You can enter now.'
    when 'vault_locked' then p_value || ' is locked.'
    when 'nominee_invited' then internal.name_of_anybody(p_name) || ' invites you to ' || p_value || '.'
    when 'nominee_revoked' then
      case p_to
        when 'owner' then internal.name_of_anybody(p_name) || ' no longer has access to ' || p_value || '.'
        else 'Your access to ' || p_value || ' has ended.'
      end
    when 'nominee_accepted' then internal.name_of_anybody(p_name) || ' accepted your invitation to ' || p_value || '.'
    when 'nominee_declined' then internal.name_of_anybody(p_name) || ' declined your invitation to ' || p_value || '.'
    when 'transfer_requested' then internal.name_of_anybody(p_name) || ' wants to make you the owner of ' || p_value || '.'
    when 'transfer_accepted' then internal.name_of_anybody(p_name) || ' is now the owner of ' || p_value || '.'
    when 'transfer_declined' then internal.name_of_anybody(p_name) || ' does not want to become the owner of ' || p_value || '.'
    -- The text is short enough for a push message.
    when 'message_received' then left(p_value, 120)
  end
$$;
comment on function internal.notification_body(text, text, text, text) is
  'The body of a notification type. p_to is the recipient''s role: ''sender'' or ''receiver'' of a connection, ''owner'' or ''nominee'' of a vault. p_name is the other side''s name. p_value is the minutes left, the date, ''support'', the vault''s name, or the text of a message.';
revoke all on function internal.notification_body(text, text, text, text) from public;
grant execute on function internal.notification_body(text, text, text, text) to kith_worker;
