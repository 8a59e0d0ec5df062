create or replace function internal.is_unheard(p_status text, p_error text) returns boolean
  language sql
  immutable
  parallel safe
as $$
  select p_status = 'sent'
    and coalesce(p_error in ('a machine answered', 'nobody answered', 'the line was busy', 'the call failed'), false)
$$;
comment on function internal.is_unheard(text, text) is
  'Whether a delivery, by its status and its error, is a call that nobody has heard (internal.leave_unheard).';

create or replace function internal.what_became_of(p_notification kith.notifications) returns text
  language plpgsql
  stable
as $$
begin
  return coalesce(
    (
      select string_agg(
        case delivery.status
          when 'sent' then format('sent by %s at %s', delivery.channel, internal.shown_instant(delivery.sent_at))
          else format('%s by %s%s', delivery.status, delivery.channel, ': ' || delivery.error)
        end, '; ' order by delivery.id
      )
      from kith.deliveries as delivery
      where delivery.tenant_id = p_notification.tenant_id and delivery.notification_id = p_notification.id
    ),
    case
      when p_notification.planned_at is null then 'not planned yet' || case
        when internal.awaits_confirmation()
          then ': the database was restored, and nobody is told anything before admin.confirm_restore'
        when exists (
          select from kith.set_aside as aside
          where aside.tenant_id = p_notification.tenant_id and aside.key = p_notification.id::text
        )
          then ': the worker has set it aside (admin.set_aside)'
        else ''
      end
      else 'on no channel: ' || internal.untried_channels(p_notification) end
  ) || coalesce('; read in the app at ' || internal.shown_instant(p_notification.read_at), '');
end
$$;
comment on function internal.what_became_of(kith.notifications) is
  'On which channels a notification was sent, or why on none, and when it was read, in words for an operator.';

create or replace function internal.how_told(p_notification kith.notifications) returns text
  language sql
  immutable
  parallel safe
as $$
  select case
    when (p_notification).delivery_status = 'sent' or (p_notification).read_at is not null then 'told'
    when (p_notification).delivery_status = 'queued' then 'being told'
    when (p_notification).delivery_status = 'failed' then 'not reached'
    else 'not sent'
  end
$$;
comment on function internal.how_told(kith.notifications) is
  'Whether a notification has reached its reader, in the words of stories: told, being told, not reached, or not sent.';

create or replace function internal.untried_channels(p_notification kith.notifications) returns text
  language plpgsql
  stable
as $$
begin
  return (
    select coalesce(
      string_agg(format('%s: %s', way.channel, reason.text), '; ' order by way.n), 'the account has ended'
    )
    from kith.users as account
    join internal.notification_types() as known on known.type = p_notification.type
    left join kith.notification_preferences as preference
      on preference.tenant_id = account.tenant_id and preference.user_id = account.id and preference.type = known.type
    cross join lateral (values
      (1, 'apns', 'push', case when not exists (
        select from kith.devices as device
        where device.tenant_id = account.tenant_id and device.user_id = account.id and device.platform = 'ios'
      ) then 'no device' end),
      (2, 'web_push', 'push', case when not exists (
        select from kith.devices as device
        where device.tenant_id = account.tenant_id and device.user_id = account.id and device.platform = 'web'
          and device.public_key is not null
      ) then 'no browser' end),
      (3, 'email', 'email', case
        when account.email is null then 'no address' when account.email_verified_at is null
          then 'the address is not verified'
      end),
      (4, 'sms', 'sms', case
        when account.phone is null then 'no number' when account.phone_verified_at is null
          then 'the number is not verified'
        when internal.has_stopped_texts(account.tenant_id, account.phone) then 'the number has answered STOP'
      end),
      (5, 'voice', 'voice', case
        when not internal.is_spoken(p_notification.type) and not internal.escalates(p_notification.type)
          then 'nobody is called about it'
        when account.phone is null then 'no number' when account.phone_verified_at is null
          then 'the number is not verified'
      end)
    ) as way (n, channel, preference, obstacle)
    cross join lateral (
      select coalesce(
        way.obstacle,
        case
          when not internal.escalates(p_notification.type)
            and way.preference <> all (coalesce(preference.channels, known.channels))
            then 'not chosen for this type'
        end,
        case when not exists (
          select from kith.channel_credentials as credentials
          where credentials.tenant_id = account.tenant_id and credentials.channel = way.channel
        ) then 'the tenant has no credentials for it' end,
        (
          select 'paused: ' || pause.reason from kith.channel_pauses as pause
          where pause.tenant_id in (0, account.tenant_id) and pause.channel = way.channel limit 1
        ),
        'kept for when the others fail, or possible only since then'
      ) as text
    ) as reason
    where account.tenant_id = p_notification.tenant_id and account.id = p_notification.user_id
      and account.deleted_at is null and not exists (
        select from kith.deliveries as delivery
        where delivery.tenant_id = p_notification.tenant_id and delivery.notification_id = p_notification.id
          and delivery.channel = way.channel
      )
    having count(*) > 0 or not exists (
      select from kith.users as gone
      where gone.tenant_id = p_notification.tenant_id and gone.id = p_notification.user_id and gone.deleted_at is null
    )
  );
end
$$;
comment on function internal.untried_channels(kith.notifications) is
  'Why a notification did not go out on each of the channels without a delivery, as things are now: no device, an '
  'address that is not verified, no credentials. Null if every channel was tried. For internal.notification_story.';
