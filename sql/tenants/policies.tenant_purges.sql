grant select on kith.tenant_purges to kith_reader;
