alter table kith.users alter column display_name type varchar(50);
