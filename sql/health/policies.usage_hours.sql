grant select on kith.usage_hours to kith_reader;
