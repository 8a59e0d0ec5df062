alter table kith.pings add constraint pings_note_is_not_blank check (btrim(note) <> '');
