grant select on kith.tenant_moves to kith_reader;
