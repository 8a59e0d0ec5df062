grant select on kith.otp_tries to kith_reader;
