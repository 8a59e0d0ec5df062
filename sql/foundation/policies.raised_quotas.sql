grant select on kith.raised_quotas to kith_reader;
