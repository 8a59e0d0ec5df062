create or replace function internal.tenant_json(p_tenant kith.tenants) returns json
  language sql
  stable
as $$
  select json_build_object(
    'slug', (p_tenant).slug,
    'name', (p_tenant).name,
    'brand_name', (p_tenant).brand_name,
    'brand_color', (p_tenant).brand_color,
    'brand_mark', internal.brand_mark_path((p_tenant).slug, (p_tenant).brand_mark),
    'join_link', (p_tenant).join_link,
    'universal_link_host', (p_tenant).universal_link_host,
    'allowed_origins', (p_tenant).allowed_origins,
    'app_ids', (p_tenant).app_ids,
    'app_link', (p_tenant).app_link,
    'sign_in_url', (p_tenant).sign_in_url,
    'join_redirects', (p_tenant).join_redirects,
    'default_region', (p_tenant).default_region,
    'default_locale', (p_tenant).default_locale,
    'requires_subscription', (p_tenant).requires_subscription,
    'requires_consent', (p_tenant).requires_consent,
    'sign_up_open', (p_tenant).sign_up_open,
    'grace_minutes', (p_tenant).grace_minutes,
    'reminder_minutes', (p_tenant).reminder_minutes,
    'subscription_grace_days', (p_tenant).subscription_grace_days,
    'session_maximum_minutes', (p_tenant).session_maximum_minutes,
    'invitation_days', (p_tenant).invitation_days,
    'retention_days', (p_tenant).retention_days,
    'ping_retention_days', (p_tenant).ping_retention_days,
    'notification_retention_days', (p_tenant).notification_retention_days,
    'history_retention_days', (p_tenant).history_retention_days,
    'audit_retention_days', (p_tenant).audit_retention_days,
    'delivery_retention_days', (p_tenant).delivery_retention_days,
    'user_quota', (p_tenant).user_quota,
    'code_misses_per_hour', (p_tenant).code_misses_per_hour,
    'link_scheme', (p_tenant).link_scheme,
    'vault_quota_mib', (p_tenant).vault_quota_mib,
    'sms_enabled', (p_tenant).sms_enabled,
    'sms_codes_per_day', (p_tenant).sms_codes_per_day,
    'sms_codes_per_country_per_day', (p_tenant).sms_codes_per_country_per_day,
    'sms_codes_per_number_per_day', (p_tenant).sms_codes_per_number_per_day,
    'sms_invitations_per_day', (p_tenant).sms_invitations_per_day,
    'sms_notifications_per_user_per_day', (p_tenant).sms_notifications_per_user_per_day,
    'created_at', internal.instant((p_tenant).created_at),
    'updated_at', internal.instant((p_tenant).updated_at)
  )
$$;
comment on function internal.tenant_json(kith.tenants) is 'A tenant''s settings.';

create or replace function internal.change_tenant(
  p_tenant_id integer, p_settings jsonb, p_writable text[], p_actor text, p_now timestamptz
) returns kith.tenants
  language plpgsql
as $$
declare
  v_tenant kith.tenants;
  v_kept jsonb := (
    select jsonb_object_agg(kind, days) from internal.retentions('infinity') where tenant_id = p_tenant_id
  );
  v_constraint text;
  v_column text;
  v_errors jsonb;
  v_before jsonb;
