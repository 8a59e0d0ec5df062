grant select on kith.tenant_usage to kith_reader;
