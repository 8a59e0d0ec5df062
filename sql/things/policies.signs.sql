create policy "users see only their own signs" on kith.signs
  for select
  to kith_api
  using (user_id = kith.user_id());
comment on policy "users see only their own signs" on kith.signs is
  'Receivers see the newest activity through internal.own_connections, where the sender shares it. Only the procedures '
  'of sql/signs write signs.';

-- Not the hash of the token: whoever may read it could try tokens without the server's limits.
grant select (tenant_id, id, user_id, name, kind, allow_get, created_at, last_used_at, reports)
  on kith.signs to kith_api;
grant select (tenant_id, id, user_id, kind, allow_get, created_at, last_used_at, reports) on kith.signs to kith_reader;
