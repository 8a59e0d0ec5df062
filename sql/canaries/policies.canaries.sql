grant select on kith.canaries to kith_reader;
