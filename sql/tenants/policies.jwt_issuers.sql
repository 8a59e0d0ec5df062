grant select on kith.jwt_issuers to kith_reader;
