grant select on kith.inbound_messages to kith_reader;
