create or replace function api.export_me(p_after text, p_now timestamptz) returns json
  language plpgsql
  stable
as $$
declare
  -- A section, such as 'pings', or a section and a cursor in it, such as 'pings 2026-03-10'.
  v_section text := coalesce(split_part(p_after, ' ', 1), 'account');
  v_cursor text := nullif(split_part(p_after, ' ', 2), '');
  v_limit constant integer := 500;
  v_sections constant text[] := array[
    'account', 'connections', 'pings', 'check_ins', 'alarms', 'questions', 'notifications', 'connection_invitations',
    'vaults', 'nominees', 'messages', 'vault_history', 'documents', 'shares', 'transfers', 'emergency_rights',
    'emergency_quorums', 'emergency_requests', 'feedback'
  ];
  v_page record;
begin
  case v_section
    when 'account' then
      select internal.exported_account(p_now) as items, null::text as next_cursor into v_page;
    when 'connections' then
      v_page := internal.exported_connections(v_cursor::uuid, v_limit);
    when 'pings' then
      v_page := internal.exported_pings(v_cursor::date, v_limit, p_now);
    when 'check_ins' then
      v_page := internal.exported_check_ins(v_cursor, v_limit);
    when 'alarms' then
      v_page := internal.exported_alarms(v_cursor::uuid, v_limit, p_now);
    when 'questions' then
      select asked.items, null::text as next_cursor into v_page from internal.exported_questions() as asked;
    when 'notifications' then
      v_page := internal.exported_notifications(v_cursor::uuid, v_limit);
    when 'connection_invitations' then
      v_page := internal.exported_invitations(v_cursor::uuid);
    when 'vaults' then
      v_page := internal.exported_vaults(v_cursor::uuid, v_limit, p_now);
    when 'nominees' then
      v_page := internal.exported_nominees(v_cursor::uuid, v_limit);
    when 'messages' then
      v_page := internal.exported_messages(v_cursor::uuid, v_limit);
    when 'vault_history' then
      v_page := internal.exported_history(v_cursor::uuid, v_limit);
    when 'documents' then
      v_page := internal.exported_documents(v_cursor, v_limit);
    when 'shares' then
      v_page := internal.exported_shares(v_cursor::uuid, v_limit);
    when 'transfers' then
      v_page := internal.exported_transfers(v_cursor::uuid, v_limit);
    when 'emergency_rights' then
      v_page := internal.exported_emergency_rights(v_cursor::uuid, v_limit);
    when 'emergency_quorums' then
      v_page := internal.exported_emergency_quorums();
    when 'emergency_requests' then
      v_page := internal.exported_emergency_requests(v_cursor::uuid, v_limit, p_now);
    when 'feedback' then
      v_page := internal.exported_feedback(v_cursor::uuid, v_limit);
  end case;
  return json_build_object(
    'next', coalesce(v_section || ' ' || v_page.next_cursor, v_sections[array_position(v_sections, v_section) + 1]),
    'section', v_section,
    'value', v_page.items
  );
end
$$;
comment on function api.export_me(text, timestamptz) is
  'Returns one page of all data about the caller (A04). Start with null and continue with next, which is null on the '
  'last page. value is an object, or an array that the next page of the same section continues.';
grant execute on function api.export_me(text, timestamptz) to kith_api;
