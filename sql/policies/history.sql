grant select on kith.history to kith_api;
grant select on kith.history to kith_admin;
