grant select on kith.act_counts to kith_reader;
