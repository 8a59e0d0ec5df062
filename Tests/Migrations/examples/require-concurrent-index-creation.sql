create index pings_by_note on kith.pings (note);
