-- What ended long ago is found by these when it is swept.
create index nominee_invitations_by_end on kith.nominee_invitations (coalesce(ended_at, expires_at));
create index transfers_by_end on kith.transfers (coalesce(ended_at, expires_at));

-- And who is named somewhere, when their account ends: under the policies lower() is never an index condition.
alter table kith.nominees add column email_normalized text generated always as (lower(email)) stored;
alter table kith.transfers add column email_normalized text generated always as (lower(email)) stored;
create index nominees_of_phone on kith.nominees (tenant_id, phone) where phone is not null;
create index nominees_of_email on kith.nominees (tenant_id, email_normalized) where email_normalized is not null;
create index transfers_of_phone on kith.transfers (tenant_id, phone) where phone is not null;
create index transfers_of_email on kith.transfers (tenant_id, email_normalized) where email_normalized is not null;
create index transfers_of_recipient on kith.transfers (tenant_id, accepted_by) where accepted_by is not null;
