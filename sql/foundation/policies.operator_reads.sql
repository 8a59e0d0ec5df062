grant select on kith.operator_reads to kith_reader;
