-- What a client reads of one connection, by plain SQL: the same rows and the same JSON as api.get_connection, for a superuser, without
-- policies, procedures or the context of a caller. As a person would write it who tunes this one query.
select json_build_object(
  'id', connection.id,
  'role', case when connection.receiver_id = {u}::uuid then 'receiver' else 'sender' end,
  'status', connection.status,
  'consent_by',
    case when connection.status = 'pending' then case when counterpart.id = connection.code_owner_id then 'counterpart' else 'me' end end,
  'counterpart', json_build_object('id', counterpart.id, 'display_name', counterpart.display_name),
  'alias', case when connection.receiver_id = {u}::uuid then connection.alias_by_receiver else connection.alias_by_sender end,
  'sender_id', connection.sender_id,
  'receiver_id', connection.receiver_id,
  'created_at', internal.instant(connection.created_at),
  'updated_at', internal.instant(connection.updated_at),
  'today_ping', case when ping.id is not null then json_build_object(
    'id', ping.id,
    'connection_id', ping.connection_id,
    'date', ping.ping_on,
    'status', ping.status,
    'scheduled_at', internal.instant(ping.scheduled_at),
    'deadline_at', internal.instant(ping.deadline_at),
    'completed_at', internal.instant(ping.completed_at),
    'note', ping.note
  ) end,
  'last_check_in_at', internal.instant(sender.last_check_in_at),
  'last_check_in_note', sender.last_note,
  'ping_time', left(sender.ping_time::text, 5),
  'time_zone', sender.time_zone,
  'call', null,
  'break', case
    when sender.break_until_on >= ({now}::timestamptz at time zone sender.time_zone)::date
      then json_build_object('from', sender.break_from_on, 'until', sender.break_until_on)
  end,
  'suspended_reason', case when connection.pings_stopped_at is not null then 'subscription' end
)
from kith.connections as connection
join kith.users as counterpart
  on counterpart.tenant_id = {t}::integer
    and counterpart.id = case connection.sender_id when {u}::uuid then connection.receiver_id else connection.sender_id end
join kith.sender_profiles as sender on sender.tenant_id = {t}::integer and sender.user_id = connection.sender_id
left join kith.pings as ping
  on ping.tenant_id = {t}::integer and ping.connection_id = {s}::uuid
    -- The first condition lets the executor open the partitions of three dates only, before it knows the zone.
    and ping.ping_on between ({now}::timestamptz at time zone 'UTC')::date - 1 and ({now}::timestamptz at time zone 'UTC')::date + 1
    and ping.ping_on = ({now}::timestamptz at time zone sender.time_zone)::date
where connection.tenant_id = {t}::integer and connection.id = {s}::uuid and connection.status <> 'deleted'
  and (connection.sender_id = {u}::uuid or connection.receiver_id = {u}::uuid)
