alter table kith.users
  add column phone_verified_at timestamptz,
  add column email_verified_at timestamptz,
  add column pending_phone text constraint users_pending_phone_is_e164 check (pending_phone ~ '^\+[1-9][0-9]{6,14}$'),
  add column pending_email text
    constraint users_pending_email_is_an_address check (pending_email ~ '^[^@[:space:]]+@[^@[:space:]]+$' and char_length(pending_email) <= 254),
  add constraint users_verify_what_they_have check (
    (phone is not null or phone_verified_at is null) and (email is not null or email_verified_at is null)
  );
create unique index users_verified_phone_is_unique on kith.users (tenant_id, phone)
  where phone_verified_at is not null and deleted_at is null;
create unique index users_verified_email_is_unique on kith.users (tenant_id, email_normalized)
  where email_verified_at is not null and deleted_at is null;
create index users_of_phone on kith.users (tenant_id, phone, created_at) where phone is not null and deleted_at is null;
create index users_of_email on kith.users (tenant_id, email_normalized, created_at) where email is not null and deleted_at is null;
comment on column kith.users.phone_verified_at is 'When a code sent to the number came back. Null for what the tenant''s server only said.';
comment on column kith.users.email_verified_at is 'The same of the e-mail address.';
comment on column kith.users.pending_phone is 'The number that the user wants to have; it counts once a code sent to it came back.';
comment on column kith.users.pending_email is 'The same for an e-mail address.';

alter table kith.tenants
  add column sms_codes_per_day integer not null default 5000
    constraint tenants_sms_codes_in_bounds check (sms_codes_per_day between 0 and 10000000),
  add column sms_codes_per_country_per_day integer not null default 2000
    constraint tenants_sms_codes_of_country_in_bounds check (sms_codes_per_country_per_day between 0 and 10000000),
  add column sms_codes_per_number_per_day integer not null default 10
    constraint tenants_sms_codes_of_number_in_bounds check (sms_codes_per_number_per_day between 1 and 100);
comment on column kith.tenants.sms_codes_per_day is 'One-time codes by SMS in a UTC day, over all numbers: an SMS costs money, and somebody may want it to (A03).';
comment on column kith.tenants.sms_codes_per_country_per_day is 'The same to the numbers of one country calling code.';
comment on column kith.tenants.sms_codes_per_number_per_day is 'The same to one number in 24 hours.';

create table kith.otp_codes (
  tenant_id integer not null references kith.tenants,
  id uuid not null,
  purpose text not null constraint otp_codes_purpose_is_known check (purpose in ('sign_in', 'contact')),
  address text not null,
  user_id uuid,
  code_hash bytea not null constraint otp_codes_hash_is_hmac_sha256 check (octet_length(code_hash) = 32),
  tries integer not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  constraint otp_codes_pkey primary key (tenant_id, id),
  constraint otp_codes_user_exists foreign key (tenant_id, user_id) references kith.users,
  constraint otp_codes_of_a_contact_have_their_user check ((purpose = 'contact') = (user_id is not null))
);
create index otp_codes_of_address on kith.otp_codes (tenant_id, address, created_at);
create index otp_codes_of_user on kith.otp_codes (tenant_id, user_id, created_at) where user_id is not null;
create index otp_codes_by_age on kith.otp_codes (created_at);
comment on table kith.otp_codes is 'One-time codes that were sent, or would have been. Kept for 30 days, with the delivery of the same id.';
comment on column kith.otp_codes.address is 'E.164, or the e-mail address in lower case.';
comment on column kith.otp_codes.user_id is 'Who wants to have the contact; null for signing in, where nobody is known yet.';
comment on column kith.otp_codes.code_hash is 'HMAC-SHA-256 under a key made from the master key, bound to tenant, address and id: a million codes are soon tried on a plain hash.';
comment on column kith.otp_codes.tries is 'How often somebody tried a code while this one was live; the fifth is the last.';
comment on column kith.otp_codes.ended_at is 'When it, or another one to the address, was used.';