begin
  select jsonb_agg(jsonb_build_object('field', key, 'message', 'is not a setting that can be changed here'))
  into v_errors
  from jsonb_object_keys(p_settings) as key
  where key <> all (p_writable);
  perform internal.refuse_fields(coalesce(v_errors, '[]'));

  select * into v_tenant from kith.tenants where tenant_id = p_tenant_id and deleted_at is null for no key update;
  if not found then
    perform internal.refuse_not_found();
  end if;
  perform internal.refuse_fields(
    internal.setting_errors(v_tenant, p_settings) || internal.brand_color_errors(lower(p_settings ->> 'brand_color'))
  );
  p_settings := internal.keep_brand_mark(v_tenant, p_settings);
  v_before := internal.former_settings(v_tenant, p_settings);
  v_tenant := jsonb_populate_record(v_tenant, p_settings);
  perform internal.require_name('name', p_settings ->> 'name'),
    internal.require_name('brand_name', p_settings ->> 'brand_name');
  update kith.tenants
  set name = v_tenant.name, brand_name = v_tenant.brand_name, brand_color = lower(v_tenant.brand_color),
    brand_mark = v_tenant.brand_mark, join_link = v_tenant.join_link,
    universal_link_host = v_tenant.universal_link_host, allowed_origins = v_tenant.allowed_origins,
    app_ids = v_tenant.app_ids,
    app_link = v_tenant.app_link, sign_in_url = v_tenant.sign_in_url, join_redirects = v_tenant.join_redirects,
    default_region = v_tenant.default_region, default_locale = v_tenant.default_locale,
    sms_enabled = v_tenant.sms_enabled,
    requires_subscription = v_tenant.requires_subscription, requires_consent = v_tenant.requires_consent,
    sign_up_open = v_tenant.sign_up_open, grace_minutes = v_tenant.grace_minutes,
    reminder_minutes = v_tenant.reminder_minutes, subscription_grace_days = v_tenant.subscription_grace_days,
    session_maximum_minutes = v_tenant.session_maximum_minutes,
    invitation_days = v_tenant.invitation_days, retention_days = v_tenant.retention_days,
    ping_retention_days = v_tenant.ping_retention_days,
    notification_retention_days = v_tenant.notification_retention_days,
    history_retention_days = v_tenant.history_retention_days, audit_retention_days = v_tenant.audit_retention_days,
    delivery_retention_days = v_tenant.delivery_retention_days, user_quota = v_tenant.user_quota,
    code_misses_per_hour = v_tenant.code_misses_per_hour, sms_codes_per_day = v_tenant.sms_codes_per_day,
    sms_codes_per_country_per_day = v_tenant.sms_codes_per_country_per_day,
    sms_codes_per_number_per_day = v_tenant.sms_codes_per_number_per_day,
    sms_invitations_per_day = v_tenant.sms_invitations_per_day,
    sms_notifications_per_user_per_day = v_tenant.sms_notifications_per_user_per_day,
    link_scheme = v_tenant.link_scheme, vault_quota_mib = v_tenant.vault_quota_mib, updated_at = p_now
  where tenant_id = p_tenant_id
  returning * into v_tenant;
  if v_before -> 'before' ? 'default_locale' then
    perform internal.refresh_tenant_texts(p_tenant_id, internal.default_locale(v_tenant));
  end if;
  perform internal.delay_retention_cuts(p_tenant_id, v_kept, p_now);
  perform internal.record_act(p_tenant_id, p_actor, 'tenant.update', v_tenant.slug, p_settings || v_before);
  return v_tenant;
exception
  when not_null_violation then
    get stacked diagnostics v_column = column_name;
    perform internal.refuse_fields(internal.field_error(v_column, 'must not be null'));
  when unique_violation then
    perform internal.refuse_fields(internal.field_error('universal_link_host', 'is another tenant''s'));
  when check_violation then
    get stacked diagnostics v_constraint = constraint_name;
    perform internal.refuse_fields(internal.tenant_constraint_error(v_constraint));
end
$$;
comment on function internal.change_tenant(integer, jsonb, text[], text, timestamptz) is
  'Changes the given settings, among those in p_writable, and audits them. A retention that becomes shorter takes '
  'effect in 7 days. Shared by the tenant''s server and operators. An error of a table constraint is reported by its '
  'field.';

create or replace function internal.contrast_with_white(p_color text) returns numeric
  language plpgsql
  immutable
as $$
begin
  return (
    select round((
      1.05 / (0.05 + sum(
        part.weight * case
          when part.level <= 0.04045 then part.level / 12.92
          else ((part.level + 0.055) / 1.055) ^ 2.4
        end
      ))
    )::numeric, 2)
    from (
      select channel.weight, get_byte(decode(substr(p_color, 2), 'hex'), channel.n) / 255.0::double precision as level
      from (values (0, 0.2126), (1, 0.7152), (2, 0.0722)) as channel (n, weight)
    ) as part
  );
end
$$;
comment on function internal.contrast_with_white(text)
  is 'The contrast of a colour such as #0842a0 with white, from 1 to 21 (WCAG 2.2, contrast ratio).';

create or replace function internal.brand_color_errors(p_color text) returns jsonb
  language plpgsql
  immutable
as $$
declare
  v_color text := p_color;
  v_contrast numeric;
begin
  if p_color is null or p_color !~ '^#[0-9a-f]{6}$' then
    return '[]';
  end if;
  v_contrast := internal.contrast_with_white(p_color);
  -- A tinted panel is a little darker than white: 8.2 there is 7 on the darkest of them.
  if v_contrast >= 8.2 then
    return '[]';
  end if;
  -- The same hue, darker by a hundredth each time. Black has 21.
  for n in 1..100 loop
    select '#' || string_agg(
      lpad(to_hex((get_byte(decode(substr(p_color, 2), 'hex'), channel) * (100 - n)) / 100), 2, '0'), ''
      order by channel
    )
    into v_color
    from generate_series(0, 2) as channel;
    exit when internal.contrast_with_white(v_color) >= 8.2;
  end loop;
  return internal.field_error(
    'brand_color',
    format(
      'must have a contrast of 8.2:1 with white, which is 7:1 on every panel, so that everybody can read it, and has '
      '%s:1; %s would do',
      v_contrast, v_color
    )
  );
