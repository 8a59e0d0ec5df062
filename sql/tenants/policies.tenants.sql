create policy "a request sees the settings of its tenant" on kith.tenants
  for select
  to kith_api
  using (true);
comment on policy "a request sees the settings of its tenant" on kith.tenants is
  'The restrictive policy leaves one row, that of the request''s tenant.';

create policy "the worker sees every tenant" on kith.tenants
  to kith_worker
  using (true);
comment on policy "the worker sees every tenant" on kith.tenants is
  'The worker reads whether a tenant is deleted, and its name for the log.';

grant select on kith.tenants to kith_api;
grant select (tenant_id, slug, deleted_at) on kith.tenants to kith_worker;
grant select on kith.tenants to kith_reader;
