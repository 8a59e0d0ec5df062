-- Documents are there for whoever is in the vault, while it is open, and for its owner no longer than that. These policies look into
-- other tables, which a distributed database refuses; there the procedures' own checks (internal.enter_vault) remain, and the
-- documents need policies that let everybody of the tenant through.
--
-- The scalar subquery gives the level of the user who asks, or null for who is not in. A deleted document is there for the level full
-- only. Documents are written by definer procedures only, which note each change in the history.

create policy "who is in an open vault sees its documents" on kith.documents
  for select
  to kith_api
  using (
    (
      select case when documents.owner_id = kith.user_id() then 'full' else nominee.access_level end
      from kith.vault_sessions as session
      left join kith.nominees as nominee
        on nominee.tenant_id = session.tenant_id and nominee.vault_id = session.vault_id and nominee.user_id = kith.user_id()
        and nominee.status = 'accepted'
      where session.tenant_id = documents.tenant_id and session.vault_id = documents.vault_id and session.kind = 'shared'
        and session.locked_at is null and session.expires_at > kith.now()
    ) = any (case when deleted_at is null then array['view', 'edit', 'full'] else array['full'] end)
  );
comment on policy "who is in an open vault sees its documents" on kith.documents is
  'V10, V11. The owner too, in an open vault only: what is locked is locked.';
