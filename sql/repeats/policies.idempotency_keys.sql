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

grant select, insert on kith.idempotency_keys to kith_api;
grant update (fingerprint, sealed_answer, created_at, expires_at) on kith.idempotency_keys to kith_api;
