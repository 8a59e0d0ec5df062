grant select on kith.channel_pauses to kith_admin;
