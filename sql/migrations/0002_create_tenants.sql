-- Tenants, what they use of their quotas, and the keys of their servers.

-- Types with the bounds of their values. A domain says them once, and checks what a statement assigns. A constraint of a table costs each
-- statement that writes a row, whatever it changes: PostgreSQL reads, plans and compiles its text again for every execution, which took half
-- the time of a check-in.
create domain kith.instant as timestamptz constraint instants_are_finite check (value >= '1900-01-01Z' and value < '10001-01-01Z');
comment on domain kith.instant is
  'An instant of the years that Kith knows, so that no batch stumbles over infinity. The type of every column with an instant; procedures have '
  'parameters of timestamptz.';
create domain kith.calendar_date as date constraint calendar_dates_are_finite check (value >= '1900-01-01' and value < '10001-01-01');
comment on domain kith.calendar_date is 'A date of the years of kith.instant. The type of every column with a date.';
create domain kith.time_of_day as time(0) constraint times_of_day_are_before_midnight check (value < '24:00');
comment on domain kith.time_of_day is 'A time of day, to the second. PostgreSQL''s own type also has 24:00.';
create domain kith.note as text constraint notes_are_short check (char_length(value) between 1 and 500);
comment on domain kith.note is 'What somebody adds to a check-in or to an alarm (P40).';
create domain kith.check_in_source as text
  constraint check_in_source_is_known check (value in ('app', 'web', 'link', 'sms', 'voice', 'sign'));
comment on domain kith.check_in_source is 'How a check-in came (J05).';
create domain kith.desk_name as text
  constraint desk_names_are_short check (char_length(value) between 1 and 100)
  constraint desk_names_are_one_line check (value !~ '[\u0001-\u001F\u007F-\u009F]');
comment on domain kith.desk_name is 'The name of a person of a tenant''s desk, as its server gave it.';

create sequence kith.tenant_ids as integer;

