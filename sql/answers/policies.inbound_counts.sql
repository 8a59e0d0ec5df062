grant select on kith.inbound_counts to kith_reader;
