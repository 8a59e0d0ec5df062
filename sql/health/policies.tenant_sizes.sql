grant select on kith.tenant_sizes to kith_reader;
