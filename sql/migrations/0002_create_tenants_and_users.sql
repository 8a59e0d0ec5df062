create sequence kith.tenant_ids as integer;

create table kith.tenants (
  tenant_id integer not null default nextval('kith.tenant_ids') constraint tenants_pkey primary key,
  slug text not null constraint tenants_slug_is_unique unique
    constraint tenants_slug_is_a_label check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  name text not null constraint tenants_name_is_short check (char_length(name) between 1 and 200),
  status text not null default 'active' constraint tenants_status_is_known check (status in ('active', 'suspended')),
  brand_name text not null default 'PRUUF' constraint tenants_brand_is_short check (char_length(brand_name) between 1 and 80),
  join_link text not null default 'https://pruuf.app/join'
    constraint tenants_join_link_is_https check (join_link ~ '^https?://[^[:space:]]+$' and char_length(join_link) <= 500),
  universal_link_host text constraint tenants_host_is_a_name check (universal_link_host ~ '^[a-z0-9.-]{1,253}$'),
  allowed_origins text[] not null default '{}',
  app_ids text[] not null default '{}',
  requires_subscription boolean not null default true,
  requires_consent boolean not null default false,
  sign_up_open boolean not null default true,
  grace_minutes integer not null default 90 constraint tenants_grace_in_bounds check (grace_minutes >= 5 and grace_minutes < 720),
  reminder_minutes integer not null default 15,
  subscription_grace_days integer not null default 14
    constraint tenants_subscription_grace_in_bounds check (subscription_grace_days between 0 and 365),
  session_maximum_minutes integer not null default 720
    constraint tenants_session_maximum_in_bounds check (session_maximum_minutes between 5 and 10080),
  invitation_days integer not null default 7 constraint tenants_invitation_in_bounds check (invitation_days between 1 and 90),
  retention_days integer not null default 730 constraint tenants_retention_in_bounds check (retention_days between 30 and 3650),
  user_quota integer not null default 1000000 constraint tenants_user_quota_in_bounds check (user_quota between 1 and 100000000),
  code_misses_per_hour integer not null default 5000
    constraint tenants_code_misses_in_bounds check (code_misses_per_hour between 10 and 1000000),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  constraint tenants_reminder_is_before_deadline check (reminder_minutes > 0 and reminder_minutes < grace_minutes)
);
comment on table kith.tenants is 'One app or organisation. Every other row belongs to one of these.';
comment on column kith.tenants.slug is 'The name in URLs, headers and the audience of tokens; never changes.';
comment on column kith.tenants.status is 'suspended: every API call answers 403 tenant_suspended; the worker still alarms.';
comment on column kith.tenants.requires_subscription is 'Whether a receiver whose subscription is not in good standing refuses new connections (P09).';
comment on column kith.tenants.requires_consent is 'Whether a connection starts pending until the code''s owner consents (P29).';
comment on column kith.tenants.grace_minutes is 'Minutes from the scheduled time to the deadline for a new sender profile that names none.';
comment on column kith.tenants.reminder_minutes is 'Minutes before the deadline at which the sender is reminded, for a new sender profile that names none.';
comment on column kith.tenants.code_misses_per_hour is 'Past so many wrong codes an hour in the whole tenant, accounts younger than a day are refused (A08).';
comment on column kith.tenants.deleted_at is 'Soft delete by an operator: as suspended, and the worker stops.';

create table kith.api_keys (
  tenant_id integer not null references kith.tenants,
  id uuid not null,
  name text not null constraint api_keys_name_is_short check (char_length(name) between 1 and 80),
  secret_hash bytea not null constraint api_keys_hash_is_sha256 check (octet_length(secret_hash) = 32),
  scopes text[] not null default '{all}',
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null,
  constraint api_keys_pkey primary key (tenant_id, id),
  constraint api_keys_secret_is_unique unique (tenant_id, secret_hash)
);
create index api_keys_by_hash on kith.api_keys (secret_hash);
comment on table kith.api_keys is 'Secret keys of a tenant''s server (kith_sk_…). Only the SHA-256 is kept: a key carries 244 random bits.';
comment on column kith.api_keys.last_used_at is 'Within a minute: it is written when a server first sees the key, and then at most once a minute.';

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
  constraint jwt_keys_pkey primary key (tenant_id, id),
  constraint jwt_keys_have_their_material check ((algorithm = 'HS256') = (wrapped_secret is not null) and (algorithm <> 'HS256') = (public_key is not null))
);
create index jwt_keys_by_id on kith.jwt_keys (id);
create unique index jwt_keys_one_own_key on kith.jwt_keys (tenant_id) where own and revoked_at is null;
comment on table kith.jwt_keys is 'Keys that sign access tokens. The `kid` of a token is `id`; the algorithm is the key''s, never the token''s.';
comment on column kith.jwt_keys.own is 'Kith signs with it (issuer kith, audience the slug). Otherwise the tenant''s identity provider does.';
comment on column kith.jwt_keys.wrapped_secret is 'The HS256 secret, AES-256-GCM under the master key, bound to tenant and key id.';

create table kith.users (
  tenant_id integer not null references kith.tenants,
  id uuid not null,
  external_id text constraint users_external_id_is_short check (char_length(external_id) between 1 and 200),
  display_name text constraint users_name_is_short check (char_length(display_name) between 1 and 100),
  phone text constraint users_phone_is_e164 check (phone ~ '^\+[1-9][0-9]{6,14}$'),
  email text constraint users_email_is_an_address check (email ~ '^[^@[:space:]]+@[^@[:space:]]+$' and char_length(email) <= 254),
  email_normalized text generated always as (lower(email)) stored,
  time_zone text not null default 'UTC',
  locale text not null default 'en' constraint users_locale_is_a_tag check (locale ~ '^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$'),
  tokens_valid_from timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  constraint users_pkey primary key (tenant_id, id),
  constraint users_external_id_is_unique unique (tenant_id, external_id)
);
comment on table kith.users is 'A person within one tenant; a sender, a receiver, an owner, a nominee, or several of these.';
comment on column kith.users.external_id is 'The tenant''s own name for the user: the `sub` of tokens of its identity provider.';
comment on column kith.users.email_normalized is 'For look-ups: lower() itself is not leakproof, so under a policy it would never be an index condition.';
comment on column kith.users.tokens_valid_from is 'Access tokens issued before this instant are void: signing out everywhere moves it.';

create table kith.tenant_usage (
  tenant_id integer not null constraint tenant_usage_pkey primary key references kith.tenants,
  users integer not null
) with (fillfactor = 50);
comment on table kith.tenant_usage is 'What a tenant uses of its quotas, counted as it changes: counting a million users for each new one would not do.';

create table kith.audit (
  tenant_id integer not null,
  id uuid not null,
  at timestamptz not null,
  actor text not null,
  action text not null,
  subject text,
  detail jsonb not null default '{}',
  constraint audit_pkey primary key (tenant_id, id)
) partition by range (id);
comment on table kith.audit is 'Every act of an operator, of a tenant''s server and of a definer procedure with a privilege. Append-only. Monthly partitions.';
comment on column kith.audit.tenant_id is '0 for what concerns no single tenant.';
comment on column kith.audit.actor is 'operator:<login role>, key:<api key id>, user:<id> or kith.';
