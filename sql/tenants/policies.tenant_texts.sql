grant select on kith.tenant_texts to kith_reader;
