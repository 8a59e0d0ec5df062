-- Sign-in: keys that sign access tokens, one-time codes, and refresh tokens.

create table kith.jwt_keys (
  tenant_id integer not null references kith.tenants,
  id uuid not null,
  algorithm text not null constraint jwt_keys_algorithm_is_known check (algorithm in ('HS256', 'ES256', 'RS256', 'EdDSA')),
  own boolean not null,
  issuer text not null,
  audience text not null,
  wrapped_secret bytea,
  public_key text,
  created_at timestamptz not null,
  revoked_at timestamptz,
  kid text not null constraint jwt_keys_kid_is_short check (char_length(kid) between 1 and 200),
  constraint jwt_keys_pkey primary key (tenant_id, id),
  constraint jwt_keys_have_their_material check ((algorithm = 'HS256') = (wrapped_secret is not null) and (algorithm <> 'HS256') = (public_key is not null))
);
create unique index jwt_keys_one_own_key on kith.jwt_keys (tenant_id) where own and revoked_at is null;
create index jwt_keys_by_kid on kith.jwt_keys (kid, issuer, audience) where revoked_at is null;
create unique index jwt_keys_kid_is_unique on kith.jwt_keys (tenant_id, kid, issuer, audience) where revoked_at is null;
comment on table kith.jwt_keys is 'Keys that sign access tokens: found by the token''s `kid`, `iss` and `aud`; the algorithm is the key''s, never the token''s.';
comment on column kith.jwt_keys.own is 'Kith signs with it (issuer kith, audience the slug). Otherwise the tenant''s identity provider does.';
comment on column kith.jwt_keys.wrapped_secret is 'The HS256 secret, AES-256-GCM under the master key, bound to tenant and key id.';
comment on column kith.jwt_keys.public_key is 'SubjectPublicKeyInfo in PEM, of at least 2048 bits for RS256.';
comment on column kith.jwt_keys.kid is 'The name by which tokens call the key; of our own keys the id.';

create table kith.jwt_issuers (
  tenant_id integer not null references kith.tenants,
  issuer text not null,
  audience text not null,
  claimed_at timestamptz not null,
  constraint jwt_issuers_pkey primary key (tenant_id, issuer, audience)
);
create unique index jwt_issuers_are_one_tenants on kith.jwt_issuers (issuer, audience);
comment on table kith.jwt_issuers is
  'Whose an issuer is, in the row with the empty audience, and whose its tokens for an audience are: of the one tenant that has live keys of it. The unique index reaches over tenants on purpose: it decides between two that come at once.';
comment on column kith.jwt_issuers.audience is 'Empty for the issuer itself, which no other tenant may register then. A shared issuer has no such row.';

create table kith.shared_issuers (
  issuer text not null constraint shared_issuers_pkey primary key,
  shared_at timestamptz not null
);
comment on table kith.shared_issuers is
  'Issuers that sign tokens for the apps of many tenants, each with its own audience: big sign-in services. The installation''s own; the operator says which.';
insert into kith.shared_issuers (issuer, shared_at)
select issuer, now()
from unnest(array[
  'https://accounts.google.com', 'accounts.google.com', 'https://appleid.apple.com', 'https://www.facebook.com',
  'https://limited.facebook.com', 'https://access.line.me',
  'https://login.microsoftonline.com/9188040d-6c67-4b59-b112-36a4b66dad04/v2.0'
]) as issuer;

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
  address_is_hashed boolean not null default false,
  by_known_device boolean not null default false,
  open_tries integer not null default 0,
  constraint otp_codes_pkey primary key (tenant_id, id),
  constraint otp_codes_user_exists foreign key (tenant_id, user_id) references kith.users,
  constraint otp_codes_of_a_contact_have_their_user check (
    address_is_hashed and user_id is null or (purpose = 'contact') = (user_id is not null)
  )
);
create index otp_codes_of_address on kith.otp_codes (tenant_id, address, created_at);
create index otp_codes_of_user on kith.otp_codes (tenant_id, user_id, created_at) where user_id is not null;
create index otp_codes_by_age on kith.otp_codes (created_at);
create index otp_codes_hashed_by_age on kith.otp_codes (created_at) where address_is_hashed;
comment on table kith.otp_codes is 'One-time codes that were sent, or would have been. Kept for 30 days, with the delivery of the same id.';
comment on column kith.otp_codes.address is 'E.164, or the e-mail address with ASCII letters in lower case.';
comment on column kith.otp_codes.user_id is 'Who wants to have the contact; null for signing in, where nobody is known yet.';
comment on column kith.otp_codes.code_hash is 'HMAC-SHA-256 under a key made from the master key, bound to tenant, address and id: a million codes are soon tried on a plain hash.';
comment on column kith.otp_codes.tries is
  'How often the code was tried by whoever asked for it: with its id as challenge, or as the user who wants the contact. The fifth is the last.';