-- A tenant's names and links become lines of messages and links on pages. The constraints keep them from running code,
-- opening another program, or hiding where they lead.
create table kith.tenants (
  tenant_id integer not null default nextval('kith.tenant_ids') constraint tenants_pkey primary key,
  slug text not null constraint tenants_slug_is_unique unique
    constraint tenants_slug_is_a_label check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  name text not null constraint tenants_name_is_short check (char_length(name) between 1 and 200 and name !~ '[[:cntrl:]]'),
  status text not null default 'active' constraint tenants_status_is_known check (status in ('active', 'suspended')),
  brand_name text not null
    constraint tenants_brand_is_short check (char_length(brand_name) between 1 and 80 and brand_name !~ '[[:cntrl:]]'),
  brand_color text constraint tenants_brand_color_is_hexadecimal check (brand_color ~ '^#[0-9a-f]{6}$'),
  brand_mark text,
  join_link text constraint tenants_join_link_is_https check (
    join_link ~ '^https://[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?([/?][]A-Za-z0-9._~:/?@!$&''()*+,;=%[-]*)?$'
    and char_length(join_link) <= 500
  ),
  universal_link_host text constraint tenants_host_is_a_name check (
    universal_link_host ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$' and char_length(universal_link_host) <= 253
  ),
  -- A browser sends its origin as scheme, host and port, without a path or a trailing slash. Anything else would never match.
  allowed_origins text[] not null default '{}' constraint tenants_origins_are_origins check (
    array_position(allowed_origins, null) is null
    and array_to_string(allowed_origins, ' ') ~ '^(https?://[a-z0-9.-]+(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?( https?://[a-z0-9.-]+(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?)*)?$'
  ),
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
  created_at kith.instant not null,
  updated_at kith.instant not null,
  deleted_at kith.instant,
  suspended_at kith.instant,
  sms_codes_per_day integer not null default 5000
    constraint tenants_sms_codes_in_bounds check (sms_codes_per_day between 0 and 10000000),
  sms_codes_per_country_per_day integer not null default 2000
    constraint tenants_sms_codes_of_country_in_bounds check (sms_codes_per_country_per_day between 0 and 10000000),
  sms_codes_per_number_per_day integer not null default 10
    constraint tenants_sms_codes_of_number_in_bounds check (sms_codes_per_number_per_day between 1 and 100),
  default_region text constraint tenants_default_region_is_two_letters check (default_region ~ '^[A-Z]{2}$'),
  app_link text constraint tenants_app_link_is_https check (
    app_link ~ '^https://[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?([/?][]A-Za-z0-9._~:/?@!$&''()*+,;=%[-]*)?$'
    and char_length(app_link) <= 500
  ),
  sign_in_url text constraint tenants_sign_in_url_is_https check (
    sign_in_url ~ '^https://[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?([/?][]A-Za-z0-9._~:/?@!$&''()*+,;=%[-]*)?$'
    and char_length(sign_in_url) <= 500
  ),
  sms_enabled boolean not null default false,
  sms_invitations_per_day integer not null default 5000
    constraint tenants_sms_invitations_in_bounds check (sms_invitations_per_day between 0 and 10000000),
  link_scheme text
    constraint tenants_link_scheme_is_one check (link_scheme ~ '^[a-z][a-z0-9+.-]{2,49}$')
    -- These schemes belong to browsers and systems. The best scheme for an app is its own domain reversed, such as com.example.app.
    constraint tenants_link_scheme_is_an_apps check (
      link_scheme !~ '^(https?|wss?|s?ftps?|scp|ssh|telnet|file|data|(java|vb|j|live)script|mocha|blob|about|view-source|filesystem|resource|jar|res|its|mk|mhtml|hcp|help|wyciwyg|(chrome|moz|opera|edge|safari|ms|x-apple|app-prefs|prefs|itms|android|apple|search|shell|settings)([.+-].*)?|itms.*|market|content|intent|mailto|tel|telprompt|callto|smsto|sms|mmsto|mms|facetime.*|sips?|xmpp|ircs?|skype|msteams|zoommtg|zoomus|slack|discord|whatsapp|viber|tg|line|fb|fbmessenger|instagram|twitter|maps|geo|webcal|magnet|bitcoin|ethereum|lightning|upi|paypal|venmo|ldaps?|gopher|news|nntp|urn|cid|mid|vnc|rdp|steam|shortcuts|outlook|onenote)$'
    ),
  vault_quota_mib integer not null default 1024
    constraint tenants_vault_quota_in_bounds check (vault_quota_mib between 1 and 1048576),
  sms_notifications_per_user_per_day integer not null default 20
    constraint tenants_sms_notifications_in_bounds check (sms_notifications_per_user_per_day between 0 and 10000),
  join_redirects boolean not null default false,
  ping_retention_days integer not null default 730
    constraint tenants_ping_retention_in_bounds check (ping_retention_days between 90 and 3650),
  notification_retention_days integer not null default 365
    constraint tenants_notification_retention_in_bounds check (notification_retention_days between 90 and 3650),
  -- The history and the audit show who has been in a vault and who changed what. The floors keep them long enough for a dispute.
  history_retention_days integer not null default 1095
    constraint tenants_history_retention_in_bounds check (history_retention_days between 365 and 3650),
  audit_retention_days integer not null default 1095
    constraint tenants_audit_retention_in_bounds check (audit_retention_days between 365 and 3650),
  delivery_retention_days integer not null default 30
    constraint tenants_delivery_retention_in_bounds check (delivery_retention_days between 7 and 365),
  default_locale text
    constraint tenants_default_locale_is_a_tag check (default_locale ~ '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$' and char_length(default_locale) <= 35),
  texts_changed_at kith.instant,
  constraint tenants_reminder_is_before_deadline check (reminder_minutes > 0 and reminder_minutes < grace_minutes),
  constraint tenants_redirect_leads_somewhere check (not join_redirects or app_link is not null)
);
-- Pages find their tenant by host, so a host belongs to one tenant.
create unique index tenants_host_is_one_tenants on kith.tenants (universal_link_host);
create index tenants_by_origin on kith.tenants using gin (allowed_origins);
comment on table kith.tenants is 'One app or organisation. Every row about people belongs to exactly one tenant.';
comment on column kith.tenants.slug is 'The tenant''s short name in URLs and headers, and the audience of its tokens. It never changes.';
comment on column kith.tenants.status is
  'active or suspended. If suspended, API calls answer 403 tenant_suspended, except those that a person needs to be safe (A02), and the worker still sends alarms.';
comment on column kith.tenants.brand_name is
  'The app''s name that people read in messages and on pages. A new tenant''s brand name is its name.';
comment on column kith.tenants.brand_color is
  'The colour of buttons and links on the pages, such as #0842a0: dark enough to be read on every panel (internal.brand_color_errors). Null for Kith''s own.';
comment on column kith.tenants.brand_mark is
  'Which picture of kith.brand_marks stands beside the brand''s name: its side in pixels and the beginning of its SHA-256, as in 256-1f0c6b7a9d2e4c58. Null if there is none.';
comment on column kith.tenants.join_link is
  'The link to which invitations to connect lead. Null means the join page of this server (internal.join_link).';
