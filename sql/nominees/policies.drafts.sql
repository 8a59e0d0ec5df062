grant select on kith.drafts to kith_reader;
