-- Why a notification no longer needs sending: what it says is over, answered, or no longer so.

create or replace function internal.over_in_alarm(p_tenant_id integer, p_user_id uuid, p_type text, p_data jsonb)
  returns text
  language plpgsql
  stable
as $$
declare
  v_alarm kith.alarms;
  -- A false word of one receiver must not keep from the others that somebody calls for help, or that the word is
  -- contradicted.
  v_outlives_word boolean := p_type in ('help_requested', 'ask_unanswered')
    or p_type = 'alarm_reopened' and p_data ? 'was';
begin
  if p_type = 'ask' then
    return (
      select 'it was answered' from kith.asks as ask
      where ask.tenant_id = p_tenant_id and ask.id = (p_data ->> 'ask_id')::uuid and ask.ended_at is not null
    );
  elsif p_type = 'ping_missed' and not p_data ? 'drill' then
    return case
      when internal.is_moot_miss(p_tenant_id, p_data) then 'the alarm is over, or somebody looks after it'
    end;
  elsif p_type = 'ping_all_clear' then
    return null;
  end if;
  if p_data ->> 'outcome' in ('deleted', 'drill_over') then
    -- That it ended stays true after it is gone.
    return null;
  end if;
  select * into v_alarm from kith.alarms where tenant_id = p_tenant_id and id = (p_data ->> 'alarm_id')::uuid;
  return case
    when v_alarm.id is null then 'the alarm is gone'
    when p_type = 'alarm_resolved' then case
      when v_alarm.resolved_at is null then 'the alarm is open again'
      when v_alarm.outcome in ('safe', 'help_called') and v_alarm.kind <> 'drill' and not v_alarm.awaits_check_in
        then 'they have checked in since'
      when internal.hears_what_stands_open(p_tenant_id, v_alarm.sender_id, p_user_id)
        then 'they call for help, or were asked, since then'
    end
    when v_alarm.resolved_at is not null and not (v_outlives_word and v_alarm.outcome in ('safe', 'help_called'))
      then 'the alarm is over'
    when p_type in ('alarm_repeat', 'alarm_reopened') and v_alarm.taken_at is not null and not v_outlives_word
      then 'somebody looks after it'
    when p_type = 'alarm_taken' and v_alarm.taken_at is null then 'nobody looks after it any more'
    when p_type = 'alarm_taken' and v_alarm.taken_by = p_user_id then 'its reader looks after it'
    when p_type = 'alarm_check' and v_alarm.checked_at is null then 'it was answered'
    when not exists (
      select from kith.alarm_receivers as receiver
      where receiver.tenant_id = p_tenant_id and receiver.alarm_id = v_alarm.id and receiver.receiver_id = p_user_id
        and receiver.left_at is null
    ) and v_alarm.sender_id <> p_user_id then 'they have left the alarm'
  end;
end
$$;
comment on function internal.over_in_alarm(integer, uuid, text, jsonb) is
  'Why a notification about an alarm or a question no longer needs sending: the question is answered, the alarm is '
  'over, its reader has no part in it any more, or what it says is no longer so. A call for help, a question without '
  'an answer, and that somebody contradicts the word of another receiver (was) are sent whatever a receiver says: only '
  'the sender''s own word and time make them pointless. For internal.pointless.';

create or replace function internal.is_moot_miss(p_tenant_id integer, p_data jsonb) returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (
    select from kith.alarms as alarm
    where alarm.tenant_id = p_tenant_id and alarm.id = (p_data ->> 'alarm_id')::uuid
      and (
        alarm.resolved_at is not null
        -- Of a new day's miss they are told all the same.
        or alarm.taken_at >= (
          select ping.alarmed_at from kith.pings as ping
          where ping.tenant_id = p_tenant_id and ping.ping_on = (p_data ->> 'date')::date
            and ping.connection_id = (p_data ->> 'connection_id')::uuid
            -- The sender too (sql/README.md).
            and ping.sender_id = alarm.sender_id
        )
      )
  );
end
$$;
comment on function internal.is_moot_miss(integer, jsonb) is
  'Whether the alarm of a missed ping of which a receiver is told is over, or somebody has taken it since (K00): they '
  'are told that instead. For internal.over_in_alarm.';

create or replace function internal.unsafe_since(p_tenant_id integer, p_user_id uuid, p_type text, p_data jsonb)
  returns text
  language plpgsql
  stable
