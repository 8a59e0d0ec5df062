grant select (tenant_id, id, name, scopes, expires_at, last_used_at, revoked_at, created_at)
  on kith.api_keys to kith_reader;
