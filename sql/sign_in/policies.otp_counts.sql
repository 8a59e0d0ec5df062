grant select on kith.otp_counts to kith_reader;
