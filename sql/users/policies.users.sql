create policy "users see only their own account" on kith.users
  for select
  to kith_api
  using (id = kith.user_id());
comment on policy "users see only their own account" on kith.users is
  'The names of connected people come through the view internal.own_connections.';

grant select on kith.users to kith_api;
grant select on kith.users to kith_reader;
