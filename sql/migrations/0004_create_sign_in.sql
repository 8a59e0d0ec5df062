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
  created_at kith.instant not null,
  revoked_at kith.instant,
  kid text not null constraint jwt_keys_kid_is_short check (char_length(kid) between 1 and 200),
  constraint jwt_keys_pkey primary key (tenant_id, id),
  constraint jwt_keys_have_their_material check ((algorithm = 'HS256') = (wrapped_secret is not null) and (algorithm <> 'HS256') = (public_key is not null)),
  constraint jwt_keys_texts_are_short check (
    char_length(issuer) <= 500 and char_length(audience) <= 500 and char_length(public_key) <= 10000
  )
);
create unique index jwt_keys_one_own_key on kith.jwt_keys (tenant_id) where own and revoked_at is null;
create index jwt_keys_by_kid on kith.jwt_keys (kid, issuer, audience) where revoked_at is null;
create unique index jwt_keys_kid_is_unique on kith.jwt_keys (tenant_id, kid, issuer, audience) where revoked_at is null;
comment on table kith.jwt_keys is
  'Keys that sign access tokens. A token''s `kid`, `iss` and `aud` select the key. The algorithm is the key''s, never the token''s.';
comment on column kith.jwt_keys.own is
  'Whether Kith signs with the key (issuer `kith`, audience the slug). Otherwise the tenant''s identity provider does.';
comment on column kith.jwt_keys.wrapped_secret is
  'The HS256 secret, sealed with AES-256-GCM under the master key and bound to the tenant and the key id.';
comment on column kith.jwt_keys.public_key is 'The public key as SubjectPublicKeyInfo in PEM. An RS256 key has at least 2048 bits.';
comment on column kith.jwt_keys.kid is 'The key id that tokens carry. For Kith''s own keys it is the id.';

-- An issuer belongs to one tenant, except for shared issuers. If two tenants could register an issuer, each with its own audience, a token
-- with both audiences would belong to neither, and the second registration would sign out the users of the first.
create table kith.jwt_issuers (
  tenant_id integer not null references kith.tenants,
  issuer text not null,
  audience text not null,
  claimed_at kith.instant not null,
  constraint jwt_issuers_pkey primary key (tenant_id, issuer, audience)
);
create unique index jwt_issuers_are_one_tenants on kith.jwt_issuers (issuer, audience);
comment on table kith.jwt_issuers is
  'Which tenant an issuer belongs to (the row with the empty audience), and which tenant its tokens for one audience belong to. That is the one tenant with live keys for it. The unique index spans tenants on purpose: it decides when two register at the same time.';
comment on column kith.jwt_issuers.audience is
  'The audience of the tokens, or empty for the issuer itself. No other tenant can register an issuer that has a row with the empty audience. A shared issuer has no such row.';

create table kith.shared_issuers (
  issuer text not null constraint shared_issuers_pkey primary key,
  shared_at kith.instant not null
);
comment on table kith.shared_issuers is
  'Issuers, such as large sign-in services, that sign tokens for the apps of many tenants, each with its own audience. They belong to the installation. The operator maintains them.';
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
  created_at kith.instant not null,
  expires_at kith.instant not null,
  ended_at kith.instant,
  address_is_hashed boolean not null default false,
  by_known_device boolean not null default false,
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
comment on table kith.otp_codes is
  'One-time codes, including those whose message was not sent. Kept for 30 days, together with the delivery of the same id.';
comment on column kith.otp_codes.address is 'A phone number in E.164, or an e-mail address with ASCII letters in lower case.';
comment on column kith.otp_codes.user_id is 'The user who wants to verify the contact. Null for sign-in, when the user is not known yet.';
comment on column kith.otp_codes.code_hash is
  'HMAC-SHA-256 of the code under a key derived from the master key, bound to tenant, address and id. A plain hash would be broken by trying all million codes.';
comment on column kith.otp_codes.tries is
  'How often the code was tried: with its id as the challenge, or without a challenge while it was one of the address''s two newest. Five tries are allowed.';
comment on column kith.otp_codes.ended_at is 'When this code, or another code for the same address, was used.';
comment on column kith.otp_codes.address_is_hashed is
  'Whether the account of the address was deleted. The address is then a hash, under which the code counts for the limits of its day and for nothing else.';
comment on column kith.otp_codes.by_known_device is
  'Whether the request came with a refresh token of the address''s user. Such codes have limits of their own, which strangers cannot use up, and can be tried only with their challenge.';

