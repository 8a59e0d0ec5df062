grant select on kith.text_numbers to kith_reader;
