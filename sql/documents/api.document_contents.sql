-- Contents of documents. They are transferred in chunks, which the server seals and opens, one call for each. So nobody
-- holds a whole content in memory, and each chunk is checked against the caller's access. These functions are security
-- definers because kith_api may neither read nor write versions, chunks and keys.

create or replace function api.add_vault_key(p_vault_id uuid, p_wrapped_key bytea, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_key bytea;
begin
  perform internal.require_user();
  perform internal.enter_vault(p_vault_id, 'edit', p_now);
  insert into kith.vault_keys (tenant_id, vault_id, wrapped_key, created_at)
  values (v_tenant, p_vault_id, p_wrapped_key, p_now)
  on conflict (tenant_id, vault_id) do nothing;
  select wrapped_key into v_key from kith.vault_keys where tenant_id = v_tenant and vault_id = p_vault_id;
  return json_build_object('key', translate(encode(v_key, 'base64'), e'\n', ''));
end
$$;
comment on function api.add_vault_key(uuid, bytea, timestamptz) is
  'Adds a vault''s key unless it has one, and returns the key that it has. The server creates and wraps the key, '
  'because the database has no master key. Security definer, because kith_api may not write keys.';
grant execute on function api.add_vault_key(uuid, bytea, timestamptz) to kith_api;

create or replace function api.begin_upload(
  p_vault_id uuid, p_document_id uuid, p_size bigint, p_chunk_size integer, p_expected uuid[], p_unexpected uuid[],
  p_now timestamptz
) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_document kith.documents;
  v_version kith.document_versions;
begin
  perform internal.begin_act('document', p_now);
  perform internal.enter_vault(p_vault_id, 'edit', p_now);
  if p_document_id is not null then
    select * into v_document
    from kith.documents
    where tenant_id = v_tenant and vault_id = p_vault_id and id = p_document_id and deleted_at is null;
    if not found then
      perform internal.refuse_not_found();
    end if;
    perform internal.require_version(v_document, p_expected, p_unexpected);
  end if;
  -- This check saves clients a useless upload. The binding one is in finish_upload.
  perform internal.require_room(p_vault_id, p_document_id, coalesce(p_size, 0));
  if (
    select count(*) >= 50 from kith.document_versions
    where tenant_id = v_tenant and vault_id = p_vault_id and state = 'uploading'
  ) then
    return json_build_object(
      'problem', 'too_many_requests', 'detail', 'Too many documents are being uploaded to this vault. Please wait.',
      'retry_after', 60
    );
  end if;
  if p_document_id is not null and internal.has_replaced_too_much(p_vault_id) then
    return json_build_object(
      'problem', 'too_many_requests', 'detail',
      'Too much was replaced in this vault within an hour. Please try again later.', 'retry_after', 600
    );
  end if;
  insert into kith.document_versions (tenant_id, id, vault_id, document_id, state, created_by, created_at, chunk_size)
  values (
    v_tenant, internal.uuid7(p_now), p_vault_id, coalesce(p_document_id, internal.uuid7(p_now)),
    'uploading', kith.user_id(), p_now, p_chunk_size
  )
  returning * into v_version;
  return json_build_object(
    'vault_id', v_version.vault_id,
    'document_id', v_version.document_id,
    'version_id', v_version.id,
    'key', (
      select translate(encode(wrapped_key, 'base64'), e'\n', '') from kith.vault_keys
      where tenant_id = v_tenant and vault_id = p_vault_id
    )
  );
end
$$;
comment on function api.begin_upload(uuid, uuid, bigint, integer, uuid[], uuid[], timestamptz) is
  'Begins the upload of a new document, or of a new content for an existing one, for level edit or higher: creates a '
  'version that nobody sees. p_size is null if the client has not declared it. The vault''s wrapped key in the answer '
  'is null if it has none yet. Security definer, because kith_api may not write versions.';
grant execute on function api.begin_upload(uuid, uuid, bigint, integer, uuid[], uuid[], timestamptz) to kith_api;

create or replace function api.put_chunk(
  p_vault_id uuid, p_version_id uuid, p_n integer, p_sealed bytea, p_now timestamptz
)
  returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_user();
  perform internal.enter_vault(p_vault_id, 'edit', p_now);
  insert into kith.document_chunks (tenant_id, version_id, n, sealed)
  select v_tenant, id, p_n, p_sealed
  from kith.document_versions
  where tenant_id = v_tenant and vault_id = p_vault_id and id = p_version_id and state = 'uploading'
    and created_by = kith.user_id();
  if not found then
    -- worker.sweep_uploads deletes unfinished uploads after an hour.
    perform internal.refuse_not_found();
  end if;
  return null;
end
$$;
comment on function api.put_chunk(uuid, uuid, integer, bytea, timestamptz) is
  'Stores a chunk of an upload. Fails if the caller has lost access meanwhile. Security definer, because kith_api may '
  'not write chunks.';
grant execute on function api.put_chunk(uuid, uuid, integer, bytea, timestamptz) to kith_api;

create or replace function api.finish_upload(
  p_vault_id uuid, p_version_id uuid, p_name text, p_content_type text, p_size bigint, p_chunks integer, p_sha256 bytea,
  p_expected uuid[], p_unexpected uuid[], p_now timestamptz
) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_user uuid := kith.user_id();
  v_vault kith.vaults;
  v_version kith.document_versions;
  v_document kith.documents;
begin
  perform internal.require_user();
  perform internal.require_document_name(p_name);
  v_vault := internal.lock_vault_row(p_vault_id);
  perform internal.enter_vault(p_vault_id, 'edit', p_now);
  select * into v_version
  from kith.document_versions
  where tenant_id = v_tenant and vault_id = p_vault_id and id = p_version_id and state = 'uploading'
    and created_by = v_user;
  if not found then
    perform internal.refuse_not_found();
  end if;
  perform internal.require_whole(p_version_id, p_chunks, p_size);
  if p_name is null then
    select * into v_document
    from kith.documents
    where tenant_id = v_tenant and vault_id = p_vault_id and id = v_version.document_id and deleted_at is null
    for update;
    if not found then
      perform internal.refuse_not_found();
    end if;
    perform internal.require_version(v_document, p_expected, p_unexpected);
    perform internal.require_room(p_vault_id, v_document.id, p_size);
    update kith.document_versions set state = 'replaced', ended_at = p_now
    where tenant_id = v_tenant and id = v_document.version_id;
    update kith.documents
    set version_id = p_version_id, content_type = p_content_type, size = p_size, sha256 = p_sha256, updated_at = p_now,
      updated_by = v_user
    where tenant_id = v_tenant and id = v_document.id
    returning * into v_document;
  else
    perform internal.require_new_name(p_vault_id, p_name, p_unexpected);
    perform internal.require_room(p_vault_id, null, p_size);
    insert into kith.documents (
      tenant_id, id, vault_id, owner_id, version_id, name, content_type, size, sha256, created_at, created_by,
      updated_at
    )
    values (
      v_tenant, v_version.document_id, p_vault_id, v_vault.owner_id, p_version_id, p_name, p_content_type, p_size,
      p_sha256, p_now, v_user, p_now
    )
    returning * into v_document;
  end if;
  update kith.document_versions set state = 'current', chunks = p_chunks, size = p_size
  where tenant_id = v_tenant and id = p_version_id and state = 'uploading';
  if not found then
    perform internal.refuse_not_found(); -- The sweep of old uploads has deleted it meanwhile.
  end if;
  perform internal.record_history(
    p_vault_id, v_user, case when p_name is null then 'document.replaced' else 'document.added' end,
    'document', v_document.id, jsonb_build_object('version_id', p_version_id, 'size', p_size), p_now
  );
  perform internal.emit_document(p_vault_id, v_document.id, p_now);
  return internal.document_json(v_document, internal.people_of_document(v_document));
end
$$;
comment on function api.finish_upload(uuid, uuid, text, text, bigint, integer, bytea, uuid[], uuid[], timestamptz) is
  'Makes an upload visible, for level edit or higher: as a new document named p_name, or, if that is null, as the '
  'content of the document that it was begun for. Checks that all chunks are there, and the vault''s quota. p_expected '
  'and p_unexpected are as in internal.require_version; an empty p_unexpected refuses a new document whose name '
  'another one has. Security definer, because kith_api may not write versions.';
grant execute
  on function api.finish_upload(
    uuid, uuid, text, text, bigint, integer, bytea, uuid[], uuid[], timestamptz
  ) to kith_api;

create or replace function api.abandon_upload(p_version_id uuid) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_user();
  delete from kith.document_versions
  where tenant_id = v_tenant and id = p_version_id and state = 'uploading' and created_by = kith.user_id();
  return null;
end
$$;
comment on function api.abandon_upload(uuid) is
  'Deletes an unfinished upload with its chunks, even if the caller has lost access meanwhile. Finished uploads stay. '
  'Security definer, because kith_api may not write versions.';
grant execute on function api.abandon_upload(uuid) to kith_api;

create or replace function api.open_content(p_vault_id uuid, p_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_content json;
begin
  perform internal.require_user();
  perform internal.enter_vault(p_vault_id, 'view', p_now);
  select json_build_object(
    'vault_id', document.vault_id,
    'document_id', document.id,
    'version_id', document.version_id,
    'name', document.name,
    'content_type', document.content_type,
    'size', document.size,
    'chunk_size', version.chunk_size,
    'chunks', version.chunks,
    'key', translate(encode(key.wrapped_key, 'base64'), e'\n', '')
  ) into v_content
  from kith.documents as document
  join kith.document_versions as version on version.tenant_id = document.tenant_id and version.id = document.version_id
  join kith.vault_keys as key on key.tenant_id = document.tenant_id and key.vault_id = document.vault_id
  where document.tenant_id = v_tenant and document.vault_id = p_vault_id and document.id = p_id
    and document.deleted_at is null;
  if v_content is null then
    perform internal.refuse_not_found();
  end if;
  return v_content;
end
$$;
comment on function api.open_content(uuid, uuid, timestamptz) is
  'Returns what the server needs to serve a document''s content, with the vault''s wrapped key, for level view or '
  'higher. Security definer, because kith_api may not read keys.';
grant execute on function api.open_content(uuid, uuid, timestamptz) to kith_api;

create or replace function api.read_chunk(
  p_vault_id uuid, p_document_id uuid, p_version_id uuid, p_n integer, p_begins boolean, p_now timestamptz
) returns bytea
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_sealed bytea;
begin
  perform internal.require_user();
  perform internal.enter_vault(p_vault_id, 'view', p_now);
  if not exists (
    select from kith.documents as document
    join kith.document_versions as version
      on version.tenant_id = document.tenant_id and version.document_id = document.id
    where document.tenant_id = v_tenant and document.vault_id = p_vault_id and document.id = p_document_id
      and document.deleted_at is null and version.id = p_version_id and version.state <> 'uploading'
  ) then
    perform internal.refuse_not_found();
  end if;
  -- A viewer that reads piece by piece counts as one reading, and nobody can flood the history by requesting one byte
  -- again and again.
  if p_begins and not exists (
    select from kith.history as read
    where read.tenant_id = v_tenant and read.vault_id = p_vault_id
      and read.id >= internal.first_uuid7(p_now - interval '1 minute')
      and read.actor_id = kith.user_id() and read.action = 'document.read' and read.subject_id = p_document_id
      and read.detail ->> 'version_id' = p_version_id::text
      and not exists (
        select from kith.history as later
        where later.tenant_id = v_tenant and later.vault_id = p_vault_id and later.id > read.id
          and later.subject_id = p_document_id and later.action <> 'document.read'
      )
  ) then
    -- This lock comes after others, against the usual order. That is safe: nothing is locked after it, and nothing else
    -- counts readings.
    perform internal.count_acts('reading', 1, p_now);
    perform internal.record_history(
      p_vault_id, kith.user_id(), 'document.read', 'document', p_document_id,
      jsonb_build_object('version_id', p_version_id), p_now
    );
  end if;
  select sealed into v_sealed from kith.document_chunks
  where tenant_id = v_tenant and version_id = p_version_id and n = p_n;
  return v_sealed;
end
$$;
comment on function api.read_chunk(uuid, uuid, uuid, integer, boolean, timestamptz) is
  'Returns a sealed chunk of a content, for level view or higher. Each chunk is checked, so a download ends when the '
  'access does. The first chunk of a download (p_begins) is recorded in the history, at most once a minute for a '
  'reader that reads piece by piece. A replaced version can be read to its end for an hour. Returns null if the chunk '
  'is missing. Security definer, because kith_api may not read chunks.';
grant execute on function api.read_chunk(uuid, uuid, uuid, integer, boolean, timestamptz) to kith_api;

create or replace function api.report_damage(
  p_document_id uuid, p_version_id uuid, p_n integer, p_is_missing boolean, p_now timestamptz
) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_user();
  if not exists (
    select from kith.document_versions where tenant_id = v_tenant and document_id = p_document_id and id = p_version_id
  )
  then
    perform internal.refuse_not_found();
  end if;
  perform internal.record_act(
    v_tenant, internal.actor(), 'document.tampered', p_document_id::text,
    jsonb_build_object('version_id', p_version_id, 'chunk', p_n, 'missing', p_is_missing)
  );
  return null;
end
$$;
comment on function api.report_damage(uuid, uuid, integer, boolean, timestamptz) is
  'Records in the audit that a chunk is missing or cannot be opened, which means that the stored data was changed. The '
  'actor is the user who found it. Security definer, because kith_api may not write the audit.';
grant execute on function api.report_damage(uuid, uuid, integer, boolean, timestamptz) to kith_api;
