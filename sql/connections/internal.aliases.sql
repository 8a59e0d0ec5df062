drop view if exists internal.own_aliases;
create view internal.own_aliases with (security_barrier) as
select
  connection.tenant_id,
  connection.id as connection_id,
  case connection.sender_id when kith.user_id() then connection.alias_by_sender
    else connection.alias_by_receiver end as alias
from kith.connections as connection
where connection.tenant_id = kith.tenant_id()
  and (connection.sender_id = kith.user_id() or connection.receiver_id = kith.user_id());
comment on view internal.own_aliases is
  'What the current user calls the other sides of their connections, removed ones included (P37). The view runs as the '
  'owner, so its own condition acts as the policy.';
grant select on internal.own_aliases to kith_api;
