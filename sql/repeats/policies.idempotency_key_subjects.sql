create policy "callers see only the subjects of their own keys" on kith.idempotency_key_subjects
  for select
  to kith_api
  using (caller = kith.caller());
comment on policy "callers see only the subjects of their own keys" on kith.idempotency_key_subjects is
  'Before a kept answer is repeated, the server checks that the caller may still see its subjects.';

grant select on kith.idempotency_key_subjects to kith_api;
