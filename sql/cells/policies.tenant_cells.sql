grant select on kith.tenant_cells to kith_reader;
