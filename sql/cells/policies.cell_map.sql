grant select on kith.cell_map to kith_reader;
