create or replace function api.import_items(p_items jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_left integer;
  v_new integer := 0;
  v_made integer := 0;
  v_line record;
  v_done record;
  v_message text;
  v_detail text;
  v_constraint text;
  v_results json[] := '{}';
begin
  perform internal.require_server();
  perform internal.analyze_grown(
    array['users', 'sender_profiles', 'receiver_profiles', 'unique_codes', 'connections', 'vaults', 'nominees']
  );
  perform internal.lock_named_users(p_items);
  v_left := internal.users_left();
  for v_line in select line, item from internal.import_order(p_items) loop
    begin
      v_done := internal.import_item(v_line.item, p_now);
      if v_done.is_new and v_line.item ->> 'kind' = 'user' then
        if v_new >= v_left then
          perform internal.refuse_users();
        end if;
        v_new := v_new + 1;
      end if;
      v_made := v_made + v_done.is_new::integer;
      v_results := v_results || json_build_object(
        'line', v_line.line, 'status', case when v_done.is_new then 201 else 200 end, 'id', v_done.id
      );
    exception when others then
      -- An error about the line's content becomes the line's result. Any other error fails the whole call.
      if left(sqlstate, 2) not in ('KT', '22', '23') then
        raise;
      end if;
      get stacked diagnostics v_message = message_text, v_detail = pg_exception_detail, v_constraint = constraint_name;
      v_results := v_results || json_build_object(
        'line', v_line.line, 'sqlstate', sqlstate, 'message', v_message, 'detail', nullif(v_detail, ''),
        'constraint', nullif(v_constraint, '')
      );
    end;
  end loop;
  if v_made > 0 then
    perform internal.record_act(v_tenant, internal.actor(), 'import', null, jsonb_build_object('new', v_made));
  end if;
  -- Count once and last: from here on, every other call that creates a user of the tenant waits.
  if v_new > 0 then
    perform internal.count_users(v_new);
  end if;
  return to_json(v_results);
end
$$;
comment on function api.import_items(jsonb, timestamptz) is
  'Brings in what an app has had elsewhere (A09): users, codes, connections, vaults, nominees and subscriptions, '
  'several in one transaction. Takes [{line, item}], where item has a kind and names users and vaults by their '
  'external_id, and returns, in any order, [{line, status, id}]: 201 if it is new, 200 if it was there; id is that of '
  'the user for a code and a subscription. A line that is refused does not stop the others; its result is {line, '
  'sqlstate, message, detail, constraint}. Nobody is notified of what they had, of a lapsed subscription neither. '
  'Importing something again changes only users and subscriptions, so an import can be repeated. Security definer, '
  'because kith_api writes none of these tables.';
grant execute on function api.import_items(jsonb, timestamptz) to kith_api;
