grant select on kith.alarm_plan_receivers to kith_reader;
