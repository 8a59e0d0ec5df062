grant select on kith.undelivered_alarms to kith_reader;
