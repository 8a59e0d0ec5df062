-- load.tenants, load.senders and load.connections set the numbers, and the tenants are numbered after load.first. Users joined over the last year, tenants interleaved, so that a
-- tenant's rows are scattered as in a real database.
create schema load;

create table load.sizes as
select current_setting('load.tenants')::integer as tenants, current_setting('load.senders')::integer as senders,
  current_setting('load.connections')::integer as connections, current_setting('load.first')::integer as first;

create table load.senders as
select n, first + n % tenants + 1 as tenant_id,
  internal.uuid7(now() - interval '1 year' + n * interval '1 year' / senders) as user_id
from load.sizes
cross join generate_series(0, senders - 1) as n;
alter table load.senders add primary key (n);

create table load.receivers as
select n, tenant_id, internal.uuid7(now() - interval '1 year' + n * interval '1 year' / senders) as user_id
from load.sizes
cross join load.senders;
alter table load.receivers add primary key (n);
analyze load.senders, load.receivers;

select internal.make_partitions(now(), 100), worker.note_current_pings(now());

insert into kith.tenants (tenant_id, slug, name, brand_name, created_at, updated_at)
select n, 'tenant-' || n, 'Tenant ' || n, 'Tenant ' || n, now() - interval '1 year', now() - interval '1 year'
from load.sizes
cross join generate_series(first + 1, first + tenants) as n;

-- For further tenants that a benchmark creates.
select setval('kith.tenant_ids', first + tenants) from load.sizes;

insert into kith.tenant_usage (tenant_id, users)
select tenant_id, 2 * count(*) from load.senders group by tenant_id;

insert into kith.users (tenant_id, id, display_name, tokens_valid_from, created_at, updated_at)
select tenant_id, user_id, name || ' ' || n, at, at, at
from (
  select *, 'Alice' as name from load.senders union all select *, 'Bob' from load.receivers
) as people
cross join lateral (select now() - interval '1 year' as at) as made
order by n;

-- At midnight in the westernmost zone all four zones have begun the same date, and no ping is due yet.
-- Each sender checked in yesterday.
insert into kith.sender_profiles (
  tenant_id, user_id, time_zone, ping_time, grace_minutes, reminder_minutes, timed_at, last_check_in_at, created_at,
  updated_at
)
select tenant_id, user_id,
  (array['America/New_York', 'Europe/London', 'Europe/Berlin', 'Asia/Kolkata'])[n / tenants % 4 + 1],
  time '11:00' + n * 7919::bigint % 600 * interval '1 minute', 90, 15, at, now() - interval '1 day', at, at
from load.sizes
cross join load.senders
cross join lateral (select now() - interval '1 year' as at) as made
order by n;

insert into kith.receiver_profiles (tenant_id, user_id, created_at, updated_at)
select tenant_id, user_id, now() - interval '1 year', now() - interval '1 year' from load.receivers order by n;

-- Each sender's first connection is as old as the sender; later ones have a different order. 7919 is a prime.
insert into kith.connections
  (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
select sender.tenant_id, internal.uuid7(at), sender.user_id, receiver.user_id, 'active', receiver.user_id, at, at, at
from (
  select *, k / senders as nth, case when k < senders then k else k * 7919::bigint % senders end as sender_n
  from load.sizes
  cross join generate_series(0, connections - 1) as k
) as plan
cross join lateral (select now() - interval '1 year' + k * interval '1 year' / connections as at) as made
join load.senders as sender on sender.n = sender_n
join load.receivers as receiver on receiver.n = (sender_n + nth * 13 * tenants) % senders
order by k;
