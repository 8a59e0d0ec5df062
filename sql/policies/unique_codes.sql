alter table kith.unique_codes enable row level security;
alter table kith.unique_codes force row level security;

create policy "the owner may do everything" on kith.unique_codes
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.unique_codes is
  'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

create policy "the owner stays within the tenant that is set" on kith.unique_codes
  as restrictive
  to kith_owner
  using (tenant_id = coalesce(kith.tenant_id(), tenant_id))
  with check (tenant_id = coalesce(kith.tenant_id(), tenant_id));
comment on policy "the owner stays within the tenant that is set" on kith.unique_codes is
  'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

create policy "a request sees its own tenant only" on kith.unique_codes
  as restrictive
  to kith_api
  using (tenant_id = kith.tenant_id())
  with check (tenant_id = kith.tenant_id());
comment on policy "a request sees its own tenant only" on kith.unique_codes is
  'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

create policy "a user sees the own codes" on kith.unique_codes
  for select
  to kith_api
  using (user_id = kith.user_id());
comment on policy "a user sees the own codes" on kith.unique_codes is
  'Another''s code is found by internal.attempt_code only, which counts the attempt; codes are made by internal.new_code.';

create policy "an operator reads every tenant" on kith.unique_codes
  for select
  to kith_admin
  using (true);
comment on policy "an operator reads every tenant" on kith.unique_codes is
  'G01: operators change through the procedures of schema admin only.';

revoke all on kith.unique_codes from kith_api, kith_worker, kith_admin;
grant select on kith.unique_codes to kith_api;
grant select (tenant_id, user_id, role, permanent, created_at, expires_at, rotated_at) on kith.unique_codes to kith_admin;
