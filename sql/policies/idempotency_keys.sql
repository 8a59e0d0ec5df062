alter table kith.idempotency_keys enable row level security;
alter table kith.idempotency_keys force row level security;

create policy "the owner may do everything" on kith.idempotency_keys
  to kith_owner
  using (true)
  with check (true);
comment on policy "the owner may do everything" on kith.idempotency_keys is
  'Lets definer procedures and migrations, which run as kith_owner, reach the rows. Without a permissive policy they would change 0 rows and raise no error.';

create policy "the owner stays within the tenant that is set" on kith.idempotency_keys
  as restrictive
  to kith_owner
  using (tenant_id = coalesce(kith.tenant_id(), tenant_id))
  with check (tenant_id = coalesce(kith.tenant_id(), tenant_id));
comment on policy "the owner stays within the tenant that is set" on kith.idempotency_keys is
  'A definer procedure called within a tenant cannot leave it, whatever its statements say.';

create policy "a request sees only its own tenant" on kith.idempotency_keys
  as restrictive
  to kith_api
  using (tenant_id = kith.tenant_id())
  with check (tenant_id = kith.tenant_id());
comment on policy "a request sees only its own tenant" on kith.idempotency_keys is
  'A01: a request with no tenant set sees no rows. The condition is a plain comparison, so that an index can serve it.';

create policy "callers see only their own keys" on kith.idempotency_keys
  for select
  to kith_api
  using (caller = kith.caller());
comment on policy "callers see only their own keys" on kith.idempotency_keys is
  'A key is scoped to its caller, so nobody receives another caller''s answer.';

create policy "callers keep their own answers" on kith.idempotency_keys
  for insert
  to kith_api
  with check (caller = kith.caller());
comment on policy "callers keep their own answers" on kith.idempotency_keys is
  'An answer is kept in the transaction that produced it.';

create policy "callers replace their own expired answers" on kith.idempotency_keys
  for update
  to kith_api
  using (caller = kith.caller())
  with check (caller = kith.caller());
comment on policy "callers replace their own expired answers" on kith.idempotency_keys is
  'Allows a key to be used again before the worker has deleted its expired answer.';

revoke all on kith.idempotency_keys from kith_api, kith_worker, kith_admin;
grant select, insert on kith.idempotency_keys to kith_api;
grant update (fingerprint, sealed_answer, created_at, expires_at) on kith.idempotency_keys to kith_api;
