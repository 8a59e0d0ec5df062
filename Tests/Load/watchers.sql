-- Gives each of the first load.watchers receivers load.watched senders in total, connected over the last year: neighbouring senders to
-- whom they were not connected yet.
create table load.watchers as
select n, tenant_id, user_id
from load.receivers
where n < current_setting('load.watchers')::integer;

insert into kith.connections
  (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
select watcher.tenant_id, internal.uuid7(at), sender.user_id, watcher.user_id, 'active', watcher.user_id, at, at, at
from load.sizes
cross join load.watchers as watcher
cross join generate_series(1, current_setting('load.watched')::integer - connections / senders) as nth
cross join lateral (select now() - nth * interval '1 day' as at) as made
join load.senders as sender on sender.n = watcher.n + nth * tenants;