comment on column kith.otp_codes.ended_at is 'When it, or another one to the address, was used.';
comment on column kith.otp_codes.address_is_hashed is
  'Its account has ended: the address is a hash, under which the code still counts for the limits of its day, and it is of no other use.';
comment on column kith.otp_codes.by_known_device is
  'Whether the request came with a refresh token of the address''s user. Such codes have limits of their own, which strangers cannot use up, and are tried by their challenge only.';
comment on column kith.otp_codes.open_tries is
  'How often somebody tried a code of the address without a challenge while this was one of the two newest. The fifth is the last.';

create table kith.otp_tries (
  tenant_id integer not null references kith.tenants,
  id uuid not null,
  address text not null,
  tried_at timestamptz not null,
  constraint otp_tries_pkey primary key (tenant_id, id)
);
create index otp_tries_of_address on kith.otp_tries (tenant_id, address, tried_at);
create index otp_tries_by_age on kith.otp_tries (tried_at);
comment on table kith.otp_tries is
  'Each code that was tried for an address without a challenge, for the limit of ten an hour. Swept after an hour.';

create table kith.otp_counts (
  tenant_id integer not null references kith.tenants,
  counted_on date not null,
  scope text not null,
  codes integer not null,
  constraint otp_counts_pkey primary key (tenant_id, counted_on, scope)
) with (fillfactor = 50);
create index otp_counts_by_day on kith.otp_counts (counted_on);
-- The counts of messages to a number hold its hash, so they are swept after a day instead of 90 days.
create index otp_counts_of_numbers on kith.otp_counts (counted_on) where scope like 'sms invitation to %';
comment on table kith.otp_counts is
  'How many messages a tenant asked for in a UTC day: one-time codes that were sent, capped or dropped (kept for 90 days), and invitations by SMS, in all and to each number by its hash (kept for the day).';
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
  predecessor_id uuid,
  constraint refresh_tokens_pkey primary key (tenant_id, id),
  constraint refresh_tokens_secret_is_unique unique (tenant_id, secret_hash),
  constraint refresh_tokens_family_exists foreign key (tenant_id, family_id) references kith.token_families on delete cascade
);
create index refresh_tokens_by_hash on kith.refresh_tokens (secret_hash);
create index refresh_tokens_of_family on kith.refresh_tokens (tenant_id, family_id);
create index refresh_tokens_by_end on kith.refresh_tokens (expires_at);
comment on table kith.refresh_tokens is 'Refresh tokens (kith_rt_…), each good for one use. Only the SHA-256 is kept: a token carries 256 random bits.';
comment on column kith.refresh_tokens.successor_id is 'The token that its use gave; a fresh one where the answer was lost on the way.';
comment on column kith.refresh_tokens.replaced_at is
  'When its predecessor was used again, within a minute, and gave a newer one. It counts until one of them is used.';
comment on column kith.refresh_tokens.predecessor_id is
  'The token whose use gave this one. Of several with the same predecessor one can be used; using a second one ends the family. Null for the first of a family.';
