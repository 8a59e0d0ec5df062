grant select on kith.card_views to kith_reader;
