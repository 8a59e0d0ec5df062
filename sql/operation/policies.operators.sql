grant select on kith.operators to kith_reader;
