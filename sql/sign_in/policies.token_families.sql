grant select on kith.token_families to kith_reader;
