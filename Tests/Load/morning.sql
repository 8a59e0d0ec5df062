-- The pings have been due for 10 minutes and stay open for hours, so that a check-in is in time however long the benchmarks take.
insert into kith.pings
  (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, remind_at, deadline_at)
select connection.tenant_id, (now() at time zone profile.time_zone)::date, connection.id, gen_random_uuid(),
  connection.sender_id, connection.receiver_id, 'due', now() - interval '10 minutes', now() + interval '11 hours',
  now() + interval '11 hours 15 minutes'
from kith.connections as connection
join kith.sender_profiles as profile
  on profile.tenant_id = connection.tenant_id and profile.user_id = connection.sender_id
order by connection.id;

-- The runs that made them are finished, and the next ones begin at midnight. Without them the worker would go over all senders again.
insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at, created, finished_at)
select used.tenant_id, used.time_zone, today.ping_on + day, internal.midnight(today.ping_on + day, used.time_zone),
  case day when 0 then used.connections else 0 end, case day when 0 then now() end
from (
  select profile.tenant_id, profile.time_zone, count(*) as connections
  from kith.sender_profiles as profile
  join kith.connections as connection on connection.tenant_id = profile.tenant_id and connection.sender_id = profile.user_id
  group by profile.tenant_id, profile.time_zone
) as used
cross join lateral (select (now() at time zone used.time_zone)::date as ping_on) as today
cross join generate_series(0, 1) as day;