end
$$;
comment on function internal.brand_color_errors(text) is
  'Why a colour cannot be a tenant''s, with the nearest darker one that can: people with weak eyes read its buttons '
  'and links. [] if it can, and for what is no colour, which the table refuses.';

create or replace function internal.shown_brand(p_tenant kith.tenants) returns text
  language sql
  immutable
  parallel safe
as $$
  select coalesce(internal.shown_name((p_tenant).brand_name), internal.shown_name((p_tenant).name), (p_tenant).slug)
$$;
comment on function internal.shown_brand(kith.tenants) is
  'The name of a tenant in messages: its brand or, if the brand contains an address, its name or its slug, which '
  'cannot.';

create or replace function internal.former_settings(p_tenant kith.tenants, p_settings jsonb) returns jsonb
  language plpgsql
  stable
as $$
begin
  return (
    select coalesce(jsonb_build_object('before', jsonb_object_agg(former.key, former.value)), '{}')
    from jsonb_each(to_jsonb(p_tenant)) as former
    join jsonb_each(p_settings) as given on given.key = former.key and given.value is distinct from former.value
    having count(*) > 0
    union all
    select '{}' limit 1
  );
end
$$;
comment on function internal.former_settings(kith.tenants, jsonb) is
  'What the settings that p_settings changes are before, as {before: {name: value}} for the audit; {} if it changes '
  'nothing.';

create or replace function internal.setting_errors(p_tenant kith.tenants, p_settings jsonb) returns jsonb
  language plpgsql
  stable
as $$
begin
  return (
    select coalesce(
      jsonb_agg(jsonb_build_object('field', given.key, 'message', wanted.message) order by given.key), '[]'
    )
    from jsonb_each(p_settings) as given
    join pg_catalog.pg_attribute as setting
      on setting.attrelid = 'kith.tenants'::regclass and setting.attname = given.key
    cross join lateral (
      values (
        case setting.atttypid
          when 'boolean'::regtype then
            case when given.value #>> '{}' not in ('true', 'false') then 'must be true or false' end
          when 'integer'::regtype then
            -- The largest bound has nine digits.
            case
              when given.value #>> '{}' !~ '^-?[0-9]{1,9}$'
                then format('must be a whole number, like %s', to_jsonb(p_tenant) -> given.key)
            end
          when 'text'::regtype then
            case
              when jsonb_typeof(given.value) in ('object', 'array')
                then format('must be a text, like %s', to_jsonb(p_tenant.name))
            end
          else
            case
              when jsonb_typeof(given.value) not in ('array', 'null')
                or jsonb_path_exists(given.value, '$[*] ? (@.type() != "string")')
                then
                format(
                  'must be a list of texts, like %s',
                  case given.key when 'app_ids' then '["A1B2C3D4E5.com.example.app"]'
                    else '["https://app.example.com"]' end
                )
            end
        end
      )
    ) as wanted (message)
    where wanted.message is not null
  );
end
$$;
comment on function internal.setting_errors(kith.tenants, jsonb) is
  'The settings whose values have another type than their columns, with an example of each. A number is the tenant''s '
  'present one. The server checks types itself; an operator in psql or with kith tenant set has only this.';

create or replace function internal.tenant_constraint_error(p_constraint text) returns jsonb
  language sql
  stable
