grant select on kith.code_attempts to kith_reader;
