alter table kith.transfers enable row level security;
alter table kith.transfers force row level security;

create policy "the owner may do everything" on kith.transfers
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.transfers is
  'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

create policy "the owner stays within the tenant that is set" on kith.transfers
  as restrictive
  to kith_owner
  using (tenant_id = coalesce(kith.tenant_id(), tenant_id))
  with check (tenant_id = coalesce(kith.tenant_id(), tenant_id));
comment on policy "the owner stays within the tenant that is set" on kith.transfers is
  'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

create policy "a request sees its own tenant only" on kith.transfers
  as restrictive
  to kith_api
  using (tenant_id = kith.tenant_id())
  with check (tenant_id = kith.tenant_id());
comment on policy "a request sees its own tenant only" on kith.transfers is
  'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

create policy "an owner sees the own offers" on kith.transfers
  for select
  to kith_api
  using (owner_id = kith.user_id());
comment on policy "an owner sees the own offers" on kith.transfers is
  'But for the hash of the token, which is not granted.';

create policy "an operator reads every tenant" on kith.transfers
  for select
  to kith_admin
  using (true);
comment on policy "an operator reads every tenant" on kith.transfers is
  'G01: operators change through the procedures of schema admin only.';

revoke all on kith.transfers from kith_api, kith_worker, kith_admin;
grant select (tenant_id, id, vault_id, owner_id, name, phone, email, keep_access, status, created_at, expires_at, ended_at, accepted_by)
  on kith.transfers to kith_api, kith_admin;
