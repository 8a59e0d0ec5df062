alter table kith.idempotency_key_subjects enable row level security;
alter table kith.idempotency_key_subjects force row level security;

create policy "the owner may do everything" on kith.idempotency_key_subjects
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.idempotency_key_subjects is
  'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

create policy "the owner stays within the tenant that is set" on kith.idempotency_key_subjects
  as restrictive
  to kith_owner
  using (tenant_id = coalesce(kith.tenant_id(), tenant_id))
  with check (tenant_id = coalesce(kith.tenant_id(), tenant_id));
comment on policy "the owner stays within the tenant that is set" on kith.idempotency_key_subjects is
  'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

create policy "a request sees its own tenant only" on kith.idempotency_key_subjects
  as restrictive
  to kith_api
  using (tenant_id = kith.tenant_id())
  with check (tenant_id = kith.tenant_id());
comment on policy "a request sees its own tenant only" on kith.idempotency_key_subjects is
  'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

create policy "callers see the subjects of their own keys" on kith.idempotency_key_subjects
  for select
  to kith_api
  using (caller = kith.caller());
comment on policy "callers see the subjects of their own keys" on kith.idempotency_key_subjects is
  'To check, before an answer is repeated, that they may still see them.';

revoke all on kith.idempotency_key_subjects from kith_api, kith_worker, kith_admin;
grant select on kith.idempotency_key_subjects to kith_api;
