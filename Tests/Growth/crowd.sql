-- The other people of a tenant, beside whom a test measures what calls and loops do. crowd.tenant, crowd.people and crowd.now set the tenant,
-- the number of senders and the instant, a noon. Each sender has two receivers, pings of three months, notifications of one, a vault with a
-- nominee, a document, its history and messages, and a thing; half of them have an open alarm. Their pings of today are at 23:00, so nothing
-- of the crowd waits for the worker before.
set session_replication_role = replica;  -- All references are valid, and checking them would take most of the time.

create temporary table settings as
select current_setting('crowd.tenant')::integer as tenant_id, current_setting('crowd.people')::integer as people,
  current_setting('crowd.now')::timestamptz as now;

select internal.make_partitions(now - interval '95 days', 110), internal.make_partitions(now, 100) from settings;

-- The ids of the senders are in the order of their numbers, so that the first batches of all crowds consist of the same ones.
create temporary table crowd as
select n, tenant_id, now - interval '95 days' as joined_at,
  internal.uuid7(now - interval '95 days' + n * interval '1 millisecond') as sender_id, internal.uuid7(now - interval '95 days') as receiver_id,
  internal.uuid7(now - interval '95 days') as other_id, internal.uuid7(now - interval '95 days') as vault_id,
  internal.uuid7(now - interval '95 days') as nominee_id, internal.uuid7(now - interval '95 days') as document_id,
  internal.uuid7(now - interval '95 days') as version_id, internal.uuid7(now - interval '95 days') as alarm_id
from settings
cross join generate_series(1, people) as n;

insert into kith.users (tenant_id, id, display_name, phone, email, tokens_valid_from, created_at, updated_at, phone_verified_at)
select tenant_id, sender_id, 'Alice ' || n, '+4930' || 1000000 + n, 'alice' || n || '@crowd.example', joined_at, joined_at, joined_at, joined_at
from crowd
union all
select tenant_id, receiver_id, 'Bob ' || n, '+4940' || 1000000 + n, 'bob' || n || '@crowd.example', joined_at, joined_at, joined_at, joined_at
from crowd
union all
select tenant_id, other_id, 'Carol ' || n, '+4950' || 1000000 + n, 'carol' || n || '@crowd.example', joined_at, joined_at, joined_at, joined_at
from crowd;

-- They are asked at 23:00, half a day after the test's noon.
insert into kith.sender_profiles (
  tenant_id, user_id, time_zone, ping_time, grace_minutes, reminder_minutes, timed_at, last_check_in_at, created_at, updated_at
)
select tenant_id, sender_id, 'UTC', time '23:00', 30, 15, joined_at, joined_at, joined_at, joined_at from crowd;

insert into kith.receiver_profiles (tenant_id, user_id, created_at, updated_at)
select tenant_id, receiver_id, joined_at, joined_at from crowd
union all
select tenant_id, other_id, joined_at, joined_at from crowd;

insert into kith.unique_codes (tenant_id, code, user_id, role, permanent, created_at)
select tenant_id, (100000 + n)::text, sender_id, 'sender', true, joined_at from crowd
union all
select tenant_id, (500000 + n)::text, receiver_id, 'receiver', true, joined_at from crowd;

create temporary table ties as
select crowd.*, receiver.user_id, internal.uuid7(joined_at) as connection_id
from crowd
cross join lateral (values (receiver_id), (other_id)) as receiver (user_id);

insert into kith.connections (
  tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at
)
select tenant_id, connection_id, sender_id, user_id, 'active', sender_id, joined_at, joined_at, joined_at from ties;

-- A ping a day for three months. One in ten was missed, and everybody's newest but one of ten days ago.
insert into kith.pings (
  tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, deadline_at, completed_at, asked_at, alarmed_at
)
select tenant_id, day::date, connection_id, internal.uuid7(day), sender_id, user_id,
  case when is_missed then 'missed' else 'completed' end, day + interval '23 hours', day + interval '23 hours 30 minutes',
  case when not is_missed then day + interval '23 hours 5 minutes' end, day + interval '23 hours',
  case when is_missed then day + interval '23 hours 31 minutes' end
from ties
cross join settings as today (t, p, now)
cross join generate_series(date_trunc('day', now) - interval '90 days', date_trunc('day', now) - interval '1 day', interval '1 day') as day
cross join lateral (select (n + extract(doy from day)::integer) % 10 = 0 as is_missed) as fate
order by day;

-- Today's are still to come.
insert into kith.pings (tenant_id, ping_on, connection_id, id, sender_id, receiver_id, status, scheduled_at, remind_at, deadline_at)
select ties.tenant_id, now::date, connection_id, internal.uuid7(now), sender_id, user_id, 'scheduled', now::date + interval '23 hours',
  now::date + interval '23 hours 15 minutes', now::date + interval '23 hours 30 minutes'
from ties
cross join settings as today (t, p, now);

insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at, finished_at)
select tenant_id, 'UTC', date_trunc('day', now)::date + day, date_trunc('day', now) + day * interval '1 day',
  case day when 0 then date_trunc('day', now) end