create table kith.otp_tries (
  tenant_id integer not null references kith.tenants,
  id uuid not null,
  address text not null,
  tried_at timestamptz not null,
  constraint otp_tries_pkey primary key (tenant_id, id)
);
create index otp_tries_of_address on kith.otp_tries (tenant_id, address, tried_at);
create index otp_tries_by_age on kith.otp_tries (tried_at);
comment on table kith.otp_tries is 'Each code that was tried for an address, for the limit of ten an hour. Swept after an hour.';

create table kith.otp_counts (
  tenant_id integer not null references kith.tenants,
  counted_on date not null,
  scope text not null,
  codes integer not null,
  constraint otp_counts_pkey primary key (tenant_id, counted_on, scope)
) with (fillfactor = 50);
comment on table kith.otp_counts is 'How many one-time codes a tenant asked for in a UTC day: sent, capped and dropped ones. Kept for 90 days.';
comment on column kith.otp_counts.scope is
  'email; sms, and sms +49 of a country; dropped and dropped +49, where sign-up is closed and nobody has the address; capped by address, country +49, tenant or user.';

create table kith.token_families (
  tenant_id integer not null references kith.tenants,
  id uuid not null,
  user_id uuid not null,
  created_at timestamptz not null,
  refreshed_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  end_reason text constraint token_families_end_for_a_known_reason check (end_reason in ('signed_out', 'signed_out_everywhere', 'reuse')),
  constraint token_families_pkey primary key (tenant_id, id),
  constraint token_families_user_exists foreign key (tenant_id, user_id) references kith.users,
  constraint token_families_end_with_a_reason check ((ended_at is null) = (end_reason is null))
);
create index token_families_of_user on kith.token_families (tenant_id, user_id) where ended_at is null;
create index token_families_by_end on kith.token_families (expires_at);
comment on table kith.token_families is 'A sign-in by one-time code: the refresh tokens that came of it, one after the other, and the access tokens that name it as `sid`.';
comment on column kith.token_families.expires_at is 'When its newest refresh token ends.';

create table kith.refresh_tokens (
  tenant_id integer not null references kith.tenants,
  id uuid not null,
  family_id uuid not null,
  secret_hash bytea not null constraint refresh_tokens_hash_is_sha256 check (octet_length(secret_hash) = 32),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  successor_id uuid,
  replaced_at timestamptz,
  constraint refresh_tokens_pkey primary key (tenant_id, id),
  constraint refresh_tokens_secret_is_unique unique (tenant_id, secret_hash),
  constraint refresh_tokens_family_exists foreign key (tenant_id, family_id) references kith.token_families on delete cascade
);
create index refresh_tokens_by_hash on kith.refresh_tokens (secret_hash);
create index refresh_tokens_of_family on kith.refresh_tokens (tenant_id, family_id);
comment on table kith.refresh_tokens is 'Refresh tokens (kith_rt_…), each good for one use. Only the SHA-256 is kept: a token carries 256 random bits.';
comment on column kith.refresh_tokens.successor_id is 'The token that its use gave; a fresh one where the answer was lost on the way.';
comment on column kith.refresh_tokens.replaced_at is 'When it died unused, because its predecessor was used again within a minute.';

alter table kith.jwt_keys add column kid text constraint jwt_keys_kid_is_short check (char_length(kid) between 1 and 200);
update kith.jwt_keys set kid = id::text;
alter table kith.jwt_keys alter column kid set not null;
create index jwt_keys_by_kid on kith.jwt_keys (kid, issuer, audience) where revoked_at is null;
create unique index jwt_keys_kid_is_unique on kith.jwt_keys (tenant_id, kid, issuer, audience) where revoked_at is null;
drop index kith.jwt_keys_by_id;
comment on table kith.jwt_keys is 'Keys that sign access tokens: found by the token''s `kid`, `iss` and `aud`; the algorithm is the key''s, never the token''s.';
comment on column kith.jwt_keys.kid is 'The name by which tokens call the key; of our own keys the id.';
comment on column kith.jwt_keys.public_key is 'SubjectPublicKeyInfo in PEM, of at least 2048 bits for RS256.';
