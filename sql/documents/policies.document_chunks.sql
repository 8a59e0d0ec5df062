grant select (tenant_id, version_id, n) on kith.document_chunks to kith_reader;