as $$
begin
  return case
    when not p_data ? 'tapped_at' and internal.stands_open(p_tenant_id, (p_data ->> 'user_id')::uuid)
      and (
        p_type = 'ping_completed'
        or internal.hears_what_stands_open(p_tenant_id, (p_data ->> 'user_id')::uuid, p_user_id)
      )
      then 'an alarm or a question stands open since then'
  end;
end
$$;
comment on function internal.unsafe_since(integer, uuid, text, jsonb) is
  'Why a notification that says that a sender is safe no longer needs sending: they have called for help since, missed '
  'a check-in or been asked (X39). The end of an alarm, or an answer, is dropped only for readers who will hear the '
  'newer one (internal.hears_what_stands_open); the others get it in words that say the moment (internal.then_data), '
  'as do all for one that says when the sender tapped. For internal.pointless.';

create or replace function internal.hears_what_stands_open(p_tenant_id integer, p_sender_id uuid, p_reader_id uuid)
  returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (
    select from kith.asks as ask
    where ask.tenant_id = p_tenant_id and ask.sender_id = p_sender_id and ask.receiver_id = p_reader_id
      and ask.ended_at is null
  ) or exists (
    select from kith.alarms as alarm
    join kith.alarm_receivers as receiver
      on receiver.tenant_id = p_tenant_id and receiver.alarm_id = alarm.id and receiver.receiver_id = p_reader_id
        and receiver.told_at is not null and receiver.left_at is null
    where alarm.tenant_id = p_tenant_id and alarm.sender_id = p_sender_id and alarm.resolved_at is null
      and alarm.kind <> 'drill'
  );
end
$$;
comment on function internal.hears_what_stands_open(integer, uuid, uuid) is
  'Whether a reader will hear the end of what stands open about a sender: they have asked, or were told of the alarm. '
  'For internal.unsafe_since.';

create or replace function internal.over_in_connection(p_tenant_id integer, p_type text, p_data jsonb) returns text
  language plpgsql
  stable
as $$
declare
  v_status text := (
    select status from kith.connections as connection
    where connection.tenant_id = p_tenant_id and connection.id = (p_data ->> 'connection_id')::uuid
  );
  v_break kith.breaks;
begin
  if p_type in ('break_started', 'break_ended', 'connection_resumed') then
    select * into v_break from kith.breaks as pause
    where pause.tenant_id = p_tenant_id and pause.user_id = (p_data ->> 'user_id')::uuid and pause.ended_at is null;
  end if;
  return case p_type
    when 'connection_paused' then case when v_status <> 'paused' then 'it is no longer paused' end
    when 'connection_resumed' then case
      when v_status <> 'active' then 'it no longer goes on'
      when v_break.told_until_on is not null then 'a break has begun'
    end
    when 'break_started'
      then case
        when v_break.until_on is distinct from (p_data ->> 'until')::date
          then 'the break has ended, or its last day has moved'
      end
    when 'break_ended' then case when v_break.told_until_on is not null then 'another break has begun' end
    when 'test_message' then (
      select 'it was answered' from kith.connections as connection
      where connection.tenant_id = p_tenant_id and connection.id = (p_data ->> 'connection_id')::uuid
        and connection.test_reached
    )
    when 'sender_unreachable' then case
      when p_data ? 'mended'
        then case
          when not internal.can_be_asked(p_tenant_id, (p_data ->> 'user_id')::uuid) then 'they can no longer be asked'
        end
      when internal.can_be_asked(p_tenant_id, (p_data ->> 'user_id')::uuid) then 'they can be asked again'
    end
    when 'receiver_unreachable' then (
      select 'they can be told again'
      where internal.reachable(p_tenant_id, array[(p_data ->> 'user_id')::uuid], true) <> '{}'
    )
  end;
end
$$;
comment on function internal.over_in_connection(integer, text, jsonb) is
  'Why a notification of a pause, a break, a test, or a number that wants no texts no longer needs sending: the '
  'opposite is so now. Otherwise the last word that its reader gets could be the older one, if that one had to be sent '
  'again. For internal.pointless.';

create or replace function internal.why_not_due(p_tenant_id integer, p_sender_id uuid, p_on date) returns text
  language plpgsql
  stable
as $$
declare
  v_statuses text[] := array(
    select distinct ping.status from kith.pings as ping
    where ping.tenant_id = p_tenant_id and ping.ping_on = p_on and ping.sender_id = p_sender_id
  );
