create or replace function api.home(p_now timestamptz) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_me json;
  v_sender json := internal.sender_profile_json();
  v_receiver json := internal.receiver_profile_json(p_now);
begin
  select internal.user_json(account) into v_me
  from kith.users as account
  where account.tenant_id = v_tenant and account.id = v_user and account.deleted_at is null;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return json_build_object(
    'me', v_me,
    'sender', case when v_sender is not null then json_build_object(
      'profile', v_sender,
      'break', internal.own_break(p_now),
      'dashboard', internal.dashboard_json('sender', 'missed', 50, null, p_now)
    ) end,
    'receiver', case when v_receiver is not null then json_build_object(
      'profile', v_receiver,
      'dashboard', internal.dashboard_json('receiver', 'missed', 50, null, p_now)
    ) end,
    'vaults', api.list_vaults(null, false, 50, null, p_now),
    'unread_count', (select count(*) from kith.notifications where tenant_id = v_tenant and user_id = v_user and read_at is null),
    'unread_messages', internal.own_unread_messages(),
    'waiting', json_build_object(
      'emergency_requests', internal.awaited_emergencies(p_now),
      'confirmations', internal.awaited_confirmations(),
      'connections', internal.awaited_consents(p_now),
      'invitations', api.list_own_invitations(50, null, p_now)
    )
  );
end
$$;
comment on function api.home(timestamptz) is
  'Returns the first screen in one answer: the caller''s account; for each role in which they have a profile, the profile with its code and the first page of the dashboard, those who missed first; their break, their first 50 vaults, the numbers of unread notifications and messages, and what waits for them. Each list is continued by its own call, from its next_cursor.';
grant execute on function api.home(timestamptz) to kith_api;
