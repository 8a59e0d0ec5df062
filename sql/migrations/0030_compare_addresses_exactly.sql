-- Addresses were compared in Unicode's lower case, in which U+0130 becomes i and U+212A becomes k: an address at another domain counted
-- as the one it looks like. From now on only ASCII letters are folded (internal.normalized_email). A generated column cannot get
-- another expression, so these are made anew, which writes the tables anew once; no value that anybody gave changes.

drop index kith.users_verified_email_is_unique;
drop index kith.users_of_email;
alter table kith.users drop column email_normalized;
alter table kith.users add column email_normalized text generated always as (lower(email collate "C")) stored;
comment on column kith.users.email_normalized is
  'For look-ups, with ASCII letters in lower case: lower() itself is not leakproof, so under a policy it would never be an index condition.';

-- Where the locale kept two spellings apart that are one address now, it stays verified for whoever had it first.
update kith.users as later
set email_verified_at = null
where later.email_verified_at is not null and later.deleted_at is null and exists (
  select from kith.users as first
  where first.tenant_id = later.tenant_id and first.email_normalized = later.email_normalized and first.deleted_at is null
    and (first.email_verified_at, first.created_at, first.id) < (later.email_verified_at, later.created_at, later.id)
);
create unique index users_verified_email_is_unique on kith.users (tenant_id, email_normalized)
  where email_verified_at is not null and deleted_at is null;
create index users_of_email on kith.users (tenant_id, email_normalized, created_at) where email is not null and deleted_at is null;

alter table kith.nominees drop column email_normalized;
alter table kith.nominees add column email_normalized text generated always as (lower(email collate "C")) stored;
create index nominees_of_email on kith.nominees (tenant_id, email_normalized) where email_normalized is not null;
alter table kith.transfers drop column email_normalized;
alter table kith.transfers add column email_normalized text generated always as (lower(email collate "C")) stored;
create index transfers_of_email on kith.transfers (tenant_id, email_normalized) where email_normalized is not null;

comment on column kith.otp_codes.address is 'E.164, or the e-mail address with ASCII letters in lower case.';