begin
  return case
    when v_statuses && '{completed,completed_late}' then 'it was answered'
    when 'missed' = any (v_statuses) then 'the deadline had passed'
    else 'nobody waits for an answer any more'
  end;
end
$$;
comment on function internal.why_not_due(integer, uuid, date) is
  'Why a sender need not be told of the pings of a date, none of which is due: operators read it, and must not take a '
  'miss for an answer.';

create or replace function internal.is_still_missed(p_tenant_id integer, p_user_id uuid, p_data jsonb) returns boolean
  language plpgsql
  stable
as $$
declare
  v_ping kith.pings;
begin
  select * into v_ping from kith.pings as ping
  where ping.tenant_id = p_tenant_id and ping.ping_on = (p_data ->> 'date')::date
    and ping.connection_id = (p_data ->> 'connection_id')::uuid
    -- The sender too (sql/README.md).
    and ping.sender_id = (
      select sender_id from kith.connections where tenant_id = p_tenant_id and id = (p_data ->> 'connection_id')::uuid
    );
  if v_ping.sender_id is distinct from p_user_id then
    return coalesce(v_ping.status = 'missed', false);
  end if;
  return exists (
    select from kith.pings as ping
    where ping.tenant_id = p_tenant_id and ping.ping_on = v_ping.ping_on and ping.sender_id = p_user_id
      and ping.status = 'missed'
  ) and not exists (
    select from kith.sender_profiles as profile
    where profile.tenant_id = p_tenant_id and profile.user_id = p_user_id
      and profile.last_check_in_at > v_ping.deadline_at
  );
end
$$;
comment on function internal.is_still_missed(integer, uuid, jsonb) is
  'Whether the ping of which a notification says that it was missed still is; for its sender, of any connection and '
  'without a check-in since. For internal.pointless.';

create or replace function internal.ended_relation(p_tenant_id integer, p_user_id uuid, p_type text, p_data jsonb)
  returns text
  language plpgsql
  stable
as $$
declare
  v_person uuid := (p_data ->> 'user_id')::uuid;
  v_connection uuid := coalesce(p_data ->> 'sender_connection_id', p_data ->> 'connection_id')::uuid;
begin
  if internal.is_of_vault(p_type) and p_data ? 'vault_id' and not exists (
    select from kith.vaults as vault
    where vault.tenant_id = p_tenant_id and vault.id = (p_data ->> 'vault_id')::uuid and vault.owner_id = p_user_id
  ) and not exists (
    select from kith.nominees as nominee
    where nominee.tenant_id = p_tenant_id and nominee.vault_id = (p_data ->> 'vault_id')::uuid
      and nominee.user_id = p_user_id and nominee.status <> 'revoked'
  ) then
    return 'its reader has no part in the vault any more';
  end if;
  if p_type = 'nominee_accepted' and p_data ? 'nominee_id' and not exists (
    select from kith.nominees as nominee
    where nominee.tenant_id = p_tenant_id and nominee.id = (p_data ->> 'nominee_id')::uuid
      and nominee.user_id = v_person and nominee.status <> 'revoked'
  ) then
    return 'they are no longer a nominee';
  end if;
  -- What names nobody else is about its reader, unless it is about the sender of a connection: receivers who do not
  -- know each other read no name. That something ended with an account or a connection stays true after it.
  if v_person is null and not p_data ? 'sender_connection_id' or v_person = p_user_id
    or p_data ->> 'outcome' = 'deleted'
  then
    return null;
  end if;
  if internal.is_of_connection(p_type) then
    return case
      when v_connection is not null then (
        select 'the connection has ended' from kith.connections as connection
        where connection.tenant_id = p_tenant_id and connection.id = v_connection and connection.status = 'deleted'
      )
      when not exists (
        select from kith.connections as connection
        where connection.tenant_id = p_tenant_id and connection.sender_id = v_person
          and connection.receiver_id = p_user_id and connection.status <> 'deleted'
      ) and not exists (
        select from kith.connections as connection
        where connection.tenant_id = p_tenant_id and connection.sender_id = p_user_id
          and connection.receiver_id = v_person and connection.status <> 'deleted'
      ) then 'the connection has ended'
    end;
  end if;
  return case
    when internal.has_blocked(p_tenant_id, p_user_id, v_person) then 'its reader has blocked who it is from'
    when internal.has_blocked(p_tenant_id, v_person, p_user_id) then 'who it is from has blocked its reader'
  end;
