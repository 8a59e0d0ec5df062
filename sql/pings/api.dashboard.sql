create or replace function api.get_dashboard(p_role text, p_now timestamptz) returns json
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_zone text;
begin
  if p_role = 'sender' then
    select time_zone into v_zone from kith.sender_profiles where tenant_id = v_tenant and user_id = v_user;
  end if;
  if v_zone is null then
    select time_zone into v_zone from kith.users where tenant_id = v_tenant and id = v_user;
  end if;
  return (
    select json_build_object(
      'role', p_role,
      'date', (p_now at time zone v_zone)::date,
      'items', coalesce(json_agg(page.body order by page.id), '[]'),
      'open_pings', count(*) filter (where open.is_open),
      'deadline_at', internal.instant(coalesce(
        min((page.ping).deadline_at) filter (where open.is_open),
        min((page.ping).deadline_at) filter (where (page.ping).status = 'scheduled')
      ))
    )
    from internal.page_of_connections(p_role, null, null, p_now) as page
    cross join lateral (
      select (page.ping).status in ('scheduled', 'due') and (page.ping).scheduled_at <= p_now and (page.ping).deadline_at > p_now
        as is_open
    ) as open
  );
end
$$;
comment on function api.get_dashboard(text, timestamptz) is
  'Returns all of the caller''s connections in one role, with today''s pings, on one page (P36). open_pings counts the pings that wait for a check-in now. deadline_at is the first deadline among them, or else among the scheduled ones. date is the sender''s local date; for a receiver, the date in their own time zone.';
revoke all on function api.get_dashboard(text, timestamptz) from public;
grant execute on function api.get_dashboard(text, timestamptz) to kith_api;
