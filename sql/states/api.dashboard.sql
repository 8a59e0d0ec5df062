create or replace function api.get_dashboard(
  p_role text, p_order text, p_limit integer, p_cursor text, p_now timestamptz
) returns json
  language plpgsql
  stable
as $$
declare
  v_connections internal.own_connections[];
begin
  if p_order not in ('missed', 'connection') then
    perform internal.refuse_fields(internal.field_error('order', 'must be missed or connection'));
  end if;
  if p_cursor !~ (
    case p_order
      when 'missed' then '^[0-5]_[0-9]{1,18}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
      else '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    end
  ) then
    perform internal.refuse_fields(
      internal.field_error('cursor', 'must be the next_cursor of a page in the same order')
    );
  end if;
  v_connections := internal.own_connections_as(p_role);
  return internal.dashboard_json(
    p_role, internal.dashboard_zone(p_role), p_order, p_limit, p_cursor, v_connections,
    internal.today_pings(v_connections, p_now), internal.missed_pings(v_connections),
    case when cardinality(v_connections) > 0 then internal.own_sight(p_now, null) end, p_now
  );
end
$$;
comment on function api.get_dashboard(text, text, integer, text, timestamptz) is
  'Returns the caller''s connections in one role, with today''s pings, in pages (P36). p_order is ''missed'', which '
  'lists those who missed first, or ''connection'' (also if null), which lists the oldest first. Without a limit one '
  'page has all. open_pings counts the pings of all connections that wait for a check-in now. deadline_at is the first '
  'deadline among them, or else among the scheduled ones. date is the sender''s local date; for a receiver, the date '
  'in their own time zone.';
grant execute on function api.get_dashboard(text, text, integer, text, timestamptz) to kith_api;
