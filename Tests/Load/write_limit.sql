-- What a check-in in time writes, by plain SQL: the same rows as api.check_in, for a superuser, without policies, rules or the context of a
-- caller. As a person would write it who tunes this one statement.
with checked_in as (
  insert into kith.check_ins (tenant_id, id, user_id, received_at, created_at)
  values ({t}::integer, gen_random_uuid(), {u}::uuid, {now}::timestamptz, {now}::timestamptz)
  returning id
), profile as (
  update kith.sender_profiles set last_check_in_at = {now}::timestamptz, last_note = null
  where tenant_id = {t}::integer and user_id = {u}::uuid
), completed as (
  update kith.pings as ping
  set status = 'completed', completed_at = {now}::timestamptz, check_in_id = checked_in.id, remind_at = null
  from checked_in
  where ping.tenant_id = {t}::integer and ping.sender_id = {u}::uuid
    and ping.ping_on between ({now}::timestamptz at time zone 'UTC')::date - 1 and ({now}::timestamptz at time zone 'UTC')::date + 1
    and ping.status in ('scheduled', 'due') and ping.scheduled_at <= {now}::timestamptz and ping.deadline_at > {now}::timestamptz
  returning ping.id, ping.connection_id, ping.receiver_id, ping.ping_on, ping.status
), told as (
  -- Ids in the order of time, as those of version 7 are: they choose the partition, and random ones would spread over the index.
  insert into kith.notifications (tenant_id, id, user_id, type, body, data, created_at)
  select {t}::integer, internal.uuid7({now}::timestamptz), completed.receiver_id, 'ping_completed', sender.display_name || ' is safe.',
    jsonb_build_object('connection_id', completed.connection_id, 'ping_id', completed.id, 'date', completed.ping_on), {now}::timestamptz
  from completed
  join kith.users as sender on sender.tenant_id = {t}::integer and sender.id = {u}::uuid
), shown as (
  insert into kith.events (tenant_id, id, user_id, type, subject_id, parent_id, ping_on)
  select {t}::integer, internal.uuid7({now}::timestamptz), side.user_id, 'ping', completed.id, completed.connection_id, completed.ping_on
  from completed
  cross join lateral (values ({u}::uuid), (completed.receiver_id)) as side (user_id)
)
select json_build_object('completed', count(*), 'late', 0, 'pings', coalesce(json_agg(completed), '[]')) from completed
