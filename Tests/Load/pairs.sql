-- Assigns each sender from load.first to load.last a receiver to whom they are not connected, and that receiver's code.
-- Their ping time is late in the day, so that connecting makes today's ping whenever the benchmarks run.
create table if not exists load.pairs (
  n integer primary key, tenant_id integer, sender_id uuid, receiver_id uuid, code text
);

with pairs as (
  insert into load.pairs
  select sender.n, sender.tenant_id, sender.user_id, receiver.user_id,
    lpad((receiver.n / tenants * 7919::bigint % 1000000)::text, 6, '0')
  from load.sizes
  join load.senders as sender
    on sender.n between current_setting('load.first')::integer and current_setting('load.last')::integer
  join load.receivers as receiver on receiver.n = (sender.n + 91 * tenants) % senders
  returning *
), late as (
  update kith.sender_profiles as profile set time_zone = 'UTC', ping_time = time '23:50'
  from pairs
  where profile.tenant_id = pairs.tenant_id and profile.user_id = pairs.sender_id
)
insert into kith.unique_codes (tenant_id, code, user_id, role, permanent, created_at)
select tenant_id, code, receiver_id, 'receiver', true, now() from pairs;
