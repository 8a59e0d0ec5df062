alter table kith.idempotency_keys enable row level security;
alter table kith.idempotency_keys force row level security;

create policy "the owner may do everything" on kith.idempotency_keys
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.idempotency_keys is
  'Definer procedures and migrations; without a permissive policy they would change 0 rows and say nothing.';

create policy "the owner stays within the tenant that is set" on kith.idempotency_keys
  as restrictive
  to kith_owner
  using (tenant_id = coalesce(kith.tenant_id(), tenant_id))
  with check (tenant_id = coalesce(kith.tenant_id(), tenant_id));
comment on policy "the owner stays within the tenant that is set" on kith.idempotency_keys is
  'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

create policy "a request sees its own tenant only" on kith.idempotency_keys
  as restrictive
  to kith_api
  using (tenant_id = kith.tenant_id())
  with check (tenant_id = kith.tenant_id());
comment on policy "a request sees its own tenant only" on kith.idempotency_keys is
  'A01: with no tenant set nothing is seen. A plain comparison, so that it is an index condition.';

create policy "a caller sees the own keys" on kith.idempotency_keys
  for select
  to kith_api
  using (caller = kith.caller());
comment on policy "a caller sees the own keys" on kith.idempotency_keys is
  'The scope of a key is its caller: nobody is given another''s answer.';

create policy "a caller keeps an answer" on kith.idempotency_keys
  for insert
  to kith_api
  with check (caller = kith.caller());
comment on policy "a caller keeps an answer" on kith.idempotency_keys is
  'In the transaction in which the answer came about.';

create policy "a caller replaces an answer that has expired" on kith.idempotency_keys
  for update
  to kith_api
  using (caller = kith.caller())
  with check (caller = kith.caller());
comment on policy "a caller replaces an answer that has expired" on kith.idempotency_keys is
  'Before the worker has swept it away.';

revoke all on kith.idempotency_keys from kith_api, kith_worker, kith_admin;
grant select, insert on kith.idempotency_keys to kith_api;
grant update (fingerprint, sealed_answer, created_at, expires_at) on kith.idempotency_keys to kith_api;
