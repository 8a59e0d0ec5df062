grant select on kith.retention_passes to kith_reader;
