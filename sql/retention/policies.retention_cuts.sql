grant select on kith.retention_cuts to kith_reader;
