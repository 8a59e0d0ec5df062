alter table kith.tenants
  add column default_region text constraint tenants_default_region_is_two_letters check (default_region ~ '^[A-Z]{2}$'),
  add column app_link text
    constraint tenants_app_link_is_https check (app_link ~ '^https://[^[:space:]]+$' and char_length(app_link) <= 500),
  add column sms_enabled boolean not null default false;
comment on column kith.tenants.default_region is
  'The country (ISO 3166-1 alpha-2) in whose form phone numbers are read that do not say their own, where neither the user''s phone nor locale tells.';
comment on column kith.tenants.app_link is 'Where the app is installed from, such as its page in the App Store: the join page leads there.';
comment on column kith.tenants.sms_enabled is 'Whether Kith sends text messages for this tenant. The operator''s to say: each one costs.';

-- Pages find their tenant by host, so a host is one tenant's. Where two have said the same, it stays with the older one.
update kith.tenants as tenant set universal_link_host = null
where exists (
  select from kith.tenants as older
  where older.universal_link_host = tenant.universal_link_host and older.tenant_id < tenant.tenant_id
);
create unique index tenants_host_is_one_tenants on kith.tenants (universal_link_host);

create table kith.connection_invitations (
  tenant_id integer not null,
  id uuid not null,
  user_id uuid not null,
  message text not null,
  code text not null,
  url text not null,
  recipients integer not null,
  created_at timestamptz not null,
  constraint connection_invitations_pkey primary key (tenant_id, id),
  constraint connection_invitations_user foreign key (tenant_id, user_id) references kith.users,
  constraint connection_invitations_recipients_in_bounds check (recipients between 1 and 1000)
);
create index connection_invitations_of_user on kith.connection_invitations (tenant_id, user_id, id);
comment on table kith.connection_invitations is 'A sender''s invitation of up to 1,000 people at once (P15): one text for all of them.';
comment on column kith.connection_invitations.message is 'As it was when it was made: name, brand, code and link may have changed since (P16).';
comment on column kith.connection_invitations.code is 'The sender''s permanent code at that time.';
comment on column kith.connection_invitations.url is 'The tenant''s join link with the code.';
comment on column kith.connection_invitations.recipients is 'How many people were named, the unusable ones included: the day''s limit counts them.';

create table kith.connection_invitation_recipients (
  tenant_id integer not null,
  invitation_id uuid not null,
  n integer not null,
  user_id uuid not null,
  name text constraint connection_invitation_recipients_name_is_short check (char_length(name) between 1 and 100),
  given_phone text not null constraint connection_invitation_recipients_given_phone_is_short check (char_length(given_phone) <= 100),
  phone text constraint connection_invitation_recipients_phone_is_e164 check (phone ~ '^\+[1-9][0-9]{6,14}$'),
  problem text,
  status text not null constraint connection_invitation_recipients_status_is_known
    check (status in ('pending', 'queued', 'sent', 'cancelled', 'failed', 'unavailable', 'invalid', 'duplicate')),
  updated_at timestamptz not null,
  constraint connection_invitation_recipients_pkey primary key (tenant_id, invitation_id, n),
  constraint connection_invitation_recipients_invitation foreign key (tenant_id, invitation_id) references kith.connection_invitations
    on delete cascade,
  constraint connection_invitation_recipients_invalid_says_why check ((status = 'invalid') = (problem is not null)),
  constraint connection_invitation_recipients_phone_or_problem check ((phone is null) = (problem is not null))
);
comment on table kith.connection_invitation_recipients is 'One person invited: the number as it was given and as it is used, and what became of the text (P17).';
comment on column kith.connection_invitation_recipients.n is 'The place in the list that the sender gave, from 1.';
comment on column kith.connection_invitation_recipients.user_id is 'The sender, carried down from the invitation: policies compare the row''s own columns.';
comment on column kith.connection_invitation_recipients.phone is 'E.164; null where the number given is unusable.';
comment on column kith.connection_invitation_recipients.problem is 'Why the number is unusable; internal.phone_problem_text says it to a person.';
comment on column kith.connection_invitation_recipients.status is
  'pending: nobody has sent it yet. queued: Kith sends it. sent, cancelled, failed, unavailable: as reported. invalid: an unusable number. duplicate: the number stands earlier in the list.';
