grant select on kith.canary_channels to kith_reader;
