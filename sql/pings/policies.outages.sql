grant select on kith.outages to kith_reader;