comment on column kith.tenants.allowed_origins is
  'The web origins whose scripts may call the API from a browser, such as https://app.example.com.';
comment on column kith.tenants.requires_subscription is
  'Whether a receiver whose subscription is not in good standing is refused new connections (P09).';
comment on column kith.tenants.requires_consent is 'Whether a connection is pending until the code''s owner consents (P29).';
comment on column kith.tenants.grace_minutes is
  'The default grace of new sender profiles: minutes from the scheduled time to the deadline.';
comment on column kith.tenants.reminder_minutes is 'The default reminder of new sender profiles: minutes before the deadline.';
comment on column kith.tenants.code_misses_per_hour is
  'The ceiling of wrong codes per hour in the whole tenant. Above it, accounts younger than 24 hours are refused (A08).';
comment on column kith.tenants.deleted_at is
  'When an operator soft-deleted the tenant. The tenant is then treated as suspended, and the worker does nothing for it.';
comment on column kith.tenants.sms_codes_per_day is
  'The highest number of one-time codes by SMS per UTC day, over all numbers. Each SMS costs money, which attackers can exploit (A03).';
comment on column kith.tenants.sms_codes_per_country_per_day is
  'The highest number of one-time codes by SMS per UTC day to the numbers of one country calling code.';
comment on column kith.tenants.sms_codes_per_number_per_day is 'The highest number of one-time codes by SMS to one number in 24 hours.';
comment on column kith.tenants.default_region is
  'The country (ISO 3166-1 alpha-2) assumed for phone numbers without a calling code, if neither the user''s phone nor their locale shows one.';
comment on column kith.tenants.default_locale is
  'The language (BCP 47) of people whose own language Kith does not have, and of new accounts that name none. Null means English.';
comment on column kith.tenants.texts_changed_at is
  'When the tenant last changed its own words (kith.tenant_texts); null if it has none. Servers read them again when it changes.';
comment on column kith.tenants.app_link is
  'The link from which people install the app, such as its page in the App Store. The join page links to it.';
comment on column kith.tenants.sign_in_url is
  'The tenant''s own page for signing in, which leads back by a sign-in link (POST /v1/sign-in-links). The web client''s sign-in links to it.';
comment on column kith.tenants.join_redirects is
  'Whether the join page leads to app_link at once, instead of showing itself (P38).';
comment on column kith.tenants.sms_enabled is
  'Whether users can have invitations to connect sent by text message (P17). Codes and notifications do not depend on it. Only an operator changes it, because each message costs money.';
comment on column kith.tenants.sms_invitations_per_day is
  'The highest number of invitations that Kith sends by SMS per UTC day, over all users. Each one costs money.';
comment on column kith.tenants.link_scheme is
  'The scheme of links that open the tenant''s app (RFC 3986, section 3.1), as in khandoba://nominee/invite. If it is null, no such link is made.';
comment on column kith.tenants.vault_quota_mib is
  'The highest total size of a vault''s documents in MiB, including deleted documents that can be restored. Only an operator changes it.';
comment on column kith.tenants.sms_notifications_per_user_per_day is
  'The highest number of notifications that one user receives by SMS in 24 hours. Each one costs money. Types that break through quiet hours are not counted, and what follows an alarm is sent in any case.';

comment on column kith.tenants.retention_days is
  'For how many days feedback, and ended requests for emergency access, are kept. Only an operator changes this and the other retentions, because a stolen secret key must not destroy evidence (decision 28).';
comment on column kith.tenants.ping_retention_days is 'For how many days pings and check-ins are kept.';
comment on column kith.tenants.notification_retention_days is 'For how many days notifications are kept.';
comment on column kith.tenants.history_retention_days is 'For how many days the access history of vaults is kept.';
comment on column kith.tenants.audit_retention_days is 'For how many days the audit of the tenant is kept.';
comment on column kith.tenants.delivery_retention_days is
  'For how many days deliveries of notifications are kept after they were sent or given up, with the addresses that they went to.';

-- Apart from kith.tenants, whose rows many procedures read as a whole and pass on: with the picture in it, each of them would load it.
create table kith.brand_marks (
  tenant_id integer not null constraint brand_marks_pkey primary key references kith.tenants,
  picture bytea not null
    constraint brand_marks_are_small check (octet_length(picture) <= 24576)
    constraint brand_marks_are_png check (substr(picture, 1, 8) = '\x89504e470d0a1a0a')
);
comment on table kith.brand_marks is
  'The pictures of tenants'' apps, as /assets/mark-… serves them to anybody: what internal.read_brand_mark has left of the PNG that the tenant sent.';

