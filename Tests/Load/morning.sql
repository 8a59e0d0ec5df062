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
