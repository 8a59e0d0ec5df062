create or replace function internal.document_json(p_document kith.documents, p_people jsonb) returns json
  language sql
  stable
as $$
  select json_build_object(
    'id', (p_document).id,
    'vault_id', (p_document).vault_id,
    'version_id', (p_document).version_id,
    'name', (p_document).name,
    'content_type', (p_document).content_type,
    'size', (p_document).size,
    'sha256', encode((p_document).sha256, 'hex'),
    'created_at', internal.instant((p_document).created_at),
    'created_by', p_people -> 'created_by',
    'updated_at', internal.instant((p_document).updated_at),
    'updated_by', p_people -> 'updated_by',
    'deleted_at', internal.instant((p_document).deleted_at),
    'deleted_by', p_people -> 'deleted_by'
  )
$$;
comment on function internal.document_json(kith.documents, jsonb) is
  'A document without its content, with its internal.people_of_document. The content''s ETag is version_id in quotes.';
grant execute on function internal.document_json(kith.documents, jsonb) to kith_api;

create or replace function internal.people_of_document(p_document kith.documents) returns jsonb
  language sql
  stable
as $$
  select jsonb_build_object(
    'created_by', internal.person_json((p_document).created_by),
    'updated_by', internal.person_json(coalesce((p_document).updated_by, (p_document).created_by)),
    'deleted_by', internal.person_json((p_document).deleted_by)
  )
$$;
comment on function internal.people_of_document(kith.documents) is
  'Who added a document, who changed it last, and who deleted it. For definer procedures.';

create or replace function internal.people_of_documents(p_vault_id uuid, p_documents uuid[], p_now timestamptz)
  returns table (document_id uuid, people jsonb)
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_access record;
begin
  perform internal.require_user();
  v_access := internal.vault_access(p_vault_id, p_now);
  perform internal.require_open(v_access.role, (v_access.session).id);
  return query
  select document.id, internal.people_of_document(document)
  from kith.documents as document
  where document.tenant_id = v_tenant and document.vault_id = p_vault_id and document.id = any (p_documents)
    and (document.deleted_at is null or v_access.access_level = 'full');
end
$$;
comment on function internal.people_of_documents(uuid, uuid[], timestamptz) is
  'people_of_document for several documents of an open vault. Raises what vault_access raises, and vault_locked. '
  'Definer: documents are read under the policies of the people in the vault, who may not read the names of others.';
grant execute on function internal.people_of_documents(uuid, uuid[], timestamptz) to kith_api;

create or replace function internal.require_version(p_document kith.documents, p_expected uuid[], p_unexpected uuid[])
  returns void
  language plpgsql
  immutable
as $$
begin
  if p_expected is not null and (p_document).version_id <> all (p_expected) then
    raise exception 'precondition_failed' using errcode = 'KT412';
  elsif p_unexpected is not null
    and (cardinality(p_unexpected) = 0 or (p_document).version_id = any (p_unexpected))
  then
    raise exception 'precondition_failed'
      using errcode = 'KT412', detail = 'The document is there, in a version that If-None-Match excludes.';
  end if;
end
$$;
comment on function internal.require_version(kith.documents, uuid[], uuid[]) is
  'Raises precondition_failed unless the document''s current version is one of p_expected (If-Match) and none of '
  'p_unexpected (If-None-Match). Null accepts any version; an empty p_unexpected excludes every version, as * does.';

create or replace function internal.require_new_name(p_vault_id uuid, p_name text, p_unexpected uuid[]) returns void
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  if cardinality(p_unexpected) = 0 and exists (
    select from kith.documents
    where tenant_id = v_tenant and vault_id = p_vault_id and name = p_name and deleted_at is null
  ) then
    raise exception 'precondition_failed' using errcode = 'KT412', detail = 'A document of this name is there already.';
  end if;
end
$$;
comment on function internal.require_new_name(uuid, text, uuid[]) is
  'Raises precondition_failed for the name of another document of the vault, if p_unexpected is empty (If-None-Match: '
  '*). Of a document that is not there yet, the client knows nothing but the name. For definer procedures.';

