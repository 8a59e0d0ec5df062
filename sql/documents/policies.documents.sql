-- This policy reads other tables, which a distributed database refuses. There, the procedures' own checks
-- (internal.enter_vault) remain, and documents need a policy that admits everybody of the tenant.
--
-- The scalar subquery gives the access level of the current user, or null for a user without access. Only the level
-- full sees deleted documents. Only definer procedures write documents, and they record each change in the history.
create policy "owners and nominees see the documents of an open vault" on kith.documents
  for select
  to kith_api
  using (
    (
      select case when documents.owner_id = kith.user_id() then 'full' else nominee.access_level end
      from kith.vault_sessions as session
      left join kith.nominees as nominee
        on nominee.tenant_id = session.tenant_id and nominee.vault_id = session.vault_id
        and nominee.user_id = kith.user_id()
        and nominee.status = 'accepted'
      where session.tenant_id = documents.tenant_id and session.vault_id = documents.vault_id
        and session.kind = 'shared' and session.locked_at is null and session.expires_at > kith.now()
    ) = any (case when deleted_at is null then array['view', 'edit', 'full'] else array['full'] end)
    or deleted_at is null and (
      select true
      from kith.nominees as nominee
      join kith.vault_sessions as session
        on session.tenant_id = nominee.tenant_id and session.nominee_id = nominee.id and session.kind = 'emergency'
        and session.locked_at is null and session.expires_at > kith.now()
      where nominee.tenant_id = documents.tenant_id and nominee.vault_id = documents.vault_id
        and nominee.user_id = kith.user_id()
        and nominee.status = 'accepted'
    )
  );
comment on policy "owners and nominees see the documents of an open vault" on kith.documents is
  'V10, V11. The owner sees them only while the vault is open, too: a locked vault shows nothing to anybody but a '
  'nominee in an emergency session.';

grant select on kith.documents to kith_api;
grant select (
  tenant_id, id, vault_id, owner_id, version_id, content_type, size, sha256, created_at, created_by, updated_at,
  updated_by, deleted_at, deleted_by
) on kith.documents to kith_reader;