create table kith.otp_tries (
  tenant_id integer not null references kith.tenants,
  id uuid not null,
  address text not null,
  tried_at kith.instant not null,
  by_known_device boolean not null default false,
  constraint otp_tries_pkey primary key (tenant_id, id)
);
create index otp_tries_of_address on kith.otp_tries (tenant_id, address, tried_at);
create index otp_tries_by_age on kith.otp_tries (tried_at);
comment on table kith.otp_tries is
  'Tries of one-time codes for an address, refused ones included, for the limit of ten an hour. Deleted after an hour.';
comment on column kith.otp_tries.by_known_device is
  'Whether the challenge of a known device''s code was named. Such tries have a limit of their own, which strangers cannot use up.';

create table kith.otp_counts (
  tenant_id integer not null references kith.tenants,
  counted_on kith.calendar_date not null,
  scope text not null,
  codes integer not null,
  constraint otp_counts_pkey primary key (tenant_id, counted_on, scope)
) with (fillfactor = 50);
create index otp_counts_by_day on kith.otp_counts (counted_on);
comment on table kith.otp_counts is
  'How many messages a tenant requested in a UTC day. Kept for 90 days.';
comment on column kith.otp_counts.scope is
  'What is counted: `email` or `sms`; `email known` or `sms known` for codes requested by known devices; `dropped` if sign-up is closed and nobody has the address; `sms invitations`. A calling code is appended for a country, as in `sms +49`. `capped by` address, user, tenant or `country +49` counts refusals.';

create table kith.text_invitations (
  tenant_id integer not null references kith.tenants,
  id uuid not null,
  address text not null,
  sent_at kith.instant not null,
  constraint text_invitations_pkey primary key (tenant_id, id)
);
create index text_invitations_of_address on kith.text_invitations (tenant_id, address, sent_at);
create index text_invitations_by_age on kith.text_invitations (sent_at);
comment on table kith.text_invitations is
  'Invitations to connect that Kith sent by SMS, for the limit of three to one number in 24 hours. Deleted after 24 hours.';
comment on column kith.text_invitations.address is 'The number as a hash (internal.hashed_address), because its owner may have no account.';

create table kith.token_families (
  tenant_id integer not null references kith.tenants,
  id uuid not null,
  user_id uuid not null,
  created_at kith.instant not null,
  refreshed_at kith.instant not null,
  expires_at kith.instant not null,
  ended_at kith.instant,
  end_reason text constraint token_families_end_for_a_known_reason check (end_reason in ('signed_out', 'signed_out_everywhere', 'reuse')),
  constraint token_families_pkey primary key (tenant_id, id),
  constraint token_families_user_exists foreign key (tenant_id, user_id) references kith.users,
  constraint token_families_end_with_a_reason check ((ended_at is null) = (end_reason is null))
);
create index token_families_of_user on kith.token_families (tenant_id, user_id) where ended_at is null;
create index token_families_by_end on kith.token_families (expires_at);
comment on table kith.token_families is
  'A sign-in by one-time code. A family consists of the refresh tokens that follow each other, and the access tokens that carry its id as `sid`.';
comment on column kith.token_families.expires_at is 'When the newest refresh token of the family expires.';

-- A client that refreshes several times at once with one token gets as many successors, and the server cannot know which of them it keeps:
-- two tabs keep both (decision 38).
create table kith.refresh_tokens (
  tenant_id integer not null references kith.tenants,
  id uuid not null,
  family_id uuid not null,
  secret_hash bytea not null constraint refresh_tokens_hash_is_sha256 check (octet_length(secret_hash) = 32),
  created_at kith.instant not null,
  expires_at kith.instant not null,
  used_at kith.instant,
  predecessor_id uuid,
  constraint refresh_tokens_pkey primary key (tenant_id, id),
  constraint refresh_tokens_secret_is_unique unique (tenant_id, secret_hash),
  constraint refresh_tokens_family_exists foreign key (tenant_id, family_id) references kith.token_families on delete cascade
);
create index refresh_tokens_by_hash on kith.refresh_tokens (secret_hash);
create index refresh_tokens_of_family on kith.refresh_tokens (tenant_id, family_id);
create index refresh_tokens_by_end on kith.refresh_tokens (expires_at);
comment on table kith.refresh_tokens is
  'Refresh tokens (kith_rt_…), each valid for one use. Only the SHA-256 of a token is stored, which is safe because a token has 256 random bits.';
comment on column kith.refresh_tokens.used_at is
  'When the token was first exchanged. For a minute, and only until a successor is used, it can be exchanged again, because answers get lost.';
comment on column kith.refresh_tokens.predecessor_id is
  'The token whose use returned this one; null for the first token of a family. Tokens with the same predecessor are siblings: each of them can begin a line of its own, until another has been in use for a day.';
