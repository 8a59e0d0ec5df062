grant select on kith.canary_people to kith_reader;
