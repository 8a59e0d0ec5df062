alter table kith.pings add column mark uuid default gen_random_uuid();
