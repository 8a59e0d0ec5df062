-- Gives each sender from load.first to load.last exactly load.crowd receivers, in place of those that they had.
create table if not exists load.crowds (n integer, tenant_id integer, sender_id uuid, receiver_id uuid, primary key (n, receiver_id));

insert into load.crowds
select sender.n, sender.tenant_id, sender.user_id, receiver.user_id
from load.sizes
join load.senders as sender on sender.n between current_setting('load.first')::integer and current_setting('load.last')::integer
cross join generate_series(1, current_setting('load.crowd')::integer) as nth
join load.receivers as receiver on receiver.n = (sender.n + nth * tenants) % senders;

delete from kith.connections as connection
using load.senders as sender
where sender.n between current_setting('load.first')::integer and current_setting('load.last')::integer
  and connection.tenant_id = sender.tenant_id and connection.sender_id = sender.user_id;

insert into kith.connections (tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at)
select tenant_id, internal.uuid7(now()), sender_id, receiver_id, 'active', receiver_id, now(), now(), now()
from load.crowds
where n between current_setting('load.first')::integer and current_setting('load.last')::integer;
