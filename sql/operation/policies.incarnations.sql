grant select on kith.incarnations to kith_admin;
