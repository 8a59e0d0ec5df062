-- Gives an installation of load.tenants tenants what a year leaves for operators to read: codes, numbers, check-ins, runs, requests, messages, alarms,
-- vaults and the audit. All instants are near the present, where the views look.

insert into kith.unique_codes (tenant_id, code, user_id, role, permanent, created_at)
select tenant_id, lpad((n / tenants)::text, 6, '0'), user_id, 'receiver', true, now() from load.sizes cross join load.receivers;

update kith.users as account set phone = '+4915' || lpad(sender.n::text, 9, '0'), phone_verified_at = now()
from load.senders as sender
where sender.n % 10 = 0 and account.tenant_id = sender.tenant_id and account.id = sender.user_id;

insert into kith.check_ins (tenant_id, id, user_id, received_at, created_at)
select tenant_id, internal.uuid7(at), user_id, at, at
from load.senders
cross join lateral (select now() - n % 86400 * interval '1 second' as at) as made;

insert into kith.ping_runs (tenant_id, time_zone, ping_on, starts_at, created, finished_at)
select run.tenant_id, run.time_zone, run.ping_on - back, run.starts_at - back * interval '1 day', run.created, run.finished_at - back * interval '1 day'
from kith.ping_runs as run
cross join generate_series(1, 30) as back
where run.finished_at is not null;

insert into kith.usage_hours (tenant_id, hour, caller, requests, refused, faults, slow)
select n, date_trunc('hour', now()) - hour * interval '1 hour', 'users', 1000 + n, n % 7, 0, n % 3
from load.sizes
cross join generate_series(1, tenants) as n
cross join generate_series(0, 7 * 24) as hour;

insert into kith.tenant_sizes (tenant_id, sampled_on, bytes, connections, codes)
select n, current_date - day, 1000000 * (30 - day), connections / tenants, senders / tenants
from load.sizes
cross join generate_series(1, tenants) as n
cross join generate_series(0, 29) as day;

insert into kith.audit (tenant_id, id, at, actor, action, subject)
select 1 + n % tenants, internal.uuid7(at), at, 'operator:anna', 'tenant.change', n::text
from load.sizes
cross join generate_series(0, 20 * tenants - 1) as n
cross join lateral (select now() - n * interval '1 minute' as at) as made;

-- A message for one in ten connections. One in a hundred of them failed, one in a hundred was dropped, and one in a hundred waits.
with made as (
  select sender.tenant_id, internal.uuid7(at) as notification_id, internal.uuid7(at) as id, sender.user_id, sender.n, at
  from load.sizes
  cross join load.senders as sender
  cross join lateral (select now() - sender.n % 86400 * interval '1 second' as at) as made
  where sender.n % 10 < greatest(connections / senders, 1)
), notified as (
  insert into kith.notifications (tenant_id, id, user_id, type, body, created_at, planned_at, sent_at, delivery_status)
  select tenant_id, notification_id, user_id, 'ping_due', '', at, case when n % 1000 > 9 then at end, at, 'sent' from made
)
insert into kith.deliveries (tenant_id, id, channel, purpose, address, status, next_attempt_at, expires_at, sent_at, error, created_at, notification_id)
select tenant_id, id, 'sms', 'notification', '+4915' || lpad(n::text, 9, '0'),
  case n / 10 % 100 when 0 then 'failed' when 1 then 'dropped' when 2 then 'queued' else 'sent' end, at, at + interval '1 day',
  case when n / 10 % 100 > 2 then at end, case when n / 10 % 100 < 2 then 'no such number' end, at, notification_id
from made;

-- A channel of each tenant is like that of the first.
insert into kith.channel_credentials (tenant_id, channel, summary, sealed, created_at, updated_at)
select n, channel, summary, sealed, created_at, updated_at
from load.sizes
cross join generate_series(2, tenants) as n
cross join kith.channel_credentials as first
where first.tenant_id = 1;

-- An alarm of one in a hundred senders; one in ten of these is open.
insert into kith.alarms (
  tenant_id, id, sender_id, kind, opened_at, counts_from, take_minutes, repeats_at, resolved_at, outcome, expires_at, next_at
)
select tenant_id, internal.uuid7(at), user_id, 'missed', at, at, 30, '{}', case when n % 1000 > 0 then at + interval '1 hour' end,
  case when n % 1000 > 0 then 'safe' end, at + interval '7 days', case when n % 1000 = 0 then least(now() + interval '1 day', at + interval '7 days') end
from load.senders
cross join lateral (select now() - n % 86400 * interval '1 second' as at) as made
where n % 100 = 0;
insert into kith.alarm_receivers (tenant_id, alarm_id, receiver_id, connection_id, tier, tell_at, told_at)
select alarm.tenant_id, alarm.id, connection.receiver_id, connection.id, 1, alarm.opened_at, alarm.opened_at
from kith.alarms as alarm
join kith.connections as connection on connection.tenant_id = alarm.tenant_id and connection.sender_id = alarm.sender_id;
