alter table kith.users drop column locale;
