grant select on kith.cell_directory to kith_reader;