create or replace function internal.hold_document(p_vault_id uuid, p_id uuid, p_expected uuid[]) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_document kith.documents;
begin
  select * into v_document
  from kith.documents
  where tenant_id = v_tenant and vault_id = p_vault_id and id = p_id and deleted_at is null
  for no key update;
  if not found then
    perform internal.refuse_not_found();
  end if;
  perform internal.require_version(v_document, p_expected, null);
end
$$;
comment on function internal.hold_document(uuid, uuid, uuid[]) is
  'Locks a document that the caller is about to change. Raises not_found if it is not there, and precondition_failed '
  'unless its version is one of p_expected. For definer procedures.';

create or replace function internal.require_document_name(p_name text) returns void
  language plpgsql
as $$
begin
  perform internal.require_name('name', p_name);
  if p_name ~ '^[./\\[:space:]]*$' then
    perform internal.refuse_fields(
      internal.field_error('name', 'must have more than dots and slashes, so that it can be the name of a file')
    );
  end if;
end
$$;
comment on function internal.require_document_name(text) is
  'Raises validation_failed for a text that cannot be a document''s name. Clients save a document as a file of its '
  'name, and . and .. are folders. Called before each write of a document''s name. Null passes.';

create or replace function internal.require_room(p_vault_id uuid, p_replaced_id uuid, p_size bigint) returns void
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_quota bigint;
  v_used bigint;
  v_documents bigint;
begin
  select vault_quota_mib into v_quota from kith.tenants where tenant_id = v_tenant;
  select coalesce(sum(size), 0), count(*) into v_used, v_documents
  from kith.documents
  where tenant_id = v_tenant and vault_id = p_vault_id and id is distinct from p_replaced_id;
  if v_used + p_size > v_quota * 1048576 then
    raise exception 'quota_exceeded' using errcode = 'KT507',
      detail = format('The documents of a vault can have %s MiB, deleted ones included for 30 days.', v_quota);
  end if;
  -- Empty documents add no bytes, so their number is limited separately.
  if p_replaced_id is null and v_documents >= 10000 then
    raise exception 'quota_exceeded' using errcode = 'KT507',
      detail = 'A vault can have 10,000 documents, deleted ones included for 30 days.';
  end if;
end
$$;
comment on function internal.require_room(uuid, uuid, bigint) is
  'Raises quota_exceeded if p_size bytes, in place of those of the replaced document, would exceed the vault''s quota, '
  'or if a new document would exceed 10,000. For definer procedures.';

create or replace function internal.require_whole(p_version_id uuid, p_chunks integer, p_size bigint) returns void
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_is_whole boolean;
begin
  -- A sealed chunk is 29 bytes longer than its content.
  select count(*) = p_chunks and min(n) = 0 and max(n) = p_chunks - 1
    and sum(octet_length(sealed)) = p_size + 29 * p_chunks
  into v_is_whole
  from kith.document_chunks
  where tenant_id = v_tenant and version_id = p_version_id;
  if not v_is_whole then
    raise exception 'version % is incomplete', p_version_id;
  end if;
end
$$;
comment on function internal.require_whole(uuid, integer, bigint) is
  'Raises an error unless all chunks of an upload are there, with p_size bytes in all.';

create or replace function internal.has_replaced_too_much(p_vault_id uuid) returns boolean
  language plpgsql
  stable
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  return (
    select sum(version.size) > tenant.vault_quota_mib * 1048576::bigint
    from kith.tenants as tenant
    join kith.document_versions as version
      on version.tenant_id = v_tenant and version.vault_id = p_vault_id and version.state = 'replaced'
    where tenant.tenant_id = v_tenant
    group by tenant.vault_quota_mib
  );
end
$$;
comment on function internal.has_replaced_too_much(uuid) is
  'Whether the replaced contents of a vault exceed its quota. They are kept for an hour and count towards no quota, so '
  'without this limit one document could fill the disk. Null if nothing was replaced.';
