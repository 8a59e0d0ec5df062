grant select on kith.alarm_receivers to kith_reader;
