grant select on kith.document_versions to kith_reader;
