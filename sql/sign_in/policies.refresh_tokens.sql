grant select (tenant_id, id, family_id, created_at, expires_at, used_at, successor_id, replaced_at) on kith.refresh_tokens to kith_admin;
