alter table kith.idempotency_key_subjects enable row level security;
alter table kith.idempotency_key_subjects force row level security;

create policy "the owner may do everything" on kith.idempotency_key_subjects
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.idempotency_key_subjects is
  'Lets definer procedures and migrations, which run as kith_owner, reach the rows. Without a permissive policy they would change 0 rows and raise no error.';

create policy "the owner stays within the tenant that is set" on kith.idempotency_key_subjects
  as restrictive
  to kith_owner
  using (tenant_id = coalesce(kith.tenant_id(), tenant_id))
  with check (tenant_id = coalesce(kith.tenant_id(), tenant_id));
comment on policy "the owner stays within the tenant that is set" on kith.idempotency_key_subjects is
  'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

create policy "a request sees only its own tenant" on kith.idempotency_key_subjects
  as restrictive
  to kith_api
  using (tenant_id = kith.tenant_id())
  with check (tenant_id = kith.tenant_id());
comment on policy "a request sees only its own tenant" on kith.idempotency_key_subjects is
  'A01: a request with no tenant set sees no rows. The condition is a plain comparison, so that an index can serve it.';

create policy "callers see only the subjects of their own keys" on kith.idempotency_key_subjects
  for select
  to kith_api
  using (caller = kith.caller());
comment on policy "callers see only the subjects of their own keys" on kith.idempotency_key_subjects is
  'Before a kept answer is repeated, the server checks that the caller may still see its subjects.';

revoke all on kith.idempotency_key_subjects from kith_api, kith_worker, kith_admin;
grant select on kith.idempotency_key_subjects to kith_api;
