grant select (tenant_id, began_at) on kith.tenant_imports to kith_admin;
