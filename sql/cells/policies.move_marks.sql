grant select on kith.move_marks to kith_reader;
