-- Users read alarms through procedures, which name others only where the reader may know them.
grant select (
  tenant_id, id, sender_id, kind, opened_at, counts_from, called_at, take_minutes, repeats_at, repeats_told, desk_at,
  desk_told_at, taken_by, taken_by_desk, taken_at, taken_until, checked_at, resolved_at, resolved_by, resolved_by_desk,
  outcome, expires_at, next_at
) on kith.alarms to kith_reader;
