grant select on kith.canary_answers to kith_reader;
