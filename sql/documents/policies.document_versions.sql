grant select on kith.document_versions to kith_admin;
