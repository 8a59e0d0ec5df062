-- Reads a tenant for its export (G08), and for the verification of an import, which reads the same lines again. `kith
-- tenant export` and `import` call these as the owner, an export in one transaction that sees one snapshot.

create or replace function internal.tenant_settings(p_tenant kith.tenants) returns jsonb
  language plpgsql
  stable
as $$
begin
  return internal.tenant_json(p_tenant)::jsonb
    - array[
      'slug', 'created_at', 'updated_at', 'universal_link_host', 'user_quota', 'code_misses_per_hour',
      'vault_quota_mib', 'sms_enabled',
      'sms_codes_per_day', 'sms_codes_per_country_per_day', 'sms_codes_per_number_per_day', 'sms_invitations_per_day',
      'sms_notifications_per_user_per_day'
    ]
    || jsonb_build_object(
      'brand_mark', (
        select translate(encode(mark.picture, 'base64'), e'\n', '') from kith.brand_marks as mark
        where mark.tenant_id = p_tenant.tenant_id
      )
    );
end
$$;
comment on function internal.tenant_settings(kith.tenants) is
  'The settings that a tenant takes along, with the picture of its mark. Quotas, limits of SMS and the host of its '
  'pages are of the operator of each installation.';

create or replace function internal.leaving_tenant(p_slug text, p_is_copy boolean, p_now timestamptz) returns jsonb
  language plpgsql
  stable
as $$
declare
  v_tenant kith.tenants;
begin
  select * into v_tenant from kith.tenants where slug = p_slug;
  if not found then
    raise exception 'not_found' using errcode = 'KT404', detail = format('There is no tenant %L.', p_slug);
  end if;
  if exists (select from kith.tenant_imports as import where import.tenant_id = v_tenant.tenant_id)
    or exists (select from kith.tenant_purges as purge where purge.tenant_id = v_tenant.tenant_id)
  then
    raise exception 'conflict'
      using errcode = 'KT409', detail = format('%L is being imported or purged, so it is not whole.', p_slug);
  end if;
  if not p_is_copy and v_tenant.deleted_at is null then
    raise exception 'invalid_transition' using errcode = 'KT409',
      detail = format('%L still changes, so what happens after the export would be lost.', p_slug),
      hint = format('Delete it first: kith tenant delete %s --reason R. Or export a copy with --live.', p_slug);
  end if;
  -- A server may know the tenant as it was for a minute, and a request may still write.
  if not p_is_copy and v_tenant.deleted_at > p_now - interval '5 minutes' then
    raise exception 'invalid_transition' using errcode = 'KT409',
      detail = format('%L was deleted less than 5 minutes ago, and a server may still write for it.', p_slug),
      hint = format('Try again at %s.', internal.shown_instant(v_tenant.deleted_at + interval '5 minutes'));
  end if;
  return jsonb_build_object(
    'tenant_id', v_tenant.tenant_id, 'slug', p_slug, 'settings', internal.tenant_settings(v_tenant),
    'created_at', v_tenant.created_at, 'exported_at', p_now, 'suspended_at', coalesce(v_tenant.suspended_at, p_now),
    'is_copy', p_is_copy, 'schema', internal.moved_schema()
  );
end
$$;
comment on function internal.leaving_tenant(text, boolean, timestamptz) is
  'What the manifest of an export says about a tenant. The tenant must have been deleted 5 minutes ago, so that '
  'nothing changes any more, unless the export is a copy. Raises conflict if it is being imported or purged.';

create or replace function internal.export_query(p_tenant_id integer, p_table text, p_first text) returns text
  language plpgsql
  stable
as $$
declare
  v_table record;
begin
  select * into strict v_table from internal.moved_tables() as tables where tables.name = p_table;
  -- What an export leaves out or reads in another way depends on when the tenant was deleted and on what else it has.
  -- An import has those rows already, and all of them must be there.
  if p_tenant_id = any (internal.importing_tenants()) then
    v_table.filter := null;
    v_table.read := '{}';
  end if;
  return format(
    'select (select row_to_json(line) from (select %s) as line)::text as line, %s as first, %s as sealed from kith.%I '
    'as source where source.tenant_id = %s%s%s%s', (
      select string_agg(format('%s as %I', coalesce(v_table.read ->> name, format('source.%I', name)), name), ', ')
      from unnest(v_table.columns) as name
      where name is distinct from v_table.sealed
    ),
    case when v_table.sealed is null then 'null' else format('source.%I::text', v_table.key[1]) end,
    case
      when v_table.sealed is null then 'null'
      else format('translate(encode(source.%I, ''base64''), e''\n'', '''')', v_table.sealed)
    end,
    p_table, p_tenant_id, ' and ' || v_table.filter,
    format(' and source.%I = ', v_table.key[1]) || quote_literal(p_first), (
      select ' order by ' || string_agg(
        case
          when internal.base_type(attribute.atttypid) = 'text'::regtype then format('source.%I collate "C"', part.name)
          else format('source.%I', part.name)
        end,
        ', ' order by part.position
      )
      from unnest(v_table.key) with ordinality as part (name, position)
      join pg_catalog.pg_attribute as attribute
        on attribute.attrelid = format('kith.%I', p_table)::regclass and attribute.attname = part.name
    )
  );
end
$$;
comment on function internal.export_query(integer, text, text) is
  'The query that reads a table of a tenant in the order of its key: each row as JSON without its sealed column, the '
  'first part of its key if it has such a column, and that column in base64. Of a tenant that is being imported, it '
  'reads every row as it is, so that the lines are those of the export. p_first, if it is not null, is the first part '
  'of the key of the rows to read.';
