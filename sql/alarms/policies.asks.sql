grant select on kith.asks to kith_reader;
