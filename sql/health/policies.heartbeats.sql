grant select on kith.heartbeats to kith_reader;
