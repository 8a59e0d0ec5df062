grant select on kith.brand_marks to kith_reader;