create table kith.tenant_texts (
  tenant_id integer not null references kith.tenants,
  locale text not null
    constraint tenant_texts_locale_is_a_tag check (locale ~ '^[a-z]{2,8}(-[a-z0-9]{1,8})*$' and char_length(locale) <= 35),
  key text not null constraint tenant_texts_key_is_words check (key ~ '^[a-z_]+([.][a-z_]+)+$' and char_length(key) <= 100),
  forms jsonb not null constraint tenant_texts_forms_are_bounded check (jsonb_typeof(forms) = 'object' and char_length(forms::text) <= 10000),
  updated_at kith.instant not null,
  constraint tenant_texts_pkey primary key (tenant_id, locale, key)
);
comment on table kith.tenant_texts is
  'The texts that a tenant has replaced by its own words. internal.text_errors says which can be replaced, and by what.';
comment on column kith.tenant_texts.locale is 'The language, as the catalogue tags it, in lower case.';
comment on column kith.tenant_texts.key is 'The key of the text in the catalogue.';
comment on column kith.tenant_texts.forms is
  'The text of each plural category of the language that it has a form for; {"text": …} if no number decides its form.';

create table internal.text_rules (
  only_row boolean not null default true constraint text_rules_pkey primary key constraint text_rules_is_one_row check (only_row),
  rules jsonb not null
);
comment on table internal.text_rules is
  'What the catalogue of the program that last migrated says of its texts: {keys: {key: {placeholders, plural}}, locales: {locale: '
  '{categories, single}}}. single has the plural categories of one number alone, whose forms can do without the number.';

create table kith.suspensions (
  tenant_id integer not null references kith.tenants,
  began_at kith.instant not null,
  ended_at kith.instant not null,
  constraint suspensions_pkey primary key (tenant_id, began_at),
  constraint suspensions_end_after_they_begin check (ended_at > began_at)
);
comment on table kith.suspensions is
  'When a tenant was suspended, so that its users could not check in. Those days are nobody''s silence (E03). tenants.suspended_at has the present one.';

create table kith.tenant_usage (
  tenant_id integer not null constraint tenant_usage_pkey primary key references kith.tenants,
  users integer not null
) with (fillfactor = 50);
comment on table kith.tenant_usage is
  'What a tenant uses of its quotas. The counts are updated with each change, because counting a million users for each new one takes too long.';

create table kith.api_keys (
  tenant_id integer not null references kith.tenants,
  id uuid not null,
  name text not null constraint api_keys_name_is_short check (char_length(name) between 1 and 80),
  secret_hash bytea not null constraint api_keys_hash_is_sha256 check (octet_length(secret_hash) = 32),
  scopes text[] not null default '{all}' constraint api_keys_scopes_are_known check (
    scopes <@ array['all', 'users', 'tokens', 'settings', 'webhooks', 'alarms', 'read'] and cardinality(scopes) > 0
  ),
  expires_at kith.instant,
  last_used_at kith.instant,
  revoked_at kith.instant,
  created_at kith.instant not null,
  constraint api_keys_pkey primary key (tenant_id, id),
  constraint api_keys_secret_is_unique unique (tenant_id, secret_hash)
);
create index api_keys_by_hash on kith.api_keys (secret_hash);
comment on table kith.api_keys is
  'The secret keys of a tenant''s server (kith_sk_…). Only the SHA-256 of a key is stored, which is safe because a key has 244 random bits.';
comment on column kith.api_keys.scopes is
  'What the key may do: users, tokens, settings and webhooks each stand for the calls of that area, read for every call that only reads, and all for everything, keys included.';
comment on column kith.api_keys.last_used_at is
  'When the key was last used, to the minute. It is written when a server first sees the key, and then at most once a minute.';

create table kith.tenant_purges (
  tenant_id integer not null constraint tenant_purges_pkey primary key references kith.tenants,
  began_at kith.instant not null
);
comment on table kith.tenant_purges is
  'Deleted tenants whose rows are being deleted (G08). They cannot be restored. The row goes with the tenant.';

create table kith.tenant_imports (
  tenant_id integer not null constraint tenant_imports_pkey primary key references kith.tenants,
  began_at kith.instant not null,
  manifest jsonb not null,
  files integer not null default 0
);
comment on table kith.tenant_imports is
  'Tenants whose import has begun (G08). They count as deleted until all of it is there and verified, when the row is deleted.';
comment on column kith.tenant_imports.manifest is 'The manifest of the export, so that no other export continues the import.';
comment on column kith.tenant_imports.files is 'How many of the export''s files, in the manifest''s order, have their rows here. Each is written in one transaction.';
