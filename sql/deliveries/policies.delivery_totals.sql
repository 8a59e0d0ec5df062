grant select on kith.delivery_totals to kith_reader;
