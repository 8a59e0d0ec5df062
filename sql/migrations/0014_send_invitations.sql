alter table kith.tenants
  add column sms_invitations_per_day integer not null default 5000
    constraint tenants_sms_invitations_in_bounds check (sms_invitations_per_day between 0 and 10000000);
comment on column kith.tenants.sms_invitations_per_day is 'Invitations that Kith sends by SMS in a UTC day, over all users: each one costs.';

alter table kith.connection_invitation_recipients add column delivery_id uuid;
create index connection_invitation_recipients_of_delivery on kith.connection_invitation_recipients (tenant_id, delivery_id)
  where delivery_id is not null;
create index connection_invitation_recipients_sent_to on kith.connection_invitation_recipients (tenant_id, phone)
  where delivery_id is not null;
comment on column kith.connection_invitation_recipients.delivery_id is 'The delivery by which Kith sends the text; null where the sender does.';
