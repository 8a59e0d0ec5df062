grant select on kith.audit to kith_reader;
