create or replace function internal.lost_pings(p_tenant integer, p_on date)
  returns table (
    connection_id uuid, sender_id uuid, receiver_id uuid, time_zone text, deadline_at timestamptz, why text
  )
  language plpgsql
  stable
as $$
begin
  return query
  select connection.id, connection.sender_id, connection.receiver_id, profile.time_zone,
    internal.local_instant(p_on, profile.ping_time, profile.time_zone) + make_interval(mins => profile.grace_minutes),
    format('the hourly check found it too late, at %s', internal.shown_instant(gap.found_at))
  from kith.ping_gaps as gap
  join kith.connections as connection on connection.tenant_id = p_tenant and connection.id = gap.connection_id
  join kith.sender_profiles as profile on profile.tenant_id = p_tenant and profile.user_id = connection.sender_id
  where gap.tenant_id = p_tenant and gap.ping_on = p_on and not gap.mended
  union all
  select connection.id, connection.sender_id, connection.receiver_id, run.time_zone, time.deadline_at,
    format('its run came too late, and was finished at %s', internal.shown_instant(run.finished_at))
  from kith.ping_runs as run
  join kith.sender_profiles as profile on profile.tenant_id = p_tenant and profile.time_zone = run.time_zone
  cross join lateral (
    select internal.local_instant(
      p_on, profile.ping_time, run.time_zone
    ) + make_interval(mins => profile.grace_minutes) as deadline_at
    offset 0
  ) as time
  join kith.connections as connection on connection.tenant_id = p_tenant and connection.sender_id = profile.user_id
    -- As internal.mend_gaps.
    and connection.status in ('active', 'pending') and connection.pings_stopped_at is null
  where run.tenant_id = p_tenant and run.ping_on = p_on and run.skipped > 0 and run.finished_at >= time.deadline_at
    and greatest(connection.activated_at, profile.timed_at) < time.deadline_at
    and not exists (
      select from kith.breaks as pause
      where pause.tenant_id = p_tenant and pause.user_id = profile.user_id
        and p_on between pause.from_on and pause.until_on
    )
    and not exists (
      select from kith.pings as ping
      where ping.tenant_id = p_tenant and ping.ping_on = p_on and ping.connection_id = connection.id
        and ping.sender_id = connection.sender_id
    );
end
$$;
comment on function internal.lost_pings(integer, date) is
  'The pings of a date that were never made: those of gaps that were found too late, and those of runs that came too '
  'late, by the connections and the times of today. For admin.pings_not_made.';

create or replace function admin.pings_not_made(
  p_tenant text, p_on date, p_after uuid default null, p_now timestamptz default now()
)
  returns table (
    deadline_at timestamptz, time_zone text, sender text, sender_id uuid, receiver text, receiver_id uuid,
    connection_id uuid, why text, next text
  )
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := internal.enter_tenant(p_tenant);
begin
  perform internal.require_present(p_now);
  if p_on <= p_now::date - (select ping_retention_days from kith.tenants where tenant_id = v_tenant) then
    perform internal.refuse_fields(
      internal.field_error('p_on', 'must be a date whose pings are still kept (admin.retention)')
    );
  end if;
  return query
  select lost.deadline_at, lost.time_zone, internal.name_of_anybody(sender.display_name), lost.sender_id,
    internal.name_of_anybody(receiver.display_name), lost.receiver_id, lost.connection_id, lost.why,
    format('select * from admin.story_of_ping(%L, %L, %L)', p_tenant, lost.connection_id, p_on)
  from (
    select part.* from internal.lost_pings(v_tenant, p_on) as part
    where p_after is null or part.connection_id > p_after
    order by part.connection_id
    limit 10000
  ) as lost
  join kith.users as sender on sender.tenant_id = v_tenant and sender.id = lost.sender_id
  join kith.users as receiver on receiver.tenant_id = v_tenant and receiver.id = lost.receiver_id
  order by lost.connection_id;
  perform internal.leave_tenant();
  perform internal.note_read('pings_not_made', array[p_tenant], array[null]);
end
$$;
comment on function admin.pings_not_made(text, date, uuid, timestamptz) is
  'Whose pings of a date were never made: their senders were not asked, and nobody hears of a miss. select * from '
  'admin.pings_not_made(''acme'', ''2027-03-10''), by connection, at most 10,000; p_after goes on after a '
  'connection_id. Where a run came too late, it goes by the connections and the times of today: somebody who has '
  'changed them since is missing here, and counted in admin.ping_runs.skipped.';
grant execute on function admin.pings_not_made(text, date, uuid, timestamptz) to kith_reader;
