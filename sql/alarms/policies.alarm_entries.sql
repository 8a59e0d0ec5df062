-- Not what people wrote in an alarm, nor the names that a tenant's server gave.
grant select (tenant_id, alarm_id, id, at, kind, user_id, outcome) on kith.alarm_entries to kith_reader;
