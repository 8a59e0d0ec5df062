-- Sealed, and no operator's business.
grant select (tenant_id, user_id, received_at, located_at) on kith.places to kith_reader;
