-- Sealed, and no operator's business.
grant select (tenant_id, user_id, updated_at) on kith.care_cards to kith_reader;
