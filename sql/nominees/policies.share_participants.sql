grant select on kith.share_participants to kith_reader;
