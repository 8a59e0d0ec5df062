create policy "senders see their own profile" on kith.sender_profiles
  for select
  to kith_api
  using (user_id = kith.user_id());
comment on policy "senders see their own profile" on kith.sender_profiles is
  'A policy below adds the profiles of connected senders for receivers.';

create policy "the worker sees every tenant" on kith.sender_profiles
  to kith_worker
  using (true);
comment on policy "the worker sees every tenant" on kith.sender_profiles is
  'The worker generates pings by time zone and ping time.';

-- Besides their own profile, receivers may read those of the senders connected with them, whatever the connection's
-- status except deleted. This policy reads another table, which a distributed database refuses. There it is left out,
-- and the tenant policy and the procedures' own joins remain. Names of other people come through the view
-- internal.own_connections instead.
create policy "receivers see the profiles of senders connected with them" on kith.sender_profiles
  for select
  to kith_api
  using (
    (
      select true from kith.connections as connection
      where connection.tenant_id = sender_profiles.tenant_id and connection.sender_id = sender_profiles.user_id
        and connection.receiver_id = kith.user_id() and connection.status <> 'deleted'
    )
  );
comment on policy "receivers see the profiles of senders connected with them" on kith.sender_profiles is
  'A receiver needs the sender''s local date. The scalar subquery costs one index look-up; the planner would turn '
  'EXISTS into a hash of all connected senders.';

-- Not the last note, which receivers see only while their connection is active, through internal.own_connections.
grant select (
  tenant_id, user_id, time_zone, ping_time, grace_minutes, reminder_minutes, reminders, first_reminder_minutes,
  timed_at, last_check_in_at, created_at, updated_at, break_from_on,
  break_until_on, share_phone, has_own_time_zone, ended_at, last_source
) on kith.sender_profiles to kith_api;
grant select (
  tenant_id, user_id, time_zone, ping_time, grace_minutes, reminder_minutes, reminders, first_reminder_minutes,
  timed_at, break_from_on, break_until_on
) on kith.sender_profiles to kith_worker;
grant select (
  tenant_id, user_id, time_zone, ping_time, grace_minutes, reminder_minutes, reminders, first_reminder_minutes,
  timed_at, last_check_in_at, created_at, updated_at, break_from_on,
  break_until_on, share_phone, has_own_time_zone, ended_at, last_source
) on kith.sender_profiles to kith_reader;
