grant select on kith.canary_arrivals to kith_reader;
