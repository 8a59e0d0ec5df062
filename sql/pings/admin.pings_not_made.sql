create or replace function admin.pings_not_made(p_tenant text, p_on date, p_now timestamptz default now())
  returns table (
    deadline_at timestamptz, time_zone text, sender text, sender_id uuid, receiver text, receiver_id uuid, connection_id uuid, why text, next text
  )
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
begin
  perform internal.require_present(p_now);
  if p_on <= p_now::date - (select ping_retention_days from kith.tenants where tenant_id = v_tenant) then
    perform internal.refuse_fields(internal.field_error('p_on', 'must be a date whose pings are still kept (admin.retention)'));
  end if;
  return query
  select time.deadline_at, profile.time_zone, internal.name_of_anybody(sender.display_name), sender.id,
    internal.name_of_anybody(receiver.display_name), receiver.id, connection.id,
    case when gap.connection_id is not null then format('the hourly check found it too late, at %s', internal.shown_instant(gap.found_at))
      else format('its run came too late, and was finished at %s', internal.shown_instant(run.finished_at)) end,
    format('select * from admin.story_of_ping(%L, %L, %L)', p_tenant, connection.id, p_on)
  from kith.connections as connection
  join kith.sender_profiles as profile on profile.tenant_id = v_tenant and profile.user_id = connection.sender_id
  join kith.users as sender on sender.tenant_id = v_tenant and sender.id = connection.sender_id
  join kith.users as receiver on receiver.tenant_id = v_tenant and receiver.id = connection.receiver_id
  left join kith.ping_runs as run on run.tenant_id = v_tenant and run.time_zone = profile.time_zone and run.ping_on = p_on
  left join kith.ping_gaps as gap on gap.tenant_id = v_tenant and gap.ping_on = p_on and gap.connection_id = connection.id and not gap.mended
  cross join lateral (
    select internal.local_instant(p_on, profile.ping_time, profile.time_zone) + make_interval(mins => profile.grace_minutes) as deadline_at
  ) as time
  where connection.tenant_id = v_tenant
    and (gap.connection_id is not null or run.skipped > 0 and run.finished_at >= time.deadline_at
      -- As internal.mend_gaps.
      and connection.status in ('active', 'pending') and connection.pings_stopped_at is null
      and greatest(connection.activated_at, profile.timed_at) < time.deadline_at
      and not exists (
        select from kith.breaks as pause where pause.tenant_id = v_tenant and pause.user_id = sender.id and p_on between pause.from_on and pause.until_on
      ))
    and not exists (
      select from kith.pings as ping where ping.tenant_id = v_tenant and ping.ping_on = p_on and ping.connection_id = connection.id
    )
  order by 1, 4, 7
  limit 1000;
  perform internal.leave_tenant();
end
$$;
comment on function admin.pings_not_made(text, date, timestamptz) is
  'Whose pings of a date were never made: their senders were not asked, and nobody hears of a miss. select * from '
  'admin.pings_not_made(''acme'', ''2027-03-10''), the earliest deadlines first, at most 1,000. Where a run came too late, it goes by the '
  'connections and the times of today: somebody who has changed them since is missing here, and counted in admin.ping_runs.skipped.';
grant execute on function admin.pings_not_made(text, date, timestamptz) to kith_reader;
