create or replace function api.home(p_now timestamptz) returns json
  language plpgsql
  stable
as $$
declare
  v_outline record := internal.home_outline(p_now);
  v_sight jsonb := internal.own_sight(p_now, v_outline.has_alarms);
  v_alarms json := case when v_outline.has_alarms then internal.own_open_alarms(p_now) else '[]' end;
  v_plan json := case when v_outline.sender is not null and v_outline.has_plan then api.get_alarm_plan() end;
  v_receivers internal.own_connections[];
  v_senders internal.own_connections[];
  v_pings kith.pings[];
  v_missed kith.pings[];
begin
  if v_outline.sender is not null then
    v_receivers := internal.own_connections_as('sender');
    v_pings := internal.today_pings(v_receivers, p_now);
    v_missed := internal.missed_pings(v_receivers);
  end if;
  if v_outline.receiver is not null then
    v_senders := internal.own_connections_as('receiver');
  end if;
  return json_build_object(
    -- Of the same snapshot as the rest, so that a stream from here misses nothing.
    'last_event_id', internal.horizon_position(internal.feed_end(internal.feed_horizon()), p_now),
    'me', v_outline.me,
    'state', internal.day_state(
      v_receivers, v_pings, v_missed, v_outline.sender_zone, v_outline.break, v_outline.next_ping_at, v_plan, v_alarms,
      v_sight, p_now
    ),
    'sender', case when v_outline.sender is not null then json_build_object(
      'profile', v_outline.sender,
      'break', v_outline.break,
      'next_ping_at', internal.instant(v_outline.next_ping_at),
      'plan', v_plan,
      'dashboard',
      internal.dashboard_json(
        'sender', v_outline.sender_zone, 'missed', 50, null, v_receivers, v_pings, v_missed, v_sight, p_now
      )
    ) end,
    'receiver', case when v_outline.receiver is not null then json_build_object(
      'profile', v_outline.receiver,
      'dashboard', internal.dashboard_json(
        'receiver', v_outline.zone, 'missed', 50, null, v_senders, internal.today_pings(v_senders, p_now),
        internal.missed_pings(v_senders), v_sight, p_now
      )
    ) end,
    'vaults', case
      when v_outline.has_vaults or v_outline.is_nominee then api.list_vaults(null, false, 50, null, p_now)
      else internal.empty_page()
    end,
    'emergency_access', case when v_outline.is_nominee then internal.own_open_requests(p_now) else '[]' end,
    'alarms', v_alarms,
    -- Later they are no longer the first, and whom nothing reaches is said by the state.
    'first_steps',
    case
      when v_outline.joined_at > p_now - interval '30 days' and num_nonnulls(v_outline.sender, v_outline.receiver) > 0
        then internal.own_first_steps()
    end,
    'unread_count', internal.unread_notifications(v_outline.joined_at),
    'unread_messages',
    case when v_outline.has_vaults or v_outline.is_nominee then internal.own_unread_messages() else 0 end,
    'waiting', json_build_object(
      'emergency_requests', case when v_outline.has_vaults then internal.awaited_emergencies(p_now) else '[]' end,
      'confirmations', case when v_outline.has_vaults then internal.awaited_confirmations() else '[]' end,
      'connections', case when v_outline.has_consents then internal.awaited_consents(p_now) else '[]' end,
      'asks', internal.open_asks(p_now),
      'invitations', case
        when v_outline.is_nominee or v_outline.has_invitations then api.list_own_invitations(50, null, p_now)
        else internal.empty_page()
      end
    )
  );
end
$$;
comment on function api.home(timestamptz) is
  'Returns the first screen in one answer: the event up to which it is complete; the caller''s account; what their own '
  'day says (internal.day_state); for each role in which they have a profile, the profile with its code and the first '
  'page of the dashboard, those who missed first; their break and their plan of alarms, their first 50 vaults, the '
  'emergency access that they wait for or have, the alarms that concern them, what they still have to do in their '
  'first 30 days, the numbers of unread notifications and messages, and what waits for them. Each list is continued by '
  'its own call, from its next_cursor. It runs no list of which internal.home_outline says that it is empty.';
grant execute on function api.home(timestamptz) to kith_api;

create or replace function api.page_frame(p_now timestamptz) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_account kith.users;
begin
  select * into v_account from kith.users where tenant_id = v_tenant and id = v_user and deleted_at is null;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return json_build_object(
    'me', internal.user_json(v_account),
    'unread_count', internal.unread_notifications(v_account.created_at),
    'waiting', json_build_object(
      'emergency_requests', internal.awaited_emergencies(p_now), 'asks', internal.open_asks(p_now)
    ),
    'alarms', internal.own_open_alarms(p_now)
  );
end
$$;
comment on function api.page_frame(timestamptz) is
  'Returns what stands on every page of the web client besides its own content: in the form of api.home the caller''s '
  'account, the number of unread notifications, and the requests for emergency access that wait for the caller; the '
  'alarms that concern the caller, and the questions "Are you OK?" to them.';
grant execute on function api.page_frame(timestamptz) to kith_api;
