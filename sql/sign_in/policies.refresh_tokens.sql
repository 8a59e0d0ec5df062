grant select (tenant_id, id, family_id, created_at, expires_at, used_at, predecessor_id)
  on kith.refresh_tokens to kith_reader;
