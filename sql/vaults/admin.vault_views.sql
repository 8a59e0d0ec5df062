drop view if exists admin.vaults;
create view admin.vaults with (security_barrier, security_invoker) as
select
  tenant.slug as tenant,
  vault.id,
  vault.name,
  vault.owner_id,
  (
    select count(*) from kith.documents as document
    where document.tenant_id = vault.tenant_id and document.vault_id = vault.id and document.deleted_at is null
  ) as documents,
  (
    select coalesce(sum(version.size), 0) from kith.document_versions as version
    where version.tenant_id = vault.tenant_id and version.vault_id = vault.id
  ) as bytes,
  (
    select count(*) from kith.nominees as nominee
    where nominee.tenant_id = vault.tenant_id and nominee.vault_id = vault.id and nominee.status <> 'revoked'
  ) as nominees,
  (
    select max(session.expires_at) from kith.vault_sessions as session
    where session.tenant_id = vault.tenant_id and session.vault_id = vault.id and session.locked_at is null
      and session.expires_at > now()
  ) as open_until,
  vault.created_at,
  vault.deleted_at,
  vault.deleted_by
from kith.vaults as vault
join kith.tenants as tenant on tenant.tenant_id = vault.tenant_id;
comment on view admin.vaults is
  'Every vault with its size. Only the columns that are selected are computed. Erased vaults belonged to ended '
  'accounts, and stay until they are swept.';
comment on column admin.vaults.tenant is 'The tenant''s slug.';
comment on column admin.vaults.id is 'The id that admin.soft_delete_vault and admin.restore_vault take.';
comment on column admin.vaults.name is 'The name that the owner gave it; ''Erased'' if the vault was erased.';
comment on column admin.vaults.owner_id is 'The user who owns it.';
comment on column admin.vaults.documents is 'The number of documents that are not deleted.';
comment on column admin.vaults.bytes is 'The stored size, including deleted and replaced documents.';
comment on column admin.vaults.nominees is 'The number of nominees who are not revoked.';
comment on column admin.vaults.open_until is 'When the open session ends by itself; null while the vault is locked.';
comment on column admin.vaults.created_at is 'When the vault was created.';
comment on column admin.vaults.deleted_at is 'When it was deleted; null if it is not.';
comment on column admin.vaults.deleted_by is 'Who deleted it.';
grant select on admin.vaults to kith_reader;

drop view if exists admin.vault_sessions;
create view admin.vault_sessions with (security_barrier, security_invoker) as
select
  tenant.slug as tenant,
  session.id,
  session.vault_id,
  session.kind,
  case
    when session.locked_at is not null then 'locked'
    when session.expires_at <= now() then 'expired'
    else 'open'
  end as state,
  session.unlocked_by,
  session.opened_at,
  session.last_activity_at,
  session.expires_at,
  session.locked_at,
  session.locked_by,
  session.lock_reason
from kith.vault_sessions as session
join kith.tenants as tenant on tenant.tenant_id = session.tenant_id;
comment on view admin.vault_sessions is 'Openings of vaults. Where state is ''open'', people may be in the vault now.';
comment on column admin.vault_sessions.tenant is 'The tenant''s slug.';
comment on column admin.vault_sessions.id is 'The session''s id.';
comment on column admin.vault_sessions.vault_id is 'The vault that was opened.';
comment on column admin.vault_sessions.kind is 'shared, or emergency: for one nominee only.';
comment on column admin.vault_sessions.state is 'open, locked, or expired: over, but not yet recorded as locked.';
comment on column admin.vault_sessions.unlocked_by is 'The user who opened it.';
comment on column admin.vault_sessions.opened_at is 'When it was opened.';
comment on column admin.vault_sessions.last_activity_at is 'When somebody was last active in it, to the minute.';
comment on column admin.vault_sessions.expires_at is 'When it ends by itself.';
comment on column admin.vault_sessions.locked_at is 'When it ended; null if that is not recorded.';
comment on column admin.vault_sessions.locked_by is 'The user who locked it; null if it ended by itself.';
comment on column admin.vault_sessions.lock_reason
  is 'manual, expired, owner_revoked, transferred, vault_deleted or emergency_ended.';
grant select on admin.vault_sessions to kith_reader;
