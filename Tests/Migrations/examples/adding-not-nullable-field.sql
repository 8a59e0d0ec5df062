alter table kith.pings alter column note set not null;
