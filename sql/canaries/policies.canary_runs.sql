grant select on kith.canary_runs to kith_reader;
