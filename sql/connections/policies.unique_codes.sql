create policy "users see only their own codes" on kith.unique_codes
  for select
  to kith_api
  using (user_id = kith.user_id());
comment on policy "users see only their own codes" on kith.unique_codes is
  'Only internal.attempt_code finds another user''s code, and it counts the attempt. Only internal.new_code makes '
  'codes.';

grant select on kith.unique_codes to kith_api;
grant select (tenant_id, user_id, role, permanent, created_at, expires_at, rotated_at)
  on kith.unique_codes to kith_reader;