end
$$;
comment on function internal.ended_relation(integer, uuid, text, jsonb) is
  'Why the reader of a notification may no longer hear it: the connection to the person whom it names has ended, one '
  'of the two has blocked the other, or the reader was revoked from the vault. For the types with a relation '
  '(internal.notification_types), called by internal.pointless.';

create or replace function internal.newer_stands(p_notification kith.notifications) returns text
  language plpgsql
  stable
as $$
declare
  v_types text[] := internal.replaced_by(p_notification.type);
  v_asks boolean := internal.asks_receiver(p_notification.type);
  v_alarm text := p_notification.data ->> 'alarm_id';
  v_connection text := coalesce(
    p_notification.data ->> 'sender_connection_id', p_notification.data ->> 'connection_id'
  );
begin
  if v_types is null then
    return null;
  end if;
  return (
    select 'a newer message stands: ' || newer.type
    from (
      (
        select note.type, note.data, note.delivery_status, note.read_at
        from kith.notifications as note
        where note.tenant_id = p_notification.tenant_id and note.user_id = p_notification.user_id
          and note.id > p_notification.id
          and v_alarm is not null and note.data ? 'alarm_id' and note.data ->> 'alarm_id' = v_alarm
        order by note.id desc
        limit 20
      )
      union all
      (
        -- Somebody who watches over thousands has as many newer ones.
        select note.type, note.data, note.delivery_status, note.read_at
        from kith.notifications as note
        where note.tenant_id = p_notification.tenant_id and note.user_id = p_notification.user_id
          and note.id > p_notification.id
        order by note.id desc
        limit 200
      )
    ) as newer
    where newer.type = any (v_types) and newer.data ? 'drill' = p_notification.data ? 'drill'
      and newer.data ->> 'to' is not distinct from p_notification.data ->> 'to'
      and (
        newer.data ->> 'alarm_id' = v_alarm
        or coalesce(newer.data ->> 'sender_connection_id', newer.data ->> 'connection_id') = v_connection
      )
      and case
        when newer.read_at is not null or newer.delivery_status = 'sent' then true
        -- A word keeps nobody from hearing that they are needed unless they have heard the word; what asks them anew
        -- does.
        when newer.delivery_status = 'queued' then internal.asks_receiver(newer.type) or not v_asks
        else newer.delivery_status = 'failed' and not v_asks
      end
    limit 1
  );
end
$$;
comment on function internal.newer_stands(kith.notifications) is
  'Why a waiting notification is not sent any more: its reader has, or gets, a newer one about the same alarm or '
  'connection, of a type that replaces it (internal.notification_types). What was withdrawn replaces nothing. Null if '
  'there is none. For messages that have waited, and for what moves to another channel.';

create or replace function internal.is_over(p_notification kith.notifications) returns text
  language plpgsql
  stable
as $$
begin
  return coalesce(
    (
      select pointless.reason from internal.pointless(
        p_notification.tenant_id, p_notification.user_id, p_notification.type, p_notification.data,
        p_notification.read_at
      ) as pointless
    ),
    internal.newer_stands(p_notification)
  );
end
$$;
comment on function internal.is_over(kith.notifications) is
  'Why a notification whose message failed, waits, or is to move to another channel need not be sent any more '
  '(internal.pointless, internal.newer_stands), or null.';

create or replace function internal.is_access_over(p_tenant_id integer, p_data jsonb) returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (
    select from kith.emergency_requests as request
    where request.tenant_id = p_tenant_id and request.id = (p_data ->> 'request_id')::uuid
      and request.ended_at is not null
  ) or p_data ? 'vault_id' and not exists (
    select from kith.vaults as vault
    where vault.tenant_id = p_tenant_id and vault.id = (p_data ->> 'vault_id')::uuid and vault.deleted_at is null
  );
end
$$;
comment on function internal.is_access_over(integer, jsonb) is
  'Whether the emergency access that a notification offers to a nominee has ended, or the vault with its owner''s '
  'account. For internal.pointless.';

create or replace function internal.pointless(
  p_tenant_id integer, p_user_id uuid, p_type text, p_data jsonb, p_read_at timestamptz
)
  returns table (reason text)
  language sql
  stable
