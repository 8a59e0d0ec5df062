grant select on kith.suspensions to kith_reader;
