-- What ended long ago is found by these when it is swept.
create index nominee_invitations_by_end on kith.nominee_invitations (coalesce(ended_at, expires_at));
create index transfers_by_end on kith.transfers (coalesce(ended_at, expires_at));