as $$
  select case p_constraint
    when 'tenants_name_is_short' then internal.field_error('name', 'must be a line of 1 to 200 characters')
    when 'tenants_brand_is_short' then internal.field_error('brand_name', 'must be a line of 1 to 80 characters')
    when 'tenants_brand_color_is_hexadecimal'
      then internal.field_error('brand_color', 'must be a colour like #0842a0, or null for Kith''s own')
    when 'tenants_join_link_is_https' then internal.field_error(
      'join_link',
      'must be an https address of at most 500 characters, without a fragment or credentials, or null for the page of '
      'this server'
    )
    when 'tenants_host_is_a_name' then internal.field_error('universal_link_host', 'must be the name of a host')
    when 'tenants_app_link_is_https'
      then internal.field_error(
        'app_link', 'must be an https address of at most 500 characters, without a fragment or credentials'
      )
    when 'tenants_sign_in_url_is_https'
      then internal.field_error(
        'sign_in_url', 'must be an https address of at most 500 characters, without a fragment or credentials'
      )
    when 'tenants_redirect_leads_somewhere'
      then internal.field_error('join_redirects', 'must be false unless app_link is set')
    when 'tenants_default_locale_is_a_tag'
      then internal.field_error(
        'default_locale', 'must be the tag of a language, like de or de-AT, or null for English'
      )
    when 'tenants_default_region_is_two_letters'
      then internal.field_error('default_region', 'must be a country''s two letters, like DE')
    when 'tenants_origins_are_origins' then
      internal.field_error('allowed_origins', 'must each be scheme, host and port alone, like https://app.example.com')
    when 'tenants_grace_in_bounds' then internal.field_error('grace_minutes', 'must be from 5 to 719')
    when 'tenants_reminder_is_before_deadline' then
      internal.field_error('reminder_minutes', 'must be at least 1 and less than the time to answer')
    when 'tenants_subscription_grace_in_bounds'
      then internal.field_error('subscription_grace_days', 'must be from 0 to 365')
    when 'tenants_session_maximum_in_bounds'
      then internal.field_error('session_maximum_minutes', 'must be from 5 to 10080')
    when 'tenants_invitation_in_bounds' then internal.field_error('invitation_days', 'must be from 1 to 90')
    when 'tenants_retention_in_bounds' then internal.field_error('retention_days', 'must be from 30 to 3650')
    when 'tenants_ping_retention_in_bounds' then internal.field_error('ping_retention_days', 'must be from 90 to 3650')
    when 'tenants_notification_retention_in_bounds'
      then internal.field_error('notification_retention_days', 'must be from 90 to 3650')
    when 'tenants_history_retention_in_bounds'
      then internal.field_error('history_retention_days', 'must be from 365 to 3650')
    when 'tenants_audit_retention_in_bounds'
      then internal.field_error('audit_retention_days', 'must be from 365 to 3650')
    when 'tenants_delivery_retention_in_bounds'
      then internal.field_error('delivery_retention_days', 'must be from 7 to 365')
    when 'tenants_user_quota_in_bounds' then internal.field_error('user_quota', 'must be from 1 to 100000000')
    when 'tenants_code_misses_in_bounds' then internal.field_error('code_misses_per_hour', 'must be from 10 to 1000000')
    when 'tenants_sms_codes_in_bounds' then internal.field_error('sms_codes_per_day', 'must be from 0 to 10000000')
    when 'tenants_sms_codes_of_country_in_bounds' then
      internal.field_error('sms_codes_per_country_per_day', 'must be from 0 to 10000000')
    when 'tenants_sms_invitations_in_bounds'
      then internal.field_error('sms_invitations_per_day', 'must be from 0 to 10000000')
    when 'tenants_sms_notifications_in_bounds' then
      internal.field_error('sms_notifications_per_user_per_day', 'must be from 0 to 10000')
    when 'tenants_link_scheme_is_one' then
      internal.field_error(
        'link_scheme',
        'must be the scheme of a URI: 3 to 50 small letters, digits, plus, minus and dots, as in com.example.app'
      )
    when 'tenants_link_scheme_is_an_apps' then
      internal.field_error('link_scheme', 'must be your app''s own: this one is a browser''s or a system''s')
    when 'tenants_vault_quota_in_bounds' then internal.field_error('vault_quota_mib', 'must be from 1 to 1048576')
    when 'tenants_sms_codes_of_number_in_bounds'
      then internal.field_error('sms_codes_per_number_per_day', 'must be from 1 to 100')
  end
$$;
comment on function internal.tenant_constraint_error(text) is
  'What a person reads when a constraint of the tenants table refuses a setting. The constraints define the bounds; '
  'these texts repeat them.';

create or replace function internal.deleted_tenants() returns integer[]
  language plpgsql
  stable
as $$
begin
  return array(
    select tenant_id from kith.tenants where deleted_at is not null union select tenant_id from kith.tenant_imports
  );
end
$$;
comment on function internal.deleted_tenants() is
  'The tenants that are out of use: deleted, being purged, being imported, or refused by an import. Batches over all '
  'tenants skip them.';

create or replace function internal.importing_tenants() returns integer[]
  language plpgsql
  stable
as $$
begin
  return array(select tenant_id from kith.tenant_imports);
end
$$;
comment on function internal.importing_tenants() is
  'The tenants whose import is not finished, among those of internal.deleted_tenants. Retention and other loops '
  'that still serve a deleted tenant skip them, because their rows are compared with the export at the end.';
