grant select on kith.shared_issuers to kith_reader;
