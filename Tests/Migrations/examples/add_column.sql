-- Allowed: a column with a constant default, and a constraint that is validated later, rewrite nothing.
alter table kith.users add column nickname text default '';
alter table kith.users add constraint users_nickname_is_short check (char_length(nickname) <= 100) not valid;
