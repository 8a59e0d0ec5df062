create index connection_invitations_by_age on kith.connection_invitations (created_at);
comment on table kith.connection_invitations is
  'A sender''s invitation of up to 1,000 people at once (P15): one text for all of them. Kept for 90 days, as the numbers are other people''s.';

-- Found by number also when a person who was invited ends the account that they have made.
drop index kith.connection_invitation_recipients_sent_to;
create index connection_invitation_recipients_of_phone on kith.connection_invitation_recipients (tenant_id, phone) where phone is not null;
