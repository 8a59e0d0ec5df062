grant select (tenant_id, vault_id, created_at) on kith.vault_keys to kith_reader;