from settings
cross join generate_series(0, 1) as day
on conflict do nothing;

insert into kith.check_ins (tenant_id, id, user_id, received_at, created_at)
select tenant_id, internal.uuid7(day), sender_id, day + interval '23 hours 5 minutes', day + interval '23 hours 5 minutes'
from crowd
cross join settings as today (t, p, now)
cross join generate_series(date_trunc('day', now) - interval '90 days', date_trunc('day', now) - interval '1 day', interval '1 day') as day;

insert into kith.notifications (
  tenant_id, id, user_id, type, data, created_at, sent_at, delivery_status, planned_at, person_id
)
select tenant_id, internal.uuid7(day), user_id, 'ping_completed',
  json_build_object('connection_id', connection_id, 'ping_id', connection_id, 'user_id', sender_id, 'date', day::date),
  day, day, 'sent', day, sender_id
from ties
cross join settings as today (t, p, now)
cross join generate_series(date_trunc('day', now) - interval '30 days', date_trunc('day', now) - interval '1 day', interval '1 day') as day
order by day;

-- Half of them have an open alarm of a call for help.
insert into kith.alarms (
  tenant_id, id, sender_id, kind, opened_at, counts_from, called_at, take_minutes, repeats_at, repeats_told, expires_at, next_at
)
select tenant_id, alarm_id, sender_id, 'help', now - interval '1 day', now - interval '1 day', now - interval '1 day', 30,
  array[now - interval '23 hours'], 1, now + interval '6 days', now + interval '6 days'
from crowd
join settings using (tenant_id)
where n % 2 = 0;

insert into kith.alarm_receivers (tenant_id, alarm_id, receiver_id, connection_id, tier, tell_at, told_at)
select tenant_id, alarm_id, user_id, connection_id, 1, now - interval '1 day', now - interval '1 day'
from ties
join settings using (tenant_id)
where n % 2 = 0;

insert into kith.alarm_entries (tenant_id, alarm_id, id, at, kind, user_id)
select tenant_id, alarm_id, internal.uuid7(now), now - interval '1 day', 'help', sender_id
from crowd
join settings using (tenant_id)
cross join generate_series(1, 5)
where n % 2 = 0;

insert into kith.vaults (tenant_id, id, owner_id, name, created_at, updated_at)
select tenant_id, vault_id, sender_id, 'Papers', joined_at, joined_at from crowd;

insert into kith.nominees (
  tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, bound_at, updated_at
)
select tenant_id, nominee_id, vault_id, sender_id, receiver_id, 'Bob', 'accepted', 'view', joined_at, sender_id, joined_at, joined_at, joined_at
from crowd;

insert into kith.documents (
  tenant_id, id, vault_id, owner_id, version_id, name, content_type, size, sha256, created_at, created_by, updated_at
)
select tenant_id, document_id, vault_id, sender_id, version_id, 'Will.pdf', 'application/pdf', 1, sha256('x'), joined_at, sender_id, joined_at
from crowd;

insert into kith.document_versions (
  tenant_id, id, vault_id, document_id, state, created_by, created_at, chunks, size, chunk_size
)
select tenant_id, version_id, vault_id, document_id, 'current', sender_id, joined_at, 1, 1, 4096 from crowd;

insert into kith.history (tenant_id, id, vault_id, at, actor_id, action, subject_type, subject_id)
select tenant_id, internal.uuid7(day), vault_id, day, sender_id, 'session_opened', 'vault', vault_id
from crowd
cross join settings as today (t, p, now)
cross join generate_series(now - interval '30 days', now - interval '1 day', interval '1 day') as day;

create temporary table said as
select crowd.*, internal.uuid7(joined_at) as message_id from crowd cross join generate_series(1, 5);

insert into kith.messages (tenant_id, id, vault_id, nominee_id, owner_id, nominee_user_id, from_id, body, created_at)
select tenant_id, message_id, vault_id, nominee_id, sender_id, receiver_id, sender_id, 'Hello', joined_at from said;

insert into kith.conversations (tenant_id, nominee_id, owner_id, vault_id, nominee_user_id, last_message_id, nominee_unread)
select distinct on (n) tenant_id, nominee_id, sender_id, vault_id, receiver_id, message_id, 5 from said order by n, message_id desc;

insert into kith.signs (tenant_id, id, user_id, name, kind, token_hash, created_at, last_used_at)
select tenant_id, internal.uuid7(joined_at), sender_id, 'Door', 'activity', sha256(sender_id::text::bytea), joined_at, joined_at from crowd;

insert into kith.devices (tenant_id, token, user_id, platform, environment, created_at, last_seen_at)
select tenant_id, 'crowd' || n, receiver_id, 'ios', 'production', joined_at, joined_at from crowd
union all
select tenant_id, 'sender' || n, sender_id, 'ios', 'production', joined_at, joined_at from crowd;

update kith.tenant_usage set users = users + 3 * people from settings where tenant_usage.tenant_id = settings.tenant_id;
reset session_replication_role;
