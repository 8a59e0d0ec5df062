-- Opens each of load.vaults, as a day before, and records the invitations of its nominees: everything that the list of nominees shows.
insert into kith.vault_sessions (
  tenant_id, id, vault_id, owner_id, kind, unlocked_by, opened_at, expires_at, maximum_at, last_activity_at
)
select tenant_id, internal.uuid7(now()), id, owner_id, 'shared', owner_id, now(), now() + interval '12 hours', now() + interval '12 hours', now()
from load.vaults;

insert into kith.history (tenant_id, id, vault_id, at, actor_id, action, subject_type, subject_id)
select vault.tenant_id, internal.uuid7(at), vault.id, at, vault.owner_id, 'nominee.invited', 'nominee', nominee.id
from load.vaults as vault
join kith.nominees as nominee on nominee.tenant_id = vault.tenant_id and nominee.vault_id = vault.id
cross join lateral (select nominee.invited_at as at) as invited;
