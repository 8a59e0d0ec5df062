create policy "both sides see their connection" on kith.connections
  for select
  to kith_api
  using (kith.user_id() in (sender_id, receiver_id));
comment on policy "both sides see their connection" on kith.connections is
  'Includes deleted connections. Only definer procedures write connections, so nobody connects without a code.';

create policy "the worker sees every tenant" on kith.connections
  to kith_worker
  using (true);
comment on policy "the worker sees every tenant" on kith.connections is
  'The worker generates pings for connections.';

-- Not the aliases: each belongs to one side, and comes through internal.own_connections.
grant select (
  tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at, deleted_at,
  deleted_by, pings_stopped_at, resting_status
) on kith.connections to kith_api;
grant select (tenant_id, id, sender_id, receiver_id, status, pings_stopped_at, activated_at)
  on kith.connections to kith_worker;
grant select (
  tenant_id, id, sender_id, receiver_id, status, code_owner_id, activated_at, created_at, updated_at, deleted_at,
  deleted_by, pings_stopped_at, resting_status
) on kith.connections to kith_reader;
