alter table kith.messages enable row level security;
alter table kith.messages force row level security;

create policy "the owner may do everything" on kith.messages
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.messages is
  'Lets definer procedures and migrations, which run as kith_owner, reach the rows. Without a permissive policy they would change 0 rows and raise no error.';

create policy "the owner stays within the tenant that is set" on kith.messages
  as restrictive
  to kith_owner
  using (tenant_id = coalesce(kith.tenant_id(), tenant_id))
  with check (tenant_id = coalesce(kith.tenant_id(), tenant_id));
comment on policy "the owner stays within the tenant that is set" on kith.messages is
  'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

create policy "a request sees only its own tenant" on kith.messages
  as restrictive
  to kith_api
  using (tenant_id = kith.tenant_id())
  with check (tenant_id = kith.tenant_id());
comment on policy "a request sees only its own tenant" on kith.messages is
  'A01: a request with no tenant set sees no rows. The condition is a plain comparison, so that an index can serve it.';

create policy "both sides see their own conversation" on kith.messages
  for select
  to kith_api
  using (kith.user_id() in (owner_id, nominee_user_id));
comment on policy "both sides see their own conversation" on kith.messages is
  'After a transfer, the former owner keeps the conversation and the new owner does not see it.';

create policy "operators read every tenant" on kith.messages
  for select
  to kith_admin
  using (true);
comment on policy "operators read every tenant" on kith.messages is
  'G01: operators change data only through the procedures of schema admin.';

revoke all on kith.messages from kith_api, kith_worker, kith_admin;
grant select on kith.messages to kith_api;
grant select (tenant_id, id, vault_id, nominee_id, owner_id, nominee_user_id, from_id, created_at, read_at) on kith.messages to kith_admin;
