grant select on kith.incarnations to kith_reader;
