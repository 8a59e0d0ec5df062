-- Documents without their contents. Reads are subject to the policies for people in the vault.

create or replace function api.list_documents(
  p_vault_id uuid, p_deleted boolean, p_limit integer, p_cursor uuid, p_now timestamptz
) returns json
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_deleted boolean := coalesce(p_deleted, false);
begin
  perform internal.enter_vault(p_vault_id, case when v_deleted then 'full' else 'view' end, p_now);
  return (
    with page as materialized (
      select document, document.id, row_number() over (order by document.id) as n
      from kith.documents as document
      where document.tenant_id = v_tenant and document.vault_id = p_vault_id
        and document.id > coalesce(p_cursor, '00000000-0000-0000-0000-000000000000')
        and (document.deleted_at is not null) = v_deleted
        and coalesce(document.deleted_at > p_now - interval '30 days', true)
      order by document.id
      limit p_limit + 1
    )
    select json_build_object(
      'items', coalesce(
        json_agg(internal.document_json(page.document, known.people) order by page.n) filter (where page.n <= p_limit),
        '[]'
      ),
      'next_cursor', case when count(*) > p_limit then (array_agg(page.id order by page.n))[p_limit] end
    )
    from page
    left join internal.people_of_documents(p_vault_id, array(select id from page), p_now) as known
      on known.document_id = page.id
  );
end
$$;
comment on function api.list_documents(uuid, boolean, integer, uuid, timestamptz) is
  'Returns the documents of an open vault, oldest first; or, for level full, the deleted ones that can be restored.';
grant execute on function api.list_documents(uuid, boolean, integer, uuid, timestamptz) to kith_api;

create or replace function api.get_document(p_vault_id uuid, p_id uuid, p_now timestamptz) returns json
  language plpgsql
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_document kith.documents;
begin
  perform internal.enter_vault(p_vault_id, 'view', p_now);
  select * into v_document
  from kith.documents
  where tenant_id = v_tenant and vault_id = p_vault_id and id = p_id and deleted_at is null;
  if not found then
    perform internal.refuse_not_found();
  end if;
  return (
    select internal.document_json(v_document, known.people)
    from internal.people_of_documents(p_vault_id, array[p_id], p_now) as known
  );
end
$$;
comment on function api.get_document(uuid, uuid, timestamptz)
  is 'Returns a document of an open vault, without its content.';
grant execute on function api.get_document(uuid, uuid, timestamptz) to kith_api;

create or replace function api.rename_document(
  p_vault_id uuid, p_id uuid, p_name text, p_expected uuid[], p_now timestamptz
)
  returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_document kith.documents;
begin
  perform internal.begin_act('document', p_now);
  perform internal.require_document_name(p_name);
  perform internal.enter_vault(p_vault_id, 'edit', p_now);
  perform internal.hold_document(p_vault_id, p_id, p_expected);
  update kith.documents set name = p_name, updated_at = p_now, updated_by = kith.user_id()
  where tenant_id = v_tenant and id = p_id
  returning * into v_document;
  perform internal.record_history(p_vault_id, kith.user_id(), 'document.renamed', 'document', p_id, null, p_now);
  perform internal.emit_document(p_vault_id, p_id, p_now);
  return internal.document_json(v_document, internal.people_of_document(v_document));
end
$$;
comment on function api.rename_document(uuid, uuid, text, uuid[], timestamptz) is
  'Renames a document whose version is one of p_expected (null accepts any), for level edit or higher. Security '
  'definer, because only these procedures write documents, so that the history records each change.';
grant execute on function api.rename_document(uuid, uuid, text, uuid[], timestamptz) to kith_api;

create or replace function api.delete_document(p_vault_id uuid, p_id uuid, p_expected uuid[], p_now timestamptz)
  returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
begin
  perform internal.require_user();
  perform internal.enter_vault(p_vault_id, 'full', p_now);
  perform internal.hold_document(p_vault_id, p_id, p_expected);
  update kith.documents set deleted_at = p_now, deleted_by = kith.user_id(), updated_at = p_now
  where tenant_id = v_tenant and id = p_id;
  perform internal.record_history(p_vault_id, kith.user_id(), 'document.deleted', 'document', p_id, null, p_now);
  perform internal.emit_document(p_vault_id, p_id, p_now);
  return null;
end
$$;
comment on function api.delete_document(uuid, uuid, uuid[], timestamptz) is
  'Deletes a document whose version is one of p_expected (null accepts any) softly, for level full. Downloads of it '
  'end, and restore_document can restore it for 30 days. Security definer, as rename_document.';
grant execute on function api.delete_document(uuid, uuid, uuid[], timestamptz) to kith_api;

create or replace function api.restore_document(p_vault_id uuid, p_id uuid, p_now timestamptz) returns json
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant integer := kith.tenant_id();
  v_document kith.documents;
begin
  perform internal.begin_act('document', p_now);
  perform internal.enter_vault(p_vault_id, 'full', p_now);
  update kith.documents set deleted_at = null, deleted_by = null, updated_at = p_now, updated_by = kith.user_id()
  where tenant_id = v_tenant and vault_id = p_vault_id and id = p_id and deleted_at > p_now - interval '30 days'
  returning * into v_document;
  if not found then
    if exists (
      select from kith.documents
      where tenant_id = v_tenant and vault_id = p_vault_id and id = p_id and deleted_at is null
    ) then
      raise exception 'invalid_transition' using errcode = 'KT409', detail = 'This document is not deleted.';
    end if;
    perform internal.refuse_not_found();
  end if;
  perform internal.record_history(p_vault_id, kith.user_id(), 'document.restored', 'document', p_id, null, p_now);
  perform internal.emit_document(p_vault_id, p_id, p_now);
  return internal.document_json(v_document, internal.people_of_document(v_document));
end
$$;
comment on function api.restore_document(uuid, uuid, timestamptz) is
  'Restores a document that was deleted in the last 30 days, for level full. Security definer, as rename_document.';
grant execute on function api.restore_document(uuid, uuid, timestamptz) to kith_api;
