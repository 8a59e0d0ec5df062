grant select (tenant_id, began_at) on kith.tenant_imports to kith_reader;

create policy "the worker sees every tenant" on kith.tenant_imports
  for select
  to kith_worker
  using (true);
comment on policy "the worker sees every tenant" on kith.tenant_imports is
  'The claims of generation, which run as the worker, leave out tenants whose import is not finished.';
grant select (tenant_id) on kith.tenant_imports to kith_worker;
