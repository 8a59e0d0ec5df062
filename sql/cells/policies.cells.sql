grant select on kith.cells to kith_reader;
