create or replace function api.import_users(p_users jsonb, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_left integer;
  v_new integer := 0;
  v_line record;
  v_put record;
  v_message text;
  v_detail text;
  v_constraint text;
  v_results json[] := '{}';
begin
  perform internal.require_server();
  perform internal.analyze_grown(array['users']);
  v_left := internal.users_left();
  -- A line may move pings, and so lock connections. So lock all accounts first, in the order of their ids.
  perform from kith.users
  where tenant_id = v_tenant
    and external_id = any (array(select value -> 'user' ->> 'external_id' from jsonb_array_elements(p_users)))
  order by id
  for no key update;
  for v_line in
    select (value ->> 'line')::integer as line, value -> 'user' as body
    from jsonb_array_elements(p_users)
    -- Process users in key order, so that two imports of the same users cannot deadlock. Lines about one user keep
    -- their order.
    order by value -> 'user' ->> 'external_id' collate "C", (value ->> 'line')::integer
  loop
    begin
      perform internal.refuse_forgotten(v_line.body ->> 'external_id');
      v_put := internal.put_user(v_line.body, p_now);
      if v_put.is_new then
        if v_new >= v_left then
          perform internal.refuse_users();
        end if;
        v_new := v_new + 1;
      end if;
      v_results := v_results || json_build_object(
        'line', v_line.line, 'status', case when v_put.is_new then 201 else 200 end, 'id', v_put.body ->> 'id'
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
  -- Count once and last: from here on, every other call that creates a user of the tenant waits.
  if v_new > 0 then
    perform internal.count_users(v_new);
  end if;
  return to_json(v_results);
end
$$;
comment on function api.import_users(jsonb, timestamptz) is
  'Creates or updates users as put_user does, several in one transaction. Takes [{line, user}] and returns, in any '
  'order, [{line, status, id}]. A line that is refused does not stop the others; its result is {line, sqlstate, '
  'message, detail, constraint}, as if it had come alone. If other calls use up the quota meanwhile, all lines are '
  'refused.';
grant execute on function api.import_users(jsonb, timestamptz) to kith_api;
