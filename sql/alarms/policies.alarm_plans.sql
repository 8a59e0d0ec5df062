grant select on kith.alarm_plans to kith_reader;
