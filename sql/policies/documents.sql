grant select on kith.documents to kith_api;
grant select (
  tenant_id, id, vault_id, owner_id, version_id, content_type, size, sha256, created_at, created_by, updated_at, deleted_at, deleted_by
) on kith.documents to kith_admin;
