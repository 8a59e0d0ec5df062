grant select on kith.event_readers to kith_reader;
