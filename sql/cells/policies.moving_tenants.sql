grant select on kith.moving_tenants to kith_reader;

create policy "a request sees whether its tenant came" on kith.moving_tenants
  for select
  to kith_api
  using (true);
comment on policy "a request sees whether its tenant came" on kith.moving_tenants is
  'internal.read_position, which runs as its caller, must know positions of another database. The restrictive policy '
  'leaves the caller its own tenant.';
grant select on kith.moving_tenants to kith_api;