as $$
  select coalesce(case
    when p_read_at is not null and p_type <> 'test_message' then 'it was read'
    when p_type in ('ping_due', 'ping_reminder') and not exists (
      select from kith.pings as open
      where open.tenant_id = p_tenant_id and open.ping_on = (p_data ->> 'date')::date and open.sender_id = p_user_id
        and open.status = 'due' -- of any connection: the sender is told once for all of them
    ) then internal.why_not_due(p_tenant_id, p_user_id, (p_data ->> 'date')::date)
    when p_type = 'ping_missed' and not p_data ? 'drill'
      and not internal.is_still_missed(p_tenant_id, p_user_id, p_data)
      then 'it was answered'
    when p_type = 'ping_completed' or p_type in ('ping_all_clear', 'ask_answered') and not p_data ? 'drill' then
      internal.unsafe_since(p_tenant_id, p_user_id, p_type, p_data)
    when p_type in ('help_requested', 'ask', 'ask_unanswered') or left(p_type, 6) = 'alarm_'
      or p_data ?| '{drill,alarm_id}'
      then internal.over_in_alarm(p_tenant_id, p_user_id, p_type, p_data)
    when p_type in (
      'connection_paused', 'connection_resumed', 'break_started', 'break_ended', 'sender_unreachable',
      'receiver_unreachable', 'test_message'
    )
      then internal.over_in_connection(p_tenant_id, p_type, p_data)
    when p_type = 'connection_requested' and exists (
      select from kith.connections as connection
      where connection.tenant_id = p_tenant_id and connection.id = (p_data ->> 'connection_id')::uuid
        and connection.status <> 'pending'
    ) then 'it was answered'
    when p_type = 'subscription_lapsing' and exists (
      select from kith.receiver_profiles as profile
      where profile.tenant_id = p_tenant_id and profile.user_id = (p_data ->> 'user_id')::uuid
        and profile.pings_stop_at is null
    ) then 'the subscription was renewed'
    when p_type = 'vault_locked' and p_data ->> 'to' is distinct from 'owner' and exists (
      select from kith.vault_sessions as session
      where session.tenant_id = p_tenant_id and session.vault_id = (p_data ->> 'vault_id')::uuid
        and session.kind = 'shared' and session.locked_at is null
    ) then 'the vault is open again'
    when p_type = 'vault_opened' and p_data ? 'session_id' and not exists (
      select from kith.vault_sessions as session
      where session.tenant_id = p_tenant_id and session.id = (p_data ->> 'session_id')::uuid
        and session.locked_at is null
    ) then 'the vault was locked'
    when p_type = 'nominee_invited' and p_data ? 'nominee_id' and not exists (
      select from kith.nominee_invitations as invitation
      where invitation.tenant_id = p_tenant_id and invitation.nominee_id = (p_data ->> 'nominee_id')::uuid
        and invitation.ended_at is null
    ) then 'it was answered'
    when p_type = 'transfer_requested' and p_data ? 'transfer_id' and not exists (
      select from kith.transfers as transfer
      where transfer.tenant_id = p_tenant_id and transfer.id = (p_data ->> 'transfer_id')::uuid
        and transfer.status = 'pending'
    ) then 'it was answered'
    when p_type in ('emergency_requested', 'emergency_reminder') then (
      select case
          when request.ended_at is not null then 'it was answered'
          when request.grant_told_at is not null then 'access was granted'
        end
      from kith.emergency_requests as request
      where request.tenant_id = p_tenant_id and request.id = (p_data ->> 'request_id')::uuid
    )
    -- "You can enter now." The owner still learns that somebody could.
    when p_type in ('emergency_approved', 'emergency_opened') and p_data ->> 'to' = 'nominee'
      and internal.is_access_over(p_tenant_id, p_data)
      then 'access has ended'
  end, case
    when internal.is_of_connection(p_type) or internal.is_of_vault(p_type) or internal.is_of_person(p_type)
      then internal.ended_relation(p_tenant_id, p_user_id, p_type, p_data)
  end)
$$;
comment on function internal.pointless(integer, uuid, text, jsonb, timestamptz) is
  'Why a notification no longer needs sending, or null if it does: the user has read it, the sender has checked in, or '
  'is no longer safe, the ping is no longer `missed`, its alarm is over or taken, the vault that could be entered was '
  'locked, or the one that was locked is open again, the request to connect, invitation or offer was answered or taken '
  'back, the subscription was renewed, the request for emergency access has ended or was granted, which another '
  'notification tells, the access that a nominee could use has ended, or its reader may no longer hear it '
  '(internal.ended_relation). Returns a table of one row, which the planner can inline: it runs thousands of times a '
  'second.';
