-- A migration such as a next release may bring, for `deploy/rehearse upgrade --next`: columns and constraints of the tables that every check-in
-- reads and writes. Sessions of the previous release have compiled these tables' row types into their procedures and plans.

alter table kith.users add column rehearsed_at timestamptz;
alter table kith.sender_profiles add column rehearsals integer not null default 0;
alter table kith.check_ins add column rehearsal text;
alter table kith.check_ins add constraint check_ins_rehearsal_is_short check (char_length(rehearsal) <= 100) not valid;
alter table kith.pings add column rehearsal text;
